/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* io's tables of results. Runs once, at the end. */
#include "io.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SUMS                                                                                                           \
    {"operations", TCF_CELL_UINT, NULL, "Operations begun"}, {"requested", TCF_CELL_UINT, "bytes", "Bytes asked for"}, \
        {"transferred", TCF_CELL_UINT, "bytes", "Bytes transferred"},                                                  \
        {"time", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "Of all completed operations together"},                       \
        {"bandwidth", TCF_CELL_DOUBLE, "bytes/s", "Bytes transferred by this time"},                                   \
        {"min_time", TCF_CELL_DOUBLE, "s", "The shortest operation"},                                                  \
        {"max_time", TCF_CELL_DOUBLE, "s", "The longest operation"},                                                   \
        {"min_bytes", TCF_CELL_UINT, "bytes", "Fewest bytes that one transferred"},                                    \
        {"max_bytes", TCF_CELL_UINT, "bytes", "Most bytes that one transferred"},                                      \
        {"non_blocking", TCF_CELL_UINT, NULL, "Non-blocking ones among them"},                                         \
        {"collective", TCF_CELL_UINT, NULL, "Collective ones among them"},                                             \
        {"incomplete", TCF_CELL_UINT, NULL, "Transferred fewer bytes than asked for"},                                 \
        {"unknown", TCF_CELL_UINT, NULL, "Completed; the trace doesn't tell the bytes"},                               \
        {"cancelled", TCF_CELL_UINT, NULL, "Cancelled"},                                                               \
        {"unfinished", TCF_CELL_UINT, NULL, "Neither completed nor cancelled"},                                        \
        {"tests", TCF_CELL_UINT, NULL, "Tests whether one was complete that said no"},                                 \
        {"time_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As time"},                                            \
        {"min_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As min_time"},                                         \
    {                                                                                                                  \
        "max_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As max_time"                                            \
    }

#define PROCESS_ID                                                                                                     \
    {                                                                                                                  \
        "process_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"                \
    }
#define PROCESS                                                                                                        \
    {                                                                                                                  \
        "process", TCF_CELL_TEXT, NULL, "Name of the location group"                                                   \
    }
#define PARADIGM                                                                                                       \
    {                                                                                                                  \
        "paradigm", TCF_CELL_TEXT, NULL, "Identification of the I/O paradigm"                                          \
    }
#define MODE                                                                                                           \
    {                                                                                                                  \
        "mode", TCF_CELL_TEXT, NULL, "Kind of operation"                                                               \
    }
#define FILE_NAME                                                                                                      \
    {                                                                                                                  \
        "file", TCF_CELL_TEXT, NULL, "Name of the file, or of a handle without one"                                    \
    }

static const tcf_table_column operation_columns[] = {SUMS, PROCESS_ID, MODE, PARADIGM, PROCESS, FILE_NAME};
static const tcf_table_column total_columns[] = {SUMS, MODE, PARADIGM};

static const tcf_table_column use_columns[] = {
    {"opened", TCF_CELL_UINT, NULL, "Handles created"},
    {"duplicated", TCF_CELL_UINT, NULL, "Handles made by duplication"},
    {"closed", TCF_CELL_UINT, NULL, "Handles destroyed"},
    {"left_open", TCF_CELL_UINT, NULL, "Handles that were never destroyed"},
    {"seeks", TCF_CELL_UINT, NULL, "Changes of position"},
    {"status_changes", TCF_CELL_UINT, NULL, "Changes of status flags"},
    {"locks", TCF_CELL_UINT, NULL, "Locks acquired"},
    {"failed_locks", TCF_CELL_UINT, NULL, "Locks tried in vain"},
    {"deleted", TCF_CELL_UINT, NULL, "Deletions"},
    PROCESS_ID,
    PARADIGM,
    PROCESS,
    FILE_NAME,
};

