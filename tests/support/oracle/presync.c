/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle presync`: piecewise linear correction of clocks. Between two knots of a location the offset is linear,
 * outside them the first and last pieces go on, one knot is a constant: t + offset + rint(slope * (t - begin)), which
 * is what libotf2 computes. The knots are the archive's CLOCK_OFFSETs, or lines of a file. A location that has none
 * uses those of the first location of its process that has some; without any its times stay. */
#include "clocks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_knots(const void *a, const void *b)
{
    const struct o_knot *x = a, *y = b;
    return o_compare_u64(x->time, y->time);
}

static bool sort_knots(const struct o_trace *trace, struct o_knots *knots)
{
    for (size_t l = 0; l < trace->n_locations; l++) {
        struct o_knot *knot = knots->of[l].item;
        if (knots->of[l].n)
            qsort(knot, knots->of[l].n, sizeof *knot, compare_knots);
        for (size_t i = 1; i < knots->of[l].n; i++)
            if (knot[i].time == knot[i - 1].time) {
                fprintf(stderr, "oracle: location %" PRIu64 " has two clock offsets at time %" PRIu64 "\n",
                        trace->location[l].def.id, knot[i].time);
                return false;
            }
    }
    return true;
}

static void put_knot(struct o_knots *knots, size_t l, struct o_knot knot)
{
    struct o_knot *put = o_push(&knots->of[l], sizeof *put);
    *put = knot;
}

bool o_archive_knots(const struct o_trace *trace, struct o_knots *knots)
{
    knots->of = o_alloc(trace->n_locations, sizeof *knots->of);
    for (size_t l = 0; l < trace->n_locations; l++) {
        const struct o_knot *knot = trace->location[l].knots.item;
        for (size_t i = 0; i < trace->location[l].knots.n; i++)
            put_knot(knots, l, knot[i]);
    }
    return sort_knots(trace, knots);
}

/* A line that is not two numbers and an offset is a heading when it is the first one, else an error. */
static bool read_line(const struct o_trace *trace, const char *text, struct o_knots *knots, bool first)
{
    uint64_t id;
    struct o_knot knot;
    if (*text == '#' || !text[strspn(text, " \t\r\n")])
        return true;
    if (sscanf(text, "%" SCNu64 ",%" SCNu64 ",%" SCNd64, &id, &knot.time, &knot.offset) != 3)
        return first;
    for (size_t l = 0; l < trace->n_locations; l++)
        if (trace->location[l].def.id == id) {
            put_knot(knots, l, knot);
            return true;
        }
    return false;
}

bool o_read_knots(const struct o_trace *trace, const char *name, struct o_knots *knots)
{
    knots->of = o_alloc(trace->n_locations, sizeof *knots->of);
    FILE *file = fopen(name, "r");
    if (!file) {
        perror(name);
        return false;
    }
    char text[256];
    bool ok = true;
    for (size_t line = 1; ok && fgets(text, sizeof text, file); line++) {
        ok = read_line(trace, text, knots, line == 1);
        if (!ok)
            fprintf(stderr, "oracle: %s:%zu: not a location of the archive, a time and an offset: %s", name, line,
                    text);
    }
    fclose(file);
    return ok && sort_knots(trace, knots);
}

void o_free_knots(const struct o_trace *trace, struct o_knots *knots)
{
    for (size_t l = 0; knots->of && l < trace->n_locations; l++)
        free(knots->of[l].item);
    free(knots->of);
    knots->of = NULL;
}

/* Times are sums modulo 2^64, as libotf2 has them; which is what a negative offset needs. */
uint64_t o_presync(const struct o_knot *knot, size_t n, uint64_t time)
{
    if (n == 1)
        return time + (uint64_t)knot[0].offset;
    size_t piece = 0; /* from knot[piece] to the next one */
    while (piece + 2 < n && time >= knot[piece + 1].time)
        piece++;
    const struct o_knot *a = &knot[piece], *b = a + 1;
    double slope = (double)(int64_t)((uint64_t)b->offset - (uint64_t)a->offset) / (double)(b->time - a->time);
    double drift = rint(slope * (double)(int64_t)(time - a->time));
    return time + (uint64_t)a->offset + (uint64_t)(int64_t)drift;
}

/* The knots that hold for a location; NULL: none. */
static const struct o_list *knots_of(const struct o_trace *trace, const struct o_knots *knots, size_t location)
{
    if (knots->of[location].n)
        return &knots->of[location];
    for (size_t l = 0; l < trace->n_locations; l++)
        if (trace->location[l].group == trace->location[location].group && knots->of[l].n)
            return &knots->of[l];
    return NULL;
}

uint64_t **o_presync_times(const struct o_trace *trace, const struct o_knots *knots)
{
    uint64_t **times = o_no_times(trace, 0);
    for (size_t l = 0; l < trace->n_locations; l++) {
        const struct o_list *list = knots_of(trace, knots, l);
        for (size_t e = 0; e < trace->location[l].n; e++) {
            uint64_t time = trace->location[l].event[e].time;
            times[l][e] = list ? o_presync(list->item, list->n, time) : time;
        }
    }
    return times;
}

void o_presync_stops(const struct o_trace *trace, const struct o_knots *knots, uint64_t **stops)
{
    for (size_t l = 0; l < trace->n_locations; l++) {
        const struct o_list *list = knots_of(trace, knots, l);
        for (size_t e = 0; list && e < trace->location[l].n; e++)
            if (trace->location[l].event[e].kind == O_BUFFER_FLUSH)
                stops[l][e] = o_presync(list->item, list->n, stops[l][e]);
    }
}
