/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Making, running and deleting a session; see session.h. */
#include "agree.h"
#include "confine.h"
#include "domains.h"
#include "framework/base/output.h"
#include "framework/base/resources.h"
#include "framework/results/sinks.h"
#include "framework/source/open.h"
#include "processes.h"
#include "reports.h"
#include "stages.h"
#include "survey.h"

#include <errno.h>
#include <private/domain_paths.h>
#include <private/terminal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tcflow/grow.h>

/* ----------------------------------------------------------------------------------------------------------- new -- */

enum { LEFT_TO_STREAMS = 64 << 20 }; /* bytes that they may read ahead, where `memory` doesn't say how many */

/* Does a filter of the chain open a file for each location, as the reader does? */
static uint32_t opens_files(const pipeline *p)
{
    uint32_t opens = 0;
    for (uint32_t i = 0; i < p->n_instances; i++)
        opens |= p->instances[i].opens_files;
    return opens;
}

static tcf_status open_input(session *s)
{
    int together = 0, by_process = 0, is_copied = 0;

    if (s->source)
        return TCF_OK;
    if (s->peers && s->conf.input && (source_names_stream(s->conf.input) || strcmp(s->conf.input, "-") == 0))
        return error_usage("'%s' is a stream, which one process reads: that is tcflow's work, not tcflow-mpi's",
                           s->conf.input);
    if (s->conf.flush.in_ticks)
        return error_usage("[pipeline] flush is a time of the clock on the wall, not of ticks");
    if (!s->conf.input)
        return error_usage("no input: give the anchor file of an OTF2 archive with -i FILE or input = FILE in "
                           "[pipeline]");
    for (const pipeline *p = s->first; p; p = p->next) {
        together |= p->together;
        by_process |= p->by_process;
        is_copied |= opens_files(p) != 0;
    }
    char *anchors = source_anchors(s->conf.input);
    s->conf.input = anchors ? store_text(&s->storage, anchors, strlen(anchors)) : NULL;
    free(anchors);
    if (!s->conf.input)
        return error_fail("out of memory for the name of the input");
    if (format_choose(&s->format, s->loader, s->settings, &s->conf) != TCF_OK ||
        ((s->confined || s->peers) && session_confine(s) != TCF_OK))
        return TCF_ERROR;
    const source_options o = {.format = s->format.format.source ? &s->format.format : NULL,
                              .token = s->conf.token,
                              .memory = s->conf.memory > 0 ? s->conf.memory : LEFT_TO_STREAMS,
                              .edges = s->main->edges,
                              .salvage = s->conf.salvage,
                              .reader = s->conf.reader,
                              .sequential = !together,
                              .by_process = by_process,
                              .is_copied = is_copied,
                              .interrupted = s->interrupted};
    s->source = source_open(s->conf.input, &o);
    if (!s->source && s->format.is_unknown)
        return error_while("no reader of another format knows it (tcflow --list-sources)");
    return s->source ? TCF_OK : TCF_ERROR;
}

/* An output of a session, and where it was named. */
struct output {
    const char *section, *key;
    char *path;
    dev_t device; /* of its folder */
    ino_t folder; /* 0: unknown */
};

struct outputs {
    const source *input;
    struct output *at;
    uint32_t n, capacity;
    uint32_t domains; /* of the chain that is looked at */
};

static const char *name_in_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static struct output output_of(const char *section, const char *key, char *path)
{
    struct output o = {.section = section, .key = key, .path = path};
    char folder[4096];
    struct stat st;

    snprintf(folder, sizeof folder, "%.*s", (int)(name_in_folder(path) - path), path);
    if (stat(*folder ? folder : ".", &st) == 0) {
        o.device = st.st_dev;
        o.folder = st.st_ino;
    }
    return o;
}

static int same_output(const struct output *a, const struct output *b)
{
    return strcmp(a->path, b->path) == 0 || (a->folder > 0 && a->folder == b->folder && a->device == b->device &&
                                             strcmp(name_in_folder(a->path), name_in_folder(b->path)) == 0);
}

