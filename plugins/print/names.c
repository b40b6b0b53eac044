/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Names of definitions and values; see names.h.
 *
 * Text shows names as otf2-print does, but for control characters, which would break the line: they are escaped as in
 * C. JSON gets valid UTF-8 whatever the archive holds: bytes that are none become U+FFFD. */
#include "names.h"

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

/* Plain names by kind and index while the formatted ones are made; NULL: the definition has none. */
struct plain {
    const char **of[TCF_REF_KINDS];
};

static const char *string_of(const struct names *names, uint64_t id)
{
    uint32_t index = names_index(names, TCF_REF_STRING, id);
    return index == TCF_NONE ? NULL : names->self->defs->strings[index];
}

static const char *plain_of(const struct names *names, const struct plain *plain, tcf_ref_kind kind, uint64_t id)
{
    uint32_t index = names_index(names, kind, id);
    return index == TCF_NONE ? NULL : plain->of[kind][index];
}

/* The texts one behind the other. */
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
    const char *file = string_of(names, d->file);
    char line[32];
    *put_i64(line, (int32_t)d->line_number) = '\0';
    return join(names, (const char *const[]){file ? file : "", ":", line}, 3);
}

static const char *name_of_context(struct names *names, const struct plain *plain, const tcf_def_calling_context *d)
{
    const char *region = plain_of(names, plain, TCF_REF_REGION, d->region);
    const char *source = plain_of(names, plain, TCF_REF_SOURCE_CODE_LOCATION, d->source_code_location);
    if (!region || !source)
        return region;
    return join(names, (const char *const[]){region, "@", source}, 3);
}

static const char *name_of_handle(struct names *names, const struct plain *plain, const tcf_def_io_handle *d)
{
    const char *name = string_of(names, d->name), *file = plain_of(names, plain, TCF_REF_IO_FILE, d->file);
    const char *paradigm = plain_of(names, plain, TCF_REF_IO_PARADIGM, d->io_paradigm);
    if ((name && *name) || !file)
        return name;
    return join(names, (const char *const[]){"[", paradigm ? paradigm : "", "]", file}, 4);
}

static const char *name_of_file(struct names *names, uint32_t string, const char *prefix)
{
    const char *name = string_of(names, string);
    return name ? join(names, (const char *const[]){prefix, name}, 2) : NULL;
}

static const char *name_of_record(struct names *names, const struct plain *plain, const tcf_definition *d)
{
    const struct field *name = field_named(&definition_records[d->kind], "name");
    switch (d->kind) {
    case TCF_DEF_STRING:
        return d->as.def_string->string;
    case TCF_DEF_SOURCE_CODE_LOCATION:
        return name_of_source(names, d->as.def_source_code_location);
    case TCF_DEF_CALLING_CONTEXT:
        return name_of_context(names, plain, d->as.def_calling_context);
    case TCF_DEF_IO_REGULAR_FILE:
        return name_of_file(names, d->as.def_io_regular_file->name, "file://");
    case TCF_DEF_IO_DIRECTORY:
        return name_of_file(names, d->as.def_io_directory->name, "directory://");
    case TCF_DEF_IO_HANDLE:
        return name_of_handle(names, plain, d->as.def_io_handle);
    default:
        return name && name->role == ROLE_STRING ? string_of(names, field_value(name, d->as.any, 0)) : NULL;
    }
}

/* Definitions that names of others are made of come first, whatever their order in the archive. */
static int turn_of(enum tcf_definition_kind kind)
{
    return kind == TCF_DEF_IO_HANDLE || kind == TCF_DEF_CALLING_CONTEXT;
}

static void gather(struct names *names, struct plain *plain)
{
    const tcf_definitions *defs = names->self->defs;
    for (int turn = 0; turn < 2; turn++)
        for (uint64_t r = 0; r < defs->n_records; r++) {
            const tcf_definition *d = &defs->records[r];
            const struct field *self = field_named(&definition_records[d->kind], "self");
            if (turn == 0 && d->kind == TCF_DEF_PARADIGM && !names->paradigms[d->as.def_paradigm->paradigm])
                names->paradigms[d->as.def_paradigm->paradigm] = string_of(names, d->as.def_paradigm->name);
            if (!self || turn_of(d->kind) != turn)
                continue;
            uint32_t index = names_index(names, (tcf_ref_kind)self->role, field_value(self, d->as.any, 0));
            if (index != TCF_NONE && !plain->of[self->role][index]) /* the first definition of an id counts */
                plain->of[self->role][index] = name_of_record(names, plain, d);
        }
}

