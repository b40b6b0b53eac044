/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the filters of one domain have found goes to those of the first one: pack() and absorb() of filter.h. */
#ifndef TCFLOW_FRAMEWORK_PACK_H
#define TCFLOW_FRAMEWORK_PACK_H

#include "stages.h"

/* The filters of `to` absorb what those of `from`, another domain of the same chain, pack. *callpath: by call path of
 * `from`, *n of them, its number in `to`; the caller frees it. */
tcf_status pack_move(pipeline *to, pipeline *from, uint32_t **callpath, uint32_t *n);

/* Of the host table. */
void pack_put(tcf_pack *pack, const void *data, size_t bytes);
void pack_take(tcf_pack *pack, void *data, size_t bytes);
void pack_put_locations(const tcf_self *self, tcf_pack *pack, size_t offset, size_t bytes);
void pack_take_locations(const tcf_self *self, tcf_pack *pack, size_t offset, size_t bytes);
uint32_t pack_index(tcf_pack *pack, tcf_ref_kind kind, uint32_t index);
uint32_t pack_callpath(tcf_pack *pack, uint32_t callpath);

#endif
