/* What crosses locations in a causal segment: the numbers and payloads of messages and collectives against what a whole
 * trace says, and what happens when something is missing or a cap is reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <stdlib.h>
#include <string.h>

#include "../harness.h"

enum { MOST = 8, COLLECTIVES = 600, SHIFT = 1000000 };

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

/* -------------------------------------------------------------------------------- collectives: the expectation -- */

/* An instance as the generator made it. Members by rank, of an inter-communicator those of group A first. */
struct instance {
    uint32_t n, n_a, member[MOST];
    uint64_t begin[MOST];
    uint32_t end_event[MOST]; /* number of its end in the location */
    uint64_t end[MOST];
    uint8_t source[MOST], target[MOST];
    uint8_t op, inter, scan, to_all, completed;
};

static struct instance instances[COLLECTIVES];

/* By location, its ends in their order. */
static struct {
    uint32_t instance[COLLECTIVES], rank[COLLECTIVES], n;
    uint32_t begun[COLLECTIVES], begun_rank[COLLECTIVES], n_begun; /* the same for begins */
    uint32_t seen_ends[2]; /* by instance of the filter */
    uint64_t processed;    /* events that both have seen */
} at[MOST];

static struct {
    uint64_t wrong, asked, completed, unmatched, early;
} saw;

/* The largest (smallest) begin that must precede the end of a member. 0: there is none. */
static int expect(const struct instance *i, uint32_t me, int latest, uint64_t *value)
{
    int found = 0;
    for (uint32_t k = 0; k < i->n; k++) {
        int other_side = (k < i->n_a) != (me < i->n_a);
        if (k == me || !i->source[k] || (i->inter && !other_side) || (i->scan && k > me))
            continue;
        if (!found || (latest ? i->begin[k] > *value : i->begin[k] < *value))
            *value = i->begin[k];
        found = 1;
    }
    return found;
}

/* --------------------------------------------------------------------------------------- collectives: filter -- */

struct member {
    uint64_t begin;
    uint32_t location, instance;
};

static void check_answer(tcf_self *self, const tcf_slice *s, const tcf_edge *e, const struct instance *i, uint32_t me,
                         uint64_t shift)
{
    uint64_t got = 0, wanted = 0;
    saw.asked++;
    int there = self->host->latest(self, s, e, &got), should = expect(i, me, 1, &wanted);
    saw.wrong += there != should || (there && got != wanted + shift);
    there = self->host->earliest(self, s, e, &got);
    should = expect(i, me, 0, &wanted);
    saw.wrong += there != should || (there && got != wanted + shift);
}

static void check_end(tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint64_t shift)
{
    uint32_t l = s->location, k = at[l].seen_ends[shift > 0]++, me = at[l].rank[k];
    const struct instance *i = &instances[at[l].instance[k]];
    struct member *mine = self->host->payload(self, s, e);
    saw.wrong += !mine || mine->begin != i->begin[me] || e->op != i->op || mine->location != l;
    saw.wrong += !(e->flags & TCF_EDGE_TARGET) != !i->target[me];
    saw.unmatched += (e->flags & TCF_EDGE_UNMATCHED) != 0;
    if (mine)
        mine->instance = at[l].instance[k];
    if (e->flags & TCF_EDGE_TARGET)
        check_answer(self, s, e, i, me, shift);
    /* With needs_ends everybody has come to the end. */
    for (uint32_t r = 0; i->to_all && i->target[me] && r < i->n; r++)
        saw.early += i->member[r] != l && at[i->member[r]].processed < i->end_event[r];
}

static tcf_status ask_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    uint64_t shift = strcmp(self->name, "shifted") == 0 ? SHIFT : 0;
    for (uint32_t i = from; i < to; i++) {
        const tcf_edge *e = tcf_edge_of(s, i);
        if (e && e->flags & TCF_EDGE_BEGIN) {
            struct member *mine = self->host->payload(self, s, e);
            saw.wrong += !mine || mine->begin || mine->location; /* zeroed */
            if (mine)
                *mine = (struct member){s->time[i], s->location, 0};
            if (e->flags & TCF_EDGE_SOURCE)
                self->host->publish(self, s, e, s->time[i] + shift);
        } else if (e && e->flags & TCF_EDGE_MEMBER) {
            check_end(self, s, e, shift);
        }
        if (shift == 0)
            at[s->location].processed++;
    }
    return TCF_OK;
}

