/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* <private/utf8.h> and <private/terminal.h>: every character there is, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <private/terminal.h>

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

/* Which characters a terminal doesn't get, by their categories in Unicode: Cc, Zl, Zp, and Bidi_Control. */
static void what_terminals_obey(void **state)
{
    static const uint32_t others[] = {0x61c,  0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
                                      0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069};
    static const uint32_t end[] = {0, 0x80, 0x800, 0x10000, 0x110000};
    unsigned char s[8];
    uint32_t bad;

    (void)state;
    for (size_t n = 1; n <= 4; n++)
        for (uint32_t code = n == 1 ? 1 : end[n - 1]; code < end[n]; code++) {
            int obeyed = code < 0x20 || (code >= 0x7f && code < 0xa0);
            for (size_t i = 0; i < sizeof others / sizeof *others; i++)
                obeyed |= code == others[i];
            if (code >= 0xd800 && code < 0xe000)
                continue;
            put(s, code, n);
            if (tcf_terminal_next((const char *)s, &bad) != n || bad != (obeyed ? code : 0))
                fail_msg("U+%04X: %X", (unsigned)code, (unsigned)bad);
        }
    assert_int_equal(tcf_terminal_next("\xff", &bad), 1);
    assert_int_equal(bad, TCF_NO_CHARACTER + 0xff);
    assert_int_equal(tcf_terminal_columns("a\xc3\xa9\xff\x1b\xe2\x80\xae"), 5);
}

static void what_terminals_get(void **state)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    (void)state;
    assert_non_null(out);
    tcf_terminal_put(out, "a\xc3\xa9\xff\x1b[0m\n\xc2\x9b\xe2\x80\xae\xe2\x80", "");
    tcf_terminal_put(out, "|\n\t\r", "\n\t");
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "a\xc3\xa9??[0m?"
                              "??"
                              "??|\n\t?");
    free(text);
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
        cmocka_unit_test(what_terminals_obey),
        cmocka_unit_test(what_terminals_get),
        cmocka_unit_test(what_is_cut_short),
        cmocka_unit_test(bytes_that_begin_nothing),
    };
    return cmocka_run_group_tests_name("UTF-8", tests, NULL, NULL);
}
