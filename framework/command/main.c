/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The command: options in, a pipeline run, messages and an exit status out.
 *
 *   0 done   1 the run failed or lost something   2 usage or settings   128 + n ended by signal n (SIGINT: 130)
 *
 * A first SIGINT, SIGTERM or SIGHUP lets the pipeline close its outputs, which then say that they are incomplete; a
 * second one ends the process at once. When the reader of a pipe has gone (tcflow ... | head) the run ends the same
 * way, and then the process of SIGPIPE, without a word, as other tools do. A plugin that ends the process has not done
 * the work: that is told, and the status is 1. Standard output belongs to results; everything said about the run goes
 * to standard error. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syscall() */
#endif
#include "command.h"
#include "commands.h"
#include "describe.h"
#include "framework/base/error.h"
#include "framework/base/large_pages.h"
#include "framework/base/names.h"
#include "framework/base/output.h"
#include "framework/base/paths.h"
#include "framework/base/programs.h"
#include "framework/base/resources.h"
#include "framework/base/terminal.h"
#include "framework/base/text_stream.h"
#include "framework/pipeline/session.h"
#include "framework/plugin/loader.h"
#include "framework/results/database.h"
#include "framework/settings/options.h"
#include "framework/settings/settings.h"
#include "info.h"
#include "pager.h"
#include "summary.h"

#include <errno.h>
#include <private/passing_errors.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "(unknown version)"
#endif

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };
enum list_form { LIST_NO = -1, LIST_TEXT, LIST_JSON, LIST_PLAIN, LIST_MARKDOWN };
enum summary_form { SUMMARY_NO = -1, SUMMARY_TEXT, SUMMARY_JSON };
enum progress_wish { PROGRESS_ON_TERMINAL = -1, PROGRESS_NO, PROGRESS_YES };

typedef struct command {
    const char *config, *plugin_path, *describe, *man_pages;
    char **overrides;          /* section.key=value, in the order given */
    size_t n_overrides, input; /* input: 1 + index of the override that -i has made; 0: none */
    int check, ini, sources, presets, show_ini, count, no_pager, no_written;
    const command_row *named; /* the command, `waits`; NULL: none */
    const char *out;          /* its OUT; NULL: none */
    char *preset;             /* the file of the preset that config names; NULL: it is a file of the user's */
    struct peers *among;      /* of tcflow-mpi; NULL: this process is alone */
    enum list_form list;
    enum summary_form summary;
    enum progress_wish progress;
} command;

static volatile sig_atomic_t interrupted, last_signal, reader_gone;

/* ------------------------------------------------------------------------------------------------------- options -- */

static tcf_status add_override(command *c, const char *prefix, const char *value, int escape)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    char **grown = realloc(c->overrides, (c->n_overrides + 1) * sizeof *grown);

    if (grown)
        c->overrides = grown;
    if (!out)
        return error_fail("out of memory");
    fputs(prefix, out);
    for (; *value; value++) {
        if (escape && *value == '$')
            putc('$', out);
        putc(*value, out);
    }
    if (text_stream_close(out, &text) != 0 || !grown) {
        free(text);
        return error_fail("out of memory");
    }
    c->overrides[c->n_overrides++] = text;
    return TCF_OK;
}

/* -i may be given several times: the input then has several anchors. */
static tcf_status take_input(void *conf, const char *what, const char *argument)
{
    command *c = conf;

    (void)what;
    if (c->input == 0) {
        tcf_status status = add_override(c, "pipeline.input=", argument, 1);
        c->input = c->n_overrides;
        return status;
    }
    const char *before = c->overrides[c->input - 1];
    size_t bytes = strlen(before) + sizeof " ";
    char *prefix = malloc(bytes);
    if (!prefix)
        return error_fail("out of memory");
    snprintf(prefix, bytes, "%s ", before);
    tcf_status status = add_override(c, prefix, argument, 1);
    free(prefix);
    if (status == TCF_OK) {
        free(c->overrides[c->input - 1]);
        c->overrides[c->input - 1] = c->overrides[--c->n_overrides];
    }
    return status;
}

static tcf_status take_threads(void *conf, const char *what, const char *number)
{
    if (*number && strspn(number, "0") == strlen(number)) /* what the key takes for a choice by the cores */
        return error_usage("%s: '%s' is no number of threads: expected 1 or more; without %s the cores decide", what,
                           number, what);
    return add_override(conf, "pipeline.threads=", number, 1);
}

