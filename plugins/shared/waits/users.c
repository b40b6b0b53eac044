/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Who uses the detection: begins it for the first of the filters that share it, lets the others join, and frees it
 * behind the last one. */
#include "internal.h"

#include <private/parts_host.h>

#include <stdio.h>
#include <stdlib.h>

const tcf_named_column waits_columns[] = {{.name = "waits_step", .bytes = 1}};

/* Filters share a detection that finds the same for all of them. Those which don't look for wrong order share it with
 * those that look as far as is usual. */
void waits_init(tcf_self *self, const waits_listener *listener, int64_t max_open, int64_t max_undecided)
{
    waits_user *user = self->state;
    *user = (waits_user){.self = self,
                         .left = listener->left,
                         .listener = listener,
                         .max_open = (uint32_t)max_open,
                         .max_undecided = (uint32_t)max_undecided};
    const uint32_t as = max_undecided == 0 ? WAITS_MAX_UNDECIDED : user->max_undecided;
    snprintf(user->part, sizeof user->part, "waits %zu %u %u", sizeof(waits), user->max_open, as);
    if (!listener->is_alone)
        tcf_parts_host_of(self)->take_part(self, user->part);
}

static tcf_status classify_regions(tcf_self *self, waits *w)
{
    const tcf_definitions *d = self->defs;
    w->kind_of_region = calloc(d->n_regions + 1u, 1);
    w->extra_of_region = calloc(d->n_regions + 1u, 1);
    w->nesting_of_region = calloc(d->n_regions + 1u, 1);
    w->communicates = calloc(d->n_regions + 1u, 1);
    if (!w->kind_of_region || !w->extra_of_region || !w->nesting_of_region || !w->communicates)
        return self->host->fail(self, "out of memory for %u regions", d->n_regions);
    for (uint32_t r = 0; r < d->n_regions; r++) {
        waits_classify_region(tcf_region_at(d, r), &w->kind_of_region[r], &w->extra_of_region[r]);
        w->nesting_of_region[r] = region_nesting(tcf_region_at(d, r), w->kind_of_region[r]);
        w->communicates[r] = (uint8_t)waits_is_communication(tcf_region_at(d, r), w->kind_of_region[r]);
    }
    return TCF_OK;
}

static tcf_status begin(tcf_self *self, waits *w)
{
    const tcf_definitions *d = self->defs;
    w->of_process = calloc(d->n_location_groups + d->n_locations + 1ul, sizeof *w->of_process);
    w->tracks = calloc(d->n_locations + 1ul, sizeof *w->tracks);
    if (!w->of_process || !w->tracks)
        return self->host->fail(self, "out of memory for %u locations", d->n_locations);
    if (classify_regions(self, w) != TCF_OK)
        return TCF_ERROR;
    w->column = self->host->column(self, waits_columns[0].name);
    w->free_reply = w->ages[0].oldest = w->ages[0].newest = w->ages[1].oldest = w->ages[1].newest = NONE;
    if (tcf_domains_host_of(self)->count(self) > 1 && domains_begin(self) != TCF_OK)
        return TCF_ERROR;
    return d->n_rma_wins > 0 ? windows_begin(self) : TCF_OK;
}

tcf_status waits_begin(tcf_self *self)
{
    waits_user *user = self->state, **last;
    tcf_self *first = user->listener->is_alone ? self : tcf_parts_host_of(self)->first(self);
    waits *w = first == self ? calloc(1, sizeof *w) : waits_of(first);
    if (!w)
        return self->host->fail(self, "out of memory for the detection of waits");
    for (last = &w->users; *last; last = &(*last)->next)
        continue;
    *last = user;
    user->waits = w;
    w->n_users++;
    w->owner = first;
    w->max_open = user->max_open;
    w->max_undecided = max_u32(w->max_undecided, user->max_undecided);
    w->look_at = w->max_undecided < 2048 ? w->max_undecided / 2 : 1024;
    return first == self ? begin(self, w) : TCF_OK;
}

void waits_free(tcf_self *self)
{
    waits *w = waits_of(self);
    if (!w || --w->n_users > 0) /* begin() was never called, or others still look at it */
        return;
    for (uint32_t l = 0; w->tracks && l < self->defs->n_locations; l++) {
        free(w->tracks[l].call);
        free(w->tracks[l].undecided);
    }
    windows_free(w);
    free(w->tracks);
    free(w->kind_of_region);
    free(w->extra_of_region);
    free(w->nesting_of_region);
    free(w->kept_of_path);
    free(w->communicates);
    free(w->of_process);
    free(w->in_flight);
    free(w->replies);
    free(w->gathers);
    free(w->receives);
    tcf_map_free(&w->posted);
    tcf_map_free(&w->requests);
    free(w);
}
