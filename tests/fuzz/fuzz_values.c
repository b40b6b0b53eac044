/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for what filters make of values: a trace made of the input (made.h) goes through a chain of this
 * tree's filters, twice: with slices, memory and pieces of another size, and, where the first byte says so, in several
 * domains. What they report has to be the same, to the letter.
 *
 * An input is a byte that chooses the chain, a byte for the second run, and the trace. */
#include "captured.h"
#include "made.h"

enum { MOST_BYTES = 4096 };

/* Chains in which each filter stands at least once, and what they need besides. Outputs are standard output. */
static const struct chain {
    const char *chain, *survey, *more[3];
} chains[] = {
    {"check", NULL, {0}},
    {"profile load_imbalance time_profile", NULL, {"time_profile.time_bins=7"}},
    {"wait_states root_cause critical_path", NULL, {0}},
    {"lateness efficiency diagnosis", NULL, {"lateness.max_steps=1024", "lateness.max_pending=1024"}},
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

/* How a run goes; all of them have to tell the same: memory is enough to hold a whole trace. */
static const struct way {
    const char *slice, *memory, *threads;
    uint32_t most;
} ways[] = {
    {"pipeline.slice=64", "pipeline.memory=1MiB", "pipeline.threads=1", 0},
    {"pipeline.slice=8", "pipeline.memory=512KiB", "pipeline.threads=1", 3},
    {"pipeline.slice=256", "pipeline.memory=2MiB", "pipeline.threads=1", 0},
    {"pipeline.slice=16", "pipeline.memory=1MiB", "pipeline.threads=2", 5},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Reports are CSV, which has all rows and takes half the time of a text; for one input in twelve they are text. */
static int is_text(uint8_t byte)
{
    return byte / CHAINS == 7;
}

static const prepared *settings_of(uint8_t byte, uint32_t way)
{
    static prepared all[2][CHAINS][WAYS];
    const uint32_t chain = byte % CHAINS;
    prepared *as = &all[is_text(byte)][chain][way];
    const char *overrides[12] = {ways[way].slice,
                                 ways[way].memory,
                                 ways[way].threads,
                                 "pipeline.input=made",
                                 "pipeline.text=exact",
                                 "pipeline.lookahead=512", /* all events; tables are small */
                                 "pipeline.max_messages=1024"};
    size_t n = 7;

    for (int i = 0; i < 3 && chains[chain].more[i]; i++)
        overrides[n++] = chains[chain].more[i];
    prepare(as, chains[chain].chain, chains[chain].survey, is_text(byte) ? "text" : "csv", overrides, n);
    return as;
}

/* The second run; in several domains, which costs threads, where the byte is small. */
static uint32_t way_of(uint8_t byte)
{
    const uint32_t most = byte < 48 ? WAYS - 1 : WAYS - 2;
    return 1 + byte % most;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    begin_target();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char first[MOST_TEXT], second[MOST_TEXT];
    char what[256];

    if (size < 4 || size > MOST_BYTES)
        return 0;
    const uint32_t chain = data[0] % CHAINS, way = way_of(data[1]);
    made *m = made_new(data + 2, size - 2);
    if (!m)
        return 0;
    const size_t n = run_captured(settings_of(data[0], 0), chains[chain].chain, made_source(m, ways[0].most), first);
    const size_t again =
        run_captured(settings_of(data[0], way), chains[chain].chain, made_source(m, ways[way].most), second);
    snprintf(what, sizeof what, "%s differs with %s, %s, %s, reads of %u", chains[chain].chain, ways[way].slice,
             ways[way].memory, ways[way].threads, ways[way].most);
    compare(what, first, n, second, again);
    made_delete(m);
    return 0;
}