static tcf_status ask_complete(tcf_self *self, const tcf_instance *shared)
{
    const struct member *first = (const struct member *)(const void *)shared->members;
    struct instance *i = &instances[first->instance];
    saw.wrong += shared->n_members != i->n || shared->n_arrived != i->n || shared->op != i->op;
    for (uint32_t r = 0; r < shared->n_members && r < i->n; r++) {
        const struct member *m = (const struct member *)(const void *)(shared->members + r * shared->stride);
        saw.wrong += m->location != i->member[r] || m->begin != i->begin[r] || m->instance != first->instance;
    }
    saw.completed++;
    saw.wrong += strcmp(self->name, "ask") == 0 && i->completed++ > 0;
    return TCF_OK;
}

static const tcf_filter ask = {
    TCF_FILTER_HEAD, .name = "ask", .version = "1", .summary = "Checks collectives",
    .member_bytes = sizeof(struct member), .span = ask_span, .collective_complete = ask_complete,
};

static const tcf_filter ask_ends = {
    TCF_FILTER_HEAD, .name = "ask_ends", .version = "1", .summary = "Checks collectives with all ends",
    .member_bytes = sizeof(struct member), .needs = TCF_NEEDS_ENDS, .span = ask_span,
    .collective_complete = ask_complete,
};

/* Behind the segment: holds some slices of each location, answers sources with the times of their targets. */
enum { HOLD = 512 };

static struct {
    tcf_slice *slice[HOLD];
    uint32_t head, tail;
    uint32_t begins; /* asked about */
    uint64_t complete, pending, wrong;
} holds[MOST];
static uint32_t patience; /* slices a location that are held */

/* The smallest time of an end that depends on rank me's begin, by the definition. */
static uint64_t first_dependent(const struct instance *i, uint32_t me)
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

static tcf_status let_go(tcf_self *self, uint32_t l)
{
    tcf_slice *s = holds[l].slice[holds[l].head++ % HOLD];
    for (uint32_t k = 0; k < s->n_edges; k++) {
        const tcf_edge *e = &s->edges[k];
        if (!(e->flags & TCF_EDGE_BEGIN))
            continue;
        const struct instance *i = &instances[at[l].begun[holds[l].begins]];
        uint32_t me = at[l].begun_rank[holds[l].begins++];
        uint64_t value, wanted = first_dependent(i, me);
        if (self->host->answered(self, s, e, &value)) {
            holds[l].complete++;
            holds[l].wrong += e->flags & TCF_EDGE_SOURCE && value != wanted;
        } else {
            holds[l].pending++;
            holds[l].wrong += e->flags & TCF_EDGE_SOURCE && value < wanted;
        }
    }
    return self->host->release(self, s);
}

static tcf_status hold_slice(tcf_self *self, tcf_slice *s)
{
    uint32_t l = s->location;
    for (uint32_t k = 0; k < s->n_edges; k++)
        if (s->edges[k].flags & TCF_EDGE_TARGET)
            self->host->answer(self, s, &s->edges[k], s->time[s->edges[k].pos]);
    holds[l].slice[holds[l].tail++ % HOLD] = s;
    while (holds[l].tail - holds[l].head > patience)
        if (let_go(self, l) != TCF_OK)
            return TCF_ERROR;
    return TCF_HELD;
}

static tcf_status hold_flush(tcf_self *self)
{
    for (uint32_t l = 0; l < MOST; l++)
        if (holds[l].tail > holds[l].head)
            return let_go(self, l);
    return TCF_OK;
}

static tcf_status hold_end(tcf_self *self)
{
    for (uint32_t l = 0; l < MOST; l++)
        while (holds[l].tail > holds[l].head)
            if (let_go(self, l) != TCF_OK)
                return TCF_ERROR;
    return TCF_OK;
}

static const tcf_filter holder = {
    TCF_FILTER_HEAD, .name = "holder", .version = "1", .summary = "Answers", .needs = TCF_ANSWERS | TCF_HOLDS,
    .slice = hold_slice, .flush = hold_flush, .end = hold_end,
};

/* ------------------------------------------------------------------------------------ collectives: generator -- */

