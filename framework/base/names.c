/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See names.h. */
#include "names.h"

#include <stdint.h>
#include <string.h>

int valid_name(const char *name, int strict)
{
    if (!((*name >= 'a' && *name <= 'z') || (!strict && ((*name >= 'A' && *name <= 'Z') || *name == '_'))))
        return 0;
    for (const char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_' ||
              (!strict && ((*c >= 'A' && *c <= 'Z') || *c == '-'))))
            return 0;
    return 1;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ASCII only: names consist of it, and the locale must not change the distance. */
static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int same_letter(char a, char b)
{
    return lower(a) == lower(b);
}

/* The number of edits (replace, insert, delete, swap two) from a to b; small and capital letters count as equal. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { MOST = 64 };
    size_t n = strlen(a), m = strlen(b), row[3][MOST + 1];
    size_t *before = row[0], *last = row[1], *now = row[2];

    if (n > MOST || m > MOST)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = min_size(last[j - 1] + !same_letter(a[i - 1], b[j - 1]), 1 + min_size(last[j], now[j - 1]));
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                now[j] = min_size(now[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[m];
}

/* The candidate with the longest beginning that it shares with the word, which is nearly the whole word: wait_states
 * for `waits`. NULL: none. */
static const char *beginning_alike(const char *word, const char *const *candidates, size_t n)
{
    size_t longest = strlen(word) > 4 ? strlen(word) - 2 : 3;
    const char *best = NULL;

    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        while (word[same] && candidates[i][same] && same_letter(word[same], candidates[i][same]))
            same++;
        if (same > longest) {
            longest = same;
            best = candidates[i];
        }
    }
    return best;
}

const char *nearest_name(const char *word, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    size_t length = strlen(word), limit = length < 3 ? 1 : (length + 2) / 3, shortest = limit + 1;

    for (size_t i = 0; i < n; i++) {
        size_t d = edit_distance(word, candidates[i]);
        if (d < shortest && d < strlen(candidates[i])) {
            shortest = d;
            best = candidates[i];
        }
    }
    return best ? best : beginning_alike(word, candidates, n);
}
