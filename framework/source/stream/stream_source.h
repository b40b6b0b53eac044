/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A stream as a source: its events come in the order in which they were written, once, and with what their writer
 * knows: matches, frontiers, what a survey has learned. */
#ifndef TCFLOW_FRAMEWORK_STREAM_SOURCE_H
#define TCFLOW_FRAMEWORK_STREAM_SOURCE_H

#include "framework/trace/source.h"

/* Does `input` name a stream: -, stream:PATH, unix:PATH or tcp:[HOST:]PORT? */
int stream_source_names(const char *input);
/* Opens a stream (- is standard input, unix: and tcp: wait for a writer) and reads all its definitions. NULL: see the
 * cause. */
source *stream_source_open(const char *input, const source_options *options);

/* Streams that are read together. While one of them has nothing, the group queues what the others bring, up to `queue`
 * bytes of each: a slow writer holds the others up only behind that. */
typedef struct stream_group stream_group;
stream_group *stream_group_new(uint32_t most, size_t queue);
void stream_group_delete(stream_group *g); /* before its sources are closed */
/* Waits until one of them has something. */
tcf_status stream_group_wait(stream_group *g);
/* stream_source_open() in two steps: the first opens the stream as far as that needs no writer, the second waits for
 * the writer and reads the definitions. */
source *stream_source_prepare(const char *input, const source_options *options, stream_group *g);
tcf_status stream_source_begin(source *src);

#endif
