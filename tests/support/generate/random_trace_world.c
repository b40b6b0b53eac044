/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Randomness, clocks, threads and the recording of events; see random_trace_world.h. */
#include "random_trace_world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BASE_NS 1e12 /* local clocks start here, give or take their offset */

/* ---- randomness: splitmix64 ---- */

uint64_t rt_random(struct world *w)
{
    w->random += 0x9e3779b97f4a7c15u;
    return trace_mix(w->random);
}

uint32_t rt_below(struct world *w, uint32_t n)
{
    return (uint32_t)((rt_random(w) >> 32) * n >> 32);
}

static double rt_real(struct world *w)
{
    return (double)(rt_random(w) >> 11) * 0x1p-53;
}

bool rt_chance(struct world *w, double probability)
{
    return rt_real(w) < probability;
}

void rt_shuffle(struct world *w, uint32_t *values, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = rt_below(w, i), swap = values[i - 1];
        values[i - 1] = values[j];
        values[j] = swap;
    }
}

bool rt_has(const struct world *w, uint32_t feature)
{
    return (w->options->features & feature) != 0;
}

/* ---- clocks ---- */

static double symmetric(struct world *w, double largest)
{
    return (2.0 * rt_real(w) - 1.0) * largest;
}

static double without_floor(const struct clock *c, uint32_t segment, double time)
{
    double jumped = segment == 0 ? 0.0 : c->jump[segment - 1].by;

    return BASE_NS + c->offset + time * (1.0 + c->drift) + jumped;
}

/* Jumps fall anywhere in the expected length of the program. A jump back makes the clock stand still. */
static void set_clock(struct world *w, struct clock *c, double length)
{
    const struct random_trace_options *o = w->options;
    double floor = 0.0, by = 0.0;

    c->offset = symmetric(w, o->clock_offset_ns);
    c->drift = symmetric(w, o->clock_drift_ppm) * 1e-6;
    c->jumps = o->clock_jumps;
    for (uint32_t i = 0; i < c->jumps; i++) {
        c->jump[i].at = length * ((double)i + rt_real(w)) / (double)c->jumps;
        double before = without_floor(c, i, c->jump[i].at);
        floor = before > floor ? before : floor;
        by += symmetric(w, o->clock_jump_ns);
        c->jump[i].by = by;
        c->jump[i].floor = floor;
    }
}

static double local_ns(const struct clock *c, uint64_t time)
{
    uint32_t segment = 0;

    while (segment < c->jumps && c->jump[segment].at <= (double)time)
        segment++;
    double local = without_floor(c, segment, (double)time);
    return segment > 0 && local < c->jump[segment - 1].floor ? c->jump[segment - 1].floor : local;
}

uint64_t rt_tick(const struct world *w, uint32_t rank, uint64_t time)
{
    return (uint64_t)(local_ns(&w->ranks[rank].clock, time) * ((double)w->options->ticks_per_second * 1e-9)) +
           w->options->shift_ticks;
}

/* ---- ids ---- */

static OTF2_LocationRef location_ref(const struct world *w, uint32_t rank, uint32_t slot)
{
    if (w->options->comms_per_rank)
        return rank * (uint64_t)RT_BLOCK + slot;
    uint64_t plain = (uint64_t)slot << 32 | rank; /* as Score-P does it */

    return w->options->sparse_locations ? trace_mix(plain + 0x9e3779b97f4a7c15u) : plain;
}

uint32_t rt_process(const struct world *w, uint32_t rank)
{
    return rank / w->options->ranks_per_process;
}

/* EZTrace's ids are multiples of 536,870,911; being odd, that is one to one modulo 2^32. */
uint32_t rt_region_ref(const struct world *w, uint32_t rank, uint32_t region)
{
    uint32_t id = w->options->regions_per_rank ? region * w->options->ranks + rank : region;

    return w->options->sparse_regions ? id * 536870911u : id;
}

uint32_t rt_comm_ref(const struct world *w, const struct comm *comm, uint32_t rank)
{
    return w->options->comms_per_rank && comm->number > 0 ? rank * RT_BLOCK + comm->number : comm->number;
}

/* The OpenMP team or the Pthread contingent of a rank, behind all communicators. */
uint32_t rt_team_ref(const struct world *w, uint32_t rank, bool pthread)
{
    return MAX_COMMS * w->options->ranks + 2 * rank + pthread;
}