static const tcf_table_column size_columns[] = {
    {"from", TCF_CELL_UINT, "bytes", "Smallest size of the bin; 2^64 - 1: the trace doesn't tell"},
    {"to", TCF_CELL_UINT, "bytes", "Largest size of the bin"},
    {"operations", TCF_CELL_UINT, NULL, "Completed operations"},
    {"transferred", TCF_CELL_UINT, "bytes", "Bytes transferred"},
    {"time", TCF_CELL_DOUBLE, "s", "Of these operations together"},
    {"bandwidth", TCF_CELL_DOUBLE, "bytes/s", "Bytes transferred by this time"},
    {"time_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As time"},
    PROCESS_ID,
    MODE,
    PARADIGM,
    PROCESS,
};

static const tcf_table_column region_columns[] = {
    {"visits", TCF_CELL_UINT, NULL, "How often it was entered"},
    {"exclusive", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "Time in the region itself"},
    {"exclusive_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As exclusive"},
    PROCESS_ID,
    {"region_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the region, the first one of its kind"},
    PROCESS,
    {"region", TCF_CELL_TEXT, NULL, "Name of the region"},
};

enum { MOST_COLUMNS = TCF_COUNT(operation_columns) };

/* --------------------------------------------------------------------------------------------------------- cells -- */

static tcf_cell process_name(const tcf_self *self, uint32_t process)
{
    return tcf_text(process == TCF_NONE ? "(unknown)" : tcf_location_group_at(self->defs, process)->name);
}

static tcf_cell process_id(const tcf_self *self, uint32_t process)
{
    return tcf_uint(process == TCF_NONE ? UINT32_MAX : tcf_location_group_at(self->defs, process)->id);
}

static tcf_cell mode_name(const tcf_self *self, uint8_t mode)
{
    const char *name = mode < OTHER ? self->host->enum_name("IO_OPERATION_MODE", mode) : NULL;
    return tcf_text(name ? name : "(unknown)");
}

static tcf_cell bandwidth(const tcf_self *self, uint64_t bytes, int64_t ticks)
{
    return tcf_double(ticks > 0 ? (double)bytes * (double)self->defs->clock.resolution / (double)ticks : 0);
}

static uint32_t put_sums(const tcf_self *self, tcf_cell *c, const operations *s)
{
    uint32_t n = 0;
    c[n++] = tcf_uint(s->begun);
    c[n++] = tcf_uint(s->requested);
    c[n++] = tcf_uint(s->transferred);
    c[n++] = tcf_seconds(self, (double)s->ticks);
    c[n++] = bandwidth(self, s->transferred, s->ticks);
    c[n++] = tcf_seconds(self, (double)s->min_ticks);
    c[n++] = tcf_seconds(self, (double)s->max_ticks);
    c[n++] = tcf_uint(s->min_bytes);
    c[n++] = tcf_uint(s->max_bytes);
    c[n++] = tcf_uint(s->non_blocking);
    c[n++] = tcf_uint(s->collective);
    c[n++] = tcf_uint(s->incomplete);
    c[n++] = tcf_uint(s->unknown);
    c[n++] = tcf_uint(s->cancelled);
    c[n++] = tcf_uint(s->begun - s->completed - s->cancelled);
    c[n++] = tcf_uint(s->tests);
    c[n++] = tcf_int(s->ticks);
    c[n++] = tcf_int(s->min_ticks);
    c[n++] = tcf_int(s->max_ticks);
    return n;
}

/* --------------------------------------------------------------------------------------------------------- order -- */

static int order_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int order_rows(const void *a, const void *b)
{
    const row *x = a, *y = b;
    int order = order_numbers(x->process, y->process);
    order = order ? order : order_numbers(x->file, y->file);
    order = order ? order : order_numbers(x->paradigm, y->paradigm);
    return order ? order : order_numbers(x->mode, y->mode);
}

static int order_usage(const void *a, const void *b)
{
    const usage *x = a, *y = b;
    int order = order_numbers(x->process, y->process);
    order = order ? order : order_numbers(x->file, y->file);
    return order ? order : order_numbers(x->paradigm, y->paradigm);
}

