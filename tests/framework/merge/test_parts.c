/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Random traces that were split by locations into streams, and merged again, are the same traces: definitions, ticks,
 * matches, reports. As test_merge.sh does with the commands, over many more traces; all files that the whole trace and
 * its parts lead to are compared, archives byte by byte but for the anchor, which names each archive.
 *
 * SEEDS (default 2) traces a kind, from FIRST (default 1) on; KIND: of this kind only. All runs are in this one
 * process. */
#define _GNU_SOURCE
#include "tests/plugins/clc/trials.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH = 700 };

/* --------------------------------------------------------------------------------------------------------- files -- */

static char *contents(const char *path, size_t *size)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, size);
    char some[4096];
    while (f && to && (n = fread(some, 1, sizeof some, f)) > 0)
        fwrite(some, 1, n, to);
    if (to)
        fclose(to);
    if (f) {
        fclose(f);
        return text;
    }
    free(text);
    return NULL;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **sorted_lines(char *text, size_t *n)
{
    struct o_list lines = {0};
    for (char *line; (line = strsep(&text, "\r\n"));)
        if (*line)
            *(char **)o_push(&lines, sizeof line) = line;
    *n = lines.n;
    if (lines.n)
        qsort(lines.item, lines.n, sizeof(char *), compare_texts);
    return lines.item;
}

/* Sums of floating point numbers depend on the order in which locations come, in the last digits. */
static int same_field(const char *a, const char *b)
{
    char *end_a, *end_b;
    if (!strcmp(a, b))
        return 1;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    return *a && *b && !*end_a && !*end_b && fabs(x - y) <= 1e-9 * sqrt(x * x + y * y);
}

static int same_line(char *a, char *b)
{
    while (a && b) {
        const char *x = strsep(&a, ","), *y = strsep(&b, ",");
        if (!same_field(x, y))
            return 0;
    }
    return !a && !b;
}

/* Rows that are equal but for such digits may come in another order, too. */
static int same_reports(char *a, char *b)
{
    size_t n, m, i = 0;
    char **x = sorted_lines(a, &n), **y = sorted_lines(b, &m);
    while (n == m && i < n && same_line(x[i], y[i]))
        i++;
    free(x);
    free(y);
    return n == m && i == n;
}

static int ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static int same_files(const char *a, const char *b)
{
    size_t n, m;
    char *x = contents(a, &n), *y = contents(b, &m);
    int same = x && y &&
               (ends_with(a, ".otf2") || (n == m && !memcmp(x, y, n)) || (ends_with(a, ".csv") && same_reports(x, y)));
    free(x);
    free(y);
    return same;
}

/* Returns how many files there are below A; those of B are to be the same. */
static size_t compare_folders(const struct trial *t, const char *what, const char *a, const char *b)
{
    struct dirent **entry = NULL;
    int n = scandir(a, &entry, NULL, alphasort);
    size_t files = 0;
    for (int i = 0; i < n; i++) {
        char x[PATH], y[PATH];
        struct stat st;
        snprintf(x, sizeof x, "%s/%s", a, entry[i]->d_name);
        snprintf(y, sizeof y, "%s/%s", b, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.' && stat(x, &st) == 0) {
            if (S_ISDIR(st.st_mode))
                files += compare_folders(t, what, x, y);
            else if (++files && !same_files(x, y))
                wrong(t, "%s: %s differs", what, x);
        }
        free(entry[i]);
    }
    free(entry);
    return files;
}

static size_t count_files(const char *folder)
{
    struct trial nobody = {.seed = 0};
    return compare_folders(&nobody, "", folder, folder);
}

/* -------------------------------------------------------------------------------------------------------- chains -- */

static const struct chain {
    const char *name, *filters;
} chains[] = {
    {"copy", "otf2_write"},
    {"correct", "presync clc_forward clc_backward wait_states profile clock_report otf2_write"},
    {"reports", "check wait_states critical_path root_cause comm_matrix profile load_imbalance print"},
};
enum { CHAINS = sizeof chains / sizeof *chains };

/* Filters that a trace is not for: check would find the events that are missing, presync refuses offsets that turn back
 * time, which those that are measured in coarse ticks may do. */
enum { WITHOUT_CHECK = 1, WITHOUT_PRESYNC = 2 };

static int is_without(const char *filters, const char *first, int without)
{
    return without && !strncmp(filters, first, strlen(first));
}

