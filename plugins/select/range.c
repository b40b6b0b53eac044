/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The time range: reads `from` and `to` (ticks, seconds from the start of the trace, or percent of its length), and
 * turns them into ticks of each location's clock, by the archive's clock offsets if the user wants that. */
#include "../shared/numbers/number.h"
#include "select.h"

#include <errno.h>
#include <inttypes.h>
#include <private/extent_host.h>
#include <private/time_units.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/times.h>

static tcf_status bad_bound(tcf_self *self, const char *key, const char *text)
{
    return self->host->fail(self,
                            "%s = %s: expected seconds from the start of the trace (1.5s, 20ms, 3us, 100ns, 2min), "
                            "percent of its length (25%%), or a timestamp (5000000 ticks)",
                            key, text);
}

static tcf_status parse(tcf_self *self, const char *key, const char *text, bound *to)
{
    char *end;

    *to = (bound){.unit = BOUND_NONE};
    if (!text || !*text)
        return TCF_OK;
    size_t n = number_at(text, &to->value);
    const char *unit = text + n + strspn(text + n, " ");
    if (n == 0)
        return bad_bound(self, key, text);
    if (*unit == '\0' && to->value != 0)
        return self->host->fail(self,
                                "%s = %s lacks a unit: %ss and %s%% count from the start of the trace, %s ticks is a "
                                "timestamp",
                                key, text, text, text, text);
    if (*unit == '\0' || strcmp(unit, "ticks") == 0) {
        errno = 0;
        to->ticks = strtoull(text, &end, 10);
        if (end != text + n)
            return bad_bound(self, key, text);
        if (errno == ERANGE)
            return self->host->fail(self, "%s = %s: more than 64 bits can hold", key, text);
        to->unit = BOUND_TICKS;
        return TCF_OK;
    }
    if (strcmp(unit, "%") == 0) {
        if (to->value > 100)
            return self->host->fail(self, "%s = %s: more than 100%%", key, text);
        to->unit = BOUND_PERCENT;
        return TCF_OK;
    }
    if (!tcf_time_from(unit, 1, &to->value))
        return bad_bound(self, key, text);
    to->unit = BOUND_SECONDS;
    return TCF_OK;
}

tcf_status range_parse(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;

    if (parse(self, "from", c->from, &st->from) != TCF_OK || parse(self, "to", c->to, &st->to) != TCF_OK)
        return TCF_ERROR;
    st->range = st->from.unit != BOUND_NONE || st->to.unit != BOUND_NONE;
    if (st->range && c->messages == MESSAGES_DROP)
        return self->host
            ->fail(self, "messages = drop is not possible together with a time range (from, to), for whether the "
                         "other end of a message lies in the range is not known when the first one passes: put "
                         "the filter whole_messages behind this one, it drops what is left of messages cut in "
                         "half");
    return TCF_OK;
}

/* From when to when the trace goes, in ticks since its stated start. Where its events don't show it: as it states. */
static tcf_status find_extent(tcf_self *self, const char *key, double *from, double *length)
{
    const tcf_extent_host *host = tcf_extent_host_of(self);
    const tcf_clock *clock = &self->defs->clock;
    int64_t first, last;

    if (host && host->extent(self, &first, &last)) {
        *from = (double)first;
        *length = (double)tcf_offset_difference(last, first);
        return TCF_OK;
    }
    if (clock->length == 0)
        return self->host
            ->refuse(self, "%s: percent needs the length of the trace, but the input says 0; give seconds or ticks",
                     key);
    *from = 0;
    *length = (double)clock->length;
    return TCF_OK;
}

/* Turns a bound into ticks of the global clock. */
static tcf_status ticks_of(tcf_self *self, const char *key, const bound *b, uint64_t none, uint64_t *ticks)
{
    const tcf_clock *clock = &self->defs->clock;
    double distance = 0, from = 0, length = 0;

    switch (b->unit) {
    case BOUND_NONE:
        *ticks = none;
        return TCF_OK;
    case BOUND_TICKS:
        *ticks = b->ticks;
        return TCF_OK;
    case BOUND_SECONDS:
        distance = b->value * (double)clock->resolution;
        break;
    case BOUND_PERCENT:
        if (find_extent(self, key, &from, &length) != TCF_OK)
            return TCF_ERROR;
        distance = from + b->value / 100 * length;
        break;
    }
    if (distance >= (double)(UINT64_MAX - clock->global_offset))
        *ticks = UINT64_MAX;
    else if (distance < 0)
        *ticks = tcf_time_shifted(clock->global_offset, tcf_offset_of(distance));
    else
        *ticks = clock->global_offset + (uint64_t)(distance + 0.5);
    return TCF_OK;
}

/* The first local time that is corrected to `global` or later. */
static uint64_t local_time(const tcf_location *l, uint64_t global)
{
    uint64_t low = 0, high = INT64_MAX / 4; /* no sum overflows */

    if (l->n_clock_offsets == 0 || global > INT64_MAX / 4)
        return global;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (tcf_global_time(l, middle) < (int64_t)global)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

tcf_status range_set(tcf_self *self)
{
    const conf *c = self->conf;
    const state *st = self->state;
    uint64_t from, to;

    if (ticks_of(self, "from", &st->from, 0, &from) != TCF_OK ||
        ticks_of(self, "to", &st->to, UINT64_MAX, &to) != TCF_OK)
        return TCF_ERROR;
    if (from > to)
        return self->host->refuse(self,
                                  "the time range ends (to = %s, tick %" PRIu64 ") before it begins (from = %s, tick "
                                  "%" PRIu64 ")",
                                  c->to, to, c->from, from);
    int offsets = c->clock_offsets && !(self->changed & TCF_WRITES_CLOCK); /* else a filter in front has applied them */
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        place *p = tcf_location_state(self, l);
        const tcf_location *location = tcf_location_at(self->defs, l);
        p->from = from;
        p->to = to;
        if (offsets && st->from.unit != BOUND_NONE)
            p->from = local_time(location, from);
        if (offsets && st->to.unit != BOUND_NONE && to < INT64_MAX) {
            uint64_t behind = local_time(location, to + 1);
            p->to = behind > 0 ? behind - 1 : 0;
        }
        p->phase = st->from.unit == BOUND_NONE ? INSIDE : BEFORE;
        if (p->to < p->from) /* the range lies between two of its ticks */
            p->phase = BEHIND;
    }
    return TCF_OK;
}
