/* Slots and instances of one causal segment; see exchange.h.
 *
 * Messages of a channel hang in a list ordered by number, of one or two entries in most programs; all of them hang in
 * a list by age for the cap. A receive that was given up, or either end that a filter dropped, leaves a tombstone in
 * its place, so that its partner is told and nothing is ever paired anew. Instances of a channel all have the same
 * size, so each channel keeps its used ones for the next.
 */
#include "exchange.h"
#include "error.h"

#include <string.h>

#define NONE UINT32_MAX
#define SLOTS_A_CHUNK 1024u

typedef enum slot_state {
    SLOT_SENT,         /* the source is there, but does not count yet (source_at_leave) */
    SLOT_PASSED,       /* the source has passed */
    SLOT_SOURCE_GONE,  /* tombstone: the source was dropped */
    SLOT_RECEIVE_GONE, /* tombstone: the receive was dropped or given up */
    SLOT_CONSUMED      /* received, but pinned */
} slot_state;

typedef struct slot {
    uint32_t next;         /* on its channel, by number; or the next free one */
    uint32_t older, newer; /* all messages in flight by age */
    uint32_t channel;
    uint64_t number;
    uint32_t pins;
    uint8_t state, published;
    uint64_t value[]; /* a number per publisher, then the filters' bytes */
} slot;

/* The two largest and smallest numbers published on a side: a member's own source never binds its own target, so the
 * one who published the extreme is told the next. */
typedef struct cell {
    uint64_t latest[2], earliest[2];
    uint32_t latest_rank, earliest_rank, n;
} cell;

typedef struct instance {
    uint64_t number;
    uint32_t channel, comm, index;
    uint32_t size[2], arrived[2]; /* by side of an inter-communicator; size: begins to come */
    uint32_t ended, ends;
    uint32_t at_end; /* members that have arrived at their end (needs_ends) */
    uint32_t prefix;       /* ranks from 0 on that have all arrived */
    uint32_t waiter; /* location */
    uint32_t next_free, root;
    uint8_t class_, op, source_passed, broken, phase;
    uint64_t *present;    /* a bit a member: its begin has passed, or it won't contribute */
    uint64_t *at_end_bit; /* likewise */
    cell *cells;          /* 2 x publishers */
    uint64_t *scan;       /* publishers x 3 x members: values, largest and smallest of the ranks before; when needed */
    uint8_t *scan_any;    /* publishers x members */
    unsigned char *members;
} instance;

/* What a segment knows of a channel. */
typedef struct line {
    uint32_t head, tail;    /* slots */
    uint32_t waiter;        /* location */
    uint32_t free_instance; /* used before */
} line;

struct exchange {
    const tcf_definitions *defs;
    matcher *m;
    exchange_options options;
    exchange_counts counts;
    exchange_wake wake;
    exchange_complete complete;
    void *data;
    unsigned char **chunks;
    size_t slot_bytes;
    uint32_t n_slots, free_slot, oldest, newest;
    line *lines;
    uint32_t n_lines;
    instance **instances;
    uint32_t n_instances, instances_capacity;
    map instance_of;       /* (channel << 1 | phase, number) */
    uint32_t *next_waiter; /* by location */
    uint32_t *live;        /* by location group: locations that have not ended */
    uint8_t *ended;        /* by location */
    int any_ended;
};

exchange *exchange_new(const tcf_definitions *defs, matcher *m, const exchange_options *options, exchange_wake wake,
                       exchange_complete complete, void *data)
{
    exchange *x = calloc(1, sizeof *x);
    if (!x)
        goto failed;
    *x = (exchange){.defs = defs, .m = m, .options = *options, .wake = wake, .complete = complete, .data = data,
                    .free_slot = NONE, .oldest = NONE, .newest = NONE};
    x->slot_bytes = (sizeof(slot) + options->publishers * sizeof(uint64_t) + options->message_bytes + 15u) & ~15ul;
    x->chunks = calloc(options->max_messages / SLOTS_A_CHUNK + 1u, sizeof *x->chunks);
    x->next_waiter = calloc(defs->n_locations + 1u, sizeof *x->next_waiter);
    x->live = calloc(defs->n_location_groups + 1u, sizeof *x->live);
    x->ended = calloc(defs->n_locations + 1u, 1);
    if (!x->chunks || !x->next_waiter || !x->live || !x->ended)
        goto failed;
    for (uint32_t l = 0; l < defs->n_locations; l++)
        if (defs->locations[l].group < defs->n_location_groups)
            x->live[defs->locations[l].group]++;
    return x;
failed:
    exchange_delete(x);
    tcf_fail("out of memory for the table of messages");
    return NULL;
}

