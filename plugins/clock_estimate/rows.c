/* The bounds as equations: the tightest message of each pair and interval under the corrections so far, how far it is to be
 * trusted, and what its slack ought to be.
 */
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------------- grid -- */

struct place grid_place(const struct grid *g, uint32_t unit, double time)
{
    double x = (time - g->start[unit]) * g->per_step;
    uint32_t k = x < 0 ? 0 : x >= g->gaps ? g->gaps - 1 : (uint32_t)x;
    return (struct place){k, (float)(x - k)};
}

double grid_value(const struct grid *g, uint32_t unit, double time)
{
    double x = (time - g->start[unit]) * g->per_step;
    uint32_t k = x < 0 ? 0 : x >= g->gaps ? g->gaps - 1 : (uint32_t)x;
    const double *z = g->z + (size_t)unit * (g->gaps + 1) + k;
    return z[0] + (x - k) * (z[1] - z[0]);
}

static struct row *add_row(struct problem *p)
{
    if (p->n_rows == p->row_capacity) {
        uint32_t capacity = p->row_capacity ? 2 * p->row_capacity : 1024;
        struct row *grown = realloc(p->row, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        p->row = grown;
        p->row_capacity = capacity;
    }
    return &p->row[p->n_rows++];
}

/* The rows of one pair: the tightest message of each interval. */
static int add_rows(struct problem *p, uint32_t i, uint32_t intervals)
{
    const struct grid *g = &p->grid;
    const struct pair *q = &p->b->pair[i];
    const double *z = g->z + (size_t)q->from * (g->gaps + 1);
    double start = g->start[q->from], per_gap = (double)intervals / g->gaps;
    struct row *row = NULL;
    for (uint32_t k = 0; k < q->n; k++) {
        const struct point *point = &q->point[k];
        double sent = (double)point->sent, x = (sent - start) * g->per_step;
        uint32_t gap = x < 0 ? 0 : x >= g->gaps ? g->gaps - 1 : (uint32_t)x;
        uint32_t interval = x < 0 ? 0 : x * per_gap >= intervals ? intervals - 1 : (uint32_t)(x * per_gap);
        double slack = (double)(point->received - point->sent) + grid_value(g, q->to, (double)point->received) -
                       (z[gap] + (x - gap) * (z[gap + 1] - z[gap]));
        if (!row || row->interval != interval) {
            if (!(row = add_row(p)))
                return -1;
            *row = (struct row){.pair = i, .interval = interval, .slack = INFINITY};
        }
        if (slack < row->slack) {
            row->slack = slack;
            row->from = (struct place){gap, (float)(x - gap)};
            row->point = k;
        }
    }
    for (uint32_t k = p->first_row[i]; k < p->n_rows; k++)
        p->row[k].to = grid_place(g, q->to, (double)q->point[p->row[k].point].received);
    return 0;
}

int problem_rows(struct problem *p, uint32_t intervals)
{
    p->n_rows = 0;
    p->intervals = intervals;
    for (uint32_t i = 0; i < p->b->n_pairs; i++) {
        p->first_row[i] = p->n_rows;
        if (p->bad[i] || p->unused[i])
            continue;
        p->work += p->b->pair[i].n;
        if (add_rows(p, i, intervals) != 0)
            return -1;
    }
    p->first_row[p->b->n_pairs] = p->n_rows;
    p->work += p->n_rows;
    return 0;
}

void rows_by_interval(const struct problem *p, uint32_t *order, uint32_t *end)
{
    uint32_t sum = 0;
    memset(end, 0, p->intervals * sizeof *end);
    for (uint32_t i = 0; i < p->n_rows; i++)
        if (p->component[p->b->pair[p->row[i].pair].from] == 0)
            end[p->row[i].interval]++;
    for (uint32_t m = 0; m < p->intervals; m++) {
        uint32_t n = end[m];
        end[m] = sum;
        sum += n;
    }
    for (uint32_t i = 0; i < p->n_rows; i++)
        if (p->component[p->b->pair[p->row[i].pair].from] == 0)
            order[end[p->row[i].interval]++] = i;
}

/* ------------------------------------------------------------------------------------------------------ trust -- */

static void swap(double *a, double *b)
{
    double c = *a;
    *a = *b;
    *b = c;
}

/* The k-th smallest, by Hoare's method; x changes its order. */
static double select_kth(double *x, int64_t n, int64_t k)
{
    for (int64_t low = 0, high = n - 1; low < high;) {
        double pivot = x[k];
        int64_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot)
                i++;
            while (x[j] > pivot)
                j--;
            if (i <= j)
                swap(&x[i++], &x[j--]);
        }
        low = j < k ? i : low;
        high = k < i ? j : high;
    }
    return x[k];
}

