/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle health`: what is odd in a trace: `location` lines with counts by location, `trace` lines for the whole,
 * `dangling` lines for references to ids that are not defined. Zeros are printed too, except for dangling
 * references. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>

/* Dangling references by what refers (an event kind, an attribute, a definition) and to what. */
struct dangling {
    uint64_t event[O_KINDS][O_REFS];
    uint64_t attribute[O_REFS];
    uint64_t definition[O_REFS][O_REFS];
};

static uint64_t is_dangling(const struct o_trace *trace, enum o_ref to, uint64_t id)
{
    return to != O_REF_NONE && to != O_REF_SIGNED && !o_undefined_value(to, id) && !o_defined(trace, to, id);
}

static void check_event(const struct o_trace *trace, const struct o_location *location, const struct o_event *event,
                        struct dangling *d)
{
    const struct o_kind_info *kind = &o_kinds[event->kind];
    for (unsigned i = 0; i < kind->n_fields; i++)
        d->event[event->kind][kind->ref[i]] += is_dangling(trace, kind->ref[i], event->field[i]);
    if (!event->n_values && !event->n_attributes)
        return;
    const uint64_t *value = location->extra + event->extra;
    if (event->kind == O_PROGRAM_BEGIN)
        for (uint32_t i = 0; i < event->n_values; i++)
            d->event[event->kind][O_REF_STRING] += is_dangling(trace, O_REF_STRING, value[i]);
    value += event->n_values * (event->kind == O_METRIC ? 2u : 1u);
    for (uint16_t i = 0; i < event->n_attributes; i++, value += 3) {
        d->attribute[O_REF_ATTRIBUTE] += is_dangling(trace, O_REF_ATTRIBUTE, value[0]);
        d->attribute[o_type_ref(value[1])] += is_dangling(trace, o_type_ref(value[1]), value[2]);
    }
}

static void print_dangling(const struct o_trace *trace)
{
    struct dangling *d = o_alloc(1, sizeof *d);
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 0; e < trace->location[l].n; e++)
            check_event(trace, &trace->location[l], &trace->location[l].event[e], d);
    const struct o_def_ref *ref = trace->refs.item;
    for (size_t i = 0; i < trace->refs.n; i++)
        d->definition[ref[i].from][ref[i].to] += is_dangling(trace, ref[i].to, ref[i].id);
    puts("#dangling,from,kind,to,count");
    for (int to = 0; to < O_REFS; to++) {
        for (int from = 0; from < O_KINDS; from++)
            if (d->event[from][to])
                printf("dangling,event,%s,%s,%" PRIu64 "\n", o_kinds[from].name, o_ref_names[to], d->event[from][to]);
        if (d->attribute[to])
            printf("dangling,attribute,,%s,%" PRIu64 "\n", o_ref_names[to], d->attribute[to]);
        for (int from = 0; from < O_REFS; from++)
            if (d->definition[from][to])
                printf("dangling,definition,%s,%s,%" PRIu64 "\n", o_ref_names[from], o_ref_names[to],
                       d->definition[from][to]);
    }
    free(d);
}

static void print_location(const struct o_matching *m, size_t l)
{
    const struct o_trace *trace = m->trace;
    const struct o_location *location = &trace->location[l];
    struct o_walk walk = {0};
    size_t decreasing = 0;
    o_walk_location(trace, l, &walk);
    for (size_t e = 1; e < location->n; e++)
        decreasing += o_time(trace, l, e) < o_time(trace, l, e - 1);
    const struct {
        const char *name;
        uint64_t count;
    } line[] = {
        {"events", location->n},
        {"declared_events", location->declared},
        {"damaged", location->damaged},
        {"unknown_records", location->unknown},
        {"decreasing_times", decreasing},
        {"enters_unwound", walk.unwound},
        {"enters_never_left", walk.never_left},
        {"leaves_ignored", walk.ignored_leaves},
        {"irecv_never_completed", m->requests.never_completed[l]},
        {"isend_never_completed", m->requests.never_sent[l]},
        {"collective_requests_never_completed", m->requests.never_collected[l]},
        {"requests_cancelled", m->requests.cancelled[l]},
        {"collective_begins_without_end", m->requests.lone_begins[l]},
    };
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        printf("location,%" PRIu64 ",%s,%" PRIu64 "\n", location->def.id, line[i].name, line[i].count);
}

/* How many definitions repeat an id of their kind. */
static uint64_t repeated_definitions(const struct o_trace *trace)
{
    uint64_t repeated = 0;
    for (int kind = 0; kind < O_REFS; kind++) {
        const struct o_def *def = trace->ids[kind].item;
        for (size_t i = 1; i < trace->ids[kind].n; i++)
            repeated += def[i].id == def[i - 1].id;
    }
    return repeated;
}

struct message_counts {
    uint64_t matched, untrusted, sends, receives, unresolved;
};

static struct message_counts count_messages(const struct o_matching *m)
{
    struct message_counts c = {0};
    const struct o_message *message = m->messages.item;
    for (size_t i = 0; i < m->messages.n; i++) {
        bool sent = message[i].source != O_NONE, received = message[i].target != O_NONE;
        c.matched += sent && received;
        c.untrusted += sent && received && !message[i].trusted;
        c.sends += sent && !received;
        c.receives += !sent;
        c.unresolved += !message[i].canon;
    }
    return c;
}

/* Members that an instance should have. */
static size_t full_size(const struct o_canon *canon)
{
    size_t size = 0;
    if (canon->self)
        return 1;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < canon->side[s].n; i++)
            size += canon->side[s].member[i] != OTF2_UNDEFINED_LOCATION;
    return size;
}

struct collective_counts {
    uint64_t instances, incomplete, inconsistent, unresolved, without_begin;
};

static struct collective_counts count_collectives(const struct o_matching *m)
{
    struct collective_counts c = {0};
    const struct o_member *p = m->members.item;
    for (size_t i = 0; i < m->members.n;) {
        size_t end = i + 1;
        c.unresolved += !p[i].canon;
        if (p[i].canon) {
            while (end < m->members.n && p[end].canon && p[end].rma == p[i].rma && p[end].sequence == p[i].sequence &&
                   p[end].process == p[i].process && p[end].instance == p[i].instance)
                end++;
            c.instances++;
            c.incomplete += end - i != full_size(p[i].canon);
            c.inconsistent += !p[i].consistent;
        }
        for (; i < end; i++)
            c.without_begin += p[i].begin == O_NONE;
    }
    return c;
}

void o_print_health(const struct o_matching *m)
{
    const struct o_trace *trace = m->trace;
    puts("#location,location,what,count");
    for (size_t l = 0; l < trace->n_locations; l++)
        print_location(m, l);
    struct message_counts messages = count_messages(m);
    struct collective_counts collectives = count_collectives(m);
    const struct {
        const char *name;
        uint64_t count;
    } line[] = {
        {"locations", trace->n_locations},
        {"ticks_per_second", trace->ticks_per_second},
        {"unknown_definitions", trace->unknown_definitions},
        {"repeated_definitions", repeated_definitions(trace)},
        {"p2p_matched", messages.matched},
        {"p2p_matched_untrusted", messages.untrusted},
        {"p2p_unmatched_sends", messages.sends},
        {"p2p_unmatched_receives", messages.receives},
        {"p2p_unresolved", messages.unresolved},
        {"collective_instances", collectives.instances},
        {"collective_instances_incomplete", collectives.incomplete},
        {"collective_instances_inconsistent", collectives.inconsistent},
        {"collective_members_unresolved", collectives.unresolved},
        {"collective_members_without_begin", collectives.without_begin},
    };
    puts("#trace,what,count");
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        printf("trace,%s,%" PRIu64 "\n", line[i].name, line[i].count);
    print_dangling(trace);
}
