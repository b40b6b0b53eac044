/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for what filters make of values: a trace made of the input (made.h) goes through a chain of this
 * tree's filters, twice: with slices, memory and pieces of another size, and, where the first byte says so, in several
 * domains. What they report has to be the same, to the letter.
 *
 * An input is a byte that chooses the chain, a byte for the second run, and the trace. The filters are plugins
 * (TCFLOW_FUZZ_PLUGINS: their folder), so that each keeps the names of its functions for itself. */
#define _GNU_SOURCE
#include "framework/pipeline/session.h"
#include "made.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_FILTERS = 64, MOST_BYTES = 4096, MOST_TEXT = 1 << 20, FAILED = MOST_TEXT + 1 };

static const tcf_filter *builtin[MOST_FILTERS + 1];

/* Chains in which each filter stands at least once, and what they need besides. Outputs are standard output. */
static const struct chain {
    const char *chain, *survey, *more[3];
} chains[] = {
    {"check", NULL, {0}},
    {"profile load_imbalance time_profile", NULL, {"time_profile.time_bins=7"}},
    {"wait_states root_cause critical_path", NULL, {0}},
    {"lateness efficiency diagnosis", NULL, {0}},
    {"comm_matrix message_histogram comm_comp distances", NULL, {0}},
    {"io metrics iterations", NULL, {0}},
    {"activity activity_waits timeline", "wait_states", {0}},
    {"presync clc_forward clc_backward check", NULL, {0}},
    {"presync clc_forward clc_backward clock_report print", "clock_estimate mu_estimate", {"presync.method=survey"}},
    {"print", NULL, {"print.definitions=yes"}},
    {"select print", NULL, {"select.exclude_regions=MPI_*"}},
    {"select check profile", NULL, {"select.from=3 ticks", "select.to=9000 ticks"}},
    {"wait_states ppg", NULL, {0}},
    {"overhead whole_messages profile", NULL, {"overhead.event=3 ticks"}},
    {"skew check print", NULL, {0}},
    {"clock_report mu_estimate", NULL, {0}},
    {"perfetto_trace", NULL, {"perfetto_trace.path=/dev/null"}},
    {"stream_write", NULL, {"stream_write.path=/dev/null"}},
    {"calls pass profile", NULL, {"calls.path=/dev/null"}},
    {"clock_estimate", NULL, {0}},
    {"check print", NULL, {"print.format=json"}},
    {"presync clc_forward wait_states critical_path", "mu_estimate", {0}},
};
enum { CHAINS = sizeof chains / sizeof *chains };

/* How a run goes; all of them have to tell the same. */
static const struct way {
    const char *slice, *memory, *threads;
    uint32_t most;
} ways[] = {
    {"pipeline.slice=64", "pipeline.memory=8MiB", "pipeline.threads=1", 0},
    {"pipeline.slice=8", "pipeline.memory=4MiB", "pipeline.threads=1", 3},
    {"pipeline.slice=1024", "pipeline.memory=16MiB", "pipeline.threads=1", 0},
    {"pipeline.slice=16", "pipeline.memory=8MiB", "pipeline.threads=2", 5},
};
enum { WAYS = sizeof ways / sizeof *ways };

static settings *settings_of(uint32_t chain, uint32_t way)
{
    static settings *made[CHAINS][WAYS];
    settings **s = &made[chain][way];
    char text[2][256];
    const char *overrides[12] = {text[0],           ways[way].slice,       ways[way].memory,
                                 ways[way].threads, "pipeline.input=made", "pipeline.text=exact"};
    size_t n = 6;

    if (*s)
        return *s;
    snprintf(text[0], sizeof text[0], "pipeline.chain=%s", chains[chain].chain);
    snprintf(text[1], sizeof text[1], "pipeline.survey=%s", chains[chain].survey ? chains[chain].survey : "");
    if (chains[chain].survey)
        overrides[n++] = text[1];
    for (int i = 0; i < 3 && chains[chain].more[i]; i++)
        overrides[n++] = chains[chain].more[i];
    if (!(*s = settings_load(NULL, overrides, n))) {
        error_print(stderr);
        abort();
    }
    return *s;
}

/* What a run has written to standard output, a file in memory. FAILED: it has failed; which of several reasons it names
 * may depend on the order in which locations are read. */
static size_t run(const made *m, uint32_t chain, uint32_t way, char *to)
{
    session *p = session_new_over(settings_of(chain, way), NULL, builtin, made_source(m, ways[way].most));
    const int failed = !p || session_run(p, NULL) != TCF_OK;

    if (failed && !*error_text()) {
        fprintf(stderr, "broken: a failure has a reason\n");
        abort();
    }
    if (getenv("FUZZ_TELL")) /* with one input: does a chain do what it is there for? */
        fprintf(stderr, "%s: %s\n", chains[chain].chain, failed ? error_text() : "done");
    session_delete(p);
    fflush(stdout);
    const ssize_t n = failed ? 0 : pread(STDOUT_FILENO, to, MOST_TEXT, 0);
    if (n < 0 || ftruncate(STDOUT_FILENO, 0) != 0 || lseek(STDOUT_FILENO, 0, SEEK_SET) != 0)
        abort();
    error_clear();
    return failed ? FAILED : (size_t)n;
}

static void compare(uint32_t chain, uint32_t way, const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t at = 0;

    if (n_a == n_b && (n_a == FAILED || memcmp(a, b, n_a) == 0))
        return;
    n_a = n_a == FAILED ? 0 : n_a;
    n_b = n_b == FAILED ? 0 : n_b;
    while (at < n_a && at < n_b && a[at] == b[at])
        at++;
    while (at > 0 && a[at - 1] != '\n')
        at--;
    fprintf(stderr, "broken: %s differs, %s, %s, %s, reads of %u\n--- %.300s\n+++ %.300s\n", chains[chain].chain,
            ways[way].slice, ways[way].memory, ways[way].threads, ways[way].most, at < n_a ? a + at : "",
            at < n_b ? b + at : "");
    abort();
}

static void open_plugins(void)
{
    const char *folder = getenv("TCFLOW_FUZZ_PLUGINS");
    DIR *entries = folder ? opendir(folder) : NULL;
    char path[4096];
    int n = 0;

    for (struct dirent *e; entries && (e = readdir(entries));) {
        if (!strstr(e->d_name, ".so") || n == MOST_FILTERS)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!plugin || !(builtin[n] = dlsym(plugin, "tcflow_filter"))) {
            fprintf(stderr, "%s\n", dlerror());
            abort();
        }
        n++;
    }
    if (n == 0) {
        fprintf(stderr, "no plugins: TCFLOW_FUZZ_PLUGINS names no folder that has some\n");
        abort();
    }
    closedir(entries);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    error_verbosity = TCF_LOG_ERROR;
    open_plugins();
    const int file = memfd_create("text", MFD_CLOEXEC);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0)
        abort();
    close(file);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char first[MOST_TEXT], second[MOST_TEXT];

    if (size < 4 || size > MOST_BYTES)
        return 0;
    const uint32_t chain = data[0] % CHAINS, way = 1 + data[1] % (WAYS - 1);
    made *m = made_new(data + 2, size - 2);
    if (!m)
        return 0;
    const size_t n = run(m, chain, 0, first);
    compare(chain, way, first, n, second, run(m, chain, way, second));
    made_delete(m);
    return 0;
}
