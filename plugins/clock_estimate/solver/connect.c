/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Connects the units by a spanning tree of the pairs with the narrowest bounds. The tree makes the components and the
 * first, rough corrections. */
#include "problem.h"

#include <tcflow/order.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A stay which is shorter than this part of a round trip is the tighter bound. */
static const double short_stay = 0.05;

/* ------------------------------------------------------------------------------------------------- rough offsets -- */

struct link {
    uint32_t a, b;
    double difference, error; /* z[a] - z[b] */
    uint8_t both_ways;        /* from messages of both directions */
};

static int compare_links(const void *a, const void *b)
{
    const struct link *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->error, y->error), TCF_ORDER(x->a, y->a), TCF_ORDER(x->b, y->b));
}

/* The least delay of all kinds between the units of a pair, which stand side by side; INFINITY: there is none. */
static double least_delay(const struct bounds *b, uint32_t any)
{
    double least = INFINITY;
    uint32_t i = any, from = any < b->n_pairs ? b->pair[any].from : 0, to = any < b->n_pairs ? b->pair[any].to : 0;
    while (i > 0 && i < b->n_pairs && b->pair[i - 1].from == from && b->pair[i - 1].to == to)
        i--;
    for (; i < b->n_pairs && b->pair[i].from == from && b->pair[i].to == to; i++)
        least = fmin(least, (double)b->pair[i].least);
    return least;
}

/* A pair of the other direction, of any kind; NO_PAIR: there is none. */
static uint32_t any_reverse(const struct bounds *b, uint32_t i)
{
    uint32_t found = b->pair[i].reverse;
    for (uint32_t kind = 0; kind < KINDS && found == NO_PAIR; kind++)
        found = bounds_find(b, b->pair[i].to, b->pair[i].from, (enum kind)kind);
    return found;
}

/* The clocks are in the middle between the bounds of both directions. But in an operation in which all wait for all,
 * the message from the last member takes about as long as that member's own stay. If the stay is short, this bound is
 * tight, and the other direction may be loose: the same member may always be last. */
static struct link link_of(const struct bounds *b, uint32_t i)
{
    const struct pair *p = &b->pair[i];
    double there = least_delay(b, i), back = least_delay(b, any_reverse(b, i));
    if (p->kind == COLLECTIVE && (double)p->stay < short_stay * (there + back))
        return (struct link){p->from, p->to, (double)p->least, (double)p->stay / short_stay, 0};
    if (!isfinite(back))
        return (struct link){p->from, p->to, there, 1e30, 0};
    return (struct link){p->from, p->to, (there - back) / 2, fabs(there + back), 1};
}

/* All links, the best ones first. NULL: out of memory. */
static struct link *find_links(const struct problem *p, uint32_t *n)
{
    const struct bounds *b = p->b;
    uint32_t anchored = b->unit[p->settings->reference].n_measured ? p->settings->reference : NO_UNIT;
    struct link *link = malloc(((size_t)b->n_pairs + b->n_units + 1) * sizeof *link);
    *n = 0;
    if (!link)
        return NULL;
    for (uint32_t i = 0; i < b->n_pairs; i++)
        if (!p->bad[i])
            link[(*n)++] = link_of(b, i);
    for (uint32_t u = 0; u < b->n_units; u++) {
        const struct unit *unit = &b->unit[u];
        if (unit->n_measured == 0 || !unit->seen)
            continue;
        if (anchored == NO_UNIT)
            anchored = u;
        if (u != anchored)
            link[(*n)++] =
                (struct link){u, anchored, unit->measured[0].offset - b->unit[anchored].measured[0].offset, 0, 0};
    }
    qsort(link, *n, sizeof *link, compare_links);
    return link;
}

/* Keeps the links of a spanning tree; its parts are the components. -1: out of memory. */
static int keep_tree(struct problem *p, struct link *link, uint32_t *n)
{
    uint32_t kept = 0;
    uint32_t *parent = malloc(((size_t)p->b->n_units + 1) * sizeof *parent);
    if (!parent)
        return -1;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        parent[u] = u;
    for (uint32_t i = 0; i < *n; i++) {
        uint32_t a = set_of(parent, link[i].a), c = set_of(parent, link[i].b);
        if (a == c)
            continue;
        parent[a] = c;
        link[kept++] = link[i];
    }
    for (uint32_t u = 0; u < p->b->n_units; u++)
        p->component[u] = set_of(parent, u);
    *n = kept;
    free(parent);
    return 0;
}

