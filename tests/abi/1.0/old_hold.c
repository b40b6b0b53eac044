/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A filter as it could be written for interface 1.0: it holds slices until the watermark has passed them, drops events,
 * and writes a column of its own. Frozen; so are the headers beside it. */
#include <tcflow/filter.h>

enum { MOST = 4096 };

struct conf {
    uint64_t size;
    int markers;
};

/* Slices that are held, oldest first. */
struct state {
    tcf_slice *held[MOST];
    uint64_t last[MOST];
    uint32_t n;
    uint64_t released, dropped, flushed;
};

static const tcf_param params[] = {
    {.key = "size",
     .type = TCF_SIZE,
     .offset = offsetof(struct conf, size),
     .default_value = "4k",
     .min = "1",
     .max = "1GiB",
     .unit = "bytes",
     .help = "A size"},
    {.key = "markers",
     .type = TCF_BOOL,
     .offset = offsetof(struct conf, markers),
     .default_value = "yes",
     .help = "Yes or no"},
    {.key = NULL},
};

static tcf_status release_until(tcf_self *self, uint64_t time, uint32_t at_least)
{
    struct state *st = self->state;
    uint32_t n = 0;

    while (n < st->n && (n < at_least || st->last[n] < time)) {
        if (self->host->release(self, st->held[n]) != TCF_OK)
            return TCF_ERROR;
        n++;
    }
    st->released += n;
    st->n -= n;
    for (uint32_t i = 0; i < st->n; i++) {
        st->held[i] = st->held[i + n];
        st->last[i] = st->last[i + n];
    }
    return TCF_OK;
}

static tcf_status hold_slice(tcf_self *self, tcf_slice *s)
{
    struct state *st = self->state;
    uint8_t keep[65536];

    if (s->n == 0 || s->n > sizeof keep)
        return TCF_OK;
    for (uint32_t i = 0; i < s->n; i++) {
        keep[i] = s->kind[i] != TCF_BUFFER_FLUSH;
        st->dropped += !keep[i];
    }
    self->host->compact(self, s, keep);
    if (st->n == MOST || s->n == 0)
        return self->host->fail(self, "more than %d slices", MOST);
    st->held[st->n] = s;
    st->last[st->n++] = s->time[s->n - 1];
    if (release_until(self, self->host->watermark(self), 0) != TCF_OK)
        return TCF_ERROR;
    return TCF_HELD;
}

static tcf_status hold_flush(tcf_self *self)
{
    struct state *st = self->state;
    st->flushed++;
    return release_until(self, self->host->watermark(self), 1);
}

static tcf_status hold_end(tcf_self *self)
{
    static const tcf_table_column columns[] = {{"released", TCF_CELL_UINT, "slices", "how many"},
                                               {"dropped", TCF_CELL_UINT, "events", "how many"},
                                               {"size", TCF_CELL_UINT, "bytes", "the parameter"},
                                               {"markers", TCF_CELL_INT, NULL, "the parameter"}};
    const struct conf *conf = self->conf;
    struct state *st = self->state;

    if (release_until(self, UINT64_MAX, MOST) != TCF_OK)
        return TCF_ERROR;
    tcf_table *table = self->host->table(self, "held", "Held", columns, TCF_COUNT(columns));
    self->host->row(table, (const tcf_cell[]){tcf_uint(st->released > 0), tcf_uint(st->dropped), tcf_uint(conf->size),
                                              tcf_int(conf->markers)});
    return TCF_OK;
}

TCF_FILTER = {
    TCF_FILTER_HEAD,
    .name = "old_hold",
    .version = "1.0",
    .summary = "Holds slices until the watermark has passed them",
    .params = params,
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .needs = TCF_HOLDS | TCF_TOGETHER | TCF_DROPS | TCF_REPORTS,
    .slice = hold_slice,
    .flush = hold_flush,
    .end = hold_end,
};
