/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Checking, creating and naming files with results; see output.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* renameat2() */
#endif
#include "output.h"
#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int output_is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

tcf_status output_check(const char *what, const char *path, int overwrite)
{
    char folder[OUTPUT_PATH_BYTES];
    struct stat st;

    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return error_usage("%s '%s' is a folder; expected a file's name", what, path);
    if (!overwrite && lstat(path, &st) == 0) /* lstat(): a link that points nowhere exists, too */
        return error_usage("%s '%s' exists already; `overwrite = yes` allows to replace it", what, path);
    int n = snprintf(folder, sizeof folder, "%s", path);
    if (n < 0 || (size_t)n >= sizeof folder - sizeof ".incomplete")
        return error_usage("%s '%.80s...': the path is too long", what, path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    if (access(slash ? folder : ".", W_OK | X_OK) != 0)
        return error_usage("%s '%s' cannot be created: %s", what, path, strerror(errno));
    return TCF_OK;
}

tcf_status output_beside(const char *what, const char *path, char to[OUTPUT_PATH_BYTES])
{
    int n = snprintf(to, OUTPUT_PATH_BYTES, "%s.incomplete", path);
    if (n < 0 || n >= OUTPUT_PATH_BYTES)
        return error_fail("%s '%.80s...': the path is too long", what, path);
    return TCF_OK;
}

tcf_status output_publish(const char *what, const char *from, const char *path, int overwrite)
{
    if (overwrite) {
        if (rename(from, path) == 0)
            return TCF_OK;
    } else if (renameat2(AT_FDCWD, from, AT_FDCWD, path, RENAME_NOREPLACE) == 0) {
        return TCF_OK;
    } else if (errno == EEXIST) {
        return error_fail("%s '%s' exists already; the results are in '%s'", what, path, from);
    } else if ((errno == EINVAL || errno == ENOSYS) && access(path, F_OK) != 0 && rename(from, path) == 0) {
        return TCF_OK; /* the file system lacks RENAME_NOREPLACE */
    }
    return error_fail("cannot rename '%s' to '%s': %s", from, path, strerror(errno));
}

/* `overwrite = yes` replaces a file of the same kind only: another file under this name is there by mistake. */
static tcf_status refuse_other_kinds(const output_kind *kind, const char *path)
{
    char found[64];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? read(file, found, kind->start_bytes) : 0;

    if (file >= 0)
        close(file);
    if (n <= 0 || ((size_t)n == kind->start_bytes && memcmp(found, kind->start, kind->start_bytes) == 0))
        return TCF_OK;
    return error_usage("%s '%s' exists and is no %s, so it is not replaced", kind->key, path, kind->like);
}

tcf_status output_check_kind(const output_kind *kind, const char *path, int overwrite)
{
    if (strcmp(path, "-") == 0)
        return error_usage("%s = -: %s needs a file, it cannot go to standard output", kind->key, kind->called);
    if (output_is_special(path))
        return error_usage("%s '%s' is no regular file", kind->key, path);
    if (output_check(kind->key, path, overwrite) != TCF_OK)
        return TCF_ERROR;
    return refuse_other_kinds(kind, path);
}

int output_create(const output_kind *kind, const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct stat ours, there;

    if (file < 0) {
        error_fail("cannot create '%s': %s", path, strerror(errno));
        return -1;
    }
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) /* other errors: the file system has no locks */
        error_fail("'%s' is being written by another tcflow: give each run %s of its own", path, kind->called);
    else if (fstat(file, &ours) != 0 || stat(path, &there) != 0 || ours.st_ino != there.st_ino ||
             ours.st_dev != there.st_dev) /* it was renamed after open() */
        error_fail("'%s' was being written by another tcflow: give each run %s of its own", path, kind->called);
    else if (ftruncate(file, 0) != 0)
        error_fail("cannot write to '%s': %s", path, strerror(errno));
    else
        return file;
    close(file);
    return -1;
}
