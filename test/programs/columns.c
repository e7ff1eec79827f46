/* Column blocks of a matrix in row order: strided sections that interleave in every cache line.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { ROWS = 60, COLUMNS = 47 };

#pragma streamap resource 1:C inout(a[0:rows][from:count])
void scan(long rows, long from, long count, int a[rows][COLUMNS])
{
    for (long j = from; j < from + count; j++)
        for (long i = 1; i < rows; i++)
            a[i][j] += a[i - 1][j];
}

#pragma streamap resource 4:C split(j) inout(a[0:rows][j])
void scan_split(long rows, long columns, int a[rows][columns])
{
    for (long j = 0; j < columns; j++)
        for (long i = 1; i < rows; i++)
            a[i][j] ^= a[i - 1][j] >> 1;
}

#pragma streamap resource 3:C split(i) inout(a[i][0:columns])
void scan_rows(long rows, long columns, int a[rows][columns])
{
    for (long i = 0; i < rows; i++)
        for (long j = 1; j < columns; j++)
            a[i][j] -= a[i][j - 1] / 3;
}

#pragma streamap resource 4:C split(i) in(a[i*pitch+column]) out(b[i])
void take_column(long rows, long pitch, long column, const int *a, int *b)
{
    for (long i = 0; i < rows; i++)
        b[i] = a[i * pitch + column];
}

int main(void)
{
    static int a[ROWS][COLUMNS], b[3][ROWS];
    scramble_ints(ROWS * COLUMNS, a[0], 90);
    for (int k = 0; k < 3; k++) {
        for (long from = 0; from < COLUMNS; from += 10)
            scan(ROWS, from, from + 10 < COLUMNS ? 10 : COLUMNS - from, a);
        scan_rows(ROWS, COLUMNS, a);
        scan_split(ROWS, COLUMNS, a);
        take_column(ROWS, COLUMNS, 5 * k, &a[0][0], b[k]);
    }
    #pragma streamap wait
    show("a", a, sizeof a);
    show("b", b, sizeof b);
    return 0;
}
