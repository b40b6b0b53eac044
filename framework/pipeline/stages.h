/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The inside of a pipeline, for the files of this room: chain.c (filters to instances), build.c (instances to stages),
 * run.c, push.c, calls.c and reclaim.c (slices through the stages), host.c (what filters may ask).
 *
 * Who writes which field of a pipeline, and when:
 *
 *   session, next, chain                 survey.c, session.c    when it is made
 *   instances, layout, from_source, time_raw, what the chain needs (edges ... live)
 *                                        chain.c                before the source is open
 *   stages, matcher, callpaths, arrays by location
 *                                        build.c                before the first event
 *   pool, memory, n_blocks, held_from    memory.c               the same
 *   together, waits_for_time             chain.c; build.c       where processes have several locations
 *   changed_before                       chain.c; run.c         when the source is open; when it has ended
 *   source, defs, domain, letters        domains.c, build.c      before anything else is built
 *   events, read_time, source_ended, n_events, n_ended, beats_due, next_beat, next_progress, complete, has_moved
 *                                        run.c                  while slices flow
 *   backlog                              backlog.c; run.c       the same
 *   properties                           stages.c               for set_property() and the source's properties
 *   most_held                            reclaim.c              before a slice is read
 *   released_early                       reclaim.c              when memory is full
 *   to_repeat, repeated                  survey.c               behind the last event of a survey
 *
 * Of an instance: chain.c fills all but `stage` and `last_time`, `altered`, `publisher` and the offsets (build.c,
 * segment_stage.c); host.c sets `report`, `report_lost`, `drops`, `altered`, `asked`, `opens_files`, while the filter
 * is called; run.c sets `ended`, build.c `finished`. Of a stage: build.c makes it; push.c moves `frontier`,
 * `end_waits`, `given`; push.c and host.c count `held` and `n_held`; run.c sets `finished`. */
#ifndef TCFLOW_FRAMEWORK_STAGES_H
#define TCFLOW_FRAMEWORK_STAGES_H

#include "framework/base/error.h"
#include "framework/base/least.h"
#include "framework/causality/match.h"
#include "framework/causality/schedule.h"
#include "framework/results/results.h"
#include "framework/trace/callpath.h"
#include "framework/trace/learned.h"
#include "session_internal.h"
#include "verify.h"

typedef struct stage stage;
typedef struct domains domains; /* domains.h */
typedef struct domain domain;

/* A filter of the chain: its settings, its state, and its stage. */
typedef struct instance {
    tcf_self self; /* first: what the filter sees */
    const tcf_filter *filter;
    pipeline *pipeline;
    stage *stage;
    void *conf;
    string_store *storage;
    report_conf report_conf;
    report *report;
    settings_section *section;                         /* of the INI, may be NULL */
    uint32_t publisher, message_offset, member_offset; /* in its segment's slots */
    const char *part;                                  /* of the work that it shares (private/parts_host.h); NULL */
    struct instance *first;                            /* of those that share it; NULL: itself */
    tcf_status (*told)(tcf_self *self, uint32_t from, const void *letter); /* private/domains_host.h; NULL: never */
    tcf_status (*spare_time)(tcf_self *self, int *moved);                  /* the same */
    uint32_t gathers;        /* in the first domain what all have seen, in ns an event (private/domains_host.h) */
    uint8_t waits_outside;   /* as private/domains_host.h says */
    uint8_t is_short;        /* of room, until letters come (private/domains_host.h) */
    uint64_t *last_time;     /* by location: of the last event behind it, when it may break the order of times */
    uint8_t reports;         /* its report is wanted */
    uint8_t leads;           /* and comes before all others */
    uint8_t report_lost;     /* no memory was left for the report */
    const char *misused;     /* the call of the host that breaks a rule, NULL: none; the callback fails */
    uint8_t drops;           /* the filter has dropped or inserted events */
    uint8_t *altered;        /* by location: TCF_ALTERED_*; NULL: the filter can neither drop nor insert */
    uint8_t ended;           /* end() has succeeded */
    uint8_t asked;           /* the filter has called learned() */
    uint8_t opens_files;     /* the filter has asked in init() for TCF_HANDLES_HOST */
    uint8_t begun, finished; /* init() was called; fini() was */
} instance;

