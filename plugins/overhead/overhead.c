/* Takes the overhead of measurement out of a trace: every event moves to where it would have been had nothing been
 * recorded, as far as the trace tells. README.md has the algorithm.
 *
 * Events between edges lose their overhead one by one (eq. 1). Sources publish their measured and approximated time, and
 * where their call is left; targets compute theirs from what was published (model.c). */
#include "overhead.h"

#include <stdlib.h>

/* What a filter publishes. */
enum { APPROXIMATED, MEASURED, EXIT, NUMBERS };

/* What an event is, beside the overhead that it costs. */
enum { IS_ENTER = 1, IS_LEAVE = 2, IS_COMPLETION = 4, IS_METRIC = 8, IS_FLUSH = 16, IS_ON_OFF = 32, ANY = 128 };
enum { MEASUREMENT_ON = 1, MAX_DEPTH = 65536 };

static const tcf_param params[] = {
    {"event", TCF_DURATION, offsetof(struct conf, event), "0", "0", NULL, NULL, NULL,
     "Overhead of recording an event, O of the paper"},
    {"kinds", TCF_LIST, offsetof(struct conf, kinds), "", NULL, NULL, NULL, NULL,
     "Overhead of events of some kinds, where it differs: ENTER:45ns METRIC:1.2us"},
    {"attribute", TCF_DURATION, offsetof(struct conf, attribute), "0", "0", NULL, NULL, NULL,
     "What each attribute of an event costs on top of it"},
    {"metric_value", TCF_DURATION, offsetof(struct conf, metric_value), "0", "0", NULL, NULL, NULL,
     "What each value of a METRIC event costs on top of it"},
    {"copy", TCF_LIST, offsetof(struct conf, copy), "", NULL, NULL, NULL, NULL,
     "Time that a message of a size needs to be copied: 8:20ns 64KiB:6us 1MiB:130us; linear between the sizes, "
     "proportional to size outside of them"},
    {"copy_file", TCF_PATH, offsetof(struct conf, copy_file), "", NULL, NULL, NULL, NULL,
     "The same as a file, a size and a duration a line, # for comments"},
    {"mode", TCF_ENUM, offsetof(struct conf, mode), "lower", NULL, NULL, NULL, "lower|upper|mean",
     "Which bound of the time that a message took counts where it cannot be measured, since it was received after "
     "the sender had gone on"},
    {"synchronised", TCF_ENUM, offsetof(struct conf, synchronised), "each", NULL, NULL, NULL, "each|common",
     "Operations from all to all: each process leaves at its own time (eq. 13), or all at one (eq. 12)"},
    {"paper", TCF_BOOL, offsetof(struct conf, paper), "no", NULL, NULL, NULL, NULL,
     "The paper's equations literally: the overhead of other locations stays in the time of messages and "
     "operations, and copying costs what the table says even where less was measured"},
    {"remove_off", TCF_BOOL, offsetof(struct conf, off), "yes", NULL, NULL, NULL, NULL,
     "Is the time between MEASUREMENT_ON_OFF off and on overhead? It is when the measurement system was busy then, it "
     "is not when the program ran on unmeasured"},
    {0}};

/* ------------------------------------------------------------------------------------------- one event after another -- */

static inline uint64_t cost_of(const struct state *st, const tcf_slice *s, uint32_t i, uint8_t what)
{
    uint64_t cost = st->cost[s->kind[i]];
    if (what & IS_METRIC)
        cost += st->metric_value * s->rec[i].metric.number_of_metrics;
    if (st->attribute > 0 && s->attr[i])
        cost += st->attribute * tcf_attributes_of(s, i)->n;
    return cost;
}

/* Room for another open call. 0: none, beyond the cap calls are only counted; what is received there counts as received in
 * the call at the cap. -1: out of memory. */
