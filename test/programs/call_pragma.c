/* A pragma at the call replaces the list and clauses of its kind: in a block, and as the unbraced body of if, else and loops.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 600 };

#pragma streamap resource 2:C split(i) in(x[i]) inout(y[i])
void add(long n, const int *x, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] += x[i];
}

#pragma streamap resource 1:C inout(y[0:n])
void turn(long n, int *y)
{
    for (long i = 0; i < n / 2; i++) {
        int t = y[i];
        y[i] = y[n - 1 - i];
        y[n - 1 - i] = t;
    }
}

static long with_effect(long *calls, long value)
{
    ++*calls;
    return value;
}

int main(void)
{
    static int x[N], y[N];
    long calls = 0;
    scramble_ints(N, x, 110);
    for (int k = 0; k < 6; k++) {
        int tasks = k + 1, urgency = tasks / 2; /* the caller's own names */
        #pragma streamap resource (tasks):C priority(urgency)
        add(N, x, y);
        if (k % 2)
            #pragma streamap resource 5:C cores(1)
            add(N / 2, y, x);
        else
            #pragma streamap resource 3:C
            add(N / 2, y + N / 2, x);
        for (int j = 0; j < 2; j++)
            #pragma streamap resource 1:C
            add(with_effect(&calls, 10), x + j, y);
        turn(N - urgency, y);
    }
    /* at the call, a smaller section than the function's own */
    #pragma streamap resource 1:C inout(y[0:10])
    turn(10, y);
    while (calls < 20)
        #pragma streamap resource 2:C
        add(with_effect(&calls, 30), y, x);
    #pragma streamap wait
    show("x", x, sizeof x);
    show("y", y, sizeof y);
    printf("%ld calls\n", calls);
    return 0;
}
