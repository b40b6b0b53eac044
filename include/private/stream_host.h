/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a filter may ask of the framework that hands on to another process what this one knows (stream_write): the
 * extension TCF_STREAM_HOST of the host table. All functions as those of tcf_host in filter.h. */
#ifndef TCFLOW_PRIVATE_STREAM_HOST_H
#define TCFLOW_PRIVATE_STREAM_HOST_H

#include <tcflow/filter.h>

#define TCF_STREAM_HOST "stream"

/* What an edge is matched on. Together with `number` it names a message or a collective; both mean the same in every
 * process. */
typedef struct tcf_channel {
    uint8_t type;  /* tcf_channel_type */
    uint32_t comm; /* canonical communicator, or RMA window, or TCF_NONE */
    uint32_t a, b, tag;
} tcf_channel;

typedef enum tcf_channel_type {
    TCF_CHANNEL_MESSAGE,    /* a: sender, b: receiver (members: locations), tag: the message's */
    TCF_CHANNEL_COLLECTIVE, /* a: the member of a self communicator (a location), else 0 */
    TCF_CHANNEL_RMA,        /* collectives of an RMA window */
    TCF_CHANNEL_TEAM,       /* fork, team begin, team end, join */
    TCF_CHANNEL_BARRIER,    /* OpenMP barriers of a team */
    TCF_CHANNEL_PROGRAM,    /* MPI_Init (tag 0), MPI_Finalize (1) */
    TCF_CHANNEL_THREAD,     /* create -> begin; a, b: the sequence count, tag: the location group */
    TCF_CHANNEL_THREAD_END, /* end -> wait; likewise */
    TCF_CHANNEL_LOCK,       /* a: location group, b: lock, tag: acquisition order of the release */
    TCF_CHANNEL_POST,       /* receive posted -> end of the send; as TCF_CHANNEL_MESSAGE. Not in streams */
    TCF_CHANNEL_TYPES
} tcf_channel_type;

/* What was lost of a location where a damaged input was salvaged. */
typedef struct tcf_loss {
    uint32_t location;
    uint64_t last_good;        /* number of good events, UINT64_MAX: the location's own definitions were lost */
    const char *file, *reason; /* the framework's */
} tcf_loss;

/* A table that a survey has left. */
typedef struct tcf_learned_table {
    const char *name;
    const void *rows;
    size_t row_bytes;
    uint64_t n;
} tcf_learned_table;

/* Events of a location were dropped or inserted; among them such that matches depend on (of messages, collective
 * operations, threads, locks, requests, barriers); all of them go, which is known from begin() on. */
enum { TCF_ALTERED_EVENTS = 1, TCF_ALTERED_MATCHES = 2, TCF_ALTERED_ALL = 4 };

typedef struct tcf_stream_host {
    /* What an edge is matched on; 0: it is not matched. */
    int (*channel)(const tcf_self *self, const tcf_edge *e, tcf_channel *channel);
    /* Lower bound of the times of the events of a location that will still arrive here; UINT64_MAX: none will. */
    uint64_t (*frontier)(const tcf_self *self, uint32_t location);
    /* Tables that the survey has left, by number from 0 on; 0: there are no more. */
    int (*learned_table)(const tcf_self *self, uint32_t i, tcf_learned_table *table);
    /* Named columns of the chain by number from 0 on, as slice->columns has them; 0: there are no more. */
    int (*column_at)(const tcf_self *self, uint32_t i, tcf_named_column *column);
    /* Files that are read, also by the processes in front, by number from 0 on; NULL: there are no more. */
    const char *(*input)(const tcf_self *self, uint32_t i);
    /* Records that the source could not deliver so far: of kinds it doesn't know. */
    uint64_t (*unknown_events)(const tcf_self *self);
    /* What the source has lost of a damaged input (salvage) so far, by number from 0 on; 0: no more. */
    int (*loss)(const tcf_self *self, uint32_t i, tcf_loss *loss);
    /* What filters in front, those of the process that wrote the stream included, have done to a location so far:
     * TCF_ALTERED_*. */
    uint32_t (*altered)(const tcf_self *self, uint32_t location);
} tcf_stream_host;

static inline const tcf_stream_host *tcf_stream_host_of(const tcf_self *self)
{
    return (const tcf_stream_host *)self->host->extension(self, TCF_STREAM_HOST);
}

#endif
