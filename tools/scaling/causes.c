/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which losses are causes, of what kind, and on which processes. Vertices of one function that lose on the same
 * processes are one cause: its own time before the first call that communicates, and behind each of them. */
#include "scaling.h"

#include <tcflow/order.h>

#include <stdlib.h>
#include <string.h>

const char *const reason_names[N_REASONS] = {[IS_CAUSE] = "cause", [IS_SMALL] = "small",     [IS_APART] = "apart",
                                             [IS_NOISE] = "noise", [IS_NATURAL] = "natural", [IS_STEADY] = "steady"};

enum {
    LARGE = 2,        /* times --least: from there on the growth which every program has is a cause, too */
    PERSISTS = 30,    /* percent of the waits that processes which do more in all can explain: they don't take turns */
    MATTERS = 20,     /* percent of the largest excess of a process */
    MOST_DELAYS = 80, /* percent of the delays which few processes have */
    IDLE = 5          /* percent of the largest time: the typical process does nothing there */
};

/* --------------------------------------------------------------------------------------------------------- cells -- */

/* Values of the processes in a vertex, and what is typical of them. */
struct profile {
    double *time, *delay; /* own time and delays by process */
    double median, most, least, sum, delays;
};

static void add_cells(const struct graph *g, uint32_t vertex, struct profile *p)
{
    size_t cell = (size_t)vertex * g->n_processes;
    for (uint32_t i = 0; i < g->n_processes && vertex < g->n_vertices; i++, cell++) {
        p->time[i] += g->own[cell];
        p->delay[i] += g->delay[cell];
    }
}

static struct profile empty_profile(const struct graph *g)
{
    return (struct profile){.time = allocate(g->n_processes, sizeof(double)),
                            .delay = allocate(g->n_processes, sizeof(double))};
}

static void end_profile(const struct graph *g, struct profile *p)
{
    double *copy = allocate(g->n_processes, sizeof *copy);
    p->least = INFINITY;
    for (uint32_t i = 0; i < g->n_processes; i++) {
        copy[i] = p->time[i];
        p->sum += p->time[i];
        p->delays += p->delay[i];
        p->most = p->time[i] > p->most ? p->time[i] : p->most;
        p->least = p->time[i] < p->least ? p->time[i] : p->least;
    }
    p->median = median_of(copy, g->n_processes);
    free(copy);
}

static void free_profile(struct profile *p)
{
    free(p->time);
    free(p->delay);
}

/* A set of processes. */
struct chosen {
    uint32_t *process, n;
    double excess; /* their time beyond the median */
};

static void choose(struct chosen *c, const struct profile *p, uint32_t process)
{
    c->process[c->n++] = process;
    c->excess += p->time[process] - p->median;
}

static struct chosen choose_none(const struct graph *g)
{
    return (struct chosen){.process = allocate(g->n_processes, sizeof(uint32_t))};
}

static struct chosen choose_abnormal(const struct study *s, const struct profile *p, double least)
{
    const struct graph *g = &s->graph;
    struct chosen c = choose_none(g);
    for (uint32_t i = 0; i < g->n_processes; i++) {
        double excess = p->time[i] - p->median;
        if (excess > 0 && p->time[i] >= s->options->abnormal * p->median && excess >= least &&
            100 * excess >= MATTERS * (p->most - p->median))
            choose(&c, p, i);
    }
    return c;
}

/* The processes above the middle between the largest time and the median; where most have the largest, the smallest. */
static struct chosen choose_slower(const struct study *s, const struct profile *p)
{
    struct chosen c = choose_none(&s->graph);
    double low = p->most - p->median < 0.1 * (p->most - p->least) ? p->least : p->median;
    for (uint32_t i = 0; i < s->graph.n_processes; i++)
        if (p->time[i] >= (low + p->most) / 2)
            choose(&c, p, i);
    return c;
}

struct ranked {
    double value;
    uint32_t process;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->value, x->value), TCF_ORDER(x->process, y->process));
}

