/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Merging the slices of many locations in the order of time, batch by batch.
 *
 * A batch is a piece of time that holds some thousand events: their times and locations are gathered, location by
 * location, and sorted by a stable radix sort. That costs the same for any number of locations, where a tournament
 * costs a step for each doubling of them, and it is known beforehand which events come next, so that they can be
 * fetched. Events of equal time stand in the order of their locations. */
#ifndef TCFLOW_PRINT_MERGE_H
#define TCFLOW_PRINT_MERGE_H

#include <tcflow/filter.h>

enum {
    BATCH_EVENTS = 8192,
    KEYS_BEHIND = 64 /* zeros behind the keys, so that one may look ahead */
};

/* The slices of a location that wait. */
struct lane {
    tcf_slice *first; /* of the queue, NULL: none */
    uint32_t at;      /* its next event */
    uint32_t head, n, capacity;
    tcf_slice **queue; /* a ring */
};

struct key {
    uint32_t delta; /* time - start */
    uint32_t location;
};

struct merge {
    unsigned char *lanes; /* lane_bytes each, by location; of the owner */
    size_t lane_bytes;
    uint32_t n_locations;
    uint32_t waiting;  /* locations that have events here */
    uint64_t *head;    /* by location: time of the next event that is in no batch, UINT64_MAX: there may be none */
    uint64_t earliest; /* the smallest of them */
    uint64_t width;    /* of a batch, in ticks, so that it holds some thousand events; less than 2^32 */

    uint64_t start; /* of the batch */
    struct key *key, *spare;
    uint32_t n, next; /* keys; the first one that has not been printed */
};

/* -1: out of memory. */
int merge_init(struct merge *m, uint32_t n_locations, unsigned char *lanes, size_t lane_bytes);
void merge_free(struct merge *m);
/* A slice that comes behind those of its location; not while a batch is under way. -1: out of memory. */
int merge_push(struct merge *m, tcf_slice *s);
/* Makes the next batch, of events up to time `limit`; there must be one. -1: too many events of the very time
 * `earliest`; then nothing has changed. */
int merge_gather(struct merge *m, uint64_t limit);
/* Looks at all locations again, after events have gone without a batch. */
void merge_look(struct merge *m);
/* The location goes on with its next slice, or has none. */
void lane_next(struct merge *m, struct lane *l);

#endif
