/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Checks of a plugin: of the file before it is opened, then of the filter in it. The text of the failure is the
 * reason in the list. */
#ifndef TCFLOW_FRAMEWORK_PLUGIN_CHECK_H
#define TCFLOW_FRAMEWORK_PLUGIN_CHECK_H

#include "loader.h"

/* Checks that the file is a complete shared object for this machine. */
tcf_status plugin_check_file(const char *path);
/* Checks magic, version and size. `known_bytes` is the size of the symbol, or 0 if unknown. */
tcf_status plugin_check_head(const loader_abi *abi, const tcf_filter *f, size_t known_bytes);
/* Checks all other members, after plugin_check_head(). */
tcf_status plugin_check_filter(const tcf_filter *f);

#endif
