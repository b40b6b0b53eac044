/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Cells of metrics' tables: values in their unit and as recorded, names, scopes. */
#ifndef TCFLOW_METRICS_CELLS_H
#define TCFLOW_METRICS_CELLS_H

#include "metrics.h"

enum { RAW_BYTES = 32, SCOPE_BYTES = 256 };

/* What a metric instance is about, as its definition says. */
typedef struct scope {
    uint64_t id;
    uint8_t kind, is_there;
} scope;

typedef struct work {
    tcf_self *self;
    scope *scopes; /* by metric */
    char text[5][RAW_BYTES];
    uint32_t n_texts;
    char scope[SCOPE_BYTES];
} work;

/* NULL: the member isn't defined. */
const tcf_metric_member *member_at(const work *w, uint32_t member);
/* What recorded values are multiplied by. */
double factor_of(const work *w, uint32_t member);

/* In the unit. An increase has a sign, whatever the values have. */
tcf_cell scaled(const work *w, uint32_t member, uint8_t type, number v);
tcf_cell scaled_increase(const work *w, uint32_t member, uint8_t type, number v);
/* As recorded. Valid until n_texts is reset, at most five: rows are copied. */
tcf_cell raw(work *w, uint8_t type, number v);
tcf_cell raw_increase(work *w, uint8_t type, number v);

/* Id, unit and name; their number. */
uint32_t put_names(const work *w, tcf_cell *c, uint32_t member);
/* TCF_NONE: of all locations. */
tcf_cell location_name(const work *w, uint32_t location);
tcf_cell location_id(const work *w, uint32_t location);

/* w->scopes, which is the caller's to free. -1: out of memory. */
int find_scopes(work *w);
/* "location" of what is recorded for the location itself, else as "LOCATION_GROUP MPI Rank 0"; valid until the next
 * call. */
const char *scope_text(work *w, const series *s);

#endif
