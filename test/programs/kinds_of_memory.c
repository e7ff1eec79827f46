/* Data anywhere: stack, alloca, static, global, read-only, heap, anonymous, shared and file mappings, another thread's stack.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "show.h"

enum { N = 3000 };

int global[N];
static int local[N];
static const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static __thread int own[N];

#pragma streamap resource 3:C split(i) in(t[0:8]) inout(x[i])
void spice(long n, const int *t, int *x)
{
    for (long i = 0; i < n; i++)
        x[i] = x[i] * t[i % 8] + (int)i;
}

#pragma streamap resource 1:C in(text[0:n]) out(sum[0:1])
void add_letters(long n, const char *text, int *sum)
{
    int s = 0;
    for (long i = 0; i < n; i++)
        s += text[i];
    *sum = s;
}

static void use(const char *name, int *x)
{
    scramble_ints(N, x, 18);
    spice(N, table, x);
    spice(N / 2, table, x + 11);
    #pragma streamap wait
    show(name, x, N * sizeof *x);
}

static void *on_its_stack(void *unused)
{
    int x[N];
    use("stack of a thread", x);
    use("thread-local", own);
    return unused;
}

static int *map(int flags, int file)
{
    int *p = mmap(NULL, N * sizeof *p, PROT_READ | PROT_WRITE, flags, file, 0);
    return p == MAP_FAILED ? NULL : p;
}

int main(void)
{
    int stack[N], letters, *heap = malloc(N * sizeof *heap);
    FILE *file = tmpfile();
    if (!file || ftruncate(fileno(file), N * sizeof(int)) != 0)
        return 1;
    int *anonymous = map(MAP_PRIVATE | MAP_ANONYMOUS, -1), *shared = map(MAP_SHARED | MAP_ANONYMOUS, -1),
        *written = map(MAP_SHARED, fileno(file));
    if (!anonymous || !shared || !written)
        return 1;
    use("global", global);
    use("static", local);
    use("stack", stack);
    use("alloca", alloca(N * sizeof(int)));
    use("heap", heap);
    use("anonymous mapping", anonymous);
    use("shared mapping", shared);
    use("file mapping", written);
    pthread_t thread;
    pthread_create(&thread, NULL, on_its_stack, NULL);
    pthread_join(thread, NULL);
    add_letters(17, "a string literal!", &letters);
    #pragma streamap wait
    printf("letters %d\n", letters);
    msync(written, N * sizeof(int), MS_SYNC);
    int back[N];
    if (pread(fileno(file), back, sizeof back, 0) != (ssize_t)sizeof back)
        return 1;
    show("the file", back, sizeof back);
    munmap(anonymous, N * sizeof(int));
    munmap(shared, N * sizeof(int));
    munmap(written, N * sizeof(int));
    free(heap);
    return 0;
}
