/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which locations are one process, and which world rank it has. For filters that sum up by process, and for those whose
 * parameters are ranks; the framework counts processes by it, too.
 *
 * A process is a location group, all of its threads and streams together, those streams of accelerators too that have
 * groups of their own which say that it created them (tcf_process_of()). Where MPI's list of processes has several
 * locations of one group (threads as ranks: AMPI, MPC), each of these is a process of its own, and so is the rest of
 * the group, whose rank is unknown (doc/matching.md, "Members"). Locations without a group are one, too. A world rank
 * is a position in MPI's list.
 *
 *     tcf_processes p = {0};
 *     if (tcf_processes_find(&p, self->defs) != 0)
 *         ...out of memory
 *     sum[p.of[location]] += ...                          of p.n processes
 *     tcf_processes_free(&p); */
#ifndef TCFLOW_PROCESSES_H
#define TCFLOW_PROCESSES_H

#include <stdlib.h>
#include <string.h>
#include <tcflow/filter.h>
#include <tcflow/map.h>
#include <tcflow/order.h>

typedef struct tcf_process {
    uint32_t group;    /* location group; TCF_NONE: none, the locations are of none */
    uint32_t location; /* the one that stands for it: MPI's, else its first one */
    uint32_t rank;     /* TCF_NONE: none */
    uint8_t is_rest;   /* of a group with several ranks: it has none of them */
} tcf_process;

typedef struct tcf_processes {
    tcf_process *at;   /* [n] by location group, then rank, the rest behind; each has a location */
    uint32_t *of;      /* by location: its process */
    uint32_t *rank;    /* by location: world rank of its process, or its own where it has no group; TCF_NONE: none */
    uint32_t n, ranks; /* ranks: length of MPI's list */
    int unknown_ranks; /* the trace doesn't say them (TCF_UNKNOWN_RANKS), so tables don't, either */
} tcf_processes;

/* -------------------------------------------------------------------------------------------------- finding them -- */

enum { TCF_GROUP_COMM_LOCATIONS = 4 }; /* OTF2_GroupType */

/* MPI's list of processes, the first one that isn't empty; NULL: there is none. */
static inline const tcf_def_group *tcf_processes_list(const tcf_definitions *defs)
{
    for (uint64_t i = 0; i < defs->n_records; i++) {
        const tcf_def_group *g = defs->records[i].as.def_group;
        if (defs->records[i].kind == TCF_DEF_GROUP && g->group_type == TCF_GROUP_COMM_LOCATIONS &&
            g->paradigm == TCF_PARADIGM_MPI && g->number_of_members > 0)
            return g;
    }
    return NULL;
}

