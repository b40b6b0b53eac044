/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Edges of threads: fork and join, create and wait, locks; and of regions: OpenMP barriers, MPI_Init, MPI_Finalize. */
#include "match_internal.h"

/* Adds an edge of event i with the class, flags, channel and number of `what`; peer: its communicator, or TCF_NONE. */
static tcf_status thread_edge(matcher *m, slice *s, uint32_t i, tcf_edge what)
{
    const uint32_t comm = what.peer;
    edge_ref where;
    tcf_edge *e = match_add_edge(m, s, i, &where);
    if (!e)
        return match_out_of_memory();
    e->class_ = what.class_;
    e->flags = what.flags;
    e->peer = comm;
    if (comm != TCF_NONE)
        e->rank = membership_rank(m->members, comm, membership_member(m->members, comm, s->v.location), &e->side);
    if (what.channel == TCF_NONE || (comm != TCF_NONE && e->rank == TCF_NONE)) /* or the location is no member */
        no_edge(e, 0);
    else
        number_edge(m, e, what.channel, what.number);
    return TCF_OK;
}

match_rare *match_get_rare(match_location *loc)
{
    if (!loc->rare && (loc->rare = calloc(1, sizeof *loc->rare)) != NULL)
        loc->rare->last_team.channel = TCF_NONE;
    return loc->rare;
}

/* The fork makes no edge. */
static void drop_fork(match_rare *rare)
{
    no_edge(edge_at(rare->fork), 0);
    rare->fork.block = NULL;
}

tcf_status match_feed_fork(matcher *m, slice *s, uint32_t i)
{
    match_rare *rare = match_get_rare(&m->locations[s->v.location]);
    if (!rare)
        return match_out_of_memory();
    if (rare->fork.block)
        drop_fork(rare);
    tcf_edge *e = match_add_edge(m, s, i, &rare->fork);
    if (!e)
        return match_out_of_memory();
    rare->fork_event = s->v.first + i;
    return TCF_OK;
}

int match_expire_fork(matcher *m, match_location *loc, int force)
{
    match_rare *rare = loc->rare;
    if (!rare || !rare->fork.block ||
        (!force && !loc->ended && loc->decoded - 1 - rare->fork_event < m->options.lookahead))
        return 0;
    drop_fork(rare);
    return 1;
}

/* The team of threads with an id; TCF_NONE: the id is one of MPI's communicators. EZTrace numbers teams from 1 on in
 * every process, and communicators as well, so an id has several definitions, of which the first one counts: team
 * begins of several processes would be matched with each other. */
static uint32_t team_of(const matcher *m, uint32_t comm)
{
    uint32_t team = canonical(m, comm);
    return team != TCF_NONE && m->defs->comms[team].paradigm == TCF_PARADIGM_MPI ? TCF_NONE : team;
}

tcf_status match_feed_team_begin(matcher *m, slice *s, uint32_t i)
{
    uint32_t location = s->v.location;
    match_rare *rare = match_get_rare(&m->locations[location]);
    if (!rare)
        return match_out_of_memory();
    uint32_t comm = team_of(m, s->v.rec[i].thread_team_begin.thread_team);
    uint32_t ch =
        comm == TCF_NONE ? TCF_NONE : match_get_channel(m, (tcf_channel){.type = TCF_CHANNEL_TEAM, .comm = comm});
    uint64_t *count = ch == TCF_NONE ? NULL : match_member_count(m, ch, location);
    uint64_t number = count ? (*count)++ : 0;
    if (!count)
        ch = TCF_NONE;
    if (rare->teams < MAX_NESTING && TCF_GROW(&rare->team, &rare->teams_capacity, rare->teams) != 0)
        return match_out_of_memory();
    if (rare->teams < MAX_NESTING)
        rare->team[rare->teams] = (team_instance){.channel = ch, .number = number};
    rare->teams++;
    if (rare->fork.block && s->v.first + i - rare->fork_event > m->options.lookahead)
        drop_fork(rare);
    tcf_edge begin = {.class_ = TCF_CLASS_FORK,
                      .flags = TCF_EDGE_MEMBER,
                      .peer = comm,
                      .channel = ch,
                      .number = number};
    if (rare->fork.block) {
        tcf_edge *fork = edge_at(rare->fork);
        rare->fork.block = NULL;
        fork->class_ = TCF_CLASS_FORK;
        fork->flags = (uint8_t)(TCF_EDGE_SOURCE | TCF_EDGE_MEMBER | TCF_EDGE_BEGIN | (fork->flags & TCF_EDGE_GONE));
        fork->peer = comm;
        if (comm != TCF_NONE)
            fork->rank = membership_rank(m->members, comm, membership_member(m->members, comm, location), &fork->side);
        if (ch == TCF_NONE || fork->rank == TCF_NONE)
            no_edge(fork, 0);
        else
            number_edge(m, fork, ch, number);
        /* The team begin of the forking thread is no target: it follows the fork anyway. */
        return thread_edge(m, s, i, begin);
    }
    begin.flags |= TCF_EDGE_TARGET;
    return thread_edge(m, s, i, begin);
}

