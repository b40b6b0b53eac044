/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Matching at decoding: the message or collective that each event belongs to.
 *
 * A channel and a number on it identify a message or collective. A channel of messages is (communicator by meaning,
 * sending member, receiving member, tag). Its k-th send and its k-th receive are one message. Each side counts alone,
 * and receives count in the order in which they were posted. A channel of collectives is a communicator. The k-th
 * collectives of all members are one collective; blocking and non-blocking collectives count together, in the order in
 * which they were posted. Threads, locks and barriers of teams have channels of the same form. So numbers depend
 * neither on the order in which locations are read nor on the size of slices.
 *
 * The communicator of a collective stands in the record of its end, that of a receive in the record of its completion.
 * The begin or request is a pending operation until that record has been decoded, at most `lookahead` events later. The
 * operations behind it on the location have no number until then: their edges are unresolved, and the scheduler reads
 * on before it lets them pass. Where several threads may communicate for one member, their pending operations are
 * merged by time, so an edge may also wait until another of these threads has been decoded further (matcher_wants()).
 *
 * doc/matching.md defines the class and the direction of every edge. */
#ifndef TCFLOW_FRAMEWORK_MATCH_H
#define TCFLOW_FRAMEWORK_MATCH_H

#include "framework/trace/kept.h"
#include "framework/trace/membership.h"
#include "framework/trace/slice.h"
#include "framework/trace/wanted.h"
#include "letters.h"

/* Who writes which field of a tcf_edge, and when:
 *
 *   all fields           postings.c, match_kept.c                     at decoding: channel, number and slot are open;
 *                                                                     a stream may bring them
 *   class_, flags, op,   match_messages.c, match_collectives.c,       at decoding, or when a later record says what the
 *   peer, rank, side     match_threads.c                              edge belongs to
 *   channel, number      postings.c, match_*.c                        when the edge is resolved
 *   side (EDGE_OF_POST)  match_posts.c, exchange_messages.c           at decoding; when it goes on without a partner
 *   side (EDGE_SHOWN)    match.c, schedule.c                          when the edge column has the edge's flags
 *   slot                 exchange*.c, schedule.c                      before the edge passes, and when it is freed
 *   flags (UNMATCHED)    match_messages.c, exchange_*.c               when the edge goes on without a partner
 *   pos, flags (GONE)    trace/slice.c                                when a slice is split or events are dropped */

/* Bits of tcf_edge.side. EDGE_EMPTY: the end of a collective that could carry data, whose record has 0 bytes sent and
 * received. EDGE_OF_POST: the edge is of a receive's post or of a send that may wait for one; what it does there is
 * tcf_post_of(), and that becomes TCF_POST_NONE where the two do not come together. EDGE_SHOWN: the slice's edge column
 * has its flags. */
enum { EDGE_GROUP_B = 1, EDGE_NON_BLOCKING = 2, EDGE_EMPTY = 4, EDGE_OF_POST = 8, EDGE_SHOWN = 128 };

#define UNRESOLVED UINT64_MAX /* tcf_edge.number of an edge without a number yet */

typedef struct channel {
    uint32_t comm; /* canonical index of the communicator, or of the window */
    uint32_t a, b, tag;
    uint8_t type;             /* tcf_channel_type; UINT8_MAX: it is forgotten, and `a` is the next one of these */
    uint8_t distrust;         /* match_distrust */
    uint8_t side;             /* of messages, with the ranks: of the sender in an inter-communicator */
    uint32_t open;            /* edges that are not retired, pending operations, sends whose call is not left */
    uint32_t rank_a, rank_b;  /* of messages: of sender and receiver, once the matcher has looked the channel up */
    uint64_t sends, receives; /* of messages: that have a number so far */
} channel;

typedef struct match_options {
    uint32_t lookahead;        /* events */
    uint32_t max_channels;     /* known at a time */
    int source_at_leave;       /* TCF_EDGE_LEFT edges are wanted */
    int program;               /* MPI_Init and MPI_Finalize make edges */
    int posts;                 /* sends that wait for their receives make edges */
    uint64_t rendezvous;       /* with `posts`: messages of so many bytes wait */
    const letters *letters;    /* NULL: all locations are here */
    const membership *members; /* of the same definitions, which last as long as the matcher; NULL: it makes them */
} match_options;

