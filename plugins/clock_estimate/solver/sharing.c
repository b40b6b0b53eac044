/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Finds units of one machine that share a clock.
 *
 * If two units share a clock, no message between them is reversed, all through the run. If they don't, their clocks
 * differ by an offset which hardly ever lies between those messages, and by a rate which doesn't stay there. Where two
 * units have no messages of both directions with each other, those with a third unit show the same. Machines are
 * candidates only: messages decide, and one reversed message refutes a whole machine. Few machines that look right
 * among many refuted ones are chance. */
#include "sharing.h"

#include <tcflow/order.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 4, HALF = PARTS / 2, SAMPLES = 32 * PARTS };
/* Pairs that look as if they shared a clock may be chance, up to this part of the refuted ones. */
static const double by_chance = 0.2;
/* A link may be chance if more than this part of the pairs that look right would be different clocks. */
static const double unlikely = 0.05;
/* The standard deviation of a measurement that shows clocks to be one, as a part of the widest messages that do. */
static const double good_measurement = 0.1;
/* Messages of one direction show a clock to be one if they take this part of the widest ones that do both ways. */
static const double next_to_nothing = 0.1;
/* By way of a third clock, only what no rate of that clock explains refutes: so many times the usual largest one. */
static const double any_rate = 10;

/* --------------------------------------------------------------------------------------------- tightest messages -- */

/* The least difference of two clocks in each stretch of the run; INFINITY: no message. */
struct track {
    double time[SAMPLES], value[SAMPLES];
};

/* The common time of the run on the clock of a unit. */
struct span {
    int64_t start;
    double length;
};

static double since(int64_t time, int64_t start)
{
    return (double)(int64_t)((uint64_t)time - (uint64_t)start);
}

static void clear(struct track *t)
{
    for (uint32_t i = 0; i < SAMPLES; i++) {
        t->time[i] = 0;
        t->value[i] = INFINITY;
    }
}

/* The tightest messages of a direction, of all kinds, less `zero`; on the sender's clock, or the receiver's. Returns
 * how many messages there are. */
static uint64_t track_of(struct track *t, const struct bounds *b, uint32_t from, uint32_t to, int on_receiver,
                         const struct span *span, int64_t zero)
{
    uint64_t messages = 0;
    clear(t);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        uint32_t found = bounds_find(b, from, to, (enum kind)kind);
        const struct pair *p = found == NO_PAIR ? NULL : &b->pair[found];
        for (uint32_t k = 0; p && k < p->n; k++) {
            double time = since(on_receiver ? p->point[k].received : p->point[k].sent, span->start);
            double value = since(bounds_delay(&p->point[k]), zero), x = time / span->length * SAMPLES;
            uint32_t at = !(x > 0) ? 0 : x >= SAMPLES ? SAMPLES - 1 : (uint32_t)x;
            if (value < t->value[at]) {
                t->value[at] = value;
                t->time[at] = time;
            }
        }
        messages += p ? p->messages : 0;
    }
    return messages;
}

/* The smallest received - sent of a direction. 0: there are no messages. */
static int least_of(const struct bounds *b, uint32_t from, uint32_t to, int64_t *least)
{
    int any = 0;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        uint32_t found = bounds_find(b, from, to, (enum kind)kind);
        if (found == NO_PAIR || b->pair[found].n == 0)
            continue;
        *least = any && *least < b->pair[found].least ? *least : b->pair[found].least;
        any = 1;
    }
    return any;
}

/* Adds to each sample of `to` the tightest one of `with`; those that are not of the same time are loosened by what
 * clocks drift meanwhile. */
