//===- OwnOptions.h - Options that only streamap-cc has -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_OWNOPTIONS_H
#define STREAMAP_DRIVER_OWNOPTIONS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace streamap {

/// The `--streamap-...` options of one command line.
struct OwnOptions {
  bool Help = false;
  bool Version = false;
  bool EmitSource = false;    ///< leave the host text beside the output
  bool Explain = false;       ///< print the task model
  std::string Device;         ///< none, cuda or hip; empty: cuda
  std::string CudaArch;       ///< architectures of the device code, by commas; empty: all-major
  std::string CudaPath;       ///< folder of the CUDA toolkit; empty: looked for
  std::string DeviceCompiler; ///< path of nvcc, or clang; empty: nvcc where there is one
  std::string HostCompiler;   ///< command; empty: from the environment, or the default
};

/// Takes the `--streamap-...` options out of \p Args, which then holds what
/// the host compiler understands. An unknown one, or one with a wrong value,
/// is an error that names the nearest right one.
llvm::Expected<OwnOptions> takeOwnOptions(llvm::SmallVectorImpl<const char *> &Args);

/// Whether \p Arg is spelt like an option of ours.
bool isOwnOption(llvm::StringRef Arg);

/// Whether the word behind \p Arg is its value. So the tool may be put in front
/// of a whole command line of another compiler.
bool takesNextAsHostCompiler(llvm::StringRef Arg);

/// Prints what `--streamap-help` shows.
void printOwnHelp(llvm::raw_ostream &OS, llvm::StringRef ToolName);

} // namespace streamap

#endif
