/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The controlled logical clock against doc/clock-correction.md, over random traces and simulated programs with clock
 * errors: tick for tick what the whole-trace oracle computes when the window covers the trace; with any window no edge
 * violated, nothing earlier than after the forward pass, local order kept, nothing moved without need, and a second run
 * changes nothing. The oracle judges what was written and read back; it shares no line with the framework.
 *
 * SEEDS (default 3) traces a kind, from FIRST (default 1) on; KIND: of this kind only ("program": simulated ones);
 * TRACES: anchors of more archives to do the same with. All runs are in this one process, so that thousands of seeds
 * are a matter of minutes. */
#include "passes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct set sets[] = {
    {0, 1, 0, "0.99", "0.05", 1000000000000, 0, 0, 0},
    {40, 0, 0, "1", "0.125", 1000000000000, 0, 0, 0},
    {7, 3, 0, "0.5", "1", 5000, 0, 0, 0},
    {1000, 1, 0, "0.9", "0.01", 200000, 0, 0, 0},
    {300, 1, 0, "0.9", "0.02", 1000000000000, 12, 0, 0},
};

/* Sizes of slices and of memory; the first one covers the trace. Where the look-ahead is short, memory may be, too. */
enum { WINDOWS = 4 };

static const char *window_of(const struct trial *t, int i)
{
    static char own[32], little[64];
    snprintf(own, sizeof own, "slice=%" PRIu64, t->seed * 5 % 2000 + 2);
    snprintf(little, sizeof little, "memory=64KiB slice=%" PRIu64, t->seed % 7 + 1);
    return (const char *[]){"memory=1GiB", "slice=1", own, t->lookahead ? little : "memory=1MiB"}[i];
}

/* An incomplete trace comes out alike, too, unless memory was short. Takes what was written. */
static void expect_the_same(const struct trial *t, const char *window, struct outcome *first, const struct outcome *o)
{
    if (!first->written && !strncmp(window, "memory=1GiB", 11)) {
        *first = *o;
        return;
    }
    if (first->written && o->written && !first->complete && !o->truncated && !first->truncated &&
        !strstr(window, "memory"))
        expect_order(t, window, first->written, o->written, 1);
    o_unload(o->written);
}

/* Forward gives the oracle's times with any window; backward with one that covers the trace, or that cuts no jump
 * short, and the properties with any. */
static void check_windows(const struct trial *t)
{
    struct expected forward, backward;
    struct outcome first[2] = {{.written = NULL}, {.written = NULL}};
    compute(t, 0, &forward);
    compute(t, 1, &backward);
    for (int i = 0; i < WINDOWS; i++) {
        const char *window = window_of(t, i);
        struct outcome f = write_with(t, t->anchor, in_work("forward"), "clc_forward", window);
        struct outcome b = write_with(t, t->anchor, in_work("backward"), "clc_forward clc_backward", window);
        if (f.written)
            check_forward(t, window, &forward, &f);
        if (b.written)
            check_backward(t, window, &backward, &b, i == 0);
        if (f.written && b.written && f.complete && b.complete)
            expect_order(t, "backward after forward", f.written, b.written, 0);
        expect_the_same(t, window, &first[0], &f);
        expect_the_same(t, window, &first[1], &b);
    }
    o_unload(first[0].written);
    o_unload(first[1].written);
    forget(t, &forward);
    forget(t, &backward);
}

/* The same with what a survey has learned: delays of their own for each class and distance, threads' too, and no edges
 * of channels that are not trusted. Where a run has given up edges, the survey may have learned of others. */
static void check_learned(const struct trial *t)
{
    static const char *const windows[] = {"memory=1GiB", "slice=1"};
    struct trial again = *t;
    again.m = o_match_surveyed(t->trace, t->lookahead ? t->lookahead : 4096);
    again.set.learned = 1;
    for (int i = 0; again.m && i < 2; i++) {
        struct outcome b = write_with(&again, t->anchor, in_work("learned"), "clc_forward clc_backward", windows[i]);
        struct expected x;
        if (b.written && b.complete) {
            compute(&again, 1, &x);
            check_backward(&again, windows[i], &x, &b, i == 0);
            forget(&again, &x);
        }
        o_unload(b.written);
    }
    if (again.m)
        o_match_free(again.m);
}

/* What has been corrected stays. Threads of a process that communicate may come in another order then, and be matched
 * anew: not for those. */
