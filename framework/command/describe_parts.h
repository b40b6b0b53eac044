/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What all forms of a description are made of. */
#ifndef TCFLOW_FRAMEWORK_DESCRIBE_PARTS_H
#define TCFLOW_FRAMEWORK_DESCRIBE_PARTS_H

#include "describe.h"
#include "framework/settings/settings.h"

/* A filter, a reader, or the section [pipeline]. */
typedef struct subject {
    const char *name, *version, *summary, *help; /* version: NULL: none */
    const tcf_params *tables[2];                 /* its own and the framework's, or NULL */
} subject;

subject filter_subject(const tcf_filter *f);
subject source_subject(const tcf_source *s);
typedef void put_text(FILE *out, const char *text, size_t n);
/* Writes "number; 0 to 1", piece by piece. */
void describe_range(FILE *out, const tcf_param *p, put_text *put);
/* The topics of filters, in the order of lists; the last one is TCF_TOPIC_OTHER. */
typedef struct topic_row {
    tcf_topic topic;
    const char *name;
} topic_row;
extern const topic_row describe_topics[];
extern const size_t describe_n_topics;
/* Is the filter of this topic? One of a topic that is not known is of the last one. */
int describe_is_of(const tcf_filter *f, const topic_row *topic);

#endif
