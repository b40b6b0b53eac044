/* How slices move through a chain: holding and releasing, inserting, dropping, named columns, several causal segments,
 * and what the framework checks behind each filter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../harness.h"

enum { MOST = 16, SLICES = 8192 };

/* What the filters below saw; one run at a time. */
static struct {
    uint32_t flushes, early, in_end;
    struct {
        uint64_t events, ends, out_of_order;
    } at[MOST];
    uint64_t seen[2][MOST]; /* by instance of watch and location: events */
    uint64_t wrong[2], matched[2], unmatched[2], receives[2];
} saw;

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

/* ------------------------------------------------------------------------------------------------ test filters -- */

/* Holds every slice until the watermark has passed it; with `hoard` until it is made to release it. */
struct hold_conf {
    int hoard;
};

static struct {
    tcf_slice *slice[SLICES];
    uint64_t age[SLICES];
    uint32_t head, tail;
} queues[MOST];
static uint64_t age;

static const tcf_param hold_params[] = {
    {"hoard", TCF_BOOL, offsetof(struct hold_conf, hoard), "no", NULL, NULL, NULL, NULL, "Never release."}, {0}};

static tcf_status hold_begin(tcf_self *self)
{
    (void)self;
    memset(queues, 0, sizeof queues);
    age = 0;
    return TCF_OK;
}

static tcf_status release_one(tcf_self *self, uint32_t l)
{
    tcf_slice *s = queues[l].slice[queues[l].head++ % SLICES];
    saw.early += s->n > 0 && s->time[s->n - 1] > self->host->watermark(self);
    return self->host->release(self, s);
}

static tcf_status release_passed(tcf_self *self, int *any)
{
    *any = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        while (queues[l].head < queues[l].tail) {
            const tcf_slice *s = queues[l].slice[queues[l].head % SLICES];
            if (s->n > 0 && s->time[s->n - 1] >= self->host->watermark(self))
                break;
            *any = 1;
            if (release_one(self, l) != TCF_OK)
                return TCF_ERROR;
        }
    return TCF_OK;
}

static tcf_status hold_slice(tcf_self *self, tcf_slice *s)
{
    const struct hold_conf *conf = self->conf;
    uint32_t l = s->location, i = queues[l].tail % SLICES;
    int any;
    if (!conf->hoard && release_passed(self, &any) != TCF_OK)
        return TCF_ERROR;
    queues[l].slice[i] = s;
    queues[l].age[i] = age++;
    queues[l].tail++;
    return TCF_HELD;
}

static tcf_status hold_flush(tcf_self *self)
{
    uint32_t oldest = MOST;
    int any;
    saw.flushes++;
    if (release_passed(self, &any) != TCF_OK || any)
        return any ? TCF_OK : TCF_ERROR;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        if (queues[l].head < queues[l].tail &&
            (oldest == MOST ||
             queues[l].age[queues[l].head % SLICES] < queues[oldest].age[queues[oldest].head % SLICES]))
            oldest = l;
    return oldest == MOST ? TCF_OK : release_one(self, oldest);
}

static tcf_status hold_end(tcf_self *self)
{
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        while (queues[l].head < queues[l].tail) {
            saw.in_end++;
            if (release_one(self, l) != TCF_OK)
                return TCF_ERROR;
        }
    return TCF_OK;
}

static const tcf_filter hold = {
    TCF_FILTER_HEAD, .name = "hold", .version = "1", .summary = "Holds slices", .params = hold_params,
    .conf_size = sizeof(struct hold_conf), .needs = TCF_HOLDS | TCF_TOGETHER, .slice = hold_slice,
    .begin = hold_begin, .flush = hold_flush, .end = hold_end,
};

/* Counts events and checks that a location's end comes once, after its last event. */
static tcf_status ends_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    saw.at[s->location].out_of_order += saw.at[s->location].ends > 0;
    saw.at[s->location].events += s->n;
    return TCF_OK;
}

static tcf_status ends_location_end(tcf_self *self, uint32_t location)
{
    (void)self;
    saw.at[location].ends++;
    return TCF_OK;
}

