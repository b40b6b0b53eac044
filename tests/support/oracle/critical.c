/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The critical path from the whole trace: walked from its end back to its begin, as plugins/critical_path/README.md
 * defines it. Every stretch of a location (the time between two changes of its call path) is asked once for whom it
 * waited. */
#include "waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Time between two enters or leaves that take effect; begin and end of the program are an enter and a leave without
 * call path. */
struct stretch {
    uint64_t start, end;
    size_t path; /* in `paths` */
    bool is_first, in_program, is_late;
    bool is_idle; /* begins with the enter of a call in which a thread waits for work, or with the leave into one */
    bool waits;   /* for whom: */
    size_t cause_location, cause_stretch;
    bool starts; /* MPI_Init: the path begins here */
};

struct path {
    size_t parent;
    uint64_t region;
};

/* A part of the path. */
struct piece {
    uint64_t from, to;
    size_t location;
};

struct critical {
    const struct o_waits *w;
    bool scans;
    struct o_list pieces;
    struct o_list *stretches; /* by location */
    size_t **stretch_at;      /* [location][event] */
    struct o_list paths;      /* 0: outside of any call */
    uint64_t targets[3], reversed[3], jumps;
    uint64_t from, to;
    uint64_t **on_path, **busy; /* [location][path] */
};

static struct stretch *stretch_of(const struct critical *c, size_t l, size_t e)
{
    return (struct stretch *)c->stretches[l].item + c->stretch_at[l][e];
}

static bool same_name(const struct critical *c, uint64_t a, uint64_t b)
{
    char x[32], y[32];
    return !strcmp(o_region_name(c->w->m->trace, a, x), o_region_name(c->w->m->trace, b, y));
}

static size_t path_of(struct critical *c, size_t l, size_t call)
{
    const struct o_call *x = o_call(c->w, l, call);
    if (!x)
        return 0;
    size_t parent = path_of(c, l, x->parent);
    const struct path *p = c->paths.item;
    for (size_t i = 1; i < c->paths.n; i++)
        if (p[i].parent == parent && same_name(c, p[i].region, x->region))
            return i;
    *(struct path *)o_push(&c->paths, sizeof *p) = (struct path){parent, x->region};
    return c->paths.n - 1;
}

static void begin_stretch(struct critical *c, size_t l, uint64_t time, size_t path, bool in_program)
{
    struct stretch *s = c->stretches[l].item;
    bool first = c->stretches[l].n == 0;
    if (!first)
        s[c->stretches[l].n - 1].end = time;
    s = o_push(&c->stretches[l], sizeof *s);
    *s = (struct stretch){.start = time, .path = path, .is_first = first, .in_program = in_program};
}

/* ---- what a call is ---- */

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static bool is_between_processes(const struct o_region *r)
{
    return r->paradigm == OTF2_PARADIGM_MPI || r->paradigm == OTF2_PARADIGM_GASPI || r->paradigm == OTF2_PARADIGM_UPC ||
           r->paradigm == OTF2_PARADIGM_SHMEM;
}

/* A call in which a thread has nothing to do. */
static bool waits_for_work(const struct critical *c, size_t l, size_t call)
{
    char buffer[32];
    const struct o_call *x = o_call(c->w, l, call);
    const struct o_region *r = x ? o_find(&c->w->m->trace->regions, sizeof *r, x->region) : NULL;
    if (!r)
        return false;
    const char *name = o_region_name(c->w->m->trace, x->region, buffer);
    if (begins(name, "MPI_") || begins(name, "PMPI_") || begins(name, "pthread_"))
        return false;
    const bool is_plain = r->paradigm == OTF2_PARADIGM_UNKNOWN || r->paradigm == OTF2_PARADIGM_USER ||
                          r->paradigm == OTF2_PARADIGM_COMPILER || r->paradigm == OTF2_PARADIGM_SAMPLING ||
                          r->paradigm == OTF2_PARADIGM_NONE;
    return (r->role == OTF2_REGION_ROLE_TASK_WAIT && is_plain) || !strcmp(name, "Idle") ||
           !strcmp(name, "COMPUTE_IDLE") || strstr(name, "omp idle");
}

