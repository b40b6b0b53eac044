/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Makes the equations of the least squares: from rows, from the priors of delays, rates and bends, and from measured
 * offsets; and the bands that precondition them. */
#include "equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rates of clocks hardly exceed this. */
static const double any_rate = 0.01;
/* How far clocks may leave the line through their measurements, in multiples of the misfit of lines. */
static const double freedom = 2;
enum { PLACES = 16 /* at which that is an equation */ };

/* Groups are called in order of their numbers, so the first of a pair's two directions has its lever already. */
static struct lever find_lever(const struct network *w, uint32_t group)
{
    const struct problem *p = w->p;
    uint32_t number = w->group[group].number, is_pair = number < p->b->n_pairs;
    uint32_t class_ = is_pair ? class_of(p, number) : COLLECTIVES;
    if (!is_pair || p->of_pair[number].floats)
        return (struct lever){w->delays + group, 1, w->special_weight[class_], w->classes + class_};
    uint32_t reverse = p->b->pair[number].reverse;
    if (reverse == NO_PAIR || !(w->uneven_weight[class_] > 0))
        return (struct lever){.at = w->delays + group};
    uint32_t other = w->group_of[reverse];
    if (other < group)
        return (struct lever){w->delays + other, -1, w->uneven_weight[class_] / 2, 0};
    return (struct lever){w->delays + group, 1, w->uneven_weight[class_] / 2, 0};
}

static uint32_t group_number(const struct problem *p, const struct row *r)
{
    return r->pair == NO_PAIR ? p->b->n_pairs + r->point : r->pair;
}

static void add_equation(struct network *w, const struct row *r)
{
    const struct problem *p = w->p;
    uint32_t number = group_number(p, r);
    struct group *g = w->n_groups > 0 ? &w->group[w->n_groups - 1] : NULL;
    if (!g || g->number != number) {
        g = &w->group[w->n_groups++];
        *g = (struct group){.number = number, .first = w->n_equations};
        if (number < p->b->n_pairs)
            w->group_of[number] = w->n_groups - 1;
    }
    w->want[w->n_equations] = r->want;
    w->equation[w->n_equations++] =
        (struct equation){r->from_unit * w->knots + r->from.at, r->to_unit * w->knots + r->to.at, r->from.part,
                          r->to.part, r->weight};
    g->end = w->n_equations;
}

static void add_equations(struct network *w)
{
    const struct problem *p = w->p;
    memset(w->group_of, 0xff, p->b->n_pairs * sizeof *w->group_of);
    for (uint32_t k = 0; k < p->n_rows; k++)
        if (p->row[k].weight > 0)
            add_equation(w, &p->row[k]);
}

/* Puts the equations of collectives in the order of clocks. -1: out of memory. */
static int arrange_endings(struct network *w)
{
    const uint32_t units = w->p->b->n_units;
    while (w->n_collectives < w->n_groups && w->group[w->n_groups - 1 - w->n_collectives].number >= w->p->b->n_pairs)
        w->n_collectives++;
    const struct group *first = w->group + w->n_groups - w->n_collectives;
    if (w->n_collectives > 0)
        w->n_endings = w->n_equations - first->first;
    uint32_t *next = calloc((size_t)units + 1, sizeof *next); /* by clock: where its next one goes */
    w->ending = malloc(((size_t)w->n_endings + 1) * sizeof *w->ending);
    w->sent = malloc(((size_t)w->n_collectives + 1) * sizeof *w->sent);
    w->sum = malloc(((size_t)w->n_groups + 1) * sizeof *w->sum);
    w->sum_of_block = malloc(((size_t)w->n_collectives * BLOCKS + 1) * sizeof *w->sum_of_block);
    if (!next || !w->ending || !w->sent || !w->sum || !w->sum_of_block) {
        free(next);
        return -1;
    }
    for (uint32_t i = w->n_equations - w->n_endings; i < w->n_equations; i++)
        next[w->equation[i].to / w->knots + 1]++;
    for (uint32_t u = 0; u < units; u++)
        next[u + 1] += next[u];
    for (uint32_t block = 0; block <= BLOCKS; block++)
        w->first_ending[block] = next[network_block(w, block)];
    for (uint32_t c = 0; c < w->n_collectives; c++)
        for (uint32_t i = first[c].first; i < first[c].end; i++) {
            const struct equation *e = &w->equation[i];
            w->ending[next[e->to / w->knots]++] = (struct ending){e->to, c, e->to_part, e->weight};
        }
    free(next);
    return 0;
}

