//===- KernelModel.h - The G version of a task, without Clang ---*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data between what finds the kernels in a body and what writes them
// out, twice: as a twin for the host compiler and as source for a device
// compiler. Text is the common subset of C and CUDA C++, after macro expansion.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_KERNELMODEL_H
#define STREAMAP_KERNEL_KERNELMODEL_H

#include <cstdint>
#include <string>
#include <vector>

namespace streamap {

/// One argument of a kernel, the same on every kind of device.
struct KernelArgument {
  std::string Declared;  ///< `T name`
  std::string Name;      ///< in the kernel
  uint64_t Size = 0;     ///< bytes
  std::string Structure; ///< definition of T that goes in front of the kernel; empty: T is known
};

/// One kernel: a loop, a statement that one thread runs, or the end of a reduction.
struct KernelModel {
  std::string Name; ///< its symbol
  bool Barriers = false;
  std::vector<KernelArgument> Arguments;
  std::string Before; ///< statements in front: declarations of the body that it needs, what each thread counts
  std::string Body;   ///< text of the user's, its line breaks kept; begins on the line below
  std::string After;  ///< closes what Before opened
  std::string File;   ///< presumed place of Body
  unsigned Line = 0;
};

/// The G version of one task.
struct GVersion {
  std::vector<KernelModel> Kernels;
  std::string RunText;  ///< the body for the thunk `run`, braces included
  uint64_t Scratch = 0; ///< bytes of device memory for what kernels pass to each other

  bool exists() const { return !RunText.empty(); }
};

} // namespace streamap

#endif
