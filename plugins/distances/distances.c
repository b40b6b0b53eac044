/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* distances: the time from one event to the next one of the same location, by the kinds of both. The shortest of these
 * times are what recording an event costs: tcflow-calibrate makes the parameters of the filter overhead of them.
 *
 * A loop that does nothing but call an empty function leaves a run of empty calls. Distances in such runs stand apart,
 * since they contain nothing but recording. Distances to and from BUFFER_FLUSH and MEASUREMENT_ON_OFF are left out,
 * since they contain more than recording for certain. */
#include "distances.h"
#include "../shared/regions/same_regions.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------------------- calls -- */

static uint32_t innermost(const struct track *k)
{
    return k->stack.depth > 0 && k->stack.too_deep == 0 ? k->stack.open[k->stack.depth - 1].region : TCF_NONE;
}

static int enter(struct track *k, uint32_t region)
{
    if (k->empty)
        k->calls = 0;
    k->empty = 1;
    return region_stack_enter(&k->stack, (region_frame){.region = region});
}

static void leave(struct track *k, uint32_t region)
{
    k->calls = k->empty && innermost(k) == region ? k->calls + 1 : 0;
    k->empty = 0;
    region_stack_leave(&k->stack, region);
}

/* -------------------------------------------------------------------------------------------------------- events -- */

enum what { IS_ENTER, IS_LEAVE, IS_METRIC, IS_PAUSE, IS_OTHER };

/* Finds what an event is, and which region it enters or leaves. */
static inline enum what look(const tcf_definitions *defs, const tcf_slice *s, uint32_t i, uint32_t *region)
{
    switch (s->kind[i]) {
    case TCF_ENTER:
    case TCF_CALLING_CONTEXT_ENTER:
        *region = tcf_region_of_event(defs, s, i);
        return IS_ENTER;
    case TCF_LEAVE:
    case TCF_CALLING_CONTEXT_LEAVE:
        *region = tcf_region_of_event(defs, s, i);
        return IS_LEAVE;
    case TCF_METRIC:
        return IS_METRIC;
    case TCF_BUFFER_FLUSH:
    case TCF_MEASUREMENT_ON_OFF:
        return IS_PAUSE;
    default:
        return IS_OTHER;
    }
}

static uint8_t at_most_255(uint32_t n)
{
    return n > 255 ? 255 : (uint8_t)n;
}

/* Adds the distance to event i. A run counts calls that were left, so an enter belongs to the run before it. */
static int add(const tcf_self *self, struct track *k, const tcf_slice *s, uint32_t i, enum what what, uint32_t region)
{
    const struct conf *conf = self->conf;
    const struct state *st = self->state;
    const tcf_attributes *attributes = tcf_attributes_of(s, i);
    const uint32_t around = innermost(k);
    if (what != IS_ENTER && what != IS_LEAVE)
        region = around;
    int in_run = k->calls >= (uint64_t)conf->run && (what == IS_METRIC || (what == IS_ENTER && !k->empty) ||
                                                     (what == IS_LEAVE && k->empty && region == around));
    struct key key = {.region = region < self->defs->n_regions ? st->same[region] : TCF_NONE,
                      .kind = s->kind[i],
                      .after = k->kind,
                      .in_run = (uint8_t)in_run,
                      .attributes = at_most_255(attributes ? attributes->n : 0),
                      .values = at_most_255(what == IS_METRIC ? s->rec[i].metric.number_of_metrics : 0)};
    return tally_add(&k->tally, &key, s->time[i] - k->last);
}

/* Event i; -1: out of memory. */
static int pass(const tcf_self *self, struct track *k, const tcf_slice *s, uint32_t i)
{
    uint32_t region = TCF_NONE;
    int failed = 0;
    const enum what what = look(self->defs, s, i, &region);
    if (k->started && what != IS_PAUSE)
        failed = add(self, k, s, i, what, region);
    if (what == IS_ENTER) {
        failed |= enter(k, region);
    } else if (what == IS_LEAVE) {
        leave(k, region);
    } else if (what == IS_OTHER) {
        k->empty = 0;
        k->calls = 0;
    }
    k->started = what != IS_PAUSE;
    k->kind = s->kind[i];
    k->last = s->time[i];
    return failed;
}

