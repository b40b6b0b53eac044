/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Publishes the longest instances for the main chain when wait_states stands in the survey. */
#include "wait_states.h"

#include <private/worst_waits.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t count_worst(const struct state *st)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < WAIT_PATTERNS; i++)
        n += st->n_worst[i];
    return n;
}

static tcf_worst_wait row_of(const wait *w)
{
    tcf_worst_wait row = {.from = w->from,
                          .length = w->length,
                          .cause_time = w->cause_time,
                          .location = w->location,
                          .cause_location = w->cause_location};
    snprintf(row.pattern, sizeof row.pattern, "%s", wait_patterns[w->pattern].name);
    return row;
}

tcf_status leave_worst(tcf_self *self)
{
    const struct state *st = self->state;
    uint32_t n = 0;
    wait *all = malloc((count_worst(st) + 1ul) * sizeof *all);
    tcf_worst_wait *rows = malloc((count_worst(st) + 1ul) * sizeof *rows);
    tcf_status status = TCF_ERROR;
    for (uint32_t i = 0; all && i < WAIT_PATTERNS; i++)
        for (uint32_t k = 0; k < st->n_worst[i]; k++)
            all[n++] = st->worst[i][k];
    if (all)
        qsort(all, n, sizeof *all, longest_first);
    for (uint32_t i = 0; all && rows && i < n; i++)
        rows[i] = row_of(&all[i]);
    if (all && rows)
        status = self->host->learn(self, TCF_WORST_WAITS, sizeof *rows, rows, n);
    else
        self->host->fail(self, "out of memory for the worst instances");
    free(all);
    free(rows);
    return status;
}
