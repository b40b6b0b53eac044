/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The inside of the exchange, shared by exchange.c (what the scheduler and the filters call), exchange_messages.c
 * (slots) and exchange_instances.c (collectives). Nobody else includes this. */
#ifndef TCFLOW_FRAMEWORK_EXCHANGE_INTERNAL_H
#define TCFLOW_FRAMEWORK_EXCHANGE_INTERNAL_H

#include "exchange.h"
#include "framework/base/error.h"

#include <string.h>

#define NONE UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)
enum { SLOTS_A_CHUNK = 1024 };

typedef enum slot_state {
    SLOT_SENT,         /* the source is there, but does not count yet (source_at_leave) */
    SLOT_PASSED,       /* the source has passed */
    SLOT_SOURCE_GONE,  /* tombstone: the source was dropped */
    SLOT_RECEIVE_GONE, /* tombstone: the receive was dropped or given up */
    SLOT_CONSUMED      /* off its channel, but still held */
} slot_state;

typedef struct slot {
    uint32_t next;         /* on its channel, by number; or the next free one */
    uint32_t older, newer; /* all messages in flight by age */
    uint32_t channel;
    uint64_t number;
    uint64_t answer;    /* of its target */
    uint32_t published; /* a bit a number */
    uint8_t state;
    uint8_t holds; /* HOLDS_*: slices with its edges that a filter behind the segment has not released */
    uint8_t answered;
    uint64_t value[]; /* a number per publisher, then the filters' bytes */
} slot;

_Static_assert(EXCHANGE_NUMBERS <= 8 * sizeof((slot *)NULL)->published, "a bit a number");

enum { HOLDS_SOURCE = 1, HOLDS_TARGET = 2 };

/* The two largest and smallest numbers published on a side: a member's own source never binds its own target, so the
 * one who published the extreme is told the next. */
typedef struct cell {
    uint64_t latest[2], earliest[2];
    uint32_t latest_rank, earliest_rank, n;
} cell;

/* The two smallest answers of a side's targets; likewise. */
typedef struct answers {
    uint64_t least[2];
    uint32_t rank;
} answers;

typedef struct instance {
    uint64_t number;
    uint32_t channel, comm, index;
    uint32_t size[2], arrived[2]; /* by side of an inter-communicator; size: begins to come */
    uint32_t ended, ends;
    uint32_t settled[2];    /* by side: ranks from 0 on that have arrived or never will */
    uint32_t lacking[2];    /* by side: members that never will: they have ended */
    uint32_t first_lacking; /* the lowest rank of theirs; NONE: not yet */
    uint32_t source[2];     /* by side: place of a member that contributes, NONE: of none so far, SEVERAL */
    uint32_t at_end;        /* members that have arrived at their end (needs_ends) */
    uint64_t first_end;     /* the earliest time of theirs */
    uint32_t prefix;        /* ranks from 0 on that have all arrived */
    uint32_t told;          /* the prefix of which those who wait know (scans) */
    uint32_t lowest;        /* rank that contributes; NONE: not yet */
    uint32_t waiter;        /* location */
    uint32_t next_free, root;
    uint32_t open_rank; /* of the root that has begun and not ended (source_at_leave) */
    uint8_t open_side;
    uint8_t class_, op, source_passed, phase;
    uint8_t given_up; /* by some member at least */
    uint8_t broken;   /* by all that are to come, too */
    uint8_t left;     /* by all members */
    uint32_t held;    /* its edges in slices that a filter behind the segment has not released */
    uint32_t targets, n_answers;
    answers answer[2];      /* by side */
    uint64_t *scan_answers; /* members; when needed */
    uint64_t *present;      /* a bit a member: its begin has passed, or it won't contribute */
    uint64_t *at_end_bit;   /* likewise */
    cell *cells;            /* 2 x publishers */
    uint64_t *scan;    /* publishers x 3 x members: values, largest and smallest of the ranks before; when needed */
    uint8_t *scan_any; /* publishers x members */
    unsigned char *members;
} instance;

static inline uint32_t all_lacking(const instance *i)
{
    return i->lacking[0] + i->lacking[1];
}

/* A member that is given up is told by others that wait in the same place, for it is the same for all of them. */
enum forgiven { FORGIVEN_NOT, FORGIVEN_SOURCES, FORGIVEN_ENDS };

/* What a segment knows of a channel. */
typedef struct line {
    uint32_t head, tail;    /* slots */
    uint32_t found;         /* the slot that was asked for last, or one behind it */
    uint32_t waiter;        /* location */
    uint32_t free_instance; /* used before */
} line;

