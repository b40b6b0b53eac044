/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Formats the names of definitions and values; see names.h.
 *
 * Text has names as otf2-print prints them, except that control characters, which would break the line, are escaped
 * as in C. JSON is valid UTF-8 whatever the archive holds: bytes that are no UTF-8 become U+FFFD. */
#include "names.h"
#include "../shared/records/definition_names.h"

#include <stdlib.h>

enum { CHUNK = 64 * 1024, ENUM_VALUES = 256 };

struct name_chunk {
    struct name_chunk *next;
    size_t used, capacity;
    char bytes[];
};

/* ---------------------------------------------------------------------------------------------------- texts kept -- */

static char *keep_bytes(struct names *names, size_t n)
{
    struct name_chunk *c = names->chunks;
    if (!c || c->capacity - c->used < n + BLOCK) {
        size_t capacity = n + BLOCK > CHUNK ? n + BLOCK : CHUNK;
        if (!(c = calloc(1, sizeof *c + capacity))) {
            names->out_of_memory = 1;
            return NULL;
        }
        c->capacity = capacity;
        c->next = names->chunks;
        names->chunks = c;
    }
    c->used += n;
    return c->bytes + c->used - n;
}

struct name names_keep(struct names *names, const char *text, size_t n)
{
    static const char nothing[BLOCK];
    char *copy = keep_bytes(names, n);
    if (!copy)
        return (struct name){nothing, 0};
    memcpy(copy, text, n);
    return (struct name){copy, n};
}

/* --------------------------------------------------------------------------------------------------- id -> index -- */

uint32_t names_index(const struct names *names, tcf_ref_kind kind, uint64_t id)
{
    return names->self->host->find(names->self, kind, id);
}

/* --------------------------------------------------------------------------------------------------- definitions -- */

/* The plain names, of which the formatted ones are made. */
struct making {
    struct names *names;
    definition_names plain;
    int turn;
};

/* Keeps the texts, one behind the other, as one text. */
static const char *join(struct names *names, const char *const *texts, size_t n)
{
    size_t length = 1;
    for (size_t i = 0; i < n; i++)
        length += strlen(texts[i]);
    char *joined = keep_bytes(names, length), *at = joined;
    for (size_t i = 0; joined && i < n; i++)
        at = put_literal(at, texts[i], strlen(texts[i]));
    if (joined)
        *at = '\0';
    return joined;
}

static const char *name_of_source(struct names *names, const tcf_def_source_code_location *d)
{
    const char *file = string_of(names->self, d->file);
    char line[32];
    *put_i64(line, (int32_t)d->line_number) = '\0';
    return join(names, (const char *const[]){file ? file : "", ":", line}, 3);
}

static const char *name_of_context(const struct making *m, const tcf_def_calling_context *d)
{
    const tcf_self *self = m->names->self;
    const char *region = definition_name(&m->plain, self, TCF_REF_REGION, d->region);
    const char *source = definition_name(&m->plain, self, TCF_REF_SOURCE_CODE_LOCATION, d->source_code_location);
    if (!region || !source)
        return region;
    return join(m->names, (const char *const[]){region, "@", source}, 3);
}

static const char *name_of_handle(const struct making *m, const tcf_def_io_handle *d)
{
    const tcf_self *self = m->names->self;
    const char *name = string_of(self, d->name), *file = definition_name(&m->plain, self, TCF_REF_IO_FILE, d->file);
    const char *paradigm = definition_name(&m->plain, self, TCF_REF_IO_PARADIGM, d->io_paradigm);
    if ((name && *name) || !file)
        return name;
    return join(m->names, (const char *const[]){"[", paradigm ? paradigm : "", "]", file}, 4);
}

static const char *name_of_file(struct names *names, const char *name, const char *prefix)
{
    return name ? join(names, (const char *const[]){prefix, name}, 2) : NULL;
}

/* The plain name of a record's definition. Handles and calling contexts have the second turn, because their names
 * are made of the names of other definitions. */
