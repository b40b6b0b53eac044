/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See passes.h. */
#include "passes.h"

#include <inttypes.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------- both sides -- */

static settings *settings_of(const struct trial *t, const char *anchor, const char *out, const char *chain,
                             const char *window)
{
    const struct set *p = &t->set;
    struct options o = {.n = 0};
    say(&o, "pipeline.input=%s", anchor);
    say(&o, "pipeline.chain=%s otf2_write", chain);
    say(&o, "pipeline.%.*s", (int)strcspn(window, " "), window);
    if (strchr(window, ' '))
        say(&o, "pipeline.%s", strchr(window, ' ') + 1);
    if (t->lookahead)
        say(&o, "pipeline.lookahead=%" PRIu64, t->lookahead);
    say(&o, "pipeline.salvage=%s", p->salvage ? "yes" : "no");
    say(&o, "otf2_write.path=%s", out);
    say(&o, "otf2_write.overwrite=yes");
    if (strstr(chain, "clc_forward")) {
        if (p->learned) {
            say(&o, "pipeline.survey=mu_estimate");
            say(&o, "mu_estimate.output=%s", in_work("learned.csv"));
            say(&o, "mu_estimate.overwrite=yes");
            say(&o, "mu_estimate.format=csv");
            say(&o, "clc_forward.mu=auto");
        } else {
            say(&o, "clc_forward.mu=%" PRIu64 " ticks", p->mu);
        }
        say(&o, "clc_forward.delta=%" PRIu64 " ticks", p->delta);
        say(&o, "clc_forward.gamma=%s", p->decay ? "auto" : p->gamma);
        say(&o, "clc_forward.decay=%" PRIu64 " ticks", p->decay);
        say(&o, "clc_forward.output=/dev/null");
        say(&o, "clc_forward.overwrite=yes");
    }
    if (strstr(chain, "clc_backward")) {
        say(&o, "clc_backward.slope=%s", p->slope);
        say(&o, "clc_backward.max_interval=%" PRIu64 " ticks", p->max_interval);
        say(&o, "clc_backward.max_events=%" PRIu64, p->max_events);
        say(&o, "clc_backward.output=%s", in_work("jumps.csv"));
        say(&o, "clc_backward.overwrite=yes");
        say(&o, "clc_backward.format=csv");
    }
    return settings_said(NULL, &o);
}

struct outcome write_with(const struct trial *t, const char *anchor, const char *out, const char *chain,
                          const char *window)
{
    char what[160];
    snprintf(what, sizeof what, "%s, %s", chain, window);
    return run_pipeline(t, what, settings_of(t, anchor, out, chain, window), out,
                        strstr(chain, "clc_backward") ? in_work("jumps.csv") : NULL);
}

static void set_delays(const struct trial *t, struct o_delays *delays)
{
    char mu[32];
    *delays = (struct o_delays){{{0}}};
    snprintf(mu, sizeof mu, "%" PRIu64, t->set.mu);
    if (!t->set.learned)
        o_set_delay(delays, mu);
    else if (!read_learned(in_work("learned.csv"), 0, delays))
        wrong(t, "no report of the learned delays");
}

void compute(const struct trial *t, int backward, struct expected *x)
{
    struct o_clc_options options;
    o_clc_defaults(&options);
    set_delays(t, &options.delays);
    options.delta = t->set.delta;
    options.decay = t->set.decay;
    options.max_interval = t->set.max_interval;
    if (t->set.max_events > 0)
        options.max_events = t->set.max_events;
    o_fraction(t->set.gamma, true, &options.gamma);
    o_fraction(t->set.slope, false, &options.slope);
    x->recorded = o_times(t->trace);
    o_clc_forward(&x->clc, t->m, x->recorded, o_stops(t->trace), &options);
    if (backward)
        o_clc_backward(&x->clc);
}

void forget(const struct trial *t, struct expected *x)
{
    o_clc_free(&x->clc);
    o_free_times(t->trace, x->recorded);
}

uint64_t violated(const struct trial *t, const struct o_matching *m, uint64_t *const *times)
{
    struct o_delays delays;
    set_delays(t, &delays);
    return count_violated(m, times, &delays);
}

/* ------------------------------------------------------------------------------------------------ what must hold -- */

