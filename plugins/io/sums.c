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
        to[i] += x[i];
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
    to->ticks += x->ticks;
    add_counts(to->n, x->n, COUNTS);
}

static uint32_t most_rows(const tcf_self *self)
{
    return (uint32_t)((const conf *)self->conf)->max_rows;
}

static int sum_rows(const tcf_self *self, const place *p, uint32_t process)
{
    state *st = self->state;
    for (uint32_t i = 0; i < p->rows.by.index.n; i++) {
        const row *x = (const row *)p->rows.at + i;
        const row_key of = {process, paradigm_of(st, x->of.file), file_of(st, x->of.file), x->of.mode};
        row *to = row_of(&st->rows, of, sizeof *to, most_rows(self));
        if (!to)
            return -1;
        add_operations(&to->sum, &x->sum);
    }
    return 0;
}

static int sum_usage(const tcf_self *self, const place *p, uint32_t process)
{
    state *st = self->state;
    for (uint32_t i = 0; i < p->usage.by.index.n; i++) {
        const usage *x = (const usage *)p->usage.at + i;
        const int is_file = x->of.process != 0;
        const row_key of = {process, is_file ? x->of.paradigm : paradigm_of(st, x->of.file),
                            is_file ? x->of.file : file_of(st, x->of.file), 0};
        usage *to = row_of(&st->usage, of, sizeof *to, most_rows(self));
        if (!to)
            return -1;
        add_counts(to->n, x->n, USES);
        if (is_file)
            continue;
        balance *b = ROW_OF(balance, &st->balance, .process = process, .file = x->of.file);
        if (!b)
            return -1;
        b->open += (int64_t)(x->n[OPENED] + x->n[DUPLICATED] - x->n[CLOSED]);
    }
    return 0;
}

static int sum_histograms(const tcf_self *self, const place *p, uint32_t process)
{
    state *st = self->state;
    for (uint32_t i = 0; i < p->histograms.by.index.n; i++) {
        const histogram *x = (const histogram *)p->histograms.at + i;
        histogram *to = ROW_OF(histogram, &st->histograms, process, x->of.paradigm, 0, x->of.mode);
        if (!to)
            return -1;
        for (uint32_t k = 0; k < SIZES; k++)
            add_bin(&to->bin[k], &x->bin[k]);
    }
    return 0;
}

static int sum_regions(const tcf_self *self, const place *p, uint32_t process)
{
    state *st = self->state;
    for (uint32_t i = 0; i < p->regions.by.index.n; i++) {
        const visits *x = (const visits *)p->regions.at + i;
        visits *to = ROW_OF(visits, &st->regions, .process = process, .file = st->same[x->of.file]);
        if (!to)
            return -1;
        to->count += x->count;
        to->ticks += x->ticks;
    }
    return 0;
}

int sum_location(const tcf_self *self, place *p, uint32_t location)
{
    const uint32_t process = tcf_process_of(self->defs, location);
    return sum_rows(self, p, process) != 0 || sum_usage(self, p, process) != 0 ||
                   sum_histograms(self, p, process) != 0 || sum_regions(self, p, process) != 0
               ? -1
               : 0;
}

int sum_open(const tcf_self *self)
{
    state *st = self->state;
    for (uint32_t i = 0; i < st->balance.by.index.n; i++) {
        const balance *b = (const balance *)st->balance.at + i;
        if (b->open <= 0)
            continue;
        const row_key of = {b->of.process, paradigm_of(st, b->of.file), file_of(st, b->of.file), 0};
        usage *to = row_of(&st->usage, of, sizeof *to, most_rows(self));
        if (!to)
            return -1;
        to->n[LEFT_OPEN] += (uint64_t)b->open;
    }
    return 0;
}