static const char *name_of_record(void *data, const tcf_definition *d)
{
    const struct making *m = data;
    const char *name = name_in_record(m->names->self, d);
    if (m->turn != (d->kind == TCF_DEF_IO_HANDLE || d->kind == TCF_DEF_CALLING_CONTEXT))
        return NULL;
    switch (d->kind) {
    case TCF_DEF_SOURCE_CODE_LOCATION:
        return name_of_source(m->names, d->as.def_source_code_location);
    case TCF_DEF_CALLING_CONTEXT:
        return name_of_context(m, d->as.def_calling_context);
    case TCF_DEF_IO_REGULAR_FILE:
        return name_of_file(m->names, name, "file://");
    case TCF_DEF_IO_DIRECTORY:
        return name_of_file(m->names, name, "directory://");
    case TCF_DEF_IO_HANDLE:
        return name_of_handle(m, d->as.def_io_handle);
    default:
        return name;
    }
}

static void name_paradigms(struct names *names)
{
    const tcf_definitions *defs = names->self->defs;
    for (uint64_t r = 0; r < defs->n_records; r++) {
        const tcf_def_paradigm *d = defs->records[r].as.def_paradigm;
        if (defs->records[r].kind == TCF_DEF_PARADIGM && !names->paradigms[d->paradigm])
            names->paradigms[d->paradigm] = string_of(names->self, d->name);
    }
}

/* Formats a definition's name. Metrics are shown by their id alone. */
static struct name format_name(struct names *names, tcf_ref_kind kind, const char *name, uint64_t id)
{
    struct output *scratch = &names->scratch;
    char *at = scratch->buffer;
    if (kind == TCF_REF_METRIC)
        name = NULL;
    if (names->json) {
        at = put_u64(PUT(at, "{\"id\":"), id);
        at = PUT(at, ",\"name\":");
        at = name ? put_quoted(scratch, at, 1, name) : PUT(at, "null");
        at = PUT(at, "}");
    } else if (name) {
        at = put_quoted(scratch, at, 0, name);
        at = put_u64(PUT(at, " <"), id);
        at = PUT(at, ">");
    } else {
        at = put_u64(at, id);
    }
    return names_keep(names, scratch->buffer, (size_t)(at - scratch->buffer));
}

/* Makes a buffer for the longest formatted name. */
static int scratch_init(struct output *scratch, const tcf_definitions *defs)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < defs->n_strings; i++) {
        size_t n = strlen(defs->strings[i]);
        longest = n > longest ? n : longest;
    }
    size_t bytes =
        6 * (4 * longest + 64) + 2 * ROOM; /* 6: an escaped byte is \u0000; 4: a name may be joined of four texts */
    *scratch = (struct output){.fd = -1};
    scratch->buffer = scratch->at = malloc(bytes);
    scratch->end = scratch->buffer ? scratch->buffer + bytes : NULL;
    return scratch->buffer ? 0 : -1;
}

int names_init(struct names *names, const tcf_self *self, int json)
{
    const tcf_definitions *defs = self->defs;
    struct making m = {.names = names};
    int failed = 1;
    *names = (struct names){.self = self, .json = json};
    for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
        names->n[kind] = defs->ids[kind].n;
        if (!(names->of[kind] = calloc(names->n[kind] + 1u, sizeof *names->of[kind])))
            goto done;
    }
    if (definition_names_init(&m.plain, defs) != 0 || scratch_init(&names->scratch, defs) != 0)
        goto done;
    name_paradigms(names);
    for (m.turn = 0; m.turn < 2; m.turn++)
        definition_names_fill(&m.plain, self, name_of_record, &m);
    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        for (uint32_t i = 0; i < names->n[kind]; i++)
            names->of[kind][i] = format_name(names, (tcf_ref_kind)kind, m.plain.of[kind][i], defs->ids[kind].id[i]);
    failed = names->out_of_memory;
done:
    definition_names_free(&m.plain);
    return failed ? -1 : 0;
}

