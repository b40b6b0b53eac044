/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Plugins: found, opened with libltdl, checked, listed. The only file that knows libltdl is loader.c. */
#ifndef TCFLOW_FRAMEWORK_LOADER_H
#define TCFLOW_FRAMEWORK_LOADER_H

#include <sys/types.h>
#include <tcflow/filter.h>

typedef struct plugin {
    const char *path;         /* of the file */
    const char *name;         /* the filter's, or the file's without its suffix when it was refused */
    const tcf_filter *filter; /* NULL: refused or shadowed */
    const char *reason;       /* why, or NULL */
    const char *shadowed_by;  /* path of the filter of the same name that was found before, or NULL */
} plugin;

typedef struct loader loader;

/* Looks into every folder that --plugin-path, TCFLOW_PLUGIN_PATH and plugin_path of the INI name (entries separated by
 * ':'; either argument may be NULL), then into the installed folder, or instead of it the build tree when the program
 * runs from there. Opens what it finds; earlier ones win. A refused file is no error: it is listed with its reason.
 * Nothing is kept from one process to the next. Filters linked into the program may be given as `builtin`
 * (NULL-terminated). */
loader *loader_new(const char *command_line, const char *ini, const tcf_filter *const *builtin);

/* What loader_new() accepts: filters of the same major version and of this or an older minor one. A tcf_filter of an
 * older minor version is shorter, but never shorter than that of MAJOR.0; what it lacks is zero. */
typedef struct loader_abi {
    uint16_t major, minor;
    uint32_t size, first_size; /* of tcf_filter in MAJOR.minor and in MAJOR.0 */
} loader_abi;
extern const loader_abi loader_abi_current;
/* For tests: only the folders of the path, as if --plugin-path had named them. */
loader *loader_new_for(const char *search_path, const tcf_filter *const *builtin, const loader_abi *abi);

void loader_delete(loader *l); /* does not unload: code of a plugin may still be referred to */

const plugin *loader_plugins(const loader *l, size_t *n); /* in the order found */

/* Who named a folder, in the order in which they are searched. */
#define LOADER_COMMAND_LINE "--plugin-path"
#define LOADER_ENVIRONMENT "TCFLOW_PLUGIN_PATH"
#define LOADER_INI "plugin_path"
#define LOADER_INSTALLED "installed"
#define LOADER_BUILD_TREE "build tree"

/* Every folder searched, in order. */
typedef struct loader_folder {
    const char *path;
    const char *named_by; /* LOADER_* */
    const char *problem;  /* why it could not be read, or NULL */
    size_t files;         /* *.so in it */
    size_t others;        /* what else is in it, and was not looked at */
    int again;            /* named before, by this or another path: not searched a second time */
    int exists;           /* it did, when it was searched; then these two tell it from others */
    dev_t device;
    ino_t inode;
} loader_folder;
const loader_folder *loader_folders(const loader *l, size_t *n);
/* Could all folders be read that --plugin-path and plugin_path of the INI name? Who names a folder means it: a filter
 * of the same name from elsewhere would be a surprise. The failure is tcf_usage(). */
tcf_status loader_check_folders(const loader *l);
/* NULL: no such filter; the cause tells the nearest name, or why the file that would be it was refused. */
const tcf_filter *loader_find(const loader *l, const char *name);

#endif
