/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Makes lines of events. Text has the columns of otf2-print (event, location, time, attributes) and attribute lists
 * on a second line. JSON has one object a line. Names of events and definitions and the labels of fields are
 * formatted once, before the first line. The high digits of the time stay the same for many lines, so they are
 * formatted when they change. */
#include "print.h"

#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENT_WIDTH = 32, LOCATION_WIDTH = 15, TIME_WIDTH = 20, EIGHT_DIGITS = 100000000 };

/* -------------------------------------------------------------------------------------------------------- labels -- */

/* otf2-print prints these labels where the name of the field would read otherwise. */
static const struct {
    const char *event; /* begin of the event's name; NULL: any event */
    const char *field, *label;
} labels[] = {
    {NULL, "msg_tag", "Tag"},
    {NULL, "msg_length", "Length"},
    {NULL, "request_id", "Request"},
    {NULL, "collective_op", "Operation"},
    {NULL, "size_sent", "Sent"},
    {NULL, "size_received", "Received"},
    {NULL, "bytes_sent", "Sent"},
    {NULL, "bytes_received", "Received"},
    {NULL, "number_of_requested_threads", "# Requested Threads"},
    {NULL, "lock_id", "Lock"},
    {NULL, "lock_type", "Type"},
    {NULL, "task_id", "Task"},
    {NULL, "measurement_mode", "Mode"},
    {NULL, "win", "Window"},
    {NULL, "sync_level", "Level of Synchronicity"},
    {NULL, "program_name", "Name"},
    {NULL, "exit_status", "Exit status"},
    {"RMA_", "matching_id", "Matching"},
    {"IO_CREATE", "mode", "Access Mode"},
    {"PARAMETER_STRING", "string", "Value"},
};

void spell_out(const char *field, char *label, size_t capacity)
{
    size_t n = 0;
    if (strncmp(field, "io_", 3) == 0 && capacity > 4) {
        n = (size_t)snprintf(label, capacity, "I/O ");
        field += 3;
    }
    for (int first = 1; *field && n + 1 < capacity; field++) {
        int small = *field >= 'a' && *field <= 'z';
        label[n++] = *field == '_' ? ' ' : first && small ? (char)(*field - 'a' + 'A') : *field;
        first = *field == '_';
    }
    label[n] = '\0';
}

/* Most names differ in their first letter. */
static int is(const char *name, const char *other)
{
    return *name == *other && strcmp(name, other) == 0;
}

static void label_of(const char *event, const char *field, char *label, size_t capacity)
{
    for (size_t i = 0; i < TCF_COUNT(labels); i++)
        if (is(labels[i].field, field) &&
            (!labels[i].event || strncmp(labels[i].event, event, strlen(labels[i].event)) == 0)) {
            snprintf(label, capacity, "%s", labels[i].label);
            return;
        }
    spell_out(field, label, capacity);
}

static enum show show_of(const struct field *f)
{
    if (is(f->name, "number_of_metrics"))
        return SHOW_METRICS;
    if (f->shape == SHAPE_ARRAY)
        return SHOW_ARRAY;
    if (is(f->name, "exit_status") || is(f->name, "unwind_distance"))
        return SHOW_STATUS;
    if (is(f->name, "creating_thread"))
        return SHOW_RANK;
    if (f->role == ROLE_RANK)
        return is(f->name, "root") ? SHOW_ROOT : SHOW_RANK;
    if (is_reference(f->role))
        return SHOW_REFERENCE;
    return is_enumeration(f->role) ? SHOW_ENUMERATION : is_set(f->role) ? SHOW_SET : SHOW_NUMBER;
}

/* Is this the length of an array? The array is printed with its length, so the field needs no view of its own. */
static int is_length(const struct field *f)
{
    return f[1].name && f[1].shape == SHAPE_ARRAY && f->shape == SHAPE_PLAIN && show_of(f) != SHOW_METRICS;
}

