/* Ends in the way its first argument says: exit, return, nothing (no task at all), or from inside a task.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, PIECES = 8 };
static int x[PIECES][N];

#pragma streamap resource 1:C inout(x[0:n])
void work(long n, int k, int *x)
{
    for (int turn = 0; turn < 50; turn++)
        for (long i = 0; i < n; i++)
            x[i] = x[i] * 3 + k;
}

/* A sanitizer that checks divisions would have its say first. */
__attribute__((no_sanitize("integer-divide-by-zero"))) static int quotient(int a, int b)
{
    return a / b;
}

#pragma streamap resource 1:C inout(x[0:n])
void fail(long n, int how, int *x)
{
    int *volatile nowhere = (int *)8;
    volatile int zero = 0;
    x[n - 1] = how;
    if (how == 's')
        *nowhere = 1;
    if (how == 'a')
        abort();
    if (how == 'e')
        exit(3);
    if (how == 'z')
        x[0] = quotient(x[0], zero);
}

static void launch_all(void)
{
    for (int k = 0; k < 20; k++)
        for (int p = 0; p < PIECES; p++)
            work(N, k, x[p]);
}

static void last(void)
{
    unsigned sum = 0;
    for (int p = 0; p < PIECES; p++)
        for (int i = 0; i < N; i++)
            sum = sum * 31 + (unsigned)x[p][i];
    printf("at exit %u\n", sum);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
    printf("began\n");
    if (strcmp(how, "nothing") == 0)
        return argc > 2 ? atoi(argv[2]) : 0;
    atexit(last);
    launch_all();
    if (strcmp(how, "return") == 0)
        return argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(how, "exit") == 0)
        exit(argc > 2 ? atoi(argv[2]) : 0);
    fail(N, how[0], x[3]); /* segfault, abort, exit-in-task or zero-division */
    launch_all();
    #pragma streamap wait
    printf("main goes on\n");
    return 0;
}