static void instance_free(instance *i)
{
    free(i->present);
    free(i->at_end_bit);
    free(i->cells);
    free(i->scan);
    free(i->scan_any);
    free(i->members);
    free(i);
}

void exchange_delete(exchange *x)
{
    if (!x)
        return;
    for (uint32_t i = 0; x->chunks && i <= x->options.max_messages / SLOTS_A_CHUNK; i++)
        free(x->chunks[i]);
    for (uint32_t i = 0; i < x->n_instances; i++)
        instance_free(x->instances[i]);
    free(x->chunks);
    free(x->instances);
    free(x->lines);
    free(x->next_waiter);
    free(x->live);
    free(x->ended);
    map_free(&x->instance_of);
    free(x);
}

/* -------------------------------------------------------------------------------------------------- slots -- */

static inline slot *slot_at(const exchange *x, uint32_t i)
{
    return (slot *)(x->chunks[i / SLOTS_A_CHUNK] + (size_t)(i % SLOTS_A_CHUNK) * x->slot_bytes);
}

static line *line_of(exchange *x, uint32_t channel_index)
{
    if (channel_index >= x->n_lines) {
        uint32_t n = matcher_channels(x->m);
        line *grown = realloc(x->lines, n * sizeof *grown);
        if (!grown)
            return NULL;
        for (uint32_t i = x->n_lines; i < n; i++)
            grown[i] = (line){NONE, NONE, NONE, NONE};
        x->lines = grown;
        x->n_lines = n;
    }
    return &x->lines[channel_index];
}

static uint32_t slot_new(exchange *x)
{
    uint32_t i = x->free_slot;
    if (i != NONE) {
        x->free_slot = slot_at(x, i)->next;
        return i;
    }
    if (x->n_slots >= x->options.max_messages)
        return NONE;
    if (x->n_slots % SLOTS_A_CHUNK == 0 &&
        !(x->chunks[x->n_slots / SLOTS_A_CHUNK] = malloc(SLOTS_A_CHUNK * x->slot_bytes)))
        return NONE;
    return x->n_slots++;
}

static void slot_free(exchange *x, uint32_t i)
{
    slot *s = slot_at(x, i);
    s->channel = NONE;
    s->next = x->free_slot;
    x->free_slot = i;
}

/* Makes a slot and hangs it into its channel's list and the list by age. NONE: the table is full. */
static uint32_t slot_add(exchange *x, line *l, uint32_t channel_index, uint64_t number, slot_state state)
{
    uint32_t i = slot_new(x);
    if (i == NONE)
        return NONE;
    slot *s = slot_at(x, i);
    memset(s, 0, x->slot_bytes);
    s->channel = channel_index;
    s->number = number;
    s->state = (uint8_t)state;
    s->next = NONE;
    if (l->head == NONE) {
        l->head = l->tail = i;
    } else if (slot_at(x, l->tail)->number < number) {
        slot_at(x, l->tail)->next = i;
        l->tail = i;
    } else { /* threads of a process may pass their sends out of order */
        uint32_t *link = &l->head;
        while (slot_at(x, *link)->number < number)
            link = &slot_at(x, *link)->next;
        s->next = *link;
        *link = i;
    }
    s->older = x->newest;
    s->newer = NONE;
    if (x->newest != NONE)
        slot_at(x, x->newest)->newer = i;
    else
        x->oldest = i;
    x->newest = i;
    if (++x->counts.in_flight > x->counts.most_in_flight)
        x->counts.most_in_flight = x->counts.in_flight;
    return i;
}

/* The slot of a message, or NONE. */
static uint32_t slot_find(const exchange *x, const line *l, uint64_t number)
{
    for (uint32_t i = l->head; i != NONE; i = slot_at(x, i)->next) {
        if (slot_at(x, i)->number == number)
            return i;
        if (slot_at(x, i)->number > number)
            break;
    }
    return NONE;
}