static int make_room(tcf_self *self, struct track *k)
{
    if (k->depth >= MAX_DEPTH) {
        ((struct state *)self->state)->too_deep++;
        k->depth++;
        return 0;
    }
    uint32_t capacity = k->capacity * 2 + 30;
    struct frame *grown = realloc(k->frame, capacity * sizeof *grown);
    if (!grown) {
        self->host->fail(self, "out of memory for the calls that are open");
        return -1;
    }
    k->frame = grown;
    k->capacity = capacity;
    return 1;
}

static inline int push(tcf_self *self, struct track *k, const tcf_slice *s, uint32_t i, struct times at)
{
    const struct state *st = self->state;
    if (__builtin_expect(k->depth >= k->capacity || k->depth >= MAX_DEPTH, 0)) {
        int room = make_room(self, k);
        if (room <= 0)
            return room;
    }
    struct frame *f = &k->frame[k->depth++];
    uint32_t region = s->kind[i] == TCF_ENTER ? s->rec[i].enter.region : TCF_NONE;
    uint8_t is = region < self->defs->n_regions ? st->region[region] : 0;
    f->enter = at;
    f->communication = is & REGION_COMMUNICATES ? ++k->communication : 0;
    f->several = is & REGION_COMPLETES_SEVERAL;
    if (k->communication > 0)
        f->wait = (struct times){0, 0};
    return 0;
}

static inline void pop(struct track *k, struct times at)
{
    if (k->depth == 0 || --k->depth >= MAX_DEPTH || k->communication == 0)
        return;
    const struct frame *f = &k->frame[k->depth];
    k->waited.m += f->wait.m;
    k->waited.a += f->wait.a;
    if (f->communication == 1) { /* the outermost one */
        k->communicated.m += less(at.m, f->enter.m);
        k->communicated.a += less(at.a, f->enter.a);
    }
    k->communication -= f->communication > 0;
}

/* What an event means for those behind it; k->last is its own by now. */
static tcf_status note(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint8_t what, struct times at)
{
    const struct conf *conf = self->conf;
    if (what & IS_ENTER)
        return push(self, k, s, i, at) < 0 ? TCF_ERROR : TCF_OK;
    if (what & IS_LEAVE)
        pop(k, at);
    if (what & IS_FLUSH) { /* nothing but overhead */
        tcf_ev_buffer_flush *flush = &s->rec[i].buffer_flush;
        if (flush->stop_time > k->last.m) {
            k->taken_out += flush->stop_time - k->last.m;
            k->last.m = flush->stop_time;
        }
        flush->stop_time = at.a;
    }
    if (what & IS_ON_OFF)
        k->off = conf->off && s->rec[i].measurement_on_off.measurement_mode != MEASUREMENT_ON;
    return TCF_OK;
}

/* Overhead on the way to a completion: those that stand in a row were recorded when all of them were complete. */
static inline uint64_t note_completion(struct track *k, uint64_t number, uint64_t cost)
{
    k->run = k->run_end == number ? k->run + cost : cost;
    k->run_end = number + 1;
    return k->run;
}

/* What follows the completions of a call that waited for several messages comes after all of them: eq. 13, with the sends
 * for begins. */
static void release(struct track *k)
{
    k->last.a = max_u64(k->last.a, plus(k->sent.a, less(k->released_m, k->sent.m)));
    k->is_waiting = 0;
}

/* An event of which more is to be known than its time. */
static tcf_status unusual(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint8_t what, struct times at,
                          uint64_t cost, uint64_t number)
{
    if (what & IS_COMPLETION)
        note_completion(k, number, cost);
    return note(self, k, s, i, what, at);
}

/* Event i while measurement is off. */
static tcf_status while_off(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint64_t number)
{
    const struct state *st = self->state;
    uint64_t now = s->time[i];
    k->taken_out += less(now, k->last.m);
    k->last.m = max_u64(k->last.m, now);
    s->time[i] = k->last.a;
    return unusual(self, k, s, i, st->what[s->kind[i]], (struct times){now, k->last.a}, 0, number);
}

