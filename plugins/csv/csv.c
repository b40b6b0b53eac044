/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* csv: reads tables of events, a row each. Parameters say what the columns are called. */
#define _GNU_SOURCE /* strcasestr() */
#include "../shared/numbers/decimal.h"
#include "rows.h"

#include <tcflow/map.h>
#include <tcflow/source.h>

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct conf {
    const char *time, *begin, *end, *duration, *event, *name, *process, *thread, *separator, *enter, *leave;
    tcf_list accelerators;
    int unit, sampled;
} conf;

enum { UNIT_AUTO };

typedef struct state {
    rows rows;
    uint32_t time, begin, end, duration, event, name, process, thread; /* columns; TCF_NONE: there is none */
    uint32_t n_columns;
    int time_shift, begin_shift, end_shift, duration_shift; /* powers of ten, to nanoseconds */
    tcf_map processes, threads;                             /* by text; process and text */
} state;

static tcf_status fail_at_row(const tcf_reader *self, const char *what, const char *value)
{
    const state *st = self->state;
    return self->host->fail(self, "line %" PRIu64 ": %s%s%.60s", st->rows.row_line, what, *value ? ": " : "", value);
}

/* -------------------------------------------------------------------------------------------------------- columns --
 */

/* The column of a name; with `is_prefix` the first that begins so. */
static uint32_t find(const state *st, const char *name, int is_prefix)
{
    for (uint32_t c = 0; name && *name && c < st->n_columns; c++)
        if (is_prefix ? strncasecmp(rows_cell(&st->rows, c), name, strlen(name)) == 0
                      : strcasecmp(rows_cell(&st->rows, c), name) == 0)
            return c;
    return TCF_NONE;
}

/* The column that a parameter names; where it is at its default (`usual`) the file need not have it. */
static tcf_status choose(const tcf_reader *self, const char *key, const char *name, const char *usual, uint32_t *column)
{
    const state *st = self->state;

    *column = find(st, name, 0);
    if (*column == TCF_NONE && name && *name && strcmp(name, usual) != 0)
        return self->host->refuse(self, "%s = %s: the file has no such column", key, name);
    return TCF_OK;
}

/* The power of ten that a column's times have to be taken by: of its unit in brackets, or the parameter. */
static int shift_of(const tcf_reader *self, uint32_t column)
{
    static const char *const units[] = {"(s)", "(ms)", "(us)", "(ns)"};
    const conf *c = self->conf;
    const state *st = self->state;

    if (c->unit != UNIT_AUTO)
        return 12 - 3 * c->unit;
    for (int u = 0; column != TCF_NONE && u < 4; u++)
        if (strcasestr(rows_cell(&st->rows, column), units[u]))
            return 9 - 3 * u;
    return 0;
}

/* Times are in one column, with the kind of event in another; or a row is a call, with begin and end, or duration. */
static tcf_status find_times(tcf_reader *self)
{
    const conf *c = self->conf;
    state *st = self->state;

    if (choose(self, "time", c->time, "", &st->time) != TCF_OK ||
        choose(self, "begin", c->begin, "", &st->begin) != TCF_OK ||
        choose(self, "end", c->end, "", &st->end) != TCF_OK ||
        choose(self, "duration", c->duration, "", &st->duration) != TCF_OK)
        return TCF_ERROR;
    if (st->time == TCF_NONE && st->begin == TCF_NONE)
        st->time = find(st, "Timestamp", 1);
    if (st->time == TCF_NONE && st->begin == TCF_NONE) {
        st->begin = find(st, "Start", 1);
        if (st->end == TCF_NONE)
            st->end = find(st, "End", 1);
        if (st->duration == TCF_NONE)
            st->duration = find(st, "Duration", 1);
    }
    if (st->begin != TCF_NONE && st->end == TCF_NONE && st->duration == TCF_NONE)
        return self->host->refuse(self, "there is a column of begins, but none of ends or durations: set end or "
                                        "duration to its name");
    if (st->begin == TCF_NONE && st->time == TCF_NONE)
        return self->host->refuse(self, "no column is called Timestamp or Start: set time, or begin and end, to the "
                                        "names of the columns of times");
    if (st->begin == TCF_NONE && st->event == TCF_NONE)
        return self->host->refuse(self,
                                  "no column is called '%s': set event to the name of the one that tells %s and %s",
                                  c->event, c->enter, c->leave);
    return TCF_OK;
}

