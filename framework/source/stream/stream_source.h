/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A stream as a source: its events come once, in the order in which they were written, with matches, frontiers and
 * results of a survey where its writer has them. */
#ifndef TCFLOW_FRAMEWORK_STREAM_SOURCE_H
#define TCFLOW_FRAMEWORK_STREAM_SOURCE_H

#include "framework/trace/source.h"

/* Does `input` name a stream: -, stream:PATH, unix:PATH or tcp:[HOST:]PORT? */
int stream_source_names(const char *input);
/* Opens a stream (- is standard input, unix: and tcp: wait for a writer) and reads all its definitions. NULL: failed
 * (the cause is recorded). */
source *stream_source_open(const char *input, const source_options *options);

/* Streams that are read together. While one of them has nothing, the group queues the bytes of the others, up to
 * `queue` bytes each; a slow writer holds them up only beyond that. Delete the group before its sources are closed. */
typedef struct stream_group stream_group;
stream_group *stream_group_new(uint32_t most, size_t queue);
void stream_group_delete(stream_group *g);
/* Waits until one of them has something to read. */
tcf_status stream_group_wait(stream_group *g);
/* stream_source_open() in two steps: the first doesn't wait for a writer, the second waits and reads the
 * definitions. */
source *stream_source_prepare(const char *input, const source_options *options, stream_group *g);
tcf_status stream_source_begin(source *src);

/* Behind the definitions, when its group has been deleted: moves a stream to another one with queues as long, whose
 * streams one thread reads. Reading it waits for nothing where stream_source_has() says yes. */
tcf_status stream_source_regroup(source *src, stream_group *g);
/* Queues what comes of all of them, for so many milliseconds at most, or until something has come. */
void stream_group_poll(stream_group *g, int ms);

/* Writers that are domains of one run wait for each other: one that its reader keeps waiting may keep the writer
 * waiting of the stream that is read. So a stream of such a writer is never left alone while it is full. */
int stream_source_depends(const source *src);
/* Can something of the location be read without waiting, or the end of the stream? */
int stream_source_has(source *src, uint32_t location);
/* Takes what is queued where the queue is full. *is_full: it holds more than `memory` then, and is to be read. */
tcf_status stream_source_take_ahead(source *src, int *is_full);

#endif
