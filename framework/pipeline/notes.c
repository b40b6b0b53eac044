/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The summary of a run: how much passed, what that took, and notes of what was left out, capped or found odd. */
#include "domains.h"
#include "framework/base/resources.h"
#include "framework/trace/definitions.h"
#include "framework/trace/duplicates.h"
#include "framework/trace/records.h"
#include "stages.h"

#include <inttypes.h>
#include <stdio.h>

static void note(session *s, size_t *n, uint64_t count, const char *key, const char *text)
{
    if (count == 0 || *n == TCF_COUNT(s->notes))
        return;
    snprintf(s->note_text[*n], sizeof s->note_text[*n], "%s", text);
    s->notes[*n] = (session_note){key, s->note_text[*n], count, 0};
    ++*n;
}

static void note_harmless(session *s, size_t *n, uint64_t count, const char *key, const char *text)
{
    const size_t before = *n;
    note(s, n, count, key, text);
    if (*n > before)
        s->notes[before].harmless = 1;
}

static void note_matching(session *s, size_t *n)
{
    const pipeline *p = s->main;

    if (!p->matcher)
        return;
    const match_counts *m = matcher_counts(p->matcher);
    note(s, n, m->beyond_lookahead, "beyond_lookahead",
         "requests and begins of collectives whose completion is not among the events that are read ahead (lookahead)");
    note(s, n, m->bad_rank, "bad_rank", "messages or collectives with an unknown communicator or rank");
    note(s, n, m->never_completed, "never_completed", "requests and begins of collectives that were never completed");
    note(s, n, m->channels_full, "channels_full", "edges left out: the table of channels was full (max_channels)");
    note(s, n, m->distrusted, "distrusted",
         "messages left without partner: their receiver has requests that the trace never completes, so it is unknown "
         "which send belongs to which receive");
    exchange_counts sum = {0};
    int first = 1;
    uint32_t k = 0;
    const exchange_counts *x;
    while ((x = pipeline_next_counts(p, &k))) {
        if (first) { /* all segments see the same edges; events go on as unmatched in one of them */
            sum.sends = x->sends;
            sum.receives = x->receives;
            sum.matched = x->matched;
            sum.incomplete_instances = x->incomplete_instances;
            sum.empty_instances = x->ops_with_data && s->conf.survey.n == 0 ? x->empty_instances : 0;
        }
        first = 0;
        sum.given_up = x->given_up > sum.given_up ? x->given_up : sum.given_up;
        sum.dropped_messages = x->dropped_messages > sum.dropped_messages ? x->dropped_messages : sum.dropped_messages;
    }
    if (p->complete) { /* partners may stand in what was not read */
        note(s, n, sum.sends - sum.matched, "unmatched_sends", "sends that were left without a receive");
        note(s, n, sum.receives - sum.matched + m->starved, "unmatched_receives",
             "receives that were left without a send");
    }
    note(s, n, sum.given_up, "given_up",
         "events that passed before an event that they depend on: it was not found in time, or is missing");
    note(s, n, sum.incomplete_instances, "incomplete_instances",
         "collective operations in which some members never took part");
    note(s, n, sum.empty_instances, "empty_collectives",
         "collectives of 0 bytes on all members, whose ends count as if they had to wait for data: a survey (such as "
         "mu_estimate) finds out whether they do");
    note_harmless(s, n, m->without_data, "without_data",
                  "ends of collectives of 0 bytes on all members: they wait for nobody");
    note(s, n, sum.dropped_messages, "dropped_messages",
         "messages left without partner: too many were in flight (max_messages)");
}

static void note_definitions(session *s, size_t *n)
{
    duplicate_ids ids;
    char text[160];

    if (duplicates_find(s->defs, &ids) != TCF_OK)
        return; /* notes must not fail a run that has succeeded */
    note_harmless(s, n, ids.same, "repeated_definitions", "definitions that repeat an earlier one");
    snprintf(text, sizeof text,
             "definitions that contradict an earlier one with the same id, which counts (the first: %s %" PRIu64 ")",
             record_ref_name(ids.kind), ids.id);
    note(s, n, ids.different, "duplicate_definitions", text);
    note(s, n, s->defs->n_dangling, "dangling_definitions", "references of definitions to something undefined");
    note(s, n, s->defs->n_unknown, "unknown_definitions", "definitions of a kind that this version doesn't know");
}

void session_summarise(session *s, session_summary *summary)
{
    const pipeline *p = s->main;
    size_t n = 0;
    note_matching(s, &n);
    note_definitions(s, &n);
    note(
        s, &n, definitions_are_sampled(s->defs) ? p->n_events : 0, "sampled",
        "events that follow from samples: their times are those of samples, and calls between two samples are missing");
    note(s, &n, (uint64_t)tcf_is_unknown(s->defs, TCF_UNKNOWN_MESSAGES), "unknown_messages",
         "messages and collective operations are not in the trace, though the program communicates: results leave open "
         "what follows from them");
    note(s, &n, tcf_is_unknown(s->defs, TCF_UNKNOWN_SIZES) || tcf_is_unknown(s->defs, TCF_UNKNOWN_SOME_SIZES),
         "unknown_sizes",
         "sizes of messages and collective operations are not in the trace, or some: results leave them open");
    note_harmless(s, &n, (uint64_t)tcf_is_unknown(s->defs, TCF_UNKNOWN_RANKS), "unknown_ranks",
                  "ranks are not in the trace: results name processes without them");
    note(s, &n, source_unknown_events(s->source), "unknown_events",
         "records of a kind that this version doesn't know (not passed on)");
    note(s, &n, p->callpaths ? callpaths_overflow(p->callpaths) : 0, "callpaths_overflow",
         "regions entered beyond the cap of call paths (max_callpaths)");
    note(s, &n, p->released_early, "released_early",
         "times that a filter had to release events early because memory was full (memory)");
    note(s, &n, s->surveys_repeated, "surveys_repeated",
         "surveys that ran twice: only their first run showed that some messages cannot be paired or have no send, "
         "or that some collectives carry no data");
    *summary = (session_summary){.events = p->n_events,
                                 .locations = s->defs->n_locations,
                                 .seconds = s->seconds,
                                 .cpu_seconds = s->cpu_seconds,
                                 .peak_bytes = peak_bytes(),
                                 .memory_limit = p->memory,
                                 .slice_events = p->layout.capacity,
                                 .notes = s->notes,
                                 .n_notes = n,
                                 .definitions = s->defs};
    for (uint32_t k = 0; s->peers && k < s->peers->n; k++) {
        summary->peak_bytes += s->elsewhere[k].peak_bytes;
        summary->cpu_seconds += s->elsewhere[k].cpu_seconds;
    }
    if (p->domain || s->peers || s->conf.threads > 1)
        domains_describe(p, summary->plan, sizeof summary->plan);
    summary->domains = p->domain ? p->plan->facts : NULL;
    summary->n_domains = p->domain ? p->plan->n : 0;
    summary->losses = source_losses(s->source, &summary->n_losses);
}
