/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-torture: holds a plugin to the contract of <tcflow/filter.h>.
 *
 * main.c reads options and reports; steps.c has the steps, each of which runs in a child process (child.c), those for
 * readers of other formats are in reader_steps.c; run.c makes one run of a chain over a program that program.c has
 * drawn. The plugin stands behind a guard (guard.c, guard_host.c, shadow.c), a filter of the same name which calls it,
 * looks at what it did, and makes calls fail. memory.c watches what the plugin allocates and its variables. */
#ifndef TCFLOW_TORTURE_H
#define TCFLOW_TORTURE_H

#include "framework/base/error.h"
#include "framework/pipeline/observer.h"
#include "framework/plugin/loader.h"
#include "framework/settings/settings.h"

#include <tcflow/harness.h>

/* R(NAME, key, the rule in words, where filter.h states it) */
#define TORTURE_RULES(R)                                                                                               \
    R(LOAD, "load", "a plugin can be opened and is a filter", "tcf_filter")                                            \
    R(CRASH, "crash", "a plugin does not crash", "tcf_filter")                                                         \
    R(ENDLESS, "endless", "a callback ends", "tcf_filter")                                                             \
    R(RUN, "run", "a trace that is in order passes", "tcf_filter")                                                     \
    R(STATUS, "status", "callbacks return TCF_OK, TCF_ERROR or, from slice(), TCF_HELD", "tcf_status")                 \
    R(REASON, "reason",                                                                                                \
      "a callback that returns TCF_ERROR has called host->fail() or refuse(), or passes on a failure of the host",     \
      "tcf_host.fail")                                                                                                 \
    R(IGNORED, "ignored", "what has failed is not ignored: the callback returns TCF_ERROR",                            \
      "the introduction: Errors")                                                                                      \
    R(WRITES, "writes", "a filter changes no column that it does not declare", "tcf_filter.writes")                    \
    R(SPAN, "span", "span() changes events [from, to) alone", "tcf_filter.span")                                       \
    R(ARRIVE, "arrive", "arrive() changes nothing but named columns", "tcf_filter.arrive")                             \
    R(SLICE, "slice", "edges, call paths, and what describes a slice are the framework's", "tcf_slice")                \
    R(BEYOND, "beyond", "nothing is written behind the last event of a slice", "tcf_slice.n")                          \
    R(ORDER, "order", "times of a location never decrease", "tcf_slice.time; TCF_WRITES_TIME")                         \
    R(LATER, "later", "with TCF_WRITES_LATER events move to later times only", "TCF_WRITES_LATER")                     \
    R(KIND, "kind", "kinds are those of events.h", "tcf_slice.kind")                                                   \
    R(PASSED, "passed", "a slice that has been passed on is not touched any more", "tcf_host.release")                 \
    R(DROPS, "drops", "who calls compact() has declared TCF_CAN_DROP", "TCF_CAN_DROP")                                 \
    R(INSERTS, "inserts", "who calls slice_new() and emit() has declared TCF_CAN_INSERT", "TCF_CAN_INSERT")            \
    R(HOLDS, "holds", "who returns TCF_HELD has declared TCF_CAN_HOLD", "TCF_CAN_HOLD")                                \
    R(RELEASE, "release", "release() is for slices that are held, once each, in order of arrival within a location",   \
      "tcf_host.release")                                                                                              \
    R(FLUSH, "flush", "flush() releases at least the oldest slice", "tcf_filter.flush")                                \
    R(KEPT, "kept", "end() releases what is held, and slices of slice_new() are emitted", "tcf_filter.end")            \
    R(WHEN, "when", "functions of the host are called where they may be", "tcf_host")                                  \
    R(NEEDS, "needs", "what is asked of the host has been declared in 'needs'", "tcf_filter.needs")                    \
    R(EDGE, "edge", "an edge is an entry of this slice and this span, and of the right kind",                          \
      "tcf_host.payload and following")                                                                                \
    R(NUMBERS, "numbers", "no more numbers are published than declared", "tcf_filter.numbers")                         \
    R(PROPERTY, "property", "names of properties are as OTF2 wants them", "tcf_host.set_property")                     \
    R(CONF, "conf", "the parameters are read, in conf_size bytes", "tcf_self.conf")                                    \
    R(STATE, "state", "the state has state_size bytes", "tcf_self.state")                                              \
    R(LOCATION, "location", "the state of a location has location_size bytes", "tcf_location_state()")                 \
    R(LOCATIONS, "locations", "for a location without events no more is allocated than declared, or 64 bytes",         \
      "tcf_filter.location_more")                                                                                      \
    R(PAYLOAD, "payload", "payloads have message_bytes and member_bytes", "tcf_host.payload")                          \
    R(GLOBAL, "global", "a plugin has no mutable file-scope variable", "the introduction: Concurrency")                \
    R(AGAIN, "again", "a second run, and a second instance, do as the first", "the introduction: Concurrency")         \
    R(WINDOWS, "windows", "results depend on the trace, not on slices, memory or schedule", "tcf_filter.slice")        \
    R(DOMAINS, "domains", "results are the same in any number of domains", "tcf_filter.pack")                          \
    R(LEAK, "leak", "fini() frees what the filter has allocated, and closes its files", "tcf_filter.fini")             \
    R(MEMORY, "memory", "want of memory is an error, or is reported by a warning, or does not matter to the results",  \
      "the introduction: Errors")                                                                                      \
    R(WRITTEN, "written", "output that cannot be written is an error", "the introduction: Errors")                     \
    R(CHECKING, "checking", "with self->checking nothing is written", "tcf_filter.begin")                              \
    R(PROBE, "probe", "probe() looks at 'probe' alone, and says 0 to 100", "source.h: tcf_source.probe")

