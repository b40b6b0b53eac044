/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Matching at decoding; see match.h for the idea.
 *
 * Every location has three queues of postings (sends, receives, collectives) in program order. A posting is OPEN while
 * the record that tells its communicator has not been decoded; numbers are dealt out from the heads of the queues as
 * far as they are known. Where one location only stands for a member, a send never waits and needs no posting. */
#include "match_internal.h"

#include <string.h>

tcf_status match_out_of_memory(void)
{
    return tcf_fail("out of memory while matching");
}

static int find_siblings(matcher *m)
{
    const tcf_definitions *d = m->defs;
    uint32_t n = d->n_locations;
    m->first_sibling = calloc(n + 2u, sizeof *m->first_sibling);
    m->siblings = calloc(n + 1u, sizeof *m->siblings);
    m->dead_receives = calloc(n + 1u, sizeof *m->dead_receives);
    m->cut_collectives = calloc(n + 1u, 1);
    if (!m->first_sibling || !m->siblings || !m->dead_receives || !m->cut_collectives)
        return -1;
    for (uint32_t l = 0; l < n; l++)
        m->first_sibling[match_voice(m, l) + 2]++;
    for (uint32_t k = 2; k <= n + 1; k++)
        m->first_sibling[k] += m->first_sibling[k - 1];
    for (uint32_t l = 0; l < n; l++)
        m->siblings[m->first_sibling[match_voice(m, l) + 1]++] = l;
    for (uint32_t k = 0; k < n; k++)
        if (m->first_sibling[k + 1] - m->first_sibling[k] > 1)
            for (uint32_t i = m->first_sibling[k]; i < m->first_sibling[k + 1]; i++)
                m->places[m->siblings[i]].merged = 1;
    return 0;
}

static int is_barrier(const tcf_region *region)
{
    return region->paradigm == TCF_PARADIGM_OPENMP &&
           (region->role == TCF_ROLE_BARRIER || region->role == TCF_ROLE_IMPLICIT_BARRIER);
}

/* Of an enter or leave; those of calling contexts are what Score-P writes of every region when it unwinds the stack. */
static uint32_t region_of(const tcf_definitions *defs, uint8_t kind, const tcf_rec *rec)
{
    uint32_t what = rec->enter.region; /* or the context: the four records start alike */
    return kind == TCF_ENTER || kind == TCF_LEAVE ? what : tcf_region_of_context(defs, what);
}

static uint8_t meaning_of(const matcher *m, const tcf_region *region)
{
    if (is_barrier(region))
        return REGION_BARRIER;
    if (!m->options.program || !region->name)
        return REGION_ORDINARY;
    if (strcmp(region->name, "MPI_Init") == 0 || strcmp(region->name, "MPI_Init_thread") == 0)
        return REGION_INIT;
    return strcmp(region->name, "MPI_Finalize") == 0 ? REGION_FINALIZE : REGION_ORDINARY;
}

static int find_regions(matcher *m)
{
    m->meaning = calloc(m->defs->n_regions + 1u, 1);
    if (!m->meaning)
        return -1;
    for (uint32_t r = 0; r < m->defs->n_regions; r++) {
        m->meaning[r] = meaning_of(m, &m->defs->regions[r]);
        m->regions_mean |= m->meaning[r] != REGION_ORDINARY;
    }
    for (uint32_t c = 0; c < m->defs->n_calling_contexts; c++) {
        uint32_t r = tcf_region_of_context(m->defs, c);
        m->contexts_mean |= r < m->defs->n_regions && m->meaning[r] != REGION_ORDINARY;
    }
    m->regions_matter = m->regions_mean;
    return 0;
}

/* MPI_COMM_WORLD: the largest communicator of MPI, the first of equals. */
static void find_world(matcher *m)
{
    m->world = TCF_NONE;
    for (uint32_t i = 0; i < m->defs->n_comms; i++) {
        const tcf_comm *c = &m->defs->comms[i];
        if (c->paradigm == TCF_PARADIGM_MPI && !c->self && !c->inter && c->canonical == i &&
            (m->world == TCF_NONE || c->size > m->defs->comms[m->world].size))
            m->world = i;
    }
}

