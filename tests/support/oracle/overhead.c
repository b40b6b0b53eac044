/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Overhead compensation, event by event over the whole trace: plugins/overhead/README.md and the paper read aloud.
 * Events are taken in any order in which the sources of an event come before it. Every event asks the trace for all it
 * needs to know: calls are looked for backward and forward, nothing is carried along but the times of the events
 * before. */
#include "overhead.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef __int128 big;

/* What an event depends on. */
struct cause {
    size_t location, event;
    struct o_edge edge;
};

struct run {
    const struct o_matching *m;
    const struct o_overhead_options *o;
    struct o_compensation *result;
    struct o_list causes; /* struct cause, by location and event */
    struct o_list posts;  /* struct o_post, by target */
    uint64_t **is_target; /* is there an edge that the event may wait at? */
    uint64_t **owed;      /* behind each event: overhead for which there was no time */
    uint64_t **spent;     /* before each event: what its location's events have cost; millionths of a tick */
    size_t *leader;       /* by location, O_NONE */
    size_t *next;
};

/* ---- options ---- */

static bool number(const char *text, uint64_t *value)
{
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 10);
    return *end == '\0';
}

/* Like 25 or 0.025. */
static bool cost_option(const char *text, struct o_cost *cost)
{
    char whole[32] = "";
    const size_t n = text ? strcspn(text, ".") : 0;
    if (n == 0 || n >= sizeof whole)
        return false;
    memcpy(whole, text, n);
    cost->millionths = 0;
    if (text[n] == '.') {
        const size_t digits = strlen(text + n + 1);
        if (digits > 6 || !number(text + n + 1, &cost->millionths))
            return false;
        for (size_t i = digits; i < 6; i++)
            cost->millionths *= 10;
    }
    return number(whole, &cost->ticks);
}

static bool kind_option(struct o_overhead_options *o, const char *value)
{
    const char *colon = value ? strchr(value, ':') : NULL;
    for (size_t k = 0; colon && k < O_KINDS; k++)
        if (strlen(o_kinds[k].name) == (size_t)(colon - value) &&
            !strncmp(o_kinds[k].name, value, (size_t)(colon - value)))
            return o->has_kind[k] = cost_option(colon + 1, &o->kind[k]);
    return false;
}

static bool copy_option(struct o_overhead_options *o, const char *value)
{
    char *end;
    struct o_copy *copy = o_push(&o->copy, sizeof *copy);
    copy->size = value ? strtoull(value, &end, 10) : 0;
    return copy->size > 0 && *end == ':' && number(end + 1, &copy->ticks);
}

static bool mode_option(struct o_overhead_options *o, const char *value)
{
    static const char *const modes[] = {"lower", "upper", "mean", "likely"};
    for (unsigned i = 0; value && i < 4; i++)
        if (!strcmp(value, modes[i])) {
            o->mode = i;
            return true;
        }
    return false;
}

int o_overhead_option(struct o_overhead_options *o, const char *option, const char *value)
{
    if (!strcmp(option, "--event"))
        return cost_option(value, &o->event) ? 2 : -1;
    if (!strcmp(option, "--attribute"))
        return cost_option(value, &o->attribute) ? 2 : -1;
    if (!strcmp(option, "--metric-value"))
        return cost_option(value, &o->metric_value) ? 2 : -1;
    if (!strcmp(option, "--carry"))
        return number(value, &o->carry) ? 2 : -1;
    if (!strcmp(option, "--handover"))
        return number(value, &o->handover) ? 2 : -1;
    if (!strcmp(option, "--handshake"))
        return number(value, &o->handshake) ? 2 : -1;
    if (!strcmp(option, "--rendezvous")) {
        o->sends_wait = true;
        o->rendezvous = UINT64_MAX;
        return value && (!strcmp(value, "synchronous") || number(value, &o->rendezvous)) ? 2 : -1;
    }
    if (!strcmp(option, "--kind"))
        return kind_option(o, value) ? 2 : -1;
    if (!strcmp(option, "--copy"))
        return copy_option(o, value) ? 2 : -1;
    if (!strcmp(option, "--mode"))
        return mode_option(o, value) ? 2 : -1;
    if (!strcmp(option, "--paper"))
        return o->paper = true;
    if (!strcmp(option, "--common"))
        return o->common = true;
    if (!strcmp(option, "--keep-off"))
        return o->keep_off = true;
    return 0;
}

/* ---- what the trace says of an event ---- */

static const struct o_event *event_at(const struct run *r, size_t l, size_t e)
{
    return &r->m->trace->location[l].event[e];
}

static big measured(const struct run *r, size_t l, size_t e)
{
    return event_at(r, l, e)->time;
}

static big approximated(const struct run *r, size_t l, size_t e)
{
    return r->result->approximated[l][e];
}

static big released(struct run *r, size_t l, size_t e);
static bool is_thread(const struct o_trace *trace, size_t l);

/* That of the event before, or when the call that it ends has got all that it waited for. */
static big approximated_before(struct run *r, size_t l, size_t e)
{
    big release = released(r, l, e), time = approximated(r, l, e - 1);
    return release > time ? release : time;
}

static bool enters(const struct o_event *event)
{
    return event->kind == O_ENTER || event->kind == O_CALLING_CONTEXT_ENTER;
}