enum rule {
#define R(NAME, key, words, place) RULE_##NAME,
    TORTURE_RULES(R)
#undef R
        RULES
};

enum callback {
    CALL_NONE,
    CALL_INIT,
    CALL_BEGIN,
    CALL_SLICE,
    CALL_SPAN,
    CALL_ARRIVE,
    CALL_COMPLETE,
    CALL_LOCATION_END,
    CALL_FLUSH,
    CALL_END,
    CALL_FINI,
    CALL_HEARTBEAT,
    CALLS
};
extern const char *const callback_names[CALLS];

/* Functions of the host that can fail. */
enum host_call {
    HOST_RELEASE,
    HOST_SLICE_NEW,
    HOST_EMIT,
    HOST_LEARN,
    HOST_SET_PROPERTY,
    HOST_TABLE,
    HOST_SNAPSHOTS,
    HOST_MARKERS,
    HOST_THUMBNAILS,
    HOST_CALLS
};
extern const char *const host_call_names[HOST_CALLS];

#define NO_EVENT UINT64_MAX

typedef struct finding {
    uint32_t rule, callback;
    uint64_t location, event; /* the id, the number within the location; NO_EVENT: of none */
    char text[512];
} finding;

/* What a child reports: memory that it shares with the parent, so that it stays when the child crashes. */
typedef struct board {
    uint32_t n_findings;
    finding findings[16];
    volatile uint32_t callback; /* that is running */
    volatile uint64_t location, event;
    uint32_t finished;
    uint32_t no_memory; /* for torture itself */
    char stopped[512];  /* why torture itself could not go on; "": it could */
    uint64_t runs;
    char name[64], version[64], chain[512], refused[2048];
    int is_reader;
    int refuses_settings; /* `refused` is what init(), begin() or the settings said */
} board;

typedef struct torture {
    const char *file; /* of the plugin */
    const char *plugin_path;
    char *scratch;              /* folder of a step */
    const char *chain, *survey; /* as the user wants them; NULL: the filter alone */
    settings *settings;         /* of the INI, -o included */
    board *board;
    const tcf_filter *plugin; /* in a child; NULL: a reader */
    const tcf_source *reader; /* likewise; NULL: a filter */
    const char *sample;       /* file or folder that the reader reads */
    loader *loader;
} torture;

void report_finding(board *b, enum rule rule, enum callback callback, uint64_t location, uint64_t event,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));

/* -------------------------------------------------------------------------------------------------------- main.c -- */

/* Of the program; usage: also where something is missing that the rules have nothing to do with. */
enum { EXIT_GOOD = 0, EXIT_BROKEN = 1, EXIT_USAGE = 2 };
/* What was allocated; NULL ends the program. */
void *need(void *p);

/* ----------------------------------------------------------------------------------------------------- program.c -- */

/* Draws a program with edges of all classes into a new harness; lost: some of its events are missing; empty: no
 * events; wide: no events, and PROGRAM_MORE locations more. */
typedef enum program_kind { PROGRAM_WHOLE, PROGRAM_LOST, PROGRAM_EMPTY, PROGRAM_WIDE } program_kind;
enum { PROGRAM_MORE = 192 };
void program_draw(tcfh *h, uint64_t seed, program_kind kind);

/* ------------------------------------------------------------------------------------------------------- guard.c -- */

/* What goes wrong in a run; numbers count calls from 1 on, 0: never. */
typedef struct plan {
    enum callback fail_callback;
    uint64_t fail_callback_at;
    enum host_call fail_host;
    uint64_t fail_host_at;
    uint64_t fail_allocation_at;
    uint32_t flush_every; /* slices; forces early release */
    int no_files;         /* from init() on nothing can be written to a file */
} plan;

typedef struct shadow shadow;
typedef struct watch watch;

/* The filter that stands in the chain instead of the plugin's. */
typedef struct guard {
    tcf_filter filter; /* first: what the framework sees */
    const tcf_filter *of;
    board *board;
    plan plan;
    uint64_t calls[CALLS], host_calls[HOST_CALLS];
    tcf_can can;             /* of the instance, as init() has left it */
    tcf_write writes;        /* likewise */
    enum callback failed_in; /* the first that returned TCF_ERROR */
    int injected;            /* something was made to fail */
    uint64_t warnings;       /* by the plugin */
    watch *watches;          /* one an instance */
} guard;

