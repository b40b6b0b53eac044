/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Events of a harness, as tests state them. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* Copies what is in a record, not the gaps between its fields. */
static void copy_record(tcf_rec *to, enum tcf_kind kind, const void *record)
{
    switch (kind) {
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_##NAME: {                                                                                                 \
        const tcf_ev_##name *from = record;                                                                            \
        (void)from;                                                                                                    \
        FIELDS                                                                                                         \
        break;                                                                                                         \
    }
#define F(member, ctype, role, field) to->member.field = from->field;
#define A(member, ctype, role, field) to->member.field = from->field;
        TCF_EVENT_TABLE(E, F, A, TCF_NOTHING)
#undef E
#undef F
#undef A
    }
}

void tcfh_event(tcfh *h, uint32_t location, uint64_t time, enum tcf_kind kind, const void *record)
{
    if (location >= harness_locations(h))
        harness_fail(h, "there is no location %u", location);
    struct lane *l = &h->lanes[location];
    l->in = harness_bigger(h, l->in, l->n, &l->capacity, sizeof *l->in);
    struct input *in = &l->in[l->n++];
    memset(in, 0, sizeof *in);
    in->time = time;
    in->kind = (uint8_t)kind;
    if (record)
        copy_record(&in->rec, kind, record);
}

void tcfh_enter(tcfh *h, uint32_t location, uint64_t time, uint32_t region)
{
    tcfh_event(h, location, time, TCF_ENTER, &(tcf_ev_enter){region});
}

void tcfh_leave(tcfh *h, uint32_t location, uint64_t time, uint32_t region)
{
    tcfh_event(h, location, time, TCF_LEAVE, &(tcf_ev_leave){region});
}

void tcfh_send(tcfh *h, uint32_t location, uint64_t time, uint32_t to, uint32_t tag, uint64_t bytes)
{
    tcfh_event(h, location, time, TCF_MPI_SEND, &(tcf_ev_mpi_send){to, 0, tag, bytes});
}

void tcfh_receive(tcfh *h, uint32_t location, uint64_t time, uint32_t from, uint32_t tag, uint64_t bytes)
{
    tcfh_event(h, location, time, TCF_MPI_RECV, &(tcf_ev_mpi_recv){from, 0, tag, bytes});
}

void tcfh_send_on(tcfh *h, uint32_t location, uint64_t time, uint32_t comm, uint32_t to, uint32_t tag)
{
    tcfh_event(h, location, time, TCF_MPI_SEND, &(tcf_ev_mpi_send){to, comm, tag, 8});
}

void tcfh_receive_on(tcfh *h, uint32_t location, uint64_t time, uint32_t comm, uint32_t from, uint32_t tag)
{
    tcfh_event(h, location, time, TCF_MPI_RECV, &(tcf_ev_mpi_recv){from, comm, tag, 8});
}

void tcfh_collective_begin(tcfh *h, uint32_t location, uint64_t time)
{
    tcfh_event(h, location, time, TCF_MPI_COLLECTIVE_BEGIN, NULL);
}

void tcfh_collective_end(tcfh *h, uint32_t location, uint64_t time, tcf_ev_mpi_collective_end end)
{
    tcfh_event(h, location, time, TCF_MPI_COLLECTIVE_END, &end);
}

void tcfh_collective(tcfh *h, uint32_t location, uint64_t begin, uint64_t end, uint8_t op, uint32_t comm, uint32_t root)
{
    tcfh_collective_begin(h, location, begin);
    tcfh_collective_end(h, location, end, (tcf_ev_mpi_collective_end){op, comm, root, 8, 8});
}

void tcfh_metric_value(tcfh *h, uint32_t location, uint64_t time, uint32_t metric, uint8_t type, uint64_t value)
{
    tcfh_event(h, location, time, TCF_METRIC, &(tcf_ev_metric){.metric = metric, .number_of_metrics = 1});
    struct input *in = &h->lanes[location].in[h->lanes[location].n - 1];
    in->type = type;
    in->value = value;
}

void tcfh_attributes(tcfh *h, uint32_t location, uint32_t n, const tcf_attribute *attributes)
{
    struct lane *l = &h->lanes[location];
    size_t bytes = n * sizeof *attributes;
    if (l->n == 0)
        harness_fail(h, "location %u has no event that could have attributes", location);
    free(l->in[l->n - 1].attributes);
    tcf_attributes *copy = harness_checked(h, calloc(1, sizeof *copy + bytes));
    copy->n = n;
    memcpy(copy->at, attributes, bytes);
    l->in[l->n - 1].attributes = copy;
}

void tcfh_clear(tcfh *h)
{
    for (uint32_t l = 0; l < harness_locations(h); l++) {
        for (size_t i = 0; i < h->lanes[l].n; i++)
            free(h->lanes[l].in[i].attributes);
        h->lanes[l].n = 0;
    }
}
