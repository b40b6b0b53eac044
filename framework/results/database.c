/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Writes all tables of a run to an SQLite file. doc/results.md describes the schema: a table for each table of results
 * with columns of INTEGER, REAL or TEXT; `tables` and `columns`, which describe them; and views.
 *
 * Values are those of JSON: null becomes NULL, and U+FFFD replaces what is no UTF-8. SQLite's integers have 64 bits
 * with a sign; a column with a larger value is TEXT in decimal digits, so nothing is rounded or negative. A name that
 * SQLite compares as equal to another one, or reserves, gets a number or an underscore.
 *
 * The file is written in one transaction without a journal, since it has no other user before it is complete and
 * renamed. */
#include "database.h"
#include "database_names.h"
#include "database_views.h"
#include "framework/base/error.h"
#include "framework/base/json.h"
#include "framework/base/output.h"
#include "report_tables.h"

#include <private/utf8.h>

#ifdef HAVE_SQLITE

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A table in the file, for views. */
typedef struct placed {
    const results_part *part;
    const tcf_table *table;
    char *name; /* name in SQL; owned by writer.tables */
} placed;

typedef struct writer {
    sqlite3 *db;
    const char *path; /* of the file being written */
    names tables;
    placed *placed;
    size_t n_placed;
    sqlite3_stmt *describe_table, *describe_column;
} writer;

/* -------------------------------------------------------------------------------------------------------- errors -- */

static tcf_status failed(const writer *w)
{
    int system = sqlite3_system_errno(w->db), code = sqlite3_errcode(w->db) & 0xff;
    int has_reason = system != 0 && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN);
    return error_fail("cannot write to '%s': %s%s%s", w->path, sqlite3_errmsg(w->db), has_reason ? ": " : "",
                      has_reason ? strerror(system) : "");
}

/* Runs one statement and frees `sql`; NULL: out of memory. */
static tcf_status execute(writer *w, char *sql)
{
    if (!sql)
        return error_fail("out of memory");
    int code = sqlite3_exec(w->db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return code == SQLITE_OK ? TCF_OK : failed(w);
}

static sqlite3_stmt *prepare(writer *w, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(w->db, sql, -1, &statement, NULL) != SQLITE_OK)
        failed(w);
    return statement;
}

static tcf_status step(writer *w, sqlite3_stmt *statement)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        return failed(w);
    sqlite3_reset(statement);
    return TCF_OK;
}