/* Events [i, to), none of them an edge: eq. 1. The only loop that looks at every event: what it needs is kept in registers. */
static tcf_status independent(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t to, uint64_t first)
{
    const struct state *st = self->state;
    const uint8_t *kind = s->kind, costly = st->attribute > 0 ? UINT8_MAX : IS_METRIC;
    uint64_t *time = s->time, removed = 0, clamped = 0;
    struct times last = k->last;
    for (; i < to; i++) {
        const uint8_t what = st->what[kind[i]];
        const uint64_t now = time[i];
        if (__builtin_expect(k->off, 0)) {
            k->last = last;
            if (while_off(self, k, s, i, first + i) != TCF_OK)
                return TCF_ERROR;
            last = k->last;
            continue;
        }
        uint64_t cost = __builtin_expect((what | ANY) & costly, 0) ? cost_of(st, s, i, what) : st->cost[kind[i]];
        uint64_t passed = less(now, last.m), kept = less(passed, cost);
        last.m = max_u64(last.m, now);
        last.a += kept;
        time[i] = last.a;
        removed += passed - kept;
        clamped += passed < cost;
        if (what & IS_ENTER) {
            if (push(self, k, s, i, (struct times){now, last.a}) < 0)
                return TCF_ERROR;
        } else if (what & IS_LEAVE) {
            pop(k, (struct times){now, last.a});
        } else if (what & (IS_COMPLETION | IS_FLUSH | IS_ON_OFF)) {
            k->last = last;
            if (unusual(self, k, s, i, what, (struct times){now, last.a}, cost, first + i) != TCF_OK)
                return TCF_ERROR;
            last = k->last;
        }
    }
    k->last = last;
    k->removed += removed;
    k->clamped += clamped;
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- edges -- */

/* The event at hand, which has edges. */
struct meeting {
    struct track *k;
    tcf_slice *s;
    uint32_t i;
    uint64_t now, passed, cost, path;
    const struct times *before; /* the event before, NULL: there is none */
};

static inline struct frame *innermost(const struct track *k)
{
    return k->depth == 0 ? NULL : &k->frame[(k->depth < MAX_DEPTH ? k->depth : MAX_DEPTH) - 1];
}

static int is_collective(uint8_t class_)
{
    return class_ >= TCF_CLASS_ONE_TO_N && class_ <= TCF_CLASS_EXSCAN;
}

/* The call in which something is received; without one the event before. */
static struct times call_of(const struct meeting *at)
{
    const struct frame *f = innermost(at->k);
    return f ? f->enter : at->before ? *at->before : (struct times){at->now, 0};
}

static void note_wait(const struct meeting *at, struct times latest, uint64_t a)
{
    struct frame *f = innermost(at->k);
    if (!f || at->k->communication == 0)
        return;
    f->wait.m = max_u64(f->wait.m, less(min_u64(latest.m, at->now), f->enter.m));
    f->wait.a = max_u64(f->wait.a, less(min_u64(latest.a, a), f->enter.a));
}

/* A message that a call waited for, together with others. */
static void note_sent(struct track *k, struct times send, uint64_t released_m)
{
    k->sent = k->is_waiting ? (struct times){max_u64(k->sent.m, send.m), max_u64(k->sent.a, send.a)} : send;
    k->released_m = released_m;
    k->is_waiting = 1;
}

static int is_completion(uint8_t kind)
{
    return kind == TCF_MPI_IRECV || kind == TCF_MPI_RECV || kind == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE;
}

static uint64_t size_of(const tcf_rec *rec, uint8_t kind)
{
    switch (kind) {
    case TCF_MPI_RECV:
        return rec->mpi_recv.msg_length;
    case TCF_MPI_IRECV:
        return rec->mpi_irecv.msg_length;
    case TCF_MPI_COLLECTIVE_END:
        return rec->mpi_collective_end.size_received;
    case TCF_RMA_COLLECTIVE_END:
        return rec->rma_collective_end.bytes_received;
    case TCF_NON_BLOCKING_COLLECTIVE_COMPLETE:
        return rec->non_blocking_collective_complete.size_received;
    default:
        return 0;
    }
}

/* Like a message: from a send, the root of a one-to-n, or the last of those that a non-blocking operation waited for. */
static uint64_t receive(tcf_self *self, const struct meeting *at, const tcf_edge *e, struct times latest,
                        const struct member *own)
{
    uint8_t kind = at->s->kind[at->i];
    struct transfer t = {.send = latest, .enter = call_of(at), .recv_m = at->now, .path = at->path,
                         .size = size_of(&at->s->rec[at->i], kind)};
    if (own && kind != TCF_NON_BLOCKING_COLLECTIVE_COMPLETE)
        t.enter = own->begin;
    if (kind == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE) {
        t.exit_m = latest.m; /* posting it doesn't wait */
        t.exit_known = 1;
    } else {
        t.exit_known = self->host->latest_of(self, at->s, e, EXIT, &t.exit_m);
    }
    const struct frame *call = innermost(at->k);
    t.together = is_completion(at->s->kind[at->i]) && call && call->several && !((const struct conf *)self->conf)->paper;
    if (t.together && overlap(&t))
        note_sent(at->k, latest, less(at->now, at->path));
    return approximate_receive(self->state, self->conf, &t, &at->k->decisions);
}

static uint64_t synchronise(tcf_self *self, const struct meeting *at, const tcf_edge *e, struct times latest,
                            const struct member *own)
{
    const struct conf *conf = self->conf;
    uint64_t exit_m = at->now, first;
    if (conf->synchronised == EXIT_COMMON && self->host->first_end(self, at->s, e, &first))
        exit_m = first;
    if (at->k->off)
        exit_m = 0;
    /* Threads are beyond the paper: what doesn't have to wait loses its overhead as eq. 1 says. */
    uint64_t path = is_collective(e->class_) ? at->path : at->cost;
    return approximate_exit(latest, own ? &own->begin : at->before, exit_m, path, &at->k->decisions);
}

/* Does anything bind this target? *a becomes the time that follows from it. */
static int depends(tcf_self *self, const struct meeting *at, const tcf_edge *e, uint64_t *a)
{
    const tcf_host *host = self->host;
    struct times latest;
    if (!(e->flags & TCF_EDGE_TARGET) || e->flags & TCF_EDGE_GONE)
        return 0;
    at->k->targets++;
    if (e->flags & TCF_EDGE_UNMATCHED || !host->latest_of(self, at->s, e, APPROXIMATED, &latest.a) ||
        !host->latest_of(self, at->s, e, MEASURED, &latest.m)) {
        at->k->unbound++;
        return 0;
    }
    const struct member *own = is_collective(e->class_) ? host->payload(self, at->s, e) : NULL;
    if (own && own->targets == 0)
        own = NULL;
    if (e->class_ == TCF_CLASS_P2P || e->class_ == TCF_CLASS_ONE_TO_N ||
        at->s->kind[at->i] == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE)
        *a = receive(self, at, e, latest, own);
    else
        *a = synchronise(self, at, e, latest, own);
    note_wait(at, latest, *a);
    return 1;
}

static void publish(tcf_self *self, const struct meeting *at, const tcf_edge *e, uint64_t a, int overlaps)
{
    const tcf_host *host = self->host;
    struct track *k = at->k;
    if (e->flags & TCF_EDGE_GONE)
        return;
    if (e->flags & TCF_EDGE_LEFT && !overlaps)
        host->publish_as(self, at->s, e, EXIT, at->now);
    struct member *own = is_collective(e->class_) ? host->payload(self, at->s, e) : NULL;
    if (own && e->flags & TCF_EDGE_BEGIN)
        *own = (struct member){{at->now, a}, k->targets + 1, (e->flags & TCF_EDGE_SOURCE) != 0};
    else if (own && e->class_ == TCF_CLASS_ONE_TO_N && own->is_source && own->targets == k->targets + 1)
        host->publish_as(self, at->s, e, EXIT, at->now); /* nothing was received in between */
    if (!(e->flags & TCF_EDGE_SOURCE))
        return;
    host->publish_as(self, at->s, e, APPROXIMATED, a);
    host->publish_as(self, at->s, e, MEASURED, at->now);
    if (e->class_ == TCF_CLASS_P2P && !(e->flags & TCF_EDGE_LEAVES))
        host->publish_as(self, at->s, e, EXIT, at->now); /* nobody knows its call: it is as short as can be */
}

/* Event i, which has the edges [from, to) of the list. */
static tcf_status meet(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t from, uint32_t to,
                       uint64_t first)
{
    const struct state *st = self->state;
    const uint8_t what = st->what[s->kind[i]];
    if (k->is_waiting && !(what & IS_COMPLETION))
        release(k);
    const struct times before = k->last;
    struct meeting at = {.k = k, .s = s, .i = i, .now = s->time[i], .before = k->started ? &before : NULL};
    const struct conf *conf = self->conf;
    uint64_t a = 0, needed;
    int bound = 0, is_target = 0;
    at.passed = k->started ? less(at.now, k->last.m) : 0;
    at.cost = cost_of(st, s, i, what);
    if (k->off) {
        k->taken_out += at.passed;
        at.passed = at.cost = 0;
    }
    at.path = what & IS_COMPLETION ? note_completion(k, first + i, at.cost) : at.cost;
    at.path = conf->paper ? 0 : at.path;
    for (uint32_t n = from; n < to; n++) {
        is_target |= s->edges[n].flags & TCF_EDGE_TARGET;
        if (depends(self, &at, &s->edges[n], &needed)) {
            a = max_u64(a, needed);
            bound = 1;
        }
    }
    if (bound) {
        k->held += k->started && a < k->last.a;
        a = k->started ? max_u64(a, k->last.a) : a;
    } else if (k->started) {
        uint64_t kept = less(at.passed, at.cost);
        k->removed += at.passed - kept;
        k->clamped += at.passed < at.cost;
        a = k->last.a + kept;
    } else {
        a = at.now;
    }
    for (uint32_t n = from; n < to; n++)
        publish(self, &at, &s->edges[n], a, is_target || !(what & IS_LEAVE));
    if (!k->started)
        k->begin = (struct times){at.now, a};
    k->last.m = k->started ? max_u64(k->last.m, at.now) : at.now;
    k->started = 1;
    s->time[i] = k->last.a = a;
    return what & ~IS_COMPLETION ? note(self, k, s, i, what, (struct times){at.now, a}) : TCF_OK;
}

/* The first event of a location stands where it was measured, unless it depends on others. */
static void start(struct track *k, const tcf_slice *s, uint32_t i)
{
    k->started = 1;
    k->last = k->begin = (struct times){s->time[i], s->time[i]};
}

/* Events [i, to), none of them an edge. */
static tcf_status between(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t to, uint64_t first)
{
    const struct state *st = self->state;
    if (i < to && !k->started) {
        const uint8_t what = st->what[s->kind[i]];
        start(k, s, i);
        if (unusual(self, k, s, i, what, k->last, cost_of(st, s, i, what), first + i) != TCF_OK)
            return TCF_ERROR;
        i++;
    }
    for (; k->is_waiting && i < to; i++) {
        if (!(st->what[s->kind[i]] & IS_COMPLETION))
            release(k);
        if (independent(self, k, s, i, i + 1, first) != TCF_OK)
            return TCF_ERROR;
    }
    return independent(self, k, s, i, to, first);
}

static tcf_status overhead_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    struct track *k = tcf_location_state(self, s->location);
    const uint64_t first = k->events - from; /* number of event 0, of those that came here; may wrap around */
    uint32_t n = from == 0 ? 0 : k->edge, i = from;
    if (to > from)
        k->end_m = s->time[to - 1];
    while (n < s->n_edges && s->edges[n].pos < to) {
        uint32_t at = n, pos = s->edges[n].pos;
        while (n < s->n_edges && s->edges[n].pos == pos)
            n++;
        if (between(self, k, s, i, pos, first) != TCF_OK || meet(self, k, s, pos, at, n, first) != TCF_OK)
            return TCF_ERROR;
        i = pos + 1;
    }
    k->edge = n;
    k->events += to - from;
    return between(self, k, s, i, to, first);
}

