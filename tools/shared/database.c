/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads a database of results (doc/results.md), opened read-only. Anything unexpected ends the program with a
 * message that says what to do. A database is not trusted: only plain tables are read. */
#include "database.h"
#include "program.h"

#include <private/utf8.h>

#include <errno.h>
#include <math.h>
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

sqlite3_stmt *database_ask(struct database *d, const char *what, const char *format, ...)
{
    sqlite3_stmt *query = NULL;
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    if (!sql)
        fail("out of memory");
    if (sqlite3_prepare_v2(d->db, sql, -1, &query, NULL) != SQLITE_OK)
        damaged(d, what);
    sqlite3_free(sql);
    return query;
}

static int ask_number(struct database *d, const char *what, const char *format, const char *text)
{
    sqlite3_stmt *query = database_ask(d, what, format, text);
    int number = database_row(d, what, query) ? sqlite3_column_int(query, 0) : 0;
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
    if (S_ISDIR(st.st_mode))
        fail("'%s' is a folder; expected a database of results, which 'tcflow waits TRACE NAME.sqlite' writes of a "
             "trace",
             path);
    if (!S_ISREG(st.st_mode))
        fail("'%s' is no regular file", path);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("cannot open '%s': %s", path, strerror(errno));
    size_t n = fread(found, 1, sizeof found, file);
    fclose(file);
    if (n == 0)
        fail("'%s' is empty; a database of results is written by tcflow with 'database = FILE' in [pipeline]", path);
    if (n != sizeof found || memcmp(found, start, sizeof start) != 0)
        fail("'%s' is no SQLite database; one of results is written by tcflow with 'database = FILE' in [pipeline]",
             path);
}

/* Is it ours, of a schema that is known, and whole? */
static void check_database(struct database *d)
{
    int application = ask_number(d, "its header", "PRAGMA application_id", NULL);
    int schema = ask_number(d, "its header", "PRAGMA user_version", NULL);
    if (application != APPLICATION)
        fail("'%s' is a SQLite database, but none of results of tcflow", d->path);
    if (schema > SCHEMA)
        fail("'%s' has schema %d, of a newer tcflow than this %s, which knows %d", d->path, schema, program_name,
             SCHEMA);
    if (schema < SCHEMA)
        fail("'%s' has schema %d, of an older tcflow than this %s, which knows %d; run tcflow again", d->path, schema,
             program_name, SCHEMA);
    sqlite3_stmt *query = database_ask(d, "it", "PRAGMA quick_check(1)");
    if (!database_row(d, "it", query))
        fail("'%s' cannot be checked", d->path);
    if (strcmp((const char *)sqlite3_column_text(query, 0), "ok") != 0)
        fail("'%s' is damaged: %s; run tcflow again", d->path, sqlite3_column_text(query, 0));
    sqlite3_finalize(query);
}

void database_open(struct database *d, const char *path, const struct names *instances)
{
    *d = (struct database){.path = path, .instances = instances};
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
    for (uint32_t i = 0; i < instances->n && database_has(d, "tables"); i++)
        instances->met[i] |= ask_number(d, "the table 'tables'", "SELECT count(*) FROM tables WHERE instance = %Q",
                                        instances->at[i]) > 0;
}

void database_check_instances(const struct names *instances)
{
    for (uint32_t i = 0; i < instances->n; i++)
        if (!instances->met[i])
            usage("--instance '%s': no run has a filter instance of that name", instances->at[i]);
}

void database_close(struct database *d)
{
    sqlite3_close(d->db);
}

/* ------------------------------------------------------------------------------------------------------- queries -- */

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

bool database_has(struct database *d, const char *name)
{
    static const char what[] = "its list of tables";
    sqlite3_stmt *query = database_ask(d, what,
                                       "SELECT 1 FROM sqlite_master WHERE type = 'table' AND lower(name) = lower(%Q) "
                                       "AND rootpage > 0",
                                       name);
    bool plain = database_row(d, what, query);
    if (plain)
        sqlite3_finalize(query);
    return plain;
}

/* Returns the table of the chosen instance, or of the first one in the chain; those of surveys come last. NULL where
 * there is none. */
static char *find_table(struct database *d, const char *filter, const char *table)
{
    static const char what[] = "the table 'tables'";
    char *found = NULL;
    if (!database_has(d, "tables") || !database_has(d, "columns"))
        fail("'%s' has no tables 'tables' and 'columns'; run tcflow again", d->path);
    sqlite3_str *chosen = sqlite3_str_new(d->db);
    for (uint32_t i = 0; i < d->instances->n; i++)
        sqlite3_str_appendf(chosen, "%s%Q", i ? ", " : "", d->instances->at[i]);
    char *list = sqlite3_str_finish(chosen);
    sqlite3_stmt *query =
        database_ask(d, what,
                     "SELECT sql_table, instance FROM tables WHERE filter IS %Q AND name = %Q AND sql_table "
                     "IS NOT NULL ORDER BY coalesce(instance IN (%s), 0) DESC, place = 'survey', rowid",
                     filter, table, list ? list : "");
    sqlite3_free(list);
    for (d->n_instances = 0; database_row(d, what, query); d->n_instances++)
        if (!found) {
            const char *instance = (const char *)sqlite3_column_text(query, 1);
            snprintf(d->instance, sizeof d->instance, "%s", instance ? instance : "");
            found = format_text("%s", sqlite3_column_text(query, 0));
        }
    return found;
}

/* Adds its name in SQL. */
static void add_column(struct database *d, const char *table, const char *column, sqlite3_str *to)
{
    static const char what[] = "the table 'columns'";
    bool found = false;
    sqlite3_stmt *query =
        database_ask(d, what, "SELECT sql_column FROM columns WHERE sql_table = %Q AND name = %Q ORDER BY position",
                     table, column);
    for (; database_row(d, what, query); found = true)
        if (!found)
            sqlite3_str_appendf(to, "%s\"%w\"", sqlite3_str_length(to) ? ", " : "", sqlite3_column_text(query, 0));
    if (!found)
        fail("'%s': the table '%s' has no column '%s'; it is of another version of the filter: run tcflow again",
             d->path, table, column);
}

struct sqlite3_stmt *database_table(struct database *d, const char *filter, const char *table, const char *columns)
{
    char *name = find_table(d, filter, table), column[64];
    if (!name)
        return NULL;
    if (!database_has(d, name))
        fail("'%s' lists a table '%s', but there is none; run tcflow again", d->path, name);
    sqlite3_str *list = sqlite3_str_new(d->db);
    for (int bytes; sscanf(columns, " %63s%n", column, &bytes) == 1; columns += bytes)
        add_column(d, name, column, list);
    char *text = sqlite3_str_finish(list);
    sqlite3_stmt *query = database_ask(d, name, "SELECT %s FROM \"%w\" ORDER BY rowid", text ? text : "", name);
    sqlite3_free(text);
    free(name);
    return query;
}
