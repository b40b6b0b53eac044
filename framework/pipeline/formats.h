/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Chooses what reads an input that is neither archive nor stream: a reader, a plugin of <tcflow/source.h>. */
#ifndef TCFLOW_FRAMEWORK_FORMATS_H
#define TCFLOW_FRAMEWORK_FORMATS_H

#include "framework/plugin/loader.h"
#include "framework/settings/settings.h"
#include "framework/trace/source.h"

typedef struct format_choice {
    source_format format;
    void *conf;
    string_store *storage;
    int is_unknown; /* the readers have been asked about a file that is there, and none knows it */
} format_choice;

/* The reader that `source` of [pipeline] names, with the parameters of its section; with `auto` the one that is surest
 * of the file. *format->source stays NULL where the input is an archive or a stream, or no reader knows the file. */
tcf_status format_choose(format_choice *format, loader *l, const settings *s, const pipeline_conf *conf);
void format_free(format_choice *format);

#endif
