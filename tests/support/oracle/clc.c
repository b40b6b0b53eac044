/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The controlled logical clock, forward pass: doc/clock-correction.md read aloud. Events are taken in any order in
 * which all sources of an event come before it. Where edges form a cycle, so that there is no such order, the next
 * event of the first location goes on without the sources that are missing; those edges are given up, and printed. */
#include "clocks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void o_clc_defaults(struct o_clc_options *options)
{
    *options = (struct o_clc_options){.delta = 1, .max_interval = UINT64_MAX, .max_events = UINT64_MAX};
    o_fraction("0.99", true, &options->gamma);
    o_fraction("0.05", false, &options->slope);
}

bool o_fraction(const char *text, bool zero_allowed, uint64_t *fraction)
{
    char *end;
    double value = text ? strtod(text, &end) : -1;
    if (!text || !*text || *end || !(value >= 0 && value <= 1))
        return false;
    *fraction = (uint64_t)llround(value * 4294967296.0);
    return zero_allowed || *fraction > 0;
}

/* ---- which relations an event is part of ---- */

static int compare_ends(const void *a, const void *b)
{
    const struct o_end *x = a, *y = b;
    int order = o_compare_u64(x->location, y->location);
    if (!order)
        order = o_compare_u64(x->event, y->event);
    return order ? order : o_compare_u64(x->relation, y->relation);
}

/* Puts and gets bind nobody. */
static void collect_ends(struct o_clc *clc)
{
    const struct o_relation *relation = clc->m->relations.item;
    const struct o_participant *participant = clc->m->participants.item;
    for (size_t r = 0; r < clc->m->relations.n; r++)
        for (size_t i = 0; i < relation[r].n && relation[r].class != O_RMA_OP; i++) {
            const struct o_participant *p = &participant[relation[r].first + i];
            if (p->target != O_NONE)
                *(struct o_end *)o_push(&clc->targets, sizeof(struct o_end)) =
                    (struct o_end){p->location, p->target, r, i};
            if (p->source != O_NONE)
                *(struct o_end *)o_push(&clc->sources, sizeof(struct o_end)) =
                    (struct o_end){p->location, p->source, r, i};
        }
    if (clc->targets.n)
        qsort(clc->targets.item, clc->targets.n, sizeof(struct o_end), compare_ends);
    if (clc->sources.n)
        qsort(clc->sources.item, clc->sources.n, sizeof(struct o_end), compare_ends);
}

