/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Makes the definitions of a parsed file, as an archive would have them, so that filters and writers find what they
 * know.
 *
 * Processes are numbered by place, then in the order in which the reader defined them; so are the locations of a
 * process, each followed by its further lanes. The members of the one communicator are the locations with messages, and
 * of processes without such the first location that calls MPI. */
#include "foreign_internal.h"
#include "framework/base/error.h"

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct place {
    uint64_t process_place, place;
    uint32_t file, process, location;
} place;

static int compare_places(const void *x, const void *y)
{
    const place *a = x, *b = y;

    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->process_place != b->process_place)
        return a->process_place < b->process_place ? -1 : 1;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->location < b->location ? -1 : a->location > b->location;
}

/* The locations in the order of the trace. */
static place *order_locations(const gather *g)
{
    place *places = malloc((g->n_locations + 1ul) * sizeof *places);

    for (uint32_t l = 0; places && l < g->n_locations; l++) {
        const foreign_process *p = &g->processes[g->locations[l].process];
        places[l] = (place){p->place, g->locations[l].place, p->file, g->locations[l].process, l};
    }
    if (places)
        qsort(places, g->n_locations, sizeof *places, compare_places);
    else
        error_fail("out of memory for %u locations", g->n_locations);
    return places;
}

static tcf_status define_texts(gather *g, definitions *d)
{
    tcf_status status = TCF_OK;

    for (uint32_t t = 0; t < g->n_texts && status == TCF_OK; t++) {
        const tcf_def_string r = {t, g->texts[t]};
        status = definitions_add(d, TCF_DEF_STRING, &r);
    }
    return status;
}

/* The name of a lane: that of its location, and a number from the second one on. TCF_NONE: a failure. */
static uint32_t lane_name(gather *g, const foreign_location *l, uint32_t k)
{
    char name[512];

    if (k == 0)
        return l->name;
    snprintf(name, sizeof name, "%.480s (%u)", g->texts[l->name], k + 1);
    return gather_text(g, name);
}

/* Texts that the definitions need come before define_texts(). */
static tcf_status name_lanes(gather *g, uint32_t *names)
{
    for (uint32_t l = 0; l < g->n_locations; l++)
        for (uint32_t k = 0; k < g->locations[l].n_lanes; k++)
            if ((names[g->locations[l].first_lane + k] = lane_name(g, &g->locations[l], k)) == TCF_NONE)
                return TCF_ERROR;
    return TCF_OK;
}

static tcf_status define_clock(const gather *g, definitions *d)
{
    const uint64_t first = g->events > 0 ? g->first_time : 0;
    const tcf_def_clock_properties r = {.timer_resolution = g->resolution,
                                        .global_offset = first,
                                        .trace_length = g->events > 0 ? g->last_time - first : 0,
                                        .realtime_timestamp = OTF2_UNDEFINED_TIMESTAMP};
    return definitions_add(d, TCF_DEF_CLOCK_PROPERTIES, &r);
}

/* The files' clocks are those of a machine each. */
static tcf_status define_processes(gather *g, definitions *d, const place *places, const uint32_t *names,
                                   uint32_t machine, uint32_t machine_class)
{
    uint32_t n = 0, last = TCF_NONE, lanes = 0;
    tcf_status status = TCF_OK;

    for (uint32_t f = 0; f < g->n_files && status == TCF_OK; f++) {
        const uint32_t name = g->labels ? gather_text(g, g->labels[f]) : machine;
        const tcf_def_system_tree_node node = {f, name, machine_class, OTF2_UNDEFINED_SYSTEM_TREE_NODE};
        status = definitions_add(d, TCF_DEF_SYSTEM_TREE_NODE, &node);
    }

    for (uint32_t i = 0; i < g->n_locations && status == TCF_OK; i++) {
        const foreign_location *l = &g->locations[places[i].location];
        if (places[i].process != last) {
            const tcf_def_location_group r = {n++, g->processes[l->process].name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                              places[i].file, OTF2_UNDEFINED_LOCATION_GROUP};
            status = definitions_add(d, TCF_DEF_LOCATION_GROUP, &r);
            last = places[i].process;
        }
        for (uint32_t k = 0; k < l->n_lanes && status == TCF_OK; k++, lanes++) {
            const uint32_t number = l->first_lane + k;
            const tcf_def_location r = {lanes, names[number], l->type, g->lanes[number].n, n - 1};
            g->lane_of[lanes] = number;
            status = definitions_add(d, TCF_DEF_LOCATION, &r);
        }
    }
    return status;
}

