/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which units share a clock: simulated machines whose clocks are known, so the groups to be found are those of equal
 * clocks; and what joining makes of the messages, beside bounds whose units were the groups from the beginning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../plugins/clock_estimate/solver/sharing.h"

enum { MOST = 64, RUN = 100000000, START = 1000000000 };

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* Ticks are nanoseconds; the run takes 0.1 s. */
struct clock {
    double offset, rate, wave, phase;
};

struct world {
    struct bounds *b;
    struct clock clock[MOST];
    uint32_t clock_of[MOST], machine_of[MOST], units;
    double latency, jitter, late; /* late: how much later than the message its receiver comes, on average */
};

static uint64_t shown(const struct world *w, uint32_t unit, double t)
{
    const struct clock *c = &w->clock[w->clock_of[unit]];
    return (uint64_t)(START + t + c->offset + c->rate * t + c->wave * sin(2 * M_PI * t / (RUN / 3.0) + c->phase));
}

/* Units by blocks on machines; each machine, or each unit, has a clock of its own. */
static void make(struct world *w, uint32_t machines, uint32_t per_machine, int by_unit, uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15u + 1;
    *w = (struct world){.units = machines * per_machine, .latency = 500, .jitter = 200};
    assert_non_null(w->b = bounds_new(w->units, 1 << 22));
    for (uint32_t u = 0; u < w->units; u++) {
        w->machine_of[u] = u / per_machine;
        w->clock_of[u] = by_unit ? u : u / per_machine;
        w->clock[u] = (struct clock){2e6 * uniform() - 1e6, 4e-5 * uniform() - 2e-5, 200 * uniform(), 6 * uniform()};
    }
}

static void message(struct world *w, uint32_t from, uint32_t to, double t)
{
    double scale = w->machine_of[from] == w->machine_of[to] ? 1 : 4;
    double received = t + scale * (w->latency - w->jitter * log(1 - uniform())) - w->late * log(1 - uniform());
    bounds_message(w->b, from, shown(w, from, t), to, shown(w, to, received), 0);
}

/* `n` messages at random times from each unit to its neighbour at this distance, and back if `ways` is 2. */
static void ring(struct world *w, uint32_t distance, uint32_t n, int ways)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t u = 0; u < w->units; u++) {
            uint32_t other = (u + distance) % w->units;
            message(w, u, other, uniform() * RUN);
            if (ways > 1)
                message(w, other, u, uniform() * RUN);
        }
}

static struct settings settings(void)
{
    return (struct settings){.measured_error = 1000, .most_rate = 5e-5, .widest = 1e5};
}

static struct sharing share(struct world *w)
{
    struct settings s = settings();
    struct sharing found;
    for (uint32_t u = 0; u < w->units; u++) {
        bounds_unit(w->b, u)->node = w->machine_of[u];
        bounds_seen(w->b, u, shown(w, u, 0));
        bounds_seen(w->b, u, shown(w, u, RUN));
    }
    assert_int_equal(share_clocks(w->b, &s, &found), 0);
    return found;
}

/* Two units are of one group exactly if they have one clock and machine. */
static void assert_groups(const struct world *w, const struct sharing *s, enum proof proof)
{
    for (uint32_t a = 0; a < w->units; a++)
        for (uint32_t b = 0; b < w->units; b++) {
            int same = w->clock_of[a] == w->clock_of[b] && w->machine_of[a] == w->machine_of[b];
            if (same != (s->group_of[a] == s->group_of[b]))
                fail_msg("units %u and %u: %s", a, b,
                         same ? "one clock was not found" : "different clocks were joined");
        }
    for (uint32_t g = 0; g < s->n_groups; g++)
        if (s->group[g].units > 1)
            assert_int_equal(s->group[g].proof, proof);
}

static void finish(struct world *w, struct sharing *s)
{
    sharing_free(s);
    bounds_free(w->b);
}

