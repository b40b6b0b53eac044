/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads the lines of the filter `live` (plugins/live/README.md). What isn't as expected there is left out. */
#include "top.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 16 };

static uint64_t whole(const char *word)
{
    return strtoull(word, NULL, 10);
}

static void take_process(struct shot *s, char **word)
{
    if (s->n == s->capacity) {
        if (s->capacity == MOST_PROCESSES)
            return;
        s->capacity = s->capacity == 0 ? 64 : s->capacity * 2;
        s->processes = enlarge(s->processes, s->capacity, sizeof *s->processes);
    }
    struct process *p = &s->processes[s->n++];
    *p = (struct process){.rank = strtoll(word[1], NULL, 10),
                          .does = word[2][0],
                          .communicates = strtod(word[3], NULL),
                          .waits = strtod(word[4], NULL),
                          .events = whole(word[5])};
    snprintf(p->name, sizeof p->name, "%s", word[6]);
    snprintf(p->region, sizeof p->region, "%s", word[7]);
}

bool shot_line(struct shot *s, char *line)
{
    char *word[MOST_WORDS];
    int n = 0;
    while (line && n < MOST_WORDS)
        word[n++] = strsep(&line, "\t");
    if (n == 7 && strcmp(word[0], "now") == 0) {
        s->n = s->n_waits = 0;
        s->now = strtod(word[1], NULL);
        s->window = strtod(word[2], NULL);
        s->events = whole(word[3]);
        s->messages = whole(word[4]);
        s->bytes = whole(word[5]);
        s->in_flight = whole(word[6]);
    } else if (n == 8 && strcmp(word[0], "process") == 0) {
        take_process(s, word);
    } else if (n == 4 && strcmp(word[0], "wait") == 0 && s->n_waits < MOST_WAITS) {
        struct waits *w = &s->waits[s->n_waits++];
        w->seconds = strtod(word[1], NULL);
        w->count = whole(word[2]);
        snprintf(w->title, sizeof w->title, "%s", word[3]);
    } else if (n == 1 && (strcmp(word[0], "shown") == 0 || strcmp(word[0], "over") == 0)) {
        s->over = word[0][0] == 'o';
        return true;
    }
    return false;
}

void shot_copy(struct shot *to, const struct shot *from)
{
    struct process *kept = to->processes;
    uint32_t capacity = to->capacity;
    if (capacity < from->n) {
        capacity = from->capacity;
        kept = enlarge(kept, capacity, sizeof *kept);
    }
    *to = *from;
    to->processes = kept;
    to->capacity = capacity;
    if (from->n > 0)
        memcpy(to->processes, from->processes, from->n * sizeof *from->processes);
}
