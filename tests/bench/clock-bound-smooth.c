/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The two smoothers of clock-bound.c. What is sought is the error of an estimate, not the estimate, so all is given
 * relative to the truth: where a clock is off by d and the estimate says v, y = v - d is wanted. */
#include "clock-bound.h"
#include "tests/support/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------- one clock alone -- */

/* Values that the clock may be off by, and how likely they are: forward through all steps, then backward. A value is an
 * offset; for waves it stands for a phase. */
struct filter {
    const struct process *process;
    const struct clock *clock;
    double jitter, least, cell;
    size_t n;
    float *forward;              /* n_steps x n, normalised */
    double *now, *next, *kernel; /* n each */
};

static double value_at(const struct filter *f, size_t i, double time)
{
    double v = f->least + f->cell * (double)i;
    return f->process->sine > 0 ? f->process->sine * sin(6.283185307179586 * time / f->process->period + v) : v;
}

static void normalise(double *p, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += p[i];
    for (size_t i = 0; i < n && sum > 0; i++)
        p[i] /= sum;
}

/* What the messages of a step say. A message can't have taken less than the least time, but for half a cell. */
static void look(const struct filter *f, const struct step *s, double *p)
{
    double earliest = INFINITY, latest = INFINITY, sign = 0;
    for (size_t k = s->begin; k < s->end; k++) {
        const struct sighting *m = &f->clock->sighting[k];
        if (m->received)
            latest = fmin(latest, m->excess), sign++;
        else
            earliest = fmin(earliest, m->excess), sign--;
    }
    double slack = f->process->sine > 0 ? f->cell * f->process->sine / 2 : f->cell / 2;
    for (size_t i = 0; i < f->n && s->end > s->begin; i++) {
        double y = value_at(f, i, s->time) - s->off;
        p[i] *= y > latest + slack || y < -earliest - slack ? 0 : exp(sign * y / f->jitter);
    }
    normalise(p, f->n);
}

static void spread(struct filter *f, double sigma)
{
    size_t reach = (size_t)ceil(5 * sigma / f->cell);
    double sum = 0;
    for (size_t k = 0; k <= reach; k++) {
        f->kernel[k] = exp(-0.5 * pow((double)k * f->cell / sigma, 2));
        sum += k ? 2 * f->kernel[k] : 1;
    }
    memset(f->next, 0, f->n * sizeof *f->next);
    for (size_t i = 0; i < f->n; i++) {
        if (f->now[i] < 1e-20)
            continue;
        size_t from = i > reach ? i - reach : 0, to = i + reach < f->n ? i + reach : f->n - 1;
        for (size_t j = from; j <= to; j++)
            f->next[j] += f->now[i] * f->kernel[j > i ? j - i : i - j] / sum;
    }
    memcpy(f->now, f->next, f->n * sizeof *f->now);
}

/* A jump spreads so wide that coarse cells hold it. */
static void leap(struct filter *f, double chance)
{
    enum { COARSE = 40 };
    size_t n = f->n / COARSE + 1;
    double *mass = o_alloc(n, sizeof *mass), *landed = o_alloc(n, sizeof *landed);
    for (size_t i = 0; i < f->n; i++)
        mass[i / COARSE] += f->now[i];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double far = ((double)i - (double)j) * COARSE * f->cell / f->process->jump;
            landed[j] += mass[i] * exp(-0.5 * far * far) * f->cell / f->process->jump * 0.3989422804;
        }
    for (size_t i = 0; i < f->n; i++)
        f->now[i] = (1 - chance) * f->now[i] + chance * landed[i / COARSE];
    free(mass);
    free(landed);
}

static void pass_time(struct filter *f, double time)
{
    if (f->process->walk > 0)
        spread(f, f->process->walk * sqrt(time));
    if (f->process->jump > 0)
        leap(f, 1 - exp(-f->process->jump_rate * time));
}

/* Sum of squares of the posterior mean's error over the events. */
static double smooth(struct filter *f)
{
    const struct clock *c = f->clock;
    double squares = 0;
    for (size_t i = 0; i < f->n; i++)
        f->now[i] = 1.0 / (double)f->n;
    for (size_t k = 0; k < c->n_steps; k++) {
        if (k > 0)
            pass_time(f, c->step[k].time - c->step[k - 1].time);
        look(f, &c->step[k], f->now);
        for (size_t i = 0; i < f->n; i++)
            f->forward[k * f->n + i] = (float)f->now[i];
    }
    for (size_t i = 0; i < f->n; i++)
        f->now[i] = 1.0 / (double)f->n;
    for (size_t k = c->n_steps; k-- > 0;) {
        double sum = 0, mean = 0;
        if (k + 1 < c->n_steps)
            pass_time(f, c->step[k + 1].time - c->step[k].time);
        for (size_t i = 0; i < f->n; i++) {
            double p = f->forward[k * f->n + i] * f->now[i];
            sum += p, mean += p * (value_at(f, i, c->step[k].time) - c->step[k].off);
        }
        squares += (double)c->step[k].events * pow(sum > 0 ? mean / sum : NAN, 2);
        look(f, &c->step[k], f->now);
    }
    return squares;
}

