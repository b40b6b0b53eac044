/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Self-test of the oracle's clocks: cases of three to six events, worked out by hand from doc/clock-correction.md. The
 * arithmetic stands beside each. */
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

#define ENTER(t, l, time) test_event(t, l, time, O_ENTER, N(1))

/* One run of the correction over a trace made in memory. */
struct run {
    struct o_trace *trace;
    struct o_matching *m;
    uint64_t **times;
    struct o_clc clc;
};

static struct o_clc_options options(const char *gamma, uint64_t delta, const char *slope)
{
    struct o_clc_options o;
    o_clc_defaults(&o);
    o_fraction(gamma, true, &o.gamma);
    o_fraction(slope, false, &o.slope);
    o.delta = delta;
    return o;
}

static struct run correct(struct o_trace *t, struct o_clc_options o)
{
    struct run r = {.trace = t, .m = o_match(t, 4096), .times = o_times(t)};
    o_clc_forward(&r.clc, r.m, r.times, o_stops(t), &o);
    o_clc_backward(&r.clc);
    return r;
}

static void end_run(struct run *r)
{
    o_clc_free(&r->clc);
    o_free_times(r->trace, r->times);
    o_match_free(r->m);
    o_unload(r->trace);
}

#define ARE(got, ...) are(got, sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t), (uint64_t[]){__VA_ARGS__})
static bool are(const uint64_t *got, size_t n, const uint64_t *expected)
{
    bool same = !memcmp(got, expected, n * sizeof *got);
    for (size_t i = 0; !same && i < n; i++)
        printf("# %zu: got %llu, expected %llu\n", i, (unsigned long long)got[i], (unsigned long long)expected[i]);
    return same;
}

/* ---- forward ---- */

/* mu = 5: the receive goes to 105, a jump of 45; 105 + max(1, 20 / 2) = 115; 115 + 180 / 2 < 260: back on the clock. */
static void test_forward(void)
{
    struct o_trace *t = test_world(2);
    SEND(t, 0, 100, 1, 1, 7);
    ENTER(t, 1, 50);
    RECV(t, 1, 60, 0, 1, 7);
    ENTER(t, 1, 80);
    ENTER(t, 1, 260);
    ENTER(t, 1, 260);
    struct o_clc_options o = options("0.5", 1, "1");
    o_set_delay(&o.delays, "5");
    struct run r = correct(t, o);
    test_ok(ARE(r.clc.forward[1], 50, 105, 115, 260, 260) && ARE(r.clc.forward[0], 100),
            "eq. 3, 4: a receive before its send");
    test_ok(ARE(r.clc.jump[1], 0, 45, 0, 0, 0) && r.clc.limit[0][0] == 100, "jump and limit");
    end_run(&r);
}

/* Equality is no violation, and what breaks no edge isn't touched: equal times and delta included. */
static void test_untouched(void)
{
    struct o_trace *t = test_world(2);
    SEND(t, 0, 100, 1, 1, 7);
    ENTER(t, 1, 105);
    RECV(t, 1, 105, 0, 1, 7);
    ENTER(t, 1, 105);
    ENTER(t, 1, 106);
    struct o_clc_options o = options("0.5", 10, "1");
    o_set_delay(&o.delays, "5");
    struct run r = correct(t, o);
    test_ok(ARE(r.clc.forward[1], 105, 105, 105, 106) && ARE(r.clc.current[1], 105, 105, 105, 106) && !r.clc.jump[1][1],
            "recv = send + mu is no violation; nothing moves without one");
    end_run(&r);
}

/* gamma = 0: only delta moves a clock that is ahead, and never by more than dC. Ahead after the receive by 45:
 * equal times stay equal; 1 tick: 106; 9 ticks, delta 3: 109. A moved receive stands a tick behind its send. */
