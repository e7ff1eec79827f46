/* A double in front of the MPI library (LD_PRELOAD): what it grants and says of itself, as MPI_DOUBLE_THREADS (single, funneled)
 * and MPI_DOUBLE_GPU (0, 1) say.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  int (*const real)(int *, char ***, int, int *) = (int (*)(int *, char ***, int, int *))dlsym(RTLD_NEXT, "PMPI_Init_thread");
  const int result = real(argc, argv, required, provided);
  const char *const threads = getenv("MPI_DOUBLE_THREADS");
  if (threads && strcmp(threads, "single") == 0)
    *provided = MPI_THREAD_SINGLE;
  else if (threads && strcmp(threads, "funneled") == 0)
    *provided = MPI_THREAD_FUNNELED;
  return result;
}

int MPIX_Query_cuda_support(void) {
  const char *const aware = getenv("MPI_DOUBLE_GPU");
  if (aware)
    return atoi(aware);
  int (*const real)(void) = (int (*)(void))dlsym(RTLD_NEXT, "MPIX_Query_cuda_support");
  return real ? real() : 0;
}