guard *guard_new(const tcf_filter *of, board *b, const plan *p);
void guard_delete(guard *g);

/* One instance. */
struct watch {
    tcf_host host; /* first: what the plugin sees */
    watch *next;
    guard *guard;
    tcf_self *self;
    enum callback in; /* that is running */
    int failed;       /* in it: host->fail(), or a function of the host */
    tcf_slice *slice; /* of span() or slice() */
    uint32_t from, to;
    shadow *held, *made; /* slices with the filter, in order of arrival; of slice_new() */
    uint64_t *last_time; /* by location */
    int has_locations;
    struct {
        unsigned char *at;
        size_t bytes;
    } payloads[32];
    uint32_t n_payloads;
};

enum { CANARY = 64, PAYLOAD_CANARY = 16, CANARY_BYTE = 0xa5 };

void watch_find(watch *w, enum rule rule, const tcf_slice *s, uint32_t i, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void guard_host_fill(tcf_host *h);
static inline watch *watch_of(const tcf_self *self)
{
    return (watch *)(uintptr_t)self->host;
}

/* ------------------------------------------------------------------------------------------------------ shadow.c -- */

/* A copy of a slice, to compare it with. */
struct shadow {
    shadow *next;
    tcf_slice *slice;
    tcf_slice was; /* columns in one allocation behind */
    uint32_t arena_used, beyond;
    uint32_t room; /* slices from slice_new() */
    int held;      /* beyond slice(): the framework may have done something to its edges */
};
shadow *shadow_new(tcf_slice *s);
/* The place of a slice's shadow in a list; its end where there is none. */
shadow **shadow_find(shadow **list, const tcf_slice *s);
/* Has s changed otherwise than it may? Events [from, to) may be changed in columns `writes`. */
void shadow_compare(watch *w, const shadow *was, uint32_t from, uint32_t to, uint32_t writes);
/* Times behind the filter. */
void shadow_check_order(watch *w, const tcf_slice *s, uint32_t from, uint32_t to);
/* Behind the plugin: holds slices a while and sees whether they change. The board is the guard's. */
extern const tcf_filter hold_filter;
/* In front: makes locations advance together. */
extern const tcf_filter together_filter;

/* ------------------------------------------------------------------------------------------------------ memory.c -- */

/* 0: a build with sanitizers, which watch memory themselves. */
int memory_watched(void);
/* Sets *want where this program itself, or the C library for it, gets no memory: that is no fault of the plugin. */
void memory_tell_want(uint32_t *want);
/* From now on looks at allocations of the object that holds `address`; its `fail_at`th fails (0: none). */
void memory_start(const void *address, uint64_t fail_at);
/* Ends it. What has not been freed: how often, how many bytes, and from where (an offset in the object). */
typedef struct memory_result {
    uint64_t allocations, leaks, leaked_bytes, leak_at, failed_at;
    uint64_t most_bytes; /* at a time */
} memory_result;
memory_result memory_stop(void);
/* The writable variables of the object: a copy, to compare with. NULL: unknown. */
typedef struct variables variables;
variables *variables_copy(const void *address);
/* 1: they have changed; where (an offset in the object). */
int variables_changed(const variables *v, uint64_t *at);
void variables_free(variables *v);
/* 0: nobody can say. */
unsigned open_files(void);

/* --------------------------------------------------------------------------------------------------------- run.c -- */

typedef struct run_options {
    program_kind program;
    uint64_t seed, cut;
    int64_t slice;
    const char *memory; /* NULL: the default */
    int together, hold, twins, check, bad_paths;
    uint32_t threads;      /* above 1: in domains, and without the guard, which stands in one thread */
    uint64_t fail_reading; /* 1 + the event of a location drawn; 0: none */
    plan plan;
} run_options;

typedef struct run {
    tcfh *h;
    guard *g;
    tcf_status status;
    memory_result memory;
} run;

/* Opens the plugin. TCF_ERROR: the board says why. */
tcf_status torture_load(torture *t);
run run_chain(torture *t, const run_options *o);
void run_delete(run *r);
/* Reports the first difference as `rule`; `what` says what was different about b. */
enum compared {
    COMPARE_ALL,    /* events and report */
    COMPARE_REPORT, /* report */
    COMPARE_SECOND  /* report, b's of its second instance */
};
void run_compare(torture *t, const run *a, const run *b, enum compared which, enum rule rule, const char *what);

/* ------------------------------------------------------------------------------------------------------- steps.c -- */

typedef struct step {
    const char *name;
    void (*run)(torture *t, uint64_t seed);
    int once; /* the same with every seed */
} step;
extern const step torture_steps[];

/* ------------------------------------------------------------------------------------------------------- child.c -- */

/* Runs a step (NULL: loads the plugin, no more), at most so many seconds, and leaves on t->board what it has found;
 * verbose: what it prints is shown. */
void child_run(torture *t, const step *s, uint64_t seed, uint64_t seconds, int verbose);

#endif
