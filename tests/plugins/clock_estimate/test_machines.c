/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which system tree nodes are one machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "../../../plugins/clock_estimate/machines.h"

static void nodes_of_one_name(void **state)
{
    static const tcf_system_tree_node nodes[] = {{.name = "cluster", .class_name = "machine"},
                                                 {.name = "n1", .class_name = "node"},
                                                 {.name = "n2", .class_name = "node"},
                                                 {.name = "n1", .class_name = "node"},
                                                 {.name = "n1", .class_name = "rack"},
                                                 {.name = "n2"},
                                                 {.name = "n2", .class_name = "node"},
                                                 {.name = "n1", .class_name = "node"}};
    static const uint32_t expected[] = {0, 1, 2, 1, 4, 5, 2, 1};
    tcf_definitions defs = {.system_tree_nodes = nodes, .n_system_tree_nodes = 8};
    (void)state;
    defs.stride.system_tree_node = sizeof *nodes;
    uint32_t *machine = machines_find(&defs);
    assert_non_null(machine);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(machine[i], expected[i]);
    free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_of_one_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
