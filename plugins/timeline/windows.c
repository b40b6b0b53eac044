/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* timeline: which windows are shown, and which locations in each. */
#include "timeline.h"

#include <tcflow/order.h>
#include <tcflow/times.h>

#include <stdlib.h>

/* ----------------------------------------------------------------------------------------------------- locations -- */

/* A location, and its distance from the nearer one of those that waited and caused the wait. */
typedef struct neighbour {
    uint32_t distance, location;
} neighbour;

static int nearest_first(const void *a, const void *b)
{
    const neighbour *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->distance, y->distance), TCF_ORDER(x->location, y->location));
}

static int by_index(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return TCF_ORDER(*x, *y);
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static uint32_t distance_from(const tcf_worst_wait *w, uint32_t location)
{
    const uint32_t own = distance(location, w->location);
    const uint32_t cause = w->cause_location == TCF_NONE ? own : distance(location, w->cause_location);
    return cause < own ? cause : own;
}

static tcf_status choose_locations(const tcf_self *self, window *w)
{
    const conf *c = self->conf;
    const uint32_t all = self->defs->n_locations;
    neighbour *near = malloc((all + 1ul) * sizeof *near);
    uint32_t n = 0;
    w->location = malloc((all + 1ul) * sizeof *w->location);
    w->row = malloc((all + 1ul) * sizeof *w->row);
    for (uint32_t l = 0; near && l < all; l++)
        if (!tcf_location_at(self->defs, l)->silent)
            near[n++] = (neighbour){distance_from(&w->wait, l), l};
    tcf_sort(near, n, sizeof *near, nearest_first);
    w->n_locations = n < c->locations ? n : (uint32_t)c->locations;
    w->calls = calloc(w->n_locations + 1u, sizeof *w->calls);
    const int failed = !near || !w->location || !w->row || !w->calls;
    for (uint32_t l = 0; !failed && l < all; l++)
        w->row[l] = TCF_NONE;
    for (uint32_t i = 0; !failed && i < w->n_locations; i++)
        w->location[i] = near[i].location;
    if (!failed)
        tcf_sort(w->location, w->n_locations, sizeof *w->location, by_index);
    for (uint32_t i = 0; !failed && i < w->n_locations; i++)
        w->row[w->location[i]] = i;
    free(near);
    return failed ? self->host->fail(self, "out of memory for the locations of a window") : TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- windows -- */

/* A window reaches from the cause to the end of the wait. A cause that came after the wait began counts as its
 * begin, one further back than the wait is long as that far back. */
static void set_range(const conf *c, window *w)
{
    const tcf_worst_wait *x = &w->wait;
    const uint64_t end = tcf_ticks_sum(x->from, x->length), earliest = tcf_time_since(x->length, x->from);
    uint64_t begin = x->from;
    if (x->cause_location != TCF_NONE && x->cause_time < begin)
        begin = x->cause_time > earliest ? x->cause_time : earliest;
    const double margin = (double)(end - begin) * c->padding;
    const uint64_t ticks = margin < 0x1p64 ? (uint64_t)margin : UINT64_MAX;
    w->begin = tcf_time_since(ticks, begin);
    w->end = tcf_ticks_sum(end, ticks);
}

/* Is the wait shown in a window that has been chosen? */
static int is_seen(const state *st, const tcf_worst_wait *x)
{
    for (uint32_t i = 0; i < st->n_windows; i++) {
        const window *w = &st->windows[i];
        if (w->row[x->location] != TCF_NONE && x->from <= w->end && tcf_ticks_sum(x->from, x->length) >= w->begin)
            return 1;
    }
    return 0;
}

/* Extends the time for which the window's locations keep calls. */
static void tell_places(const tcf_self *self, const window *w)
{
    for (uint32_t i = 0; i < w->n_locations; i++) {
        place *p = place_of(self, w->location[i]);
        p->begin = !p->is_shown || w->begin < p->begin ? w->begin : p->begin;
        p->end = !p->is_shown || w->end > p->end ? w->end : p->end;
        p->is_shown = 1;
    }
}

tcf_status windows_choose(tcf_self *self, const tcf_worst_wait *waits, uint64_t n)
{
    const conf *c = self->conf;
    state *st = self->state;
    st->windows = calloc((size_t)c->windows + 1, sizeof *st->windows);
    if (!st->windows)
        return self->host->fail(self, "out of memory for windows");
    for (uint64_t i = 0; i < n && st->n_windows < c->windows; i++) {
        window *w = &st->windows[st->n_windows];
        if (is_seen(st, &waits[i])) {
            st->skipped++;
            continue;
        }
        w->wait = waits[i];
        set_range(c, w);
        st->n_windows++;
        if (choose_locations(self, w) != TCF_OK)
            return TCF_ERROR;
        tell_places(self, w);
    }
    return TCF_OK;
}

void windows_free(tcf_self *self)
{
    state *st = self->state;
    for (uint32_t i = 0; i < st->n_windows; i++) {
        window *w = &st->windows[i];
        for (uint32_t k = 0; w->calls && k < w->n_locations; k++)
            free(w->calls[k].at);
        free(w->calls);
        free(w->messages.at);
        free(w->location);
        free(w->row);
    }
    free(st->windows);
}
