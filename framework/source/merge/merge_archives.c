/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Unites what inputs state about the run as a whole: its clock, the locations of ranks, the properties of the archive,
 * and what is known of each location. Statements that contradict each other are errors. */
#include "framework/base/error.h"
#include "framework/trace/records.h"
#include "merge_unite.h"

#include <otf2/OTF2_Definitions.h>
#include <string.h>

/* Builds one clock: the resolution must be the same, the span covers those of all inputs. */
tcf_status merge_unite_clocks(merger *u)
{
    const merge_input *first = NULL;
    uint64_t end = 0;

    for (uint32_t p = 0; p < u->n; p++) {
        const merge_input *in = &u->inputs[p];
        const tcf_clock *c = &in->defs->clock;
        if (in->defs->n_locations == 0)
            continue;
        if (first && first->defs->clock.resolution != c->resolution)
            return error_fail(
                "the clocks of %s and %s differ: %llu and %llu ticks a second; parts of one run have one resolution",
                first->name, in->name, (unsigned long long)first->defs->clock.resolution,
                (unsigned long long)c->resolution);
        uint64_t its_end = c->length > UINT64_MAX - c->global_offset ? UINT64_MAX : c->global_offset + c->length;
        if (!first || c->global_offset < u->clock.global_offset) {
            u->clock = (tcf_def_clock_properties){c->resolution, c->global_offset, 0, c->realtime};
            end = first && end > its_end ? end : its_end;
        }
        end = its_end > end ? its_end : end;
        first = first ? first : in;
    }
    if (first)
        u->clock.trace_length = end - u->clock.global_offset;
    return TCF_OK;
}

/* The COMM_LOCATIONS group of a paradigm, in which ranks are positions. It must be the same in all inputs. */
static const tcf_def_group *comm_locations(const tcf_definitions *defs, uint8_t paradigm)
{
    for (uint64_t r = 0; r < defs->n_records; r++) {
        const tcf_def_group *g = defs->records[r].kind == TCF_DEF_GROUP ? defs->records[r].as.def_group : NULL;
        if (g && g->group_type == OTF2_GROUP_TYPE_COMM_LOCATIONS && g->paradigm == paradigm && g->number_of_members > 0)
            return g;
    }
    return NULL;
}

tcf_status merge_check_ranks(const merger *u)
{
    const tcf_def_group *first[UINT8_MAX + 1] = {0};
    const char *first_name[UINT8_MAX + 1] = {0};

    for (uint32_t p = 0; p < u->n; p++) {
        const tcf_definitions *defs = u->inputs[p].defs;
        uint8_t seen[UINT8_MAX + 1] = {0};
        for (uint64_t r = 0; r < defs->n_records; r++) {
            if (defs->records[r].kind != TCF_DEF_GROUP || seen[defs->records[r].as.def_group->paradigm])
                continue;
            uint8_t paradigm = defs->records[r].as.def_group->paradigm;
            const tcf_def_group *g = comm_locations(defs, paradigm), *f = first[paradigm];
            seen[paradigm] = 1;
            if (g && f &&
                (g->number_of_members != f->number_of_members ||
                 memcmp(g->members, f->members, g->number_of_members * sizeof *g->members) != 0)) {
                const char *name = otf2_enum_name("PARADIGM", paradigm);
                return error_fail(
                    "%s and %s are not parts of one run: they list different locations for %s, so a rank would mean "
                    "different ones",
                    first_name[paradigm], u->inputs[p].name, name ? name : "an unknown paradigm");
            }
            if (g && !f) {
                first[paradigm] = g;
                first_name[paradigm] = u->inputs[p].name;
            }
        }
    }
    return TCF_OK;
}

/* Takes the anchor of the first input, and the properties of all. Their texts are those of the inputs, which are closed
 * together with the union. */
tcf_status merge_unite_archives(merger *u)
{
    tcf_definitions *v = &u->out->v;
    const tcf_definitions *first = u->inputs[0].defs;
    uint32_t most = 0;

    v->archive = first->archive;
    v->creator = first->creator;
    v->description = first->description;
    v->machine = first->machine;
    memcpy(v->version, first->version, sizeof v->version);
    v->trace_id = first->trace_id;
    for (uint32_t p = 0; p < u->n; p++) {
        const tcf_definitions *d = u->inputs[p].defs;
        v->n_unknown = d->n_unknown > v->n_unknown ? d->n_unknown : v->n_unknown;
        v->n_local_others = d->n_local_others > v->n_local_others ? d->n_local_others : v->n_local_others;
        most += d->n_properties;
    }
    tcf_property *to = definitions_memory(u->out, most * sizeof *to);
    v->properties = to;
    for (uint32_t p = 0; to && p < u->n; p++)
        merge_add_properties(to, &v->n_properties, u->inputs[p].defs->properties, u->inputs[p].defs->n_properties);
    return to ? TCF_OK : TCF_ERROR;
}

/* Sets clock offsets and `silent` of each location. Offsets come from the first input with any, preferably one with
 * events of it. */
tcf_status merge_unite_locations(definitions *d, merge_input *inputs, uint32_t n)
{
    for (uint32_t l = 0; l < d->v.n_locations; l++) {
        tcf_location *to = (tcf_location *)&d->v.locations[l]; /* the union's own */
        const tcf_location *best = NULL;
        to->silent = 1;
        for (uint32_t p = 0; p < n; p++) {
            uint32_t i = map_get(&inputs[p].names.find, to->id, TCF_REF_LOCATION);
            const tcf_location *from = i == MAP_ABSENT ? NULL : &inputs[p].defs->locations[i];
            if (!from)
                continue;
            to->silent &= from->silent;
            if (from->n_clock_offsets > 0 && (!best || (best->silent && !from->silent)))
                best = from;
        }
        if (best && definitions_set_clock_offsets(d, l, best->clock_offsets, best->n_clock_offsets) != TCF_OK)
            return TCF_ERROR;
    }
    return definitions_find_lead_threads(d);
}
