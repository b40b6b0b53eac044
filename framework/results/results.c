/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See results.h. */
#include "results.h"
#include "framework/base/error.h"
#include "report_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *results_place(const results_part *part)
{
    return !part->filter ? "framework" : part->survey ? "survey" : "chain";
}

size_t results_count_tables(const results *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        for (const tcf_table *t = r->parts[i].report->first; t; t = t->next)
            n++;
    return n;
}

/* --------------------------------------------------------------------------------------------------------- files -- */

static tcf_status prepare(const results_file *f, const char *path)
{
    return f->prepare ? f->prepare(path) : TCF_OK;
}

tcf_status results_file_check(const results_file *f, const char *path, int overwrite)
{
    if (!f->write)
        return error_usage("%s = %s: this tcflow was built without %s (Debian: %s, then configure and make again); "
                           "'output' and 'format' of each filter give the same tables as text, CSV or JSON",
                           f->kind.key, path, f->library, f->package);
    return output_check_kind(&f->kind, path, overwrite) == TCF_OK ? prepare(f, path) : TCF_ERROR;
}

tcf_status results_file_write(const results_file *f, const char *path, int overwrite, const results *r, char **name)
{
    tcf_output o;
    const char *lies = NULL;

    if (output_open(f->kind.key, path, &o) != TCF_OK)
        return error_while("writing the %s", f->kind.key);
    tcf_status status = prepare(f, o.name) == TCF_OK ? f->write(o.fd, o.name, r) : TCF_ERROR;
    if (status != TCF_OK)
        unlink(o.name);
    else
        lies = o.name;
    if (status == TCF_OK && r->complete && (status = prepare(f, path)) == TCF_OK &&
        (status = output_publish(f->kind.key, &o, overwrite)) == TCF_OK)
        lies = path;
    if (name && lies)
        *name = strdup(lies);
    close(o.fd);
    free(o.name);
    return status == TCF_OK ? TCF_OK : error_while("writing the %s", f->kind.key);
}