static void add_nearest(struct track *to, const struct track *with, double rate)
{
    double nearest[SAMPLES];
    for (int back = 0; back < 2; back++) {
        double value = INFINITY, time = 0;
        for (uint32_t k = 0; k < SAMPLES; k++) {
            uint32_t i = back ? SAMPLES - 1 - k : k;
            if (with->value[i] < value + rate * fabs(with->time[i] - time)) {
                value = with->value[i];
                time = with->time[i];
            }
            double here = value + rate * fabs(to->time[i] - time);
            nearest[i] = back ? fmin(nearest[i], here) : here;
        }
    }
    for (uint32_t i = 0; i < SAMPLES; i++)
        to->value[i] += isfinite(to->value[i]) ? nearest[i] : 0;
}

static double least_in(const struct track *t, uint32_t first, uint32_t end)
{
    double least = INFINITY;
    for (uint32_t i = first * (SAMPLES / PARTS); i < end * (SAMPLES / PARTS); i++)
        least = fmin(least, t->value[i]);
    return least;
}

/* What the tightest messages of both directions leave between two clocks that are compared as they are; INFINITY: too
 * much, or too few messages in a half of the run. */
static double width_of(const struct track *there, const struct track *back, const struct settings *settings)
{
    struct track both = *there;
    double width[2] = {INFINITY, INFINITY}; /* of the halves */
    add_nearest(&both, back, settings->most_rate);
    for (uint32_t part = 0; part < PARTS; part++) {
        double here = least_in(&both, part, part + 1), *half = &width[part / HALF];
        if (here <= settings->widest)
            *half = isfinite(*half) ? fmax(*half, here) : here;
    }
    return fmax(width[0], width[1]);
}

/* -------------------------------------------------------------------------------------------------- measurements -- */

/* The offset of a unit, as measured, less `zero`, at a time. */
static double offset_at(const struct unit *u, uint64_t time, int64_t zero)
{
    uint32_t i = 0, end = u->n_measured > 1 ? u->n_measured - 2 : 0;
    while (i < end) {
        const uint32_t middle = i + (end - i) / 2;
        if (u->measured[middle + 1].time < time)
            i = middle + 1;
        else
            end = middle;
    }
    const struct measured *a = &u->measured[i], *c = &u->measured[i + (u->n_measured > 1)];
    double at = since(a->raw, zero), span = (double)(c->time - a->time);
    return span > 0 ? at + since(c->raw, a->raw) / span * (double)tcf_time_distance(a->time, time) : at;
}

/* How far the measured offsets of two units are apart, beyond the error of both; 0: they agree; -1: they lack. */
static double measured_apart(const struct unit *a, const struct unit *c, const struct settings *settings)
{
    double apart = a->n_measured > 0 && c->n_measured > 0 ? 0 : -1;
    for (uint32_t k = 0; k < a->n_measured && apart >= 0; k++) {
        double error = hypot(fmax(a->measured[k].error, settings->measured_error),
                             fmax(c->measured[0].error, settings->measured_error));
        double difference = fabs(offset_at(c, a->measured[k].time, a->measured[k].raw));
        apart = fmax(apart, difference > SIGMAS * error ? difference : 0);
    }
    return apart;
}

/* Do good measurements of a unit stand at both ends of the run? */
static int is_measured_well(const struct unit *u, const struct settings *settings)
{
    for (uint32_t k = 0; k < u->n_measured; k++)
        if (u->measured[k].error > good_measurement * settings->widest)
            return 0;
    return u->n_measured > 1 && u->measured[u->n_measured - 1].time - u->measured[0].time >= (u->end - u->base) / 2;
}

/* --------------------------------------------------------------------------------------------------------- links -- */

enum verdict { UNDECIDED, SHARED, REFUTED };

struct link {
    uint32_t a, b;
    enum proof proof;
    double width; /* what messages leave between the two clocks; of refuted ones, by how much they differ at least */
    uint64_t messages;
};

struct search {
    struct bounds *b;
    const struct settings *settings;
    uint32_t *order;    /* units by machine */
    uint8_t *different; /* by unit: messages show different clocks on its machine */
    struct link *link;
    uint32_t n_links;
    uint32_t passed, refuted;
    double differ;        /* sum: by how much refuted ones do */
    uint32_t *set;        /* trees of linked units */
    uint32_t *first_pair; /* by unit, n_units + 1 */
};

