/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See simulate.h. Messages are made step by step in true time; every clock is a function of true time. */
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

const char *const drift_names[DRIFTS] = {"shared", "offsets", "linear", "sine", "walk", "jumps"};
const char *const traffic_names[TRAFFICS] = {"ring",           "halo",    "master", "reductions",
                                             "mostly one way", "one way", "sparse", "mixed"};

enum { MOST_RANKS = 1024, WALK_STEPS = 256, SAMPLES = 2000, MOST_CHECKED = 1 << 17 };
static const double latency = 2e-6, jitter = 5e-6, measuring = 1e-6;

struct clock {
    double offset, rate, phase, period, amplitude; /* seconds */
    double jump_at[3], jump[3];
    double walk[WALK_STEPS + 1];
};

struct message {
    uint32_t from, to;
    uint64_t sent, received;
};

struct world {
    const struct scenario *s;
    struct clock clock[MOST_RANKS];
    double free_at[MOST_RANKS]; /* when a rank has done what came before */
    struct bounds *bounds;
    struct message *message;
    uint32_t n_messages, n_reductions;
    uint64_t random;
    double linear[MOST_RANKS][2]; /* measured offsets at both ends, ticks relative to rank 0's */
};

static double uniform(struct world *w)
{
    w->random += 0x9e3779b97f4a7c15u;
    uint64_t x = w->random;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

static double exponential(struct world *w)
{
    return -log(1 - uniform(w));
}

static double normal(struct world *w)
{
    double r = sqrt(2 * exponential(w));
    return r * cos(6.283185307179586 * uniform(w));
}

/* -------------------------------------------------------------------------------------------------------- clocks -- */

static void make_clock(struct world *w, struct clock *c)
{
    const struct scenario *s = w->s;
    *c = (struct clock){.period = s->period};
    if (s->drift >= OFFSETS)
        c->offset = 1000 * uniform(w);
    if (s->drift >= LINEAR)
        c->rate = (s->rate > 0 ? s->rate : 2e-6) * normal(w);
    if (s->drift == SINE) {
        c->phase = 6.283185307179586 * uniform(w);
        c->period *= 0.7 + 0.6 * uniform(w);
        c->amplitude = s->amplitude * (0.5 + uniform(w));
    }
    if (s->drift == WALK) { /* the rate walks; scaled so that the clock leaves the line by about the amplitude */
        double step = s->seconds / WALK_STEPS, rate = 0;
        for (uint32_t k = 1; k <= WALK_STEPS; k++) {
            rate += normal(w) * s->amplitude / step / WALK_STEPS / sqrt(WALK_STEPS) * 10;
            c->walk[k] = c->walk[k - 1] + rate * step;
        }
    }
    for (uint32_t k = 0; k < 3 && s->drift == JUMPS; k++) {
        c->jump_at[k] = s->seconds * uniform(w);
        c->jump[k] = s->amplitude * exponential(w);
    }
}

static double clock_error(const struct world *w, uint32_t rank, double t)
{
    const struct clock *c = &w->clock[rank];
    double e = c->offset + c->rate * t;
    if (c->amplitude > 0)
        e += c->amplitude * sin(6.283185307179586 * t / c->period + c->phase);
    for (uint32_t k = 0; k < 3; k++)
        e += t > c->jump_at[k] ? c->jump[k] : 0;
    double x = t / w->s->seconds * WALK_STEPS;
    uint32_t k = x < 0 ? 0 : x >= WALK_STEPS ? WALK_STEPS - 1 : (uint32_t)x;
    return e + c->walk[k] + (x - k) * (c->walk[k + 1] - c->walk[k]);
}

static uint64_t read_clock(const struct world *w, uint32_t rank, double t)
{
    return (uint64_t)((t + 10 + clock_error(w, rank, t)) * w->s->frequency);
}

/* ------------------------------------------------------------------------------------------------------- traffic -- */

static void keep(struct world *w, uint32_t from, uint64_t sent, uint32_t to, uint64_t received)
{
    if (w->n_messages < MOST_CHECKED)
        w->message[w->n_messages++] = (struct message){from, to, sent, received};
}

/* Sent at t; the receiver may come late. */
static double message(struct world *w, uint32_t from, uint32_t to, double t, double receiver)
{
    uint64_t bytes = w->s->per_byte > 0 ? (uint64_t)(16000 * uniform(w)) : 0;
    receiver += w->s->busy > 0 ? w->s->busy * exponential(w) : 0;
    double arrival =
        t + latency + jitter * exponential(w) + (to > from ? w->s->asymmetry : 0) + (double)bytes * w->s->per_byte;
    double received = (arrival > receiver ? arrival : receiver) + 1e-7;
    uint64_t a = read_clock(w, from, t), b = read_clock(w, to, received);
    bounds_message(w->bounds, from, a, to, b, w->s->unsized ? 0 : (uint32_t)bytes);
    keep(w, from, a, to, b);
    return received;
}

static double late(struct world *w)
{
    return uniform(w) < 0.3 ? 50e-6 * exponential(w) : 1e-6 * uniform(w);
}

static void reduction(struct world *w, double t)
{
    struct member member[MOST_RANKS];
    double begin[MOST_RANKS], latest = 0, rounds = ceil(log2(w->s->ranks));
    for (uint32_t i = 0; i < w->s->ranks; i++) {
        begin[i] =
            t + 20e-6 * exponential(w) + (w->s->busy > 0 && i + 1 == w->s->ranks ? w->s->busy * (1 + uniform(w)) : 0);
        latest = begin[i] > latest ? begin[i] : latest;
    }
    for (uint32_t i = 0; i < w->s->ranks; i++) {
        double end = latest + rounds * (latency + jitter * exponential(w) / 4);
        member[i] = (struct member){read_clock(w, i, begin[i]), read_clock(w, i, end), i, 1, 1, 0};
    }
    bounds_collective(w->bounds, ALL_TO_ALL, w->n_reductions++, member, sizeof *member, w->s->ranks);
}

/* From rank 0 down a binary tree, or up to it: whom one member delays, it delays all behind. */
static void rooted(struct world *w, double t, enum shape shape)
{
    struct member member[MOST_RANKS];
    double begin[MOST_RANKS], end[MOST_RANKS];
    uint32_t n = w->s->ranks, down = shape == ONE_TO_ALL;
    for (uint32_t i = 0; i < n; i++)
        begin[i] = end[i] = t + late(w);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t child = down ? i : n - i, parent = (child - 1) / 2, to = down ? child : parent;
        double arrival = end[down ? parent : child] + latency + jitter * exponential(w);
        end[to] = arrival > end[to] ? arrival : end[to];
    }
    for (uint32_t i = 0; i < n; i++)
        member[i] = (struct member){read_clock(w, i, begin[i]), read_clock(w, i, end[i]), i,
                                    down == (i == 0),           down == (i > 0),          0};
    bounds_collective(w->bounds, shape, w->n_reductions++, member, sizeof *member, n);
}