static const struct {
    uint8_t op;
    char kind; /* >: one to n, <: n to one, *: n to n, s: scan, u: unordered */
    uint8_t lengths;
} operations[] = {
    {OTF2_COLLECTIVE_OP_BARRIER, '*', 0},    {OTF2_COLLECTIVE_OP_BCAST, '>', 0},
    {OTF2_COLLECTIVE_OP_GATHER, '<', 0},     {OTF2_COLLECTIVE_OP_GATHERV, '<', 1},
    {OTF2_COLLECTIVE_OP_SCATTER, '>', 0},    {OTF2_COLLECTIVE_OP_SCATTERV, '>', 1},
    {OTF2_COLLECTIVE_OP_ALLGATHER, '*', 0},  {OTF2_COLLECTIVE_OP_ALLGATHERV, '*', 1},
    {OTF2_COLLECTIVE_OP_ALLTOALL, '*', 0},   {OTF2_COLLECTIVE_OP_ALLTOALLV, '*', 1},
    {OTF2_COLLECTIVE_OP_ALLTOALLW, '*', 1},  {OTF2_COLLECTIVE_OP_ALLREDUCE, '*', 0},
    {OTF2_COLLECTIVE_OP_REDUCE, '<', 0},     {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, '*', 1},
    {OTF2_COLLECTIVE_OP_SCAN, 's', 0},       {OTF2_COLLECTIVE_OP_EXSCAN, 's', 0},
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
    tcfh_event(w->h, location, w->clock[location], TCF_NON_BLOCKING_COLLECTIVE_COMPLETE,
                  &w->pending[location].record);
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
    *i = (struct instance){.n = n, .n_a = w->comm[c].n_a, .op = operations[o].op,
                           .inter = (uint8_t)w->comm[c].inter, .scan = operations[o].kind == 's',
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
            tcfh_collective_end(w->h, l, i->end[r] = tick(w, l), i->op, w->comm[c].comm, recorded, sent, received);
            continue;
        }
        tcfh_event(w->h, l, i->begin[r] = tick(w, l), TCF_NON_BLOCKING_COLLECTIVE_REQUEST,
                      &(tcf_ev_non_blocking_collective_request){77});
        w->pending[l].open = 1;
        w->pending[l].instance = number;
        w->pending[l].rank = r;
        w->pending[l].record = (tcf_ev_non_blocking_collective_complete){
            i->op, w->comm[c].comm, recorded, sent, received, 77};
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
    w->comm[k].comm = !name ? 0
                      : n_b ? tcfh_inter_comm(w->h, name, n_a, a, n_b, b)
                            : tcfh_comm(w->h, name, n_a, a);
}

static void random_collectives(tcfh *h, uint64_t seed, uint32_t n, int blocking)
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

static void forget_run(void)
{
    memset(&saw, 0, sizeof saw);
    for (int l = 0; l < MOST; l++)
        at[l].seen_ends[0] = at[l].seen_ends[1] = 0, at[l].processed = 0;
    for (int k = 0; k < COLLECTIVES; k++)
        instances[k].completed = 0;
}

static void numbers_of_collectives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        tcfh *h = tcfh_new();
        uint32_t n = 20 + 30 * (uint32_t)seed;
        tcfh_filter(h, &ask);
        tcfh_filter(h, &ask_ends);
        /* Where all ends are waited for, non-blocking operations could wait for each other. */
        int ends = seed % 3 == 0;
        random_collectives(h, seed, n, ends);
        tcfh_cut(h, seed % 2 ? seed : 0);
        forget_run();
        tcfh_run(h, "[pipeline]\nchain = shifted ask\nslice = %u\n[shifted]\nfilter = %s\n[ask]\nfilter = %s\n",
                    (uint32_t)(seed % 4 ? 3 * seed : 0), ends ? "ask_ends" : "ask", ends ? "ask_ends" : "ask");
        tcfh_unchanged(h);
        assert_int_equal(saw.unmatched, 0);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
        assert_int_equal(saw.wrong, 0);
        assert_int_equal(saw.completed, 2 * n);
        assert_true(saw.asked > n);
        if (ends)
            assert_int_equal(saw.early, 0);
        tcfh_delete(h);
    }
}

/* --------------------------------------------------------------------------------------------------- messages -- */

/* What became of each message, by its length: 1 matched, 2 its receive is unmatched. */
static struct {
    uint8_t fate[4096];
    uint64_t wrong, completed, given_up_ends;
    uint32_t order[4096], n; /* lengths of receives, in the order in which they were seen */
} mail;

