/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How a file of another format becomes a source.
 *
 *     reader ─> gather.c ─────────────────> items, by location and time ─> settle.c ─> blocks of events ─> slices
 *                  └─> parts, by key ─> pairs.c ─┘                                         foreign_source.c
 *
 * gather.c is what a reader may ask: it numbers definitions, and sorts events into items; parts of messages and of
 * calls go to pairs.c first. ranks.c is the part of it for communication by ranks, and judges what cannot be true.
 * settle.c closes calls, keeps those that overlap apart in lanes, and writes each lane's events as a chain of blocks to
 * a temporary file. define.c makes the definitions. A lane is a location of the trace. sort.c and temporary.c know
 * nothing of traces. */
#ifndef TCFLOW_FRAMEWORK_FOREIGN_INTERNAL_H
#define TCFLOW_FRAMEWORK_FOREIGN_INTERNAL_H

#include "foreign_source.h"
#include "framework/base/map.h"
#include "framework/base/string_store.h"
#include "framework/trace/definitions.h"
#include "sort.h"
#include "temporary.h"
#include <tcflow/source.h>

enum {
    MOST_REGIONS = 1 << 20,
    MOST_TEXTS = 1 << 21,
    MOST_PLACES = 1 << 20, /* processes, locations, counters, kinds of notes: each */
    MOST_LANES = 256,      /* of a location */
    MOST_OPEN = 1 << 20,   /* calls at a time in a location */
    BLOCK_BYTES = 16 << 10 /* with the block_head in front of its events */
};

enum event_type {
    EVENT_ENTER,
    EVENT_LEAVE,
    EVENT_CALL,
    EVENT_COUNT,
    EVENT_NOTE,
    EVENT_SEND, /* between locations; ... */
    EVENT_RECEIVE,
    EVENT_SEND_TO, /* ... between ranks */
    EVENT_ISEND_TO,
    EVENT_SEND_COMPLETE,
    EVENT_RECEIVE_REQUEST,
    EVENT_RECEIVE_FROM,
    EVENT_IRECEIVE_FROM,
    EVENT_COLLECTIVE_BEGIN,
    EVENT_COLLECTIVE_END,
    EVENT_COLLECTIVE_REQUEST,
    EVENT_COLLECTIVE_COMPLETE
};

/* An event as it is sorted and stored; locations are those of the reader. Enters and leaves are stored without what
 * stands behind `subtype`. */
typedef struct event {
    uint64_t time;
    uint32_t what;         /* region, counter, kind of note; send, receive: the peer's location, or (ranks) the channel;
                              collective: its form */
    uint8_t type, subtype; /* enum event_type, tcf_count_type */
    uint64_t value;        /* call: its end; count: bits; send, receive: bytes; note: the text's number; collective:
                              request */
    uint32_t tag;          /* send, receive; between ranks: the request */
    uint32_t location;     /* while it is sorted */
} event;

static inline size_t event_bytes(enum event_type type)
{
    return type == EVENT_ENTER || type == EVENT_LEAVE ? offsetof(event, value) : sizeof(event);
}

/* What is sorted: by location, time, `order`. The two bits on top of `order` come before the rest: 0, or 1: a call, the
 * longest first; 2: another event of a location with calls. */
typedef struct item {
    event e;
    uint64_t order;
} item;

enum { ORDER_CALL = 1, ORDER_BEHIND_CALLS = 2, ORDER_SHIFT = 62 };

/* What ends something that takes time stands in front of calls that begin at that time. */
static inline uint64_t gather_end_order(uint64_t order, uint64_t begin, uint64_t end)
{
    return end > begin ? order & ((1ull << ORDER_SHIFT) - 1) : order;
}

enum part_type {
    PART_BEGIN,
    PART_END,
    PART_SEND,
    PART_RECEIVE,
    PART_FLOW,
    PART_FLOW_END,
    PART_SEND_TO,
    PART_RECEIVE_FROM,
    PART_COLLECTIVE
};

