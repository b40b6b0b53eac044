/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Building a pipeline: the instances of chain.c to stages, memory to slices. Moving slices is run.c. */
#include "framework/source/open.h"
#include "framework/trace/definitions.h"
#include "sinks.h"
#include "stages.h"
#include "survey.h"

#include <string.h>

/* -------------------------------------------------------------------------------------------------------- stages -- */

static stage *add_stage(pipeline *p, stage_kind kind)
{
    stage *st = &p->stages[p->n_stages];
    uint32_t n = p->defs->n_locations + 1u;
    *st = (stage){.kind = kind, .number = p->n_stages++, .pipeline = p};
    st->frontier = calloc(n, sizeof *st->frontier);
    st->held = calloc(n, sizeof *st->held);
    st->end_waits = calloc(n, 1);
    return st->frontier && st->held && st->end_waits ? st : NULL;
}

static tcf_status process(void *data, tcf_slice *s, uint32_t from, uint32_t to)
{
    return pipeline_run_segment_filters(data, s, from, to);
}

static tcf_status complete(void *data, const tcf_instance *shared)
{
    stage *st = data;
    for (uint32_t k = 0; k < st->n_filters; k++) {
        instance *f = st->filters[k];
        if (!f->filter->collective_complete)
            continue;
        tcf_instance view = *shared;
        view.members += f->member_offset;
        if (f->filter->collective_complete(&f->self, &view) != TCF_OK)
            return tcf_while("finishing a collective operation in '%s'", f->self.name);
    }
    return TCF_OK;
}

static tcf_status out(void *data, slice *s)
{
    stage *st = data;
    if (pipeline_verify_out(st, &s->v) != TCF_OK)
        return TCF_ERROR;
    return pipeline_push(st->pipeline, st->number + 1, s);
}

static tcf_status segment_location_end(void *data, uint32_t location)
{
    stage *st = data;
    for (uint32_t k = 0; k < st->n_filters; k++) {
        instance *f = st->filters[k];
        if (f->filter->location_end && f->filter->location_end(&f->self, location) != TCF_OK)
            return tcf_while("ending a location in '%s'", f->self.name);
    }
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
    return st->frontier[location];
}

/* Slots have room for what each filter of the segment declares. */
static void lay_out_slots(stage *st, segment_options *o)
{
    for (uint32_t k = 0; k < st->n_filters; k++) {
        instance *f = st->filters[k];
        f->publisher = o->exchange.publishers;
        o->exchange.publishers += f->filter->numbers > 0 ? f->filter->numbers : 1;
        f->message_offset = o->exchange.message_bytes;
        f->member_offset = o->exchange.member_bytes;
        o->exchange.message_bytes += (f->filter->message_bytes + 7u) & ~7u;
        o->exchange.member_bytes += (f->filter->member_bytes + 7u) & ~7u;
        o->exchange.needs_ends |= (f->self.needs & TCF_NEEDS_ENDS) != 0;
        o->exchange.source_at_leave |= (f->self.needs & TCF_SOURCE_AT_LEAVE) != 0;
        o->follows |= (f->self.needs & TCF_FOLLOWS) != 0;
        o->moves_time |= (f->filter->writes & (TCF_TIME | TCF_LATER)) == TCF_TIME;
    }
}

/* Has a filter in front of the stage brought all times to one clock? */
static int one_clock_before(const pipeline *p, const stage *st)
{
    if (p->changed_before & TCF_CLOCK)
        return 1;
    for (const stage *k = p->stages; k < st; k++) {
        if (k->kind == STAGE_FILTER && k->filter->filter->writes & TCF_CLOCK)
            return 1;
        for (uint32_t i = 0; k->kind == STAGE_SEGMENT && i < k->n_filters; i++)
            if (k->filters[i]->filter->writes & TCF_CLOCK)
                return 1;
    }
    return 0;
}