static tcf_status take_override(void *conf, const char *what, const char *value)
{
    (void)what;
    return add_override(conf, "", value, 0);
}

static tcf_status take_no_plugin_path(void *conf, const char *what, const char *value)
{
    (void)what, (void)value;
    return add_override(conf, "pipeline.plugin_path=", "", 0);
}

static tcf_status take_strict(void *conf, const char *what, const char *value)
{
    (void)conf, (void)what, (void)value;
    loader_be_strict();
    return TCF_OK;
}

static tcf_status take_config(void *conf, const char *what, const char *value)
{
    command *c = conf;

    if (c->config)
        return error_usage("%s is there twice: '%s' and '%s'", what, c->config, value);
    c->config = value;
    return TCF_OK;
}

static tcf_status refuse_torture(void *conf, const char *what, const char *value)
{
    (void)conf, (void)what, (void)value;
    return error_usage("--torture comes first: tcflow --torture PLUGIN ...");
}

static tcf_status take_no_progress(void *conf, const char *what, const char *value)
{
    (void)what, (void)value;
    ((command *)conf)->progress = PROGRESS_NO;
    return TCF_OK;
}

static tcf_status take_quiet(void *conf, const char *what, const char *value)
{
    (void)conf, (void)what, (void)value;
    error_verbosity = TCF_LOG_ERROR;
    return TCF_OK;
}

static tcf_status take_verbose(void *conf, const char *what, const char *value)
{
    (void)conf, (void)what, (void)value;
    error_verbosity = error_verbosity >= TCF_LOG_INFO ? TCF_LOG_DEBUG : TCF_LOG_INFO;
    return TCF_OK;
}

#define AT(member) .offset = offsetof(command, member)
static const option_row rows[] = {
    {'c', "config", "FILE", "the pipeline: an INI file, a preset's name, or - for standard input", .take = take_config},
    {'i', "input", "TRACE",
     "the trace to read, an anchor file or its folder; given again, parts of one run: sets pipeline.input",
     .take = take_input},
    {'j', "threads", "N", "threads at most that work on the trace: sets pipeline.threads", .take = take_threads},
    {'o', NULL, "SECTION.KEY=VALUE", "sets a key of a section, on top of the file", .take = take_override},
    {0, "check", NULL, "validate settings, plugins and definitions, read no events", AT(check)},
    {0, "list-presets", NULL, "pipelines that -c finds by name", AT(presets)},
    {0, "show-ini", NULL, "print the pipeline of a command, or of -c, as the start of one's own", AT(show_ini)},
    {0, "count", NULL, "with info: read the whole trace, and count its events by kind", AT(count)},
    {0, "torture", "PLUGIN ...", "hold a plugin to the rules of the plugin interface; see tcflow --torture --help",
     .take = refuse_torture},
    {0, "list-filters", "[=json|plain|markdown]",
     "filters found, by what they are for, files refused and why, folders searched", TCF_ENUM, AT(list),
     .choices = "text|json|plain|markdown"},
    {0, "list-sources", NULL, "readers of other formats than OTF2, and the rest of the same", AT(sources)},
    {0, "describe", "NAME", "a filter's or reader's parameters and an INI section; NAME may be pipeline", TCF_STRING,
     AT(describe)},
    {0, "ini", NULL, "with --describe: only the INI section", AT(ini)},
    {0, "man-pages", "FOLDER", "write a man page for each filter, reader and preset into it", TCF_OUTPUT_PATH,
     AT(man_pages)},
    {0, "plugin-path", "DIRS", "look for plugins in these folders (separated by ':') first", TCF_STRING,
     AT(plugin_path)},
    {0, "ignore-plugin-path", NULL, "look into no folder that plugin_path of the settings file names",
     .take = take_no_plugin_path},
    {0, "strict", NULL, "refuse plugins whose file or folder others may write to", .take = take_strict},
    {0, "progress", NULL, NULL, AT(progress)},
    {0, "no-progress", NULL, "a progress line; default: when standard error is a terminal", .take = take_no_progress},
    {0, "no-pager", NULL, "on a terminal, do not show results by $TCFLOW_PAGER, $PAGER or less", AT(no_pager)},
    {0, "no-written", NULL, "do not say which files were written", AT(no_written)},
    {0, "summary", "[=json]", "what passed, time, memory, what was given up; to standard error", TCF_ENUM, AT(summary),
     .choices = "text|json"},
    {'q', "quiet", NULL, "errors only", .take = take_quiet},
    {'v', "verbose", NULL, "more messages; twice: for debugging", .take = take_verbose},
};
#undef AT