matcher *matcher_new(const tcf_definitions *defs, pool *slices, const match_options *options)
{
    matcher *m = calloc(1, sizeof *m);
    if (!m)
        return match_out_of_memory(), NULL;
    m->defs = defs;
    m->pool = slices;
    m->options = *options;
    m->free_channel = TCF_NONE;
    m->generation = 1;
    m->places = calloc(defs->n_locations + 1u, sizeof *m->places);
    for (uint32_t l = 0; m->places && l < defs->n_locations; l++)
        m->places[l].collective.channel = TCF_NONE;
    if (!m->places || find_siblings(m) != 0 || find_regions(m) != 0) {
        matcher_delete(m);
        return match_out_of_memory(), NULL;
    }
    for (uint32_t l = 0; l < defs->n_locations; l++)
        m->places[l].last_team.channel = TCF_NONE;
    if (options->source_at_leave) {
        m->regions_matter = 1;
        for (uint32_t l = 0; l < defs->n_locations; l++)
            if (!(m->places[l].sources = calloc(MAX_CALL_SOURCES, sizeof(call_source)))) {
                matcher_delete(m);
                return match_out_of_memory(), NULL;
            }
    }
    find_world(m);
    if (membership_init(&m->members, defs) != 0) {
        matcher_delete(m);
        return NULL;
    }
    return m;
}

void matcher_delete(matcher *m)
{
    if (!m)
        return;
    for (uint32_t l = 0; m->places && l < m->defs->n_locations; l++) {
        for (int q = 0; q < QUEUES; q++) {
            free(m->places[l].queue[q].at);
            map_free(&m->places[l].queue[q].request_of);
        }
        free(m->places[l].sources);
    }
    free(m->places);
    free(m->siblings);
    free(m->first_sibling);
    free(m->dead_receives);
    free(m->cut_collectives);
    free(m->channels);
    free(m->counts_at);
    free(m->meaning);
    map_free(&m->channel_of);
    map_free(&m->count_of);
    map_free(&m->expired);
    membership_free(&m->members);
    free(m->kept);
    free(m);
}

/* ---------------------------------------------------------------------------------------------------------- feed -- */

/* Kinds that the matcher looks at; enter and leave only where regions matter. */
static const uint8_t matters[256] = {
    [TCF_MPI_SEND] = 1,
    [TCF_MPI_ISEND] = 1,
    [TCF_MPI_RECV] = 1,
    [TCF_MPI_IRECV] = 1,
    [TCF_MPI_IRECV_REQUEST] = 1,
    [TCF_MPI_REQUEST_CANCELLED] = 1,
    [TCF_MPI_COLLECTIVE_BEGIN] = 1,
    [TCF_MPI_COLLECTIVE_END] = 1,
    [TCF_NON_BLOCKING_COLLECTIVE_REQUEST] = 1,
    [TCF_NON_BLOCKING_COLLECTIVE_COMPLETE] = 1,
    [TCF_RMA_COLLECTIVE_BEGIN] = 1,
    [TCF_RMA_COLLECTIVE_END] = 1,
    [TCF_THREAD_FORK] = 1,
    [TCF_THREAD_JOIN] = 1,
    [TCF_OMP_FORK] = 1,
    [TCF_OMP_JOIN] = 1,
    [TCF_THREAD_TEAM_BEGIN] = 1,
    [TCF_THREAD_TEAM_END] = 1,
    [TCF_THREAD_CREATE] = 1,
    [TCF_THREAD_BEGIN] = 1,
    [TCF_THREAD_END] = 1,
    [TCF_THREAD_WAIT] = 1,
    [TCF_THREAD_ACQUIRE_LOCK] = 1,
    [TCF_THREAD_RELEASE_LOCK] = 1,
    [TCF_OMP_ACQUIRE_LOCK] = 1,
    [TCF_OMP_RELEASE_LOCK] = 1,
    [TCF_ENTER] = 2,
    [TCF_LEAVE] = 2,
    [TCF_CALLING_CONTEXT_ENTER] = 2,
    [TCF_CALLING_CONTEXT_LEAVE] = 2,
};

int match_depends_on(const tcf_definitions *defs, uint8_t kind, const tcf_rec *rec)
{
    if (matters[kind] != 2)
        return matters[kind] == 1;
    uint32_t region = region_of(defs, kind, rec);
    return region < defs->n_regions && is_barrier(&defs->regions[region]);
}

static tcf_status feed_region(matcher *m, slice *s, uint32_t i)
{
    place *pl = &m->places[s->v.location];
    uint8_t kind = s->v.kind[i];
    int entering = tcf_is_enter(kind);
    if (entering)
        pl->depth++;
    else if (pl->n_sources && match_leave_sources(m, pl, s, i, pl->depth) != TCF_OK)
        return TCF_ERROR;
    if (!entering && pl->depth > 0)
        pl->depth--;
    uint32_t region = region_of(m->defs, kind, &s->v.rec[i]);
    uint8_t meaning = region < m->defs->n_regions ? m->meaning[region] : REGION_ORDINARY;
    if (meaning == REGION_BARRIER)
        return match_feed_barrier(m, s, i, region, entering);
    if (meaning != REGION_ORDINARY)
        return match_feed_program(m, s, i, meaning == REGION_FINALIZE, entering);
    return TCF_OK;
}

