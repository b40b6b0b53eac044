/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads several inputs as one source: streams and archives of different locations of one run.
 *
 * Definitions are united when all inputs are open (merge_definitions.c). A location belongs to the input with its
 * events (merge_owners.c). The location asked for decides which input is read. Each stream has a queue
 * (stream_group.c), and its unpacked windows wait up to its share of `memory`; beyond that its writer waits.
 *
 * Matches in streams are not used: an input with one end of a message has left it unmatched, and numbers of messages
 * count within an input. The matcher finds all matches again from the records, as one process over the whole trace
 * would. That requires all records that matches depend on; where a stream reports that some were dropped
 * (TCF_ALTERED_MATCHES), the run fails. */
#include "framework/base/error.h"
#include "merge_internal.h"

#include <string.h>

/* The operations of source.h get the source's base, which is its first member. */

/* ------------------------------------------------------------------------------------------------------- reading -- */

static uint64_t frontier_(const source *s, uint32_t location)
{
    const merge_source *m = (const merge_source *)s;
    uint32_t p = merge_input_of(m, location);
    return p == MERGE_NOBODY ? 0 : source_frontier(m->inputs[p].src, m->inputs[p].local[location]);
}

static tcf_status choose_next(merge_source *m, uint32_t input, uint32_t local, uint32_t *location)
{
    *location = m->next_location = merge_location(&m->inputs[input], local);
    m->next_input = input;
    return TCF_OK;
}

/* The input's first location that has not ended. */
static uint32_t first_open(const merge_input *in)
{
    uint32_t local = 0;
    while (local < in->defs->n_locations && in->ended[local])
        local++;
    return local < in->defs->n_locations ? local : TCF_NONE;
}

/* Chooses a location of any input that has something to read, the inputs in turn. */
static tcf_status next_of_any(merge_source *m, uint32_t *location)
{
    for (;;) {
        uint32_t open = 0;
        for (uint32_t k = 1; k <= m->n; k++) {
            uint32_t p = (m->last + k) % m->n;
            merge_input *in = &m->inputs[p];
            uint32_t local = first_open(in);
            if (local == TCF_NONE || in->is_elsewhere)
                continue;
            open++;
            if (!source_ready(in->src))
                continue;
            if (source_is_stream(in->src)) {
                local = UINT32_MAX;
                if (source_next(in->src, &local) != TCF_OK)
                    return TCF_ERROR;
            }
            m->last = p;
            if (local != UINT32_MAX)
                return choose_next(m, p, local, location);
        }
        if (open == 0)
            return TCF_OK;
        if (stream_group_wait(m->group) != TCF_OK)
            return TCF_ERROR;
    }
}

static int depends(const merge_input *in)
{
    return source_is_stream(in->src) && stream_source_depends(in->src);
}

int merge_depends(const merge_source *m)
{
    for (uint32_t p = 0; p < m->n; p++)
        if (depends(&m->inputs[p]))
            return 1;
    return 0;
}

/* Of streams whose writers may be what others wait for: takes what has come, and finds one to be read since there is
 * more than may wait. *full: else MERGE_NOBODY. */
static tcf_status take_ahead(const merge_source *m, uint32_t *full)
{
    *full = MERGE_NOBODY;
    for (uint32_t p = 0; p < m->n && *full == MERGE_NOBODY; p++) {
        const merge_input *in = &m->inputs[p];
        int is_full;
        if (in->is_elsewhere || !depends(in))
            continue;
        if (stream_source_take_ahead(in->src, &is_full) != TCF_OK)
            return TCF_ERROR;
        *full = is_full ? p : MERGE_NOBODY;
    }
    return TCF_OK;
}

