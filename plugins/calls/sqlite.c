/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* calls: writes rows as an SQLite database. Names stand once, in tables of their own. */
#include "calls.h"

#ifdef HAVE_SQLITE
#include <private/utf8.h>

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>

typedef struct work {
    tcf_self *self;
    const conf *conf;
    sqlite3 *db;
    sqlite3_stmt *insert;
    uint32_t location;
    uint8_t *has_name; /* by region: it has a row of `region` */
    tcf_map others;    /* calling contexts and regions that nothing defines */
    sqlite3_stmt *insert_region;
} work;

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA encoding = 'UTF-8'; BEGIN;"
    "CREATE TABLE trace (unit TEXT, ticks_per_second INTEGER, start INTEGER);"
    "CREATE TABLE region (region INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE location (location INTEGER PRIMARY KEY, process TEXT, rank INTEGER, thread TEXT);"
    "CREATE TABLE call (location INTEGER, call INTEGER, parent INTEGER, depth INTEGER, region INTEGER, begin, \"end\", "
    "exclusive, wait, partner INTEGER, partner_call INTEGER, sent INTEGER, received INTEGER, bytes_sent INTEGER, "
    "bytes_received INTEGER);"
    "CREATE VIEW calls AS SELECT l.process, l.rank, l.thread, c.location, c.call, c.parent, c.depth, r.name, c.begin, "
    "c.\"end\", c.exclusive, c.wait, c.partner, c.partner_call, c.sent, c.received, c.bytes_sent, c.bytes_received "
    "FROM call c JOIN location l USING (location) JOIN region r USING (region);";

static tcf_status failed(const work *w)
{
    const state *st = w->self->state;
    const int system = sqlite3_system_errno(w->db);

    return w->self->host->fail(w->self, "cannot write to '%s': %s%s%s", st->output.name, sqlite3_errmsg(w->db),
                               system ? ": " : "", system ? strerror(system) : "");
}

static tcf_status execute(const work *w, const char *sql)
{
    return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK ? TCF_OK : failed(w);
}

static tcf_status step(const work *w, sqlite3_stmt *statement)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        return failed(w);
    sqlite3_reset(statement);
    return TCF_OK;
}

/* SQLite's integers are signed: larger numbers become the nearest double. */
static void bind_number(sqlite3_stmt *to, int at, uint64_t value)
{
    if (value == UNKNOWN)
        sqlite3_bind_null(to, at);
    else if (value > INT64_MAX)
        sqlite3_bind_double(to, at, (double)value);
    else
        sqlite3_bind_int64(to, at, (sqlite3_int64)value);
}

/* Texts of a database are UTF-8: other bytes become U+FFFD. */
static int bind_text(sqlite3_stmt *to, int at, const char *text)
{
    sqlite3_str *clean = sqlite3_str_new(NULL);

    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const size_t n = tcf_utf8_bytes(c);
        sqlite3_str_append(clean, n ? (const char *)c : "\xef\xbf\xbd", n ? (int)n : 3);
        c += n ? n : 1;
    }
    char *made = sqlite3_str_finish(clean);
    return made ? sqlite3_bind_text(to, at, made, -1, sqlite3_free) : sqlite3_bind_text(to, at, "", 0, SQLITE_STATIC);
}

static void bind_duration(const work *w, int at, uint64_t ticks)
{
    if (ticks == UNKNOWN || w->conf->unit == UNIT_TICKS)
        bind_number(w->insert, at, ticks);
    else
        sqlite3_bind_double(w->insert, at, tcf_seconds(w->self, (double)ticks).d);
}

static void bind_time(const work *w, int at, uint64_t time)
{
    if (time == UNKNOWN || w->conf->unit == UNIT_TICKS)
        bind_number(w->insert, at, time);
    else
        sqlite3_bind_double(w->insert, at, tcf_when(w->self, time).d);
}

/* Writes the name of a region when a call first has it. Regions are numbered as the trace numbers them. */
static tcf_status region_of(work *w, const row *r, uint32_t *region)
{
    const tcf_definitions *defs = w->self->defs;
    char scratch[64];

    *region = call_region(defs, r->what);
    if (*region < defs->n_regions && w->has_name[*region])
        return TCF_OK;
    if (*region < defs->n_regions)
        w->has_name[*region] = 1;
    else if (tcf_map_get(&w->others, *region, 0) != TCF_MAP_ABSENT)
        return TCF_OK;
    else if (tcf_map_put(&w->others, *region, 0, 0) != 0)
        return w->self->host->fail(w->self, "out of memory for the names of regions");
    sqlite3_bind_int64(w->insert_region, 1, *region);
    bind_text(w->insert_region, 2, calls_name(w->self, r->what, scratch));
    return step(w, w->insert_region);
}