static tcf_status make_segment(pipeline *p, stage *st, int sourced)
{
    segment_options o = {.exchange = {.max_messages = (uint32_t)p->conf.max_messages,
                                      .held_messages = st->answers ? p->n_blocks * p->layout.capacity : 0,
                                      .answers = st->answers},
                         .lookahead = (uint32_t)p->conf.lookahead,
                         .sourced = sourced,
                         .one_clock = one_clock_before(p, st)};
    lay_out_slots(st, &o);
    if (st->n_filters > 8)
        return tcf_usage("more than 8 neighbouring filters in causal order: put another filter between them");
    double ticks = p->conf.quantum.value * (p->conf.quantum.in_ticks ? 1.0 : (double)p->defs->clock.resolution);
    o.quantum = ticks >= 1 ? (uint64_t)ticks : 0;
    segment_client client = {st, process, complete, out, segment_location_end, frontier, arrives};
    if (p->conf.verify && st->n_filters > 0 &&
        !(st->verified = calloc(p->defs->n_locations + 1u, sizeof *st->verified)))
        return tcf_fail("out of memory for verifying %u locations", p->defs->n_locations);
    st->segment = segment_new(p->defs, p->matcher, p->pool, &o, &client);
    return st->segment ? TCF_OK : TCF_ERROR;
}

static tcf_status add_callpath(pipeline *p)
{
    stage *st = add_stage(p, STAGE_CALLPATH);
    if (!st)
        return tcf_fail("out of memory for the stages");
    st->callpath = callpath_stage_new(p->callpaths);
    return st->callpath ? TCF_OK : TCF_ERROR;
}

/* Does the run of span filters that starts at instance i want call paths? */
static int run_needs_callpath(const pipeline *p, uint32_t i)
{
    do
        if (p->instances[i].self.needs & TCF_NEEDS_CALLPATH)
            return 1;
    while (p->instances[i].filter->span && ++i < p->n_instances && p->instances[i].filter->span);
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
    int asks = f->self.needs & TCF_NEEDS_ENDS || (f->self.needs & TCF_FOLLOWS && anybody_follows(f->pipeline->defs));
    for (uint32_t k = 0; open && asks && k < open->n_filters; k++)
        if (open->filters[k]->filter->writes & TCF_TIME)
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
        int answers = (f->self.needs & TCF_ANSWERS) != 0; /* to a segment that no other filter answers to */
        if ((!open && (f->filter->span || (f->self.needs & TCF_NEEDS_EDGES && !ordered))) ||
            (answers && (!front || front->answers))) {
            front = open = add_stage(p, STAGE_SEGMENT);
            if (!open || !(open->filters = calloc(p->n_instances, sizeof(instance *))))
                return tcf_fail("out of memory for the stages");
            ordered = 1;
        }
        if (f->filter->span) {
            open->arrives |= f->filter->arrive != NULL;
            f->stage = open;
            open->filters[open->n_filters++] = f;
            continue;
        }
        open = NULL;
        if (!(f->stage = add_stage(p, STAGE_FILTER)))
            return tcf_fail("out of memory for the stages");
        f->stage->filter = f;
        if (answers) {
            f->stage->front = front;
            front->answers = 1;
        }
        if (f->self.needs & (TCF_DROPS | TCF_INSERTS))
            paths = 0;
    }
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- memory -- */

/* Of surveys and chain, what wants the most. */
static void note_short_memory(pipeline *p, uint64_t locations, uint32_t events, uint64_t bytes)
{
    if (bytes > p->short_of.bytes)
        p->short_of = (struct memory_short){bytes, locations, events};
}

static void warn_of_memory(const pipeline *p)
{
    int shift = p->conf.memory < 1 << 20 ? 10 : 20; /* no 0 MiB */
    const char *unit = shift == 10 ? "KiB" : "MiB";

    if (p->short_of.bytes > 0)
        tcf_log(TCF_LOG_WARNING,
                "memory = %llu %s is not enough for %llu locations with %u events each and a look-ahead of %lld: "
                "up to %llu %s may be used",
                (unsigned long long)(p->conf.memory >> shift), unit, (unsigned long long)p->short_of.locations,
                p->short_of.events, (long long)p->conf.lookahead, (unsigned long long)(p->short_of.bytes >> shift),
                unit);
}

