/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle loads`: exclusive time by process and region (D22 of oracle.h), and the time of each process in regions in
 * which it is idle. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct load {
    size_t process; /* its first location */
    char *region;
    int64_t ticks;
};

struct loads {
    const struct o_trace *trace;
    size_t process;
    struct o_list list;
};

static bool is_idle(const struct o_trace *trace, uint64_t region)
{
    static const char *const names[] = {"MPI_Recv",     "MPI_Wait",     "MPI_Waitall", "MPI_Waitany",
                                        "MPI_Waitsome", "MPI_Probe",    "MPI_Mprobe",  "MPI_Barrier",
                                        "Idle",         "COMPUTE_IDLE", "!$omp idle"};
    const struct o_region *r = o_find(&trace->regions, sizeof *r, region);
    char buffer[32];
    const char *name = o_region_name(trace, region, buffer);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (r && !strcmp(name, names[i]))
            return true;
    return r && r->role == OTF2_REGION_ROLE_TASK_WAIT &&
           (r->paradigm == OTF2_PARADIGM_USER || r->paradigm == OTF2_PARADIGM_COMPILER) && strncmp(name, "MPI_", 4) &&
           strncmp(name, "pthread_", 8);
}

/* Begins what another one is not idle in: a task, or measurement. */
static bool begins_anew(const struct o_trace *trace, uint64_t region)
{
    const struct o_region *r = o_find(&trace->regions, sizeof *r, region);
    return r && (r->role == OTF2_REGION_ROLE_TASK || r->role == OTF2_REGION_ROLE_TASK_UNTIED ||
                 ((r->role == OTF2_REGION_ROLE_ARTIFICIAL || r->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM) &&
                  r->paradigm != OTF2_PARADIGM_OPENMP));
}

static bool idles_in(const struct o_trace *trace, const uint64_t *open, size_t n)
{
    while (n-- > 0) {
        if (is_idle(trace, open[n]))
            return true;
        if (begins_anew(trace, open[n]))
            return false;
    }
    return false;
}

/* From one enter or leave to the next, by what is open then. */
static uint64_t idle_time(const struct o_trace *trace, size_t l)
{
    const struct o_location *of = &trace->location[l];
    struct o_list open = {0};
    uint64_t sum = 0;
    for (size_t e = 0; e < of->n; e++) {
        const uint64_t *regions = open.item;
        uint64_t region;
        if (e > 0 && idles_in(trace, regions, open.n))
            sum += of->event[e].time - of->event[e - 1].time;
        if (!o_region_of(trace, &of->event[e], &region))
            continue;
        if (of->event[e].kind == O_ENTER || of->event[e].kind == O_CALLING_CONTEXT_ENTER) {
            *(uint64_t *)o_push(&open, sizeof region) = region;
            continue;
        }
        for (size_t n = open.n; n-- > 0;)
            if (regions[n] == region) {
                open.n = n;
                break;
            }
    }
    free(open.item);
    return sum;
}

static void on_leave(void *user, const struct o_visit *visit)
{
    struct loads *all = user;
    char buffer[32];
    const char *name = o_region_name(all->trace, visit->region, buffer);
    struct load *load = all->list.item;
    size_t i = 0;
    while (i < all->list.n && (load[i].process != all->process || strcmp(load[i].region, name)))
        i++;
    if (i == all->list.n) {
        load = o_push(&all->list, sizeof *load);
        *load = (struct load){all->process, o_copy(name), 0};
    } else {
        load += i;
    }
    load->ticks += (int64_t)(visit->leave_time - visit->enter_time) - visit->children;
}

void o_print_loads(const struct o_trace *trace)
{
    struct loads all = {.trace = trace};
    uint64_t *idled = o_alloc(trace->n_locations + 1, sizeof *idled); /* by process */
    struct o_processes processes;
    char name[O_PROCESS_NAME];
    o_processes_build(trace, &processes);
    for (size_t l = 0; l < trace->n_locations; l++) {
        struct o_walk walk = {.user = &all, .leave = on_leave};
        all.process = processes.first[l];
        if (trace->location[l].n)
            o_walk_location(trace, l, &walk);
        idled[all.process] += idle_time(trace, l);
    }
    struct load *load = all.list.item;
    puts("#load,group:rank,ticks,region");
    for (size_t i = 0; i < all.list.n; i++) {
        printf("load,%s,%" PRId64 ",", o_process_name(trace, &processes, load[i].process, name), load[i].ticks);
        o_print_csv(load[i].region);
        putchar('\n');
        free(load[i].region);
    }
    for (size_t l = 0; l < trace->n_locations; l++)
        if (processes.first[l] == l)
            printf("idle,%s,%" PRIu64 "\n", o_process_name(trace, &processes, l, name), idled[l]);
    free(load);
    free(idled);
    o_processes_free(&processes);
}
