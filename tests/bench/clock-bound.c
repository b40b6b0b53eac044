/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * clock-bound TRUE RECORDED MODEL: how well clocks could be estimated from the messages of a trace of tcflow-synth by
 * somebody who knows what nobody can know. Whole trace in memory, slow.
 *
 * MODEL is that of `tcflow-synth --clock`: walk=T, jumps=RATE:T or sine=T:PERIOD; offset= and drift= may stand there.
 * TRUE is the archive of true times, RECORDED the one that tcflow would get. Two estimates are made, both of which know
 * which messages were taken off at once, the least delay of each, how delays scatter, and how clocks leave their lines:
 *
 *   alone     the posterior mean of one clock, exactly, when all other clocks and its own line are known. No estimate
 * from these messages has a smaller mean square error (of a sine: which knows its amplitude and period, and seeks the
 * phase). together  the best linear estimate of all clocks at once: least squares with the true variances; of jumps it
 * knows the times, and of each pair and direction the usual delay; of a sine the best of all smoothing strengths is
 * taken, by the true times.
 *
 * Prints: clocks N messages N alone S together S strength X, root mean square over events in seconds. */
#include "clock-bound.h"
#include "tests/support/oracle/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* tcflow-synth's defaults */
static const double latency = 2e-6, per_byte = 1e-10, jitter = 1e-6;
static const double prompt = 30e-6;  /* what takes longer was not taken off at once */
static const double together = 5e-4; /* events of a step lie that close; a walk moves by 0.1 us meanwhile */

struct input {
    struct o_trace *truth, *recorded;
    size_t **step_of; /* [location][event] */
    struct net net;
    struct o_list message; /* struct message */
};

static double unit_of(const char *suffix)
{
    return !strncmp(suffix, "ns", 2) ? 1e-9 : !strncmp(suffix, "us", 2) ? 1e-6 : !strncmp(suffix, "ms", 2) ? 1e-3 : 1;
}

static double time_of(const char *text, const char **behind)
{
    char *end;
    double value = strtod(text, &end), unit = unit_of(end);
    while (*end >= 'a' && *end <= 'z')
        end++;
    *behind = end;
    return value * unit;
}

