/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Medians and ranges of repetitions, and changes from the reference. */
#include "diff.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const char *const presence_names[] = {[ABSENT] = "absent", [NEW] = "new", [GONE] = "gone", [BOTH] = "both"};

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct spread spread_of(const double *values, uint32_t n)
{
    double few[16], *sorted = n > 16 ? allocate(n, sizeof *sorted) : few;
    struct spread s = {0, NAN, NAN, NAN};
    for (uint32_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            sorted[s.n++] = values[i];
    qsort(sorted, s.n, sizeof *sorted, compare_numbers);
    if (s.n > 0) {
        s.min = sorted[0];
        s.max = sorted[s.n - 1];
        s.median = s.n % 2 ? sorted[s.n / 2] : sorted[s.n / 2 - 1] / 2 + sorted[s.n / 2] / 2;
    }
    if (sorted != few)
        free(sorted);
    return s;
}

struct spread item_spread(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t item,
                          uint32_t group)
{
    const struct group *g = &c->group[group];
    if (item >= s->capacity)
        return (struct spread){0, NAN, NAN, NAN};
    return spread_of(value_at(c, s, quantity, item, g->first), g->n);
}

struct change change_between(const struct spread *reference, uint32_t n_reference, const struct spread *other,
                             uint32_t n_other)
{
    struct change change = {ABSENT, NAN, NAN, -1};
    if (reference->n > 0)
        change.presence = other->n > 0 ? BOTH : GONE;
    else if (other->n > 0)
        change.presence = NEW;
    if (change.presence != BOTH)
        return change;
    change.difference = other->median - reference->median;
    if (reference->median != 0)
        change.relative = 100 * change.difference / fabs(reference->median);
    if (n_reference > 1 && n_other > 1 && reference->n == n_reference && other->n == n_other)
        change.significant = other->min > reference->max || other->max < reference->min;
    return change;
}

/* --------------------------------------------------------------------------------------------------------- order -- */

static bool item_wanted(const struct comparison *c, const struct subject *s, uint32_t item, struct buffer *b)
{
    const struct options *o = c->options;
    bool by_region = s->kind->section == PROFILE || s->kind->section == IMBALANCE;
    if (!by_region && s->kind != &subject_kinds[WAIT_PATHS])
        return true;
    for (uint32_t i = 0; i < o->regions.n; i++) {
        const char *name = s->items.at[item].name, *slash = by_region ? NULL : strrchr(name, '/');
        if (fnmatch(o->regions.at[i], slash ? slash + 1 : name, 0) == 0 ||
            fnmatch(o->regions.at[i], by_region ? items_path(&s->items, item, b) : name, 0) == 0)
            return true;
    }
    return o->regions.n == 0;
}

struct ordered {
    double change;
    uint32_t item;
    const struct subject *subject;
};

static int compare_paths(const struct items *items, uint32_t a, uint32_t b)
{
    while (items->at[a].depth > items->at[b].depth)
        a = items->at[a].parent;
    while (items->at[b].depth > items->at[a].depth)
        b = items->at[b].parent;
    while (items->at[a].parent != items->at[b].parent) {
        a = items->at[a].parent;
        b = items->at[b].parent;
    }
    return a == b ? 0 : strcmp(items->at[a].name, items->at[b].name);
}

/* Largest change first; equal ones by name, callers before what they call. */
static int compare_ordered(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    const struct items *items = &x->subject->items;
    if (x->change != y->change)
        return x->change > y->change ? -1 : 1;
    int order = compare_paths(items, x->item, y->item);
    return order ? order
                 : (items->at[x->item].depth > items->at[y->item].depth) -
                       (items->at[x->item].depth < items->at[y->item].depth);
}

/* For the order a missing value counts as 0; the result is -1 where no run has one. */
static double largest_change(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t item)
{
    struct spread reference = item_spread(c, s, quantity, item, c->reference);
    double from = reference.n ? reference.median : 0, largest = reference.n ? 0 : -1;
    for (uint32_t g = 0; g < c->n_groups; g++) {
        struct spread other = item_spread(c, s, quantity, item, g);
        if (g == c->reference || (reference.n == 0 && other.n == 0))
            continue;
        double change = fabs((other.n ? other.median : 0) - from);
        largest = change > largest ? change : largest;
    }
    return largest;
}

uint32_t *order_items(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t *n)
{
    uint32_t items = s->items.n;
    struct ordered *ordered = allocate(items, sizeof *ordered);
    uint32_t *order = allocate(items, sizeof *order);
    struct buffer b = {0};
    *n = 0;
    for (uint32_t i = 1; i < items; i++) {
        double change = largest_change(c, s, quantity, i);
        if (change >= 0 && item_wanted(c, s, i, &b))
            ordered[(*n)++] = (struct ordered){change, i, s};
    }
    qsort(ordered, *n, sizeof *ordered, compare_ordered);
    for (uint32_t i = 0; i < *n; i++)
        order[i] = ordered[i].item;
    free(ordered);
    free(b.text);
    return order;
}
