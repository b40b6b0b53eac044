/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Parameter tables: from the text of a value to the member of a conf struct. Each error names the key, what was found
 * and what was expected. Parsing, --describe, filters.d and the options of the programs read the same rows, so they
 * agree. Strings and lists live in a string_store. */
#include "framework/base/error.h"
#include "framework/base/names.h"
#include "framework/base/string_store.h"
#include "framework/base/units.h"
#include "settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WHERE_BYTES = 1024, MAX_ROWS = 1000, MOST_KNOWN = 256 /* keys that a mistyped key is compared with */ };

/* -------------------------------------------------------------------------------------------------------- values -- */

/* A value of any type, before it is copied into its member. */
typedef union value {
    int i;
    int64_t i64;
    double d;
    uint64_t u64;
    tcf_duration duration;
    const char *text;
    tcf_list list;
} value;

static const char *read_bool(const char *text, value *to)
{
    return units_bool(text, &to->i);
}

static const char *read_int(const char *text, value *to)
{
    return units_int(text, &to->i64);
}

static const char *read_double(const char *text, value *to)
{
    return units_double(text, &to->d);
}

static const char *read_size(const char *text, value *to)
{
    return units_size(text, &to->u64);
}

static const char *read_duration(const char *text, value *to)
{
    return units_duration(text, &to->duration);
}

/* These return less than, equal to, or more than 0: the value is smaller than, equal to, or larger than the limit. */
static int compare_ints(const value *a, const value *limit)
{
    return (a->i64 > limit->i64) - (a->i64 < limit->i64);
}

static int compare_doubles(const value *a, const value *limit)
{
    return (a->d > limit->d) - (a->d < limit->d);
}

static int compare_sizes(const value *a, const value *limit)
{
    return (a->u64 > limit->u64) - (a->u64 < limit->u64);
}

/* Ticks and seconds cannot be compared and count as equal. */
static int compare_durations(const value *a, const value *limit)
{
    double x = a->duration.value, y = limit->duration.value;
    return limit->duration.in_ticks != a->duration.in_ticks && y != 0 ? 0 : (x > y) - (x < y);
}

/* The limit of a list is a number of items. */
static int compare_items(const value *a, const value *limit)
{
    return (a->list.n > limit->i64) - (a->list.n < limit->i64);
}

/* Splits "keep|drop" in place. Returns the number of names. */
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

static tcf_status parse_enum(const tcf_param *row, const char *text, const char *what, value *to,
                             string_store **storage)
{
    enum { MOST = 64 };
    const char *name[MOST];
    char copy[WHERE_BYTES];

    (void)storage;
    if (!row->choices || strlen(row->choices) >= sizeof copy)
        return error_usage("%s: the filter's parameter table names no choices", what);
    memcpy(copy, row->choices, strlen(row->choices) + 1);
    size_t n = split_choices(copy, name, MOST);
    for (size_t i = 0; i < n; i++)
        if (strcmp(name[i], text) == 0) {
            to->i = (int)i;
            return TCF_OK;
        }
    const char *near = nearest_name(text, name, n);
    return error_usage("%s: '%s' is not one of %s%s%s%s", what, text, row->choices, near ? "; did you mean '" : "",
                       near ? near : "", near ? "'?" : "");
}

static tcf_status parse_list(const tcf_param *row, const char *text, const char *what, value *to,
                             string_store **storage)
{
    static const char separators[] = " \t,";
    uint32_t n = 0;

    (void)row;
    for (const char *t = text + strspn(text, separators); *t; t += strspn(t, separators)) {
        t += strcspn(t, separators);
        n++;
    }
    const char **item = store_room(storage, (n + 1) * sizeof *item);
    if (!item)
        return error_fail("%s: out of memory", what);
    n = 0;
    for (const char *t = text + strspn(text, separators); *t; t += strspn(t, separators)) {
        size_t length = strcspn(t, separators);
        if (!(item[n++] = store_text(storage, t, length)))
            return error_fail("%s: out of memory", what);
        t += length;
    }
    to->list = (tcf_list){item, n};
    return TCF_OK;
}

static tcf_status parse_string(const tcf_param *row, const char *text, const char *what, value *to,
                               string_store **storage)
{
    (void)row;
    to->text = store_text(storage, text, strlen(text));
    return to->text ? TCF_OK : error_fail("%s: out of memory", what);
}

