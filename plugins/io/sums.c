/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* io: adds locations that have ended to the sums of their processes. */
#include "io.h"

#include <stdlib.h>
#include <string.h>

void *row_of(table_of *t, row_key of, size_t bytes, uint32_t most)
{
    const uint64_t a = (uint64_t)of.process << 32 | of.paradigm, mode = (uint64_t)of.mode << 32;
    if (t->by.index.n >= most && tcf_map_get(&t->by.index, a, mode | of.file) == TCF_MAP_ABSENT) {
        of.file = BEYOND;
        t->is_full = 1;
    }
    const uint32_t at = keyed_find(&t->at, &t->by, a, mode | of.file, bytes);
    return at == TCF_NONE ? NULL : memcpy((char *)t->at + at * bytes, &of, sizeof of);
}

void table_of_free(table_of *t)
{
    keyed_free(t->at, &t->by);
    *t = (table_of){0};
}

static void add_counts(uint64_t *to, const uint64_t *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = tcf_bytes_sum(to[i], x[i]); /* some are bytes */
}

void add_operations(operations *to, const operations *x)
{
    if (x->n[COMPLETED] > 0) {
        const int none = to->n[COMPLETED] == 0;
        to->min_ticks = none || x->min_ticks < to->min_ticks ? x->min_ticks : to->min_ticks;
        to->max_ticks = none || x->max_ticks > to->max_ticks ? x->max_ticks : to->max_ticks;
    }
    if (x->n[COMPLETED] > x->n[UNKNOWN]) {
        const int none = to->n[COMPLETED] == to->n[UNKNOWN];
        to->min_bytes = none || x->min_bytes < to->min_bytes ? x->min_bytes : to->min_bytes;
        to->max_bytes = none || x->max_bytes > to->max_bytes ? x->max_bytes : to->max_bytes;
    }
    to->ticks = tcf_ticks_sum(to->ticks, x->ticks);
    add_counts(to->n, x->n, COUNTS);
}

/* --------------------------------------------------------------------------------------- the tables of processes -- */

static void add_row(void *to, const void *x)
{
    add_operations(&((row *)to)->sum, &((const row *)x)->sum);
}

static void add_usage(void *to, const void *x)
{
    add_counts(((usage *)to)->n, ((const usage *)x)->n, USES);
}

static void add_histogram(void *to, const void *x)
{
    for (uint32_t k = 0; k < SIZES; k++)
        add_bin(&((histogram *)to)->bin[k], &((const histogram *)x)->bin[k]);
}

static void add_visits(void *to, const void *x)
{
    ((visits *)to)->count += ((const visits *)x)->count;
    ((visits *)to)->ticks = tcf_ticks_sum(((const visits *)to)->ticks, ((const visits *)x)->ticks);
}

static void add_balance(void *to, const void *x)
{
    ((balance *)to)->open += ((const balance *)x)->open;
}

enum { ROWS, USAGE, HISTOGRAMS, REGIONS, BALANCE, TABLES };

/* All rows begin with their keys. */
static const struct {
    size_t at, bytes; /* of the table in the state; of a row */
    void (*add)(void *to, const void *x);
    int has_cap;       /* max_rows */
    tcf_ref_kind file; /* what `file` of the key is an index of */
} tables[TABLES] = {
    [ROWS] = {offsetof(state, rows), sizeof(row), add_row, 1, TCF_REF_IO_FILE},
    [USAGE] = {offsetof(state, usage), sizeof(usage), add_usage, 1, TCF_REF_IO_FILE},
    [HISTOGRAMS] = {offsetof(state, histograms), sizeof(histogram), add_histogram, 0, TCF_REF_IO_FILE},
    [REGIONS] = {offsetof(state, regions), sizeof(visits), add_visits, 0, TCF_REF_REGION},
    [BALANCE] = {offsetof(state, balance), sizeof(balance), add_balance, 0, TCF_REF_IO_HANDLE},
};

static table_of *table_at(const tcf_self *self, uint32_t k)
{
    return (table_of *)((char *)self->state + tables[k].at);
}

/* Adds a row to that of the same key. -1: out of memory. */
static int add(const tcf_self *self, uint32_t k, const void *x)
{
    const uint32_t most = tables[k].has_cap ? (uint32_t)((const conf *)self->conf)->max_rows : UINT32_MAX;
    row_key of;
    memcpy(&of, x, sizeof of);
    void *to = row_of(table_at(self, k), of, tables[k].bytes, most);
    if (!to)
        return -1;
    tables[k].add(to, x);
    return 0;
}

static void add_limits(limits *to, const limits *x)
{
    to->never_completed += x->never_completed;
    to->not_begun += x->not_begun;
    to->too_many += x->too_many;
    to->too_deep += x->too_deep;
}

/* ------------------------------------------------------------------------------------------------------ locations --
 */