static void make_view(struct printer *p, const struct record *r, const struct field *f, struct layout *l)
{
    char label[96], text[128];
    struct view *v = &l->view[l->n++];
    *v = (struct view){.field = f, .offset = f->offset, .role = f->role, .show = (uint8_t)show_of(f)};
    for (const struct field *k = r->fields; k->name; k++) {
        if (k->role == ROLE_COMM || k->role == ROLE_RMA_WIN) {
            v->comm = k;
            v->comm_is_window = k->role == ROLE_RMA_WIN;
        }
        if (k[1].name && k[1].shape == SHAPE_ARRAY && k->shape == SHAPE_PLAIN)
            v->count = k;
    }
    label_of(r->name, f->name, label, sizeof label);
    int n = v->show == SHOW_METRICS ? snprintf(text, sizeof text, p->json ? ",\"values\":" : ", ")
            : p->json               ? snprintf(text, sizeof text, ",\"%s\":", f->name)
            : v->show == SHOW_ARRAY ? snprintf(text, sizeof text, ", ")
                                    : snprintf(text, sizeof text, "%s%s: ", l->n > 1 ? ", " : "", label);
    v->label = names_keep(&p->names, text, (size_t)n);
}

static void make_layout(struct printer *p, uint32_t kind, const char *key)
{
    const struct record *r = &event_records[kind];
    struct layout *l = &p->layout[kind];
    const char *name = p->json ? r->name : event_name_of_otf2_print(kind);
    char text[96];
    l->n = 0;
    int n = p->json ? snprintf(text, sizeof text, "{\"%s\":\"%s\"", key, name)
                    : snprintf(text, sizeof text, "%-*s", EVENT_WIDTH, name);
    l->head = names_keep(&p->names, text, (size_t)n);
    for (const struct field *f = r->fields; f->name && l->n < MAX_VIEWS; f++) {
        if (is_length(f))
            continue;
        make_view(p, r, f, l);
        if (l->view[l->n - 1].show == SHOW_METRICS) /* its view prints the arrays as well */
            break;
    }
    if (kind == TCF_RMA_COLLECTIVE_END && !p->json) { /* otf2-print has the window first */
        const struct view level = l->view[1];
        l->view[1] = l->view[2];
        l->view[2] = level;
    }
}

int printer_relabel(struct printer *p, const char *key)
{
    for (uint32_t kind = 1; kind <= TCF_EVENT_KINDS; kind++)
        make_layout(p, kind, key);
    return p->names.out_of_memory ? -1 : 0;
}

int printer_init(struct printer *p, const tcf_self *self, int json)
{
    uint32_t n = self->defs->n_locations;
    p->self = self;
    p->defs = self->defs;
    p->json = json;
    p->place = calloc(n + 1u, sizeof *p->place);
    p->side_comm = calloc(n + 1u, sizeof *p->side_comm);
    p->side = calloc(n + 1u, 1);
    if (!p->place || !p->side_comm || !p->side || names_init(&p->names, self, json) != 0)
        return -1;
    printer_relabel(p, "event");
    for (uint32_t i = 0; i < n; i++) {
        char text[64];
        unsigned long long id = tcf_location_at(self->defs, i)->id;
        int length = json ? snprintf(text, sizeof text, ",\"location\":%llu,\"time\":", id)
                          : snprintf(text, sizeof text, " %*llu ", LOCATION_WIDTH, id);
        p->place[i] = names_keep(&p->names, text, (size_t)length);
        p->side_comm[i] = TCF_NONE;
    }
    p->time_high = UINT64_MAX;
    return p->names.out_of_memory ? -1 : 0;
}

void printer_free(struct printer *p)
{
    names_free(&p->names);
    free(p->place);
    free(p->side_comm);
    free(p->side);
    p->place = NULL;
    p->side_comm = NULL;
    p->side = NULL;
}

void print_title(struct printer *p, const char *columns)
{
    struct output *o = &p->out;
    char line[81];
    if (p->json)
        return;
    memset(line, '-', 80);
    line[80] = '\n';
    char *at = output_bytes(o, o->at, columns, strlen(columns));
    at = output_bytes(o, PUT(at, "\n"), line, sizeof line);
    o->at = at;
}

/* -------------------------------------------------------------------------------------------------------- values -- */

