/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Makes one unit of units that share a clock. Their times are times of one clock already, so their messages only have
 * to be put together: the tightest ones of each bucket stay, within the cap of a pair. */
#include "sharing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- measured offsets -- */

static void take_measured(struct unit *to, struct unit *from)
{
    free(to->measured);
    to->measured = from->measured;
    to->n_measured = from->n_measured;
    from->measured = NULL;
    from->n_measured = 0;
}

/* The mean of the measurements of `n` units with equally many of them. `mean` starts with those of the first unit. */
static void add_mean(struct measured *mean, const struct unit *u, uint32_t n)
{
    for (uint32_t k = 0; k < u->n_measured; k++) {
        const struct measured *m = &u->measured[k];
        mean[k].time = (uint64_t)((int64_t)mean[k].time + (int64_t)(m->time - mean[k].time) / (int64_t)n);
        mean[k].raw = tcf_offset_sum(mean[k].raw, tcf_offset_difference(m->raw, mean[k].raw) / (int64_t)n);
        mean[k].error = fmax(mean[k].error, m->error);
    }
}

/* --------------------------------------------------------------------------------------------------------- units -- */

/* Adds a unit to that of its group, which has `n` with as many measurements already. */
static void join_unit(struct unit *group, struct unit *u, int own, uint32_t *n)
{
    if (u->seen && group->seen) {
        group->base = u->base < group->base ? u->base : group->base;
        group->end = u->end > group->end ? u->end : group->end;
    } else if (u->seen) {
        group->base = u->base;
        group->end = u->end;
        group->seen = 1;
    }
    if (own) {
        take_measured(group, u);
        *n = UINT32_MAX;
    } else if (*n == UINT32_MAX || u->n_measured < group->n_measured) {
        return;
    } else if (u->n_measured > group->n_measured) {
        take_measured(group, u);
        *n = 1;
    } else if (u->n_measured > 0) {
        add_mean(group->measured, u, ++*n);
    }
}

static int join_units(struct bounds *b, const uint32_t *group_of, uint32_t n_groups, uint32_t own)
{
    struct unit *group = calloc((size_t)n_groups + 1, sizeof *group);
    uint32_t *n = calloc((size_t)n_groups + 1, sizeof *n);
    if (!group || !n) {
        free(group);
        free(n);
        return -1;
    }
    for (uint32_t u = b->n_units; u-- > 0;)
        group[group_of[u]].node = b->unit[u].node;
    for (uint32_t u = 0; u < b->n_units; u++) {
        join_unit(&group[group_of[u]], &b->unit[u], u == own && b->unit[u].n_measured > 0, &n[group_of[u]]);
        free(b->unit[u].measured);
    }
    free(n);
    free(b->unit);
    b->unit = group;
    b->n_units = n_groups;
    return 0;
}

/* --------------------------------------------------------------------------------------------------------- pairs -- */

static int is_same(const struct pair *a, const struct pair *b)
{
    return a->from == b->from && a->to == b->to && a->kind == b->kind;
}

/* The messages of both, in order of time, to the first. Without memory for them those of the second are left out. */
static void join_two(struct bounds *b, struct pair *a, struct pair *c)
{
    size_t n = (size_t)a->n + c->n;
    uint32_t *bytes;
    struct point *point = bounds_table((uint32_t)n, &bytes);
    if (point) {
        for (uint32_t k = 0, i = 0, j = 0; k < n; k++) {
            int first =
                j == c->n ||
                (i < a->n && (a->point[i].sent < c->point[j].sent ||
                              (a->point[i].sent == c->point[j].sent && a->point[i].received <= c->point[j].received)));
            point[k] = first ? a->point[i] : c->point[j];
            bytes[k] = first ? a->bytes[i++] : c->bytes[j++];
        }
        free(a->point);
        a->point = point;
        a->bytes = bytes;
        a->n = a->capacity = (uint32_t)n;
    } else {
        b->starved = 1;
    }
    free(c->point);
    a->shift = a->shift > c->shift ? a->shift : c->shift;
    a->least = (int64_t)((uint64_t)c->least - (uint64_t)a->least) < 0 ? c->least : a->least;
    a->stay = c->stay < a->stay ? c->stay : a->stay;
    a->messages += c->messages;
    bounds_narrow(b, a);
}

/* Joins `n` alike pairs to the first: halves first, so that each message is copied a few times only. */
static void join_pairs(struct bounds *b, struct pair *p, uint32_t n)
{
    if (n < 2)
        return;
    join_pairs(b, p, n / 2);
    join_pairs(b, p + n / 2, n - n / 2);
    join_two(b, p, p + n / 2);
}

static void join_all_pairs(struct bounds *b, const uint32_t *group_of)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->n_pairs; i++) {
        struct pair p = b->pair[i];
        p.from = group_of[p.from];
        p.to = group_of[p.to];
        if (p.from != p.to) {
            b->pair[kept++] = p;
            continue;
        }
        b->messages -= p.messages;
        free(p.point);
    }
    b->n_pairs = kept;
    bounds_sort(b);
    kept = 0;
    for (uint32_t i = 0, end; i < b->n_pairs; i = end) {
        for (end = i + 1; end < b->n_pairs && is_same(&b->pair[i], &b->pair[end]);)
            end++;
        join_pairs(b, b->pair + i, end - i);
        b->pair[kept++] = b->pair[i];
    }
    b->n_pairs = kept;
    bounds_sort(b);
}

/* --------------------------------------------------------------------------------------------------- collectives -- */

static void join_collectives(struct bounds *b, const uint32_t *group_of)
{
    uint32_t kept = 0;
    uint64_t ends = 0;
    for (uint32_t i = 0; i < b->n_collectives; i++) {
        struct collective s = b->collective[i];
        uint64_t first = ends;
        s.last = group_of[s.last];
        for (uint64_t k = s.first; k < s.first + s.n; k++) {
            struct collective_end e = b->end[k];
            e.unit = group_of[e.unit];
            if (e.unit != s.last)
                b->end[ends++] = e;
        }
        s.first = first;
        s.n = (uint32_t)(ends - first);
        if (s.n > 0)
            b->collective[kept++] = s;
    }
    b->n_collectives = kept;
    b->n_ends = ends;
}

int bounds_join(struct bounds *b, const uint32_t *group_of, uint32_t n_groups, uint32_t own)
{
    if (join_units(b, group_of, n_groups, own) != 0)
        return -1;
    join_all_pairs(b, group_of);
    join_collectives(b, group_of);
    return 0;
}
