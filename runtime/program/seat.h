// StreamMAP runtime: this process takes its place in a program whose processes are the tasks.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "config/settings.h"
#include "streamap/abi.h"

namespace streamap {

/// Initialises MPI, agrees with the other processes who is which task, and binds this one: its rank in MPI_COMM_WORLD, its GPU
/// (CUDA_VISIBLE_DEVICES, by UUID; empty for a C task), its cores and OMP_NUM_THREADS. False: the program must not run; one
/// process has said why, and MPI has been finalised. Called once, collectively, before main is entered, while the process has one
/// thread and has not touched CUDA.
bool takeSeat(const streamap_program &form, const Result<Settings> &settings);

} // namespace streamap
