/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the files of the detection share: users.c (who uses it), domains.c (what other domains tell), walk.c (the walk
 * over events, calls), messages.c, order.c (wrong order), replies.c, collectives.c, threads.c and windows.c. Filters
 * include waits.h.
 *
 * Calls go one way: users.c calls domains.c; that and walk.c call the others; messages.c calls order.c; threads.c calls
 * messages.c; messages.c, collectives.c and windows.c call replies.c. */
#ifndef TCFLOW_WAITS_INTERNAL_H
#define TCFLOW_WAITS_INTERNAL_H

#include "../numbers/min_max.h"
#include "waits.h"

#define NONE UINT32_MAX

/* An event with edges while it is being handled. */
typedef struct waits_at {
    tcf_self *self;
    waits *w;
    waits_track *k;
    tcf_slice *s;
    uint32_t i;
    uint64_t now;
} waits_at;

static inline waits *waits_of(const tcf_self *self)
{
    return ((const waits_user *)self->state)->waits;
}

/* Calls of all filters that use the detection: see waits_listener. */
static inline tcf_status report_found(tcf_self *self, const wait *found)
{
    tcf_status status = TCF_OK;
    for (const waits_user *u = waits_of(self)->users; u && status == TCF_OK; u = u->next)
        status = u->listener->found(u->self, found);
    return status;
}

/* At every leave of the trace. */
static inline tcf_status report_left(const waits *w, uint32_t location, const waits_call *call, uint64_t time)
{
    const waits_user *u = w->users;
    for (; u->next; u = u->next)
        if (u->left(u->self, location, call, time) != TCF_OK)
            return TCF_ERROR;
    return u->left(u->self, location, call, time);
}

static inline tcf_status report_received(tcf_self *self, const wait *w)
{
    tcf_status status = TCF_OK;
    for (const waits_user *u = waits_of(self)->users; u && status == TCF_OK; u = u->next)
        if (u->listener->received)
            status = u->listener->received(u->self, w);
    return status;
}

static inline tcf_status report_pending(tcf_self *self, uint32_t location, uint64_t from)
{
    tcf_status status = TCF_OK;
    for (const waits_user *u = waits_of(self)->users; u && status == TCF_OK; u = u->next)
        if (u->listener->pending)
            status = u->listener->pending(u->self, location, from);
    return status;
}

static inline void report_settled(tcf_self *self, uint32_t location, uint64_t from)
{
    for (const waits_user *u = waits_of(self)->users; u; u = u->next)
        if (u->listener->settled)
            u->listener->settled(u->self, location, from);
}

static inline tcf_status report_locked(tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    tcf_status status = TCF_OK;
    for (const waits_user *u = waits_of(self)->users; u && status == TCF_OK; u = u->next)
        if (u->listener->locked)
            status = u->listener->locked(u->self, s, e);
    return status;
}

static inline tcf_status report_over(tcf_self *self, const tcf_collective *in)
{
    tcf_status status = TCF_OK;
    for (const waits_user *u = waits_of(self)->users; u && status == TCF_OK; u = u->next)
        if (u->listener->over)
            status = u->listener->over(u->self, in);
    return status;
}

static inline waits_call *innermost(waits *w, waits_track *k)
{
    return k->is_bare ? &w->bare : k->depth == 0 ? NULL : &k->call[k->depth - 1];
}

/* The innermost call, with its communication members initialised. NULL: no call is open. */
static inline waits_call *call_of(const waits_at *at)
{
    waits_call *c = innermost(at->w, at->k);
    if (!c || c->used)
        return c;
    c->used = 1;
    c->receives = c->collectives = 0;
    c->accesses = 0;
    c->sends = c->completed_sends = c->expected = NONE;
    c->late_enter = 0;
    for (const waits_user *u = at->w->users; u; u = u->next)
        if (u->listener->used)
            u->listener->used(u->self, at->s->location, c);
    return c;
}

/* The WAITS_REGION_* of a call. */
static inline uint8_t extra_of(const tcf_self *self, const waits_call *c)
{
    return c->region < self->defs->n_regions ? waits_of(self)->extra_of_region[c->region] : WAITS_REGION_USER;
}

/* ------------------------------------------------------------------------------------------------------- letters -- */

/* What a detection tells that of another domain. */
enum { LETTER_ANSWER, LETTER_SYNC, LETTER_ASK, LETTER_MAY_SEND };

/* What one side of a reply tells the other. */
typedef struct waits_answer {
    uint64_t time, since; /* see waits_reply */
    uint32_t location, callpath;
    uint8_t reversed;
} waits_answer;

/* LETTER_ANSWER: to a reply. */
typedef struct answer_letter {
    uint8_t kind;
    waits_answer answer;
    uint64_t reply;
} answer_letter;

/* LETTER_SYNC: a call that synchronises a window has come, see windows.c. */
typedef struct waits_sync {
    uint64_t reply; /* handle of a reply that waits; 0: it is an answer */
    uint64_t time, since;
    uint32_t location, callpath;
    uint32_t window, origin, target; /* window: its id */
    uint8_t queue;
} waits_sync;

typedef struct sync_letter {
    uint8_t kind;
    waits_sync sync;
} sync_letter;

/* LETTER_MAY_SEND, the answer to LETTER_ASK: when a message of this domain may still be sent at the earliest, and the
 * messages that are in flight to processes of the other one. */
typedef struct in_flight {
    uint64_t process, earliest;
} in_flight;