static void look_at_message(const tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e)
{
    uint64_t *payload = self->host->payload(self, s, e);
    if (e->flags & TCF_EDGE_SOURCE) {
        uint64_t id = s->kind[i] == TCF_MPI_SEND ? s->rec[i].mpi_send.msg_length : s->rec[i].mpi_isend.msg_length;
        mail.wrong += payload && *payload; /* zeroed */
        if (payload)
            *payload = id;
        return;
    }
    uint64_t id = s->kind[i] == TCF_MPI_RECV ? s->rec[i].mpi_recv.msg_length : s->rec[i].mpi_irecv.msg_length;
    mail.fate[id] = payload ? 1 : 2;
    mail.order[mail.n++] = (uint32_t)id;
    mail.wrong += payload ? *payload != id : !(e->flags & TCF_EDGE_UNMATCHED);
}

static tcf_status mail_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const tcf_edge *e = tcf_edge_of(s, i);
        if (e && e->class_ == TCF_CLASS_P2P)
            look_at_message(self, s, i, e);
        else if (e && e->class_ != TCF_CLASS_NONE)
            mail.given_up_ends += (e->flags & TCF_EDGE_UNMATCHED) != 0;
    }
    return TCF_OK;
}

static tcf_status mail_complete(tcf_self *self, const tcf_instance *i)
{
    (void)self, (void)i;
    mail.completed++;
    return TCF_OK;
}

static const tcf_filter mails = {
    TCF_FILTER_HEAD, .name = "mails", .version = "1", .summary = "Checks messages", .message_bytes = 8,
    .span = mail_span, .collective_complete = mail_complete,
};

static tcfh *make(uint32_t processes)
{
    tcfh *h = tcfh_new();
    memset(&mail, 0, sizeof mail);
    tcfh_filter(h, &mails);
    tcfh_processes(h, processes, 1);
    tcfh_region(h, "work");
    return h;
}

/* Somebody can take what is in flight: the cap costs nothing. */
static void cap_with_a_receiver_at_work(void **state)
{
    (void)state;
    tcfh *h = make(3);
    for (uint32_t k = 0; k < 400; k++) {
        tcfh_send(h, 0, k, 1, 1, k);
        tcfh_receive(h, 1, 1000000 + 10 * k, 0, 1, k); /* much later, as clocks go */
        tcfh_enter(h, 2, k * 3, 0);
    }
    tcfh_filter(h, &ask);
    tcfh_filter(h, &holder);
    static const char *const chains[] = {"mails", "ask holder mails"}; /* the receiver may still be in front, too */
    for (size_t i = 0; i < 2; i++) {
        memset(&mail, 0, sizeof mail);
        memset(holds, 0, sizeof holds);
        patience = 1;
        tcfh_run(h, "[pipeline]\nchain = %s\nmax_messages = 10\nslice = 4\n", chains[i]);
        assert_int_equal(mail.wrong, 0);
        assert_int_equal(mail.n, 400);
        for (uint32_t k = 0; k < 400; k++)
            assert_int_equal(mail.fate[k], 1);
        assert_int_equal(tcfh_note(h, "dropped_messages") + tcfh_note(h, "given_up"), 0);
    }
    tcfh_delete(h);
}

/* First the event that has waited longest goes on alone; what is in flight stays. */
static void cap_with_a_parked_receiver(void **state)
{
    (void)state;
    tcfh *h = make(3);
    tcfh_receive(h, 1, 1, 0, 9, 1000); /* sent after all the others */
    tcfh_receive(h, 2, 2, 0, 9, 1001); /* likewise, but it waits later */
    for (uint32_t k = 0; k < 60; k++) {
        tcfh_send(h, 0, 10 + k, 1, 1, k);
        tcfh_receive(h, 1, 10 + k, 0, 1, k);
    }
    tcfh_send(h, 0, 200, 1, 9, 1000);
    tcfh_send(h, 0, 201, 2, 9, 1001);
    tcfh_send(h, 0, 202, 1, 9, 1002);
    tcfh_receive(h, 1, 203, 0, 9, 1002); /* is not paired with what 1000 missed */
    tcfh_run(h, "[pipeline]\nchain = mails\nmax_messages = 10\n");
    assert_int_equal(mail.wrong, 0);
    for (uint32_t k = 0; k < 60; k++)
        assert_int_equal(mail.fate[k], 1);
    assert_int_equal(mail.fate[1000], 2);
    assert_int_equal(mail.fate[1001], 1);
    assert_int_equal(mail.fate[1002], 1);
    assert_int_equal(tcfh_note(h, "given_up"), 1);
    assert_int_equal(tcfh_note(h, "dropped_messages"), 0);
    tcfh_delete(h);
}

