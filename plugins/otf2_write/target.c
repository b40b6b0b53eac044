/* otf2_write: the folder. The archive is written into PATH.incomplete and takes its final name when it is complete.
 *
 * With overwrite = yes an older archive at PATH is exchanged for the new one in one step, and removed only then: the
 * files that belong to an archive, nothing else. What else lies in the old folder stays, under PATH.old.
 *
 * Copyright (c) 2026 the tcflow authors. BSD-3-Clause, see COPYING.
 */
#define _GNU_SOURCE /* renameat2 */
#include "otf2_write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static char *join(const char *a, const char *b)
{
    size_t n = strlen(a) + strlen(b) + 1;
    char *joined = malloc(n);
    if (joined)
        snprintf(joined, n, "%s%s", a, b);
    return joined;
}

/* Is the folder that is to be replaced the one that is being read, or above it? */
static int holds_input(const char *path, const char *anchor)
{
    char target[PATH_MAX], input[PATH_MAX];

    if (realpath(path, target) == NULL || realpath(anchor, input) == NULL)
        return 0;
    size_t n = strlen(target);
    return strncmp(target, input, n) == 0 && (input[n] == '/' || n == 1);
}

static int is_archive(const char *folder)
{
    char *anchor = join(folder, "/traces.otf2");
    int found = anchor && exists(anchor);
    free(anchor);
    return found;
}

static int is_empty(const char *folder)
{
    DIR *d = opendir(folder);
    int entries = 0;

    if (d == NULL)
        return 0;
    while (readdir(d))
        entries++;
    closedir(d);
    return entries <= 2;
}

/* ---------------------------------------------------------------------------------------------------- removing -- */

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

static int is_top_file(const char *name)
{
    return strcmp(name, "traces.otf2") == 0 || strcmp(name, "traces.def") == 0 || strcmp(name, "traces.marker") == 0 ||
           (strncmp(name, "traces.", 7) == 0 && has_suffix(name, ".thumb"));
}

static void remove_files(const char *folder, int (*belongs)(const char *name))
{
    DIR *d = opendir(folder);

    if (d == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(d)) != NULL;)
        if (belongs(entry->d_name))
            unlinkat(dirfd(d), entry->d_name, 0);
    closedir(d);
}

/* Removes an archive; -1: something else lies in its folder, which stays. */
static int remove_archive(const char *folder)
{
    char *traces = join(folder, "/traces");

    if (traces) {
        remove_files(traces, is_location_file);
        rmdir(traces);
    }
    free(traces);
    remove_files(folder, is_top_file);
    return rmdir(folder);
}

/* ------------------------------------------------------------------------------------------------------ checking -- */

tcf_status target_check(const tcf_self *self)
{
    const struct conf *conf = self->conf;

    if (exists(conf->path) && !conf->overwrite && !(is_empty(conf->path)))
        return self->host->fail(self, "path = %s exists already; `overwrite = yes` replaces it", conf->path);
    if (exists(conf->path) && conf->overwrite && !is_empty(conf->path) && !is_archive(conf->path))
        return self->host->fail(self, "path = %s exists and is not a folder with an archive traces.otf2, so it is not "
                                      "replaced",
                                conf->path);
    return TCF_OK;
}

static tcf_status make_folder(const tcf_self *self, const char *folder)
{
    if (mkdir(folder, 0777) != 0)
        return self->host->fail(self, "the folder '%s' cannot be created: %s", folder, strerror(errno));
    return TCF_OK;
}

/* Just before writing: nothing of the input may be hit, and an older PATH.incomplete is only taken away if it may be. */
tcf_status target_prepare(const tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *state = self->state;

    if (holds_input(conf->path, self->defs->archive) || holds_input(state->incomplete, self->defs->archive))
        return self->host->fail(self, "path = %s is the folder of the input '%s'", conf->path, self->defs->archive);
    if (!exists(state->incomplete))
        return make_folder(self, state->incomplete);
    if (!conf->overwrite)
        return self->host->fail(self, "'%s' is left from a run that did not finish; remove it, or set `overwrite = yes`",
                                state->incomplete);
    if (remove_archive(state->incomplete) != 0)
        return self->host->fail(self, "'%s' is left from a run that did not finish and cannot be removed: %s",
                                state->incomplete, strerror(errno));
    return make_folder(self, state->incomplete);
}

/* ------------------------------------------------------------------------------------------------------ renaming -- */

static tcf_status replace(const tcf_self *self, const char *path, const char *incomplete)
{
    char *old = join(path, ".old");

    if (old == NULL)
        return self->host->fail(self, "out of memory");
    /* PATH is never missing in between; where a file system cannot exchange names it is, for a moment. */
    if (renameat2(AT_FDCWD, incomplete, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
        if (remove_archive(incomplete) != 0 && rename(incomplete, old) == 0)
            self->host->log(self, TCF_LOG_WARNING, "what else lay in '%s' is now in '%s'", path, old);
    } else if (rename(path, old) != 0 || rename(incomplete, path) != 0) {
        self->host->fail(self, "'%s' cannot be replaced by '%s': %s", path, incomplete, strerror(errno));
        free(old);
        return TCF_ERROR;
    } else if (remove_archive(old) != 0) {
        self->host->log(self, TCF_LOG_WARNING, "what else lay in '%s' is now in '%s'", path, old);
    }
    free(old);
    return TCF_OK;
}

tcf_status target_complete(const tcf_self *self)
{
    const struct conf *conf = self->conf;
    const struct state *state = self->state;

    if (exists(conf->path) && !is_empty(conf->path)) {
        if (!conf->overwrite)
            return self->host->fail(self, "'%s' has come into being meanwhile; the archive is complete under '%s'",
                                    conf->path, state->incomplete);
        return replace(self, conf->path, state->incomplete);
    }
    if (rename(state->incomplete, conf->path) != 0)
        return self->host->fail(self, "'%s' cannot be renamed to '%s': %s", state->incomplete, conf->path,
                                strerror(errno));
    return TCF_OK;
}
