//===- DeviceSource.h - What a device compiler is given ---------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_DEVICESOURCE_H
#define STREAMAP_KERNEL_DEVICESOURCE_H

#include <string>
#include <vector>

namespace streamap {

/// A function of the C library that kernels call.
struct LibraryUse {
  std::string Name;
  std::string Head;      ///< `R %(T streamap_x0, ...)`, % for its name
  std::string Arguments; ///< `streamap_x0, ...`
};

/// All kernels of one translation unit, in CUDA C++.
struct DeviceSource {
  std::string Text; ///< needs <streamap/kernel.h> in front of it, and nothing else
  std::vector<LibraryUse> Uses;

  bool empty() const { return Text.empty(); }
};

} // namespace streamap

#endif
