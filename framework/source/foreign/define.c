/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Makes the definitions of a parsed file, as an archive would have them, so that filters and writers find what they
 * know.
 *
 * Processes are numbered by place, then in the order in which the reader defined them; so are the locations of a
 * process, each followed by its further lanes. The members of the communicator of messages between locations are those
 * with such messages, and of processes without communication the first location that calls MPI. Communicators of the
 * reader have the numbers behind it. */
#include "foreign_internal.h"
#include "framework/base/error.h"

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
                                  .region_role = f->role,
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

/* --------------------------------------------------------------------------------------------------- communicators --
 *
 * What making them needs, by the reader's numbers. */
typedef struct roll {
    gather *g;
    definitions *d;
    uint32_t empty;         /* a text */
    uint32_t *trace_of;     /* location: that of the trace */
    uint32_t *first_of;     /* process: its first location */
    uint32_t *position;     /* location: in the list of its paradigm; TCF_NONE: not there */
    uint64_t *members;      /* of the group at hand */
    uint32_t groups, comms; /* so far */
} roll;

/* The location which is the member. TCF_NONE: a process without locations. */
static uint32_t location_of(const roll *r, const foreign_member *m)
{
    const uint32_t speaker =
        r->g->comms[m->comm].paradigm == TCF_PARADIGM_MPI ? r->g->processes[m->process].speaker : m->location;
    return speaker != TCF_NONE ? speaker : r->first_of[m->process];
}

static void list(roll *r, uint32_t location, uint32_t *n)
{
    if (location == TCF_NONE || r->position[location] != TCF_NONE)
        return;
    r->position[location] = *n;
    r->members[(*n)++] = r->trace_of[location];
}

static void list_members(roll *r, const foreign_comm *c, uint32_t *n)
{
    for (uint32_t i = 0; i < c->n_members; i++)
        list(r, location_of(r, &r->g->members[c->first_member + i]), n);
}

/* The locations of all communicators of a paradigm. Those of the largest come first, so that ranks in the list are what
 * the run calls them. */
static uint32_t list_paradigm(roll *r, uint8_t paradigm)
{
    const gather *g = r->g;
    const foreign_comm *largest = NULL;
    uint32_t n = 0;

    memset(r->position, 0xff, g->n_locations * sizeof *r->position);
    for (uint32_t i = 0; i < g->n_comms; i++)
        if (g->comms[i].paradigm == paradigm && (!largest || g->comms[i].n_members > largest->n_members))
            largest = &g->comms[i];
    if (largest)
        list_members(r, largest, &n);
    for (uint32_t i = 0; i < g->n_comms; i++)
        if (g->comms[i].paradigm == paradigm)
            list_members(r, &g->comms[i], &n);
    return n;
}

/* Adds the other locations with messages to MPI's list, in the order of the trace, and of processes without any that
 * which calls MPI. */
static void list_messages(roll *r, const place *places, uint32_t *n)
{
    const gather *g = r->g;
    uint32_t from = 0;

    for (uint32_t i = 0; i < g->n_locations; i++) {
        int any = 0;
        if (i > 0 && places[i].process != places[i - 1].process)
            from = i;
        if (i + 1 < g->n_locations && places[i + 1].process == places[i].process)
            continue;
        for (uint32_t k = from; k <= i; k++) {
            if (g->locations[places[k].location].has_messages)
                list(r, places[k].location, n);
            any |= r->position[places[k].location] != TCF_NONE;
        }
        for (uint32_t k = from; k <= i && !any; k++)
            if (g->locations[places[k].location].calls_mpi)
                list(r, places[k].location, n);
    }
}

static tcf_status define_group(roll *r, uint8_t type, uint8_t paradigm, uint32_t n)
{
    const tcf_def_group group = {r->groups++, r->empty, type, paradigm, 0, n, r->members};
    return definitions_add(r->d, TCF_DEF_GROUP, &group);
}

static tcf_status define_comm(roll *r, uint32_t name, uint8_t paradigm, uint32_t n)
{
    const tcf_def_comm comm = {r->comms++, name, r->groups, OTF2_UNDEFINED_COMM, 0};

    if (define_group(r, OTF2_GROUP_TYPE_COMM_GROUP, paradigm, n) != TCF_OK)
        return TCF_ERROR;
    return definitions_add(r->d, TCF_DEF_COMM, &comm);
}

/* A reader's communicator. Where members are missing ranks are positions among those that are there. */
static tcf_status define_ranks(roll *r, foreign_comm *c)
{
    const gather *g = r->g;
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_members; i++) {
        const uint32_t location = location_of(r, &g->members[c->first_member + i]);
        if (location != TCF_NONE)
            r->members[n++] = r->position[location];
    }
    c->index = r->comms;
    return c->problem == RANKS_CONTRADICT || n == 0 ? TCF_OK : define_comm(r, c->name, c->paradigm, n);
}

static tcf_status define_list(roll *r, uint8_t paradigm, uint32_t n)
{
    return n > 0 ? define_group(r, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm, n) : TCF_OK;
}

static tcf_status define_paradigm(roll *r, uint8_t paradigm)
{
    tcf_status status = TCF_OK;

    for (uint32_t i = 0; i < r->g->n_comms && status == TCF_OK; i++)
        if (r->g->comms[i].paradigm == paradigm)
            status = define_ranks(r, &r->g->comms[i]);
    return status;
}

/* Messages between locations have the first communicator, of all of MPI's list. */
static tcf_status define_messages(roll *r, uint32_t name, uint32_t n)
{
    gather *g = r->g;
    int any = g->n_comms == 0;

    for (uint32_t l = 0; l < g->n_locations; l++) {
        g->locations[l].rank = r->position[l];
        any |= g->locations[l].has_messages;
    }
    for (uint32_t i = 0; i < n; i++)
        r->members[i] = i;
    return n > 0 && any ? define_comm(r, name, TCF_PARADIGM_MPI, n) : TCF_OK;
}

