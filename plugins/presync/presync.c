/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* presync: brings the clocks of all locations to one time, by piecewise linear corrections.
 *
 * The corrections come from the clock offsets of the archive, a file, or a survey (sources.c), and are applied as
 * libotf2 applies clock offsets, tick for tick (../shared/clocks/correction.h). What the measurements didn't see stays;
 * the report says how much that may be. Behind this filter recorded clock offsets are void. */
#include "presync.h"

#include <errno.h>
#include <inttypes.h>
#include <private/scaled.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const tcf_param params[] = {
    TCF_PARAM(struct conf, method, TCF_ENUM, "auto",
              "Where the corrections come from: the archive's clock offsets, the file, what a survey has learned, or "
              "nowhere; auto: the file when one is given, else the survey when it has learned clocks, else the "
              "archive's clock offsets if there are any.",
              .choices = "auto|archive|file|survey|none"),
    TCF_PARAM(struct conf, file, TCF_INPUT_PATH, "",
              "Measurements or knots: CSV lines location,time,offset,error below a header line of these words, or INI "
              "sections [LOCATION] with lines time = offset, error."),
    TCF_PARAM(struct conf, unsynchronised, TCF_ENUM, "stop",
              "What to do with locations that nothing ties to the others: stop the run, or keep their times as they "
              "are. Where a survey finds no two processes that are tied to each other, there is nothing to be "
              "synchronised, and all keep theirs.",
              .choices = "stop|keep"),
    TCF_PARAM(struct conf, shift, TCF_DURATION, "0",
              "Added to all times, so that none becomes negative; 0: as much as the stated start of the trace shows to "
              "be needed, which mostly is nothing.",
              .min = "0"),
};

/* --------------------------------------------------------------------------------------------------------- begin -- */

/* A time before which the location has no events, as far as the archive says. That is the stated begin of the trace
 * without the archive's first clock offset; but it lies before the first knot by no more than the span of the knots or,
 * if longer, the stated length of the trace. */
static uint64_t earliest(const tcf_self *self, uint32_t location)
{
    const struct location *l = tcf_location_state(self, location);
    const tcf_location *def = tcf_location_at(self->defs, location);
    int64_t offset = def->n_clock_offsets > 0 && !(self->changed & TCF_WRITES_CLOCK) ? def->clock_offsets[0].offset : 0;
    uint64_t begin = self->defs->clock.global_offset, raw, known = 0;

    if (offset >= 0)
        raw = begin > (uint64_t)offset ? begin - (uint64_t)offset : 0;
    else
        raw = begin < UINT64_MAX + (uint64_t)offset ? begin - (uint64_t)offset : UINT64_MAX;
    if (l->n_knots > 0) {
        uint64_t span = l->knots[l->n_knots - 1].time - l->knots[0].time;
        span = self->defs->clock.length > span ? self->defs->clock.length : span;
        known = l->knots[0].time > span ? l->knots[0].time - span : 0;
    }
    return raw > known ? raw : known;
}

static tcf_status choose_shift(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    uint64_t shift = self->host->ticks(self, conf->shift);
    char amount[TCF_SCALED_BYTES];

    for (uint32_t i = 0; conf->shift.value <= 0 && i < self->defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        uint64_t time = earliest(self, i);
        uint64_t below = clock_below_zero(&l->pieces[clock_piece_of(l->pieces, l->n_pieces, 0, time)], 0, time);
        shift = below > shift ? below : shift;
    }
    if (shift > INT64_MAX)
        return self->host->fail(self,
                                "all times would have to be shifted by %" PRIu64 " ticks, which is more than 63 bits "
                                "can hold: the offsets cannot be right",
                                shift);
    st->shift = (int64_t)shift;
    if (shift > 0 && conf->shift.value <= 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "all times are shifted by %s (%" PRIu64 " ticks), since corrected times would be negative",
                        tcf_scaled_seconds(tcf_seconds(self, (double)shift).d, amount), shift);
    return TCF_OK;
}

/* The pieces of the location's own knots; *next is where they can be stored. */
static tcf_status make_pieces(const tcf_self *self, uint32_t location, clock_piece **next)
{
    struct location *l = tcf_location_state(self, location);
    const tcf_location *def = tcf_location_at(self->defs, location);
    uint32_t at;
    const char *why = clock_pieces(l->knots, l->n_knots, *next, &at);

    if (why) {
        const tcf_clock_knot *a = &l->knots[at], *b = a + 1;
        return self->host->fail(self,
                                "location %" PRIu64 " (%s), from time %" PRIu64 " (offset %" PRId64 ") to time %" PRIu64
                                " (offset %" PRId64 "): %s",
                                def->id, def->name, a->time, a->offset, b->time, b->offset, why);
    }
    l->pieces = *next;
    l->n_pieces = l->n_knots > 1 ? l->n_knots - 1 : 1;
    *next += l->n_pieces;
    return TCF_OK;
}

