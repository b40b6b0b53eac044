/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See processes.h. All processes take the same steps, and agree behind each of them, so that none waits for one that
 * has failed: begin (the first process first, since it makes the outputs), stream, gather, end. A chain that stays in
 * one domain is run by the first process alone, while the others wait for how it has ended. */
#include "processes.h"
#include "agree.h"
#include "found.h"
#include "pack.h"
#include "reports.h"
#include "survey.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ the same run -- */

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return mix(hash, text ? text : "", strlen(text ? text : "") + 1);
}

static uint64_t hash_settings(const settings *s)
{
    uint64_t hash = mix_text(UINT64_C(0xcbf29ce484222325), PACKAGE_VERSION);

    for (size_t i = 0; i < s->n_sections; i++) {
        const settings_section *section = &s->sections[i];
        hash = mix_text(hash, section->name);
        for (size_t k = 0; k < section->n_entries; k++) {
            const settings_entry *e = &section->entries[k];
            const int is_input = strcmp(section->name, "pipeline") == 0 && strcmp(e->key, "input") == 0;
            hash = is_input ? hash : mix_text(mix_text(hash, e->key), e->value);
        }
    }
    return hash;
}

tcf_status processes_compare(const session *s)
{
    const tcf_definitions *defs = s->defs;
    agree_run mine = {.trace_id = defs->trace_id, .locations = defs->n_locations, .definitions = defs->n_records};

    if (!s->peers)
        return TCF_OK;
    mine.settings = hash_settings(s->settings);
    mine.files = UINT64_C(0xcbf29ce484222325);
    for (uint32_t l = 0; source_can_be_shared(s->source) && l < defs->n_locations; l++) {
        const uint64_t file[2] = {defs->locations[l].id, source_bytes(s->source, l)};
        mine.files = mix(mine.files, file, sizeof file);
        mine.bytes += file[1];
    }
    return agree_on_run(s->peers, &mine);
}

/* --------------------------------------------------------------------------------------------------------- bytes -- */

static void send_pack(const peers *with, uint32_t to, const tcf_pack *pack)
{
    with->send(with->data, to, pack->bytes, pack->n);
}

/* In place of the bytes that the pack has had. */
static void receive_pack(const peers *with, uint32_t from, tcf_pack *pack)
{
    void *bytes;
    uint64_t n;

    with->receive(with->data, from, &bytes, &n);
    free(pack->bytes);
    pack->bytes = bytes;
    pack->n = pack->capacity = n;
    pack->taken = 0;
}

/* What filters of this side have left for those of the other one. for_first: the side is that of the others. */
static void send_left(const pipeline *p, uint32_t to, int for_first)
{
    const peers *with = p->session->peers;

    for (uint32_t i = 0; i < p->n_instances; i++)
        send_pack(with, to, &p->plan->left[i + (for_first ? 0 : p->n_instances)]);
}

static void receive_left(const pipeline *p, uint32_t from, int for_first)
{
    tcf_pack more = {0};

    for (uint32_t i = 0; i < p->n_instances; i++) {
        receive_pack(p->session->peers, from, &more);
        pack_put(&p->plan->left[i + (for_first ? 0 : p->n_instances)], more.bytes, more.n);
    }
    free(more.bytes);
}

/* ---------------------------------------------------------------------------------------------- begin and stream -- */

static tcf_status begin_here(pipeline *p)
{
    return domains_make(p) == TCF_OK ? domains_begin(p) : TCF_ERROR;
}

/* *begun: its domains have begun. */
static tcf_status begin_all(pipeline *p, int *begun)
{
    const peers *with = p->session->peers;
    const int first = peers_am_first(with);

    if (agree(with, first ? begin_here(p) : TCF_OK, 0) != TCF_OK)
        return TCF_ERROR;
    *begun = p->domain != NULL;
    for (uint32_t k = 1; first && k < p->plan->processes; k++)
        send_left(p, k, 0);
    if (!first && p->domain)
        receive_left(p, 0, 0);
    return agree(with, !first && p->domain ? begin_here(p) : TCF_OK, 0);
}

/* Called while this process waits. */
static void idle(void *data)
{
    domains_keep_in_touch(data);
}

