/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See definition_names.h. */
#include "definition_names.h"
#include "fields.h"

#include <stdlib.h>

int definition_names_init(definition_names *names, const tcf_definitions *defs)
{
    for (uint32_t kind = 0; kind < TCF_REF_KINDS; kind++)
        if (!(names->of[kind] = calloc(defs->ids[kind].n + 1u, sizeof *names->of[kind])))
            return -1;
    return 0;
}

void definition_names_fill(definition_names *names, const tcf_self *self,
                           const char *(*name_of)(void *data, const tcf_definition *d), void *data)
{
    for (uint64_t r = 0; r < self->defs->n_records; r++) {
        const tcf_definition *d = &self->defs->records[r];
        const struct field *id = field_named(&definition_records[d->kind], "self");
        if (!id || !is_reference(id->role))
            continue;
        const uint32_t i = self->host->find(self, (tcf_ref_kind)id->role, field_value(id, d->as.any, 0));
        if (i != TCF_NONE && !names->of[id->role][i])
            names->of[id->role][i] = name_of(data, d);
    }
}

void definition_names_free(definition_names *names)
{
    for (uint32_t kind = 0; kind < TCF_REF_KINDS; kind++)
        free(names->of[kind]);
}

const char *definition_name(const definition_names *names, const tcf_self *self, tcf_ref_kind kind, uint64_t id)
{
    const uint32_t i = self->host->find(self, kind, id);
    return i == TCF_NONE ? NULL : names->of[kind][i];
}

const char *string_of(const tcf_self *self, uint64_t id)
{
    const uint32_t i = self->host->find(self, TCF_REF_STRING, id);
    return i == TCF_NONE ? NULL : self->defs->strings[i];
}

const char *name_in_record(const tcf_self *self, const tcf_definition *d)
{
    const struct field *name = field_named(&definition_records[d->kind], "name");
    if (d->kind == TCF_DEF_STRING)
        return d->as.def_string->string;
    return name && name->role == ROLE_STRING ? string_of(self, field_value(name, d->as.any, 0)) : NULL;
}