static bool leaves(const struct o_event *event)
{
    return event->kind == O_LEAVE || event->kind == O_CALLING_CONTEXT_LEAVE;
}

static bool ends_non_blocking(const struct o_event *event)
{
    return event->kind == O_NON_BLOCKING_COLLECTIVE_COMPLETE;
}

static bool ends_collective(const struct o_event *event)
{
    return event->kind == O_MPI_COLLECTIVE_END || event->kind == O_RMA_COLLECTIVE_END || ends_non_blocking(event);
}

static bool receives(const struct o_event *event)
{
    return event->kind == O_MPI_RECV || event->kind == O_MPI_IRECV;
}

/* Is a region of the measurement system open just before an event? */
static bool is_in_measurement_system(const struct run *r, size_t l, size_t e)
{
    struct o_list open = {0};
    size_t n = 0;
    char buffer[32];
    for (size_t i = 0; i < e; i++)
        if (enters(event_at(r, l, i)))
            *(size_t *)o_push(&open, sizeof(size_t)) = i;
        else if (leaves(event_at(r, l, i)) && open.n)
            open.n--;
    for (size_t i = 0; i < open.n; i++) {
        uint64_t region;
        const struct o_event *enter = event_at(r, l, ((size_t *)open.item)[i]);
        const char *name = o_region_of(r->m->trace, enter, &region) ? o_region_name(r->m->trace, region, buffer) : "";
        n += !strcmp(name, "TRACE BUFFER FLUSH") || !strcmp(name, "BUFFER FLUSH") ||
             !strcmp(name, "flush_cupti_activity_buffer") || (!strcmp(name, "MEASUREMENT OFF") && !r->o->keep_off);
    }
    free(open.item);
    return n > 0;
}

/* Is measurement off just before an event, or the measurement system at work? */
static bool is_off(const struct run *r, size_t l, size_t e)
{
    if (is_in_measurement_system(r, l, e))
        return true;
    while (e-- > 0)
        if (event_at(r, l, e)->kind == O_MEASUREMENT_ON_OFF)
            return !r->o->keep_off && event_at(r, l, e)->field[0] != OTF2_MEASUREMENT_ON;
    return false;
}

static big millionths(struct o_cost cost)
{
    return (big)cost.ticks * 1000000 + cost.millionths;
}

/* In millionths of a tick. */
static big cost_of(const struct run *r, size_t l, size_t e)
{
    const struct o_event *event = event_at(r, l, e);
    const struct o_overhead_options *o = r->o;
    if (is_off(r, l, e) || r->m->trace->location[l].type != OTF2_LOCATION_TYPE_CPU_THREAD)
        return 0;
    big cost = millionths(o->has_kind[event->kind] ? o->kind[event->kind] : o->event);
    if (event->kind == O_METRIC)
        cost += millionths(o->metric_value) * event->n_values;
    return cost + millionths(o->attribute) * event->n_attributes;
}

/* The whole ticks by which this event's cost raises the sum of the costs of its location. */
static big overhead(const struct run *r, size_t l, size_t e)
{
    return (r->spent[l][e] + cost_of(r, l, e)) / 1000000 - r->spent[l][e] / 1000000;
}

/* Where time that counts begins behind event e: at the event, or at the end of a flush. */
static big begin_of_time(const struct run *r, size_t l, size_t e)
{
    big latest = 0;
    for (size_t i = 0; i <= e; i++) {
        const struct o_event *event = event_at(r, l, i);
        big until = event->kind == O_BUFFER_FLUSH && event->field[0] > event->time ? event->field[0] : event->time;
        latest = until > latest ? until : latest;
    }
    return latest;
}

/* The enter of the call that is open at an event; O_NONE. */
static size_t call_around(const struct run *r, size_t l, size_t e)
{
    struct o_list open = {0};
    for (size_t i = 0; i < e; i++)
        if (enters(event_at(r, l, i)))
            *(size_t *)o_push(&open, sizeof(size_t)) = i;
        else if (leaves(event_at(r, l, i)) && open.n)
            open.n--;
    size_t found = open.n ? ((size_t *)open.item)[open.n - 1] : O_NONE;
    free(open.item);
    return found;
}

/* When the call of a send is left; false: not before its location itself receives, or not at all. */
static bool exit_of_send(const struct run *r, size_t l, size_t e, big *exit)
{
    const struct o_location *location = &r->m->trace->location[l];
    size_t depth = 1;
    *exit = measured(r, l, e);
    if (call_around(r, l, e) == O_NONE)
        return true;
    for (size_t i = e + 1; i < location->n; i++) {
        const struct o_event *event = &location->event[i];
        *exit = event->time;
        if (depth == 1 && (receives(event) || ends_collective(event)))
            return false;
        depth += enters(event);
        if (leaves(event) && --depth == 0)
            return !r->is_target[l][i];
    }
    return false;
}

/* The same of the root of a one-to-n whose begin is event e. */
static bool exit_of_root(const struct run *r, size_t l, size_t e, big *exit)
{
    size_t end = r->m->requests.done[l][e];
    if (end == O_NONE)
        return false;
    *exit = measured(r, l, end);
    for (size_t i = e; i < end; i++)
        if (r->is_target[l][i])
            return false;
    return true;
}