static __attribute__((noinline)) void new_time(struct printer *p, uint64_t time)
{
    char digits[24], *end = put_u64(digits, time);
    size_t n = (size_t)(end - digits), pad = p->json ? 0 : TIME_WIDTH - n;
    memset(p->time_text, ' ', sizeof p->time_text);
    memcpy(p->time_text + pad, digits, n);
    p->time = (struct name){p->time_text, p->json ? n : TIME_WIDTH + 2};
    p->low_digits = pad + n - 8;
    p->time_high = time < EIGHT_DIGITS
                       ? UINT64_MAX
                       : time / EIGHT_DIGITS; /* a time with eight digits or fewer is formatted each time */
}

/* Writes the low digits behind the copy of the text. In the text itself they would be stored just before the copy
 * loads them, and such a load stalls. */
static inline char *put_time(struct printer *p, struct output *o, char *at, uint64_t time)
{
    if (__builtin_expect(time / EIGHT_DIGITS != p->time_high, 0)) {
        new_time(p, time);
        return put_short(o, at, &p->time);
    }
    char *end = put_short(o, at, &p->time);
    put_eight(at + p->low_digits, (uint32_t)(time % EIGHT_DIGITS));
    return end;
}

/* Is the location, or the MPI process that it belongs to, in group A of the inter-communicator? Then it numbers the
 * members of group B. */
static __attribute__((noinline)) int names_side_b(struct printer *p, uint32_t comm, uint32_t location)
{
    const tcf_comm *c = tcf_comm_at(p->defs, comm);
    if (p->side_comm[location] != comm) {
        p->side_comm[location] = comm;
        p->side[location] = 0;
        for (uint32_t r = 0; r < c->size && !p->side[location]; r++)
            p->side[location] =
                p->defs->mpi_member[location] != TCF_NONE && c->location[r] == p->defs->mpi_member[location];
    }
    return p->side[location];
}

static uint32_t location_of_rank(struct printer *p, const struct view *v, const void *rec, uint32_t location,
                                 uint32_t rank)
{
    uint32_t comm = v->comm ? (uint32_t)field_value(v->comm, rec, 0) : TCF_NONE;
    if (v->comm_is_window)
        comm = comm < p->defs->n_rma_wins ? tcf_rma_win_at(p->defs, comm)->comm : TCF_NONE;
    if (comm >= p->defs->n_comms)
        return TCF_NONE;
    const tcf_comm *c = tcf_comm_at(p->defs, comm);
    if (c->self)
        return rank == 0 ? location : TCF_NONE;
    if (c->inter && names_side_b(p, comm, location))
        return rank < c->remote_size ? c->remote_location[rank] : TCF_NONE;
    return rank < c->size ? c->location[rank] : TCF_NONE;
}

static char *put_rank(struct printer *p, struct output *o, char *at, const struct view *v, const tcf_slice *s,
                      const void *rec)
{
    uint32_t rank = (uint32_t)field_value(v->field, rec, 0);
    if (v->show == SHOW_ROOT && rank >= OTF2_COLLECTIVE_ROOT_THIS_GROUP) {
        const char *name = p->self->host->enum_name("COLLECTIVE_ROOT", rank);
        return put_word(o, at, p->json, name ? name : "NONE");
    }
    if (rank == TCF_NONE)
        return put_unknown(at, &p->names, TCF_REF_LOCATION, TCF_NONE);
    uint32_t location = location_of_rank(p, v, rec, s->location, rank);
    at = put_u64(PUT_EITHER(p, at, "", "{\"rank\":"), rank);
    at = PUT_EITHER(p, at, " (", ",\"location\":");
    if (!tcf_defined(location))
        return PUT_EITHER(p, at, "INVALID)", "null}");
    at = p->json ? put_u64(at, tcf_location_at(p->defs, location)->id)
                 : room(o, put_reference(o, at, &p->names, TCF_REF_LOCATION, location));
    return PUT_EITHER(p, at, ")", "}");
}

static char *put_real(const struct printer *p, char *at, uint8_t type, uint64_t value)
{
    double d;
    float f;
    uint32_t bits = (uint32_t)value;
    memcpy(&d, &value, sizeof d);
    memcpy(&f, &bits, sizeof f);
    if (p->json && (type == OTF2_TYPE_FLOAT ? f - f != 0 : d - d != 0))
        return PUT(at, "null");
    return type == OTF2_TYPE_FLOAT ? put_float(at, f) : put_double(at, d);
}

