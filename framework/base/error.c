/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Chains of causes, and every line that tcflow writes to stderr.
 *
 * Each thread has one chain, a text in a fixed buffer, so that recording a failure needs no memory. A chain that is too
 * long is cut at its outer end: the innermost reason stays. Messages, errors and the status line of --progress are all
 * written here, each as a whole line; '?' replaces what could confuse a terminal (private/terminal.h). */
#include "error.h"

#include <private/passing_errors.h>
#include <private/terminal.h>

#include <string.h>
#include <unistd.h>

enum { CHAIN_BYTES = 8192, MESSAGE_BYTES = 4096, KEPT_BYTES = 16384 };

static _Thread_local struct {
    char text[CHAIN_BYTES];
    size_t length;
    int usage;
} chain;

/* Once for the process, as there is one stderr; only the command sets them. */
tcf_log_level error_verbosity = TCF_LOG_WARNING;
int error_colours;
static char kept[KEPT_BYTES]; /* lines for the end */
static size_t n_kept;         /* letters of them */
static int status_shown;

static size_t append(char *to, size_t capacity, size_t length, const char *text)
{
    size_t n = strlen(text);
    if (n > capacity - 1 - length)
        n = capacity - 1 - length;
    memcpy(to + length, text, n);
    to[length + n] = '\0';
    return length + n;
}

/* The arguments may point into the chain itself, so the text is formatted in a buffer of its own first. */
static void record(int fresh, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
static void record(int fresh, const char *format, va_list arguments)
{
    char text[MESSAGE_BYTES];
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    if (fresh) {
        chain.length = 0;
        chain.usage = 0;
    } else {
        chain.length = append(chain.text, sizeof chain.text, chain.length, "\n    while ");
    }
    chain.length = append(chain.text, sizeof chain.text, chain.length, text);
}

tcf_status error_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(1, format, arguments);
    va_end(arguments);
    return TCF_ERROR;
}

tcf_status error_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(1, format, arguments);
    va_end(arguments);
    chain.usage = 1;
    return TCF_ERROR;
}

tcf_status error_while(const char *format, ...)
{
    if (chain.length == 0)
        error_fail("failed for a reason that was not recorded");
    va_list arguments;
    va_start(arguments, format);
    record(0, format, arguments);
    va_end(arguments);
    return TCF_ERROR;
}

tcf_status error_as_usage(void)
{
    chain.usage = 1;
    return TCF_ERROR;
}

/* Is the innermost reason a want of memory, or does it end with what the system says of a full disk, or of an error
 * that another time would not have? */
static int is_of_the_system(void)
{
    static const char memory[] = "out of memory";
    const char *end = strstr(chain.text, "\n    while ");
    const size_t n = end ? (size_t)(end - chain.text) : chain.length;

    if (strncmp(chain.text, memory, sizeof memory - 1) == 0)
        return 1;
    for (int error = 1; error <= ETIMEDOUT; error++) {
        const char *said = strerror(error);
        if ((tcf_error_is_passing(error) || error == ENOSPC) && n >= strlen(said) &&
            strncmp(chain.text + n - strlen(said), said, strlen(said)) == 0)
            return 1;
    }
    return 0;
}

int error_is_usage(void)
{
    return chain.length > 0 && chain.usage && !is_of_the_system();
}

const char *error_text(void)
{
    return chain.length ? chain.text : "";
}

void error_clear(void)
{
    chain.length = 0;
    chain.text[0] = '\0';
    chain.usage = 0;
}

static void put_clean(FILE *stream, const char *text)
{
    tcf_terminal_put(stream, text, "\n\t");
}

static void remove_status(FILE *stream)
{
    if (status_shown && stream == stderr) {
        fputs("\r\033[K", stderr);
        status_shown = 0;
    }
}

static void put_prefix(FILE *stream, const char *prefix, tcf_log_level level)
{
    const char *colour = level == TCF_LOG_ERROR ? "\033[1;31m" : level == TCF_LOG_WARNING ? "\033[1;33m" : "";
    const int coloured = error_colours && stream == stderr && *colour;

    fprintf(stream, "tcflow: %s%s%s", coloured ? colour : "", prefix, coloured ? "\033[0m" : "");
}

void error_print(FILE *stream)
{
    if (chain.length == 0)
        return;
    flockfile(stream);
    remove_status(stream);
    put_prefix(stream, "error: ", TCF_LOG_ERROR);
    put_clean(stream, chain.text);
    putc('\n', stream);
    funlockfile(stream);
}

static void put_message(const char *prefix, tcf_log_level level, const char *format, va_list arguments)
{
    char text[MESSAGE_BYTES];

    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        return;
    flockfile(stderr);
    remove_status(stderr);
    put_prefix(stderr, prefix, level);
    put_clean(stderr, text);
    putc('\n', stderr);
    funlockfile(stderr);
}

void error_vlog(tcf_log_level level, const char *format, va_list arguments)
{
    static const char *const prefix[] = {"error: ", "warning: ", "", "debug: "};

    if (level <= error_verbosity)
        put_message(prefix[level], level, format, arguments);
}

void error_say(const char *format, ...)
{
    va_list arguments;

    if (error_verbosity < TCF_LOG_WARNING)
        return;
    va_start(arguments, format);
    put_message("", TCF_LOG_INFO, format, arguments);
    va_end(arguments);
}

void error_say_at_end(const char *format, ...)
{
    va_list arguments;

    if (error_verbosity < TCF_LOG_WARNING)
        return;
    va_start(arguments, format);
    int n = vsnprintf(kept + n_kept, sizeof kept - n_kept, format, arguments);
    va_end(arguments);
    if (n >= 0 && (size_t)n < sizeof kept - n_kept)
        n_kept += (size_t)n + 1;
    else if (n >= 0)
        error_say("%s", kept + n_kept); /* no room: at once, cut */
}

void error_say_kept(void)
{
    for (size_t at = 0; at < n_kept; at += strlen(kept + at) + 1)
        error_say("%s", kept + at);
    n_kept = 0;
}

void error_log(tcf_log_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_vlog(level, format, arguments);
    va_end(arguments);
}

void error_status_line(const char *text)
{
    flockfile(stderr);
    if (isatty(STDERR_FILENO)) {
        remove_status(stderr);
        if (text) {
            fputs("tcflow: ", stderr);
            put_clean(stderr, text);
            status_shown = 1;
        }
    } else if (text) {
        fputs("tcflow: ", stderr);
        put_clean(stderr, text);
        putc('\n', stderr);
    }
    fflush(stderr);
    funlockfile(stderr);
}
