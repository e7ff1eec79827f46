/* Playing a random program: each launch goes to the tasks and to their serial twins, each write of main to both memories.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Main keeps to the rules of ownership: it looks at and writes only what no launch has named since the last wait that covered it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static struct memory tasks, twins;
static unsigned char *out[2]; /* a mark an element, a pool: it is with the runtime */
static const long sizes[2] = {WORDS, DOUBLES};

static struct {
    int step; /* -1: the last wait */
    enum pool pool;
    long element;
    double expected, got;
} difference;

/* ---- Regions ---- */

static void mark(const struct span *s, unsigned char value)
{
    for (long r = 0; r < s->rows; r++)
        memset(out[s->pool] + s->first + r * s->pitch, value, s->length);
}

static int is_out(const struct span *s)
{
    for (long r = 0; r < s->rows; r++)
        if (s->length > 0 && memchr(out[s->pool] + s->first + r * s->pitch, 1, s->length))
            return 1;
    return 0;
}

static int same(const struct span *s, int step)
{
    for (long r = 0; r < s->rows; r++)
        for (long i = s->first + r * s->pitch; i < s->first + r * s->pitch + s->length; i++) {
            double expected = s->pool == IN_WORDS ? twins.words[i] : twins.doubles[i];
            double got = s->pool == IN_WORDS ? tasks.words[i] : tasks.doubles[i];
            if (expected != got) {
                difference.step = step;
                difference.pool = s->pool;
                difference.element = i;
                difference.expected = expected;
                difference.got = got;
                return 0;
            }
        }
    return 1;
}

static void write_both(const struct span *s, word k)
{
    for (long r = 0; r < s->rows; r++)
        for (long i = s->first + r * s->pitch; i < s->first + r * s->pitch + s->length; i++) {
            word value = k * 40503u + (word)i * 2246822519u;
            if (s->pool == IN_WORDS)
                tasks.words[i] = twins.words[i] = value;
            else
                tasks.doubles[i] = twins.doubles[i] = value % 5000;
        }
}

/* ---- What main does ---- */

static void draw_nothing(struct step *s) { (void)s; }

static void draw_region(struct step *s) /* pool first length k */
{
    s->p[0] = random_below(5) == 0 ? IN_DOUBLES : IN_WORDS;
    s->p[2] = random_length(sizes[s->p[0]] / 4);
    s->p[1] = draw_span(s, (enum pool)s->p[0], 1, 0, s->p[2]);
    s->p[3] = random_below(100000);
}

static void draw_block_region(struct step *s) /* first rows pitch length k */
{
    s->p[1] = random_length(20);
    s->p[2] = 1 + random_below(40);
    s->p[3] = random_below(s->p[2] + 1);
    s->p[0] = draw_span(s, IN_WORDS, s->p[1], s->p[2], s->p[3]);
    s->p[4] = random_below(100000);
}

const struct kind main_kinds[MAIN_STEPS] = {
    [WAIT] = {"wait", "", 0, draw_nothing, NULL},
    [WAIT_ON] = {"wait on, compare, write", "pool first length k", 0, draw_region, NULL},
    [WAIT_ON_BLOCK] = {"wait on a block, compare, write", "first rows pitch length k", 0, draw_block_region, NULL},
    [POKE] = {"write what is not out", "pool first length k", 0, draw_region, NULL},
    [DISCARD] = {"discard and write", "pool first length k", 0, draw_region, NULL},
};

static int everything_same(int step)
{
    struct span words = {IN_WORDS, 0, 1, 0, WORDS}, doubles = {IN_DOUBLES, 0, 1, 0, DOUBLES};
    return same(&words, step) && same(&doubles, step);
}

static int wait_on_span(const struct span *s, long k, int step)
{
    if (s->pool == IN_DOUBLES) {
        double *x = tasks.doubles + s->first;
        #pragma streamap wait on(x[0:s->length])
        (void)x;
    } else if (s->rows == 1) {
        word *x = tasks.words;
        #pragma streamap wait on(x[s->first:s->length])
        (void)x;
    } else {
        word (*x)[s->pitch] = (void *)(tasks.words + s->first);
        #pragma streamap wait on(x[0:s->rows][0:s->length])
        (void)x;
    }
    mark(s, 0);
    if (!same(s, step))
        return 0;
    if (k % 3 != 0) /* at once, whoever still has to read the old contents */
        write_both(s, (word)k);
    return 1;
}

/* Returns 0 when main sees a difference. */
static int play_main(const struct step *step, int number)
{
    const struct span *s = &step->spans[0];
    switch ((enum main_step)(step->kind - main_kinds)) {
    case WAIT: {
        #pragma streamap wait
        memset(out[IN_WORDS], 0, WORDS);
        memset(out[IN_DOUBLES], 0, DOUBLES);
        return everything_same(number);
    }
    case WAIT_ON: return wait_on_span(s, step->p[3], number);
    case WAIT_ON_BLOCK: return wait_on_span(s, step->p[4], number);
    case POKE:
        if (!is_out(s))
            write_both(s, (word)step->p[3]);
        return 1;
    case DISCARD: {
        if (s->pool == IN_WORDS) {
            word *x = tasks.words + s->first;
            #pragma streamap discard(x[0:s->length])
            (void)x;
        } else {
            double *x = tasks.doubles;
            #pragma streamap discard(x[s->first:s->length])
            (void)x;
        }
        mark(s, 0);
        write_both(s, (word)step->p[3]);
        return 1;
    }
    case MAIN_STEPS: break;
    }
    abort();
}

/* ---- A whole program ---- */

static void fresh_memory(uint64_t seed)
{
    if (!tasks.words)
        for (struct memory *m = &tasks; m; m = m == &tasks ? &twins : NULL) {
            m->words = malloc((WORDS + 1) * sizeof *m->words);
            m->doubles = malloc(DOUBLES * sizeof *m->doubles);
            out[m == &twins] = malloc(m == &twins ? DOUBLES : WORDS);
        }
    for (int pool = 0; pool < 2; pool++) {
        struct span all = {(enum pool)pool, 0, 1, 0, sizes[pool]};
        write_both(&all, (word)seed);
        memset(out[pool], 0, sizes[pool]);
    }
}

int play(const struct program *program, const char *keep)
{
    int fine = 1;
    fresh_memory(program->seed);
    for (int s = 0; fine && s < program->nsteps; s++) {
        const struct step *step = &program->steps[s];
        if (!keep[s])
            continue;
        if (!step->kind->launch) {
            fine = play_main(step, s);
            continue;
        }
        for (int k = 0; k < step->nspans; k++)
            mark(&step->spans[k], 1);
        step->kind->launch(step, &task_kernels, &tasks);
        step->kind->launch(step, &serial_kernels, &twins);
    }
    #pragma streamap wait
    return fine && everything_same(-1);
}

void print_difference(void)
{
    if (difference.step < 0)
        printf("at the last wait ");
    else
        printf("at step %d ", difference.step);
    printf("%s[%ld] is %.0f, not %.0f\n", difference.pool == IN_WORDS ? "words" : "doubles", difference.element, difference.got,
           difference.expected);
}