static int sum_rows(const tcf_self *self, const place *p, uint32_t process)
{
    const state *st = self->state;
    int failed = 0;
    for (uint32_t i = 0; i < p->rows.by.index.n && !failed; i++) {
        row x = ((const row *)p->rows.at)[i];
        x.of = (row_key){process, paradigm_of(st, x.of.file), file_of(st, x.of.file), x.of.mode};
        failed = add(self, ROWS, &x);
    }
    return failed;
}

static int sum_usage(const tcf_self *self, const place *p, uint32_t process)
{
    const state *st = self->state;
    int failed = 0;
    for (uint32_t i = 0; i < p->usage.by.index.n && !failed; i++) {
        usage x = ((const usage *)p->usage.at)[i];
        const balance b = {{.process = process, .file = x.of.file},
                           (int64_t)(x.n[OPENED] + x.n[DUPLICATED] - x.n[CLOSED])};
        const int is_file = x.of.process != 0;
        x.of = is_file ? (row_key){process, x.of.paradigm, x.of.file, 0}
                       : (row_key){process, paradigm_of(st, x.of.file), file_of(st, x.of.file), 0};
        failed = add(self, USAGE, &x) != 0 || (!is_file && add(self, BALANCE, &b) != 0);
    }
    return failed;
}

static int sum_histograms(const tcf_self *self, const place *p, uint32_t process)
{
    int failed = 0;
    for (uint32_t i = 0; i < p->histograms.by.index.n && !failed; i++) {
        histogram x = ((const histogram *)p->histograms.at)[i];
        x.of = (row_key){process, x.of.paradigm, 0, x.of.mode};
        failed = add(self, HISTOGRAMS, &x);
    }
    return failed;
}

static int sum_regions(const tcf_self *self, const place *p, uint32_t process)
{
    const state *st = self->state;
    int failed = 0;
    for (uint32_t i = 0; i < p->regions.by.index.n && !failed; i++) {
        visits x = ((const visits *)p->regions.at)[i];
        x.of = (row_key){.process = process, .file = st->same[x.of.file]};
        failed = add(self, REGIONS, &x);
    }
    return failed;
}

int sum_location(const tcf_self *self, const place *p, uint32_t location)
{
    const uint32_t process = tcf_process_of(self->defs, location);
    add_limits(&((state *)self->state)->limits, &p->limits);
    return sum_rows(self, p, process) != 0 || sum_usage(self, p, process) != 0 ||
                   sum_histograms(self, p, process) != 0 || sum_regions(self, p, process) != 0
               ? -1
               : 0;
}

int sum_open(const tcf_self *self)
{
    const state *st = self->state;
    int failed = 0;
    for (uint32_t i = 0; i < st->balance.by.index.n && !failed; i++) {
        const balance *b = (const balance *)st->balance.at + i;
        usage x = {.of = {b->of.process, paradigm_of(st, b->of.file), file_of(st, b->of.file), 0}};
        x.n[LEFT_OPEN] = b->open > 0 ? (uint64_t)b->open : 0;
        if (b->open > 0)
            failed = add(self, USAGE, &x);
    }
    return failed;
}

/* -------------------------------------------------------------------------------------------------------- domains --
 */

void put_sums(const tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const limits *l = &((const state *)self->state)->limits;
    host->put(pack, l, sizeof *l);
    for (uint32_t k = 0; k < TABLES; k++) {
        const table_of *t = table_at(self, k);
        host->put(pack, &t->is_full, sizeof t->is_full);
        host->put(pack, &t->by.index.n, sizeof t->by.index.n);
        host->put(pack, t->at, t->by.index.n * tables[k].bytes);
    }
}

static int take_table(const tcf_self *self, tcf_pack *pack, uint32_t k)
{
    const tcf_host *host = self->host;
    int is_full, failed = 0;
    uint32_t n;
    union {
        row_key of;
        row row;
        usage usage;
        histogram histogram;
        visits visits;
        balance balance;
    } x;
    host->take(pack, &is_full, sizeof is_full);
    table_at(self, k)->is_full |= is_full;
    host->take(pack, &n, sizeof n);
    for (; n > 0 && !failed; n--) {
        host->take(pack, &x, tables[k].bytes);
        x.of.paradigm = host->taken_index(pack, TCF_REF_IO_PARADIGM, x.of.paradigm);
        x.of.file = host->taken_index(pack, tables[k].file, x.of.file);
        failed = add(self, k, &x);
    }
    return failed;
}

int take_sums(const tcf_self *self, tcf_pack *pack)
{
    limits more;
    int failed = 0;
    self->host->take(pack, &more, sizeof more);
    add_limits(&((state *)self->state)->limits, &more);
    for (uint32_t k = 0; k < TABLES && !failed; k++)
        failed = take_table(self, pack, k);
    return failed;
}
