/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See places.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* asprintf(), DT_LNK */
#endif
#include "places.h"
#include "framework/base/error.h"
#include "open.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct visit {
    void (*each)(void *data, source_place place, const char *path);
    void *data;
    int out_of_memory;
} visit;

static void tell(visit *v, const char *folder, const char *name)
{
    char *path;

    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        v->out_of_memory = 1;
        return;
    }
    v->each(v->data, PLACE_READ, path);
    free(path);
}

/* NULL: nobody may list it, or there is no memory. */
static DIR *list(visit *v, const char *folder)
{
    DIR *entries = folder ? opendir(folder) : NULL;

    v->out_of_memory |= folder && !entries && errno == ENOMEM;
    return entries;
}

/* What symbolic links in a folder point to lies elsewhere. */
static void tell_links(visit *v, const char *folder)
{
    DIR *entries = list(v, folder);

    for (struct dirent *e; entries && (e = readdir(entries));)
        if (e->d_type == DT_LNK || e->d_type == DT_UNKNOWN)
            tell(v, folder, e->d_name);
    if (entries)
        closedir(entries);
}

/* The folder that a file lies in. To be freed; NULL: out of memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
}

/* The files beside an anchor in a folder that nobody may list, but open files in. */
static void tell_named(visit *v, const char *folder, const char *name, size_t stem)
{
    static const char *const endings[] = {".otf2", ".def", ".marker", ""};
    char file[NAME_MAX + 16];

    for (size_t i = 0; folder && i < sizeof endings / sizeof *endings; i++) {
        const int n = snprintf(file, sizeof file, "%.*s%s", (int)stem, name, endings[i]);
        if (n > 0 && (size_t)n < sizeof file)
            tell(v, folder, file);
    }
}

/* An anchor NAME.otf2: NAME.def, NAME.marker, thumbnails and the folder NAME lie beside it. */
static void tell_archive(visit *v, const char *anchor)
{
    const char *slash = strrchr(anchor, '/'), *name = slash ? slash + 1 : anchor;
    const size_t stem = strlen(name) - strlen(".otf2");
    char *folder = folder_of(anchor), *below = strndup(anchor, (size_t)(name - anchor) + stem);
    DIR *entries = list(v, folder);
    struct stat st;

    v->out_of_memory |= !folder || !below;
    if (folder && stat(anchor, &st) != 0)
        v->each(v->data, PLACE_READ, folder); /* a message says what else is there */
    for (struct dirent *e; entries && (e = readdir(entries));)
        if (strncmp(e->d_name, name, stem) == 0 && (e->d_name[stem] == '\0' || e->d_name[stem] == '.'))
            tell(v, folder, e->d_name);
    if (entries)
        closedir(entries);
    if (below && !entries)
        tell_named(v, folder, name, stem);
    if (below)
        tell_links(v, below);
    free(below);
    free(folder);
}

static const char *after(const char *text, const char *prefix)
{
    const size_t n = strlen(prefix);
    return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

static void tell_foreign(visit *v, const char *path)
{
    struct stat st;
    char *folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? strdup(path) : folder_of(path);

    v->out_of_memory |= !folder;
    if (!folder)
        return;
    v->each(v->data, PLACE_READ, folder);
    v->each(v->data, PLACE_READ, path); /* it may be a link to elsewhere */
    free(folder);
}

static void tell_input(visit *v, const char *word)
{
    const char *path;

    if (strcmp(word, "-") == 0)
        return;
    if ((path = after(word, "stream:")))
        v->each(v->data, PLACE_READ, path);
    else if ((path = after(word, "unix:")))
        v->each(v->data, PLACE_SOCKET, path);
    else if (after(word, "tcp:"))
        v->each(v->data, PLACE_NETWORK, "");
    else if (source_names_archive(word))
        tell_archive(v, word);
    else
        tell_foreign(v, word);
}

tcf_status source_each_place(const char *input, void (*each)(void *data, source_place place, const char *path),
                             void *data)
{
    visit v = {each, data, 0};
    char *copy = strdup(input), *rest = copy;

    if (copy && !source_names_several(input) && !source_names_files(input))
        tell_input(&v, copy);
    else if (copy)
        for (char *word; (word = strtok_r(rest, SOURCE_BLANKS, &rest));)
            tell_input(&v, word);
    free(copy);
    return copy && !v.out_of_memory ? TCF_OK : error_fail("out of memory for the name of the input");
}
