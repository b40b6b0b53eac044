/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parameters of the framework: those of the section [pipeline] and of each report. Every other section must be one
 * of an instance that the chain or a survey names. */
#include "framework/base/error.h"
#include "framework/base/names.h"
#include "settings.h"

#include <string.h>

enum { WHERE_BYTES = 4096 };

static const tcf_param params[] = {
    TCF_PARAM(
        pipeline_conf, input, TCF_INPUT_PATH, NULL,
        "OTF2 anchor file to read (also: -i FILE); or a stream of stream_write: - (standard input), stream:PATH, "
        "or unix:PATH and tcp:[HOST:]PORT, where its writer is waited for (without HOST on this machine only). "
        "Several, parted by blanks, are read as one: they must be of different locations of one run. Or a file of "
        "another format (tcflow --list-sources)"),
    TCF_PARAM(pipeline_conf, token, TCF_INPUT_PATH, "",
              "File with the token that the writer at tcp: has to have, too, at least 16 bytes that no other user may "
              "read. Empty: the environment's TCFLOW_TOKEN; without either tcp: is of this machine alone"),
    TCF_PARAM(pipeline_conf, source, TCF_STRING, "auto",
              "Reader of an input of another format, whose section has its parameters; auto: the one that knows the "
              "file's first bytes"),
    TCF_PARAM(pipeline_conf, chain, TCF_LIST, NULL, "Filter instances that every event passes, in this order",
              .min = "1"),
    TCF_PARAM(
        pipeline_conf, survey, TCF_LIST, "",
        "Filter instances that run first over the same input; what they learn is handed to the chain. A " SURVEY_BREAK
        " between them: several surveys, one after another"),
    TCF_PARAM(pipeline_conf, reports, TCF_LIST, "",
              "Filter instances whose reports are wanted; others report only when their output is given. Empty: all"),
    TCF_PARAM(
        pipeline_conf, text, TCF_ENUM, "auto",
        "Tables as text on standard output. brief: what fits the terminal, three digits, scaled units, no zeros; "
        "exact: all columns and digits, as files (output), CSV and JSON have them anyway; auto: brief on a terminal",
        .choices = "auto|brief|exact"),
    TCF_PARAM(pipeline_conf, rows, TCF_INT, "-1",
              "How many rows of a table text on standard output shows: those with the largest amounts. 0: all; -1: 10 "
              "where it is brief, else 50",
              .min = "-1", .unit = "rows"),
    TCF_PARAM(pipeline_conf, database, TCF_OUTPUT_PATH, "",
              "SQLite file for the tables of all reports, besides what each one's output gets. Empty: none"),
    TCF_PARAM(pipeline_conf, html_report, TCF_OUTPUT_PATH, "",
              "HTML page that shows the tables of all reports, with charts, in one file. Empty: none"),
    TCF_PARAM(pipeline_conf, overwrite, TCF_BOOL, "no", "May an existing database or html_report be replaced?"),
    TCF_PARAM(
        pipeline_conf, threads, TCF_INT, "0",
        "Threads at most that work on the trace, each on processes of its own (also: -j N); for chains whose "
        "filters allow it. 0: the cores that the process may use, up to 16, but one for each 32 MiB of event files "
        "at most. --check says how many work, and why not more",
        .min = "0", .max = "1024", .unit = "threads"),
    TCF_PARAM(
        pipeline_conf, memory, TCF_SIZE, "0",
        "Memory for events in flight, of which filters that hold none take little; 64KiB at least. What filters keep "
        "of locations, and results, come on top. 0: 4 MiB for each location, from 64 MiB to 256 MiB, but beyond 64 "
        "MiB no more than an eighth of the memory that the process may use"),
    TCF_PARAM(pipeline_conf, slice, TCF_INT, "0", "Events of a slice; 0: chosen from memory and locations", .min = "0",
              .max = "1048576", .unit = "events"),
    TCF_PARAM(pipeline_conf, lookahead, TCF_INT, "4096",
              "How far a location is read ahead to learn what a request or collective begin belongs to", .min = "0",
              .max = "1048576", .unit = "events"),
    TCF_PARAM(pipeline_conf, plugin_path, TCF_STRING, "",
              "Folders with plugins, separated by ':'; looked into after --plugin-path and TCFLOW_PLUGIN_PATH. Code "
              "of the plugins that the chain names runs; --ignore-plugin-path looks into none of them"),
    TCF_PARAM(pipeline_conf, salvage, TCF_BOOL, "no",
              "A damaged location ends at its last good event instead of stopping the run"),
    TCF_PARAM(
        pipeline_conf, reader, TCF_ENUM, "auto",
        "What reads the event files of an OTF2 archive. direct: tcflow itself, at a fraction of the cost, most of "
        "all with many locations; libotf2; auto: direct, but libotf2 where the archive is of a version that "
        "direct doesn't know. --check says which one it is",
        .choices = "auto|direct|libotf2"),
    TCF_PARAM(
        pipeline_conf, sandbox, TCF_ENUM, "auto",
        "Take from the process, once its plugins are loaded, all but the files that its parameters name, and programs, "
        "sockets and processes of others. auto: as far as the system can see to that (Landlock, seccomp); on: only "
        "where it can; off: not at all. --check says what is restricted",
        .choices = "auto|off|on"),
    TCF_PARAM(pipeline_conf, verify, TCF_BOOL, "no",
              "Compare times, kinds, records and attributes before and after each filter with what it declares to "
              "change: of whole slices, in a causal segment of each span, and the rest of the slice at its end; not of "
              "filters that drop events (slow)"),
    TCF_PARAM(pipeline_conf, max_messages, TCF_INT, "1048576", "Cap of messages in flight", .min = "1",
              .max = "1073741824", .unit = "messages"),
    TCF_PARAM(pipeline_conf, max_channels, TCF_INT, "1048576", "Cap of channels known at a time", .min = "1",
              .max = "1073741824", .unit = "channels"),
    TCF_PARAM(pipeline_conf, max_callpaths, TCF_INT, "1048576", "Cap of the nodes of the call tree", .min = "2",
              .max = "1073741824", .unit = "nodes"),
    TCF_PARAM(pipeline_conf, flush, TCF_DURATION, "100ms",
              "At the latest after this time stream_write hands on what has passed (a time of the clock on the wall)",
              .min = "0"),
    TCF_PARAM(pipeline_conf, quantum, TCF_DURATION, "0", "Locations stay this close together in time; 0: automatic",
              .min = "0"),
};
const tcf_params pipeline_params = TCF_ROWS(params);

