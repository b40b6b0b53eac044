/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Surveys; see the header. */
#include "survey.h"
#include "framework/source/open.h"
#include "framework/trace/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_break(const char *item)
{
    return strcmp(item, SURVEY_BREAK) == 0;
}

/* An instance has one section, so its name stands once in survey and chain together. */
static tcf_status check_names(const pipeline_conf *conf)
{
    const tcf_list *all = &conf->survey;

    for (uint32_t i = 0; i < all->n; i++) {
        const char *name = all->item[i];
        for (uint32_t k = 0; k < conf->chain.n; k++)
            if (strcmp(name, conf->chain.item[k]) == 0)
                return error_usage(
                    "[pipeline] '%s' stands in survey and in chain: give one of them a section of its own "
                    "with filter = %s",
                    name, name);
        for (uint32_t k = 0; k < i; k++)
            if (!is_break(name) && strcmp(name, all->item[k]) == 0)
                return error_usage(
                    "[pipeline] survey names '%s' twice: give the second one another name, and a section "
                    "[NAME] with filter = %s",
                    name, name);
    }
    return TCF_OK;
}

tcf_status survey_make(session *s)
{
    const tcf_list *all = &s->conf.survey;
    pipeline **last = &s->first;

    if (all->n == 0)
        return TCF_OK;
    if (s->source ? !s->source->ops->rewind : source_names_stream(s->conf.input))
        return error_usage(
            "[pipeline] survey: this input is a stream, which can be read only once. Survey where the stream is "
            "written: what is learned there comes with the stream; or give it by a file");
    if (check_names(&s->conf) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t from = 0, to; from <= all->n; from = to + 1) {
        for (to = from; to < all->n && !is_break(all->item[to]); to++)
            ;
        if (to == from)
            return error_usage("[pipeline] survey: there is no filter %s a " SURVEY_BREAK
                               ", which stands between two surveys",
                               from == 0 ? "in front of" : "behind");
        pipeline *p = pipeline_new(s, (tcf_list){.item = all->item + from, .n = to - from});
        if (!p)
            return TCF_ERROR;
        p->next = s->main;
        *last = p;
        last = &p->next;
    }
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- running -- */

/* A survey can be repeated if each of its filters acts at its end only: by a learned table, or by a report. */
static int is_repeatable(const pipeline *survey)
{
    for (uint32_t i = 0; i < survey->n_instances; i++)
        if (!(survey->instances[i].self.can & (TCF_CAN_SURVEY | TCF_CAN_REPORT)))
            return 0;
    return 1;
}

static int has_given_up(const pipeline *survey)
{
    uint32_t k = 0;
    const exchange_counts *x;

    while ((x = pipeline_next_counts(survey, &k)))
        if (x->given_up > 0)
            return 1;
    return 0;
}

/* Has the survey learned from wrong pairs, or missed edges since events went on as unmatched? Receives without any send
 * do no harm where no event had to wait for them. */
static int is_misled(const pipeline *survey, const match_distrusted *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].why == PAIRS_UNKNOWN)
            return 1;
    return n > 0 && has_given_up(survey);
}

/* The operations whose collectives of 0 bytes carry no data. Implementations let members return from these at once, so
 * nobody waits for anybody. Some measurement systems write 0 for all sizes: 0 means no data only where the archive has
 * other sizes for collectives, and no collective of the operation has sizes on some of its members alone. */
static uint32_t find_empty_ops(const pipeline *survey)
{
    uint32_t with = 0, without = 0, partly = 0, k = 0;
    const exchange_counts *x;

    while ((x = pipeline_next_counts(survey, &k))) {
        with |= x->ops_with_data;
        without |= x->ops_without_data;
        partly |= x->ops_partly;
    }
    return with ? without & ~partly : 0;
}

/* A matcher which distrusts a channel from the start doesn't return it again, and collectives that bind nobody from the
 * start are not found again. */
tcf_status survey_judge(pipeline *survey)
{
    session *s = survey->session;
    uint32_t n = 0;

    if (!survey->matcher)
        return TCF_OK;
    const uint32_t released = find_empty_ops(survey);
    s->released_ops |= released;
    survey->to_repeat = released && !survey->repeated && is_repeatable(survey);
    match_distrusted *rows = matcher_distrusted(survey->matcher, &n);
    if (n == 0)
        return TCF_OK;
    match_distrusted *all = rows ? realloc(s->distrusted, ((size_t)s->n_distrusted + n) * sizeof *all) : NULL;
    if (all) {
        memcpy(all + s->n_distrusted, rows, n * sizeof *rows);
        s->distrusted = all;
        s->n_distrusted += n;
    }
    survey->to_repeat |= rows && !survey->repeated && is_misled(survey, rows, n) && is_repeatable(survey);
    free(rows);
    return all ? TCF_OK : error_fail("out of memory for %u channels", n);
}

tcf_status survey_make_again(session *s)
{
    pipeline *old = s->first, *survey = pipeline_new(s, old->chain);

    if (!survey)
        return TCF_ERROR;
    survey->next = old->next;
    survey->repeated = 1;
    s->first = survey;
    s->surveys_repeated++;
    pipeline_delete(old);
    return pipeline_make_chain(survey);
}

/* ------------------------------------------------------------------------------------------------- handing it on -- */

/* The property of an archive that names the operations of find_empty_ops(), as "BCAST REDUCE": for runs over what this
 * one writes. */
static const char empty_ops[] = "TCFLOW::COLLECTIVES_WITHOUT_DATA";

static int has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return 1;
    return 0;
}

uint32_t survey_stated_ops(const tcf_definitions *defs)
{
    uint32_t ops = 0;

    for (uint32_t i = 0; i < defs->n_properties; i++)
        for (uint32_t op = 0; strcmp(defs->properties[i].name, empty_ops) == 0 && op < 32; op++) {
            const char *name = otf2_enum_name("COLLECTIVE_OP", op);
            if (name && has_word(defs->properties[i].value, name))
                ops |= UINT32_C(1) << op;
        }
    return ops;
}

static tcf_status state_ops(pipeline *p, uint32_t ops)
{
    char text[1024] = "";
    size_t n = 0;

    for (uint32_t op = 0; op < 32; op++) {
        const char *name = ops >> op & 1 ? otf2_enum_name("COLLECTIVE_OP", op) : NULL;
        if (name)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n > 0 ? " " : "", name);
    }
    return n > 0 ? pipeline_set_property(p, empty_ops, text) : TCF_OK;
}

tcf_status survey_hand_on(pipeline *p)
{
    const session *s = p->session;

    if (state_ops(p, s->released_ops) != TCF_OK)
        return TCF_ERROR;
    if (!p->matcher)
        return TCF_OK;
    matcher_release_empty(p->matcher, s->released_ops);
    return matcher_distrust(p->matcher, s->distrusted, s->n_distrusted);
}