static void test_delta(void)
{
    struct o_trace *t = test_world(2);
    SEND(t, 0, 104, 1, 1, 7);
    RECV(t, 1, 60, 0, 1, 7);
    ENTER(t, 1, 60);
    ENTER(t, 1, 61);
    ENTER(t, 1, 70);
    struct run r = correct(t, options("0", 3, "1"));
    test_ok(ARE(r.clc.forward[1], 105, 105, 106, 109), "min(delta, dC); the first event may be a receive");
    end_run(&r);
}

/* Ahead at 115 by forward amortization: a need of 112 is met, one of 117 and a tick is a jump of 3, not of 38. */
static void test_jump_of_the_rest(void)
{
    for (int late = 0; late < 2; late++) {
        struct o_trace *t = test_world(2);
        SEND(t, 0, 104, 1, 1, 7);
        SEND(t, 0, late ? 117 : 112, 1, 1, 7);
        RECV(t, 1, 60, 0, 1, 7);
        RECV(t, 1, 80, 0, 1, 7);
        struct run r = correct(t, options("0.5", 1, "1"));
        test_ok(late ? ARE(r.clc.forward[1], 105, 118) && ARE(r.clc.jump[1], 45, 3)
                     : ARE(r.clc.forward[1], 105, 115) && ARE(r.clc.jump[1], 45, 0),
                late ? "a jump is measured against the amortised clock" : "a clock ahead already meets a need");
        end_run(&r);
    }
}

/* 2 -> 1 -> 0, each with mu = 5: corrections travel along, whatever the order of the locations. */
static void test_propagation(void)
{
    struct o_trace *t = test_world(3);
    RECV(t, 0, 10, 1, 1, 7);
    RECV(t, 1, 20, 2, 1, 7);
    SEND(t, 1, 30, 0, 1, 7);
    SEND(t, 2, 100, 1, 1, 7);
    struct o_clc_options o = options("1", 0, "1");
    o_set_class_delay(&o.delays, "p2p:any:5");
    struct run r = correct(t, o);
    test_ok(ARE(r.clc.forward[1], 105, 115) && ARE(r.clc.forward[0], 120) && r.clc.jump[0][0] == 110,
            "a send that moved moves its receive; gamma = 1 keeps the distance");
    test_ok(r.clc.limit[1][1] == 115, "a limit follows the forward time of the receive");
    end_run(&r);
}

static void test_collectives(void)
{
    struct o_trace *t = test_world(3);
    const uint64_t begin[] = {10, 20, 90}, end[] = {95, 30, 91};
    const uint64_t scan_begin[] = {250, 210, 205}, scan_end[] = {251, 220, 206};
    for (size_t l = 0; l < 3; l++) {
        BEGIN(t, l, begin[l]);
        END(t, l, end[l], BARRIER, 1, NONE, 0, 0);
        BEGIN(t, l, scan_begin[l]);
        END(t, l, scan_end[l], SCAN, 1, NONE, 8, 8);
        BEGIN(t, l, 300 + 10 * l);
        END(t, l, 301 + 10 * l, ALLGATHERV, 1, NONE, l == 2 ? 0 : 8, l == 0 ? 0 : 8); /* 2 gives, 0 gets nothing */
    }
    struct o_clc_options o = options("1", 0, "1");
    o_set_class_delay(&o.delays, "barrier:any:2");
    struct run r = correct(t, o);
    /* barrier: 90 + 2 for rank 1; rank 2's own begin doesn't bind it. scan: 220 + 62 and 206 + 0 against 250: rank 1 is
     * still ahead by 62, at 272 when it begins, and rank 2 has to stand behind that. */
    test_ok(ARE(r.clc.forward[0], 10, 95, 250, 251, 300, 301), "a root of no need stays");
    test_ok(ARE(r.clc.forward[1], 20, 92, 272, 282, 372, 373), "barrier: the latest begin of the others, plus mu");
    test_ok(ARE(r.clc.forward[2], 90, 91, 205, 273, 387, 388) && r.clc.jump[2][3] == 67,
            "scan: lower ranks; not who contributes or receives nothing");
    test_ok(r.clc.limit[2][0] == 90 && r.clc.limit[0][4] == 372 && r.clc.limit[2][4] == O_NO_LIMIT,
            "limit of a begin: the smallest of the others' ends");
    end_run(&r);
}

