/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* skew: makes good clocks bad, in known ways, so that the filters that correct clocks can be measured with any trace.
 *
 * Each process (or node, or location) gets its own clock, whose error is the sum of an offset, a drift, a wave, a
 * random walk, and jumps (model.c). A clock never runs backwards: where a jump would set it back it stands still.
 * tables.c writes the true corrections of the clocks, and the offsets that a measurement system would have measured. */
#include "skew.h"
#include "../shared/clocks/knot_file.h"
#include "../shared/clocks/stated.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const tcf_param params[] = {
    TCF_PARAM(struct conf, per, TCF_ENUM, "process", "What has a clock of its own.",
              .choices = "process|node|location"),
    TCF_PARAM(struct conf, reference, TCF_BOOL, "yes", "Leave one clock right, that with the smallest id."),
    TCF_PARAM(struct conf, seed, TCF_INT, "1", "Of all that is random.", .min = "0"),
    TCF_PARAM(struct conf, offset, TCF_DURATION, "0", "Largest offset; uniformly distributed on both sides of 0.",
              .min = "0"),
    TCF_PARAM(struct conf, drift, TCF_DOUBLE, "0", "Standard deviation of the drifts (cut off at six of them).",
              .min = "0", .max = "10000", .unit = "ppm"),
    TCF_PARAM(struct conf, sine, TCF_DURATION, "0", "Amplitude of a wave of random phase.", .min = "0"),
    TCF_PARAM(struct conf, sine_period, TCF_DURATION, "60s", "Period of that wave.", .min = "0"),
    TCF_PARAM(struct conf, walk, TCF_DURATION, "0", "Standard deviation of a random walk after one second.",
              .min = "0"),
    TCF_PARAM(struct conf, jumps, TCF_DOUBLE, "0", "How often a clock is set anew.", .min = "0", .max = "1000000",
              .unit = "per second"),
    TCF_PARAM(
        struct conf, jump, TCF_DURATION, "0",
        "Largest error that it is then set to, beside the errors above; at most a tenth of the time between jumps.",
        .min = "0"),
    TCF_PARAM(struct conf, measurements, TCF_OUTPUT_PATH, "",
              "CSV file to write: offsets measured at the first and last event of each process (location, time, "
              "offset, error), as presync reads it."),
    TCF_PARAM(struct conf, measurement_error, TCF_DURATION, "0",
              "Standard deviation of the errors of these measurements.", .min = "0"),
    TCF_PARAM(struct conf, truth, TCF_OUTPUT_PATH, "",
              "CSV file to write: knots of the correction that would give the true times back."),
    TCF_PARAM(struct conf, overwrite, TCF_BOOL, "no", "May existing files be replaced?"),
};

/* --------------------------------------------------------------------------------------------------------- begin -- */

static double in_ticks(const tcf_self *self, tcf_duration d)
{
    return d.in_ticks ? d.value : d.value * (double)self->defs->clock.resolution;
}

static tcf_status may_be_written(const tcf_self *self, const char *key, const char *path)
{
    const struct conf *conf = self->conf;
    char why[KNOT_FILE_WHY];

    if (!path || !*path || knot_file_may_be(path, conf->overwrite, "overwrite", why))
        return TCF_OK;
    return self->host->fail(self, "%s = %s: %s", key, path, why);
}

static tcf_status skew_init(tcf_self *self)
{
    const struct conf *conf = self->conf;

    if (conf->sine.value > 0 && conf->sine_period.value <= 0)
        return self->host->fail(self, "sine_period = 0: a wave (sine) needs a period");
    if (may_be_written(self, "measurements", conf->measurements) != TCF_OK ||
        may_be_written(self, "truth", conf->truth) != TCF_OK)
        return TCF_ERROR;
    if (conf->measurements && conf->truth && *conf->truth && !strcmp(conf->measurements, conf->truth))
        return self->host->fail(self, "measurements and truth are the same file, %s", conf->truth);
    return TCF_OK;
}

/* The error is linear between two nodes. A wave takes 128 nodes a period, a random walk 100 a second; other errors
 * are linear by themselves, so their nodes are far apart. */
