/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* iterations: where ranges of iterations of the main loop begin, for filters of the main chain (private/main_loop.h).
 * The ranges are the bins of the locations, those of the finer ones joined until all are as wide as the widest. */
#include "report.h"

#include <private/main_loop.h>

#include <stdlib.h>

/* The widest bins of all locations that have the main loop, as a power of two; *n: how many marks there may be. */
static uint32_t widest(const work *w, uint64_t *n)
{
    uint32_t level = 0;
    *n = 0;
    for (uint32_t l = 0; l < w->self->defs->n_locations; l++) {
        if (!has_main_loop(w, l))
            continue;
        const struct run *r = &loop_of(w, l)->run;
        level = r->level > level ? r->level : level;
        *n += (uint64_t)((const struct conf *)w->self->conf)->bins + 1;
    }
    return level;
}

/* The marks of a location. Returns how many. */
static uint64_t mark(const struct run *r, uint32_t location, uint32_t level, tcf_loop_mark *to)
{
    const uint64_t whole = r->n - 1;
    uint64_t n = 0;
    for (; n << level < whole; n++)
        to[n] = (tcf_loop_mark){.first = n << level,
                                .enter = r->bins[n << (level - r->level)].enter,
                                .location = location,
                                .range = (uint32_t)n};
    to[n] = (tcf_loop_mark){.first = whole, .enter = r->last, .location = location, .range = (uint32_t)n};
    return n + 1;
}

tcf_status learn_main_loop(tcf_self *self)
{
    const work w = {.self = self};
    uint64_t most, n = 0;
    const uint32_t level = widest(&w, &most);
    tcf_loop_mark *marks = malloc((most + 1) * sizeof *marks);
    if (!marks)
        return self->host->fail(self, "out of memory for the main loop of all locations");
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        if (has_main_loop(&w, l) && loop_of(&w, l)->run.binned)
            n += mark(&loop_of(&w, l)->run, l, level, marks + n);
    tcf_status status = self->host->learn(self, TCF_MAIN_LOOP, sizeof *marks, marks, n);
    free(marks);
    return status;
}
