/*
 * `oracle violations`: how many edges of each class break the clock condition (D17 of oracle.h), by how much, and the
 * ten worst of each class. Classes without edges are listed with zeros, so that every trace has the same lines.
 */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORST 10

struct violation { uint64_t size; struct o_edge edge; };

struct tally {
    uint64_t edges, violated, targets, targets_violated, largest;
    struct violation worst[WORST];
    size_t n_worst;
};

struct counting {
    const struct o_matching *m;
    uint64_t mu;
    struct tally tally[O_CLASSES];
    bool has_last, last_violated; /* the target that edges are counted for: they come target by target */
    size_t last_location, last_target;
};

/* Larger first; equal ones by location ids and indices, so that the list does not depend on the order of edges. */
static int compare_violations(const struct counting *c, const struct violation *x, const struct violation *y)
{
    const struct o_location *location = c->m->trace->location;
    int order = o_compare_u64(y->size, x->size);
    if (!order) order = o_compare_u64(location[x->edge.target_location].def.id, location[y->edge.target_location].def.id);
    if (!order) order = o_compare_u64(x->edge.target, y->edge.target);
    if (!order) order = o_compare_u64(location[x->edge.source_location].def.id, location[y->edge.source_location].def.id);
    return order ? order : o_compare_u64(x->edge.source, y->edge.source);
}

static void note_worst(const struct counting *c, struct tally *tally, const struct violation *violation)
{
    size_t at = tally->n_worst;
    while (at > 0 && compare_violations(c, violation, &tally->worst[at - 1]) < 0)
        at--;
    if (at == WORST)
        return;
    size_t moved = (tally->n_worst < WORST ? tally->n_worst : WORST - 1) - at;
    memmove(&tally->worst[at + 1], &tally->worst[at], moved * sizeof *tally->worst);
    tally->worst[at] = *violation;
    if (tally->n_worst < WORST)
        tally->n_worst++;
}

static bool count_edge(void *user, const struct o_edge *edge)
{
    struct counting *c = user;
    struct tally *tally = &c->tally[edge->class];
    uint64_t earliest = o_time(c->m->trace, edge->source_location, edge->source) + c->mu;
    uint64_t target = o_time(c->m->trace, edge->target_location, edge->target);
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
    note_worst(c, tally, &violation);
    return true;
}

static void print_worst(const struct counting *c, enum o_class class)
{
    const struct o_trace *trace = c->m->trace;
    for (size_t i = 0; i < c->tally[class].n_worst; i++) {
        const struct violation *v = &c->tally[class].worst[i];
        printf("worst,%s,%zu,%" PRIu64 ",%" PRIu64 ",%zu,%" PRIu64 ",%" PRIu64 ",%zu,%" PRIu64 "\n",
               o_class_names[class], i + 1, v->size, trace->location[v->edge.source_location].def.id, v->edge.source,
               o_time(trace, v->edge.source_location, v->edge.source), trace->location[v->edge.target_location].def.id,
               v->edge.target, o_time(trace, v->edge.target_location, v->edge.target));
    }
}

void o_print_violations(const struct o_matching *m, uint64_t mu)
{
    struct counting *c = o_alloc(1, sizeof *c);
    c->m = m;
    c->mu = mu;
    const struct o_relation *relation = m->relations.item;
    for (size_t i = 0; i < m->relations.n; i++)
        o_each_edge(m, &relation[i], count_edge, c);
    puts("#violations,class,edges,violated,targets,targets_violated,largest");
    for (int class = 0; class < O_CLASSES; class++) {
        const struct tally *t = &c->tally[class];
        printf("violations,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", o_class_names[class],
               t->edges, t->violated, t->targets, t->targets_violated, t->largest);
    }
    puts("#worst,class,place,size,src_location,src_index,src_time,dst_location,dst_index,dst_time");
    for (int class = 0; class < O_CLASSES; class++)
        print_worst(c, (enum o_class)class);
    free(c);
}
