/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto: texts, each kept once, and errors. */
#include "perfetto.h"

#include <tcflow/grow.h>

#include <inttypes.h>
#include <stdlib.h>

tcf_status fail_at(const perfetto_state *st, uint64_t at, const char *what)
{
    return st->reader->host->fail(st->reader, "the packet at byte %" PRIu64 ": %s", at, what);
}

tcf_status no_memory(const perfetto_state *st)
{
    return st->reader->host->fail(st->reader, "out of memory for tracks and names");
}

/* A text ends at its first zero byte. Beyond MOST_NAMES all new ones are one. */
uint32_t text_number(perfetto_state *st, wire_bytes text)
{
    static const char more[] = "(more names)";
    const size_t n = text.at ? strnlen((const char *)text.at, (size_t)(text.end - text.at)) : 0;
    const tcf_pair_key key = tcf_key_of_text((const char *)text.at, n);
    const uint32_t found = tcf_map_get(&st->text_ids, key.a, key.b);
    const int is_more = n == sizeof more - 1 && memcmp(text.at, more, n) == 0;

    if (found != TCF_MAP_ABSENT)
        return found;
    if (st->n_texts >= MOST_NAMES && !is_more) {
        st->more_names++;
        return text_number(st, (wire_bytes){(const uint8_t *)more, (const uint8_t *)more + sizeof more - 1});
    }
    char *copy = malloc(n + 1);
    if (!copy || TCF_GROW(&st->texts, &st->texts_room, st->n_texts) != 0 ||
        tcf_map_put(&st->text_ids, key.a, key.b, st->n_texts) != 0) {
        free(copy);
        no_memory(st);
        return TCF_NONE;
    }
    if (n > 0)
        memcpy(copy, text.at, n);
    copy[n] = '\0';
    st->texts[st->n_texts] = copy;
    return st->n_texts++;
}
