/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* In several domains each instance logs what its locations did and finds their waits; the one in the first domain has
 * the logs of all, and judges. What other domains record it does in the order in which they have done it. */
#include "root_cause.h"

#include <tcflow/grow.h>

static tcf_status out_of_memory(tcf_self *self)
{
    return self->host->fail(self, "out of memory for what locations of other domains did");
}

static tcf_status take_used(tcf_self *self, known *k, const gather_time *r, uint32_t callpath)
{
    if (TCF_GROW(&k->used, &k->used_capacity, k->n_used) != 0)
        return out_of_memory(self);
    k->used[k->n_used++] = (struct used_call){r->time, callpath};
    return TCF_OK;
}

static tcf_status take_stretch(tcf_self *self, struct place *p, const gather_time *r, uint32_t callpath)
{
    p->known.n_used -= callpath != NONE;
    if (log_push_stretch(self, p, r->time, callpath) != 0)
        return out_of_memory(self);
    ready_touch(self, p->location);
    return TCF_OK;
}

static tcf_status take_outer(tcf_self *self, struct place *p, const outer *told)
{
    outer o = *told;
    o.callpath = gather_callpath(self, gather_of(self), p->location, o.callpath);
    p->known.n_used--;
    if (log_push_outer(self, p, &o) != 0)
        return out_of_memory(self);
    ready_touch(self, p->location);
    return TCF_OK;
}

/* How far the location is. */
static void take_span(tcf_self *self, struct place *p, const struct record_span *r)
{
    p->known.first = r->first;
    p->known.last = r->last;
    if (r->head.kind == RECORD_BEGIN)
        log_begin(p);
    p->ended |= r->head.kind == RECORD_END;
    ready_touch(self, p->location);
}

/* A record of a location, of which this domain need not be the location's. */
static tcf_status apply(tcf_self *self, uint32_t location, const gather_record *r, uint32_t callpath)
{
    struct place *p = tcf_location_state(self, location);
    const gather_time *t = (const void *)r;
    const void *content = r + 1;
    switch (r->kind) {
    case RECORD_USED:
        return take_used(self, &p->known, t, callpath);
    case RECORD_STRETCH:
        return take_stretch(self, p, t, callpath);
    case RECORD_PART:
        return log_push_part(self, p, callpath, t->time) == 0 ? TCF_OK : out_of_memory(self);
    case RECORD_OUTER:
        return take_outer(self, p, content);
    case RECORD_PENDING:
        return queue_pending(self, location, t->time);
    case RECORD_SETTLED:
        queue_settled(self, location, t->time);
        return TCF_OK;
    case RECORD_WAIT:
        return queue_found(self, content);
    case RECORD_MEETING:
        return log_push_meeting(self, p, content);
    default:
        take_span(self, p, (const void *)r);
        return TCF_OK;
    }
}

/* Where this filter detects waits, its instances tell each other of them, too. */
static tcf_status told(tcf_self *self, uint32_t from, const void *letter)
{
    const struct state *st = self->state;
    if (!gather_is_letter(letter)) {
        if (waits_told(self, from, letter) != TCF_OK || gather_tell(self, gather_of(self)) != TCF_OK)
            return TCF_ERROR;
    } else if (gather_told(self, gather_of(self), from, letter) != TCF_OK) {
        return TCF_ERROR;
    }
    return st->has_failed ? TCF_ERROR : queue_run(self);
}

tcf_status centre_begin(tcf_self *self)
{
    if (gather_begin(self, gather_of(self), apply, told) != TCF_OK)
        return TCF_ERROR;
    queue_begin(self);
    return TCF_OK;
}

tcf_status centre_span(tcf_self *self, uint32_t location)
{
    if (!is_recorded(self))
        return TCF_OK;
    return record_span(self, tcf_location_state(self, location), RECORD_SPAN) == TCF_OK
               ? gather_tell(self, gather_of(self))
               : TCF_ERROR;
}

tcf_status centre_pack(tcf_self *self, tcf_pack *pack)
{
    return waits_pack(self, pack) == TCF_OK ? gather_pack(self, gather_of(self), pack) : TCF_ERROR;
}

tcf_status centre_absorb(tcf_self *self, tcf_pack *pack)
{
    return waits_absorb(self, pack) == TCF_OK ? gather_absorb(self, gather_of(self), pack) : TCF_ERROR;
}
