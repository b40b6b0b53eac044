/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The correction of clocks from end to end, examples/correct.ini, over simulated programs with wrong clocks, good
 * traces spoilt by skew, random traces of all kinds, and damaged archives. Behind it the oracle finds no violation,
 * neither at delay 0 nor at the delays that were learned, nor when what was written is matched anew; the events are the
 * same and in their order; a second correction changes nothing; a trace that was right stays as it is; order of
 * locations, slices and memory don't matter. test_correct.sh does the same with the commands, and with clocks at the
 * limits of their range.
 *
 * SEEDS (default 2) traces a case, from FIRST (default 1) on; CASE: of this case only; KIND: random traces of this kind
 * only. All runs are in this one process. */
#include "tests/plugins/clc/trials.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 600 };

static char correct_ini[PATH], example[PATH];

/* -------------------------------------------------------------------------------------------------- the main job -- */

static settings *settings_of(const char *anchor, const char *out, const char *const *more, size_t n_more)
{
    static const char *const files[] = {"clock_report", "mu_estimate", "clc_backward"};
    static const char *const formats[] = {"text", "csv", "csv"};
    struct options o = {.n = 0};
    say(&o, "pipeline.input=%s", anchor);
    say(&o, "otf2_write.path=%s", out);
    say(&o, "otf2_write.overwrite=yes");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        say(&o, "%s.output=%s.%s", files[i], out, files[i]);
        say(&o, "%s.format=%s", files[i], formats[i]);
        say(&o, "%s.overwrite=yes", files[i]);
    }
    for (size_t i = 0; i < n_more; i++)
        say(&o, "%s", more[i]);
    return settings_said(correct_ini, &o);
}

/* OUT: a folder in the scratch folder. OPTION: one more setting, or NULL. */
static struct outcome corrected_with(const struct trial *t, const char *what, const char *anchor, const char *out,
                                     const char *option, int salvage)
{
    char folder[PATH], jumps[PATH + 16];
    const char *more[3] = {"presync.unsynchronised=keep"};
    size_t n = 1;
    snprintf(folder, sizeof folder, "%s", in_work(out));
    snprintf(jumps, sizeof jumps, "%s.clc_backward", folder);
    if (salvage) /* a location without events needs no clock */
        more[0] = "presync.unsynchronised=stop", more[n++] = "pipeline.salvage=yes";
    if (option)
        more[n++] = option;
    remove(jumps);
    return run_pipeline(t, what, settings_of(anchor, folder, more, n), folder, jumps);
}

static struct outcome corrected(const struct trial *t, const char *what, const char *anchor, const char *out,
                                const char *option)
{
    return corrected_with(t, what, anchor, out, option, 0);
}

/* ------------------------------------------------------------------------------------------------ what must hold -- */

static int any_moved(const struct o_trace *trace, uint64_t *const *times)
{
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 0; e < trace->location[l].n; e++)
            if (times[l][e] != trace->location[l].event[e].time)
                return 1;
    return 0;
}

/* Where presync has moved events, only what is sure of the learned delays counts behind it. Where clc_forward alone has
 * moved any, some edge was violated, and all that was learned is sure. */
static void expect_unbroken(const struct trial *t, const char *what, const char *out, const struct o_trace *written)
{
    struct o_delays none = {{{0}}}, least;
    char report[PATH + 16];
    uint64_t **times = o_times_of(t->trace, written), n;
    if (!times) {
        wrong(t, "%s: other events", what);
        return;
    }
    struct o_matching *m = o_match_surveyed(t->trace, t->lookahead ? t->lookahead : 4096);
    if ((n = count_violated(m, times, &none)) > 0)
        wrong(t, "%s: %" PRIu64 " edges violated", what, n);
    snprintf(report, sizeof report, "%s.mu_estimate", in_work(out));
    if (!read_learned(report, any_moved(t->trace, times), &least))
        wrong(t, "%s: no report of the learned delays", what);
    else if ((n = count_violated(m, times, &least)) > 0)
        wrong(t, "%s: %" PRIu64 " edges below the learned delays", what, n);
    o_match_free(m);
    o_free_times(t->trace, times);
}

/* What was written is a trace of its own, and right as it is. */
static void expect_settled(const struct trial *t, const char *out, struct o_trace *written)
{
    struct trial again = *t;
    struct o_delays none = {{{0}}};
    char anchor[PATH];
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", in_work(out));
    struct o_matching *m = o_match_surveyed(written, 4096);
    uint64_t **times = o_times(written), n = count_violated(m, times, &none);
    if (n)
        wrong(t, "%" PRIu64 " edges violated, matched anew", n);
    struct outcome twice = corrected(&again, "a second correction", anchor, "twice", NULL);
    if (twice.written)
        expect_order(t, "a second correction", written, twice.written, 1);
    o_unload(twice.written);
    o_free_times(written, times);
    o_match_free(m);
}