/* Takes a slot out of both lists; it is freed unless it is pinned. */
static void slot_remove(exchange *x, uint32_t i)
{
    slot *s = slot_at(x, i);
    line *l = &x->lines[s->channel];
    uint32_t before = NONE;
    for (uint32_t k = l->head; k != i; k = slot_at(x, k)->next)
        before = k;
    if (before == NONE)
        l->head = s->next;
    else
        slot_at(x, before)->next = s->next;
    if (l->tail == i)
        l->tail = before;
    if (s->older != NONE)
        slot_at(x, s->older)->newer = s->newer;
    else
        x->oldest = s->newer;
    if (s->newer != NONE)
        slot_at(x, s->newer)->older = s->older;
    else
        x->newest = s->older;
    x->counts.in_flight--;
    if (s->pins > 0)
        s->state = SLOT_CONSUMED;
    else
        slot_free(x, i);
}

/* ---------------------------------------------------------------------------------------------- instances -- */

static inline int is_message(const channel *c)
{
    return c->type == CHANNEL_MESSAGE || c->type >= CHANNEL_THREAD;
}

/* The members of a fork are told apart from those of the join of the same team. */
static inline uint64_t instance_key(const tcf_edge *e)
{
    return (uint64_t)e->channel << 1 | (e->class_ == TCF_CLASS_JOIN);
}

static void instance_shape(const exchange *x, instance *i, const tcf_edge *e)
{
    const channel *c = matcher_channel(x->m, e->channel);
    uint32_t comm = c->type == CHANNEL_RMA ? e->peer : c->comm;
    const tcf_comm *k = &x->defs->comms[comm];
    uint32_t n = membership_size(k);
    i->comm = comm;
    i->size[0] = k->self ? 1 : k->size;
    i->size[1] = k->inter ? k->remote_size : 0;
    i->ends = n;
    if (e->class_ == TCF_CLASS_FORK)
        i->size[0] = 1;
    if (e->class_ == TCF_CLASS_JOIN)
        i->ends = 1;
}

static instance *instance_allocate(exchange *x, uint32_t members)
{
    instance *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    size_t words = members / 64u + 1u;
    i->present = malloc(words * sizeof *i->present);
    i->at_end_bit = malloc(words * sizeof *i->at_end_bit);
    i->cells = malloc((2u * x->options.publishers + 1u) * sizeof *i->cells);
    i->members = malloc((size_t)members * x->options.member_bytes + 1u);
    if (x->n_instances == x->instances_capacity) {
        uint32_t capacity = x->instances_capacity * 2 + 64;
        instance **grown = realloc(x->instances, capacity * sizeof *grown);
        if (grown) {
            x->instances = grown;
            x->instances_capacity = capacity;
        }
    }
    if (!i->present || !i->at_end_bit || !i->cells || !i->members || x->n_instances == x->instances_capacity) {
        instance_free(i);
        return NULL;
    }
    i->index = x->n_instances;
    x->instances[x->n_instances++] = i;
    return i;
}

/* The instance that an edge belongs to, made when it is the first of it; NULL: out of memory. */
static instance *instance_get(exchange *x, const tcf_edge *e)
{
    uint32_t found = map_get(&x->instance_of, instance_key(e), e->number);
    if (found != MAP_ABSENT)
        return x->instances[found];
    line *l = line_of(x, e->channel);
    if (!l)
        return NULL;
    instance shape = {0}, *i;
    instance_shape(x, &shape, e);
    uint32_t members = membership_size(&x->defs->comms[shape.comm]);
    if (l->free_instance != NONE) {
        i = x->instances[l->free_instance];
        l->free_instance = i->next_free;
    } else if (!(i = instance_allocate(x, members))) {
        return NULL;
    }
    memset(i->present, 0, (members / 64u + 1u) * sizeof *i->present);
    memset(i->at_end_bit, 0, (members / 64u + 1u) * sizeof *i->at_end_bit);
    memset(i->cells, 0, (2u * x->options.publishers + 1u) * sizeof *i->cells);
    memset(i->members, 0, (size_t)members * x->options.member_bytes);
    if (i->scan_any)
        memset(i->scan_any, 0, (size_t)members * x->options.publishers);
    shape.index = i->index;
    shape.present = i->present;
    shape.at_end_bit = i->at_end_bit;
    shape.cells = i->cells;
    shape.members = i->members;
    shape.scan = i->scan;
    shape.scan_any = i->scan_any;
    shape.number = e->number;
    shape.channel = e->channel;
    shape.waiter = NONE;
    shape.root = TCF_NONE;
    shape.class_ = e->class_;
    shape.op = e->op;
    shape.phase = e->class_ == TCF_CLASS_JOIN;
    *i = shape;
    if (map_put(&x->instance_of, instance_key(e), e->number, i->index) != 0)
        return NULL;
    return i;
}