/* Each waits for what the other sends later. */
static void test_cycle(void)
{
    struct o_trace *t = test_world(2);
    RECV(t, 0, 10, 1, 1, 7);
    SEND(t, 0, 20, 1, 1, 7);
    RECV(t, 1, 5, 0, 1, 7);
    SEND(t, 1, 50, 0, 1, 7);
    struct run r = correct(t, options("1", 0, "1"));
    const struct o_edge *edge = r.clc.given_up.item;
    test_ok(r.clc.given_up.n == 1 && edge->target_location == 0 && ARE(r.clc.forward[0], 10, 20) &&
                ARE(r.clc.forward[1], 21, 66) && r.clc.limit[1][1] == O_NO_LIMIT,
            "a cycle is cut at the first location");
    end_run(&r);
}

static void test_odd_times(void)
{
    struct o_trace *t = test_world(2);
    ENTER(t, 0, 10);
    ENTER(t, 0, 5); /* back in time */
    ENTER(t, 0, 7);
    ENTER(t, 0, 20);
    SEND(t, 0, UINT64_MAX - 1, 1, 1, 7);
    RECV(t, 1, 3, 0, 1, 7);
    struct o_clc_options o = options("0.5", 0, "1");
    o_set_delay(&o.delays, "5");
    struct run r = correct(t, o);
    test_ok(ARE(r.clc.forward[0], 10, 10, 11, 20, UINT64_MAX - 1), "a recorded time that decreases counts as dC = 0");
    test_ok(r.clc.forward[1][0] == UINT64_MAX && r.clc.saturated == 1, "sums saturate, and are counted");
    end_run(&r);
}

/* ---- backward ---- */

/* A location 1 with enters at the given times and a receive at 100 that has to wait until 100 + jump. */
static struct o_trace *jumping(uint64_t jump, size_t n, const uint64_t *enter)
{
    struct o_trace *t = test_world(3);
    SEND(t, 0, 99 + jump, 1, 1, 7);
    for (size_t i = 0; i < n; i++)
        ENTER(t, 1, enter[i]);
    RECV(t, 1, 100, 0, 1, 7);
    return t;
}

/* Jump 10, slope 1/8: the interval is 80 long, from 20 to 100. 40: 10 * 20 / 80 = 2; 80: 10 * 60 / 80 = 7. */
static void test_line(void)
{
    struct run r = correct(jumping(10, 4, (uint64_t[]){0, 20, 40, 80}), options("1", 0, "0.125"));
    test_ok(ARE(r.clc.current[1], 0, 20, 42, 87, 110), "Fig. 1: the line from x0 to the jump");
    end_run(&r);
    /* The first event is at 60: from there on; 80: 10 * 20 / 40 = 5. */
    r = correct(jumping(10, 2, (uint64_t[]){60, 80}), options("1", 0, "0.125"));
    test_ok(ARE(r.clc.current[1], 60, 85, 110), "the interval starts at the first event at the earliest");
    end_run(&r);
    struct o_clc_options o = options("1", 0, "0.125");
    o.max_interval = 40;
    r = correct(jumping(10, 3, (uint64_t[]){0, 40, 80}), o);
    test_ok(ARE(r.clc.current[1], 0, 40, 85, 110), "max_interval");
    end_run(&r);
    /* The jump is event 3: two events before it is 40. 80: 10 * 40 / 60 = 6. */
    o = options("1", 0, "0.125");
    o.max_events = 2;
    r = correct(jumping(10, 3, (uint64_t[]){0, 40, 80}), o);
    test_ok(ARE(r.clc.current[1], 0, 40, 86, 110), "max_events");
    end_run(&r);
    /* 0.1 is 429496730 / 2^32; 10 / that is 99.99..., rounded up: 100. */
    r = correct(jumping(10, 3, (uint64_t[]){0, 40, 99}), options("1", 0, "0.1"));
    test_ok(ARE(r.clc.current[1], 0, 44, 108, 110), "the interval is rounded up");
    end_run(&r);
    r = correct(jumping(10, 3, (uint64_t[]){0, 100, 100}), options("1", 0, "0.125"));
    test_ok(ARE(r.clc.current[1], 0, 110, 110, 110), "events at the receive's own time go with it");
    end_run(&r);
    r = correct(jumping(10, 2, (uint64_t[]){100, 100}), options("1", 0, "0.125"));
    test_ok(ARE(r.clc.current[1], 100, 100, 110), "no interval, no move");
    end_run(&r);
}

