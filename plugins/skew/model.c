/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* skew: computes what a bad clock reads at a true time.
 *
 * Every number is a function of the seed, the clock's id and the time alone, so results depend neither on slices,
 * nor on the order of locations, nor on where a trace begins. Random numbers are hashes. The random walk is built by
 * halving intervals (Levy's construction of Brownian motion), which gives its value at any node without the nodes
 * before. */
#include "skew.h"

#include <math.h>

__extension__ typedef __int128 wide;

/* Streams of random numbers of one clock. */
enum { OFFSET = 1, DRIFT, PHASE, WALK, WALK_BACK, JUMP_TIME, JUMP_SIZE };

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t skew_hash(uint64_t key, uint64_t number)
{
    return mix(mix(key) ^ number);
}

/* A random number, uniform in [0, 1). */
static double uniform(uint64_t key, uint64_t number)
{
    return (double)(skew_hash(key, number) >> 11) * 0x1p-53;
}

double skew_normal(uint64_t key, uint64_t number)
{
    double u = 1 - uniform(key, number), v = uniform(key ^ 0x5851f42d4c957f2du, number);

    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

void skew_clock(const struct model *m, uint64_t key, int right, struct skewed *to)
{
    *to = (struct skewed){.key = key, .right = right};
    to->offset = m->offset * (2 * uniform(key, OFFSET) - 1);
    to->drift = m->drift * skew_normal(key, DRIFT);
    to->drift = fmax(-6 * m->drift, fmin(6 * m->drift, to->drift));
    to->phase = 2 * M_PI * uniform(key, PHASE);
}

/* The random walk at node k, in units of one step's standard deviation. */
static double walk_at(const struct skewed *c, int64_t k)
{
    uint64_t key = skew_hash(c->key, k < 0 ? WALK_BACK : WALK), at = k < 0 ? 0 - (uint64_t)k : (uint64_t)k;
    uint64_t low = 0, high = UINT64_C(1) << MODEL_FAR;
    double at_low = 0, at_high = sqrt((double)high) * skew_normal(key, high);

    while (low < at) {
        uint64_t middle = low + (high - low) / 2;
        double value = high - low == 1
                           ? at_high
                           : (at_low + at_high) / 2 + sqrt((double)(high - low)) / 2 * skew_normal(key, middle);
        if (high - low == 1 || at == high)
            return at_high;
        if (at < middle) {
            high = middle;
            at_high = value;
        } else {
            low = middle;
            at_low = value;
        }
    }
    return at_low;
}

/* The error at node k without jumps, in ticks. */
static int64_t smooth(const struct model *m, const struct skewed *c, int64_t k)
{
    double since = (double)k * (double)m->step;
    double e = c->offset + c->drift * since;

    if (m->sine > 0)
        e += m->sine * sin(c->phase + m->omega * since);
    if (m->walk > 0)
        e += m->walk * walk_at(c, k);
    return (int64_t)rint(fmax(-0x1p61, fmin(0x1p61, e)));
}

static int64_t floor_divided(wide a, uint64_t b)
{
    wide q = a / b;

    return (int64_t)(a % b < 0 ? q - 1 : q);
}

/* The time of jump j since the origin; jump_size() is the error that it sets the clock to. */
static wide jump_time(const struct model *m, const struct skewed *c, int64_t j)
{
    double within = uniform(skew_hash(c->key, JUMP_TIME), (uint64_t)j) * (double)m->cell;

    return (wide)j * m->cell + (wide)within;
}

static int64_t jump_size(const struct model *m, const struct skewed *c, int64_t j)
{
    return (int64_t)rint(m->jump * (2 * uniform(skew_hash(c->key, JUMP_SIZE), (uint64_t)j) - 1));
}

/* The reading of the clock at a time since the origin if jump j were the last one. */
static wide plain_reading(const struct model *m, const struct skewed *c, wide since, int64_t j)
{
    int64_t k = floor_divided(since, m->step), a = smooth(m, c, k), b = smooth(m, c, k + 1);
    double slope = (double)(b - a) / (double)m->step;

    return since + m->origin + a + jump_size(m, c, j) + m->shift +
           (wide)rint(slope * (double)(since - (wide)k * m->step));
}

static wide least(wide a, wide b)
{
    return a < b ? a : b;
}

static wide most(wide a, wide b)
{
    return a > b ? a : b;
}

int skew_stretch(const struct model *m, const struct skewed *c, uint64_t time, struct stretch *to)
{
    const wide far = (wide)1 << MODEL_FAR;
    wide since = (wide)time - m->origin, first, last, floor = 0;

    if (c->right) {
        *to = (struct stretch){{0, UINT64_MAX, 0, 0}, 0, 0};
        return clock_time(&to->piece, m->shift, time, &(uint64_t){0});
    }
    if (since >= far || since <= -far)
        return 0;
    int64_t k = floor_divided(since, m->step), a = smooth(m, c, k), b = smooth(m, c, k + 1), jump = 0;
    first = (wide)k * m->step;
    last = first + m->step - 1;
    if (m->cell > 0) {
        int64_t j = floor_divided(since, m->cell);
        j -= since < jump_time(m, c, j);
        jump = jump_size(m, c, j);
        first = most(first, jump_time(m, c, j));
        last = least(last, jump_time(m, c, j + 1) - 1);
        floor = most(plain_reading(m, c, jump_time(m, c, j) - 1, j - 1),
                     plain_reading(m, c, jump_time(m, c, j - 1) - 1, j - 2));
    }
    wide low = (wide)k * m->step + m->origin, high = low + m->step;
    to->piece.slope = (double)(b - a) / (double)m->step;
    to->piece.begin = (uint64_t)(low >= 0 ? low : high);
    to->piece.offset = (low >= 0 ? a : b) + jump;
    to->piece.last = (uint64_t)least(last + m->origin, UINT64_MAX);
    to->first = (uint64_t)most(first + m->origin, 0);
    to->floor = (uint64_t)least(most(floor, 0), UINT64_MAX);
    return clock_time(&to->piece, m->shift, time, &(uint64_t){0});
}

uint64_t skew_reading(const struct model *m, const struct stretch *s, uint64_t time)
{
    uint64_t reading;

    clock_time(&s->piece, m->shift, time, &reading);
    return reading > s->floor ? reading : s->floor;
}