static uint32_t block_of(const struct network *w, uint32_t unit)
{
    uint32_t block = (uint32_t)((uint64_t)unit * BLOCKS / w->p->b->n_units);
    while (unit >= network_block(w, block + 1))
        block++;
    return block;
}

/* Parts of about as many equations and unknowns. */
static void find_parts(struct network *w, const uint64_t *costs, uint32_t most)
{
    uint64_t all = 0, sum = 0;
    for (uint32_t block = 0; block < BLOCKS; block++)
        all += costs[block];
    for (uint32_t block = 0; block < BLOCKS; block++) {
        struct part *part = &w->part[w->n_parts];
        sum += costs[block];
        part->end = block + 1;
        if (block + 1 == BLOCKS || sum * most >= all * (w->n_parts + 1))
            w->part[++w->n_parts].first = block + 1;
    }
}

/* Divides the rows among threads. -1: out of memory. */
static int divide_rows(struct network *w)
{
    enum { FEW = 6000 }; /* equations and unknowns: less work than waking a thread for */
    const uint32_t pairs = w->n_groups - w->n_collectives, threads = w->p->settings->threads;
    const uint32_t most = threads > 1 && w->n_equations + w->delays >= FEW ? threads : 1;
    uint64_t costs[BLOCKS];
    uint32_t n = 0;
    for (uint32_t block = 0; block < BLOCKS; block++)
        costs[block] = (uint64_t)(network_block(w, block + 1) - network_block(w, block)) * w->knots +
                       w->first_ending[block + 1] - w->first_ending[block];
    for (uint32_t i = 0; i < pairs; i++) {
        const struct group *g = &w->group[i];
        costs[block_of(w, w->equation[g->first].from / w->knots)] += g->end - g->first;
    }
    find_parts(w, costs, most < BLOCKS ? most : BLOCKS);
    if (!(w->share = malloc((2 * (size_t)pairs + 1) * sizeof *w->share)))
        return -1;
    for (struct part *part = w->part; part < w->part + w->n_parts; part++) {
        const uint32_t first = network_block(w, part->first), end = network_block(w, part->end);
        part->first_share = n;
        for (uint32_t i = 0; i < pairs; i++) {
            const struct equation *e = &w->equation[w->group[i].first];
            const uint32_t from = e->from / w->knots, to = e->to / w->knots;
            const uint32_t sides =
                (from >= first && from < end ? SHARE_FROM : 0) | (to >= first && to < end ? SHARE_TO : 0);
            if (sides)
                w->share[n++] = (struct share){i, sides};
        }
        part->end_share = n;
    }
    return 0;
}

/* Adds the rows of pairs to the bands of a part's clocks. */
static void add_to_bands(void *data, uint32_t k)
{
    const struct network *w = data;
    for (const struct share *s = w->share + w->part[k].first_share; s < w->share + w->part[k].end_share; s++) {
        const struct group *g = &w->group[s->group];
        for (const struct equation *e = w->equation + g->first; e < w->equation + g->end; e++) {
            if (s->sides & SHARE_FROM)
                band_add(w->band, e->from, e->from_part, e->weight);
            if (s->sides & SHARE_TO)
                band_add(w->band, e->to, e->to_part, e->weight);
        }
    }
}

static void fill_bands(struct network *w)
{
    network_divide(w, add_to_bands, w, w->n_parts);
    for (uint32_t i = w->n_equations - w->n_endings; i < w->n_equations; i++) {
        const struct equation *e = &w->equation[i];
        band_add(w->band, e->from, e->from_part, e->weight);
        band_add(w->band, e->to, e->to_part, e->weight);
    }
}

static void smooth_block(void *data, uint32_t block)
{
    const struct network *w = data;
    for (uint32_t u = network_block(w, block); u < network_block(w, block + 1); u++)
        band_add_smoothness(band_of(w, u), w->knots, w->rate_weight[u], w->bend_weight + (size_t)u * w->knots);
}

static void factorise_block(void *data, uint32_t block)
{
    const struct network *w = data;
    for (uint32_t u = network_block(w, block); u < network_block(w, block + 1); u++) {
        band_loosen(band_of(w, u), w->knots);
        band_factorise(band_of(w, u), w->knots);
    }
}

