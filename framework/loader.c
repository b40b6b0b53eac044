/* Plugins: found in folders, opened, checked, listed. The only file that knows libltdl.
 *
 * libltdl opens lazily, so that an undefined symbol would stop the run in its middle, and replaces dlopen()'s error
 * text by "file not found". So its own loaders are taken out and one of ours goes in, with RTLD_NOW | RTLD_LOCAL and
 * the text that dlerror() gave. Nothing is ever unloaded: a filter's code may be referred to until the process ends.
 *
 * Of a plugin's symbol magic, ABI and size are checked before anything else is read; whatever is wrong with a file
 * becomes its reason in the list, never an error of the run.
 *
 * Copyright (c) 2026 the tcflow authors. BSD-3-Clause, see COPYING.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr1() */
#endif
#include "loader.h"
#include "error.h"
#include "report.h"
#include "settings.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <link.h>
#include <ltdl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, HEAD_BYTES = offsetof(tcf_filter, name) };

struct loader {
    loader_abi abi;
    plugin *plugins;
    size_t n_plugins;
    loader_folder *folders;
    size_t n_folders;
    settings_storage *storage; /* of all strings and copied filters */
};

const loader_abi loader_abi_current = {TCF_ABI_MAJOR, TCF_ABI_MINOR, sizeof(tcf_filter),
                                       offsetof(tcf_filter, fini) + sizeof(void (*)(void))};

/* ------------------------------------------------------------------------------------------------------ libltdl -- */

/* What dlerror() said last; one for the process, as libltdl itself is. */
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

/* Only the module's own symbol counts, not one of a library that it needs. */
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
        return tcf_fail("libltdl cannot be initialised: %s", lt_dlerror());
    if (lt_dlloader_find(bind_now.name))
        return TCF_OK;
    /* libltdl tries one loader after the other, so a lazy one behind ours would open what ours refused. lt_preopen
     * serves modules that were linked into the program, of which there are none; it can't be removed. */
    for (lt_dlloader place = lt_dlloader_next(NULL), next; place; place = next) {
        const char *name = lt_dlloader_get(place)->name;
        next = lt_dlloader_next(place);
        if (strcmp(name, "lt_preopen") == 0)
            continue;
        lt_dlvtable *removed = lt_dlloader_remove(name);
        if (!removed)
            return tcf_fail("libltdl does not give up its loader %s: %s", name, lt_dlerror());
        free(removed); /* it is the caller's */
    }
    if (lt_dlloader_add(&bind_now) != 0)
        return tcf_fail("libltdl does not take our loader: %s", lt_dlerror());
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------- checks of a filter -- */

/* Bytes of the symbol as the file states them, and is it data? 0 bytes: unknown. */
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

static tcf_status check_head(const loader_abi *abi, const tcf_filter *f, size_t known_bytes)
{
    if (known_bytes && known_bytes < HEAD_BYTES)
        return tcf_fail("its symbol " TCF_FILTER_SYMBOL " has %zu bytes, which cannot be a filter", known_bytes);
    if (f->magic != TCF_MAGIC)
        return tcf_fail("its symbol " TCF_FILTER_SYMBOL " is no filter: magic number 0x%08x, expected 0x%08x", f->magic,
                        TCF_MAGIC);
    if (f->abi_major != abi->major || f->abi_minor > abi->minor)
        return tcf_fail("built for plugin interface %u.%u, but this tcflow has %u.%u%s", f->abi_major, f->abi_minor,
                        abi->major, abi->minor,
                        f->abi_major != abi->major ? " (the major version must be the same)"
                                                   : " (a newer minor version cannot be used)");
    if (f->abi_minor == abi->minor ? f->size != abi->size : f->size < abi->first_size || f->size > abi->size)
        return tcf_fail("says that its filter struct of interface %u.%u has %u bytes, but it must have %s%u",
                        f->abi_major, f->abi_minor, f->size, f->abi_minor == abi->minor ? "" : "at least ",
                        f->abi_minor == abi->minor || f->size > abi->size ? abi->size : abi->first_size);
    if (known_bytes && known_bytes < f->size)
        return tcf_fail("its filter struct has %zu bytes, but says %u", known_bytes, f->size);
    return TCF_OK;
}

static tcf_status check_columns(const tcf_named_column *columns, const char *what)
{
    for (const tcf_named_column *c = columns; c && c->name; c++)
        if (!valid_name(c->name, 1) || c->bytes == 0)
            return tcf_fail("%s a column `%s` of %u bytes: expected a name of a-z, 0-9 and _, and bytes", what, c->name,
                            c->bytes);
    return TCF_OK;
}

