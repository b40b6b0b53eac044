/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The names of all definitions, by kind and index. */
#ifndef TCFLOW_RECORDS_DEFINITION_NAMES_H
#define TCFLOW_RECORDS_DEFINITION_NAMES_H

#include <tcflow/filter.h>

/* Owns the arrays; the texts belong to the framework, or to whoever made them. NULL: the definition has no name. */
typedef struct definition_names {
    const char **of[TCF_REF_KINDS];
} definition_names;

/* Makes the arrays, without names. -1: out of memory. */
int definition_names_init(definition_names *names, const tcf_definitions *defs);
/* Gives each definition that has no name yet the one that name_of() returns for its record, or for the first such
 * record with its id. */
void definition_names_fill(definition_names *names, const tcf_self *self,
                           const char *(*name_of)(void *data, const tcf_definition *d), void *data);
void definition_names_free(definition_names *names);
/* The name of the definition with this id in the archive, or NULL. */
const char *definition_name(const definition_names *names, const tcf_self *self, tcf_ref_kind kind, uint64_t id);

/* A string by its id in the archive; NULL: nothing defines it. */
const char *string_of(const tcf_self *self, uint64_t id);
/* What the record has as its `name`; of a string its text. NULL: nothing. */
const char *name_in_record(const tcf_self *self, const tcf_definition *d);

#endif