static double smooth_clock(const struct net *net, const struct clock *c)
{
    struct filter f = {.process = &net->process, .clock = c, .jitter = net->jitter, .cell = 5e-8};
    double most = -INFINITY, least = INFINITY;
    for (size_t k = 0; k < c->n_steps; k++)
        most = fmax(most, c->step[k].off), least = fmin(least, c->step[k].off);
    f.least = least - 1e-5;
    f.n = (size_t)((most - least + 2e-5) / f.cell);
    if (net->process.sine > 0)
        f.least = 0, f.n = 8192, f.cell = 6.283185307179586 / (double)f.n;
    f.forward = o_alloc(f.n * c->n_steps, sizeof *f.forward);
    f.now = o_alloc(f.n + 1, sizeof *f.now);
    f.next = o_alloc(f.n + 1, sizeof *f.next);
    f.kernel = o_alloc(4 * f.n + 10000, sizeof *f.kernel);
    double squares = smooth(&f);
    free(f.forward);
    free(f.now);
    free(f.next);
    free(f.kernel);
    return squares;
}

double bound_alone(const struct net *net, size_t most)
{
    size_t n = net->n_clocks - 1 < most ? net->n_clocks - 1 : most;
    double squares = 0, events = 0;
    for (size_t i = 0; i < n; i++) {
        const struct clock *c = &net->clock[1 + i * (net->n_clocks - 1) / n];
        squares += smooth_clock(net, c);
        for (size_t k = 0; k < c->n_steps; k++)
            events += (double)c->step[k].events;
    }
    return events > 0 ? sqrt(squares / events) : NAN;
}

/* -------------------------------------------------------------------------------------------- all clocks at once -- */

/* Weighted least squares. Unknown: y of each step; microseconds. Rows of a clock's own reach over two or three of its
 * steps and make a band, which conjugate gradients take as their preconditioner, with the diagonal of the messages'
 * rows. */
enum { BAND = 3 };

struct system {
    const struct net *net;
    size_t n, *first;    /* unknowns; by clock */
    double weight;       /* of the messages: 1 / variance of the excess */
    double *band, *root; /* n x BAND: (i, i), (i, i-1), (i, i-2), and the factor */
    double *right;
};

/* c . (d + y) shall be 0, over steps k, k+1, ... of clock l. */
static void add_row(struct system *s, size_t l, size_t k, const double *c, int terms, double weight)
{
    const struct step *step = s->net->clock[l].step;
    double off = 0;
    for (int i = 0; i < terms; i++)
        off += c[i] * 1e6 * step[k + (size_t)i].off;
    for (int i = 0; i < terms; i++) {
        s->right[s->first[l] + k + (size_t)i] -= weight * c[i] * off;
        for (int j = 0; j <= i; j++)
            s->band[(s->first[l] + k + (size_t)i) * BAND + (size_t)(i - j)] += weight * c[i] * c[j];
    }
}

static void add_process(struct system *s, size_t l, double strength)
{
    const struct process *p = &s->net->process;
    const struct step *step = s->net->clock[l].step;
    for (size_t k = 0; k + 1 < s->net->clock[l].n_steps; k++) {
        double time = step[k + 1].time - step[k].time, change = 1e6 * (step[k + 1].off - step[k].off);
        if (p->walk > 0)
            add_row(s, l, k, (const double[]){-1, 1}, 2, 1 / (1e12 * p->walk * p->walk * time));
        else if (p->jump > 0)
            add_row(s, l, k, (const double[]){-1, 1}, 2, fabs(change) > 0.2 ? 1e-12 / (p->jump * p->jump) : 1e4);
        else if (k + 2 < s->net->clock[l].n_steps) {
            double next = step[k + 2].time - step[k + 1].time;
            add_row(s, l, k, (const double[]){1 / time, -1 / time - 1 / next, 1 / next}, 3,
                    2 / (strength * (time + next)));
        }
    }
}

static size_t place_of(const struct system *s, uint32_t clock, size_t step)
{
    return s->first[clock] + step;
}

static void add_messages(struct system *s)
{
    for (size_t i = 0; i < s->net->n_messages; i++) {
        const struct message *m = &s->net->message[i];
        size_t a = place_of(s, m->from, m->from_step), b = place_of(s, m->to, m->to_step);
        double want = s->weight * 1e6 * (m->excess - m->usual);
        s->right[a] -= want, s->right[b] += want;
        s->band[a * BAND] += s->weight, s->band[b * BAND] += s->weight;
    }
}

/* The first clock is right. */
static void pin_first(struct system *s)
{
    for (size_t k = 0; k < s->net->clock[0].n_steps; k++)
        s->band[k * BAND] += 1e12;
}