static void clocks_of_machines_are_found(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct world w;
        make(&w, 2 + (uint32_t)seed % 5, 2 + (uint32_t)seed % 7, 0, seed);
        ring(&w, 1, 200, 2);
        struct sharing s = share(&w);
        assert_groups(&w, &s, BY_MESSAGES);
        assert_false(s.one_clock);
        for (uint32_t g = 0; g < s.n_groups; g++)
            assert_true(s.group[g].width >= 1000 && s.group[g].width < 3000); /* two latencies at least */
        finish(&w, &s);
    }
}

static void different_clocks_stay_apart(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (int ways = 1; ways <= 2; ways++) {
            struct world w;
            make(&w, 1 + (uint32_t)seed % 3, 2 + (uint32_t)seed % 7, 1, seed);
            ring(&w, 1, 100, ways);
            struct sharing s = share(&w);
            assert_groups(&w, &s, ALONE);
            assert_int_equal(s.n_groups, w.units);
            finish(&w, &s);
        }
}

/* Ranks that lie cyclically on the machines talk to others of their machine at a distance only. */
static void layouts_dont_matter(void **unused)
{
    struct world w;
    (void)unused;
    make(&w, 4, 4, 0, 7);
    for (uint32_t u = 0; u < w.units; u++)
        w.clock_of[u] = w.machine_of[u] = u % 4;
    ring(&w, 1, 100, 2);
    ring(&w, 4, 100, 2);
    struct sharing s = share(&w);
    assert_groups(&w, &s, BY_MESSAGES);
    finish(&w, &s);
}

/* Machines whose clocks are all one are told from those whose clocks aren't. */
static void one_clock_is_found(void **unused)
{
    struct world w;
    (void)unused;
    for (int different = 0; different < 2; different++) {
        make(&w, 4, 3, 0, 5);
        for (uint32_t u = 0; u < w.units; u++)
            w.clock_of[u] = different && u >= 9 ? 1 : 0;
        ring(&w, 1, 100, 2);
        struct sharing s = share(&w);
        assert_groups(&w, &s, BY_MESSAGES);
        assert_int_equal(s.one_clock, !different);
        if (s.one_clock)
            assert_int_equal(s.all.units, w.units);
        finish(&w, &s);
    }
}

/* One machine has two clocks; the others are groups all the same. */
static void one_odd_machine(void **unused)
{
    struct world w;
    (void)unused;
    make(&w, 5, 4, 0, 9);
    for (uint32_t u = 4; u < 8; u++)
        w.clock_of[u] = 10 + u;
    ring(&w, 1, 200, 2);
    struct sharing s = share(&w);
    assert_groups(&w, &s, BY_MESSAGES);
    finish(&w, &s);
}

/* All talk to unit 0 only: those of other machines are compared by way of its clock. */
static void a_third_clock_shows_it(void **unused)
{
    (void)unused;
    for (int by_unit = 0; by_unit < 2; by_unit++) {
        struct world w;
        make(&w, 4, 3, by_unit, 11);
        for (uint32_t u = 0; u < 3; u++) /* none on the machine of unit 0 */
            w.machine_of[u] = 10 + u, w.clock_of[u] = 20 + u;
        for (uint32_t i = 0; i < 500; i++)
            for (uint32_t u = 3; u < w.units; u++) {
                double t = uniform() * RUN;
                message(&w, 0, u, t);
                message(&w, u, 0, t + 20000);
            }
        struct sharing s = share(&w);
        assert_groups(&w, &s, by_unit ? ALONE : BY_THIRD);
        finish(&w, &s);
    }
}

static void one_way_shows_it(void **unused)
{
    struct world w;
    (void)unused;
    make(&w, 4, 4, 0, 13);
    ring(&w, 1, 200, 1);
    struct sharing s = share(&w);
    assert_groups(&w, &s, BY_ONE_WAY);
    finish(&w, &s);
}

