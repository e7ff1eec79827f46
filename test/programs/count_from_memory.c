/* How many tasks there are is read from memory that an earlier task writes.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <streamap/streamap.h>
#include "show.h"

enum { N = 1000 };

#pragma streamap resource 1:C out(plan[0:2])
void make_plan(int k, int *plan)
{
    take_ms(20);
    plan[0] = k % 3 + 2;
    plan[1] = k;
}

#pragma streamap resource (plan[0]):C split(i) in(plan[0:2]) inout(x[i])
void follow(long n, const int *plan, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] = x[i] * plan[1] + (int)i;
}

int main(void)
{
    int x[N], plan[2];
    scramble_ints(N, x, 14);
    for (int k = 1; k < 8; k++) {
        make_plan(k, plan);
        follow(N, plan, x);
    }
    #pragma streamap wait
    show("x", x, sizeof x);
    printf("%d %d\n", plan[0], plan[1]);
    return 0;
}
