/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle violations`: how many edges of each class break the clock condition (D17 of oracle.h), by how much, and the
 * ten worst of each class. Classes without edges are listed with zeros, so that every trace has the same lines. The
 * times may be those of another archive than the one that is matched: a correction may change the order in which
 * threads of a process come, and with it what reading the corrected archive would match. */
#include "clocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORST 10

struct violation {
    uint64_t size;
    struct o_edge edge;
};

struct worst {
    struct violation item[WORST];
    size_t n;
};

struct counting {
    const struct o_matching *m;
    uint64_t *const *times;
    const struct o_delays *delays;
    struct o_tally *tally;
    struct worst *worst;          /* [class]; NULL: not wanted */
    bool has_last, last_violated; /* the target that edges are counted for: they come target by target */
    size_t last_location, last_target;
};

/* Larger first; equal ones by location ids and indices, so that the list does not depend on the order of edges. */
static int compare_violations(const struct counting *c, const struct violation *x, const struct violation *y)
{
    const struct o_location *location = c->m->trace->location;
    int order = o_compare_u64(y->size, x->size);
    if (!order)
        order = o_compare_u64(location[x->edge.target_location].def.id, location[y->edge.target_location].def.id);
    if (!order)
        order = o_compare_u64(x->edge.target, y->edge.target);
    if (!order)
        order = o_compare_u64(location[x->edge.source_location].def.id, location[y->edge.source_location].def.id);
    return order ? order : o_compare_u64(x->edge.source, y->edge.source);
}

static void note_worst(const struct counting *c, struct worst *worst, const struct violation *violation)
{
    size_t at = worst->n;
    while (at > 0 && compare_violations(c, violation, &worst->item[at - 1]) < 0)
        at--;
    if (at == WORST)
        return;
    size_t moved = (worst->n < WORST ? worst->n : WORST - 1) - at;
    memmove(&worst->item[at + 1], &worst->item[at], moved * sizeof *worst->item);
    worst->item[at] = *violation;
    if (worst->n < WORST)
        worst->n++;
}

static bool count_edge(void *user, const struct o_edge *edge)
{
    struct counting *c = user;
    struct o_tally *tally = &c->tally[edge->class];
    uint64_t earliest = o_add(c->times[edge->source_location][edge->source], o_delay(c->m, c->delays, edge));
    uint64_t target = c->times[edge->target_location][edge->target];
    if (!c->has_last || c->last_location != edge->target_location || c->last_target != edge->target) {
        tally->targets++;
        c->has_last = true;
        c->last_violated = false;
        c->last_location = edge->target_location;
        c->last_target = edge->target;
    }
    tally->edges++;
    if (target >= earliest)
        return true;
    tally->violated++;
    tally->targets_violated += !c->last_violated;
    c->last_violated = true;
    struct violation violation = {earliest - target, *edge};
    if (violation.size > tally->largest)
        tally->largest = violation.size;
    if (c->worst)
        note_worst(c, &c->worst[edge->class], &violation);
    return true;
}

static void count(struct counting *c, const bool *classes)
{
    const struct o_relation *relation = c->m->relations.item;
    for (size_t i = 0; i < c->m->relations.n; i++)
        if (!classes || classes[relation[i].class])
            o_each_edge(c->m, &relation[i], count_edge, c);
}

void o_count_violations(const struct o_matching *m, uint64_t *const *times, const struct o_delays *delays,
                        const bool *classes, struct o_tally *tally)
{
    count(&(struct counting){.m = m, .times = times, .delays = delays, .tally = tally}, classes);
}

static void print_worst(const struct counting *c, enum o_class class)
{
    const struct o_location *location = c->m->trace->location;
    for (size_t i = 0; i < c->worst[class].n; i++) {
        const struct violation *v = &c->worst[class].item[i];
        const struct o_edge *e = &v->edge;
        printf("worst,%s,%zu,%" PRIu64 ",%" PRIu64 ",%zu,%" PRIu64 ",%" PRIu64 ",%zu,%" PRIu64 "\n",
               o_class_names[class], i + 1, v->size, location[e->source_location].def.id, e->source,
               c->times[e->source_location][e->source], location[e->target_location].def.id, e->target,
               c->times[e->target_location][e->target]);
    }
}

void o_print_violations(const struct o_matching *m, uint64_t *const *times, const struct o_delays *delays,
                        const bool *classes)
{
    struct o_tally *tally = o_alloc(O_CLASSES, sizeof *tally);
    struct worst *worst = o_alloc(O_CLASSES, sizeof *worst);
    struct counting c = {.m = m, .times = times, .delays = delays, .tally = tally, .worst = worst};
    count(&c, classes);
    puts("#violations,class,edges,violated,targets,targets_violated,largest");
    for (int class = 0; class < O_CLASSES; class ++) {
        const struct o_tally *t = &tally[class];
        printf("violations,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", o_class_names[class],
               t->edges, t->violated, t->targets, t->targets_violated, t->largest);
    }
    puts("#worst,class,place,size,src_location,src_index,src_time,dst_location,dst_index,dst_time");
    for (int class = 0; class < O_CLASSES; class ++)
        print_worst(&c, (enum o_class) class);
    free(tally);
    free(worst);
}
