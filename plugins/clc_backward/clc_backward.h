/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `clc_backward`: clc_backward.c holds slices and lets them go, jumps.c amortises the jumps of
 * a location, amortise.c has the function that is used, report.c reports what was done. */
#ifndef TCFLOW_CLC_BACKWARD_H
#define TCFLOW_CLC_BACKWARD_H

#include "amortise.h"

#include <private/hold_host.h>
#include <tcflow/clocks.h>

struct conf {
    double slope;
    tcf_duration max_interval;
    int64_t max_events;
};

/* A slice that is held. */
struct held {
    tcf_slice *slice;
    uint64_t number;     /* in order of arrival, over all locations */
    uint64_t last;       /* its last time when it came: it has only moved later since */
    uint64_t first;      /* number of its first event, of those of the location that have come */
    uint32_t first_jump; /* position in its list of edges, n_edges: there is none */
};

/* A position in the edges of the held slices. */
struct cursor {
    uint64_t slice; /* counted from the location's first one */
    uint32_t edge;
};

struct place {
    /* What a round over all locations reads comes first, because with many locations each cache line counts. */
    uint64_t begin, end; /* numbers of the first held slice, and of the next to come */
    uint64_t front;      /* `last` of the first held slice */
    uint64_t arrived;    /* time of the last event that has come */
    uint64_t jump_time;  /* of the jump that waits, without the jump */
    uint64_t in_reach;   /* the first held slice that a jump may move, by max_events: those before it are final */
    uint8_t pending;     /* a jump waits: */
    uint8_t looked;      /* known_to is set */
    uint8_t any_arrived, any_released, ended;
    uint32_t capacity;

    struct held *ring;      /* capacity a power of two; slice k stands at k & (capacity - 1) */
    uint64_t events;        /* that have come */
    uint64_t first;         /* time of the first one */
    uint64_t released;      /* of the last event that has been released */
    struct cursor jump;     /* the earliest that has not been amortised; those behind it wait too */
    struct cursor known_to; /* the limits of its sources are known behind this edge */

    struct counts {
        uint64_t jumps, full, limited, shortened, truncated, none; /* see report.c */
        uint64_t guessed;                                          /* sources that were not moved for want of a limit */
        uint64_t moved, longest, largest;
    } counts;
};

struct state {
    uint64_t slope;        /* in units of 2^-32 */
    uint64_t max_interval; /* ticks; UINT64_MAX: no bound */
    uint64_t max_events;
    int column;                                                   /* TCF_JUMP */
    tcf_slice *(*cut)(tcf_self *self, tcf_slice *s, uint32_t at); /* NULL: the host has none */
    uint64_t watermark;                                           /* when it was last looked at */
    uint64_t arrivals, held;
    uint32_t patience; /* arrivals to the next round over all locations */
    polyline line;
};

static inline struct held *held_at(const struct place *p, uint64_t number)
{
    return &p->ring[number & (p->capacity - 1)];
}

/* ------------------------------------------------------------------------------------------------------- jumps.c -- */

/* Looks which slices no jump reaches any more, by max_events: of the pending jump, or of those to come. */
void jump_look_back(const tcf_self *self, struct place *p);
/* The time of the jump at an edge, without the jump. */
uint64_t jump_time(const tcf_self *self, const tcf_slice *s, uint32_t edge);
/* Are the limits of all sources known that may bind the first pending jump? */
int jump_ready(tcf_self *self, struct place *p);
/* Amortises the first pending jump with what is known, and goes on to the next one. */
tcf_status jump_carry_out(tcf_self *self, struct place *p);
/* The first jump at or behind edge `from` of the slice; n_edges: there is none. */
uint32_t next_jump(const tcf_self *self, const tcf_slice *s, uint32_t from);

/* ------------------------------------------------------------------------------------------------------ report.c -- */

tcf_status report(tcf_self *self);
tcf_status report_pack(tcf_self *self, tcf_pack *pack);
tcf_status report_absorb(tcf_self *self, tcf_pack *pack);

#endif