struct exchange {
    const tcf_definitions *defs;
    matcher *m;
    exchange_options options;
    exchange_counts counts;
    exchange_client client;
    unsigned char **chunks;
    size_t slot_bytes;
    uint32_t n_slots, oldest, newest;
    uint32_t *free_slots; /* a stack */
    uint32_t n_free_slots;
    line *lines;
    uint32_t n_lines;
    instance **instances;
    uint32_t n_instances, instances_capacity;
    map instance_of;        /* (channel << 1 | phase, number) */
    uint32_t *next_waiter;  /* by location */
    uint32_t *waiting_rank; /* by location: its rank in the collective that it waits for */
    const channel *const *channels;
    uint32_t *live;      /* by location group: locations that have not ended */
    uint32_t *voices;    /* by member of communicators: locations that stand for it and have not ended */
    uint8_t *ended;      /* by location */
    uint8_t *forgiven;   /* by location: how the target goes on that it was parked at (enum forgiven) */
    uint32_t *open_root; /* by location, with source_at_leave: the instance whose root it is and has not left */
    int any_missing;     /* a location has ended, or a rank is nobody's */
    int any_ended;       /* a location has, or there is a member that no location stands for */
};

static inline slot *slot_at(const exchange *x, uint32_t i)
{
    return (slot *)(x->chunks[i / SLOTS_A_CHUNK] + (size_t)(i % SLOTS_A_CHUNK) * x->slot_bytes);
}

static inline const channel *channel_at(const exchange *x, uint32_t index)
{
    return &(*x->channels)[index];
}

/* Have all locations ended that stand for a member of the communicator? */
static inline int exchange_member_ended(const exchange *x, uint32_t comm, uint32_t member)
{
    return x->defs->comms[comm].paradigm == TCF_PARADIGM_MPI ? x->voices[member] == 0 : x->ended[member];
}

/* Has the edge got a slot or an instance? */
static inline int is_attached(const tcf_edge *e)
{
    return e->slot != TCF_NONE && e->channel != TCF_NONE;
}

/* Which group of an inter-communicator. */
static inline uint32_t side_of(const tcf_edge *e)
{
    return e->side & EDGE_GROUP_B;
}

/* Position of a member in the bit sets and arrays: ranks of group B follow those of group A. */
static inline uint32_t place_of(const exchange *x, const instance *i, const tcf_edge *e)
{
    const tcf_comm *c = &x->defs->comms[i->comm];
    return side_of(e) && c->inter ? c->size + e->rank : e->rank;
}

static inline void wake_all(exchange *x, uint32_t *waiter)
{
    uint32_t location = *waiter;
    *waiter = NONE;
    while (location != NONE) {
        uint32_t next = x->next_waiter[location];
        x->client.wake(x->client.data, location);
        location = next;
    }
}

/* Wakes those who wait for ranks below theirs, as far as these are below `arrived`. */
static inline void wake_up_to(exchange *x, uint32_t *waiter, uint32_t arrived)
{
    uint32_t location = *waiter;
    while (location != NONE) {
        uint32_t next = x->next_waiter[location];
        if (x->waiting_rank[location] <= arrived) {
            *waiter = next;
            x->client.wake(x->client.data, location);
        } else {
            waiter = &x->next_waiter[location];
        }
        location = next;
    }
}

static inline void park(exchange *x, uint32_t location, uint32_t *waiter)
{
    x->next_waiter[location] = *waiter;
    *waiter = location;
}

static inline void unpark(exchange *x, uint32_t location, uint32_t *waiter)
{
    while (*waiter != NONE && *waiter != location)
        waiter = &x->next_waiter[*waiter];
    if (*waiter == location)
        *waiter = x->next_waiter[location];
}

static inline int scan_class(uint8_t class_)
{
    return class_ == TCF_CLASS_SCAN || class_ == TCF_CLASS_EXSCAN;
}

/* exchange.c. NULL: out of memory; see the cause. */
line *exchange_line(exchange *x, uint32_t channel_index);

/* exchange_messages.c: both sides of a message, as exchange.h has it for all edges. */
exchange_answer exchange_prepare_message(exchange *x, uint32_t location, tcf_edge *e, line *l);
void exchange_pass_message(exchange *x, tcf_edge *e);
tcf_status exchange_give_up_message(exchange *x, uint32_t location, tcf_edge *e, line *l);
void exchange_release_message(exchange *x, const tcf_edge *e);
void exchange_end_messages(exchange *x, uint32_t member);
/* A location has ended: instances that lacked nobody else are complete. */
tcf_status exchange_end_instances(exchange *x);

/* exchange_instances.c: members of an instance. */
void exchange_free_instance(instance *i);
exchange_answer exchange_prepare_member(exchange *x, uint32_t location, uint64_t time, tcf_edge *e);
tcf_status exchange_pass_member(exchange *x, uint32_t location, tcf_edge *e);
/* The open root of a one-to-n counts from now on. */
void exchange_leave_root(exchange *x, uint32_t location);
tcf_status exchange_give_up_member(exchange *x, uint32_t location, const tcf_edge *e, int lasting);
void exchange_unpark_member(exchange *x, uint32_t location, const tcf_edge *e);
void exchange_release_member(exchange *x, const tcf_edge *e);
void exchange_answer_member(exchange *x, const tcf_edge *e, uint64_t value);
int exchange_answered_member(const exchange *x, const tcf_edge *e, uint64_t *value);

#endif
