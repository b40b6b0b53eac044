/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The lead thread of each location (tcf_location.leader): the thread of the process that controls dependent streams.
 * Here is also the answer whether processes share locations (definitions_share_processes()). */
#include "definitions.h"
#include "framework/base/error.h"

#include <stdlib.h>
#include <string.h>

static int is_rank(const tcf_definitions *v, uint32_t location)
{
    return v->mpi_member[location] == location;
}

/* Is location a preferred to b as the lead thread of a process? Ranks come first, then small ids. */
static int is_preferred(const tcf_definitions *v, uint32_t a, uint32_t b)
{
    return is_rank(v, a) != is_rank(v, b) ? is_rank(v, a) : v->locations[a].id < v->locations[b].id;
}

/* lead[group]: the lead thread among its CPU threads with events, or TCF_NONE. */
static void choose_lead_threads(const tcf_definitions *v, uint32_t *leader)
{
    for (uint32_t k = 0; k < v->n_locations; k++) {
        const tcf_location *l = &v->locations[k];
        if (l->type != TCF_CPU_THREAD || l->silent || l->group >= v->n_location_groups)
            continue;
        uint32_t best = leader[l->group];
        if (best == TCF_NONE || is_preferred(v, k, best))
            leader[l->group] = k;
    }
}

static uint32_t lead_thread_of(const tcf_definitions *v, const uint32_t *leader, uint32_t group)
{
    if (group >= v->n_location_groups)
        return TCF_NONE;
    if (leader[group] != TCF_NONE)
        return leader[group];
    uint32_t creator = v->location_groups[group].creator;
    return creator < v->n_location_groups ? leader[creator] : TCF_NONE;
}

tcf_status definitions_find_lead_threads(definitions *d)
{
    const tcf_definitions *v = &d->v;
    uint32_t *leader = malloc((v->n_location_groups + 1u) * sizeof *leader);
    if (!leader)
        return error_fail("out of memory for %u locations", v->n_locations);
    memset(leader, 0xff, (v->n_location_groups + 1u) * sizeof *leader); /* TCF_NONE */
    choose_lead_threads(v, leader);
    for (uint32_t k = 0; k < v->n_locations; k++) {
        tcf_location *l = (tcf_location *)&v->locations[k]; /* the framework's own */
        int leads = l->type == TCF_CPU_THREAD && is_rank(v, k);
        l->leader = leads ? TCF_NONE : lead_thread_of(v, leader, l->group);
        if (l->leader == k)
            l->leader = TCF_NONE;
    }
    free(leader);
    return TCF_OK;
}

int definitions_share_processes(const tcf_definitions *v)
{
    uint8_t *has = calloc(v->n_location_groups + 1ul, 1);
    int shared = has == NULL; /* out of memory: 1 is safe, it only costs time */

    for (uint32_t k = 0; k < v->n_locations && !shared; k++) {
        const tcf_location *l = &v->locations[k];
        uint32_t group = l->group < v->n_location_groups ? l->group : v->n_location_groups;
        if (l->type == TCF_METRIC_LOCATION || l->silent)
            continue;
        shared = has[group];
        has[group] = 1;
    }
    free(has);
    return shared;
}