static void instance_retire(exchange *x, instance *i)
{
    map_remove(&x->instance_of, (uint64_t)i->channel << 1 | i->phase, i->number);
    line *l = &x->lines[i->channel];
    i->next_free = l->free_instance;
    l->free_instance = i->index;
}

/* Position of a member in the bit sets and arrays: ranks of group B follow those of group A. */
static inline uint32_t place_of(const exchange *x, const instance *i, const tcf_edge *e)
{
    const tcf_comm *c = &x->defs->comms[i->comm];
    return e->reserved && c->inter ? c->size + e->rank : e->rank;
}

static int has_ended(const exchange *x, const tcf_comm *c, uint32_t member)
{
    if (member == TCF_NONE)
        return 1;
    if (membership_by_process(c))
        return member < x->defs->n_location_groups && x->live[member] == 0;
    return x->ended[member];
}

/* Have all members that are still missing on a side come to their end without getting here? */
static int missing_have_ended(const exchange *x, const instance *i, int side, uint32_t below)
{
    const tcf_comm *c = &x->defs->comms[i->comm];
    if (!x->any_ended || c->self)
        return 0;
    const uint32_t *members = membership_by_process(c) ? (side ? c->remote_process : c->process) : c->location;
    uint32_t n = side ? c->remote_size : c->size;
    for (uint32_t r = 0; r < n && r < below; r++) {
        uint32_t p = side ? c->size + r : r;
        if (!(i->present[p / 64] >> p % 64 & 1) && !has_ended(x, c, members[r]))
            return 0;
    }
    return 1;
}

/* -1: not yet, 0: its sources will never be complete, 1: ready */
static int instance_ready(const exchange *x, instance *i, const tcf_edge *e)
{
    int inter = x->defs->comms[i->comm].inter;
    int side = inter && (e->class_ == TCF_CLASS_N_TO_N || e->class_ == TCF_CLASS_BARRIER ||
                         e->class_ == TCF_CLASS_N_TO_ONE || e->class_ == TCF_CLASS_ONE_TO_N)
                   ? !e->reserved
                   : 0;
    uint32_t below = UINT32_MAX;
    int ready = i->arrived[side] >= i->size[side];
    if (e->class_ == TCF_CLASS_ONE_TO_N || e->class_ == TCF_CLASS_FORK) {
        ready = ready || i->source_passed;
    } else if (e->class_ == TCF_CLASS_SCAN || e->class_ == TCF_CLASS_EXSCAN) {
        ready = i->prefix >= e->rank;
        below = e->rank;
    }
    if (ready)
        return 1;
    return i->broken || missing_have_ended(x, i, side, below) ? 0 : -1;
}

static void wake_all(exchange *x, uint32_t *waiter)
{
    uint32_t location = *waiter;
    *waiter = NONE;
    while (location != NONE) {
        uint32_t next = x->next_waiter[location];
        x->wake(x->data, location);
        location = next;
    }
}

/* Do the targets of a class wait for every member, so that there is no point in waking them earlier? */
static int needs_all(uint8_t class_)
{
    return class_ == TCF_CLASS_N_TO_N || class_ == TCF_CLASS_BARRIER || class_ == TCF_CLASS_OMP_BARRIER ||
           class_ == TCF_CLASS_N_TO_ONE || class_ == TCF_CLASS_JOIN;
}

/* A member's begin has passed, or it is known that it has nothing to contribute. */
static void instance_arrive(exchange *x, instance *i, const tcf_edge *e, int contributes)
{
    uint32_t p = place_of(x, i, e);
    uint64_t bit = 1ull << p % 64;
    if (contributes)
        i->source_passed = 1;
    if (contributes && (e->class_ == TCF_CLASS_ONE_TO_N || e->class_ == TCF_CLASS_FORK))
        i->root = e->rank;
    if (!(i->present[p / 64] & bit)) {
        i->present[p / 64] |= bit;
        i->arrived[e->reserved != 0]++;
        while (i->prefix < i->size[0] && i->present[i->prefix / 64] >> i->prefix % 64 & 1)
            i->prefix++;
    } else if (!contributes) {
        return; /* nothing new: who waits goes on waiting */
    }
    if (i->waiter != NONE && (contributes || i->class_ == TCF_CLASS_SCAN || i->class_ == TCF_CLASS_EXSCAN ||
                              i->arrived[e->reserved != 0] >= i->size[e->reserved != 0]) &&
        (!needs_all(i->class_) || i->arrived[e->reserved != 0] >= i->size[e->reserved != 0]))
        wake_all(x, &i->waiter);
}