/* No call that communicates or synchronises: code of the user, or none at all. */
static bool is_user_code(const struct critical *c, size_t l, size_t call)
{
    static const uint8_t constructs[] = {OTF2_REGION_ROLE_BARRIER,     OTF2_REGION_ROLE_IMPLICIT_BARRIER,
                                         OTF2_REGION_ROLE_CRITICAL,    OTF2_REGION_ROLE_ORDERED,
                                         OTF2_REGION_ROLE_TASK_CREATE, OTF2_REGION_ROLE_TASK_WAIT,
                                         OTF2_REGION_ROLE_FLUSH,       OTF2_REGION_ROLE_ATOMIC};
    char buffer[32];
    const struct o_call *x = o_call(c->w, l, call);
    const struct o_region *r = x ? o_find(&c->w->m->trace->regions, sizeof *r, x->region) : NULL;
    if (!r)
        return !x;
    const char *name = o_region_name(c->w->m->trace, x->region, buffer);
    if (begins(name, "MPI_") || begins(name, "PMPI_") || begins(name, "pthread_") || is_between_processes(r) ||
        (r->role >= OTF2_REGION_ROLE_COLL_ONE2ALL && r->role <= OTF2_REGION_ROLE_DATA_TRANSFER) ||
        r->role == OTF2_REGION_ROLE_BARRIER || r->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER)
        return false;
    if (waits_for_work(c, l, call))
        return true;
    if (r->paradigm == OTF2_PARADIGM_OPENMP)
        return !memchr(constructs, r->role, sizeof constructs) && !begins(name, "omp_");
    return r->role != OTF2_REGION_ROLE_ARTIFICIAL && r->paradigm != OTF2_PARADIGM_MEASUREMENT_SYSTEM;
}

/* ---- stretches ---- */

/* A send that no call makes: what its task does before and behind it are two things. */
static bool is_free_send(const struct critical *c, size_t l, const struct o_event *event, size_t call)
{
    return (event->kind == O_MPI_SEND || event->kind == O_MPI_ISEND) && is_user_code(c, l, call);
}

/* Other threads begin with this event, or wait for it: what comes before it in the same call is no part of that. */
static bool others_depend_on(const struct o_event *event)
{
    return event->kind == O_THREAD_FORK || event->kind == O_OMP_FORK || event->kind == O_THREAD_CREATE ||
           event->kind == O_THREAD_TEAM_END || event->kind == O_THREAD_END;
}

static void find_stretches(struct critical *c, size_t l)
{
    const struct o_location *location = &c->w->m->trace->location[l];
    c->stretch_at[l] = o_alloc(location->n + 1, sizeof **c->stretch_at);
    bool in_program = false;
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        size_t call = c->w->call_at[l][e], left = call;
        uint64_t region, time = o_event_time(c->w, l, e);
        bool of_region = o_region_of(c->w->m->trace, event, &region);
        bool enters = of_region && (event->kind == O_ENTER || event->kind == O_CALLING_CONTEXT_ENTER);
        in_program |= event->kind == O_PROGRAM_BEGIN;
        if (e == 0)
            begin_stretch(c, l, time, 0, false);
        if (enters || event->kind == O_PROGRAM_BEGIN || others_depend_on(event) || is_free_send(c, l, event, call))
            begin_stretch(c, l, time, path_of(c, l, call), in_program);
        if (enters)
            ((struct stretch *)c->stretches[l].item)[c->stretches[l].n - 1].is_idle = waits_for_work(c, l, call);
        c->stretch_at[l][e] = c->stretches[l].n - 1;
        if (event->kind == O_PROGRAM_END) {
            in_program = false;
            begin_stretch(c, l, time, path_of(c, l, call), in_program);
        }
        while (of_region && !enters && left != O_NONE && o_call(c->w, l, left)->region != region)
            left = o_call(c->w, l, left)->parent;
        if (of_region && !enters && left != O_NONE) {
            const size_t to = o_call(c->w, l, left)->parent;
            begin_stretch(c, l, time, path_of(c, l, to), in_program);
            ((struct stretch *)c->stretches[l].item)[c->stretches[l].n - 1].is_idle = waits_for_work(c, l, to);
        }
    }
    if (location->n)
        ((struct stretch *)c->stretches[l].item)[c->stretches[l].n - 1].end = o_event_time(c->w, l, location->n - 1);
}

/* ---- who waited for whom ---- */

/* Stretch t may have waited until stretch s of another location began. The latest counts, then the first location.
 * made: what comes first on a location has waited for whoever made it, in any case. */
