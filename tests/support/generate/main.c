/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * trace KIND --out DIR [options]: writes an OTF2 archive for tests and benchmarks; see trace --help. */
#include "framework/base/error.h"
#include "kinds.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*write)(const struct command *c);
    const char *help;
} kinds[] = {
    {"bench", write_bench, "an iterative MPI program, long, realistic and causally valid"},
    {"random", write_random, "a random program of MPI, OpenMP and threads, and what really happened in truth.csv"},
    {"odd", write_odd, "random events that need not make sense"},
    {"quiet", write_quiet, "few events on one location, very many on its two neighbours"},
    {"no-messages", write_no_messages, "processes and streams of accelerators that never communicate"},
    {"everything", write_everything, "every kind of record that OTF2 3.0 can write"},
    {"extremes", write_extremes, "all kinds of events, with numbers at which their encoding changes"},
    {"hostile", write_hostile, "a small program, and one thing that an attacker would put into an archive"},
    {"large", write_large, "much of one kind: nested calls, messages in flight, regions, communicators, ..."},
};

static void put_help(FILE *stream)
{
    fputs("Usage: trace KIND --out DIR [options]\n\n"
          "Writes DIR/traces.otf2. The same options give the same trace, but for the archive's identifier.\n\n",
          stream);
    for (size_t i = 0; i < TCF_COUNT(kinds); i++)
        fprintf(stream, "  %-12s %s\n", kinds[i].name, kinds[i].help);
    fputs("\n'trace KIND --help' lists the options of a kind. Exit status: 0 done, 1 it failed, 2 usage.\n", stream);
}

_Noreturn void wrong_usage(const struct command *c, const char *why)
{
    fprintf(stderr, "trace %s: %s\nTry 'trace %s --help'.\n", c->name, why, c->name);
    exit(2);
}

void take_options(const struct command *c, const option_row *rows, size_t n, void *options)
{
    option_row all[64] = {
        {0, "out", "DIR", "the folder to write to, which must be given", TCF_OUTPUT_PATH, .offset = 0}};
    char program[32], above[256];
    const option_table table = {.program = program, .rows = all, .n_rows = n + 1, .above = above, .below = ""};
    int first;

    memcpy(all + 1, rows, n * sizeof *rows);
    snprintf(program, sizeof program, "trace %s", c->name);
    snprintf(above, sizeof above, "Usage: trace %s --out DIR [options]\n\nWrites a trace: %s.\n\n", c->name, c->help);
    tcf_status status = options_parse(&table, options, c->argc, c->argv, &first);
    if (status == TCF_HELD)
        exit(0);
    if (status != TCF_OK)
        wrong_usage(c, error_text());
    const char *directory = *(const char *const *)options;
    if (first < c->argc || directory == NULL || *directory == '\0')
        wrong_usage(c, "--out DIR must be given, and nothing but options");
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    bool help = strcmp(kind, "--help") == 0 || strcmp(kind, "-h") == 0;

    for (size_t i = 0; i < TCF_COUNT(kinds); i++)
        if (strcmp(kind, kinds[i].name) == 0)
            return kinds[i].write(&(struct command){kind, kinds[i].help, argc - 1, argv + 1});
    put_help(help ? stdout : stderr);
    return help ? 0 : 2;
}
