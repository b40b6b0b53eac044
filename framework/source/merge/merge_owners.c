/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Whose a location is. It belongs to the input that has events of it; parts that were split off one trace all define
 * it, so whose it is may only show when its first event comes. The others may say no more of it then. */
#include "framework/base/error.h"
#include "merge_internal.h"

tcf_status merge_own(merge_source *m, uint32_t location, uint32_t owner)
{
    m->owner[location] = owner;
    for (uint32_t p = 0; p < m->n; p++) {
        merge_input *in = &m->inputs[p];
        uint32_t local = in->mine[location];
        if (p == owner || local == TCF_NONE)
            continue;
        if (source_disown(in->src, local, m->inputs[owner].name) != TCF_OK)
            return TCF_ERROR;
        in->told[local] = 1;
    }
    return TCF_OK;
}

static tcf_status overlap(const merge_source *m, uint32_t location, uint32_t a, uint32_t b)
{
    const tcf_location *l = &m->defs->v.locations[location];
    return tcf_fail(
        "location %llu ('%s') has events in %s and in %s: inputs that are read together must be of different locations",
        (unsigned long long)l->id, l->name, m->inputs[a].name, m->inputs[b].name);
}

static int leaves_out(const merge_input *in, uint32_t local)
{
    const uint8_t *altered = source_facts_of(in->src)->altered;
    return altered && altered[local] & TCF_ALTERED_ALL;
}

/* Whose a location may be, by what inputs say at the start; MERGE_NOBODY: nobody's. */
typedef struct claims {
    uint32_t n, first; /* inputs that may have events of it */
    uint32_t certain;  /* an archive that has */
    uint32_t known;    /* the first that knows it; rather one that hasn't left it out */
    int left_out;      /* events of it were left out */
} claims;

static tcf_status hear_claims(const merge_source *m, uint32_t location, claims *c)
{
    int known_is_out = 0;

    *c = (claims){.first = MERGE_NOBODY, .certain = MERGE_NOBODY, .known = MERGE_NOBODY};
    for (uint32_t p = 0; p < m->n; p++) {
        const merge_input *in = &m->inputs[p];
        uint32_t local = in->mine[location];
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
            return overlap(m, location, c->certain, p);
        c->certain = p;
    }
    return TCF_OK;
}

tcf_status merge_find_owners(merge_source *m)
{
    for (uint32_t l = 0; l < m->defs->v.n_locations; l++) {
        claims c;
        m->owner[l] = MERGE_NOBODY;
        if (hear_claims(m, l, &c) != TCF_OK)
            return TCF_ERROR;
        m->altered[l] = c.left_out && c.n == 0 ? TCF_ALTERED_ALL : 0;
        uint32_t owner = c.certain != MERGE_NOBODY ? c.certain : c.n == 0 ? c.known : c.n == 1 ? c.first : MERGE_NOBODY;
        if (owner != MERGE_NOBODY && merge_own(m, l, owner) != TCF_OK)
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
        uint32_t local = in->mine[location];
        if (local == TCF_NONE || in->told[local] || (m->owner[location] != MERGE_NOBODY && m->owner[location] != p))
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
