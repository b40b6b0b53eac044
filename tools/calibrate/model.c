/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Computes overheads from distances between events.
 *
 * In a run of empty calls a distance is the cost of recording alone: O(ENTER) is the median of the distances from
 * the LEAVE before, O(LEAVE) of those from the ENTER before. What a measurement system does after it has taken an
 * event's time stamp counts for the next event, as in the filter overhead. Where the clock is too coarse for the
 * median, the mean of all distances but the interruptions is used: the length of the run divided by its number of
 * events, as in the paper.
 *
 * Distances of other kinds, and all distances of any other trace, contain the work of the call. The shortest ones
 * are a bound: a low percentile, of the region where that is least. A kind that is recorded after the work of a call
 * (MPI_RECV) counts at most as much as the similar kind before it (MPI_SEND). */
#include "calibrate.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum {
    FEW = 1000,        /* distances of a run */
    FEW_OTHERS = 100,  /* of a region's calls that are not empty */
    FINE = 10,         /* steps of the clock in a median that is good enough */
    LONG_ENOUGH = 100, /* steps of the clock in a run */
    MOST_NAMED = 100,
};

static void warn(struct model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct model *m, const char *format, ...)
{
    va_list arguments;
    if (m->n_warnings == sizeof m->warning / sizeof m->warning[0])
        return;
    va_start(arguments, format);
    vsnprintf(m->warning[m->n_warnings++], sizeof m->warning[0], format, arguments);
    va_end(arguments);
}

static struct cost *find_cost(struct model *m, const char *kind)
{
    for (uint32_t i = 0; i < m->n_costs; i++)
        if (strcmp(m->cost[i].kind, kind) == 0)
            return &m->cost[i];
    return NULL;
}

static struct cost *add_cost(struct model *m, const char *kind, double seconds, const struct row *row)
{
    struct cost *c = &m->cost[m->n_costs++];
    snprintf(c->kind, sizeof c->kind, "%s", kind);
    c->seconds = seconds;
    c->row = row;
    return c;
}

static bool is_enter(const struct row *r)
{
    return strcmp(r->kind, "ENTER") == 0 || strcmp(r->kind, "CALLING_CONTEXT_ENTER") == 0;
}

static bool is_leave(const struct row *r)
{
    return strcmp(r->kind, "LEAVE") == 0 || strcmp(r->kind, "CALLING_CONTEXT_LEAVE") == 0;
}

/* --------------------------------------------------------------------------------------------------- empty calls -- */

/* Chooses between median and mean of a row: they differ by the coarseness of the clock and by rare costs. */
static bool takes_median(const struct options *o, const struct row *r, double step)
{
    return o->estimate == MEDIAN || (o->estimate == BY_RESOLUTION && r->median >= FINE * step);
}

static double value_of(const struct options *o, const struct rows *rows, const struct row *r)
{
    return takes_median(o, r, rows->trace[r->source].step) ? r->median : r->typical;
}

/* The row of a region's runs with the most distances, among enters or leaves. */
static const struct row *of_run(const struct rows *rows, const struct row *like, bool (*is)(const struct row *))
{
    const struct row *best = NULL;
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct row *r = &rows->row[i];
        if (r->in_run && is(r) && r->source == like->source && strcmp(r->region, like->region) == 0 &&
            (!best || r->samples > best->samples))
            best = r;
    }
    return best;
}

static double cycle(const struct options *o, const struct rows *rows, const struct row *enter)
{
    const struct row *leave = of_run(rows, enter, is_leave);
    return leave ? value_of(o, rows, enter) + value_of(o, rows, leave) : INFINITY;
}

/* Can this row be the enter of the wanted empty calls? */
static bool is_candidate(const struct options *o, const struct rows *rows, const struct row *r)
{
    return r->in_run && is_enter(r) && !o->source[r->source].from &&
           !(o->region && strcmp(o->region, r->region) != 0) && r == of_run(rows, r, is_enter) &&
           of_run(rows, r, is_leave);
}

/* Returns the quickest of the frequent empty calls, or NULL where there are none. */
static const struct row *find_run(const struct options *o, const struct rows *rows)
{
    const struct row *best = NULL;
    uint64_t most = 0;
    for (uint32_t i = 0; i < rows->n; i++)
        if (is_candidate(o, rows, &rows->row[i]) && rows->row[i].samples > most)
            most = rows->row[i].samples;
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct row *r = &rows->row[i];
        if (is_candidate(o, rows, r) && r->samples >= most / 4 && (!best || cycle(o, rows, r) < cycle(o, rows, best)))
            best = r;
    }
    return best;
}

