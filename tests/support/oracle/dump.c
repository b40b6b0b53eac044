/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle dump`: every event as one line, location by location in definition order, with all fields as numbers and the
 * stored time stamp, so that two archives can be compared record by record. */
#include "oracle.h"

#include <inttypes.h>
#include <string.h>

/* References and numbers as numbers, floating point with all its digits. */
static void print_typed(uint64_t type, uint64_t bits)
{
    float single;
    double number;
    switch (type) {
    case OTF2_TYPE_FLOAT:
        memcpy(&single, &bits, sizeof single);
        printf("%" PRIu64 ":%.9g", type, (double)single);
        break;
    case OTF2_TYPE_DOUBLE:
        memcpy(&number, &bits, sizeof number);
        printf("%" PRIu64 ":%.17g", type, number);
        break;
    default:
        if (o_type_ref(type) == O_REF_SIGNED)
            printf("%" PRIu64 ":%" PRId64, type, (int64_t)bits);
        else
            printf("%" PRIu64 ":%" PRIu64, type, bits);
    }
}

static void print_values(const struct o_event *event, const uint64_t *value)
{
    fputs(event->kind == O_METRIC ? " values=" : " arguments=", stdout);
    for (uint32_t i = 0; i < event->n_values; i++) {
        if (i)
            putchar(',');
        if (event->kind == O_METRIC)
            print_typed(value[2 * i], value[2 * i + 1]);
        else
            printf("%" PRIu64, value[i]);
    }
}

static void print_record(const struct o_trace *trace, size_t l, size_t e)
{
    const struct o_location *location = &trace->location[l];
    const struct o_event *event = &location->event[e];
    const struct o_kind_info *kind = &o_kinds[event->kind];
    const uint64_t *value = event->n_values || event->n_attributes ? location->extra + event->extra : NULL;
    printf("%" PRIu64 " %zu %" PRIu64 " %s", location->def.id, e, o_time(trace, l, e), kind->name);
    for (unsigned i = 0; i < kind->n_fields; i++) {
        if (kind->ref[i] == O_REF_SIGNED)
            printf(" %s=%" PRId64, kind->field[i], (int64_t)event->field[i]);
        else
            printf(" %s=%" PRIu64, kind->field[i], event->field[i]);
    }
    if (event->kind == O_METRIC || event->kind == O_PROGRAM_BEGIN) {
        print_values(event, value);
        if (value)
            value += event->n_values * (event->kind == O_METRIC ? 2u : 1u);
    }
    for (uint16_t i = 0; i < event->n_attributes; i++, value += 3) {
        printf(" attribute:%" PRIu64 "=", value[0]);
        print_typed(value[1], value[2]);
    }
    putchar('\n');
}

void o_print_dump(const struct o_trace *trace)
{
    puts("#location index time kind field=value...");
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 0; e < trace->location[l].n; e++)
            print_record(trace, l, e);
}