static tcf_status instance_left(exchange *x, instance *i)
{
    if (i->ended < i->ends || i->arrived[0] < i->size[0] || i->arrived[1] < i->size[1])
        return TCF_OK;
    tcf_status status = TCF_OK;
    if (x->complete && i->class_ != TCF_CLASS_FORK && i->class_ != TCF_CLASS_JOIN) {
        tcf_instance view = {.comm = i->comm, .number = i->number, .class_ = i->class_, .op = i->op, .root = i->root,
                             .n_members = i->ends, .n_arrived = i->ended, .members = i->members,
                             .stride = x->options.member_bytes};
        status = x->complete(x->data, &view);
    }
    instance_retire(x, i);
    return status;
}

/* ------------------------------------------------------------------------------------------- prepare, pass -- */

static int is_end(const tcf_edge *e)
{
    return (e->flags & TCF_EDGE_TARGET) != 0;
}

static int partner_has_ended(const exchange *x, const channel *c, int sending)
{
    if (c->type != CHANNEL_MESSAGE && c->type != CHANNEL_LOCK)
        return 0;
    uint32_t process = sending && c->type == CHANNEL_MESSAGE ? c->b : c->a;
    return process < x->defs->n_location_groups && x->live[process] == 0;
}

static void park(exchange *x, uint32_t location, uint32_t *waiter)
{
    x->next_waiter[location] = *waiter;
    *waiter = location;
}

static void unmatched(exchange *x, tcf_edge *e)
{
    e->flags |= TCF_EDGE_UNMATCHED;
    e->slot = NONE;
    if (e->flags & TCF_EDGE_SOURCE)
        x->counts.unmatched_sends++;
    else
        x->counts.unmatched_receives++;
}

static exchange_answer prepare_send(exchange *x, tcf_edge *e, line *l, const channel *c)
{
    uint32_t i = slot_find(x, l, e->number);
    if (i != NONE) { /* a tombstone of its receive */
        slot_remove(x, i);
        if (!(e->flags & TCF_EDGE_GONE))
            unmatched(x, e);
        return EXCHANGE_READY;
    }
    if (e->flags & TCF_EDGE_GONE)
        return slot_add(x, l, e->channel, e->number, SLOT_SOURCE_GONE) == NONE ? EXCHANGE_FULL : EXCHANGE_READY;
    if (partner_has_ended(x, c, 1)) {
        unmatched(x, e);
        return EXCHANGE_READY;
    }
    e->slot = slot_add(x, l, e->channel, e->number, SLOT_SENT);
    return e->slot == NONE ? EXCHANGE_FULL : EXCHANGE_READY;
}

static exchange_answer prepare_receive(exchange *x, uint32_t location, tcf_edge *e, line *l, const channel *c)
{
    uint32_t i = slot_find(x, l, e->number);
    if (e->flags & TCF_EDGE_GONE) {
        if (i != NONE)
            slot_remove(x, i);
        else if (slot_add(x, l, e->channel, e->number, SLOT_RECEIVE_GONE) == NONE)
            return EXCHANGE_FULL;
        return EXCHANGE_READY;
    }
    if (i != NONE && slot_at(x, i)->state == SLOT_SOURCE_GONE) {
        slot_remove(x, i);
        unmatched(x, e);
        return EXCHANGE_READY;
    }
    if (i != NONE && (slot_at(x, i)->state == SLOT_PASSED || partner_has_ended(x, c, 0))) {
        e->slot = i;
        return EXCHANGE_READY;
    }
    if (i == NONE && partner_has_ended(x, c, 0)) {
        unmatched(x, e);
        return EXCHANGE_READY;
    }
    park(x, location, &l->waiter);
    return EXCHANGE_WAIT;
}