static _Noreturn void fail_without_run(const struct options *o, const struct trace *t)
{
    if (o->region)
        fail("there are no runs of empty calls of '%s' in the archive; 'tcflow -i %s -o pipeline.chain=distances' "
             "shows what there is",
             o->region, t->path);
    fail("'%s' has no run of empty calls, one after the other: does the measurement system see the functions of the "
         "loop? --from estimates overheads from any trace",
         t->path);
}

static void check_run(const struct rows *rows, const struct row *run)
{
    const struct trace *t = &rows->trace[run->source];
    if (run->samples < FEW)
        fail("'%s' has %" PRIu64 " empty calls of '%.*s' in a row only, at least %d are wanted: record more", t->path,
             run->samples, MOST_NAMED, run->region, FEW);
    const struct row *leave = of_run(rows, run, is_leave);
    double length = (run->typical + leave->typical) * (double)run->samples;
    if (length < LONG_ENOUGH * t->step)
        fail("'%s': the clock is too coarse: it advances in steps of %g s, and all %" PRIu64 " empty calls take %g s. "
             "Record more of them (--calls), at least %g s",
             t->path, t->step, run->samples, length, LONG_ENOUGH * t->step);
}

static void note_value(const struct options *o, const struct rows *rows, struct cost *c)
{
    const struct row *r = c->row;
    double step = rows->trace[r->source].step;
    if (takes_median(o, r, step))
        snprintf(c->how, sizeof c->how, "median of %" PRIu64 " distances", r->samples);
    else
        snprintf(c->how, sizeof c->how,
                 "mean of %" PRIu64 " distances without %" PRIu64 " interruptions%s, to +-%.2g ns", r->samples,
                 r->interruptions, o->estimate == MEAN ? "" : ", as the median is only a few steps of the clock",
                 1e9 * step / sqrt(6.0 * (double)r->samples));
}

/* METRIC events between the calls of a run cost what they do on average, in front of enters and leaves. */
static void add_metrics_of_run(struct model *m, const struct options *o, const struct rows *rows, uint32_t source)
{
    double sum = 0, n = 0;
    const struct row *most = NULL;
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct row *r = &rows->row[i];
        if (!r->in_run || r->source != source || strcmp(r->kind, "METRIC") != 0 || r->samples < FEW)
            continue;
        sum += value_of(o, rows, r) * (double)r->samples;
        n += (double)r->samples;
        most = !most || r->samples > most->samples ? r : most;
    }
    if (most)
        note_value(o, rows, add_cost(m, "METRIC", sum / n, most));
}

/* Computes the cost of an attribute: how much longer a cycle of empty calls with more attributes takes. */
static void compare_attributes(struct model *m, const struct options *o, const struct rows *rows, const struct row *run)
{
    const uint32_t base = run->attributes + of_run(rows, run, is_leave)->attributes;
    const struct row *best = NULL;
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct row *r = &rows->row[i];
        if (is_enter(r) && r->in_run && r->samples >= FEW && r->source == run->source &&
            r == of_run(rows, r, is_enter) && of_run(rows, r, is_leave) &&
            r->attributes + of_run(rows, r, is_leave)->attributes > base &&
            (!best || cycle(o, rows, r) < cycle(o, rows, best)))
            best = r;
    }
    if (best) {
        uint32_t more = best->attributes + of_run(rows, best, is_leave)->attributes - base;
        double difference = cycle(o, rows, best) - cycle(o, rows, run);
        m->attribute = difference > 0 ? difference / more : 0;
        snprintf(m->attribute_how, sizeof m->attribute_how, "%u more in calls of '%.*s', and what these do beside it",
                 more, MOST_NAMED, best->region);
    } else if (base > 0) {
        warn(m, "all empty calls have attributes: what they cost is in the overhead of ENTER and LEAVE");
    }
}

/* Recording takes about the same time each time; the work of a function often varies. */
static void warn_of_work(struct model *m, const struct row *r, double step)
{
    if (r->p75 - r->p5 > fmax(0.5 * r->p5, 4 * step))
        warn(m,
             "%s: distances vary, %g ns are percentile 5 and %g ns percentile 75: does the machine do something "
             "else, or are calls of '%.*s' not empty?",
             r->kind, 1e9 * r->p5, 1e9 * r->p75, MOST_NAMED, r->region);
}

/* Notes what the overhead leaves out: what is too rare for the median, or too long for the mean. */
static void warn_of_mean(struct model *m, const struct options *o, const struct rows *rows, const struct row *r)
{
    double value = value_of(o, rows, r);
    if (takes_median(o, r, rows->trace[r->source].step) && r->typical > 1.1 * r->median)
        warn(m,
             "%s: the mean without interruptions is %g ns, the median %g ns: what is paid now and then, such as "
             "new pages of a buffer, is in the former alone (--estimate mean)",
             r->kind, 1e9 * r->typical, 1e9 * r->median);
    else if (r->mean > 1.5 * value)
        warn(m,
             "%s: the mean of all distances, %g ns, is %.1f times what is taken: interruptions, flushes of buffers "
             "and the like are not part of it",
             r->kind, 1e9 * r->mean, r->mean / value);
}

