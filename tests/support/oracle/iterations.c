/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle iterations`: the loop of each location, as plugins/iterations/README.md defines it, from lists of all enters
 * of all visits: every call path of every visit is looked at by itself. */
#include "oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct path {
    size_t parent, rank; /* rank: 0, or of bursts */
    char *name;
};

/* An enter of a child, in the list of the visit that it is entered in. */
struct enter {
    size_t path, number, event;
    uint64_t time, pause; /* pause: since the last enter or leave */
};

struct visit {
    size_t path;
    struct o_list enters;
};

struct mpi {
    uint64_t enter, leave;
    size_t event;
};

/* A run: enters of a call path within a visit. */
struct run {
    size_t location, path, depth, n, rank;
    size_t inside; /* enters in bursts that begin none, their pauses, and the times since the enters before */
    uint64_t inside_pauses, inside_ticks;
    struct enter *enter;
    double evenness, likeness;
    bool regular;
    bool like_loop; /* comes as often as the location's loop, and beside it */
};

struct loops {
    const struct o_trace *trace;
    const struct o_loop_options *options;
    struct o_processes processes;
    size_t location, numbers, depth, mpi_depth;
    struct o_list paths, open, mpi, runs; /* struct path, visit, mpi, run */
    struct o_list found;                  /* struct run, of the location */
    uint64_t quiet_since;
    uint64_t (*totals)[5]; /* by event of the location: messages and collectives before it */
};

static size_t path_of(struct loops *x, size_t parent, size_t rank, const char *name)
{
    const struct path *path = x->paths.item;
    for (size_t i = 1; i < x->paths.n; i++)
        if (path[i].parent == parent && path[i].rank == rank && !strcmp(path[i].name, name))
            return i;
    struct path *new = o_push(&x->paths, sizeof *new);
    *new = (struct path){parent, rank, o_copy(name)};
    return x->paths.n - 1;
}

static uint64_t span(const struct run *r)
{
    return r->enter[r->n - 1].time - r->enter[0].time;
}

static uint64_t duration(const struct run *r, size_t k)
{
    return r->enter[k + 1].time - r->enter[k].time;
}

/* ---- one visit ---- */

/* Which call paths an iteration consists of: those entered in it, of which that is not much less often than the
 * anchor. */
static size_t kinds_of(const struct visit *v, const struct run *r, size_t k, bool *kind, bool *entered, size_t n_paths)
{
    const struct enter *e = v->enters.item;
    size_t *so_far = o_alloc(n_paths, sizeof *so_far), n = 0;
    memset(kind, 0, n_paths);
    memset(entered, 0, n_paths);
    for (size_t i = 0; i < v->enters.n && e[i].number < r->enter[k + 1].number; i++) {
        so_far[e[i].path]++;
        if (e[i].number < r->enter[k].number + (r->rank == 0) || entered[e[i].path])
            continue;
        entered[e[i].path] = true;
        kind[e[i].path] = 2 * so_far[e[i].path] >= k + 1;
        n += kind[e[i].path];
    }
    free(so_far);
    return n;
}

static double likeness(const struct loops *x, const struct visit *v, const struct run *r)
{
    const size_t n_paths = x->paths.n;
    bool *kind = o_alloc(n_paths, 1), *entered = o_alloc(n_paths, 1), *before = o_alloc(n_paths, 1);
    size_t n_before = 0;
    double sum = 0;
    for (size_t k = 0; k + 1 < r->n; k++) {
        size_t n = kinds_of(v, r, k, kind, entered, n_paths), common = 0;
        for (size_t i = 0; i < n_paths; i++)
            common += kind[i] && before[i];
        if (k > 0)
            sum += (double)(common + 1) / (double)(n + (n_before > common ? n_before - common : 0) + 1);
        memcpy(before, entered, n_paths);
        n_before = n;
    }
    free(kind);
    free(entered);
    free(before);
    return r->n > 2 ? sum / (double)(r->n - 2) : 1;
}

static double evenness(const struct run *r)
{
    double roots = 0;
    for (size_t k = 0; k + 1 < r->n; k++)
        roots += sqrt((double)duration(r, k));
    return span(r) ? roots * roots / ((double)(r->n - 1) * (double)span(r)) : 1;
}

/* The longest run of a path counts. Takes the enters over. */
static void keep_longest(struct loops *x, const struct visit *v, struct run run)
{
    struct run *other = x->found.item;
    size_t i = 0;
    while (i < x->found.n && other[i].path != run.path)
        i++;
    if (run.n < x->options->least || (i < x->found.n && span(&run) <= span(&other[i]))) {
        free(run.enter);
        return;
    }
    for (size_t p = run.path; p != 0; p = ((struct path *)x->paths.item)[p].parent)
        run.depth++;
    run.evenness = evenness(&run);
    run.likeness = likeness(x, v, &run);
    if (i < x->found.n)
        free(other[i].enter);
    else
        other = (struct run *)o_push(&x->found, sizeof run) - i;
    other[i] = run;
}

/* The enters that come after a pause more than twice as long as the geometric mean of those before: each begins a
 * burst. */
static struct run bursts_of(struct loops *x, const struct run *r)
{
    struct path of = ((struct path *)x->paths.item)[r->path];
    struct run bursts = {.location = r->location, .rank = r->rank + 1, .enter = o_alloc(r->n, sizeof *r->enter)};
    double logs = 0;
    for (size_t k = 2; k < r->n; k++) {
        logs += r->rank ? log2((double)r->enter[k - 1].pause + 1) + 1 : log2((double)duration(r, k - 2) + 1);
        if (log2((double)r->enter[k].pause + 1) * ((double)k - 1) > logs) {
            bursts.enter[bursts.n++] = r->enter[k];
        } else if (bursts.n) {
            bursts.inside++;
            bursts.inside_pauses += r->enter[k].pause;
            bursts.inside_ticks += duration(r, k - 1);
        }
    }
    if (bursts.n)
        bursts.path = path_of(x, of.parent, bursts.rank, of.name);
    return bursts;
}

static void look_at(struct loops *x, const struct visit *v, size_t path)
{
    const struct enter *e = v->enters.item;
    struct run run = {.location = x->location, .path = path, .enter = o_alloc(v->enters.n + 1, sizeof *e)};
    for (size_t i = 0; i < v->enters.n; i++)
        if (e[i].path == path)
            run.enter[run.n++] = e[i];
    while (run.rank < 2 && !x->options->anchor) {
        struct run bursts = bursts_of(x, &run);
        keep_longest(x, v, run);
        run = bursts;
    }
    keep_longest(x, v, run);
}

static void close_visit(struct loops *x)
{
    struct visit *v = (struct visit *)x->open.item + --x->open.n;
    const struct enter *e = v->enters.item;
    for (size_t i = 0; i < v->enters.n; i++) {
        size_t before = 0;
        while (e[before].path != e[i].path)
            before++;
        if (before == i && !x->options->anchor)
            look_at(x, v, e[i].path);
    }
    free(v->enters.item);
}

static void open_visit(struct loops *x, size_t path)
{
    struct visit *v = o_push(&x->open, sizeof *v);
    *v = (struct visit){.path = path};
}

/* ---- one location ---- */

static bool is_mpi(const struct loops *x, uint64_t region)
{
    char buffer[32];
    return !strncmp(o_region_name(x->trace, region, buffer), "MPI_", 4);
}

static void on_enter(void *user, struct o_visit *visit, const struct o_visit *parent)
{
    struct loops *x = user;
    char buffer[32];
    const char *name = o_region_name(x->trace, visit->region, buffer);
    const char *anchor = x->options->anchor;
    struct visit *v = (struct visit *)x->open.item + x->open.n - 1;
    (void)parent;
    x->depth++;
    x->numbers++;
    size_t path = path_of(x, v->path, 0, name);
    uint64_t pause = visit->enter_time - x->quiet_since;
    x->quiet_since = visit->enter_time;
    if (!anchor)
        *(struct enter *)o_push(&v->enters, sizeof(struct enter)) =
            (struct enter){path, x->numbers, visit->enter, visit->enter_time, pause};
    else if (!strcmp(anchor, name) && !visit->recursive)
        *(struct enter *)o_push(&((struct visit *)x->open.item)->enters, sizeof(struct enter)) =
            (struct enter){path_of(x, 0, 0, name), x->numbers, visit->enter, visit->enter_time, pause};
    open_visit(x, path);
    if (!x->mpi_depth && is_mpi(x, visit->region)) {
        x->mpi_depth = x->depth;
        *(struct mpi *)o_push(&x->mpi, sizeof(struct mpi)) = (struct mpi){visit->enter_time, UINT64_MAX, visit->enter};
    }
}

static void on_leave(void *user, const struct o_visit *visit)
{
    struct loops *x = user;
    close_visit(x);
    x->quiet_since = visit->leave_time;
    if (x->mpi_depth == x->depth--) {
        x->mpi_depth = 0;
        ((struct mpi *)x->mpi.item)[x->mpi.n - 1].leave = visit->leave_time;
    }
}

static uint64_t mpi_before(const struct loops *x, const struct enter *e)
{
    const struct mpi *m = x->mpi.item;
    uint64_t sum = 0;
    for (size_t i = 0; i < x->mpi.n && m[i].event < e->event; i++)
        sum += (m[i].leave < e->time ? m[i].leave : e->time) - m[i].enter;
    return sum;
}

static void count_totals(struct loops *x)
{
    const struct o_location *l = &x->trace->location[x->location];
    x->totals = o_alloc(l->n, sizeof *x->totals);
    for (size_t e = 0; e + 1 < l->n; e++) {
        const struct o_event *event = &l->event[e];
        memcpy(x->totals[e + 1], x->totals[e], sizeof *x->totals);
        uint64_t *t = x->totals[e + 1];
        if (event->kind == O_MPI_SEND || event->kind == O_MPI_ISEND) {
            t[0]++;
            t[1] += event->field[3];
        } else if (event->kind == O_MPI_RECV || event->kind == O_MPI_IRECV) {
            t[2]++;
            t[3] += event->field[3];
        } else if (event->kind == O_MPI_COLLECTIVE_END || event->kind == O_NON_BLOCKING_COLLECTIVE_COMPLETE) {
            t[4]++;
        }
    }
}

/* ---- choice ---- */

static bool is_earlier(const struct run *a, const struct run *b)
{
    return a->enter[0].number < b->enter[0].number;
}

static bool is_wider(const struct run *a, const struct run *b)
{
    if (span(a) != span(b))
        return span(a) > span(b);
    return a->n != b->n ? a->n > b->n : is_earlier(a, b);
}

static bool is_beside(const struct loops *x, const struct run *a, const struct run *widest)
{
    const struct path *path = x->paths.item;
    bool overlaps = a->enter[0].number <= widest->enter[widest->n - 1].number &&
                    widest->enter[0].number <= a->enter[a->n - 1].number;
    return path[a->path].parent == path[widest->path].parent && overlaps && 2 * span(a) >= span(widest);
}

static bool is_evener(const struct run *a, const struct run *b)
{
    return 2 * (1 - a->evenness) <= 1 - b->evenness;
}

static const struct run *with_rank(const struct loops *x, const struct run *r, size_t n, const struct run *of,
                                   size_t rank)
{
    const struct path *path = x->paths.item, *name = &path[of->path];
    for (size_t i = 0; i < n; i++)
        if (path[r[i].path].parent == name->parent && !strcmp(path[r[i].path].name, name->name) && r[i].rank == rank)
            return &r[i];
    return NULL;
}

static bool are_bursts(const struct loops *x, const struct run *r, size_t n, const struct run *a)
{
    const struct run *inner = a->rank ? with_rank(x, r, n, a, a->rank - 1) : NULL;
    if (!a->rank || !a->regular || (inner && !is_evener(a, inner)))
        return false;
    if (a->rank == 1)
        return 3 * a->inside_pauses <= 2 * a->inside_ticks;
    return inner && a->inside <= 3 * a->n && 3 * inner->inside_pauses <= 2 * inner->inside_ticks;
}

/* Of the call paths, or of the bursts. */
static const struct run *best_of(const struct loops *x, struct run *r, size_t n, bool bursts, bool mark)
{
    const struct run *widest = NULL, *loop = NULL;
    struct run **beside = o_alloc(n + 1, sizeof *beside);
    bool *may = o_alloc(n + 1, sizeof *may);
    size_t n_beside = 0, most = 0, best_votes = 0;
    double evenest = 0;
    for (size_t i = 0; i < n; i++) {
        const struct run *outer = with_rank(x, r, n, &r[i], 2);
        may[i] = bursts ? are_bursts(x, r, n, &r[i]) && !(r[i].rank == 1 && outer && are_bursts(x, r, n, outer))
                        : r[i].rank == 0 && r[i].regular;
        if (may[i] &&
            (!widest || r[i].depth < widest->depth || (r[i].depth == widest->depth && is_wider(&r[i], widest))))
            widest = &r[i];
    }
    for (size_t i = 0; widest && i < n; i++) {
        if (!may[i] || !is_beside(x, &r[i], widest))
            continue;
        beside[n_beside++] = &r[i];
        evenest = r[i].evenness > evenest ? r[i].evenness : evenest;
    }
    for (size_t i = n_beside; i-- > 0;)
        if (3 * beside[i]->evenness < 2 * evenest)
            beside[i] = beside[--n_beside];
    for (size_t i = 0; i < n_beside; i++)
        most = beside[i]->n > most ? beside[i]->n : most;
    for (size_t i = 0; i < n_beside; i++) {
        const struct run *a = beside[i];
        size_t votes = 0;
        for (size_t k = 0; k < n_beside; k++)
            votes += beside[k]->n == a->n;
        if (4 * a->n < 3 * most)
            continue;
        if (!loop || votes > best_votes ||
            (votes == best_votes && (a->n > loop->n || (a->n == loop->n && is_earlier(a, loop))))) {
            loop = a;
            best_votes = votes;
        }
    }
    for (size_t i = 0; mark && i < n_beside; i++)
        beside[i]->like_loop = beside[i]->n == loop->n;
    free(beside);
    free(may);
    return loop;
}

/* Runs of one location. */
static const struct run *own_loop(const struct loops *x, struct run *r, size_t n)
{
    const struct run *loop = best_of(x, r, n, false, false), *bursts = best_of(x, r, n, true, false);
    bool calls = loop != NULL;
    if (loop && bursts && is_beside(x, bursts, loop))
        calls = !(2 * loop->n >= 3 * bursts->n && is_evener(bursts, loop)) &&
                !(bursts->n > 4 * loop->n && 3 * bursts->evenness >= 2 * loop->evenness);
    return best_of(x, r, n, !calls, true);
}

/* The runs of a location: where they start in the list, and how many there are. */
static size_t runs_of(const struct loops *x, size_t l, size_t *n)
{
    const struct run *r = x->runs.item;
    size_t first = 0;
    while (first < x->runs.n && r[first].location != l)
        first++;
    for (*n = 0; first + *n < x->runs.n && r[first + *n].location == l; ++*n)
        ;
    return first;
}

static bool speaks(const struct loops *x, const struct run **loop, size_t l)
{
    for (size_t k = 0; k < l; k++)
        if (loop[k] && x->processes.first[k] == x->processes.first[l])
            return false;
    return loop[l] != NULL;
}

/* How many processes have it once in each iteration of their loop. */
static size_t votes_for(const struct loops *x, const struct run **loop, size_t path)
{
    const struct run *r = x->runs.item;
    size_t votes = 0;
    for (size_t i = 0; i < x->runs.n; i++)
        votes += r[i].path == path && r[i].like_loop && speaks(x, loop, r[i].location);
    return votes;
}

/* The call path with the most votes; of several that of the first location, there the one entered first. O_NONE: nobody
 * has one. */
static size_t main_path(const struct loops *x, const struct run **loop)
{
    const struct run *r = x->runs.item, *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < x->runs.n; i++) {
        if (!r[i].like_loop || !speaks(x, loop, r[i].location))
            continue;
        size_t votes = votes_for(x, loop, r[i].path);
        if (votes > most || (votes == most && r[i].location == best->location && is_earlier(&r[i], best))) {
            best = &r[i];
            most = votes;
        }
    }
    return best ? best->path : O_NONE;
}

/* ---- output ---- */

static void print_path(const struct loops *x, size_t p)
{
    const struct path *path = (const struct path *)x->paths.item + p;
    if (path->parent)
        print_path(x, path->parent);
    printf("%s%s", path->parent ? "/" : "", path->name);
}

static void print_loop(const struct loops *x, const struct run *r, const uint64_t *first, const uint64_t *last)
{
    const double whole = (double)(r->n - 1), mean = (double)span(r) / whole;
    uint64_t shortest = UINT64_MAX, longest = 0;
    size_t which = 0;
    double squares = 0;
    for (size_t k = 0; k + 1 < r->n; k++) {
        uint64_t d = duration(r, k);
        which = d > longest ? k : which;
        longest = d > longest ? d : longest;
        shortest = d < shortest ? d : shortest;
        squares += ((double)d - mean) * ((double)d - mean);
    }
    printf("loop,%" PRIu64 ",%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%zu,%" PRIu64,
           x->trace->location[r->location].def.id, r->n, r->enter[0].time, r->enter[r->n - 1].time, shortest, longest,
           which, last[5] - first[5]);
    for (int i = 0; i < 5; i++)
        printf(",%.6g", (double)(last[i] - first[i]) / whole);
    printf(",%.6g,%.5g,%.6g,%.6g,", mean / (double)x->trace->ticks_per_second,
           sqrt(squares / whole) / (double)x->trace->ticks_per_second, r->evenness, r->likeness);
    printf("%zu,", r->rank);
    print_path(x, r->path);
    putchar('\n');
}

struct bin {
    size_t n, which, location;
    uint64_t ticks, longest, begin;
};

static size_t level_for(size_t n, uint64_t bins)
{
    size_t level = 0;
    while ((n - 2) >> level >= bins)
        level++;
    return level;
}

static void add_to_bin(struct bin *b, const struct run *r, size_t k)
{
    uint64_t d = duration(r, k);
    if (!b->n || d > b->longest)
        *b = (struct bin){b->n, k, r->location, b->ticks, d, r->enter[k].time};
    b->n++;
    b->ticks += d;
}

static void print_series(const struct loops *x, const struct run **loop, size_t main)
{
    const uint64_t bins = x->options->bins;
    struct bin *bin = o_alloc(bins, sizeof *bin);
    size_t level = 0;
    for (size_t l = 0; l < x->trace->n_locations; l++)
        if (loop[l] && loop[l]->path == main && level_for(loop[l]->n, bins) > level)
            level = level_for(loop[l]->n, bins);
    for (size_t l = 0; l < x->trace->n_locations; l++)
        for (size_t k = 0; loop[l] && loop[l]->path == main && k + 1 < loop[l]->n; k++)
            add_to_bin(&bin[k >> level], loop[l], k);
    for (size_t i = 0; i < bins; i++)
        if (bin[i].n)
            printf("bin,%zu,%zu,%zu,%" PRIu64 ",%" PRIu64 ",%zu,%" PRIu64 "\n", i << level, (size_t)1 << level,
                   bin[i].n, bin[i].ticks, bin[i].longest, bin[i].which, x->trace->location[bin[i].location].def.id);
    free(bin);
}

static void print_outliers(const struct loops *x, const struct run *r)
{
    const uint64_t bins = x->options->bins;
    const double mean = (double)span(r) / (double)(r->n - 1);
    const size_t level = level_for(r->n, bins);
    struct bin *bin = o_alloc(bins, sizeof *bin);
    for (size_t k = 0; k + 1 < r->n; k++)
        add_to_bin(&bin[k >> level], r, k);
    for (size_t i = 0; i < bins; i++)
        if (bin[i].n && (double)bin[i].longest > 2 * mean)
            printf("outlier,%" PRIu64 ",%zu,%" PRIu64 ",%" PRIu64 ",%.5g\n", x->trace->location[r->location].def.id,
                   bin[i].which, bin[i].begin, bin[i].longest, (double)bin[i].longest / mean);
    free(bin);
}

static void print_candidates(const struct loops *x)
{
    const struct run *r = x->runs.item;
    for (size_t p = 1; p < x->paths.n; p++) {
        size_t fewest = SIZE_MAX, most = 0, n = 0;
        for (size_t i = 0; i < x->runs.n; i++) {
            if (r[i].path != p)
                continue;
            fewest = r[i].n < fewest ? r[i].n : fewest;
            most = r[i].n > most ? r[i].n : most;
            n++;
        }
        if (!n)
            continue;
        printf("candidate,%zu,%zu,%zu,%zu,", fewest, most, n, ((struct path *)x->paths.item)[p].rank);
        print_path(x, p);
        putchar('\n');
    }
}

/* ---- all of it ---- */

/* Runs that cover enough of their location are kept, with the totals at both ends: six numbers each. */
static void keep_runs(struct loops *x, struct o_list *totals)
{
    const struct o_location *l = &x->trace->location[x->location];
    struct run *r = x->found.item;
    const double length =
        l->n ? (double)(o_time(x->trace, x->location, l->n - 1) - o_time(x->trace, x->location, 0)) : 0;
    for (size_t i = 0; i < x->found.n; i++) {
        r[i].regular = r[i].evenness >= x->options->evenness && r[i].likeness >= x->options->likeness;
        if (!((double)span(&r[i]) >= x->options->share * length)) {
            free(r[i].enter);
            continue;
        }
        *(struct run *)o_push(&x->runs, sizeof *r) = r[i];
        for (int end = 0; end < 2; end++) {
            const struct enter *e = &r[i].enter[end ? r[i].n - 1 : 0];
            uint64_t *t = o_push(totals, 6 * sizeof *t);
            memcpy(t, x->totals[e->event], 5 * sizeof *t);
            t[5] = mpi_before(x, e);
        }
    }
}

static void look_at_location(struct loops *x, size_t l, struct o_list *totals)
{
    struct o_walk walk = {.user = x, .enter = on_enter, .leave = on_leave};
    x->location = l;
    x->numbers = x->depth = x->mpi_depth = x->mpi.n = x->found.n = 0;
    x->quiet_since = x->trace->location[l].n ? o_time(x->trace, l, 0) : 0;
    open_visit(x, 0);
    count_totals(x);
    if (x->trace->location[l].n)
        o_walk_location(x->trace, l, &walk);
    struct visit *root = x->open.item;
    if (x->options->anchor && root->enters.n)
        look_at(x, root, ((struct enter *)root->enters.item)->path);
    close_visit(x);
    keep_runs(x, totals);
    free(x->totals);
}

void o_print_iterations(const struct o_trace *trace, const struct o_loop_options *options)
{
    struct loops x = {.trace = trace, .options = options};
    struct o_list totals = {0};
    const struct run **loop = o_alloc(trace->n_locations + 1, sizeof *loop);
    o_push(&x.paths, sizeof(struct path));
    o_processes_build(trace, &x.processes);
    for (size_t l = 0; l < trace->n_locations; l++)
        look_at_location(&x, l, &totals);
    struct run *all = x.runs.item;
    for (size_t l = 0, n; l < trace->n_locations; l++) {
        size_t first = runs_of(&x, l, &n);
        loop[l] = own_loop(&x, all + first, n);
    }
    size_t main = main_path(&x, loop);
    puts("#loop,location,iterations,from,to,shortest,longest,which,mpi,sent,bytes,received,bytes,collectives,mean,"
         "deviation,...");
    for (size_t i = 0; i < x.runs.n; i++)
        if (all[i].path == main && all[i].regular)
            loop[all[i].location] = &all[i];
    for (size_t l = 0; l < trace->n_locations; l++)
        if (loop[l]) {
            const uint64_t *t = (const uint64_t *)totals.item + 12 * (loop[l] - all);
            print_loop(&x, loop[l], t, t + 6);
            print_outliers(&x, loop[l]);
        }
    print_series(&x, loop, main);
    print_candidates(&x);
    for (size_t i = 0; i < x.runs.n; i++)
        free(all[i].enter);
    for (size_t p = 1; p < x.paths.n; p++)
        free(((struct path *)x.paths.item)[p].name);
    free(loop);
    free(totals.item);
    free(x.paths.item);
    free(x.open.item);
    free(x.mpi.item);
    free(x.runs.item);
    free(x.found.item);
    o_processes_free(&x.processes);
}