static uint64_t node_distance(const struct model *m, double resolution)
{
    double step = 0x1p40;

    if (m->sine > 0)
        step = fmin(step, 2 * M_PI / m->omega / 128);
    if (m->walk > 0)
        step = fmin(step, resolution / 100);
    return (uint64_t)fmax(1, floor(step));
}

static tcf_status make_model(const tcf_self *self, struct model *m)
{
    const struct conf *conf = self->conf;
    double resolution = (double)self->defs->clock.resolution;

    *m = (struct model){.origin = self->defs->clock.global_offset,
                        .offset = in_ticks(self, conf->offset),
                        .drift = conf->drift * 1e-6,
                        .sine = in_ticks(self, conf->sine),
                        .jump = in_ticks(self, conf->jump),
                        .walk = in_ticks(self, conf->walk)};
    if (m->sine > 0)
        m->omega = 2 * M_PI / in_ticks(self, conf->sine_period);
    m->step = node_distance(m, resolution);
    m->walk *= sqrt((double)m->step / resolution);
    if (conf->jumps > 0 && m->jump > 0)
        m->cell = (uint64_t)fmax(1, resolution / conf->jumps);
    if (m->cell > 0 && m->jump > (double)m->cell / 10)
        return self->host
            ->refuse(self, "jump is more than a tenth of the time between jumps: the clock would stand still more "
                           "often than it runs");
    if (m->sine * m->omega + 6 * m->walk / (double)m->step + 6 * m->drift > 0.5)
        return self->host
            ->refuse(self, "the clocks would run at less than half their speed at times: make sine or walk smaller, "
                           "or sine_period longer");
    double bound = m->offset + m->sine + m->jump;
    if (bound > 0x1p60)
        return self->host->refuse(self, "offset, sine and jump together are more than 60 bits of ticks");
    if (bound > (double)m->origin) {
        m->shift = (int64_t)ceil(bound - (double)m->origin);
        self->host->log(self, TCF_LOG_WARNING,
                        "all times are shifted by %" PRId64 " ticks, since skewed ones may be negative", m->shift);
    }
    return TCF_OK;
}

/* The owner of a location's clock: the id of a node, process or location. With per = node the id of a process has
 * bit 32 set. */
static uint64_t unit_of(const tcf_self *self, uint32_t location)
{
    const struct conf *conf = self->conf;
    const tcf_definitions *defs = self->defs;
    uint32_t process = tcf_process_of(defs, location), node = tcf_location_at(defs, location)->node;

    if (conf->per == PER_NODE && node < defs->n_system_tree_nodes)
        return tcf_system_tree_node_at(defs, node)->id;
    if (conf->per != PER_LOCATION && process != TCF_NONE)
        return (conf->per == PER_NODE ? UINT64_C(1) << 32 : 0) + tcf_location_group_at(defs, process)->id;
    return tcf_location_at(defs, location)->id;
}

static tcf_status skew_begin(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    uint64_t reference = UINT64_MAX;

    if (make_model(self, &st->model) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        struct location *l = tcf_location_state(self, i);
        l->unit = unit_of(self, i);
        reference = l->unit < reference ? l->unit : reference;
    }
    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        struct location *l = tcf_location_state(self, i);
        uint64_t key = skew_hash(skew_hash((uint64_t)conf->seed, (uint64_t)conf->per), l->unit);
        skew_clock(&st->model, key, conf->reference && l->unit == reference, &l->clock);
        l->now.first = 1; /* > last */
    }
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- slices -- */

static tcf_status cannot(const tcf_self *self, const tcf_slice *s, uint64_t time)
{
    const tcf_location *def = tcf_location_at(self->defs, s->location);

    return self->host->fail(self,
                            "location %" PRIu64 " (%s): the skewed clock cannot read time %" PRIu64
                            ": less than 0, more "
                            "than 64 bits, or too far from the begin of the trace as the archive states it (%" PRIu64
                            ")",
                            def->id, def->name, time, self->defs->clock.global_offset);
}

