/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Follows which regions and calling contexts of a location are open, and inserts their enters and leaves where the time
 * range cuts them.
 *
 * Regions that are not selected do not count, nor does a leave without an enter. Beyond MAX_DEPTH open regions, enters
 * and leaves are only counted. */
#include "select.h"

#include <tcflow/grow.h>

#include <string.h>

enum { MAX_DEPTH = 1 << 16 };

static int open_push(place *p, uint8_t kind, uint32_t what, uint32_t distance)
{
    if (p->n_open == MAX_DEPTH) {
        p->too_deep++;
        return 0;
    }
    if (TCF_GROW(&p->open, &p->open_capacity, p->n_open) != 0)
        return -1;
    p->open[p->n_open++] = (open_region){what, distance, kind};
    return 0;
}

/* A leave ends the nearest open visit of its region and all visits above; without such a visit it ends nothing. */
static void open_pop(place *p, uint8_t kind, uint32_t what)
{
    uint32_t n = p->n_open;

    if (p->too_deep > 0) {
        p->too_deep--;
        return;
    }
    while (n > 0 && (p->open[n - 1].what != what || p->open[n - 1].kind != kind))
        n--;
    if (n > 0)
        p->n_open = n - 1;
}

int open_follow(const tcf_self *self, place *p, const tcf_slice *s, uint32_t from, uint32_t to)
{
    const state *st = self->state;
    const tcf_definitions *defs = self->defs;
    int failed = 0;

    for (uint32_t i = from; i < to; i++) {
        const tcf_rec *rec = &s->rec[i];
        switch (s->kind[i]) {
        case TCF_ENTER:
            if (keeps_region(st, defs, rec->enter.region))
                failed |= open_push(p, TCF_ENTER, rec->enter.region, 0);
            break;
        case TCF_LEAVE:
            if (keeps_region(st, defs, rec->leave.region))
                open_pop(p, TCF_ENTER, rec->leave.region);
            break;
        case TCF_CALLING_CONTEXT_ENTER:
            if (keeps_context(st, defs, rec->calling_context_enter.calling_context))
                failed |= open_push(p, TCF_CALLING_CONTEXT_ENTER, rec->calling_context_enter.calling_context,
                                    rec->calling_context_enter.unwind_distance);
            break;
        case TCF_CALLING_CONTEXT_LEAVE:
            if (keeps_context(st, defs, rec->calling_context_leave.calling_context))
                open_pop(p, TCF_CALLING_CONTEXT_ENTER, rec->calling_context_leave.calling_context);
            break;
        default:
            break;
        }
    }
    return failed;
}

/* Makes the enter or leave of an open region. 0: its kind isn't selected. */
static int make_event(const state *st, const open_region *o, int is_enter, uint8_t *kind, tcf_rec *rec)
{
    memset(rec, 0, sizeof *rec);
    if (o->kind == TCF_ENTER) {
        *kind = is_enter ? TCF_ENTER : TCF_LEAVE;
        rec->enter.region = o->what; /* a leave's only field lies at the same place */
    } else {
        *kind = is_enter ? TCF_CALLING_CONTEXT_ENTER : TCF_CALLING_CONTEXT_LEAVE;
        rec->calling_context_enter.calling_context = o->what;
        if (is_enter)
            rec->calling_context_enter.unwind_distance = o->distance;
    }
    return st->keep_kind[*kind];
}

tcf_status open_insert(tcf_self *self, uint32_t location, place *p, int is_enter, uint64_t time)
{
    const state *st = self->state;

    for (uint32_t done = 0; done < p->n_open;) {
        uint32_t capacity;
        tcf_slice *s = self->host->slice_new(self, location, &capacity);
        if (!s)
            return TCF_ERROR;
        s->first = p->first;
        for (; done < p->n_open && s->n < capacity; done++) {
            const open_region *o = &p->open[is_enter ? done : p->n_open - 1 - done];
            if (!make_event(st, o, is_enter, &s->kind[s->n], &s->rec[s->n]))
                continue;
            s->time[s->n] = time;
            s->attr[s->n] = 0;
            s->n++;
        }
        p->count.inserted += s->n;
        if (self->host->emit(self, s) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}