/* A part of a message or of a call, sorted by key and time. */
typedef struct part {
    tcf_pair_key key;
    uint64_t time, order, bytes;
    uint64_t completed;      /* between ranks */
    uint32_t location, what; /* what: region, tag, channel, or form of a collective operation */
    uint8_t type;            /* enum part_type */
    uint8_t is_request;
} part;

typedef struct foreign_process {
    uint64_t place;
    uint32_t name, file;
    uint32_t speaker; /* the first location that communicates by ranks of MPI; TCF_NONE: none */
} foreign_process;

typedef struct foreign_location {
    uint64_t place;
    uint32_t process, name;
    uint32_t first_lane, n_lanes;
    uint32_t rank; /* in the communicator of all messages; TCF_NONE: no member */
    uint8_t type, has_calls, has_messages, calls_mpi;
} foreign_location;

typedef struct foreign_region {
    uint32_t name, file, line; /* file: TCF_NONE: unknown */
    uint8_t paradigm, role;
    uint8_t communicates; /* a call of MPI, NCCL or RCCL */
} foreign_region;

typedef struct foreign_counter {
    uint32_t name, unit;
    uint8_t type; /* tcf_count_type of the first value */
    uint8_t is_used;
} foreign_counter;

/* Why the collective operations of a communicator are left out. */
enum ranks_problem {
    RANKS_GOOD,
    RANKS_CONTRADICT, /* nothing of the communicator is used */
    RANKS_MISSING,
    RANKS_SPREAD,
    RANKS_UNEVEN,
    RANKS_DIFFER,
    RANKS_PROBLEMS
};

typedef struct foreign_comm {
    uint32_t name, size;              /* size: 0: unknown */
    uint32_t index;                   /* of the trace's communicator */
    uint32_t least;                   /* members, by the ranks that messages go to */
    uint32_t first_member, n_members; /* of the sorted members */
    uint8_t paradigm, problem;        /* enum ranks_problem */
    uint32_t n_counted;               /* members that pairs.c has met */
    uint64_t each, hash;              /* what the first of them does: operations; which ones, in which order */
    uint64_t operations;              /* of all members */
} foreign_comm;

typedef struct foreign_member {
    uint32_t comm, rank, process;
    uint32_t location; /* which communicates, where the paradigm isn't MPI; TCF_NONE: none */
} foreign_member;

/* Messages of one communicator, sender, receiver and tag. */
typedef struct foreign_channel {
    uint32_t comm, from, to, tag; /* ranks */
    uint64_t sends, receives;
    uint8_t is_short; /* a receive has too little room */
} foreign_channel;

/* Equal collective operations of a communicator. */
typedef struct foreign_form {
    uint64_t sent, received;
    uint32_t comm, root;
    uint8_t operation;
} foreign_form;

/* A block's begin. Its events follow, as many bytes of each as event_bytes() says. */
typedef struct block_head {
    uint64_t next, bytes; /* next: offset of the next one of the chain; 0: this is the last */
} block_head;

/* A location of the trace: a chain of blocks. */
typedef struct lane {
    uint64_t first_block, last_block, n;
    uint32_t location; /* the reader's */
} lane;

/* What of the file is not in the trace. */
typedef struct foreign_losses {
    uint64_t half_messages, own_messages, half_calls, stray_leaves, cut_calls, crossed_tags, regions, texts, unknown;
    /* communication by ranks */
    uint64_t no_member, no_other_side, uneven, too_short, contradicting, channels, forms;
    uint64_t operations[RANKS_PROBLEMS];
    uint32_t example[RANKS_PROBLEMS]; /* a communicator, + 1 */
} foreign_losses;

