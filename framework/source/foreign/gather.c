/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a reader may ask of the framework; see <tcflow/source.h> and foreign_internal.h. */
#define _GNU_SOURCE /* asprintf() */
#include "foreign_internal.h"
#include "framework/base/error.h"

#include <tcflow/grow.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef GATHER_LEAST_MEMORY /* fuzzing opens many small files */
#define GATHER_LEAST_MEMORY (1 << 20)
#endif

static gather *of(const tcf_reader *self)
{
    return self->framework;
}

/* -------------------------------------------------------------------------------------------- messages and errors --
 */

static void host_log(const tcf_reader *self, tcf_log_level level, const char *format, ...)
{
    char text[2048];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error_log(level, "%s: %s: %s", self->name, self->path, text);
}

static void record(const char *format, va_list arguments)
{
    char text[2048];

    vsnprintf(text, sizeof text, format, arguments);
    error_fail("%s", text);
}

static tcf_status host_fail(const tcf_reader *self, const char *format, ...)
{
    va_list arguments;

    (void)self;
    va_start(arguments, format);
    record(format, arguments);
    va_end(arguments);
    return TCF_ERROR;
}

static tcf_status host_refuse(const tcf_reader *self, const char *format, ...)
{
    va_list arguments;

    (void)self;
    va_start(arguments, format);
    record(format, arguments);
    va_end(arguments);
    return error_as_usage();
}

static int host_interrupted(const tcf_reader *self)
{
    return source_is_interrupted(of(self)->options->interrupted);
}

/* ---------------------------------------------------------------------------------------------------- definitions --
 */

static tcf_status host_resolution(tcf_reader *self, uint64_t ticks)
{
    gather *g = of(self);

    if (ticks == 0 || g->events > g->file_events)
        return error_fail(ticks == 0 ? "the resolution of the clock is 0"
                                     : "the resolution of the clock is told behind the first event");
    g->file_resolution = ticks;
    return TCF_OK;
}

/* Of several files the process has its file's name in front. */
static uint32_t process_name(gather *g, uint32_t file, const char *name)
{
    char *whole = NULL;

    if (!g->labels || !name)
        return gather_text(g, name);
    if (asprintf(&whole, "%s: %s", g->labels[file], name) < 0)
        return gather_no_memory("the definitions");
    const uint32_t text = gather_text(g, whole);
    free(whole);
    return text;
}

static uint32_t host_process(tcf_reader *self, uint64_t place, const char *name)
{
    gather *g = of(self);
    const uint32_t text = process_name(g, g->file, name);

    if (text == TCF_NONE)
        return TCF_NONE;
    if (g->n_processes == MOST_PLACES)
        return gather_no_room("processes", MOST_PLACES);
    if (TCF_GROW(&g->processes, &g->processes_room, g->n_processes) != 0)
        return gather_no_memory("the definitions");
    g->processes[g->n_processes] = (foreign_process){place, text, g->file, TCF_NONE};
    return g->n_processes++;
}

static uint32_t host_location(tcf_reader *self, uint32_t process, uint64_t place, const char *name,
                              enum tcf_location_type type)
{
    gather *g = of(self);
    const uint32_t text = process < g->n_processes ? gather_text(g, name) : TCF_NONE;

    if (process != TCF_NONE && process >= g->n_processes)
        error_fail("a location is of process %u, which is not defined", process);
    if (text == TCF_NONE)
        return TCF_NONE;
    if (g->n_locations == MOST_PLACES)
        return gather_no_room("locations", MOST_PLACES);
    if (TCF_GROW(&g->locations, &g->locations_room, g->n_locations) != 0)
        return gather_no_memory("the definitions");
    g->locations[g->n_locations] =
        (foreign_location){.place = place, .process = process, .name = text, .rank = TCF_NONE, .type = (uint8_t)type};
    return g->n_locations++;
}

static tcf_status host_rename_process(tcf_reader *self, uint32_t process, const char *name)
{
    gather *g = of(self);

    if (process >= g->n_processes)
        return gather_not_defined("process", process);
    const uint32_t text = process_name(g, g->processes[process].file, name);
    if (text != TCF_NONE)
        g->processes[process].name = text;
    return text != TCF_NONE ? TCF_OK : TCF_ERROR;
}

