/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle loads`: exclusive time by process and region (D22 of oracle.h), and the time of each process in regions in
 * which it is idle: what the visits of these have together. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct load {
    size_t process; /* its first location */
    char *region;
    int64_t ticks;
};

struct stretch {
    uint64_t from, to;
};

struct loads {
    const struct o_trace *trace;
    size_t process;
    struct o_list list;
    struct o_list idle; /* struct stretch, of the location at hand */
    uint64_t *idled;    /* by process */
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
    return r && r->role == OTF2_REGION_ROLE_TASK_WAIT && r->paradigm == OTF2_PARADIGM_USER &&
           strncmp(name, "MPI_", 4) && strncmp(name, "pthread_", 8);
}

static int compare_stretches(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return o_compare_u64(x->from, y->from);
}

/* What the stretches cover. */
static uint64_t covered(struct o_list *list)
{
    const struct stretch *x = list->item;
    uint64_t sum = 0, end = 0;
    if (list->n)
        qsort(list->item, list->n, sizeof *x, compare_stretches);
    for (size_t i = 0; i < list->n; i++) {
        const uint64_t from = x[i].from > end ? x[i].from : end;
        sum += x[i].to > from ? x[i].to - from : 0;
        end = x[i].to > end ? x[i].to : end;
    }
    list->n = 0;
    return sum;
}

static void on_leave(void *user, const struct o_visit *visit)
{
    struct loads *all = user;
    char buffer[32];
    const char *name = o_region_name(all->trace, visit->region, buffer);
    struct load *load = all->list.item;
    size_t i = 0;
    if (is_idle(all->trace, visit->region))
        *(struct stretch *)o_push(&all->idle, sizeof(struct stretch)) =
            (struct stretch){visit->enter_time, visit->leave_time};
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
    struct loads all = {.trace = trace, .idled = o_alloc(trace->n_locations + 1, sizeof *all.idled)};
    struct o_processes processes;
    char name[O_PROCESS_NAME];
    o_processes_build(trace, &processes);
    for (size_t l = 0; l < trace->n_locations; l++) {
        struct o_walk walk = {.user = &all, .leave = on_leave};
        all.process = processes.first[l];
        if (trace->location[l].n)
            o_walk_location(trace, l, &walk);
        all.idled[all.process] += covered(&all.idle);
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
            printf("idle,%s,%" PRIu64 "\n", o_process_name(trace, &processes, l, name), all.idled[l]);
    free(load);
    free(all.idle.item);
    free(all.idled);
    o_processes_free(&processes);
}
