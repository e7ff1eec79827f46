//===- EmitDevice.h - The kernels of a unit for a device --------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_EMITDEVICE_H
#define STREAMAP_KERNEL_EMITDEVICE_H

#include "kernel/DeviceSlice.h"
#include "kernel/DeviceSource.h"
#include "kernel/KernelModel.h"

namespace streamap {

/// The text of all kernels of a unit, with what \p Slice has taken in for them.
DeviceSource emitDeviceSource(const std::vector<const GVersion *> &Versions, DeviceSlice &Slice);

} // namespace streamap

#endif
