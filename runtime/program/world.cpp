// StreamMAP runtime: the program's MPI_COMM_WORLD, in which rank i is task i.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program/world.h"

#include "base/export.h"

namespace streamap {

MPI_Comm programWorld = MPI_COMM_WORLD;

namespace {

bool entered = false;
bool begun = false; ///< the program has called MPI_Init
int threadsGranted = MPI_THREAD_SINGLE;

MPI_Comm ofProgram(MPI_Comm communicator) {
  return communicator == MPI_COMM_WORLD ? programWorld : communicator;
}

/// Facts about the launch, which MPI keeps at its own world alone.
bool isOfLaunch(int key) {
  switch (key) {
  case MPI_TAG_UB:
  case MPI_HOST:
  case MPI_IO:
  case MPI_WTIME_IS_GLOBAL:
  case MPI_APPNUM:
  case MPI_LASTUSEDCODE:
  case MPI_UNIVERSE_SIZE:
    return true;
  default:
    return false;
  }
}

} // namespace

void enterWorld(MPI_Comm world, int granted) {
  programWorld = world;
  threadsGranted = granted;
  entered = true;
}

void leaveWorld() {
  if (!entered || begun)
    return; // what a program leaves open is between it and MPI
  int ended = 0;
  PMPI_Finalized(&ended);
  if (!ended)
    PMPI_Finalize();
}

int beginMpi(int *provided) {
  if (begun)
    return PMPI_Init(nullptr, nullptr); // MPI has words for that
  begun = true;
  if (provided)
    *provided = threadsGranted;
  return MPI_SUCCESS;
}

} // namespace streamap

using streamap::ofProgram;

// ---- Different for a world
// -----------------------------------------------------------------------------------------------------

STREAMAP_EXPORT int MPI_Initialized(int *flag) {
  if (!streamap::entered)
    return PMPI_Initialized(flag);
  *flag = streamap::begun;
  return MPI_SUCCESS;
}

STREAMAP_EXPORT int MPI_Finalize() {
  if (streamap::entered)
    PMPI_Comm_free(&streamap::programWorld);
  streamap::programWorld = MPI_COMM_WORLD;
  return PMPI_Finalize();
}

STREAMAP_EXPORT int MPI_Abort(MPI_Comm comm, int errorcode) {
  // The launcher ends its own world; of another communicator it might leave processes alone.
  return PMPI_Abort(comm, errorcode);
}

STREAMAP_EXPORT int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag) {
  return PMPI_Comm_get_attr(streamap::isOfLaunch(comm_keyval) ? comm : ofProgram(comm), comm_keyval, attribute_val, flag);
}

STREAMAP_EXPORT int MPI_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag) {
  return PMPI_Comm_get_attr(streamap::isOfLaunch(keyval) ? comm : ofProgram(comm), keyval, attribute_val, flag);
}

// MPI tells its own world of errors that belong to no communicator.
STREAMAP_EXPORT int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  if (comm == MPI_COMM_WORLD && streamap::programWorld != MPI_COMM_WORLD)
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
  return PMPI_Comm_set_errhandler(ofProgram(comm), errhandler);
}

STREAMAP_EXPORT int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) {
  return MPI_Comm_set_errhandler(comm, errhandler);
}

STREAMAP_EXPORT int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler) {
  return PMPI_Comm_get_errhandler(ofProgram(comm), errhandler);
}

STREAMAP_EXPORT MPI_Fint MPI_Comm_c2f(MPI_Comm comm) {
  return PMPI_Comm_c2f(ofProgram(comm));
}

// ---- All others
// ----------------------------------------------------------------------------------------------------------------

#define MPI_WRAPPER STREAMAP_EXPORT
#define streamap_world(communicator) ofProgram(communicator)
#include "mpi_wrappers.inc"