static const tcf_filter ends = {
    TCF_FILTER_HEAD, .name = "ends", .version = "1", .summary = "Looks at ends", .slice = ends_slice,
    .location_end = ends_location_end,
};

/* Puts a slice with one event in front of every slice. */
static tcf_status insert_slice(tcf_self *self, tcf_slice *s)
{
    uint32_t capacity;
    tcf_slice *mine = self->host->slice_new(self, s->location, &capacity);
    if (!mine || capacity == 0)
        return TCF_ERROR;
    mine->time[0] = s->time[0];
    mine->kind[0] = TCF_PARAMETER_INT;
    mine->rec[0].parameter_int = (tcf_ev_parameter_int){TCF_NONE, 42};
    mine->attr[0] = 0;
    mine->n = 1;
    return self->host->emit(self, mine);
}

static const tcf_filter insert = {
    TCF_FILTER_HEAD, .name = "insert", .version = "1", .summary = "Inserts events", .needs = TCF_INSERTS,
    .slice = insert_slice,
};

/* Drops sends (or receives) with tag 66, and events of regions with an odd index. */
struct drop_conf {
    int sends, receives, regions;
};

static const tcf_param drop_params[] = {
    {"sends", TCF_BOOL, offsetof(struct drop_conf, sends), "no", NULL, NULL, NULL, NULL, "Drop sends."},
    {"receives", TCF_BOOL, offsetof(struct drop_conf, receives), "no", NULL, NULL, NULL, NULL, "Drop receives."},
    {"regions", TCF_BOOL, offsetof(struct drop_conf, regions), "no", NULL, NULL, NULL, NULL, "Drop regions."},
    {0}};

static tcf_status drop_slice(tcf_self *self, tcf_slice *s)
{
    const struct drop_conf *conf = self->conf;
    uint8_t *keep = malloc(s->n + 1u);
    if (!keep)
        return (self->host->fail)(self, "out of memory");
    for (uint32_t i = 0; i < s->n; i++) {
        const tcf_rec *r = &s->rec[i];
        keep[i] = !((conf->sends && s->kind[i] == TCF_MPI_SEND && r->mpi_send.msg_tag == 66) ||
                    (conf->receives && s->kind[i] == TCF_MPI_RECV && r->mpi_recv.msg_tag == 66) ||
                    (conf->regions && (s->kind[i] == TCF_ENTER || s->kind[i] == TCF_LEAVE) && r->enter.region % 2));
    }
    self->host->compact(self, s, keep);
    free(keep);
    return TCF_OK;
}

static const tcf_filter drop = {
    TCF_FILTER_HEAD, .name = "drop", .version = "1", .summary = "Drops events", .params = drop_params,
    .conf_size = sizeof(struct drop_conf), .needs = TCF_DROPS, .slice = drop_slice,
};

/* In causal order: every event once; a receive finds the message with its number, which stands in msg_length. */
static tcf_status watch_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    int me = strcmp(self->name, "second") == 0;
    saw.seen[me][s->location] += to - from;
    for (uint32_t i = from; i < to; i++) {
        const tcf_edge *e = tcf_edge_of(s, i);
        if (s->kind[i] == TCF_MPI_RECV)
            saw.receives[me]++;
        if (!e)
            continue;
        uint64_t *payload = self->host->payload(self, s, e), value = 0;
        if (s->kind[i] == TCF_MPI_SEND && payload) {
            *payload = s->rec[i].mpi_send.msg_length;
            self->host->publish(self, s, e, *payload * 3);
        } else if (s->kind[i] == TCF_MPI_RECV && payload) {
            int there = self->host->latest(self, s, e, &value);
            saw.wrong[me] += *payload != s->rec[i].mpi_recv.msg_length || !there || value != *payload * 3;
            saw.matched[me]++;
        } else if (s->kind[i] == TCF_MPI_RECV) {
            saw.wrong[me] += !(s->edge[i] & TCF_EDGE_UNMATCHED) || self->host->latest(self, s, e, &value);
            saw.unmatched[me]++;
        }
    }
    return TCF_OK;
}

static const tcf_filter watch = {
    TCF_FILTER_HEAD, .name = "watch", .version = "1", .summary = "Checks the causal order", .message_bytes = 8,
    .span = watch_span,
};

