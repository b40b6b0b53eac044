/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle traffic`: who sends how much to whom (D19 of oracle.h), by process or by location. All records are listed
 * with both of their ends, sorted, and summed up. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>

#define NOBODY UINT64_MAX

/* A send, a receive, a one-sided operation (FETCH: what an atomic one brings back), or a location's part in a
 * collective one. */
struct record {
    enum { SEND, RECEIVE, PUT, GET, ATOMIC, FETCH, COLLECTIVE } what;
    uint64_t from, to; /* both ends; of a collective: who takes part, and the operation */
    uint64_t sent, received;
};

static bool is_at_receiver(const struct record *r)
{
    return r->what == RECEIVE || r->what == GET || r->what == FETCH;
}

struct traffic {
    const struct o_trace *trace;
    struct o_comms comms;
    bool by_location;
    struct o_processes processes;
    size_t *end; /* by location: the first one of the same end */
    struct o_list records;
};

static size_t location_with(const struct o_trace *trace, uint64_t id)
{
    for (size_t l = 0; l < trace->n_locations; l++)
        if (trace->location[l].def.id == id)
            return l;
    return O_NONE;
}

static void find_ends(struct traffic *t)
{
    t->end = o_alloc(t->trace->n_locations + 1, sizeof *t->end);
    for (size_t l = 0; l < t->trace->n_locations; l++)
        t->end[l] = t->by_location ? l : t->processes.first[l];
}

static uint64_t end_of_location(const struct traffic *t, size_t l)
{
    return l == O_NONE ? NOBODY : t->end[l];
}

/* Whom a record of location l means by a rank. */
static uint64_t partner(const struct traffic *t, size_t l, uint64_t comm, uint64_t rank)
{
    const struct o_comm *def = o_find(&t->trace->comms, sizeof *def, comm);
    if (!def)
        return NOBODY;
    const struct o_canon *c = &t->comms.canon[t->comms.class_of[def - (const struct o_comm *)t->trace->comms.item]];
    if (!c->resolved)
        return NOBODY;
    if (c->self) {
        if (rank > 0)
            return NOBODY;
        if (!t->by_location)
            return end_of_location(t, l);
        return c->world.rank[l] == O_NO_RANK ? NOBODY : location_with(t->trace, c->world.member[c->world.rank[l]]);
    }
    size_t side = 0;
    if (c->inter) {
        if (c->side[0].rank[l] == O_NO_RANK && c->side[1].rank[l] == O_NO_RANK)
            return NOBODY;
        side = c->side[0].rank[l] != O_NO_RANK ? 1 : 0;
    }
    return rank < c->side[side].n ? end_of_location(t, location_with(t->trace, c->side[side].member[rank])) : NOBODY;
}

static uint64_t target(const struct traffic *t, size_t l, const struct o_event *e)
{
    const struct o_win *win = o_find(&t->trace->wins, sizeof *win, e->field[0]);
    return win ? partner(t, l, win->comm, e->field[1]) : NOBODY;
}

static void add_event(struct traffic *t, size_t l, const struct o_event *e)
{
    uint64_t me = end_of_location(t, l);
    struct record r = {.from = me, .to = me};
    switch (e->kind) {
    case O_MPI_SEND:
    case O_MPI_ISEND:
        r.what = SEND;
        r.to = partner(t, l, e->field[1], e->field[0]);
        r.sent = e->field[3];
        break;
    case O_MPI_RECV:
    case O_MPI_IRECV:
        r.what = RECEIVE;
        r.from = partner(t, l, e->field[1], e->field[0]);
        r.received = e->field[3];
        break;
    case O_RMA_PUT:
        r.what = PUT;
        r.to = target(t, l, e);
        r.sent = e->field[2];
        break;
    case O_RMA_GET:
        r.what = GET;
        r.from = target(t, l, e);
        r.received = e->field[2];
        break;
    case O_RMA_ATOMIC:
        r.what = ATOMIC;
        r.to = target(t, l, e);
        r.sent = e->field[3];
        *(struct record *)o_push(&t->records, sizeof r) = r;
        r = (struct record){.what = FETCH, .from = r.to, .to = me, .received = e->field[4]};
        if (r.received == 0)
            return;
        break;
    case O_MPI_COLLECTIVE_END:
    case O_NON_BLOCKING_COLLECTIVE_COMPLETE:
        r.what = COLLECTIVE;
        r.to = e->field[0];
        r.sent = e->field[3];
        r.received = e->field[4];
        break;
    default:
        return;
    }
    *(struct record *)o_push(&t->records, sizeof r) = r;
}

static int compare(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    int order = (x->what == COLLECTIVE) - (y->what == COLLECTIVE);
    if (!order)
        order = o_compare_u64(x->from, y->from);
    return order ? order : o_compare_u64(x->to, y->to);
}

/* Of records [from, to): the sums of those of a kind. */
static void sum(const struct record *r, size_t n, int what, uint64_t *count, uint64_t *sent, uint64_t *received)
{
    *count = *sent = *received = 0;
    for (size_t i = 0; i < n; i++)
        if ((int)r[i].what == what) {
            ++*count;
            *sent += r[i].sent;
            *received += r[i].received;
        }
}

static const char *operation_name(uint64_t op)
{
    static const char *const name[] = {
        [OTF2_COLLECTIVE_OP_BARRIER] = "BARRIER",
        [OTF2_COLLECTIVE_OP_BCAST] = "BCAST",
        [OTF2_COLLECTIVE_OP_GATHER] = "GATHER",
        [OTF2_COLLECTIVE_OP_GATHERV] = "GATHERV",
        [OTF2_COLLECTIVE_OP_SCATTER] = "SCATTER",
        [OTF2_COLLECTIVE_OP_SCATTERV] = "SCATTERV",
        [OTF2_COLLECTIVE_OP_ALLGATHER] = "ALLGATHER",
        [OTF2_COLLECTIVE_OP_ALLGATHERV] = "ALLGATHERV",
        [OTF2_COLLECTIVE_OP_ALLTOALL] = "ALLTOALL",
        [OTF2_COLLECTIVE_OP_ALLTOALLV] = "ALLTOALLV",
        [OTF2_COLLECTIVE_OP_ALLTOALLW] = "ALLTOALLW",
        [OTF2_COLLECTIVE_OP_ALLREDUCE] = "ALLREDUCE",
        [OTF2_COLLECTIVE_OP_REDUCE] = "REDUCE",
        [OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = "REDUCE_SCATTER",
        [OTF2_COLLECTIVE_OP_SCAN] = "SCAN",
        [OTF2_COLLECTIVE_OP_EXSCAN] = "EXSCAN",
        [OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = "REDUCE_SCATTER_BLOCK",
        [OTF2_COLLECTIVE_OP_CREATE_HANDLE] = "CREATE_HANDLE",
        [OTF2_COLLECTIVE_OP_DESTROY_HANDLE] = "DESTROY_HANDLE",
        [OTF2_COLLECTIVE_OP_ALLOCATE] = "ALLOCATE",
        [OTF2_COLLECTIVE_OP_DEALLOCATE] = "DEALLOCATE",
        [OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE] = "CREATE_HANDLE_AND_ALLOCATE",
        [OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE] = "DESTROY_HANDLE_AND_DEALLOCATE",
    };
    return op < sizeof name / sizeof *name && name[op] ? name[op] : "(unknown)";
}

/* Id and world rank. */
static void print_end_id(const struct traffic *t, uint64_t end)
{
    if (end == NOBODY)
        printf(",%" PRIu64 ",-1", UINT64_MAX);
    else
        printf(",%" PRIu64 ",%" PRId64, t->by_location ? t->trace->location[end].def.id : t->trace->location[end].group,
               t->processes.rank[end] == O_NONE ? -1 : (int64_t)t->processes.rank[end]);
}

/* Lines of pairs and of collective operations; those of an end follow from them. */
static void print_sorted(const struct traffic *t, const struct record *r, size_t n)
{
    for (size_t i = 0, end; i < n; i = end) {
        uint64_t count[2], sent, received, unused;
        for (end = i + 1; end < n && compare(&r[i], &r[end]) == 0;)
            end++;
        if (r[i].what == COLLECTIVE) {
            sum(&r[i], end - i, COLLECTIVE, &count[0], &sent, &received);
            printf("collective");
            print_end_id(t, r[i].from);
            printf(",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", operation_name(r[i].to), count[0], sent, received);
            continue;
        }
        sum(&r[i], end - i, SEND, &count[0], &sent, &unused);
        sum(&r[i], end - i, RECEIVE, &count[1], &unused, &received);
        printf("pair");
        print_end_id(t, r[i].from);
        print_end_id(t, r[i].to);
        printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, count[0], count[1], sent, received);
        sum(&r[i], end - i, PUT, &count[0], &sent, &unused);
        sum(&r[i], end - i, GET, &count[1], &unused, &received);
        printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, count[0], sent, count[1], received);
        sum(&r[i], end - i, ATOMIC, &count[0], &sent, &unused);
        sum(&r[i], end - i, FETCH, &count[1], &unused, &received);
        printf(",%" PRIu64 ",%" PRIu64 "\n", count[0], sent + received);
    }
}

/* An end's own records: what it sent, what it received, what it took part in. */
static void print_end(const struct traffic *t, uint64_t end, bool always)
{
    const struct record *r = t->records.item;
    uint64_t n[COLLECTIVE + 1] = {0}, sent[COLLECTIVE + 1] = {0}, received[COLLECTIVE + 1] = {0}, all = 0;
    for (size_t i = 0; i < t->records.n; i++) {
        if ((is_at_receiver(&r[i]) ? r[i].to : r[i].from) != end)
            continue;
        all++;
        n[r[i].what]++;
        sent[r[i].what] += r[i].sent;
        received[r[i].what] += r[i].received;
    }
    if (!always && all == 0)
        return;
    printf("process");
    print_end_id(t, end);
    for (int i = 0; i < 13; i++)
        printf(",%" PRIu64, (uint64_t[]){n[SEND], n[RECEIVE], sent[SEND], received[RECEIVE], n[COLLECTIVE],
                                         sent[COLLECTIVE], received[COLLECTIVE], n[PUT], sent[PUT], n[GET],
                                         received[GET], n[ATOMIC], sent[ATOMIC] + received[FETCH]}[i]);
    putchar('\n');
}

void o_print_traffic(const struct o_trace *trace, bool by_location)
{
    struct traffic t = {.trace = trace, .by_location = by_location};
    o_comms_build(trace, &t.comms);
    o_processes_build(trace, &t.processes);
    find_ends(&t);
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 0; e < trace->location[l].n; e++)
            add_event(&t, l, &trace->location[l].event[e]);
    if (t.records.n)
        qsort(t.records.item, t.records.n, sizeof(struct record), compare);
    puts("#pair,sender,rank,receiver,rank,sent,received,bytes_sent,bytes_received,puts,bytes,gets,bytes,atomics,bytes");
    puts("#collective,id,rank,operation,count,bytes_sent,bytes_received");
    puts("#process,id,rank,sent,received,bytes_sent,bytes_received,collectives,bytes_sent,bytes_received,puts,"
         "bytes,gets,bytes,atomics,bytes");
    print_sorted(&t, t.records.item, t.records.n);
    for (size_t l = 0; l < trace->n_locations; l++)
        if (t.end[l] == l)
            print_end(&t, l,
                      t.processes.rank[l] != O_NONE && (!by_location || t.processes.at[l] == t.processes.rank[l]));
    free(t.end);
    o_processes_free(&t.processes);
    o_comms_free(&t.comms);
    free(t.records.item);
}
