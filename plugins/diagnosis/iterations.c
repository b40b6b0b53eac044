/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Iterations that take much longer than the others, by `efficiency` with the main loop from the survey. */
#include "rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The slowest range takes so many times as long as the median one. */
static const double much_longer = 1.5;
/* Of fewer ranges none is usual. */
enum { LEAST_RANGES = 4 };

static double each(const range_fact *r)
{
    return r->run_time / (double)r->n;
}

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median time of an iteration; 0: there are too few. */
static double usual_time(const facts *f)
{
    double *all = f->scratch;
    if (f->n_ranges < LEAST_RANGES)
        return 0;
    for (uint32_t i = 0; i < f->n_ranges; i++)
        all[i] = each(&f->ranges[i]);
    qsort(all, f->n_ranges, sizeof *all, by_time);
    return all[f->n_ranges / 2];
}

/* What keeps the range from being faster, where that is not computation. Factors may be unknown (NaN), and then what it
 * is. */
static void say_worst(const range_fact *r, char *to, size_t size)
{
    char a[WORD_BYTES];
    const struct {
        const char *name;
        double share;
    } factors[] = {{"load balance", r->load_balance}, {"serialisation", r->serialisation}, {"transfer", r->transfer}};
    size_t worst = 0;
    for (size_t i = 1; i < TCF_COUNT(factors); i++)
        worst = factors[i].share < factors[worst].share || isnan(factors[worst].share) ? i : worst;
    if (factors[worst].share < 0.8)
        say(to, size, " (%s %s)", factors[worst].name, words_share(factors[worst].share, a));
    else if (r->parallel >= 0.8)
        say(to, size, " (all processes compute for longer)");
}

void say_iterations(const facts *f, char *to, size_t size)
{
    const double usual = usual_time(f);
    const range_fact *slowest = NULL;
    double lost = 0;
    uint32_t others = 0;
    char a[WORD_BYTES], b[WORD_BYTES];
    for (uint32_t i = 0; usual > 0 && i < f->n_ranges; i++) {
        const range_fact *r = &f->ranges[i];
        if (each(r) < much_longer * usual)
            continue;
        lost += (each(r) - usual) * (double)r->n;
        others += slowest != NULL;
        slowest = slowest && each(slowest) >= each(r) ? slowest : r;
    }
    if (!slowest || 100 * lost < ((const conf *)f->self->conf)->least * f->run_time)
        return;
    if (slowest->n == 1)
        say(to, size, " Iteration %" PRIu64 " of %" PRIu64 " stands out", slowest->first, f->iterations);
    else
        say(to, size, " Iterations %" PRIu64 " to %" PRIu64 " of %" PRIu64 " stand out", slowest->first,
            slowest->first + slowest->n - 1, f->iterations);
    if (others > 0)
        say(to, size, " (and %" PRIu32 " other%s%s)", others, slowest->n > 1 ? " range" : "", others > 1 ? "s" : "");
    say(to, size, ": %s takes %s%s, %.1f times as long as the median one, parallel efficiency is %s there",
        slowest->n == 1 ? "it" : "each", words_time(each(slowest), a), slowest->n == 1 ? "" : " on average",
        each(slowest) / usual, words_share(slowest->parallel, b));
    say_worst(slowest, to, size);
    say(to, size, ".");
}