static tcf_status each(void *data, const row *r)
{
    work *w = data;
    const tcf_definitions *defs = w->self->defs;
    uint32_t region;

    if (region_of(w, r, &region) != TCF_OK)
        return TCF_ERROR;
    sqlite3_bind_int64(w->insert, 1, (sqlite3_int64)tcf_location_at(defs, w->location)->id);
    bind_number(w->insert, 2, r->call);
    bind_number(w->insert, 3, r->parent);
    bind_number(w->insert, 4, r->depth);
    sqlite3_bind_int64(w->insert, 5, region);
    bind_time(w, 6, r->begin);
    bind_time(w, 7, r->end);
    bind_duration(w, 8, r->end == UNKNOWN ? UNKNOWN : r->end - r->begin - r->inner);
    bind_duration(w, 9, r->wait);
    if (r->partner == TCF_NONE)
        sqlite3_bind_null(w->insert, 10);
    else
        sqlite3_bind_int64(w->insert, 10, (sqlite3_int64)tcf_location_at(defs, r->partner)->id);
    bind_number(w->insert, 11, calls_partner(w->self, r));
    bind_number(w->insert, 12, r->sent);
    bind_number(w->insert, 13, r->received);
    bind_number(w->insert, 14, r->bytes_sent);
    bind_number(w->insert, 15, r->bytes_received);
    return step(w, w->insert);
}

static tcf_status write_trace(work *w)
{
    const tcf_definitions *defs = w->self->defs;
    const state *st = w->self->state;
    sqlite3_stmt *insert = NULL;
    tcf_status status = TCF_OK;

    if (sqlite3_prepare_v2(w->db, "INSERT INTO trace VALUES (?, ?, ?)", -1, &insert, NULL) != SQLITE_OK)
        return failed(w);
    bind_text(insert, 1, w->conf->unit == UNIT_TICKS ? "ticks" : "s");
    bind_number(insert, 2, defs->clock.resolution);
    bind_number(insert, 3, defs->clock.global_offset);
    status = step(w, insert);
    sqlite3_finalize(insert);
    if (status == TCF_OK &&
        sqlite3_prepare_v2(w->db, "INSERT OR IGNORE INTO location VALUES (?, ?, ?, ?)", -1, &insert, NULL) != SQLITE_OK)
        return failed(w);
    for (uint32_t l = 0; l < defs->n_locations && status == TCF_OK; l++) {
        const tcf_location *of = tcf_location_at(defs, l);
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)of->id);
        bind_text(insert, 2, tcf_process_name(defs, l, ""));
        bind_number(insert, 3, st->processes.rank[l] == TCF_NONE ? UNKNOWN : st->processes.rank[l]);
        bind_text(insert, 4, of->name ? of->name : "");
        status = step(w, insert);
    }
    sqlite3_finalize(insert);
    return status;
}

static tcf_status fill(work *w)
{
    const tcf_definitions *defs = w->self->defs;
    tcf_status status = TCF_OK;

    if (!(w->has_name = calloc(defs->n_regions + 1ul, 1)))
        return w->self->host->fail(w->self, "out of memory for the names of regions");
    if (execute(w, schema) != TCF_OK || write_trace(w) != TCF_OK)
        return TCF_ERROR;
    if (sqlite3_prepare_v2(w->db, "INSERT INTO region VALUES (?, ?)", -1, &w->insert_region, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(w->db, "INSERT INTO call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", -1,
                           &w->insert, NULL) != SQLITE_OK)
        return failed(w);
    for (w->location = 0; w->location < defs->n_locations && status == TCF_OK; w->location++) {
        status = rows_each(w->self, w->location, each, w);
        if (w->self->host->interrupted(w->self))
            status = w->self->host->fail(w->self, "interrupted");
    }
    return status == TCF_OK ? execute(w, "COMMIT") : status;
}

tcf_status sqlite_write(tcf_self *self)
{
    const state *st = self->state;
    work w = {.self = self, .conf = self->conf};
    /* "./" keeps SQLite from reading a relative path as a URI or ":memory:". The output is open, and locked. */
    char *path = sqlite3_mprintf("%s%s", *st->output.name == '/' ? "" : "./", st->output.name);
    const int code = path ? sqlite3_open_v2(path, &w.db, SQLITE_OPEN_READWRITE, "unix-none") : SQLITE_NOMEM;

    sqlite3_free(path);
    tcf_status status = !w.db               ? self->host->fail(self, "out of memory for the database")
                        : code != SQLITE_OK ? failed(&w)
                                            : fill(&w);
    sqlite3_finalize(w.insert);
    sqlite3_finalize(w.insert_region);
    sqlite3_close(w.db);
    tcf_map_free(&w.others);
    free(w.has_name);
    return status;
}
#else
tcf_status sqlite_write(tcf_self *self)
{
    return self->host->fail(self, "tcflow was built without SQLite");
}
#endif
