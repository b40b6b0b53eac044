/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle metrics`: what counters were and how they grew (D24 of oracle.h). All samples of a series are listed; each
 * number is then computed from the list. */
#include "oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sample: value and what it adds. */
struct sample {
    uint64_t time, value, adds;
    char *path, *adds_in; /* frames that are open at it, and at the sample where the amount counts */
    uint64_t adds_at;
};

struct series {
    const struct o_trace *trace;
    const struct o_metric_member *member; /* NULL: undefined */
    uint64_t location, metric;
    uint64_t type;
    struct o_list samples;
};

/* What is printed of several series together. */
struct sum {
    uint64_t location, member, type, n, min, max, adds, bin;
    double total;
    const char *path;
};

/* ---- numbers ---- */

static double real(uint64_t type, uint64_t value)
{
    double d;
    memcpy(&d, &value, sizeof d);
    return type == OTF2_TYPE_DOUBLE ? d : type == OTF2_TYPE_UINT64 ? (double)value : (double)(int64_t)value;
}

static uint64_t bits(double d)
{
    uint64_t value;
    memcpy(&value, &d, sizeof value);
    return value;
}

static bool less(uint64_t type, uint64_t a, uint64_t b)
{
    return type == OTF2_TYPE_DOUBLE   ? real(type, a) < real(type, b)
           : type == OTF2_TYPE_UINT64 ? a < b
                                      : (int64_t)a < (int64_t)b;
}

static uint64_t plus(uint64_t type, uint64_t a, uint64_t b)
{
    return type == OTF2_TYPE_DOUBLE ? bits(real(type, a) + real(type, b)) : a + b;
}

static uint64_t minus(uint64_t type, uint64_t a, uint64_t b)
{
    return type == OTF2_TYPE_DOUBLE ? bits(real(type, a) - real(type, b)) : a - b;
}

static double factor(const struct o_metric_member *member)
{
    return member ? pow(member->base == OTF2_BASE_BINARY ? 2 : 10, (double)member->exponent) : 1;
}

static void print_exact(uint64_t type, uint64_t value, bool has_sign)
{
    if (type == OTF2_TYPE_DOUBLE)
        printf(",%.17g", real(type, value));
    else if (type == OTF2_TYPE_UINT64 && !has_sign)
        printf(",%" PRIu64, value);
    else
        printf(",%" PRId64, (int64_t)value);
}

/* ---- series ---- */

const struct o_metric_member *o_metric_member_of(const struct o_trace *trace, uint64_t metric, size_t k)
{
    const struct o_metric *m = o_find(&trace->metrics, sizeof *m, metric);
    if (m && m->instance)
        m = o_find(&trace->metrics, sizeof *m, m->class);
    return m && !m->instance && k < m->n ? o_find(&trace->metric_members, sizeof(struct o_metric_member), m->member[k])
                                         : NULL;
}

static char *join(const struct o_trace *trace, const struct o_list *open)
{
    const uint64_t *region = open->item;
    char buffer[32], *path = o_alloc(1, 1);
    for (size_t i = 0; i < open->n; i++) {
        const char *name = o_region_name(trace, region[i], buffer);
        size_t size = strlen(path) + strlen(name) + 2;
        char *longer = o_alloc(size, 1);
        snprintf(longer, size, "%s%s%s", path, i ? "/" : "", name);
        free(path);
        path = longer;
    }
    return path;
}

static void step(const struct o_trace *trace, const struct o_event *event, struct o_list *open)
{
    uint64_t region, *r = open->item;
    if (!o_region_of(trace, event, &region))
        return;
    if (event->kind == O_ENTER || event->kind == O_CALLING_CONTEXT_ENTER) {
        *(uint64_t *)o_push(open, sizeof region) = region;
        return;
    }
    for (size_t n = open->n; n-- > 0;)
        if (r[n] == region) {
            open->n = n;
            return;
        }
}

static bool takes(uint64_t type, uint64_t first, uint64_t value)
{
    return type == first && (type == OTF2_TYPE_DOUBLE ? isfinite(real(type, value)) != 0
                                                      : type == OTF2_TYPE_UINT64 || type == OTF2_TYPE_INT64);
}

static void add_up(struct series *s)
{
    struct sample *x = s->samples.item;
    size_t n = s->samples.n;
    unsigned mode = s->member ? s->member->mode : OTF2_METRIC_ACCUMULATED_START;
    bool last =
        mode == OTF2_METRIC_ACCUMULATED_LAST || mode == OTF2_METRIC_RELATIVE_POINT || mode == OTF2_METRIC_RELATIVE_LAST;
    bool next = mode == OTF2_METRIC_ACCUMULATED_NEXT || mode == OTF2_METRIC_RELATIVE_NEXT;
    for (size_t i = 0; i < n; i++) {
        size_t at = next && i + 1 < n ? i + 1 : i;
        x[i].adds = last || next ? x[i].value : i > 0 ? minus(s->type, x[i].value, x[i - 1].value) : 0;
        x[i].adds_in = x[at].path;
        x[i].adds_at = x[at].time;
    }
}

/* The series of values k of a metric. */
static void collect(struct series *s, size_t l, uint64_t metric, size_t k)
{
    const struct o_location *location = &s->trace->location[l];
    struct o_list open = {0};
    bool any = false;
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        step(s->trace, event, &open);
        if (event->kind != O_METRIC || event->field[0] != metric || k >= event->n_values)
            continue;
        const uint64_t *value = &location->extra[event->extra + 2 * k];
        if (!any)
            s->type = value[0];
        any = true;
        if (!takes(value[0], s->type, value[1]))
            continue;
        struct sample *x = o_push(&s->samples, sizeof *x);
        *x = (struct sample){.time = o_time(s->trace, l, e), .value = value[1], .path = join(s->trace, &open)};
    }
    add_up(s);
    free(open.item);
}

static void find_series(const struct o_trace *trace, size_t l, struct o_list *all)
{
    const struct o_location *location = &trace->location[l];
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        const struct series *known = all->item;
        bool is_known = event->kind != O_METRIC;
        for (size_t i = 0; i < all->n && !is_known; i++)
            is_known = known[i].location == location->def.id && known[i].metric == event->field[0];
        for (size_t k = 0; !is_known && k < event->n_values; k++) {
            struct series s = {.trace = trace,
                               .member = o_metric_member_of(trace, event->field[0], k),
                               .location = location->def.id,
                               .metric = event->field[0]};
            collect(&s, l, event->field[0], k);
            *(struct series *)o_push(all, sizeof s) = s;
        }
    }
}

/* ---- what is printed ---- */

static uint64_t member_id(const struct series *s)
{
    return s->member ? s->member->def.id : UINT32_MAX;
}

static void print_series(const struct series *s)
{
    const struct sample *x = s->samples.item;
    size_t n = s->samples.n, falls = 0;
    unsigned mode = s->member ? s->member->mode : OTF2_METRIC_ACCUMULATED_START;
    bool before = (mode & OTF2_METRIC_TIMING_MASK) == OTF2_METRIC_TIMING_LAST;
    unsigned kind = mode & OTF2_METRIC_VALUE_MASK;
    bool amounts = mode != OTF2_METRIC_ACCUMULATED_START && mode != OTF2_METRIC_ACCUMULATED_POINT &&
                   kind != OTF2_METRIC_VALUE_ABSOLUTE;
    uint64_t min = x[0].value, max = x[0].value, adds = x[0].adds;
    long double sum = 0, weighted = 0;
    for (size_t i = 0; i < n; i++) {
        min = less(s->type, x[i].value, min) ? x[i].value : min;
        max = less(s->type, max, x[i].value) ? x[i].value : max;
        adds = i > 0 ? plus(s->type, adds, x[i].adds) : adds;
        sum += real(s->type, x[i].value);
        falls += i > 0 && !amounts && less(s->type, x[i].value, x[i - 1].value);
        if (i > 0)
            weighted += (long double)real(s->type, x[before ? i : i - 1].value) * (x[i].time - x[i - 1].time);
    }
    if (!amounts && s->type != OTF2_TYPE_DOUBLE)
        adds = x[n - 1].value - x[0].value;
    uint64_t ticks = x[n - 1].time - x[0].time;
    long double mean = sum / n;
    printf("series %" PRIu64 " %" PRIu64 " %" PRIu64 ",%zu,%zu", s->location, s->metric, member_id(s), n, falls);
    print_exact(s->type, min, false);
    print_exact(s->type, max, false);
    print_exact(s->type, x[0].value, false);
    print_exact(s->type, x[n - 1].value, false);
    print_exact(s->type, adds, true);
    printf(",%" PRIu64 ",%.17Lg,%.17Lg\n", ticks, mean * factor(s->member),
           (ticks ? weighted / ticks : mean) * factor(s->member));
}

static struct sum *sum_of(struct o_list *sums, const struct series *s, uint64_t location, const char *path,
                          uint64_t bin)
{
    struct sum *sum = sums->item;
    for (size_t i = 0; i < sums->n; i++)
        if (sum[i].location == location && sum[i].member == member_id(s) && sum[i].type == s->type &&
            sum[i].bin == bin && (!path || !strcmp(sum[i].path, path)))
            return &sum[i];
    sum = o_push(sums, sizeof *sum);
    *sum = (struct sum){.location = location, .member = member_id(s), .type = s->type, .bin = bin, .path = path};
    return sum;
}

static void count(struct sum *sum, uint64_t value)
{
    sum->min = sum->n == 0 || less(sum->type, value, sum->min) ? value : sum->min;
    sum->max = sum->n == 0 || less(sum->type, sum->max, value) ? value : sum->max;
    sum->total += real(sum->type, value);
    sum->n++;
}

static void print_paths(const struct o_list *all, bool by_location)
{
    const struct series *s = all->item;
    struct o_list sums = {0};
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < s[i].samples.n; k++) {
            const struct sample *x = (const struct sample *)s[i].samples.item + k;
            uint64_t location = by_location ? s[i].location : UINT64_MAX;
            count(sum_of(&sums, &s[i], location, x->path, 0), x->value);
            struct sum *to = sum_of(&sums, &s[i], location, x->adds_in, 0);
            to->adds = plus(s[i].type, to->adds, x->adds);
        }
    const struct sum *sum = sums.item;
    for (size_t i = 0; i < sums.n; i++) {
        printf("path %" PRIu64 " %" PRIu64 " %s,%" PRIu64, sum[i].location, sum[i].member, sum[i].path, sum[i].n);
        print_exact(sum[i].type, sum[i].adds, true);
        putchar('\n');
    }
    free(sums.item);
}

static __int128 bin_of(const struct o_trace *trace, const struct o_time_bins *bins, uint64_t time)
{
    __int128 t = (__int128)time - trace->origin;
    return t >= 0 ? t / bins->width : -((-t + bins->width - 1) / bins->width);
}

static void print_bins(const struct o_trace *trace, const struct o_list *all, uint64_t time_bins, bool by_location)
{
    const struct series *s = all->item;
    struct o_list sums = {0};
    struct o_time_bins bins;
    if (!o_find_time_bins(trace, time_bins, &bins))
        return;
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < s[i].samples.n; k++) {
            const struct sample *x = (const struct sample *)s[i].samples.item + k;
            uint64_t location = by_location ? s[i].location : UINT64_MAX;
            count(sum_of(&sums, &s[i], location, NULL, (uint64_t)bin_of(trace, &bins, x->time)), x->value);
            struct sum *to = sum_of(&sums, &s[i], location, NULL, (uint64_t)bin_of(trace, &bins, x->adds_at));
            to->adds = plus(s[i].type, to->adds, x->adds);
        }
    const struct sum *sum = sums.item;
    for (size_t i = 0; i < sums.n; i++) {
        const struct o_metric_member *member = o_find(&trace->metric_members, sizeof *member, sum[i].member);
        printf("time %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 ",%" PRIu64, sum[i].location, sum[i].member,
               (uint64_t)bins.width, trace->origin + sum[i].bin * (uint64_t)bins.width, sum[i].n);
        print_exact(sum[i].type, sum[i].min, false);
        print_exact(sum[i].type, sum[i].max, false);
        print_exact(sum[i].type, sum[i].adds, true);
        printf(",%.17g\n", sum[i].total / (double)sum[i].n * factor(member));
    }
    free(sums.item);
}

static void print_totals(const struct o_list *all)
{
    const struct series *s = all->item;
    struct o_list sums = {0};
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < s[i].samples.n; k++) {
            const struct sample *x = (const struct sample *)s[i].samples.item + k;
            struct sum *sum = sum_of(&sums, &s[i], 0, NULL, 0);
            count(sum, x->value);
            sum->adds = plus(s[i].type, sum->adds, x->adds);
        }
    const struct sum *sum = sums.item;
    for (size_t i = 0; i < sums.n; i++) {
        printf("total %" PRIu64 ",%" PRIu64, sum[i].member, sum[i].n);
        print_exact(sum[i].type, sum[i].min, false);
        print_exact(sum[i].type, sum[i].max, false);
        print_exact(sum[i].type, sum[i].adds, true);
        putchar('\n');
    }
    free(sums.item);
}

static void free_series(struct o_list *all)
{
    const struct series *s = all->item;
    for (size_t i = 0; i < all->n; i++) {
        struct sample *x = s[i].samples.item;
        for (size_t k = 0; k < s[i].samples.n; k++)
            free(x[k].path);
        free(x);
    }
    free(all->item);
}

void o_print_metrics(const struct o_trace *trace, uint64_t time_bins, bool by_location)
{
    struct o_list all = {0};
    for (size_t l = 0; l < trace->n_locations; l++)
        find_series(trace, l, &all);
    puts("#series LOCATION METRIC MEMBER,samples,decreases,min,max,first,last,increase,ticks,mean,time_mean");
    puts("#total MEMBER,samples,min,max,increase");
    puts("#path LOCATION MEMBER PATH,samples,increase");
    puts("#time LOCATION MEMBER WIDTH FROM,samples,min,max,increase,mean");
    for (size_t i = 0; i < all.n; i++)
        if (((const struct series *)all.item)[i].samples.n)
            print_series((const struct series *)all.item + i);
    print_totals(&all);
    print_paths(&all, by_location);
    print_bins(trace, &all, time_bins, by_location);
    free_series(&all);
}