static void say_version(void)
{
    printf("tcflow %s\nplugin interface %d.%d\n", PACKAGE_VERSION, TCF_ABI_MAJOR, TCF_ABI_MINOR);
    printf("databases: %s%s\n", database_version() ? "SQLite " : "none (built without SQLite)",
           database_version() ? database_version() : "");
}

static const option_table options = {
    .program = "tcflow",
    .rows = rows,
    .n_rows = TCF_COUNT(rows),
    .version = say_version,
    .below = "\n"
             "Example: tcflow -i run -o pipeline.chain=check\n"
             "Exit status: 0 done, 1 the run failed, 2 usage or settings, 130 interrupted.\n",
};

/* What --help says above the options. To be freed; NULL: out of memory. */
static char *usage(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs("Usage: tcflow COMMAND TRACE [OUT] [options]\n"
          "       tcflow [-c FILE] [-i TRACE] [-o SECTION.KEY=VALUE]... [options]\n"
          "\n"
          "Corrects and analyses event traces (OTF2, and others) while they stream through a chain of filters.\n"
          "\n"
          "Commands:\n",
          out);
    for (size_t i = 0; i < n_commands; i++) {
        int n = fprintf(out, "  %s %s", commands[i].name, commands[i].arguments);
        fprintf(out, "%*s%s\n", n < 26 ? 26 - n : 2, "", commands[i].help);
    }
    fputs("\nTRACE is an anchor file (run/traces.otf2) or its folder (run). OUT may end in .sqlite or .html as well, "
          "for a\n"
          "database or page of results.\n\nOptions:\n",
          out);
    text_stream_close(out, &text);
    return text;
}

/* What nobody can look at is, too: whoever opens it says why. */
static int is_there(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 || tcf_error_is_passing(errno);
}

static int is_overridden(const command *c, const char *prefix)
{
    for (size_t i = 0; i < c->n_overrides; i++)
        if (strncmp(c->overrides[i], prefix, strlen(prefix)) == 0)
            return 1;
    return 0;
}

static tcf_status take_out(command *c, const char *out)
{
    const int makes_page = c->named->out && strcmp(c->named->out, "pipeline.html_report") == 0;
    const char *key = command_output_key(out);
    char prefix[64];

    if (!key && (!(key = c->named->out) || makes_page))
        return error_usage("'%s': %s writes a database (NAME.sqlite) or a page (NAME.html)", out, c->named->name);
    /* A database stands for the page, which nobody has named then. */
    if (makes_page && key != c->named->out && !is_overridden(c, "pipeline.html_report=") &&
        add_override(c, "pipeline.html_report=", "", 0) != TCF_OK)
        return TCF_ERROR;
    c->out = key == c->named->out ? out : NULL;
    snprintf(prefix, sizeof prefix, "%s=", key);
    return add_override(c, prefix, out, 1);
}

/* COMMAND TRACE [OUT], or TRACE alone. */
static tcf_status take_words(command *c, int n, char **words)
{
    c->named = command_named(words[0]);
    if (c->named) {
        n--;
        words++;
    } else if (n == 1 && is_there(words[0]) && !c->config && c->n_overrides == 0) {
        c->named = command_named("info");
    } else if (is_there(words[0]) && n > 1) {
        return error_usage("'%s' stands where a command is expected: tcflow TRACE says what one trace is, tcflow diff "
                           "compares traces, tcflow --help lists the commands",
                           words[0]);
    } else if (is_there(words[0])) {
        return error_usage("'%s' is one word too many: the trace for -c or -o is given by -i", words[0]);
    } else {
        return command_unknown(words[0]);
    }
    if (c->named->ending)
        return error_usage("'%s' comes first: tcflow %s %s", c->named->name, c->named->name, c->named->arguments);
    if (c->config)
        return error_usage("'%s' has a pipeline of its own, so -c belongs elsewhere; tcflow %s --show-ini prints it",
                           c->named->name, c->named->name);
    if (n > (c->named->preset ? 2 : 1))
        return error_usage("'%s' is one word too many: tcflow %s %s", words[n - 1], c->named->name,
                           c->named->arguments);
    if (n > 0 && take_input(c, "TRACE", words[0]) != TCF_OK)
        return TCF_ERROR;
    if (n > 1 && take_out(c, words[1]) != TCF_OK)
        return TCF_ERROR;
    if (c->input == 0 && !c->show_ini)
        return error_usage("no trace: tcflow %s %s", c->named->name, c->named->arguments);
    c->config = c->named->preset;
    return c->config ? TCF_OK : add_override(c, "pipeline.chain=", INFO_FILTER, 0);
}

