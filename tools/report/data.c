/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The data of a page: the tables of a database as JSON by column, each text once.
 *
 * The first pass over the tables measures the bytes of each, texts at their first use included; from these follow the
 * limits on rows. The second pass writes.
 *
 * Names in a trace are bytes of unknown origin. JSON's rules cover quotes, control characters and what is no UTF-8;
 * `<`, `>`, `&` and JavaScript's line separators are escaped as well, so that no text ends the script element. */
#include "framework/base/json.h"
#include "report.h"
#include "tools/shared/program.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/map.h>

/* Integers that JavaScript's numbers hold exactly; those whose differences, doubled, it does, too. */
#define EXACT ((int64_t)1 << 53)
#define PACKABLE ((int64_t)1 << 51)

enum type { TEXT, INTEGER, DOUBLE };

/* A way to write a column as integers, which are `scale` times the values; of texts, their positions. */
struct packing {
    double scale;
    bool possible;
    uint64_t bytes;
    int64_t before; /* the last integer, for the difference from it */
};
enum { PACKINGS = 2 };

struct column {
    char *sql, *name, *type_name, *unit, *help;
    int detail;
    enum type type;
    bool digits;                      /* TEXT in the database: integers beyond 2^63 - 1 */
    uint64_t bytes, text_bytes;       /* text_bytes: of those at their first use */
    struct packing packing[PACKINGS]; /* as integers that are so many times the values */
    const struct packing *packed;     /* the one that is used; NULL: the values are shorter */
};

struct table {
    char *sql, *place, *instance, *filter, *name, *title;
    uint64_t n_rows;
    struct column *column;
    uint32_t n_columns;
    uint64_t bytes; /* of the rows that `max-rows` allows */
    uint64_t found; /* of these, as many as there are */
    uint64_t rows;  /* that go into the page */
};

struct data {
    FILE *out;
    struct database *d;
    struct table *table;
    uint32_t n_tables;
    double ticks_per_second;
    const struct limits *limits;
    tcf_map first; /* (hash, attempt) -> position in `text` */
    char **text;   /* each once, in the order of first use */
    uint32_t n_texts, texts_capacity;
};

/* --------------------------------------------------------------------------------------------------------- texts -- */

static void forget_texts(struct data *x)
{
    tcf_map_free(&x->first);
    for (uint32_t i = 0; i < x->n_texts; i++)
        free(x->text[i]);
    x->n_texts = 0;
}

static uint64_t hash(const char *text)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