static tcf_status host_rename_location(tcf_reader *self, uint32_t location, const char *name,
                                       enum tcf_location_type type)
{
    gather *g = of(self);

    if (location >= g->n_locations)
        return gather_not_defined("location", location);
    const uint32_t text = name ? gather_text(g, name) : g->locations[location].name;
    g->locations[location].type = (uint8_t)type;
    if (text != TCF_NONE)
        g->locations[location].name = text;
    return text != TCF_NONE ? TCF_OK : TCF_ERROR;
}

static uint8_t paradigm_of(const tcf_region_name *region)
{
    enum { USER = 1 };
    if (region->paradigm || !region->name)
        return region->paradigm;
    return strncmp(region->name, "MPI_", 4) == 0 || strncmp(region->name, "PMPI_", 5) == 0 ? TCF_PARADIGM_MPI : USER;
}

static int communicates(const tcf_region_name *region)
{
    return paradigm_of(region) == TCF_PARADIGM_MPI ||
           (region->name && (strncmp(region->name, "nccl", 4) == 0 || strncmp(region->name, "rccl", 4) == 0));
}

static uint32_t host_region(tcf_reader *self, const tcf_region_name *region)
{
    gather *g = of(self);
    foreign_region r = {.file = TCF_NONE,
                        .line = region->line,
                        .paradigm = paradigm_of(region),
                        .role = region->role ? region->role : (uint8_t)TCF_ROLE_FUNCTION,
                        .communicates = (uint8_t)communicates(region)};
    const int full = g->n_regions >= MOST_REGIONS;

    if (full)
        g->lost.regions++;
    r.name = gather_text(g, full ? "(more regions)" : region->name);
    if (!full && region->file)
        r.file = gather_text(g, region->file);
    if (full) {
        r.line = r.paradigm = r.communicates = 0;
        r.role = TCF_ROLE_FUNCTION;
    }
    if (r.name == TCF_NONE || (!full && region->file && r.file == TCF_NONE))
        return TCF_NONE;
    const uint64_t a = (uint64_t)r.file << 32 | r.name,
                   b = (uint64_t)r.role << 40 | (uint64_t)r.paradigm << 32 | r.line;
    uint32_t id = map_get(&g->region_ids, a, b);
    if (id != MAP_ABSENT)
        return id;
    if (TCF_GROW(&g->regions, &g->regions_room, g->n_regions) != 0 || map_put(&g->region_ids, a, b, g->n_regions) != 0)
        return gather_no_memory("the definitions");
    g->regions[g->n_regions] = r;
    return g->n_regions++;
}

static uint32_t host_counter(tcf_reader *self, const char *name, const char *unit)
{
    gather *g = of(self);
    const uint32_t text = gather_text(g, name), unit_text = gather_text(g, unit ? unit : "");

    if (text == TCF_NONE || unit_text == TCF_NONE)
        return TCF_NONE;
    uint32_t id = map_get(&g->counter_ids, text, unit_text);
    if (id != MAP_ABSENT)
        return id;
    if (g->n_counters == MOST_PLACES)
        return gather_no_room("counters", MOST_PLACES);
    if (TCF_GROW(&g->counters, &g->counters_room, g->n_counters) != 0 ||
        map_put(&g->counter_ids, text, unit_text, g->n_counters) != 0)
        return gather_no_memory("the definitions");
    g->counters[g->n_counters] = (foreign_counter){.name = text, .unit = unit_text};
    return g->n_counters++;
}

static uint32_t host_note_kind(tcf_reader *self, const char *name)
{
    gather *g = of(self);
    const uint32_t text = gather_text(g, name);

    if (text == TCF_NONE)
        return TCF_NONE;
    uint32_t id = map_get(&g->kind_ids, text, 0);
    if (id != MAP_ABSENT)
        return id;
    if (g->n_kinds == MOST_PLACES)
        return gather_no_room("kinds of notes", MOST_PLACES);
    if (TCF_GROW(&g->kinds, &g->kinds_room, g->n_kinds) != 0 || map_put(&g->kind_ids, text, 0, g->n_kinds) != 0)
        return gather_no_memory("the definitions");
    g->kinds[g->n_kinds] = text;
    return g->n_kinds++;
}

/* --------------------------------------------------------------------------------------------------------- events --
 */

