/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The source of a parsed file: walks along the chains of blocks that settle.c has written. */
#include "foreign_internal.h"
#include "framework/base/error.h"

#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a location is read. */
typedef struct cursor {
    uint64_t at, left; /* offset of the next event in the block; bytes that are left of it */
    uint64_t next;     /* the block behind it; 0: there is none */
} cursor;

typedef struct foreign_source {
    source base;
    gather g;
    definitions *defs;
    temporary blocks;
    cursor *cursors;      /* by location; shares read other ones */
    uint64_t total, done; /* events */
    int is_share;
} foreign_source;

static foreign_source *of(source *base)
{
    return (foreign_source *)base;
}

static void close_source(source *base)
{
    foreign_source *src = of(base);

    if (!src->is_share) {
        temporary_close(&src->blocks);
        gather_free(&src->g);
        definitions_delete(src->defs);
        free(src->cursors);
    }
    free(base->losses);
    free(src);
}

/* -------------------------------------------------------------------------------------------------------- reading --
 */

static tcf_status put_counter(slice *s, const event *e, tcf_rec *rec)
{
    const uint32_t types = slice_arena(s, 1), values = types ? slice_arena(s, sizeof e->value) : 0;

    if (!values)
        return error_fail("out of memory for the values of counters");
    *(uint8_t *)tcf_at(&s->v, types) = e->subtype == TCF_COUNT_DOUBLE ? OTF2_TYPE_DOUBLE
                                       : e->subtype == TCF_COUNT_INT  ? OTF2_TYPE_INT64
                                                                      : OTF2_TYPE_UINT64;
    memcpy(tcf_at(&s->v, values), &e->value, sizeof e->value);
    rec->metric = (tcf_ev_metric){e->what, 1, types, values};
    return TCF_OK;
}

/* Ranks are positions among the members that are known. */
static void put_message(const gather *g, slice *s, const event *e, tcf_rec *rec)
{
    const foreign_channel *c = &g->channels[e->what];
    const uint32_t comm = g->comms[c->comm].index;
    uint8_t *kind = &s->v.kind[s->v.n];

    switch ((enum event_type)e->type) {
    case EVENT_SEND_TO:
        *kind = TCF_MPI_SEND;
        rec->mpi_send = (tcf_ev_mpi_send){c->to, comm, c->tag, e->value};
        break;
    case EVENT_ISEND_TO:
        *kind = TCF_MPI_ISEND;
        rec->mpi_isend = (tcf_ev_mpi_isend){c->to, comm, c->tag, e->value, e->tag};
        break;
    case EVENT_SEND_COMPLETE:
        *kind = TCF_MPI_ISEND_COMPLETE;
        rec->mpi_isend_complete.request_id = e->tag;
        break;
    case EVENT_RECEIVE_REQUEST:
        *kind = TCF_MPI_IRECV_REQUEST;
        rec->mpi_irecv_request.request_id = e->tag;
        break;
    case EVENT_RECEIVE_FROM:
        *kind = TCF_MPI_RECV;
        rec->mpi_recv = (tcf_ev_mpi_recv){c->from, comm, c->tag, e->value};
        break;
    default:
        *kind = TCF_MPI_IRECV;
        rec->mpi_irecv = (tcf_ev_mpi_irecv){c->from, comm, c->tag, e->value, e->tag};
    }
}

static void put_collective(const gather *g, slice *s, const event *e, tcf_rec *rec)
{
    const foreign_form *f = &g->forms[e->what];
    const uint32_t comm = g->comms[f->comm].index;
    uint8_t *kind = &s->v.kind[s->v.n];

    switch ((enum event_type)e->type) {
    case EVENT_COLLECTIVE_BEGIN:
        *kind = TCF_MPI_COLLECTIVE_BEGIN;
        break;
    case EVENT_COLLECTIVE_REQUEST:
        *kind = TCF_NON_BLOCKING_COLLECTIVE_REQUEST;
        rec->non_blocking_collective_request.request_id = e->value;
        break;
    case EVENT_COLLECTIVE_END:
        *kind = TCF_MPI_COLLECTIVE_END;
        rec->mpi_collective_end = (tcf_ev_mpi_collective_end){f->operation, comm, f->root, f->sent, f->received};
        break;
    default:
        *kind = TCF_NON_BLOCKING_COLLECTIVE_COMPLETE;
        rec->non_blocking_collective_complete =
            (tcf_ev_non_blocking_collective_complete){f->operation, comm, f->root, f->sent, f->received, e->value};
    }
}

