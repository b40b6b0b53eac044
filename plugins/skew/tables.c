/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* skew: writes the files `measurements` and `truth`. Both have knots of the correction from a clock's reading to the
 * true time: the first as a measurement system would have measured them, the second exactly. */
#include "../shared/clocks/knot_file.h"
#include "skew.h"

#include <tcflow/grow.h>

#include <math.h>
#include <stdlib.h>

struct knots {
    tcf_clock_knot *at;
    uint64_t n;
    uint32_t capacity;
    int full; /* there are more than KNOT_FILE_MOST */
};

/* Adds a knot: the clock reads `reading` at the true time. 0: out of memory. */
static int add(struct knots *k, uint32_t location, uint64_t reading, uint64_t time, double error)
{
    tcf_clock_knot *before = k->n > 0 ? &k->at[k->n - 1] : NULL;

    if (before && before->location == location && before->time >= reading)
        return 1; /* the clock stood still */
    if (k->n == KNOT_FILE_MOST) {
        k->full = 1;
        return 1;
    }
    if (TCF_GROW(&k->at, &k->capacity, k->n) != 0)
        return 0;
    k->at[k->n++] = (tcf_clock_knot){reading, (int64_t)(time - reading), error, location, 0};
    return 1;
}

/* --------------------------------------------------------------------------------------------------------- truth -- */

/* The first time of [from, to] at which the clock reads more than the stretch's floor; to + 1 when there is none. */
static uint64_t runs_from(const struct model *m, const struct stretch *s, uint64_t from, uint64_t to)
{
    uint64_t low = from, high = to;

    if (skew_reading(m, s, to) <= s->floor)
        return to + 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (skew_reading(m, s, middle) > s->floor)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int add_truth(struct knots *k, const struct model *m, uint32_t location, const struct location *l)
{
    struct stretch s;

    for (uint64_t time = l->first; !k->full; time = s.piece.last + 1) {
        if (!skew_stretch(m, &l->clock, time, &s))
            return 1;
        uint64_t end = s.piece.last < l->last ? s.piece.last : l->last, from = time;
        if (s.floor > 0 && skew_reading(m, &s, time) <= s.floor) {
            if (time == l->first && !add(k, location, s.floor, time, 0))
                return 0;
            from = runs_from(m, &s, time, end);
        }
        if (from <= end && (!add(k, location, skew_reading(m, &s, from), from, 0) ||
                            !add(k, location, skew_reading(m, &s, end), end, 0)))
            return 0;
        if (end == l->last)
            return 1;
    }
    return 1;
}

/* -------------------------------------------------------------------------------------------------- measurements -- */

static int add_measurement(const tcf_self *self, struct knots *k, uint32_t location, uint64_t time, uint64_t which)
{
    const struct conf *conf = self->conf;
    const struct model *m = &((const struct state *)self->state)->model;
    const struct location *l = tcf_location_state(self, location);
    double error =
        conf->measurement_error.value * (conf->measurement_error.in_ticks ? 1 : (double)self->defs->clock.resolution);
    uint64_t id = tcf_location_at(self->defs, location)->id;
    struct stretch s;

    if (!skew_stretch(m, &l->clock, time, &s))
        return 1;
    uint64_t reading = skew_reading(m, &s, time);
    double noise = l->clock.right ? 0 : rint(error * skew_normal(skew_hash(l->clock.key, id), which));
    return add(k, location, reading, time + (uint64_t)(int64_t)noise, error);
}

struct span {
    uint64_t first, last;
    uint32_t speaker; /* the first location with events; TCF_NONE: there is none */
};

/* Adds two measurements of each process, at its first and last event; of each location with per = location and where
 * a location has no process. */
static int add_measurements(const tcf_self *self, struct knots *k)
{
    const tcf_definitions *defs = self->defs;
    uint32_t n = defs->n_location_groups + defs->n_locations;
    struct span *span = calloc(n + 1u, sizeof *span);
    int done = span != NULL;

    for (uint32_t i = 0; done && i < n; i++)
        span[i].speaker = TCF_NONE;
    for (uint32_t i = 0; done && i < defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        uint32_t process = tcf_process_of(defs, i);
        struct span *s = &span[defs->n_location_groups + i];
        if (process != TCF_NONE && ((const struct conf *)self->conf)->per != PER_LOCATION)
            s = &span[process];
        if (!l->any)
            continue;
        if (s->speaker == TCF_NONE)
            *s = (struct span){l->first, l->last, i};
        s->first = l->first < s->first ? l->first : s->first;
        s->last = l->last > s->last ? l->last : s->last;
    }
    for (uint32_t i = 0; done && i < n; i++)
        if (span[i].speaker != TCF_NONE)
            done = add_measurement(self, k, span[i].speaker, span[i].first, 0) &&
                   add_measurement(self, k, span[i].speaker, span[i].last, 1);
    free(span);
    return done;
}

/* --------------------------------------------------------------------------------------------------------- files -- */

static tcf_status write_knots(const tcf_self *self, const char *path, const char *title, struct knots *k)
{
    const struct conf *conf = self->conf;

    if (k->full)
        self->host->log(self, TCF_LOG_WARNING, "'%s' has only the first %d knots, there are more", path,
                        KNOT_FILE_MOST);
    return knot_file_write(self, path, conf->overwrite, title, k->at, k->n);
}

tcf_status tables_write(tcf_self *self)
{
    const struct conf *conf = self->conf;
    const struct model *m = &((const struct state *)self->state)->model;
    tcf_status status = TCF_OK;
    struct knots k = {0};
    int done = 1;

    if (conf->measurements && *conf->measurements) {
        done = add_measurements(self, &k);
        status = done ? write_knots(self, conf->measurements,
                                    "offsets as measured at the first and last event, in ticks", &k)
                      : self->host->fail(self, "out of memory for the measurements");
    }
    k.n = 0;
    for (uint32_t i = 0; status == TCF_OK && done && conf->truth && *conf->truth && i < self->defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        done = !l->any || add_truth(&k, m, i, l);
    }
    if (status == TCF_OK && conf->truth && *conf->truth)
        status = done ? write_knots(self, conf->truth, "the corrections that give the true times back, in ticks", &k)
                      : self->host->fail(self, "out of memory for %llu knots", (unsigned long long)k.n);
    free(k.at);
    return status;
}
