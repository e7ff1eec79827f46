//===- EmitTwins.h - Host text of a G version -------------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_KERNEL_EMITTWINS_H
#define STREAMAP_KERNEL_EMITTWINS_H

#include "kernel/KernelModel.h"

#include <string>
#include <vector>

namespace streamap {

/// The twins of the kernels and the table of both, as lines. \p Id is the task's.
std::vector<std::string> emitTwins(const GVersion &Version, const std::string &Id);

/// The table `streamap_images_<Id>`; stands behind the thunk `streamap_run_<Id>`.
std::vector<std::string> emitImages(const GVersion &Version, const std::string &Id);

/// The line that stands in front of everything for the device images of the
/// unit, until they are compiled.
extern const char NoUnitImages[];

/// The lines of \p Text that are not empty.
std::vector<std::string> linesOf(const std::string &Text);

} // namespace streamap

#endif
