/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-torture: options in, findings and an exit status out. Each step runs in a child of its own (child.c).
 *
 *   0 no rule broken   1 some are, or the plugin cannot be loaded   2 usage, or the filter wants other settings */
#define _GNU_SOURCE /* asprintf() */
#include "framework/base/output.h"
#include "framework/settings/options.h"
#include "readers.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "(unknown version)"
#endif

static const struct {
    const char *key, *words, *place;
} rules[RULES] = {
#define R(NAME, key, words, place) {key, words, place},
    TORTURE_RULES(R)
#undef R
};

typedef struct command {
    torture t;
    const char *file, *config, *step;
    const char **parameters; /* of -o */
    size_t n_parameters;
    uint64_t seed, seeds, timeout;
    int verbose, is_reader;
    char repeat[2048];           /* what of the command line a reproduction needs */
    uint64_t count[RULES], runs; /* how often each rule was broken: steps */
} command;

/* ------------------------------------------------------------------------------------------------------- options -- */

static int usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("tcflow-torture: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("; see tcflow-torture --help\n", stderr);
    va_end(arguments);
    return EXIT_USAGE;
}

static tcf_status take_parameter(void *conf, const char *what, const char *value)
{
    command *c = conf;
    const char *is = strchr(value, '=');

    if (!is || is == value)
        return error_usage("%s %s: expected KEY=VALUE or SECTION.KEY=VALUE", what, value);
    c->parameters = need(realloc(c->parameters, (c->n_parameters + 1) * sizeof *c->parameters));
    c->parameters[c->n_parameters++] = value;
    return TCF_OK;
}

static tcf_status take_step(void *conf, const char *what, const char *value)
{
    char list[1024] = "";
    size_t used = 0;

    ((command *)conf)->step = value;
    for (int k = 0; k < 2; k++) {
        if (k == 1)
            used += (size_t)snprintf(list + used, sizeof list - used, "; for readers");
        for (const step *s = k == 0 ? torture_steps : reader_steps; s->name; s++) {
            if (strcmp(s->name, value) == 0)
                return TCF_OK;
            if (used < sizeof list)
                used += (size_t)snprintf(list + used, sizeof list - used, " %s", s->name);
        }
    }
    return error_usage("%s %s: there are%s", what, value, list);
}

static tcf_status list_rules(void *conf, const char *what, const char *value)
{
    (void)conf, (void)what, (void)value;
    for (int r = 0; r < RULES; r++)
        printf("%-10s %s (%s)\n", rules[r].key, rules[r].words, rules[r].place);
    return TCF_HELD;
}

#define AT(member) .offset = offsetof(command, member)
static const option_row rows[] = {
    {'o', NULL, "KEY=VALUE",
     "a parameter of the filter; SECTION.KEY=VALUE one of another in its chain. ${SCRATCH} is a folder of each run",
     .take = take_parameter},
    {'c', "config", "FILE", "chain, survey and parameters of this INI file", TCF_INPUT_PATH, AT(config)},
    {0, "chain", "\"A B\"",
     "the chain, with the filter in it (default: those that provide its columns, and the filter)", TCF_STRING,
     AT(t.chain)},
    {0, "survey", "\"A B\"", "what runs before it", TCF_STRING, AT(t.survey)},
    {0, "sample", "FILE", "of a reader of another format: a file, or a folder, that it reads", TCF_INPUT_PATH,
     AT(t.sample)},
    {0, "seed", "N", "the first program", TCF_SIZE, AT(seed), .default_value = "1"},
    {0, "seeds", "N", "how many programs", TCF_SIZE, AT(seeds), .default_value = "2", .min = "1"},
    {0, "step", "NAME", "this step only", .take = take_step},
    {0, "timeout", "SECONDS", "for a step", TCF_SIZE, AT(timeout), .default_value = "30", .min = "1"},
    {0, "plugin-path", "DIRS", "where other filters of the chain are looked for first", TCF_STRING, AT(t.plugin_path)},
    {0, "list-rules", NULL, "the rules, and the place in filter.h where each stands", .take = list_rules},
    {'v', "verbose", NULL, "what the runs print, and every step", AT(verbose)},
};
#undef AT

static void say_version(void)
{
    printf("tcflow-torture %s\nplugin interface %d.%d\n", PACKAGE_VERSION, TCF_ABI_MAJOR, TCF_ABI_MINOR);
}

