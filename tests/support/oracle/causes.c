/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Whose doing waits are, from the whole trace, as plugins/root_cause/README.md defines it: each wait looks for the last
 * time that the two met, compares what both did since then event by event, and asks the waits that lie in between for
 * their causes. Shares are plain floating-point vectors over all locations and call paths; there is no window and no
 * cap. */
#include "causes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A piece of time that a location spent in one call path. */
struct piece {
    uint64_t from, to;
    size_t path;
};

/* A wait, once it is a question of causes. */
struct item {
    const struct o_wait *wait;
    uint64_t from, until;
    size_t path;
    bool asked, done;
    double *share;  /* [location * n_paths + path] */
    double *hidden; /* [path]: what its location had done more than the other one since they had last met, */
    uint64_t since; /* at this time */
    double indirect, passed_on;
    bool unknown;
};

struct path {
    size_t parent;
    uint64_t region;
    bool computes; /* computation behind calls of the region */
};

struct causes {
    const struct o_waits *w;
    struct o_list *pieces;          /* by location */
    struct o_list paths;            /* struct path; 0: outside of any call */
    size_t **path_of;               /* [location][call] */
    bool **is_around;               /* [location][call]: there are calls that communicate in it, or locks */
    struct o_list items;            /* by location, from, until */
    double *short_term, *long_term; /* [pattern][location][path] */
    bool computation, compares;
};

/* In the order in which waits that begin and end together count. */
static const char *const names[] = {"mpi_finalize_wait",
                                    "mpi_barrier_wait",
                                    "mpi_rma_wait_at_create",
                                    "mpi_rma_wait_at_free",
                                    "mpi_rma_wait_at_fence",
                                    "mpi_rma_sync_late_post",
                                    "mpi_rma_early_wait",
                                    "mpi_latesender",
                                    "mpi_latereceiver",
                                    "mpi_latereceiver_completion",
                                    "mpi_latereceiver_exchange",
                                    "mpi_earlyreduce",
                                    "mpi_earlyscan",
                                    "mpi_latebroadcast",
                                    "mpi_wait_nxn",
                                    "omp_ebarrier_wait",
                                    "omp_ibarrier_wait",
                                    "omp_lock_contention_critical",
                                    "omp_lock_contention_api",
                                    "pthread_lock_contention_mutex_lock",
                                    "pthread_lock_contention_conditional"};
enum { NAMES = sizeof names / sizeof *names };

static size_t name_of(const char *pattern)
{
    size_t i = 0;
    while (i < NAMES && strcmp(names[i], pattern))
        i++;
    return i;
}

/* ---- what locations did ---- */

static size_t intern(struct causes *c, size_t parent, uint64_t region, bool computes)
{
    const struct path *p = c->paths.item;
    for (size_t i = 1; i < c->paths.n; i++)
        if (p[i].parent == parent && p[i].region == region && p[i].computes == computes)
            return i;
    *(struct path *)o_push(&c->paths, sizeof *p) = (struct path){parent, region, computes};
    return c->paths.n - 1;
}

static void cut_into_pieces(struct causes *c, size_t l)
{
    const struct o_location *location = &c->w->m->trace->location[l];
    c->path_of[l] = o_alloc(c->w->calls[l].n, sizeof **c->path_of);
    for (size_t i = 0; i < c->w->calls[l].n; i++) {
        const struct o_call *call = o_call(c->w, l, i);
        c->path_of[l][i] =
            call->bare ? c->path_of[l][call->parent]
                       : intern(c, call->parent == O_NONE ? 0 : c->path_of[l][call->parent], call->region, false);
    }
    for (size_t e = 0; e + 1 < location->n; e++) {
        const uint64_t from = o_event_time(c->w, l, e), to = o_event_time(c->w, l, e + 1);
        const size_t call = o_open_after(c->w, l, e);
        size_t path = call == O_NONE ? 0 : c->path_of[l][call];
        const size_t behind = c->computation && !o_is_bare(c->w, l, call, e) ? o_followed(c->w, l, call, e) : O_NONE;
        if (to > from && behind != O_NONE)
            path = intern(c, path, o_call(c->w, l, behind)->region, true);
        if (to > from)
            *(struct piece *)o_push(&c->pieces[l], sizeof(struct piece)) = (struct piece){from, to, path};
    }
}

