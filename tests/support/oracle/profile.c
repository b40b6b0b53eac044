/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle profile`: flat and call-tree profile of every location (D18 of oracle.h), in ticks. Lines are sorted by
 * location id, then by region id (flat) or by path (tree). */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct stat {
    uint64_t region;
    uint64_t visits;
    int64_t inclusive, exclusive, min, max;
};

/* A call path: its region below that of another node. */
struct node {
    struct stat stat;
    size_t parent, first_child, next_sibling; /* O_NONE */
    char *path;
};

struct profile {
    const struct o_trace *trace;
    struct o_list flat, nodes;
};

static void count(struct stat *stat, const struct o_visit *visit, bool inclusive)
{
    int64_t duration = (int64_t)(visit->leave_time - visit->enter_time);
    if (stat->visits == 0 || duration < stat->min)
        stat->min = duration;
    if (stat->visits == 0 || duration > stat->max)
        stat->max = duration;
    stat->visits++;
    stat->exclusive += duration - visit->children;
    if (inclusive)
        stat->inclusive += duration;
}

static size_t find_root(const struct profile *p, uint64_t region)
{
    const struct node *node = p->nodes.item;
    for (size_t i = 0; i < p->nodes.n; i++)
        if (node[i].parent == O_NONE && node[i].stat.region == region)
            return i;
    return O_NONE;
}

static size_t find_child(const struct profile *p, size_t parent, uint64_t region)
{
    const struct node *node = p->nodes.item;
    size_t at = node[parent].first_child;
    while (at != O_NONE && node[at].stat.region != region)
        at = node[at].next_sibling;
    return at;
}

static void on_enter(void *user, struct o_visit *visit, const struct o_visit *parent)
{
    struct profile *p = user;
    visit->node = parent ? find_child(p, parent->node, visit->region) : find_root(p, visit->region);
    if (visit->node != O_NONE)
        return;
    visit->node = p->nodes.n;
    struct node *node = o_push(&p->nodes, sizeof *node);
    *node = (struct node){.stat.region = visit->region,
                          .parent = parent ? parent->node : O_NONE,
                          .first_child = O_NONE,
                          .next_sibling = O_NONE};
    if (parent) {
        struct node *above = (struct node *)p->nodes.item + parent->node;
        node->next_sibling = above->first_child;
        above->first_child = visit->node;
    }
}

static struct stat *flat_of(struct profile *p, uint64_t region)
{
    struct stat *stat = p->flat.item;
    for (size_t i = 0; i < p->flat.n; i++)
        if (stat[i].region == region)
            return &stat[i];
    stat = o_push(&p->flat, sizeof *stat);
    stat->region = region;
    return stat;
}

static void on_leave(void *user, const struct o_visit *visit)
{
    struct profile *p = user;
    count(flat_of(p, visit->region), visit, !visit->recursive);
    count(&((struct node *)p->nodes.item)[visit->node].stat, visit, true);
}

/* Nodes come parents first. */
static void set_path(const struct profile *p, size_t at)
{
    struct node *node = p->nodes.item;
    char buffer[32];
    const char *name = o_region_name(p->trace, node[at].stat.region, buffer);
    const char *above = node[at].parent == O_NONE ? "" : node[node[at].parent].path;
    size_t size = strlen(above) + strlen(name) + 2;
    node[at].path = o_alloc(size, 1);
    snprintf(node[at].path, size, "%s%s%s", above, *above ? "/" : "", name);
}

static int compare_flat(const void *a, const void *b)
{
    const struct stat *x = a, *y = b;
    return o_compare_u64(x->region, y->region);
}

/* Different regions may have the same name. */
static int compare_paths(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : o_compare_u64(x->stat.region, y->stat.region);
}

static void print_stat(const struct stat *stat)
{
    printf(",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", stat->visits, stat->inclusive,
           stat->exclusive, stat->min, stat->max);
}

static void print_flat(struct profile *p, uint64_t location)
{
    struct stat *stat = p->flat.item;
    if (p->flat.n)
        qsort(stat, p->flat.n, sizeof *stat, compare_flat);
    for (size_t i = 0; i < p->flat.n; i++) {
        char buffer[32];
        printf("flat,%" PRIu64 ",%" PRIu64 ",", location, stat[i].region);
        o_print_csv(o_region_name(p->trace, stat[i].region, buffer));
        print_stat(&stat[i]);
    }
}

static void print_tree(struct profile *p, uint64_t location)
{
    struct node *node = p->nodes.item;
    for (size_t i = 0; i < p->nodes.n; i++)
        set_path(p, i);
    if (p->nodes.n)
        qsort(node, p->nodes.n, sizeof *node, compare_paths);
    for (size_t i = 0; i < p->nodes.n; i++) {
        printf("tree,%" PRIu64 ",%" PRIu64 ",", location, node[i].stat.region);
        o_print_csv(node[i].path);
        print_stat(&node[i].stat);
        free(node[i].path);
    }
}

struct by_id {
    uint64_t id;
    size_t location;
};

static int compare_ids(const void *a, const void *b)
{
    const struct by_id *x = a, *y = b;
    return o_compare_u64(x->id, y->id);
}

void o_print_profile(const struct o_trace *trace)
{
    struct by_id *order = o_alloc(trace->n_locations, sizeof *order);
    for (size_t l = 0; l < trace->n_locations; l++)
        order[l] = (struct by_id){trace->location[l].def.id, l};
    qsort(order, trace->n_locations, sizeof *order, compare_ids);
    puts("#flat,location,region,name,visits,inclusive,exclusive,min,max");
    puts("#tree,location,region,path,visits,inclusive,exclusive,min,max");
    for (size_t i = 0; i < trace->n_locations; i++) {
        struct profile profile = {.trace = trace};
        struct o_walk walk = {.user = &profile, .enter = on_enter, .leave = on_leave};
        o_walk_location(trace, order[i].location, &walk);
        print_flat(&profile, order[i].id);
        print_tree(&profile, order[i].id);
        free(profile.flat.item);
        free(profile.nodes.item);
    }
    free(order);
}
