/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The solver behind `clock_estimate`, over simulated clocks and traffic whose truth is known: how far the estimate is
 * from it, whether the error bars hold what they say, and what becomes of odd input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../plugins/clock_estimate/solver/bounds.h"
#include "simulate.h"

static uint32_t seeds_to_try(void)
{
    return getenv("TCFLOW_LONG") ? 3 : 1;
}

static struct scenario scenario(enum drift drift, enum traffic traffic, uint32_t ranks, uint64_t seed)
{
    return (struct scenario){.drift = drift,
                             .traffic = traffic,
                             .ranks = ranks,
                             .seconds = 100,
                             .every = traffic == SPARSE ? 2 : 0.004,
                             .amplitude = 50e-6,
                             .period = 60,
                             .frequency = 1e9,
                             .seed = seed};
}

static struct settings usual(void)
{
    return (struct settings){.most_gaps = 64,
                             .memory = 1 << 20,
                             .measured_error = 1000,
                             .drift_rate = 1e-7,
                             .most_rate = 5e-5};
}

/* Runs one and checks what holds for all. */
static struct outcome outcome_of(const struct scenario *s, double covered)
{
    struct outcome o;
    assert_int_equal(simulate(s, &o), 0);
    if (o.covered < covered)
        fail_msg("%s, %s, %u ranks, seed %u: %.2f%% within the error bar", drift_names[s->drift],
                 traffic_names[s->traffic], s->ranks, (unsigned)s->seed, 100 * o.covered);
    if (o.worse > 0)
        fail_msg("%s, %s, %u ranks, seed %u: worse than linear by %g s more than the error bar", drift_names[s->drift],
                 traffic_names[s->traffic], s->ranks, (unsigned)s->seed, o.worse);
    return o;
}

static void at_most(const struct scenario *s, const struct outcome *o, double ratio)
{
    if (o->rms > ratio * o->linear_rms)
        fail_msg("%s, %s, %u ranks, seed %u: %g s rms, more than %g of linear's %g s", drift_names[s->drift],
                 traffic_names[s->traffic], s->ranks, (unsigned)s->seed, o->rms, ratio, o->linear_rms);
}

/* Messages both ways: a twentieth of what linear interpolation leaves, when clocks drift otherwise than linearly. */
static void both_ways(void **state)
{
    static const uint32_t ranks[] = {2, 5, 12};
    static const enum traffic traffic[] = {RING, HALO, MASTER, REDUCTIONS, MIXED};
    (void)state;
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t t = 0; t < 5; t++)
            for (uint64_t seed = 1; seed <= seeds_to_try(); seed++)
                for (int measured = 0; measured < 2; measured++) {
                    struct scenario s = scenario(seed % 2 ? SINE : WALK, traffic[t], ranks[r], seed);
                    s.measured = measured;
                    struct outcome o = outcome_of(&s, 0.99);
                    at_most(&s, &o, 0.05);
                    assert_int_equal(o.estimated, s.ranks - 1);
                    assert_true(o.violations < 0.001);
                }
}

/* Half of linear's with little traffic, or nearly all of it in one direction. */
static void little_traffic(void **state)
{
    (void)state;
    for (uint32_t ranks = 3; ranks <= 9; ranks += 3)
        for (uint64_t seed = 1; seed <= seeds_to_try(); seed++) {
            struct scenario s = scenario(seed % 2 ? SINE : WALK, SPARSE, ranks, seed);
            struct outcome o = outcome_of(&s, 0.95);
            at_most(&s, &o, 0.5);
            s = scenario(seed % 2 ? SINE : WALK, MOSTLY_ONE_WAY, ranks, seed);
            o = outcome_of(&s, 0.95);
            at_most(&s, &o, 0.5);
        }
}

/* In one direction only: measured offsets say where the clocks are, messages how they move. Where a pair has lost its
 * peak for long, nobody can tell late receivers from clocks; but for such runs the bars hold, and they all are worth
 * their bars. */
static void one_way(void **state)
{
    static const uint32_t ranks[] = {2, 4, 16};
    (void)state;
    for (int drift = SINE; drift <= JUMPS; drift++)
        for (uint32_t r = 0; r < 3; r++) {
            double covered = 0;
            for (uint64_t seed = 1; seed <= seeds_to_try(); seed++) {
                struct scenario s = scenario((enum drift)drift, ONE_WAY, ranks[r], seed);
                s.measured = 1;
                struct outcome o = outcome_of(&s, 0.5);
                covered += o.covered / seeds_to_try();
                s.measured = 0; /* nothing bounds them from the other side */
                assert_int_equal(simulate(&s, &o), 0);
                assert_true(o.bar_rms == 0); /* none of the bars is finite */
            }
            assert_true(covered > 0.9);
        }
}

/* Offsets of straight clocks, measured, that no message contradicts: never worse than they are, by more than the
 * messages say for sure. */
static void measured_and_linear(void **state)
{
    (void)state;
    for (int t = 0; t < TRAFFICS; t++)
        for (uint32_t ranks = 4; ranks <= 16; ranks *= 4)
            for (uint64_t seed = 1; seed <= seeds_to_try(); seed++) {
                struct scenario s = scenario(LINEAR, (enum traffic)t, ranks, seed);
                s.measured = 1;
                struct outcome o = outcome_of(&s, 0.99);
                at_most(&s, &o, t == MOSTLY_ONE_WAY ? 2 : 1.5);
                assert_int_equal(o.measured + o.estimated, ranks - 1);
                assert_true(o.bar_rms < 15e-6);
            }
}

