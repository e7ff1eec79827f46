//===- Driver.h - From argv to products -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_DRIVER_H
#define STREAMAP_DRIVER_DRIVER_H

#include "Session.h"

#include "llvm/Support/Error.h"

namespace streamap {

/// Does what the command line \p Argv asks for, and returns an exit status.
/// Where the host compiler can do all of it, this becomes the host compiler and
/// does not return.
llvm::Expected<int> drive(llvm::ArrayRef<const char *> Argv);

} // namespace streamap

#endif