/* How many events a slice has and how many slices there are. See section "Windows" of doc/architecture.md. */
static tcf_status size_pool(pipeline *p)
{
    uint64_t locations = p->together && p->defs->n_locations > 0 ? p->defs->n_locations : 1;
    slice_layout *l = &p->layout;
    l->capacity = 4096;
    l->arena = 8 * 4096;
    uint64_t event_bytes = slice_block_bytes(l) / l->capacity + 1;
    uint64_t events = p->conf.memory / (4 * locations * event_bytes);
    l->capacity = (uint32_t)(events < 256 ? 256 : events > 4096 ? 4096 : events);
    if (p->conf.slice > 0)
        l->capacity = (uint32_t)p->conf.slice;
    l->arena = l->capacity * 8 < 4096 ? 4096 : l->capacity * 8;
    uint64_t ahead = p->edges ? (uint64_t)p->conf.lookahead / l->capacity + 2 : 1;
    uint64_t least = locations * (1 + ahead) + 16;
    uint64_t blocks = p->conf.memory / slice_block_bytes(l);
    if (blocks < least) {
        note_short_memory(p->main ? p->main : p, locations, l->capacity, least * slice_block_bytes(l));
        blocks = least;
    }
    if (blocks > UINT32_MAX / 8)
        return tcf_usage("memory = %llu: too much", (unsigned long long)p->conf.memory);
    p->memory = blocks * slice_block_bytes(l);
    p->n_blocks = (uint32_t)blocks;
    p->pool = pool_new(l, (uint32_t)blocks);
    if (!p->pool)
        return tcf_while("taking the memory for events (memory = %llu MiB)",
                         (unsigned long long)(p->conf.memory >> 20));
    return TCF_OK;
}

static tcf_status make_states(pipeline *p)
{
    uint32_t n = p->defs->n_locations;
    p->events = calloc(n + 1u, sizeof *p->events);
    p->read_time = calloc(n + 1u, sizeof *p->read_time);
    p->source_ended = calloc(n + 1u, 1);
    /* At most a call path stage and a gate in front of every filter. */
    p->stages = calloc(3u * p->n_instances + 1u, sizeof *p->stages);
    if (!p->events || !p->read_time || !p->source_ended || !p->stages)
        return tcf_fail("out of memory for %u locations", n);
    pipeline_tell_changes(p);
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *f = &p->instances[i];
        f->self.defs = p->defs;
        f->self.location = calloc(n + 1u, f->filter->location_size + 1u);
        int may_break_order = f->filter->writes & TCF_TIME || f->self.needs & TCF_INSERTS;
        if (may_break_order)
            f->last_time = calloc(n + 1u, sizeof *f->last_time);
        int may_alter = f->self.needs & (TCF_DROPS | TCF_INSERTS);
        if (may_alter)
            f->altered = calloc(n + 1u, 1);
        if (!f->self.location || (may_break_order && !f->last_time) || (may_alter && !f->altered))
            return tcf_fail("out of memory for the state of '%s' (%u locations)", f->self.name, n);
    }
    return TCF_OK;
}

tcf_status pipeline_build(pipeline *p)
{
    if (p->by_process && definitions_share_processes(p->defs))
        p->waits_for_time = p->together = 1;
    if (make_states(p) != TCF_OK || size_pool(p) != TCF_OK)
        return TCF_ERROR;
    if (p->needs_callpath && !(p->callpaths = callpaths_new(p->defs, (uint32_t)p->conf.max_callpaths)))
        return TCF_ERROR;
    match_options m = {(uint32_t)p->conf.lookahead, (uint32_t)p->conf.max_channels, p->source_at_leave, p->program};
    if (p->edges && !(p->matcher = matcher_new(p->defs, p->pool, &m)))
        return TCF_ERROR;
    if (plan_stages(p) != TCF_OK)
        return TCF_ERROR;
    int sourced = 1;
    for (uint32_t k = 0; k < p->n_stages; k++)
        if (p->stages[k].kind == STAGE_SEGMENT) {
            if (make_segment(p, &p->stages[k], sourced) != TCF_OK)
                return TCF_ERROR;
            sourced = 0;
        }
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------ new and delete -- */

static tcf_status open_input(pipeline *p)
{
    source_options o = {.memory = p->conf.memory,
                        .edges = p->edges,
                        .salvage = p->conf.salvage,
                        .sequential = !p->together && !survey_goes_together(p),
                        .by_process = p->by_process || survey_goes_by_process(p),
                        .interrupted = p->interrupted};
    if (p->source)
        return TCF_OK;
    if (p->conf.flush.in_ticks)
        return tcf_usage("[pipeline] flush is a time of the clock on the wall, not of ticks");
    if (!p->conf.input)
        return tcf_usage("no input: give the anchor file of an OTF2 archive with -i FILE or input = FILE in "
                         "[pipeline]");
    p->source = source_open(p->conf.input, &o);
    return p->source ? TCF_OK : TCF_ERROR;
}

/* Of one chain: that of a survey, or the main one. */
static uint32_t count_on_screen(const pipeline *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n_instances; i++) {
        const instance *f = &p->instances[i];
        n += (f->filter->needs & TCF_REPORTS) && f->reports && report_is_on_screen(&f->report_conf);
    }
    return n;
}

