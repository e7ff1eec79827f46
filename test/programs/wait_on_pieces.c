/* wait on gives back exactly its list: pieces of arrays, members, several at once, while the rest is still out.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "show.h"

enum { N = 1000 };
struct state { int count; int values[16]; };

#pragma streamap resource 4:C split(i) inout(x[i])
void bump(long n, int by, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] += by;
}

#pragma streamap resource 1:C inout(s[0:1])
void age(struct state *s)
{
    s->count++;
    for (int i = 0; i < 16; i++)
        s->values[i] += s->count * i;
}

int main(void)
{
    static int x[N], y[N];
    struct state s = {0, {1, 2, 3}};
    int one = 5;
    scramble_ints(N, x, 50);
    scramble_ints(N, y, 51);
    for (int k = 0; k < 8; k++) {
        bump(N, k, x);
        bump(N, -k, y);
        bump(1, k, &one);
        age(&s);
        #pragma streamap wait on(x[100 * k : 50], one)
        printf("%d %d %d\n", x[100 * k], x[100 * k + 49], one);
        x[100 * k + 7] = k;
        one *= 2;
        if (k % 2) {
            #pragma streamap wait on(s.count, s.values[3:2])
            printf("%d %d %d\n", s.count, s.values[3], s.values[4]);
            s.values[4] = 0;
        }
    }
    #pragma streamap wait on(y)
    show("y", y, sizeof y);
    #pragma streamap wait
    show("x", x, sizeof x);
    show("s", &s, sizeof s);
    return 0;
}
