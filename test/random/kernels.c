/* The bodies of the random programs' tasks; see kernels.h.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "kernels.h"

#include <streamap/streamap.h>

#pragma streamap resource (tasks):C split(i) out(x[i])
static void fill(long tasks, long n, word k, word *x)
{
    (void)tasks;
    for (long i = 0; i < n; i++)
        x[i] = k * 2654435761u + (word)i;
}

#pragma streamap resource (tasks):C split(i) in(x[i]) inout(y[i])
static void mix(long tasks, long n, const word *x, word *y)
{
    (void)tasks;
    for (long i = 0; i < n; i++)
        y[i] = y[i] * 3 + x[i];
}

#pragma streamap resource (tasks):C split(i) in(x[i], y[i]) out(z[i])
static void blend(long tasks, long n, const word *x, const word *y, word *z)
{
    (void)tasks;
    for (long i = 0; i < n; i++)
        z[i] = (x[i] ^ y[i]) + (x[i] >> 5);
}

#pragma streamap resource (tasks):C split(i) extent(x[0:n], y[0:n]) in(x[i-radius:2*radius+1]) out(y[i])
static void halo(long tasks, long n, long radius, const word *x, word *y)
{
    (void)tasks;
    for (long i = 0; i < n; i++) {
        word sum = 1;
        for (long k = i - radius; k <= i + radius; k++)
            if (k >= 0 && k < n)
                sum = sum * 5 + x[k];
        y[i] = sum;
    }
}

#pragma streamap resource (tasks):C split(i) inout(x[i])
static void strided(long tasks, long first, long n, long by, word *x)
{
    (void)tasks;
    for (long i = first; i < n; i += by)
        x[i] = x[i] * 7 + (word)i;
}

#pragma streamap resource (tasks):C split(i) inout(x[i])
static void downwards(long tasks, long first, long n, long by, word *x)
{
    (void)tasks;
    for (long i = n - 1; i >= first; i -= by)
        x[i] ^= (x[i] << 3) + (word)i;
}

/* Writes only where x says so, although the section is out. */
#pragma streamap resource (tasks):C split(i) in(x[i]) out(y[i])
static void some(long tasks, long n, const word *x, word *y)
{
    (void)tasks;
    for (long i = 0; i < n; i++)
        if (x[i] & 4)
            y[i] = x[i] + 1;
}

#pragma streamap resource (tasks):C split(i) extent(x[0:n], y[0:n]) in(x[i-1:3]) inout(y[i])
static void smooth(long tasks, long n, const double *x, double *y)
{
    (void)tasks;
    for (long i = 0; i < n; i++)
        y[i] = (double)((long)(y[i] + 2 * x[i] + (i > 0 ? x[i - 1] : 0) + (i < n - 1 ? x[i + 1] : 0)) % 9973);
}

#pragma streamap resource (tasks):C split(i) in(a[i*pitch_a:length]) inout(b[i*pitch_b:length])
static void rows(long tasks, long rows, long length, long pitch_a, long pitch_b, const word *a, word *b)
{
    (void)tasks;
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < length; j++)
            b[i * pitch_b + j] += 3 * a[i * pitch_a + j];
}

#pragma streamap resource (tasks):C split(i) in(a[i*pitch]) out(b[i])
static void pick(long tasks, long n, long pitch, const word *a, word *b)
{
    (void)tasks;
    for (long i = 0; i < n; i++)
        b[i] = a[i * pitch];
}

#pragma streamap resource (tasks):C split(i) in(a[i]) out(b[i*pitch])
static void scatter(long tasks, long n, long pitch, const word *a, word *b)
{
    (void)tasks;
    for (long i = 0; i < n; i++)
        b[i * pitch] = ~a[i];
}

/* The same columns of two matrices, strided. The extents are spelt out: the last row ends where its columns do. */
#pragma streamap resource 1:C in(a[0:rows][0:length]) inout(b[0:rows][0:length])
static void block_at(long rows, long pitch, long length, const word a[rows][pitch], word b[rows][pitch])
{
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < length; j++)
            b[i][j] = b[i][j] * 5 ^ a[i][j];
}

