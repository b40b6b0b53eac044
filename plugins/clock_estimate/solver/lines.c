/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The line between two clocks that the messages of both directions leave room for (Duda et al. 1987). The offset of the
 * clocks changes at a constant rate. Messages of one direction bound it from below, those of the other from above. */
#include "problem.h"

#include <math.h>

/* The largest difference of rates. */
static const double most_slope = 0.01;
/* Of the rates that fit all messages, those which exceed the least one by more than this, and by a factor of two, are
 * unlikely. */
static const double likely_room = 1e-3;
enum { ROUNDS = 40 };

/* The room for lines of one slope. */
struct room {
    double slope;
    double room;     /* between the bounds; less than 0: there is none */
    double change;   /* of the room, with the slope */
    double constant; /* of the line in the middle */
};

/* The room is a concave function of the slope: the least room between any two bounds. */
static struct room room_for(const struct bounds *b, uint32_t from, uint32_t to, double slope)
{
    double upper = INFINITY, lower = -INFINITY, upper_at = 0, lower_at = 0;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        uint32_t there = bounds_find(b, from, to, (enum kind)kind), back = bounds_find(b, to, from, (enum kind)kind);
        const struct pair *p = there == NO_PAIR ? NULL : &b->pair[there];
        for (uint32_t i = 0; p && i < p->n; i++) {
            double at = (double)p->point[i].sent, x = -(double)bounds_delay(&p->point[i]) - slope * at;
            lower_at = x > lower ? at : lower_at;
            lower = x > lower ? x : lower;
        }
        p = back == NO_PAIR ? NULL : &b->pair[back];
        for (uint32_t i = 0; p && i < p->n; i++) {
            double at = (double)p->point[i].received, x = (double)bounds_delay(&p->point[i]) - slope * at;
            upper_at = x < upper ? at : upper_at;
            upper = x < upper ? x : upper;
        }
    }
    return (struct room){slope, upper - lower, lower_at - upper_at, (upper + lower) / 2};
}

/* The first slope with room, from a slope without any towards `end`, by Newton's method, which doesn't overshoot,
 * because room is concave. If there is none, about the slope with the most room. */
static struct room first_with_room(const struct bounds *b, uint32_t from, uint32_t to, struct room r, double end)
{
    double length = (double)(b->unit[from].last - b->unit[from].first);
    for (uint32_t i = 0; i < ROUNDS && r.room < -1 && fabs(end - r.slope) * length > -r.room / 2; i++) {
        double next = r.change != 0 ? r.slope - r.room / r.change : end;
        if (!((next - r.slope) * (end - r.slope) > 0) || fabs(next - r.slope) >= fabs(end - r.slope))
            next = (r.slope + end) / 2;
        struct room n = room_for(b, from, to, next);
        if (n.room < -1 && n.change * (end - r.slope) < 0)
            end = next; /* there was less before that */
        else
            r = n;
    }
    return r;
}

int line_between(const struct bounds *b, uint32_t from, uint32_t to, double *constant, double *slope)
{
    struct room r = room_for(b, from, to, 0);
    *slope = 0;
    if (!isfinite(r.room) || r.room >= 0 || r.change == 0)
        return 0;
    double end = r.change > 0 ? most_slope : -most_slope;
    struct room far = room_for(b, from, to, end), near = first_with_room(b, from, to, r, end);
    if (near.room >= -1) {
        if (far.room < -1)
            far = first_with_room(b, from, to, far, near.slope);
        double needed = fabs(near.slope), likely = fmin(fabs(far.slope), needed + fmax(needed, likely_room));
        near = room_for(b, from, to, copysign((needed + likely) / 2, end));
    }
    *slope = near.slope;
    *constant = near.constant;
    return 1;
}