static void add_link(struct search *s, const struct link *l)
{
    s->link[s->n_links++] = *l;
    s->set[set_of(s->set, l->a)] = set_of(s->set, l->b);
}

/* Nothing links the two yet, and nothing shows that they are different. */
static int is_open(const struct search *s, const struct link *l)
{
    return set_of(s->set, l->a) != set_of(s->set, l->b) && !s->different[l->a] && !s->different[l->b];
}

/* Messages show that the two directions fit; measurements that lie between them, but not at 0, show a small
 * difference. */
static enum verdict judge(const struct search *s, struct link *l, const struct track *there, const struct track *back)
{
    l->width = width_of(there, back, s->settings);
    double apart = measured_apart(&s->b->unit[l->a], &s->b->unit[l->b], s->settings);
    return l->width <= s->settings->widest && !(apart > 0 && apart <= l->width) ? SHARED : UNDECIDED;
}

/* How long the tightest messages of a direction take at most, all through the run; INFINITY: more than `widest`, or
 * there are none. */
static double one_way_width(const struct track *t, double widest)
{
    double width[2] = {INFINITY, INFINITY}; /* of the halves */
    for (uint32_t part = 0; part < PARTS; part++) {
        double here = least_in(t, part, part + 1), *half = &width[part / HALF];
        if (isfinite(here))
            *half = isfinite(*half) ? fmax(*half, here) : here;
    }
    double both = fmax(width[0], width[1]);
    return both <= widest ? both : INFINITY;
}

/* Messages of one direction that take next to no time all through the run: different clocks are hardly ever so near,
 * and don't stay so. */
static enum verdict judge_one_way(const struct search *s, struct link *l)
{
    const struct unit *a = &s->b->unit[l->a], *c = &s->b->unit[l->b];
    uint64_t start = a->base > c->base ? a->base : c->base, end = a->end < c->end ? a->end : c->end;
    struct span span = {bounds_time(start), (double)(end - start)};
    struct track track;
    l->proof = BY_ONE_WAY;
    if (end <= start || !is_open(s, l) || measured_apart(a, c, s->settings) > 0)
        return UNDECIDED;
    l->width = INFINITY;
    for (uint32_t way = 0; way < 2; way++) {
        uint64_t n = track_of(&track, s->b, way ? l->b : l->a, way ? l->a : l->b, 0, &span, 0);
        double width = one_way_width(&track, next_to_nothing * s->settings->widest);
        l->messages = width < l->width ? n : l->messages;
        l->width = fmin(l->width, width);
    }
    return isfinite(l->width) ? SHARED : UNDECIDED;
}

/* From the messages of two units with each other. What is linked already may still be refuted. */
static enum verdict judge_pair(const struct search *s, struct link *l)
{
    const struct unit *a = &s->b->unit[l->a], *c = &s->b->unit[l->b];
    struct track there, back;
    int64_t least_there = 0, least_back = 0;
    int ways = least_of(s->b, l->a, l->b, &least_there) + least_of(s->b, l->b, l->a, &least_back);
    if (least_there < 0 || least_back < 0) {
        l->width = -(double)(least_there < least_back ? least_there : least_back);
        return REFUTED;
    }
    uint64_t start = a->base > c->base ? a->base : c->base, end = a->end < c->end ? a->end : c->end;
    if (ways < 2 || end <= start || set_of(s->set, l->a) == set_of(s->set, l->b))
        return UNDECIDED;
    struct span span = {bounds_time(start), (double)(end - start)};
    l->messages = track_of(&there, s->b, l->a, l->b, 0, &span, 0) + track_of(&back, s->b, l->b, l->a, 0, &span, 0);
    return judge(s, l, &there, &back);
}

/* A message from `from` to `third` and one from there to `to` are one from `from` to `to`, by way of the third clock,
 * whose rate is off by `rate` at most. */
