/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Waits at collective operations, MPI_Init and MPI_Finalize, windows: every member of a complete instance looks at all
 * others. */
#include "waits.h"

#include <stdlib.h>
#include <string.h>

/* A member, as far as waits go. */
struct party {
    size_t location, end;
    struct o_spot in, out; /* the calls in which it began and ended; time of in: of the call's enter */
    uint64_t begin, finish, received;
    bool has_begun, is_source, is_target;
    uint8_t side;
    uint32_t rank;
};

struct operation {
    struct o_waits *w;
    const struct party *party;
    size_t n;
    const char *wait, *completion; /* NULL: none */
    bool lower_ranks, inter, unordered, non_blocking;
};

static bool depends(const struct operation *o, const struct party *on, const struct party *who)
{
    if (!on->is_source || !on->has_begun)
        return false;
    if (o->lower_ranks)
        return on->rank < who->rank;
    return !o->inter || on->side != who->side;
}

/* The last to enter of those that a member depends on (itself included, where it is one), the first of equals. */
static const struct party *last_of(const struct operation *o, const struct party *who, uint64_t *latest_begin)
{
    const struct party *last = NULL;
    *latest_begin = 0;
    for (size_t i = 0; i < o->n; i++) {
        const struct party *p = &o->party[i];
        if (!depends(o, p, who))
            continue;
        if (!last || p->in.time > last->in.time)
            last = p;
        *latest_begin = p->begin > *latest_begin ? p->begin : *latest_begin;
    }
    return last;
}

static const struct party *first_out(const struct operation *o, const struct party *who)
{
    const struct party *first = NULL;
    for (size_t i = 0; i < o->n; i++) {
        const struct party *p = &o->party[i];
        if (p->is_target && (!o->inter || p->side == who->side) && (!first || p->finish < first->finish))
            first = p;
    }
    return first;
}

static void completed(const struct operation *o, const struct party *who, const struct party *last, bool reversed)
{
    const struct party *first = first_out(o, who);
    uint64_t since = first->finish > last->in.time ? first->finish : last->in.time;
    since = since > who->out.time ? since : who->out.time;
    struct o_wait wait = {.pattern = o->completion,
                          .location = who->location,
                          .call = who->out.call,
                          .from = since,
                          .length = who->finish > since ? who->finish - since : 0,
                          .cause = first->out,
                          .reversed = reversed};
    wait.cause.time = first->finish;
    if (o->completion)
        o_add_wait(o->w, &wait);
}

static void judge(const struct operation *o, const struct party *who, int relation)
{
    uint64_t latest_begin;
    const struct party *last = last_of(o, who, &latest_begin);
    if (!who->is_target || !last)
        return;
    bool reversed = !o->unordered && latest_begin > who->finish;
    o->w->targets[relation] += !o->unordered;
    o->w->reversed[relation] += reversed;
    uint64_t until = last->in.time < who->finish ? last->in.time : who->finish;
    struct o_wait wait = {.pattern = o->wait,
                          .location = who->location,
                          .call = who->out.call,
                          .from = who->out.time,
                          .length = until > who->out.time ? until - who->out.time : 0,
                          .cause = last->in,
                          .bytes = who->received,
                          .reversed = reversed};
    if (!o->unordered)
        *(struct o_receipt *)o_push(&o->w->receipts, sizeof(struct o_receipt)) =
            (struct o_receipt){who->location, who->out.call, last->in, who->received};
    if (o->wait && !o->non_blocking)
        o_add_wait(o->w, &wait);
    if (!o->non_blocking)
        completed(o, who, last, reversed);
}

/* ---- recorded operations ---- */

static struct party party_of(const struct o_waits *w, const struct o_member *x)
{
    struct party p = {.location = x->location,
                      .end = x->end,
                      .out = o_spot(w, x->location, x->end),
                      .side = x->side,
                      .rank = x->rank,
                      .finish = o_event_time(w, x->location, x->end),
                      .received = x->rma ? 0 : x->received,
                      .has_begun = x->begin != O_NONE,
                      .is_source = x->is_source,
                      .is_target = x->is_target};
    if (p.has_begun) {
        p.in = o_spot(w, x->location, x->begin);
        p.begin = o_event_time(w, x->location, x->begin);
    }
    return p;
}

