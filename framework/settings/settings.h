/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* pipeline.ini: parsed, checked against parameter tables, turned into conf structs. The syntax is in settings.c. */
#ifndef TCFLOW_FRAMEWORK_SETTINGS_H
#define TCFLOW_FRAMEWORK_SETTINGS_H

#include "framework/base/string_store.h"

#include <stdio.h>
#include <tcflow/filter.h>

typedef struct settings_entry {
    const char *key, *value; /* value: ${NAME} expanded */
    const char *file;        /* where it came from, "-o" for the command line */
    unsigned line;           /* 0 for the command line */
} settings_entry;

typedef struct settings_section {
    const char *name;
    const char *file;
    unsigned line;
    settings_entry *entries;
    size_t n_entries;
} settings_section;

typedef struct settings {
    const char *file;
    settings_section *sections;
    size_t n_sections;
    string_store *texts; /* all that sections and entries point to */
} settings;

/* Reads an INI file (path "-": stdin); -o overrides ("section.key=value") are applied on top, later ones win; a
 * section that isn't there yet is added. path NULL: only overrides. NULL: see the cause (file, line, key).
 * All failures of this header are of the class of tcf_usage(). */
settings *settings_load(const char *path, const char *const *overrides, size_t n_overrides);
/* The same of what is open already; `name` is for messages. */
settings *settings_read(FILE *stream, const char *name);
void settings_free(settings *s);
settings_section *settings_find(const settings *s, const char *name);

/* NULL: the section has no such key, or is NULL itself. */
settings_entry *settings_entry_of(const settings_section *section, const char *key);
/* Where an entry stands, for messages: "file:line: section.key", or "-o section.key". Returns `to`. */
const char *settings_where(const settings_section *section, const settings_entry *entry, char *to, size_t capacity);

/* Fills conf from the table's defaults, then the entries of `defaults` (a filters.d file's section, may be NULL),
 * then those of `section` (may be NULL). Unknown keys, bad units, values out of range and missing mandatory keys are
 * errors with file:line:key and the nearest valid name. Strings and lists live in *storage. Entries whose key stands in
 * `ignore` (NULL-terminated; e.g. "filter") are left alone. */
tcf_status settings_parse(const tcf_param *table, void *conf, const settings_section *defaults,
                          const settings_section *section, const char *const *ignore, string_store **storage);
void store_free(string_store *storage);

/* The same for several tables that share one section, e.g. a filter's own and report_params: a key is unknown when it
 * stands in none of them. One storage holds the strings of all. */
typedef struct settings_table {
    const tcf_param *params; /* NULL: no parameters */
    void *conf;
} settings_table;
tcf_status settings_parse_tables(const settings_table *tables, size_t n_tables, const settings_section *defaults,
                                 const settings_section *section, const char *const *ignore, string_store **storage);

#define SURVEY_BREAK "|"

/* The text that settings_parse() takes for a parameter, "": none. *origin: `command line`, `settings` (the INI),
 * `filters.d`, or `default` where nothing says otherwise. */
const char *settings_text(const tcf_param *row, const settings_section *defaults, const settings_section *section,
                          const char **origin);

/* ${NAME} and $$ in all values: settings_environment.c. */
tcf_status settings_expand(settings *s);

/* The [pipeline] section to conf; also refuses sections that neither the chain nor the survey names. */
struct pipeline_conf;
tcf_status settings_pipeline(settings *s, struct pipeline_conf *conf, string_store **storage);

/* filters.d/FILTER.ini; *s becomes NULL when there is none, which is no error. The section is settings_find(*s,
 * filter). */
tcf_status settings_defaults(const char *filter, settings **s);

/* Is a filter's parameter table sound? Keys, types, members inside conf_size bytes, defaults and limits that can be
 * read, no key of `reserved` (NULL-terminated). */
tcf_status params_check(const tcf_param *table, size_t conf_size, const char *const *reserved);
size_t params_count(const tcf_param *table);      /* 0 for NULL */
const char *param_type_name(tcf_param_type type); /* for people: "whole number" */
const char *param_type_word(tcf_param_type type); /* for programs: "int" */

/* One value, as in the INI, to its C representation at `to`; `what` names it in the message. */
tcf_status settings_value(const tcf_param *row, const char *value, const char *what, void *to, string_store **storage);

/* The candidate nearest to `word` (edit distance), or NULL when none is near. */
const char *nearest_name(const char *word, const char *const *candidates, size_t n);
/* Does `name` match [A-Za-z_][A-Za-z0-9_-]*, as instances and sections do? With `strict` [a-z][a-z0-9_]*, as filters
 * and keys do. */
int valid_name(const char *name, int strict);

/* The [pipeline] section. */
typedef struct pipeline_conf {
    const char *input;       /* anchor file, or a stream */
    tcf_list chain;          /* instances */
    tcf_list survey;         /* instances of the surveys' chains, with SURVEY_BREAK between surveys */
    tcf_list reports;        /* instances whose reports are wanted; none: all */
    int64_t rows;            /* of a table, in text on standard output; 0: all */
    const char *database;    /* SQLite file for the tables of all reports; "": none */
    const char *html_report; /* HTML page of all reports; "": none */
    int overwrite;           /* an existing database or HTML page may be replaced */
    uint64_t memory;         /* bytes, default 64MiB */
    int64_t slice;           /* events a slice, 0: adaptive */
    int64_t lookahead;       /* events, default 4096 */
    const char *plugin_path;
    int salvage;
    int verify;            /* postcondition checks of declared writes (hash columns before and after each filter) */
    int64_t max_messages;  /* cap of messages in flight, default 1048576 */
    int64_t max_channels;  /* cap of channels known at a time */
    int64_t max_callpaths; /* cap of call-tree nodes */
    tcf_duration flush;    /* what goes to others is sent on in parts that often */
    tcf_duration quantum;  /* locations stay this close together; 0: automatic */
} pipeline_conf;
extern const tcf_param pipeline_params[];

/* The parameters `output`, `format` and `overwrite` that every filter with TCF_REPORTS has besides its own. */
typedef enum report_format { REPORT_TEXT, REPORT_CSV, REPORT_JSON } report_format;
typedef struct report_conf {
    const char *output; /* file, "-": stdout */
    int format;         /* report_format */
    int overwrite;      /* may replace an existing file */
} report_conf;
extern const tcf_param report_params[];

#endif
