/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Rules for processes that have more to do than others, and for those that wait for the first results of others. What
 * kind of imbalance it is follows from who has more, of what, and when. */
#include "rules.h"

#include <otf2/OTF2_Definitions.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- which -- */

/* Useful times of all processes. */
typedef struct loads {
    double most, mean, much; /* much: a tenth of what the most has beyond the mean is missing */
    uint32_t process;        /* that has most */
    uint32_t others;         /* that have much */
} loads;

static loads sum_up(const facts *f)
{
    loads l = {.process = TCF_NONE};
    double total = 0;
    for (uint32_t i = 0; i < f->n_loads; i++) {
        total += f->loads[i].useful;
        if (l.process == TCF_NONE || f->loads[i].useful > l.most) {
            l.most = f->loads[i].useful;
            l.process = f->loads[i].process;
        }
    }
    l.mean = f->n_loads > 0 ? total / f->n_loads : 0;
    l.much = l.most - 0.1 * (l.most - l.mean);
    for (uint32_t i = 0; i < f->n_loads; i++)
        l.others += f->loads[i].process != l.process && f->loads[i].useful >= l.much;
    return l;
}

static uint32_t node_of(const facts *f, uint32_t process)
{
    return tcf_location_at(f->self->defs, f->processes.at[process].location)->node;
}

/* Is it all processes of a node alike, and none of the others? */
static int is_node(const facts *f, uint32_t node)
{
    double inside = 0, outside = 0, least = INFINITY, most = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_loads; i++) {
        const double u = f->loads[i].useful;
        const int in = node_of(f, f->loads[i].process) == node;
        n += (uint32_t)in;
        inside += in ? u : 0;
        outside += in ? 0 : u;
        least = in && u < least ? u : least;
        most = !in && u > most ? u : most;
    }
    if (n < 2 || n == f->n_loads || node == TCF_NONE)
        return 0;
    inside /= n;
    outside /= f->n_loads - n;
    const double apart = inside - outside;
    return inside - least < 0.25 * apart && most - outside < 0.25 * apart;
}

/* How many processes have entered a region; 0: unknown. */
static uint64_t entered_by(const facts *f, const char *region)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    r->find(f->self, "load_imbalance", "load_imbalance", &t);
    for (uint64_t i = 0; i < t.n_rows; i++)
        if (strcmp(r->text(&t, i, r->column(&t, "region")), region) == 0)
            return r->whole(&t, i, r->column(&t, "processes"));
    return 0;
}

