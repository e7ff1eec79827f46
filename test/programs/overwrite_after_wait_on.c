/* After wait on(x) main may overwrite x at once, although tasks that read the old x have not started.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 4000 };

#pragma streamap resource 1:C inout(gate[0:1])
void hold(int ms, int *gate)
{
    take_ms(ms);
    *gate += 1;
}

#pragma streamap resource 3:C split(i) in(gate[0:1], x[i]) out(y[i])
void copy(long n, const int *gate, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] = x[i] + *gate;
}

int main(void)
{
    static int x[N], y[5][N];
    int gate = 0;
    scramble_ints(N, x, 40);
    for (int k = 0; k < 5; k++) {
        hold(30, &gate);
        copy(N, &gate, x, y[k]); /* cannot start for another 30 ms */
        #pragma streamap wait on(x[0:N])
        show("x", x, sizeof x);
        scramble_ints(N, x, 41 + k);
    }
    #pragma streamap wait
    show("y", y, sizeof y);
    show("x", x, sizeof x);
    return 0;
}
