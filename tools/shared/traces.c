/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See traces.h. */
#include "traces.h"
#include "files.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool is_trace(const char *path)
{
    const size_t n = strlen(path);
    struct stat st;
    return (n > 5 && strcmp(path + n - 5, ".otf2") == 0) || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

void expect_input(const char *path)
{
    if (access(path, F_OK) != 0)
        fail("cannot open '%s': %s", path, strerror(errno));
}

static volatile sig_atomic_t child; /* the process of tcflow; 0: none */

static void pass_on(int number)
{
    if (child)
        kill((pid_t)child, number);
}

/* Runs tcflow without its standard output, and returns the status of wait(). Signals are for tcflow, which removes what
 * it has begun: those of the terminal reach it by themselves. */
static int run_tcflow(char **argument)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, forward = {.sa_handler = pass_on}, interrupt, quit, terminate;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    pid_t pid;
    int status;

    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGQUIT);
    if (posix_spawn_file_actions_init(&files) != 0 || posix_spawnattr_init(&attributes) != 0 ||
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) != 0 ||
        posix_spawnattr_setsigdefault(&attributes, &defaults) != 0 ||
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF) != 0)
        fail("out of memory");
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    sigaction(SIGTERM, &forward, &terminate);
    int code = posix_spawnp(&pid, argument[0], &files, &attributes, argument, environ);
    if (code != 0)
        fail("cannot start '%s': %s", argument[0], strerror(code));
    child = (sig_atomic_t)pid;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            fail("cannot wait for '%s': %s", argument[0], strerror(errno));
    child = 0;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    sigaction(SIGTERM, &terminate, NULL);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return status;
}

void trace_to_database(const char *trace, const char *pipeline, const char *file, bool kept, bool overwrite)
{
    char tcflow[PATH_BYTES];
    find_tcflow(NULL, tcflow);
    char *database = format_text("pipeline.database=%s", file);
    char *replace = format_text("pipeline.overwrite=%s", overwrite ? "yes" : "no");
    char *argument[] = {tcflow, "-c", (char *)pipeline, "-i", (char *)trace, "-o", database, "-o", replace, NULL, NULL};
    if (!kept)
        argument[9] = "--no-written";
    fprintf(stderr, "%s: reading '%s'\n", program_name, trace);
    int status = run_tcflow(argument);
    if (WIFSIGNALED(status))
        fail("'%s': signal %d ended tcflow", trace, WTERMSIG(status));
    if (WEXITSTATUS(status) > 128) /* tcflow was interrupted, and has said so */
        exit(WEXITSTATUS(status));
    if (WEXITSTATUS(status) != 0)
        fail("'%s': no database could be made of it: %s has ended with exit status %d", trace, tcflow,
             WEXITSTATUS(status));
    free(database);
    free(replace);
}
