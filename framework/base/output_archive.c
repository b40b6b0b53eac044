/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Archives as outputs: what may be replaced, and how a folder that is complete gets its name; see output.h.
 *
 * With `overwrite` an older archive at PATH is exchanged for the new one in one step, and removed only then: the files
 * that belong to an archive, nothing else. What else lies in the old folder stays, under the first free name of
 * PATH.old, PATH.2.old, ... */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* renameat2(), asprintf() */
#endif
#include "error.h"
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <private/passing_errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OLD = 99 }; /* names beside PATH */

/* -1: nobody can say (errno). */
static int exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? 1 : tcf_error_is_passing(errno) ? -1 : 0;
}

static char *join(const char *a, const char *b)
{
    char *joined;
    return asprintf(&joined, "%s%s", a, b) < 0 ? NULL : joined;
}

/* -1: nobody can say (errno). */
static int is_archive(const char *folder)
{
    char *anchor = join(folder, "/traces.otf2");
    const int found = anchor ? exists(anchor) : -1;
    free(anchor);
    return found;
}

/* 0, too, where it is no folder or can't be read. */
static int is_empty(const char *folder)
{
    DIR *d = opendir(folder);
    int entries = 0;

    if (d == NULL)
        return 0;
    errno = 0;
    while (readdir(d))
        entries++;
    const int was_read = errno == 0;
    closedir(d);
    return was_read && entries <= 2;
}

/* ------------------------------------------------------------------------------------------------------ removing -- */

static int has_suffix(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

static int is_location_file(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    const char *rest = name + digits;
    return digits > 0 && (strcmp(rest, ".evt") == 0 || strcmp(rest, ".def") == 0 || strcmp(rest, ".snap") == 0);
}

static int is_snapshot_file(const char *name)
{
    return is_location_file(name) && has_suffix(name, ".snap");
}

static int is_top_file(const char *name)
{
    return strcmp(name, "traces.otf2") == 0 || strcmp(name, "traces.def") == 0 || strcmp(name, "traces.marker") == 0 ||
           (strncmp(name, "traces.", 7) == 0 && has_suffix(name, ".thumb"));
}

/* TCF_ERROR: not all of them could be, errno says why. */
static tcf_status remove_files(const char *folder, int (*belongs)(const char *name))
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); /* nothing behind a link is ours */
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

    if (d == NULL) {
        const int reason = errno;
        if (fd >= 0)
            close(fd);
        errno = reason;
        return reason == ENOENT || reason == ELOOP || reason == ENOTDIR ? TCF_OK : TCF_ERROR;
    }
    int reason = 0;
    for (struct dirent *entry; (errno = 0, entry = readdir(d)) != NULL;)
        if (belongs(entry->d_name) && unlinkat(dirfd(d), entry->d_name, 0) != 0)
            reason = errno;
    reason = reason ? reason : errno;
    closedir(d);
    errno = reason;
    return reason == 0 ? TCF_OK : TCF_ERROR;
}

tcf_status output_remove_archive(const char *folder)
{
    char *traces = join(folder, "/traces");
    tcf_status status = traces ? remove_files(traces, is_location_file) : TCF_ERROR;

    const int reason = errno;
    if (traces)
        rmdir(traces);
    free(traces);
    errno = reason;
    if (status == TCF_OK)
        status = remove_files(folder, is_top_file);
    return status == TCF_OK && rmdir(folder) != 0 ? TCF_HELD : status;
}

/* ------------------------------------------------------------------------------------------------------ checking -- */

tcf_status output_check_archive(const char *what, const char *path, int overwrite)
{
    const int found = exists(path), is_there = found > 0 && !is_empty(path);

    if (is_there && !overwrite)
        return error_usage("%s = %s exists already; 'overwrite = yes' replaces it", what, path);
    const int archive = found < 0 ? -1 : is_archive(path);

    if (archive < 0)
        return error_fail("%s = %s cannot be looked at: %s", what, path, strerror(errno));
    if (is_there && !archive)
        return error_usage("%s = %s exists and is not a folder with an archive traces.otf2, so it is not replaced",
                           what, path);
    return output_check_folder(what, path);
}

/* -------------------------------------------------------------------------------------------------- completeness -- */

/* libotf2 3.0 writes the last 4 MiB of a file when it closes it, and tells nobody when that fails. But all its files
 * end in two bytes of their own, the anchor in these and a zero. */
