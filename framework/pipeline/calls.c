/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Calls filters and checks what they promise: times of a location never decrease behind a filter, and with `verify` the
 * columns that it does not declare to write are unchanged. */
#include "stages.h"

#include <stdio.h>
#include <string.h>

static tcf_status broke_order(const instance *f, const tcf_slice *s, uint32_t i, uint64_t before)
{
    return error_fail("filter '%s' let time decrease: event %llu of location %llu has time %llu after %llu; this is a "
                      "mistake of the filter",
                      f->self.name, (unsigned long long)(s->first + i),
                      (unsigned long long)f->self.defs->locations[s->location].id, (unsigned long long)s->time[i],
                      (unsigned long long)before);
}

tcf_status pipeline_check_order(instance *f, const tcf_slice *s, uint32_t from, uint32_t to)
{
    if (!f->last_time)
        return TCF_OK;
    uint64_t *last = &f->last_time[s->location];
    uint64_t before = *last;
    uint32_t broken = 0;
    for (uint32_t i = from; i < to; i++) {
        broken += s->time[i] < before; /* the shortest code */
        before = s->time[i];
    }
    if (broken == 0) {
        *last = before;
        return TCF_OK;
    }
    before = *last;
    uint32_t i = from;
    for (; s->time[i] >= before; i++)
        before = s->time[i];
    return broke_order(f, s, i, before);
}

static tcf_status wrote_undeclared(const instance *f, const tcf_slice *s)
{
    return error_fail("filter '%s' changed a column of location %llu that it does not declare in 'writes'; this is a "
                      "mistake of the filter",
                      f->self.name, (unsigned long long)f->self.defs->locations[s->location].id);
}

static int is_undeclared(const instance *f, const tcf_slice *s, uint32_t n, const verify_sums *before)
{
    const verify_sums after = verify_sum(s, 0, s->n, 0);
    return s->n != n || !verify_agree(before, &after, f->filter->writes);
}

tcf_status pipeline_check_use(const instance *f)
{
    const char *misused = !f->misused && f->report ? report_misuse(f->report) : f->misused;

    return misused ? error_fail("filter '%s' %s; this is a mistake of the filter", f->self.name, misused) : TCF_OK;
}

tcf_status pipeline_call_slice(instance *f, tcf_slice *s)
{
    const tcf_filter *filter = f->filter;
    int verify = f->pipeline->session->conf.verify && !(f->self.can & TCF_CAN_DROP);
    const uint32_t n = s->n;
    const verify_sums before = verify ? verify_sum(s, 0, n, 0) : (verify_sums){0};
    tcf_status status = filter->slice(&f->self, s);
    if (f->misused)
        status = pipeline_check_use(f);
    if (status == TCF_ERROR)
        return error_while("in filter '%s', location %llu", f->self.name,
                           (unsigned long long)f->self.defs->locations[s->location].id);
    if (status == TCF_HELD || !f->stage->given)
        return status; /* its times are checked when it is released */
    if (pipeline_check_order(f, s, 0, s->n) != TCF_OK)
        return TCF_ERROR;
    if (verify && is_undeclared(f, s, n, &before))
        return wrote_undeclared(f, s);
    return TCF_OK;
}

static tcf_status call_span(instance *f, tcf_slice *s, uint32_t from, uint32_t to)
{
    if (f->filter->span(&f->self, s, from, to) != TCF_OK || pipeline_check_use(f) != TCF_OK)
        return error_while("in filter '%s', location %llu", f->self.name,
                           (unsigned long long)f->self.defs->locations[s->location].id);
    return pipeline_check_order(f, s, from, to);
}

static tcf_status run_verified(stage *st, tcf_slice *s, uint32_t from, uint32_t to)
{
    verify_lane *lane = &st->verified[s->location];
    verify_sums before = verify_enter(lane, s, from, to);
    for (uint32_t k = 0; k < st->n_filters; k++) {
        const uint32_t n = s->n;
        if (call_span(st->filters[k], s, from, to) != TCF_OK)
            return TCF_ERROR;
        verify_sums after = verify_sum(s, from, to, lane->base);
        if (s->n != n || !verify_agree(&before, &after, st->filters[k]->filter->writes))
            return wrote_undeclared(st->filters[k], s);
        before = after;
    }
    verify_leave(lane, &before, to - from);
    return TCF_OK;
}

tcf_status pipeline_run_segment_filters(stage *st, tcf_slice *s, uint32_t from, uint32_t to)
{
    if (st->verified)
        return run_verified(st, s, from, to);
    for (uint32_t k = 0; k < st->n_filters; k++)
        if (call_span(st->filters[k], s, from, to) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

tcf_status pipeline_verify_out(stage *st, const tcf_slice *s)
{
    char names[256] = "";
    if (!st->verified || verify_out(&st->verified[s->location], s))
        return TCF_OK;
    for (uint32_t k = 0; k < st->n_filters; k++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s'%s'", k > 0 ? " or " : "", st->filters[k]->self.name);
    }
    return error_fail("filter %s changed events of location %llu outside of its span; this is a mistake of the filter",
                      names, (unsigned long long)st->pipeline->defs->locations[s->location].id);
}

tcf_status pipeline_arrive(stage *st, tcf_slice *s)
{
    for (uint32_t k = 0; k < st->n_filters; k++) {
        instance *f = st->filters[k];
        if (!f->filter->arrive)
            continue;
        const uint32_t n = s->n;
        const verify_sums before = st->verified ? verify_sum(s, 0, n, 0) : (verify_sums){0};
        if (f->filter->arrive(&f->self, s) != TCF_OK)
            return error_while("in filter '%s', location %llu", f->self.name,
                               (unsigned long long)f->self.defs->locations[s->location].id);
        const verify_sums after = st->verified ? verify_sum(s, 0, s->n, 0) : before;
        if (s->n != n || !verify_agree(&before, &after, 0))
            return wrote_undeclared(f, s);
    }
    return TCF_OK;
}