/* Threads, locks and regions. */
static inline tcf_status feed_thread_event(matcher *m, slice *s, uint32_t i)
{
    const tcf_rec *r = &s->v.rec[i];
    switch (s->v.kind[i]) {
    case TCF_THREAD_FORK:
    case TCF_OMP_FORK:
        return match_feed_fork(m, s, i);
    case TCF_THREAD_JOIN:
    case TCF_OMP_JOIN:
        return match_feed_join(m, s, i);
    case TCF_THREAD_TEAM_BEGIN:
        return match_feed_team_begin(m, s, i);
    case TCF_THREAD_TEAM_END:
        return match_feed_team_end(m, s, i);
    case TCF_THREAD_CREATE:
        return match_feed_thread(m, s, i, r->thread_create.thread_contingent, r->thread_create.sequence_count,
                                 CHANNEL_THREAD, 1);
    case TCF_THREAD_BEGIN:
        return match_feed_thread(m, s, i, r->thread_begin.thread_contingent, r->thread_begin.sequence_count,
                                 CHANNEL_THREAD, 0);
    case TCF_THREAD_END:
        return match_feed_thread(m, s, i, r->thread_end.thread_contingent, r->thread_end.sequence_count,
                                 CHANNEL_THREAD_END, 1);
    case TCF_THREAD_WAIT:
        return match_feed_thread(m, s, i, r->thread_wait.thread_contingent, r->thread_wait.sequence_count,
                                 CHANNEL_THREAD_END, 0);
    case TCF_THREAD_ACQUIRE_LOCK:
        return match_feed_lock(m, s, i, r->thread_acquire_lock.lock_id, r->thread_acquire_lock.acquisition_order, 0);
    case TCF_THREAD_RELEASE_LOCK:
        return match_feed_lock(m, s, i, r->thread_release_lock.lock_id, r->thread_release_lock.acquisition_order, 1);
    case TCF_OMP_ACQUIRE_LOCK:
        return match_feed_lock(m, s, i, r->omp_acquire_lock.lock_id, r->omp_acquire_lock.acquisition_order, 0);
    case TCF_OMP_RELEASE_LOCK:
        return match_feed_lock(m, s, i, r->omp_release_lock.lock_id, r->omp_release_lock.acquisition_order, 1);
    default:
        return feed_region(m, s, i);
    }
}

static tcf_status feed_event(matcher *m, slice *s, uint32_t i)
{
    const tcf_rec *r = &s->v.rec[i];
    switch (s->v.kind[i]) {
    case TCF_MPI_SEND:
        return match_feed_send(m, s, i, r->mpi_send.communicator, r->mpi_send.receiver, r->mpi_send.msg_tag);
    case TCF_MPI_ISEND:
        return match_feed_send(m, s, i, r->mpi_isend.communicator, r->mpi_isend.receiver, r->mpi_isend.msg_tag);
    case TCF_MPI_RECV:
        return match_feed_receive(m, s, i, r->mpi_recv.communicator, r->mpi_recv.sender, r->mpi_recv.msg_tag, 0, 0);
    case TCF_MPI_IRECV:
        return match_feed_receive(m, s, i, r->mpi_irecv.communicator, r->mpi_irecv.sender, r->mpi_irecv.msg_tag, 1,
                                  r->mpi_irecv.request_id);
    case TCF_MPI_IRECV_REQUEST:
        return match_feed_request(m, s, i, RECEIVES, r->mpi_irecv_request.request_id);
    case TCF_MPI_REQUEST_CANCELLED:
        match_feed_cancelled(m, s->v.location, r->mpi_request_cancelled.request_id);
        return TCF_OK;
    case TCF_MPI_COLLECTIVE_BEGIN:
        return match_feed_collective_begin(m, s, i, 0);
    case TCF_RMA_COLLECTIVE_BEGIN:
        return match_feed_collective_begin(m, s, i, 1);
    case TCF_MPI_COLLECTIVE_END:
        return match_feed_mpi_end(m, s, i);
    case TCF_RMA_COLLECTIVE_END:
        return match_feed_rma_end(m, s, i);
    case TCF_NON_BLOCKING_COLLECTIVE_REQUEST:
        return match_feed_collective_request(m, s, i);
    case TCF_NON_BLOCKING_COLLECTIVE_COMPLETE:
        return match_feed_non_blocking_complete(m, s, i);
    default:
        return feed_thread_event(m, s, i);
    }
}

