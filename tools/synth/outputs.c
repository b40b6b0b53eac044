/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Outputs: folders of archives and the file of true times, which get their names when all of them are complete
 * (framework/base/output.h). A run that fails removes what it has written, and the folders that it has made, when it
 * ends; a signal has the same effect: its handler notes it, and the program checks that note now and then. */
#include "framework/base/error.h"
#include "synth.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OUTPUTS = 3 };

/* The outputs being written. They belong to the program because a failure anywhere ends it. */
static struct output {
    tcf_output to; /* name: NULL until it is open */
    FILE *file;    /* NULL: an archive */
    char *path;    /* of an archive, without slashes behind it */
    size_t before; /* so many bytes of that path name what was there before; the folders behind are made */
} outputs[MOST_OUTPUTS];
static unsigned n_outputs;

/* ------------------------------------------------------------------------------------------------------- folders -- */

/* How many bytes of a path name something that exists. */
static size_t existing(const char *path)
{
    struct stat st;
    char *folder = format_text("%s", path);
    size_t n = strlen(folder);

    while (n > 0 && lstat(folder, &st) != 0) {
        while (n > 0 && folder[n - 1] != '/') /* the last name, and the slashes in front */
            n--;
        while (n > 0 && folder[n - 1] == '/')
            n--;
        folder[n] = '\0';
    }
    free(folder);
    return n;
}

/* Makes the folders in which the archive will lie. */
static void make_folders(const struct output *o)
{
    for (char *slash = o->path + o->before; *slash && (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        if (mkdir(o->path, 0777) != 0 && errno != EEXIST)
            fail("cannot create the folder '%s': %s", o->path, strerror(errno));
    }
}

/* Removes those of them that are empty, the innermost one first. */
static void remove_folders(const struct output *o)
{
    for (char *slash; (slash = strrchr(o->path, '/')) != NULL && slash > o->path + o->before;) {
        *slash = '\0';
        rmdir(o->path);
    }
}

static void remove_outputs(void)
{
    while (n_outputs > 0) {
        const struct output *o = &outputs[--n_outputs];
        if (o->file && !o->to.direct)
            unlink(o->to.name);
        if (!o->file && o->to.name)
            output_remove_archive(o->to.name);
        if (!o->file)
            remove_folders(o);
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

/* ---------------------------------------------------------------------------------------- opening and completing -- */

static struct output *add_output(void)
{
    if (n_outputs == 0) {
        if (atexit(remove_outputs) != 0)
            fail("out of memory");
        catch_signals();
    }
    return &outputs[n_outputs++];
}

static void refuse_existing(const options *o, const char *path)
{
    struct stat st;
    if (!o->overwrite && lstat(path, &st) == 0)
        usage("'%s' exists; --overwrite replaces it", path);
}

static void must(tcf_status status)
{
    if (status != TCF_OK)
        (error_is_usage() ? usage : fail)("%s", error_text());
}

/* What lies in a folder is not there any more when that is replaced. */
static void refuse_output_inside(const char *folder, const char *path)
{
    struct stat of_folder, above;
    char *name = format_text("%s", path);

    for (char *slash; stat(folder, &of_folder) == 0 && (slash = strrchr(name, '/')) != NULL && slash > name;) {
        *slash = '\0';
        if (stat(name, &above) == 0 && above.st_dev == of_folder.st_dev && above.st_ino == of_folder.st_ino)
            usage("'%s' lies in the folder of another output, '%s'", path, folder);
    }
    free(name);
}

const char *outputs_open_folder(const options *o, const char *folder)
{
    int n = (int)strlen(folder);

    while (n > 1 && folder[n - 1] == '/')
        n--;
    char *path = format_text("%.*s", n, folder);
    refuse_existing(o, path);
    const struct output empty = {.path = path, .before = existing(path)};
    struct output *new = add_output();
    *new = empty;
    make_folders(new);
    for (const struct output *other = outputs; other < new; other++) {
        refuse_output_inside(path, other->to.path);
        if (!other->file)
            refuse_output_inside(other->path, path);
    }
    must(output_check_archive("output", path, o->overwrite));
    must(output_open_folder("output", path, &new->to));
    return new->to.name;
}

FILE *outputs_open_file(const options *o, const char *path)
{
    refuse_existing(o, path);
    tcf_output to;
    FILE *file = open_output(path, &to);
    *add_output() = (struct output){.to = to, .file = file};
    return file;
}

void outputs_complete(const options *o)
{
    outputs_heed_signals();
    for (unsigned i = 0; i < n_outputs; i++) /* a full disk is noticed before anything has its name */
        if (outputs[i].file && (ferror(outputs[i].file) || fflush(outputs[i].file) != 0))
            fail("cannot write '%s': %s", outputs[i].to.path, strerror(errno));
    for (; n_outputs > 0; n_outputs--) {
        struct output *last = &outputs[n_outputs - 1];
        if (last->file)
            complete_output(&last->to, last->file, o->overwrite);
        else
            must(output_publish_archive("output", &last->to, o->overwrite, 1));
    }
}