/* The position of a text; *fresh: it is new. */
static uint32_t intern(struct data *x, const char *text, bool *fresh)
{
    const uint64_t h = hash(text);
    uint32_t found, attempt = 0;

    for (; (found = tcf_map_get(&x->first, h, attempt)) != TCF_MAP_ABSENT; attempt++)
        if (strcmp(x->text[found], text) == 0) {
            *fresh = false;
            return found;
        }
    if (x->n_texts == x->texts_capacity) {
        x->texts_capacity = x->texts_capacity ? 2 * x->texts_capacity : 1024;
        x->text = enlarge(x->text, x->texts_capacity, sizeof *x->text);
    }
    if (tcf_map_put(&x->first, h, attempt, x->n_texts) != 0)
        fail("out of memory");
    x->text[x->n_texts] = format_text("%s", text);
    *fresh = true;
    return x->n_texts++;
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

/* As database_text(), but NULL stays NULL. */
static char *text_or_null(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? NULL : database_text(row, column);
}

static void free_column(struct column *c)
{
    free(c->sql), free(c->name), free(c->type_name), free(c->unit), free(c->help);
}

static void read_columns(struct data *x, struct table *t)
{
    static const char what[] = "the table 'columns'";
    sqlite3_stmt *query = database_ask(x->d, what,
                                       "SELECT sql_column, name, type, stored, unit, help, detail FROM columns WHERE "
                                       "sql_table = %Q ORDER BY position",
                                       t->sql);
    while (database_row(x->d, what, query)) {
        struct column c = {.sql = database_text(query, 0),
                           .name = text_or_null(query, 1),
                           .type_name = database_text(query, 2),
                           .unit = text_or_null(query, 4),
                           .help = text_or_null(query, 5),
                           .detail = sqlite3_column_int(query, 6)};
        char *stored = database_text(query, 3);
        c.type = strcmp(c.type_name, "text") == 0 ? TEXT : strcmp(c.type_name, "double") == 0 ? DOUBLE : INTEGER;
        c.digits = c.type == INTEGER && strcmp(stored, "TEXT") == 0;
        /* Times are whole ticks mostly, percents have two decimals. */
        c.packing[0] = (struct packing){.scale = c.type == DOUBLE ? x->ticks_per_second : 1, .possible = !c.digits};
        c.packing[1] = (struct packing){.scale = 100, .possible = c.type == DOUBLE};
        free(stored);
        /* Detail columns in ticks repeat columns in seconds. */
        if (c.detail && c.unit && strcmp(c.unit, "ticks") == 0) {
            free_column(&c);
            continue;
        }
        t->column = enlarge(t->column, t->n_columns + 1u, sizeof *t->column);
        t->column[t->n_columns++] = c;
    }
}

static double read_ticks_per_second(struct data *x)
{
    static const char what[] = "the table 'run'";
    double found = 1;
    if (!database_has(x->d, "run"))
        return found;
    sqlite3_stmt *query = database_ask(x->d, what, "SELECT * FROM run LIMIT 1");
    while (database_row(x->d, what, query))
        for (int i = 0; i < sqlite3_column_count(query); i++)
            if (strcmp(sqlite3_column_name(query, i), "ticks_per_second") == 0 && sqlite3_column_double(query, i) > 0)
                found = sqlite3_column_double(query, i);
    return found;
}

static void read_tables(struct data *x)
{
    static const char what[] = "the table 'tables'";
    if (!database_has(x->d, "tables") || !database_has(x->d, "columns"))
        fail("'%s' has no tables 'tables' and 'columns'; run tcflow again", x->d->path);
    x->ticks_per_second = read_ticks_per_second(x);
    sqlite3_stmt *query = database_ask(x->d, what,
                                       "SELECT sql_table, place, instance, filter, name, title, n_rows FROM tables "
                                       "ORDER BY rowid");
    while (database_row(x->d, what, query)) {
        struct table t = {.sql = text_or_null(query, 0),
                          .place = text_or_null(query, 1),
                          .instance = text_or_null(query, 2),
                          .filter = text_or_null(query, 3),
                          .name = text_or_null(query, 4),
                          .title = text_or_null(query, 5),
                          .n_rows = (uint64_t)sqlite3_column_int64(query, 6)};
        if (t.sql && !database_has(x->d, t.sql))
            fail("'%s' lists a table '%s', but there is none; run tcflow again", x->d->path, t.sql);
        x->table = enlarge(x->table, x->n_tables + 1u, sizeof *x->table);
        x->table[x->n_tables++] = t;
    }
    for (uint32_t i = 0; i < x->n_tables; i++)
        if (x->table[i].sql)
            read_columns(x, &x->table[i]);
}

static void free_tables(struct data *x)
{
    for (uint32_t i = 0; i < x->n_tables; i++) {
        struct table *t = &x->table[i];
        for (uint32_t k = 0; k < t->n_columns; k++)
            free_column(&t->column[k]);
        free(t->column), free(t->sql), free(t->place), free(t->instance), free(t->filter), free(t->name),
            free(t->title);
    }
    free(x->table);
}

/* The first rows of some of a table's columns. */
static sqlite3_stmt *rows_of(struct data *x, const struct table *t, uint32_t first, uint32_t n, uint64_t most)
{
    sqlite3_str *list = sqlite3_str_new(x->d->db);
    for (uint32_t i = first; i < first + n; i++)
        sqlite3_str_appendf(list, "%s\"%w\"", i > first ? ", " : "", t->column[i].sql);
    char *names = sqlite3_str_finish(list);
    sqlite3_stmt *query = database_ask(x->d, t->sql, "SELECT %s FROM \"%w\" ORDER BY rowid LIMIT %lld", names, t->sql,
                                       (long long)(most > INT64_MAX ? INT64_MAX : most));
    sqlite3_free(names);
    return query;
}

/* -------------------------------------------------------------------------------------------------------- values -- */

static uint64_t zigzag(int64_t difference)
{
    return difference < 0 ? 2 * (uint64_t)(-(difference + 1)) + 1 : 2 * (uint64_t)difference;
}

static uint32_t leb128_bytes(uint64_t value)
{
    uint32_t n = 1;
    for (; value > 0x7f; value >>= 7)
        n++;
    return n;
}

/* The integer that stands for a value, position: of a text; false: there is none. */
static bool packed_value(const struct packing *p, const struct column *c, sqlite3_stmt *row, int i, uint32_t position,
                         int64_t *value)
{
    const int stored = sqlite3_column_type(row, i);
    if (c->type == TEXT) {
        *value = stored == SQLITE_NULL ? -1 : (int64_t)position;
        return true;
    }
    if (c->type == INTEGER) {
        *value = sqlite3_column_int64(row, i);
        return stored == SQLITE_INTEGER && *value >= -PACKABLE && *value <= PACKABLE;
    }
    const double given = sqlite3_column_double(row, i), scaled = given * p->scale;
    if (stored == SQLITE_NULL || !(fabs(scaled) <= (double)PACKABLE))
        return false;
    *value = llround(scaled);
    return (double)*value / p->scale == given;
}

static uint64_t value_bytes(const struct column *c, sqlite3_stmt *row, int i, uint64_t text_bytes)
{
    char digits[32];
    if (sqlite3_column_type(row, i) == SQLITE_NULL)
        return 5;
    if (c->type == TEXT)
        return 6 + text_bytes;
    if (c->type == INTEGER)
        return (uint64_t)sqlite3_column_bytes(row, i) + 1;
    shortest_double(digits, sqlite3_column_double(row, i));
    return strlen(digits) + 1;
}

/* Sums up about the bytes that the column takes, as values and packed; with each text at its first use. */
static void measure_value(struct data *x, struct column *c, sqlite3_stmt *row, int i)
{
    uint32_t position = 0;
    uint64_t text_bytes = 0;

    if (c->type == TEXT && sqlite3_column_type(row, i) != SQLITE_NULL) {
        bool fresh;
        char *text = database_text(row, i);
        position = intern(x, text, &fresh);
        text_bytes = fresh ? strlen(text) + 3 : 0;
        free(text);
    }
    for (struct packing *p = c->packing; p < c->packing + PACKINGS; p++) {
        int64_t value = 0;
        p->possible = p->possible && packed_value(p, c, row, i, position, &value);
        if (!p->possible)
            continue;
        p->bytes += leb128_bytes(zigzag(value - p->before));
        p->before = value;
    }
    c->text_bytes += text_bytes;
    c->bytes += value_bytes(c, row, i, text_bytes); /* the last use of `row`: it makes a text of a number */
}

static void measure(struct data *x, struct table *t)
{
    if (t->n_columns == 0)
        return;
    sqlite3_stmt *row = rows_of(x, t, 0, t->n_columns, x->limits->rows);
    for (; database_row(x->d, t->sql, row); t->found++)
        for (uint32_t i = 0; i < t->n_columns; i++)
            measure_value(x, &t->column[i], row, (int)i);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        struct column *c = &t->column[i];
        uint64_t least_bytes = c->bytes;
        for (const struct packing *p = c->packing; p < c->packing + PACKINGS; p++) {
            const uint64_t bytes = (p->bytes + 2) / 3 * 4 + c->text_bytes;
            if (!p->possible || bytes >= least_bytes)
                continue;
            c->packed = p;
            least_bytes = bytes;
        }
        t->bytes += least_bytes;
    }
}

