/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables of results as text, CSV or JSON.
 *
 *   text   for people: report_text.c, and report_brief.c for terminals
 *   csv    RFC 4180; with several tables in one file each line starts with its table's name
 *   json   an object: table name -> {title, columns: [{name, type, unit, help}], rows: [{column: value}]}
 *
 * database.c puts the same tables into an SQLite file.
 *
 * Files are written as base/output.h says. Numbers in CSV and JSON have as many digits as reading them back needs. A
 * missing value (NaN, no text, TCF_CELL_OPTIONAL) is an empty field, null, or "-" in text. */
#include "framework/base/error.h"
#include "framework/base/json.h"
#include "framework/base/output.h"
#include "report_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELL_TYPES = TCF_CELL_TEXT | TCF_CELL_INT | TCF_CELL_UINT | TCF_CELL_DOUBLE, STORED = 0x0700 };

const char *const report_type_names[] = {"text", "int", "uint", "double"};

/* ---------------------------------------------------------------------------------------------------- collecting -- */

static char *copy_text(report *r, const char *text)
{
    char *copy = text ? store_text(&r->texts, text, strlen(text)) : NULL;
    if (text && !copy)
        r->out_of_memory = 1;
    return copy;
}

void report_on_screen(report *r, const report_screen *screen, const char *heading)
{
    r->screen = *screen;
    r->heading = copy_text(r, heading);
}

int report_is_json_on_stdout(const report_conf *conf)
{
    return conf->format == REPORT_JSON && (!conf->output || strcmp(conf->output, "-") == 0);
}

void report_as_member(report *r)
{
    r->member = 1;
}

/* A text, with a remark behind it. NULL: out of memory. */
static char *with_remark(report *r, const char *text, const char *remark)
{
    const size_t n = strlen(text) + strlen(remark) + 4;
    char *all = store_room(&r->texts, n);

    if (all)
        snprintf(all, n, *text ? "%s (%s)" : "%s%s", text, remark);
    else
        r->out_of_memory = 1;
    return all;
}

void report_say(report *r, const char *paragraph)
{
    struct paragraph *p = store_room(&r->texts, sizeof *p);

    if (!p) {
        r->out_of_memory = 1;
        return;
    }
    *p = (struct paragraph){.text = r->said || !r->gaps.sampled ? copy_text(r, paragraph)
                                                                : with_remark(r, paragraph, "from samples")};
    *r->last_said = p;
    r->last_said = &p->next;
}

int report_is_on_screen(const report_conf *conf)
{
    return conf->format == REPORT_TEXT && (!conf->output || strcmp(conf->output, "-") == 0);
}

report *report_new(const char *instance, const report_conf *conf)
{
    report *r = calloc(1, sizeof *r);
    if (!r) {
        error_fail("out of memory");
        return NULL;
    }
    r->instance = copy_text(r, instance);
    r->output = copy_text(r, conf->output ? conf->output : "-");
    r->format = conf->format;
    r->overwrite = conf->overwrite;
    r->last = &r->first;
    r->last_said = &r->said;
    if (!r->out_of_memory)
        return r;
    report_delete(r);
    error_fail("out of memory");
    return NULL;
}

void report_leave_open(report *r, const report_gaps *gaps)
{
    r->gaps = *gaps;
}

/* Which values of a column are known. A sum of which some parts are unknown is the least that it can be, but for a
 * zero, which may be all of them. */
static enum values known_values(const report_gaps *gaps, const tcf_table_column *c)
{
    const int is_bytes = c->unit && strcmp(c->unit, "bytes") == 0;

    if (gaps->messages && (is_bytes || c->type & TCF_CELL_FOLLOWS || (c->unit && strcmp(c->unit, "messages") == 0)))
        return VALUES_NONE;
    return is_bytes && gaps->sizes ? VALUES_NONE : is_bytes && gaps->some_sizes ? VALUES_WITHOUT_ZEROS : VALUES_ALL;
}

/* A table's title, with what is open behind it. */
static char *with_gaps(report *r, const char *title, const tcf_table *t)
{
    char gaps[160];
    const char *lacking = "";
    int lacks = 0;

    for (uint32_t i = 0; i < t->n_columns; i++)
        lacks |= t->columns[i].values != VALUES_ALL;
    if (r->gaps.messages && (lacks || r->gaps.follows))
        lacking = "messages and collective operations are unknown";
    else if (lacks)
        lacking = r->gaps.sizes ? "sizes of messages are unknown" : "some sizes of messages are unknown";
    snprintf(gaps, sizeof gaps, "%s%s%s", r->gaps.sampled ? "from samples" : "",
             r->gaps.sampled && *lacking ? "; " : "", lacking);
    if (!title || !*gaps)
        return copy_text(r, title);
    return with_remark(r, title, gaps);
}

