/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* hpctoolkit: whose trace it is, by the tuple of identifiers that profile.db has for each profile: a process for each
 * rank, or else for each node; a location for each trace, a thread or a stream of an accelerator. */
#include "hpctoolkit.h"

#include <inttypes.h>
#include <stdio.h>

enum { PROFILE_INFOS = 0x18, PROFILE_BYTES = 0x28, IDS_MOST = 16, ID_BYTES = 16, NAME_MOST = 256 };
enum { NODE = 1, RANK, THREAD, GPU, CONTEXT, STREAM, CORE };

typedef struct identity {
    int has_rank, has_node, is_accelerator;
    uint32_t rank, node;
    uint64_t host, place; /* host: what the node has for a name */
    char name[NAME_MOST]; /* of the location */
} identity;

static const char *kind_name(unsigned kind, char other[16])
{
    static const char *const names[] =
        {[THREAD] = "thread", [GPU] = "GPU", [CONTEXT] = "context", [STREAM] = "stream", [CORE] = "core"};
    if (kind < TCF_COUNT(names) && names[kind])
        return names[kind];
    snprintf(other, 16, "kind %u", kind);
    return other;
}

static void take_id(identity *who, const unsigned char *b)
{
    const unsigned kind = b[0];
    const uint32_t number = db_u32(b + 4);
    const size_t n = strlen(who->name);
    char other[16];

    if (kind == NODE) {
        who->has_node = 1;
        who->node = number;
        who->host = db_u64(b + 8);
    } else if (kind == RANK) {
        who->has_rank = 1;
        who->rank = number;
    } else {
        who->is_accelerator |= kind == GPU || kind == CONTEXT || kind == STREAM;
        who->place = who->place << 16 ^ number;
        snprintf(who->name + n, sizeof who->name - n, "%s%s %" PRIu32, n ? ", " : "", kind_name(kind, other), number);
    }
}

static tcf_status read_identity(tcf_reader *self, uint32_t profile, identity *who)
{
    state *st = self->state;
    const unsigned char *b = db_bytes(&st->profile, PROFILE_INFOS, 8, "the head");

    if (!b || !(b = db_bytes(&st->profile, db_u64(b), 0xd, "the list of profiles")))
        return TCF_ERROR;
    const uint64_t first = db_u64(b);
    const uint32_t n = db_u32(b + 8), stride = b[0xc];
    if (stride < PROFILE_BYTES)
        return db_fail(&st->profile, first, "the descriptions of profiles are too short");
    if (profile >= n)
        return self->host->fail(self, "trace.db has a trace of profile %" PRIu32 ", but profile.db has %" PRIu32,
                                profile, n);
    if (db_check(&st->profile, first, (uint64_t)n * stride, "the list of profiles") != TCF_OK ||
        !(b = db_bytes(&st->profile, first + (uint64_t)profile * stride, PROFILE_BYTES, "a profile")))
        return TCF_ERROR;
    const uint64_t tuple = db_u64(b + 0x20);
    if (tuple == 0)
        return self->host->fail(self,
                                "trace.db has a trace of profile %" PRIu32
                                ", of which profile.db does not say whose it is",
                                profile);
    if (!(b = db_bytes(&st->profile, tuple, 8, "a tuple of identifiers")))
        return TCF_ERROR;
    const uint32_t ids = db_u16(b);
    if (ids > IDS_MOST)
        return db_fail(&st->profile, tuple, "a tuple of more than 16 identifiers");
    if (!(b = db_bytes(&st->profile, tuple + 8, ids * (size_t)ID_BYTES, "a tuple of identifiers")))
        return TCF_ERROR;
    for (uint32_t i = 0; i < ids; i++)
        take_id(who, b + i * (size_t)ID_BYTES);
    if (!*who->name)
        snprintf(who->name, sizeof who->name, "thread");
    return TCF_OK;
}

static uint32_t process_of(tcf_reader *self, const identity *who)
{
    state *st = self->state;
    const uint64_t number = who->has_rank ? who->rank : who->has_node ? who->node : UINT64_MAX;
    uint32_t process = tcf_map_get(&st->processes, (uint64_t)who->has_rank, number);
    char name[64] = "process";

    if (process != TCF_MAP_ABSENT)
        return process;
    if (who->has_rank)
        snprintf(name, sizeof name, "rank %" PRIu32, who->rank);
    else if (who->has_node)
        snprintf(name, sizeof name, "node %" PRIx64, who->host);
    process = self->host->process(self, number, name);
    if (process == TCF_NONE || tcf_map_put(&st->processes, (uint64_t)who->has_rank, number, process) == 0)
        return process;
    self->host->fail(self, "out of memory for processes");
    return TCF_NONE;
}

tcf_status place_of(tcf_reader *self, uint32_t profile, uint32_t *location)
{
    identity who = {0};

    if (read_identity(self, profile, &who) != TCF_OK)
        return TCF_ERROR;
    /* threads come before streams */
    *location =
        self->host->location(self, process_of(self, &who), (uint64_t)who.is_accelerator << 63 | (who.place & INT64_MAX),
                             who.name, who.is_accelerator ? TCF_ACCELERATOR_STREAM : TCF_CPU_THREAD);
    return *location == TCF_NONE ? TCF_ERROR : TCF_OK;
}