typedef tcf_status (*parser)(const tcf_param *row, const char *text, const char *what, value *to,
                             string_store **storage);

/* The types: all that parsing, checking and describing need. */
static const struct type {
    const char *name; /* for people */
    const char *word; /* for programs: never translated, never changed */
    size_t bytes, alignment;
    const char *(*read)(const char *text, value *to); /* what is wrong, or NULL; no such function: `parse` does it */
    parser parse;
    const char *(*read_limit)(const char *text, value *to); /* no such function: the type has no limits */
    int (*compare)(const value *a, const value *limit);
} types[] = {
#define OF(type) sizeof(type), _Alignof(type)
    [TCF_BOOL] = {"yes or no", "bool", OF(int), read_bool, NULL, NULL, NULL},
    [TCF_INT] = {"whole number", "int", OF(int64_t), read_int, NULL, read_int, compare_ints},
    [TCF_DOUBLE] = {"number", "double", OF(double), read_double, NULL, read_double, compare_doubles},
    [TCF_SIZE] = {"size", "size", OF(uint64_t), read_size, NULL, read_size, compare_sizes},
    [TCF_DURATION] = {"duration", "duration", OF(tcf_duration), read_duration, NULL, read_duration, compare_durations},
    [TCF_STRING] = {"text", "string", OF(char *), NULL, parse_string, NULL, NULL},
    [TCF_INPUT_PATH] = {"path", "path", OF(char *), NULL, parse_string, NULL, NULL},
    [TCF_OUTPUT_PATH] = {"path", "path", OF(char *), NULL, parse_string, NULL, NULL},
    [TCF_ENUM] = {"choice", "enum", OF(int), NULL, parse_enum, NULL, NULL},
    [TCF_LIST] = {"list", "list", OF(tcf_list), NULL, parse_list, read_int, compare_items},
#undef OF
};

const char *param_type_name(tcf_param_type type)
{
    return types[type].name;
}

const char *param_type_word(tcf_param_type type)
{
    return types[type].word;
}

static tcf_status parse_text(const tcf_param *row, const char *text, const char *what, value *to,
                             string_store **storage)
{
    const struct type *type = &types[row->type];

    if (type->parse)
        return type->parse(row, text, what, to, storage);
    const char *wrong = type->read(text, to);
    return wrong ? error_usage("%s: '%s' %s", what, text, wrong) : TCF_OK;
}

/* See compare_ints(). */
static int compare(tcf_param_type type, const value *a, const char *limit)
{
    value b;
    return !limit || types[type].read_limit(limit, &b) ? 0 : types[type].compare(a, &b);
}

static tcf_status check_range(const tcf_param *row, const value *v, const char *text, const char *what)
{
    int low = compare(row->type, v, row->min)<0, high = compare(row->type, v, row->max)> 0;
    const char *items = row->type == TCF_LIST ? " items" : "";

    if (!low && !high)
        return TCF_OK;
    if (row->min && row->max)
        return error_usage("%s: '%s' is out of range: expected %s to %s%s", what, text, row->min, row->max, items);
    return error_usage("%s: '%s' is out of range: expected at %s %s%s", what, text, low ? "least" : "most",
                       low ? row->min : row->max, items);
}

