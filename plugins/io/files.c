/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which file a handle is of, and the names of files, as the definitions have them. */
#include "io.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *text_of(const tcf_self *self, uint32_t id)
{
    const uint32_t at = self->host->find(self, TCF_REF_STRING, id);
    return at == TCF_NONE ? NULL : self->defs->strings[at];
}

/* Of definitions with one id the first one counts. */
static void note_name(const tcf_self *self, const char **names, tcf_ref_kind kind, uint32_t id, uint32_t name)
{
    const uint32_t at = self->host->find(self, kind, id);
    const char *text = text_of(self, name);
    if (at != TCF_NONE && !names[at])
        names[at] = text ? text : "";
}

static void note_handle(const tcf_self *self, const tcf_def_io_handle *x)
{
    state *st = self->state;
    const uint32_t at = self->host->find(self, TCF_REF_IO_HANDLE, x->self);
    if (at == TCF_NONE || st->handles[at].is_there)
        return;
    const uint32_t file = self->host->find(self, TCF_REF_IO_FILE, x->file);
    st->handles[at] = (handle_definition){.file = file != TCF_NONE ? file : NO_FILE + at,
                                          .paradigm = self->host->find(self, TCF_REF_IO_PARADIGM, x->io_paradigm),
                                          .is_there = 1,
                                          .name = text_of(self, x->name)};
}

static void note(const tcf_self *self, const tcf_definition *d)
{
    const state *st = self->state;
    switch (d->kind) {
    case TCF_DEF_IO_PARADIGM:
        note_name(self, st->paradigm_name, TCF_REF_IO_PARADIGM, d->as.def_io_paradigm->self,
                  d->as.def_io_paradigm->identification);
        break;
    case TCF_DEF_IO_REGULAR_FILE:
        note_name(self, st->file_name, TCF_REF_IO_FILE, d->as.def_io_regular_file->self,
                  d->as.def_io_regular_file->name);
        break;
    case TCF_DEF_IO_DIRECTORY:
        note_name(self, st->file_name, TCF_REF_IO_FILE, d->as.def_io_directory->self, d->as.def_io_directory->name);
        break;
    case TCF_DEF_IO_HANDLE:
        note_handle(self, d->as.def_io_handle);
        break;
    default:
        break;
    }
}

int find_files(tcf_self *self)
{
    state *st = self->state;
    const tcf_definitions *defs = self->defs;
    st->n_files = defs->ids[TCF_REF_IO_FILE].n;
    st->n_paradigms = defs->ids[TCF_REF_IO_PARADIGM].n;
    st->n_handles = defs->ids[TCF_REF_IO_HANDLE].n;
    st->file_name = calloc(st->n_files + 1ul, sizeof *st->file_name);
    st->paradigm_name = calloc(st->n_paradigms + 1ul, sizeof *st->paradigm_name);
    st->handles = calloc(st->n_handles + 1ul, sizeof *st->handles);
    if (!st->file_name || !st->paradigm_name || !st->handles)
        return -1;
    for (uint64_t i = 0; i < defs->n_records; i++)
        note(self, &defs->records[i]);
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

const char *file_name(const state *st, uint32_t file, char number[32])
{
    if (file == BEYOND)
        return "(beyond max_rows)";
    if (file < st->n_files)
        return st->file_name[file] ? st->file_name[file] : "";
    if (file >= NO_FILE && file - NO_FILE < st->n_handles) {
        const char *name = st->handles[file - NO_FILE].name;
        if (name && *name)
            return name;
        snprintf(number, 32, "(handle %" PRIu32 ")", file - NO_FILE);
        return number;
    }
    return "(unknown)";
}

const char *paradigm_name(const state *st, uint32_t paradigm)
{
    return paradigm < st->n_paradigms && st->paradigm_name[paradigm] ? st->paradigm_name[paradigm] : "(unknown)";
}