static tcf_status reserve_names(writer *w)
{
    int lost = !names_take(&w->tables, "tables") || !names_take(&w->tables, "columns");
    for (size_t i = 0; i < n_database_views; i++)
        lost |= !names_take(&w->tables, database_views[i].name);
    return lost ? error_fail("out of memory") : TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- values -- */

typedef enum storage { STORED_INTEGER, STORED_REAL, STORED_TEXT } storage;
static const char *const storage_names[] = {"INTEGER", "REAL", "TEXT"};

static storage storage_of(const tcf_table *t, uint32_t column)
{
    switch (t->columns[column].type) {
    case TCF_CELL_DOUBLE:
        return STORED_REAL;
    case TCF_CELL_INT:
        return STORED_INTEGER;
    case TCF_CELL_UINT:
        for (size_t k = 0; k < t->n_rows; k++)
            if (t->cells[k * t->n_columns + column].u > INT64_MAX &&
                !report_is_absent(&t->columns[column], t->cells[k * t->n_columns + column]))
                return STORED_TEXT;
        return STORED_INTEGER;
    default:
        return STORED_TEXT;
    }
}

/* `text` must stay valid until the statement has run. */
static int bind_text(sqlite3_stmt *to, int at, const char *text)
{
    const char *s = text;

    if (!text)
        return sqlite3_bind_null(to, at);
    for (size_t n; *s && (n = tcf_utf8_bytes((const unsigned char *)s)) > 0;)
        s += n;
    if (!*s)
        return sqlite3_bind_text64(to, at, text, (sqlite3_uint64)(s - text), SQLITE_STATIC, SQLITE_UTF8);
    char *clean = names_clean(text);
    return clean ? sqlite3_bind_text(to, at, clean, -1, sqlite3_free) : SQLITE_NOMEM;
}

static int bind_cell(sqlite3_stmt *to, int at, const struct column *column, storage stored, tcf_cell cell)
{
    char digits[24];

    if (report_is_absent(column, cell))
        return sqlite3_bind_null(to, at);
    switch (column->type) {
    case TCF_CELL_TEXT:
        return bind_text(to, at, cell.text);
    case TCF_CELL_DOUBLE:
        return isfinite(cell.d) ? sqlite3_bind_double(to, at, cell.d) : sqlite3_bind_null(to, at);
    case TCF_CELL_INT:
        return sqlite3_bind_int64(to, at, cell.i);
    default:
        if (stored == STORED_INTEGER)
            return sqlite3_bind_int64(to, at, (sqlite3_int64)cell.u);
        snprintf(digits, sizeof digits, "%" PRIu64, cell.u);
        return sqlite3_bind_text(to, at, digits, -1, SQLITE_TRANSIENT);
    }
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

/* Creates a table and describes its columns. Sets `columns` to the columns' names and `stored` to their types in
 * SQL. */
static tcf_status make_table(writer *w, const tcf_table *t, const char *name, names *columns, storage *stored)
{
    sqlite3_str *sql = sqlite3_str_new(w->db);
    int bad = 0;

    sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (", name);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        const struct column *c = &t->columns[i];
        const char *own = names_take(columns, c->name);
        sqlite3_stmt *d = w->describe_column;
        stored[i] = storage_of(t, i);
        sqlite3_str_appendf(sql, "%s\"%w\" %s", i ? ", " : "", own ? own : "", storage_names[stored[i]]);
        bad |= !own || sqlite3_bind_text(d, 1, name, -1, SQLITE_STATIC) || sqlite3_bind_int64(d, 2, i + 1) ||
               bind_text(d, 3, own) || bind_text(d, 4, c->name) || bind_text(d, 5, report_type_names[c->type]) ||
               bind_text(d, 6, storage_names[stored[i]]) || bind_text(d, 7, c->unit) || bind_text(d, 8, c->help) ||
               sqlite3_bind_int(d, 9, c->detail);
        if (bad || step(w, d) != TCF_OK) {
            sqlite3_free(sqlite3_str_finish(sql));
            return bad ? error_fail("out of memory") : TCF_ERROR;
        }
    }
    sqlite3_str_appendall(sql, ")");
    return execute(w, sqlite3_str_finish(sql));
}

static tcf_status fill_table(writer *w, const tcf_table *t, const char *name, const storage *stored)
{
    sqlite3_str *sql = sqlite3_str_new(w->db);
    tcf_status status = TCF_OK;

    sqlite3_str_appendf(sql, "INSERT INTO \"%w\" VALUES (", name);
    for (uint32_t i = 0; i < t->n_columns; i++)
        sqlite3_str_appendall(sql, i ? ", ?" : "?");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    sqlite3_stmt *insert = text ? prepare(w, text) : NULL;
    if (!insert)
        status = text ? TCF_ERROR : error_fail("out of memory");
    for (size_t k = 0; k < t->n_rows && status == TCF_OK; k++) {
        status = report_is_whole(t->owner);
        for (uint32_t i = 0; i < t->n_columns && status == TCF_OK; i++)
            if (bind_cell(insert, (int)i + 1, &t->columns[i], stored[i], t->cells[k * t->n_columns + i]) != SQLITE_OK)
                status = failed(w);
        if (status == TCF_OK)
            status = step(w, insert);
    }
    sqlite3_finalize(insert);
    sqlite3_free(text);
    return status;
}

/* Adds the row of `tables`. sql_name is NULL for a table without columns, which SQLite can't have. */
static tcf_status list_table(writer *w, const results_part *part, const tcf_table *t, const char *sql_name)
{
    sqlite3_stmt *d = w->describe_table;
    int bad = bind_text(d, 1, sql_name) || bind_text(d, 2, results_place(part)) ||
              bind_text(d, 3, part->filter ? part->report->instance : NULL) || bind_text(d, 4, part->filter) ||
              bind_text(d, 5, t->name) || bind_text(d, 6, t->title) ||
              sqlite3_bind_int64(d, 7, (sqlite3_int64)t->n_rows);
    return bad ? failed(w) : step(w, d);
}

static tcf_status write_table(writer *w, const results_part *part, const tcf_table *t)
{
    if (t->n_columns == 0)
        return list_table(w, part, t, NULL);
    char *wanted =
        part->filter ? sqlite3_mprintf("%s_%s", part->report->instance, t->name) : sqlite3_mprintf("%s", t->name);
    char *name = wanted ? names_take(&w->tables, wanted) : NULL;
    storage *stored = calloc(t->n_columns, sizeof *stored);
    names columns = {0};
    sqlite3_free(wanted);
    tcf_status status = name && stored ? TCF_OK : error_fail("out of memory");
    if (status == TCF_OK)
        status = list_table(w, part, t, name);
    if (status == TCF_OK)
        status = make_table(w, t, name, &columns, stored);
    if (status == TCF_OK)
        status = fill_table(w, t, name, stored);
    if (status == TCF_OK)
        w->placed[w->n_placed++] = (placed){part, t, name};
    names_free(&columns);
    free(stored);
    return status == TCF_OK ? TCF_OK : error_while("writing the table '%s' of '%s'", t->name, part->report->instance);
}

/* --------------------------------------------------------------------------------------------------------- views -- */

static tcf_status make_view(writer *w, const database_view *v)
{
    sqlite3_str *sql = sqlite3_str_new(w->db);
    int n = 0;

    sqlite3_str_appendf(sql, "CREATE VIEW \"%w\" AS", v->name);
    for (size_t i = 0; i < w->n_placed; i++) {
        const placed *p = &w->placed[i];
        if (!p->part->filter || strcmp(p->part->filter, v->filter) != 0 || strcmp(p->table->name, v->table) != 0)
            continue;
        sqlite3_str_appendf(sql, "%s SELECT %Q AS instance, %s FROM \"%w\" %s", n++ ? " UNION ALL" : "",
                            p->part->report->instance, v->select, p->name, v->where);
    }
    char *text = sqlite3_str_finish(sql);
    if (n > 0)
        return execute(w, text);
    int lost = !text;
    sqlite3_free(text);
    return lost ? error_fail("out of memory") : TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------------- file -- */

static tcf_status open_database(writer *w)
{
    /* "./" keeps SQLite from reading a relative path as a URI or ":memory:". The file is locked by output_open(), so
     * SQLite needs no locks of its own. */
    char *path = sqlite3_mprintf("%s%s", *w->path == '/' ? "" : "./", w->path);
    int code = path ? sqlite3_open_v2(path, &w->db, SQLITE_OPEN_READWRITE, "unix-none") : SQLITE_NOMEM;

    sqlite3_free(path);
    if (!w->db)
        return error_fail("out of memory");
    if (code != SQLITE_OK)
        return failed(w);
    return execute(w, sqlite3_mprintf("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA encoding = 'UTF-8';"
                                      "PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN;"
                                      "CREATE TABLE tables (sql_table TEXT, place TEXT, instance TEXT, filter TEXT, "
                                      "name TEXT, title TEXT, n_rows INTEGER);"
                                      "CREATE TABLE columns (sql_table TEXT, position INTEGER, sql_column TEXT, "
                                      "name TEXT, type TEXT, stored TEXT, unit TEXT, help TEXT, detail INTEGER);",
                                      DATABASE_APPLICATION, DATABASE_SCHEMA));
}

static tcf_status fill_database(writer *w, const results *r)
{
    size_t n = results_count_tables(r);

    w->placed = calloc(n ? n : 1, sizeof *w->placed);
    if (!w->placed)
        return error_fail("out of memory");
    if (reserve_names(w) != TCF_OK || open_database(w) != TCF_OK ||
        !(w->describe_table = prepare(w, "INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?)")) ||
        !(w->describe_column = prepare(w, "INSERT INTO columns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")))
        return TCF_ERROR;
    for (size_t i = 0; i < r->n; i++)
        for (const tcf_table *t = r->parts[i].report->first; t; t = t->next)
            if (write_table(w, &r->parts[i], t) != TCF_OK)
                return TCF_ERROR;
    for (size_t i = 0; i < n_database_views; i++)
        if (make_view(w, &database_views[i]) != TCF_OK)
            return error_while("making the view '%s'", database_views[i].name);
    return execute(w, sqlite3_mprintf("COMMIT"));
}

static tcf_status write_database(int file, const char *path, const results *r)
{
    writer w = {.path = path};
    tcf_status status = fill_database(&w, r);

    (void)file; /* it holds the lock */
    sqlite3_finalize(w.describe_table);
    sqlite3_finalize(w.describe_column);
    if (sqlite3_close(w.db) != SQLITE_OK && status == TCF_OK)
        status = error_fail("cannot close '%s'", path);
    names_free(&w.tables);
    free(w.placed);
    return status;
}

/* SQLite would apply a journal beside this name to the new file. */
static tcf_status refuse_journal(const char *path)
{
    static const char *const ends[] = {"-journal", "-wal"};
    char name[4096 + 16];
    struct stat st;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        if (lstat(name, &st) == 0)
            return error_usage("database '%s' cannot be written: there is '%s'; another program is writing to a "
                               "database of this name, or has left it incomplete",
                               path, name);
    }
    return TCF_OK;
}

const char *database_version(void)
{
    return sqlite3_libversion();
}

#else

const char *database_version(void)
{
    return NULL;
}

#endif

const results_file database_file = {.kind = {.key = "database",
                                             .like = "SQLite database",
                                             .start = "SQLite format 3", /* including the zero */
                                             .start_bytes = sizeof "SQLite format 3"},
#ifdef HAVE_SQLITE
                                    .write = write_database,
                                    .prepare = refuse_journal,
#endif
                                    .library = "SQLite",
                                    .package = "libsqlite3-dev"};
