/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Parameter tables: from the text of an INI value to the member of a conf struct, with every way in which that can
 * fail told in terms of the key, what was found and what was expected. One row of a table decides everything, so that
 * parsing, --describe and filters.d cannot disagree.
 *
 * Strings and lists live in a settings_storage until settings_release(). */
#include "framework/base/error.h"
#include "framework/base/units.h"
#include "settings.h"

#include <tcflow/grow.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WHERE_BYTES = 1024, MAX_ROWS = 1000, MOST_KNOWN = 256 /* keys that a mistyped one is compared with */ };

/* ------------------------------------------------------------------------------------------------------- storage -- */

struct settings_storage {
    void **item;
    uint32_t n, capacity;
};

static void *keep(settings_storage **storage, size_t bytes)
{
    settings_storage *s = *storage;

    if (!s && !(s = *storage = calloc(1, sizeof *s)))
        return NULL;
    if (TCF_GROW(&s->item, &s->capacity, s->n) != 0)
        return NULL;
    void *item = calloc(1, bytes ? bytes : 1);
    if (item)
        s->item[s->n++] = item;
    return item;
}

char *settings_keep(settings_storage **storage, const char *text, size_t length)
{
    char *copy = keep(storage, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void settings_release(settings_storage *storage)
{
    if (!storage)
        return;
    for (size_t i = 0; i < storage->n; i++)
        free(storage->item[i]);
    free(storage->item);
    free(storage);
}

/* -------------------------------------------------------------------------------------------------------- values -- */

/* Any value before it goes to its place. */
typedef union value {
    int i;
    int64_t i64;
    double d;
    uint64_t u64;
    tcf_duration duration;
    const char *text;
    tcf_list list;
} value;

static size_t value_bytes(tcf_param_type type, size_t *alignment)
{
    static const struct {
        size_t bytes, alignment;
    } of[] = {
        [TCF_BOOL] = {sizeof(int), _Alignof(int)},
        [TCF_INT] = {sizeof(int64_t), _Alignof(int64_t)},
        [TCF_DOUBLE] = {sizeof(double), _Alignof(double)},
        [TCF_SIZE] = {sizeof(uint64_t), _Alignof(uint64_t)},
        [TCF_DURATION] = {sizeof(tcf_duration), _Alignof(tcf_duration)},
        [TCF_STRING] = {sizeof(char *), _Alignof(char *)},
        [TCF_PATH] = {sizeof(char *), _Alignof(char *)},
        [TCF_ENUM] = {sizeof(int), _Alignof(int)},
        [TCF_LIST] = {sizeof(tcf_list), _Alignof(tcf_list)},
    };
    *alignment = of[type].alignment;
    return of[type].bytes;
}

/* Splits "keep|drop" in place; the number of names. */
static size_t split_choices(char *choices, const char **name, size_t most)
{
    size_t n = 0;
    while (choices && n < most) {
        char *bar = strchr(choices, '|');
        name[n++] = choices;
        if (bar)
            *bar++ = '\0';
        choices = bar;
    }
    return n;
}

static tcf_status parse_enum(const tcf_param *row, const char *text, const char *what, int *to)
{
    enum { MOST = 64 };
    const char *name[MOST];
    char copy[WHERE_BYTES];

    if (!row->choices || strlen(row->choices) >= sizeof copy)
        return tcf_usage("%s: the filter's parameter table names no choices", what);
    memcpy(copy, row->choices, strlen(row->choices) + 1);
    size_t n = split_choices(copy, name, MOST);
    for (size_t i = 0; i < n; i++)
        if (strcmp(name[i], text) == 0) {
            *to = (int)i;
            return TCF_OK;
        }
    const char *near = nearest_name(text, name, n);
    return tcf_usage("%s: '%s' is not one of %s%s%s%s", what, text, row->choices, near ? "; did you mean `" : "",
                     near ? near : "", near ? "`?" : "");
}

static tcf_status parse_list(const char *text, const char *what, tcf_list *to, settings_storage **storage)
{
    static const char separators[] = " \t,";
    uint32_t n = 0;

    for (const char *t = text + strspn(text, separators); *t; t += strspn(t, separators)) {
        t += strcspn(t, separators);
        n++;
    }
    const char **item = keep(storage, (n + 1) * sizeof *item);
    if (!item)
        return tcf_fail("%s: out of memory", what);
    n = 0;
    for (const char *t = text + strspn(text, separators); *t; t += strspn(t, separators)) {
        size_t length = strcspn(t, separators);
        if (!(item[n++] = settings_keep(storage, t, length)))
            return tcf_fail("%s: out of memory", what);
        t += length;
    }
    *to = (tcf_list){item, n};
    return TCF_OK;
}

static tcf_status parse_text(const tcf_param *row, const char *text, const char *what, value *to,
                             settings_storage **storage)
{
    const char *wrong = NULL;

    switch (row->type) {
    case TCF_BOOL:
        wrong = units_bool(text, &to->i);
        break;
    case TCF_INT:
        wrong = units_int(text, &to->i64);
        break;
    case TCF_DOUBLE:
        wrong = units_double(text, &to->d);
        break;
    case TCF_SIZE:
        wrong = units_size(text, &to->u64);
        break;
    case TCF_DURATION:
        wrong = units_duration(text, &to->duration);
        break;
    case TCF_ENUM:
        return parse_enum(row, text, what, &to->i);
    case TCF_LIST:
        return parse_list(text, what, &to->list, storage);
    case TCF_STRING:
    case TCF_PATH:
        if (!(to->text = settings_keep(storage, text, strlen(text))))
            return tcf_fail("%s: out of memory", what);
        return TCF_OK;
    }
    return wrong ? tcf_usage("%s: '%s' %s", what, text, wrong) : TCF_OK;
}

static int compare_doubles(double a, double b)
{
    return (a > b) - (a < b);
}

/* -1, 0, 1: a is smaller than, equal to, larger than the limit. Ticks and seconds don't compare: 0. */
static int compare(tcf_param_type type, const value *a, const char *limit)
{
    value b;
    int64_t n;

    switch (type) {
    case TCF_INT:
        return units_int(limit, &b.i64) ? 0 : (a->i64 > b.i64) - (a->i64 < b.i64);
    case TCF_DOUBLE:
        return units_double(limit, &b.d) ? 0 : compare_doubles(a->d, b.d);
    case TCF_SIZE:
        return units_size(limit, &b.u64) ? 0 : (a->u64 > b.u64) - (a->u64 < b.u64);
    case TCF_DURATION:
        if (units_duration(limit, &b.duration))
            return 0;
        if (b.duration.in_ticks != a->duration.in_ticks && b.duration.value != 0)
            return 0;
        return compare_doubles(a->duration.value, b.duration.value);
    case TCF_LIST:
        return units_int(limit, &n) ? 0 : (a->list.n > n) - (a->list.n < n);
    case TCF_BOOL:
    case TCF_ENUM:
    case TCF_STRING:
    case TCF_PATH:
        break;
    }
    return 0;
}

static tcf_status check_range(const tcf_param *row, const value *v, const char *text, const char *what)
{
    int low = row->min && compare(row->type, v, row->min) < 0;
    int high = row->max && compare(row->type, v, row->max) > 0;
    const char *items = row->type == TCF_LIST ? " items" : "";

    if (!low && !high)
        return TCF_OK;
    if (row->min && row->max)
        return tcf_usage("%s: '%s' is out of range: expected %s to %s%s", what, text, row->min, row->max, items);
    return tcf_usage("%s: '%s' is out of range: expected at %s %s%s", what, text, low ? "least" : "most",
                     low ? row->min : row->max, items);
}

tcf_status settings_value(const tcf_param *row, const char *text, const char *what, void *to,
                          settings_storage **storage)
{
    size_t alignment, bytes = value_bytes(row->type, &alignment);
    value v;

    memset(&v, 0, sizeof v);
    if (!*text) {
        if (!row->default_value || *row->default_value)
            return tcf_usage("%s: needs a value", what);
    } else if (parse_text(row, text, what, &v, storage) != TCF_OK || check_range(row, &v, text, what) != TCF_OK) {
        return TCF_ERROR;
    }
    memcpy(to, &v, bytes);
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

const char *param_type_name(tcf_param_type type)
{
    static const char *const name[] = {"yes or no", "whole number", "number", "size", "duration",
                                       "text",      "path",         "choice", "list"};
    return name[type];
}

size_t params_count(const tcf_param *table)
{
    size_t n = 0;
    while (table && table[n].key)
        n++;
    return n;
}

static settings_entry *find_entry(const settings_section *section, const char *key)
{
    for (size_t i = 0; section && i < section->n_entries; i++)
        if (strcmp(section->entries[i].key, key) == 0)
            return &section->entries[i];
    return NULL;
}

/* "file:line: section.key" */
static void say_where(char *to, size_t capacity, const settings_section *section, const settings_entry *entry)
{
    if (entry->line)
        snprintf(to, capacity, "%s:%u: %s.%s", entry->file, entry->line, section->name, entry->key);
    else
        snprintf(to, capacity, "%s %s.%s", entry->file, section->name, entry->key);
}

int settings_where(const settings_section *section, const char *key, char *to, size_t capacity)
{
    const settings_entry *entry = find_entry(section, key);

    if (entry)
        say_where(to, capacity, section, entry);
    return entry != NULL;
}

static tcf_status parse_row(const tcf_param *row, void *conf, const settings_section *defaults,
                            const settings_section *section, settings_storage **storage)
{
    void *to = (char *)conf + row->offset;
    const settings_section *from = section;
    settings_entry *entry = find_entry(section, row->key);
    char where[WHERE_BYTES];

    if (!entry)
        entry = find_entry(from = defaults, row->key);
    if (entry) {
        entry->used = 1;
        say_where(where, sizeof where, from, entry);
        return settings_value(row, entry->value, where, to, storage);
    }
    if (row->default_value)
        return settings_value(row, row->default_value, row->key, to, storage);
    const char *help = row->help ? row->help : "";
    if (section && section->line)
        return tcf_usage("%s:%u: %s.%s: must be given: %s", section->file, section->line, section->name, row->key,
                         help);
    if (section)
        return tcf_usage("%s.%s: must be given: %s", section->name, row->key, help);
    return tcf_usage("`%s` must be given: %s", row->key, help);
}

const char *settings_text(const tcf_param *row, const settings_section *defaults, const settings_section *section,
                          const char **origin)
{
    const char *given = row->default_value ? row->default_value : "";
    const settings_entry *entry = find_entry(section, row->key);

    *origin = "default";
    if (entry) {
        *origin = entry->line ? "settings" : "command line";
        return entry->value;
    }
    entry = find_entry(defaults, row->key);
    if (entry && strcmp(entry->value, given) != 0)
        *origin = "filters.d";
    return entry ? entry->value : given;
}

static int is_known(const char *key, const settings_table *tables, size_t n_tables, const char *const *ignore)
{
    for (size_t i = 0; ignore && ignore[i]; i++)
        if (strcmp(ignore[i], key) == 0)
            return 1;
    for (size_t t = 0; t < n_tables; t++)
        for (const tcf_param *row = tables[t].params; row && row->key; row++)
            if (strcmp(row->key, key) == 0)
                return 1;
    return 0;
}

static tcf_status unknown_key(const settings_section *section, const settings_entry *entry,
                              const settings_table *tables, size_t n_tables, const char *const *ignore)
{
    const char *known[MOST_KNOWN];
    char where[WHERE_BYTES];
    size_t n = 0;

    for (size_t t = 0; t < n_tables; t++)
        for (const tcf_param *row = tables[t].params; row && row->key && n < MOST_KNOWN; row++)
            known[n++] = row->key;
    for (size_t i = 0; ignore && ignore[i] && n < MOST_KNOWN; i++)
        known[n++] = ignore[i];
    const char *near = nearest_name(entry->key, known, n);
    say_where(where, sizeof where, section, entry);
    if (near)
        return tcf_usage("%s: unknown key; did you mean `%s`?", where, near);
    if (n == 0)
        return tcf_usage("%s: unknown key; there are none here", where);

    char list[WHERE_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < n && used < sizeof list; i++) {
        int more = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    return tcf_usage("%s: unknown key; expected one of %s", where, list);
}

tcf_status settings_parse_tables(const settings_table *tables, size_t n_tables, const settings_section *defaults,
                                 settings_section *section, const char *const *ignore, settings_storage **storage)
{
    const settings_section *const from[] = {defaults, section};

    /* Unknown keys come first: a misspelt mandatory key should be told as such, not as missing. */
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; from[f] && i < from[f]->n_entries; i++)
            if (!is_known(from[f]->entries[i].key, tables, n_tables, ignore))
                return unknown_key(from[f], &from[f]->entries[i], tables, n_tables, ignore);
    for (size_t t = 0; t < n_tables; t++)
        for (const tcf_param *row = tables[t].params; row && row->key; row++)
            if (parse_row(row, tables[t].conf, defaults, section, storage) != TCF_OK)
                return TCF_ERROR;
    return TCF_OK;
}

tcf_status settings_parse(const tcf_param *table, void *conf, const settings_section *defaults,
                          settings_section *section, const char *const *ignore, settings_storage **storage)
{
    settings_table one = {table, conf};
    return settings_parse_tables(&one, 1, defaults, section, ignore, storage);
}

/* ------------------------------------------------------------------------------------------ soundness of a table -- */

static tcf_status check_limit(const tcf_param *row, const char *limit, const char *name)
{
    value v;
    int64_t items;
    const char *wrong = NULL;

    if (!limit)
        return TCF_OK;
    switch (row->type) {
    case TCF_INT:
        wrong = units_int(limit, &v.i64);
        break;
    case TCF_DOUBLE:
        wrong = units_double(limit, &v.d);
        break;
    case TCF_SIZE:
        wrong = units_size(limit, &v.u64);
        break;
    case TCF_DURATION:
        wrong = units_duration(limit, &v.duration);
        break;
    case TCF_LIST:
        wrong = units_int(limit, &items);
        break;
    case TCF_BOOL:
    case TCF_ENUM:
    case TCF_STRING:
    case TCF_PATH:
        return tcf_fail("parameter `%s` has a %s, which its type cannot have", row->key, name);
    }
    return wrong ? tcf_fail("parameter `%s`: its %s '%s' %s", row->key, name, limit, wrong) : TCF_OK;
}

static tcf_status check_row(const tcf_param *table, const tcf_param *row, size_t conf_size, const char *const *reserved)
{
    settings_storage *storage = NULL;
    size_t alignment, bytes;
    value v;

    if (!valid_name(row->key, 1))
        return tcf_fail("parameter `%s`: a key consists of a-z, 0-9 and _", row->key);
    for (size_t i = 0; reserved && reserved[i]; i++)
        if (strcmp(reserved[i], row->key) == 0)
            return tcf_fail("parameter `%s`: the framework itself uses this key", row->key);
    for (const tcf_param *other = table; other < row; other++)
        if (strcmp(other->key, row->key) == 0)
            return tcf_fail("parameter `%s` is there twice", row->key);
    if ((int)row->type < TCF_BOOL || row->type > TCF_LIST)
        return tcf_fail("parameter `%s` has the unknown type %d", row->key, (int)row->type);
    bytes = value_bytes(row->type, &alignment);
    if (row->offset > conf_size || bytes > conf_size - row->offset)
        return tcf_fail("parameter `%s` lies outside of the conf struct (%zu bytes at %zu of %zu)", row->key, bytes,
                        row->offset, conf_size);
    if (row->offset % alignment)
        return tcf_fail("parameter `%s` lies at the odd offset %zu of the conf struct", row->key, row->offset);
    if (row->type == TCF_ENUM && (!row->choices || !*row->choices))
        return tcf_fail("parameter `%s` has no choices", row->key);
    if (!row->help || !*row->help)
        return tcf_fail("parameter `%s` has no help", row->key);
    if (check_limit(row, row->min, "minimum") != TCF_OK || check_limit(row, row->max, "maximum") != TCF_OK)
        return TCF_ERROR;
    if (!row->default_value)
        return TCF_OK;
    tcf_status status = settings_value(row, row->default_value, "its default", &v, &storage);
    settings_release(storage);
    return status == TCF_OK ? TCF_OK : tcf_while("checking parameter `%s`", row->key);
}

tcf_status params_check(const tcf_param *table, size_t conf_size, const char *const *reserved)
{
    for (const tcf_param *row = table; row && row->key; row++) {
        if (row - table >= MAX_ROWS)
            return tcf_fail("the parameter table has no end");
        if (check_row(table, row, conf_size, reserved) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}
