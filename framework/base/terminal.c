/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See terminal.h. The pager is a child of a shell, so that PAGER may have arguments. */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

size_t terminal_width(int fd)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");

    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const long n = columns ? strtol(columns, NULL, 10) : 0;
    return n > 0 && n < 100000 ? (size_t)n : 0;
}

int terminal_has_colours(int fd)
{
    const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(fd) && !(no && *no) && kind && *kind && strcmp(kind, "dumb") != 0;
}

/* ------------------------------------------------------------------------------------------------------------- pager
 * -- */

/* The one pager of the process, which has one standard output. */
static struct {
    pid_t pid; /* 0: none */
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

static void be_pager(const char *command, const int ends[2])
{
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    signal(SIGPIPE, SIG_DFL);
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    execlp("cat", "cat", (char *)NULL);
    _Exit(127);
}

void pager_begin(void)
{
    const char *command = pager_command();
    int ends[2];

    if (pager.pid || !command || !isatty(STDOUT_FILENO) || fflush(stdout) != 0)
        return;
    if ((pager.terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) < 0)
        return;
    if (pipe(ends) != 0) {
        close(pager.terminal);
        return;
    }
    pager.pid = fork();
    if (pager.pid == 0)
        be_pager(command, ends);
    if (pager.pid > 0) {
        dup2(ends[1], STDOUT_FILENO);
    } else {
        close(pager.terminal);
        pager.pid = 0;
    }
    close(ends[0]);
    close(ends[1]);
}

void pager_end(void)
{
    if (!pager.pid)
        return;
    pager.early |= fflush(stdout) != 0 || ferror(stdout);
    clearerr(stdout);
    dup2(pager.terminal, STDOUT_FILENO);
    close(pager.terminal);
    while (waitpid(pager.pid, NULL, 0) < 0 && errno == EINTR)
        ;
    pager.pid = 0;
}

int pager_ended_early(void)
{
    return pager.early;
}