/* The edge column of what is known at once, where an event has just one edge; the scheduler shows the rest when it
 * passes. */
void match_show_edges(slice *s)
{
    for (uint32_t k = 0; k < s->v.n_edges; k++) {
        tcf_edge *e = &s->v.edges[k];
        if (e->flags & TCF_EDGE_GONE || e->number == UNRESOLVED || s->v.match[e->pos] != k + 1 ||
            (k + 1 < s->v.n_edges && e[1].pos == e->pos))
            continue;
        s->v.edge[e->pos] = e->flags;
        e->side |= EDGE_SHOWN;
    }
}

/* Enters and leaves of which only the depth of the call stack matters. 0: it is more than that. */
static inline int count_depth(const matcher *m, place *pl, uint8_t kind)
{
    if (m->regions_mean)
        return 0;
    if (tcf_is_enter(kind)) {
        pl->depth++;
        return 1;
    }
    if (pl->n_sources > 0)
        return 0;
    pl->depth -= pl->depth > 0;
    return 1;
}

tcf_status matcher_feed(matcher *m, slice *s)
{
    uint32_t n = s->v.n;
    place *pl = &m->places[s->v.location];
    const uint8_t least = m->regions_matter ? 1 : 2;
    memset(s->v.edge, 0, n);
    memset(s->v.match, 0, n * sizeof *s->v.match);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t what = matters[s->v.kind[i]];
        if (what == 0 || what + least > 3 || (what == 2 && count_depth(m, pl, s->v.kind[i])))
            continue;
        pl->decoded = s->v.first + i + 1;
        pl->time = s->v.time[i];
        if (feed_event(m, s, i) != TCF_OK)
            return tcf_while("matching event %llu of location %llu", (unsigned long long)(s->v.first + i),
                             (unsigned long long)m->defs->locations[s->v.location].id);
    }
    if (n > 0) {
        pl->decoded = s->v.first + n;
        pl->time = s->v.time[n - 1];
    }
    match_expire_fork(m, pl);
    match_advance(m, s->v.location);
    match_show_edges(s);
    return TCF_OK;
}

source_wanted matcher_wanted(const matcher *m)
{
    source_wanted wanted = {.kinds = {0}};
    for (int k = 0; k < 256; k++)
        wanted.kinds[k] = matters[k] == 1 || (matters[k] == 2 && m->regions_matter);
    if (m->options.source_at_leave) /* how deep the call is matters, whatever the region */
        return wanted;
    wanted.kinds[TCF_CALLING_CONTEXT_ENTER] = wanted.kinds[TCF_CALLING_CONTEXT_LEAVE] = (uint8_t)m->contexts_mean;
    wanted.regions = m->meaning;
    wanted.n_regions = m->defs->n_regions;
    return wanted;
}

void matcher_location_end(matcher *m, uint32_t location)
{
    place *pl = &m->places[location];
    pl->ended = 1;
    match_expire_fork(m, pl);
    match_advance(m, location);
}

int matcher_give_up(matcher *m, uint32_t location)
{
    place *pl = &m->places[location];
    int any = 0;
    for (int q = 0; q < QUEUES; q++) {
        posting *p = queue_head(&pl->queue[q]);
        if (p && p->state == OPEN) {
            p->state = DEAD;
            m->counts.beyond_lookahead++;
            any = 1;
        }
    }
    if (pl->fork.block) {
        no_edge(edge_at(pl->fork), 0);
        pl->fork.block = NULL;
        any = 1;
    }
    match_advance(m, location);
    return any;
}

void matcher_retire(matcher *m, const slice *s)
{
    for (uint32_t k = 0; k < s->v.n_edges; k++) {
        const tcf_edge *e = &s->v.edges[k];
        if (e->channel != TCF_NONE && e->number != UNRESOLVED)
            m->channels[e->channel].open--;
    }
}

const channel *const *matcher_channel_table(const matcher *m)
{
    return (const channel *const *)&m->channels;
}

uint32_t matcher_channels(const matcher *m)
{
    return m->channels_capacity;
}

const match_counts *matcher_counts(const matcher *m)
{
    return &m->counts;
}

const membership *matcher_membership(const matcher *m)
{
    return &m->members;
}
