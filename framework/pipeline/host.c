/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The host table: what filters may ask of the framework; see tcf_host in filter.h for what each entry promises. */
#include "domains.h"
#include "framework/base/handles.h"
#include "framework/base/output.h"
#include "framework/results/read.h"
#include "framework/trace/definitions.h"
#include "framework/trace/records.h"
#include "pack.h"
#include "stages.h"

#include <private/domains_host.h>
#include <private/extent_host.h>
#include <private/hold_host.h>
#include <private/parts_host.h>
#include <private/results_host.h>
#include <private/stream_host.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void host_log(const tcf_self *self, tcf_log_level level, const char *format, ...)
{
    const instance *f = instance_of(self);
    const pipeline *p = f->pipeline;
    char line[1024];
    va_list arguments;
    if (self->checking && instance_awaits_survey(f))
        return;
    if (domain_is_further(p) && (!domain_is_running(p) || p->domain->has_ended)) /* the first domain says it */
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    error_log(level, "%s: %s", self->name, line);
}

static tcf_status fail_with(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
static tcf_status fail_with(const char *format, va_list arguments)
{
    char line[2048];
    vsnprintf(line, sizeof line, format, arguments);
    return error_fail("%s", line);
}

static tcf_status host_fail(const tcf_self *self, const char *format, ...)
{
    va_list arguments;
    if (instance_of(self)->finished) /* in fini(): the reason why the run has failed stays */
        return TCF_ERROR;
    va_start(arguments, format);
    fail_with(format, arguments);
    va_end(arguments);
    return TCF_ERROR; /* the caller adds the name of the filter */
}

static tcf_status host_refuse(const tcf_self *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_with(format, arguments);
    va_end(arguments);
    (void)self;
    return error_as_usage();
}

static int host_interrupted(const tcf_self *self)
{
    return pipeline_interrupted(instance_of(self)->pipeline);
}

static uint64_t host_ticks(const tcf_self *self, tcf_duration duration)
{
    double ticks = duration.in_ticks ? duration.value : duration.value * (double)self->defs->clock.resolution;
    ticks = nearbyint(ticks);
    return ticks <= 0 ? 0 : ticks >= 18446744073709549568.0 ? UINT64_MAX : (uint64_t)ticks;
}

static uint32_t host_find(const tcf_self *self, tcf_ref_kind kind, uint64_t id)
{
    uint32_t index = kind < TCF_REF_KINDS ? definitions_find((const definitions *)self->defs, kind, id) : TCF_NONE;
    return tcf_defined(index) ? index : TCF_NONE;
}

static int host_column(const tcf_self *self, const char *name)
{
    return pipeline_column(instance_of(self)->pipeline, name);
}

static const tcf_callpath *host_callpaths(const tcf_self *self, uint32_t *n)
{
    const pipeline *p = instance_of(self)->pipeline;
    *n = 0;
    return p->callpaths ? callpaths_nodes(p->callpaths, n) : NULL;
}

/* A call that breaks a rule of filter.h, in a function that cannot say so by what it returns: it is reported at once,
 * for the filter may crash of what it is given, and the callback fails. */
static void misuse(const tcf_self *self, const char *what)
{
    instance *f = instance_of(self);

    if (!f->misused)
        error_log(TCF_LOG_ERROR, "filter '%s' %s", self->name, what);
    f->misused = what;
}

static uint32_t host_computation(tcf_self *self, uint32_t callpath, uint32_t region)
{
    const pipeline *p = instance_of(self)->pipeline;
    uint32_t n = 0;
    if (p->callpaths)
        callpaths_nodes(p->callpaths, &n);
    if (callpath < n && region < self->defs->n_regions)
        return callpaths_computation(p->callpaths, callpath, region);
    misuse(self, "asks for computation nodes without TCF_NEED_CALLPATH, or of no call path or no region");
    return callpath;
}

/* The exchange of a span filter's segment; NULL for a slice filter. */
static exchange *exchange_of(const tcf_self *self)
{
    segment *g = instance_of(self)->stage->segment;
    return g ? segment_exchange(g) : NULL;
}

/* The exchange that the edge is of; NULL: there is none to ask. */
static exchange *exchange_at(const tcf_self *self, const tcf_edge *e)
{
    exchange *x = exchange_of(self);

    if (!x)
        misuse(self, "asks about edges without span()");
    else if (!e)
        misuse(self, "asks about an edge where there is none: the edge is NULL");
    return e ? x : NULL;
}

static void *host_payload(const tcf_self *self, const tcf_edge *e)
{
    const instance *f = instance_of(self);
    exchange *x = exchange_at(self, e);

    if (!x)
        return NULL;
    if (tcf_is_message(e) && f->filter->message_bytes == 0)
        misuse(self, "asks for the payload of a message without message_bytes");
    else if (!tcf_is_message(e) && f->filter->member_bytes == 0)
        misuse(self, "asks for the payload of a collective without member_bytes");
    return f->misused ? NULL : exchange_payload(x, e, f->message_offset, f->member_offset);
}

/* Is there a number `which`? */
static int has_number(const tcf_self *self, uint32_t which)
{
    const uint32_t numbers = instance_of(self)->filter->numbers;

    if (which < (numbers ? numbers : 1))
        return 1;
    misuse(self, "publishes or asks for more numbers than 'numbers' says");
    return 0;
}

static void host_publish(const tcf_self *self, const tcf_edge *e, uint32_t which, uint64_t value)
{
    exchange *x = exchange_at(self, e);
    if (x && has_number(self, which))
        exchange_publish(x, e, instance_of(self)->publisher + which, value);
}

static int host_latest(const tcf_self *self, const tcf_edge *e, uint32_t which, uint64_t *value)
{
    exchange *x = exchange_at(self, e);
    return x && has_number(self, which) && exchange_ask(x, e, instance_of(self)->publisher + which, value);
}

static int host_first_end(const tcf_self *self, const tcf_edge *e, uint64_t *time)
{
    const exchange *x = exchange_at(self, e);
    return x && exchange_first_end(x, e, time);
}

/* The segment whose edges a filter answers; NULL: none. */
static const stage *front_of(const tcf_self *self)
{
    const stage *front = instance_of(self)->stage->front;
    if (!front)
        misuse(self, "answers, or asks for answers, without TCF_CAN_ANSWER");
    return front;
}

static void host_answer(const tcf_self *self, const tcf_edge *e, uint64_t value)
{
    const stage *front = front_of(self);
    if (front)
        exchange_answer_sources(segment_exchange(front->segment), e, value);
}

static int host_answered(const tcf_self *self, const tcf_edge *e, uint64_t *value)
{
    const stage *front = front_of(self);
    *value = UINT64_MAX;
    return !front || exchange_answered(segment_exchange(front->segment), e, value);
}

static tcf_status host_release(tcf_self *self, tcf_slice *view)
{
    instance *f = instance_of(self);
    pipeline *p = f->pipeline;
    stage *st = f->stage;
    slice *s = (slice *)view; /* the view is the slice's first member */
    uint32_t location = view->location;
    if (st->held[location] == 0 || s->held_by != st->number)
        return error_fail("filter '%s' releases a slice that it doesn't hold; this is a mistake of the filter",
                          self->name);
    st->held[location]--;
    st->n_held--;
    s->held_by = SLICE_HELD_BY_NOBODY;
    if (st->given == s)
        st->given = NULL;
    if (pipeline_check_order(f, view, 0, view->n) != TCF_OK)
        return TCF_ERROR;
    if (st->front)
        exchange_release(segment_exchange(st->front->segment), view);
    if (pipeline_push(p, st->number + 1, s) != TCF_OK)
        return TCF_ERROR;
    if (st->held[location] > 0 || !st->end_waits[location])
        return TCF_OK;
    st->end_waits[location] = 0;
    return pipeline_location_end(p, st->number + 1, location);
}

static tcf_slice *host_cut(tcf_self *self, tcf_slice *view, uint32_t at)
{
    const instance *f = instance_of(self);
    stage *st = f->stage;
    slice *s = (slice *)view;
    if (st->held[view->location] == 0 || s->held_by != st->number) {
        misuse(self, "cuts a slice that it doesn't hold");
        return NULL;
    }
    pool *p = f->pipeline->pool;
    if (s->block->size != SLICE_MANY ||
        pool_layout(p)->capacity > SLICE_MANY_EVENTS / 4) /* that would save no memory */
        return NULL;
    slice *rest = slice_copy_rest(p, s, at);
    if (!rest)
        return NULL;
    rest->held_by = st->number;
    st->held[view->location]++;
    st->n_held++;
    return &rest->v;
}

static const tcf_hold_host hold_host = {.cut = host_cut};

static tcf_slice *host_slice_new(tcf_self *self, uint32_t location, uint32_t *capacity)
{
    slice *s = pipeline_slice(instance_of(self)->pipeline, location, SLICE_USUAL, instance_of(self)->stage->number + 1);
    if (!s)
        return NULL;
    *capacity = s->block->capacity;
    memset(s->v.attr, 0, *capacity * sizeof *s->v.attr);
    return &s->v;
}

/* Sets `changed` of the filters behind this one, which has dropped or inserted events. */
static void note_changed(instance *f)
{
    if (f->drops)
        return;
    f->drops = 1;
    pipeline_set_changed(f->pipeline);
}

/* Notes by location what was dropped (`keep` is 0), or inserted (`keep` is NULL). */
static void note_altered(instance *f, const tcf_slice *s, const uint8_t *keep)
{
    uint8_t *altered = &f->altered[s->location];

    *altered |= TCF_ALTERED_EVENTS;
    for (uint32_t i = 0; i < s->n && !(*altered & TCF_ALTERED_MATCHES); i++)
        if ((!keep || !keep[i]) && match_depends_on(f->pipeline->defs, s->kind[i], &s->rec[i]))
            *altered |= TCF_ALTERED_MATCHES;
}

static void host_leave_out(tcf_self *self, uint32_t location)
{
    instance *f = instance_of(self);
    if (f->altered)
        f->altered[location] |= TCF_ALTERED_ALL;
}

static uint32_t host_altered(const tcf_self *self, uint32_t location)
{
    const pipeline *p = instance_of(self)->pipeline;
    const source_facts *facts = source_facts_of(p->source);
    uint32_t altered = facts->altered ? facts->altered[location] : 0;

    for (const instance *f = p->instances; f < instance_of(self); f++)
        altered |= f->altered ? f->altered[location] : 0;
    return altered;
}

/* Fills the dense named columns of inserted events: with their time as the raw one, else with 0. */
static void fill_columns(const pipeline *p, tcf_slice *s)
{
    for (uint32_t c = 0; c < p->layout.n_columns; c++) {
        if (p->layout.column[c].at_edges)
            continue;
        if ((int)c == p->time_raw)
            memcpy(s->columns[c], s->time, s->n * sizeof *s->time);
        else
            memset(s->columns[c], 0, (size_t)s->n * p->layout.column[c].bytes);
    }
}

static tcf_status host_emit(tcf_self *self, tcf_slice *view)
{
    instance *f = instance_of(self);
    slice *s = (slice *)view;
    fill_columns(f->pipeline, view);
    if (pipeline_check_order(f, view, 0, view->n) != TCF_OK)
        return TCF_ERROR;
    if (view->n > 0) {
        note_changed(f);
        note_altered(f, view, NULL);
    }
    if (f->pipeline->edges) { /* an inserted event never is an edge */
        memset(view->edge, 0, view->n);
        memset(view->match, 0, view->n * sizeof *view->match);
    }
    return pipeline_push(f->pipeline, f->stage->number + 1, s);
}

static uint64_t host_watermark(const tcf_self *self)
{
    return pipeline_watermark(instance_of(self)->stage);
}

static void host_compact(tcf_self *self, tcf_slice *view, const uint8_t *keep)
{
    if (!(self->can & TCF_CAN_DROP)) {
        misuse(self, "calls host->compact() without TCF_CAN_DROP");
        return;
    }
    if (!memchr(keep, 0, view->n)) /* nothing goes */
        return;
    note_altered(instance_of(self), view, keep);
    slice_compact(instance_of(self)->pipeline->pool, (slice *)view, keep);
    note_changed(instance_of(self));
}

static tcf_status host_learn(tcf_self *self, const char *table, size_t row_bytes, const void *rows, uint64_t n)
{
    const pipeline *p = instance_of(self)->pipeline;
    if (domain_is_further_here(p)) /* the first one here has said it */
        return TCF_OK;
    return learned_put(instance_of(self)->pipeline->session->learned, table, row_bytes, rows, n);
}

static const void *host_learned(const tcf_self *self, const char *table, size_t row_bytes, uint64_t *n)
{
    instance *f = instance_of(self);
    f->asked = 1;
    return learned_get(f->pipeline->session->learned, table, row_bytes, n);
}

static tcf_status host_set_property(tcf_self *self, const char *name, const char *value)
{
    return pipeline_set_property(instance_of(self)->pipeline, name, value);
}

static const tcf_property *host_properties(const tcf_self *self, uint32_t *n)
{
    *n = instance_of(self)->pipeline->n_properties;
    return instance_of(self)->pipeline->properties;
}

/* NULL: out of memory. */
static report *report_of(instance *f)
{
    if (!f->report)
        f->report = report_new(f->self.name, &f->report_conf);
    f->report_lost |= !f->report;
    if (f->report) {
        const session_hooks *hooks = f->pipeline->session->hooks;
        report_heed(f->report, hooks ? hooks->interrupted : NULL);
        report_clock(f->report, &f->self.defs->clock);
        const tcf_definitions *defs = f->self.defs;
        report_leave_open(f->report, &(report_gaps){.sampled = definitions_are_sampled(defs),
                                                    .messages = tcf_is_unknown(defs, TCF_UNKNOWN_MESSAGES),
                                                    .sizes = tcf_is_unknown(defs, TCF_UNKNOWN_SIZES),
                                                    .some_sizes = tcf_is_unknown(defs, TCF_UNKNOWN_SOME_SIZES),
                                                    .follows = f->filter->span || f->self.needs & TCF_NEED_EDGES});
    }
    return f->report;
}

static tcf_table *host_table(tcf_self *self, const char *name, const char *title, const tcf_table_column *columns,
                             uint32_t n_columns)
{
    report *r = report_of(instance_of(self));
    return r ? report_table(r, name, title, columns, n_columns) : NULL;
}

static tcf_status host_snapshots(tcf_self *self, uint32_t location,
                                 tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data)
{
    return source_snapshots(instance_of(self)->pipeline->source, location, each, data);
}

static tcf_status host_markers(tcf_self *self, tcf_status (*each)(void *data, const tcf_marker *marker), void *data)
{
    return source_markers(instance_of(self)->pipeline->source, each, data);
}

static tcf_status host_thumbnails(tcf_self *self, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail),
                                  void *data)
{
    return source_thumbnails(instance_of(self)->pipeline->source, each, data);
}

