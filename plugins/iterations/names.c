/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The names that stand in iterations' tables. */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *region_name(const work *w, uint32_t region, char number[32])
{
    const tcf_definitions *d = w->self->defs;
    if (region < d->n_regions && d->regions[region].name)
        return d->regions[region].name;
    snprintf(number, 32, "region#%" PRIu64, tcf_id(d, TCF_REF_REGION, region, UINT32_MAX));
    return number;
}

const char *path_text(work *w, uint32_t path)
{
    const struct path *paths = ((const struct state *)w->self->state)->paths;
    char number[32];
    size_t length = 1;
    for (uint32_t n = path; n != ROOT; n = paths[n].parent)
        length += strlen(region_name(w, paths[n].region, number)) + 1;
    if (length > w->text_bytes) {
        char *grown = realloc(w->text, 2 * length);
        if (!grown) {
            w->out_of_memory = 1;
            return "";
        }
        w->text = grown;
        w->text_bytes = 2 * length;
    }
    char *at = w->text + length;
    *--at = '\0';
    for (uint32_t n = path; n != ROOT; n = paths[n].parent) {
        const char *name = region_name(w, paths[n].region, number);
        at -= strlen(name);
        memcpy(at, name, strlen(name));
        if (paths[n].parent != ROOT)
            *--at = '/';
    }
    return at;
}

tcf_cell process_name(const work *w, uint32_t location)
{
    const tcf_definitions *d = w->self->defs;
    const uint32_t group = d->locations[location].group;
    return tcf_text(group < d->n_location_groups ? d->location_groups[group].name : "(unknown)");
}