static const tcf_param of_reports[] = {
    TCF_PARAM(report_conf, output, TCF_OUTPUT_PATH, "-", "File for the results; -: standard output"),
    TCF_PARAM(report_conf, format, TCF_ENUM, "text", "Form of the results", .choices = "text|csv|json"),
    TCF_PARAM(report_conf, overwrite, TCF_BOOL, "no", "May an existing output be replaced?"),
};
const tcf_params report_params = TCF_ROWS(of_reports);

static int names(const tcf_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(list->item[i], name) == 0)
            return 1;
    return 0;
}

static int names_instance(const pipeline_conf *conf, const char *name)
{
    return names(&conf->chain, name) || names(&conf->survey, name);
}

static int names_source(const pipeline_conf *conf, const char *name)
{
    return strcmp(conf->source, "auto") != 0 && strcmp(conf->source, name) == 0;
}

static tcf_status no_instance(const pipeline_conf *conf, const char *where, const char *name)
{
    enum { MOST = 256 };
    const char *known[MOST];
    size_t n = 0;

    known[n++] = "pipeline";
    for (uint32_t k = 0; k < conf->chain.n && n < MOST; k++)
        known[n++] = conf->chain.item[k];
    for (uint32_t k = 0; k < conf->survey.n && n < MOST; k++)
        known[n++] = conf->survey.item[k];
    const char *near = nearest_name(name, known, n);
    if (near)
        return error_usage("%s: neither chain nor survey names an instance '%s'; did you mean '%s'?", where, name,
                           near);
    if (strcmp(conf->source, "auto") == 0)
        return error_usage(
            "%s: neither chain nor survey names an instance '%s'; if it is a reader, add 'source = %s' to [pipeline]",
            where, name, name);
    return error_usage("%s: neither chain nor survey names an instance '%s'", where, name);
}

/* Refuses a section that neither chain, survey nor source names: nothing would use its parameters. */
static tcf_status check_sections(const settings *s, const pipeline_conf *conf)
{
    for (size_t i = 0; i < s->n_sections; i++) {
        const settings_section *section = &s->sections[i];
        char where[WHERE_BYTES];

        if (strcmp(section->name, "pipeline") == 0 || names_instance(conf, section->name) ||
            names_source(conf, section->name))
            continue;
        if (section->line)
            snprintf(where, sizeof where, "%s:%u: section [%s]", section->file, section->line, section->name);
        else
            snprintf(where, sizeof where, "%s %s.%s", section->file, section->name,
                     section->n_entries ? section->entries[0].key : "");
        return no_instance(conf, where, section->name);
    }
    return TCF_OK;
}