static void put_value(struct data *x, const struct column *c, sqlite3_stmt *row)
{
    const int64_t value = sqlite3_column_int64(row, 0);
    bool fresh;

    if (sqlite3_column_type(row, 0) == SQLITE_NULL)
        fputs("null", x->out);
    else if (c->type == DOUBLE)
        json_double(x->out, sqlite3_column_double(row, 0));
    else if (c->digits) {
        /* A number, unless the database was made by others: as a text it can do no harm. */
        char *digits = database_text(row, 0);
        uint64_t number = strtoull(digits, NULL, 10);
        if (number <= (uint64_t)EXACT && strspn(digits, "0123456789") == strlen(digits))
            fprintf(x->out, "%" PRIu64, number);
        else
            json_string_in_html(x->out, digits);
        free(digits);
    } else if (c->type == INTEGER)
        fprintf(x->out, value >= -EXACT && value <= EXACT ? "%" PRId64 : "\"%" PRId64 "\"", value);
    else {
        char *text = database_text(row, 0);
        fprintf(x->out, "%" PRIu32, intern(x, text, &fresh));
        free(text);
    }
}

/* Bytes on their way to base64. */
struct base64 {
    FILE *out;
    uint32_t bits, n; /* n: bytes in `bits` */
};

static void put_base64(struct base64 *b, uint32_t n_bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (uint32_t i = 0; i < 4; i++)
        putc(i <= n_bytes ? digits[b->bits >> (18 - 6 * i) & 63] : '=', b->out);
    b->bits = b->n = 0;
}

static void put_byte(struct base64 *b, uint64_t byte)
{
    b->bits |= (uint32_t)(byte & 0xff) << (16 - 8 * b->n);
    if (++b->n == 3)
        put_base64(b, 3);
}

