//===- BuildKernels.h - From a task's body to its G version -----*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each OpenMP loop of the body becomes a kernel; a statement between loops that
// touches the device's memory becomes one that a single thread runs; all else
// stays on the host, in the thunk `run`. So a body is queued as a whole, and
// nothing comes back to the host before it is done.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_BUILDKERNELS_H
#define STREAMAP_KERNEL_BUILDKERNELS_H

#include "frontend/BuildTask.h"
#include "frontend/Reporter.h"
#include "kernel/DeviceSlice.h"
#include "kernel/KernelModel.h"

namespace streamap {

/// Makes the G version of the task defined by \p Definition, where its list may
/// run on G. What it needs of the source is added to \p Slice. Where there can be
/// none, says why, unless the list is empty and so asks for no G; where the list
/// asks for nothing but G, that is an error.
GVersion buildKernels(const clang::FunctionDecl &Definition, const BuiltTask &Task, clang::SourceLocation Pragma,
                      const TokenStream &Stream, DeviceSlice &Slice, Reporter &Report);

} // namespace streamap

#endif