typedef enum stage_kind { STAGE_FILTER, STAGE_CALLPATH, STAGE_SEGMENT } stage_kind;

/* Slices pass the stages one after another. A run of span filters is one stage, a segment; so is the gate in front of
 * a slice filter that needs edges: a segment without filters. */
struct stage {
    stage_kind kind;
    uint32_t number;
    pipeline *pipeline;
    instance *filter;   /* STAGE_FILTER */
    instance **filters; /* STAGE_SEGMENT */
    uint32_t n_filters;
    uint8_t arrives; /* one of them has arrive() */
    callpath_stage *callpath;
    segment *segment;
    stage *front;          /* STAGE_FILTER with TCF_CAN_ANSWER: the segment whose edges the filter answers */
    uint8_t answers;       /* STAGE_SEGMENT: a filter behind it answers its edges */
    verify_lane *verified; /* by location: STAGE_SEGMENT with filters, when they are to be verified; else NULL */
    least frontier; /* by location: lower bound of the times of events still to arrive here; UINT64_MAX: it has ended */
    uint32_t *held; /* by location: slices that the filter holds (TCF_CAN_HOLD) */
    uint64_t n_held;    /* of all locations */
    const slice *given; /* during the call of slice(): the slice; NULL: the filter has released it */
    uint8_t *end_waits; /* by location: it has ended, but the filter still holds slices of it */
    uint8_t finished;   /* its filters have ended */
    uint64_t elsewhere; /* the watermark of other domains, as far as it is known, and of use here */
};

/* Slices that have left the first segment of a domain and wait, in the order in which they left (backlog.c). */
typedef struct backlog {
    slice *first, *last;
    uint32_t n;
    uint8_t is_open; /* it is the first segment's turn, and slices that leave it may queue up */
} backlog;

/* One chain over the session's source: a survey's, or the main one. */
struct pipeline {
    session *session;
    source *source;              /* the session's, or in a domain but the first a share of it */
    const tcf_definitions *defs; /* the source's */
    domains *plan;               /* how it is split; NULL: undecided */
    domain *domain;              /* the one that this is, where it is split; NULL: it has all locations */
    letters *letters;            /* to other domains, where segments wait for what passes there; else NULL */
    uint8_t has_moved;           /* with letters: something has passed, or letters have come, since it rested */
    uint8_t rests;               /* with letters: pipeline_go_on() is to be called when a verdict is there */
    uint8_t is_in_room;          /* with letters: rests in front of reading a slice of `wanted` */
    int is_over;                 /* the segment that runs has come to its end */
    uint32_t at, wanted, turns;  /* with letters: the segment that runs; locations; of it */
    uint32_t granted;            /* with letters: so many slices it may read although it is short of room */
    uint64_t most_held;          /* with letters: slices that filters have held at a time */
    resting resting;
    backlog backlog;    /* with letters */
    uint8_t has_untold; /* with letters: what is not complete has not been told, as of the last sending */
    pipeline *next;     /* the pipeline which runs behind this one; NULL: this is the main one */
    uint8_t to_repeat;  /* of a survey: it has learned from channels that it then found untrustworthy */
    uint8_t repeated;   /* of a survey: it is the second try */
    tcf_list chain;     /* a part of the session's conf.survey, or conf.chain */
    instance *instances;
    uint32_t n_instances;
    stage *stages;
    uint32_t n_stages, n_segments; /* n_segments: of these */
    slice_layout layout;
    pool *pool;
    uint32_t n_blocks;  /* of the pool */
    uint32_t held_from; /* blocks in use from which on filters release what they hold; others are for the look-ahead */
    matcher *matcher;
    callpaths *callpaths;
    uint32_t n_shared_callpaths; /* in a further domain: the first one has been told of */
    tcf_property *properties;    /* that filters have set */
    uint32_t n_properties;
    uint64_t *events;      /* by location: read so far */
    least read_time;       /* by location: of the last event read; UINT64_MAX: it has ended */
    uint8_t *source_ended; /* by location */
    uint64_t n_events;
    uint64_t (*ends)[2]; /* by location: the earliest and latest times that have come to the end of the chain */
    int edges, together, waits_for_time, needs_callpath, source_at_leave, program;
    const instance *posts; /* a filter that has TCF_NEED_POSTS; NULL: none */
    int by_process;        /* waits_for_time is set where a process has several locations with events */
    int edges_only;        /* all filters look at edges alone */
    int time_raw;          /* column of TCF_TIME_RAW that is filled here, or -1 */
    /* together: all locations are under way at a time; waits_for_time: since a filter wants to see them advance
     * together */
    int live;                               /* a filter has TCF_CAN_LIVE */
    uint32_t changed_before;                /* by filters of other processes, as the source says; as tcf_self.changed */
    uint8_t from_source[SLICE_MAX_COLUMNS]; /* the column is the source's, no filter provides it */
    uint32_t n_ended;                       /* locations */
    uint32_t beats_due;                     /* slices read since the last heartbeat */
    double next_beat, next_progress;
    uint64_t memory; /* of the pool */
    uint64_t released_early;
    int complete;
};

