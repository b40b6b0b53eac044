/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The inside of the harness: define.c states definitions, events.c events, feed.c is the source that delivers them,
 * run.c runs a chain and keeps what comes out of it. */
#ifndef TCFLOW_KIT_HARNESS_INTERNAL_H
#define TCFLOW_KIT_HARNESS_INTERNAL_H

#include <tcflow/harness.h>

#include "framework/base/error.h"
#include "framework/trace/definitions.h"
#include "framework/trace/source.h"
#include <pthread.h>

enum { HARNESS_FILTERS = 32, HARNESS_NOTES = 24 };

/* An event that was fed. */
struct input {
    uint64_t time;
    tcf_rec rec;
    tcf_attributes *attributes;
    uint64_t value; /* of a metric with one member */
    uint8_t kind, type;
};

struct lane {
    struct input *in;
    size_t n, capacity;
    tcfh_out *out;
    size_t n_out, out_capacity;
};

struct tcfh {
    definitions *defs;
    int resolved;
    uint32_t processes, threads, streams, ranks; /* threads, streams, ranks: of each process */
    uint32_t strings, regions, comms, groups, windows, metrics, attributes; /* defined so far */
    struct lane *lanes;
    tcf_clock_offset *offsets;
    uint8_t *has_offset;
    const tcf_filter *filters[HARNESS_FILTERS + 2]; /* the test's, then harness_collect, then NULL */
    size_t n_filters;
    uint64_t cut;
    uint32_t failing_location;
    uint64_t failing_event;
    uint8_t **arenas; /* copies, one for each slice that came out */
    size_t n_arenas, arenas_capacity;
    pthread_mutex_t collecting; /* domains do so at the same time */
    struct {
        char key[64];
        uint64_t count;
    } notes[HARNESS_NOTES];
    size_t n_notes;
    void (*handler)(void *data, const char *message);
    void *handler_data;
    char *folder, *plugin_path, *error, *path, *text;
    int usage;
    int checking; /* runs check, and read no events */
};

/* The source over what has been fed. */
struct feed {
    source base;
    tcfh *h;
    uint64_t random;
    size_t at[]; /* by location */
};
source *harness_feed(tcfh *h);

/* failing.c. Makes a folder in $TMPDIR, whose name starts with `name`; to be freed. NULL: errno tells why not. */
char *harness_new_folder(const char *name);
/* Removes a folder and all that is in it. */
void harness_remove_folder(const char *folder);
_Noreturn void harness_fail(const tcfh *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns p; where it is NULL, for want of memory, the harness fails. */
void *harness_checked(const tcfh *h, void *p);
/* Makes room for one more element. */
void *harness_bigger(const tcfh *h, void *p, size_t n, size_t *capacity, size_t bytes);
void harness_forget_output(tcfh *h);
int harness_same_attributes(const tcf_attributes *a, const tcf_attributes *b);

static inline uint32_t harness_locations(const tcfh *h)
{
    return h->processes * h->threads;
}

#endif