/* Without messages inside of machines: by offsets measured at both ends, if they agree. */
static void measurements_show_it(void **unused)
{
    (void)unused;
    for (int by_unit = 0; by_unit < 2; by_unit++) {
        struct world w;
        make(&w, 3, 3, by_unit, 17);
        for (uint32_t u = 0; u < w.units; u++)
            for (double t = 0; t <= RUN; t += RUN)
                assert_int_equal(bounds_measured(w.b, u, shown(&w, u, t),
                                                 (int64_t)(START + t - (double)shown(&w, u, t) + 800 * uniform()),
                                                 1000),
                                 0);
        struct sharing s = share(&w);
        assert_groups(&w, &s, by_unit ? ALONE : BY_MEASURED);
        if (!by_unit) {
            const struct unit *unit = bounds_unit(w.b, s.group_of[3]); /* the mean of three */
            assert_int_equal(unit->n_measured, 2);
            double off = (double)unit->measured[0].raw - (START - (double)shown(&w, 3, 0));
            assert_true(off > -3 && off < 803);
        }
        finish(&w, &s);
    }
}

/* A machine whose units don't talk to each other: what others show holds for it, unless a single pair contradicts. */
static void others_show_it(void **unused)
{
    (void)unused;
    for (int refuted = 0; refuted < 2; refuted++) {
        struct world w;
        make(&w, 3, 2, 0, 19);
        if (refuted)
            w.clock_of[5] = 30;
        for (uint32_t i = 0; i < 200; i++)
            for (uint32_t a = 0; a < 6; a++) {
                uint32_t b = a ^ 1;
                if (a / 2 != 1 && !(refuted && a / 2 == 2 && a % 2))
                    message(&w, a, b, uniform() * RUN);
            }
        if (refuted)
            for (uint32_t i = 0; i < 200; i++)
                message(&w, 5, 4, uniform() * RUN);
        struct sharing s = share(&w);
        assert_int_equal(s.group_of[0], s.group_of[1]);
        assert_int_equal(s.group_of[2] == s.group_of[3], !refuted);
        assert_int_equal(s.group_of[4] == s.group_of[5], !refuted);
        if (!refuted)
            assert_int_equal(s.group[s.group_of[2]].proof, BY_OTHER_ONES);
        finish(&w, &s);
    }
}

/* Of many machines with different clocks, one where they happen to be nearly equal. */
static void chance_is_no_evidence(void **unused)
{
    struct world w;
    (void)unused;
    make(&w, 16, 2, 1, 23);
    w.clock[1] = w.clock[0];
    ring(&w, 1, 100, 2);
    struct sharing s = share(&w);
    assert_int_equal(s.n_groups, w.units);
    finish(&w, &s);
}

/* Of four machines three have different clocks. The clocks of the fourth count as one only where messages leave so
 * little between them that different clocks would hardly have looked like it. */
static void wide_evidence_may_be_chance(void **unused)
{
    (void)unused;
    for (int wide = 0; wide < 2; wide++) {
        struct world w;
        make(&w, 4, 2, 1, 31);
        w.clock[1] = w.clock[0];
        w.clock[1].offset += wide ? 10e3 : 0;
        w.latency = wide ? 30e3 : w.latency;
        ring(&w, 1, 100, 2);
        struct sharing s = share(&w);
        assert_int_equal(s.n_groups, wide ? w.units : w.units - 1);
        finish(&w, &s);
    }
}

/* Receivers that always come late leave room for different clocks; so do messages in one half of the run. */
static void weak_evidence_is_none(void **unused)
{
    struct world w;
    (void)unused;
    for (int half = 0; half < 2; half++) {
        make(&w, 2, 2, 0, 29);
        w.late = half ? 0 : 1e9;
        for (uint32_t i = 0; i < 60; i++)
            for (uint32_t u = 0; u < w.units; u++)
                message(&w, u, u ^ 1, uniform() * RUN / (1 + half));
        struct sharing s = share(&w);
        assert_int_equal(s.n_groups, w.units);
        finish(&w, &s);
    }
}

/* ------------------------------------------------------------------------------------------------------- joining -- */

static int compare_points(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return x->sent != y->sent ? (x->sent < y->sent ? -1 : 1)
                              : (x->received > y->received) - (x->received < y->received);
}

