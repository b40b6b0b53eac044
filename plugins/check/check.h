/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `check`: check.c looks at events, dangling.c at what they refer to, channels.c follows
 * messages, worst.c keeps the lists of the largest violations, pack.c joins what domains have found, findings.c makes
 * the report.
 *
 * State lives in four places: struct side in the slot of each message under way, struct member in the instance of each
 * collective operation, struct location for the regions and forks of each location, struct check for everything else.
 * All of it is bounded, whatever the trace. */
#ifndef TCFLOW_CHECK_H
#define TCFLOW_CHECK_H

#include <tcflow/filter.h>
#include <tcflow/map.h>

struct conf {
    tcf_duration mu;
    int64_t worst;    /* entries of a list */
    int64_t channels; /* followed at a time */
    int clock_offsets;
};

/* Collectives of RMA windows are classes of their own, behind those of the edges. */
enum { RMA_CLASSES = TCF_CLASSES, CLASSES = 2 * TCF_CLASSES };

/* One side of an edge. In a message's slot: what the receiver must know of the sender. */
struct side {
    uint64_t time;     /* corrected ones may be negative: + check.above_zero */
    uint64_t event;    /* number in its location */
    uint32_t location; /* TCF_NONE: not known any more */
    uint32_t region;   /* index; TCF_NONE outside of any */
};

struct violation {
    uint64_t size; /* ticks */
    struct side from, to;
};

struct tally {
    uint64_t targets, violated, largest;
    struct violation *worst; /* the largest first */
    uint32_t n_worst;
};

/* ---------------------------------------------------------------------------------------------------- channels.c -- */

/* What messages are counted by. A process that is not known stands as its rank with the bit TCF_DANGLING. */
struct channel_key {
    uint32_t comm, sender, receiver, tag; /* comm: index, canonical where it is defined; sender, receiver: locations */
};

struct channel {
    struct channel_key key;
    int64_t open;                        /* sent and not yet received, less than 0 when receives were counted first */
    uint64_t lost_sends, lost_receives;  /* known to be unmatched */
    uint32_t sender_rank, receiver_rank; /* as recorded, TCF_NONE: not a member */
};

struct channels {
    struct channel *at;
    uint32_t n, capacity, most;
    uint32_t room;     /* channels at which those that are settled are removed */
    uint32_t patience; /* messages to turn down before room is looked for again */
    int out_of_memory; /* then the counts are worth nothing */
    tcf_map of;        /* (communicator and tag, sender and receiver) */
    uint32_t *hints;   /* by tcf_edge.channel: where its channel was the last time, or any other number */
    uint32_t n_hints, hints_capacity;
    uint64_t turned_down; /* messages on channels that found no place */
    int64_t other_open;   /* those of them that were sent and not yet received */
    uint64_t other_sends, other_receives;
};

void channels_free(struct channels *t);
/* Counts messages that are sent, by = 1, or received, by = -1. edge_channel: that of the edge, which mostly says where
 * the channel is without a search. */
void channels_count(struct channels *t, const struct channel *c, uint32_t edge_channel, int by);
/* A message that was counted has turned out to have no partner. */
void channels_lost(struct channels *t, const struct channel *c, int sent);
/* The same channel as an instance of another domain has counted it. */
void channels_add(struct channels *t, const struct channel *c);
uint64_t channels_lost_sends(const struct channels *t);
uint64_t channels_lost_receives(const struct channels *t);

/* ------------------------------------------------------------------------------------------------------- check.c -- */

/* A member of a collective operation, in the instance's memory: an operation with data may begin as often as it likes
 * before another member comes to the end of its first. */
struct member {
    struct side begin, end;
    uint64_t too_early; /* ticks; 0: in order */
    uint8_t is_source, waited;
    uint8_t tally; /* of its end */
};

/* The source of an edge among the threads of a team that others may still have to wait for. */
struct begin {
    struct side side;
    uint64_t number;
    uint32_t channel;
    uint32_t class_; /* TCF_CLASS_NONE: there is none */
};

/* Begins that are kept of each location that has any. A thread waits for its team at barriers and at the team's end, so
 * a location has more of them under way only where teams are nested as deeply, or records are missing. */
enum { BEGINS = 16 };

/* The filter's own column, at edges: what the span must know of the event, noted when the slice arrives. */
struct event_note {
    uint32_t region; /* index; TCF_NONE outside of any */
    uint32_t rma;    /* the end of a collective of an RMA window */
};

struct location {
    uint32_t *stack; /* regions entered; stack[0] is none */
    uint32_t depth, capacity;
    uint32_t edge; /* the next entry of the slice's list of edges */
    uint32_t next_begin;
    uint64_t passed;    /* events in front of the span at hand, less its place in the slice; may wrap around */
    uint64_t last_time; /* of the event before */
    uint64_t too_deep;  /* enters beyond MAX_DEPTH that are open */
    uint64_t decreasing, unwound, ignored, never_left;
    struct begin *begins; /* BEGINS of them; NULL: none has come */
};

struct check {
    uint64_t mu;
    uint32_t worst;
    int notes;           /* number of the column of event_note */
    uint64_t above_zero; /* 2^63 where the archive's clock offsets are applied here, else 0 */
    struct tally tally[CLASSES];
    struct channels channels;
    uint64_t ends_without_begins;
    uint64_t dangling[TCF_EVENT_KINDS + 2][TCF_REF_KINDS]; /* [0]: in attributes */
};

/* ------------------------------------------------------------------------------------------------------- worst.c -- */

/* Has the list room for a violation of this size, or a smaller one that it would replace? */
int worst_has_room(const struct check *c, struct tally *t, uint64_t size);
/* To be called when worst_has_room() says so. */
void worst_note(const struct check *c, struct tally *t, const struct violation *v);
/* Lists the ends of an instance that came too early. */
void worst_of_instance(tcf_self *self, const tcf_collective *instance);

/* ---------------------------------------------------------------------------------------------------- dangling.c -- */

/* Counts the undefined references of an event's record. */
void check_references(struct check *c, const tcf_slice *s, uint32_t i);
/* Counts those of an event's attributes. */
void check_attributes(tcf_self *self, const tcf_attributes *a);
/* Has decoding met anything undefined? If not, no event needs to be searched. */
uint8_t any_dangling(const tcf_definitions *defs);

/* -------------------------------------------------------------------------------------------------------- pack.c -- */

tcf_status check_pack(tcf_self *self, tcf_pack *pack);
tcf_status check_absorb(tcf_self *self, tcf_pack *pack);

/* ---------------------------------------------------------------------------------------------------- findings.c -- */

tcf_status report_findings(tcf_self *self);

#endif
