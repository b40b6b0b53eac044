/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See found.h. Both ends are the same program with the same settings and definitions, so that plain structs travel.
 * What is added here is what absorb() of domains.c adds, where domains share memory. */
#include "found.h"
#include "framework/base/resources.h"
#include "pack.h"

#include <stdlib.h>
#include <string.h>

typedef struct numbers {
    uint64_t events, memory, released_early, unknown, messages, peak_bytes;
    letter_counts letters;
    double seconds, cpu_seconds;
} numbers;

static void put_text(tcf_pack *pack, const char *text)
{
    const uint32_t n = (uint32_t)strlen(text) + 1;

    pack_put(pack, &n, sizeof n);
    pack_put(pack, text, n);
}

/* `bytes` bytes of the pack, where they lie; NULL: it has less. */
static const void *take_bytes(tcf_pack *pack, uint64_t bytes)
{
    if (pack->took_too_much || bytes > pack->n - pack->taken) {
        pack->took_too_much = 1;
        return NULL;
    }
    pack->taken += bytes;
    return pack->bytes + (pack->taken - bytes);
}

/* NULL: there is none. */
static const char *take_text(tcf_pack *pack)
{
    uint32_t n = 0;

    pack_take(pack, &n, sizeof n);
    const char *text = n > 0 ? take_bytes(pack, n) : NULL;
    return text && text[n - 1] == '\0' ? text : NULL;
}

/* Arrays begin at multiples of 8, as the bytes of the pack do. */
static void put_array(tcf_pack *pack, const void *array, uint64_t n, size_t element)
{
    static const unsigned char zeros[8];

    pack_put(pack, &n, sizeof n);
    pack_put(pack, zeros, -pack->n & 7);
    pack_put(pack, array, n * element);
}

static const void *take_array(tcf_pack *pack, uint64_t *n, size_t element)
{
    *n = 0;
    pack_take(pack, n, sizeof *n);
    take_bytes(pack, -pack->taken & 7);
    const void *array = *n <= pack->n / element ? take_bytes(pack, *n * element) : NULL;
    pack->took_too_much |= !array;
    *n = array ? *n : 0;
    return array;
}

/* ------------------------------------------------------------------------------------------- call paths -- */

static void put_part(const pipeline *p, tcf_pack *pack)
{
    callpaths_part c = {0};

    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        put_array(pack, p->defs->ids[kind].dangling, p->defs->ids[kind].n_dangling, sizeof(uint64_t));
    if (p->callpaths)
        c = callpaths_as_part(p->callpaths);
    put_array(pack, c.nodes, c.n, sizeof *c.nodes);
    pack_put(pack, &c.overflow, sizeof c.overflow);
}

static tcf_status take_part(tcf_pack *pack, found_part *part)
{
    uint64_t n;

    *part = (found_part){.defs = calloc(1, sizeof *part->defs)};
    if (!part->defs)
        return error_fail("out of memory");
    for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
        part->defs->v.ids[kind].dangling = take_array(pack, &n, sizeof(uint64_t));
        part->defs->v.ids[kind].n_dangling = (uint32_t)n;
    }
    part->callpaths.nodes = take_array(pack, &n, sizeof *part->callpaths.nodes);
    part->callpaths.n = (uint32_t)n;
    part->callpaths.defs = &part->defs->v;
    pack_take(pack, &part->callpaths.overflow, sizeof part->callpaths.overflow);
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------- what passed -- */

static void put_numbers(const pipeline *p, uint64_t unknown, tcf_pack *pack)
{
    const letters *x = p->letters;
    const peers *with = p->session->peers;
    uint64_t messages = 0, decisions;

    if (x && !domain_is_further_here(p))
        with->counts(with->data, &messages, &decisions);
    const numbers n = {.events = p->n_events,
                       .memory = p->memory,
                       .released_early = p->released_early,
                       .unknown = source_unknown_events(p->source) - unknown,
                       .letters = x ? x->counts : (letter_counts){0},
                       .messages = messages,
                       .peak_bytes = peak_bytes(),
                       .seconds = p->domain->facts->seconds,
                       .cpu_seconds = now_cpu_seconds()};
    pack_put(pack, &n, sizeof n);
}