static exchange_answer prepare_member(exchange *x, uint32_t location, tcf_edge *e)
{
    instance *i = instance_get(x, e);
    if (!i)
        return EXCHANGE_FULL;
    e->slot = i->index;
    int all_ends = x->options.needs_ends && (e->class_ == TCF_CLASS_N_TO_N || e->class_ == TCF_CLASS_BARRIER);
    if (all_ends && !(e->flags & TCF_EDGE_BEGIN)) { /* also of a member that gets nothing, or whose end was dropped */
        uint32_t p = place_of(x, i, e);
        if (!(i->at_end_bit[p / 64] >> p % 64 & 1)) {
            i->at_end_bit[p / 64] |= 1ull << p % 64;
            if (++i->at_end == i->ends)
                wake_all(x, &i->waiter);
        }
    }
    if (!is_end(e) || e->flags & TCF_EDGE_GONE)
        return EXCHANGE_READY;
    /* Its own begin never binds it: it stands in this very span, or was beyond the look-ahead and is no edge. */
    if (i->class_ != TCF_CLASS_FORK && i->class_ != TCF_CLASS_JOIN)
        instance_arrive(x, i, e, 0);
    if (all_ends && i->at_end < i->ends && !i->broken) {
        park(x, location, &i->waiter);
        return EXCHANGE_WAIT;
    }
    int ready = instance_ready(x, i, e);
    if (ready == -1) {
        park(x, location, &i->waiter);
        return EXCHANGE_WAIT;
    }
    if (ready == 0) {
        e->flags |= TCF_EDGE_UNMATCHED;
        x->counts.given_up++;
    }
    return EXCHANGE_READY;
}

exchange_answer exchange_prepare(exchange *x, uint32_t location, tcf_edge *e)
{
    e->slot = NONE;
    if (e->channel == TCF_NONE)
        return EXCHANGE_READY;
    const channel *c = matcher_channel(x->m, e->channel);
    line *l = line_of(x, e->channel);
    if (!l)
        return EXCHANGE_FULL;
    if (!is_message(c))
        return e->rank == TCF_NONE ? EXCHANGE_READY : prepare_member(x, location, e);
    if (e->flags & TCF_EDGE_UNMATCHED)
        return EXCHANGE_READY;
    if (e->flags & TCF_EDGE_SOURCE)
        return prepare_send(x, e, l, c);
    if (e->flags & TCF_EDGE_LEFT) {
        e->slot = slot_find(x, l, e->number);
        return EXCHANGE_READY;
    }
    return prepare_receive(x, location, e, l, c);
}

static void pass_message(exchange *x, tcf_edge *e)
{
    if ((e->flags & (TCF_EDGE_SOURCE | TCF_EDGE_GONE)) == (TCF_EDGE_SOURCE | TCF_EDGE_GONE))
        wake_all(x, &x->lines[e->channel].waiter); /* a receive that waits is told that nothing will come */
    if (e->slot == NONE)
        return;
    slot *s = slot_at(x, e->slot);
    if (e->flags & TCF_EDGE_TARGET) {
        slot_remove(x, e->slot);
        return;
    }
    if (e->flags & TCF_EDGE_SOURCE && e->flags & TCF_EDGE_LEAVES)
        return;
    if (s->channel == e->channel && s->state == SLOT_SENT) {
        s->state = SLOT_PASSED;
        if (x->lines[e->channel].waiter != NONE)
            wake_all(x, &x->lines[e->channel].waiter);
    }
}

static tcf_status pass_member(exchange *x, tcf_edge *e)
{
    if (e->slot == NONE)
        return TCF_OK;
    instance *i = x->instances[e->slot];
    uint32_t p = place_of(x, i, e);
    if (e->flags & TCF_EDGE_BEGIN) {
        instance_arrive(x, i, e, (e->flags & TCF_EDGE_SOURCE) && !(e->flags & TCF_EDGE_GONE));
        return instance_left(x, i);
    }
    if (i->class_ != TCF_CLASS_FORK && i->class_ != TCF_CLASS_JOIN && !(i->present[p / 64] >> p % 64 & 1))
        instance_arrive(x, i, e, 0); /* its begin was beyond the look-ahead */
    i->ended++;
    return instance_left(x, i);
}

tcf_status exchange_pass(exchange *x, tcf_edge *e)
{
    if (e->channel == TCF_NONE)
        return TCF_OK;
    if (is_message(matcher_channel(x->m, e->channel))) {
        pass_message(x, e);
        return TCF_OK;
    }
    return pass_member(x, e);
}

