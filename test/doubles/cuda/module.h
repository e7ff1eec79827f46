// The CUDA double: images, and the host twins that stand for their kernels.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "streamap/abi.h"
#include "world.h"

namespace doubles {

struct Function {
  Module *module = nullptr;
  const streamap_kernel *kernel = nullptr;
  int maximumDynamicShared = 48 * 1024;
};

struct Module {
  Context *context = nullptr;
  void *library = nullptr; ///< that has the twins; null when the program itself has them
  std::vector<streamap_kernel> kernels;
  std::map<std::string, Function *> functions; ///< that have been asked for
};

/// What became of loading an image.
struct LoadedImage {
  CUresult result = CUDA_SUCCESS;
  std::string log; ///< what a compiler would have said
  void *library = nullptr;
  std::vector<streamap_kernel> kernels;
};

/// Knows an image by its first bytes, finds its twins, and checks what a driver would check for \p device:
/// - an ELF file for x86-64 has them: it exports streamap_twins (twins.h);
/// - the image of a task that the program has registered (offerTwins): the task's own;
/// - PTX: in the directory `twins` of the settings, a file named by its hash (twinFileName);
/// - anything else is code that cannot run here: CUDA_ERROR_NO_BINARY_FOR_GPU.
LoadedImage loadImage(const World &world, const Device &device, const void *image);
void unloadModule(Module &module);

/// The twins of the images of all tasks of \p unit. They stay.
void offerTwins(const streamap_unit &unit);

/// `<16 hexadecimal digits of FNV-1a-64 of the text>.so`.
std::string twinFileName(const std::string &ptx);

} // namespace doubles