/* Nothing waits: then the oldest message is given up. */
static void cap_without_a_receiver(void **state)
{
    (void)state;
    tcfh *h = make(1);
    for (uint32_t k = 0; k < 100; k++)
        tcfh_send(h, 0, k, 0, 1, k);
    for (uint32_t k = 0; k < 100; k++)
        tcfh_receive(h, 0, 200 + k, 0, 1, k);
    tcfh_run(h, "[pipeline]\nchain = mails\nmax_messages = 10\n");
    assert_int_equal(mail.wrong, 0);
    for (uint32_t k = 0; k < 100; k++)
        assert_int_equal(mail.fate[k], k < 90 ? 2 : 1);
    assert_int_equal(tcfh_note(h, "dropped_messages"), 90);
    tcfh_delete(h);
}

/* Of every three messages one loses its receive, one its send, one both. */
static tcf_status drop_slice(tcf_self *self, tcf_slice *s)
{
    uint8_t keep[4096];
    for (uint32_t i = 0; i < s->n; i++) {
        int is_receive = s->kind[i] == TCF_MPI_RECV, is_send = s->kind[i] == TCF_MPI_SEND;
        uint64_t id = is_receive ? s->rec[i].mpi_recv.msg_length : is_send ? s->rec[i].mpi_send.msg_length : 0;
        keep[i] = !((is_receive && id % 3 != 1) || (is_send && id % 3 != 0));
    }
    self->host->compact(self, s, keep);
    return TCF_OK;
}

static const tcf_filter dropper = {
    TCF_FILTER_HEAD, .name = "dropper", .version = "1", .summary = "Drops sides of messages", .needs = TCF_DROPS,
    .slice = drop_slice,
};

/* The ends of dropped messages meet once and leave nothing: neither here nor where the same edges are gone by again, behind a
 * filter that holds slices or by the reader of a stream. Receives come in front of their sends, and behind them. */
static void dropped_ends(void **state)
{
    (void)state;
    tcfh *h = make(2);
    for (uint32_t k = 0; k < 300; k++) {
        uint64_t t = 100 + 100 * k;
        tcfh_send(h, k % 2, t, (k + 1) % 2, 1, k);
        tcfh_receive(h, (k + 1) % 2, t + 50, k % 2, 1, k);
    }
    tcfh_filter(h, &dropper);
    tcfh_filter(h, &holder);
    for (uint32_t shift = 0; shift <= 1; shift++) {
        memset(&mail, 0, sizeof mail);
        memset(holds, 0, sizeof holds);
        patience = 1;
        tcfh_run(h, "[pipeline]\nchain = dropper mails holder again\nmax_messages = 20\nslice = %u\nquantum = 1 ticks\n"
                    "[again]\nfilter = mails\n", shift ? 4 : 64);
        assert_int_equal(tcfh_note(h, "dropped_messages"), 0);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
    }
    tcfh_delete(h);
}

/* A lost message: its receive goes on alone, in time for the rest of the trace to be matched. */
static void lost_messages(void **state)
{
    (void)state;
    tcfh *h = make(3);
    for (uint32_t l = 0; l < 3; l++)
        tcfh_enter(h, l, 0, 0); /* so that clocks can be compared */
    tcfh_receive(h, 1, 5, 0, 7, 500);
    for (uint32_t k = 0; k < 20; k++) {
        tcfh_send(h, 1, 10 + 10 * k, 2, 1, k);
        tcfh_receive(h, 2, 15 + 10 * k, 1, 1, k);
        tcfh_send(h, 2, 16 + 10 * k, 0, 1, 100 + k);
        tcfh_receive(h, 0, 18 + 10 * k, 2, 1, 100 + k);
    }
    tcfh_send(h, 0, 500, 2, 3, 600); /* never received */
    tcfh_run(h, "[pipeline]\nchain = mails\nquantum = 1 ticks\n");
    assert_int_equal(mail.wrong, 0);
    assert_int_equal(mail.order[0], 500);
    assert_int_equal(mail.fate[500], 2);
    for (uint32_t k = 0; k < 20; k++)
        assert_int_equal(mail.fate[k] + mail.fate[100 + k], 2);
    assert_int_equal(tcfh_note(h, "given_up"), 1);
    assert_int_equal(tcfh_note(h, "unmatched_sends"), 1);
    tcfh_delete(h);
}

