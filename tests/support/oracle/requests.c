/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Joins postings and completions, begins and ends on each location (D5 of oracle.h): all request events of one family
 * are sorted by request id and index, and each id's history is read in order. */
#include "oracle.h"

#include <stdlib.h>

enum what { POST, COMPLETE, CANCEL };

struct step {
    uint64_t id;
    size_t event;
    enum what what;
};

struct family {
    enum o_kind post, complete;
    int post_field, complete_field; /* which field holds the request id */
};

static const struct family irecv = {O_MPI_IRECV_REQUEST, O_MPI_IRECV, 0, 4};
static const struct family isend = {O_MPI_ISEND, O_MPI_ISEND_COMPLETE, 4, 0};
static const struct family nbc = {O_NON_BLOCKING_COLLECTIVE_REQUEST, O_NON_BLOCKING_COLLECTIVE_COMPLETE, 0, 5};

static int compare_steps(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    int order = o_compare_u64(x->id, y->id);
    return order ? order : o_compare_u64(x->event, y->event);
}

static size_t collect_steps(const struct o_location *location, const struct family *family, struct step *step)
{
    size_t n = 0;
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        if (event->kind == family->post)
            step[n++] = (struct step){event->field[family->post_field], e, POST};
        else if (event->kind == family->complete)
            step[n++] = (struct step){event->field[family->complete_field], e, COMPLETE};
        else if (event->kind == O_MPI_REQUEST_CANCELLED)
            step[n++] = (struct step){event->field[0], e, CANCEL};
    }
    return n;
}

static void note_open(const struct o_matching *m, size_t l, size_t open, size_t *first)
{
    if (open != O_NONE && m->trace->location[l].n - 1 - open < m->lookahead && (*first == O_NONE || open < *first))
        *first = open;
}

/* Returns the number of postings that neither completed nor were cancelled; *first becomes the first one that is open
 * at the end, within the look-ahead of it. */
static size_t join_family(struct o_matching *m, size_t l, const struct family *family, size_t *first)
{
    const struct o_location *location = &m->trace->location[l];
    struct step *step = o_alloc(location->n, sizeof *step);
    size_t n = collect_steps(location, family, step);
    size_t open = O_NONE, never = 0;
    qsort(step, n, sizeof *step, compare_steps);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && step[i].id != step[i - 1].id) {
            never += open != O_NONE;
            note_open(m, l, open, first);
            open = O_NONE;
        }
        switch (step[i].what) {
        case POST:
            never += open != O_NONE;
            open = step[i].event;
            break;
        case COMPLETE:
            m->requests.post[l][step[i].event] = open;
            if (open != O_NONE)
                m->requests.done[l][open] = step[i].event;
            open = O_NONE;
            break;
        case CANCEL:
            open = O_NONE;
            break;
        }
    }
    note_open(m, l, open, first);
    free(step);
    return never + (open != O_NONE);
}

/* Returns the number of begins without an end. */
static size_t join_begins(struct o_matching *m, size_t l, enum o_kind begin, enum o_kind end)
{
    const struct o_location *location = &m->trace->location[l];
    size_t open = O_NONE, lone = 0;
    for (size_t e = 0; e < location->n; e++) {
        if (location->event[e].kind == begin) {
            lone += open != O_NONE;
            open = e;
        } else if (location->event[e].kind == end) {
            m->requests.post[l][e] = open;
            if (open != O_NONE)
                m->requests.done[l][open] = e;
            open = O_NONE;
        }
    }
    return lone + (open != O_NONE);
}

void o_match_requests(struct o_matching *m)
{
    struct o_requests *r = &m->requests;
    size_t n = m->trace->n_locations;
    r->post = o_alloc(n, sizeof *r->post);
    r->done = o_alloc(n, sizeof *r->done);
    r->never_completed = o_alloc(n, sizeof *r->never_completed);
    r->never_sent = o_alloc(n, sizeof *r->never_sent);
    r->never_collected = o_alloc(n, sizeof *r->never_collected);
    r->under_way = o_alloc(n, sizeof *r->under_way);
    r->lone_begins = o_alloc(n, sizeof *r->lone_begins);
    r->cancelled = o_alloc(n, sizeof *r->cancelled);
    for (size_t l = 0; l < n; l++) {
        const struct o_location *location = &m->trace->location[l];
        r->post[l] = o_alloc(location->n, sizeof **r->post);
        r->done[l] = o_alloc(location->n, sizeof **r->done);
        for (size_t e = 0; e < location->n; e++) {
            r->post[l][e] = r->done[l][e] = O_NONE;
            r->cancelled[l] += location->event[e].kind == O_MPI_REQUEST_CANCELLED;
        }
        size_t unused = O_NONE;
        r->under_way[l] = O_NONE;
        r->never_completed[l] = join_family(m, l, &irecv, &unused);
        r->never_sent[l] = join_family(m, l, &isend, &unused);
        r->never_collected[l] = join_family(m, l, &nbc, &r->under_way[l]);
        r->lone_begins[l] = join_begins(m, l, O_MPI_COLLECTIVE_BEGIN, O_MPI_COLLECTIVE_END) +
                            join_begins(m, l, O_RMA_COLLECTIVE_BEGIN, O_RMA_COLLECTIVE_END);
    }
}

void o_free_requests(struct o_matching *m)
{
    struct o_requests *r = &m->requests;
    for (size_t l = 0; l < m->trace->n_locations; l++) {
        free(r->post[l]);
        free(r->done[l]);
    }
    free(r->post);
    free(r->done);
    free(r->never_completed);
    free(r->never_sent);
    free(r->never_collected);
    free(r->under_way);
    free(r->lone_begins);
    free(r->cancelled);
}

/* The posting or begin of a completion or end as far as the look-ahead shows it (D6). */
size_t o_usable_post(const struct o_matching *m, size_t location, size_t event)
{
    size_t post = m->requests.post[location][event];
    return post != O_NONE && event - post <= m->lookahead ? post : O_NONE;
}