/* Provides a column, for all events or at edges, and the filter that wants both. */
static tcf_status gives_slice(tcf_self *self, tcf_slice *s)
{
    uint64_t *stamp = s->columns[self->host->column(self, "stamp")];
    for (uint32_t i = 0; i < s->n; i++)
        stamp[i] = s->time[i] + 7;
    return TCF_OK;
}

static tcf_status gives_edges_slice(tcf_self *self, tcf_slice *s)
{
    uint16_t *weight = s->columns[self->host->column(self, "weight")];
    for (uint32_t k = 0; k < s->n_edges; k++)
        weight[k] = (uint16_t)(s->edges[k].pos < s->n ? s->time[s->edges[k].pos] : 0);
    return TCF_OK;
}

static tcf_status takes_slice(tcf_self *self, tcf_slice *s)
{
    const uint64_t *stamp = s->columns[self->host->column(self, "stamp")];
    int weight = self->host->column(self, "weight");
    for (uint32_t i = 0; i < s->n; i++) {
        if (stamp[i] != s->time[i] + 7)
            return (self->host->fail)(self, "a wrong stamp at %u", i);
        const tcf_edge *e = s->match ? tcf_edge_of(s, i) : NULL;
        if (e && weight >= 0 && ((const uint16_t *)s->columns[weight])[e - s->edges] != (uint16_t)s->time[i])
            return (self->host->fail)(self, "a wrong weight at %u", i);
    }
    return self->host->column(self, "no_such_column") == -1 ? TCF_OK : (self->host->fail)(self, "a strange column");
}

static const tcf_named_column stamps[] = {{.name = "stamp", .bytes = 8}, {0}};
static const tcf_named_column weights[] = {{.name = "weight", .bytes = 2, .at_edges = 1}, {0}};

static const tcf_filter gives = {
    TCF_FILTER_HEAD, .name = "gives", .version = "1", .summary = "Provides a column", .provides = stamps,
    .slice = gives_slice,
};

static const tcf_filter gives_edges = {
    TCF_FILTER_HEAD, .name = "gives_edges", .version = "1", .summary = "Provides a column at edges",
    .provides = weights, .needs = TCF_NEEDS_EDGES, .slice = gives_edges_slice,
};

static tcf_status keep_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    (void)s;
    return TCF_OK;
}

static const tcf_named_column moves[] = {{.name = "move", .bytes = 8, .of_times = 1}, {0}};

static const tcf_filter tells_moves = {
    TCF_FILTER_HEAD, .name = "tells_moves", .version = "1", .summary = "Provides a column that speaks of times",
    .provides = moves, .writes = TCF_TIME, .slice = keep_slice,
};

static const tcf_filter moves_more = {
    TCF_FILTER_HEAD, .name = "moves_more", .version = "1", .summary = "Says that it moves events", .writes = TCF_TIME,
    .slice = keep_slice,
};

static const tcf_filter takes_moves = {
    TCF_FILTER_HEAD, .name = "takes_moves", .version = "1", .summary = "Requires a column that speaks of times",
    .requires = moves, .slice = keep_slice,
};

static const tcf_filter takes = {
    TCF_FILTER_HEAD, .name = "takes", .version = "1", .summary = "Requires a column", .requires = stamps,
    .slice = takes_slice,
};

/* Moves time backwards at event 5 of location 1; declares it, or not. */
static void spoil(tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (s->location == 1 && s->first + i == 5)
            s->time[i] = 3;
}

static tcf_status spoil_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    spoil(s, 0, s->n);
    return TCF_OK;
}

static tcf_status spoil_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    spoil(s, from, to);
    return TCF_OK;
}

static tcf_status spoil_hold(tcf_self *self, tcf_slice *s)
{
    spoil(s, 0, s->n);
    return hold_slice(self, s);
}

static tcf_status later_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    for (uint32_t i = from; i < to; i++)
        s->time[i] += 100;
    return TCF_OK;
}