static void unpark(exchange *x, uint32_t location, uint32_t *waiter)
{
    while (*waiter != NONE && *waiter != location)
        waiter = &x->next_waiter[*waiter];
    if (*waiter == location)
        *waiter = x->next_waiter[location];
}

void exchange_give_up(exchange *x, uint32_t location, tcf_edge *e)
{
    x->counts.given_up++;
    line *l = line_of(x, e->channel);
    if (!is_message(matcher_channel(x->m, e->channel))) {
        instance *i = instance_get(x, e);
        if (!i)
            return;
        if (!i->broken)
            x->counts.incomplete_instances++;
        i->broken = 1;
        x->counts.given_up--; /* counted when the ends pass */
        unpark(x, location, &i->waiter);
        wake_all(x, &i->waiter);
        return;
    }
    unpark(x, location, &l->waiter);
    uint32_t i = slot_find(x, l, e->number);
    if (i != NONE) /* sent, but its call was never left */
        slot_remove(x, i);
    else
        slot_add(x, l, e->channel, e->number, SLOT_RECEIVE_GONE);
    e->flags |= TCF_EDGE_UNMATCHED;
    e->slot = NONE;
}

void exchange_unpark(exchange *x, uint32_t location, const tcf_edge *e)
{
    line *l = line_of(x, e->channel);
    uint32_t found = map_get(&x->instance_of, instance_key(e), e->number);
    if (is_message(matcher_channel(x->m, e->channel)))
        unpark(x, location, &l->waiter);
    else if (found != MAP_ABSENT)
        unpark(x, location, &x->instances[found]->waiter);
}

tcf_status exchange_note_absent(exchange *x, tcf_edge *e)
{
    if (e->channel == TCF_NONE || e->number == UNRESOLVED || !(e->flags & TCF_EDGE_BEGIN) ||
        e->flags & TCF_EDGE_SOURCE || e->rank == TCF_NONE)
        return TCF_OK;
    instance *i = instance_get(x, e);
    if (!i)
        return tcf_fail("out of memory for collective instances");
    instance_arrive(x, i, e, 0);
    return TCF_OK;
}

int exchange_drop_oldest(exchange *x)
{
    uint32_t i = x->oldest;
    while (i != NONE && slot_at(x, i)->state != SLOT_PASSED && slot_at(x, i)->state != SLOT_RECEIVE_GONE)
        i = slot_at(x, i)->newer;
    if (i == NONE)
        return 0;
    slot_remove(x, i);
    x->counts.dropped_messages++;
    return 1;
}

void exchange_location_end(exchange *x, uint32_t location)
{
    uint32_t group = x->defs->locations[location].group;
    x->ended[location] = 1;
    x->any_ended = 1;
    if (group >= x->defs->n_location_groups || --x->live[group] > 0)
        return;
    for (uint32_t i = x->oldest, next; i != NONE; i = next) { /* nobody will receive these */
        slot *s = slot_at(x, i);
        next = s->newer;
        const channel *c = matcher_channel(x->m, s->channel);
        if (c->type != CHANNEL_MESSAGE || c->b != group || s->state == SLOT_RECEIVE_GONE)
            continue;
        if (s->state != SLOT_SOURCE_GONE)
            x->counts.unmatched_sends++;
        slot_remove(x, i);
    }
}

/* -------------------------------------------------------------------------------------------- the host's part -- */

void *exchange_payload(exchange *x, const tcf_edge *e, uint32_t message_offset, uint32_t member_offset)
{
    if (e->slot == NONE || e->channel == TCF_NONE)
        return NULL;
    if (is_message(matcher_channel(x->m, e->channel)))
        return e->flags & TCF_EDGE_UNMATCHED
                   ? NULL
                   : (unsigned char *)(slot_at(x, e->slot)->value + x->options.publishers) + message_offset;
    const instance *i = x->instances[e->slot];
    return i->members + (size_t)place_of(x, i, e) * x->options.member_bytes + member_offset;
}

static int scan_class(uint8_t class_)
{
    return class_ == TCF_CLASS_SCAN || class_ == TCF_CLASS_EXSCAN;
}

/* Room for the numbers of a scan's ranks; 0: out of memory. */
static int scan_ready(const exchange *x, instance *i)
{
    size_t n = (size_t)membership_size(&x->defs->comms[i->comm]) * x->options.publishers;
    if (!i->scan)
        i->scan = calloc(3 * n, sizeof *i->scan);
    if (!i->scan_any)
        i->scan_any = calloc(n, 1);
    return i->scan && i->scan_any;
}

