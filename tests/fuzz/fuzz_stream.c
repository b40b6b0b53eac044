/* libFuzzer's target for the reader of streams, and for all that works with what it delivers: matching, causal order, slots and
 * instances.
 *
 * An input is a list of frames: a byte of type, three bytes of length (lowest first), the bytes. The header, numbers and
 * checksums are made here, or nothing behind them would ever be reached; tests/fuzz/frames.py makes inputs of streams. */
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

static void put(int fd, const void *bytes, size_t n)
{
    if (write(fd, bytes, n) != (ssize_t)n)
        abort();
}

static void put_frame(int fd, uint32_t number, uint8_t type, const uint8_t *bytes, uint32_t n)
{
    tcf_frame_head head = {.bytes = n, .type = type, .number = number};
    uLong sum = crc32(0, (const uint8_t *)&head, offsetof(tcf_frame_head, checksum));
    head.checksum = (uint32_t)(n > 0 ? crc32(sum, bytes, n) : sum);
    put(fd, &head, sizeof head);
    put(fd, bytes, n);
}

static void put_stream(int fd, const uint8_t *data, size_t size)
{
    tcf_stream_header header = {.order = tcf_stream_byte_order(), .major = TCF_STREAM_MAJOR};
    memcpy(header.magic, TCF_STREAM_MAGIC, sizeof header.magic);
    header.checksum = (uint32_t)crc32(0, (const uint8_t *)&header, offsetof(tcf_stream_header, checksum));
    put(fd, &header, sizeof header);
    for (uint32_t number = 0; size >= 4; number++) {
        uint32_t n = data[1] | (uint32_t)data[2] << 8 | (uint32_t)data[3] << 16;
        n = n < size - 4 ? n : (uint32_t)(size - 4);
        put_frame(fd, number, data[0], data + 4, n);
        data += 4 + n;
        size -= 4 + n;
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    error_verbosity = TCF_LOG_ERROR;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const chains[] = {"pipeline.chain=edges records", "pipeline.chain=records"};
    char input[64];

    if (size < 1)
        return 0;
    int fd = memfd_create("stream", MFD_CLOEXEC);
    if (fd < 0)
        abort();
    put_stream(fd, data + 1, size - 1);
    snprintf(input, sizeof input, "pipeline.input=stream:/proc/self/fd/%d", fd);
    const char *overrides[] = {input, chains[data[0] & 1], data[0] & 2 ? "pipeline.salvage=yes" : "pipeline.salvage=no",
                               "pipeline.memory=1MiB", "pipeline.lookahead=100", data[0] & 4 ? "pipeline.slice=3" : "pipeline.slice=64"};
    settings *s = settings_load(NULL, overrides, sizeof overrides / sizeof *overrides);
    pipeline *p = s ? pipeline_new_over(s, NULL, builtin, NULL) : NULL;
    if (p)
        (void)pipeline_run(p, NULL);
    pipeline_delete(p);
    settings_free(s);
    error_clear();
    close(fd);
    return 0;
}
