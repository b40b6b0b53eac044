/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The inside of a session. session.c writes all of it, but for `short_of` (build.c: memory that a pipeline lacks),
 * `learned` (host.c: learn(); chain.c: what a stream brings), `distrusted`, `released_ops`, `first` and
 * `surveys_repeated` (survey.c), `collected`, `n_on_screen`, `n_shown`, `n_json` and `n_members` (reports.c), `notes`
 * (notes.c). */
#ifndef TCFLOW_FRAMEWORK_SESSION_INTERNAL_H
#define TCFLOW_FRAMEWORK_SESSION_INTERNAL_H

#include "formats.h"
#include "framework/base/machine.h"
#include "framework/causality/match.h"
#include "framework/results/results.h"
#include "framework/settings/settings.h"
#include "framework/trace/learned.h"
#include "peers.h"
#include "session.h"

typedef struct pipeline pipeline;

struct session {
    settings *settings; /* the caller's */
    pipeline_conf conf;
    machine machine; /* what the process may use of it; all 0 where settings leave nothing open */
    string_store *storage;
    loader *loader;
    format_choice format; /* of the input */
    source *source;
    const tcf_definitions *defs;  /* the source's */
    const tcf_host *host;         /* what filters may ask */
    const peers *peers;           /* processes that run the session together; NULL: this one alone */
    learned *learned;             /* by surveys */
    pipeline *first;              /* the next one to run; surveys are deleted when they have run, the main one stays */
    pipeline *main;               /* the last of them */
    match_distrusted *distrusted; /* channels that surveys have found so far not to be trusted */
    uint32_t n_distrusted;
    uint32_t released_ops; /* of matcher_release_empty(): what the archive states, and surveys have found so far */
    uint64_t surveys_repeated;
    uint32_t pass, n_passes; /* over the input: as in session_progress */
    const session_hooks *hooks;
    int confined;                             /* the process is restricted before the input is opened */
    char sandbox[256];                        /* to what; "": it isn't */
    const volatile sig_atomic_t *interrupted; /* while the input is opened */
    double started, started_cpu, seconds, cpu_seconds;
    struct process_use {
        uint64_t peak_bytes;
        double cpu_seconds;
    } * elsewhere; /* with `peers`: of each other process, as far as is known */
    struct memory_short {
        uint64_t bytes, locations; /* bytes: 0: memory is enough */
        uint32_t events;
    } short_of;              /* of what `memory` asks for: what the pipeline wants that wants most */
    uint32_t n_on_screen;    /* reports, of surveys too, that are text on standard output */
    uint32_t n_shown;        /* of them, so far */
    uint32_t n_json;         /* reports that are JSON on standard output: several are one document */
    uint32_t n_members;      /* of that, so far */
    results_part *collected; /* reports of surveys, for the files with all results */
    uint32_t n_collected;
    session_note notes[24];
    char note_text[24][160];
};

/* pipeline.c of `chain` and the like ask these of the settings: the filter that an instance names; NULL: see the
 * cause. */
const tcf_filter *session_filter(const session *s, const char *name);

#endif
