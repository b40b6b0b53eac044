/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables of the framework itself: the run, its parameters, its locations, notes, losses. */
#include "run_report.h"

#include "framework/base/resources.h"
#include "framework/base/text_stream.h"
#include "framework/trace/definitions.h"
#include "parameters.h"

#include <inttypes.h>
#include <private/extent_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/processes.h>
#include <time.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "(unknown version)"
#endif

/* *text: the instances of a chain as in the settings, to be freed; NULL: there are none. */
static tcf_status words(const tcf_list *list, char **text)
{
    size_t size = 0;
    FILE *out = list->n > 0 ? open_memstream(text, &size) : NULL;

    for (uint32_t i = 0; out && i < list->n; i++)
        fprintf(out, i ? " %s" : "%s", list->item[i]);
    return list->n == 0 || (out && text_stream_close(out, text) == 0)
               ? TCF_OK
               : error_fail("out of memory for the facts of the run");
}

static tcf_status count_processes(const tcf_definitions *defs, uint32_t *n)
{
    tcf_processes p = {0};
    int found = tcf_processes_find(&p, defs) == 0;

    *n = p.n;
    tcf_processes_free(&p);
    return found ? TCF_OK : error_fail("out of memory for the facts of the run");
}

/* From the first to the last event that has come to the end of the chain, by the archive's clock offsets where the
 * chain has not corrected the clocks. Returns 0 where none has come. */
static int extent_behind(const pipeline *p, int64_t *first, int64_t *last)
{
    const tcf_self *end = &p->instances[p->n_instances - 1].self;
    const int corrected = ((end->changed | end->writes) & TCF_WRITES_CLOCK) != 0;

    *first = INT64_MAX;
    *last = INT64_MIN;
    for (uint32_t i = 0; i < p->defs->n_locations; i++) {
        const tcf_location plain = {0}, *l = corrected ? &plain : &p->defs->locations[i];
        if (p->ends[i][0] > p->ends[i][1])
            continue;
        int64_t from = tcf_global_time(l, p->ends[i][0]), to = tcf_global_time(l, p->ends[i][1]);
        *first = from < *first ? from : *first;
        *last = to > *last ? to : *last;
    }
    return *first <= *last;
}

/* Ticks. What the trace states is taken only where its events show nothing. */
static uint64_t duration_of(const session *s)
{
    int64_t first, last;
    int known = s->main->edges_only ? source_extent(s->source, &first, &last) : 0;

    return known || extent_behind(s->main, &first, &last) ? (uint64_t)last - (uint64_t)first : s->defs->clock.length;
}