/* What a chain writes goes to a folder. */
static int run_chain(const struct trial *t, const char *what, const struct chain *c, int without, const char *input,
                     const char *folder, const char *window)
{
    struct options o = {.n = 0};
    const char *filters = c->filters;
    if (is_without(filters, "check ", without & WITHOUT_CHECK) ||
        is_without(filters, "presync ", without & WITHOUT_PRESYNC))
        filters = strchr(filters, ' ') + 1;
    char names[200], *rest = names, *name;
    remove_all(folder);
    mkdir(folder, 0777);
    say(&o, "pipeline.input=%s", input);
    say(&o, "pipeline.chain=%s", filters);
    say(&o, "pipeline.%s", window);
    snprintf(names, sizeof names, "%s", filters);
    while ((name = strsep(&rest, " "))) {
        if (!strcmp(name, "otf2_write")) {
            say(&o, "otf2_write.path=%s/archive", folder);
        } else if (!strcmp(name, "print")) {
            say(&o, "print.output=%s/print.txt", folder);
        } else {
            say(&o, "%s.output=%s/%s.csv", name, folder, name);
            say(&o, "%s.format=csv", name);
        }
        if (!strcmp(name, "presync"))
            say(&o, "presync.unsynchronised=keep");
    }
    return run_alone(t, what, settings_said(NULL, &o));
}

/* --------------------------------------------------------------------------------------------------------- parts -- */

enum way { TURNS, BLOCKS, REST }; /* REST: all but the first location are in the last part */

static size_t part_of(enum way way, size_t i, size_t n, size_t parts)
{
    return way == TURNS ? i % parts : way == BLOCKS ? i * parts / n : i ? parts - 1 : 0;
}

/* Writes a part as a stream; nothing but definitions where it has no location. */
static int split(const struct trial *t, enum way way, size_t parts, size_t part, int matches)
{
    struct options o = {.n = 0};
    size_t n = t->trace->n_locations, at = 0;
    char ids[OPTION - 40] = "", what[60];
    for (size_t i = 0; i < n; i++)
        if (part_of(way, i, n, parts) == part)
            at +=
                (size_t)snprintf(ids + at, sizeof ids - at, "%s%" PRIu64, at ? "," : "", t->trace->location[i].def.id);
    say(&o, "pipeline.input=%s", t->anchor);
    say(&o, "pipeline.chain=select stream_write");
    say(&o, at ? "select.locations=%s" : "select.exclude_kinds=*%s", ids);
    say(&o, "stream_write.path=%s.%zu", in_work("part"), part);
    say(&o, "stream_write.matches=%s", matches ? "yes" : "no");
    snprintf(what, sizeof what, "part %zu of %zu", part, parts);
    return run_alone(t, what, settings_said(NULL, &o));
}

static void check_way(const struct trial *t, enum way way, size_t parts, int without, const char *window,
                      const char *less)
{
    static const char *const names[] = {"turns", "blocks", "rest"};
    char input[PATH] = "", what[120];
    size_t at = 0;
    for (size_t k = 0; k < parts; k++) {
        char path[PATH];
        snprintf(path, sizeof path, "%s.%zu", in_work("part"), k);
        remove(path);
        if (!split(t, way, parts, k, way == TURNS))
            return;
        at += (size_t)snprintf(input + at, sizeof input - at, "%sstream:%s", at ? " " : "", path);
    }
    for (size_t c = 0; c < CHAINS; c++) {
        char one[40];
        snprintf(one, sizeof one, "one.%s", chains[c].name);
        snprintf(what, sizeof what, "%s of %zu parts, %s, %s", names[way], parts, chains[c].name, less);
        if (!run_chain(t, what, &chains[c], without, input, in_work("merged"), way == BLOCKS ? less : window))
            continue;
        size_t files = compare_folders(t, what, in_work(one), in_work("merged"));
        if (files == 0 || files != count_files(in_work("merged")))
            wrong(t, "%s: other files", what);
    }
}

/* -------------------------------------------------------------------------------------------------------- traces -- */