static tcf_status spoil_insert(tcf_self *self, tcf_slice *s)
{
    uint32_t capacity;
    tcf_slice *mine = self->host->slice_new(self, s->location, &capacity);
    if (!mine)
        return TCF_ERROR;
    mine->time[0] = s->time[0] > 100 ? s->time[0] - 100 : 0;
    mine->kind[0] = TCF_OMP_JOIN;
    mine->attr[0] = 0;
    mine->n = 1;
    return self->host->emit(self, mine);
}

static tcf_status spoil_record(tcf_self *self, tcf_slice *s)
{
    (void)self;
    s->rec[s->n - 1].enter.region = 0;
    s->kind[s->n - 1] = TCF_LEAVE;
    return TCF_OK;
}

static const tcf_filter earlier = {
    TCF_FILTER_HEAD, .name = "earlier", .version = "1", .summary = "Breaks time", .writes = TCF_TIME,
    .slice = spoil_slice,
};
static const tcf_filter earlier_span = {
    TCF_FILTER_HEAD, .name = "earlier_span", .version = "1", .summary = "Breaks time", .writes = TCF_TIME,
    .span = spoil_span,
};
static const tcf_filter earlier_hold = {
    TCF_FILTER_HEAD, .name = "earlier_hold", .version = "1", .summary = "Breaks time", .writes = TCF_TIME,
    .params = hold_params, .conf_size = sizeof(struct hold_conf), .needs = TCF_HOLDS | TCF_TOGETHER,
    .slice = spoil_hold, .begin = hold_begin, .flush = hold_flush, .end = hold_end,
};
static const tcf_filter earlier_insert = {
    TCF_FILTER_HEAD, .name = "earlier_insert", .version = "1", .summary = "Breaks time", .needs = TCF_INSERTS,
    .slice = spoil_insert,
};
static const tcf_filter later = {
    TCF_FILTER_HEAD, .name = "later", .version = "1", .summary = "Moves time", .writes = TCF_TIME, .span = later_span,
};
static const tcf_filter secret = {
    TCF_FILTER_HEAD, .name = "secret", .version = "1", .summary = "Writes what it doesn't declare",
    .writes = TCF_TIME, .slice = spoil_record,
};
static const tcf_filter secret_span = {
    TCF_FILTER_HEAD, .name = "secret_span", .version = "1", .summary = "Writes what it doesn't declare",
    .writes = TCF_REC, .span = spoil_span,
};

/* Write before their span, and behind it: what they declare, but not where they may. */
static tcf_status stray_behind_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    (void)to;
    if (from > 0)
        s->rec[0].enter.region++;
    return TCF_OK;
}

static tcf_status stray_ahead_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    if (from == 0 && to < s->n)
        s->attr[s->n - 1]++;
    return TCF_OK;
}

static const tcf_filter stray_behind = {
    TCF_FILTER_HEAD, .name = "stray_behind", .version = "1", .summary = "Writes where it may not", .writes = TCF_REC,
    .span = stray_behind_span,
};
static const tcf_filter stray_ahead = {
    TCF_FILTER_HEAD, .name = "stray_ahead", .version = "1", .summary = "Writes where it may not", .writes = TCF_ATTR,
    .span = stray_ahead_span,
};

/* -------------------------------------------------------------------------------------------------- the input -- */

static tcfh *make(uint32_t processes)
{
    static const tcf_filter *const all[] = {&hold, &ends, &insert, &drop, &watch, &gives, &gives_edges, &takes, &tells_moves, &moves_more, &takes_moves,
                                            &earlier, &earlier_span, &earlier_hold, &earlier_insert, &later, &secret,
                                            &secret_span, &stray_behind, &stray_ahead};
    tcfh *h = tcfh_new();
    memset(&saw, 0, sizeof saw);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        tcfh_filter(h, all[i]);
    tcfh_processes(h, processes, 1);
    tcfh_region(h, "even");
    tcfh_region(h, "odd");
    return h;
}

/* Regions alone: n events a location, at a pace of its own. */
static void feed_regions(tcfh *h, uint32_t locations, uint32_t n)
{
    for (uint32_t l = 0; l < locations; l++)
        for (uint32_t i = 0; i < n; i++)
            (i % 2 ? tcfh_leave : tcfh_enter)(h, l, 10 + i * (1 + 3 * l), i / 2 % 2);
}

