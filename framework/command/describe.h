/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What tcflow tells about filters: the list of plugins, one filter's parameters, and its filters.d file. */
#ifndef TCFLOW_FRAMEWORK_DESCRIBE_H
#define TCFLOW_FRAMEWORK_DESCRIBE_H

#include "framework/plugin/loader.h"
#include <stdio.h>

/* Every filter, every file that was refused or shadowed and why, every place searched (describe_list.c). */
void describe_list(FILE *out, const loader *l);
void describe_list_json(FILE *out, const loader *l);
/* For scripts: a line for each filter, its name; and one for each parameter: name, key, type and choices ("a|b"), with
 * tabs between them. */
void describe_list_plain(FILE *out, const loader *l);
/* Summary, help, parameters with default, range and help, and the INI stanza. */
void describe_filter(FILE *out, const tcf_filter *f);
/* The stanza alone: the text of filters.d/NAME.ini. */
void describe_ini(FILE *out, const tcf_filter *f);
/* The same two for the section [pipeline]. */
void describe_pipeline(FILE *out);
void describe_pipeline_ini(FILE *out);

#endif
