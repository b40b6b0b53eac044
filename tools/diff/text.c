/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables as text, as wide as the terminal: columns that don't fit go to a further part of the table, long names are
 * shortened. Control characters are shown as escape sequences. */
#define _XOPEN_SOURCE 700 /* wcwidth() */
#include "diff.h"
#include "framework/base/shorten.h"
#include "framework/base/terminal.h"

#include <tcflow/grow.h>

#include <private/scaled.h>
#include <private/terminal.h>

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { GAP = 2, LEAST_NAME = 24 };

/* ---------------------------------------------------------------------------------------------------- characters -- */

/* Length of the character at s and its columns; -1: it must not go to a terminal, and *bad is its number, as
 * tcf_terminal_next() has it. */
static size_t next_character(const char *s, int *columns, uint32_t *bad)
{
    const size_t bytes = tcf_terminal_next(s, bad);
    wchar_t number;

    *columns = *bad ? -1 : mbtowc(&number, s, bytes) > 0 ? wcwidth(number) : 1;
    if (*columns < 0 && !*bad)
        *columns = 1; /* the locale doesn't know it */
    return bytes;
}

static size_t width_of(const char *s)
{
    size_t width = 0;
    for (int columns; *s; width += (size_t)(columns > 0 ? columns : 0)) {
        uint32_t number;
        s += next_character(s, &columns, &number);
    }
    return width;
}

/* Copies text without control characters that a terminal would obey. */
static char *printable(const char *s)
{
    char *text = allocate(strlen(s) * 8 + 1, 1), *to = text;
    while (*s) {
        int columns;
        uint32_t number;
        size_t bytes = next_character(s, &columns, &number);
        if (columns >= 0) {
            memcpy(to, s, bytes);
            to += bytes;
        } else if (number == '\n' || number == '\t' || number == '\r') {
            *to++ = '\\';
            *to++ = number == '\n' ? 'n' : number == '\t' ? 't' : 'r';
        } else {
            to += snprintf(to, 9, number < 0x100 || number >= TCF_NO_CHARACTER ? "\\x%02x" : "\\u%04x",
                           (unsigned)(number < TCF_NO_CHARACTER ? number : number - TCF_NO_CHARACTER));
        }
        s += bytes;
    }
    return text;
}

/* --------------------------------------------------------------------------------------------------------- cells -- */

/* Are its numbers told with a scaled unit each, as in all texts for people? */
static bool is_scaled(const struct column *c)
{
    return (c->kind == CELL_NUMBER || c->kind == CELL_CHANGE) && c->unit && strcmp(c->unit, "s") == 0;
}

static char *text_of(const struct cell *cell, const struct column *c)
{
    const enum cell_kind kind = c->kind;
    char scaled[TCF_SCALED_BYTES];
    double n = cell->number;
    if (cell->text)
        return printable(cell->text);
    if (kind == CELL_TEXT || !isfinite(n))
        return format_text("%s", kind == CELL_TEXT ? "" : "-");
    if (is_scaled(c))
        return format_text("%s%s", kind == CELL_CHANGE && n > 0 ? "+" : "", tcf_scaled_seconds(n, scaled));
    if (kind == CELL_WHOLE || (kind == CELL_CHANGE && n == floor(n) && fabs(n) < 1e15))
        return format_text(kind == CELL_WHOLE ? "%.0f" : "%+.0f", n);
    return format_text(kind == CELL_PERCENT ? "%+.1f" : kind == CELL_CHANGE ? "%+.4g" : "%.6g", n);
}

/* Collects the table: its widths are known at its end. */
static void text_row(struct sink *s, const struct cell *cells)
{
    for (uint32_t i = 0; i < s->table.n_columns; i++) {
        if (TCF_GROW(&s->text, &s->capacity, s->n_text) != 0)
            fail("out of memory");
        s->text[s->n_text++] = text_of(&cells[i], &s->table.column[i]);
    }
}

/* -------------------------------------------------------------------------------------------------------- layout -- */

struct layout {
    const struct sink *sink;
    const struct table *table;
    size_t *width; /* of columns, 0: the column is empty and left out */
    char **head;
    uint32_t last, blocks; /* number of the last column; highest block */
};

static char *head_of(const struct column *c)
{
    char *text = printable(c->name),
         *head = c->unit && *text && !is_scaled(c) ? format_text("%s [%s]", text, c->unit) : format_text("%s", text);
    free(text);
    return head;
}

static void measure(struct layout *l)
{
    uint32_t n = l->table->n_columns;
    for (uint32_t i = 0; i < n; i++) {
        const struct column *column = &l->table->column[i];
        l->head[i] = head_of(column);
        l->width[i] = width_of(l->head[i]);
        for (size_t k = i; k < l->sink->n_text; k += n) {
            size_t width = width_of(l->sink->text[k]);
            l->width[i] = width > l->width[i] ? width : l->width[i];
        }
        if (column->place != IN_ORDER)
            l->last = i;
        l->blocks = column->block > l->blocks ? column->block : l->blocks;
    }
}

static size_t block_width(const struct layout *l, uint32_t block)
{
    size_t width = 0;
    for (uint32_t i = 0; i < l->table->n_columns; i++)
        if (l->table->column[i].block == block && i != l->last && l->width[i] > 0)
            width += l->width[i] + GAP;
    return width;
}

