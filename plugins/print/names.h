/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The names of definitions and of values of enumerations as they stand in the output: "main" <3> in text,
 * {"id":3,"name":"main"} in JSON. Each is formatted once. */
#ifndef TCFLOW_PRINT_NAMES_H
#define TCFLOW_PRINT_NAMES_H

#include "../shared/records/fields.h"
#include "../shared/records/output.h"

enum { SETS_KEPT = 8 };

/* A cache of formatted sets of flags. */
struct set_names {
    uint64_t value[SETS_KEPT];
    char text[SETS_KEPT][320]; /* free where n is 0 */
    size_t n[SETS_KEPT];
};

struct names {
    const tcf_self *self;
    int json;
    struct name *of[TCF_REF_KINDS]; /* by index */
    uint32_t n[TCF_REF_KINDS];
    struct name *enumerations[ROLES]; /* by role: 256 names, or NULL before the first use; a name without text has not
                                         been formatted */
    struct set_names *sets[ROLES];    /* by role; NULL before the first use */
    const char *paradigms[256];       /* by value: the name in a PARADIGM definition, or NULL */
    struct name_chunk *chunks;
    struct output scratch; /* room for the longest formatted name */
    int out_of_memory;
};

int names_init(struct names *names, const tcf_self *self, int json);
void names_free(struct names *names);

/* Puts one of two constants, by the format of a printer or of names. */
#define PUT_EITHER(by, at, text, in_json) ((by)->json ? PUT(at, in_json) : PUT(at, text))

/* A copy of a text that put_name() can use. */
struct name names_keep(struct names *names, const char *text, size_t n);
/* Index of an id of the archive, TCF_NONE where nothing defines it. */
uint32_t names_index(const struct names *names, tcf_ref_kind kind, uint64_t id);

/* Puts a reference that is dangling or undefined. */
char *put_unknown(char *at, const struct names *names, tcf_ref_kind kind, uint32_t index);
/* Puts a reference by id, as attribute values and raw definitions hold it. put_id(), put_enumeration() and put_set()
 * ask for room themselves. */
char *put_id(struct output *o, char *at, const struct names *names, tcf_ref_kind kind, uint64_t id);
char *put_enumeration(struct output *o, char *at, struct names *names, unsigned role, uint64_t value);
char *put_set(struct output *o, char *at, struct names *names, unsigned role, uint64_t value);

/* The name of a value, which has no control characters: JSON quotes it. */
static inline char *put_word(struct output *o, char *at, int json, const char *name)
{
    return json ? put_quoted(o, at, 1, name) : output_bytes(o, at, name, strlen(name));
}

static inline char *put_reference(struct output *o, char *at, const struct names *names, unsigned kind, uint32_t index)
{
    if (__builtin_expect(index < names->n[kind], 1))
        return put_name(o, at, &names->of[kind][index]);
    return put_unknown(at, names, (tcf_ref_kind)kind, index);
}

#endif
