/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `ppg`. ppg.c is the filter; graph.c follows calls: time, visits, order, computation; edges.c
 * sums up waits and traffic; counters.c the metrics; domains.c joins what domains have found; vertices.c numbers the
 * vertices at the end, and report.c makes the tables. plugins/shared/waits finds the waits. README.md has the
 * definitions. */
#ifndef TCFLOW_PPG_H
#define TCFLOW_PPG_H

#include "../shared/callpaths/path_cells.h"
#include "../shared/callpaths/paths.h"
#include "../shared/numbers/series.h"
#include "../shared/places/keyed.h"
#include "../shared/waits/waits.h"

#define NONE UINT32_MAX

struct conf {
    int64_t max_vertices, max_edges, max_open;
};

/* -------------------------------------------------------------------------------------------------------- places -- */

/* A call path of a location, as the location's domain numbers call paths until settle(). Ticks. */
struct cell {
    uint64_t visits, time, waiting;
    uint32_t spot; /* its number in state.spots + 1; 0: it has none */
};

/* An open call, or the root below all calls. Own time is that without inner calls. */
struct open {
    uint64_t counted; /* how much of its own time is in cells */
    uint32_t last;    /* the child that was there last; 0: none */
    uint32_t at;      /* the computation node that has its own time now; 0: the call path itself */
    uint8_t begun;    /* some time passed in `at` */
};

/* A member of a metric in a location, and the counter that its last sample was added to. */
struct sampled {
    series series;
    uint8_t is_left_out; /* neither accumulated nor relative */
};

struct place {
    const waits_track *track; /* waits.h */
    path_cells cells;         /* struct cell */
    struct open *open;        /* by depth; 0: the root */
    uint32_t n_open;
    uint64_t inside; /* time in calls */
    struct sampled *sampled;
    keyed sampled_by; /* (metric, position) */
};

static inline struct cell *cell_of(struct place *p, uint32_t callpath)
{
    return path_cell(&p->cells, callpath, sizeof(struct cell));
}

/* --------------------------------------------------------------------------------------------------------- state -- */

/* What is known of a call path, of all locations together. The last ones of its pairs need no look-up. */
struct node {
    uint64_t first, last; /* how often it was the first, and the last, child in a call of its parent */
    uint32_t next, next_pair;
    uint32_t ended_by, ended_pair; /* of a computation node */
    uint32_t from, from_pair;
    uint32_t computation; /* the last waits_computation() behind calls of this call path; 0: not asked yet */
};

/* Two call paths in a relation, of all locations together; each as a domain numbers call paths. */
struct pair {
    uint32_t a, b, relation;
    uint32_t a_of, b_of; /* domains */
    uint64_t count, bytes;
};
enum { FOLLOWED_BY, ENDED_BY, RECEIVES_FROM, RELATIONS };

/* A call path of a location that waits, or is waited for, or has counters. */
struct spot {
    uint32_t location, callpath;
};

/* Waits of a pattern of one spot for another. */
struct edge {
    uint32_t spot, from; /* from: NONE: for nobody in particular */
    uint32_t pattern;
    uint64_t count, bytes, waiting;
};

struct counter {
    uint32_t spot, member;
    uint8_t type;
    number sum;
};

struct state {
    waits_user use;  /* first: waits.h */
    uint32_t domain; /* this one */
    struct node *nodes;
    uint32_t n_nodes;
    struct pair *pairs;
    keyed pair_by; /* (a, b; relation) */
    struct spot *spots;
    uint32_t n_spots, spots_capacity;
    struct edge *edges;
    keyed edge_by;                           /* (spot, from; pattern) */
    struct edge edges_beyond[WAIT_PATTERNS]; /* waits beyond max_edges */
    struct counter *counters;
    keyed counter_by; /* (spot, member) */
    struct {
        uint64_t pairs[RELATIONS]; /* not counted, beyond max_edges */
        uint64_t counters;         /* likewise, samples */
        uint64_t computation;      /* begun at the cap of call paths */
        uint64_t overlapping;      /* ticks of waits beyond the time of their call path, set by the report */
        uint64_t folded;           /* vertices beyond max_vertices, set by the report */
        uint64_t left_out;         /* values of metrics */
    } limits;
};

/* ------------------------------------------------------------------------------------------------------- graph.c -- */

/* See waits_listener. */
tcf_status graph_left(tcf_self *self, uint32_t location, const waits_call *call, uint64_t time);
/* Behind waits_location_end(): the time outside of all calls. */
tcf_status graph_end(tcf_self *self, uint32_t location);
/* The call path whose own time passes in a location at present. */
uint32_t graph_at(const struct place *p);
/* Adds to a pair, the last one of whose a is in *memo, *memo_pair. */
tcf_status graph_pair(tcf_self *self, uint32_t a, uint32_t b, uint32_t relation, uint64_t bytes, uint32_t *memo,
                      uint32_t *memo_pair);
/* The sum of a pair, of which a, b, relation and domains are given; *found NULL: it is beyond the cap, which is
 * counted. TCF_ERROR: out of memory, recorded. */
tcf_status graph_pair_of(tcf_self *self, const struct pair *of, struct pair **found);
/* The node of a call path; NULL: out of memory, recorded. Valid until the next one. */
struct node *graph_node(tcf_self *self, uint32_t callpath);
/* The spot of a call path in a location; NONE: out of memory, recorded. */
uint32_t graph_spot(tcf_self *self, uint32_t location, uint32_t callpath);

/* ------------------------------------------------------------------------------------------------------- edges.c -- */

/* See waits_listener. */
tcf_status edges_found(tcf_self *self, const wait *w);
tcf_status edges_received(tcf_self *self, const wait *w);
/* The sum of waits of a pattern of one spot for another; beyond max_edges that of the pattern alone. NULL: out of
 * memory, recorded. */
struct edge *edges_of(tcf_self *self, uint32_t spot, uint32_t from, uint32_t pattern);

/* ---------------------------------------------------------------------------------------------------- counters.c -- */

/* Event i, a TCF_METRIC. */
tcf_status counters_sample(tcf_self *self, const tcf_slice *s, uint32_t i);
/* The location has ended. */
void counters_end(tcf_self *self, uint32_t location);
/* The counter of a spot; *found NULL: there are too many, which is counted. TCF_ERROR: out of memory, recorded. */
tcf_status counters_of(tcf_self *self, uint32_t spot, uint32_t member, uint8_t type, struct counter **found);

/* ----------------------------------------------------------------------------------------------------- domains.c -- */

tcf_status pack_found(tcf_self *self, tcf_pack *pack);
tcf_status absorb_found(tcf_self *self, tcf_pack *pack);
/* Behind all absorb(): call paths are those of this domain from now on. */
tcf_status settle_callpaths(tcf_self *self);

/* ---------------------------------------------------------------------------------------------------- vertices.c -- */

struct vertices {
    struct paths paths;
    uint32_t *of;   /* by node: its vertex; NONE: nobody was there */
    uint32_t *node; /* by vertex: its first node; NONE: the rest beyond max_vertices */
    uint32_t *parent;
    uint32_t n;
    int has_rest; /* the last vertex is the rest */
};

/* Numbers the vertices, depth first. */
tcf_status vertices_make(tcf_self *self, struct vertices *v);
void vertices_free(struct vertices *v);

/* ------------------------------------------------------------------------------------------------------ report.c -- */

tcf_status report(tcf_self *self);

#endif
