/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* nsight: rows of tables, processes and threads, for its other parts. */
#include "nsight.h"

#include <inttypes.h>
#include <stdio.h>

typedef nsight_state state;

/* ---------------------------------------------------------------------------------------------------------- SQLite --
 */

tcf_status nsight_fail_in_row(const tcf_reader *self, const char *what)
{
    const state *st = self->state;
    return self->host->fail(self, "%s, row %" PRIu64 ": %s", st->table, st->row, what);
}

tcf_status nsight_fail_in_database(const tcf_reader *self, const char *table)
{
    const state *st = self->state;
    return self->host->fail(self, "%s%s%s", table ? table : "", table ? ": " : "", sqlite3_errmsg(st->db));
}

int nsight_has(const tcf_reader *self, const char *table, const char *columns)
{
    state *st = self->state;
    int found = -1, step = SQLITE_ERROR, n = 0, wanted = 0;

    for (const char *c = columns; *c; c += strspn(c, " "), wanted++)
        c += strcspn(c, " ");
    if (!st->columns)
        sqlite3_prepare_v2(st->db, "SELECT name FROM pragma_table_info(?1)", -1, &st->columns, NULL);
    if (st->columns && sqlite3_bind_text(st->columns, 1, table, -1, SQLITE_STATIC) == SQLITE_OK)
        while ((step = sqlite3_step(st->columns)) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(st->columns, 0);
            for (const char *c = columns; name && *c; c += strspn(c, " ")) {
                const size_t length = strcspn(c, " ");
                n += strlen(name) == length && memcmp(name, c, length) == 0;
                c += length;
            }
            found = 0;
        }
    if (step == SQLITE_DONE)
        found = found == 0 && n == wanted;
    else
        found = (nsight_fail_in_database(self, NULL), -1);
    sqlite3_reset(st->columns);
    return found;
}

tcf_status nsight_query(tcf_reader *self, const char *table, const char *query, nsight_take take)
{
    state *st = self->state;
    sqlite3_stmt *s = NULL;
    tcf_status status = TCF_OK;
    int step = SQLITE_ROW;

    st->table = table;
    st->row = 0;
    if (sqlite3_prepare_v2(st->db, query, -1, &s, NULL) != SQLITE_OK)
        return self->host->fail(self, "%s: %s; the export is of another version than this reader knows", table,
                                sqlite3_errmsg(st->db));
    while (status == TCF_OK && (step = sqlite3_step(s)) == SQLITE_ROW) {
        st->row++;
        status = take(self, s);
    }
    if (status == TCF_OK && step != SQLITE_DONE)
        status = nsight_fail_in_database(self, table);
    sqlite3_finalize(s);
    return status;
}

tcf_status nsight_times(const tcf_reader *self, sqlite3_stmt *s, uint64_t *begin, uint64_t *end)
{
    const int64_t b = sqlite3_column_int64(s, 0), e = sqlite3_column_int64(s, 1);

    if (sqlite3_column_type(s, 0) != SQLITE_INTEGER)
        return nsight_fail_in_row(self, "the begin is no whole number");
    if (b < 0 || (sqlite3_column_type(s, 1) != SQLITE_NULL && e < 0))
        return nsight_fail_in_row(self, "a time is negative");
    *begin = (uint64_t)b;
    *end = (uint64_t)e;
    if (sqlite3_column_type(s, 1) != SQLITE_NULL && e < b)
        return nsight_fail_in_row(self, "it ends before it begins");
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- locations --
 */

static tcf_status no_memory(const tcf_reader *self)
{
    return self->host->fail(self, "out of memory for processes and threads");
}

uint32_t nsight_process(tcf_reader *self, uint64_t id)
{
    state *st = self->state;
    const uint64_t bits = nsight_process_bits(id);
    uint32_t number = tcf_map_get(&st->processes, bits, 0);
    char name[64];

    if (number != TCF_MAP_ABSENT)
        return number;
    snprintf(name, sizeof name, "process %" PRIu64, bits & 0xffffff);
    number = self->host->process(self, bits, name);
    if (number != TCF_NONE && tcf_map_put(&st->processes, bits, 0, number) != 0) {
        no_memory(self);
        return TCF_NONE;
    }
    return number;
}

/* A location by two numbers that name it. */
uint32_t nsight_location(tcf_reader *self, uint64_t id, uint64_t a, uint64_t place, const char *name,
                         enum tcf_location_type type)
{
    state *st = self->state;
    uint32_t number = tcf_map_get(&st->locations, id, a);

    if (number != TCF_MAP_ABSENT)
        return number;
    const uint32_t process = nsight_process(self, id);
    number = process == TCF_NONE ? TCF_NONE : self->host->location(self, process, place, name, type);
    if (number != TCF_NONE && tcf_map_put(&st->locations, id, a, number) != 0) {
        no_memory(self);
        return TCF_NONE;
    }
    return number;
}

uint32_t nsight_thread(tcf_reader *self, uint64_t id)
{
    char name[64];

    snprintf(name, sizeof name, "thread %" PRIu64, id & 0xffffff);
    return nsight_location(self, id, 0, id & 0xffffff, name, TCF_CPU_THREAD);
}

uint32_t nsight_stream(tcf_reader *self, uint64_t id, uint64_t device, uint64_t context, uint64_t stream)
{
    const uint64_t place = 1ull << 63 | (device & 0xff) << 52 | (context & 0xfffff) << 32 | (stream & 0xffffffff);
    const uint64_t key = 1ull << 63 | tcf_map_hash(tcf_map_hash(device, context), stream); /* threads have 0 */
    char name[100];

    snprintf(name, sizeof name,
             stream == UINT32_MAX ? "GPU %" PRIu64 ", context %" PRIu64 ", synchronisation"
                                  : "GPU %" PRIu64 ", context %" PRIu64 ", stream %" PRIu64,
             device, context, stream);
    return nsight_location(self, nsight_process_bits(id) << 24, key, place, name, TCF_ACCELERATOR_STREAM);
}
