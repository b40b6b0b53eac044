/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* One run of a chain with the plugin behind its guard, and the comparison of two. */
#define _GNU_SOURCE /* asprintf() */
#include "torture.h"

#include "kit/harness/internal.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------------------------- the plugin -- */

static const void *code_of(const tcf_filter *f)
{
    return f->slice ? (const void *)f->slice : (const void *)f->span;
}

/* The loader looks into folders: one with a link to the file and nothing else. */
tcf_status torture_load(torture *t)
{
    char *link = NULL, *real = realpath(t->file, NULL);
    size_t n = 0;
    if (!real || asprintf(&link, "%s/plugin.so", t->scratch) < 0) {
        snprintf(t->board->refused, sizeof t->board->refused, "%s", real ? "out of memory" : "there is no such file");
        free(real);
        return TCF_ERROR;
    }
    const plugin *p = NULL;
    if (symlink(real, link) == 0 && (t->loader = loader_new_for(t->scratch, NULL, &loader_abi_current)))
        p = loader_plugins(t->loader, &n);
    unlink(link);
    free(link);
    free(real);
    if (n == 0 || (!p->filter && !p->source)) {
        snprintf(t->board->refused, sizeof t->board->refused, "%s", n == 0 ? error_text() : p->reason);
        return TCF_ERROR;
    }
    t->plugin = p->filter;
    t->reader = p->source;
    t->board->is_reader = p->source != NULL;
    snprintf(t->board->name, sizeof t->board->name, "%s", p->name);
    snprintf(t->board->version, sizeof t->board->version, "%s", p->filter ? p->filter->version : p->source->version);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- the INI -- */

static const settings_section *own_section(const torture *t)
{
    return settings_find(t->settings, t->plugin->name);
}

static int is_given(const torture *t, const char *key)
{
    return settings_entry_of(own_section(t), key) != NULL;
}

/* The words of a chain; the plugin's own becomes its instances. */
static void put_chain(FILE *out, const torture *t, const run_options *o, const char *key, const char *words)
{
    const char *name = t->plugin->name;
    int main_chain = strcmp(key, "chain") == 0;
    fprintf(out, "%s =%s", key,
            o->together && main_chain && !strstr(words, "torture_together") ? " torture_together" : "");
    for (const char *p = words + strspn(words, " ,"); *p; p += strspn(p, " ,")) {
        size_t n = strcspn(p, " ,");
        fprintf(out, " %.*s", (int)n, p);
        if (n == strlen(name) && strncmp(p, name, n) == 0)
            fprintf(out, "%s%s%s%s", o->twins ? " " : "", o->twins ? name : "", o->twins ? "_2" : "",
                    o->hold && main_chain ? " torture_hold" : "");
        p += n;
    }
    fputs("\n", out);
}

/* Files in the scratch folder are others for the second instance. */
static void put_values(FILE *out, const settings_section *section, const char *suffix)
{
    static const char scratch[] = "${SCRATCH}/";
    for (size_t i = 0; section && i < section->n_entries; i++) {
        const settings_entry *e = &section->entries[i];
        const char *at = *suffix ? strstr(e->value, scratch) : NULL;
        size_t n = at ? (size_t)(at - e->value) + sizeof scratch - 1 : 0;
        fprintf(out, "%s = %.*s%s%s\n", e->key, (int)n, e->value, at ? suffix : "", e->value + n);
    }
}

static void put_section(FILE *out, const torture *t, const run_options *o, const char *suffix)
{
    const char *name = t->plugin->name;
    fprintf(out, "[%s%s]\n%s%s%s", name, suffix, *suffix ? "filter = " : "", *suffix ? name : "", *suffix ? "\n" : "");
    put_values(out, own_section(t), suffix);
    if (t->plugin->can & TCF_CAN_REPORT) {
        if (!is_given(t, "output"))
            fprintf(out, "output = ${SCRATCH}/%s%s.csv\n", name, suffix);
        if (!is_given(t, "format"))
            fputs("format = csv\n", out);
    }
    const tcf_params *params = &t->plugin->params;
    for (const tcf_param *p = params->at; p && p < params->at + params->n; p++)
        if (p->type == TCF_OUTPUT_PATH && (!p->default_value || strcmp(p->default_value, "-") == 0) &&
            !is_given(t, p->key))
            fprintf(out, "%s = ${SCRATCH}/%s%s%s.%s\n", p->key, o->bad_paths ? "no/such/folder/" : "", name, suffix,
                    p->key);
}

/* The filters that provide the columns which the plugin requires, for the chain in front of it. */
static char *providers(const torture *t)
{
    char *text = NULL;
    size_t size = 0, n = 0;
    FILE *out = open_memstream(&text, &size);
    loader *l = loader_new(t->plugin_path, NULL, NULL);
    const plugin *p = l && loader_open_all(l) == TCF_OK ? loader_plugins(l, &n) : NULL;
    for (uint32_t c = 0; out && c < t->plugin->required.n; c++)
        for (size_t i = 0, found = 0; i < n && !found; i++)
            for (uint32_t k = 0; p[i].filter && k < p[i].filter->provides.n && !found; k++)
                if ((found = strcmp(p[i].filter->provides.at[k].name, t->plugin->required.at[c].name) == 0))
                    fprintf(out, "%s ", p[i].filter->name);
    if (out)
        fclose(out);
    loader_delete(l);
    return text;
}

static char *ini_of(torture *t, const run_options *o)
{
    char *text = NULL, *front = NULL, *chain = NULL;
    const char *survey = t->survey;
    const settings_section *pipeline = settings_find(t->settings, "pipeline");
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!t->chain && t->plugin->required.n > 0)
        front = providers(t);
    if (t->chain) {
        chain = strdup(t->chain);
    } else if (t->plugin->can & TCF_CAN_SURVEY) {
        survey = t->plugin->name;
        chain = strdup("torture_together");
    } else if (asprintf(&chain, "%s%s", front ? front : "", t->plugin->name) < 0) {
        abort();
    }
    snprintf(t->board->chain, sizeof t->board->chain, "%s%s%s", survey ? survey : "", survey ? ", then " : "", chain);
    fputs("[pipeline]\n", out);
    put_chain(out, t, o, "chain", chain);
    if (survey)
        put_chain(out, t, o, "survey", survey);
    fprintf(out, "slice = %lld\nlookahead = 512\nmemory = %s\nthreads = %u\n", (long long)o->slice,
            o->memory ? o->memory : "64MiB", o->threads > 1 ? o->threads : 1);
    for (size_t i = 0; pipeline && i < pipeline->n_entries; i++) /* of an INI, chain and survey alone count */
        if (pipeline->entries[i].line == 0)
            fprintf(out, "%s = %s\n", pipeline->entries[i].key, pipeline->entries[i].value);
    put_section(out, t, o, "");
    if (o->twins)
        put_section(out, t, o, "_2");
    for (size_t i = 0; i < t->settings->n_sections; i++)
        if (&t->settings->sections[i] != own_section(t) && &t->settings->sections[i] != pipeline) {
            fprintf(out, "[%s]\n", t->settings->sections[i].name);
            put_values(out, &t->settings->sections[i], "");
        }
    fclose(out);
    free(front);
    free(chain);
    return text;
}

