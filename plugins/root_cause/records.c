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