/* How a session is started. */
typedef struct session_start {
    const volatile sig_atomic_t *interrupted;
    const peers *among;
    int confined;
} session_start;

/* Standard output and devices take several, sockets refuse for themselves. */
static int takes_several(const char *path)
{
    return strcmp(path, "-") == 0 || strncmp(path, "unix:", 5) == 0 || strncmp(path, "tcp:", 4) == 0 ||
           output_is_special(path);
}

static tcf_status check_file(struct outputs *all, const struct output *o)
{
    const int is_input = strcmp(o->path, "-") != 0 ? source_is_input(all->input, o->path) : 0;

    if (is_input < 0)
        return error_fail("%s.%s: '%s' may be the input: nobody can look at it: %s", o->section, o->key, o->path,
                          strerror(errno));
    if (is_input)
        return error_usage("%s.%s: '%s' is the input or a part of it, which would be overwritten", o->section, o->key,
                           o->path);
    for (uint32_t i = 0; i < all->n && !takes_several(o->path); i++)
        if (same_output(&all->at[i], o))
            return error_usage("%s.%s and %s.%s are both '%s': each needs a file of its own", all->at[i].section,
                               all->at[i].key, o->section, o->key, o->path);
    return TCF_OK;
}

/* In its domains a filter may have several. */
static tcf_status check_output(void *data, const char *section, const char *key, const char *path)
{
    struct outputs *all = data;

    for (uint32_t k = 0; k < (tcf_is_domain_path(path) ? all->domains : 1); k++) {
        char *name = tcf_domain_path(path, k);
        if (!name || TCF_GROW(&all->at, &all->capacity, all->n + 1u) != 0) {
            free(name);
            return error_fail("out of memory for the list of outputs");
        }
        const struct output o = output_of(section, key, name);
        const tcf_status status = check_file(all, &o);
        if (status != TCF_OK || takes_several(name))
            free(name);
        else
            all->at[all->n++] = o;
        if (status != TCF_OK)
            return status;
    }
    return TCF_OK;
}

/* Is it an output, too? Those are all known. Devices may be both. */
static tcf_status check_input(void *data, const char *section, const char *key, const char *path)
{
    const struct outputs *all = data;
    struct stat st;

    for (uint32_t i = 0; i < all->n; i++) {
        const struct output *o = &all->at[i];
        const int is_same = output_is_same(path, o->path);
        if (is_same < 0)
            return error_fail("%s.%s: '%s' may be what is read (%s%s%s): nobody can look at it: %s", o->section, o->key,
                              o->path, section, *section ? "." : "", key, strerror(errno));
        if (is_same && (stat(path, &st) != 0 || S_ISREG(st.st_mode)))
            return error_usage("%s.%s: '%s' is read (%s%s%s), and would be overwritten", o->section, o->key, o->path,
                               section, *section ? "." : "", key);
    }
    return TCF_OK;
}

/* The settings, and files that parameters name. */
static tcf_status check_inputs(const session *s, struct outputs *all)
{
    tcf_status status = s->settings->file ? check_input(all, "", "the settings", s->settings->file) : TCF_OK;

    if (status == TCF_OK && s->conf.token && *s->conf.token)
        status = check_input(all, "pipeline", "token", s->conf.token);
    for (const pipeline *p = s->first; p; p = p->next)
        for (uint32_t i = 0; i < p->n_instances && status == TCF_OK; i++)
            status = params_each_path(&p->instances[i].filter->params, TCF_INPUT_PATH, p->instances[i].conf,
                                      p->instances[i].self.name, check_input, all);
    return status;
}

