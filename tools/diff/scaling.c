/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Speed-up, efficiency, and the time that regions lose on more processes. As in ScalAna, a line is fitted through
 * log(time) over log(processes) for each region; the region's loss says whether its slope matters. */
#include "diff.h"

#include <stdlib.h>

bool is_scaling(const struct comparison *c)
{
    if (c->options->scaling == NO_SCALING)
        return false;
    for (uint32_t g = 1; g < c->n_groups; g++)
        if (c->group[g].count != c->group[0].count)
            return true;
    return false;
}

/* Where several groups have the most extreme count the reference is taken, or else the first. */
uint32_t scaling_extreme(const struct comparison *c, int sign)
{
    uint32_t found = c->reference;
    for (uint32_t g = 0; g < c->n_groups; g++)
        if (sign * c->group[g].count > sign * c->group[found].count)
            found = g;
    return found;
}

/* -------------------------------------------------------------------------------------------------------- groups -- */

static double duration(const struct comparison *c, uint32_t group)
{
    const struct group *g = &c->group[group];
    double *seconds = allocate(g->n, sizeof *seconds);
    for (uint32_t i = 0; i < g->n; i++)
        seconds[i] = c->run[g->first + i].duration > 0 ? c->run[g->first + i].duration : NAN;
    double median = spread_of(seconds, g->n).median;
    free(seconds);
    return median;
}

/* How many times more processes than the base has. */
static double factor(const struct comparison *c, uint32_t group)
{
    return c->group[group].count / c->group[scaling_extreme(c, -1)].count;
}

double efficiency(const struct comparison *c, uint32_t group)
{
    double ratio = duration(c, scaling_extreme(c, -1)) / duration(c, group);
    return c->options->scaling == WEAK ? ratio : ratio / factor(c, group);
}

double speed_up(const struct comparison *c, uint32_t group)
{
    return efficiency(c, group) * factor(c, group);
}

/* -------------------------------------------------------------------------------------------------------- losses -- */

/* All time of the largest group, its repetitions' median. */
static double time_of(const struct comparison *c, uint32_t group)
{
    const struct group *g = &c->group[group];
    double *time = allocate(g->n, sizeof *time);
    for (uint32_t i = 0; i < g->n; i++)
        time[i] = c->run[g->first + i].time;
    double median = spread_of(time, g->n).median;
    free(time);
    return median;
}

/* Do the group's profiles have all their rows, so that a missing one took no time? */
static bool is_whole(const struct comparison *c, const struct subject *s, uint32_t group)
{
    const struct group *g = &c->group[group];
    for (uint32_t r = g->first; r < g->first + g->n; r++)
        if (!c->run[r].whole_profile || !s->there[r])
            return false;
    return true;
}

/* The group's time in an item; nothing where a whole profile has no such item. */
static double time_in(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t item, uint32_t group)
{
    struct spread spread = item_spread(c, s, quantity, item, group);
    if (spread.n > 0)
        return spread.median;
    return is_whole(c, s, group) ? 0 : NAN;
}

static int compare_losses(const void *a, const void *b)
{
    const struct loss *x = a, *y = b;
    double p = isnan(x->loss) ? -INFINITY : x->loss, q = isnan(y->loss) ? -INFINITY : y->loss;
    if (p != q)
        return p > q ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

struct loss *scaling_losses(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t *n)
{
    uint32_t base = scaling_extreme(c, -1), top = scaling_extreme(c, 1);
    bool weak = c->options->scaling == WEAK;
    double ideal = weak ? 0 : -1, growth = weak ? factor(c, top) : 1, whole = time_of(c, top);
    double *count = allocate(c->n_runs, sizeof *count);
    double *mean = allocate(c->n_runs, sizeof *mean);
    uint32_t *order = order_items(c, s, quantity, n);
    struct loss *losses = allocate(*n, sizeof *losses);
    for (uint32_t r = 0; r < c->n_runs; r++)
        count[r] = c->group[c->run[r].group].count;
    for (uint32_t i = 0; i < *n; i++) {
        struct loss *l = &losses[i];
        l->item = order[i];
        const double *value = value_at(c, s, quantity, l->item, 0);
        for (uint32_t r = 0; r < c->n_runs; r++)
            mean[r] = value[r] / count[r];
        l->fit = power_law_fit(count, mean, c->n_runs);
        l->loss = time_in(c, s, quantity, l->item, top) - growth * time_in(c, s, quantity, l->item, base);
        l->share = whole > 0 ? 100 * l->loss / whole : NAN;
        l->non_scalable = l->fit.exponent >= ideal + 0.5 && l->share >= 1 /* percent */;
    }
    qsort(losses, *n, sizeof *losses, compare_losses);
    free(order);
    free(count);
    free(mean);
    return losses;
}
