/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-scaling: what keeps a program from scaling. See doc/tcflow-scaling.1. */
#include "scaling.h"
#include "tools/shared/files.h"
#include "tools/shared/page.h"

#include <stdlib.h>
#include <string.h>

const char program_name[] = "tcflow-scaling";

void note(struct study *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    s->note = enlarge(s->note, s->n_notes + 1u, sizeof *s->note);
    s->note[s->n_notes++] = format_list(format, arguments);
    va_end(arguments);
}

static bool is_above(const struct study *s, double percent)
{
    for (uint32_t i = 0; i < s->n_causes; i++)
        if (100 * s->cause[i].explains > percent * largest(s)->total)
            return true;
    return false;
}

static void write_all(const struct study *s)
{
    const struct options *o = s->options;
    bool alone = o->html && strcmp(o->html, "-") == 0;
    (alone ? write_page : o->form == JSON ? write_json : write_text)(s, stdout);
    complete_standard_output();
    if (o->html && !alone) {
        tcf_output output;
        FILE *out = open_output(o->html, &output);
        write_page(s, out);
        complete_output(&output, out, o->overwrite);
        say("wrote ", o->html);
    }
}

int main(int argc, char **argv)
{
    static struct options o; /* what they hold is needed until the end */
    static struct study s = {.options = &o, .exponent = NAN};

    atexit(remove_scratch);
    parse_options(&o, argc, argv);
    page_check(o.html, o.overwrite);
    for (uint32_t i = 0; i < o.n_arguments; i++)
        spare_input(o.html, o.argument[i]);
    load_all(&s);
    find_sizes(&s);
    decide_law(&s);
    find_losses(&s);
    find_non_scalable(&s);
    find_abnormal(&s);
    find_causes(&s);
    find_paths(&s);
    for (uint32_t i = 0; i < s.n_notes; i++)
        say("warning: ", s.note[i]);
    write_all(&s);
    return !isnan(o.fail_above) && is_above(&s, o.fail_above) ? EXIT_LOSS : EXIT_DONE;
}