static tcf_status find_columns(tcf_reader *self)
{
    const conf *c = self->conf;
    state *st = self->state;

    st->n_columns = st->rows.n_cells;
    if (choose(self, "event", c->event, "Event Type", &st->event) != TCF_OK ||
        choose(self, "name", c->name, "Name", &st->name) != TCF_OK ||
        choose(self, "process", c->process, "Process", &st->process) != TCF_OK ||
        choose(self, "thread", c->thread, "Thread", &st->thread) != TCF_OK || find_times(self) != TCF_OK)
        return TCF_ERROR;
    if (st->name == TCF_NONE)
        return self->host->refuse(self, "no column is called '%s': set name to that of the regions", c->name);
    st->time_shift = shift_of(self, st->time);
    st->begin_shift = shift_of(self, st->begin);
    st->end_shift = shift_of(self, st->end);
    st->duration_shift = shift_of(self, st->duration);
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------------------- rows --
 */

/* Numbers come in their order, before texts. */
static uint64_t place_of(const char *id)
{
    char *end;
    const uint64_t number = strtoull(id, &end, 10);
    return isdigit((unsigned char)*id) && !*end ? number : UINT64_MAX;
}

static enum tcf_location_type type_of(const conf *c, const char *thread)
{
    for (uint32_t i = 0; i < c->accelerators.n; i++)
        if (fnmatch(c->accelerators.item[i], thread, 0) == 0)
            return TCF_ACCELERATOR_STREAM;
    return TCF_CPU_THREAD;
}

/* The location of the row. TCF_NONE: a failure. */
static uint32_t location_of(tcf_reader *self)
{
    state *st = self->state;
    const char *process = st->process == TCF_NONE ? "0" : rows_cell(&st->rows, st->process),
               *thread = st->thread == TCF_NONE ? "0" : rows_cell(&st->rows, st->thread);
    const tcf_pair_key p = tcf_key_of_text(process, strlen(process)), t = tcf_key_of_text(thread, strlen(thread));
    uint32_t number = tcf_map_get(&st->processes, p.a, p.b);
    char name[128];

    if (number == TCF_MAP_ABSENT) {
        snprintf(name, sizeof name, "process %.100s", process);
        number = self->host->process(self, place_of(process), name);
        if (number == TCF_NONE)
            return TCF_NONE;
        if (tcf_map_put(&st->processes, p.a, p.b, number) != 0)
            goto no_memory;
    }
    const uint64_t a = tcf_map_hash(t.a, number), b = tcf_map_hash(t.b, ~(uint64_t)number);
    uint32_t location = tcf_map_get(&st->threads, a, b);
    if (location != TCF_MAP_ABSENT)
        return location;
    const enum tcf_location_type type = type_of(self->conf, thread);
    snprintf(name, sizeof name, "%s %.100s", type == TCF_CPU_THREAD ? "thread" : "stream", thread);
    location = self->host->location(self, number, place_of(thread), name, type);
    if (location == TCF_NONE || tcf_map_put(&st->threads, a, b, location) == 0)
        return location;
no_memory:
    self->host->fail(self, "out of memory for processes and threads");
    return TCF_NONE;
}

static tcf_status read_time(const tcf_reader *self, uint32_t column, int shift, const char *what, uint64_t *time)
{
    const state *st = self->state;
    const char *text = rows_cell(&st->rows, column);
    char message[100];

    const decimal_result result = decimal_read(text, shift, time);
    if (result == DECIMAL_GOOD)
        return TCF_OK;
    snprintf(message, sizeof message, "the %s %s", what, decimal_problem(result, text));
    return fail_at_row(self, message, text);
}

static tcf_status take_call(tcf_reader *self, uint32_t location, const tcf_region_name *region)
{
    state *st = self->state;
    uint64_t begin, end;

    if (read_time(self, st->begin, st->begin_shift, "begin", &begin) != TCF_OK)
        return TCF_ERROR;
    if (st->end == TCF_NONE) {
        if (read_time(self, st->duration, st->duration_shift, "duration", &end) != TCF_OK)
            return TCF_ERROR;
        if (end > (uint64_t)INT64_MAX - begin)
            return fail_at_row(self, "begin and duration lead beyond 2^63 - 1 ns", "");
        end += begin;
    } else if (read_time(self, st->end, st->end_shift, "end", &end) != TCF_OK) {
        return TCF_ERROR;
    }
    if (end < begin)
        return fail_at_row(self, "the call ends before it begins", region->name);
    return self->host->call(self, location, begin, end, self->host->region(self, region));
}

static tcf_status take_event(tcf_reader *self, uint32_t location, const tcf_region_name *region)
{
    const conf *c = self->conf;
    state *st = self->state;
    const tcf_source_host *host = self->host;
    const char *event = rows_cell(&st->rows, st->event);
    uint64_t time;

    if (read_time(self, st->time, st->time_shift, "time", &time) != TCF_OK)
        return TCF_ERROR;
    if (strcasecmp(event, c->enter) == 0)
        return host->enter(self, location, time, host->region(self, region));
    if (strcasecmp(event, c->leave) == 0)
        return host->leave(self, location, time, *region->name ? host->region(self, region) : TCF_NONE);
    return host->note(self, location, time, host->note_kind(self, *event ? event : "event"), region->name);
}

static tcf_status take_row(tcf_reader *self)
{
    state *st = self->state;
    const tcf_region_name region = {.name = rows_cell(&st->rows, st->name)};
    char counts[80];

    if (st->rows.n_cells != st->n_columns) {
        snprintf(counts, sizeof counts, "%u columns, but the first line has %u", st->rows.n_cells, st->n_columns);
        return fail_at_row(self, counts, "");
    }
    const uint32_t location = location_of(self);
    if (location == TCF_NONE)
        return TCF_ERROR;
    return (st->begin != TCF_NONE ? take_call : take_event)(self, location, &region);
}

static tcf_status read_rows(tcf_reader *self)
{
    state *st = self->state;
    int row = rows_next(&st->rows);
    tcf_status status = TCF_OK;

    if (row == 0)
        return self->host->fail(self, "the file has no first line with the names of columns");
    if (row > 0) {
        char *first = st->rows.text + st->rows.cell[0];
        if (strncmp(first, "\xef\xbb\xbf", 3) == 0) /* the byte order mark of some programs */
            st->rows.cell[0] += 3;
        status = find_columns(self);
    }
    while (row > 0 && status == TCF_OK && (row = rows_next(&st->rows)) > 0)
        status = take_row(self);
    return row < 0 ? fail_at_row(self, st->rows.problem, "") : status;
}

static tcf_status csv_read(tcf_reader *self)
{
    const conf *c = self->conf;
    state *st = self->state;

    if (strcmp(c->separator, "tab") != 0 && strlen(c->separator) != 1)
        return self->host->refuse(self, "separator = %s: expected one character, or tab", c->separator);
    gzFile file = gzopen(self->path, "rb");
    if (!file)
        return self->host->fail(self, "cannot be opened: %s", errno ? strerror(errno) : "out of memory");
    if (c->sampled && self->host->sampled(self) != TCF_OK) {
        gzclose(file);
        return TCF_ERROR;
    }
    rows_start(&st->rows, file, strcmp(c->separator, "tab") == 0 ? '\t' : *c->separator);
    tcf_status status = read_rows(self);
    gzclose(file);
    return status;
}

static void csv_fini(tcf_reader *self)
{
    state *st = self->state;

    rows_free(&st->rows);
    tcf_map_free(&st->processes);
    tcf_map_free(&st->threads);
}

/* A first line with the columns of Pipit, or a table of calls by name. */
static int csv_probe(const tcf_probe *probe)
{
    const char *text = (const char *)probe->first;
    const char *end = memchr(text, '\n', probe->n);
    const size_t n = end ? (size_t)(end - text) : probe->n;

    if (memmem(text, n, "Timestamp", 9) && memmem(text, n, "Event Type", 10) && memmem(text, n, "Name", 4))
        return 90;
    return tcf_name_ends(probe, ".csv") ? 1 : 0;
}

static const tcf_param params[] = {
    TCF_PARAM(conf, time, TCF_STRING, "",
              "Column with the times of events; empty: the first one that begins with Timestamp"),
    TCF_PARAM(conf, event, TCF_STRING, "Event Type", "Column with the kind of event"),
    TCF_PARAM(conf, enter, TCF_STRING, "Enter", "What it says where a call begins"),
    TCF_PARAM(conf, leave, TCF_STRING, "Leave", "What it says where a call ends; all others are instant events"),
    TCF_PARAM(conf, begin, TCF_STRING, "",
              "Column with the begins of calls, where a row is a whole call; empty: where there is no Timestamp the "
              "first one that begins with Start"),
    TCF_PARAM(conf, end, TCF_STRING, "", "Column with the ends of calls; empty: the first one that begins with End"),
    TCF_PARAM(conf, duration, TCF_STRING, "",
              "Column with the durations of calls, where there is none of ends; empty: the first one that begins with "
              "Duration"),
    TCF_PARAM(conf, unit, TCF_ENUM, "auto",
              "Unit of times; auto: that in the column's name, as in Timestamp (ns), else nanoseconds",
              .choices = "auto|s|ms|us|ns"),
    TCF_PARAM(conf, name, TCF_STRING, "Name", "Column with the names of regions"),
    TCF_PARAM(conf, process, TCF_STRING, "Process", "Column with the process; without it all are of one"),
    TCF_PARAM(conf, thread, TCF_STRING, "Thread", "Column with the thread of the process; without it each has one"),
    TCF_PARAM(conf, accelerators, TCF_LIST, "",
              "Threads, by the names or globs that are in that column, which are streams of accelerators"),
    TCF_PARAM(conf, separator, TCF_STRING, ",", "Character between cells, or tab"),
    TCF_PARAM(conf, sampled, TCF_BOOL, "no", "The table was made of samples, which no column says: all results say so"),
};

TCF_SOURCE = {
    .head = TCF_SOURCE_HEAD,
    .name = "csv",
    .version = "1.0",
    .summary = "Reads tables of events or calls, as Pipit's CSV files are",
    .help = "The first line names the columns; case doesn't count there. Either a row is an event: a time, Enter or "
            "Leave (or something else, which becomes a string parameter of that name), and the name of the region; or "
            "a row is a call, with begin and end or duration. Rows may come in any order; events of one location and "
            "equal times keep theirs. Times are rounded to nanoseconds. Cells may be quoted, the file may be packed "
            "by gzip. Other columns are not kept, and there are no messages.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .probe = csv_probe,
    .read = csv_read,
    .fini = csv_fini,
};
