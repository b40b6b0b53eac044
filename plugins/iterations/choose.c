/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Chooses the run of iterations that is the loop: of each location when it ends, and at the end of the run the one that
 * most processes have in common. */
#include "iterations.h"

#include <tcflow/grow.h>
#include <tcflow/processes.h>

#include <stdlib.h>

/* --------------------------------------------------------------------------------------------------------- rules -- */

int is_eligible(const struct conf *conf, const struct place *p, const struct run *r)
{
    return (double)run_span(r) >= conf->min_share * (double)(p->last - p->first);
}

double evenness_of(const struct run *r)
{
    return run_span(r) > 0 ? r->roots * r->roots / ((double)(r->n - 1) * (double)run_span(r)) : 1;
}

double likeness_of(const struct run *r)
{
    return r->n > 2 ? r->alike / (double)(r->n - 2) : 1;
}

/* An anchor that the user gave is regular in any case. */
static int is_regular(const struct state *st, const struct conf *conf, const struct run *r)
{
    return st->marks || (evenness_of(r) >= conf->evenness && likeness_of(r) >= conf->likeness);
}

static int overlap(const struct run *a, const struct run *b)
{
    return a->first <= b->last && a->last >= b->first;
}

/* The wider run spans more time; of equal ones it has more iterations; of equal ones it begins first. */
static int is_wider(const struct candidate *a, const struct candidate *b)
{
    if (run_span(&a->run) != run_span(&b->run))
        return run_span(&a->run) > run_span(&b->run);
    return a->run.n != b->run.n ? a->run.n > b->run.n : a->run.first < b->run.first;
}

/* Of the same visit, overlapping, and at least half as wide. */
static int stands_beside(const struct state *st, const struct candidate *x, const struct candidate *widest)
{
    return st->paths[x->path].parent == st->paths[widest->path].parent && overlap(&x->run, &widest->run) &&
           2 * run_span(&x->run) >= run_span(&widest->run);
}

/* ------------------------------------------------------------------------------------------------------- bursts -- */

enum { MOST_BURSTS = 4 /* in a step */ };

/* x is clearly more even: it lacks at most half of what y lacks. */
static int is_evener(const struct candidate *x, const struct candidate *y)
{
    return 2 * (1 - evenness_of(&x->run)) <= 1 - evenness_of(&y->run);
}

/* The candidate of the same call path with another rank; NULL: there is none. */
static const struct candidate *of_rank(const struct state *st, const struct place *p, const struct candidate *x,
                                       uint32_t rank)
{
    const struct path *of = &st->paths[x->path];
    for (uint32_t i = 0; i < p->n_found; i++) {
        const struct path *path = &st->paths[p->found[i].path];
        if (path->parent == of->parent && path->region == of->region && path->rank == rank)
            return &p->found[i];
    }
    return NULL;
}

/* Inside of bursts at most two thirds of the time are pauses: else each enter has its own computation before it. */
static int are_dense(const struct run *r)
{
    return 3 * r->inside.pauses <= 2 * r->inside.ticks;
}

/* Bursts are taken for iterations when they are regular, and clearly more even than the enters in them. Those of rank 1
 * are dense; those of rank 2, the steps, have few dense ones each. */
static int are_bursts(const struct state *st, const struct conf *conf, const struct place *p, const struct candidate *x)
{
    const uint32_t rank = st->paths[x->path].rank;
    const struct candidate *inner = rank > 0 ? of_rank(st, p, x, rank - 1) : NULL;
    if (rank == 0 || !is_regular(st, conf, &x->run) || (inner && !is_evener(x, inner)))
        return 0;
    if (rank == 1)
        return are_dense(&x->run);
    return inner && are_dense(&inner->run) && x->run.inside.n <= (MOST_BURSTS - 1) * x->run.n;
}

/* May it be the loop of the location, among call paths, or among bursts? Bursts of rank 1 may not where those of rank 2
 * may. */
