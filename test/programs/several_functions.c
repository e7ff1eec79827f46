/* Functions launch and return without waiting; whoever needs the answer waits.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 2000 };

static int field[N], shadow[N], weights[N];

#pragma streamap resource 4:C split(i) in(x[i], w[i]) inout(y[i])
void blend(long n, const int *x, const int *w, int *y)
{
    for (long i = 0; i < n; i++)
        y[i] = y[i] / 2 + x[i] % 1000 * (w[i] & 15);
}

static void forward(void) { blend(N, field, weights, shadow); }
static void backward(void) { blend(N, shadow, weights, field); }

static void both(int times)
{
    for (int k = 0; k < times; k++) {
        forward();
        backward();
    }
}

static void look(const char *when)
{
    #pragma streamap wait
    show(when, field, sizeof field);
}

int main(void)
{
    scramble_ints(N, field, 70);
    scramble_ints(N, weights, 71);
    both(3);
    forward();
    look("first");
    field[3] = 99;
    both(2);
    look("second");
    show("shadow", shadow, sizeof shadow);
    return 0;
}
