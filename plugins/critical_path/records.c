/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Makes the records by which the first domain learns what locations of another one did. */
#include "critical_path.h"

enum { BITS_OF_NUMBER = 36 }; /* of a name; the others are the location's */

uint64_t new_name(tcf_self *self, uint32_t location)
{
    if (!gather_of(self)->host)
        return 0;
    const uint64_t number = place_of(self, location)->n_names++;
    return (uint64_t)(location + 1) << BITS_OF_NUMBER | (number & ((UINT64_C(1) << BITS_OF_NUMBER) - 1));
}

tcf_status record_named(tcf_self *self, uint32_t location, uint8_t kind, uint64_t time, uint64_t name)
{
    struct record_named *r = gather_put(self, gather_of(self), location, kind, sizeof *r);
    if (!r)
        return TCF_ERROR;
    r->time = time;
    r->name = name;
    return TCF_OK;
}

static tcf_status record_times(tcf_self *self, uint32_t location)
{
    struct place *k = place_of(self, location);
    for (uint32_t i = 0; i < k->n_touched; i++) {
        const struct cell *c = cell_at(k, k->touched[i]);
        if (gather_put_time(self, gather_of(self), location, RECORD_TIME, k->touched[i], c->total - c->before) !=
            TCF_OK)
            return TCF_ERROR;
    }
    start_over(k, k->start);
    return TCF_OK;
}

tcf_status record_stretch(tcf_self *self, uint32_t location)
{
    const struct place *k = place_of(self, location);
    if (record_times(self, location) != TCF_OK)
        return TCF_ERROR;
    gather_time *r = gather_put(self, gather_of(self), location, RECORD_STRETCH, sizeof *r);
    if (!r)
        return TCF_ERROR;
    r->head.of = k->callpath;
    r->head.flags = (uint8_t)(region_of(self, location) << 1 | k->is_first);
    r->time = k->start;
    return TCF_OK;
}

tcf_status record_edge(tcf_self *self, const struct event *v, const tcf_edge *e)
{
    struct record_edge *r = gather_put(self, gather_of(self), v->location, e ? RECORD_EDGE : RECORD_REQUEST, sizeof *r);
    if (!r)
        return TCF_ERROR;
    r->time = v->time;
    r->request = v->request;
    r->kind = v->kind;
    r->is_matched = v->name != NULL;
    r->name = v->name ? *v->name : 0;
    if (!e)
        return TCF_OK;
    r->head.of = e->peer;
    r->number = e->number;
    r->class_ = e->class_;
    r->flags = e->flags;
    return TCF_OK;
}

tcf_status record_complete(tcf_self *self, const tcf_collective *in)
{
    for (uint32_t i = 0; i < in->n_members; i++)
        if (gather_put_copy(self, gather_of(self), 0, RECORD_MEMBER, in->members + i * in->stride,
                            sizeof(struct member)) != TCF_OK)
            return TCF_ERROR;
    struct record_complete *r = gather_put(self, gather_of(self), 0, RECORD_COMPLETE, sizeof *r);
    if (!r)
        return TCF_ERROR;
    r->head.of = in->comm;
    r->n_members = in->n_members;
    r->n_arrived = in->n_arrived;
    r->class_ = in->class_;
    r->op = in->op;
    return gather_tell(self, gather_of(self));
}

tcf_status record_last(tcf_self *self, uint32_t location)
{
    const struct place *k = place_of(self, location);
    if (record_times(self, location) != TCF_OK)
        return TCF_ERROR;
    struct record_last *r = gather_put(self, gather_of(self), location, RECORD_LAST, sizeof *r);
    if (!r)
        return TCF_ERROR;
    r->last = k->last;
    r->outside = k->outside;
    return TCF_OK;
}
