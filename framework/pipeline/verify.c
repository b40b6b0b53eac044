/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See verify.h. */
#include "verify.h"

#include <string.h>

static inline uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static inline uint64_t mix_field(uint64_t h, const void *field, size_t bytes)
{
    uint64_t value = 0;
    const unsigned char *at = field;
    for (; bytes > sizeof value; at += sizeof value, bytes -= sizeof value) {
        memcpy(&value, at, sizeof value);
        h = mix(h, value);
    }
    value = 0;
    memcpy(&value, at, bytes);
    return mix(h, value);
}

/* Field by field: what else a record's bytes hold, padding and larger kinds, was never written. */
static uint64_t mix_record(uint64_t h, uint8_t kind, const tcf_rec *r)
{
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_##NAME:                                                                                                   \
        FIELDS                                                                                                         \
        break;
#define FIELD(record, ctype, role, field) h = mix_field(h, &r->record.field, sizeof r->record.field);
#define FIELD_NONE(record)
    switch (kind) {
        TCF_EVENT_TABLE(E, FIELD, FIELD, FIELD_NONE)
    default:
        break;
    }
#undef E
#undef FIELD
#undef FIELD_NONE
    return h;
}

verify_sums verify_sum(const tcf_slice *s, uint32_t from, uint32_t to, uint64_t base)
{
    verify_sums sum = {0, 0, 0, 0};
    for (uint32_t i = from; i < to; i++) {
        const uint64_t at = mix(0, base + i + 1);
        sum.time += mix(at, s->time[i]);
        sum.kind += mix(at, s->kind[i]);
        sum.rec += mix_record(at, s->kind[i], &s->rec[i]);
        sum.attr += mix(at, s->attr[i]);
    }
    return sum;
}

/* Who changes kinds may write the records, too. */
int verify_agree(const verify_sums *a, const verify_sums *b, uint32_t writes)
{
    return (a->time == b->time || writes & TCF_WRITES_TIME) && (a->kind == b->kind || writes & TCF_WRITES_KIND) &&
           (a->rec == b->rec || writes & (TCF_WRITES_REC | TCF_WRITES_KIND)) &&
           (a->attr == b->attr || writes & TCF_WRITES_ATTR);
}

static void add(verify_sums *to, const verify_sums *sums)
{
    to->time += sums->time;
    to->kind += sums->kind;
    to->rec += sums->rec;
    to->attr += sums->attr;
}

static void subtract(verify_sums *from, const verify_sums *sums)
{
    from->time -= sums->time;
    from->kind -= sums->kind;
    from->rec -= sums->rec;
    from->attr -= sums->attr;
}

verify_sums verify_enter(verify_lane *lane, const tcf_slice *s, uint32_t from, uint32_t to)
{
    if (lane->left == 0) {
        lane->left = s->n - from;
        lane->rest = verify_sum(s, from, s->n, lane->base);
    }
    verify_sums sums = verify_sum(s, from, to, lane->base);
    subtract(&lane->rest, &sums);
    return sums;
}

void verify_leave(verify_lane *lane, const verify_sums *sums, uint32_t events)
{
    add(&lane->passed, sums);
    lane->left -= events;
}

int verify_out(verify_lane *lane, const tcf_slice *s)
{
    static const verify_sums nothing;
    verify_sums sums = verify_sum(s, 0, s->n, lane->base);
    int good = verify_agree(&sums, &lane->passed, 0) && (lane->left > 0 || verify_agree(&lane->rest, &nothing, 0));
    lane->base = lane->left > 0 ? lane->base + s->n : 0;
    lane->passed = nothing;
    return good;
}
