/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sums up how counters grow, by call path and location. What a sample adds belongs to the time before it, and so to the
 * vertex that the location is in at the sample: measurement systems record values before the enter or leave that they
 * belong to. */
#include "ppg.h"

static uint32_t member_of(const tcf_self *self, uint32_t metric, uint32_t position)
{
    const tcf_definitions *defs = self->defs;
    if (metric >= defs->n_metrics || position >= tcf_metric_at(defs, metric)->n_members)
        return TCF_NONE;
    const uint32_t member = tcf_metric_at(defs, metric)->member[position];
    return member < defs->n_metric_members ? member : TCF_NONE;
}

/* A metric whose mode nothing defines is taken for accumulated. */
static void begin(tcf_self *self, struct sampled *x, uint32_t metric, uint32_t position, uint8_t type)
{
    const uint32_t member = member_of(self, metric, position);
    const uint8_t mode = member == TCF_NONE ? MODE_ACCUMULATED : tcf_metric_member_at(self->defs, member)->mode;
    x->series = (series){.metric = metric, .position = position, .type = type, .row = NONE};
    x->is_left_out = (mode & MODE_VALUE) == MODE_ABSOLUTE;
    series_mode(&x->series, mode);
}

tcf_status counters_of(tcf_self *self, uint32_t spot, uint32_t member, uint8_t type, struct counter **found)
{
    struct state *st = self->state;
    const uint64_t kind = (uint64_t)type << 32 | member;
    uint32_t i = tcf_map_get(&st->counter_by.index, spot, kind);
    *found = NULL;
    if (i == TCF_MAP_ABSENT && st->counter_by.index.n >= (uint64_t)((const struct conf *)self->conf)->max_edges) {
        st->limits.counters++;
        return TCF_OK;
    }
    if (i == TCF_MAP_ABSENT) {
        i = KEYED_FIND(&st->counters, &st->counter_by, spot, kind);
        if (i == TCF_NONE)
            return self->host->fail(self, "out of memory for %u counters", st->counter_by.index.n);
        st->counters[i] = (struct counter){.spot = spot, .member = member, .type = type};
    }
    *found = &st->counters[i];
    return TCF_OK;
}

/* The counter to add to; NONE: there is no place for it, or, with *failed, no memory. */
static uint32_t counter_of(tcf_self *self, uint32_t location, const series *s, int *failed)
{
    const struct state *st = self->state;
    const uint32_t spot = graph_spot(self, location, graph_at(tcf_location_state(self, location)));
    struct counter *found = NULL;
    *failed =
        spot == NONE || counters_of(self, spot, member_of(self, s->metric, s->position), s->type, &found) != TCF_OK;
    return found ? (uint32_t)(found - st->counters) : NONE;
}

static tcf_status sample(tcf_self *self, uint32_t location, struct sampled *x, uint64_t time, uint8_t type, number v)
{
    struct state *st = self->state;
    series *s = &x->series;
    number by;
    int failed;
    if (x->is_left_out)
        return TCF_OK;
    if (!series_takes(s, type, v)) {
        st->limits.left_out++;
        return TCF_OK;
    }
    s->row = counter_of(self, location, s, &failed);
    if (failed)
        return TCF_ERROR;
    if (series_increase(s, v, &by) && s->row != NONE)
        value_add(type, &st->counters[s->row].sum, by);
    series_sample(s, time, v);
    return TCF_OK;
}

tcf_status counters_sample(tcf_self *self, const tcf_slice *s, uint32_t i)
{
    struct place *p = tcf_location_state(self, s->location);
    const tcf_ev_metric *m = &s->rec[i].metric;
    const uint8_t *types = tcf_at(s, m->type_ids);
    const number *values = tcf_at(s, m->metric_values);
    for (uint32_t k = 0; k < m->number_of_metrics; k++) {
        const uint32_t n = p->sampled_by.index.n, at = KEYED_FIND(&p->sampled, &p->sampled_by, m->metric, k);
        if (at == TCF_NONE)
            return self->host->fail(self, "out of memory for %u metrics of a location", n);
        if (at == n)
            begin(self, &p->sampled[at], m->metric, k, types[k]);
        if (sample(self, s->location, &p->sampled[at], s->time[i], types[k], values[k]) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* Adds the amounts that the last samples state for the time after them. */
void counters_end(tcf_self *self, uint32_t location)
{
    struct state *st = self->state;
    struct place *p = tcf_location_state(self, location);
    for (uint32_t i = 0; i < p->sampled_by.index.n; i++) {
        const series *s = &p->sampled[i].series;
        if (s->increase_ == BY_NEXT_AMOUNT && s->samples > 0 && s->row != NONE)
            value_add(s->type, &st->counters[s->row].sum, s->last);
    }
}