static void offer(struct critical *c, size_t tl, size_t t, size_t sl, size_t s, bool made)
{
    struct stretch *target = (struct stretch *)c->stretches[tl].item + t;
    const struct stretch *source = (struct stretch *)c->stretches[sl].item + s, *best;
    if (tl == sl || (source->start <= target->start && !(made && target->is_first)))
        return;
    if (target->waits) {
        best = (struct stretch *)c->stretches[target->cause_location].item + target->cause_stretch;
        if (best->start > source->start ||
            (best->start == source->start &&
             (target->cause_location < sl || (target->cause_location == sl && target->cause_stretch >= s))))
            return;
    }
    target->waits = true;
    target->cause_location = sl;
    target->cause_stretch = s;
}

/* An event waits for another one, which comes before it unless clocks are wrong. */
static void edge(struct critical *c, int relation, size_t sl, size_t s, size_t tl, size_t t, bool made)
{
    bool reversed = o_event_time(c->w, sl, s) > o_event_time(c->w, tl, t);
    c->targets[relation]++;
    c->reversed[relation] += reversed;
    if (!reversed && (relation == 2 || !o_only_tests(c->w, tl, c->w->call_at[tl][t])))
        offer(c, tl, c->stretch_at[tl][t], sl, c->stretch_at[sl][s], made);
}

/* A receive whose sender came later. */
static bool is_late_sender(const struct critical *c, const struct o_message *x)
{
    const struct stretch *sender = stretch_of(c, x->source_location, x->source);
    return sender->start > stretch_of(c, x->target_location, x->target)->start &&
           x->source_location != x->target_location &&
           o_event_time(c->w, x->source_location, x->source) <= o_event_time(c->w, x->target_location, x->target);
}

/* The event at which a send may wait for its receiver: its own, where it blocks; its completion. O_NONE: it doesn't
 * wait. */
static size_t waits_at(const struct critical *c, const struct o_message *x)
{
    size_t l = x->source_location, e = x->source;
    if (c->w->m->trace->location[l].event[e].kind != O_MPI_SEND)
        e = c->w->m->requests.done[l][e];
    else if (o_call_is(c->w, l, c->w->call_at[l][e], "MPI_Bsend") ||
             o_call_is(c->w, l, c->w->call_at[l][e], "MPI_Rsend") ||
             o_call_is(c->w, l, c->w->call_at[l][e], "MPI_Sendrecv") || is_user_code(c, l, c->w->call_at[l][e]))
        return O_NONE;
    return e == O_NONE || o_only_tests(c->w, l, c->w->call_at[l][e]) ? O_NONE : e;
}

/* A send that was not left, or completed, before its receiver had posted the receive. */
static void late_receiver(struct critical *c, const struct o_message *x)
{
    size_t l = x->source_location, e = waits_at(c, x), post = x->target;
    if (e == O_NONE)
        return;
    if (c->w->m->trace->location[x->target_location].event[post].kind != O_MPI_RECV &&
        c->w->m->requests.post[x->target_location][post] != O_NONE)
        post = c->w->m->requests.post[x->target_location][post];
    struct stretch *sender = stretch_of(c, l, e);
    if (stretch_of(c, x->target_location, post)->start < sender->end && (e == x->source || !sender->is_late))
        offer(c, l, c->stretch_at[l][e], x->target_location, c->stretch_at[x->target_location][post], false);
}

/* What is completed beside a late message may have been complete long before. */
static void find_late_senders(struct critical *c)
{
    const struct o_message *x = c->w->m->messages.item;
    for (size_t i = 0; i < c->w->m->messages.n; i++)
        if (x[i].trusted && x[i].source != O_NONE && x[i].target != O_NONE && is_late_sender(c, &x[i]))
            stretch_of(c, x[i].target_location, x[i].target)->is_late = true;
}

/* The idle stretch that ends before the receive at event e, and which that is the first thing to come behind. NULL:
 * there is none. Looks back from the receive. */
