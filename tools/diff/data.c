/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables as CSV and JSON, in the forms that tcflow gives its own. */
#include "diff.h"
#include "framework/base/json.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- CSV -- */

static void put_csv_text(FILE *out, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") || *text == ' ' || (*text && text[strlen(text) - 1] == ' ');
    fputs(quoted ? "\"" : "", out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    fputs(quoted ? "\"" : "", out);
}

static void csv_begin(struct sink *s)
{
    if (s->n)
        fputs("\r\n", s->out);
    fputs("table", s->out);
    for (uint32_t i = 0; i < s->table.n_columns; i++) {
        const struct column *c = &s->table.column[i];
        fprintf(s->out, c->unit ? ",%s [%s]" : ",%s", c->name, c->unit);
    }
    fputs("\r\n", s->out);
}

static void csv_row(struct sink *s, const struct cell *cells)
{
    fputs(s->table.name, s->out);
    for (uint32_t i = 0; i < s->table.n_columns; i++) {
        putc(',', s->out);
        if (cells[i].text)
            put_csv_text(s->out, cells[i].text);
        else if (isfinite(cells[i].number))
            json_double(s->out, cells[i].number);
    }
    fputs("\r\n", s->out);
}

static void csv_end(struct sink *s)
{
    (void)s;
}

struct sink csv_sink(FILE *out)
{
    return (struct sink){.out = out, .stop = "", .details = true, .begin = csv_begin, .row = csv_row, .end = csv_end};
}

/* ---------------------------------------------------------------------------------------------------------- JSON -- */

void put_json_cell(FILE *out, const struct cell *cell, bool in_page)
{
    if (cell->text)
        (in_page ? json_string_in_html : json_string)(out, cell->text);
    else
        json_double(out, cell->number);
}

static void json_begin(struct sink *s)
{
    const struct table *t = &s->table;
    fprintf(s->out, "%s\n  \"%s\": {\n    \"title\": ", s->n ? "," : "", t->name);
    json_string(s->out, t->title);
    fputs(",\n    \"columns\": [", s->out);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        const struct column *c = &t->column[i];
        fprintf(s->out, "%s\n      {\"name\": \"%s\", \"type\": \"%s\", \"unit\": ", i ? "," : "", c->name,
                c->kind == CELL_TEXT ? "text" : "double");
        json_string(s->out, c->unit);
        fputs(", \"help\": ", s->out);
        json_string(s->out, c->help);
        putc('}', s->out);
    }
    fputs("\n    ],\n    \"rows\": [", s->out);
    s->first_row = true;
}

static void json_row(struct sink *s, const struct cell *cells)
{
    fputs(s->first_row ? "\n      {" : ",\n      {", s->out);
    s->first_row = false;
    for (uint32_t i = 0; i < s->table.n_columns; i++) {
        fprintf(s->out, "%s\"%s\": ", i ? ", " : "", s->table.column[i].name);
        put_json_cell(s->out, &cells[i], false);
    }
    putc('}', s->out);
}

static void json_end(struct sink *s)
{
    fputs("\n    ]\n  }", s->out);
}

struct sink json_sink(FILE *out)
{
    putc('{', out);
    return (struct sink){.out = out,
                         .stop = "\n}\n",
                         .details = true,
                         .begin = json_begin,
                         .row = json_row,
                         .end = json_end};
}