static const char *wait_name(const struct o_member *x)
{
    switch (x->op) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return x->rma ? "mpi_rma_wait_at_fence" : "mpi_barrier_wait";
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return "mpi_latebroadcast";
    case OTF2_COLLECTIVE_OP_REDUCE:
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
        return "mpi_earlyreduce";
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return "mpi_earlyscan";
    default:
        return "mpi_wait_nxn";
    }
}

static bool ends_non_blocking(const struct o_waits *w, const struct o_member *x)
{
    return w->m->trace->location[x->location].event[x->end].kind == O_NON_BLOCKING_COLLECTIVE_COMPLETE;
}

/* Windows: making and freeing them is unordered, and still everybody waits for everybody. */
static const char *window_wait(const struct o_waits *w, const struct party *p)
{
    const struct o_call *c = o_call(w, p->location, p->out.call);
    char buffer[32];
    const char *name = c ? o_region_name(w->m->trace, c->region, buffer) : "";
    if (!strncmp(name, "MPI_Win_allocate", 16) || !strcmp(name, "MPI_Win_create"))
        return "mpi_rma_wait_at_create";
    return !strcmp(name, "MPI_Win_free") ? "mpi_rma_wait_at_free" : NULL;
}

size_t o_members_of(const struct o_canon *canon)
{
    return canon->self ? 1 : canon->side[0].n + (canon->inter ? canon->side[1].n : 0);
}

static bool is_constrained(const struct o_member *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i].is_source || x[i].is_target)
            return true;
    return false;
}

/* All go through it together. */
static bool is_meeting(const struct operation *o)
{
    return o->wait && (!strcmp(o->wait, "mpi_barrier_wait") || !strcmp(o->wait, "mpi_wait_nxn") ||
                       !strcmp(o->wait, "mpi_rma_wait_at_fence"));
}

/* Begin and end are in one call, or both directly in a region. */
static bool are_one(const struct o_waits *w, const struct party *p)
{
    const struct o_call *in = o_call(w, p->location, p->in.call), *out = o_call(w, p->location, p->out.call);
    return p->in.call == p->out.call || (in && out && in->bare && out->bare && in->parent == out->parent);
}

/* Members that give nothing and get nothing meet nobody. */
static void meet(const struct operation *o)
{
    const struct party *p = o->party;
    o->w->operations++;
    for (size_t i = 0; i < o->n; i++)
        if (p[i].has_begun && (p[i].is_source || p[i].is_target) && are_one(o->w, &p[i]) &&
            p[i].in.time == p[i].out.time)
            o_add_meeting(o->w, p[i].location, p[i].out.call, p[i].in.time,
                          p[i].out.call == O_NONE ? p[i].finish : o_call(o->w, p[i].location, p[i].out.call)->leave);
}

static void judge_instance(struct o_waits *w, const struct o_member *x, size_t n)
{
    struct party *party = o_alloc(n, sizeof *party);
    struct operation o = {.w = w, .party = party, .n = n, .inter = x->canon->inter, .unordered = !is_constrained(x, n)};
    o.lower_ranks = x->op == OTF2_COLLECTIVE_OP_SCAN || x->op == OTF2_COLLECTIVE_OP_EXSCAN;
    for (size_t i = 0; i < n; i++)
        party[i] = party_of(w, &x[i]);
    for (size_t i = 0; i < n; i++) {
        o.non_blocking = ends_non_blocking(w, &x[i]);
        o.wait = o.unordered ? NULL : wait_name(&x[i]);
        o.completion = x->rma || o.unordered || !o.wait      ? NULL
                       : !strcmp(o.wait, "mpi_barrier_wait") ? "mpi_barrier_completion"
                       : !strcmp(o.wait, "mpi_wait_nxn")     ? "mpi_nxn_completion"
                                                             : NULL;
        judge(&o, &party[i], 1);
    }
    if (is_meeting(&o))
        meet(&o);
    for (size_t i = 0; i < n && o.unordered && x->rma; i++)
        for (size_t k = 0; k < n; k++)
            party[k].is_source = party[k].is_target = true;
    for (size_t i = 0; i < n && o.unordered && x->rma; i++) {
        o.wait = window_wait(w, &party[i]);
        judge(&o, &party[i], 1);
    }
    free(party);
}

