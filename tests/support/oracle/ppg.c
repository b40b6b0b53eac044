/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The program performance graph from the whole trace, as plugins/ppg/README.md defines it. Every interval between two
 * events of a location is asked whose time it is: the call that is open, or the computation behind the last call inside
 * of it that communicates. Vertices are told by the texts of their call paths; lines of one kind and the same texts are
 * to be summed up. */
#include "waits.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node of the call tree: a region, or computation behind it. 0: the root. */
struct node {
    size_t parent;
    uint64_t region;
    bool computes;
};

/* Of a node in a location. */
struct value {
    uint64_t visits, time, waiting;
};

/* A child in a call: where it began, twice the event, and 1 more for an interval behind the event. */
struct child {
    size_t call, at, node, behind; /* behind: computation behind this call; O_NONE: a call */
};

struct graph {
    const struct o_waits *w;
    struct o_list nodes;
    size_t **node_of;        /* [location][call] */
    struct o_list *children; /* by location */
};

static size_t node_at(struct graph *g, size_t parent, uint64_t region, bool computes)
{
    const struct node *n = g->nodes.item;
    for (size_t i = 1; i < g->nodes.n; i++)
        if (n[i].parent == parent && n[i].region == region && n[i].computes == computes)
            return i;
    *(struct node *)o_push(&g->nodes, sizeof *n) = (struct node){parent, region, computes};
    return g->nodes.n - 1;
}

/* ---- calls and intervals ---- */

static void find_nodes(struct graph *g, size_t l)
{
    g->node_of[l] = o_alloc(g->w->calls[l].n + 1, sizeof **g->node_of);
    for (size_t i = 0; i < g->w->calls[l].n; i++) {
        const struct o_call *c = o_call(g->w, l, i);
        const size_t parent = c->parent == O_NONE ? 0 : g->node_of[l][c->parent];
        g->node_of[l][i] = c->bare ? parent : node_at(g, parent, c->region, false);
        if (!c->bare)
            *(struct child *)o_push(&g->children[l], sizeof(struct child)) =
                (struct child){c->parent, 2 * c->first, g->node_of[l][i], O_NONE};
    }
}

static size_t node_of(const struct graph *g, size_t l, size_t call)
{
    return call == O_NONE ? 0 : g->node_of[l][call];
}

static void find_times(struct graph *g, size_t l, struct o_list *values)
{
    for (size_t e = 0; e + 1 < g->w->m->trace->location[l].n; e++) {
        const uint64_t length = o_event_time(g->w, l, e + 1) - o_event_time(g->w, l, e);
        const size_t call = o_open_after(g->w, l, e),
                     behind = o_is_bare(g->w, l, call, e) ? O_NONE : o_followed(g->w, l, call, e);
        size_t node = node_of(g, l, call);
        if (length == 0)
            continue;
        if (behind != O_NONE) {
            const struct child *x = g->children[l].item;
            bool is_new = true;
            node = node_at(g, node, o_call(g->w, l, behind)->region, true);
            for (size_t i = g->children[l].n; is_new && i > 0; i--)
                is_new = x[i - 1].behind != behind;
            if (is_new)
                *(struct child *)o_push(&g->children[l], sizeof *x) = (struct child){call, 2 * e + 1, node, behind};
        }
        while (values->n <= node)
            memset(o_push(values, sizeof(struct value)), 0, sizeof(struct value));
        ((struct value *)values->item)[node].time += length;
    }
}

/* ---- output ---- */

static void print_node(const struct graph *g, size_t node)
{
    const struct node *n = (const struct node *)g->nodes.item + node;
    char buffer[32];
    if (node == 0)
        return;
    print_node(g, n->parent);
    printf(n->computes ? "%s(after %s)" : "%s%s", n->parent == 0 ? "" : "/",
           o_region_name(g->w->m->trace, n->region, buffer));
}

static void print_vertex(const struct graph *g, size_t node)
{
    putchar('\t');
    print_node(g, node);
}

