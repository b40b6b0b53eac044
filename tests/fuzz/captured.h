/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the targets share that run this tree's filters over made traces: the filters, which are plugins, so that each
 * keeps the names of its functions for itself (TCFLOW_FUZZ_PLUGINS: their folder), and a run whose standard output is a
 * file in memory. */
#ifndef TCFLOW_TESTS_FUZZ_CAPTURED_H
#define TCFLOW_TESTS_FUZZ_CAPTURED_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "framework/base/error.h"
#include "framework/base/large_pages.h"
#include "framework/pipeline/session.h"
#include "framework/trace/source.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_FILTERS = 64, MOST_OF_CHAIN = 8, MOST_TEXT = 1 << 20, FAILED = MOST_TEXT + 1 };

static const tcf_filter *builtin[MOST_FILTERS + 1];

static void open_plugins(void)
{
    const char *folder = getenv("TCFLOW_FUZZ_PLUGINS");
    DIR *entries = folder ? opendir(folder) : NULL;
    char path[4096];
    int n = 0;

    for (struct dirent *e; entries && (e = readdir(entries));) {
        if (!strstr(e->d_name, ".so") || n == MOST_FILTERS)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!opened || !(builtin[n] = dlsym(opened, "tcflow_filter"))) {
            fprintf(stderr, "%s\n", dlerror());
            abort();
        }
        n++;
    }
    if (n == 0) {
        fprintf(stderr, "no plugins: TCFLOW_FUZZ_PLUGINS names no folder that has some\n");
        abort();
    }
    closedir(entries);
}

/* What runs of one kind share. */
typedef struct prepared {
    settings *settings;
    const tcf_filter *filters[MOST_OF_CHAIN + 1]; /* of its chains: a session checks all that it is given */
} prepared;

/* What the reason of a failure has to name; NULL: anything. */
static const char *failure_names;

/* Does a message blame the framework or a filter, and not the trace? */
static int is_own_fault(const char *message)
{
    return strstr(message, "mistake of the filter") || strstr(message, "please report this");
}

/* Runs a chain, over src or, where that is NULL, the input of the settings; what it has written to standard output goes
 * to `to`. FAILED: it has failed; which of several reasons it names may depend on the order in which locations are
 * read. */
static size_t run_captured(const prepared *as, const char *chain, source *src, char *to)
{
    session *p = session_new_over(as->settings, NULL, as->filters, src);
    const int failed = !p || session_run(p, NULL) != TCF_OK;

    if (failed &&
        (!*error_text() || is_own_fault(error_text()) || (failure_names && !strstr(error_text(), failure_names)))) {
        fprintf(stderr, "broken: '%s' fails: %s\n", chain, *error_text() ? error_text() : "without a reason");
        abort();
    }
    if (getenv("FUZZ_TELL")) /* with one input: does a chain do what it is there for? */
        fprintf(stderr, "%s: %s\n", chain, failed ? error_text() : "done");
    session_delete(p);
    error_clear();
    fflush(stdout);
    const off_t end = lseek(STDOUT_FILENO, 0, SEEK_CUR); /* the file keeps its pages, which later texts overwrite */
    const ssize_t n = failed ? 0 : pread(STDOUT_FILENO, to, end < MOST_TEXT ? (size_t)end : MOST_TEXT, 0);
    if (end < 0 || n < 0 || lseek(STDOUT_FILENO, 0, SEEK_SET) != 0)
        abort();
    return failed ? FAILED : (size_t)n;
}

/* Aborts unless the two texts are equal; both may have FAILED. */
static void compare(const char *what, const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t at = 0;

    if (n_a == n_b && (n_a == FAILED || memcmp(a, b, n_a) == 0))
        return;
    n_a = n_a == FAILED ? 0 : n_a;
    n_b = n_b == FAILED ? 0 : n_b;
    while (at < n_a && at < n_b && a[at] == b[at])
        at++;
    while (at > 0 && a[at - 1] != '\n')
        at--;
    fprintf(stderr, "broken: %s\n--- %.300s\n+++ %.300s\n", what, at < n_a ? a + at : "", at < n_b ? b + at : "");
    abort();
}

static void add_filters(prepared *as, const char *chain)
{
    size_t n = 0;

    while (as->filters[n])
        n++;
    for (int i = 0; builtin[i]; i++) {
        const char *at = strstr(chain, builtin[i]->name);
        const size_t bytes = strlen(builtin[i]->name);
        while (at && ((at > chain && at[-1] != ' ') || (at[bytes] && at[bytes] != ' ')))
            at = strstr(at + 1, builtin[i]->name);
        if (at && n < MOST_OF_CHAIN)
            as->filters[n++] = builtin[i];
    }
}

/* Settings for a chain and a survey (NULL: none), made once; reports have the format, where one is given. */
static void prepare(prepared *as, const char *chain, const char *survey, const char *format, const char *const *more,
                    size_t n)
{
    char text[2][256], formats[MOST_OF_CHAIN][64];
    const char *overrides[32] = {text[0], text[1]};

    if (as->settings)
        return;
    snprintf(text[0], sizeof text[0], "pipeline.chain=%s", chain);
    snprintf(text[1], sizeof text[1], "pipeline.survey=%s", survey ? survey : "");
    size_t own = survey ? 2 : 1;
    add_filters(as, chain);
    if (survey)
        add_filters(as, survey);
    for (int i = 0; format && as->filters[i]; i++)
        if (as->filters[i]->can & TCF_CAN_REPORT) {
            snprintf(formats[i], sizeof formats[i], "%s.format=%s", as->filters[i]->name, format);
            overrides[own++] = formats[i];
        }
    memcpy(overrides + own, more, n * sizeof *more);
    as->settings = settings_load(NULL, overrides, own + n);
    if (!as->settings) {
        error_print(stderr);
        abort();
    }
}

static void begin_target(void)
{
    error_verbosity = TCF_LOG_ERROR;
    large_pages_keep_small(); /* as the program: calloc() clears no large table */
    open_plugins();
    const int file = memfd_create("text", MFD_CLOEXEC);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0)
        abort();
    close(file);
}

#endif
