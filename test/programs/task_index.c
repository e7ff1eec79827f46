/* Without split a task finds its part by streamap_task_index() and streamap_task_count(), in its body and in its clauses.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <streamap/streamap.h>
#include "show.h"

enum { N = 1003 };
#define FROM(n) ((n) * streamap_task_index() / streamap_task_count())
#define TO(n) ((n) * (streamap_task_index() + 1) / streamap_task_count())

#pragma streamap resource 5:C in(x[0:n]) out(y[FROM(n):TO(n)-FROM(n)])
void reverse(long n, const int *x, int *y)
{
    for (long i = FROM(n); i < TO(n); i++)
        y[i] = x[n - 1 - i];
}

#pragma streamap resource [0-2]:C [3]:C inout(x[FROM(n):TO(n)-FROM(n)])
void add(long n, int k, int *x)
{
    for (long i = FROM(n); i < TO(n); i++)
        x[i] += k;
}

int main(void)
{
    static int x[N], y[N];
    scramble_ints(N, x, 120);
    for (int k = 0; k < 5; k++) {
        reverse(N, x, y);
        add(N, k, y);
        reverse(N, y, x);
    }
    printf("%ld of %ld\n", (long)streamap_task_index(), (long)streamap_task_count());
    #pragma streamap wait
    show("x", x, sizeof x);
    return 0;
}
