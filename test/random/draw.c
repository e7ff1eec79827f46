/* Drawing random programs.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static uint64_t state;

void random_seed(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
}

static uint64_t random_bits(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

long random_below(long bound)
{
    return (long)(random_bits() % (uint64_t)bound);
}

long random_length(long most)
{
    switch (random_below(8)) {
    case 0: return random_below(4); /* nothing and next to nothing */
    case 1: return most > 0 ? 1 + random_below(most) : 0;
    default: return random_below(most / 8 + 2);
    }
}

long draw_span(struct step *step, enum pool pool, long rows, long pitch, long length)
{
    long size = pool == IN_WORDS ? WORDS : DOUBLES;
    long reach = rows > 0 ? (rows - 1) * pitch + length : 0;
    if (reach > size) {
        fprintf(stderr, "a span of %ld rows with pitch %ld does not fit into %ld elements\n", rows, pitch, size);
        abort();
    }
    long first = random_below(size - reach + 1);
    if (step->nspans > 0 && random_below(4) == 0 && step->spans[step->nspans - 1].pool == pool) {
        long near = step->spans[step->nspans - 1].first + random_below(7) - 3; /* overlaps and neighbours are what is wanted */
        if (near >= 0 && near + reach <= size)
            first = near;
    }
    step->spans[step->nspans++] = (struct span){pool, first, rows, pitch, length};
    return first;
}

int spans_touch(const struct span *a, const struct span *b)
{
    if (a->pool != b->pool || a->rows <= 0 || b->rows <= 0 || a->length <= 0 || b->length <= 0)
        return 0;
    long end_a = a->first + (a->rows - 1) * a->pitch + a->length, end_b = b->first + (b->rows - 1) * b->pitch + b->length;
    return a->first < end_b && b->first < end_a;
}

static const struct kind *draw_launch_kind(void)
{
    int total = 0;
    for (int k = 0; k < launch_kind_count; k++)
        total += launch_kinds[k].weight;
    long ticket = random_below(total);
    for (int k = 0;; k++)
        if ((ticket -= launch_kinds[k].weight) < 0)
            return &launch_kinds[k];
}

static const struct kind *draw_main_kind(void)
{
    static const enum main_step often[] = {WAIT, WAIT_ON, WAIT_ON, WAIT_ON_BLOCK, POKE, POKE, POKE, DISCARD};
    return &main_kinds[often[random_below(sizeof often / sizeof *often)]];
}

void draw_program(uint64_t seed, struct program *program)
{
    memset(program, 0, sizeof *program);
    random_seed(seed);
    program->seed = seed;
    program->nsteps = 4 + (int)random_below(MOST_STEPS - 4);
    long main_share = random_below(40); /* percent: some programs only launch */
    for (int s = 0; s < program->nsteps; s++) {
        struct step *step = &program->steps[s];
        step->kind = random_below(100) < main_share ? draw_main_kind() : draw_launch_kind();
        step->kind->draw(step);
    }
}

void print_step(const struct step *step)
{
    printf("  %s", step->kind->name);
    const char *name = step->kind->parameters;
    for (int k = 0; *name; k++) {
        int length = (int)strcspn(name, " ");
        printf("%s%.*s=%ld", k ? ", " : " ", length, name, step->p[k]);
        name += length + (name[length] == ' ');
    }
    printf("\n");
}
