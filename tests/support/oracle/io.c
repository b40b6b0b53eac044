/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle io`: operations on files (D25 of oracle.h). Every IO_OPERATION_BEGIN looks for its own end among the events
 * behind it; what is printed is summed up by name. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 512, NUMBERS = 16 };

/* A line: what it is of, and its numbers. */
struct line {
    char name[NAME];
    uint64_t number[NUMBERS];
    size_t n;
};

static struct line *line_of(struct o_list *lines, const char *name, size_t n)
{
    struct line *line = lines->item;
    for (size_t i = 0; i < lines->n; i++)
        if (!strcmp(line[i].name, name))
            return &line[i];
    line = o_push(lines, sizeof *line);
    *line = (struct line){.n = n};
    snprintf(line->name, NAME, "%s", name);
    return line;
}

/* ---- names ---- */

static const char *text(const struct o_trace *trace, uint64_t string)
{
    const struct o_string *s = o_find(&trace->strings, sizeof *s, string);
    return s ? s->text : "";
}

static const char *paradigm_name(const struct o_trace *trace, uint64_t paradigm)
{
    const struct o_io_paradigm *p = o_find(&trace->io_paradigms, sizeof *p, paradigm);
    return p ? text(trace, p->identification) : "(unknown)";
}

static const char *file_name(const struct o_trace *trace, uint64_t file, uint64_t otherwise)
{
    const struct o_io_file *f = o_find(&trace->io_files, sizeof *f, file);
    return f ? text(trace, f->name) : text(trace, otherwise);
}

static const char *mode_name(uint64_t mode)
{
    return mode == OTF2_IO_OPERATION_MODE_READ    ? "READ"
           : mode == OTF2_IO_OPERATION_MODE_WRITE ? "WRITE"
           : mode == OTF2_IO_OPERATION_MODE_FLUSH ? "FLUSH"
                                                  : "(unknown)";
}

/* Paradigm and file of a handle. */
static void handle_names(const struct o_trace *trace, uint64_t id, const char **paradigm, const char **file)
{
    const struct o_io_handle *h = o_find(&trace->io_handles, sizeof *h, id);
    *paradigm = h ? paradigm_name(trace, h->paradigm) : "(unknown)";
    *file = h ? file_name(trace, h->file, h->name) : "(unknown)";
}

/* ---- operations ---- */

enum { HANDLE, MODE, FLAGS, REQUEST, BEGIN_ID };

struct end {
    size_t event; /* O_NONE */
    bool cancelled;
    uint64_t issued, tests;
    bool is_issued;
};

static bool is_of(const struct o_event *event, uint64_t handle, uint64_t id)
{
    int field = event->kind == O_IO_OPERATION_BEGIN ? BEGIN_ID : event->kind == O_IO_OPERATION_COMPLETE ? 2 : 1;
    return event->field[HANDLE] == handle && event->field[field] == id;
}

static struct end end_of(const struct o_trace *trace, size_t l, size_t begin)
{
    const struct o_location *location = &trace->location[l];
    const struct o_event *from = &location->event[begin];
    struct end end = {.event = O_NONE};
    for (size_t e = begin + 1; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        if (event->kind < O_IO_OPERATION_BEGIN || event->kind > O_IO_OPERATION_CANCELLED ||
            !is_of(event, from->field[HANDLE], from->field[BEGIN_ID]))
            continue;
        if (event->kind == O_IO_OPERATION_BEGIN)
            return end;
        end.tests += event->kind == O_IO_OPERATION_TEST;
        if (event->kind == O_IO_OPERATION_ISSUED) {
            end.is_issued = true;
            end.issued = o_time(trace, l, e);
        }
        if (event->kind == O_IO_OPERATION_COMPLETE || event->kind == O_IO_OPERATION_CANCELLED) {
            end.event = e;
            end.cancelled = event->kind == O_IO_OPERATION_CANCELLED;
            return end;
        }
    }
    return end;
}

enum {
    BEGUN,
    REQUESTED,
    TRANSFERRED,
    TICKS,
    MIN_TICKS,
    MAX_TICKS,
    MIN_BYTES,
    MAX_BYTES,
    NON_BLOCKING,
    COLLECTIVE,
    INCOMPLETE,
    UNKNOWN,
    CANCELLED,
    UNFINISHED,
    TESTS
};

static void note(uint64_t *min, uint64_t *max, bool first, uint64_t value)
{
    *min = first || value < *min ? value : *min;
    *max = first || value > *max ? value : *max;
}

static void add(struct line *line, const struct o_event *begin, const struct end *end, uint64_t ticks, uint64_t bytes)
{
    uint64_t *n = line->number, completed = n[BEGUN] - n[CANCELLED] - n[UNFINISHED];
    bool ends = end->event != O_NONE && !end->cancelled;
    if (ends)
        note(&n[MIN_TICKS], &n[MAX_TICKS], completed == 0, ticks);
    if (ends && bytes != OTF2_UNDEFINED_UINT64) {
        note(&n[MIN_BYTES], &n[MAX_BYTES], completed == n[UNKNOWN], bytes);
        n[TRANSFERRED] += bytes;
        n[INCOMPLETE] += begin->field[REQUEST] != OTF2_UNDEFINED_UINT64 && bytes < begin->field[REQUEST];
    }
    n[BEGUN]++;
    n[REQUESTED] += begin->field[REQUEST] != OTF2_UNDEFINED_UINT64 ? begin->field[REQUEST] : 0;
    n[TICKS] += ends ? ticks : 0;
    n[NON_BLOCKING] += (begin->field[FLAGS] & OTF2_IO_OPERATION_FLAG_NON_BLOCKING) != 0;
    n[COLLECTIVE] += (begin->field[FLAGS] & OTF2_IO_OPERATION_FLAG_COLLECTIVE) != 0;
    n[UNKNOWN] += ends && bytes == OTF2_UNDEFINED_UINT64;
    n[CANCELLED] += end->event != O_NONE && end->cancelled;
    n[UNFINISHED] += end->event == O_NONE;
    n[TESTS] += end->tests;
}

/* The bin of powers of two that holds it. */
static void bin_of(uint64_t bytes, uint64_t *from, uint64_t *to)
{
    *from = *to = bytes == OTF2_UNDEFINED_UINT64 ? UINT64_MAX : 0;
    while (bytes != OTF2_UNDEFINED_UINT64 && bytes > *to) {
        *from = *to + 1;
        *to = 2 * *from - 1;
    }
}

static void operation(const struct o_trace *trace, size_t l, size_t e, struct o_list *lines)
{
    const struct o_location *location = &trace->location[l];
    const struct o_event *begin = &location->event[e];
    struct end end = end_of(trace, l, e);
    const char *paradigm, *file, *mode = mode_name(begin->field[MODE]);
    char name[NAME];
    bool from_issue = end.is_issued && (begin->field[FLAGS] & OTF2_IO_OPERATION_FLAG_NON_BLOCKING);
    uint64_t ticks = 0, bytes = 0, from, to;
    if (end.event != O_NONE) {
        ticks = o_time(trace, l, end.event) - (from_issue ? end.issued : o_time(trace, l, e));
        bytes = end.cancelled ? 0 : location->event[end.event].field[1];
    }
    handle_names(trace, begin->field[HANDLE], &paradigm, &file);
    snprintf(name, NAME, "operations,%" PRIu64 ",%s,%s,%s", o_process_of(trace, l), mode, paradigm, file);
    add(line_of(lines, name, TESTS + 1), begin, &end, ticks, bytes);
    snprintf(name, NAME, "totals,%s,%s", mode, paradigm);
    add(line_of(lines, name, TESTS + 1), begin, &end, ticks, bytes);
    if (end.event == O_NONE || end.cancelled)
        return;
    bin_of(bytes, &from, &to);
    snprintf(name, NAME, "sizes,%" PRIu64 ",%s,%s,%" PRIu64 ",%" PRIu64, o_process_of(trace, l), mode, paradigm, from,
             to);
    struct line *size = line_of(lines, name, 3);
    size->number[0]++;
    size->number[1] += bytes != OTF2_UNDEFINED_UINT64 ? bytes : 0;
    size->number[2] += ticks;
}

/* ---- handles ---- */

enum { OPENED, DUPLICATED, CLOSED, LEFT_OPEN, SEEKS, STATUS, LOCKS, TRIES, DELETED, USES };

static int use_of(const struct o_event *event)
{
    switch (event->kind) {
    case O_IO_CREATE_HANDLE:
        return OPENED;
    case O_IO_DUPLICATE_HANDLE:
        return DUPLICATED;
    case O_IO_DESTROY_HANDLE:
        return CLOSED;
    case O_IO_SEEK:
        return SEEKS;
    case O_IO_CHANGE_STATUS_FLAGS:
        return STATUS;
    case O_IO_ACQUIRE_LOCK:
        return LOCKS;
    case O_IO_TRY_LOCK:
        return TRIES;
    default:
        return USES;
    }
}

static struct line *use_line(const struct o_trace *trace, uint64_t process, const char *paradigm, const char *file,
                             struct o_list *lines)
{
    char name[NAME];
    (void)trace;
    snprintf(name, NAME, "files,%" PRIu64 ",%s,%s", process, paradigm, file);
    return line_of(lines, name, USES);
}

static void handle(const struct o_trace *trace, size_t l, const struct o_event *event, struct o_list *lines)
{
    const char *paradigm, *file;
    if (event->kind == O_IO_DELETE_FILE) {
        use_line(trace, o_process_of(trace, l), paradigm_name(trace, event->field[0]),
                 o_defined(trace, O_REF_IO_FILE, event->field[1]) ? file_name(trace, event->field[1], 0) : "(unknown)",
                 lines)
            ->number[DELETED]++;
        return;
    }
    int use = use_of(event);
    if (use == USES)
        return;
    handle_names(trace, event->field[use == DUPLICATED ? 1 : 0], &paradigm, &file);
    use_line(trace, o_process_of(trace, l), paradigm, file, lines)->number[use]++;
}

/* How many of a handle a process has left. */
static void left_open(const struct o_trace *trace, uint64_t process, const struct o_io_handle *h, struct o_list *lines)
{
    int64_t open = 0;
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 0; e < trace->location[l].n && o_process_of(trace, l) == process; e++) {
            const struct o_event *event = &trace->location[l].event[e];
            int use = use_of(event);
            uint64_t id = event->field[use == DUPLICATED ? 1 : 0];
            if (use <= CLOSED && id == h->def.id)
                open += use == CLOSED ? -1 : 1;
        }
    const char *paradigm, *file;
    handle_names(trace, h->def.id, &paradigm, &file);
    if (open > 0)
        use_line(trace, process, paradigm, file, lines)->number[LEFT_OPEN] += (uint64_t)open;
}

/* ---- regions ---- */

struct visits {
    const struct o_trace *trace;
    uint64_t process;
    struct o_list *lines;
};

static void on_leave(void *user, const struct o_visit *visit)
{
    struct visits *v = user;
    char buffer[32], line_name[NAME];
    const struct o_region *r = o_find(&v->trace->regions, sizeof *r, visit->region);
    const char *name = r ? o_region_name(v->trace, visit->region, buffer) : "";
    if (!r || (r->role != OTF2_REGION_ROLE_FILE_IO && r->role != OTF2_REGION_ROLE_FILE_IO_METADATA &&
               strncmp(name, "MPI_File_", 9)))
        return;
    snprintf(line_name, NAME, "regions,%" PRIu64 ",%s", v->process, name);
    struct line *line = line_of(v->lines, line_name, 2);
    line->number[0]++;
    line->number[1] += visit->leave_time - visit->enter_time - (uint64_t)visit->children;
}

void o_print_io(const struct o_trace *trace)
{
    struct o_list lines = {0};
    const struct o_io_handle *h = trace->io_handles.item;
    for (size_t l = 0; l < trace->n_locations; l++) {
        struct visits visits = {trace, o_process_of(trace, l), &lines};
        struct o_walk walk = {.user = &visits, .leave = on_leave};
        for (size_t e = 0; e < trace->location[l].n; e++) {
            if (trace->location[l].event[e].kind == O_IO_OPERATION_BEGIN)
                operation(trace, l, e, &lines);
            handle(trace, l, &trace->location[l].event[e], &lines);
        }
        if (trace->location[l].n)
            o_walk_location(trace, l, &walk);
        bool first = true;
        for (size_t k = 0; k < l && first; k++)
            first = o_process_of(trace, k) != o_process_of(trace, l);
        for (size_t i = 0; i < trace->io_handles.n && first; i++)
            if (i == 0 || h[i].def.id != h[i - 1].def.id)
                left_open(trace, o_process_of(trace, l), &h[i], &lines);
    }
    const struct line *line = lines.item;
    for (size_t i = 0; i < lines.n; i++) {
        fputs(line[i].name, stdout);
        for (size_t k = 0; k < line[i].n; k++)
            printf(",%" PRIu64, line[i].number[k]);
        putchar('\n');
    }
    free(lines.item);
}