/* Measured offsets keep clocks near where hardly a message goes back, however they bend. */
static void measured_and_mostly_one_way(void **state)
{
    (void)state;
    for (int drift = SINE; drift <= JUMPS; drift++)
        for (uint32_t ranks = 4; ranks <= 16; ranks *= 4)
            for (uint64_t seed = 1; seed <= seeds_to_try(); seed++) {
                struct scenario s = scenario((enum drift)drift, MOSTLY_ONE_WAY, ranks, seed);
                s.measured = 1;
                struct outcome o = outcome_of(&s, 0.95);
                at_most(&s, &o, drift == JUMPS ? 1 : 0.5);
                assert_true(o.bar_rms < 1e-3);
            }
}

/* Loose messages both ways, of which one way is tight only now and then: receivers wait for milliseconds. What the two
 * ways differ by must not be taken for the clocks. */
static void loose_messages(void **state)
{
    enum { UNITS = 6, STEPS = 4000, STEP = 10000000 };
    (void)state;
    for (uint64_t seed = 1; seed <= seeds_to_try(); seed++) {
        struct bounds *b;
        struct solution r;
        struct settings settings = usual();
        uint64_t random = seed;
        assert_non_null(b = bounds_new(UNITS, 4 << 20));
        for (uint32_t u = 0; u < UNITS; u++)
            for (uint64_t end = 0; end < 2; end++) {
                uint64_t time = 1000000 + end * STEP * STEPS;
                bounds_seen(b, u, time);
                assert_int_equal(bounds_measured(b, u, time, 0, 0), 0);
            }
        for (uint64_t k = 0; k < STEPS; k++)
            for (uint32_t u = 0; u + 1 < UNITS; u++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                uint64_t late = 1000 + (random >> 40), bend = 20000 * u * (k < STEPS / 2 ? k : STEPS - k) / STEPS;
                uint64_t next = 20000 * (u + 1) * (k < STEPS / 2 ? k : STEPS - k) / STEPS, t = 1000000 + k * STEP;
                bounds_message(b, u, t + bend, u + 1, t + next + (k % 16 ? late / 8 : 2000), 0);
                if (k % 10 == 0)
                    bounds_message(b, u + 1, t + next, u, t + bend + late, 0);
            }
        assert_int_equal(estimate_clocks(b, &settings, &r), 0);
        for (uint32_t u = 1; u < UNITS; u++)
            for (uint32_t k = r.unit[u].first_knot; k < r.unit[u].first_knot + r.unit[u].n_knots; k++) {
                assert_true(labs((long)r.knot[k].offset) < 200000);
                assert_true(r.knot[k].error < 1000000);
            }
        solution_free(&r);
        bounds_free(b);
    }
}

static void jumps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds_to_try(); seed++) {
        struct scenario s = scenario(JUMPS, seed % 2 ? RING : MIXED, 6, seed);
        struct outcome o = outcome_of(&s, 0.95);
        at_most(&s, &o, 0.5);
    }
}

/* Clocks that are right stay as they are, whatever has been measured. */
static void right_clocks(void **state)
{
    (void)state;
    for (int t = 0; t < TRAFFICS; t++)
        for (uint64_t seed = 1; seed <= seeds_to_try(); seed++) {
            struct scenario s = scenario(SHARED, (enum traffic)t, 4, seed);
            s.measured = seed % 2;
            struct outcome o = outcome_of(&s, t == ONE_WAY ? 0 : 1);
            assert_int_equal(o.raw, 3);
            assert_true(o.rms == 0);
        }
}

/* What the two ways differ by can't be seen; half of it is within the bar. */
static void unequal_ways(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds_to_try(); seed++) {
        struct scenario s = scenario(SINE, RING, 4, seed);
        s.asymmetry = 10e-6;
        outcome_of(&s, 0.99);
    }
}

/* However many ranks: the cost of a solution has a limit, and right clocks need next to none. Nor do errors build up
 * along a ring of them, or across a grid. */
static void many_ranks(void **state)
{
    (void)state;
    for (uint32_t ranks = 64; ranks <= 256; ranks *= 4)
        for (int t = RING; t <= REDUCTIONS; t++) {
            struct scenario s = scenario(SINE, (enum traffic)t, ranks, ranks);
            s.every = 0.02;
            struct outcome o = outcome_of(&s, 0.95);
            at_most(&s, &o, t == RING || t == HALO ? 0.02 : 0.5);
            assert_true(o.work < 2 * (64000000 + (uint64_t)ranks * 160000));
            s.drift = SHARED;
            assert_int_equal(simulate(&s, &o), 0);
            assert_int_equal(o.raw, ranks - 1);
            assert_true(o.work < 10000000);
        }
}

