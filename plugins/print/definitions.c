/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The global definitions as they stand in the archive, one a line, in the manner of otf2-print -G: kind, id, fields
 * with the names of what they refer to. JSON lines carry the key "definition" where events have "event". */
#include "print.h"

#include <stdio.h>

enum { NAME_WIDTH = 27, ID_WIDTH = 12 };

/* The field that states the types of the attribute values behind it: one type for all of them, or a list as long as
 * theirs. */
struct types {
    const struct field *field;
    const void *from;
};

static char *put_value(struct printer *p, struct output *o, char *at, const struct field *f, const void *from,
                       uint64_t i, const struct types *types)
{
    uint64_t value = field_value(f, from, i);
    at = room(o, at);
    if (is_reference(f->role))
        return put_id(o, at, &p->names, (tcf_ref_kind)f->role, value);
    if (is_enumeration(f->role))
        return put_enumeration(o, at, &p->names, f->role, value);
    if (is_set(f->role))
        return put_set(o, at, &p->names, f->role, value);
    if (f->role == ROLE_ATTRIBUTE_VALUE && types->field)
        return put_typed(p, o, at, (uint8_t)field_value(types->field, types->from, i), value);
    return f->is_signed ? put_i64(at, (int64_t)value) : put_u64(at, value);
}

static char *put_array_of(struct printer *p, struct output *o, char *at, const struct field *f, const void *from,
                          uint64_t n, const struct types *types)
{
    at = PUT_EITHER(p, at, "{", "[");
    for (uint64_t i = 0; i < n; i++) {
        at = room(o, at);
        if (i > 0)
            at = PUT_EITHER(p, at, ", ", ",");
        at = put_value(p, o, at, f, from, i, types);
    }
    at = room(o, at);
    at = PUT_EITHER(p, at, "}", "]");
    return at;
}

static char *put_label(struct printer *p, struct output *o, char *at, const struct field *f, int first)
{
    char label[96], text[128];
    int n;
    if (p->json) {
        n = snprintf(text, sizeof text, ",\"%s\":", strcmp(f->name, "self") == 0 ? "id" : f->name);
    } else {
        spell_out(f->name, label, sizeof label);
        n = snprintf(text, sizeof text, "%s%s: ", first ? "" : ", ", label);
    }
    return output_bytes(o, at, text, (size_t)n);
}

/* Puts the name of the record's kind and the definition's id. */
static char *put_head(struct printer *p, struct output *o, char *at, const struct record *r, const struct field *self,
                      const void *record)
{
    char text[128], id[32] = "";
    int n;
    if (self)
        *put_u64(id, field_value(self, record, 0)) = '\0';
    if (p->json)
        n = snprintf(text, sizeof text, "{\"definition\":\"%s\"%s%s", r->name, self ? ",\"id\":" : "", id);
    else
        n = snprintf(text, sizeof text, "%-*s %*s  ", NAME_WIDTH, r->name, ID_WIDTH, id);
    return output_bytes(o, at, text, (size_t)n);
}

static char *put_definition(struct printer *p, struct output *o, char *at, const tcf_definition *d)
{
    const struct record *r = &definition_records[d->kind];
    const struct field *self = field_named(r, "self");
    const unsigned char *record = d->as.any;
    struct types types = {NULL, NULL};
    uint64_t length = 0;
    int first = 1;
    at = put_head(p, o, room(o, at), r, self, record);
    for (const struct field *f = r->fields; f->name; f++) {
        if (f == self)
            continue;
        const void *array = record;
        if (f->shape == SHAPE_PLAIN)
            length = field_value(f, record, 0);
        else
            memcpy(&array, record + f->offset, sizeof array);
        if (f->role == ROLE_TYPE)
            types = (struct types){f, array};
        if (f->shape == SHAPE_PLAIN && f[1].name && f[1].shape == SHAPE_ARRAY)
            continue; /* the array is put with its length */
        at = room(o, at);
        if (f->shape != SHAPE_TEXT || p->json)
            at = put_label(p, o, at, f, first);
        first = 0;
        at = room(o, at);
        if (f->shape == SHAPE_TEXT)
            at = put_quoted(o, at, p->json, array);
        else if (f->shape == SHAPE_ARRAY)
            at = put_array_of(p, o, at, f, array, length, &types);
        else
            at = put_value(p, o, at, f, record, 0, &types);
    }
    at = room(o, at);
    at = PUT_EITHER(p, at, "\n", "}\n");
    return at;
}

void print_definitions(struct printer *p)
{
    struct output *o = &p->out;
    const tcf_definitions *defs = p->defs;
    print_title(p, "Definition                            ID  Attributes");
    for (uint64_t i = 0; i < defs->n_records; i++)
        o->at = put_definition(p, o, o->at, &defs->records[i]);
    if (!p->json)
        o->at = output_bytes(o, o->at, "\n", 1);
}