static int is_complete(int folder, const char *name)
{
    static const unsigned char expected[] = {2, 1, 0};
    unsigned char end[sizeof expected] = {0, 0, 0};
    size_t n = has_suffix(name, ".otf2") ? 3 : 2;
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    int complete = fstat(fd, &st) == 0 && st.st_size >= (off_t)n &&
                   pread(fd, end, n, st.st_size - (off_t)n) == (ssize_t)n && memcmp(end, expected, n) == 0;
    close(fd);
    return complete;
}

static tcf_status check_files(const char *folder, int (*belongs)(const char *name))
{
    DIR *d = opendir(folder);
    tcf_status status = TCF_OK;

    if (d == NULL)
        return error_fail("the folder '%s' cannot be read: %s", folder, strerror(errno));
    errno = 0;
    for (struct dirent *entry; status == TCF_OK && (entry = readdir(d)) != NULL; errno = 0)
        if (belongs(entry->d_name) && !is_complete(dirfd(d), entry->d_name))
            status = error_fail(
                "the file '%s/%s' could not be written to its end; is the disk full, or is there a limit to the size "
                "of files?",
                folder, entry->d_name);
    if (status == TCF_OK && errno != 0)
        status = error_fail("the folder '%s' cannot be read: %s", folder, strerror(errno));
    closedir(d);
    return status;
}

/* Is what libotf2 wrote really there? */
static tcf_status check_written(const char *folder, int all_by_libotf2)
{
    char *traces = join(folder, "/traces");

    if (traces == NULL)
        return error_fail("out of memory");
    tcf_status status = check_files(traces, all_by_libotf2 ? is_location_file : is_snapshot_file);
    if (status == TCF_OK)
        status = check_files(folder, is_top_file);
    free(traces);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ renaming -- */

/* The first free name of PATH.old, PATH.2.old, ...; NULL in *to: none is free. */
static tcf_status name_of_old(const char *path, char **to)
{
    *to = NULL;
    for (int k = 1; k <= MOST_OLD; k++) {
        char *name = output_name_beside(path, k, "old");
        if (name == NULL)
            return error_fail("out of memory for the name of what '%s' replaces", path);
        const int is_taken = exists(name);
        if (is_taken == 0) {
            *to = name;
            return TCF_OK;
        }
        if (is_taken < 0)
            error_fail("'%s' cannot be looked at: %s", name, strerror(errno));
        free(name);
        if (is_taken < 0)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* Removes the old archive in `folder`; what else lies there gets the name `old`, which may be the folder's already. */
static tcf_status remove_old(const char *path, const char *folder, const char *old)
{
    const tcf_status status = output_remove_archive(folder);

    if (status == TCF_OK)
        return TCF_OK;
    const int reason = errno, is_moved = old && (strcmp(folder, old) == 0 || rename(folder, old) == 0);
    if (status == TCF_ERROR || (old && !is_moved))
        return error_fail("'%s' is complete, but what it replaces, now in '%s', could not be removed: %s", path,
                          is_moved ? old : folder, strerror(is_moved ? reason : errno));
    error_log(TCF_LOG_WARNING, "what else lay in '%s' is now in '%s'", path, is_moved ? old : folder);
    return TCF_OK;
}

/* PATH is never missing in between; where a file system cannot exchange names it is, for a moment. The old archive is
 * removed when the new one's name is on the disk. */
static tcf_status replace(const char *path, const char *incomplete)
{
    char *old;
    tcf_status status = name_of_old(path, &old);

    if (status != TCF_OK)
        return status;
    const int is_exchanged = renameat2(AT_FDCWD, incomplete, AT_FDCWD, path, RENAME_EXCHANGE) == 0;
    if (is_exchanged || (old && rename(path, old) == 0 && rename(incomplete, path) == 0)) {
        output_sync_name(path);
        status = remove_old(path, is_exchanged ? incomplete : old, old);
    } else {
        status = error_fail("'%s' cannot be replaced by '%s': %s", path, incomplete, strerror(errno));
    }
    free(old);
    return status;
}

tcf_status output_publish_archive(const char *what, const tcf_output *o, int overwrite, int all_by_libotf2)
{
    if (check_written(o->name, all_by_libotf2) != TCF_OK || output_sync(what, o) != TCF_OK)
        return TCF_ERROR;
    if (exists(o->path) && !is_empty(o->path)) {
        if (!overwrite)
            return error_fail("'%s' has come into being meanwhile; the archive is complete under '%s'", o->path,
                              o->name);
        return replace(o->path, o->name);
    }
    if (rename(o->name, o->path) != 0)
        return error_fail("'%s' cannot be renamed to '%s': %s", o->name, o->path, strerror(errno));
    output_sync_name(o->path);
    return TCF_OK;
}

const tcf_output_host output_host = {output_check,   output_check_archive, output_open,
                                     output_publish, output_open_folder,   output_publish_archive};
