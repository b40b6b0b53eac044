/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The inside of the matcher, shared by match.c (what is fed), postings.c (numbers and their order), channels.c,
 * match_messages.c, match_collectives.c and match_threads.c. Nobody else includes this. */
#ifndef TCFLOW_FRAMEWORK_MATCH_INTERNAL_H
#define TCFLOW_FRAMEWORK_MATCH_INTERNAL_H

#include "framework/base/error.h"
#include "match.h"

typedef enum posting_state { OPEN, KNOWN, DEAD } posting_state;

/* Where an edge lives: blocks stay, slices and arrays of edges may move. */
typedef struct edge_place {
    block *block;
    uint32_t index;
} edge_place;

typedef struct posting {
    uint64_t event; /* number in the location */
    uint64_t time;
    uint64_t request;
    edge_place edge[2]; /* that get the number: begin and end, or the receive, or the send and its leave */
    uint32_t channel;
    uint8_t n_edges;
    uint8_t state;
    uint8_t has_request;
} posting;

/* Positions only grow; the posting at position p stands at p & mask. */
typedef struct queue {
    posting *at;
    uint64_t mask, head, tail;
    map request_of; /* (request, 0) -> low bits of the position of its posting */
} queue;

enum { SENDS, RECEIVES, COLLECTIVES, QUEUES };

#define MAX_NESTING 64
#define MAX_CALL_SOURCES 64

typedef struct team_instance {
    uint32_t channel;
    uint32_t barriers; /* entered so far */
    uint32_t region;   /* of the barrier that is open, */
    uint32_t depth;    /* and how often it is entered; 0: none is open */
    uint64_t number;
} team_instance;

/* A send whose call has not been left yet. */
typedef struct call_source {
    uint32_t depth, channel;
    uint64_t number, posting; /* posting: position in SENDS while number is UNRESOLVED */
    tcf_edge edge;
} call_source;

/* The channels that a location has used lately; programs talk to the same few partners again and again. Each has one of
 * two places, the first one for that which came last. */
enum { RECENT = 32 };

/* What a message's record says of its channel. */
typedef struct message_key {
    uint32_t comm, other, tag; /* other: the rank of the other side */
    uint32_t sending;
} message_key;

typedef struct recent_channel {
    uint32_t comm, other, tag; /* as in the record */
    uint32_t generation;       /* of the table of channels, 0: empty */
    uint32_t channel, peer, rank;
    uint8_t side, sending;
} recent_channel;

/* The communicator or window of the last collective of a location, and what it is in it. */
typedef struct recent_collective {
    uint32_t key, type;
    uint32_t channel; /* TCF_NONE: there is none */
    uint32_t member, rank;
    uint32_t count; /* index in counts_at, TCF_NONE: not looked up yet */
    uint8_t side;
} recent_collective;

typedef struct place {
    recent_channel recent[RECENT][2];
    recent_collective collective;
    queue queue[QUEUES];
    uint64_t decoded;  /* events */
    uint64_t time;     /* of the last one */
    uint64_t begin[2]; /* 1 + position of the blocking MPI / RMA collective that is open, 0: none */
    edge_place fork;   /* waits for its team begin */
    uint64_t fork_event;
    team_instance team[MAX_NESTING];
    uint32_t teams;
    team_instance last_team; /* ended last: what a join joins */
    uint32_t depth;
    uint32_t n_sources;
    call_source *sources; /* MAX_CALL_SOURCES, only with source_at_leave */
    uint8_t ended;
    uint8_t merged; /* has siblings */
} place;

/* Regions that make edges. */
enum { REGION_ORDINARY, REGION_BARRIER, REGION_INIT, REGION_FINALIZE };

struct matcher {
    const tcf_definitions *defs;
    pool *pool;
    match_options options;
    match_counts counts;
    membership members;
    place *places;
    uint32_t *siblings;       /* locations ordered by whom they stand for */
    uint32_t *first_sibling;  /* by location that they stand for, n_locations + 1 entries */
    uint32_t *dead_receives;  /* by location as before: requests that were never completed */
    uint8_t *cut_collectives; /* the same: one was under way at the end, and those behind it cannot be counted */
    channel *channels;
    uint32_t n_channels, channels_capacity, free_channel, turned_down;
    uint32_t generation; /* of the table: a new one whenever channels are forgotten */
    map channel_of;
    map count_of; /* (channel, member) -> index in counts_at: collectives are counted by member */
    uint64_t *counts_at;
    uint32_t n_counts, counts_capacity;
    map expired; /* (location, request): receives that were open for longer than the look-ahead, and may be completed
                    yet */
    uint32_t n_expired;
    uint8_t *meaning;   /* by region: REGION_* */
    uint32_t world;     /* canonical MPI_COMM_WORLD, or TCF_NONE */
    int regions_matter; /* enter and leave have to be looked at */
    int regions_mean;   /* some of them are barriers, or MPI_Init or MPI_Finalize */
    int contexts_mean;  /* there are calling contexts of those */
    uint64_t numbers;   /* no message on a channel that has been forgotten has a larger number, or this one */
    uint32_t *kept;     /* channels of the kinds of edges of a slice that came with its matches */
    uint32_t kept_capacity;
    uint8_t out_of_memory; /* an allocation has failed: the slice or the end of a location that is under way fails */
};

