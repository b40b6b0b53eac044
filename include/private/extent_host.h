/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* From when to when a trace goes, by its first and last events and the clock offsets that its archive has: the
 * extension TCF_EXTENT_HOST of the host table. What an archive states of its length may be wrong. */
#ifndef TCFLOW_PRIVATE_EXTENT_HOST_H
#define TCFLOW_PRIVATE_EXTENT_HOST_H

#include <tcflow/filter.h>
#include <tcflow/times.h>

#define TCF_EXTENT_HOST "extent"

typedef struct tcf_extent_host {
    /* Times of the first and last events, in ticks since the start that the trace states. Returns 0 where the source
     * doesn't know them (a stream, several archives). Reads the ends of event files: not for every slice. */
    int (*extent)(const tcf_self *self, int64_t *first, int64_t *last);
} tcf_extent_host;

static inline const tcf_extent_host *tcf_extent_host_of(const tcf_self *self)
{
    return (const tcf_extent_host *)self->host->extension(self, TCF_EXTENT_HOST);
}

/* Does the archive have clock offsets that no filter in front has applied? So it is in most archives of Score-P: times
 * are those of each process' own clock, and readers add the offsets. */
static inline int tcf_offsets_wait(const tcf_self *self)
{
    if (self->changed & TCF_WRITES_CLOCK)
        return 0;
    for (uint32_t i = 0; i < self->defs->n_locations; i++)
        if (tcf_location_at(self->defs, i)->n_clock_offsets > 0)
            return 1;
    return 0;
}

/* The time that libotf2's own correction makes of a local time: linear between two clock offsets, and beyond them as in
 * the first or last segment. A single clock offset is added everywhere. */
static inline int64_t tcf_global_time(const tcf_location *l, uint64_t local)
{
    const int64_t time = local > INT64_MAX ? INT64_MAX : (int64_t)local;
    uint32_t low = 1, high = l->n_clock_offsets > 1 ? l->n_clock_offsets - 1 : 0;

    if (l->n_clock_offsets == 0)
        return time;
    if (l->n_clock_offsets == 1)
        return tcf_offset_sum(time, l->clock_offsets[0].offset);
    while (low < high) { /* the first segment that ends behind the time */
        const uint32_t middle = low + (high - low) / 2;
        if (l->clock_offsets[middle].time <= local)
            low = middle + 1;
        else
            high = middle;
    }
    const tcf_clock_offset *a = &l->clock_offsets[low - 1], *b = &l->clock_offsets[low];
    const double distance = (double)tcf_time_distance(a->time, local);
    const double length = (double)tcf_time_distance(a->time, b->time);
    const double slope = length > 0 ? (double)tcf_offset_difference(b->offset, a->offset) / length : 0;
    return tcf_offset_sum(tcf_offset_sum(time, a->offset), tcf_offset_of(slope * distance));
}

#endif
