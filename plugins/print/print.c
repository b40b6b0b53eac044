/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* print: prints events as text or JSON lines.
 *
 * order = time: slices are held until the watermark has passed their events, and then merged batch by batch (merge.h).
 * Events of equal time stand in the order in which their locations are defined.
 *
 * order = location: the events of the location whose turn it is are printed as they come. Slices of locations arrive
 * interleaved, and memory would not hold those of a whole location, so the lines of all other locations go to a
 * temporary file (spool.h). */
#include "print.h"
#include "merge.h"
#include "spool.h"

#include <private/output_host.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT_TEXT, FORMAT_JSON };
enum { ORDER_TIME, ORDER_LOCATION };

struct conf {
    const char *output;
    int format, order, definitions, snapshots, markers, overwrite;
};

struct print {
    struct printer printer;
    struct merge merge; /* order = time */
    tcf_slice *current; /* inside slice(): it is returned, and never released */
    int current_done;
    int ahead;                    /* memory is short: events ahead of the watermark are printed */
    uint64_t printed_until;       /* largest time printed */
    uint64_t early, out_of_order; /* early: events printed ahead of the watermark; out_of_order: those behind an event
                                     with a larger time */
    struct spool spool;           /* order = location */
    uint32_t turn;                /* order = location: the location that is printed as it comes */
    uint8_t *ended;               /* by location */
    tcf_output file;              /* without a name: standard output */
    int is_open;
};

/* -------------------------------------------------------------------------------------------------- order = time -- */

static void count_out_of_order(struct print *p, const tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to && s->time[i] < p->printed_until; i++)
        p->out_of_order++;
    if (s->time[to - 1] > p->printed_until)
        p->printed_until = s->time[to - 1];
}

/* Prints events of the location's first slice up to time `last`, and counts them. A slice that is finished is
 * released at the very end, because releasing may call flush(). */
static inline tcf_status print_run(tcf_self *self, uint32_t location, uint64_t last, uint32_t *printed, int *released)
{
    struct print *p = self->state;
    struct lane *l = tcf_location_state(self, location);
    tcf_slice *s = l->first;
    uint32_t from = l->at, to = print_events(&p->printer, &p->printer.out, s, from, last);
    *printed = to - from;
    p->early += p->ahead ? to - from : 0;
    if (__builtin_expect(p->early > 0, 0))
        count_out_of_order(p, s, from, to);
    if (to < s->n) {
        /* With many locations these lines have left the caches when the location's turn comes again. */
        __builtin_prefetch(&s->kind[to]);
        __builtin_prefetch(&s->attr[to]);
        __builtin_prefetch(&s->rec[to]);
        __builtin_prefetch(&s->rec[to + 1 < s->n ? to + 1 : to]);
        l->at = to;
        return TCF_OK;
    }
    lane_next(&p->merge, l);
    *released = 1;
    if (s == p->current) {
        p->current_done = 1;
        return TCF_OK;
    }
    return self->host->release(self, s);
}

/* Prints the batch, run by run; a run has consecutive events of one location. m->next is up to date at each release,
 * because flush() may be called there and goes on with the batch. */
