/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Numbers the vertices: call paths with the same names are one. A call path is a vertex where some location was in it,
 * or in a call path below it. Beyond max_vertices those with the most time stay, with their parents. */
#include "ppg.h"

#include <tcflow/order.h>
#include <tcflow/times.h>

#include <stdlib.h>

/* A call path, by its place in paths.order, which has parents first. */
struct candidate {
    uint64_t time; /* of all locations, with what it calls */
    uint32_t place;
    uint32_t first_child, next_child; /* places; NONE */
    uint8_t is_there, is_kept;
};

static void add_cells(tcf_self *self, const struct paths *paths, struct candidate *c)
{
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct place *p = tcf_location_state(self, l);
        for (uint32_t k = 0; k < p->cells.n_chunks; k++) {
            const struct cell *cells = (const void *)p->cells.chunk[k];
            for (uint32_t i = 0; cells && i < CELLS_A_CHUNK && k * CELLS_A_CHUNK + i < paths->n; i++) {
                if (cells[i].visits == 0 && cells[i].time == 0 && cells[i].spot == 0)
                    continue;
                struct candidate *x = &c[paths->place[k * CELLS_A_CHUNK + i]];
                x->time = tcf_ticks_sum(x->time, cells[i].time);
                x->is_there = 1;
            }
        }
    }
}

static uint32_t parent_of(const struct paths *paths, uint32_t place)
{
    return paths->place[paths->nodes[paths->order[place]].parent];
}

/* The most time first. A parent has no less than its children, and stands before them. */
static int compare(const void *a, const void *b)
{
    const struct candidate *const *p = a, *const *q = b, *x = *p, *y = *q;
    return TCF_FIRST(TCF_ORDER(y->is_there, x->is_there), TCF_ORDER(y->time, x->time), TCF_ORDER(x->place, y->place));
}

static int keep(tcf_self *self, struct candidate *c, uint32_t n)
{
    const uint64_t most = (uint64_t)((const struct conf *)self->conf)->max_vertices;
    struct candidate **sorted = malloc((n + 1ul) * sizeof *sorted);
    for (uint32_t i = 0; sorted && i < n; i++)
        sorted[i] = &c[i];
    if (sorted)
        qsort(sorted, n, sizeof *sorted, compare);
    for (uint32_t i = 0; sorted && i < n; i++) {
        sorted[i]->is_kept = sorted[i]->is_there && i < most;
        ((struct state *)self->state)->limits.folded += sorted[i]->is_there && i >= most;
    }
    free(sorted);
    return sorted ? 0 : -1;
}

/* Goes down to the first child, else to the next one, of the call path or of those above it. */
static uint32_t following(const struct paths *paths, const struct candidate *c, uint32_t place)
{
    if (c[place].first_child != NONE)
        return c[place].first_child;
    while (place != 0 && c[place].next_child == NONE)
        place = parent_of(paths, place);
    return place == 0 ? NONE : c[place].next_child;
}

/* `vertex_of`: by place. */
static void number_vertices(struct vertices *v, const struct candidate *c, uint32_t *vertex_of)
{
    const struct paths *paths = &v->paths;
    for (uint32_t place = 0; place != NONE; place = following(paths, c, place)) {
        vertex_of[place] = v->n;
        v->node[v->n] = paths->order[place];
        v->parent[v->n++] = place == 0 ? NONE : vertex_of[parent_of(paths, place)];
    }
}

static int make(tcf_self *self, struct vertices *v)
{
    const struct state *st = self->state;
    struct paths *paths = &v->paths;
    struct candidate *c = calloc(paths->n_order + 1ul, sizeof *c);
    uint32_t *vertex_of = malloc((paths->n_order + 1ul) * sizeof *vertex_of);
    v->of = malloc((paths->n + 1ul) * sizeof *v->of);
    v->node = malloc((paths->n_order + 1ul) * sizeof *v->node);
    v->parent = malloc((paths->n_order + 1ul) * sizeof *v->parent);
    int failed = !c || !vertex_of || !v->of || !v->node || !v->parent;
    for (uint32_t i = 0; !failed && i < paths->n_order; i++) {
        c[i] = (struct candidate){.place = i, .first_child = NONE, .next_child = NONE, .is_there = i == 0};
        vertex_of[i] = NONE;
    }
    if (!failed) {
        add_cells(self, paths, c);
        for (uint32_t i = paths->n_order; i-- > 1;) {
            struct candidate *parent = &c[parent_of(paths, i)];
            parent->time = tcf_ticks_sum(parent->time, c[i].time);
            parent->is_there |= c[i].is_there;
        }
        failed = keep(self, c, paths->n_order);
    }
    for (uint32_t i = failed ? 0 : paths->n_order; i-- > 1;) {
        if (!c[i].is_kept)
            continue;
        struct candidate *parent = &c[parent_of(paths, i)];
        c[i].next_child = parent->first_child;
        parent->first_child = i;
    }
    if (!failed) {
        number_vertices(v, c, vertex_of);
        if ((v->has_rest = st->limits.folded > 0)) {
            v->node[v->n] = NONE;
            v->parent[v->n++] = 0;
        }
        for (uint32_t i = 0; i < paths->n; i++) {
            const struct candidate *x = &c[paths->place[i]];
            v->of[i] = x->is_kept ? vertex_of[x->place] : x->is_there ? v->n - 1 : NONE;
        }
    }
    free(c);
    free(vertex_of);
    return failed ? -1 : 0;
}

tcf_status vertices_make(tcf_self *self, struct vertices *v)
{
    *v = (struct vertices){0};
    if (paths_begin(&v->paths, self) != TCF_OK)
        return TCF_ERROR;
    if (make(self, v) == 0)
        return TCF_OK;
    vertices_free(v);
    return self->host->fail(self, "out of memory for the vertices");
}

void vertices_free(struct vertices *v)
{
    free(v->of);
    free(v->node);
    free(v->parent);
    paths_free(&v->paths);
}
