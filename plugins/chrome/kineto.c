/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* chrome: collective operations and messages in traces of PyTorch's profiler (Kineto).
 *
 * `distributedInfo` at the top of the file says which rank wrote it. Kernels of NCCL and RCCL have arguments that say
 * what they communicate; so have the events record_param_comms of threads, which count where the backend has no
 * kernels. A process group is a communicator: its name and its ranks, which are the run's, are the same in all files.
 * What each member does is then matched by order. */
#include "chrome.h"

#include <tcflow/grow.h>

#include <ctype.h>
#include <inttypes.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CUDA = 5 /* OTF2_PARADIGM_CUDA */,
    MPI = 4,
    MOST_GROUPS = 1 << 16,
    MOST_ROOTS = 1 << 20,
    NO_ROOT = -1,
    ROOTED = 1
};

/* A process group as this file's processes see it. */
typedef struct chrome_group {
    uint32_t communicator;
    uint32_t own; /* rank of this file in it; TCF_NONE: isn't known so far */
    char *ranks;  /* as the file lists them */
} chrome_group;

typedef struct chrome_kineto {
    tcf_map group_ids, member_ids, roots; /* roots: by external id */
    chrome_group *groups;
    uint32_t n_groups, n_roots, groups_room;
    uint64_t unclear, unknown, without_group;
} chrome_kineto;

void chrome_take_head(chrome_state *st, const char *key, const char *value)
{
    if (strcmp(key, "rank") == 0)
        st->rank = (uint32_t)strtoul(value, NULL, 10) + 1;
    else if (strcmp(key, "world_size") == 0)
        st->world_size = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "backend") == 0)
        st->has_kernels = strstr(value, "nccl") != NULL;
}

static tcf_status no_room(const chrome_state *st)
{
    return st->reader->host->fail(st->reader, "out of memory for process groups");
}

int chrome_is_kineto(const char *key, size_t n)
{
#define IS(text) (memcmp(key, text, sizeof(text) - 1) == 0)
    switch (n) {
    case 4:
        return IS("Rank");
    case 5:
        return IS("dtype");
    case 8:
        return IS("Dst Rank") || IS("Src Rank");
    case 10:
        return IS("Group size");
    case 11:
        return IS("External id");
    case 13:
        return IS("In msg nelems");
    case 14:
        return IS("Out msg nelems");
    case 15:
        return IS("Collective name");
    case 18:
        return IS("Process Group Name");
    case 19:
        return IS("Process Group Ranks");
    case 25:
        return IS("Process Group Description");
    default:
        return 0;
    }
#undef IS
}

/* The number of an argument; -1: it isn't there, or no number. */
static int64_t number_of(const chrome_state *st, const char *key)
{
    const char *text = chrome_argument_text(st, key);
    char *end;
    const long long n = strtoll(text, &end, 10);
    return *text && !*end && n >= 0 ? n : -1;
}

/* ------------------------------------------------------------------------------------------------------------ ranks --
 */

/* The place of a rank in a list "[a, b, ...]"; -1: it isn't there. Long lists end in dots, which list all ranks of the
 * run from 0 on only if the group is as large. */
static int64_t place_in(const char *ranks, int64_t rank, int64_t size, int64_t world)
{
    int64_t place = 0, in_order = 1;

    for (const char *c = ranks; *c; place++) {
        char *end;
        while (*c && !isdigit((unsigned char)*c) && *c != '.')
            c++;
        if (!isdigit((unsigned char)*c))
            return *c == '.' && in_order && size == world && rank < world ? rank : -1;
        const int64_t n = strtoll(c, &end, 10);
        if (n == rank)
            return place;
        in_order &= n == place;
        c = end;
    }
    return -1;
}

