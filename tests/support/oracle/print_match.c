/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle match`: the matching as text. Every section starts with a header line that begins with '#'; lines are sorted
 * by location id and index, or by sequence, so that two runs and two implementations can be compared with diff. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const op_names[] = {
    "BARRIER",
    "BCAST",
    "GATHER",
    "GATHERV",
    "SCATTER",
    "SCATTERV",
    "ALLGATHER",
    "ALLGATHERV",
    "ALLTOALL",
    "ALLTOALLV",
    "ALLTOALLW",
    "ALLREDUCE",
    "REDUCE",
    "REDUCE_SCATTER",
    "SCAN",
    "EXSCAN",
    "REDUCE_SCATTER_BLOCK",
    "CREATE_HANDLE",
    "DESTROY_HANDLE",
    "ALLOCATE",
    "DEALLOCATE",
    "CREATE_HANDLE_AND_ALLOCATE",
    "DESTROY_HANDLE_AND_DEALLOCATE",
};

static uint64_t location_id(const struct o_matching *m, size_t l)
{
    return m->trace->location[l].def.id;
}

/* ",location,index", empty where there is no such event */
static void print_event(const struct o_matching *m, size_t l, size_t e)
{
    if (e == O_NONE)
        fputs(",,", stdout);
    else
        printf(",%" PRIu64 ",%zu", location_id(m, l), e);
}

static void print_index(size_t e)
{
    if (e == O_NONE)
        putchar(',');
    else
        printf(",%zu", e);
}

static void print_time(const struct o_matching *m, size_t l, size_t e)
{
    if (e == O_NONE)
        putchar(',');
    else
        printf(",%" PRIu64, o_time(m->trace, l, e));
}

static void print_rank(uint32_t rank)
{
    if (rank == O_NO_RANK)
        putchar(',');
    else
        printf(",%" PRIu32, rank);
}

/* ---- messages ---- */

/* A message with the location ids that it is sorted by. */
struct message_line {
    int kind;
    uint64_t location;
    size_t index;
    const struct o_message *message;
};

static int compare_messages(const void *a, const void *b)
{
    const struct message_line *x = a, *y = b;
    int order = (x->kind > y->kind) - (x->kind < y->kind);
    if (!order)
        order = o_compare_u64(x->location, y->location);
    return order ? order : o_compare_u64(x->index, y->index);
}

static void print_messages(const struct o_matching *m)
{
    static const char *const kinds[] = {"p2p", "send", "recv"};
    const struct o_message *message = m->messages.item;
    struct message_line *line = o_alloc(m->messages.n, sizeof *line);
    for (size_t i = 0; i < m->messages.n; i++) {
        bool sent = message[i].source != O_NONE;
        line[i].kind = !sent ? 2 : message[i].target == O_NONE ? 1 : 0;
        line[i].location = location_id(m, sent ? message[i].source_location : message[i].target_location);
        line[i].index = sent ? message[i].source : message[i].target;
        line[i].message = &message[i];
    }
    qsort(line, m->messages.n, sizeof *line, compare_messages);
    puts("#p2p|send|recv,comm,src_rank,dst_rank,tag,send_location,send_index,recv_location,recv_index,send_time,recv_"
         "time,"
         "trusted");
    for (size_t i = 0; i < m->messages.n; i++) {
        const struct o_message *p = line[i].message;
        printf("%s,", kinds[line[i].kind]);
        if (p->canon)
            o_print_comm(p->canon, p->process);
        else
            printf("%" PRIu64, p->comm);
        print_rank(p->source_rank);
        print_rank(p->target_rank);
        printf(",%" PRIu32, p->tag);
        print_event(m, p->source_location, p->source);
        print_event(m, p->target_location, p->target);
        print_time(m, p->source_location, p->source);
        print_time(m, p->target_location, p->target);
        printf(",%d\n", p->trusted && line[i].kind == 0);
    }
    free(line);
}

/* ---- collectives ---- */

static void print_root(uint32_t root)
{
    switch (root) {
    case OTF2_COLLECTIVE_ROOT_NONE:
        fputs(",NONE", stdout);
        break;
    case OTF2_COLLECTIVE_ROOT_SELF:
        fputs(",SELF", stdout);
        break;
    case OTF2_COLLECTIVE_ROOT_THIS_GROUP:
        fputs(",THIS_GROUP", stdout);
        break;
    default:
        printf(",%" PRIu32, root);
    }
}

static void print_members(const struct o_matching *m)
{
    const struct o_member *member = m->members.item;
    puts("#coll,comm,instance,op,root,rank,location,begin_index,end_index,begin_time,end_time,is_source,is_target");
    puts("#rma_coll,win,instance,op,root,rank,location,begin_index,end_index,begin_time,end_time,is_source,is_target");
    for (size_t i = 0; i < m->members.n; i++) {
        const struct o_member *p = &member[i];
        printf("%s,", p->rma ? "rma_coll" : "coll");
        if (!p->canon || p->rma)
            printf("%" PRIu64, p->id);
        else
            o_print_comm(p->canon, p->process);
        print_index(p->instance);
        if (p->op < sizeof op_names / sizeof *op_names)
            printf(",%s", op_names[p->op]);
        else
            printf(",%u", (unsigned)p->op);
        print_root(p->root);
        print_rank(p->rank);
        printf(",%" PRIu64, location_id(m, p->location));
        print_index(p->begin);
        print_index(p->end);
        print_time(m, p->location, p->begin);
        print_time(m, p->location, p->end);
        printf(",%d,%d\n", p->is_source, p->is_target);
    }
}

/* ---- threads ---- */

struct edge_line {
    enum o_class class;
    uint64_t source_location, target_location;
    const struct o_thread_edge *edge;
};

static int compare_edges(const void *a, const void *b)
{
    const struct edge_line *x = a, *y = b;
    int order = (x->class > y->class) - (x->class < y->class);
    if (!order)
        order = o_compare_u64(x->source_location, y->source_location);
    if (!order)
        order = o_compare_u64(x->edge->source, y->edge->source);
    if (!order)
        order = o_compare_u64(x->target_location, y->target_location);
    return order ? order : o_compare_u64(x->edge->target, y->edge->target);
}

static void print_thread_edges(const struct o_matching *m)
{
    const struct o_thread_edge *edge = m->thread_edges.item;
    struct edge_line *line = o_alloc(m->thread_edges.n, sizeof *line);
    for (size_t i = 0; i < m->thread_edges.n; i++)
        line[i] = (struct edge_line){edge[i].class, location_id(m, edge[i].source_location),
                                     location_id(m, edge[i].target_location), &edge[i]};
    qsort(line, m->thread_edges.n, sizeof *line, compare_edges);
    puts("#edge,class,src_location,src_index,dst_location,dst_index,src_time,dst_time");
    for (size_t i = 0; i < m->thread_edges.n; i++) {
        const struct o_thread_edge *p = line[i].edge;
        printf("edge,%s", o_class_names[p->class]);
        print_event(m, p->source_location, p->source);
        print_event(m, p->target_location, p->target);
        print_time(m, p->source_location, p->source);
        print_time(m, p->target_location, p->target);
        putchar('\n');
    }
    free(line);
}

static void print_barriers(const struct o_matching *m)
{
    const struct o_barrier *barrier = m->barriers.item;
    puts("#barrier,team,number,ordinal,location,enter_index,leave_index,enter_time,leave_time");
    for (size_t i = 0; i < m->barriers.n; i++) {
        const struct o_barrier *p = &barrier[i];
        printf("barrier,%" PRIu64 ",%zu,%zu,%" PRIu64, p->team, p->number, p->ordinal, location_id(m, p->location));
        print_index(p->enter);
        print_index(p->leave);
        print_time(m, p->location, p->enter);
        print_time(m, p->location, p->leave);
        putchar('\n');
    }
}

void o_print_match(const struct o_matching *m)
{
    print_messages(m);
    print_members(m);
    print_thread_edges(m);
    print_barriers(m);
}
