/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Makes the records by which the first domain learns what locations of another one did. */
#include "root_cause.h"

tcf_status record_span(tcf_self *self, const struct place *p, uint8_t kind)
{
    struct record_span *r = gather_put(self, gather_of(self), p->location, kind, sizeof *r);
    if (!r)
        return TCF_ERROR;
    r->first = place_first(p);
    r->last = place_last(p);
    return TCF_OK;
}

tcf_status record_outer(tcf_self *self, uint32_t location, const outer *o)
{
    struct record_outer *r = gather_put(self, gather_of(self), location, RECORD_OUTER, sizeof *r);
    if (!r)
        return TCF_ERROR;
    r->outer = *o;
    return TCF_OK;
}

tcf_status record_wait(tcf_self *self, const wait *w)
{
    struct record_wait *r = gather_put(self, gather_of(self), w->location, RECORD_WAIT, sizeof *r);
    if (!r)
        return TCF_ERROR;
    r->wait = *w;
    return TCF_OK;
}

tcf_status record_meeting(tcf_self *self, uint32_t location, const meeting *x)
{
    struct record_meeting *r = gather_put(self, gather_of(self), location, RECORD_MEETING, sizeof *r);
    if (!r)
        return TCF_ERROR;
    r->meeting = *x;
    return TCF_OK;
}