/* Rates far from those of usual clocks are found like others, wherever messages go both ways or in a circle. */
static void fast_clocks(void **state)
{
    static const enum traffic traffic[] = {RING, HALO, MASTER, REDUCTIONS, MIXED};
    (void)state;
    for (uint32_t ranks = 4; ranks <= 64; ranks *= 4)
        for (uint32_t t = 0; t < 5; t++)
            for (uint32_t seconds = 1; seconds <= 100; seconds *= 100) {
                struct scenario s = scenario(LINEAR, traffic[t], ranks, ranks + t);
                s.rate = t % 2 ? 1e-3 : 1e-4;
                s.seconds = seconds;
                s.every = seconds == 1 ? 0.0002 : 0.004;
                struct outcome o = outcome_of(&s, 0.99);
                if (o.rms > 0.5e-6)
                    fail_msg("%s, %u ranks, %u s: %g s rms", traffic_names[s.traffic], ranks, seconds, o.rms);
            }
}

/* Messages of one direction bound the difference of rates from one side only. Rates far from the usual ones still leave
 * hardly any message reversed. */
static void fast_clocks_one_way(void **state)
{
    (void)state;
    for (uint32_t ranks = 4; ranks <= 16; ranks *= 4) {
        struct scenario s = scenario(LINEAR, ONE_WAY, ranks, 1);
        s.rate = 1e-3;
        s.seconds = 50;
        s.every = 0.005;
        s.busy = 1e-3;
        struct outcome o = outcome_of(&s, 0.99);
        if (o.violations > 0.01)
            fail_msg("%u ranks: %g of the messages are reversed", ranks, o.violations);
    }
}

/* Coarse and fine ticks, fast drift. A second has to be worth some ticks for a result to be expected. */
static void odd_ticks(void **state)
{
    static const double frequencies[] = {1e3, 1e6, 2.5e9, 1e10};
    (void)state;
    for (uint32_t f = 0; f < 4; f++)
        for (uint64_t seed = 1; seed <= seeds_to_try(); seed++) {
            struct scenario s = scenario(SINE, MIXED, 4, seed);
            s.frequency = frequencies[f];
            s.amplitude = f == 0 ? 0.02 : 50e-6;
            struct outcome o = outcome_of(&s, 0.99);
            if (f > 0)
                at_most(&s, &o, 0.05);
        }
}

/* ---------------------------------------------------------------------------------------------------- small ones -- */

/* Offset of a unit's first knot. */
static int64_t first_offset(const struct solution *s, uint32_t unit)
{
    assert_true(s->unit[unit].n_knots > 0);
    return s->knot[s->unit[unit].first_knot].offset;
}

/* Clocks at both ends of what 64 bits hold, a message each way. */
static void far_apart(void **state)
{
    static const uint64_t bases[][2] = {{1000, UINT64_MAX / 2 - 1000000},
                                        {UINT64_MAX - 2000000, UINT64_MAX - 1500000},
                                        {1, UINT64_MAX / 4},
                                        {UINT64_MAX / 4, 1},
                                        {5, 5000},
                                        {5000, 5}};
    (void)state;
    for (uint32_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        struct bounds *b;
        struct solution r;
        struct settings settings = usual();
        uint64_t x = bases[i][0], y = bases[i][1];
        assert_non_null(b = bounds_new(2, 1 << 20));
        for (uint64_t t = 0; t < 1000000; t += 10000) {
            bounds_message(b, 0, x + t, 1, y + t + 10, 0);
            bounds_message(b, 1, y + t + 5000, 0, x + t + 5010, 0);
        }
        assert_int_equal(estimate_clocks(b, &settings, &r), 0);
        assert_int_equal(r.components, 1);
        if (r.unit[1].origin == FROM_NOTHING) { /* the clock condition holds */
            assert_true(y >= x ? y - x <= 10 : x - y <= 10);
        } else {
            int64_t apart = r.unit[0].n_knots ? first_offset(&r, 0) : 0;
            int64_t off = (int64_t)((uint64_t)(first_offset(&r, 1) - apart) - (x - y));
            assert_true(off >= -2 && off <= 2);
            for (uint32_t u = 0; u < 2; u++)
                for (uint32_t k = 0; k < r.unit[u].n_knots; k++) {
                    const struct knot *knot = &r.knot[r.unit[u].first_knot + k];
                    __int128 there = (__int128)knot->time + knot->offset;
                    assert_true(there >= 0 && there <= UINT64_MAX);
                }
        }
        solution_free(&r);
        bounds_free(b);
    }
}

static void no_clocks(void **state)
{
    struct bounds *b;
    struct solution r;
    struct settings settings = usual();
    (void)state;
    assert_non_null(b = bounds_new(0, 1 << 20));
    assert_int_equal(estimate_clocks(b, &settings, &r), 0);
    assert_int_equal(r.components, 0);
    solution_free(&r);
    bounds_free(b);
}

