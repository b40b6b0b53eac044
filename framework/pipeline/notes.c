/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a run has to say of itself: how much passed and what that took, and notes of what was given up, capped or found
 * odd. */
#include "framework/base/resources.h"
#include "framework/trace/records.h"
#include "framework/trace/repeated.h"
#include "stages.h"

#include <inttypes.h>
#include <stdio.h>

static void note(pipeline *p, size_t *n, uint64_t count, const char *key, const char *text)
{
    if (count == 0 || *n == sizeof p->notes / sizeof p->notes[0])
        return;
    snprintf(p->note_text[*n], sizeof p->note_text[*n], "%s", text);
    p->notes[*n] = (pipeline_note){key, p->note_text[*n], count, 0};
    ++*n;
}

static void note_matching(pipeline *p, size_t *n)
{
    if (!p->matcher)
        return;
    const match_counts *m = matcher_counts(p->matcher);
    note(p, n, m->beyond_lookahead, "beyond_lookahead",
         "requests or collective begins that were not completed within the look-ahead (lookahead), if ever");
    note(p, n, m->bad_rank, "bad_rank", "messages or collectives with an unknown communicator or rank");
    note(p, n, m->never_completed, "never_completed", "requests that were never completed");
    note(p, n, m->channels_full, "channels_full", "edges left out: the table of channels was full (max_channels)");
    note(p, n, m->distrusted, "distrusted",
         "messages left without partner: their receiver has requests that the trace never completes, so pairs cannot "
         "be told");
    exchange_counts sum = {0};
    int first = 1;
    for (uint32_t k = 0; k < p->n_stages; k++) {
        if (p->stages[k].kind != STAGE_SEGMENT)
            continue;
        const exchange_counts *x = exchange_get_counts(segment_exchange(p->stages[k].segment));
        if (first) { /* all segments see the same edges; what one gives up, it alone does */
            sum.sends = x->sends;
            sum.receives = x->receives;
            sum.matched = x->matched;
            sum.incomplete_instances = x->incomplete_instances;
        }
        first = 0;
        sum.given_up = x->given_up > sum.given_up ? x->given_up : sum.given_up;
        sum.dropped_messages = x->dropped_messages > sum.dropped_messages ? x->dropped_messages : sum.dropped_messages;
    }
    if (p->complete) { /* else nobody knows what would have come */
        note(p, n, sum.sends - sum.matched, "unmatched_sends", "sends that were left without a receive");
        note(p, n, sum.receives - sum.matched + m->starved, "unmatched_receives",
             "receives that were left without a send");
    }
    note(p, n, sum.given_up, "given_up", "events that went on without what they had to wait for");
    note(p, n, sum.incomplete_instances, "incomplete_instances",
         "collective operations that some members never came to");
    note(p, n, sum.dropped_messages, "dropped_messages", "messages given up: too many were in flight (max_messages)");
}

static void note_definitions(pipeline *p, size_t *n)
{
    repeated_ids ids;
    char text[160];

    if (repeated_find(p->defs, &ids) != TCF_OK)
        return; /* this is no time to fail */
    const size_t before = *n;
    note(p, n, ids.same, "repeated_definitions", "definitions that were given again");
    if (*n > before)
        p->notes[before].harmless = 1;
    snprintf(text, sizeof text,
             "definitions that say something else than an earlier one of their id, which counts (the first: %s "
             "%" PRIu64 ")",
             record_ref_name(ids.kind), ids.id);
    note(p, n, ids.different, "duplicate_definitions", text);
    note(p, n, p->defs->n_dangling, "dangling_definitions", "references of definitions to something undefined");
    note(p, n, p->defs->n_unknown, "unknown_definitions", "definitions of a kind that this version doesn't know");
}

void pipeline_summarise(pipeline *p, pipeline_summary *summary)
{
    size_t n = 0;
    note_matching(p, &n);
    note_definitions(p, &n);
    note(p, &n, source_unknown_events(p->source), "unknown_events",
         "records of a kind that this version doesn't know (not passed on)");
    note(p, &n, p->callpaths ? callpaths_overflow(p->callpaths) : 0, "callpaths_overflow",
         "regions entered beyond the cap of call paths (max_callpaths)");
    note(p, &n, p->released_early, "released_early", "times that held events were released early for want of memory");
    note(p, &n, p->surveys_repeated, "surveys_repeated",
         "surveys that were repeated: they had matched messages whose pairs cannot be told, or receives without any "
         "send had "
         "made others wait");
    *summary = (pipeline_summary){.events = p->n_events,
                                  .locations = p->defs->n_locations,
                                  .seconds = p->seconds,
                                  .cpu_seconds = p->cpu_seconds,
                                  .peak_bytes = peak_bytes(),
                                  .memory_limit = p->memory,
                                  .slice_events = p->layout.capacity,
                                  .notes = p->notes,
                                  .n_notes = n,
                                  .definitions = p->defs};
    summary->losses = source_losses(p->source, &summary->n_losses);
}
