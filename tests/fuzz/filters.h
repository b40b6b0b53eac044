/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The chains of the fuzz targets that read streams: filters that use all that a filter may use, and a run over them. */
#ifndef TCFLOW_TESTS_FUZZ_FILTERS_H
#define TCFLOW_TESTS_FUZZ_FILTERS_H

#include "framework/base/error.h"
#include "framework/pipeline/session.h"

#include <stdlib.h>
#include <string.h>

/* Uses all that a filter may use of an edge. */
static tcf_status span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t k = 0; k < s->n_edges; k++) {
        tcf_edge *e = &s->edges[k];
        uint64_t value;
        if (e->pos < from || e->pos >= to || e->flags & TCF_EDGE_GONE)
            continue;
        uint64_t *bytes = self->host->payload(self, e);
        if (bytes)
            *bytes += s->time[e->pos];
        if (e->flags & TCF_EDGE_TARGET && self->host->latest(self, e, 0, &value) && bytes)
            *bytes ^= value;
        if (e->flags & TCF_EDGE_SOURCE)
            self->host->publish(self, e, 0, s->time[e->pos]);
    }
    return TCF_OK;
}

static tcf_status complete(tcf_self *self, const tcf_collective *instance)
{
    uint64_t sum = 0, value;
    for (uint32_t r = 0; r < instance->n_members; r++) {
        memcpy(&value, instance->members + r * instance->stride, sizeof value);
        sum += value;
    }
    *(uint64_t *)self->state += sum;
    return TCF_OK;
}

/* Reads all that a record refers to. */
static tcf_status look_at(tcf_self *self, tcf_slice *s)
{
    uint64_t *sum = self->state;
    for (uint32_t i = 0; i < s->n; i++) {
        const tcf_attributes *a = tcf_attributes_of(s, i);
        for (uint32_t k = 0; a && k < a->n; k++)
            *sum += a->at[k].value + tcf_id(self->defs, TCF_REF_ATTRIBUTE, a->at[k].attribute, 0);
        if (s->kind[i] == TCF_ENTER || s->kind[i] == TCF_LEAVE)
            *sum += tcf_id(self->defs, TCF_REF_REGION, s->rec[i].enter.region, 0);
        if (s->kind[i] == TCF_METRIC)
            for (uint32_t k = 0; k < s->rec[i].metric.number_of_metrics; k++)
                *sum += ((const uint64_t *)tcf_at(s, s->rec[i].metric.metric_values))[k];
    }
    return TCF_OK;
}

static tcf_status each_snapshot(void *data, const tcf_snapshot_record *r)
{
    *(uint64_t *)data += r->kind + r->event_time;
    return TCF_OK;
}

static tcf_status each_marker(void *data, const tcf_marker *m)
{
    *(uint64_t *)data += m->definition ? strlen(m->group) + strlen(m->category) : strlen(m->text);
    return TCF_OK;
}

static tcf_status each_thumbnail(void *data, const tcf_thumbnail *t)
{
    for (uint64_t i = 0; i < (uint64_t)t->n_samples * t->n_metrics; i++)
        *(uint64_t *)data += t->samples[i];
    return TCF_OK;
}

static tcf_status end(tcf_self *self)
{
    for (uint32_t i = 0; i < self->defs->n_locations; i++)
        if (self->host->snapshots(self, i, each_snapshot, self->state) != TCF_OK)
            return TCF_ERROR;
    if (self->host->markers(self, each_marker, self->state) != TCF_OK)
        return TCF_ERROR;
    return self->host->thumbnails(self, each_thumbnail, self->state);
}

static const tcf_filter edges = {.head = TCF_FILTER_HEAD,
                                 .name = "edges",
                                 .version = "1",
                                 .summary = "Uses edges",
                                 .message_bytes = 8,
                                 .member_bytes = 8,
                                 .state_size = 8,
                                 .span = span,
                                 .collective_complete = complete};
static const tcf_filter records = {.head = TCF_FILTER_HEAD,
                                   .name = "records",
                                   .version = "1",
                                   .summary = "Uses records",
                                   .state_size = 8,
                                   .needs = TCF_NEED_CALLPATH,
                                   .slice = look_at,
                                   .end = end};

/* Whatever it finds is no failure of the target, but one without a reason is. */
static void run_over(settings *s, const tcf_filter *const *filters)
{
    session *p = session_new_over(s, NULL, filters, NULL);

    if ((!p || session_run(p, NULL) != TCF_OK) && !*error_text())
        abort();
    session_delete(p);
    error_clear();
}

#endif
