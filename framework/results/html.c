/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Writes the HTML report: one page with everything in it, which can be mailed, archived and opened without a network.
 * The build makes html_page.c (frame, styles, scripts, D3) of framework/results/html/; html_data.c writes the data in
 * between. */
#include "html.h"
#include "framework/base/error.h"
#include "html_data.h"
#include "html_page.h"

#ifdef HAVE_D3

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tcf_status write_page(int file, const char *path, const results *r)
{
    int own = dup(file);
    FILE *out = own >= 0 ? fdopen(own, "w") : NULL;
    tcf_status status = TCF_ERROR;

    if (out) {
        fwrite(html_page_before, 1, html_page_before_bytes, out);
        status = html_data_write(out, r);
        fwrite(html_page_after, 1, html_page_after_bytes, out);
    }
    int bad = !out || ferror(out);
    if ((out ? fclose(out) : close(own)) != 0 || bad)
        return error_fail("cannot write to '%s': %s", path, strerror(errno));
    return status;
}

const char *html_d3_version(void)
{
    return D3_VERSION;
}

#else

const char *html_d3_version(void)
{
    return NULL;
}

#endif

const results_file html_file = {.kind = {.key = "html_report",
                                         .called = "an HTML report",
                                         .like = "HTML report of tcflow",
                                         .start = HTML_PAGE_START,
                                         .start_bytes = sizeof HTML_PAGE_START - 1},
#ifdef HAVE_D3
                                .write = write_page,
#endif
                                .library = "D3",
                                .package = "libjs-d3"};