/* Other slices, less memory: the same times, unless memory was too short. */
static void check_windows(const struct trial *t, const struct outcome *once)
{
    char own[64];
    snprintf(own, sizeof own, "pipeline.slice=%" PRIu64, t->seed * 7 % 100 + 2);
    const char *const windows[] = {"pipeline.slice=1", own, "pipeline.memory=2MiB"};
    if (once->truncated)
        wrong(t, "the default window truncates");
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct outcome other = corrected(t, windows[i], t->anchor, "other", windows[i]);
        if (other.written && other.truncated)
            expect_unbroken(t, windows[i], "other", other.written);
        else if (other.written && other.complete && once->complete)
            expect_order(t, windows[i], once->written, other.written, 1);
        o_unload(other.written);
    }
}

/* All that holds whatever the clocks were. `other`: the same trace, its locations in another order, or NULL.
 * `rematched`: threads that communicate may come in another order when corrected, and would be matched anew. */
static void check_corrected(const struct trial *t, const char *other, int rematched)
{
    struct outcome once = corrected(t, "the chain", t->anchor, "once", NULL);
    if (!once.written)
        return;
    expect_same_events(t, "the chain", t->trace, once.written);
    if (once.complete) {
        expect_unbroken(t, "the chain", "once", once.written);
        if (!rematched)
            expect_settled(t, "once", once.written);
    }
    check_windows(t, &once);
    if (other) {
        struct outcome b = corrected(t, "locations in another order", other, "other", NULL);
        if (b.written && b.complete && once.complete)
            expect_order(t, "locations in another order", once.written, b.written, 1);
        o_unload(b.written);
    }
    o_unload(once.written);
}

/* Edges that a run has given up may be others in the survey than in the chain: then delays are learned of fewer. */
static void check_untouched(const struct trial *t, const char *anchor)
{
    struct o_trace *right = o_load(anchor, false);
    struct outcome o = corrected(t, "true times", anchor, "other", NULL);
    if (right && o.written)
        expect_order(t, "true times", right, o.written, o.complete);
    else if (!right)
        wrong(t, "the true trace cannot be read");
    o_unload(o.written);
    o_unload(right);
}

/* ----------------------------------------------------------------------------------------------------- the cases -- */

#define ONE_OF(state, ...) DRAWN(char *const, state, __VA_ARGS__)

static void draw_program(uint64_t seed, char *options, size_t size)
{
    uint64_t h = seed, ranks = draw(&h) % 8 + 2, nodes[] = {1, 2, ranks};
    snprintf(options, size,
             "--seed %" PRIu64 " --ranks %" PRIu64 " --nodes %" PRIu64
             " --clock-per %s --pattern %s --threads %s --compute %s --measure %s --clock offset=%s,drift=%s%s "
             "--events %s %s --resolution %s",
             seed, ranks, nodes[draw(&h) % 3], ONE_OF(&h, "process", "process", "node"),
             ONE_OF(&h, "ring,halo,collectives", "pairs", "collectives", "master,sendrecv", "halo,nonblocking",
                    "latesender", "ring,omp,collectives", "rma,halo", "imbalance,ring", "locks,ring,collectives"),
             ONE_OF(&h, "1", "1", "1", "3"), ONE_OF(&h, "100us", "10us", "2ms", "20ms"),
             ONE_OF(&h, "none", "both", "none", "start"), ONE_OF(&h, "1ms", "10us", "3s", "0s"),
             ONE_OF(&h, "10", "0", "100", "1"),
             ONE_OF(&h, "", ",sine=20us:1s", ",walk=20us", ",jumps=5:30us", ",sine=200us:300ms,walk=5us"),
             ONE_OF(&h, "2k", "5k"), ONE_OF(&h, "", "--sparse"), ONE_OF(&h, "1G", "1G", "10M", "10G"));
}

static void check_program(uint64_t seed)
{
    struct trial t = {.seed = seed};
    char options[800], shuffled[900];
    draw_program(seed, options, sizeof options);
    snprintf(t.name, sizeof t.name, "program %.370s", options);
    snprintf(shuffled, sizeof shuffled, "%s --shuffle", options);
    if (!simulate(&t, options, "true", "trace") || !simulate(&t, shuffled, NULL, "shuffled"))
        return;
    if (load(&t, in_work("trace/traces.otf2"), 0))
        check_corrected(&t, in_work("shuffled/traces.otf2"), 0);
    else
        wrong(&t, "not read");
    unload(&t);
    check_untouched(&t, in_work("true/traces.otf2"));
}

/* Spoils a trace by options of the filter skew. */
static int skew(const struct trial *t, const char *anchor, const char *errors)
{
    struct options o = {.n = 0};
    char more[160], *rest = more, *error;
    say(&o, "pipeline.input=%s", anchor);
    say(&o, "pipeline.chain=skew otf2_write");
    say(&o, "otf2_write.path=%s", in_work("trace"));
    say(&o, "otf2_write.overwrite=yes");
    say(&o, "skew.seed=%" PRIu64, t->seed);
    say(&o, "skew.per=%s", t->seed / 5 % 2 ? "node" : "process");
    snprintf(more, sizeof more, "%s", errors);
    while ((error = strsep(&rest, " ")))
        say(&o, "%s", error);
    struct outcome skewed = run_pipeline(t, "skew", settings_said(NULL, &o), in_work("trace"), NULL);
    o_unload(skewed.written);
    return skewed.written != NULL;
}