/* ------------------------------------------------------------------------------------------------------ filter -- */

static void name_kinds(struct state *st)
{
    st->what[TCF_ENTER] = st->what[TCF_CALLING_CONTEXT_ENTER] = IS_ENTER;
    st->what[TCF_LEAVE] = st->what[TCF_CALLING_CONTEXT_LEAVE] = IS_LEAVE;
    st->what[TCF_MPI_RECV] = st->what[TCF_MPI_IRECV] = st->what[TCF_MPI_ISEND_COMPLETE] = IS_COMPLETION;
    st->what[TCF_NON_BLOCKING_COLLECTIVE_COMPLETE] = IS_COMPLETION;
    st->what[TCF_METRIC] = IS_METRIC;
    st->what[TCF_BUFFER_FLUSH] = IS_FLUSH;
    st->what[TCF_MEASUREMENT_ON_OFF] = IS_ON_OFF;
}

static tcf_status overhead_init(tcf_self *self)
{
    const struct conf *conf = self->conf;
    name_kinds(self->state);
    if (conf->synchronised == EXIT_COMMON)
        self->needs |= TCF_NEEDS_ENDS;
    return settings_parse(self);
}

static tcf_status overhead_begin(tcf_self *self)
{
    return settings_to_ticks(self);
}

/* Calls that are still open end with the last event. */
static tcf_status overhead_location_end(tcf_self *self, uint32_t location)
{
    struct track *k = tcf_location_state(self, location);
    while (k->depth > 0)
        pop(k, (struct times){k->end_m, k->last.a});
    return TCF_OK;
}

