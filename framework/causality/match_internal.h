/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The inside of the matcher, shared by match.c (events), postings.c (pending operations and numbers), channels.c,
 * match_kept.c, match_messages.c, match_collectives.c and match_threads.c. Only these files include it. */
#ifndef TCFLOW_FRAMEWORK_MATCH_INTERNAL_H
#define TCFLOW_FRAMEWORK_MATCH_INTERNAL_H

#include "framework/base/error.h"
#include "match.h"
#include "next_times.h"

#include <tcflow/grow.h>

typedef enum pending_state { OPEN, KNOWN, DEAD } pending_state;

/* Refers to an edge. Its block stays, slices and arrays of edges may move. */
typedef struct edge_ref {
    block *block;
    uint32_t index;
} edge_ref;

typedef struct pending_op {
    uint64_t event; /* number in the location */
    uint64_t time;
    uint64_t request;
    edge_ref edge[2]; /* the edges that get its number: begin and end, or the receive, or the send and its leave */
    uint32_t channel;
    uint8_t n_edges;
    uint8_t state;
    uint8_t has_request;
} pending_op;

/* Stands beside a pending operation with options.posts: the edge of its post, or of the end of its send. */
typedef struct pending_post {
    edge_ref edge;    /* gets the operation's number; block NULL: the edge is not there yet */
    uint32_t channel; /* of the edge; TCF_NONE: not known yet */
    uint32_t sent;    /* position in matcher.sent that gets the number; TCF_NONE: none */
} pending_post;

/* Room for pending operations. A queue takes it from the matcher when an operation comes, and gives it back when none
 * is left at the end of a slice: the next location has the same room, which is in the cache. */
typedef struct pending_room {
    struct pending_room *next; /* of those that no queue has */
    map request_of;            /* (request, 0) -> low bits of the position of its operation; with more than SHORT_QUEUE
                                  places, as few operations are found faster by looking at them */
    uint32_t mask;             /* places - 1 */
    pending_op at[];           /* with options.posts as many pending_post follow */
} pending_room;

/* Pending operations in program order. Positions only grow, and wrap; that of position p stands at p & mask. */
typedef struct queue {
    pending_room *room; /* NULL: none is pending */
    uint32_t head, tail;
} queue;

enum { SENDS, RECEIVES, COLLECTIVES, QUEUES };
enum { FIRST_QUEUE = 8, SHORT_QUEUE = 16, QUEUE_SIZES = 28 }; /* places; powers of two from FIRST_QUEUE on */

#define MAX_NESTING 64
#define MAX_CALL_SOURCES 64

typedef struct team_instance {
    uint32_t channel;
    uint32_t barriers; /* entered so far */
    uint32_t region;   /* of the open barrier */
    uint32_t depth;    /* how often its region has been entered and not left; 0: no barrier is open */
    uint64_t number;
} team_instance;

/* A send whose call has not been left yet. */
typedef struct call_source {
    uint32_t depth, channel;
    uint64_t number;
    uint32_t pending; /* position in SENDS while number is UNRESOLVED */
    tcf_edge edge;
} call_source;

/* A send that waits for its receive, until its end is decoded. */
typedef struct sent {
    uint32_t channel; /* of posts */
    uint32_t next_free;
    uint32_t pending; /* position in SENDS while number is UNRESOLVED */
    uint64_t number;
} sent;

/* What a location is doing, with options.posts. */
typedef struct posting {
    edge_ref receive; /* the enter of a call that receives, while its message is not known; block NULL: none */
    uint64_t receive_event;
    uint32_t depth, receive_depth, send_depth; /* of the call stack; of the open calls that receive and send */
    uint32_t sent;                             /* a blocking send whose end comes next; TCF_NONE: none */
    uint8_t send_call;                         /* CALL_* */
} posting;

/* The channels that a location has used lately: programs communicate with the same few partners again and again. WAYS
 * channels share an entry of the location's table, that which was looked up last comes first. Tables have as many
 * entries as fit into RECENT_BYTES for all locations, LEAST_RECENT at least: a location that exchanges with four
 * neighbours has eight channels, and more where it does something else in between. */
enum { WAYS = 10 /* a cache line */, LEAST_RECENT = 2, MOST_RECENT = 8, RECENT_BYTES = 256 << 10 };

typedef struct recent_channels {
    _Alignas(64) uint32_t channel[WAYS];
    uint16_t hash[WAYS]; /* of the message_key; 0: there is none */
} recent_channels;

_Static_assert(sizeof(recent_channels) == 64, "an entry is a cache line");

/* What a message's record says of its channel. */
typedef struct message_key {
    uint32_t comm, other, tag; /* other: the rank of the other side */
    uint32_t sending;
} message_key;

