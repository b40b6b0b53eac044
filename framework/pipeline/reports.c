/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What becomes of reports; see the header. */
#include "reports.h"
#include "framework/results/sinks.h"
#include "run_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reports_count(session *s)
{
    for (const pipeline *p = s->first; p; p = p->next)
        for (uint32_t i = 0; i < p->n_instances; i++) {
            const instance *f = &p->instances[i];
            if (!(f->filter->can & TCF_CAN_REPORT) || !f->reports)
                continue;
            s->n_on_screen += report_is_on_screen(&f->report_conf) != 0;
            s->n_json += report_is_json_on_stdout(&f->report_conf) != 0;
        }
}

static report_screen screen_of(const session *s)
{
    static const session_screen none = {0};
    const session_screen *screen = s->hooks && s->hooks->screen ? s->hooks->screen : &none;
    const int brief = s->conf.text == TEXT_BRIEF || (s->conf.text == TEXT_AUTO && screen->terminal);

    return (report_screen){.rows = s->conf.rows >= 0 ? (size_t)s->conf.rows
                                   : brief           ? 10
                                                     : 50,
                           .brief = brief,
                           .width = screen->width,
                           .colour = screen->colour && brief};
}

/* Where several filters report as text on standard output, a line above names the filter whose tables follow. */
static void show(instance *f)
{
    session *s = f->pipeline->session;
    const char *name = f->self.name, *filter = f->filter->name;
    int alike = strcmp(name, filter) == 0;
    char heading[512];

    if (s->n_json > 1 && report_is_json_on_stdout(&f->report_conf)) {
        fputs(s->n_members++ ? ",\n" : "{\n", stdout);
        report_as_member(f->report);
    }
    if (!report_is_on_screen(&f->report_conf))
        return;
    snprintf(heading, sizeof heading, "%s===== %s%s%s%s =====", s->n_shown ? "\n" : "", name, alike ? "" : " (",
             alike ? "" : filter, alike ? "" : ")");
    if (s->n_shown == 0 && s->hooks && s->hooks->begin_text)
        s->hooks->begin_text(s->hooks->data);
    const report_screen screen = screen_of(s);
    report_on_screen(f->report, &screen, s->n_on_screen > 1 && !f->leads ? heading : NULL);
    s->n_shown++;
}

/* Those that lead, or the others. */
static tcf_status write_those(pipeline *p, int leads)
{
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *f = &p->instances[i];
        if (!f->ended || !f->reports || !f->report || f->leads != leads)
            continue;
        show(f);
        if (report_finish(f->report) != TCF_OK)
            return error_while("writing the report of '%s'", f->self.name);
    }
    return TCF_OK;
}

/* All filters have ended: a report without a reader (| head) costs no other output. */
static tcf_status write_each(pipeline *p)
{
    return write_those(p, 1) == TCF_OK ? write_those(p, 0) : TCF_ERROR;
}

/* ---------------------------------------------------------------------------------------- files with all results -- */

/* A filter without results has no report; one whose report was lost for want of memory has failed the run. */
tcf_status reports_collect(pipeline *survey)
{
    session *s = survey->session;

    if (!sinks_wanted(&s->conf))
        return TCF_OK;
    results_part *collected = realloc(s->collected, (s->n_collected + survey->n_instances) * sizeof *collected);
    if (!collected)
        return error_fail("out of memory for the reports of the survey");
    s->collected = collected;
    for (uint32_t i = 0; i < survey->n_instances; i++) {
        instance *f = &survey->instances[i];
        if (f->report)
            collected[s->n_collected++] = (results_part){f->report, f->filter->name, 1};
        f->report = NULL;
    }
    return TCF_OK;
}

void reports_delete(session *s)
{
    for (uint32_t i = 0; i < s->n_collected; i++)
        report_delete(s->collected[i].report);
    free(s->collected);
}

/* Fills parts[], which has room for all of them. Returns how many they are. */
static size_t collect(const session *s, report *own, results_part *parts)
{
    size_t n = 0;

    parts[n++] = (results_part){.report = own};
    for (uint32_t i = 0; i < s->n_collected; i++)
        parts[n++] = s->collected[i];
    for (uint32_t i = 0; i < s->main->n_instances; i++) {
        const instance *f = &s->main->instances[i];
        if (f->ended && f->report)
            parts[n++] = (results_part){f->report, f->filter->name, 0};
    }
    return n;
}

static tcf_status write_all(session *s)
{
    if (!sinks_wanted(&s->conf))
        return TCF_OK;
    report *own = run_report_new(s);
    if (!own)
        return TCF_ERROR;
    results_part *parts = calloc(1u + s->n_collected + s->main->n_instances, sizeof *parts);
    const size_t n = parts ? collect(s, own, parts) : 0;
    const tcf_status status =
        parts ? sinks_write(&s->conf, &(results){.parts = parts, .n = n, .complete = s->main->complete})
              : error_fail("out of memory for the files with all results");
    free(parts);
    report_delete(own);
    return status;
}

tcf_status reports_write(pipeline *p)
{
    tcf_status status = write_each(p);

    if (!pipeline_is_survey(p) && p->session->n_members > 0)
        fputs("\n}\n", stdout);
    if (!pipeline_is_survey(p) && write_all(p->session) != TCF_OK)
        status = TCF_ERROR;
    return status;
}
