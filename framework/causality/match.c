/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Matching at decoding; see match.h for the idea.
 *
 * Every location has three queues of pending operations (sends, receives, collectives) in program order. An operation
 * is OPEN while the record with its communicator has not been decoded. Operations that are not open get their numbers
 * at the heads of the queues. A send is never open, so it gets its number at once where only one location represents a
 * member. */
#include "match_internal.h"

#include <string.h>

static int find_siblings(matcher *m)
{
    const uint32_t n = m->defs->n_locations;
    uint32_t *of = calloc(n + 1u, sizeof *of); /* by member: how many locations represent it; then 1 + its siblings */
    uint32_t members = 0, locations = 0;
    for (uint32_t l = 0; of && l < n; l++)
        of[match_represented(m, l)]++;
    for (uint32_t k = 0; of && k < n; k++) {
        members += of[k] > 1;
        locations += of[k] > 1 ? of[k] : 0;
    }
    m->siblings = calloc(members + 1u, sizeof *m->siblings);
    m->sibling_heaps = calloc(QUEUES * (locations + 1ul), sizeof *m->sibling_heaps);
    if (!of || !m->siblings || !m->sibling_heaps) {
        free(of);
        return -1;
    }
    next_time *room = m->sibling_heaps;
    members = 0;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t several = of[k] > 1 ? of[k] : 0;
        of[k] = several ? ++members : 0;
        for (int q = 0; q < QUEUES && several; q++, room += several)
            m->siblings[members - 1].heap[q] = room;
    }
    for (uint32_t l = 0; l < n; l++) {
        const uint32_t its = of[match_represented(m, l)];
        if (its == 0)
            continue;
        m->locations[l].siblings = its;
        for (int q = 0; q < QUEUES; q++) {
            siblings *x = &m->siblings[its - 1];
            x->heap[q][x->n[q]++] = (next_time){0, l};
        }
    }
    free(of);
    return 0;
}

static int is_barrier(const tcf_region *region)
{
    return region->paradigm == TCF_PARADIGM_OPENMP &&
           (region->role == TCF_ROLE_BARRIER || region->role == TCF_ROLE_IMPLICIT_BARRIER);
}

/* The region of an enter or leave. With calling contexts: Score-P writes them for all regions when it unwinds the
 * stack. */