uint32_t rt_nested_ref(const struct world *w, uint32_t rank)
{
    return (MAX_COMMS + 2) * w->options->ranks + rank;
}

/* Of the master and SIZE - 1 of the workers, where there are more. */
uint32_t rt_small_team_ref(const struct world *w, uint32_t rank, uint32_t size)
{
    return (MAX_COMMS + 3) * w->options->ranks + MAX_OMP * rank + size;
}

uint32_t rt_team_slot(const struct world *w, uint32_t size, uint32_t i)
{
    return i == 0 ? SLOT_MASTER : w->options->omp_threads - size + i;
}

/* Behind those of puts and gets. */
uint32_t rt_window(const struct comm *comm)
{
    return 100 + comm->number;
}

/* ---- threads ---- */

struct location *rt_thread(struct world *w, uint32_t rank, uint32_t slot)
{
    return &w->ranks[rank].threads[slot];
}

void rt_start(struct world *w, struct location *l, uint64_t now)
{
    rt_wait_until(l, now);
    if (l->writer != NULL)
        return;
    l->writer = trace_events(&w->trace, l->ref);
}

/* Never below 300 ns on one node, 1,500 ns between nodes; now and then much longer. */
uint64_t rt_latency(struct world *w, uint32_t from, uint32_t to)
{
    uint32_t per_node = w->options->ranks_per_node;
    bool near = from / per_node == to / per_node;
    uint64_t latency = near ? 300 + rt_below(w, 900) : 1500 + rt_below(w, 3000);

    return rt_chance(w, 0.02) ? latency + rt_below(w, 200000) : latency;
}

void rt_work(struct world *w, struct location *l)
{
    l->now += rt_chance(w, 0.03) ? rt_below(w, 300000) : rt_below(w, 4000);
}

void rt_wait_until(struct location *l, uint64_t time)
{
    if (l->now < time)
        l->now = time;
}

void rt_later_than(struct world *w, struct location *l, uint64_t tick)
{
    uint64_t step = 1 + UINT64_C(1000000000) / w->options->ticks_per_second;

    for (; rt_tick(w, l->rank, l->now) <= tick; step *= 2)
        l->now += step;
}

/* Threads of a rank that post in the same place must differ in time, on the clock that they share. */
void rt_take_turn(struct world *w, const struct turn *turn, struct location *l)
{
    if (turn->last != NULL && turn->last != l)
        rt_later_than(w, l, turn->tick);
}

void rt_had_turn(const struct world *w, struct turn *turn, const struct location *l)
{
    turn->last = l;
    turn->tick = rt_tick(w, l->rank, l->now);
}

/* ---- recording ---- */

static void add_attributes(struct world *w)
{
    uint32_t n = 1 + rt_below(w, 2);

    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeValue value = {.uint64 = rt_random(w) >> (rt_below(w, 8) * 8)};
        expect(&w->trace, OTF2_AttributeList_AddAttribute(w->list, i, OTF2_TYPE_UINT64, value), "attribute");
    }
}

int64_t rt_begin_event(struct world *w, struct location *l, uint64_t *tick, OTF2_AttributeList **list)
{
    if (!rt_chance(w, w->options->equal_timestamps))
        l->now += 1 + rt_below(w, 150);
    if (l->ended || l->writer == NULL)
        return -1;
    if (l->silent > 0 && !w->kept) {
        l->silent--;
        return -1;
    }
    if (w->options->lose_any > 0 && !w->kept && rt_chance(w, w->options->lose_any))
        return -1;
    *tick = rt_tick(w, l->rank, l->now);
    if (*tick < l->last_tick) {
        fprintf(stderr, "random_trace: a clock ran backwards\n");
        w->trace.failed = true;
    }
    l->last_tick = *tick;
    if (w->events++ == 0 || *tick < w->first_tick)
        w->first_tick = *tick;
    if (*tick > w->last_tick)
        w->last_tick = *tick;
    if (rt_has(w, RT_ATTRIBUTES) && rt_chance(w, 0.05)) {
        add_attributes(w);
        *list = w->list;
    }
    return (int64_t)l->events++;
}

