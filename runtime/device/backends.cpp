// StreamMAP runtime: a vendor, and the table of all of them.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include "device/backend.h"
#include "device/cuda/backend.h"
#include "device/emulated/backend.h"
#include "device/host/backend.h"

namespace streamap {
namespace {

constexpr std::array table{
    BackendEntry{"cuda", "NVIDIA's devices", true, false, makeCudaBackend},
    BackendEntry{"emulated", "devices made of this machine's processor and memory", false, true, makeEmulatedBackend},
    BackendEntry{"host", "the host's own memory, everything at once", false, true, makeHostBackend},
};

} // namespace

std::span<const BackendEntry> backendTable() {
  return table;
}

} // namespace streamap