/* The communicator or window of a location's last collective, and which member of it the location is. */
typedef struct recent_collective {
    uint32_t key;
    uint32_t channel; /* TCF_NONE: there is none */
    uint32_t rank;
    uint32_t count;     /* index in counts_at, TCF_NONE: not looked up yet */
    uint8_t type, side; /* type: TCF_CHANNEL_MESSAGE, which is none of a collective, before the first one */
} recent_collective;

/* What few locations have: threads, and sends that count at the leave of their call. */
typedef struct match_rare {
    edge_ref fork; /* the fork whose team has not begun yet; block NULL: none */
    uint64_t fork_event;
    team_instance *team; /* up to MAX_NESTING */
    uint32_t teams, teams_capacity;
    team_instance last_team; /* the team that ended last, which a join belongs to */
    uint32_t sources_capacity;
    call_source *sources; /* up to MAX_CALL_SOURCES, only with source_at_leave */
} match_rare;

typedef struct match_location {
    queue queue[QUEUES];
    uint64_t decoded; /* events so far */
    uint64_t time;    /* of the last event */
    match_rare *rare; /* NULL: nothing of it has come */
    recent_collective collective;
    uint32_t begin[2]; /* position of the open blocking collective of MPI / of RMA */
    uint32_t depth;
    uint8_t is_open[2]; /* such a collective is open */
    uint8_t n_sources;
    uint8_t ended;
    uint32_t siblings; /* 1 + index in matcher.siblings: their operations are merged by time; 0: it has none */
} match_location;

/* The locations that represent a member, in a heap for each queue, by the times of their next operations. A location of
 * which nothing comes any more leaves the heap. */
typedef struct siblings {
    next_time *heap[QUEUES];
    uint32_t n[QUEUES];
    uint32_t waiting[QUEUES]; /* how many of these queues have an operation */
} siblings;

/* Regions that make edges. */
enum { REGION_ORDINARY, REGION_BARRIER, REGION_INIT, REGION_FINALIZE };

struct matcher {
    const tcf_definitions *defs;
    pool *pool;
    match_options options;
    uint32_t released_ops; /* see matcher_release_empty() */
    match_counts counts;
    const membership *members;
    membership own_members; /* where options.members is NULL */
    match_location *locations;
    pending_room *rooms[QUEUE_SIZES]; /* those that no queue has, by size */
    recent_channels *recent;          /* by location, recent_places for each, a power of two */
    uint32_t recent_places;
    siblings *siblings;       /* of each member that several locations represent */
    next_time *sibling_heaps; /* room for their heaps */
    uint32_t *dead_receives;  /* by represented member: requests that were never completed */
    uint8_t *cut_collectives; /* by represented member: a collective was under way at the end, see is_cut_off() */
    channel *channels;
    uint32_t n_channels, channels_capacity, free_channel, turned_down;
    map channel_of;
    map count_of; /* (channel, member) -> index in counts_at: collectives are counted by member */
    uint64_t *counts_at;
    uint32_t n_counts, counts_capacity;
    map expired; /* (location, request): receives that were open for longer than the look-ahead, and may be completed
                    yet */
    uint32_t n_expired;
    posting *postings; /* by location, with options.posts */
    uint8_t *call;     /* by region, with options.posts: CALL_* */
    sent *sent;        /* sends that wait and have not ended */
    uint32_t n_sent, sent_capacity, free_sent;
    map sent_of;          /* (location, request) -> position in `sent` */
    uint8_t *meaning;     /* by region: REGION_* */
    uint32_t world;       /* canonical MPI_COMM_WORLD, or TCF_NONE */
    int regions_matter;   /* the matcher looks at enter and leave */
    int regions_mean;     /* a region is a barrier, MPI_Init or MPI_Finalize */
    int contexts_mean;    /* a calling context has such a region */
    uint64_t numbers;     /* all messages on forgotten channels have smaller numbers */
    uint32_t *prematched; /* by kind of prematched edge: its channel, while a slice is worked on */
    uint32_t prematched_capacity;
    uint8_t out_of_memory; /* an allocation has failed: the current slice or end of a location fails */
};

static inline tcf_edge *edge_at(edge_ref p)
{
    return &p.block->edges[p.index];
}

/* The member that a location represents when it communicates: a member of MPI's communicators, else itself. Locations
 * that represent the same member are siblings. */
static inline uint32_t match_represented(const matcher *m, uint32_t location)
{
    uint32_t member = m->defs->mpi_member[location];
    return member == TCF_NONE ? location : member;
}

/* The edge has turned out to be none; flags: what stays of it. */
static inline void no_edge(tcf_edge *e, uint8_t flags)
{
    e->number = 0;
    e->flags = flags;
    e->class_ = flags ? e->class_ : TCF_CLASS_NONE;
}

/* The channel is not forgotten while it is held. */
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

/* The canonical index of a communicator; TCF_NONE: it is not defined. */
static inline uint32_t canonical(const matcher *m, uint32_t comm)
{
    return comm < m->defs->n_comms ? m->defs->comms[comm].canonical : TCF_NONE;
}