static tcf_status check_filter(const tcf_filter *f)
{
    static const uint32_t all_needs = 2 * TCF_LIVE - 1,
                          all_writes = TCF_TIME | TCF_KIND | TCF_REC | TCF_ATTR | TCF_LATER | TCF_CLOCK;
    const char *reserved[8] = {"filter"};

    if (!f->name || !valid_name(f->name, 1))
        return tcf_fail("its name is %s%s%s; expected a-z, 0-9 and _", f->name ? "'" : "",
                        f->name ? f->name : "missing", f->name ? "'" : "");
    if (strlen(f->name) > 48)
        return tcf_fail("its name has more than 48 letters");
    if (strcmp(f->name, "pipeline") == 0)
        return tcf_fail("a filter cannot have the name of the section [pipeline]");
    if (!f->version || !*f->version || !f->summary || !*f->summary)
        return tcf_fail("it has no %s", f->version && *f->version ? "summary" : "version");
    if (!f->slice == !f->span)
        return tcf_fail("it has %s; expected exactly one of slice() and span()", f->slice ? "both" : "neither");
    if ((f->needs & TCF_FOLLOWS) && !f->span)
        return tcf_fail("it asks for locations that follow (TCF_FOLLOWS), which is for filters with span(), not slice()");
    if (f->arrive && !f->span)
        return tcf_fail("it has arrive(), which belongs to span()");
    if ((f->needs & TCF_ANSWERS) && f->span)
        return tcf_fail("it asks for answers (TCF_ANSWERS), which is for filters with slice(), not span()");
    if ((f->needs & TCF_HOLDS) && !f->flush)
        return tcf_fail("it holds slices (TCF_HOLDS), but has no flush()");
    if (f->needs & ~all_needs)
        return tcf_fail("it needs what this tcflow does not know (0x%x)", f->needs & ~all_needs);
    if (f->numbers > 4)
        return tcf_fail("it publishes %u numbers at a source, but 4 is the most", f->numbers);
    if (f->writes & ~all_writes)
        return tcf_fail("it writes columns that this tcflow does not know (0x%x)", f->writes & ~all_writes);
    if (check_columns(f->provides, "it provides") != TCF_OK || check_columns(f->requires, "it requires") != TCF_OK)
        return TCF_ERROR;
    if (f->needs & TCF_REPORTS)
        for (size_t i = 0; i < params_count(report_params) && i < 6; i++)
            reserved[i + 1] = report_params[i].key;
    return params_check(f->params, f->conf_size, reserved);
}

/* The filter behind a plugin's symbol, full-sized; NULL: see the cause. */
static const tcf_filter *accept_filter(loader *l, const void *symbol)
{
    const tcf_filter *f = symbol;
    int is_data;
    size_t bytes = symbol_bytes(symbol, &is_data);

    if (!is_data) {
        tcf_fail("its symbol " TCF_FILTER_SYMBOL " is a function; expected a struct");
        return NULL;
    }
    if ((uintptr_t)symbol % _Alignof(tcf_filter)) {
        tcf_fail("its symbol " TCF_FILTER_SYMBOL " is no filter: it lies at an odd address");
        return NULL;
    }
    if (check_head(&l->abi, f, bytes) != TCF_OK)
        return NULL;
    if (f->size < sizeof(tcf_filter)) {
        static const char zeros[sizeof(tcf_filter)];
        char *copy = settings_keep(&l->storage, zeros, sizeof zeros);
        if (!copy) {
            tcf_fail("out of memory");
            return NULL;
        }
        memcpy(copy, symbol, f->size);
        f = (const tcf_filter *)(const void *)copy;
    }
    return check_filter(f) == TCF_OK ? f : NULL;
}

/* ----------------------------------------------------------------------------------------------------- the list -- */

static char *keep(loader *l, const char *text)
{
    return settings_keep(&l->storage, text, strlen(text));
}

/* The reason is that of the recorded failure when `filter` is NULL. */
static tcf_status list(loader *l, const char *path, const char *name, const tcf_filter *filter)
{
    plugin *grown = realloc(l->plugins, (l->n_plugins + 1) * sizeof *grown);
    if (!grown)
        return tcf_fail("out of memory");
    l->plugins = grown;
    plugin *p = &grown[l->n_plugins];
    *p = (plugin){.path = keep(l, path), .name = keep(l, name), .filter = filter};
    if (!filter)
        p->reason = keep(l, error_text());
    error_clear();
    if (!p->path || !p->name || (!filter && !p->reason))
        return tcf_fail("out of memory");
    l->n_plugins++;
    return TCF_OK;
}

