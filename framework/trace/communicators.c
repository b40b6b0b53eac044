/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Communicators of a trace: their members, and which definitions mean the same communicator.
 *
 * A communicator refers to a group. A COMM_GROUP lists positions in the COMM_LOCATIONS group of its paradigm; a
 * LOCATIONS or COMM_LOCATIONS group lists locations; COMM_SELF has no members, every process is its own rank 0. With
 * the flag GLOBAL_MEMBERS ranks in events are positions in the COMM_LOCATIONS group: the communicator is then as long
 * as that group, with TCF_NONE for locations that are no members. EZTrace gives one id to a COMM_LOCATIONS and a
 * COMM_GROUP, so groups are looked up by id and kind. */
#include "definitions.h"
#include "framework/base/error.h"

#include <tcflow/order.h>

#include <otf2/OTF2_Definitions.h>
#include <stdlib.h>
#include <string.h>

enum { PARADIGMS = 256 };

/* Members of a group, shared by all communicators of the group. */
struct members {
    const tcf_def_group *group;
    const uint32_t *process, *location;
    uint32_t n;
    int done;
};

struct groups {
    struct members *members; /* one for each group record, in their order */
    map by_id;               /* (id, 1): COMM_LOCATIONS, (id, 0): other groups, which a communicator prefers */
    const tcf_def_group *locations[PARADIGMS];
};

static tcf_status gather_groups(const definitions *d, struct groups *g)
{
    uint32_t n = 0;

    for (uint64_t r = 0; r < d->v.n_records; r++)
        n += d->records[r].kind == TCF_DEF_GROUP;
    g->members = calloc(n + 1, sizeof *g->members);
    if (g->members == NULL)
        return error_fail("out of memory for the groups");
    n = 0;
    for (uint64_t r = 0; r < d->v.n_records; r++) {
        if (d->records[r].kind != TCF_DEF_GROUP)
            continue;
        const tcf_def_group *group = d->records[r].as.def_group;
        int is_list = group->group_type == OTF2_GROUP_TYPE_COMM_LOCATIONS;
        if (is_list && g->locations[group->paradigm] == NULL && group->number_of_members > 0)
            g->locations[group->paradigm] = group;
        g->members[n].group = group;
        if (map_get(&g->by_id, group->self, (uint64_t)is_list) == MAP_ABSENT &&
            map_put(&g->by_id, group->self, (uint64_t)is_list, n) != 0)
            return error_fail("out of memory for the groups");
        n++;
    }
    return TCF_OK;
}

enum { SEVERAL = TCF_NONE - 1 };

/* Sets member[l] = l for the locations in MPI's list, and of_group[g] to the one location of group g in that list,
 * SEVERAL, or TCF_NONE. */
static void find_listed(const definitions *d, const tcf_def_group *list, uint32_t *member, uint32_t *of_group)
{
    for (uint32_t i = 0; list != NULL && i < list->number_of_members; i++) {
        uint32_t l = definitions_find(d, TCF_REF_LOCATION, list->members[i]);
        if (l == TCF_NONE || member[l] == l)
            continue;
        uint32_t group = d->v.locations[l].group;
        member[l] = l;
        if (group < d->v.n_location_groups)
            of_group[group] = of_group[group] == TCF_NONE ? l : SEVERAL;
    }
}

static tcf_status resolve_mpi_members(definitions *d, const struct groups *g)
{
    uint32_t n = d->v.n_locations, groups = d->v.n_location_groups;
    uint32_t *member = definitions_memory(d, n * sizeof *member);
    uint32_t *of_group = malloc((groups + 1u) * sizeof *of_group);

    if (member == NULL || of_group == NULL) {
        free(of_group);
        return error_fail("out of memory for the members of communicators");
    }
    memset(member, 0xff, n * sizeof *member);
    memset(of_group, 0xff, groups * sizeof *of_group);
    find_listed(d, g->locations[TCF_PARADIGM_MPI], member, of_group);
    for (uint32_t l = 0; l < n; l++) {
        const tcf_location *location = &d->v.locations[l];
        if (member[l] == TCF_NONE && location->type == TCF_CPU_THREAD && location->group < groups &&
            of_group[location->group] != SEVERAL)
            member[l] = of_group[location->group];
    }
    d->v.mpi_member = member;
    free(of_group);
    return TCF_OK;
}

