/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

#include "program.h"
#include "framework/base/error.h"

#include <stdarg.h>
#include <stdlib.h>

static _Noreturn void end(int status, const char *format, va_list arguments)
{
    fprintf(stderr, "%s: ", program_name);
    vfprintf(stderr, format, arguments);
    putc('\n', stderr);
    if (status == EXIT_USAGE)
        fprintf(stderr, "Try '%s --help'.\n", program_name);
    exit(status);
}

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end(EXIT_FAILED, format, arguments);
}

void usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end(EXIT_USAGE, format, arguments);
}

void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);
    if (!memory)
        fail("out of memory");
    return memory;
}

void *enlarge(void *memory, size_t n, size_t size)
{
    void *larger = size && n > SIZE_MAX / size ? NULL : realloc(memory, n * size);
    if (!larger)
        fail("out of memory");
    return larger;
}

int take_options(const option_table *table, void *conf, int argc, char **argv)
{
    int first = argc;
    tcf_status status = options_parse(table, conf, argc, argv, &first);
    if (status == TCF_HELD)
        exit(EXIT_DONE);
    if (status != TCF_OK)
        (error_is_usage() ? usage : fail)("%s", error_text());
    return first;
}
