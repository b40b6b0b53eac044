/* The manners of files with results; see the header.
 *
 * Copyright (c) 2026 the tcflow authors. BSD-3-Clause, see COPYING.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* renameat2() */
#endif
#include "output.h"
#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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
        return tcf_usage("%s '%s' is a folder; expected a file's name", what, path);
    if (!overwrite && lstat(path, &st) == 0) /* a link that points nowhere exists, too */
        return tcf_usage("%s '%s' exists already; `overwrite = yes` allows to replace it", what, path);
    int n = snprintf(folder, sizeof folder, "%s", path);
    if (n < 0 || (size_t)n >= sizeof folder - sizeof ".incomplete")
        return tcf_usage("%s '%.80s...': the path is too long", what, path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    if (access(slash ? folder : ".", W_OK | X_OK) != 0)
        return tcf_usage("%s '%s' cannot be created: %s", what, path, strerror(errno));
    return TCF_OK;
}

tcf_status output_beside(const char *what, const char *path, char to[OUTPUT_PATH_BYTES])
{
    int n = snprintf(to, OUTPUT_PATH_BYTES, "%s.incomplete", path);
    if (n < 0 || n >= OUTPUT_PATH_BYTES)
        return tcf_fail("%s '%.80s...': the path is too long", what, path);
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
        return tcf_fail("%s '%s' exists already; what was computed stands in '%s'", what, path, from);
    } else if ((errno == EINVAL || errno == ENOSYS) && access(path, F_OK) != 0 && rename(from, path) == 0) {
        return TCF_OK; /* a file system that doesn't know RENAME_NOREPLACE */
    }
    return tcf_fail("cannot rename '%s' to '%s': %s", from, path, strerror(errno));
}
