/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collects the definitions of an archive and makes of them what filters see (include/tcflow/definitions.h).
 *
 * A source calls definitions_add() for every record in the archive's order, then definitions_resolve(). From then
 * on definitions_index() maps an id of the archive to the index that records carry: a table look-up where the ids
 * of a kind are dense, a hash look-up where they aren't. Ids that no definition defines get an index of their own
 * (TCF_DANGLING) when they are first asked for; there may be DEFINITIONS_DANGLING_CAP of them for each kind.
 * Not for several threads at a time, since looking up may add a dangling id. */
#ifndef TCFLOW_FRAMEWORK_DEFINITIONS_H
#define TCFLOW_FRAMEWORK_DEFINITIONS_H

#include "framework/base/map.h"
#include "records.h"
#include <tcflow/filter.h>

#ifndef DEFINITIONS_DANGLING_CAP /* fuzzing makes many small ones */
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
    map sparse;              /* (id, kind) -> index, dangling ones too */
    uint64_t *dangling;      /* DEFINITIONS_DANGLING_CAP for each kind */
    int overflow;            /* 1 + the kind that has more dangling ids than that, or than there is memory for */
    struct memory *memory;   /* freed as a whole */
    tcf_definition *records; /* grows */
    uint32_t records_capacity;
} definitions;

definitions *definitions_new(void);
void definitions_delete(definitions *d);

/* Memory that lives as long as the definitions, aligned to 8, zeroed; NULL: out of memory (the cause is recorded). */
void *definitions_memory(definitions *d, size_t bytes);
/* A copy of a text (NULL is copied as ""). */
const char *definitions_text(definitions *d, const char *text);

/* Appends a copy of a raw record (tcf_def_*, by its kind), with its arrays and texts. */
tcf_status definitions_add(definitions *d, enum tcf_definition_kind kind, const void *record);
/* Builds indices and the resolved view; once, after the last definitions_add(). */
tcf_status definitions_resolve(definitions *d);
/* Copies the clock measurements of a location, in their order. */
tcf_status definitions_set_clock_offsets(definitions *d, uint32_t location, const tcf_clock_offset *offsets,
                                         uint32_t n);

/* What a defining record defines; -1 for one that defines nothing of its own (a property, a domain, ...). */
int definitions_defines(const tcf_definition *record, uint64_t *id);

/* What definitions of one kind define, in order of definition, the first one of each id. */
typedef struct definitions_defined {
    uint64_t n;
    uint64_t largest;
    uint64_t *id;
    uint64_t *record; /* numbers of the records */
} definitions_defined;

/* Numbers the ids of every kind, from 0 on. Afterwards `kinds`, which begins zeroed and whose arrays the caller frees,
 * holds the first definition of each id, by index. */
tcf_status definitions_number(definitions *d, definitions_defined kinds[TCF_REF_KINDS]);
/* The communicators, given everything else: communicators.c. `first` has the defining record of every index. */
tcf_status definitions_resolve_comms(definitions *d, const uint64_t *first, uint32_t n);

uint32_t definitions_index_rest(definitions *d, tcf_ref_kind kind, uint64_t id);

/* The index of an id: TCF_NONE for the archive's "undefined", with TCF_DANGLING set where nothing defines it. */
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

/* The same without making an unknown id known: TCF_NONE for it. */
static inline uint32_t definitions_find(const definitions *d, tcf_ref_kind kind, uint64_t id)
{
    const dense_ids *dense = &d->dense[kind];
    return id < dense->n ? dense->index[id] : definitions_find_rest(d, kind, id); /* a hole is TCF_NONE */
}

/* Once it is known which locations are silent. */
tcf_status definitions_find_leaders(definitions *d);
/* Does a process have several locations with events, those of metrics left aside? Locations without one count as
 * one. */
int definitions_share_processes(const tcf_definitions *v);
/* The error for `overflow`. */
tcf_status definitions_fail_overflow(const definitions *d);

#endif