static void factorise(struct system *s)
{
    memcpy(s->root, s->band, s->n * BAND * sizeof *s->root);
    for (size_t i = 0; i < s->n; i++) {
        double *a = &s->root[i * BAND], *b = i > 0 ? a - BAND : a, *c = i > 1 ? b - BAND : b;
        a[2] = i > 1 ? a[2] / c[0] : 0;
        a[1] = i > 0 ? (a[1] - a[2] * (i > 1 ? b[1] : 0)) / b[0] : 0;
        a[0] = sqrt(fmax(a[0] - a[1] * a[1] - a[2] * a[2], 1e-30));
    }
}

static void precondition(const struct system *s, const double *r, double *z)
{
    for (size_t i = 0; i < s->n; i++) {
        const double *a = &s->root[i * BAND];
        z[i] = (r[i] - (i > 0 ? a[1] * z[i - 1] : 0) - (i > 1 ? a[2] * z[i - 2] : 0)) / a[0];
    }
    for (size_t i = s->n; i-- > 0;) {
        const double *a = &s->root[i * BAND];
        z[i] = (z[i] - (i + 1 < s->n ? a[BAND + 1] * z[i + 1] : 0) - (i + 2 < s->n ? a[2 * BAND + 2] * z[i + 2] : 0)) /
               a[0];
    }
}

static void multiply(const struct system *s, const double *x, double *y)
{
    for (size_t i = 0; i < s->n; i++)
        y[i] = s->band[i * BAND] * x[i];
    for (size_t i = 1; i < s->n; i++) {
        y[i] += s->band[i * BAND + 1] * x[i - 1], y[i - 1] += s->band[i * BAND + 1] * x[i];
        if (i > 1)
            y[i] += s->band[i * BAND + 2] * x[i - 2], y[i - 2] += s->band[i * BAND + 2] * x[i];
    }
    for (size_t i = 0; i < s->net->n_messages; i++) { /* their diagonal is in the band */
        const struct message *m = &s->net->message[i];
        size_t a = place_of(s, m->from, m->from_step), b = place_of(s, m->to, m->to_step);
        y[a] -= s->weight * x[b], y[b] -= s->weight * x[a];
    }
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void conjugate_gradients(const struct system *s, double *x)
{
    double *r = o_alloc(s->n, sizeof *r), *z = o_alloc(s->n, sizeof *z), *p = o_alloc(s->n, sizeof *p);
    double *q = o_alloc(s->n, sizeof *q);
    memcpy(r, s->right, s->n * sizeof *r);
    precondition(s, r, z);
    memcpy(p, z, s->n * sizeof *p);
    double rz = dot(r, z, s->n), start = rz;
    for (int round = 0; round < 2000 && rz > 1e-10 * start; round++) {
        multiply(s, p, q);
        double step = rz / dot(p, q, s->n);
        for (size_t i = 0; i < s->n; i++)
            x[i] += step * p[i], r[i] -= step * q[i];
        precondition(s, r, z);
        double next = dot(r, z, s->n);
        for (size_t i = 0; i < s->n; i++)
            p[i] = z[i] + next / rz * p[i];
        rz = next;
    }
    free(r);
    free(z);
    free(p);
    free(q);
}

/* Root mean square over events, seconds. */
static double solve_all(struct system *s, double strength)
{
    double *x = o_alloc(s->n, sizeof *x), squares = 0, events = 0;
    memset(s->band, 0, s->n * BAND * sizeof *s->band);
    memset(s->right, 0, s->n * sizeof *s->right);
    for (size_t l = 0; l < s->net->n_clocks; l++)
        add_process(s, l, strength);
    add_messages(s);
    pin_first(s);
    factorise(s);
    conjugate_gradients(s, x);
    for (size_t l = 0; l < s->net->n_clocks; l++)
        for (size_t k = 0; k < s->net->clock[l].n_steps; k++) {
            double n = (double)s->net->clock[l].step[k].events;
            squares += n * x[s->first[l] + k] * x[s->first[l] + k], events += n;
        }
    free(x);
    return 1e-6 * sqrt(squares / events);
}

double bound_together(const struct net *net, double *tuned)
{
    struct system s = {.net = net};
    double squares = 0, best = INFINITY;
    s.first = o_alloc(net->n_clocks + 1, sizeof *s.first);
    for (size_t l = 0; l < net->n_clocks; l++)
        s.first[l] = s.n, s.n += net->clock[l].n_steps;
    for (size_t i = 0; i < net->n_messages; i++)
        squares += pow(1e6 * (net->message[i].excess - net->message[i].usual), 2);
    s.weight = (double)net->n_messages / squares;
    s.band = o_alloc((s.n + 2) * BAND, sizeof *s.band);
    s.root = o_alloc((s.n + 2) * BAND, sizeof *s.root);
    s.right = o_alloc(s.n, sizeof *s.right);
    if (net->process.sine > 0) {
        double usual = 1e12 * pow(net->process.sine * 6.283185307179586 / net->process.period, 2) / net->process.period;
        for (double factor = 1e-3; factor < 2e3; factor *= 3.1622776601683795) {
            double error = solve_all(&s, usual * factor);
            if (error < best)
                best = error, *tuned = factor;
        }
    } else {
        best = solve_all(&s, 0);
    }
    free(s.first);
    free(s.band);
    free(s.root);
    free(s.right);
    return best;
}
