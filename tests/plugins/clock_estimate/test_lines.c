/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Lines between two clocks, beside all slopes that any two messages of opposite directions leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "../../../plugins/clock_estimate/solver/problem.h"

enum { MESSAGES = 60, FEW = 6, LENGTH = 100000000 };

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* What clock 1 is to be corrected by, beyond clock 0, on the clock of that one: for each message a bound. */
struct bound {
    double at, value;
    int upper;
};

struct world {
    struct bounds *b;
    struct bound bound[2 * MESSAGES];
    uint32_t n;
    double rate, bend; /* of clock 1, which shows t + rate * t, and `bend` less in the middle of the run */
};

static double shown(const struct world *w, double t)
{
    double part = t / LENGTH;
    return t + w->rate * t - w->bend * 4 * part * (1 - part);
}

/* Messages both ways, or from clock 0 only. */
static void make(struct world *w, uint32_t messages, double rate, double bend, int ways)
{
    *w = (struct world){.rate = rate, .bend = bend};
    assert_non_null(w->b = bounds_new(2, 1 << 20));
    bounds_seen(w->b, 0, 1000);
    bounds_seen(w->b, 1, 5000);
    for (uint32_t i = 0; i < messages; i++) {
        double sent = uniform() * LENGTH, received = sent + 1000 - 20000 * log(1 - uniform());
        int back = ways > 1 && i % 2;
        uint64_t s = (uint64_t)(back ? shown(w, sent) : sent), r = (uint64_t)(back ? received : shown(w, received));
        if (back) {
            bounds_message(w->b, 1, 5000 + s, 0, 1000 + r, 0);
            w->bound[w->n++] = (struct bound){(double)r, (double)r - (double)s, 1};
        } else {
            bounds_message(w->b, 0, 1000 + s, 1, 5000 + r, 0);
            w->bound[w->n++] = (struct bound){(double)s, (double)s - (double)r, 0};
        }
    }
    bounds_link(w->b);
}

/* By how much the bounds of the two sides leave room for a line of that slope. */
static double room(const struct world *w, double slope)
{
    double upper = INFINITY, lower = -INFINITY;
    for (uint32_t i = 0; i < w->n; i++) {
        double x = w->bound[i].value - slope * w->bound[i].at;
        if (w->bound[i].upper)
            upper = fmin(upper, x);
        else
            lower = fmax(lower, x);
    }
    return upper - lower;
}

/* All slopes with room: each two bounds of opposite sides leave some. */
static void all_slopes(const struct world *w, double *least, double *most)
{
    *least = -INFINITY;
    *most = INFINITY;
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < w->n; k++) {
            const struct bound *lower = &w->bound[i], *upper = &w->bound[k];
            if (lower->upper || !upper->upper)
                continue;
            double slope = (upper->value - lower->value) / (upper->at - lower->at);
            if (upper->at > lower->at)
                *most = fmin(*most, slope);
            else if (upper->at < lower->at)
                *least = fmax(*least, slope);
        }
}

static void straight_clocks(void **unused)
{
    static const double rates[] = {0, 1e-6, -1e-5, 5e-5, -3e-4, 1e-3, -5e-3};
    uint32_t told = 0, untold = 0, far = 0;
    (void)unused;
    for (uint32_t seed = 1; seed <= 100; seed++)
        for (uint32_t r = 0; r < sizeof rates / sizeof *rates; r++) {
            struct world w;
            double constant = 0, slope = 0, least, most;
            state = seed;
            make(&w, seed % 2 ? MESSAGES : FEW, rates[r], 0, 2);
            all_slopes(&w, &least, &most);
            assert_true(least <= most);
            int tells = line_between(w.b, 0, 1, &constant, &slope);
            assert_int_equal(tells, !(least <= 0 && most >= 0));
            if (tells) {
                told++;
                double needed = fmin(fabs(least), fabs(most)), farthest = fmin(fmax(fabs(least), fabs(most)), 0.01);
                double likely = fmin(farthest, fmax(2 * needed, needed + 1e-3)); /* larger ones than need be aren't */
                assert_true(fabs(fabs(slope) - (needed + likely) / 2) <= 3.0 / LENGTH && slope * (least + most) > 0);
                far += likely < farthest;
                for (uint32_t i = 0; i < w.n; i++) {
                    double there = constant + slope * w.bound[i].at - w.bound[i].value;
                    assert_true(w.bound[i].upper ? there <= 2 : there >= -2);
                }
            } else {
                untold++;
                assert_true(slope == 0);
            }
            bounds_free(w.b);
        }
    assert_true(told > 200 && untold > 100 && far > 20);
}

/* No line has room: about where there is least wanting. */
static void bent_clocks(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= 100; seed++) {
        struct world w;
        double constant = 0, slope = 0, best = -INFINITY;
        state = seed;
        make(&w, MESSAGES, seed % 2 ? 1e-3 : -2e-4, 1e6, 2);
        assert_int_equal(line_between(w.b, 0, 1, &constant, &slope), 1);
        for (double s = -0.02; s <= 0.02; s += 1e-5)
            best = fmax(best, room(&w, s));
        assert_true(best < 0);
        assert_true(room(&w, slope) >= 1.6 * best);
        bounds_free(w.b);
    }
}

static void one_way(void **unused)
{
    struct world w;
    double constant = 0, slope = 1;
    (void)unused;
    state = 1;
    make(&w, MESSAGES, 1e-3, 0, 1);
    assert_int_equal(line_between(w.b, 0, 1, &constant, &slope), 0);
    assert_true(slope == 0);
    assert_int_equal(line_between(w.b, 1, 0, &constant, &slope), 0);
    bounds_free(w.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_clocks),
        cmocka_unit_test(bent_clocks),
        cmocka_unit_test(one_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
