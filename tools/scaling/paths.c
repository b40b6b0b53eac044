/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The way back from a symptom, a vertex where processes wait, to its cause: Algorithm 1 of ScalAna. From a wait it goes
 * to the process that was waited for; there back in program order, into loops and functions from their ends, to the
 * nearest vertex which explains the wait: by its own time, beyond that of the one which waited, or by a wait of its
 * own, which is followed likewise. It goes on at collective operations, too, to the process that came last. */
#include "scaling.h"

#include <tcflow/order.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_HOPS = 1024, MOST_STARTS = 8, MOST_SYMPTOMS = 64, EXPLAINS = 50 /* percent of a wait */ };

/* A vertex to be looked at; inside: the way comes from within it. */
struct queued {
    uint32_t vertex;
    bool inside;
};

/* A row of the graph's order. Its key is the vertex that comes next or, where none does, n + the parent. */
struct keyed_row {
    const struct order_row *row;
    uint32_t key;
};

/* The order of the graph, and what is to be looked at, nearest first. */
struct order {
    uint32_t *first;              /* 2 n + 1, by key: where its rows begin */
    struct keyed_row *before;     /* rows by key, the most frequent first */
    uint32_t *seen, *seen_inside; /* by vertex: the turn in which it was put last */
    uint32_t turn;
    struct queued *queue;
    uint32_t n, n_queued;
};

struct way {
    struct hop hop[MOST_HOPS];
    uint32_t n;
};

static int compare_rows(const void *a, const void *b)
{
    const struct keyed_row *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->key, y->key), TCF_ORDER(y->row->count, x->row->count),
                     TCF_ORDER(x->row->vertex, y->row->vertex));
}

static struct order make_order(const struct study *s)
{
    const struct graph *g = &s->graph;
    struct order o = {.n = s->n_vertices};
    uint32_t n_rows = 0;
    o.first = allocate(2 * (size_t)o.n + 1, sizeof *o.first);
    o.before = allocate(g->n_order, sizeof *o.before);
    o.seen = allocate(o.n, sizeof *o.seen);
    o.seen_inside = allocate(o.n, sizeof *o.seen_inside);
    o.queue = allocate(2 * (size_t)o.n + 1, sizeof *o.queue);
    for (uint32_t i = 0; i < g->n_order; i++) {
        const struct order_row *r = &g->order[i];
        if (r->next == NONE && r->parent == NONE)
            continue;
        uint32_t key = r->next != NONE ? r->next : o.n + r->parent;
        o.before[n_rows++] = (struct keyed_row){r, key};
        o.first[key + 1]++;
    }
    for (uint32_t k = 0; k < 2 * o.n; k++)
        o.first[k + 1] += o.first[k];
    tcf_sort(o.before, n_rows, sizeof *o.before, compare_rows);
    return o;
}

static void free_order(struct order *o)
{
    free(o->first);
    free(o->before);
    free(o->seen);
    free(o->seen_inside);
    free(o->queue);
}

/* Does what it is made of come before it, too, since it is repeated? */
static bool repeats(const struct study *s, const struct order *o, uint32_t vertex)
{
    return strcmp(s->vertex[vertex].kind, "loop") == 0 ||
           (o->first[vertex] < o->first[vertex + 1] && o->before[o->first[vertex]].row->vertex == vertex);
}

/* Puts a vertex behind those to be looked at, unless this turn has had it. One that the way came from within may come
 * again, from behind: an iteration before. */
static void put(struct order *o, uint32_t vertex, bool inside)
{
    if (vertex == NONE || o->seen[vertex] == o->turn || (inside && o->seen_inside[vertex] == o->turn))
        return;
    *(inside ? &o->seen_inside[vertex] : &o->seen[vertex]) = o->turn;
    o->queue[o->n_queued++] = (struct queued){vertex, inside};
}

/* Puts what the rows of this key have first, or the parent where that is none: the most frequent first. */
static void put_rows(struct order *o, uint32_t key, uint32_t parent)
{
    for (uint32_t i = o->first[key]; i < o->first[key + 1]; i++) {
        const uint32_t vertex = o->before[i].row->vertex;
        put(o, vertex != NONE ? vertex : parent, vertex == NONE);
    }
}

/* Puts what comes before a vertex in program order: the ends of what it is made of, and what comes before it in its
 * parent, or its parent. */
static void put_before(const struct study *s, struct order *o, const struct queued *q)
{
    if (!q->inside || repeats(s, o, q->vertex))
        put_rows(o, o->n + q->vertex, NONE);
    put_rows(o, q->vertex, s->vertex[q->vertex].parent);
}

