/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is done to a plugin. Each step has a process of its own, so that a crash ends the step alone. */
#include "torture.h"

#include "kit/harness/internal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t mix(uint64_t seed, uint64_t k)
{
    uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + k * 0xbf58476d1ce4e5b9u;
    return (x ^ x >> 31) % 1000000007u + 1;
}

/* A run that should go well. */
static run good_run(torture *t, const run_options *o, const char *what)
{
    run r = run_chain(t, o);
    if (r.status != TCF_OK && t->board->n_findings == 0)
        report_finding(t->board, RULE_RUN, r.g->failed_in, NO_EVENT, NO_EVENT, "%s fails: %s", what, tcfh_error(r.h));
    return r;
}

static run reference(torture *t, uint64_t seed)
{
    return good_run(t, &(run_options){.seed = seed}, "the run");
}

/* Do the parameters suffice? What init() or begin() refuses is for the user to settle. */
static void step_settings(torture *t, uint64_t seed)
{
    run r = run_chain(t, &(run_options){.seed = seed});
    if (r.status != TCF_OK &&
        (tcfh_error_is_usage(r.h) || r.g->failed_in == CALL_INIT || r.g->failed_in == CALL_BEGIN)) {
        t->board->refuses_settings = 1;
        snprintf(t->board->refused, sizeof t->board->refused, "%s", tcfh_error(r.h));
    }
    run_delete(&r);
}

static void step_reference(torture *t, uint64_t seed)
{
    run a = reference(t, seed);
    if (a.status == TCF_OK) {
        run b = reference(t, seed);
        run_compare(t, &a, &b, COMPARE_ALL, RULE_AGAIN, "in a second run of the process");
        run_delete(&b);
    }
    run_delete(&a);
}

static void step_windows(torture *t, uint64_t seed)
{
    static const struct {
        run_options o;
        int cut;
        const char *what;
    } variants[] = {
        {{.slice = 1}, 0, "with slices of one event"},
        {{.slice = 2}, 1, "with slices of one and two events"},
        {{.slice = 7}, 1, "with slices of up to seven events"},
        {{.slice = 50}, 1, "with slices of up to fifty events"},
        {{.together = 1}, 0, "where locations advance together"},
        {{.together = 1, .slice = 5}, 1, "where locations advance together in slices of up to five events"},
        {{.hold = 1, .slice = 3}, 1, "where the next filter holds slices"},
    };
    run a = reference(t, seed);
    for (size_t i = 0; a.status == TCF_OK && i < sizeof variants / sizeof variants[0]; i++) {
        run_options o = variants[i].o;
        o.seed = seed;
        o.cut = variants[i].cut ? mix(seed, i) : 0;
        if (o.hold && (a.g->can & TCF_CAN_SURVEY))
            continue;
        run b = run_chain(t, &o);
        run_compare(t, &a, &b, COMPARE_ALL, RULE_WINDOWS, variants[i].what);
        run_delete(&b);
    }
    run_delete(&a);
}

/* Makes the pool dry, or seem so: results may be less good, but the run must not fail. */
static void step_early(torture *t, uint64_t seed)
{
    static const run_options variants[] = {
        {.slice = 1, .memory = "1MiB", .plan = {.flush_every = 1}},
        {.slice = 4, .memory = "1MiB", .plan = {.flush_every = 3}},
        {.slice = 2, .memory = "1MiB", .together = 1, .hold = 1},
        {.slice = 256, .memory = "1MiB", .plan = {.flush_every = 2}},
    };
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        run_options o = variants[i];
        o.seed = seed;
        o.cut = mix(seed, 40 + i);
        run r = good_run(t, &o, "a run with little memory");
        run_delete(&r);
    }
}

static void step_lost(torture *t, uint64_t seed)
{
    for (uint64_t k = 0; k < 3; k++) {
        run r = good_run(t,
                         &(run_options){.program = PROGRAM_LOST,
                                        .seed = mix(seed, 60 + k),
                                        .slice = k == 0 ? 0 : 8,
                                        .cut = k},
                         "a run over an incomplete trace");
        run_delete(&r);
    }
}

static void step_empty(torture *t, uint64_t seed)
{
    run r = good_run(t, &(run_options){.program = PROGRAM_EMPTY, .seed = seed}, "a run over a trace without events");
    run_delete(&r);
}