static tcf_status print_batch(tcf_self *self, int *released)
{
    struct print *p = self->state;
    struct merge *m = &p->merge;
    while (m->next < m->n) {
        uint32_t i = m->next, location = m->key[i].location, printed = 0;
        while (++i < m->n && m->key[i].location == location)
            continue;
        uint64_t last = m->start + m->key[i - 1].delta;
        const struct lane *l = tcf_location_state(self, location);
        uint32_t rest = l->first->n - l->at, run = i - m->next;
        m->next += run < rest ? run : rest; /* before print_run(), which may release */
        if (print_run(self, location, last, &printed, released) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* Prints all events of a time that more events have than fit into a batch. */
static tcf_status print_instant(tcf_self *self, uint64_t time, int *released)
{
    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        const struct lane *l = tcf_location_state(self, k);
        uint32_t printed;
        while (l->first && l->first->time[l->at] == time)
            if (print_run(self, k, time, &printed, released) != TCF_OK)
                return TCF_ERROR;
    }
    return TCF_OK;
}

/* Prints all events up to a time. With `whole_batches` it waits until they fill a batch, because a batch of few events
 * costs as much as a full one. */
static tcf_status print_until(tcf_self *self, uint64_t limit, int whole_batches, int *released)
{
    struct print *p = self->state;
    struct merge *m = &p->merge;
    if (print_batch(self, released) != TCF_OK)
        return TCF_ERROR;
    while (m->waiting > 0 && m->earliest <= limit && (!whole_batches || limit - m->earliest >= m->width)) {
        uint64_t time = m->earliest;
        int too_many = merge_gather(m, limit) != 0;
        if ((too_many ? print_instant(self, time, released) : print_batch(self, released)) != TCF_OK)
            return TCF_ERROR;
        if (too_many)
            merge_look(m);
    }
    return TCF_OK;
}

/* Prints all events before the watermark. */
static tcf_status drain(tcf_self *self, int whole_batches, int *released)
{
    uint64_t watermark = self->host->watermark(self);
    if (watermark == 0)
        return TCF_OK;
    return print_until(self, watermark - (watermark < UINT64_MAX), whole_batches, released);
}

static tcf_status write_error(const tcf_self *self, int error)
{
    const struct conf *conf = self->conf;
    const struct print *p = self->state;
    return self->host->fail(self, "cannot write to %s: %s", p->file.name ? conf->output : "standard output",
                            strerror(error));
}

static tcf_status slice_by_time(tcf_self *self, tcf_slice *s)
{
    struct print *p = self->state;
    int released;
    p->current = s;
    p->current_done = 0;
    if (merge_push(&p->merge, s) != 0)
        return self->host->fail(self, "out of memory for the slices of a location");
    if (drain(self, 1, &released) != TCF_OK)
        return TCF_ERROR;
    p->current = NULL;
    return p->current_done ? TCF_OK : TCF_HELD;
}

/* The framework has no free slice. Prints up to the watermark. If that releases no slice, prints on until one is
 * released, and so perhaps before an earlier event comes. */
static tcf_status print_flush(tcf_self *self)
{
    struct print *p = self->state;
    int released = 0;
    if (drain(self, 0, &released) != TCF_OK)
        return TCF_ERROR;
    uint64_t until = UINT64_MAX;
    int any = 0;
    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        const tcf_slice *s = ((const struct lane *)tcf_location_state(self, k))->first;
        if (!s || s == p->current) /* slice() has not returned it yet */
            continue;
        until = s->time[s->n - 1] < until ? s->time[s->n - 1] : until;
        any = 1;
    }
    if (released || !any)
        return TCF_OK;
    if (p->early == 0)
        p->printed_until = p->merge.earliest;
    p->ahead = 1;
    tcf_status status = print_until(self, until, 0, &released);
    p->ahead = 0;
    return status;
}

/* Writes what is printed so far, for readers that follow the output. */
static tcf_status print_heartbeat(tcf_self *self)
{
    struct output *o = &((struct print *)self->state)->printer.out;
    int released;
    if (drain(self, 0, &released) != TCF_OK)
        return TCF_ERROR;
    o->at = output_flush(o, o->at);
    return o->error ? write_error(self, o->error) : TCF_OK;
}

/* ---------------------------------------------------------------------------------------------- order = location -- */

static tcf_status slice_by_location(tcf_self *self, const tcf_slice *s)
{
    struct print *p = self->state;
    if (s->location == p->turn) {
        print_events(&p->printer, &p->printer.out, s, 0, UINT64_MAX);
        return TCF_OK;
    }
    struct output *o = &p->spool.text;
    spool_start(&p->spool, s->location);
    print_events(&p->printer, o, s, 0, UINT64_MAX);
    if (spool_finish(&p->spool) != 0)
        return self->host->fail(self, "cannot write to a temporary file in %s: %s", p->spool.folder,
                                strerror(p->spool.error));
    return TCF_OK;
}

/* A location has ended: prints what was kept of the locations whose turn comes now. */
static tcf_status next_turn(tcf_self *self)
{
    struct print *p = self->state;
    while (p->turn < self->defs->n_locations && p->ended[p->turn]) {
        if (++p->turn < self->defs->n_locations && spool_copy(&p->spool, p->turn, &p->printer.out) != 0)
            return self->host->fail(self, "cannot read back a temporary file in %s: %s", p->spool.folder,
                                    strerror(p->spool.error));
    }
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------------- callbacks -- */

static tcf_status print_slice(tcf_self *self, tcf_slice *s)
{
    const struct conf *conf = self->conf;
    struct print *p = self->state;
    if (s->n == 0)
        return TCF_OK;
    tcf_status status = conf->order == ORDER_TIME ? slice_by_time(self, s) : slice_by_location(self, s);
    return status != TCF_ERROR && p->printer.out.error ? write_error(self, p->printer.out.error) : status;
}

static tcf_status print_location_end(tcf_self *self, uint32_t location)
{
    const struct conf *conf = self->conf;
    struct print *p = self->state;
    int released;
    if (conf->order == ORDER_TIME)
        return drain(self, 1, &released);
    p->ended[location] = 1;
    return next_turn(self);
}

static int to_stdout(const struct conf *conf)
{
    return !conf->output || strcmp(conf->output, "-") == 0;
}

/* A device or a pipe is written to directly. */
static int is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static tcf_status print_init(tcf_self *self)
{
    const struct conf *conf = self->conf;
    if (conf->order == ORDER_LOCATION) /* then locations may be read one after another */
        self->needs &= ~(uint32_t)(TCF_NEED_TOGETHER | TCF_CAN_HOLD);
    else if (to_stdout(conf) || is_special(conf->output)) /* a reader may follow the output */
        self->can |= TCF_CAN_LIVE;
    return to_stdout(conf) ? TCF_OK : tcf_output_host_of(self)->check("output", conf->output, conf->overwrite);
}

static tcf_status open_output(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct print *p = self->state;
    if (!to_stdout(conf) && tcf_output_host_of(self)->open("output", conf->output, &p->file) != TCF_OK)
        return TCF_ERROR;
    const int fd = p->file.name ? p->file.fd : STDOUT_FILENO;
    p->is_open = 1;
    if (output_init(&p->printer.out, fd) != 0)
        return self->host->fail(self, "out of memory for the output");
    return TCF_OK;
}

static tcf_status print_begin(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct print *p = self->state;
    uint32_t n = self->defs->n_locations;
    if (self->checking)
        return TCF_OK;
    if (open_output(self) != TCF_OK)
        return TCF_ERROR;
    p->ended = calloc(n + 1u, 1);
    if (!p->ended || merge_init(&p->merge, n, self->location, self->location_size) != 0 ||
        printer_init(&p->printer, self, conf->format == FORMAT_JSON) != 0)
        return self->host->fail(self, "out of memory for the names of %u locations and their definitions", n);
    if (conf->order == ORDER_LOCATION && spool_init(&p->spool, n, to_stdout(conf) ? NULL : conf->output) != 0)
        return self->host->fail(self, "cannot create a temporary file in %s: %s", p->spool.folder,
                                strerror(p->spool.error));
    if (conf->definitions) {
        print_definitions(&p->printer);
        print_clock_offsets(&p->printer);
    }
    print_title(&p->printer, "Event                                   Location            Timestamp  Attributes");
    return TCF_OK;
}

static tcf_status print_end(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct print *p = self->state;
    struct output *o = &p->printer.out;
    int released;
    if (drain(self, 0, &released) != TCF_OK || (conf->snapshots && print_snapshots(&p->printer, self) != TCF_OK) ||
        (conf->markers && print_markers(&p->printer, self) != TCF_OK))
        return TCF_ERROR;
    o->at = output_flush(o, o->at);
    if (p->file.name) {
        p->is_open = 0;
        if (close(p->file.fd) != 0 && !o->error)
            o->error = errno;
    }
    if (o->error)
        return write_error(self, o->error);
    if (p->early > 0)
        self->host
            ->log(self, TCF_LOG_WARNING,
                  "memory was short: %llu events were printed before it was known that no earlier one comes; %llu "
                  "stand behind later ones",
                  (unsigned long long)p->early, (unsigned long long)p->out_of_order);
    return p->file.name ? tcf_output_host_of(self)->publish("output", &p->file, conf->overwrite) : TCF_OK;
}

static void print_fini(tcf_self *self, int complete)
{
    struct print *p = self->state;
    struct output *o = &p->printer.out;
    if (p->is_open && o->buffer && !complete)
        o->at = output_flush(o, o->at);
    if (p->is_open && p->file.name)
        close(p->file.fd);
    merge_free(&p->merge);
    output_free(o);
    printer_free(&p->printer);
    spool_free(&p->spool);
    free(p->ended);
    free(p->file.name);
}

static const tcf_param params[] = {
    TCF_PARAM(struct conf, output, TCF_OUTPUT_PATH, "-", "File to write; -: standard output"),
    TCF_PARAM(struct conf, format, TCF_ENUM, "text", "Text with the columns of otf2-print, or one JSON object a line",
              .choices = "text|json"),
    TCF_PARAM(struct conf, order, TCF_ENUM, "time", "All events in the order of time, or one location after another",
              .choices = "time|location"),
    TCF_PARAM(struct conf, definitions, TCF_BOOL, "no", "Print the global definitions and the clock offsets first?"),
    TCF_PARAM(struct conf, snapshots, TCF_BOOL, "no", "Print the snapshots of the locations after the events?"),
    TCF_PARAM(struct conf, markers, TCF_BOOL, "no", "Print the markers last?"),
    TCF_PARAM(struct conf, overwrite, TCF_BOOL, "no", "May an existing output be replaced?"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "print",
    .version = "1.0",
    .summary = "Prints events as text or JSON lines",
    .topic = TCF_TOPIC_EVENTS,
    .help = "Text: one event a line, in columns: kind, id of the location, timestamp, attributes with the names and "
            "<ids> of what they refer to; additional attributes on a second line. What is undefined reads UNDEFINED, "
            "what refers to no definition reads INVALID <id>. Timestamps are those that arrive here: raw ticks unless "
            "a filter in front has changed them. Control characters in names are escaped.\n\n"
            "JSON: one object a line with the keys event, location, time, then the fields of the record as in OTF2; "
            "references are objects with id and name, undefined values are null, additional attributes a list. With "
            "definitions = yes lines with the key definition come first; the lines of snapshots have the keys "
            "snapshot (start and end) and snapshot_event, those of markers marker_definition and marker.\n\n"
            "Definitions, clock offsets, snapshots and markers are shown as they stand in the archive, whatever "
            "filters in front have done to the events.\n\n"
            "Events of equal time stand in the order in which their locations are defined.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct print),
    .location_size = sizeof(struct lane),
    .location_more = 96,
    .needs = TCF_NEED_TOGETHER,
    .can = TCF_CAN_HOLD,
    .slice = print_slice,
    .init = print_init,
    .begin = print_begin,
    .location_end = print_location_end,
    .flush = print_flush,
    .heartbeat = print_heartbeat,
    .end = print_end,
    .fini = print_fini,
};
