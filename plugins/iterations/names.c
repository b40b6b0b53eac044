/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The names that stand in iterations' tables. */
#include "report.h"

const char *path_text(work *w, uint32_t path)
{
    const struct path *paths = ((const struct state *)w->self->state)->paths;
    const char *text = join_names(&w->names, w->self->defs, paths, sizeof *paths, path, ROOT);
    w->out_of_memory |= !text;
    return text ? text : "";
}

row row_of(const work *w, uint32_t location)
{
    const tcf_definitions *d = w->self->defs;
    return (row){.process = tcf_process_name(d, location, "(unknown)"),
                 .location = tcf_location_at(d, location)->name,
                 .location_id = tcf_location_at(d, location)->id};
}