static tcf_status define_all_comms(roll *r, const place *places, uint32_t name)
{
    gather *g = r->g;
    uint8_t done[256] = {[TCF_PARADIGM_MPI] = 1};
    uint32_t n = list_paradigm(r, TCF_PARADIGM_MPI);

    list_messages(r, places, &n);
    if (define_list(r, TCF_PARADIGM_MPI, n) != TCF_OK || define_messages(r, name, n) != TCF_OK ||
        define_paradigm(r, TCF_PARADIGM_MPI) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t i = 0; i < g->n_comms; i++) {
        const uint8_t paradigm = g->comms[i].paradigm;
        if (!done[paradigm] &&
            (define_list(r, paradigm, list_paradigm(r, paradigm)) != TCF_OK || define_paradigm(r, paradigm) != TCF_OK))
            return TCF_ERROR;
        done[paradigm] = 1;
    }
    for (uint32_t i = 0; i < g->n_channels; i++) {
        g->channels[i].from = ranks_position(g, g->channels[i].comm, g->channels[i].from);
        g->channels[i].to = ranks_position(g, g->channels[i].comm, g->channels[i].to);
    }
    return TCF_OK;
}

static tcf_status define_comms(gather *g, definitions *d, const place *places, uint32_t empty, uint32_t name)
{
    const uint64_t most = (uint64_t)g->n_locations + g->n_members + 1;
    roll r = {.g = g,
              .d = d,
              .empty = empty,
              .trace_of = malloc(most * sizeof *r.trace_of),
              .first_of = malloc((g->n_processes + 1ul) * sizeof *r.first_of),
              .position = malloc(most * sizeof *r.position),
              .members = malloc(most * sizeof *r.members)};
    tcf_status status = r.trace_of && r.first_of && r.position && r.members
                            ? TCF_OK
                            : error_fail("out of memory for the members of communicators");

    if (status == TCF_OK) {
        memset(r.first_of, 0xff, g->n_processes * sizeof *r.first_of);
        for (uint32_t i = g->n_locations; i-- > 0;)
            r.first_of[places[i].process] = places[i].location;
        for (uint32_t i = 0; i < g->n_lanes; i++) {
            const foreign_location *from = &g->locations[g->lanes[g->lane_of[i]].location];
            if (g->lane_of[i] == from->first_lane)
                r.trace_of[g->lanes[g->lane_of[i]].location] = i;
        }
        status = define_all_comms(&r, places, name);
    }
    free(r.trace_of);
    free(r.first_of);
    free(r.position);
    free(r.members);
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
    return define_comms(g, d, places, empty, comm);
}

static tcf_status check_silence(const gather *g, definitions *d)
{
    for (uint32_t i = 0; i < d->v.n_locations; i++)
        ((tcf_location *)&d->v.locations[i])->silent = g->lanes[g->lane_of[i]].n == 0; /* the source's own memory */
    return definitions_find_lead_threads(d);
}

/* Are the places of processes, or what members say, their ranks? A place is a rank where the places of a file's
 * processes are 0, 1, ... */
static int has_ranks(const gather *g, const place *places)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->n_locations && g->n_members == 0; i++)
        if (i == 0 || places[i].process != places[i - 1].process)
            if (places[i].file > 0 || places[i].process_place != n++)
                return 0;
    return 1;
}

static tcf_status state_property(definitions *d, const char *name, const char *value)
{
    tcf_property *p = (tcf_property *)&d->v.properties[d->v.n_properties]; /* room for all of them */

    *p = (tcf_property){definitions_text(d, name), definitions_text(d, value)};
    d->v.n_properties++;
    return p->name && p->value ? TCF_OK : TCF_ERROR;
}

static tcf_status state_properties(const gather *g, definitions *d, const place *places)
{
    char unknown[80];

    if (!(d->v.properties = definitions_memory(d, 2 * sizeof *d->v.properties)))
        return TCF_ERROR;
    snprintf(unknown, sizeof unknown, "%s%s%s", g->communicates && !g->has_edges ? TCF_UNKNOWN_MESSAGES " " : "",
             g->unsized == 0 ? ""
             : g->sized == 0 ? TCF_UNKNOWN_SIZES " "
                             : TCF_UNKNOWN_SOME_SIZES " ",
             has_ranks(g, places) ? "" : TCF_UNKNOWN_RANKS " ");
    if (g->is_sampled && state_property(d, TCF_SAMPLED, "true") != TCF_OK)
        return TCF_ERROR;
    if (!*unknown)
        return TCF_OK;
    unknown[strlen(unknown) - 1] = '\0';
    return state_property(d, TCF_UNKNOWN, unknown);
}

/* What the anchor file of an archive would say. */
static tcf_status describe(const gather *g, definitions *d, const place *places)
{
    const tcf_source *reader = g->options->format->source;
    char text[256];

    snprintf(text, sizeof text, "read by %s %.60s", reader->name, reader->version);
    d->v.archive = definitions_text(d, g->input);
    d->v.creator = d->v.machine = definitions_text(d, "");
    d->v.description = definitions_text(d, text);
    return d->v.archive && d->v.machine && d->v.description ? state_properties(g, d, places) : TCF_ERROR;
}

tcf_status define_all(gather *g, definitions *d)
{
    place *places = order_locations(g);
    uint32_t *names = calloc(g->n_lanes + 1ul, sizeof *names);

    g->lane_of = calloc(g->n_lanes + 1ul, sizeof *g->lane_of);
    tcf_status status = places && describe(g, d, places) == TCF_OK ? TCF_OK : TCF_ERROR;
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
