/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See pager.h. The pager is a child of a shell, so that PAGER may have arguments. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2(), asprintf() */
#endif
#include "pager.h"
#include "framework/base/error.h"
#include "framework/base/programs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    int is_named, runs;
    int terminal, early;
} pager;

static const char *pager_command(void)
{
    const char *own = getenv("TCFLOW_PAGER"), *usual = getenv("PAGER");
    const char *command = own     ? own
                          : usual ? usual
                                  : "if command -v less >/dev/null 2>&1; then exec less; else exec cat; fi";
    return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

tcf_status pager_name(void)
{
    const char *command = pager_command();
    char *whole;

    if (!command || !isatty(STDOUT_FILENO))
        return TCF_OK;
    if (asprintf(&whole, "export LESS=\"${LESS-FRX}\" LV=\"${LV--c}\"\n%s", command) < 0)
        return error_fail("out of memory for the name of the pager");
    const tcf_status status = programs_name(PROGRAM_PAGER, (const char *const[]){"/bin/sh", "-c", whole, NULL});
    free(whole);
    pager.is_named = status == TCF_OK;
    return status;
}

void pager_begin(void)
{
    int ends[2];

    if (!pager.is_named || pager.runs || fflush(stdout) != 0)
        return;
    if ((pager.terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) < 0)
        return;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        close(pager.terminal);
        return;
    }
    pager.runs = program_start(PROGRAM_PAGER, ends[0], pager.terminal) == TCF_OK;
    if (pager.runs) {
        dup2(ends[1], STDOUT_FILENO);
    } else {
        error_clear();
        close(pager.terminal);
    }
    close(ends[0]);
    close(ends[1]);
}

void pager_end(void)
{
    int status;

    if (!pager.runs)
        return;
    pager.early |= fflush(stdout) != 0 || ferror(stdout);
    clearerr(stdout);
    dup2(pager.terminal, STDOUT_FILENO);
    close(pager.terminal);
    (void)program_wait(PROGRAM_PAGER, &status);
    pager.runs = 0;
}

int pager_ended_early(void)
{
    return pager.early;
}
