/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto_trace: converts times, and makes names of definitions and arguments of records. */
#define _GNU_SOURCE /* asprintf */
#include "perfetto_trace.h"

#include <inttypes.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------- time -- */

enum { NANO = 1000000000 };

/* Rounds down. Perfetto's times have 63 bits. */
uint64_t in_nanoseconds(state *st, uint64_t ticks)
{
    uint64_t ns = ticks;
    if (st->resolution != NANO) {
        const uint64_t s = ticks / st->resolution, rest = ticks % st->resolution;
        ns = s > INT64_MAX / NANO ? UINT64_MAX
             : st->resolution <= UINT64_MAX / NANO
                 ? s * NANO + rest * NANO / st->resolution
                 : s * NANO + (uint64_t)((unsigned __int128)rest * NANO / st->resolution);
    }
    if (__builtin_expect(ns > INT64_MAX, 0)) {
        st->out_of_range++;
        return INT64_MAX;
    }
    return ns;
}

/* --------------------------------------------------------------------------------------------------------- names -- */

const char *record_name(const tcf_self *self, tcf_ref_kind kind, uint32_t index, char scratch[64])
{
    const state *st = self->state;
    if (index == TCF_NONE)
        return "(undefined)";
    const char *name = index < self->defs->ids[kind].n ? st->names.of[kind][index] : NULL;
    if (name && *name)
        return name;
    snprintf(scratch, 64, "%s %" PRIu64 "%s", role_names[kind], tcf_id(self->defs, kind, index, UINT64_MAX),
             tcf_defined(index) ? "" : " (undefined)");
    return scratch;
}

const char *call_name(const tcf_self *self, uint64_t what, char scratch[64])
{
    if (what & CALL_OF_CONTEXT && (uint32_t)what >= self->defs->n_calling_contexts)
        return record_name(self, TCF_REF_CALLING_CONTEXT, (uint32_t)what, scratch);
    return record_name(self, TCF_REF_REGION, call_region(self->defs, what), scratch);
}

const char *role_of(const tcf_self *self, const tcf_region *r)
{
    const char *name = has_role(r) ? self->host->enum_name("REGION_ROLE", r->role) : NULL;
    return name || !has_role(r) ? name : "(unknown role)";
}

const char *unit_of(const tcf_metric_member *m, char scratch[128])
{
    const char *unit = m->unit ? m->unit : "";
    if (m->exponent == 0)
        return unit;
    snprintf(scratch, 128, "%d^%" PRId64 " %.80s", m->base == OTF2_BASE_BINARY ? 2 : 10, m->exponent, unit);
    return scratch;
}

/* An open file without a name gets that of the file, a calling context that of its region. */
static void borrow_names(const tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    state *st = self->state;
    for (uint64_t r = 0; r < defs->n_records; r++) {
        const tcf_def_io_handle *h = defs->records[r].as.def_io_handle;
        if (defs->records[r].kind != TCF_DEF_IO_HANDLE)
            continue;
        const char **name = &st->names.of[TCF_REF_IO_HANDLE][self->host->find(self, TCF_REF_IO_HANDLE, h->self)];
        const char *file = definition_name(&st->names, self, TCF_REF_IO_FILE, h->file);
        if (file && (!*name || !**name))
            *name = file;
    }
    for (uint32_t c = 0; c < defs->n_calling_contexts; c++) {
        const uint32_t region = tcf_calling_context_at(defs, c)->region;
        if (region < defs->n_regions)
            st->names.of[TCF_REF_CALLING_CONTEXT][c] = st->names.of[TCF_REF_REGION][region];
    }
}

static const char *name_of(void *self, const tcf_definition *d)
{
    return name_in_record(self, d);
}

static int make_names(tcf_self *self)
{
    state *st = self->state;
    if (definition_names_init(&st->names, self->defs) != 0)
        return -1;
    definition_names_fill(&st->names, self, name_of, self);
    borrow_names(self);
    return 0;
}

/* The name of its location group, with the rank where the group has several. NULL: out of memory. */
static char *process_name(const tcf_self *self, uint32_t process)
{
    const state *st = self->state;
    const tcf_process *p = &st->processes.at[process];
    const int is_one =
        (process == 0 || p[-1].group != p->group) && (process + 1 >= st->n_processes || p[1].group != p->group);
    char scratch[64], rank[32] = "";
    const char *group = record_name(self, TCF_REF_LOCATION_GROUP, p->group, scratch);
    if (!is_one && p->rank != TCF_NONE)
        snprintf(rank, sizeof rank, ", rank %" PRIu32, p->rank);
    else if (!is_one)
        snprintf(rank, sizeof rank, ", no rank");
    char *name;
    return asprintf(&name, "%s%s", group, rank) < 0 ? NULL : name;
}

