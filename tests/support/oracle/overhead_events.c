/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Overhead compensation: what the trace says of an event, and what recording it cost. */
#include "overhead_run.h"

#include <stdlib.h>
#include <string.h>

big o_approximated_before(struct run *r, size_t l, size_t e)
{
    big release = o_released(r, l, e), time = approximated(r, l, e - 1);
    return release > time ? release : time;
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

bool o_is_off(const struct run *r, size_t l, size_t e)
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

big o_cost_of(const struct run *r, size_t l, size_t e)
{
    const struct o_event *event = event_at(r, l, e);
    const struct o_overhead_options *o = r->o;
    if (o_is_off(r, l, e) || r->m->trace->location[l].type != OTF2_LOCATION_TYPE_CPU_THREAD)
        return 0;
    big cost = millionths(o->has_kind[event->kind] ? o->kind[event->kind] : o->event);
    if (event->kind == O_METRIC)
        cost += millionths(o->metric_value) * event->n_values;
    return cost + millionths(o->attribute) * event->n_attributes;
}

big o_overhead_of(const struct run *r, size_t l, size_t e)
{
    return (r->spent[l][e] + o_cost_of(r, l, e)) / 1000000 - r->spent[l][e] / 1000000;
}

big o_begin_of_time(const struct run *r, size_t l, size_t e)
{
    big latest = 0;
    for (size_t i = 0; i <= e; i++) {
        const struct o_event *event = event_at(r, l, i);
        big until = event->kind == O_BUFFER_FLUSH && event->field[0] > event->time ? event->field[0] : event->time;
        latest = until > latest ? until : latest;
    }
    return latest;
}

size_t o_call_around(const struct run *r, size_t l, size_t e)
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

bool o_exit_of_send(const struct run *r, size_t l, size_t e, big *exit)
{
    const struct o_location *location = &r->m->trace->location[l];
    size_t depth = 1;
    *exit = measured(r, l, e);
    if (o_call_around(r, l, e) == O_NONE)
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

bool o_exit_of_root(const struct run *r, size_t l, size_t e, big *exit)
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

uint64_t o_size_of(const struct o_event *event)
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

big o_copying(const struct run *r, uint64_t size)
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

big o_overhead_behind(const struct run *r, size_t l, size_t e)
{
    big sum = o_overhead_of(r, l, e);
    bool completion = receives(event_at(r, l, e)) || ends_non_blocking(event_at(r, l, e)) ||
                      event_at(r, l, e)->kind == O_MPI_ISEND_COMPLETE;
    while (completion && e-- > 0) {
        const struct o_event *event = event_at(r, l, e);
        if (!receives(event) && !ends_non_blocking(event) && event->kind != O_MPI_ISEND_COMPLETE)
            break;
        sum += o_overhead_of(r, l, e);
    }
    return r->o->paper ? 0 : sum;
}

bool o_completes(const struct o_event *event)
{
    return receives(event) || ends_non_blocking(event) || event->kind == O_MPI_ISEND_COMPLETE;
}

bool o_completes_several(const struct run *r, size_t l, size_t e)
{
    size_t call = o_call_around(r, l, e);
    uint64_t region;
    char buffer[32];
    if (call == O_NONE || !o_region_of(r->m->trace, event_at(r, l, call), &region))
        return false;
    const char *name = o_region_name(r->m->trace, region, buffer);
    return !strcasecmp(name, "MPI_Waitall") || !strcasecmp(name, "MPI_Waitsome") || !strcasecmp(name, "MPI_Testall") ||
           !strcasecmp(name, "MPI_Testsome");
}
