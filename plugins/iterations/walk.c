/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The walk over a location's events: its calls as a tree of visits, and the order in which each visit enters its
 * children.
 *
 * Each visit keeps a list of its children, the one entered last in front. When a child X is entered again, the children
 * in front of it have been entered since the last enter of X. So X comes for the first time in the present iteration of
 * each of them, and is counted there. The children behind X have had X in their present iteration already. */
#include "iterations.h"

#include <tcflow/grow.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- nodes -- */

/* A new node; NONE: out of memory. */
static uint32_t add_node(struct place *p, struct node x)
{
    if (TCF_GROW(&p->nodes, &p->capacity, p->n) != 0)
        return NONE;
    x.child = x.after = x.front = x.next = x.bursts = NONE;
    p->nodes[p->n] = x;
    return p->n++;
}

static uint32_t add_child(struct place *p, uint32_t parent, uint32_t region)
{
    if (tcf_map_put(&p->index, parent, region, p->n) != 0)
        return NONE;
    return add_node(p, (struct node){.parent = parent, .region = region, .depth = p->nodes[parent].depth + 1});
}

static inline int is_child(const struct place *p, uint32_t at, uint32_t parent, uint32_t region)
{
    return at != NONE && p->nodes[at].parent == parent && p->nodes[at].region == region;
}

/* Finds or makes a child of a node. NONE: max_paths is reached, or with *failed there is no memory. */
static uint32_t child_of(struct place *p, struct state *st, uint32_t parent, uint32_t region, uint32_t most,
                         int *failed)
{
    const uint32_t before = p->nodes[parent].child;
    const uint32_t guess = before != NONE ? p->nodes[before].after : NONE;
    uint32_t at = guess;
    if (!is_child(p, guess, parent, region)) {
        at = tcf_map_get(&p->index, parent, region);
        if (at == TCF_MAP_ABSENT && p->n > most) {
            st->counts.paths++;
            return NONE;
        }
        if (at == TCF_MAP_ABSENT && (at = add_child(p, parent, region)) == NONE) {
            *failed = 1;
            return NONE;
        }
        if (before != NONE)
            p->nodes[before].after = at;
    }
    p->nodes[parent].child = at;
    return at;
}

/* ----------------------------------------------------------------------------------------------------- sequences -- */

/* Counts a child in the present iteration of run r, for its n-th enter; `last` is the number of the enter before. A
 * child that comes less than half as often as the anchor of r is no part of its iterations. */
static inline void count_kind(struct run *r, uint64_t n, uint64_t last)
{
    const int often = 2 * n >= r->n;
    r->kinds += (uint64_t)often;
    r->common += (uint64_t)(often & (r->n > 1) & (last >= r->before));
}

/* A child that is entered for the first time in this visit of its parent has been in no iteration. */
static int join(struct place *p, struct state *st, struct node *parent, struct node *x, uint32_t most)
{
    if (x->rank == 0 && parent->n_children == most) {
        st->counts.children++;
        return -1;
    }
    for (uint32_t i = x->rank == 0 ? parent->front : NONE; i != NONE; i = p->nodes[i].next)
        count_kind(&p->nodes[i].run, 1, 0);
    run_clear(&x->run);
    x->of_visit = parent->visits;
    parent->n_children += x->rank == 0;
    return 0;
}

/* Takes a child out of the list, of which it is not the front. */
static void take_out(struct place *p, const struct node *parent, const struct node *x, uint32_t at)
{
    for (uint32_t i = parent->front;; i = p->nodes[i].next) {
        if (x->rank == 0)
            count_kind(&p->nodes[i].run, x->run.n + 1, x->run.last);
        if (p->nodes[i].next == at) {
            p->nodes[i].next = x->next;
            return;
        }
    }
}

/* Does an enter after a pause begin a burst? The pause is longer than the geometric mean of the durations before, which
 * a few long ones hardly change; of bursts than twice that of their pauses. */
static int begins_burst(struct node *x, uint64_t time, uint64_t pause)
{
    struct run *r = &x->run;
    const double log = log2((double)pause + 1);
    const int begins = r->n > 1 && log * ((double)r->n - 1) > r->logs;
    r->logs += x->rank == 0 ? log2((double)(time - r->last_time) + 1) : log + 1;
    return begins;
}

