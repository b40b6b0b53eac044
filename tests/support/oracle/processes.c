/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which locations are one process (D24 of oracle.h): each location is compared with each other one. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct o_group *find_world(const struct o_trace *trace)
{
    const struct o_group *group = trace->groups.item, *found = NULL;
    for (size_t i = 0; i < trace->groups.n; i++)
        if (group[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group[i].paradigm == OTF2_PARADIGM_MPI &&
            group[i].n > 0 && (!found || group[i].def.order < found->def.order))
            found = &group[i];
    return found;
}

/* The first position of a location among MPI's processes. */
static size_t position(const struct o_trace *trace, const struct o_group *world, size_t l)
{
    for (size_t r = 0; world && r < world->n; r++)
        if (world->member[r] == trace->location[l].def.id)
            return r;
    return O_NONE;
}

static bool same_process(const struct o_trace *trace, const size_t *at, size_t a, size_t b)
{
    const uint64_t group = o_process_of(trace, a);
    size_t listed = 0;
    if (group == OTF2_UNDEFINED_LOCATION_GROUP || o_process_of(trace, b) != group)
        return o_process_of(trace, b) == group;
    for (size_t l = 0; l < trace->n_locations; l++)
        listed += o_process_of(trace, l) == group && at[l] != O_NONE;
    return listed < 2 || at[a] == at[b];
}

void o_processes_build(const struct o_trace *trace, struct o_processes *p)
{
    const struct o_group *world = find_world(trace);
    const size_t n = trace->n_locations;
    p->at = o_alloc(n + 1, sizeof *p->at);
    p->first = o_alloc(n + 1, sizeof *p->first);
    p->rank = o_alloc(n + 1, sizeof *p->rank);
    for (size_t l = 0; l < n; l++)
        p->at[l] = position(trace, world, l);
    for (size_t l = 0; l < n; l++) {
        p->rank[l] = O_NONE;
        for (size_t k = n; k-- > 0;)
            if (same_process(trace, p->at, l, k)) {
                p->first[l] = k;
                if (o_process_of(trace, l) != OTF2_UNDEFINED_LOCATION_GROUP && p->at[k] < p->rank[l])
                    p->rank[l] = p->at[k];
            }
    }
}

void o_processes_free(struct o_processes *p)
{
    free(p->at);
    free(p->first);
    free(p->rank);
}

const char *o_process_name(const struct o_trace *trace, const struct o_processes *p, size_t l,
                           char name[O_PROCESS_NAME])
{
    snprintf(name, O_PROCESS_NAME, "%" PRIu64 ":%" PRId64, o_process_of(trace, l),
             p->rank[l] == O_NONE ? -1 : (int64_t)p->rank[l]);
    return name;
}

void o_print_processes(const struct o_trace *trace)
{
    struct o_processes p;
    char name[O_PROCESS_NAME];
    o_processes_build(trace, &p);
    puts("#location,id,group:rank");
    for (size_t l = 0; l < trace->n_locations; l++)
        printf("location,%" PRIu64 ",%s\n", trace->location[l].def.id, o_process_name(trace, &p, l, name));
    o_processes_free(&p);
}
