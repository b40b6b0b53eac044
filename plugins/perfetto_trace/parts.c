/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto_trace: the files. All get their names when the run is complete.
 *
 * When the newest file has grown to max_bytes, it is cut behind the latest time that was written. Earlier events of
 * other locations still go into it. Until the watermark has passed the cut, two files are written at the same time (up
 * to OPEN_PARTS where clocks are far apart), and each event goes into the file of its time. */
#define _GNU_SOURCE /* asprintf */
#include "../shared/places/keyed.h"
#include "perfetto_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <otf2/OTF2_Marker.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is it a device or pipe? Then it is written to directly, and never cut. */
static int is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* --------------------------------------------------------------------------------------------------------- names -- */

/* trace.pftrace, trace-2.pftrace, ...; `number` counts from 0. NULL: out of memory. */
static char *part_name(const char *path, uint32_t number)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash + 1 : path, '.');
    const size_t stem = dot && dot != path && dot[-1] != '/' ? (size_t)(dot - path) : strlen(path);
    char *name;
    const int n = number == 0 ? asprintf(&name, "%s", path)
                              : asprintf(&name, "%.*s-%u%s", (int)stem, path, number + 1, path + stem);
    return n < 0 ? NULL : name;
}

tcf_status parts_check(tcf_self *self)
{
    const conf *c = self->conf;
    const tcf_output_host *files = tcf_output_host_of(self);
    char *second = part_name(c->path, 1);
    tcf_status status = second ? files->check("path", c->path, c->overwrite) : self->host->fail(self, "out of memory");
    if (status == TCF_OK && c->max_bytes > 0 && !is_special(c->path))
        status = files->check("path", second, c->overwrite);
    free(second);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ one part -- */

static uint64_t bytes_of(const part *f)
{
    return f->is_open ? f->out.written + (uint64_t)(f->out.at - f->out.buffer) : f->bytes;
}

static tcf_status write_error(const tcf_self *self, const part *f)
{
    return self->host->fail(self, "cannot write to '%s': %s", f->file.name, strerror(f->out.error));
}

/* Opens the buffer of a file. */
static tcf_status start_buffer(const tcf_self *self, part *f, int fd)
{
    if (output_init(&f->out, fd) != 0) {
        close(fd);
        return self->host->fail(self, "out of memory for the output");
    }
    f->is_open = 1;
    f->out.written = f->bytes;
    return TCF_OK;
}

/* Opens a closed file again, to append to it. */
static tcf_status open_again(const tcf_self *self, part *f)
{
    const int fd = open(f->file.name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return self->host->fail(self, "cannot open '%s' again: %s", f->file.name, strerror(errno));
    return start_buffer(self, f, fd);
}

/* Closes the file; more can be appended later. */
static tcf_status close_file(const tcf_self *self, part *f)
{
    struct output *o = &f->out;
    o->at = output_flush(o, o->at);
    f->bytes = o->written;
    f->is_open = 0;
    if (close(o->fd) != 0 && !o->error)
        o->error = errno;
    output_free(o);
    return o->error ? write_error(self, f) : TCF_OK;
}

static tcf_status add_part(tcf_self *self, uint64_t from)
{
    state *st = self->state;
    const conf *c = self->conf;
    const tcf_output_host *files = tcf_output_host_of(self);
    part *parts = realloc(st->parts, (st->n_parts + 1) * sizeof *parts);
    if (!parts)
        return self->host->fail(self, "out of memory for the names of files");
    st->parts = parts;
    part *f = &parts[st->n_parts];
    *f = (part){.name = part_name(c->path, st->n_parts), .from = from, .last = UINT64_MAX};
    st->n_parts++;
    if (!f->name)
        return self->host->fail(self, "out of memory for the names of files");
    if ((st->n_parts > 1 && files->check("path", f->name, c->overwrite) != TCF_OK) ||
        files->open("path", f->name, &f->file) != TCF_OK || start_buffer(self, f, f->file.fd) != TCF_OK)
        return TCF_ERROR;
    st->writer->start(self, f);
    f->described = bytes_of(f);
    return TCF_OK;
}

tcf_status parts_start(tcf_self *self)
{
    return add_part(self, 0);
}

/* ------------------------------------------------------------------------------------------------------- cutting -- */

/* Writes the open calls of a location anew at the begin of its next file. */
static void reopen_calls(const pen *w)
{
    state *st = w->self->state;
    const uint64_t time = in_nanoseconds(st, w->f->from);
    memset(w->p->known, 0, (st->bits.n + 63) / 64 * sizeof *w->p->known);
    if (st->writer->join)
        st->writer->join(w);
    for (uint32_t d = 0; d < w->p->calls.depth; d++) {
        const open_call *c = &w->p->calls.open[d];
        arguments a = {.n = 1};
        a.at[0] = (argument){.key = "began_ns",
                             .key_bit = st->bits.extras + EXTRA_BEGAN,
                             .number = in_nanoseconds(st, c->enter)};
        st->writer->begin(w, time, c->what, &a);
    }
}

void parts_advance(tcf_self *self, uint32_t location)
{
    place_of(self, location)->part++;
    const pen w = pen_of(self, location);
    if (w.p->known && !w.p->ended)
        reopen_calls(&w);
}

static uint32_t newest_of(const state *st)
{
    return st->n_parts - 1;
}

/* Cuts the newest file if it is full, and has as many bytes of events as of descriptors. */
static tcf_status cut(tcf_self *self)
{
    state *st = self->state;
    const conf *c = self->conf;
    part *newest = &st->parts[newest_of(st)];
    if (c->max_bytes == 0 || bytes_of(newest) < c->max_bytes || bytes_of(newest) / 2 < newest->described ||
        st->n_parts - st->first_open == OPEN_PARTS || st->latest == UINT64_MAX || st->latest < newest->from ||
        is_special(c->path))
        return TCF_OK;
    newest->last = st->latest;
    return add_part(self, st->latest + 1);
}

static tcf_status close_passed(tcf_self *self)
{
    state *st = self->state;
    while (st->first_open < newest_of(st) && self->host->watermark(self) > st->parts[st->first_open].last) {
        for (uint32_t l = 0; l < self->defs->n_locations; l++)
            while (place_of(self, l)->part <= st->first_open)
                parts_advance(self, l);
        if (close_file(self, &st->parts[st->first_open]) != TCF_OK)
            return TCF_ERROR;
        st->first_open++;
    }
    return TCF_OK;
}

tcf_status parts_look(tcf_self *self)
{
    state *st = self->state;
    for (uint32_t i = st->first_open; i < st->n_parts; i++)
        if (st->parts[i].out.error)
            return write_error(self, &st->parts[i]);
    if (cut(self) != TCF_OK)
        return TCF_ERROR;
    return st->first_open < newest_of(st) ? close_passed(self) : TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------- completion -- */

typedef struct marking {
    tcf_self *self;
    part *f;
    tcf_marker *definitions;
    keyed by; /* (number, 0) */
} marking;

static void write_marker(const marking *w, const tcf_marker *definition, const tcf_marker *m, const char *scope)
{
    state *st = w->self->state;
    const char *severity = definition ? w->self->host->enum_name("MARKER_SEVERITY", definition->severity) : NULL;
    const char *group = definition && definition->group ? definition->group : "";
    const char *name = definition && definition->category ? definition->category : "marker";
    const arguments a = {.n = 5,
                         .at = {{"text", NO_BIT, ARGUMENT_TEXT, 0, m->text ? m->text : ""},
                                {"group", NO_BIT, ARGUMENT_TEXT, 0, group},
                                {"severity", NO_BIT, ARGUMENT_TEXT, 0, severity ? severity : "(unknown)"},
                                {"scope", NO_BIT, ARGUMENT_TEXT, 0, scope},
                                {"duration_ns", NO_BIT, ARGUMENT_UINT, in_nanoseconds(st, m->duration), NULL}}};
    st->writer->marker(w->self, w->f, in_nanoseconds(st, m->time), name, &a);
}

static tcf_status each_marker(void *data, const tcf_marker *m)
{
    marking *w = data;
    char scope[64];
    if (m->definition) {
        const uint32_t at = KEYED_FIND(&w->definitions, &w->by, m->marker, 0);
        if (at == TCF_NONE)
            return w->self->host->fail(w->self, "out of memory for markers");
        w->definitions[at] = *m;
        return TCF_OK;
    }
    if (m->time < w->f->from || m->time > w->f->last)
        return TCF_OK;
    const uint32_t i = tcf_map_get(&w->by.index, m->marker, 0);
    const tcf_marker *definition = i == TCF_MAP_ABSENT ? NULL : &w->definitions[i];
    const char *name = w->self->host->enum_name("MARKER_SCOPE", m->scope);
    if (m->scope == OTF2_MARKER_SCOPE_GLOBAL)
        snprintf(scope, sizeof scope, "GLOBAL");
    else
        snprintf(scope, sizeof scope, "%s %llu", name ? name : "(unknown)", (unsigned long long)m->scope_ref);
    write_marker(w, definition, m, scope);
    return TCF_OK;
}

/* Markers have the times of the input, so they are left out where times were changed. */
static tcf_status finish_part(tcf_self *self, part *f)
{
    marking w = {.self = self, .f = f};
    tcf_status status = f->is_open ? TCF_OK : open_again(self, f);
    if (status == TCF_OK && !(self->changed & TCF_WRITES_TIME))
        status = self->host->markers(self, each_marker, &w);
    keyed_free(w.definitions, &w.by);
    const state *st = self->state;
    if (status == TCF_OK && st->writer->finish)
        st->writer->finish(f);
    return status == TCF_OK ? close_file(self, f) : status;
}

static void tell_of_parts(const tcf_self *self)
{
    const state *st = self->state;
    const conf *c = self->conf;
    uint32_t larger = 0;
    for (uint32_t i = 0; i < st->n_parts; i++)
        larger += c->max_bytes > 0 && st->parts[i].bytes / 2 > c->max_bytes;
    if (st->n_parts > 1)
        self->host->log(self, TCF_LOG_INFO, "%u files, '%s' to '%s'", st->n_parts, st->parts[0].name,
                        st->parts[st->n_parts - 1].name);
    if (larger > 0)
        self->host->log(
            self, TCF_LOG_WARNING,
            "%u files are more than twice as large as max_bytes, for clocks are so far apart that they could not be "
            "cut: put presync in front",
            larger);
}

tcf_status parts_complete(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    for (uint32_t i = 0; i < st->n_parts; i++)
        if (finish_part(self, &st->parts[i]) != TCF_OK)
            return TCF_ERROR;
    for (uint32_t i = 0; i < st->n_parts; i++)
        if (tcf_output_host_of(self)->publish("path", &st->parts[i].file, c->overwrite) != TCF_OK)
            return TCF_ERROR;
    tell_of_parts(self);
    return TCF_OK;
}

/* The files of a failed run keep the names that end in .incomplete. */
void parts_abandon(tcf_self *self)
{
    state *st = self->state;
    for (uint32_t i = 0; i < st->n_parts; i++) {
        part *f = &st->parts[i];
        if (f->is_open) {
            f->out.at = output_flush(&f->out, f->out.at);
            close(f->out.fd);
            output_free(&f->out);
        }
        free(f->name);
        free(f->file.name);
    }
    free(st->parts);
}
