/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Outputs: folders of archives and the file of true times. An older archive is removed first. A run that fails
 * removes what it has written, and the folders that it has made, when it ends; a signal has the same effect: its
 * handler notes it, and the program checks that note now and then. */
#include "synth.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 4096, MOST_OUTPUTS = 3 };

/* The outputs being written. They belong to the program because a failure anywhere ends it. */
static struct output {
    const char *path;
    size_t before; /* so many bytes of the path name what was there before; the folders behind are made */
    bool is_archive;
} outputs[MOST_OUTPUTS];
static unsigned n_outputs;

/* ------------------------------------------------------------------------------------------------------ removing -- */

static bool has_suffix(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

/* Removes location files and nothing else. */
static void remove_locations(const char *folder)
{
    DIR *d = opendir(folder);

    if (d == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(d)) != NULL;)
        if (has_suffix(entry->d_name, ".evt") || has_suffix(entry->d_name, ".def"))
            unlinkat(dirfd(d), entry->d_name, 0);
    closedir(d);
}

/* The archive in a folder, and nothing else there. false: errno tells why not; *path is what cannot be removed. */
static bool remove_archive(const char *folder, char path[PATH])
{
    snprintf(path, PATH, "%s/traces", folder);
    remove_locations(path);
    rmdir(path);
    snprintf(path, PATH, "%s/traces.def", folder);
    unlink(path);
    snprintf(path, PATH, "%s/traces.otf2", folder);
    return unlink(path) == 0 || errno == ENOENT;
}

/* Removes empty folders, the innermost one first. */
static void remove_folders(const struct output *o)
{
    char path[PATH];

    snprintf(path, sizeof path, "%s", o->path);
    for (size_t n = strlen(path); n > o->before; n--)
        if (n == strlen(o->path) || path[n] == '/') {
            path[n] = '\0';
            rmdir(path);
        }
}

static void remove_outputs(void)
{
    char path[PATH];

    while (n_outputs > 0) {
        const struct output *o = &outputs[--n_outputs];
        struct stat st;
        if (o->is_archive) {
            remove_archive(o->path, path);
            remove_folders(o);
        } else if (lstat(o->path, &st) == 0 && S_ISREG(st.st_mode)) {
            unlink(o->path);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------- signals -- */

static volatile sig_atomic_t ended_by; /* 0: none */

static void on_signal(int number)
{
    ended_by = number;
}

/* A second signal ends the program at once. */
static void catch_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction catch = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)}, before;

    sigemptyset(&catch.sa_mask);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup, background jobs */
            sigaction(ending[i], &catch, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a limit of the size of files is an error of the write */
}

void outputs_heed_signals(void)
{
    if (ended_by == 0)
        return;
    fprintf(stderr, "tcflow-synth: ended by %s; what had been written is removed\n",
            ended_by == SIGINT    ? "SIGINT"
            : ended_by == SIGTERM ? "SIGTERM"
                                  : "SIGHUP");
    exit(EXIT_SIGNAL + (int)ended_by);
}

void outputs_keep(void)
{
    outputs_heed_signals();
    n_outputs = 0;
}

/* ------------------------------------------------------------------------------------------------------- opening -- */

static void add_output(struct output o)
{
    static bool registered;

    if (!registered) {
        if (atexit(remove_outputs) != 0)
            fail("out of memory");
        catch_signals();
    }
    registered = true;
    outputs[n_outputs++] = o;
}

/* How many bytes of a path name something that exists. */
static size_t existing(const char *path)
{
    char folder[PATH];
    struct stat st;
    size_t n = strlen(path);

    snprintf(folder, sizeof folder, "%s", path);
    while (n > 0 && lstat(folder, &st) != 0) {
        while (n > 0 && folder[n - 1] != '/') /* the last name, and the slashes in front */
            n--;
        while (n > 0 && folder[n - 1] == '/')
            n--;
        folder[n] = '\0';
    }
    return n;
}

void outputs_open_folder(const options *o, const char *folder)
{
    char path[PATH];
    struct stat st;

    if (strlen(folder) + sizeof "/traces.otf2" > sizeof path)
        usage("'%s' is too long for the name of a folder", folder);
    if (lstat(folder, &st) == 0) {
        if (!o->overwrite)
            usage("'%s' exists; --overwrite replaces the archive in it", folder);
        if (!S_ISDIR(st.st_mode))
            usage("'%s' exists and is no folder", folder);
        if (!remove_archive(folder, path))
            fail("cannot remove '%s': %s", path, strerror(errno));
    }
    add_output((struct output){.path = folder, .before = existing(folder), .is_archive = true});
}

FILE *outputs_open_file(const options *o, const char *path, tcf_output *to)
{
    struct stat st;

    if (!o->overwrite && lstat(path, &st) == 0)
        usage("'%s' exists; --overwrite replaces it", path);
    FILE *file = open_output(path, to);
    char *name = strdup(to->name);
    if (name == NULL)
        fail("out of memory");
    add_output((struct output){.path = name});
    return file;
}