static uint32_t region_of(const tcf_definitions *defs, uint8_t kind, const tcf_rec *rec)
{
    uint32_t what = rec->enter.region; /* or the context: the four records begin in the same way */
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

/* MPI_COMM_WORLD is the largest communicator of MPI; the first one where several are equally large. */
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

/* The state of other locations takes no memory: it is not touched. */
static int is_here(const matcher *m, uint32_t location)
{
    return !m->options.letters || letters_is_here(m->options.letters, location);
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
    m->locations = calloc(defs->n_locations + 1u, sizeof *m->locations);
    m->recent_places = MOST_RECENT;
    while (m->recent_places > LEAST_RECENT && defs->n_locations * sizeof *m->recent * m->recent_places > RECENT_BYTES)
        m->recent_places /= 2;
    const size_t recent = m->recent_places * sizeof *m->recent;
    m->recent = aligned_alloc(_Alignof(recent_channels), (defs->n_locations + 1u) * recent);
    for (uint32_t l = 0; m->recent && l < defs->n_locations; l++)
        if (is_here(m, l))
            memset(&m->recent[(size_t)l * m->recent_places], 0, recent);
    m->dead_receives = calloc(defs->n_locations + 1u, sizeof *m->dead_receives);
    m->cut_collectives = calloc(defs->n_locations + 1u, 1);
    if (!m->locations || !m->recent || !m->dead_receives || !m->cut_collectives || find_siblings(m) != 0 ||
        find_regions(m) != 0) {
        matcher_delete(m);
        return match_out_of_memory(), NULL;
    }
    if (options->source_at_leave)
        m->regions_matter = 1;
    if (options->posts && match_init_posts(m) != 0) {
        matcher_delete(m);
        return match_out_of_memory(), NULL;
    }
    find_world(m);
    if (!options->members && membership_init(&m->own_members, defs) != 0) {
        matcher_delete(m);
        return NULL;
    }
    m->members = options->members ? options->members : &m->own_members;
    return m;
}

void matcher_delete(matcher *m)
{
    if (!m)
        return;
    for (uint32_t l = 0; m->locations && l < m->defs->n_locations; l++) {
        if (!is_here(m, l))
            continue;
        for (int q = 0; q < QUEUES; q++)
            match_free_room(m->locations[l].queue[q].room);
        if (m->locations[l].rare) {
            free(m->locations[l].rare->sources);
            free(m->locations[l].rare->team);
            free(m->locations[l].rare);
        }
    }
    match_free_rooms(m);
    free(m->locations);
    free(m->recent);
    free(m->siblings);
    free(m->sibling_heaps);
    free(m->dead_receives);
    free(m->cut_collectives);
    free(m->channels);
    free(m->counts_at);
    free(m->meaning);
    map_free(&m->channel_of);
    map_free(&m->count_of);
    map_free(&m->expired);
    membership_free(&m->own_members);
    match_free_posts(m);
    free(m->prematched);
    free(m);
}

/* ---------------------------------------------------------------------------------------------------------- feed -- */

/* Which kinds of events the matcher looks at. */
enum {
    INTEREST_NONE,
    INTEREST_ALWAYS,
    INTEREST_REGIONS, /* where regions matter */
};

static const uint8_t interest_in[256] = {
    [TCF_MPI_SEND] = INTEREST_ALWAYS,
    [TCF_MPI_ISEND] = INTEREST_ALWAYS,
    [TCF_MPI_RECV] = INTEREST_ALWAYS,
    [TCF_MPI_IRECV] = INTEREST_ALWAYS,
    [TCF_MPI_IRECV_REQUEST] = INTEREST_ALWAYS,
    [TCF_MPI_REQUEST_CANCELLED] = INTEREST_ALWAYS,
    [TCF_MPI_COLLECTIVE_BEGIN] = INTEREST_ALWAYS,
    [TCF_MPI_COLLECTIVE_END] = INTEREST_ALWAYS,
    [TCF_NON_BLOCKING_COLLECTIVE_REQUEST] = INTEREST_ALWAYS,
    [TCF_NON_BLOCKING_COLLECTIVE_COMPLETE] = INTEREST_ALWAYS,
    [TCF_RMA_COLLECTIVE_BEGIN] = INTEREST_ALWAYS,
    [TCF_RMA_COLLECTIVE_END] = INTEREST_ALWAYS,
    [TCF_THREAD_FORK] = INTEREST_ALWAYS,
    [TCF_THREAD_JOIN] = INTEREST_ALWAYS,
    [TCF_OMP_FORK] = INTEREST_ALWAYS,
    [TCF_OMP_JOIN] = INTEREST_ALWAYS,
    [TCF_THREAD_TEAM_BEGIN] = INTEREST_ALWAYS,
    [TCF_THREAD_TEAM_END] = INTEREST_ALWAYS,
    [TCF_THREAD_CREATE] = INTEREST_ALWAYS,
    [TCF_THREAD_BEGIN] = INTEREST_ALWAYS,
    [TCF_THREAD_END] = INTEREST_ALWAYS,
    [TCF_THREAD_WAIT] = INTEREST_ALWAYS,
    [TCF_THREAD_ACQUIRE_LOCK] = INTEREST_ALWAYS,
    [TCF_THREAD_RELEASE_LOCK] = INTEREST_ALWAYS,
    [TCF_OMP_ACQUIRE_LOCK] = INTEREST_ALWAYS,
    [TCF_OMP_RELEASE_LOCK] = INTEREST_ALWAYS,
    [TCF_ENTER] = INTEREST_REGIONS,
    [TCF_LEAVE] = INTEREST_REGIONS,
    [TCF_CALLING_CONTEXT_ENTER] = INTEREST_REGIONS,
    [TCF_CALLING_CONTEXT_LEAVE] = INTEREST_REGIONS,
};

int match_depends_on(const tcf_definitions *defs, uint8_t kind, const tcf_rec *rec)
{
    if (interest_in[kind] != INTEREST_REGIONS)
        return interest_in[kind] == INTEREST_ALWAYS;
    uint32_t region = region_of(defs, kind, rec);
    return region < defs->n_regions && is_barrier(&defs->regions[region]);
}

static tcf_status feed_region(matcher *m, slice *s, uint32_t i)
{
    match_location *loc = &m->locations[s->v.location];
    uint8_t kind = s->v.kind[i];
    int entering = tcf_is_enter(kind);
    if (entering)
        loc->depth++;
    else if (loc->n_sources && match_leave_sources(m, loc, s, i, loc->depth) != TCF_OK)
        return TCF_ERROR;
    if (!entering && loc->depth > 0)
        loc->depth--;
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
    case TCF_THREAD_BEGIN:
    case TCF_THREAD_END:
    case TCF_THREAD_WAIT:
        return match_feed_thread(m, s, i);
    case TCF_THREAD_ACQUIRE_LOCK:
    case TCF_THREAD_RELEASE_LOCK:
    case TCF_OMP_ACQUIRE_LOCK:
    case TCF_OMP_RELEASE_LOCK:
        return match_feed_lock(m, s, i);
    default:
        return feed_region(m, s, i);
    }
}

