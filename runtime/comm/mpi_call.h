// StreamMAP runtime: MPI's errors in words.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <string>

#include "base/result.h"

namespace streamap {

/// Turns the return code of an MPI call into a Result. \p doing completes "MPI failed while ...".
inline Result<void> mpi(int code, const std::string &doing) {
  if (code == MPI_SUCCESS)
    return {};
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return failure("MPI failed while " + doing + ": " + std::string(text, static_cast<std::size_t>(length)));
}

} // namespace streamap