/* Sends of location 1 at 40 and 60 to location 2, which receives at the given times; jump 20, slope 1/4: from 20 to
 * 100, 20 * (x - 20) / 80. Location 2 has a jump of 20 of its own at 200. */
static struct o_trace *figure_1(uint64_t first, uint64_t second)
{
    struct o_trace *t = test_world(3);
    SEND(t, 0, 119, 1, 1, 7);
    SEND(t, 0, 219, 2, 1, 7);
    ENTER(t, 1, 0);
    ENTER(t, 1, 30);
    SEND(t, 1, 40, 2, 1, 7);
    ENTER(t, 1, 50);
    SEND(t, 1, 60, 2, 1, 7);
    ENTER(t, 1, 80);
    RECV(t, 1, 100, 0, 1, 7);
    ENTER(t, 2, 0);
    RECV(t, 2, first, 1, 1, 7);
    RECV(t, 2, second, 1, 1, 7);
    RECV(t, 2, 200, 0, 1, 7);
    return t;
}

static void test_limits(void)
{
    /* Rooms 3 and 4, line 5 and 10. 30: 3 * 10 / 20 = 1; 50: 3 + 1 * 10 / 20 = 3; 80: 4 + 16 * 20 / 40 = 12. */
    struct run r = correct(figure_1(43, 64), options("1", 0, "0.25"));
    test_ok(ARE(r.clc.current[1], 0, 31, 43, 53, 64, 92, 120), "Fig. 1: two sends below the line");
    end_run(&r);
    /* Rooms 25 and 5, line 5 and 10: the first is a point on the line. 30: 5 * 10 / 20 = 2; 50: 5; 80: 5 + 15 * 20
     * / 40. */
    r = correct(figure_1(65, 65), options("1", 0, "0.25"));
    test_ok(ARE(r.clc.current[1], 0, 32, 45, 55, 65, 92, 120), "a send with room for the line is a point of it");
    end_run(&r);
    /* Rooms 5 and 2: the second one bounds the first. 80: 2 + 18 * 20 / 40 = 11. */
    r = correct(figure_1(45, 62), options("1", 0, "0.25"));
    test_ok(ARE(r.clc.current[1], 0, 31, 42, 52, 62, 91, 120), "a later send bounds those before it");
    end_run(&r);
    /* slope 1/8: location 2 from 40 to 200, 20 * (x - 40) / 160: 43 stays, 64 + 3; location 1 as with 43 and 64 and
     * the interval from 0: 30: 3 * 30 / 40 = 2. Its limits are the forward times. */
    r = correct(figure_1(43, 64), options("1", 0, "0.125"));
    test_ok(ARE(r.clc.current[2], 0, 43, 67, 220) && ARE(r.clc.current[1], 0, 32, 43, 53, 64, 92, 120),
            "limits are forward times, not amortised ones");
    end_run(&r);
    struct o_clc_options o = options("1", 0, "0.25");
    o_set_class_delay(&o.delays, "p2p:any:3");
    r = correct(figure_1(43, 64), o);
    /* mu = 3 makes rooms 0 and 1; the jump is 22, from 12 to 100. 30: 0; 50: 1 * 10 / 20 = 0; 80: 1 + 21 * 20 / 40 =
     * 11 */
    test_ok(ARE(r.clc.current[1], 0, 30, 40, 50, 61, 91, 122), "mu counts in limits");
    end_run(&r);
}

