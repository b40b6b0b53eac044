/* libFuzzer's target for the reader of streams, and for all that works with what it delivers: matching, causal order, slots and
 * instances.
 *
 * An input is a byte of options and a list of frames: a byte of type, three bytes of length (lowest first), the bytes. The
 * header, numbers and checksums are made here, or nothing behind them would ever be reached; tests/fuzz/frames.py makes inputs
 * of streams. Most mutations are of one frame alone: bytes that are shifted from one frame into the next end the run where the
 * first of them is looked at, among the definitions most often. */
#define _GNU_SOURCE
#include "../../framework/error.h"
#include "../../framework/pipeline.h"
#include <tcflow/stream.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

/* Uses all that a filter may use of an edge. */
static tcf_status span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t k = 0; k < s->n_edges; k++) {
        tcf_edge *e = &s->edges[k];
        uint64_t value;
        if (e->pos < from || e->pos >= to || e->flags & TCF_EDGE_GONE)
            continue;
        uint64_t *bytes = self->host->payload(self, s, e);
        if (bytes)
            *bytes += s->time[e->pos];
        if (e->flags & TCF_EDGE_TARGET && self->host->latest(self, s, e, &value) && bytes)
            *bytes ^= value;
        if (e->flags & TCF_EDGE_SOURCE)
            self->host->publish(self, s, e, s->time[e->pos]);
    }
    return TCF_OK;
}

static tcf_status complete(tcf_self *self, const tcf_instance *instance)
{
    uint64_t sum = 0, value;
    for (uint32_t r = 0; r < instance->n_members; r++) {
        memcpy(&value, instance->members + r * instance->stride, sizeof value);
        sum += value;
    }
    *(uint64_t *)self->state += sum;
    return TCF_OK;
}

/* Reads all that a record refers to. */
static tcf_status look_at(tcf_self *self, tcf_slice *s)
{
    uint64_t *sum = self->state;
    for (uint32_t i = 0; i < s->n; i++) {
        const tcf_attributes *a = tcf_attributes_of(s, i);
        for (uint32_t k = 0; a && k < a->n; k++)
            *sum += a->at[k].value + tcf_id(self->defs, TCF_REF_ATTRIBUTE, a->at[k].attribute, 0);
        if (s->kind[i] == TCF_ENTER || s->kind[i] == TCF_LEAVE)
            *sum += tcf_id(self->defs, TCF_REF_REGION, s->rec[i].enter.region, 0);
        if (s->kind[i] == TCF_METRIC)
            for (uint32_t k = 0; k < s->rec[i].metric.number_of_metrics; k++)
                *sum += ((const uint64_t *)tcf_at(s, s->rec[i].metric.metric_values))[k];
    }
    return TCF_OK;
}

static tcf_status each_snapshot(void *data, const tcf_snapshot_record *r)
{
    *(uint64_t *)data += r->kind + r->event_time;
    return TCF_OK;
}

static tcf_status each_marker(void *data, const tcf_marker *m)
{
    *(uint64_t *)data += m->definition ? strlen(m->group) + strlen(m->category) : strlen(m->text);
    return TCF_OK;
}

static tcf_status each_thumbnail(void *data, const tcf_thumbnail *t)
{
    for (uint64_t i = 0; i < (uint64_t)t->n_samples * t->n_metrics; i++)
        *(uint64_t *)data += t->samples[i];
    return TCF_OK;
}

static tcf_status end(tcf_self *self)
{
    for (uint32_t i = 0; i < self->defs->n_locations; i++)
        if (self->host->snapshots(self, i, each_snapshot, self->state) != TCF_OK)
            return TCF_ERROR;
    if (self->host->markers(self, each_marker, self->state) != TCF_OK)
        return TCF_ERROR;
    return self->host->thumbnails(self, each_thumbnail, self->state);
}

static const tcf_filter edges = {TCF_FILTER_HEAD,
                                 .name = "edges",
                                 .version = "1",
                                 .summary = "Uses edges",
                                 .message_bytes = 8,
                                 .member_bytes = 8,
                                 .state_size = 8,
                                 .span = span,
                                 .collective_complete = complete};
static const tcf_filter records = {TCF_FILTER_HEAD,
                                   .name = "records",
                                   .version = "1",
                                   .summary = "Uses records",
                                   .state_size = 8,
                                   .needs = TCF_NEEDS_CALLPATH,
                                   .slice = look_at,
                                   .end = end};
static const tcf_filter *const builtin[] = {&edges, &records, NULL};

enum { HEAD = 4, MOST_BYTES = 1 << 16, MOST_FRAMES = 4096 };

static size_t frame_bytes(const uint8_t *at, size_t left)
{
    size_t n = at[1] | (size_t)at[2] << 8 | (size_t)at[3] << 16;
    return n < left - HEAD ? n : left - HEAD;
}

/* ------------------------------------------------------------------------------------------------------ streams -- */

static uint8_t *put(uint8_t *to, const void *bytes, size_t n)
{
    if (n > 0)
        memcpy(to, bytes, n);
    return to + n;
}

static uint8_t *put_frame(uint8_t *to, uint32_t number, uint8_t type, const uint8_t *bytes, uint32_t n)
{
    tcf_frame_head head = {.bytes = n, .type = type, .number = number};
    tcf_put_head(to, &head);
    uLong sum = crc32(0, to, TCF_SUMMED_BYTES);
    tcf_put_u32(to + TCF_SUMMED_BYTES, (uint32_t)(n > 0 ? crc32(sum, bytes, n) : sum));
    return put(to + TCF_HEAD_BYTES, bytes, n);
}