static uint64_t size_of(const struct o_event *event)
{
    switch (event->kind) {
    case O_MPI_RECV:
    case O_MPI_IRECV:
        return event->field[3];
    case O_MPI_COLLECTIVE_END:
    case O_NON_BLOCKING_COLLECTIVE_COMPLETE:
        return event->field[4];
    case O_RMA_COLLECTIVE_END:
        return event->field[5];
    default:
        return 0;
    }
}

/* C(size) * size */
static big copying(const struct run *r, uint64_t size)
{
    const struct o_copy *c = r->o->copy.item;
    size_t n = r->o->copy.n, i = 0;
    if (n == 0)
        return 0;
    while (i < n && c[i].size < size)
        i++;
    if (i < n && c[i].size == size)
        return c[i].ticks;
    if (i == 0 || i == n) {
        i = i == 0 ? 0 : n - 1;
        return (big)c[i].ticks * size / c[i].size;
    }
    big rise = (big)c[i].ticks - (big)c[i - 1].ticks; /* C rounds towards c[i - 1] */
    return c[i - 1].ticks + rise * (big)(size - c[i - 1].size) / (big)(c[i].size - c[i - 1].size);
}

/* Overhead between the completion of what an event waits for and the event. */
static big overhead_behind(const struct run *r, size_t l, size_t e)
{
    big sum = overhead(r, l, e);
    bool completion = receives(event_at(r, l, e)) || ends_non_blocking(event_at(r, l, e)) ||
                      event_at(r, l, e)->kind == O_MPI_ISEND_COMPLETE;
    while (completion && e-- > 0) {
        const struct o_event *event = event_at(r, l, e);
        if (!receives(event) && !ends_non_blocking(event) && event->kind != O_MPI_ISEND_COMPLETE)
            break;
        sum += overhead(r, l, e);
    }
    return r->o->paper ? 0 : sum;
}

static bool completes(const struct o_event *event)
{
    return receives(event) || ends_non_blocking(event) || event->kind == O_MPI_ISEND_COMPLETE;
}

/* Is the event in a call that may complete several requests? */
static bool completes_several(const struct run *r, size_t l, size_t e)
{
    size_t call = call_around(r, l, e);
    uint64_t region;
    char buffer[32];
    if (call == O_NONE || !o_region_of(r->m->trace, event_at(r, l, call), &region))
        return false;
    const char *name = o_region_name(r->m->trace, region, buffer);
    return !strcasecmp(name, "MPI_Waitall") || !strcasecmp(name, "MPI_Waitsome") || !strcasecmp(name, "MPI_Testall") ||
           !strcasecmp(name, "MPI_Testsome");
}

/* ---- the equations ---- */

static big largest(big a, big b)
{
    return a > b ? a : b;
}

static big smallest(big a, big b)
{
    return a < b ? a : b;
}

/* Measured and approximated time. */
struct moment {
    big m, a;
};

/* When an event comes, and when it came if its location had nothing to wait for. */
struct outcome {
    big a, alone;
};

/* The event before an event, or before the completions in a row that it is the last one of. */
static struct moment ready(struct run *r, size_t l, size_t e)
{
    while (e > 0 && completes(event_at(r, l, e)) && completes(event_at(r, l, e - 1)))
        e--;
    if (e == 0)
        return (struct moment){measured(r, l, 0), 0};
    return (struct moment){begin_of_time(r, l, e - 1), approximated_before(r, l, e)};
}

/* What was sent arrived at some time from `first` to `last`, so an event that was done at `done` with it and with what
 * its own process did comes at some time between two bounds: those of straight lines, which change where the arrival
 * passes the process, measured or approximated. Of equal ones the latest arrival counts for the lower, the earliest for
 * the upper bound. */
static struct outcome arrive(const struct run *r, struct moment send, struct moment own, big done, big first, big last)
{
    big at[4] = {first, last, own.m, own.a - send.a + send.m};
    struct outcome lower = {-1, 0}, upper = {-1, 0};
    big lower_at = 0, upper_at = 0;
    for (int i = 0; i < 4; i++) {
        big arrival = largest(first, smallest(last, at[i]));
        big behind = largest(done - largest(own.m, arrival), 0);
        big a = largest(own.a, send.a + arrival - send.m) + behind;
        if (i == 0 || a < lower.a || (a == lower.a && arrival > lower_at)) {
            lower = (struct outcome){a, own.a + behind};
            lower_at = arrival;
        }
        if (i == 0 || a > upper.a || (a == upper.a && arrival < upper_at)) {
            upper = (struct outcome){a, own.a + behind};
            upper_at = arrival;
        }
    }
    if (r->o->mode == O_MEAN)
        return (struct outcome){(lower.a + upper.a) / 2, (lower.alone + upper.alone) / 2};
    return r->o->mode == O_UPPER ? upper : lower;
}

/* eq. 2 to 11; exit: NULL when it is not known. */
static struct outcome receive_literally(struct run *r, size_t l, size_t e, struct moment send, const big *exit,
                                        struct moment enter)
{
    big comm = largest(measured(r, l, e) - send.m, 0), copy = copying(r, size_of(event_at(r, l, e)));
    if (!exit || enter.m <= *exit) {
        r->result->m1++;
        bool waits = send.a + comm > enter.a;
        r->result->a1 += waits;
        r->result->a2 += !waits;
        return (struct outcome){waits ? send.a + comm : enter.a + copy, enter.a + copy};
    }
    r->result->m2++;
    big least = enter.a + copy - send.a; /* eq. 8 */
    big lower = send.a + largest(2 * copy, least), upper = send.a + largest(comm, least);
    big a = r->o->mode == O_UPPER ? upper : r->o->mode == O_MEAN ? (lower + upper) / 2 : lower;
    return (struct outcome){a, enter.a + copy};
}