static void check_twice(const struct trial *t)
{
    static const char *const chains[] = {"clc_forward", "clc_forward clc_backward"};
    for (int i = 0; i < 2; i++) {
        struct trial again = *t;
        struct outcome once = write_with(t, t->anchor, in_work("once"), chains[i], "slice=0"), twice;
        if (!once.written || !once.complete) {
            o_unload(once.written);
            continue;
        }
        again.trace = once.written;
        again.m = o_match_with(once.written, t->lookahead ? t->lookahead : 4096, true);
        uint64_t **times = o_times(once.written), n = violated(t, again.m, times);
        if (n)
            wrong(t, "%s: %" PRIu64 " edges violated, as written", chains[i], n);
        twice = write_with(t, in_work("once/traces.otf2"), in_work("twice"), chains[i], "slice=0");
        if (twice.written)
            expect_order(t, "a second time", once.written, twice.written, 1);
        o_free_times(once.written, times);
        o_unload(twice.written);
        unload(&again);
    }
}

static void check_all(struct trial *t, int rematched)
{
    /* Windows, second runs; then with gamma = auto, whose `decay` is of the order of corrections, far below, or far
     * above. */
    static const uint64_t decays[] = {20000, 300, 3000000, 1, 100000};
    for (int controlled = 0; controlled < 2; controlled++) {
        t->set = sets[t->seed % (sizeof sets / sizeof *sets)];
        if (controlled) {
            t->set.decay = decays[t->seed % (sizeof decays / sizeof *decays)];
            snprintf(t->name + strlen(t->name), sizeof t->name - strlen(t->name), ", decay %" PRIu64, t->set.decay);
        }
        check_windows(t);
        if (!controlled)
            check_learned(t);
        if (!rematched)
            check_twice(t);
    }
}

/* Without violations nothing changes. */
static void check_untouched(struct trial *t, int misleading)
{
    static const char *const chains[] = {"clc_forward", "clc_forward clc_backward"};
    t->set = sets[0];
    uint64_t **times = o_times(t->trace), n = violated(t, t->m, times);
    o_free_times(t->trace, times);
    if (n && !t->lookahead && !misleading) /* a short look-ahead may take one message for another */
        wrong(t, "the generator made %" PRIu64 " violations", n);
    for (int i = 0; i < 2 && !n; i++) {
        struct outcome o = write_with(t, t->anchor, in_work("untouched"), chains[i], "slice=0");
        if (o.written)
            expect_order(t, "a trace that was right", t->trace, o.written, 1);
        o_unload(o.written);
    }
}

/* The same trace with its definitions in another order gives the same. */
static void check_shuffled(const struct trial *t, const char *anchor)
{
    struct o_trace *other = o_load(anchor, false);
    if (other && o_same_events(t->trace, other)) { /* else the generator made another one */
        struct outcome a = write_with(t, t->anchor, in_work("once"), "clc_forward clc_backward", "memory=1GiB");
        struct outcome b = write_with(t, anchor, in_work("twice"), "clc_forward clc_backward", "memory=1GiB");
        if (a.written && b.written && a.complete && b.complete)
            expect_order(t, "locations in another order", a.written, b.written, 1);
        o_unload(a.written);
        o_unload(b.written);
    }
    o_unload(other);
}

/* ---------------------------------------------------------------------------------------------------- the traces -- */

/* The damaged trace, as it is written when nothing but salvage is done to it. */
static const char *salvaged(struct trial *t, const char *anchor)
{
    damage(t, anchor);
    t->set.salvage = 1;
    struct outcome o = write_with(t, anchor, in_work("salvaged"), "pass", "slice=0");
    t->set.salvage = 0;
    int read = o.written != NULL;
    o_unload(o.written);
    return read ? in_work("salvaged/traces.otf2") : NULL;
}

/* What is salvaged is corrected as if there had never been more. */
static void check_damaged(struct trial *t)
{
    t->set.salvage = 1;
    struct outcome a = write_with(t, t->anchor, in_work("once"), "clc_forward clc_backward", "memory=1GiB");
    struct outcome b =
        write_with(t, in_work("trace/traces.otf2"), in_work("twice"), "clc_forward clc_backward", "memory=1GiB");
    if (a.written && b.written && a.complete && b.complete)
        expect_order(t, "corrected from the damaged files", a.written, b.written, 1);
    o_unload(a.written);
    o_unload(b.written);
}

/* Requests of collectives that are completed later are counted in other places, so that members may disagree on what
 * the k-th one is: not those. */
static uint64_t lookahead_of(const struct kind *k, uint64_t seed)
{
    static const uint64_t lookaheads[] = {0, 300, 40, 5};
    struct random_trace_options o;
    uint64_t h = ~seed;
    if (!(k->how & ANYTHING))
        return 0;
    draw_options(&o, seed, 1);
    return o.features & RT_NB_COLLECTIVES ? 0 : lookaheads[draw(&h) % 4];
}

