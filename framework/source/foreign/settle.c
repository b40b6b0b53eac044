/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Turns the sorted items of each location into enters, leaves and other events, and writes them as chains of blocks.
 *
 * A call whose end is known is left when something comes behind its end. Of two such calls that overlap, so that
 * neither is inside of the other, the later one goes to the next lane where it fits. Calls told by enter and leave, and
 * all other events, stay in the first lane. */
#include "foreign_internal.h"
#include "framework/base/error.h"

#include <tcflow/grow.h>

#include <otf2/OTF2_Events.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_END UINT64_MAX

/* A call that is open. */
typedef struct open_call {
    uint64_t limit; /* the earliest known end of this call and those around it; OPEN_END: none is known */
    uint32_t region;
    uint32_t is_entered; /* told by enter and leave */
} open_call;

typedef struct desk_lane {
    open_call *open;
    uint32_t depth, room;
    uint32_t used; /* bytes of the block at hand */
    lane chain;
    unsigned char block[BLOCK_BYTES];
} desk_lane;

/* The location at hand. */
typedef struct desk {
    gather *g;
    temporary *blocks;
    uint32_t location, n_lanes;
    desk_lane *lanes[MOST_LANES]; /* are used again for the next location */
    uint32_t *entered, n_entered; /* open calls told by enter: of each region, and all */
} desk;

/* --------------------------------------------------------------------------------------------------------- blocks --
 */

static tcf_status write_block(desk *d, desk_lane *l)
{
    const uint64_t at = d->blocks->bytes ? d->blocks->bytes : sizeof(block_head); /* offset 0 is no block */
    const block_head head = {0, l->used - sizeof head};

    if (head.bytes == 0)
        return TCF_OK;
    memcpy(l->block, &head, sizeof head);
    if (temporary_write(d->blocks, l->block, l->used, at) != TCF_OK)
        return TCF_ERROR;
    if (l->chain.last_block && temporary_write(d->blocks, &at, sizeof at, l->chain.last_block) != TCF_OK)
        return TCF_ERROR;
    if (!l->chain.first_block)
        l->chain.first_block = at;
    l->chain.last_block = at;
    l->used = sizeof head;
    return TCF_OK;
}

