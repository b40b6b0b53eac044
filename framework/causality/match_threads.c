/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Edges of threads: fork and join, create and wait, locks; and of regions: OpenMP barriers, MPI_Init, MPI_Finalize. */
#include "match_internal.h"

static tcf_status thread_edge(matcher *m, slice *s, uint32_t i, uint32_t ch, uint64_t number, tcf_edge_class class_,
                              uint8_t flags, uint32_t comm)
{
    edge_place where;
    tcf_edge *e = match_add_edge(m, s, i, &where);
    if (!e)
        return match_out_of_memory();
    e->class_ = (uint8_t)class_;
    e->flags = flags;
    e->peer = comm;
    if (comm != TCF_NONE)
        e->rank = membership_rank(&m->members, comm, membership_member(&m->members, comm, s->v.location), &e->side);
    if (ch == TCF_NONE || (comm != TCF_NONE && e->rank == TCF_NONE)) /* or the location is no member */
        no_edge(e, 0);
    else
        number_edge(m, e, ch, number);
    return TCF_OK;
}

tcf_status match_feed_fork(matcher *m, slice *s, uint32_t i)
{
    place *pl = &m->places[s->v.location];
    if (pl->fork.block)
        no_edge(edge_at(pl->fork), 0);
    tcf_edge *e = match_add_edge(m, s, i, &pl->fork);
    if (!e)
        return match_out_of_memory();
    pl->fork_event = s->v.first + i;
    return TCF_OK;
}

/* A fork whose team begin doesn't come within the look-ahead stays without edge. */
void match_expire_fork(matcher *m, place *pl)
{
    if (!pl->fork.block || (!pl->ended && pl->decoded - 1 - pl->fork_event < m->options.lookahead))
        return;
    no_edge(edge_at(pl->fork), 0);
    pl->fork.block = NULL;
}

/* Processes of MPI are no team of threads: where an id has two definitions (EZTrace numbers teams from 1 on in every
 * process, and communicators likewise), the first one counts, and a begin would be matched with those of other
 * processes. */
static uint32_t team_of(const matcher *m, uint32_t comm)
{
    uint32_t team = canonical(m, comm);
    return team != TCF_NONE && m->defs->comms[team].paradigm == TCF_PARADIGM_MPI ? TCF_NONE : team;
}

tcf_status match_feed_team_begin(matcher *m, slice *s, uint32_t i)
{
    uint32_t location = s->v.location;
    place *pl = &m->places[location];
    uint32_t comm = team_of(m, s->v.rec[i].thread_team_begin.thread_team);
    uint32_t ch = comm == TCF_NONE ? TCF_NONE : match_get_channel(m, CHANNEL_TEAM, comm, 0, 0, 0);
    uint64_t *count = ch == TCF_NONE ? NULL : match_member_count(m, ch, location);
    uint64_t number = count ? (*count)++ : 0;
    if (!count)
        ch = TCF_NONE;
    if (pl->teams < MAX_NESTING)
        pl->team[pl->teams] = (team_instance){.channel = ch, .number = number};
    pl->teams++;
    if (pl->fork.block && s->v.first + i - pl->fork_event > m->options.lookahead) {
        no_edge(edge_at(pl->fork), 0);
        pl->fork.block = NULL;
    }
    if (pl->fork.block) {
        tcf_edge *fork = edge_at(pl->fork);
        pl->fork.block = NULL;
        fork->class_ = TCF_CLASS_FORK;
        fork->flags = (uint8_t)(TCF_EDGE_SOURCE | TCF_EDGE_MEMBER | TCF_EDGE_BEGIN | (fork->flags & TCF_EDGE_GONE));
        fork->peer = comm;
        if (comm != TCF_NONE)
            fork->rank =
                membership_rank(&m->members, comm, membership_member(&m->members, comm, location), &fork->side);
        if (ch == TCF_NONE || fork->rank == TCF_NONE)
            no_edge(fork, 0);
        else
            number_edge(m, fork, ch, number);
        /* The forking thread's own team begin needs no edge: it follows its fork anyway. */
        return thread_edge(m, s, i, ch, number, TCF_CLASS_FORK, TCF_EDGE_MEMBER, comm);
    }
    return thread_edge(m, s, i, ch, number, TCF_CLASS_FORK, TCF_EDGE_TARGET | TCF_EDGE_MEMBER, comm);
}

tcf_status match_feed_team_end(matcher *m, slice *s, uint32_t i)
{
    place *pl = &m->places[s->v.location];
    if (pl->teams == 0)
        return TCF_OK; /* its begin was not recorded */
    pl->teams--;
    pl->last_team = pl->teams < MAX_NESTING ? pl->team[pl->teams] : (team_instance){.channel = TCF_NONE};
    uint32_t comm = team_of(m, s->v.rec[i].thread_team_end.thread_team);
    return thread_edge(m, s, i, pl->last_team.channel, pl->last_team.number, TCF_CLASS_JOIN,
                       TCF_EDGE_SOURCE | TCF_EDGE_MEMBER | TCF_EDGE_BEGIN, comm);
}