/* The group of the event, by its index. TCF_NONE: none is stated, or *status says a failure. */
static uint32_t group_of(chrome_state *st, int64_t size, tcf_status *status)
{
    const tcf_source_host *host = st->reader->host;
    chrome_kineto *k = st->kineto;
    const char *name = chrome_argument_text(st, "Process Group Name"),
               *ranks = chrome_argument_text(st, "Process Group Ranks");
    const char *description = chrome_argument_text(st, "Process Group Description");
    const tcf_pair_key a = tcf_key_of_text(name, strlen(name)), b = tcf_key_of_text(ranks, strlen(ranks));
    const tcf_pair_key key = {tcf_map_hash(a.a, b.a), tcf_map_hash(a.b, b.b)};
    const uint32_t known = tcf_map_get(&k->group_ids, key.a, key.b);
    char text[256];

    *status = TCF_OK;
    if (known != TCF_MAP_ABSENT)
        return known;
    if (!*name || *ranks != '[' || size <= 0 || size >= UINT32_MAX || k->n_groups == MOST_GROUPS) {
        k->without_group++;
        return TCF_NONE;
    }
    *status = TCF_ERROR;
    snprintf(text, sizeof text, "process group %.100s%s%.100s", name, *description ? ", " : "", description);
    if (TCF_GROW(&k->groups, &k->groups_room, k->n_groups) != 0 ||
        tcf_map_put(&k->group_ids, key.a, key.b, k->n_groups) != 0) {
        no_room(st);
        return TCF_NONE;
    }
    chrome_group *g = &k->groups[k->n_groups];
    *g = (chrome_group){.own = TCF_NONE, .ranks = strdup(ranks)};
    if (!g->ranks) {
        no_room(st);
        return TCF_NONE;
    }
    k->n_groups++;
    g->communicator = host->communicator(st->reader, host->across(st->reader, key), text, (uint32_t)size,
                                         st->has_kernels ? CUDA : MPI);
    if (g->communicator == TCF_NONE)
        return TCF_NONE;
    *status = TCF_OK;
    return k->n_groups - 1;
}

/* The rank of this file in the group, once the file has said its own. */
static uint32_t own_rank(const chrome_state *st, const chrome_group *g, int64_t size)
{
    const int64_t place = st->rank > 0 ? place_in(g->ranks, st->rank - 1, size, st->world_size) : -1;
    return place >= 0 && place < size ? (uint32_t)place : TCF_NONE;
}

/* The event's process is the member. */
static tcf_status join(chrome_state *st, uint32_t group, uint32_t process, int64_t size)
{
    chrome_kineto *k = st->kineto;
    chrome_group *g = &k->groups[group];

    if (tcf_map_get(&k->member_ids, group, process) != TCF_MAP_ABSENT)
        return TCF_OK;
    g->own = own_rank(st, g, size);
    if (g->own == TCF_NONE)
        return TCF_OK;
    if (tcf_map_put(&k->member_ids, group, process, 1) != 0)
        return no_room(st);
    return st->reader->host->member(st->reader, g->communicator, g->own, process);
}

/* ----------------------------------------------------------------------------------------------------- operations --
 */

static uint64_t bytes_of(const chrome_state *st, const char *elements)
{
    static const struct {
        const char *name;
        uint8_t bytes;
    } known[] = {{"Float", 4},
                 {"Half", 2},
                 {"BFloat16", 2},
                 {"Double", 8},
                 {"Long", 8},
                 {"Int", 4},
                 {"Short", 2},
                 {"Char", 1},
                 {"Byte", 1},
                 {"Bool", 1},
                 {"ComplexHalf", 4},
                 {"ComplexFloat", 8},
                 {"ComplexDouble", 16},
                 {"Float8_e5m2", 1},
                 {"Float8_e4m3fn", 1},
                 {"Float8_e5m2fnuz", 1},
                 {"Float8_e4m3fnuz", 1},
                 {"UInt16", 2},
                 {"UInt32", 4},
                 {"UInt64", 8}};
    const char *type = chrome_argument_text(st, "dtype");
    const int64_t n = number_of(st, elements);

    for (size_t i = 0; n > 0 && i < TCF_COUNT(known); i++)
        if (strcmp(type, known[i].name) == 0)
            return (uint64_t)n * known[i].bytes;
    return 0;
}

