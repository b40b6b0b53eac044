/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* message_histogram: how large messages are, and how many of them and how many bytes are under way over time.
 *
 * Messages are counted as senders and as receivers recorded them, each for itself; nothing is matched. Memory is that
 * of the bins, by location, and allocated once: bins of sizes are fixed, those of time become wider with the run
 * (time_bins.h). */
#include "message_histogram.h"

#include <stdlib.h>
#include <string.h>

static int start(const tcf_self *self, place *p)
{
    const conf *c = self->conf;
    const size_t sizes = size_bins(c), times = (size_t)c->time_bins;
    p->sizes = calloc(sizes + 2 * times, sizeof *p->sizes);
    p->over_time = p->sizes ? p->sizes + sizes : NULL;
    p->time = time_bins_new((uint32_t)times, self->defs->clock.global_offset);
    return p->sizes ? 0 : -1;
}

static void move_bins(place *p, const time_bins_move *m)
{
    const uint32_t n = p->time.n;
    flow(*old)[2] = p->over_time + n;
    memcpy(old, p->over_time, n * sizeof *old);
    memset(p->over_time, 0, n * sizeof *old);
    for (uint32_t k = 0; k < n; k++)
        if (!is_empty(old[k]))
            flows_add(p->over_time[time_bins_moved(m, k)], old[k]);
}

static inline void reach(place *p, uint64_t time)
{
    time_bins_move m;
    if (__builtin_expect(time_bins_reach(&p->time, time, &m), 0))
        move_bins(p, &m);
}

static inline uint32_t size_bin(const conf *c, uint64_t bytes)
{
    if (c->bin_bytes == 0)
        return bytes == 0 ? 0 : 64u - (uint32_t)__builtin_clzll(bytes);
    const uint64_t bin = bytes / c->bin_bytes;
    return bin < (uint64_t)c->max_bins ? (uint32_t)bin : (uint32_t)c->max_bins - 1;
}

static inline void count(const conf *c, place *p, int way, uint64_t time, uint64_t bytes)
{
    reach(p, time);
    flow *size = &p->sizes[size_bin(c, bytes)][way], *when = &p->over_time[time_bins_position(&p->time, time)][way];
    size->messages++;
    size->bytes = tcf_bytes_sum(size->bytes, bytes);
    when->messages++;
    when->bytes = tcf_bytes_sum(when->bytes, bytes);
}

static tcf_status histogram_slice(tcf_self *self, tcf_slice *s)
{
    const conf *c = self->conf;
    const uint8_t *kind = s->kind;
    place *p = tcf_location_state(self, s->location);
    if (s->n == 0)
        return TCF_OK;
    if (!p->sizes) {
        if (start(self, p) != 0)
            return self->host->fail(self, "out of memory for %u bins of sizes and %u of time of a location",
                                    size_bins(c), (unsigned)c->time_bins);
        reach(p, s->time[0]);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        const tcf_rec *r = &s->rec[i];
        switch (kind[i]) {
        case TCF_MPI_SEND:
        case TCF_MPI_ISEND:
            count(c, p, SENT, s->time[i], r->mpi_send.msg_length);
            break;
        case TCF_MPI_RECV:
        case TCF_MPI_IRECV:
            count(c, p, RECEIVED, s->time[i], r->mpi_recv.msg_length);
            break;
        default:
            break;
        }
    }
    p->last = s->time[s->n - 1];
    return TCF_OK;
}

static tcf_status histogram_location_end(tcf_self *self, uint32_t location)
{
    place *p = tcf_location_state(self, location);
    if (p->sizes)
        reach(p, p->last);
    return TCF_OK;
}

/* By location: its number and its bins. TCF_NONE is behind the last one. */
static tcf_status histogram_pack(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const uint32_t sizes = size_bins(self->conf), none = TCF_NONE;

    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        if (!p->sizes)
            continue;
        host->put(pack, &l, sizeof l);
        host->put(pack, &p->time, sizeof p->time);
        host->put(pack, p->sizes, (sizes + p->time.n) * sizeof *p->sizes);
    }
    host->put(pack, &none, sizeof none);
    return TCF_OK;
}

static tcf_status histogram_absorb(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const uint32_t sizes = size_bins(self->conf);
    uint32_t location;

    for (host->take(pack, &location, sizeof location); location < self->defs->n_locations;
         host->take(pack, &location, sizeof location)) {
        place *p = tcf_location_state(self, location);
        if (start(self, p) != 0)
            return host->fail(self, "out of memory for %u bins of a location", sizes + p->time.n);
        host->take(pack, &p->time, sizeof p->time);
        host->take(pack, p->sizes, (sizes + p->time.n) * sizeof *p->sizes);
    }
    return TCF_OK;
}

static void histogram_fini(tcf_self *self, int complete)
{
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++)
        free(((place *)tcf_location_state(self, l))->sizes);
}

static const tcf_param params[] = {
    TCF_PARAM(conf, bin_bytes, TCF_SIZE, "0", "Width of the bins of sizes; 0: powers of two"),
    TCF_PARAM(conf, max_bins, TCF_INT, "1024", "Bins of bin_bytes at most; the last one holds all larger messages, too",
              .min = "2", .max = "1048576"),
    TCF_PARAM(conf, time_bins, TCF_INT, "256",
              "Bins of time at most; at least half of them are used, unless the run has fewer ticks", .min = "2",
              .max = "65536"),
    TCF_PARAM(conf, by_process, TCF_BOOL, "no", "Rows for each process, instead of for all together"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "message_histogram",
    .version = "1.0",
    .summary = "Sizes of messages, and messages and bytes over time (comm_over_time), of all or of each process",
    .topic = TCF_TOPIC_STATISTICS,
    .help =
        "A message that is sent is a record MPI_SEND or MPI_ISEND, at its time, one that is received an MPI_RECV or "
        "MPI_IRECV (the completion); bytes are those of the record. Each side is counted for itself and nothing is "
        "matched, so a lost message shows as more sent than received. Collective and one-sided operations are not in "
        "it.\n\n"
        "With by_process the rows are those of each process by itself (a location group, or each rank of one that has "
        "several, as in AMPI or MPC, and the rest of it), what it sent and what it received, in bins of time that are "
        "those of all.\n\n"
        "Table sizes: messages by their bytes, in bins 0, 1, 2 to 3, 4 to 7 and so on, or of bin_bytes each.\n\n"
        "Table over_time (comm_over_time elsewhere): messages by time, over the whole run from the first to the last "
        "event of all locations, in bins of equal width. The width is the smallest power of two ticks with which "
        "time_bins suffice; bins are counted from the start of the trace as the archive states it. Where clocks were "
        "not synchronised, put a correction in front.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .location_size = sizeof(place),
    .location_more = 120,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .slice = histogram_slice,
    .location_end = histogram_location_end,
    .end = histogram_report,
    .fini = histogram_fini,
    .pack = histogram_pack,
    .absorb = histogram_absorb,
};