/* Random messages, numbered by their length, among other events; every clock starts at a time of its own. Sends of
 * one channel are received in order. Tag 66 is as good as any. */
static uint32_t feed_messages(tcfh *h, uint32_t processes, uint32_t events, uint64_t seed)
{
    enum { PENDING = 64 };
    struct {
        uint32_t from, to, tag, id;
    } pending[PENDING];
    uint32_t n = 0, id = 0;
    uint64_t clock[MOST];
    random_state = seed;
    for (uint32_t p = 0; p < processes; p++)
        clock[p] = 100 + draw(1000);
    while (events > 0 || n > 0) {
        uint32_t from = draw(processes), to = draw(processes), k;
        clock[from] += draw(9);
        if (events > 0 && draw(3) == 0) {
            tcfh_enter(h, from, clock[from], draw(2));
            events--;
        } else if (events > 0 && n < PENDING && draw(2) == 0) {
            pending[n].from = from, pending[n].to = to;
            pending[n].tag = draw(2) ? 66 : 1;
            pending[n].id = ++id;
            tcfh_send(h, from, clock[from], to, pending[n++].tag, id);
            events--;
        } else if (n > 0) { /* the first message that is pending on some channel */
            for (k = draw(n); k > 0; k--) {
                uint32_t j = 0;
                while (j < k && (pending[j].from != pending[k].from || pending[j].to != pending[k].to ||
                                 pending[j].tag != pending[k].tag))
                    j++;
                if (j == k)
                    break;
            }
            clock[pending[k].to] += draw(9);
            tcfh_receive(h, pending[k].to, clock[pending[k].to], pending[k].from, pending[k].tag, pending[k].id);
            memmove(&pending[k], &pending[k + 1], (--n - k) * sizeof pending[0]);
        }
    }
    return id;
}

/* ------------------------------------------------------------------------------------------------------ tests -- */

static void passes_everything(void **state)
{
    (void)state;
    tcfh *h = make(3);
    uint32_t m = tcfh_metric(h, "flops", 4);
    tcf_attribute pair[2] = {{7, tcfh_attribute(h, "a", 4), 4}, {UINT64_MAX, tcfh_attribute(h, "b", 4), 4}};
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t l = i % 3;
        tcfh_metric_value(h, l, i, m, 4, i * 1000003ull);
        tcfh_enter(h, l, i, i & 1);
        if (i % 7 < 3)
            tcfh_attributes(h, l, i % 7, pair);
    }
    for (uint64_t seed = 0; seed < 4; seed++) {
        memset(&saw, 0, sizeof saw);
        tcfh_cut(h, seed);
        tcfh_run(h, "[pipeline]\nchain = ends\nslice = %u\n", seed ? 5u : 0u);
        tcfh_unchanged(h);
        tcfh_run(h, "[pipeline]\nchain = ends watch\nslice = %u\n", seed ? 5u : 0u);
        tcfh_unchanged(h);
        for (int l = 0; l < 3; l++) {
            assert_int_equal(saw.at[l].events, 4000);
            assert_int_equal(saw.at[l].ends, 2);
            assert_int_equal(saw.seen[0][l], 2000);
        }
    }
    tcfh_delete(h);
}

static void empty_traces(void **state)
{
    (void)state;
    tcfh *h = make(3);
    static const char *const chains[] = {"ends", "hold ends", "watch ends", "watch hold ends", "hold watch ends"};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        memset(&saw, 0, sizeof saw);
        tcfh_run(h, "[pipeline]\nchain = %s\n", chains[i]);
        tcfh_unchanged(h);
        for (int l = 0; l < 3; l++)
            assert_int_equal(saw.at[l].ends, 1);
    }
    tcfh_delete(h);
}

