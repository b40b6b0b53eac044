/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is done to a reader of another format. Each step has a process of its own. */
#include "readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t mix(uint64_t seed, uint64_t k)
{
    uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + k * 0xbf58476d1ce4e5b9u;
    return (x ^ x >> 31) % 1000000007u + 1;
}

static reading read_as(torture *t, const reading_options *o)
{
    int refused;
    return read_sample(t, o, &refused);
}

/* The reading that others are compared with, which should go well. */
static reading reference(torture *t)
{
    reading r = read_as(t, &(reading_options){0});
    if (r.status != TCF_OK)
        report_finding(t->board, RULE_RUN, CALL_NONE, NO_EVENT, NO_EVENT, "the sample cannot be read: %s", r.error);
    return r;
}

static void step_settings(torture *t, uint64_t seed)
{
    int refused;
    reading r = read_sample(t, &(reading_options){0}, &refused);

    (void)seed;
    t->board->refuses_settings = refused;
    snprintf(t->board->refused, sizeof t->board->refused, "%s", r.error);
    if (!refused && r.status != TCF_OK)
        report_finding(t->board, RULE_RUN, CALL_NONE, NO_EVENT, NO_EVENT, "the sample cannot be read: %s", r.error);
    reading_free(&r);
}

static void step_reference(torture *t, uint64_t seed)
{
    reading a = reference(t), b = reference(t);

    (void)seed;
    reading_compare(t, &a, &b, RULE_AGAIN, "in a second reading of the process");
    reading_free(&a);
    reading_free(&b);
}

/* Slices of any size, and memory so small that events go to temporary files. */
static void step_windows(torture *t, uint64_t seed)
{
    static const struct {
        uint32_t slice;
        uint64_t memory;
    } variants[] = {{1, 0}, {2, 0}, {7, 0}, {50, 0}, {0, 1 << 16}, {3, 1 << 16}};
    reading a = reference(t);

    for (size_t i = 0; a.status == TCF_OK && i < sizeof variants / sizeof *variants; i++) {
        char what[80];
        const uint32_t most = variants[i].slice + (variants[i].slice > 2 ? (uint32_t)(mix(seed, i) % 5) : 0);
        reading b = read_as(t, &(reading_options){.slice = most, .memory = variants[i].memory});
        snprintf(what, sizeof what, "with slices of up to %u events%s", most ? most : 4096,
                 variants[i].memory ? " and little memory" : "");
        reading_compare(t, &a, &b, RULE_WINDOWS, what);
        reading_free(&b);
    }
    reading_free(&a);
}

/* ---------------------------------------------------------------------------------------------------- parameters -- */

static void try_value(torture *t, const char *key, const char *value)
{
    int refused;
    reading r = read_sample(t, &(reading_options){.values = {key, value}}, &refused);
    reading_free(&r); /* what it makes of it is its own affair; crashes, leaks and silent failures are told */
}

/* Each parameter at its ends, and each choice. */
static void step_parameters(torture *t, uint64_t seed)
{
    static char longest[5001];
    const tcf_params *params = &t->reader->params;

    (void)seed;
    memset(longest, 'x', sizeof longest - 1);
    for (uint32_t i = 0; i < params->n; i++) {
        const tcf_param *p = &params->at[i];
        const char *const of_type[] =
            {p->default_value, p->min, p->max, "0", "1", "-1", "18446744073709551615", "no", "yes", "x", "a,b",
             "1e308",          "nan",  longest};
        for (size_t k = 0; k < sizeof of_type / sizeof *of_type; k++)
            if (of_type[k])
                try_value(t, p->key, of_type[k]);
        char choices[1024], *rest = choices;
        snprintf(choices, sizeof choices, "%s", p->choices ? p->choices : "");
        for (char *word; p->choices && (word = strtok_r(rest, "|", &rest));)
            try_value(t, p->key, word);
    }
}

/* --------------------------------------------------------------------------------------------------------- bytes -- */

static void step_bytes(torture *t, uint64_t seed)
{
    enum { FILES = 40 };
    char what[80];

    for (uint64_t k = 0; k < FILES; k++) {
        char *path = sample_damaged(t, mix(seed, 300 + k), what, sizeof what);
        printf("%s: ", what);
        reading a = read_as(t, &(reading_options){.path = path});
        reading b = read_as(t, &(reading_options){.path = path, .slice = 3, .memory = 1 << 16});
        reading_compare(t, &a, &b, RULE_WINDOWS, "of a damaged file with small slices and little memory");
        reading_free(&a);
        reading_free(&b);
        free(path);
    }
}