static tcf_status put(desk *d, desk_lane *l, const event *e)
{
    const size_t bytes = event_bytes(e->type);

    if (l->used + bytes > sizeof l->block && write_block(d, l) != TCF_OK)
        return TCF_ERROR;
    memcpy(l->block + l->used, e, bytes);
    l->used += (uint32_t)bytes;
    l->chain.n++;
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------------- calls --
 */

static uint64_t limit_of(const desk_lane *l)
{
    return l->depth > 0 ? l->open[l->depth - 1].limit : OPEN_END;
}

/* Takes the innermost call from the open ones. */
static uint32_t pop(desk *d, desk_lane *l)
{
    const open_call *o = &l->open[--l->depth];

    d->entered[o->region] -= o->is_entered;
    d->n_entered -= o->is_entered;
    return o->region;
}

static tcf_status leave(desk *d, desk_lane *l, uint64_t time)
{
    const event e = {.time = time, .what = pop(d, l), .type = EVENT_LEAVE};
    return put(d, l, &e);
}

/* `limit` is at most that of the calls around it. */
static tcf_status enter(desk *d, desk_lane *l, const event *call, uint64_t limit)
{
    const event e = {.time = call->time, .what = call->what, .type = EVENT_ENTER};

    if (l->depth == MOST_OPEN)
        return error_fail("more than %d calls are open at a time in '%s'", (int)MOST_OPEN,
                          d->g->texts[d->g->locations[d->location].name]);
    if (TCF_GROW(&l->open, &l->room, l->depth) != 0)
        return error_fail("out of memory for the open calls of a location");
    const open_call o = {limit, call->what, call->type == EVENT_ENTER};
    l->open[l->depth++] = o;
    d->entered[o.region] += o.is_entered;
    d->n_entered += o.is_entered;
    return put(d, l, &e);
}

/* Leaves the calls whose limit is below `time`; with `ends_now` also those for which it is `time`. */
static tcf_status leave_until(desk *d, desk_lane *l, uint64_t time, int ends_now)
{
    uint64_t limit;

    while ((limit = limit_of(l)) != OPEN_END && (limit < time || (limit == time && ends_now))) {
        d->g->lost.cut_calls += l->open[l->depth - 1].is_entered; /* the call around it has ended */
        if (leave(d, l, limit) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static desk_lane *add_lane(desk *d)
{
    desk_lane **l = &d->lanes[d->n_lanes];

    if (!*l && !(*l = calloc(1, sizeof **l))) {
        error_fail("out of memory for calls that overlap");
        return NULL;
    }
    (*l)->depth = 0;
    (*l)->used = sizeof(block_head);
    (*l)->chain = (lane){.location = d->location};
    d->n_lanes++;
    return *l;
}

static tcf_status take_call(desk *d, const event *e)
{
    desk_lane *l = NULL;

    for (uint32_t k = 0; k < d->n_lanes; k++) {
        l = d->lanes[k];
        if (leave_until(d, l, e->time, 1) != TCF_OK)
            return TCF_ERROR;
        if (limit_of(l) >= e->value)
            return enter(d, l, e, e->value);
    }
    if (d->n_lanes < MOST_LANES)
        return (l = add_lane(d)) ? enter(d, l, e, e->value) : TCF_ERROR;
    d->g->lost.cut_calls++;
    return enter(d, l, e, limit_of(l));
}

/* The innermost call that waits for a leave, of this region where one is stated: its depth; 0: none. Those that are
 * passed on the way are left with it. */
static uint32_t find_open(const desk *d, const desk_lane *l, uint32_t region)
{
    uint32_t depth = (region == TCF_NONE ? d->n_entered : d->entered[region]) > 0 ? l->depth : 0;

    while (depth > 0 && (!l->open[depth - 1].is_entered || (region != TCF_NONE && l->open[depth - 1].region != region)))
        depth--;
    return depth;
}

static tcf_status take_leave(desk *d, desk_lane *l, const event *e)
{
    const uint32_t depth = find_open(d, l, e->what);

    if (depth == 0 && e->what == TCF_NONE) {
        d->g->lost.stray_leaves++;
        return TCF_OK;
    }
    if (depth == 0)
        return put(d, l, e); /* as an archive would have it: filters know such leaves */
    while (l->depth > depth) {
        d->g->lost.cut_calls++;
        if (leave(d, l, e->time) != TCF_OK)
            return TCF_ERROR;
    }
    return leave(d, l, e->time);
}

static tcf_status take_item(desk *d, const item *i)
{
    desk_lane *first = d->lanes[0];

    if (i->e.type == EVENT_CALL)
        return take_call(d, &i->e);
    if (leave_until(d, first, i->e.time, i->e.type == EVENT_ENTER || i->e.type == EVENT_LEAVE) != TCF_OK)
        return TCF_ERROR;
    return i->e.type == EVENT_ENTER   ? enter(d, first, &i->e, limit_of(first))
           : i->e.type == EVENT_LEAVE ? take_leave(d, first, &i->e)
                                      : put(d, first, &i->e);
}

/* ------------------------------------------------------------------------------------------------------ locations --
 */

static tcf_status start_location(desk *d, uint32_t location)
{
    d->location = location;
    d->n_lanes = 0;
    return add_lane(d) ? TCF_OK : TCF_ERROR;
}

/* Calls without a known end stay open in the trace. */
static tcf_status end_lane(desk *d, desk_lane *l)
{
    const tcf_status status = leave_until(d, l, OPEN_END, 0);

    while (l->depth > 0)
        pop(d, l);
    return status == TCF_OK ? write_block(d, l) : TCF_ERROR;
}

static tcf_status end_location(desk *d)
{
    gather *g = d->g;
    foreign_location *l = &g->locations[d->location];

    l->first_lane = g->n_lanes;
    l->n_lanes = d->n_lanes;
    for (uint32_t k = 0; k < d->n_lanes; k++) {
        if (end_lane(d, d->lanes[k]) != TCF_OK)
            return TCF_ERROR;
        if (TCF_GROW(&g->lanes, &g->lanes_room, g->n_lanes) != 0)
            return error_fail("out of memory for the locations");
        g->lanes[g->n_lanes++] = d->lanes[k]->chain;
    }
    return TCF_OK;
}

/* Ends the location at hand, and all without events up to `location`, at which it begins. */
static tcf_status go_to(desk *d, uint32_t location)
{
    tcf_status status = TCF_OK;

    while (status == TCF_OK && d->location < location) {
        status = end_location(d);
        if (status == TCF_OK && d->location + 1 < d->g->n_locations)
            status = start_location(d, d->location + 1);
        else
            d->location++;
    }
    return status;
}

/* Counts messages, and what members do in collective operations, by whether their sizes are known. */
static void count_sizes(gather *g, const event *e)
{
    uint64_t bytes = e->value;

    switch ((enum event_type)e->type) {
    case EVENT_SEND:
    case EVENT_SEND_TO:
    case EVENT_ISEND_TO:
        break;
    case EVENT_COLLECTIVE_END:
    case EVENT_COLLECTIVE_COMPLETE:
        if (g->forms[e->what].operation == OTF2_COLLECTIVE_OP_BARRIER)
            return;
        bytes = g->forms[e->what].sent | g->forms[e->what].received;
        break;
    default:
        return;
    }
    *(bytes > 0 ? &g->sized : &g->unsized) += 1;
}

static tcf_status settle_all(desk *d)
{
    const item *i;
    uint64_t n = 0;
    tcf_status status = sorter_finish(d->g->items);

    if (d->g->n_locations == 0 || status != TCF_OK || start_location(d, 0) != TCF_OK)
        return d->g->n_locations == 0 ? status : TCF_ERROR;
    while (status == TCF_OK && (i = sorter_next(d->g->items, &status))) {
        if (++n % 4096 == 0 && source_is_interrupted(d->g->options->interrupted))
            return error_fail("interrupted");
        if (ranks_leave_out(d->g, &i->e))
            continue;
        count_sizes(d->g, &i->e);
        if (i->e.location != d->location)
            status = go_to(d, i->e.location);
        if (status == TCF_OK)
            status = take_item(d, i);
    }
    return status == TCF_OK ? go_to(d, d->g->n_locations) : status;
}

tcf_status settle(gather *g, temporary *blocks)
{
    desk *d = calloc(1, sizeof *d);

    if (d)
        d->entered = calloc(g->n_regions + 1ul, sizeof *d->entered);
    if (!d || !d->entered) {
        free(d);
        return error_fail("out of memory for the events");
    }
    d->g = g;
    d->blocks = blocks;
    tcf_status status = settle_all(d);
    for (uint32_t k = 0; k < MOST_LANES && d->lanes[k]; k++) {
        free(d->lanes[k]->open);
        free(d->lanes[k]);
    }
    free(d->entered);
    free(d);
    sorter_delete(g->items);
    g->items = NULL;
    return status;
}