/* Two groups that never talk, and a unit of which nothing is seen. */
static void unconnected(void **state)
{
    struct bounds *b;
    struct solution r;
    struct settings settings = usual();
    (void)state;
    assert_non_null(b = bounds_new(5, 1 << 20));
    for (uint64_t t = 1000; t < 100000; t += 1000)
        for (uint32_t u = 0; u < 4; u += 2) {
            bounds_message(b, u, t, u + 1, t - 500, 0);
            bounds_message(b, u + 1, t, u, t + 700, 0);
        }
    assert_int_equal(estimate_clocks(b, &settings, &r), 0);
    assert_int_equal(r.components, 3);
    assert_int_equal(r.unit[0].component, 0);
    assert_int_equal(r.unit[1].component, 0);
    assert_int_equal(r.unit[2].component, r.unit[3].component);
    assert_int_not_equal(r.unit[2].component, 0);
    assert_int_equal(r.unit[1].origin, FROM_MESSAGES);
    assert_int_equal(r.unit[2].origin, FROM_UNCONNECTED);
    assert_int_equal(r.unit[3].origin, FROM_UNCONNECTED);
    assert_true(isinf(r.unit[3].error));
    assert_int_equal(r.unit[4].n_knots, 0);
    solution_free(&r);
    bounds_free(b);
}

struct wild {
    uint64_t random, base[8], step;
    uint32_t units, messages;
    struct bounds *b;
};

static uint64_t wild_number(struct wild *w)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    return w->random ^= w->random << 17;
}

static void wild_unit(struct wild *w, uint32_t unit, uint32_t measured)
{
    static const int64_t offsets[] = {INT64_MIN, INT64_MAX, INT64_MIN / 2, INT64_MAX / 2, 0, 1000, -1000000};
    static const double errors[] = {0, 0, 1, 1000, 1e30, INFINITY, NAN, -5};
    uint64_t at = wild_number(w) % 3, far = wild_number(w) >> (3 + wild_number(w) % 61);
    w->base[unit] = at == 0 ? 1000 : at == 1 ? 1000000 + far % 100000 : far;
    for (uint32_t k = 0; k < measured; k++)
        assert_int_equal(bounds_measured(w->b, unit, w->base[unit] + k * w->step * w->messages / measured,
                                         offsets[wild_number(w) % (measured > 1 ? 2 : 7)], errors[wild_number(w) % 8]),
                         0);
}

/* Whatever was measured, and wherever the clocks are: the search ends, and its error bars are numbers or infinite. */
static void wild_measurements(void **state)
{
    (void)state;
    alarm(300);
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct wild w = {.random = seed * 0x9e3779b97f4a7c15u};
        struct solution r;
        struct settings settings = usual();
        w.units = 1 + (uint32_t)(wild_number(&w) % 8);
        w.step = wild_number(&w) % 2 ? 10000 : 1 + (wild_number(&w) >> (8 + wild_number(&w) % 55));
        w.messages = 20 + (uint32_t)(wild_number(&w) % 50);
        assert_non_null(w.b = bounds_new(w.units, 1 << 20));
        for (uint32_t u = 0; u < w.units; u++)
            wild_unit(&w, u, seed % 4);
        for (uint64_t k = 0; k < w.messages; k++) {
            uint32_t from = (uint32_t)(wild_number(&w) % w.units), to = (uint32_t)(wild_number(&w) % w.units);
            uint64_t t = k * w.step, delay = wild_number(&w) % 1000 - (wild_number(&w) % 4 ? 0 : 500);
            bounds_seen(w.b, from, w.base[from] + t);
            if (from != to)
                bounds_message(w.b, from, w.base[from] + t, to, w.base[to] + t + delay, 0);
        }
        assert_int_equal(estimate_clocks(w.b, &settings, &r), 0);
        for (uint32_t u = 0; u < w.units; u++)
            assert_true(r.unit[u].error >= 0);
        for (uint32_t k = 0; k < r.n_knots; k++)
            assert_true(r.knot[k].error >= 0);
        solution_free(&r);
        bounds_free(w.b);
    }
    alarm(0);
}

/* No clock at all. */
static void no_units(void **state)
{
    struct solution r;
    struct settings settings = usual();
    struct bounds *b = bounds_new(0, 1 << 20);
    (void)state;
    assert_non_null(b);
    assert_int_equal(estimate_clocks(b, &settings, &r), 0);
    assert_int_equal(r.n_knots, 0);
    solution_free(&r);
    bounds_free(b);
}

/* From some time on, yes. */
static int asked_often(const void *data)
{
    uint32_t *left = (uint32_t *)(uintptr_t)data;
    *left -= *left > 0;
    return *left == 0;
}

/* The caller ends the search whenever it likes. */
static void interrupted(void **state)
{
    int status = -1;
    (void)state;
    for (uint32_t after = 1; status != 0; after++) {
        uint32_t left = after;
        struct solution r;
        struct settings settings = usual();
        struct bounds *b = bounds_new(2, 1 << 20);
        assert_non_null(b);
        for (uint64_t t = 1000; t < 100000; t += 1000) {
            bounds_message(b, 0, t, 1, t - 500, 0);
            bounds_message(b, 1, t, 0, t + 700, 0);
        }
        settings.interrupted = asked_often;
        settings.data = &left;
        status = estimate_clocks(b, &settings, &r);
        assert_true(left == 0 || status == 0);
        assert_true(status == 0 || !r.unit);
        assert_true(status != 0 || after > 20);
        solution_free(&r);
        bounds_free(b);
    }
}

