/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The surveys of a pipeline; see the header. */
#include "survey.h"
#include "framework/base/error.h"
#include "framework/causality/match.h"
#include "framework/source/open.h"
#include "framework/trace/learned.h"
#include "framework/trace/source.h"
#include "sinks.h"
#include "stages.h"

#include <stdlib.h>
#include <string.h>

static int is_break(const char *item)
{
    return strcmp(item, SURVEY_BREAK) == 0;
}

/* An instance has one section, so it stands in one place only. */
static tcf_status check_names(const pipeline_conf *conf)
{
    const tcf_list *all = &conf->survey;

    for (uint32_t i = 0; i < all->n; i++) {
        const char *name = all->item[i];
        for (uint32_t k = 0; k < conf->chain.n; k++)
            if (strcmp(name, conf->chain.item[k]) == 0)
                return tcf_usage("[pipeline] '%s' stands in survey and in chain: give one of them a section of its own "
                                 "with filter = %s",
                                 name, name);
        for (uint32_t k = 0; k < i; k++)
            if (!is_break(name) && strcmp(name, all->item[k]) == 0)
                return tcf_usage("[pipeline] survey names '%s' twice: give the second one another name, and a section "
                                 "[NAME] with filter = %s",
                                 name, name);
    }
    return TCF_OK;
}

static pipeline *new_survey(pipeline *p, uint32_t from, uint32_t to)
{
    pipeline *survey = calloc(1, sizeof *survey);
    if (!survey) {
        tcf_fail("out of memory for the survey");
        return NULL;
    }
    *survey = (pipeline){.main = p,
                         .settings = p->settings,
                         .conf = p->conf,
                         .loader = p->loader,
                         .learned = p->learned,
                         .part = {.item = p->conf.survey.item + from, .n = to - from}};
    survey->chain = &survey->part;
    return survey;
}

tcf_status survey_make(pipeline *p)
{
    const tcf_list *all = &p->conf.survey;
    pipeline **last = &p->survey;

    if (all->n == 0)
        return TCF_OK;
    if (p->source ? !p->source->ops->rewind : source_names_stream(p->conf.input))
        return tcf_usage(
            "[pipeline] survey: this input is a stream, which can be read only once. Survey where the stream is "
            "written: what is learned there comes with the stream; or give it by a file");
    if (check_names(&p->conf) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t from = 0, to; from <= all->n; from = to + 1, last = &(*last)->next) {
        for (to = from; to < all->n && !is_break(all->item[to]); to++)
            ;
        if (to == from)
            return tcf_usage("[pipeline] survey: there is no filter %s a " SURVEY_BREAK
                             ", which stands between two surveys",
                             from == 0 ? "in front of" : "behind");
        if (!(*last = new_survey(p, from, to)))
            return TCF_ERROR;
        if (pipeline_make_chain(*last) != TCF_OK)
            return tcf_while("making the survey");
    }
    return TCF_OK;
}

static tcf_status build(pipeline *survey)
{
    survey->source = survey->main->source;
    survey->defs = survey->main->defs;
    return pipeline_build(survey);
}

tcf_status survey_build(pipeline *p)
{
    for (pipeline *survey = p->survey; survey; survey = survey->next) {
        if (build(survey) != TCF_OK)
            return tcf_while("building the survey");
    }
    return TCF_OK;
}

int survey_goes_together(const pipeline *p)
{
    for (const pipeline *survey = p->survey; survey; survey = survey->next)
        if (survey->together)
            return 1;
    return 0;
}

int survey_goes_by_process(const pipeline *p)
{
    for (const pipeline *survey = p->survey; survey; survey = survey->next)
        if (survey->by_process)
            return 1;
    return 0;
}

