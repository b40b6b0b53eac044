/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The files that get all results of a run. A new kind of them is a row in the table below: its key in [pipeline], what
 * checks its name and what writes it. */
#include "sinks.h"
#include "facts.h"
#include "framework/results/database.h"
#include "framework/results/html.h"
#include "framework/results/report_tables.h"

#include <stdlib.h>
#include <string.h>

typedef struct sink {
    const char *key;
    size_t path; /* offset in pipeline_conf */
    tcf_status (*check)(const char *path, int overwrite);
    tcf_status (*write)(const char *path, int overwrite, const results *r);
} sink;

static const sink sinks[] = {
    {"database", offsetof(pipeline_conf, database), database_check, database_write},
    {"html_report", offsetof(pipeline_conf, html_report), html_check, html_write},
};

/* NULL: it isn't wanted. */
static const char *path_of(const sink *s, const pipeline_conf *conf)
{
    const char *path;
    memcpy(&path, (const char *)conf + s->path, sizeof path);
    return path && *path ? path : NULL;
}

static int any_wanted(const pipeline_conf *conf)
{
    for (size_t i = 0; i < TCF_COUNT(sinks); i++)
        if (path_of(&sinks[i], conf))
            return 1;
    return 0;
}

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
                return tcf_usage("%s and %s cannot both be '%s'", sinks[k].key, sinks[i].key, path);
        }
        if (sinks[i].check(path, conf->overwrite) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

tcf_status sinks_check_output(const pipeline_conf *conf, const char *output)
{
    for (size_t i = 0; i < TCF_COUNT(sinks); i++) {
        const char *path = path_of(&sinks[i], conf);
        if (path && output && strcmp(output, path) == 0)
            return tcf_usage("output '%s' is the %s of [pipeline], too; that has the tables of all reports anyway",
                             output, sinks[i].key);
    }
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------- collecting -- */

/* A filter without results has no report; one whose report was lost for want of memory has failed the run. */
tcf_status sinks_keep_reports(pipeline *survey)
{
    pipeline *p = survey->main;

    if (!any_wanted(&p->conf))
        return TCF_OK;
    results_part *kept = realloc(p->kept, (p->n_kept + survey->n_instances) * sizeof *kept);
    if (!kept)
        return tcf_fail("out of memory for the reports of the survey");
    p->kept = kept;
    for (uint32_t i = 0; i < survey->n_instances; i++) {
        instance *f = &survey->instances[i];
        if (f->report)
            p->kept[p->n_kept++] = (results_part){f->report, f->filter->name, 1};
        f->report = NULL;
    }
    return TCF_OK;
}

void sinks_delete_kept(pipeline *p)
{
    for (uint32_t i = 0; i < p->n_kept; i++)
        report_delete(p->kept[i].report);
    free(p->kept);
}

/* Fills parts[], which has room for all of them. */
static tcf_status collect(const pipeline *p, report *own, results_part *parts, size_t *n)
{
    parts[(*n)++] = (results_part){.report = own};
    for (uint32_t i = 0; i < p->n_kept; i++)
        parts[(*n)++] = p->kept[i];
    for (uint32_t i = 0; i < p->n_instances; i++) {
        const instance *f = &p->instances[i];
        if (f->report_lost)
            return tcf_fail("out of memory for the report of '%s'", f->self.name);
        if (f->ended && f->report)
            parts[(*n)++] = (results_part){f->report, f->filter->name, 0};
    }
    return TCF_OK;
}

static tcf_status write_all(const pipeline *p, const results *r)
{
    tcf_status status = TCF_OK;

    for (size_t i = 0; i < TCF_COUNT(sinks); i++) {
        const char *path = path_of(&sinks[i], &p->conf);
        if (path && sinks[i].write(path, p->conf.overwrite, r) != TCF_OK)
            status = TCF_ERROR;
    }
    return status;
}

tcf_status sinks_write(pipeline *p)
{
    if (p->main || !any_wanted(&p->conf))
        return TCF_OK;
    report *own = facts_new(p);
    results_part *parts = own ? calloc(1u + p->n_kept + p->n_instances, sizeof *parts) : NULL;
    size_t n = 0;
    tcf_status status = TCF_ERROR;
    if (own)
        status = parts ? collect(p, own, parts, &n) : tcf_fail("out of memory for the files with all results");
    if (status == TCF_OK)
        status = write_all(p, &(results){.parts = parts, .n = n, .complete = p->complete});
    free(parts);
    report_delete(own);
    return status;
}
