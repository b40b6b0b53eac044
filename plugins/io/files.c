/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* io: the file of each handle, and the names of files, from the definitions. */
#include "io.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *name_of(void *self, const tcf_definition *d)
{
    return d->kind == TCF_DEF_IO_PARADIGM ? string_of(self, d->as.def_io_paradigm->identification)
                                          : name_in_record(self, d);
}

/* Notes the file of a handle. Of definitions with the same id the first one counts. */
static void note_handle(const tcf_self *self, const tcf_def_io_handle *x)
{
    const state *st = self->state;
    handle_definition *h = &st->handles[self->host->find(self, TCF_REF_IO_HANDLE, x->self)];
    if (h->is_there)
        return;
    const uint32_t file = self->host->find(self, TCF_REF_IO_FILE, x->file);
    h->file = file != TCF_NONE ? file : NO_FILE + (uint32_t)(h - st->handles);
    h->paradigm = self->host->find(self, TCF_REF_IO_PARADIGM, x->io_paradigm);
    h->is_there = 1;
}

int find_files(tcf_self *self)
{
    state *st = self->state;
    const tcf_definitions *defs = self->defs;
    st->n_handles = defs->ids[TCF_REF_IO_HANDLE].n;
    st->handles = calloc(st->n_handles + 1ul, sizeof *st->handles);
    if (!st->handles || definition_names_init(&st->names, defs) != 0)
        return -1;
    definition_names_fill(&st->names, self, name_of, self);
    for (uint64_t i = 0; i < defs->n_records; i++)
        if (defs->records[i].kind == TCF_DEF_IO_HANDLE)
            note_handle(self, defs->records[i].as.def_io_handle);
    return 0;
}

uint32_t file_of(const state *st, uint32_t handle)
{
    return handle < st->n_handles && st->handles[handle].is_there ? st->handles[handle].file : TCF_NONE;
}

uint32_t paradigm_of(const state *st, uint32_t handle)
{
    return handle < st->n_handles && st->handles[handle].is_there ? st->handles[handle].paradigm : TCF_NONE;
}

const char *file_name(const tcf_self *self, uint32_t file, char number[32])
{
    const state *st = self->state;
    if (file == BEYOND)
        return "(beyond max_rows)";
    if (file < self->defs->ids[TCF_REF_IO_FILE].n)
        return st->names.of[TCF_REF_IO_FILE][file] ? st->names.of[TCF_REF_IO_FILE][file] : "";
    if (file < NO_FILE || file - NO_FILE >= st->n_handles)
        return "(unknown)";
    const char *name = st->names.of[TCF_REF_IO_HANDLE][file - NO_FILE];
    if (name && *name)
        return name;
    snprintf(number, 32, "(handle %" PRIu32 ")", file - NO_FILE);
    return number;
}

const char *paradigm_name(const tcf_self *self, uint32_t paradigm)
{
    const state *st = self->state;
    const uint32_t n = self->defs->ids[TCF_REF_IO_PARADIGM].n;
    const char *name = paradigm < n ? st->names.of[TCF_REF_IO_PARADIGM][paradigm] : NULL;
    return name ? name : paradigm < n ? "" : "(unknown)";
}
