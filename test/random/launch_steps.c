/* Steps that launch: how each kind draws its parameters, and the call.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parameters that are places count elements from the start of their pool.
 */
#include "program.h"

enum { MOST_TASKS = 6, LONGEST = 500 };

static long tasks(void)
{
    return 1 + random_below(MOST_TASKS);
}

#define LAUNCH(name) static void launch_##name(const struct step *s, const struct kernels *k, const struct memory *m)
#define WORDS_AT(index) (m->words + s->p[index])
#define DOUBLES_AT(index) (m->doubles + s->p[index])

static void draw_fill(struct step *s) /* tasks n k x */
{
    s->p[0] = tasks();
    s->p[1] = random_length(LONGEST);
    s->p[2] = random_below(1000000);
    s->p[3] = draw_span(s, IN_WORDS, 1, 0, s->p[1]);
}
LAUNCH(fill) { k->fill(s->p[0], s->p[1], (word)s->p[2], WORDS_AT(3)); }

static void draw_two(struct step *s) /* tasks n x y */
{
    s->p[0] = tasks();
    s->p[1] = random_length(LONGEST);
    s->p[2] = draw_span(s, IN_WORDS, 1, 0, s->p[1]);
    s->p[3] = draw_span(s, IN_WORDS, 1, 0, s->p[1]);
}
LAUNCH(mix) { k->mix(s->p[0], s->p[1], WORDS_AT(2), WORDS_AT(3)); }
LAUNCH(some) { k->some(s->p[0], s->p[1], WORDS_AT(2), WORDS_AT(3)); }

static void draw_blend(struct step *s) /* tasks n x y z */
{
    draw_two(s);
    s->p[4] = draw_span(s, IN_WORDS, 1, 0, s->p[1]);
}
LAUNCH(blend) { k->blend(s->p[0], s->p[1], WORDS_AT(2), WORDS_AT(3), WORDS_AT(4)); }

static void draw_halo(struct step *s) /* tasks n radius x y */
{
    s->p[0] = tasks();
    s->p[1] = random_length(LONGEST);
    s->p[2] = random_below(4);
    s->p[3] = draw_span(s, IN_WORDS, 1, 0, s->p[1]);
    s->p[4] = draw_span(s, IN_WORDS, 1, 0, s->p[1]);
}
LAUNCH(halo) { k->halo(s->p[0], s->p[1], s->p[2], WORDS_AT(3), WORDS_AT(4)); }

static void draw_strided(struct step *s) /* tasks first n by x */
{
    s->p[0] = tasks();
    s->p[2] = random_length(LONGEST);
    s->p[1] = random_below(5);
    s->p[3] = 1 + random_length(24);
    s->p[4] = draw_span(s, IN_WORDS, 1, 0, s->p[2]);
}
LAUNCH(strided) { k->strided(s->p[0], s->p[1], s->p[2], s->p[3], WORDS_AT(4)); }
LAUNCH(downwards) { k->downwards(s->p[0], s->p[1], s->p[2], s->p[3], WORDS_AT(4)); }

static void draw_smooth(struct step *s) /* tasks n x y */
{
    s->p[0] = tasks();
    s->p[1] = random_length(DOUBLES / 3);
    s->p[2] = draw_span(s, IN_DOUBLES, 1, 0, s->p[1]);
    s->p[3] = draw_span(s, IN_DOUBLES, 1, 0, s->p[1]);
}
LAUNCH(smooth) { k->smooth(s->p[0], s->p[1], DOUBLES_AT(2), DOUBLES_AT(3)); }

static void draw_rows(struct step *s) /* tasks rows length pitch_a pitch_b a b */
{
    s->p[0] = tasks();
    s->p[1] = random_length(20);
    s->p[3] = 1 + random_below(40);
    s->p[4] = 1 + random_below(40);
    s->p[2] = random_below((s->p[3] < s->p[4] ? s->p[3] : s->p[4]) + 3 * (random_below(8) == 0)); /* now and then rows touch or overlap */
    s->p[5] = draw_span(s, IN_WORDS, s->p[1], s->p[3], s->p[2]);
    s->p[6] = draw_span(s, IN_WORDS, s->p[1], s->p[4], s->p[2]);
}
LAUNCH(rows) { k->rows(s->p[0], s->p[1], s->p[2], s->p[3], s->p[4], WORDS_AT(5), WORDS_AT(6)); }