/* A pair whose messages arrive before they are sent in both directions must not spoil what the others say. */
static void contradictions(void **state)
{
    struct bounds *b;
    struct solution r;
    struct settings settings = usual();
    (void)state;
    assert_non_null(b = bounds_new(3, 1 << 20));
    for (uint64_t t = 1000000; t < 100000000; t += 10000) {
        for (uint32_t u = 1; u < 3; u++) {
            bounds_message(b, 0, t, u, t - 50000 * u + 10, 0);
            bounds_message(b, u, t - 50000 * u + 5000, 0, t + 5010, 0);
        }
        bounds_message(b, 1, t, 2, t - 900000, 0);
        bounds_message(b, 2, t, 1, t - 900000, 0);
    }
    assert_int_equal(estimate_clocks(b, &settings, &r), 0);
    assert_int_equal(r.contradictory, 2);
    assert_true(labs((long)first_offset(&r, 1) - 50000) <= 2);
    assert_true(labs((long)first_offset(&r, 2) - 100000) <= 2);
    solution_free(&r);
    bounds_free(b);
}

/* Pairs with one message each, as operations of many roots make them, leave the room to those with many. */
static void rare_pairs(void **state)
{
    enum { UNITS = 48, MESSAGES = 4096 };
    struct bounds *b;
    (void)state;
    assert_non_null(b = bounds_new(UNITS, 1 << 20));
    for (uint32_t from = 0; from < UNITS; from++)
        for (uint32_t to = 0; to < UNITS; to++)
            if (from != to)
                bounds_message(b, from, 1000, to, 1100, 0);
    for (uint64_t i = 1; i < MESSAGES; i++) {
        bounds_message(b, 0, 1000 + 1000 * i, 1, 1100 + 1000 * i, 0);
        bounds_message(b, 1, 1000 + 1000 * i, 0, 1100 + 1000 * i, 0);
    }
    for (uint32_t i = 0; i < b->n_pairs; i++)
        assert_int_equal(b->pair[i].n, b->pair[i].from + b->pair[i].to == 1 ? MESSAGES : 1);
    bounds_free(b);
}

/* However many messages and pairs: memory stays what was given, points are messages, and the smallest delay is
 * exact. */
static void bounded(void **state)
{
    enum { UNITS = 40, MESSAGES = 400000 };
    struct bounds *b;
    uint64_t random = 1;
    int64_t least[UNITS][UNITS];
    (void)state;
    for (uint32_t i = 0; i < UNITS * UNITS; i++)
        least[i / UNITS][i % UNITS] = INT64_MAX;
    assert_non_null(b = bounds_new(UNITS, 1 << 20));
    for (uint32_t i = 0; i < MESSAGES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t from = (uint32_t)(random >> 33) % UNITS,
                 to = (from + 1 + (uint32_t)(random >> 50) % (UNITS - 1)) % UNITS;
        uint64_t sent = 1000 * i + (random >> 40) % 5000, delay = 100 + (random >> 20) % 10000;
        bounds_message(b, from, sent, to, sent + delay, 0);
        least[from][to] = (int64_t)delay < least[from][to] ? (int64_t)delay : least[from][to];
        assert_true(b->points <= b->most_points);
    }
    bounds_link(b);
    assert_int_equal(b->messages, MESSAGES);
    assert_int_equal(b->n_pairs, UNITS * (UNITS - 1));
    assert_int_equal(b->without_room, 0);
    for (uint32_t i = 0; i < b->n_pairs; i++) {
        const struct pair *p = &b->pair[i];
        int64_t bases = (int64_t)(b->unit[p->to].base - b->unit[p->from].base);
        assert_int_equal(p->least + bases, least[p->from][p->to]);
        assert_true(p->n >= 4);
        for (uint32_t k = 0; k < p->n; k++) {
            int64_t delay = p->point[k].received - p->point[k].sent + bases;
            assert_true(delay >= least[p->from][p->to] && delay < 10100);
            uint64_t base = b->unit[p->from].base, sent = (uint64_t)p->point[k].sent + base;
            assert_true(k == 0 || sent >> p->shift > ((uint64_t)p->point[k - 1].sent + base) >> p->shift);
        }
    }
    bounds_free(b);
}

struct sent {
    uint32_t from, to;
    uint64_t sent, received;
};

static int same_bounds(const struct bounds *a, const struct bounds *b)
{
    if (a->n_pairs != b->n_pairs || a->without_room != b->without_room || a->points != b->points)
        return 0;
    for (uint32_t u = 0; u < a->n_units; u++)
        if (a->unit[u].base != b->unit[u].base || a->unit[u].last != b->unit[u].last)
            return 0;
    for (uint32_t i = 0; i < a->n_pairs; i++) {
        const struct pair *p = &a->pair[i], *q = &b->pair[i];
        if (p->from != q->from || p->to != q->to || p->reverse != q->reverse || p->least != q->least ||
            p->messages != q->messages || p->n != q->n || p->shift != q->shift ||
            memcmp(p->point, q->point, p->n * sizeof *p->point) != 0)
            return 0;
    }
    return 1;
}

/* What is kept is the same in whatever order messages come: with room for all, for fewer points, and for fewer
 * pairs. */
