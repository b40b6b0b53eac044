/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the tables of iterations share. */
#ifndef TCFLOW_ITERATIONS_REPORT_H
#define TCFLOW_ITERATIONS_REPORT_H

#include "iterations.h"

typedef struct work {
    tcf_self *self;
    char *text; /* path_text()'s */
    size_t text_bytes;
    int out_of_memory;
} work;

/* names.c. "main/solve/step"; valid until the next call. Without memory "", and out_of_memory is set. */
const char *path_text(work *w, uint32_t path);
tcf_cell process_name(const work *w, uint32_t location);

static inline const struct place *place_of(const work *w, uint32_t location)
{
    return tcf_location_state(w->self, location);
}

/* The location's loop, NULL: it has none. */
static inline const struct candidate *loop_of(const work *w, uint32_t location)
{
    const struct place *p = place_of(w, location);
    return p->loop != NONE && p->n_found > 0 ? &p->found[p->loop] : NULL;
}

/* series.c. TCF_ERROR: out of memory. */
tcf_status report_series(work *w);
tcf_status report_outliers(work *w);

#endif