/* --------------------------------------------------------------------------------------------------------- a run -- */

static uint64_t draw_event(const tcfh *h, uint64_t seed, uint32_t *location)
{
    for (uint32_t k = 0; k < harness_locations(h); k++) {
        *location = (uint32_t)((seed + k) % harness_locations(h));
        if (h->lanes[*location].n > 0)
            return (seed * 7919) % h->lanes[*location].n;
    }
    return UINT64_MAX;
}

static void look_at_memory(torture *t, const run *r, unsigned files)
{
    if (r->memory.leaks > 0)
        report_finding(
            t->board, RULE_LEAK, CALL_FINI, NO_EVENT, NO_EVENT,
            "%llu allocations, %llu bytes in all, are never freed%s; one of them is made at 0x%llx of the file",
            (unsigned long long)r->memory.leaks, (unsigned long long)r->memory.leaked_bytes,
            r->g->injected || r->status != TCF_OK ? " after a run that has failed" : "",
            (unsigned long long)r->memory.leak_at);
    unsigned now = open_files();
    if (files > 0 && now > files)
        report_finding(t->board, RULE_LEAK, CALL_FINI, NO_EVENT, NO_EVENT, "%u files are still open", now - files);
}

static void note_stop(void *board_data, const char *message)
{
    board *b = board_data;
    snprintf(b->stopped, sizeof b->stopped, "%s", message);
}