/* What is known of a file while it is parsed. */
typedef struct gather {
    tcf_reader self;
    const source_options *options;
    const char *input; /* what the user calls the file or files */
    const char *const *paths;
    const char **labels;    /* of several files: what tells them apart */
    uint32_t n_files, file; /* file: the one that is parsed */
    uint64_t file_resolution, file_events;
    uint64_t resolution, sequence, first_time, last_time, events;
    sorter *items, *parts;
    string_store *storage;
    map text_ids, region_ids, counter_ids, kind_ids;
    const char **texts;
    foreign_process *processes;
    foreign_location *locations;
    foreign_region *regions;
    foreign_counter *counters;
    uint32_t *kinds; /* texts */
    lane *lanes;
    uint32_t n_texts, n_processes, n_locations, n_regions, n_counters, n_kinds, n_lanes;
    uint32_t texts_room, processes_room, locations_room, regions_room, counters_room, kinds_room, lanes_room;
    int is_sampled, communicates,
        has_edges;           /* communicates: calls that do; has_edges: what they do between processes */
    uint64_t sized, unsized; /* messages and collective operations in the trace */
    map comm_ids, member_ids, channel_ids, form_ids;
    foreign_comm *comms;
    foreign_member *members;
    foreign_channel *channels;
    foreign_form *forms;
    uint32_t n_comms, n_members, n_channels, n_forms, comms_room, members_room, channels_room, forms_room;
    uint64_t requests;
    uint32_t *lane_of; /* by location of the trace */
    foreign_losses lost;
} gather;

/* gather.c */
tcf_status gather_start(gather *g, const char *const *paths, uint32_t n, const source_options *options);
tcf_status gather_read(gather *g);
/* Frees what isn't needed once the definitions are made; and all. */
void gather_trim(gather *g);
void gather_free(gather *g);
/* items.c: the number of a text; TCF_NONE: a failure. */
uint32_t gather_text(gather *g, const char *text);
/* Failures that return TCF_NONE: a table has `most` of what it holds, the file has more; there is no memory for it. */
uint32_t gather_no_room(const char *what, uint32_t most);
uint32_t gather_no_memory(const char *what);
/* Where `most` texts are known, and it isn't among them, that of `instead`. */
uint32_t gather_text_number(gather *g, const char *text, uint32_t most, const char *instead);
/* Fails, where that hasn't happened: a definition that has failed has the number TCF_NONE. */
tcf_status gather_not_defined(const char *what, uint32_t number);
tcf_status gather_add(gather *g, uint32_t location, const event *e, uint64_t order);
/* Checks what all events have, and gives the event its place among those of the same time. */
tcf_status gather_take(gather *g, uint32_t location, uint64_t time, int is_call, uint64_t *order);
/* ranks.c: what a reader may ask about communication by ranks, */
uint32_t ranks_communicator(tcf_reader *self, tcf_pair_key key, const char *name, uint32_t size, uint8_t paradigm);
tcf_status ranks_member(tcf_reader *self, uint32_t communicator, uint32_t rank, uint32_t process);
tcf_status ranks_send_to(tcf_reader *self, uint32_t location, const tcf_message *message);
tcf_status ranks_receive_from(tcf_reader *self, uint32_t location, const tcf_message *message);
tcf_status ranks_collective(tcf_reader *self, uint32_t location, const tcf_operation *operation);
/* sorts the members, before pairs.c counts, */
tcf_status ranks_sort(gather *g);
/* takes what a member does in all collective operations of a communicator, members in the order of their ranks, */
void ranks_take_member(gather *g, uint32_t comm, uint64_t operations, uint64_t hash);
/* judges when all is counted, */
void ranks_judge(gather *g);
/* and then says whether an event is left out. */
int ranks_leave_out(const gather *g, const event *e);
/* What a form adds to the hash of a member's operations: the same on all members. */
uint64_t ranks_hash(const foreign_form *form, uint64_t hash);
/* The position of a rank among the members that are known. */
uint32_t ranks_position(const gather *g, uint32_t comm, uint32_t rank);
/* pairs.c: takes the parts, and adds what they make to the items. */
tcf_status pairs_make(gather *g);
/* settle.c: takes the items. */
tcf_status settle(gather *g, temporary *blocks);
/* define.c: makes all definitions, in the order of processes and of places. */
tcf_status define_all(gather *g, definitions *d);

#endif