/* Of the event, that the call around it is one that communicates. */
static bool communicates(const struct causes *c, size_t l, size_t e)
{
    const struct o_trace *trace = c->w->m->trace;
    const size_t call = c->w->call_at[l][e];
    switch (trace->location[l].event[e].kind) {
    case O_MPI_SEND:
    case O_MPI_ISEND:
    case O_MPI_ISEND_COMPLETE:
    case O_MPI_RECV:
    case O_MPI_IRECV:
    case O_MPI_IRECV_REQUEST:
    case O_MPI_COLLECTIVE_BEGIN:
    case O_MPI_COLLECTIVE_END:
    case O_NON_BLOCKING_COLLECTIVE_REQUEST:
    case O_NON_BLOCKING_COLLECTIVE_COMPLETE:
    case O_RMA_COLLECTIVE_BEGIN:
    case O_RMA_COLLECTIVE_END:
    case O_RMA_PUT:
    case O_RMA_GET:
    case O_RMA_ATOMIC:
    case O_RMA_GROUP_SYNC:
        return true;
    case O_ENTER:
    case O_CALLING_CONTEXT_ENTER: { /* of what is an operation by its name */
        const struct o_region *region = o_find(&trace->regions, sizeof *region, o_call(c->w, l, call)->region);
        return o_call_is(c->w, l, call, "MPI_Init") || o_call_is(c->w, l, call, "MPI_Finalize") ||
               (region &&
                (region->role == OTF2_REGION_ROLE_BARRIER || region->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER));
    }
    default:
        return false;
    }
}

static bool is_lock_event(const struct causes *c, size_t l, size_t e)
{
    const uint16_t kind = c->w->m->trace->location[l].event[e].kind;
    return kind == O_THREAD_ACQUIRE_LOCK || kind == O_THREAD_RELEASE_LOCK || kind == O_OMP_ACQUIRE_LOCK ||
           kind == O_OMP_RELEASE_LOCK;
}

/* Which calls stand around others that communicate. */
static void find_around(struct causes *c, size_t l)
{
    c->is_around[l] = o_alloc(c->w->calls[l].n + 1, sizeof **c->is_around);
    for (size_t e = 0; e < c->w->m->trace->location[l].n; e++) {
        size_t call = c->w->of_event[l][e];
        uint64_t known = o_event_time(c->w, l, e);
        if (call == O_NONE || (!communicates(c, l, e) && !is_lock_event(c, l, e)))
            continue;
        if (!is_lock_event(c, l, e)) {
            known = o_call(c->w, l, call)->leave;
            call = o_call(c->w, l, call)->parent;
        }
        for (; call != O_NONE; call = o_call(c->w, l, call)->parent)
            if (known > o_call(c->w, l, call)->enter)
                c->is_around[l][call] = true;
    }
}

/* Whether what began at a time in a call counts before another time. */
static bool counts(const struct causes *c, size_t l, size_t call, uint64_t from, uint64_t before)
{
    return from < before && (call == O_NONE || !c->is_around[l][call] || o_call(c->w, l, call)->leave < before);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Time by call path; before its first event a location is outside of any. */
static void profile(const struct causes *c, size_t l, uint64_t from, uint64_t to, double *time)
{
    const struct piece *p = c->pieces[l].item;
    const uint64_t first = o_event_time(c->w, l, 0);
    if (from >= to)
        return;
    if (from < first)
        time[0] += (double)(least(first, to) - from);
    size_t low = 0, high = c->pieces[l].n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p[middle].to > from)
            high = middle;
        else
            low = middle + 1;
    }
    for (size_t i = low; i < c->pieces[l].n && p[i].from < to; i++)
        time[p[i].path] += (double)((p[i].to < to ? p[i].to : to) - (p[i].from > from ? p[i].from : from));
}

/* ---- meetings ---- */

/* Of calls directly in one region that begin together the last counts. */
static uint64_t left(const struct causes *c, size_t l, size_t call, uint64_t time)
{
    const struct o_call *x = o_call(c->w, l, call);
    uint64_t leave = x ? x->leave : time;
    for (size_t i = 0; x && x->bare && i < c->w->calls[l].n; i++) {
        const struct o_call *y = o_call(c->w, l, i);
        if (y->bare && y->parent == x->parent && y->enter == x->enter && y->leave > leave)
            leave = y->leave;
    }
    return leave;
}

static bool is_lock(const struct o_wait *w)
{
    return strstr(w->pattern, "lock_contention");
}

/* When the first of the two goes on after a wait. */
static uint64_t end_of_wait(const struct causes *c, const struct item *x)
{
    const struct o_wait *w = x->wait;
    if (is_lock(w))
        return x->until;
    return least(left(c, w->location, w->call, x->from), left(c, w->cause.location, w->cause.call, w->cause.time));
}