/* ------------------------------------------------------------------------------------- incomplete collectives -- */

static void a_member_that_never_comes(void **state)
{
    (void)state;
    tcfh *h = make(4);
    for (uint32_t l = 0; l < 4; l++) {
        tcfh_collective(h, l, 10, 20, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
        if (l != 2)
            tcfh_collective(h, l, 30, 40, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0);
        if (l != 2)
            tcfh_collective(h, l, 50, 60, OTF2_COLLECTIVE_OP_BCAST, 0, 1);
        tcfh_enter(h, l, 70, 0);
    }
    for (uint32_t slice = 1; slice < 9; slice += 2) {
        memset(&mail, 0, sizeof mail);
        tcfh_run(h, "[pipeline]\nchain = mails\nslice = %u\n", slice);
        tcfh_unchanged(h);
        assert_int_equal(mail.completed, 3); /* by those who are there */
        assert_int_equal(mail.wrong + mail.given_up_ends, 0);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
        assert_int_equal(tcfh_note(h, "incomplete_instances"), 2);
    }
    tcfh_delete(h);
}

/* The root of a Gatherv leaves it and sends to a rank that takes part only then, with nothing to give: for so many events. */
static tcfh *late_for_nothing(uint32_t events)
{
    tcfh *h = make(3);
    for (uint32_t k = 0; k < 10; k++) {
        uint64_t t = 100 * k;
        tcfh_collective_begin(h, 0, t + 1);
        tcfh_collective_end(h, 0, t + 5, OTF2_COLLECTIVE_OP_GATHERV, 0, 0, 8, 16);
        tcfh_send(h, 0, t + 6, 2, 1, k);
        tcfh_collective_begin(h, 1, t + 2);
        tcfh_collective_end(h, 1, t + 3, OTF2_COLLECTIVE_OP_GATHERV, 0, 0, 8, 0);
        tcfh_receive(h, 2, t + 10, 0, 1, k);
        for (uint32_t i = 0; i < 20; i++)
            tcfh_enter(h, 2, t + 20 + i, 0);
        tcfh_collective_begin(h, 2, t + 50);
        for (uint32_t i = 1; i < events; i++)
            tcfh_enter(h, 2, t + 50, 0);
        tcfh_collective_end(h, 2, t + 51, OTF2_COLLECTIVE_OP_GATHERV, 0, 0, 0, 0);
    }
    return h;
}

static void nothing_to_give(void **state)
{
    (void)state;
    for (uint32_t events = 1; events <= 31; events += 10) { /* the end that tells may be behind the look-ahead */
        tcfh *h = late_for_nothing(events);
        for (uint32_t slice = 1; slice <= 256; slice *= 4) {
            memset(&mail, 0, sizeof mail);
            tcfh_run(h, "[pipeline]\nchain = mails\nslice = %u\nlookahead = 31\n", slice);
            tcfh_unchanged(h);
            assert_int_equal(mail.wrong + mail.given_up_ends, 0);
            assert_int_equal(mail.completed, 10);
            for (uint32_t k = 0; k < 10; k++)
                assert_int_equal(mail.fate[k], 1);
            assert_int_equal(tcfh_note(h, "given_up"), 0);
        }
        tcfh_delete(h);
    }
}

/* Ranks 1 and 3 of a scan wait; rank 0 lets rank 1 go on, whose message rank 2 takes before it comes, which lets rank 3 go. */
static void scans_by_rank(void **state)
{
    (void)state;
    tcfh *h = make(4);
    for (uint32_t k = 0; k < 10; k++) {
        uint64_t t = 100 * k;
        uint8_t op = k % 2 ? OTF2_COLLECTIVE_OP_EXSCAN : OTF2_COLLECTIVE_OP_SCAN;
        tcfh_collective(h, 1, t + 1, t + 2, op, 0, 0);
        tcfh_collective(h, 3, t + 3, t + 4, op, 0, 0);
        tcfh_collective(h, 0, t + 30, t + 31, op, 0, 0);
        tcfh_send(h, 1, t + 40, 2, 1, k);
        tcfh_receive(h, 2, t + 45, 1, 1, k);
        tcfh_collective(h, 2, t + 50, t + 51, op, 0, 0);
        tcfh_send(h, 3, t + 60, 0, 1, 100 + k);
        tcfh_receive(h, 0, t + 65, 3, 1, 100 + k);
    }
    for (uint32_t slice = 1; slice <= 256; slice *= 4) {
        memset(&mail, 0, sizeof mail);
        tcfh_run(h, "[pipeline]\nchain = mails\nslice = %u\nquantum = 1 ticks\n", slice);
        tcfh_unchanged(h);
        assert_int_equal(mail.wrong + mail.given_up_ends, 0);
        assert_int_equal(mail.completed, 10);
        for (uint32_t k = 0; k < 10; k++)
            assert_int_equal(mail.fate[k] + mail.fate[100 + k], 2);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
    }
    tcfh_delete(h);
}

static void beyond_the_lookahead(void **state)
{
    (void)state;
    tcfh *h = make(2);
    tcfh_collective_begin(h, 0, 1);
    tcfh_event(h, 0, 2, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){501});
    tcfh_event(h, 0, 3, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){502});
    tcfh_event(h, 0, 4, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){1, 0, 1, 100, 502});
    for (uint32_t i = 0; i < 30; i++)
        tcfh_enter(h, 0, 5 + i, 0);
    tcfh_event(h, 0, 40, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){1, 0, 1, 101, 501});
    tcfh_collective_end(h, 0, 41, OTF2_COLLECTIVE_OP_BARRIER, 0, 0, 0, 0);
    tcfh_send(h, 1, 1, 0, 1, 100);
    tcfh_send(h, 1, 2, 0, 1, 101);
    tcfh_collective(h, 1, 3, 4, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
    for (uint32_t slice = 1; slice <= 64; slice += 9) {
        memset(&mail, 0, sizeof mail);
        tcfh_run(h, "[pipeline]\nchain = mails\nslice = %u\nlookahead = 20\n", slice);
        assert_int_equal(mail.wrong, 0);
        assert_int_equal(mail.fate[100], 1);
        assert_int_equal(mail.fate[101], 1);
        assert_int_equal(mail.completed, 1);
        assert_int_equal(tcfh_note(h, "beyond_lookahead"), 2);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
    }
    memset(&mail, 0, sizeof mail); /* with more look-ahead the first request comes first */
    tcfh_run(h, "[pipeline]\nchain = mails\nlookahead = 100\nslice = 4\n");
    assert_int_equal(tcfh_note(h, "beyond_lookahead"), 0);
    assert_int_equal(mail.wrong, 2); /* so the lengths are the other way round */
    tcfh_delete(h);
}

