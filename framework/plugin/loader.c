/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Plugins: found in folders, opened, checked, listed. The only file that knows libltdl.
 *
 * Opening a file runs code of it. So a plugin that is asked for is looked for by name, and its file alone is opened;
 * the list of all filters opens all, the search for a reader all but those in folders that an INI names.
 *
 * libltdl opens lazily, so that an undefined symbol would stop the run in its middle, and replaces dlopen()'s error
 * text by "file not found". So its own loaders are taken out and one of ours goes in, with RTLD_NOW | RTLD_LOCAL and
 * the text that dlerror() gave. Nothing is ever unloaded: a filter's code may be referred to until the process ends.
 *
 * Of a plugin's symbol magic, ABI and size are checked before anything else is read; whatever is wrong with a file
 * becomes its reason in the list, never an error of the run. Where the machine fails, nothing is known of a file or
 * folder, and the run fails: it would go on without a plugin, or with another one of its name. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr1() */
#endif
#include "loader.h"
#include "framework/base/error.h"
#include "framework/base/names.h"
#include "framework/base/paths.h"
#include "framework/base/string_store.h"
#include "framework/settings/settings.h"
#include "plugin_check.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <ltdl.h>
#include <private/passing_errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* A file in a searched folder. */
typedef struct candidate {
    const char *path, *name; /* name: without .so */
    const char *folder;      /* that the file lies in */
    int in_ini;              /* the INI names its folder */
    int opened;
} candidate;

struct loader {
    loader_abi abi;
    int any_name; /* a filter may have another name than its file */
    candidate *files;
    size_t n_files;
    plugin *plugins;
    size_t n_plugins;
    loader_folder *folders;
    size_t n_folders;
    string_store *storage; /* all strings and copied filters */
};

const loader_abi loader_abi_current = {.major = TCF_ABI_MAJOR,
                                       .minor = TCF_ABI_MINOR,
                                       .size = sizeof(tcf_filter),
                                       .first_size = offsetof(tcf_filter, fini) + sizeof(void (*)(void)),
                                       .source_size = sizeof(tcf_source),
                                       .first_source_size = sizeof(tcf_source)};

/* ------------------------------------------------------------------------------------------------------- libltdl -- */

/* The last text of dlerror(). There is one in the process, as there is one libltdl. */
typedef struct last_error {
    char text[PATH_BYTES];
} last_error;

static void note_error(last_error *e, const char *text)
{
    snprintf(e->text, sizeof e->text, "%s", text ? text : "unknown error");
}

static lt_module module_open(lt_user_data data, const char *filename, lt_dladvise advise)
{
    (void)advise;
    dlerror();
    void *module = dlopen(filename, RTLD_NOW | RTLD_LOCAL);
    if (!module)
        note_error(data, dlerror());
    return module;
}

static int module_close(lt_user_data data, lt_module module)
{
    (void)data;
    (void)module;
    return 0;
}

/* Finds a symbol of the module itself; dlsym() would also find those of libraries that it needs. */
static void *module_symbol(lt_user_data data, lt_module module, const char *symbol)
{
    struct link_map *mine = NULL;
    void *owner = NULL;
    Dl_info info;

    dlerror();
    void *address = dlsym(module, symbol);
    if (!address) {
        note_error(data, dlerror());
        return NULL;
    }
    if (dlinfo(module, RTLD_DI_LINKMAP, &mine) == 0 && dladdr1(address, &info, &owner, RTLD_DL_LINKMAP) != 0 &&
        owner != (void *)mine) {
        note_error(data, "the symbol belongs to a library that the file needs, not to the file");
        return NULL;
    }
    return address;
}

static last_error open_error;
static const lt_dlvtable bind_now = {
    .name = "tcflow_bind_now",
    .module_open = module_open,
    .module_close = module_close,
    .find_sym = module_symbol,
    .dlloader_data = &open_error,
    .priority = LT_DLLOADER_PREPEND,
};

