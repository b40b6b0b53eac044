/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The sums of `verify = yes` over events of all kinds: a change of any byte of any field is noticed, unless a filter
 * declares it; what else lies in a record's memory isn't looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "framework/pipeline/verify.h"

typedef struct row {
    uint8_t kind; /* 0: a field of the kind above it */
    size_t at, bytes;
    const char *name;
} row;

#define E(number, NAME, Name, name_, FIELDS) {.kind = number, .name = #name_}, FIELDS
#define F(record, ctype, role, field)                                                                                  \
    {.at = offsetof(tcf_rec, record.field), .bytes = sizeof((tcf_rec *)0)->record.field, .name = #field},
#define N(record)
static const row rows[] = {TCF_EVENT_TABLE(E, F, F, N){.kind = UINT8_MAX}};
#undef E
#undef F
#undef N

static verify_sums sums_of(uint64_t time, uint8_t kind, tcf_rec rec, uint32_t attr)
{
    const tcf_slice s = {.time = &time, .kind = &kind, .rec = &rec, .attr = &attr, .n = 1};
    return verify_sum(&s, 0, 1, 7);
}

/* How a change of `rec` is judged by what a filter declares. */
static int agrees(uint8_t kind, tcf_rec changed, uint32_t writes)
{
    tcf_rec rec;
    memset(&rec, 0x5a, sizeof rec);
    const verify_sums before = sums_of(5, kind, rec, 0), after = sums_of(5, kind, changed, 0);
    return verify_agree(&before, &after, writes);
}

static void records(void **state)
{
    (void)state;
    for (const row *kind = rows; kind->kind != UINT8_MAX;) {
        unsigned char is_field[sizeof(tcf_rec)] = {0};
        const row *field = kind + 1;
        for (; field->kind == 0; field++)
            memset(is_field + field->at, 1, field->bytes);
        for (size_t i = 0; i < sizeof(tcf_rec); i++) {
            tcf_rec changed;
            memset(&changed, 0x5a, sizeof changed);
            ((unsigned char *)&changed)[i] ^= 0x81;
            if (agrees(kind->kind, changed, 0) != !is_field[i])
                fail_msg("%s, byte %zu", kind->name, i);
            assert_true(agrees(kind->kind, changed, TCF_WRITES_REC));
            assert_true(agrees(kind->kind, changed, TCF_WRITES_KIND));
            assert_int_equal(agrees(kind->kind, changed, TCF_WRITES_TIME | TCF_WRITES_ATTR), !is_field[i]);
        }
        kind = field;
    }
}

/* Of a kind that isn't known no record is. */
static void columns(void **state)
{
    static const struct {
        uint64_t time;
        uint8_t kind;
        uint32_t attr, writes;
    } changed[] = {{6, UINT8_MAX, 3, TCF_WRITES_TIME}, {5, 1, 3, TCF_WRITES_KIND}, {5, UINT8_MAX, 4, TCF_WRITES_ATTR}};
    tcf_rec rec = {0};
    const verify_sums before = sums_of(5, UINT8_MAX, rec, 3);

    (void)state;
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        const verify_sums after = sums_of(changed[i].time, changed[i].kind, rec, changed[i].attr);
        assert_false(verify_agree(&before, &after, 0));
        assert_true(verify_agree(&before, &after, changed[i].writes));
    }
    memset(&rec, 1, sizeof rec);
    const verify_sums same = sums_of(5, UINT8_MAX, rec, 3);
    assert_true(verify_agree(&before, &same, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records), cmocka_unit_test(columns)};
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