static void one_step(struct world *w, double t, uint32_t number)
{
    const struct scenario *s = w->s;
    uint32_t n = s->ranks;
    if (s->rooted > 0 && number % s->rooted == 0) {
        rooted(w, t + s->every / 3, ONE_TO_ALL);
        rooted(w, t + s->every / 2, ALL_TO_ONE);
    }
    switch (s->traffic) {
    case RING:
    case SPARSE:
        for (uint32_t i = 0; i < n; i++)
            message(w, i, (i + (number % 2 ? 1 : n - 1)) % n, t + late(w), t + late(w));
        break;
    case HALO:
        for (uint32_t i = 0; i < n; i++) {
            message(w, i, (i + 1) % n, t + late(w), t + late(w));
            message(w, i, (i + n - 1) % n, t + late(w), t + late(w));
        }
        break;
    case MASTER:
        for (uint32_t i = 1; i < n; i++) {
            double request = t + s->every * uniform(w);
            double received = message(w, i, 0, request, request + (uniform(w) < 0.7 ? 100e-6 * exponential(w) : 0));
            message(w, 0, i, received + 1e-6, request);
        }
        break;
    case REDUCTIONS:
        reduction(w, t);
        break;
    case MOSTLY_ONE_WAY:
        for (uint32_t i = 0; i + 1 < n; i++) {
            message(w, i, i + 1, t + late(w), t + late(w));
            if (uniform(w) < 0.002)
                message(w, i + 1, i, t + late(w), t + late(w));
        }
        break;
    case ONE_WAY:
        for (uint32_t i = 0; i + 1 < n; i++)
            message(w, i, i + 1, t + late(w), t + late(w));
        break;
    case MIXED:
        for (uint32_t i = 0; i < n && number % 16; i++)
            message(w, i, (i + (number % 2 ? 1 : n - 1)) % n, t + late(w), t + late(w));
        if (number % 16 == 0)
            reduction(w, t);
        break;
    default:
        break;
    }
}

