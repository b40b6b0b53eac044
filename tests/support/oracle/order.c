/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle order`: checks that the order in which a filter saw the events is causal. The file has a line `location
 * index` for every event. A second file may name edges that were given up: `location index` stands for every edge into
 * that target, `location index location index` for the edge from the first event to the second. Lines that are empty or
 * start with '#' do not count. */
#include "clocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct given {
    uint64_t v[4];
    int n;
};

struct checking {
    const struct o_matching *m;
    FILE *out;
    size_t **position; /* [location][event], O_NONE before it was seen */
    const struct given *given;
    size_t n_given;
    bool classes[O_CLASSES];
    uint64_t edges, excepted;
    bool found; /* the first violation in the file's order */
    struct o_edge first;
};

/* Fills values from a line; returns their number, -1 when the line is no list of at most `max` numbers. */
static int parse_numbers(const char *line, uint64_t *value, int max)
{
    int n = 0;
    while (*line) {
        line += strspn(line, " \t\r\n");
        if (!*line || *line == '#')
            break;
        char *end;
        unsigned long long v = strtoull(line, &end, 10);
        if (end == line || *line == '-' || n == max)
            return -1;
        value[n++] = v;
        line = end;
    }
    return n;
}

static size_t find_location(const struct o_trace *trace, uint64_t id)
{
    size_t l = 0;
    while (l < trace->n_locations && trace->location[l].def.id != id)
        l++;
    return l;
}

static bool complain(const struct checking *c, const char *file, size_t line, const char *what, const char *text)
{
    fprintf(c->out, "violation,%s:%zu,%s,%s", file, line, what, text);
    if (!*text || text[strlen(text) - 1] != '\n')
        fputc('\n', c->out);
    return false;
}

static bool place_event(struct checking *c, size_t *next, const char *file, size_t line, const char *text,
                        size_t position)
{
    uint64_t v[2];
    const struct o_trace *trace = c->m->trace;
    if (parse_numbers(text, v, 2) != 2)
        return complain(c, file, line, "not a location and an index", text);
    size_t l = find_location(trace, v[0]);
    if (l == trace->n_locations || v[1] >= trace->location[l].n)
        return complain(c, file, line, "no such event", text);
    if (c->position[l][v[1]] != O_NONE)
        return complain(c, file, line, "event seen twice", text);
    if (v[1] != next[l])
        return complain(c, file, line, "out of order in its location", text);
    c->position[l][next[l]++] = position;
    return true;
}

static bool all_seen(const struct checking *c, const size_t *next)
{
    for (size_t l = 0; l < c->m->trace->n_locations; l++)
        if (next[l] < c->m->trace->location[l].n) {
            fprintf(c->out, "violation,event never seen,%" PRIu64 " %zu\n", c->m->trace->location[l].def.id, next[l]);
            return false;
        }
    return true;
}

/* Reads the order; false (and a line that says why) when an event is missing, double or out of place. */
static bool read_order(struct checking *c, const char *name, FILE *file)
{
    size_t *next = o_alloc(c->m->trace->n_locations, sizeof *next);
    char text[256];
    size_t line = 0, position = 0;
    bool ok = true;
    while (ok && fgets(text, sizeof text, file)) {
        uint64_t none;
        line++;
        if (parse_numbers(text, &none, 0) != 0)
            ok = place_event(c, next, name, line, text, position++);
    }
    ok = ok && all_seen(c, next);
    free(next);
    return ok;
}

static int compare_given(const void *a, const void *b)
{
    const struct given *x = a, *y = b;
    int order = (x->n > y->n) - (x->n < y->n);
    for (int i = 0; i < 4 && !order; i++)
        order = o_compare_u64(x->v[i], y->v[i]);
    return order;
}

static bool read_given_up(struct o_list *given, const char *name)
{
    FILE *file = fopen(name, "r");
    if (!file) {
        perror(name);
        return false;
    }
    char text[256];
    bool ok = true;
    while (ok && fgets(text, sizeof text, file)) {
        uint64_t v[4] = {0};
        int n = parse_numbers(text, v, 4);
        ok = n == 0 || n == 2 || n == 4;
        if (ok && n) {
            struct given *g = o_push(given, sizeof *g);
            *g = (struct given){.v = {v[0], v[1], v[2], v[3]}, .n = n};
        }
    }
    fclose(file);
    if (!ok)
        fprintf(stderr, "oracle: %s: not two or four numbers: %s", name, text);
    else if (given->n)
        qsort(given->item, given->n, sizeof(struct given), compare_given);
    return ok;
}

static bool is_given_up(const struct checking *c, const struct o_edge *edge)
{
    const struct o_location *location = c->m->trace->location;
    uint64_t source = location[edge->source_location].def.id, target = location[edge->target_location].def.id;
    struct given into = {.v = {target, edge->target}, .n = 2};
    struct given both = {.v = {source, edge->source, target, edge->target}, .n = 4};
    return c->n_given && (bsearch(&into, c->given, c->n_given, sizeof into, compare_given) ||
                          bsearch(&both, c->given, c->n_given, sizeof both, compare_given));
}

static bool check_edge(void *user, const struct o_edge *edge)
{
    struct checking *c = user;
    size_t target = c->position[edge->target_location][edge->target];
    c->edges++;
    if (c->position[edge->source_location][edge->source] < target)
        return true;
    if (is_given_up(c, edge)) {
        c->excepted++;
        return true;
    }
    if (!c->found || target < c->position[c->first.target_location][c->first.target])
        c->first = *edge;
    c->found = true;
    return true;
}

bool o_choose_classes(bool classes[O_CLASSES], const char *list)
{
    for (int i = 0; i < O_CLASSES; i++)
        classes[i] = !list;
    while (list && *list) {
        size_t length = strcspn(list, ",");
        bool known = false;
        for (int i = 0; i < O_CLASSES; i++)
            if (strlen(o_class_names[i]) == length && !strncmp(o_class_names[i], list, length))
                classes[i] = known = true;
        if (!known) {
            fprintf(stderr, "oracle: no such class of edges: %.*s\n", (int)length, list);
            return false;
        }
        list += length + (list[length] == ',');
    }
    return true;
}

static bool check_edges(struct checking *c)
{
    const struct o_matching *m = c->m;
    const struct o_relation *relation = m->relations.item;
    for (size_t i = 0; i < m->relations.n; i++)
        if (c->classes[relation[i].class])
            o_each_edge(m, &relation[i], check_edge, c);
    if (!c->found) {
        fprintf(c->out, "causal,edges,%" PRIu64 ",given_up,%" PRIu64 "\n", c->edges, c->excepted);
        return true;
    }
    const struct o_edge *e = &c->first;
    fprintf(c->out, "violation,%s,target %" PRIu64 " %zu at %zu before its source %" PRIu64 " %zu at %zu\n",
            o_class_names[e->class], m->trace->location[e->target_location].def.id, e->target,
            c->position[e->target_location][e->target], m->trace->location[e->source_location].def.id, e->source,
            c->position[e->source_location][e->source]);
    return false;
}

int o_check_order(const struct o_matching *m, const char *order, const char *given_up, const char *classes, FILE *out)
{
    struct checking c = {.m = m, .out = out};
    struct o_list given = {0};
    if (!o_choose_classes(c.classes, classes) || (given_up && !read_given_up(&given, given_up))) {
        free(given.item);
        return 2;
    }
    c.given = given.item;
    c.n_given = given.n;
    FILE *file = strcmp(order, "-") ? fopen(order, "r") : stdin;
    if (!file) {
        perror(order);
        free(given.item);
        return 2;
    }
    c.position = o_alloc(m->trace->n_locations, sizeof *c.position);
    for (size_t l = 0; l < m->trace->n_locations; l++) {
        c.position[l] = o_alloc(m->trace->location[l].n, sizeof **c.position);
        for (size_t e = 0; e < m->trace->location[l].n; e++)
            c.position[l][e] = O_NONE;
    }
    bool ok = read_order(&c, order, file) && check_edges(&c);
    if (file != stdin)
        fclose(file);
    for (size_t l = 0; l < m->trace->n_locations; l++)
        free(c.position[l]);
    free(c.position);
    free(given.item);
    return ok ? 0 : 1;
}
