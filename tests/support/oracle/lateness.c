/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle lateness`: logical steps and lateness from the whole trace, as plugins/lateness/README.md defines them. Every
 * location goes on until it meets an event of which not all sources have been reached; afterwards every operation is
 * compared with all others of its step. */
#include "waits.h"

#include <inttypes.h>
#include <stdlib.h>

struct into {
    size_t location, event, from_location, from;
    enum o_class class;
};

struct operation {
    size_t location, call, last; /* call O_NONE: the event `last` alone */
    uint64_t step, end, lateness, differential, inherited;
};

/* A message as seen by the operation that receives it. */
struct link {
    size_t from, to;
};

struct steps {
    const struct o_waits *w;
    struct o_list into, operations, links;
    uint64_t **reached; /* [location][event]: the clock behind it */
    size_t **operation; /* [location][event]: that it is a record of */
    size_t *next;       /* event */
    uint64_t *clock;
};

static bool is_record(uint16_t kind)
{
    return kind == O_MPI_SEND || kind == O_MPI_ISEND || kind == O_MPI_RECV || kind == O_MPI_IRECV ||
           kind == O_MPI_COLLECTIVE_BEGIN || kind == O_MPI_COLLECTIVE_END ||
           kind == O_NON_BLOCKING_COLLECTIVE_REQUEST || kind == O_NON_BLOCKING_COLLECTIVE_COMPLETE ||
           kind == O_RMA_COLLECTIVE_BEGIN || kind == O_RMA_COLLECTIVE_END;
}

static bool comes_a_step_later(uint16_t kind)
{
    return kind == O_MPI_RECV || kind == O_MPI_IRECV || kind == O_NON_BLOCKING_COLLECTIVE_COMPLETE;
}

static bool completes(uint16_t kind)
{
    return comes_a_step_later(kind) || kind == O_MPI_COLLECTIVE_END || kind == O_RMA_COLLECTIVE_END;
}

static const struct o_event *event_at(const struct steps *s, size_t l, size_t e)
{
    return &s->w->m->trace->location[l].event[e];
}

/* ---- edges ---- */

static bool add_edge(void *user, const struct o_edge *edge)
{
    struct o_list *into = user;
    struct into *x = o_push(into, sizeof *x);
    *x = (struct into){edge->target_location, edge->target, edge->source_location, edge->source, edge->class};
    return true;
}

static int compare_into(const void *a, const void *b)
{
    const struct into *x = a, *y = b;
    int order = o_compare_u64(x->location, y->location);
    if (!order)
        order = o_compare_u64(x->event, y->event);
    if (!order)
        order = o_compare_u64(x->from_location, y->from_location);
    return order ? order : o_compare_u64(x->from, y->from);
}

static void find_edges(struct steps *s)
{
    const struct o_relation *relation = s->w->m->relations.item;
    for (size_t i = 0; i < s->w->m->relations.n; i++)
        o_each_edge(s->w->m, &relation[i], add_edge, &s->into);
    if (s->into.n)
        qsort(s->into.item, s->into.n, sizeof(struct into), compare_into);
}

/* The first edge into an event or behind it. */
static size_t first_into(const struct steps *s, size_t l, size_t e)
{
    const struct into *x = s->into.item, wanted = {.location = l, .event = e};
    size_t low = 0, high = s->into.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_into(&x[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- steps ---- */

/* The operation that a record belongs to; a new one makes the clock go on. */
static size_t operation_of(struct steps *s, size_t l, size_t e)
{
    size_t call = s->w->call_at[l][e];
    const struct operation *x = s->operations.item;
    for (size_t i = s->operations.n; call != O_NONE && i-- > 0;)
        if (x[i].location == l && x[i].call == call)
            return i;
    const struct o_call *c = o_call(s->w, l, call);
    s->clock[l]++;
    struct operation *new = o_push(&s->operations, sizeof *new);
    *new = (struct operation){.location = l,
                              .call = call,
                              .last = c ? c->last : e,
                              .end = c ? c->leave : o_event_time(s->w, l, e)};
    return s->operations.n - 1;
}

/* Is a call left, rather than ended with its location? */
static bool is_left(const struct steps *s, size_t l, size_t call)
{
    const struct o_call *c = o_call(s->w, l, call);
    const struct o_event *event = event_at(s, l, c->last);
    uint64_t region;
    if (!o_region_of(s->w->m->trace, event, &region) || event->kind == O_ENTER ||
        event->kind == O_CALLING_CONTEXT_ENTER)
        return false;
    bool inside = false;
    for (size_t i = s->w->call_at[l][c->last]; i != O_NONE; i = o_call(s->w, l, i)->parent) {
        inside |= i == call;
        if (o_call(s->w, l, i)->region == region)
            return inside;
    }
    return false;
}

/* Does a receiver learn when the call of a send was left? */
static bool is_known(const struct steps *s, size_t l, size_t send)
{
    size_t call = s->w->call_at[l][send];
    if (call == O_NONE)
        return true;
    if (!is_left(s, l, call))
        return false;
    for (size_t e = send + 1; e < o_call(s->w, l, call)->last; e++)
        if (s->w->call_at[l][e] == call && completes(event_at(s, l, e)->kind))
            return false;
    return true;
}

/* False: a source hasn't been reached. */
static bool reach(struct steps *s, size_t l, size_t e)
{
    const struct into *x = s->into.item;
    size_t first = first_into(s, l, e), to = first;
    for (; to < s->into.n && x[to].location == l && x[to].event == e; to++)
        if (s->next[x[to].from_location] <= x[to].from && x[to].from_location != l)
            return false;
    const uint16_t kind = event_at(s, l, e)->kind;
    size_t own = is_record(kind) ? operation_of(s, l, e) : O_NONE;
    for (size_t i = first; i < to; i++) {
        uint64_t step = s->reached[x[i].from_location][x[i].from] + comes_a_step_later(kind);
        s->clock[l] = step > s->clock[l] ? step : s->clock[l];
        if (x[i].class == O_P2P && is_known(s, x[i].from_location, x[i].from)) {
            struct link *link = o_push(&s->links, sizeof *link);
            *link = (struct link){s->operation[x[i].from_location][x[i].from], own};
        }
    }
    s->reached[l][e] = s->clock[l];
    s->operation[l][e] = own;
    if (own != O_NONE)
        ((struct operation *)s->operations.item)[own].step = s->clock[l];
    s->next[l] = e + 1;
    return true;
}

static bool go(struct steps *s)
{
    const struct o_trace *trace = s->w->m->trace;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t l = 0; l < trace->n_locations; l++)
            while (s->next[l] < trace->location[l].n && reach(s, l, s->next[l]))
                moved = true;
    }
    for (size_t l = 0; l < trace->n_locations; l++)
        if (s->next[l] < trace->location[l].n)
            return false;
    return true;
}

/* ---- lateness ---- */

/* By step; in a location by their ends. */
static int compare_operations(const void *a, const void *b)
{
    const struct operation *x = *(const struct operation *const *)a, *y = *(const struct operation *const *)b;
    int order = o_compare_u64(x->location, y->location);
    if (!order)
        order = o_compare_u64(x->step, y->step);
    if (!order)
        order = o_compare_u64(x->last, y->last);
    return order ? order : o_compare_u64(y->call, x->call);
}

static void find_lateness(struct steps *s)
{
    struct operation *x = s->operations.item, **sorted = o_alloc(s->operations.n, sizeof *sorted);
    const struct link *link = s->links.item;
    for (size_t i = 0; i < s->operations.n; i++) {
        uint64_t earliest = x[i].end;
        for (size_t k = 0; k < s->operations.n; k++)
            if (x[k].step == x[i].step && x[k].end < earliest)
                earliest = x[k].end;
        x[i].lateness = x[i].end - earliest;
        sorted[i] = &x[i];
    }
    for (size_t i = 0; i < s->links.n; i++)
        if (x[link[i].from].step < x[link[i].to].step && x[link[i].from].lateness > x[link[i].to].inherited)
            x[link[i].to].inherited = x[link[i].from].lateness;
    if (s->operations.n)
        qsort(sorted, s->operations.n, sizeof *sorted, compare_operations);
    for (size_t i = 0; i < s->operations.n; i++) {
        struct operation *o = sorted[i];
        if (i && sorted[i - 1]->location == o->location && sorted[i - 1]->lateness > o->inherited)
            o->inherited = sorted[i - 1]->lateness;
        o->differential = o->lateness > o->inherited ? o->lateness - o->inherited : 0;
    }
    free(sorted);
}

static void print_path(const struct o_waits *w, size_t l, size_t call)
{
    const struct o_call *c = o_call(w, l, call);
    char buffer[32];
    if (!c)
        return;
    print_path(w, l, c->parent);
    printf("%s%s", c->parent == O_NONE ? "" : "/", o_region_name(w->m->trace, c->region, buffer));
}

void o_print_lateness(const struct o_waits *w)
{
    const struct o_trace *trace = w->m->trace;
    struct steps s = {.w = w};
    s.reached = o_alloc(trace->n_locations, sizeof *s.reached);
    s.operation = o_alloc(trace->n_locations, sizeof *s.operation);
    s.next = o_alloc(trace->n_locations, sizeof *s.next);
    s.clock = o_alloc(trace->n_locations, sizeof *s.clock);
    for (size_t l = 0; l < trace->n_locations; l++) {
        s.reached[l] = o_alloc(trace->location[l].n, sizeof **s.reached);
        s.operation[l] = o_alloc(trace->location[l].n, sizeof **s.operation);
    }
    find_edges(&s);
    if (!go(&s)) {
        puts("cycle");
    } else {
        find_lateness(&s);
        printf("origin,%" PRIu64 "\n", trace->origin);
        puts("#operation,location,step,end,lateness,differential,callpath");
        const struct operation *x = s.operations.item;
        for (size_t i = 0; i < s.operations.n; i++) {
            printf("operation,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
                   trace->location[x[i].location].def.id, x[i].step, x[i].end, x[i].lateness, x[i].differential);
            print_path(w, x[i].location, x[i].call);
            putchar('\n');
        }
    }
    for (size_t l = 0; l < trace->n_locations; l++) {
        free(s.reached[l]);
        free(s.operation[l]);
    }
    free(s.reached);
    free(s.operation);
    free(s.next);
    free(s.clock);
    free(s.into.item);
    free(s.operations.item);
    free(s.links.item);
}
