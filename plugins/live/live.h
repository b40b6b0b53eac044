/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* live: what its parts share: events (live.c), sums over the last seconds (recent.c), what is written (shots.c). */
#ifndef TCFLOW_LIVE_H
#define TCFLOW_LIVE_H

#include "../shared/regions/region_stack.h"
#include "../shared/waits/waits.h"
#include <private/output_host.h>
#include <tcflow/filter.h>
#include <tcflow/processes.h>

#include <stdio.h>

typedef struct conf {
    const char *output;
    tcf_duration every, window;
    double speed;
    int64_t max_open;
    int overwrite;
} conf;

/* -------------------------------------------------------------------------------------------------------- recent -- */

enum { BUCKETS = 16 };

/* A sum over the last BUCKETS stretches of time, each `width` ticks wide; older ones are forgotten. All zero: empty. */
typedef struct recent {
    struct {
        uint64_t number, ticks, count; /* number: 1 + that of the stretch; 0: none */
    } at[BUCKETS];
} recent;

/* Adds the time from `from` to `to`, and one to the count of the stretch of `to`. */
void recent_add(recent *r, uint64_t width, uint64_t from, uint64_t to);
/* What lies in the stretch of `now` and the BUCKETS - 1 before it. */
uint64_t recent_ticks(const recent *r, uint64_t width, uint64_t now);
uint64_t recent_count(const recent *r, uint64_t width, uint64_t now);

/* --------------------------------------------------------------------------------------------------------- state -- */

/* What a process does; LETTERS has a letter for each. */
enum { NOTHING_YET, COMPUTES, COMMUNICATES, THREADS, IDLES, OUTSIDE, ENDED };
#define LETTERS "-cmtioe"

/* A location; `stands` ones show what their process does. */
typedef struct lane {
    uint64_t last, events; /* time of the last event, and how many there were */
    uint8_t stands, does;
    uint32_t region;    /* innermost; TCF_NONE: none */
    region_stack stack; /* rows: what the process does, with the bits of region_kinds.h */
    recent communicates, waits;
} lane;

typedef struct state {
    waits_user use; /* first: waits.h */
    tcf_processes processes;
    uint8_t *does; /* by region, with the same bits */
    recent *waits; /* by pattern */
    uint64_t width, first, now;
    uint64_t events, sent, received, bytes; /* messages */
    uint64_t began, shown;                  /* ns by the machine's clock */
    uint64_t every;                         /* ns */
    tcf_output file;                        /* without a name: standard output */
    FILE *out;
    int has_begun, over;
} state;

/* shots.c. Writes what there is to see. */
tcf_status shot_write(tcf_self *self);

#endif
