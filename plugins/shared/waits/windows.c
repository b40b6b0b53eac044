/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* General active target synchronisation of windows: MPI_Win_post and MPI_Win_wait at targets, MPI_Win_start and
 * MPI_Win_complete at origins. The trace records each call with the group of the other side, but without an edge. So
 * calls are matched by count: the k-th start of an origin for a target belongs to the k-th post of that target for the
 * origin, and so on. In domains they meet where the target is. */
#include "../places/keyed.h"
#include "internal.h"

#include <tcflow/processes.h>

#include <otf2/OTF2_Definitions.h>
#include <stdlib.h>
#include <string.h>

/* The pairs of calls that meet, for each window, origin and target. The first of the two waits in a queue. */
enum { POST_START, POST_COMPLETE, COMPLETE_WAIT, QUEUES };

typedef struct item {
    waits_sync sync;
    uint32_t next;
} item;

typedef struct pair {
    uint32_t head[QUEUES], tail[QUEUES];
} pair;

/* The members of a group as locations. */
typedef struct group {
    uint32_t *process;
    uint32_t n;
} group;

struct waits_windows {
    group *groups; /* by index */
    uint32_t n_groups;
    pair *pairs;
    keyed by; /* (id of the window, origin; target) */
    item *items;
    place_list item_places;
};

/* -------------------------------------------------------------------------------------------------------- groups -- */

static int resolve(const tcf_self *self, const tcf_def_group *locations, const tcf_def_group *from, group *to)
{
    to->process = malloc((from->number_of_members + 1u) * sizeof *to->process);
    if (!to->process)
        return -1;
    for (uint32_t i = 0; i < from->number_of_members; i++)
        if (from->members[i] < locations->number_of_members)
            to->process[to->n++] = self->host->find(self, TCF_REF_LOCATION, locations->members[from->members[i]]);
    return 0;
}

tcf_status windows_begin(tcf_self *self)
{
    waits *w = waits_of(self);
    const tcf_definitions *d = self->defs;
    const tcf_def_group *locations = tcf_processes_list(d);
    if (!locations)
        return TCF_OK;
    struct waits_windows *x = w->windows = calloc(1, sizeof *x);
    if (!x || !(x->groups = calloc(d->ids[TCF_REF_GROUP].n + 1u, sizeof *x->groups)))
        return self->host->fail(self, "out of memory for groups of processes");
    x->n_groups = d->ids[TCF_REF_GROUP].n;
    for (uint64_t i = 0; i < d->n_records; i++) {
        const tcf_def_group *g = d->records[i].as.def_group;
        if (d->records[i].kind != TCF_DEF_GROUP || g->group_type != OTF2_GROUP_TYPE_COMM_GROUP ||
            g->paradigm != TCF_PARADIGM_MPI)
            continue;
        group *to = &x->groups[self->host->find(self, TCF_REF_GROUP, g->self)];
        if (!to->process && resolve(self, locations, g, to) != 0)
            return self->host->fail(self, "out of memory for groups of processes");
    }
    return TCF_OK;
}

void windows_free(waits *w)
{
    struct waits_windows *x = w->windows;
    if (!x)
        return;
    for (uint32_t i = 0; i < x->n_groups; i++)
        free(x->groups[i].process);
    free(x->groups);
    keyed_free(x->pairs, &x->by);
    free(x->items);
    free(x);
    w->windows = NULL;
}

/* -------------------------------------------------------------------------------------------------------- queues -- */

static pair *pair_for(struct waits_windows *x, uint32_t window, uint32_t origin, uint32_t target)
{
    const uint32_t before = x->by.index.n;
    const uint32_t at = KEYED_FIND(&x->pairs, &x->by, (uint64_t)window << 32 | origin, target);
    if (at == before)
        memset(&x->pairs[at], 0xff, sizeof x->pairs[at]); /* NONE everywhere */
    return at == TCF_NONE ? NULL : &x->pairs[at];
}

