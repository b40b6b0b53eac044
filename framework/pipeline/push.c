/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Moves slices and ends of locations down the stages. Keeps the frontier of each stage and location, the lower bound of
 * times still to arrive there, and their minimum, the watermark. */
#include "stages.h"

/* ----------------------------------------------------------------------------------------------------- frontiers -- */

/* The lower bound behind a filter that holds nothing of the location, where `time` is the one in front of it. */
static uint64_t frontier_behind(const instance *f, uint32_t location, uint64_t time)
{
    if (f->filter->frontier)
        return f->filter->frontier(&f->self, location, time);
    if (f->self.can & TCF_CAN_INSERT || (f->filter->writes & (TCF_WRITES_TIME | TCF_WRITES_LATER)) == TCF_WRITES_TIME)
        return 0; /* nothing is known */
    return time;
}

void pipeline_frontier(pipeline *p, uint32_t number, uint32_t location, uint64_t time)
{
    for (uint32_t k = number; k < p->n_stages; k++) {
        stage *st = &p->stages[k];
        time = before_the_end(time);
        least_raise(&st->frontier, location, time);
        if (st->kind == STAGE_SEGMENT)
            segment_frontier(st->segment, location, time);
        if (st->kind == STAGE_SEGMENT || st->held[location] > 0)
            return; /* this stage sets the frontier of those behind it */
        if (st->kind == STAGE_FILTER)
            time = frontier_behind(st->filter, location, time);
    }
}

uint64_t pipeline_own_watermark(stage *st)
{
    return st->frontier.n > 0 ? st->frontier.value[least_first(&st->frontier)] : UINT64_MAX;
}

uint64_t pipeline_watermark(stage *st)
{
    const uint64_t own = pipeline_own_watermark(st);
    return own < st->elsewhere ? own : st->elsewhere;
}

/* ----------------------------------------------------------------------------------------------------- push, end -- */

static void recycle(pipeline *p, slice *s)
{
    if (p->matcher)
        matcher_retire(p->matcher, s);
    if (s->v.n > 0) {
        uint64_t *ends = p->ends[s->v.location];
        ends[0] = s->v.time[0] < ends[0] ? s->v.time[0] : ends[0];
        ends[1] = s->v.time[s->v.n - 1] > ends[1] ? s->v.time[s->v.n - 1] : ends[1];
    }
    slice_put(p->pool, s);
}

/* Gives a slice to a filter, which may hold it, and may release it before its call returns. */
static tcf_status give(stage *st, slice *s)
{
    uint32_t location = s->v.location;
    s->held_by = st->number;
    st->held[location]++;
    st->n_held++;
    st->given = s;
    tcf_status status = pipeline_call_slice(st->filter, &s->v);
    if (status != TCF_OK)
        return status;
    if (!st->given)
        return error_fail(
            "filter '%s' has released a slice and did not return TCF_HELD; this is a mistake of the filter",
            st->filter->self.name);
    st->held[location]--;
    st->n_held--;
    return TCF_OK;
}

tcf_status pipeline_push(pipeline *p, uint32_t number, slice *s)
{
    uint64_t last = 0; /* the frontier moves also where a filter drops all events of the slice */
    for (uint32_t k = number; k < p->n_stages; k++) {
        stage *st = &p->stages[k];
        if (s->v.n > 0)
            last = s->v.time[s->v.n - 1];
        least_raise(&st->frontier, s->v.location, before_the_end(last));
        if (st->kind == STAGE_SEGMENT) {
            if (st->arrives && pipeline_arrive(st, &s->v) != TCF_OK)
                return TCF_ERROR;
            segment_push(st->segment, s);
            return TCF_OK;
        }
        if (st->kind == STAGE_CALLPATH) {
            if (callpath_fill(st->callpath, s) != TCF_OK)
                return TCF_ERROR;
            continue;
        }
        tcf_status status = give(st, s);
        if (status != TCF_OK)
            return status == TCF_HELD ? TCF_OK : TCF_ERROR;
        if (st->front)
            exchange_release(segment_exchange(st->front->segment), &s->v);
        last = frontier_behind(st->filter, s->v.location, last);
    }
    recycle(p, s);
    return TCF_OK;
}

tcf_status pipeline_location_end(pipeline *p, uint32_t number, uint32_t location)
{
    for (uint32_t k = number; k < p->n_stages; k++) {
        stage *st = &p->stages[k];
        least_raise(&st->frontier, location, UINT64_MAX);
        if (st->kind == STAGE_SEGMENT)
            return segment_upstream_end(st->segment, location);
        if (st->kind == STAGE_CALLPATH)
            continue;
        instance *f = st->filter;
        if (!st->end_waits[location] && f->filter->location_end &&
            f->filter->location_end(&f->self, location) != TCF_OK)
            return error_while("ending location %llu in '%s'", (unsigned long long)p->defs->locations[location].id,
                               f->self.name);
        if (st->held[location] > 0) {
            st->end_waits[location] = 1;
            return TCF_OK;
        }
        st->end_waits[location] = 0;
    }
    return TCF_OK;
}