/* The bundled trace, whose clocks are wrong from the start, and a good one. */
static void check_skewed(uint64_t seed)
{
    uint64_t h = seed;
    const char *errors =
        ONE_OF(&h, "skew.offset=5ms skew.drift=50", "skew.offset=50us skew.sine=50us skew.sine_period=50ms",
               "skew.walk=100us", "skew.jumps=100 skew.jump=200us", "skew.offset=1s skew.drift=1000 skew.walk=50us");
    for (int i = 0; i < 2; i++) {
        struct trial t = {.seed = seed};
        snprintf(t.name, sizeof t.name, "%s %" PRIu64 " %s", i ? "a good trace" : "the bundled trace", seed, errors);
        if (skew(&t, i ? in_work("good/traces.otf2") : example, errors) && load(&t, in_work("trace/traces.otf2"), 0))
            check_corrected(&t, NULL, 0);
        unload(&t);
    }
}

static void check_random_of(const struct kind *kind, uint64_t seed)
{
    struct trial t = {.seed = seed};
    char shuffled[PATH];
    const char *anchor;
    snprintf(t.name, sizeof t.name, "%s %" PRIu64, kind->name, seed);
    if (!(anchor = made(&t, kind, 2000, WRONG_CLOCKS | SHUFFLED)))
        return;
    snprintf(shuffled, sizeof shuffled, "%s", anchor);
    if ((anchor = made(&t, kind, 2000, WRONG_CLOCKS)) && load(&t, anchor, 0)) {
        struct o_trace *other = o_load(shuffled, false);
        check_corrected(&t, !(kind->how & REMATCHED) && other && o_same_events(t.trace, other) ? shuffled : NULL,
                        kind->how & REMATCHED);
        o_unload(other);
    }
    unload(&t);
    if (!(kind->how & MISLEADING) && (anchor = made(&t, kind, 2000, 0)))
        check_untouched(&t, anchor);
}

static void check_random(uint64_t seed)
{
    const char *only = getenv("KIND");
    for (size_t k = 0; k < n_trial_kinds; k++)
        if (!(trial_kinds[k].how & DAMAGED) && (!only || !strcmp(only, trial_kinds[k].name)))
            check_random_of(&trial_kinds[k], seed);
}

/* Traces that something was found with. */
static void check_kept(void)
{
    static const struct kept kept[] = {
        /* round trips of processes whose definitions come in another order */
        {"threads", 10009},
        /* instances whose last member to come has ended, but later than others left */
        {"locations that end early", 11001},
        /* members of a scan some of whose lower ranks never come */
        {"locations that end early", 1013},
        /* delays seen by clocks that presync changes, though no edge is violated */
        {"anything, and what few traces have", 7000089},
    };
    check_each_kept(trial_kinds, n_trial_kinds, kept, sizeof kept / sizeof *kept, check_random_of);
    check_program(7000059); /* the same, of clocks that were measured, and messages in one direction */
    result("traces that something was found with");
}

/* A file of events is cut off or lost. Who is left is corrected, and what was written stays as it is. */
static void check_damaged(uint64_t seed)
{
    struct trial t = {.seed = seed};
    char options[400];
    snprintf(t.name, sizeof t.name, "damaged %" PRIu64, seed);
    snprintf(options, sizeof options,
             "--seed %" PRIu64 " --ranks 5 --nodes 3 --events 5k --pattern ring,halo,collectives --measure %s "
             "--clock offset=1ms,drift=20,walk=5us",
             seed, seed % 2 ? "both" : "none");
    if (!simulate(&t, options, NULL, "trace"))
        return;
    damage(&t, in_work("trace/traces.otf2"));
    struct outcome once = corrected_with(&t, "the chain", in_work("trace/traces.otf2"), "once", NULL, 1);
    if (once.written && once.complete)
        expect_settled(&t, "once", once.written);
    o_unload(once.written);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*check)(uint64_t seed);
    } cases[] = {{"simulated programs", check_program},
                 {"skewed traces", check_skewed},
                 {"random traces", check_random},
                 {"damaged archives", check_damaged}};
    const char *tree = getenv("top_srcdir"), *only = getenv("CASE");
    uint64_t first = first_seed(), last = last_seed(2);
    struct trial start = {.name = "start"};
    snprintf(correct_ini, sizeof correct_ini, "%s/examples/correct.ini", tree ? tree : ".");
    snprintf(example, sizeof example, "%s/examples/trace/traces.otf2", tree ? tree : ".");
    if (!trials_begin())
        return 1;
    simulate(&start, "--ranks 6 --nodes 3 --events 6k --seed 5", NULL, "good");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (only && strcmp(only, cases[i].name) != 0)
            continue;
        for (uint64_t seed = first; seed <= last; seed++)
            cases[i].check(seed);
        result("%s %" PRIu64 " to %" PRIu64, cases[i].name, first, last);
    }
    if (!only)
        check_kept();
    return trials_end();
}