static void any_order(void **state)
{
    enum { MESSAGES = 60000, UNITS = 24 };
    static const uint64_t memory[] = {16 << 20, 1 << 20, 256 << 10, 16 << 10};
    struct sent *m = malloc(MESSAGES * sizeof *m);
    uint64_t random = 7;
    (void)state;
    assert_non_null(m);
    for (uint32_t units = 2; units <= UNITS; units += 11)
        for (uint32_t k = 0; k < 4; k++) {
            struct bounds *b[3];
            for (uint32_t i = 0; i < MESSAGES; i++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                uint32_t from = (uint32_t)(random >> 33) % units, more = (uint32_t)(random >> 50) % (units - 1);
                uint64_t sent = UINT64_MAX / 2 - MESSAGES * 50 + 100 * i + (random >> 40) % 5000;
                m[i] = (struct sent){from, (from + 1 + more) % units, sent, sent + (random >> 20) % 300 + i / 100};
            }
            for (uint32_t order = 0; order < 3; order++) {
                assert_non_null(b[order] = bounds_new(units, memory[k]));
                for (uint32_t i = 0; i < MESSAGES; i++)
                    bounds_message(b[order], m[i].from, m[i].sent, m[i].to, m[i].received, 0);
                bounds_link(b[order]);
                for (uint32_t i = MESSAGES - 1; i > 0; i--) { /* near ones change places at first, then all */
                    random = random * 6364136223846793005u + 1442695040888963407u;
                    uint32_t at = order == 0 ? i - (uint32_t)(random >> 33) % (i < 50 ? i + 1 : 50)
                                             : (uint32_t)(random >> 33) % (i + 1);
                    struct sent kept = m[i];
                    m[i] = m[at];
                    m[at] = kept;
                }
            }
            assert_true(same_bounds(b[0], b[1]) && same_bounds(b[0], b[2]));
            int too_many = units * (units - 1) > b[0]->most_pairs;
            assert_true(b[0]->points <= b[0]->most_points);
            assert_true(b[0]->n_pairs >= (too_many ? b[0]->most_pairs / 2 : units * (units - 1)));
            assert_int_equal(b[0]->without_room > 0, too_many);
            for (uint32_t order = 0; order < 3; order++)
                bounds_free(b[order]);
        }
    free(m);
}

/* Every message that a collective stands for must be one that its class allows. */
static void collectives(void **state)
{
    (void)state;
    for (int shape = ALL_TO_ALL; shape <= LOWER_TO_HIGHER; shape++)
        for (uint32_t n = 1; n <= 70; n += 23) {
            struct bounds *b;
            struct member m[70] = {{0}};
            assert_non_null(b = bounds_new(n, 4 << 20));
            for (uint64_t turn = 0; turn < 40; turn++) {
                uint32_t root = (uint32_t)turn % n;
                for (uint32_t i = 0; i < n; i++) {
                    m[i] = (struct member){.begin = 1000 * turn + (i * 7 + turn) % n, .unit = i};
                    m[i].end = 1000 * turn + 100 + i;
                    m[i].gives = shape == ONE_TO_ALL ? i == root : shape == ALL_TO_ONE ? i != root : 1;
                    m[i].gets = shape == ONE_TO_ALL ? i != root : shape == ALL_TO_ONE ? i == root : i != 3;
                }
                bounds_collective(b, (enum shape)shape, turn, m, sizeof *m, n);
            }
            for (uint32_t i = 0; i < b->n_pairs; i++) {
                assert_int_not_equal(b->pair[i].from, b->pair[i].to);
                assert_true(shape != LOWER_TO_HIGHER || b->pair[i].from < b->pair[i].to);
                assert_true((shape != ALL_TO_ALL && shape != LOWER_TO_HIGHER) || b->pair[i].to != 3);
            }
            assert_true(n == 1 ? b->n_pairs == 0 : b->n_pairs >= n - 2);
            bounds_free(b);
        }
}

/* Instances that are kept whole: the same in whatever order they complete, few enough, and messages from the one who
 * came last. */
static void collective_bounds(void **state)
{
    enum { UNITS = 40, INSTANCES = 3000, WAYS = 3 };
    struct bounds *b[WAYS];
    (void)state;
    for (uint32_t way = 0; way < WAYS; way++) {
        assert_non_null(b[way] = bounds_new(UNITS, 1 << 20));
        for (uint64_t i = 0; i < INSTANCES; i++) {
            uint64_t number = way == 0 ? i : way == 1 ? INSTANCES - 1 - i : i * 7 % INSTANCES, start = 5000 * number;
            struct member m[UNITS];
            for (uint32_t u = 0; u < UNITS; u++) {
                uint64_t later = (u * 17 + number * 5) % UNITS;
                m[u] = (struct member){start + later, start + 100 + u, u, 1, u != 3, 0};
            }
            m[number % UNITS].begin = start + 99;
            bounds_collective(b[way], ALL_TO_ALL, number, m, sizeof *m, UNITS);
        }
        bounds_link(b[way]);
        collectives_link(b[way]);
    }
    assert_true(b[0]->n_ends <= b[0]->most_ends && b[0]->n_ends > b[0]->most_ends / 4);
    for (uint32_t way = 1; way < WAYS; way++) {
        assert_int_equal(b[way]->n_collectives, b[0]->n_collectives);
        for (uint32_t i = 0; i < b[0]->n_collectives; i++) {
            const struct collective *s = &b[0]->collective[i], *t = &b[way]->collective[i];
            assert_true(s->sent == t->sent && s->last == t->last && s->n == t->n && s->n >= UNITS - 2);
            for (uint64_t k = 0; k < s->n; k++) {
                const struct collective_end *e = &b[0]->end[s->first + k], *f = &b[way]->end[t->first + k];
                assert_true(e->unit == f->unit && e->received == f->received);
            }
        }
    }
    for (uint32_t i = 0; i < b[0]->n_collectives; i++) {
        const struct collective *s = &b[0]->collective[i];
        uint64_t sent = (uint64_t)s->sent + b[0]->unit[s->last].base;
        assert_int_equal(sent % 5000, 99);
        assert_int_equal(sent / 5000 % UNITS, s->last);
        for (uint64_t k = s->first; k < s->first + s->n; k++) {
            const struct collective_end *e = &b[0]->end[k];
            assert_true(e->unit != s->last && e->unit != 3);
            assert_int_equal((uint64_t)e->received + b[0]->unit[e->unit].base, sent + 1 + e->unit);
        }
    }
    for (uint32_t way = 0; way < WAYS; way++)
        bounds_free(b[way]);
}

