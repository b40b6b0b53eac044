/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts share that unite the definitions of several inputs: merge_definitions.c (all of it, record by record),
 * merge_same.c (which definitions mean the same, and what they are called), merge_archives.c (what inputs say of the
 * whole run). */
#ifndef TCFLOW_FRAMEWORK_MERGE_UNITE_H
#define TCFLOW_FRAMEWORK_MERGE_UNITE_H

#include "merge_internal.h"

enum { UNKNOWN, BUSY, KNOWN, FRESH }; /* FRESH: known, and nobody before has defined it */

/* A definition of the union. */
typedef struct slot {
    uint64_t id;
    merge_key key;
    uint32_t next, last;          /* of those that mean the same; last: in the first of them */
    uint32_t cursor;              /* in the first: where cursor_of goes on looking */
    uint32_t cursor_of, taken_by; /* inputs */
} slot;

/* What is known of an input while the union is made. */
typedef struct side {
    uint64_t *record[TCF_REF_KINDS]; /* by index: the record that defines it */
    uint64_t *id[TCF_REF_KINDS];     /* by index: in the union */
    uint8_t *state[TCF_REF_KINDS];
    uint8_t agrees[TCF_REF_KINDS]; /* UNKNOWN, BUSY, KNOWN: it doesn't, FRESH: it does */
} side;

typedef struct uniter {
    definitions *out;
    merge_input *inputs;
    side *sides;
    uint32_t n, now; /* now: the input that is looked at */
    uint32_t depth;
    slot *slots;
    uint32_t n_slots, slots_capacity;
    map by_id;                       /* (id, kind) -> slot */
    map by_key;                      /* -> the first slot that means it */
    map strays;                      /* (id, kind): something undefined is called so */
    map locations;                   /* (id, 0) -> record in the union, (id, 1) -> the input that it is of */
    uint64_t next_id[TCF_REF_KINDS]; /* behind all */
    uint64_t free_id[TCF_REF_KINDS]; /* none before it is free */
    merge_once once;                 /* records that define nothing */
    tcf_def_clock_properties clock;
    int has_clock, failed;
    const volatile sig_atomic_t *interrupted;
} uniter;

/* 0, and u->failed is set. */
uint64_t merge_fail_memory(uniter *u);

/* merge_same.c. Before anything else: where the definitions of an input stand. */
tcf_status merge_prepare_side(uniter *u, uint32_t p);
/* What a definition of the input u->now is called in the union; its state says whether it is a new one there. Failures
 * are seen by u->failed. */
uint64_t merge_unite(uniter *u, tcf_ref_kind kind, uint32_t index);
/* The same of a reference, for merge_record_make(): `data` is the uniter. */
uint64_t merge_reference_of(void *data, tcf_ref_kind kind, uint64_t id);

/* merge_archives.c. The clock of all, to u->clock; ranks mean the same locations everywhere; anchor and properties; and
 * when the union is resolved, what is known of each location. */
tcf_status merge_unite_clocks(uniter *u);
tcf_status merge_check_ranks(const uniter *u);
tcf_status merge_unite_archives(uniter *u);
tcf_status merge_unite_locations(definitions *d, merge_input *inputs, uint32_t n);

#endif
