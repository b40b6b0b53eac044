/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-diff: compares the databases of several runs. See doc/tcflow-diff.1. */
#include "diff.h"
#include "tools/shared/files.h"
#include "tools/shared/page.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char program_name[] = "tcflow-diff";

/* -------------------------------------------------------------------------------------------------------- output -- */

static uint64_t terminal_width(const struct options *o)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (o->width)
        return o->width;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    long n = columns ? strtol(columns, NULL, 10) : 0;
    return n > 0 && n < 100000 ? (uint64_t)n : 0;
}

static void write_standard(struct comparison *c)
{
    enum form form = c->options->form;
    report(c, form == CSV    ? csv_sink(stdout)
              : form == JSON ? json_sink(stdout)
                             : text_sink(stdout, terminal_width(c->options)));
}

static void write_page_file(struct comparison *c)
{
    tcf_output o;
    FILE *out = open_output(c->options->html, &o);
    report(c, page_sink(out, c));
    complete_output(&o, out, c->options->overwrite);
    say("wrote ", c->options->html);
}

static void write_all(struct comparison *c)
{
    const char *html = c->options->html;
    if (html && strcmp(html, "-") == 0)
        report(c, page_sink(stdout, c));
    else
        write_standard(c);
    complete_standard_output();
    if (html && strcmp(html, "-") != 0)
        write_page_file(c);
}

int main(int argc, char **argv)
{
    static struct options o; /* what they hold is needed until the end */
    static struct comparison c = {.options = &o};

    setlocale(LC_CTYPE, "C.UTF-8"); /* for the widths of characters */
    atexit(remove_scratch);
    parse_options(&o, argc, argv);
    page_check(o.html, o.overwrite);
    inputs_read(&c);
    for (uint32_t i = 0; i < c.n_runs; i++)
        spare_input(o.html, c.run[i].path);
    inputs_make_databases(&c);
    load_all(&c);
    check_runs(&c);
    for (uint32_t i = 0; i < c.n_notes; i++)
        if (c.note[i].warning)
            say("warning: ", c.note[i].text);
    if (!isnan(o.fail_above))
        judge_check(&c);
    write_all(&c);
    uint32_t worse = isnan(o.fail_above) ? 0 : judge(&c, NULL);
    return worse ? EXIT_WORSE : EXIT_DONE;
}
