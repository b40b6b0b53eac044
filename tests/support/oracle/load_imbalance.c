/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle loads`: exclusive time by process and region (D22 of oracle.h). */
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
    struct o_processes processes;
    char name[O_PROCESS_NAME];
    o_processes_build(trace, &processes);
    for (size_t l = 0; l < trace->n_locations; l++) {
        struct o_walk walk = {.user = &all, .leave = on_leave};
        all.process = processes.first[l];
        if (trace->location[l].n)
            o_walk_location(trace, l, &walk);
    }
    struct load *load = all.list.item;
    puts("#load,group:rank,ticks,region");
    for (size_t i = 0; i < all.list.n; i++) {
        printf("load,%s,%" PRId64 ",", o_process_name(trace, &processes, load[i].process, name), load[i].ticks);
        o_print_csv(load[i].region);
        putchar('\n');
        free(load[i].region);
    }
    free(load);
    o_processes_free(&processes);
}