static uint64_t track_by(struct track *t, const struct search *s, const uint32_t way[3], const struct span *span,
                         int64_t zero, double rate)
{
    struct track second;
    uint64_t messages = track_of(t, s->b, way[0], way[1], 1, span, zero);
    messages += track_of(&second, s->b, way[1], way[2], 0, span, (int64_t)(0 - (uint64_t)zero));
    add_nearest(t, &second, rate);
    return messages;
}

/* The third unit with the most messages both ways with both; NO_UNIT: there is none. */
static uint32_t best_third(const struct search *s, uint32_t a, uint32_t c)
{
    const struct bounds *b = s->b;
    uint64_t most = 0;
    uint32_t best = NO_UNIT;
    for (uint32_t i = s->first_pair[a]; i < s->first_pair[a + 1]; i++) {
        uint32_t third = b->pair[i].to;
        if (third == c || (i > s->first_pair[a] && b->pair[i - 1].to == third))
            continue;
        uint64_t way[4] = {0};
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            const uint32_t ends[4][2] = {{a, third}, {third, a}, {c, third}, {third, c}};
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t found = bounds_find(b, ends[k][0], ends[k][1], (enum kind)kind);
                way[k] += found == NO_PAIR ? 0 : b->pair[found].messages;
            }
        }
        uint64_t least = way[0];
        for (uint32_t k = 1; k < 4; k++)
            least = way[k] < least ? way[k] : least;
        best = least > most ? third : best;
        most = least > most ? least : most;
    }
    return best;
}

static enum verdict judge_by_third(const struct search *s, struct link *l)
{
    uint32_t third = best_third(s, l->a, l->b);
    int64_t zero = 0;
    if (third == NO_UNIT || !least_of(s->b, l->a, third, &zero))
        return UNDECIDED;
    const struct unit *u = &s->b->unit[third];
    struct span span = {bounds_time(u->base), (double)(u->end - u->base)};
    const uint32_t ways[2][3] = {{l->a, third, l->b}, {l->b, third, l->a}};
    struct track track[2];
    l->proof = BY_THIRD;
    for (uint32_t k = 0; k < 2; k++) {
        track_by(&track[k], s, ways[k], &span, zero, any_rate * s->settings->most_rate);
        if ((l->width = -least_in(&track[k], 0, PARTS)) > 0)
            return REFUTED;
        l->messages += track_by(&track[k], s, ways[k], &span, zero, s->settings->most_rate);
    }
    return judge(s, l, &track[0], &track[1]);
}

static enum verdict judge_by_measured(const struct search *s, struct link *l)
{
    const struct unit *a = &s->b->unit[l->a], *c = &s->b->unit[l->b];
    double apart = measured_apart(a, c, s->settings);
    l->proof = BY_MEASURED;
    if ((l->width = apart) > s->settings->widest)
        return REFUTED;
    return apart == 0 && is_measured_well(a, s->settings) && is_measured_well(c, s->settings) ? SHARED : UNDECIDED;
}

/* ---------------------------------------------------------------------------------------------------- the search -- */

static int same_machine(const struct bounds *b, uint32_t a, uint32_t c)
{
    return b->unit[a].node == b->unit[c].node && b->unit[a].seen && b->unit[c].seen;
}

static void note(struct search *s, const struct link *l, enum verdict verdict)
{
    if (verdict == SHARED) {
        s->passed++;
        add_link(s, l);
    } else if (verdict == REFUTED) {
        if (!s->different[l->a] || !s->different[l->b]) {
            s->refuted++;
            s->differ += l->width;
        }
        s->different[l->a] = s->different[l->b] = 1;
    }
}

/* Is pair i the first one between its two units? */
static int is_first(const struct bounds *b, uint32_t i)
{
    const struct pair *p = &b->pair[i];
    if (i > 0 && p[-1].from == p->from && p[-1].to == p->to)
        return 0;
    for (uint32_t kind = 0; kind < KINDS && p->from > p->to; kind++)
        if (bounds_find(b, p->to, p->from, (enum kind)kind) != NO_PAIR)
            return 0;
    return 1;
}

