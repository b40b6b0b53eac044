/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The definitions, as measurement systems write them: one machine, its nodes, a process for each rank, regions with
 * roles, groups and communicators; and in the local files of the recorded archive the measured clock offsets. */
#include "synth.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct region_text {
    const char *name;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
} region_text;

static const region_text regions[REGIONS] = {
#define TEXT(number, name, role, paradigm) {name, OTF2_REGION_ROLE_##role, OTF2_PARADIGM_##paradigm},
    REGIONS_LIST(TEXT)
#undef TEXT
};

enum { G_MPI_LOCATIONS, G_SELF, EMPTY = 0 };

typedef struct target {
    synth *s;
    OTF2_GlobalDefWriter *out;
    OTF2_StringRef strings;
    OTF2_GroupRef groups;
    uint64_t *members; /* scratch, one a location */
    uint32_t which;
} target;

static void checked(OTF2_ErrorCode status)
{
    archive_check(status, "writing definitions");
}

static OTF2_StringRef string(target *t, const char *format, uint64_t number)
{
    char text[80];

    snprintf(text, sizeof text, format, number);
    checked(OTF2_GlobalDefWriter_WriteString(t->out, t->strings, text));
    return t->strings++;
}

static OTF2_GroupRef group(target *t, OTF2_GroupType type, OTF2_Paradigm paradigm, uint64_t n)
{
    checked(OTF2_GlobalDefWriter_WriteGroup(t->out, t->groups, EMPTY, type, paradigm, OTF2_GROUP_FLAG_NONE, (uint32_t)n,
                                            t->members));
    return t->groups++;
}

/* ------------------------------------------------------------------------------------------------ clock and tree -- */

/* A timestamp after linear correction by the measured offsets. */
static uint64_t corrected(const synth *s, const location *l, uint64_t time)
{
    const measurement *a = &s->measured[0][l->rank], *b = &s->measured[1][l->rank];

    if (s->opt.measure == MEASURE_NONE)
        return time;
    double slope = s->opt.measure == MEASURE_BOTH && b->time != a->time
                       ? (double)(b->offset - a->offset) / ((double)b->time - (double)a->time)
                       : 0;
    double offset = (double)a->offset + rint(slope * ((double)time - (double)a->time));
    return time + (uint64_t)(int64_t)offset;
}

static void write_clock(target *t)
{
    const synth *s = t->s;
    uint64_t first = UINT64_MAX, last = 0;

    for (uint64_t k = 0; k < locations_of(&s->opt); k++) {
        const location *l = &s->locations[k];
        if (l->events == 0)
            continue;
        const uint64_t times[] = {l->first[t->which], l->stamp[t->which],
                                  t->which ? l->first[1] : corrected(s, l, l->first[0]),
                                  t->which ? l->stamp[1] : corrected(s, l, l->stamp[0])};
        /* libotf2 uses two offsets, but not a single one: with one, the times with and without the correction must
         * be within. */
        for (int i = s->opt.measure == MEASURE_BOTH ? 2 : 0; i < 4; i++) {
            first = times[i] < first ? times[i] : first;
            last = times[i] > last ? times[i] : last;
        }
    }
    checked(OTF2_GlobalDefWriter_WriteClockProperties(t->out, s->opt.resolution, first, last - first + 1,
                                                      OTF2_UNDEFINED_TIMESTAMP));
}

