/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* presync: where the knots of each location come from, which locations share knots, and which have none. */
#include "../shared/clocks/knot_file.h"
#include "presync.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 5 }; /* unsynchronised locations in an error message */

/* --------------------------------------------------------------------------------------------------------- knots -- */

static uint64_t archive_offsets(const tcf_self *self)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < self->defs->n_locations && !(self->changed & TCF_WRITES_CLOCK); i++)
        n += tcf_location_at(self->defs, i)->n_clock_offsets;
    return n;
}

static tcf_status knots_of_archive(tcf_self *self)
{
    struct state *st = self->state;
    uint64_t n = archive_offsets(self);

    if (self->changed & TCF_WRITES_CLOCK)
        return self->host->refuse(self,
                                  "method = archive: a filter in front has made the archive's clock offsets void");
    if (n > 0 && self->changed & TCF_WRITES_TIME)
        self->host->log(self, TCF_LOG_WARNING,
                        "a filter in front has changed times, and the archive's clock offsets were "
                        "measured for those that were read: put presync in front of it");
    st->knots = calloc(n + 1, sizeof *st->knots);
    if (!st->knots)
        return self->host->fail(self, "out of memory for %" PRIu64 " clock offsets", n);
    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        const tcf_location *l = tcf_location_at(self->defs, i);
        for (uint32_t k = 0; k < l->n_clock_offsets; k++) {
            const tcf_clock_offset *o = &l->clock_offsets[k];
            double error = o->standard_deviation > 0 ? o->standard_deviation : (double)INFINITY;
            st->knots[st->n_knots++] = (tcf_clock_knot){o->time, o->offset, error, i, 0};
        }
    }
    knots_sort(st->knots, st->n_knots);
    return TCF_OK;
}

static tcf_status knots_of_file(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    char why[KNOT_FILE_WHY];

    if (!knot_file_read(self, conf->file, &st->knots, &st->n_knots, why))
        return self->host->refuse(self, "%s", why);
    return TCF_OK;
}

static tcf_status knots_of_survey(tcf_self *self)
{
    struct state *st = self->state;
    uint64_t n = 0, rows = 0;
    const tcf_clock_knot *knots = self->host->learned(self, TCF_CLOCK_KNOTS, sizeof *knots, &n);

    if (!knots && !self->host->learned(self, TCF_CLOCK_SOURCES, sizeof(tcf_clock_source), &rows))
        return self->host->refuse(self, "method = survey: no survey has learned clocks; name a filter that does so in "
                                        "[pipeline] survey = clock_estimate");
    if (self->changed & (TCF_WRITES_TIME | TCF_WRITES_CLOCK))
        return self->host
            ->refuse(self, "what the survey has learned of the clocks holds for times as they were read, and a "
                           "filter in front changes them: put this one in front of it, or choose another method");
    st->knots = calloc(n + 1, sizeof *st->knots);
    if (!st->knots)
        return self->host->fail(self, "out of memory for %" PRIu64 " knots", n);
    for (uint64_t i = 0; i < n; i++)
        if (knots[i].location < self->defs->n_locations)
            st->knots[st->n_knots++] = knots[i];
    knots_sort(st->knots, st->n_knots);
    return TCF_OK;
}

static enum method choose(const tcf_self *self)
{
    const struct conf *conf = self->conf;
    uint64_t n;

    if (conf->method != METHOD_AUTO)
        return (enum method)conf->method;
    if (conf->file && *conf->file)
        return METHOD_FILE;
    if (self->host->learned(self, TCF_CLOCK_KNOTS, sizeof(tcf_clock_knot), &n) ||
        self->host->learned(self, TCF_CLOCK_SOURCES, sizeof(tcf_clock_source), &n))
        return METHOD_SURVEY;
    return archive_offsets(self) > 0 ? METHOD_ARCHIVE : METHOD_NONE;
}

/* Equal knots count once; knots that contradict each other stay, and clock_pieces() refuses them. */
static void drop_equal(struct state *st)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < st->n_knots; i++) {
        tcf_clock_knot *before = n > 0 ? &st->knots[n - 1] : NULL;
        const tcf_clock_knot *k = &st->knots[i];
        if (before && before->location == k->location && before->time == k->time && before->offset == k->offset)
            before->error = k->error < before->error ? k->error : before->error;
        else
            st->knots[n++] = *k;
    }
    st->n_knots = n;
}