/* The latest of the sends that the completions in a row up to event e stand for, and when all of them can have been
 * there at the earliest and at the latest. */
struct together {
    struct moment send, own;
    big done, earliest, likely, latest; /* done < 0: there are none */
};
static struct together completed_together(struct run *r, size_t l, size_t e);

static struct outcome receive(struct run *r, size_t l, size_t e, struct moment send, bool waits_for_post)
{
    struct moment own = ready(r, l, e);
    big done = largest(measured(r, l, e) - overhead_behind(r, l, e), 0), comm = largest(done - send.m, 0);
    big cost = copying(r, size_of(event_at(r, l, e)));
    big copy = smallest(cost, largest(done - largest(own.m, send.m), 0));
    bool waited = own.m <= send.m, waits = send.a + comm > own.a + copy;
    r->result->m1 += waited;
    r->result->m2 += !waited;
    r->result->a1 += waited && waits;
    r->result->a2 += waited && !waits;
    if (event_at(r, l, e)->kind == O_MPI_IRECV && !waited && !completes_several(r, l, e)) {
        struct outcome lower = {largest(send.a + smallest(2 * cost, comm), own.a + copy), own.a + copy};
        big whole = own.a + largest(done - own.m, 0);
        struct outcome upper = {largest(send.a + comm, whole), whole};
        if (r->o->mode == O_MEAN)
            return (struct outcome){(lower.a + upper.a) / 2, (lower.alone + upper.alone) / 2};
        return r->o->mode == O_UPPER ? upper : lower;
    }
    if (!completes(event_at(r, l, e)) || !completes_several(r, l, e)) {
        big last = largest(send.m, done - copy);
        if (waits_for_post) /* the receiver soon knew of it; it left when both were there */
            return arrive(r, send, own, done, send.m,
                          largest(send.m, smallest(done, send.m + (big)r->o->handshake + cost)));
        return arrive(r, send, own, done, smallest(send.m + copy, last), last);
    }
    big lower = largest(send.a + smallest(2 * cost, comm), own.a + copy);
    big upper = largest(send.a + comm, completed_together(r, l, e).latest);
    big a = r->o->mode == O_UPPER ? upper : r->o->mode == O_MEAN ? (lower + upper) / 2 : lower;
    return (struct outcome){a, own.a + copy};
}

/* The post that the end of a send waits for, none that was given up; NULL: there is none. */
static struct o_post *post_for(const struct run *r, size_t l, size_t e)
{
    struct o_post *post = r->posts.item;
    for (size_t i = 0; i < r->posts.n; i++)
        if (post[i].target_location == l && post[i].target == e && !post[i].given_up)
            return &post[i];
    return NULL;
}

/* Does a post bind the end of a send? It doesn't where it came later, or so long before that nothing was to wait for.
 */
static bool is_bound_by_post(struct run *r, size_t l, size_t e, struct moment *post)
{
    const struct o_post *of = post_for(r, l, e);
    big reach = r->o->handshake;
    if (!of || !of->known || !is_thread(r->m->trace, l))
        return false;
    struct moment own = ready(r, l, e);
    *post =
        (struct moment){measured(r, of->source_location, of->source), approximated(r, of->source_location, of->source)};
    return post->m <= measured(r, l, e) && (post->m + reach > own.m || post->a + reach > own.a);
}

/* Is it one of several that a call has waited for, and not posted before the call? */
static bool is_bound_together(struct run *r, size_t l, size_t e, struct moment *post)
{
    return event_at(r, l, e)->kind == O_MPI_ISEND_COMPLETE && completes_several(r, l, e) &&
           is_bound_by_post(r, l, e, post) && post->m > ready(r, l, e).m;
}

/* The end of a send, which a post binds. */
static struct outcome end_of_send(struct run *r, size_t l, size_t e, struct moment post)
{
    struct moment own = ready(r, l, e), ignored;
    big done = largest(measured(r, l, e) - overhead_behind(r, l, e), 0);
    bool completion = event_at(r, l, e)->kind == O_MPI_ISEND_COMPLETE;
    if (is_bound_together(r, l, e, &ignored)) {
        big lower = largest(post.a, own.a);
        big upper = largest(post.a + largest(done - post.m, 0), completed_together(r, l, e).latest);
        big a = r->o->mode == O_UPPER ? upper : r->o->mode == O_MEAN ? (lower + upper) / 2 : lower;
        return (struct outcome){a, own.a};
    }
    big before = r->o->handshake, behind = r->o->handshake, last = done;
    if (!completion || post.m <= own.m)
        last = smallest(done, post.m + behind);
    if (!completion)
        before += copying(r, event_at(r, l, post_for(r, l, e)->send)->field[3]);
    big first = post.m - smallest(before, smallest(post.m, post.a));
    last = largest(first, last);
    if (r->o->mode == O_LIKELY)
        first = last = smallest(post.m, last);
    return arrive(r, post, own, done, first, last);
}