char *put_typed(struct printer *p, struct output *o, char *at, uint8_t type, uint64_t value)
{
    int kind = tcf_ref_of_type(type);
    at = room(o, at);
    if (kind >= 0)
        return put_id(o, at, &p->names, (tcf_ref_kind)kind, value);
    switch (type) {
    case OTF2_TYPE_INT8:
        return put_i64(at, (int8_t)value);
    case OTF2_TYPE_INT16:
        return put_i64(at, (int16_t)value);
    case OTF2_TYPE_INT32:
        return put_i64(at, (int32_t)value);
    case OTF2_TYPE_INT64:
        return put_i64(at, (int64_t)value);
    case OTF2_TYPE_FLOAT:
    case OTF2_TYPE_DOUBLE:
        return put_real(p, at, type, value);
    default:
        return put_u64(at, value);
    }
}

/* Puts what separates entry i of a list from the one before. */
static char *put_separator(const struct printer *p, char *at, uint64_t i)
{
    return i == 0 ? at : PUT_EITHER(p, at, ", ", ",");
}

/* Puts an attribute or a metric's value: its definition (of a value the metric's member), type and value. */
static char *put_entry(struct printer *p, struct output *o, char *at, tcf_ref_kind kind, const tcf_attribute *a)
{
    const int is_metric = kind == TCF_REF_METRIC_MEMBER;
    at = !p->json ? PUT(at, "(") : is_metric ? PUT(at, "{\"member\":") : PUT(at, "{\"attribute\":");
    at = !p->json && is_metric && !tcf_defined(a->attribute) ? PUT(at, "INVALID")
                                                             : put_reference(o, at, &p->names, kind, a->attribute);
    at = room(o, at);
    at = PUT_EITHER(p, at, "; ", ",\"type\":");
    at = put_enumeration(o, at, &p->names, ROLE_TYPE, a->type);
    at = PUT_EITHER(p, at, "; ", ",\"value\":");
    at = room(o, put_typed(p, o, at, a->type, a->value));
    at = PUT_EITHER(p, at, ")", "}");
    return at;
}

static char *put_metrics(struct printer *p, struct output *o, char *at, const tcf_slice *s, const tcf_ev_metric *r)
{
    const uint8_t *types = tcf_at(s, r->type_ids), *values = tcf_at(s, r->metric_values);
    const tcf_metric *metric = r->metric < p->defs->n_metrics ? tcf_metric_at(p->defs, r->metric) : NULL;
    uint32_t n = r->number_of_metrics;
    if (p->json) {
        *at++ = '[';
    } else {
        at = put_u64(at, n);
        at = n == 0 ? PUT(at, " Values") : n == 1 ? PUT(at, " Value: ") : PUT(at, " Values: ");
    }
    for (uint32_t i = 0; i < n; i++) {
        tcf_attribute a = {.attribute = metric && i < metric->n_members ? metric->member[i] : TCF_NONE,
                           .type = types[i]};
        memcpy(&a.value, values + i * sizeof a.value, sizeof a.value);
        at = put_separator(p, room(o, at), i);
        at = put_entry(p, o, at, TCF_REF_METRIC_MEMBER, &a);
    }
    at = PUT_EITHER(p, at, "", "]");
    return room(o, at);
}

/* Puts an array: in text as "2 Arguments: ...", with the last word of its label, without its s for one element. */
static char *put_array(struct printer *p, struct output *o, char *at, const struct view *v, const tcf_slice *s,
                       const void *rec)
{
    uint64_t n = v->count ? field_value(v->count, rec, 0) : 0;
    uint32_t offset;
    char label[96], *word;
    memcpy(&offset, (const unsigned char *)rec + v->field->offset, sizeof offset);
    spell_out(v->field->name, label, sizeof label);
    word = strrchr(label, ' ');
    word = word ? word + 1 : label;
    size_t length = strlen(word);
    if (p->json) {
        *at++ = '[';
    } else {
        at = PUT(put_u64(at, n), " ");
        at = put_literal(at, word, n == 1 && length > 0 ? length - 1 : length);
        at = n > 0 ? PUT(at, ": ") : at;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t value = field_value(v->field, tcf_at(s, offset), i);
        at = put_separator(p, room(o, at), i);
        at = is_reference(v->field->role) ? put_reference(o, at, &p->names, v->field->role, (uint32_t)value)
                                          : put_u64(at, value);
    }
    at = room(o, at);
    at = PUT_EITHER(p, at, "", "]");
    return at;
}

