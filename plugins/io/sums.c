/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What io sums up: over locations when they end. */
#include "io.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

uint32_t entry_of(table_of *t, uint64_t a, uint64_t b, size_t bytes, uint32_t most)
{
    const uint32_t at = tcf_map_get(&t->index, a, b);
    if (at != TCF_MAP_ABSENT)
        return at;
    if (t->n >= most)
        return BEYOND;
    if (tcf_grow(&t->at, &t->capacity, t->n, bytes) != 0 || tcf_map_put(&t->index, a, b, t->n) != 0)
        return TCF_NONE;
    memset((char *)t->at + t->n * bytes, 0, bytes);
    return t->n++;
}

void table_of_free(table_of *t)
{
    free(t->at);
    tcf_map_free(&t->index);
    *t = (table_of){0};
}

/* Beyond `most` the entry that `a` and `beyond` name. */
static uint32_t capped(table_of *t, uint64_t a, uint64_t b, uint64_t beyond, size_t bytes, uint32_t most)
{
    const uint32_t at = entry_of(t, a, b, bytes, most);
    return at == BEYOND ? entry_of(t, a, beyond, bytes, UINT32_MAX) : at;
}

void add_operations(operations *to, const operations *x)
{
    if (x->completed > 0) {
        to->min_ticks = to->completed == 0 || x->min_ticks < to->min_ticks ? x->min_ticks : to->min_ticks;
        to->max_ticks = to->completed == 0 || x->max_ticks > to->max_ticks ? x->max_ticks : to->max_ticks;
    }
    if (x->completed > x->unknown) {
        const int none = to->completed == to->unknown;
        to->min_bytes = none || x->min_bytes < to->min_bytes ? x->min_bytes : to->min_bytes;
        to->max_bytes = none || x->max_bytes > to->max_bytes ? x->max_bytes : to->max_bytes;
    }
    to->begun += x->begun;
    to->non_blocking += x->non_blocking;
    to->collective += x->collective;
    to->completed += x->completed;
    to->cancelled += x->cancelled;
    to->tests += x->tests;
    to->incomplete += x->incomplete;
    to->requested += x->requested;
    to->transferred += x->transferred;
    to->unknown += x->unknown;
    to->ticks += x->ticks;
}

static void add_uses(uses *to, const uses *x)
{
    to->opened += x->opened;
    to->duplicated += x->duplicated;
    to->closed += x->closed;
    to->left_open += x->left_open;
    to->seeks += x->seeks;
    to->status_changes += x->status_changes;
    to->locks += x->locks;
    to->tries += x->tries;
    to->deleted += x->deleted;
}

/* A file of a process, by paradigm; `file` may become BEYOND. */
static usage *usage_of(state *st, uint32_t process, uint32_t paradigm, uint32_t file, uint32_t most)
{
    const uint64_t a = (uint64_t)process << 32 | paradigm;
    const uint32_t at = capped(&st->usage, a, file, BEYOND, sizeof(usage), most);
    if (at == TCF_NONE)
        return NULL;
    usage *to = (usage *)st->usage.at + at;
    to->process = process;
    to->paradigm = paradigm;
    to->file = tcf_map_get(&st->usage.index, a, file) == at ? file : BEYOND;
    return to;
}

static int sum_rows(const tcf_self *self, const place *p, uint32_t process)
{
    state *st = self->state;
    const uint32_t most = (uint32_t)((const conf *)self->conf)->max_rows;
    for (uint32_t i = 0; i < p->rows.n; i++) {
        const row *x = (const row *)p->rows.at + i;
        const uint32_t file = file_of(st, x->file), paradigm = paradigm_of(st, x->file);
        const uint64_t a = (uint64_t)process << 32 | paradigm, mode = (uint64_t)x->mode << 32;
        const uint32_t at = capped(&st->rows, a, mode | file, mode | BEYOND, sizeof(row), most);
        if (at == TCF_NONE)
            return -1;
        row *to = (row *)st->rows.at + at;
        to->process = process;
        to->paradigm = paradigm;
        to->file = tcf_map_get(&st->rows.index, a, mode | file) == at ? file : BEYOND;
        to->mode = x->mode;
        add_operations(&to->sum, &x->sum);
    }
    return 0;
}

static int note_balance(state *st, uint32_t process, uint32_t handle, int64_t opened)
{
    const uint32_t at = entry_of(&st->balance, process, handle, sizeof(balance), UINT32_MAX);
    if (at == TCF_NONE)
        return -1;
    balance *b = (balance *)st->balance.at + at;
    b->process = process;
    b->handle = handle;
    b->open += opened;
    return 0;
}

/* While the location runs, `file` is a handle, or with process = 1 a file, of a paradigm. */
static int sum_usage(const tcf_self *self, const place *p, uint32_t process)
{
    state *st = self->state;
    const uint32_t most = (uint32_t)((const conf *)self->conf)->max_rows;
    for (uint32_t i = 0; i < p->usage.n; i++) {
        const usage *x = (const usage *)p->usage.at + i;
        const uint32_t file = x->process ? x->file : file_of(st, x->file);
        const uint32_t paradigm = x->process ? x->paradigm : paradigm_of(st, x->file);
        usage *to = usage_of(st, process, paradigm, file, most);
        if (!to)
            return -1;
        add_uses(&to->sum, &x->sum);
        const int64_t opened = (int64_t)(x->sum.opened + x->sum.duplicated - x->sum.closed);
        if (!x->process && note_balance(st, process, x->file, opened) != 0)
            return -1;
    }
    return 0;
}

static int sum_histograms(const tcf_self *self, const place *p, uint32_t process)
{
    state *st = self->state;
    for (uint32_t i = 0; i < p->histograms.n; i++) {
        const histogram *x = (const histogram *)p->histograms.at + i;
        const uint32_t at =
            entry_of(&st->histograms, (uint64_t)process << 32 | x->paradigm, x->mode, sizeof(histogram), UINT32_MAX);
        if (at == TCF_NONE)
            return -1;
        histogram *to = (histogram *)st->histograms.at + at;
        to->process = process;
        to->paradigm = x->paradigm;
        to->mode = x->mode;
        for (uint32_t k = 0; k < SIZES; k++)
            add_bin(&to->bin[k], &x->bin[k]);
    }
    return 0;
}

static int sum_regions(const tcf_self *self, const place *p, uint32_t process)
{
    state *st = self->state;
    for (uint32_t i = 0; i < p->regions.n; i++) {
        const visits *x = (const visits *)p->regions.at + i;
        const uint32_t region = st->same[x->region];
        const uint32_t at = entry_of(&st->regions, process, region, sizeof(visits), UINT32_MAX);
        if (at == TCF_NONE)
            return -1;
        visits *to = (visits *)st->regions.at + at;
        to->process = process;
        to->region = region;
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
    const uint32_t most = (uint32_t)((const conf *)self->conf)->max_rows;
    for (uint32_t i = 0; i < st->balance.n; i++) {
        const balance *b = (const balance *)st->balance.at + i;
        if (b->open <= 0)
            continue;
        usage *to = usage_of(st, b->process, paradigm_of(st, b->handle), file_of(st, b->handle), most);
        if (!to)
            return -1;
        to->sum.left_open += (uint64_t)b->open;
    }
    return 0;
}
