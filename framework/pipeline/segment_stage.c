/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A causal segment as a stage: what its filters need of it, and its calls back into the pipeline. */
#include "stages.h"

#include <stdlib.h>
#include <string.h>

static tcf_status process(void *data, tcf_slice *s, uint32_t from, uint32_t to)
{
    return pipeline_run_segment_filters(data, s, from, to);
}

static tcf_status complete(void *data, const tcf_collective *shared)
{
    stage *st = data;
    for (uint32_t k = 0; k < st->n_filters; k++) {
        instance *f = st->filters[k];
        if (!f->filter->collective_complete)
            continue;
        tcf_collective view = *shared;
        view.members += f->member_offset;
        if (f->filter->collective_complete(&f->self, &view) != TCF_OK)
            return error_while("finishing a collective operation in '%s'", f->self.name);
    }
    return TCF_OK;
}

static tcf_status out(void *data, slice *s)
{
    stage *st = data;
    pipeline *p = st->pipeline;
    if (pipeline_verify_out(st, &s->v) != TCF_OK)
        return TCF_ERROR;
    if (st->number != p->at)
        return pipeline_push(p, st->number + 1, s);
    if (backlog_takes(p)) {
        backlog_put(p, s);
        return TCF_OK;
    }
    return backlog_pass(p) == TCF_OK ? pipeline_push(p, st->number + 1, s) : TCF_ERROR;
}

static tcf_status segment_location_end(void *data, uint32_t location)
{
    stage *st = data;
    for (uint32_t k = 0; k < st->n_filters; k++) {
        instance *f = st->filters[k];
        if (f->filter->location_end && f->filter->location_end(&f->self, location) != TCF_OK)
            return error_while("ending a location in '%s'", f->self.name);
    }
    if (st->number == st->pipeline->at && backlog_pass(st->pipeline) != TCF_OK)
        return TCF_ERROR;
    return pipeline_location_end(st->pipeline, st->number + 1, location);
}

static void frontier(void *data, uint32_t location, uint64_t time)
{
    stage *st = data;
    pipeline_frontier(st->pipeline, st->number + 1, location, time);
}

static uint64_t arrives(void *data, uint32_t location)
{
    const stage *st = data;
    return st->frontier.value[location];
}

/* The filter before filter k which does its work (private/parts_host.h); NULL: none does. */
static instance *first_of_part(const stage *st, uint32_t k)
{
    const char *part = st->filters[k]->part;
    for (uint32_t i = k; part && i-- > 0 && st->filters[i]->filter->writes == 0;) {
        instance *f = st->filters[i];
        if (f->part && strcmp(f->part, part) == 0)
            return f->first ? f->first : f;
    }
    return NULL;
}

/* Slots have room for what each filter of the segment declares, and once for those which share it. */
static void lay_out_slots(stage *st, segment_options *o)
{
    int writes_time = 0;
    for (uint32_t k = 0; k < st->n_filters; k++) {
        instance *f = st->filters[k];
        f->first = first_of_part(st, k);
        f->publisher = f->first ? f->first->publisher : o->exchange.publishers;
        f->message_offset = f->first ? f->first->message_offset : o->exchange.message_bytes;
        f->member_offset = f->first ? f->first->member_offset : o->exchange.member_bytes;
        if (!f->first) {
            o->exchange.publishers += f->filter->numbers > 0 ? f->filter->numbers : 1;
            o->exchange.message_bytes += (f->filter->message_bytes + 7u) & ~7u;
            o->exchange.member_bytes += (f->filter->member_bytes + 7u) & ~7u;
        }
        o->exchange.needs_ends |= (f->self.needs & TCF_NEED_ENDS) != 0;
        o->exchange.completes |= f->filter->collective_complete != NULL;
        o->exchange.posts |= (f->self.needs & TCF_NEED_POSTS) != 0;
        o->exchange.source_at_leave |= (f->self.needs & TCF_NEED_SOURCE_AT_LEAVE) != 0;
        o->follows |= (f->self.needs & TCF_NEED_LEADER_FIRST) != 0;
        o->moves_time |= (f->filter->writes & (TCF_WRITES_TIME | TCF_WRITES_LATER)) == TCF_WRITES_TIME;
        writes_time |= (f->filter->writes & TCF_WRITES_TIME) != 0;
    }
    o->exchange.leaves = st->pipeline->source_at_leave;
    const instance *posts = st->pipeline->posts;
    o->posts_by_time = o->exchange.posts && posts && posts->self.rendezvous == TCF_RENDEZVOUS_ANY && !writes_time;
}

/* Has a filter in front of the stage brought all times to one clock? */
static int one_clock_before(const pipeline *p, const stage *st)
{
    if (p->changed_before & TCF_WRITES_CLOCK)
        return 1;
    for (const stage *k = p->stages; k < st; k++) {
        if (k->kind == STAGE_FILTER && k->filter->filter->writes & TCF_WRITES_CLOCK)
            return 1;
        for (uint32_t i = 0; k->kind == STAGE_SEGMENT && i < k->n_filters; i++)
            if (k->filters[i]->filter->writes & TCF_WRITES_CLOCK)
                return 1;
    }
    return 0;
}

tcf_status segment_stage_make(stage *st, int sourced)
{
    pipeline *p = st->pipeline;
    segment_options o = {.exchange = {.max_messages = (uint32_t)p->session->conf.max_messages,
                                      .held_messages = st->answers ? (uint32_t)pool_events(p->pool) : 0,
                                      .answers = st->answers,
                                      .letters = p->letters,
                                      .segment = st->number},
                         .lookahead = (uint32_t)p->session->conf.lookahead,
                         .slices = p->held_from - p->held_from / 8,
                         .live = p->live,
                         .sourced = sourced,
                         .one_clock = one_clock_before(p, st)};
    lay_out_slots(st, &o);
    if (st->n_filters > SEGMENT_FILTERS)
        return error_usage("more than %d neighbouring filters in causal order: put another filter between them",
                           SEGMENT_FILTERS);
    double ticks =
        p->session->conf.quantum.value * (p->session->conf.quantum.in_ticks ? 1.0 : (double)p->defs->clock.resolution);
    o.quantum = ticks >= 1 ? (uint64_t)ticks : 0;
    segment_client client = {st, process, complete, out, segment_location_end, frontier, arrives};
    if (p->session->conf.verify && st->n_filters > 0 &&
        !(st->verified = calloc(p->defs->n_locations + 1u, sizeof *st->verified)))
        return error_fail("out of memory for verifying %u locations", p->defs->n_locations);
    st->segment = segment_new(p->defs, p->matcher, p->pool, &o, &client);
    return st->segment ? TCF_OK : TCF_ERROR;
}