static tcf_status start_libltdl(void)
{
    if (lt_dlinit() != 0)
        return error_fail("libltdl cannot be initialised: %s", lt_dlerror());
    if (lt_dlloader_find(bind_now.name))
        return TCF_OK;
    /* libltdl tries one loader after the other: another loader behind ours would open what ours has refused.
     * lt_preopen cannot be removed and does no harm: it serves modules that are linked into the program, and there
     * are none. */
    for (lt_dlloader place = lt_dlloader_next(NULL), next; place; place = next) {
        const char *name = lt_dlloader_get(place)->name;
        next = lt_dlloader_next(place);
        if (strcmp(name, "lt_preopen") == 0)
            continue;
        lt_dlvtable *removed = lt_dlloader_remove(name);
        if (!removed)
            return error_fail("libltdl does not remove its loader %s: %s", name, lt_dlerror());
        free(removed); /* lt_dlloader_remove() leaves this to its caller */
    }
    if (lt_dlloader_add(&bind_now) != 0)
        return error_fail("libltdl does not take our loader: %s", lt_dlerror());
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------- checks of a plugin -- */

/* Returns the size of the symbol that the file states, or 0 if unknown. *is_data: the symbol is no function. */
static size_t symbol_bytes(const void *symbol, int *is_data)
{
    Dl_info info;
    const ElfW(Sym) *entry = NULL;

    *is_data = 1;
    if (dladdr1(symbol, &info, (void **)&entry, RTLD_DL_SYMENT) == 0 || !entry || info.dli_saddr != symbol)
        return 0;
    *is_data = ELF64_ST_TYPE(entry->st_info) != STT_FUNC; /* the same bits in 32-bit files */
    return entry->st_size;
}

/* Checks what a plugin's symbol is, and returns it in the full size of its struct, `bytes`; NULL after a failure. */
static const void *accept(loader *l, const void *symbol, const plugin_kind *kind)
{
    static const char zeros[sizeof(tcf_filter) > sizeof(tcf_source) ? sizeof(tcf_filter) : sizeof(tcf_source)];
    const tcf_filter_head *head = symbol;
    int is_data;
    size_t known_bytes = symbol_bytes(symbol, &is_data);

    if (!is_data) {
        error_fail("its symbol %s is a function; expected a struct", kind->symbol);
        return NULL;
    }
    if ((uintptr_t)symbol % kind->alignment) {
        error_fail("its symbol %s is no %s: it lies at an odd address", kind->symbol, kind->name);
        return NULL;
    }
    if (plugin_check_head(&l->abi, kind, head, known_bytes) != TCF_OK)
        return NULL;
    if (head->size >= kind->bytes)
        return symbol;
    char *copy = store_text(&l->storage, zeros, sizeof zeros);
    if (!copy) {
        error_fail("out of memory");
        return NULL;
    }
    return memcpy(copy, symbol, head->size);
}

/* What a plugin file holds: neither of them after a failure. */
typedef struct contents {
    const tcf_filter *filter;
    const tcf_source *source;
} contents;

/* NULL: it is empty. */
static const char *name_of(contents has)
{
    return has.filter ? has.filter->name : has.source ? has.source->name : NULL;
}

static contents accept_filter(loader *l, const void *symbol)
{
    const tcf_filter *f = accept(l, symbol, &plugin_filters);
    return (contents){f && plugin_check_filter(f) == TCF_OK ? f : NULL, NULL};
}

static contents accept_source(loader *l, const void *symbol)
{
    const tcf_source *s = accept(l, symbol, &plugin_sources);
    return (contents){NULL, s && plugin_check_source(s) == TCF_OK ? s : NULL};
}

/* ------------------------------------------------------------------------------------------------------ the list -- */

static char *keep(loader *l, const char *text)
{
    return store_text(&l->storage, text, strlen(text));
}

/* Adds a plugin to the list. Without contents the reason is the recorded failure. `first` is the plugin that has the
 * name already, or NULL. */
static tcf_status list(loader *l, const char *path, const char *name, contents has, const plugin *first)
{
    const int is_good = has.filter || has.source;
    const char *shadowed_by = first ? first->path : NULL;
    plugin *grown = realloc(l->plugins, (l->n_plugins + 1) * sizeof *grown);
    if (!grown)
        return error_fail("out of memory");
    l->plugins = grown;
    plugin *p = &grown[l->n_plugins];
    *p = (plugin){.path = keep(l, path),
                  .name = keep(l, name),
                  .filter = has.filter,
                  .source = has.source,
                  .shadowed_by = shadowed_by};
    if (!is_good)
        p->reason = keep(l, error_text());
    error_clear();
    if (!p->path || !p->name || (!is_good && !p->reason))
        return error_fail("out of memory");
    l->n_plugins++;
    return TCF_OK;
}

static const plugin *loaded(const loader *l, const char *name)
{
    for (size_t i = 0; i < l->n_plugins; i++)
        if ((l->plugins[i].filter || l->plugins[i].source) && strcmp(l->plugins[i].name, name) == 0)
            return &l->plugins[i];
    return NULL;
}

/* Lists a plugin, or where it has no contents the recorded failure. Of several plugins of one name the first one
 * counts. */
static tcf_status enter(loader *l, const char *path, const char *name, contents has)
{
    const char *its_name = name_of(has) ? name_of(has) : name;
    const plugin *first = name_of(has) ? loaded(l, its_name) : NULL;

    if (first)
        error_fail("a %s '%s' was found before, in %s", first->filter ? "filter" : "reader", its_name, first->path);
    return list(l, path, its_name, first ? (contents){0} : has, first);
}

static contents open_plugin(loader *l, const char *path)
{
    const contents none = {0};

    if (plugin_check_file(path) != TCF_OK)
        return none;
    open_error.text[0] = '\0';
    lt_dlhandle handle = lt_dlopen(path);
    if (!handle) {
        const char *text = lt_dlerror();
        error_fail("cannot be opened: %s", open_error.text[0] ? open_error.text : text);
        return none;
    }
    lt_dlmakeresident(handle);
    const void *reader = lt_dlsym(handle, TCF_SOURCE_SYMBOL), *filter = lt_dlsym(handle, TCF_FILTER_SYMBOL);
    if (filter && reader)
        error_fail("has both " TCF_FILTER_SYMBOL " and " TCF_SOURCE_SYMBOL "; expected one of them");
    else if (!filter && !reader)
        error_fail("is no tcflow plugin: %s (TCF_FILTER = { ... } in its source defines it)", open_error.text);
    else
        return filter ? accept_filter(l, filter) : accept_source(l, reader);
    return none;
}

static int is_plugin_name(const char *file)
{
    size_t n = strlen(file);
    return n > 3 && file[0] != '.' && strcmp(file + n - 3, ".so") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static tcf_status add_file(loader *l, const loader_folder *folder, const char *file)
{
    char path[PATH_BYTES];
    candidate *grown = realloc(l->files, (l->n_files + 1) * sizeof *grown);

    if (!grown)
        return error_fail("out of memory");
    l->files = grown;
    int n = snprintf(path, sizeof path, "%s%s%s", folder->path,
                     folder->path[strlen(folder->path) - 1] == '/' ? "" : "/", file);
    candidate *c = &grown[l->n_files];
    *c = (candidate){.path = keep(l, path),
                     .name = store_text(&l->storage, file, strlen(file) - 3),
                     .folder = folder->path,
                     .in_ini = strcmp(folder->named_by, LOADER_INI) == 0};
    if (!c->path || !c->name)
        return error_fail("out of memory");
    if (n < 0 || (size_t)n >= sizeof path) {
        c->opened = 1;
        error_fail("its path is too long");
        return enter(l, c->path, c->name, (contents){0});
    }
    l->n_files++;
    return TCF_OK;
}

static tcf_status fail_at(const char *path, int error)
{
    return error == ENOMEM ? error_fail("out of memory for the plugins in '%s'", path)
                           : error_fail("'%s' cannot be looked at: %s", path, strerror(error));
}

/* Who else may change the file or folder? NULL: nobody. In a folder with the sticky bit nobody else may. */
static const char *others_with(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return errno == ENOENT ? NULL : "doesn't say who may change it";
    if (S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX)
        return NULL;
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return "belongs to another user";
    if (st.st_mode & S_IWOTH)
        return "can be written by everybody";
    return st.st_mode & S_IWGRP && st.st_gid != getegid() ? "can be written by a group" : NULL;
}

static int strict;

void loader_be_strict(void)
{
    strict = 1;
}

static tcf_status check_others(const candidate *c)
{
    const char *file = others_with(c->path), *folder = file ? NULL : others_with(c->folder),
               *which = file ? "it" : "its folder";

    if (!file && !folder)
        return TCF_OK;
    if (strict)
        return error_fail("%s %s, which --strict refuses", which, file ? file : folder);
    error_log(TCF_LOG_WARNING, "the plugin '%s' runs with your rights, and %s %s", c->path, which,
              file ? file : folder);
    return TCF_OK;
}

static tcf_status open_file(loader *l, candidate *c)
{
    c->opened = 1;
    errno = 0;
    contents has = check_others(c) == TCF_OK ? open_plugin(l, c->path) : (contents){0};
    const char *name = name_of(has);
    const int error = errno; /* the linker sets it, and malloc() */
    if (!name && error == ENOMEM)
        return error_fail("out of memory for the plugin '%s'", c->path);
    if (!name && tcf_error_is_passing(error))
        return error_fail("the plugin '%s': %s", c->path, error_text());
    if (name && !l->any_name && strcmp(name, c->name) != 0) {
        const char *what = has.filter ? "filter" : "reader";
        error_fail("its %s is called '%s'; a %s lies in a file of its name, %s.so", what, name, what, name);
        has = (contents){0};
    }
    return enter(l, c->path, c->name, has);
}

static int searched_before(const loader *l, const struct stat *st)
{
    for (size_t i = 0; i < l->n_folders; i++) {
        const loader_folder *before = &l->folders[i];
        if (before->exists && before->device == st->st_dev && before->inode == st->st_ino)
            return 1;
    }
    return 0;
}

static tcf_status add_files(loader *l, loader_folder *folder)
{
    struct dirent **files = NULL;
    tcf_status status = TCF_OK;
    int n = scandir(folder->path, &files, NULL, by_name);

    if (n < 0 && tcf_error_is_passing(errno))
        return fail_at(folder->path, errno);
    if (n < 0) {
        error_fail("folder cannot be read: %s", strerror(errno));
        folder->problem = keep(l, error_text());
        error_clear();
        return folder->problem ? TCF_OK : error_fail("out of memory");
    }
    for (int i = 0; i < n; i++) {
        const char *name = files[i]->d_name;
        if (is_plugin_name(name)) {
            folder->files++;
            if (status == TCF_OK)
                status = add_file(l, folder, name);
        } else if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            folder->others++;
        }
        free(files[i]);
    }
    free(files);
    return status;
}

static tcf_status add_folder(loader *l, const char *path, const char *named_by)
{
    struct stat st = {0};
    int exists = stat(path, &st) == 0, again = exists && searched_before(l, &st);

    if (!exists && tcf_error_is_passing(errno))
        return fail_at(path, errno);
    loader_folder *grown = realloc(l->folders, (l->n_folders + 1) * sizeof *grown);
    if (!grown)
        return error_fail("out of memory");
    l->folders = grown;
    loader_folder *folder = &grown[l->n_folders++];
    *folder = (loader_folder){.path = path,
                              .named_by = named_by,
                              .again = again,
                              .exists = exists,
                              .device = st.st_dev,
                              .inode = st.st_ino};
    return again ? TCF_OK : add_files(l, folder);
}

static tcf_status add_path(loader *l, const char *path, const char *named_by)
{
    tcf_status status = TCF_OK;

    for (const char *p = path ? path : ""; status == TCF_OK && *p; p += *p == ':') {
        size_t n = strcspn(p, ":");
        char *folder = n ? store_text(&l->storage, p, n) : NULL;
        if (folder)
            status = add_folder(l, folder, named_by);
        else if (n)
            status = error_fail("out of memory");
        p += n;
    }
    return status;
}

static tcf_status add_builtin(loader *l, const tcf_filter *f)
{
    int good = plugin_check_head(&l->abi, &plugin_filters, &f->head, 0) == TCF_OK && plugin_check_filter(f) == TCF_OK;
    return enter(l, "(built in)", f->name ? f->name : "", (contents){good ? f : NULL, NULL});
}

/* ------------------------------------------------------------------------------------------------- where to look -- */

static tcf_status add_build_tree(loader *l, const char *tree)
{
    char path[PATH_BYTES];
    struct dirent **folders = NULL;
    struct stat st;
    tcf_status status = TCF_OK;

    snprintf(path, sizeof path, "%s/plugins", tree);
    const int n = scandir(path, &folders, NULL, by_name); /* glibc's glob() crashes where memory is out */
    if (n < 0 && tcf_error_is_passing(errno))
        return fail_at(path, errno);
    for (int i = 0; i < n; i++) {
        const int bytes = snprintf(path, sizeof path, "%s/plugins/%s/.libs", tree, folders[i]->d_name);
        if (status == TCF_OK && bytes > 0 && (size_t)bytes < sizeof path && *folders[i]->d_name != '.') {
            if (stat(path, &st) == 0)
                status = add_path(l, path, LOADER_BUILD_TREE);
            else if (tcf_error_is_passing(errno))
                status = fail_at(path, errno);
        }
        free(folders[i]);
    }
    free(folders);
    return status;
}

/* All places, in the order of the search. */
static tcf_status add_places(loader *l, const char *command_line, const char *ini)
{
    if (paths_locate() != TCF_OK || add_path(l, command_line, LOADER_COMMAND_LINE) != TCF_OK ||
        add_path(l, getenv("TCFLOW_PLUGIN_PATH"), LOADER_ENVIRONMENT) != TCF_OK ||
        add_path(l, ini, LOADER_INI) != TCF_OK)
        return TCF_ERROR;
    const char *tree = paths_build_tree();
    char moved[PATHS_BYTES];
    return tree ? add_build_tree(l, tree) : add_path(l, paths_installed(TCFLOW_PLUGIN_DIR, moved), LOADER_INSTALLED);
}

static loader *start(const tcf_filter *const *builtin, const loader_abi *abi)
{
    loader *l = calloc(1, sizeof *l);
    tcf_status status = l ? start_libltdl() : error_fail("out of memory");

    if (l)
        l->abi = *abi;
    for (size_t i = 0; status == TCF_OK && builtin && builtin[i]; i++)
        status = add_builtin(l, builtin[i]);
    if (status == TCF_OK)
        return l;
    loader_delete(l);
    return NULL;
}

static loader *finish(loader *l, tcf_status status)
{
    if (l && status == TCF_OK)
        return l;
    error_while("looking for plugins");
    loader_delete(l);
    return NULL;
}

loader *loader_new(const char *command_line, const char *ini, const tcf_filter *const *builtin)
{
    loader *l = start(builtin, &loader_abi_current);
    return finish(l, l ? add_places(l, command_line, ini) : TCF_ERROR);
}

loader *loader_new_for(const char *search_path, const tcf_filter *const *builtin, const loader_abi *abi)
{
    loader *l = start(builtin, abi);

    if (l)
        l->any_name = 1;
    l = finish(l, l ? add_path(l, search_path, LOADER_COMMAND_LINE) : TCF_ERROR);
    return finish(l, l ? loader_open_all(l) : TCF_ERROR);
}

static tcf_status open_all(loader *l, int but_ini)
{
    tcf_status status = TCF_OK;

    for (size_t i = 0; i < l->n_files && status == TCF_OK; i++)
        if (!l->files[i].opened && !(but_ini && l->files[i].in_ini))
            status = open_file(l, &l->files[i]);
    return status;
}

tcf_status loader_open_all(loader *l)
{
    return open_all(l, 0);
}

tcf_status loader_open_but_ini(loader *l)
{
    return open_all(l, 1);
}

tcf_status loader_check_folders(const loader *l)
{
    for (size_t i = 0; i < l->n_folders; i++) {
        const loader_folder *f = &l->folders[i];
        int in_ini = strcmp(f->named_by, LOADER_INI) == 0;
        if (f->problem && (in_ini || strcmp(f->named_by, LOADER_COMMAND_LINE) == 0))
            return error_usage("%s%s %s: %s", f->named_by, in_ini ? " =" : "", f->path, f->problem);
    }
    return TCF_OK;
}

void loader_delete(loader *l)
{
    if (!l)
        return;
    free(l->plugins);
    free(l->files);
    free(l->folders);
    store_free(l->storage);
    free(l);
}

const plugin *loader_plugins(const loader *l, size_t *n)
{
    *n = l->n_plugins;
    return l->plugins;
}

const loader_folder *loader_folders(const loader *l, size_t *n)
{
    *n = l->n_folders;
    return l->folders;
}

/* Opens the files of this name in the order of the search, up to the first that has the plugin. */
const plugin *loader_named(loader *l, const char *name)
{
    const plugin *p = loaded(l, name);

    for (size_t i = 0; i < l->n_files && !p; i++) {
        if (l->files[i].opened || strcmp(l->files[i].name, name) != 0)
            continue;
        if (open_file(l, &l->files[i]) != TCF_OK)
            return NULL;
        p = loaded(l, name);
    }
    return p;
}

/* Fails: there is no filter, or reader, of this name. */
static void not_found(const loader *l, const char *name, int is_filter)
{
    enum { MOST = 256 };
    const char *known[MOST] = {NULL}, *what = is_filter ? "filter" : "reader";
    size_t n = 0;
    const plugin *other = loaded(l, name);

    for (size_t i = 0; i < l->n_plugins; i++) {
        const plugin *p = &l->plugins[i];
        if (p->reason && strcmp(p->name, name) == 0) {
            error_usage("%s '%s': %s was refused: %s", what, name, p->path, p->reason);
            return;
        }
        if ((is_filter ? p->filter != NULL : p->source != NULL) && n < MOST)
            known[n++] = p->name;
    }
    for (size_t i = 0; i < l->n_files && n < MOST; i++)
        if (!l->files[i].opened)
            known[n++] = l->files[i].name;
    const char *near = nearest_name(name, known, n);
    const loader_folder *last = l->n_folders > 0 ? &l->folders[l->n_folders - 1] : NULL;
    if (n == 0 && last && last->problem) {
        error_usage(
            "there is no %s '%s', and none at all: %s: %s; --plugin-path or TCFLOW_PLUGIN_PATH name the folder in "
            "which they are",
            what, name, last->path, last->problem);
        return;
    }
    error_usage("there is no %s '%s'%s%s%s (tcflow --list-%s shows what was found, and where)", what, name,
                other  ? ", but a "
                : near ? "; did you mean '"
                       : "",
                other  ? (other->filter ? "filter of this name" : "reader of this name")
                : near ? near
                       : "",
                near && !other ? "'?" : "", is_filter ? "filters" : "sources");
}

/* As loader_named(), and records why there is none; where the plugin is open already, a failure of the run stays. */
static const plugin *find(loader *l, const char *name, int is_filter)
{
    const plugin *p = loaded(l, name);

    if (!p) {
        error_clear();
        p = loader_named(l, name);
    }
    if (p ? (is_filter ? !p->filter : !p->source) : !*error_text())
        not_found(l, name, is_filter);
    return p;
}

const tcf_filter *loader_find(loader *l, const char *name)
{
    const plugin *p = find(l, name, 1);
    return p ? p->filter : NULL;
}

const tcf_source *loader_find_source(loader *l, const char *name)
{
    const plugin *p = find(l, name, 0);
    return p ? p->source : NULL;
}
