/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* From the first event to the last: which location is read next.
 *
 * Where no filter asks for order, locations are read one after another: one reader and one writer are open at a time
 * and the same few slices are used again and again. Otherwise the first segment says which location it wants next
 * (causal chains), or the location with the earliest time is next (TCF_NEED_TOGETHER). Slices are pushed down the
 * stages; what holds them back, a filter or a segment, gives them up again when the pool is dry (reclaim.c). */
#include "domains.h"
#include "framework/base/resources.h"
#include "stages.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------- reading -- */

/* Gives the edges of a slice their channels and numbers; a stream may bring them. */
static tcf_status match(pipeline *p, slice *s)
{
    const prematched_edges *kept = source_edges(p->source);
    if (!kept)
        return matcher_feed(p->matcher, s);
    if (p->posts && p->posts->self.rendezvous != TCF_RENDEZVOUS_ANY)
        return error_usage(
            "[%s] wants to know which sends waited for their receives (rendezvous), which the matches in a "
            "stream don't say: write the stream with matches = no",
            p->posts->self.name);
    if (matcher_take_prematched(p->matcher, s, kept) != TCF_OK)
        return TCF_ERROR;
    return source_edge_columns(p->source, s);
}

/* All of the input has come. The properties and changes at its end reach the filters before their own end(). */
static tcf_status finish_source(pipeline *p)
{
    if (source_finish(p->source) != TCF_OK)
        return TCF_ERROR;
    const source_facts *facts = source_facts_of(p->source);
    for (uint32_t i = 0; i < facts->n_properties; i++)
        if (pipeline_set_property(p, facts->properties[i].name, facts->properties[i].value) != TCF_OK)
            return TCF_ERROR;
    p->changed_before = facts->changed;
    pipeline_set_changed(p);
    return TCF_OK;
}

static tcf_status end_location(pipeline *p, uint32_t location)
{
    p->source_ended[location] = 1;
    least_raise(&p->read_time, location, UINT64_MAX);
    if (p->matcher && matcher_location_end(p->matcher, location) != TCF_OK)
        return TCF_ERROR;
    source_close_location(p->source, location);
    if (++p->n_ended == p->defs->n_locations && !p->letters && finish_source(p) != TCF_OK)
        return TCF_ERROR;
    return pipeline_location_end(p, 0, location);
}

/* Reads a slice of the wanted location; of a stream, maybe of another one that has come first.
 *
 * A segment behind another one may get the begin of a collective operation one slice later, from a filter that holds
 * slices. It has in memory what comes to it of all locations until it has got the last begin. So where there is one,
 * all locations run for a slice of the usual size behind an operation, before any of them gets a long one. */
static tcf_status read_slice(pipeline *p, uint32_t wanted)
{
    uint32_t location = wanted;
    if (source_next(p->source, &location) != TCF_OK)
        return TCF_ERROR;
    slice_size size = source_next_size(p->source, location);
    const int yields = size == SLICE_USUAL && p->n_segments > 1;
    if (size == SLICE_USUAL && !yields)
        size = SLICE_MANY;
    slice *s = pipeline_slice(p, location, size, 0);
    if (!s)
        return TCF_ERROR;
    s->yields = (uint8_t)yields;
    int ended = 0;
    s->v.first = p->events[location];
    if (source_read(p->source, location, s, s->block->capacity, &ended) != TCF_OK) {
        slice_put(p->pool, s);
        return TCF_ERROR;
    }
    uint32_t n = s->v.n;
    p->events[location] += n;
    p->n_events += n;
    const prematched_edges *kept = source_edges(p->source);
    if (n == 0 && !(p->matcher && kept && kept->n_edges > 0)) {
        slice_put(p->pool, s);
        uint64_t frontier = source_frontier(p->source, location);
        if (frontier > p->read_time.value[location]) {
            least_raise(&p->read_time, location, before_the_end(frontier));
            pipeline_frontier(p, 0, location, frontier);
        }
    } else {
        if (p->time_raw >= 0)
            memcpy(s->v.columns[p->time_raw], s->v.time, n * sizeof *s->v.time);
        if (n > 0)
            least_raise(&p->read_time, location, before_the_end(s->v.time[n - 1]));
        if (p->matcher && match(p, s) != TCF_OK)
            return TCF_ERROR;
        if (pipeline_push(p, 0, s) != TCF_OK)
            return TCF_ERROR;
    }
    return ended ? end_location(p, location) : TCF_OK;
}

