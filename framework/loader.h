/* Plugins: found, opened with libltdl, checked, listed. The only file that knows libltdl is loader.c. */
#ifndef TCFLOW_FRAMEWORK_LOADER_H
#define TCFLOW_FRAMEWORK_LOADER_H

#include <tcflow/filter.h>

typedef struct plugin {
    const char *path;         /* of the file; for a folder that cannot be read: the folder */
    const char *name;         /* the filter's, or the file's without its suffix when it was refused; "": a folder */
    const tcf_filter *filter; /* NULL: refused */
    const char *reason;       /* why it was refused, or NULL */
} plugin;

typedef struct loader loader;

/* Looks into every folder of `search_path` (entries separated by ':', earlier ones win) and opens what it finds.
 * A refused file is no error: it is listed with its reason. Filters linked into the program may be given as
 * `builtin` (NULL-terminated). */
loader *loader_new(const char *search_path, const tcf_filter *const *builtin);

/* What loader_new() accepts: filters of the same major version and of this or an older minor one. A tcf_filter of an
 * older minor version is shorter, but never shorter than that of MAJOR.0; what it lacks is zero. */
typedef struct loader_abi {
    uint16_t major, minor;
    uint32_t size, first_size; /* of tcf_filter in MAJOR.minor and in MAJOR.0 */
} loader_abi;
extern const loader_abi loader_abi_current;
loader *loader_new_for(const char *search_path, const tcf_filter *const *builtin, const loader_abi *abi); /* tests */

void loader_delete(loader *l); /* does not unload: code of a plugin may still be referred to */

/* The search order as one path: --plugin-path, TCFLOW_PLUGIN_PATH, plugin_path of the INI, then the installed folder,
 * or instead of it the build tree when the program runs from there. To be freed. */
char *loader_search_path(const char *command_line, const char *ini);

const plugin *loader_plugins(const loader *l, size_t *n); /* in the order found */
/* Every folder searched, in order; one that the path names twice is there once. */
typedef struct loader_folder {
    const char *path;
    const char *problem; /* why it could not be read, or NULL */
    size_t files;        /* *.so in it */
} loader_folder;
const loader_folder *loader_folders(const loader *l, size_t *n);
/* Could all folders of this path, which loader_new() was given among others, be read? Who names a folder means it: a
 * filter of the same name from elsewhere would be a surprise. `what` says who named it. The failure is tcf_usage(). */
tcf_status loader_check_folders(const loader *l, const char *path, const char *what);
/* NULL: no such filter; the cause tells the nearest name, or why the file that would be it was refused. */
const tcf_filter *loader_find(const loader *l, const char *name);

/* Folder of the shipped filters.d: TCFLOW_FILTERS_D, the source tree when running from the build tree, or where it
 * was installed. What stands in it: settings_defaults(). */
const char *loader_filters_d(void);

#endif
