/* See harness.h. A run makes a source over the definitions and events that the test has stated, hangs a filter of its
 * own (harness_collect) at the end of the chain, and copies what arrives there before the pipeline is taken down. */
#define _GNU_SOURCE /* asprintf, nftw */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <ftw.h>
#include <otf2/OTF2_Definitions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../framework/definitions.h"
#include "../framework/error.h"
#include "../framework/pipeline.h"

enum { MAX_FILTERS = 32, MAX_NOTES = 24, WORLD_GROUP = 70, MPI_LIST = 71, OMP_LIST = 72, FIRST_GROUP = 80 };

struct input {
    uint64_t time;
    tcf_rec rec;
    tcf_attributes *attributes;
    uint64_t value; /* of a metric with one member */
    uint8_t kind, type;
};

struct lane {
    struct input *in;
    size_t n, capacity;
    harness_out *out;
    size_t n_out, out_capacity;
};

struct harness {
    definitions *defs;
    int resolved;
    uint32_t processes, threads, streams, ranks; /* threads, streams, ranks: of each process */
    uint32_t strings, regions, comms, groups, windows, metrics, attributes; /* defined so far */
    struct lane *lanes;
    tcf_clock_offset *offsets;
    uint8_t *has_offset;
    const tcf_filter *filters[MAX_FILTERS + 2]; /* the test's, then harness_collect, then NULL */
    size_t n_filters;
    uint64_t cut, random;
    uint32_t failing_location;
    uint64_t failing_event;
    uint8_t **arenas; /* copies, one for each slice that came out */
    size_t n_arenas, arenas_capacity;
    struct {
        char key[64];
        uint64_t count;
    } notes[MAX_NOTES];
    size_t n_notes;
    char folder[64], *error, *path, *text;
    int usage;
};

static harness *running; /* what harness_collect copies to */

static void *checked(void *p)
{
    if (!p)
        fail_msg("out of memory");
    return p;
}

static void *bigger(void *p, size_t n, size_t *capacity, size_t bytes)
{
    if (n < *capacity)
        return p;
    *capacity = *capacity * 2 + 64;
    return checked(realloc(p, *capacity * bytes));
}

/* -------------------------------------------------------------------------------------------- new and delete -- */