/* A vertex of a process that another one waited for, and which part of the wait it explains: by its own time beyond
 * that of the one that waited, or by waiting itself. */
struct finding {
    uint32_t vertex;
    double part;
    bool waits;
    uint32_t passed; /* how many vertices of the queue were looked at before it */
};

/* Own time is held against the waits for this process, waits against those for all: when this one came last, others may
 * have waited for it elsewhere. */
static struct finding look_at(const struct study *s, uint32_t vertex, size_t waiter, const struct wait_edge *e)
{
    const struct graph *g = &s->graph;
    const size_t row = (size_t)vertex * g->n_processes, cell = row + e->process;
    double own = (g->own[cell] - g->own[row + waiter % g->n_processes]) / e->waiting;
    double waiting = g->edge[cell].vertex != NONE ? g->waiting[cell] / g->waiting[waiter] : 0;
    return waiting > own ? (struct finding){vertex, waiting, true, 0} : (struct finding){vertex, own, false, 0};
}

/* The nearest vertex that explains half of the waits of a cell for another process, back from where that was when it
 * came; else the one that explains most. What it waited in that call, it did so after it had come. */
static struct finding find_back(const struct study *s, struct order *o, size_t waiter)
{
    const struct wait_edge *e = &s->graph.edge[waiter];
    struct finding best = {NONE, 0, false, 0};
    o->turn++;
    o->queue[0] = (struct queued){e->vertex, false};
    o->n_queued = 1;
    for (uint32_t i = 0; i < o->n_queued && 100 * best.part < EXPLAINS; i++) {
        struct finding f = look_at(s, o->queue[i].vertex, waiter, e);
        f.passed = i;
        if (f.part > best.part && !(i == 0 && f.waits))
            best = f;
        put_before(s, o, &o->queue[i]);
    }
    return best;
}

static bool was_there(const struct way *w, uint32_t vertex, uint32_t process)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->hop[i].vertex == vertex && w->hop[i].process == process)
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------------ symptoms -- */

/* A vertex, and by how much its waits grow. */
struct symptom {
    uint32_t vertex;
    double grown;
};

static int compare_symptoms(const void *a, const void *b)
{
    const struct symptom *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->grown, x->grown), TCF_ORDER(x->vertex, y->vertex));
}

static struct symptom *find_symptoms(const struct study *s, uint32_t *n)
{
    const struct size *a = smallest(s), *b = largest(s);
    struct symptom *symptoms = allocate(s->graph.n_vertices, sizeof *symptoms);
    *n = 0;
    for (uint32_t v = 0; v < s->graph.n_vertices; v++) {
        double grown = b->of[v].waiting - a->of[v].waiting * b->growth;
        if (grown > 0)
            symptoms[(*n)++] = (struct symptom){v, grown};
    }
    tcf_sort(symptoms, *n, sizeof *symptoms, compare_symptoms);
    *n = *n < MOST_SYMPTOMS ? *n : MOST_SYMPTOMS;
    return symptoms;
}

static bool has_process(const struct cause *c, uint32_t process)
{
    for (uint32_t i = 0; i < c->n_processes; i++)
        if (c->process[i] == process)
            return true;
    return false;
}

/* The processes that wait longest in a vertex for a process of the cause; NULL: for any process. */
static uint32_t find_starts(const struct study *s, uint32_t vertex, const struct cause *c, uint32_t starts[MOST_STARTS])
{
    const struct graph *g = &s->graph;
    const size_t row = (size_t)vertex * g->n_processes;
    uint32_t n = 0;
    for (uint32_t p = 0; p < g->n_processes; p++) {
        const struct wait_edge *e = &g->edge[row + p];
        if (e->vertex == NONE || (c && !has_process(c, e->process)))
            continue;
        uint32_t at = n < MOST_STARTS ? n : MOST_STARTS;
        for (; at > 0 && g->waiting[row + p] > g->waiting[row + starts[at - 1]]; at--)
            if (at < MOST_STARTS)
                starts[at] = starts[at - 1];
        if (at < MOST_STARTS) {
            starts[at] = p;
            n += n < MOST_STARTS;
        }
    }
    return n;
}

/* -------------------------------------------------------------------------------------------------------- causes -- */

static bool is_part(const struct study *s, uint32_t vertex, uint32_t process, const struct cause *c)
{
    return s->group_of[vertex] == c->fitted && has_process(c, process);
}

/* Takes the way from its last hop to own time of the cause, if it passes some on its way back to what explains half of
 * that wait: in a chain of processes each has a small part. */