/* Weighs rates by what is expected of them: the usual ones, or those which messages have shown; or any. */
static void weigh_rates(struct network *w)
{
    const struct grid *g = &w->p->grid;
    for (uint32_t u = 0; u < w->p->b->n_units; u++) {
        const double *z = g->z + (size_t)u * w->knots;
        double sum = 0;
        for (uint32_t k = 0; k < g->gaps; k++)
            sum += (z[k + 1] - z[k]) * (z[k + 1] - z[k]);
        double expected = w->p->any_rate ? any_rate * any_rate : expected_rate(sum / (g->gaps * g->step * g->step));
        w->rate_weight[u] = 1 / (g->step * g->step * g->gaps * expected);
    }
}

/* The ties between clocks; one for the whole group of a pair. */
static size_t collect_ties(const struct network *w, struct tie *tie)
{
    const struct problem *p = w->p;
    size_t n = 0;
    for (uint32_t i = 0; i < w->n_groups; i++) {
        const struct equation *e = w->equation + w->group[i].first, *end = w->equation + w->group[i].end;
        for (size_t first = n; e < end; e++)
            if (w->group[i].number < p->b->n_pairs && n > first)
                tie[n - 1].weight += e->weight;
            else
                tie[n++] = (struct tie){e->from / w->knots, e->to / w->knots, e->weight};
    }
    for (uint32_t i = 0; i < w->n_anchors; i++)
        tie[n++] = (struct tie){w->anchor[i].unit, w->anchor[i].origin, w->anchor[i].weight};
    return n;
}

/* The band of the first cluster with both units, or NULL. An equation between them doesn't depend on the cluster as a
 * whole. */
static double *common_band(const struct network *w, uint32_t a, uint32_t b)
{
    uint32_t cluster, level = clusters_meet(&w->clusters, a, b, &cluster);
    return level < w->clusters.n_levels ? w->clusters.level[level].band + BAND * (size_t)cluster * w->knots : NULL;
}

static void take_off_groups(const struct network *w)
{
    uint32_t a = 0, b = 0;
    double *band = NULL;
    for (const struct group *g = w->group; g < w->group + w->n_groups; g++)
        for (uint32_t k = g->first; k < g->end; k++) {
            const struct equation *e = &w->equation[k];
            if (g->number >= w->p->b->n_pairs ||
                k == g->first) { /* all equations of a pair are between the same units */
                a = e->from / w->knots;
                b = e->to / w->knots;
                band = common_band(w, a, b);
            }
            if (!band)
                continue;
            band_add(band, e->from - a * w->knots, e->from_part, -e->weight);
            band_add(band, e->to - b * w->knots, e->to_part, -e->weight);
        }
}

static void take_off_anchors(const struct network *w)
{
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        const struct anchor *a = &w->anchor[i];
        double *band = common_band(w, a->unit, a->origin);
        if (band)
            band_add(band, a->place.at, a->place.part, -2 * a->weight); /* both ends are at the same place */
    }
}

static int prepare_clusters(struct network *w)
{
    struct tie *tie = malloc(((size_t)w->n_equations + w->n_anchors + 1) * sizeof *tie);
    int status = tie ? clusters_init(&w->clusters, w->p->b->n_units, w->knots, tie, collect_ties(w, tie)) : -1;
    free(tie);
    if (status != 0 || w->clusters.n_levels == 0)
        return status;
    take_off_groups(w);
    take_off_anchors(w);
    clusters_factorise(&w->clusters, w->band);
    return 0;
}

/* Weights and bands. */
static int prepare(struct network *w)
{
    const struct problem *p = w->p;
    fill_bands(w);
    weigh_rates(w);
    for (size_t k = 0; k < w->delays; k++)
        w->bend_weight[k] = 1 / (p->bend[k] * p->bend[k]);
    for (uint32_t i = 0; i < w->n_groups; i++) {
        struct group *g = &w->group[i];
        struct lever l = g->lever = find_lever(w, i);
        w->delay[l.at - w->delays] += l.weight;
        for (uint32_t k = g->first; k < g->end; k++)
            w->delay[l.at - w->delays] += w->equation[k].weight;
        if (l.usual)
            w->class_diagonal[l.usual - w->classes] += l.weight;
    }
    for (uint32_t c = 0; c < CLASSES; c++)
        w->class_diagonal[c] += w->class_weight[c] + 1e-30;
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        const struct anchor *a = &w->anchor[i];
        band_add(band_of(w, a->unit), a->place.at, a->place.part, a->weight);
        band_add(band_of(w, a->origin), a->place.at, a->place.part, a->weight);
    }
    network_divide(w, smooth_block, w, BLOCKS);
    if (prepare_clusters(w) != 0)
        return -1;
    network_divide(w, factorise_block, w, BLOCKS);
    return 0;
}

