/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which calls for accelerators processes spend their time in. */
#include "efficiency.h"

#include <stdlib.h>
#include <tcflow/grow.h>
#include <tcflow/order.h>

int accelerators_add(struct accelerators *c, uint32_t region, uint64_t ticks)
{
    uint32_t i = c->n > 0 && c->of[c->n - 1].region == region ? c->n - 1 : tcf_map_get(&c->at, region, 0);
    if (i == TCF_MAP_ABSENT) {
        i = c->n;
        if (TCF_GROW(&c->of, &c->capacity, c->n) != 0 || tcf_map_put(&c->at, region, 0, i) != 0)
            return -1;
        c->of[c->n++] = (struct accelerator_time){0, region};
    }
    c->of[i].ticks = tcf_ticks_sum(c->of[i].ticks, ticks);
    return 0;
}

void accelerators_free(struct accelerators *c)
{
    tcf_map_free(&c->at);
    free(c->of);
    *c = (struct accelerators){0};
}

static int most_first(const void *a, const void *b)
{
    const struct accelerator_time *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->ticks, x->ticks), TCF_ORDER(x->region, y->region));
}

typedef struct row {
    const char *region;
    uint64_t ticks, id;
} row;

/* Without accelerators there is no such table. */
void accelerators_report(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"region", TCF_AT(row, region), NULL, "Name of the call"},
        {"time", TCF_AT(row, ticks) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s",
         "Time of all processes in it, without what it calls"},
        {"time_ticks", TCF_AT(row, ticks) | TCF_CELL_DETAIL, "ticks", "time in ticks"},
        {"region_id", TCF_AT(row, id) | TCF_CELL_DETAIL, NULL, "Id of the region"},
    };
    struct accelerators *c = &((struct state *)self->state)->accelerators;
    if (c->n == 0)
        return;
    tcf_sort(c->of, c->n, sizeof *c->of, most_first);
    tcf_table *t =
        TCF_TABLE(self, "efficiency_accelerators", "Calls for accelerators of the processes' main threads", columns);
    for (uint32_t i = 0; i < c->n; i++) {
        const char *name = tcf_region_at(self->defs, (uint32_t)c->of[i].region)->name;
        tcf_row(self, t,
                &(row){.region = name ? name : "",
                       .ticks = c->of[i].ticks,
                       .id = tcf_id(self->defs, TCF_REF_REGION, (uint32_t)c->of[i].region, UINT32_MAX)});
    }
}