static const option_table options = {
    .program = "tcflow-torture",
    .rows = rows,
    .n_rows = TCF_COUNT(rows),
    .version = say_version,
    .above =
        "Usage: tcflow --torture FILE.so [options]        (or: tcflow-torture FILE.so [options])\n"
        "\n"
        "Runs a plugin over random programs, cut and mistreated in all ways that the plugin interface allows, and\n"
        "reports which rules of <tcflow/filter.h> it breaks. FILE may be the name of an installed filter. A reader of\n"
        "another format reads a sample, whole and damaged, with other parameters, slices and failures (source.h).\n"
        "\n",
    .below = "\n"
             "Exit status: 0 no rule broken, 1 some are broken, 2 usage or settings that the filter refuses.\n",
};

/* ------------------------------------------------------------------------------------------------------ settings -- */

/* Reads the INI, with what -o says; a parameter without a section is one of the filter. Chain and survey are the INI's
 * unless the command line has them. */
static int load_settings(command *c, const char *name)
{
    char **overrides = need(calloc(c->n_parameters + 1, sizeof *overrides));
    setenv("SCRATCH", "${SCRATCH}", 1); /* a run puts its folder there */
    for (size_t i = 0; i < c->n_parameters; i++) {
        const char *text = c->parameters[i];
        int has_section = memchr(text, '.', strcspn(text, "=")) != NULL;
        if (asprintf(&overrides[i], "%s%s%s", has_section ? "" : name, has_section ? "" : ".", text) < 0)
            need(NULL);
    }
    c->t.settings = settings_load(c->config, (const char *const *)overrides, c->n_parameters);
    for (size_t i = 0; i < c->n_parameters; i++)
        free(overrides[i]);
    free(overrides);
    if (!c->t.settings) {
        error_print(stderr);
        return EXIT_USAGE;
    }
    const settings_section *pipeline = settings_find(c->t.settings, "pipeline");
    const settings_entry *chain = settings_entry_of(pipeline, "chain"), *survey = settings_entry_of(pipeline, "survey");
    c->t.chain = c->t.chain || !chain ? c->t.chain : chain->value;
    c->t.survey = c->t.survey || !survey ? c->t.survey : survey->value;
    return 0;
}

/* A name without a folder and without .so is that of a filter where tcflow would find it. */
static char *file_of(const command *c)
{
    size_t n = strlen(c->file), k = 0;
    if (strchr(c->file, '/') || (n > 3 && strcmp(c->file + n - 3, ".so") == 0))
        return need(strdup(c->file));
    char *file = NULL;
    loader *l = loader_new(c->t.plugin_path, NULL, NULL);
    if (l && !loader_named(l, c->file) && !*error_text())
        loader_find(l, c->file); /* says why it isn't there */
    const plugin *p = l ? loader_plugins(l, &k) : NULL;
    for (size_t i = 0; i < k && !file; i++)
        if ((p[i].filter || p[i].source) && strcmp(p[i].name, c->file) == 0)
            file = need(strdup(p[i].path));
    loader_delete(l);
    return file;
}

/* --------------------------------------------------------------------------------------------------------- steps -- */

static void repeat(command *c, const char *option, const char *value)
{
    size_t used = strlen(c->repeat);
    int quote = value && value[strcspn(value, " $;&|()<>*?\"")] != '\0';
    if (value)
        snprintf(c->repeat + used, sizeof c->repeat - used, quote ? " %s '%s'" : " %s %s", option, value);
}

static void note_command(command *c)
{
    repeat(c, "-c", c->config);
    repeat(c, "--chain", c->t.chain);
    repeat(c, "--survey", c->t.survey);
    repeat(c, "--plugin-path", c->t.plugin_path);
    repeat(c, "--sample", c->t.sample);
    for (size_t i = 0; i < c->n_parameters; i++)
        repeat(c, "-o", c->parameters[i]);
}

/* Prints the findings of a rule that no step before has broken. */
static void print_findings(command *c, const step *s, uint64_t seed)
{
    const board *b = c->t.board;
    for (uint32_t i = 0; i < b->n_findings; i++) {
        const finding *f = &b->findings[i];
        if (c->count[f->rule]++)
            continue;
        printf("broken: %s: %s (%s%s)\n", rules[f->rule].key, rules[f->rule].words,
               b->is_reader ? "" : "filter.h: ", b->is_reader ? "source.h" : rules[f->rule].place);
        fputs("    ", stdout);
        if (f->callback != CALL_NONE)
            printf("%s(): ", callback_names[f->callback]);
        if (f->event != NO_EVENT)
            printf("event %llu of ", (unsigned long long)f->event);
        if (f->location != NO_EVENT)
            printf("location %llu: ", (unsigned long long)f->location);
        printf("%s\n    again: tcflow --torture %s --seed %llu --seeds 1 --step %s%s\n", f->text, c->file,
               (unsigned long long)seed, s ? s->name : "settings", c->repeat);
    }
}

