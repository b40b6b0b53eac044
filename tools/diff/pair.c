/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The comparison of two databases for another program's page. */
#include "tools/shared/pair.h"
#include "diff.h"

void compare_begin(struct pair *pair, char **arguments)
{
    static struct options o; /* what they hold is needed until the end */
    static struct comparison c = {.options = &o};

    o = (struct options){.argument = arguments,
                         .n_arguments = 2,
                         .by = BY_DEFAULT,
                         .metric = EXCLUSIVE,
                         .top = UINT64_MAX,
                         .scaling = STRONG,
                         .fail_above = NAN,
                         .ignore_below = 1};
    for (uint32_t i = 0; i < N_SECTIONS; i++)
        o.section[i] = i != SCALING;
    inputs_read(&c);
    if (c.n_runs != 2)
        usage("expected one or two databases; of repetitions tcflow-diff makes a page");
    for (uint32_t i = 0; i < 2; i++) {
        pair->path[i] = c.run[i].file = c.run[i].path;
        pair->label[i] = c.group[i].label;
    }
    pair->comparison = &c;
}

void compare_load(const struct pair *pair)
{
    load_all(pair->comparison);
    check_runs(pair->comparison);
}

void compare_write(FILE *out, const struct pair *pair)
{
    report(pair->comparison, tables_sink(out));
}
