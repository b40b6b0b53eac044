/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What libFuzzer's targets for readers share: the reader, whose source the target includes, parses the input; all
 * locations are read, twice, and what the framework promises of any reader is checked: times of a location go up,
 * leaves belong to enters, references to definitions, each receive has a send. */
#include "framework/base/error.h"
#include "framework/source/foreign/foreign_source.h"
#include "framework/trace/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    error_verbosity = TCF_LOG_ERROR;
    return 0;
}

static void must_hold(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "broken: %s\n", what);
        abort();
    }
}

typedef struct fuzz_seen {
    uint64_t events, sends, receives, begins, ends;
} fuzz_seen;

static void look_at_rank(const tcf_definitions *defs, uint32_t comm, uint32_t rank)
{
    must_hold(comm < defs->n_comms, "a communicator is defined");
    must_hold(rank < defs->comms[comm].size, "a rank is a member");
}

static void look_at_events(const source *src, const slice *s, uint64_t *last, int64_t *depth, fuzz_seen *n)
{
    const tcf_definitions *defs = source_definitions(src);

    for (uint32_t i = 0; i < s->v.n; i++) {
        const tcf_rec *r = &s->v.rec[i];
        must_hold(s->v.time[i] >= *last, "times of a location go up");
        *last = s->v.time[i];
        n->events++;
        switch (s->v.kind[i]) {
        case TCF_ENTER:
        case TCF_LEAVE:
            must_hold(r->enter.region < defs->n_regions, "a region is defined");
            *depth += s->v.kind[i] == TCF_ENTER ? 1 : -1;
            break;
        case TCF_MPI_SEND:
        case TCF_MPI_ISEND:
            look_at_rank(defs, r->mpi_send.communicator, r->mpi_send.receiver);
            n->sends++;
            break;
        case TCF_MPI_RECV:
        case TCF_MPI_IRECV:
            look_at_rank(defs, r->mpi_recv.communicator, r->mpi_recv.sender);
            n->receives++;
            break;
        case TCF_MPI_COLLECTIVE_BEGIN:
        case TCF_NON_BLOCKING_COLLECTIVE_REQUEST:
            n->begins++;
            break;
        case TCF_MPI_COLLECTIVE_END:
        case TCF_NON_BLOCKING_COLLECTIVE_COMPLETE:
            must_hold(r->mpi_collective_end.communicator < defs->n_comms, "a communicator is defined");
            n->ends++;
            break;
        case TCF_MPI_ISEND_COMPLETE:
        case TCF_MPI_IRECV_REQUEST:
            break;
        case TCF_METRIC:
            must_hold(r->metric.metric < defs->n_metrics, "a metric is defined");
            break;
        case TCF_PARAMETER_STRING:
            must_hold(r->parameter_string.string < defs->n_strings, "a string is defined");
            break;
        default:
            must_hold(0, "events are of known kinds");
        }
    }
}

static uint64_t look_at_all(source *src, pool *p)
{
    fuzz_seen n = {0};
    const tcf_definitions *defs = source_definitions(src);

    for (uint32_t l = 0; l < defs->n_locations; l++) {
        uint64_t last = 0, before = n.events;
        int64_t depth = 0;
        for (int ended = 0; !ended;) {
            slice *s = slice_get(p, l);
            must_hold(source_read(src, l, s, 16, &ended) == TCF_OK, "what was parsed can be read");
            look_at_events(src, s, &last, &depth, &n);
            slice_put(p, s);
        }
        must_hold(n.events - before == defs->locations[l].events, "a location has as many events as it says");
    }
    must_hold(n.sends == n.receives, "each receive has a send");
    must_hold(n.begins == n.ends, "each collective operation that begins ends");
    return n.events;
}

/* The file has these bytes and no others. */
__attribute__((unused)) static void put_input(int file, const uint8_t *data, size_t size)
{
    must_hold(file >= 0 && pwrite(file, data, size, 0) == (ssize_t)size && ftruncate(file, (off_t)size) == 0,
              "the input is written");
}

/* The whole of a target whose input is the file `path`. */
static void fuzz_file(const tcf_source *reader, const void *settings, const char *path)
{
    const source_format format = {.source = reader, .instance = reader->name, .conf = settings};
    const source_options options = {.format = &format, .memory = 1 << 14};
    const slice_layout layout = {.capacity = 16, .arena = 1024};
    source *src = foreign_source_open(path, &options);

    if (src) {
        pool *p = pool_new(&layout, 2);
        const uint64_t n = look_at_all(src, p);
        must_hold(source_rewind(src) == TCF_OK && look_at_all(src, p) == n, "it reads the same again");
        pool_delete(p);
    }
    must_hold(src || *error_text(), "a failure has a reason");
    source_close(src);
}

/* Likewise; the file has these bytes. */
__attribute__((unused)) static void fuzz_reader(const tcf_source *reader, const void *settings, const uint8_t *data,
                                                size_t size)
{
    static int file = -1;
    static char path[64];

    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    put_input(file, data, size);
    fuzz_file(reader, settings, path);
}