void exchange_publish(exchange *x, const tcf_edge *e, uint32_t filter, uint64_t value)
{
    if (e->slot == NONE || e->channel == TCF_NONE)
        return;
    if (is_message(matcher_channel(x->m, e->channel))) {
        slot *s = slot_at(x, e->slot);
        s->value[filter] = value;
        s->published = (uint8_t)(s->published | 1u << (filter & 7));
        return;
    }
    instance *i = x->instances[e->slot];
    if (scan_class(e->class_)) {
        if (!scan_ready(x, i))
            return;
        size_t n = membership_size(&x->defs->comms[i->comm]);
        i->scan[filter * 3 * n + e->rank] = value;
        i->scan_any[filter * n + e->rank] |= 1;
        return;
    }
    cell *c = &i->cells[2 * filter + (e->reserved != 0)];
    if (c->n == 0 || value > c->latest[0]) {
        c->latest[1] = c->latest[0];
        c->latest[0] = value;
        c->latest_rank = e->rank;
    } else if (c->n == 1 || value > c->latest[1]) {
        c->latest[1] = value;
    }
    if (c->n == 0 || value < c->earliest[0]) {
        c->earliest[1] = c->earliest[0];
        c->earliest[0] = value;
        c->earliest_rank = e->rank;
    } else if (c->n == 1 || value < c->earliest[1]) {
        c->earliest[1] = value;
    }
    c->n++;
}

/* Largest and smallest number of the ranks before mine. The ranks before a ready target have all
 * published, so what is known of a prefix stays true and each rank is looked at once per instance and filter. */
static int ask_scan(const exchange *x, instance *i, const tcf_edge *e, uint32_t filter, int latest, uint64_t *value)
{
    if (!i->scan || !i->scan_any)
        return 0;
    size_t n = membership_size(&x->defs->comms[i->comm]);
    uint64_t *values = i->scan + filter * 3 * n, *best = values + (latest ? n : 2 * n);
    uint8_t *any = i->scan_any + filter * n;
    const uint8_t known = latest ? 2 : 4, found = latest ? 8 : 16; /* bits beside 1: a value */
    uint32_t r = e->rank < i->prefix ? e->rank : i->prefix, from = r;
    while (from > 0 && !(any[from] & known))
        from--;
    if (from == 0)
        any[0] |= known;
    for (; from < r; from++) { /* best[from] is known: make best[from + 1] */
        int has = (any[from] & found) != 0, here = any[from] & 1;
        best[from + 1] = !here || (has && (latest ? best[from] > values[from] : best[from] < values[from]))
                             ? best[from]
                             : values[from];
        any[from + 1] = (uint8_t)(any[from + 1] | known | (has || here ? found : 0));
    }
    *value = best[r];
    return (any[r] & found) != 0;
}

int exchange_ask(exchange *x, const tcf_edge *e, uint32_t filter, int latest, uint64_t *value)
{
    if (e->slot == NONE || e->channel == TCF_NONE)
        return 0;
    if (is_message(matcher_channel(x->m, e->channel))) {
        const slot *s = slot_at(x, e->slot);
        if (!(s->published >> (filter & 7) & 1))
            return 0;
        *value = s->value[filter];
        return 1;
    }
    instance *i = x->instances[e->slot];
    if (scan_class(e->class_))
        return ask_scan(x, i, e, filter, latest, value);
    int found = 0;
    for (int side = 0; side < 2; side++) {
        const cell *c = &i->cells[2 * filter + (uint32_t)side];
        int mine = side == (e->reserved != 0);
        if (c->n == 0 || (x->defs->comms[i->comm].inter && mine))
            continue;
        int own = mine && (latest ? c->latest_rank : c->earliest_rank) == e->rank;
        if (own && c->n == 1)
            continue;
        uint64_t best = latest ? c->latest[own] : c->earliest[own];
        if (!found || (latest ? best > *value : best < *value))
            *value = best, found = 1;
    }
    return found;
}

void exchange_answer_sources(exchange *x, const tcf_edge *e, uint64_t value)
{
    (void)x, (void)e, (void)value;
}

int exchange_answered(const exchange *x, const tcf_edge *e, uint64_t *value)
{
    (void)x, (void)e;
    *value = UINT64_MAX;
    return 1;
}

const exchange_counts *exchange_get_counts(const exchange *x)
{
    return &x->counts;
}
