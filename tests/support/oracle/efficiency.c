/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle efficiency`: useful times and the run time on an ideal network from the whole trace, as
 * plugins/efficiency/README.md defines them. What a location does between any two events is found by going through all
 * of its events up to there; ideal times are those of all edges, location by location until nothing moves. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COMPUTES, THREADS, DEVICE, ELSE, COMMUNICATES, IDLES, RESTS, WHAT = RESTS };
enum { ALL, INNER, RANGE, SCOPES };

struct lane {
    bool stands, ignored;
    bool ends_in_finalize, bound; /* bound: something has come that it depends on */
    int *does;                    /* [event]: from the event before up to it */
    bool *outside;                /* [event]: no region is open meanwhile */
    bool *is_source;              /* [event]: others wait for it */
    size_t from[SCOPES];          /* the event with which the scope begins */
    size_t to[SCOPES];            /* that with which it ends */
    uint64_t *ideal[SCOPES];      /* [event] */
    uint64_t *idled[SCOPES];      /* [event]: idle time up to it of which it is open what it waited for */
    size_t next;
    struct o_list marks;  /* size_t: the enters that begin iterations */
    struct o_list ranges; /* struct range */
};

/* From the event with which a range begins to that with which the next one does. */
struct range {
    size_t from, to;
    uint64_t ideal; /* at its end */
};

struct into {
    size_t location, event, from_location, from;
};

struct replay {
    const struct o_matching *m;
    struct lane *lane;
    struct o_list into, posts; /* struct into, o_post */
    bool tasks;                /* a runtime system calls the program: what is outside of regions is its time */
    const char *anchor;        /* NULL: no iterations */
    size_t width;              /* of a range of them */
};

/* ---- what a location does ---- */

static bool starts(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static bool is_for_device(const char *name)
{
    static const char *const begins[] = {"hipMemcpy", "clEnqueueRead", "clEnqueueWrite", "clEnqueueCopy", "acc_wait"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (starts(name, begins[i]))
            return true;
    if (starts(name, "cu") && (strstr(name, "Synchronize") || strstr(name, "WaitEvent") || strstr(name, "Memcpy")))
        return true;
    return (starts(name, "hip") && strstr(name, "Synchronize")) || !strcmp(name, "clFinish") ||
           !strcmp(name, "clWaitForEvents");
}

static bool ends(const char *name, const char *with)
{
    const size_t n = strlen(name), m = strlen(with);
    return n >= m && !strcmp(name + n - m, with);
}

static bool is_mpi_name(const char *name)
{
    return starts(name, "MPI_") || starts(name, "PMPI_");
}

static bool is_between_processes(const struct o_region *r)
{
    return r->paradigm == OTF2_PARADIGM_MPI || r->paradigm == OTF2_PARADIGM_GASPI || r->paradigm == OTF2_PARADIGM_UPC ||
           r->paradigm == OTF2_PARADIGM_SHMEM;
}

/* Nothing to do: by the names that recorders have for it, or a role which says so where no threads are at work. */
static bool is_idle(const struct o_region *r, const char *name)
{
    if (is_mpi_name(name) || starts(name, "pthread_"))
        return false;
    if (!strcmp(name, "Idle") || !strcmp(name, "COMPUTE_IDLE") || ends(name, "omp idle") || ends(name, "omp_idle"))
        return true;
    switch (r->paradigm) {
    case OTF2_PARADIGM_UNKNOWN:
    case OTF2_PARADIGM_USER:
    case OTF2_PARADIGM_COMPILER:
    case OTF2_PARADIGM_SAMPLING:
    case OTF2_PARADIGM_NONE:
        return r->role == OTF2_REGION_ROLE_TASK_WAIT;
    default:
        return false;
    }
}

/* A task, or measurement: it may come in the middle of anything. */
static bool is_task(const struct o_trace *trace, uint64_t region)
{
    const struct o_region *r = o_find(&trace->regions, sizeof *r, region);
    char buffer[32];
    const char *name = r ? o_region_name(trace, region, buffer) : "";
    if (!r)
        return false;
    if (r->role == OTF2_REGION_ROLE_TASK || r->role == OTF2_REGION_ROLE_TASK_UNTIED)
        return true;
    return (r->role == OTF2_REGION_ROLE_ARTIFICIAL || r->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM) &&
           r->paradigm != OTF2_PARADIGM_OPENMP && !is_mpi_name(name) && !starts(name, "pthread_") && !is_idle(r, name);
}

/* Does what is called from it belong to it? */
static bool takes_all(const struct o_trace *trace, uint64_t region)
{
    const struct o_region *r = o_find(&trace->regions, sizeof *r, region);
    char buffer[32];
    const char *name = r ? o_region_name(trace, region, buffer) : "";
    return r && (is_mpi_name(name) || is_between_processes(r) || is_idle(r, name) || starts(name, "pthread_mutex_") ||
                 starts(name, "pthread_spin_") || starts(name, "pthread_rwlock_") || starts(name, "pthread_cond_") ||
                 starts(name, "pthread_barrier_") || is_for_device(name));
}

static int what_is(const struct o_trace *trace, uint64_t region)
{
    static const uint8_t waiting[] = {OTF2_REGION_ROLE_BARRIER,     OTF2_REGION_ROLE_IMPLICIT_BARRIER,
                                      OTF2_REGION_ROLE_CRITICAL,    OTF2_REGION_ROLE_ORDERED,
                                      OTF2_REGION_ROLE_TASK_CREATE, OTF2_REGION_ROLE_TASK_WAIT,
                                      OTF2_REGION_ROLE_FLUSH,       OTF2_REGION_ROLE_ATOMIC};
    const struct o_region *r = o_find(&trace->regions, sizeof *r, region);
    char buffer[32];
    const char *name = r ? o_region_name(trace, region, buffer) : "";
    if (!r)
        return COMPUTES;
    if (is_mpi_name(name))
        return strstr(name, "MPI_File_") ? ELSE : COMMUNICATES;
    if (starts(name, "pthread_"))
        return r->paradigm == OTF2_PARADIGM_MPI ? COMMUNICATES : THREADS;
    if (is_idle(r, name))
        return IDLES;
    if (r->paradigm == OTF2_PARADIGM_OPENMP)
        return memchr(waiting, r->role, sizeof waiting) || starts(name, "omp_") ? THREADS
               : is_for_device(name)                                            ? DEVICE
                                                                                : COMPUTES;
    if (r->role == OTF2_REGION_ROLE_ARTIFICIAL || r->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM)
        return ELSE;
    if (is_between_processes(r))
        return COMMUNICATES;
    const bool device = r->paradigm == OTF2_PARADIGM_CUDA || r->paradigm == OTF2_PARADIGM_OPENACC ||
                        r->paradigm == OTF2_PARADIGM_OPENCL || r->paradigm == OTF2_PARADIGM_HIP;
    return device || is_for_device(name) ? DEVICE : COMPUTES;
}

/* With n open regions: of those from the innermost task on the first one that takes all, else the last one. */
static int what_in(const struct o_trace *trace, const uint64_t *regions, size_t n)
{
    size_t task = 0;
    for (size_t i = 0; i < n; i++)
        task = is_task(trace, regions[i]) ? i : task;
    for (size_t i = task; i < n; i++)
        if (takes_all(trace, regions[i]) && !is_task(trace, regions[i]))
            return what_is(trace, regions[i]);
    return what_is(trace, regions[n - 1]);
}

static bool is_called(const struct o_trace *trace, uint64_t region, const char *a, const char *b)
{
    const struct o_region *r = o_find(&trace->regions, sizeof *r, region);
    char buffer[32];
    const char *name = r ? o_region_name(trace, region, buffer) : "";
    return !strcmp(name, a) || !strcmp(name, b);
}

static bool is_anchor(const struct replay *r, uint64_t region)
{
    return r->anchor && is_called(r->m->trace, region, r->anchor, r->anchor);
}

static bool is_enter(const struct o_event *e)
{
    return e->kind == O_ENTER || e->kind == O_CALLING_CONTEXT_ENTER;
}

static void look_at(struct replay *r, size_t l)
{
    const struct o_trace *trace = r->m->trace;
    const struct o_location *of = &trace->location[l];
    struct lane *k = &r->lane[l];
    struct o_list open = {0};
    size_t running = 0;
    bool has_ended = false;
    k->to[ALL] = k->to[INNER] = of->n ? of->n - 1 : 0;
    for (size_t e = 0; e <= of->n; e++) {
        const uint64_t *regions = open.item;
        uint64_t region;
        k->does[e] = !k->stands && running == 0 ? RESTS : r->tasks ? ELSE : COMPUTES;
        if (open.n > 0)
            k->does[e] = what_in(trace, regions, open.n);
        k->outside[e] = open.n == 0;
        if (e == of->n)
            break;
        const struct o_event *event = &of->event[e];
        if (event->kind == O_THREAD_TEAM_BEGIN || event->kind == O_THREAD_BEGIN)
            running++;
        if ((event->kind == O_THREAD_TEAM_END || event->kind == O_THREAD_END) && running > 0)
            running--;
        if (!o_region_of(trace, event, &region))
            continue;
        if (is_enter(event)) {
            bool inside = false;
            for (size_t i = 0; i < open.n; i++)
                inside |= is_anchor(r, regions[i]);
            if (is_anchor(r, region) && !inside)
                *(size_t *)o_push(&k->marks, sizeof(size_t)) = e;
            if (is_called(trace, region, "MPI_Finalize", "MPI_Finalize") && !has_ended) {
                k->to[INNER] = e;
                has_ended = k->ends_in_finalize = true;
            }
            uint64_t *new = o_push(&open, sizeof *new);
            *new = region;
            continue;
        }
        if (is_called(trace, region, "MPI_Init", "MPI_Init_thread") && !has_ended)
            k->from[INNER] = e;
        for (size_t n = open.n; n-- > 0;)
            if (regions[n] == region) {
                open.n = n;
                break;
            }
    }
    free(open.item);
}

/* ---- ranges of iterations ---- */

/* The narrowest ranges, of a power of two iterations, of which no location has more than `most`. */
static void find_ranges(struct replay *r, uint64_t most)
{
    const size_t n = r->m->trace->n_locations;
    r->width = 1;
    for (size_t l = 0; l < n; l++)
        while (r->lane[l].marks.n > 1 && (r->lane[l].marks.n - 2) / r->width >= most)
            r->width *= 2;
    for (size_t l = 0; l < n; l++) {
        struct lane *k = &r->lane[l];
        const size_t *mark = k->marks.item;
        for (size_t i = 0; k->stands && i + 1 < k->marks.n; i += r->width) {
            const size_t end = i + r->width < k->marks.n ? i + r->width : k->marks.n - 1;
            *(struct range *)o_push(&k->ranges, sizeof(struct range)) =
                (struct range){.from = mark[i], .to = mark[end]};
        }
    }
}

/* Is the location in the scope from the event before up to event e? */
static bool is_in(const struct lane *k, size_t e, int scope)
{
    if (scope != RANGE)
        return e <= k->to[scope];
    const struct range *x = k->ranges.item;
    return k->ranges.n == 0 || (e > x[0].from && e <= x[k->ranges.n - 1].to);
}

/* ---- sends that waited ---- */

static struct o_post *post_for(const struct replay *r, size_t l, size_t e)
{
    struct o_post *post = r->posts.item;
    for (size_t i = 0; i < r->posts.n; i++)
        if (post[i].target_location == l && post[i].target == e && !post[i].given_up)
            return &post[i];
    return NULL;
}

static bool is_post_to_come(const struct replay *r, size_t l, size_t e)
{
    const struct o_post *post = e < r->m->trace->location[l].n ? post_for(r, l, e) : NULL;
    return post && !r->lane[post->source_location].ignored && post->source >= r->lane[post->source_location].next;
}

/* All events wait: of the sends that wait for a receive to be posted the earliest one goes on without. */
static bool give_up_post(const struct replay *r)
{
    const struct o_trace *trace = r->m->trace;
    size_t earliest = O_NONE;
    for (size_t l = 0; l < trace->n_locations; l++)
        if (!r->lane[l].ignored && is_post_to_come(r, l, r->lane[l].next) &&
            (earliest == O_NONE || trace->location[l].event[r->lane[l].next].time <
                                       trace->location[earliest].event[r->lane[earliest].next].time))
            earliest = l;
    if (earliest != O_NONE)
        post_for(r, earliest, r->lane[earliest].next)->given_up = true;
    return earliest != O_NONE;
}

static bool is_heard(const struct o_event *event)
{
    return event->kind == O_MPI_RECV || event->kind == O_MPI_IRECV || event->kind == O_MPI_COLLECTIVE_END ||
           event->kind == O_NON_BLOCKING_COLLECTIVE_COMPLETE;
}

/* Where a call of MPI ends: the ideal time of the latest receive that was posted meanwhile for what it sent, where the
 * call did nothing but send. 0: there is none. */
static uint64_t latest_post(const struct replay *r, size_t l, size_t leave, int scope)
{
    const struct o_trace *trace = r->m->trace;
    const struct o_location *of = &trace->location[l];
    const struct lane *k = &r->lane[l];
    uint64_t latest = 0, region;
    size_t enter = leave;
    if (k->does[leave] != COMMUNICATES || k->does[leave + 1] == COMMUNICATES)
        return 0;
    while (k->does[enter] == COMMUNICATES)
        enter--;
    const bool synchronous =
        o_region_of(trace, &of->event[enter], &region) && is_called(trace, region, "MPI_Ssend", "MPI_Ssend");
    for (size_t e = enter + 1; e <= leave; e++) {
        if (is_heard(&of->event[e]))
            return 0;
        const struct o_post *post = post_for(r, l, e);
        if (!post || !post->known || r->lane[post->source_location].ignored)
            continue;
        const uint64_t posted = trace->location[post->source_location].event[post->source].time;
        const uint64_t ideal = r->lane[post->source_location].ideal[scope][post->source];
        if (posted <= of->event[e].time && (posted > of->event[enter].time || synchronous) && ideal > latest)
            latest = ideal;
    }
    return latest;
}

/* ---- the replay ---- */

static bool add_edge(void *user, const struct o_edge *edge)
{
    struct o_list *into = user;
    struct into *x = o_push(into, sizeof *x);
    *x = (struct into){edge->target_location, edge->target, edge->source_location, edge->source};
    return true;
}

static int compare_into(const void *a, const void *b)
{
    const struct into *x = a, *y = b;
    int order = o_compare_u64(x->location, y->location);
    return order ? order : o_compare_u64(x->event, y->event);
}

static size_t first_into(const struct replay *r, size_t l, size_t e)
{
    const struct into *x = r->into.item, wanted = {.location = l, .event = e};
    size_t low = 0, high = r->into.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_into(&x[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The event's ideal time in a scope; false: a source has none yet. */
static bool reach(struct replay *r, size_t l, size_t e, int scope)
{
    const struct o_location *of = &r->m->trace->location[l];
    struct lane *k = &r->lane[l];
    const struct into *x = r->into.item;
    const uint64_t now = of->event[e].time;
    uint64_t ideal = 0, latest = 0;
    bool bound = false;
    for (size_t i = first_into(r, l, e); i < r->into.n && x[i].location == l && x[i].event == e; i++) {
        const struct lane *from = &r->lane[x[i].from_location];
        if (from->ignored || (x[i].from_location == l && x[i].from >= e))
            continue;
        if (from->next <= x[i].from)
            return false;
        bound = true;
        latest = from->ideal[scope][x[i].from] > latest ? from->ideal[scope][x[i].from] : latest;
    }
    latest = latest < now ? latest : now;
    uint64_t idled = e > 0 ? k->idled[scope][e - 1] : 0;
    if (e > 0)
        ideal = k->ideal[scope][e - 1];
    else if ((k->stands && (scope != RANGE || k->ranges.n == 0)) || (!k->stands && !bound))
        ideal = now;
    if (e > 0 && is_in(k, e, scope) && k->does[e] != RESTS && now > of->event[e - 1].time) {
        const uint64_t passed = now - of->event[e - 1].time;
        if (k->does[e] != IDLES && !k->outside[e]) { /* it has gone on without anything having come */
            ideal += idled;
            idled = 0;
        }
        idled += k->does[e] == IDLES ? passed : 0;
        ideal += k->does[e] != IDLES && k->does[e] != COMMUNICATES ? passed : 0;
    }
    if (bound)
        idled = 0;
    if (is_in(k, e, scope) && latest > ideal)
        ideal = latest;
    k->bound |= bound;
    const bool goes_on = k->is_source[e] || (k->ends_in_finalize && e == k->to[INNER]);
    if (is_in(k, e, scope) && (goes_on || (e + 1 == of->n && !k->bound))) {
        ideal += idled;
        idled = 0;
    }
    k->idled[scope][e] = idled;
    latest = latest_post(r, l, e, scope);
    latest = latest < now ? latest : now;
    if (is_in(k, e, scope) && latest > ideal)
        ideal = latest;
    k->ideal[scope][e] = ideal;
    return true;
}

static bool go(struct replay *r)
{
    const struct o_trace *trace = r->m->trace;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t l = 0; l < trace->n_locations; l++) {
            struct lane *k = &r->lane[l];
            while (k->next < trace->location[l].n && !k->ignored && !is_post_to_come(r, l, k->next) &&
                   reach(r, l, k->next, ALL) && reach(r, l, k->next, INNER) && reach(r, l, k->next, RANGE)) {
                struct range *range = k->ranges.item;
                for (size_t i = 0; i < k->ranges.n; i++) {
                    if (range[i].to == k->next)
                        range[i].ideal = k->ideal[RANGE][k->next];
                    if (range[i].from == k->next) {
                        k->ideal[RANGE][k->next] = trace->location[l].event[k->next].time;
                        k->idled[RANGE][k->next] = 0;
                    }
                }
                if (k->next == k->from[INNER] && k->next > 0) {
                    k->ideal[INNER][k->next] = trace->location[l].event[k->next].time;
                    k->idled[INNER][k->next] = 0;
                }
                k->next++;
                moved = true;
            }
        }
        moved = moved || give_up_post(r);
    }
    for (size_t l = 0; l < trace->n_locations; l++)
        if (r->lane[l].next < trace->location[l].n && !r->lane[l].ignored)
            return false;
    return true;
}

/* ---- results ---- */

static void print(struct replay *r, const struct o_processes *processes)
{
    static const char *const names[] = {"whole", "program"};
    const struct o_trace *trace = r->m->trace;
    for (int scope = 0; scope < RANGE; scope++) {
        uint64_t begin = UINT64_MAX, end = 0, ideal = 0, most = 0, n = 0;
        for (size_t l = 0; l < trace->n_locations; l++) {
            const struct o_location *of = &trace->location[l];
            const struct lane *k = &r->lane[l];
            uint64_t time[WHAT + 1] = {0};
            if (!k->stands || of->n == 0)
                continue;
            for (size_t e = k->from[scope] + 1; e <= k->to[scope]; e++)
                time[k->does[e]] += of->event[e].time - of->event[e - 1].time;
            const uint64_t first = of->event[k->from[scope]].time, last = of->event[k->to[scope]].time;
            const uint64_t useful = time[COMPUTES] + time[THREADS], late = k->ideal[scope][k->to[scope]];
            begin = first < begin ? first : begin;
            end = last > end ? last : end;
            ideal = late > ideal ? late : ideal;
            most = useful > most ? useful : most;
            n++;
            char name[O_PROCESS_NAME];
            if (scope == INNER)
                printf("process,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                       ",%" PRIu64 "\n",
                       o_process_name(trace, processes, l, name), time[COMPUTES], time[THREADS], time[COMMUNICATES],
                       time[DEVICE], time[ELSE], late, last, time[IDLES]);
        }
        if (n > 0)
            printf("scope,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", names[scope], n, end - begin,
                   ideal - begin, most);
    }
}

static uint64_t iterations_of(const struct replay *r, const struct lane *k, size_t i)
{
    const size_t left = i < k->ranges.n ? k->marks.n - 1 - i * r->width : 0;
    return left < r->width ? left : r->width;
}

/* A range is there where a process has it: as many iterations of it as the one with the most. */
static void print_range(struct replay *r, size_t i)
{
    const struct o_trace *trace = r->m->trace;
    uint64_t run = 0, ideal = 0, most = 0, n = 0, iterations = 0;
    for (size_t l = 0; l < trace->n_locations; l++)
        if (iterations_of(r, &r->lane[l], i) > iterations)
            iterations = iterations_of(r, &r->lane[l], i);
    for (size_t l = 0; l < trace->n_locations; l++) {
        const struct o_event *event = trace->location[l].event;
        const struct lane *k = &r->lane[l];
        uint64_t time[WHAT + 1] = {0};
        if (i >= k->ranges.n || iterations_of(r, k, i) < iterations)
            continue;
        const struct range *x = (const struct range *)k->ranges.item + i;
        for (size_t e = x->from + 1; e <= x->to; e++)
            time[k->does[e]] += event[e].time - event[e - 1].time;
        const uint64_t length = event[x->to].time - event[x->from].time, late = x->ideal - event[x->from].time;
        if (length == 0)
            continue;
        run = length > run ? length : run;
        ideal = late > ideal ? late : ideal;
        most = time[COMPUTES] + time[THREADS] > most ? time[COMPUTES] + time[THREADS] : most;
        n++;
    }
    if (n > 0)
        printf("range,%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", i * r->width, iterations, n,
               run, ideal, most);
}

void o_print_efficiency(const struct o_matching *matching, const struct o_loop_options *loops)
{
    const struct o_trace *trace = matching->trace;
    const struct o_relation *relation = matching->relations.item;
    struct replay r = {.m = matching, .lane = o_alloc(trace->n_locations, sizeof *r.lane), .anchor = loops->anchor};
    struct o_processes processes;
    bool ranks = false;
    o_processes_build(trace, &processes);
    for (size_t i = 0; i < trace->regions.n; i++) {
        const struct o_region *of = (const struct o_region *)trace->regions.item + i;
        r.tasks |= (of->role == OTF2_REGION_ROLE_TASK || of->role == OTF2_REGION_ROLE_TASK_UNTIED) &&
                   (of->paradigm <= OTF2_PARADIGM_COMPILER || of->paradigm == OTF2_PARADIGM_SAMPLING ||
                    of->paradigm == OTF2_PARADIGM_NONE);
    }
    for (size_t l = 0; l < trace->n_locations; l++)
        ranks |= processes.at[l] != O_NONE;
    for (size_t i = 0; i < matching->relations.n; i++)
        o_each_edge(matching, &relation[i], add_edge, &r.into);
    if (r.into.n)
        qsort(r.into.item, r.into.n, sizeof(struct into), compare_into);
    o_match_posts(matching, 0, &r.posts);
    for (size_t l = 0; l < trace->n_locations; l++) {
        struct lane *k = &r.lane[l];
        const size_t n = trace->location[l].n;
        k->ignored = trace->location[l].type != OTF2_LOCATION_TYPE_CPU_THREAD;
        k->stands =
            !k->ignored && (ranks ? processes.at[l] != O_NONE && processes.rank[l] != O_NONE : processes.first[l] == l);
        k->does = o_alloc(n + 1, sizeof *k->does);
        k->outside = o_alloc(n + 1, sizeof *k->outside);
        k->is_source = o_alloc(n + 1, sizeof *k->is_source);
        for (int scope = 0; scope < SCOPES; scope++) {
            k->ideal[scope] = o_alloc(n + 1, sizeof *k->ideal[scope]);
            k->idled[scope] = o_alloc(n + 1, sizeof *k->idled[scope]);
        }
        look_at(&r, l);
    }
    for (size_t i = 0; i < r.into.n; i++) {
        const struct into *x = (const struct into *)r.into.item + i;
        r.lane[x->from_location].is_source[x->from] = true;
    }
    find_ranges(&r, loops->bins);
    if (go(&r)) {
        print(&r, &processes);
        for (size_t i = 0, left = 1; left > 0; i++) {
            left = 0;
            for (size_t l = 0; l < trace->n_locations; l++)
                left += r.lane[l].ranges.n > i;
            print_range(&r, i);
        }
    } else {
        puts("cycle");
    }
    for (size_t l = 0; l < trace->n_locations; l++) {
        free(r.lane[l].does);
        free(r.lane[l].outside);
        free(r.lane[l].is_source);
        free(r.lane[l].marks.item);
        free(r.lane[l].ranges.item);
        for (int scope = 0; scope < SCOPES; scope++)
            free(r.lane[l].ideal[scope]), free(r.lane[l].idled[scope]);
    }
    free(r.lane);
    free(r.into.item);
    free(r.posts.item);
    o_processes_free(&processes);
}
