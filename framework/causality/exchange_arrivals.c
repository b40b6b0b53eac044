/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What an exchange makes of letters from other domains: what they tell counts as if it had happened here, when the
 * letter comes. */
#include "exchange_internal.h"

tcf_status exchange_write_letters(exchange *x, int all, int *left)
{
    if (all)
        exchange_tell_untold(x, 1);
    *left |= exchange_has_untold(x);
    exchange_tell_ended(x);
    return x->letters->out_of_memory ? error_fail("out of memory for letters to other domains") : TCF_OK;
}

tcf_status exchange_take_letter(exchange *x, const letter *l, uint32_t from, const uint32_t **ended, uint32_t *n)
{
    const void *content = l + 1;
    const ended_letter *locations = content;
    uint64_t value;
    *n = 0;
    switch ((letter_kind)l->kind) {
    case LETTER_RECEIVED:
        memcpy(&value, content, sizeof value);
        x->under_way[from] -= (uint32_t)value;
        return TCF_OK;
    case LETTER_ENDED:
        *ended = locations->location;
        *n = locations->n;
        return TCF_OK;
    case LETTER_MEMBERS:
        return exchange_take_members(x, content);
    case LETTER_PROCEED:
        return exchange_take_proceed(x, content);
    default:
        return exchange_take_message(x, (letter_kind)l->kind, content, from);
    }
}

int exchange_was_short_of_credit(exchange *x)
{
    const int was = x->short_of_credit;
    x->short_of_credit = 0;
    return was;
}

void exchange_raise_credit(exchange *x)
{
    x->credit *= 2;
}