static bool wait_counts(const struct causes *c, const struct o_wait *w, uint64_t before, uint64_t cause_before)
{
    if (is_lock(w))
        return w->from < before && w->cause.time < cause_before;
    return counts(c, w->location, w->call, w->from, before) &&
           counts(c, w->cause.location, w->cause.call, w->cause.time, cause_before);
}

static uint64_t last_met(const struct causes *c, const struct o_wait *w)
{
    const size_t a = w->location, b = w->cause.location;
    const struct item *x = c->items.item;
    const struct o_meeting *m = c->w->meetings.item;
    uint64_t since = 0;
    for (size_t i = 0; i < c->items.n; i++) {
        const struct o_wait *v = x[i].wait;
        const bool mine = v->location == a && v->cause.location == b && wait_counts(c, v, w->from, w->cause.time);
        const bool theirs = v->location == b && v->cause.location == a && wait_counts(c, v, w->cause.time, w->from);
        const uint64_t met = mine || theirs ? end_of_wait(c, &x[i]) : 0;
        if (met > since && met >= v->from && met >= v->cause.time)
            since = met;
    }
    for (size_t i = 0; i < c->w->meetings.n; i++) {
        if (m[i].location != a || !counts(c, a, m[i].call, m[i].from, w->from))
            continue;
        size_t k = i;
        while (k > 0 && m[k - 1].operation == m[i].operation)
            k--;
        for (; k < c->w->meetings.n && m[k].operation == m[i].operation; k++)
            if (m[k].location == b && counts(c, b, m[k].call, m[k].from, w->cause.time) &&
                least(m[i].end, m[k].end) > since && m[i].end >= m[k].from && m[k].end >= m[i].from)
                since = least(m[i].end, m[k].end);
    }
    return since > 0 ? since : least(o_event_time(c->w, a, 0), o_event_time(c->w, b, 0));
}

/* ---- causes ---- */

/* A part of the time that a location waited. */
struct waiting {
    struct item *item;
    uint64_t from, to;
    double length; /* with what it hid */
};

/* How a location waited between two times. Returns a list of struct waiting. */
static struct o_list waits_between(struct causes *c, size_t l, uint64_t from, uint64_t to)
{
    struct item *y = c->items.item;
    struct o_list list = {0};
    uint64_t covered = from;
    for (size_t i = 0; i < c->items.n; i++) {
        if (y[i].wait->location != l || y[i].from >= to ||
            (!is_lock(y[i].wait) && !counts(c, l, y[i].wait->call, y[i].from, to)))
            continue;
        const uint64_t begin = y[i].from > covered ? y[i].from : covered, end = least(y[i].until, to);
        if (end <= begin)
            continue;
        covered = end;
        *(struct waiting *)o_push(&list, sizeof(struct waiting)) =
            (struct waiting){.item = &y[i], .from = begin, .to = end, .length = (double)(end - begin)};
    }
    return list;
}

/* Takes waits out of a profile. Returns how long they are. */
static double take_waits(struct o_list waits, double *time)
{
    const struct waiting *x = waits.item;
    double sum = 0;
    for (size_t i = 0; i < waits.n; i++) {
        sum += x[i].length;
        time[x[i].item->path] -= x[i].length < time[x[i].item->path] ? x[i].length : time[x[i].item->path];
    }
    return sum;
}

/* How much of what a wait hid was done since this time, if all was done evenly. */
static double hidden_since(const struct waiting *y, size_t path, uint64_t since)
{
    const double size = y->item->hidden ? y->item->hidden[path] : 0;
    if (since <= y->item->since)
        return size;
    return y->from > since ? size * (double)(y->from - since) / (double)(y->from - y->item->since) : 0;
}

/* What of `they` (more than the other one did since then) was hidden by waits: of each path, from the last wait back.
 */
static double move_hidden(const struct causes *c, uint64_t since, struct o_list waits, double *they)
{
    struct waiting *x = waits.item;
    double sum = 0;
    for (size_t path = 0; path < c->paths.n; path++) {
        const double more = they[path];
        double moved = 0;
        for (size_t i = waits.n; i-- > 0;) {
            double hid = hidden_since(&x[i], path, since);
            hid = hid < more ? hid : more;
            if (hid <= moved)
                continue;
            x[i].length += hid - moved;
            moved = hid;
        }
        they[path] -= moved;
        sum += moved;
    }
    return sum;
}