/* Metrics are called by their id alone. */
static struct name format_name(struct names *names, struct output *scratch, tcf_ref_kind kind, const char *name,
                               uint64_t id)
{
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

/* A buffer that the longest name fits into. */
static int scratch_init(struct output *scratch, const tcf_definitions *defs)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < defs->n_strings; i++) {
        size_t n = strlen(defs->strings[i]);
        longest = n > longest ? n : longest;
    }
    size_t bytes = 6 * (4 * longest + 64) + 2 * ROOM; /* \u0000, and names joined of several */
    *scratch = (struct output){.fd = -1};
    scratch->buffer = scratch->at = malloc(bytes);
    scratch->end = scratch->buffer ? scratch->buffer + bytes : NULL;
    return scratch->buffer ? 0 : -1;
}

int names_init(struct names *names, const tcf_self *self, int json)
{
    const tcf_definitions *defs = self->defs;
    struct plain plain = {{0}};
    struct output scratch = {0};
    int failed = 1;
    *names = (struct names){.self = self, .json = json};
    for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
        uint32_t n = names->n[kind] = defs->ids[kind].n;
        plain.of[kind] = calloc(n + 1u, sizeof *plain.of[kind]);
        names->of[kind] = calloc(n + 1u, sizeof *names->of[kind]);
        if (!plain.of[kind] || !names->of[kind])
            goto done;
    }
    if (scratch_init(&scratch, defs) != 0)
        goto done;
    gather(names, &plain);
    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        for (uint32_t i = 0; i < names->n[kind]; i++)
            names->of[kind][i] =
                format_name(names, &scratch, (tcf_ref_kind)kind, plain.of[kind][i], defs->ids[kind].id[i]);
    failed = names->out_of_memory;
done:
    free(scratch.buffer);
    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        free(plain.of[kind]);
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
    *names = (struct names){0};
}

static char *put_undefined(char *at, const struct names *names)
{
    return names->json ? PUT(at, "null") : PUT(at, "UNDEFINED");
}

static char *put_invalid(char *at, const struct names *names, uint64_t id)
{
    at = names->json ? PUT(at, "{\"id\":") : PUT(at, "INVALID <");
    at = put_u64(at, id);
    return names->json ? PUT(at, ",\"name\":null}") : PUT(at, ">");
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
    if (names->json)
        return name ? put_quoted(o, at, 1, name) : put_u64(at, value);
    if (name)
        return output_bytes(o, at, name, strlen(name));
    at = put_u64(PUT(at, "INVALID <"), value);
    return PUT(at, ">");
}

/* Formats a value once and keeps it. NULL: there is no memory for that. */
static struct name *value_name(struct names *names, unsigned role, uint64_t value)
{
    struct output scratch;
    if (!names->enumerations[role])
        names->enumerations[role] = calloc(ENUM_VALUES, sizeof **names->enumerations);
    if (!names->enumerations[role] || output_init(&scratch, -1) != 0)
        return NULL;
    char *end = put_value_name(&scratch, scratch.buffer, names, role, value);
    const struct name kept = names_keep(names, scratch.buffer, (size_t)(end - scratch.buffer));
    output_free(&scratch);
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

/* The framework joins the names of flags with '|'; bits without a name follow as a number. */
static char *format_set(char *at, const char *end, const struct names *names, unsigned role, uint64_t value)
{
    const char *text = names->self->host->enum_name(role_names[role], value);
    int braces = !names->json && value != 0;
    if (!text)
        text = "NONE";
    if (names->json || braces)
        *at++ = names->json ? '"' : '{';
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
            at = names->json ? PUT(at, "|") : PUT(at, ", ");
            text++;
        }
    }
    if (names->json || braces)
        *at++ = names->json ? '"' : '}';
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