static tcf_status check_region(gather *g, uint32_t location, uint32_t region)
{
    if (__builtin_expect(region >= g->n_regions, 0))
        return gather_not_defined("region", region);
    if (location < g->n_locations && g->regions[region].paradigm == TCF_PARADIGM_MPI)
        g->locations[location].calls_mpi = 1;
    g->communicates |= g->regions[region].communicates;
    return TCF_OK;
}

static tcf_status host_call(tcf_reader *self, uint32_t location, uint64_t begin, uint64_t end, uint32_t region)
{
    gather *g = of(self);
    const event e = {.time = begin, .value = end, .what = region, .type = EVENT_CALL};
    uint64_t order;

    if (check_region(g, location, region) != TCF_OK || gather_take(g, location, begin, 1, &order) != TCF_OK)
        return TCF_ERROR;
    if (end < begin)
        return error_fail("a call of '%s' ends at %llu, before it begins at %llu", g->texts[g->regions[region].name],
                          (unsigned long long)end, (unsigned long long)begin);
    g->last_time = end > g->last_time ? end : g->last_time;
    return gather_add(g, location, &e, order);
}

static tcf_status host_enter(tcf_reader *self, uint32_t location, uint64_t time, uint32_t region)
{
    gather *g = of(self);
    const event e = {.time = time, .what = region, .type = EVENT_ENTER};
    uint64_t order;

    if (check_region(g, location, region) != TCF_OK || gather_take(g, location, time, 0, &order) != TCF_OK)
        return TCF_ERROR;
    return gather_add(g, location, &e, order);
}

static tcf_status host_leave(tcf_reader *self, uint32_t location, uint64_t time, uint32_t region)
{
    gather *g = of(self);
    const event e = {.time = time, .what = region, .type = EVENT_LEAVE};
    uint64_t order;

    if ((region != TCF_NONE && check_region(g, location, region) != TCF_OK) ||
        gather_take(g, location, time, 0, &order) != TCF_OK)
        return TCF_ERROR;
    return gather_add(g, location, &e, order);
}

static tcf_status host_count(tcf_reader *self, uint32_t location, uint64_t time, uint32_t counter, tcf_count_type type,
                             uint64_t value)
{
    gather *g = of(self);
    const event e = {.time = time, .value = value, .what = counter, .type = EVENT_COUNT, .subtype = (uint8_t)type};
    uint64_t order;

    if (counter >= g->n_counters)
        return gather_not_defined("counter", counter);
    if (gather_take(g, location, time, 0, &order) != TCF_OK)
        return TCF_ERROR;
    foreign_counter *c = &g->counters[counter];
    if (!c->is_used || type == TCF_COUNT_DOUBLE || (type == TCF_COUNT_INT && c->type == TCF_COUNT_UINT))
        c->type = (uint8_t)type;
    c->is_used = 1;
    return gather_add(g, location, &e, order);
}

static tcf_status host_note(tcf_reader *self, uint32_t location, uint64_t time, uint32_t kind, const char *text)
{
    gather *g = of(self);
    uint64_t order;

    if (kind >= g->n_kinds)
        return gather_not_defined("kind of notes", kind);
    const uint32_t number = gather_text_number(g, text, MOST_TEXTS / 2, "(more texts)");
    const event e = {.time = time, .value = number, .what = kind, .type = EVENT_NOTE};
    if (number == TCF_NONE || gather_take(g, location, time, 0, &order) != TCF_OK)
        return TCF_ERROR;
    return gather_add(g, location, &e, order);
}

/* Keys of different files are different, but for those that across() has made. */
static uint64_t file_salt(const gather *g)
{
    return g->file > 0 ? map_hash(g->file, 0x5bd1e9955bd1e995u) : 0;
}

static tcf_pair_key host_across(const tcf_reader *self, tcf_pair_key key)
{
    return (tcf_pair_key){key.a ^ file_salt(of(self)), key.b};
}

static uint32_t host_communicator(tcf_reader *self, tcf_pair_key key, const char *name, uint32_t size, uint8_t paradigm)
{
    key.a ^= file_salt(of(self));
    return ranks_communicator(self, key, name, size, paradigm);
}

static tcf_status add_part(gather *g, part p, int is_call)
{
    if (gather_take(g, p.location, p.time, is_call, &p.order) != TCF_OK)
        return TCF_ERROR;
    p.key.a ^= file_salt(g);
    return sorter_add(g->parts, &p);
}