static void make_of_run(struct model *m, const struct options *o, const struct rows *rows, const struct row *run)
{
    const struct row *leave = of_run(rows, run, is_leave);
    const struct trace *t = &rows->trace[run->source];
    note_value(o, rows, add_cost(m, run->kind, value_of(o, rows, run), run));
    note_value(o, rows, add_cost(m, leave->kind, value_of(o, rows, leave), leave));
    add_metrics_of_run(m, o, rows, run->source);
    compare_attributes(m, o, rows, run);
    if (m->attribute > 0) {
        m->cost[0].seconds = fmax(0, m->cost[0].seconds - m->attribute * run->attributes);
        m->cost[1].seconds = fmax(0, m->cost[1].seconds - m->attribute * leave->attributes);
    }
    snprintf(m->run, sizeof m->run, "run of %" PRIu64 " empty calls of '%.*s'", run->samples, MOST_NAMED, run->region);
    if (!takes_median(o, run, t->step) && o->estimate == BY_RESOLUTION)
        warn(m,
             "the clock advances in steps of %g ns, where ENTER follows LEAVE after %g ns: medians are too coarse, "
             "and the mean without interruptions is taken",
             1e9 * t->step, 1e9 * run->typical);
    warn_of_work(m, run, t->step);
    warn_of_work(m, leave, t->step);
    warn_of_mean(m, o, rows, run);
    warn_of_mean(m, o, rows, leave);
}

/* --------------------------------------------------------------------------------------------------- other calls -- */

/* Kinds whose distances are a bound, in the order of looking. */
static const struct known {
    const char *kind;
    const char *pure; /* behind this kind a distance is the cost of recording alone; NULL: there is no such kind */
    const char *like; /* costs at most as much as this kind, which is better known */
} known[] = {
    {"ENTER", NULL, NULL},
    {"LEAVE", NULL, NULL},
    {"CALLING_CONTEXT_ENTER", NULL, NULL},
    {"CALLING_CONTEXT_LEAVE", NULL, NULL},
    {"METRIC", NULL, NULL},
    {"PARAMETER_INT", "ENTER", NULL},
    {"PARAMETER_UNSIGNED_INT", "ENTER", NULL},
    {"PARAMETER_STRING", "ENTER", NULL},
    {"MPI_SEND", "ENTER", NULL},
    {"MPI_ISEND", "ENTER", NULL},
    {"MPI_COLLECTIVE_BEGIN", "ENTER", NULL},
    {"MPI_RECV", NULL, "MPI_SEND"},
    {"MPI_IRECV_REQUEST", NULL, "MPI_ISEND"},
    {"MPI_IRECV", "MPI_IRECV", "MPI_ISEND"},
    {"MPI_ISEND_COMPLETE", "MPI_ISEND_COMPLETE", "MPI_ISEND"},
    {"MPI_COLLECTIVE_END", NULL, "MPI_COLLECTIVE_BEGIN"},
    {"NON_BLOCKING_COLLECTIVE_REQUEST", NULL, "MPI_COLLECTIVE_BEGIN"},
    {"NON_BLOCKING_COLLECTIVE_COMPLETE", NULL, "MPI_COLLECTIVE_BEGIN"},
    {"IO_OPERATION_BEGIN", "ENTER", NULL},
    {"IO_OPERATION_COMPLETE", NULL, "IO_OPERATION_BEGIN"},
};

static double percentile_of(const struct options *o, const struct row *r)
{
    return o->percentile == 1 ? r->p1 : o->percentile == 5 ? r->p5 : r->p25;
}

/* A distance of 0 is meant only between a METRIC and its event, which may have one time stamp. */
static bool says_something(const struct row *r, double value)
{
    bool meant = r->max == 0 && (strcmp(r->kind, "METRIC") == 0 || strcmp(r->after, "METRIC") == 0);
    return r->samples >= FEW_OTHERS && (value > 0 || meant);
}

/* In a recording made for the purpose the median says more than the shortest distances. */
static bool is_pure(const struct options *o, const struct known *k, const struct row *r)
{
    return k->pure && strcmp(k->pure, r->after) == 0 && !o->source[r->source].from;
}

/* Takes the lowest percentile of all groups of a kind. Groups whose distances are all 0 count only where there are
 * no others. */
