/* Structs by value (copied at the call) and structs as elements; sections over members of one.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdbool.h>
#include "show.h"

typedef struct { double x, y; int id; } point; /* 4 bytes of padding */
struct motion { double shift[2]; struct { float by; bool turn; } scale; short from, to; };
union number { int32_t i; float f; };

enum { N = 120 };

#pragma streamap resource 3:C split(i) inout(p[i])
void move(int n, struct motion m, point *p)
{
    for (int i = 0; i < n; i++) {
        p[i].x = p[i].x * m.scale.by + m.shift[0];
        p[i].y = m.scale.turn ? -p[i].y : p[i].y + m.shift[1];
        p[i].id += m.from;
    }
}

#pragma streamap resource 1:C in(m[0:1], p[m->from:m->to-m->from]) out(out[0:1])
void centre(const struct motion *m, const point *p, point *out)
{
    point sum = {0, 0, 0};
    for (int i = m->from; i < m->to; i++) {
        sum.x += p[i].x;
        sum.y += p[i].y;
        sum.id ^= p[i].id;
    }
    out->x = sum.x;
    out->y = sum.y;
    out->id = sum.id;
}

#pragma streamap resource 1:C out(u[0:2])
void both(union number n, union number *u)
{
    u[0] = n;
    u[1].f = 1.5f;
}

int main(void)
{
    static point p[N], c;
    union number u[2];
    struct motion m = {{0.25, -3}, {1.5f, false}, 3, 90};
    for (int i = 0; i < N; i++)
        p[i] = (point){i, i * 0.5, i};
    move(N, m, p);
    m.scale.turn = true; /* the first call has its own copy */
    m.from = 7;
    move(N / 2, m, p + 20);
    centre(&m, p, &c);
    both((union number){.i = 42}, u);
    #pragma streamap wait
    for (int i = 0; i < N; i += 17)
        printf("%g %g %d\n", p[i].x, p[i].y, p[i].id);
    printf("%g %g %d, %d %g\n", c.x, c.y, c.id, u[0].i, u[1].f);
    return 0;
}
