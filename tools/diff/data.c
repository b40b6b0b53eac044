/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables as CSV and JSON, in the forms that tcflow gives its own. */
#include "diff.h"

#include <private/utf8.h>

#include <stdlib.h>
#include <string.h>

/* The shortest text that is read as the same number. */
void put_number(FILE *out, double number)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, out);
}

/* ------------------------------------------------------------------------------------------------------------- CSV
 * -- */

static void put_csv_text(FILE *out, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") || *text == ' ' || (*text && text[strlen(text) - 1] == ' ');
    if (!quoted) {
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
            put_number(s->out, cells[i].number);
    }
    fputs("\r\n", s->out);
}

static void csv_end(struct sink *s)
{
    (void)s;
}

struct sink csv_sink(FILE *out)
{
    return (struct sink){.out = out, .details = true, .begin = csv_begin, .row = csv_row, .end = csv_end};
}

/* ------------------------------------------------------------------------------------------------------------ JSON
 * -- */

/* Text in tables is UTF-8; arguments may be anything. */
void put_json_text(FILE *out, const char *text, bool in_page)
{
    putc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t n = tcf_utf8_bytes(s);
        if (n == 0)
            fputs("\\ufffd", out);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f || (in_page && strchr("<>&", *s)))
            fprintf(out, "\\u%04x", *s);
        else
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
    putc('"', out);
}

static const char *type_of(enum cell_kind kind)
{
    return kind == CELL_TEXT ? "text" : "double";
}

static void json_begin(struct sink *s)
{
    const struct table *t = &s->table;
    fprintf(s->out, "%s\n  ", s->n ? "," : "");
    put_json_text(s->out, t->name, false);
    fputs(": {\n    \"title\": ", s->out);
    put_json_text(s->out, t->title, false);
    fputs(",\n    \"columns\": [", s->out);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        fprintf(s->out, "%s\n      {\"name\": \"%s\", \"type\": \"%s\", \"unit\": ", i ? "," : "", t->column[i].name,
                type_of(t->column[i].kind));
        if (t->column[i].unit)
            put_json_text(s->out, t->column[i].unit, false);
        else
            fputs("null", s->out);
        fputs(", \"help\": ", s->out);
        put_json_text(s->out, t->column[i].help, false);
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
        if (cells[i].text)
            put_json_text(s->out, cells[i].text, false);
        else if (isfinite(cells[i].number))
            put_number(s->out, cells[i].number);
        else
            fputs("null", s->out);
    }
    putc('}', s->out);
}

static void json_end(struct sink *s)
{
    fputs("\n    ]\n  }", s->out);
}

void json_start(FILE *out)
{
    putc('{', out);
}

void json_stop(FILE *out)
{
    fputs("\n}\n", out);
}

struct sink json_sink(FILE *out)
{
    return (struct sink){.out = out, .details = true, .begin = json_begin, .row = json_row, .end = json_end};
}
