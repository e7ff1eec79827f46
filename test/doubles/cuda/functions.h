// The CUDA double: declarations of all calls that it exports.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "call.h"

namespace doubles {
#define CUDA_FUNCTION(name, parameters) DOUBLE_API CUresult name parameters;
#include "device/cuda/driver_functions.def"
#include "other_functions.def"
#undef CUDA_FUNCTION
} // namespace doubles
