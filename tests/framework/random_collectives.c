/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See random_collectives.h. */
#include "random_collectives.h"

#include <otf2/OTF2_Events.h>
#include <string.h>

struct instance instances[COLLECTIVES];
struct location_ends at[MOST];

/* ----------------------------------------------------------------------------------------------- the expectation -- */

int expect(const struct instance *i, uint32_t me, uint64_t *value)
{
    int found = 0;
    for (uint32_t k = 0; k < i->n; k++) {
        int other_side = (k < i->n_a) != (me < i->n_a);
        if (k == me || !i->source[k] || (i->inter && !other_side) || (i->scan && k > me))
            continue;
        if (!found || i->begin[k] > *value)
            *value = i->begin[k];
        found = 1;
    }
    return found;
}

uint64_t first_dependent(const struct instance *i, uint32_t me)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t r = 0; r < i->n; r++) {
        int other_side = (r < i->n_a) != (me < i->n_a);
        int depends = i->source[me] && i->target[r] && r != me && (i->scan ? r > me : !i->inter || other_side);
        if (depends && i->end[r] < least)
            least = i->end[r];
    }
    return least;
}

/* ------------------------------------------------------------------------------------------------- the generator -- */

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

static const struct {
    uint8_t op;
    char kind; /* >: one to n, <: n to one, *: n to n, s: scan, u: unordered */
    uint8_t lengths;
} operations[] = {
    {OTF2_COLLECTIVE_OP_BARRIER, '*', 0},       {OTF2_COLLECTIVE_OP_BCAST, '>', 0},
    {OTF2_COLLECTIVE_OP_GATHER, '<', 0},        {OTF2_COLLECTIVE_OP_GATHERV, '<', 1},
    {OTF2_COLLECTIVE_OP_SCATTER, '>', 0},       {OTF2_COLLECTIVE_OP_SCATTERV, '>', 1},
    {OTF2_COLLECTIVE_OP_ALLGATHER, '*', 0},     {OTF2_COLLECTIVE_OP_ALLGATHERV, '*', 1},
    {OTF2_COLLECTIVE_OP_ALLTOALL, '*', 0},      {OTF2_COLLECTIVE_OP_ALLTOALLV, '*', 1},
    {OTF2_COLLECTIVE_OP_ALLTOALLW, '*', 1},     {OTF2_COLLECTIVE_OP_ALLREDUCE, '*', 0},
    {OTF2_COLLECTIVE_OP_REDUCE, '<', 0},        {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, '*', 1},
    {OTF2_COLLECTIVE_OP_SCAN, 's', 0},          {OTF2_COLLECTIVE_OP_EXSCAN, 's', 0},
    {OTF2_COLLECTIVE_OP_CREATE_HANDLE, 'u', 0},
};

struct world {
    tcfh *h;
    uint64_t clock[MOST];
    uint32_t events[MOST];
    struct { /* a non-blocking collective of the location that is not complete yet */
        int open;
        uint32_t instance, rank;
        tcf_ev_non_blocking_collective_complete record;
    } pending[MOST];
    int blocking; /* nothing else */
    uint32_t comms;
    struct {
        uint32_t comm, n_a, n_b, member[MOST];
        int inter;
    } comm[8];
};

static uint64_t tick(struct world *w, uint32_t location)
{
    w->events[location]++;
    return w->clock[location] += draw(20);
}

static void note_end(struct world *w, uint32_t location, uint32_t instance, uint32_t rank)
{
    uint32_t k = at[location].n++;
    at[location].instance[k] = instance;
    at[location].rank[k] = rank;
    instances[instance].end_event[rank] = w->events[location];
}

static void complete_pending(struct world *w, uint32_t location)
{
    if (!w->pending[location].open)
        return;
    note_end(w, location, w->pending[location].instance, w->pending[location].rank);
    instances[w->pending[location].instance].end[w->pending[location].rank] = tick(w, location);
    tcfh_event(w->h, location, w->clock[location], TCF_NON_BLOCKING_COLLECTIVE_COMPLETE, &w->pending[location].record);
    w->pending[location].open = 0;
}

/* Who gives and who takes, by the definition of each operation. */
static void give_and_take(struct instance *i, uint32_t r, char kind, uint32_t root, int lengths, uint64_t *sent,
                          uint64_t *received)
{
    int root_side = root < i->n_a, my_side = r < i->n_a;
    int is_root = r == root, other = i->inter ? root_side != my_side : !is_root;
    int source = kind == '*' || (kind == '>' && is_root) || (kind == '<' && other);
    int target = kind == '*' || (kind == '>' && other) || (kind == '<' && is_root);
    if (kind == 's') {
        source = r + 1 < i->n;
        target = r > 0;
    }
    *sent = lengths && draw(3) == 0 ? 0 : 8;
    *received = lengths && draw(3) == 0 ? 0 : 8;
    i->source[r] = (uint8_t)(source && (!lengths || *sent > 0));
    i->target[r] = (uint8_t)(target && (!lengths || *received > 0));
}

