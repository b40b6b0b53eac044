/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* chrome: reads Chrome's JSON traces, which PyTorch's profiler, Perfetto's tools and perfetto_trace write, too. */
#define _GNU_SOURCE /* memmem() */
#include "chrome.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#ifndef CHUNK_BYTES /* fuzzing cuts texts and numbers in two */
#define CHUNK_BYTES (64 << 10)
#endif

/* Blanks, then an array of objects, or an object that names traceEvents among its first members. */
static int chrome_probe(const tcf_probe *probe)
{
    const char *text = (const char *)probe->first + chrome_byte_order_mark(probe->first, probe->n),
               *end = (const char *)probe->first + probe->n;
    const int is_named = tcf_name_ends(probe, ".json");

    while (text < end && isspace((unsigned char)*text))
        text++;
    if (text < end && *text == '[') {
        text++;
        while (text < end && isspace((unsigned char)*text))
            text++;
        if (text == end || *text != '{')
            return 0;
        return memmem(text, (size_t)(end - text), "\"ph\"", 4) ? 90 : is_named ? 1 : 0;
    }
    if (text == end || *text != '{')
        return 0;
    return memmem(text, (size_t)(end - text), "\"traceEvents\"", 13) ? 100 : is_named ? 1 : 0;
}

static tcf_status read_all(chrome_state *st, gzFile file)
{
    static const char cut[] = "the packed data ends in its middle";
    const tcf_reader *self = st->reader;
    unsigned char *bytes = malloc(CHUNK_BYTES);
    tcf_status status = bytes ? TCF_OK : self->host->fail(self, "out of memory");
    int n = 0, error = Z_OK;

    while (status == TCF_OK && (n = gzread(file, bytes, CHUNK_BYTES)) > 0)
        status = chrome_parse(st, bytes, (size_t)n);
    const char *reason = gzerror(file, &error);
    if (status == TCF_OK && (n < 0 || (error != Z_OK && error != Z_STREAM_END)))
        status = self->host->fail(self, "behind %llu bytes: %s", (unsigned long long)st->before,
                                  error == Z_ERRNO       ? strerror(errno)
                                  : error == Z_BUF_ERROR ? cut
                                                         : reason);
    free(bytes);
    return status == TCF_OK ? chrome_parse_end(st) : status;
}

static tcf_status chrome_read(tcf_reader *self)
{
    chrome_state *st = self->state;
    gzFile file = gzopen(self->path, "rb");

    st->reader = self;
    if (!file)
        return self->host->fail(self, "cannot be opened: %s", errno ? strerror(errno) : "out of memory");
    gzbuffer(file, CHUNK_BYTES / 2); /* so that zlib fills the chunk without a copy */
    tcf_status status = chrome_parse_start(st) == TCF_OK ? read_all(st, file) : TCF_ERROR;
    gzclose(file);
    if (status == TCF_OK)
        chrome_tell(st);
    return status;
}

static void chrome_fini(tcf_reader *self)
{
    chrome_state *st = self->state;

    chrome_parse_free(st);
    chrome_free_kineto(st);
    tcf_map_free(&st->process_ids);
    tcf_map_free(&st->thread_ids);
    free(st->processes);
    free(st->threads);
}

TCF_SOURCE = {
    .head = TCF_SOURCE_HEAD,
    .name = "chrome",
    .version = "1.0",
    .summary = "Reads Chrome's JSON traces, also those of PyTorch's profiler and of perfetto_trace",
    .help =
        "An array of events, or an object with an array `traceEvents`; packed by gzip or not. Events may come in any "
        "order. Times become nanoseconds, rounded to nearest.\n\n"
        "A `pid` is a process, a `tid` a location of it, numbered in the order of their numbers; `process_name` and "
        "`thread_name` give names. Processes with a label `GPU ...` have streams of accelerators. Calls are X, and B "
        "with the next E of the location. Regions have the name of the event; the category gives the paradigm where it "
        "is OTF2's name of one (and a second one the role), or one of CUDA's kinds of PyTorch; PyTorch's Python "
        "functions give file and line.\n\n"
        "Of PyTorch's profiler, kernels of NCCL and RCCL (and, of other backends, events record_param_comms) with "
        "arguments `Collective name`, `Process Group Name` and `Process Group Ranks` are collective operations and "
        "messages of a communicator; the files of all ranks are one run, and `distributedInfo` says which rank wrote "
        "one. Members are matched by order; where they don't agree, or one has no file, nothing of the group is, and "
        "all that is counted.\n\n"
        "Flows (s, t, f of one category, name and id) are messages from location to location. The format has no size "
        "and no tag; where the event in front of the flow, at the same time, has arguments msg_length and msg_tag, as "
        "perfetto_trace writes them, they are the message's. Messages are of one communicator that has all locations "
        "with messages as ranks, in their order. Where messages overtake each other tags tell them apart.\n\n"
        "C is a counter for each number among its arguments, of the location; instant events (i, I, R, and n of "
        "asynchronous ones) are string parameters, with the event's name as the value. Asynchronous events (b and e; "
        "S and F) are calls of a location of their own for each process and category; where they overlap, of several. "
        "Object and memory events, samples and others are left out, and counted. Arguments of other events, call "
        "stacks and colours are not kept.",
    .state_size = sizeof(chrome_state),
    .probe = chrome_probe,
    .read = chrome_read,
    .fini = chrome_fini,
};
