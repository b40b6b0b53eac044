/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Files for readers: copies of the sample, damaged in ways that a seed draws. */
#define _GNU_SOURCE /* asprintf() */
#include "readers.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct bytes {
    unsigned char *at;
    size_t n;
} bytes;

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 11) % (below ? below : 1);
}

/* Torture can't go on, for the reason that errno states; it isn't the plugin's. */
static _Noreturn void stop(const torture *t, const char *path)
{
    snprintf(t->board->stopped, sizeof t->board->stopped, "%s: %s", path, strerror(errno));
    exit(EXIT_USAGE);
}

static bytes load(const torture *t, const char *path)
{
    bytes b = {need(malloc(1)), 0};
    unsigned char buffer[65536];
    FILE *f = fopen(path, "rb");

    for (size_t n; f && (n = fread(buffer, 1, sizeof buffer, f)) > 0; b.n += n) {
        b.at = need(realloc(b.at, b.n + n));
        memcpy(b.at + b.n, buffer, n);
    }
    if (!f || ferror(f))
        stop(t, path);
    fclose(f);
    return b;
}

static void store(const torture *t, const char *path, const bytes *b)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(b->at, 1, b->n, f) != b->n || fclose(f) != 0)
        stop(t, path);
}

/* Values that programs take for a length, a sign, an end. */
static const unsigned char hostile[] = {0, 1, 0x7f, 0x80, 0xff, '"', '\\', ',', '\n', '{', '[', '-', '9', ' '};

/* One kind of damage. In words what it was. */
static const char *damage_once(bytes *b, uint64_t *state)
{
    const uint64_t how = draw(state, 7);
    size_t at = (size_t)draw(state, b->n), n = (size_t)draw(state, 64) + 1;

    if (b->n == 0)
        return "nothing";
    switch (how) {
    case 0:
        b->n = at;
        return "cut";
    case 1:
        b->at[at] ^= (unsigned char)(1u << draw(state, 8));
        return "a bit flipped";
    case 2:
        for (size_t i = 0; i < n && at + i < b->n; i++)
            b->at[at + i] = hostile[draw(state, sizeof hostile)];
        return "bytes replaced";
    case 3: /* a part stands twice */
        n = n < b->n - at ? n : b->n - at;
        b->at = need(realloc(b->at, b->n + n));
        memmove(b->at + at + n, b->at + at, b->n - at);
        b->n += n;
        return "a part doubled";
    case 4:
        n = n < b->n - at ? n : b->n - at;
        memmove(b->at + at, b->at + at + n, b->n - at - n);
        b->n -= n;
        return "a part missing";
    case 5:
        memset(b->at + at, hostile[draw(state, 5)], n < b->n - at ? n : b->n - at);
        return "a part of one value";
    default: { /* a digit becomes another one, or many */
        size_t k = 0;
        while (k < b->n && (b->at[(at + k) % b->n] < '0' || b->at[(at + k) % b->n] > '9'))
            k++;
        b->at[(at + k) % b->n] = (unsigned char)('0' + draw(state, 10));
        return "a digit";
    }
    }
}

static const char *damage(bytes *b, uint64_t *state)
{
    const char *first = NULL;

    if (draw(state, 12) == 0) {
        b->n = 0;
        return "empty";
    }
    for (uint64_t times = draw(state, 3) + 1; times > 0; times--) {
        const char *what = damage_once(b, state);
        first = first ? first : what;
    }
    return first;
}

static char *in_scratch(const torture *t, const char *name)
{
    char *path;

    if (asprintf(&path, "%s/%s", t->scratch, name) < 0)
        need(NULL);
    return path;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The files of a folder; each third one is damaged. */
static char *copy_folder(const torture *t, uint64_t *state, char *what, size_t capacity)
{
    char *to = in_scratch(t, "sample.d");
    DIR *d = opendir(t->sample);

    if (!d)
        stop(t, t->sample);
    mkdir(to, 0700);
    snprintf(what, capacity, "a file of it");
    for (struct dirent *e; (e = readdir(d));) {
        char *from = NULL, *path = NULL;
        struct stat st = {0};
        if (asprintf(&from, "%s/%s", t->sample, e->d_name) < 0 || asprintf(&path, "%s/%s", to, e->d_name) < 0)
            need(NULL);
        if (stat(from, &st) != 0 && errno != ENOENT)
            stop(t, from);
        if (S_ISREG(st.st_mode)) {
            bytes b = load(t, from);
            if (draw(state, 3) == 0)
                damage(&b, state);
            store(t, path, &b);
            free(b.at);
        }
        free(from);
        free(path);
    }
    closedir(d);
    return to;
}

char *sample_damaged(const torture *t, uint64_t seed, char *what, size_t capacity)
{
    uint64_t state = seed * 2654435761u + 12345;
    struct stat st;

    for (int i = 0; i < 8; i++)
        draw(&state, 2);
    if (stat(t->sample, &st) == 0 && S_ISDIR(st.st_mode))
        return copy_folder(t, &state, what, capacity);
    char *path = in_scratch(t, name_of(t->sample));
    bytes b = load(t, t->sample);
    snprintf(what, capacity, "%s", damage(&b, &state));
    store(t, path, &b);
    free(b.at);
    return path;
}
