/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What crosses locations inside one causal segment: slots of messages in flight, collective instances, and the
 * numbers that filters publish at sources and ask for at targets.
 *
 * A source "passes" when the whole segment has processed it; a target may pass when all that must precede it has.
 * Both sides are tied together by channel and number (match.h), never by time. Locations that must wait are parked
 * on the channel or the instance and handed to the scheduler when it moves on. */
#ifndef TCFLOW_FRAMEWORK_EXCHANGE_H
#define TCFLOW_FRAMEWORK_EXCHANGE_H

#include "match.h"

typedef struct exchange exchange;

typedef struct exchange_options {
    uint32_t max_messages;  /* in flight */
    uint32_t held_messages; /* with `answers`: received ones whose slices may still be held */
    int answers;            /* slots and instances last until exchange_release() */
    uint32_t publishers;    /* numbers that the filters of the segment publish, at most EXCHANGE_NUMBERS */
    uint32_t message_bytes, member_bytes;
    int needs_ends;      /* n-to-n ends wait until all members have arrived at theirs */
    int source_at_leave; /* blocking one-to-n ends wait until the root has passed its own */
} exchange_options;

/* A segment has so many filters at most, and each of them publishes so many numbers (filter.h). */
enum { SEGMENT_FILTERS = 8, FILTER_NUMBERS = 4, EXCHANGE_NUMBERS = SEGMENT_FILTERS * FILTER_NUMBERS };

typedef struct exchange_counts {
    uint64_t sends, receives, matched; /* of messages, that have passed; matched: pairs */
    uint64_t given_up;                 /* targets that went on without all of their sources */
    uint64_t dropped_messages;         /* slots taken away at the cap */
    uint64_t incomplete_instances;
    uint32_t in_flight, most_in_flight;
} exchange_counts;

typedef struct exchange_client {
    void *data;
    void (*wake)(void *data, uint32_t location);                      /* the location may run again */
    tcf_status (*complete)(void *data, const tcf_instance *instance); /* all members have passed the end of it */
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

/* May the edge of an event with this time pass? Attaches slots: afterwards the filters may use the edge. EXCHANGE_WAIT:
 * the location is parked and will be woken. The edge's number must be resolved. */
exchange_answer exchange_prepare(exchange *x, uint32_t location, uint64_t time, tcf_edge *e);
/* The span with this edge has been processed. */
tcf_status exchange_pass(exchange *x, uint32_t location, tcf_edge *e);
/* The location waits for others before what it last passed is complete: the root of a one-to-n that has not come to its
 * end (source_at_leave) counts as passed, or they might wait for each other. */
void exchange_note_stopped(exchange *x, uint32_t location);
/* The location's parked target passes without its sources, and so do those that are parked at the same collective
 * instance; when `lasting` those that are still to come, too. */
tcf_status exchange_give_up(exchange *x, uint32_t location, tcf_edge *e, int lasting);
/* The parked location shall look again (something ended): it no longer waits for this edge. */
void exchange_unpark(exchange *x, uint32_t location, const tcf_edge *e);
/* An edge that has been decoded, but has not passed: when it is the begin of a member that contributes nothing, the
 * others need not wait for it. */
tcf_status exchange_note_absent(exchange *x, tcf_edge *e);
/* At the cap: takes away the oldest message in flight, whose receive becomes unmatched. 0: there is none. */
int exchange_drop_oldest(exchange *x);
/* No more events of the location will pass here. Instances that lacked nobody else are complete with that. */
tcf_status exchange_location_end(exchange *x, uint32_t location);

/* For the host table; see filter.h. `number` counts those of all filters, offset is that of the filter's payload. */
void *exchange_payload(exchange *x, const tcf_edge *e, uint32_t message_offset, uint32_t member_offset);
void exchange_publish(exchange *x, const tcf_edge *e, uint32_t number, uint64_t value);
int exchange_ask(exchange *x, const tcf_edge *e, uint32_t number, int latest, uint64_t *value);
int exchange_first_end(const exchange *x, const tcf_edge *e, uint64_t *time);
/* For the filter behind the segment that holds slices; see answer() in filter.h. */
void exchange_answer_sources(exchange *x, const tcf_edge *e, uint64_t value);
int exchange_answered(const exchange *x, const tcf_edge *e, uint64_t *value);
/* With `answers`: the filter has let go of a slice. */
void exchange_release(exchange *x, tcf_slice *s);

const exchange_counts *exchange_get_counts(const exchange *x);

#endif