static void add_bound(struct model *m, const struct options *o, const struct rows *rows, const struct known *k)
{
    const struct row *best = NULL;
    double least = INFINITY;
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct row *r = &rows->row[i];
        double value = is_pure(o, k, r) ? value_of(o, rows, r) : percentile_of(o, r);
        if (strcmp(r->kind, k->kind) != 0 || !says_something(r, value))
            continue;
        if (!best || (best->max == 0 && r->max > 0) || (value < least && (r->max > 0 || best->max == 0))) {
            best = r;
            least = value;
        }
    }
    if (!best)
        return;
    const struct cost *like = k->like ? find_cost(m, k->like) : NULL;
    bool pure = is_pure(o, k, best), less = like && like->seconds < least && !pure;
    struct cost *c = add_cost(m, k->kind, less ? like->seconds : least, best);
    if (less)
        snprintf(c->how, sizeof c->how, "as %s: after %s it takes %.4g ns, with the work of the call", k->like,
                 best->after, 1e9 * least);
    else if (pure)
        note_value(o, rows, c);
    else
        snprintf(c->how, sizeof c->how, "bound: percentile %d of %" PRIu64 " distances after %s in '%.*s'%s",
                 o->percentile, best->samples, best->after, MOST_NAMED, best->region,
                 least < FINE * rows->trace[best->source].step ? ", a few steps of the clock" : "");
}

/* ------------------------------------------------------------------------------------------------------- metrics -- */

/* Computes the cost of a value of a METRIC, where some METRICs have few values and some many. */
static void compare_metrics(struct model *m, const struct options *o, const struct rows *rows)
{
    const struct row *few = NULL, *many = NULL;
    struct cost *metric = find_cost(m, "METRIC");
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct row *r = &rows->row[i];
        if (!metric || strcmp(r->kind, "METRIC") != 0 || r->samples < FEW_OTHERS || r->values == 255 ||
            r->source != metric->row->source || r->in_run != metric->row->in_run)
            continue;
        few = !few || r->values < few->values ? r : few;
        many = !many || r->values > many->values ? r : many;
    }
    if (!few || few->values == many->values) {
        if (few)
            snprintf(m->metric_how, sizeof m->metric_how,
                     "all METRIC events have %u values: they are in the overhead of METRIC", few->values);
        return;
    }
    double low = few->in_run ? value_of(o, rows, few) : percentile_of(o, few);
    double high = many->in_run ? value_of(o, rows, many) : percentile_of(o, many);
    m->metric_value = high > low ? (high - low) / (many->values - few->values) : 0;
    metric->seconds = fmax(0, low - m->metric_value * few->values);
    snprintf(m->metric_how, sizeof m->metric_how, "between METRIC events of %u and of %u values", few->values,
             many->values);
}

/* Kinds that are not listed get the mean of enters and leaves, or where these are bounds the least bound of all. */
static void make_default(struct model *m, bool run)
{
    double sum = 0, least = INFINITY;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_costs; i++) {
        const struct cost *c = &m->cost[i];
        least = c->seconds > 0 ? fmin(least, c->seconds) : least;
        if (run && (strstr(c->kind, "ENTER") || strstr(c->kind, "LEAVE"))) {
            sum += c->seconds;
            n++;
        }
    }
    m->event = n > 0 ? sum / n : isfinite(least) ? least : m->n_costs > 0 ? 0 : -1;
    for (uint32_t i = 0; !run && i < m->n_costs; i++)
        if (m->cost[i].seconds > 5 * m->event)
            warn(m,
                 "%s: %g ns is %.0f times the least overhead found, so it has work in it: what is to be removed is "
                 "less for certain",
                 m->cost[i].kind, 1e9 * m->cost[i].seconds, m->cost[i].seconds / m->event);
}

void model_make(struct model *m, const struct rows *rows, const struct options *o)
{
    bool wants_run = false;
    m->event = m->attribute = m->metric_value = -1;
    for (uint32_t i = 0; i < o->n_sources; i++) {
        const struct trace *t = &rows->trace[i];
        wants_run |= !o->source[i].from;
        if (t->left_out > 0)
            warn(m, "'%s': %" PRIu64 " distances are left out, there are too many different ones", t->path,
                 t->left_out);
    }
    const struct row *run = wants_run ? find_run(o, rows) : NULL;
    if (wants_run) {
        if (!run)
            fail_without_run(o, &rows->trace[0]);
        check_run(rows, run);
        make_of_run(m, o, rows, run);
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!find_cost(m, known[i].kind))
            add_bound(m, o, rows, &known[i]);
    if (o->n_sources > 0 && m->n_costs == 0)
        fail("'%s' tells no overhead: no kind of event has %d distances or more that the clock, which advances in "
             "steps of %g s, can tell from 0",
             rows->trace[0].path, FEW_OTHERS, rows->trace[0].step);
    compare_metrics(m, o, rows);
    make_default(m, wants_run);
}
