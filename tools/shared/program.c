/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

#define _GNU_SOURCE /* vasprintf() */
#include "program.h"
#include "framework/base/error.h"
#include "framework/base/units.h"

#include <errno.h>
#include <private/terminal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void say(const char *kind, const char *text)
{
    fprintf(stderr, "%s: %s", program_name, kind);
    tcf_terminal_put(stderr, text, "\n\t");
    putc('\n', stderr);
}

void (*before_last_words)(void);

static _Noreturn void end(int status, const char *format, va_list arguments)
{
    char *text;
    if (before_last_words)
        before_last_words();
    say("", vasprintf(&text, format, arguments) < 0 ? "out of memory" : text);
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

void complete_standard_output(void)
{
    errno = 0; /* an earlier write may have failed, whose reason is gone */
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("cannot write to standard output: %s", errno ? strerror(errno) : "a write failed");
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

char *format_list(const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        fail("out of memory");
    return text;
}

char *format_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_list(format, arguments);
    va_end(arguments);
    return text;
}

FILE *open_output(const char *path, tcf_output *o)
{
    if (output_open("output", path, o) != TCF_OK)
        fail("%s", error_text());
    FILE *file = fdopen(o->fd, "w");
    if (!file)
        fail("out of memory");
    return file;
}

void complete_output(tcf_output *o, FILE *file, int overwrite)
{
    int failed = ferror(file) != 0;
    failed |= fclose(file) != 0;
    if (failed)
        error_fail("cannot write '%s': %s", o->path, strerror(errno));
    if (failed || output_publish("output", o, overwrite) != TCF_OK) {
        if (!o->direct)
            unlink(o->name);
        fail("%s", error_text());
    }
    free(o->name);
}

/* Ends the program where a and b are the same: `output` would replace something of `input`. */
static void spare(const char *output, const char *input, const char *a, const char *b)
{
    const int is_same = output_is_same(a, b);

    if (is_same < 0)
        fail("'%s' may be the input '%s' or a part of it: nobody can look at it: %s", output, input, strerror(errno));
    if (is_same)
        usage("'%s' is the input '%s' or a part of it, and is not replaced", output, input);
}

void spare_input(const char *output, const char *input)
{
    static const char *const parts[] = {"def", "marker", "thumb"};
    const char *slash = output ? strrchr(output, '/') : NULL, *dot = strrchr(input, '.');
    const int is_anchor = dot && strcmp(dot, ".otf2") == 0;

    if (!output)
        return;
    char *events = format_text("%.*s", is_anchor ? (int)(dot - input) : (int)strlen(input), input);
    char *folder = slash ? format_text("%.*s", slash == output ? 1 : (int)(slash - output), output) : format_text(".");
    spare(output, input, output, input);
    spare(output, input, folder, events);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && is_anchor; i++) {
        char *part = format_text("%s.%s", events, parts[i]);
        spare(output, input, output, part);
        free(part);
    }
    free(events);
    free(folder);
}

tcf_status take_name(void *to, const char *what, const char *value)
{
    struct names *names = to;
    (void)what;
    names->at = enlarge(names->at, names->n + 1u, sizeof *names->at);
    names->met = enlarge(names->met, names->n + 1u, sizeof *names->met);
    names->met[names->n] = false;
    names->at[names->n++] = value;
    return TCF_OK;
}

int read_percent(const char *value, double *percent)
{
    char plain[64];
    size_t n = strlen(value);

    n -= n > 0 && value[n - 1] == '%';
    snprintf(plain, sizeof plain, "%.*s", (int)n, value);
    return n >= sizeof plain || units_double(plain, percent) ? -1 : 0;
}

int take_options(const option_table *table, void *conf, int argc, char **argv)
{
    int first = argc;
    output_reserve_standard();
    tcf_status status = options_parse(table, conf, argc, argv, &first);
    if (status == TCF_HELD)
        exit(EXIT_DONE);
    if (status != TCF_OK)
        (error_is_usage() ? usage : fail)("%s", error_text());
    return first;
}