static int is_file_io(const facts *f, const char *region)
{
    static const char *const names[] = {"read",   "write", "open",   "close", "fread",  "fwrite", "fopen",
                                        "fclose", "fsync", "fflush", "pread", "pwrite", "readv",  "writev"};
    const tcf_definitions *defs = f->self->defs;
    for (uint32_t i = 0; i < defs->n_regions; i++) {
        const tcf_region *r = tcf_region_at(defs, i);
        if (r->name && strcmp(r->name, region) == 0 &&
            (r->role == OTF2_REGION_ROLE_FILE_IO || r->role == OTF2_REGION_ROLE_FILE_IO_METADATA))
            return 1;
    }
    for (size_t i = 0; i < TCF_COUNT(names); i++)
        if (strcmp(names[i], region) == 0)
            return 1;
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------- when -- */

static int downwards(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (y > x) - (y < x);
}

static double excess(const bin_fact *b)
{
    return b->most > b->mean ? b->most - b->mean : 0;
}

/* Do processes wait for each other again and again? Where they meet at the end, all of the imbalance lies there. */
static int meet_often(const facts *f)
{
    return f->messages_unknown || f->met >= 10 * f->n;
}

/* Does a fifth of the time, or less, have most of the imbalance? From when to when, then. */
static int is_burst(const facts *f, double *from, double *to)
{
    double *all = f->scratch, total = 0, sum = 0;
    uint32_t n = 0;
    if (f->n_bins < 10)
        return 0;
    for (uint32_t k = 0; k < f->n_bins; k++)
        total += all[k] = excess(&f->bins[k]);
    qsort(all, f->n_bins, sizeof *all, downwards);
    while (n < f->n_bins && sum < 0.7 * total)
        sum += all[n++];
    const double least = n > 0 ? all[n - 1] : 0;
    const int burst = total > 0 && 5 * n <= f->n_bins;
    *from = INFINITY;
    for (uint32_t k = 0; burst && k < f->n_bins; k++)
        if (excess(&f->bins[k]) >= least) {
            *from = f->bins[k].from < *from ? f->bins[k].from : *from;
            *to = f->bins[k].from + f->bins[k].width;
        }
    return burst;
}

/* Does the imbalance grow from each third of the run to the next, to twice as much or more? */
static int grows(const facts *f)
{
    double third[3] = {0};
    if (f->n_bins < 12)
        return 0;
    for (uint32_t k = 0; k < f->n_bins; k++)
        third[3 * k / f->n_bins] += excess(&f->bins[k]);
    return third[1] > 1.2 * third[0] && third[2] > 1.1 * third[1] && third[2] > 2 * third[0];
}

/* --------------------------------------------------------------------------------------------------------- waits -- */

/* Waits and idle time of processes that no finding has told yet. */
static double waits_left(const judgement *j)
{
    double sum = j->idle;
    for (int w = 0; w < WAITINGS; w++)
        sum += wait_rules[w].of_threads ? 0 : j->left[w];
    return sum;
}

/* The two largest kinds of waits that a loss shows in; the second one from 1 % of all time on. */
static void say_waits(const judgement *j, finding *x)
{
    int first = -1, second = -1;
    char a[WORD_BYTES];
    for (int w = 0; w < WAITINGS; w++) {
        if (wait_rules[w].of_threads || j->left[w] <= 0)
            continue;
        if (first < 0 || j->left[w] > j->left[first]) {
            second = first;
            first = w;
        } else if (second < 0 || j->left[w] > j->left[second]) {
            second = w;
        }
    }
    if (first < 0 && j->idle > 0)
        SAY(x->sentence, "; the others are idle (%s)", words_share(j->idle / j->f->process_time, a));
    if (first < 0)
        return;
    SAY(x->sentence, "; the others wait (%s %s", wait_rules[first].title,
        words_share(j->left[first] / j->f->process_time, a));
    if (second >= 0 && 100 * j->left[second] >= j->f->process_time)
        SAY(x->sentence, ", %s %s", wait_rules[second].title, words_share(j->left[second] / j->f->process_time, a));
    SAY(x->sentence, ")");
}

static void take_off(judgement *j, double seconds)
{
    const double all = waits_left(j);
    const double stays = all > seconds ? 1 - seconds / all : 0;
    for (int w = 0; w < WAITINGS; w++)
        j->left[w] *= wait_rules[w].of_threads ? 1 : stays;
    j->idle *= stays;
}

/* ----------------------------------------------------------------------------------------------------- imbalance -- */

/* What kind of imbalance it is: the name of the rule, and the begin of its sentence. */
typedef struct kind {
    const char *rule, *title;
} kind;

static kind kind_of(const facts *f, const loads *l, const cause *c, double *from, double *to)
{
    const char *region = c->path ? words_leaf(c->path) : "";
    const int one = *region && c->of_path > 0.5;
    if (one && is_file_io(f, region))
        return (kind){"file_io", "Reading and writing files by one process"};
    if (one && entered_by(f, region) == 1)
        return (kind){"serial", "A serial part"};
    if (is_node(f, node_of(f, l->process)))
        return (kind){"slow_node", "A slow node"};
    if (meet_often(f) && is_burst(f, from, to))
        return (kind){"burst", "A disturbance"};
    if (meet_often(f) && grows(f))
        return (kind){"growing_imbalance", "Growing load imbalance"};
    return (kind){"load_imbalance", "Load imbalance"};
}

/* Times with as many digits as tell them apart. */
static void say_when(double from, double to, finding *x)
{
    int digits = 0;
    for (double apart = to - from; apart > 0 && apart < 10 && digits < 9; apart *= 10)
        digits++;
    SAY(x->sentence, "; most of it %.*f to %.*f s after the start", digits, from, digits, to);
}

static void say_load(const facts *f, const loads *l, const cause *c, const kind *k, finding *x)
{
    char a[WORD_BYTES], b[WORD_BYTES];
    const char *who = words_process(f, l->process, a);
    if (strcmp(k->rule, "slow_node") == 0) {
        const uint32_t node = node_of(f, l->process);
        const char *name =
            node < f->self->defs->n_system_tree_nodes ? tcf_system_tree_node_at(f->self->defs, node)->name : NULL;
        SAY(x->sentence, ": all processes of %s, %s among them, compute up to %.2f times as long as the mean",
            name ? name : "a node", who, l->most / l->mean);
        SAY(x->processes, "%s", name ? name : "a node");
    } else {
        SAY(x->sentence, ": %s computes %.2f times as long as the mean", who, l->most / l->mean);
        SAY(x->processes, "%s", who);
        if (l->others > 0) {
            SAY(x->sentence, ", and %" PRIu32 " other%s nearly as long", l->others, l->others > 1 ? "s" : "");
            SAY(x->processes, " and %" PRIu32 " other%s", l->others, l->others > 1 ? "s" : "");
        }
    }
    if (c->path)
        SAY(x->sentence, ", in %s on %s (root cause %s)", words_path(c->path, a), words_who(f, c->location, b),
            words_time(c->seconds, (char[WORD_BYTES]){0}));
}

void judge_imbalance(judgement *j)
{
    const facts *f = j->f;
    const loads l = sum_up(f);
    const double cost = (l.most - l.mean) * f->n_loads, waits = waits_left(j), share = cost / f->process_time;
    char a[WORD_BYTES], b[WORD_BYTES];
    double from = (double)NAN, to = (double)NAN;
    if (!f->has_efficiency || l.process == TCF_NONE || !(l.mean > 0) || !is_large(j, share) ||
        (f->has_waits && cost < 0.5 * waits))
        return; /* balanced in all, though not in each step */
    cause c = cause_in(f, l.process, 0);
    if (!c.path && l.others > 0) /* which of them comes last, and so has all the blame, is chance */
        c = cause_in(f, TCF_NONE, l.much);
    const kind k = kind_of(f, &l, &c, &from, &to);
    finding *x = add_finding(j, k.rule, cost, share);
    if (!x)
        return;
    SAY(x->sentence, "%s costs %s of the processes' time (%s)", k.title, words_share(share, a), words_time(cost, b));
    say_load(f, &l, &c, &k, x);
    say_waits(j, x);
    if (isfinite(from) && isfinite(to))
        say_when(from, to, x);
    SAY(x->sentence, ".");
    SAY(x->uncertainty, "useful times are by each process' own clock: the clocks' errors have no part in it");
    SAY(x->evidence_table, "efficiency_efficiency_processes");
    if (tcf_process_names_of(&f->processes, f->self->defs, l.process).rank >= 0)
        SAY(x->evidence_key, "rank = %lld",
            (long long)tcf_process_names_of(&f->processes, f->self->defs, l.process).rank);
    if (isfinite(from) && isfinite(to)) {
        x->begin = from;
        x->end = to;
    } else if (f->n_bins > 0) {
        x->begin = f->bins[0].from;
        x->end = f->bins[f->n_bins - 1].from + f->bins[f->n_bins - 1].width;
    }
    take_off(j, cost);
}

/* ------------------------------------------------------------------------------------------------------ pipeline -- */

/* Time that processes lose at one end of the run, until as many of them compute as usual. Bins from the first or the
 * last one on. */
static double lost_at_end(const facts *f, int last, double usual, double *to)
{
    double lost = 0;
    for (uint32_t i = 0; i < f->n_bins / 2; i++) {
        const bin_fact *b = &f->bins[last ? f->n_bins - 1 - i : i];
        if (b->mean >= 0.9 * usual)
            break;
        lost += (usual - b->mean) * f->n;
        *to = b->from + b->width;
    }
    return lost;
}

/* Processes begin one after another, each with the first result of the one before, and end so. */
void judge_pipeline(judgement *j)
{
    const facts *f = j->f;
    double usual = 0, to = 0;
    char a[WORD_BYTES], b[WORD_BYTES];
    for (uint32_t k = 0; k < f->n_bins; k++)
        usual = f->bins[k].mean > usual ? f->bins[k].mean : usual;
    const double waits = j->left[W_LATE_SENDER];
    const double lost = lost_at_end(f, 0, usual, &to), drained = lost_at_end(f, 1, usual, &(double){0});
    const double cost = waits + fmin(drained, j->left[W_FINALIZE]);
    if (f->n_bins < 10 || f->n < 3 || lost < 0.5 * waits || !(waits > 0) || !is_large(j, cost / f->process_time))
        return;
    finding *x = add_finding(j, "pipeline", cost, cost / f->process_time);
    if (!x)
        return;
    SAY(x->sentence,
        "Filling and draining a pipeline costs %s of the processes' time (%s): processes begin one after another, each "
        "when the first message of the one before has come",
        words_share(x->share, a), words_time(cost, b));
    const cause c = waiter_of(f, W_LATE_SENDER);
    if (c.path)
        SAY(x->sentence, "; %s waits longest, in %s", words_who(f, c.location, a), words_path(c.path, b));
    SAY(x->sentence, ".");
    SAY(x->uncertainty, "a longer run spends a smaller share there");
    SAY(x->evidence_table, "efficiency_efficiency_over_time");
    SAY(x->processes, "all");
    x->begin = f->bins[0].from;
    x->end = to;
    j->left[W_LATE_SENDER] = 0;
    j->left[W_FINALIZE] -= fmin(drained, j->left[W_FINALIZE]);
}
