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

static uint32_t root_of(uint32_t *parent, double *offset, uint32_t u)
{
    while (parent[u] != u) {
        uint32_t up = parent[u];
        if (parent[up] != up) {
            offset[u] += offset[up];
            parent[u] = parent[up];
        } else {
            u = up;
        }
    }
    return u;
}

struct link {
    uint32_t a, b;
    double difference, error; /* z[a] - z[b] */
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
        return (struct link){p->from, p->to, (double)p->least, (double)p->stay / short_stay};
    if (!isfinite(back))
        return (struct link){p->from, p->to, there, 1e30};
    return (struct link){p->from, p->to, (there - back) / 2, fabs(there + back)};
}

/* Rough constants, by a spanning tree of the best links; the components come along. */
static int align(struct problem *p, double *rough)
{
    struct bounds *b = p->b;
    uint32_t n = 0, anchored = NO_UNIT;
    struct link *link = malloc(((size_t)b->n_pairs + b->n_units + 1) * sizeof *link);
    uint32_t *parent = malloc(((size_t)b->n_units + 1) * sizeof *parent);
    if (!link || !parent) {
        free(link);
        free(parent);
        return -1;
    }
    for (uint32_t i = 0; i < b->n_pairs; i++)
        if (!p->bad[i])
            link[n++] = link_of(b, i);
    if (b->unit[p->settings->reference].n_measured)
        anchored = p->settings->reference;
    for (uint32_t u = 0; u < b->n_units; u++) {
        const struct unit *unit = &b->unit[u];
        parent[u] = u;
        rough[u] = 0;
        if (unit->n_measured == 0 || !unit->seen)
            continue;
        if (anchored == NO_UNIT)
            anchored = u;
        if (u != anchored)
            link[n++] = (struct link){u, anchored, unit->measured[0].offset - b->unit[anchored].measured[0].offset, 0};
    }
    qsort(link, n, sizeof *link, compare_links);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = root_of(parent, rough, link[i].a), c = root_of(parent, rough, link[i].b);
        if (a == c)
            continue;
        double za = a == link[i].a ? 0 : rough[link[i].a], zc = c == link[i].b ? 0 : rough[link[i].b];
        parent[a] = c;
        rough[a] = link[i].difference + zc - za;
    }
    for (uint32_t u = 0; u < b->n_units; u++) {
        p->component[u] = root_of(parent, rough, u);
        if (p->component[u] == u)
            rough[u] = 0;
    }
    free(link);
    free(parent);
    return 0;
}

/* Numbers the components, that of the reference first; each gets an origin, its first unit or the reference. */
static void number_components(struct problem *p, double *rough)
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
    double *shift = p->bend; /* not in use yet */
    for (uint32_t c = 0; c < p->components; c++)
        shift[c] = rough[p->origin_of[c]];
    for (uint32_t u = 0; u < n; u++)
        rough[u] -= shift[p->component[u]];
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

int connect_units(struct problem *p, double *rough)
{
    bounds_link(p->b);
    relate_measurements(p);
    if (align(p, rough) != 0)
        return -1;
    number_components(p, rough);
    return 0;
}
