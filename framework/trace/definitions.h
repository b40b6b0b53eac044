/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collects the definitions of an archive and builds what filters see (include/tcflow/definitions.h).
 *
 * A source calls definitions_add() for every record in the archive's order, then definitions_resolve(). From then on
 * definitions_index() maps an id of the archive to the index that records carry: a table look-up where the ids of a
 * kind are dense, else a hash look-up. An undefined id gets an index of its own (TCF_DANGLING) at its first look-up, up
 * to DEFINITIONS_DANGLING_CAP ids of each kind; so even look-ups must come from one thread at a time. Further threads
 * look up in shares of the definitions (definitions_share()), which find undefined ids by themselves. */
#ifndef TCFLOW_FRAMEWORK_DEFINITIONS_H
#define TCFLOW_FRAMEWORK_DEFINITIONS_H

#include "framework/base/map.h"
#include "records.h"
#include <tcflow/source.h>

#ifndef DEFINITIONS_DANGLING_CAP /* fuzzing makes many small sets of definitions */
#define DEFINITIONS_DANGLING_CAP 65536
#endif
#define DEFINITIONS_HOLE UINT32_MAX /* in a dense table: this id has no definition */

typedef struct dense_ids {
    const uint32_t *index;
    uint64_t n;
} dense_ids;

typedef struct definitions {
    tcf_definitions v; /* for filters; everything in it lies in `memory` */
    dense_ids dense[TCF_REF_KINDS];
    map sparse;              /* (id, kind) -> index */
    map undefined;           /* the same of dangling ids */
    uint64_t *dangling;      /* DEFINITIONS_DANGLING_CAP for each kind */
    int overflow;            /* 1 + the kind that has more dangling ids than that, or than there is memory for */
    struct memory *memory;   /* freed as a whole */
    tcf_definition *records; /* grows */
    uint32_t records_capacity;
    int is_share; /* all but `undefined`, `dangling` and `memory` belongs to another one */
} definitions;

definitions *definitions_new(void);
void definitions_delete(definitions *d);

/* The same definitions for another thread, to be called after definitions_resolve(). `d` outlives the share, and
 * nothing but undefined ids is added to either of them meanwhile. NULL: out of memory (the cause is recorded). */
definitions *definitions_share(const definitions *d);
/* The index in `d` of what `part`, a share of it, knows by `index`. */
uint32_t definitions_index_of_share(definitions *d, const definitions *part, tcf_ref_kind kind, uint32_t index);

/* Zeroed memory, aligned to 8 bytes, freed by definitions_delete(). NULL: out of memory (the cause is recorded). */
void *definitions_memory(definitions *d, size_t bytes);
/* A copy of a text, "" for NULL, in such memory. NULL: out of memory. */
const char *definitions_text(definitions *d, const char *text);

/* Appends a copy of a raw record (tcf_def_* of this kind) with its arrays and texts. */
tcf_status definitions_add(definitions *d, enum tcf_definition_kind kind, const void *record);
/* Builds the indices and the view of filters. To be called once, after the last definitions_add(). */
tcf_status definitions_resolve(definitions *d);
/* Copies the clock offsets of a location, in their order. To be called after definitions_resolve(). */
tcf_status definitions_set_clock_offsets(definitions *d, uint32_t location, const tcf_clock_offset *offsets,
                                         uint32_t n);

/* Do the events follow from samples? */
static inline int definitions_are_sampled(const tcf_definitions *defs)
{
    const char *value = tcf_property_of(defs->properties, defs->n_properties, TCF_SAMPLED);
    return value && strcmp(value, "true") == 0;
}

/* The kind of reference that a record defines, and its *id; -1: it defines none (a property, a domain, ...). */
int definitions_defines(const tcf_definition *record, uint64_t *id);

/* The ids that the records of one kind define, in order of definition, the first record of each. */
typedef struct definitions_defined {
    uint64_t n;
    uint64_t largest;
    uint64_t *id;
    uint64_t *record; /* numbers of the records */
} definitions_defined;

/* Numbers the ids of every kind from 0 on. `kinds` must be zeroed; afterwards it holds the first definition of each id,
 * by index. The caller frees its arrays. */
tcf_status definitions_number(definitions *d, definitions_defined kinds[TCF_REF_KINDS]);
/* communicators.c: resolves the communicators; all other definitions must be resolved. `first` holds the number of the
 * defining record by index. */
tcf_status definitions_resolve_comms(definitions *d, const uint64_t *first, uint32_t n);

uint32_t definitions_index_rest(definitions *d, tcf_ref_kind kind, uint64_t id);

/* The index of an id: TCF_NONE for the archive's "undefined"; an undefined id gets one with TCF_DANGLING set. */
static inline uint32_t definitions_index(definitions *d, tcf_ref_kind kind, uint64_t id)
{
    const dense_ids *dense = &d->dense[kind];
    if (__builtin_expect(id < dense->n, 1)) {
        uint32_t index = dense->index[id];
        if (__builtin_expect(index != DEFINITIONS_HOLE, 1))
            return index;
    }
    return definitions_index_rest(d, kind, id);
}

uint32_t definitions_find_rest(const definitions *d, tcf_ref_kind kind, uint64_t id);

/* The same, but TCF_NONE for an undefined id, which gets no index. */
static inline uint32_t definitions_find(const definitions *d, tcf_ref_kind kind, uint64_t id)
{
    const dense_ids *dense = &d->dense[kind];
    return id < dense->n ? dense->index[id] : definitions_find_rest(d, kind, id); /* DEFINITIONS_HOLE is TCF_NONE */
}

/* lead_threads.c: sets `leader` of every location. tcf_location.silent must be set. */
tcf_status definitions_find_lead_threads(definitions *d);
/* Does any process have several locations with events, metric locations aside? Locations without a process count as one
 * process. */
int definitions_share_processes(const tcf_definitions *v);
/* Fails with the message for `overflow`. */
tcf_status definitions_fail_overflow(const definitions *d);

#endif
