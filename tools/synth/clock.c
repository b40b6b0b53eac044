/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Clocks: how they deviate from true time, and how a program measures them against that of rank 0.
 *
 * At true time t (since the start of the program) a clock shows t + d(t), with
 *
 *     d(t) = offset + drift * t + sine * sin(2 pi t / period + phase) + walk(t) + jumps(t),
 *
 * sampled at the multiples of a step and linear in between, so that knots at these times describe it exactly. Jumps
 * fall on such times. Every location replays its clock for itself, in the order of its own time: that needs no memory
 * of what a faster location has seen already. */
#include "synth.h"

#include <inttypes.h>

#define PI 3.14159265358979323846

enum { STREAM_CLOCKS = 1000, STREAM_MEASURE = 1 };

static bool is_random(const clock_model *m)
{
    return m->walk > 0 || m->jump_rate > 0;
}

static double smooth(const clock_model *m, const clock *c, double t)
{
    double wave = m->sine > 0 ? m->sine * sin(2 * PI * t / m->sine_period + c->phase) : 0;

    return c->offset + c->drift * t + wave;
}

/* Sets the step that begins at FROM; the random parts have their values of that time. */
static void begin_step(const clock_model *m, clock *c, uint64_t from)
{
    while (m->jump_rate > 0 && c->next_jump <= (double)from) {
        c->jumps += m->jump * rng_normal(&c->random);
        c->next_jump += rng_exponential(&c->random, 1 / m->jump_rate);
    }
    c->from = from;
    c->until = from + (uint64_t)m->step;
    c->start = smooth(m, c, (double)from) + c->walk + c->jumps;
    if (m->walk > 0)
        c->walk += m->walk * sqrt(m->step / (double)PS_PER_SECOND) * rng_normal(&c->random);
    c->end = smooth(m, c, (double)c->until) + c->walk + c->jumps;
    c->slope = (c->end - c->start) / m->step;
}

void clock_start(clock *c, const options *o, uint32_t number)
{
    const clock_model *m = &o->clock;
    bool right = number == 0 && !m->reference_is_wrong;

    *c = (clock){.until = UINT64_MAX, .random = rng_seed(o->seed, STREAM_CLOCKS + (uint64_t)number)};
    c->offset = m->offset * rng_normal(&c->random);
    c->drift = m->drift * rng_normal(&c->random);
    c->phase = 2 * PI * rng_uniform(&c->random);
    if (right) {
        c->offset = c->drift = 0;
        return;
    }
    if (m->jump_rate > 0)
        c->next_jump = rng_exponential(&c->random, 1 / m->jump_rate);
    if (is_random(m) || m->sine > 0) {
        begin_step(m, c, 0);
    } else {
        c->start = c->offset;
        c->slope = c->drift;
    }
}

/* --------------------------------------------------------------------------------------------------------- ticks -- */

/* Whole ticks of PS, rounded down. */
static int64_t ticks_of(const synth *s, int64_t ps)
{
    if (s->ps_per_tick) {
        int64_t ticks = ps / s->ps_per_tick;
        return ticks - (ticks * s->ps_per_tick > ps);
    }
    __int128 scaled = (__int128)ps * (__int128)s->opt.resolution, ticks = scaled / PS_PER_SECOND;
    return (int64_t)(ticks - (ticks * PS_PER_SECOND > scaled));
}

static uint64_t tick(const synth *s, int64_t ps)
{
    uint64_t result;

    if (__builtin_add_overflow(s->opt.base, ticks_of(s, ps), &result) || result == OTF2_UNDEFINED_TIMESTAMP)
        fail("a clock shows %.6g s after the first tick, %" PRIu64 ", which is outside of 0 to 2^64 - 2 ticks; "
             "choose another --base",
             (double)ps / PS_PER_SECOND, s->opt.base);
    return result;
}

uint64_t true_tick(const synth *s, uint64_t now)
{
    return tick(s, (int64_t)now);
}

