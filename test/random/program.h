/* A random program: a list of steps, drawn from a seed, that is played on two memories at once.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdint.h>

#include "kernels.h"

enum { WORDS = 1600, DOUBLES = 500, MOST_STEPS = 64 };

/* What tasks and main work on: two pools, so that pointers into one array are the normal case. */
struct memory {
    word *words;
    double *doubles;
};

enum pool { IN_WORDS, IN_DOUBLES };

/* Elements of a pool: `rows` pieces of `length` elements, `pitch` apart. */
struct span {
    enum pool pool;
    long first, rows, pitch, length;
};

struct step;

/* What a step does. A launch has `launch`; a step of main has `main` and gets both memories. */
struct kind {
    const char *name;
    const char *parameters; /* names of step.p, one word each */
    int weight;             /* how often it is drawn */
    void (*draw)(struct step *step);
    void (*launch)(const struct step *step, const struct kernels *kernels, const struct memory *memory);
};

struct step {
    const struct kind *kind;
    long p[8];
    struct span spans[3]; /* what a launch names, or what main looks at */
    int nspans;
};

struct program {
    uint64_t seed;
    int nsteps;
    struct step steps[MOST_STEPS];
};

extern const struct kind launch_kinds[];
extern const int launch_kind_count;

/* Steps of main. Each but WAIT names a region: spans[0]. */
enum main_step { WAIT, WAIT_ON, WAIT_ON_BLOCK, POKE, DISCARD, MAIN_STEPS };
extern const struct kind main_kinds[MAIN_STEPS];

/* Random numbers of the program that is being drawn: 0 <= result < bound; and one where small values are likely. */
void random_seed(uint64_t seed);
long random_below(long bound);
long random_length(long most);

/* Adds a span of a step and returns where it was put: `rows` pieces of `length` elements, `pitch` apart, anywhere in the pool. */
long draw_span(struct step *step, enum pool pool, long rows, long pitch, long length);
/* Whether two spans' hulls have an element in common. */
int spans_touch(const struct span *a, const struct span *b);

/* Plays the steps with keep[step] set on tasks and twins, from fresh memory, and returns whether all that main saw was the same. */
int play(const struct program *program, const char *keep);
/* What the last play that differed saw first. */
void print_difference(void);

/* Draws the program of a seed. The same seed gives the same program everywhere. */
void draw_program(uint64_t seed, struct program *program);
void print_step(const struct step *step);

#endif
