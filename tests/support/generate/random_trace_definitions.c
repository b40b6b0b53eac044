/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The definitions of random traces. They are collected first, so that they can be written in any
 * order, and twice, as some measurement systems do. Local files hold the clock offsets. */
#include "random_trace_world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    D_STRING,
    D_PARADIGM,
    D_PARADIGM_PROPERTY,
    D_ATTRIBUTE,
    D_NODE,
    D_DOMAIN,
    D_GROUP_OF_LOCATIONS,
    D_LOCATION,
    D_REGION,
    D_GROUP,
    D_COMM,
    D_INTERCOMM,
    D_METRIC_MEMBER,
    D_METRIC_CLASS
};

struct definition {
    enum kind kind;
    uint64_t a[7];
    char *text;        /* of a string; owned */
    uint64_t *members; /* of a group; owned */
    uint32_t count;
};

struct definitions {
    struct world *w;
    struct definition *items;
    size_t count, capacity;
    uint32_t strings, groups;
};

enum { EMPTY = 0, NODES_PARENT = 0 }; /* string 0 is "", system tree node 0 the machine */

/* Groups before those of communicators. */
enum { G_MPI_LOCATIONS, G_SELF, G_OMP_LOCATIONS, G_PTHREAD_LOCATIONS, G_FIRST };

/* ---- the list ---- */

static struct definition *add(struct definitions *d, enum kind kind)
{
    if (d->count == d->capacity) {
        size_t capacity = d->capacity ? 2 * d->capacity : 256;
        struct definition *items = realloc(d->items, capacity * sizeof *items);
        if (items == NULL) {
            fprintf(stderr, "random_trace: out of memory\n");
            abort();
        }
        d->items = items;
        d->capacity = capacity;
    }
    struct definition *item = &d->items[d->count++];
    *item = (struct definition){.kind = kind};
    return item;
}

static void add_numbers(struct definitions *d, enum kind kind, const uint64_t a[7])
{
    memcpy(add(d, kind)->a, a, 7 * sizeof *a);
}

#define ADD(d, kind, ...) add_numbers(d, kind, (const uint64_t[7]){__VA_ARGS__})

__attribute__((format(printf, 2, 3))) static uint32_t add_string(struct definitions *d, const char *format, ...)
{
    char text[80];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct definition *item = add(d, D_STRING);
    item->a[0] = d->strings;
    item->text = strdup(text);
    return d->strings++;
}

/* A group of N members; the caller fills them in. */
static uint64_t *add_group(struct definitions *d, uint32_t ref, OTF2_GroupType type, OTF2_Paradigm paradigm, uint32_t n)
{
    struct definition *item = add(d, D_GROUP);

    item->a[0] = ref;
    item->a[1] = type;
    item->a[2] = paradigm;
    item->count = n;
    item->members = calloc(n ? n : 1, sizeof *item->members);
    if (item->members == NULL)
        abort();
    return item->members;
}

/* ---- what there is ---- */