/* What waits were caused by: time by location and call path. */
static double *causes_of(const struct causes *c, struct o_list waits)
{
    const struct waiting *y = waits.item;
    const size_t cells = c->w->m->trace->n_locations * c->paths.n;
    double *time = o_alloc(cells, sizeof *time);
    for (size_t i = 0; i < waits.n; i++)
        for (size_t k = 0; y[i].item->share && k < cells; k++)
            time[k] += y[i].length * y[i].item->share[k];
    return time;
}

/* Takes out of both what both have. Returns how much that is. */
static double take(double *a, double *b)
{
    const double both = *a < *b ? *a : *b;
    *a -= both;
    *b -= both;
    return both;
}

/* Compares what the waits of both were caused by: cause by cause; then by call path, whoever did it; then each with
 * what the other one did more. `remains` becomes the part of each cause of theirs that is left. Returns how much fell.
 */
static double compare(const struct causes *c, struct o_list theirs, struct o_list mine, double *they, double *me,
                      double *remains)
{
    const size_t n = c->paths.n, cells = c->w->m->trace->n_locations * n;
    double *caused = causes_of(c, theirs), *passed = causes_of(c, mine), fell = 0;
    for (size_t k = 0; k < cells; k++) {
        const double all = caused[k];
        fell += take(&caused[k], &passed[k]);
        remains[k] = all > 0 ? caused[k] / all : 1;
    }
    for (size_t path = 0; path < n; path++) {
        double left = 0, other = 0;
        for (size_t k = path; k < cells; k += n) {
            left += caused[k];
            other += passed[k];
        }
        const double all = left;
        fell += take(&left, &other) + take(&left, &me[path]);
        take(&they[path], &other);
        for (size_t k = path; all > 0 && k < cells; k += n)
            remains[k] *= left / all;
    }
    free(caused);
    free(passed);
    return fell;
}

/* Hands on the causes of the waits in between, in parts of `whole`, and of each the part that remains. */
static void hand_on(struct causes *c, struct item *x, struct o_list waits, const double *remains, double whole)
{
    const struct waiting *y = waits.item;
    const size_t n = c->paths.n;
    const double length = (double)(x->until - x->from);
    for (size_t i = 0; i < waits.n; i++) {
        double rest = y[i].length;
        for (size_t k = 0; y[i].item->share && k < c->w->m->trace->n_locations * n; k++) {
            const double part = y[i].length * y[i].item->share[k];
            x->share[k] += part * remains[k] / whole;
            rest -= part * (1 - remains[k]);
        }
        const double taken = length * rest / y[i].length < whole ? length * rest / y[i].length / whole : 1;
        y[i].item->passed_on = taken > y[i].item->passed_on ? taken : y[i].item->passed_on;
    }
}

static double *cell(const struct causes *c, double *sums, const struct item *x)
{
    return sums + name_of(x->wait->pattern) * c->w->m->trace->n_locations * c->paths.n;
}

static void ask(struct causes *c, struct item *x)
{
    const struct o_wait *w = x->wait;
    const size_t n = c->paths.n, cells = c->w->m->trace->n_locations * n;
    const double length = (double)(x->until - x->from);
    if (x->asked)
        return;
    x->asked = true;
    x->unknown = true;
    if (w->reversed || w->cause.location == O_NONE || w->cause.location == w->location)
        return;
    const uint64_t since = last_met(c, w);
    double *they = o_alloc(n, sizeof *they), *me = o_alloc(n, sizeof *me);
    profile(c, w->cause.location, since, w->cause.time, they);
    profile(c, w->location, since, w->from, me);
    const struct o_list theirs = waits_between(c, w->cause.location, since, w->cause.time);
    const struct o_list mine = waits_between(c, w->location, since, w->from);
    double waiting = take_waits(theirs, they);
    take_waits(mine, me);
    for (size_t i = 0; i < n; i++) {
        const double both = they[i] < me[i] ? they[i] : me[i];
        they[i] -= both;
        me[i] -= both;
    }
    for (size_t i = 0; i < theirs.n; i++)
        ask(c, ((struct waiting *)theirs.item)[i].item);
    for (size_t i = 0; i < mine.n; i++)
        ask(c, ((struct waiting *)mine.item)[i].item);
    double *remains = o_alloc(cells, sizeof *remains), own = 0;
    for (size_t k = 0; k < cells; k++)
        remains[k] = 1;
    if (c->compares) {
        waiting += move_hidden(c, since, theirs, they);
        waiting -= compare(c, theirs, mine, they, me, remains);
    }
    for (size_t i = 0; i < n; i++)
        own += they[i];
    if (own + waiting >= 0.5) {
        const double whole = own + waiting;
        x->unknown = false;
        x->share = o_alloc(cells, sizeof *x->share);
        hand_on(c, x, theirs, remains, whole);
        for (size_t k = 0; k < cells; k++)
            cell(c, c->long_term, x)[k] += length * x->share[k];
        for (size_t i = 0; i < n; i++) {
            cell(c, c->short_term, x)[w->cause.location * n + i] += length * they[i] / whole;
            x->share[w->cause.location * n + i] += they[i] / whole;
        }
        x->indirect = length * waiting / whole;
        x->hidden = me;
        x->since = since;
        me = NULL;
    }
    free(remains);
    free(theirs.item);
    free(mine.item);
    free(they);
    free(me);
}