bool o_same_instance(const struct o_member *a, const struct o_member *b)
{
    return a->rma == b->rma && a->sequence == b->sequence && a->process == b->process && a->canon == b->canon &&
           a->instance == b->instance;
}

/* ---- non-blocking ones: by the call that completes them ---- */

/* The instance of a member: where it starts, and how many. */
static const struct o_member *instance_of(const struct o_waits *w, const struct o_member *x, size_t *n)
{
    const struct o_member *all = w->m->members.item, *first = x, *end = x;
    while (first > all && o_same_instance(first - 1, x))
        first--;
    while (end < all + w->m->members.n && o_same_instance(end, x))
        end++;
    *n = (size_t)(end - first);
    return first;
}

/* The latest sender that a call waits for; its enter where there is none. */
static uint64_t after_messages(const struct o_waits *w, size_t l, size_t call)
{
    const struct o_wait *x = w->found.item;
    for (size_t i = 0; i < w->found.n; i++)
        if (x[i].location == l && x[i].call == call && !strcmp(x[i].pattern, "mpi_latesender"))
            return x[i].from + x[i].length;
    return o_call(w, l, call)->enter;
}

static int order_of(const char *pattern)
{
    static const char *const patterns[] = {"mpi_barrier_wait", "mpi_earlyreduce", "mpi_earlyscan", "mpi_latebroadcast",
                                           "mpi_wait_nxn"};
    for (int i = 0; i < 5; i++)
        if (!strcmp(pattern, patterns[i]))
            return i;
    return 5;
}

static bool is_rather(const struct o_wait *a, const struct o_wait *b)
{
    if (a->length != b->length)
        return a->length > b->length;
    if (a->cause.time != b->cause.time)
        return a->cause.time > b->cause.time;
    if (a->cause.location != b->cause.location)
        return a->cause.location < b->cause.location;
    return order_of(a->pattern) < order_of(b->pattern);
}

/* What completing one operation means for its call. */
static struct o_wait wait_for(struct o_waits *w, const struct o_member *x)
{
    size_t n;
    const struct o_member *first = instance_of(w, x, &n);
    struct o_wait wait = {.pattern = wait_name(x), .location = x->location, .call = w->of_event[x->location][x->end]};
    const struct o_call *c = o_call(w, x->location, wait.call);
    if (!c || !x->is_target || n < o_members_of(x->canon) || o_only_tests(w, x->location, wait.call))
        return wait;
    struct party *party = o_alloc(n, sizeof *party);
    for (size_t i = 0; i < n; i++)
        party[i] = party_of(w, &first[i]);
    struct operation o = {.w = w,
                          .party = party,
                          .n = n,
                          .inter = x->canon->inter,
                          .lower_ranks = x->op == OTF2_COLLECTIVE_OP_SCAN || x->op == OTF2_COLLECTIVE_OP_EXSCAN};
    uint64_t latest_begin;
    const struct party *last = last_of(&o, &party[x - first], &latest_begin);
    wait.from = after_messages(w, x->location, wait.call);
    if (last && last->in.time > wait.from && c->leave > wait.from) {
        wait.length = (last->in.time < c->leave ? last->in.time : c->leave) - wait.from;
        wait.cause = last->in;
        wait.reversed = latest_begin > party[x - first].finish;
        wait.bytes = party[x - first].received;
    }
    free(party);
    return wait;
}

static void judge_completions(struct o_waits *w)
{
    const struct o_member *x = w->m->members.item;
    for (size_t i = 0; i < w->m->members.n; i++) {
        if (!x[i].canon || !ends_non_blocking(w, &x[i]))
            continue;
        struct o_wait best = wait_for(w, &x[i]);
        bool first = best.call != O_NONE;
        for (size_t k = 0; k < w->m->members.n && first; k++) {
            if (k == i || !x[k].canon || !ends_non_blocking(w, &x[k]) || x[k].location != x[i].location ||
                w->of_event[x[k].location][x[k].end] != best.call)
                continue;
            if (k < i)
                first = false;
            struct o_wait other = wait_for(w, &x[k]);
            bool reversed = best.reversed;
            if (other.length > 0 && is_rather(&other, &best))
                best = other;
            else if (other.length > 0 && !is_rather(&best, &other)) {
                best.reversed = reversed || other.reversed;
                best.bytes = other.bytes > best.bytes ? other.bytes : best.bytes;
            }
        }
        if (first)
            o_add_wait(w, &best);
    }
}