static tcf_status put_event(const foreign_source *src, slice *s, const event *e)
{
    const uint32_t i = s->v.n;
    tcf_rec *rec = &s->v.rec[i];
    const foreign_location *peer =
        e->type == EVENT_SEND || e->type == EVENT_RECEIVE ? &src->g.locations[e->what] : NULL;

    s->v.time[i] = e->time;
    s->v.attr[i] = 0;
    switch ((enum event_type)e->type) {
    case EVENT_ENTER:
    case EVENT_LEAVE:
        s->v.kind[i] = e->type == EVENT_ENTER ? TCF_ENTER : TCF_LEAVE;
        rec->enter.region = e->what;
        break;
    case EVENT_COUNT:
        s->v.kind[i] = TCF_METRIC;
        if (put_counter(s, e, rec) != TCF_OK)
            return TCF_ERROR;
        break;
    case EVENT_NOTE:
        s->v.kind[i] = TCF_PARAMETER_STRING;
        rec->parameter_string = (tcf_ev_parameter_string){e->what, (uint32_t)e->value};
        break;
    case EVENT_SEND:
        s->v.kind[i] = TCF_MPI_SEND;
        rec->mpi_send = (tcf_ev_mpi_send){peer->rank, 0, e->tag, e->value};
        break;
    case EVENT_RECEIVE:
        s->v.kind[i] = TCF_MPI_RECV;
        rec->mpi_recv = (tcf_ev_mpi_recv){peer->rank, 0, e->tag, e->value};
        break;
    case EVENT_CALL: /* settle.c has made two of it */
        break;
    default:
        (e->type < EVENT_COLLECTIVE_BEGIN ? put_message : put_collective)(&src->g, s, e, rec);
    }
    s->v.n++;
    return TCF_OK;
}

static tcf_status open_block(foreign_source *src, cursor *c)
{
    block_head head;

    if (temporary_read(&src->blocks, &head, sizeof head, c->next) != TCF_OK)
        return TCF_ERROR;
    *c = (cursor){.at = c->next + sizeof head, .left = head.bytes, .next = head.next};
    return TCF_OK;
}

/* Up to `most` events, fewer where the block or the arena ends. */
static tcf_status read_events(foreign_source *src, cursor *c, slice *s, uint32_t most)
{
    unsigned char bytes[BLOCK_BYTES];
    const size_t n = c->left < most * sizeof(event) ? c->left : most * sizeof(event);
    const uint32_t upto = s->v.n + most;
    size_t used = 0;

    if (temporary_read(&src->blocks, bytes, n, c->at) != TCF_OK)
        return TCF_ERROR;
    while (used < n && s->v.n < upto && !slice_arena_full(s)) {
        event e;
        memcpy(&e, bytes + used, event_bytes(EVENT_ENTER));
        if (used + event_bytes(e.type) > n)
            break;
        memcpy(&e, bytes + used, event_bytes(e.type));
        if (put_event(src, s, &e) != TCF_OK)
            return TCF_ERROR;
        used += event_bytes(e.type);
        src->done++;
    }
    c->at += used;
    c->left -= used;
    return TCF_OK;
}

static int has_ended(const cursor *c)
{
    return c->left == 0 && c->next == 0;
}