/* The fewest processes that have most of the delays; none, unless they are few. */
static struct chosen choose_delaying(const struct study *s, const struct profile *p)
{
    const struct graph *g = &s->graph;
    struct ranked *ranked = allocate(g->n_processes, sizeof *ranked);
    struct chosen c = choose_none(g);
    double sum = 0;
    for (uint32_t i = 0; i < g->n_processes; i++)
        ranked[i] = (struct ranked){p->delay[i], i};
    tcf_sort(ranked, g->n_processes, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < g->n_processes && 100 * sum < MOST_DELAYS * p->delays; i++) {
        sum += ranked[i].value;
        choose(&c, p, ranked[i].process);
    }
    free(ranked);
    if (4 * c.n > g->n_processes)
        c.n = 0;
    return c;
}

static int compare_processes(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return TCF_ORDER(*x, *y);
}

static double delays_of(const struct profile *p, const struct chosen *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->n; i++)
        sum += p->delay[c->process[i]];
    return sum;
}

/* All that spend time in the function of a vertex; where the graph's run has none of it, all. */
static void choose_all(const struct study *s, uint32_t vertex, struct chosen *c)
{
    struct profile p = empty_profile(&s->graph);
    for (uint32_t v = 0; v < s->n_vertices; v++)
        if (function_of(s, v) == function_of(s, vertex))
            add_cells(&s->graph, v, &p);
    for (uint32_t i = 0; i < s->graph.n_processes; i++)
        if (p.time[i] > 0 || p.delay[i] > 0)
            c->process[c->n++] = i;
    if (c->n == 0)
        for (; c->n < s->graph.n_processes; c->n++)
            c->process[c->n] = c->n;
    free_profile(&p);
}

/* Processes have the order of their ranks then. */
static void take_chosen(struct chosen c, uint32_t **processes, uint32_t *n)
{
    tcf_sort(c.process, c.n, sizeof *c.process, compare_processes);
    *processes = c.process;
    *n = c.n;
}

/* ------------------------------------------------------------------------------------------------------ abnormal -- */

static int compare_abnormal(const void *a, const void *b)
{
    const struct abnormal *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->share, x->share), TCF_ORDER(x->vertex, y->vertex));
}

void find_abnormal(struct study *s)
{
    const struct graph *g = &s->graph;
    double least = least_loss(s) / g->n_processes;
    s->abnormal = allocate(s->n_vertices, sizeof *s->abnormal);
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        if (s->vertex[v].apart)
            continue;
        struct profile p = empty_profile(g);
        add_cells(g, v, &p);
        end_profile(g, &p);
        struct chosen c = choose_abnormal(s, &p, least);
        if (c.n > 0) {
            struct abnormal *a = &s->abnormal[s->n_abnormal++];
            *a = (struct abnormal){.vertex = v, .share = c.excess / largest(s)->total};
            a->ratio = p.median > 0 ? p.most / p.median : NAN;
            take_chosen(c, &a->process, &a->n_processes);
        } else {
            free(c.process);
        }
        free_profile(&p);
    }
    tcf_sort(s->abnormal, s->n_abnormal, sizeof *s->abnormal, compare_abnormal);
}

/* -------------------------------------------------------------------------------------------------------- groups -- */

/* The vertices of a function that lose. */
struct group {
    uint32_t main; /* the one that loses most; NONE: none loses */
    double explains, natural, own, delay;
    enum reason reason;
};

static void add_loss(struct group *g, const struct study *s, const struct loss *l)
{
    double part = l->loss > 0 ? l->explains / l->loss : 0;
    if (g->main == NONE || l->explains > s->loss[g->main].explains)
        g->main = l->vertex;
    g->explains += l->explains;
    g->natural += l->natural * part;
    g->own += l->own * part;
    g->delay += l->delay * part;
}

/* Own time that grows: on few processes where these have most of the growth, else on all. */
static struct chosen blame_own(const struct study *s, const struct group *g, const struct profile *p, const char **kind)
{
    struct chosen c = choose_abnormal(s, p, 0);
    bool few = c.n > 0 && 2 * c.excess >= g->own;
    *kind = few ? "load imbalance" : "computation grows on all";
    c.n = few ? c.n : 0;
    return c;
}