static struct stretch *idle_before(const struct critical *c, size_t l, size_t e)
{
    const struct o_event *event = c->w->m->trace->location[l].event;
    struct stretch *s = c->stretches[l].item;
    size_t i = c->stretch_at[l][e];
    if (s[i].is_idle)
        return NULL;
    while (i-- > 0 && !s[i].is_idle)
        if (s[i].path != 0 && s[i].end > s[i].start)
            return NULL; /* it was busy in between */
    if (i == SIZE_MAX)
        return NULL;
    for (size_t k = e; k-- > 0 && c->stretch_at[l][k] >= i;)
        if (event[k].kind == O_MPI_RECV || event[k].kind == O_MPI_IRECV)
            return NULL; /* another message came first */
    return &s[i];
}

static void idle(struct critical *c, const struct o_message *x)
{
    struct stretch *s = idle_before(c, x->target_location, x->target);
    if (s && stretch_of(c, x->source_location, x->source)->start < s->end &&
        o_event_time(c->w, x->source_location, x->source) <= o_event_time(c->w, x->target_location, x->target))
        offer(c, x->target_location, (size_t)(s - (struct stretch *)c->stretches[x->target_location].item),
              x->source_location, c->stretch_at[x->source_location][x->source], false);
}

static void messages(struct critical *c)
{
    const struct o_message *x = c->w->m->messages.item;
    find_late_senders(c);
    for (size_t i = 0; i < c->w->m->messages.n; i++) {
        if (!x[i].trusted || x[i].source == O_NONE || x[i].target == O_NONE)
            continue;
        edge(c, 0, x[i].source_location, x[i].source, x[i].target_location, x[i].target, false);
        late_receiver(c, &x[i]);
        idle(c, &x[i]);
    }
}

static bool non_blocking(const struct critical *c, const struct o_member *x)
{
    return c->w->m->trace->location[x->location].event[x->end].kind == O_NON_BLOCKING_COLLECTIVE_COMPLETE;
}

static bool came_later(const struct critical *c, const struct o_member *a, const struct o_member *b)
{
    uint64_t x = stretch_of(c, a->location, a->begin)->start, y = stretch_of(c, b->location, b->begin)->start;
    return x != y ? x > y : a->location < b->location;
}

/* A reduction that nobody leaves before all have entered synchronizes all of them. */
static bool all_to_one_to_all(struct critical *c, const struct o_member *x, size_t n)
{
    const struct o_member *last = NULL;
    uint64_t first_end = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        uint64_t end = o_event_time(c->w, x[i].location, x[i].end);
        first_end = end < first_end ? end : first_end;
        if (non_blocking(c, &x[i]) || x[i].canon->inter)
            return false;
        if (x[i].begin == O_NONE || (!x[i].is_source && !x[i].is_target))
            continue;
        if (!last || came_later(c, &x[i], last))
            last = &x[i];
    }
    if (!last || stretch_of(c, last->location, last->begin)->start >= first_end)
        return false;
    for (size_t i = 0; i < n; i++)
        offer(c, x[i].location, c->stretch_at[x[i].location][x[i].end], last->location,
              c->stretch_at[last->location][last->begin], false);
    return true;
}

static bool depends(const struct o_member *on, const struct o_member *who)
{
    bool ranks = who->op == OTF2_COLLECTIVE_OP_SCAN || who->op == OTF2_COLLECTIVE_OP_EXSCAN;
    if (on == who || !on->is_source || !who->is_target)
        return false;
    return ranks ? on->rank < who->rank : !who->canon->inter || on->side != who->side;
}

/* The source that a member waits for, if any: the last one to get there. */
static const struct o_member *last_source(const struct critical *c, const struct o_member *x, size_t n,
                                          const struct o_member *who)
{
    const struct o_member *last = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!depends(&x[i], who))
            continue;
        if (!last || came_later(c, &x[i], last))
            last = &x[i];
    }
    return last;
}

static bool is_to_one(uint8_t op)
{
    return op == OTF2_COLLECTIVE_OP_REDUCE || op == OTF2_COLLECTIVE_OP_GATHER || op == OTF2_COLLECTIVE_OP_GATHERV;
}

static void collective(struct critical *c, const struct o_member *x, size_t n)
{
    bool is_scan = x->op == OTF2_COLLECTIVE_OP_SCAN || x->op == OTF2_COLLECTIVE_OP_EXSCAN;
    if ((is_scan && !c->scans) || !x->consistent)
        return;
    for (size_t i = 0; i < n; i++) {
        const struct o_member *last = last_source(c, x, n, &x[i]);
        if (last)
            edge(c, 1, last->location, last->begin, x[i].location, x[i].end, false);
    }
    if (is_to_one(x->op))
        all_to_one_to_all(c, x, n);
}

