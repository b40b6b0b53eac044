/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Traces built in memory for the self-tests. */
#include "selftest.h"

#include <stdarg.h>
#include <stdlib.h>

static int n_tests, n_failed; /* TAP counters of this program */

void test_ok(bool good, const char *what)
{
    n_tests++;
    n_failed += !good;
    printf("%sok %d - %s\n", good ? "" : "not ", n_tests, what);
}

int test_done(void)
{
    printf("1..%d\n", n_tests);
    return n_failed ? 1 : 0;
}

struct o_trace *test_new_trace(void)
{
    return o_alloc(1, sizeof(struct o_trace));
}

size_t test_location(struct o_trace *t, uint64_t id, uint64_t group)
{
    t->location = o_grow(t->location, t->n_locations, &t->cap_locations, sizeof *t->location);
    t->location[t->n_locations] =
        (struct o_location){.def = {id, t->n_locations}, .group = group, .type = OTF2_LOCATION_TYPE_CPU_THREAD};
    return t->n_locations++;
}

void test_group(struct o_trace *t, uint64_t id, uint8_t type, uint8_t paradigm, uint32_t flags, size_t n, ...)
{
    struct o_group *g = o_push(&t->groups, sizeof *g);
    *g = (struct o_group){{id, t->groups.n}, type, paradigm, flags, n, o_alloc(n, sizeof(uint64_t))};
    va_list members;
    va_start(members, n);
    for (size_t i = 0; i < n; i++)
        g->member[i] = va_arg(members, uint64_t);
    va_end(members);
    o_sort_defs(&t->groups, sizeof *g);
}

void test_comm(struct o_trace *t, uint64_t id, bool inter, uint64_t a, uint64_t b)
{
    struct o_comm *c = o_push(&t->comms, sizeof *c);
    *c = (struct o_comm){{id, t->comms.n}, inter, {a, b}, false};
    o_sort_defs(&t->comms, sizeof *c);
}

void test_region(struct o_trace *t, uint64_t id, uint8_t role, uint8_t paradigm)
{
    struct o_region *r = o_push(&t->regions, sizeof *r);
    *r = (struct o_region){{id, t->regions.n}, OTF2_UNDEFINED_STRING, role, paradigm};
    o_sort_defs(&t->regions, sizeof *r);
}

/* Appends an event with as many fields as its kind has; they are passed as uint64_t. */
void test_event(struct o_trace *t, size_t l, uint64_t time, enum o_kind kind, ...)
{
    struct o_location *at = &t->location[l];
    at->event = o_grow(at->event, at->n, &at->cap, sizeof *at->event);
    struct o_event *e = &at->event[at->n++];
    *e = (struct o_event){.time = time, .kind = (uint16_t)kind};
    va_list fields;
    va_start(fields, kind);
    for (unsigned i = 0; i < o_kinds[kind].n_fields; i++)
        e->field[i] = va_arg(fields, uint64_t);
    va_end(fields);
}

/* Processes 0 .. n-1, each one location of the same id; communicator 1 is the world, 2 self. */
struct o_trace *test_world(size_t n)
{
    struct o_trace *t = test_new_trace();
    for (size_t i = 0; i < n; i++)
        test_location(t, i, i);
    test_group(t, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, n, N(0), N(1), N(2), N(3));
    test_group(t, 1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, n, N(0), N(1), N(2), N(3));
    test_group(t, 2, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, 0);
    test_comm(t, 1, false, 1, 1);
    test_comm(t, 2, false, 2, 2);
    return t;
}
