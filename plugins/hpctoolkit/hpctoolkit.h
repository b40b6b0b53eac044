/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* hpctoolkit: what its parts share. files.c reads bytes of a database's files, within their bounds; contexts.c makes
 * functions of the context tree in meta.db; places.c finds out of profile.db whose trace is read; hpctoolkit.c makes
 * calls of the samples in trace.db. */
#ifndef TCFLOW_HPCTOOLKIT_H
#define TCFLOW_HPCTOOLKIT_H

#include <tcflow/map.h>
#include <tcflow/source.h>

enum { FILES_WINDOW = 16 << 10 };

/* A file of the database. Its bytes are read through a window. */
typedef struct db_file {
    const tcf_reader *self;
    const char *name; /* as meta.db */
    int is_open, file;
    uint64_t size;
    unsigned char *window;
    uint64_t window_at;
    size_t window_n;
} db_file;

/* A context that is a function, or where a thread begins. */
typedef struct function {
    uint32_t parent; /* TCF_NONE: there is none */
    uint32_t region;
    uint32_t depth; /* of calls around it */
} function;

/* A run of sibling contexts in meta.db. */
typedef struct siblings {
    uint64_t at, end;
    uint32_t parent; /* the function around them */
} siblings;

typedef struct state {
    char *folder;
    db_file meta, profile, trace;
    /* contexts.c */
    function *functions;
    uint32_t n_functions, functions_room;
    siblings *waiting; /* to be visited */
    uint32_t n_waiting, waiting_room;
    tcf_map by_context; /* number of the context: the innermost function */
    tcf_map regions;    /* where the function stands in meta.db */
    char *name, *file_name;
    uint32_t name_room, file_name_room;
    /* places.c */
    tcf_map processes; /* (is it a rank, number) */
    /* hpctoolkit.c */
    uint32_t *path; /* of functions, outermost first */
    uint32_t path_room;
    uint64_t samples, moves; /* moves: functions that are entered or left */
} state;

/* files.c. `kind` is what follows HPCTOOLKIT in the file's head, `end` its last bytes. */
tcf_status db_open(tcf_reader *self, db_file *f, const char *name, const char *kind, const char *end);
void db_close(db_file *f);
/* The bytes [at, at + n), n at most FILES_WINDOW, until the next call. NULL: they aren't there; that is recorded. */
const unsigned char *db_bytes(db_file *f, uint64_t at, size_t n, const char *what);
/* Is [at, at + bytes) within the file? */
tcf_status db_check(const db_file *f, uint64_t at, uint64_t bytes, const char *what);
/* A text that ends with a zero, into *text, which grows. */
tcf_status db_text(db_file *f, uint64_t at, char **text, uint32_t *room);
tcf_status db_fail(const db_file *f, uint64_t at, const char *what);

/* Little-endian numbers. */
static inline uint64_t db_number(const unsigned char *from, int bytes)
{
    uint64_t value = 0;

    for (int i = bytes; i-- > 0;)
        value = value << 8 | from[i];
    return value;
}

static inline uint64_t db_u64(const unsigned char *from)
{
    return db_number(from, 8);
}

static inline uint32_t db_u32(const unsigned char *from)
{
    return (uint32_t)db_number(from, 4);
}

static inline uint16_t db_u16(const unsigned char *from)
{
    return (uint16_t)db_number(from, 2);
}

/* contexts.c */
tcf_status contexts_read(tcf_reader *self);
/* places.c: the location of the profile with this index. */
tcf_status place_of(tcf_reader *self, uint32_t profile, uint32_t *location);

#endif