/* OTF2's number of an operation of PyTorch; -1: none that is known. */
static int operation_of(const char *name, int *rooted)
{
    static const struct {
        const char *name;
        uint8_t operation, rooted;
    } known[] = {{"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, 0},
                 {"all_reduce", OTF2_COLLECTIVE_OP_ALLREDUCE, 0},
                 {"allreduce_coalesced", OTF2_COLLECTIVE_OP_ALLREDUCE, 0},
                 {"broadcast", OTF2_COLLECTIVE_OP_BCAST, ROOTED},
                 {"_broadcast_oop", OTF2_COLLECTIVE_OP_BCAST, ROOTED},
                 {"reduce", OTF2_COLLECTIVE_OP_REDUCE, ROOTED},
                 {"_reduce_oop", OTF2_COLLECTIVE_OP_REDUCE, ROOTED},
                 {"gather", OTF2_COLLECTIVE_OP_GATHER, ROOTED},
                 {"scatter", OTF2_COLLECTIVE_OP_SCATTER, ROOTED},
                 {"all_gather", OTF2_COLLECTIVE_OP_ALLGATHER, 0},
                 {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER, 0},
                 {"_allgather_base", OTF2_COLLECTIVE_OP_ALLGATHER, 0},
                 {"all_gather_into_tensor_coalesced", OTF2_COLLECTIVE_OP_ALLGATHER, 0},
                 {"allgather_into_tensor_coalesced", OTF2_COLLECTIVE_OP_ALLGATHER, 0},
                 {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, 0},
                 {"_reduce_scatter_base", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, 0},
                 {"reduce_scatter_tensor_coalesced", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, 0},
                 {"all_to_all", OTF2_COLLECTIVE_OP_ALLTOALL, 0},
                 {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, 0},
                 {"all_to_allv", OTF2_COLLECTIVE_OP_ALLTOALLV, 0},
                 {"barrier", OTF2_COLLECTIVE_OP_BARRIER, 0}};

    for (size_t i = 0; i < TCF_COUNT(known); i++)
        if (strcmp(name, known[i].name) == 0) {
            *rooted = known[i].rooted;
            return known[i].operation;
        }
    return -1;
}

/* The thread's event states the root, as `Rank`; the kernel which it has launched has the same external id. */
static tcf_status note_root(chrome_state *st)
{
    chrome_kineto *k = st->kineto;
    const int64_t id = number_of(st, "External id"), rank = number_of(st, "Rank");

    if (id < 0 || rank < 0 || rank >= INT32_MAX || k->n_roots == MOST_ROOTS)
        return TCF_OK;
    k->n_roots++;
    return tcf_map_put(&k->roots, (uint64_t)id, 0, (uint32_t)rank) == 0 ? TCF_OK : no_room(st);
}

static int64_t root_of(const chrome_state *st)
{
    const int64_t id = number_of(st, "External id"), stated = number_of(st, "Rank");
    const uint32_t noted = id < 0 ? TCF_MAP_ABSENT : tcf_map_get(&st->kineto->roots, (uint64_t)id, 0);
    return stated >= 0 ? stated : noted != TCF_MAP_ABSENT ? (int64_t)noted : NO_ROOT;
}

/* A message's end, where the other side's rank is stated. */
static tcf_status take_message(chrome_state *st, const chrome_group *g, uint32_t location, uint64_t begin, uint64_t end,
                               int64_t size, int sends)
{
    const tcf_source_host *host = st->reader->host;
    const int64_t peer = number_of(st, sends ? "Dst Rank" : "Src Rank"),
                  place = peer < 0 ? -1 : place_in(g->ranks, peer, size, st->world_size);
    const tcf_message m = {.communicator = g->communicator,
                           .peer = (uint32_t)place,
                           .bytes = bytes_of(st, sends ? "In msg nelems" : "Out msg nelems"),
                           .posted = begin,
                           .completed = end};

    if (place < 0 || g->own == TCF_NONE) {
        st->kineto->unclear++;
        return TCF_OK;
    }
    return (sends ? host->send_to : host->receive_from)(st->reader, location, &m);
}

static tcf_status take_operation(chrome_state *st, const chrome_group *g, const char *name, uint32_t location,
                                 uint64_t begin, uint64_t end)
{
    int rooted = 0;
    const int operation = operation_of(name, &rooted);
    const int64_t root = rooted ? root_of(st) : NO_ROOT;
    tcf_operation o = {.communicator = g->communicator,
                       .root = root < 0 ? TCF_NONE : (uint32_t)root,
                       .operation = (uint8_t)operation,
                       .sent = bytes_of(st, "In msg nelems"),
                       .received = bytes_of(st, "Out msg nelems"),
                       .begin = begin,
                       .end = end};

    if (operation < 0 || (rooted && root < 0)) {
        *(operation < 0 ? &st->kineto->unknown : &st->kineto->unclear) += 1;
        return TCF_OK;
    }
    if (operation == OTF2_COLLECTIVE_OP_BARRIER)
        o.sent = o.received = 0;
    else if (operation == OTF2_COLLECTIVE_OP_BCAST || operation == OTF2_COLLECTIVE_OP_SCATTER)
        o.sent = g->own == o.root ? o.sent : 0;
    else if (rooted)
        o.received = g->own == o.root ? o.received : 0;
    if (operation == OTF2_COLLECTIVE_OP_BCAST && g->own == o.root)
        o.received = 0;
    return st->reader->host->collective(st->reader, location, &o);
}

tcf_status chrome_take_kineto(chrome_state *st, uint32_t location, uint32_t process, uint64_t begin, uint64_t end)
{
    const char *name = chrome_argument_text(st, "Collective name");
    const int is_kernel = strcmp(text_of(st, st->event.field[FIELD_CATEGORY]), "kernel") == 0;
    const int64_t size = number_of(st, "Group size");
    tcf_status status;

    if (!st->kineto && !(st->kineto = calloc(1, sizeof *st->kineto)))
        return no_room(st);
    if (st->rank == 0) {
        st->kineto->without_group++;
        return TCF_OK;
    }
    if (!is_kernel && st->has_kernels)
        return note_root(st);
    if (is_kernel != st->has_kernels)
        return TCF_OK;
    const uint32_t number = group_of(st, size, &status);
    if (number == TCF_NONE)
        return status;
    if (join(st, number, process, size) != TCF_OK)
        return TCF_ERROR;
    const chrome_group *g = &st->kineto->groups[number];
    if (g->own == TCF_NONE) {
        st->kineto->without_group++;
        return TCF_OK;
    }
    if (strcmp(name, "send") == 0 || strcmp(name, "recv") == 0)
        return take_message(st, g, location, begin, end, size, *name == 's');
    return take_operation(st, g, name, location, begin, end);
}

void chrome_tell_kineto(const chrome_state *st)
{
    const tcf_reader *self = st->reader;
    const chrome_kineto *k = st->kineto;

    if (!k)
        return;
    if (k->without_group > 0)
        self->host->log(
            self, TCF_LOG_WARNING,
            "%" PRIu64
            " operations of process groups are left out, for the file doesn't say of which group, or which rank wrote "
            "it (distributedInfo)",
            k->without_group);
    if (k->unclear > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64
                        " operations of process groups are left out, for their root or the other side isn't stated",
                        k->unclear);
    if (k->unknown > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " operations of process groups are left out: of kinds that this reader doesn't know",
                        k->unknown);
}

void chrome_free_kineto(chrome_state *st)
{
    chrome_kineto *k = st->kineto;

    if (!k)
        return;
    for (uint32_t i = 0; i < k->n_groups; i++)
        free(k->groups[i].ranks);
    free(k->groups);
    tcf_map_free(&k->group_ids);
    tcf_map_free(&k->member_ids);
    tcf_map_free(&k->roots);
    free(k);
    st->kineto = NULL;
}