static void holds_for_the_watermark(void **state)
{
    (void)state;
    tcfh *h = make(4);
    feed_regions(h, 4, 700);
    static const char *const chains[] = {"hold ends", "watch hold ends", "hold watch ends", "hold ends watch"};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++)
        for (uint64_t seed = 0; seed < 2; seed++) {
            memset(&saw, 0, sizeof saw);
            tcfh_cut(h, seed);
            tcfh_run(h, "[pipeline]\nchain = %s\nslice = 16\n", chains[i]);
            tcfh_unchanged(h);
            assert_int_equal(saw.flushes, 0);
            assert_int_equal(saw.early, 0);
            assert_int_equal(tcfh_note(h, "released_early"), 0);
            for (int l = 0; l < 4; l++) {
                assert_int_equal(saw.at[l].events, 700);
                assert_int_equal(saw.at[l].ends, 1);
                assert_int_equal(saw.at[l].out_of_order, 0);
            }
        }
    tcfh_delete(h);
}

static void releases_when_the_pool_is_dry(void **state)
{
    (void)state;
    tcfh *h = make(3);
    feed_messages(h, 3, 6000, 5);
    static const char *const chains[] = {"hold ends", "watch hold ends", "first hold second ends"};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        memset(&saw, 0, sizeof saw);
        tcfh_run(h,
                    "[pipeline]\nchain = %s\nslice = 4\nlookahead = 0\nmemory = 1MiB\n"
                    "[hold]\nhoard = yes\n%s",
                    chains[i], i == 2 ? "[first]\nfilter = watch\n[second]\nfilter = watch\n" : "");
        tcfh_unchanged(h);
        assert_true(saw.flushes > 0);
        assert_true(tcfh_note(h, "released_early") > 0);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
        assert_int_equal(saw.wrong[0] + saw.wrong[1], 0);
        for (int l = 0; l < 3; l++) {
            assert_int_equal(saw.at[l].ends, 1);
            assert_int_equal(saw.at[l].out_of_order, 0);
        }
    }
    tcfh_delete(h);
}

static void inserts(void **state)
{
    (void)state;
    tcfh *h = make(3);
    uint32_t messages = feed_messages(h, 3, 2000, 9);
    static const char *const chains[] = {"insert ends", "insert first ends", "first insert second ends",
                                         "first hold insert second ends"};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        size_t before, inserted = 0;
        memset(&saw, 0, sizeof saw);
        tcfh_run(h, "[pipeline]\nchain = %s\nslice = 32\n%s%s", chains[i], i >= 1 ? "[first]\nfilter = watch\n" : "",
                    i >= 2 ? "[second]\nfilter = watch\n" : "");
        for (uint32_t l = 0; l < 3; l++) {
            const tcfh_out *out = tcfh_output(h, l, &before);
            for (size_t k = 0; k < before; k++)
                inserted += out[k].kind == TCF_PARAMETER_INT && out[k].rec.parameter_int.value == 42;
            for (size_t k = 1; k < before; k++)
                assert_true(out[k].time >= out[k - 1].time);
            assert_int_equal(saw.at[l].events, before);
        }
        assert_true(inserted > 60);
        assert_int_equal(saw.wrong[0] + saw.wrong[1] + saw.unmatched[0] + saw.unmatched[1], 0);
        assert_int_equal(saw.matched[0], i >= 1 ? messages : 0);
        assert_int_equal(saw.matched[1], i >= 2 ? messages : 0);
    }
    tcfh_delete(h);
}

static void drops_ends_of_messages(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        tcfh *h = make(4);
        uint32_t messages = feed_messages(h, 4, 1500, seed), dropped = 0;
        tcfh_cut(h, seed % 2 ? seed : 0);
        for (int what = 0; what < 3; what++) {
            memset(&saw, 0, sizeof saw);
            tcfh_run(h,
                        "[pipeline]\nchain = drop first hold second\nslice = %u\nverify = yes\n[drop]\nsends = %s\n"
                        "receives = %s\nregions = yes\n[first]\nfilter = watch\n[second]\nfilter = watch\n",
                        seed < 4 ? 7u : 1024u, what != 1 ? "yes" : "no", what != 0 ? "yes" : "no");
            assert_int_equal(saw.wrong[0] + saw.wrong[1], 0);
            assert_int_equal(tcfh_note(h, "given_up"), 0);
            if (what == 0)
                dropped = (uint32_t)saw.unmatched[0];
            for (int k = 0; k < 2; k++) {
                assert_int_equal(saw.matched[k], messages - dropped);
                assert_int_equal(saw.unmatched[k], what == 0 ? dropped : 0);
                assert_int_equal(saw.receives[k], what == 0 ? messages : messages - dropped);
            }
        }
        assert_true(dropped > 0 && dropped < messages);
        tcfh_delete(h);
    }
}