/* Waits that were charged here: for those which do more in all, or for one after another. */
static struct chosen blame_delay(const struct study *s, const struct group *g, const struct profile *p,
                                 const char **kind)
{
    double excess = p->most * s->graph.n_processors - p->sum;
    struct chosen c = choose_abnormal(s, p, 0);
    bool persists = 100 * excess >= PERSISTS * p->delays;
    if (persists && c.n == 0) {
        free(c.process);
        c = choose_slower(s, p);
    }
    if (!persists || 2 * delays_of(p, &c) < g->delay) {
        *kind = "imbalance by turns";
        if (100 * delays_of(p, &c) >= MOST_DELAYS * p->delays)
            return c;
        free(c.process);
        return choose_delaying(s, p);
    }
    *kind = c.n == 1 && 100 * p->median <= IDLE * p->most ? "serial part" : "load imbalance";
    return c;
}

/* What a group that is named by these losses is, and on which processes. */
static struct chosen blame(const struct study *s, const struct group *named, const struct profile *p, const char **kind)
{
    struct chosen c = named->own >= named->delay ? blame_own(s, named, p, kind) : blame_delay(s, named, p, kind);
    if (s->vertex[named->main].communication)
        *kind = "communication";
    if (c.n == 0)
        choose_all(s, named->main, &c);
    return c;
}

/* The processes of one vertex, as flags. */
static void flag_processes(const struct study *s, uint32_t vertex, bool *flag)
{
    struct profile p = empty_profile(&s->graph);
    struct group alone = {.main = NONE};
    const char *kind;
    add_cells(&s->graph, vertex, &p);
    end_profile(&s->graph, &p);
    add_loss(&alone, s, &s->loss[vertex]);
    struct chosen c = blame(s, &alone, &p, &kind);
    for (uint32_t i = 0; i < c.n; i++)
        flag[c.process[i]] = true;
    free(c.process);
    free_profile(&p);
}

/* Are two vertices on other processes: has each more that the other one has not than both have? */
static bool are_apart(const struct study *s, uint32_t a, uint32_t b)
{
    bool *of_a = allocate(s->graph.n_processes, sizeof *of_a), *of_b = allocate(s->graph.n_processes, sizeof *of_b);
    uint32_t both = 0, one = 0;
    flag_processes(s, a, of_a);
    flag_processes(s, b, of_b);
    for (uint32_t i = 0; i < s->graph.n_processes; i++) {
        both += of_a[i] && of_b[i];
        one += of_a[i] != of_b[i];
    }
    free(of_a);
    free(of_b);
    return one > both;
}

/* The vertices of a function are one group, named by the one that loses most, but for those that are large by
 * themselves and on other processes. Groups stand at the vertex that they are named by. */
static struct group *find_groups(struct study *s)
{
    struct group *groups = allocate(s->n_vertices, sizeof *groups);
    uint32_t *main = allocate(s->n_vertices, sizeof *main); /* by function */
    s->group_of = allocate(s->n_vertices, sizeof *s->group_of);
    for (uint32_t v = 0; v < s->n_vertices; v++) {
        groups[v].main = NONE;
        main[v] = v;
    }
    for (uint32_t v = 0; v < s->n_vertices; v++)
        if (s->loss[v].explains > s->loss[main[function_of(s, v)]].explains)
            main[function_of(s, v)] = v;
    for (uint32_t v = 0; v < s->n_vertices; v++) {
        const struct loss *l = &s->loss[v];
        uint32_t of = main[function_of(s, v)];
        s->group_of[v] = l->explains > 0 && l->explains >= least_loss(s) && v != of && are_apart(s, v, of) ? v : of;
        if (l->explains > 0)
            add_loss(&groups[s->group_of[v]], s, l);
    }
    free(main);
    return groups;
}

/* What all calls that communicate in the function of one of them explain. */
static double calls_explain(const struct study *s, uint32_t call)
{
    double sum = 0;
    for (uint32_t v = 0; v < s->n_vertices; v++)
        if (s->vertex[v].communication && s->vertex[v].parent == s->vertex[call].parent)
            sum += s->loss[v].explains;
    return sum;
}

static enum reason judge(const struct study *s, const struct group *g)
{
    double least = least_loss(s);
    bool large = s->vertex[g->main].communication && calls_explain(s, g->main) >= LARGE * least;
    if (!(g->explains > 0) || g->explains < least)
        return IS_SMALL;
    if (s->loss[g->main].within_noise)
        return IS_NOISE;
    return large || g->explains - g->natural >= least ? IS_CAUSE : IS_NATURAL;
}

