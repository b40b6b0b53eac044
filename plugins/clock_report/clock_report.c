/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* clock_report: what a correction of clocks has done. It stands behind the filters that move events and compares the
 * times that arrive with those that the source read: violations of the clock condition before and after, corrections
 * over time, the largest ones, how intervals were distorted, and what uncertainty is left.
 *
 * Per event it costs one loop over two columns (corrections.c), per edge a payload (order.c). Nothing grows with the
 * length of the trace: `buckets` entries a location, counters for the rest. */
#include "clock_report.h"

#include <math.h>
#include <stdlib.h>

static tcf_status clock_report_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    struct report *r = self->state;
    const struct conf *conf = self->conf;
    struct location *l = tcf_location_state(self, s->location);
    const uint64_t *raw = s->columns[r->raw_column];
    corrections_add(l, &r->intervals, (uint32_t)conf->buckets, s, raw, from, to);
    if (from == 0)
        l->edge = 0;
    for (; l->edge < s->n_edges && s->edges[l->edge].pos < to; l->edge++)
        order_pass_edge(self, s, raw, &s->edges[l->edge]);
    return TCF_OK;
}

/* Keeps what the survey has learned of the clocks. It holds for the times here only when a filter in front has applied
 * it. The survey's table may be replaced before the end. */
static tcf_status keep_sources(tcf_self *self)
{
    struct report *r = self->state;
    uint64_t n;
    const tcf_clock_source *rows = self->host->learned(self, TCF_CLOCK_SOURCES, sizeof *rows, &n);
    uint32_t locations = self->defs->n_locations;
    if (!rows || !(self->changed & TCF_WRITES_CLOCK))
        return TCF_OK;
    if (!(r->sources = malloc((locations + 1u) * sizeof *r->sources)))
        return self->host->fail(self, "out of memory for the clocks of %u locations", locations);
    for (uint32_t k = 0; k < locations; k++)
        r->sources[k] = (tcf_clock_source){.location = k,
                                           .error = (double)INFINITY,
                                           .likely = (double)INFINITY,
                                           .component = TCF_NONE,
                                           .clock = TCF_NONE,
                                           .origin = TCF_CLOCK_ORIGINS};
    for (uint64_t i = 0; i < n; i++)
        if (rows[i].location < locations)
            r->sources[rows[i].location] = rows[i];
    return TCF_OK;
}

/* Moves of a survey aren't those of this chain, whose filters report theirs in end(). */
static tcf_status forget_moves(tcf_self *self)
{
    const tcf_clock_move none = {0};
    uint64_t n;
    return self->host->learned(self, TCF_CLOCK_MOVES, sizeof none, &n)
               ? self->host->learn(self, TCF_CLOCK_MOVES, sizeof none, &none, 0)
               : TCF_OK;
}

static tcf_status clock_report_begin(tcf_self *self)
{
    struct report *r = self->state;
    const struct conf *conf = self->conf;
    size_t each = (size_t)conf->buckets;
    r->raw_column = self->host->column(self, TCF_TIME_RAW);
    r->buckets = calloc(self->defs->n_locations + 1u, each * sizeof *r->buckets);
    if (!r->buckets)
        return self->host->fail(self, "out of memory for %zu buckets of each of %u locations", each,
                                self->defs->n_locations);
    for (uint32_t k = 0; k < self->defs->n_locations; k++)
        ((struct location *)tcf_location_state(self, k))->bucket = r->buckets + k * each;
    return forget_moves(self) == TCF_OK && keep_sources(self) == TCF_OK ? order_begin(self) : TCF_ERROR;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

static tcf_status clock_report_pack(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const struct report *r = self->state;
    const struct conf *conf = self->conf;
    host->put(pack, r->tally, sizeof r->tally);
    host->put(pack, &r->intervals, sizeof r->intervals);
    host->put(pack, &r->messages, sizeof r->messages);
    host->put(pack, &r->alone, sizeof r->alone);
    const uint32_t none = TCF_NONE;
    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        const struct location *l = tcf_location_state(self, k);
        if (!host->has(self, k))
            continue;
        host->put(pack, &k, sizeof k);
        host->put(pack, l, sizeof *l);
        host->put(pack, l->bucket, (size_t)conf->buckets * sizeof *l->bucket);
    }
    host->put(pack, &none, sizeof none);
    return TCF_OK;
}