static void block(long rows, long pitch, long column, long length, const word *a, word *b)
{
    block_at(rows, pitch, length, (const void *)(a + column), (void *)(b + column));
}

/* Whatever overlaps here overlaps in the task as it does at home. */
#pragma streamap resource 1:C in(a[0:n]) inout(b[0:m]) out(c[0:l])
static void tangle(long n, long m, long l, const word *a, word *b, word *c)
{
    for (long i = 0; i < m; i++)
        b[i] += n > 0 ? a[i % n] : 1;
    for (long i = 0; i < l; i++)
        c[i] = (m > 0 ? b[(i * 3) % m] : 2) + (n > 0 ? a[n - 1 - i % n] : 3);
}

#pragma streamap resource 1:C in(a[0:1], a[n-1:1]) inout(b[0:1], b[n-1:1])
static void ends(long n, const word *a, word *b)
{
    b[0] += a[n - 1];
    b[n - 1] ^= a[0];
}

#pragma streamap resource 1:C out(y[0:n])
static void sparse(long n, word k, word *y)
{
    for (long i = k % 3; i < n; i += 3)
        y[i] = k + (word)i;
}

#define FROM(n) ((n) * streamap_task_index() / streamap_task_count())
#define TO(n) ((n) * (streamap_task_index() + 1) / streamap_task_count())

#pragma streamap resource (tasks):C in(x[0:n]) inout(y[FROM(n):TO(n)-FROM(n)])
static void parts(long tasks, long n, const word *x, word *y)
{
    (void)tasks;
    for (long i = FROM(n); i < TO(n); i++)
        y[i] = y[i] * 9 + x[n - 1 - i];
}

#pragma streamap resource (tasks):C split(i) in(x[i]) reduction(+: s[0:1])
static void sum(long tasks, long n, const word *x, word *s)
{
    (void)tasks;
    for (long i = 0; i < n; i++)
        s[0] += x[i];
}

#pragma streamap resource (tasks):C split(i) in(x[i]) reduction(^: s[0:BINS])
static void bins(long tasks, long n, const word *x, word *s)
{
    (void)tasks;
    for (long i = 0; i < n; i++)
        s[x[i] % BINS] ^= x[i] >> 3;
}

#pragma streamap resource (tasks):C split(i) in(x[i]) reduction(max: s[0:1])
static void most(long tasks, long n, const word *x, word *s)
{
    (void)tasks;
    for (long i = 0; i < n; i++)
        if (x[i] > s[0])
            s[0] = x[i];
}

#pragma streamap resource (tasks):C split(i) in(x[i]) reduction(+: s[0:1])
static void total(long tasks, long n, const double *x, double *s)
{
    (void)tasks;
    for (long i = 0; i < n; i++)
        s[0] += (double)((long)x[i] % 997);
}

#pragma streamap resource (plan[0] % 5 + 1):C split(i) in(plan[0:1]) inout(x[i])
static void counted(long n, const word *plan, word *x)
{
    for (long i = 0; i < n; i++)
        x[i] += plan[0] | 1;
}

#pragma streamap resource 1:C in(plan[0:1]) inout(x[0:plan[0]%BOUND])
static void bounded(const word *plan, word *x)
{
    long n = plan[0] % BOUND;
    for (long i = 0; i < n; i++)
        x[i] -= (word)n;
}

#pragma streamap resource 1:C in(x[0:n]) inout(y[0:n])
static void nested(long n, const word *x, word *y)
{
    mix(3, n, x, y);
    #pragma streamap wait
    strided(2, 0, n, 2, y);
}

const struct kernels KERNELS = {
    .fill = fill, .mix = mix, .blend = blend, .halo = halo, .strided = strided, .downwards = downwards, .some = some, .smooth = smooth,
    .rows = rows, .pick = pick, .scatter = scatter, .block = block, .tangle = tangle, .ends = ends, .sparse = sparse, .parts = parts,
    .sum = sum, .bins = bins, .most = most, .total = total, .counted = counted, .bounded = bounded, .nested = nested,
};
