/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-report: makes the page of a database of results. See doc/tcflow-report.1. */
#include "framework/base/error.h"
#include "framework/base/json.h"
#include "report.h"
#include "tools/shared/program.h"

#include <private/report_page.h>

#include <stdlib.h>
#include <string.h>

const char program_name[] = "tcflow-report";

struct options {
    const char *output; /* "-": standard output */
    uint64_t max_rows, max_bytes;
    int overwrite, quiet;
};

#define AT(member) .offset = offsetof(struct options, member)
static const option_row rows[] = {
    {'o', "output", "FILE", "the page (the last database's name with .html); -: standard output", TCF_OUTPUT_PATH,
     AT(output)},
    {0, "overwrite", NULL, "replace FILE if it is a page of this program", AT(overwrite)},
    {0, "max-rows", "N", "rows of a table; those beyond are left out (200000)", TCF_SIZE, AT(max_rows),
     .default_value = "200000"},
    {0, "max-bytes", "SIZE",
     "of all data of a database, about; the last rows of the largest tables are left out (16 MiB)", TCF_SIZE,
     AT(max_bytes), .default_value = "16M"},
    {'q', "quiet", NULL, "don't say what was written, and which rows are left out", AT(quiet)},
    {.help = ""},
};
#undef AT

static const option_table table = {
    .program = program_name,
    .rows = rows,
    .n_rows = TCF_COUNT(rows),
    .above = "Usage: tcflow-report [options] [LABEL=]DATABASE [[LABEL=]DATABASE]\n"
             "\n"
             "Makes one page of HTML, which needs no network and no other file, of a database of results, as tcflow\n"
             "writes it with `database = FILE` in [pipeline]. With `html_report = FILE` tcflow starts this program.\n"
             "Of two databases the page compares the second with the first.\n"
             "\n",
    .below = "\n"
             "Examples: tcflow-report run.sqlite -o run.html\n"
             "          tcflow-report before=a.sqlite after=b.sqlite -o changes.html\n"
             "Exit status: 0 done, 1 it failed, 2 usage.\n",
};

static const output_kind page = {.key = "output",
                                 .like = "HTML report of tcflow",
                                 .start = REPORT_PAGE_START,
                                 .start_bytes = sizeof REPORT_PAGE_START - 1};

static void start_element(FILE *out, const char *id)
{
    fprintf(out, "<script type=\"application/json\" id=\"%s\">\n", id);
}

static void end_element(FILE *out)
{
    fputs("</script>\n", out);
}

/* Of two databases each has its element, then come the tables of the comparison, and the labels. The page begins the
 * first element, and ends the last one. */
static void write_page(FILE *out, struct database *d, const struct pair *pair, const struct options *o)
{
    const struct limits limits = {.rows = o->max_rows, .bytes = o->max_bytes, .quiet = o->quiet};
    fwrite(page_before, 1, page_before_bytes, out);
    data_write(out, &d[0], &limits);
    if (pair->comparison) {
        end_element(out);
        start_element(out, "results2");
        data_write(out, &d[1], &limits);
        end_element(out);
        compare_write(out, pair);
        start_element(out, "labels");
        putc('[', out);
        json_string_in_html(out, pair->label[0]);
        putc(',', out);
        json_string_in_html(out, pair->label[1]);
        fputs("]\n", out);
    }
    fwrite(page_after, 1, page_after_bytes, out);
}

/* The name of the database with another ending. */
static char *page_name(const char *database)
{
    const char *slash = strrchr(database, '/'), *dot = strrchr(database, '.');
    const int stem = dot && dot > (slash ? slash + 1 : database) ? (int)(dot - database) : (int)strlen(database);
    return format_text("%.*s.html", stem, database);
}

int main(int argc, char **argv)
{
    static const struct names any = {0};
    struct options o = {0};
    struct pair pair = {.comparison = NULL};
    struct database d[2];
    tcf_output output;
    int first = take_options(&table, &o, argc, argv);
    const int n = argc - first;

    if (n < 1 || n > 2)
        usage("expected a database of results, or two, as tcflow writes them with 'database = FILE' in [pipeline]");
    if (n == 2)
        compare_begin(&pair, argv + first);
    else
        pair.path[0] = argv[first];
    char *beside = o.output ? NULL : page_name(pair.path[n - 1]);
    const char *name = beside ? beside : o.output;
    const bool is_file = strcmp(name, "-") != 0;
    for (int i = 0; i < n; i++)
        spare_input(is_file ? name : NULL, pair.path[i]);
    if (is_file && output_check_kind(&page, name, o.overwrite) != TCF_OK)
        (error_is_usage() ? usage : fail)("%s", error_text());
    for (int i = 0; i < n; i++)
        database_open(&d[i], pair.path[i], &any);
    if (n == 2)
        compare_load(&pair);
    FILE *out = is_file ? open_output(name, &output) : stdout;
    write_page(out, d, &pair, &o);
    for (int i = 0; i < n; i++)
        database_close(&d[i]);
    if (is_file) {
        complete_output(&output, out, o.overwrite);
        if (!o.quiet)
            say("wrote ", name);
    } else {
        complete_standard_output();
    }
    free(beside);
    return EXIT_DONE;
}
