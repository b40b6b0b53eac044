/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Communicators by meaning (D2 to D4 of oracle.h): who is a member, with which rank, and which communicator ids of
 * different processes are one communicator. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The first COMM_LOCATIONS group of the paradigm that has members. */
static const struct o_group *comm_locations(const struct o_trace *trace, uint8_t paradigm)
{
    const struct o_group *group = trace->groups.item, *found = NULL;
    for (size_t i = 0; i < trace->groups.n; i++)
        if (group[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group[i].paradigm == paradigm && group[i].n > 0 &&
            (!found || group[i].def.order < found->def.order))
            found = &group[i];
    return found;
}

/* A communicator's group; its id may be that of another type of group, too. A list of locations serves where there is
 * no other. */
static const struct o_group *comm_group(const struct o_trace *trace, uint64_t id)
{
    const struct o_group *group = o_find(&trace->groups, sizeof *group, id);
    const struct o_group *end = (const struct o_group *)trace->groups.item + trace->groups.n;
    const struct o_group *list = NULL;
    for (; group && group < end && group->def.id == id; group++) {
        if (group->type == OTF2_GROUP_TYPE_COMM_GROUP || group->type == OTF2_GROUP_TYPE_COMM_SELF)
            return group;
        if (!list && group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
            list = group;
    }
    return list;
}

static bool lists(const struct o_group *group, uint64_t location)
{
    for (size_t i = 0; i < group->n; i++)
        if (group->member[i] == location)
            return true;
    return false;
}

/* The location that location l stands for in communicators of MPI (D2). */
static bool mpi_member(const struct o_trace *trace, size_t l, uint64_t *member)
{
    const struct o_group *world = comm_locations(trace, OTF2_PARADIGM_MPI);
    const struct o_location *location = trace->location;
    size_t listed = 0;
    if (!world)
        return false;
    if (lists(world, location[l].def.id)) {
        *member = location[l].def.id;
        return true;
    }
    for (size_t k = 0; k < trace->n_locations; k++)
        if (location[k].group == location[l].group && lists(world, location[k].def.id)) {
            *member = location[k].def.id;
            listed++;
        }
    return listed == 1 && location[l].type == OTF2_LOCATION_TYPE_CPU_THREAD;
}

bool o_stands_for(const struct o_trace *trace, uint8_t paradigm, size_t l, uint64_t *member)
{
    *member = trace->location[l].def.id;
    return paradigm != OTF2_PARADIGM_MPI || mpi_member(trace, l, member);
}

bool o_are_one(const struct o_trace *trace, size_t a, size_t b)
{
    uint64_t x, y;
    return a == b || (mpi_member(trace, a, &x) && mpi_member(trace, b, &y) && x == y);
}

/* Ranks of all locations, of any of them the first one that is theirs. */
static void assign_ranks(const struct o_trace *trace, struct o_side *side, uint8_t paradigm)
{
    side->rank = o_alloc(trace->n_locations, sizeof *side->rank);
    for (size_t l = 0; l < trace->n_locations; l++) {
        uint64_t member;
        side->rank[l] = O_NO_RANK;
        if (!o_stands_for(trace, paradigm, l, &member))
            continue;
        for (size_t m = side->n; m-- > 0;)
            if (side->member[m] == member)
                side->rank[l] = (uint32_t)m;
    }
}

static void copy_members(struct o_side *side, const struct o_group *group, const struct o_group *world)
{
    if (group->flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) { /* rank = index in COMM_LOCATIONS, gaps allowed */
        side->n = world->n;
        side->member = o_alloc(side->n, sizeof *side->member);
        for (size_t i = 0; i < side->n; i++)
            side->member[i] = OTF2_UNDEFINED_LOCATION;
        for (size_t i = 0; i < group->n; i++)
            if (group->member[i] < world->n)
                side->member[group->member[i]] = world->member[group->member[i]];
        return;
    }
    side->n = group->n;
    side->member = o_alloc(side->n, sizeof *side->member);
    if (group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
        memcpy(side->member, group->member, side->n * sizeof *side->member);
        return;
    }
    for (size_t i = 0; i < side->n; i++)
        side->member[i] = group->member[i] < world->n ? world->member[group->member[i]] : OTF2_UNDEFINED_LOCATION;
}

static void resolve(const struct o_trace *trace, const struct o_comm *comm, struct o_canon *canon)
{
    canon->id = comm->def.id;
    canon->inter = comm->inter;
    for (int s = 0; s < (comm->inter ? 2 : 1); s++) {
        const struct o_group *group = comm_group(trace, comm->group[s]);
        const struct o_group *world = group ? comm_locations(trace, group->paradigm) : NULL;
        if (!world)
            return;
        canon->paradigm = group->paradigm;
        if (!comm->inter && group->type == OTF2_GROUP_TYPE_COMM_SELF) {
            canon->self = true;
            canon->world.n = world->n;
            canon->world.member = o_alloc(world->n, sizeof *world->member);
            memcpy(canon->world.member, world->member, world->n * sizeof *world->member);
            assign_ranks(trace, &canon->world, group->paradigm);
        } else {
            copy_members(&canon->side[s], group, world);
            assign_ranks(trace, &canon->side[s], group->paradigm);
        }
    }
    canon->resolved = true;
    canon->alone = comm->alone;
}

/* Block size of per-process ids, 0 when ids are global (D4). */
static uint64_t block_size(const struct o_trace *trace)
{
    const struct o_group *world = comm_locations(trace, OTF2_PARADIGM_MPI);
    uint64_t block = 0;
    for (size_t i = 0; world && i < world->n; i++)
        if (world->member[i] && (!block || world->member[i] < block))
            block = world->member[i];
    if (block < 65536)
        return 0;
    for (size_t i = 0; i < world->n; i++) {
        if (world->member[i] % block)
            return 0;
        for (size_t k = 0; k < i; k++)
            if (world->member[k] == world->member[i])
                return 0;
    }
    return block;
}

static bool same_members(const struct o_canon *a, const struct o_canon *b)
{
    if (!a->resolved || !b->resolved || a->alone || b->alone || a->self != b->self || a->inter != b->inter)
        return false;
    for (int s = 0; s < 2; s++)
        if (a->side[s].n != b->side[s].n ||
            (a->side[s].n && memcmp(a->side[s].member, b->side[s].member, a->side[s].n * sizeof(uint64_t))))
            return false;
    return true;
}

/* How many communicators of the same block and members come before this one. */
static size_t ordinal_in_block(const struct o_comms *comms, size_t at, uint64_t block)
{
    size_t ordinal = 0;
    for (size_t i = 0; i < at; i++)
        if ((i == 0 || comms->canon[i - 1].id != comms->canon[i].id) /* defined twice */
            && comms->canon[i].id / block == comms->canon[at].id / block && comms->canon[i].id != comms->canon[at].id &&
            same_members(&comms->canon[i], &comms->canon[at]))
            ordinal++;
    return ordinal;
}

void o_comms_build(const struct o_trace *trace, struct o_comms *comms)
{
    const struct o_comm *comm = trace->comms.item;
    comms->n = trace->comms.n;
    comms->canon = o_alloc(comms->n, sizeof *comms->canon);
    comms->class_of = o_alloc(comms->n, sizeof *comms->class_of);
    for (size_t i = 0; i < comms->n; i++) {
        resolve(trace, &comm[i], &comms->canon[i]);
        comms->class_of[i] = i;
    }
    uint64_t block = block_size(trace);
    if (!block)
        return;
    size_t *ordinal = o_alloc(comms->n, sizeof *ordinal);
    for (size_t i = 0; i < comms->n; i++) {
        ordinal[i] = ordinal_in_block(comms, i, block);
        for (size_t k = 0; k < i; k++)
            if (comms->class_of[k] == k && ordinal[k] == ordinal[i] &&
                same_members(&comms->canon[k], &comms->canon[i])) {
                comms->class_of[i] = k;
                break;
            }
    }
    free(ordinal);
}

void o_comms_free(struct o_comms *comms)
{
    for (size_t i = 0; i < comms->n; i++) {
        struct o_canon *c = &comms->canon[i];
        struct o_side *sides[] = {&c->side[0], &c->side[1], &c->world};
        for (int s = 0; s < 3; s++) {
            free(sides[s]->member);
            free(sides[s]->rank);
        }
    }
    free(comms->canon);
    free(comms->class_of);
}

bool o_comm_place(const struct o_trace *trace, const struct o_comms *comms, uint64_t id, size_t location,
                  struct o_place *place)
{
    const struct o_comm *comm = o_find(&trace->comms, sizeof *comm, id);
    if (!comm)
        return false;
    size_t index = (size_t)(comm - (const struct o_comm *)trace->comms.item);
    const struct o_canon *canon = &comms->canon[comms->class_of[index]];
    *place = (struct o_place){.canon = canon};
    if (!canon->resolved)
        return false;
    if (canon->self) {
        place->process = canon->world.rank[location];
        return place->process != O_NO_RANK;
    }
    for (uint8_t s = 0; s < (canon->inter ? 2 : 1); s++)
        if (canon->side[s].rank[location] != O_NO_RANK) {
            place->side = s;
            place->rank = canon->side[s].rank[location];
            return true;
        }
    return false;
}

void o_print_comm(const struct o_canon *canon, uint32_t process)
{
    printf("%" PRIu64, canon->id);
    if (canon->self)
        printf(":%" PRIu32, process);
}
