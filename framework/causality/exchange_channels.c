/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The state of a channel in an exchange: the slots of its messages, and the location that waits for one. */
#include "exchange_internal.h"

channel_state *exchange_channel_state(exchange *x, uint32_t channel_index)
{
    if (channel_index >= x->n_channel_states) {
        uint32_t n = matcher_channels(x->m);
        channel_state *grown = realloc(x->channel_states, n * sizeof *grown);
        if (!grown) {
            error_fail("out of memory for what a segment knows of its channels");
            return NULL;
        }
        for (uint32_t i = x->n_channel_states; i < n; i++)
            grown[i] = (channel_state){NONE, NONE, NONE, NONE, NONE, 0, 0};
        x->channel_states = grown;
        x->n_channel_states = n;
    }
    return &x->channel_states[channel_index];
}
