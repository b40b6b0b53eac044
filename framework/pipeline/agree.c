/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See agree.h. The first process collects what the others say, and tells them what it makes of that. */
#include "agree.h"
#include "framework/base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How a process has done. */
typedef struct outcome {
    int32_t failed, told, is_usage;
    char why[4096];
} outcome;

static void describe(const peers *p, outcome *o, tcf_status mine, int told)
{
    *o = (outcome){.failed = mine != TCF_OK, .told = told};
    if (!o->failed)
        return;
    if (!told && p->me > 0)
        error_while("in process %u of %u, on %s", p->me + 1, p->n, p->host);
    o->is_usage = error_is_usage();
    snprintf(o->why, sizeof o->why, "%s", *error_text() ? error_text() : "failed for a reason that was not recorded");
}

static void say(const peers *p, uint32_t to, const outcome *o)
{
    p->send(p->data, to, o, offsetof(outcome, why) + strlen(o->why) + 1);
}

static void hear(const peers *p, uint32_t from, outcome *o)
{
    void *bytes;
    uint64_t n;

    p->receive(p->data, from, &bytes, &n);
    memcpy(o, bytes, n <= sizeof *o ? n : sizeof *o);
    free(bytes);
}

static tcf_status follow(const outcome *o)
{
    if (!o->failed)
        return TCF_OK;
    error_fail("%s", o->why);
    return o->is_usage ? error_as_usage() : TCF_ERROR;
}

tcf_status agree(const peers *p, tcf_status mine, int told)
{
    outcome all, one;

    if (!p)
        return mine;
    describe(p, &all, mine, told);
    if (p->me > 0) {
        say(p, 0, &all);
        hear(p, 0, &all);
        return follow(&all);
    }
    for (uint32_t k = 1; k < p->n; k++) {
        hear(p, k, &one);
        if (one.failed && (!all.failed || (all.told && !one.told)))
            all = one;
    }
    for (uint32_t k = 1; k < p->n; k++)
        say(p, k, &all);
    return follow(&all);
}

/* Fails: process k has something else than the first one. */
static tcf_status compare(uint32_t k, const agree_run *first, const agree_run *other)
{
    if (first->settings != other->settings)
        return error_usage("process %u has other settings than process 1: all need the same INI, options and version",
                           k);
    if (first->trace_id != other->trace_id)
        return error_fail("process %u reads another trace than process 1: its identifier is %016" PRIx64
                          ", not %016" PRIx64,
                          k, other->trace_id, first->trace_id);
    if (first->locations != other->locations || first->definitions != other->definitions)
        return error_fail("process %u reads another trace than process 1: it has %" PRIu64 " locations and %" PRIu64
                          " definitions, not %" PRIu64 " and %" PRIu64,
                          k, other->locations, other->definitions, first->locations, first->definitions);
    if (first->bytes != other->bytes || first->files != other->files)
        return error_fail("process %u finds other event files than process 1: they have %" PRIu64 " bytes, not %" PRIu64
                          "%s",
                          k, other->bytes, first->bytes,
                          other->bytes == first->bytes ? ", but differ location by location" : "");
    return TCF_OK;
}

tcf_status agree_on_run(const peers *p, const agree_run *mine)
{
    tcf_status status = TCF_OK;

    if (p && p->me > 0)
        p->send(p->data, 0, mine, sizeof *mine);
    for (uint32_t k = 1; p && p->me == 0 && k < p->n; k++) {
        void *bytes;
        uint64_t n;
        p->receive(p->data, k, &bytes, &n);
        if (status == TCF_OK)
            status = compare(k + 1, mine, bytes);
        free(bytes);
    }
    return agree(p, status, 0);
}
