/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* hpctoolkit: the context tree of meta.db. Of its contexts (functions, loops, lines, instructions) functions and the
 * places where threads begin become regions; each other one counts as the function around it. A context has one number,
 * which no other one has, so that a tree whose pointers lead back into itself is noticed. */
#include "hpctoolkit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tcflow/grow.h>

enum {
    META_CONTEXT = 0x48, /* where the head points to the tree */
    ENTRY_BYTES = 0x20,
    CONTEXT_BYTES = 0x20,
    FUNCTION_BYTES = 0x28,
    FILE_BYTES = 0x10,
    MOST_CONTEXTS = 1 << 24
};
enum { HAS_FUNCTION = 1, FUNCTION = 0 /* the lexical type */ };

static tcf_status no_memory(const tcf_reader *self)
{
    return self->host->fail(self, "out of memory for the context tree");
}

/* ------------------------------------------------------------------------------------------------------- functions --
 */

/* The path of a source file or module, which stands behind 8 bytes of its struct, into *text. */
static tcf_status read_path(state *st, uint64_t at, char **text, uint32_t *room)
{
    const unsigned char *b = db_bytes(&st->meta, at, FILE_BYTES, "a source file or module");
    return b ? db_text(&st->meta, db_u64(b + 8), text, room) : TCF_ERROR;
}

/* The name of a function that has none: where it begins. */
static tcf_status name_by_place(state *st, uint64_t module, uint64_t offset)
{
    char *path = NULL;
    uint32_t room = 0;
    tcf_status status = module ? read_path(st, module, &path, &room) : TCF_OK;
    const char *slash = status == TCF_OK && module ? strrchr(path, '/') : NULL;
    const char *base = slash ? slash + 1 : status == TCF_OK && module ? path : "";
    const size_t n = strlen(base) + 64;

    if (status == TCF_OK && TCF_GROW(&st->name, &st->name_room, (uint32_t)n) != 0)
        status = no_memory(st->meta.self);
    if (status == TCF_OK)
        snprintf(st->name, n, module ? "<unknown function> 0x%" PRIx64 " [%s]" : "<unknown function>", offset, base);
    free(path);
    return status;
}

/* What HPCToolkit puts into call paths for states of a thread, which are no functions. */
static void take_state_of_thread(tcf_region_name *region)
{
    enum { OPENMP = TCF_PARADIGM_OPENMP };
    static const struct {
        const char *name;
        uint8_t paradigm;
    } waits[] = {{"<omp idle>", 0},           {"<no activity>", 0},           {"<omp barrier>", OPENMP},
                 {"<omp task wait>", OPENMP}, {"<omp barrier wait>", OPENMP}, {"<omp mutex wait>", OPENMP}};

    for (size_t i = 0; i < TCF_COUNT(waits); i++)
        if (strcmp(region->name, waits[i].name) == 0) {
            region->paradigm = waits[i].paradigm;
            region->role = TCF_ROLE_TASK_WAIT;
        }
}

/* The region of the function that meta.db describes at this byte. */
static tcf_status function_region(tcf_reader *self, uint64_t at, uint32_t *region)
{
    state *st = self->state;
    const unsigned char *b;

    if ((*region = tcf_map_get(&st->regions, at, 0)) != TCF_MAP_ABSENT)
        return TCF_OK;
    if (!(b = db_bytes(&st->meta, at, FUNCTION_BYTES, "a function")))
        return TCF_ERROR;
    const uint64_t name = db_u64(b), module = db_u64(b + 8), offset = db_u64(b + 0x10), file = db_u64(b + 0x18);
    tcf_region_name r = {.line = db_u32(b + 0x20)};
    if ((name ? db_text(&st->meta, name, &st->name, &st->name_room) : name_by_place(st, module, offset)) != TCF_OK ||
        (file && read_path(st, file, &st->file_name, &st->file_name_room) != TCF_OK))
        return TCF_ERROR;
    r.name = st->name;
    r.file = file ? st->file_name : NULL;
    r.line = file ? r.line : 0;
    take_state_of_thread(&r);
    *region = self->host->region(self, &r);
    if (*region == TCF_NONE)
        return TCF_ERROR;
    return tcf_map_put(&st->regions, at, 0, *region) == 0 ? TCF_OK : no_memory(self);
}

/* -------------------------------------------------------------------------------------------------------- contexts --
 */

/* Notes that the context has this innermost function. */
static tcf_status number_context(tcf_reader *self, uint64_t at, uint32_t context, uint32_t function_)
{
    state *st = self->state;
    char text[120];

    if (tcf_map_get(&st->by_context, context, 0) != TCF_MAP_ABSENT) {
        snprintf(text, sizeof text, "context %" PRIu32 " is in the tree twice, or its pointers lead in a circle",
                 context);
        return db_fail(&st->meta, at, text);
    }
    if (st->by_context.n == MOST_CONTEXTS)
        return db_fail(&st->meta, at, "the tree has more than 16777216 contexts");
    return tcf_map_put(&st->by_context, context, 0, function_) == 0 ? TCF_OK : no_memory(self);
}

