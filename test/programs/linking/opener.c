/* Opens the library named by its argument after tasks of its own have run, and calls the task in it.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <dlfcn.h>
#include <stdio.h>

static int x[1000];

#pragma streamap resource 2:C split(i) inout(x[i])
static void add(long n, int k, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] += k;
}

int main(int argc, char **argv)
{
    unsigned sum = 0;
    add(1000, 3, x);
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) {
        printf("%s\n", argc > 1 ? dlerror() : "no library");
        return 1;
    }
    void (*scale)(long, int, int *) = (void (*)(long, int, int *))dlsym(library, "scale");
    for (int k = 0; k < 4; k++)
        scale(900, k, x + k);
    add(1000, 1, x);
    #pragma streamap wait
    for (int i = 0; i < 1000; i++)
        sum = sum * 31 + (unsigned)x[i];
    printf("%u\n", sum);
    return 0;
}
