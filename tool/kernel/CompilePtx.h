//===- CompilePtx.h - CUDA text to PTX by the Clang in this tool -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_COMPILEPTX_H
#define STREAMAP_KERNEL_COMPILEPTX_H

#include <string>

namespace streamap {

struct PtxRequest {
  std::string Text; ///< CUDA C++ for <streamap/kernel.h> with STREAMAP_NO_TOOLKIT
  std::string IncludeDirectory;
  std::string Libdevice;     ///< path of libdevice.10.bc; empty: nothing of it is needed
  unsigned Architecture = 0; ///< 60 to 90
  bool Contract = false;     ///< a * b + c may become one operation
  bool Fast = false;         ///< -ffast-math
};

struct PtxResult {
  bool Succeeded = false;
  std::string Text;     ///< PTX, of the oldest version that has the architecture
  std::string Messages; ///< of the compiler
};

/// Compiles in this process; no program and no file but the include directory and
/// libdevice is needed.
PtxResult compilePtx(const PtxRequest &Request);

} // namespace streamap

#endif
