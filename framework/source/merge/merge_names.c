/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the ids of an input are called in the union of several, and which records of the whole trace have passed. */
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
    map_free(&names->strays);
    map_free(&names->called);
    free(names->stray);
    memset(names, 0, sizeof *names);
}

int merge_names_stray(merge_names *names, tcf_ref_kind kind, uint64_t id, uint64_t name)
{
    if (TCF_GROW(&names->stray, &names->stray_capacity, names->n_strays) != 0 ||
        map_put(&names->called, name, kind, names->n_strays) != 0 ||
        map_put(&names->strays, id, kind, names->n_strays) != 0)
        return -1;
    names->stray[names->n_strays++] = name;
    return 0;
}

tcf_status merge_note_once(merge_once *o, uint64_t hash, uint32_t input, int *is_new)
{
    uint32_t here = map_get(&o->counts, hash, input), passed = map_get(&o->counts, hash, UINT32_MAX);

    here = here == MAP_ABSENT ? 1 : here + 1;
    passed = passed == MAP_ABSENT ? 0 : passed;
    *is_new = here > passed;
    if (map_put(&o->counts, hash, input, here) != 0 || (*is_new && map_put(&o->counts, hash, UINT32_MAX, here) != 0))
        return tcf_fail("out of memory for what several inputs have once");
    return TCF_OK;
}
