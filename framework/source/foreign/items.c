/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What gather.c and ranks.c do with all that a reader says: texts become numbers, events items in an order. */
#include "foreign_internal.h"
#include "framework/base/error.h"

#include <tcflow/grow.h>

#include <string.h>

tcf_status gather_not_defined(const char *what, uint32_t number)
{
    /* TCF_NONE is what a failed definition has returned: its reason stands. */
    return number == TCF_NONE && *error_text() ? TCF_ERROR : error_fail("%s %u is not defined", what, number);
}

uint32_t gather_no_room(const char *what, uint32_t most)
{
    error_fail("the file has more than %u %s", most, what);
    return TCF_NONE;
}

uint32_t gather_no_memory(const char *what)
{
    error_fail("out of memory for %s", what);
    return TCF_NONE;
}

uint32_t gather_text_number(gather *g, const char *text, uint32_t most, const char *instead)
{
    const size_t n = text ? strlen(text) : 0;
    tcf_pair_key key = tcf_key_of_text(text, n);
    uint32_t id;

    if (!text) {
        error_fail("a name is missing");
        return TCF_NONE;
    }

    /* Texts that differ have different keys but for one case in 2^128; the loop is for that. */
    while ((id = map_get(&g->text_ids, key.a, key.b)) != MAP_ABSENT && strcmp(g->texts[id], text) != 0)
        key.b++;
    if (id != MAP_ABSENT)
        return id;
    if (g->n_texts >= most && instead) {
        g->lost.texts++;
        return gather_text_number(g, instead, MOST_TEXTS, NULL);
    }
    if (g->n_texts == MOST_TEXTS)
        return gather_no_room("texts", MOST_TEXTS);
    const char *copy = store_text(&g->storage, text, n);
    if (!copy || TCF_GROW(&g->texts, &g->texts_room, g->n_texts) != 0 ||
        map_put(&g->text_ids, key.a, key.b, g->n_texts) != 0)
        return gather_no_memory("the definitions");
    g->texts[g->n_texts] = copy;
    return g->n_texts++;
}

uint32_t gather_text(gather *g, const char *text)
{
    return gather_text_number(g, text, MOST_TEXTS, NULL);
}

tcf_status gather_take(gather *g, uint32_t location, uint64_t time, int is_call, uint64_t *order)
{
    if (__builtin_expect(location >= g->n_locations, 0))
        return gather_not_defined("location", location);
    if (__builtin_expect((g->events & 0xfff) == 0 && source_is_interrupted(g->options->interrupted), 0))
        return error_fail("interrupted");
    foreign_location *l = &g->locations[location];
    l->has_calls |= (uint8_t)is_call;
    const uint64_t class_ = is_call ? ORDER_CALL : l->has_calls ? ORDER_BEHIND_CALLS : 0;
    *order = class_ << ORDER_SHIFT | g->sequence++;
    g->first_time = time < g->first_time ? time : g->first_time;
    g->last_time = time > g->last_time ? time : g->last_time;
    g->events++;
    return TCF_OK;
}

tcf_status gather_add(gather *g, uint32_t location, const event *e, uint64_t order)
{
    item i = {*e, order};
    i.e.location = location;
    return sorter_add(g->items, &i);
}
