/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The definition files of an archive's locations, which are read for two things: clock offsets, and mapping tables,
 * which turn the ids in the location's events into global ones.
 *
 * A location's file may hold other definitions, too (strings, regions, ...: every kind but the clock's and the
 * paradigms'), which some measurement systems leave there when they unify them. Nothing refers to them: an id in an
 * event is the id of a global definition, as it is or through the mapping table, and libotf2's global reader and
 * otf2-print ignore them. So they are counted (n_local_others) and dropped; a writer reports them. They can't be
 * copied: their ids are local, and mean something else where a mapping table was applied.
 *
 * Locations of one program often have equal tables. Such tables are kept once. */
#include "framework/base/error.h"
#include "framework/base/map.h"
#include "otf2_bytes.h"
#include "otf2_internal.h"

#include <tcflow/grow.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct local {
    definitions *defs;
    /* Of the current location. */
    tcf_clock_offset *offsets;
    uint32_t n, capacity;
    uint64_t others;
    id_map found[OTF2_MAPPING_MAX]; /* with arrays of its own */
    int has_map;
    /* Of all locations. */
    uint64_t all_others; /* records that are not used */
    uint32_t missing;    /* files */
    map known;           /* (hash of a table, 0) -> index in `tables` */
    const id_map **tables;
    uint32_t n_tables, tables_capacity;
};

static const char *const bad_record = "a definition whose contents don't fit its length";

/* ----------------------------------------------------------------------------------------------- mapping tables -- */

static void drop(id_map *m)
{
    free((uint64_t *)m->local);
    free((uint64_t *)m->global);
    *m = (id_map){0, NULL, NULL};
}

struct pair {
    uint64_t local, global;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return (x->local > y->local) - (x->local < y->local);
}

static const char *take_pairs(cursor *c, uint64_t n, uint64_t *local, uint64_t *global)
{
    struct pair *pairs = malloc(n * sizeof *pairs);

    if (pairs == NULL)
        return "out of memory for a mapping table";
    for (uint64_t i = 0; i < n; i++) {
        pairs[i].local = take_number(c, 8);
        pairs[i].global = take_number(c, 8);
    }
    qsort(pairs, n, sizeof *pairs, compare_pairs);
    for (uint64_t i = 0; i < n; i++) {
        local[i] = pairs[i].local;
        global[i] = pairs[i].global;
    }
    free(pairs);
    return c->bad ? bad_record : NULL;
}

static const char *take_table(struct local *l, cursor *c)
{
    unsigned type = take_byte(c);
    uint64_t n = take_number(c, 8);
    unsigned mode = take_byte(c);
    int sparse = mode == OTF2_ID_MAP_SPARSE;

    if (c->bad || n > left(c) / (sparse ? 2 : 1))
        return bad_record;
    if (!sparse && mode != OTF2_ID_MAP_DENSE)
        return "a mapping table of an unknown form";
    if (type >= OTF2_MAPPING_MAX || n == 0) /* of a newer OTF2, or without an effect */
        return NULL;
    if (l->found[type].n > 0) {
        error_log(TCF_LOG_INFO, "duplicate local definition: the first one counts");
        return NULL;
    }
    uint64_t *local = sparse ? malloc(n * sizeof *local) : NULL, *global = malloc(n * sizeof *global);
    l->found[type] = (id_map){n, local, global};
    l->has_map = 1;
    if ((sparse && !local) || !global)
        return "out of memory for a mapping table";
    if (sparse)
        return take_pairs(c, n, local, global);
    for (uint64_t i = 0; i < n; i++)
        global[i] = take_number(c, 8);
    return c->bad ? bad_record : NULL;
}

static uint64_t hash_of(const id_map *m)
{
    uint64_t h = map_hash(m->n, m->local != NULL);

    for (uint64_t i = 0; i < m->n; i++)
        h = map_hash(h ^ (m->local ? m->local[i] : 0), m->global[i]);
    return h;
}

static int are_equal(const id_map *a, const id_map *b)
{
    size_t bytes = a->n * sizeof *a->global;
    return a->n == b->n && !a->local == !b->local && memcmp(a->global, b->global, bytes) == 0 &&
           (!a->local || memcmp(a->local, b->local, bytes) == 0);
}

static const uint64_t *keep_ids(definitions *d, const uint64_t *ids, uint64_t n)
{
    uint64_t *kept = ids ? definitions_memory(d, n * sizeof *ids) : NULL;
    if (kept)
        memcpy(kept, ids, n * sizeof *ids);
    return kept;
}

