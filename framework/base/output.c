/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Checking, creating and naming files with results; see output.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* renameat2(), asprintf() */
#endif
#include "output.h"
#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <private/file_bytes.h>
#include <private/passing_errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LEFT = 99 }; /* names beside PATH */

char *output_name_beside(const char *path, int number, const char *suffix)
{
    int n = (int)strlen(path);
    char *name;

    while (n > 1 && path[n - 1] == '/')
        n--;
    int done = number == 1 ? asprintf(&name, "%.*s.%s", n, path, suffix)
                           : asprintf(&name, "%.*s.%d.%s", n, path, number, suffix);
    return done < 0 ? NULL : name;
}

/* The name under which PATH is written: the first one, the second one, ... */
static char *name_to_write(const char *path, int number)
{
    return output_name_beside(path, number, "incomplete");
}

void output_reserve_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) /* the lowest number that is free */
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static int are_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int output_is_same(const char *a, const char *b)
{
    struct stat x, y;
    if (stat(a, &x) != 0 || stat(b, &y) != 0)
        return tcf_error_is_passing(errno) ? -1 : 0;
    return are_same(&x, &y);
}

static int is_neither(const struct stat *st)
{
    return !S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode);
}

int output_is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && is_neither(&st);
}

static tcf_status cannot_be_looked_at(const char *what, const char *path)
{
    return error_fail("%s '%.512s' cannot be looked at: %s", what, path, strerror(errno));
}

tcf_status output_check_folder(const char *what, const char *path)
{
    struct stat st;

    if (strcmp(path, "-") == 0)
        return error_usage("%s = -: it needs a name, and cannot go to standard output", what);
    char *name = name_to_write(path, MOST_LEFT), *slash = name ? strrchr(name, '/') : NULL;
    int possible = name && (lstat(name, &st) == 0 || errno == ENOENT);
    if (slash)
        slash[slash == name] = '\0';
    possible = possible && access(slash ? name : ".", W_OK | X_OK) == 0;
    free(name);
    return possible ? TCF_OK : error_usage("%s '%.512s' cannot be created: %s", what, path, strerror(errno));
}

/* Does this process have it as a standard file, as where /dev/stdout leads to? */
static int is_standard(const struct stat *st)
{
    struct stat standard;

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &standard) == 0 && are_same(&standard, st))
            return 1;
    return 0;
}

tcf_status output_check(const char *what, const char *path, int overwrite)
{
    struct stat st;

    const int is_there = stat(path, &st) == 0;

    if (!is_there && tcf_error_is_passing(errno))
        return cannot_be_looked_at(what, path);
    if (is_there && is_neither(&st))
        return TCF_OK;
    if (is_there && S_ISDIR(st.st_mode))
        return error_usage("%s '%s' is a folder; expected a file's name", what, path);
    if (is_there && is_standard(&st))
        return error_usage("%s '%s' is what standard input, output or error of this run is; expected another file",
                           what, path);
    if (!overwrite && lstat(path, &st) == 0) /* lstat(): a link that points nowhere exists, too */
        return error_usage("%s '%s' exists already; 'overwrite = yes' allows to replace it", what, path);
    if (*path && path[strlen(path) - 1] == '/')
        return error_usage("%s '%s' is the name of a folder; expected a file's name", what, path);
    return output_check_folder(what, path);
}

/* ------------------------------------------------------------------------------------------------------ creating -- */

/* Is somebody writing it? Where the file system has no locks nobody knows. */
static int is_being_written(const char *name)
{
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return locked;
}

/* Creates a file or folder of this name; -1: errno. */
static int create(const char *name, int folder)
{
    if (folder && mkdir(name, 0777) != 0)
        return -1;
    int fd = open(name, (folder ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT | O_EXCL) | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0)
        (void)flock(fd, LOCK_EX | LOCK_NB);
    return fd;
}

/* TCF_HELD: something has this name. */
static tcf_status open_as(const char *name, int folder, tcf_output *o)
{
    o->fd = create(name, folder);
    if (o->fd >= 0)
        return TCF_OK;
    if (errno != EEXIST)
        return error_fail("cannot create '%s': %s", name, strerror(errno));
    if (!is_being_written(name))
        return TCF_HELD;
    return error_usage("'%s' is being written by another filter or run: give each an output of its own", name);
}

static tcf_status open_beside(const char *what, const char *path, int folder, tcf_output *o)
{
    tcf_status status = TCF_HELD;

    for (int k = 1; k <= MOST_LEFT && status == TCF_HELD; k++) {
        free(o->name);
        o->name = name_to_write(path, k);
        status = o->name ? open_as(o->name, folder, o) : error_fail("out of memory");
        if (status == TCF_OK && k > 1)
            error_log(TCF_LOG_WARNING, "%s '%s' is written to '%s': what earlier runs have left stays", what, path,
                      o->name);
    }
    if (status == TCF_HELD)
        status =
            error_fail("%s '%s': remove what %d earlier runs have left, up to '%s'", what, path, MOST_LEFT, o->name);
    if (status != TCF_OK) {
        free(o->name);
        o->name = NULL;
    }
    return status;
}