static int may_be_loop(const struct state *st, const struct conf *conf, const struct place *p,
                       const struct candidate *x, int bursts)
{
    const uint32_t rank = st->paths[x->path].rank;
    if (!bursts)
        return rank == 0 && is_regular(st, conf, &x->run);
    const struct candidate *outer = rank == 1 ? of_rank(st, p, x, 2) : NULL;
    return are_bursts(st, conf, p, x) && !(outer && are_bursts(st, conf, p, outer));
}

/* -------------------------------------------------------------------------------------------- those side by side -- */

typedef struct company {
    const struct candidate *of[MOST_KEPT];
    uint32_t n;
} company;

static uint32_t with_as_many(const company *c, uint64_t n)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < c->n; i++)
        found += c->of[i]->run.n == n;
    return found;
}

/* Takes those with nearly the most iterations, and of these the number of iterations that most of them have (the larger
 * one of two). Returns the first run with that number. */
static const struct candidate *finest(const company *c)
{
    const struct candidate *best = NULL;
    uint64_t most = 0;
    for (uint32_t i = 0; i < c->n; i++)
        most = c->of[i]->run.n > most ? c->of[i]->run.n : most;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct run *r = &c->of[i]->run;
        if (4 * r->n < 3 * most)
            continue;
        const uint32_t here = with_as_many(c, r->n), there = best ? with_as_many(c, best->run.n) : 0;
        if (!best || here > there || (here == there && r->n > best->run.n) ||
            (r->n == best->run.n && r->first < best->run.first))
            best = c->of[i];
    }
    return best;
}

/* Removes those that are much less even than the most even one. */
static void keep_even(company *c)
{
    double most = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        most = evenness_of(&c->of[i]->run) > most ? evenness_of(&c->of[i]->run) : most;
    for (uint32_t i = 0; i < c->n; i++)
        if (3 * evenness_of(&c->of[i]->run) >= 2 * most)
            c->of[n++] = c->of[i];
    c->n = n;
}

/* What stands beside the widest that may be the loop, of the smallest depth, itself included. */
static company find_side_by_side(const struct state *st, const struct conf *conf, const struct place *p, int bursts)
{
    const struct candidate *widest = NULL;
    company c = {.n = 0};
    for (uint32_t i = 0; i < p->n_found; i++) { /* which come by depth */
        const struct candidate *x = &p->found[i];
        if ((!widest || (x->depth == widest->depth && is_wider(x, widest))) && may_be_loop(st, conf, p, x, bursts))
            widest = x;
    }
    for (uint32_t i = 0; widest && i < p->n_found; i++)
        if (may_be_loop(st, conf, p, &p->found[i], bursts) && stands_beside(st, &p->found[i], widest))
            c.of[c.n++] = &p->found[i];
    keep_even(&c);
    return c;
}

/* Is the loop no calls, but the bursts beside them? It is where the calls are but parts of these, or are so rare that
 * an iteration would be more than the few bursts of a step. */
static int bursts_are_loop(const struct state *st, const struct candidate *calls, const struct candidate *bursts)
{
    if (!calls || !bursts || !stands_beside(st, bursts, calls))
        return !calls;
    return (2 * calls->run.n >= 3 * bursts->run.n && is_evener(bursts, calls)) ||
           (bursts->run.n > MOST_BURSTS * calls->run.n &&
            3 * evenness_of(&bursts->run) >= 2 * evenness_of(&calls->run));
}

/* Those that come once in each iteration are among them; the loop is the finest(). */
static company find_company(const struct state *st, const struct conf *conf, const struct place *p)
{
    const company calls = find_side_by_side(st, conf, p, 0), bursts = find_side_by_side(st, conf, p, 1);
    return bursts_are_loop(st, finest(&calls), finest(&bursts)) ? bursts : calls;
}

/* ---------------------------------------------------------------------------------------------------- call paths -- */