/* Is it the name of a preset with .ini behind it? As preset_path(). */
static int preset_meant(const char *config)
{
    const size_t n = strlen(config), ending = strlen(".ini");
    char name[64], path[PRESET_BYTES];

    if (n <= ending || n >= sizeof name || strcmp(config + n - ending, ".ini") != 0)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)(n - ending), config);
    return preset_path(name, path);
}

/* A file goes before a preset of its name; what a command names is a preset. */
static tcf_status find_preset(command *c)
{
    char path[PRESET_BYTES];
    struct stat st;

    if (!c->config || strcmp(c->config, "-") == 0)
        return TCF_OK;
    const int there = stat(c->config, &st) == 0;
    if (!c->named && !there && tcf_error_is_passing(errno))
        return error_fail("'%s' cannot be looked at: %s", c->config, strerror(errno));
    if (!c->named && there && !S_ISDIR(st.st_mode))
        return TCF_OK;
    int found = preset_path(c->config, path);
    if (found > 0) {
        c->config = c->preset = strdup(path);
        return c->preset ? TCF_OK : error_fail("out of memory");
    }
    if (found == 0 && !there && (found = preset_meant(c->config)) > 0)
        return error_usage("there is no file '%s'; the preset is given by its name: -c %.*s", c->config,
                           (int)(strlen(c->config) - strlen(".ini")), c->config);
    if (found < 0)
        return TCF_ERROR;
    if (c->named || (valid_name(c->config, 0) && !there))
        return preset_unknown(c->config);
    return TCF_OK;
}

