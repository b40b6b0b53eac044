// SPDX-FileCopyrightText: 2026 the tcflow authors
// SPDX-License-Identifier: BSD-3-Clause

// A filter in C++: parameters, needs, abilities, payloads and a report.
#include <tcflow/filter.h>
#include <tcflow/grow.h>
#include <tcflow/map.h>
#include <tcflow/processes.h>

namespace {

struct conf {
    int64_t most;
};

const tcf_param params[] = {
    TCF_PARAM(conf, most, TCF_INT, "1000000", "How many are counted", .min = "1", .unit = "messages"),
};

struct state {
    uint64_t messages, wrong;
};

tcf_status cxx_init(tcf_self *self)
{
    self->needs |= TCF_NEED_CALLPATH;
    return TCF_OK;
}

tcf_status cxx_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    state *st = static_cast<state *>(self->state);
    for (uint32_t i = from; i < to; i++)
        for (const tcf_edge *e = tcf_edge_of(s, i); e; e = tcf_next_edge(s, e)) {
            if (!tcf_is_message(e))
                continue;
            uint64_t *number = static_cast<uint64_t *>(self->host->payload(self, e));
            if (!number)
                continue;
            if (e->flags & TCF_EDGE_SOURCE)
                *number = e->number + 1;
            else if (static_cast<const conf *>(self->conf)->most > 0)
                st->messages++, st->wrong += *number != e->number + 1;
        }
    return TCF_OK;
}

tcf_status cxx_end(tcf_self *self)
{
    static const tcf_table_column columns[] = {{"messages", TCF_CELL_UINT, nullptr, "Received"},
                                               {"whole", TCF_CELL_UINT, nullptr, "Is each what was sent?"}};
    const state *st = static_cast<const state *>(self->state);
    tcf_processes p = {};
    if (tcf_processes_find(&p, self->defs) != 0)
        return self->host->fail(self, "out of memory");
    tcf_processes_free(&p);
    tcf_table *table = self->host->table(self, "cxx", "Messages", columns, TCF_COUNT(columns));
    const tcf_cell cells[] = {tcf_uint(st->messages), tcf_uint(st->wrong == 0)};
    self->host->row(table, cells, TCF_COUNT(cells));
    return TCF_OK;
}

} // namespace

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "cxx",
    .version = "1.0",
    .summary = "Counts messages",
    .help = nullptr,
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .message_bytes = sizeof(uint64_t),
    .needs = TCF_NEED_EDGES | TCF_NEED_PROGRAM,
    .can = TCF_CAN_REPORT,
    .span = cxx_span,
    .init = cxx_init,
    .end = cxx_end,
};