/* Waits until an input has something of its location, or another one is full. */
static tcf_status await_location(const merge_source *m, uint32_t input, uint32_t local, uint32_t *full)
{
    *full = MERGE_NOBODY;
    while (!stream_source_has(m->inputs[input].src, local)) {
        if (take_ahead(m, full) != TCF_OK)
            return TCF_ERROR;
        if (*full != MERGE_NOBODY)
            return TCF_OK;
        if (stream_group_wait(m->group) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static int has_(const source *s, uint32_t location)
{
    const merge_source *m = (const merge_source *)s;
    const uint32_t p = merge_input_of(m, location);
    const merge_input *in = p == MERGE_NOBODY ? NULL : &m->inputs[p];

    return !in || !source_is_stream(in->src) || stream_source_has(in->src, in->local[location]);
}

static void await_(source *s, int ms)
{
    const merge_source *m = (const merge_source *)s;

    if (m->group)
        stream_group_poll(m->group, ms);
}

static tcf_status ahead_(source *s, uint32_t *location)
{
    const merge_source *m = (const merge_source *)s;
    uint32_t full, local = UINT32_MAX;

    await_(s, 0);
    if (take_ahead(m, &full) != TCF_OK)
        return TCF_ERROR;
    if (full == MERGE_NOBODY)
        return TCF_OK;
    if (source_next(m->inputs[full].src, &local) != TCF_OK)
        return TCF_ERROR;
    *location = local == UINT32_MAX ? UINT32_MAX : merge_location(&m->inputs[full], local);
    return TCF_OK;
}

static tcf_status next_(source *s, uint32_t *location)
{
    merge_source *m = (merge_source *)s;

    m->next_location = UINT32_MAX;
    if (*location == UINT32_MAX)
        return next_of_any(m, location);
    uint32_t p = merge_input_of(m, *location);
    if (p == MERGE_NOBODY)
        return TCF_OK;
    uint32_t local = m->inputs[p].local[*location], full = MERGE_NOBODY;
    if (depends(&m->inputs[p]) && await_location(m, p, local, &full) != TCF_OK)
        return TCF_ERROR;
    if (full != MERGE_NOBODY) {
        p = full;
        local = UINT32_MAX; /* the oldest */
    }
    if (source_next(m->inputs[p].src, &local) != TCF_OK)
        return TCF_ERROR;
    return choose_next(m, p, local, location);
}

/* Fails when the chain needs matches and records for them were dropped or inserted. */
static tcf_status check_altered(merge_source *m, const merge_input *in, uint32_t local)
{
    const uint8_t *altered = source_facts_of(in->src)->altered;
    const tcf_location *l = &in->defs->locations[local];
    uint32_t location = merge_location(in, local);

    m->altered[location] |= altered ? altered[local] : 0;
    if (!m->options.edges || !(m->altered[location] & TCF_ALTERED_MATCHES))
        return TCF_OK;
    return error_fail(
        "records of location %llu ('%s') for messages, collective operations, threads or locks were dropped in front "
        "of %s; matching over all inputs needs them: drop them behind the merge",
        (unsigned long long)l->id, l->name, in->name);
}

static tcf_status take_events(merge_source *m, uint32_t p, uint32_t local, slice *s)
{
    merge_input *in = &m->inputs[p];
    uint32_t location = merge_location(in, local);

    if (s->v.n == 0)
        return TCF_OK;
    if (m->owner[location] == MERGE_NOBODY && merge_set_owner(m, location, p) != TCF_OK)
        return TCF_ERROR;
    m->has_events[location] = 1;
    return merge_rewrite_events(m->defs, in, s, 0, s->v.n);
}

static tcf_status read_(source *base, uint32_t location, slice *s, uint32_t max, int *ended)
{
    merge_source *m = (merge_source *)base;
    uint32_t p = m->next_location == location ? m->next_input : merge_input_of(m, location);
    int its_end = 0;

    m->next_location = UINT32_MAX;
    *ended = 0;
    if (p != MERGE_NOBODY) {
        merge_input *in = &m->inputs[p];
        uint32_t local = in->local[location];
        if (source_read(in->src, local, s, max, &its_end) != TCF_OK)
            return TCF_ERROR;
        if (take_events(m, p, local, s) != TCF_OK || (m->has_events[location] && check_altered(m, in, local) != TCF_OK))
            return error_while("reading %s", in->name);
        in->ended[local] |= its_end != 0;
    }
    *ended = !m->end_delivered[location] && merge_input_of(m, location) == MERGE_NOBODY;
    m->end_delivered[location] |= *ended != 0;
    return TCF_OK;
}

static void close_location_(source *s, uint32_t location)
{
    merge_source *m = (merge_source *)s;

    for (uint32_t p = 0; p < m->n; p++)
        if (m->inputs[p].local[location] != TCF_NONE)
            source_close_location(m->inputs[p].src, m->inputs[p].local[location]);
}

static void share_files_(source *s, uint32_t shares)
{
    merge_source *m = (merge_source *)s;

    for (uint32_t p = 0; p < m->n; p++)
        source_share_files(m->inputs[p].src, m->n * shares);
}

tcf_status merge_start(merge_source *m)
{
    memset(m->end_delivered, 0, m->defs->v.n_locations);
    memset(m->has_events, 0, m->defs->v.n_locations);
    m->base.n_losses = 0;
    m->unknown_shares = 0;
    m->next_location = UINT32_MAX;
    m->last = m->n - 1;
    for (uint32_t p = 0; p < m->n; p++) {
        merge_input *in = &m->inputs[p];
        memset(in->ended, 0, in->defs->n_locations);
    }
    return merge_find_owners(m);
}

static tcf_status rewind_(source *s)
{
    merge_source *m = (merge_source *)s;

    for (uint32_t p = 0; p < m->n; p++)
        if (source_rewind(m->inputs[p].src) != TCF_OK)
            return error_while("reading %s again", m->inputs[p].name);
    return merge_start(m);
}

/* ------------------------------------------------------------------------------------------------------- the end -- */

/* Collects the properties set by filters of the inputs; the first of a name counts. */
static tcf_status collect_properties(merge_source *m, const source_facts *f)
{
    tcf_property *grown =
        realloc(m->properties, (m->base.facts.n_properties + (size_t)f->n_properties + 1) * sizeof *grown);

    if (!grown)
        return error_fail("out of memory");
    m->base.facts.properties = m->properties = grown;
    merge_add_properties(grown, &m->base.facts.n_properties, f->properties, f->n_properties);
    return TCF_OK;
}

/* Were events of the location dropped or inserted? Where no input has its events, all may have been dropped. Leaving
 * out a location without events alters nothing. */
static int was_altered(const merge_source *m, uint32_t location)
{
    for (uint32_t p = 0; p < m->n; p++) {
        const merge_input *in = &m->inputs[p];
        const uint8_t *altered = source_facts_of(in->src)->altered;
        uint32_t local = in->local[location];
        if (!in->is_elsewhere && altered && local != TCF_NONE &&
            (m->owner[location] == p || m->owner[location] == MERGE_NOBODY) &&
            altered[local] & ~(in->defs->locations[local].silent ? TCF_ALTERED_ALL : 0))
            return 1;
    }
    return 0;
}

/* Skips losses of locations that another input has, but keeps one, since the input isn't whole. */
static tcf_status collect_losses(merge_source *m, uint32_t p)
{
    uint32_t n, before = m->base.n_losses;
    const source_loss *losses = source_losses(m->inputs[p].src, &n);

    for (uint32_t i = 0; i < n; i++) {
        source_loss x = losses[i];
        int last_chance = i + 1 == n && m->base.n_losses == before;
        x.location = merge_location(&m->inputs[p], x.location);
        if (m->owner[x.location] != p && m->owner[x.location] != MERGE_NOBODY && !last_chance)
            continue;
        if (source_note_loss(&m->base, m->defs, x) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* A location that another input has doesn't count as a change of the whole. */
static tcf_status finish_(source *s)
{
    merge_source *m = (merge_source *)s;

    m->base.n_losses = 0;
    for (uint32_t p = 0; p < m->n; p++) {
        merge_input *in = &m->inputs[p];
        if (in->is_elsewhere)
            continue;
        if (source_finish(in->src) != TCF_OK)
            return TCF_ERROR;
        const source_facts *f = source_facts_of(in->src);
        m->base.facts.changed |= f->changed & ~(uint32_t)TCF_WRITES_EVENTS;
        if (collect_properties(m, f) != TCF_OK || collect_losses(m, p) != TCF_OK)
            return TCF_ERROR;
    }
    for (uint32_t l = 0; l < m->defs->v.n_locations; l++)
        m->base.facts.changed |= was_altered(m, l) ? TCF_WRITES_EVENTS : 0;
    return TCF_OK;
}

static void progress_(const source *s, uint64_t *bytes, uint64_t *total)
{
    const merge_source *m = (const merge_source *)s;
    int known = 1;

    *bytes = *total = 0;
    for (uint32_t p = 0; p < m->n; p++) {
        uint64_t its_bytes, its_total;
        const merge_input *in = &m->inputs[p];
        its_bytes = 0;
        its_total = in->total;
        if (!in->is_elsewhere)
            source_progress(in->src, &its_bytes, &its_total);
        *bytes += its_bytes;
        *total += its_total;
        known &= its_total > 0;
    }
    *total = known ? *total : 0;
}

/* All inputs must have the column. Columns of edges belong to matches, which are not used. */
static int column_(source *s, const char *name, uint32_t bytes, int at_edges, uint32_t number)
{
    merge_source *m = (merge_source *)s;
    int all = !at_edges;

    for (uint32_t p = 0; p < m->n; p++)
        all = all && source_column(m->inputs[p].src, name, bytes, at_edges, number);
    return all;
}

/* The wanted regions by an input's index; NULL: all, or, where `wanted` has some, out of memory. */
static uint8_t *wanted_regions(const merge_input *in, const source_wanted *wanted)
{
    uint8_t *regions = wanted->regions ? calloc(in->defs->n_regions + 1u, 1) : NULL;

    for (uint32_t i = 0; regions && i < in->defs->n_regions; i++) {
        uint32_t region = in->names.index[TCF_REF_REGION][i];
        regions[i] = region < wanted->n_regions && wanted->regions[region];
    }
    return regions;
}

static tcf_status keep_(source *s, const source_wanted *wanted)
{
    merge_source *m = (merge_source *)s;

    for (uint32_t p = 0; p < m->n; p++) {
        merge_input *in = &m->inputs[p];
        free(in->regions);
        in->regions = wanted ? wanted_regions(in, wanted) : NULL;
        source_wanted its = wanted ? *wanted : (source_wanted){.regions = NULL};
        its.regions = in->regions;
        its.n_regions = in->defs->n_regions;
        if (wanted && wanted->regions && !in->regions)
            return error_fail("out of memory");
        if (source_keep(in->src, wanted ? &its : NULL) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static void on_idle_(source *s, tcf_status (*idle)(void *data), void *data)
{
    merge_source *m = (merge_source *)s;

    for (uint32_t p = 0; p < m->n; p++)
        if (!m->inputs[p].is_elsewhere)
            source_on_idle(m->inputs[p].src, idle, data);
}

static uint64_t unknown_events_(const source *s)
{
    const merge_source *m = (const merge_source *)s;
    uint64_t sum = m->unknown_shares;

    for (uint32_t p = 0; p < m->n; p++)
        sum += m->inputs[p].is_elsewhere ? 0 : source_unknown_events(m->inputs[p].src);
    return sum;
}

/* A share has ended. */
static void add_unknown_(source *s, uint64_t n)
{
    ((merge_source *)s)->unknown_shares += n;
}

/* ---------------------------------------------------------------------------------------- operations of source.h -- */

void merge_free(merge_source *m)
{
    for (uint32_t p = 0; p < m->n; p++) {
        free(m->inputs[p].ended);
        free(m->inputs[p].regions);
    }
    definitions_delete(m->defs);
    free(m->inputs);
    free(m->end_delivered);
    free(m->has_events);
    free(m->properties);
    free(m->base.losses);
    free(m);
}

static void close_(source *s)
{
    merge_source *m = (merge_source *)s;

    stream_group_delete(m->group);
    for (uint32_t p = 0; p < m->n; p++) {
        merge_input *in = &m->inputs[p];
        merge_names_free(&in->names);
        source_close(in->src);
        free(in->local);
    }
    free(m->names);
    free(m->owner);
    free(m->altered);
    free(m->learned);
    merge_free(m);
}

static const source_ops operations = {.close = close_,
                                      .read = read_,
                                      .close_location = close_location_,
                                      .rewind = rewind_,
                                      .keep = keep_,
                                      .progress = progress_,
                                      .next = next_,
                                      .frontier = frontier_,
                                      .column = column_,
                                      .finish = finish_,
                                      .on_idle = on_idle_,
                                      .unknown_events = unknown_events_,
                                      .add_unknown = add_unknown_,
                                      .has = has_,
                                      .await = await_,
                                      .ahead = ahead_,
                                      .share_files = share_files_,
                                      .snapshots = merge_snapshots,
                                      .markers = merge_markers,
                                      .thumbnails = merge_thumbnails};

merge_source *merge_new(const source_options *options, uint32_t n)
{
    merge_source *m = calloc(1, sizeof *m);

    if (!m || !(m->inputs = calloc(n, sizeof *m->inputs))) {
        free(m);
        error_fail("out of memory for %u inputs", n);
        return NULL;
    }
    m->base.ops = &m->ops;
    m->ops = operations;
    m->options = *options;
    m->n = n;
    return m;
}