static int follow(const tcf_self *self, struct place *p, uint32_t at, uint64_t time, uint64_t pause);

/* A child is entered again in the same visit. Where it begins a burst the node of its bursts is entered as well, and
 * first, so that the enter lies in the burst that it begins. */
static inline int follow_bursts(const tcf_self *self, struct place *p, uint32_t at, uint64_t time, uint64_t pause)
{
    struct node *x = &p->nodes[at];
    if (begins_burst(x, time, pause)) {
        const struct node bursts = {.parent = x->parent, .region = x->region, .depth = x->depth, .rank = x->rank + 1};
        const uint32_t of = x->bursts != NONE ? x->bursts : add_node(p, bursts);
        if (of == NONE)
            return -1;
        p->nodes[at].bursts = of;
        return follow(self, p, of, time, pause);
    }
    if (x->bursts != NONE && p->nodes[x->bursts].of_visit == x->of_visit) {
        struct run *r = &p->nodes[x->bursts].run;
        r->inside.n++;
        r->inside.pauses += pause;
        r->inside.ticks += time - x->run.last_time;
    }
    return 0;
}

static int follow(const tcf_self *self, struct place *p, uint32_t at, uint64_t time, uint64_t pause)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    const struct node *before = &p->nodes[at];
    if (before->rank < MOST_RANK && before->of_visit == p->nodes[before->parent].visits &&
        follow_bursts(self, p, at, time, pause) != 0)
        return -1;
    struct node *x = &p->nodes[at], *parent = &p->nodes[x->parent];
    if (x->of_visit != parent->visits) {
        if (join(p, st, parent, x, (uint32_t)conf->max_children) != 0)
            return 0;
        x->next = parent->front;
    } else if (parent->front != at) {
        take_out(p, parent, x, at);
        x->next = parent->front;
    }
    parent->front = at;
    if (run_enter(&x->run, p->enters, time, &p->totals, conf, st->least) != 0)
        return -1;
    parent->most = x->run.n > parent->most ? x->run.n : parent->most;
    return 0;
}

/* Is the run of a child longer than those of the visits before? */
static inline int is_longest(const struct node *x, uint64_t least)
{
    return x->run.n >= least && (x->best.n == 0 || run_span(&x->run) > run_span(&x->best));
}

/* Ends a visit, and keeps the longest run of each child. */
static void close_visit(struct place *p, uint32_t at, uint64_t least)
{
    const struct node *v = &p->nodes[at];
    if (v->most < least)
        return;
    for (uint32_t i = v->front; i != NONE; i = p->nodes[i].next) {
        struct node *x = &p->nodes[i];
        if (!is_longest(x, least))
            continue;
        const struct run before = x->best;
        x->best = x->run;
        x->run = before;
    }
}

static void open_visit(struct node *v)
{
    v->visits++;
    v->front = NONE;
    v->n_children = 0;
    v->most = 0;
}

/* -------------------------------------------------------------------------------------------------- enter, leave -- */

/* Counts the time in MPI up to now. */
static inline void pass_mpi(struct place *p, uint64_t time)
{
    if (p->mpi_depth > 0)
        p->totals.mpi += time - p->mpi_since;
    p->mpi_since = time;
}

static int mark(const tcf_self *self, struct place *p, uint32_t region, uint64_t time)
{
    const struct state *st = self->state;
    if (p->marked_depth > 0 || region >= self->defs->n_regions || !st->marks[region])
        return 0;
    p->marked_depth = p->stack.depth;
    return run_enter(&p->marked, p->enters, time, &p->totals, self->conf, st->least);
}