void pipeline_name_pass(const pipeline *p, session_progress *progress)
{
    char *to = progress->stage;
    size_t used = 0, room = sizeof progress->stage - sizeof " ...";

    progress->pass = p->session->pass;
    progress->n_passes = p->session->n_passes;
    for (uint32_t i = 0; i < p->n_instances; i++) {
        const char *name = p->instances[i].self.name, *between = i > 0 ? " " : "";
        if (used + strlen(between) + strlen(name) > room) {
            memcpy(to + used, " ...", sizeof " ...");
            return;
        }
        used += (size_t)snprintf(to + used, sizeof progress->stage - used, "%s%s", between, name);
    }
}

static void show_progress(pipeline *p)
{
    if (p->domain) {
        domain_report_progress(p);
        return;
    }
    if (!p->session->hooks || !p->session->hooks->progress)
        return;
    double now = now_seconds();
    if (now < p->next_progress)
        return;
    p->next_progress = now + 0.2;
    session_progress progress = {.events = p->n_events};
    pipeline_name_pass(p, &progress);
    source_progress(p->source, &progress.bytes, &progress.total_bytes);
    p->session->hooks->progress(p->session->hooks->data, &progress);
}

int pipeline_interrupted(const pipeline *p)
{
    if (domain_is_running(p))
        return domain_is_to_stop(p);
    return p->session->hooks && p->session->hooks->interrupted && *p->session->hooks->interrupted;
}

tcf_status pipeline_heartbeat(pipeline *p)
{
    p->beats_due = 0;
    p->next_beat = now_seconds() + p->session->conf.flush.value;
    if (backlog_pass(p) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t k = 0; k < p->n_stages; k++)
        if (p->stages[k].kind == STAGE_SEGMENT && segment_send_parts(p->stages[k].segment) != TCF_OK)
            return TCF_ERROR;
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *f = &p->instances[i];
        if (f->self.can & TCF_CAN_LIVE && !f->ended && f->filter->heartbeat && f->filter->heartbeat(&f->self) != TCF_OK)
            return error_while("in filter '%s'", f->self.name);
    }
    return TCF_OK;
}

/* Also by the number of slices: whoever reads what is written here must not have to hold much more than this one
 * does. */
static int beat_is_due(pipeline *p)
{
    enum { LEAST = 64, A_LOCATION = 4 };
    uint32_t most = A_LOCATION * domain_locations(p);
    return p->live && (++p->beats_due >= (most > LEAST ? most : LEAST) || now_seconds() >= p->next_beat);
}

static tcf_status poll_hooks(pipeline *p)
{
    show_progress(p);
    if (pipeline_interrupted(p))
        return error_fail("interrupted");
    return beat_is_due(p) ? pipeline_heartbeat(p) : TCF_OK;
}

/* Called by the source while it waits for its input. */
static tcf_status idle(void *data)
{
    pipeline *p = data;
    if (pipeline_interrupted(p))
        return error_fail("interrupted");
    show_progress(p);
    return pipeline_heartbeat(p);
}

static uint32_t first_segment(const pipeline *p)
{
    uint32_t k = 0;
    while (k < p->n_stages && p->stages[k].kind != STAGE_SEGMENT)
        k++;
    return k;
}

/* --------------------------------------------------------------------------------------------------------- loops -- */

static tcf_status run_sequential(pipeline *p)
{
    for (uint32_t l = 0; l < p->defs->n_locations; l++)
        while (!p->source_ended[l])
            if (poll_hooks(p) != TCF_OK || read_slice(p, l) != TCF_OK)
                return TCF_ERROR;
    return TCF_OK;
}