static tcf_status add_run(const session *of, report *r, const session_summary *s)
{
    static const tcf_table_column columns[] = {
        {"tcflow_version", TCF_CELL_TEXT, NULL, "Version of tcflow"},
        {"date", TCF_CELL_TEXT, NULL, "When the results were written, ISO 8601 in UTC"},
        {"status", TCF_CELL_TEXT, NULL,
         "complete; salvaged: a part of the trace was lost, see losses; failed: not all filters ended"},
        {"settings", TCF_CELL_TEXT, NULL, "The settings file; NULL: the command line alone"},
        {"survey", TCF_CELL_TEXT, NULL, "Filter instances of the survey; NULL: none"},
        {"chain", TCF_CELL_TEXT, NULL, "Filter instances of the chain"},
        {"input", TCF_CELL_TEXT, NULL, "The trace that was read"},
        {"trace_id", TCF_CELL_TEXT, NULL, "Its id, 16 hexadecimal digits"},
        {"creator", TCF_CELL_TEXT, NULL, "What wrote the trace"},
        {"machine", TCF_CELL_TEXT, NULL, "Where, as the trace states it"},
        {"locations", TCF_CELL_UINT, NULL, "Locations: threads and streams that have events of their own"},
        {"processes", TCF_CELL_UINT, NULL,
         "Processes: location groups with the streams of accelerators that they created, each rank of one that has "
         "several"},
        {"events", TCF_CELL_UINT, NULL, "Events that were read"},
        {"ticks_per_second", TCF_CELL_UINT, "1/s", "Resolution of the trace's clock"},
        {"duration_ticks", TCF_CELL_UINT, "ticks", "duration in ticks"},
        {"duration", TCF_CELL_DOUBLE, "s",
         "From the first to the last event that came to the end of the chain, by the trace's clock offsets where the "
         "chain has not corrected the clocks; where all filters look at messages and collectives alone, of the whole "
         "trace"},
        {"stated_duration", TCF_CELL_DOUBLE | TCF_CELL_DETAIL, "s",
         "What the trace states instead, which may be wrong"},
        {"run_time", TCF_CELL_DOUBLE, "s", "Wall time of the run, survey included, up to the end of the last filter"},
        {"run_cpu_time", TCF_CELL_DOUBLE, "s", "The same of CPU time"},
        {"peak_memory", TCF_CELL_UINT, "bytes", "Largest resident set"},
    };
    const tcf_definitions *defs = of->defs;
    const uint64_t duration = duration_of(of);
    char date[32] = "", id[24], *survey = NULL, *chain = NULL;
    uint32_t processes;
    tcf_status status = TCF_ERROR;
    time_t now = time(NULL);
    struct tm utc;

    if (words(&of->conf.survey, &survey) != TCF_OK || words(&of->conf.chain, &chain) != TCF_OK ||
        count_processes(defs, &processes) != TCF_OK)
        goto done;

    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(id, sizeof id, "%016" PRIx64, defs->trace_id);
    tcf_table *t = report_table(r, "run", "The run", columns, sizeof columns / sizeof columns[0]);
    report_row(t, (tcf_cell[]){tcf_text(PACKAGE_VERSION),
                               tcf_text(date),
                               tcf_text(!of->main->complete ? "failed"
                                        : s->n_losses       ? "salvaged"
                                                            : "complete"),
                               tcf_text(of->settings ? of->settings->file : NULL),
                               tcf_text(survey),
                               tcf_text(chain),
                               tcf_text(defs->archive),
                               tcf_text(id),
                               tcf_text(defs->creator),
                               tcf_text(defs->machine),
                               tcf_uint(defs->n_locations),
                               tcf_uint(processes),
                               tcf_uint(s->events),
                               tcf_uint(defs->clock.resolution),
                               tcf_uint(duration),
                               tcf_double((double)duration / (double)defs->clock.resolution),
                               tcf_double((double)defs->clock.length / (double)defs->clock.resolution),
                               tcf_double(s->seconds),
                               tcf_double(s->cpu_seconds),
                               tcf_uint(s->peak_bytes)});
    status = TCF_OK;
done:
    free(survey);
    free(chain);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- parameters -- */

static void add_parameter(void *data, const parameter *x)
{
    report_rows(data, x, 1, 0);
}

/* As the filters were given them; what a filter makes of `auto` stands in its own report. */
static tcf_status add_parameters(const session *s, report *r)
{
    static const tcf_table_column columns[] = {
        {"place", TCF_AT(parameter, place), NULL, "chain, survey, or framework: those of [pipeline]"},
        {"instance", TCF_AT(parameter, instance), NULL, "Its section: the name that the chain has for the filter"},
        {"filter", TCF_AT(parameter, filter), NULL, "The filter; NULL: none, the framework"},
        {"key", TCF_AT(parameter, key), NULL, "The parameter"},
        {"value", TCF_AT(parameter, value), NULL, "Its value, as it would stand in the settings; empty: none"},
        {"origin", TCF_AT(parameter, origin), NULL,
         "Who said so: default; settings: the settings file; command line: -o; filters.d: the installed defaults, "
         "where they are others than the filter's"},
        {"type", TCF_AT(parameter, type), NULL,
         "yes or no, whole number, number, size, duration, text, path, choice, list"},
    };
    tcf_table *t = report_table(r, "parameters", "Parameters of the filters", columns, TCF_COUNT(columns));

    return parameters_each(s, add_parameter, t);
}

/* ------------------------------------------------------------------------------------------------------ the rest -- */

static void add_locations(const tcf_definitions *defs, report *r)
{
    static const tcf_table_column columns[] = {
        {"location", TCF_CELL_UINT, NULL, "Id of the location, as in the columns `location` of other tables"},
        {"thread", TCF_CELL_TEXT, NULL, "Its name"},
        {"process", TCF_CELL_TEXT, NULL, "Name of its location group"},
        {"process_id", TCF_CELL_UINT, NULL, "Id of its location group; 4294967295: none"},
        {"stated_events", TCF_CELL_UINT, NULL, "Its number of events, as the trace states it"},
    };
    tcf_table *t = report_table(r, "locations", "Locations of the trace", columns, sizeof columns / sizeof columns[0]);

    for (uint32_t i = 0; i < defs->n_locations; i++) {
        const tcf_location *l = &defs->locations[i];
        const tcf_location_group *g = l->group < defs->n_location_groups ? &defs->location_groups[l->group] : NULL;
        report_row(t, (tcf_cell[]){tcf_uint(l->id), tcf_text(l->name), tcf_text(g ? g->name : NULL),
                                   tcf_uint(g ? g->id : UINT32_MAX), tcf_uint(l->events)});
    }
}

static void add_notes(report *r, const session_summary *s)
{
    static const tcf_table_column columns[] = {
        {"note", TCF_AT(session_note, key), NULL, "What was given up, capped or repaired"},
        {"count", TCF_AT(session_note, count), NULL, "How often"},
        {"meaning", TCF_AT(session_note, text), NULL, "What it means"},
    };
    tcf_table *t = report_table(r, "notes", "What was given up, capped or repaired", columns, 3);

    report_rows(t, s->notes, s->n_notes, sizeof *s->notes);
}

static void add_losses(const tcf_definitions *defs, report *r, const session_summary *s)
{
    static const tcf_table_column columns[] = {
        {"location", TCF_CELL_UINT, NULL, "Id of the location"},
        {"last_good", TCF_CELL_TEXT, NULL,
         "Number of its last event that could be read; NULL: its local definitions are lost"},
        {"file", TCF_CELL_TEXT, NULL, "The damaged file"},
        {"reason", TCF_CELL_TEXT, NULL, "What is wrong with it"},
    };
    tcf_table *t = report_table(r, "losses", "What was lost of a damaged trace", columns, 4);
    char number[24];

    for (uint32_t i = 0; i < s->n_losses; i++) {
        const source_loss *loss = &s->losses[i];
        snprintf(number, sizeof number, "%" PRIu64, loss->last_good);
        report_row(t, (tcf_cell[]){tcf_uint(loss->location < defs->n_locations ? defs->locations[loss->location].id
                                                                               : loss->location),
                                   tcf_text(loss->last_good == SOURCE_LOST_DEFINITIONS ? NULL : number),
                                   tcf_text(loss->file), tcf_text(loss->reason)});
    }
}

report *run_report_new(session *s)
{
    report_conf conf = {.output = "-"};
    report *r = report_new("run", &conf);
    session_summary summary;

    if (!r) {
        error_fail("out of memory for the files with all results");
        return NULL;
    }
    session_summarise(s, &summary);
    summary.seconds = now_seconds() - s->started;
    summary.cpu_seconds = now_cpu_seconds() - s->started_cpu;
    if (add_run(s, r, &summary) == TCF_OK && add_parameters(s, r) == TCF_OK) {
        add_locations(s->defs, r);
        add_notes(r, &summary);
        add_losses(s->defs, r, &summary);
        if (report_is_whole(r) == TCF_OK)
            return r;
    }
    report_delete(r);
    return NULL;
}
