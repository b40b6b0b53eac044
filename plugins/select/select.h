/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* select: what its parts share. select.c handles slices; what.c makes tables of the lists of names; range.c turns the
 * time range into ticks; open.c inserts enters and leaves where the range cuts open regions; filter_file.c reads
 * Score-P filter files; requests.c keeps or drops the records of a request together. */
#ifndef TCFLOW_SELECT_H
#define TCFLOW_SELECT_H

#include <tcflow/filter.h>
#include <tcflow/map.h>

typedef struct conf {
    const char *from, *to;
    int clock_offsets;
    tcf_list locations, groups, ranks, regions, exclude_regions, communicators, kinds, exclude_kinds;
    const char *filter_file;
    int balance;
    int messages; /* MESSAGES_KEEP, MESSAGES_DROP */
} conf;

enum { MESSAGES_KEEP, MESSAGES_DROP };

/* How the events of a kind are selected. */
enum rule {
    RULE_KEEP,
    RULE_DROP,
    RULE_REGION,  /* enter and leave: the region */
    RULE_CONTEXT, /* enter and leave of a calling context: its region */
    RULE_REQUEST  /* see requests.c */
};

/* A rule of a Score-P filter file. */
typedef struct file_rule {
    char *pattern;
    uint8_t exclude, mangled, of_files;
    uint8_t literal; /* the pattern has no special characters */
} file_rule;

typedef struct file_rules {
    file_rule *at;
    uint32_t n, capacity;
} file_rules;

/* One end of the time range, as the user gave it. */
typedef struct bound {
    enum { BOUND_NONE, BOUND_TICKS, BOUND_SECONDS, BOUND_PERCENT } unit;
    uint64_t ticks;
    double value;
} bound;

/* State of an instance, constant after begin(). Tables are NULL where everything is kept. */
typedef struct state {
    file_rules file_rules;
    bound from, to;
    uint8_t keep_kind[TCF_EVENT_KINDS + 1];
    uint8_t rule[TCF_EVENT_KINDS + 1];       /* enum rule */
    uint8_t comm_field[TCF_EVENT_KINDS + 1]; /* 1 + offset in tcf_rec of the field with the communicator; 0: none */
    uint8_t win_field[TCF_EVENT_KINDS + 1];  /* the same of the RMA window */
    uint8_t *location, *region, *comm;
    uint8_t keep_other_regions; /* keeps regions without definition */
    uint8_t keep_other_comms;   /* keeps records of MPI whose communicator has no definition */
    int by_event;               /* some rule is not RULE_KEEP */
    int range;                  /* there is a time range */
    int partners;               /* drops messages whose other end is at a location that isn't kept */
    int active;                 /* something is selected */
} state;

/* A region or calling context that is open where the range is cut. */
typedef struct open_region {
    uint32_t what, distance;
    uint8_t kind; /* of its enter */
} open_region;

/* A held slice. It waits as long as the keep[] of some event may still become 0. */
typedef struct held_slice {
    tcf_slice *slice;
    uint8_t *keep;
    uint32_t undecided;
    uint64_t end; /* number of the event behind it */
} held_slice;

/* A record of a request, which stays or goes with the completion. The first record of a request is its posting. */
typedef struct follower {
    uint64_t slice;  /* number of the slice, see place.n_slices */
    uint64_t number; /* of the event */
    uint32_t next;   /* 1 + index; 0: this is the last one */
    uint32_t pos;    /* in the slice */
} follower;

/* For the log. */
typedef struct select_counts {
    uint64_t seen, kept, inserted, early, forgotten;
    uint64_t first, last; /* times of all that it has seen, where that is more than 0 */
} select_counts;

/* State of a location. */
typedef struct place {
    uint64_t from, to; /* ticks of its clock, both included */
    uint8_t phase;     /* BEFORE, INSIDE, BEHIND the range */
    uint8_t cut;       /* the end of the range cuts regions: leaves come behind the held slices */
    uint8_t draining;
    open_region *open;
    uint32_t n_open, open_capacity;
    uint32_t too_deep; /* open regions beyond the deepest level */
    uint8_t *keep;     /* buffer */
    uint32_t keep_capacity;
    held_slice *held; /* a ring */
    uint32_t n_held, first_held, held_capacity;
    uint64_t n_slices; /* so far; the number of the next one */
    uint64_t n_events; /* before the current slice */
    tcf_map
        requests; /* (id, family) -> 1 + index of the first follower; 0: a send that is dropped, without followers */
    follower *followers;
    uint32_t free_followers, n_followers, followers_capacity;
    uint32_t undecided; /* in the current slice */
    uint64_t first;     /* `first` of the last slice seen */
    select_counts count;
} place;

enum { BEFORE, INSIDE, BEHIND };

/* Events between a posting and its completion at most; the framework's matching has the same default. */
enum { REQUEST_LOOKAHEAD = 4096 };

static inline held_slice *held_at(const place *p, uint32_t i)
{
    return &p->held[(p->first_held + i) & (p->held_capacity - 1)];
}

static inline int keeps_region(const state *st, const tcf_definitions *defs, uint32_t region)
{
    return !st->region || (region < defs->n_regions ? st->region[region] : st->keep_other_regions);
}

static inline int keeps_context(const state *st, const tcf_definitions *defs, uint32_t context)
{
    return keeps_region(st, defs, tcf_region_of_context(defs, context));
}

/* what.c: kinds in init(), the rest in begin(). */
tcf_status what_kinds(tcf_self *self);
tcf_status what_definitions(tcf_self *self);
void what_free(state *st);
/* The name that is most like `word`. NULL: none is like it. name(data, i): the i-th of n names, may be NULL. */
const char *nearest(const char *word, uint32_t n, const char *(*name)(const void *data, uint32_t i), const void *data);

/* range.c */
tcf_status range_parse(tcf_self *self);
tcf_status range_set(tcf_self *self);

/* open.c: follows which regions are open over events [from, to). -1: out of memory. */
int open_follow(const tcf_self *self, place *p, const tcf_slice *s, uint32_t from, uint32_t to);
/* Inserts the enters (outermost first) or leaves (innermost first) of what is open. */
tcf_status open_insert(tcf_self *self, uint32_t location, place *p, int is_enter, uint64_t time);

/* filter_file.c */
tcf_status filter_file_read(tcf_self *self, const char *path, file_rules *rules);
int filter_file_keeps(const file_rules *rules, const tcf_region *region);
void filter_file_free(file_rules *rules);

/* requests.c: does event i of a slice stay? A completion also decides about the records that wait for it. -1: out of
 * memory. */
int requests_keep(const tcf_self *self, place *p, const tcf_slice *s, uint32_t i);
void requests_free(place *p);

#endif