static tcf_status distances_slice(tcf_self *self, tcf_slice *s)
{
    struct track *k = tcf_location_state(self, s->location);
    k->tally.most = (uint32_t)((const struct conf *)self->conf)->max_distances;
    for (uint32_t i = 0; i < s->n; i++)
        if (pass(self, k, s, i) != 0)
            return self->host->fail(self, "out of memory for %u distances of a location", k->tally.n_cells);
    k->events += s->n;
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- filter -- */

static tcf_status distances_begin(tcf_self *self)
{
    struct state *st = self->state;
    st->total.most = (uint32_t)((const struct conf *)self->conf)->max_distances;
    st->same = regions_of_one_name(self->defs);
    return st->same ? TCF_OK : self->host->fail(self, "out of memory for %u regions", self->defs->n_regions);
}

static tcf_status distances_location_end(tcf_self *self, uint32_t location)
{
    struct state *st = self->state;
    struct track *k = tcf_location_state(self, location);
    int failed = tally_merge(&st->total, &k->tally);
    st->events += k->events;
    st->locations += k->events > 0;
    tally_free(&k->tally);
    region_stack_free(&k->stack);
    return failed ? self->host->fail(self, "out of memory for %u distances", st->total.n_cells) : TCF_OK;
}

static tcf_status distances_pack(tcf_self *self, tcf_pack *pack)
{
    const struct state *st = self->state;
    self->host->put(pack, &st->events, sizeof st->events);
    self->host->put(pack, &st->locations, sizeof st->locations);
    tally_put(self->host, pack, &st->total);
    return TCF_OK;
}

static tcf_status distances_absorb(tcf_self *self, tcf_pack *pack)
{
    struct state *st = self->state;
    uint64_t events;
    uint32_t locations;
    self->host->take(pack, &events, sizeof events);
    self->host->take(pack, &locations, sizeof locations);
    st->events += events;
    st->locations += locations;
    return tally_take(self->host, pack, &st->total) == 0
               ? TCF_OK
               : self->host->fail(self, "out of memory for %u distances", st->total.n_cells);
}

static void distances_fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++) {
        struct track *k = tcf_location_state(self, l);
        tally_free(&k->tally);
        region_stack_free(&k->stack);
    }
    tally_free(&st->total);
    free(st->same);
}

static const tcf_param params[] = {
    TCF_PARAM(struct conf, run, TCF_INT, "64",
              "Empty calls in a row that make a run; the first so many of each don't count for it", .min = "1",
              .max = "1000000000", .unit = "calls"),
    TCF_PARAM(struct conf, cut, TCF_INT, "50",
              "Distances of more than so many medians, and more than so many steps of the clock, are interruptions: "
              "they don't count for the column typical",
              .min = "1", .max = "1000000000"),
    TCF_PARAM(struct conf, max_distances, TCF_INT, "1048576",
              "Different distances of a location, and in all, at most; what is beyond them is left out and counted",
              .min = "1", .max = "16777216"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "distances",
    .version = "1.0",
    .summary = "Distances between consecutive events by what they are: what recording them costs at most",
    .topic = TCF_TOPIC_OVERHEAD,
    .help =
        "Distances from the event before in the same location, by kind of both, by region (entered, left, or else "
        "around the event; regions of one name are one), by number of attributes and of values of a METRIC. Calls in "
        "runs of empty calls stand apart: there, distances are nothing but what recording costs. tcflow-calibrate "
        "makes the parameters of the filter overhead of these tables.\n"
        "\n"
        "Percentiles are those of the nearest rank, exact up to 1,023 ticks and within 0.1 % beyond. Where a distance "
        "is few steps of the clock they are coarse, and the mean of many tells more: typical is that of all but the "
        "interruptions, to which a distance of 1,024 ticks or more adds the middle of its bin, so that it is within "
        "0.1 % of the mean of these; mean is exact. Distances to and from BUFFER_FLUSH and MEASUREMENT_ON_OFF are "
        "left out. The clock's step is the largest one of which the distances are multiples, or nearly so.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct track),
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .slice = distances_slice,
    .begin = distances_begin,
    .location_end = distances_location_end,
    .end = distances_report,
    .fini = distances_fini,
    .pack = distances_pack,
    .absorb = distances_absorb,
};