/* What could not be matched, for the summary. */
typedef struct match_counts {
    uint64_t beyond_lookahead; /* operations that were completed behind the look-ahead */
    uint64_t bad_rank;         /* a rank that the communicator doesn't have, an unknown communicator */
    uint64_t never_completed;  /* requests that were reused or never completed */
    uint64_t cancelled;
    uint64_t channels_full; /* edges that got no channel since the table was full */
    uint64_t distrusted;    /* messages on channels whose pairs are unknown */
    uint64_t starved;       /* receives on channels without any send */
    uint64_t without_data;  /* ends of collectives that bind nobody, see matcher_release_empty() */
} match_counts;

/* Why messages on a channel are left without partner. A survey finds such channels at its end, and the main chain
 * leaves their messages without partner from the start.
 *
 * PAIRS_UNKNOWN: sends and receives differ in number, and the receiver has requests that the trace never completes. A
 * send may have been received by such a request, so the k-th send need not belong to the k-th receive. EZTrace writes
 * such traces: it also records receives from a status that the program did not ask for.
 *
 * NO_SEND: the channel has receives, and no send. Such a receive would wait until all locations wait, and then another
 * event, which has a partner, might go on as unmatched first. */
typedef enum match_distrust { TRUSTED, PAIRS_UNKNOWN, NO_SEND } match_distrust;

typedef struct match_distrusted {
    uint32_t comm, sender, receiver, tag;
    match_distrust why;
} match_distrusted;

typedef struct matcher matcher;

/* slices: the pool that the matched slices come from. */
matcher *matcher_new(const tcf_definitions *defs, pool *slices, const match_options *options);
void matcher_delete(matcher *m);

/* Makes the edges of a slice from the source: fills edge, match and edges. Slices of a location come in order. */
tcf_status matcher_feed(matcher *m, slice *s);
/* The same from matches that were found before, which a stream brings. */
tcf_status matcher_take_prematched(matcher *m, slice *s, const prematched_edges *kept);
/* The location has no more events: its pending operations stay without partner. */
tcf_status matcher_location_end(matcher *m, uint32_t location);
/* The pool is dry: the oldest pending operations of the location stay without partner. 0: there are none. */
int matcher_close_oldest(matcher *m, uint32_t location);
/* The location that must be decoded further before the unresolved edge e of `location` can get its number. */
uint32_t matcher_wants(matcher *m, uint32_t location, const tcf_edge *e);
/* The edges of a slice have left the chain: channels without other open edges may be forgotten. */
void matcher_retire(matcher *m, const slice *s);

/* After the whole trace: the channels that are not trusted, to be freed. NULL: there are none, or out of memory (*n >
 * 0). */
match_distrusted *matcher_distrusted(const matcher *m, uint32_t *n);
/* Before the first event: messages on these channels stay without partner. */
tcf_status matcher_distrust(matcher *m, const match_distrusted *rows, uint64_t n);

/* Before the first event: collectives of these operations bind nobody where the member has 0 bytes; ops: bits, 1 << op.
 */
void matcher_release_empty(matcher *m, uint32_t ops);

/* The events that the matcher looks at. */
source_wanted matcher_wanted(const matcher *m);

/* The table of channels, by index; it may move. */
const channel *const *matcher_channel_table(const matcher *m);
/* Index of a channel, made where it is new; TCF_NONE: the table is full, or out of memory (*failed). */
uint32_t matcher_find_channel(matcher *m, tcf_channel of, int *failed);
uint32_t matcher_channels(const matcher *m); /* upper bound of the indices in use */
const match_counts *matcher_counts(const matcher *m);
/* Adds what the matcher of another domain has counted. */
void matcher_add_counts(matcher *m, const match_counts *of);
/* After the whole trace: what a domain knows of channels. */
typedef struct match_channels {
    const channel *channels;
    uint32_t n;
    const uint32_t *dead_receives; /* by location */
} match_channels;
match_channels matcher_known_channels(const matcher *m);
/* Adds what another domain knows, as far as matcher_distrusted() needs it. */
tcf_status matcher_add_channels(matcher *m, const match_channels *of);

/* Do matches depend on an event like this one? */
int match_depends_on(const tcf_definitions *defs, uint8_t kind, const tcf_rec *rec);

/* May a member of the operation send or receive nothing (Gatherv, Alltoallv, ...)? */
int match_has_lengths(uint8_t op);

/* Do collectives of the class move data (all of MPI but barriers and those without order)? */
int match_may_carry_data(uint8_t class_);

const membership *matcher_membership(const matcher *m);

#endif
