/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Making room when the pool of slices is dry: what holds slices gives them up, the mildest means first. */
#include "stages.h"

enum { WINDOWS_OF_PATIENCE = 4 };

/* Who asks for a slice in the middle of the chain has a filter on the stack: only what lies behind it, from stage
 * `first` on, may be called then. */

/* Lets the segments send what has passed of their slices, so that watermarks behind them move. */
static int send_parts(pipeline *p, uint32_t first)
{
    uint32_t all = 0, sent;
    for (uint32_t k = first; k < p->n_stages; k++) {
        if (p->stages[k].kind != STAGE_SEGMENT)
            continue;
        if (segment_send_parts(p->stages[k].segment, &sent) != TCF_OK)
            return -1;
        all += sent;
    }
    return all > 0;
}

uint64_t pipeline_slices_held(const stage *st)
{
    uint64_t n = 0;
    for (uint32_t l = 0; l < st->pipeline->session->defs->n_locations; l++)
        n += st->held[l];
    return n;
}

static int anything_held(const pipeline *p, uint32_t first)
{
    for (uint32_t k = first; k < p->n_stages; k++)
        if (p->stages[k].kind == STAGE_FILTER && pipeline_slices_held(&p->stages[k]) > 0)
            return 1;
    return 0;
}

static int give_up(pipeline *p, uint32_t first, uint64_t patience)
{
    for (uint32_t k = p->n_stages; k-- > first;)
        if (p->stages[k].kind == STAGE_SEGMENT && segment_give_up(p->stages[k].segment, patience))
            return 1;
    if (!p->matcher || patience > 0 || first > 0)
        return 0;
    for (uint32_t l = 0; l < p->session->defs->n_locations; l++)
        if (matcher_give_up(p->matcher, l))
            return 1;
    return 0;
}

/* Runs the segments from stage `first` on as far as they can go. -1: failed, 1: something moved. */
int pipeline_drain(pipeline *p, uint32_t first)
{
    int moved = 0;
    for (uint32_t k = first; k < p->n_stages; k++) {
        if (p->stages[k].kind != STAGE_SEGMENT)
            continue;
        uint32_t wanted;
        segment_state state;
        while ((state = segment_turn(p->stages[k].segment, &wanted)) == SEGMENT_RAN)
            moved = 1;
        if (state == SEGMENT_ERROR)
            return -1;
    }
    return moved;
}

/* What holders release may have to wait for more of it in a segment behind: goes on until a slice has come free.
 * -1: failed, 1: there is room, 0: nothing is held any more. */
int pipeline_flush(pipeline *p, uint32_t first)
{
    uint32_t available = pool_available(p->pool);
    for (uint32_t k = p->n_stages; k-- > first;) {
        stage *st = &p->stages[k];
        if (st->kind != STAGE_FILTER || !st->filter->filter->flush)
            continue;
        for (uint64_t held; (held = pipeline_slices_held(st)) > 0;) {
            if (st->filter->filter->flush(&st->filter->self) != TCF_OK) {
                tcf_while("making '%s' release what it holds", st->filter->self.name);
                return -1;
            }
            if (pipeline_drain(p, k + 1) < 0)
                return -1;
            if (pool_available(p->pool) > available)
                return 1;
            if (pipeline_slices_held(st) >= held)
                break;
        }
    }
    return 0;
}

/* Whoever has slices runs, in turn or not, until one has come free. -1: failed, 0: there is no more room than
 * before. */
static int run_others(pipeline *p, uint32_t first)
{
    uint32_t available = pool_available(p->pool);
    for (int moved = 1; moved && pool_available(p->pool) <= available;) {
        moved = 0;
        for (uint32_t k = first; k < p->n_stages; k++) {
            int here = 0;
            if (p->stages[k].kind == STAGE_SEGMENT && segment_run_others(p->stages[k].segment, &here) != TCF_OK)
                return -1;
            moved |= here;
        }
    }
    return pool_available(p->pool) > available;
}

/* Takes away what holds slices, the mildest means first. -1: failed, 0: nothing was left to do. */
static int relieve(pipeline *p, uint32_t first)
{
    int parts = send_parts(p, first);
    if (parts < 0)
        return -1;
    /* Who has waited while the window turned over several times waits in vain, most likely, and what is held back waits
     * for it. Before that, a partner may just be far behind: early release costs less than a lost edge. */
    if (anything_held(p, first) && give_up(p, first, (uint64_t)WINDOWS_OF_PATIENCE * p->n_blocks))
        return pipeline_drain(p, first) < 0 ? -1 : 1;
    int flushed = pipeline_flush(p, first);
    if (flushed != 0)
        return flushed;
    uint32_t before = pool_available(p->pool);
    int drained = pipeline_drain(p, first);
    if (drained < 0)
        return -1;
    if (drained > 0 && pool_available(p->pool) > before)
        return 1;
    int others = run_others(p, first);
    if (others != 0)
        return others;
    flushed = pipeline_flush(p, first); /* what has run by now may have come to a holder */
    if (flushed != 0)
        return flushed;
    if (!give_up(p, first, 0))
        return 0;
    return pipeline_drain(p, first) < 0 ? -1 : 1;
}

slice *pipeline_slice(pipeline *p, uint32_t location, uint32_t first)
{
    slice *s;
    while (!(s = slice_get(p->pool, location))) {
        int relieved = relieve(p, first);
        if (relieved < 0)
            return NULL;
        if (relieved == 0) {
            tcf_fail("all %llu KiB of slices are in use and none can be released: raise memory in [pipeline]",
                     (unsigned long long)(p->memory >> 10));
            return NULL;
        }
        p->released_early++;
    }
    return s;
}