/* The first position of each location in MPI's list. -1: out of memory. */
static inline int tcf_processes_find_ranks(tcf_processes *p, const tcf_definitions *defs)
{
    const tcf_def_group *list = tcf_processes_list(defs);
    tcf_map by_id = {NULL, 0, 0};
    int failed = 0;
    for (uint32_t l = defs->n_locations; l-- > 0 && !failed;) { /* of equal ids the first one */
        p->rank[l] = TCF_NONE;
        failed = tcf_map_put(&by_id, tcf_location_at(defs, l)->id, 0, l);
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

static inline uint32_t tcf_processes_group(const tcf_definitions *defs, uint32_t location)
{
    const uint32_t group = tcf_process_of(defs, location);
    return group != TCF_NONE ? group : defs->n_location_groups;
}

/* By location group, the last one for locations without: how many of its locations MPI's list has, and the only one or
 * else the first location that is none of them. */
typedef struct tcf_processes_of_group {
    uint32_t listed, location;
} tcf_processes_of_group;

static inline void tcf_processes_look_at(const tcf_processes *p, const tcf_definitions *defs,
                                         tcf_processes_of_group *groups)
{
    for (uint32_t g = 0; g <= defs->n_location_groups; g++)
        groups[g] = (tcf_processes_of_group){0, TCF_NONE};
    for (uint32_t l = 0; l < defs->n_locations; l++)
        groups[tcf_processes_group(defs, l)].listed += p->rank[l] != TCF_NONE;
    groups[defs->n_location_groups].listed = 0;
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        tcf_processes_of_group *g = &groups[tcf_processes_group(defs, l)];
        const int stands = g->listed == 0 || (g->listed == 1) == (p->rank[l] != TCF_NONE);
        if (stands && g->location == TCF_NONE)
            g->location = l;
    }
}

static inline int tcf_processes_order(const void *a, const void *b)
{
    const tcf_process *x = (const tcf_process *)a, *y = (const tcf_process *)b;
    const int signs[] = {TCF_ORDER(x->group, y->group), TCF_ORDER(x->rank, y->rank),
                         TCF_ORDER(x->location, y->location)};
    return tcf_first(signs, 3);
}

/* Is a location the one that stands for its process? */
static inline int tcf_processes_stands(const tcf_processes *p, const tcf_processes_of_group *g, uint32_t location)
{
    return location == g->location || (g->listed > 1 && p->rank[location] != TCF_NONE);
}

static inline void tcf_processes_number(tcf_processes *p, const tcf_definitions *defs,
                                        const tcf_processes_of_group *groups)
{
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const uint32_t group = tcf_processes_group(defs, l);
        const tcf_processes_of_group *g = &groups[group];
        const int has_group = group < defs->n_location_groups;
        if (tcf_processes_stands(p, g, l))
            p->at[p->n++] = (tcf_process){.group = has_group ? group : TCF_NONE,
                                          .location = l,
                                          .rank = has_group ? p->rank[l] : TCF_NONE,
                                          .is_rest = g->listed > 1 && p->rank[l] == TCF_NONE};
    }
    tcf_sort(p->at, p->n, sizeof *p->at, tcf_processes_order);
    for (uint32_t k = 0; k < p->n; k++)
        p->of[p->at[k].location] = k;
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const uint32_t group = tcf_processes_group(defs, l);
        if (!tcf_processes_stands(p, &groups[group], l))
            p->of[l] = p->of[groups[group].location];
        if (group < defs->n_location_groups)
            p->rank[l] = p->at[p->of[l]].rank;
    }
}

/* -1: out of memory; free it all the same. */
static inline int tcf_processes_find(tcf_processes *p, const tcf_definitions *defs)
{
    tcf_processes_of_group *groups = (tcf_processes_of_group *)malloc((defs->n_location_groups + 1ul) * sizeof *groups);
    p->at = (tcf_process *)calloc(defs->n_locations + 1ul, sizeof *p->at);
    p->of = (uint32_t *)calloc(defs->n_locations + 1ul, sizeof *p->of);
    p->rank = (uint32_t *)calloc(defs->n_locations + 1ul, sizeof *p->rank);
    p->unknown_ranks = tcf_is_unknown(defs, TCF_UNKNOWN_RANKS);
    const int failed = !groups || !p->at || !p->of || !p->rank || tcf_processes_find_ranks(p, defs) != 0;
    if (!failed) {
        tcf_processes_look_at(p, defs, groups);
        tcf_processes_number(p, defs, groups);
    }
    free(groups);
    return failed ? -1 : 0;
}

static inline void tcf_processes_free(tcf_processes *p)
{
    free(p->at);
    free(p->of);
    free(p->rank);
    memset(p, 0, sizeof *p);
}

/* ---------------------------------------------------------------------------------------------------------- rows -- */

/* What tables say of a process. */
typedef struct tcf_process_names {
    int64_t rank;     /* -1: none, or unknown (TCF_UNKNOWN_RANKS) */
    uint64_t id;      /* of the location group; 2^32 - 1: none */
    const char *name; /* of the location group */
} tcf_process_names;

static inline tcf_process_names tcf_process_names_of(const tcf_processes *p, const tcf_definitions *defs,
                                                     uint32_t process)
{
    const tcf_process *x = &p->at[process];
    const tcf_location_group *g = x->group == TCF_NONE ? NULL : tcf_location_group_at(defs, x->group);
    return (tcf_process_names){x->rank == TCF_NONE || p->unknown_ranks ? -1 : (int64_t)x->rank, g ? g->id : UINT32_MAX,
                               g ? g->name : "(unknown)"};
}

#endif