/* Takes slices in the order in which a stream brings them. */
static tcf_status run_as_it_comes(pipeline *p)
{
    while (p->n_ended < p->defs->n_locations)
        if (poll_hooks(p) != TCF_OK || read_slice(p, UINT32_MAX) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

/* The open location that has been read up to the earliest time; UINT32_MAX: all have ended. */
static uint32_t earliest_location(pipeline *p)
{
    return p->n_ended < p->defs->n_locations ? least_first(&p->read_time) : UINT32_MAX;
}

static tcf_status run_together(pipeline *p)
{
    for (;;) {
        uint32_t next = earliest_location(p);
        if (next == UINT32_MAX)
            return TCF_OK;
        if (poll_hooks(p) != TCF_OK || read_slice(p, next) != TCF_OK)
            return TCF_ERROR;
    }
}

/* Where it fails, the filter hasn't ended: nobody reads what is left of its report. */
static tcf_status check_report(const instance *f)
{
    if (f->report_lost)
        return error_fail("out of memory for the report of '%s'", f->self.name);
    return f->report ? report_is_whole(f->report) : TCF_OK;
}

static tcf_status end_filter(instance *f)
{
    if ((f->filter->end && f->filter->end(&f->self) != TCF_OK) || pipeline_check_use(f) != TCF_OK ||
        check_report(f) != TCF_OK)
        return error_while("finishing '%s'", f->self.name);
    pipeline_set_changed(f->pipeline);
    f->ended = 1;
    return TCF_OK;
}

/* Ends the filter of a stage, behind the last slice; segments have several filters, which pipeline_finish() ends. */
static tcf_status finish_filter(stage *st)
{
    if (st->kind != STAGE_FILTER || st->finished)
        return TCF_OK;
    st->finished = 1;
    if (end_filter(st->filter) != TCF_OK)
        return TCF_ERROR;
    if (st->n_held > 0)
        return error_fail("filter '%s' still holds slices after its end(); this is a mistake of the filter",
                          st->filter->self.name);
    return TCF_OK;
}

static int held_in_front(const pipeline *p, uint32_t first, uint32_t location)
{
    for (uint32_t k = 0; k < first; k++)
        if (p->stages[k].held[location] > 0)
            return 1;
    return 0;
}

/* So much more than where filters release slices a domain may have that waits for others, as a share; and of that so
 * many slices it reads for a grant, for all domains rest before each. */
enum { BEYOND_SHARE = 4, GRANTED_SHARE = 32 };

/* Would another slice make filters release what they hold before they want to, or much more wait for other domains
 * than there is memory for, or than one domain would have? */
static int is_short_of_room(pipeline *p)
{
    const uint32_t available = pool_available(p->pool);
    return available == 0 || pipeline_holds_too_much(p) || pipeline_runs_ahead(p) ||
           p->n_blocks - available >= p->held_from + p->held_from / BEYOND_SHARE;
}

/* Is a filter at a cap that letters will take it below? */
static int is_filter_short(const pipeline *p)
{
    for (uint32_t i = 0; i < p->n_instances; i++)
        if (p->instances[i].is_short)
            return 1;
    return 0;
}

static tcf_status tell_of_answers(pipeline *p)
{
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *f = &p->instances[i];
        if (f->filter->answers_come && f->filter->answers_come(&f->self) != TCF_OK)
            return error_while("in filter '%s'", f->self.name);
    }
    return TCF_OK;
}

/* In a domain that reads nothing for the moment: who writes a stream may wait for that, and others for the writer. */
static tcf_status read_ahead(pipeline *p, int *has_read)
{
    uint32_t location;

    *has_read = 0;
    if (source_ahead(p->source, &location) != TCF_OK)
        return TCF_ERROR;
    *has_read = location != UINT32_MAX;
    return *has_read ? read_slice(p, location) : TCF_OK;
}

/* Which domain reads first where all rest: those which release something before, then the one with the least in use, so
 * that none runs ahead of one that it waits for. */
static uint64_t key_of_room(const pipeline *p)
{
    return pipeline_holds_too_much(p) ? 0 : 1 + p->n_blocks - pool_available(p->pool);
}

/* Before a slice of a location is read in a domain: what other domains know may let filters release what they hold.
 * *may_read: there is room. Else there may be later; where the domain rests, pipeline_go_on() may read. */
static tcf_status make_room(pipeline *p, uint32_t first, uint32_t wanted, int *may_read)
{
    *may_read = 1;
    if (!p->letters || !(is_short_of_room(p) || is_filter_short(p))) {
        p->granted = 0;
        return TCF_OK;
    }
    if (p->granted > 0 && pool_available(p->pool) > 0 && !is_filter_short(p)) {
        p->granted--;
        return TCF_OK;
    }
    if (backlog_pass(p) != TCF_OK || domain_send_letters(p) != TCF_OK || domain_take_letters(p) != TCF_OK ||
        tell_of_answers(p) != TCF_OK || pipeline_drain(p, first + 1) == OUTCOME_FAILED)
        return TCF_ERROR;
    if (!(is_short_of_room(p) || is_filter_short(p)))
        return TCF_OK;
    outcome others = is_filter_short(p) ? OUTCOME_NOTHING : segment_run_others(p->stages[first].segment);
    if (others == OUTCOME_FAILED)
        return TCF_ERROR;
    *may_read = 0;
    if (others == OUTCOME_MOVED)
        return TCF_OK;
    int has_read;
    if (domain_send_letters(p) != TCF_OK || read_ahead(p, &has_read) != TCF_OK)
        return TCF_ERROR;
    if (has_read)
        return TCF_OK;
    resting how = {.has_moved = 1};
    segment_rest(p->stages[first].segment, &how);
    how.wish = WISH_ROOM;
    how.key = key_of_room(p);
    how.location = 0;
    domain_rest(p, &how);
    p->is_in_room = 1;
    p->wanted = wanted;
    return TCF_OK;
}

/* The location to read for the one that the first segment starves for. UINT32_MAX: all have ended. */
static uint32_t location_for(pipeline *p, uint32_t first, uint32_t wanted)
{
    return !p->source_ended[wanted] && !held_in_front(p, first, wanted) ? wanted : earliest_location(p);
}

/* The first segment starves for a location, for which `next` is read. Where filters in front hold its slices, it is
 * the watermark that lets them go: all locations advance together then. */
static tcf_status read_for(pipeline *p, uint32_t first, uint32_t wanted, uint32_t next)
{
    if (next != UINT32_MAX)
        return read_slice(p, next);
    for (uint32_t k = 0; k < first; k++)
        if (!p->stages[k].finished && p->stages[k].kind == STAGE_FILTER)
            return finish_filter(&p->stages[k]);
    return error_fail("location %llu cannot go on although all of it has been read; please report this",
                      (unsigned long long)p->defs->locations[wanted].id);
}

/* A stream has nothing of a location for the moment: a domain does what it can do without. */
static tcf_status await_input(pipeline *p, uint32_t first)
{
    enum { LONGEST_MS = 1 };
    int has_read;

    if (domain_send_letters(p) != TCF_OK)
        return TCF_ERROR;
    if (letters_have_come(p->letters))
        return domain_take_letters(p);
    outcome others = segment_run_ready(p->stages[first].segment);
    if (others == OUTCOME_NOTHING)
        others = backlog_step(p);
    if (others != OUTCOME_NOTHING)
        return others == OUTCOME_MOVED ? TCF_OK : TCF_ERROR;
    if (read_ahead(p, &has_read) != TCF_OK)
        return TCF_ERROR;
    if (!has_read)
        source_await(p->source, LONGEST_MS);
    return TCF_OK;
}

static tcf_status feed(pipeline *p, uint32_t first, uint32_t wanted)
{
    int may_read;
    if (poll_hooks(p) != TCF_OK || make_room(p, first, wanted, &may_read) != TCF_OK)
        return TCF_ERROR;
    if (!may_read)
        return TCF_OK;
    const uint32_t next = location_for(p, first, wanted);
    return p->letters && next != UINT32_MAX && !source_has(p->source, next) ? await_input(p, first)
                                                                            : read_for(p, first, wanted, next);
}

/* Members that contribute nothing may release ends. *moved: something can run, or has been read. */
static tcf_status look_for_empty_members(pipeline *p, uint32_t number, int for_others, int *moved)
{
    uint32_t wanted;
    segment_state empty = segment_look_for_empty_members(p->stages[number].segment, for_others, &wanted);

    *moved = empty == SEGMENT_RAN || (empty == SEGMENT_WANTS && !p->source_ended[wanted]); /* of the first one alone */
    if (empty == SEGMENT_ERROR)
        return TCF_ERROR;
    return *moved && empty == SEGMENT_WANTS ? feed(p, number, wanted) : TCF_OK;
}

static tcf_status proceed(pipeline *p, uint32_t number)
{
    outcome released = segment_proceed(p->stages[number].segment, 0);

    if (released == OUTCOME_NOTHING && p->letters && p->resting.wish == WISH_FULL)
        error_fail("no room for another message in flight: raise max_messages (now %llu)",
                   (unsigned long long)p->session->conf.max_messages);
    else if (released == OUTCOME_NOTHING)
        error_fail("stage %u of the pipeline is stuck; please report this", number);
    return released == OUTCOME_MOVED ? TCF_OK : TCF_ERROR;
}

/* The locations of a segment wait for each other, and for nothing that comes to it by itself. */
static tcf_status unstick(pipeline *p, uint32_t number)
{
    int moved;

    if (look_for_empty_members(p, number, 0, &moved) != TCF_OK)
        return TCF_ERROR;
    return moved ? TCF_OK : proceed(p, number);
}

/* The locations of a segment behind wait for each other in all domains: *how says in which. */
static tcf_status clear_jam(pipeline *p, verdict found, const jam *how)
{
    for (uint32_t k = p->at + 1; k < p->n_stages && k < STAGES_TOLD; k++) {
        const int looks = found == VERDICT_LOOK_BEHIND && how->can_look >> k & 1;
        if (looks && segment_look_behind(p->stages[k].segment) != TCF_OK)
            return TCF_ERROR;
    }
    if (found == VERDICT_POST && segment_pass_without_post(p->stages[how->stage].segment) == OUTCOME_FAILED)
        return TCF_ERROR;
    return pipeline_drain(p, p->at + 1) == OUTCOME_FAILED ? TCF_ERROR : domain_send_letters(p);
}

/* Takes what has come, and sends what others wait for. Every few turns while the domain has something to run: it need
 * not know at once. */
static tcf_status look_at_letters(pipeline *p)
{
    if (letters_have_come(p->letters) && domain_take_letters(p) != TCF_OK)
        return TCF_ERROR;
    return letters_are_awaited(p->letters) ? domain_send_letters(p) : TCF_OK;
}

/* The verdict of all domains while this one waits in front of the end of a segment. *over: the segments of all domains
 * have come to their ends. */
static tcf_status follow_verdict(pipeline *p, uint32_t number, verdict found, int *over)
{
    segment *g = p->stages[number].segment;
    int moved;

    switch (found) {
    case VERDICT_TELL:
        return domain_tell_all(p);
    case VERDICT_LOOK:
        p->has_moved = 0;
        do
            if (look_for_empty_members(p, number, 1, &moved) != TCF_OK)
                return TCF_ERROR;
        while (moved && !p->rests && !segment_can_run(g));
        p->has_moved |= (uint8_t)moved;
        return TCF_OK;
    case VERDICT_LOOK_BEHIND:
    case VERDICT_POST:
        return clear_jam(p, found, &p->resting.behind);
    case VERDICT_CREDIT:
        exchange_raise_credit(segment_exchange(g));
        return TCF_OK;
    case VERDICT_GRANTED:
        return proceed(p, number) == TCF_OK ? domain_send_letters(p) : TCF_ERROR;
    case VERDICT_DONE:
        *over = 1;
        return TCF_OK;
    case VERDICT_STOP:
        p->domain->told = 1;
        return error_fail("interrupted");
    case VERDICT_STUCK:
        return error_fail("stage %u of the pipeline is stuck; please report this", number);
    case VERDICT_WATERMARK:
        domain_take_watermarks(p);
        return domain_take_letters(p) == TCF_OK ? tell_of_answers(p) : TCF_ERROR;
    case VERDICT_ROOM:
    case VERDICT_LETTERS:
    case VERDICT_BEAT:
    case VERDICT_LATER:
    default:
        return look_at_letters(p);
    }
}

/* Others may keep a domain waiting for long: who reads what it writes still gets what has passed, in time. */
static outcome beat_at_rest(pipeline *p, uint32_t number)
{
    if (!p->live || now_seconds() < p->next_beat)
        return OUTCOME_NOTHING;
    return pipeline_heartbeat(p) == TCF_OK ? pipeline_drain(p, number + 1) : OUTCOME_FAILED;
}

/* A domain has nothing to run in front of the end of a segment: it sends what others may wait for, and waits for
 * letters. When all domains do, what unstick() does in one domain is done in the domain that has the earliest event. */
static tcf_status rest(pipeline *p, uint32_t number)
{
    const outcome sent = beat_at_rest(p, number);
    if (sent != OUTCOME_NOTHING)
        return sent == OUTCOME_MOVED ? TCF_OK : TCF_ERROR;
    if (domain_send_letters(p) != TCF_OK)
        return TCF_ERROR;
    if (letters_have_come(p->letters))
        return domain_take_letters(p);
    int has_read;
    if (read_ahead(p, &has_read) != TCF_OK)
        return TCF_ERROR;
    if (has_read)
        return TCF_OK;
    resting how = {.has_moved = p->has_moved};
    segment_rest(p->stages[number].segment, &how);
    domain_rest(p, &how);
    return TCF_OK;
}

/* The segment has nothing to run. What comes behind it does what it can: at once, or a step between two looks for
 * letters. */
static outcome run_behind(pipeline *p, uint32_t number)
{
    if (!domain_has_spare_time(p))
        return pipeline_drain(p, number + 1);
    if (domain_send_letters(p) != TCF_OK)
        return OUTCOME_FAILED;
    if (!letters_have_come(p->letters))
        return backlog_step(p);
    return domain_take_letters(p) == TCF_OK ? OUTCOME_MOVED : OUTCOME_FAILED;
}

/* Behind a turn of a segment. */
static tcf_status follow_turn(pipeline *p, uint32_t number, segment_state state)
{
    if (state == SEGMENT_ERROR)
        return TCF_ERROR;
    if (!p->letters) {
        p->is_over = state == SEGMENT_DONE;
        return state == SEGMENT_STUCK ? unstick(p, number) : TCF_OK;
    }
    if (state == SEGMENT_RAN || state == SEGMENT_WANTS) {
        p->has_moved = 1;
        return TCF_OK;
    }
    if (state == SEGMENT_YIELDED)
        return TCF_OK;
    /* Letters to the segments behind may have come alone, and other domains wait for what these do. */
    const outcome behind = run_behind(p, number);
    if (behind == OUTCOME_FAILED)
        return TCF_ERROR;
    return behind == OUTCOME_MOVED ? TCF_OK : rest(p, number);
}

/* Behind a turn of the first segment, which may have more to run. */
static tcf_status keep_up(pipeline *p, uint32_t first, segment_state state)
{
    const int is_due = (p->turns & 63) == 0 || !segment_goes_on(state);

    return is_due && pipeline_drain(p, first + 1) == OUTCOME_FAILED ? TCF_ERROR : TCF_OK;
}

/* Runs the first segment until it has come to its end, or the domain rests. */
static tcf_status run_causal(pipeline *p)
{
    const uint32_t first = first_segment(p);
    const int may_wait = backlog_is_of_use(p);
    while (!p->is_over) {
        uint32_t wanted = UINT32_MAX;
        p->backlog.is_open = (uint8_t)may_wait;
        segment_state state = segment_turn(p->stages[first].segment, &wanted);
        p->backlog.is_open = 0;
        if (state == SEGMENT_WANTS && feed(p, first, wanted) != TCF_OK)
            return TCF_ERROR;
        if (follow_turn(p, first, state) != TCF_OK)
            return TCF_ERROR;
        if (p->is_over || p->rests)
            return TCF_OK;
        p->turns++;
        if ((may_wait ? backlog_limit(p) : keep_up(p, first, state)) != TCF_OK)
            return TCF_ERROR;
        if (p->letters && (p->turns & 7) == 0 && look_at_letters(p) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* Runs a segment until it has come to its end, or the domain rests: nothing more comes to it. */
static tcf_status finish_segment(pipeline *p, stage *st)
{
    while (!p->is_over) {
        uint32_t wanted;
        const segment_state state = segment_turn(st->segment, &wanted); /* what it wants doesn't come any more */
        if (follow_turn(p, st->number, state == SEGMENT_WANTS ? SEGMENT_STUCK : state) != TCF_OK)
            return TCF_ERROR;
        if (p->is_over || p->rests)
            return TCF_OK;
        if (poll_hooks(p) != TCF_OK || (p->letters && look_at_letters(p) != TCF_OK))
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* All answers have come: the filter of a stage releases what it holds. */
static tcf_status release_all(pipeline *p, stage *st)
{
    st->elsewhere = UINT64_MAX;
    for (uint64_t held; (held = st->n_held) > 0;) {
        if (st->filter->filter->flush(&st->filter->self) != TCF_OK)
            return error_while("making '%s' release what it holds", st->filter->self.name);
        if (pipeline_drain(p, st->number + 1) == OUTCOME_FAILED)
            return TCF_ERROR;
        if (st->n_held == held)
            return TCF_OK; /* which is the filter's mistake: see domains.c */
    }
    return TCF_OK;
}

/* Runs stage `at` and those behind it to their ends, or until the domain rests. */
static tcf_status run_domain(pipeline *p)
{
    for (; p->at < p->n_stages; p->at++, p->is_over = 0) {
        stage *st = &p->stages[p->at];
        const tcf_status status = p->at == first_segment(p)   ? run_causal(p)
                                  : st->kind == STAGE_SEGMENT ? finish_segment(p, st)
                                  : st->n_held > 0            ? release_all(p, st)
                                                              : TCF_OK;
        if (status != TCF_OK || p->rests)
            return status;
    }
    return finish_source(p); /* not before: it waits for the ends of streams, which may come when others go on */
}

tcf_status pipeline_go_on(pipeline *p, verdict found)
{
    const int reads = p->is_in_room && (found == VERDICT_GRANTED || (found == VERDICT_ROOM && p->resting.key == 0));

    if (found == VERDICT_BEAT) {
        p->resting.has_moved = 0; /* since it has rested */
        return now_seconds() < p->next_beat ? TCF_OK : pipeline_heartbeat(p);
    }
    p->rests = p->is_in_room = 0;
    p->granted = reads ? p->held_from / GRANTED_SHARE : 0;
    if ((reads ? read_for(p, p->at, p->wanted, location_for(p, p->at, p->wanted))
               : follow_verdict(p, p->at, found, &p->is_over)) != TCF_OK)
        return TCF_ERROR;
    return p->rests ? TCF_OK : run_domain(p);
}

tcf_status pipeline_finish(pipeline *p)
{
    for (uint32_t k = 0; k < p->n_stages; k++) {
        stage *st = &p->stages[k];
        p->is_over = 0;
        if (st->kind == STAGE_SEGMENT && !p->letters && finish_segment(p, st) != TCF_OK)
            return TCF_ERROR;
        pool_rest(p->pool); /* reports take memory, too */
        for (uint32_t i = 0; i < st->n_filters; i++)
            if (end_filter(st->filters[i]) != TCF_OK)
                return TCF_ERROR;
        if (finish_filter(st) != TCF_OK)
            return TCF_ERROR;
    }
    p->complete = 1;
    return TCF_OK;
}

tcf_status pipeline_begin(pipeline *p, uint32_t number)
{
    instance *f = &p->instances[number];

    if (f->filter->begin && f->filter->begin(&f->self) != TCF_OK)
        return error_while("starting '%s'", f->self.name);
    pipeline_set_changed(p);
    return TCF_OK;
}

tcf_status pipeline_check_chain(pipeline *p)
{
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *f = &p->instances[i];
        f->self.checking = 1;
        if (f->filter->begin && f->filter->begin(&f->self) != TCF_OK && !instance_awaits_survey(f))
            return error_while("starting '%s'", f->self.name);
        pipeline_set_changed(p);
    }
    return TCF_OK;
}

static tcf_status move_events(pipeline *p)
{
    if (p->defs->n_locations == 0 && finish_source(p) != TCF_OK)
        return TCF_ERROR;
    if (p->letters) {
        p->at = first_segment(p);
        return run_domain(p);
    }
    if (p->edges)
        return run_causal(p);
    if (p->waits_for_time)
        return run_together(p);
    return source_is_stream(p->source) ? run_as_it_comes(p) : run_sequential(p);
}

tcf_status pipeline_stream(pipeline *p)
{
    source *src = p->source;

    if (p->edges_only && p->matcher) {
        const source_wanted wanted = matcher_wanted(p->matcher);
        if (source_keep(src, &wanted) != TCF_OK)
            return TCF_ERROR;
    } else if (source_keep(src, NULL) != TCF_OK) {
        return TCF_ERROR;
    }
    source_on_idle(src, idle, p);
    return move_events(p);
}