tcf_status settings_value(const tcf_param *row, const char *text, const char *what, void *to, string_store **storage)
{
    value v;

    memset(&v, 0, sizeof v);
    if (!*text) {
        if (!row->default_value || *row->default_value)
            return error_usage("%s: needs a value", what);
    } else if (parse_text(row, text, what, &v, storage) != TCF_OK || check_range(row, &v, text, what) != TCF_OK) {
        return TCF_ERROR;
    }
    memcpy(to, &v, types[row->type].bytes);
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

settings_entry *settings_entry_of(const settings_section *section, const char *key)
{
    for (size_t i = 0; section && i < section->n_entries; i++)
        if (strcmp(section->entries[i].key, key) == 0)
            return &section->entries[i];
    return NULL;
}

const char *settings_where(const settings_section *section, const settings_entry *entry, char *to, size_t capacity)
{
    if (entry->line)
        snprintf(to, capacity, "%s:%u: %s.%s", entry->file, entry->line, section->name, entry->key);
    else
        snprintf(to, capacity, "%s %s.%s", entry->file, section->name, entry->key);
    return to;
}

/* What the section says of the row, by its key or by its alias. */
static const settings_entry *entry_of_row(const settings_section *section, const tcf_param *row)
{
    const settings_entry *entry = settings_entry_of(section, row->key);
    return entry || !row->alias ? entry : settings_entry_of(section, row->alias);
}

static int is_of_row(const char *key, const tcf_param *row)
{
    return strcmp(row->key, key) == 0 || (row->alias && strcmp(row->alias, key) == 0);
}

static tcf_status parse_row(const tcf_param *row, void *conf, const settings_section *defaults,
                            const settings_section *section, string_store **storage)
{
    void *to = (char *)conf + row->offset;
    const settings_section *from = section;
    const settings_entry *entry = entry_of_row(section, row);
    char where[WHERE_BYTES];

    if (!entry)
        entry = entry_of_row(from = defaults, row);
    else if (row->alias && settings_entry_of(section, row->alias) != entry && settings_entry_of(section, row->alias))
        return error_usage("%s: is set twice: '%s' is its earlier name; expected one of the two",
                           settings_where(section, entry, where, sizeof where), row->alias);
    if (entry)
        return settings_value(row, entry->value, settings_where(from, entry, where, sizeof where), to, storage);
    if (row->default_value)
        return settings_value(row, row->default_value, row->key, to, storage);
    const char *help = row->help ? row->help : "";
    if (section && section->line)
        return error_usage("%s:%u: %s.%s: must be given: %s", section->file, section->line, section->name, row->key,
                           help);
    if (section)
        return error_usage("%s.%s: must be given: %s", section->name, row->key, help);
    return error_usage("'%s' must be given: %s", row->key, help);
}

const char *settings_text(const tcf_param *row, const settings_section *defaults, const settings_section *section,
                          const char **origin)
{
    const char *given = row->default_value ? row->default_value : "";
    const settings_entry *entry = entry_of_row(section, row);

    *origin = "default";
    if (entry) {
        *origin = entry->line ? "settings" : "command line";
        return entry->value;
    }
    entry = entry_of_row(defaults, row);
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
        for (uint32_t i = 0; tables[t].params && i < tables[t].params->n; i++)
            if (is_of_row(key, &tables[t].params->at[i]))
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
        for (uint32_t i = 0; tables[t].params && i < tables[t].params->n && n < MOST_KNOWN; i++)
            known[n++] = tables[t].params->at[i].key;
    for (size_t i = 0; ignore && ignore[i] && n < MOST_KNOWN; i++)
        known[n++] = ignore[i];
    const char *near = nearest_name(entry->key, known, n);
    settings_where(section, entry, where, sizeof where);
    if (near)
        return error_usage("%s: unknown key; did you mean '%s'?", where, near);
    if (n == 0)
        return error_usage("%s: unknown key; there are none here", where);

    char list[WHERE_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < n && used < sizeof list; i++) {
        int more = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    return error_usage("%s: unknown key; expected one of %s", where, list);
}

tcf_status settings_parse_tables(const settings_table *tables, size_t n_tables, const settings_section *defaults,
                                 const settings_section *section, const char *const *ignore, string_store **storage)
{
    const settings_section *const from[] = {defaults, section};

    /* Unknown keys come first, so that a misspelt mandatory key is reported as misspelt, not as missing. */
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; from[f] && i < from[f]->n_entries; i++)
            if (!is_known(from[f]->entries[i].key, tables, n_tables, ignore))
                return unknown_key(from[f], &from[f]->entries[i], tables, n_tables, ignore);
    for (size_t t = 0; t < n_tables; t++)
        for (uint32_t i = 0; tables[t].params && i < tables[t].params->n; i++)
            if (parse_row(&tables[t].params->at[i], tables[t].conf, defaults, section, storage) != TCF_OK)
                return TCF_ERROR;
    return TCF_OK;
}

tcf_status settings_parse(const tcf_params *table, void *conf, const settings_section *defaults,
                          const settings_section *section, const char *const *ignore, string_store **storage)
{
    settings_table one = {table, conf};
    return settings_parse_tables(&one, 1, defaults, section, ignore, storage);
}

/* --------------------------------------------------------------------------------------------------------- paths -- */

tcf_status params_each_path(const tcf_params *table, tcf_param_type type, const void *conf, const char *section,
                            tcf_status (*each)(void *data, const char *section, const char *key, const char *path),
                            void *data)
{
    tcf_status status = TCF_OK;

    for (uint32_t i = 0; i < table->n && status == TCF_OK; i++) {
        const tcf_param *row = &table->at[i];
        const char *path;
        if (row->type != type)
            continue;
        memcpy(&path, (const char *)conf + row->offset, sizeof path);
        if (path && *path)
            status = each(data, section, row->key, path);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------ soundness of a table -- */

static tcf_status check_limit(const tcf_param *row, const char *limit, const char *name)
{
    value v;

    if (!limit)
        return TCF_OK;
    if (!types[row->type].read_limit)
        return error_fail("parameter '%s' has a %s, which its type cannot have", row->key, name);
    const char *wrong = types[row->type].read_limit(limit, &v);
    return wrong ? error_fail("parameter '%s': its %s '%s' %s", row->key, name, limit, wrong) : TCF_OK;
}

/* Checks a key, or an alias, against the rows before its own. */
static tcf_status check_key(const tcf_params *table, const tcf_param *row, const char *key, const char *const *reserved)
{
    if (!valid_name(key, 1))
        return error_fail("parameter '%s': a key consists of a-z, 0-9 and _", key);
    for (size_t i = 0; reserved && reserved[i]; i++)
        if (strcmp(reserved[i], key) == 0)
            return error_fail("parameter '%s': the framework itself uses this key", key);
    for (const tcf_param *other = table->at; other < row; other++)
        if (is_of_row(key, other))
            return error_fail("parameter '%s' is there twice", key);
    return TCF_OK;
}

static tcf_status check_row(const tcf_params *table, const tcf_param *row, size_t conf_size,
                            const char *const *reserved)
{
    string_store *storage = NULL;
    value v;

    if (!row->key)
        return error_fail("parameter %zu of %u has no key", (size_t)(row - table->at) + 1, table->n);
    if (check_key(table, row, row->key, reserved) != TCF_OK)
        return TCF_ERROR;
    if (row->alias && check_key(table, row, row->alias, reserved) != TCF_OK)
        return TCF_ERROR;
    if (row->alias && strcmp(row->alias, row->key) == 0)
        return error_fail("parameter '%s' is its own alias", row->key);
    if ((int)row->type < TCF_BOOL || row->type > TCF_OUTPUT_PATH)
        return error_fail("parameter '%s' has the unknown type %d", row->key, (int)row->type);
    const struct type *type = &types[row->type];
    if (row->offset > conf_size || type->bytes > conf_size - row->offset)
        return error_fail("parameter '%s' lies outside of the conf struct (%zu bytes at %zu of %zu)", row->key,
                          type->bytes, row->offset, conf_size);
    if (row->offset % type->alignment)
        return error_fail("parameter '%s' lies at the odd offset %zu of the conf struct", row->key, row->offset);
    if (row->type == TCF_ENUM && (!row->choices || !*row->choices))
        return error_fail("parameter '%s' has no choices", row->key);
    if (!row->help || !*row->help)
        return error_fail("parameter '%s' has no help", row->key);
    if (check_limit(row, row->min, "minimum") != TCF_OK || check_limit(row, row->max, "maximum") != TCF_OK)
        return TCF_ERROR;
    if (!row->default_value)
        return TCF_OK;
    tcf_status status = settings_value(row, row->default_value, "its default", &v, &storage);
    store_free(storage);
    return status == TCF_OK ? TCF_OK : error_while("checking parameter '%s'", row->key);
}

tcf_status params_check(const tcf_params *table, size_t conf_size, const char *const *reserved)
{
    if (!table->at != !table->n || table->n > MAX_ROWS)
        return error_fail("its parameter table has %u rows%s; expected .params = TCF_ROWS(TABLE), of 1 to %d", table->n,
                          table->at ? "" : ", and isn't there", MAX_ROWS);
    for (uint32_t i = 0; i < table->n; i++)
        if (check_row(table, &table->at[i], conf_size, reserved) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}
