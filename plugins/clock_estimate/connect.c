/* What is connected with what, and how far the clocks are apart roughly: a spanning tree of the pairs with the narrowest
 * bounds, the components that it makes, and what the measured offsets say.
 */
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A stay of less than this part of what two ways take in all tells more than those do. */
static const double short_stay = 0.05;

/* ------------------------------------------------------------------------------------------------ rough offsets -- */

static uint32_t root_of(uint32_t *parent, uint32_t u)
{
    while (parent[u] != u)
        u = parent[u] = parent[parent[u]];
    return u;
}

struct link {
    uint32_t a, b;
    double difference, error; /* z[a] - z[b] */
    uint8_t both_ways;        /* that is known from messages there and back */
};

static int compare_links(const void *a, const void *b)
{
    const struct link *x = a, *y = b;
    if (x->error != y->error)
        return x->error < y->error ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* The least delay of all kinds; INFINITY: there is none. */
static double least_delay(const struct bounds *b, uint32_t from, uint32_t to)
{
    double least = INFINITY;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        uint32_t i = bounds_find(b, from, to, (enum kind)kind);
        least = i == NO_PAIR ? least : fmin(least, (double)b->pair[i].least);
    }
    return least;
}

/* Where both ways are loose nobody can know more than that the clocks are between them. But in an operation in which all wait for
 * all, what those take that wait for the last one is short, as its own stay shows: it may be the last one always. */
static struct link link_of(const struct bounds *b, uint32_t i)
{
    const struct pair *p = &b->pair[i];
    double there = least_delay(b, p->from, p->to), back = least_delay(b, p->to, p->from);
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
            link[(*n)++] = (struct link){u, anchored, unit->measured[0].offset - b->unit[anchored].measured[0].offset, 0, 0};
    }
    qsort(link, *n, sizeof *link, compare_links);
    return link;
}

/* Keeps those links that make a spanning tree; the components come along. -1: out of memory. */
static int keep_tree(struct problem *p, struct link *link, uint32_t *n)
{
    uint32_t kept = 0;
    uint32_t *parent = malloc(((size_t)p->b->n_units + 1) * sizeof *parent);
    if (!parent)
        return -1;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        parent[u] = u;
    for (uint32_t i = 0; i < *n; i++) {
        uint32_t a = root_of(parent, link[i].a), c = root_of(parent, link[i].b);
        if (a == c)
            continue;
        parent[a] = c;
        link[kept++] = link[i];
    }
    for (uint32_t u = 0; u < p->b->n_units; u++)
        p->component[u] = root_of(parent, u);
    *n = kept;
    free(parent);
    return 0;
}

/* Numbers the components, that of the reference first; each gets an origin, its first unit or the reference. */
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

/* From one end of a link to the other, along the line between their clocks if messages tell one. When a clock with offset o and rate r
 * shows t, what one is ahead of the other by is the difference of o + r t at times that differ by just that. */
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

/* From the origins along the tree. -1: out of memory. */
static int walk_tree(const struct problem *p, const struct link *link, uint32_t n, struct rough *rough)
{
    uint32_t units = p->b->n_units, reached = 0, *of = malloc((2 * (size_t)n + 1) * sizeof *of); /* links, by unit */
    uint32_t *first = calloc((size_t)units + 2, sizeof *first), *queue = malloc(((size_t)units + 1) * sizeof *queue);
    uint8_t *known = calloc((size_t)units + 1, 1);
    int status = of && first && queue && known ? 0 : -1;
    for (uint32_t i = 0; i < n && status == 0; i++) {
        first[link[i].a]++;
        first[link[i].b]++;
    }
    for (uint32_t u = 1; u <= units && status == 0; u++)
        first[u] += first[u - 1]; /* its end, as yet */
    for (uint32_t i = n; i-- > 0 && status == 0;) {
        of[--first[link[i].a]] = i;
        of[--first[link[i].b]] = i;
    }
    for (uint32_t c = 0; c < p->components && status == 0; c++) {
        rough[p->origin_of[c]] = (struct rough){0};
        known[queue[reached++] = p->origin_of[c]] = 1;
    }
    for (uint32_t i = 0; i < reached && status == 0; i++)
        for (uint32_t k = first[queue[i]]; k < first[queue[i] + 1]; k++) {
            const struct link *l = &link[of[k]];
            uint32_t other = l->a == queue[i] ? l->b : l->a;
            if (known[other])
                continue;
            follow(p->b, l, queue[i], rough);
            known[queue[reached++] = other] = 1;
        }
    free(of);
    free(first);
    free(queue);
    free(known);
    return status;
}

/* ------------------------------------------------------------------------------------------------ measurements -- */

/* Offsets of measurements relative to the reference's own, on the clocks' bases. */
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
                while (i + 2 < ref->n_measured && (__int128)ref->measured[i + 1].time + ref->measured[i + 1].raw < global)
                    i++;
                const struct measured *x = &ref->measured[i], *y = &ref->measured[i + (ref->n_measured > 1)];
                double span = (double)(y->time - x->time);
                mine = (double)x->raw;
                if (span > 0)
                    mine += (double)(y->raw - x->raw) * (double)(global - x->raw - x->time) / span;
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