/* Synchronous metrics come right before the enter or leave that they belong to. */
static void put_metric(struct world *w, struct location *l)
{
    static const OTF2_Type types[2] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
    OTF2_MetricValue values[2] = {{.unsigned_int = rt_random(w) >> 40}, {.floating_point = rt_real(w)}};

    if (rt_has(w, RT_METRICS) && rt_chance(w, 0.3))
        RT_PUT(w, l, Metric, 0, 2, types, values);
    if (rt_has(w, RT_COUNTERS) && rt_chance(w, 0.3))
        rt_put_counters(w, l);
}

static bool communicates(const struct location *l)
{
    return l->slot == SLOT_MASTER || l->slot == SLOT_MPI;
}

/*
 * The threads of a rank that communicate end together, with nothing under way: what was cut off can
 * then not be taken for something else. The others end before a call (see rt_enter). */
void rt_end_early(struct world *w)
{
    for (uint32_t r = 0; r < w->options->ranks; r++) {
        struct location *master = rt_thread(w, r, SLOT_MASTER);
        if (master->ended || master->events < master->end_after)
            continue;
        rt_complete_rank(w, r);
        for (uint32_t s = 0; s < SLOTS; s++)
            rt_thread(w, r, s)->ended = true;
    }
}

int64_t rt_enter(struct world *w, struct location *l, uint32_t region)
{
    if (!communicates(l) && l->events >= l->end_after)
        l->ended = true;
    put_metric(w, l);
    if (l->depth == MAX_DEPTH) {
        fprintf(stderr, "random_trace: regions nest too deep\n");
        w->trace.failed = true;
        return -1;
    }
    l->stack[l->depth++] = region;
    if (w->options->contexts)
        return RT_PUT(w, l, CallingContextEnter, rt_context_ref(w, l, region), 1);
    return RT_PUT(w, l, Enter, rt_region_ref(w, l->rank, region));
}

int64_t rt_leave(struct world *w, struct location *l)
{
    uint32_t region = l->stack[l->depth - 1], context = rt_context_ref(w, l, region);

    l->depth--;
    put_metric(w, l);
    if (w->options->contexts)
        return RT_PUT(w, l, CallingContextLeave, context);
    return RT_PUT(w, l, Leave, rt_region_ref(w, l->rank, region));
}

void rt_edge(struct world *w, const char *kind, uint32_t number, const struct location *from, int64_t from_index,
             const struct location *to, int64_t to_index)
{
    fprintf(w->truth, "%s,%" PRIu32 ",%" PRIu64 ",%" PRId64 ",%" PRIu64 ",%" PRId64 "\n", kind, number, from->ref,
            from_index, to->ref, to_index);
}

/* A few calls, never deeper than leaves room for what follows inside. */
void rt_op_compute(struct world *w)
{
    struct location *l = rt_thread(w, rt_below(w, w->options->ranks), SLOT_MASTER);
    uint32_t steps = 2 + rt_below(w, 20);
    uint32_t base = l->depth;

    for (uint32_t i = 0; i < steps; i++) {
        bool down = l->depth == base || (l->depth < 7 && rt_chance(w, 0.5));
        rt_work(w, l);
        if (down)
            rt_enter(w, l, R_USER_FIRST + rt_below(w, R_USER_LAST - R_USER_FIRST + 1));
        else
            rt_leave(w, l);
    }
    while (l->depth > base && (l->depth >= 6 || rt_chance(w, 0.8))) /* some regions stay open */
        rt_leave(w, l);
    while (l->depth > 1 && base > 1 && rt_chance(w, 0.4))
        rt_leave(w, l);
}

/* ---- communicators ---- */

struct comm *rt_add_comm(struct world *w, uint32_t size)
{
    struct comm *comm = &w->comms[w->comm_count];

    if (w->comm_count == MAX_COMMS || size == 0)
        return NULL;
    comm->member = calloc(size, sizeof *comm->member);
    comm->turn = calloc(size, sizeof *comm->turn);
    if (comm->member == NULL || comm->turn == NULL) {
        free(comm->member);
        free(comm->turn);
        w->trace.failed = true;
        return NULL;
    }
    comm->number = w->comm_count++;
    comm->size = comm->size_a = size;
    comm->parent = -1;
    comm->group = (int)comm->number;
    return comm;
}

/* The rank of a member as its partners record it: in an inter-communicator, that in its own group. */
uint32_t rt_member_rank(const struct comm *comm, uint32_t member)
{
    if (comm->self)
        return 0;
    return comm->inter && member >= comm->size_a ? member - comm->size_a : member;
}