uint32_t intern_path(struct state *st, uint32_t parent, uint32_t region, uint32_t rank)
{
    const uint64_t name = (uint64_t)rank << 32 | region;
    const uint32_t at = tcf_map_get(&st->path_of, parent, name);
    if (at != TCF_MAP_ABSENT)
        return at;
    if (TCF_GROW(&st->paths, &st->paths_capacity, st->n_paths) != 0)
        return NONE;
    if (tcf_map_put(&st->path_of, parent, name, st->n_paths) != 0)
        return NONE;
    st->paths[st->n_paths] = (struct path){parent, region, rank};
    return st->n_paths++;
}

uint32_t intern_root(struct state *st)
{
    return st->n_paths > 0 ? ROOT : intern_path(st, ROOT, NONE, MOST_RANK + 1);
}

static uint32_t path_of(struct state *st, const struct place *p, uint32_t at)
{
    if (at == ROOT)
        return ROOT;
    const uint32_t parent = path_of(st, p, p->nodes[at].parent);
    return parent == NONE ? NONE : intern_path(st, parent, p->nodes[at].region, p->nodes[at].rank);
}

/* ----------------------------------------------------------------------------------------------- a location ends -- */

typedef struct ranked {
    uint32_t node, depth;
    const struct run *run;
} ranked;

static int order_runs(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->depth, y->depth), TCF_ORDER(run_span(y->run), run_span(x->run)),
                     TCF_ORDER(x->node, y->node));
}

/* Lists the runs that may be the loop, the shallowest and widest first. The caller frees it. NULL: out of memory. */
static ranked *rank_runs(const struct conf *conf, const struct place *p, uint32_t *n)
{
    ranked *all = malloc((p->n + 1ul) * sizeof *all);
    *n = 0;
    for (uint32_t i = 1; all && i < p->n; i++) {
        const struct node *x = &p->nodes[i];
        if (x->best.n > 1 && is_eligible(conf, p, &x->best))
            all[(*n)++] = (ranked){i, x->depth, &x->best};
    }
    tcf_sort(all, *n, sizeof *all, order_runs);
    return all;
}

/* -1: out of memory. */
static int keep_runs(tcf_self *self, struct place *p)
{
    struct state *st = self->state;
    uint32_t n;
    ranked *all = rank_runs(self->conf, p, &n);
    if (n > MOST_KEPT) {
        st->counts.kept += n - MOST_KEPT;
        n = MOST_KEPT;
    }
    p->found = n > 0 ? calloc(n, sizeof *p->found) : NULL;
    int failed = !all || (n > 0 && !p->found);
    for (uint32_t i = 0; i < n && !failed; i++) {
        struct run *r = &p->nodes[all[i].node].best;
        p->found[i] = (struct candidate){path_of(st, p, all[i].node), all[i].depth, *r};
        p->n_found++;
        r->bins = NULL; /* the candidate owns them now */
        failed = p->found[i].path == NONE;
    }
    free(all);
    return failed ? -1 : 0;
}

/* With an anchor that the user gave there is one run. */
static int keep_marked(struct state *st, struct place *p)
{
    if (p->marked.n < st->least)
        return 0;
    uint32_t region = 0;
    while (!st->marks[region])
        region++;
    const uint32_t path = intern_path(st, ROOT, st->same[region], 0);
    p->found = calloc(1, sizeof *p->found);
    if (!p->found || path == NONE)
        return -1;
    p->found[0] = (struct candidate){path, 1, p->marked};
    p->n_found = 1;
    p->marked.bins = NULL;
    return 0;
}