/* A send at the very time of the receive that has no room holds everything. */
static void test_send_at_the_jump(void)
{
    struct o_trace *t = test_world(3);
    SEND(t, 0, 119, 1, 1, 7);
    ENTER(t, 1, 0);
    ENTER(t, 1, 60);
    SEND(t, 1, 100, 2, 1, 7);
    ENTER(t, 1, 100);
    RECV(t, 1, 100, 0, 1, 7);
    RECV(t, 2, 100, 1, 1, 7);
    struct run r = correct(t, options("1", 0, "0.25"));
    test_ok(ARE(r.clc.current[1], 0, 60, 100, 100, 120), "of equal abscissas the first point counts");
    end_run(&r);
}

/* Two sends at 60 with rooms 2 and 5: the point is (60, 2), and 80 goes to 2 + 18 * 20 / 40 behind it. */
static void test_sends_at_one_time(void)
{
    struct o_trace *t = test_world(3);
    SEND(t, 0, 119, 1, 1, 7);
    ENTER(t, 1, 0);
    SEND(t, 1, 60, 2, 1, 7);
    SEND(t, 1, 60, 2, 1, 8);
    ENTER(t, 1, 80);
    RECV(t, 1, 100, 0, 1, 7);
    RECV(t, 2, 62, 1, 1, 7);
    RECV(t, 2, 65, 1, 1, 8);
    struct run r = correct(t, options("1", 0, "0.25"));
    test_ok(ARE(r.clc.current[1], 0, 62, 62, 91, 120), "sends of one time move together, by the smaller offset");
    end_run(&r);
}

/* A send without receive is a point of the polyline, too: (60, 0), (80, 15) on the line, (100, 20). */
static void test_lone_send(void)
{
    struct o_trace *t = test_world(3);
    SEND(t, 0, 119, 1, 1, 7);
    ENTER(t, 1, 0);
    SEND(t, 1, 60, 2, 1, 7);
    SEND(t, 1, 80, 2, 1, 8);
    RECV(t, 1, 100, 0, 1, 7);
    RECV(t, 2, 60, 1, 1, 7);
    struct run r = correct(t, options("1", 0, "0.25"));
    test_ok(ARE(r.clc.current[1], 0, 60, 95, 120), "a send without receive is on the line");
    end_run(&r);
}

/* Jump 10 at 50: from 10 to 50; 40: 10 * 30 / 40 = 7. Then jump 20 at 120: from 40 to 120, 20 * (x - 40) / 80:
 * 47 + 1, the first receive 60 + 5, 100 + 15. */
static void test_two_jumps(void)
{
    struct o_trace *t = test_world(2);
    SEND(t, 0, 59, 1, 1, 7);
    SEND(t, 0, 139, 1, 1, 7);
    ENTER(t, 1, 0);
    ENTER(t, 1, 40);
    RECV(t, 1, 50, 0, 1, 7);
    ENTER(t, 1, 100);
    RECV(t, 1, 120, 0, 1, 7);
    struct run r = correct(t, options("0", 0, "0.25"));
    test_ok(ARE(r.clc.forward[1], 0, 40, 60, 100, 140), "forward of two jumps");
    test_ok(ARE(r.clc.current[1], 0, 48, 65, 115, 140), "a jump on the result of the one before");
    end_run(&r);
}

/* A flush from 40 to 90 before a receive at 100, jump 20, slope 1/4: stops at 90 + 20 * 70 / 80. One from 105 to 125
 * behind the receive, 20 ahead: starts at 122 and stops at 132 with gamma 1/2. */
