/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is wrong with a plugin: the file, before it is opened, and the filter in it. The cause of a failure is the
 * reason that is listed. */
#ifndef TCFLOW_FRAMEWORK_PLUGIN_CHECK_H
#define TCFLOW_FRAMEWORK_PLUGIN_CHECK_H

#include "loader.h"

/* Is it a shared object of this machine, and whole? */
tcf_status plugin_check_file(const char *path);
/* Magic, version and size; `known_bytes`: of the symbol, 0: unknown. */
tcf_status plugin_check_head(const loader_abi *abi, const tcf_filter *f, size_t known_bytes);
/* All the rest, of a filter whose head is right and which is full-sized. */
tcf_status plugin_check_filter(const tcf_filter *f);

#endif