run run_chain(torture *t, const run_options *o)
{
    run r = {.h = tcfh_new(), .g = guard_new(t->plugin, t->board, &o->plan)};
    uint32_t location = 0;
    tcfh_on_failure(r.h, note_stop, t->board);
    if (t->plugin_path)
        tcfh_plugin_path(r.h, t->plugin_path);
    tcfh_filter(r.h, o->threads > 1 ? t->plugin : &r.g->filter);
    tcfh_filter(r.h, &together_filter);
    tcfh_filter(r.h, &hold_filter);
    program_draw(r.h, o->seed, o->program);
    tcfh_cut(r.h, o->cut);
    if (o->fail_reading) {
        uint64_t event = draw_event(r.h, o->fail_reading, &location);
        tcfh_fail_reading(r.h, location, event);
    }
    r.h->checking = o->check;
    char *ini = ini_of(t, o);
    unsigned files = open_files();
    const int watched = o->threads <= 1;
    variables *v = watched && memory_watched() ? variables_copy(code_of(t->plugin)) : NULL;
    if (watched)
        memory_start(code_of(t->plugin), o->plan.fail_allocation_at);
    r.status = tcfh_try(r.h, "%s", ini);
    if (watched)
        r.memory = memory_stop();
    if (o->plan.no_files)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    t->board->callback = CALL_NONE;
    t->board->runs++;
    for (size_t i = 0; i < r.h->n_notes; i++)
        printf("note: %s %llu\n", r.h->notes[i].key, (unsigned long long)r.h->notes[i].count);
    if (r.status != TCF_OK)
        printf("failed: %s\n", tcfh_error(r.h));
    fflush(stdout);
    look_at_memory(t, &r, files);
    uint64_t at;
    if (variables_changed(v, &at))
        report_finding(t->board, RULE_GLOBAL, CALL_NONE, NO_EVENT, NO_EVENT,
                       "a variable of the file has changed during a run (at 0x%llx of the file)",
                       (unsigned long long)at);
    variables_free(v);
    free(ini);
    return r;
}

void run_delete(run *r)
{
    tcfh_delete(r->h);
    guard_delete(r->g);
    *r = (run){0};
}

/* ----------------------------------------------------------------------------------------------------- comparing -- */

/* Compares field by field; a METRIC's values are the only array in drawn programs. */
static int same_record(const tcfh_out *a, const tcfh_out *b)
{
    int same = 1;
    switch (a->kind) {
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_##NAME:                                                                                                   \
        FIELDS                                                                                                         \
        break;
#define F(record, ctype, role, field) same &= a->rec.record.field == b->rec.record.field;
        TCF_EVENT_TABLE(E, F, TCF_NOTHING, TCF_NOTHING)
#undef E
#undef F
    default:
        break;
    }
    return same && (a->kind != TCF_METRIC ||
                    memcmp(a->arena + a->rec.metric.metric_values, b->arena + b->rec.metric.metric_values,
                           8u * a->rec.metric.number_of_metrics) == 0);
}

static int compare_events(torture *t, const run *a, const run *b, enum rule rule, const char *what)
{
    const tcf_definitions *defs = tcfh_definitions(a->h);
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        size_t n, m;
        const tcfh_out *x = tcfh_output(a->h, l, &n), *y = tcfh_output(b->h, l, &m);
        for (size_t i = 0; i < n && i < m; i++) {
            const char *field = x[i].time != y[i].time                                       ? "time"
                                : x[i].kind != y[i].kind                                     ? "kind"
                                : !same_record(&x[i], &y[i])                                 ? "record"
                                : !harness_same_attributes(x[i].attributes, y[i].attributes) ? "attributes"
                                                                                             : NULL;
            if (!field)
                continue;
            report_finding(t->board, rule, CALL_NONE, defs->locations[l].id, i,
                           "the %s of an event is another one %s (time %llu, %llu)", field, what,
                           (unsigned long long)x[i].time, (unsigned long long)y[i].time);
            return 0;
        }
        if (n != m) {
            report_finding(t->board, rule, CALL_NONE, defs->locations[l].id, NO_EVENT,
                           "%zu events instead of %zu come out %s", m, n, what);
            return 0;
        }
    }
    return 1;
}

void run_compare(torture *t, const run *a, const run *b, enum compared which, enum rule rule, const char *what)
{
    char name[80], other[80];
    if (a->status != TCF_OK || b->status != TCF_OK) {
        if (a->status != b->status)
            report_finding(t->board, rule, b->g->failed_in, NO_EVENT, NO_EVENT, "the run fails %s: %s", what,
                           tcfh_error(b->status != TCF_OK ? b->h : a->h));
        return;
    }
    if (which == COMPARE_ALL && !compare_events(t, a, b, rule, what))
        return;
    if (!(t->plugin->can & TCF_CAN_REPORT))
        return;
    snprintf(name, sizeof name, "%s.csv", t->plugin->name);
    snprintf(other, sizeof other, "%s%s.csv", t->plugin->name, which == COMPARE_SECOND ? "_2" : "");
    const char *x = tcfh_text(a->h, name), *y = tcfh_text(b->h, other);
    size_t line = 1, at = 0;
    if (!x != !y)
        report_finding(t->board, rule, CALL_END, NO_EVENT, NO_EVENT, "there is a report in one run alone, %s", what);
    if (!x || !y || strcmp(x, y) == 0)
        return;
    for (size_t i = 0; x[i] && x[i] == y[i]; i++)
        if (x[i] == '\n') {
            line++;
            at = i + 1;
        }
    report_finding(t->board, rule, CALL_END, NO_EVENT, NO_EVENT,
                   "line %zu of the report is '%.*s' instead of '%.*s' %s", line, (int)strcspn(y + at, "\r\n"), y + at,
                   (int)strcspn(x + at, "\r\n"), x + at, what);
}