/* -------------------------------------------------------------------------------------------------------- causes -- */

/* Is it one of the vertices that the cause is named by: the one that has most of the loss, or those of the function? */
static bool belongs(const struct study *s, uint32_t vertex, const struct cause *c)
{
    if (c->vertex == c->fitted)
        return vertex == c->vertex;
    return s->group_of[vertex] == c->fitted && s->loss[vertex].explains > 0;
}

void cause_times(const struct study *s, const struct cause *c, double *own, double *delay)
{
    struct profile p = {.time = own, .delay = delay};
    for (uint32_t v = 0; v < s->n_vertices; v++)
        if (belongs(s, v, c))
            add_cells(&s->graph, v, &p);
}

static void add_cause(struct study *s, const struct group *g)
{
    struct cause *c = &s->cause[s->n_causes++];
    struct profile p = empty_profile(&s->graph);
    *c = (struct cause){.vertex = g->main, .fitted = g->main, .explains = g->explains};
    /* The function is named where no single vertex of it has most of the loss. */
    struct group named = {.main = NONE};
    if (2 * s->loss[g->main].explains < g->explains)
        c->vertex = function_of(s, g->main);
    if (c->vertex == g->main)
        add_loss(&named, s, &s->loss[g->main]);
    else
        named = *g;
    cause_times(s, c, p.time, p.delay);
    end_profile(&s->graph, &p);
    c->share = g->explains / s->lost;
    c->ratio = p.median > 0 ? p.most / p.median : NAN;
    c->fit = s->loss[c->fitted].fit;
    take_chosen(blame(s, &named, &p, &c->kind), &c->process, &c->n_processes);
    free_profile(&p);
}

static int compare_causes(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->explains, x->explains), TCF_ORDER(x->vertex, y->vertex));
}

static int compare_ruled_out(const void *a, const void *b)
{
    const struct ruled_out *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->reason, y->reason), TCF_ORDER(y->share, x->share), TCF_ORDER(x->vertex, y->vertex));
}

static void rule_out(struct study *s, uint32_t vertex, enum reason reason, double seconds, double of)
{
    s->ruled_out[s->n_ruled_out++] = (struct ruled_out){vertex, reason, seconds / of};
}

/* What a user may expect among the causes: MPI_Init and MPI_Finalize, and what is abnormal but does not grow. */
static void rule_out_others(struct study *s, const struct group *groups)
{
    const struct size *b = largest(s);
    for (uint32_t v = 0; v < s->n_vertices; v++)
        if (s->vertex[v].apart && cost_of(&b->of[v]) >= 0.005 * (b->total + b->apart))
            rule_out(s, v, IS_APART, cost_of(&b->of[v]), b->total + b->apart);
    for (uint32_t i = 0; i < s->n_abnormal; i++) {
        const struct abnormal *a = &s->abnormal[i];
        const struct group *g = &groups[s->group_of[a->vertex]];
        if (g->reason == IS_SMALL)
            rule_out(s, a->vertex, 2 * g->explains >= a->share * b->total ? IS_SMALL : IS_STEADY, a->share * b->total,
                     b->total);
    }
}

void find_causes(struct study *s)
{
    struct group *groups = find_groups(s);
    s->cause = allocate(s->n_vertices, sizeof *s->cause);
    s->ruled_out = allocate(2 * (size_t)s->n_vertices, sizeof *s->ruled_out);
    for (uint32_t v = 0; v < s->n_vertices; v++) {
        struct group *g = &groups[v];
        g->reason = g->main == NONE ? IS_SMALL : judge(s, g);
        if (g->reason == IS_CAUSE)
            add_cause(s, g);
        else if (g->reason != IS_SMALL)
            rule_out(s, g->main, g->reason, g->explains, largest(s)->total);
    }
    rule_out_others(s, groups);
    tcf_sort(s->cause, s->n_causes, sizeof *s->cause, compare_causes);
    tcf_sort(s->ruled_out, s->n_ruled_out, sizeof *s->ruled_out, compare_ruled_out);
    free(groups);
}