/* Ticks with three decimals. */
static void print_ticks(const synth *s, FILE *out, int64_t ps)
{
    int64_t whole = ticks_of(s, ps);
    __int128 rest = (__int128)ps * (__int128)s->opt.resolution - (__int128)whole * PS_PER_SECOND;

    fprintf(out, ",%" PRIu64 ".%03d", tick(s, ps), (int)(rest / (PS_PER_SECOND / 1000)));
}

static void print_knot(const synth *s, const location *l, uint64_t at, double deviation)
{
    if (s->truth == NULL)
        return;
    fprintf(s->truth, "%" PRIu64, l->ref);
    print_ticks(s, s->truth, (int64_t)at + llrint(deviation));
    print_ticks(s, s->truth, (int64_t)at);
    putc('\n', s->truth);
}

static void advance(synth *s, location *l, uint64_t now)
{
    const clock_model *m = &s->opt.clock;
    clock *c = &l->clock;

    if (c->from == 0)
        print_knot(s, l, 0, c->start);
    while (now >= c->until) {
        uint64_t next = is_random(m) ? c->until : now - now % (uint64_t)m->step;
        uint64_t until = c->until;
        double end = c->end;
        begin_step(m, c, next);
        print_knot(s, l, until, end);
        if (next != until || llrint(c->start - end) != 0)
            print_knot(s, l, next, c->start);
    }
}

uint64_t clock_read(synth *s, location *l, uint64_t now)
{
    static const uint64_t latest_now = (uint64_t)4 << 60; /* half of what a signed number of picoseconds holds */
    clock *c = &l->clock;

    if (now > latest_now)
        fail("the program runs for more than 50 days; ask for fewer --events, or less to --compute, --latency or "
             "--jitter");
    if (now >= c->until)
        advance(s, l, now);
    return tick(s, (int64_t)now + llrint(c->start + c->slope * (double)(now - c->from)));
}

/* The last knot. */
void clock_finish(synth *s, location *l)
{
    clock *c = &l->clock;

    if (c->from == 0)
        print_knot(s, l, 0, c->start);
    print_knot(s, l, l->now + 1, c->start + c->slope * (double)(l->now + 1 - c->from));
}

/* -------------------------------------------------------------------------------------------------- measurements -- */

/* Cristian's method: rank 0 asks, the other rank answers with its time, and the answer with the shortest round trip
 * counts. The other rank reads its clock at a time that is uniform between question and return. */
static uint64_t measure_one(synth *s, rng *random, uint64_t start, uint32_t rank, measurement *result)
{
    enum distance d = distance_of(s, 0, rank);
    uint64_t best = UINT64_MAX;

    for (uint32_t i = 0; i < s->opt.pings; i++) {
        uint64_t there = start + (uint64_t)(s->opt.latency[d] + rng_exponential(random, s->opt.jitter[d]));
        uint64_t back = there + (uint64_t)(s->opt.latency[d] + rng_exponential(random, s->opt.jitter[d]));
        uint64_t asked = clock_read(s, rank_of(s, 0), start), read = clock_read(s, rank_of(s, rank), there);
        uint64_t returned = clock_read(s, rank_of(s, 0), back);
        uint64_t round_trip = returned > asked ? returned - asked : 0;
        if (round_trip < best) {
            best = round_trip;
            result->time = read;
            result->offset = (int64_t)(asked + round_trip / 2 - read);
            result->deviation = ((double)round_trip + 1) / sqrt(12);
        }
        start = back + (uint64_t)s->opt.overhead;
    }
    return start;
}

uint64_t measure_clocks(synth *s, uint64_t start, uint32_t which)
{
    rng random = rng_seed(s->opt.seed, STREAM_MEASURE + which);

    s->measured[which][0] = (measurement){.time = clock_read(s, rank_of(s, 0), start)};
    for (uint32_t r = 1; r < s->opt.ranks; r++)
        start = measure_one(s, &random, start, r, &s->measured[which][r]);
    return start;
}
