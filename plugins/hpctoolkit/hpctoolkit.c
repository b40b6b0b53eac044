/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* hpctoolkit: reads the traces of HPCToolkit's databases. A trace is a row of samples, each with a time and a call
 * path: where two of them differ, functions are left and entered at the time of the second. */
#include "hpctoolkit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <tcflow/grow.h>
#include <unistd.h>

enum { TRACE_HEADERS = 0x18, HEADER_BYTES = 0x18, SAMPLE_BYTES = 12, NO_CONTEXT = 0 };
/* A sample is 12 bytes of the file, and as many events as its call path is deep: so many functions entered and left a
 * sample on average, so many for each context, and so many besides. What has more would fill the disk. */
enum { MOVES_BY_SAMPLE = 1024, MOVES_BY_CONTEXT = 16, MOVES_BESIDES = 1 << 20 };

/* --------------------------------------------------------------------------------------------------------- samples --
 */

static uint32_t parent_of(const state *st, uint32_t function_)
{
    return function_ == TCF_NONE ? TCF_NONE : st->functions[function_].parent;
}

static uint32_t depth_of(const state *st, uint32_t function_)
{
    return function_ == TCF_NONE ? 0 : 1 + st->functions[function_].depth;
}

/* From one call path to another: what both have stays open. */
static tcf_status go(tcf_reader *self, uint32_t location, uint64_t time, uint32_t from, uint32_t to)
{
    state *st = self->state;
    uint32_t n = 0, target = to;

    while (depth_of(st, target) > depth_of(st, from)) {
        if (TCF_GROW(&st->path, &st->path_room, n) != 0)
            return self->host->fail(self, "out of memory for a call path");
        st->path[n++] = target;
        target = parent_of(st, target);
    }
    while (from != target) {
        const int same_depth = depth_of(st, from) == depth_of(st, target);
        if (self->host->leave(self, location, time, st->functions[from].region) != TCF_OK)
            return TCF_ERROR;
        st->moves++;
        from = parent_of(st, from);
        if (!same_depth)
            continue;
        if (TCF_GROW(&st->path, &st->path_room, n) != 0)
            return self->host->fail(self, "out of memory for a call path");
        st->path[n++] = target;
        target = parent_of(st, target);
    }
    st->moves += n;
    while (n > 0)
        if (self->host->enter(self, location, time, st->functions[st->path[--n]].region) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

static tcf_status read_samples(tcf_reader *self, uint32_t location, uint64_t at, uint64_t end)
{
    state *st = self->state;
    uint64_t last = 0;
    uint32_t from = TCF_NONE;

    for (; at < end; at += SAMPLE_BYTES) {
        const unsigned char *b = db_bytes(&st->trace, at, SAMPLE_BYTES, "a sample");
        if (!b)
            return TCF_ERROR;
        const uint64_t time = db_u64(b);
        const uint32_t context = db_u32(b + 8);
        const uint32_t to = context == NO_CONTEXT ? TCF_NONE : tcf_map_get(&st->by_context, context, 0);
        if (time > INT64_MAX)
            return db_fail(&st->trace, at, "the time of a sample is beyond 2^63 - 1 ns");
        if (time < last)
            return db_fail(&st->trace, at, "a sample is earlier than the one before");
        if (context != NO_CONTEXT && to == TCF_MAP_ABSENT)
            return self->host->fail(self, "trace.db, byte %" PRIu64 ": context %" PRIu32 " is not in meta.db", at,
                                    context);
        if (to != from && go(self, location, time, from, to) != TCF_OK)
            return TCF_ERROR;
        from = to;
        last = time;
        st->samples++;
        if (st->moves > MOVES_BESIDES + MOVES_BY_SAMPLE * st->samples + MOVES_BY_CONTEXT * (uint64_t)st->by_context.n)
            return self->host->fail(self,
                                    "trace.db, byte %" PRIu64 ": %" PRIu64 " samples enter and leave %" PRIu64
                                    " functions, more than %d a sample: their call paths are too deep",
                                    at, st->samples, st->moves, (int)MOVES_BY_SAMPLE);
    }
    return go(self, location, last, from, TCF_NONE); /* nobody knows how long the last sample lasts */
}

/* ---------------------------------------------------------------------------------------------------------- traces --
 */

static tcf_status read_trace(tcf_reader *self, uint64_t header, uint64_t *left)
{
    state *st = self->state;
    const unsigned char *b = db_bytes(&st->trace, header, HEADER_BYTES, "a trace's header");
    uint32_t location;

    if (!b)
        return TCF_ERROR;
    const uint32_t profile = db_u32(b);
    const uint64_t start = db_u64(b + 8), end = db_u64(b + 0x10);
    if (end < start || (end - start) % SAMPLE_BYTES != 0)
        return db_fail(&st->trace, header, "a trace that ends before it begins, or in the middle of a sample");
    if (db_check(&st->trace, start, end - start, "the samples of a trace") != TCF_OK)
        return TCF_ERROR;
    if (end - start > *left)
        return db_fail(&st->trace, header, "traces share samples");
    *left -= end - start;
    return place_of(self, profile, &location) == TCF_OK ? read_samples(self, location, start, end) : TCF_ERROR;
}

static tcf_status read_traces(tcf_reader *self)
{
    state *st = self->state;
    const unsigned char *b = db_bytes(&st->trace, TRACE_HEADERS, 8, "the head");
    uint64_t left = st->trace.size;
    tcf_status status = TCF_OK;

    if (!b || !(b = db_bytes(&st->trace, db_u64(b), 0xd, "the list of traces")))
        return TCF_ERROR;
    const uint64_t first = db_u64(b);
    const uint32_t n = db_u32(b + 8), stride = b[0xc];
    if (n > 0 && stride < HEADER_BYTES)
        return db_fail(&st->trace, first, "the headers of traces are too short");
    if (db_check(&st->trace, first, (uint64_t)n * stride, "the list of traces") != TCF_OK)
        return TCF_ERROR;
    for (uint32_t i = 0; i < n && status == TCF_OK; i++)
        status = read_trace(self, first + (uint64_t)i * stride, &left);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------- all --
 */

static int is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0 && (n == m || path[n - m - 1] == '/');
}

/* The folder itself, or the one that the file lies in. */
static tcf_status find_folder(tcf_reader *self)
{
    state *st = self->state;
    const char *slash = strrchr(self->path, '/');
    char *xml = NULL;

    st->folder = is_folder(self->path) ? strdup(self->path)
                 : slash               ? strndup(self->path, (size_t)(slash - self->path) + 1)
                                       : strdup(".");
    if (!st->folder || !(xml = malloc(strlen(st->folder) + sizeof "/experiment.xml")))
        return self->host->fail(self, "out of memory");
    sprintf(xml, "%s/experiment.xml", st->folder);
    const int is_old = ends_in(self->path, "experiment.xml") || (is_folder(self->path) && access(xml, F_OK) == 0);
    free(xml);
    return is_old ? self->host->fail(self, "a database of version 2 or 3, which has experiment.xml; this reader knows "
                                           "version 4, with meta.db, profile.db and trace.db, as hpcprof of "
                                           "HPCToolkit 2023 writes it")
                  : TCF_OK;
}

static tcf_status hpctoolkit_read(tcf_reader *self)
{
    state *st = self->state;

    if (find_folder(self) != TCF_OK || db_open(self, &st->meta, "meta.db", "meta", "_meta.db") != TCF_OK ||
        db_open(self, &st->profile, "profile.db", "prof", "_prof.db") != TCF_OK ||
        db_open(self, &st->trace, "trace.db", "trce", "trace.db") != TCF_OK || self->host->sampled(self) != TCF_OK ||
        contexts_read(self) != TCF_OK || read_traces(self) != TCF_OK)
        return TCF_ERROR;
    self->host->log(self, TCF_LOG_INFO, "%" PRIu64 " samples, %" PRIu32 " contexts", st->samples, st->by_context.n);
    return TCF_OK;
}

static void hpctoolkit_fini(tcf_reader *self)
{
    state *st = self->state;

    db_close(&st->meta);
    db_close(&st->profile);
    db_close(&st->trace);
    tcf_map_free(&st->by_context);
    tcf_map_free(&st->regions);
    tcf_map_free(&st->processes);
    free(st->functions);
    free(st->waiting);
    free(st->name);
    free(st->file_name);
    free(st->path);
    free(st->folder);
}

/* A file of a database, of any version, or the folder around it. */
static int hpctoolkit_probe(const tcf_probe *probe)
{
    static const char head[10] = "HPCTOOLKIT", old[] = "<HPCToolkitExperiment";

    if (probe->is_folder)
        return tcf_folder_has(probe, "meta.db") || tcf_folder_has(probe, "experiment.xml") ? 90 : 0;
    if (probe->n >= sizeof head && memcmp(probe->first, head, sizeof head) == 0)
        return 100;
    for (size_t i = 0; i + sizeof old - 1 <= probe->n; i++)
        if (memcmp(probe->first + i, old, sizeof old - 1) == 0)
            return 100;
    return 0;
}

TCF_SOURCE = {
    .head = TCF_SOURCE_HEAD,
    .name = "hpctoolkit",
    .version = "1.0",
    .summary = "Reads the traces of HPCToolkit's databases (meta.db, profile.db, trace.db)",
    .help =
        "The input is the folder of a database of version 4, as hpcprof writes it, or one of the files in it. Older "
        "ones, with experiment.xml, are refused, and so are databases without traces (hpcrun -t makes them).\n\n"
        "A trace is a row of samples, each with a time and a call path. The call path of a sample holds until the next "
        "one: where two differ, functions are left and entered at the time of the second. So calls that no sample "
        "hits are not there, and a call may be two or more. Two calls of a function from different lines are two "
        "calls. The last sample of a thread has no duration. All results say that they come from samples.\n\n"
        "A rank is a process, or else a node is; each trace is a location, a thread or a stream of an accelerator. "
        "Functions are regions, with the file and line of their definition, and so is what a thread begins with; "
        "loops, lines and instructions count as the function around them. Metrics are not read. Times are "
        "nanoseconds.",
    .state_size = sizeof(state),
    .probe = hpctoolkit_probe,
    .read = hpctoolkit_read,
    .fini = hpctoolkit_fini,
};