static void judge_pairs(struct search *s, enum verdict (*judge_them)(const struct search *, struct link *))
{
    for (uint32_t i = 0; i < s->b->n_pairs; i++) {
        const struct pair *p = &s->b->pair[i];
        struct link l = {.a = p->from, .b = p->to, .proof = BY_MESSAGES};
        if (same_machine(s->b, l.a, l.b) && is_first(s->b, i))
            note(s, &l, judge_them(s, &l));
    }
}

/* Neighbours in the order of the machine's units that nothing links yet. */
static void judge_neighbours(struct search *s, enum verdict (*judge_them)(const struct search *, struct link *))
{
    for (uint32_t k = 1; k < s->b->n_units; k++) {
        struct link l = {.a = s->order[k - 1], .b = s->order[k]};
        if (same_machine(s->b, l.a, l.b) && is_open(s, &l))
            note(s, &l, judge_them(s, &l));
    }
}

/* The evidence of other machines holds where nothing contradicts it. */
static enum verdict judge_by_others(const struct search *s, struct link *l)
{
    int contradicts =
        s->refuted > 0 || s->passed == 0 || measured_apart(&s->b->unit[l->a], &s->b->unit[l->b], s->settings) > 0;
    l->proof = BY_OTHER_ONES;
    return contradicts ? UNDECIDED : SHARED;
}

/* Different clocks look right if their difference happens to lie between the messages both ways. Refuted clocks show
 * how often: differences as large as theirs, evenly spread, lie in a range of this width four times as rarely as the
 * width is smaller than their mean. */
static int may_be_chance(const struct search *s, const struct link *l)
{
    double expected = s->refuted > 0 ? s->refuted * l->width / (4 * s->differ / s->refuted) : 0;
    return s->passed < by_chance * s->refuted || expected > unlikely * s->passed;
}

/* A machine with different clocks has no groups; nor have those that look right by chance. */
static void drop_links(struct search *s)
{
    for (uint32_t k = 0, first = 0; k < s->b->n_units; k++) {
        first = same_machine(s->b, s->order[first], s->order[k]) ? first : k;
        if (s->different[s->order[k]])
            s->different[s->order[first]] = 1;
    }
    for (uint32_t k = 1; k < s->b->n_units; k++)
        if (same_machine(s->b, s->order[k - 1], s->order[k]))
            s->different[s->order[k]] = s->different[s->order[k - 1]];
    for (uint32_t u = 0; u < s->b->n_units; u++)
        s->set[u] = u;
    uint32_t n = s->n_links;
    s->n_links = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!s->different[s->link[i].a] && !may_be_chance(s, &s->link[i]))
            add_link(s, &s->link[i]);
}

static void count_link(struct clock_group *g, const struct link *l)
{
    g->proof = l->proof > g->proof ? l->proof : g->proof;
    g->width = fmax(g->width, l->width);
    g->messages += l->messages;
}

static int make_groups(struct search *s, struct sharing *out)
{
    uint32_t n = s->b->n_units;
    out->group_of = malloc(((size_t)n + 1) * sizeof *out->group_of);
    out->group = calloc((size_t)n + 1, sizeof *out->group);
    uint32_t *number = malloc(((size_t)n + 1) * sizeof *number); /* by set */
    for (uint32_t u = 0; u < n && number; u++)
        number[u] = NO_UNIT;
    for (uint32_t u = 0; u < n && number && out->group_of && out->group; u++) {
        uint32_t *of = &number[set_of(s->set, u)];
        *of = *of == NO_UNIT ? out->n_groups++ : *of;
        out->group_of[u] = *of;
        out->group[*of].units++;
    }
    for (uint32_t i = 0; i < s->n_links && number && out->group_of && out->group; i++)
        count_link(&out->group[out->group_of[s->link[i].a]], &s->link[i]);
    free(number);
    return number && out->group_of && out->group ? 0 : -1;
}

