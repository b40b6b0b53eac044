/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The verdict of --fail-above: what takes more time than in the reference, by more than the given percentage. */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

/* Runs with another number of processes divide the work differently; the section scaling is about them. */
static bool is_comparable(const struct comparison *c, uint32_t group)
{
    return group != c->reference && c->group[group].count == c->group[c->reference].count;
}

void judge_check(const struct comparison *c)
{
    uint32_t n = 0;
    for (uint32_t g = 0; g < c->n_groups; g++)
        n += is_comparable(c, g);
    if (n == 0)
        usage("--fail-above: no run has as many processes as the reference, '%s' (%.0f)", c->group[c->reference].label,
              c->group[c->reference].count);
    for (uint32_t r = 0; r < c->n_runs; r++)
        if (strcmp(c->run[r].status, "complete") != 0 || !(c->run[r].duration > 0))
            fail("--fail-above: there is no verdict, since '%s' is not complete or does not tell its duration",
                 c->run[r].path);
}

struct verdict {
    struct comparison *c;
    struct sink *sink;
    uint32_t n;
    double total; /* of the reference: what regions' growth is compared with */
};

static void tell(struct verdict *v, const char *what, uint32_t group, const char *name, const struct spread *from,
                 const struct spread *to, const struct change *change)
{
    v->n++;
    if (!v->sink)
        return;
    v->sink->row(v->sink, (struct cell[]){{.text = v->c->group[group].label},
                                          {.text = what},
                                          {.number = from->median},
                                          {.number = to->median},
                                          {.number = change->relative},
                                          {.text = name}});
}

/* Has it grown beyond the limit, and not by noise? What the reference doesn't have counts as grown beyond any limit. */
static bool is_worse(const struct verdict *v, const struct change *change)
{
    if (change->presence != BOTH)
        return change->presence == NEW;
    if (!(change->difference > 0) || change->significant == 0)
        return false;
    return isnan(change->relative) || change->relative > v->c->options->fail_above;
}

static void judge_values(struct verdict *v, const char *what, const double *values)
{
    const struct comparison *c = v->c;
    const struct group *reference = &c->group[c->reference];
    struct spread from = spread_of(values + reference->first, reference->n);
    for (uint32_t g = 0; g < c->n_groups; g++) {
        struct spread to = spread_of(values + c->group[g].first, c->group[g].n);
        struct change change = change_between(&from, reference->n, &to, c->group[g].n);
        if (is_comparable(c, g) && is_worse(v, &change))
            tell(v, what, g, "", &from, &to, &change);
    }
}

static void judge_items(struct verdict *v, enum subject_id id, uint32_t quantity)
{
    struct comparison *c = v->c;
    struct subject *s = &c->subject[id];
    struct buffer b = {0};
    uint32_t n, *order = order_items(c, s, quantity, &n);
    for (uint32_t i = 0; i < n; i++) {
        struct spread from = item_spread(c, s, quantity, order[i], c->reference);
        for (uint32_t g = 0; g < c->n_groups; g++) {
            struct spread to = item_spread(c, s, quantity, order[i], g);
            struct change change = change_between(&from, c->group[c->reference].n, &to, c->group[g].n);
            double growth = to.median - (from.n ? from.median : 0);
            if (is_comparable(c, g) && is_worse(v, &change) && growth > v->total * c->options->ignore_below / 100)
                tell(v, s->kind->of, g, items_path(&s->items, order[i], &b), &from, &to, &change);
        }
    }
    free(order);
    free(b.text);
}

/* By run: the sum of a quantity over all regions. */
static double *totals(struct comparison *c, uint32_t quantity)
{
    struct subject *s = &c->subject[REGIONS];
    double *total = allocate(c->n_runs, sizeof *total);
    for (uint32_t r = 0; r < c->n_runs; r++)
        for (uint32_t i = 1; i < s->items.n; i++)
            total[r] += or_zero(*value_at(c, s, quantity, i, r));
    return total;
}

uint32_t judge(struct comparison *c, struct sink *sink)
{
    struct verdict v = {c, sink, 0, 0};
    const struct group *reference = &c->group[c->reference];
    uint32_t quantity = c->options->metric < ALL_METRICS ? (uint32_t)c->options->metric : EXCLUSIVE;
    struct column columns[] = {{"run", NULL, "Label of the run", CELL_TEXT, 0, IN_ORDER},
                               {"what", NULL, "What has grown", CELL_TEXT, 0, IN_ORDER},
                               {"reference", NULL, "In the reference", CELL_NUMBER, 0, IN_ORDER},
                               {"value", NULL, "In the run", CELL_NUMBER, 0, IN_ORDER},
                               {"relative", "%", "Change in percent of the reference", CELL_PERCENT, 0, IN_ORDER},
                               {"name", NULL, "Of the region or call path", CELL_TEXT, 0, AT_END}};
    char *remark = format_text("than '%s', by more than %g %%", reference->label, c->options->fail_above);
    double *durations = allocate(c->n_runs, sizeof *durations);
    double *time = totals(c, quantity == VISITS ? VISITS : EXCLUSIVE);

    if (sink)
        sink_begin(sink, "slower", "Slower", remark, columns, TCF_COUNT(columns));
    for (uint32_t r = 0; r < c->n_runs; r++)
        durations[r] = c->run[r].duration;
    judge_values(&v, "duration", durations);
    judge_values(&v, quantity == VISITS ? "all visits" : "all time", time);
    v.total = spread_of(time + reference->first, reference->n).median;
    if (c->options->by != BY_CALLPATH)
        judge_items(&v, REGIONS, quantity);
    if (c->options->by != BY_REGION)
        judge_items(&v, CALLPATHS, quantity);
    if (sink)
        sink->end(sink);
    free(durations);
    free(time);
    free(remark);
    return v.n;
}