static void put_cell(const struct layout *l, uint32_t column, const char *text, bool left, bool first)
{
    size_t width = width_of(text);
    int blanks = (int)(l->width[column] > width ? l->width[column] - width : 0), gap = first ? 0 : GAP;
    if (left)
        fprintf(l->sink->out, "%*s%s%*s", gap, "", text, blanks, "");
    else
        fprintf(l->sink->out, "%*s%s", gap + blanks, "", text);
}

/* Is the last column to be seen beside these blocks? One that is whole is no key of the others, so it stands once. */
static bool has_last(const struct layout *l, uint32_t to)
{
    return l->last != UINT32_MAX && (to >= l->blocks || l->table->column[l->last].place == AT_END);
}

/* A line with the columns of the blocks from..to; `last`: what stands in the last one. */
static void put_line(const struct layout *l, char *const *text, uint32_t from, uint32_t to, const char *last)
{
    size_t used = 0;
    bool first = true;
    for (uint32_t i = 0; i < l->table->n_columns; i++) {
        const struct column *c = &l->table->column[i];
        if (i == l->last || l->width[i] == 0 || (c->block != 0 && (c->block < from || c->block > to)))
            continue;
        put_cell(l, i, text[i], c->kind == CELL_TEXT, first);
        used += l->width[i] + GAP;
        first = false;
    }
    if (has_last(l, to) && *last) {
        fprintf(l->sink->out, "%*s", first ? 0 : GAP, "");
        if (l->table->column[l->last].place == AT_END_SENTENCE && l->sink->width > used + LEAST_NAME)
            terminal_put_wrapped(l->sink->out, last, l->sink->width - used, used);
        else
            fputs(last, l->sink->out);
    }
    putc('\n', l->sink->out);
}

/* The header and all rows, of the blocks from..to; `name`: how wide the last column may be. */
static void put_part(const struct layout *l, uint32_t from, uint32_t to, size_t name)
{
    const uint32_t n = l->table->n_columns, last = l->last;
    const size_t n_rows = l->sink->n_text / n + 1;
    const char **names = allocate(n_rows, sizeof *names);
    char **made = allocate(n_rows, sizeof *made);

    for (size_t k = 0; k < n_rows; k++)
        names[k] = last == UINT32_MAX ? "" : k == 0 ? l->head[last] : l->sink->text[(k - 1) * n + last];
    if (shorten(names, made, n_rows, name) != 0)
        fail("out of memory");
    put_line(l, l->head, from, to, names[0]);
    for (size_t k = 1; k < n_rows; k++)
        put_line(l, l->sink->text + (k - 1) * n, from, to, names[k]);
    shorten_free(made, n_rows);
    free(made);
    free(names);
}

/* As many blocks as fit, from one on; at least that one. */
static uint32_t last_block(const struct layout *l, uint32_t from, size_t *used)
{
    size_t name = !has_last(l, from) ? 0 : l->width[l->last] < LEAST_NAME ? l->width[l->last] : LEAST_NAME;
    uint32_t to = from;
    *used = block_width(l, 0) + block_width(l, from);
    while (to < l->blocks && (l->sink->width == 0 || *used + block_width(l, to + 1) + name <= l->sink->width))
        *used += block_width(l, ++to);
    return to;
}

static void put_table(const struct layout *l)
{
    uint32_t from = l->blocks ? 1 : 0;
    for (;;) {
        size_t used, name = SIZE_MAX;
        uint32_t to = last_block(l, from, &used);
        if (l->blocks == 0)
            used = block_width(l, 0);
        if (l->sink->width && l->last != UINT32_MAX && l->table->column[l->last].place == AT_END)
            name = l->sink->width > used + LEAST_NAME / 2 ? l->sink->width - used : LEAST_NAME / 2;
        put_part(l, from, to, name);
        if (to >= l->blocks)
            return;
        from = to + 1;
        putc('\n', l->sink->out);
    }
}

/* A table of one column has sentences. */
static void put_sentences(const struct sink *s)
{
    for (size_t i = 0; i < s->n_text; i++) {
        terminal_put_wrapped(s->out, s->text[i], s->width ? s->width : SIZE_MAX, 0);
        putc('\n', s->out);
    }
}

static void text_end(struct sink *s)
{
    uint32_t n = s->table.n_columns;
    struct layout l = {.sink = s, .table = &s->table, .last = UINT32_MAX};
    char *heading = table_heading(&s->table), *title = printable(heading);
    l.width = allocate(n, sizeof *l.width);
    l.head = allocate(n, sizeof *l.head);
    measure(&l);
    fprintf(s->out, "\n%s\n\n", title);
    if (n == 1 && s->n_text > 0)
        put_sentences(s);
    else if (s->n_text > 0)
        put_table(&l);
    else
        fputs("none\n", s->out);
    free(title);
    free(heading);
    for (uint32_t i = 0; i < n; i++)
        free(l.head[i]);
    while (s->n_text > 0)
        free(s->text[--s->n_text]);
    free(l.head);
    free(l.width);
    free(s->text);
    s->text = NULL;
    s->capacity = 0;
}

struct sink text_sink(FILE *out, uint64_t width)
{
    return (struct sink){
        .out = out, .stop = "", .people = true, .top = 20, .width = width, .row = text_row, .end = text_end};
}
