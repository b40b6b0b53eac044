/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See source.h. */
#define _GNU_SOURCE /* asprintf() */
#include "source.h"
#include "definitions.h"
#include "framework/base/error.h"
#include "framework/base/output.h"

#include <errno.h>
#include <limits.h>
#include <private/extent_host.h>
#include <private/passing_errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

tcf_status source_note_loss(source *src, definitions *texts, source_loss loss)
{
    source_loss *more = realloc(src->losses, (src->n_losses + 1) * sizeof *more);

    if (!more)
        return error_fail("out of memory");
    src->losses = more;
    loss.file = definitions_text(texts, loss.file);
    loss.reason = definitions_text(texts, loss.reason);
    if (!loss.file || !loss.reason)
        return TCF_ERROR;
    more[src->n_losses++] = loss;
    return TCF_OK;
}

tcf_status source_fail_overlap(const tcf_location *location, const char *a, const char *b)
{
    return error_fail(
        "location %llu ('%s') has events in %s and in %s: inputs that are read together must have different locations",
        (unsigned long long)location->id, location->name, a, b);
}

/* -------------------------------------------------------------------------------------------------------- inputs -- */

tcf_status source_add_input(source *src, definitions *texts, const char *path)
{
    source_input *in = definitions_memory(texts, sizeof *in);
    char *folder = *path == '/' ? strdup("") : getcwd(NULL, 0), *whole = NULL;

    if (folder && asprintf(&whole, "%s%s%s", folder, *path == '/' ? "" : "/", path) < 0)
        whole = NULL;
    free(folder);
    if (in && whole)
        *in = (source_input){definitions_text(texts, whole), NULL, src->facts.inputs};
    int done = in && whole && in->path;
    free(whole);
    if (done)
        src->facts.inputs = in;
    return done ? TCF_OK : error_fail("out of memory for the names of inputs");
}

/* Is it the folder itself, or does it lie in it? -1: nobody can say (errno). */
static int is_in(const char *path, const char *folder)
{
    char above[PATH_MAX], below[PATH_MAX];

    if (!realpath(folder, above) || !realpath(path, below))
        return tcf_error_is_passing(errno) ? -1 : 0;
    size_t n = strlen(above);
    return strncmp(above, below, n) == 0 && (below[n] == '/' || below[n] == '\0' || n == 1);
}

/* An archive's files lie beside its anchor file STEM.otf2, and in the folder STEM; all of them may be links. */
static int is_of(const char *path, const char *input)
{
    static const char *const endings[] = {".def", ".marker"};
    const char *slash = strrchr(input, '/'), *dot = strrchr(slash ? slash : input, '.');
    int n = dot && strcmp(dot, ".otf2") == 0 ? (int)(dot - input) : 0;
    char name[PATH_MAX + sizeof ".marker"];
    struct stat st;

    if (strlen(input) >= PATH_MAX) /* nothing has such a name */
        return 0;
    int folder = stat(path, &st) == 0 ? S_ISDIR(st.st_mode) != 0 : tcf_error_is_passing(errno) ? -1 : 0;
    if (folder < 0)
        return -1;
    int found = folder ? is_in(input, path) : output_is_same(input, path);
    snprintf(name, sizeof name, "%.*s", n, input);
    if (found == 0 && n > 0)
        found = folder ? is_in(name, path) : is_in(path, name);
    for (size_t i = 0; i < TCF_COUNT(endings) && found == 0 && n > 0 && !folder; i++) {
        snprintf(name, sizeof name, "%.*s%s", n, input, endings[i]);
        found = output_is_same(name, path);
    }
    snprintf(name, sizeof name, "%.*s", slash > input ? (int)(slash - input) : 1, input);
    return found == 0 && folder ? is_in(name, path) : found;
}

int source_is_input(const source *src, const char *path)
{
    int found = 0;

    for (const source_input *in = src->facts.inputs; in && found == 0; in = in->next)
        found = is_of(path, in->path);
    return found;
}

/* ------------------------------------------------------------------------------------------------------- extent -- */

void source_extent_add(const source *src, uint32_t location, const source_ends *ends, int64_t *first, int64_t *last)
{
    const tcf_definitions *defs = src->definitions;
    const int64_t start = defs->clock.global_offset > INT64_MAX ? INT64_MAX : (int64_t)defs->clock.global_offset;
    const int64_t begin = tcf_offset_difference(tcf_global_time(&defs->locations[location], ends->first), start);
    const int64_t end = tcf_offset_difference(tcf_global_time(&defs->locations[location], ends->last), start);

    *first = begin < *first ? begin : *first;
    *last = end > *last ? end : *last;
}

int source_extent(const source *src, int64_t *first, int64_t *last)
{
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (uint32_t i = 0; i < src->definitions->n_locations; i++) {
        source_ends ends;
        if (source_ends_of(src, i, &ends))
            source_extent_add(src, i, &ends, first, last);
    }
    return *first <= *last;
}
