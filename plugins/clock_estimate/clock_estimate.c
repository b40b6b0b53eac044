/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* clock_estimate: the errors of all clocks, from the messages and collectives of the trace itself.
 *
 * A survey filter. It reads edges only: each message (sender's time, receiver's time) and each collective goes to the
 * solver (solver/solver.h). The resulting knots go to the main chain. Events pass unchanged. */
#include "clock_estimate.h"
#include "machines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/order.h>

/* This filter's own column: the size of a message, at its receive. */
#define SIZES "message_sizes"

/* --------------------------------------------------------------------------------------------------------- edges -- */

static uint32_t bytes_of(const tcf_slice *s, const tcf_edge *e)
{
    const tcf_rec *r = &s->rec[e->pos];
    uint64_t bytes = s->kind[e->pos] == TCF_MPI_RECV    ? r->mpi_recv.msg_length
                     : s->kind[e->pos] == TCF_MPI_IRECV ? r->mpi_irecv.msg_length
                                                        : 0;
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

/* Reads sizes while the records are in the cache; later that would cost as much as all the rest. */
static void note_sizes(const struct state *st, const tcf_slice *s)
{
    uint32_t *size = s->columns[st->sizes];
    for (uint32_t i = 0; i < s->n_edges; i++)
        size[i] = bytes_of(s, &s->edges[i]);
}

static void pass_message(tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint32_t unit)
{
    struct state *st = self->state;
    struct sender *sender = self->host->payload(self, e);
    if (!sender)
        return;
    if (e->flags & TCF_EDGE_SOURCE)
        *sender = (struct sender){s->time[e->pos], unit};
    else if (sender->unit != unit)
        bounds_message(st->bounds, sender->unit, sender->time, unit, s->time[e->pos],
                       ((const uint32_t *)s->columns[st->sizes])[e - s->edges]);
}

static void pass_member(tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint32_t unit)
{
    struct member *m = self->host->payload(self, e);
    if (!m)
        return;
    m->unit = unit;
    if (e->flags & TCF_EDGE_BEGIN) {
        m->begin = s->time[e->pos];
        m->gives = (e->flags & TCF_EDGE_SOURCE) != 0;
    } else {
        m->end = s->time[e->pos];
        m->gets = (e->flags & TCF_EDGE_TARGET) != 0;
    }
}

/* Edges inside of a process bound nothing if its locations share a clock. */
static tcf_status estimate_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    struct place_in_trace *l = tcf_location_state(self, s->location);
    const struct conf *conf = self->conf;
    uint32_t inside = conf->clocks == BY_LOCATION;
    if (from == 0)
        l->edge = 0;
    for (; l->edge < s->n_edges && s->edges[l->edge].pos < to; l->edge++) {
        const tcf_edge *e = &s->edges[l->edge];
        if (e->flags & (TCF_EDGE_GONE | TCF_EDGE_UNMATCHED | TCF_EDGE_LEFT))
            continue;
        if (e->class_ == TCF_CLASS_P2P)
            pass_message(self, s, e, l->unit);
        else if (e->class_ >= TCF_CLASS_ONE_TO_N && e->class_ <= TCF_CLASS_EXSCAN)
            pass_member(self, s, e, l->unit);
        else if (inside && tcf_is_message(e))
            pass_message(self, s, e, l->unit);
        else if (inside && e->class_ == TCF_CLASS_OMP_BARRIER)
            pass_member(self, s, e, l->unit);
    }
    return TCF_OK;
}

static tcf_status estimate_arrive(tcf_self *self, tcf_slice *s)
{
    struct state *st = self->state;
    struct place_in_trace *l = tcf_location_state(self, s->location);
    if (s->n == 0)
        return TCF_OK;
    l->has_events = 1;
    bounds_seen(st->bounds, l->unit, s->time[0]);
    bounds_seen(st->bounds, l->unit, s->time[s->n - 1]);
    note_sizes(st, s);
    return TCF_OK;
}

/* The members of one side of an inter-communicator wait for those of the other side only. */
static void note_sides(const tcf_definitions *defs, const tcf_collective *instance)
{
    const tcf_comm *comm = instance->comm < defs->n_comms ? tcf_comm_at(defs, instance->comm) : NULL;
    unsigned char *members = (unsigned char *)(uintptr_t)instance->members; /* this filter's own bytes */
    for (uint32_t i = 0; comm && comm->inter && i < instance->n_members; i++)
        ((struct member *)(void *)(members + i * instance->stride))->side = i < comm->size ? 1 : 2;
}

