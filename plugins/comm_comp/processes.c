/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Processes of several locations. The changes of one location come in order of time, those of several do not. They are
 * kept until the watermark has passed them, and then sorted. */
#include "comm_comp.h"

#include <tcflow/grow.h>
#include <tcflow/order.h>

#include <stdlib.h>

enum { SMALLEST = 1024 };

static int order_changes(const void *a, const void *b)
{
    const change *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->time, y->time), TCF_ORDER(x->location, y->location), TCF_ORDER(x->number, y->number));
}

int make_change(sweep *s, const change *c)
{
    if (sweep_pass(s, c->time) != 0)
        return -1;
    switch (c->what) {
    case CHANGE_ACTIVITY:
        sweep_change(s, c->from, c->to);
        return 0;
    case CHANGE_POST:
    case CHANGE_JOIN:
        return sweep_post(s, c->a, c->b, c->what == CHANGE_JOIN);
    case CHANGE_COMPLETE:
        sweep_complete(s, c->a, c->b);
        return 0;
    default:
        sweep_cancel(s, c->a, c->b);
        return 0;
    }
}

int process_settle(process *p, uint64_t before)
{
    uint32_t kept = 0, k = 0;
    tcf_sort(p->pending, p->n, sizeof *p->pending, order_changes);
    for (; k < p->n && p->pending[k].time < before; k++)
        if (make_change(&p->all, &p->pending[k]) != 0)
            return -1;
    for (; k < p->n; k++) {
        p->pending[kept] = p->pending[k];
        p->pending[kept].number = kept;
        kept++;
    }
    p->n = p->numbers = kept;
    return 0;
}

/* Settles what the watermark has passed. The watermark does not know the rest of the slice at hand, so nothing from
 * `now` on is settled; nor the ends of flushes that are still to be told. Where too much is left, the older half is
 * settled, too. */
static int settle_some(const tcf_self *self, process *p, uint64_t now)
{
    const uint32_t most = (uint32_t)((const conf *)self->conf)->max_pending;
    uint64_t before = self->host->watermark(self);
    before = now < before ? now : before;
    if (process_settle(p, p->flushing > 0 && p->flushed < before ? p->flushed : before) != 0)
        return -1;
    if (p->n >= most) {
        const uint32_t all = p->n;
        if (process_settle(p, p->pending[p->n / 2].time + 1) != 0)
            return -1;
        p->hurried += all - p->n;
    }
    p->look_at = p->n < SMALLEST ? 2 * SMALLEST : 2 * p->n;
    p->look_at = p->look_at < most ? p->look_at : most;
    return 0;
}

int process_add(const tcf_self *self, process *p, change c)
{
    if (p->n >= p->look_at && p->n > 0 && settle_some(self, p, c.time) != 0)
        return -1;
    if (TCF_GROW(&p->pending, &p->capacity, p->n) != 0)
        return -1;
    c.number = p->numbers++;
    p->pending[p->n++] = c;
    return 0;
}
