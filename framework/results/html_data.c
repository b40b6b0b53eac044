/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The data of an HTML report: the tables as JSON by column, each text once.
 *
 * The first pass over the tables measures the bytes of each table, texts at their first use included; from these follow
 * the limits on rows. The second pass writes.
 *
 * Names in a trace are bytes of unknown origin. JSON's rules cover quotes, control characters and what is no UTF-8;
 * `<`, `>`, `&` and JavaScript's line separators are escaped as well, so that no text ends the script element. */
#include "html_data.h"
#include "framework/base/error.h"
#include "framework/base/json.h"
#include "report_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/grow.h>
#include <tcflow/map.h>

/* JavaScript's numbers hold integers up to this exactly. */
#define EXACT_MAX ((int64_t)1 << 53)

/* --------------------------------------------------------------------------------------------------------- texts -- */

/* Each text once, in the order of first use. The reports own the texts. */
typedef struct texts {
    tcf_map first; /* (hash, attempt) -> position */
    const char **at;
    uint32_t n, capacity;
} texts;

static void texts_free(texts *t)
{
    tcf_map_free(&t->first);
    free(t->at);
    *t = (texts){.n = 0};
}

static uint64_t hash(const char *text)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

/* The position of a text; *fresh: it is new. TCF_MAP_ABSENT: out of memory. */
static uint32_t intern(texts *t, const char *text, int *fresh)
{
    uint64_t h = hash(text);
    uint32_t found, attempt = 0;

    *fresh = 0;
    for (; (found = tcf_map_get(&t->first, h, attempt)) != TCF_MAP_ABSENT; attempt++)
        if (strcmp(t->at[found], text) == 0)
            return found;
    if (TCF_GROW(&t->at, &t->capacity, t->n) != 0)
        return TCF_MAP_ABSENT;
    if (tcf_map_put(&t->first, h, attempt, t->n) != 0)
        return TCF_MAP_ABSENT;
    *fresh = 1;
    t->at[t->n] = text;
    return t->n++;
}

/* -------------------------------------------------------------------------------------------------------- values -- */

/* Detail columns in ticks repeat columns in seconds. */
static int is_left_out(const struct column *c)
{
    return c->detail && c->unit && strcmp(c->unit, "ticks") == 0;
}

static void put_integer(FILE *out, const char *digits, int exact)
{
    fprintf(out, exact ? "%s" : "\"%s\"", digits);
}

static tcf_status put_value(FILE *out, texts *t, const struct column *column, tcf_cell cell)
{
    char digits[24];
    int fresh;

    if (report_is_absent(column, cell)) {
        fputs("null", out);
        return TCF_OK;
    }
    switch (column->type) {
    case TCF_CELL_DOUBLE:
        json_double(out, cell.d);
        return TCF_OK;
    case TCF_CELL_INT:
        snprintf(digits, sizeof digits, "%" PRId64, cell.i);
        put_integer(out, digits, cell.i >= -EXACT_MAX && cell.i <= EXACT_MAX);
        return TCF_OK;
    case TCF_CELL_UINT:
        snprintf(digits, sizeof digits, "%" PRIu64, cell.u);
        put_integer(out, digits, cell.u <= (uint64_t)EXACT_MAX);
        return TCF_OK;
    default:
        if (!cell.text) {
            fputs("null", out);
            return TCF_OK;
        }
        uint32_t position = intern(t, cell.text, &fresh);
        if (position == TCF_MAP_ABSENT)
            return error_fail("out of memory for the texts of the results");
        fprintf(out, "%" PRIu32, position);
        return TCF_OK;
    }
}

/* About the number of bytes that put_value() writes, with a comma, and the text at its first use. -1: out of memory. */
static int64_t value_bytes(texts *t, int type, tcf_cell cell)
{
    char digits[32];
    int fresh;

    switch (type) {
    case TCF_CELL_DOUBLE:
        shortest_double(digits, cell.d);
        return (int64_t)strlen(digits) + 1;
    case TCF_CELL_INT:
        return snprintf(digits, sizeof digits, "%" PRId64, cell.i) + 1;
    case TCF_CELL_UINT:
        return snprintf(digits, sizeof digits, "%" PRIu64, cell.u) + 1;
    default:
        if (!cell.text)
            return 5;
        if (intern(t, cell.text, &fresh) == TCF_MAP_ABSENT)
            return -1;
        return 6 + (fresh ? (int64_t)strlen(cell.text) + 3 : 0);
    }
}

/* -------------------------------------------------------------------------------------------------------- limits -- */

/* The size of a table, and how much of it goes into the page. */
typedef struct share {
    const results_part *part;
    const tcf_table *table;
    size_t bytes; /* of all rows */
    size_t rows;  /* rows that go into the page */
} share;