static void step_twins(torture *t, uint64_t seed)
{
    run a = reference(t, seed);
    int alone = a.g->writes == 0 && !(a.g->can & (TCF_CAN_DROP | TCF_CAN_INSERT | TCF_CAN_SURVEY));
    if (a.status == TCF_OK && !(a.g->can & TCF_CAN_SURVEY)) {
        run b = run_chain(t, &(run_options){.seed = seed, .twins = 1});
        /* The first one sees what it would see alone, the second one too where the first changes nothing. */
        if (b.status != TCF_OK && alone)
            run_compare(t, &a, &b, COMPARE_ALL, RULE_AGAIN, "with two instances in the chain");
        if (b.status == TCF_OK)
            run_compare(t, &a, &b, alone ? COMPARE_ALL : COMPARE_REPORT, RULE_AGAIN, "with two instances in the chain");
        if (b.status == TCF_OK && alone)
            run_compare(t, &a, &b, COMPARE_SECOND, RULE_AGAIN, "of the second instance in the chain");
        run_delete(&b);
    }
    run_delete(&a);
}

static void step_domains(torture *t, uint64_t seed)
{
    char what[40];
    run a = reference(t, seed);
    for (uint32_t n = 2; n <= 3 && a.status == TCF_OK && (a.g->can & TCF_CAN_DOMAINS); n++) {
        run b = run_chain(t, &(run_options){.seed = seed, .threads = n});
        snprintf(what, sizeof what, "in %u domains", n);
        run_compare(t, &a, &b, COMPARE_ALL, RULE_DOMAINS, what);
        run_delete(&b);
    }
    run_delete(&a);
}

/* A run that must fail. */
static void bad_run(torture *t, const run_options *o, enum rule rule, const char *what)
{
    run r = run_chain(t, o);
    if (r.status == TCF_OK && (r.g->injected || rule == RULE_WRITTEN))
        report_finding(t->board, rule, CALL_NONE, NO_EVENT, NO_EVENT, "%s, and the run went well", what);
    run_delete(&r);
}

static void step_reading(torture *t, uint64_t seed)
{
    for (uint64_t k = 0; k < 3; k++)
        bad_run(t, &(run_options){.seed = seed, .slice = k == 0 ? 0 : 8, .fail_reading = mix(seed, 70 + k)}, RULE_RUN,
                "an event could not be read");
}

static void step_callbacks(torture *t, uint64_t seed)
{
    char what[120];
    run a = reference(t, seed);
    for (int c = CALL_INIT; a.status == TCF_OK && c < CALLS; c++) {
        uint64_t n = a.g->calls[c];
        if (n == 0 || c == CALL_FINI)
            continue;
        for (uint64_t k = 0; k < 3; k++) {
            uint64_t at = k == 0 ? 1 : k == 1 ? n : 1 + mix(seed, (uint64_t)c * 8) % n;
            snprintf(what, sizeof what, "call %llu of %s() failed", (unsigned long long)at, callback_names[c]);
            bad_run(t,
                    &(run_options){.seed = seed, .plan = {.fail_callback = (enum callback)c, .fail_callback_at = at}},
                    RULE_IGNORED, what);
            if (n == 1)
                break;
        }
    }
    run_delete(&a);
}

static void step_host(torture *t, uint64_t seed)
{
    char what[120];
    run a = reference(t, seed);
    for (int c = 0; a.status == TCF_OK && c < HOST_CALLS; c++)
        for (uint64_t k = 0, n = a.g->host_calls[c]; k < 3 && k < n; k++) {
            uint64_t at = k == 0 ? 1 : k == 1 ? n : 1 + mix(seed, 100 + (uint64_t)c * 8) % n;
            snprintf(what, sizeof what, "call %llu of host->%s() failed", (unsigned long long)at, host_call_names[c]);
            bad_run(t, &(run_options){.seed = seed, .plan = {.fail_host = (enum host_call)c, .fail_host_at = at}},
                    RULE_IGNORED, what);
        }
    run_delete(&a);
}