static void collectives(struct critical *c)
{
    const struct o_member *x = c->w->m->members.item;
    for (size_t i = 0, n; i < c->w->m->members.n; i += n) {
        const struct o_canon *canon = x[i].canon;
        for (n = 1; i + n < c->w->m->members.n && o_same_instance(&x[i], &x[i + n]);)
            n++;
        if (canon && n == o_members_of(canon))
            collective(c, &x[i], n);
    }
}

/* Instances that all threads of the team went through. */
static void barriers(struct critical *c)
{
    const struct o_barrier *b = c->w->m->barriers.item;
    for (size_t i = 0, n; i < c->w->m->barriers.n; i += n) {
        const struct o_canon *team = o_canon_of(c->w->m, b[i].team);
        bool complete = true;
        for (n = 0; i + n < c->w->m->barriers.n && b[i + n].team == b[i].team && b[i + n].number == b[i].number &&
                    b[i + n].ordinal == b[i].ordinal;
             n++)
            complete = complete && b[i + n].leave != O_NONE;
        if (!complete || !team || n != team->side[0].n)
            continue;
        for (size_t t = i; t < i + n; t++) {
            size_t last = O_NONE;
            for (size_t s = i; s < i + n; s++)
                if (s != t && (last == O_NONE || stretch_of(c, b[s].location, b[s].enter)->start >
                                                     stretch_of(c, b[last].location, b[last].enter)->start))
                    last = s;
            if (last != O_NONE)
                edge(c, 2, b[last].location, b[last].enter, b[t].location, b[t].leave, false);
        }
    }
}

/* Of the ends of a team the last one counts, then the first location. */
static bool is_last_end(const struct critical *c, const struct o_thread_edge *x, size_t n,
                        const struct o_thread_edge *end)
{
    uint64_t start = stretch_of(c, end->source_location, end->source)->start, other;
    for (size_t i = 0; i < n; i++) {
        if (x[i].class != O_JOIN || x[i].target_location != end->target_location || x[i].target != end->target ||
            x[i].source_location == x[i].target_location)
            continue;
        other = stretch_of(c, x[i].source_location, x[i].source)->start;
        if (other > start || (other == start && x[i].source_location < end->source_location))
            return false;
    }
    return true;
}

static void threads(struct critical *c)
{
    const struct o_thread_edge *x = c->w->m->thread_edges.item;
    size_t n = c->w->m->thread_edges.n;
    for (size_t i = 0; i < n; i++)
        if (x[i].class != O_RMA_OP && x[i].source_location != x[i].target_location &&
            (x[i].class != O_JOIN || is_last_end(c, x, n, &x[i])))
            edge(c, 2, x[i].source_location, x[i].source, x[i].target_location, x[i].target,
                 x[i].class == O_FORK || x[i].class == O_CREATE);
}

/* ---- begin and end ---- */

static void find_begin(struct critical *c)
{
    struct o_list calls = {0};
    o_program_calls(c->w, false, &calls);
    const struct o_spot *x = calls.item;
    for (size_t i = 0; i < calls.n; i++)
        stretch_of(c, x[i].location, o_call(c->w, x[i].location, x[i].call)->first)->starts = true;
    free(calls.item);
}

/* Where the walk starts: behind which stretch of which location. */
static bool find_end(const struct critical *c, size_t *location, size_t *stretch)
{
    const struct o_trace *trace = c->w->m->trace;
    struct o_list calls = {0};
    bool found = false;
    uint64_t last = 0;
    bool has_finalize = o_program_calls(c->w, true, &calls);
    const struct o_spot *x = calls.item;
    for (size_t i = 0; has_finalize && i < calls.n; i++)
        if (!found || x[i].time > last) {
            found = true;
            last = x[i].time;
            *location = x[i].location;
            *stretch = c->stretch_at[x[i].location][o_call(c->w, x[i].location, x[i].call)->first];
        }
    free(calls.item);
    for (int threads_only = 1; !found && threads_only >= 0; threads_only--)
        for (size_t l = 0; l < trace->n_locations; l++) {
            if (trace->location[l].n == 0 || (threads_only && trace->location[l].type != OTF2_LOCATION_TYPE_CPU_THREAD))
                continue;
            uint64_t end = ((const struct stretch *)c->stretches[l].item)[c->stretches[l].n - 1].end;
            if (found && end <= last)
                continue;
            found = true;
            last = end;
            *location = l;
            *stretch = c->stretches[l].n;
        }
    return found;
}