static int host_channel(const tcf_self *self, const tcf_edge *e, tcf_channel *to)
{
    const pipeline *p = instance_of(self)->pipeline;
    if (!p->matcher || e->channel == TCF_NONE || e->side & EDGE_OF_POST)
        return 0;
    const channel *c = &(*matcher_channel_table(p->matcher))[e->channel];
    *to = (tcf_channel){.type = c->type, .comm = c->comm, .a = c->a, .b = c->b, .tag = c->tag};
    return 1;
}

static uint64_t host_frontier(const tcf_self *self, uint32_t location)
{
    return instance_of(self)->stage->frontier.value[location];
}

static int host_learned_table(const tcf_self *self, uint32_t i, tcf_learned_table *table)
{
    return learned_at(instance_of(self)->pipeline->session->learned, i, table);
}

static int host_column_at(const tcf_self *self, uint32_t i, tcf_named_column *column)
{
    const slice_layout *l = &instance_of(self)->pipeline->layout;
    if (i >= l->n_columns)
        return 0;
    *column = (tcf_named_column){.name = l->column[i].name,
                                 .bytes = l->column[i].bytes,
                                 .at_edges = l->column[i].at_edges != 0,
                                 .of_times = l->column[i].of_times != 0};
    return 1;
}

static const char *host_input(const tcf_self *self, uint32_t i)
{
    const source_input *in = source_facts_of(instance_of(self)->pipeline->source)->inputs;
    for (; in && i > 0; i--)
        in = in->next;
    return in ? in->path : NULL;
}