/* What larger messages take longer is told from what clocks are off, where their sizes are known. */
static void sizes(void **state)
{
    double known = 0, unknown = 0, none = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct scenario s = scenario(SINE, HALO, 8, seed);
        s.every = 0.1;
        none += outcome_of(&s, 0.99).rms;
        s.per_byte = 1e-9;
        known += outcome_of(&s, 0.99).rms;
        s.unsized = 1;
        unknown += outcome_of(&s, 0.99).rms;
    }
    if (known > 1.6 * none || known > 0.7 * unknown)
        fail_msg("sizes known: %g s, not known: %g s, of no matter: %g s", known / 3, unknown / 3, none / 3);
}

/* What one way of each pair takes longer all the time adds up along a row of ranks, unless somebody sees more than
 * neighbours. */
static void uneven_ways(void **state)
{
    double even = 0, uneven = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct scenario s = scenario(SINE, MIXED, 16, seed);
        even += outcome_of(&s, 0.99).rms;
        s.asymmetry = 0.4e-6;
        uneven += outcome_of(&s, 0.99).rms;
    }
    if (uneven > 1.6 * even)
        fail_msg("ways alike: %g s, not alike: %g s", even / 3, uneven / 3);
}

/* Small waves: what is finer than messages resolve isn't taken for the clocks' doing, and the tightest of many messages
 * tell more than there are fewer of them. */
static void small_waves(void **state)
{
    double sum = 0, linear = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct scenario s = scenario(SINE, MIXED, 16, seed);
        s.seconds = 60;
        s.every = 0.02;
        s.amplitude = 3e-6;
        s.period = 20;
        struct outcome o = outcome_of(&s, 0.99);
        sum += o.rms;
        linear += o.linear_rms;
    }
    if (sum > linear / 21)
        fail_msg("%g s rms, linear %g s: 1/%.3g", sum / 4, linear / 4, linear / sum);
}

/* Clocks that are lines stay lines, and all messages determine them. */
static void straight_clocks(void **state)
{
    double sum = 0, linear = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct scenario s = scenario(LINEAR, HALO, 8, seed);
        s.seconds = 20;
        s.every = 0.02;
        struct outcome o = outcome_of(&s, 0.99);
        sum += o.rms;
        linear += o.linear_rms;
    }
    if (sum > linear / 30)
        fail_msg("%g s rms, linear %g s: 1/%.3g", sum / 4, linear / 4, linear / sum);
}

/* Operations with a root delay all members alike: they don't spoil what messages tell, and count where those tell
 * little: where receivers always come late, or messages go one way. */
static void operations_with_a_root(void **state)
{
    double without = 0, with = 0, busy = 0, busy_with = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct scenario s = scenario(SINE, HALO, 16, seed);
        s.every = 0.05;
        s.amplitude = 3e-6;
        without += outcome_of(&s, 0.99).rms;
        s.rooted = 1;
        with += outcome_of(&s, 0.99).rms;
        s.amplitude = 20e-6;
        s.busy = 0.01;
        busy_with += outcome_of(&s, 0.99).rms;
        s.rooted = 0;
        busy += outcome_of(&s, 0.99).rms;
        s.rooted = 1;
        s.busy = 0;
        s.traffic = ONE_WAY;
        s.amplitude = 50e-6;
        struct outcome o = outcome_of(&s, 0.99);
        at_most(&s, &o, 0.2);
        assert_true(o.bar_rms > 0 && o.bar_rms < 1e-3);
    }
    if (with > 1.05 * without)
        fail_msg("with operations that have a root: %g s, without: %g s", with / 3, without / 3);
    if (busy_with > 0.2 * busy)
        fail_msg("late receivers, with operations that have a root: %g s, without: %g s", busy_with / 3, busy / 3);
}

/* One rank for which all others always wait: nothing bounds its clock from the other side but for what it is late, yet
 * those that wait leave at once when it comes. */
