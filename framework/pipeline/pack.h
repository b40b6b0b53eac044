/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the filters of one domain have found goes to those of the first one: pack() and absorb() of filter.h. */
#ifndef TCFLOW_FRAMEWORK_PACK_H
#define TCFLOW_FRAMEWORK_PACK_H

#include "framework/trace/definitions.h"
#include "stages.h"

struct tcf_pack {
    unsigned char *bytes;
    size_t n, capacity, taken;
    int out_of_memory, took_too_much;
    definitions *defs;       /* of the filter that absorbs */
    const definitions *from; /* of the one that packed */
    const uint32_t *callpath;
    uint32_t n_callpaths;
};

/* Its steps, for packs that come from elsewhere. A pack of domain x for the filters of `to`; takes the call paths over:
 * x keeps their numbers. pack_end() is to be called in any case. */
tcf_status pack_begin(tcf_pack *p, const pipeline *to, const callpaths_part *from, domain *x);
/* Has the filter pack what it has found, in place of what was packed before. */
tcf_status pack_fill(tcf_pack *p, instance *from);
/* Has the filter absorb that. */
tcf_status pack_empty(tcf_pack *p, instance *to);
void pack_end(tcf_pack *p);
/* The filters of `to` absorb what those of domain x of the same chain pack. */
tcf_status pack_move(pipeline *to, domain *x);

/* Of the host table. */
void pack_put(tcf_pack *pack, const void *data, size_t bytes);
void pack_take(tcf_pack *pack, void *data, size_t bytes);
void pack_put_locations(const tcf_self *self, tcf_pack *pack, size_t offset, size_t bytes);
void pack_take_locations(const tcf_self *self, tcf_pack *pack, size_t offset, size_t bytes);
uint32_t pack_index(tcf_pack *pack, tcf_ref_kind kind, uint32_t index);
uint32_t pack_callpath(tcf_pack *pack, uint32_t callpath);

#endif
