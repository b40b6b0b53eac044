/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See paths.h. */
#include "paths.h"
#include "error.h"

#include <errno.h>
#include <limits.h>
#include <private/passing_errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char own[PATHS_BYTES]; /* "": unknown */
static const char *tree;      /* NULL: this program doesn't run from the build tree */
static int located;

#ifdef TCFLOW_BUILD_DIR
/* What was installed below the build tree (a prefix or DESTDIR in it) lies in a folder `bin` and counts as
 * installed. */
static int is_in(const char *folder)
{
    const char *end = strrchr(own, '/');
    const size_t length = strlen(folder);

    return strncmp(own, folder, length) == 0 && own[length] == '/' &&
           (end - own < 4 || strncmp(end - 4, "/bin", 4) != 0);
}
#endif

tcf_status paths_locate(void)
{
    if (located)
        return TCF_OK;
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = '\0';
    if (n < 0 && tcf_error_is_passing(errno))
        return error_fail("cannot find out where this program lies: %s", strerror(errno));
#ifdef TCFLOW_BUILD_DIR
    char folder[PATHS_BYTES];
    if (!realpath(TCFLOW_BUILD_DIR, folder)) {
        if (tcf_error_is_passing(errno))
            return error_fail("'%s' cannot be looked at: %s", TCFLOW_BUILD_DIR, strerror(errno));
    } else if (is_in(folder)) {
        tree = TCFLOW_BUILD_DIR;
    }
#endif
    located = 1;
    return TCF_OK;
}

const char *paths_own(void)
{
    return paths_locate() == TCF_OK ? own : "";
}

const char *paths_build_tree(void)
{
    return paths_locate() == TCF_OK ? tree : NULL;
}

static int cut_name(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash)
        *slash = '\0';
    return slash != NULL;
}

const char *paths_installed(const char *folder, char to[PATHS_BYTES])
{
    char root[PATHS_BYTES];

    if (access(folder, F_OK) == 0 || tcf_error_is_passing(errno))
        return folder;
    strcpy(root, paths_own());
    if (!cut_name(root) || !cut_name(root)) /* PREFIX/bin/tcflow */
        return folder;
    for (const char *end = strchr(folder, '/'); end; end = strchr(end + 1, '/'))
        if ((size_t)snprintf(to, PATHS_BYTES, "%s%s", root, end) < PATHS_BYTES &&
            (access(to, F_OK) == 0 || tcf_error_is_passing(errno)))
            return to;
    return folder;
}

const char *paths_program(const char *name, char to[PATHS_BYTES])
{
    char beside[PATHS_BYTES], moved[PATHS_BYTES];

    strcpy(beside, paths_own());
    (void)cut_name(beside);
    const char *const folders[] = {beside, paths_build_tree(), paths_installed(TCFLOW_LIBEXEC_DIR, moved)};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (folders[i] && (size_t)snprintf(to, PATHS_BYTES, "%s/%s", folders[i], name) < PATHS_BYTES &&
            (access(to, X_OK) == 0 || tcf_error_is_passing(errno)))
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
