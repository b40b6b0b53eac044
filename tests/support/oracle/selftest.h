/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the self-tests of the oracle share: TAP, and traces built in memory. */
#ifndef TCFLOW_TESTS_ORACLE_SELFTEST_H
#define TCFLOW_TESTS_ORACLE_SELFTEST_H

#include "clocks.h"

void test_ok(bool good, const char *what);
int test_done(void); /* prints the plan, returns the exit status */

void test_clocks(void); /* selftest_clocks.c */

struct o_trace *test_new_trace(void);
size_t test_location(struct o_trace *t, uint64_t id, uint64_t group);
void test_group(struct o_trace *t, uint64_t id, uint8_t type, uint8_t paradigm, uint32_t flags, size_t n, ...);
void test_comm(struct o_trace *t, uint64_t id, bool inter, uint64_t a, uint64_t b);
void test_region(struct o_trace *t, uint64_t id, uint8_t role, uint8_t paradigm);
/* Appends an event with as many fields as its kind has; they are passed as uint64_t. */
void test_event(struct o_trace *t, size_t l, uint64_t time, enum o_kind kind, ...);
/* Processes 0 .. n-1, each one location of the same id; communicator 1 is the world, 2 self. */
struct o_trace *test_world(size_t n);

#define N(x) ((uint64_t)(x))
#define SEND(t, l, time, to, c, tag) test_event(t, l, time, O_MPI_SEND, N(to), N(c), N(tag), N(1))
#define RECV(t, l, time, from, c, tag) test_event(t, l, time, O_MPI_RECV, N(from), N(c), N(tag), N(1))
#define POST(t, l, time, id) test_event(t, l, time, O_MPI_IRECV_REQUEST, N(id))
#define IRECV(t, l, time, from, c, tag, id) test_event(t, l, time, O_MPI_IRECV, N(from), N(c), N(tag), N(1), N(id))
#define BEGIN(t, l, time) test_event(t, l, time, O_MPI_COLLECTIVE_BEGIN)
#define END(t, l, time, op, c, root, sent, received)                                                                   \
    test_event(t, l, time, O_MPI_COLLECTIVE_END, N(OTF2_COLLECTIVE_OP_##op), N(c), N(root), N(sent), N(received))
#define NBC(t, l, time, op, c, root, id)                                                                               \
    test_event(t, l, time, O_NON_BLOCKING_COLLECTIVE_COMPLETE, N(OTF2_COLLECTIVE_OP_##op), N(c), N(root), N(1), N(1),  \
               N(id))
#define NONE OTF2_COLLECTIVE_ROOT_NONE

#endif