/* Numbers the components, that of the reference first. The origin of each is its first unit, or the reference. */
static void number_components(struct problem *p)
{
    uint32_t n = p->b->n_units;
    uint32_t *number = p->origin_of;
    for (uint32_t u = 0; u < n; u++)
        number[u] = NO_UNIT;
    number[p->component[p->settings->reference]] = 0;
    p->components = 1;
    for (uint32_t u = 0; u < n; u++) {
        if (number[p->component[u]] == NO_UNIT)
            number[p->component[u]] = p->components++;
        p->component[u] = number[p->component[u]];
    }
    for (uint32_t u = 0; u < n; u++)
        p->origin_of[u] = NO_UNIT;
    p->origin_of[0] = p->settings->reference;
    for (uint32_t u = 0; u < n; u++)
        if (p->origin_of[p->component[u]] == NO_UNIT)
            p->origin_of[p->component[u]] = u;
}

/* Computes the correction of one end of a link from that of the other, along the line between their clocks if messages
 * show one. */
static void follow(const struct bounds *b, const struct link *l, uint32_t known, struct rough *rough)
{
    double constant = -l->difference, slope = 0; /* of b less a, on the clock of a */
    if (l->both_ways)
        line_between(b, l->a, l->b, &constant, &slope);
    if (known == l->a) {
        double rate = (rough[l->a].rate + slope) / (1 - slope);
        rough[l->b] = (struct rough){rough[l->a].offset + constant * (1 + rate), rate};
    } else {
        double of_b = 1 + rough[l->b].rate;
        rough[l->a] = (struct rough){rough[l->b].offset - constant * of_b, rough[l->b].rate - slope * of_b};
    }
}

/* From the origins along a tree of n links; -1: out of memory. Link i has the ends 2 i, at its `a`, and 2 i + 1. */
static int walk_tree(const struct problem *p, const struct link *link, uint32_t n, struct rough *rough)
{
    enum { NO_END = UINT32_MAX, NO_LINK = UINT32_MAX };
    size_t units = p->b->n_units;
    uint32_t reached = 0,
             *first = malloc((3 * units + 2 * (size_t)n + 1) * sizeof *first); /* by unit: one of its ends */
    if (!first)
        return -1;
    uint32_t *came_by = first + units,
             *queue = came_by + units; /* by unit: a link; units in the order in which they are reached */
    uint32_t *next = queue + units;    /* by end: another one of the same unit */
    for (uint32_t u = 0; u < units; u++)
        first[u] = NO_END;
    for (uint32_t i = 0; i < 2 * n; i++) {
        uint32_t unit = i % 2 ? link[i / 2].b : link[i / 2].a;
        next[i] = first[unit];
        first[unit] = i;
    }
    for (uint32_t c = 0; c < p->components; c++) {
        rough[p->origin_of[c]] = (struct rough){0};
        came_by[p->origin_of[c]] = NO_LINK;
        queue[reached++] = p->origin_of[c];
    }
    for (uint32_t i = 0; i < reached; i++)
        for (uint32_t end = first[queue[i]]; end != NO_END; end = next[end]) {
            uint32_t other = end % 2 ? link[end / 2].a : link[end / 2].b;
            if (end / 2 == came_by[queue[i]])
                continue;
            follow(p->b, &link[end / 2], queue[i], rough);
            came_by[other] = end / 2;
            queue[reached++] = other;
        }
    free(first);
    return 0;
}

/* -------------------------------------------------------------------------------------------------- measurements -- */

/* Makes measured offsets relative to those of the reference, and to the clocks' bases. */
static void relate_measurements(struct problem *p)
{
    struct bounds *b = p->b;
    const struct unit *ref = &b->unit[p->settings->reference];
    for (uint32_t u = 0; u < b->n_units; u++)
        for (uint32_t k = 0; k < b->unit[u].n_measured; k++) {
            struct measured *m = &b->unit[u].measured[k];
            __int128 global = (__int128)m->time + m->raw;
            double mine = 0;
            if (ref->n_measured > 0) {
                uint32_t i = 0;
                while (i + 2 < ref->n_measured &&
                       (__int128)ref->measured[i + 1].time + ref->measured[i + 1].raw < global)
                    i++;
                const struct measured *x = &ref->measured[i], *y = &ref->measured[i + (ref->n_measured > 1)];
                double span = (double)(y->time - x->time);
                mine = (double)x->raw;
                if (span > 0)
                    mine += (double)((__int128)y->raw - x->raw) * (double)(global - x->raw - x->time) / span;
            }
            __int128 bases = (__int128)b->unit[u].base - ref->base;
            m->offset = (double)(m->raw + bases) - mine;
            if (!(m->error > p->settings->measured_error))
                m->error = p->settings->measured_error;
        }
}

int connect_units(struct problem *p, struct rough *rough)
{
    uint32_t n;
    bounds_link(p->b);
    collectives_link(p->b);
    for (uint32_t i = 0; i < p->b->n_pairs; i++)
        p->class_of_pair[i] = (uint8_t)(2 * p->b->pair[i].kind + p->b->pair[i].in_node);
    relate_measurements(p);
    struct link *link = find_links(p, &n);
    int status = link ? keep_tree(p, link, &n) : -1;
    if (status == 0) {
        number_components(p);
        status = walk_tree(p, link, n, rough);
    }
    free(link);
    return status;
}
