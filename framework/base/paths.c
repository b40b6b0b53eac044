/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See paths.h. */
#include "paths.h"
#include "passing.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was installed below the build tree (a prefix or DESTDIR in it) lies in a folder `bin` and counts as
 * installed. */
const char *paths_build_tree(void)
{
#ifdef TCFLOW_BUILD_DIR
    char exe[PATHS_BYTES], tree[PATHS_BYTES];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

    if (n <= 0 || !realpath(TCFLOW_BUILD_DIR, tree))
        return NULL;
    exe[n] = '\0';
    size_t length = strlen(tree);
    if (strncmp(exe, tree, length) != 0 || exe[length] != '/')
        return NULL;
    *strrchr(exe, '/') = '\0';
    const char *folder = strrchr(exe, '/');
    return folder && strcmp(folder, "/bin") == 0 ? NULL : TCFLOW_BUILD_DIR;
#else
    return NULL;
#endif
}

const char *paths_installed(const char *folder, char to[PATHS_BYTES])
{
    char root[PATHS_BYTES];
    ssize_t n =
        access(folder, F_OK) == 0 || error_is_passing(errno) ? 0 : readlink("/proc/self/exe", root, sizeof root - 1);

    root[n > 0 ? n : 0] = '\0';
    for (int up = 0; up < 2; up++) { /* PREFIX/bin/tcflow */
        char *slash = strrchr(root, '/');
        if (!slash)
            return folder;
        *slash = '\0';
    }
    for (const char *end = strchr(folder, '/'); end; end = strchr(end + 1, '/'))
        if ((size_t)snprintf(to, PATHS_BYTES, "%s%s", root, end) < PATHS_BYTES &&
            (access(to, F_OK) == 0 || error_is_passing(errno)))
            return to;
    return folder;
}

const char *paths_program(const char *name, char to[PATHS_BYTES])
{
    char own[PATHS_BYTES], moved[PATHS_BYTES];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(own, '/');
    if (slash)
        *slash = '\0';
    const char *const folders[] = {own, paths_build_tree(), paths_installed(TCFLOW_LIBEXEC_DIR, moved)};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (folders[i] && (size_t)snprintf(to, PATHS_BYTES, "%s/%s", folders[i], name) < PATHS_BYTES &&
            access(to, X_OK) == 0)
            return to;
    return NULL;
}

const char *paths_presets(char to[PATHS_BYTES])
{
#if defined TCFLOW_BUILD_DIR && defined TCFLOW_SOURCE_DIR
    if (paths_build_tree())
        return TCFLOW_SOURCE_DIR "/presets";
#endif
    return paths_installed(TCFLOW_PRESETS_DIR, to);
}

const char *paths_filters_d(char to[PATHS_BYTES])
{
    const char *given = getenv("TCFLOW_FILTERS_D");
    if (given && *given)
        return given;
#if defined TCFLOW_BUILD_DIR && defined TCFLOW_SOURCE_DIR
    if (paths_build_tree())
        return TCFLOW_SOURCE_DIR "/filters.d";
#endif
    return paths_installed(TCFLOW_FILTERS_DIR, to);
}
