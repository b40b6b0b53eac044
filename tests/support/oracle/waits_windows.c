/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Waits at MPI_Win_start, _complete and _wait: the k-th of an origin for a target with the k-th of that target for the
 * origin. */
#include "waits.h"

#include <stdlib.h>
#include <string.h>

enum what { POST, START, COMPLETE, WAIT, OTHER };

/* A synchronisation with one process of its group. */
struct sync {
    enum what what;
    uint64_t window, origin, target; /* the members of MPI */
    struct o_spot spot;
    size_t event, number; /* number: among the same of its process */
};

static enum what what_of(const struct o_waits *w, struct o_spot spot)
{
    static const char *const names[] = {"MPI_Win_post", "MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait"};
    const struct o_call *c = o_call(w, spot.location, spot.call);
    char buffer[32];
    for (int i = 0; c && i < OTHER; i++)
        if (!strcmp(o_region_name(w->m->trace, c->region, buffer), names[i]))
            return (enum what)i;
    return c && !strcmp(o_region_name(w->m->trace, c->region, buffer), "MPI_Win_test") ? WAIT : OTHER;
}

static const struct o_group *locations_of(const struct o_trace *trace)
{
    const struct o_group *g = trace->groups.item;
    for (size_t i = 0; i < trace->groups.n; i++)
        if (g[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS && g[i].paradigm == OTF2_PARADIGM_MPI && g[i].n > 0)
            return &g[i];
    return NULL;
}

static const struct o_group *group_of(const struct o_trace *trace, uint64_t id)
{
    const struct o_group *g = trace->groups.item;
    for (size_t i = 0; i < trace->groups.n; i++)
        if (g[i].def.id == id && g[i].type == OTF2_GROUP_TYPE_COMM_GROUP && g[i].paradigm == OTF2_PARADIGM_MPI)
            return &g[i];
    return NULL;
}

static bool is_same(const struct sync *a, const struct sync *b)
{
    return a->window == b->window && a->origin == b->origin && a->target == b->target;
}

static void add_syncs(const struct o_waits *w, struct o_list *list, size_t l, size_t e)
{
    const struct o_trace *trace = w->m->trace;
    const struct o_event *event = &trace->location[l].event[e];
    const struct o_group *locations = locations_of(trace), *g = group_of(trace, event->field[2]);
    struct sync s = {.window = event->field[1], .spot = o_spot(w, l, e), .event = e};
    s.what = what_of(w, s.spot);
    uint64_t me;
    if (!o_stands_for(trace, OTF2_PARADIGM_MPI, l, &me))
        return;
    for (size_t i = 0; s.what != OTHER && g && locations && i < g->n; i++) {
        uint64_t other = g->member[i] < locations->n ? locations->member[g->member[i]] : UINT64_MAX;
        bool at_target = s.what == POST || s.what == WAIT;
        s.origin = at_target ? other : me;
        s.target = at_target ? me : other;
        s.number = 0;
        const struct sync *x = list->item;
        for (size_t k = 0; k < list->n; k++)
            s.number += x[k].what == s.what && is_same(&x[k], &s);
        *(struct sync *)o_push(list, sizeof s) = s;
    }
}

static const struct sync *find(const struct o_list *list, enum what what, const struct sync *like)
{
    const struct sync *x = list->item;
    for (size_t i = 0; i < list->n; i++)
        if (x[i].what == what && is_same(&x[i], like) && x[i].number == like->number)
            return &x[i];
    return NULL;
}

/* When a location had left its last access to a window before an event. */
static uint64_t last_access(const struct o_waits *w, const struct sync *s)
{
    const struct o_location *location = &w->m->trace->location[s->spot.location];
    uint64_t last = 0;
    for (size_t e = 0; e < s->event; e++) {
        enum o_kind kind = (enum o_kind)location->event[e].kind;
        const struct o_call *c = o_call(w, s->spot.location, w->of_event[s->spot.location][e]);
        if ((kind == O_RMA_PUT || kind == O_RMA_GET || kind == O_RMA_ATOMIC) && c && c->last < s->event &&
            c->leave > last)
            last = c->leave;
    }
    return last;
}

/* What a call waits for; the longest wait of it counts. */
static void judge(struct o_waits *w, const struct o_list *list, const struct sync *s, size_t n)
{
    const struct o_call *c = o_call(w, s->spot.location, s->spot.call);
    struct o_wait wait = {.pattern = s->what == WAIT ? "mpi_rma_early_wait" : "mpi_rma_sync_late_post",
                          .location = s->spot.location,
                          .call = s->spot.call,
                          .from = c->enter};
    const struct sync *cause = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct sync *other = find(list, s->what == WAIT ? COMPLETE : POST, &s[i]);
        if (!other || other->spot.time <= c->enter || (s->what != WAIT && other->spot.time >= c->leave))
            continue;
        uint64_t length = (other->spot.time < c->leave ? other->spot.time : c->leave) - c->enter;
        bool rather = length > wait.length ||
                      (length == wait.length &&
                       (other->spot.time > wait.cause.time ||
                        (other->spot.time == wait.cause.time && other->spot.location < wait.cause.location)));
        if (length == 0 || !rather)
            continue;
        cause = other;
        wait.length = length;
        wait.cause = other->spot;
        wait.reversed = s->what == WAIT && other->spot.time > c->leave;
    }
    o_add_wait(w, &wait);
    uint64_t since = cause && s->what == WAIT ? last_access(w, cause) : 0, until = wait.from + wait.length;
    since = since > wait.from ? since : wait.from;
    if (!cause || s->what != WAIT || since >= until)
        return;
    wait.pattern = "mpi_rma_late_complete";
    wait.from = since;
    wait.length = until - since;
    o_add_wait(w, &wait);
}

void o_find_window_waits(struct o_waits *w)
{
    struct o_list list = {0};
    for (size_t l = 0; l < w->m->trace->n_locations; l++)
        for (size_t e = 0; e < w->m->trace->location[l].n; e++)
            if (w->m->trace->location[l].event[e].kind == O_RMA_GROUP_SYNC)
                add_syncs(w, &list, l, e);
    const struct sync *x = list.item;
    for (size_t i = 0, n; i < list.n; i += n) {
        for (n = 1;
             i + n < list.n && x[i + n].spot.location == x[i].spot.location && x[i + n].spot.call == x[i].spot.call;)
            n++;
        if (x[i].what != POST && !o_only_tests(w, x[i].spot.location, x[i].spot.call))
            judge(w, &list, &x[i], n);
    }
    free(list.item);
}