static pipeline *new_pipeline(settings *s, const char *plugin_path, const tcf_filter *const *builtin, source *src,
                              const volatile sig_atomic_t *interrupted)
{
    pipeline *p = calloc(1, sizeof *p);
    if (!p) {
        source_close(src);
        tcf_fail("out of memory for the pipeline");
        return NULL;
    }
    p->settings = s;
    p->interrupted = interrupted;
    p->source = src;
    p->chain = &p->conf.chain;
    if (settings_pipeline(s, &p->conf, &p->storage) != TCF_OK)
        goto failed;
    if (sinks_check(&p->conf) != TCF_OK)
        goto failed;
    if (!(p->loader = loader_new(plugin_path, p->conf.plugin_path, builtin)) || !(p->learned = learned_new()))
        goto failed;
    if (loader_check_folders(p->loader) != TCF_OK)
        goto failed;
    if (survey_make(p) != TCF_OK || pipeline_make_chain(p) != TCF_OK || open_input(p) != TCF_OK)
        goto failed;
    for (const pipeline *part = p; part; part = part == p ? p->survey : part->next)
        p->n_on_screen += count_on_screen(part);
    p->defs = source_definitions(p->source);
    if (pipeline_take_facts(p) != TCF_OK || survey_build(p) != TCF_OK || pipeline_build(p) != TCF_OK)
        goto failed;
    warn_of_memory(p);
    return p;
failed:
    pipeline_delete(p);
    return NULL;
}

pipeline *pipeline_new_over(settings *s, const char *plugin_path, const tcf_filter *const *builtin, source *src)
{
    return new_pipeline(s, plugin_path, builtin, src, NULL);
}

pipeline *pipeline_new(settings *s, const char *plugin_path, const volatile sig_atomic_t *interrupted)
{
    return new_pipeline(s, plugin_path, NULL, NULL, interrupted);
}

static void stage_free(stage *st)
{
    segment_delete(st->segment);
    callpath_stage_delete(st->callpath);
    free(st->filters);
    free(st->frontier);
    free(st->held);
    free(st->end_waits);
    free(st->verified);
}

static void instance_free(instance *f)
{
    if (f->begun && !f->finished && f->filter->fini) /* begin() may never have been reached */
        f->filter->fini(&f->self, f->pipeline->complete);
    f->finished = 1;
    report_delete(f->report);
    store_free(f->storage);
    free(f->conf);
    free(f->self.state);
    free(f->self.location);
    free(f->last_time);
    free(f->altered);
}

void pipeline_delete(pipeline *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->n_instances; i++)
        instance_free(&p->instances[i]);
    for (uint32_t k = 0; k < p->n_stages; k++)
        stage_free(&p->stages[k]);
    pipeline_delete(p->survey);
    pipeline_delete(p->next);
    sinks_delete_kept(p);
    matcher_delete(p->matcher);
    callpaths_delete(p->callpaths);
    pool_delete(p->pool);
    for (uint32_t i = 0; i < p->n_properties; i++) {
        free((char *)p->properties[i].name);
        free((char *)p->properties[i].value);
    }
    free(p->properties);
    free(p->distrusted);
    if (!p->main) {
        learned_delete(p->learned);
        source_close(p->source);
        loader_delete(p->loader);
        store_free(p->storage);
    }
    free(p->instances);
    free(p->stages);
    free(p->events);
    free(p->read_time);
    free(p->source_ended);
    free(p);
}
