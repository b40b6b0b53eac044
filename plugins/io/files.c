/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which file a handle is of, and the names of files, as the definitions have them. */
#include "io.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PRE_CREATED = 1 }; /* OTF2_IoHandleFlag */

/* Ids of a kind of definition to their indices. */
static int index_ids(const tcf_definitions *defs, tcf_ref_kind kind, tcf_map *by_id)
{
    for (uint32_t i = defs->ids[kind].n; i-- > 0;)
        if (tcf_map_put(by_id, defs->ids[kind].id[i], 0, i) != 0)
            return -1;
    return 0;
}

static const char *text_of(const tcf_definitions *defs, const tcf_map *strings, uint32_t id)
{
    const uint32_t at = tcf_map_get(strings, id, 0);
    return at < defs->n_strings ? defs->strings[at] : NULL;
}

/* Duplicates are later in the list: the first one counts. */
static void note_name(const char **names, uint32_t at, const char *name)
{
    if (at != TCF_MAP_ABSENT && !names[at])
        names[at] = name ? name : "";
}

struct ids {
    tcf_map strings, files, paradigms, handles;
};

static void note_handle(state *st, const tcf_definitions *defs, const struct ids *ids, const tcf_def_io_handle *x)
{
    const uint32_t at = tcf_map_get(&ids->handles, x->self, 0);
    if (at == TCF_MAP_ABSENT || st->handles[at].is_there)
        return;
    const uint32_t file = tcf_map_get(&ids->files, x->file, 0),
                   paradigm = tcf_map_get(&ids->paradigms, x->io_paradigm, 0);
    st->handles[at] = (handle_definition){.file = file != TCF_MAP_ABSENT ? file : NO_FILE + at,
                                          .paradigm = paradigm != TCF_MAP_ABSENT ? paradigm : TCF_NONE,
                                          .is_there = 1,
                                          .pre_created = (x->io_handle_flags & PRE_CREATED) != 0,
                                          .name = text_of(defs, &ids->strings, x->name)};
}

static void note(state *st, const tcf_definitions *defs, const struct ids *ids, const tcf_definition *d)
{
    switch (d->kind) {
    case TCF_DEF_IO_PARADIGM:
        note_name(st->paradigm_name, tcf_map_get(&ids->paradigms, d->as.def_io_paradigm->self, 0),
                  text_of(defs, &ids->strings, d->as.def_io_paradigm->identification));
        break;
    case TCF_DEF_IO_REGULAR_FILE:
        note_name(st->file_name, tcf_map_get(&ids->files, d->as.def_io_regular_file->self, 0),
                  text_of(defs, &ids->strings, d->as.def_io_regular_file->name));
        break;
    case TCF_DEF_IO_DIRECTORY:
        note_name(st->file_name, tcf_map_get(&ids->files, d->as.def_io_directory->self, 0),
                  text_of(defs, &ids->strings, d->as.def_io_directory->name));
        break;
    case TCF_DEF_IO_HANDLE:
        note_handle(st, defs, ids, d->as.def_io_handle);
        break;
    default:
        break;
    }
}

int find_files(tcf_self *self)
{
    state *st = self->state;
    const tcf_definitions *defs = self->defs;
    struct ids ids = {.strings = {0}};
    st->n_files = defs->ids[TCF_REF_IO_FILE].n;
    st->n_paradigms = defs->ids[TCF_REF_IO_PARADIGM].n;
    st->n_handles = defs->ids[TCF_REF_IO_HANDLE].n;
    st->file_name = calloc(st->n_files + 1ul, sizeof *st->file_name);
    st->paradigm_name = calloc(st->n_paradigms + 1ul, sizeof *st->paradigm_name);
    st->handles = calloc(st->n_handles + 1ul, sizeof *st->handles);
    int failed = !st->file_name || !st->paradigm_name || !st->handles;
    if (!failed && st->n_files + st->n_paradigms + st->n_handles > 0)
        failed = index_ids(defs, TCF_REF_STRING, &ids.strings) != 0 ||
                 index_ids(defs, TCF_REF_IO_FILE, &ids.files) != 0 ||
                 index_ids(defs, TCF_REF_IO_PARADIGM, &ids.paradigms) != 0 ||
                 index_ids(defs, TCF_REF_IO_HANDLE, &ids.handles) != 0;
    for (uint64_t i = 0; !failed && i < defs->n_records; i++)
        note(st, defs, &ids, &defs->records[i]);
    tcf_map_free(&ids.strings);
    tcf_map_free(&ids.files);
    tcf_map_free(&ids.paradigms);
    tcf_map_free(&ids.handles);
    return failed ? -1 : 0;
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
