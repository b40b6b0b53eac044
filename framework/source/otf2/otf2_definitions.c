/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The anchor file and the global definitions of an OTF2 archive.
 *
 * Callbacks, expanded from the definition table, pass the definitions to definitions_add() one by one. */
#include "framework/base/error.h"
#include "framework/base/large_pages.h"
#include "framework/trace/otf2_records.h"
#include "otf2_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collecting {
    definitions *defs;
    tcf_status status;
};

/* -------------------------------------------------------------------------------------------- global definitions -- */

#define PARAMETER(shape, ctype, role, field) PARAMETER_##shape(ctype, field)
#define PARAMETER_PLAIN(ctype, field) , OTF2_CTYPE_##ctype field
#define PARAMETER_ARRAY(ctype, field) , const OTF2_CTYPE_##ctype *field
#define PARAMETER_TEXT(ctype, field) , const char *field

#define STORE(shape, ctype, role, field) STORE_##shape(ctype, field)
#define STORE_PLAIN(ctype, field) STORE_##ctype(field)
#define STORE_u8(field) record.field = field;
#define STORE_u32(field) record.field = field;
#define STORE_u64(field) record.field = field;
#define STORE_i64(field) record.field = field;
#define STORE_id8(field) record.field = field;
#define STORE_value(field) record.field = otf2_value_bits(record.type, field);
#define STORE_ARRAY(ctype, field) STORE_ARRAY_##ctype(field)
#define STORE_ARRAY_u8(field) record.field = field;
#define STORE_ARRAY_u32(field) record.field = field;
#define STORE_ARRAY_u64(field) record.field = field;
#define STORE_ARRAY_value(field)                                                                                       \
    uint64_t bits[UINT8_MAX];                                                                                          \
    for (uint32_t i = 0; i < record.number_of_properties; i++)                                                         \
        bits[i] = otf2_value_bits(record.types[i], field[i]);                                                          \
    record.field = bits;
#define STORE_TEXT(ctype, field) record.field = field;

#define DEFINITION(NAME, Name, name, ...)                                                                              \
    static OTF2_CallbackCode on_##name(void *data EACH(PARAMETER, ##__VA_ARGS__))                                      \
    {                                                                                                                  \
        struct collecting *to = data;                                                                                  \
        tcf_##name record;                                                                                             \
        memset(&record, 0, sizeof record);                                                                             \
        EACH(STORE, ##__VA_ARGS__)                                                                                     \
        to->status = definitions_add(to->defs, TCF_DEF_##NAME, &record);                                               \
        return to->status == TCF_OK ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;                                     \
    }
#define D(number, NAME, Name, name, FIELDS) DEFINITION(NAME, Name, name FIELDS)
TCF_DEFINITION_TABLE(D, FIELD, FIELD_ARRAY, FIELD_TEXT)
#undef D

static OTF2_CallbackCode on_unknown_definition(void *data)
{
    struct collecting *to = data;
    to->defs->v.n_unknown++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_GlobalDefReaderCallbacks *definition_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();

    if (callbacks == NULL)
        return NULL;
    OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(callbacks, on_unknown_definition);
#define D(number, NAME, Name, name, FIELDS) OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(callbacks, on_##name);
    TCF_DEFINITION_TABLE(D, FIELD, FIELD_ARRAY, FIELD_TEXT)
#undef D
    return callbacks;
}

/* "a/b.otf2" -> "a/b" */
static char *without_extension(const char *anchor)
{
    char *stem = strdup(anchor);
    char *dot = stem ? strrchr(stem, '.') : NULL;
    if (dot)
        *dot = '\0';
    return stem;
}

/* Is the definition file sound, with as many definitions as the anchor states? */
static tcf_status check_global_file(OTF2_Reader *reader, const char *anchor, const source_options *options)
{
    uint64_t events_chunk, chunk, stated = 0, found = 0;
    char path[4096], *stem = without_extension(anchor);

    if (stem == NULL)
        return error_fail("out of memory");
    int length = snprintf(path, sizeof path, "%s.def", stem);
    free(stem);
    if (length >= (int)sizeof path)
        return error_fail("the path is too long");
    OTF2_Reader_GetChunkSize(reader, &events_chunk, &chunk);
    OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &stated);
    const char *damage = definition_file_check(path, chunk, NULL, &found);
    if (damage == definition_file_missing)
        return error_fail("the definition file '%s' is missing; it belongs beside the anchor file", path);
    if (damage)
        return error_fail("definition file '%s' is damaged behind definition %llu of %llu: %s", path,
                          (unsigned long long)found, (unsigned long long)stated, damage);
    if (found == stated)
        return TCF_OK;
    if (!options->salvage)
        return error_fail(
            "the anchor file states %llu definitions, but '%s' holds %llu; 'salvage = yes' goes on with those",
            (unsigned long long)stated, path, (unsigned long long)found);
    error_log(TCF_LOG_WARNING, "the anchor file '%s' states %llu definitions, but there are %llu", anchor,
              (unsigned long long)stated, (unsigned long long)found);
    return TCF_OK;
}

static tcf_status read_records(OTF2_Reader *reader, uint64_t chunk_bytes, definitions *d)
{
    struct collecting to = {.defs = d, .status = TCF_OK};
    OTF2_GlobalDefReaderCallbacks *callbacks = definition_callbacks();
    OTF2_ErrorCode code = OTF2_ERROR_MEM_FAULT;
    uint64_t n = 0;

    large_pages_expect(chunk_bytes); /* which it clears, however short the file is */
    OTF2_GlobalDefReader *file = OTF2_Reader_GetGlobalDefReader(reader);
    large_pages_keep_small();

    if (callbacks != NULL && file != NULL)
        code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, file, callbacks, &to);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalDefinitions(reader, file, &n);
    if (to.status == TCF_OK && code != OTF2_SUCCESS) {
        otf2_fail(code);
        to.status = error_while("reading definition %llu", (unsigned long long)d->v.n_records + d->v.n_unknown + 1);
    }
    if (callbacks != NULL)
        OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (file != NULL)
        OTF2_Reader_CloseGlobalDefReader(reader, file);
    return to.status;
}

