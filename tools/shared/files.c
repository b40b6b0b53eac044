/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

#define _GNU_SOURCE /* nftw() */
#include "files.h"
#include "framework/base/paths.h"
#include "program.h"

#include <errno.h>
#include <ftw.h>
#include <private/passing_errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The temporary folder of the process, which remove_scratch() removes however the program ends. */
static char scratch[256];

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

void remove_scratch(void)
{
    if (scratch[0] != '\0')
        nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    scratch[0] = '\0';
}

FILE *open_if_there(const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file && tcf_error_is_passing(errno))
        fail("cannot open '%s': %s", path, strerror(errno));
    return file;
}

void close_whole(FILE *file, const char *path)
{
    if (file && ferror(file))
        fail("cannot read '%s': %s", path, strerror(errno));
    if (file)
        fclose(file);
}

const char *scratch_path(char *path, const char *name)
{
    const char *parent = getenv("TMPDIR");
    if (scratch[0] == '\0') {
        int n = snprintf(scratch, sizeof scratch, "%s/%s.XXXXXX", parent && *parent ? parent : "/tmp", program_name);
        if (n >= (int)sizeof scratch || !mkdtemp(scratch)) {
            scratch[0] = '\0';
            fail("cannot make a folder in '%s': %s; set TMPDIR to another one", parent && *parent ? parent : "/tmp",
                 strerror(errno));
        }
    }
    snprintf(path, PATH_BYTES, "%s/%s", scratch, name);
    return path;
}

void find_tcflow(const char *given, char *path)
{
    const char *own = paths_own(), *slash = strrchr(own, '/');
    snprintf(path, PATH_BYTES, "%.*s/tcflow", slash ? (int)(slash - own) : 0, own);
    if (given || (access(path, X_OK) != 0 && !tcf_error_is_passing(errno)))
        snprintf(path, PATH_BYTES, "%s", given ? given : "tcflow");
}

const char *bundled_folder(const char *source, const char *installed)
{
    static char moved[PATHS_BYTES];
    return paths_build_tree() ? source : paths_installed(installed, moved);
}