tcf_table *report_table(report *r, const char *name, const char *title, const tcf_table_column *columns,
                        uint32_t n_columns)
{
    tcf_table *t = store_room(&r->texts, sizeof *t);
    struct column *own = store_room(&r->texts, n_columns * sizeof *own);

    if (!t || !own) {
        r->out_of_memory = 1;
        error_fail("out of memory");
        return NULL;
    }
    t->owner = r;
    t->name = copy_text(r, name);
    t->columns = own;
    t->n_columns = n_columns;
    for (uint32_t i = 0; i < n_columns; i++) {
        own[i].name = copy_text(r, columns[i].name);
        own[i].type = (int)columns[i].type & CELL_TYPES;
        own[i].declared = columns[i].type;
        own[i].detail = (columns[i].type & TCF_CELL_DETAIL) != 0;
        own[i].leads = (columns[i].type & TCF_CELL_LEADS) != 0;
        own[i].values = known_values(&r->gaps, &columns[i]);
        own[i].optional =
            own[i].values != VALUES_ALL || (own[i].type == TCF_CELL_UINT && columns[i].type & TCF_CELL_OPTIONAL);
        own[i].unit = copy_text(r, columns[i].unit);
        own[i].help = copy_text(r, columns[i].help);
    }
    t->title = with_gaps(r, title, t);
    *r->last = t;
    r->last = &t->next;
    return t;
}

/* Room for one more row; NULL: out of memory. */
static tcf_cell *new_row(tcf_table *t)
{
    if (t->n_rows == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 64, bytes;
        tcf_cell *grown = NULL;
        if (!__builtin_mul_overflow(capacity, t->n_columns * sizeof *grown, &bytes))
            grown = realloc(t->cells, bytes ? bytes : 1);
        if (!grown) {
            t->owner->out_of_memory = 1;
            return NULL;
        }
        t->cells = grown;
        t->capacity = capacity;
    }
    return t->cells + t->n_rows++ * t->n_columns;
}

/* The cell, or an absent one where its value isn't known. */
static tcf_cell known_cell(const struct column *c, tcf_cell cell)
{
    const int is_zero = c->type == TCF_CELL_DOUBLE ? !(cell.d > 0 || cell.d < 0) : cell.u == 0;

    if (c->values == VALUES_ALL || (c->values == VALUES_WITHOUT_ZEROS && !is_zero))
        return cell;
    return c->type == TCF_CELL_TEXT     ? tcf_text(NULL)
           : c->type == TCF_CELL_DOUBLE ? tcf_double((double)NAN)
                                        : tcf_uint(UINT64_MAX);
}

void report_row(tcf_table *t, const tcf_cell *cells)
{
    tcf_cell *row = t && !report_is_stopped(t->owner) ? new_row(t) : NULL;
    for (uint32_t i = 0; row && i < t->n_columns; i++)
        row[i] =
            known_cell(&t->columns[i],
                       t->columns[i].type == TCF_CELL_TEXT ? tcf_text(copy_text(t->owner, cells[i].text)) : cells[i]);
}

void report_cells(tcf_table *t, const tcf_cell *cells, uint32_t n)
{
    if (t && n != t->n_columns)
        t->owner->misuse = "adds a row whose number of cells is not the table's number of columns";
    else
        report_row(t, cells);
}

const char *report_misuse(const report *r)
{
    return r->misuse;
}

void report_heed(report *r, const volatile sig_atomic_t *interrupted)
{
    r->interrupted = interrupted;
}

void report_clock(report *r, const tcf_clock *clock)
{
    r->clock = *clock;
}