/* TCF_HELD: answered already (--help, --version). */
static tcf_status parse_options(command *c, int argc, char **argv)
{
    int first;
    char *above = usage();
    option_table table = options;

    table.above = above ? above : "";
    if (c->among)
        table.program = "tcflow-mpi";
    tcf_status status = above ? options_parse(&table, c, argc, argv, &first) : error_fail("out of memory");
    free(above);
    if (status != TCF_OK)
        return status;
    if ((first < argc && take_words(c, argc - first, argv + first) != TCF_OK) || find_preset(c) != TCF_OK)
        return TCF_ERROR;
    if (c->count && (!c->named || c->named->preset))
        return error_usage("--count belongs to tcflow info TRACE");
    if (c->show_ini && !c->config)
        return error_usage("--show-ini belongs to a command with a pipeline, or to -c");
    if (c->ini && !c->describe)
        return error_usage("--ini belongs to --describe NAME");
    const int informs = c->list != LIST_NO || c->sources || c->presets || c->describe || c->man_pages;
    if (!informs && !c->config && c->n_overrides == 0)
        return error_usage("nothing to do: tcflow TRACE says what a trace is, and tcflow --help what else there is; a "
                           "settings file is given by -c FILE");
    if (!informs && !c->config && c->n_overrides == 1 && c->input == 1)
        return error_usage("-i names a trace, and nothing says what to do with it: add -c FILE, or "
                           "-o pipeline.chain=check; tcflow TRACE says what it is");
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- actions -- */

/* Returns plugin_path of the INI, which --list-filters and --describe use together with -c. */
static const char *ini_plugin_path(const settings *s)
{
    const settings_entry *entry = s ? settings_entry_of(settings_find(s, "pipeline"), "plugin_path") : NULL;
    return entry ? entry->value : NULL;
}

static tcf_status tell_about_filters(const command *c, loader *l)
{
    const plugin *named;
    const tcf_filter *f;

    if ((c->list != LIST_NO || c->sources || c->man_pages) && loader_open_all(l) != TCF_OK)
        return TCF_ERROR;
    if (c->sources)
        describe_list_sources(stdout, l);
    if ((c->list == LIST_MARKDOWN || c->man_pages) && describe_none_is_missing(l) != TCF_OK)
        return TCF_ERROR;
    if (c->list != LIST_NO)
        (c->list == LIST_JSON       ? describe_list_json
         : c->list == LIST_PLAIN    ? describe_list_plain
         : c->list == LIST_MARKDOWN ? describe_list_markdown
                                    : describe_list)(stdout, l);
    if (c->man_pages && describe_man_pages(c->man_pages, l) != TCF_OK)
        return TCF_ERROR;
    if (!c->describe)
        return TCF_OK;
    if (strcmp(c->describe, "pipeline") == 0) {
        (c->ini ? describe_pipeline_ini : describe_pipeline)(stdout);
        return TCF_OK;
    }
    if ((named = loader_named(l, c->describe)) && named->source) {
        (c->ini ? describe_source_ini : describe_source)(stdout, named->source);
        return TCF_OK;
    }
    if (!(f = loader_find(l, c->describe))) {
        char path[PRESET_BYTES];
        return preset_path(c->describe, path) > 0
                   ? error_usage("'%s' is a preset, not a filter; tcflow -c %s --show-ini prints it", c->describe,
                                 c->describe)
                   : TCF_ERROR;
    }
    (c->ini ? describe_ini : describe_filter)(stdout, f);
    return TCF_OK;
}

static int fail(const command *c)
{
    int status = error_is_usage() ? EXIT_USAGE : EXIT_FAILED;
    if (peers_am_first(c->among))
        error_print(stderr);
    return status;
}

/* Before the processes have a session. */
static int fail_all(const command *c)
{
    agree(c->among, TCF_ERROR, 0);
    return fail(c);
}

static int information(const command *c, const settings *s)
{
    loader *l = loader_new(c->plugin_path, ini_plugin_path(s), NULL);
    pager_begin();
    const tcf_status told = l ? tell_about_filters(c, l) : TCF_ERROR;
    pager_end();
    int status = told == TCF_OK ? EXIT_DONE : fail(c);

    loader_delete(l);
    return status;
}

/* A call that begins to wait just behind the signal, for the other end of a FIFO, knows nothing of it: it is
 * interrupted every second until the run has ended. */
static void on_alarm(int number)
{
    (void)number;
    alarm(1);
}

static void on_signal(int number)
{
    interrupted = 1;
    last_signal = number;
    alarm(1);
}

static void on_broken_pipe(int number)
{
    (void)number;
    reader_gone = 1;
}

/* SIGPIPE must not end the process in the middle of a write while filters have archives open. With a handler the
 * write fails, which ends the run, and die_of_broken_pipe() ends the process. Where SIGPIPE was ignored from the
 * start it stays so, and the failed write is an error like any other. */
static void catch_broken_pipe(void)
{
    struct sigaction catch = {.sa_handler = on_broken_pipe, .sa_flags = SA_RESTART}, before;

    sigemptyset(&catch.sa_mask);
    if (sigaction(SIGPIPE, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGPIPE, &catch, NULL);
}

static int die_of_broken_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    return 128 + SIGPIPE; /* SIGPIPE is blocked */
}

static void catch_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction catch = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, before,
                     again = {.sa_handler = on_alarm};

    sigemptyset(&catch.sa_mask);
    sigemptyset(&again.sa_mask);
    sigaction(SIGALRM, &again, NULL);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup ignores it */
            sigaction(ending[i], &catch, NULL);
    catch_broken_pipe();
    signal(SIGXFSZ, SIG_IGN); /* beyond the limit of the size of files a write fails */
}

/* The exit status of a run. */
static int ending(tcf_status status, int cut, int unread, const session_summary *summary)
{
    if (cut)
        return 128 + (unread ? SIGPIPE : (int)last_signal);
    if (status != TCF_OK && error_is_usage()) /* wrong settings that only the definitions reveal */
        return EXIT_USAGE;
    return status == TCF_OK && summary->n_losses == 0 ? EXIT_DONE : EXIT_FAILED;
}

