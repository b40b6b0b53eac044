/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle time-profile`: exclusive time by region and bin of time (D21 of oracle.h). Every frame is compared with every
 * bin; what it shares with a bin counts for its region, and against that of its parent. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct row {
    char *name;
    size_t process;  /* its first location; 0: of all */
    __int128 *ticks; /* by bin */
};

/* A frame: its region and its parent's. */
struct frame {
    uint64_t region, parent;
    bool has_parent;
};

struct profile {
    const struct o_trace *trace;
    struct o_time_bins bins;
    struct o_list rows, frames;
    size_t process;
};

static __int128 *row_of(struct profile *p, uint64_t region)
{
    char buffer[32];
    const char *name = o_region_name(p->trace, region, buffer);
    struct row *row = p->rows.item;
    for (size_t i = 0; i < p->rows.n; i++)
        if (!strcmp(row[i].name, name) && row[i].process == p->process)
            return row[i].ticks;
    row = o_push(&p->rows, sizeof *row);
    row->process = p->process;
    row->ticks = o_alloc((size_t)(p->bins.last - p->bins.first + 1), sizeof *row->ticks);
    row->name = o_copy(name);
    return row->ticks;
}

static __int128 larger(__int128 a, __int128 b)
{
    return a > b ? a : b;
}
static __int128 smaller(__int128 a, __int128 b)
{
    return a < b ? a : b;
}

/* Times since the origin, from <= to. */
static void share(const struct o_time_bins *bins, __int128 *ticks, __int128 from, __int128 to, int sign)
{
    for (__int128 bin = bins->first; bin <= bins->last; bin++) {
        __int128 common = smaller(to, (bin + 1) * bins->width) - larger(from, bin * bins->width);
        if (common > 0)
            ticks[bin - bins->first] += sign * common;
    }
}

static void on_enter(void *user, struct o_visit *visit, const struct o_visit *parent)
{
    struct profile *p = user;
    visit->node = p->frames.n;
    struct frame *frame = o_push(&p->frames, sizeof *frame);
    *frame = (struct frame){visit->region, parent ? parent->region : 0, parent != NULL};
}

static void on_leave(void *user, const struct o_visit *visit)
{
    struct profile *p = user;
    struct frame frame = ((struct frame *)p->frames.item)[visit->node];
    __int128 from = (__int128)visit->enter_time - p->trace->origin, to = (__int128)visit->leave_time - p->trace->origin;
    int sign = from <= to ? 1 : -1;
    share(&p->bins, row_of(p, frame.region), smaller(from, to), larger(from, to), sign);
    if (frame.has_parent)
        share(&p->bins, row_of(p, frame.parent), smaller(from, to), larger(from, to), -sign);
}

void o_print_time_profile(const struct o_trace *trace, uint64_t time_bins, bool by_process)
{
    struct profile p = {.trace = trace};
    struct o_processes processes;
    char name[O_PROCESS_NAME];
    o_processes_build(trace, &processes);
    puts("#time[ PROCESS],width,from,exclusive,region");
    bool any = o_find_time_bins(trace, time_bins, &p.bins);
    for (size_t l = 0; l < trace->n_locations && any; l++) {
        struct o_walk walk = {.user = &p, .enter = on_enter, .leave = on_leave};
        p.frames.n = 0;
        p.process = by_process ? processes.first[l] : 0;
        if (trace->location[l].n)
            o_walk_location(trace, l, &walk);
    }
    const struct row *row = p.rows.item;
    for (size_t r = 0; r < p.rows.n; r++) {
        for (__int128 bin = p.bins.first; bin <= p.bins.last; bin++)
            if (row[r].ticks[bin - p.bins.first] != 0) {
                if (by_process)
                    printf("time %s", o_process_name(trace, &processes, row[r].process, name));
                printf("%s,%" PRIu64 ",%" PRIu64 ",%" PRId64 ",", by_process ? "" : "time", (uint64_t)p.bins.width,
                       trace->origin + (uint64_t)(bin * p.bins.width), (int64_t)row[r].ticks[bin - p.bins.first]);
                o_print_csv(row[r].name);
                putchar('\n');
            }
        free(row[r].ticks);
        free(row[r].name);
    }
    o_processes_free(&processes);
    free(p.rows.item);
    free(p.frames.item);
}
