/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Merges the slices of many locations in the order of time, batch by batch.
 *
 * A batch is an interval of time with some thousand events. The merge gathers their times and locations, location by
 * location, and sorts them by a stable radix sort. The cost of an event is the same for any number of locations,
 * while a tournament tree takes one more step each time that number doubles. The order of a batch is known before
 * its first event is printed, so the next events can be prefetched. Events of equal time stand in the order of their
 * locations. */
#ifndef TCFLOW_PRINT_MERGE_H
#define TCFLOW_PRINT_MERGE_H

#include <tcflow/filter.h>

enum {
    BATCH_EVENTS = 8192,
    KEYS_BEHIND = 64 /* zeros behind the last key, for code that looks ahead */
};

/* The slices of a location that wait for their turn. */
struct lane {
    tcf_slice *first; /* of the queue; NULL: it is empty */
    uint32_t at;      /* the next event of `first` */
    uint32_t head, n, capacity;
    tcf_slice **queue; /* a ring of `capacity` places; the first slice is at `head` */
};

struct key {
    uint32_t delta; /* time - start */
    uint32_t location;
};

struct merge {
    unsigned char *lanes; /* by location, lane_bytes each; the owner's memory */
    size_t lane_bytes;
    uint32_t n_locations;
    uint32_t waiting;  /* locations that have events here */
    uint64_t *head;    /* by location: time of its next event that is in no batch; UINT64_MAX: that, or there is none */
    uint64_t earliest; /* the smallest time in `head` */
    uint64_t width;    /* of a batch in ticks, less than 2^32; adapted so that a batch has some thousand events */

    uint64_t start; /* of the batch; deltas count from it */
    struct key *key, *spare;
    uint32_t n, next; /* n: number of keys; next: the first key that has not been printed */
};

/* -1: out of memory. */
int merge_init(struct merge *m, uint32_t n_locations, unsigned char *lanes, size_t lane_bytes);
void merge_free(struct merge *m);
/* Appends a slice to the queue of its location, between two batches. -1: out of memory. */
int merge_push(struct merge *m, tcf_slice *s);
/* Makes the next batch, of events up to time `limit`, of which there is at least one. -1: more events have the time
 * `earliest` than a batch holds; nothing has changed then. */
int merge_gather(struct merge *m, uint64_t limit);
/* Finds `head` and `earliest` anew, after events were printed without a batch. */
void merge_look(struct merge *m);
/* Takes the first slice off the location's queue. */
void lane_next(struct merge *m, struct lane *l);

#endif