/* Results follow: the progress line goes, and, on a terminal, a pager comes. */
static void begin_text(void *data)
{
    const progress *shown = data;

    if (shown->shown)
        error_status_line(NULL);
    pager_begin();
}

static int run(const command *c, session *p)
{
    int terminal = isatty(STDERR_FILENO);
    progress shown = {.started = now_seconds(),
                      .every = terminal ? 0.2 : 1.0,
                      .width = terminal ? terminal_width(STDERR_FILENO) : 0};
    const session_screen screen = {.terminal = !c->among && isatty(STDOUT_FILENO),
                                   .colour = !c->among && terminal_has_colours(STDOUT_FILENO),
                                   .width = terminal_width(STDOUT_FILENO)};
    int wanted =
        c->progress == PROGRESS_ON_TERMINAL ? terminal && error_verbosity > TCF_LOG_ERROR : c->progress == PROGRESS_YES;
    session_hooks hooks = {wanted && peers_am_first(c->among) ? show_progress : NULL, &shown, &interrupted, &screen,
                           begin_text};
    session_summary summary = {0};

    shown.last = shown.started;
    tcf_status status = session_run(p, &hooks);
    if (shown.shown && terminal)
        error_status_line(NULL);
    pager_end();
    if (status != TCF_OK && reader_gone && !interrupted && pager_ended_early()) {
        error_clear(); /* whoever has seen enough in the pager has missed nothing */
        status = TCF_OK;
        reader_gone = 0;
    }
    int unread = status != TCF_OK && reader_gone && !interrupted;
    int cut = status != TCF_OK && (interrupted || unread);
    if (unread)
        error_log(TCF_LOG_INFO, "ended because nobody reads the output any more; outputs are incomplete");
    else if (cut && peers_am_first(c->among))
        error_log(TCF_LOG_ERROR, "ended by %s; outputs are incomplete and say so in their names",
                  last_signal == SIGINT    ? "SIGINT"
                  : last_signal == SIGTERM ? "SIGTERM"
                                           : "SIGHUP");
    else if (status != TCF_OK)
        fail(c);
    session_summarise(p, &summary);
    if (!peers_am_first(c->among))
        return ending(status, cut, unread, &summary);
    if (c->summary != SUMMARY_JSON)
        tell_losses(&summary, unread);
    if (c->summary == SUMMARY_JSON)
        summary_json(p, &summary,
                     cut                     ? "interrupted"
                     : status != TCF_OK      ? "failed"
                     : summary.n_losses == 0 ? "complete"
                                             : "salvaged");
    else if (c->summary == SUMMARY_TEXT)
        summary_text(&summary);
    if (!c->no_written)
        error_say_kept();
    return ending(status, cut, unread, &summary);
}

/* What definitions and event files say, or, with --count, all events. */
static int inform(const command *c, const settings *s)
{
    session *p = session_new_confined((settings *)s, c->plugin_path, info_filters, NULL);
    int status = p && info_print(stdout, p) == TCF_OK ? EXIT_DONE : fail(c);

    if (status == EXIT_DONE && c->count)
        status = run(c, p);
    session_delete(p);
    return status;
}

static int answer(const command *c, tcf_status status)
{
    return status == TCF_OK ? EXIT_DONE : fail(c);
}

/* The work of processes together is to run, or to check, a pipeline. */
static tcf_status refuse_alone(const command *c)
{
    if (!c->among)
        return TCF_OK;
    if (c->presets || c->show_ini || c->list != LIST_NO || c->sources || c->describe ||
        (c->named && !c->named->preset && !c->check))
        return error_usage("tcflow-mpi runs pipelines; tcflow says what there is");
    if (c->config && strcmp(c->config, "-") == 0)
        return error_usage("-c -: the first process alone has a standard input; give a file that all of them can read");
    return TCF_OK;
}

