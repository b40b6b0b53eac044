/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Settings (pipeline.ini): read, checked against parameter tables, turned into conf structs. settings.c describes
 * the syntax. */
#ifndef TCFLOW_FRAMEWORK_SETTINGS_H
#define TCFLOW_FRAMEWORK_SETTINGS_H

#include "framework/base/string_store.h"

#include <stdio.h>
#include <tcflow/filter.h>

typedef struct settings_entry {
    const char *key, *value; /* value: ${NAME} expanded */
    const char *file;        /* "-o" for the command line */
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

/* Reads an INI file (path "-": standard input; NULL: none), then applies the overrides ("section.key=value") in
 * order; an override adds its section where the file has none, and is warned of where it replaces another one. Returns
 * NULL after a failure. All failures of this header are error_usage() with file, line and key. */
settings *settings_load(const char *path, const char *const *overrides, size_t n_overrides);
/* Reads from an open stream; messages call it `name`. */
settings *settings_read(FILE *stream, const char *name);
void settings_free(settings *s);
settings_section *settings_find(const settings *s, const char *name);

/* Returns NULL where the section is NULL or has no such key. */
settings_entry *settings_entry_of(const settings_section *section, const char *key);
/* Writes where an entry stands: "file:line: section.key", or "-o section.key". Returns `to`. */
const char *settings_where(const settings_section *section, const settings_entry *entry, char *to, size_t capacity);

/* Fills conf: from the table's defaults, then from `defaults` (the section of a filters.d file, or NULL), then from
 * `section` (or NULL). Unknown keys, bad units, values out of range and missing mandatory keys are errors that name
 * file, line, key and the nearest valid name. *storage owns strings and lists. Keys in `ignore` (NULL-terminated;
 * e.g. "filter") are skipped. */
tcf_status settings_parse(const tcf_params *table, void *conf, const settings_section *defaults,
                          const settings_section *section, const char *const *ignore, string_store **storage);
void store_free(string_store *storage);

/* Does the same for several tables that share one section, such as a filter's own and report_params. A key is
 * unknown when no table has it. */
typedef struct settings_table {
    const tcf_params *params; /* NULL: none */
    void *conf;
} settings_table;
tcf_status settings_parse_tables(const settings_table *tables, size_t n_tables, const settings_section *defaults,
                                 const settings_section *section, const char *const *ignore, string_store **storage);

#define SURVEY_BREAK "|"

/* Returns the text that settings_parse() reads for a parameter, or "". *origin becomes `command line`, `settings`
 * (the INI), `filters.d`, or `default`. */
const char *settings_text(const tcf_param *row, const settings_section *defaults, const settings_section *section,
                          const char **origin);

/* Replaces ${NAME} and $$ in all values (settings_environment.c). */
tcf_status settings_expand(settings *s);

/* Reads the section [pipeline] into conf. Refuses other sections which neither the chain nor a survey names. */
struct pipeline_conf;
tcf_status settings_pipeline(settings *s, struct pipeline_conf *conf, string_store **storage);

/* Reads filters.d/FILTER.ini; its only section has the filter's name. *s becomes NULL where there is no such file,
 * which is no error. */
tcf_status settings_defaults(const char *filter, settings **s);

/* Checks a filter's parameter table: keys (none of `reserved`, which ends with NULL), types, members inside of
 * conf_size bytes, defaults and limits that can be read. */
tcf_status params_check(const tcf_params *table, size_t conf_size, const char *const *reserved);
const char *param_type_name(tcf_param_type type); /* for people: "whole number" */
const char *param_type_word(tcf_param_type type); /* for programs: "int" */

/* Calls each(data, section, key, path) for the paths of the table of this type (TCF_INPUT_PATH, TCF_OUTPUT_PATH), up to
 * its first failure. */
tcf_status params_each_path(const tcf_params *table, tcf_param_type type, const void *conf, const char *section,
                            tcf_status (*each)(void *data, const char *section, const char *key, const char *path),
                            void *data);

/* Reads one value, as the INI has it, into the member at `to`. Messages call it `what`. */
tcf_status settings_value(const tcf_param *row, const char *value, const char *what, void *to, string_store **storage);

enum { SANDBOX_AUTO, SANDBOX_OFF, SANDBOX_ON };
typedef enum text_form { TEXT_AUTO, TEXT_BRIEF, TEXT_EXACT } text_form;

/* The [pipeline] section. */
typedef struct pipeline_conf {
    const char *input;       /* anchor file, a stream, or a file of another format */
    const char *token;       /* file with the token of TCP streams; "": TCFLOW_TOKEN has it */
    const char *source;      /* the instance that reads a file of another format; "auto" */
    tcf_list chain;          /* instances */
    tcf_list survey;         /* instances of the surveys' chains, with SURVEY_BREAK between surveys */
    tcf_list reports;        /* instances whose reports are wanted; none: all */
    int text;                /* on standard output: a text_form */
    int64_t rows;            /* of a table, in text on standard output; 0: all; -1: 10 where it is brief, else 50 */
    const char *database;    /* SQLite file for the tables of all reports; "": none */
    const char *html_report; /* HTML page of all reports; "": none */
    int overwrite;           /* an existing database or HTML page may be replaced */
    int64_t threads;         /* domains at most; 0: chosen */
    uint64_t memory;         /* bytes; 0: chosen */
    int64_t slice;           /* events a slice, 0: adaptive */
    int64_t lookahead;       /* events, default 4096 */
    const char *plugin_path;
    int salvage;
    int reader;            /* of event files: auto, direct, libotf2 */
    int sandbox;           /* is the process restricted: SANDBOX_* */
    int verify;            /* compare columns before and after each filter with the writes that it declares */
    int64_t max_messages;  /* cap of messages in flight, default 1048576 */
    int64_t max_channels;  /* cap of channels known at a time */
    int64_t max_callpaths; /* cap of call-tree nodes */
    tcf_duration flush;    /* live output (stream_write) is sent on at least that often */
    tcf_duration quantum;  /* how far apart in time locations may be; 0: automatic */
} pipeline_conf;
extern const tcf_params pipeline_params;

/* The parameters `output`, `format` and `overwrite` that every filter with TCF_CAN_REPORT has besides its own. */
typedef enum report_format { REPORT_TEXT, REPORT_CSV, REPORT_JSON } report_format;
typedef struct report_conf {
    const char *output; /* file, "-": stdout */
    int format;         /* report_format */
    int overwrite;      /* may replace an existing file */
} report_conf;
extern const tcf_params report_params;

#endif