struct place {
    uint32_t node, unit;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->node, y->node), TCF_ORDER(x->unit, y->unit));
}

static void search_free(struct search *s)
{
    free(s->order);
    free(s->different);
    free(s->link);
    free(s->set);
    free(s->first_pair);
}

static int search_init(struct search *s, struct bounds *b, const struct settings *settings)
{
    size_t n = (size_t)b->n_units + 1;
    *s = (struct search){.b = b, .settings = settings};
    s->order = malloc(n * sizeof *s->order);
    s->different = calloc(n, 1);
    s->link = malloc(n * sizeof *s->link); /* a tree */
    s->set = malloc(n * sizeof *s->set);
    s->first_pair = calloc(n, sizeof *s->first_pair);
    struct place *place = malloc(n * sizeof *place);
    for (uint32_t u = 0; place && u < b->n_units; u++)
        place[u] = (struct place){b->unit[u].node, u};
    if (!s->order || !s->different || !s->link || !s->set || !s->first_pair || !place) {
        free(place);
        search_free(s);
        return -1;
    }
    tcf_sort(place, b->n_units, sizeof *place, compare_places);
    for (uint32_t k = 0; k < b->n_units; k++) {
        s->order[k] = place[k].unit;
        s->set[k] = k;
    }
    free(place);
    bounds_sort(b);
    for (uint32_t i = 0; i < b->n_pairs; i++)
        s->first_pair[b->pair[i].from + 1]++;
    for (uint32_t u = 0; u < b->n_units; u++)
        s->first_pair[u + 1] += s->first_pair[u];
    return 0;
}

/* Do messages show that all units share a clock, whatever their machines? -1: out of memory. */
static int find_one_clock(struct bounds *b, const struct settings *settings, struct clock_group *all)
{
    struct search s;
    uint32_t seen = 0, first = NO_UNIT;
    for (uint32_t i = 0; i < b->n_pairs; i++)
        if (b->pair[i].least < 0)
            return 0;
    if (search_init(&s, b, settings) != 0)
        return -1;
    for (uint32_t i = 0; i < b->n_pairs; i++) {
        struct link l = {.a = b->pair[i].from, .b = b->pair[i].to, .proof = BY_MESSAGES};
        if (is_first(b, i))
            note(&s, &l, judge_pair(&s, &l));
    }
    int one = 1;
    for (uint32_t u = 0; u < b->n_units; u++) {
        first = first == NO_UNIT && b->unit[u].seen ? u : first;
        one &= !b->unit[u].seen || set_of(s.set, u) == set_of(s.set, first);
        seen += b->unit[u].seen;
    }
    for (uint32_t i = 0; i < s.n_links; i++)
        count_link(all, &s.link[i]);
    search_free(&s);
    return one && seen > 1;
}

void sharing_free(struct sharing *s)
{
    free(s->group_of);
    free(s->group);
    *s = (struct sharing){0};
}

int share_clocks(struct bounds *b, const struct settings *settings, struct sharing *out)
{
    struct search s;
    *out = (struct sharing){0};
    if (search_init(&s, b, settings) != 0)
        return -1;
    judge_pairs(&s, judge_pair);
    judge_pairs(&s, judge_one_way);
    judge_neighbours(&s, judge_by_third);
    judge_neighbours(&s, judge_by_measured);
    judge_neighbours(&s, judge_by_others);
    drop_links(&s);
    int status = make_groups(&s, out);
    search_free(&s);
    if (status == 0 && out->n_groups < b->n_units)
        status = bounds_join(b, out->group_of, out->n_groups, settings->reference);
    if (status == 0 && (out->one_clock = find_one_clock(b, settings, &out->all)) < 0)
        status = -1;
    b->one_clock = out->one_clock > 0;
    for (uint32_t g = 0; g < out->n_groups && out->one_clock > 0; g++)
        out->all.units += out->group[g].units;
    if (status != 0)
        sharing_free(out);
    return status;
}