tcf_status match_feed_team_end(matcher *m, slice *s, uint32_t i)
{
    match_rare *rare = m->locations[s->v.location].rare;
    if (!rare || rare->teams == 0)
        return TCF_OK; /* its begin was not recorded */
    rare->teams--;
    rare->last_team = rare->teams < MAX_NESTING ? rare->team[rare->teams] : (team_instance){.channel = TCF_NONE};
    uint32_t comm = team_of(m, s->v.rec[i].thread_team_end.thread_team);
    return thread_edge(m, s, i,
                       (tcf_edge){.class_ = TCF_CLASS_JOIN,
                                  .flags = TCF_EDGE_SOURCE | TCF_EDGE_MEMBER | TCF_EDGE_BEGIN,
                                  .peer = comm,
                                  .channel = rare->last_team.channel,
                                  .number = rare->last_team.number});
}

tcf_status match_feed_join(matcher *m, slice *s, uint32_t i)
{
    match_rare *rare = m->locations[s->v.location].rare;
    if (!rare || rare->last_team.channel == TCF_NONE)
        return TCF_OK;
    const team_instance team = rare->last_team;
    rare->last_team.channel = TCF_NONE;
    return thread_edge(m, s, i,
                       (tcf_edge){.class_ = TCF_CLASS_JOIN,
                                  .flags = TCF_EDGE_TARGET | TCF_EDGE_MEMBER,
                                  .peer = m->channels[team.channel].comm,
                                  .channel = team.channel,
                                  .number = team.number});
}

/* Does the location enter or leave a barrier of the team? The region of an explicit barrier may contain that of an
 * implicit one: the outer region counts. A barrier that is open when the team ends has no leave. */
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

/* OpenMP barriers count within one fork of a team: a missing record leads to mistakes up to the join at most. */
tcf_status match_feed_barrier(matcher *m, slice *s, uint32_t i, uint32_t region, int entering)
{
    const match_rare *rare = m->locations[s->v.location].rare;
    team_instance *team = rare && rare->teams > 0 && rare->teams <= MAX_NESTING ? &rare->team[rare->teams - 1] : NULL;
    if (!team || team->channel == TCF_NONE || !passes_barrier(team, region, entering))
        return TCF_OK;
    uint32_t comm = m->channels[team->channel].comm;
    uint32_t ch = match_get_channel(m, (tcf_channel){.type = TCF_CHANNEL_BARRIER, .comm = comm});
    if (ch == TCF_NONE)
        return TCF_OK;
    return thread_edge(m, s, i,
                       (tcf_edge){.class_ = TCF_CLASS_OMP_BARRIER,
                                  .flags =
                                      TCF_EDGE_MEMBER | (entering ? TCF_EDGE_SOURCE | TCF_EDGE_BEGIN : TCF_EDGE_TARGET),
                                  .peer = comm,
                                  .channel = ch,
                                  .number = team->number << 32 | team->barriers});
}

