/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* chrome: what its parts share. chrome.c unpacks the file; parse.c picks the objects of events out of the JSON;
 * events.c tells the framework of each of them, kineto.c of what they say of process groups. */
#ifndef TCFLOW_CHROME_H
#define TCFLOW_CHROME_H

#include <string.h>
#include <tcflow/map.h>
#include <tcflow/source.h>

enum { ARGUMENTS_MOST = 64, KEY_MOST = 64 };

/* The members of an event that count. */
enum field {
    FIELD_PHASE,
    FIELD_NAME,
    FIELD_CATEGORY,
    FIELD_PID,
    FIELD_TID,
    FIELD_TIME,
    FIELD_DURATION,
    FIELD_ID,
    FIELD_ID2,
    FIELDS
};

/* A text in the event's scratch memory, with a zero behind it. */
typedef struct span {
    uint32_t at, n;
    uint8_t is_there, is_number;
} span;

typedef struct chrome_argument {
    char key[KEY_MOST];
    span value;
} chrome_argument;

/* The event at hand. */
typedef struct chrome_event {
    span field[FIELDS];
    chrome_argument argument[ARGUMENTS_MOST + 1];
    uint32_t n_arguments, more_arguments; /* more: beyond those that are kept */
    uint64_t at;                          /* where in the file it begins */
} chrome_event;

typedef struct chrome_process {
    uint32_t number;      /* the framework's */
    uint32_t last_thread; /* TCF_NONE: it has none */
    uint8_t is_accelerator;
} chrome_process;

typedef struct chrome_thread {
    uint32_t location, before; /* before: another thread of the process; TCF_NONE: the first */
} chrome_thread;

/* A region that an event had. */
typedef struct chrome_region {
    uint32_t number;
    uint8_t n_name, n_category; /* n_name: + 1; 0: free */
    char text[58];              /* both, without a zero between them */
} chrome_region;

typedef struct chrome_state {
    tcf_reader *reader;
    /* parse.c */
    chrome_event event;
    char *scratch;
    uint32_t scratch_used, scratch_room;
    int depth, events_depth; /* of arrays and objects; of the array of events, 0: outside of it */
    int top_is_array, key;   /* key: field of the event, or one of parse.c's */
    int is_in_arguments, is_in_head, has_events;
    int has_argument_key; /* event.argument[n_arguments].key is that of the value to come */
    int failed;
    uint64_t n_events;
    void *parser;
    uint64_t before;    /* bytes in front of those that are parsed now, */
    unsigned char last; /* and the last one of them that is no blank */
    /* events.c */
    tcf_map process_ids, thread_ids;
    chrome_process *processes;
    chrome_thread *threads;
    uint32_t n_processes, n_threads, processes_room, threads_room;
    char last_pid[24], last_tid[24];
    uint32_t last_location; /* of these two, + 1; 0: unknown */
    chrome_region regions[256];
    struct chrome_instant {
        uint64_t time, bytes;
        uint32_t location, tag;
    } instant; /* the last one */
    uint64_t more_series;
    /* kineto.c */
    uint32_t rank, world_size; /* of the file's distributedInfo; rank: + 1, 0: it has none */
    int has_kernels;           /* process groups communicate by kernels */
    struct chrome_kineto *kineto;
} chrome_state;

static inline const char *text_of(const chrome_state *st, span s)
{
    return s.is_there ? st->scratch + s.at : "";
}

static inline const chrome_argument *argument_of(const chrome_state *st, const char *key)
{
    for (uint32_t i = 0; i < st->event.n_arguments; i++)
        if (strcmp(st->event.argument[i].key, key) == 0)
            return &st->event.argument[i];
    return NULL;
}

/* The argument's value; "" if it isn't there. */
static inline const char *chrome_argument_text(const chrome_state *st, const char *key)
{
    const chrome_argument *a = argument_of(st, key);
    return a ? text_of(st, a->value) : "";
}

/* parse.c */
/* Bytes of the mark that some programs put in front of UTF-8: 3 or 0. */
static inline size_t chrome_byte_order_mark(const unsigned char *bytes, size_t n)
{
    return n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}
tcf_status chrome_parse_start(chrome_state *st);
tcf_status chrome_parse(chrome_state *st, const unsigned char *bytes, size_t n);
tcf_status chrome_parse_end(chrome_state *st);
void chrome_parse_free(chrome_state *st);

/* kineto.c */
/* A member of distributedInfo. */
void chrome_take_head(chrome_state *st, const char *key, const char *value);
/* Whether an argument of this name is one that chrome_take_kineto() looks at. */
int chrome_is_kineto(const char *key, size_t n);
/* The event is a call with an argument `Collective name`. */
tcf_status chrome_take_kineto(chrome_state *st, uint32_t location, uint32_t process, uint64_t begin, uint64_t end);
void chrome_tell_kineto(const chrome_state *st);
void chrome_free_kineto(chrome_state *st);

/* events.c */
tcf_status chrome_take(chrome_state *st);
void chrome_tell(const chrome_state *st);

#endif