static void take_numbers(pipeline *p, domain *x, tcf_pack *pack)
{
    session *s = p->session;
    numbers n;

    pack_take(pack, &n, sizeof n);
    p->n_events += n.events;
    p->memory += n.memory;
    p->released_early += n.released_early;
    source_add_unknown(p->source, n.unknown);
    letters_add_counts(&p->plan->letters, &n.letters);
    p->plan->n_messages += n.messages;
    x->facts->events = n.events;
    x->facts->seconds = n.seconds;
    s->elsewhere[p->plan->process[x->number]] = (struct process_use){n.peak_bytes, n.cpu_seconds};
}

static void put_locations(const pipeline *p, tcf_pack *pack)
{
    const uint32_t none = TCF_NONE;

    for (uint32_t l = 0; l < p->defs->n_locations; l++) {
        if (!domain_has(p->domain, l))
            continue;
        pack_put(pack, &l, sizeof l);
        pack_put(pack, p->ends[l], sizeof p->ends[l]);
    }
    pack_put(pack, &none, sizeof none);
    for (uint32_t i = 0; i < p->n_instances; i++) {
        const instance *f = &p->instances[i];
        pack_put(pack, &f->drops, sizeof f->drops);
        if (f->altered)
            pack_put(pack, f->altered, p->defs->n_locations);
    }
}

static void take_locations(pipeline *p, tcf_pack *pack)
{
    const uint32_t n = p->defs->n_locations;
    uint8_t byte;

    for (uint32_t l; pack_take(pack, &l, sizeof l), !pack->took_too_much && l < n;)
        pack_take(pack, p->ends[l], sizeof p->ends[l]);
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *f = &p->instances[i];
        pack_take(pack, &byte, sizeof byte);
        f->drops |= byte;
        for (uint32_t l = 0; f->altered && l < n; l++) {
            pack_take(pack, &byte, sizeof byte);
            f->altered[l] |= byte;
        }
    }
}

/* Losses of definitions are found by all processes. */
static void put_losses(const pipeline *p, tcf_pack *pack)
{
    uint32_t n;
    const source_loss *losses = source_losses(p->source, &n);
    const uint32_t none = TCF_NONE;

    for (uint32_t i = 0; i < n; i++) {
        const source_loss *x = &losses[i];
        if (x->last_good == SOURCE_LOST_DEFINITIONS || !domain_has(p->domain, x->location))
            continue;
        pack_put(pack, &x->location, sizeof x->location);
        pack_put(pack, &x->last_good, sizeof x->last_good);
        put_text(pack, x->file);
        put_text(pack, x->reason);
    }
    pack_put(pack, &none, sizeof none);
}

