/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of timeline share. timeline.c walks over the events, windows.c chooses the windows, keep.c keeps the
 * longest items of each, tables.c reports.
 *
 * The windows are known before the first event comes, so one pass over the events suffices, and only items in a
 * window are kept. The result does not depend on the order in which locations come: calls are kept by location,
 * messages are found at the receive, and two different items are never equal in the order that decides which are
 * kept. */
#ifndef TCFLOW_TIMELINE_H
#define TCFLOW_TIMELINE_H

#include "../shared/regions/call_stack.h"

#include <private/worst_waits.h>
#include <tcflow/filter.h>

typedef struct conf {
    int64_t windows, locations, max_intervals, max_messages;
    double padding;
} conf;

/* A call or a message that lies in a window at least in part. */
typedef struct item {
    uint64_t length;     /* ticks; of a call: its part in the window; of a message: from its send to its receive */
    uint64_t begin, end; /* enter and leave, send and receive */
    uint64_t order;      /* of a call: its number in the location; of a message: sender << 32 | receiver */
    uint64_t bytes;      /* of a message */
    uint64_t what;       /* of a call, as in call_stack.h */
    uint32_t depth;      /* of a call: the number of calls around it */
} item;

/* The longest items; a heap with the shortest one on top until it is sorted for the report. */
typedef struct items {
    item *at;
    uint32_t n, capacity;
    uint64_t dropped;
} items;

typedef struct window {
    tcf_worst_wait wait;
    uint64_t begin, end; /* what is shown, ticks; both included */
    uint32_t *location;  /* those that are shown, by index */
    uint32_t n_locations;
    uint32_t *row; /* by location: its position in `location`; TCF_NONE: it is not shown */
    items *calls;  /* by position */
    items messages;
} window;

/* State of a location. */
typedef struct place {
    call_stack calls;
    uint32_t edge;        /* the first edge of the slice that span() has not seen */
    uint64_t first, last; /* times of its events so far */
    uint64_t begin, end;  /* of all windows that show it */
    uint8_t started, is_shown;
} place;

/* What a send leaves for its receive. */
typedef struct sent {
    uint64_t time;
    uint32_t location;
    uint32_t is_there;
} sent;

typedef struct state {
    window *windows;
    uint32_t n_windows;
    uint64_t skipped; /* waits that are shown in the window of a longer one */
} state;

static inline place *place_of(const tcf_self *self, uint32_t location)
{
    return tcf_location_state(self, location);
}

/* windows.c */
tcf_status windows_choose(tcf_self *self, const tcf_worst_wait *waits, uint64_t n);
void windows_free(tcf_self *self);

/* keep.c. -1: out of memory. */
int keep(items *set, uint32_t most, const item *x);
/* Sorts by begin, items that begin together by `order`. */
void sort_items(items *set);

/* domains.c */
tcf_status timeline_pack(tcf_self *self, tcf_pack *pack);
tcf_status timeline_absorb(tcf_self *self, tcf_pack *pack);

/* tables.c */
tcf_status timeline_report(tcf_self *self);

#endif