/* The earliest end of an operation of which all leave at once; O_NONE: the event is no end of such a one. */
static bool common_exit(const struct run *r, size_t l, size_t e, const struct o_relation *relation, big *exit)
{
    const struct o_event *event = event_at(r, l, e);
    const struct o_participant *p = (const struct o_participant *)r->m->participants.item + relation->first;
    if (!r->o->common || ends_non_blocking(event) || !ends_collective(event))
        return false;
    if (relation->class != O_N_TO_N && relation->class != O_RMA_N_TO_N)
        return false;
    uint64_t op = event->field[0];
    if (op == OTF2_COLLECTIVE_OP_ALLGATHERV || op == OTF2_COLLECTIVE_OP_ALLTOALLV ||
        op == OTF2_COLLECTIVE_OP_ALLTOALLW || op == OTF2_COLLECTIVE_OP_REDUCE_SCATTER)
        return false;
    *exit = measured(r, l, e);
    for (size_t i = 0; i < relation->n; i++)
        if (p[i].target != O_NONE)
            *exit = smallest(*exit, measured(r, p[i].location, p[i].target));
    return true;
}

/* eq. 12, 13 */
static struct outcome synchronise(const struct run *r, size_t l, size_t e, struct moment latest,
                                  const struct moment *own, const struct o_relation *relation)
{
    big exit = measured(r, l, e);
    big behind = ends_collective(event_at(r, l, e)) ? overhead_behind(r, l, e) : overhead(r, l, e);
    common_exit(r, l, e, relation, &exit);
    if (own)
        latest = (struct moment){largest(latest.m, own->m), largest(latest.a, own->a)};
    big delay = is_off(r, l, e) ? 0 : largest(exit - latest.m - behind, 0);
    return (struct outcome){latest.a + delay, own ? own->a + delay : 0};
}

/* ---- one event ---- */

static struct moment moment_of(const struct run *r, size_t l, size_t e)
{
    return (struct moment){measured(r, l, e), approximated(r, l, e)};
}

/* What the paper's equations ask of something that is received like a message. */
struct reception {
    struct moment enter;
    big exit;
    bool known;
};

static struct reception reception_of(struct run *r, size_t l, size_t e, const struct cause *cause, struct moment latest)
{
    const struct o_event *event = event_at(r, l, e);
    size_t call = call_around(r, l, e), begin = ends_collective(event) ? o_usable_post(r->m, l, e) : O_NONE;
    bool to_n = cause->edge.class == O_ONE_TO_N || cause->edge.class == O_RMA_ONE_TO_N;
    struct reception x = {.enter = {measured(r, l, e), 0}, .exit = latest.m, .known = true};
    if (e > 0)
        x.enter = (struct moment){begin_of_time(r, l, e - 1), approximated_before(r, l, e)};
    if (call != O_NONE)
        x.enter = moment_of(r, l, call);
    if (ends_non_blocking(event))
        return x;
    if (begin != O_NONE)
        x.enter = moment_of(r, l, begin);
    x.known = (to_n ? exit_of_root : exit_of_send)(r, cause->edge.source_location, cause->edge.source, &x.exit);
    return x;
}

static bool is_like_a_message(const struct run *r, size_t l, size_t e, enum o_class class)
{
    return class == O_P2P || class == O_ONE_TO_N || class == O_RMA_ONE_TO_N || ends_non_blocking(event_at(r, l, e));
}

/* Its causes of one class, one of which is given; an event is part of one relation of a class (of a join's edges each
 * is listed as one of its own), so they belong together. */
static struct outcome dependent(struct run *r, size_t l, size_t e, const struct cause *cause, struct moment latest)
{
    enum o_class class = cause->edge.class;
    bool collective = ends_collective(event_at(r, l, e)), paper = r->o->paper && (collective || class == O_P2P);
    if (is_like_a_message(r, l, e, class) && paper) {
        struct reception x = reception_of(r, l, e, cause, latest);
        return receive_literally(r, l, e, latest, x.known ? &x.exit : NULL, x.enter);
    }
    if (is_like_a_message(r, l, e, class))
        return receive(r, l, e, latest,
                       r->o->sends_wait && class == O_P2P && event_at(r, l, e)->kind == O_MPI_RECV &&
                           o_send_waits(r->m, cause->edge.source_location, cause->edge.source, r->o->rendezvous));
    if (class != O_N_TO_N && class != O_RMA_N_TO_N && class != O_BARRIER && e > 0 && !paper) {
        big done = measured(r, l, e) - (collective ? overhead_behind(r, l, e) : overhead(r, l, e));
        big last = largest(latest.m, is_off(r, l, e) ? 0 : done);
        if (!collective)
            last = smallest(last, latest.m + (big)r->o->handover);
        return arrive(r, latest, ready(r, l, e), is_off(r, l, e) ? 0 : done, latest.m, last);
    }
    size_t begin = collective ? o_usable_post(r->m, l, e) : O_NONE;
    struct moment before = {0, 0};
    if (begin != O_NONE)
        before = moment_of(r, l, begin);
    else if (e > 0)
        before = (struct moment){begin_of_time(r, l, e - 1), approximated_before(r, l, e)};
    return synchronise(r, l, e, latest, begin != O_NONE || e > 0 ? &before : NULL, cause->edge.relation);
}

