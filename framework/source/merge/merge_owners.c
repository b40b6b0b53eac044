/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Owners of locations. A location belongs to the input with its events. Parts that were split off one trace all define
 * it, so the owner may be unknown until its first event comes. The other inputs must not bring events of it. */
#include "framework/base/error.h"
#include "merge_internal.h"

tcf_status merge_set_owner(merge_source *m, uint32_t location, uint32_t owner)
{
    m->owner[location] = owner;
    for (uint32_t p = 0; p < m->n; p++) {
        merge_input *in = &m->inputs[p];
        uint32_t local = in->local[location];
        if (p == owner || local == TCF_NONE)
            continue;
        if (source_reject_location(in->src, local, m->inputs[owner].name) != TCF_OK)
            return TCF_ERROR;
        in->ended[local] = 1;
    }
    return TCF_OK;
}

static int leaves_out(const merge_input *in, uint32_t local)
{
    const uint8_t *altered = source_facts_of(in->src)->altered;
    return altered && altered[local] & TCF_ALTERED_ALL;
}

/* The candidates for the owner of a location, by what inputs state at the start. */
typedef struct candidates {
    uint32_t n, first; /* n: inputs that may have its events; first: the first of them */
    uint32_t certain;  /* the archive with its events, or MERGE_NOBODY */
    uint32_t known;    /* the first input that defines it, preferably one that hasn't left it out */
    int left_out;      /* a filter has left out its events */
} candidates;

static tcf_status find_candidates(const merge_source *m, uint32_t location, candidates *c)
{
    int known_is_out = 0;

    *c = (candidates){.first = MERGE_NOBODY, .certain = MERGE_NOBODY, .known = MERGE_NOBODY};
    for (uint32_t p = 0; p < m->n; p++) {
        const merge_input *in = &m->inputs[p];
        uint32_t local = in->local[location];
        if (local == TCF_NONE)
            continue;
        int silent = in->defs->locations[local].silent, out = leaves_out(in, local);
        if (c->known == MERGE_NOBODY || (known_is_out && !out)) {
            c->known = p;
            known_is_out = out;
        }
        c->left_out |= out && !silent;
        if (silent || out)
            continue;
        c->n++;
        c->first = c->first == MERGE_NOBODY ? p : c->first;
        if (source_is_stream(in->src))
            continue;
        if (c->certain != MERGE_NOBODY)
            return source_fail_overlap(&m->defs->v.locations[location], m->inputs[c->certain].name, in->name);
        c->certain = p;
    }
    return TCF_OK;
}

tcf_status merge_find_owners(merge_source *m)
{
    for (uint32_t l = 0; l < m->defs->v.n_locations; l++) {
        candidates c;
        m->owner[l] = MERGE_NOBODY;
        if (find_candidates(m, l, &c) != TCF_OK)
            return TCF_ERROR;
        m->altered[l] = c.left_out && c.n == 0 ? TCF_ALTERED_ALL : 0;
        uint32_t owner = c.certain != MERGE_NOBODY ? c.certain : c.n == 0 ? c.known : c.n == 1 ? c.first : MERGE_NOBODY;
        if (owner != MERGE_NOBODY && merge_set_owner(m, l, owner) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

uint32_t merge_input_of(const merge_source *m, uint32_t location)
{
    uint32_t found = MERGE_NOBODY;
    uint64_t least = UINT64_MAX, least_bytes = UINT64_MAX;

    for (uint32_t p = 0; p < m->n; p++) {
        const merge_input *in = &m->inputs[p];
        uint32_t local = in->local[location];
        if (local == TCF_NONE || in->ended[local] || (m->owner[location] != MERGE_NOBODY && m->owner[location] != p))
            continue;
        if (m->owner[location] == p)
            return p;
        uint64_t frontier = source_frontier(in->src, local), bytes, total;
        source_progress(in->src, &bytes, &total);
        if (frontier < least || (frontier == least && bytes < least_bytes) || found == MERGE_NOBODY) {
            found = p;
            least = frontier;
            least_bytes = bytes;
        }
    }
    return found;
}
