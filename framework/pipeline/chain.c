/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The chain of a pipeline, before anything has been read: sections of the INI to instances of filters, what they need
 * of the framework, and the named columns that go from one to the other. */
#include "domains.h"
#include "framework/results/sinks.h"
#include "framework/source/open.h"
#include "stages.h"
#include <tcflow/clocks.h>

#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------- instances -- */

static tcf_status parse_section(instance *f)
{
    static const char *const ignore[] = {"filter", NULL};
    settings *defaults = NULL;
    if (settings_defaults(f->filter->name, &defaults) != TCF_OK)
        return TCF_ERROR;
    settings_table tables[2] = {{&f->filter->params, f->conf}, {&report_params, &f->report_conf}};
    size_t n = f->filter->can & TCF_CAN_REPORT ? 2 : 1;
    tcf_status status = settings_parse_tables(tables, n, defaults ? settings_find(defaults, f->filter->name) : NULL,
                                              f->section, ignore, &f->storage);
    settings_free(defaults);
    if (status != TCF_OK && !f->section)
        return error_while("making '%s', which has no section [%s]", f->self.name, f->self.name);
    return status;
}

/* `reports` of [pipeline] names the instances that report; an instance with an output of its own reports anyway. */
static uint8_t wants_report(const instance *f, const char *name)
{
    const tcf_list *reports = &f->pipeline->session->conf.reports;
    for (uint32_t i = 0; i < reports->n; i++)
        if (strcmp(reports->item[i], name) == 0)
            return 1;
    return reports->n == 0 || settings_entry_of(f->section, "output");
}

static tcf_status check_output(const instance *f)
{
    if (sinks_check_output(&f->pipeline->session->conf, f->report_conf.output) != TCF_OK)
        return TCF_ERROR;
    return report_check(&f->report_conf);
}

/* Adds to the cause where in the settings the chain, or the instance's filter, is named. */
static tcf_status refused(const pipeline *p, const char *name)
{
    char where[4096];
    const settings_section *section = name ? settings_find(p->session->settings, name) : NULL;
    const settings_entry *entry = settings_entry_of(section, "filter");

    if (!entry) {
        section = settings_find(p->session->settings, "pipeline");
        entry = settings_entry_of(section, pipeline_is_survey(p) ? "survey" : "chain");
    }
    return entry ? error_while("making the chain (%s)", settings_where(section, entry, where, sizeof where))
                 : TCF_ERROR;
}

static tcf_status make_instance(pipeline *p, instance *f, const char *name)
{
    f->pipeline = p;
    f->section = settings_find(p->session->settings, name);
    f->filter = session_filter(p->session, name);
    if (!f->filter) {
        error_as_usage();
        return refused(p, name);
    }
    f->conf = calloc(1, f->filter->conf_size + 1);
    void *state = calloc(1, f->filter->state_size + 1);
    f->self = (tcf_self){.host = p->session->host,
                         .name = name,
                         .conf = f->conf,
                         .state = state,
                         .location_size = f->filter->location_size,
                         .framework = f,
                         .needs = f->filter->needs,
                         .can = f->filter->can,
                         .writes = f->filter->writes,
                         .required = f->filter->required};
    if (!f->conf || !state)
        return error_fail("out of memory for the filter '%s'", name);
    if (parse_section(f) != TCF_OK)
        return TCF_ERROR;
    f->reports = wants_report(f, name);
    if (f->filter->can & TCF_CAN_REPORT && f->reports && check_output(f) != TCF_OK)
        return error_while("preparing the report of '%s'", name);
    f->begun = 1;
    if (f->filter->init && f->filter->init(&f->self) != TCF_OK) {
        error_as_usage();
        if (f->section && f->section->line)
            return error_while("checking the parameters of '%s' (%s:%u)", name, f->section->file, f->section->line);
        return error_while("checking the parameters of '%s'", name);
    }
    return TCF_OK;
}

