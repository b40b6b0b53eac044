/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `print`: print.c puts slices in order, lines.c makes lines of events, definitions.c of
 * definitions, extras.c of what else an archive holds, names.c knows what things are called, fields.c describes the
 * records, output.c writes. */
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
    SHOW_RANK,   /* with the location that it stands for in the record's communicator */
    SHOW_ROOT,   /* a rank, or one of COLLECTIVE_ROOT */
    SHOW_STATUS, /* a number that may be undefined */
    SHOW_METRICS,
    SHOW_ARRAY
};

struct view {
    struct name label; /* with what separates it from the field before */
    const struct field *field;
    uint16_t offset; /* of the field */
    uint8_t show, role;
    int8_t comm_is_window;     /* ranks: of a window's communicator */
    const struct field *comm;  /* ranks: the field that holds it; NULL: none */
    const struct field *count; /* arrays: the field with their length */
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
    struct name *place;  /* by location: its id, as it stands in a line */
    uint32_t *side_comm; /* by location: the inter-communicator whose ... */
    uint8_t *side;       /* ... side was looked up last */
    uint64_t time_high;  /* of the time printed last, without its low eight digits */
    struct name time;    /* that time as text ... */
    size_t low_digits;   /* ... and where its low eight digits stand, which change */
    char time_text[BLOCK + 32];
};

int printer_init(struct printer *p, const tcf_self *self, int json);
void printer_free(struct printer *p);
/* Lines of the events of a slice from `from` on, at least one, up to time `last`; the first one that is left. */
uint32_t print_events(struct printer *p, struct output *o, const tcf_slice *s, uint32_t from, uint64_t last);
void print_header(struct printer *p);
void print_definitions(struct printer *p);
void print_clock_offsets(struct printer *p);
/* Only in end(). Behind print_snapshots() lines of events are those of snapshots. */
tcf_status print_snapshots(struct printer *p, tcf_self *self);
tcf_status print_markers(struct printer *p, tcf_self *self);
/* From now on JSON lines have another key where "event" stood. */
int printer_relabel(struct printer *p, const char *key);
/* A bare value of an attribute's type; also of properties. */
char *put_typed(struct printer *p, struct output *o, char *at, uint8_t type, uint64_t value);
/* "size_sent" as people write it: at most `capacity` bytes, for any field without a label of its own. */
void spell_out(const char *field, char *label, size_t capacity);

#endif
