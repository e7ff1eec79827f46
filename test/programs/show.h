/* What every program of this folder prints its results with.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef SHOW_H
#define SHOW_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* One line: a name and a hash over `bytes` bytes, so that a single wrong bit shows. */
static inline void show(const char *what, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ p[i]) * 1099511628211u;
    printf("%s: %zu bytes %016llx\n", what, bytes, (unsigned long long)hash);
}

/* A number that looks random and depends on nothing but k. */
static inline uint32_t scramble(uint32_t k)
{
    k = (k ^ 61) ^ (k >> 16);
    k *= 9;
    k ^= k >> 4;
    k *= 0x27d4eb2d;
    return k ^ (k >> 15);
}

static inline void scramble_ints(long n, int *x, uint32_t seed)
{
    for (long i = 0; i < n; i++)
        x[i] = (int)(scramble((uint32_t)i + seed * 7919u) >> 8);
}

/* Keeps a core busy for so many milliseconds: tasks behind it have not started when main goes on. */
static inline void take_ms(int ms)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
}

#endif