static void test_flush(void)
{
    struct o_trace *t = test_world(2);
    SEND(t, 0, 119, 1, 1, 7);
    ENTER(t, 1, 0);
    test_event(t, 1, 40, O_BUFFER_FLUSH, N(90));
    RECV(t, 1, 100, 0, 1, 7);
    test_event(t, 1, 105, O_BUFFER_FLUSH, N(125));
    struct run r = correct(t, options("0.5", 0, "0.25"));
    test_ok(ARE(r.clc.current[1], 0, 45, 120, 122) && r.clc.stop[1][1] == 107 && r.clc.stop[1][3] == 132,
            "the stop time of a flush moves as an event would");
    end_run(&r);
}

/* ---- delays, violations ---- */

static void put_node(struct o_trace *t, uint64_t id, uint64_t class_name, uint64_t parent)
{
    struct o_node *node = o_push(&t->nodes, sizeof *node);
    *node = (struct o_node){{id, t->nodes.n}, class_name, parent};
}

static void put_process(struct o_trace *t, uint64_t id, uint64_t parent)
{
    struct o_location_group *process = o_push(&t->location_groups, sizeof *process);
    *process = (struct o_location_group){{id, t->location_groups.n}, 0, parent, OTF2_UNDEFINED_LOCATION_GROUP};
}

