/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parameters of the framework: those of the section [pipeline] and of each report. Every other section must be one
 * of an instance that the chain or a survey names. */
#include "framework/base/error.h"
#include "settings.h"

#include <string.h>

enum { WHERE_BYTES = 4096 };

#define ROW(key_, type_, default_, min_, max_, unit_, help_)                                                           \
    {                                                                                                                  \
        .key = #key_, .type = type_, .offset = offsetof(pipeline_conf, key_), .default_value = default_, .min = min_,  \
        .max = max_, .unit = unit_, .help = help_                                                                      \
    }
static const tcf_param params[] = {
    ROW(input, TCF_INPUT_PATH, NULL, NULL, NULL, NULL,
        "OTF2 anchor file to read (also: -i FILE); or a stream of stream_write: - (standard input), stream:PATH, or "
        "unix:PATH "
        "and tcp:[HOST:]PORT, where its writer is waited for (without HOST on this machine only). Several, parted by "
        "blanks, are "
        "read as one: they must be of different locations of one run"),
    ROW(chain, TCF_LIST, NULL, "1", NULL, NULL, "Filter instances that every event passes, in this order"),
    ROW(survey, TCF_LIST, "", NULL, NULL, NULL,
        "Filter instances that run first over the same input; what they learn is handed to the chain. A " SURVEY_BREAK
        " between them: several surveys, one after another"),
    ROW(reports, TCF_LIST, "", NULL, NULL, NULL,
        "Filter instances whose reports are wanted; others report only when their output is given. Empty: all"),
    ROW(rows, TCF_INT, "50", "0", NULL, "rows",
        "How many rows of a table text on standard output shows: those with the largest amounts. 0: all. Files "
        "(output), "
        "CSV and JSON have all of them anyway"),
    ROW(database, TCF_OUTPUT_PATH, "", NULL, NULL, NULL,
        "SQLite file for the tables of all reports, besides what each one's output gets. Empty: none"),
    ROW(html_report, TCF_OUTPUT_PATH, "", NULL, NULL, NULL,
        "HTML page that shows the tables of all reports, with charts, in one file. Empty: none"),
    ROW(overwrite, TCF_BOOL, "no", NULL, NULL, NULL, "May an existing database or html_report be replaced?"),
    ROW(memory, TCF_SIZE, "64MiB", "64KiB", NULL, NULL, "Memory for events in flight, beyond libotf2's own buffers"),
    ROW(slice, TCF_INT, "0", "0", "1048576", "events", "Events of a slice; 0: chosen from memory and locations"),
    ROW(lookahead, TCF_INT, "4096", "0", "1048576", "events",
        "How far a location is read ahead to learn what a request or collective begin belongs to"),
    ROW(plugin_path, TCF_STRING, "", NULL, NULL, NULL,
        "Folders with plugins, separated by ':'; looked into after --plugin-path and TCFLOW_PLUGIN_PATH"),
    ROW(salvage, TCF_BOOL, "no", NULL, NULL, NULL,
        "A damaged location ends at its last good event instead of stopping the run"),
    ROW(verify, TCF_BOOL, "no", NULL, NULL, NULL,
        "Compare times, kinds, records and attributes before and after each filter with what it declares to change: of "
        "whole "
        "slices, in a causal segment of each span, and the rest of the slice at its end; not of filters that drop "
        "events (slow)"),
    ROW(max_messages, TCF_INT, "1048576", "1", "1073741824", "messages", "Cap of messages in flight"),
    ROW(max_channels, TCF_INT, "1048576", "1", "1073741824", "channels", "Cap of channels known at a time"),
    ROW(max_callpaths, TCF_INT, "1048576", "2", "1073741824", "nodes", "Cap of the nodes of the call tree"),
    ROW(flush, TCF_DURATION, "100ms", "0", NULL, NULL,
        "At the latest after this time stream_write hands on what has passed (a time of the clock on the wall)"),
    ROW(quantum, TCF_DURATION, "0", "0", NULL, NULL, "Locations stay this close together in time; 0: automatic"),
};
#undef ROW
const tcf_params pipeline_params = TCF_ROWS(params);

#define ROW(key_, type_, default_, choices_, help_)                                                                    \
    {                                                                                                                  \
        .key = #key_, .type = type_, .offset = offsetof(report_conf, key_), .default_value = default_,                 \
        .choices = choices_, .help = help_                                                                             \
    }
static const tcf_param of_reports[] = {
    ROW(output, TCF_OUTPUT_PATH, "-", NULL, "File for the results; -: standard output"),
    ROW(format, TCF_ENUM, "text", "text|csv|json", "Form of the results"),
    ROW(overwrite, TCF_BOOL, "no", NULL, "May an existing output be replaced?"),
};
#undef ROW
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
        return error_usage("%s: neither chain nor survey names an instance `%s`; did you mean `%s`?", where, name,
                           near);
    return error_usage("%s: neither chain nor survey names an instance `%s`", where, name);
}

/* Refuses a section that neither the chain nor a survey names: nothing would use its parameters. */
static tcf_status check_sections(const settings *s, const pipeline_conf *conf)
{
    for (size_t i = 0; i < s->n_sections; i++) {
        const settings_section *section = &s->sections[i];
        char where[WHERE_BYTES];

        if (strcmp(section->name, "pipeline") == 0 || names_instance(conf, section->name))
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
static tcf_status check_instances(const tcf_list *list, const char *key, const char *between)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(list->item[i], between) != 0 &&
            (!valid_name(list->item[i], 0) || strcmp(list->item[i], "pipeline") == 0))
            return error_usage("pipeline.%s: '%s' cannot be the name of an instance: expected letters, digits, _ and -",
                               key, list->item[i]);
    return TCF_OK;
}

tcf_status settings_pipeline(settings *s, pipeline_conf *conf, string_store **storage)
{
    settings_section *section = settings_find(s, "pipeline");

    memset(conf, 0, sizeof *conf);
    if (!section)
        return error_usage("%s: there is no section [pipeline]; it names the input and the chain", s->file);
    if (settings_parse(&pipeline_params, conf, NULL, section, NULL, storage) != TCF_OK ||
        check_instances(&conf->chain, "chain", "") != TCF_OK ||
        check_instances(&conf->survey, "survey", SURVEY_BREAK) != TCF_OK || check_reports(section, conf) != TCF_OK)
        return TCF_ERROR;
    return check_sections(s, conf);
}
