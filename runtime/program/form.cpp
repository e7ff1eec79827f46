// StreamMAP runtime: whether the program's processes are its tasks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program/form.h"

#include "base/export.h"

namespace streamap {
namespace {

const streamap_program *registered = nullptr;

} // namespace

const streamap_program *programForm() {
  return registered;
}

} // namespace streamap

STREAMAP_EXPORT void streamap_register_program(const streamap_program *program) {
  streamap::registered = program;
}
