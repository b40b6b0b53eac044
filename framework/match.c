/* Matching at decoding; see match.h for the idea.
 *
 * Every location has three queues of postings (sends, receives, collectives) in program order. A posting is OPEN while
 * the record that tells its communicator has not been decoded; numbers are dealt out from the heads of the queues as
 * far as they are known. In a process with one communicating location a send never waits and needs no posting.
 */
#include "match.h"
#include "error.h"

#include <otf2/OTF2_Events.h>
#include <string.h>

typedef enum posting_state { OPEN, KNOWN, DEAD } posting_state;

/* Where an edge lives: blocks stay, slices and arrays of edges may move. */
typedef struct edge_place {
    block *block;
    uint32_t index;
} edge_place;

typedef struct posting {
    uint64_t event; /* number in the location */
    uint64_t time;
    uint64_t request;
    edge_place edge[2]; /* that get the number: begin and end, or the receive, or the send and its leave */
    uint32_t channel;
    uint8_t n_edges;
    uint8_t state;
    uint8_t has_request;
} posting;

/* Positions only grow; the posting at position p stands at p & mask. */
typedef struct queue {
    posting *at;
    uint64_t mask, head, tail;
} queue;

enum { SENDS, RECEIVES, COLLECTIVES, QUEUES };

#define MAX_NESTING 64
#define MAX_CALL_SOURCES 64

typedef struct team_instance {
    uint32_t channel;
    uint64_t number;
} team_instance;

/* A send whose call has not been left yet. */
typedef struct call_source {
    uint32_t depth, channel;
    uint64_t number, posting; /* posting: position in SENDS while number is UNRESOLVED */
    tcf_edge edge;
} call_source;

typedef struct place {
    queue queue[QUEUES];
    uint64_t decoded; /* events */
    uint64_t time;    /* of the last one */
    uint64_t begin[2]; /* 1 + position of the blocking MPI / RMA collective that is open, 0: none */
    edge_place fork;   /* waits for its team begin */
    uint64_t fork_event;
    team_instance team[MAX_NESTING];
    uint32_t teams;
    team_instance last_team; /* ended last: what a join joins */
    uint32_t barriers; /* barrier regions entered and not left */
    uint32_t depth;
    uint32_t n_sources;
    call_source *sources; /* MAX_CALL_SOURCES, only with source_at_leave */
    uint8_t ended;
    uint8_t merged; /* several locations of the process may communicate */
} place;

struct matcher {
    const tcf_definitions *defs;
    pool *pool;
    match_options options;
    match_counts counts;
    membership members;
    place *places;
    uint32_t *siblings; /* locations ordered by process */
    uint32_t *first_sibling; /* by process, n_location_groups + 1 entries */
    channel *channels;
    uint32_t n_channels, channels_capacity, free_channel, turned_down;
    map channel_of;
    map count_of; /* (channel, member) -> index in counts_at: collectives are counted by member */
    uint64_t *counts_at;
    uint32_t n_counts, counts_capacity;
    map request_of; /* (location << 1 | collective, request) -> low bits of the position of its posting */
    uint8_t *is_barrier; /* by region: an OpenMP barrier */
    int regions_matter;  /* enter and leave have to be looked at */
};

/* ---------------------------------------------------------------------------------------------- setting up -- */

static tcf_status out_of_memory(void)
{
    return tcf_fail("out of memory while matching");
}

static int find_siblings(matcher *m)
{
    const tcf_definitions *d = m->defs;
    uint32_t groups = d->n_location_groups;
    m->first_sibling = calloc(groups + 2u, sizeof *m->first_sibling);
    m->siblings = calloc(d->n_locations + 1u, sizeof *m->siblings);
    if (!m->first_sibling || !m->siblings)
        return -1;
    for (uint32_t l = 0; l < d->n_locations; l++)
        if (d->locations[l].group < groups && d->locations[l].type == TCF_CPU_THREAD)
            m->first_sibling[d->locations[l].group + 2]++;
    for (uint32_t g = 2; g <= groups + 1; g++)
        m->first_sibling[g] += m->first_sibling[g - 1];
    for (uint32_t l = 0; l < d->n_locations; l++)
        if (d->locations[l].group < groups && d->locations[l].type == TCF_CPU_THREAD)
            m->siblings[m->first_sibling[d->locations[l].group + 1]++] = l;
    for (uint32_t g = 0; g < groups; g++)
        if (m->first_sibling[g + 1] - m->first_sibling[g] > 1)
            for (uint32_t i = m->first_sibling[g]; i < m->first_sibling[g + 1]; i++)
                m->places[m->siblings[i]].merged = 1;
    return 0;
}

static int find_barriers(matcher *m)
{
    m->is_barrier = calloc(m->defs->n_regions + 1u, 1);
    if (!m->is_barrier)
        return -1;
    for (uint32_t r = 0; r < m->defs->n_regions; r++) {
        const tcf_region *region = &m->defs->regions[r];
        if (region->paradigm == TCF_PARADIGM_OPENMP &&
            (region->role == TCF_ROLE_BARRIER || region->role == TCF_ROLE_IMPLICIT_BARRIER))
            m->is_barrier[r] = 1, m->regions_matter = 1;
    }
    return 0;
}

matcher *matcher_new(const tcf_definitions *defs, pool *slices, const match_options *options)
{
    matcher *m = calloc(1, sizeof *m);
    if (!m)
        return out_of_memory(), NULL;
    m->defs = defs;
    m->pool = slices;
    m->options = *options;
    m->free_channel = TCF_NONE;
    m->places = calloc(defs->n_locations + 1u, sizeof *m->places);
    if (!m->places || find_siblings(m) != 0 || find_barriers(m) != 0) {
        matcher_delete(m);
        return out_of_memory(), NULL;
    }
    if (options->source_at_leave) {
        m->regions_matter = 1;
        for (uint32_t l = 0; l < defs->n_locations; l++)
            if (!(m->places[l].sources = calloc(MAX_CALL_SOURCES, sizeof(call_source)))) {
                matcher_delete(m);
                return out_of_memory(), NULL;
            }
    }
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
        for (int q = 0; q < QUEUES; q++)
            free(m->places[l].queue[q].at);
        free(m->places[l].sources);
    }
    free(m->places);
    free(m->siblings);
    free(m->first_sibling);
    free(m->channels);
    free(m->counts_at);
    free(m->is_barrier);
    map_free(&m->channel_of);
    map_free(&m->count_of);
    map_free(&m->request_of);
    membership_free(&m->members);
    free(m);
}

