/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Has tcflow-report make the page of a run: of the database that the run writes, or of one that lies beside the page
 * while it is made. */
#include "page.h"
#include "database.h"
#include "framework/base/error.h"
#include "framework/base/paths.h"
#include "framework/base/programs.h"

#include <private/report_page.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_SQLITE

static const char program[] = "tcflow-report", database[] = "/dev/stdin";

static tcf_status name_program(const char *path)
{
    char found[PATHS_BYTES];
    const int is_quiet = error_verbosity <= TCF_LOG_ERROR;

    if (paths_program(program, found))
        return programs_name(PROGRAM_PAGE,
                             (const char *const[]){found, "--output=-", is_quiet ? "--quiet" : "--",
                                                   is_quiet ? "--" : database, is_quiet ? database : NULL, NULL});
    return error_usage("html_report = %s: %s, the program that makes pages, is not there; it is looked for beside "
                       "tcflow and in %s",
                       path, program, TCFLOW_LIBEXEC_DIR);
}

/* What the program says of a failure stands on standard error by then. */
static tcf_status write_page_of(const char *from, int file, const char *path)
{
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    int ended;

    if (in < 0)
        return error_fail("cannot open '%s': %s", from, strerror(errno));
    tcf_status status = program_start(PROGRAM_PAGE, in, file);
    close(in);
    if (status != TCF_OK || (status = program_wait(PROGRAM_PAGE, &ended)) != TCF_OK)
        return error_while("writing to '%s'", path);
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return TCF_OK;
    return error_fail("cannot write to '%s': %s failed with %s %d", path, program,
                      WIFEXITED(ended) ? "exit status" : "signal",
                      WIFEXITED(ended) ? WEXITSTATUS(ended) : WTERMSIG(ended));
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
                                         .like = "HTML report of tcflow",
                                         .start = REPORT_PAGE_START,
                                         .start_bytes = sizeof REPORT_PAGE_START - 1},
#ifdef HAVE_SQLITE
                                .write = write_page,
                                .prepare = name_program,
#endif
                                .library = "SQLite",
                                .package = "libsqlite3-dev"};