/* Position of the first one that is not before the event. */
static size_t first_end(const struct o_list *ends, size_t location, size_t event)
{
    const struct o_end *end = ends->item;
    size_t low = 0, high = ends->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (end[middle].location < location || (end[middle].location == location && end[middle].event < event))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Calls for every edge into (out of) an event. */
static bool each_edge(const struct o_clc *clc, bool into, size_t location, size_t event, o_edge_call each, void *user)
{
    const struct o_list *ends = into ? &clc->targets : &clc->sources;
    const struct o_end *end = ends->item;
    const struct o_relation *relation = clc->m->relations.item;
    for (size_t i = first_end(ends, location, event);
         i < ends->n && end[i].location == location && end[i].event == event; i++)
        if (!(into ? o_each_edge_into : o_each_edge_from)(clc->m, &relation[end[i].relation], end[i].participant, each,
                                                          user))
            return false;
    return true;
}

static bool is_given_up(const struct o_clc *clc, const struct o_edge *edge)
{
    const struct o_edge *given = clc->given_up.item;
    for (size_t i = 0; i < clc->given_up.n; i++)
        if (given[i].source_location == edge->source_location && given[i].source == edge->source &&
            given[i].target_location == edge->target_location && given[i].target == edge->target)
            return true;
    return false;
}

/* ---- eq. 3', 4 ---- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t add(struct o_clc *clc, uint64_t a, uint64_t b)
{
    clc->saturated += a > UINT64_MAX - b;
    return o_add(a, b);
}

/* parts of 2^32 in a / b, at most a half of it; rounded up or down */
static uint64_t rate_of(uint64_t a, uint64_t b, bool up)
{
    unsigned __int128 scaled = (unsigned __int128)a << 32;
    unsigned __int128 rate = scaled / b + (up && scaled % b);
    return rate < 2147483648u ? (uint64_t)rate : 2147483648u;
}

/* gamma = auto: event e of location l has jumped. */
static void set_gamma(struct o_clc *clc, size_t l, size_t e)
{
    struct o_control *k = &clc->control[l];
    uint64_t c = clc->recorded[l][e], ahead = clc->forward[l][e] - c, decay = clc->options.decay;
    if (k->measured && c - k->c >= decay)
        k->drift = larger(k->drift / 2, rate_of(o_subtract(ahead, k->ahead), c - k->c, false));
    if (!k->measured || c - k->c >= decay) {
        k->c = c;
        k->ahead = ahead;
        k->measured = true;
    }
    uint64_t twice = k->drift > 1073741824u ? 2147483648u : 2 * k->drift;
    k->gamma = 4294967296u - larger(4294967u, larger(rate_of(ahead, decay, true), twice));
}

/* Where the clock of location at stands at c when it stood at l at before, and nothing from outside moves it. */
static uint64_t run_on(struct o_clc *clc, size_t at, uint64_t l, uint64_t before, uint64_t c)
{
    if (l <= before)
        return larger(c, l);
    uint64_t d = o_subtract(c, before);
    uint64_t least = d < clc->options.delta ? d : clc->options.delta;
    uint64_t scaled = (uint64_t)((unsigned __int128)d * clc->control[at].gamma >> 32);
    return larger(c, larger(add(clc, l, least), add(clc, l, scaled)));
}

struct asking {
    struct o_clc *clc;
    const size_t *next;
    uint64_t need, latest;
};

static bool has_passed(void *user, const struct o_edge *edge)
{
    const struct asking *a = user;
    return edge->source < a->next[edge->source_location] || is_given_up(a->clc, edge);
}

static bool take_need(void *user, const struct o_edge *edge)
{
    struct asking *a = user;
    struct o_clc *clc = a->clc;
    uint64_t source = clc->forward[edge->source_location][edge->source];
    if (is_given_up(clc, edge))
        return true;
    a->need = larger(a->need, add(clc, source, o_delay(clc->m, &clc->options.delays, edge)));
    a->latest = larger(a->latest, add(clc, source, 1));
    return true;
}

static void take_event(struct o_clc *clc, const size_t *next, size_t l, size_t e)
{
    const uint64_t *c = clc->recorded[l];
    uint64_t base = e ? run_on(clc, l, clc->forward[l][e - 1], c[e - 1], c[e]) : c[0];
    struct asking a = {clc, next, 0, 0};
    each_edge(clc, true, l, e, take_need, &a);
    clc->forward[l][e] = larger(base, a.need);
    if (clc->forward[l][e] > c[e])
        clc->forward[l][e] = larger(clc->forward[l][e], a.latest);
    clc->jump[l][e] = clc->forward[l][e] - base;
    if (clc->options.decay && clc->jump[l][e])
        set_gamma(clc, l, e);
    if (clc->m->trace->location[l].event[e].kind != O_BUFFER_FLUSH)
        return;
    uint64_t stop = clc->stop[l][e], now = clc->forward[l][e];
    clc->stop[l][e] = stop < c[e] ? add(clc, stop, now - c[e]) : run_on(clc, l, now, c[e], stop);
}

static bool give_up(void *user, const struct o_edge *edge)
{
    const struct asking *a = user;
    if (!has_passed(user, edge)) {
        struct o_edge *given = o_push(&a->clc->given_up, sizeof *given);
        *given = *edge;
    }
    return true;
}

/* Takes what may be taken of a location; returns the number of events. */
static size_t advance(struct o_clc *clc, size_t *next, size_t l)
{
    size_t begin = next[l];
    struct asking a = {clc, next, 0, 0};
    while (next[l] < clc->m->trace->location[l].n && each_edge(clc, true, l, next[l], has_passed, &a)) {
        take_event(clc, next, l, next[l]);
        next[l]++;
    }
    return next[l] - begin;
}

static void pass_forward(struct o_clc *clc)
{
    size_t n = clc->m->trace->n_locations, taken, left;
    size_t *next = o_alloc(n, sizeof *next);
    do {
        taken = 0;
        left = O_NONE;
        for (size_t l = n; l-- > 0;) {
            taken += advance(clc, next, l);
            left = next[l] < clc->m->trace->location[l].n ? l : left;
        }
        if (!taken && left != O_NONE)
            each_edge(clc, true, left, next[left], give_up, &(struct asking){clc, next, 0, 0});
    } while (taken || left != O_NONE);
    free(next);
}

/* ---- limits of the sources: section 4.2 ---- */

static bool take_limit(void *user, const struct o_edge *edge)
{
    struct o_clc *clc = user;
    uint64_t *limit = &clc->limit[edge->source_location][edge->source];
    const uint64_t target = clc->forward[edge->target_location][edge->target];
    const bool moved = target > clc->recorded[edge->target_location][edge->target];
    uint64_t this = o_subtract(target, larger(o_delay(clc->m, &clc->options.delays, edge), moved));
    if (!is_given_up(clc, edge) && this < *limit)
        *limit = this;
    return true;
}

void o_clc_forward(struct o_clc *clc, const struct o_matching *m, uint64_t **recorded, uint64_t **stops,
                   const struct o_clc_options *options)
{
    *clc = (struct o_clc){.m = m, .options = *options, .recorded = recorded, .stop = stops};
    clc->forward = o_no_times(m->trace, 0);
    clc->jump = o_no_times(m->trace, 0);
    clc->limit = o_no_times(m->trace, O_NO_LIMIT);
    clc->source = o_sources(m);
    clc->control = o_alloc(m->trace->n_locations, sizeof *clc->control);
    for (size_t l = 0; l < m->trace->n_locations; l++)
        clc->control[l] = (struct o_control){.gamma = options->gamma};
    collect_ends(clc);
    pass_forward(clc);
    const struct o_end *source = clc->sources.item;
    for (size_t i = 0; i < clc->sources.n; i++)
        each_edge(clc, false, source[i].location, source[i].event, take_limit, clc);
}

void o_clc_free(struct o_clc *clc)
{
    const struct o_trace *trace = clc->m->trace;
    o_free_times(trace, clc->forward);
    o_free_times(trace, clc->jump);
    o_free_times(trace, clc->limit);
    o_free_times(trace, clc->current);
    o_free_times(trace, clc->stop);
    for (size_t l = 0; l < trace->n_locations; l++)
        free(clc->source[l]);
    free(clc->source);
    free(clc->control);
    free(clc->targets.item);
    free(clc->sources.item);
    free(clc->given_up.item);
}

/* ---- output ---- */

void o_print_jumps(const struct o_clc *clc)
{
    const struct o_trace *trace = clc->m->trace;
    puts("#location index jump");
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 0; e < trace->location[l].n; e++)
            if (clc->jump[l][e])
                printf("%" PRIu64 " %zu %" PRIu64 "\n", trace->location[l].def.id, e, clc->jump[l][e]);
}

void o_print_clc_notes(const struct o_clc *clc)
{
    const struct o_location *location = clc->m->trace->location;
    const struct o_edge *edge = clc->given_up.item;
    for (size_t i = 0; i < clc->given_up.n; i++)
        printf("#given up: %s %" PRIu64 " %zu -> %" PRIu64 " %zu\n", o_class_names[edge[i].class],
               location[edge[i].source_location].def.id, edge[i].source, location[edge[i].target_location].def.id,
               edge[i].target);
    if (clc->saturated)
        printf("#saturated: %" PRIu64 " sums\n", clc->saturated);
    struct o_tally tally[O_CLASSES] = {{0}};
    uint64_t violated = 0;
    o_count_violations(clc->m, clc->current ? clc->current : clc->forward, &clc->options.delays, NULL, tally);
    for (int i = 0; i < O_RMA_OP; i++)
        violated += tally[i].violated;
    printf("#violated edges: %" PRIu64 "\n", violated);
}
