/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables as one self-contained page of HTML: page.js, and the tables as JSON, which the script shows. Text from a trace
 * never becomes markup: page_text() escapes the page's texts, and the script only sets text. */
#include "tools/shared/page.h"
#include "diff.h"
#include "framework/base/json.h"

#include <stdlib.h>

/* Of a table: a page with all of a large program's call paths would be too large to be looked at. */
enum { MOST_ROWS = 2000 };

static const char stop[] = "<script>\n"
#include "page_js.h"
                           "</script>\n</body>\n</html>\n";

static void put_head(FILE *out, const struct comparison *c)
{
    page_start(out, true);
    for (uint32_t g = 0; g < c->n_groups && g < 4; g++) {
        fputs(g ? ", " : "", out);
        page_text(out, c->group[g].label);
    }
    fprintf(out, "%s - tcflow-diff", c->n_groups > 4 ? ", ..." : "");
    page_body(out, "");
    fputs("<header>\n<h1>Comparison of runs</h1>\n", out);
    fputs("<p>Changes are from <strong>", out);
    page_text(out, c->group[c->reference].label);
    fputs("</strong>, the reference.</p>\n<nav></nav>\n</header>\n<noscript>This page needs JavaScript to show its "
          "tables.</noscript>\n<main></main>\n<footer>\n"
          "<p>Medians of repetitions are compared. * the ranges of the repetitions do not overlap; ~ they do, so a "
          "change may be noise. new, gone: only one of both runs has it; what is missing is not zero. Changes upwards "
          "have warm colours, those downwards cool ones.</p>\n"
          "<p>Scaling loss: time of all processes beyond that of perfect scaling. Exponent: slope of the line through "
          "the logarithms of time per process over those of processes, ideally -1 in strong and 0 in weak "
          "scaling.</p>\n<p>tcflow-diff " PACKAGE_VERSION "</p>\n</footer>\n",
          out);
}

/* Where column i of the page stands in the table: names come first, unless something else tells rows apart there. */
static uint32_t from_table(const struct table *t, uint32_t i)
{
    uint32_t last = t->n_columns - 1;
    if (t->column[0].kind == CELL_TEXT || t->column[last].place == IN_ORDER)
        return i;
    return i == 0 ? last : i - 1;
}

static void page_begin(struct sink *s)
{
    static const char *const kinds[] = {[CELL_TEXT] = "text",
                                        [CELL_NUMBER] = "number",
                                        [CELL_WHOLE] = "whole",
                                        [CELL_CHANGE] = "change",
                                        [CELL_PERCENT] = "percent"};
    const struct table *t = &s->table;
    char *heading = table_heading(t);
    fputs("<script type=\"application/json\" class=\"table\">{\"name\":", s->out);
    json_string_in_html(s->out, t->name);
    fputs(",\"title\":", s->out);
    json_string_in_html(s->out, heading);
    free(heading);
    fputs(",\"columns\":[", s->out);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        const struct column *c = &t->column[from_table(t, i)];
        fputs(i ? ",{\"name\":" : "{\"name\":", s->out);
        json_string_in_html(s->out, c->name);
        fputs(",\"unit\":", s->out);
        json_string_in_html(s->out, c->unit ? c->unit : "");
        fputs(",\"help\":", s->out);
        json_string_in_html(s->out, c->help);
        fprintf(s->out, ",\"kind\":\"%s\",\"last\":%s}", kinds[c->kind], c->place != IN_ORDER ? "true" : "false");
    }
    fputs("],\"rows\":[", s->out);
    s->first_row = true;
}

static void page_row(struct sink *s, const struct cell *cells)
{
    fputs(s->first_row ? "\n[" : ",\n[", s->out);
    s->first_row = false;
    for (uint32_t i = 0; i < s->table.n_columns; i++) {
        fputs(i ? "," : "", s->out);
        put_json_cell(s->out, &cells[from_table(&s->table, i)], true);
    }
    putc(']', s->out);
}

static void page_end(struct sink *s)
{
    fputs("]}</script>\n", s->out);
}

struct sink tables_sink(FILE *out)
{
    return (struct sink){.out = out,
                         .stop = "",
                         .people = true,
                         .details = true,
                         .top = MOST_ROWS,
                         .begin = page_begin,
                         .row = page_row,
                         .end = page_end};
}

struct sink page_sink(FILE *out, const struct comparison *c)
{
    put_head(out, c);
    struct sink s = tables_sink(out);
    s.stop = stop;
    return s;
}