static void walk(struct critical *c)
{
    size_t l, i;
    if (!find_end(c, &l, &i))
        return;
    const struct stretch *s = c->stretches[l].item;
    c->to = c->from = i < c->stretches[l].n ? s[i].start : s[i - 1].end;
    while (i > 0) {
        s = (const struct stretch *)c->stretches[l].item + --i;
        const struct stretch *cause =
            s->waits && !s->starts ? (const struct stretch *)c->stretches[s->cause_location].item + s->cause_stretch
                                   : s;
        c->on_path[l][s->path] += s->end - cause->start;
        struct piece *p = o_push(&c->pieces, sizeof *p);
        *p = (struct piece){cause->start, s->end, l};
        c->from = cause->start;
        if (s->starts)
            return;
        if (s->waits) {
            c->jumps++;
            l = s->cause_location;
            i = s->cause_stretch;
        }
    }
}

/* What each location did without the waits, in calls and outside of them within the program. */
static void find_busy(struct critical *c)
{
    struct o_list calls = {0};
    bool all_there = o_program_calls(c->w, true, &calls);
    const struct o_spot *x = calls.item;
    uint64_t latest = 0;
    for (size_t l = 0; l < c->w->m->trace->n_locations; l++) {
        const struct stretch *s = c->stretches[l].item;
        for (size_t i = 0; i < c->stretches[l].n; i++) {
            uint64_t start = s[i].start;
            if (s[i].waits && !s[i].starts)
                start = ((const struct stretch *)c->stretches[s[i].cause_location].item)[s[i].cause_stretch].start;
            if (s[i].path != 0 || s[i].in_program)
                c->busy[l][s[i].path] += s[i].end - start;
        }
    }
    for (size_t i = 0; all_there && i < calls.n; i++)
        latest = x[i].time > latest ? x[i].time : latest;
    for (size_t i = 0; all_there && i < calls.n; i++) {
        const struct stretch *s = stretch_of(c, x[i].location, o_call(c->w, x[i].location, x[i].call)->last);
        uint64_t *busy = &c->busy[x[i].location][s->path];
        uint64_t wait = latest <= s->start ? 0 : (latest < s->end ? latest : s->end) - s->start;
        *busy -= wait < *busy ? wait : *busy;
    }
    free(calls.item);
}

/* ---- output ---- */

static void print_path(const struct critical *c, size_t path)
{
    const struct path *p = (const struct path *)c->paths.item + path;
    char buffer[32];
    if (path == 0)
        return;
    print_path(c, p->parent);
    printf("%s%s", p->parent == 0 ? "" : "/", o_region_name(c->w->m->trace, p->region, buffer));
}

/* What the path is made of, and the imbalance of each call path; see the definitions. */
static void print_paths(const struct critical *c)
{
    const struct o_trace *trace = c->w->m->trace;
    size_t n_locations = trace->n_locations, n_paths = c->paths.n, n_threads = 0;
    double *whole = o_alloc(n_paths, sizeof *whole), *intra = o_alloc(n_paths, sizeof *intra),
           *inter = o_alloc(n_paths, sizeof *inter);
    double length = 0;
    for (size_t p = 0; p < n_paths; p++)
        for (size_t l = 0; l < n_locations; l++)
            whole[p] += (double)c->on_path[l][p];
    for (size_t p = 0; p < n_paths; p++)
        length += whole[p];
    for (size_t l = 0; l < n_locations; l++) {
        if (trace->location[l].type != OTF2_LOCATION_TYPE_CPU_THREAD || trace->location[l].n == 0)
            continue;
        double own = 0, less = 0, other = 0, absent = 0;
        n_threads++;
        for (size_t p = 0; p < n_paths; p++) {
            double busy = (double)c->busy[l][p];
            own += busy;
            less += whole[p] > busy ? whole[p] - busy : 0;
            other += busy == 0 ? 0 : whole[p] > busy ? whole[p] : busy;
            absent += busy == 0 ? whole[p] : 0;
        }
        for (size_t p = 0; p < n_paths; p++) {
            double busy = (double)c->busy[l][p];
            if (less > 0 && whole[p] > busy)
                intra[p] += (whole[p] - busy) * (length - own) / less;
            if (absent > 0 && busy == 0)
                inter[p] += whole[p] * (length - other) / absent;
        }
    }
    for (size_t p = 0; p < n_paths; p++) {
        double active = 0, off = 0, sum = 0;
        for (size_t l = 0; l < n_locations; l++) {
            double busy = (double)c->busy[l][p];
            if (trace->location[l].type != OTF2_LOCATION_TYPE_CPU_THREAD)
                continue;
            sum += busy;
            active += whole[p] > 0 ? busy < whole[p] ? busy : whole[p] : 0;
            off += busy > whole[p] ? busy - whole[p] : 0;
        }
        double average = n_threads ? sum / (double)n_threads : 0;
        if (whole[p] == 0 && sum == 0)
            continue;
        printf("callpath,%.0f,%.2f,%.0f,%.2f,%.2f,%.0f,", whole[p], whole[p] > average ? whole[p] - average : 0, active,
               whole[p] > 0 && intra[p] > 0 ? intra[p] : 0, whole[p] > 0 && inter[p] > 0 ? inter[p] : 0, off);
        print_path(c, p);
        putchar('\n');
    }
    free(whole);
    free(intra);
    free(inter);
}