/* What a column says of a row. */
static tcf_cell cell_of(report *r, uint32_t declared, const char *row)
{
    const void *at = row + declared / TCF_STORED_AT;
    tcf_cell cell = {.u = 0};
    double amount = 0;

    switch (declared & STORED) {
    case TCF_STORED_TEXT:
        return tcf_text(copy_text(r, *(const char *const *)at));
    case TCF_STORED_DOUBLE:
        cell.d = amount = *(const double *)at;
        break;
    case TCF_STORED_INT:
        amount = (double)(cell.i = *(const int *)at);
        break;
    case TCF_STORED_I64:
        amount = (double)(cell.i = *(const int64_t *)at);
        break;
    case TCF_STORED_U8:
        amount = (double)(cell.u = *(const uint8_t *)at);
        break;
    case TCF_STORED_U32:
        amount = (double)(cell.u = *(const uint32_t *)at);
        if (declared & TCF_CELL_OPTIONAL && cell.u == TCF_NONE)
            cell.u = UINT64_MAX;
        break;
    case TCF_STORED_U64:
        amount = (double)(cell.u = *(const uint64_t *)at);
        break;
    }
    if ((declared & TCF_CELL_WHEN) == TCF_CELL_WHEN)
        amount = tcf_time_apart(r->clock.global_offset, cell.u);
    else if ((declared & TCF_CELL_SECONDS) != TCF_CELL_SECONDS)
        return cell;
    return tcf_double(isfinite(amount) ? amount / (double)r->clock.resolution : (double)NAN);
}

void report_rows(tcf_table *t, const void *rows, size_t n, size_t stride)
{
    for (uint32_t i = 0; t && i < t->n_columns; i++)
        if (!(t->columns[i].declared & STORED)) {
            t->owner->misuse = "adds structs to a table with a column that TCF_AT() did not make";
            return;
        }
    for (size_t k = 0; t && k < n && !report_is_stopped(t->owner); k++) {
        tcf_cell *row = new_row(t);
        for (uint32_t i = 0; row && i < t->n_columns; i++)
            row[i] =
                known_cell(&t->columns[i], cell_of(t->owner, t->columns[i].declared, (const char *)rows + k * stride));
    }
}

void report_delete(report *r)
{
    if (!r)
        return;
    for (tcf_table *t = r->first; t; t = t->next)
        free(t->cells);
    store_free(r->texts);
    free(r);
}

/* ----------------------------------------------------------------------------------------------------------- csv -- */

