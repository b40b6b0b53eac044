/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A session: one run of tcflow. It owns what the chains of a run share (settings, plugins, the source, definitions,
 * what surveys have learned) and runs its pipelines, one a chain: the surveys, then the main one. */
#ifndef TCFLOW_FRAMEWORK_SESSION_H
#define TCFLOW_FRAMEWORK_SESSION_H

#include "framework/plugin/loader.h"
#include "framework/settings/settings.h"
#include "framework/trace/source.h"
#include <signal.h>
#include <stdio.h>

typedef struct session session;

typedef struct session_progress {
    char stage[64]; /* the instances of the pass, as far as there is room */
    uint64_t events;
    uint64_t bytes, total_bytes; /* of the event files; total 0: unknown */
    uint32_t pass, n_passes;     /* over the input, from 1: surveys, then the chain, which is the last one */
} session_progress;

/* One line of the summary: what was given up, capped, repaired. */
typedef struct session_note {
    const char *key; /* snake_case, for JSON */
    const char *text;
    uint64_t count;
    int harmless; /* no warning: it is information */
} session_note;

/* What a domain has had to do. */
typedef struct session_domain {
    uint64_t locations, events, bytes; /* bytes: of event files */
    double seconds;                    /* from its first event to its last */
} session_domain;

typedef struct session_summary {
    uint64_t events, locations;
    double seconds, cpu_seconds;
    uint64_t peak_bytes;       /* resident set */
    uint64_t memory_limit;     /* what the pool was given */
    uint32_t slice_events;     /* chosen size */
    const session_note *notes; /* count > 0 only */
    size_t n_notes;
    const char *written[2];        /* the files with the results of all reports that are complete; NULL: none */
    const session_domain *domains; /* of the main chain */
    uint32_t n_domains;            /* 0: it was not split */
    char plan[512];                /* how it was split, and why so; "": nothing asked for it */
    const source_loss *losses;
    uint32_t n_losses;
    const tcf_definitions *definitions; /* names for the losses; NULL: none */
} session_summary;

/* Where text on standard output is looked at. */
typedef struct session_screen {
    int terminal; /* on one, and not in a file or pipe */
    int colour;
    size_t width; /* in letters; 0: any */
} session_screen;

typedef struct session_hooks {
    /* Called every now and then, at least once a second while events flow. May be NULL. */
    void (*progress)(void *data, const session_progress *p);
    void *data;
    const volatile sig_atomic_t *interrupted; /* becomes 1 on SIGINT/SIGTERM; may be NULL */
    const session_screen *screen;             /* NULL: no terminal */
    void (*begin_text)(void *data);           /* called before the first report on standard output; may be NULL */
} session_hooks;

/* Parses all sections, finds the filters, runs their init(); then opens the input, reads the definitions, checks
 * requirements (requires/provides, input = output). Nothing is written. NULL: see the cause; error_is_usage()
 * distinguishes the user's mistakes in settings and chain (error_usage(), exit status 2) from an input that cannot be
 * read (error_fail(), exit status 1). */
/* `interrupted`: becomes 1 where what is waited for and opened here is to end; may be NULL. */
session *session_new(settings *s, const char *plugin_path, const volatile sig_atomic_t *interrupted);
/* The same, to be run by several processes together, which all call it; also TCF_ERROR where it fails in another one.
 */
struct peers;
session *session_new_among(settings *s, const char *plugin_path, const volatile sig_atomic_t *interrupted,
                           const struct peers *among);
/* The same with filters that are linked in (NULL-terminated, may be NULL), over a source that is open already and that
 * the pipeline then owns, whatever happens (NULL: the section's input is opened). For tests and embedding. */
session *session_new_over(settings *s, const char *plugin_path, const tcf_filter *const *builtin, source *src);
/* The same as session_new(), in a process that is restricted to the files of this session from here on, as `sandbox`
 * of [pipeline] says: for a program that runs this one alone. */
session *session_new_confined(settings *s, const char *plugin_path, const tcf_filter *const *builtin,
                              const volatile sig_atomic_t *interrupted);
/* Instead of session_run(): what else can be known without reading events. Starts all filters, which write nothing,
 * and reports the first that refuses, unless it might not when a survey has run. */
tcf_status session_check(session *p);
/* Prints into how many domains each chain is split, what a location takes in it, and what reads the event files of each
 * archive; and why. */
void session_print_plan(const session *s, FILE *to);
/* Everything up to the last event. TCF_ERROR: see the cause; *interrupted: SIGINT or SIGTERM was it. */
tcf_status session_run(session *p, const session_hooks *hooks);
void session_summarise(session *p, session_summary *summary);
void session_delete(session *p);
/* Its source, which it owns. */
const source *session_source(const session *s);

#endif
