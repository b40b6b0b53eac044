/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Writing letters into batches, and reading those that have come; see letters.h. */
#include "letters.h"
#include "framework/base/error.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 1 << 10, MOST = 1 << 14 }; /* bytes of a batch, unless a letter is longer: the less the more domains */
enum { MOST_SPARE = 64 };

void letters_add_counts(letter_counts *to, const letter_counts *more)
{
    to->letters += more->letters;
    to->batches += more->batches;
    to->bytes += more->bytes;
    to->chain = more->chain > to->chain ? more->chain : to->chain;
}

letters *letters_new(const transport *t, uint32_t me, uint32_t n, const uint32_t *of)
{
    letters *x = calloc(1, sizeof *x);
    letter_batch **out = calloc(n, sizeof *out);

    if (!x || !out) {
        free(x);
        free(out);
        error_fail("out of memory for letters to %u domains", n);
        return NULL;
    }
    *x = (letters){.to = *t, .me = me, .n = n, .of = of, .out = out, .batch = 4 * MOST / n};
    x->batch = x->batch < LEAST ? LEAST : x->batch > MOST ? MOST : x->batch;
    return x;
}

static void free_list(letter_batch *b)
{
    for (letter_batch *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

void letters_delete(letters *x)
{
    if (!x)
        return;
    for (uint32_t k = 0; k < x->n; k++)
        free(x->out[k]);
    free_list(x->in);
    free_list(x->spare);
    free(x->out);
    free(x);
}

/* Takes a batch out of those that are written, in front of a list. */
static letter_batch *take_out(letters *x, uint32_t to, letter_batch *list)
{
    letter_batch *b = x->out[to];

    if (!b)
        return list;
    x->out[to] = NULL;
    x->counts.batches++;
    x->counts.bytes += b->n;
    b->chain = (uint32_t)x->counts.chain + 1;
    b->next = list;
    return b;
}

/* A batch with room for so many bytes; NULL: out of memory. */
static letter_batch *batch_with_room(letters *x, uint32_t to, size_t bytes)
{
    letter_batch *b = x->out[to];
    const size_t capacity = bytes > x->batch ? bytes : x->batch;

    if (b && b->n + bytes <= b->capacity)
        return b;
    if (b) {
        b = take_out(x, to, NULL);
        x->to.send(x->to.data, x->gathers ? take_out(x, 0, b) : b);
    }
    if (capacity == x->batch && x->spare) {
        b = x->spare;
        x->spare = b->next;
        x->n_spare--;
    } else if (!(b = malloc(sizeof *b + capacity))) {
        return NULL;
    }
    *b = (letter_batch){.from = x->me, .to = to, .capacity = (uint32_t)capacity};
    return x->out[to] = b;
}

void *letters_write(letters *x, uint32_t to, uint8_t kind, uint32_t segment, size_t bytes)
{
    const size_t whole = (sizeof(letter) + bytes + 7) & ~(size_t)7;
    letter_batch *b = batch_with_room(x, to, whole);

    if (!b) {
        x->out_of_memory = 1;
        error_fail("out of memory for letters to other domains");
        return NULL;
    }
    letter *head = (letter *)(void *)(b->bytes + b->n);
    *head = (letter){.kind = kind, .segment = (uint16_t)segment, .bytes = (uint32_t)whole};
    b->n += (uint32_t)whole;
    x->waiting++;
    x->counts.letters++;
    return head + 1;
}

void letters_send(letters *x)
{
    letter_batch *list = NULL;

    for (uint32_t k = 0; x->waiting > 0 && k < x->n; k++)
        list = take_out(x, k, list);
    x->waiting = 0;
    if (list)
        x->to.send(x->to.data, list);
}

static void recycle(letters *x, letter_batch *b)
{
    if (b->capacity != x->batch || x->n_spare == MOST_SPARE) {
        free(b);
        return;
    }
    b->next = x->spare;
    x->spare = b;
    x->n_spare++;
}

const letter *letters_read(letters *x, uint32_t *from)
{
    for (letter_batch *b; (b = x->in) && b->read == b->n;) {
        x->in = b->next;
        recycle(x, b);
    }
    if (!x->in)
        x->in = x->to.take(x->to.data);
    if (!x->in)
        return NULL;
    if (x->in->chain > x->counts.chain)
        x->counts.chain = x->in->chain;
    const letter *found = (const letter *)(const void *)(x->in->bytes + x->in->read);
    x->in->read += found->bytes;
    *from = x->in->from;
    return found;
}
