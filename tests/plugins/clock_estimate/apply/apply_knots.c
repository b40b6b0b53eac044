/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* For tests: applies the knots that a survey has left, in the plainest way. */
#include <tcflow/clocks.h>

#include <math.h>

struct knots {
    const tcf_clock_knot *first;
    uint64_t n, at;
    uint64_t last;
};

static tcf_status apply_begin(tcf_self *self)
{
    uint64_t n;
    const tcf_clock_knot *knot = self->host->learned(self, TCF_CLOCK_KNOTS, sizeof *knot, &n);
    if (!knot)
        return self->host->fail(self, "there are no knots; this filter wants 'survey = clock_estimate'");
    for (uint64_t i = 0; i < n; i++) {
        struct knots *k = tcf_location_state(self, knot[i].location);
        if (k->n++ == 0)
            k->first = &knot[i];
    }
    return TCF_OK;
}

static uint64_t corrected(struct knots *k, uint64_t time)
{
    const tcf_clock_knot *a = k->first;
    if (k->n < 2)
        return k->n ? time + (uint64_t)a->offset : time;
    while (k->at + 2 < k->n && a[k->at + 1].time <= time)
        k->at++;
    a += k->at;
    double slope = (double)(a[1].offset - a[0].offset) / (double)(a[1].time - a[0].time);
    return time + (uint64_t)(a->offset + llrint(slope * (double)(int64_t)(time - a->time)));
}

static tcf_status apply_slice(tcf_self *self, tcf_slice *s)
{
    struct knots *k = tcf_location_state(self, s->location);
    for (uint32_t i = 0; i < s->n; i++) {
        s->time[i] = corrected(k, s->time[i]);
        if (s->time[i] < k->last) /* rounding at a knot */
            s->time[i] = k->last;
        k->last = s->time[i];
    }
    return TCF_OK;
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "apply_knots",
    .version = "1.0",
    .summary = "Applies the knots of a survey",
    .location_size = sizeof(struct knots),
    .writes = TCF_WRITES_TIME | TCF_WRITES_CLOCK,
    .begin = apply_begin,
    .slice = apply_slice,
};