static void step_memory(torture *t, uint64_t seed)
{
    enum { MOST = 30 };
    char what[160];
    run a = reference(t, seed);
    uint64_t n = a.memory.allocations;
    for (uint64_t k = 0; a.status == TCF_OK && memory_watched() && k < (n < MOST ? n : MOST); k++) {
        uint64_t at = n <= MOST ? k + 1 : 1 + mix(seed, 200 + k) % n;
        run b = run_chain(t, &(run_options){.seed = seed, .plan = {.fail_allocation_at = at}});
        snprintf(what, sizeof what, "after allocation %llu, at 0x%llx of the file, has failed", (unsigned long long)at,
                 (unsigned long long)b.memory.failed_at);
        if (b.status == TCF_OK && b.memory.failed_at && b.g->warnings <= a.g->warnings)
            run_compare(t, &a, &b, COMPARE_ALL, RULE_MEMORY, what);
        run_delete(&b);
    }
    run_delete(&a);
}

/* Does a filter declare what it takes for a location? What it takes by itself for locations without events is compared
 * with that; what events make it take depends on them. */
static void step_locations(torture *t, uint64_t seed)
{
    enum { LITTLE = 64 /* bytes */ };
    const uint64_t declared = t->plugin->location_more;
    run a = run_chain(t, &(run_options){.program = PROGRAM_EMPTY, .seed = seed}),
        b = run_chain(t, &(run_options){.program = PROGRAM_WIDE, .seed = seed});
    const uint64_t few = a.memory.most_bytes, many = b.memory.most_bytes,
                   each = many > few ? (many - few) / PROGRAM_MORE : 0;

    printf("a location without events: %llu bytes, %llu declared\n", (unsigned long long)each,
           (unsigned long long)declared);
    if (a.status == TCF_OK && b.status == TCF_OK && each > declared + LITTLE)
        report_finding(t->board, RULE_LOCATIONS, CALL_NONE, NO_EVENT, NO_EVENT,
                       "%llu bytes are allocated for each of them, and location_more states %llu",
                       (unsigned long long)each, (unsigned long long)declared);
    run_delete(&a);
    run_delete(&b);
}

/* --------------------------------------------------------------------------------------------------------- files -- */

/* Of all files in the folder and below it, but for the harness' own INI. */
static long long bytes_in(const char *folder)
{
    long long bytes = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[4096];
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || strcmp(e->d_name, "pipeline.ini") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (lstat(path, &st) == 0)
            bytes += S_ISDIR(st.st_mode) ? bytes_in(path) : (long long)st.st_size;
    }
    if (d)
        closedir(d);
    return bytes;
}

static void step_files(torture *t, uint64_t seed)
{
    char what[120];
    int path = 0;
    run a = reference(t, seed);
    long long bytes = a.status == TCF_OK ? bytes_in(a.h->folder) : 0;
    for (uint32_t i = 0; i < t->plugin->params.n; i++)
        path |= t->plugin->params.at[i].type == TCF_OUTPUT_PATH && !t->plugin->params.at[i].default_value;
    snprintf(what, sizeof what, "%lld bytes go to files, none could be written", bytes);
    if (bytes > 0)
        bad_run(t, &(run_options){.seed = seed, .plan = {.no_files = 1}}, RULE_WRITTEN, what);
    if (bytes > 0 && path)
        bad_run(t, &(run_options){.seed = seed, .bad_paths = 1}, RULE_WRITTEN, "the folder of the output is not there");
    run_delete(&a);
}

static void step_checking(torture *t, uint64_t seed)
{
    run r = run_chain(t, &(run_options){.seed = seed, .check = 1});
    long long bytes = bytes_in(r.h->folder);
    if (bytes > 0)
        report_finding(t->board, RULE_CHECKING, CALL_BEGIN, NO_EVENT, NO_EVENT, "%lld bytes were written", bytes);
    run_delete(&r);
}

const step torture_steps[] = {
    {"settings", step_settings, 1},   {"reference", step_reference, 0},
    {"windows", step_windows, 0},     {"early", step_early, 0},
    {"lost", step_lost, 0},           {"empty", step_empty, 1},
    {"twins", step_twins, 0},         {"domains", step_domains, 0},
    {"reading", step_reading, 0},     {"callbacks", step_callbacks, 0},
    {"host", step_host, 0},           {"memory", step_memory, 0},
    {"locations", step_locations, 1}, {"files", step_files, 0},
    {"checking", step_checking, 1},   {NULL, NULL, 0},
};