tcf_status survey_check(pipeline *p)
{
    for (pipeline *survey = p->survey; survey; survey = survey->next)
        if (pipeline_check_chain(survey, survey != p->survey) != TCF_OK)
            return tcf_while("in the survey");
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- running -- */

/* Can it be made anew without a trace of the first time? Whoever has neither a table nor a report for the end may have
 * written something by now. */
static int is_repeatable(const pipeline *survey)
{
    for (uint32_t i = 0; i < survey->n_instances; i++)
        if (!(survey->instances[i].self.needs & (TCF_SURVEYS | TCF_REPORTS)))
            return 0;
    return 1;
}

static int has_given_up(const pipeline *survey)
{
    for (uint32_t k = 0; k < survey->n_stages; k++)
        if (survey->stages[k].kind == STAGE_SEGMENT &&
            exchange_get_counts(segment_exchange(survey->stages[k].segment))->given_up > 0)
            return 1;
    return 0;
}

/* Has it learned from wrong pairs, or not seen edges since it had to give up some? Receives without any send do no harm
 * where nobody had to wait for them. */
static int is_misled(const pipeline *survey, const match_distrusted *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].why == PAIRS_UNKNOWN)
            return 1;
    return n > 0 && has_given_up(survey);
}

/* What a matcher knows from the start it doesn't find again. */
tcf_status survey_judge(pipeline *survey)
{
    pipeline *p = survey->main;
    uint32_t n = 0;

    if (!p || !survey->matcher)
        return TCF_OK;
    match_distrusted *rows = matcher_distrusted(survey->matcher, &n);
    if (n == 0)
        return TCF_OK;
    match_distrusted *all = rows ? realloc(p->distrusted, ((size_t)p->n_distrusted + n) * sizeof *all) : NULL;
    if (all) {
        memcpy(all + p->n_distrusted, rows, n * sizeof *rows);
        p->distrusted = all;
        p->n_distrusted += n;
    }
    survey->to_repeat = rows && !survey->repeated && is_misled(survey, rows, n) && is_repeatable(survey);
    free(rows);
    return all ? TCF_OK : tcf_fail("out of memory for %u channels", n);
}

/* A survey like this one, in its place. */
static tcf_status make_again(pipeline *p)
{
    pipeline *old = p->survey;
    uint32_t from = (uint32_t)(old->part.item - p->conf.survey.item);
    pipeline *survey = new_survey(p, from, from + old->part.n);

    if (!survey)
        return TCF_ERROR;
    survey->next = old->next;
    survey->repeated = 1;
    p->survey = survey;
    p->surveys_repeated++;
    old->next = NULL;
    pipeline_delete(old);
    if (pipeline_make_chain(survey) != TCF_OK || build(survey) != TCF_OK)
        return tcf_while("making the survey again");
    return TCF_OK;
}

static tcf_status go_back(pipeline *p)
{
    return source_rewind(p->source) == TCF_OK ? TCF_OK : tcf_while("going back to the start behind the survey");
}

/* Channels that surveys have found not to be trusted are so for all that follow. */
static tcf_status distrust(pipeline *p, pipeline *known_to)
{
    return known_to->matcher ? matcher_distrust(known_to->matcher, p->distrusted, p->n_distrusted) : TCF_OK;
}

static tcf_status run_survey(pipeline *p)
{
    pipeline *survey = p->survey;

    survey->hooks = p->hooks;
    if (distrust(p, survey) != TCF_OK || pipeline_run_chain(survey) != TCF_OK)
        return tcf_while("in the survey");
    return TCF_OK;
}

static tcf_status run_next(pipeline *p)
{
    if (run_survey(p) != TCF_OK)
        return TCF_ERROR;
    if (p->survey->to_repeat && (go_back(p) != TCF_OK || make_again(p) != TCF_OK || run_survey(p) != TCF_OK))
        return TCF_ERROR;
    pipeline *survey = p->survey;
    if (sinks_keep_reports(survey) != TCF_OK)
        return tcf_while("in the survey");
    p->survey = survey->next;
    survey->next = NULL;
    pipeline_delete(survey);
    return go_back(p);
}

tcf_status survey_run(pipeline *p)
{
    tcf_status status = TCF_OK;

    while (p->survey && status == TCF_OK)
        status = run_next(p);
    return status == TCF_OK ? distrust(p, p) : status;
}
