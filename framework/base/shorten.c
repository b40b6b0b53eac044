/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See shorten.h. A shortened text is a begin, an end, and pieces in between, each of which begins where the text
 * differs from one that would look the same without the piece. */
#include "shorten.h"

#include <private/terminal.h>
#include <stdlib.h>
#include <string.h>

enum { DOTS = 2, MOST_PIECES = 3, LEAST_PIECE = 3 };

/* A text that is too long. Positions are characters. */
typedef struct long_text {
    const char *text;
    char *cut;       /* as it looks shortened so far */
    size_t first, n; /* the texts that are equal to it, in the order of all */
    size_t length;
    size_t piece[MOST_PIECES];
    size_t n_pieces;
} long_text;

/* ------------------------------------------------------------------------------------------------------- cutting -- */

/* Where a name begins in [from, to), else `from`. slashes: by character, whether it is one. */
static size_t name_within(const char *slashes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (slashes[i])
            return i;
    return from;
}

/* Shows gaps that are no longer than the dots that would stand for them. Returns the columns of the whole. */
static size_t close_gaps(char *shown, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0, n; i < length; i += n) {
        for (n = 1; !shown[i] && i + n < length && !shown[i + n];)
            n++;
        if (n <= DOTS)
            memset(shown + i, 1, n);
        columns += shown[i] ? n : (size_t)DOTS;
    }
    return columns;
}

/* How many characters the end gets of `room`: two thirds; with pieces the last name, where it leaves enough for them,
 * else as many as each of them. */
static size_t share_of_end(const long_text *t, size_t room)
{
    const char *last = strrchr(t->text, '/');
    const size_t name = last ? tcf_terminal_columns(last) : 0, parts = t->n_pieces + 1;

    if (t->n_pieces == 0)
        return room - room / 3;
    return name > room / (parts + 1) && name + parts * (LEAST_PIECE + 1) <= room ? name : room / (parts + 1);
}

/* Decides which characters are shown. An end that has a begin of a name begins there, which leaves more for the begin.
 */
static void choose(const long_text *t, const char *slashes, size_t width, char *shown)
{
    const size_t room = width - DOTS * (t->n_pieces + 1), tail = share_of_end(t, room);
    const size_t share = (room - tail) / (t->n_pieces + 1), head = room - tail - t->n_pieces * share;
    const size_t latest = t->length - tail, end = name_within(slashes, latest, latest + head);

    memset(shown, 0, t->length);
    memset(shown, 1, head + end - latest);
    memset(shown + end, 1, t->length - end);
    for (size_t i = 0; i < t->n_pieces; i++) {
        const size_t at = t->piece[i], name = name_within(slashes, at > share / 2 ? at - share / 2 : 0, at);
        const size_t begin = slashes[name] ? name + 1 : at;
        memset(shown + begin, 1, begin + share < t->length ? share : t->length - begin);
    }
    /* Parts that overlap leave room, in front of the end. */
    size_t columns = close_gaps(shown, t->length);
    for (size_t i = end; i-- > 0 && columns < width;) {
        columns += !shown[i];
        shown[i] = 1;
    }
    close_gaps(shown, t->length);
}

/* Makes t->cut. -1: out of memory. */
static int cut(long_text *t, size_t width)
{
    const size_t bytes = strlen(t->text);
    char *slashes = malloc(2 * t->length), *shown = slashes ? slashes + t->length : NULL;
    char *to = t->cut ? t->cut : malloc(bytes + DOTS * (MOST_PIECES + 1u) + 1);
    size_t at = 0;
    uint32_t bad;

    t->cut = to;
    if (!slashes || !to) {
        free(slashes);
        return -1;
    }
    for (const char *s = t->text; *s; s += tcf_terminal_next(s, &bad))
        slashes[at++] = *s == '/';
    choose(t, slashes, width, shown);
    at = 0;
    for (const char *s = t->text; *s; at++) {
        const size_t n = tcf_terminal_next(s, &bad);
        if (shown[at]) {
            memcpy(to, s, n);
            to += n;
        } else if (at == 0 || shown[at - 1]) {
            to = stpcpy(to, "..");
        }
        s += n;
    }
    *to = '\0';
    free(slashes);
    return 0;
}

/* --------------------------------------------------------------------------------------------------- differences -- */