/* Sources hear of their targets' times, whatever is held how long; also when a slice is let go before. */
static void answers(void **state)
{
    (void)state;
    uint64_t complete = 0, pending = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        tcfh *h = tcfh_new();
        tcfh_filter(h, &holder);
        tcfh_filter(h, &ask);
        random_collectives(h, seed, 20 + 20 * (uint32_t)seed, 0);
        tcfh_cut(h, seed % 2 ? seed : 0);
        forget_run();
        memset(holds, 0, sizeof holds);
        patience = (uint32_t)(seed % 3 == 0 ? HOLD - 1 : seed % 7);
        tcfh_run(h, "[pipeline]\nslice = %u\nchain = %sholder%s\n", (uint32_t)(3 + seed), seed % 2 ? "ask " : "",
                    seed % 10 == 0 ? " behind\n[behind]\nfilter = ask" : "");
        tcfh_unchanged(h);
        for (int l = 0; l < MOST; l++) {
            assert_int_equal(holds[l].wrong, 0);
            complete += holds[l].complete;
            pending += holds[l].pending;
            if (patience == HOLD - 1)
                assert_int_equal(holds[l].pending, 0);
        }
        tcfh_delete(h);
    }
    assert_true(complete > 1000);
    assert_true(pending > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_collectives),
        cmocka_unit_test(answers),
        cmocka_unit_test(cap_with_a_receiver_at_work),
        cmocka_unit_test(cap_with_a_parked_receiver),
        cmocka_unit_test(cap_without_a_receiver),
        cmocka_unit_test(dropped_ends),
        cmocka_unit_test(lost_messages),
        cmocka_unit_test(a_member_that_never_comes),
        cmocka_unit_test(nothing_to_give),
        cmocka_unit_test(scans_by_rank),
        cmocka_unit_test(beyond_the_lookahead),
    };
    return cmocka_run_group_tests_name("exchange", tests, NULL, NULL);
}