/* -------------------------------------------------------------------------------------------------- shared knots -- */

static void hand_out(const tcf_self *self, uint8_t origin)
{
    const struct state *st = self->state;

    for (uint32_t i = 0; i < self->defs->n_locations; i++)
        ((struct location *)tcf_location_state(self, i))->speaker = TCF_NONE;
    for (uint64_t k = 0; k < st->n_knots; k++) {
        struct location *l = tcf_location_state(self, st->knots[k].location);
        if (l->n_knots++ == 0) {
            *l = (struct location){.speaker = st->knots[k].location,
                                   .knots = &st->knots[k],
                                   .n_knots = 1,
                                   .origin = origin};
            l->error = st->knots[k].error;
        }
        l->error = st->knots[k].error > l->error ? st->knots[k].error : l->error;
    }
}

/* Gives a location without knots those of the first location of its process that has some, or else of the process that
 * created it. */
static tcf_status share(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    uint32_t *speaker = malloc((defs->n_location_groups + 1u) * sizeof *speaker);

    if (!speaker)
        return self->host->fail(self, "out of memory");
    for (uint32_t g = 0; g < defs->n_location_groups; g++)
        speaker[g] = TCF_NONE;
    for (uint32_t i = 0; i < defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        uint32_t g = tcf_location_at(defs, i)->group;
        if (l->speaker == i && g < defs->n_location_groups && speaker[g] == TCF_NONE)
            speaker[g] = i;
    }
    for (uint32_t i = 0; i < defs->n_locations; i++) {
        struct location *l = tcf_location_state(self, i);
        uint32_t g = tcf_location_at(defs, i)->group, steps = 0;
        while (g < defs->n_location_groups && speaker[g] == TCF_NONE && steps++ < defs->n_location_groups)
            g = tcf_location_group_at(defs, g)->creator;
        if (l->speaker != TCF_NONE || g >= defs->n_location_groups || speaker[g] == TCF_NONE)
            continue;
        const struct location *from = tcf_location_state(self, speaker[g]);
        l->speaker = speaker[g];
        l->knots = from->knots;
        l->n_knots = from->n_knots;
        l->origin = from->origin;
        l->error = from->error;
    }
    free(speaker);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------ unsynchronised -- */

static void mark_by_survey(const tcf_self *self, const tcf_clock_source *sources, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (sources[i].location >= self->defs->n_locations)
            continue;
        struct location *l = tcf_location_state(self, sources[i].location);
        if (sources[i].origin < TCF_CLOCK_ORIGINS && (l->speaker == TCF_NONE || sources[i].origin != TCF_CLOCK_RAW))
            l->origin = sources[i].origin;
        l->error = sources[i].error;
        l->unsynchronised = sources[i].origin == TCF_CLOCK_UNCONNECTED || sources[i].component != 0;
    }
}

/* Sets st->nothing_known: the survey ties no two processes to each other. Processes that never communicate, and whose
 * clocks were not measured, are treated as an archive without clock offsets is. */
static tcf_status look_for_ties(tcf_self *self, const tcf_clock_source *sources, uint64_t n)
{
    const tcf_definitions *defs = self->defs;
    struct state *st = self->state;
    uint32_t *process = malloc(((size_t)defs->n_locations + 1) * sizeof *process); /* by component */

    if (!process)
        return self->host->fail(self, "out of memory");
    for (uint32_t i = 0; i < defs->n_locations; i++)
        process[i] = TCF_DANGLING; /* none yet */
    st->nothing_known = st->n_knots == 0;
    for (uint64_t i = 0; i < n && st->nothing_known; i++) {
        if (sources[i].location >= defs->n_locations || sources[i].component >= defs->n_locations)
            continue;
        uint32_t mine = tcf_process_of(defs, sources[i].location), *first = &process[sources[i].component];
        st->nothing_known = *first == TCF_DANGLING || *first == mine;
        *first = mine;
    }
    free(process);
    return TCF_OK;
}

