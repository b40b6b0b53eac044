/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Machines by the names of system tree nodes: some archives define a node once for each of its processes. */
#include "machines.h"

#include <tcflow/order.h>

#include <stdlib.h>
#include <string.h>

struct machine {
    const tcf_system_tree_node *node;
    uint32_t index;
};

static int compare_machines(const void *a, const void *b)
{
    const struct machine *x = a, *y = b;
    const char *const names[4] = {x->node->name, y->node->name, x->node->class_name, y->node->class_name};
    int name = names[0] && names[1] ? strcmp(names[0], names[1]) : TCF_ORDER(!names[0], !names[1]);
    int class_ = names[2] && names[3] ? strcmp(names[2], names[3]) : TCF_ORDER(!names[2], !names[3]);
    return TCF_FIRST(name, class_, TCF_ORDER(x->index, y->index));
}

uint32_t *machines_find(const tcf_definitions *defs)
{
    uint32_t n = defs->n_system_tree_nodes;
    struct machine *all = malloc(((size_t)n + 1) * sizeof *all);
    uint32_t *machine = malloc(((size_t)n + 1) * sizeof *machine);
    for (uint32_t i = 0; all && i < n; i++)
        all[i] = (struct machine){tcf_system_tree_node_at(defs, i), i};
    if (all)
        tcf_sort(all, n, sizeof *all, compare_machines);
    for (uint32_t i = 0, first = 0; all && machine && i < n; i++) {
        struct machine alike = {all[i].node, all[first].index};
        first = compare_machines(&all[first], &alike) == 0 ? first : i;
        machine[all[i].index] = all[first].index;
    }
    if (!all) {
        free(machine);
        machine = NULL;
    }
    free(all);
    return machine;
}
