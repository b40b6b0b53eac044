/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Has tcflow-report make the page of a run: of the database that the run writes, or of one that lies beside the page
 * while it is made. */
#include "page.h"
#include "database.h"
#include "framework/base/error.h"
#include "framework/base/paths.h"

#include <private/report_page.h>

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_SQLITE

static const char program[] = "tcflow-report";

extern char **environ;

static tcf_status refuse_without_program(const char *path)
{
    char found[PATHS_BYTES];

    if (paths_program(program, found))
        return TCF_OK;
    return error_usage("html_report = %s: %s, the program that makes pages, is not there; it is looked for beside "
                       "tcflow and in %s",
                       path, program, TCFLOW_LIBEXEC_DIR);
}

/* Starts `path` with `file` as its standard output. Returns its status as waitpid() has it; -1: see errno. */
static int run(const char *path, char *const arguments[], int file)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;

    errno = posix_spawn_file_actions_init(&actions);
    if (errno != 0)
        return -1;
    errno = posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO);
    if (errno == 0)
        errno = posix_spawn(&child, path, &actions, NULL, arguments, environ);
    const int failed = errno;
    posix_spawn_file_actions_destroy(&actions);
    errno = failed;
    if (failed)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

/* What the program says of a failure stands on standard error by then. */
static tcf_status write_page_of(const char *database, int file, const char *path)
{
    char found[PATHS_BYTES], quiet[] = "--quiet", to[] = "--output=-", end[] = "--";
    char *name = strdup(database);
    const int is_quiet = error_verbosity <= TCF_LOG_ERROR;
    char *arguments[] = {found, to, is_quiet ? quiet : end, is_quiet ? end : name, is_quiet ? name : NULL, NULL};
    tcf_status status = TCF_OK;

    if (!name)
        return error_fail("out of memory");
    if (!paths_program(program, found)) {
        status = refuse_without_program(path);
    } else {
        const int ended = run(found, arguments, file);
        if (ended < 0)
            status = error_fail("cannot write to '%s': cannot start '%s': %s", path, found, strerror(errno));
        else if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
            status = error_fail("cannot write to '%s': %s failed with %s %d", path, program,
                                WIFEXITED(ended) ? "exit status" : "signal",
                                WIFEXITED(ended) ? WEXITSTATUS(ended) : WTERMSIG(ended));
    }
    free(name);
    return status;
}

static tcf_status write_page(int file, const char *path, const results *r)
{
    char beside[PATHS_BYTES];
    tcf_output o;

    if (r->database)
        return write_page_of(r->database, file, path);
    snprintf(beside, sizeof beside, "%s.sqlite", path);
    if (output_open("html_report", beside, &o) != TCF_OK)
        return TCF_ERROR;
    tcf_status status = database_file.write(o.fd, o.name, r);
    if (status == TCF_OK)
        status = write_page_of(o.name, file, path);
    unlink(o.name);
    close(o.fd);
    free(o.name);
    return status;
}

#endif

const results_file page_file = {.kind = {.key = "html_report",
                                         .called = "an HTML report",
                                         .like = "HTML report of tcflow",
                                         .start = REPORT_PAGE_START,
                                         .start_bytes = sizeof REPORT_PAGE_START - 1},
#ifdef HAVE_SQLITE
                                .write = write_page,
                                .refuse = refuse_without_program,
#endif
                                .library = "SQLite",
                                .package = "libsqlite3-dev"};