/* ------------------------------------------------------------------------------------------------------ measures -- */

static double true_offset(const struct world *w, uint32_t rank, double t)
{
    return (clock_error(w, 0, t) - clock_error(w, rank, t)) * w->s->frequency;
}

static void measure(struct world *w, uint32_t rank)
{
    for (int end = 0; end < 2; end++) {
        double t = end ? w->s->seconds : 0;
        w->linear[rank][end] = rank == 0 ? 0 : true_offset(w, rank, t) + normal(w) * measuring * w->s->frequency;
        if (w->s->measured)
            bounds_measured(w->bounds, rank, read_clock(w, rank, t), llrint(w->linear[rank][end]), 0);
    }
}

/* By the rule of libotf2; *bar: between the knots' bars. */
static double corrected_by(const struct knot *k, uint32_t n, uint64_t time, double *bar)
{
    uint32_t i = 0;
    *bar = n > 0 ? k[0].error : 0;
    if (n == 0)
        return 0;
    if (n == 1)
        return (double)k[0].offset;
    while (i + 2 < n && k[i + 1].time <= time)
        i++;
    double since = (double)(int64_t)(time - k[i].time), part = since / (double)(k[i + 1].time - k[i].time);
    double inside = part < 0 ? 0 : part > 1 ? 1 : part;
    *bar = isfinite(k[i].error + k[i + 1].error) ? k[i].error + inside * (k[i + 1].error - k[i].error) : INFINITY;
    return (double)k[i].offset + part * (double)(k[i + 1].offset - k[i].offset);
}

static double linear_at(const struct world *w, uint32_t rank, double t)
{
    return w->linear[rank][0] + (w->linear[rank][1] - w->linear[rank][0]) * t / w->s->seconds;
}

static void compare(struct world *w, const struct solution *solution, struct outcome *o)
{
    const struct scenario *s = w->s;
    double sum = 0, linear = 0, bars = 0, n = 0, covered = 0, likely = 0;
    o->worse = -INFINITY;
    for (uint32_t r = 1; r < s->ranks; r++) {
        const struct unit_result *u = &solution->unit[r];
        double mine = 0, lines = 0, largest = 0;
        for (uint32_t k = 0; k < SAMPLES; k++) {
            double t = s->seconds * (k + 0.5) / SAMPLES, bar;
            double e = corrected_by(solution->knot + u->first_knot, u->n_knots, read_clock(w, r, t), &bar) -
                       true_offset(w, r, t);
            double l = linear_at(w, r, t) - true_offset(w, r, t);
            if (u->n_knots == 0)
                bar = u->error;
            mine += e * e;
            lines += l * l;
            bars += isfinite(bar) ? bar * bar : 0;
            largest = bar > largest ? bar : largest;
            covered += fabs(e) <= bar + 1;
            o->likely += fabs(e) <= u->likely + 1;
            o->half += fabs(e) <= u->likely / 2 + 1;
            likely += isfinite(u->likely) ? u->likely * u->likely : 0;
            n++;
            o->worst = fabs(e) > o->worst ? fabs(e) : o->worst;
        }
        sum += mine;
        linear += lines;
        double worse = sqrt(mine / SAMPLES) - sqrt(lines / SAMPLES) - largest;
        o->worse = worse > o->worse ? worse : o->worse;
        o->raw += u->origin == FROM_NOTHING;
        o->measured += u->origin == FROM_MEASURED;
        o->estimated += u->origin == FROM_MESSAGES;
        o->unconnected += u->origin == FROM_UNCONNECTED;
    }
    o->rms = sqrt(sum / n) / s->frequency;
    o->linear_rms = sqrt(linear / n) / s->frequency;
    o->bar_rms = sqrt(bars / n) / s->frequency;
    o->worst /= s->frequency;
    o->worse /= s->frequency;
    o->covered = covered / n;
    o->likely /= n;
    o->half /= n;
    o->likely_rms = sqrt(likely / n) / s->frequency;
    o->gaps = solution->gaps;
    o->contradictory = solution->contradictory;
}