extern const tcf_host pipeline_host;

static inline instance *instance_of(const tcf_self *self)
{
    return self->framework;
}

/* The main pipeline is the last one. */
static inline int pipeline_is_survey(const pipeline *p)
{
    return p->next != NULL;
}

/* Has the filter asked for what a survey learns that has not run? What it says or refuses may change with the answer.
 */
static inline int instance_awaits_survey(const instance *f)
{
    return f->asked && f->pipeline != f->pipeline->session->first;
}

/* build.c. Makes a pipeline without instances; NULL: see the cause. */
pipeline *pipeline_new(session *s, tcf_list chain);
/* Calls each fini(), however far the run came; in domains those of the first one last. */
void pipeline_end(pipeline *p);
/* Deletes one pipeline, not those behind it. */
void pipeline_delete(pipeline *p);
/* chain.c. Makes the instances: all that is possible without definitions. */
tcf_status pipeline_make_chain(pipeline *p);
/* Takes what the writer of a stream knows besides events: changes, learned tables, named columns. */
tcf_status pipeline_take_facts(pipeline *p);
/* build.c. Makes stages, pool and matcher: all that depends on definitions. */
tcf_status pipeline_build(pipeline *p);
/* memory.c. Makes the pool. */
tcf_status pipeline_size_pool(pipeline *p);
/* How much memory events in flight have, and why so much. */
void pipeline_describe_memory(const pipeline *p, char *to, size_t bytes);
/* segment_stage.c. Makes the segment of a stage; `sourced`: it is the first one, to which slices come as they are
 * read. */
tcf_status segment_stage_make(stage *st, int sourced);
/* Starts its filters without reading an event. Those that await a survey may refuse. */
tcf_status pipeline_check_chain(pipeline *p);
/* Starts a filter, in the order of the chain. */
tcf_status pipeline_begin(pipeline *p, uint32_t number);
/* Moves all events through the filters, which have been started; nothing has ended yet. A domain may rest before that
 * is done (p->rests): then it goes on by pipeline_go_on(), in any thread. */