/* No output replaces a file that is read, or another output. */
static tcf_status check_outputs(const session *s)
{
    struct outputs all = {.input = s->source, .domains = 1};
    tcf_status status = params_each_path(&pipeline_params, TCF_OUTPUT_PATH, &s->conf, "pipeline", check_output, &all);

    for (const pipeline *p = s->first; p; p = p->next) {
        all.domains = domains_of(p);
        for (uint32_t i = 0; i < p->n_instances && status == TCF_OK; i++) {
            const instance *f = &p->instances[i];
            status = params_each_path(&f->filter->params, TCF_OUTPUT_PATH, f->conf, f->self.name, check_output, &all);
            if (status == TCF_OK && f->filter->can & TCF_CAN_REPORT)
                status = params_each_path(&report_params, TCF_OUTPUT_PATH, &f->report_conf, f->self.name, check_output,
                                          &all);
        }
    }
    if (status == TCF_OK)
        status = check_inputs(s, &all);
    while (all.n > 0)
        free(all.at[--all.n].path);
    free(all.at);
    return status;
}

static tcf_status make_chains(session *s)
{
    if (!(s->first = s->main = pipeline_new(s, s->conf.chain)) || survey_make(s) != TCF_OK)
        return TCF_ERROR;
    for (pipeline *p = s->first; p; p = p->next)
        if (pipeline_make_chain(p) != TCF_OK)
            return pipeline_is_survey(p) ? error_while("making the survey") : TCF_ERROR;
    return TCF_OK;
}

static tcf_status build_pipelines(session *s)
{
    for (pipeline *p = s->first; p; p = p->next)
        if (pipeline_build(p) != TCF_OK)
            return pipeline_is_survey(p) ? error_while("building the survey") : TCF_ERROR;
    return TCF_OK;
}

static tcf_status plan_domains(session *s)
{
    uint32_t shares = 1;

    for (pipeline *p = s->first; p; p = p->next) {
        if (domains_plan(p) != TCF_OK)
            return TCF_ERROR;
        const uint32_t lists = domains_here(p);
        shares = lists > shares ? lists : shares;
    }
    source_share_files(s->source, shares);
    return TCF_OK;
}

static void warn_of_memory(const session *s)
{
    int shift = s->conf.memory < 1 << 20 ? 10 : 20; /* no 0 MiB */
    const char *unit = shift == 10 ? "KiB" : "MiB";

    if (s->short_of.bytes > 0)
        error_log(
            TCF_LOG_WARNING,
            "memory = %llu %s is not enough for %llu locations with a slice of %u events each: these take %llu %s",
            (unsigned long long)(s->conf.memory >> shift), unit, (unsigned long long)s->short_of.locations,
            s->short_of.events, (unsigned long long)(s->short_of.bytes >> shift), unit);
}

static session *new_session(settings *from, const char *plugin_path, const tcf_filter *const *builtin, source *src,
                            const session_start *start)
{
    session *s = calloc(1, sizeof *s);
    if (!s) {
        source_close(src);
        error_fail("out of memory for the session");
        return NULL;
    }
    s->settings = from;
    s->interrupted = start->interrupted;
    s->peers = start->among;
    s->confined = start->confined;
    s->source = src;
    s->host = &pipeline_host;
    if (settings_pipeline(from, &s->conf, &s->storage) != TCF_OK || sinks_check(&s->conf) != TCF_OK)
        goto failed;
    if (s->conf.memory == 0 || s->conf.threads != 1 || s->peers) /* something is left to the machine */
        s->machine = machine_find("");
    if (!(s->loader = loader_new(plugin_path, s->conf.plugin_path, builtin)) || !(s->learned = learned_new()) ||
        loader_check_folders(s->loader) != TCF_OK)
        goto failed;
    if (s->peers && !(s->elsewhere = calloc(s->peers->n, sizeof *s->elsewhere))) {
        error_fail("out of memory for the session");
        goto failed;
    }
    if (make_chains(s) != TCF_OK || open_input(s) != TCF_OK)
        goto failed;
    reports_count(s);
    s->defs = source_definitions(s->source);
    s->released_ops = survey_stated_ops(s->defs);
    if (pipeline_take_facts(s->main) != TCF_OK || plan_domains(s) != TCF_OK || check_outputs(s) != TCF_OK ||
        build_pipelines(s) != TCF_OK)
        goto failed;
    warn_of_memory(s);
    return s;
failed:
    session_name_sandbox(s);
    session_delete(s);
    return NULL;
}

