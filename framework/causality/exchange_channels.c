/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The state of a channel in an exchange: the slots of its messages, and the location that waits for one. */
#include "exchange_internal.h"

enum { FIRST_CHANNELS = 64 };

/* Makes room for a channel. 0: out of memory. */
static __attribute__((noinline)) int grow(exchange *x, uint32_t channel_index)
{
    const uint32_t before = x->n_channel_states;
    uint32_t n = before > 0 ? before : FIRST_CHANNELS;
    while (n <= channel_index)
        n = n < UINT32_MAX / 2 ? 2 * n : UINT32_MAX;
    channel_state *grown = aligned_alloc(_Alignof(channel_state), n * sizeof *grown);
    if (!grown)
        return 0;
    if (before > 0)
        memcpy(grown, x->channel_states, before * sizeof *grown);
    for (uint32_t i = before; i < n; i++)
        grown[i] = (channel_state){NONE, NONE, NONE, NONE, NONE, 0, 0};
    free(x->channel_states);
    x->channel_states = grown;
    x->n_channel_states = n;
    return 1;
}

channel_state *exchange_channel_state(exchange *x, uint32_t channel_index)
{
    if (channel_index >= x->n_channel_states && !grow(x, channel_index)) {
        error_fail("out of memory for what a segment knows of its channels");
        return NULL;
    }
    return &x->channel_states[channel_index];
}
