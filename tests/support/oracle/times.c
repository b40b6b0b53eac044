/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Matrices of times, [location][event], beside a trace. */
#include "clocks.h"

#include <inttypes.h>
#include <stdlib.h>

uint64_t **o_no_times(const struct o_trace *trace, uint64_t value)
{
    uint64_t **times = o_alloc(trace->n_locations, sizeof *times);
    for (size_t l = 0; l < trace->n_locations; l++) {
        times[l] = o_alloc(trace->location[l].n, sizeof **times);
        for (size_t e = 0; e < trace->location[l].n; e++)
            times[l][e] = value;
    }
    return times;
}

uint64_t **o_times(const struct o_trace *trace)
{
    uint64_t **times = o_no_times(trace, 0);
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 0; e < trace->location[l].n; e++)
            times[l][e] = o_time(trace, l, e);
    return times;
}

uint64_t **o_stops(const struct o_trace *trace)
{
    uint64_t **stops = o_no_times(trace, 0);
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 0; e < trace->location[l].n; e++)
            if (trace->location[l].event[e].kind == O_BUFFER_FLUSH)
                stops[l][e] = trace->location[l].event[e].field[0];
    return stops;
}

void o_free_times(const struct o_trace *trace, uint64_t **times)
{
    for (size_t l = 0; times && l < trace->n_locations; l++)
        free(times[l]);
    free(times);
}

uint64_t **o_times_of(const struct o_trace *trace, const struct o_trace *other)
{
    uint64_t **times = o_no_times(trace, 0);
    for (size_t l = 0; l < trace->n_locations; l++) {
        size_t o = 0;
        while (o < other->n_locations && other->location[o].def.id != trace->location[l].def.id)
            o++;
        if (o == other->n_locations || other->location[o].n != trace->location[l].n) {
            fprintf(stderr, "oracle: location %" PRIu64 " has not the same number of events in both archives\n",
                    trace->location[l].def.id);
            o_free_times(trace, times);
            return NULL;
        }
        for (size_t e = 0; e < trace->location[l].n; e++)
            times[l][e] = o_time(other, o, e);
    }
    return times;
}

void o_print_times(const struct o_trace *trace, uint64_t *const *times, uint64_t *const *stops)
{
    puts("#location index time");
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 0; e < trace->location[l].n; e++) {
            printf("%" PRIu64 " %zu %" PRIu64, trace->location[l].def.id, e, times[l][e]);
            if (trace->location[l].event[e].kind == O_BUFFER_FLUSH)
                printf(" BUFFER_FLUSH stopTime=%" PRIu64, stops[l][e]);
            putchar('\n');
        }
}
