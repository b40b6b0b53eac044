/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the tables of iterations share. */
#ifndef TCFLOW_ITERATIONS_REPORT_H
#define TCFLOW_ITERATIONS_REPORT_H

#include "../shared/regions/region_names.h"
#include "iterations.h"

typedef struct work {
    tcf_self *self;
    path_names names; /* path_text()'s */
    int out_of_memory;
} work;

/* A row of any of the tables. */
typedef struct row {
    const char *process, *location, *main, *doubt, *anchor;
    uint64_t bursts, location_id, locations, agree, fewest, most, iterations, from, mpi_ticks;
    double mean, deviation, share, mpi, sent, sent_bytes, received, received_bytes, collectives, evenness, likeness,
        factor;
    struct run run;
    struct bin bin;
} row;

#define AT(member) TCF_AT(row, member)

/* A row with the names and the id of a location. */
row row_of(const work *w, uint32_t location);

#define BURSTS_COLUMN                                                                                                  \
    {                                                                                                                  \
        "bursts", AT(bursts), NULL,                                                                                    \
            "0: each enter of the anchor begins an iteration; 1: those that begin a burst of "                         \
            "them; 2: those that begin a burst of bursts"                                                              \
    }

static inline uint32_t rank_of(const work *w, uint32_t path)
{
    return ((const struct state *)w->self->state)->paths[path].rank;
}

/* "main/solve/step"; valid until the next call. Without memory "", and out_of_memory is set. */
const char *path_text(work *w, uint32_t path);

static inline const struct place *place_of(const work *w, uint32_t location)
{
    return tcf_location_state(w->self, location);
}

/* The location's loop. NULL: it has none. */
static inline const struct candidate *loop_of(const work *w, uint32_t location)
{
    const struct place *p = place_of(w, location);
    return p->loop != NONE && p->n_found > 0 ? &p->found[p->loop] : NULL;
}

static inline int has_main_loop(const work *w, uint32_t l)
{
    const struct candidate *x = loop_of(w, l);
    return x && x->path == ((const struct state *)w->self->state)->main_path;
}

/* series.c. -1: out of memory. */
int report_series(work *w);
int report_outliers(work *w);

#endif
