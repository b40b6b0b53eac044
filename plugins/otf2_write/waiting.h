/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Bytes of many files that wait to be written.
 *
 * Where locations take turns with few bytes each, and few files can be open at a time, each piece that is written may
 * cost the opening of a file. So the bytes of each location wait. All of them share one memory, in small units that are
 * handed out when they are needed; where none is left, the caller writes what waits of a location that has many. So
 * pieces are larger than with an equal share for each location, and no location holds memory that it doesn't use. */
#ifndef OTF2_WRITE_WAITING_H
#define OTF2_WRITE_WAITING_H

#include <stdint.h>

enum { WAITING_MOST = 16 << 10 /* bytes of a location */ };

/* What waits of a location. */
typedef struct waiting_bytes {
    uint32_t n;           /* bytes */
    uint32_t first, last; /* units, where n > 0, */
    uint32_t place;       /* and where it stands in waiting.list */
} waiting_bytes;

typedef struct waiting_place {
    uint32_t location, units;
} waiting_place;

typedef struct waiting {
    uint8_t *bytes;                       /* of all units */
    uint32_t *next;                       /* by unit: the one behind it */
    uint32_t n_units, made, n_free, free; /* units that were used: `made` of them; those in a list from `free` on */
    waiting_bytes *of;                    /* by location */
    waiting_place *list;                  /* the n locations of which bytes wait */
    uint32_t n;
    uint32_t random;
} waiting;

/* Takes memory for up to `bytes` bytes, and more than those of one location; it is touched when it is used. -1: out of
 * memory; waiting_free() is right behind that, too. */
int waiting_init(waiting *w, uint32_t locations, uint64_t bytes);
void waiting_free(waiting *w);

static inline uint32_t waiting_of(const waiting *w, uint32_t location)
{
    return w->of[location].n;
}

/* Are there units for n more bytes of the location? */
int waiting_has_room(const waiting *w, uint32_t location, uint64_t n);
/* Adds bytes behind those of the location. There has to be room, and WAITING_MOST is the most. */
void waiting_add(waiting *w, uint32_t location, const uint8_t *bytes, uint64_t n);
/* Replaces bytes from number `at` on, which are there. */
void waiting_replace(waiting *w, uint32_t location, uint64_t at, const uint8_t *bytes, uint64_t n);
/* Moves all bytes of the location to `to`, which has room for WAITING_MOST. Returns how many. */
uint32_t waiting_take(waiting *w, uint32_t location, uint8_t *to);
/* A location of which many bytes wait: the one that has most of some that are drawn. UINT32_MAX: none waits. */
uint32_t waiting_large(waiting *w);

#endif
