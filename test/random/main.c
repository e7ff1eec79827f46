/* Plays random programs, and makes those that go wrong short.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: random_programs [--trace] [--print] [--seeds FIRST-LAST]...      without --seeds they are read from standard input
 * Exit code 0: all as the serial twins. 1: some differ. 2: usage. 3: a program hangs.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

enum { MOST_FAILURES = 3, PATIENCE = 40 /* seconds a program */, TRIES = 3 };

static int trace, print_only;
static long played, failures;
static char hang_message[80];

static void on_alarm(int number)
{
    (void)number;
    if (write(STDERR_FILENO, hang_message, strlen(hang_message)) < 0)
        _exit(4);
    _exit(3);
}

/* Whether the steps that are kept go wrong, once in a few tries. */
static int goes_wrong(const struct program *program, const char *keep)
{
    for (int k = 0; k < TRIES; k++) {
        alarm(PATIENCE);
        if (!play(program, keep))
            return 1;
    }
    return 0;
}

/* Leaves out steps, in shrinking runs, as long as the rest still goes wrong. */
static void shrink(const struct program *program, char *keep)
{
    for (int run = program->nsteps / 2; run > 0; run /= 2)
        for (int s = 0; s < program->nsteps; s += run) {
            char fewer[MOST_STEPS];
            int some = 0;
            memcpy(fewer, keep, sizeof fewer);
            for (int k = s; k < s + run && k < program->nsteps; k++) {
                some |= fewer[k];
                fewer[k] = 0;
            }
            if (some && goes_wrong(program, fewer))
                memcpy(keep, fewer, sizeof fewer);
        }
}

static void print_program(const struct program *program, const char *keep)
{
    for (int s = 0; s < program->nsteps; s++)
        if (keep[s])
            print_step(&program->steps[s]);
}

static void play_seed(unsigned long seed)
{
    static struct program program;
    char keep[MOST_STEPS];
    memset(keep, 1, sizeof keep);
    draw_program(seed, &program);
    if (print_only) {
        printf("seed %lu\n", seed);
        print_program(&program, keep);
        return;
    }
    if (trace)
        fprintf(stderr, "seed %lu\n", seed);
    snprintf(hang_message, sizeof hang_message, "seed %lu: no end after %d s\n", seed, PATIENCE);
    alarm(PATIENCE);
    played++;
    if (!play(&program, keep)) {
        failures++;
        printf("seed %lu differs from its serial twin: ", seed);
        print_difference();
        shrink(&program, keep);
        printf("its steps, as few as still differ%s:\n", goes_wrong(&program, keep) ? "" : " now and then");
        print_program(&program, keep);
    }
    alarm(0);
    if (played % 100 == 0 || failures)
        fflush(stdout);
}

static int play_seeds(const char *range)
{
    unsigned long first, last;
    int read = sscanf(range, "%lu-%lu", &first, &last);
    if (read < 1)
        return -1;
    if (read == 1)
        last = first;
    for (unsigned long seed = first; seed <= last && failures < MOST_FAILURES; seed++)
        play_seed(seed);
    return 0;
}

int main(int argc, char **argv)
{
    int given = 0, bad = 0;
    char line[64];
    signal(SIGALRM, on_alarm);
    for (int k = 1; k < argc && !bad; k++)
        if (strcmp(argv[k], "--trace") == 0)
            trace = 1;
        else if (strcmp(argv[k], "--print") == 0)
            print_only = 1;
        else if (strcmp(argv[k], "--seeds") == 0 && k + 1 < argc)
            given++, bad = play_seeds(argv[++k]);
        else
            bad = 1;
    while (!given && !bad && fgets(line, sizeof line, stdin))
        bad = play_seeds(line);
    if (bad) {
        fprintf(stderr, "usage: %s [--trace] [--print] [--seeds FIRST-LAST]...\n", argv[0]);
        return 2;
    }
    if (!print_only)
        printf("%ld random programs, %ld differ from their serial twins\n", played, failures);
    return failures ? 1 : 0;
}
