/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of the merged source share: merge_source.c (which input gives what), merge_owners.c (whose a location
 * is), merge_open.c (which inputs there are), merge_definitions.c (one set of definitions of those of all inputs),
 * merge_same.c (which of them are the same), merge_archives.c (what they say of the run), merge_records.c (records
 * rewritten, for that), merge_events.c (what an input's events refer to, in terms of the union), merge_extras.c
 * (snapshots, markers, thumbnails). */
#ifndef TCFLOW_FRAMEWORK_MERGE_INTERNAL_H
#define TCFLOW_FRAMEWORK_MERGE_INTERNAL_H

#include "framework/source/stream/stream_source.h"
#include "framework/trace/definitions.h"
#include "framework/trace/source.h"
#include <tcflow/references.h>

/* What the ids and indices of an input are in the union. */
typedef struct merge_names {
    uint32_t *index[TCF_REF_KINDS]; /* by the input's index */
    int same_indices, same_ids;     /* are they all the same there? Then nothing of the events has to be rewritten, */
    int all;                        /* if the union has no others, either */
    map find;                       /* (id, kind) -> index in the input */
    map strays;                     /* (id, kind) that the input does not define -> place in stray */
    map called;                     /* (stray[place], kind) -> place */
    uint64_t *stray;                /* what they are called in the union: ids that nobody defines, each another one */
    uint32_t n_strays, stray_capacity;
} merge_names;

typedef struct merge_input {
    source *src;
    const char *name; /* as the user has given it */
    const tcf_definitions *defs;
    merge_names names;
    uint32_t *mine;   /* by location of the union: index here, or TCF_NONE */
    uint8_t *told;    /* by location here: it has ended */
    uint8_t *regions; /* by region here: its enters and leaves are wanted; NULL: all are */
} merge_input;

void merge_names_free(merge_names *n);
/* From now on an id that the input does not define is called `name`, which no other one of it is. -1: out of memory. */
int merge_names_stray(merge_names *n, tcf_ref_kind kind, uint64_t id, uint64_t name);

enum { MERGE_NOBODY = UINT32_MAX };

typedef struct merge_source {
    source base; /* first: what the pipeline sees */
    source_ops ops;
    source_options options;
    merge_input *inputs;
    uint32_t n;
    stream_group *group; /* of those that are streams; NULL: there are none */
    char *names;         /* of the inputs, parted by zeros */
    definitions *defs;
    uint32_t *owner;              /* by location: input, or MERGE_NOBODY */
    uint8_t *over;                /* by location: its end has been told */
    uint8_t *any;                 /* by location: an event of it has come */
    uint8_t *altered;             /* by location: TCF_ALTERED_*, in front of its input */
    uint32_t turn, turn_location; /* what next_() has decided */
    uint32_t last;                /* input that came last where any would do */
    source_facts facts;
    tcf_property *properties;
    tcf_learned_table *learned;
    source_loss *losses;
    uint32_t n_losses;
} merge_source;

/* merge_source.c: an empty one, with its operations; NULL: out of memory. */
merge_source *merge_new(const source_options *options, uint32_t n);
/* From the first event on. */
tcf_status merge_start(merge_source *m);

/* merge_owners.c. What can be known from the start: archives say which locations have events, and so does who wrote a
 * stream of one. */
tcf_status merge_find_owners(merge_source *m);
/* The location is this input's from now on. */
tcf_status merge_own(merge_source *m, uint32_t location, uint32_t owner);
/* Which input may have something of the location; MERGE_NOBODY: all have told its end. Of several the one that has got
 * least far, in time or else in bytes: it may be its, or the others go on without it. */
uint32_t merge_input_of(const merge_source *m, uint32_t location);

/* The union of the definitions of all inputs, in the order in which they were named; fills their names. NULL: see the
 * cause. */
definitions *merge_definitions(merge_input *inputs, uint32_t n, const volatile sig_atomic_t *interrupted);

/* merge_events.c. Events [from, to) of a slice that an input has just delivered. */
tcf_status merge_rewrite_events(definitions *d, merge_input *in, slice *s, uint32_t from, uint32_t to);
tcf_status merge_rewrite_snapshot(definitions *d, merge_input *in, const tcf_snapshot_record *r,
                                  tcf_snapshot_record *to, tcf_rec *rec);
/* An id in the archive of the input (attribute values, markers and thumbnails have such) in the union. */
uint64_t merge_id(const definitions *d, merge_input *in, tcf_ref_kind kind, uint64_t id);

/* What stands once in a whole trace (markers, thumbnails) and in each part of it comes once: the k-th record of a
 * content in an input is the k-th of the same content in another. */
typedef struct merge_once {
    map counts; /* (hash, input) -> how many; input UINT32_MAX: that were passed on */
} merge_once;

/* merge_names.c. *is_new: has not been passed on yet. */
tcf_status merge_note_once(merge_once *o, uint64_t hash, uint32_t input, int *is_new);

/* merge_extras.c; see source.h. */
tcf_status merge_snapshots(definitions *d, merge_input *in, uint32_t location,
                           tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data);
tcf_status merge_markers(definitions *d, merge_input *inputs, uint32_t n,
                         tcf_status (*each)(void *data, const tcf_marker *marker), void *data);
tcf_status merge_thumbnails(definitions *d, merge_input *inputs, uint32_t n,
                            tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail), void *data);

/* merge_records.c: a definition record with its references rewritten. */
typedef union merge_any {
#define D(number, NAME, Name, name, FIELDS) tcf_##name name;
    TCF_DEFINITION_TABLE(D, TCF_SKIP, TCF_SKIP, TCF_SKIP)
#undef D
} merge_any;

typedef struct merge_record {
    merge_any as;
    void *array[4]; /* its own */
    uint32_t n_arrays;
} merge_record;

/* What a record means, but for its own id. */
typedef struct merge_key {
    uint64_t a, b;
} merge_key;

/* How an id is called: `reference` of a definition. */
typedef uint64_t (*merge_reference)(void *data, tcf_ref_kind kind, uint64_t id);

/* -1: out of memory. Free with merge_record_free() in any case. */
int merge_record_make(const tcf_definition *from, merge_reference reference, void *data, merge_record *to);
void merge_record_free(merge_record *r);
merge_key merge_record_key(enum tcf_definition_kind kind, const merge_record *r, int with_id);

/* The location of the union that an input's is. */
static inline uint32_t merge_location(const merge_input *in, uint32_t local)
{
    return in->names.index[TCF_REF_LOCATION][local];
}

static inline void merge_key_add(merge_key *k, uint64_t value)
{
    k->a = map_hash(k->a, value);
    k->b = map_hash(value, k->b);
}

#endif