static void always_last(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (uint32_t ranks = 3; ranks <= 20; ranks += 17) {
            struct scenario s = scenario(SINE, REDUCTIONS, ranks, seed);
            s.every = 0.1;
            s.busy = 0.02;
            struct outcome o = outcome_of(&s, 0.99);
            if (o.rms > 100e-6)
                fail_msg("%u ranks, seed %u: %g s rms", ranks, (unsigned)seed, o.rms);
        }
}

/* 95 % of the times lie within the likely error, and not all within half of it; bars are far wider. */
static void likely_error(void **state)
{
    static const enum traffic traffic[] = {RING, HALO, MASTER, REDUCTIONS, MIXED};
    double likely = 0, half = 0, errors = 0, likely_errors = 0, n = 0;
    (void)state;
    for (uint32_t t = 0; t < 5; t++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            struct scenario s = scenario(seed % 2 ? SINE : WALK, traffic[t], 5, seed);
            s.every = 0.02;
            s.measured = seed > 2;
            struct outcome o = outcome_of(&s, 0.99);
            likely += o.likely;
            half += o.half;
            errors += o.rms;
            likely_errors += o.likely_rms;
            n++;
            if (o.likely < 0.9 || o.likely_rms > 0.25 * o.bar_rms)
                fail_msg("%s, seed %u: %g s rms, likely %g s, bar %g s; %.2f%% within the likely error",
                         traffic_names[s.traffic], (unsigned)seed, o.rms, o.likely_rms, o.bar_rms, 100 * o.likely);
        }
    if (likely < 0.95 * n || half > 0.93 * n || likely_errors > 5 * errors)
        fail_msg("%.2f%% within likely errors, %.2f%% within half of them", 100 * likely / n, 100 * half / n);
}

/* Waves that few messages hide: clocks are taken for lines, but their likely errors leave room for waves. */
static void likely_error_of_lines(void **state)
{
    static const enum traffic traffic[] = {HALO, MASTER, REDUCTIONS, MIXED};
    double likely = 0, errors = 0, likely_errors = 0, n = 0;
    (void)state;
    for (uint32_t t = 0; t < 4; t++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            struct scenario s = scenario(SINE, traffic[t], 4, seed);
            s.seconds = 10;
            s.every = 0.1;
            s.amplitude = seed % 2 ? 0.5e-6 : 1e-6;
            s.period = 4;
            struct outcome o = outcome_of(&s, 0.99);
            likely += o.likely;
            errors += o.rms;
            likely_errors += o.likely_rms;
            n++;
        }
    if (likely < 0.93 * n || likely_errors > 10 * errors)
        fail_msg("%.2f%% within likely errors, which are %g times the errors", 100 * likely / n,
                 likely_errors / errors);
}

/* The result is that of one thread, bit by bit, however many there are. */
static void divided(void **state)
{
    static const enum traffic traffic[] = {HALO, MASTER, REDUCTIONS, MIXED};
    (void)state;
    for (uint32_t t = 0; t < 4; t++) {
        struct scenario s = scenario(t % 2 ? WALK : SINE, traffic[t], 45, 1 + t);
        struct outcome one, more;
        s.every = 0.05;
        s.measured = t % 2 == 0;
        assert_int_equal(simulate(&s, &one), 0);
        for (s.threads = 2; s.threads < 40; s.threads = 3 * s.threads - 1) {
            assert_int_equal(simulate(&s, &more), 0);
            if (more.hash != one.hash || more.work != one.work)
                fail_msg("%s: %u threads have another result", traffic_names[s.traffic], s.threads);
        }
    }
}

/* A clock that messages of one direction bound has no bar, and no likely error. */
static void nothing_likely(void **state)
{
    struct scenario s = scenario(LINEAR, ONE_WAY, 3, 1);
    struct outcome o;
    (void)state;
    assert_int_equal(simulate(&s, &o), 0);
    assert_true(o.likely_rms == 0 && o.likely >= 1); /* infinite ones */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(little_traffic),
        cmocka_unit_test(one_way),
        cmocka_unit_test(measured_and_linear),
        cmocka_unit_test(measured_and_mostly_one_way),
        cmocka_unit_test(loose_messages),
        cmocka_unit_test(jumps),
        cmocka_unit_test(right_clocks),
        cmocka_unit_test(unequal_ways),
        cmocka_unit_test(many_ranks),
        cmocka_unit_test(fast_clocks),
        cmocka_unit_test(fast_clocks_one_way),
        cmocka_unit_test(odd_ticks),
        cmocka_unit_test(far_apart),
        cmocka_unit_test(no_clocks),
        cmocka_unit_test(unconnected),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(wild_measurements),
        cmocka_unit_test(no_units),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(bounded),
        cmocka_unit_test(rare_pairs),
        cmocka_unit_test(collectives),
        cmocka_unit_test(any_order),
        cmocka_unit_test(collective_bounds),
        cmocka_unit_test(sizes),
        cmocka_unit_test(uneven_ways),
        cmocka_unit_test(small_waves),
        cmocka_unit_test(straight_clocks),
        cmocka_unit_test(operations_with_a_root),
        cmocka_unit_test(always_last),
        cmocka_unit_test(likely_error),
        cmocka_unit_test(likely_error_of_lines),
        cmocka_unit_test(nothing_likely),
        cmocka_unit_test(divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