/* A copy of the table that lives as long as the definitions; equal ones are one. */
static const id_map *keep_table(struct local *l, const id_map *m)
{
    uint64_t hash = hash_of(m);
    uint32_t at = map_get(&l->known, hash, 0);

    if (at != MAP_ABSENT && are_equal(l->tables[at], m))
        return l->tables[at];
    id_map *kept = definitions_memory(l->defs, sizeof *kept);
    if (kept == NULL || TCF_GROW(&l->tables, &l->tables_capacity, l->n_tables) != 0)
        return NULL;
    *kept = (id_map){m->n, keep_ids(l->defs, m->local, m->n), keep_ids(l->defs, m->global, m->n)};
    if (!kept->global || (m->local && !kept->local) || map_put(&l->known, hash, 0, l->n_tables) != 0)
        return NULL;
    l->tables[l->n_tables++] = kept;
    return kept;
}

static tcf_status keep_tables(struct local *l, const id_maps **to)
{
    id_maps *maps = definitions_memory(l->defs, sizeof *maps);

    if (maps == NULL)
        return TCF_ERROR;
    for (int type = 0; type < OTF2_MAPPING_MAX; type++)
        if (l->found[type].n > 0 && !(maps->of[type] = keep_table(l, &l->found[type])))
            return error_fail("out of memory for mapping tables");
    *to = maps;
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- records -- */

static const char *take_clock_offset(struct local *l, cursor *c)
{
    tcf_clock_offset offset = {.time = take_u64(c)};

    offset.offset = (int64_t)take_number(c, 8);
    uint64_t deviation = take_u64(c);
    memcpy(&offset.standard_deviation, &deviation, sizeof deviation);
    if (c->bad)
        return bad_record;
    if (l->n > 0 && offset.time <= l->offsets[l->n - 1].time)
        error_log(TCF_LOG_INFO, "duplicate local definition: the first one counts");
    if (TCF_GROW(&l->offsets, &l->capacity, l->n) != 0)
        return "out of memory for clock offsets";
    l->offsets[l->n++] = offset;
    return NULL;
}

static const char *take_record(void *data, unsigned type, cursor *record)
{
    struct local *l = data;

    if (type == MAPPING_TABLE)
        return take_table(l, record);
    if (type == CLOCK_OFFSET)
        return take_clock_offset(l, record);
    l->others++;
    return NULL;
}

static tcf_status read_file(struct local *l, otf2_source *src, uint32_t location, const char *path)
{
    const definition_visitor visitor = {take_record, l};
    uint64_t records;

    l->n = 0;
    l->others = 0;
    l->has_map = 0;
    const char *damage = definition_file_check(path, src->definition_chunk_bytes, &visitor, &records);
    if (damage == definition_file_missing) { /* the file is optional */
        l->missing++;
        return TCF_OK;
    }
    tcf_status status = damage ? error_fail("%s", damage) : TCF_OK;
    if (status == TCF_OK && l->has_map)
        status = keep_tables(l, &src->locations[location].maps);
    for (int type = 0; type < OTF2_MAPPING_MAX; type++)
        drop(&l->found[type]);
    if (status != TCF_OK)
        return TCF_ERROR;
    l->all_others += l->others;
    return definitions_set_clock_offsets(l->defs, location, l->offsets, l->n);
}

static void log_local_definitions(const struct local *l, const char *folder, int complete)
{
    uint32_t n = l->defs->v.n_locations;

    if (complete && l->missing > 0 && l->missing < n) /* allowed, but rare */
        error_log(TCF_LOG_WARNING,
                  "%u of %u locations have no definition file in '%s'; if these files are lost, their "
                  "events may refer to wrong definitions",
                  l->missing, n, folder);
    if (l->all_others > 0)
        error_log(TCF_LOG_INFO, "%llu local definitions besides clock offsets and mapping tables are not used",
                  (unsigned long long)l->all_others);
}

tcf_status otf2_read_local_definitions(otf2_source *src)
{
    struct local l = {.defs = src->defs};
    const tcf_definitions *v = &src->defs->v;
    char path[OTF2_PATH_BYTES];
    tcf_status status = TCF_OK;

    for (uint32_t i = 0; i < v->n_locations && status == TCF_OK; i++) {
        unsigned long long id = v->locations[i].id;
        otf2_definitions_ahead(src, i);
        snprintf(path, sizeof path, "%s/%llu.def", src->folder, id);
        status = read_file(&l, src, i, path);
        if (status != TCF_OK && src->options.salvage) {
            source_loss loss = {i, SOURCE_LOST_DEFINITIONS, path, error_text()};
            status = source_note_loss(&src->base, src->defs, loss);
        } else if (status != TCF_OK) {
            error_while("reading the definitions of location %llu (%s) from '%s'; 'salvage = yes' goes on without them",
                        id, v->locations[i].name, path);
        }
    }
    log_local_definitions(&l, src->folder, status == TCF_OK);
    src->defs->v.n_local_others = l.all_others;
    map_free(&l.known);
    free(l.tables);
    free(l.offsets);
    return status;
}