static tcf_status skew_records(const tcf_self *self, const tcf_slice *s)
{
    const struct state *st = self->state;
    const struct location *l = tcf_location_state(self, s->location);
    const uint8_t *end = s->kind + s->n, *k = s->kind;

    for (; (k = memchr(k, TCF_BUFFER_FLUSH, (size_t)(end - k))); k++) {
        uint64_t *time = &s->rec[k - s->kind].buffer_flush.stop_time;
        struct stretch here;
        if (!skew_stretch(&st->model, &l->clock, *time, &here))
            return cannot(self, s, *time);
        *time = skew_reading(&st->model, &here, *time);
    }
    return TCF_OK;
}

static tcf_status skew_slice(tcf_self *self, tcf_slice *s)
{
    const struct state *st = self->state;
    struct location *l = tcf_location_state(self, s->location);

    if (s->n == 0)
        return TCF_OK;
    l->first = l->any ? l->first : s->time[0];
    l->last = s->time[s->n - 1];
    l->any = 1;
    if (skew_records(self, s) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t i = 0, n; i < s->n; i += n) {
        uint64_t *times = s->time + i, from = times[0];
        if ((from < l->now.first || from > l->now.piece.last) && !skew_stretch(&st->model, &l->clock, from, &l->now))
            return cannot(self, s, from);
        n = clock_run(times, s->n - i, l->now.piece.last);
        uint64_t to = times[n - 1];
        if (!clock_apply(&l->now.piece, st->model.shift, times, n))
            return cannot(self, s, to);
        uint64_t floor = l->now.floor > l->read ? l->now.floor : l->read;
        for (uint32_t j = 0; j < n && times[j] < floor; j++)
            times[j] = floor;
        l->read = times[n - 1];
    }
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------- domains, end -- */

static tcf_status skew_pack(tcf_self *self, tcf_pack *pack)
{
    self->host->put_locations(self, pack, TCF_MEMBERS(struct location, any, last));
    return TCF_OK;
}

static tcf_status skew_absorb(tcf_self *self, tcf_pack *pack)
{
    self->host->take_locations(self, pack, TCF_MEMBERS(struct location, any, last));
    return TCF_OK;
}

/* Sets the clock uncertainty to unknown where the archive or a presync in front states one. */
static tcf_status take_back_uncertainty(tcf_self *self)
{
    uint32_t n = 0;
    const tcf_property *now = self->host->properties(self, &n);

    if (!clocks_stated(now, n) && !clocks_stated(self->defs->properties, self->defs->n_properties))
        return TCF_OK;
    return self->host->set_property(self, CLOCKS_STATED, "unknown");
}

static tcf_status skew_end(tcf_self *self)
{
    return tables_write(self) == TCF_OK ? take_back_uncertainty(self) : TCF_ERROR;
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "skew",
    .version = "1.0",
    .summary = "Makes the clocks of processes, nodes or locations wrong in known ways",
    .topic = TCF_TOPIC_CLOCKS,
    .help =
        "For measuring what corrects clocks: takes a trace with good times and gives each process a clock with an "
        "offset, a drift, a wave, a random walk and jumps. Everything depends on the seed, the ids of processes and "
        "the time alone, neither on the order of locations nor on slices. A clock never runs backwards: where a jump "
        "would set it back it stands still. Times inside records (the end of a buffer flush) are those of the same "
        "clock.\n\n"
        "measurements is what a measurement system would know of these clocks, truth what they really are; presync "
        "takes both. Clock offsets recorded in the archive speak of the clocks as they were: they are void behind "
        "this filter. Where they are needed for good times, presync goes in front. Where the archive states in "
        "TCFLOW::CLOCK_UNCERTAINTY how far clocks may be apart, it is unknown behind this filter.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct location),
    .can = TCF_CAN_DOMAINS,
    .writes = TCF_WRITES_TIME | TCF_WRITES_CLOCK | TCF_WRITES_REC,
    .init = skew_init,
    .begin = skew_begin,
    .slice = skew_slice,
    .end = skew_end,
    .pack = skew_pack,
    .absorb = skew_absorb,
};