/* ---- all of them ---- */

static int by_place(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->wait->location != y->wait->location)
        return x->wait->location < y->wait->location ? -1 : 1;
    if (x->from != y->from)
        return o_compare_u64(x->from, y->from);
    if (x->until != y->until)
        return o_compare_u64(y->until, x->until);
    size_t p = name_of(x->wait->pattern), q = name_of(y->wait->pattern);
    if (p != q)
        return p < q ? -1 : 1;
    return o_compare_u64(x->wait->cause.location, y->wait->cause.location);
}

static void collect(struct causes *c)
{
    const struct o_wait *x = c->w->found.item;
    for (size_t i = 0; i < c->w->found.n; i++)
        if (name_of(x[i].pattern) < NAMES)
            *(struct item *)o_push(&c->items, sizeof(struct item)) =
                (struct item){.wait = &x[i],
                              .from = x[i].from,
                              .until = x[i].from + x[i].length,
                              .path = x[i].call == O_NONE ? 0 : c->path_of[x[i].location][x[i].call]};
    if (c->items.n > 1)
        qsort(c->items.item, c->items.n, sizeof(struct item), by_place);
}

static void print_path(const struct causes *c, size_t path)
{
    const struct path *p = (const struct path *)c->paths.item + path;
    char buffer[32];
    if (path == 0)
        return;
    print_path(c, p->parent);
    printf(p->computes ? "%s(after %s)" : "%s%s", p->parent == 0 ? "" : "/",
           o_region_name(c->w->m->trace, p->region, buffer));
}

static void print_costs(const struct causes *c)
{
    const size_t locations = c->w->m->trace->n_locations, n = c->paths.n;
    for (size_t i = 0; i < NAMES * locations * n; i++) {
        if (c->short_term[i] <= 0 && c->long_term[i] <= 0)
            continue;
        printf("cost,%s,%" PRIu64 ",%.6f,%.6f,", names[i / n / locations],
               c->w->m->trace->location[i / n % locations].def.id, c->short_term[i], c->long_term[i]);
        print_path(c, i % n);
        putchar('\n');
    }
}

void o_print_causes(const struct o_waits *w, bool computation, bool compares)
{
    const size_t locations = w->m->trace->n_locations;
    struct causes c = {.w = w,
                       .computation = computation,
                       .compares = compares,
                       .pieces = o_alloc(locations, sizeof *c.pieces),
                       .path_of = o_alloc(locations, sizeof *c.path_of),
                       .is_around = o_alloc(locations, sizeof *c.is_around)};
    o_push(&c.paths, sizeof(struct path));
    for (size_t l = 0; l < locations; l++)
        cut_into_pieces(&c, l);
    for (size_t l = 0; l < locations; l++)
        find_around(&c, l);
    c.short_term = o_alloc(NAMES * locations * c.paths.n, sizeof *c.short_term);
    c.long_term = o_alloc(NAMES * locations * c.paths.n, sizeof *c.long_term);
    collect(&c);
    struct item *x = c.items.item;
    for (size_t i = 0; i < c.items.n; i++)
        ask(&c, &x[i]);
    print_costs(&c);
    for (size_t i = 0; i < c.items.n; i++) {
        const double length = (double)(x[i].until - x[i].from);
        printf("wait,%s,%" PRIu64 ",%.6f,%.6f,%.6f,%.6f,", x[i].wait->pattern,
               w->m->trace->location[x[i].wait->location].def.id, length, x[i].indirect, length * x[i].passed_on,
               x[i].unknown ? length : 0);
        print_path(&c, x[i].path);
        putchar('\n');
        free(x[i].share);
        free(x[i].hidden);
    }
    for (size_t l = 0; l < locations; l++) {
        free(c.pieces[l].item);
        free(c.path_of[l]);
        free(c.is_around[l]);
    }
    free(c.pieces);
    free(c.path_of);
    free(c.is_around);
    free(c.paths.item);
    free(c.items.item);
    free(c.short_term);
    free(c.long_term);
}