/* ------------------------------------------------------------------------------------------------ channels -- */

static void channel_key(const channel *c, uint64_t *a, uint64_t *b)
{
    *a = (uint64_t)c->type << 60 | (uint64_t)(c->comm & 0x0fffffff) << 32 | c->tag;
    *b = (uint64_t)c->a << 32 | c->b;
}

/* A channel of messages that is balanced and has nothing open starts again at 0 when it is met again. */
static int forgettable(const channel *c)
{
    int counted_by_member = c->type >= CHANNEL_COLLECTIVE && c->type <= CHANNEL_BARRIER;
    return c->open == 0 && !counted_by_member && c->sends == c->receives && c->type != UINT8_MAX;
}

static uint32_t forget_channels(matcher *m)
{
    uint32_t forgotten = 0;
    for (uint32_t i = 0; i < m->n_channels; i++) {
        channel *c = &m->channels[i];
        if (!forgettable(c))
            continue;
        uint64_t a, b;
        channel_key(c, &a, &b);
        map_remove(&m->channel_of, a, b);
        c->type = UINT8_MAX;
        c->next_free = m->free_channel;
        m->free_channel = i;
        forgotten++;
    }
    return forgotten;
}

/* More room for channels, up to the cap. */
static void grow_channels(matcher *m)
{
    uint32_t capacity = m->channels_capacity ? m->channels_capacity * 2 : 1024;
    if (capacity > m->options.max_channels)
        capacity = m->options.max_channels;
    channel *grown = capacity > m->channels_capacity ? realloc(m->channels, capacity * sizeof *grown) : NULL;
    if (!grown)
        return;
    m->channels = grown;
    m->channels_capacity = capacity;
}

/* Looking for channels to forget costs time in proportion to their number, so it has to find a quarter of them, or
 * the table grows; at its cap the next look waits for an eighth of them to be turned down. */
static uint32_t new_channel(matcher *m)
{
    if (m->free_channel == TCF_NONE && m->n_channels == m->channels_capacity) {
        if (m->turned_down > 0 && --m->turned_down > 0)
            return TCF_NONE;
        if (forget_channels(m) < m->n_channels / 4 || m->n_channels == 0)
            grow_channels(m);
        if (m->free_channel == TCF_NONE && m->n_channels == m->channels_capacity) {
            m->turned_down = m->n_channels / 8;
            return TCF_NONE;
        }
    }
    uint32_t i = m->free_channel;
    if (i != TCF_NONE) {
        m->free_channel = m->channels[i].next_free;
        return i;
    }
    return m->n_channels++;
}

/* Index of the channel, made when it is new; TCF_NONE: the table is full. */
static uint32_t get_channel(matcher *m, channel_type type, uint32_t comm, uint32_t a, uint32_t b, uint32_t tag)
{
    channel key = {.comm = comm, .a = a, .b = b, .tag = tag, .type = (uint8_t)type};
    uint64_t k, l;
    channel_key(&key, &k, &l);
    uint32_t i = map_get(&m->channel_of, k, l);
    if (i != MAP_ABSENT)
        return i;
    i = new_channel(m);
    if (i == TCF_NONE || map_put(&m->channel_of, k, l, i) != 0) {
        m->counts.channels_full++;
        return TCF_NONE;
    }
    m->channels[i] = key;
    return i;
}

