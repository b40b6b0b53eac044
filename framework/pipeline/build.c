/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Builds a pipeline: stages for the instances of chain.c, a pool of slices (memory.c), a matcher; and deletes it. */
#include "domains.h"
#include "framework/trace/definitions.h"
#include "pack.h"
#include "stages.h"

#include <string.h>

/* -------------------------------------------------------------------------------------------------------- stages -- */

static stage *add_stage(pipeline *p, stage_kind kind)
{
    stage *st = &p->stages[p->n_stages];
    uint32_t n = p->defs->n_locations + 1u;
    *st = (stage){.kind = kind, .number = p->n_stages++, .pipeline = p, .elsewhere = UINT64_MAX};
    const int failed = least_init(&st->frontier, p->defs->n_locations);
    st->held = calloc(n, sizeof *st->held);
    st->end_waits = calloc(n, 1);
    return !failed && st->held && st->end_waits ? st : NULL;
}

static tcf_status add_callpath(pipeline *p)
{
    stage *st = add_stage(p, STAGE_CALLPATH);
    if (!st)
        return error_fail("out of memory for the stages");
    st->callpath = callpath_stage_new(p->callpaths);
    return st->callpath ? TCF_OK : TCF_ERROR;
}

/* Does instance i want call paths, or one of the span filters that follow it without a break, if it is one? */
static int run_needs_callpath(const pipeline *p, uint32_t i)
{
    for (uint32_t k = i; k < p->n_instances; k++) {
        if (k > i && !(p->instances[i].filter->span && p->instances[k].filter->span))
            return 0;
        if (p->instances[k].self.needs & TCF_NEED_CALLPATH)
            return 1;
    }
    return 0;
}

static int anybody_follows(const tcf_definitions *defs)
{
    for (uint32_t l = 0; l < defs->n_locations; l++)
        if (defs->locations[l].leader != TCF_NONE)
            return 1;
    return 0;
}

/* Is what the filter asks of the schedule said of times as they came to the segment, before a filter in front of it
 * moved them? */
static int times_have_moved(const stage *open, const instance *f)
{
    int asks =
        f->self.needs & TCF_NEED_ENDS || (f->self.needs & TCF_NEED_LEADER_FIRST && anybody_follows(f->pipeline->defs));
    for (uint32_t k = 0; open && asks && k < open->n_filters; k++)
        if (open->filters[k]->filter->writes & TCF_WRITES_TIME)
            return 1;
    return 0;
}

static tcf_status plan_stages(pipeline *p)
{
    int ordered = 0, paths = 0; /* is what follows behind a segment; is the callpath column valid */
    stage *open = NULL;         /* the segment that a further span filter joins */
    stage *front = NULL;        /* the last segment */
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *f = &p->instances[i];
        if (times_have_moved(open, f))
            open = NULL;
        if (!open && !paths && run_needs_callpath(p, i)) {
            if (add_callpath(p) != TCF_OK)
                return TCF_ERROR;
            paths = 1;
        }
        int answers = (f->self.can & TCF_CAN_ANSWER) != 0; /* to a segment that no other filter answers to */
        if ((!open && (f->filter->span || (f->self.needs & TCF_NEED_EDGES && !ordered))) ||
            (answers && (!front || front->answers))) {
            front = open = add_stage(p, STAGE_SEGMENT);
            if (!open || !(open->filters = calloc(p->n_instances, sizeof(instance *))))
                return error_fail("out of memory for the stages");
            ordered = 1;
            p->n_segments++;
        }
        if (f->filter->span) {
            open->arrives |= f->filter->arrive != NULL;
            f->stage = open;
            open->filters[open->n_filters++] = f;
            continue;
        }
        open = NULL;
        if (!(f->stage = add_stage(p, STAGE_FILTER)))
            return error_fail("out of memory for the stages");
        f->stage->filter = f;
        if (answers) {
            f->stage->front = front;
            f->stage->elsewhere = p->letters ? 0 : UINT64_MAX;
            front->answers = 1;
        }
        if (f->self.can & (TCF_CAN_DROP | TCF_CAN_INSERT))
            paths = 0;
    }
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- states -- */

static tcf_status make_states(pipeline *p)
{
    uint32_t n = p->defs->n_locations;
    p->events = calloc(n + 1u, sizeof *p->events);
    const int failed = least_init(&p->read_time, n);
    p->source_ended = calloc(n + 1u, 1);
    p->ends = calloc(n + 1u, sizeof *p->ends);
    for (uint32_t l = 0; p->ends && l < n; l++)
        p->ends[l][0] = UINT64_MAX;
    /* At most a call path stage and a gate in front of every filter. */
    p->stages = calloc(3u * p->n_instances + 1u, sizeof *p->stages);
    if (!p->events || failed || !p->ends || !p->source_ended || !p->stages)
        return error_fail("out of memory for %u locations", n);
    pipeline_set_changed(p);
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *f = &p->instances[i];
        f->self.location = calloc(n + 1u, f->filter->location_size > 0 ? f->filter->location_size : 1);
        f->self.defs = f->self.location ? p->defs : NULL; /* whoever has definitions has the states of locations */
        int may_break_order = f->filter->writes & TCF_WRITES_TIME || f->self.can & TCF_CAN_INSERT;
        if (may_break_order)
            f->last_time = calloc(n + 1u, sizeof *f->last_time);
        int may_alter = f->self.can & (TCF_CAN_DROP | TCF_CAN_INSERT);
        if (may_alter)
            f->altered = calloc(n + 1u, 1);
        if (!f->self.location || (may_break_order && !f->last_time) || (may_alter && !f->altered))
            return error_fail("out of memory for the state of '%s' (%u locations)", f->self.name, n);
    }
    return TCF_OK;
}