static tcf_status read_slice(source *base, uint32_t location, slice *s, uint32_t max, int *ended)
{
    foreign_source *src = of(base);
    cursor *c = &src->cursors[location];
    const uint32_t room = s->block->capacity - (uint32_t)(s->v.time - s->block->time), upto = s->v.n + max;

    while (!has_ended(c) && s->v.n < room && s->v.n < upto && !slice_arena_full(s)) {
        const uint32_t most = (room < upto ? room : upto) - s->v.n;
        if ((c->left == 0 && open_block(src, c) != TCF_OK) || read_events(src, c, s, most) != TCF_OK)
            return error_while("reading what is known of location %u of '%s'", location, src->defs->v.archive);
    }
    *ended = has_ended(c);
    return TCF_OK;
}

static tcf_status start_again(source *base)
{
    foreign_source *src = of(base);

    for (uint32_t l = 0; l < src->defs->v.n_locations; l++)
        src->cursors[l] = (cursor){.next = src->g.lanes[src->g.lane_of[l]].first_block};
    src->done = 0;
    return TCF_OK;
}

static void get_progress(const source *base, uint64_t *bytes, uint64_t *total)
{
    const foreign_source *src = (const foreign_source *)base;
    *bytes = src->done * sizeof(event);
    *total = src->total * sizeof(event);
}

static uint64_t get_unknown_events(const source *base)
{
    const foreign_source *src = (const foreign_source *)base;
    return src->is_share ? 0 : src->g.lost.unknown;
}

static source *share(const source *base)
{
    foreign_source *other = malloc(sizeof *other);

    if (!other) {
        error_fail("out of memory");
        return NULL;
    }
    *other = *(const foreign_source *)base;
    other->is_share = 1;
    other->done = 0;
    other->base.losses = NULL;
    other->base.n_losses = 0;
    return &other->base;
}

static uint64_t get_bytes(const source *base, uint32_t location)
{
    const gather *g = &((const foreign_source *)base)->g;
    return g->lanes[g->lane_of[location]].n * sizeof(event);
}

static const source_ops operations = {.close = close_source,
                                      .read = read_slice,
                                      .rewind = start_again,
                                      .progress = get_progress,
                                      .unknown_events = get_unknown_events,
                                      .share = share,
                                      .bytes = get_bytes};

/* -------------------------------------------------------------------------------------------------------- opening --
 */

static void tell(const gather *g, uint64_t n, const char *what)
{
    if (n > 0)
        error_log(TCF_LOG_WARNING, "%s: %llu %s", g->input, (unsigned long long)n, what);
}

static void tell_ranks(const gather *g)
{
    static const char *const why[RANKS_PROBLEMS] =
        {[RANKS_CONTRADICT] = "two processes claim one rank, or ranks and sizes contradict each other",
         [RANKS_MISSING] = "members are in none of the files",
         [RANKS_SPREAD] = "a member has them in several locations",
         [RANKS_UNEVEN] = "not all members have as many of them",
         [RANKS_DIFFER] = "members have other operations, roots or sizes, or another order of them"};
    const foreign_losses *l = &g->lost;

    tell(g, l->no_member,
         "ends of messages and collective operations are left out, for their process has no rank in the communicator");
    tell(g, l->no_other_side, "ends of messages between ranks are left out, for nothing of the other side is there");
    tell(g, l->uneven,
         "ends of messages between ranks are left out, for between these two there are more sends than receives, or "
         "fewer: which belong to each other isn't known");
    tell(g, l->too_short,
         "ends of messages between ranks are left out, for a receive has less room than the send that would be its own "
         "has bytes");
    tell(g, l->contradicting,
         "ends of messages between ranks are left out, for two processes claim one rank, or ranks and sizes contradict "
         "each other");
    tell(g, l->channels, "ends of messages are left out: there are more than 1048576 pairs of ranks and tag");
    tell(g, l->forms, "collective operations have sizes beyond the first 1048576 different ones, and lost them");
    for (int k = RANKS_CONTRADICT; k < RANKS_PROBLEMS; k++) {
        const foreign_comm *c = l->example[k] ? &g->comms[l->example[k] - 1] : NULL;
        if (!c)
            continue;
        error_log(TCF_LOG_WARNING,
                  "%s: %llu collective operations are left out, for %s: as of communicator '%s', of which %u of %u "
                  "members are known, and %u have any",
                  g->input, (unsigned long long)l->operations[k], why[k], g->texts[c->name], c->n_members,
                  c->size ? c->size : c->n_members, c->n_counted);
    }
}

