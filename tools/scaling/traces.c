/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Traces among the arguments: tcflow makes a database of each, with the preset scaling.ini, in a temporary folder or in
 * that of --keep. */
#include "tools/shared/traces.h"
#include "framework/base/paths.h"
#include "scaling.h"
#include "tools/shared/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The database that --keep makes of a trace is named after the trace's folder: DIR/runs-4.sqlite is that of
 * ../runs/4/traces.otf2, or ../runs/4. */
static char *kept_path(const char *folder, const char *trace)
{
    const size_t n = strlen(trace);
    const bool anchor = n > 5 && strcmp(trace + n - 5, ".otf2") == 0;
    const char *begin = trace, *end = anchor ? strrchr(trace, '/') : trace + n;
    while (!anchor && end > trace + 1 && end[-1] == '/')
        end--;
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

void make_databases(struct study *s)
{
    const struct options *o = s->options;
    char folder[PATHS_BYTES];
    char *preset = o->config ? format_text("%s", o->config) : format_text("%s/scaling.ini", paths_presets(folder));
    bool any = false;
    for (uint32_t r = 0; r < s->n_runs; r++) {
        expect_input(s->run[r].path);
        s->run[r].file = (char *)s->run[r].path;
        any = any || is_trace(s->run[r].path);
    }
    if (any && access(preset, R_OK) != 0)
        fail("cannot open '%s': %s; --config names the pipeline that makes databases of traces", preset,
             strerror(errno));
    if (any)
        name_databases(s);
    for (uint32_t r = 0; r < s->n_runs; r++)
        if (is_trace(s->run[r].path))
            trace_to_database(s->run[r].path, preset, s->run[r].file, o->keep != NULL, o->overwrite);
    free(preset);
}