/* Checks that `reports` names instances only. */
static tcf_status check_reports(const settings_section *section, const pipeline_conf *conf)
{
    char where[WHERE_BYTES];

    for (uint32_t i = 0; i < conf->reports.n; i++)
        if (!names_instance(conf, conf->reports.item[i])) {
            settings_where(section, settings_entry_of(section, "reports"), where, sizeof where);
            return no_instance(conf, where, conf->reports.item[i]);
        }
    return TCF_OK;
}

/* Checks the names of instances in a list; `between` is a word that may stand between them. */
static tcf_status check_instances(const settings_section *section, const tcf_list *list, const char *key,
                                  const char *between)
{
    char where[WHERE_BYTES];

    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(list->item[i], between) != 0 &&
            (!valid_name(list->item[i], 0) || strcmp(list->item[i], "pipeline") == 0)) {
            settings_where(section, settings_entry_of(section, key), where, sizeof where);
            return error_usage("%s: '%s' cannot be the name of an instance: expected letters, digits, _ and -; "
                               "names are parted by blanks, or commas",
                               where, list->item[i]);
        }
    return TCF_OK;
}

static tcf_status check_memory(const settings_section *section, const pipeline_conf *conf)
{
    enum { LEAST = 64 << 10 };
    char where[WHERE_BYTES];

    if (conf->memory == 0 || conf->memory >= LEAST)
        return TCF_OK;
    const settings_entry *e = settings_entry_of(section, "memory");
    settings_where(section, e, where, sizeof where);
    return error_usage("%s: '%s' is out of range: expected at least 64KiB, or 0 for what the trace asks for", where,
                       e ? e->value : "");
}

/* Is a section's name mistyped, so that [pipeline] lacks what it has? */
static tcf_status check_pipeline_is_spelt(const settings *s, const settings_section *section)
{
    static const char *const known[] = {"pipeline"};

    for (size_t k = 0; k < s->n_sections && !settings_entry_of(section, "chain"); k++) {
        const settings_section *other = &s->sections[k];
        const settings_entry *e = other == section ? NULL : settings_entry_of(other, "chain");
        char where[WHERE_BYTES];
        if (e && nearest_name(other->name, known, 1))
            return error_usage("%s: there is no section '%s' for a chain; did you mean 'pipeline'?",
                               settings_where(other, e, where, sizeof where), other->name);
    }
    return TCF_OK;
}

/* Behind a value # begins no comment, and a name of its own is never one. */
static tcf_status check_comments(const settings_section *section)
{
    static const char *const lists[] = {"input", "survey", "chain", "reports"};
    char where[WHERE_BYTES];

    for (uint32_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const settings_entry *e = settings_entry_of(section, lists[i]);
        if (e && strstr(e->value, " #"))
            return error_usage(
                "%s: behind a value a comment begins with a semicolon; # begins one at the start of a line",
                settings_where(section, e, where, sizeof where));
    }
    return TCF_OK;
}

static tcf_status no_pipeline(const settings *s)
{
    static const char *const known[] = {"pipeline"};

    for (size_t i = 0; i < s->n_sections; i++)
        if (s->sections[i].line > 0 && nearest_name(s->sections[i].name, known, 1))
            return error_usage("%s:%u: there is no section [pipeline], but [%s]; did you mean 'pipeline'?",
                               s->sections[i].file, s->sections[i].line, s->sections[i].name);
    return error_usage("%s: there is no section [pipeline]; it names the input and the chain", s->file);
}

tcf_status settings_pipeline(settings *s, pipeline_conf *conf, string_store **storage)
{
    settings_section *section = settings_find(s, "pipeline");

    memset(conf, 0, sizeof *conf);
    if (!section)
        return no_pipeline(s);
    if (check_pipeline_is_spelt(s, section) != TCF_OK || check_comments(section) != TCF_OK ||
        settings_parse(&pipeline_params, conf, NULL, section, NULL, storage) != TCF_OK ||
        check_instances(section, &conf->chain, "chain", "") != TCF_OK ||
        check_instances(section, &conf->survey, "survey", SURVEY_BREAK) != TCF_OK ||
        check_reports(section, conf) != TCF_OK || check_memory(section, conf) != TCF_OK)
        return TCF_ERROR;
    return check_sections(s, conf);
}
