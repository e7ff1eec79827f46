/* Heat spreads over a plate: a 2-D stencil, started from a picture.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Bright pixels are hot. The rim of the plate keeps its temperature, everything else follows the mean of its neighbours. The plate is
 * cut into bands of rows, one a task; a band reads one row of each neighbour, and that row is all that travels between steps.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "picture.h"

/* One step of the explicit scheme, rate <= 1/4. The array parameters say how large the plate is; the clauses say what the task that
 * has row y reads and writes. */
#pragma streamap resource *:C split(y) in(now[y-1:3][0:w]) out(next[y][1:w-2])
void step(long h, long w, float rate, const float now[h][w], float next[h][w])
{
    for (long y = 1; y < h - 1; y++)
        for (long x = 1; x < w - 1; x++)
            next[y][x] = now[y][x] + rate * (now[y-1][x] + now[y+1][x] + now[y][x-1] + now[y][x+1] - 4 * now[y][x]);
}

/* change[0] = the largest difference between two plates, if that is more than change[0]. */
#pragma streamap resource *:C split(y) in(a[y][0:w], b[y][0:w]) reduction(max: change[0:1])
void compare(long h, long w, const float a[h][w], const float b[h][w], float *change)
{
    for (long y = 0; y < h; y++)
        for (long x = 0; x < w; x++) {
            float difference = fabsf(a[y][x] - b[y][x]);
            if (difference > change[0])
                change[0] = difference;
        }
}

/* A plate to start from when no picture is given: a hot ring and a hot bar. */
static float *ring(long *width, long *height)
{
    long w = *width = 192, h = *height = 128;
    float *values = malloc(sizeof *values * w * h);
    for (long y = 0; values && y < h; y++)
        for (long x = 0; x < w; x++) {
            double r = hypot(x - w * 0.35, y - h * 0.5) / h;
            int bar = x > w * 0.75 && x < w * 0.8 && y > h * 0.15 && y < h * 0.85;
            values[y * w + x] = (r > 0.25 && r < 0.33) || bar ? 1.0f : 0.0f;
        }
    return values;
}

/* Tells two plates that differ in a single bit apart. */
static uint64_t fingerprint(long n, const float *values)
{
    uint64_t hash = 14695981039346656037u;
    for (long i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    return hash;
}

struct options {
    long steps, check, every; /* at most; steps between two looks at the change; steps between two frames, 0 for none */
    float tolerance;
    const char *frames; /* where frames go */
    const char *start;  /* a PNG, or null */
};

static struct options read_options(int argc, char **argv)
{
    struct options o = {.steps = 400, .check = 50, .every = 0, .tolerance = 1e-3f, .frames = ".", .start = NULL};
    for (int c; (c = getopt(argc, argv, "n:c:e:t:o:")) != -1;)
        switch (c) {
        case 'n': o.steps = atol(optarg); break;
        case 'c': o.check = atol(optarg); break;
        case 'e': o.every = atol(optarg); break;
        case 't': o.tolerance = strtof(optarg, NULL); break;
        case 'o': o.frames = optarg; break;
        default:
            fprintf(stderr, "usage: %s [-n steps] [-c steps between checks] [-t smallest change] [-e steps between frames] "
                            "[-o folder for frames] [start.png]\n", argv[0]);
            exit(2);
        }
    if (o.check <= 0)
        o.check = o.steps + 1;
    if (optind < argc)
        o.start = argv[optind];
    return o;
}

static int write_frame(const struct options *o, long number, long w, long h, const float *plate)
{
    char file[4096];
    snprintf(file, sizeof file, "%s/heat-%05ld.png", o->frames, number);
    return picture_write(file, w, h, plate);
}

int main(int argc, char **argv)
{
    struct options o = read_options(argc, argv);
    long w, h;
    float *start = o.start ? picture_read(o.start, &w, &h) : ring(&w, &h);
    if (!start)
        return 1;
    float(*now)[w] = (void *)start, (*next)[w] = malloc(sizeof *start * w * h);
    if (!next)
        return 1;
    memcpy(next, now, sizeof *start * w * h);

    float change = 0;
    long n = 0;
    while (n < o.steps) {
        step(h, w, 0.24f, now, next);
        n++;
        if (n % o.check == 0) {
            change = 0;
            compare(h, w, now, next, &change);
            #pragma streamap wait on(change)    /* one number comes home, the plates stay where they are */
        }
        float(*other)[w] = now;
        now = next;
        next = other;
        if (o.every && n % o.every == 0) {
            #pragma streamap wait on(now[0:h][0:w])
            if (write_frame(&o, n, w, h, now[0]) != 0)
                return 1;
        }
        if (n % o.check == 0 && change < o.tolerance)
            break;
    }
    #pragma streamap wait

    double warmth = 0;
    for (long i = 0; i < w * h; i++)
        warmth += now[i / w][i % w];
    printf("heat: %ld x %ld, %ld steps, last change %.6g, mean %.9f, fingerprint %016llx\n", w, h, n, change, warmth / (double)(w * h),
           (unsigned long long)fingerprint(w * h, now[0]));
    free(now);
    free(next);
    return 0;
}