static int collect_anchors(struct network *w)
{
    const struct problem *p = w->p;
    uint32_t n = 0;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        n += p->b->unit[u].n_measured + (has_prior(p, u) ? w->knots : 0);
    if (!(w->anchor = malloc((n + 1) * sizeof *w->anchor)))
        return -1;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        const struct unit *unit = &p->b->unit[u];
        uint32_t origin = p->origin_of[p->component[u]];
        if (is_fixed(p, u) || !unit->seen || u == origin)
            continue;
        for (uint32_t k = 0; k < unit->n_measured; k++) {
            const struct measured *m = &unit->measured[k];
            double time = (double)(int64_t)(m->time - unit->base);
            struct place place = grid_place(&p->grid, u, time);
            double off = m->offset - network_at(p->grid.z, w, u, &place) + network_at(p->grid.z, w, origin, &place),
                   e = m->error;
            double far = fabs(off) > SIGMAS * e ? fabs(off) / SIGMAS : e; /* a measurement may be wrong */
            w->anchor[w->n_anchors++] = (struct anchor){u, origin, place, 1 / (e * far), off};
        }
        for (uint32_t k = 0; k < w->knots && has_prior(p, u) && p->line_misfit > 0; k++) {
            if (p->grid.gaps > PLACES && k % (p->grid.gaps / PLACES) != 0)
                continue;
            double part = (double)k / p->grid.gaps, e = freedom * p->line_misfit + SIGMAS * unit->measured[0].error;
            double off = prior_value(p, u, part) - p->grid.z[(size_t)u * w->knots + k] +
                         p->grid.z[(size_t)origin * w->knots + k];
            struct place place = k < p->grid.gaps ? (struct place){k, 0} : (struct place){k - 1, 1};
            w->anchor[w->n_anchors++] = (struct anchor){u, origin, place, 1 / (e * e), off};
        }
    }
    return 0;
}

void equations_free(struct network *w)
{
    clusters_free(&w->clusters);
    free(w->anchor);
    free(w->band);
    free(w->ending);
    free(w->sent);
    free(w->sum);
    free(w->sum_of_block);
    free(w->share);
    free(w->rate_weight);
    free(w->delay);
    free(w->bend_weight);
    free(w->equation);
    free(w->want);
    free(w->group);
    free(w->group_of);
    free(w->vector[0]);
}

/* The number of unknowns depends on that of the groups with equations. */
static int lay_out_unknowns(struct network *w)
{
    w->classes = w->delays + w->n_groups;
    w->n = w->classes + CLASSES;
    w->delay = calloc((size_t)w->n_groups + 1, sizeof *w->delay);
    double *vectors = calloc(VECTORS * w->n + 1, sizeof *vectors);
    for (uint32_t i = 0; i < VECTORS; i++)
        w->vector[i] = vectors ? vectors + i * w->n : NULL;
    return w->delay && vectors ? 0 : -1;
}

int equations_init(struct network *w, struct problem *p)
{
    *w = (struct network){.p = p, .knots = p->grid.gaps + 1};
    w->delays = (size_t)p->b->n_units * w->knots;
    for (uint32_t c = 0; c < CLASSES; c++) {
        w->special_weight[c] = 1 / (p->noise[c].special_scatter * p->noise[c].special_scatter + 1);
        w->class_weight[c] = p->noise[c].settled * w->special_weight[c];
        w->uneven_weight[c] = p->noise[c].uneven > 0 ? 1 / (p->noise[c].uneven * p->noise[c].uneven) : 0;
    }
    w->band = calloc(BAND * w->delays + 2 * BAND, sizeof *w->band);
    w->rate_weight = calloc((size_t)p->b->n_units + 1, sizeof *w->rate_weight);
    w->bend_weight = malloc((w->delays + 1) * sizeof *w->bend_weight);
    w->equation = malloc(((size_t)p->n_rows + 1) * sizeof *w->equation);
    w->want = malloc(((size_t)p->n_rows + 1) * sizeof *w->want);
    w->group = malloc(((size_t)p->b->n_pairs + p->b->n_collectives + 1) * sizeof *w->group);
    w->group_of = malloc(((size_t)p->b->n_pairs + 1) * sizeof *w->group_of);
    if (!w->band || !w->rate_weight || !w->bend_weight || !w->equation || !w->want || !w->group || !w->group_of)
        return -1;
    add_equations(w);
    return arrange_endings(w) == 0 && divide_rows(w) == 0 && lay_out_unknowns(w) == 0 && collect_anchors(w) == 0 &&
                   prepare(w) == 0
               ? 0
               : -1;
}