static tcf_status host_begin(tcf_reader *self, uint32_t location, uint64_t time, uint32_t region, tcf_pair_key key)
{
    gather *g = of(self);
    if (check_region(g, location, region) != TCF_OK)
        return TCF_ERROR;
    return add_part(g, (part){.key = key, .time = time, .location = location, .what = region, .type = PART_BEGIN}, 1);
}

static tcf_status host_end(tcf_reader *self, uint32_t location, uint64_t time, tcf_pair_key key)
{
    return add_part(of(self), (part){.key = key, .time = time, .location = location, .type = PART_END}, 1);
}

static tcf_status host_send(tcf_reader *self, uint32_t location, uint64_t time, uint64_t bytes, uint32_t tag,
                            tcf_pair_key key)
{
    return add_part(
        of(self),
        (part){.key = key, .time = time, .bytes = bytes, .location = location, .what = tag, .type = PART_SEND}, 0);
}

static tcf_status host_receive(tcf_reader *self, uint32_t location, uint64_t time, tcf_pair_key key)
{
    return add_part(of(self), (part){.key = key, .time = time, .location = location, .type = PART_RECEIVE}, 0);
}

static tcf_status host_flow(tcf_reader *self, uint32_t location, uint64_t time, uint64_t bytes, uint32_t tag, int ends,
                            tcf_pair_key key)
{
    return add_part(of(self),
                    (part){.key = key,
                           .time = time,
                           .bytes = bytes,
                           .location = location,
                           .what = tag,
                           .type = ends ? PART_FLOW_END : PART_FLOW},
                    0);
}

static void host_left_out(tcf_reader *self, uint64_t records)
{
    of(self)->lost.unknown += records;
}

static tcf_status host_sampled(tcf_reader *self)
{
    of(self)->is_sampled = 1;
    return TCF_OK;
}

static const tcf_source_host host = {.size = sizeof host,
                                     .abi_major = TCF_ABI_MAJOR,
                                     .abi_minor = TCF_ABI_MINOR,
                                     .log = host_log,
                                     .fail = host_fail,
                                     .refuse = host_refuse,
                                     .interrupted = host_interrupted,
                                     .resolution = host_resolution,
                                     .process = host_process,
                                     .location = host_location,
                                     .rename_process = host_rename_process,
                                     .rename_location = host_rename_location,
                                     .region = host_region,
                                     .counter = host_counter,
                                     .note_kind = host_note_kind,
                                     .call = host_call,
                                     .enter = host_enter,
                                     .leave = host_leave,
                                     .begin = host_begin,
                                     .end = host_end,
                                     .count = host_count,
                                     .note = host_note,
                                     .send = host_send,
                                     .receive = host_receive,
                                     .flow = host_flow,
                                     .left_out = host_left_out,
                                     .sampled = host_sampled,
                                     .across = host_across,
                                     .communicator = host_communicator,
                                     .member = ranks_member,
                                     .send_to = ranks_send_to,
                                     .receive_from = ranks_receive_from,
                                     .collective = ranks_collective};

/* -------------------------------------------------------------------------------------------------------- sorting --
 */

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

static int compare_items(const void *x, const void *y)
{
    const item *a = x, *b = y;

    if (a->e.location != b->e.location)
        return a->e.location < b->e.location ? -1 : 1;
    if (a->e.time != b->e.time)
        return a->e.time < b->e.time ? -1 : 1;
    if (a->order >> ORDER_SHIFT == ORDER_CALL && b->order >> ORDER_SHIFT == ORDER_CALL && a->e.value != b->e.value)
        return a->e.value > b->e.value ? -1 : 1;
    return ORDER(a->order, b->order);
}

static int compare_parts(const void *x, const void *y)
{
    const part *a = x, *b = y;

    if (a->key.a != b->key.a)
        return ORDER(a->key.a, b->key.a);
    if (a->key.b != b->key.b)
        return ORDER(a->key.b, b->key.b);
    return a->time != b->time ? ORDER(a->time, b->time) : ORDER(a->order, b->order);
}

static uint32_t bucket_of_item(const void *x)
{
    const uint32_t location = ((const item *)x)->e.location;
    return location < SORTER_BUCKETS ? location : SORTER_BUCKETS - 1;
}