static void put_packed(struct data *x, const struct table *t, const struct column *c, sqlite3_stmt *row)
{
    struct base64 b = {.out = x->out};
    int64_t before = 0;

    if (c->packed->scale != 1) {
        fputs("\"scale\":", x->out);
        json_double(x->out, c->packed->scale);
        putc(',', x->out);
    }
    fputs("\"packed\":\"", x->out);
    while (database_row(x->d, t->sql, row)) {
        int64_t value = 0;
        uint32_t position = 0;
        if (c->type == TEXT && sqlite3_column_type(row, 0) != SQLITE_NULL) {
            bool fresh;
            char *text = database_text(row, 0);
            position = intern(x, text, &fresh);
            free(text);
        }
        packed_value(c->packed, c, row, 0, position, &value);
        uint64_t rest = zigzag(value - before);
        for (; rest > 0x7f; rest >>= 7)
            put_byte(&b, rest | 0x80);
        put_byte(&b, rest);
        before = value;
    }
    if (b.n > 0)
        put_base64(&b, b.n);
    putc('"', x->out);
}

/* -------------------------------------------------------------------------------------------------------- limits -- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Cells of a timeline, which their filter has limited: half of them would be half a picture. */
static bool is_whole(const struct table *t)
{
    return t->name && strcmp(t->name, "cells") == 0;
}

/* Bytes of all tables, each limited to `each`. */
static uint64_t bytes_within(const struct data *x, uint64_t each)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < x->n_tables; i++)
        sum += is_whole(&x->table[i]) ? x->table[i].bytes : least(x->table[i].bytes, each);
    return sum;
}

/* Sets the rows of each table: one limit of bytes, the largest with which all fit, cuts the large tables only. */
static void apply_limits(struct data *x)
{
    uint64_t low = 0, high = x->limits->bytes; /* bytes of a table; low ends as the limit */

    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (bytes_within(x, middle) <= x->limits->bytes)
            low = middle;
        else
            high = middle - 1;
    }
    for (uint32_t i = 0; i < x->n_tables; i++) {
        struct table *t = &x->table[i];
        const uint64_t most = least(t->n_rows, x->limits->rows);
        t->rows = t->bytes <= low || is_whole(t) ? most : (uint64_t)((double)most * ((double)low / (double)t->bytes));
        if (t->rows == t->n_rows || x->limits->quiet)
            continue;
        char *text = format_text("the page has the first %" PRIu64 " of %" PRIu64 " rows of '%s' of '%s'; the database "
                                 "and the filter's 'output' have all",
                                 t->rows, t->n_rows, t->name, t->instance ? t->instance : "run");
        say("warning: ", text);
        free(text);
    }
}

/* ------------------------------------------------------------------------------------------------------- writing -- */

static void put_field(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\":", name);
    json_string_in_html(out, text);
    putc(',', out);
}

static void put_column(struct data *x, const struct table *t, uint32_t i)
{
    const struct column *c = &t->column[i];
    sqlite3_stmt *row = rows_of(x, t, i, 1, t->rows);
    const char *before = "";

    putc('{', x->out);
    put_field(x->out, "name", c->name);
    put_field(x->out, "type", c->type_name);
    put_field(x->out, "unit", c->unit);
    put_field(x->out, "help", c->help);
    fprintf(x->out, "\"detail\":%d,", c->detail);
    if (c->packed) {
        put_packed(x, t, c, row);
    } else {
        fputs("\"values\":[", x->out);
        for (; database_row(x->d, t->sql, row); before = ",") {
            fputs(before, x->out);
            put_value(x, c, row);
        }
        putc(']', x->out);
    }
    putc('}', x->out);
}

static void put_table(struct data *x, const struct table *t)
{
    putc('{', x->out);
    put_field(x->out, "place", t->place);
    put_field(x->out, "instance", t->instance);
    put_field(x->out, "filter", t->filter);
    put_field(x->out, "name", t->name);
    put_field(x->out, "title", t->title);
    fprintf(x->out, "\"n_rows\":%" PRIu64 ",\"rows\":%" PRIu64 ",\"columns\":[", t->n_rows, least(t->rows, t->found));
    for (uint32_t i = 0; i < t->n_columns; i++) {
        fputs(i ? ",\n" : "", x->out);
        put_column(x, t, i);
    }
    fputs("]}", x->out);
}

void data_write(FILE *out, struct database *d, const struct limits *limits)
{
    struct data x = {.out = out, .d = d, .limits = limits};

    read_tables(&x);
    for (uint32_t i = 0; i < x.n_tables; i++)
        measure(&x, &x.table[i]);
    forget_texts(&x);
    apply_limits(&x);
    fputs("{\"version\":3,\"tables\":[\n", out);
    for (uint32_t i = 0; i < x.n_tables; i++) {
        put_table(&x, &x.table[i]);
        fputs(i + 1 < x.n_tables ? ",\n" : "", out);
    }
    fputs("],\n\"texts\":[", out);
    for (uint32_t i = 0; i < x.n_texts; i++) {
        fputs(i ? ",\n" : "\n", out);
        json_string_in_html(out, x.text[i]);
    }
    fputs("]}\n", out);
    forget_texts(&x);
    free(x.text);
    free_tables(&x);
}
