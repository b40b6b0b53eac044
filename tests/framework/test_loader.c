/* The loader: every way in which a plugin can be bad is told with its true reason, and the good ones are found. The
 * plugins are built here, from bad_plugin.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../framework/describe.h"
#include "../../framework/error.h"
#include "../../framework/loader.h"
#include "../../framework/settings.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static char root[64];

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...)
{
    char command[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static const char *source_tree(void)
{
    const char *tree = getenv("top_srcdir");
    return tree ? tree : ".";
}

static const char *compiler(void)
{
    const char *cc = getenv("CC");
    return cc && *cc ? cc : "cc";
}

/* Builds root/FOLDER/FILE.so; `variant` are the -D of bad_plugin.c. */
static void build(const char *folder, const char *file, const char *variant)
{
    shell("mkdir -p %s/%s && %s -std=gnu11 -fPIC -shared -I'%s/include' %s -o %s/%s/%s.so "
          "'%s/tests/framework/bad_plugin.c'",
          root, folder, compiler(), source_tree(), variant, root, folder, file, source_tree());
}

static int set_up(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/tcflow-loader.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    shell("chmod -R u+rwx %s && rm -rf %s", root, root);
    return 0;
}

static loader *load(const char *folders)
{
    char path[1024];
    size_t n = 0;
    /* every word of `folders` below root */
    while (*folders) {
        size_t word = strcspn(folders, " ");
        n += (size_t)snprintf(path + n, sizeof path - n, "%s%s/%.*s", n ? ":" : "", root, (int)word, folders);
        folders += word + (folders[word] == ' ');
    }
    path[n] = '\0';
    loader *l = loader_new(path, NULL);
    assert_non_null(l);
    return l;
}

static const plugin *entry(const loader *l, const char *file)
{
    size_t n;
    const plugin *p = loader_plugins(l, &n);
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, file);
    for (size_t i = 0; i < n; i++)
        if (strcmp(p[i].path, path) == 0)
            return &p[i];
    fail_msg("%s is not in the list", file);
    return NULL;
}

static void assert_refused(const loader *l, const char *file, const char *reason)
{
    const plugin *p = entry(l, file);
    if (p->filter)
        fail_msg("%s was taken", file);
    if (!strstr(p->reason, reason))
        fail_msg("%s\n     got <%s>\nexpected <%s>", file, p->reason, reason);
}

/* ------------------------------------------------------------------------------------------------------- tests -- */

static void good_plugin(void **state)
{
    (void)state;
    build("good", "whatever", "");
    loader *l = load("good");
    size_t n;
    loader_plugins(l, &n);
    assert_int_equal(n, 1);
    assert_null(entry(l, "good/whatever.so")->reason);
    const tcf_filter *f = loader_find(l, "good");
    assert_non_null(f);
    assert_string_equal(f->name, "good");
    assert_null(loader_find(l, "whatever"));
    assert_true(error_is_usage());
    assert_null(loader_find(l, "godo"));
    assert_string_equal(error_text(), "there is no filter `godo`; did you mean `good`? (tcflow --list-filters shows "
                                      "what was found, and where)");
    loader_delete(l);
    assert_string_equal(f->name, "good"); /* nothing is unloaded */
}

