/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See limits.h. */
#include "limits.h"

#include <inttypes.h>

tcf_status report_limit_rows(tcf_self *self, const struct limit *limit, uint32_t n, const char *verb)
{
    static const tcf_table_column columns[] = {{"limit", TCF_CELL_TEXT, NULL, "What has been reached, or is missing"},
                                               {"count", TCF_CELL_UINT, NULL, "How often"},
                                               {"meaning", TCF_CELL_TEXT, NULL, "What it means for the results"}};
    const tcf_host *host = self->host;
    tcf_table *t = host->table(self, "limits", "What is not in these results", columns, TCF_COUNT(columns));
    for (const struct limit *l = limit; l < limit + n; l++) {
        if (l->count == 0)
            continue;
        host->row(t, (const tcf_cell[]){tcf_text(l->name), tcf_uint(l->count), tcf_text(l->meaning)});
        if (l->warns)
            host->log(self, TCF_LOG_WARNING, "%s%s: %" PRIu64 " %s", l->name, verb, l->count, l->meaning);
    }
    return TCF_OK;
}
