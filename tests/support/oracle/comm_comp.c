/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle comm-comp`: computation, communication and both at once, by location and by process (D23 of oracle.h). For
 * each location or process all stretches of activity and all operations under way are listed, their ends sorted by
 * time, and what goes on between two of them looked at. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COMPUTE, COMMUNICATE, FILES, SYNCHRONISE, MANAGE, MEASURE, REST, UNDER_WAY, WHAT };
enum { BOTH = WHAT, RESULTS };

/* One more, or one less, from `time` on. */
struct mark {
    uint64_t time;
    int what, more;
};

static int compare_marks(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    return o_compare_u64(x->time, y->time);
}

static void add(struct o_list *marks, uint64_t from, uint64_t to, int what)
{
    struct mark *mark = o_push(marks, sizeof *mark);
    *mark = (struct mark){from, what, 1};
    mark = o_push(marks, sizeof *mark);
    *mark = (struct mark){to, what, -1};
}

/* ---- what a region is ---- */

static bool starts(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static bool starts_and_has(const char *name, const char *with, const char *has)
{
    return starts(name, with) && strstr(name + strlen(with), has);
}

static int by_name(const char *name)
{
    if (starts_and_has(name, "cu", "Synchronize") || starts_and_has(name, "hip", "Synchronize") ||
        starts_and_has(name, "cu", "WaitEvent") || starts(name, "acc_wait") || !strcmp(name, "clFinish") ||
        !strcmp(name, "clWaitForEvents"))
        return SYNCHRONISE;
    if (starts_and_has(name, "cu", "Memcpy") || starts(name, "hipMemcpy") || starts(name, "clEnqueueRead") ||
        starts(name, "clEnqueueWrite") || starts(name, "clEnqueueCopy") || starts_and_has(name, "nccl", "Kernel") ||
        starts_and_has(name, "rccl", "Kernel"))
        return COMMUNICATE;
    return COMPUTE;
}

/* Constructs of OpenMP in which no code of the user runs. */
static bool is_openmp(const struct o_region *r, const char *name)
{
    static const uint8_t roles[] = {OTF2_REGION_ROLE_BARRIER,     OTF2_REGION_ROLE_IMPLICIT_BARRIER,
                                    OTF2_REGION_ROLE_CRITICAL,    OTF2_REGION_ROLE_ORDERED,
                                    OTF2_REGION_ROLE_TASK_CREATE, OTF2_REGION_ROLE_TASK_WAIT,
                                    OTF2_REGION_ROLE_FLUSH,       OTF2_REGION_ROLE_ATOMIC};
    static const char *const of_eztrace[] = {"OpenMP barrier", "OpenMP implicit barrier", "OpenMP acquire mutex",
                                             "OpenMP Task wait"};
    for (size_t i = 0; i < sizeof of_eztrace / sizeof *of_eztrace; i++)
        if (r->paradigm == OTF2_PARADIGM_USER && !strcmp(name, of_eztrace[i]))
            return true;
    return r->paradigm == OTF2_PARADIGM_OPENMP && (memchr(roles, r->role, sizeof roles) || starts(name, "omp_"));
}

/* Calls of MPI which move no data and wait for nobody. Names are those that MPI has for what sets up and ends. */
static bool mpi_manages(const char *name)
{
    static const char *const with[] = {"Init",         "Finalize",   "Comm_",       "Cart",      "Graph",
                                       "Dist_graph_",  "Intercomm_", "Group_",      "Type_",     "Win_create",
                                       "Win_allocate", "Win_free",   "Win_get",     "Win_set",   "Info_",
                                       "Op_",          "Wtime",      "Errhandler_", "Get_count", "Test_cancelled",
                                       "Call"};
    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++)
        if (starts(name + 4, with[i]))
            return true;
    return false;
}

static bool is_of_processes(const struct o_region *r)
{
    return r->paradigm == OTF2_PARADIGM_MPI || r->paradigm == OTF2_PARADIGM_GASPI || r->paradigm == OTF2_PARADIGM_UPC ||
           r->paradigm == OTF2_PARADIGM_SHMEM;
}

/* A paradigm which has neither threads nor an accelerator. */
static bool is_plain(const struct o_region *r)
{
    return r->paradigm == OTF2_PARADIGM_UNKNOWN || r->paradigm == OTF2_PARADIGM_USER ||
           r->paradigm == OTF2_PARADIGM_COMPILER || r->paradigm == OTF2_PARADIGM_SAMPLING ||
           r->paradigm == OTF2_PARADIGM_NONE;
}

/* A lock, a condition or a barrier of POSIX threads. */
static bool is_pthread_wait(const char *name)
{
    return starts(name, "pthread_mutex_") || starts(name, "pthread_spin_") || starts(name, "pthread_rwlock_") ||
           starts(name, "pthread_cond_") || starts(name, "pthread_barrier_");
}

static bool is_idle(const struct o_region *r, const char *name)
{
    return (r->role == OTF2_REGION_ROLE_TASK_WAIT && is_plain(r) && !starts(name, "MPI_") &&
            !starts(name, "pthread_")) ||
           !strcmp(name, "Idle") || !strcmp(name, "COMPUTE_IDLE") || strstr(name, "omp idle");
}

static bool is_task(const struct o_region *r)
{
    return r->role == OTF2_REGION_ROLE_TASK || r->role == OTF2_REGION_ROLE_TASK_UNTIED;
}

static int what_of(const struct o_region *r, const char *name)
{
    if (starts(name, "EZTrace"))
        return MEASURE;
    if (!r)
        return COMPUTE;
    if (is_idle(r, name))
        return REST;
    if (r->role == OTF2_REGION_ROLE_ARTIFICIAL || r->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM)
        return MEASURE;
    if (r->role == OTF2_REGION_ROLE_FILE_IO || r->role == OTF2_REGION_ROLE_FILE_IO_METADATA ||
        starts(name, "MPI_File_"))
        return FILES;
    switch (r->role) {
    case OTF2_REGION_ROLE_COLL_ONE2ALL:
    case OTF2_REGION_ROLE_COLL_ALL2ONE:
    case OTF2_REGION_ROLE_COLL_ALL2ALL:
    case OTF2_REGION_ROLE_COLL_OTHER:
    case OTF2_REGION_ROLE_POINT2POINT:
    case OTF2_REGION_ROLE_RMA:
    case OTF2_REGION_ROLE_DATA_TRANSFER:
        return COMMUNICATE;
    case OTF2_REGION_ROLE_BARRIER:
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
        return is_of_processes(r) ? COMMUNICATE : SYNCHRONISE;
    case OTF2_REGION_ROLE_TASK_WAIT:
    case OTF2_REGION_ROLE_THREAD_WAIT:
        return SYNCHRONISE;
    case OTF2_REGION_ROLE_TASK_CREATE:
    case OTF2_REGION_ROLE_THREAD_CREATE:
        return MANAGE;
    }
    if (starts(name, "MPI_"))
        return mpi_manages(name) ? MANAGE : COMMUNICATE;
    if (is_pthread_wait(name) || !strcmp(name, "pthread_join"))
        return SYNCHRONISE;
    if (starts(name, "pthread_") || !strcmp(name, "OpenMP Task create") || !strcmp(name, "OpenMP Untied Task create"))
        return MANAGE;
    if (is_openmp(r, name))
        return SYNCHRONISE;
    return is_of_processes(r) ? COMMUNICATE : by_name(name);
}

/* What n open regions make of the time, outermost first: the first one that what it calls belongs to decides, the last
 * one where there is none; but a task, and measurement, begins anew. */
static int what_in(const struct o_trace *trace, const uint64_t *regions, size_t n)
{
    bool is_decided = false;
    int what = COMPUTE;
    for (size_t i = 0; i < n; i++) {
        char buffer[32];
        const struct o_region *r = o_find(&trace->regions, sizeof *r, regions[i]);
        const char *name = r ? o_region_name(trace, regions[i], buffer) : "";
        const bool begins_anew = r && (is_task(r) || what_of(r, name) == MEASURE);
        const bool takes_all = r && !begins_anew &&
                               (starts(name, "MPI_") || is_of_processes(r) || is_idle(r, name) ||
                                is_pthread_wait(name) || by_name(name) != COMPUTE);
        if (is_decided && !begins_anew)
            continue;
        what = what_of(r, name);
        is_decided = takes_all;
    }
    return what;
}

static bool has_tasks(const struct o_trace *trace)
{
    const struct o_region *r = trace->regions.item;
    for (size_t i = 0; i < trace->regions.n; i++)
        if (is_task(&r[i]) && is_plain(&r[i]))
            return true;
    return false;
}

/* ---- a location ---- */

/* Of its group; or of its process, but for what has no rank in a group of several. */
static bool first_thread(const struct o_trace *trace, const struct o_processes *processes, size_t l)
{
    bool in_group = true, in_process = true, others = false;
    if (trace->location[l].type != OTF2_LOCATION_TYPE_CPU_THREAD)
        return false;
    for (size_t k = 0; k < trace->n_locations; k++) {
        if (o_process_of(trace, k) != o_process_of(trace, l))
            continue;
        others |= processes->first[k] != processes->first[l];
        if (k >= l || trace->location[k].n == 0 || trace->location[k].type != OTF2_LOCATION_TYPE_CPU_THREAD)
            continue;
        in_group = false;
        in_process &= processes->first[k] != processes->first[l];
    }
    return others && processes->rank[l] == O_NONE ? in_group : in_process;
}

static void leave(struct o_list *open, uint64_t region)
{
    const uint64_t *r = open->item;
    for (size_t n = open->n; n-- > 0;)
        if (r[n] == region) {
            open->n = n;
            return;
        }
}

/* Is the thread busy with a team of its own, which it has forked and which has not begun, or has ended and which it has
 * not joined? Looks back from event e, up to which so many forks are not joined, to the last enter, leave, or event of
 * threads. */
static bool manages(const struct o_location *location, size_t e, size_t forks)
{
    for (size_t i = e + 1; i-- > 0;)
        switch (location->event[i].kind) {
        case O_THREAD_FORK:
        case O_OMP_FORK:
            return true;
        case O_THREAD_TEAM_END:
            return forks > 0;
        case O_ENTER:
        case O_LEAVE:
        case O_CALLING_CONTEXT_ENTER:
        case O_CALLING_CONTEXT_LEAVE:
        case O_THREAD_TEAM_BEGIN:
        case O_THREAD_BEGIN:
        case O_THREAD_END:
        case O_THREAD_JOIN:
        case O_OMP_JOIN:
            return false;
        }
    return false;
}

static void add_activities(const struct o_trace *trace, const struct o_processes *processes, size_t l,
                           struct o_list *marks)
{
    const struct o_location *location = &trace->location[l];
    struct o_list open = {0};
    bool off = false;
    size_t teams = first_thread(trace, processes, l), forks = 0;
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        uint64_t from = o_time(trace, l, e), to = e + 1 < location->n ? o_time(trace, l, e + 1) : from, region;
        if (o_region_of(trace, event, &region)) {
            if (event->kind == O_ENTER || event->kind == O_CALLING_CONTEXT_ENTER)
                *(uint64_t *)o_push(&open, sizeof(uint64_t)) = region;
            else
                leave(&open, region);
        }
        if (event->kind == O_THREAD_FORK || event->kind == O_OMP_FORK)
            forks++;
        if ((event->kind == O_THREAD_JOIN || event->kind == O_OMP_JOIN) && forks > 0)
            forks--;
        if (event->kind == O_THREAD_TEAM_BEGIN || event->kind == O_THREAD_BEGIN)
            teams++;
        if ((event->kind == O_THREAD_TEAM_END || event->kind == O_THREAD_END) && teams > 0)
            teams--;
        if (event->kind == O_MEASUREMENT_ON_OFF)
            off = event->field[0] == OTF2_MEASUREMENT_OFF;
        uint64_t flushed = from;
        if (event->kind == O_BUFFER_FLUSH && event->field[0] > from)
            flushed = event->field[0] < to ? event->field[0] : to;
        add(marks, from, flushed, MEASURE);
        int what = off                           ? MEASURE
                   : manages(location, e, forks) ? MANAGE
                   : open.n                      ? what_in(trace, open.item, open.n)
                   : teams                       ? (has_tasks(trace) ? MANAGE : COMPUTE)
                                                 : REST;
        add(marks, flushed, to, what);
    }
    free(open.item);
}

static bool is_operation(const struct o_event *event)
{
    return event->kind == O_RMA_PUT || event->kind == O_RMA_GET || event->kind == O_RMA_ATOMIC;
}

/* Which field is the matching id. */
static size_t matching(const struct o_event *event)
{
    return event->kind == O_RMA_ATOMIC ? 5 : 3;
}

/* The next completion of an RMA operation. */
static size_t completion(const struct o_location *location, size_t e)
{
    const struct o_event *event = &location->event[e];
    for (size_t c = e + 1; c < location->n; c++) {
        const struct o_event *x = &location->event[c];
        if ((x->kind == O_RMA_OP_COMPLETE_BLOCKING || x->kind == O_RMA_OP_COMPLETE_NON_BLOCKING) &&
            x->field[0] == event->field[0] && x->field[1] == event->field[matching(event)])
            return c;
    }
    return O_NONE;
}

static void add_operations(const struct o_matching *m, size_t l, struct o_list *marks)
{
    const struct o_location *location = &m->trace->location[l];
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        size_t done = O_NONE;
        if (event->kind == O_MPI_ISEND || event->kind == O_MPI_IRECV_REQUEST ||
            event->kind == O_NON_BLOCKING_COLLECTIVE_REQUEST)
            done = m->requests.done[l][e];
        else if (is_operation(event))
            done = completion(location, e);
        if (done != O_NONE)
            add(marks, o_time(m->trace, l, e), o_time(m->trace, l, done), UNDER_WAY);
    }
}

/* ---- sums ---- */

static int what_now(const uint64_t active[WHAT])
{
    bool communicates = active[COMMUNICATE] || active[UNDER_WAY];
    if (communicates)
        return active[COMPUTE] ? BOTH : COMMUNICATE;
    for (int what = 0; what < WHAT; what++)
        if (active[what])
            return what;
    return REST; /* a gap between the locations of a process */
}

static void print_sums(struct o_list *marks, const char *name, const char *id)
{
    struct mark *mark = marks->item;
    uint64_t active[WHAT] = {0}, ticks[RESULTS + 1] = {0};
    if (marks->n)
        qsort(mark, marks->n, sizeof *mark, compare_marks);
    for (size_t i = 0; i < marks->n; i++) {
        if (i > 0)
            ticks[what_now(active)] += mark[i].time - mark[i - 1].time;
        active[mark[i].what] += (uint64_t)mark[i].more;
    }
    if (marks->n)
        printf("%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
               "\n",
               name, id, ticks[COMPUTE], ticks[BOTH], ticks[COMMUNICATE], ticks[FILES], ticks[SYNCHRONISE],
               ticks[MANAGE], ticks[MEASURE], ticks[REST]);
}

void o_print_comm_comp(const struct o_matching *m)
{
    const struct o_trace *trace = m->trace;
    struct o_processes processes;
    char name[O_PROCESS_NAME];
    o_processes_build(trace, &processes);
    puts("#location,id|process,group:rank,computation,overlapped,communication,io,synchronisation,management,"
         "measurement,idle");
    for (size_t l = 0; l < trace->n_locations; l++) {
        struct o_list marks = {0}, all = {0};
        bool first = true;
        if (trace->location[l].type == OTF2_LOCATION_TYPE_METRIC)
            continue;
        add_activities(trace, &processes, l, &marks);
        add_operations(m, l, &marks);
        snprintf(name, sizeof name, "%" PRIu64, trace->location[l].def.id);
        print_sums(&marks, "location", name);
        for (size_t k = 0; k < l && first; k++)
            first = processes.first[k] != processes.first[l] || trace->location[k].type == OTF2_LOCATION_TYPE_METRIC;
        for (size_t k = l; k < trace->n_locations && first; k++)
            if (processes.first[k] == processes.first[l] && trace->location[k].type != OTF2_LOCATION_TYPE_METRIC) {
                add_activities(trace, &processes, k, &all);
                add_operations(m, k, &all);
            }
        print_sums(&all, "process", o_process_name(trace, &processes, l, name));
        free(marks.item);
        free(all.item);
    }
    o_processes_free(&processes);
}