tcf_status output_open(const char *what, const char *path, tcf_output *o)
{
    struct stat st;

    *o = (tcf_output){.fd = -1, .path = path};
    if (stat(path, &st) == 0)
        o->direct = is_neither(&st);
    else if (tcf_error_is_passing(errno))
        return cannot_be_looked_at(what, path);
    if (!o->direct)
        return open_beside(what, path, 0, o);
    o->name = strdup(path);
    o->fd = o->name ? open(path, O_WRONLY | O_CLOEXEC) : -1; /* a FIFO waits for its reader here */
    if (o->fd >= 0 && fstat(o->fd, &st) == 0 && !S_ISREG(st.st_mode))
        return TCF_OK;
    int reason = o->fd >= 0 ? EEXIST : errno; /* it has become a file meanwhile */
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
    return error_fail("%s '%s' cannot be opened: %s", what, path, strerror(reason));
}

tcf_status output_open_folder(const char *what, const char *path, tcf_output *o)
{
    *o = (tcf_output){.fd = -1, .path = path};
    return open_beside(what, path, 1, o);
}

/* ---------------------------------------------------------------------------------------------------- publishing -- */

/* Some file systems have nothing to do here, and say that the call makes no sense. */
static int has_failed(int result)
{
    return result != 0 && errno != EINVAL && errno != ENOSYS && errno != EROFS;
}

tcf_status output_sync(const char *what, const tcf_output *o)
{
    if (o->direct)
        return TCF_OK;
    int fd = open(o->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC); /* the caller's descriptor may be closed already */
    struct stat st;
    int failed = fd < 0 || fstat(fd, &st) != 0 || has_failed(S_ISDIR(st.st_mode) ? syncfs(fd) : fsync(fd));
    if (failed)
        error_fail("%s '%s' cannot be written to '%s': %s", what, o->path, o->name, strerror(errno));
    if (fd >= 0)
        close(fd);
    return failed ? TCF_ERROR : TCF_OK;
}

void output_sync_name(const char *path)
{
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;

    while (slash && slash > folder && slash[1] == '\0') { /* a folder with slashes behind its name */
        *slash = '\0';
        slash = strrchr(folder, '/');
    }
    if (slash)
        slash[slash == folder] = '\0';
    int fd = folder ? open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(folder);
}

static tcf_status give_name(const char *what, const tcf_output *o, int overwrite)
{
    if (overwrite) {
        if (rename(o->name, o->path) == 0)
            return TCF_OK;
    } else if (renameat2(AT_FDCWD, o->name, AT_FDCWD, o->path, RENAME_NOREPLACE) == 0) {
        return TCF_OK;
    } else if (errno == EEXIST) {
        return error_fail("%s '%s' exists already; the results are in '%s'", what, o->path, o->name);
    } else if ((errno == EINVAL || errno == ENOSYS) && access(o->path, F_OK) != 0 && errno == ENOENT &&
               rename(o->name, o->path) == 0) {
        return TCF_OK; /* the file system lacks RENAME_NOREPLACE */
    }
    return error_fail("cannot rename '%s' to '%s': %s", o->name, o->path, strerror(errno));
}

tcf_status output_publish(const char *what, const tcf_output *o, int overwrite)
{
    if (o->direct)
        return TCF_OK;
    if (output_sync(what, o) != TCF_OK || give_name(what, o, overwrite) != TCF_OK)
        return TCF_ERROR;
    output_sync_name(o->path);
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------------- kinds -- */

/* `overwrite = yes` replaces a file of the same kind only: another file under this name is there by mistake. */
static tcf_status refuse_other_kinds(const output_kind *kind, const char *path)
{
    char found[64];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? tcf_read_at(file, 0, found, kind->start_bytes) : errno == ENOENT ? 0 : -1;
    const int reason = errno;

    if (file >= 0)
        close(file);
    if (n < 0)
        return error_fail("%s '%s' cannot be read: %s", kind->key, path, strerror(reason));
    if (n == 0 || ((size_t)n == kind->start_bytes && memcmp(found, kind->start, kind->start_bytes) == 0))
        return TCF_OK;
    return error_usage("%s '%s' exists and is no %s, so it is not replaced", kind->key, path, kind->like);
}

tcf_status output_check_kind(const output_kind *kind, const char *path, int overwrite)
{
    if (output_is_special(path))
        return error_usage("%s '%s' is no regular file", kind->key, path);
    if (output_check(kind->key, path, overwrite) != TCF_OK)
        return TCF_ERROR;
    return refuse_other_kinds(kind, path);
}