/* Locations of other domains have ended from the start. */
static void leave_out_others(pipeline *p)
{
    for (uint32_t l = 0; p->domain && l < p->defs->n_locations; l++) {
        if (domain_has(p->domain, l))
            continue;
        p->source_ended[l] = 1;
        p->n_ended++;
        least_raise(&p->read_time, l, UINT64_MAX);
        for (uint32_t k = 0; k < p->n_stages; k++)
            least_raise(&p->stages[k].frontier, l, UINT64_MAX);
    }
}

/* Those of the first domain are there for all of this process. */
static const membership *shared_members(const pipeline *p)
{
    const domains *d = p->domain ? p->domain->all : NULL;
    const pipeline *first = d ? d->at[d->first].pipeline : NULL;

    return first && first->matcher ? matcher_membership(first->matcher) : NULL;
}

tcf_status pipeline_build(pipeline *p)
{
    if (!p->source) {
        p->source = p->session->source;
        p->defs = p->session->defs;
    }
    if (p->by_process && definitions_share_processes(p->defs))
        p->waits_for_time = p->together = 1;
    if (make_states(p) != TCF_OK)
        return TCF_ERROR;
    if (p->needs_callpath && !(p->callpaths = callpaths_new(p->defs, (uint32_t)p->session->conf.max_callpaths)))
        return TCF_ERROR;
    if (p->domain && p->edges && domain_make_letters(p) != TCF_OK)
        return TCF_ERROR;
    if (plan_stages(p) != TCF_OK || pipeline_size_pool(p) != TCF_OK)
        return TCF_ERROR;
    match_options m = {.letters = p->letters,
                       .members = shared_members(p),
                       .lookahead = (uint32_t)p->session->conf.lookahead,
                       .max_channels = (uint32_t)p->session->conf.max_channels,
                       .source_at_leave = p->source_at_leave,
                       .program = p->program,
                       .posts = p->posts != NULL,
                       .rendezvous = p->posts ? p->posts->self.rendezvous : 0};
    if (p->edges && !(p->matcher = matcher_new(p->defs, p->pool, &m)))
        return TCF_ERROR;
    int sourced = 1;
    for (uint32_t k = 0; k < p->n_stages; k++)
        if (p->stages[k].kind == STAGE_SEGMENT) {
            if (segment_stage_make(&p->stages[k], sourced) != TCF_OK)
                return TCF_ERROR;
            sourced = 0;
        }
    leave_out_others(p);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------ new and delete -- */

pipeline *pipeline_new(session *s, tcf_list chain)
{
    pipeline *p = calloc(1, sizeof *p);
    if (!p) {
        error_fail("out of memory for the pipeline");
        return NULL;
    }
    p->session = s;
    p->chain = chain;
    return p;
}

static void stage_free(stage *st)
{
    segment_delete(st->segment);
    callpath_stage_delete(st->callpath);
    free(st->filters);
    least_free(&st->frontier);
    free(st->held);
    free(st->end_waits);
    free(st->verified);
}

static void instance_free(instance *f)
{
    report_delete(f->report);
    store_free(f->storage);
    free(f->conf);
    free(f->self.state);
    free(f->self.location);
    free(f->last_time);
    free(f->altered);
}

static void domains_delete(pipeline *p)
{
    domains *d = p->plan;

    if (!d)
        return;
    for (uint32_t k = 0; d->at && k < d->n; k++)
        free(d->at[k].error), free(d->at[k].callpaths.of);
    between_threads_delete(d->threads);
    team_delete(d->team);
    for (uint32_t i = 0; d->left && i < 2 * p->n_instances; i++)
        pack_end(&d->left[i]);
    free(d->left);
    free(d->process);
    free(d->of);
    free(d->at);
    free(d->facts);
    pthread_mutex_destroy(&d->absorbing);
    pthread_mutex_destroy(&d->ending);
    pthread_cond_destroy(&d->ended);
    free(d);
}

void pipeline_end(pipeline *p)
{
    for (uint32_t k = 0; p->plan && p->plan->at && k < p->plan->n; k++) {
        if (p->plan->at[k].pipeline == p)
            continue;
        pipeline_delete(p->plan->at[k].pipeline);
        p->plan->at[k].pipeline = NULL;
    }
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *f = &p->instances[i];
        const int finish = f->begun && !f->finished && f->filter->fini;
        f->finished = 1;
        if (finish)
            f->filter->fini(&f->self, p->complete);
    }
}

void pipeline_delete(pipeline *p)
{
    if (!p)
        return;
    pipeline_end(p); /* begin() may never have been reached */
    for (uint32_t i = 0; i < p->n_instances; i++)
        instance_free(&p->instances[i]);
    for (uint32_t k = 0; k < p->n_stages; k++)
        stage_free(&p->stages[k]);
    matcher_delete(p->matcher); /* which asks the plan whose its locations are */
    domains_delete(p);
    letters_delete(p->letters);
    callpaths_delete(p->callpaths);
    pool_delete(p->pool);
    for (uint32_t i = 0; i < p->n_properties; i++) {
        free((char *)p->properties[i].name);
        free((char *)p->properties[i].value);
    }
    free(p->properties);
    free(p->instances);
    free(p->stages);
    free(p->events);
    least_free(&p->read_time);
    free(p->ends);
    free(p->source_ended);
    if (p->source != p->session->source)
        source_close(p->source);
    free(p);
}