static char *put_status(struct printer *p, char *at, const struct field *f, uint64_t value)
{
    if (value == (f->is_signed ? (uint64_t)OTF2_UNDEFINED_INT64 : OTF2_UNDEFINED_UINT32))
        return PUT_EITHER(p, at, "UNDEFINED", "null");
    return f->is_signed ? put_i64(at, (int64_t)value) : put_u64(at, value);
}

/* -------------------------------------------------------------------------------------------------------- a line -- */

static __attribute__((noinline)) char *put_attributes(struct printer *p, struct output *o, char *at,
                                                      const tcf_attributes *a)
{
    if (p->json) {
        at = PUT(at, ",\"attributes\":[");
    } else {
        *at++ = '\n';
        memset(at, ' ', EVENT_WIDTH + LOCATION_WIDTH + TIME_WIDTH + 4);
        at = PUT(at + EVENT_WIDTH + LOCATION_WIDTH + TIME_WIDTH + 4, "ADDITIONAL ATTRIBUTES: ");
    }
    for (uint32_t k = 0; k < a->n; k++)
        at = put_entry(p, o, put_separator(p, room(o, at), k), TCF_REF_ATTRIBUTE, &a->at[k]);
    at = room(o, at);
    at = PUT_EITHER(p, at, "", "]");
    return at;
}

static inline char *put_field(struct printer *p, struct output *o, char *at, const struct view *v, const tcf_slice *s,
                              const void *rec)
{
    const struct field *f = v->field;
    uint32_t index;
    switch ((enum show)v->show) {
    case SHOW_REFERENCE:
        memcpy(&index, (const unsigned char *)rec + v->offset, sizeof index);
        return put_reference(o, at, &p->names, v->role, index);
    case SHOW_ENUMERATION:
        return put_enumeration(o, at, &p->names, f->role, field_value(f, rec, 0));
    case SHOW_SET:
        return put_set(o, at, &p->names, f->role, field_value(f, rec, 0));
    case SHOW_RANK:
    case SHOW_ROOT:
        return put_rank(p, o, at, v, s, rec);
    case SHOW_STATUS:
        return put_status(p, at, f, field_value(f, rec, 0));
    case SHOW_METRICS:
        return put_metrics(p, o, at, s, rec);
    case SHOW_ARRAY:
        return put_array(p, o, at, v, s, rec);
    case SHOW_NUMBER:
        break;
    }
    return f->is_signed ? put_i64(at, (int64_t)field_value(f, rec, 0)) : put_u64(at, field_value(f, rec, 0));
}

/* The hot loop. */
uint32_t print_events(struct printer *p, struct output *o, const tcf_slice *s, uint32_t from, uint64_t last)
{
    const struct name *place = &p->place[s->location];
    const uint64_t *time = s->time;
    uint32_t i = from, n = s->n;
    char *at = o->at;
    do {
        const struct layout *l = &p->layout[s->kind[i]];
        at = room(o, at);
        at = put_short(o, at, &l->head);
        at = put_short(o, at, place);
        at = put_time(p, o, at, time[i]);
        for (uint32_t k = 0; k < l->n; k++) {
            at = room(o, at);
            at = put_short(o, at, &l->view[k].label);
            at = put_field(p, o, at, &l->view[k], s, &s->rec[i]);
        }
        at = room(o, at);
        if (s->attr[i])
            at = put_attributes(p, o, at, tcf_attributes_of(s, i));
        at = PUT_EITHER(p, at, "\n", "}\n");
        i++;
    } while (i < n && time[i] <= last);
    o->at = at;
    return i;
}