static void add_paradigms(struct definitions *d)
{
    uint32_t mpi = add_string(d, "MPI"), omp = add_string(d, "OpenMP"), pthread = add_string(d, "POSIX threads");
    uint32_t template = add_string(d, "Comm ${id}");

    ADD(d, D_PARADIGM, OTF2_PARADIGM_MPI, mpi, OTF2_PARADIGM_CLASS_PROCESS);
    ADD(d, D_PARADIGM, OTF2_PARADIGM_OPENMP, omp, OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
    ADD(d, D_PARADIGM, OTF2_PARADIGM_PTHREAD, pthread, OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT);
    ADD(d, D_PARADIGM_PROPERTY, OTF2_PARADIGM_MPI, template);
    ADD(d, D_ATTRIBUTE, 0, add_string(d, "first attribute"));
    ADD(d, D_ATTRIBUTE, 1, add_string(d, "second attribute"));
    ADD(d, D_METRIC_MEMBER, 0, add_string(d, "counter"), OTF2_TYPE_UINT64);
    ADD(d, D_METRIC_MEMBER, 1, add_string(d, "load"), OTF2_TYPE_DOUBLE);
    ADD(d, D_METRIC_CLASS, 0);
}

static void add_system_tree(struct definitions *d)
{
    const struct random_trace_options *o = d->w->options;
    uint32_t machine = add_string(d, "machine"), class = add_string(d, "node"), nodes = 0;

    ADD(d, D_NODE, NODES_PARENT, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    ADD(d, D_DOMAIN, NODES_PARENT, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    for (uint32_t r = 0; r < o->ranks; r++) {
        if (r % o->ranks_per_node == 0) {
            nodes++;
            ADD(d, D_NODE, nodes, add_string(d, "node%" PRIu32, nodes), class, NODES_PARENT);
            ADD(d, D_DOMAIN, nodes, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
        }
        if (r % o->ranks_per_process == 0)
            ADD(d, D_GROUP_OF_LOCATIONS, rt_process(d->w, r), add_string(d, "MPI Rank %" PRIu32, r), nodes);
    }
}

/* Locations without events stand behind all others; every second of them in another process. */
static OTF2_LocationRef extra_ref(const struct world *w, uint32_t i)
{
    uint64_t plain = (UINT64_C(1000) + i) << 32 | i % w->options->ranks;

    if (w->options->comms_per_rank)
        return i % w->options->ranks * (uint64_t)RT_BLOCK + 1000 + i;
    return w->options->sparse_locations ? plain * 1000003u : plain;
}

static void add_locations(struct definitions *d)
{
    const struct random_trace_options *o = d->w->options;
    uint32_t extra = o->empty_locations + o->missing_locations;
    uint32_t master = add_string(d, "Master thread"), other = add_string(d, "Idle thread");

    for (uint32_t r = 0; r < o->ranks; r++)
        for (uint32_t s = 0; s < SLOTS; s++) {
            const struct location *l = rt_thread(d->w, r, s);
            if (l->writer == NULL && s != SLOT_MASTER)
                continue;
            uint32_t name = s == SLOT_MASTER ? master : add_string(d, "Thread %" PRIu32, s);
            ADD(d, D_LOCATION, l->ref, name, o->wrong_event_counts ? 2 : l->events, rt_process(d->w, r),
                s == SLOT_STREAM ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM : OTF2_LOCATION_TYPE_CPU_THREAD);
        }
    for (uint32_t i = 0; i < extra; i++)
        ADD(d, D_LOCATION, extra_ref(d->w, i), other, 0, rt_process(d->w, i % o->ranks), OTF2_LOCATION_TYPE_CPU_THREAD);
}

static void add_regions(struct definitions *d)
{
    uint32_t copies = d->w->options->regions_per_rank ? d->w->options->ranks : 1;

    for (uint32_t i = 0; i < REGIONS; i++) {
        char text[RT_NAME];
        if (!rt_has_region(d->w, i))
            continue;
        rt_region_name(i, text);
        OTF2_RegionRole role = rt_region_role(i);
        const uint32_t k = i - R_USER_FIRST;
        if (d->w->options->idle && k < 3) {
            role = k == 0 ? OTF2_REGION_ROLE_FUNCTION : k == 1 ? OTF2_REGION_ROLE_TASK : OTF2_REGION_ROLE_TASK_WAIT;
            snprintf(text, sizeof text, "%s", k == 0 ? "Idle" : k == 1 ? "task" : "wait for tasks");
        }
        uint32_t name = add_string(d, "%s", text);
        for (uint32_t rank = 0; rank < copies; rank++)
            ADD(d, D_REGION, rt_region_ref(d->w, rank, i), name, role, rt_region_paradigm(i), 10 * i);
    }
}

/* ---- groups and communicators ---- */

static void add_mpi_groups(struct definitions *d)
{
    uint32_t n = d->w->options->ranks;
    uint64_t *members = add_group(d, G_MPI_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, n);

    for (uint32_t r = 0; r < n; r++)
        members[r] = rt_thread(d->w, r, SLOT_MASTER)->ref;
    add_group(d, G_SELF, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0);
}

static uint32_t add_member_group(struct definitions *d, const uint32_t *ranks, uint32_t n)
{
    uint64_t *members = add_group(d, d->groups, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, n);

    for (uint32_t i = 0; i < n; i++)
        members[i] = ranks[i];
    return d->groups++;
}

static void add_comm(struct definitions *d, const struct comm *comm, uint32_t rank, uint32_t a, uint32_t b,
                     uint32_t name)
{
    const struct world *w = d->w;
    uint64_t flags = comm->number == 1 ? OTF2_COMM_FLAG_NONE : OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS;
    uint64_t parent = comm->parent < 0 ? OTF2_UNDEFINED_COMM : rt_comm_ref(w, &w->comms[comm->parent], rank);

    if (comm->inter)
        ADD(d, D_INTERCOMM, rt_comm_ref(w, comm, rank), name, a, b, parent, flags);
    else
        ADD(d, D_COMM, rt_comm_ref(w, comm, rank), name, a, parent, flags);
}

/* A duplicate has the group (the very same) of what it was made from. */
static void add_comms(struct definitions *d)
{
    const struct world *w = d->w;
    uint32_t first[MAX_COMMS], second[MAX_COMMS];

    for (uint32_t c = 0; c < w->comm_count; c++) {
        const struct comm *comm = &w->comms[c];
        uint32_t name = c == 0 ? add_string(d, "MPI_COMM_WORLD") : c == 1 ? add_string(d, "MPI_COMM_SELF") : EMPTY;
        bool shared = comm->group != (int)c;
        first[c] = comm->self ? (uint32_t)G_SELF
                   : shared   ? first[comm->group]
                              : add_member_group(d, comm->member, comm->size_a);
        second[c] = !comm->inter ? 0
                    : shared     ? second[comm->group]
                                 : add_member_group(d, comm->member + comm->size_a, comm->size - comm->size_a);
        if (!w->options->comms_per_rank || c == 0)
            add_comm(d, comm, 0, first[c], second[c], name);
        else if (comm->self)
            for (uint32_t r = 0; r < w->options->ranks; r++)
                add_comm(d, comm, r, first[c], second[c], name);
        else
            for (uint32_t i = 0; i < comm->size; i++)
                add_comm(d, comm, comm->member[i], first[c], second[c], name);
    }
}

static void add_team(struct definitions *d, uint32_t ref, OTF2_Paradigm paradigm, uint32_t first, uint32_t n)
{
    uint64_t *team = add_group(d, d->groups, OTF2_GROUP_TYPE_COMM_GROUP, paradigm, n);

    for (uint32_t i = 0; i < n; i++)
        team[i] = first + i;
    ADD(d, D_COMM, ref, EMPTY, d->groups, OTF2_UNDEFINED_COMM, 0);
    d->groups++;
}

/* The master, at FIRST, and the last workers, at the end of the full team of N; those that have come together. */
static void add_small_teams(struct definitions *d, uint32_t rank, uint32_t first, uint32_t n)
{
    struct world *w = d->w;

    for (uint32_t size = 1, workers = 0; rt_has(w, RT_TEAM_SIZES) && size < w->options->omp_threads; size++) {
        workers += size > 1 && rt_thread(w, rank, rt_team_slot(w, size, 1))->writer != NULL;
        if (workers + 1 < size || workers >= n)
            break;
        uint64_t *team = add_group(d, d->groups, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, size);
        team[0] = first;
        for (uint32_t i = 1; i < size; i++)
            team[i] = first + n - size + i;
        ADD(d, D_COMM, rt_small_team_ref(w, rank, size), EMPTY, d->groups, OTF2_UNDEFINED_COMM, 0);
        d->groups++;
    }
}

/* Threads of one paradigm: all in a COMM_LOCATIONS group, those of a rank in a team. */
static void add_teams(struct definitions *d, bool pthread)
{
    struct world *w = d->w;
    OTF2_Paradigm paradigm = pthread ? OTF2_PARADIGM_PTHREAD : OTF2_PARADIGM_OPENMP;
    uint64_t *all = calloc((size_t)w->options->ranks * SLOTS, sizeof *all);
    uint32_t n = 0;

    if (all == NULL)
        abort();
    for (uint32_t r = 0; r < w->options->ranks; r++) {
        uint32_t first = n, last;
        for (uint32_t s = 0; s < SLOTS; s++) {
            bool of_team =
                s == SLOT_MASTER || (pthread ? s == SLOT_SHORT || s == SLOT_MPI : s < w->options->omp_threads);
            if (of_team && rt_thread(w, r, s)->writer != NULL)
                all[n++] = rt_thread(w, r, s)->ref;
        }
        add_team(d, rt_team_ref(w, r, pthread), paradigm, first, n - first);
        if (!pthread)
            add_small_teams(d, r, first, n - first);
        last = n;
        for (uint32_t s = 0; s < SLOTS && !pthread && rt_has(w, RT_NESTED); s++)
            if (rt_in_nested_team(w, s) && rt_thread(w, r, s)->writer != NULL)
                all[n++] = rt_thread(w, r, s)->ref;
        if (n > last)
            add_team(d, rt_nested_ref(w, r), paradigm, last - 1, n - last + 1);
    }
    memcpy(add_group(d, pthread ? G_PTHREAD_LOCATIONS : G_OMP_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm, n),
           all, n * sizeof *all);
    free(all);
}

/* ---- writing ---- */

static void write_one(struct trace *t, const struct definition *x)
{
    static const OTF2_MetricMemberRef members[2] = {0, 1};
    const uint64_t *a = x->a;
    const uint32_t u[7] = {(uint32_t)a[0], (uint32_t)a[1], (uint32_t)a[2], (uint32_t)a[3],
                           (uint32_t)a[4], (uint32_t)a[5], (uint32_t)a[6]};
    const OTF2_AttributeValue value = {.stringRef = u[1]};

    switch (x->kind) {
    case D_STRING:
        TRACE_DEFINE(t, String, u[0], x->text);
        break;
    case D_PARADIGM:
        TRACE_DEFINE(t, Paradigm, (OTF2_Paradigm)u[0], u[1], (OTF2_ParadigmClass)u[2]);
        break;
    case D_PARADIGM_PROPERTY:
        TRACE_DEFINE(t, ParadigmProperty, (OTF2_Paradigm)u[0], OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
                     OTF2_TYPE_STRING, value);
        break;
    case D_ATTRIBUTE:
        TRACE_DEFINE(t, Attribute, u[0], u[1], EMPTY, OTF2_TYPE_UINT64);
        break;
    case D_NODE:
        TRACE_DEFINE(t, SystemTreeNode, u[0], u[1], u[2], u[3]);
        break;
    case D_DOMAIN:
        TRACE_DEFINE(t, SystemTreeNodeDomain, u[0], (OTF2_SystemTreeDomain)u[1]);
        break;
    case D_GROUP_OF_LOCATIONS:
        trace_process(t, u[0], u[1], u[2]);
        break;
    case D_LOCATION:
        TRACE_DEFINE(t, Location, a[0], u[1], (OTF2_LocationType)u[4], a[2], u[3]);
        break;
    case D_REGION:
        trace_region(t, &(struct trace_region){u[0], u[1], (OTF2_RegionRole)u[2], (OTF2_Paradigm)u[3], EMPTY, u[4],
                                               u[4] + 9});
        break;
    case D_GROUP:
        trace_groups(t, &(struct trace_group){u[0], (OTF2_GroupType)u[1], (OTF2_Paradigm)u[2], x->count, x->members},
                     1);
        break;
    case D_COMM:
        TRACE_DEFINE(t, Comm, u[0], u[1], u[2], u[3], u[4]);
        break;
    case D_INTERCOMM:
        TRACE_DEFINE(t, InterComm, u[0], u[1], u[2], u[3], u[4], u[5]);
        break;
    case D_METRIC_MEMBER:
        TRACE_DEFINE(t, MetricMember, u[0], u[1], EMPTY, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
                     (OTF2_Type)u[2], OTF2_BASE_DECIMAL, 0, EMPTY);
        break;
    case D_METRIC_CLASS:
        TRACE_DEFINE(t, MetricClass, u[0], 2, members, OTF2_METRIC_SYNCHRONOUS_STRICT, OTF2_RECORDER_KIND_CPU);
        break;
    }
}

/* Wrong ones begin at 0, amid or behind the events, and end at once, before the last event, or never. */
static struct trace_clock clock_properties(const struct world *w)
{
    struct trace_clock clock = {w->options->ticks_per_second, w->first_tick, w->last_tick - w->first_tick + 1};
    const uint64_t begins[] = {0, clock.first + clock.length / 3, w->last_tick + clock.length};
    const uint64_t lengths[] = {0, clock.length / 2, UINT64_MAX};

    if (w->options->wrong_clock_properties) {
        clock.first = begins[w->options->seed % 3];
        clock.length = lengths[w->options->seed / 3 % 3];
    }
    return clock;
}

static void write_global(struct definitions *d)
{
    struct world *w = d->w;
    uint32_t n = (uint32_t)d->count, *order = calloc(n, sizeof *order);

    if (order == NULL)
        abort();
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    uint64_t random = w->random; /* what follows is the same in another order */
    if (w->options->shuffle_definitions)
        rt_shuffle(w, order, n);
    trace_clock(&w->trace, clock_properties(w));
    for (uint32_t i = 0; i < n; i++) {
        write_one(&w->trace, &d->items[order[i]]);
        if (w->options->repeat_definitions && d->items[order[i]].kind != D_LOCATION && rt_chance(w, 0.2))
            write_one(&w->trace, &d->items[order[i]]);
    }
    w->random = random;
    free(order);
    rt_define_counters(w);
    if (w->options->contexts)
        rt_define_contexts(w);
}

/* Measurements at equal distances, from the start to the end of the program. */
static void write_measurements(struct world *w, const struct location *l, uint64_t end, const double *errors)
{
    struct trace_measurement *m = calloc(w->options->clock_offset_records + 1, sizeof *m);
    uint32_t n = w->options->clock_offset_records, count = 0;
    double ticks_per_ns = (double)w->options->ticks_per_second * 1e-9;

    if (m == NULL)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        uint64_t time = n == 1 ? 0 : end * i / (n - 1);
        uint64_t local = rt_tick(w, l->rank, time);
        if (count > 0 && local == m[count - 1].local)
            continue; /* libotf2 refuses a second one at the same time */
        double offset = (1e12 + (double)time + errors[i]) * ticks_per_ns - (double)(local - w->options->shift_ticks);
        m[count++] = (struct trace_measurement){local, (int64_t)offset, w->options->clock_offset_error_ns * 1e-9};
    }
    trace_measurements(&w->trace, l->ref, m, count);
    free(m);
}

static uint64_t end_of_program(struct world *w)
{
    uint64_t end = 0;

    for (uint32_t r = 0; r < w->options->ranks; r++)
        for (uint32_t s = 0; s < SLOTS; s++)
            if (rt_thread(w, r, s)->now > end)
                end = rt_thread(w, r, s)->now;
    return end;
}

static void write_local(struct world *w)
{
    uint32_t n = w->options->clock_offset_records;
    double *errors = calloc(n ? n : 1, sizeof *errors);
    uint64_t end = end_of_program(w);

    if (errors == NULL)
        abort();
    expect(&w->trace, OTF2_Archive_OpenDefFiles(w->trace.archive), "opening definition files");
    for (uint32_t r = 0; r < w->options->ranks; r++) {
        for (uint32_t i = 0; i < n && r % w->options->ranks_per_process == 0; i++)
            errors[i] = w->options->clock_offset_error_ns * ((double)rt_below(w, 2001) / 1000.0 - 1.0);
        for (uint32_t s = 0; s < SLOTS; s++) {
            const struct location *l = rt_thread(w, r, s);
            if (l->writer == NULL && s != SLOT_MASTER)
                continue;
            if (w->options->lose_measurements <= 0 || !rt_chance(w, w->options->lose_measurements))
                write_measurements(w, l, end, errors);
            else
                trace_measurements(&w->trace, l->ref, NULL, 0);
        }
    }
    for (uint32_t i = 0; i < w->options->empty_locations; i++) {
        trace_close_events(&w->trace, trace_events(&w->trace, extra_ref(w, i)));
        trace_measurements(&w->trace, extra_ref(w, i), NULL, 0);
    }
    expect(&w->trace, OTF2_Archive_CloseDefFiles(w->trace.archive), "closing definition files");
    free(errors);
}

void rt_write_definitions(struct world *w)
{
    struct definitions d = {.w = w, .groups = G_FIRST};

    add_string(&d, "%s", ""); /* EMPTY */
    add_paradigms(&d);
    add_system_tree(&d);
    add_locations(&d);
    add_regions(&d);
    add_mpi_groups(&d);
    add_comms(&d);
    add_teams(&d, false);
    add_teams(&d, true);
    write_global(&d);
    for (size_t i = 0; i < d.count; i++) {
        free(d.items[i].text);
        free(d.items[i].members);
    }
    free(d.items);
    write_local(w);
}