static const plugin *loaded(const loader *l, const char *name)
{
    for (size_t i = 0; i < l->n_plugins; i++)
        if (l->plugins[i].filter && strcmp(l->plugins[i].filter->name, name) == 0)
            return &l->plugins[i];
    return NULL;
}

static const tcf_filter *refuse_twin(const loader *l, const tcf_filter *f)
{
    const plugin *first = f ? loaded(l, f->name) : NULL;
    if (!first)
        return f;
    tcf_fail("a filter `%s` was found before, in %s", f->name, first->path);
    return NULL;
}

/* Opens one file; NULL: see the cause. */
static const tcf_filter *open_filter(loader *l, const char *path)
{
    struct stat st;

    /* dlopen() would wait for the other end of a named pipe. */
    if (stat(path, &st) != 0) {
        tcf_fail("cannot be opened: %s", strerror(errno));
        return NULL;
    }
    if (!S_ISREG(st.st_mode)) {
        tcf_fail("is no regular file");
        return NULL;
    }
    open_error.text[0] = '\0';
    lt_dlhandle handle = lt_dlopen(path);
    if (!handle) {
        const char *text = lt_dlerror();
        tcf_fail("cannot be opened: %s", open_error.text[0] ? open_error.text : text);
        return NULL;
    }
    lt_dlmakeresident(handle);
    const void *symbol = lt_dlsym(handle, TCF_FILTER_SYMBOL);
    if (!symbol) {
        tcf_fail("is no tcflow plugin: %s", open_error.text);
        return NULL;
    }
    return accept_filter(l, symbol);
}

