/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Plugins: found, opened with libltdl, checked, listed. The only file that knows libltdl is loader.c. */
#ifndef TCFLOW_FRAMEWORK_LOADER_H
#define TCFLOW_FRAMEWORK_LOADER_H

#include <sys/types.h>
#include <tcflow/source.h>

typedef struct plugin {
    const char *path;         /* of the file */
    const char *name;         /* the filter's or reader's, or the file's without its suffix when it was refused */
    const tcf_filter *filter; /* NULL: a reader, refused or shadowed */
    const tcf_source *source; /* a reader of another format; NULL: a filter, refused or shadowed */
    const char *reason;       /* why, or NULL */
    const char *shadowed_by;  /* path of the plugin of the same name that was found before, or NULL */
} plugin;

typedef struct loader loader;

/* Searches the folders of --plugin-path, of TCFLOW_PLUGIN_PATH and of plugin_path in the INI (separated by ':';
 * either argument may be NULL), then the installed folder, or the build tree when the program runs from there. Opens
 * no plugin: loader_find() opens that of the name, loader_open_all() all. `builtin` (NULL-terminated, or NULL) are
 * filters that are linked into the program. */
loader *loader_new(const char *command_line, const char *ini, const tcf_filter *const *builtin);
/* For the start of a program: plugins whose file or folder others may write to are refused, instead of warned of. */
void loader_be_strict(void);

/* The plugin interface that loader_new() accepts: the same major version, and this or an older minor version. The
 * tcf_filter of an older minor version is shorter, but at least as long as that of MAJOR.0; the loader adds zeros. */
typedef struct loader_abi {
    uint16_t major, minor;
    uint32_t size, first_size;               /* of tcf_filter in MAJOR.minor and in MAJOR.0 */
    uint32_t source_size, first_source_size; /* the same of tcf_source */
} loader_abi;
extern const loader_abi loader_abi_current;
/* Opens every plugin that was found, or all but those in folders that an INI names; of
 * several plugins of one name the first one counts. A file whose plugin has another name, and any other that is
 * refused, is no error: the list has it with its reason. A plugin's file or folder that others may write to is warned
 * of. */
tcf_status loader_open_all(loader *l);
tcf_status loader_open_but_ini(loader *l);
/* For tests: searches only the folders of `search_path`, as if --plugin-path had named them, and opens all plugins
 * there, whatever their files are called. */
loader *loader_new_for(const char *search_path, const tcf_filter *const *builtin, const loader_abi *abi);

void loader_delete(loader *l); /* plugins stay loaded: pointers to their code may still exist */

const plugin *loader_plugins(const loader *l, size_t *n); /* that were opened, in this order */

/* What named a folder, in the order of the search. */
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
    size_t others;        /* other files in it, which are ignored */
    int again;            /* an entry before names the same folder, so it is not searched again */
    int exists;           /* at the time of the search; device and inode then identify it */
    dev_t device;
    ino_t inode;
} loader_folder;
const loader_folder *loader_folders(const loader *l, size_t *n);
/* Fails with error_usage() when a folder of --plugin-path or of plugin_path in the INI could not be read: a filter of
 * the same name from another folder would run instead. */
tcf_status loader_check_folders(const loader *l);
/* The plugin of this name, which is opened now if it isn't yet, whether filter or reader; NULL: there is none. */
const plugin *loader_named(loader *l, const char *name);
/* The filter of this name. Returns NULL where there is none; the error names the nearest one, or says why the file of
 * this name was refused. */
const tcf_filter *loader_find(loader *l, const char *name);
/* The same of a reader. */
const tcf_source *loader_find_source(loader *l, const char *name);

#endif
