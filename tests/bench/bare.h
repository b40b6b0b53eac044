/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the bare benchmark programs share: CPU time, the limit of open files, opening an archive for
 * reading, and the loop that drives local event readers. */
#ifndef TCFLOW_TESTS_BARE_H
#define TCFLOW_TESTS_BARE_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Events that are read from a location before the next location has its turn. */
#define BATCH 4096

struct locations {
    OTF2_LocationRef *ref;
    size_t count;
    size_t capacity;
};

/* A file per location is open on each side; the soft limit is often 1,024. */
void bare_raise_file_limit(void);

/* Opens the anchor file ANCHOR with serial collectives. NULL after a message. */
OTF2_Reader *bare_open(const char *anchor);

/* Appends a location id, in the order of the definitions. */
OTF2_CallbackCode bare_add_location(struct locations *locations, OTF2_LocationRef ref);

/* Prints "PROGRAM: events N user S system S cpu S ns/event X rss_MiB M" on one line. */
void bare_report(const char *program, uint64_t events);

/*
 * One local reader. COUNT is kept by the caller's event callbacks: what ReadLocalEvents reports is
 * wrong when it is called at the end of a location. */
struct source {
    OTF2_EvtReader *reader;
    uint64_t count;
};

/* Reads up to N events; returns false when nothing is left. Sets *failed on an error of libotf2. */
bool bare_read_batch(OTF2_Reader *reader, struct source *source, uint64_t n, bool *failed);

#endif
