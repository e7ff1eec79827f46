// StreamMAP runtime: what libstreamap shows to programs. Everything else is hidden.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// In front of the definition of a function of the C ABI.
#define STREAMAP_EXPORT extern "C" __attribute__((visibility("default")))