static uint64_t *member_count(matcher *m, uint32_t channel_index, uint32_t member)
{
    uint32_t i = map_get(&m->count_of, channel_index, member);
    if (i != MAP_ABSENT)
        return &m->counts_at[i];
    if (m->n_counts == m->counts_capacity) {
        uint32_t capacity = m->counts_capacity ? m->counts_capacity * 2 : 256;
        uint64_t *grown = realloc(m->counts_at, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        m->counts_at = grown;
        m->counts_capacity = capacity;
    }
    if (map_put(&m->count_of, channel_index, member, m->n_counts) != 0)
        return NULL;
    m->counts_at[m->n_counts] = 0;
    return &m->counts_at[m->n_counts++];
}

/* --------------------------------------------------------------------------------------------------- edges -- */

static inline tcf_edge *edge_at(edge_place p)
{
    return &p.block->edges[p.index];
}

/* Appends an edge of event i, without a number. */
static tcf_edge *add_edge(matcher *m, slice *s, uint32_t i, edge_place *where)
{
    tcf_edge *e = slice_add_edge(m->pool, s, i, &where->index);
    if (!e)
        return NULL;
    *e = (tcf_edge){.pos = i, .peer = TCF_NONE, .number = UNRESOLVED, .channel = TCF_NONE, .slot = TCF_NONE,
                    .rank = TCF_NONE};
    s->v.edge[i] = TCF_EDGE_MEMBER;
    where->block = s->block;
    return e;
}

/* An edge that turned out to be none. */
static void no_edge(tcf_edge *e, uint8_t flags)
{
    e->number = 0;
    e->flags = flags;
    e->class_ = flags ? e->class_ : TCF_CLASS_NONE;
}

/* A channel with something open is not forgotten. */
static void hold(matcher *m, uint32_t channel_index)
{
    if (channel_index != TCF_NONE)
        m->channels[channel_index].open++;
}

static void number_edge(matcher *m, tcf_edge *e, uint32_t channel_index, uint64_t number)
{
    e->channel = channel_index;
    e->number = number;
    m->channels[channel_index].open++;
}

/* ------------------------------------------------------------------------------------------------ postings -- */

static posting *post(matcher *m, uint32_t location, int q, const slice *s, uint32_t i)
{
    queue *line = &m->places[location].queue[q];
    uint64_t used = line->tail - line->head;
    if (!line->at || used > line->mask) {
        uint64_t size = line->at ? (line->mask + 1) * 2 : 16;
        posting *grown = malloc(size * sizeof *grown);
        if (!grown)
            return NULL;
        for (uint64_t k = line->head; k < line->tail; k++)
            grown[k & (size - 1)] = line->at[k & line->mask];
        free(line->at);
        line->at = grown;
        line->mask = size - 1;
    }
    posting *p = &line->at[line->tail++ & line->mask];
    *p = (posting){.event = s->v.first + i, .time = s->v.time[i], .channel = TCF_NONE, .state = KNOWN};
    return p;
}

static void resolve_source(matcher *m, place *pl, uint64_t position, uint32_t channel_index, uint64_t number)
{
    for (uint32_t k = 0; k < pl->n_sources; k++)
        if (pl->sources[k].number == UNRESOLVED && pl->sources[k].posting == position) {
            pl->sources[k].channel = channel_index;
            pl->sources[k].number = number;
            hold(m, channel_index);
        }
}

/* Deals a number to the posting at the head of a queue and removes it. */
static void pop(matcher *m, uint32_t location, int q)
{
    place *pl = &m->places[location];
    uint64_t position = pl->queue[q].head++;
    posting *p = &pl->queue[q].at[position & pl->queue[q].mask];
    if (p->has_request)
        map_remove(&m->request_of, (uint64_t)location << 1 | (q == COLLECTIVES), p->request);
    if (p->channel != TCF_NONE)
        m->channels[p->channel].open--;
    if (p->state != KNOWN || p->channel == TCF_NONE) {
        for (int k = 0; k < p->n_edges; k++) {
            tcf_edge *e = edge_at(p->edge[k]);
            no_edge(e, e->flags & TCF_EDGE_UNMATCHED ? e->flags : 0);
        }
        return;
    }
    channel *c = &m->channels[p->channel];
    uint64_t number = 0;
    if (q == SENDS) {
        number = c->sends++;
        resolve_source(m, pl, position, p->channel, number);
    } else if (q == RECEIVES) {
        number = c->receives++;
    } else {
        uint32_t member = c->type == CHANNEL_RMA ? location : membership_member(&m->members, c->comm, location);
        uint64_t *count = member_count(m, p->channel, member);
        number = count ? (*count)++ : 0;
    }
    for (int k = 0; k < p->n_edges; k++)
        number_edge(m, edge_at(p->edge[k]), p->channel, number);
}

/* An open posting that has waited for longer than the look-ahead is given up. */
static int is_open(matcher *m, const place *pl, posting *p)
{
    if (p->state != OPEN)
        return 0;
    if (pl->decoded - 1 - p->event < m->options.lookahead && !pl->ended)
        return 1;
    p->state = DEAD;
    if (pl->ended)
        m->counts.never_completed++;
    else
        m->counts.beyond_lookahead++;
    return 0;
}

static posting *head(const queue *q)
{
    return q->head == q->tail ? NULL : &q->at[q->head & q->mask];
}

static void advance_alone(matcher *m, uint32_t location, int q)
{
    place *pl = &m->places[location];
    for (posting *p; (p = head(&pl->queue[q])) && !is_open(m, pl, p);)
        pop(m, location, q);
}

/* The sibling whose head is next in time, TCF_NONE when no sibling has one, or when another sibling, *blocker, may
 * still bring an earlier one. */
static uint32_t next_sibling(matcher *m, uint32_t process, int q, uint32_t *blocker)
{
    uint32_t next = TCF_NONE;
    uint64_t time = 0;
    for (uint32_t i = m->first_sibling[process]; i < m->first_sibling[process + 1]; i++) {
        posting *p = head(&m->places[m->siblings[i]].queue[q]);
        if (p && (next == TCF_NONE || p->time < time))
            next = m->siblings[i], time = p->time;
    }
    *blocker = TCF_NONE;
    if (next == TCF_NONE)
        return TCF_NONE;
    for (uint32_t i = m->first_sibling[process]; i < m->first_sibling[process + 1]; i++) {
        const place *pl = &m->places[m->siblings[i]];
        if (!pl->ended && !head(&pl->queue[q]) && (pl->decoded == 0 || pl->time <= time)) {
            *blocker = m->siblings[i];
            return TCF_NONE;
        }
    }
    if (is_open(m, &m->places[next], head(&m->places[next].queue[q]))) {
        *blocker = next;
        return TCF_NONE;
    }
    return next;
}

static void advance(matcher *m, uint32_t location)
{
    const place *pl = &m->places[location];
    for (int q = 0; q < QUEUES; q++) {
        if (!pl->merged) {
            advance_alone(m, location, q);
            continue;
        }
        uint32_t next, blocker;
        while ((next = next_sibling(m, m->defs->locations[location].group, q, &blocker)) != TCF_NONE)
            pop(m, next, q);
    }
}

uint32_t matcher_wants(matcher *m, uint32_t location)
{
    if (!m->places[location].merged)
        return location;
    for (int q = 0; q < QUEUES; q++) {
        uint32_t blocker;
        next_sibling(m, m->defs->locations[location].group, q, &blocker);
        if (blocker != TCF_NONE)
            return blocker;
    }
    return location;
}

/* ----------------------------------------------------------------------------------- communicators and ranks -- */

/* Canonical index of a communicator that can be matched on, else TCF_NONE. */
static uint32_t canonical(const matcher *m, uint32_t comm)
{
    return comm < m->defs->n_comms ? m->defs->comms[comm].canonical : TCF_NONE;
}

/* The process with a rank, as seen by a member on `side`, and the location that stands for it. */
static uint32_t process_of(const matcher *m, uint32_t comm, uint8_t side, uint32_t process, uint32_t rank,
                           uint32_t *location)
{
    const tcf_comm *c = &m->defs->comms[comm];
    *location = TCF_NONE;
    if (c->self) {
        if (rank == 0 && process < m->defs->n_location_groups &&
            m->first_sibling[process] < m->first_sibling[process + 1])
            *location = m->siblings[m->first_sibling[process]];
        return rank == 0 ? process : TCF_NONE;
    }
    int b = c->inter && side == 0; /* the other side's ranks */
    if (rank >= (b ? c->remote_size : c->size))
        return TCF_NONE;
    *location = b ? c->remote_location[rank] : c->location[rank];
    return b ? c->remote_process[rank] : c->process[rank];
}

/* Fills class, peer, rank of a message's edge; returns its channel or TCF_NONE (counted). */
static uint32_t message_channel(matcher *m, uint32_t location, tcf_edge *e, uint32_t comm, uint32_t other, uint32_t tag,
                                int sending)
{
    uint32_t me = m->defs->locations[location].group;
    uint32_t c = canonical(m, comm);
    e->class_ = TCF_CLASS_P2P;
    e->flags = sending ? TCF_EDGE_SOURCE : TCF_EDGE_TARGET;
    uint32_t peer = TCF_NONE;
    if (c != TCF_NONE) {
        e->rank = membership_rank(&m->members, c, me, &e->reserved);
        peer = process_of(m, c, e->reserved, me, other, &e->peer);
    }
    uint32_t ch = TCF_NONE;
    if (peer == TCF_NONE)
        m->counts.bad_rank++;
    else
        ch = get_channel(m, CHANNEL_MESSAGE, c, sending ? me : peer, sending ? peer : me, tag);
    if (ch == TCF_NONE)
        e->flags |= TCF_EDGE_UNMATCHED;
    return ch;
}

/* ---------------------------------------------------------------------------------------------- source calls -- */

/* Remembers a send whose edge shall count only when its call is left. */
static void remember_source(matcher *m, place *pl, tcf_edge *e, uint64_t position)
{
    if (!m->options.source_at_leave || pl->n_sources == MAX_CALL_SOURCES || pl->depth == 0)
        return;
    e->flags |= TCF_EDGE_LEAVES;
    hold(m, e->channel);
    pl->sources[pl->n_sources++] = (call_source){pl->depth, e->channel, e->number, position, *e};
}

/* The sources of the innermost call, at depth `depth` or deeper, count from event i on. */
static tcf_status leave_sources(matcher *m, place *pl, slice *s, uint32_t i, uint32_t depth)
{
    while (pl->n_sources > 0 && pl->sources[pl->n_sources - 1].depth >= depth) {
        call_source *src = &pl->sources[--pl->n_sources];
        edge_place where;
        tcf_edge *e = add_edge(m, s, i, &where);
        if (!e)
            return out_of_memory();
        e->class_ = src->edge.class_;
        e->peer = src->edge.peer;
        e->rank = src->edge.rank;
        e->flags = TCF_EDGE_LEFT;
        if (src->number != UNRESOLVED) {
            number_edge(m, e, src->channel, src->number);
            m->channels[src->channel].open--; /* what remember_source() held */
            continue;
        }
        queue *q = &pl->queue[SENDS];
        posting *p = &q->at[src->posting & q->mask];
        p->edge[p->n_edges++] = where;
    }
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------- kinds of events -- */

static tcf_status feed_send(matcher *m, slice *s, uint32_t i, uint32_t comm, uint32_t receiver, uint32_t tag)
{
    uint32_t location = s->v.location;
    place *pl = &m->places[location];
    edge_place where;
    tcf_edge *e = add_edge(m, s, i, &where);
    if (!e)
        return out_of_memory();
    uint32_t ch = message_channel(m, location, e, comm, receiver, tag, 1);
    if (ch == TCF_NONE) {
        no_edge(e, e->flags);
        return TCF_OK;
    }
    uint64_t position = pl->queue[SENDS].tail;
    if (pl->merged) {
        posting *p = post(m, location, SENDS, s, i);
        if (!p)
            return out_of_memory();
        p->channel = ch;
        hold(m, ch);
        p->edge[p->n_edges++] = where;
    } else {
        number_edge(m, e, ch, m->channels[ch].sends++);
    }
    remember_source(m, pl, e, position);
    return TCF_OK;
}

static uint64_t request_key(uint32_t location, int q)
{
    return (uint64_t)location << 1 | (q == COLLECTIVES);
}

/* The open posting of a request, or NULL. The map holds the low bits of its position. */
static posting *find_request(matcher *m, uint32_t location, int q, uint64_t request)
{
    uint32_t low = map_get(&m->request_of, request_key(location, q), request);
    if (low == MAP_ABSENT)
        return NULL;
    queue *line = &m->places[location].queue[q];
    return &line->at[low & line->mask];
}

static void forget_request(matcher *m, uint32_t location, int q, posting *p)
{
    map_remove(&m->request_of, request_key(location, q), p->request);
    p->has_request = 0;
}

static tcf_status feed_request(matcher *m, slice *s, uint32_t i, int q, uint64_t request)
{
    uint32_t location = s->v.location;
    posting *old = find_request(m, location, q, request);
    if (old) { /* used again before it was completed: the older one never will be */
        forget_request(m, location, q, old);
        old->state = DEAD;
        m->counts.never_completed++;
    }
    posting *p = post(m, location, q, s, i);
    if (!p)
        return out_of_memory();
    p->state = OPEN;
    p->request = request;
    uint64_t position = m->places[location].queue[q].tail - 1;
    uint32_t low = (uint32_t)(position & 0x7fffffff);
    if (map_put(&m->request_of, request_key(location, q), request, low) != 0)
        return out_of_memory();
    p->has_request = 1;
    return TCF_OK;
}

static void feed_cancelled(matcher *m, uint32_t location, uint64_t request)
{
    for (int q = RECEIVES; q <= COLLECTIVES; q++) {
        posting *p = find_request(m, location, q, request);
        if (!p)
            continue;
        forget_request(m, location, q, p);
        p->state = DEAD;
        m->counts.cancelled++;
    }
}

/* The posting that an event completes: its request's when that lies within the look-ahead, else a new one here. */
static posting *completed_posting(matcher *m, slice *s, uint32_t i, int q, int has_request, uint64_t request)
{
    uint32_t location = s->v.location;
    posting *p = has_request ? find_request(m, location, q, request) : NULL;
    if (p) {
        forget_request(m, location, q, p);
        if (s->v.first + i - p->event <= m->options.lookahead) {
            p->state = KNOWN;
            return p;
        }
        p->state = DEAD;
        m->counts.beyond_lookahead++;
    }
    return post(m, location, q, s, i);
}

static tcf_status feed_receive(matcher *m, slice *s, uint32_t i, uint32_t comm, uint32_t sender, uint32_t tag,
                               int has_request, uint64_t request)
{
    uint32_t location = s->v.location;
    place *pl = &m->places[location];
    if (pl->n_sources && leave_sources(m, pl, s, i, pl->depth) != TCF_OK)
        return TCF_ERROR;
    edge_place where;
    tcf_edge *e = add_edge(m, s, i, &where);
    if (!e)
        return out_of_memory();
    uint32_t ch = message_channel(m, location, e, comm, sender, tag, 0);
    posting *p = completed_posting(m, s, i, RECEIVES, has_request, request);
    if (!p)
        return out_of_memory();
    p->channel = ch;
    hold(m, ch);
    p->edge[p->n_edges++] = where;
    return TCF_OK;
}

static tcf_edge_class class_of(uint8_t op)
{
    switch (op) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return TCF_CLASS_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return TCF_CLASS_ONE_TO_N;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return TCF_CLASS_N_TO_ONE;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        return TCF_CLASS_N_TO_N;
    case OTF2_COLLECTIVE_OP_SCAN:
        return TCF_CLASS_SCAN;
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return TCF_CLASS_EXSCAN;
    default:
        return TCF_CLASS_UNORDERED;
    }
}

/* Operations in which a member may take part with nothing to give or to get. */
static int has_lengths(uint8_t op)
{
    return op == OTF2_COLLECTIVE_OP_GATHERV || op == OTF2_COLLECTIVE_OP_SCATTERV ||
           op == OTF2_COLLECTIVE_OP_ALLGATHERV || op == OTF2_COLLECTIVE_OP_ALLTOALLV ||
           op == OTF2_COLLECTIVE_OP_ALLTOALLW;
}

typedef struct collective {
    uint64_t sent, received;
    uint32_t comm, root; /* comm: canonical */
    uint8_t op;
    uint8_t class_;
} collective;

/* Who waits for whom: flags of the member's begin and end. root: of the record, special values included. */
static void collective_flags(const tcf_comm *c, const collective *op, uint32_t rank, uint8_t *begin, uint8_t *end)
{
    int is_root = c->inter ? op->root == OTF2_COLLECTIVE_ROOT_SELF : op->root == rank || c->self;
    /* In an inter-communicator the root's own group takes no part in rooted operations. */
    int other = c->inter ? op->root < OTF2_COLLECTIVE_ROOT_THIS_GROUP : !is_root;
    int source = 0, target = 0;
    switch (op->class_) {
    case TCF_CLASS_ONE_TO_N:
        source = is_root;
        target = other;
        break;
    case TCF_CLASS_N_TO_ONE:
        source = other;
        target = is_root;
        break;
    case TCF_CLASS_BARRIER:
    case TCF_CLASS_N_TO_N:
        source = target = 1;
        break;
    case TCF_CLASS_SCAN:
    case TCF_CLASS_EXSCAN:
        source = rank + 1 < c->size;
        target = rank > 0;
        break;
    default:
        break;
    }
    if (has_lengths(op->op)) {
        source = source && op->sent > 0;
        target = target && op->received > 0;
    }
    *begin = (uint8_t)(TCF_EDGE_MEMBER | TCF_EDGE_BEGIN | (source ? TCF_EDGE_SOURCE : 0));
    *end = (uint8_t)(TCF_EDGE_MEMBER | (target ? TCF_EDGE_TARGET : 0));
}

static void describe_member(tcf_edge *e, const collective *op, uint32_t rank, uint8_t side, uint8_t flags)
{
    e->class_ = op->class_;
    e->op = op->op;
    e->peer = op->comm;
    e->rank = rank;
    e->reserved = side;
    e->flags = (uint8_t)(flags | (e->flags & TCF_EDGE_GONE)); /* dropped before it was known */
}

/* The end of a collective tells all about it: describes both edges, gives the posting its channel. */
static tcf_status finish_collective(matcher *m, uint32_t location, posting *p, tcf_edge *end, const collective *op,
                                    channel_type type, uint32_t key)
{
    uint32_t member = membership_member(&m->members, op->comm, location);
    uint8_t side, begin_flags, end_flags;
    uint32_t rank = membership_rank(&m->members, op->comm, member, &side);
    const tcf_comm *c = &m->defs->comms[op->comm];
    collective_flags(c, op, rank, &begin_flags, &end_flags);
    if (rank == TCF_NONE) {
        m->counts.bad_rank++;
        p->channel = TCF_NONE;
    } else {
        p->channel = get_channel(m, type, key, c->self ? member : 0, 0, 0);
        hold(m, p->channel);
    }
    describe_member(end, op, rank, side, end_flags);
    for (int k = 0; k < p->n_edges; k++) /* the begin, when it is within the look-ahead */
        describe_member(edge_at(p->edge[k]), op, rank, side, begin_flags);
    return TCF_OK;
}

static tcf_status feed_collective_begin(matcher *m, slice *s, uint32_t i, int rma)
{
    uint32_t location = s->v.location;
    edge_place where;
    if (!add_edge(m, s, i, &where))
        return out_of_memory();
    posting *p = post(m, location, COLLECTIVES, s, i);
    if (!p)
        return out_of_memory();
    p->state = OPEN;
    p->edge[p->n_edges++] = where;
    place *pl = &m->places[location];
    pl->begin[rma] = pl->queue[COLLECTIVES].tail; /* 1 + its position */
    return TCF_OK;
}

/* The posting of the blocking collective that ends at event i. */
static posting *begun_posting(matcher *m, slice *s, uint32_t i, int rma)
{
    place *pl = &m->places[s->v.location];
    queue *q = &pl->queue[COLLECTIVES];
    uint64_t position = pl->begin[rma];
    pl->begin[rma] = 0;
    if (position > q->head) { /* not given up meanwhile */
        posting *p = &q->at[(position - 1) & q->mask];
        if (p->state == OPEN && s->v.first + i - p->event <= m->options.lookahead) {
            p->state = KNOWN;
            return p;
        }
        if (p->state == OPEN)
            m->counts.beyond_lookahead++;
        p->state = DEAD;
    }
    return post(m, s->v.location, COLLECTIVES, s, i);
}

static tcf_status feed_collective_end(matcher *m, slice *s, uint32_t i, const collective *op, channel_type type,
                                      uint32_t key, posting *(*find)(matcher *, slice *, uint32_t, int), int argument)
{
    place *pl = &m->places[s->v.location];
    if (pl->n_sources && leave_sources(m, pl, s, i, pl->depth) != TCF_OK)
        return TCF_ERROR;
    edge_place where;
    tcf_edge *end = add_edge(m, s, i, &where);
    posting *p = end ? find(m, s, i, argument) : NULL;
    if (!p)
        return out_of_memory();
    if (op->comm == TCF_NONE) {
        m->counts.bad_rank++;
        p->channel = TCF_NONE;
    } else if (finish_collective(m, s->v.location, p, end, op, type, key) != TCF_OK) {
        return TCF_ERROR;
    }
    p->edge[p->n_edges++] = where;
    return TCF_OK;
}

static posting *find_requested(matcher *m, slice *s, uint32_t i, int unused)
{
    (void)unused;
    return completed_posting(m, s, i, COLLECTIVES, 1, s->v.rec[i].non_blocking_collective_complete.request_id);
}

static tcf_status feed_collective_request(matcher *m, slice *s, uint32_t i)
{
    edge_place where;
    if (!add_edge(m, s, i, &where))
        return out_of_memory();
    if (feed_request(m, s, i, COLLECTIVES, s->v.rec[i].non_blocking_collective_request.request_id) != TCF_OK)
        return TCF_ERROR;
    queue *q = &m->places[s->v.location].queue[COLLECTIVES];
    posting *p = &q->at[(q->tail - 1) & q->mask];
    p->edge[p->n_edges++] = where;
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------- threads and locks -- */

static tcf_status thread_edge(matcher *m, slice *s, uint32_t i, uint32_t ch, uint64_t number, tcf_edge_class class_,
                              uint8_t flags, uint32_t comm)
{
    edge_place where;
    tcf_edge *e = add_edge(m, s, i, &where);
    if (!e)
        return out_of_memory();
    e->class_ = (uint8_t)class_;
    e->flags = flags;
    e->peer = comm;
    if (comm != TCF_NONE)
        e->rank = membership_rank(&m->members, comm, membership_member(&m->members, comm, s->v.location), &e->reserved);
    if (ch == TCF_NONE)
        no_edge(e, 0);
    else
        number_edge(m, e, ch, number);
    return TCF_OK;
}

static tcf_status feed_fork(matcher *m, slice *s, uint32_t i)
{
    place *pl = &m->places[s->v.location];
    if (pl->fork.block)
        no_edge(edge_at(pl->fork), 0);
    tcf_edge *e = add_edge(m, s, i, &pl->fork);
    if (!e)
        return out_of_memory();
    pl->fork_event = s->v.first + i;
    return TCF_OK;
}

/* A fork whose team begin doesn't come within the look-ahead stays without edge. */
static void expire_fork(matcher *m, place *pl)
{
    if (!pl->fork.block || (!pl->ended && pl->decoded - 1 - pl->fork_event < m->options.lookahead))
        return;
    no_edge(edge_at(pl->fork), 0);
    pl->fork.block = NULL;
}

static tcf_status feed_team_begin(matcher *m, slice *s, uint32_t i)
{
    uint32_t location = s->v.location;
    place *pl = &m->places[location];
    uint32_t comm = canonical(m, s->v.rec[i].thread_team_begin.thread_team);
    uint32_t ch = comm == TCF_NONE ? TCF_NONE : get_channel(m, CHANNEL_TEAM, comm, 0, 0, 0);
    uint64_t *count = ch == TCF_NONE ? NULL : member_count(m, ch, location);
    uint64_t number = count ? (*count)++ : 0;
    if (!count)
        ch = TCF_NONE;
    if (pl->teams < MAX_NESTING)
        pl->team[pl->teams] = (team_instance){ch, number};
    pl->teams++;
    if (pl->fork.block) {
        tcf_edge *fork = edge_at(pl->fork);
        pl->fork.block = NULL;
        fork->class_ = TCF_CLASS_FORK;
        fork->flags = (uint8_t)(TCF_EDGE_SOURCE | TCF_EDGE_MEMBER | TCF_EDGE_BEGIN | (fork->flags & TCF_EDGE_GONE));
        fork->peer = comm;
        if (comm != TCF_NONE)
            fork->rank = membership_rank(&m->members, comm, membership_member(&m->members, comm, location),
                                         &fork->reserved);
        if (ch == TCF_NONE)
            no_edge(fork, 0);
        else
            number_edge(m, fork, ch, number);
        /* The forking thread's own team begin needs no edge: it follows its fork anyway. */
        return thread_edge(m, s, i, ch, number, TCF_CLASS_FORK, TCF_EDGE_MEMBER, comm);
    }
    return thread_edge(m, s, i, ch, number, TCF_CLASS_FORK, TCF_EDGE_TARGET | TCF_EDGE_MEMBER, comm);
}

static tcf_status feed_team_end(matcher *m, slice *s, uint32_t i)
{
    place *pl = &m->places[s->v.location];
    if (pl->teams == 0)
        return TCF_OK; /* its begin was not recorded */
    pl->teams--;
    pl->last_team = pl->teams < MAX_NESTING ? pl->team[pl->teams] : (team_instance){TCF_NONE, 0};
    uint32_t comm = canonical(m, s->v.rec[i].thread_team_end.thread_team);
    return thread_edge(m, s, i, pl->last_team.channel, pl->last_team.number, TCF_CLASS_JOIN,
                       TCF_EDGE_SOURCE | TCF_EDGE_MEMBER | TCF_EDGE_BEGIN, comm);
}

static tcf_status feed_join(matcher *m, slice *s, uint32_t i)
{
    place *pl = &m->places[s->v.location];
    team_instance team = pl->last_team;
    pl->last_team.channel = TCF_NONE;
    if (team.channel == TCF_NONE)
        return TCF_OK;
    return thread_edge(m, s, i, team.channel, team.number, TCF_CLASS_JOIN, TCF_EDGE_TARGET | TCF_EDGE_MEMBER,
                       m->channels[team.channel].comm);
}

/* OpenMP barriers are counted within the team that the location is in. */
static tcf_status feed_barrier(matcher *m, slice *s, uint32_t i, int entering)
{
    uint32_t location = s->v.location;
    place *pl = &m->places[location];
    /* An explicit barrier may contain the region of an implicit one: the outer one counts. */
    if (entering ? pl->barriers++ > 0 : pl->barriers > 0 && --pl->barriers > 0)
        return TCF_OK;
    if (pl->teams == 0 || pl->teams > MAX_NESTING || pl->team[pl->teams - 1].channel == TCF_NONE)
        return TCF_OK;
    uint32_t comm = m->channels[pl->team[pl->teams - 1].channel].comm;
    uint32_t ch = get_channel(m, CHANNEL_BARRIER, comm, 0, 0, 0);
    uint64_t *count = ch == TCF_NONE ? NULL : member_count(m, ch, location);
    if (!count)
        return TCF_OK;
    uint64_t number = entering ? *count : (*count)++;
    return thread_edge(m, s, i, ch, number, TCF_CLASS_OMP_BARRIER,
                       (uint8_t)(TCF_EDGE_MEMBER | (entering ? TCF_EDGE_SOURCE | TCF_EDGE_BEGIN : TCF_EDGE_TARGET)), comm);
}

/* Something that happens once: thread `sequence` of a contingent is created and begins, ends and is waited for. */
static tcf_status feed_thread(matcher *m, slice *s, uint32_t i, uint32_t contingent, uint64_t sequence,
                              channel_type type, int source)
{
    uint32_t comm = canonical(m, contingent);
    if (comm == TCF_NONE)
        return TCF_OK;
    uint32_t ch = get_channel(m, type, comm, (uint32_t)(sequence >> 32), (uint32_t)sequence, 0);
    if (ch == TCF_NONE)
        return TCF_OK;
    uint64_t number = source ? m->channels[ch].sends++ : m->channels[ch].receives++;
    return thread_edge(m, s, i, ch, number, type == CHANNEL_THREAD ? TCF_CLASS_THREAD_CREATE : TCF_CLASS_THREAD_WAIT,
                       source ? TCF_EDGE_SOURCE : TCF_EDGE_TARGET, TCF_NONE);
}

/* Acquisition n follows the release of acquisition n - 1. */
static tcf_status feed_lock(matcher *m, slice *s, uint32_t i, uint32_t lock, uint32_t order, int release)
{
    if (!release && order <= 1)
        return TCF_OK;
    uint32_t process = m->defs->locations[s->v.location].group;
    uint32_t ch = get_channel(m, CHANNEL_LOCK, 0, process, lock, release ? order : order - 1);
    if (ch == TCF_NONE)
        return TCF_OK;
    uint64_t number = release ? m->channels[ch].sends++ : m->channels[ch].receives++;
    return thread_edge(m, s, i, ch, number, TCF_CLASS_LOCK, release ? TCF_EDGE_SOURCE : TCF_EDGE_TARGET, TCF_NONE);
}

/* ----------------------------------------------------------------------------------------------------- feed -- */

/* Kinds that the matcher looks at; enter and leave only where regions matter. */
static const uint8_t matters[256] = {
    [TCF_MPI_SEND] = 1, [TCF_MPI_ISEND] = 1, [TCF_MPI_RECV] = 1, [TCF_MPI_IRECV] = 1, [TCF_MPI_IRECV_REQUEST] = 1,
    [TCF_MPI_REQUEST_CANCELLED] = 1, [TCF_MPI_COLLECTIVE_BEGIN] = 1, [TCF_MPI_COLLECTIVE_END] = 1,
    [TCF_NON_BLOCKING_COLLECTIVE_REQUEST] = 1, [TCF_NON_BLOCKING_COLLECTIVE_COMPLETE] = 1,
    [TCF_RMA_COLLECTIVE_BEGIN] = 1, [TCF_RMA_COLLECTIVE_END] = 1, [TCF_THREAD_FORK] = 1, [TCF_THREAD_JOIN] = 1,
    [TCF_OMP_FORK] = 1, [TCF_OMP_JOIN] = 1, [TCF_THREAD_TEAM_BEGIN] = 1, [TCF_THREAD_TEAM_END] = 1,
    [TCF_THREAD_CREATE] = 1, [TCF_THREAD_BEGIN] = 1, [TCF_THREAD_END] = 1, [TCF_THREAD_WAIT] = 1,
    [TCF_THREAD_ACQUIRE_LOCK] = 1, [TCF_THREAD_RELEASE_LOCK] = 1, [TCF_OMP_ACQUIRE_LOCK] = 1,
    [TCF_OMP_RELEASE_LOCK] = 1,
    [TCF_ENTER] = 2, [TCF_LEAVE] = 2, [TCF_CALLING_CONTEXT_ENTER] = 2, [TCF_CALLING_CONTEXT_LEAVE] = 2,
};

static tcf_status feed_region(matcher *m, slice *s, uint32_t i)
{
    place *pl = &m->places[s->v.location];
    uint8_t kind = s->v.kind[i];
    int entering = kind == TCF_ENTER || kind == TCF_CALLING_CONTEXT_ENTER;
    if (entering)
        pl->depth++;
    else if (pl->n_sources && leave_sources(m, pl, s, i, pl->depth) != TCF_OK)
        return TCF_ERROR;
    if (!entering && pl->depth > 0)
        pl->depth--;
    if (kind == TCF_ENTER || kind == TCF_LEAVE) {
        uint32_t region = s->v.rec[i].enter.region; /* enter and leave have the same layout */
        if (region < m->defs->n_regions && m->is_barrier[region])
            return feed_barrier(m, s, i, entering);
    }
    return TCF_OK;
}

static tcf_status feed_mpi_end(matcher *m, slice *s, uint32_t i)
{
    const tcf_ev_mpi_collective_end *r = &s->v.rec[i].mpi_collective_end;
    uint32_t comm = canonical(m, r->communicator);
    collective op = {r->size_sent, r->size_received, comm, r->root, r->collective_op,
                     (uint8_t)class_of(r->collective_op)};
    return feed_collective_end(m, s, i, &op, CHANNEL_COLLECTIVE, comm, begun_posting, 0);
}

static tcf_status feed_non_blocking_complete(matcher *m, slice *s, uint32_t i)
{
    const tcf_ev_non_blocking_collective_complete *r = &s->v.rec[i].non_blocking_collective_complete;
    uint32_t comm = canonical(m, r->communicator);
    collective op = {r->size_sent, r->size_received, comm, r->root, r->collective_op,
                     (uint8_t)class_of(r->collective_op)};
    return feed_collective_end(m, s, i, &op, CHANNEL_COLLECTIVE, comm, find_requested, 0);
}

static tcf_status feed_rma_end(matcher *m, slice *s, uint32_t i)
{
    const tcf_ev_rma_collective_end *r = &s->v.rec[i].rma_collective_end;
    uint32_t comm = r->win < m->defs->n_rma_wins ? canonical(m, m->defs->rma_wins[r->win].comm) : TCF_NONE;
    collective op = {r->bytes_sent, r->bytes_received, comm, r->root, r->collective_op,
                     (uint8_t)class_of(r->collective_op)};
    if (!(r->sync_level & OTF2_RMA_SYNC_LEVEL_PROCESS))
        op.class_ = TCF_CLASS_UNORDERED;
    return feed_collective_end(m, s, i, &op, CHANNEL_RMA, r->win, begun_posting, 1);
}

static tcf_status feed_event(matcher *m, slice *s, uint32_t i)
{
    const tcf_rec *r = &s->v.rec[i];
    switch (s->v.kind[i]) {
    case TCF_MPI_SEND:
        return feed_send(m, s, i, r->mpi_send.communicator, r->mpi_send.receiver, r->mpi_send.msg_tag);
    case TCF_MPI_ISEND:
        return feed_send(m, s, i, r->mpi_isend.communicator, r->mpi_isend.receiver, r->mpi_isend.msg_tag);
    case TCF_MPI_RECV:
        return feed_receive(m, s, i, r->mpi_recv.communicator, r->mpi_recv.sender, r->mpi_recv.msg_tag, 0, 0);
    case TCF_MPI_IRECV:
        return feed_receive(m, s, i, r->mpi_irecv.communicator, r->mpi_irecv.sender, r->mpi_irecv.msg_tag, 1,
                            r->mpi_irecv.request_id);
    case TCF_MPI_IRECV_REQUEST:
        return feed_request(m, s, i, RECEIVES, r->mpi_irecv_request.request_id);
    case TCF_MPI_REQUEST_CANCELLED:
        feed_cancelled(m, s->v.location, r->mpi_request_cancelled.request_id);
        return TCF_OK;
    case TCF_MPI_COLLECTIVE_BEGIN:
        return feed_collective_begin(m, s, i, 0);
    case TCF_RMA_COLLECTIVE_BEGIN:
        return feed_collective_begin(m, s, i, 1);
    case TCF_MPI_COLLECTIVE_END:
        return feed_mpi_end(m, s, i);
    case TCF_RMA_COLLECTIVE_END:
        return feed_rma_end(m, s, i);
    case TCF_NON_BLOCKING_COLLECTIVE_REQUEST:
        return feed_collective_request(m, s, i);
    case TCF_NON_BLOCKING_COLLECTIVE_COMPLETE:
        return feed_non_blocking_complete(m, s, i);
    case TCF_THREAD_FORK:
    case TCF_OMP_FORK:
        return feed_fork(m, s, i);
    case TCF_THREAD_JOIN:
    case TCF_OMP_JOIN:
        return feed_join(m, s, i);
    case TCF_THREAD_TEAM_BEGIN:
        return feed_team_begin(m, s, i);
    case TCF_THREAD_TEAM_END:
        return feed_team_end(m, s, i);
    case TCF_THREAD_CREATE:
        return feed_thread(m, s, i, r->thread_create.thread_contingent, r->thread_create.sequence_count,
                           CHANNEL_THREAD, 1);
    case TCF_THREAD_BEGIN:
        return feed_thread(m, s, i, r->thread_begin.thread_contingent, r->thread_begin.sequence_count, CHANNEL_THREAD,
                           0);
    case TCF_THREAD_END:
        return feed_thread(m, s, i, r->thread_end.thread_contingent, r->thread_end.sequence_count, CHANNEL_THREAD_END,
                           1);
    case TCF_THREAD_WAIT:
        return feed_thread(m, s, i, r->thread_wait.thread_contingent, r->thread_wait.sequence_count,
                           CHANNEL_THREAD_END, 0);
    case TCF_THREAD_ACQUIRE_LOCK:
        return feed_lock(m, s, i, r->thread_acquire_lock.lock_id, r->thread_acquire_lock.acquisition_order, 0);
    case TCF_THREAD_RELEASE_LOCK:
        return feed_lock(m, s, i, r->thread_release_lock.lock_id, r->thread_release_lock.acquisition_order, 1);
    case TCF_OMP_ACQUIRE_LOCK:
        return feed_lock(m, s, i, r->omp_acquire_lock.lock_id, r->omp_acquire_lock.acquisition_order, 0);
    case TCF_OMP_RELEASE_LOCK:
        return feed_lock(m, s, i, r->omp_release_lock.lock_id, r->omp_release_lock.acquisition_order, 1);
    default:
        return feed_region(m, s, i);
    }
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
        if (what == 0 || what + least > 3)
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
    expire_fork(m, pl);
    advance(m, s->v.location);
    return TCF_OK;
}

void matcher_location_end(matcher *m, uint32_t location)
{
    place *pl = &m->places[location];
    pl->ended = 1;
    expire_fork(m, pl);
    advance(m, location);
}

int matcher_give_up(matcher *m, uint32_t location)
{
    place *pl = &m->places[location];
    int any = 0;
    for (int q = 0; q < QUEUES; q++) {
        posting *p = head(&pl->queue[q]);
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
    advance(m, location);
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

const channel *matcher_channel(const matcher *m, uint32_t index)
{
    return &m->channels[index];
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