/* The stream that an input stands for, on standard input: a file in memory, the same for all runs. */
static void put_stream(const uint8_t *data, size_t size)
{
    static uint8_t stream[TCF_HEADER_BYTES + MOST_BYTES / HEAD * TCF_HEAD_BYTES + MOST_BYTES];
    tcf_stream_header header = {.order = tcf_stream_byte_order(), .major = TCF_STREAM_MAJOR};
    memcpy(header.magic, TCF_STREAM_MAGIC, sizeof header.magic);
    tcf_put_header(stream, &header);
    tcf_put_u32(stream + TCF_SUMMED_BYTES, (uint32_t)crc32(0, stream, TCF_SUMMED_BYTES));
    uint8_t *to = stream + TCF_HEADER_BYTES;
    for (uint32_t number = 0; size >= HEAD; number++) {
        size_t n = frame_bytes(data, size);
        to = put_frame(to, number, data[0], data + HEAD, (uint32_t)n);
        data += HEAD + n;
        size -= HEAD + n;
    }
    size_t n = (size_t)(to - stream);
    if (pwrite(STDIN_FILENO, stream, n, 0) != (ssize_t)n || ftruncate(STDIN_FILENO, (off_t)n) != 0 ||
        lseek(STDIN_FILENO, 0, SEEK_SET) != 0)
        abort();
}

/* Settings for each value of the byte of options that makes a difference. */
static settings *settings_of(uint8_t options)
{
    static settings *made[8];
    const char *overrides[] = {"pipeline.input=-", options & 1 ? "pipeline.chain=records" : "pipeline.chain=edges records",
                               options & 2 ? "pipeline.salvage=yes" : "pipeline.salvage=no", "pipeline.memory=64KiB",
                               "pipeline.lookahead=20", options & 4 ? "pipeline.slice=8" : "pipeline.slice=64"};
    settings **s = &made[options & 7];
    if (!*s && !(*s = settings_load(NULL, overrides, sizeof overrides / sizeof *overrides)))
        abort();
    return *s;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    error_verbosity = TCF_LOG_ERROR;
    int fd = memfd_create("stream", MFD_CLOEXEC);
    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        abort();
    close(fd);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > MOST_BYTES)
        return 0;
    put_stream(data + 1, size - 1);
    pipeline *p = pipeline_new_over(settings_of(data[0]), NULL, builtin, NULL);
    if (p)
        (void)pipeline_run(p, NULL);
    pipeline_delete(p);
    error_clear();
    return 0;
}

/* ---------------------------------------------------------------------------------------------------- mutations -- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* A frame of the input: one behind the definitions, if there is any, seven times of eight. Its place, 0: there is none. */
static size_t choose_frame(const uint8_t *data, size_t size, unsigned int *seed)
{
    size_t at[MOST_FRAMES], n = 0, first = 0;

    for (size_t i = 1; i + HEAD <= size && n < MOST_FRAMES; i += HEAD + frame_bytes(data + i, size - i)) {
        if (data[i] <= TCF_FRAME_READY)
            first = n + 1;
        at[n++] = i;
    }
    if (n == 0)
        return 0;
    if (first == n || rand_r(seed) % 8 == 0)
        first = 0;
    return at[first + (size_t)rand_r(seed) % (n - first)];
}

/* Makes the frame's bytes longer or shorter: moves what follows. */
static size_t resize(uint8_t *data, size_t size, size_t frame, size_t before, size_t after)
{
    uint8_t *bytes = data + frame + HEAD;

    memmove(bytes + after, bytes + before, size - frame - HEAD - before);
    for (uint32_t i = 0; i < 3; i++)
        data[frame + 1 + i] = (uint8_t)(after >> 8 * i);
    return size + after - before;
}

static size_t mutate_frame(uint8_t *data, size_t size, size_t max_size, size_t frame)
{
    static uint8_t changed[MOST_BYTES];
    size_t n = frame_bytes(data + frame, size - frame), most = n + (max_size - size);

    if (most == 0) /* LLVMFuzzerMutate() would return 1 nevertheless */
        return size;
    memcpy(changed, data + frame + HEAD, n);
    size_t now = LLVMFuzzerMutate(changed, n, most < sizeof changed ? most : sizeof changed);
    size = resize(data, size, frame, n, now);
    memcpy(data + frame + HEAD, changed, now);
    return size;
}

static size_t repeat_frame(uint8_t *data, size_t size, size_t max_size, size_t frame)
{
    size_t whole = HEAD + frame_bytes(data + frame, size - frame);

    if (size + whole > max_size)
        return size;
    memmove(data + frame + whole, data + frame, size - frame);
    return size + whole;
}

static size_t drop_frame(uint8_t *data, size_t size, size_t frame)
{
    size_t whole = HEAD + frame_bytes(data + frame, size - frame);

    memmove(data + frame, data + frame + whole, size - frame - whole);
    return size - whole;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    size_t frame = size <= max_size && max_size <= MOST_BYTES ? choose_frame(data, size, &seed) : 0;

    if (frame == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    switch (rand_r(&seed) % 32) {
    case 0:
        return LLVMFuzzerMutate(data, size, max_size);
    case 1:
        return repeat_frame(data, size, max_size, frame);
    case 2:
        return drop_frame(data, size, frame);
    case 3:
        data[0] = (uint8_t)rand_r(&seed);
        return size;
    default:
        return mutate_frame(data, size, max_size, frame);
    }
}