static tcf_status clock_report_absorb(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    struct report *r = self->state;
    const struct conf *conf = self->conf;
    struct distortion distortion;
    uint64_t alone;
    for (uint32_t c = 0; c < CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++) {
            struct tally more;
            host->take(pack, &more, sizeof more);
            condition_add(&r->tally[c][d].raw, &more.raw);
            condition_add(&r->tally[c][d].now, &more.now);
        }
    host->take(pack, &distortion, sizeof distortion);
    distortion_join(&r->intervals, &distortion);
    host->take(pack, &distortion, sizeof distortion);
    distortion_join(&r->messages, &distortion);
    host->take(pack, &alone, sizeof alone);
    r->alone += alone;
    for (uint32_t k; host->take(pack, &k, sizeof k), k < self->defs->n_locations;) {
        struct location *l = tcf_location_state(self, k);
        struct spread *bucket = l->bucket;
        host->take(pack, l, sizeof *l);
        l->bucket = bucket;
        host->take(pack, bucket, (size_t)conf->buckets * sizeof *bucket);
    }
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------- begin, end -- */

static void clock_report_fini(tcf_self *self, int complete)
{
    struct report *r = self->state;
    (void)complete;
    free(r->comm_distance);
    free(r->buckets);
    free(r->sources);
}

static const tcf_param params[] = {
    TCF_PARAM(struct conf, mu, TCF_DURATION, "0",
              "Minimum delay of messages and collective operations, for the columns `below_minimum`; 0: what the "
              "survey has learned. Among the threads of a process it is what was learned, else 0",
              .min = "0"),
    TCF_PARAM(struct conf, buckets, TCF_INT, "16",
              "Into how many stretches of time the corrections of a location are cut, at most; the longest location "
              "has at least half of them. 32 bytes each, for every location",
              .min = "1", .max = "65536", .unit = "buckets"),
    TCF_PARAM(struct conf, worst, TCF_INT, "10", "Length of the list of the largest corrections, one of each location",
              .min = "0", .max = "1000000", .unit = "entries"),
};

static const tcf_named_column requires[] = {{.name = TCF_TIME_RAW, .bytes = sizeof(uint64_t)}};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "clock_report",
    .version = "1.0",
    .summary = "Reports what a correction of clocks has done, and what uncertainty is left",
    .topic = TCF_TOPIC_CLOCKS,
    .help =
        "Stands behind the filters that correct times and compares the times that arrive with those that were read. It "
        "waits for both sides of a message, a writer in front of it doesn't. "
        "Tables: a verdict; violations of the clock condition by class, before and after, at a minimum delay of 0 and "
        "at the one that was asked for or learned; the smallest delays by class and distance; corrections by location "
        "with the origin, the error bar and the likely error of its clock; the clocks that several processes share, "
        "with what shows it; corrections over time; the largest correction of each location, worst first; how the "
        "lengths of intervals between neighbouring events, and the times that messages took, were distorted, |after - "
        "before| / before by decades.\n"
        "\n"
        "The residual uncertainty of a single clock is half the largest error bar that the survey has learned, and "
        "what clc_forward and clc_backward have moved its events at most, those of the reference, too; two clocks may "
        "be apart by the two largest ones of different processes together, as presync states it in an archive "
        "(TCFLOW::CLOCK_UNCERTAINTY). Without a survey, or a presync in front that applies it, it is not known. Of a "
        "trace that was corrected before, and whose times stay, it is what that correction has stated, where that is "
        "more. Ends of instances that lack members are judged by the members that are there; where memory ran out for "
        "the others, after the correction they are counted as unjudged. Stretches of time begin with the first event "
        "of their location; they are equally long for all locations. Events pass unchanged.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct report),
    .location_size = sizeof(struct location),
    .location_more = 784,
    .message_bytes = MESSAGE_BYTES,
    .member_bytes = MEMBER_BYTES,
    .numbers = NUMBERS,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .required = TCF_ROWS(requires),
    .span = clock_report_span,
    .begin = clock_report_begin,
    .collective_complete = order_complete,
    .end = report_tables,
    .fini = clock_report_fini,
    .pack = clock_report_pack,
    .absorb = clock_report_absorb,
};
