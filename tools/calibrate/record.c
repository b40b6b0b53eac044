/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Makes archives: builds the bundled programs, runs commands by the shell in a folder of their own, and finds the
 * anchor file. Everything lies in one temporary folder, which is removed at the end. */
#define _GNU_SOURCE /* nftw() */
#include "calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void quote(char *to, const char *path)
{
    size_t n = 0;
    to[n++] = '\'';
    for (const char *c = path; *c; c++) {
        if (n + 6 > PATH_BYTES)
            fail("'%s': the path is too long", path);
        n += (size_t)sprintf(to + n, *c == '\'' ? "'\\''" : "%c", *c);
    }
    strcpy(to + n, "'");
}

/* -------------------------------------------------------------------------------------------------------- places -- */

static FILE *start(const char *command, const char *what)
{
    fflush(NULL);
    FILE *file = popen(command, "r");
    if (!file)
        fail("cannot start '%s': %s", what, strerror(errno));
    return file;
}

FILE *open_tcflow(const struct options *o, const char *trace, const char *format, ...)
{
    char tcflow[PATH_BYTES], program[PATH_BYTES], input[PATH_BYTES], command[6 * PATH_BYTES];
    va_list arguments;
    find_tcflow(o->tcflow, tcflow);
    quote(program, tcflow);
    quote(input, trace);
    int n = snprintf(command, sizeof command, "%s -q -i %s ", program, input);
    va_start(arguments, format);
    vsnprintf(command + n, sizeof command - (size_t)n, format, arguments);
    va_end(arguments);
    return start(command, tcflow);
}

/* Returns the folder with the sources of the bundled programs: the installed one, or that of the source tree when
 * this program runs from the build tree. */
static const char *source_folder(void)
{
    const char *given = getenv("TCFLOW_CALIBRATE_D");
    return given && *given ? given : bundled_folder(TCFLOW_SOURCE_DIR "/tools/calibrate", TCFLOW_CALIBRATE_DIR);
}

/* ------------------------------------------------------------------------------------------------------ programs -- */

/* Runs a command by the shell with its output on standard error. Errors begin with `what`. */
static void run(const char *command, const char *what)
{
    char line[3 * PATH_BYTES];
    if (snprintf(line, sizeof line, "{ %s\n} >&2", command) >= (int)sizeof line)
        fail("%s: the command is longer than %d characters", what, 3 * PATH_BYTES - 8);
    int status = system(line);
    if (status == -1)
        fail("%s: cannot start a shell: %s", what, strerror(errno));
    if (WIFSIGNALED(status))
        fail("%s: signal %d ended: %s", what, WTERMSIG(status), command);
    if (WEXITSTATUS(status) != 0)
        fail("%s: exit status %d of: %s", what, WEXITSTATUS(status), command);
}

/* Builds a bundled program, once; COMPILER is one or more words. */
static void build(const char *name, const char *variable, const char *compiler, const char *flags, char *program)
{
    char source[PATH_BYTES], quoted[PATH_BYTES], output[PATH_BYTES], command[3 * PATH_BYTES];
    const char *given = getenv(variable);
    if (access(scratch_path(program, name), X_OK) == 0)
        return;
    snprintf(source, sizeof source, "%s/%s.c", source_folder(), name);
    if (access(source, R_OK) != 0)
        fail("'%s': %s; set TCFLOW_CALIBRATE_D to the folder of %s.c", source, strerror(errno), name);
    quote(quoted, source);
    quote(output, program);
    snprintf(command, sizeof command, "%s %s -o %s %s", given && *given ? given : compiler, flags, output, quoted);
    run(command, variable);
}

static void build_used(const char *command)
{
    char program[PATH_BYTES];
    if (strstr(command, "TCFLOW_LOOP")) {
        build("loop", "CC", "cc", "-O1 -g -rdynamic -finstrument-functions -pthread", program);
        setenv("TCFLOW_LOOP", program, 1);
    }
    if (strstr(command, "TCFLOW_PINGPONG")) {
        build("pingpong", "MPICC", "mpicc", "-O2", program);
        setenv("TCFLOW_PINGPONG", program, 1);
    }
}

/* ------------------------------------------------------------------------------------------------------ archives -- */

/* Collects what nftw() finds: it passes no data. */
static struct {
    char *path;
    uint32_t n;
} found;

static int find_anchor(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    size_t n = strlen(path);
    (void)info, (void)walk;
    if (type != FTW_F || n < 5 || strcmp(path + n - 5, ".otf2") != 0)
        return 0;
    if (found.n++ == 0)
        snprintf(found.path, PATH_BYTES, "%s", path);
    return 0;
}

static void find_archive(const char *folder, const char *command, char *archive)
{
    found.path = archive;
    found.n = 0;
    nftw(folder, find_anchor, 16, FTW_PHYS);
    if (found.n == 0)
        fail("--run has left no archive (*.otf2) in $TCFLOW_DIR: %s\n"
             "Tell the measurement system to write there, or name its anchor file with --archive",
             command);
    if (found.n > 1)
        fail("--run has left %" PRIu32 " archives in $TCFLOW_DIR, '%s' and others; name one with --archive", found.n,
             archive);
}

void record(const struct options *o, const struct source *source, char *archive)
{
    char folder[PATH_BYTES], name[32], number[24];
    if (source->command) {
        snprintf(name, sizeof name, "run%d", (int)(source - o->source));
        if (mkdir(scratch_path(folder, name), 0700) != 0)
            fail("cannot make '%s': %s", folder, strerror(errno));
        snprintf(number, sizeof number, "%" PRIu64, o->calls);
        setenv("TCFLOW_DIR", folder, 1);
        setenv("TCFLOW_CALLS", number, 1);
        build_used(source->command);
        run(source->command, "--run");
        if (!source->archive)
            find_archive(folder, source->command, archive);
    }
    if (source->archive)
        snprintf(archive, PATH_BYTES, "%s", source->archive);
    if (access(archive, R_OK) != 0)
        fail("'%s': %s%s", archive, strerror(errno), source->command ? "; --run has not left it there" : "");
}

/* ----------------------------------------------------------------------------------------------------- ping-pong -- */

FILE *open_ping_pong(const struct options *o)
{
    char program[PATH_BYTES], quoted[PATH_BYTES], command[2 * PATH_BYTES];
    build("pingpong", "MPICC", "mpicc", "-O2", program);
    quote(quoted, program);
    if (snprintf(command, sizeof command, "%s %s %" PRIu64 " %" PRIu64, o->mpirun, quoted, o->smallest, o->largest) >=
        (int)sizeof command)
        fail("--mpirun: the command is too long");
    return start(command, command);
}

void close_ping_pong(FILE *file)
{
    int status = pclose(file);
    if (status != 0)
        fail("the ping-pong failed (exit status %d); --mpirun is the command that starts two processes, such as "
             "'mpirun -n 2'",
             WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}