/* The location that an entry of a group's member list stands for. */
static uint32_t member_location(const definitions *d, const struct groups *g, const tcf_def_group *group,
                                uint64_t member)
{
    if (group->group_type != OTF2_GROUP_TYPE_COMM_GROUP)
        return definitions_find(d, TCF_REF_LOCATION, member);
    const tcf_def_group *list = g->locations[group->paradigm];
    if (list == NULL || member >= list->number_of_members)
        return TCF_NONE;
    return definitions_find(d, TCF_REF_LOCATION, list->members[member]);
}

static tcf_status resolve_members(definitions *d, const struct groups *g, struct members *m)
{
    const tcf_def_group *group = m->group, *list = g->locations[group->paradigm];
    int global = group->group_type == OTF2_GROUP_TYPE_COMM_GROUP && list != NULL &&
                 (group->group_flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS);
    uint32_t n = global ? list->number_of_members : group->number_of_members;
    uint32_t *location = definitions_memory(d, n * sizeof *location);
    uint32_t *process = definitions_memory(d, n * sizeof *process);

    if (location == NULL || process == NULL)
        return TCF_ERROR;
    memset(location, 0xff, n * sizeof *location);
    for (uint32_t i = 0; i < group->number_of_members; i++) {
        uint64_t rank = global ? group->members[i] : i;
        if (rank < n)
            location[rank] = member_location(d, g, group, group->members[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        process[i] = location[i] == TCF_NONE ? TCF_NONE : d->v.locations[location[i]].group;
        if (!tcf_defined(process[i]))
            process[i] = TCF_NONE;
    }
    m->location = location;
    m->process = process;
    m->n = n;
    m->done = 1;
    return TCF_OK;
}

static tcf_status find_members(definitions *d, struct groups *g, uint32_t id, struct members **found)
{
    uint32_t i = map_get(&g->by_id, id, 0);

    *found = NULL;
    if (i == MAP_ABSENT)
        i = map_get(&g->by_id, id, 1);
    if (i == MAP_ABSENT)
        return TCF_OK;
    *found = &g->members[i];
    if ((*found)->done || (*found)->group->group_type == OTF2_GROUP_TYPE_COMM_SELF)
        return TCF_OK;
    return resolve_members(d, g, *found);
}

static tcf_status resolve_comm(definitions *d, struct groups *g, const tcf_definition *record, tcf_comm *comm)
{
    const tcf_def_comm *c = record->as.def_comm;
    const tcf_def_inter_comm *ic = record->as.def_inter_comm;
    struct members *a, *b = NULL;
    uint32_t name;

    comm->inter = record->kind == TCF_DEF_INTER_COMM;
    comm->id = comm->inter ? ic->self : c->self;
    comm->parent = definitions_index(d, TCF_REF_COMM, comm->inter ? ic->common_communicator : c->parent);
    name = definitions_find(d, TCF_REF_STRING, comm->inter ? ic->name : c->name);
    comm->name = name == TCF_NONE ? "" : d->v.strings[name];
    if (find_members(d, g, comm->inter ? ic->group_a : c->group, &a) != TCF_OK ||
        (comm->inter && find_members(d, g, ic->group_b, &b) != TCF_OK))
        return TCF_ERROR;
    if (a != NULL) {
        comm->paradigm = a->group->paradigm;
        comm->self = a->group->group_type == OTF2_GROUP_TYPE_COMM_SELF;
        comm->size = a->n;
        comm->process = a->process;
        comm->location = a->location;
    }
    if (b != NULL) {
        comm->remote_size = b->n;
        comm->remote_process = b->process;
        comm->remote_location = b->location;
    }
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------- canonical communicators -- */

/* Some measurement systems number definitions process by process: a process takes the ids from its location's id on
 * (EZTrace: blocks of 536,870,911). Each member may then define the same communicator under an id of its own.
 * block_starts() fills `start` with the sorted starts of the blocks and returns their number; 0: ids are global, as
 * usual. */
enum { BLOCK_AT_LEAST = 65536 };

static int order_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t block_starts(const definitions *d, uint64_t *start)
{
    const tcf_definitions *v = &d->v;
    uint32_t n = 0, in_later_blocks = 0;

    for (uint32_t i = 0; i < v->n_locations; i++)
        start[i] = v->locations[i].id;
    qsort(start, v->n_locations, sizeof *start, order_u64);
    for (uint32_t i = 0; i < v->n_locations;
         i++) /* the ids of threads are close to that of their process' first location */
        if (n == 0 || start[i] - start[n - 1] >= BLOCK_AT_LEAST)
            start[n++] = start[i];
    if (n < 2 || start[n - 1] > UINT32_MAX)
        return 0;
    for (uint32_t i = 0; i < v->n_comms; i++)
        in_later_blocks += v->comms[i].id >= start[1];
    return in_later_blocks > 0 ? n : 0;
}

static uint32_t block_of(const uint64_t *start, uint32_t n, uint64_t id)
{
    uint32_t low = 0, high = n;

    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (start[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int same_members(const tcf_comm *a, const tcf_comm *b)
{
    return a->paradigm == b->paradigm && a->inter == b->inter && a->self == b->self && a->size == b->size &&
           a->remote_size == b->remote_size &&
           (a->size == 0 || memcmp(a->location, b->location, a->size * sizeof *a->location) == 0) &&
           (a->remote_size == 0 ||
            memcmp(a->remote_location, b->remote_location, a->remote_size * sizeof *a->remote_location) == 0);
}

static uint64_t members_hash(const tcf_comm *c)
{
    uint64_t h = (uint64_t)c->paradigm << 2 | (uint64_t)c->inter << 1 | c->self;

    h = map_hash(h, c->size); /* separates the two groups */
    for (uint32_t i = 0; i < c->size; i++)
        h = map_hash(h, c->location[i]);
    for (uint32_t i = 0; i < c->remote_size; i++)
        h = map_hash(h, c->remote_location[i]);
    return h;
}

struct ordered {
    uint64_t hash;
    uint32_t id, comm;
};

static int order_comms(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->hash, y->hash), TCF_ORDER(x->id, y->id));
}

/* Makes the i-th communicator of a member list, by id, the same one in each block. `order` holds the communicators with
 * a parent by member list and id, hence by block; MPI_COMM_WORLD has no parent and one id for all processes. Of lists
 * with the same hash only the first is merged. `same` has room for n entries. */
static void merge_blocks(const uint64_t *start, uint32_t blocks, tcf_comm *comm, const struct ordered *order,
                         uint32_t n, uint32_t *same)
{
    uint32_t n_same = 0, i_th = 0, block = 0, first = 0;

    for (uint32_t i = 0; i < n; i++) {
        tcf_comm *c = &comm[order[i].comm];
        uint32_t its_block = block_of(start, blocks, c->id);
        if (order[i].hash != order[first].hash) {
            first = i;
            n_same = 0;
        }
        if (!same_members(&comm[order[first].comm], c))
            continue;
        if (i == first || its_block != block)
            i_th = 0;
        block = its_block;
        if (i_th == n_same)
            same[n_same++] = order[i].comm;
        c->canonical = same[i_th++];
    }
}

static tcf_status canonical_comms(definitions *d, tcf_comm *comm)
{
    uint32_t n = d->v.n_comms, m = 0;
    uint64_t *start = calloc(d->v.n_locations + 1, sizeof *start);
    struct ordered *order = calloc(n + 1, sizeof *order);
    uint32_t *same = calloc(n + 1, sizeof *same);
    tcf_status status = TCF_OK;

    if (start == NULL || order == NULL || same == NULL) {
        status = error_fail("out of memory for %u communicators", n);
        goto done;
    }
    uint32_t blocks = block_starts(d, start);
    if (blocks == 0)
        goto done;
    for (uint32_t i = 0; i < n; i++)
        if (comm[i].parent != TCF_NONE && comm[i].size + comm[i].remote_size > 1)
            order[m++] = (struct ordered){members_hash(&comm[i]), comm[i].id, i};
    qsort(order, m, sizeof *order, order_comms);
    merge_blocks(start, blocks, comm, order, m, same);
done:
    free(start);
    free(order);
    free(same);
    return status;
}

tcf_status definitions_resolve_comms(definitions *d, const uint64_t *first, uint32_t n)
{
    struct groups g = {0};
    tcf_comm *comm = definitions_memory(d, n * sizeof *comm);
    tcf_status status = comm ? gather_groups(d, &g) : TCF_ERROR;

    if (status == TCF_OK)
        status = resolve_mpi_members(d, &g);
    for (uint32_t i = 0; i < n && status == TCF_OK; i++) {
        comm[i].canonical = i;
        status = resolve_comm(d, &g, &d->records[first[i]], &comm[i]);
    }
    d->v.comms = comm;
    d->v.n_comms = n;
    if (status == TCF_OK)
        status = canonical_comms(d, comm);
    map_free(&g.by_id);
    free(g.members);
    return status;
}
