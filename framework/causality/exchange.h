/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What goes from location to location inside one causal segment: slots of messages in flight, collectives, and the
 * numbers that filters publish at sources and ask for at targets.
 *
 * A source has passed when the whole segment has processed it. A target may pass when all its sources have passed.
 * Channel and number (match.h) say which source belongs to which target; times do not matter. A location whose target
 * must wait is parked at the channel or the collective. It is woken when the target may be ready. */
#ifndef TCFLOW_FRAMEWORK_EXCHANGE_H
#define TCFLOW_FRAMEWORK_EXCHANGE_H

#include "letters.h"
#include "match.h"

typedef struct exchange exchange;

typedef struct exchange_options {
    uint32_t max_messages;  /* in flight */
    uint32_t held_messages; /* with `answers`: received messages whose slices may still be held */
    int answers;            /* slots and collectives last until exchange_release() */
    uint32_t publishers;    /* numbers that the filters of the segment publish, at most EXCHANGE_NUMBERS */
    uint32_t message_bytes, member_bytes; /* multiples of 8 */
    int needs_ends;      /* the end of an n-to-n collective waits until all members have arrived at their ends */
    int posts;           /* sends that wait for their receives do so here */
    int source_at_leave; /* the end of a blocking one-to-n collective waits until the root has passed its end */
    int leaves;          /* sends may count at the leave of their call (TCF_EDGE_LEAVES), for a filter of any segment */
    int completes;       /* a filter has collective_complete() */
    letters *letters;    /* to the segments of the same number in other domains; NULL: all locations are here */
    uint32_t segment;    /* its number */
} exchange_options;

/* The most filters of a segment, and the most numbers that a filter publishes (filter.h). */
enum { SEGMENT_FILTERS = 8, FILTER_NUMBERS = 4, EXCHANGE_NUMBERS = SEGMENT_FILTERS * FILTER_NUMBERS };

typedef struct exchange_counts {
    uint64_t sends, receives, matched; /* messages: sends and receives that have passed, and pairs of them */
    uint64_t given_up;                 /* targets that passed without all of their sources */
    uint64_t dropped_messages;         /* messages that lost their slot at the cap */
    uint64_t incomplete_instances;
    /* Of MPI's collectives that could carry data: those with 0 bytes on all members. By operation, as bits 1 << op:
     * some collective has data on at least one member; on no member; on some members, and 0 bytes on others. */
    uint64_t empty_instances;
    uint32_t ops_with_data, ops_without_data, ops_partly;
    uint32_t in_flight, most_in_flight, posts_in_flight;
} exchange_counts;

typedef struct exchange_client {
    void *data;
    void (*wake)(void *data, uint32_t location);                        /* the location may run again */
    tcf_status (*complete)(void *data, const tcf_collective *instance); /* all members have passed their ends */
} exchange_client;

exchange *exchange_new(const tcf_definitions *defs, matcher *m, const exchange_options *options,
                       const exchange_client *client);
void exchange_delete(exchange *x);

typedef enum exchange_answer {
    EXCHANGE_READY,
    EXCHANGE_WAIT,
    EXCHANGE_FULL,  /* no slot is left for a source */
    EXCHANGE_FAILED /* out of memory; see the cause */
} exchange_answer;

/* May the edge of an event with this time pass? The edge gets its slot or collective, which filters may then use.
 * EXCHANGE_WAIT: the location is parked and will be woken. The edge's number must be resolved. */
exchange_answer exchange_prepare(exchange *x, uint32_t location, uint64_t time, tcf_edge *e);
/* The span with this edge has been processed. */
tcf_status exchange_pass(exchange *x, uint32_t location, tcf_edge *e);
/* The location waits. With source_at_leave it may be the root of a one-to-n collective and stand between its begin and
 * its end: its begin counts as passed from now on. Else the root and another member might wait for each other. */
void exchange_note_stopped(exchange *x, uint32_t location);
/* The parked target of the location passes without its sources, and so do the targets that are parked at the same
 * collective; with `lasting`, also those that come to it later. */
tcf_status exchange_proceed(exchange *x, uint32_t location, tcf_edge *e, int lasting);
/* The parked location no longer waits for this edge: the edge will be prepared again. */
void exchange_unpark(exchange *x, uint32_t location, const tcf_edge *e);
/* For an edge that has been decoded and has not passed: where it is the begin of a member that contributes nothing, the
 * collective stops waiting for that begin. */
tcf_status exchange_note_empty_member(exchange *x, tcf_edge *e);
/* At the cap: the oldest message in flight loses its slot, and its receive becomes unmatched. 0: there is none. */
int exchange_drop_oldest(exchange *x);
/* No more events of the location will pass here. Collectives that waited for this location alone are complete now. */
tcf_status exchange_location_end(exchange *x, uint32_t location);

/* With letters, between two turns: writes what other domains wait for; `all`: also what is not complete, since no
 * domain has anything to run. *left is set where something has not been written. */
tcf_status exchange_write_letters(exchange *x, int all, int *left);
/* With letters: one that has come from another domain. *ended: *n locations that have ended there. */
tcf_status exchange_take_letter(exchange *x, const letter *l, uint32_t from, const uint32_t **ended, uint32_t *n);
/* With letters: did a source find no slot since another domain has too many messages of this one? Forgets it. */
int exchange_was_short_of_credit(exchange *x);
/* Such sources may pass: that domain takes twice as many. */
void exchange_raise_credit(exchange *x);

/* The location has ended: was it the last one of its process, or the last one that represents its member? */
int exchange_was_last(const exchange *x, uint32_t location);

/* For the host table; see filter.h. number: among the numbers of all filters; offset: of the filter's payload. */
void *exchange_payload(exchange *x, const tcf_edge *e, uint32_t message_offset, uint32_t member_offset);
void exchange_publish(exchange *x, const tcf_edge *e, uint32_t number, uint64_t value);
int exchange_ask(exchange *x, const tcf_edge *e, uint32_t number, uint64_t *value);
int exchange_first_end(const exchange *x, const tcf_edge *e, uint64_t *time);
/* For a filter behind the segment that holds slices; see answer() in filter.h. */
void exchange_answer_sources(exchange *x, const tcf_edge *e, uint64_t value);
int exchange_answered(const exchange *x, const tcf_edge *e, uint64_t *value);
/* With `answers`: the filter has released the slice. */
void exchange_release(exchange *x, tcf_slice *s);

/* Is it the end of a send that waits for its receive? All others go before it when an event must pass unmatched. */
static inline int exchange_waits_for_post(const tcf_edge *e)
{
    return tcf_post_of(e) == TCF_POST_WAITED;
}

/* Of such a send: the member that will post the receive. */
uint32_t exchange_receiver(const exchange *x, const tcf_edge *e);

const exchange_counts *exchange_get_counts(const exchange *x);
/* Adds what a segment of another domain has counted. */
void exchange_add_counts(exchange *x, const exchange_counts *of);
/* Messages under way, and those whose slices a filter behind the segment still holds. */
uint32_t exchange_slots_used(const exchange *x);

#endif