static void draw_pick(struct step *s) /* tasks n pitch a b */
{
    s->p[0] = tasks();
    s->p[1] = random_length(60);
    s->p[2] = 1 + random_below(WORDS / 60);
    s->p[3] = draw_span(s, IN_WORDS, s->p[1], s->p[2], 1);
    s->p[4] = draw_span(s, IN_WORDS, 1, 0, s->p[1]);
}
LAUNCH(pick) { k->pick(s->p[0], s->p[1], s->p[2], WORDS_AT(3), WORDS_AT(4)); }

static void draw_scatter(struct step *s) /* tasks n pitch a b */
{
    s->p[0] = tasks();
    s->p[1] = random_length(60);
    s->p[2] = 1 + random_below(WORDS / 60);
    s->p[3] = draw_span(s, IN_WORDS, 1, 0, s->p[1]);
    s->p[4] = draw_span(s, IN_WORDS, s->p[1], s->p[2], 1);
}
LAUNCH(scatter) { k->scatter(s->p[0], s->p[1], s->p[2], WORDS_AT(3), WORDS_AT(4)); }

static void draw_block(struct step *s) /* rows pitch column length a b; a and b are where row 0 begins, in front of the columns */
{
    s->p[0] = random_length(16);
    s->p[1] = 2 + random_below(40);
    s->p[2] = random_below(s->p[1]);
    s->p[3] = random_below(s->p[1] - s->p[2] + 1);
    s->p[4] = draw_span(s, IN_WORDS, s->p[0], s->p[1], s->p[3] + s->p[2]);
    s->p[5] = draw_span(s, IN_WORDS, s->p[0], s->p[1], s->p[3] + s->p[2]);
    for (int side = 0; side < 2; side++) { /* only the columns themselves are named */
        s->spans[side].first += s->p[2];
        s->spans[side].length -= s->p[2];
    }
}
LAUNCH(block) { k->block(s->p[0], s->p[1], s->p[2], s->p[3], WORDS_AT(4), WORDS_AT(5)); }

static void draw_tangle(struct step *s) /* n m l a b c */
{
    for (int side = 0; side < 3; side++)
        s->p[side] = random_length(LONGEST / 2);
    for (int side = 0; side < 3; side++)
        s->p[3 + side] = draw_span(s, IN_WORDS, 1, 0, s->p[side]);
}
LAUNCH(tangle) { k->tangle(s->p[0], s->p[1], s->p[2], WORDS_AT(3), WORDS_AT(4), WORDS_AT(5)); }

static void draw_ends(struct step *s) /* n a b */
{
    s->p[0] = 1 + random_length(LONGEST);
    s->p[1] = draw_span(s, IN_WORDS, 2, s->p[0] - 1, 1);
    s->p[2] = draw_span(s, IN_WORDS, 2, s->p[0] - 1, 1);
}
LAUNCH(ends) { k->ends(s->p[0], WORDS_AT(1), WORDS_AT(2)); }

static void draw_sparse(struct step *s) /* n k y */
{
    s->p[0] = random_length(LONGEST);
    s->p[1] = random_below(1000);
    s->p[2] = draw_span(s, IN_WORDS, 1, 0, s->p[0]);
}
LAUNCH(sparse) { k->sparse(s->p[0], (word)s->p[1], WORDS_AT(2)); }

/* Several tasks without split, or a reduction: what is written must not be read, that would be an error of the program. */
static void draw_apart(struct step *s, long n, long written) /* tasks n x target */
{
    s->p[0] = tasks();
    s->p[1] = n;
    do {
        s->nspans = 0;
        s->p[2] = draw_span(s, IN_WORDS, 1, 0, n);
        s->p[3] = draw_span(s, IN_WORDS, 1, 0, written);
    } while (spans_touch(&s->spans[0], &s->spans[1]));
}
static void draw_parts(struct step *s)
{
    long n = random_length(LONGEST);
    draw_apart(s, n, n);
}
static void draw_one_target(struct step *s) { draw_apart(s, random_length(LONGEST), 1); }
static void draw_bins(struct step *s) { draw_apart(s, random_length(LONGEST), BINS); }
LAUNCH(parts) { k->parts(s->p[0], s->p[1], WORDS_AT(2), WORDS_AT(3)); }
LAUNCH(sum) { k->sum(s->p[0], s->p[1], WORDS_AT(2), WORDS_AT(3)); }
LAUNCH(bins) { k->bins(s->p[0], s->p[1], WORDS_AT(2), WORDS_AT(3)); }
LAUNCH(most) { k->most(s->p[0], s->p[1], WORDS_AT(2), WORDS_AT(3)); }

