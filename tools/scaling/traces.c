/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Traces among the arguments: tcflow makes a database of each, with the preset scaling.ini, in a temporary folder or in
 * that of --keep. */
#include "scaling.h"
#include "tools/shared/files.h"

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
    size_t n = strlen(path);
    return n > 5 && strcmp(path + n - 5, ".otf2") == 0;
}

/* The database that --keep makes of a trace is named after the trace's folder: DIR/runs-4.sqlite is that of
 * ../runs/4/traces.otf2. */
static char *kept_path(const char *folder, const char *trace)
{
    const char *begin = trace, *end = strrchr(trace, '/');
    while (*begin == '/' || strncmp(begin, "./", 2) == 0 || strncmp(begin, "../", 3) == 0)
        begin += *begin == '/' ? 1 : strcspn(begin, "/") + 1;
    if (!end || end <= begin)
        end = trace + strlen(trace) - strlen(".otf2");
    char *path = format_text("%s/%.*s.sqlite", folder, (int)(end - begin), begin);
    for (char *c = path + strlen(folder) + 1; *c; c++)
        if (*c == '/')
            *c = '-';
    return path;
}

/* Names the databases, and checks that they can be written before the first is made. */
static void name_databases(struct study *s)
{
    const struct options *o = s->options;
    char path[PATH_BYTES], name[32];
    if (o->keep && mkdir(o->keep, 0777) != 0 && errno != EEXIST)
        fail("--keep '%s': cannot make this folder: %s", o->keep, strerror(errno));
    for (uint32_t r = 0; r < s->n_runs; r++) {
        struct run *run = &s->run[r];
        struct stat st;
        if (!is_trace(run->path))
            continue;
        if (access(run->path, R_OK) != 0)
            fail("cannot open '%s': %s", run->path, strerror(errno));
        snprintf(name, sizeof name, "%u.sqlite", r);
        run->file = o->keep ? kept_path(o->keep, run->path) : format_text("%s", scratch_path(path, name));
        if (o->keep && !o->overwrite && lstat(run->file, &st) == 0)
            usage("'%s' exists already; give it instead of '%s', or allow to replace it with --overwrite", run->file,
                  run->path);
        for (uint32_t before = 0; before < r; before++)
            if (strcmp(s->run[before].file, run->file) == 0)
                usage("'%s' and '%s' would both become '%s'", s->run[before].path, run->path, run->file);
    }
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

static void make_database(const struct study *s, const struct run *run, const char *preset)
{
    char tcflow[PATH_BYTES];
    find_tcflow(NULL, tcflow);
    char *database = format_text("pipeline.database=%s", run->file);
    char *overwrite = format_text("pipeline.overwrite=%s", s->options->overwrite ? "yes" : "no");
    char *argument[] = {tcflow, "-c", (char *)preset, "-i", (char *)run->path, "-o", database, "-o", overwrite, NULL};
    fprintf(stderr, "%s: reading '%s'\n", program_name, run->path);
    int status = run_tcflow(argument);
    if (WIFSIGNALED(status))
        fail("'%s': signal %d ended tcflow", run->path, WTERMSIG(status));
    if (WEXITSTATUS(status) > 128) /* tcflow was interrupted, and has said so */
        exit(WEXITSTATUS(status));
    if (WEXITSTATUS(status) != 0)
        fail("'%s': no database could be made of it: %s has ended with exit status %d", run->path, tcflow,
             WEXITSTATUS(status));
    free(database);
    free(overwrite);
}

void make_databases(struct study *s)
{
    const struct options *o = s->options;
    char *preset = o->config
                       ? format_text("%s", o->config)
                       : format_text("%s/examples/scaling.ini", bundled_folder(TCFLOW_SOURCE_DIR, TCFLOW_DOC_DIR));
    bool any = false;
    for (uint32_t r = 0; r < s->n_runs; r++) {
        struct stat st;
        s->run[r].file = (char *)s->run[r].path;
        if (stat(s->run[r].path, &st) == 0 && S_ISDIR(st.st_mode))
            usage("'%s' is a folder; a trace is given by its anchor file, as %s/traces.otf2", s->run[r].path,
                  s->run[r].path);
        any = any || is_trace(s->run[r].path);
    }
    if (any && access(preset, R_OK) != 0)
        fail("cannot open '%s': %s; --config names the pipeline that makes databases of traces", preset,
             strerror(errno));
    if (any)
        name_databases(s);
    for (uint32_t r = 0; r < s->n_runs; r++)
        if (is_trace(s->run[r].path))
            make_database(s, &s->run[r], preset);
    free(preset);
}
