/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

#include "page.h"
#include "program.h"

#include <private/utf8.h>

#include <string.h>
#include <sys/stat.h>

static const char common_style[] =
#include "tools/shared/page_css.h"
    ;

void page_check(const char *path, bool overwrite)
{
    struct stat st;
    if (!path || strcmp(path, "-") == 0 || lstat(path, &st) != 0)
        return;
    if (S_ISDIR(st.st_mode))
        usage("--html '%s' is a folder", path);
    if (!overwrite)
        usage("--html '%s' exists already; --overwrite allows to replace it", path);
    if (!S_ISREG(st.st_mode))
        usage("--html '%s' is no regular file", path);
}

void page_start(FILE *out, bool scripts)
{
    fprintf(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'%s\">\n"
        "<title>",
        scripts ? "; script-src 'unsafe-inline'" : "");
}

void page_body(FILE *out, const char *style)
{
    fprintf(out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n", common_style, style);
}

void page_text(FILE *out, const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t n = tcf_utf8_bytes(s);
        if (n == 0)
            fputs("&#xfffd;", out);
        else if (*s == '<' || *s == '>' || *s == '&' || *s == '"' || *s == '\'')
            fprintf(out, "&#%d;", *s);
        else if (*s >= 0x20 || *s == '\t' || *s == '\n') /* others are not allowed in HTML */
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
}