static int enter(tcf_self *self, struct place *p, uint32_t region, uint64_t time)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    const uint32_t depth = p->stack.depth;
    const uint32_t parent = depth > 0 ? p->stack.open[depth - 1].row : ROOT + 1; /* 1 + a node, 0: there is none */
    uint32_t at = NONE;
    int failed = 0;
    const uint32_t same = region < self->defs->n_regions ? st->same[region] : region;
    if (p->mpi_depth > 0)
        pass_mpi(p, time);
    if (!st->marks && parent > 0)
        at = child_of(p, st, parent - 1, same, (uint32_t)conf->max_paths, &failed);
    if (failed || region_stack_enter(&p->stack, (region_frame){region, at == NONE ? 0 : at + 1}) != 0)
        return -1;
    if (p->stack.depth == depth)
        return 0; /* too deep */
    p->enters++;
    const uint64_t pause = time - p->quiet_since;
    p->quiet_since = time;
    if (at != NONE) {
        open_visit(&p->nodes[at]);
        failed = follow(self, p, at, time, pause);
    } else if (st->marks) {
        failed = mark(self, p, region, time);
    }
    if (p->mpi_depth == 0 && region < self->defs->n_regions && st->is_mpi[region]) {
        p->mpi_depth = p->stack.depth;
        p->mpi_since = time;
    }
    return failed;
}

static void leave(const tcf_self *self, struct place *p, uint32_t region, uint64_t time)
{
    const struct state *st = self->state;
    const uint32_t depth = p->stack.depth;
    region_stack_leave(&p->stack, region);
    const uint32_t now = p->stack.depth;
    for (uint32_t d = depth; d-- > now;) /* what was open is still there, above */
        if (p->stack.open[d].row > 0)
            close_visit(p, p->stack.open[d].row - 1, st->least);
    if (now < depth)
        p->quiet_since = time;
    if (p->mpi_depth > now) {
        pass_mpi(p, time);
        p->mpi_depth = 0;
    }
    if (p->marked_depth > now)
        p->marked_depth = 0;
}

/* -------------------------------------------------------------------------------------------------------- events -- */

static void communicate(struct totals *t, uint8_t kind, const tcf_rec *r)
{
    switch (kind) {
    case TCF_MPI_SEND:
    case TCF_MPI_ISEND:
        t->sent++;
        t->sent_bytes += r->mpi_send.msg_length;
        break;
    case TCF_MPI_RECV:
    case TCF_MPI_IRECV:
        t->received++;
        t->received_bytes += r->mpi_recv.msg_length;
        break;
    case TCF_MPI_COLLECTIVE_END:
    case TCF_NON_BLOCKING_COLLECTIVE_COMPLETE:
        t->collectives++;
        break;
    default:
        break;
    }
}

static int event(tcf_self *self, struct place *p, const tcf_slice *s, uint32_t i)
{
    switch (s->kind[i]) {
    case TCF_ENTER:
    case TCF_CALLING_CONTEXT_ENTER:
        return enter(self, p, tcf_region_of_event(self->defs, s, i), s->time[i]);
    case TCF_LEAVE:
    case TCF_CALLING_CONTEXT_LEAVE:
        leave(self, p, tcf_region_of_event(self->defs, s, i), s->time[i]);
        return 0;
    default:
        communicate(&p->totals, s->kind[i], &s->rec[i]);
        return 0;
    }
}

tcf_status walk_slice(tcf_self *self, tcf_slice *s)
{
    struct place *p = tcf_location_state(self, s->location);
    int failed = 0;
    if (s->n == 0)
        return TCF_OK;
    if (!p->used) {
        p->used = 1;
        p->first = s->time[0];
        failed = add_node(p, (struct node){.parent = ROOT, .region = NONE}) == NONE;
        p->quiet_since = p->first;
        if (!failed)
            open_visit(&p->nodes[ROOT]);
    }
    for (uint32_t i = 0; i < s->n && !failed; i++)
        failed = event(self, p, s, i) != 0;
    p->last = s->time[s->n - 1];
    return failed ? self->host->fail(self, "out of memory for %u call paths of a location", p->n) : TCF_OK;
}

void walk_end(tcf_self *self, struct place *p)
{
    const struct state *st = self->state;
    for (uint32_t d = p->stack.depth; d-- > 0;)
        if (p->stack.open[d].row > 0)
            close_visit(p, p->stack.open[d].row - 1, st->least);
    if (p->n > 0)
        close_visit(p, ROOT, st->least);
}

void walk_free(struct place *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        run_free(&p->nodes[i].run);
        run_free(&p->nodes[i].best);
    }
    run_free(&p->marked);
    free(p->nodes);
    tcf_map_free(&p->index);
    region_stack_free(&p->stack);
    p->nodes = NULL;
    p->n = p->capacity = 0;
}
