/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Random numbers that are the same on every run: xoshiro256++ seeded by splitmix64, and the distributions that the
 * simulation draws from. One stream each for the program, every clock and the measurements, so that other clocks do
 * not change what the program does. */
#ifndef TCFLOW_SYNTH_RANDOM_H
#define TCFLOW_SYNTH_RANDOM_H

#include <math.h>
#include <stdint.h>

typedef struct rng {
    uint64_t s[4];
} rng;

static inline uint64_t rng_mix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline rng rng_seed(uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;
    rng r;

    state = rng_mix(&state) ^ (stream * 0xd1342543de82ef95u + 1);
    for (int i = 0; i < 4; i++)
        r.s[i] = rng_mix(&state);
    return r;
}

static inline uint64_t rng_rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline uint64_t rng_next(rng *r)
{
    uint64_t result = rng_rotate(r->s[0] + r->s[3], 23) + r->s[0], t = r->s[1] << 17;

    r->s[2] ^= r->s[0];
    r->s[3] ^= r->s[1];
    r->s[1] ^= r->s[2];
    r->s[0] ^= r->s[3];
    r->s[2] ^= t;
    r->s[3] = rng_rotate(r->s[3], 45);
    return result;
}

/* In [0, 1). */
static inline double rng_uniform(rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

static inline uint32_t rng_below(rng *r, uint32_t n)
{
    return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}

static inline double rng_exponential(rng *r, double mean)
{
    return mean > 0 ? -mean * log1p(-rng_uniform(r)) : 0;
}

/* Of mean 0 and standard deviation 1 (Box and Muller). */
static inline double rng_normal(rng *r)
{
    double u = 1 - rng_uniform(r), angle = 6.283185307179586477 * rng_uniform(r);

    return sqrt(-2 * log(u)) * cos(angle);
}

#endif
