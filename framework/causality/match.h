/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Matching at decoding: which message or collective instance each event belongs to.
 *
 * Every relation is a channel and a number on it. A channel of messages is (communicator by meaning, sending
 * member, receiving member, tag); its k-th send goes with its k-th receive, counted at each side alone, receives
 * in the order in which they were posted. A channel of collectives is a communicator; the k-th collective of each
 * member is one instance, blocking and non-blocking ones counted together in the order in which they were posted.
 * Threads, locks and barriers of teams have channels of the same kind. So numbers don't depend on how locations are
 * interleaved, nor on the size of slices.
 *
 * What a begin or a request belongs to stands in a later record of its location; until that has been decoded, at
 * most `lookahead` events on, everything posted behind it on the location has no number either: its edges are
 * "unresolved", and the scheduler reads on before it lets them pass. Where several threads may communicate for one
 * member, their postings are merged by time, so an edge may also wait for a sibling to be decoded (match_wants()).
 *
 * The class and the direction of every edge are defined in doc/matching.md. */
#ifndef TCFLOW_FRAMEWORK_MATCH_H
#define TCFLOW_FRAMEWORK_MATCH_H

#include "framework/trace/kept.h"
#include "framework/trace/membership.h"
#include "framework/trace/slice.h"
#include "framework/trace/wanted.h"

/* Bits of tcf_edge.side. EDGE_SHOWN: the slice's edge column has its flags. */
enum { EDGE_GROUP_B = 1, EDGE_NON_BLOCKING = 2, EDGE_SHOWN = 128 };

#define UNRESOLVED UINT64_MAX /* tcf_edge.number of an edge without a number yet */

typedef struct channel {
    uint32_t comm; /* canonical index of the communicator, or of the window */
    uint32_t a, b, tag;
    uint8_t type;             /* tcf_channel_type */
    uint8_t distrust;         /* match_distrust */
    uint64_t sends, receives; /* numbered so far (messages) */
    uint32_t open;            /* edges decoded and not yet retired, postings, sends whose call is open */
    uint32_t next_free;
} channel;

typedef struct match_options {
    uint32_t lookahead;    /* events */
    uint32_t max_channels; /* known at a time */
    int source_at_leave;   /* TCF_EDGE_LEFT edges are wanted */
    int program;           /* instances of MPI_Init and MPI_Finalize are wanted */
} match_options;

/* What could not be matched, for the summary. */
typedef struct match_counts {
    uint64_t beyond_lookahead; /* postings whose completion came later than that */
    uint64_t bad_rank;         /* a rank that the communicator doesn't have, an unknown communicator */
    uint64_t never_completed;  /* requests that were reused or never completed */
    uint64_t cancelled;
    uint64_t channels_full; /* edges left out since the table of channels was full */
    uint64_t distrusted;    /* messages on channels whose pairs cannot be told */
    uint64_t starved;       /* receives on channels that have no send */
} match_counts;

/* Channels of messages that make no edges. That shows only at the end of the trace: a survey finds them for the main
 * chain.
 *
 * Pairs cannot be told where sends and receives differ in number, and the receiver has requests that the trace never
 * completes (EZTrace): which of the sends were received by those isn't known, nor which of the receives nobody sent
 * (EZTrace records what stands in a status that nobody has asked for). Where a channel has no send at all its receives
 * would wait, and others for them, until everybody waits and one who has a partner might be given up. */
typedef enum match_distrust { TRUSTED, PAIRS_UNKNOWN, NO_SEND } match_distrust;

typedef struct match_distrusted {
    uint32_t comm, sender, receiver, tag;
    match_distrust why;
} match_distrusted;

typedef struct matcher matcher;

/* `slices`: the pool that the slices to match come from. */
matcher *matcher_new(const tcf_definitions *defs, pool *slices, const match_options *options);
void matcher_delete(matcher *m);

/* Makes edges of the events of a slice fresh from the source: fills edge, match and edges. In order of location. */
tcf_status matcher_feed(matcher *m, slice *s);
/* The same from matches that were found before (a stream brings them). */
tcf_status matcher_keep(matcher *m, slice *s, const kept_edges *kept);
/* The location has no more events: what is open on it stays without partner. */
tcf_status matcher_location_end(matcher *m, uint32_t location);
/* Gives up the oldest open posting of the location (the pool is dry); 0: there is none. */
int matcher_give_up(matcher *m, uint32_t location);
/* Which location must be decoded further before the unresolved edge e of `location` can get its number. */
uint32_t matcher_wants(matcher *m, uint32_t location, const tcf_edge *e);
/* The edges of a slice have left the chain: their channels may be forgotten when nothing is open on them. */
void matcher_retire(matcher *m, const slice *s);

/* What is not to be trusted after the whole trace; allocated, NULL with *n = 0: nothing, or out of memory (*n > 0). */
match_distrusted *matcher_distrusted(const matcher *m, uint32_t *n);
/* Before the first event: messages on these channels have no partner. */
tcf_status matcher_distrust(matcher *m, const match_distrusted *rows, uint64_t n);

/* The events that the matcher looks at. */
source_wanted matcher_wanted(const matcher *m);

/* Where the channels stand, by index; the table may move. */
const channel *const *matcher_channel_table(const matcher *m);
uint32_t matcher_channels(const matcher *m); /* upper bound of the indices in use, for tables beside them */
const match_counts *matcher_counts(const matcher *m);

/* Do matches depend on an event like this one? */
int match_depends_on(const tcf_definitions *defs, uint8_t kind, const tcf_rec *rec);

/* Is it an operation in which a member may have nothing to give or to get (Gatherv, Alltoallv, ...)? */
int match_has_lengths(uint8_t op);

const membership *matcher_membership(const matcher *m);

#endif