static int order_histograms(const void *a, const void *b)
{
    const histogram *x = a, *y = b;
    int order = order_numbers(x->process, y->process);
    order = order ? order : order_numbers(x->paradigm, y->paradigm);
    return order ? order : order_numbers(x->mode, y->mode);
}

static int order_regions(const void *a, const void *b)
{
    const visits *x = a, *y = b;
    const int order = order_numbers(x->process, y->process);
    if (order || x->ticks == y->ticks)
        return order ? order : order_numbers(x->region, y->region);
    return x->ticks > y->ticks ? -1 : 1;
}

static void sort(table_of *t, size_t bytes, int (*order)(const void *, const void *))
{
    if (t->n > 0)
        qsort(t->at, t->n, bytes, order);
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

static int write_operations(tcf_self *self)
{
    state *st = self->state;
    tcf_table *t = self->host->table(self, "operations", "I/O operations by process and file", operation_columns,
                                     TCF_COUNT(operation_columns));
    sort(&st->rows, sizeof(row), order_rows);
    for (uint32_t i = 0; t && i < st->rows.n; i++) {
        const row *r = (const row *)st->rows.at + i;
        char number[32];
        tcf_cell c[MOST_COLUMNS];
        uint32_t n = put_sums(self, c, &r->sum);
        c[n++] = process_id(self, r->process);
        c[n++] = mode_name(self, r->mode);
        c[n++] = tcf_text(paradigm_name(st, r->paradigm));
        c[n++] = process_name(self, r->process);
        c[n++] = tcf_text(file_name(st, r->file, number));
        self->host->row(t, c);
    }
    return t ? 0 : -1;
}

static int write_totals(tcf_self *self)
{
    const state *st = self->state;
    tcf_table *t =
        self->host->table(self, "totals", "I/O operations of all processes", total_columns, TCF_COUNT(total_columns));
    table_of all = {0};
    int failed = !t;
    for (uint32_t i = 0; !failed && i < st->rows.n; i++) {
        const row *r = (const row *)st->rows.at + i;
        const uint32_t at = entry_of(&all, r->paradigm, r->mode, sizeof(row), UINT32_MAX);
        failed = at == TCF_NONE;
        if (failed)
            break;
        row *to = (row *)all.at + at;
        to->paradigm = r->paradigm;
        to->mode = r->mode;
        add_operations(&to->sum, &r->sum);
    }
    sort(&all, sizeof(row), order_rows);
    for (uint32_t i = 0; !failed && i < all.n; i++) {
        const row *r = (const row *)all.at + i;
        tcf_cell c[MOST_COLUMNS];
        uint32_t n = put_sums(self, c, &r->sum);
        c[n++] = mode_name(self, r->mode);
        c[n++] = tcf_text(paradigm_name(st, r->paradigm));
        self->host->row(t, c);
    }
    table_of_free(&all);
    return failed ? -1 : 0;
}

static int write_files(tcf_self *self)
{
    state *st = self->state;
    tcf_table *t = self->host->table(self, "files", "What became of handles, by process and file", use_columns,
                                     TCF_COUNT(use_columns));
    sort(&st->usage, sizeof(usage), order_usage);
    for (uint32_t i = 0; t && i < st->usage.n; i++) {
        const usage *x = (const usage *)st->usage.at + i;
        const uses *u = &x->sum;
        char number[32];
        self->host->row(t,
                        (const tcf_cell[]){tcf_uint(u->opened), tcf_uint(u->duplicated), tcf_uint(u->closed),
                                           tcf_uint(u->left_open), tcf_uint(u->seeks), tcf_uint(u->status_changes),
                                           tcf_uint(u->locks), tcf_uint(u->tries), tcf_uint(u->deleted),
                                           process_id(self, x->process), tcf_text(paradigm_name(st, x->paradigm)),
                                           process_name(self, x->process), tcf_text(file_name(st, x->file, number))});
    }
    return t ? 0 : -1;
}

static void size_row(const tcf_self *self, tcf_table *t, const histogram *h, uint32_t k)
{
    const state *st = self->state;
    const size_bin *b = &h->bin[k];
    const uint64_t from = k == SIZES - 1 ? UINT64_MAX : k == 0 ? 0 : UINT64_C(1) << (k - 1);
    self->host->row(t, (const tcf_cell[]){tcf_uint(from),
                                          tcf_uint(k == 0           ? 0
                                                   : k == SIZES - 1 ? from
                                                                    : 2 * from - 1),
                                          tcf_uint(b->operations), tcf_uint(b->bytes),
                                          tcf_seconds(self, (double)b->ticks), bandwidth(self, b->bytes, b->ticks),
                                          tcf_int(b->ticks), process_id(self, h->process), mode_name(self, h->mode),
                                          tcf_text(paradigm_name(st, h->paradigm)), process_name(self, h->process)});
}

static int write_sizes(tcf_self *self)
{
    state *st = self->state;
    tcf_table *t = self->host->table(self, "sizes", "I/O operations by size", size_columns, TCF_COUNT(size_columns));
    sort(&st->histograms, sizeof(histogram), order_histograms);
    for (uint32_t i = 0; t && i < st->histograms.n; i++)
        for (uint32_t k = 0; k < SIZES; k++)
            if (((const histogram *)st->histograms.at)[i].bin[k].operations > 0)
                size_row(self, t, (const histogram *)st->histograms.at + i, k);
    return t ? 0 : -1;
}

static int write_regions(tcf_self *self)
{
    state *st = self->state;
    const tcf_definitions *defs = self->defs;
    tcf_table *t = self->host->table(self, "regions", "Time in regions that do I/O, by process", region_columns,
                                     TCF_COUNT(region_columns));
    sort(&st->regions, sizeof(visits), order_regions);
    for (uint32_t i = 0; t && i < st->regions.n; i++) {
        const visits *v = (const visits *)st->regions.at + i;
        self->host->row(t,
                        (const tcf_cell[]){tcf_uint(v->count), tcf_seconds(self, (double)v->ticks), tcf_int(v->ticks),
                                           process_id(self, v->process), tcf_uint(tcf_region_at(defs, v->region)->id),
                                           process_name(self, v->process),
                                           tcf_text(tcf_region_at(defs, v->region)->name)});
    }
    return t ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static int is_full(const state *st)
{
    for (uint32_t i = 0; i < st->rows.n; i++)
        if (((const row *)st->rows.at)[i].file == BEYOND)
            return 1;
    for (uint32_t i = 0; i < st->usage.n; i++)
        if (((const usage *)st->usage.at)[i].file == BEYOND)
            return 1;
    return 0;
}

static void tell(const tcf_self *self)
{
    const state *st = self->state;
    const conf *c = self->conf;
    uint64_t never = 0, not_begun = 0, too_many = 0, too_deep = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        never += p->replaced + p->left_over;
        not_begun += p->not_begun;
        too_many += p->too_many;
        too_deep += p->stack.not_counted;
    }
    if (never > 0)
        self->host->log(self, TCF_LOG_WARNING, "%" PRIu64 " I/O operations are never completed in this trace", never);
    if (not_begun > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " completions of I/O operations that never began are not counted", not_begun);
    if (too_many > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " I/O operations were not followed to their end: more than max_operations = %" PRId64
                        " of a location were under way",
                        too_many, c->max_operations);
    if (is_full(st))
        self->host->log(self, TCF_LOG_WARNING,
                        "there are more files than fit into max_rows = %" PRId64
                        "; those beyond stand in \"(beyond max_rows)\"",
                        c->max_rows);
    if (too_deep > 0)
        self->host->log(self, TCF_LOG_WARNING, "%" PRIu64 " visits deeper than any sane stack were not counted",
                        too_deep);
}

tcf_status io_report(tcf_self *self)
{
    const int failed = write_operations(self) != 0 || write_totals(self) != 0 || write_files(self) != 0 ||
                       write_sizes(self) != 0 || write_regions(self) != 0;
    if (!failed)
        tell(self);
    return failed ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
