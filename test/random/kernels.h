/* The tasks of the random programs.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * kernels.c is compiled twice: by streamap-cc, where the table's functions launch tasks, and by the plain compiler, where they are the
 * serial twins. All lengths and indices count elements. All arithmetic is on unsigned numbers or on doubles that hold small
 * integers, so any order of a reduction gives the same bits.
 */
#ifndef KERNELS_H
#define KERNELS_H

typedef unsigned word;

struct kernels {
    /* one dimension, split */
    void (*fill)(long tasks, long n, word k, word *x);
    void (*mix)(long tasks, long n, const word *x, word *y);
    void (*blend)(long tasks, long n, const word *x, const word *y, word *z);
    void (*halo)(long tasks, long n, long radius, const word *x, word *y);
    void (*strided)(long tasks, long first, long n, long by, word *x);
    void (*downwards)(long tasks, long first, long n, long by, word *x);
    void (*some)(long tasks, long n, const word *x, word *y);
    void (*smooth)(long tasks, long n, const double *x, double *y);
    /* two dimensions */
    void (*rows)(long tasks, long rows, long length, long pitch_a, long pitch_b, const word *a, word *b);
    void (*pick)(long tasks, long n, long pitch, const word *a, word *b);
    void (*scatter)(long tasks, long n, long pitch, const word *a, word *b);
    void (*block)(long rows, long pitch, long column, long length, const word *a, word *b);
    /* one task, several pointers */
    void (*tangle)(long n, long m, long l, const word *a, word *b, word *c);
    void (*ends)(long n, const word *a, word *b);
    void (*sparse)(long n, word k, word *y);
    /* tasks by number */
    void (*parts)(long tasks, long n, const word *x, word *y);
    /* reductions */
    void (*sum)(long tasks, long n, const word *x, word *s);
    void (*bins)(long tasks, long n, const word *x, word *s);
    void (*most)(long tasks, long n, const word *x, word *s);
    void (*total)(long tasks, long n, const double *x, double *s);
    /* counts and bounds out of memory; tasks in tasks */
    void (*counted)(long n, const word *plan, word *x);
    void (*bounded)(const word *plan, word *x);
    void (*nested)(long n, const word *x, word *y);
};

extern const struct kernels task_kernels, serial_kernels;

enum { BINS = 8, BOUND = 64 };

#endif