static uint32_t root_as_recorded(const struct instance *i, uint32_t r, uint32_t root)
{
    if (!i->inter)
        return root;
    if ((root < i->n_a) != (r < i->n_a))
        return root < i->n_a ? root : root - i->n_a;
    return r == root ? OTF2_COLLECTIVE_ROOT_SELF : OTF2_COLLECTIVE_ROOT_THIS_GROUP;
}

static void add_collective(struct world *w, uint32_t number)
{
    struct instance *i = &instances[number];
    uint32_t c = draw(w->comms), o, n = w->comm[c].n_a + w->comm[c].n_b, root = draw(n);
    do
        o = draw(sizeof operations / sizeof operations[0]);
    while (w->comm[c].inter && operations[o].kind == 's');
    int blocking = w->blocking || draw(3);
    *i = (struct instance){.n = n,
                           .n_a = w->comm[c].n_a,
                           .op = operations[o].op,
                           .inter = (uint8_t)w->comm[c].inter,
                           .scan = operations[o].kind == 's',
                           .to_all = operations[o].kind == '*' && !operations[o].lengths};
    for (uint32_t r = 0; r < n; r++) {
        uint32_t l = i->member[r] = w->comm[c].member[r];
        uint64_t sent, received;
        give_and_take(i, r, operations[o].kind, root, operations[o].lengths, &sent, &received);
        uint32_t recorded = root_as_recorded(i, r, root);
        at[l].begun[at[l].n_begun] = number;
        at[l].begun_rank[at[l].n_begun++] = r;
        if (draw(2))
            tcfh_enter(w->h, l, tick(w, l), 0);
        if (blocking || w->pending[l].open) {
            tcfh_collective_begin(w->h, l, i->begin[r] = tick(w, l));
            if (draw(2))
                complete_pending(w, l);
            note_end(w, l, number, r);
            tcfh_collective_end(w->h, l, i->end[r] = tick(w, l),
                                (tcf_ev_mpi_collective_end){i->op, w->comm[c].comm, recorded, sent, received});
            continue;
        }
        tcfh_event(w->h, l, i->begin[r] = tick(w, l), TCF_NON_BLOCKING_COLLECTIVE_REQUEST,
                   &(tcf_ev_non_blocking_collective_request){77});
        w->pending[l].open = 1;
        w->pending[l].instance = number;
        w->pending[l].rank = r;
        w->pending[l].record =
            (tcf_ev_non_blocking_collective_complete){i->op, w->comm[c].comm, recorded, sent, received, 77};
    }
}

static void add_comm(struct world *w, const char *name, uint32_t n_a, const uint32_t *a, uint32_t n_b,
                     const uint32_t *b)
{
    uint32_t k = w->comms++;
    w->comm[k].inter = n_b > 0;
    w->comm[k].n_a = n_a;
    w->comm[k].n_b = n_b;
    for (uint32_t i = 0; i < n_a + n_b; i++)
        w->comm[k].member[i] = i < n_a ? a[i] : b[i - n_a];
    w->comm[k].comm = !name ? 0 : n_b ? tcfh_inter_comm(w->h, name, n_a, a, n_b, b) : tcfh_comm(w->h, name, n_a, a);
}

void random_collectives(tcfh *h, uint64_t seed, uint32_t n, int blocking)
{
    static const uint32_t all[] = {0, 1, 2, 3, 4, 5}, some[] = {4, 1, 5}, one[] = {3};
    static const uint32_t left[] = {2, 0}, right[] = {3, 5, 1};
    struct world w = {.h = h, .blocking = blocking};
    memset(at, 0, sizeof at);
    random_state = seed;
    tcfh_processes(h, 6, 1);
    tcfh_region(h, "work");
    add_comm(&w, NULL, 6, all, 0, NULL);
    add_comm(&w, "some", 3, some, 0, NULL);
    add_comm(&w, "inter", 2, left, 3, right);
    add_comm(&w, "one", 1, one, 0, NULL);
    add_comm(&w, "reverse", 1, one, 2, left);
    for (uint32_t l = 0; l < 6; l++)
        w.clock[l] = draw(2000);
    for (uint32_t k = 0; k < n; k++)
        add_collective(&w, k);
    for (uint32_t l = 0; l < 6; l++)
        complete_pending(&w, l);
}
