/* A blocked wavefront: each block needs its upper and left neighbours, so a diagonal runs at once.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { B = 16, N = 8 };
typedef int block[B][B];

#pragma streamap resource 1:C in(up[0:B][0:B], left[0:B][0:B]) inout(here[0:B][0:B])
void relax(const int up[B][B], const int left[B][B], int here[B][B])
{
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++) {
            int a = i > 0 ? here[i - 1][j] : up[B - 1][j], b = j > 0 ? here[i][j - 1] : left[i][B - 1];
            here[i][j] = (a > b ? a : b) / 2 + here[i][j];
        }
}

int main(void)
{
    static block m[N][N], zero;
    scramble_ints(N * N * B * B, m[0][0][0], 200);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                relax(i > 0 ? m[i - 1][j] : zero, j > 0 ? m[i][j - 1] : zero, m[i][j]);
    #pragma streamap wait
    show("m", m, sizeof m);
    return 0;
}
