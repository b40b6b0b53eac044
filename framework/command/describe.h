/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Descriptions of filters: the list of plugins, one filter's parameters, its filters.d file. */
#ifndef TCFLOW_FRAMEWORK_DESCRIBE_H
#define TCFLOW_FRAMEWORK_DESCRIBE_H

#include "framework/plugin/loader.h"
#include <stdio.h>

/* Lists the filters, the files that were refused or shadowed and why, and the folders searched (describe_list.c). */
void describe_list(FILE *out, const loader *l);
void describe_list_json(FILE *out, const loader *l);
/* The same of readers of other formats. */
void describe_list_sources(FILE *out, const loader *l);
/* For scripts: one line for each filter with its name, and one for each parameter with the filter's name, key, type
 * and choices ("a|b"), separated by tabs. */
void describe_list_plain(FILE *out, const loader *l);
/* For pages, which show neither: fails where a folder could not be read, or where a plugin of a name that no other one
 * has was refused. */
tcf_status describe_none_is_missing(const loader *l);
/* As a page of Markdown, doc/filters.md (describe_pages.c). */
void describe_list_markdown(FILE *out, const loader *l);
/* Writes a man page for each filter, reader and preset into a folder, where there must be none yet. */
tcf_status describe_man_pages(const char *folder, const loader *l);
/* Writes summary, help, and parameters with default, range and help. */
void describe_filter(FILE *out, const tcf_filter *f);
/* Writes the stanza alone, the text of filters.d/NAME.ini. */
void describe_ini(FILE *out, const tcf_filter *f);
/* The same two for a reader, and for the section [pipeline]. */
void describe_source(FILE *out, const tcf_source *s);
void describe_source_ini(FILE *out, const tcf_source *s);
void describe_pipeline(FILE *out);
void describe_pipeline_ini(FILE *out);

#endif
