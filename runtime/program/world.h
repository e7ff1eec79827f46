// StreamMAP runtime: the program's MPI_COMM_WORLD, in which rank i is task i.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher has numbered the processes before anything of ours ran. libstreamap stands between the program and MPI by MPI's
// profiling interface: every function that takes a communicator takes a renumbered copy of the world where the program says
// MPI_COMM_WORLD. So a handle that a static initialiser has kept, and libraries that were built long before, mean the same world.
// Without a directive in front of main the wrappers pass everything on as it is.
#pragma once

#include <mpi.h>

namespace streamap {

/// What MPI_COMM_WORLD means to the program. MPI's own one until enterWorld().
extern MPI_Comm programWorld;

/// The program means \p world from now on. MPI has been initialised with \p granted, MPI's own number for threads. Called once,
/// by main's thread, before main is entered.
void enterWorld(MPI_Comm world, int granted);

/// After the program's end: finalises MPI where the program has not made use of it.
void leaveWorld();

/// For interpose.cpp: the program calls MPI_Init or MPI_Init_thread. \p provided may be null.
int beginMpi(int *provided);

} // namespace streamap
