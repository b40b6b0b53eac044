/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Shared by the files of the merged source, besides ../open.c, which opens the inputs: merge_source.c (which input is
 * read), merge_owners.c (which input has a location's events), merge_share.c (for domains), merge_definitions.c (the
 * union of definitions), merge_same.c (which are the same), merge_archives.c (statements about the run),
 * merge_records.c (rewriting definition records), merge_names.c (undefined ids; records that come once), merge_events.c
 * (rewriting events), merge_extras.c (snapshots, markers, thumbnails). */
#ifndef TCFLOW_FRAMEWORK_MERGE_INTERNAL_H
#define TCFLOW_FRAMEWORK_MERGE_INTERNAL_H

#include "framework/source/stream/stream_source.h"
#include "framework/trace/definitions.h"
#include "framework/trace/source.h"
#include <tcflow/definitions.h>

/* Maps an input's ids and indices to those of the union. */
typedef struct merge_names {
    uint32_t *index[TCF_REF_KINDS]; /* by the input's index: index in the union */
    int same_indices, same_ids;     /* all are the same in both: events need no rewriting, */
    int all;                        /* provided that the union has no others, either */
    map find;                       /* (id, kind) -> index in the input */
    map undefined;                  /* (id, kind) that the input doesn't define -> position in undefined_ids */
    map taken;                      /* (undefined_ids[position], kind) -> position */
    uint64_t *undefined_ids;        /* their ids in the union: all different, none defined */
    uint32_t n_undefined, undefined_capacity;
} merge_names;

typedef struct merge_input {
    source *src;
    const char *name; /* as given by the user */
    const tcf_definitions *defs;
    merge_names names;
    uint32_t *local;  /* by location of the union: index in the input, or TCF_NONE */
    uint8_t *ended;   /* by the input's location: nothing more is read of it */
    uint8_t *regions; /* by the input's region: 1: its enters and leaves are wanted; NULL: all are */
    uint32_t first;   /* of a stream: the first location of the union that it has the events of; TCF_NONE: none */
    int is_elsewhere; /* a stream that another share reads, and its size, if that is known */
    uint64_t total;
} merge_input;

void merge_names_free(merge_names *n);
/* merge_names.c. Maps an undefined id of the input to the union's `name`, which no other id of the input has. -1: out
 * of memory. */
int merge_names_undefined(merge_names *n, tcf_ref_kind kind, uint64_t id, uint64_t name);

enum { MERGE_NOBODY = UINT32_MAX };

typedef struct merge_source {
    source base; /* first: what the pipeline sees */
    source_ops ops;
    source_options options;
    merge_input *inputs;
    uint32_t n;
    stream_group *group; /* of the streams; NULL: there are none */
    size_t queue;        /* bytes that it queues of a stream */
    char *names;         /* names of the inputs, separated by zeros */
    definitions *defs;
    uint32_t *owner;                    /* by location: the input with its events, or MERGE_NOBODY */
    uint8_t *end_delivered;             /* by location: its end was delivered */
    uint8_t *has_events;                /* by location: an event was delivered */
    uint8_t *altered;                   /* by location: TCF_ALTERED_* by its input */
    uint32_t next_input, next_location; /* what next_() chose */
    uint32_t last;                      /* last input chosen where any was allowed */
    tcf_property *properties;
    tcf_learned_table *learned;
    uint64_t unknown_shares; /* records of unknown kinds that shares have found */
} merge_source;

/* merge_source.c. A source without inputs; NULL: out of memory (the cause is recorded). */
merge_source *merge_new(const source_options *options, uint32_t n);
/* Frees the source, and what each share has of its own besides: not its inputs' sources and names, nor the group. */
void merge_free(merge_source *m);
/* Starts at the first event of each location. */
tcf_status merge_start(merge_source *m);

/* merge_share.c. To be called when owners have been set: the source can be shared if all of its inputs can. */
void merge_allow_shares(merge_source *m);
/* merge_source.c. Is there a stream whose writer waits for what others write? */
int merge_depends(const merge_source *m);

/* merge_owners.c. Sets the owners that are known from the start: archives and streams of archives state which locations
 * have events. */
tcf_status merge_find_owners(merge_source *m);
/* Sets the owner; all other inputs reject the location. */
tcf_status merge_set_owner(merge_source *m, uint32_t location, uint32_t owner);
/* The input to read the location from: its owner; without one, of the inputs that haven't ended the location, the one
 * that has got least far in time, then in bytes. MERGE_NOBODY: all have ended it. */
uint32_t merge_input_of(const merge_source *m, uint32_t location);

/* Unites the definitions of all inputs, in their order, and fills merge_input.names. NULL: failed (the cause is
 * recorded). */
definitions *merge_definitions(merge_input *inputs, uint32_t n, const volatile sig_atomic_t *interrupted);

/* merge_events.c. Rewrites events [from, to) of a slice that the input has delivered; a snapshot record. */
tcf_status merge_rewrite_events(definitions *d, merge_input *in, slice *s, uint32_t from, uint32_t to);
tcf_status merge_rewrite_snapshot(definitions *d, merge_input *in, const tcf_snapshot_record *r,
                                  tcf_snapshot_record *to, tcf_rec *rec);
/* The id in the union of an id in the input's archive (as in attribute values, markers and thumbnails). */
uint64_t merge_id(const definitions *d, merge_input *in, tcf_ref_kind kind, uint64_t id);

/* Counts the records that a trace has once (markers, thumbnails) and that each part of it repeats: the k-th record with
 * some contents in one input is the same as the k-th in another. */
typedef struct merge_once {
    map counts; /* (hash, input) -> records so far; (hash, UINT32_MAX) -> records delivered */
} merge_once;

/* merge_names.c. *is_new: has not been passed on yet. */
tcf_status merge_note_once(merge_once *o, uint64_t hash, uint32_t input, int *is_new);

/* merge_names.c. Adds properties; the first one of a name counts. Their texts stay the inputs'. */
void merge_add_properties(tcf_property *to, uint32_t *n, const tcf_property *from, uint32_t n_from);

/* merge_extras.c. Operations of source.h. */
tcf_status merge_snapshots(source *base, uint32_t location, source_each_snapshot each, void *data);
tcf_status merge_markers(source *base, source_each_marker each, void *data);
tcf_status merge_thumbnails(source *base, source_each_thumbnail each, void *data);

/* merge_records.c. A definition record with rewritten references. */
typedef union merge_any {
#define D(number, NAME, Name, name, FIELDS) tcf_##name name;
    TCF_DEFINITION_TABLE(D, TCF_SKIP, TCF_SKIP, TCF_SKIP)
#undef D
} merge_any;

typedef struct merge_record {
    merge_any as;
    void *array[4]; /* owned by the record */
    uint32_t n_arrays;
} merge_record;

/* A hash of what a record means, without its own id. */
typedef struct merge_key {
    uint64_t a, b;
} merge_key;

/* Maps the id of a reference in a definition. */
typedef uint64_t (*merge_reference)(void *data, tcf_ref_kind kind, uint64_t id);

/* Returns -1 when out of memory. To be freed by merge_record_free() in either case. */
int merge_record_make(const tcf_definition *from, merge_reference reference, void *data, merge_record *to);
void merge_record_free(merge_record *r);
merge_key merge_record_key(enum tcf_definition_kind kind, const merge_record *r, int with_id);

/* The union's index of an input's location. */
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