/* A tombstone stands in front of a receive that waits, and what has passed is sent out for want of memory: the
 * tombstone must not count twice. */
static void tombstone_in_front_of_a_parked_receive(void **state)
{
    (void)state;
    tcfh *h = make(3);
    for (uint32_t i = 0; i < 40; i++) { /* to 2: two dropped messages, and one that comes late */
        tcfh_enter(h, 1, 100 * i, 0);
        tcfh_send(h, 1, 100 * i + 1, 2, 66, 1000 + i);
        tcfh_receive(h, 1, 100 * i + 2, 0, 1, i);
        for (uint32_t k = 0; k < 30; k++)
            tcfh_enter(h, 0, 100 * i + 50 + k, 0);
        tcfh_send(h, 0, 100 * i + 99, 1, 1, i);
        tcfh_receive(h, 2, 100 * i + 5, 1, 66, 1000 + i);
    }
    tcfh_run(h, "[pipeline]\nchain = drop watch hold\nslice = 4\nlookahead = 0\nmemory = 1MiB\n"
                   "[drop]\nsends = yes\n[hold]\nhoard = yes\n");
    assert_true(saw.flushes > 0);
    assert_int_equal(saw.matched[0], 40);
    assert_int_equal(saw.unmatched[0], 40);
    assert_int_equal(saw.wrong[0], 0);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    tcfh_delete(h);
}

static void several_segments(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        tcfh *h = make(5);
        uint32_t messages = feed_messages(h, 5, 2500, seed);
        tcfh_cut(h, seed % 3);
        memset(&saw, 0, sizeof saw);
        tcfh_run(h,
                    "[pipeline]\nchain = first hold second ends\nslice = %u\nverify = %s\n[first]\nfilter = watch\n"
                    "[second]\nfilter = watch\n",
                    3u << seed, seed % 2 ? "yes" : "no");
        tcfh_unchanged(h);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(saw.matched[k], messages);
            assert_int_equal(saw.unmatched[k] + saw.wrong[k], 0);
            for (int l = 0; l < 5; l++)
                assert_int_equal(saw.seen[k][l], saw.at[l].events);
        }
        assert_int_equal(tcfh_note(h, "given_up"), 0);
        tcfh_delete(h);
    }
}

static void named_columns(void **state)
{
    (void)state;
    tcfh *h = make(2);
    feed_messages(h, 2, 900, 3);
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = ends takes\n"), TCF_ERROR);
    assert_true(tcfh_error_is_usage(h));
    assert_non_null(strstr(tcfh_error(h), "'takes' requires the column 'stamp'"));
    assert_non_null(strstr(tcfh_error(h), "put 'gives' before it"));
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = takes gives\n"), TCF_ERROR);
    tcfh_run(h, "[pipeline]\nchain = gives takes\nslice = 10\n");
    tcfh_unchanged(h);
    tcfh_run(h, "[pipeline]\nchain = moves_more tells_moves ends takes_moves\n");
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = tells_moves moves_more takes_moves\n"), TCF_ERROR);
    assert_true(tcfh_error_is_usage(h));
    assert_non_null(strstr(tcfh_error(h), "'moves_more' between them moves events"));
    tcfh_run(h, "[pipeline]\nchain = gives_edges gives watch hold takes\nslice = 10\n");
    tcfh_unchanged(h);
    tcfh_run(h, "[pipeline]\nchain = gives gives_edges drop takes\n[drop]\nsends = yes\nregions = yes\n");
    tcfh_delete(h);
}