static tcf_status presync_init(tcf_self *self)
{
    const struct conf *conf = self->conf;
    int given = conf->file && *conf->file;

    if (conf->method == METHOD_FILE && !given)
        return self->host->fail(self, "method = file needs a file: file = PATH");
    if (given && conf->method != METHOD_FILE && conf->method != METHOD_AUTO)
        return self->host->fail(self,
                                "file = %s is given, but the method is another one: leave out one of the two, or set "
                                "method = file",
                                conf->file);
    if (given && access(conf->file, R_OK) != 0)
        return self->host->fail(self, "file = %s cannot be read: %s", conf->file, strerror(errno));
    return TCF_OK;
}

/* Does no time change anywhere? */
static int leaves_all_alone(const tcf_self *self)
{
    const struct state *st = self->state;

    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        for (uint32_t k = 0; k < l->n_pieces; k++)
            if (l->pieces[k].offset != 0 || l->pieces[k].slope != 0)
                return 0;
    }
    return st->shift == 0;
}

/* Delays that a survey has seen by the clocks as they were are void for those behind this filter; what holds whatever
 * the clocks are remains. */
static tcf_status replace_delays(tcf_self *self)
{
    uint64_t n = 0;
    const tcf_minimum_delay *seen = self->host->learned(self, TCF_MINIMUM_DELAYS, sizeof *seen, &n);
    tcf_minimum_delay *rows = n > 0 ? malloc(n * sizeof *rows) : NULL;

    if (n == 0)
        return TCF_OK;
    if (!rows)
        return self->host->fail(self, "out of memory for %" PRIu64 " minimum delays", n);
    for (uint64_t i = 0; i < n; i++) {
        rows[i] = seen[i];
        rows[i].ticks = seen[i].sure;
    }
    tcf_status status = self->host->learn(self, TCF_MINIMUM_DELAYS, sizeof *rows, rows, n);
    free(rows);
    return status;
}

static tcf_status presync_begin(tcf_self *self)
{
    struct state *st = self->state;

    st->identity = (clock_piece){0, UINT64_MAX, 0, 0};
    if (sources_find(self) != TCF_OK)
        return TCF_ERROR;
    st->pieces = calloc(st->n_knots + 1, sizeof *st->pieces);
    if (!st->pieces)
        return self->host->fail(self, "out of memory for %" PRIu64 " knots", st->n_knots);
    clock_piece *next = st->pieces;
    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        if (l->speaker == i && make_pieces(self, i, &next) != TCF_OK)
            return TCF_ERROR;
    }
    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        struct location *l = tcf_location_state(self, i);
        const struct location *speaker = l->speaker == TCF_NONE ? NULL : tcf_location_state(self, l->speaker);
        l->pieces = speaker ? speaker->pieces : &st->identity;
        l->n_pieces = speaker ? speaker->n_pieces : 1;
    }
    if (choose_shift(self) != TCF_OK)
        return TCF_ERROR;
    if (!leaves_all_alone(self))
        return replace_delays(self);
    self->writes &= ~(uint32_t)(TCF_WRITES_TIME | TCF_WRITES_REC);
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- slices -- */

static tcf_status does_not_fit(const tcf_self *self, const tcf_slice *s, uint32_t i, const clock_piece *piece,
                               uint64_t time)
{
    const struct state *st = self->state;
    const tcf_location *def = tcf_location_at(self->defs, s->location);
    uint64_t below = clock_below_zero(piece, st->shift, time);

    if (below > 0)
        return self->host->fail(self,
                                "location %" PRIu64 " (%s), event %" PRIu64 ": its time %" PRIu64
                                " would become negative, %" PRIu64 " ticks below 0: give shift = %" PRIu64
                                " ticks or more",
                                def->id, def->name, s->first + i, time, below, below + (uint64_t)st->shift);
    return self->host->fail(self,
                            "location %" PRIu64 " (%s), event %" PRIu64 ": its time %" PRIu64
                            " would become larger than 64 bits can hold",
                            def->id, def->name, s->first + i, time);
}

static void note(struct location *l, int64_t correction)
{
    if (l->events == 0)
        l->first = l->least = l->most = correction;
    l->events = 1;
    l->last = correction;
    l->least = correction < l->least ? correction : l->least;
    l->most = correction > l->most ? correction : l->most;
}