static uint64_t host_unknown_events(const tcf_self *self)
{
    return source_unknown_events(instance_of(self)->pipeline->source);
}

static int host_loss(const tcf_self *self, uint32_t i, tcf_loss *loss)
{
    uint32_t n;
    const source_loss *losses = source_losses(instance_of(self)->pipeline->source, &n);
    if (i >= n)
        return 0;
    *loss = (tcf_loss){losses[i].location, losses[i].last_good, losses[i].file, losses[i].reason};
    return 1;
}

static const tcf_stream_host stream_host = {
    .channel = host_channel,
    .frontier = host_frontier,
    .learned_table = host_learned_table,
    .column_at = host_column_at,
    .input = host_input,
    .unknown_events = host_unknown_events,
    .loss = host_loss,
    .altered = host_altered,
};

static int host_has(const tcf_self *self, uint32_t location)
{
    const pipeline *p = instance_of(self)->pipeline;
    return !p->domain || domain_has(p->domain, location);
}

static int host_is_first(const tcf_self *self)
{
    return !domain_is_further(instance_of(self)->pipeline);
}

static uint32_t host_here(const tcf_self *self)
{
    return domains_here(instance_of(self)->pipeline);
}

static uint32_t host_count(const tcf_self *self)
{
    return domains_of(instance_of(self)->pipeline);
}

