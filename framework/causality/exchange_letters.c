/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What an exchange writes to those of other domains; see exchange.h. Channels go by their meaning, since each domain
 * has indices of its own. */
#include "exchange_internal.h"

#include <tcflow/grow.h>

static message_letter describe(const exchange *x, uint32_t channel_index, uint64_t number)
{
    const channel *c = channel_at(x, channel_index);
    return (message_letter){.comm = c->comm, .a = c->a, .b = c->b, .tag = c->tag, .type = c->type, .number = number};
}

void exchange_tell_sent(exchange *x, const slot *s)
{
    const size_t more = x->options.publishers * sizeof(uint64_t) + x->options.message_bytes;
    message_letter *l = letters_write(x->letters, s->afar - 1, LETTER_SENT, x->options.segment, sizeof *l + more);
    if (!l)
        return;
    *l = describe(x, s->channel, s->number);
    l->published = s->published;
    memcpy(l + 1, s->value, more);
}

void exchange_tell(exchange *x, letter_kind kind, uint32_t afar, uint32_t channel_index, uint64_t number,
                   uint64_t value)
{
    if (afar == 0)
        return;
    message_letter *l = letters_write(x->letters, afar - 1, (uint8_t)kind, x->options.segment, sizeof *l);
    if (!l)
        return;
    *l = describe(x, channel_index, number);
    l->value = value;
}

/* Credit need not be exact, so that it comes for many messages at a time. */
void exchange_tell_received(exchange *x, uint32_t afar)
{
    uint32_t *owed = &x->owed[afar - 1];
    if (++*owed < x->credit / 4)
        return;
    uint64_t *l = letters_write(x->letters, afar - 1, LETTER_RECEIVED, x->options.segment, sizeof *l);
    if (l)
        *l = *owed;
    *owed = 0;
}

void exchange_note_ended(exchange *x, uint32_t location)
{
    if (TCF_GROW(&x->ended_here, &x->ended_here_capacity, x->n_ended_here) != 0) {
        x->letters->out_of_memory = 1;
        return;
    }
    x->ended_here[x->n_ended_here++] = location;
    letters_announce(x->letters);
}

void exchange_tell_ended(exchange *x)
{
    const size_t bytes = x->n_ended_here * sizeof *x->ended_here;
    for (uint32_t k = 0; bytes > 0 && k < x->letters->n; k++) {
        if (k == x->letters->me)
            continue;
        ended_letter *l = letters_write(x->letters, k, LETTER_ENDED, x->options.segment, sizeof *l + bytes);
        if (!l)
            return;
        l->n = x->n_ended_here;
        memcpy(l->location, x->ended_here, bytes);
    }
    x->n_ended_here = 0;
}
