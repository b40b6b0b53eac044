/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The files with all results of a run. A new kind is a row in the table below; the page comes behind the database of
 * which it is made. */
#include "sinks.h"
#include "database.h"
#include "framework/base/error.h"
#include "page.h"

#include <stdlib.h>
#include <string.h>

static const struct sink {
    const results_file *file;
    size_t path; /* offset in pipeline_conf */
} sinks[] = {
    {&database_file, offsetof(pipeline_conf, database)},
    {&page_file, offsetof(pipeline_conf, html_report)},
};

/* NULL: the file isn't wanted. */
static const char *path_of(const struct sink *s, const pipeline_conf *conf)
{
    const char *path;
    memcpy(&path, (const char *)conf + s->path, sizeof path);
    return path && *path ? path : NULL;
}

int sinks_wanted(const pipeline_conf *conf)
{
    for (size_t i = 0; i < TCF_COUNT(sinks); i++)
        if (path_of(&sinks[i], conf))
            return 1;
    return 0;
}

/* -------------------------------------------------------------------------------------------------------- checks -- */

tcf_status sinks_check(const pipeline_conf *conf)
{
    for (size_t i = 0; i < TCF_COUNT(sinks); i++) {
        const char *path = path_of(&sinks[i], conf);
        if (!path)
            continue;
        for (size_t k = 0; k < i; k++) {
            const char *other = path_of(&sinks[k], conf);
            if (other && strcmp(other, path) == 0)
                return error_usage("%s and %s cannot both be '%s'", sinks[k].file->kind.key, sinks[i].file->kind.key,
                                   path);
        }
        if (results_file_check(sinks[i].file, path, conf->overwrite) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

tcf_status sinks_check_output(const pipeline_conf *conf, const char *output)
{
    for (size_t i = 0; i < TCF_COUNT(sinks); i++) {
        const char *path = path_of(&sinks[i], conf);
        if (path && output && strcmp(output, path) == 0)
            return error_usage("output '%s' is also the %s of [pipeline], which has the tables of all reports anyway",
                               output, sinks[i].file->kind.key);
    }
    return TCF_OK;
}

tcf_status sinks_write(const pipeline_conf *conf, results *r)
{
    tcf_status status = TCF_OK;
    char *database = NULL;

    for (size_t i = 0; i < TCF_COUNT(sinks); i++) {
        const char *path = path_of(&sinks[i], conf);
        if (!path)
            continue;
        char **name = sinks[i].file == &database_file ? &database : NULL;
        if (results_file_write(sinks[i].file, path, conf->overwrite, r, name) != TCF_OK)
            status = TCF_ERROR;
        else
            error_say_at_end("wrote %s", path);
        r->database = database;
    }
    free(database);
    r->database = NULL;
    return status;
}
