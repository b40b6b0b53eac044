/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The polyline of one jump against a slow reading of its definition, on random events; and Fig. 1 by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/clc_backward/amortise.c"

enum { MOST = 60 };

typedef struct events {
    uint64_t time[MOST], room[MOST], stop[MOST];
    uint8_t source[MOST], kind[MOST];
    uint32_t n;
    uint64_t x0, x1, delta;
} events;

static uint64_t random_state;

static uint64_t draw_below(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint64_t)((unsigned __int128)(random_state ^ random_state >> 29) * below >> 64);
}

/* ---------------------------------------------------------------------------------------------------- definition -- */

static uint64_t fraction(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint64_t)((unsigned __int128)a * b / c);
}

/* w of source j: the line, or the least room of the sources from it on. */
static uint64_t offset_of_source(const events *v, uint32_t j)
{
    uint64_t least = fraction(v->delta, v->time[j] - v->x0, v->x1 - v->x0);
    for (uint32_t k = j; k < v->n; k++)
        least = v->source[k] && v->room[k] < least ? v->room[k] : least;
    return least;
}

/* The points of the polyline from left to right: every source behind the start; of equal times the first. */
static uint32_t points(const events *v, uint64_t x[MOST + 2], uint64_t w[MOST + 2])
{
    uint32_t n = 1;
    x[0] = v->x0;
    w[0] = 0;
    for (uint32_t j = 0; j < v->n; j++)
        if (v->source[j] && v->time[j] > v->x0 && v->time[j] != x[n - 1]) {
            x[n] = v->time[j];
            w[n++] = offset_of_source(v, j);
        }
    if (x[n - 1] != v->x1) {
        x[n] = v->x1;
        w[n++] = v->delta;
    }
    return n;
}

static uint64_t offset_at(const events *v, uint64_t t)
{
    uint64_t x[MOST + 2], w[MOST + 2];
    uint32_t n = points(v, x, w);
    if (t <= v->x0)
        return 0;
    for (uint32_t b = 1; b < n; b++)
        if (t <= x[b])
            return w[b - 1] + fraction(w[b] - w[b - 1], t - x[b - 1], x[b] - x[b - 1]);
    return w[n - 1];
}

/* ------------------------------------------------------------------------------------------------------ the code -- */

/* All of it in runs of random length, as slices would have it. */
static uint64_t amortise(events *v, uint64_t *time, tcf_rec *rec, int *limited)
{
    polyline p = {0};
    polyline_sweep sweep = {.line = &p, .next = UINT64_MAX};
    uint32_t n = v->n;
    int more = polyline_begin(&p, v->x0, v->x1, v->delta);
    for (uint32_t j = v->n; more && j > 0 && v->time[j - 1] > v->x0; j--)
        if (v->source[j - 1])
            more = polyline_source(&p, v->time[j - 1], v->room[j - 1]);
    assert_int_equal(polyline_end(&p), 1);
    for (more = 1; more && n > 0;) {
        uint32_t run = (uint32_t)draw_below(n) + 1;
        n -= run;
        if (p.n > 1)
            more = polyline_apply(&sweep, &(tcf_slice){.time = time + n, .kind = v->kind + n, .rec = rec + n}, run);
    }
    *limited = p.limited;
    polyline_free(&p);
    return sweep.moved;
}

static void random_events(events *v)
{
    uint64_t scale = draw_below(3) == 0 ? UINT64_MAX / 1024 : draw_below(2) ? 40 : 100000;
    uint64_t base = draw_below(2) ? 0 : UINT64_MAX / 2;
    v->n = 1 + (uint32_t)draw_below(MOST - 1);
    uint64_t t = base + draw_below(scale);
    for (uint32_t i = 0; i < v->n; i++) {
        t += draw_below(4) == 0 ? 0 : draw_below(scale / MOST * 2 + 2);
        v->time[i] = v->stop[i] = t;
        v->source[i] = draw_below(4) == 0;
        v->room[i] = draw_below(8) == 0 ? 0 : draw_below(scale);
        v->kind[i] = draw_below(6) == 0 ? TCF_BUFFER_FLUSH : TCF_ENTER;
    }
    v->x1 = t + (draw_below(2) ? 0 : draw_below(scale / 4 + 1));
    for (uint32_t i = 0; i < v->n; i++) { /* it may end between its time and that of the next event */
        uint64_t next = i + 1 < v->n ? v->time[i + 1] : v->x1;
        v->stop[i] += draw_below(next - v->time[i] + 1);
        if (draw_below(10) == 0 && v->time[i] > 0)
            v->stop[i] = v->time[i] - 1;
        else if (draw_below(10) == 0) /* or anywhere behind it */
            v->stop[i] = v->time[i] + draw_below(scale);
    }
    uint64_t span = v->x1 - v->time[0];
    v->x0 = v->time[0] + draw_below(span + 1);
    v->delta = 1 + draw_below(scale);
}