static uint32_t host_number(const tcf_self *self)
{
    const pipeline *p = instance_of(self)->pipeline;
    return p->domain ? p->domain->number : 0;
}

static int host_exchange_letters(const tcf_self *self)
{
    return instance_of(self)->pipeline->letters != NULL;
}

static uint32_t host_domain_of(const tcf_self *self, uint32_t location)
{
    const pipeline *p = instance_of(self)->pipeline;
    return p->domain ? p->domain->all->of[location] : 0;
}

static tcf_status host_tell(tcf_self *self, uint32_t to, const void *content, size_t bytes)
{
    const instance *f = instance_of(self);
    pipeline *p = f->pipeline;
    const stage *st = f->stage;
    uint32_t k = 0;
    while (k < st->n_filters && st->filters[k] != f)
        k++;
    if (!p->letters || k == st->n_filters || to == p->letters->me || to >= p->letters->n) {
        misuse(self, "tells a domain something that is none, or its own, or without span()");
        return TCF_ERROR;
    }
    if (to == 0 && domain_share_callpaths(p) != TCF_OK)
        return TCF_ERROR;
    void *at = letters_write(p->letters, to, (uint8_t)(LETTERS_OF_FILTERS + k), st->number, bytes);
    if (!at)
        return TCF_ERROR;
    memcpy(at, content, bytes);
    return TCF_OK;
}

