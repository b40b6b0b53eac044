/* Which thread leads a process (tcf_location.leader). */
#include "definitions.h"
#include "error.h"

#include <otf2/OTF2_Definitions.h>
#include <stdlib.h>
#include <string.h>

/* Marks the locations that are MPI ranks. */
static void mark_ranks(const definitions *d, uint8_t *is_rank)
{
    for (uint64_t r = 0; r < d->v.n_records; r++) {
        const tcf_def_group *group = d->records[r].as.def_group;
        if (d->records[r].kind != TCF_DEF_GROUP || group->group_type != OTF2_GROUP_TYPE_COMM_LOCATIONS ||
            group->paradigm != TCF_PARADIGM_MPI)
            continue;
        for (uint32_t i = 0; i < group->number_of_members; i++) {
            uint32_t location = definitions_find(d, TCF_REF_LOCATION, group->members[i]);
            if (location != TCF_NONE)
                is_rank[location] = 1;
        }
    }
}

static int leads_rather(const tcf_location *a, int a_is_rank, const tcf_location *b, int b_is_rank)
{
    return a_is_rank != b_is_rank ? a_is_rank : a->id < b->id;
}

/* leader[group]: the one of its threads, or TCF_NONE. */
static void choose(const tcf_definitions *v, const uint8_t *is_rank, uint32_t *leader)
{
    for (uint32_t k = 0; k < v->n_locations; k++) {
        const tcf_location *l = &v->locations[k];
        if (l->type != TCF_CPU_THREAD || l->silent || l->group >= v->n_location_groups)
            continue;
        uint32_t best = leader[l->group];
        if (best == TCF_NONE || leads_rather(l, is_rank[k], &v->locations[best], is_rank[best]))
            leader[l->group] = k;
    }
}

static uint32_t leader_of(const tcf_definitions *v, const uint32_t *leader, uint32_t group)
{
    if (group >= v->n_location_groups)
        return TCF_NONE;
    if (leader[group] != TCF_NONE)
        return leader[group];
    uint32_t creator = v->location_groups[group].creator;
    return creator < v->n_location_groups ? leader[creator] : TCF_NONE;
}

tcf_status definitions_find_leaders(definitions *d)
{
    const tcf_definitions *v = &d->v;
    uint8_t *is_rank = calloc(v->n_locations + 1u, 1);
    uint32_t *leader = malloc((v->n_location_groups + 1u) * sizeof *leader);
    if (!is_rank || !leader) {
        free(is_rank);
        free(leader);
        return tcf_fail("out of memory for %u locations", v->n_locations);
    }
    memset(leader, 0xff, (v->n_location_groups + 1u) * sizeof *leader); /* TCF_NONE */
    mark_ranks(d, is_rank);
    choose(v, is_rank, leader);
    for (uint32_t k = 0; k < v->n_locations; k++) {
        tcf_location *l = (tcf_location *)&v->locations[k]; /* our own */
        int leads = l->type == TCF_CPU_THREAD && is_rank[k];
        l->leader = leads ? TCF_NONE : leader_of(v, leader, l->group);
        if (l->leader == k)
            l->leader = TCF_NONE;
    }
    free(is_rank);
    free(leader);
    return TCF_OK;
}