static void random_against_definition(void **state)
{
    (void)state;
    random_state = 1;
    for (uint32_t round = 0; round < 20000; round++) {
        events v;
        uint64_t time[MOST], moves = 0, seen = 0;
        int limited;
        tcf_rec rec[MOST];
        random_events(&v);
        if (v.x0 >= v.x1)
            continue;
        memcpy(time, v.time, sizeof time);
        for (uint32_t i = 0; i < v.n; i++)
            rec[i].buffer_flush.stop_time = v.stop[i];
        moves = amortise(&v, time, rec, &limited);
        for (uint32_t i = 0; i < v.n; i++) {
            uint64_t by = offset_at(&v, v.time[i]);
            assert_true(time[i] == v.time[i] + by);
            assert_true(i == 0 || time[i] >= time[i - 1]);
            assert_true(!v.source[i] || v.time[i] <= v.x0 || by <= v.room[i]);
            assert_true(time[i] <= v.x1 + v.delta);
            seen += by > 0;
            if (v.kind[i] != TCF_BUFFER_FLUSH)
                continue;
            if (v.stop[i] >= v.time[i])
                by = offset_at(&v, i + 1 < v.n && v.time[i + 1] < v.stop[i] ? v.time[i + 1] : v.stop[i]);
            /* Of equal times at the start only the last one can end behind it. */
            assert_true(rec[i].buffer_flush.stop_time == v.stop[i] + by);
        }
        assert_true(moves == seen);
    }
}

/* Fig. 1: a jump of 100 at 1000 over an interval of 1000, sends at 400 and 700 with room for 20 and 30. */
static void figure_1(void **state)
{
    static const uint64_t before[] = {100, 200, 400, 550, 700, 850, 1000},
                          after[] = {105, 210, 420, 575, 730, 915, 1100};
    events v = {.n = 7, .x0 = 0, .x1 = 1000, .delta = 100};
    tcf_rec rec[MOST];
    uint64_t time[MOST];
    int limited;
    (void)state;
    memcpy(v.time, before, sizeof before);
    memset(v.kind, TCF_ENTER, sizeof v.kind);
    v.source[2] = v.source[4] = 1;
    v.room[2] = 20;
    v.room[4] = 30;
    memcpy(time, v.time, sizeof time);
    assert_int_equal(amortise(&v, time, rec, &limited), 7);
    assert_memory_equal(time, after, sizeof after);
    assert_int_equal(limited, 1);

    /* The later one leaves no room: nothing before it moves. */
    static const uint64_t stuck[] = {100, 200, 400, 550, 700, 900, 1100};
    v.room[4] = 0;
    memcpy(time, v.time, sizeof time);
    assert_int_equal(amortise(&v, time, rec, &limited), 2);
    assert_memory_equal(time, stuck, sizeof stuck);

    /* One at the very time of the jump bends the whole line. */
    static const uint64_t end[] = {101, 202, 404, 555, 707, 858, 1010};
    v.room[4] = 1000;
    v.room[2] = 1000;
    v.source[6] = 1;
    v.source[2] = v.source[4] = 0;
    v.room[6] = 10;
    memcpy(time, v.time, sizeof time);
    amortise(&v, time, rec, &limited);
    assert_memory_equal(time, end, sizeof end);
    assert_int_equal(limited, 1);
}

/* The same with sends that have room for all: at 400 it goes no further than the later one at 700, and at 850, behind
 * that, it stands on the line, so that the polyline comes back to it there. */
static void unlimited_sources(void **state)
{
    static const uint64_t before[] = {100, 200, 400, 550, 700, 850, 925, 1000},
                          after[] = {107, 215, 430, 580, 730, 935, 1017, 1100};
    events v = {.n = 8, .x0 = 0, .x1 = 1000, .delta = 100};
    tcf_rec rec[MOST];
    uint64_t time[MOST];
    int limited;
    (void)state;
    memcpy(v.time, before, sizeof before);
    memset(v.kind, TCF_ENTER, sizeof v.kind);
    v.source[2] = v.source[4] = v.source[5] = 1;
    v.room[2] = v.room[5] = UINT64_MAX;
    v.room[4] = 30;
    memcpy(time, v.time, sizeof time);
    amortise(&v, time, rec, &limited);
    assert_memory_equal(time, after, sizeof after);
    assert_int_equal(limited, 1);

    /* None limits: all are on the line, but rounding starts anew at each. x0 = 100: line(200) = 11, line(850) = 83. */
    static const uint64_t line[] = {100, 211, 433, 599, 766, 933, 1016, 1100};
    v.x0 = 100;
    v.source[2] = v.source[4] = 0;
    v.source[1] = 1;
    v.room[1] = UINT64_MAX;
    memcpy(time, v.time, sizeof time);
    amortise(&v, time, rec, &limited);
    assert_memory_equal(time, line, sizeof line);
    assert_int_equal(limited, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1),
        cmocka_unit_test(unlimited_sources),
        cmocka_unit_test(random_against_definition),
    };
    return cmocka_run_group_tests_name("amortise", tests, NULL, NULL);
}