/* Processes 0 and 1 on one node, the latter on a socket of it; 2 on another node, which shares memory. */
static void test_distances(void)
{
    struct o_trace *t = test_world(3);
    struct o_string *name = o_push(&t->strings, sizeof *name);
    *name = (struct o_string){{5, 0}, o_alloc(5, 1)};
    memcpy(name->text, "node", 4);
    put_node(t, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    put_node(t, 1, 5, 0);
    put_node(t, 2, 0, 1);
    put_node(t, 3, 0, 0);
    struct o_def *shares = o_push(&t->memory_domains, sizeof *shares);
    *shares = (struct o_def){3, 0};
    put_process(t, 0, 1);
    put_process(t, 1, 2);
    put_process(t, 2, 3);
    size_t thread = test_location(t, 10, 0);
    test_ok(o_distance_of(t, 0, thread) == O_SAME_PROCESS && o_distance_of(t, 0, 1) == O_SAME_NODE &&
                o_distance_of(t, 1, 2) == O_OTHER_NODE,
            "distances");
    test_group(t, 3, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 2, N(0), N(1));
    test_comm(t, 3, false, 3, 3);
    for (size_t l = 0; l < 2; l++) {
        BEGIN(t, l, 10);
        END(t, l, 10, BARRIER, 3, NONE, 0, 0);
        BEGIN(t, l, 20);
        END(t, l, 20, BARRIER, 1, NONE, 0, 0);
    }
    BEGIN(t, 2, 20);
    END(t, 2, 20, BARRIER, 1, NONE, 0, 0);
    test_group(t, 4, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 3, N(0), N(2), N(1));
    test_comm(t, 4, false, 4, 4);
    for (size_t l = 0; l < 3; l++) {
        BEGIN(t, l, 40);
        END(t, l, 40, BARRIER, 4, NONE, 0, 0);
    }
    struct o_clc_options o = options("1", 0, "1");
    test_ok(o_set_class_delay(&o.delays, "barrier:same_node:3") &&
                o_set_class_delay(&o.delays, "barrier:other_node:7") &&
                !o_set_class_delay(&o.delays, "barrier:other_node") && !o_set_class_delay(&o.delays, "barrier:far:1") &&
                !o_set_class_delay(&o.delays, "message:any:1"),
            "delays by class and distance");
    struct run r = correct(t, o);
    test_ok(ARE(r.clc.forward[0], 10, 13, 23, 30, 50, 57) && ARE(r.clc.forward[2], 20, 30, 50, 57),
            "a collective is as wide as its communicator");
    struct o_tally before[O_CLASSES] = {{0}}, after[O_CLASSES] = {{0}};
    o_count_violations(r.m, r.times, &o.delays, NULL, before);
    o_count_violations(r.m, r.clc.current, &o.delays, NULL, after);
    test_ok(before[O_N_TO_N].edges == 14 && before[O_N_TO_N].violated == 14 && before[O_N_TO_N].targets_violated == 8 &&
                before[O_N_TO_N].largest == 7 && after[O_N_TO_N].edges == 14 && !after[O_N_TO_N].violated,
            "D17: violations before and after");
    end_run(&r);
}

/* ---- pre-synchronisation, comparison ---- */

static void test_presync(void)
{
    const struct o_knot knot[] = {{100, 10}, {200, 30}, {300, 0}};
    test_ok(o_presync(knot, 1, 5) == 15 && o_presync(knot, 1, 500) == 510, "one offset is a constant");
    /* slope 0.2: 50 + 10 - 10, 150 + 10 + 10, 400 + 10 + 60 */
    test_ok(o_presync(knot, 2, 50) == 50 && o_presync(knot, 2, 150) == 170 && o_presync(knot, 2, 400) == 470,
            "outside of the offsets their first and last pieces go on");
    /* slope -0.3 from 200 on: 30 - 3 = 27 at 210, 30 - 15 at 250; 10.6 and -9.6 are rounded to 11 and -10 */
    test_ok(o_presync(knot, 3, 199) == 229 && o_presync(knot, 3, 200) == 230 && o_presync(knot, 3, 210) == 237 &&
                o_presync(knot, 2, 153) == 174 && o_presync(knot, 2, 52) == 52 && o_presync(knot, 3, 250) == 265 &&
                o_presync(knot, 3, 400) == 370,
            "piecewise linear");
    struct o_trace *t = test_world(3);
    size_t thread = test_location(t, 10, 1);
    for (size_t l = 0; l < 4; l++)
        ENTER(t, l, 150);
    for (int i = 0; i < 2; i++)
        *(struct o_knot *)o_push(&t->location[1].knots, sizeof *knot) = knot[1 - i]; /* any order */
    struct o_knots knots;
    bool ok = o_archive_knots(t, &knots);
    uint64_t **times = o_presync_times(t, &knots);
    test_ok(ok && times[0][0] == 150 && times[1][0] == 170 && times[thread][0] == 170,
            "offsets hold for the process; without any the time stays");
    o_free_times(t, times);
    o_free_knots(t, &knots);
    *(struct o_knot *)o_push(&t->location[1].knots, sizeof *knot) = knot[0];
    ok = o_archive_knots(t, &knots);
    test_ok(!ok, "two offsets at one time are refused");
    o_free_knots(t, &knots);
    o_unload(t);
}

static void test_compare(void)
{
    struct o_trace *a = test_world(1), *b = test_world(1);
    const uint64_t before[] = {10, 20, 30, 40}, after[] = {10, 23, 26, 24};
    for (int i = 0; i < 4; i++) {
        ENTER(a, 0, before[i]);
        ENTER(b, 0, after[i]);
    }
    struct o_difference d = {0};
    o_compare_location(a->location, b->location, &d);
    test_ok(d.events == 4 && d.moved == 3 && d.earlier == 2 && d.decreasing == 1 && d.largest == 16 &&
                (double)d.sum == -17.0 && (double)d.squares == 281.0,
            "differences of times");
    b->location[0].event[3].field[0] = 2;
    test_ok(o_same_event(a->location, b->location, 2) && !o_same_event(a->location, b->location, 3),
            "other events are no others' times");
    o_unload(a);
    o_unload(b);
}

void test_clocks(void)
{
    test_forward();
    test_untouched();
    test_delta();
    test_jump_of_the_rest();
    test_propagation();
    test_collectives();
    test_cycle();
    test_odd_times();
    test_line();
    test_limits();
    test_send_at_the_jump();
    test_sends_at_one_time();
    test_lone_send();
    test_two_jumps();
    test_flush();
    test_distances();
    test_presync();
    test_compare();
}
