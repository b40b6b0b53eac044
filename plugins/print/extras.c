/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Prints what an archive holds beside events and global definitions: clock offsets, snapshots, markers. They are
 * printed as they stand in the archive, whatever filters have done to the events.
 *
 * Text has the lines of otf2-print, which prints no markers. JSON lines have other keys than "event": "definition"
 * for clock offsets, "snapshot" and "snapshot_event", "marker_definition" and "marker". */
#include "print.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------------------------- clock offsets -- */

void print_clock_offsets(struct printer *p)
{
    struct output *o = &p->out;
    char text[160], deviation[40];
    for (uint32_t i = 0; i < p->defs->n_locations; i++) {
        const tcf_location *l = tcf_location_at(p->defs, i);
        for (uint32_t k = 0; k < l->n_clock_offsets; k++) {
            const tcf_clock_offset *c = &l->clock_offsets[k];
            int finite = c->standard_deviation - c->standard_deviation == 0;
            *put_double(deviation, c->standard_deviation) = '\0';
            int n = snprintf(text, sizeof text,
                             p->json ? "{\"definition\":\"CLOCK_OFFSET\",\"location\":%llu,\"time\":%llu,"
                                       "\"offset\":%lld,\"standard_deviation\":%s}\n"
                                     : "CLOCK_OFFSET         %19llu  Time: %llu, Offset: %+lld, StdDev: %s\n",
                             (unsigned long long)l->id, (unsigned long long)c->time, (long long)c->offset,
                             finite || !p->json ? deviation : "null");
            o->at = output_bytes(o, o->at, text, (size_t)n);
        }
    }
    if (!p->json)
        o->at = output_bytes(o, o->at, "\n", 1);
}

/* ----------------------------------------------------------------------------------------------------- snapshots -- */

static void put_snapshot_edge(struct printer *p, const tcf_snapshot_record *r)
{
    struct output *o = &p->out;
    int end = r->kind == UINT8_MAX;
    char text[256];
    int n = snprintf(text, sizeof text,
                     p->json ? "{\"snapshot\":\"%s\",\"location\":%llu,\"time\":%llu,\"%s\":%llu}\n"
                             : "SNAPSHOT_%-23s %15llu %20llu  %s: %llu\n",
                     end ? "END" : "START", (unsigned long long)tcf_location_at(p->defs, r->location)->id,
                     (unsigned long long)r->snapshot_time,
                     p->json ? (end ? "position" : "events") : (end ? "Cont. Read Position" : "# Events"),
                     (unsigned long long)r->rec->program_end.exit_status);
    o->at = output_bytes(o, o->at, text, (size_t)n);
}

static tcf_status each_snapshot_record(void *data, const tcf_snapshot_record *r)
{
    struct printer *p = data;
    tcf_slice one = *r->arena;
    uint64_t time = r->event_time;
    uint8_t kind = r->kind;
    if (kind == 0 || kind == UINT8_MAX) {
        put_snapshot_edge(p, r);
        return TCF_OK;
    }
    one.location = r->location;
    one.n = 1;
    one.time = &time;
    one.kind = &kind;
    print_events(p, &p->out, &one, 0, time);
    return TCF_OK;
}

tcf_status print_snapshots(struct printer *p, tcf_self *self)
{
    tcf_status status = TCF_OK;
    if (printer_relabel(p, "snapshot_event") != 0)
        return self->host->fail(self, "out of memory");
    print_title(p, "\nSnapshot                                Location            Timestamp  Attributes");
    for (uint32_t i = 0; i < p->defs->n_locations && status == TCF_OK; i++)
        status = self->host->snapshots(self, i, each_snapshot_record, p);
    return status;
}

/* ------------------------------------------------------------------------------------------------------- markers -- */

static char *put_value(struct printer *p, char *at, const char *enumeration, uint8_t value)
{
    const char *name = p->self->host->enum_name(enumeration, value);
    return name ? put_word(&p->out, at, p->json, name) : put_u64(at, value);
}

static char *put_marker_definition(struct printer *p, char *at, const tcf_marker *m)
{
    struct output *o = &p->out;
    at = PUT_EITHER(p, at, "Group: ", ",\"group\":");
    at = put_quoted(o, at, p->json, m->group ? m->group : "");
    at = PUT_EITHER(p, at, ", Category: ", ",\"category\":");
    at = put_quoted(o, at, p->json, m->category ? m->category : "");
    at = PUT_EITHER(p, at, ", Severity: ", ",\"severity\":");
    return put_value(p, at, "MARKER_SEVERITY", m->severity);
}

static char *put_marker(struct printer *p, char *at, const tcf_marker *m)
{
    struct output *o = &p->out;
    int kind = tcf_ref_of_marker_scope(m->scope);
    at = PUT_EITHER(p, at, "Duration: ", ",\"duration\":");
    at = put_u64(at, m->duration);
    at = PUT_EITHER(p, at, ", Scope: ", ",\"scope\":");
    at = put_value(p, at, "MARKER_SCOPE", m->scope);
    if (kind >= 0) {
        at = PUT_EITHER(p, at, " ", ",\"scope_ref\":");
        at = put_id(o, at, &p->names, (tcf_ref_kind)kind, m->scope_ref);
        at = room(o, at);
    }
    at = PUT_EITHER(p, at, ", Text: ", ",\"text\":");
    return put_quoted(o, at, p->json, m->text ? m->text : "");
}

static tcf_status each_marker(void *data, const tcf_marker *m)
{
    struct printer *p = data;
    struct output *o = &p->out;
    char head[128], time[32] = "";
    int n;
    if (!m->definition)
        snprintf(time, sizeof time, p->json ? ",\"time\":%llu" : "%llu", (unsigned long long)m->time);
    if (p->json)
        n = snprintf(head, sizeof head, "{\"%s\":%u%s", m->definition ? "marker_definition" : "marker", m->marker,
                     time);
    else
        n = snprintf(head, sizeof head, "%-32s %15u %20s  ", m->definition ? "MARKER_DEFINITION" : "MARKER", m->marker,
                     time);
    char *at = room(o, output_bytes(o, o->at, head, (size_t)n));
    at = room(o, m->definition ? put_marker_definition(p, at, m) : put_marker(p, at, m));
    o->at = PUT_EITHER(p, at, "\n", "}\n");
    return TCF_OK;
}

tcf_status print_markers(struct printer *p, tcf_self *self)
{
    print_title(p, "\nMarker                                        ID            Timestamp  Attributes");
    return self->host->markers(self, each_marker, p);
}
