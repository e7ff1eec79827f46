/* An MPI program whose processes are the tasks: each says which rank it is, where, and which GPU it sees.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm kept = MPI_COMM_WORLD; /* before anything has been renumbered */

/* The devices that the driver shows, by the first one's UUID; "none", "no driver". */
static void look(char *text, size_t size)
{
    int count = 0;
    unsigned char uuid[16];
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
    int (*devices)(int *) = driver ? (int (*)(int *))dlsym(driver, "cuDeviceGetCount") : NULL;
    int (*identity)(unsigned char *, int) = driver ? (int (*)(unsigned char *, int))dlsym(driver, "cuDeviceGetUuid_v2") : NULL;
    snprintf(text, size, "%s", driver ? "none" : "no driver");
    if (!init || !devices || !identity || init(0) != 0 || devices(&count) != 0 || count == 0 || identity(uuid, 0) != 0)
        return;
    int at = snprintf(text, size, "%d:GPU-", count);
    for (int i = 0; i < 16; i++)
        at += snprintf(text + at, size - (size_t)at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

#ifndef LIST
#define LIST *:C
#endif
#pragma streamap resource LIST
int main(int argc, char **argv)
{
    char line[256], host[64], seen[80], *all = NULL;
    int rank, size, sum = 0, left = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(kept, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, kept);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &left, 1, MPI_INT, (rank + size - 1) % size, 3, kept, MPI_STATUS_IGNORE);
    if (sum != size * (size - 1) / 2 || left != (rank + size - 1) % size)
        MPI_Abort(MPI_COMM_WORLD, 3);
    gethostname(host, sizeof host);
    look(seen, sizeof seen);
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"), *threads = getenv("OMP_NUM_THREADS");
    snprintf(line, sizeof line, "%d %s visible=%s seen=%s threads=%s", rank, host, visible ? visible : "(unset)", seen,
             threads ? threads : "(unset)");
    if (rank == 0)
        all = malloc((size_t)size * sizeof line);
    MPI_Gather(line, sizeof line, MPI_CHAR, all, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        puts(all + (size_t)i * sizeof line);
    free(all);
    MPI_Finalize();
    return 0;
}