static int make_processes(tcf_self *self)
{
    state *st = self->state;
    if (tcf_processes_find(&st->processes, self->defs) != 0)
        return -1;
    st->n_processes = st->processes.n;
    if (st->n_processes > 0 &&
        st->processes.at[st->n_processes - 1].group == TCF_NONE) /* locations without a group come last */
        st->n_processes--;
    st->process_names = calloc(st->n_processes + 1ul, sizeof *st->process_names);
    int failed = !st->process_names;
    for (uint32_t k = 0; !failed && k < st->n_processes; k++)
        failed = !(st->process_names[k] = process_name(self, k));
    return failed ? -1 : 0;
}

/* Numbers processes from 1 on. As in Linux, the first thread of a process has the number of the process. */
static int number_tracks(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    state *st = self->state;
    const uint32_t n = st->n_processes;
    st->pid = calloc(defs->n_locations + 1u, sizeof *st->pid);
    st->tid = calloc(defs->n_locations + 1u, sizeof *st->tid);
    uint8_t *has_main = calloc(n + 1ul, 1);
    for (uint32_t l = 0; st->pid && st->tid && has_main && l < defs->n_locations; l++) {
        const uint32_t p = process_of(st, l) != TCF_NONE ? process_of(st, l) : n;
        const int is_main = tcf_location_at(defs, l)->type == TCF_CPU_THREAD && !has_main[p];
        st->pid[l] = 1 + p;
        st->tid[l] = is_main ? 1 + p : n + 2 + l;
        has_main[p] |= (uint8_t)is_main;
    }
    free(has_main);
    return st->pid && st->tid && has_main ? 0 : -1;
}

/* The name of a location as a peer: its process, and the location where that has several. NULL: out of memory. */
static char *peer_name(const tcf_self *self, uint32_t location, const uint32_t *locations_of)
{
    const state *st = self->state;
    const uint32_t p = process_of(st, location);
    char scratch[64];
    const char *process = p != TCF_NONE ? st->process_names[p] : "";
    const char *name = record_name(self, TCF_REF_LOCATION, location, scratch);
    const char *between = p != TCF_NONE && locations_of[p] > 1 ? ": " : "";
    if (p != TCF_NONE && locations_of[p] == 1)
        name = "";
    char *joined;
    return asprintf(&joined, "%s%s%s", process, between, name) < 0 ? NULL : joined;
}

static int make_peers(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    state *st = self->state;
    uint32_t *locations_of = calloc(st->n_processes + 1ul, sizeof *locations_of);
    int failed = !locations_of || !(st->peers = calloc(defs->n_locations + 1u, sizeof *st->peers));
    for (uint32_t l = 0; !failed && l < defs->n_locations; l++)
        if (process_of(st, l) != TCF_NONE)
            locations_of[process_of(st, l)]++;
    for (uint32_t l = 0; !failed && l < defs->n_locations; l++)
        failed = !(st->peers[l] = peer_name(self, l, locations_of));
    free(locations_of);
    return failed ? -1 : 0;
}

static int number_members(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    state *st = self->state;
    st->first_member = calloc(defs->n_metrics + 1u, sizeof *st->first_member);
    for (uint32_t m = 0; st->first_member && m < defs->n_metrics; m++)
        st->first_member[m + 1] = st->first_member[m] + tcf_metric_at(defs, m)->n_members;
    st->members = st->first_member ? st->first_member[defs->n_metrics] : 0;
    return st->first_member ? 0 : -1;
}

static void number_bits(tcf_self *self)
{
    state *st = self->state;
    uint32_t fields = 0;
    for (uint32_t kind = 0; kind <= TCF_EVENT_KINDS; kind++) {
        st->first_field[kind] = fields;
        for (const struct field *f = kind ? event_records[kind].fields : NULL; f && f->name; f++)
            fields++;
    }
    st->bits.kinds = self->defs->n_regions;
    st->bits.fields = st->bits.kinds + TCF_EVENT_KINDS + 1;
    st->bits.comms = st->bits.fields + fields;
    st->bits.metrics = st->bits.comms + self->defs->n_comms;
    st->bits.categories = st->bits.metrics + self->defs->n_metrics;
    st->bits.roles = st->bits.categories + 256;
    st->bits.extras = st->bits.roles + 256;
    st->bits.n = st->bits.extras + EXTRAS;
}

int records_init(tcf_self *self)
{
    state *st = self->state;
    st->resolution = self->defs->clock.resolution;
    number_bits(self);
    const int failed = make_names(self) != 0 || make_processes(self) != 0 || number_tracks(self) != 0 ||
                       make_peers(self) != 0 || number_members(self) != 0;
    return failed ? -1 : 0;
}

