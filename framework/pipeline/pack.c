/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See pack.h. A pack is a queue of bytes. What goes wrong in put() and take() is kept in it, and ends the run when the
 * callback returns, so that filters need not look. */
#include "pack.h"
#include "domains.h"

#include <stdlib.h>
#include <string.h>

void pack_put(tcf_pack *p, const void *data, size_t bytes)
{
    if (p->n + bytes > p->capacity) {
        size_t capacity = 2 * (p->n + bytes) + 4096;
        unsigned char *larger = p->out_of_memory ? NULL : realloc(p->bytes, capacity);
        if (!larger) {
            p->out_of_memory = 1;
            return;
        }
        p->bytes = larger;
        p->capacity = capacity;
    }
    if (bytes > 0)
        memcpy(p->bytes + p->n, data, bytes);
    p->n += bytes;
}

void pack_take(tcf_pack *p, void *data, size_t bytes)
{
    if (bytes > p->n - p->taken) {
        p->took_too_much = 1;
        memset(data, 0, bytes);
        return;
    }
    if (bytes > 0)
        memcpy(data, p->bytes + p->taken, bytes);
    p->taken += bytes;
}

void pack_put_locations(const tcf_self *self, tcf_pack *p, size_t offset, size_t bytes)
{
    const uint32_t none = TCF_NONE;

    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        if (!self->host->has(self, l))
            continue;
        pack_put(p, &l, sizeof l);
        pack_put(p, (const unsigned char *)tcf_location_state(self, l) + offset, bytes);
    }
    pack_put(p, &none, sizeof none);
}

void pack_take_locations(const tcf_self *self, tcf_pack *p, size_t offset, size_t bytes)
{
    for (uint32_t l; pack_take(p, &l, sizeof l), !p->took_too_much && l < self->defs->n_locations;)
        pack_take(p, (unsigned char *)tcf_location_state(self, l) + offset, bytes);
}

uint32_t pack_index(tcf_pack *p, tcf_ref_kind kind, uint32_t index)
{
    return definitions_index_of_share(p->defs, p->from, kind, index);
}

uint32_t pack_callpath(tcf_pack *p, uint32_t callpath)
{
    return callpath < p->n_callpaths ? p->callpath[callpath] : callpath;
}

tcf_status pack_fill(tcf_pack *p, instance *from)
{
    p->n = p->taken = 0;
    if (from->filter->pack(&from->self, p) != TCF_OK || pipeline_check_use(from) != TCF_OK)
        return error_while("packing what '%s' has found in a domain", from->self.name);
    if (p->out_of_memory)
        return error_fail("out of memory for what '%s' has found in a domain (%zu bytes so far)", from->self.name,
                          p->n);
    return TCF_OK;
}

tcf_status pack_empty(tcf_pack *p, instance *to)
{
    if (to->filter->absorb(&to->self, p) != TCF_OK || pipeline_check_use(to) != TCF_OK)
        return error_while("absorbing what '%s' has found in a domain", to->self.name);
    if (p->took_too_much || p->taken < p->n)
        return error_fail("filter '%s' has taken %s than the %zu bytes that it has packed; this is a mistake of the "
                          "filter",
                          to->self.name, p->took_too_much ? "more" : "less", p->n);
    return p->defs->overflow ? definitions_fail_overflow(p->defs) : TCF_OK;
}

tcf_status pack_begin(tcf_pack *p, const pipeline *to, const callpaths_part *from, domain *x)
{
    /* All that filters see as tcf_definitions is a `definitions`. */
    *p = (tcf_pack){.defs = (definitions *)(uintptr_t)to->defs, .from = (const definitions *)from->defs};
    if (!to->callpaths)
        return TCF_OK;
    const tcf_status status = callpaths_join(to->callpaths, from, &x->callpaths);
    p->callpath = x->callpaths.of;
    p->n_callpaths = x->callpaths.n;
    return status;
}

void pack_end(tcf_pack *p)
{
    free(p->bytes);
    *p = (tcf_pack){0};
}

tcf_status pack_move(pipeline *to, domain *x)
{
    pipeline *from = x->pipeline;
    tcf_pack p;
    callpaths_part part = {.defs = from->defs};

    if (from->callpaths)
        part = callpaths_as_part(from->callpaths);
    tcf_status status = pack_begin(&p, to, &part, x);
    for (uint32_t i = 0; i < to->n_instances && status == TCF_OK; i++)
        if (to->instances[i].filter->pack && (status = pack_fill(&p, &from->instances[i])) == TCF_OK)
            status = pack_empty(&p, &to->instances[i]);
    pack_end(&p);
    return status;
}
