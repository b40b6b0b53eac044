/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* <private/utf8.h>: every character there is, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include <private/utf8.h>

/* A number in the form of n bytes, whether it is a character or could be shorter. */
static void put(unsigned char *to, uint32_t code, size_t n)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    memset(to, 0, 8);
    for (size_t i = n; i-- > 1; code >>= 6)
        to[i] = (unsigned char)(0x80 | (code & 0x3f));
    to[0] = (unsigned char)(lead[n] | code);
}

static void every_number(void **state)
{
    static const uint32_t end[] = {0, 0x80, 0x800, 0x10000, 0x200000};
    unsigned char s[8];

    (void)state;
    for (size_t n = 1; n <= 4; n++)
        for (uint32_t code = 0; code < end[n]; code++) {
            const int is_one = code >= end[n - 1] && code <= 0x10ffff && (code < 0xd800 || code >= 0xe000);
            put(s, code, n);
            if (tcf_utf8_bytes(s) != (n == 1 || is_one ? n : 0))
                fail_msg("U+%04X in %zu bytes: %zu", (unsigned)code, n, tcf_utf8_bytes(s));
        }
}

static void what_is_cut_short(void **state)
{
    static const uint32_t some[] = {0, 0, 0xe9, 0x20ac, 0x1f600};
    unsigned char s[8];

    (void)state;
    for (size_t n = 2; n <= 4; n++)
        for (size_t i = 1; i < n; i++) {
            put(s, some[n], n);
            s[i] = '\0';
            assert_int_equal(tcf_utf8_bytes(s), 0);
            s[i] = 'a';
            assert_int_equal(tcf_utf8_bytes(s), 0);
            s[i] = 0xc3;
            assert_int_equal(tcf_utf8_bytes(s), 0);
        }
}

static void bytes_that_begin_nothing(void **state)
{
    unsigned char s[8] = {0, 0x80, 0x80, 0x80, 0x80};

    (void)state;
    for (unsigned lead = 0x80; lead < 0x100; lead++) {
        s[0] = (unsigned char)lead;
        if (lead < 0xc2 || lead > 0xf4)
            assert_int_equal(tcf_utf8_bytes(s), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number),
        cmocka_unit_test(what_is_cut_short),
        cmocka_unit_test(bytes_that_begin_nothing),
    };
    return cmocka_run_group_tests_name("UTF-8", tests, NULL, NULL);
}