void records_free(state *st, uint32_t n_locations)
{
    for (uint32_t l = 0; st->peers && l < n_locations; l++)
        free(st->peers[l]);
    free(st->peers);
    for (uint32_t k = 0; st->process_names && k < st->n_processes; k++)
        free(st->process_names[k]);
    free(st->process_names);
    tcf_processes_free(&st->processes);
    definition_names_free(&st->names);
    free(st->pid);
    free(st->tid);
    free(st->first_member);
}

/* ----------------------------------------------------------------------------------------------------- arguments -- */

/* Copies a text into the arguments. */
static const char *keep(arguments *a, const char *text)
{
    const size_t n = strlen(text) + 1;
    if (n > sizeof a->scratch - a->used)
        return "...";
    char *copy = memcpy(a->scratch + a->used, text, n);
    a->used += n;
    return copy;
}

static argument *add(arguments *a, const char *key, uint32_t key_bit)
{
    argument *x = &a->at[a->n++];
    *x = (argument){.key = key, .key_bit = key_bit};
    return x;
}

static void set_text(argument *x, const char *text)
{
    x->type = ARGUMENT_TEXT;
    x->text = text;
}

static void set_reference(const tcf_self *self, arguments *a, argument *x, unsigned role, uint32_t index)
{
    char scratch[64];
    if (role == ROLE_COMM && index < self->defs->n_comms) {
        x->type = ARGUMENT_COMM;
        x->number = index;
        x->text = record_name(self, TCF_REF_COMM, index, scratch);
        x->text = x->text == scratch ? keep(a, scratch) : x->text;
        return;
    }
    const char *text = record_name(self, (tcf_ref_kind)role, index, scratch);
    set_text(x, text == scratch ? keep(a, scratch) : text);
}

/* The name of an enumeration's value; a rank may be one of libotf2's special values. */
static const char *enumerated(const tcf_self *self, const struct field *f, uint64_t value)
{
    if (f->role == ROLE_RANK)
        return value >= OTF2_COLLECTIVE_ROOT_THIS_GROUP && strcmp(f->name, "root") == 0
                   ? self->host->enum_name("COLLECTIVE_ROOT", value)
                   : NULL;
    return is_enumeration(f->role) || is_set(f->role) ? self->host->enum_name(role_names[f->role], value) : NULL;
}

static void add_field(const tcf_self *self, arguments *a, const struct field *f, uint32_t bit, const void *record)
{
    const uint64_t value = field_value(f, record, 0);
    argument *x = add(a, f->name, bit);
    const char *text = enumerated(self, f, value);
    x->type = f->is_signed ? ARGUMENT_INT : ARGUMENT_UINT;
    x->number = f->role == ROLE_TIME ? in_nanoseconds(self->state, value) : value;
    if (is_reference(f->role))
        set_reference(self, a, x, f->role, (uint32_t)value);
    else if (text)
        set_text(x, keep(a, text));
}

static int is_operation(uint8_t class_)
{
    return class_ >= TCF_CLASS_ONE_TO_N && class_ <= TCF_CLASS_UNORDERED;
}

/* Adds what the matching knows besides the record. */
static void add_edge(const tcf_self *self, arguments *a, const tcf_edge *e)
{
    const state *st = self->state;
    if (e->flags & (TCF_EDGE_GONE | TCF_EDGE_LEFT) || a->n == ARGUMENTS_MOST)
        return;
    if (e->class_ == TCF_CLASS_P2P && e->peer < self->defs->n_locations) {
        set_text(add(a, "peer", st->bits.extras + EXTRA_PEER), st->peers[e->peer]);
    } else if (is_operation(e->class_) && !(e->flags & TCF_EDGE_UNMATCHED)) {
        add(a, "instance", st->bits.extras + EXTRA_INSTANCE)->number = e->number;
    }
}

void record_arguments(const tcf_self *self, const tcf_slice *s, uint32_t i, arguments *a)
{
    const state *st = self->state;
    const uint8_t kind = s->kind[i];
    uint32_t bit = st->bits.fields + st->first_field[kind];
    a->n = 0;
    a->used = 0;
    for (const struct field *f = event_records[kind].fields; f->name && a->n < ARGUMENTS_MOST; f++, bit++)
        if (f->shape == SHAPE_PLAIN)
            add_field(self, a, f, bit, &s->rec[i]);
    const tcf_edge *e = s->match ? tcf_edge_of(s, i) : NULL;
    if (e)
        add_edge(self, a, e);
}
