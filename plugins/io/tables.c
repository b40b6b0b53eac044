/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* io's tables of results. Runs once, at the end. */
#include "io.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tcflow/order.h>

/* A row of any of the tables; each table has columns for some of the members. */
typedef struct line {
    const char *process, *mode, *paradigm, *file, *region;
    uint64_t process_id, region_id, unfinished, from, to;
    double bandwidth;
    operations sum;
    usage uses;
    size_bin bin;
    visits visits;
} line;

#define AT(member) TCF_AT(line, member)

static const tcf_table_column operation_columns[] = {
    {"operations", AT(sum.n[BEGUN]), NULL, "Operations begun"},
    {"requested", AT(sum.n[REQUESTED]), "bytes", "Bytes asked for"},
    {"transferred", AT(sum.n[TRANSFERRED]), "bytes", "Bytes transferred"},
    {"time", AT(sum.ticks) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Of all completed operations together"},
    {"bandwidth", AT(bandwidth), "bytes/s", "Bytes transferred by this time"},
    {"min_time", AT(sum.min_ticks) | TCF_CELL_SECONDS, "s", "The shortest operation"},
    {"max_time", AT(sum.max_ticks) | TCF_CELL_SECONDS, "s", "The longest operation"},
    {"min_bytes", AT(sum.min_bytes), "bytes", "Fewest bytes that one transferred"},
    {"max_bytes", AT(sum.max_bytes), "bytes", "Most bytes that one transferred"},
    {"non_blocking", AT(sum.n[NON_BLOCKING]), NULL, "Non-blocking ones among them"},
    {"collective", AT(sum.n[COLLECTIVE]), NULL, "Collective ones among them"},
    {"incomplete", AT(sum.n[INCOMPLETE]), NULL, "Transferred fewer bytes than asked for"},
    {"unknown", AT(sum.n[UNKNOWN]), NULL, "Completed; the trace doesn't tell the bytes"},
    {"cancelled", AT(sum.n[CANCELLED]), NULL, "Cancelled"},
    {"unfinished", AT(unfinished), NULL, "Neither completed nor cancelled"},
    {"tests", AT(sum.n[TESTS]), NULL, "Tests whether one was complete that said no"},
    {"time_ticks", AT(sum.ticks) | TCF_CELL_DETAIL, "ticks", "time in ticks"},
    {"min_ticks", AT(sum.min_ticks) | TCF_CELL_DETAIL, "ticks", "min_time in ticks"},
    {"max_ticks", AT(sum.max_ticks) | TCF_CELL_DETAIL, "ticks", "max_time in ticks"},
    {"process_id", AT(process_id) | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"},
    {"mode", AT(mode), NULL, "Kind of operation"},
    {"paradigm", AT(paradigm), NULL, "Identification of the I/O paradigm"},
    {"process", AT(process), NULL, "Name of the location group"},
    {"file", AT(file), NULL, "Name of the file, or of a handle without one"},
};
enum { PROCESS_ID = 19, OF_TOTALS = 21 }; /* totals have the columns before `process`, without `process_id` */

static const tcf_table_column use_columns[] = {
    {"opened", AT(uses.n[OPENED]), NULL, "Handles created"},
    {"duplicated", AT(uses.n[DUPLICATED]), NULL, "Handles made by duplication"},
    {"closed", AT(uses.n[CLOSED]), NULL, "Handles destroyed"},
    {"left_open", AT(uses.n[LEFT_OPEN]), NULL, "Handles that were never destroyed"},
    {"seeks", AT(uses.n[SEEKS]), NULL, "Changes of position"},
    {"status_changes", AT(uses.n[STATUS_CHANGES]), NULL, "Changes of status flags"},
    {"locks", AT(uses.n[LOCKS]), NULL, "Locks acquired"},
    {"failed_locks", AT(uses.n[TRIES]), NULL, "Locks tried in vain"},
    {"deleted", AT(uses.n[DELETED]), NULL, "Deletions"},
    {"process_id", AT(process_id) | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"},
    {"paradigm", AT(paradigm), NULL, "Identification of the I/O paradigm"},
    {"process", AT(process), NULL, "Name of the location group"},
    {"file", AT(file), NULL, "Name of the file, or of a handle without one"},
};

static const tcf_table_column size_columns[] = {
    {"from", AT(from), "bytes", "Smallest size of the bin; 2^64 - 1: the trace doesn't tell"},
    {"to", AT(to), "bytes", "Largest size of the bin"},
    {"operations", AT(bin.operations), NULL, "Completed operations"},
    {"transferred", AT(bin.bytes), "bytes", "Bytes transferred"},
    {"time", AT(bin.ticks) | TCF_CELL_SECONDS, "s", "Of these operations together"},
    {"bandwidth", AT(bandwidth), "bytes/s", "Bytes transferred by this time"},
    {"time_ticks", AT(bin.ticks) | TCF_CELL_DETAIL, "ticks", "time in ticks"},
    {"process_id", AT(process_id) | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"},
    {"mode", AT(mode), NULL, "Kind of operation"},
    {"paradigm", AT(paradigm), NULL, "Identification of the I/O paradigm"},
    {"process", AT(process), NULL, "Name of the location group"},
};

static const tcf_table_column region_columns[] = {
    {"visits", AT(visits.count), NULL, "How often it was entered"},
    {"exclusive", AT(visits.ticks) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Time in the region itself"},
    {"exclusive_ticks", AT(visits.ticks) | TCF_CELL_DETAIL, "ticks", "exclusive in ticks"},
    {"process_id", AT(process_id) | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"},
    {"region_id", AT(region_id) | TCF_CELL_DETAIL, NULL, "Id of the region, the first one of its kind"},
    {"process", AT(process), NULL, "Name of the location group"},
    {"region", AT(region), NULL, "Name of the region"},
};

/* --------------------------------------------------------------------------------------------------------- lines -- */

static double bandwidth(const tcf_self *self, uint64_t bytes, uint64_t ticks)
{
    return ticks > 0 ? (double)bytes * (double)self->defs->clock.resolution / (double)ticks : 0;
}

/* A line with the names in its key. */
static line line_of(const tcf_self *self, const row_key *of)
{
    const tcf_location_group *g =
        of->process < self->defs->n_location_groups ? tcf_location_group_at(self->defs, of->process) : NULL;
    const char *name = of->mode < OTHER ? self->host->enum_name("IO_OPERATION_MODE", of->mode) : NULL;
    return (line){.process = g ? g->name : "(unknown)",
                  .process_id = g ? g->id : UINT32_MAX,
                  .mode = name ? name : "(unknown)",
                  .paradigm = paradigm_name(self, of->paradigm)};
}

static line line_of_row(const tcf_self *self, const row *r)
{
    line l = line_of(self, &r->of);
    l.sum = r->sum;
    l.bandwidth = bandwidth(self, r->sum.n[TRANSFERRED], r->sum.ticks);
    l.unfinished = r->sum.n[BEGUN] - r->sum.n[COMPLETED] - r->sum.n[CANCELLED];
    return l;
}

/* --------------------------------------------------------------------------------------------------------- order -- */

/* All rows begin with their keys. */
static int order_rows(const void *a, const void *b)
{
    const row_key *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->process, y->process), TCF_ORDER(x->file, y->file),
                     TCF_ORDER(x->paradigm, y->paradigm), TCF_ORDER(x->mode, y->mode));
}

static int order_regions(const void *a, const void *b)
{
    const visits *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->of.process, y->of.process), TCF_ORDER(y->ticks, x->ticks),
                     TCF_ORDER(x->of.file, y->of.file));
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

static void write_operations(tcf_self *self)
{
    state *st = self->state;
    tcf_table *t = TCF_TABLE(self, "operations", "I/O operations by process and file", operation_columns);
    tcf_sort(st->rows.at, st->rows.by.index.n, sizeof(row), order_rows);
    for (uint32_t i = 0; i < st->rows.by.index.n; i++) {
        const row *r = (const row *)st->rows.at + i;
        char number[32];
        line l = line_of_row(self, r);
        l.file = file_name(self, r->of.file, number);
        tcf_row(self, t, &l);
    }
}

static int write_totals(tcf_self *self)
{
    const state *st = self->state;
    tcf_table_column columns[OF_TOTALS];
    for (uint32_t i = 0; i < OF_TOTALS; i++)
        columns[i] = operation_columns[i < PROCESS_ID ? i : i + 1];
    tcf_table *t = TCF_TABLE(self, "totals", "I/O operations of all processes", columns);
    table_of all = {0};
    int failed = 0;
    for (uint32_t i = 0; !failed && i < st->rows.by.index.n; i++) {
        const row *r = (const row *)st->rows.at + i;
        row *to = ROW_OF(row, &all, .paradigm = r->of.paradigm, .mode = r->of.mode);
        failed = !to;
        if (to)
            add_operations(&to->sum, &r->sum);
    }
    tcf_sort(all.at, all.by.index.n, sizeof(row), order_rows);
    for (uint32_t i = 0; !failed && i < all.by.index.n; i++) {
        const line l = line_of_row(self, (const row *)all.at + i);
        tcf_row(self, t, &l);
    }
    table_of_free(&all);
    return failed ? -1 : 0;
}

static void write_files(tcf_self *self)
{
    state *st = self->state;
    tcf_table *t = TCF_TABLE(self, "files", "What became of handles, by process and file", use_columns);
    tcf_sort(st->usage.at, st->usage.by.index.n, sizeof(usage), order_rows);
    for (uint32_t i = 0; i < st->usage.by.index.n; i++) {
        const usage *x = (const usage *)st->usage.at + i;
        char number[32];
        line l = line_of(self, &x->of);
        l.uses = *x;
        l.file = file_name(self, x->of.file, number);
        tcf_row(self, t, &l);
    }
}

static void size_row(const tcf_self *self, tcf_table *t, const histogram *h, uint32_t k)
{
    line l = line_of(self, &h->of);
    l.bin = h->bin[k];
    l.bandwidth = bandwidth(self, l.bin.bytes, l.bin.ticks);
    l.from = k == SIZES - 1 ? UINT64_MAX : k == 0 ? 0 : UINT64_C(1) << (k - 1);
    l.to = k == 0 || k == SIZES - 1 ? l.from : 2 * l.from - 1;
    tcf_row(self, t, &l);
}

static void write_sizes(tcf_self *self)
{
    state *st = self->state;
    tcf_table *t = TCF_TABLE(self, "sizes", "I/O operations by size", size_columns);
    tcf_sort(st->histograms.at, st->histograms.by.index.n, sizeof(histogram), order_rows);
    for (uint32_t i = 0; i < st->histograms.by.index.n; i++)
        for (uint32_t k = 0; k < SIZES; k++)
            if (((const histogram *)st->histograms.at)[i].bin[k].operations > 0)
                size_row(self, t, (const histogram *)st->histograms.at + i, k);
}

static void write_regions(tcf_self *self)
{
    state *st = self->state;
    tcf_table *t = TCF_TABLE(self, "regions", "Time in regions that do I/O, by process", region_columns);
    tcf_sort(st->regions.at, st->regions.by.index.n, sizeof(visits), order_regions);
    for (uint32_t i = 0; i < st->regions.by.index.n; i++) {
        const visits *v = (const visits *)st->regions.at + i;
        line l = line_of(self, &v->of);
        l.visits = *v;
        l.region_id = tcf_region_at(self->defs, v->of.file)->id;
        l.region = tcf_region_at(self->defs, v->of.file)->name;
        tcf_row(self, t, &l);
    }
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static void tell(const tcf_self *self)
{
    const state *st = self->state;
    const conf *c = self->conf;
    tcf_warn(self, st->limits.never_completed, "I/O operations are never completed in this trace");
    tcf_warn(self, st->limits.not_begun, "completions of I/O operations that never began are not counted");
    if (st->limits.too_many > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " I/O operations were not followed to their end: more than max_operations = %" PRId64
                        " of a location were under way",
                        st->limits.too_many, c->max_operations);
    if (st->rows.is_full || st->usage.is_full)
        self->host->log(self, TCF_LOG_WARNING,
                        "there are more files than fit into max_rows = %" PRId64
                        "; those beyond stand in '(beyond max_rows)'",
                        c->max_rows);
    tcf_warn(self, st->limits.too_deep, "visits deeper than any sane stack were not counted");
}

tcf_status io_report(tcf_self *self)
{
    write_operations(self);
    if (write_totals(self) != 0)
        return self->host->fail(self, "out of memory for the tables of results");
    write_files(self);
    write_sizes(self);
    write_regions(self);
    tell(self);
    return TCF_OK;
}
