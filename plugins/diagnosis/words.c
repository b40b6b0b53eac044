/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Numbers and names as sentences have them. */
#include "diagnosis.h"

#include <private/scaled.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *words_time(double seconds, char to[WORD_BYTES])
{
    return tcf_scaled_seconds(seconds >= 0.5e-9 ? seconds : 0, to);
}

const char *words_share(double share, char to[WORD_BYTES])
{
    snprintf(to, WORD_BYTES, "%.*f %%", share < 0.0995 ? 1 : 0, 100 * share);
    return to;
}

/* Where the last name of a path begins. */
static const char *last_name(const char *path, const char *end)
{
    while (end > path && end[-1] != '/')
        end--;
    return end;
}

const char *words_leaf(const char *path)
{
    return last_name(path, path + strlen(path));
}

const char *words_path(const char *path, char to[WORD_BYTES])
{
    const char *leaf = words_leaf(path);
    const char *from = leaf > path ? last_name(path, leaf - 1) : leaf;
    if (!*path)
        snprintf(to, WORD_BYTES, "code outside of any recorded call");
    else
        snprintf(to, WORD_BYTES, "`%.*s`", WORD_BYTES - 3, strlen(from) < WORD_BYTES - 3 ? from : leaf);
    return to;
}

const char *words_process(const facts *f, uint32_t process, char to[WORD_BYTES])
{
    const tcf_process_names names = tcf_process_names_of(&f->processes, f->self->defs, process);
    if (names.rank >= 0)
        snprintf(to, WORD_BYTES, "rank %" PRId64, names.rank);
    else
        snprintf(to, WORD_BYTES, "%.120s", names.name ? names.name : "a process");
    return to;
}

const char *words_who(const facts *f, uint32_t location, char to[WORD_BYTES])
{
    const tcf_definitions *defs = f->self->defs;
    if (location >= defs->n_locations) {
        snprintf(to, WORD_BYTES, "an unknown process");
        return to;
    }
    const uint32_t process = f->processes.of[location];
    words_process(f, process, to);
    if (f->processes.at[process].location != location) {
        const size_t n = strlen(to);
        snprintf(to + n, WORD_BYTES - n, " (%.100s)",
                 tcf_location_at(defs, location)->name ? tcf_location_at(defs, location)->name : "a thread of it");
    }
    return to;
}