static void csv_text(FILE *out, const char *text)
{
    if (!text)
        return;
    if (!strpbrk(text, "\",\r\n") && *text != ' ') {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void csv_cell(FILE *out, const struct column *column, tcf_cell cell)
{
    char buffer[REPORT_CELL_BYTES];

    if (column->type == TCF_CELL_TEXT) {
        csv_text(out, cell.text);
    } else if (column->type == TCF_CELL_DOUBLE) {
        if (isfinite(cell.d)) {
            shortest_double(buffer, cell.d);
            fputs(buffer, out);
        }
    } else if (!report_is_absent(column, cell)) {
        fputs(report_readable(column, cell, buffer), out);
    }
}

static void write_csv(FILE *out, const tcf_table *t, int several)
{
    char head[256];

    if (several)
        fputs("table,", out);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        report_header(&t->columns[i], head, sizeof head);
        csv_text(out, head);
        fputs(i + 1 < t->n_columns ? "," : "\r\n", out);
    }
    for (size_t k = 0; k < t->n_rows && !report_is_stopped(t->owner); k++) {
        if (several) {
            csv_text(out, t->name);
            putc(',', out);
        }
        for (uint32_t i = 0; i < t->n_columns; i++) {
            csv_cell(out, &t->columns[i], t->cells[k * t->n_columns + i]);
            fputs(i + 1 < t->n_columns ? "," : "\r\n", out);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------- json -- */

static void json_member(FILE *out, const char *name, const char *text, const char *behind)
{
    fprintf(out, "\"%s\": ", name);
    json_string(out, text);
    fputs(behind, out);
}

static void write_json(FILE *out, const tcf_table *t)
{
    fputs("  ", out);
    json_string(out, t->name);
    fputs(": {\n    ", out);
    json_member(out, "title", t->title, ",\n    \"columns\": [");
    for (uint32_t i = 0; i < t->n_columns; i++) {
        fputs(i ? ",\n      {" : "\n      {", out);
        json_member(out, "name", t->columns[i].name, ", ");
        json_member(out, "type", report_type_names[t->columns[i].type], ", ");
        json_member(out, "unit", t->columns[i].unit, ", ");
        json_member(out, "help", t->columns[i].help, "}");
    }
    fputs("\n    ],\n    \"rows\": [", out);
    for (size_t k = 0; k < t->n_rows && !report_is_stopped(t->owner); k++) {
        fputs(k ? ",\n      {" : "\n      {", out);
        for (uint32_t i = 0; i < t->n_columns; i++) {
            tcf_cell cell = t->cells[k * t->n_columns + i];
            fputs(i ? ", " : "", out);
            json_string(out, t->columns[i].name);
            fputs(": ", out);
            if (t->columns[i].type == TCF_CELL_TEXT)
                json_string(out, cell.text);
            else if (t->columns[i].type == TCF_CELL_DOUBLE)
                json_double(out, cell.d);
            else if (report_is_absent(&t->columns[i], cell))
                fputs("null", out);
            else
                csv_cell(out, &t->columns[i], cell);
        }
        putc('}', out);
    }
    fputs("\n    ]\n  }", out);
}

/* -------------------------------------------------------------------------------------------------------- output -- */

static void render_json(const report *r, FILE *out)
{
    if (r->member) {
        json_string(out, r->instance);
        fputs(": ", out);
    }
    fputs("{\n", out);
    for (const tcf_table *t = r->first; t; t = t->next) {
        write_json(out, t);
        fputs(t->next ? ",\n" : "\n", out);
    }
    fputs(r->member ? "}" : "}\n", out);
}

/* On standard output tables without rows are left out, and where it is brief those of zeros, but for a last one that is
 * alone. */
static tcf_status render_text(const report *r, FILE *out)
{
    const int on_screen = out == stdout, brief = on_screen && r->screen.brief;
    int shown = 0, left_out = 0;

    if (r->heading && on_screen)
        fprintf(out, "%s%s%s\n\n", r->screen.colour ? "\033[1m" : "", r->heading, r->screen.colour ? "\033[0m" : "");
    if (r->said) {
        report_paragraphs(out, r);
        shown = 1;
    }
    for (const tcf_table *t = r->first; t; t = t->next) {
        const int is_empty = on_screen && t->n_rows == 0, is_zero = brief && report_is_of_zeros(t);
        if (report_is_for_programs(t) || ((is_empty || is_zero) && (t->next || shown))) {
            left_out |= is_zero;
            continue;
        }
        if (shown++)
            putc('\n', out);
        if ((brief ? report_brief(out, t, &r->screen, &left_out)
                   : report_text(out, t, on_screen ? r->screen.rows : 0)) != TCF_OK)
            return TCF_ERROR;
    }
    if (left_out)
        fprintf(out, "%s\n(everything: -o pipeline.text=exact -o pipeline.rows=0)%s\n",
                r->screen.colour ? "\033[2m" : "", r->screen.colour ? "\033[0m" : "");
    return TCF_OK;
}

static tcf_status render(const report *r, FILE *out)
{
    if (r->format == REPORT_TEXT && render_text(r, out) != TCF_OK)
        return TCF_ERROR;
    if (r->format == REPORT_JSON)
        render_json(r, out);
    for (const tcf_table *t = r->first; t && r->format == REPORT_CSV; t = t->next)
        write_csv(out, t, r->first->next != NULL);
    return report_is_whole(r);
}

tcf_status report_check(const report_conf *conf)
{
    const char *path = conf->output ? conf->output : "-";

    return strcmp(path, "-") == 0 ? TCF_OK : output_check("output", path, conf->overwrite);
}

static tcf_status close_output(FILE *out, const char *path, tcf_status status)
{
    int bad = ferror(out);
    if ((out == stdout ? fflush(out) : fclose(out)) != 0 || bad)
        return status == TCF_OK ? error_fail("cannot write to '%s': %s", path, strerror(errno)) : status;
    return status;
}

tcf_status report_is_whole(const report *r)
{
    if (r->out_of_memory)
        return error_fail("out of memory for the results of '%s'", r->instance);
    return report_is_stopped(r) ? error_fail("interrupted") : TCF_OK;
}

tcf_status report_finish(report *r)
{
    tcf_output o;

    if (report_is_whole(r) != TCF_OK)
        return TCF_ERROR;
    if (strcmp(r->output, "-") == 0)
        return close_output(stdout, "standard output", render(r, stdout));
    if (output_open("output", r->output, &o) != TCF_OK)
        return TCF_ERROR;
    FILE *out = fdopen(o.fd, "w");
    tcf_status status = out ? close_output(out, o.name, render(r, out)) : error_fail("out of memory");
    if (status == TCF_OK)
        status = output_publish("output", &o, r->overwrite);
    if (!out)
        close(o.fd);
    free(o.name);
    return status == TCF_OK ? TCF_OK : error_while("writing the results of '%s'", r->instance);
}