tcf_status match_feed_join(matcher *m, slice *s, uint32_t i)
{
    place *pl = &m->places[s->v.location];
    team_instance team = pl->last_team;
    pl->last_team.channel = TCF_NONE;
    if (team.channel == TCF_NONE)
        return TCF_OK;
    return thread_edge(m, s, i, team.channel, team.number, TCF_CLASS_JOIN, TCF_EDGE_TARGET | TCF_EDGE_MEMBER,
                       m->channels[team.channel].comm);
}

/* Does the location come to a barrier of the team, or leave one? An explicit barrier may contain the region of an
 * implicit one: the outermost counts. What is open when the team ends has no leave. */
static int passes_barrier(team_instance *team, uint32_t region, int entering)
{
    if (team->depth > 0 && team->region != region)
        return 0;
    if (!entering)
        return team->depth > 0 && --team->depth == 0;
    team->region = region;
    team->barriers += team->depth == 0;
    return team->depth++ == 0;
}

/* OpenMP barriers are counted within the instance of the team that the location is in, so that one that lacks a record
 * leads to no mistakes beyond it. */
tcf_status match_feed_barrier(matcher *m, slice *s, uint32_t i, uint32_t region, int entering)
{
    place *pl = &m->places[s->v.location];
    team_instance *team = pl->teams > 0 && pl->teams <= MAX_NESTING ? &pl->team[pl->teams - 1] : NULL;
    if (!team || team->channel == TCF_NONE || !passes_barrier(team, region, entering))
        return TCF_OK;
    uint32_t comm = m->channels[team->channel].comm;
    uint32_t ch = match_get_channel(m, CHANNEL_BARRIER, comm, 0, 0, 0);
    if (ch == TCF_NONE)
        return TCF_OK;
    return thread_edge(m, s, i, ch, team->number << 32 | team->barriers, TCF_CLASS_OMP_BARRIER,
                       (uint8_t)(TCF_EDGE_MEMBER | (entering ? TCF_EDGE_SOURCE | TCF_EDGE_BEGIN : TCF_EDGE_TARGET)),
                       comm);
}

/* Something that happens once: thread `sequence` of a contingent is created and begins, ends and is waited for. */
tcf_status match_feed_thread(matcher *m, slice *s, uint32_t i, uint32_t contingent, uint64_t sequence,
                             channel_type type, int source)
{
    uint32_t comm = canonical(m, contingent);
    if (comm == TCF_NONE)
        return TCF_OK;
    uint32_t ch = match_get_channel(m, type, comm, (uint32_t)(sequence >> 32), (uint32_t)sequence,
                                    m->defs->locations[s->v.location].group);
    if (ch == TCF_NONE)
        return TCF_OK;
    uint64_t number = source ? m->channels[ch].sends++ : m->channels[ch].receives++;
    return thread_edge(m, s, i, ch, number, type == CHANNEL_THREAD ? TCF_CLASS_THREAD_CREATE : TCF_CLASS_THREAD_WAIT,
                       source ? TCF_EDGE_SOURCE : TCF_EDGE_TARGET, TCF_NONE);
}

/* Acquisition n follows the release of acquisition n - 1. */
tcf_status match_feed_lock(matcher *m, slice *s, uint32_t i, uint32_t lock, uint32_t order, int release)
{
    if (!release && order <= 1)
        return TCF_OK;
    uint32_t process = m->defs->locations[s->v.location].group;
    uint32_t ch = match_get_channel(m, CHANNEL_LOCK, 0, process, lock, release ? order : order - 1);
    if (ch == TCF_NONE)
        return TCF_OK;
    uint64_t number = release ? m->channels[ch].sends++ : m->channels[ch].receives++;
    return thread_edge(m, s, i, ch, number, TCF_CLASS_LOCK, release ? TCF_EDGE_SOURCE : TCF_EDGE_TARGET, TCF_NONE);
}

/* MPI_Init and MPI_Finalize, made of their regions: instances without constraint. */
tcf_status match_feed_program(matcher *m, slice *s, uint32_t i, int finalize, int entering)
{
    uint8_t side;
    if (m->world == TCF_NONE)
        return TCF_OK;
    uint32_t member = membership_member(&m->members, m->world, s->v.location);
    if (membership_rank(&m->members, m->world, member, &side) == TCF_NONE)
        return TCF_OK;
    uint32_t ch = match_get_channel(m, CHANNEL_PROGRAM, m->world, 0, 0, (uint32_t)finalize);
    uint64_t *count = ch == TCF_NONE ? NULL : match_member_count(m, ch, member);
    if (!count)
        return TCF_OK;
    uint64_t number = entering ? *count : (*count)++;
    tcf_status status = thread_edge(m, s, i, ch, number, TCF_CLASS_UNORDERED,
                                    (uint8_t)(TCF_EDGE_MEMBER | (entering ? TCF_EDGE_BEGIN : 0)), m->world);
    if (status == TCF_OK)
        s->v.edges[s->v.n_edges - 1].op = finalize ? TCF_OP_FINALIZE : TCF_OP_INIT;
    return status;
}