/* ---- MPI_Init and MPI_Finalize ---- */

static bool is_program(const struct o_waits *w, size_t l, size_t call, bool finalize)
{
    char buffer[32];
    const char *name = o_region_name(w->m->trace, o_call(w, l, call)->region, buffer);
    return finalize ? !strcmp(name, "MPI_Finalize") : !strcmp(name, "MPI_Init") || !strcmp(name, "MPI_Init_thread");
}

static const struct o_canon *world_of(const struct o_waits *w)
{
    const struct o_canon *world = NULL;
    for (size_t i = 0; i < w->m->comms.n; i++) {
        const struct o_canon *c = &w->m->comms.canon[i];
        const struct o_comm *comm = (const struct o_comm *)w->m->trace->comms.item + i;
        const struct o_group *g = o_find(&w->m->trace->groups, sizeof *g, comm->group[0]);
        if (w->m->comms.class_of[i] == i && c->resolved && !c->self && !c->inter && g &&
            g->paradigm == OTF2_PARADIGM_MPI && (!world || c->side[0].n > world->side[0].n))
            world = c;
    }
    return world;
}

/* The first such call of a rank's process. */
static bool program_party(const struct o_waits *w, uint64_t member, bool finalize, struct party *p)
{
    const struct o_trace *trace = w->m->trace;
    for (size_t l = 0; l < trace->n_locations; l++) {
        if (trace->location[l].def.id != member)
            continue;
        for (size_t i = 0; i < w->calls[l].n; i++) {
            const struct o_call *c = o_call(w, l, i);
            const struct o_event *last = &trace->location[l].event[c->last];
            uint64_t region;
            if (!is_program(w, l, i, finalize) || !o_region_of(trace, last, &region) || region != c->region ||
                (last->kind != O_LEAVE && last->kind != O_CALLING_CONTEXT_LEAVE))
                continue;
            *p = (struct party){.location = l,
                                .in = {l, i, c->enter},
                                .out = {l, i, c->enter},
                                .begin = c->enter,
                                .finish = c->leave,
                                .has_begun = true,
                                .is_source = true,
                                .is_target = true};
            return true;
        }
    }
    return false;
}

bool o_program_calls(const struct o_waits *w, bool finalize, struct o_list *calls)
{
    const struct o_canon *world = world_of(w);
    size_t n = world ? world->side[0].n : 0;
    struct party p;
    for (size_t i = 0; i < n; i++)
        if (program_party(w, world->side[0].member[i], finalize, &p))
            *(struct o_spot *)o_push(calls, sizeof(struct o_spot)) = p.in;
    return n > 0 && calls->n == n;
}

static void judge_program(struct o_waits *w, bool finalize)
{
    const struct o_canon *world = world_of(w);
    size_t n = world ? world->side[0].n : 0, there = 0;
    struct party *party = o_alloc(n + 1, sizeof *party);
    for (size_t i = 0; i < n; i++)
        there += program_party(w, world->side[0].member[i], finalize, &party[i]);
    struct operation o = {.w = w,
                          .party = party,
                          .n = n,
                          .wait = finalize ? "mpi_finalize_wait" : NULL,
                          .completion = finalize ? NULL : "mpi_init_completion",
                          .unordered = true};
    for (size_t i = 0; i < n && there == n; i++)
        judge(&o, &party[i], 1);
    if (n > 0 && there == n)
        meet(&o);
    free(party);
}

void o_find_collective_waits(struct o_waits *w)
{
    const struct o_member *x = w->m->members.item;
    for (size_t i = 0, n; i < w->m->members.n; i += n) {
        for (n = 1; i + n < w->m->members.n && o_same_instance(&x[i], &x[i + n]);)
            n++;
        if (x[i].canon && n == o_members_of(x[i].canon))
            judge_instance(w, &x[i], n);
    }
    judge_completions(w);
    judge_program(w, false);
    judge_program(w, true);
}
