/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reclaims slices when the pool is empty, by the mildest means first: filters release what they hold, segments send
 * what has passed, and at last events go on as unmatched. */
#include "domains.h"
#include "stages.h"

enum { WINDOWS_OF_PATIENCE = 4 };

/* A slice may be asked for in a filter's callback, in the middle of the chain. Then that filter must not be called
 * again: only stages from `first` on, behind it, may be called. */

/* The segments send the events of their slices that have passed, so that watermarks behind them move. */
static tcf_status send_parts(pipeline *p, uint32_t first)
{
    for (uint32_t k = first; k < p->n_stages; k++) {
        if (p->stages[k].kind != STAGE_SEGMENT)
            continue;
        if (segment_send_parts(p->stages[k].segment) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static int anything_held(const pipeline *p, uint32_t first)
{
    for (uint32_t k = first; k < p->n_stages; k++)
        if (p->stages[k].kind == STAGE_FILTER && p->stages[k].n_held > 0)
            return 1;
    return 0;
}

static outcome proceed(pipeline *p, uint32_t first, uint64_t patience)
{
    for (uint32_t k = p->n_stages; k-- > first;) {
        stage *st = &p->stages[k];
        outcome released = st->kind == STAGE_SEGMENT ? segment_proceed(st->segment, patience) : OUTCOME_NOTHING;
        if (released != OUTCOME_NOTHING)
            return released;
    }
    if (!p->matcher || patience > 0 || first > 0)
        return OUTCOME_NOTHING;
    for (uint32_t l = 0; l < p->defs->n_locations; l++)
        if (matcher_close_oldest(p->matcher, l))
            return OUTCOME_MOVED;
    return OUTCOME_NOTHING;
}

/* Runs a segment until it can't go on without further slices or letters. */
static outcome drain_segment(const pipeline *p, segment *g)
{
    uint32_t wanted;
    int moved = 0;
    for (;;) {
        const segment_state state = segment_turn(g, &wanted);
        if (state == SEGMENT_ERROR)
            return OUTCOME_FAILED;
        moved |= state == SEGMENT_RAN;
        const outcome cleared = state == SEGMENT_STUCK && !p->letters ? segment_clear_jam(g) : OUTCOME_NOTHING;
        if (cleared == OUTCOME_FAILED)
            return OUTCOME_FAILED;
        if (!segment_goes_on(state) && cleared == OUTCOME_NOTHING)
            return moved ? OUTCOME_MOVED : OUTCOME_NOTHING;
    }
}

outcome pipeline_drain(pipeline *p, uint32_t first)
{
    int moved = 0;
    for (uint32_t k = first; k < p->n_stages; k++) {
        const outcome here =
            p->stages[k].kind == STAGE_SEGMENT ? drain_segment(p, p->stages[k].segment) : OUTCOME_NOTHING;
        if (here == OUTCOME_FAILED)
            return OUTCOME_FAILED;
        moved |= here == OUTCOME_MOVED;
    }
    return moved ? OUTCOME_MOVED : OUTCOME_NOTHING;
}

/* Makes the holders from stage `first` on release until a slice has come free: what they release may wait in a segment
 * behind for more of it. */
static outcome flush_holders(pipeline *p, uint32_t first)
{
    uint32_t available = pool_available(p->pool);
    for (uint32_t k = p->n_stages; k-- > first;) {
        stage *st = &p->stages[k];
        if (st->kind != STAGE_FILTER || !st->filter->filter->flush)
            continue;
        for (uint64_t held; (held = st->n_held) > 0;) {
            if (st->filter->filter->flush(&st->filter->self) != TCF_OK) {
                error_while("making '%s' release what it holds", st->filter->self.name);
                return OUTCOME_FAILED;
            }
            if (pipeline_drain(p, k + 1) == OUTCOME_FAILED)
                return OUTCOME_FAILED;
            if (pool_available(p->pool) > available)
                return OUTCOME_MOVED;
            if (st->n_held >= held)
                break;
        }
    }
    return OUTCOME_NOTHING;
}

/* Runs locations that have slices, in turn or not, until a slice has come free. */
static outcome run_others(pipeline *p, uint32_t first)
{
    uint32_t available = pool_available(p->pool);
    for (int moved = 1; moved && pool_available(p->pool) <= available;) {
        moved = 0;
        for (uint32_t k = first; k < p->n_stages; k++) {
            stage *st = &p->stages[k];
            outcome here = st->kind == STAGE_SEGMENT ? segment_run_others(st->segment) : OUTCOME_NOTHING;
            if (here == OUTCOME_FAILED)
                return OUTCOME_FAILED;
            moved |= here == OUTCOME_MOVED;
        }
    }
    return pool_available(p->pool) > available ? OUTCOME_MOVED : OUTCOME_NOTHING;
}

/* Lets events go on as unmatched, and runs the segments. */
static outcome proceed_and_drain(pipeline *p, uint32_t first, uint64_t patience)
{
    outcome released = proceed(p, first, patience);
    return released == OUTCOME_MOVED && pipeline_drain(p, first) == OUTCOME_FAILED ? OUTCOME_FAILED : released;
}

static outcome reclaim(pipeline *p, uint32_t first)
{
    if (first <= p->at && p->backlog.n > 0) /* else it is called from behind the segment */
        return backlog_pass(p) == TCF_OK ? OUTCOME_MOVED : OUTCOME_FAILED;
    if (send_parts(p, first) != TCF_OK)
        return OUTCOME_FAILED;
    outcome done = OUTCOME_NOTHING;
    /* An event that has waited while the window turned over several times has most likely no partner, and slices are
     * held since it waits. Before that its partner may just be far behind: an early release costs less than a lost
     * edge. */
    if (anything_held(p, first))
        done = proceed_and_drain(p, first, (uint64_t)WINDOWS_OF_PATIENCE * p->n_blocks);
    if (done == OUTCOME_NOTHING)
        done = flush_holders(p, first);
    if (done != OUTCOME_NOTHING)
        return done;
    uint32_t before = pool_available(p->pool);
    done = pipeline_drain(p, first);
    if (done == OUTCOME_FAILED || (done == OUTCOME_MOVED && pool_available(p->pool) > before))
        return done;
    done = run_others(p, first);
    if (done == OUTCOME_NOTHING)
        done = flush_holders(p, first); /* slices may have moved on to a filter that holds */
    return done == OUTCOME_NOTHING ? proceed_and_drain(p, first, 0) : done;
}

static uint64_t count_held(const pipeline *p)
{
    uint64_t held = 0;

    for (uint32_t k = 0; k < p->n_stages; k++)
        held += p->stages[k].n_held;
    return held;
}

int pipeline_holds_too_much(const pipeline *p)
{
    enum { SHARE = 8 };
    const uint32_t used = p->n_blocks - pool_available(p->pool);

    return used >= p->held_from && count_held(p) >= used / SHARE;
}

/* What filters hold is how far the first segment is ahead of the ones behind in any case. */
int pipeline_runs_ahead(pipeline *p)
{
    enum { MANY_DOMAINS = 4, PARTS = 3, OF = 4 };
    uint64_t behind = 0;

    if (p->n_segments < 2 || !p->letters || domains_here(p) < MANY_DOMAINS)
        return 0;
    const uint64_t held = count_held(p);
    p->most_held = held > p->most_held ? held : p->most_held;
    for (uint32_t k = p->at + 1; k < p->n_stages; k++)
        behind += p->stages[k].kind == STAGE_SEGMENT ? segment_slices(p->stages[k].segment) : 0;
    return p->most_held > 0 && behind > p->most_held * PARTS / OF;
}

slice *pipeline_slice(pipeline *p, uint32_t location, slice_size size, uint32_t first)
{
    slice *s;
    if (pipeline_holds_too_much(p)) {
        const uint64_t held = count_held(p);
        if (flush_holders(p, first) == OUTCOME_FAILED)
            return NULL;
        p->released_early += count_held(p) < held; /* a segment behind may still have what was released */
    }
    while (!(s = slice_get_sized(p->pool, location, size))) {
        outcome reclaimed = reclaim(p, first);
        if (reclaimed == OUTCOME_FAILED)
            return NULL;
        if (reclaimed == OUTCOME_NOTHING) {
            error_fail("all %llu KiB of slices are in use and none can be released: raise memory in [pipeline]",
                       (unsigned long long)(p->memory >> 10));
            return NULL;
        }
        p->released_early++;
    }
    return s;
}