static void tell_unknown(const gather *g)
{
    if (g->communicates && !g->has_edges)
        error_log(TCF_LOG_WARNING,
                  "%s: no message and no collective operation between processes is known, though the program "
                  "communicates: who waits for whom, and how much is sent, is unknown, and results leave it open",
                  g->input);
    tell(g, g->unsized, "messages and collective operations have no size in the file: results leave their bytes open");
}

static void tell_losses(const gather *g)
{
    const foreign_losses *l = &g->lost;

    tell(g, l->half_messages, "ends of messages are left out, for the other end isn't there");
    tell(g, l->own_messages, "messages within one location are left out");
    tell(g, l->half_calls, "begins and ends of calls are left out, for the other part isn't there");
    tell(g, l->stray_leaves, "ends of calls are left out, for nothing is open there");
    tell(g, l->cut_calls, "calls that reach beyond the end of a call around them were ended there");
    tell(g, l->crossed_tags, "messages overtake more others than can be told apart, and may be paired with wrong ones");
    tell(g, l->regions, "calls are of regions beyond the first 1048576, and count as '(more regions)'");
    tell(g, l->texts, "notes have texts beyond the first 1048576, which became '(more texts)'");
}

/* Says by what the file is read, and what that took. */
static tcf_status describe(foreign_source *src)
{
    const tcf_source *reader = src->g.options->format->source;
    char text[256];

    snprintf(text, sizeof text, "%s %.60s (%llu events, sorted in %llu KiB of temporary files)", reader->name,
             reader->version, (unsigned long long)src->total, (unsigned long long)((src->blocks.bytes + 1023) / 1024));
    const char *by = definitions_text(src->defs, text);
    for (uint32_t f = src->g.n_files; f-- > 0;) { /* the last that is added is the first of the list */
        if (!by || source_add_input(&src->base, src->defs, src->g.paths[f]) != TCF_OK)
            return TCF_ERROR;
        src->base.facts.inputs->reader = by;
    }
    return TCF_OK;
}

static tcf_status open_parsed(foreign_source *src)
{
    gather *g = &src->g;

    if (gather_read(g) != TCF_OK || pairs_make(g) != TCF_OK || settle(g, &src->blocks) != TCF_OK ||
        define_all(g, src->defs) != TCF_OK)
        return TCF_ERROR;
    src->base.definitions = &src->defs->v;
    for (uint32_t i = 0; i < g->n_lanes; i++)
        src->total += g->lanes[i].n;
    if (!(src->cursors = calloc(g->n_lanes + 1ul, sizeof *src->cursors)))
        return error_fail("out of memory for %u locations", g->n_lanes);
    tell_losses(g);
    tell_ranks(g);
    tell_unknown(g);
    gather_trim(g);
    return describe(src) == TCF_OK ? start_again(&src->base) : TCF_ERROR;
}

source *foreign_source_open(const char *path, const source_options *options)
{
    return foreign_source_open_several(&path, 1, path, options);
}

source *foreign_source_open_several(const char *const *paths, uint32_t n, const char *input,
                                    const source_options *options)
{
    foreign_source *src = calloc(1, sizeof *src);

    if (!src) {
        error_fail("out of memory");
        return NULL;
    }
    src->base.ops = &operations;
    const int started = gather_start(&src->g, paths, n, options) == TCF_OK;
    src->g.input = input;
    if (started && (src->defs = definitions_new()) && open_parsed(src) == TCF_OK) {
        src->g.paths = NULL; /* the caller's */
        return &src->base;
    }
    error_while("reading '%s' by the reader '%s'", src->g.self.path, options->format->source->name);
    close_source(&src->base);
    return NULL;
}