/* -------------------------------------------------------------------------------------------------------- anchor -- */

/* Copies a text that libotf2 has allocated, and frees it; "" when `code` is an error. */
static const char *adopt(definitions *d, OTF2_ErrorCode code, char *text)
{
    const char *copy = definitions_text(d, code == OTF2_SUCCESS ? text : "");
    if (code == OTF2_SUCCESS)
        free(text);
    return copy;
}

static tcf_status read_properties(OTF2_Reader *reader, definitions *d)
{
    char **names = NULL;
    uint32_t n = 0;

    if (OTF2_Reader_GetPropertyNames(reader, &n, &names) != OTF2_SUCCESS)
        n = 0;
    tcf_property *property = definitions_memory(d, n * sizeof *property);
    for (uint32_t i = 0; property && i < n; i++) {
        char *value = NULL;
        OTF2_ErrorCode code = OTF2_Reader_GetProperty(reader, names[i], &value);
        property[i].name = definitions_text(d, names[i]);
        property[i].value = adopt(d, code, value);
        if (property[i].name == NULL || property[i].value == NULL)
            property = NULL;
    }
    free(names); /* one block, the texts included */
    d->v.properties = property;
    d->v.n_properties = n;
    return property ? TCF_OK : TCF_ERROR;
}

static tcf_status read_anchor(OTF2_Reader *reader, definitions *d)
{
    char *text = NULL;
    OTF2_ErrorCode code = OTF2_Reader_GetMachineName(reader, &text);
    d->v.machine = adopt(d, code, text);
    code = OTF2_Reader_GetCreator(reader, &text);
    d->v.creator = adopt(d, code, text);
    code = OTF2_Reader_GetDescription(reader, &text);
    d->v.description = adopt(d, code, text);
    if (d->v.machine == NULL || d->v.creator == NULL || d->v.description == NULL)
        return TCF_ERROR;
    OTF2_Reader_GetVersion(reader, &d->v.version[0], &d->v.version[1], &d->v.version[2]);
    OTF2_Reader_GetTraceId(reader, &d->v.trace_id);
    return read_properties(reader, d);
}

/* Only a warning: nothing else uses the number of locations that the anchor states. */
static void check_locations(OTF2_Reader *reader, const definitions *d)
{
    uint64_t stated = 0, found = 0;

    OTF2_Reader_GetNumberOfLocations(reader, &stated);
    for (uint64_t i = 0; i < d->v.n_records; i++)
        found += d->v.records[i].kind == TCF_DEF_LOCATION;
    if (stated != found)
        error_log(TCF_LOG_WARNING, "the anchor file '%s' states %llu locations, but %llu are defined", d->v.archive,
                  (unsigned long long)stated, (unsigned long long)found);
}

tcf_status otf2_read_global_definitions(OTF2_Reader *reader, uint64_t chunk_bytes, definitions *d,
                                        const source_options *options)
{
    if (read_anchor(reader, d) != TCF_OK)
        return TCF_ERROR;
    if (check_global_file(reader, d->v.archive, options) != TCF_OK || read_records(reader, chunk_bytes, d) != TCF_OK)
        return TCF_ERROR;
    check_locations(reader, d);
    return definitions_resolve(d);
}