/* The causes of an event. */
static const struct cause *causes_of(const struct run *r, size_t l, size_t e, size_t *n)
{
    const struct cause *cause = r->causes.item;
    size_t first = 0;
    while (first < r->causes.n && (cause[first].location < l || (cause[first].location == l && cause[first].event < e)))
        first++;
    for (*n = 0; first + *n < r->causes.n && cause[first + *n].location == l && cause[first + *n].event == e;)
        ++*n;
    return cause + first;
}

static struct together completed_together(struct run *r, size_t l, size_t e)
{
    struct together x = {.send = {-1, -1}, .done = -1};
    big least = 0, largest_shift = 0;
    for (size_t i = e + 1; i-- > 0 && completes(event_at(r, l, i));) {
        size_t n;
        const struct cause *cause = causes_of(r, l, i, &n);
        struct moment last = {-1, -1};
        for (size_t c = 0; c < n; c++) {
            struct moment send = moment_of(r, cause[c].edge.source_location, cause[c].edge.source);
            last = (struct moment){largest(last.m, send.m), largest(last.a, send.a)};
        }
        if (!is_bound_together(r, l, i, &last) && (n == 0 || !completes_several(r, l, i)))
            continue;
        big shift = last.a - last.m;
        least = x.done < 0 ? shift : smallest(least, shift);
        largest_shift = x.done < 0 ? shift : largest(largest_shift, shift);
        if (x.done < 0) {
            x.done = largest(measured(r, l, i) - overhead_behind(r, l, i), 0);
            x.own = ready(r, l, i);
        }
        x.send = (struct moment){largest(x.send.m, last.m), largest(x.send.a, last.a)};
    }
    big all_there = largest(x.own.a, x.send.a), behind = largest(x.done - largest(x.own.m, x.send.m), 0);
    x.likely = all_there + behind;                                       /* each of them at once */
    x.earliest = smallest(x.likely, largest(all_there, x.done + least)); /* or one of them at the end */
    if (x.own.m > x.send.m)                                              /* not certainly waited for any */
        x.likely = x.earliest = all_there;
    x.latest = largest(x.own.a + behind, x.done + largest_shift);
    return x;
}

/* When the completions right before an event, in a call that completes several, were all there; 0: it waited for
 * none. */
static big released(struct run *r, size_t l, size_t e)
{
    if (r->o->paper || e == 0 || completes(event_at(r, l, e)))
        return 0;
    struct together x = completed_together(r, l, e - 1);
    if (x.done < 0)
        return 0;
    if (r->o->mode == O_MEAN)
        return (x.earliest + x.latest) / 2;
    return r->o->mode == O_LIKELY ? x.likely : r->o->mode == O_LOWER ? x.earliest : x.latest;
}

/* What is owed just before an event: what the completions before it waited for has paid for some of it. */
static big owed_before(struct run *r, size_t l, size_t e)
{
    return largest((big)r->owed[l][e - 1] - (approximated_before(r, l, e) - approximated(r, l, e - 1)), 0);
}

/* eq. 1 */
static big independent(struct run *r, size_t l, size_t e)
{
    if (e == 0)
        return measured(r, l, e);
    big owed = owed_before(r, l, e), before = approximated_before(r, l, e);
    big passed = is_off(r, l, e) ? 0 : largest(measured(r, l, e) - begin_of_time(r, l, e - 1), 0);
    big left = passed - overhead(r, l, e) - owed;
    r->owed[l][e] = is_off(r, l, e) ? (uint64_t)owed : (uint64_t)smallest(largest(-left, 0), r->o->carry);
    return before + largest(left, 0);
}

/* Did a thread's event come so long behind its cause, or was that its own, that there was nothing to wait for? */
static bool is_past(struct run *r, size_t l, size_t e, const struct o_edge *edge, struct moment cause)
{
    big handover = r->o->handover;
    if (e == 0 || is_like_a_message(r, l, e, edge->class) || ends_collective(event_at(r, l, e)))
        return false;
    return (edge->class == O_LOCK && edge->source_location == l) ||
           (cause.m + handover <= begin_of_time(r, l, e - 1) && cause.a + handover <= approximated_before(r, l, e));
}

/* -1: there was nothing to wait for. */
static big bound(struct run *r, size_t l, size_t e, const struct cause *cause, size_t n)
{
    big time = -1, alone = -1, before = e > 0 ? approximated_before(r, l, e) : 0;
    for (size_t i = 0; i < n;) {
        struct moment latest = {0, 0};
        size_t first = i;
        for (; i < n && cause[i].edge.class == cause[first].edge.class; i++) {
            struct moment source = moment_of(r, cause[i].edge.source_location, cause[i].edge.source);
            latest = (struct moment){largest(latest.m, source.m), largest(latest.a, source.a)};
        }
        if (is_past(r, l, e, &cause[first].edge, latest))
            continue;
        struct outcome x = dependent(r, l, e, &cause[first], latest);
        time = largest(time, x.a);
        alone = alone < 0 ? x.alone : smallest(alone, x.alone);
    }
    struct moment post;
    if (e > 0 && is_bound_by_post(r, l, e, &post)) {
        struct outcome x = end_of_send(r, l, e, post);
        time = largest(time, x.a);
        alone = alone < 0 ? x.alone : smallest(alone, x.alone);
    }
    if (time < 0)
        return -1;
    time = largest(time, before);
    big waited = smallest(time - alone, time - before);
    if (e > 0)
        r->owed[l][e] = (uint64_t)largest(owed_before(r, l, e) - largest(waited, 0), 0);
    return time;
}