static tcf_status add_function(tcf_reader *self, uint32_t parent, uint32_t region, uint32_t *number)
{
    state *st = self->state;

    if (TCF_GROW(&st->functions, &st->functions_room, st->n_functions) != 0)
        return no_memory(self);
    st->functions[st->n_functions] =
        (function){parent, region, parent == TCF_NONE ? 0 : st->functions[parent].depth + 1};
    *number = st->n_functions++;
    return TCF_OK;
}

static tcf_status wait_for_children(tcf_reader *self, uint64_t bytes, uint64_t at, uint32_t parent)
{
    state *st = self->state;

    if (bytes == 0)
        return TCF_OK;
    if (db_check(&st->meta, at, bytes, "the children of a context") != TCF_OK)
        return TCF_ERROR;
    if (TCF_GROW(&st->waiting, &st->waiting_room, st->n_waiting) != 0)
        return no_memory(self);
    st->waiting[st->n_waiting++] = (siblings){at, at + bytes, parent};
    return TCF_OK;
}

/* The context at s->at; s moves on to the next one. */
static tcf_status take_context(tcf_reader *self, siblings *s)
{
    state *st = self->state;
    const uint64_t at = s->at;
    const unsigned char *b = db_bytes(&st->meta, at, CONTEXT_BYTES, "a context");

    if (!b)
        return TCF_ERROR;
    const size_t bytes = CONTEXT_BYTES + 8u * b[0x17];
    if (s->end - at < bytes)
        return db_fail(&st->meta, at, "a context reaches beyond the end of its siblings");
    if (!(b = db_bytes(&st->meta, at, bytes, "a context")))
        return TCF_ERROR;
    const uint64_t children_bytes = db_u64(b), children = db_u64(b + 8);
    const uint32_t context = db_u32(b + 0x10);
    const int has_function = b[0x14] & HAS_FUNCTION, is_function = b[0x16] == FUNCTION;
    uint32_t inner = s->parent, region;

    if (has_function && b[0x17] == 0)
        return db_fail(&st->meta, at, "a context with a function has no room for it");
    if (is_function) {
        const uint64_t its = has_function ? db_u64(b + CONTEXT_BYTES) : 0;
        if (!has_function)
            region = self->host->region(self, &(tcf_region_name){.name = "<unknown function>"});
        else if (function_region(self, its, &region) != TCF_OK)
            return TCF_ERROR;
        if (region == TCF_NONE || add_function(self, s->parent, region, &inner) != TCF_OK)
            return TCF_ERROR;
    }
    s->at = at + bytes;
    if (number_context(self, at, context, inner) != TCF_OK)
        return TCF_ERROR;
    return wait_for_children(self, children_bytes, children, inner);
}

static tcf_status take_waiting(tcf_reader *self)
{
    state *st = self->state;
    tcf_status status = TCF_OK;

    while (st->n_waiting > 0 && status == TCF_OK) {
        siblings s = st->waiting[--st->n_waiting];
        while (s.at < s.end && status == TCF_OK)
            status = self->host->interrupted(self) ? self->host->fail(self, "interrupted") : take_context(self, &s);
    }
    return status;
}

/* Where threads begin: the roots of the tree. */
static tcf_status take_entry(tcf_reader *self, uint64_t at)
{
    state *st = self->state;
    const unsigned char *b = db_bytes(&st->meta, at, ENTRY_BYTES, "an entry point");

    if (!b)
        return TCF_ERROR;
    const uint64_t children_bytes = db_u64(b), children = db_u64(b + 8), name = db_u64(b + 0x18);
    const uint32_t context = db_u32(b + 0x10);
    uint32_t root;

    if (name && db_text(&st->meta, name, &st->name, &st->name_room) != TCF_OK)
        return TCF_ERROR;
    const uint32_t region = self->host->region(self, &(tcf_region_name){.name = name ? st->name : "<unknown entry>"});
    if (region == TCF_NONE || add_function(self, TCF_NONE, region, &root) != TCF_OK ||
        number_context(self, at, context, root) != TCF_OK ||
        wait_for_children(self, children_bytes, children, root) != TCF_OK)
        return TCF_ERROR;
    return take_waiting(self);
}

tcf_status contexts_read(tcf_reader *self)
{
    state *st = self->state;
    const unsigned char *b = db_bytes(&st->meta, META_CONTEXT, 8, "the head");
    tcf_status status = TCF_OK;

    if (!b || !(b = db_bytes(&st->meta, db_u64(b), 0xb, "the context tree")))
        return TCF_ERROR;
    const uint64_t entries = db_u64(b);
    const uint32_t n = db_u16(b + 8), stride = b[0xa];
    if (n > 0 && stride < ENTRY_BYTES)
        return db_fail(&st->meta, entries, "the entry points of the context tree are too short");
    for (uint32_t i = 0; i < n && status == TCF_OK; i++)
        status = take_entry(self, entries + (uint64_t)i * stride);
    return status;
}