static tcf_status feed_event(matcher *m, slice *s, uint32_t i)
{
    const tcf_rec *r = &s->v.rec[i];
    switch (s->v.kind[i]) {
    case TCF_MPI_SEND:
    case TCF_MPI_ISEND: /* its record begins alike */
        return match_feed_send(m, s, i,
                               (message_key){r->mpi_send.communicator, r->mpi_send.receiver, r->mpi_send.msg_tag, 1});
    case TCF_MPI_RECV:
        return match_feed_receive(m, s, i,
                                  (message_key){r->mpi_recv.communicator, r->mpi_recv.sender, r->mpi_recv.msg_tag, 0},
                                  NULL);
    case TCF_MPI_IRECV:
        return match_feed_receive(m, s, i,
                                  (message_key){r->mpi_irecv.communicator, r->mpi_irecv.sender, r->mpi_irecv.msg_tag,
                                                0},
                                  &r->mpi_irecv.request_id);
    case TCF_MPI_IRECV_REQUEST:
        if (match_feed_request(m, s, i, RECEIVES, r->mpi_irecv_request.request_id) != TCF_OK)
            return TCF_ERROR;
        return m->postings ? match_post_request(m, s, i) : TCF_OK;
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

/* The scheduler fills the edge column of other events when their edges pass. */
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

/* Does an enter or leave change the depth of the call stack, and nothing else? Then it is counted here. Nearly all are
 * of ordinary regions. */
static inline int is_depth_alone(const matcher *m, match_location *loc, uint8_t kind, const tcf_rec *r)
{
    if (kind == TCF_ENTER || kind == TCF_LEAVE) {
        if (m->regions_mean && r->enter.region < m->defs->n_regions && m->meaning[r->enter.region] != REGION_ORDINARY)
            return 0;
    } else if (m->contexts_mean) {
        return 0;
    }
    if (tcf_is_enter(kind)) {
        loc->depth++;
        return 1;
    }
    if (loc->n_sources > 0)
        return 0;
    loc->depth -= loc->depth > 0;
    return 1;
}

tcf_status matcher_feed(matcher *m, slice *s)
{
    uint32_t n = s->v.n;
    match_location *loc = &m->locations[s->v.location];
    const uint8_t most = m->regions_matter ? INTEREST_REGIONS : INTEREST_ALWAYS;
    const int posts = m->postings != NULL;
    memset(s->v.edge, 0, n);
    memset(s->v.match, 0, n * sizeof *s->v.match);
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t interest = interest_in[s->v.kind[i]];
        if (posts && match_feed_post(m, s, i, interest != INTEREST_ALWAYS) != TCF_OK)
            return TCF_ERROR;
        if (interest == INTEREST_NONE || interest > most)
            continue;
        if (interest == INTEREST_REGIONS && is_depth_alone(m, loc, s->v.kind[i], &s->v.rec[i]))
            continue;
        loc->decoded = s->v.first + i + 1;
        loc->time = s->v.time[i];
        if (feed_event(m, s, i) != TCF_OK)
            return error_while("matching event %llu of location %llu", (unsigned long long)(s->v.first + i),
                               (unsigned long long)m->defs->locations[s->v.location].id);
    }
    if (n > 0) {
        loc->decoded = s->v.first + n;
        loc->time = s->v.time[n - 1];
    }
    match_expire_fork(m, loc, 0);
    if (m->postings)
        match_expire_post(m, s->v.location, 0);
    match_advance(m, s->v.location);
    match_give_back(m, loc);
    match_show_edges(s);
    return m->out_of_memory ? match_out_of_memory() : TCF_OK;
}

source_wanted matcher_wanted(const matcher *m)
{
    source_wanted wanted = {.kinds = {0}};
    if (m->options.posts) { /* any event may be the end of a send */
        memset(wanted.kinds, 1, sizeof wanted.kinds);
        return wanted;
    }
    for (int k = 0; k < 256; k++)
        wanted.kinds[k] =
            interest_in[k] == INTEREST_ALWAYS || (interest_in[k] == INTEREST_REGIONS && m->regions_matter);
    if (m->options.source_at_leave) /* the depth of the call stack matters, so all regions are wanted */
        return wanted;
    wanted.kinds[TCF_CALLING_CONTEXT_ENTER] = wanted.kinds[TCF_CALLING_CONTEXT_LEAVE] = (uint8_t)m->contexts_mean;
    wanted.regions = m->meaning;
    wanted.n_regions = m->defs->n_regions;
    return wanted;
}

tcf_status matcher_location_end(matcher *m, uint32_t location)
{
    match_location *loc = &m->locations[location];
    loc->ended = 1;
    match_expire_fork(m, loc, 0);
    if (m->postings)
        match_expire_post(m, location, 1);
    match_advance(m, location);
    match_give_back(m, loc);
    return m->out_of_memory ? match_out_of_memory() : TCF_OK;
}

int matcher_close_oldest(matcher *m, uint32_t location)
{
    match_location *loc = &m->locations[location];
    int any = 0;
    for (int q = 0; q < QUEUES; q++) {
        pending_op *p = queue_head(&loc->queue[q]);
        if (p && p->state == OPEN) {
            p->state = DEAD;
            m->counts.beyond_lookahead++;
            any = 1;
        }
    }
    any |= match_expire_fork(m, loc, 1);
    if (m->postings)
        any |= match_expire_post(m, location, 1);
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

void matcher_add_counts(matcher *m, const match_counts *of)
{
    m->counts.beyond_lookahead += of->beyond_lookahead;
    m->counts.bad_rank += of->bad_rank;
    m->counts.never_completed += of->never_completed;
    m->counts.cancelled += of->cancelled;
    m->counts.channels_full += of->channels_full;
    m->counts.distrusted += of->distrusted;
    m->counts.starved += of->starved;
    m->counts.without_data += of->without_data;
}

const membership *matcher_membership(const matcher *m)
{
    return m->members;
}