static void check_kind(const struct kind *k, uint64_t seed)
{
    struct trial t = {.seed = seed, .lookahead = lookahead_of(k, seed)};
    const char *anchor, *shuffled;
    snprintf(t.name, sizeof t.name, "%s %" PRIu64, k->name, seed);
    if (!(anchor = made(&t, k, 3000, WRONG_CLOCKS)) || (k->how & DAMAGED && !(anchor = salvaged(&t, anchor))))
        return;
    if (load(&t, anchor, 1)) {
        check_all(&t, k->how & REMATCHED);
        if (k->how & DAMAGED)
            check_damaged(&t);
        else if (!(k->how & REMATCHED) && (shuffled = made(&t, k, 3000, WRONG_CLOCKS | SHUFFLED)))
            check_shuffled(&t, shuffled);
    } else {
        wrong(&t, "not read");
    }
    unload(&t);
    if (k->how & DAMAGED)
        return;
    if ((anchor = made(&t, k, 3000, 0)) && load(&t, anchor, 1))
        check_untouched(&t, k->how & MISLEADING);
    unload(&t);
}

/* A program of tcflow-synth with clocks that wander. */
static void check_program(uint64_t seed)
{
    static const char *const patterns[] = {"ring,halo,collectives", "master,sendrecv",
                                           "halo,nonblocking",      "latesender",
                                           "ring,omp,collectives",  "locks,ring,collectives"};
    static const char *const clocks[] = {"offset=20us,drift=100", "sine=200us:3ms", "walk=50us", "jumps=400:30us"};
    struct trial t = {.seed = seed};
    char options[400];
    snprintf(t.name, sizeof t.name, "program %" PRIu64, seed);
    snprintf(options, sizeof options,
             "--seed %" PRIu64 " --ranks %" PRIu64 " --nodes 2 --events 3k --compute 10us --pattern %s --clock %s",
             seed, seed % 5 + 2, patterns[seed % 6], clocks[seed % 4]);
    remove_all(in_work("trace"));
    if (!simulate(&t, options, NULL, "trace"))
        return;
    if (load(&t, in_work("trace/traces.otf2"), 1))
        check_all(&t, 0);
    else
        wrong(&t, "not read");
    unload(&t);
}

/* No small window covers it. */
static void check_long(void)
{
    struct trial t = {.seed = 3, .name = "a long trace", .set = sets[0]};
    const struct kind all = {"", 0, {.features = SINGLE}};
    const char *anchor = made(&t, &all, 60000, WRONG_CLOCKS);
    if (anchor && load(&t, anchor, 1))
        check_windows(&t);
    unload(&t);
    result("a long trace in small windows");
}

static void check_given(const char *anchors)
{
    char *list = strdup(anchors), *rest = list, *anchor;
    while (list && (anchor = strsep(&rest, " \n\t")))
        if (*anchor) {
            struct trial t = {.seed = 1};
            snprintf(t.name, sizeof t.name, "%s", anchor);
            if (load(&t, anchor, 1))
                check_all(&t, 0);
            else
                wrong(&t, "not read");
            unload(&t);
            result("%s", anchor);
        }
    free(list);
}

/* Traces that something was found with. */
static void check_kept(void)
{
    static const struct kept kept[] = {
        {"damaged files",
         20739},           /* cut off with a collective under way: those behind it were taken for the ones before */
        {"anything", 479}, /* a jump waits in little memory, and what it has looked at last is released */
        {"what few traces have", 131}, /* a flush of the buffer that is said to end behind the events that follow it */
        {"anything",
         210119}, /* a request that is completed behind the look-ahead is no dead one, however small slices are */
        {"anything", 200592}, /* all slices of a little memory have just come to the filter that holds them */
        {"anything, and any thread",
         41}, /* members of a collective call different operations: whose begins had passed bound an end of one to n */
        {"anything, and what few traces have",
         1880080018}, /* which edges of an incomplete trace were given up depended on slices */
    };
    check_each_kept(trial_kinds, n_trial_kinds, kept, sizeof kept / sizeof *kept, check_kind);
    check_program(101); /* the last release of a lock, before a jump */
    result("traces that something was found with");
}

int main(void)
{
    uint64_t first = first_seed(), last = last_seed(3);
    const char *only = getenv("KIND");
    if (!trials_begin())
        return 1;
    check_each_kind(trial_kinds, n_trial_kinds, 3, check_kind);
    for (uint64_t seed = first; seed <= last && (!only || !strcmp(only, "program")); seed++)
        check_program(seed);
    if (!only || !strcmp(only, "program"))
        result("simulated programs %" PRIu64 " to %" PRIu64, first, last);
    if (!only) {
        check_kept();
        check_long();
    }
    check_given(getenv("TRACES") ? getenv("TRACES") : "");
    return trials_end();
}