static const struct kind kinds[] = {
    {"messages", 0, {.features = MESSAGES}},
    {"collectives", 0, {.features = COLLECTIVES}},
    {"threads", 0, {.features = RT_P2P | RT_COLLECTIVES | THREADS}},
    {"threads that communicate", 0, {.features = COMMUNICATING}},
    {"everything",
     0,
     {.features = SINGLE | THREADS | RT_ATTRIBUTES | RT_METRICS, .sparse_locations = 1, .sparse_regions = 1}},
    {"definitions of each rank",
     0,
     {.features = SINGLE | RT_ATTRIBUTES | RT_METRICS,
      .regions_per_rank = 1,
      .comms_per_rank = 1,
      .shuffle_definitions = 1,
      .repeat_definitions = 1,
      .wrong_event_counts = 1}},
    {"wrong clocks",
     0,
     {.features = SINGLE | THREADS,
      .clock_offset_ns = 3e6,
      .clock_drift_ppm = 100,
      .clock_jumps = 2,
      .clock_jump_ns = 20000,
      .clock_offset_records = 4}},
    {"losses",
     0,
     {.features = RT_P2P | RT_NONBLOCKING | RT_COLLECTIVES,
      .lose_sends = 0.01,
      .lose_receives = 0.01,
      .never_complete = 0.05}},
    {"ends", 0, {.features = RT_P2P | RT_NONBLOCKING | RT_COLLECTIVES, .end_early = 0.3, .empty_locations = 1}},
    {"anything", ANYTHING, {0}},
    {"anything, with threads that communicate", ANYTHING | THREADED, {0}},
    {"any thread of a process", 0, {.features = SINGLE | THREADS | RT_MPI_THREADS | RT_ANY_THREAD | RT_TEAM_SIZES}},
    {"calls of threads that cross",
     0,
     {.features = SINGLE | THREADS | RT_MPI_THREADS | RT_ANY_THREAD | RT_TEAM_SIZES | RT_CROSSED}},
    {"anything, and any thread", ANYTHING | UNUSUAL | ANY_THREAD, {0}},
    {"anything, and persistent requests", ANYTHING | UNUSUAL | PERSISTENT, {0}},
    {"communicators made again, by ids of each rank", 0, {.features = SINGLE, .reuse_comms = 1, .comms_per_rank = 1}},
    {"anything, and what is seen seldom", ANYTHING | UNUSUAL | SELDOM, {0}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void check_kind(const struct kind *k, uint64_t seed)
{
    struct trial t = {.seed = seed};
    struct random_trace_options o;
    uint64_t h = seed;
    char window[40], less[40];
    snprintf(t.name, sizeof t.name, "%s %" PRIu64, k->name, seed);
    options_of(k, seed, seed % 5 + 2, 1, &o);
    o.seed = seed;
    o.events = 2000;
    int without =
        o.lose_sends > 0 || o.lose_receives > 0 || o.never_complete > 0 || o.end_early > 0 ? WITHOUT_CHECK : 0;
    without |= o.ticks_per_second < 1000000000 ? WITHOUT_PRESYNC : 0;
    snprintf(window, sizeof window, "slice=%" PRIu64, (const uint64_t[]){0, 7, 1, 100}[draw(&h) % 4]);
    snprintf(less, sizeof less, "memory=%" PRIu64 "KiB", 1024 + draw(&h) % 4096);
    const char *anchor = write_trace(&t, &o, "trace");
    int good = anchor && load(&t, anchor, 1);
    for (size_t c = 0; c < CHAINS && good; c++) {
        char one[40];
        snprintf(one, sizeof one, "one.%s", chains[c].name);
        good = run_chain(&t, "the whole trace", &chains[c], without, t.anchor, in_work(one), window);
    }
    if (good) {
        check_way(&t, TURNS, seed % 2 + 2, without, window, window);
        check_way(&t, draw(&h) % 4 ? BLOCKS : REST, seed % 3 + 2, without, window, less);
    }
    unload(&t);
}

/* Traces that something was found with. */
static void check_kept(void)
{
    static const struct kept kept[] = {
        /* a location without events that another part has left out */
        {"ends", 1},
        /* messages without partner of processes of several ranks: the one that came first decided whose */
        {"anything, with threads that communicate", 10000009},
        /* collectives that were given up in front of a filter that holds slices: waited for again behind it */
        {"anything, and any thread", 1880060009},
        /* what of the begins of such a collective had passed was judged */
        {"anything, and any thread", 1880060017},
        /* a thread that forks many teams before others come to them: the report knew of the last four */
        {"anything, and persistent requests", 7300039},
        /* begins of one time, of both sides of an inter-communicator: slices decided which one a violation was blamed
         * on */
        {"anything, with threads that communicate", 7500015},
        /* lines of check that differ in a communicator alone which nothing defines: slices decided on their order */
        {"anything, and persistent requests", 53},
        /* a call that had its answer before the one in front of it: slices decided whether the path lost its time */
        {"anything, and persistent requests", 52},
    };
    check_each_kept(kinds, KINDS, kept, sizeof kept / sizeof *kept, check_kind);
    result("traces that something was found with");
}

int main(void)
{
    if (!trials_begin())
        return 1;
    check_each_kind(kinds, KINDS, 2, check_kind);
    if (!getenv("KIND"))
        check_kept();
    return trials_end();
}
