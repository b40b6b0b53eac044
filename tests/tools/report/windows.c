/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A filter that reports windows of time with calls and messages in them, as a timeline shows them: two processes of the
 * bundled trace, one of which waits for the other, three times. For tests of the HTML report. */
#include <tcflow/filter.h>

static tcf_status pass_on(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

static void interval(tcf_self *self, tcf_table *t, uint32_t window, uint64_t location, uint32_t depth,
                     const char *region, double begin, double end)
{
    TCF_ROW(self, t, tcf_uint(window), tcf_uint(location), tcf_uint(depth), tcf_text(region), tcf_double(begin),
            tcf_double(end));
}

static tcf_status windows_end(tcf_self *self)
{
    static const tcf_table_column windows[] = {
        {"window", TCF_CELL_UINT, NULL, "Number of the window"},
        {"begin_s", TCF_CELL_DOUBLE, "s", "Where it begins"},
        {"end_s", TCF_CELL_DOUBLE, "s", "Where it ends"},
        {"pattern", TCF_CELL_TEXT, NULL, "Of the wait"},
        {"waiting_s", TCF_CELL_DOUBLE, "s", "How long the wait is"},
        {"location", TCF_CELL_UINT, NULL, "Who waits"},
        {"partner", TCF_CELL_UINT, NULL, "Who is waited for"},
    };
    static const tcf_table_column intervals[] = {
        {"window", TCF_CELL_UINT, NULL, "Number of the window"},
        {"location", TCF_CELL_UINT, NULL, "Id of the location"},
        {"depth", TCF_CELL_UINT, NULL, "Of the call"},
        {"region", TCF_CELL_TEXT, NULL, "What is called"},
        {"begin_s", TCF_CELL_DOUBLE, "s", "Of the call"},
        {"end_s", TCF_CELL_DOUBLE, "s", "Of the call"},
    };
    static const tcf_table_column messages[] = {
        {"window", TCF_CELL_UINT, NULL, "Number of the window"},
        {"from", TCF_CELL_UINT, NULL, "Id of the location that sends"},
        {"to", TCF_CELL_UINT, NULL, "Id of the one that receives"},
        {"sent_s", TCF_CELL_DOUBLE, "s", "When it was sent"},
        {"received_s", TCF_CELL_DOUBLE, "s", "When it was received"},
        {"bytes", TCF_CELL_UINT, "bytes", "Its size"},
    };
    const uint64_t who[] = {self->defs->locations[0].id, self->defs->locations[self->defs->n_locations - 1].id};
    tcf_table *w = self->host->table(self, "windows", "The worst waits", windows, TCF_COUNT(windows));
    tcf_table *i = self->host->table(self, "intervals", "Calls in the windows", intervals, TCF_COUNT(intervals));
    tcf_table *m = self->host->table(self, "messages", "Messages in the windows", messages, TCF_COUNT(messages));

    for (uint32_t k = 1; k <= 3; k++) {
        const double t = 0.01 * k, wait = 1e-3 / k;
        TCF_ROW(self, w, tcf_uint(k), tcf_double(t), tcf_double(t + 2e-3), tcf_text("mpi_latesender"), tcf_double(wait),
                tcf_uint(who[1]), tcf_uint(who[0]));
        interval(self, i, k, who[0], 1, "main", t, t + 2e-3);
        interval(self, i, k, who[0], 2, "compute", t + 1e-4, t + 1e-4 + wait);
        interval(self, i, k, who[0], 2, "MPI_Send", t + 1.5e-4 + wait, t + 3e-4 + wait);
        interval(self, i, k, who[1], 1, "main", t, t + 2e-3);
        interval(self, i, k, who[1], 2, "MPI_Recv", t + 1.2e-4, t + 3.1e-4 + wait);
        TCF_ROW(self, m, tcf_uint(k), tcf_uint(who[0]), tcf_uint(who[1]), tcf_double(t + 1.6e-4 + wait),
                tcf_double(t + 3e-4 + wait), tcf_uint(1024 * k));
    }
    return TCF_OK;
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "windows",
    .version = "1",
    .summary = "Windows for a timeline",
    .can = TCF_CAN_REPORT,
    .slice = pass_on,
    .end = windows_end,
};
