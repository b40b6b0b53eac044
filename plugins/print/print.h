/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `print`: print.c is the filter, merge.c puts events in the order of time, spool.c keeps
 * the lines of locations whose turn has not come, lines.c makes lines of events, definitions.c of definitions,
 * extras.c of what else an archive holds, names.c formats names. */
#ifndef TCFLOW_PRINT_PRINT_H
#define TCFLOW_PRINT_PRINT_H

#include "../shared/records/fields.h"
#include "../shared/records/output.h"
#include "names.h"
#include <tcflow/definitions.h>

enum { MAX_VIEWS = 8 };

/* How a field is shown. */
enum show {
    SHOW_NUMBER,
    SHOW_REFERENCE,
    SHOW_ENUMERATION,
    SHOW_SET,
    SHOW_RANK,   /* a rank, and its location by the record's communicator */
    SHOW_ROOT,   /* a rank, or one of COLLECTIVE_ROOT */
    SHOW_STATUS, /* a number that may be undefined */
    SHOW_METRICS,
    SHOW_ARRAY
};

struct view {
    struct name label; /* begins with the separator from the field before */
    const struct field *field;
    uint16_t offset; /* of the field */
    uint8_t show, role;
    int8_t comm_is_window;     /* of a rank: `comm` holds a window, which has the communicator */
    const struct field *comm;  /* of a rank: the field with the communicator, or NULL */
    const struct field *count; /* of an array: the field with its length */
};

/* How events of one kind are shown. */
struct layout {
    struct name head;
    struct view view[MAX_VIEWS];
    uint32_t n;
};

struct printer {
    const tcf_self *self;
    const tcf_definitions *defs;
    int json;
    struct output out;
    struct names names;
    struct layout layout[TCF_EVENT_KINDS + 1];
    struct name *place;  /* by location: its id as it stands in a line */
    uint32_t *side_comm; /* by location: the inter-communicator that was looked at last */
    uint8_t *side;       /* by location: 1 where the location is in group A of that */
    uint64_t time_high;  /* of the time printed last, without its low eight digits */
    struct name time;    /* that time as text */
    size_t low_digits;   /* where its low eight digits begin */
    char time_text[BLOCK + 32];
};

int printer_init(struct printer *p, const tcf_self *self, int json);
void printer_free(struct printer *p);
/* Prints the events of a slice from `from` on up to time `last`, at least one. Returns the first event that is left. */
uint32_t print_events(struct printer *p, struct output *o, const tcf_slice *s, uint32_t from, uint64_t last);
/* Prints the column titles in text; nothing in JSON. */
void print_title(struct printer *p, const char *columns);
void print_definitions(struct printer *p);
void print_clock_offsets(struct printer *p);
/* Both in end() only. After print_snapshots() print_events() prints lines of snapshots. */
tcf_status print_snapshots(struct printer *p, tcf_self *self);
tcf_status print_markers(struct printer *p, tcf_self *self);
/* From now on print_events() writes `key` where JSON lines had "event". -1: out of memory. */
int printer_relabel(struct printer *p, const char *key);
/* Puts the value of an attribute or property, by its OTF2_Type. */
char *put_typed(struct printer *p, struct output *o, char *at, uint8_t type, uint64_t value);
/* Makes the label "Size Sent" of the field's name "size_sent", in `capacity` bytes. */
void spell_out(const char *field, char *label, size_t capacity);

#endif