/* An edge of a channel on which both sides count their events. */
static tcf_status pair_edge(matcher *m, slice *s, uint32_t i, tcf_edge_class class_, uint32_t ch, int source)
{
    if (ch == TCF_NONE)
        return TCF_OK;
    return thread_edge(m, s, i,
                       (tcf_edge){.class_ = (uint8_t)class_,
                                  .flags = source ? TCF_EDGE_SOURCE : TCF_EDGE_TARGET,
                                  .peer = TCF_NONE,
                                  .channel = ch,
                                  .number = source ? m->channels[ch].sends++ : m->channels[ch].receives++});
}

/* Something that happens once: a thread of a contingent is created and begins, or ends and is waited for. */
tcf_status match_feed_thread(matcher *m, slice *s, uint32_t i)
{
    const tcf_ev_thread_create *r = &s->v.rec[i].thread_create; /* the four records are alike */
    uint8_t kind = s->v.kind[i];
    int begins = kind == TCF_THREAD_CREATE || kind == TCF_THREAD_BEGIN;
    uint32_t comm = canonical(m, r->thread_contingent);
    if (comm == TCF_NONE)
        return TCF_OK;
    uint32_t ch = match_get_channel(m, (tcf_channel){.type = begins ? TCF_CHANNEL_THREAD : TCF_CHANNEL_THREAD_END,
                                                     .comm = comm,
                                                     .a = (uint32_t)(r->sequence_count >> 32),
                                                     .b = (uint32_t)r->sequence_count,
                                                     .tag = m->defs->locations[s->v.location].group});
    return pair_edge(m, s, i, begins ? TCF_CLASS_THREAD_CREATE : TCF_CLASS_THREAD_WAIT, ch,
                     kind == TCF_THREAD_CREATE || kind == TCF_THREAD_END);
}

/* Acquisition n follows the release of acquisition n - 1. */
tcf_status match_feed_lock(matcher *m, slice *s, uint32_t i)
{
    const tcf_rec *r = &s->v.rec[i]; /* records of acquisitions and releases are alike */
    uint8_t kind = s->v.kind[i];
    int omp = kind == TCF_OMP_ACQUIRE_LOCK || kind == TCF_OMP_RELEASE_LOCK;
    int release = kind == TCF_THREAD_RELEASE_LOCK || kind == TCF_OMP_RELEASE_LOCK;
    uint32_t lock = omp ? r->omp_acquire_lock.lock_id : r->thread_acquire_lock.lock_id;
    uint32_t order = omp ? r->omp_acquire_lock.acquisition_order : r->thread_acquire_lock.acquisition_order;
    if (!release && order <= 1)
        return TCF_OK;
    uint32_t ch = match_get_channel(m, (tcf_channel){.type = TCF_CHANNEL_LOCK,
                                                     .a = m->defs->locations[s->v.location].group,
                                                     .b = lock,
                                                     .tag = release ? order : order - 1});
    return pair_edge(m, s, i, TCF_CLASS_LOCK, ch, release);
}

/* MPI_Init and MPI_Finalize, from their regions: collectives without order. */
tcf_status match_feed_program(matcher *m, slice *s, uint32_t i, int finalize, int entering)
{
    uint8_t side;
    if (m->world == TCF_NONE)
        return TCF_OK;
    uint32_t member = membership_member(m->members, m->world, s->v.location);
    if (membership_rank(m->members, m->world, member, &side) == TCF_NONE)
        return TCF_OK;
    uint32_t ch =
        match_get_channel(m, (tcf_channel){.type = TCF_CHANNEL_PROGRAM, .comm = m->world, .tag = (uint32_t)finalize});
    uint64_t *count = ch == TCF_NONE ? NULL : match_member_count(m, ch, member);
    if (!count)
        return TCF_OK;
    uint64_t number = entering ? *count : (*count)++;
    tcf_status status = thread_edge(m, s, i,
                                    (tcf_edge){.class_ = TCF_CLASS_UNORDERED,
                                               .flags = TCF_EDGE_MEMBER | (entering ? TCF_EDGE_BEGIN : 0),
                                               .peer = m->world,
                                               .channel = ch,
                                               .number = number});
    if (status == TCF_OK)
        s->v.edges[s->v.n_edges - 1].op = finalize ? TCF_OP_FINALIZE : TCF_OP_INIT;
    return status;
}
