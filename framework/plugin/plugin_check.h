/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Checks of a plugin: of the file before it is opened, then of the filter in it. The text of the failure is the
 * reason in the list. */
#ifndef TCFLOW_FRAMEWORK_PLUGIN_CHECK_H
#define TCFLOW_FRAMEWORK_PLUGIN_CHECK_H

#include "loader.h"

/* Checks that the file is a complete shared object for this machine. */
tcf_status plugin_check_file(const char *path);
/* A kind of plugin. */
typedef struct plugin_kind {
    const char *symbol, *name; /* name: for messages */
    uint32_t magic;
    size_t bytes, alignment; /* of its struct */
    int is_filter;
} plugin_kind;
extern const plugin_kind plugin_filters, plugin_sources;

/* Checks magic, version and size. `known_bytes` is the size of the symbol, or 0 if unknown. */
tcf_status plugin_check_head(const loader_abi *abi, const plugin_kind *kind, const tcf_filter_head *head,
                             size_t known_bytes);
/* Check all other members, after plugin_check_head(). */
tcf_status plugin_check_filter(const tcf_filter *f);
tcf_status plugin_check_source(const tcf_source *s);

#endif