/* Asks probe() about n bytes that end where memory does. */
static void ask(torture *t, const char *path, const unsigned char *bytes, size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (n + page - 1) / page * page;
    unsigned char *room = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (room == MAP_FAILED || mprotect(room + whole, page, PROT_NONE) != 0)
        need(NULL);
    unsigned char *first = room + whole - n;
    memcpy(first, bytes, n);
    const tcf_probe probe = {.path = path, .first = first, .n = n};
    const int sure = t->reader->probe(&probe), again = t->reader->probe(&probe);
    if (sure != again || sure < 0 || sure > 100)
        report_finding(t->board, RULE_PROBE, CALL_NONE, NO_EVENT, NO_EVENT, "of %zu bytes probe() says %d, and then %d",
                       n, sure, again);
    if (memcmp(first, bytes, n) != 0)
        report_finding(t->board, RULE_PROBE, CALL_NONE, NO_EVENT, NO_EVENT, "probe() changes what it looks at");
    munmap(room, whole + page);
    t->board->runs++;
}

static void step_probe(torture *t, uint64_t seed)
{
    enum { MOST = 4096, FILES = 60 };
    unsigned char bytes[MOST];
    char what[80];

    for (uint64_t k = 0; t->reader->probe && k < FILES; k++) {
        char *path = sample_damaged(t, mix(seed, 500 + k), what, sizeof what);
        FILE *f = fopen(path, "rb");
        const size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0, some = n ? mix(seed, 600 + k) % (n + 1) : 0;
        if (f)
            fclose(f);
        ask(t, path, bytes, n);
        ask(t, path, bytes, some);
        ask(t, "", bytes, some);
        for (size_t i = 0; i < some; i++)
            bytes[i] = (unsigned char)mix(k, i);
        ask(t, path, bytes, some);
        free(path);
    }
    if (t->reader->probe) {
        const tcf_probe folder = {.path = t->scratch, .is_folder = 1, .first = bytes};
        (void)t->reader->probe(&folder);
    }
}

/* ------------------------------------------------------------------------------------------------------ failures -- */

static void step_host(torture *t, uint64_t seed)
{
    enum { MOST = 40 };
    reading a = reference(t);
    const uint64_t n = a.host_calls;

    for (uint64_t k = 0; a.status == TCF_OK && k < (n < MOST ? n : MOST); k++) {
        const uint64_t at = n <= MOST ? k + 1 : k < 8 ? k + 1 : 1 + mix(seed, 100 + k) % n;
        for (int all = 0; all <= 1; all++) {
            reading b = read_as(t, &(reading_options){.plan = {.fail_host_at = at, .fail_all = all}});
            reading_free(&b);
        }
    }
    reading_free(&a);
}

static void step_memory(torture *t, uint64_t seed)
{
    enum { MOST = 60 };
    char what[160];
    reading a = reference(t);
    const uint64_t n = a.memory.allocations;

    for (uint64_t k = 0; a.status == TCF_OK && memory_watched() && k < (n < MOST ? n : MOST); k++) {
        const uint64_t at = n <= MOST ? k + 1 : 1 + mix(seed, 200 + k) % n;
        reading b = read_as(t, &(reading_options){.plan = {.fail_allocation_at = at}});
        snprintf(what, sizeof what, "after allocation %llu, at 0x%llx of the file, has failed", (unsigned long long)at,
                 (unsigned long long)b.memory.failed_at);
        if (b.status == TCF_OK && b.memory.failed_at && b.warnings <= a.warnings)
            reading_compare(t, &a, &b, RULE_MEMORY, what);
        reading_free(&b);
    }
    reading_free(&a);
}

const step reader_steps[] = {
    {"settings", step_settings, 1},
    {"reference", step_reference, 1},
    {"windows", step_windows, 0},
    {"parameters", step_parameters, 1},
    {"bytes", step_bytes, 0},
    {"probe", step_probe, 0},
    {"host", step_host, 0},
    {"memory", step_memory, 0},
    {NULL, NULL, 0},
};
