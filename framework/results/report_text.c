/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables of results as text for people: aligned columns, numbers to the right, units in the header, without columns of
 * TCF_CELL_DETAIL. A long table is cut to those rows with the largest amounts in its leading column (TCF_CELL_LEADS).
 * They stay in the table's order, so that trees and groups stay together; a last line states what was left out. */
#include "framework/base/error.h"
#include "framework/base/terminal.h"
#include "report_tables.h"

#include <inttypes.h>
#include <math.h>
#include <private/terminal.h>
#include <stdlib.h>
#include <string.h>

/* A call path without a call has no name in files, and one for people. */
static int is_call_path(const struct column *column)
{
    return column->name && (strcmp(column->name, "call_path") == 0 || strcmp(column->name, "cause_path") == 0);
}

const char *report_readable(const struct column *column, tcf_cell cell, char buffer[REPORT_CELL_BYTES])
{
    if (report_is_absent(column, cell))
        return "-";
    switch (column->type) {
    case TCF_CELL_TEXT:
        if (cell.text && !*cell.text && is_call_path(column))
            return "(outside of any call)";
        return cell.text ? cell.text : "-";
    case TCF_CELL_INT:
        snprintf(buffer, REPORT_CELL_BYTES, "%" PRId64, cell.i);
        break;
    case TCF_CELL_UINT:
        snprintf(buffer, REPORT_CELL_BYTES, "%" PRIu64, cell.u);
        break;
    case TCF_CELL_DOUBLE:
        if (isnan(cell.d))
            return "-";
        snprintf(buffer, REPORT_CELL_BYTES, "%.9g", cell.d);
        break;
    }
    return buffer;
}

static void pad(FILE *out, size_t n)
{
    while (n-- > 0)
        putc(' ', out);
}

void report_field(FILE *out, const char *text, size_t columns, int right, int last)
{
    const size_t used = tcf_terminal_columns(text), blanks = used < columns ? columns - used : 0;

    if (right)
        pad(out, blanks);
    tcf_terminal_put(out, text, "");
    if (!right && !last)
        pad(out, blanks);
    fputs(last ? "" : "  ", out);
}

void report_header(const struct column *column, char *to, size_t capacity)
{
    snprintf(to, capacity, column->unit ? "%s [%s]" : "%s", column->name ? column->name : "",
             column->unit ? column->unit : "");
}

/* ---------------------------------------------------------------------------------------------------------- rows -- */

/* A row and its amount in the leading column. */
typedef struct amount {
    double size;
    size_t row;
} amount;