static void host_listen(tcf_self *self, tcf_status (*told)(tcf_self *self, uint32_t from, const void *letter))
{
    instance_of(self)->told = told;
}

static void host_in_spare_time(tcf_self *self, tcf_status (*work)(tcf_self *self, int *moved))
{
    instance_of(self)->spare_time = work;
}

static void host_set_short(tcf_self *self, tcf_short why, int is_short)
{
    instance *f = instance_of(self);
    f->is_short = (uint8_t)(is_short ? f->is_short | why : f->is_short & ~why);
}

static void host_gather(tcf_self *self, uint32_t ns)
{
    instance_of(self)->gathers = ns;
}

static void host_wait_outside(tcf_self *self)
{
    instance_of(self)->waits_outside = 1;
}

static const uint32_t *host_callpaths_here(const tcf_self *self, uint32_t number, uint32_t *n)
{
    const pipeline *p = instance_of(self)->pipeline;
    const domain *x = p->domain && number < p->domain->all->n ? &p->domain->all->at[number] : NULL;
    *n = x ? x->callpaths.n : 0;
    return x ? x->callpaths.of : NULL;
}

/* What instances of the filter leave for the first one, or this for them. NULL: there are no others. */
static tcf_pack *left_for(const tcf_self *self, int first)
{
    const instance *f = instance_of(self);
    const pipeline *p = f->pipeline;
    return p->domain ? &p->domain->all->left[f - p->instances + (first ? 0 : p->n_instances)] : NULL;
}

