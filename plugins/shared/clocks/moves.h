/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How far a filter has moved events behind the correction of clocks. Error bars of clocks are those of the correction:
 * behind such a filter, an event may be off by what it was moved, too, that of the reference as well. */
#ifndef TCFLOW_CLOCKS_MOVES_H
#define TCFLOW_CLOCKS_MOVES_H

#include "stated.h"
#include <tcflow/clocks.h>

#include <stdio.h>
#include <stdlib.h>

/* Widens what this run, or an earlier one, has stated of the clocks. */
static inline tcf_status moves_state(tcf_self *self, const two_clocks *moved)
{
    uint32_t n = 0;
    const tcf_property *now = self->host->properties(self, &n);
    const char *stated = clocks_stated(now, n);
    char *end = NULL, text[64];
    stated = stated ? stated : clocks_stated(self->defs->properties, self->defs->n_properties);
    double seconds = stated ? strtod(stated, &end) : 0;
    if (!stated || end == stated || !(moved->largest > 0))
        return TCF_OK;
    seconds += (moved->largest + moved->second) / (double)self->defs->clock.resolution;
    snprintf(text, sizeof text, "%.3g s", seconds);
    return self->host->set_property(self, CLOCKS_STATED, text);
}

/* In end(): adds to the table of moves by how much this filter has moved the events of each location at most; `first`:
 * it begins the table. */
static inline tcf_status moves_learn(tcf_self *self, uint64_t (*of)(const tcf_self *self, uint32_t location), int first)
{
    uint64_t n = 0;
    uint32_t locations = self->defs->n_locations;
    const tcf_clock_move *before = first ? NULL : self->host->learned(self, TCF_CLOCK_MOVES, sizeof *before, &n);
    tcf_clock_move *rows = calloc(locations + 1u, sizeof *rows);
    two_clocks moved = {.process = TCF_NONE};
    if (!rows)
        return self->host->fail(self, "out of memory for %u locations", locations);
    for (uint32_t l = 0; l < locations; l++) {
        rows[l].ticks = of(self, l) + (before && l < n ? before[l].ticks : 0);
        two_clocks_add(&moved, tcf_location_at(self->defs, l)->group, (double)of(self, l));
    }
    tcf_status status = self->host->learn(self, TCF_CLOCK_MOVES, sizeof *rows, rows, locations);
    free(rows);
    return status == TCF_OK ? moves_state(self, &moved) : status;
}

#endif