/* Joins a call with the one that waits for it, or puts it into the queue. */
static tcf_status meet(tcf_self *self, const waits_sync *fresh)
{
    waits *w = waits_of(self);
    struct waits_windows *x = w->windows;
    pair *p = pair_for(x, fresh->window, fresh->origin, fresh->target);
    const uint8_t q = fresh->queue;
    if (!p)
        return self->host->fail(self, "out of memory for pairs of processes");
    uint32_t head = p->head[q];
    if (head == NONE || !x->items[head].sync.reply == !fresh->reply) {
        if (x->item_places.free == 0 && x->item_places.n >= w->max_open) {
            w->counts.let_go++;
            return TCF_OK;
        }
        const uint32_t i = PLACES_TAKE(&x->items, &x->item_places);
        if (i == NONE)
            return self->host->fail(self, "out of memory for calls that synchronise windows");
        x->items[i] = (item){.sync = *fresh, .next = NONE};
        if (head == NONE)
            p->head[q] = i;
        else
            x->items[p->tail[q]].next = i;
        p->tail[q] = i;
        return TCF_OK;
    }
    const item other = x->items[head];
    p->head[q] = other.next;
    PLACES_GIVE_BACK(x->items, &x->item_places, head);
    const waits_sync *answer = fresh->reply ? &other.sync : fresh, *waiting = fresh->reply ? fresh : &other.sync;
    return reply_tell(self, waiting->location, waiting->reply,
                      &(waits_answer){.time = answer->time,
                                      .since = answer->since,
                                      .location = answer->location,
                                      .callpath = answer->callpath});
}

tcf_status windows_told(tcf_self *self, const waits_sync *x)
{
    return meet(self, x);
}

/* Meets the other side where the target is, if that is known. */
static tcf_status meet_at_target(tcf_self *self, waits_sync x, uint8_t queue)
{
    const waits *w = waits_of(self);
    x.queue = queue;
    if (x.target >= self->defs->n_locations || waits_is_here(self, x.target))
        return meet(self, &x);
    const sync_letter l = {.kind = LETTER_SYNC, .sync = x};
    return w->domains->tell(self, w->domains->of(self, x.target), &l, sizeof l);
}

/* ------------------------------------------------------------------------------------------------------ the four -- */

/* The call waits for an answer of the other side. */
static tcf_status expect(const waits_at *at, waits_call *c, const waits_sync *mine, uint8_t queue, uint8_t pattern)
{
    uint32_t r;
    if (reply_new(at->self, IS_EXPECTED, &r) != TCF_OK)
        return TCF_ERROR;
    if (r != NONE) {
        at->w->replies[r].pattern = pattern;
        reply_list(at->w, r, &c->expected);
    }
    waits_sync waiting = *mine;
    waiting.reply = reply_handle(at->w, r);
    return meet_at_target(at->self, waiting, queue);
}

static tcf_status sync_with(const waits_at *at, waits_call *c, uint8_t what, uint32_t window, uint32_t other)
{
    tcf_self *self = at->self;
    const int at_target = what != WAITS_REGION_WIN_START && what != WAITS_REGION_WIN_COMPLETE;
    const uint32_t me = waits_process(self, at->s->location);
    const waits_sync mine = {.time = c->enter,
                             .since = at->k->accessed,
                             .location = at->s->location,
                             .callpath = c->callpath,
                             .window = window,
                             .origin = at_target ? other : me,
                             .target = at_target ? me : other};
    switch (what) {
    case WAITS_REGION_WIN_POST:
        return meet_at_target(self, mine, POST_START) == TCF_OK ? meet_at_target(self, mine, POST_COMPLETE) : TCF_ERROR;
    case WAITS_REGION_WIN_START:
        return expect(at, c, &mine, POST_START, WAIT_LATE_POST);
    case WAITS_REGION_WIN_COMPLETE:
        return expect(at, c, &mine, POST_COMPLETE, WAIT_LATE_POST) == TCF_OK ? meet_at_target(self, mine, COMPLETE_WAIT)
                                                                             : TCF_ERROR;
    default:
        return expect(at, c, &mine, COMPLETE_WAIT, WAIT_EARLY_WAIT);
    }
}

tcf_status windows_sync(const waits_at *at)
{
    const tcf_ev_rma_group_sync *r = &at->s->rec[at->i].rma_group_sync;
    const struct waits_windows *x = at->w->windows;
    waits_call *c = call_of(at);
    if (!c || r->group >= x->n_groups || !tcf_defined(at->self->defs->mpi_member[at->s->location]))
        return TCF_OK;
    const uint8_t what = extra_of(at->self, c);
    if (what < WAITS_REGION_WIN_POST || what > WAITS_REGION_WIN_TEST)
        return TCF_OK;
    const group *g = &x->groups[r->group];
    const uint32_t window = (uint32_t)tcf_id(at->self->defs, TCF_REF_RMA_WIN, r->win, TCF_NONE);
    for (uint32_t i = 0; i < g->n; i++)
        if (sync_with(at, c, what, window, g->process[i]) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}
