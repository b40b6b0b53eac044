/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Shared by the files that unite the definitions of several inputs: merge_definitions.c (record by record),
 * merge_same.c (which are the same), merge_archives.c (statements about the run). */
#ifndef TCFLOW_FRAMEWORK_MERGE_UNITE_H
#define TCFLOW_FRAMEWORK_MERGE_UNITE_H

#include "merge_internal.h"

enum { UNKNOWN, BUSY, KNOWN, FRESH }; /* of an id in the union; FRESH: known, and new */
enum { AGREES_UNKNOWN, AGREES_BUSY, AGREES_NOT, AGREES };

/* A definition of the union. */
typedef struct slot {
    uint64_t id;
    merge_key key;
    uint32_t next, last;          /* next with the same meaning; last: in the first of them */
    uint32_t cursor;              /* in the first: where the search of input cursor_of goes on */
    uint32_t cursor_of, taken_by; /* numbers of inputs */
} slot;

/* What is known of an input while the union is built. */
typedef struct input_state {
    uint64_t *record[TCF_REF_KINDS]; /* by index: number of the defining record */
    uint64_t *id[TCF_REF_KINDS];     /* by index: id in the union */
    uint8_t *state[TCF_REF_KINDS];
    uint8_t agrees[TCF_REF_KINDS]; /* AGREES_*, see ids_agree() */
} input_state;

typedef struct merger {
    definitions *out;
    merge_input *inputs;
    input_state *states;
    uint32_t n, now; /* now: number of the current input */
    uint32_t depth;
    slot *slots;
    uint32_t n_slots, slots_capacity;
    map by_id;                       /* (id, kind) -> slot */
    map by_key;                      /* merge_key -> the first slot with this meaning */
    map undefined;                   /* (id, kind) in the union that undefined ids of inputs have */
    map locations;                   /* (id, 0) -> record in the union; (id, 1) -> its input */
    uint64_t next_id[TCF_REF_KINDS]; /* behind all ids */
    uint64_t free_id[TCF_REF_KINDS]; /* no id before it is free */
    merge_once once;                 /* records that define nothing */
    tcf_def_clock_properties clock;
    int has_clock, failed;
    const volatile sig_atomic_t *interrupted;
} merger;

/* Records the failure in u->failed; returns 0. */
uint64_t merge_fail_memory(merger *u);

/* merge_same.c. Indexes the definitions of an input; to be called first, for each input. */
tcf_status merge_prepare_input(merger *u, uint32_t p);
/* The union's id for a definition of input u->now; its state says whether the definition is new. Sets u->failed on
 * failure. */
uint64_t merge_unite(merger *u, tcf_ref_kind kind, uint32_t index);
/* The same for a reference, for merge_record_make(): `data` is the merger. */
uint64_t merge_reference_of(void *data, tcf_ref_kind kind, uint64_t id);

/* merge_archives.c. Unites the clocks into u->clock; checks that ranks mean the same locations in all inputs; unites
 * anchor and properties; after definitions_resolve() completes the locations. */
tcf_status merge_unite_clocks(merger *u);
tcf_status merge_check_ranks(const merger *u);
tcf_status merge_unite_archives(merger *u);
tcf_status merge_unite_locations(definitions *d, merge_input *inputs, uint32_t n);

#endif