void names_free(struct names *names)
{
    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        free(names->of[kind]);
    for (int role = 0; role < ROLES; role++) {
        free(names->enumerations[role]);
        free(names->sets[role]);
    }
    for (struct name_chunk *c = names->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    output_free(&names->scratch);
    *names = (struct names){0};
}

static char *put_undefined(char *at, const struct names *names)
{
    return PUT_EITHER(names, at, "UNDEFINED", "null");
}

static char *put_invalid(char *at, const struct names *names, uint64_t id)
{
    at = PUT_EITHER(names, at, "INVALID <", "{\"id\":");
    at = put_u64(at, id);
    return PUT_EITHER(names, at, ">", ",\"name\":null}");
}

char *put_unknown(char *at, const struct names *names, tcf_ref_kind kind, uint32_t index)
{
    if (index == TCF_NONE)
        return put_undefined(at, names);
    return put_invalid(at, names, tcf_id(names->self->defs, kind, index, UINT64_MAX));
}

char *put_id(struct output *o, char *at, const struct names *names, tcf_ref_kind kind, uint64_t id)
{
    uint32_t index = names_index(names, kind, id);
    at = room(o, at);
    if (index != TCF_NONE)
        return room(o, put_name(o, at, &names->of[kind][index]));
    uint64_t undefined = kind == TCF_REF_LOCATION ? UINT64_MAX : kind == TCF_REF_IO_PARADIGM ? UINT8_MAX : UINT32_MAX;
    return id == undefined ? put_undefined(at, names) : put_invalid(at, names, id);
}

/* ----------------------------------------------------------------------------------------- enumerations and sets -- */

static char *put_value_name(struct output *o, char *at, const struct names *names, unsigned role, uint64_t value)
{
    const char *name = names->self->host->enum_name(role_names[role], value);
    if (role == ROLE_PARADIGM && value < 256 && names->paradigms[value] && !names->json) {
        at = put_quoted(o, at, 0, names->paradigms[value]);
        at = put_u64(PUT(at, " <"), value);
        return PUT(at, ">");
    }
    if (name)
        return put_word(o, at, names->json, name);
    if (names->json)
        return put_u64(at, value);
    at = put_u64(PUT(at, "INVALID <"), value);
    return PUT(at, ">");
}

/* Formats the name of a value at its first use and keeps it. NULL: there is no memory for that. */
static struct name *value_name(struct names *names, unsigned role, uint64_t value)
{
    struct output *scratch = &names->scratch;
    if (!names->enumerations[role])
        names->enumerations[role] = calloc(ENUM_VALUES, sizeof **names->enumerations);
    if (!names->enumerations[role])
        return NULL;
    char *end = put_value_name(scratch, scratch->buffer, names, role, value);
    const struct name kept = names_keep(names, scratch->buffer, (size_t)(end - scratch->buffer));
    if (names->out_of_memory)
        return NULL;
    names->enumerations[role][value] = kept;
    return &names->enumerations[role][value];
}

char *put_enumeration(struct output *o, char *at, struct names *names, unsigned role, uint64_t value)
{
    at = room(o, at);
    struct name *name = value < ENUM_VALUES && names->enumerations[role] ? &names->enumerations[role][value] : NULL;
    if (!name || !name->text)
        name = value < ENUM_VALUES ? value_name(names, role, value) : NULL;
    return room(o, name ? put_name(o, at, name) : put_value_name(o, at, names, role, value));
}

/* Formats a set of flags. The framework joins their names by '|', and appends bits without a name as a number. */
static char *format_set(char *at, const char *end, const struct names *names, unsigned role, uint64_t value)
{
    const char *text = names->self->host->enum_name(role_names[role], value);
    int braces = !names->json && value != 0;
    if (!text)
        text = "NONE";
    if (names->json || braces)
        at = PUT_EITHER(names, at, "{", "\"");
    while (*text && end - at > 32) {
        size_t n = strcspn(text, "|");
        if (!names->json && strncmp(text, "0x", 2) == 0)
            at = PUT(at, "INVALID <");
        size_t fits = (size_t)(end - at) - 32;
        at = put_literal(at, text, n < fits ? n : fits);
        if (!names->json && strncmp(text, "0x", 2) == 0)
            *at++ = '>';
        text += n;
        if (*text == '|') {
            at = PUT_EITHER(names, at, ", ", "|");
            text++;
        }
    }
    if (names->json || braces)
        at = PUT_EITHER(names, at, "}", "\"");
    return at;
}

char *put_set(struct output *o, char *at, struct names *names, unsigned role, uint64_t value)
{
    struct set_names *sets = names->sets[role];
    unsigned i = (unsigned)((value * 0x9e3779b97f4a7c15u) >> 61);
    if (!sets && !(sets = names->sets[role] = calloc(1, sizeof *sets))) {
        char text[sizeof sets->text[0]];
        return output_bytes(o, at, text, (size_t)(format_set(text, text + sizeof text, names, role, value) - text));
    }
    if (sets->n[i] == 0 || sets->value[i] != value) {
        char *end = format_set(sets->text[i], sets->text[i] + sizeof sets->text[i], names, role, value);
        sets->value[i] = value;
        sets->n[i] = (size_t)(end - sets->text[i]);
    }
    return output_bytes(o, at, sets->text[i], sets->n[i]);
}