static void each_refusal(void **state)
{
    static const struct {
        const char *file, *variant, *reason;
    } bad[] = {
        {"magic", "-DWRONG_MAGIC", "is no filter: magic number 0x12345678, expected 0x57464354"},
        {"major", "-DOTHER_MAJOR", "built for plugin interface 2.1, but this tcflow has 1.1 (the major version"},
        {"minor", "-DNEWER_MINOR=7", "built for plugin interface 1.7, but this tcflow has 1.1 (a newer minor version"},
        {"larger", "-D'SIZE=sizeof(tcf_filter)+8'", "says that its filter struct of interface 1.1 has "},
        {"smaller", "-D'SIZE=sizeof(tcf_filter)-8'", "says that its filter struct of interface 1.1 has "},
        {"zero", "-DSIZE=0", "has 0 bytes, but it must have "},
        {"short", "-DSHORT", "its filter struct has 16 bytes, but says "},
        {"symbol", "-DNO_SYMBOL", "is no tcflow plugin: "},
        {"function", "-DFUNCTION", "its symbol tcflow_filter is a function; expected a struct"},
        {"number", "-DNUMBER", "its symbol tcflow_filter"},
        {"text", "-DTEXT", "its symbol tcflow_filter is no filter: magic number 0x66206f6e"},
        {"undefined", "-DUNDEFINED", "undefined symbol: tcflow_test_no_such_function"},
        {"lazy", "-DUNDEFINED_LAZY -Wl,-z,lazy", "undefined symbol: tcflow_test_no_such_function"},
        {"callback", "-DNO_CALLBACK", "it has neither; expected exactly one of slice() and span()"},
        {"both", "-DBOTH_CALLBACKS", "it has both; expected exactly one of slice() and span()"},
        {"version", "-DNO_VERSION", "it has no version"},
        {"holds", "-DNEEDS=TCF_HOLDS", "it holds slices (TCF_HOLDS), but has no flush()"},
        {"needs", "-DNEEDS=0x80000000u", "it needs what this tcflow does not know (0x80000000)"},
        {"writes", "-DWRITES=0x100u", "it writes columns that this tcflow does not know (0x100)"},
        {"name", "-DNAME='\"No-Name\"'", "its name is 'No-Name'; expected a-z, 0-9 and _"},
        {"unnamed", "-DNAME=0", "its name is missing; expected"},
        {"reservedname", "-DNAME='\"pipeline\"'", "a filter cannot have the name of the section [pipeline]"},
        {"parameter", "-DBAD_PARAMETER", "parameter `n` lies outside of the conf struct (8 bytes at 4096 of 8)"},
        {"reserved", "-DRESERVED_PARAMETER -DNEEDS=TCF_REPORTS", "parameter `output`: the framework itself uses this"},
        {"column", "-DBAD_COLUMN", "it provides a column `x` of 0 bytes"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++)
        build("bad", bad[i].file, bad[i].variant);
    loader *l = load("bad");
    size_t n;
    loader_plugins(l, &n);
    assert_int_equal(n, COUNT(bad));
    for (size_t i = 0; i < COUNT(bad); i++) {
        char file[64];
        snprintf(file, sizeof file, "bad/%s.so", bad[i].file);
        assert_refused(l, file, bad[i].reason);
        assert_null(loader_find(l, bad[i].file));
        assert_true(strstr(error_text(), "was refused: ") != NULL && error_is_usage());
    }
    loader_delete(l);
}

static void no_plugins_at_all(void **state)
{
    (void)state;
    shell("mkdir %s/odd && cd %s/odd && echo text >text.so && : >empty.so && mkdir folder.so && mkfifo pipe.so && "
          "ln -s nowhere dangling.so && echo x >README && echo x >.hidden.so && echo x >x.la && echo x >x.so.1 && "
          "printf '\\177ELF' >elf.so",
          root, root);
    loader *l = load("odd");
    size_t n;
    loader_plugins(l, &n);
    assert_int_equal(n, 6);
    assert_refused(l, "odd/text.so", "cannot be opened: ");
    assert_true(strstr(entry(l, "odd/text.so")->reason, "file too short") ||
                strstr(entry(l, "odd/text.so")->reason, "invalid ELF header"));
    assert_refused(l, "odd/empty.so", "file too short");
    assert_refused(l, "odd/elf.so", "file too short");
    assert_refused(l, "odd/folder.so", "is no regular file");
    assert_refused(l, "odd/pipe.so", "is no regular file");
    assert_refused(l, "odd/dangling.so", "cannot be opened: No such file or directory");
    loader_delete(l);
    shell("head -c 2000 /dev/zero | tr '\\0' x >%s/odd/text.so", root);
    l = load("odd");
    assert_refused(l, "odd/text.so", "invalid ELF header");
    loader_delete(l);
}

static void unreadable(void **state)
{
    (void)state;
    build("closed", "good", "-DNAME='\"closed\"'");
    loader *l = load("closed none");
    assert_refused(l, "none", "folder cannot be read: No such file or directory");
    loader_delete(l);
    shell("echo >%s/file", root);
    l = load("file");
    assert_refused(l, "file", "folder cannot be read: Not a directory");
    size_t n;
    const loader_folder *folder = loader_folders(l, &n);
    assert_int_equal(n, 1);
    assert_non_null(folder[0].problem);
    loader_delete(l);
    if (geteuid() == 0)
        return;                                       /* root reads everything */
    build("closed", "secret", "-DNAME='\"secret\"'"); /* not opened so far, or libltdl would remember it */
    shell("chmod 0 %s/closed/secret.so", root);
    l = load("closed");
    assert_refused(l, "closed/secret.so", "Permission denied");
    loader_delete(l);
    shell("chmod 0 %s/closed", root);
    l = load("closed");
    assert_refused(l, "closed", "folder cannot be read: Permission denied");
    loader_delete(l);
}

static void missing_library(void **state)
{
    (void)state;
    /* A plugin whose library went away, and one that would borrow the symbol of a library. */
    build("needs", "libtwin", "-DNAME='\"twin\"'");
    shell("cd %s/needs && mv libtwin.so libgone.so && cp libgone.so libtwin.so && echo 'int x;' >x.c && "
          "%s -shared -fPIC -Wl,--no-as-needed,-rpath,%s/needs -o borrows.so x.c -L. -ltwin && "
          "%s -shared -fPIC -Wl,--no-as-needed -o lost.so x.c -L. -lgone && rm libgone.so x.c",
          root, compiler(), root, compiler());
    loader *l = load("needs");
    assert_refused(l, "needs/borrows.so", "is no tcflow plugin: the symbol belongs to a library that the file needs");
    assert_refused(l, "needs/lost.so", "libgone.so: cannot open shared object file");
    assert_non_null(loader_find(l, "twin"));
    loader_delete(l);
}

static void twins(void **state)
{
    char reason[256];
    (void)state;
    build("first", "a", "-DNAME='\"same\"'");
    build("first", "b", "-DNAME='\"same\"' -DNO_VERSION");
    build("second", "c", "-DNAME='\"same\"'");
    build("second", "d", "-DNAME='\"other\"'");
    loader *l = load("first second first");
    size_t n;
    loader_plugins(l, &n);
    assert_int_equal(n, 4); /* a folder that is named twice is searched once */
    loader_folders(l, &n);
    assert_int_equal(n, 2);
    snprintf(reason, sizeof reason, "a filter `same` was found before, in %s/first/a.so", root);
    assert_refused(l, "second/c.so", reason);
    assert_ptr_equal(loader_find(l, "same"), entry(l, "first/a.so")->filter);
    assert_non_null(loader_find(l, "other"));
    loader_delete(l);
    l = load("second first");
    assert_ptr_equal(loader_find(l, "same"), entry(l, "second/c.so")->filter);
    loader_delete(l);
}

/* A framework of interface 1.2 that has added the last member, and plugins built for 1.1 and 1.2. */
static void older_interface(void **state)
{
    const loader_abi newer = {TCF_ABI_MAJOR, TCF_ABI_MINOR + 1, sizeof(tcf_filter), offsetof(tcf_filter, heartbeat)};
    char path[256];
    (void)state;
    build("older", "old", "-DNAME='\"old\"' -DSIZE='offsetof(tcf_filter,heartbeat)' -DGARBAGE_AT_END");
    build("older", "tooshort", "-DNAME='\"tooshort\"' -DSIZE='offsetof(tcf_filter,heartbeat)-8'");
    build("older", "toolong", "-DNAME='\"toolong\"' -DSIZE='sizeof(tcf_filter)+8'");
    build("older", "same", "-DNAME='\"same\"' -DNEWER_MINOR=2 -DGARBAGE_AT_END");
    build("older", "future", "-DNAME='\"future\"' -DNEWER_MINOR=3");
    snprintf(path, sizeof path, "%s/older", root);
    loader *l = loader_new_for(path, NULL, &newer);
    assert_non_null(l);
    const tcf_filter *old = loader_find(l, "old"), *same = loader_find(l, "same");
    assert_non_null(old);
    assert_non_null(same);
    assert_true(old->heartbeat == NULL);
    assert_true(old->slice != NULL);
    assert_string_equal(old->summary, "A filter for tests");
    assert_true(same->heartbeat != NULL);
    assert_refused(l, "older/tooshort.so", "says that its filter struct of interface 1.1 has");
    assert_refused(l, "older/toolong.so", "says that its filter struct of interface 1.1 has");
    assert_refused(l, "older/future.so", "built for plugin interface 1.3, but this tcflow has 1.2");
    loader_delete(l);
}

static tcf_status nothing(tcf_self *self, tcf_slice *s)
{
    (void)self;
    (void)s;
    return TCF_OK;
}

static void builtins(void **state)
{
    static const tcf_filter inside = {TCF_FILTER_HEAD, .name = "good", .version = "2", .summary = "x",
                                      .slice = nothing};
    static const tcf_filter wrong = {TCF_FILTER_HEAD, .name = "wrong", .version = "2", .summary = "x"};
    static const tcf_filter *const all[] = {&inside, &wrong, NULL};
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s/good", root);
    loader *l = loader_new(path, all);
    assert_ptr_equal(loader_find(l, "good"), &inside);
    assert_null(loader_find(l, "wrong"));
    assert_refused(l, "good/whatever.so", "a filter `good` was found before, in (built in)");
    loader_delete(l);
    l = loader_new("", NULL);
    size_t n;
    loader_plugins(l, &n);
    assert_int_equal(n, 0);
    assert_null(loader_find(l, "good"));
    loader_delete(l);
    l = loader_new(NULL, all);
    assert_non_null(loader_find(l, "good"));
    loader_delete(l);
}

static void search_order(void **state)
{
    (void)state;
    setenv("TCFLOW_PLUGIN_PATH", "b:c", 1);
    char *path = loader_search_path("a", "d");
    assert_memory_equal(path, "a:b:c:d:", 8);
    free(path);
    path = loader_search_path(NULL, NULL);
    assert_memory_equal(path, "b:c:", 4);
    free(path);
    unsetenv("TCFLOW_PLUGIN_PATH");
    path = loader_search_path("", "");
    assert_true(path[0] != ':');
    free(path);
    setenv("TCFLOW_FILTERS_D", "x/y", 1);
    assert_string_equal(loader_filters_d(), "x/y");
    unsetenv("TCFLOW_FILTERS_D");
    assert_true(strstr(loader_filters_d(), "filters.d") != NULL);
}

/* The list says all of it, and the INI stanza that --describe gives can be read back. */
static void told(void **state)
{
    static char text[65536];
    char ini[256];
    (void)state;
    loader *l = load("good bad first second none");
    FILE *out = tmpfile();
    assert_non_null(out);
    describe_list(out, l);
    describe_list_json(out, l);
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    fclose(out);
    assert_true(strstr(text, "magic number 0x12345678") != NULL);
    assert_true(strstr(text, "/none  folder cannot be read: No such file or directory") != NULL);
    assert_true(strstr(text, "built for plugin interface 2.1, but this tcflow has 1.1") != NULL);
    assert_true(strstr(text, "\"name\": \"good\", \"version\": \"1.0\"") != NULL);

    snprintf(ini, sizeof ini, "%s/good.ini", root);
    out = fopen(ini, "w");
    assert_non_null(out);
    describe_ini(out, loader_find(l, "good"));
    assert_int_equal(fclose(out), 0);
    settings *s = settings_load(ini, NULL, 0);
    assert_non_null(s);
    assert_string_equal(settings_find(s, "good")->entries[0].value, "1");
    settings_free(s);
    loader_delete(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_plugin),       cmocka_unit_test(each_refusal),
        cmocka_unit_test(no_plugins_at_all), cmocka_unit_test(unreadable),
        cmocka_unit_test(missing_library),   cmocka_unit_test(twins),
        cmocka_unit_test(older_interface),   cmocka_unit_test(builtins),
        cmocka_unit_test(search_order),      cmocka_unit_test(told),
    };
    return cmocka_run_group_tests_name("loader", tests, set_up, tear_down);
}
