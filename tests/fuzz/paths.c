/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* For fuzzers, framework/base/paths.h: nothing of tcflow is installed, so each run looks for no file. */
#include "framework/base/paths.h"

tcf_status paths_locate(void)
{
    return TCF_OK;
}

const char *paths_own(void)
{
    return "";
}

const char *paths_build_tree(void)
{
    return NULL;
}

const char *paths_installed(const char *folder, char to[PATHS_BYTES])
{
    (void)to;
    return folder;
}

const char *paths_program(const char *name, char to[PATHS_BYTES])
{
    (void)name, (void)to;
    return NULL;
}

const char *paths_filters_d(char to[PATHS_BYTES])
{
    (void)to;
    return "/nowhere";
}

const char *paths_presets(char to[PATHS_BYTES])
{
    (void)to;
    return "/nowhere";
}