/* Each waits for the other: one of them goes on, and its event says that it is unmatched, for every segment. */
static void given_up(void **state)
{
    (void)state;
    tcfh *h = make(2);
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_receive(h, l, 10, 1 - l, 7, 8);
        tcfh_send(h, l, 20, 1 - l, 7, 8);
        tcfh_receive(h, l, 30, 1 - l, 7, 8);
        tcfh_send(h, l, 40, 1 - l, 7, 8);
    }
    for (uint32_t slice = 0; slice < 4; slice++) {
        memset(&saw, 0, sizeof saw);
        tcfh_run(h, "[pipeline]\nchain = first ends second\nslice = %u\n[first]\nfilter = watch\n[second]\nfilter = watch\n",
                    slice);
        assert_int_equal(saw.wrong[0] + saw.wrong[1], 0);
        assert_true(saw.unmatched[0] > 0 && saw.unmatched[1] > 0);
    }
    tcfh_delete(h);
}

static void undeclared_changes(void **state)
{
    (void)state;
    tcfh *h = make(2);
    feed_regions(h, 2, 9);
    tcfh_run(h, "[pipeline]\nchain = secret\n");
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = ends secret\nverify = yes\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "filter 'secret' changed a column of location 1000 "));
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = watch secret_span\nverify = yes\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "filter 'secret_span' changed a column of location 2000 "));
    tcfh_delete(h);
}

/* Spans in pieces, split slices, holders behind: what stays within its span passes, nothing else does. */
static void changes_outside_of_the_span(void **state)
{
    (void)state;
    tcfh *h = make(2);
    feed_messages(h, 2, 900, 3);
    for (uint32_t slice = 0; slice < 300; slice += 100) {
        tcfh_run(h, "[pipeline]\nchain = watch later hold later2\nslice = %u\nverify = yes\n[later2]\nfilter = later\n",
                    slice);
        assert_int_equal(tcfh_try(h, "[pipeline]\nchain = watch stray_behind\nslice = %u\nverify = yes\n", slice),
                         TCF_ERROR);
        assert_non_null(strstr(tcfh_error(h), "'watch' or 'stray_behind' changed events of location "));
        assert_int_equal(tcfh_try(h, "[pipeline]\nchain = stray_ahead\nslice = %u\nverify = yes\n", slice), TCF_ERROR);
        assert_non_null(strstr(tcfh_error(h), "filter 'stray_ahead' changed events of location "));
        tcfh_run(h, "[pipeline]\nchain = stray_behind\nslice = %u\n", slice);
    }
    tcfh_delete(h);
}

static void decreasing_times(void **state)
{
    (void)state;
    static const struct {
        const char *chain, *filter;
    } cases[] = {{"ends earlier", "'earlier'"}, {"watch earlier_span", "'earlier_span'"},
                 {"later earlier_span", "'earlier_span'"}, {"earlier_hold", "'earlier_hold'"},
                 {"watch earlier_hold", "'earlier_hold'"}, {"later watch earlier_span later2", "'earlier_span'"}};
    tcfh *h = make(2);
    feed_regions(h, 2, 9);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t slice = 3; slice <= 6; slice++) {
            assert_int_equal(tcfh_try(h, "[pipeline]\nchain = %s\nslice = %u\n%s", cases[i].chain, slice,
                                         i == 5 ? "[later2]\nfilter = later\n" : ""),
                             TCF_ERROR);
            assert_non_null(strstr(tcfh_error(h), cases[i].filter));
            assert_non_null(strstr(tcfh_error(h), "location 2000"));
            assert_non_null(strstr(tcfh_error(h), "event 5 "));
        }
    tcfh_run(h, "[pipeline]\nchain = earlier_insert\n"); /* one slice: what it inserts comes first */
    tcfh_clear(h);
    feed_regions(h, 2, 900);
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = earlier_insert\nslice = 40\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "'earlier_insert' let time decrease"));
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_everything),
        cmocka_unit_test(empty_traces),
        cmocka_unit_test(holds_for_the_watermark),
        cmocka_unit_test(releases_when_the_pool_is_dry),
        cmocka_unit_test(inserts),
        cmocka_unit_test(drops_ends_of_messages),
        cmocka_unit_test(tombstone_in_front_of_a_parked_receive),
        cmocka_unit_test(several_segments),
        cmocka_unit_test(named_columns),
        cmocka_unit_test(given_up),
        cmocka_unit_test(undeclared_changes),
        cmocka_unit_test(changes_outside_of_the_span),
        cmocka_unit_test(decreasing_times),
    };
    return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
