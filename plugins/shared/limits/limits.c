/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See limits.h. */
#include "limits.h"

#include <inttypes.h>

#define AT(member) TCF_AT(struct limit, member)

void report_limit_rows(tcf_self *self, const struct limit *limit, uint32_t n, const char *verb)
{
    static const tcf_table_column columns[] = {{"limit", AT(name), NULL, "What has been reached, or is missing"},
                                               {"count", AT(count), NULL, "How often"},
                                               {"meaning", AT(meaning), NULL, "What it means for the results"}};
    tcf_table *t = TCF_TABLE(self, "limits", "What is not in these results", columns);
    for (const struct limit *l = limit; l < limit + n; l++) {
        if (l->count == 0)
            continue;
        tcf_row(self, t, l);
        if (l->warns)
            self->host->log(self, TCF_LOG_WARNING, "%s%s: %" PRIu64 " %s", l->name, verb, l->count, l->meaning);
    }
}

uint64_t report_relations(tcf_self *self, const char *help, const uint64_t targets[3], const uint64_t reversed[3])
{
    const struct relation {
        const char *name;
        uint64_t targets, reversed;
    } rows[] = {{"messages", targets[0], reversed[0]},
                {"collectives", targets[1], reversed[1]},
                {"threads", targets[2], reversed[2]}};
    const tcf_table_column columns[] = {
        {"relation", TCF_AT(struct relation, name), NULL, "Between what"},
        {"targets", TCF_AT(struct relation, targets), NULL, "Receives, ends and the like that wait for others"},
        {"reversed", TCF_AT(struct relation, reversed), NULL, help},
    };
    const uint32_t first = tcf_is_unknown(self->defs, TCF_UNKNOWN_MESSAGES) ? 2 : 0;
    self->host->rows(TCF_TABLE(self, "clocks", "The clock condition", columns), rows + first, TCF_COUNT(rows) - first,
                     sizeof *rows);
    return reversed[0] + reversed[1] + reversed[2];
}
