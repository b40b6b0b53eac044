/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The minimum delay of an edge: by its class, and by how far apart its ends are (doc/clock-correction.md, input). */
#include "clocks.h"

#include <stdlib.h>
#include <string.h>

static const char *const distance_names[O_DISTANCES] = {"same_process", "same_node", "other_node"};

static bool is_collective(enum o_class class)
{
    return class >= O_ONE_TO_N && class <= O_RMA_EXSCAN;
}

/* RMA collectives count as MPI's. */
static enum o_class fold(enum o_class class)
{
    switch (class) {
    case O_RMA_ONE_TO_N:
        return O_ONE_TO_N;
    case O_RMA_N_TO_ONE:
        return O_N_TO_ONE;
    case O_RMA_N_TO_N:
        return O_N_TO_N;
    case O_RMA_SCAN:
        return O_SCAN;
    case O_RMA_EXSCAN:
        return O_EXSCAN;
    default:
        return class;
    }
}

static bool parse_ticks(const char *text, uint64_t *ticks)
{
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    *ticks = strtoull(text, &end, 10);
    return *end == '\0';
}

static bool is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && !strncmp(word, text, length);
}

bool o_set_delay(struct o_delays *delays, const char *text)
{
    uint64_t ticks;
    if (!parse_ticks(text, &ticks))
        return false;
    for (int d = 0; d < O_DISTANCES; d++) {
        delays->ticks[O_P2P][d] = ticks;
        for (enum o_class c = O_ONE_TO_N; c <= O_EXSCAN; c++)
            delays->ticks[c][d] = ticks;
        delays->ticks[O_CLASSES][d] = ticks;
    }
    return true;
}

bool o_set_class_delay(struct o_delays *delays, const char *text)
{
    size_t class_length = text ? strcspn(text, ":") : 0;
    if (!text || !text[class_length])
        return false;
    const char *distance = text + class_length + 1;
    size_t distance_length = strcspn(distance, ":");
    uint64_t ticks;
    if (!distance[distance_length] || !parse_ticks(distance + distance_length + 1, &ticks))
        return false;
    int class = is_word("barrier", text, class_length) ? O_CLASSES : 0;
    while (class < O_CLASSES && !is_word(o_class_names[class], text, class_length))
        class ++;
    if (class == O_CLASSES && !is_word("barrier", text, class_length))
        return false;
    if (class < O_CLASSES)
        class = (int)fold((enum o_class) class);
    bool known = false;
    for (int d = 0; d < O_DISTANCES; d++)
        if (is_word("any", distance, distance_length) || is_word(distance_names[d], distance, distance_length)) {
            delays->ticks[class][d] = ticks;
            known = true;
        }
    return known;
}

/* ---- distances ---- */

static bool shares_memory(const struct o_trace *trace, const struct o_node *node)
{
    const struct o_string *class = o_find(&trace->strings, sizeof *class, node->class_name);
    return o_find(&trace->memory_domains, sizeof(struct o_def), node->def.id) ||
           (class && !strcmp(class->text, "node"));
}

/* The system tree node that is the machine of a location: the nearest that shares memory or is of class "node", else
 * the parent of its group. NULL: unknown. */
static const struct o_node *machine_of(const struct o_trace *trace, size_t location)
{
    const struct o_location_group *group =
        o_find(&trace->location_groups, sizeof *group, trace->location[location].group);
    const struct o_node *parent = group ? o_find(&trace->nodes, sizeof *parent, group->parent) : NULL;
    const struct o_node *node = parent;
    for (size_t steps = 0; node && steps <= trace->nodes.n; steps++) {
        if (shares_memory(trace, node))
            return node;
        node = o_find(&trace->nodes, sizeof *node, node->parent);
    }
    return parent;
}

enum o_distance o_distance_of(const struct o_trace *trace, size_t a, size_t b)
{
    const struct o_location_group *x = o_find(&trace->location_groups, sizeof *x, trace->location[a].group);
    const struct o_location_group *y = o_find(&trace->location_groups, sizeof *y, trace->location[b].group);
    if (x == y) /* undefined ones are one process */
        return O_SAME_PROCESS;
    return machine_of(trace, a) == machine_of(trace, b) ? O_SAME_NODE : O_OTHER_NODE;
}

/* The largest distance between members. */
static enum o_distance width_of(const struct o_trace *trace, const struct o_canon *canon)
{
    enum o_distance width = O_SAME_PROCESS;
    size_t first = O_NONE;
    for (int s = 0; canon && s < 2; s++)
        for (size_t i = 0; i < canon->side[s].n; i++) {
            size_t l = 0;
            while (l < trace->n_locations && trace->location[l].def.id != canon->side[s].member[i])
                l++;
            if (l == trace->n_locations)
                continue;
            if (first == O_NONE)
                first = l;
            enum o_distance distance = o_distance_of(trace, first, l);
            width = distance > width ? distance : width;
        }
    return width;
}

static enum o_distance distance_of_edge(const struct o_matching *m, const struct o_edge *edge)
{
    if (edge->class == O_P2P)
        return o_distance_of(m->trace, edge->source_location, edge->target_location);
    if (is_collective(edge->class) || edge->class == O_FORK || edge->class == O_JOIN || edge->class == O_BARRIER)
        return width_of(m->trace, edge->relation->canon);
    return O_SAME_PROCESS;
}

uint64_t o_delay(const struct o_matching *m, const struct o_delays *delays, const struct o_edge *edge)
{
    const uint64_t *ticks = delays->ticks[edge->relation->barrier ? O_CLASSES : fold(edge->class)];
    if (ticks[0] == ticks[1] && ticks[0] == ticks[2]) /* spares a search */
        return ticks[0];
    return ticks[distance_of_edge(m, edge)];
}
