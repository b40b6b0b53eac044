/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Folders that belong to this tcflow: those of the build tree when the program runs from there, else the installed
 * ones. */
#ifndef TCFLOW_FRAMEWORK_PATHS_H
#define TCFLOW_FRAMEWORK_PATHS_H

#include <tcflow/filter.h>

/* Finds out where this program lies, once. What is below does so, too, and goes on without where that fails: who must
 * know whether it does asks first. */
tcf_status paths_locate(void);
/* This program; "": unknown. */
const char *paths_own(void);
/* The build tree, or NULL when the program doesn't run from it. */
const char *paths_build_tree(void);
enum { PATHS_BYTES = 4096 };
/* A folder that was installed: the one of this name or, where the installed tree has been moved or copied, the one that
 * lies to the program as that does. Written to `to` where it isn't `folder` itself. */
const char *paths_installed(const char *folder, char to[PATHS_BYTES]);
/* Writes the path of a program of this tcflow, which lies beside the running one, in the build tree or in libexec.
 * NULL: it is not there. */
const char *paths_program(const char *name, char to[PATHS_BYTES]);
/* The shipped defaults of filters: TCFLOW_FILTERS_D of the environment, the source tree's filters.d when the program
 * runs from the build tree, or where they were installed. */
const char *paths_filters_d(char to[PATHS_BYTES]);
/* The shipped pipelines, likewise. */
const char *paths_presets(char to[PATHS_BYTES]);

#endif
