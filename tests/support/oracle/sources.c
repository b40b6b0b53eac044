/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which events are sources (doc/matching.md, "What counts as a source"): what others may wait for, found from the
 * records of the event's own location, whether or not anybody does wait. Backward amortization bends at all of them. */
#include "oracle.h"

#include <stdlib.h>

static bool is_member(const struct o_matching *m, uint64_t comm, size_t l)
{
    struct o_place place;
    return o_is_team(m, comm) && o_comm_place(m->trace, &m->comms, comm, l, &place);
}

static void mark_collectives(const struct o_matching *m, bool **source)
{
    const struct o_member *member = m->members.item;
    for (size_t i = 0; i < m->members.n; i++)
        if (member[i].gives)
            source[member[i].location][member[i].begin] = true;
}

static void mark_barriers(const struct o_matching *m, bool **source)
{
    const struct o_barrier *barrier = m->barriers.item;
    for (size_t i = 0; i < m->barriers.n; i++)
        source[barrier[i].location][barrier[i].enter] = true;
}

/* A fork counts when a team begins after it; the end of a team when its begin has been recorded. */
static void mark_teams(const struct o_matching *m, size_t l, bool *source)
{
    const struct o_location *location = &m->trace->location[l];
    size_t fork = O_NONE, open = 0;
    for (size_t e = 0; e < location->n; e++) {
        uint64_t team = location->event[e].field[0];
        switch (location->event[e].kind) {
        case O_THREAD_FORK:
        case O_OMP_FORK:
            fork = e;
            break;
        case O_THREAD_TEAM_BEGIN:
            open++;
            if (fork != O_NONE && e - fork <= m->lookahead && is_member(m, team, l))
                source[fork] = true;
            fork = O_NONE;
            break;
        case O_THREAD_TEAM_END:
            source[e] = open > 0 && is_member(m, team, l);
            open -= open > 0;
            break;
        default:
            break;
        }
    }
}

static void mark_events(const struct o_matching *m, size_t l, bool *source)
{
    const struct o_location *location = &m->trace->location[l];
    for (size_t e = 0; e < location->n; e++)
        switch (location->event[e].kind) {
        case O_MPI_SEND:
        case O_MPI_ISEND:
        case O_THREAD_RELEASE_LOCK:
        case O_OMP_RELEASE_LOCK:
            source[e] = true;
            break;
        case O_THREAD_CREATE:
        case O_THREAD_END:
            source[e] = o_is_known(m, location->event[e].field[0]);
            break;
        default:
            break;
        }
}

bool **o_sources(const struct o_matching *m)
{
    size_t n = m->trace->n_locations;
    bool **source = o_alloc(n, sizeof *source);
    for (size_t l = 0; l < n; l++) {
        source[l] = o_alloc(m->trace->location[l].n, sizeof **source);
        mark_events(m, l, source[l]);
        mark_teams(m, l, source[l]);
    }
    mark_collectives(m, source);
    mark_barriers(m, source);
    return source;
}