typedef struct may_send_letter {
    uint8_t kind;
    uint32_t n;
    uint64_t earliest[2]; /* by locations that have sent before, by all */
    in_flight at[];
} may_send_letter;

/* ----------------------------------------------------------------------------------------------------- replies.c -- */

/* What a call hears from another location, perhaps after it was left: when a message is received, or when all members
 * have begun a non-blocking operation. A reply is in use while any bit of its state is set. */
typedef struct waits_reply {
    uint64_t send;              /* time of the message's send */
    uint64_t request;           /* IS_REQUESTED: the request, of `location` */
    uint64_t time;              /* IS_ANSWERED: when the other location entered its call */
    uint64_t since, bytes;      /* see wait.since, wait.bytes */
    uint32_t location, process; /* location: the sender; process: the receiver */
    uint32_t cause_location, cause_callpath;
    uint32_t generation;
    uint32_t gather; /* of the call, once it was left; NONE */
    uint32_t next;   /* in the list of an open call, or of free replies */
    uint32_t older, newer;
    uint32_t place; /* in the list of its call, from its first reply on: does not depend on when answers come */
    uint8_t state, pattern, reversed;
} waits_reply;

enum { IS_IN_FLIGHT = 1, IS_REQUESTED = 2, IS_LISTED = 4, IS_ANSWERED = 8, IS_EXPECTED = 16 };

/* A call that was left before all its replies came: its longest wait so far. */
typedef struct waits_gather {
    wait best;
    uint64_t from, leave;
    uint32_t pending, location, callpath;
    uint32_t place; /* of the reply that `best` is of */
} waits_gather;

/* Makes a new reply. At the cap the oldest reply is dropped; *r is NONE where open calls need all of them. */
tcf_status reply_new(tcf_self *self, uint8_t state, uint32_t *r);
/* The handle of NONE is that of a dropped reply. */
uint64_t reply_handle(const waits *w, uint32_t r);
/* Answers a reply of `home`, a location which may be in another domain: the other location has come, so the reply is no
 * longer in flight or expected. What was dropped is passed over. */
tcf_status reply_tell(tcf_self *self, uint32_t home, uint64_t handle, const waits_answer *answer);
/* The same, from another domain. */
tcf_status reply_told(tcf_self *self, const answer_letter *l);
/* The request is complete. Returns its reply, which is in no list then; NONE: unknown. */
uint32_t reply_complete(waits *w, uint32_t location, uint64_t request);
void reply_cancel(waits *w, uint32_t location, uint64_t request);
tcf_status reply_request(tcf_self *self, uint32_t r, uint32_t location, uint64_t request);
/* Frees the reply if neither side will use it any more. */
void reply_done(waits *w, uint32_t r);
void reply_list(waits *w, uint32_t r, uint32_t *list);
/* A call was left. Its listed replies, from `from` on, make one wait; with counts = 0 they make none. */
tcf_status reply_close(tcf_self *self, uint32_t location, const waits_call *c, uint32_t list, uint64_t from,
                       uint64_t leave, int counts);
/* The end of the run: a call that still waits for replies has the wait that it has so far. */
tcf_status replies_end(tcf_self *self);

/* ---------------------------------------------------------------------------------------------------- messages.c -- */

/* A receive that was posted and isn't complete: the call that posted it. */
typedef struct waits_receive {
    uint64_t enter;
    uint32_t callpath;
} waits_receive;

/* What a send or release leaves in the slot; c: the call around it, or NULL. */
waits_message message_at(const waits_at *at, const waits_call *c);
tcf_status message_edge(const waits_at *at, const tcf_edge *e);
tcf_status message_posted_receive(const waits_at *at);
void message_forget_receive(waits *w, uint32_t location, uint64_t request);
void message_completed_send(const waits_at *at);
/* The call is left: reports its late sender and late receivers. */
tcf_status message_leave(tcf_self *self, uint32_t location, waits_call *c, uint64_t leave);

/* ------------------------------------------------------------------------------------------------------- order.c -- */

tcf_status order_add(tcf_self *self, const wait *found, uint64_t send);
/* A message is received. Late senders of this location whose messages were sent after it are in wrong order. */
tcf_status order_receive(const waits_at *at, const waits_message *m);
tcf_status order_end(tcf_self *self, uint32_t location);
/* Another domain wants to know what may still be sent; has told it. */
tcf_status order_asked(tcf_self *self, uint32_t by);
tcf_status order_told(tcf_self *self, const may_send_letter *l);

/* ------------------------------------------------------------------------------------------------- collectives.c -- */

tcf_status member_edge(const waits_at *at, const tcf_edge *e);

/* ----------------------------------------------------------------------------------------------------- windows.c -- */

tcf_status windows_begin(tcf_self *self);
/* Handles a post, start, complete or wait. */
tcf_status windows_sync(const waits_at *at);
void windows_free(waits *w);
/* A call has come in another domain. */
tcf_status windows_told(tcf_self *self, const waits_sync *x);

/* ----------------------------------------------------------------------------------------------------- domains.c -- */

/* Begins to tell the detections of other domains. */
tcf_status domains_begin(tcf_self *self);

/* ----------------------------------------------------------------------------------------------------- threads.c -- */

tcf_status lock_edge(const waits_at *at, const tcf_edge *e);
tcf_status team_edge(const waits_at *at, const tcf_edge *e);
/* Handles a fork, a join, and the begin and end of a team. */
tcf_status team_management(const waits_at *at);
tcf_status threads_end(tcf_self *self);

#endif
