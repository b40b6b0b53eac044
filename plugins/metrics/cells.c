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
    const tcf_self *self = w->self;
    w->scopes = calloc(self->defs->n_metrics + 1ul, sizeof *w->scopes);
    for (uint64_t i = 0; w->scopes && i < self->defs->n_records; i++) {
        const tcf_def_metric_instance *x = self->defs->records[i].as.def_metric_instance;
        if (self->defs->records[i].kind != TCF_DEF_METRIC_INSTANCE)
            continue;
        scope *s = &w->scopes[self->host->find(self, TCF_REF_METRIC, x->self)];
        if (!s->is_there)
            *s = (scope){.id = x->scope, .kind = x->metric_scope, .is_there = 1};
    }
    return w->scopes ? 0 : -1;
}

static const char *scope_name(const tcf_self *self, const scope *s)
{
    enum { LOCATION, LOCATION_GROUP, SYSTEM_TREE_NODE }; /* OTF2_MetricScope */
    const tcf_definitions *defs = self->defs;
    const tcf_ref_kind kind = s->kind == LOCATION         ? TCF_REF_LOCATION
                              : s->kind == LOCATION_GROUP ? TCF_REF_LOCATION_GROUP
                                                          : TCF_REF_SYSTEM_TREE_NODE;
    const uint32_t i = s->kind <= SYSTEM_TREE_NODE ? self->host->find(self, kind, s->id) : TCF_NONE;
    if (i == TCF_NONE)
        return NULL;
    return kind == TCF_REF_LOCATION         ? tcf_location_at(defs, i)->name
           : kind == TCF_REF_LOCATION_GROUP ? tcf_location_group_at(defs, i)->name
                                            : tcf_system_tree_node_at(defs, i)->name;
}

const char *scope_text(work *w, const series *s)
{
    const tcf_definitions *defs = w->self->defs;
    if (s->metric >= defs->n_metrics || !tcf_metric_at(defs, s->metric)->instance)
        return "location";
    const scope *of = &w->scopes[s->metric];
    const char *kind = w->self->host->enum_name("METRIC_SCOPE", of->kind), *name = scope_name(w->self, of);
    if (name)
        snprintf(w->scope, sizeof w->scope, "%s %s", kind ? kind : "?", name);
    else
        snprintf(w->scope, sizeof w->scope, "%s %" PRIu64, kind ? kind : "?", of->id);
    return w->scope;
}