/* Times inside records: that of a buffer flush's end is the only one. */
static tcf_status correct_records(const tcf_self *self, const tcf_slice *s)
{
    const struct state *st = self->state;
    const struct location *l = tcf_location_state(self, s->location);
    const uint8_t *end = s->kind + s->n, *k = s->kind;

    for (; (k = memchr(k, TCF_BUFFER_FLUSH, (size_t)(end - k))); k++) {
        uint32_t i = (uint32_t)(k - s->kind);
        uint64_t *time = &s->rec[i].buffer_flush.stop_time, raw = *time;
        const clock_piece *piece = &l->pieces[clock_piece_of(l->pieces, l->n_pieces, l->near, raw)];
        if (!clock_time(piece, st->shift, raw, time))
            return does_not_fit(self, s, i, piece, raw);
    }
    return TCF_OK;
}

static tcf_status presync_slice(tcf_self *self, tcf_slice *s)
{
    const struct state *st = self->state;
    struct location *l = tcf_location_state(self, s->location);
    const tcf_location *def = tcf_location_at(self->defs, s->location);

    if (s->n == 0)
        return TCF_OK;
    if (l->unsynchronised && !st->nothing_known &&
        ((const struct conf *)self->conf)->unsynchronised == UNSYNCHRONISED_STOP)
        return self->host->fail(self,
                                "nothing ties location %" PRIu64 " (%s) to the others, so it cannot be synchronised: "
                                "give its clock offset, or set unsynchronised = keep",
                                def->id, def->name);
    if (correct_records(self, s) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t i = 0, n; i < s->n; i += n) {
        l->near = clock_piece_of(l->pieces, l->n_pieces, l->near, s->time[i]);
        const clock_piece *piece = &l->pieces[l->near];
        n = clock_run(s->time + i, s->n - i, piece->last);
        uint64_t from = s->time[i], to = s->time[i + n - 1];
        note(l, clock_correction(piece, from));
        note(l, clock_correction(piece, to));
        if (!clock_apply(piece, st->shift, s->time + i, n))
            return does_not_fit(self, s, clock_below_zero(piece, st->shift, from) > 0 ? i : i + n - 1, piece,
                                clock_below_zero(piece, st->shift, from) > 0 ? from : to);
        for (uint32_t k = i; k < i + n && s->time[k] < l->reached; k++) /* see clock_apply(): it was rounded up */
            s->time[k] = l->reached;
        l->reached = s->time[i + n - 1];
    }
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

static tcf_status presync_pack(tcf_self *self, tcf_pack *pack)
{
    self->host->put_locations(self, pack, TCF_MEMBERS(struct location, events, most));
    return TCF_OK;
}

static tcf_status presync_absorb(tcf_self *self, tcf_pack *pack)
{
    self->host->take_locations(self, pack, TCF_MEMBERS(struct location, events, most));
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------- description -- */

static void presync_fini(tcf_self *self, int complete)
{
    struct state *st = self->state;

    (void)complete;
    free(st->knots);
    free(st->pieces);
    *st = (struct state){0};
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "presync",
    .version = "1.0",
    .summary = "Brings the clocks of all locations to one time by piecewise linear corrections",
    .topic = TCF_TOPIC_CLOCKS,
    .help =
        "At each knot an offset is known that is to be added to the location's times; between two knots it is "
        "interpolated, outside them the first and last pieces go on, and a single knot is a constant. The result is, "
        "tick for tick, what libotf2 makes of clock offsets (except that libotf2 ignores a single offset). Two knots "
        "of one location at one time are an error unless they agree, and so is an offset that would turn time back.\n\n"
        "A location without knots of its own takes those of its process, or of the process that created it. Locations "
        "that nothing ties to the others stop the run, unless unsynchronised = keep, or nothing ties any to any other; "
        "in a file each process needs a line, the reference too (with offset 0). The report has each location's "
        "correction and its error bar.\n\n"
        "Clock offsets recorded in the archive are void behind this filter: otf2_write leaves them out, and running "
        "it again over what was written changes nothing. What a survey has learned holds for times as they were read: "
        "nothing in front of this filter may change them then. Times inside records (the end of a buffer flush) move "
        "with the events. Minimum delays that a survey has seen by clocks that are changed here are replaced by what "
        "holds whatever the clocks are. An archive that is written behind it states in its property "
        "TCFLOW::CLOCK_UNCERTAINTY how far two clocks may still be apart, or that this is unknown; one whose times "
        "and clock offsets stay as they were keeps the property that it has.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct location),
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .writes = TCF_WRITES_TIME | TCF_WRITES_CLOCK | TCF_WRITES_REC,
    .init = presync_init,
    .begin = presync_begin,
    .slice = presync_slice,
    .end = summary_report,
    .fini = presync_fini,
    .pack = presync_pack,
    .absorb = presync_absorb,
};