/* The first character at which a text differs from another one. */
static size_t difference(const long_text *x, const long_text *y)
{
    const char *a = x->text, *b = y->text;
    size_t at = 0;
    uint32_t bad;

    while (at + 1 < x->length) {
        const size_t n = tcf_terminal_next(a, &bad);
        if (strncmp(a, b, n) != 0)
            break;
        a += n;
        b += n;
        at++;
    }
    return at;
}

static int by_look(const void *a, const void *b)
{
    const long_text *x = a, *y = b;
    const int order = strcmp(x->cut, y->cut);
    return order ? order : strcmp(x->text, y->text);
}

/* Where the i-th text differs from those that look like it, its neighbours: of two differences the earlier one.
 * SIZE_MAX: none looks like it. */
static size_t first_difference(const long_text *t, size_t n, size_t i)
{
    size_t first = SIZE_MAX;

    if (i > 0 && strcmp(t[i - 1].cut, t[i].cut) == 0)
        first = difference(&t[i], &t[i - 1]);
    if (i + 1 < n && strcmp(t[i + 1].cut, t[i].cut) == 0) {
        const size_t at = difference(&t[i], &t[i + 1]);
        first = at < first ? at : first;
    }
    return first;
}

/* Gives a piece more to texts that look the same. Returns whether any has got one; -1: out of memory. */
static int tell_apart(long_text *t, size_t n, size_t width)
{
    size_t *wanted = malloc((n + 1) * sizeof *wanted);
    int changed = wanted ? 0 : -1;

    qsort(t, n, sizeof *t, by_look);
    for (size_t i = 0; i < n && wanted; i++)
        wanted[i] = first_difference(t, n, i);
    for (size_t i = 0; i < n && changed >= 0; i++) {
        const size_t pieces = t[i].n_pieces + 1;
        if (wanted[i] == SIZE_MAX || pieces > MOST_PIECES || width < DOTS * (pieces + 1) + LEAST_PIECE * (pieces + 2))
            continue;
        t[i].piece[t[i].n_pieces++] = wanted[i];
        changed = cut(&t[i], width) == 0 ? 1 : -1;
    }
    free(wanted);
    return changed;
}

/* ----------------------------------------------------------------------------------------------------------- all -- */

/* The number of a text. */
typedef struct ordered {
    const char *text;
    size_t of;
} ordered;

static int by_text(const void *a, const void *b)
{
    return strcmp(((const ordered *)a)->text, ((const ordered *)b)->text);
}

/* Each of the texts once. */
static size_t find_long(const ordered *order, size_t n, size_t width, long_text *t)
{
    size_t n_long = 0;

    for (size_t i = 0, same; i < n; i += same) {
        const size_t length = tcf_terminal_columns(order[i].text);
        for (same = 1; i + same < n && strcmp(order[i + same].text, order[i].text) == 0;)
            same++;
        if (length > width && width >= DOTS + LEAST_PIECE)
            t[n_long++] = (long_text){.text = order[i].text, .first = i, .n = same, .length = length};
    }
    return n_long;
}

static int copy_to_all(const ordered *order, const long_text *t, char **made)
{
    for (size_t i = t->first; i < t->first + t->n; i++)
        if (!(made[order[i].of] = strdup(t->cut)))
            return -1;
    return 0;
}

void shorten_free(char **made, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(made[i]);
        made[i] = NULL;
    }
}

int shorten(const char **texts, char **made, size_t n, size_t width)
{
    ordered *order = malloc((n + 1) * sizeof *order);
    long_text *t = calloc(n + 1, sizeof *t);
    size_t n_long = 0;
    int changed = order && t ? 0 : -1;

    for (size_t i = 0; i < n; i++) {
        made[i] = NULL;
        if (order)
            order[i] = (ordered){texts[i], i};
    }
    if (changed == 0) {
        qsort(order, n, sizeof *order, by_text);
        n_long = find_long(order, n, width, t);
    }
    for (size_t i = 0; i < n_long && changed == 0; i++)
        changed = cut(&t[i], width);
    if (changed == 0)
        do
            changed = tell_apart(t, n_long, width);
        while (changed > 0);
    for (size_t i = 0; i < n_long; i++) {
        if (changed == 0)
            changed = copy_to_all(order, &t[i], made);
        free(t[i].cut);
    }
    if (changed != 0)
        shorten_free(made, n);
    for (size_t i = 0; i < n; i++)
        texts[i] = made[i] ? made[i] : texts[i];
    free(order);
    free(t);
    return changed;
}
