//===- DeviceCompiler.h - Kernels to images inside the object ---*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc where there is one; otherwise the Clang in this tool, which needs no
// toolkit. Kernels are compiled without contraction and with IEEE division,
// square roots and denormals, unless the user's own options ask for otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_DEVICECOMPILER_H
#define STREAMAP_DRIVER_DEVICECOMPILER_H

#include "Scratch.h"
#include "Session.h"
#include "kernel/DeviceSource.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace streamap {

/// Code for one kind of device.
struct DeviceImage {
  const char *Form = ""; ///< an enumerator of streamap_image_form
  std::string Bytes;
  std::vector<uint16_t> BinaryArchitectures, TextArchitectures; ///< major * 10 + minor
};

/// Compiles the kernels of one source.
class DeviceCompiler {
public:
  /// Both must outlive this.
  DeviceCompiler(const Session &Current, Scratch &Files) : Current(Current), Files(Files) {}

  /// The images of \p Source for the devices that the command line asks for;
  /// \p Shown is the name of the source in messages. None with
  /// --streamap-device=none, and where a function that the kernels call needs a
  /// library that is not here, which is told.
  llvm::Expected<std::vector<DeviceImage>> compile(const DeviceSource &Source, llvm::StringRef Shown);

  /// The whole text for a person, and for nvcc.
  static std::string sourceText(const DeviceSource &Source);

private:
  llvm::Expected<std::vector<DeviceImage>> compileWithNvcc(llvm::StringRef Nvcc, const DeviceSource &Source,
                                                           llvm::StringRef Shown);
  llvm::Expected<std::vector<DeviceImage>> compileWithClang(const DeviceSource &Source, llvm::StringRef Shown);
  llvm::Expected<std::vector<DeviceImage>> compileWithHipcc(const DeviceSource &Source, llvm::StringRef Shown);
  llvm::Expected<std::vector<unsigned>> architectures(llvm::StringRef Nvcc) const;
  std::string toolkitFile(llvm::StringRef Path) const;
  std::string findNvcc() const;
  bool contracts() const;
  bool isFast() const;

  const Session &Current;
  Scratch &Files;
};

/// The lines that define \p Images in front of a host text, in place of
/// NoUnitImages.
std::string imageDefinitions(const std::vector<DeviceImage> &Images);

} // namespace streamap

#endif
