/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Replays the enters and leaves of one location on a stack (D18 of oracle.h) and calls the user for every frame that
 * opens or closes. Shared by the profile and by the health check. */
#include "oracle.h"

#include <stdlib.h>

static void push(struct o_walk *walk, struct o_list *stack, uint64_t region, size_t e, uint64_t time)
{
    bool recursive = false;
    const struct o_visit *open = stack->item;
    for (size_t i = 0; i < stack->n && !recursive; i++)
        recursive = open[i].region == region;
    struct o_visit *visit = o_push(stack, sizeof *visit);
    *visit = (struct o_visit){.region = region, .enter = e, .enter_time = time, .recursive = recursive};
    if (walk->enter)
        walk->enter(walk->user, visit, stack->n > 1 ? visit - 1 : NULL);
}

static void pop(struct o_walk *walk, struct o_list *stack, uint64_t time)
{
    struct o_visit *visit = (struct o_visit *)stack->item + --stack->n;
    visit->leave_time = time;
    if (stack->n)
        visit[-1].children += (int64_t)(time - visit->enter_time);
    if (walk->leave)
        walk->leave(walk->user, visit);
}

static void leave(struct o_walk *walk, struct o_list *stack, uint64_t region, uint64_t time)
{
    const struct o_visit *visit = stack->item;
    size_t depth = stack->n;
    while (depth > 0 && visit[depth - 1].region != region)
        depth--;
    if (depth == 0) {
        walk->ignored_leaves++;
        return;
    }
    walk->unwound += stack->n - depth;
    while (stack->n >= depth)
        pop(walk, stack, time);
}

void o_walk_location(const struct o_trace *trace, size_t l, struct o_walk *walk)
{
    const struct o_location *location = &trace->location[l];
    struct o_list stack = {0};
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        uint64_t region;
        if (!o_region_of(trace, event, &region))
            continue;
        if (event->kind == O_ENTER || event->kind == O_CALLING_CONTEXT_ENTER)
            push(walk, &stack, region, e, o_time(trace, l, e));
        else
            leave(walk, &stack, region, o_time(trace, l, e));
    }
    walk->never_left = stack.n;
    while (stack.n)
        pop(walk, &stack, o_time(trace, l, location->n - 1));
    free(stack.item);
}