static int execute(const command *c)
{
    settings *s = NULL;
    int status = EXIT_DONE;

    if (refuse_alone(c) != TCF_OK)
        return fail_all(c);
    if (c->presets)
        return answer(c, presets_list(stdout));
    if (c->show_ini)
        return answer(c, preset_show(stdout, c->config));
    if ((c->config || c->n_overrides > 0) &&
        !(s = settings_load(c->config, (const char *const *)c->overrides, c->n_overrides)))
        return fail_all(c);
    if (!c->no_pager && !c->among && pager_name() != TCF_OK)
        status = fail(c);
    else if (c->list != LIST_NO || c->sources || c->describe || c->man_pages) {
        status = information(c, s);
    } else if (c->named && !c->named->preset && !c->check) {
        catch_signals();
        status = inform(c, s);
    } else {
        catch_signals();
        session *p = c->among ? session_new_among(s, c->plugin_path, &interrupted, c->among)
                              : session_new_confined(s, c->plugin_path, NULL, &interrupted);
        if (!p) {
            status = interrupted ? 128 + (int)last_signal : fail(c);
        } else if (c->check) {
            if (session_check(p) != TCF_OK)
                status = fail(c);
            else if (error_verbosity > TCF_LOG_ERROR) {
                session_print_plan(p, stdout);
                printf("%s: ok\n", c->config ? c->config : "settings");
            }
        } else {
            status = run(c, p);
            if (status == EXIT_DONE && !c->no_written && c->named && c->named->folder)
                error_say("wrote %s", c->out ? c->out : c->named->folder);
        }
        session_delete(p);
    }
    settings_free(s);
    return status;
}

/* Starts a program that lies beside this one, "tcflow" with this ending. */
static int start(const char *ending, char **arguments)
{
    char path[PATHS_BYTES + 32];

    if (paths_locate() == TCF_OK) {
        snprintf(path, sizeof path, "%s%s", *paths_own() ? paths_own() : "/proc/self/exe", ending);
        arguments[0] = path;
        execv(path, arguments);
        error_usage("%s cannot be started: %s", path, strerror(errno));
    }
    return fail(&(command){0});
}

/* ----------------------------------------------------------------------------------------------------------- end -- */

static pid_t running; /* this process, until main() is over; 0: it is */

static void tell_of_end(void)
{
    static const char text[] =
        "tcflow: error: a plugin has ended the process before the run was over; outputs are incomplete\n";
    if (running && running == getpid() && write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return;
}

/* In place of the C library's, for whatever plugin calls them. */
__attribute__((visibility("default"))) void _exit(int status)
{
    int failed = running && running == getpid();

    tell_of_end();
    for (;;)
        syscall(SYS_exit_group, failed ? EXIT_FAILED : status);
}

__attribute__((visibility("default"))) void _Exit(int status)
{
    _exit(status);
}

static void at_exit(void)
{
    if (running && running == getpid())
        _exit(EXIT_FAILED);
}

int command_main(int argc, char **argv, struct peers *among)
{
    const command_row *other = argc > 1 ? command_named(argv[1]) : NULL;
    if (!among && argc > 1 && strcmp(argv[1], "--torture") == 0)
        return start("-torture", argv + 1);
    if (!among && other && other->ending)
        return start(other->ending, argv + 1);
    output_reserve_standard();
    large_pages_keep_small();
    running = getpid();
    error_colours = !among && terminal_has_colours(STDERR_FILENO); /* what mpirun hands on is a terminal to it */
    if (atexit(at_exit) != 0 || at_quick_exit(at_exit) != 0)
        return EXIT_FAILED;
    command c = {.list = LIST_NO, .summary = SUMMARY_NO, .progress = PROGRESS_ON_TERMINAL, .among = among};
    tcf_status parsed = paths_locate() == TCF_OK ? parse_options(&c, argc, argv) : TCF_ERROR;
    if (among)
        among->verbosity = error_verbosity;
    if (!peers_am_first(among))
        error_verbosity = TCF_LOG_ERROR;
    int status = parsed == TCF_OK ? execute(&c) : parsed == TCF_HELD ? EXIT_DONE : fail_all(&c);

    errno = 0;
    int lost = fflush(stdout) != 0 || ferror(stdout);
    if (lost && status == EXIT_DONE && reader_gone) {
        status = 128 + SIGPIPE;
    } else if (lost && status == EXIT_DONE) {
        error_log(TCF_LOG_ERROR, "cannot write to standard output: %s", errno ? strerror(errno) : "write error");
        status = EXIT_FAILED;
    }
    for (size_t i = 0; i < c.n_overrides; i++)
        free(c.overrides[i]);
    free(c.overrides);
    free(c.preset);
    programs_end();
    running = 0;
    return status == 128 + SIGPIPE ? die_of_broken_pipe() : status;
}