/* What a domain says while it runs concerns its own events, so that each process says it. */
static tcf_status stream(pipeline *p)
{
    const peers *with = p->session->peers;
    const tcf_log_level verbosity = error_verbosity;
    tcf_status status = TCF_OK;
    int told = 0;

    with->begin(with->data, p->plan->n, p->plan->process, p->domain ? idle : NULL, p);
    if (p->domain) {
        error_verbosity = with->verbosity;
        status = domains_run(p, &told);
        if (status != TCF_OK)
            domains_stop(p->plan);
    }
    char *why = status != TCF_OK ? strdup(error_text()) : NULL;
    const int is_usage = status != TCF_OK && error_is_usage();
    with->settle(with->data);
    error_verbosity = verbosity;
    if (why) {
        error_fail("%s", why);
        if (is_usage)
            error_as_usage();
    }
    free(why);
    return agree(with, status, told);
}

/* -------------------------------------------------------------------------------------------------------- gather -- */

/* Of a domain. An empty pack says that packing has failed. */
static tcf_status send_found(const pipeline *p, uint64_t unknown)
{
    const peers *with = p->session->peers;
    const tcf_pack nothing = {0};
    tcf_pack pack = {0};
    tcf_status status = TCF_OK;

    found_put(p, unknown, &pack);
    if (pack.out_of_memory)
        status = error_fail("out of memory for what has been found");
    send_pack(with, 0, status == TCF_OK ? &pack : &nothing);
    for (uint32_t i = 0; i < p->n_instances && status == TCF_OK; i++) {
        const unsigned char mark = 1;
        if (!p->instances[i].filter->pack)
            continue;
        status = pack_fill(&pack, &p->instances[i]);
        pack_put(&pack, &mark, 1); /* so that it is not empty */
        send_pack(with, 0, status == TCF_OK && !pack.out_of_memory ? &pack : &nothing);
    }
    free(pack.bytes);
    return status;
}

/* unknown: of the source of the first domain here, before; those of the others are shares, which had none. */
static tcf_status send_all(const pipeline *p, uint64_t unknown)
{
    const domains *d = p->plan;
    tcf_status status = TCF_OK;

    for (uint32_t k = 0; k < d->here && status == TCF_OK; k++)
        status = send_found(d->at[d->first + k].pipeline, k == 0 ? unknown : 0);
    return status;
}

/* All that comes is received, up to an empty pack; *failed: one has come. */
static tcf_status absorb(pipeline *p, uint32_t k, int *failed)
{
    const uint32_t from = p->plan->process[k];
    tcf_pack pack = {0}, found = {0};
    found_part part = {0};
    tcf_status status = TCF_OK;

    receive_pack(p->session->peers, from, &found);
    *failed = found.n == 0;
    if (!*failed)
        status = found_take(p, &p->plan->at[k], &found, &part);
    if (!*failed && status == TCF_OK)
        status = pack_begin(&pack, p, &part.callpaths, &p->plan->at[k]);
    for (uint32_t i = 0; i < p->n_instances && !*failed; i++) {
        if (!p->instances[i].filter->pack)
            continue;
        receive_pack(p->session->peers, from, &pack);
        *failed = pack.n == 0;
        pack.n -= !*failed; /* the mark */
        if (!*failed && status == TCF_OK)
            status = pack_empty(&pack, &p->instances[i]);
    }
    pack_end(&pack);
    free(found.bytes);
    free(part.defs);
    return status;
}

/* In the order of all domains: those of this process are the first ones. A process whose packing has failed, which it
 * says itself, sends nothing of its further domains. */
static tcf_status absorb_all(pipeline *p)
{
    const domains *d = p->plan;
    tcf_status status = TCF_OK;

    for (uint32_t k = 1; k < d->here && status == TCF_OK; k++)
        if (domains_absorb(p, &d->at[k]) != TCF_OK)
            status = error_while("in domain %u of %u", k + 1, d->n);
    for (uint32_t k = d->here, lost = 0; k < d->n; k++) {
        int failed = 0;
        if (d->process[k] == lost)
            continue;
        if (absorb(p, k, &failed) != TCF_OK)
            status = error_while("in domain %u of %u", k + 1, d->n);
        lost = failed ? d->process[k] : lost;
    }
    return status;
}

