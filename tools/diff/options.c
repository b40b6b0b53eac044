/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The command line of tcflow-diff. */
#include "diff.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: tcflow-diff [options] [LABEL=]FILE[,FILE...] [LABEL=]FILE[,FILE...]...\n"
    "\n"
    "Compares runs: databases of results, as tcflow writes them with `database = FILE` in [pipeline].\n"
    "LABEL=FILE,FILE...: repetitions of one run; their median is compared, and their range tells what is noise.\n"
    "\n"
    "What is compared\n"
    "      --reference WHICH    the run that others are compared with: its number, label or file (1)\n"
    "      --sections LIST      of runs, scaling, profile, waits, messages, imbalance (all that are there)\n"
    "      --by WHAT            region, callpath, or both (both)\n"
    "      --metric NAME        exclusive, inclusive, visits, or all (exclusive; in CSV, JSON and HTML all)\n"
    "      --region PATTERN     regions, and call paths that end in such a region or are like PATTERN as a whole,\n"
    "                           with * and ? (all); may be there several times\n"
    "      --instance NAME      the filter instance to take where a run has several (the first of the chain)\n"
    "      --top N              rows of a table, those with the largest changes; 0: all (20; in HTML 2000, in CSV "
    "and JSON all)\n"
    "Scaling, when runs differ in their number of processes; relative to the run with the fewest\n"
    "      --scaling KIND       strong: the same work for all processes together; weak: for each; none (strong)\n"
    "      --count WHAT         processes, or locations (threads and streams) (processes)\n"
    "Verdict\n"
    "      --fail-above PERCENT exit status 3 when the duration, the time of all regions, or a region or call path "
    "has\n"
    "                           grown by more than PERCENT; not where repetitions show that it may be noise\n"
    "      --ignore-below PERCENT  regions that have grown by less than this share of all time are not judged (1)\n"
    "Output\n"
    "      --csv, --json        instead of text\n"
    "      --html FILE          a page besides that needs nothing else; -: it alone, to standard output\n"
    "      --overwrite          replace FILE if it exists\n"
    "      --width N            columns of text (the terminal's, or $COLUMNS, or any)\n"
    "\n"
    "      --version, -h, --help\n"
    "\n"
    "Change is the difference of medians. With two or more runs on both sides it is significant (*) when their ranges\n"
    "do not overlap, and else may be noise (~). What a run does not have is missing (-), not zero.\n"
    "Speed-up is D0 / D of the durations, times N / N0 in weak scaling; efficiency is D0 N0 / (D N), or D0 / D in "
    "weak\n"
    "scaling, with N processes, 0 being the run with the fewest. The scaling loss of a region is the time A of all\n"
    "processes in it beyond that of perfect scaling: A - A0, or A - A0 N / N0 in weak scaling. The exponent is the "
    "slope\n"
    "of the line through log(A / N) over log(N), by least squares over all runs; ideally it is -1, or 0 in weak "
    "scaling.\n"
    "The residual is the root mean square of the logarithms' distances from the line. A region does not scale when "
    "its\n"
    "exponent is 0.5 or more above the ideal one, and its loss 1 % or more of all time of the largest run.\n"
    "\n"
    "Example: tcflow-diff --html diff.html before=a1.sqlite,a2.sqlite,a3.sqlite after=b1.sqlite,b2.sqlite,b3.sqlite\n"
    "Exit status: 0 done, 1 it failed, 2 usage, 3 slower than --fail-above.\n";

enum {
    REFERENCE = 256,
    SECTIONS,
    BY,
    METRIC,
    REGION,
    INSTANCE,
    TOP,
    SCALING_KIND,
    COUNT,
    FAIL_ABOVE,
    IGNORE_BELOW,
    AS_CSV,
    AS_JSON,
    HTML,
    OVERWRITE,
    WIDTH,
    VERSION
};

static const struct option long_options[] = {
    {"reference", required_argument, NULL, REFERENCE},
    {"sections", required_argument, NULL, SECTIONS},
    {"by", required_argument, NULL, BY},
    {"metric", required_argument, NULL, METRIC},
    {"region", required_argument, NULL, REGION},
    {"instance", required_argument, NULL, INSTANCE},
    {"top", required_argument, NULL, TOP},
    {"scaling", required_argument, NULL, SCALING_KIND},
    {"count", required_argument, NULL, COUNT},
    {"fail-above", required_argument, NULL, FAIL_ABOVE},
    {"ignore-below", required_argument, NULL, IGNORE_BELOW},
    {"csv", no_argument, NULL, AS_CSV},
    {"json", no_argument, NULL, AS_JSON},
    {"html", required_argument, NULL, HTML},
    {"overwrite", no_argument, NULL, OVERWRITE},
    {"width", required_argument, NULL, WIDTH},
    {"version", no_argument, NULL, VERSION},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static uint64_t to_whole(const char *option, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value < least || value > most)
        usage("%s '%s': expected a whole number from %" PRIu64 " to %" PRIu64, option, text, least, most);
    return value;
}

