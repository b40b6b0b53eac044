/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See cells.h. */
#include "cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --------------------------------------------------------------------------------------------------------- lines -- */

double scaled(const line *l, uint8_t type, number v)
{
    return value_as_double(type, v) * l->factor;
}

const char *raw(work *w, uint8_t type, number v)
{
    char *text = w->text[w->n_texts++];
    if (type == TYPE_DOUBLE)
        snprintf(text, RAW_BYTES, "%.17g", v.d);
    else if (type == TYPE_UINT64)
        snprintf(text, RAW_BYTES, "%" PRIu64, v.u);
    else
        snprintf(text, RAW_BYTES, "%" PRId64, v.i);
    return text;
}

line line_of(work *w, uint32_t location, uint32_t member, uint8_t type, const cell *c)
{
    const tcf_definitions *defs = w->self->defs;
    const tcf_metric_member *m = member == TCF_NONE ? NULL : tcf_metric_member_at(defs, member);
    const uint8_t increase_type = type == TYPE_UINT64 ? TYPE_INT64 : type;
    line l = {.member_id = m ? m->id : UINT32_MAX,
              .unit = m && m->unit ? m->unit : "",
              .metric = m && m->name ? m->name : "(unknown)",
              .factor = m && m->exponent != 0 ? pow(m->base == 0 ? 2 : 10, (double)m->exponent) : 1,
              .location = location == TCF_NONE ? "-" : tcf_location_at(defs, location)->name,
              .location_id = location == TCF_NONE ? UINT64_MAX : tcf_location_at(defs, location)->id,
              .samples = c->samples};
    w->n_texts = 0;
    l.min = scaled(&l, type, c->min);
    l.max = scaled(&l, type, c->max);
    l.mean = c->sum / (double)c->samples * l.factor;
    l.increase = scaled(&l, increase_type, c->increase);
    l.min_raw = raw(w, type, c->min);
    l.max_raw = raw(w, type, c->max);
    l.increase_raw = raw(w, increase_type, c->increase);
    return l;
}

/* -------------------------------------------------------------------------------------------------------- scopes -- */

int find_scopes(work *w)
{
    const tcf_definitions *defs = w->self->defs;
    tcf_map by_id = {0};
    int failed = 0;
    w->scopes = calloc(defs->n_metrics + 1ul, sizeof *w->scopes);
    for (uint32_t m = defs->n_metrics; m-- > 0 && !failed;)
        failed = tcf_map_put(&by_id, tcf_metric_at(defs, m)->id, 0, m);
    for (uint64_t i = 0; w->scopes && !failed && i < defs->n_records; i++) {
        const tcf_def_metric_instance *x = defs->records[i].as.def_metric_instance;
        const int is_instance = defs->records[i].kind == TCF_DEF_METRIC_INSTANCE;
        const uint32_t m = is_instance ? tcf_map_get(&by_id, x->self, 0) : TCF_MAP_ABSENT;
        if (m != TCF_MAP_ABSENT && !w->scopes[m].is_there)
            w->scopes[m] = (scope){.id = x->scope, .kind = x->metric_scope, .is_there = 1};
    }
    tcf_map_free(&by_id);
    return failed || !w->scopes ? -1 : 0;
}

static const char *scope_name(const tcf_definitions *defs, const scope *s)
{
    enum { LOCATION, LOCATION_GROUP, SYSTEM_TREE_NODE }; /* OTF2_MetricScope */
    if (s->kind == LOCATION)
        for (uint32_t l = 0; l < defs->n_locations; l++)
            if (tcf_location_at(defs, l)->id == s->id)
                return tcf_location_at(defs, l)->name;
    if (s->kind == LOCATION_GROUP)
        for (uint32_t g = 0; g < defs->n_location_groups; g++)
            if (tcf_location_group_at(defs, g)->id == s->id)
                return tcf_location_group_at(defs, g)->name;
    if (s->kind == SYSTEM_TREE_NODE)
        for (uint32_t n = 0; n < defs->n_system_tree_nodes; n++)
            if (tcf_system_tree_node_at(defs, n)->id == s->id)
                return tcf_system_tree_node_at(defs, n)->name;
    return NULL;
}

const char *scope_text(work *w, const series *s)
{
    const tcf_definitions *defs = w->self->defs;
    if (s->metric >= defs->n_metrics || !tcf_metric_at(defs, s->metric)->instance)
        return "location";
    const scope *of = &w->scopes[s->metric];
    const char *kind = w->self->host->enum_name("METRIC_SCOPE", of->kind), *name = scope_name(defs, of);
    if (name)
        snprintf(w->scope, sizeof w->scope, "%s %s", kind ? kind : "?", name);
    else
        snprintf(w->scope, sizeof w->scope, "%s %" PRIu64, kind ? kind : "?", of->id);
    return w->scope;
}
