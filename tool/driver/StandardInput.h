//===- StandardInput.h - A source that comes through a pipe -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_STANDARDINPUT_H
#define STREAMAP_DRIVER_STANDARDINPUT_H

#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace streamap {

/// Copies the standard input to memory and puts the copy in its place, so that
/// every child can read it from the start. Only the first call does anything.
/// False, with errno set, if that fails.
bool keepStandardInput();

/// Winds the kept standard input back, for the next child that reads it.
/// Nothing happens where it was not kept.
void rewindStandardInput();

/// The whole of it; keeps it first.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> rereadStandardInput();

} // namespace streamap

#endif