static void run_step(command *c, const step *s, uint64_t seed)
{
    child_run(&c->t, s, seed, c->timeout, c->verbose);
    c->runs += c->t.board->runs;
}

static void tell_refusal(const command *c)
{
    if (c->is_reader)
        fprintf(stderr,
                "tcflow-torture: the reader wants other settings: %s\n"
                "tcflow-torture: parameters are given by -o KEY=VALUE\n",
                c->t.board->refused);
    else
        fprintf(stderr,
                "tcflow-torture: the filter wants other settings: %s\n"
                "tcflow-torture: the chain was '%s'; parameters are given by -o KEY=VALUE, a chain by --chain or -c\n",
                c->t.board->refused, c->t.board->chain);
}

static int all_steps(command *c)
{
    for (uint64_t k = 0; k < c->seeds; k++)
        for (const step *s = c->is_reader ? reader_steps : torture_steps; s->name; s++) {
            if ((s->once && k > 0) || (c->step && strcmp(s->name, c->step) != 0 && strcmp(s->name, "settings") != 0))
                continue;
            run_step(c, s, c->seed + k);
            if (c->t.board->refuses_settings) {
                tell_refusal(c);
                return EXIT_USAGE;
            }
            print_findings(c, s, c->seed + k);
            if (c->count[RULE_ENDLESS]) {
                printf("No further step is run: each may take its %llu s\n", (unsigned long long)c->timeout);
                return EXIT_GOOD;
            }
        }
    return EXIT_GOOD;
}

static int torture_it(command *c)
{
    board *b = c->t.board;
    unsigned broken = 0;
    run_step(c, NULL, 0);
    if (b->refused[0] || b->n_findings > 0) {
        if (b->refused[0])
            report_finding(b, RULE_LOAD, CALL_NONE, NO_EVENT, NO_EVENT, "%.400s", b->refused);
        print_findings(c, NULL, c->seed);
        return EXIT_BROKEN;
    }
    char name[64], version[64];
    memcpy(name, b->name, sizeof name);
    memcpy(version, b->version, sizeof version);
    c->is_reader = b->is_reader;
    if (c->is_reader && !c->t.sample)
        return usage("'%s' is a reader of another format: give it a file by --sample", name);
    int status = load_settings(c, name);
    if (status || (status = all_steps(c)))
        return status;
    for (int r = 0; r < RULES; r++)
        broken += c->count[r] > 0;
    printf("%s %s, %s '%s': %u rules broken, %llu runs over %llu %s from seed %llu on%s\n", name, version,
           c->is_reader ? "sample" : "chain", c->is_reader ? c->t.sample : b->chain, broken,
           (unsigned long long)c->runs, (unsigned long long)c->seeds, c->is_reader ? "draws" : "programs",
           (unsigned long long)c->seed, memory_watched() ? "" : " (memory is for the sanitizers)");
    return broken > 0 ? EXIT_BROKEN : EXIT_GOOD;
}

static int command_line(int argc, char **argv)
{
    command c = {.repeat = ""};
    int first, status;
    output_reserve_standard();
    tcf_status parsed = options_parse(&options, &c, argc, argv, &first);

    if (parsed == TCF_HELD)
        return EXIT_GOOD;
    if (parsed != TCF_OK) {
        fprintf(stderr, "tcflow-torture: %s\n", error_text());
        return EXIT_USAGE;
    }
    if (first != argc - 1)
        return usage(first == argc ? "give a plugin's file" : "'%s' is one file too many", argv[argc - 1]);
    c.file = argv[first];
    note_command(&c);
    c.t.board = mmap(NULL, sizeof *c.t.board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c.t.board == MAP_FAILED)
        return usage("no memory to share with the steps: %s", strerror(errno));
    char *file = file_of(&c);
    c.t.file = file;
    if (file) {
        status = torture_it(&c);
    } else {
        error_print(stderr);
        status = EXIT_USAGE;
    }
    settings_free(c.t.settings);
    free(c.parameters);
    free(file);
    return status;
}

int main(int argc, char **argv)
{
    int status = command_line(argc, argv);

    errno = 0; /* an earlier write may have failed, whose reason is gone */
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "tcflow-torture: cannot write to standard output: %s\n",
            errno ? strerror(errno) : "a write failed");
    return status == EXIT_GOOD ? EXIT_USAGE : status;
}