static tcf_status make_instances(pipeline *p)
{
    const tcf_list *chain = &p->chain;
    if (chain->n == 0)
        return error_usage("[pipeline] chain is empty: name at least one filter, e.g. chain = check");
    p->instances = calloc(chain->n, sizeof *p->instances);
    if (!p->instances)
        return error_fail("out of memory for the chain");
    for (uint32_t i = 0; i < chain->n; i++) {
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(chain->item[i], chain->item[k]) == 0) {
                error_usage("[pipeline] chain names '%s' twice: give the second one another name, and a section [NAME] "
                            "with filter = %s",
                            chain->item[i], session_filter(p->session, chain->item[i])->name);
                return refused(p, NULL);
            }
        p->n_instances = i + 1;
        if (make_instance(p, &p->instances[i], chain->item[i]) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------ needs, columns -- */

/* All filters must have the same sends wait; those which take any take what another one says. */
static tcf_status collect_posts(pipeline *p)
{
    for (uint32_t i = 0; i < p->n_instances; i++) {
        const instance *f = &p->instances[i];
        if (!(f->self.needs & TCF_NEED_POSTS))
            continue;
        if (p->posts && f->self.rendezvous == TCF_RENDEZVOUS_ANY)
            continue;
        if (p->posts && p->posts->self.rendezvous != TCF_RENDEZVOUS_ANY &&
            p->posts->self.rendezvous != f->self.rendezvous)
            return error_usage("[%s] and [%s] differ in which sends wait for their receives (rendezvous)",
                               p->posts->self.name, f->self.name);
        p->posts = f;
    }
    return TCF_OK;
}

static void collect_needs(pipeline *p)
{
    p->edges_only = 1;
    for (uint32_t i = 0; i < p->n_instances; i++) {
        const tcf_need needs = p->instances[i].self.needs;
        const tcf_can can = p->instances[i].self.can;
        p->edges_only &= (can & TCF_CAN_SKIP_NON_EDGES) != 0;
        p->edges |= p->instances[i].filter->span || needs & TCF_NEED_EDGES || can & TCF_CAN_ANSWER;
        p->waits_for_time |= needs & TCF_NEED_TOGETHER || can & TCF_CAN_LIVE;
        p->live |= (can & TCF_CAN_LIVE) != 0;
        p->by_process |= (needs & TCF_NEED_PROCESS_TOGETHER) != 0;
        p->needs_callpath |= (needs & TCF_NEED_CALLPATH) != 0;
        p->source_at_leave |= (needs & TCF_NEED_SOURCE_AT_LEAVE) != 0;
        p->program |= (needs & TCF_NEED_PROGRAM) != 0;
    }
    p->together = p->waits_for_time || p->edges || source_names_stream(p->session->conf.input);
    p->layout.edges = p->edges;
    p->layout.callpath = p->needs_callpath;
}

static tcf_status add_columns(pipeline *p, const tcf_columns *provides)
{
    for (uint32_t i = 0; i < provides->n; i++) {
        const tcf_named_column *c = &provides->at[i];
        int known = pipeline_column(p, c->name);
        if (known >= 0) {
            p->layout.column[known].void_since = NULL;
            continue;
        }
        if (p->layout.n_columns == SLICE_MAX_COLUMNS)
            return error_usage("the chain provides more than %d named columns", SLICE_MAX_COLUMNS);
        uint32_t n = p->layout.n_columns++;
        p->layout.column[n].name = c->name;
        p->layout.column[n].bytes = c->bytes;
        p->layout.column[n].at_edges = c->at_edges;
        p->layout.column[n].of_times = c->of_times;
    }
    return TCF_OK;
}

/* Adds a column that the framework itself provides. */
static tcf_status add_own_column(pipeline *p, const tcf_named_column *wanted)
{
    static const tcf_named_column raw[] = {{.name = TCF_TIME_RAW, .bytes = sizeof(uint64_t)}};
    if (strcmp(wanted->name, TCF_TIME_RAW) != 0 || p->time_raw >= 0)
        return TCF_OK;
    p->time_raw = (int)p->layout.n_columns;
    return add_columns(p, &(tcf_columns)TCF_ROWS(raw));
}

/* The name of a filter that provides a column, for the message, of those that were opened; NULL: none does. */
static const char *who_provides(const pipeline *p, const char *column)
{
    size_t n;
    const plugin *plugins = loader_plugins(p->session->loader, &n);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; plugins[i].filter && k < plugins[i].filter->provides.n; k++)
            if (strcmp(plugins[i].filter->provides.at[k].name, column) == 0)
                return plugins[i].name;
    return NULL;
}

static tcf_status check_required(pipeline *p, const instance *f, const tcf_named_column *wanted)
{
    if (add_own_column(p, wanted) != TCF_OK)
        return TCF_ERROR;
    int known = pipeline_column(p, wanted->name);
    if (known < 0 && source_names_stream(p->session->conf.input)) {
        if (add_columns(p, &(tcf_columns){wanted, 1}) != TCF_OK)
            return TCF_ERROR;
        p->from_source[p->layout.n_columns - 1] = 1; /* find_source_columns() checks that the source has it */
        return TCF_OK;
    }
    if (known < 0 && loader_open_but_ini(p->session->loader) != TCF_OK)
        return TCF_ERROR;
    const char *who = who_provides(p, wanted->name);
    if (known < 0)
        return error_usage("filter '%s' requires the column '%s', which nothing in front of it provides%s%s%s",
                           f->self.name, wanted->name, who ? "; put '" : "", who ? who : "", who ? "' before it" : "");
    const char *since = p->layout.column[known].void_since;
    if (since)
        return error_usage(
            "filter '%s' requires the column '%s', which says how '%s' has moved events; '%s' between them moves "
            "events, too: put it elsewhere",
            f->self.name, wanted->name, who ? who : "another filter", since);
    return TCF_OK;
}

static tcf_status check_columns(pipeline *p)
{
    for (uint32_t i = 0; i < p->n_instances; i++) {
        const instance *f = &p->instances[i];
        for (uint32_t k = 0; k < f->self.required.n; k++)
            if (check_required(p, f, &f->self.required.at[k]) != TCF_OK)
                return refused(p, NULL);
        for (uint32_t c = 0; c < p->layout.n_columns && f->self.writes & TCF_WRITES_TIME; c++)
            if (p->layout.column[c].of_times)
                p->layout.column[c].void_since = f->self.name;
        if (add_columns(p, &f->filter->provides) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static tcf_status fail_no_column(const pipeline *p, const char *name, int at_edges)
{
    if (at_edges && source_names_several(p->session->conf.input))
        return error_usage("the chain requires the column '%s', which belongs to edges, and edges are found anew where "
                           "several inputs are read as one: put the filter that provides it behind the merge, where "
                           "it sees the edges between inputs, too",
                           name);
    return error_usage("the chain requires the column '%s', which nothing in it provides, nor does the stream: give "
                       "columns = %s to the stream_write that writes it",
                       name, name);
}

/* Columns that a stream is to bring. The time as read is that of the slice where nobody has changed it. */
static tcf_status find_source_columns(pipeline *p)
{
    for (uint32_t c = 0; c < p->layout.n_columns; c++) {
        int raw = (int)c == p->time_raw;
        if (!raw && !p->from_source[c])
            continue;
        if (source_column(p->session->source, p->layout.column[c].name, p->layout.column[c].bytes,
                          p->layout.column[c].at_edges, c))
            p->time_raw = raw ? -1 : p->time_raw;
        else if (!raw || p->changed_before & TCF_WRITES_TIME)
            return fail_no_column(p, p->layout.column[c].name, p->layout.column[c].at_edges);
    }
    return TCF_OK;
}

tcf_status pipeline_take_facts(pipeline *p)
{
    const source_facts *facts = source_facts_of(p->session->source);
    p->changed_before = facts->changed;
    for (uint32_t i = 0; i < facts->n_learned; i++) {
        const tcf_learned_table *t = &facts->learned[i];
        if (learned_put(p->session->learned, t->name, t->row_bytes, t->rows, t->n) != TCF_OK)
            return TCF_ERROR;
    }
    return find_source_columns(p);
}

static int changes_events(const instance *f)
{
    return (f->self.writes & (TCF_WRITES_TIME | TCF_WRITES_KIND | TCF_WRITES_REC | TCF_WRITES_ATTR)) != 0 ||
           (f->self.can & (TCF_CAN_DROP | TCF_CAN_INSERT)) != 0;
}

/* What the last filters do to events nobody sees. Where they report, and there is nobody else, their reports are what
 * is wanted. */
static void warn_of_unseen(const pipeline *p)
{
    uint32_t first = p->n_instances, reporting = 1;
    while (first > 0 && changes_events(&p->instances[first - 1])) {
        first--;
        reporting &= (p->instances[first].self.can & TCF_CAN_REPORT) && p->instances[first].reports;
    }
    if (first == p->n_instances || (first == 0 && reporting))
        return;
    error_log(
        TCF_LOG_WARNING,
        "[pipeline] %s: nobody sees what '%s' does to events, for nothing behind it writes, hands on or looks at them: "
        "move it to the front, or put what is to see it behind it, e.g. otf2_write",
        pipeline_is_survey(p) ? "survey" : "chain", p->instances[first].self.name);
}

tcf_status pipeline_make_chain(pipeline *p)
{
    p->time_raw = -1;
    if (make_instances(p) != TCF_OK)
        return TCF_ERROR;
    collect_needs(p);
    if (collect_posts(p) != TCF_OK)
        return TCF_ERROR;
    if (check_columns(p) != TCF_OK)
        return TCF_ERROR;
    if (!domain_is_further(p))
        warn_of_unseen(p);
    return TCF_OK;
}