static void host_leave(tcf_self *self, const void *data, size_t bytes)
{
    tcf_pack *pack = left_for(self, !host_is_first(self));
    if (pack)
        pack_put(pack, data, bytes);
}

static const void *host_left(const tcf_self *self, size_t *n)
{
    const tcf_pack *pack = left_for(self, host_is_first(self));
    const int any = pack && !pack->out_of_memory && pack->n > 0;
    *n = any ? pack->n : 0;
    return any ? pack->bytes : NULL;
}

static uint32_t host_threads(const tcf_self *self)
{
    return domains_count_helped(instance_of(self)->pipeline);
}

static void host_divide(const tcf_self *self, void (*work)(void *data, uint32_t k), void *data, uint32_t n)
{
    domains_divide(instance_of(self)->pipeline, work, data, n);
}

static const tcf_domains_host domains_host = {.is_first = host_is_first,
                                              .count = host_count,
                                              .here = host_here,
                                              .number = host_number,
                                              .exchange_letters = host_exchange_letters,
                                              .of = host_domain_of,
                                              .tell = host_tell,
                                              .listen = host_listen,
                                              .in_spare_time = host_in_spare_time,
                                              .set_short = host_set_short,
                                              .gather = host_gather,
                                              .wait_outside = host_wait_outside,
                                              .callpaths = host_callpaths_here,
                                              .leave = host_leave,
                                              .left = host_left,
                                              .threads = host_threads,
                                              .divide = host_divide};

static void host_take_part(tcf_self *self, const char *name)
{
    instance_of(self)->part = name;
}

static tcf_self *host_first_of_part(tcf_self *self)
{
    instance *f = instance_of(self);
    return f->first ? &f->first->self : self;
}

static const tcf_parts_host parts_host = {host_take_part, host_first_of_part};

static int host_extent(const tcf_self *self, int64_t *first, int64_t *last)
{
    return source_extent(instance_of(self)->pipeline->source, first, last);
}

static const tcf_extent_host extent_host = {host_extent};

