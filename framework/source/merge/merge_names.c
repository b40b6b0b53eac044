/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The union's ids for undefined ids of an input, and which records of the whole trace were delivered. */
#include "framework/base/error.h"
#include "merge_internal.h"

#include <stdlib.h>
#include <string.h>
#include <tcflow/grow.h>

void merge_names_free(merge_names *names)
{
    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        free(names->index[kind]);
    map_free(&names->find);
    map_free(&names->undefined);
    map_free(&names->taken);
    free(names->undefined_ids);
    memset(names, 0, sizeof *names);
}

int merge_names_undefined(merge_names *names, tcf_ref_kind kind, uint64_t id, uint64_t name)
{
    if (TCF_GROW(&names->undefined_ids, &names->undefined_capacity, names->n_undefined) != 0 ||
        map_put(&names->taken, name, kind, names->n_undefined) != 0 ||
        map_put(&names->undefined, id, kind, names->n_undefined) != 0)
        return -1;
    names->undefined_ids[names->n_undefined++] = name;
    return 0;
}

tcf_status merge_note_once(merge_once *o, uint64_t hash, uint32_t input, int *is_new)
{
    uint32_t here = map_get(&o->counts, hash, input), passed = map_get(&o->counts, hash, UINT32_MAX);

    here = here == MAP_ABSENT ? 1 : here + 1;
    passed = passed == MAP_ABSENT ? 0 : passed;
    *is_new = here > passed;
    if (map_put(&o->counts, hash, input, here) != 0 || (*is_new && map_put(&o->counts, hash, UINT32_MAX, here) != 0))
        return error_fail("out of memory for what several inputs have once");
    return TCF_OK;
}

void merge_add_properties(tcf_property *to, uint32_t *n, const tcf_property *from, uint32_t n_from)
{
    for (uint32_t i = 0; i < n_from; i++) {
        uint32_t k = 0;
        while (k < *n && strcmp(to[k].name, from[i].name) != 0)
            k++;
        if (k == *n)
            to[(*n)++] = from[i];
    }
}
