/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A filter whose results are as hostile as a trace's names can be, and as large as is asked for. For tests of the HTML
 * report; it is built by them as any filter out of tree would be. */
#include <tcflow/filter.h>

struct conf {
    int64_t rows;
};

static const tcf_param params[] = {
    TCF_PARAM(struct conf, rows, TCF_INT, "0", "Rows of the table `many`", .min = "0"),
};

static const char *const texts[] = {
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "<!-- <script>",
    "]]>",
    "\"}]});document.title='broken';//",
    "'\"`${document.title='broken'}",
    "\\u003c/script>\\",
    "\xe2\x80\xa8"
    "line\xe2\x80\xa9paragraph",
    "\xff\xfe invalid \xc3",
    "\xed\xa0\x80 surrogate",
    "\x01\x1f\x7f control",
    "&lt;b&gt;&amp;",
    "\xd8\xb9\xd8\xb1\xd8\xa8\xd9\x8a \xf0\x9f\x98\x80",
    "__proto__",
    "constructor",
    "",
};

static tcf_status pass_on(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

static tcf_status hostile_end(tcf_self *self)
{
    const struct conf *conf = self->conf;
    static const tcf_table_column columns[] = {
        {"</script>", TCF_CELL_TEXT, "<b>", "<img src=x onerror=alert(1)>"},
        {"uint", TCF_CELL_UINT, "\"", "'"},
        {"int", TCF_CELL_INT, NULL, NULL},
        {"double", TCF_CELL_DOUBLE, "s", ""},
        {"nothing", TCF_CELL_TEXT, NULL, "No text"},
    };
    static const tcf_table_column series[] = {
        {"from", TCF_CELL_DOUBLE, "s", "Time"},
        {"who", TCF_CELL_TEXT, NULL, "Line"},
        {"value", TCF_CELL_DOUBLE, "bytes", "Value"},
    };
    static const tcf_table_column one[] = {{"number", TCF_CELL_UINT, NULL, "Number of the row"},
                                           {"text", TCF_CELL_TEXT, NULL, "A text"}};
    const double odd[] = {0.0, -0.0, 1e308, 5e-324, 0.1, 1.0 / 3, -1e-9, 123456789.125};
    tcf_table *t = self->host->table(self, "</script><h1>", "<script>document.title='broken'</script>", columns,
                                     TCF_COUNT(columns));
    for (uint32_t i = 0; i < TCF_COUNT(texts); i++)
        TCF_ROW(self, t, tcf_text(texts[i]), tcf_uint(UINT64_MAX >> i), tcf_int(INT64_MIN >> i),
                tcf_double(i < TCF_COUNT(odd) ? odd[i] : 0.0 / 0.0), tcf_text(NULL));
    t = self->host->table(self, "series", "Two lines over time", series, TCF_COUNT(series));
    for (uint32_t i = 0; i < 40; i++)
        TCF_ROW(self, t, tcf_double(i / 2 * 0.5), tcf_text(texts[i % 2]), tcf_double(i * i));
    t = self->host->table(self, "many", "Many rows", one, TCF_COUNT(one));
    for (int64_t i = 0; i < conf->rows; i++)
        TCF_ROW(self, t, tcf_uint((uint64_t)i), tcf_text(texts[i % TCF_COUNT(texts)]));
    return TCF_OK;
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "hostile",
    .version = "1",
    .summary = "Hostile results",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .can = TCF_CAN_REPORT,
    .slice = pass_on,
    .end = hostile_end,
};