static bool parse(const char *model, struct process *p)
{
    *p = (struct process){0};
    for (const char *at = model; *at;) {
        const char *value = strchr(at, '='), *end;
        if (!value)
            return false;
        double first = time_of(value + 1, &end), second = *end == ':' ? time_of(end + 1, &end) : 0;
        if (!strncmp(at, "walk=", 5))
            p->walk = first;
        else if (!strncmp(at, "jumps=", 6))
            p->jump_rate = first, p->jump = second;
        else if (!strncmp(at, "sine=", 5))
            p->sine = first, p->period = second;
        else if (strncmp(at, "offset=", 7) && strncmp(at, "drift=", 6))
            return false;
        at = *end == ',' ? end + 1 : end;
        if (*end && *end != ',')
            return false;
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------------- steps -- */

static double seconds(const struct input *in, const struct o_trace *t, size_t l, size_t e)
{
    return (double)(int64_t)(t->location[l].event[e].time - in->truth->location[0].event[0].time) /
           (double)t->ticks_per_second;
}

/* Solves the n x n equations; n <= 4. */
static void solve(double a[4][5], int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double factor = a[k][i] / (fabs(a[i][i]) > 0 ? a[i][i] : 1);
            for (int j = i; j <= n && k != i; j++)
                a[k][j] -= factor * a[i][j];
        }
    for (int i = 0; i < n; i++)
        a[i][n] /= fabs(a[i][i]) > 0 ? a[i][i] : 1;
}

/* Offset and slope of the clock's line: least squares, together with the wave where there is one. */
static void fit_line(const struct process *p, const struct clock *c, double line[2])
{
    int n = p->sine > 0 ? 4 : 2;
    double a[4][5] = {{0}};
    for (size_t k = 0; k < c->n_steps; k++) {
        double t = c->step[k].time, phase = p->sine > 0 ? 6.283185307179586 * t / p->period : 0;
        double x[5] = {1, t, sin(phase), cos(phase)};
        x[n] = c->step[k].off;
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= n; j++)
                a[i][j] += (double)c->step[k].events * x[i] * x[j];
    }
    solve(a, n);
    line[0] = a[0][n], line[1] = a[1][n];
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The slope where the clock doesn't jump. */
static double slope_between_jumps(const struct clock *c)
{
    double *slope = o_alloc(c->n_steps, sizeof *slope), time = 0, change = 0;
    for (size_t k = 0; k + 1 < c->n_steps; k++)
        slope[k] = (c->step[k + 1].off - c->step[k].off) / (c->step[k + 1].time - c->step[k].time);
    qsort(slope, c->n_steps - 1, sizeof *slope, compare_doubles);
    double usual = slope[c->n_steps / 2];
    for (size_t k = 0; k + 1 < c->n_steps; k++) {
        double t = c->step[k + 1].time - c->step[k].time, o = c->step[k + 1].off - c->step[k].off;
        if (fabs(o - usual * t) < 1e-7)
            time += t, change += o;
    }
    free(slope);
    return time > 0 ? change / time : usual;
}

static void take_line(const struct process *p, struct clock *c)
{
    double line[2];
    fit_line(p, c, line);
    if (p->jump > 0)
        line[1] = slope_between_jumps(c);
    for (size_t k = 0; k < c->n_steps; k++)
        c->step[k].off -= line[0] + line[1] * c->step[k].time;
}

static void make_steps(struct input *in, size_t l)
{
    const struct o_location *at = &in->truth->location[l];
    struct clock *c = &in->net.clock[l];
    in->step_of[l] = o_alloc(at->n + 1, sizeof **in->step_of);
    c->step = o_alloc(at->n + 1, sizeof *c->step);
    for (size_t e = 0; e < at->n; e++) {
        double time = seconds(in, in->truth, l, e), off = seconds(in, in->recorded, l, e) - time;
        if (c->n_steps == 0 || time - c->step[c->n_steps - 1].time > together)
            c->step[c->n_steps++] = (struct step){.time = time, .off = off};
        c->step[c->n_steps - 1].events++;
        in->step_of[l][e] = c->n_steps - 1;
    }
    take_line(&in->net.process, c);
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static void add_message(struct input *in, const struct o_participant *s, const struct o_participant *t, double least)
{
    double delay = seconds(in, in->truth, t->location, t->target) - seconds(in, in->truth, s->location, s->source);
    if (delay - least > prompt)
        return;
    struct message *m = o_push(&in->message, sizeof *m);
    *m = (struct message){(uint32_t)s->location,
                          (uint32_t)t->location,
                          in->step_of[s->location][s->source],
                          in->step_of[t->location][t->target],
                          fmax(delay - least, 0),
                          0};
}

/* How many messages lie between the root and a member of a binomial tree, as tcflow-synth has it. */
static double tree_hops(const struct o_participant *p, uint32_t root, size_t size)
{
    return __builtin_popcount((uint32_t)((p->rank + size - root) % size));
}

/* What an instance of a collective makes its target wait for, and the least time that takes. */
static double least_of(const struct o_relation *r, const struct o_participant *s, const struct o_participant *t)
{
    size_t size = r->canon->side[0].n;
    if (r->class == O_ONE_TO_N)
        return latency * tree_hops(t, s->rank, size);
    if (r->class == O_N_TO_ONE)
        return latency * (tree_hops(s, t->rank, size) + 1);
    return r->class == O_N_TO_N ? latency * fmax(ceil(log2((double)size)), 1) : latency;
}

/* What each target has waited for, as a message. */
static void add_collective(struct input *in, const struct o_relation *r, const struct o_participant *p)
{
    for (size_t t = 0; t < r->n; t++) {
        double until = -INFINITY;
        size_t last = 0;
        for (size_t s = 0; s < r->n && p[t].target != O_NONE; s++) {
            if (s == t || p[s].source == O_NONE || (r->rule == O_LOWER_RANKS && p[s].rank > p[t].rank))
                continue;
            double u = seconds(in, in->truth, p[s].location, p[s].source) + least_of(r, &p[s], &p[t]);
            if (u > until)
                until = u, last = s;
        }
        if (until > -INFINITY)
            add_message(in, &p[last], &p[t], least_of(r, &p[last], &p[t]));
    }
}

/* A program takes messages off one after another, so what is usual differs by pair and direction. Of few messages it is
 * not known: as many of the mean of all are taken with them. */
static void find_usual(struct net *net)
{
    const double few = 30;
    size_t n = net->n_clocks;
    double *sum = o_alloc(n * n, sizeof *sum), *count = o_alloc(n * n, sizeof *count), mean = 0;
    for (size_t i = 0; i < net->n_messages; i++) {
        const struct message *m = &net->message[i];
        sum[m->from * n + m->to] += m->excess;
        count[m->from * n + m->to]++;
        mean += m->excess / (double)net->n_messages;
    }
    for (size_t i = 0; i < net->n_messages; i++) {
        struct message *m = &net->message[i];
        m->usual = (sum[m->from * n + m->to] + few * mean) / (count[m->from * n + m->to] + few);
    }
    free(sum);
    free(count);
}

static void find_messages(struct input *in)
{
    struct o_matching *m = o_match(in->truth, 4096);
    const struct o_relation *r = m->relations.item;
    const struct o_participant *all = m->participants.item;
    for (size_t i = 0; i < m->relations.n; i++) {
        const struct o_participant *p = all + r[i].first;
        if (r[i].class == O_P2P)
            add_message(in, &p[0], &p[1],
                        latency + per_byte * (double)in->truth->location[p[0].location].event[p[0].source].field[3]);
        else if (r[i].class <= O_EXSCAN)
            add_collective(in, &r[i], p);
    }
    o_match_free(m);
    in->net.message = in->message.item;
    in->net.n_messages = in->message.n;
    find_usual(&in->net);
}

/* ----------------------------------------------------------------------------------------------------- sightings -- */

/* A clock's own view of its messages, in order of its steps. */
static void find_sightings(struct net *net)
{
    for (size_t i = 0; i < net->n_messages; i++) {
        const struct message *m = &net->message[i];
        net->clock[m->from].step[m->from_step].end++;
        net->clock[m->to].step[m->to_step].end++;
    }
    for (size_t l = 0; l < net->n_clocks; l++) {
        struct clock *c = &net->clock[l];
        for (size_t k = 0; k < c->n_steps; k++) {
            size_t n = c->step[k].end;
            c->step[k].begin = c->step[k].end = c->n_sightings;
            c->n_sightings += n;
        }
        c->sighting = o_alloc(c->n_sightings + 1, sizeof *c->sighting);
    }
    for (size_t i = 0; i < net->n_messages; i++) {
        const struct message *m = &net->message[i];
        struct clock *from = &net->clock[m->from], *to = &net->clock[m->to];
        from->sighting[from->step[m->from_step].end++] = (struct sighting){m->excess, false};
        to->sighting[to->step[m->to_step].end++] = (struct sighting){m->excess, true};
    }
}

int main(int argc, char **argv)
{
    struct input in = {0};
    if (argc != 4 || !parse(argv[3], &in.net.process)) {
        fputs("usage: clock-bound TRUE RECORDED walk=T|jumps=RATE:T|sine=T:PERIOD\n", stderr);
        return 2;
    }
    in.truth = o_load(argv[1], false);
    in.recorded = o_load(argv[2], false);
    if (!in.truth || !in.recorded || in.truth->n_locations != in.recorded->n_locations)
        return 1;
    in.net.n_clocks = in.truth->n_locations;
    in.net.jitter = jitter;
    in.net.clock = o_alloc(in.net.n_clocks, sizeof *in.net.clock);
    in.step_of = o_alloc(in.net.n_clocks, sizeof *in.step_of);
    for (size_t l = 0; l < in.net.n_clocks; l++)
        make_steps(&in, l);
    find_messages(&in);
    find_sightings(&in.net);
    double strength = 0, alone = bound_alone(&in.net, 8), all = bound_together(&in.net, &strength);
    printf("clocks %zu messages %zu alone %.4g together %.4g strength %.3g\n", in.net.n_clocks, in.net.n_messages,
           alone, all, strength);
    return 0; /* the system takes the memory back */
}