double quantile(double *x, uint32_t n, double part)
{
    return n == 0 ? 0 : select_kth(x, n, (int64_t)(part * (n - 1)));
}

/* Sums of the slacks of both directions in intervals that have both; their least is twice the least delay,
 * whatever the corrections are. */
uint32_t round_trips(struct problem *p, uint32_t pair, double *sum)
{
    uint32_t a = p->first_row[pair], a_end = p->first_row[pair + 1], n = 0;
    uint32_t reverse = p->b->pair[pair].reverse;
    if (reverse == NO_PAIR)
        return 0;
    for (uint32_t b = p->first_row[reverse]; a < a_end && b < p->first_row[reverse + 1];) {
        if (p->row[a].interval == p->row[b].interval)
            sum[n++] = p->row[a++].slack + p->row[b++].slack;
        else if (p->row[a].interval < p->row[b].interval)
            a++;
        else
            b++;
    }
    return n;
}

static uint32_t slacks(const struct problem *p, uint32_t pair, double *slack)
{
    uint32_t n = 0;
    for (uint32_t i = p->first_row[pair]; i < p->first_row[pair + 1]; i++)
        slack[n++] = p->row[i].slack;
    return n;
}

/* What a small part of the slacks is below of: a smaller one where each of them comes from few messages. */
static double tight(const struct problem *p, uint32_t pair, double *slack, uint32_t n)
{
    double each = n ? (double)p->b->pair[pair].messages / n : 0;
    return quantile(slack, n, each < 10 ? 0.01 * each : 0.1);
}

/* The least delay of each pair, and how much the delays scatter. */
static void judge_pair(struct problem *p, uint32_t i)
{
    uint32_t reverse = p->b->pair[i].reverse, n = slacks(p, i, p->scratch);
    double low = tight(p, i, p->scratch, n), spread = quantile(p->scratch, n, 0.5) - low;
    p->floats[i] = 0;
    if (reverse != NO_PAIR) {
        uint32_t both = round_trips(p, i, p->scratch);
        if (both >= 4) {
            low = quantile(p->scratch, both, 0.1) / 2;
            double alike = (quantile(p->scratch, both, 0.5) / 2 - low);
            spread = alike < spread ? alike : spread;
        } else {
            n = slacks(p, reverse, p->scratch);
            low = (low + tight(p, reverse, p->scratch, n)) / 2;
        }
        p->least_delay[i] = low > 0 ? low : 0;
    } else if (p->tied[p->b->pair[i].from] && p->tied[p->b->pair[i].to]) {
        /* Others say where the clocks are; this pair only how they move. */
        p->floats[i] = p->least_delay[i] >= 0;
        p->least_delay[i] = p->least_delay[i] > 0 ? p->least_delay[i] : 0;
    }
    p->spread[i] = spread + 1;
}

/* A delay below the least one contradicts, one above it is only loose. */
void problem_weigh(struct problem *p, double blur)
{
    for (uint32_t i = 0; i < p->n_rows; i++) {
        struct row *r = &p->row[i];
        double excess = r->slack - p->least_delay[r->pair], s = p->spread[r->pair] + blur;
        r->want = -excess;
        r->weight = 1 / (s * s + (excess > 0 ? excess * excess : excess * excess / 64));
    }
}

double typical_excess(struct problem *p)
{
    for (uint32_t i = 0; i < p->n_rows; i++)
        p->scratch[i] = fabs(p->row[i].slack - p->least_delay[p->row[i].pair]);
    return quantile(p->scratch, p->n_rows, 0.5);
}

int problem_judge(struct problem *p)
{
    double *scratch = realloc(p->scratch, ((size_t)p->n_rows + 1) * sizeof *scratch);
    if (!scratch)
        return -1;
    p->scratch = scratch;
    for (uint32_t i = 0; i < p->b->n_pairs; i++)
        judge_pair(p, i);
    p->work += p->n_rows;
    return 0;
}