static inline tcf_edge *edge_at(edge_place p)
{
    return &p.block->edges[p.index];
}

/* Whom a location stands for when it communicates: a member of MPI's communicators, else itself. Those that stand for
 * the same are siblings. */
static inline uint32_t match_voice(const matcher *m, uint32_t location)
{
    uint32_t member = m->defs->mpi_member[location];
    return member == TCF_NONE ? location : member;
}

/* An edge that turned out to be none. */
static inline void no_edge(tcf_edge *e, uint8_t flags)
{
    e->number = 0;
    e->flags = flags;
    e->class_ = flags ? e->class_ : TCF_CLASS_NONE;
}

/* A channel with something open is not forgotten. */
static inline void hold(matcher *m, uint32_t channel_index)
{
    if (channel_index != TCF_NONE)
        m->channels[channel_index].open++;
}

static inline void number_edge(matcher *m, tcf_edge *e, uint32_t channel_index, uint64_t number)
{
    e->channel = channel_index;
    e->number = number;
    m->channels[channel_index].open++;
}

/* Canonical index of a communicator that can be matched on, else TCF_NONE. */
static inline uint32_t canonical(const matcher *m, uint32_t comm)
{
    return comm < m->defs->n_comms ? m->defs->comms[comm].canonical : TCF_NONE;
}

/* The posting that is next to get a number, or NULL. */
static inline posting *queue_head(const queue *q)
{
    return q->head == q->tail ? NULL : &q->at[q->head & q->mask];
}

tcf_status match_out_of_memory(void);

/* match.c. The edge column of what is known at once, where an event has just one edge. */
void match_show_edges(slice *s);

/* channels.c */
uint32_t match_get_channel(matcher *m, tcf_channel of);
uint64_t *match_member_count(matcher *m, uint32_t channel_index, uint32_t member);
/* The same of a location in the collective of a posting, remembered. */
uint64_t *match_collective_count(matcher *m, uint32_t location, uint32_t channel_index);

/* postings.c */
tcf_edge *match_add_edge(matcher *m, slice *s, uint32_t i, edge_place *where);
posting *match_post(matcher *m, uint32_t location, int q, const slice *s, uint32_t i);
void match_advance(matcher *m, uint32_t location);
posting *match_find_request(matcher *m, uint32_t location, int q, uint64_t request);
void match_forget_request(matcher *m, uint32_t location, int q, posting *p);
tcf_status match_feed_request(matcher *m, slice *s, uint32_t i, int q, uint64_t request);
void match_feed_cancelled(matcher *m, uint32_t location, uint64_t request);
posting *match_completed_posting(matcher *m, slice *s, uint32_t i, int q, const uint64_t *request);

/* match_messages.c */
tcf_status match_leave_sources(matcher *m, place *pl, slice *s, uint32_t i, uint32_t depth);
tcf_status match_feed_send(matcher *m, slice *s, uint32_t i, message_key key);
/* request: NULL: the receive was blocking. */
tcf_status match_feed_receive(matcher *m, slice *s, uint32_t i, message_key key, const uint64_t *request);

/* match_collectives.c */
tcf_status match_feed_collective_begin(matcher *m, slice *s, uint32_t i, int rma);
tcf_status match_feed_collective_request(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_mpi_end(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_non_blocking_complete(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_rma_end(matcher *m, slice *s, uint32_t i);

/* match_threads.c */
tcf_status match_feed_fork(matcher *m, slice *s, uint32_t i);
void match_expire_fork(matcher *m, place *pl);
tcf_status match_feed_team_begin(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_team_end(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_program(matcher *m, slice *s, uint32_t i, int finalize, int entering);
tcf_status match_feed_join(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_barrier(matcher *m, slice *s, uint32_t i, uint32_t region, int entering);
tcf_status match_feed_thread(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_lock(matcher *m, slice *s, uint32_t i);

#endif