/* The pending operation at a position of a queue. */
static inline pending_op *pending_at(const queue *q, uint32_t position)
{
    return &q->room->at[position & q->room->mask];
}

/* With options.posts: what stands beside it. */
static inline pending_post *post_at(const queue *q, uint32_t position)
{
    return (pending_post *)&q->room->at[q->room->mask + 1] + (position & q->room->mask);
}

/* The pending operation that gets the next number, or NULL. */
static inline pending_op *queue_head(const queue *q)
{
    return q->head == q->tail ? NULL : pending_at(q, q->head);
}

/* What few locations have, made where it is new; NULL: out of memory. */
match_rare *match_get_rare(match_location *loc);

static inline tcf_status match_out_of_memory(void)
{
    return error_fail("out of memory while matching");
}

/* match.c. Fills the edge column where an event has one edge, which is resolved. */
void match_show_edges(slice *s);

/* channels.c */
uint32_t match_get_channel(matcher *m, tcf_channel of);
uint64_t *match_member_count(matcher *m, uint32_t channel_index, uint32_t member);
/* The same for the member that a location is on the channel of a collective; remembered for the last channel. */
uint64_t *match_collective_count(matcher *m, uint32_t location, uint32_t channel_index);

/* postings.c */
tcf_edge *match_add_edge(matcher *m, slice *s, uint32_t i, edge_ref *where);
pending_op *match_add_pending(matcher *m, uint32_t location, int q, const slice *s, uint32_t i);
void match_advance(matcher *m, uint32_t location);
/* Behind match_advance(): gives back the room of queues without operations. */
void match_give_back(matcher *m, match_location *loc);
void match_free_room(pending_room *room); /* may be NULL */
void match_free_rooms(matcher *m);        /* those that no queue has */
pending_op *match_find_request(matcher *m, uint32_t location, int q, uint64_t request);
void match_forget_request(matcher *m, uint32_t location, int q, pending_op *p);
tcf_status match_feed_request(matcher *m, slice *s, uint32_t i, int q, uint64_t request);
void match_feed_cancelled(matcher *m, uint32_t location, uint64_t request);
/* The edge of a post, or of the send that may wait for it, gets its number; or it turns out to be none. */
void match_number_post(matcher *m, tcf_edge *e, uint32_t channel_index, uint64_t number);
void match_drop_post(edge_ref where);
pending_op *match_take_completed(matcher *m, slice *s, uint32_t i, int q, const uint64_t *request);

/* match_messages.c */
tcf_status match_leave_sources(matcher *m, match_location *loc, slice *s, uint32_t i, uint32_t depth);
tcf_status match_feed_send(matcher *m, slice *s, uint32_t i, message_key key);
/* request: NULL: the receive was blocking. */
tcf_status match_feed_receive(matcher *m, slice *s, uint32_t i, message_key key, const uint64_t *request);

/* match_posts.c, all for options.posts alone. -1: out of memory. */
int match_init_posts(matcher *m);
void match_free_posts(matcher *m);
/* For each event, in front of what else it does. may_end: the event may be where a blocking send has ended. */
tcf_status match_feed_post(matcher *m, slice *s, uint32_t i, int may_end);
/* Event i posts the receive that was added last. */
tcf_status match_post_request(matcher *m, slice *s, uint32_t i);
/* Event i, of a message on a channel, completes a pending receive. */
tcf_status match_post_received(matcher *m, slice *s, uint32_t i, const pending_op *p, uint32_t channel_index);
/* Event i sends a message; its number is UNRESOLVED where the send is pending at `position`. */
tcf_status match_post_sent(matcher *m, slice *s, uint32_t i, uint32_t channel_index, uint32_t position,
                           uint64_t number);
/* The enter of a call that receives goes on without a message; with `force` whatever the look-ahead says. 0: there is
 * none. */
int match_expire_post(matcher *m, uint32_t location, int force);

/* match_collectives.c */
tcf_status match_feed_collective_begin(matcher *m, slice *s, uint32_t i, int rma);
tcf_status match_feed_collective_request(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_mpi_end(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_non_blocking_complete(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_rma_end(matcher *m, slice *s, uint32_t i);

/* match_threads.c */
tcf_status match_feed_fork(matcher *m, slice *s, uint32_t i);
/* A fork makes no edge where its team does not begin within the look-ahead, or with `force`. 0: there is none. */
int match_expire_fork(matcher *m, match_location *loc, int force);
tcf_status match_feed_team_begin(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_team_end(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_program(matcher *m, slice *s, uint32_t i, int finalize, int entering);
tcf_status match_feed_join(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_barrier(matcher *m, slice *s, uint32_t i, uint32_t region, int entering);
tcf_status match_feed_thread(matcher *m, slice *s, uint32_t i);
tcf_status match_feed_lock(matcher *m, slice *s, uint32_t i);

#endif
