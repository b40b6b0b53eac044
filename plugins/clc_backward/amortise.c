/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

#include "amortise.h"

#include <tcflow/grow.h>

#include <stdlib.h>

static int add(polyline *p, uint64_t x, uint64_t w)
{
    if (TCF_GROW(&p->at, &p->capacity, p->n) != 0)
        return -1;
    p->at[p->n++] = (knot){x, w};
    return 1;
}

int polyline_begin(polyline *p, uint64_t x0, uint64_t x1, uint64_t delta)
{
    p->x0 = x0;
    p->x1 = x1;
    p->delta = delta;
    p->room = UINT64_MAX;
    p->n = 0;
    p->limited = 0;
    return add(p, x1, delta);
}

int polyline_source(polyline *p, uint64_t x, uint64_t room)
{
    uint64_t line = polyline_line(p, x);
    p->room = room < p->room ? room : p->room;
    p->limited |= p->room < line;
    uint64_t w = p->room < line ? p->room : line;
    if (p->at[p->n - 1].x == x) /* of equal times the first source counts, which has the least */
        p->at[p->n - 1].w = w;
    else if (add(p, x, w) < 0)
        return -1;
    return w > 0;
}

int polyline_end(polyline *p)
{
    return p->at[p->n - 1].w > 0 ? add(p, p->x0, 0) : 1;
}

void polyline_free(polyline *p)
{
    free(p->at);
    p->at = NULL;
}

/* Between knots i + 1 and i. */
static inline uint64_t offset_between(const knot *left, const knot *right, uint64_t x)
{
    return left->w + share_of(right->w - left->w, x - left->x, right->x - left->x);
}

uint64_t polyline_offset(const polyline *p, uint64_t x)
{
    uint32_t i = 0;
    if (x >= p->at[0].x)
        return p->at[0].w;
    while (i + 2 < p->n && x <= p->at[i + 1].x)
        i++;
    return offset_between(&p->at[i + 1], &p->at[i], x);
}

/* Moves the end of a flush as an event at that time would move, at most as the event behind the flush, at `next`. An
 * end before the begin moves with the flush's event. */
static void move_stop(const polyline *p, tcf_ev_buffer_flush *flush, uint64_t time, uint64_t by, uint64_t next)
{
    uint64_t stop = flush->stop_time, at = stop < next ? stop : next;
    if (stop >= time)
        by = at > polyline_start(p) ? polyline_offset(p, at) : 0;
    flush->stop_time = stop + by < stop ? UINT64_MAX : stop + by;
}

int polyline_apply(polyline_sweep *sweep, tcf_slice *s, uint32_t n)
{
    const polyline *p = sweep->line;
    uint64_t *time = s->time, moved = 0, behind = sweep->next;
    uint32_t i = n, k = sweep->piece;
    for (; k + 1 < p->n; k++) {
        const knot left = p->at[k + 1], right = p->at[k];
        for (; i > 0 && time[i - 1] > left.x; i--) {
            uint64_t by = offset_between(&left, &right, time[i - 1]);
            if (s->kind[i - 1] == TCF_BUFFER_FLUSH)
                move_stop(p, &s->rec[i - 1].buffer_flush, time[i - 1], by, behind);
            behind = time[i - 1];
            time[i - 1] += by;
            moved += by > 0;
        }
        if (i == 0)
            break;
    }
    sweep->piece = k;
    sweep->next = behind;
    sweep->moved += moved;
    if (i == 0)
        return 1;
    /* The first event that stays may be a flush that ends behind the start. */
    if (s->kind[i - 1] == TCF_BUFFER_FLUSH && s->rec[i - 1].buffer_flush.stop_time >= time[i - 1])
        move_stop(p, &s->rec[i - 1].buffer_flush, time[i - 1], 0, behind);
    return 0;
}