/* Every piece is compared with every bin. */
static void print_over_time(const struct critical *c, uint64_t most)
{
    const struct o_trace *trace = c->w->m->trace;
    const struct piece *p = c->pieces.item;
    struct o_time_bins bins;
    if (!o_find_time_bins(trace, most, &bins))
        return;
    for (__int128 bin = bins.first; bin <= bins.last; bin++)
        for (size_t l = 0; l < trace->n_locations; l++) {
            __int128 begin = (__int128)trace->origin + bin * bins.width, end = begin + bins.width, ticks = 0;
            for (size_t i = 0; i < c->pieces.n; i++)
                if (p[i].location == l && p[i].to > begin && p[i].from < end)
                    ticks += (p[i].to < end ? p[i].to : end) - (p[i].from > begin ? p[i].from : begin);
            if (ticks > 0)
                printf("time,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", (uint64_t)begin, (uint64_t)bins.width,
                       trace->location[l].def.id, (uint64_t)ticks);
        }
}

static void print(const struct critical *c)
{
    const struct o_trace *trace = c->w->m->trace;
    static const char *const of[] = {"messages", "collectives", "threads"};
    printf("path,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", c->from, c->to, c->jumps);
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t p = 0; p < c->paths.n; p++)
            if (c->on_path[l][p] > 0) {
                printf("location,%" PRIu64 ",%" PRIu64 ",", trace->location[l].def.id, c->on_path[l][p]);
                print_path(c, p);
                putchar('\n');
            }
    print_paths(c);
    for (int i = 0; i < 3; i++)
        printf("clocks,%s,%" PRIu64 ",%" PRIu64 "\n", of[i], c->targets[i], c->reversed[i]);
}

void o_print_critical_path(const struct o_waits *w, bool scans, uint64_t time_bins)
{
    size_t n = w->m->trace->n_locations;
    struct critical c = {.w = w, .scans = scans};
    c.stretches = o_alloc(n, sizeof *c.stretches);
    c.stretch_at = o_alloc(n, sizeof *c.stretch_at);
    c.on_path = o_alloc(n, sizeof *c.on_path);
    c.busy = o_alloc(n, sizeof *c.busy);
    o_push(&c.paths, sizeof(struct path));
    for (size_t l = 0; l < n; l++)
        find_stretches(&c, l);
    for (size_t l = 0; l < n; l++) {
        c.on_path[l] = o_alloc(c.paths.n, sizeof **c.on_path);
        c.busy[l] = o_alloc(c.paths.n, sizeof **c.busy);
    }
    messages(&c);
    collectives(&c);
    barriers(&c);
    threads(&c);
    find_begin(&c);
    walk(&c);
    find_busy(&c);
    print(&c);
    print_over_time(&c, time_bins);
    for (size_t l = 0; l < n; l++) {
        free(c.stretches[l].item);
        free(c.stretch_at[l]);
        free(c.on_path[l]);
        free(c.busy[l]);
    }
    free(c.stretches);
    free(c.stretch_at);
    free(c.on_path);
    free(c.busy);
    free(c.paths.item);
    free(c.pieces.item);
}