static tcf_status define_regions(const gather *g, definitions *d, uint32_t empty)
{
    tcf_status status = TCF_OK;

    for (uint32_t i = 0; i < g->n_regions && status == TCF_OK; i++) {
        const foreign_region *f = &g->regions[i];
        const tcf_def_region r = {.self = i,
                                  .name = f->name,
                                  .canonical_name = f->name,
                                  .description = empty,
                                  .region_role = OTF2_REGION_ROLE_FUNCTION,
                                  .paradigm = f->paradigm,
                                  .source_file = f->file == TCF_NONE ? OTF2_UNDEFINED_STRING : f->file,
                                  .begin_line_number = f->line,
                                  .end_line_number = f->line};
        status = definitions_add(d, TCF_DEF_REGION, &r);
    }
    return status;
}

static uint8_t otf2_type(uint8_t type)
{
    return type == TCF_COUNT_DOUBLE ? OTF2_TYPE_DOUBLE : type == TCF_COUNT_INT ? OTF2_TYPE_INT64 : OTF2_TYPE_UINT64;
}

/* Counters: a metric class each. Kinds of notes: a parameter each. */
static tcf_status define_counters(const gather *g, definitions *d, uint32_t empty)
{
    tcf_status status = TCF_OK;

    for (uint32_t i = 0; i < g->n_counters && status == TCF_OK; i++) {
        const foreign_counter *c = &g->counters[i];
        const tcf_def_metric_member r = {.self = i,
                                         .name = c->name,
                                         .description = empty,
                                         .metric_type = OTF2_METRIC_TYPE_OTHER,
                                         .metric_mode = OTF2_METRIC_ABSOLUTE_NEXT,
                                         .value_type = otf2_type(c->type),
                                         .base = OTF2_BASE_DECIMAL,
                                         .unit = c->unit};
        const tcf_def_metric_class k = {i, 1, &i, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_UNKNOWN};
        status = definitions_add(d, TCF_DEF_METRIC_MEMBER, &r);
        if (status == TCF_OK)
            status = definitions_add(d, TCF_DEF_METRIC_CLASS, &k);
    }
    for (uint32_t i = 0; i < g->n_kinds && status == TCF_OK; i++) {
        const tcf_def_parameter r = {i, g->kinds[i], OTF2_PARAMETER_TYPE_STRING};
        status = definitions_add(d, TCF_DEF_PARAMETER, &r);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------------- communicator --
 */

/* Gives the members their ranks, in the order of the trace. */
static void choose_members(gather *g, const place *places)
{
    uint32_t from = 0;

    for (uint32_t i = 0; i < g->n_locations; i++) {
        if (i > 0 && places[i].process != places[i - 1].process)
            from = i;
        if (i + 1 < g->n_locations && places[i + 1].process == places[i].process)
            continue;
        const uint32_t before = g->n_members;
        for (uint32_t k = from; k <= i; k++)
            if (g->locations[places[k].location].has_messages)
                g->locations[places[k].location].rank = g->n_members++;
        for (uint32_t k = from; k <= i && g->n_members == before; k++)
            if (g->locations[places[k].location].calls_mpi)
                g->locations[places[k].location].rank = g->n_members++;
    }
}

static tcf_status define_comm(gather *g, definitions *d, uint32_t empty, uint32_t name)
{
    uint64_t *locations = malloc((g->n_members + 1ul) * sizeof *locations), *ranks = NULL;
    tcf_status status = TCF_OK;

    if (locations)
        ranks = malloc((g->n_members + 1ul) * sizeof *ranks);
    if (!locations || !ranks)
        status = error_fail("out of memory for %u members of the communicator", g->n_members);
    for (uint32_t i = 0; status == TCF_OK && i < g->n_lanes; i++) {
        const lane *l = &g->lanes[g->lane_of[i]];
        const foreign_location *from = &g->locations[l->location];
        if (from->rank != TCF_NONE && g->lane_of[i] == from->first_lane) {
            locations[from->rank] = i;
            ranks[from->rank] = from->rank;
        }
    }
    if (status == TCF_OK && g->n_members > 0) {
        const tcf_def_group all = {0,        empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, g->n_members,
                                   locations};
        const tcf_def_group members = {1, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, g->n_members, ranks};
        const tcf_def_comm comm = {0, name, 1, OTF2_UNDEFINED_COMM, 0};
        status = definitions_add(d, TCF_DEF_GROUP, &all);
        if (status == TCF_OK)
            status = definitions_add(d, TCF_DEF_GROUP, &members);
        if (status == TCF_OK)
            status = definitions_add(d, TCF_DEF_COMM, &comm);
    }
    free(locations);
    free(ranks);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ all --
 */

static tcf_status define_with(gather *g, definitions *d, const place *places, uint32_t *names)
{
    const uint32_t empty = gather_text(g, ""), machine = gather_text(g, "machine"), node = gather_text(g, "node"),
                   comm = gather_text(g, "messages");

    for (uint32_t f = 0; g->labels && f < g->n_files; f++) /* define_processes() needs them */
        if (gather_text(g, g->labels[f]) == TCF_NONE)
            return TCF_ERROR;
    if (empty == TCF_NONE || machine == TCF_NONE || node == TCF_NONE || comm == TCF_NONE)
        return TCF_ERROR;
    if (name_lanes(g, names) != TCF_OK || define_clock(g, d) != TCF_OK || define_texts(g, d) != TCF_OK ||
        define_processes(g, d, places, names, machine, node) != TCF_OK || define_regions(g, d, empty) != TCF_OK ||
        define_counters(g, d, empty) != TCF_OK)
        return TCF_ERROR;
    choose_members(g, places);
    return define_comm(g, d, empty, comm);
}

static tcf_status check_silence(const gather *g, definitions *d)
{
    for (uint32_t i = 0; i < d->v.n_locations; i++)
        ((tcf_location *)&d->v.locations[i])->silent = g->lanes[g->lane_of[i]].n == 0; /* the source's own memory */
    return definitions_find_lead_threads(d);
}

static tcf_status state_properties(const gather *g, definitions *d)
{
    tcf_property *p = g->is_sampled ? definitions_memory(d, sizeof *p) : NULL;

    if (!g->is_sampled)
        return TCF_OK;
    if (!p)
        return TCF_ERROR;
    *p = (tcf_property){definitions_text(d, TCF_SAMPLED), definitions_text(d, "true")};
    d->v.properties = p;
    d->v.n_properties = 1;
    return p->name && p->value ? TCF_OK : TCF_ERROR;
}

/* What the anchor file of an archive would say. */
static tcf_status describe(const gather *g, definitions *d)
{
    const tcf_source *reader = g->options->format->source;
    char text[256];

    snprintf(text, sizeof text, "read by %s %.60s", reader->name, reader->version);
    d->v.archive = definitions_text(d, g->input);
    d->v.creator = d->v.machine = definitions_text(d, "");
    d->v.description = definitions_text(d, text);
    return d->v.archive && d->v.machine && d->v.description ? state_properties(g, d) : TCF_ERROR;
}

tcf_status define_all(gather *g, definitions *d)
{
    place *places = order_locations(g);
    uint32_t *names = calloc(g->n_lanes + 1ul, sizeof *names);

    g->lane_of = calloc(g->n_lanes + 1ul, sizeof *g->lane_of);
    tcf_status status = places && describe(g, d) == TCF_OK ? TCF_OK : TCF_ERROR;
    if (status == TCF_OK && (!names || !g->lane_of))
        status = error_fail("out of memory for %u locations", g->n_lanes);
    if (status == TCF_OK)
        status = define_with(g, d, places, names);
    free(places);
    free(names);
    if (status == TCF_OK)
        status = definitions_resolve(d);
    return status == TCF_OK ? check_silence(g, d) : TCF_ERROR;
}