static int has_suffix(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 3 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 3, ".so") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static tcf_status add_file(loader *l, const char *folder, const char *file)
{
    char path[PATH_BYTES], name[PATH_BYTES];
    const tcf_filter *f = NULL;

    int n = snprintf(path, sizeof path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", file);
    if (n < 0 || (size_t)n >= sizeof path)
        tcf_fail("its path is too long");
    else
        f = refuse_twin(l, open_filter(l, path));
    snprintf(name, sizeof name, "%.*s", (int)strlen(file) - 3, file);
    return list(l, path, f ? f->name : name, f);
}

static int searched_before(const loader *l, const char *folder)
{
    struct stat a, b;
    if (stat(folder, &a) != 0)
        return 0;
    for (size_t i = 0; i < l->n_folders; i++)
        if (stat(l->folders[i].path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
            return 1;
    return 0;
}

static tcf_status add_folder(loader *l, const char *path)
{
    struct dirent **files = NULL;
    tcf_status status = TCF_OK;

    if (searched_before(l, path))
        return TCF_OK;
    loader_folder *grown = realloc(l->folders, (l->n_folders + 1) * sizeof *grown);
    if (!grown)
        return tcf_fail("out of memory");
    l->folders = grown;
    loader_folder *folder = &grown[l->n_folders];
    *folder = (loader_folder){.path = keep(l, path)};
    if (!folder->path)
        return tcf_fail("out of memory");
    l->n_folders++;

    int n = scandir(path, &files, has_suffix, by_name);
    if (n < 0) {
        tcf_fail("folder cannot be read: %s", strerror(errno));
        folder->problem = keep(l, error_text());
        return list(l, path, "", NULL);
    }
    folder->files = (size_t)n;
    for (int i = 0; i < n; i++) {
        if (status == TCF_OK)
            status = add_file(l, path, files[i]->d_name);
        free(files[i]);
    }
    free(files);
    return status;
}

static tcf_status add_builtin(loader *l, const tcf_filter *f)
{
    const tcf_filter *good =
        check_head(&l->abi, f, 0) == TCF_OK && check_filter(f) == TCF_OK ? refuse_twin(l, f) : NULL;
    return list(l, "(built in)", f->name ? f->name : "", good);
}

loader *loader_new_for(const char *search_path, const tcf_filter *const *builtin, const loader_abi *abi)
{
    loader *l = calloc(1, sizeof *l);
    tcf_status status = l ? start_libltdl() : tcf_fail("out of memory");

    if (l)
        l->abi = *abi;
    for (size_t i = 0; status == TCF_OK && builtin && builtin[i]; i++)
        status = add_builtin(l, builtin[i]);
    for (const char *p = search_path ? search_path : ""; status == TCF_OK && *p; p += *p == ':') {
        size_t n = strcspn(p, ":");
        char *folder = n ? settings_keep(&l->storage, p, n) : NULL;
        if (folder)
            status = add_folder(l, folder);
        else if (n)
            status = tcf_fail("out of memory");
        p += n;
    }
    if (status == TCF_OK)
        return l;
    tcf_while("looking for plugins");
    loader_delete(l);
    return NULL;
}

loader *loader_new(const char *search_path, const tcf_filter *const *builtin)
{
    return loader_new_for(search_path, builtin, &loader_abi_current);
}

void loader_delete(loader *l)
{
    if (!l)
        return;
    free(l->plugins);
    free(l->folders);
    settings_release(l->storage);
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

const tcf_filter *loader_find(const loader *l, const char *name)
{
    enum { MOST = 256 };
    const char *known[MOST];
    size_t n = 0;
    const plugin *p = loaded(l, name);

    if (p)
        return p->filter;
    for (size_t i = 0; i < l->n_plugins; i++) {
        p = &l->plugins[i];
        if (!p->filter && strcmp(p->name, name) == 0) {
            tcf_usage("filter `%s`: %s was refused: %s", name, p->path, p->reason);
            return NULL;
        }
        if (p->filter && n < MOST)
            known[n++] = p->filter->name;
    }
    const char *near = nearest_name(name, known, n);
    tcf_usage("there is no filter `%s`%s%s%s (tcflow --list-filters shows what was found, and where)", name,
              near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ where to look -- */

/* The build tree when the program runs from it, else NULL. What was installed below the build tree (a prefix or
 * DESTDIR in it) lies in a folder `bin` and counts as installed. */
static const char *build_tree(void)
{
#ifdef TCFLOW_BUILD_DIR
    char exe[PATH_BYTES], tree[PATH_BYTES];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

    if (n <= 0 || !realpath(TCFLOW_BUILD_DIR, tree))
        return NULL;
    exe[n] = '\0';
    size_t length = strlen(tree);
    if (strncmp(exe, tree, length) != 0 || exe[length] != '/')
        return NULL;
    *strrchr(exe, '/') = '\0';
    const char *folder = strrchr(exe, '/');
    return folder && strcmp(folder, "/bin") == 0 ? NULL : TCFLOW_BUILD_DIR;
#else
    return NULL;
#endif
}

static void add_path(FILE *out, const char *path)
{
    if (!path || !*path)
        return;
    if (ftell(out) > 0)
        putc(':', out);
    fputs(path, out);
}

char *loader_search_path(const char *command_line, const char *ini)
{
    const char *tree = build_tree();
    char *path = NULL, pattern[PATH_BYTES];
    size_t size = 0;
    FILE *out = open_memstream(&path, &size);

    if (!out) {
        tcf_fail("out of memory");
        return NULL;
    }
    add_path(out, command_line);
    add_path(out, getenv("TCFLOW_PLUGIN_PATH"));
    add_path(out, ini);
    if (tree) {
        glob_t found = {0};
        snprintf(pattern, sizeof pattern, "%s/plugins/*/.libs", tree);
        int result = glob(pattern, 0, NULL, &found);
        for (size_t i = 0; result == 0 && i < found.gl_pathc; i++)
            add_path(out, found.gl_pathv[i]);
        globfree(&found);
    } else {
        add_path(out, TCFLOW_PLUGIN_DIR);
    }
    if (fclose(out) != 0) {
        free(path);
        tcf_fail("out of memory");
        return NULL;
    }
    return path;
}

tcf_status loader_check_folders(const loader *l, const char *path, const char *what)
{
    for (const char *p = path ? path : ""; *p; p += *p == ':') {
        size_t n = strcspn(p, ":");
        for (size_t i = 0; i < l->n_folders; i++)
            if (l->folders[i].problem && strlen(l->folders[i].path) == n && memcmp(l->folders[i].path, p, n) == 0)
                return tcf_usage("%s %s: %s", what, l->folders[i].path, l->folders[i].problem);
        p += n;
    }
    return TCF_OK;
}

const char *loader_filters_d(void)
{
    const char *given = getenv("TCFLOW_FILTERS_D");
    if (given && *given)
        return given;
#if defined TCFLOW_BUILD_DIR && defined TCFLOW_SOURCE_DIR
    if (build_tree())
        return TCFLOW_SOURCE_DIR "/filters.d";
#endif
    return TCFLOW_FILTERS_DIR;
}