/* The largest first, NaN last, equal ones by row. */
static int compare_amounts(const void *a, const void *b)
{
    const amount *x = a, *y = b;

    if (isnan(x->size) != isnan(y->size))
        return isnan(x->size) ? 1 : -1;
    if (x->size != y->size && !isnan(x->size))
        return x->size > y->size ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int compare_rows(const void *a, const void *b)
{
    const amount *x = a, *y = b;
    return x->row < y->row ? -1 : x->row > y->row;
}

static double size_of(const struct column *column, tcf_cell cell)
{
    double size = column->type == TCF_CELL_DOUBLE ? cell.d
                  : column->type == TCF_CELL_INT  ? (double)cell.i
                  : column->type == TCF_CELL_UINT ? (double)cell.u
                                                  : NAN;
    return fabs(size);
}

const struct column *report_leading(const tcf_table *t)
{
    for (uint32_t i = 0; i < t->n_columns; i++)
        for (size_t k = 0; t->columns[i].leads && k < t->n_rows; k++)
            if (!isnan(size_of(&t->columns[i], t->cells[k * t->n_columns + i])))
                return &t->columns[i];
    return NULL;
}

size_t report_top_rows(const tcf_table *t, size_t *rows, size_t n, size_t most)
{
    const struct column *leads = report_leading(t);
    amount *all;

    if (most == 0 || n <= most)
        return n;
    if (!leads)
        return most;
    if (!(all = calloc(n, sizeof *all)))
        return SIZE_MAX;
    for (size_t k = 0; k < n; k++) {
        all[k].row = rows[k];
        all[k].size = size_of(leads, t->cells[rows[k] * t->n_columns + (size_t)(leads - t->columns)]);
    }
    qsort(all, n, sizeof *all, compare_amounts);
    qsort(all, most, sizeof *all, compare_rows);
    for (size_t k = 0; k < most; k++)
        rows[k] = all[k].row;
    free(all);
    return most;
}

static void print_rest(FILE *out, const tcf_table *t, size_t n)
{
    const struct column *leads = report_leading(t);
    char head[256];

    if (leads) {
        report_header(leads, head, sizeof head);
        fprintf(out, "(%zu of %zu rows, the top ones by %s; ", n, t->n_rows, head);
    } else {
        fprintf(out, "(the first %zu of %zu rows; ", n, t->n_rows);
    }
    fprintf(out, "all of them: -o pipeline.rows=0, or -o %s.output=FILE)\n", t->owner->instance);
}

/* ---------------------------------------------------------------------------------------------------- paragraphs -- */

enum { LINE_COLUMNS = 79 };

/* Lines begin below the second word where the first one is a number ("1."). */
static void put_paragraph(FILE *out, const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    const size_t indent = digits > 0 && strncmp(text + digits, ". ", 2) == 0 ? digits + 2 : 0;

    fprintf(out, "%.*s", (int)indent, text);
    terminal_put_wrapped(out, text + indent, LINE_COLUMNS - indent, indent);
    putc('\n', out);
}

void report_paragraphs(FILE *out, const report *r)
{
    for (const struct paragraph *p = r->said; p; p = p->next)
        put_paragraph(out, p->text ? p->text : "");
}

/* --------------------------------------------------------------------------------------------------------- table -- */

/* The width of a column's widest header or cell. */
static size_t column_width(const tcf_table *t, uint32_t i, const size_t *rows, size_t n_rows)
{
    char buffer[REPORT_CELL_BYTES], head[256];
    report_header(&t->columns[i], head, sizeof head);
    size_t widest = tcf_terminal_columns(head);

    for (size_t k = 0; k < n_rows && !report_is_stopped(t->owner); k++) {
        size_t n = tcf_terminal_columns(report_readable(&t->columns[i], t->cells[rows[k] * t->n_columns + i], buffer));
        widest = n > widest ? n : widest;
    }
    return widest;
}

tcf_status report_text(FILE *out, const tcf_table *t, size_t most)
{
    size_t *rows = calloc(t->n_rows ? t->n_rows : 1, sizeof *rows);
    uint32_t *shown = calloc(t->n_columns ? t->n_columns : 1, sizeof *shown), n = 0;
    size_t *widths = calloc(t->n_columns ? t->n_columns : 1, sizeof *widths);
    char buffer[REPORT_CELL_BYTES], head[256];

    for (size_t k = 0; rows && k < t->n_rows; k++)
        rows[k] = k;
    const size_t n_rows = rows ? report_top_rows(t, rows, t->n_rows, most) : SIZE_MAX;
    if (!shown || !widths || n_rows == SIZE_MAX) {
        free(shown);
        free(widths);
        free(rows);
        return error_fail("out of memory");
    }
    for (uint32_t i = 0; i < t->n_columns; i++) {
        if (t->columns[i].detail)
            continue;
        widths[n] = column_width(t, i, rows, n_rows);
        shown[n++] = i;
    }
    if (t->title && *t->title)
        fprintf(out, "%s\n\n", t->title);
    for (uint32_t i = 0; i < n; i++) {
        report_header(&t->columns[shown[i]], head, sizeof head);
        report_field(out, head, widths[i], t->columns[shown[i]].type != TCF_CELL_TEXT, i + 1 == n);
    }
    putc('\n', out);
    for (size_t k = 0; k < n_rows && !report_is_stopped(t->owner); k++, putc('\n', out))
        for (uint32_t i = 0; i < n; i++) {
            const struct column *c = &t->columns[shown[i]];
            report_field(out, report_readable(c, t->cells[rows[k] * t->n_columns + shown[i]], buffer), widths[i],
                         c->type != TCF_CELL_TEXT, i + 1 == n);
        }
    if (t->n_rows == 0)
        fputs("(nothing)\n", out);
    if (n_rows < t->n_rows)
        print_rest(out, t, n_rows);
    free(rows);
    free(shown);
    free(widths);
    return TCF_OK;
}