/* Waits for others, and no parts of other waits. */
static bool counts(const struct o_wait *x)
{
    static const char *const none[] = {"mpi_init_completion",
                                       "mpi_barrier_completion",
                                       "mpi_nxn_completion",
                                       "mpi_lswo_different",
                                       "mpi_lswo_same",
                                       "mpi_rma_late_complete",
                                       "omp_idle_threads",
                                       "omp_fork",
                                       "omp_join"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (!strcmp(x->pattern, none[i]))
            return false;
    return true;
}

static void print_values(struct graph *g, size_t l, const struct o_list *times)
{
    struct value *v = o_alloc(g->nodes.n, sizeof *v);
    if (times->n > 0)
        memcpy(v, times->item, times->n * sizeof *v);
    const struct child *x = g->children[l].item;
    for (size_t i = 0; i < g->children[l].n; i++)
        v[x[i].node].visits++;
    const struct o_wait *wait = g->w->found.item;
    for (size_t i = 0; i < g->w->found.n; i++)
        if (wait[i].location == l && counts(&wait[i]))
            v[node_of(g, l, wait[i].call)].waiting += wait[i].length;
    for (size_t n = 0; n < g->nodes.n; n++) {
        if (v[n].visits == 0 && v[n].time == 0)
            continue;
        printf("value\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, g->w->m->trace->location[l].def.id,
               v[n].visits, v[n].time, v[n].waiting < v[n].time ? v[n].waiting : v[n].time);
        print_vertex(g, n);
        putchar('\n');
    }
    free(v);
}

static void print_edges(const struct graph *g)
{
    const struct o_location *location = g->w->m->trace->location;
    const struct o_wait *x = g->w->found.item;
    for (size_t i = 0; i < g->w->found.n; i++) {
        if (!counts(&x[i]))
            continue;
        printf("edge\t%s\t%" PRIu64 "\t%" PRIu64 "\t1\t%" PRIu64 "\t%" PRIu64, x[i].pattern,
               location[x[i].location].def.id, location[x[i].cause.location].def.id, x[i].bytes, x[i].length);
        print_vertex(g, node_of(g, x[i].location, x[i].call));
        print_vertex(g, node_of(g, x[i].cause.location, x[i].cause.call));
        putchar('\n');
    }
    const struct o_receipt *r = g->w->receipts.item;
    for (size_t i = 0; i < g->w->receipts.n; i++) {
        printf("traffic\t1\t%" PRIu64, r[i].bytes);
        print_vertex(g, node_of(g, r[i].location, r[i].call));
        print_vertex(g, node_of(g, r[i].from.location, r[i].from.call));
        putchar('\n');
    }
}

static void print_step(const struct graph *g, size_t parent, const struct child *before, const struct child *behind)
{
    printf("order\t1");
    print_vertex(g, parent);
    if (before)
        print_vertex(g, before->node);
    else
        printf("\t-");
    if (behind)
        print_vertex(g, behind->node);
    else
        printf("\t-");
    putchar('\n');
}

/* The child of a call that follows behind `at`, one that communicates or any. */
static const struct child *next_child(const struct graph *g, size_t l, size_t call, size_t at, bool communicating)
{
    const struct child *x = g->children[l].item, *next = NULL;
    for (size_t i = 0; i < g->children[l].n; i++)
        if (x[i].call == call && x[i].at > at && (!next || x[i].at < next->at) &&
            (!communicating ||
             (x[i].behind == O_NONE && o_communicates(g->w, ((const struct node *)g->nodes.item)[x[i].node].region))))
            next = &x[i];
    return next;
}

static void print_order(const struct graph *g, size_t l)
{
    const struct child *x = g->children[l].item;
    for (size_t i = 0; i < g->children[l].n; i++) {
        const size_t parent = node_of(g, l, x[i].call);
        bool is_first = true;
        for (size_t k = 0; k < g->children[l].n; k++)
            is_first &= x[k].call != x[i].call || x[k].at >= x[i].at;
        if (is_first)
            print_step(g, parent, NULL, &x[i]);
        print_step(g, parent, &x[i], next_child(g, l, x[i].call, x[i].at, false));
        const struct child *to = x[i].behind == O_NONE ? NULL : next_child(g, l, x[i].call, x[i].at, true);
        if (to) {
            char buffer[32];
            printf("to\t1\t%s",
                   o_region_name(g->w->m->trace, ((const struct node *)g->nodes.item)[to->node].region, buffer));
            print_vertex(g, x[i].node);
            putchar('\n');
        }
    }
}

/* ---- counters ---- */

enum { ABSOLUTE = 1, RELATIVE = 2, LAST = 0x20, NEXT = 0x30, START = 0 };

static double real(uint64_t type, uint64_t value)
{
    double d;
    memcpy(&d, &value, sizeof d);
    return type == OTF2_TYPE_DOUBLE ? d : type == OTF2_TYPE_UINT64 ? (double)value : (double)(int64_t)value;
}

/* What a later value has more than an earlier one. Integers wrap. */
static double difference(uint64_t type, uint64_t later, uint64_t earlier)
{
    return type == OTF2_TYPE_DOUBLE ? real(type, later) - real(type, earlier) : real(type, later - earlier);
}

static const char *name_of(const struct o_trace *trace, const struct o_metric_member *member)
{
    const struct o_string *s = member ? o_find(&trace->strings, sizeof *s, member->name) : NULL;
    return s ? s->text : "";
}

static void print_increase(struct graph *g, size_t l, size_t e, const struct o_metric_member *member, double by)
{
    const size_t call = g->w->call_at[l][e], behind = o_followed(g->w, l, call, e);
    const double unit = member ? pow(member->base == OTF2_BASE_BINARY ? 2 : 10, (double)member->exponent) : 1;
    size_t node = node_of(g, l, call);
    if (behind != O_NONE)
        node = node_at(g, node, o_call(g->w, l, behind)->region, true);
    printf("metric\t%" PRIu64 "\t%s\t%.17g", g->w->m->trace->location[l].def.id, name_of(g->w->m->trace, member),
           by * unit);
    print_vertex(g, node);
    putchar('\n');
}

/* Value k of all events of a metric, from event `first` on. */
static void print_series(struct graph *g, size_t l, size_t first, size_t k)
{
    const struct o_location *location = &g->w->m->trace->location[l];
    const uint64_t metric = location->event[first].field[0];
    const struct o_metric_member *member = o_metric_member_of(g->w->m->trace, metric, k);
    const int mode = member ? member->mode : 0, timing = mode & 0xf0, kind = mode & 0x0f;
    const bool by_next = timing == NEXT,
               by_itself = !by_next && timing != START && (kind == RELATIVE || timing == LAST);
    const uint64_t type = location->extra[location->event[first].extra + 2 * k];
    size_t before = O_NONE;
    uint64_t held = 0;
    for (size_t e = first; kind != ABSOLUTE && e < location->n; e++) {
        const struct o_event *x = &location->event[e];
        if (x->kind != O_METRIC || x->field[0] != metric || k >= x->n_values)
            continue;
        const uint64_t value = location->extra[x->extra + 2 * k + 1];
        const bool is_number = type == OTF2_TYPE_DOUBLE ? isfinite(real(type, value))
                                                        : type == OTF2_TYPE_UINT64 || type == OTF2_TYPE_INT64;
        if (location->extra[x->extra + 2 * k] != type || !is_number)
            continue;
        const bool adds = by_itself || before != O_NONE;
        print_increase(g, l, e, member,
                       !adds       ? 0
                       : by_itself ? real(type, value)
                       : by_next   ? real(type, held)
                                   : difference(type, value, held));
        before = e;
        held = value;
    }
    if (by_next && before != O_NONE)
        print_increase(g, l, before, member, real(type, held));
}

static void print_counters(struct graph *g, size_t l)
{
    const struct o_location *location = &g->w->m->trace->location[l];
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *x = &location->event[e];
        for (size_t k = 0; x->kind == O_METRIC && k < x->n_values; k++) {
            bool is_first = true;
            for (size_t i = 0; i < e && is_first; i++)
                is_first = location->event[i].kind != O_METRIC || location->event[i].field[0] != x->field[0] ||
                           k >= location->event[i].n_values;
            if (is_first)
                print_series(g, l, e, k);
        }
    }
}

void o_print_ppg(const struct o_waits *w)
{
    const size_t n = w->m->trace->n_locations;
    struct graph g = {.w = w, .node_of = o_alloc(n, sizeof *g.node_of), .children = o_alloc(n, sizeof *g.children)};
    struct o_list *times = o_alloc(n, sizeof *times);
    memset(o_push(&g.nodes, sizeof(struct node)), 0, sizeof(struct node));
    for (size_t l = 0; l < n; l++) {
        find_nodes(&g, l);
        find_times(&g, l, &times[l]);
    }
    printf("clock\t%" PRIu64 "\n", w->m->trace->ticks_per_second);
    for (size_t l = 0; l < n; l++) {
        print_values(&g, l, &times[l]);
        print_order(&g, l);
        print_counters(&g, l);
    }
    print_edges(&g);
    for (size_t l = 0; l < n; l++) {
        free(g.node_of[l]);
        free(g.children[l].item);
        free(times[l].item);
    }
    free(times);
    free(g.node_of);
    free(g.children);
    free(g.nodes.item);
}