static tcf_status estimate_collective(tcf_self *self, const tcf_collective *instance)
{
    static const enum shape shapes[TCF_CLASSES] =
        {[TCF_CLASS_ONE_TO_N] = ONE_TO_ALL,    [TCF_CLASS_N_TO_ONE] = ALL_TO_ONE, [TCF_CLASS_SCAN] = LOWER_TO_HIGHER,
         [TCF_CLASS_EXSCAN] = LOWER_TO_HIGHER, [TCF_CLASS_N_TO_N] = ALL_TO_ALL,   [TCF_CLASS_BARRIER] = ALL_TO_ALL,
         [TCF_CLASS_OMP_BARRIER] = ALL_TO_ALL};
    struct state *st = self->state;
    if (instance->class_ == TCF_CLASS_UNORDERED || instance->n_members < 2)
        return TCF_OK;
    note_sides(self->defs, instance);
    st->collectives++;
    bounds_collective(st->bounds, shapes[instance->class_], instance->number, instance->members, instance->stride,
                      instance->n_members);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

struct packing {
    const tcf_host *host;
    tcf_pack *pack;
};

static void put_bytes(void *data, const void *bytes, size_t n)
{
    const struct packing *p = data;
    p->host->put(p->pack, bytes, n);
}

static void take_bytes(void *data, void *bytes, size_t n)
{
    const struct packing *p = data;
    p->host->take(p->pack, bytes, n);
}

static tcf_status estimate_pack(tcf_self *self, tcf_pack *pack)
{
    const struct state *st = self->state;
    struct packing p = {self->host, pack};
    const struct bounds_stream stream = {.data = &p, .put = put_bytes};
    self->host->put(pack, &st->collectives, sizeof st->collectives);
    self->host->put_locations(self, pack, TCF_MEMBERS(struct place_in_trace, has_events, has_events));
    bounds_put(st->bounds, &stream);
    collectives_put(st->bounds, &stream);
    return TCF_OK;
}

static tcf_status estimate_absorb(tcf_self *self, tcf_pack *pack)
{
    struct state *st = self->state;
    struct packing p = {self->host, pack};
    const struct bounds_stream stream = {.data = &p, .take = take_bytes};
    uint64_t collectives;
    self->host->take(pack, &collectives, sizeof collectives);
    st->collectives += collectives;
    self->host->take_locations(self, pack, TCF_MEMBERS(struct place_in_trace, has_events, has_events));
    bounds_take(st->bounds, &stream);
    collectives_take(st->bounds, &stream);
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------------- units -- */

/* A number for the clock of the location: locations with one number share a clock. */
static uint32_t clock_of(const tcf_definitions *defs, int clocks, uint32_t location)
{
    const tcf_location *l = tcf_location_at(defs, location);
    if (clocks == BY_NODE && tcf_defined(l->node))
        return l->node;
    if ((clocks == BY_PROCESS || clocks == FOUND) && tcf_defined(l->group))
        return tcf_process_of(defs, location); /* the process which created a group makes its timestamps */
    return defs->n_location_groups + defs->n_system_tree_nodes + location;
}

static int compare_ids(const void *a, const void *b)
{
    const struct by_id *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Sorts the locations by id, so that results don't depend on the order of definitions. */
static int sort_locations(struct state *st, const tcf_definitions *defs)
{
    st->by_id = malloc(((size_t)defs->n_locations + 1) * sizeof *st->by_id);
    if (!st->by_id)
        return -1;
    for (uint32_t k = 0; k < defs->n_locations; k++)
        st->by_id[k] = (struct by_id){tcf_location_at(defs, k)->id, k};
    qsort(st->by_id, defs->n_locations, sizeof *st->by_id, compare_ids);
    return 0;
}

/* Numbers the units in the order of their smallest ids. */
static int make_units(tcf_self *self, struct state *st, int clocks)
{
    const tcf_definitions *defs = self->defs;
    size_t most = (size_t)defs->n_location_groups + defs->n_system_tree_nodes + defs->n_locations + 1;
    uint32_t *number = calloc(most, sizeof *number);
    if (!number)
        return -1;
    for (uint32_t k = 0; k < defs->n_locations; k++) {
        uint32_t location = st->by_id[k].location, *n = &number[clock_of(defs, clocks, location)];
        if (*n == 0)
            *n = ++st->n_units;
        ((struct place_in_trace *)tcf_location_state(self, location))->unit = *n - 1;
    }
    free(number);
    return 0;
}

static int order_offsets(const void *a, const void *b)
{
    const tcf_clock_offset *const *x = a, *const *y = b;
    return TCF_FIRST(TCF_ORDER((*x)->time, (*y)->time), TCF_ORDER(*x, *y));
}

/* Passes on the measurements of a location, in the order of their times. */
static int pass_on_offsets(const struct state *st, uint32_t unit, const tcf_location *l)
{
    const tcf_clock_offset **of = malloc(l->n_clock_offsets * sizeof *of);
    int status = of ? 0 : -1;
    for (uint32_t i = 0; of && i < l->n_clock_offsets; i++)
        of[i] = &l->clock_offsets[i];
    if (of)
        tcf_sort(of, l->n_clock_offsets, sizeof *of, order_offsets);
    for (uint32_t i = 0; i < l->n_clock_offsets && status == 0; i++)
        status = bounds_measured(st->bounds, unit, of[i]->time, of[i]->offset, of[i]->standard_deviation);
    free(of);
    return status;
}

/* Passes on the machine of each unit, and the measurements of its first location with some. */
static int describe_units(tcf_self *self, struct state *st, const uint32_t *machine)
{
    const tcf_definitions *defs = self->defs;
    for (uint32_t k = defs->n_locations; k-- > 0;) {
        uint32_t location = st->by_id[k].location;
        const tcf_location *l = tcf_location_at(defs, location);
        uint32_t unit = ((struct place_in_trace *)tcf_location_state(self, location))->unit;
        struct unit *u = bounds_unit(st->bounds, unit);
        u->node = tcf_defined(l->node) ? machine[l->node] : TCF_DANGLING | unit;
        if (l->n_clock_offsets == 0)
            continue;
        u->n_measured = 0;
        if (pass_on_offsets(st, unit, l) != 0)
            return -1;
    }
    return 0;
}

static tcf_status find_reference(tcf_self *self, const char *text)
{
    struct state *st = self->state;
    char *end;
    if (!text) /* the first unit */
        return TCF_OK;
    errno = 0;
    uint64_t id = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        return self->host->refuse(self, "reference = '%s' is not a number; expected the id of a location", text);
    for (uint32_t k = 0; k < self->defs->n_locations; k++)
        if (tcf_location_at(self->defs, k)->id == id) {
            st->reference = ((struct place_in_trace *)tcf_location_state(self, k))->unit;
            return TCF_OK;
        }
    return self->host->refuse(self, "reference = %" PRIu64 ": the trace has no location of this id", id);
}

/* A good estimate of a clock takes some thousand messages and the equations of a hundred knots. With very many clocks
 * each of them gets few, and the memory of slices counts beside it. */
static uint64_t memory_for(uint32_t n_units)
{
    enum { MANY = 4096 };
    const uint64_t MiB = 1 << 20, least = 64 * MiB, most = (n_units > MANY ? 256 : 512) * MiB;
    uint64_t each = n_units * MiB;
    return each < least ? least : each > most ? most : each;
}

static tcf_status estimate_begin(tcf_self *self)
{
    struct state *st = self->state;
    const struct conf *conf = self->conf;
    if (self->changed & TCF_WRITES_TIME)
        return self->host->refuse(self,
                                  "a filter before this one changes timestamps; clocks are estimated from what the "
                                  "trace holds, so clock_estimate goes first");
    st->sizes = self->host->column(self, SIZES);
    if (sort_locations(st, self->defs) != 0 || make_units(self, st, conf->clocks) != 0)
        return self->host->fail(self, "out of memory for %u locations", self->defs->n_locations);
    st->memory = conf->memory ? conf->memory : memory_for(st->n_units);
    st->bounds = bounds_new(st->n_units, st->memory / 4);
    uint32_t *machine = machines_find(self->defs);
    int done = st->bounds && machine && describe_units(self, st, machine) == 0;
    free(machine);
    if (!done)
        return self->host->fail(self, "out of memory for %u locations", self->defs->n_locations);
    return find_reference(self, conf->reference);
}

static tcf_status estimate_init(tcf_self *self)
{
    const struct conf *conf = self->conf;
    if (conf->most_knots & (conf->most_knots - 1))
        return self->host->fail(self, "most_knots = %" PRId64 " is not a power of two", conf->most_knots);
    return check_knot_file(self);
}

static void estimate_fini(tcf_self *self, int complete)
{
    (void)complete;
    struct state *st = self->state;
    bounds_free(st->bounds);
    sharing_free(&st->sharing);
    free(st->by_id);
}

static const tcf_param params[] = {
    TCF_PARAM(
        struct conf, clocks, TCF_ENUM, "auto",
        "What shares a clock: the locations of a process, and those processes of a machine of which messages show "
        "it; or as stated: the locations of a process, of a machine, or none",
        .choices = "auto|process|node|location"),
    TCF_PARAM(struct conf, reference, TCF_STRING, "",
              "Location whose clock all others are brought to; none: the one with the smallest id",
              .unit = "location id"),
    TCF_PARAM(struct conf, knots, TCF_OUTPUT_PATH, "",
              "File for the knots: CSV lines location,time,offset,error in ticks; none: they are only handed to the "
              "main chain"),
    TCF_PARAM(struct conf, overwrite_knots, TCF_BOOL, "no", "May an existing file of knots be replaced?"),
    TCF_PARAM(struct conf, most_knots, TCF_INT, "1024",
              "Intervals between knots at most, a power of two; how many there are is found from the messages",
              .min = "1", .max = "4096", .unit = "intervals"),
    TCF_PARAM(struct conf, measured_error, TCF_DURATION, "1us",
              "Standard deviation of the clock offsets that the trace brings along, where it states less", .min = "0"),
    TCF_PARAM(struct conf, drift_rate, TCF_DOUBLE, "1e-7",
              "What a clock's rate is expected to change by unseen, between messages; it widens error bars there",
              .min = "0", .max = "0.01", .unit = "ticks a tick", .alias = "wander"),
    TCF_PARAM(struct conf, most_rate, TCF_DOUBLE, "5e-5",
              "Rates of clocks rarely differ by more; error bars rest on it where neither messages nor measurements "
              "tell a rate, unless other clocks of the trace are seen to have larger ones",
              .min = "0", .max = "0.01", .unit = "ticks a tick"),
    TCF_PARAM(
        struct conf, memory, TCF_SIZE, "0",
        "A quarter of it at most for the tightest messages and for collectives, the rest for the equations; with "
        "less, knots are fewer; 0: 1 MiB for each clock, but from 64 MiB to 512 MiB in all, 256 MiB for more than 4096 "
        "clocks",
        .unit = "bytes"),
};

static const tcf_named_column columns[] = {{.name = SIZES, .bytes = sizeof(uint32_t), .at_edges = 1}};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "clock_estimate",
    .version = "1.0",
    .summary = "Survey: estimates the clocks of all processes from messages and collectives, with error bars",
    .topic = TCF_TOPIC_CLOCKS,
    .help =
        "A message cannot arrive before it was sent. So each one bounds the difference of two clocks from one side, "
        "and messages both ways from both; the fastest ones leave a few microseconds, and all pairs and times together "
        "much less. The result is a piecewise linear correction (knots) for each process that brings it to the clock "
        "of the reference, with an error bar for each knot: within it, no message contradicts the clock. Beside the "
        "bar, which bounds the error, stands the likely error, within which 95 % of a location's times are expected. "
        "Clock offsets that the trace brings along go in as measurements.\n"
        "\n"
        "Processes of a machine that share a clock are found, and get one correction: none of their messages is "
        "reversed, and both directions take about as long, all through the run. The report names each clock that "
        "several processes have, and the evidence.\n"
        "\n"
        "What a process gets is nothing, when no message is reversed and no measurement says that the clocks differ; "
        "the measured offsets, when no message contradicts them and the error bars of the estimate aren't clearly "
        "smaller; else the estimate. Processes that nothing connects with the reference are reported as unconnected, "
        "unless the archive states in TCFLOW::CLOCK_UNCERTAINTY that a correction has brought its clocks together.\n"
        "\n"
        "Made for `survey = clock_estimate`; the filter presync of the main chain applies the knots. Events pass "
        "unchanged.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct place_in_trace),
    .location_more = 344,
    .message_bytes = sizeof(struct sender),
    .member_bytes = sizeof(struct member),
    .can = TCF_CAN_REPORT | TCF_CAN_SURVEY | TCF_CAN_SKIP_NON_EDGES | TCF_CAN_DOMAINS,
    .provides = TCF_ROWS(columns),
    .span = estimate_span,
    .arrive = estimate_arrive,
    .init = estimate_init,
    .begin = estimate_begin,
    .collective_complete = estimate_collective,
    .end = report_clocks,
    .fini = estimate_fini,
    .pack = estimate_pack,
    .absorb = estimate_absorb,
};
