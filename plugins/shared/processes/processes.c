/* See processes.h.
 *
 * Copyright (c) 2026 the tcflow authors. BSD-3-Clause, see COPYING.
 */
#include "processes.h"

#include <stdlib.h>
#include <tcflow/map.h>

enum { COMM_LOCATIONS = 4 }; /* OTF2_GroupType */

/* MPI's list of processes, the first one that isn't empty; NULL: there is none. */
static const tcf_def_group *find_list(const tcf_definitions *defs)
{
    for (uint64_t i = 0; i < defs->n_records; i++) {
        const tcf_def_group *g = defs->records[i].as.def_group;
        if (defs->records[i].kind == TCF_DEF_GROUP && g->group_type == COMM_LOCATIONS &&
            g->paradigm == TCF_PARADIGM_MPI && g->number_of_members > 0)
            return g;
    }
    return NULL;
}

/* The first position of each location in MPI's list. -1: out of memory. */
static int find_positions(process_table *p, const tcf_definitions *defs)
{
    const tcf_def_group *list = find_list(defs);
    tcf_map by_id = {0};
    int failed = 0;
    for (uint32_t l = defs->n_locations; l-- > 0 && !failed;) { /* of equal ids the first one */
        p->rank[l] = TCF_NONE;
        failed = tcf_map_put(&by_id, defs->locations[l].id, 0, l);
    }
    for (uint32_t r = 0; list && !failed && r < list->number_of_members; r++) {
        const uint32_t l = tcf_map_get(&by_id, list->members[r], 0);
        if (l != TCF_MAP_ABSENT && p->rank[l] == TCF_NONE)
            p->rank[l] = r;
    }
    p->ranks = list ? list->number_of_members : 0;
    tcf_map_free(&by_id);
    return failed;
}

static uint32_t group_of(const tcf_definitions *defs, uint32_t location)
{
    const uint32_t group = tcf_process_of(defs, location);
    return group != TCF_NONE ? group : defs->n_location_groups;
}

/* By location group, the last one for locations without: how many of its locations MPI's list has, and the only one or
 * else the first location that is none of them. */
typedef struct of_group {
    uint32_t listed, location;
} of_group;

static void look_at_groups(const process_table *p, const tcf_definitions *defs, of_group *groups)
{
    for (uint32_t g = 0; g <= defs->n_location_groups; g++)
        groups[g] = (of_group){0, TCF_NONE};
    for (uint32_t l = 0; l < defs->n_locations; l++)
        groups[group_of(defs, l)].listed += p->rank[l] != TCF_NONE;
    groups[defs->n_location_groups].listed = 0;
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        of_group *g = &groups[group_of(defs, l)];
        const int stands = g->listed == 0 || (g->listed == 1) == (p->rank[l] != TCF_NONE);
        if (stands && g->location == TCF_NONE)
            g->location = l;
    }
}

static int order_processes(const void *a, const void *b)
{
    const process_info *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->location < y->location ? -1 : x->location > y->location;
}

/* Is a location the one that stands for its process? */
static int stands(const process_table *p, const of_group *g, uint32_t location)
{
    return location == g->location || (g->listed > 1 && p->rank[location] != TCF_NONE);
}

static void number_processes(process_table *p, const tcf_definitions *defs, const of_group *groups)
{
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const uint32_t group = group_of(defs, l);
        const of_group *g = &groups[group];
        const int has_group = group < defs->n_location_groups;
        if (stands(p, g, l))
            p->at[p->n++] = (process_info){.group = has_group ? group : TCF_NONE,
                                           .location = l,
                                           .rank = has_group ? p->rank[l] : TCF_NONE,
                                           .is_rest = g->listed > 1 && p->rank[l] == TCF_NONE};
    }
    if (p->n > 0)
        qsort(p->at, p->n, sizeof *p->at, order_processes);
    for (uint32_t k = 0; k < p->n; k++)
        p->of[p->at[k].location] = k;
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const uint32_t group = group_of(defs, l);
        if (!stands(p, &groups[group], l))
            p->of[l] = p->of[groups[group].location];
        if (group < defs->n_location_groups)
            p->rank[l] = p->at[p->of[l]].rank;
    }
}

int processes_find(process_table *p, const tcf_definitions *defs)
{
    of_group *groups = malloc((defs->n_location_groups + 1ul) * sizeof *groups);
    p->at = calloc(defs->n_locations + 1ul, sizeof *p->at);
    p->of = calloc(defs->n_locations + 1ul, sizeof *p->of);
    p->rank = calloc(defs->n_locations + 1ul, sizeof *p->rank);
    const int failed = !groups || !p->at || !p->of || !p->rank || find_positions(p, defs) != 0;
    if (!failed) {
        look_at_groups(p, defs, groups);
        number_processes(p, defs, groups);
    }
    free(groups);
    return failed ? -1 : 0;
}

void processes_free(process_table *p)
{
    free(p->at);
    free(p->of);
    free(p->rank);
    *p = (process_table){0};
}

tcf_cell process_rank_cell(const process_table *p, uint32_t process)
{
    const uint32_t rank = p->at[process].rank;
    return tcf_int(rank == TCF_NONE ? -1 : (int64_t)rank);
}

tcf_cell process_id_cell(const process_table *p, const tcf_definitions *defs, uint32_t process)
{
    const uint32_t group = p->at[process].group;
    return tcf_uint(group == TCF_NONE ? UINT32_MAX : defs->location_groups[group].id);
}

tcf_cell process_name_cell(const process_table *p, const tcf_definitions *defs, uint32_t process)
{
    const uint32_t group = p->at[process].group;
    return tcf_text(group == TCF_NONE ? "(unknown)" : defs->location_groups[group].name);
}