tcf_status choose_location_end(tcf_self *self, uint32_t location)
{
    struct state *st = self->state;
    struct place *p = tcf_location_state(self, location);
    walk_end(self, p);
    const int failed = intern_root(st) == NONE || (st->marks ? keep_marked(st, p) : keep_runs(self, p)) != 0;
    walk_free(p);
    return failed ? self->host->fail(self, "out of memory for the loops of a location") : TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- the end -- */

/* The candidate of this path, where it is regular. */
static uint32_t candidate_of(const struct state *st, const struct conf *conf, const struct place *p, uint32_t path)
{
    for (uint32_t i = 0; i < p->n_found; i++)
        if (p->found[i].path == path && is_regular(st, conf, &p->found[i].run))
            return i;
    return NONE;
}

/* A process votes for its loop, and for every call path that comes as often. */
static void vote(const company *c, const struct candidate *loop, uint64_t *votes)
{
    for (uint32_t i = 0; i < c->n; i++)
        votes[c->of[i]->path] += c->of[i]->run.n == loop->run.n;
}

/* The path with the most votes of those that come as often as the loop; of several the one that is entered first. */
static uint32_t favourite(const company *c, const struct candidate *loop, const uint64_t *votes)
{
    const struct candidate *best = loop;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct candidate *x = c->of[i];
        const uint64_t mine = votes[x->path], most = votes[best->path];
        if (x->run.n == loop->run.n && (mine > most || (mine == most && x->run.first < best->run.first)))
            best = x;
    }
    return best->path;
}

/* Finds each location's own loop. The first location with a loop votes for its process. */
static void find_loops(tcf_self *self, const tcf_processes *processes, uint64_t *votes, uint8_t *spoken)
{
    const struct state *st = self->state;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        struct place *p = tcf_location_state(self, l);
        const company c = find_company(st, self->conf, p);
        const struct candidate *loop = finest(&c);
        uint8_t *of_process = &spoken[processes->of[l]];
        p->loop = loop ? (uint32_t)(loop - p->found) : NONE;
        p->votes = loop && !*of_process;
        *of_process |= p->votes;
        if (p->votes)
            vote(&c, loop, votes);
    }
}

/* The path with the most votes; of several that of the first location. NONE: no location has a loop. */
static uint32_t elect(const tcf_self *self, const uint64_t *votes)
{
    uint32_t path = NONE;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct place *p = tcf_location_state(self, l);
        if (!p->votes)
            continue;
        const company c = find_company(self->state, self->conf, p);
        const uint32_t here = favourite(&c, &p->found[p->loop], votes);
        path = path == NONE || votes[here] > votes[path] ? here : path;
    }
    return path;
}

/* The main loop becomes that of each location where it is a regular candidate. seen: by process. */
static void take_main(tcf_self *self, const tcf_processes *processes, uint8_t *seen)
{
    enum { HAS_EVENTS = 2, HAS_MAIN = 4 };
    struct state *st = self->state;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        struct place *p = tcf_location_state(self, l);
        uint8_t *of_process = &seen[processes->of[l]];
        const uint32_t common = candidate_of(st, self->conf, p, st->main_path);
        p->loop = common != NONE ? common : p->loop;
        st->processes += p->used && !(*of_process & HAS_EVENTS);
        st->processes_with_main += common != NONE && !(*of_process & HAS_MAIN);
        *of_process |= (uint8_t)((p->used ? HAS_EVENTS : 0) | (common != NONE ? HAS_MAIN : 0));
    }
}

tcf_status choose(tcf_self *self)
{
    struct state *st = self->state;
    uint64_t *votes = calloc(st->n_paths + 1ul, sizeof *votes);
    tcf_processes processes = {0};
    const int found = tcf_processes_find(&processes, self->defs) == 0;
    uint8_t *spoken = calloc(processes.n + 1ul, 1);
    const int failed = !votes || !spoken || !found;
    if (!failed) {
        find_loops(self, &processes, votes, spoken);
        st->main_path = elect(self, votes);
        take_main(self, &processes, spoken);
    }
    free(votes);
    free(spoken);
    tcf_processes_free(&processes);
    return failed ? self->host->fail(self, "out of memory for %u call paths", st->n_paths) : TCF_OK;
}