/* ---- followers ---- */

static bool is_rank(const struct o_trace *trace, uint64_t location)
{
    const struct o_group *group = trace->groups.item;
    for (size_t i = 0; i < trace->groups.n; i++)
        for (size_t k = 0; k < group[i].n; k++)
            if (group[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group[i].paradigm == OTF2_PARADIGM_MPI &&
                group[i].member[k] == location)
                return true;
    return false;
}

static bool is_thread(const struct o_trace *trace, size_t l)
{
    return trace->location[l].type == OTF2_LOCATION_TYPE_CPU_THREAD;
}

/* The thread of a location group that the others follow. */
static size_t leader_of_group(const struct o_trace *trace, uint64_t group)
{
    size_t best = O_NONE;
    for (int ranks = 1; ranks >= 0 && best == O_NONE; ranks--)
        for (size_t l = 0; l < trace->n_locations; l++) {
            const struct o_location *location = &trace->location[l];
            if (location->group == group && location->n > 0 && is_thread(trace, l) &&
                is_rank(trace, location->def.id) == ranks &&
                (best == O_NONE || location->def.id < trace->location[best].def.id))
                best = l;
        }
    return best;
}

static void find_leaders(struct run *r)
{
    const struct o_trace *trace = r->m->trace;
    r->leader = o_alloc(trace->n_locations, sizeof *r->leader);
    for (size_t l = 0; l < trace->n_locations; l++) {
        const struct o_location *location = &trace->location[l];
        r->leader[l] =
            is_thread(trace, l) && is_rank(trace, location->def.id) ? O_NONE : leader_of_group(trace, location->group);
        if (r->leader[l] == l)
            r->leader[l] = O_NONE;
    }
}

/* Does the event go where its leader's time goes? */
static bool follows(const struct run *r, size_t l, size_t e)
{
    unsigned kind = event_at(r, l, e)->kind;
    if (!is_thread(r->m->trace, l))
        return true;
    return e == 0 && r->leader[l] != O_NONE && !r->is_target[l][0] && kind != O_THREAD_BEGIN &&
           kind != O_THREAD_TEAM_BEGIN;
}

/* How many of the leader's events are no later than a time. */
static size_t leader_events(const struct run *r, size_t l, big time)
{
    size_t n = 0;
    while (n < r->m->trace->location[r->leader[l]].n && measured(r, r->leader[l], n) <= time)
        n++;
    return n;
}

static bool is_leader_there(const struct run *r, size_t l, size_t e)
{
    size_t leader = r->leader[l];
    if (leader == O_NONE || !follows(r, l, e))
        return true;
    size_t needed = leader_events(r, l, measured(r, l, e)) + 1, all = r->m->trace->location[leader].n;
    return r->next[leader] >= (needed < all ? needed : all);
}

/* Operations that run on a stream just before an event. */
static size_t running(const struct run *r, size_t l, size_t e)
{
    size_t n = 0;
    for (size_t i = 0; i < e; i++) {
        const struct o_event *event = event_at(r, l, i);
        if (enters(event) || event->kind == O_RMA_PUT || event->kind == O_RMA_GET || event->kind == O_RMA_ATOMIC)
            n++;
        else if (n > 0 && (leaves(event) || event->kind == O_RMA_OP_COMPLETE_BLOCKING ||
                           event->kind == O_RMA_OP_COMPLETE_NON_BLOCKING || event->kind == O_RMA_OP_COMPLETE_REMOTE))
            n--;
    }
    return n;
}

/* Where a follower's event goes: with the leader's time around it. */
static big followed(const struct run *r, size_t l, size_t e)
{
    const big never = (big)1 << 100;
    big time = measured(r, l, e), a = time, low = 0, high = never;
    size_t leader = r->leader[l], n = leader == O_NONE ? 0 : leader_events(r, l, time);
    size_t all = leader == O_NONE ? 0 : r->m->trace->location[leader].n;
    if (n > 0) {
        low = approximated(r, leader, n - 1);
        a = low + largest(time - begin_of_time(r, leader, n - 1), 0);
        high = n == all ? never : time == measured(r, leader, n - 1) ? low : approximated(r, leader, n);
        a = smallest(a, high);
    } else if (all > 0) {
        high = approximated(r, leader, 0);
        a = largest(high - (measured(r, leader, 0) - time), 0);
    }
    big before = e > 0 ? approximated(r, l, e - 1) : 0;
    if (e > 0 && running(r, l, e) > 0)
        a = largest(low, smallest(high, before + largest(time - begin_of_time(r, l, e - 1), 0)));
    return largest(a, before);
}

static big latest_of(const struct run *r, const struct cause *cause, size_t n)
{
    big latest = 0;
    for (size_t i = 0; i < n; i++)
        latest = largest(latest, approximated(r, cause[i].edge.source_location, cause[i].edge.source));
    return latest;
}

static void take(struct run *r, size_t l, size_t e, const struct cause *cause, size_t n)
{
    bool thread = is_thread(r->m->trace, l);
    big waited_for = !thread ? -1 : bound(r, l, e, cause, n);
    uint64_t time = waited_for >= 0    ? (uint64_t)waited_for
                    : follows(r, l, e) ? (uint64_t)largest(followed(r, l, e), thread ? 0 : latest_of(r, cause, n))
                                       : (uint64_t)independent(r, l, e);
    r->result->approximated[l][e] = time;
    if (event_at(r, l, e)->kind == O_BUFFER_FLUSH)
        r->result->stop[l][e] = time;
}

/* ---- all of them ---- */

static bool add_cause(void *user, const struct o_edge *edge)
{
    struct run *r = user;
    *(struct cause *)o_push(&r->causes, sizeof(struct cause)) =
        (struct cause){edge->target_location, edge->target, *edge};
    return true;
}

static int compare_causes(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    int order = o_compare_u64(x->location, y->location);
    if (!order)
        order = o_compare_u64(x->event, y->event);
    return order ? order : o_compare_u64(x->edge.class, y->edge.class);
}

static void collect(struct run *r)
{
    const struct o_relation *relation = r->m->relations.item;
    const struct o_participant *p = r->m->participants.item;
    r->is_target = o_no_times(r->m->trace, 0);
    for (size_t i = 0; i < r->m->relations.n; i++) {
        if (relation[i].class == O_RMA_OP)
            continue;
        o_each_edge(r->m, &relation[i], add_cause, r);
        for (size_t k = 0; k < relation[i].n; k++)
            if (p[relation[i].first + k].target != O_NONE)
                r->is_target[p[relation[i].first + k].location][p[relation[i].first + k].target] = 1;
    }
    for (size_t l = 0; l < r->m->trace->n_locations; l++)
        for (size_t e = 0; e < r->m->trace->location[l].n; e++)
            r->is_target[l][e] |= receives(event_at(r, l, e));
    if (r->causes.n)
        qsort(r->causes.item, r->causes.n, sizeof(struct cause), compare_causes);
}

/* Does the next event wait for a receive to be posted? */
static bool is_post_to_come(const struct run *r, size_t l)
{
    const struct o_post *post = r->next[l] < r->m->trace->location[l].n ? post_for(r, l, r->next[l]) : NULL;
    return post && post->source >= r->next[post->source_location];
}

/* All events wait: of the sends that wait for a receive to be posted the earliest one goes on without. */
static bool give_up_post(struct run *r)
{
    size_t earliest = O_NONE;
    for (size_t l = 0; l < r->m->trace->n_locations; l++)
        if (is_post_to_come(r, l) &&
            (earliest == O_NONE || event_at(r, l, r->next[l])->time < event_at(r, earliest, r->next[earliest])->time))
            earliest = l;
    if (earliest != O_NONE)
        post_for(r, earliest, r->next[earliest])->given_up = true;
    return earliest != O_NONE;
}

/* Takes what can be taken of a location; *at is its first cause that has not been looked at. */
static size_t advance(struct run *r, size_t l, size_t *at)
{
    const struct cause *cause = r->causes.item;
    size_t begin = r->next[l];
    for (; r->next[l] < r->m->trace->location[l].n && is_leader_there(r, l, r->next[l]); r->next[l]++) {
        size_t n = 0;
        for (; *at + n < r->causes.n && cause[*at + n].location == l && cause[*at + n].event == r->next[l]; n++)
            if (cause[*at + n].edge.source >= r->next[cause[*at + n].edge.source_location])
                return r->next[l] - begin;
        if (is_post_to_come(r, l))
            return r->next[l] - begin;
        take(r, l, r->next[l], cause + *at, n);
        *at += n;
    }
    return r->next[l] - begin;
}

bool o_compensate(const struct o_matching *m, const struct o_overhead_options *options, struct o_compensation *result)
{
    struct run r = {.m = m, .o = options, .result = result};
    const struct o_trace *trace = m->trace;
    *result = (struct o_compensation){.approximated = o_no_times(trace, 0), .stop = o_no_times(trace, 0)};
    r.next = o_alloc(trace->n_locations, sizeof *r.next);
    r.owed = o_no_times(trace, 0);
    r.spent = o_no_times(trace, 0);
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 1; e < trace->location[l].n; e++)
            r.spent[l][e] = r.spent[l][e - 1] + (uint64_t)cost_of(&r, l, e - 1);
    size_t *at = o_alloc(trace->n_locations, sizeof *at), taken, left = 0;
    collect(&r);
    find_leaders(&r);
    if (options->sends_wait)
        o_match_posts(m, options->rendezvous, &r.posts);
    const struct cause *cause = r.causes.item;
    for (size_t l = 0; l < trace->n_locations; l++)
        while (at[l] < r.causes.n && cause[at[l]].location < l)
            at[l]++;
    do {
        taken = left = 0;
        for (size_t l = 0; l < trace->n_locations; l++) {
            taken += advance(&r, l, &at[l]);
            left += trace->location[l].n - r.next[l];
        }
    } while (taken || give_up_post(&r));
    if (left)
        fprintf(stderr, "oracle: %zu events wait for each other\n", left);
    free(at);
    free(r.next);
    free(r.leader);
    free(r.causes.item);
    free(r.posts.item);
    o_free_times(trace, r.is_target);
    o_free_times(trace, r.owed);
    o_free_times(trace, r.spent);
    return left == 0;
}

void o_compensation_free(const struct o_trace *trace, struct o_compensation *result)
{
    o_free_times(trace, result->approximated);
    o_free_times(trace, result->stop);
}
