/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `distances`: distances.c walks over the events, tally.c counts what it finds, tables.c
 * reports. */
#ifndef TCFLOW_DISTANCES_H
#define TCFLOW_DISTANCES_H

#include "../shared/regions/region_stack.h"
#include <tcflow/filter.h>
#include <tcflow/map.h>

struct conf {
    int64_t run, cut, max_distances;
};

/* Distances with the same key are counted together. */
struct key {
    uint32_t region;            /* entered or left, else around the event; index, TCF_NONE: none */
    uint8_t kind, after;        /* of the event, and of the one before it */
    uint8_t in_run;             /* of empty calls */
    uint8_t attributes, values; /* of the event, at most 255; values: of a METRIC */
};

/* Distances of one key, in ticks. */
struct group {
    struct key key;
    uint64_t n, sum, min, max;
    uint32_t first; /* its first cell, after tally_sort() */
};

/* How often a group had distances in a bucket. */
struct cell {
    uint32_t group, bucket;
    uint64_t n;
};

enum { EXACT = 1024, PER_OCTAVE = 512 };

/* All zero: empty. */
struct tally {
    struct group *group;
    struct cell *cell;
    uint32_t n_groups, n_cells, group_capacity, cell_capacity;
    tcf_map groups, cells; /* key -> group; (group, bucket) -> cell */
    uint32_t most;         /* groups, and cells; set before anything is added */
    uint64_t left_out;     /* distances beyond these caps */
};

struct track {
    struct tally tally;
    region_stack stack; /* without rows */
    uint64_t last, events;
    uint64_t calls;  /* empty calls in a row */
    uint8_t started; /* `last` and `kind` are those of an event that is no pause */
    uint8_t kind;    /* of the event before */
    uint8_t empty;   /* the event before entered the innermost call */
};

struct state {
    struct tally total;
    uint64_t events;
    uint32_t locations; /* with events */
    uint32_t *same;     /* by region: the first one of the same name */
};

/* A bucket below EXACT is one tick wide. Above, each power of two has PER_OCTAVE buckets, so that a distance is within
 * 0.1 % of the middle of its bucket. */
static inline uint32_t bucket_of(uint64_t ticks)
{
    if (ticks < EXACT)
        return (uint32_t)ticks;
    uint32_t e = 63u - (uint32_t)__builtin_clzll(ticks);
    return EXACT + (e - 10) * PER_OCTAVE + (uint32_t)(ticks >> (e - 9) & (PER_OCTAVE - 1));
}

/* The middle of a bucket. */
static inline uint64_t ticks_of(uint32_t bucket)
{
    if (bucket < EXACT)
        return bucket;
    uint32_t e = 10 + (bucket - EXACT) / PER_OCTAVE;
    uint64_t width = UINT64_C(1) << (e - 9);
    return (UINT64_C(1) << e) + (bucket - EXACT) % PER_OCTAVE * width + width / 2;
}

/* Adds a distance. -1: out of memory. */
int tally_add(struct tally *t, const struct key *key, uint64_t ticks);
/* Adds all of `from`. -1: out of memory. */
int tally_merge(struct tally *to, const struct tally *from);
/* What tally_merge() needs goes into a pack, and from there into another tally. -1: out of memory. */
void tally_put(const tcf_host *host, tcf_pack *pack, const struct tally *t);
int tally_take(const tcf_host *host, tcf_pack *pack, struct tally *to);
/* Sorts the groups by key and the cells by group and bucket, and finds the first one of each group. Nothing may be
 * added afterwards. -1: out of memory. */
int tally_sort(struct tally *t);
/* The p-th (0 to 1) of a group's distances in ascending order: rank ceil(p n). After tally_sort(). */
uint64_t tally_quantile(const struct tally *t, uint32_t group, double p);
/* The mean of a group's distances up to `most` ticks, and how many are longer. After tally_sort(). */
double tally_mean(const struct tally *t, uint32_t group, double most, uint64_t *longer);
/* The steps in which the clock seems to advance, ticks; 1: none that can be seen. After tally_sort(). */
double tally_step(const struct tally *t);
void tally_free(struct tally *t);

tcf_status distances_report(tcf_self *self); /* tables.c, the filter's end() */

#endif