session *session_new_over(settings *s, const char *plugin_path, const tcf_filter *const *builtin, source *src)
{
    return new_session(s, plugin_path, builtin, src, &(session_start){0});
}

session *session_new(settings *s, const char *plugin_path, const volatile sig_atomic_t *interrupted)
{
    return new_session(s, plugin_path, NULL, NULL, &(session_start){.interrupted = interrupted});
}

session *session_new_among(settings *s, const char *plugin_path, const volatile sig_atomic_t *interrupted,
                           const peers *among)
{
    const session_start start = {.interrupted = interrupted, .among = among};
    session *made = s ? new_session(s, plugin_path, NULL, NULL, &start) : NULL;

    if (agree(among, made ? TCF_OK : TCF_ERROR, 0) == TCF_OK && processes_compare(made) == TCF_OK)
        return made;
    session_delete(made);
    return NULL;
}

session *session_new_confined(settings *s, const char *plugin_path, const tcf_filter *const *builtin,
                              const volatile sig_atomic_t *interrupted)
{
    return new_session(s, plugin_path, builtin, NULL, &(session_start){.interrupted = interrupted, .confined = 1});
}

void session_delete(session *s)
{
    if (!s)
        return;
    for (pipeline *p = s->first, *next; p; p = next) {
        next = p->next;
        pipeline_delete(p);
    }
    reports_delete(s);
    free(s->distrusted);
    free(s->elsewhere);
    learned_delete(s->learned);
    source_close(s->source);
    format_free(&s->format);
    loader_delete(s->loader);
    store_free(s->storage);
    free(s);
}

/* ----------------------------------------------------------------------------------------------------------- run -- */

const source *session_source(const session *s)
{
    return s->source;
}

tcf_status session_check(session *s)
{
    tcf_status status = TCF_OK;

    for (pipeline *p = s->first; p && status == TCF_OK; p = p->next) {
        status = pipeline_check_chain(p);
        if (status != TCF_OK && pipeline_is_survey(p))
            error_while("in the survey");
    }
    return agree(s->peers, status, 0);
}

static size_t location_bytes(const instance *f)
{
    return f->filter->location_size + f->filter->location_more;
}

/* What a location takes in a chain: slices, and the largest of what filters have declared for it. */
static void print_location(const pipeline *p, FILE *to)
{
    enum { NAMED = 3 };
    const instance *largest[NAMED + 1] = {NULL};

    for (uint32_t i = 0; i < p->n_instances; i++) {
        uint32_t k = NAMED;
        for (; k > 0 && (!largest[k - 1] || location_bytes(&p->instances[i]) > location_bytes(largest[k - 1])); k--)
            largest[k] = largest[k - 1];
        largest[k] = &p->instances[i];
    }
    char memory[128];
    pipeline_describe_memory(p, memory, sizeof memory);
    fprintf(to, "%s: %s; a location has slices of %u events, %zu bytes", pipeline_is_survey(p) ? "survey" : "chain",
            memory, p->layout.capacity, slice_block_bytes(&p->layout));
    for (uint32_t k = 0; k < NAMED && largest[k] && location_bytes(largest[k]) > 0; k++) {
        fprintf(to, "%s %s %zu", k > 0 ? "," : "; its state takes, in bytes:", largest[k]->self.name,
                largest[k]->filter->location_size);
        if (largest[k]->filter->location_more > 0)
            fprintf(to, " + %zu", largest[k]->filter->location_more);
    }
    fputc('\n', to);
}

typedef struct printed_outputs {
    const pipeline *of;
    FILE *to;
} printed_outputs;

/* One of which each domain has its own. */
static tcf_status print_output(void *data, const char *section, const char *key, const char *path)
{
    const printed_outputs *all = data;

    if (!tcf_is_domain_path(path))
        return TCF_OK;
    fprintf(all->to, "%s.%s, one of each domain:", section, key);
    for (uint32_t k = 0; k < domains_of(all->of); k++) {
        char *name = tcf_domain_path(path, k);
        fputc(' ', all->to);
        tcf_terminal_put(all->to, name ? name : path, "");
        free(name);
    }
    fputc('\n', all->to);
    return TCF_OK;
}