static void write_paradigms(target *t)
{
    OTF2_AttributeValue template;

    checked(OTF2_GlobalDefWriter_WriteParadigm(t->out, OTF2_PARADIGM_USER, string(t, "User", 0),
                                               OTF2_PARADIGM_CLASS_PROCESS));
    checked(OTF2_GlobalDefWriter_WriteParadigm(t->out, OTF2_PARADIGM_MPI, string(t, "MPI", 0),
                                               OTF2_PARADIGM_CLASS_PROCESS));
    template.stringRef = string(t, "MPI Communicator ${id}", 0);
    checked(OTF2_GlobalDefWriter_WriteParadigmProperty(t->out, OTF2_PARADIGM_MPI,
                                                       OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING,
                                                       template));
    checked(OTF2_GlobalDefWriter_WriteParadigm(t->out, OTF2_PARADIGM_OPENMP, string(t, "OpenMP", 0),
                                               OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
}

static void write_system_tree(target *t)
{
    const synth *s = t->s;
    OTF2_StringRef machine = string(t, "synthetic machine", 0), class = string(t, "machine", 0);

    checked(OTF2_GlobalDefWriter_WriteSystemTreeNode(t->out, 0, machine, class, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    checked(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(t->out, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    class = string(t, "node", 0);
    for (uint32_t n = 0; n < s->opt.nodes; n++) {
        checked(OTF2_GlobalDefWriter_WriteSystemTreeNode(t->out, n + 1, string(t, "node%" PRIu64, n), class, 0));
        checked(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(t->out, n + 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
    for (uint32_t r = 0; r < s->opt.ranks; r++)
        checked(OTF2_GlobalDefWriter_WriteLocationGroup(t->out, r, string(t, "MPI Rank %" PRIu64, r),
                                                        OTF2_LOCATION_GROUP_TYPE_PROCESS, node_of(s, r) + 1,
                                                        OTF2_UNDEFINED_LOCATION_GROUP));
}

/* In order of rank and thread, or shuffled; the same in both archives. */
static void write_locations(target *t)
{
    const synth *s = t->s;
    uint64_t n = locations_of(&s->opt);
    rng random = rng_seed(s->opt.seed, 3);
    OTF2_StringRef master = string(t, "Master thread", 0), first_thread = t->strings;

    for (uint32_t i = 1; i < s->opt.threads; i++)
        string(t, "OMP thread %" PRIu64, i);
    for (uint64_t i = 0; i < n; i++)
        t->members[i] = i;
    for (uint64_t i = n; s->opt.shuffle && i > 1; i--) {
        uint64_t j = rng_below(&random, (uint32_t)i), swapped = t->members[j];
        t->members[j] = t->members[i - 1];
        t->members[i - 1] = swapped;
    }
    for (uint64_t i = 0; i < n; i++) {
        const location *l = &s->locations[t->members[i]];
        checked(OTF2_GlobalDefWriter_WriteLocation(t->out, l->ref, l->thread ? first_thread + l->thread - 1 : master,
                                                   OTF2_LOCATION_TYPE_CPU_THREAD, l->events, l->rank));
    }
}

/* ----------------------------------------------------------------------------------------- groups, communicators -- */

static void write_comm(target *t, const comm *c, OTF2_StringRef name)
{
    OTF2_CommRef parent = c->ref == COMM_WORLD ? OTF2_UNDEFINED_COMM : COMM_WORLD;

    for (uint32_t i = 0; i < c->size; i++)
        t->members[i] = c->first + (uint64_t)i * c->stride;
    OTF2_GroupRef members = group(t, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, c->size);
    checked(OTF2_GlobalDefWriter_WriteComm(t->out, c->ref, name, members, parent, OTF2_COMM_FLAG_NONE));
}

static void write_comms(target *t)
{
    const synth *s = t->s;

    for (uint32_t r = 0; r < s->opt.ranks; r++)
        t->members[r] = rank_of(s, r)->ref;
    group(t, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, s->opt.ranks);
    group(t, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0);
    for (uint64_t i = 0; i < locations_of(&s->opt); i++)
        t->members[i] = s->locations[i].ref;
    group(t, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, locations_of(&s->opt));

    const comm world = comm_of_family(s, WORLD, 0);
    write_comm(t, &world, string(t, "MPI_COMM_WORLD", 0));
    checked(OTF2_GlobalDefWriter_WriteComm(t->out, COMM_SELF, string(t, "MPI_COMM_SELF", 0), G_SELF,
                                           OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    for (enum family family = ROWS; family <= COLUMNS; family++)
        for (uint32_t i = 0; i < family_size(s, family); i++) {
            const comm of = comm_of_family(s, family, i);
            write_comm(t, &of, string(t, family == ROWS ? "row %" PRIu64 : "column %" PRIu64, i));
        }
    checked(OTF2_GlobalDefWriter_WriteRmaWin(t->out, WINDOW, string(t, "window", 0), COMM_WORLD,
                                             OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
}

static void write_teams(target *t)
{
    const synth *s = t->s;

    for (uint32_t r = 0; r < s->opt.ranks; r++) {
        for (uint32_t i = 0; i < s->opt.threads; i++)
            t->members[i] = (uint64_t)r * s->opt.threads + i;
        OTF2_GroupRef team = group(t, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, s->opt.threads);
        checked(OTF2_GlobalDefWriter_WriteComm(t->out, team_of(s, r), EMPTY, team, OTF2_UNDEFINED_COMM,
                                               OTF2_COMM_FLAG_NONE));
    }
}

/* Names of regions come first: region i has string i + 1. */
static void write_regions(target *t)
{
    string(t, "", 0);
    for (uint32_t i = 0; i < REGIONS; i++)
        string(t, regions[i].name, 0);
    for (uint32_t i = 0; i < REGIONS; i++)
        checked(OTF2_GlobalDefWriter_WriteRegion(t->out, i, i + 1, i + 1, EMPTY, regions[i].role, regions[i].paradigm,
                                                 OTF2_REGION_FLAG_NONE, EMPTY, 0, 0));
}

static void write_global(target *t)
{
    write_clock(t);
    write_regions(t);
    write_paradigms(t);
    write_system_tree(t);
    write_locations(t);
    write_comms(t);
    if (t->s->needs & TEAMS)
        write_teams(t);
}

/* --------------------------------------------------------------------------------------------------------- local -- */

static void write_local(synth *s, uint32_t which)
{
    uint32_t records = which == 1 || s->opt.measure == MEASURE_NONE ? 0 : s->opt.measure == MEASURE_START ? 1 : 2;
    OTF2_Archive *a = s->archive[which];

    checked(OTF2_Archive_OpenDefFiles(a));
    for (uint64_t i = 0; i < locations_of(&s->opt); i++) {
        const location *l = &s->locations[i];
        OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(a, l->ref);
        if (out == NULL)
            fail("no writer for the definitions of location %" PRIu64, l->ref);
        for (uint32_t k = 0; k < records; k++) {
            const measurement *m = &s->measured[k][l->rank];
            checked(OTF2_DefWriter_WriteClockOffset(out, m->time, m->offset, m->deviation));
        }
        checked(OTF2_Archive_CloseDefWriter(a, out));
    }
    checked(OTF2_Archive_CloseDefFiles(a));
}

void write_definitions(synth *s)
{
    uint64_t *members = allocate(locations_of(&s->opt), sizeof *members);
    for (uint32_t which = 0; which < s->n_archives; which++) {
        target t = {.s = s, .members = members, .which = which};
        write_local(s, which);
        t.out = OTF2_Archive_GetGlobalDefWriter(s->archive[which]);
        if (t.out == NULL)
            fail("no writer for global definitions");
        write_global(&t);
        checked(OTF2_Archive_CloseGlobalDefWriter(s->archive[which], t.out));
    }
    free(members);
}