static tcf_status measure(share *s, texts *t)
{
    const tcf_table *table = s->table;

    for (size_t k = 0; k < table->n_rows; k++)
        for (uint32_t i = 0; i < table->n_columns; i++) {
            if (is_left_out(&table->columns[i]))
                continue;
            int64_t n = value_bytes(t, table->columns[i].type, table->cells[k * table->n_columns + i]);
            if (n < 0)
                return error_fail("out of memory for the texts of the results");
            s->bytes += (size_t)n;
        }
    return TCF_OK;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Bytes of all tables, each limited to `each`. */
static size_t bytes_within(const share *shares, size_t n, size_t each)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += least(shares[i].bytes, each);
    return sum;
}

/* Sets the rows of each table: one limit of bytes, the largest with which all fit, cuts the large tables only. */
static void apply_limits(share *shares, size_t n, size_t rows, size_t bytes)
{
    size_t low = 0, high = bytes; /* bytes of a table; high ends as the limit */

    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (bytes_within(shares, n, middle) <= bytes)
            low = middle;
        else
            high = middle - 1;
    }
    for (size_t i = 0; i < n; i++) {
        share *s = &shares[i];
        size_t all = s->table->n_rows;
        s->rows = s->bytes <= low ? all : (size_t)((double)all * ((double)low / (double)s->bytes));
        s->rows = least(s->rows, rows);
        if (s->rows < all)
            error_log(TCF_LOG_WARNING,
                      "html_report: the page has the first %zu of %zu rows of '%s' of `%s`; the filter's `output` or "
                      "`database` has all",
                      s->rows, all, s->table->name, s->part->report->instance);
    }
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

static void put_field(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\":", name);
    json_string_in_html(out, text);
    putc(',', out);
}

static tcf_status put_column(FILE *out, texts *t, const tcf_table *table, uint32_t i, size_t rows)
{
    const struct column *c = &table->columns[i];

    putc('{', out);
    put_field(out, "name", c->name);
    put_field(out, "type", report_type_names[c->type]);
    put_field(out, "unit", c->unit);
    put_field(out, "help", c->help);
    fprintf(out, "\"detail\":%d,\"values\":[", c->detail);
    for (size_t k = 0; k < rows; k++) {
        if (k > 0)
            putc(',', out);
        if (put_value(out, t, c, table->cells[k * table->n_columns + i]) != TCF_OK)
            return TCF_ERROR;
    }
    fputs("]}", out);
    return TCF_OK;
}

static tcf_status put_table(FILE *out, texts *t, const share *s)
{
    const tcf_table *table = s->table;
    const char *before = "";

    fputs("{", out);
    put_field(out, "place", results_place(s->part));
    put_field(out, "instance", s->part->filter ? s->part->report->instance : NULL);
    put_field(out, "filter", s->part->filter);
    put_field(out, "name", table->name);
    put_field(out, "title", table->title);
    fprintf(out, "\"n_rows\":%zu,\"columns\":[", table->n_rows);
    for (uint32_t i = 0; i < table->n_columns; i++) {
        if (is_left_out(&table->columns[i]))
            continue;
        fputs(before, out);
        before = ",\n";
        if (put_column(out, t, table, i, s->rows) != TCF_OK)
            return TCF_ERROR;
    }
    fputs("]}", out);
    return TCF_OK;
}

static tcf_status put_tables(FILE *out, const share *shares, size_t n)
{
    texts t = {.n = 0};
    tcf_status status = TCF_OK;

    fputs("{\"version\":1,\"tables\":[\n", out);
    for (size_t i = 0; i < n && status == TCF_OK; i++) {
        status = put_table(out, &t, &shares[i]);
        fputs(i + 1 < n ? ",\n" : "", out);
    }
    fputs("],\n\"texts\":[", out);
    for (uint32_t i = 0; i < t.n; i++) {
        fputs(i ? ",\n" : "\n", out);
        json_string_in_html(out, t.at[i]);
    }
    fputs("]}\n", out);
    texts_free(&t);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- all -- */

static tcf_status measure_all(const results *r, share *shares)
{
    texts t = {.n = 0};
    tcf_status status = TCF_OK;
    size_t n = 0;

    for (size_t i = 0; i < r->n && status == TCF_OK; i++) {
        if (r->parts[i].report->out_of_memory)
            status = error_fail("out of memory for the results of `%s`", r->parts[i].report->instance);
        for (const tcf_table *table = r->parts[i].report->first; table && status == TCF_OK; table = table->next) {
            shares[n] = (share){.part = &r->parts[i], .table = table};
            status = measure(&shares[n++], &t);
        }
    }
    texts_free(&t);
    return status;
}

tcf_status html_data_write_within(FILE *out, const results *r, size_t rows, size_t bytes)
{
    size_t n = results_count_tables(r);
    share *shares = calloc(n ? n : 1, sizeof *shares);
    tcf_status status = shares ? measure_all(r, shares) : error_fail("out of memory for the list of results");

    if (status == TCF_OK) {
        apply_limits(shares, n, rows, bytes);
        status = put_tables(out, shares, n);
    }
    free(shares);
    return status;
}

tcf_status html_data_write(FILE *out, const results *r)
{
    return html_data_write_within(out, r, HTML_ROWS, HTML_BYTES);
}
