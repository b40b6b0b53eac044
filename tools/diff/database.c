/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads a database of results (doc/results.md), opened read-only. Anything unexpected ends the program with a
 * message that says what to do. A database is not trusted: only plain tables are read. */
#include "diff.h"

#include <private/utf8.h>

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SCHEMA = 1, APPLICATION = 0x7463666c };

static _Noreturn void damaged(const struct database *d, const char *what)
{
    fail("'%s': cannot read %s: %s; a run that is still being written, or damaged? Run tcflow again to replace it",
         d->path, what, sqlite3_errmsg(d->db));
}

static double ask_number(struct database *d, const char *what, const char *sql)
{
    sqlite3_stmt *query = database_ask(d, what, sql);
    double number = database_row(d, what, query) ? sqlite3_column_double(query, 0) : NAN;
    sqlite3_finalize(query);
    return number;
}

/* ------------------------------------------------------------------------------------------------------- opening -- */

static void check_file(const char *path)
{
    static const char start[16] = "SQLite format 3"; /* with its zero */
    char found[sizeof start] = "";
    struct stat st;
    if (stat(path, &st) != 0)
        fail("cannot open '%s': %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        fail("'%s' is no regular file", path);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("cannot open '%s': %s", path, strerror(errno));
    size_t n = fread(found, 1, sizeof found, file);
    fclose(file);
    if (n == 0)
        fail("'%s' is empty; a database of results is written by tcflow with `database = FILE` in [pipeline]", path);
    if (n != sizeof found || memcmp(found, start, sizeof start) != 0)
        fail("'%s' is no SQLite database; one of results is written by tcflow with `database = FILE` in [pipeline]",
             path);
}

/* Is it ours, of a schema that is known, and whole? */
static void check_database(struct database *d)
{
    int application = (int)ask_number(d, "its header", "PRAGMA application_id");
    int schema = (int)ask_number(d, "its header", "PRAGMA user_version");
    if (application != APPLICATION)
        fail("'%s' is a SQLite database, but none of results of tcflow", d->path);
    if (schema > SCHEMA)
        fail("'%s' has schema %d, of a newer tcflow than this tcflow-diff, which knows %d", d->path, schema, SCHEMA);
    if (schema < SCHEMA)
        fail("'%s' has schema %d, of an older tcflow than this tcflow-diff, which knows %d; run tcflow again", d->path,
             schema, SCHEMA);
    sqlite3_stmt *query = database_ask(d, "it", "PRAGMA quick_check(1)");
    if (!database_row(d, "it", query))
        fail("'%s' cannot be checked", d->path);
    if (strcmp((const char *)sqlite3_column_text(query, 0), "ok") != 0)
        fail("'%s' is damaged: %s; run tcflow again", d->path, sqlite3_column_text(query, 0));
    sqlite3_finalize(query);
}

void database_open(struct database *d, const char *path, const struct options *o)
{
    *d = (struct database){.path = path, .options = o};
    check_file(path);
    /* Returns a path that SQLite cannot take for a URI or an option. */
    char *plain = format_text("%s%s", *path == '/' ? "" : "./", path);
    int code = sqlite3_open_v2(plain, &d->db, SQLITE_OPEN_READONLY, NULL);
    free(plain);
    if (!d->db)
        fail("out of memory");
    if (code != SQLITE_OK)
        fail("cannot open '%s': %s", path, sqlite3_errmsg(d->db));
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
#endif
    check_database(d);
}

void database_close(struct database *d)
{
    sqlite3_close(d->db);
}

/* ------------------------------------------------------------------------------------------------------- queries -- */

struct sqlite3_stmt *database_ask(struct database *d, const char *what, const char *sql)
{
    sqlite3_stmt *query = NULL;
    if (!sql)
        fail("out of memory");
    if (sqlite3_prepare_v2(d->db, sql, -1, &query, NULL) != SQLITE_OK)
        damaged(d, what);
    return query;
}

bool database_row(struct database *d, const char *what, struct sqlite3_stmt *query)
{
    int code = sqlite3_step(query);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        damaged(d, what);
    sqlite3_finalize(query);
    return false;
}

double database_number(struct sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? NAN : sqlite3_column_double(row, column);
}

char *database_text(struct sqlite3_stmt *row, int column)
{
    const unsigned char *s = sqlite3_column_text(row, column);
    size_t n = 0;
    char *text = allocate(3 * (s ? strlen((const char *)s) : 0) + 1, 1);
    while (s && *s) {
        size_t bytes = tcf_utf8_bytes(s);
        memcpy(text + n, bytes ? (const char *)s : "\xef\xbf\xbd", bytes ? bytes : 3);
        n += bytes ? bytes : 3;
        s += bytes ? bytes : 1;
    }
    return text;
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

/* Views and virtual tables could run anything, so they are refused. */
static bool is_plain_table(struct database *d, const char *name)
{
    sqlite3_stmt *query = database_ask(d, "its list of tables",
                                       "SELECT 1 FROM sqlite_master WHERE type = 'table' AND lower(name) = lower(?1) "
                                       "AND rootpage > 0");
    sqlite3_bind_text(query, 1, name, -1, SQLITE_TRANSIENT);
    bool plain = database_row(d, "its list of tables", query);
    if (plain)
        sqlite3_finalize(query);
    return plain;
}

static bool is_chosen(const struct options *o, const char *instance)
{
    for (uint32_t i = 0; i < o->n_instances; i++)
        if (strcmp(o->instance[i], instance) == 0)
            return true;
    return false;
}

/* Returns the table of the chosen instance, or of the first one in the chain; those of surveys come last. NULL where
 * there is none. */
static char *find_table(struct database *d, const char *filter, const char *table, char **instance, uint32_t *n)
{
    static const char what[] = "the table `tables`";
    char *found = NULL, *name = NULL;
    bool chosen = false;
    if (!is_plain_table(d, "tables") || !is_plain_table(d, "columns"))
        fail("'%s' has no tables `tables` and `columns`; run tcflow again", d->path);
    sqlite3_stmt *query = database_ask(
        d, what,
        "SELECT sql_table, instance FROM tables WHERE filter IS ?1 AND name = ?2 AND sql_table IS NOT NULL "
        "ORDER BY place = 'survey', rowid");
    sqlite3_bind_text(query, 1, filter, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(query, 2, table, -1, SQLITE_TRANSIENT);
    for (*n = 0; database_row(d, what, query); ++*n) {
        const char *of = (const char *)sqlite3_column_text(query, 1);
        bool this = of && is_chosen(d->options, of);
        if (found && (chosen || !this))
            continue;
        free(found);
        free(name);
        found = copy_text((const char *)sqlite3_column_text(query, 0));
        name = copy_text(of ? of : "");
        chosen = this;
    }
    if (instance)
        *instance = name;
    else
        free(name);
    return found;
}

uint32_t database_instances(struct database *d, const char *filter, const char *table, char **taken)
{
    uint32_t n;
    free(find_table(d, filter, table, taken, &n));
    return n;
}

/* Its name in SQL; to be freed with sqlite3_free(). */
static char *find_column(struct database *d, const char *table, const char *column)
{
    static const char what[] = "the table `columns`";
    char *name = NULL;
    sqlite3_stmt *query =
        database_ask(d, what, "SELECT sql_column FROM columns WHERE sql_table = ?1 AND name = ?2 ORDER BY position");
    sqlite3_bind_text(query, 1, table, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(query, 2, column, -1, SQLITE_TRANSIENT);
    while (database_row(d, what, query))
        if (!name)
            name = sqlite3_mprintf("\"%w\"", sqlite3_column_text(query, 0));
    if (!name)
        fail("'%s': the table `%s` has no column `%s`; it is of another version of the filter: run tcflow again",
             d->path, table, column);
    return name;
}

struct sqlite3_stmt *database_table(struct database *d, const char *filter, const char *table,
                                    const char *const *columns)
{
    uint32_t n;
    char *name = find_table(d, filter, table, NULL, &n);
    if (!name)
        return NULL;
    if (!is_plain_table(d, name))
        fail("'%s' lists a table `%s`, but there is none; run tcflow again", d->path, name);
    sqlite3_str *sql = sqlite3_str_new(d->db);
    sqlite3_str_appendall(sql, "SELECT ");
    for (int i = 0; columns[i]; i++) {
        char *column = find_column(d, name, columns[i]);
        sqlite3_str_appendf(sql, "%s%s", i ? ", " : "", column);
        sqlite3_free(column);
    }
    sqlite3_str_appendf(sql, " FROM \"%w\" ORDER BY rowid", name);
    char *text = sqlite3_str_finish(sql);
    sqlite3_stmt *query = database_ask(d, name, text);
    sqlite3_free(text);
    free(name);
    return query;
}