/* MPI_COMM_WORLD (index 0) is preferred, so that programs stay coupled. */
uint32_t rt_pick_comm(struct world *w, uint32_t least_size, bool intra)
{
    for (int attempt = 0; attempt < 8; attempt++) {
        uint32_t i = rt_chance(w, 0.4) ? 0 : rt_below(w, w->comm_count);
        const struct comm *comm = &w->comms[i];
        if (!comm->freed && comm->size >= least_size && !(intra && comm->inter) && !(comm->self && least_size > 1))
            return i;
    }
    return 0;
}

/* ---- opening and closing ---- */

static void set_up_ranks(struct world *w)
{
    const struct random_trace_options *o = w->options;
    double length = 4000.0 * (double)o->events / (double)o->ranks; /* of the program, a guess */
    uint64_t half = o->events / o->ranks / 2;

    for (uint32_t r = 0; r < o->ranks; r++) {
        struct rank *rank = &w->ranks[r];
        if (r % o->ranks_per_process == 0)
            set_clock(w, &rank->clock, length);
        else
            rank->clock = w->ranks[r - 1].clock;
        fprintf(w->truth, "clock,%" PRIu32 ",%.3f,%.6f,%" PRIu32 "\n", r, rank->clock.offset, rank->clock.drift * 1e6,
                rank->clock.jumps);
        rank->next_request = rt_below(w, 2) ? 1 : 140000000000000 + 64 * (uint64_t)r;
        for (uint32_t s = 0; s < SLOTS; s++) {
            struct location *l = &rank->threads[s];
            l->ref = location_ref(w, r, s);
            l->rank = r;
            l->slot = s;
            l->end_after =
                s < SLOT_STREAM && rt_chance(w, o->end_early) ? half / 2 + rt_below(w, (uint32_t)half + 1) : UINT64_MAX;
            if (o->begin_late > 0 && rt_chance(w, o->begin_late))
                l->silent = 1 + rt_below(w, (uint32_t)half + 1);
        }
    }
}

static void set_up_comms(struct world *w)
{
    struct comm *world_comm = rt_add_comm(w, w->options->ranks), *self = rt_add_comm(w, 1);

    if (w->trace.failed)
        return;
    for (uint32_t i = 0; i < world_comm->size; i++)
        world_comm->member[i] = i;
    self->self = true;
}

int rt_world_open(struct world *w, const struct random_trace_options *options)
{
    char path[4096];

    *w = (struct world){.options = options, .random = trace_mix(options->seed + 1), .next_unique_tag = 1000};
    if (!trace_open(&w->trace, options->directory, options->chunk_bytes))
        return -1;
    OTF2_Archive_SetCreator(w->trace.archive, "random-trace");
    snprintf(path, sizeof path, "%s/truth.csv", options->directory);
    w->truth = fopen(path, "w");
    if (w->truth == NULL) {
        perror(path);
        OTF2_Archive_Close(w->trace.archive);
        return -1;
    }
    w->ranks = calloc(options->ranks, sizeof *w->ranks);
    w->list = OTF2_AttributeList_New();
    if (w->ranks == NULL || w->list == NULL) {
        w->trace.failed = true;
        return 0; /* rt_world_close() reports it */
    }
    set_up_ranks(w);
    set_up_comms(w);
    return 0;
}

static void release(struct world *w)
{
    rt_free_channels(w);
    for (uint32_t i = 0; i < w->comm_count; i++) {
        free(w->comms[i].member);
        free(w->comms[i].turn);
    }
    for (uint32_t r = 0; w->ranks != NULL && r < w->options->ranks; r++)
        free(w->ranks[r].pending);
    free(w->ranks);
    if (w->list != NULL)
        OTF2_AttributeList_Delete(w->list);
}

int rt_world_close(struct world *w)
{
    for (uint32_t r = 0; w->ranks != NULL && r < w->options->ranks; r++)
        for (uint32_t s = 0; s < SLOTS; s++)
            if (w->ranks[r].threads[s].writer != NULL)
                trace_close_events(&w->trace, w->ranks[r].threads[s].writer);
    if (!w->trace.failed)
        rt_write_definitions(w);
    int status = trace_close(&w->trace);
    if (fclose(w->truth) != 0) {
        perror("truth.csv");
        status = 1;
    }
    release(w);
    return status == 0 ? 0 : -1;
}