static const struct pair *pair_of(struct bounds *b, uint32_t from, uint32_t to)
{
    uint32_t found = bounds_find(b, from, to, MESSAGE);
    return found == NO_PAIR ? NULL : &b->pair[found];
}

/* Joined units have the messages that one unit would have got. */
static void joined_as_if_one(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world w;
        uint32_t group_of[MOST], groups = 3;
        make(&w, 3, 4, 0, seed);
        struct bounds *direct = bounds_new(groups, 1 << 22);
        assert_non_null(direct);
        for (uint32_t u = 0; u < w.units; u++)
            group_of[u] = u / 4;
        for (uint32_t i = 0; i < 3000; i++) {
            uint32_t from = (uint32_t)(uniform() * w.units), to = (uint32_t)(uniform() * w.units);
            uint64_t sent = START + (uint64_t)(uniform() * RUN), received = sent + (uint64_t)(1000 * uniform());
            bounds_message(w.b, from, sent, to, received, i);
            bounds_message(direct, group_of[from], sent, group_of[to], received, i);
        }
        assert_int_equal(bounds_join(w.b, group_of, groups, 0), 0);
        assert_int_equal(w.b->n_units, groups);
        assert_int_equal(w.b->n_pairs, direct->n_pairs);
        for (uint32_t a = 0; a < groups; a++)
            for (uint32_t c = 0; c < groups; c++) {
                const struct pair *p = pair_of(w.b, a, c), *q = pair_of(direct, a, c);
                if (a == c)
                    continue;
                assert_non_null(p);
                assert_true(p->messages == q->messages && p->least == q->least && p->n == q->n);
                qsort(p->point, p->n, sizeof *p->point, compare_points);
                qsort(q->point, q->n, sizeof *q->point, compare_points);
                assert_memory_equal(p->point, q->point, p->n * sizeof *p->point);
            }
        assert_true(w.b->messages == direct->messages);
        bounds_free(direct);
        bounds_free(w.b);
    }
}

/* Collective bounds lose the ends on the clock of the last member, and stay bounds of the others. */
static void joined_collectives(void **unused)
{
    uint32_t group_of[40];
    struct member member[40];
    (void)unused;
    struct bounds *b = bounds_new(40, 1 << 22);
    assert_non_null(b);
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t last = i % 40;
        for (uint32_t u = 0; u < 40; u++) {
            uint64_t end = START + i * 100000 + 5000 + u;
            member[u] = (struct member){.begin = u == last ? end - 1000 - u : START + i * 100000 + u,
                                        .end = end,
                                        .unit = u,
                                        .gives = 1,
                                        .gets = 1};
            group_of[u] = u / 10;
        }
        bounds_collective(b, ALL_TO_ALL, i + 100, member, sizeof *member, 40);
    }
    assert_int_equal(b->n_collectives, 50);
    assert_int_equal(bounds_join(b, group_of, 4, 0), 0);
    assert_int_equal(b->n_collectives, 50);
    assert_int_equal(b->n_ends, 50 * 30);
    for (uint32_t i = 0; i < 50; i++) {
        const struct collective *c = &b->collective[i];
        assert_int_equal(c->last, i % 40 / 10);
        assert_int_equal(c->n, 30);
        for (uint64_t k = c->first; k < c->first + c->n; k++)
            assert_true(b->end[k].unit != c->last && b->end[k].unit < 4);
    }
    bounds_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_of_machines_are_found),
        cmocka_unit_test(different_clocks_stay_apart),
        cmocka_unit_test(layouts_dont_matter),
        cmocka_unit_test(one_clock_is_found),
        cmocka_unit_test(one_odd_machine),
        cmocka_unit_test(a_third_clock_shows_it),
        cmocka_unit_test(one_way_shows_it),
        cmocka_unit_test(measurements_show_it),
        cmocka_unit_test(others_show_it),
        cmocka_unit_test(chance_is_no_evidence),
        cmocka_unit_test(wide_evidence_may_be_chance),
        cmocka_unit_test(weak_evidence_is_none),
        cmocka_unit_test(joined_as_if_one),
        cmocka_unit_test(joined_collectives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