static tcf_status take_losses(pipeline *p, tcf_pack *pack)
{
    source_loss x;

    while (pack_take(pack, &x.location, sizeof x.location), !pack->took_too_much && x.location != TCF_NONE) {
        pack_take(pack, &x.last_good, sizeof x.last_good);
        x.file = take_text(pack);
        x.reason = take_text(pack);
        if (!x.file || !x.reason)
            break;
        if (source_note_loss(p->source, (definitions *)(uintptr_t)p->defs, x) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static void put_counts(const pipeline *p, tcf_pack *pack)
{
    for (uint32_t k = 0; k < p->n_stages; k++)
        if (p->stages[k].kind == STAGE_SEGMENT)
            pack_put(pack, exchange_get_counts(segment_exchange(p->stages[k].segment)), sizeof(exchange_counts));
    if (!p->matcher)
        return;
    pack_put(pack, matcher_counts(p->matcher), sizeof(match_counts));
    if (!pipeline_is_survey(p))
        return;
    const match_channels c = matcher_known_channels(p->matcher);
    put_array(pack, c.channels, c.n, sizeof *c.channels);
    put_array(pack, c.dead_receives, p->defs->n_locations, sizeof *c.dead_receives);
}

static tcf_status take_counts(pipeline *p, tcf_pack *pack)
{
    exchange_counts exchanged;
    match_counts matched;
    uint64_t n, locations;

    for (uint32_t k = 0; k < p->n_stages; k++)
        if (p->stages[k].kind == STAGE_SEGMENT) {
            pack_take(pack, &exchanged, sizeof exchanged);
            exchange_add_counts(segment_exchange(p->stages[k].segment), &exchanged);
        }
    if (!p->matcher)
        return TCF_OK;
    pack_take(pack, &matched, sizeof matched);
    matcher_add_counts(p->matcher, &matched);
    if (!pipeline_is_survey(p))
        return TCF_OK;
    match_channels c = {.channels = take_array(pack, &n, sizeof *c.channels)};
    c.n = (uint32_t)n;
    c.dead_receives = take_array(pack, &locations, sizeof *c.dead_receives);
    return locations == p->defs->n_locations ? matcher_add_channels(p->matcher, &c) : TCF_OK;
}

static tcf_status check_pack(const tcf_pack *pack)
{
    return pack->took_too_much || pack->taken < pack->n
               ? error_fail("what has come from another process (%zu bytes) is not what was expected; please report "
                            "this",
                            pack->n)
               : TCF_OK;
}

void found_put(const pipeline *p, uint64_t unknown, tcf_pack *pack)
{
    put_part(p, pack);
    put_numbers(p, unknown, pack);
    put_locations(p, pack);
    put_losses(p, pack);
    put_counts(p, pack);
}

tcf_status found_take(pipeline *p, domain *x, tcf_pack *pack, found_part *part)
{
    if (take_part(pack, part) != TCF_OK)
        return TCF_ERROR;
    take_numbers(p, x, pack);
    take_locations(p, pack);
    if (take_losses(p, pack) != TCF_OK || take_counts(p, pack) != TCF_OK)
        return TCF_ERROR;
    return check_pack(pack);
}

/* ------------------------------------------------------------------------------------------------------- surveys -- */

tcf_status found_put_survey(const pipeline *survey, tcf_pack *pack)
{
    const session *s = survey->session;
    tcf_learned_table t;

    pack_put(pack, &survey->to_repeat, sizeof survey->to_repeat);
    pack_put(pack, &s->released_ops, sizeof s->released_ops);
    put_array(pack, s->distrusted, s->n_distrusted, sizeof *s->distrusted);
    for (uint32_t i = 0; learned_at(s->learned, i, &t); i++) {
        put_text(pack, t.name);
        pack_put(pack, &t.row_bytes, sizeof t.row_bytes);
        put_array(pack, t.rows, t.n, t.row_bytes);
    }
    return pack->out_of_memory ? error_fail("out of memory for what the survey has learned") : TCF_OK;
}

tcf_status found_take_survey(pipeline *survey, tcf_pack *pack)
{
    session *s = survey->session;
    tcf_learned_table t;
    uint64_t n;

    pack_take(pack, &survey->to_repeat, sizeof survey->to_repeat);
    pack_take(pack, &s->released_ops, sizeof s->released_ops);
    const match_distrusted *rows = take_array(pack, &n, sizeof *rows);
    free(s->distrusted);
    s->distrusted = malloc((n + 1) * sizeof *rows);
    if (!s->distrusted)
        return error_fail("out of memory for %llu channels", (unsigned long long)n);
    if (n > 0)
        memcpy(s->distrusted, rows, n * sizeof *rows);
    s->n_distrusted = (uint32_t)n;
    while (!pack->took_too_much && pack->taken < pack->n) {
        t.name = take_text(pack);
        pack_take(pack, &t.row_bytes, sizeof t.row_bytes);
        t.rows = t.name && t.row_bytes > 0 ? take_array(pack, &t.n, t.row_bytes) : NULL;
        if (!t.rows)
            return check_pack(pack);
        if (learned_put(s->learned, t.name, t.row_bytes, t.rows, t.n) != TCF_OK)
            return TCF_ERROR;
    }
    return check_pack(pack);
}
