/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle compare A B`: are the events of two archives the same but for their times, and how far apart are these? What
 * moved backward is counted, and where B breaks a location's own order. */
#include "clocks.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool o_same_event(const struct o_location *a, const struct o_location *b, size_t e)
{
    const struct o_event *x = &a->event[e], *y = &b->event[e];
    if (x->kind != y->kind || x->n_values != y->n_values || x->n_attributes != y->n_attributes)
        return false;
    if (x->kind != O_BUFFER_FLUSH && memcmp(x->field, y->field, sizeof x->field))
        return false;
    size_t values = x->n_values * (x->kind == O_METRIC ? 2u : 1u) + 3u * x->n_attributes;
    return !values || !memcmp(a->extra + x->extra, b->extra + y->extra, values * sizeof *a->extra);
}

void o_compare_location(const struct o_location *a, const struct o_location *b, struct o_difference *d)
{
    for (size_t e = 0; e < a->n; e++) {
        uint64_t x = a->event[e].time, y = b->event[e].time;
        uint64_t size = x > y ? x - y : y - x;
        d->events++;
        d->moved += x != y;
        d->earlier += y < x;
        d->decreasing += e > 0 && y < b->event[e - 1].time;
        d->largest = size > d->largest ? size : d->largest;
        d->sum += y < x ? -(long double)size : (long double)size;
        d->squares += (long double)size * (long double)size;
    }
}

static const struct o_location *find_location(const struct o_trace *trace, uint64_t id)
{
    for (size_t l = 0; l < trace->n_locations; l++)
        if (trace->location[l].def.id == id)
            return &trace->location[l];
    return NULL;
}

/* The first event in which they differ, O_NONE: none. */
static size_t first_difference(const struct o_location *a, const struct o_location *b)
{
    size_t e = 0;
    while (e < a->n && e < b->n && o_same_event(a, b, e))
        e++;
    return e == a->n && e == b->n ? O_NONE : e;
}

bool o_same_events(const struct o_trace *a, const struct o_trace *b)
{
    bool same = true;
    for (size_t l = 0; l < a->n_locations; l++) {
        const struct o_location *other = find_location(b, a->location[l].def.id);
        size_t at = other ? first_difference(&a->location[l], other) : 0;
        if (at != O_NONE)
            printf("different,%" PRIu64 ",%zu\n", a->location[l].def.id, at);
        same = same && at == O_NONE;
    }
    for (size_t l = 0; l < b->n_locations; l++)
        if (!find_location(a, b->location[l].def.id)) {
            printf("different,%" PRIu64 ",0\n", b->location[l].def.id);
            same = false;
        }
    return same;
}

static void print_difference(const struct o_difference *d)
{
    long double n = d->events ? (long double)d->events : 1;
    printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.3Lf,%.3Lf\n", d->events, d->moved, d->earlier,
           d->decreasing, d->largest, d->sum / n, sqrtl(d->squares / n));
}

int o_print_comparison(const struct o_trace *a, const struct o_trace *b)
{
    if (!o_same_events(a, b))
        return 1;
    struct o_difference all = {0};
    puts("#compare,location,events,moved,earlier,decreasing,largest,mean,rms");
    for (size_t l = 0; l < a->n_locations; l++) {
        const struct o_location *other = find_location(b, a->location[l].def.id);
        struct o_difference here = {0};
        o_compare_location(&a->location[l], other, &here);
        o_compare_location(&a->location[l], other, &all);
        printf("compare,%" PRIu64 ",", a->location[l].def.id);
        print_difference(&here);
    }
    fputs("compare,all,", stdout);
    print_difference(&all);
    return 0;
}