/* The first process absorbs what the domains have found. */
static tcf_status gather(pipeline *p, uint64_t unknown)
{
    const peers *with = p->session->peers;

    if (!peers_am_first(with))
        return agree(with, p->domain ? send_all(p, unknown) : TCF_OK, 0);
    const tcf_status status = absorb_all(p);
    domains_add_letters(p->plan, p->letters);
    if (status == TCF_OK)
        domains_tell_of_letters(p);
    pipeline_set_changed(p);
    return agree(with, status, 0);
}

/* ----------------------------------------------------------------------------------------------------------- end -- */

/* In the first process. */
static tcf_status finish(pipeline *p)
{
    tcf_status status = pipeline_is_survey(p) ? survey_judge(p) : TCF_OK;

    if (status == TCF_OK && !p->to_repeat) {
        status = pipeline_finish(p);
        if (reports_write(p) != TCF_OK)
            status = TCF_ERROR;
    }
    return status;
}

/* The filters of a run that fails end, those of the first process last. */
static void end_failed(pipeline *p, int begun)
{
    const int split = begun && p->plan && p->plan->n > 1;

    for (uint32_t k = 1; split && peers_am_first(p->session->peers) && k < p->plan->processes; k++)
        receive_left(p, k, 1);
    char *why = strdup(error_text());
    const int is_usage = error_is_usage();
    pipeline_end(p);
    if (split && !peers_am_first(p->session->peers))
        send_left(p, 0, 1);
    error_fail("%s", why ? why : "out of memory");
    if (is_usage)
        error_as_usage();
    free(why);
}

/* What the first process has learned from the survey goes to the others. */
static tcf_status share_survey(pipeline *survey)
{
    const peers *with = survey->session->peers;
    tcf_pack pack = {0};
    tcf_status status;

    if (peers_am_first(with)) {
        status = found_put_survey(survey, &pack);
        for (uint32_t k = 1; k < with->n; k++)
            send_pack(with, k, &pack);
    } else {
        receive_pack(with, 0, &pack);
        status = found_take_survey(survey, &pack);
    }
    free(pack.bytes);
    return agree(with, status, 0);
}

static tcf_status end_all(pipeline *p)
{
    const peers *with = p->session->peers;
    tcf_status status = TCF_OK;

    if (peers_am_first(with)) {
        status = finish(p);
    } else {
        for (uint32_t k = 0; p->domain && k < p->plan->here; k++)
            p->plan->at[p->plan->first + k].pipeline->complete = 1;
        p->complete = 1;
        pipeline_end(p);
    }
    status = agree(with, status, 0);
    if (peers_am_first(with))
        pipeline_end(p);
    return status == TCF_OK && pipeline_is_survey(p) ? share_survey(p) : status;
}

static tcf_status run_split(pipeline *p, int *begun)
{
    const uint64_t unknown = source_unknown_events(p->source);

    if (begin_all(p, begun) != TCF_OK || stream(p) != TCF_OK)
        return TCF_ERROR;
    return gather(p, unknown);
}

static tcf_status run_alone(pipeline *p)
{
    return agree(p->session->peers, peers_am_first(p->session->peers) ? domains_stream(p) : TCF_OK, 0);
}

tcf_status processes_run(pipeline *p)
{
    const int split = p->plan && p->plan->n > 1;
    char text[512];
    int begun = 0;

    domains_describe(p, text, sizeof text);
    if (split)
        error_log(TCF_LOG_INFO, "%s", text);
    const tcf_status status = split ? run_split(p, &begun) : run_alone(p);
    if (status == TCF_OK)
        return end_all(p);
    end_failed(p, begun);
    return TCF_ERROR;
}

void processes_describe(const pipeline *p, FILE *to)
{
    const domains *d = p->plan;
    int any = 0;

    if (!d || d->n == 1)
        return;
    fputs("  in all domains:", to);
    for (uint32_t i = 0; i < p->n_instances; i++)
        fprintf(to, " %s", p->instances[i].self.name);
    fputs("\n  gathered in the first process, behind the last event, where results are made and written:", to);
    for (uint32_t i = 0; i < p->n_instances; i++)
        if (p->instances[i].filter->pack) {
            fprintf(to, " %s", p->instances[i].self.name);
            any = 1;
        }
    fputs(any ? "\n" : " nothing\n", to);
}