static void print_outputs(const pipeline *p, FILE *to)
{
    printed_outputs all = {p, to};

    for (uint32_t i = 0; i < p->n_instances; i++)
        (void)params_each_path(&p->instances[i].filter->params, TCF_OUTPUT_PATH, p->instances[i].conf,
                               p->instances[i].self.name, print_output, &all);
}

void session_print_plan(const session *s, FILE *to)
{
    char text[512];

    if (*s->sandbox)
        fprintf(to, "%s\n", s->sandbox);
    for (const pipeline *p = s->first; p; p = p->next) {
        domains_describe(p, text, sizeof text);
        if (*text)
            fprintf(to, "%s\n", text);
        if (s->peers)
            processes_describe(p, to);
        print_outputs(p, to);
        print_location(p, to);
    }
    for (const source_input *in = source_facts_of(s->source)->inputs; in; in = in->next)
        if (in->reader) {
            tcf_terminal_put(to, in->path, "");
            fprintf(to, ": event files are read by %s\n", in->reader);
        }
}

/* The filters of a survey that is to be repeated come to fini() without end(). Reports are written also when a filter
 * has failed in its end(), for those of the others are worth having. */
static tcf_status run_pipeline(pipeline *p)
{
    if (p->session->peers)
        return processes_run(p);
    tcf_status status = domains_stream(p);

    if (status == TCF_OK && pipeline_is_survey(p))
        status = survey_judge(p);
    if (status == TCF_OK && !p->to_repeat) {
        status = pipeline_finish(p);
        if (reports_write(p) != TCF_OK)
            status = TCF_ERROR;
    }
    pipeline_end(p);
    return status;
}

static tcf_status go_back(session *s)
{
    const tcf_status status = source_rewind(s->source);

    return agree(s->peers, status == TCF_OK ? TCF_OK : error_while("going back to the start behind the survey"), 0);
}

static tcf_status make_survey_again(session *s)
{
    if (survey_make_again(s) != TCF_OK || domains_plan(s->first) != TCF_OK)
        return TCF_ERROR;
    return pipeline_build(s->first);
}

/* Runs the first survey, and again if it has to be repeated. Its memory is free afterwards. */
static tcf_status run_survey(session *s)
{
    s->pass++;
    for (;;) {
        if (agree(s->peers, survey_hand_on(s->first), 0) != TCF_OK || run_pipeline(s->first) != TCF_OK)
            return error_while("in the survey");
        if (!s->first->to_repeat)
            break;
        s->pass++;
        s->n_passes++;
        if (go_back(s) != TCF_OK)
            return TCF_ERROR;
        if (agree(s->peers, make_survey_again(s), 0) != TCF_OK)
            return error_while("making the survey again");
    }
    if (agree(s->peers, reports_collect(s->first), 0) != TCF_OK)
        return error_while("in the survey");
    pipeline *done = s->first;
    s->first = done->next;
    pipeline_delete(done);
    give_back_memory();
    return go_back(s);
}

tcf_status session_run(session *s, const session_hooks *hooks)
{
    tcf_status status = TCF_OK;

    s->started = now_seconds();
    s->started_cpu = now_cpu_seconds();
    s->hooks = hooks;
    for (const pipeline *p = s->first; p; p = p->next)
        s->n_passes++;
    while (status == TCF_OK && s->first != s->main)
        status = run_survey(s);
    if (status == TCF_OK)
        status = agree(s->peers, survey_hand_on(s->main), 0);
    s->pass = s->n_passes;
    if (status == TCF_OK)
        status = run_pipeline(s->main);
    s->seconds = now_seconds() - s->started;
    s->cpu_seconds = now_cpu_seconds() - s->started_cpu;
    return status == TCF_OK ? TCF_OK : session_name_sandbox(s);
}
