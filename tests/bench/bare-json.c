/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* bare-json FILE: parses a file of JSON with yajl, by callbacks that do nothing. The least that a program takes which
 * sees each value by yajl, with the settings and pieces of the reader `chrome`. */
#include <stdio.h>
#include <yajl/yajl_parse.h>

static int on_nothing(void *user)
{
    (void)user;
    return 1;
}

static int on_boolean(void *user, int value)
{
    (void)user, (void)value;
    return 1;
}

static int on_number(void *user, const char *text, size_t n)
{
    (void)user, (void)text, (void)n;
    return 1;
}

static int on_text(void *user, const unsigned char *text, size_t n)
{
    (void)user, (void)text, (void)n;
    return 1;
}

static const yajl_callbacks callbacks = {.yajl_null = on_nothing,
                                         .yajl_boolean = on_boolean,
                                         .yajl_number = on_number,
                                         .yajl_string = on_text,
                                         .yajl_start_map = on_nothing,
                                         .yajl_map_key = on_text,
                                         .yajl_end_map = on_nothing,
                                         .yajl_start_array = on_nothing,
                                         .yajl_end_array = on_nothing};

int main(int argc, char **argv)
{
    static unsigned char bytes[64 << 10];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    yajl_handle parser = yajl_alloc(&callbacks, NULL, NULL);
    size_t n;

    if (!file || !parser) {
        fprintf(stderr, "usage: bare-json FILE\n");
        return 2;
    }
    yajl_config(parser, yajl_dont_validate_strings, 1);
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
        if (yajl_parse(parser, bytes, n) != yajl_status_ok)
            break;
    const int whole = n == 0 && !ferror(file) && yajl_complete_parse(parser) == yajl_status_ok;
    fclose(file);
    yajl_free(parser);
    return whole ? 0 : 1;
}