static int host_find_result(const tcf_self *self, const char *filter, const char *table, tcf_result *found)
{
    const instance *own = instance_of(self);
    const session *s = own->pipeline->session;
    *found = (tcf_result){0};
    for (uint32_t i = 0; i < s->n_collected; i++) {
        const tcf_table *t =
            strcmp(s->collected[i].filter, filter) == 0 ? read_table(s->collected[i].report, table) : NULL;
        if (t)
            *found = (tcf_result){t, read_instance(s->collected[i].report), read_rows(t)};
    }
    for (const instance *f = own->pipeline->instances; f < own; f++) {
        const tcf_table *t = strcmp(f->filter->name, filter) == 0 ? read_table(f->report, table) : NULL;
        if (t)
            *found = (tcf_result){t, f->self.name, read_rows(t)};
    }
    return found->table != NULL;
}

static int host_result_column(const tcf_result *of, const char *name)
{
    return read_column(of->table, name);
}

static double host_result_number(const tcf_result *of, uint64_t row, int column)
{
    return read_number(of->table, row, column);
}

static uint64_t host_result_whole(const tcf_result *of, uint64_t row, int column)
{
    return read_whole(of->table, row, column);
}

static const char *host_result_text(const tcf_result *of, uint64_t row, int column)
{
    return read_text(of->table, row, column);
}

static void host_lead(tcf_self *self)
{
    instance_of(self)->leads = 1;
}

static void host_say(tcf_self *self, const char *paragraph)
{
    report *r = report_of(instance_of(self));
    if (r)
        report_say(r, paragraph);
}

static const tcf_results_host results_host = {
    .find = host_find_result,
    .column = host_result_column,
    .number = host_result_number,
    .whole = host_result_whole,
    .text = host_result_text,
    .lead = host_lead,
    .say = host_say,
};

static const void *host_extension(const tcf_self *self, const char *name)
{
    instance_of(self)->opens_files |= strcmp(name, TCF_HANDLES_HOST) == 0;
    return strcmp(name, TCF_STREAM_HOST) == 0    ? (const void *)&stream_host
           : strcmp(name, TCF_OUTPUT_HOST) == 0  ? (const void *)&output_host
           : strcmp(name, TCF_HANDLES_HOST) == 0 ? (const void *)&handles_host
           : strcmp(name, TCF_DOMAINS_HOST) == 0 ? (const void *)&domains_host
           : strcmp(name, TCF_HOLD_HOST) == 0    ? (const void *)&hold_host
           : strcmp(name, TCF_PARTS_HOST) == 0   ? (const void *)&parts_host
           : strcmp(name, TCF_EXTENT_HOST) == 0  ? (const void *)&extent_host
           : strcmp(name, TCF_RESULTS_HOST) == 0 ? (const void *)&results_host
                                                 : NULL;
}

const tcf_host pipeline_host = {
    .size = sizeof(tcf_host),
    .abi_major = TCF_ABI_MAJOR,
    .abi_minor = TCF_ABI_MINOR,
    .log = host_log,
    .fail = host_fail,
    .refuse = host_refuse,
    .interrupted = host_interrupted,
    .ticks = host_ticks,
    .enum_name = otf2_enum_name,
    .find = host_find,
    .column = host_column,
    .callpaths = host_callpaths,
    .computation = host_computation,
    .payload = host_payload,
    .publish = host_publish,
    .latest = host_latest,
    .first_end = host_first_end,
    .answer = host_answer,
    .answered = host_answered,
    .release = host_release,
    .slice_new = host_slice_new,
    .emit = host_emit,
    .watermark = host_watermark,
    .compact = host_compact,
    .learn = host_learn,
    .learned = host_learned,
    .set_property = host_set_property,
    .properties = host_properties,
    .table = host_table,
    .row = report_cells,
    .rows = report_rows,
    .snapshots = host_snapshots,
    .markers = host_markers,
    .thumbnails = host_thumbnails,
    .leave_out = host_leave_out,
    .has = host_has,
    .put = pack_put,
    .put_locations = pack_put_locations,
    .take_locations = pack_take_locations,
    .take = pack_take,
    .taken_index = pack_index,
    .taken_callpath = pack_callpath,
    .extension = host_extension,
};