static void mark_without_knots(const tcf_self *self)
{
    const struct state *st = self->state;

    for (uint32_t i = 0; i < self->defs->n_locations && st->n_knots > 0; i++) {
        struct location *l = tcf_location_state(self, i);
        l->unsynchronised = l->speaker == TCF_NONE;
        l->origin = l->unsynchronised ? TCF_CLOCK_UNCONNECTED : l->origin;
        l->error = l->unsynchronised ? (double)INFINITY : l->error;
    }
}

/* Locations without events do not matter. The archive's count of events may be wrong, so presync_slice() looks
 * again. */
static tcf_status stop_or_keep(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    char names[512];
    size_t used = 0;

    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        const tcf_location *def = tcf_location_at(self->defs, i);
        if (!l->unsynchronised || def->events == 0 || def->silent)
            continue;
        if (st->n_unsynchronised++ < NAMED && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%" PRIu64 " (%.60s)", used > 0 ? ", " : "",
                                     def->id, def->name);
    }
    if (st->n_unsynchronised == 0)
        return TCF_OK;
    if (conf->unsynchronised == UNSYNCHRONISED_KEEP || st->nothing_known) {
        self->host->log(self, TCF_LOG_WARNING,
                        "nothing ties %u location%s to the others, so their times mean nothing beside those of the "
                        "others: %s%s",
                        st->n_unsynchronised, st->n_unsynchronised == 1 ? "" : "s", names,
                        st->n_unsynchronised > NAMED ? ", ..." : "");
        return TCF_OK;
    }
    return self->host
        ->refuse(self,
                 "nothing ties %u location%s to the others, so they cannot be synchronised: %s%s; give their "
                 "clock offsets in a file, or set unsynchronised = keep",
                 st->n_unsynchronised, st->n_unsynchronised == 1 ? "" : "s", names,
                 st->n_unsynchronised > NAMED ? ", ..." : "");
}

/* A user who asks for synchronisation has to learn that the clocks stay as they are. */
static void warn_of_nothing(tcf_self *self)
{
    const struct conf *conf = self->conf;
    const struct state *st = self->state;

    if (self->defs->n_location_groups < 2 || self->changed & TCF_WRITES_CLOCK || conf->method == METHOD_NONE)
        return;
    if (st->method == METHOD_NONE)
        self->host->log(self, TCF_LOG_WARNING,
                        "no clock is corrected: there is no file, no survey has learned clocks, and the archive has no "
                        "clock offsets; try [pipeline] survey = clock_estimate");
    else if (st->method == METHOD_ARCHIVE && st->n_knots == 0)
        self->host->log(self, TCF_LOG_WARNING, "no clock is corrected: the archive has no clock offsets");
}

tcf_status sources_find(tcf_self *self)
{
    static const uint8_t origin[] = {[METHOD_AUTO] = TCF_CLOCK_RAW,
                                     [METHOD_ARCHIVE] = TCF_CLOCK_MEASURED,
                                     [METHOD_FILE] = TCF_CLOCK_FILE,
                                     [METHOD_SURVEY] = TCF_CLOCK_MESSAGES,
                                     [METHOD_NONE] = TCF_CLOCK_RAW};
    struct state *st = self->state;
    const tcf_clock_source *sources = NULL;
    uint64_t n_sources = 0;

    st->method = choose(self);
    if ((st->method == METHOD_ARCHIVE && knots_of_archive(self) != TCF_OK) ||
        (st->method == METHOD_FILE && knots_of_file(self) != TCF_OK) ||
        (st->method == METHOD_SURVEY && knots_of_survey(self) != TCF_OK))
        return TCF_ERROR;
    warn_of_nothing(self);
    drop_equal(st);
    hand_out(self, origin[st->method]);
    if (share(self) != TCF_OK)
        return TCF_ERROR;
    if (st->method == METHOD_SURVEY)
        sources = self->host->learned(self, TCF_CLOCK_SOURCES, sizeof *sources, &n_sources);
    if (sources && look_for_ties(self, sources, n_sources) != TCF_OK)
        return TCF_ERROR;
    if (sources)
        mark_by_survey(self, sources, n_sources);
    else
        mark_without_knots(self);
    return stop_or_keep(self);
}