harness *harness_new(void)
{
    harness *h = checked(calloc(1, sizeof *h));
    h->defs = checked(definitions_new());
    h->defs->v.archive = "harness";
    h->defs->v.creator = h->defs->v.description = h->defs->v.machine = "";
    h->failing_event = UINT64_MAX;
    h->error = checked(strdup(""));
    snprintf(h->folder, sizeof h->folder, "/tmp/tcflow-harness.XXXXXX");
    checked(mkdtemp(h->folder));
    setenv("SCRATCH", h->folder, 1);
    return h;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static void forget_output(harness *h)
{
    for (uint32_t l = 0; l < h->processes * h->threads; l++)
        h->lanes[l].n_out = 0;
    for (size_t i = 0; i < h->n_arenas; i++)
        free(h->arenas[i]);
    h->n_arenas = h->n_notes = 0;
}

void harness_delete(harness *h)
{
    harness_clear(h);
    forget_output(h);
    for (uint32_t l = 0; l < h->processes * h->threads; l++) {
        free(h->lanes[l].in);
        free(h->lanes[l].out);
    }
    nftw(h->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    definitions_delete(h->defs);
    free(h->lanes);
    free(h->offsets);
    free(h->has_offset);
    free(h->arenas);
    free(h->error);
    free(h->path);
    free(h->text);
    free(h);
}

void harness_filter(harness *h, const tcf_filter *filter)
{
    if (h->n_filters == MAX_FILTERS)
        fail_msg("more than %d filters", MAX_FILTERS);
    h->filters[h->n_filters++] = filter;
}

/* ----------------------------------------------------------------------------------------------- definitions -- */

void harness_define(harness *h, enum tcf_definition_kind kind, const void *record)
{
    if (h->resolved)
        fail_msg("definitions come before events");
    if (definitions_add(h->defs, kind, record) != TCF_OK)
        fail_msg("%s", error_text());
}

static uint32_t add_string(harness *h, const char *text)
{
    tcf_def_string s = {.self = 500 + h->strings++, .string = text};
    harness_define(h, TCF_DEF_STRING, &s);
    return s.self;
}

static uint32_t add_group(harness *h, uint32_t id, uint8_t type, uint8_t paradigm, uint32_t n, const uint64_t *members)
{
    tcf_def_group g = {.self = id, .name = add_string(h, "group"), .group_type = type, .paradigm = paradigm,
                       .number_of_members = n, .members = members};
    harness_define(h, TCF_DEF_GROUP, &g);
    return id;
}

static uint32_t add_comm(harness *h, const char *name, uint32_t group, uint32_t parent)
{
    tcf_def_comm c = {.self = 200 + h->comms, .name = add_string(h, name), .group = group, .parent = parent};
    harness_define(h, TCF_DEF_COMM, &c);
    return h->comms++;
}

/* A group of ranks of MPI_COMM_WORLD, or of locations (OpenMP). */
static uint32_t add_members(harness *h, uint8_t paradigm, uint32_t n, const uint32_t *members)
{
    uint64_t *wide = checked(calloc(n + 1u, sizeof *wide));
    for (uint32_t i = 0; i < n; i++)
        wide[i] = members[i];
    uint32_t id = add_group(h, FIRST_GROUP + h->groups++, OTF2_GROUP_TYPE_COMM_GROUP, paradigm, n, wide);
    free(wide);
    return id;
}

uint64_t harness_location_id(const harness *h, uint32_t location)
{
    return 1000 * (location / h->threads + 1u) + location % h->threads;
}

static void define_locations(harness *h)
{
    char name[32];
    for (uint32_t p = 0; p < h->processes; p++) {
        snprintf(name, sizeof name, "rank %u", p);
        tcf_def_location_group g = {.self = 30 + p, .name = add_string(h, name),
                                    .location_group_type = OTF2_LOCATION_GROUP_TYPE_PROCESS, .system_tree_parent = 9,
                                    .creating_location_group = OTF2_UNDEFINED_LOCATION_GROUP};
        harness_define(h, TCF_DEF_LOCATION_GROUP, &g);
        for (uint32_t t = 0; t < h->threads; t++) {
            snprintf(name, sizeof name, "thread %u:%u", p, t);
            tcf_def_location l = {.self = harness_location_id(h, p * h->threads + t), .name = add_string(h, name),
                                  .location_type = t > 0 && t + h->streams >= h->threads
                                                       ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                                       : OTF2_LOCATION_TYPE_CPU_THREAD,
                                  .location_group = g.self};
            harness_define(h, TCF_DEF_LOCATION, &l);
        }
    }
}

void harness_streams(harness *h, uint32_t streams)
{
    if (h->processes)
        fail_msg("harness_streams() comes before harness_processes()");
    h->streams = streams;
}

void harness_ranks(harness *h, uint32_t ranks)
{
    if (h->processes)
        fail_msg("harness_ranks() comes before harness_processes()");
    h->ranks = ranks;
}

void harness_processes(harness *h, uint32_t processes, uint32_t threads)
{
    uint32_t n = processes * threads, of_each = h->ranks ? h->ranks : 1, ranks = processes * of_each;
    uint64_t *list = checked(calloc(n + 1u, sizeof *list));
    if (h->processes || h->regions)
        fail_msg("harness_processes() comes first, once");
    h->processes = processes;
    h->threads = threads;
    h->lanes = checked(calloc(n + 1u, sizeof *h->lanes));
    h->offsets = checked(calloc(n + 1u, sizeof *h->offsets));
    h->has_offset = checked(calloc(n + 1u, 1));

    tcf_def_clock_properties clock = {.timer_resolution = 1000000000, .realtime_timestamp = UINT64_MAX};
    harness_define(h, TCF_DEF_CLOCK_PROPERTIES, &clock);
    tcf_def_system_tree_node node = {.self = 9, .name = add_string(h, "node"), .class_name = add_string(h, "machine"),
                                     .parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE};
    harness_define(h, TCF_DEF_SYSTEM_TREE_NODE, &node);
    define_locations(h);
    for (uint32_t r = 0; r < ranks; r++)
        list[r] = harness_location_id(h, r / of_each * threads + r % of_each);
    add_group(h, MPI_LIST, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, ranks, list);
    for (uint32_t l = 0; l < n; l++)
        list[l] = harness_location_id(h, l);
    add_group(h, OMP_LIST, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, n, list);
    for (uint32_t r = 0; r < ranks; r++)
        list[r] = r;
    add_group(h, WORLD_GROUP, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, ranks, list);
    add_comm(h, "MPI_COMM_WORLD", WORLD_GROUP, OTF2_UNDEFINED_COMM);
    free(list);
}

uint32_t harness_region_as(harness *h, const char *name, uint8_t role, uint8_t paradigm)
{
    uint32_t text = add_string(h, name);
    tcf_def_region r = {.self = 300 + 2 * h->regions, .name = text, .canonical_name = text, .description = text,
                        .region_role = role, .paradigm = paradigm, .source_file = OTF2_UNDEFINED_STRING};
    harness_define(h, TCF_DEF_REGION, &r);
    return h->regions++;
}

uint32_t harness_region(harness *h, const char *name)
{
    return harness_region_as(h, name, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
}

uint32_t harness_comm(harness *h, const char *name, uint32_t n, const uint32_t *world_ranks)
{
    return add_comm(h, name, add_members(h, OTF2_PARADIGM_MPI, n, world_ranks), 200);
}

uint32_t harness_inter_comm(harness *h, const char *name, uint32_t n_a, const uint32_t *a, uint32_t n_b,
                            const uint32_t *b)
{
    tcf_def_inter_comm c = {.self = 200 + h->comms, .name = add_string(h, name),
                            .group_a = add_members(h, OTF2_PARADIGM_MPI, n_a, a),
                            .group_b = add_members(h, OTF2_PARADIGM_MPI, n_b, b), .common_communicator = 200};
    harness_define(h, TCF_DEF_INTER_COMM, &c);
    return h->comms++;
}

uint32_t harness_self_comm(harness *h)
{
    uint32_t group = add_group(h, FIRST_GROUP + h->groups++, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, NULL);
    return add_comm(h, "MPI_COMM_SELF", group, OTF2_UNDEFINED_COMM);
}

uint32_t harness_team(harness *h, uint32_t n, const uint32_t *locations)
{
    return add_comm(h, "team", add_members(h, OTF2_PARADIGM_OPENMP, n, locations), OTF2_UNDEFINED_COMM);
}

uint32_t harness_window(harness *h, uint32_t comm)
{
    tcf_def_rma_win w = {.self = 40 + h->windows, .name = add_string(h, "window"), .comm = 200 + comm};
    harness_define(h, TCF_DEF_RMA_WIN, &w);
    return h->windows++;
}

uint32_t harness_metric(harness *h, const char *name, uint8_t type)
{
    uint32_t text = add_string(h, name);
    tcf_def_metric_member m = {.self = 50 + h->metrics, .name = text, .description = text, .value_type = type,
                               .metric_mode = OTF2_METRIC_ABSOLUTE_POINT, .unit = add_string(h, "#")};
    harness_define(h, TCF_DEF_METRIC_MEMBER, &m);
    tcf_def_metric_class c = {.self = 60 + h->metrics, .number_of_metrics = 1, .metric_members = &m.self};
    harness_define(h, TCF_DEF_METRIC_CLASS, &c);
    return h->metrics++;
}

uint32_t harness_attribute(harness *h, const char *name, uint8_t type)
{
    uint32_t text = add_string(h, name);
    tcf_def_attribute a = {.self = 90 + h->attributes, .name = text, .description = text, .type = type};
    harness_define(h, TCF_DEF_ATTRIBUTE, &a);
    return h->attributes++;
}

void harness_clock_offset(harness *h, uint32_t location, uint64_t time, int64_t offset)
{
    h->offsets[location] = (tcf_clock_offset){time, offset, 0};
    h->has_offset[location] = 1;
}

const tcf_definitions *harness_definitions(harness *h)
{
    if (h->resolved)
        return &h->defs->v;
    if (definitions_resolve(h->defs) != TCF_OK || definitions_find_leaders(h->defs) != TCF_OK)
        fail_msg("%s", error_text());
    for (uint32_t l = 0; l < h->processes * h->threads; l++)
        if (h->has_offset[l] && definitions_set_clock_offsets(h->defs, l, &h->offsets[l], 1) != TCF_OK)
            fail_msg("%s", error_text());
    h->resolved = 1;
    return &h->defs->v;
}

/* ---------------------------------------------------------------------------------------------------- events -- */

/* Copies what is in a record, not the gaps between its fields. */
static void copy_record(tcf_rec *to, enum tcf_kind kind, const void *record)
{
    switch (kind) {
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_##NAME: {                                                                                                 \
        const tcf_ev_##name *from = record;                                                                            \
        (void)from;                                                                                                    \
        FIELDS                                                                                                         \
        break;                                                                                                         \
    }
#define F(member, ctype, role, field) to->member.field = from->field;
#define A(member, ctype, role, field) to->member.field = from->field;
        TCF_EVENT_TABLE(E, F, A, TCF_NOTHING)
#undef E
#undef F
#undef A
    }
}

void harness_event(harness *h, uint32_t location, uint64_t time, enum tcf_kind kind, const void *record)
{
    if (location >= h->processes * h->threads)
        fail_msg("there is no location %u", location);
    struct lane *l = &h->lanes[location];
    l->in = bigger(l->in, l->n, &l->capacity, sizeof *l->in);
    struct input *in = &l->in[l->n++];
    memset(in, 0, sizeof *in);
    in->time = time;
    in->kind = (uint8_t)kind;
    if (record)
        copy_record(&in->rec, kind, record);
}

void harness_enter(harness *h, uint32_t location, uint64_t time, uint32_t region)
{
    harness_event(h, location, time, TCF_ENTER, &(tcf_ev_enter){region});
}

void harness_leave(harness *h, uint32_t location, uint64_t time, uint32_t region)
{
    harness_event(h, location, time, TCF_LEAVE, &(tcf_ev_leave){region});
}

void harness_send(harness *h, uint32_t location, uint64_t time, uint32_t to, uint32_t tag, uint64_t bytes)
{
    harness_event(h, location, time, TCF_MPI_SEND, &(tcf_ev_mpi_send){to, 0, tag, bytes});
}

void harness_receive(harness *h, uint32_t location, uint64_t time, uint32_t from, uint32_t tag, uint64_t bytes)
{
    harness_event(h, location, time, TCF_MPI_RECV, &(tcf_ev_mpi_recv){from, 0, tag, bytes});
}

void harness_send_on(harness *h, uint32_t location, uint64_t time, uint32_t comm, uint32_t to, uint32_t tag)
{
    harness_event(h, location, time, TCF_MPI_SEND, &(tcf_ev_mpi_send){to, comm, tag, 8});
}

void harness_receive_on(harness *h, uint32_t location, uint64_t time, uint32_t comm, uint32_t from, uint32_t tag)
{
    harness_event(h, location, time, TCF_MPI_RECV, &(tcf_ev_mpi_recv){from, comm, tag, 8});
}

void harness_begin(harness *h, uint32_t location, uint64_t time)
{
    harness_event(h, location, time, TCF_MPI_COLLECTIVE_BEGIN, NULL);
}

void harness_end(harness *h, uint32_t location, uint64_t time, uint8_t op, uint32_t comm, uint32_t root, uint64_t sent,
                 uint64_t received)
{
    harness_event(h, location, time, TCF_MPI_COLLECTIVE_END,
                  &(tcf_ev_mpi_collective_end){op, comm, root, sent, received});
}

void harness_collective(harness *h, uint32_t location, uint64_t begin, uint64_t end, uint8_t op, uint32_t comm,
                        uint32_t root)
{
    harness_begin(h, location, begin);
    harness_end(h, location, end, op, comm, root, 8, 8);
}

void harness_metric_value(harness *h, uint32_t location, uint64_t time, uint32_t metric, uint8_t type, uint64_t value)
{
    harness_event(h, location, time, TCF_METRIC, &(tcf_ev_metric){.metric = metric, .number_of_metrics = 1});
    struct input *in = &h->lanes[location].in[h->lanes[location].n - 1];
    in->type = type;
    in->value = value;
}

void harness_attributes(harness *h, uint32_t location, uint32_t n, const tcf_attribute *attributes)
{
    struct lane *l = &h->lanes[location];
    size_t bytes = n * sizeof *attributes;
    if (l->n == 0)
        fail_msg("location %u has no event that could have attributes", location);
    free(l->in[l->n - 1].attributes);
    tcf_attributes *copy = checked(calloc(1, sizeof *copy + bytes));
    copy->n = n;
    memcpy(copy->at, attributes, bytes);
    l->in[l->n - 1].attributes = copy;
}

void harness_clear(harness *h)
{
    for (uint32_t l = 0; l < h->processes * h->threads; l++) {
        for (size_t i = 0; i < h->lanes[l].n; i++)
            free(h->lanes[l].in[i].attributes);
        h->lanes[l].n = 0;
    }
}

/* ---------------------------------------------------------------------------------------------------- source -- */

struct feed {
    source base;
    harness *h;
    size_t at[]; /* by location */
};

void harness_cut(harness *h, uint64_t seed)
{
    h->cut = seed;
}

void harness_fail_reading(harness *h, uint32_t location, uint64_t event)
{
    h->failing_location = location;
    h->failing_event = event;
}

static uint32_t draw(harness *h, uint32_t below)
{
    h->random = h->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(h->random >> 33) % below;
}

static tcf_status append(slice *s, const struct input *in)
{
    uint32_t i = s->v.n, at = 0;
    s->v.time[i] = in->time;
    s->v.kind[i] = in->kind;
    s->v.rec[i] = in->rec;
    s->v.attr[i] = 0;
    if (in->attributes) {
        size_t bytes = sizeof *in->attributes + in->attributes->n * sizeof in->attributes->at[0];
        if (!(at = slice_arena(s, bytes)))
            return tcf_fail("out of memory");
        memcpy(tcf_at(&s->v, at), in->attributes, bytes);
        s->v.attr[i] = at;
    }
    if (in->kind == TCF_METRIC) {
        if (!(at = slice_arena(s, 16)))
            return tcf_fail("out of memory");
        memcpy(tcf_at(&s->v, at), &in->value, 8);
        memcpy(tcf_at(&s->v, at + 8), &in->type, 1);
        s->v.rec[i].metric.metric_values = at;
        s->v.rec[i].metric.type_ids = at + 8;
    }
    s->v.n++;
    return TCF_OK;
}

static tcf_status feed_read(source *src, uint32_t location, slice *s, uint32_t max, int *ended)
{
    struct feed *f = (struct feed *)src;
    const struct lane *l = &f->h->lanes[location];
    if (f->h->cut)
        max = draw(f->h, 8) == 0 ? 0 : 1 + draw(f->h, max);
    for (; f->at[location] < l->n && max > 0 && !slice_arena_full(s); max--) {
        if (location == f->h->failing_location && f->at[location] == f->h->failing_event)
            return tcf_fail("event %llu cannot be read", (unsigned long long)f->h->failing_event);
        if (append(s, &l->in[f->at[location]++]) != TCF_OK)
            return TCF_ERROR;
    }
    *ended = f->at[location] == l->n && (!f->h->cut || draw(f->h, 2) == 0);
    return TCF_OK;
}

static void feed_close(source *src)
{
    free(src);
}

static const tcf_definitions *feed_definitions(const source *src)
{
    return &((const struct feed *)src)->h->defs->v;
}

static void feed_close_location(source *src, uint32_t location)
{
    (void)src, (void)location;
}

static tcf_status feed_rewind(source *src)
{
    struct feed *f = (struct feed *)src;
    memset(f->at, 0, f->h->processes * f->h->threads * sizeof f->at[0]);
    return TCF_OK;
}

static void feed_progress(const source *src, uint64_t *bytes, uint64_t *total)
{
    (void)src;
    *bytes = *total = 0;
}

static uint64_t feed_unknown(const source *src)
{
    (void)src;
    return 0;
}

static const source_loss *feed_losses(const source *src, uint32_t *n)
{
    (void)src;
    *n = 0;
    return NULL;
}

static tcf_status no_snapshots(source *src, uint32_t location,
                               tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data)
{
    (void)src, (void)location, (void)each, (void)data;
    return TCF_OK;
}

static tcf_status no_markers(source *src, tcf_status (*each)(void *data, const tcf_marker *marker), void *data)
{
    (void)src, (void)each, (void)data;
    return TCF_OK;
}

static tcf_status no_thumbnails(source *src, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail), void *data)
{
    (void)src, (void)each, (void)data;
    return TCF_OK;
}

static source *feed_new(harness *h)
{
    static const source_ops ops = {
        .close = feed_close, .definitions = feed_definitions, .read = feed_read,
        .close_location = feed_close_location, .rewind = feed_rewind, .progress = feed_progress, .unknown_events = feed_unknown,
        .losses = feed_losses, .snapshots = no_snapshots, .markers = no_markers, .thumbnails = no_thumbnails};
    struct feed *f = checked(calloc(1, sizeof *f + h->processes * h->threads * sizeof f->at[0]));
    f->base.ops = &ops;
    f->h = h;
    h->random = h->cut;
    return &f->base;
}

/* -------------------------------------------------------------------------------------------------- collect -- */

static const uint8_t *copy_arena(harness *h, const tcf_slice *s)
{
    const block *b = ((const slice *)s)->block; /* what filters see is the slice's first member */
    h->arenas = bigger(h->arenas, h->n_arenas, &h->arenas_capacity, sizeof *h->arenas);
    uint8_t *copy = checked(malloc(b->arena_used));
    memcpy(copy, b->arena, b->arena_used);
    h->arenas[h->n_arenas++] = copy;
    return copy;
}

static tcf_status collect_slice(tcf_self *self, tcf_slice *s)
{
    harness *h = running;
    struct lane *l = &h->lanes[s->location];
    uint32_t number = (uint32_t)h->n_arenas;
    const uint8_t *arena = copy_arena(h, s);
    (void)self;
    for (uint32_t i = 0; i < s->n; i++) {
        l->out = bigger(l->out, l->n_out, &l->out_capacity, sizeof *l->out);
        const tcf_edge *e = s->match ? tcf_edge_of(s, i) : NULL;
        l->out[l->n_out++] =
            (harness_out){.time = s->time[i], .kind = s->kind[i], .rec = s->rec[i],
                          .attributes = s->attr[i] ? (const tcf_attributes *)(const void *)(arena + s->attr[i]) : NULL,
                          .arena = arena, .edge_number = e ? e->number : UINT64_MAX,
                          .callpath = s->callpath ? s->callpath[i] : TCF_NONE, .slice = number,
                          .edge = s->edge ? s->edge[i] : 0};
    }
    return TCF_OK;
}

static const tcf_filter collect = {
    TCF_FILTER_HEAD,
    .name = "harness_collect",
    .version = "1",
    .summary = "Copies what comes out of a chain",
    .slice = collect_slice,
};

/* ---------------------------------------------------------------------------------------------------- running -- */

/* The text as settings, with an input and harness_collect at the end of the chain. *chain is to be freed. */
static settings *load(harness *h, const char *ini, char **chain)
{
    static const char *const input[] = {"pipeline.input=harness"};
    FILE *f = checked(fopen(harness_path(h, "pipeline.ini"), "w"));
    fputs(ini, f);
    fclose(f);
    settings *s = settings_load(harness_path(h, "pipeline.ini"), input, 1);
    settings_section *section = s ? settings_find(s, "pipeline") : NULL;
    for (size_t i = 0; section && i < section->n_entries; i++) {
        settings_entry *e = &section->entries[i];
        if (strcmp(e->key, "chain") != 0)
            continue;
        free(*chain);
        size_t bytes = strlen(e->value) + sizeof " harness_collect";
        *chain = checked(malloc(bytes));
        snprintf(*chain, bytes, "%s harness_collect", e->value);
        e->value = *chain;
    }
    return s;
}

static void note_result(harness *h, pipeline *p)
{
    pipeline_summary summary;
    pipeline_summarise(p, &summary);
    for (; h->n_notes < summary.n_notes && h->n_notes < MAX_NOTES; h->n_notes++) {
        snprintf(h->notes[h->n_notes].key, sizeof h->notes[0].key, "%s", summary.notes[h->n_notes].key);
        h->notes[h->n_notes].count = summary.notes[h->n_notes].count;
    }
}

static tcf_status run(harness *h, const char *ini)
{
    char *chain = NULL;
    tcf_status status = TCF_ERROR;
    harness_definitions(h);
    forget_output(h);
    error_clear();
    settings *s = load(h, ini, &chain);
    h->filters[h->n_filters] = &collect;
    h->filters[h->n_filters + 1] = NULL;
    pipeline *p = s ? pipeline_new_over(s, NULL, h->filters, feed_new(h)) : NULL;
    if (p) {
        running = h;
        status = pipeline_run(p, NULL);
        running = NULL;
        note_result(h, p);
    }
    free(h->error);
    h->error = checked(strdup(status == TCF_OK ? "" : error_text()));
    h->usage = status != TCF_OK && error_is_usage();
    pipeline_delete(p);
    settings_free(s);
    free(chain);
    return status;
}

static char *format_text(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
static char *format_text(const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        fail_msg("out of memory");
    return text;
}

tcf_status harness_try(harness *h, const char *ini, ...)
{
    va_list arguments;
    va_start(arguments, ini);
    char *text = format_text(ini, arguments);
    va_end(arguments);
    tcf_status status = run(h, text);
    free(text);
    return status;
}

void harness_run(harness *h, const char *ini, ...)
{
    va_list arguments;
    va_start(arguments, ini);
    char *text = format_text(ini, arguments);
    va_end(arguments);
    tcf_status status = run(h, text);
    free(text);
    if (status != TCF_OK)
        fail_msg("the run failed: %s", h->error);
}

const harness_out *harness_output(harness *h, uint32_t location, size_t *n)
{
    *n = h->lanes[location].n_out;
    return h->lanes[location].out;
}

static int same_event(const struct input *in, const harness_out *out)
{
    if (in->time != out->time || in->kind != out->kind || !in->attributes != !out->attributes)
        return 0;
    for (uint32_t k = 0; in->attributes && k < in->attributes->n; k++) {
        const tcf_attribute *a = &in->attributes->at[k], *b = &out->attributes->at[k];
        if (in->attributes->n != out->attributes->n || a->value != b->value || a->attribute != b->attribute ||
            a->type != b->type)
            return 0;
    }
    if (in->kind != TCF_METRIC)
        return memcmp(&in->rec, &out->rec, sizeof in->rec) == 0;
    return in->rec.metric.metric == out->rec.metric.metric &&
           memcmp(&in->value, out->arena + out->rec.metric.metric_values, 8) == 0 &&
           in->type == out->arena[out->rec.metric.type_ids];
}

void harness_times(harness *h, uint32_t location, const uint64_t *expected, size_t n)
{
    size_t got;
    const harness_out *out = harness_output(h, location, &got);
    assert_int_equal(got, n);
    for (size_t i = 0; i < n; i++)
        if (out[i].time != expected[i])
            fail_msg("event %zu of location %u: %llu instead of %llu", i, location, (unsigned long long)out[i].time,
                     (unsigned long long)expected[i]);
}

void harness_line(const char *text, const char *line)
{
    char whole[512];
    snprintf(whole, sizeof whole, "\n%s\r\n", line);
    if (!strstr(text, whole))
        fail_msg("'%s' is not in:\n%s", line, text);
}

void harness_no_line(const char *text, const char *begin)
{
    char start[512];
    snprintf(start, sizeof start, "\n%s", begin);
    if (strstr(text, start))
        fail_msg("'%s' is in:\n%s", begin, text);
}

void harness_unchanged(harness *h)
{
    for (uint32_t l = 0; l < h->processes * h->threads; l++) {
        const struct lane *lane = &h->lanes[l];
        for (size_t i = 0; i < lane->n && i < lane->n_out; i++)
            if (!same_event(&lane->in[i], &lane->out[i]))
                fail_msg("event %zu of location %u came out changed", i, l);
        if (lane->n != lane->n_out)
            fail_msg("%zu of %zu events of location %u came out", lane->n_out, lane->n, l);
    }
}

const char *harness_error(const harness *h)
{
    return h->error;
}

int harness_error_is_usage(const harness *h)
{
    return h->usage;
}

uint64_t harness_note(const harness *h, const char *key)
{
    for (size_t i = 0; i < h->n_notes; i++)
        if (strcmp(h->notes[i].key, key) == 0)
            return h->notes[i].count;
    return 0;
}

const char *harness_path(harness *h, const char *name)
{
    free(h->path);
    if (asprintf(&h->path, "%s/%s", h->folder, name) < 0)
        h->path = NULL;
    return checked(h->path);
}

const char *harness_text(harness *h, const char *name)
{
    FILE *f = fopen(harness_path(h, name), "r");
    size_t n = 0, capacity = 0;
    free(h->text);
    h->text = NULL;
    if (!f)
        return NULL;
    for (int c; (c = getc(f)) != EOF; h->text[n++] = (char)c)
        h->text = bigger(h->text, n, &capacity, 1);
    fclose(f);
    h->text = bigger(h->text, n, &capacity, 1);
    h->text[n] = '\0';
    return h->text;
}