static void expect_times(const struct trial *t, const char *what, const struct expected *x,
                         const struct o_trace *written)
{
    uint64_t **times = x->clc.current ? x->clc.current : x->clc.forward;
    for (size_t l = 0; l < t->trace->n_locations; l++) {
        const struct o_location *at = &t->trace->location[l];
        size_t o = same_location(t->trace, l, written);
        if (o == written->n_locations || written->location[o].n != at->n) {
            wrong(t, "%s: location %" PRIu64 " lacks events", what, at->def.id);
            return;
        }
        for (size_t e = 0; e < at->n; e++) {
            const struct o_event *got = &written->location[o].event[e];
            if (got->time == times[l][e] && got->kind == O_BUFFER_FLUSH && got->field[0] != x->clc.stop[l][e]) {
                wrong(t,
                      "%s: the flush at event %zu of location %" PRIu64 " (%" PRIu64 " to %" PRIu64 ") ends at %" PRIu64
                      ", expected %" PRIu64,
                      what, e, at->def.id, at->event[e].time, at->event[e].field[0], got->field[0], x->clc.stop[l][e]);
                return;
            }
            if (got->time != times[l][e]) {
                wrong(t, "%s: event %zu of location %" PRIu64 " (%" PRIu64 ") is at %" PRIu64 ", expected %" PRIu64,
                      what, e, at->def.id, at->event[e].time, got->time, times[l][e]);
                return;
            }
        }
    }
}

static void expect_unbroken(const struct trial *t, const char *what, const struct outcome *o)
{
    uint64_t **times = o->complete ? o_times_of(t->trace, o->written) : NULL, n;
    if (times && (n = violated(t, t->m, times)) > 0)
        wrong(t, "%s: %" PRIu64 " edges violated", what, n);
    if (o->complete && !times)
        wrong(t, "%s: other events", what);
    o_free_times(t->trace, times);
}

void check_forward(const struct trial *t, const char *window, const struct expected *x, const struct outcome *f)
{
    char what[96];
    snprintf(what, sizeof what, "forward, %s", window);
    if (f->complete)
        expect_times(t, what, x, f->written);
    expect_unbroken(t, what, f);
    expect_order(t, what, t->trace, f->written, 0);
}

/* No source moves beyond L(target) - mu: a matrix of where sources have come to, and where the forward pass left the
 * others. */
static void expect_below_limits(const struct trial *t, const char *what, const struct expected *x,
                                const struct o_trace *written)
{
    uint64_t **times = o_times_of(t->trace, written), n;
    for (size_t l = 0; times && l < t->trace->n_locations; l++)
        for (size_t e = 0; e < t->trace->location[l].n; e++)
            if (!x->clc.source[l][e])
                times[l][e] = x->clc.forward[l][e];
    if (times && (n = violated(t, t->m, times)) > 0)
        wrong(t, "%s: %" PRIu64 " sources beyond their limits", what, n);
    o_free_times(t->trace, times);
}

/* A jump moves what is before it: not its own event, nor those behind the last one. */
static void expect_still_behind_jumps(const struct trial *t, const char *what, const struct expected *x,
                                      const struct o_trace *written)
{
    uint64_t **times = o_times_of(t->trace, written);
    for (size_t l = 0; times && l < t->trace->n_locations; l++)
        for (size_t e = t->trace->location[l].n; e-- > 0;) {
            if (times[l][e] != x->clc.forward[l][e])
                wrong(t, "%s: event %zu of location %" PRIu64 " has no jump behind it, and moves", what, e,
                      t->trace->location[l].def.id);
            if (times[l][e] != x->clc.forward[l][e] || x->clc.jump[l][e] > 0)
                break;
        }
    o_free_times(t->trace, times);
}

void check_backward(const struct trial *t, const char *window, const struct expected *x, const struct outcome *b,
                    int covers)
{
    char what[96];
    snprintf(what, sizeof what, "backward, %s", window);
    if (covers && b->complete && b->truncated)
        wrong(t, "a covering window truncates %" PRIu64, b->truncated);
    if (b->complete && (covers || b->truncated == 0))
        expect_times(t, what, x, b->written);
    if (b->complete) {
        expect_below_limits(t, what, x, b->written);
        expect_still_behind_jumps(t, what, x, b->written);
    }
    expect_unbroken(t, what, b);
    expect_order(t, what, t->trace, b->written, 0);
}