static void draw_total(struct step *s) /* tasks n x target */
{
    s->p[0] = tasks();
    s->p[1] = random_length(DOUBLES / 3);
    do {
        s->nspans = 0;
        s->p[2] = draw_span(s, IN_DOUBLES, 1, 0, s->p[1]);
        s->p[3] = draw_span(s, IN_DOUBLES, 1, 0, 1);
    } while (spans_touch(&s->spans[0], &s->spans[1]));
}
LAUNCH(total) { k->total(s->p[0], s->p[1], DOUBLES_AT(2), DOUBLES_AT(3)); }

static void draw_counted(struct step *s) /* n plan x */
{
    s->p[0] = random_length(LONGEST);
    s->p[1] = draw_span(s, IN_WORDS, 1, 0, 1);
    s->p[2] = draw_span(s, IN_WORDS, 1, 0, s->p[0]);
}
LAUNCH(counted) { k->counted(s->p[0], WORDS_AT(1), WORDS_AT(2)); }

static void draw_bounded(struct step *s) /* plan x */
{
    s->p[0] = draw_span(s, IN_WORDS, 1, 0, 1);
    s->p[1] = draw_span(s, IN_WORDS, 1, 0, BOUND);
}
LAUNCH(bounded) { k->bounded(WORDS_AT(0), WORDS_AT(1)); }

static void draw_nested(struct step *s) /* n x y */
{
    s->p[0] = random_length(LONGEST);
    s->p[1] = draw_span(s, IN_WORDS, 1, 0, s->p[0]);
    s->p[2] = draw_span(s, IN_WORDS, 1, 0, s->p[0]);
}
LAUNCH(nested) { k->nested(s->p[0], WORDS_AT(1), WORDS_AT(2)); }

const struct kind launch_kinds[] = {
    {"fill", "tasks n k x", 3, draw_fill, launch_fill},
    {"mix", "tasks n x y", 4, draw_two, launch_mix},
    {"some", "tasks n x y", 3, draw_two, launch_some},
    {"blend", "tasks n x y z", 4, draw_blend, launch_blend},
    {"halo", "tasks n radius x y", 4, draw_halo, launch_halo},
    {"strided", "tasks first n by x", 4, draw_strided, launch_strided},
    {"downwards", "tasks first n by x", 3, draw_strided, launch_downwards},
    {"smooth", "tasks n x y", 4, draw_smooth, launch_smooth},
    {"rows", "tasks rows length pitch_a pitch_b a b", 4, draw_rows, launch_rows},
    {"pick", "tasks n pitch a b", 3, draw_pick, launch_pick},
    {"scatter", "tasks n pitch a b", 3, draw_scatter, launch_scatter},
    {"block", "rows pitch column length a b", 4, draw_block, launch_block},
    {"tangle", "n m l a b c", 5, draw_tangle, launch_tangle},
    {"ends", "n a b", 2, draw_ends, launch_ends},
    {"sparse", "n k y", 2, draw_sparse, launch_sparse},
    {"parts", "tasks n x y", 3, draw_parts, launch_parts},
    {"sum", "tasks n x s", 2, draw_one_target, launch_sum},
    {"bins", "tasks n x s", 2, draw_bins, launch_bins},
    {"most", "tasks n x s", 2, draw_one_target, launch_most},
    {"total", "tasks n x s", 2, draw_total, launch_total},
    {"counted", "n plan x", 2, draw_counted, launch_counted},
    {"bounded", "plan x", 2, draw_bounded, launch_bounded},
    {"nested", "n x y", 2, draw_nested, launch_nested},
};
const int launch_kind_count = sizeof launch_kinds / sizeof *launch_kinds;