static bool pass(const struct study *s, const struct order *o, const struct finding *f, const struct cause *c,
                 uint32_t process, struct way *w)
{
    for (uint32_t i = 0; i < f->passed && 100 * f->part >= EXPLAINS; i++) {
        const uint32_t vertex = o->queue[i].vertex;
        if (is_part(s, vertex, process, c) && s->graph.own[(size_t)vertex * s->graph.n_processes + process] > 0) {
            w->hop[w->n++] = (struct hop){vertex, process, NONE, 0};
            return true;
        }
    }
    return false;
}

/* The way back from a wait; it ends where it passes `passed` (NULL: nothing). */
static void follow(const struct study *s, struct order *o, uint32_t vertex, uint32_t process,
                   const struct cause *passed, struct way *w)
{
    const struct graph *g = &s->graph;
    w->n = 0;
    while (w->n + 1 < MOST_HOPS && !was_there(w, vertex, process)) {
        size_t cell = (size_t)vertex * g->n_processes + process;
        const struct wait_edge *e = &g->edge[cell];
        w->hop[w->n++] = (struct hop){vertex, process, e->process, g->waiting[cell]};
        struct finding f = find_back(s, o, cell);
        if (f.vertex == NONE || (passed && pass(s, o, &f, passed, e->process, w)))
            return;
        if (!f.waits) {
            w->hop[w->n++] = (struct hop){f.vertex, e->process, NONE, 0};
            return;
        }
        vertex = f.vertex;
        process = e->process;
    }
}

/* Where a way comes to the cause: the number of its hops up to there; 0: it does not. */
static uint32_t reaches(const struct study *s, const struct way *w, const struct cause *c)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (is_part(s, w->hop[i].vertex, w->hop[i].process, c))
            return i + 1;
    return 0;
}

static void take_path(struct cause *c, const struct hop *hops, uint32_t n)
{
    c->path = allocate(n, sizeof *c->path);
    memcpy(c->path, hops, n * sizeof *hops);
    c->n_hops = n;
    c->agrees = true;
}

/* Of a cause that no way comes to the path is that of the largest symptom, and says so; that of a cause which nobody
 * waits for is itself. */
static void take_default(const struct study *s, struct cause *c, const struct way *first)
{
    struct hop own = {c->vertex, c->process[0], NONE, 0};
    bool waited = s->loss[c->vertex].delay > s->loss[c->vertex].own;
    if (waited && first->n > 0)
        take_path(c, first->hop, first->n);
    else
        take_path(c, &own, 1);
    c->agrees = !waited;
}

/* What all ways begin from. */
struct search {
    struct order order;
    struct symptom *symptom;
    uint32_t n;
};

/* Takes the first way that comes to the cause from where processes wait longest for one of its processes. */
static void find_way_to(const struct study *s, struct search *from, struct cause *c, bool passing)
{
    struct way way;
    uint32_t starts[MOST_STARTS] = {0};
    for (uint32_t i = 0; i < from->n && !c->path; i++) {
        uint32_t n = find_starts(s, from->symptom[i].vertex, c, starts);
        for (uint32_t k = 0; k < n && !c->path; k++) {
            follow(s, &from->order, from->symptom[i].vertex, starts[k], passing ? c : NULL, &way);
            uint32_t hops = reaches(s, &way, c);
            if (hops > 0)
                take_path(c, way.hop, hops);
        }
    }
}

/* Takes the first way to each cause from where processes wait longest. first: the first one of all. */
static void find_ways(struct study *s, struct search *from, struct way *first)
{
    struct way way;
    uint32_t starts[MOST_STARTS] = {0};
    for (uint32_t i = 0; i < from->n; i++) {
        uint32_t n = find_starts(s, from->symptom[i].vertex, NULL, starts);
        for (uint32_t k = 0; k < n; k++) {
            follow(s, &from->order, from->symptom[i].vertex, starts[k], NULL, &way);
            if (first->n == 0)
                *first = way;
            for (uint32_t c = 0; c < s->n_causes; c++) {
                uint32_t hops = s->cause[c].path ? 0 : reaches(s, &way, &s->cause[c]);
                if (hops > 0)
                    take_path(&s->cause[c], way.hop, hops);
            }
        }
    }
}

void find_paths(struct study *s)
{
    struct search from = {.order = make_order(s)};
    struct way first = {.n = 0};
    from.symptom = find_symptoms(s, &from.n);
    find_ways(s, &from, &first);
    for (uint32_t c = 0; c < s->n_causes; c++) {
        find_way_to(s, &from, &s->cause[c], false);
        find_way_to(s, &from, &s->cause[c], true);
        if (!s->cause[c].path)
            take_default(s, &s->cause[c], &first);
    }
    free(from.symptom);
    free_order(&from.order);
}
