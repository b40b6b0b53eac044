/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Writes the HTML report: one page with everything in it, which can be mailed, archived and opened without a network.
 * The build makes html_page.c (frame, styles, scripts, D3) of framework/results/html/; html_data.c writes the data in
 * between. */
#include "html.h"
#include "framework/base/error.h"
#include "framework/base/output.h"
#include "html_data.h"
#include "html_page.h"

#ifdef HAVE_D3

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WHAT "html_report"

static const output_kind kind = {.key = WHAT,
                                 .called = "an HTML report",
                                 .like = "HTML report of tcflow",
                                 .start = HTML_PAGE_START,
                                 .start_bytes = sizeof HTML_PAGE_START - 1};

const char *html_d3_version(void)
{
    return D3_VERSION;
}

tcf_status html_check(const char *path, int overwrite)
{
    return output_check_kind(&kind, path, overwrite);
}

static tcf_status write_page(FILE *out, const results *r)
{
    fwrite(html_page_before, 1, html_page_before_bytes, out);
    if (html_data_write(out, r) != TCF_OK)
        return TCF_ERROR;
    fwrite(html_page_after, 1, html_page_after_bytes, out);
    return TCF_OK;
}

/* Writes everything to the disk. */
static tcf_status flush(FILE *out, const char *path)
{
    if (ferror(out) || fflush(out) != 0)
        return error_fail("cannot write to '%s': %s", path, strerror(errno));
    if (fsync(fileno(out)) != 0 && errno != EINVAL) /* some file systems report a full disk only here */
        return error_fail("cannot write to '%s': %s", path, strerror(errno));
    return TCF_OK;
}

tcf_status html_write(const char *path, int overwrite, const results *r)
{
    tcf_output o;

    if (output_open(WHAT, path, &o) != TCF_OK)
        return error_while("writing the " WHAT);
    FILE *out = fdopen(o.fd, "w");
    tcf_status status = out ? write_page(out, r) : error_fail("cannot write to '%s': %s", o.name, strerror(errno));
    if (status == TCF_OK)
        status = flush(out, o.name);
    if (status != TCF_OK)
        unlink(o.name);
    else if (r->complete)
        status = output_publish(WHAT, &o, overwrite);
    if (out)
        fclose(out);
    else
        close(o.fd);
    free(o.name);
    return status == TCF_OK ? TCF_OK : error_while("writing the " WHAT);
}

#else

const char *html_d3_version(void)
{
    return NULL;
}

tcf_status html_check(const char *path, int overwrite)
{
    (void)overwrite;
    return error_usage("html_report = %s: this tcflow was built without D3 (Debian: libjs-d3, then configure and make "
                       "again); `output` and `format` of each filter give the same tables as text, CSV or JSON",
                       path);
}

tcf_status html_write(const char *path, int overwrite, const results *r)
{
    (void)r;
    return html_check(path, overwrite);
}

#endif