static void overhead_fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && l < self->defs->n_locations; l++)
        free(((struct track *)tcf_location_state(self, l))->frame);
    free(st->region);
    free(st->copy);
}

TCF_FILTER = {
    TCF_FILTER_HEAD,
    .name = "overhead",
    .version = "1.0",
    .summary = "Takes the overhead of measurement out: events move to where they had been without it",
    .help =
        "Recording an event takes time, which delays everything behind it, and other processes through messages. This "
        "filter approximates the run without it (Wolf, Malony, Shende, Morris: Trace-Based Parallel Performance "
        "Overhead Compensation). Events that depend on no other location lose their overhead one by one, and so do "
        "BUFFER_FLUSHes and the time in which measurement was off, as a whole. A receive comes when its message has "
        "arrived, the end of a collective operation when those have begun that it depends on: the times that this took "
        "are kept as measured where the receiver waited. Where it did not, how long a message was on its way is "
        "unknown, and `mode` says whether the lower or the upper bound counts or the mean of them.\n"
        "\n"
        "Overhead and the cost of copying are constants of a platform and have to be measured there; without any, "
        "and mode = upper, nothing changes. Events keep their order, and nothing comes before what it depends on. Clocks "
        "have to be right before (presync, clc_forward). The report tells by location how much was removed, how run time "
        "and the shares of computation, communication and waiting have changed, and how many dependent events were "
        "decided in which way: m.1, m.2, a.1, a.2 of the paper.",
    .params = params,
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct track),
    .member_bytes = sizeof(struct member),
    .numbers = NUMBERS,
    .needs = TCF_NEEDS_EDGES | TCF_SOURCE_AT_LEAVE | TCF_REPORTS,
    .writes = TCF_TIME | TCF_REC,
    .span = overhead_span,
    .init = overhead_init,
    .begin = overhead_begin,
    .location_end = overhead_location_end,
    .end = report,
    .fini = overhead_fini,
};