static double to_percent(const char *option, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    end += *end == '%';
    if (end == text || *end != '\0' || !isfinite(value) || value < 0)
        usage("%s '%s': expected a number of percent, at least 0", option, text);
    return value;
}

/* Position in a list of words that ends with NULL; of the first `bytes` of the text. */
static int to_choice(const char *option, const char *text, size_t bytes, const char *const *words)
{
    char list[200] = "";
    for (int i = 0; words[i]; i++) {
        if (strlen(words[i]) == bytes && strncmp(words[i], text, bytes) == 0)
            return i;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
    }
    usage("%s '%.*s': expected one of %s", option, (int)bytes, text, list);
}

static int to_word(const char *option, const char *text, const char *const *words)
{
    return to_choice(option, text, strlen(text), words);
}

static void to_sections(struct options *o, const char *text)
{
    static const char *const words[] = {"runs", "scaling", "profile", "waits", "messages", "imbalance", NULL};
    memset(o->section, 0, sizeof o->section);
    o->sections_named = true;
    for (const char *word = text;; word++) {
        size_t bytes = strcspn(word, ",");
        o->section[to_choice("--sections", word, bytes, words)] = true;
        word += bytes;
        if (*word == '\0')
            return;
    }
}

static void to_by(struct options *o, const char *text)
{
    static const char *const words[] = {"region", "callpath", "both", NULL};
    int by = to_word("--by", text, words);
    o->by_region = by != 1;
    o->by_callpath = by != 0;
    o->by_named = true;
}

static void take(struct options *o, int option, const char *text)
{
    static const char *const metrics[] = {"exclusive", "inclusive", "visits", "all", NULL};
    static const char *const kinds[] = {"strong", "weak", "none", NULL};
    static const char *const counts[] = {"processes", "locations", NULL};

    switch (option) {
    case REFERENCE:
        o->reference = text;
        break;
    case SECTIONS:
        to_sections(o, text);
        break;
    case BY:
        to_by(o, text);
        break;
    case METRIC:
        o->metric = (enum metric)to_word("--metric", text, metrics);
        break;
    case REGION:
        o->pattern[o->n_patterns++] = text;
        break;
    case INSTANCE:
        o->instance[o->n_instances++] = text;
        break;
    case TOP:
        o->top = to_whole("--top", text, 0, UINT32_MAX);
        o->top_named = true;
        break;
    case SCALING_KIND:
        o->scaling = (enum scaling)(STRONG + to_word("--scaling", text, kinds));
        break;
    case COUNT:
        o->count_locations = to_word("--count", text, counts) == 1;
        break;
    case FAIL_ABOVE:
        o->fail_above = to_percent("--fail-above", text);
        break;
    case IGNORE_BELOW:
        o->ignore_below = to_percent("--ignore-below", text);
        break;
    case AS_CSV:
    case AS_JSON:
        if (o->form != TEXT && o->form != (option == AS_CSV ? CSV : JSON))
            usage("--csv and --json exclude each other");
        o->form = option == AS_CSV ? CSV : JSON;
        break;
    case HTML:
        o->html = text;
        break;
    case WIDTH:
        o->width = to_whole("--width", text, 40, 100000);
        break;
    default:
        o->overwrite = true;
    }
}

void parse_options(struct options *o, int argc, char **argv)
{
    int option;
    size_t most = (size_t)argc;
    *o = (struct options){.by_region = true,
                          .by_callpath = true,
                          .metric = DEFAULT_METRICS,
                          .fail_above = NAN,
                          .ignore_below = 1,
                          .pattern = allocate(most, sizeof *o->pattern),
                          .instance = allocate(most, sizeof *o->instance)};
    memset(o->section, 1, sizeof o->section);
    while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        if (option == '?')
            usage("this is no valid command line");
        if (option == 'h' || option == VERSION) {
            fputs(option == 'h' ? help_text : "tcflow-diff " PACKAGE_VERSION "\n", stdout);
            options_free(o);
            exit(fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED);
        }
        take(o, option, optarg);
    }
    o->argument = argv + optind;
    o->n_arguments = (uint32_t)(argc - optind);
    if (o->html && strcmp(o->html, "-") == 0 && o->form != TEXT)
        usage("--html - and --csv or --json cannot both go to standard output");
    if (!isnan(o->fail_above) && !o->section[PROFILE])
        usage("--fail-above judges the section profile, which --sections leaves out");
    if (o->scaling == NO_SCALING)
        o->section[SCALING] = false;
}

void options_free(struct options *o)
{
    free(o->pattern);
    free(o->instance);
}
