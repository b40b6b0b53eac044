/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What events refer to and no definition defines. */
#include "check.h"

#include <private/roles.h>
#include <tcflow/definitions.h>

static void note_dangling(struct check *c, uint32_t kind, int refers, uint32_t index)
{
    if (refers >= 0 && !tcf_defined(index) && index != TCF_NONE)
        c->dangling[kind][refers]++;
}

void check_references(struct check *c, const tcf_slice *s, uint32_t i)
{
    uint32_t kind = s->kind[i];
    uint64_t length = 0;
    switch (kind) {
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case number: {                                                                                                     \
        const tcf_ev_##name *r = &s->rec[i].name;                                                                      \
        (void)r;                                                                                                       \
        FIELDS                                                                                                         \
        break;                                                                                                         \
    }
#define F(record, ctype, role, field)                                                                                  \
    note_dangling(c, kind, ROLE_##role, (uint32_t)r->field);                                                           \
    length = (uint64_t)r->field;
#define A(record, ctype, role, field)                                                                                  \
    for (uint64_t k = 0; ROLE_##role >= 0 && k < length; k++)                                                          \
        note_dangling(c, kind, ROLE_##role, ((const uint32_t *)tcf_at(s, r->field))[k]);
#define N(record)
        TCF_EVENT_TABLE(E, F, A, N)
#undef E
#undef F
#undef A
#undef N
    default:
        break;
    }
    (void)length;
}

void check_attributes(tcf_self *self, const tcf_attributes *a)
{
    struct check *c = self->state;
    for (uint32_t k = 0; k < a->n; k++) {
        note_dangling(c, 0, TCF_REF_ATTRIBUTE, a->at[k].attribute);
        int refers = tcf_ref_of_type(a->at[k].type);
        uint64_t undefined = refers == TCF_REF_LOCATION ? UINT64_MAX : UINT32_MAX;
        /* References of attribute values are ids of the archive. */
        if (refers >= 0 && a->at[k].value != undefined &&
            self->host->find(self, (tcf_ref_kind)refers, a->at[k].value) == TCF_NONE)
            c->dangling[0][refers]++;
    }
}

uint8_t any_dangling(const tcf_definitions *defs)
{
    uint32_t any = 0;
    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        any |= defs->ids[kind].n_dangling;
    return any != 0;
}