tcf_status pipeline_stream(pipeline *p);
tcf_status pipeline_go_on(pipeline *p, verdict found);
/* Behind the last event: ends the filters, stage by stage, so that what they release passes everything behind. */
tcf_status pipeline_finish(pipeline *p);
/* stages.c. The counts of the next causal segment from stage *k on, which becomes the stage behind it; NULL: none. */
const exchange_counts *pipeline_next_counts(const pipeline *p, uint32_t *k);
/* stages.c. As set_property() of the host table. */
tcf_status pipeline_set_property(pipeline *p, const char *name, const char *value);
/* Sends on the events that have passed, then calls heartbeat() of filters with TCF_CAN_LIVE. */
tcf_status pipeline_heartbeat(pipeline *p);
/* Fills in which pass it is, and what for. */
void pipeline_name_pass(const pipeline *p, session_progress *progress);
/* Has the user asked the run to end? */
int pipeline_interrupted(const pipeline *p);
/* Sets `changed` of each filter: what the filters before it change. */
void pipeline_set_changed(pipeline *p);
/* The number of a named column; -1: there is none. */
int pipeline_column(const pipeline *p, const char *name);
/* push.c. Gives a slice to stage `number` and the stages behind it. */
tcf_status pipeline_push(pipeline *p, uint32_t number, slice *s);
/* A location has ended in front of stage `number`. */
tcf_status pipeline_location_end(pipeline *p, uint32_t number, uint32_t location);
/* A time of a location that hasn't ended: UINT64_MAX is that of those that have, also where events have that time. */
static inline uint64_t before_the_end(uint64_t time)
{
    return time - (time == UINT64_MAX);
}

void pipeline_frontier(pipeline *p, uint32_t number, uint32_t location, uint64_t time);
uint64_t pipeline_watermark(stage *st);
/* With letters: of the locations of this domain. */
uint64_t pipeline_own_watermark(stage *st);
/* reclaim.c. A slice for use in front of stage `first`; reclaims slices of the stages from there on when the pool is
 * empty. NULL: no slice can be had; see the cause. */
slice *pipeline_slice(pipeline *p, uint32_t location, slice_size size, uint32_t first);
/* Are so many slices in use that filters release early what they hold, and do they hold enough for that to help? Where
 * most slices wait in segments, to release the few that are held would look at all locations again and again. */
int pipeline_holds_too_much(const pipeline *p);
/* With letters: do more slices wait in the segments behind the first one than a part of what filters hold at most? They
 * wait for other domains then, whose turn has not come; what the first segment lets pass meanwhile waits there, too. */
int pipeline_runs_ahead(pipeline *p);
/* Runs the segments from stage `first` on as far as they can go. */
outcome pipeline_drain(pipeline *p, uint32_t first);
/* backlog.c. While `at` is the first segment, stages behind it may do their work later: other domains don't wait for
 * that. */
int backlog_is_of_use(const pipeline *p);
/* The domain has a thread of its own, which nobody else needs while it has nothing to run. */
int domain_has_spare_time(const pipeline *p);
/* May a slice that leaves the segment queue up? Else it goes on at once, behind those that have. */
int backlog_takes(const pipeline *p);
void backlog_put(pipeline *p, slice *s);
/* All that has queued up goes on. */
tcf_status backlog_pass(pipeline *p);
/* Where much has queued up, or waits in a segment behind, some of that goes on. */
tcf_status backlog_limit(pipeline *p);
/* One slice goes on; where none waits, the segments behind have a few turns. */
outcome backlog_step(pipeline *p);
/* calls.c. Calls arrive() of a segment's filters for a slice that comes to it. */
tcf_status pipeline_arrive(stage *st, tcf_slice *s);
tcf_status pipeline_run_segment_filters(stage *st, tcf_slice *s, uint32_t from, uint32_t to);
/* With `verify`: fails if events of a slice that leaves a segment were changed outside of spans. */
tcf_status pipeline_verify_out(stage *st, const tcf_slice *s);
tcf_status pipeline_call_slice(instance *f, tcf_slice *s);
/* Fails if the filter has called a function of the host as it must not. */
tcf_status pipeline_check_use(const instance *f);
/* Behind a filter that writes times or inserts events: fails if times of the location decrease. */
tcf_status pipeline_check_order(instance *f, const tcf_slice *s, uint32_t from, uint32_t to);

#endif
