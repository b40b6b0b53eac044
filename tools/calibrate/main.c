/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-calibrate: what recording an event and copying a message cost on this machine, as parameters of the filter
 * overhead. See doc/tcflow-calibrate.1. */
#include "calibrate.h"

#include <stdarg.h>
#include <stdlib.h>

static void say(const char *format, va_list arguments)
{
    fputs("tcflow-calibrate: ", stderr);
    vfprintf(stderr, format, arguments);
    putc('\n', stderr);
}

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    remove_scratch();
    exit(EXIT_FAILED);
}

void usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    fputs("Try 'tcflow-calibrate --help'.\n", stderr);
    exit(EXIT_USAGE);
}

void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory)
        fail("out of memory");
    return memory;
}

int main(int argc, char **argv)
{
    struct options o = {0};
    struct rows rows = {0};
    struct model *model = allocate(1, sizeof *model);
    struct copying *copying = allocate(1, sizeof *copying);

    parse_options(&o, argc, argv);
    check_output(&o);
    for (uint32_t i = 0; i < o.n_sources; i++) {
        char archive[PATH_BYTES];
        record(&o, &o.source[i], archive);
        rows_read(&rows, &o, i, archive);
    }
    model_make(model, &rows, &o);
    copy_measure(copying, &o);
    own_fit(model, copying, &o);
    write_section(&o, &rows, model, copying);
    for (uint32_t i = 0; i < model->n_warnings; i++)
        fprintf(stderr, "tcflow-calibrate: %s\n", model->warning[i]);
    remove_scratch();
    rows_free(&rows);
    free(copying);
    free(model);
    return EXIT_DONE;
}
