/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See paths.h. */
#include "paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* What was installed below the build tree (a prefix or DESTDIR in it) lies in a folder `bin` and counts as
 * installed. */
const char *paths_build_tree(void)
{
#ifdef TCFLOW_BUILD_DIR
    char exe[PATH_BYTES], tree[PATH_BYTES];
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

const char *paths_filters_d(void)
{
    const char *given = getenv("TCFLOW_FILTERS_D");
    if (given && *given)
        return given;
#if defined TCFLOW_BUILD_DIR && defined TCFLOW_SOURCE_DIR
    if (paths_build_tree())
        return TCFLOW_SOURCE_DIR "/filters.d";
#endif
    return TCFLOW_FILTERS_DIR;
}
