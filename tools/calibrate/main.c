/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-calibrate: what recording an event and copying a message cost on this machine, as parameters of the filter
 * overhead. See doc/tcflow-calibrate.1. */
#include "calibrate.h"

#include <stdlib.h>

const char program_name[] = "tcflow-calibrate";

int main(int argc, char **argv)
{
    static struct options o; /* static: they are large, and needed until the end */
    static struct rows rows;
    static struct model model;
    static struct copying copying;

    atexit(remove_scratch);
    parse_options(&o, argc, argv);
    check_output(&o);
    for (uint32_t i = 0; i < o.n_sources; i++) {
        char archive[PATH_BYTES];
        record(&o, &o.source[i], archive);
        rows_read(&rows, &o, i, archive);
    }
    model_make(&model, &rows, &o);
    copy_measure(&copying, &o);
    own_fit(&model, &copying, &o);
    write_section(&o, &rows, &model, &copying);
    for (uint32_t i = 0; i < model.n_warnings; i++)
        say("", model.warning[i]);
    return EXIT_DONE;
}