static uint32_t bucket_of_part(const void *x)
{
    return (uint32_t)(((const part *)x)->key.a >> 48);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files' names, with their folders where two are the same. */
static tcf_status label_files(gather *g)
{
    const char **sorted = malloc(g->n_files * sizeof *sorted);
    int alike = 0;

    g->labels = malloc(g->n_files * sizeof *g->labels);
    if (!sorted || !g->labels) {
        free(sorted);
        return error_fail("out of memory for %u files", g->n_files);
    }
    for (uint32_t f = 0; f < g->n_files; f++)
        sorted[f] = g->labels[f] = base_of(g->paths[f]);
    qsort(sorted, g->n_files, sizeof *sorted, compare_texts);
    for (uint32_t f = 1; f < g->n_files; f++)
        alike |= strcmp(sorted[f - 1], sorted[f]) == 0;
    for (uint32_t f = 0; alike && f < g->n_files; f++)
        g->labels[f] = g->paths[f];
    free(sorted);
    return TCF_OK;
}

tcf_status gather_start(gather *g, const char *const *paths, uint32_t n, const source_options *options)
{
    const source_format *format = options->format;
    const size_t memory = options->memory > 4 * GATHER_LEAST_MEMORY ? options->memory / 4 : GATHER_LEAST_MEMORY;

    *g = (gather){.options = options, .paths = paths, .input = paths[0], .n_files = n, .first_time = UINT64_MAX};
    g->self = (tcf_reader){.host = &host,
                           .path = paths[0],
                           .name = format->instance,
                           .conf = format->conf,
                           .state = calloc(1, format->source->state_size + 1),
                           .framework = g};
    if (!g->self.state)
        return error_fail("out of memory for the reader '%s'", format->instance);
    g->items = sorter_new(sizeof(item), 2 * memory, compare_items, bucket_of_item);
    g->parts = g->items ? sorter_new(sizeof(part), memory, compare_parts, bucket_of_part) : NULL;
    return !g->parts ? TCF_ERROR : n > 1 ? label_files(g) : TCF_OK;
}

static tcf_status read_file(gather *g)
{
    const tcf_source *reader = g->options->format->source;

    error_clear();
    g->self.path = g->paths[g->file];
    g->file_resolution = 1000000000;
    g->file_events = g->events;
    tcf_status status = reader->read(&g->self);
    if (status != TCF_OK && !*error_text())
        error_fail("the reader '%s' has failed without a reason", reader->name);
    if (status == TCF_OK && *error_text())
        status = TCF_ERROR; /* it went on behind a failure */
    if (reader->fini)
        reader->fini(&g->self);
    if (status == TCF_OK && g->file > 0 && g->file_resolution != g->resolution)
        status = error_fail("its clock has %llu ticks a second, and that of '%s' %llu",
                            (unsigned long long)g->file_resolution, g->paths[0], (unsigned long long)g->resolution);
    g->resolution = g->file_resolution;
    return status;
}

tcf_status gather_read(gather *g)
{
    tcf_status status = read_file(g);

    while (status == TCF_OK && g->file + 1 < g->n_files) {
        g->file++;
        memset(g->self.state, 0, g->options->format->source->state_size);
        status = read_file(g);
    }
    return status;
}

void gather_trim(gather *g)
{
    sorter_delete(g->items);
    sorter_delete(g->parts);
    g->items = g->parts = NULL;
    map_free(&g->text_ids);
    map_free(&g->region_ids);
    map_free(&g->counter_ids);
    map_free(&g->kind_ids);
    map_free(&g->comm_ids);
    map_free(&g->member_ids);
    map_free(&g->channel_ids);
    map_free(&g->form_ids);
    store_free(g->storage);
    g->storage = NULL;
    free(g->self.state);
    free(g->texts);
    free(g->processes);
    free(g->regions);
    free(g->counters);
    free(g->kinds);
    free(g->members);
    g->members = NULL;
    g->self.state = NULL;
    g->texts = NULL;
    g->processes = NULL;
    g->regions = NULL;
    g->counters = NULL;
    g->kinds = NULL;
}

void gather_free(gather *g)
{
    gather_trim(g);
    free(g->comms);
    free(g->channels);
    free(g->forms);
    free(g->locations);
    free(g->lanes);
    free(g->lane_of);
    free(g->labels);
}