static void count_violations(struct world *w, const struct solution *s, struct outcome *o)
{
    uint32_t reversed = 0;
    for (uint32_t i = 0; i < w->n_messages; i++) {
        const struct message *m = &w->message[i];
        const struct unit_result *a = &s->unit[m->from], *b = &s->unit[m->to];
        double bar, raw = (double)(int64_t)(m->received - m->sent);
        raw += corrected_by(s->knot + b->first_knot, b->n_knots, m->received, &bar);
        raw -= corrected_by(s->knot + a->first_knot, a->n_knots, m->sent, &bar);
        reversed += raw < -1;
    }
    o->violations = w->n_messages ? (double)reversed / w->n_messages : 0;
}

static void divide(const void *data, void (*work)(void *what, uint32_t k), void *what, uint32_t n)
{
    (void)data;
    while (n-- > 0)
        work(what, n);
}

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_of(const struct solution *s, uint32_t units)
{
    uint64_t hash = mix(0xcbf29ce484222325u, s->knot, s->n_knots * sizeof *s->knot);
    for (uint32_t u = 0; u < units; u++)
        hash = mix(hash, &s->unit[u].likely, sizeof s->unit[u].likely);
    return hash;
}

static int run(struct world *w, struct outcome *o)
{
    const struct scenario *s = w->s;
    struct solution solution;
    struct settings settings = {.reference = 0,
                                .most_gaps = 256,
                                .memory = 16 << 20,
                                .measured_error = measuring * s->frequency,
                                .drift_rate = 1e-7,
                                .most_rate = 5e-5,
                                .threads = s->threads,
                                .divide = divide};
    for (uint32_t i = 0; i < s->ranks; i++) {
        make_clock(w, &w->clock[i]);
        bounds_seen(w->bounds, i, read_clock(w, i, 0));
        bounds_seen(w->bounds, i, read_clock(w, i, s->seconds));
    }
    for (uint32_t i = 0; i < s->ranks; i++)
        measure(w, i);
    for (uint32_t k = 0; k * s->every < s->seconds; k++)
        one_step(w, k * s->every, k);
    clock_t start = clock();
    if (estimate_clocks(w->bounds, &settings, &solution) != 0)
        return -1;
    o->seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    o->work = solution.work;
    o->hash = hash_of(&solution, s->ranks);
    compare(w, &solution, o);
    count_violations(w, &solution, o);
    solution_free(&solution);
    return 0;
}

int simulate(const struct scenario *s, struct outcome *o)
{
    *o = (struct outcome){0};
    struct world *w = calloc(1, sizeof *w);
    int status = -1;
    if (w) {
        w->s = s;
        w->random = s->seed * 0x2545f4914f6cdd1du + 99;
        w->message = malloc(MOST_CHECKED * sizeof *w->message);
        if (w->message && (w->bounds = bounds_new(s->ranks, 16 << 20)))
            status = run(w, o);
        bounds_free(w->bounds);
        free(w->message);
        free(w);
    }
    return status;
}
