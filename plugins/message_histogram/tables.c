/* message_histogram's tables of results: sums over locations. Runs once, at the end. */
#include "message_histogram.h"

#include <inttypes.h>
#include <stdlib.h>

#define FLOWS                                                                                                          \
    {"sent", TCF_CELL_UINT, "messages", "Messages as senders recorded them"},                                          \
        {"received", TCF_CELL_UINT, "messages", "Messages as receivers recorded them"},                                \
        {"bytes_sent", TCF_CELL_UINT, "bytes", "Bytes of the messages sent"},                                          \
    {                                                                                                                  \
        "bytes_received", TCF_CELL_UINT, "bytes", "Bytes of the messages received"                                     \
    }

static const tcf_table_column size_columns[] = {
    {"from", TCF_CELL_UINT, "bytes", "Smallest size of the bin"},
    {"to", TCF_CELL_UINT, "bytes", "Largest size of the bin; 2^64 - 1: no limit"},
    FLOWS,
};

static const tcf_table_column time_columns[] = {
    {"from", TCF_CELL_DOUBLE, "s", "Start of the bin, since the start of the trace"},
    {"width", TCF_CELL_DOUBLE, "s", "Its length"},
    FLOWS,
    {"from_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "Start of the bin as a timestamp of the trace"},
    {"width_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As width"},
};

typedef struct work {
    tcf_self *self;
    const conf *conf;
    flow (*sizes)[2], (*over_time)[2];
    time_bins time;
} work;

static void add(flow to[2], const flow from[2])
{
    for (int way = SENT; way <= RECEIVED; way++) {
        to[way].messages += from[way].messages;
        to[way].bytes += from[way].bytes;
    }
}

static int is_empty(const flow f[2])
{
    return f[SENT].messages == 0 && f[RECEIVED].messages == 0;
}

static void put_flows(tcf_cell *c, const flow f[2])
{
    c[0] = tcf_uint(f[SENT].messages);
    c[1] = tcf_uint(f[RECEIVED].messages);
    c[2] = tcf_uint(f[SENT].bytes);
    c[3] = tcf_uint(f[RECEIVED].bytes);
}

/* All locations together; the bins of time reach over the whole run first. */
static void add_all(work *w)
{
    const uint32_t locations = w->self->defs->n_locations;
    time_bins_move m;
    for (uint32_t l = 0; l < locations; l++) {
        const place *p = tcf_location_state(w->self, l);
        if (!p->sizes)
            continue;
        time_bins_reach(&w->time, w->time.origin + (uint64_t)p->time.low, &m);
        time_bins_reach(&w->time, w->time.origin + (uint64_t)p->time.high, &m);
    }
    for (uint32_t l = 0; l < locations; l++) {
        const place *p = tcf_location_state(w->self, l);
        if (!p->sizes)
            continue;
        m = time_bins_into(&p->time, &w->time);
        for (uint32_t k = 0; k < size_bins(w->conf); k++)
            add(w->sizes[k], p->sizes[k]);
        for (uint32_t k = 0; k < time_bins_in_use(&p->time); k++)
            add(w->over_time[time_bins_moved(&m, k)], p->over_time[k]);
    }
}

static uint64_t smallest_in(const conf *c, uint32_t bin)
{
    if (c->bin_bytes > 0)
        return bin * c->bin_bytes;
    return bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
}

/* All bins from the first to the last one that holds anything. */
static int write_sizes(const work *w)
{
    const tcf_host *host = w->self->host;
    uint32_t first = 0, end = size_bins(w->conf);
    const uint32_t all = end;
    tcf_table *t = host->table(w->self, "sizes", "Messages by size", size_columns, TCF_COUNT(size_columns));
    while (first < end && is_empty(w->sizes[first]))
        first++;
    while (end > first && is_empty(w->sizes[end - 1]))
        end--;
    for (uint32_t k = first; t && k < end; k++) {
        tcf_cell cells[TCF_COUNT(size_columns)];
        cells[0] = tcf_uint(smallest_in(w->conf, k));
        cells[1] = tcf_uint(k + 1 < all ? smallest_in(w->conf, k + 1) - 1 : UINT64_MAX);
        put_flows(cells + 2, w->sizes[k]);
        host->row(t, cells);
    }
    return t ? 0 : -1;
}

static int write_over_time(const work *w)
{
    const tcf_host *host = w->self->host;
    const time_bins *b = &w->time;
    tcf_table *t = host->table(w->self, "over_time", "Messages over time", time_columns, TCF_COUNT(time_columns));
    for (uint32_t k = 0; t && k < time_bins_in_use(b); k++) {
        const int64_t from = time_bins_start(b, k);
        const uint64_t width = UINT64_C(1) << b->level;
        tcf_cell cells[TCF_COUNT(time_columns)];
        cells[0] = tcf_seconds(w->self, (double)from);
        cells[1] = tcf_seconds(w->self, (double)width);
        put_flows(cells + 2, w->over_time[k]);
        cells[6] = tcf_uint(b->origin + (uint64_t)from);
        cells[7] = tcf_uint(width);
        host->row(t, cells);
    }
    return t ? 0 : -1;
}

/* What did not fit into the bins that were asked for. */
static void tell(const work *w)
{
    const conf *c = w->conf;
    const flow *last = w->sizes[size_bins(c) - 1];
    if (c->bin_bytes > 0 && !is_empty(last))
        w->self->host->log(w->self, TCF_LOG_WARNING,
                           "%" PRIu64 " sends and receives stand in the last of max_bins = %" PRId64
                           " bins, which is open: they may be larger than bin_bytes beyond its start",
                           last[SENT].messages + last[RECEIVED].messages, c->max_bins);
}

tcf_status histogram_report(tcf_self *self)
{
    const conf *c = self->conf;
    work w = {.self = self, .conf = c, .time = time_bins_new((uint32_t)c->time_bins, self->defs->clock.global_offset)};
    w.sizes = calloc(size_bins(c), sizeof *w.sizes);
    w.over_time = calloc((size_t)c->time_bins, sizeof *w.over_time);
    int failed = !w.sizes || !w.over_time;
    if (!failed) {
        add_all(&w);
        failed = write_sizes(&w) != 0 || write_over_time(&w) != 0;
        tell(&w);
    }
    free(w.sizes);
    free(w.over_time);
    return failed ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
