/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The loader: every way in which a plugin can be bad is reported with its true reason, and the good ones are found. The
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

#include "framework/base/error.h"
#include "framework/base/paths.h"
#include "framework/command/describe.h"
#include "framework/plugin/loader.h"
#include "framework/settings/settings.h"

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
    loader *l = loader_new_for(path, NULL, &loader_abi_current);
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

/* --------------------------------------------------------------------------------------------------------- tests -- */

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
    assert_string_equal(error_text(), "there is no filter 'godo'; did you mean 'good'? (tcflow --list-filters shows "
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
        {"major", "-DOTHER_MAJOR",
         "built for plugin interface 2.0, but this tcflow has 1.0: the major version must be the "
         "same; build it again with the headers of this tcflow"},
        {"oldmajor", "-DABI_MAJOR=0", "built for plugin interface 0.0, but this tcflow has 1.0: the major version"},
        {"minor", "-DNEWER_MINOR=7",
         "built for plugin interface 1.7, but this tcflow has 1.0: it may ask for what this "
         "tcflow lacks; update tcflow, or build it again with the headers of this one"},
        {"larger", "-D'SIZE=sizeof(tcf_filter)+8'", "says that its filter struct of interface 1.0 has "},
        {"smaller", "-D'SIZE=sizeof(tcf_filter)-8'", "says that its filter struct of interface 1.0 has "},
        {"zero", "-DSIZE=0", "has 0 bytes, but it must have "},
        {"short", "-DSHORT", "its filter struct has 20 bytes, but says "},
        {"symbol", "-DNO_SYMBOL", "undefined symbol: tcflow_filter (TCF_FILTER = { ... } in its source defines it)"},
        {"function", "-DFUNCTION", "its symbol tcflow_filter is a function; expected a struct"},
        {"number", "-DNUMBER", "its symbol tcflow_filter"},
        {"text", "-DTEXT", "its symbol tcflow_filter is no filter: magic number 0x66206f6e"},
        {"undefined", "-DUNDEFINED", "undefined symbol: tcflow_test_no_such_function"},
        {"lazy", "-DUNDEFINED_LAZY -Wl,-z,lazy", "undefined symbol: tcflow_test_no_such_function"},
        {"callback", "-DNO_CALLBACK", "it has neither; expected exactly one of slice() and span()"},
        {"both", "-DBOTH_CALLBACKS", "it has both; expected exactly one of slice() and span()"},
        {"version", "-DNO_VERSION", "it has no version"},
        {"summary", "-DSUMMARY='\"\"'", "it has no summary"},
        {"leader", "-DNEEDS=TCF_NEED_LEADER_FIRST",
         "it asks for leaders first (TCF_NEED_LEADER_FIRST), which is for filters with span(), not slice()"},
        {"arrive", "-DARRIVE", "it has arrive(), which belongs to span()"},
        {"complete", "-DCOMPLETE", "it has collective_complete(), which belongs to span()"},
        {"answer", "-DSPAN_ALONE -DCAN=TCF_CAN_ANSWER",
         "it asks for answers (TCF_CAN_ANSWER), which is for filters with slice(), not span()"},
        {"drops", "-DSPAN_ALONE -DCAN=TCF_CAN_DROP",
         "it drops, inserts or holds (TCF_CAN_DROP, _INSERT, _HOLD), which is for filters with slice(), not span()"},
        {"numbers", "-DSPAN_ALONE -DNUMBERS=5", "it publishes 5 numbers at a source, but 4 is the most"},
        {"columns", "-DREQUIRED='{0,3}'", "it requires 3 columns, which aren't there; expected TCF_ROWS(COLUMNS)"},
        {"long", "-DNAME='\"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvw\"'", "its name has more than 48 letters"},
        {"holds", "-DCAN=TCF_CAN_HOLD", "it holds slices (TCF_CAN_HOLD), but has no flush()"},
        {"pack", "-DPACK -DCAN=TCF_CAN_DOMAINS",
         "it has pack() alone; expected both or neither of pack() and absorb()"},
        {"absorb", "-DABSORB -DCAN=TCF_CAN_DOMAINS", "it has absorb() alone; expected both"},
        {"results", "-DCAN='TCF_CAN_DOMAINS|TCF_CAN_REPORT'",
         "it may run in several domains (TCF_CAN_DOMAINS) and has results, but no pack()"},
        {"noanswer", "-DANSWERS_COME -DCAN=TCF_CAN_DOMAINS",
         "it has answers_come(), which belongs to TCF_CAN_DOMAINS and TCF_CAN_ANSWER together"},
        {"nodomain", "-DANSWERS_COME -DCAN=TCF_CAN_ANSWER", "it has answers_come(), which belongs to"},
        {"nodomains", "-DPACK -DABSORB", "it has pack(), which belongs to TCF_CAN_DOMAINS"},
        {"needs", "-DNEEDS=0x80000000u", "its 'needs' have bit 31, which this tcflow doesn't know there"},
        {"mixed", "-DNEEDS=TCF_WRITES_KIND", "its 'needs' have bit 1, which this tcflow doesn't know there"},
        {"can", "-DCAN=TCF_NEED_CALLPATH", "its 'can' have bit 9, which"},
        {"writes", "-DWRITES=0x100u", "its 'writes' have bit 8, which this tcflow doesn't know there"},
        {"writesevents", "-DWRITES=TCF_WRITES_EVENTS", "its 'writes' have bit 4, which"},
        {"payload", "-DMESSAGE_BYTES=8",
         "it has payloads or numbers (message_bytes, member_bytes, numbers), which belong to span()"},
        {"uncounted", "-DUNCOUNTED_PARAMETERS",
         "its parameter table has 0 rows; expected .params = TCF_ROWS(TABLE), of 1 to"},
        {"rows", "-DPARAM_SIZE=8",
         "its head states other sizes of tables than interface 1.0 has; expected .head = TCF_FILTER_HEAD"},
        {"name", "-DNAME='\"No-Name\"'", "its name is 'No-Name'; expected a-z, 0-9 and _"},
        {"unnamed", "-DNAME=0", "its name is missing; expected"},
        {"reservedname", "-DNAME='\"pipeline\"'", "a filter cannot have the name of the section [pipeline]"},
        {"parameter", "-DBAD_PARAMETER", "parameter 'n' lies outside of the conf struct (8 bytes at 4096 of 8)"},
        {"reserved", "-DRESERVED_PARAMETER -DCAN=TCF_CAN_REPORT", "parameter 'output': the framework itself uses this"},
        {"column", "-DBAD_COLUMN", "it provides a column 'x' of 0 bytes"},
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
    shell(
        "mkdir %s/odd && cd %s/odd && echo text >text.so && : >empty.so && mkdir folder.so && mkfifo pipe.so && "
        "ln -s nowhere dangling.so && ln -s loop.so loop.so && echo x >README && echo x >.hidden.so && echo x >x.la && "
        "echo x >x.so.1 && printf '\\177ELF' >elf.so && echo '!<arch>' >archive.so",
        root, root);
    loader *l = load("odd");
    size_t n;
    loader_plugins(l, &n);
    assert_int_equal(n, 8);
    assert_refused(l, "odd/text.so", "is no shared object: it does not begin as an ELF file does");
    assert_refused(l, "odd/empty.so", "is no shared object: it is empty");
    assert_refused(l, "odd/elf.so", "is cut off: 4 bytes are not even the header of an ELF file");
    assert_refused(l, "odd/archive.so", "is a static library (ar), not a shared object: link it with -shared");
    assert_refused(l, "odd/folder.so", "is a folder, not a file");
    assert_refused(l, "odd/pipe.so", "is no regular file");
    assert_refused(l, "odd/dangling.so", "is a link to 'nowhere', which is not there");
    assert_refused(l, "odd/loop.so", "cannot be opened: Too many levels of symbolic links");
    const loader_folder *folder = loader_folders(l, &n);
    assert_int_equal(n, 1);
    assert_int_equal(folder->files, 8);
    assert_int_equal(folder->others, 4); /* README, .hidden.so, x.la, x.so.1 */
    loader_delete(l);
}

/* Writes bytes (as of printf) into a copy of a good plugin. */
static void spoil(const char *file, int at, const char *bytes)
{
    shell("cd %s && cp good/whatever.so machine/%s.so && printf '%s' | dd of=machine/%s.so bs=1 seek=%d conv=notrunc "
          "2>dd.log",
          root, file, bytes, file, at);
}

/* What dlopen() says nothing helpful of, or would die of. */
static void other_machines(void **state)
{
    (void)state;
    shell("mkdir -p %s/machine", root);
    spoil("aarch64", 18, "\\267\\0");
    spoil("small", 4, "\\1");
    spoil("big", 5, "\\2\\1\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\3\\0\\26");
    spoil("strange", 18, "\\77\\77");
    shell("cd %s/machine && head -c 3000 ../good/whatever.so >half.so && head -c 70 ../good/whatever.so >head.so && "
          "%s -std=gnu11 -fPIC -c -I'%s/include' -o object.so '%s/tests/framework/bad_plugin.c' && "
          "echo 'int main(void) { return 0; }' >main.c && %s -o program.so main.c && %s -no-pie -o fixed.so main.c",
          root, compiler(), source_tree(), source_tree(), compiler(), compiler());
    loader *l = load("machine");
    assert_refused(l, "machine/strange.so", "is built for another machine: 64-bit unknown (16191)");
    assert_refused(l, "machine/aarch64.so", "is built for another machine: 64-bit AArch64 (183), but this tcflow is ");
    assert_refused(l, "machine/small.so", "is built for another machine: 32-bit ");
    assert_refused(l, "machine/big.so",
                   "is built for another machine: 64-bit S/390 (22, big-endian), but this tcflow is ");
    assert_refused(l, "machine/half.so", "is cut off: it has 3000 bytes, but loads what lies up to byte ");
    assert_refused(l, "machine/head.so", "is cut off: its program headers lie behind its end at 70 bytes");
    assert_refused(l, "machine/object.so", "is an object file, not a shared object: link it with -shared");
    assert_refused(l, "machine/program.so", "cannot be opened: ");
    assert_refused(l, "machine/fixed.so", "cannot be opened: ");
    loader_delete(l);
}

static void assert_folder(const loader *l, size_t i, const char *named_by, const char *path, const char *problem)
{
    size_t n;
    const loader_folder *folder = loader_folders(l, &n);
    assert_true(i < n);
    assert_string_equal(folder[i].named_by, named_by);
    assert_string_equal(folder[i].path, path);
    if (problem)
        assert_string_equal(folder[i].problem, problem);
    else
        assert_null(folder[i].problem);
}

static void unreadable(void **state)
{
    char path[256];
    size_t n;
    (void)state;
    build("closed", "good", "-DNAME='\"closed\"'");
    loader *l = load("closed none");
    snprintf(path, sizeof path, "%s/none", root);
    assert_folder(l, 1, LOADER_COMMAND_LINE, path, "folder cannot be read: No such file or directory");
    loader_plugins(l, &n);
    assert_int_equal(n, 1);
    assert_int_equal(loader_check_folders(l), TCF_ERROR);
    assert_true(error_is_usage());
    loader_delete(l);
    shell("echo >%s/file", root);
    l = load("file");
    snprintf(path, sizeof path, "%s/file", root);
    assert_folder(l, 0, LOADER_COMMAND_LINE, path, "folder cannot be read: Not a directory");
    loader_delete(l);
    if (geteuid() == 0)
        return;                                       /* root reads everything */
    build("closed", "secret", "-DNAME='\"secret\"'"); /* not opened so far, or libltdl would remember it */
    shell("chmod 0 %s/closed/secret.so", root);
    l = load("closed");
    assert_refused(l, "closed/secret.so", "cannot be opened: Permission denied");
    loader_delete(l);
    shell("chmod 0 %s/closed", root);
    l = load("closed");
    snprintf(path, sizeof path, "%s/closed", root);
    assert_folder(l, 0, LOADER_COMMAND_LINE, path, "folder cannot be read: Permission denied");
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
    const loader_folder *folder = loader_folders(l, &n);
    assert_int_equal(n, 3);
    assert_true(!folder[0].again && !folder[1].again && folder[2].again);
    snprintf(reason, sizeof reason, "a filter 'same' was found before, in %s/first/a.so", root);
    assert_refused(l, "second/c.so", reason);
    assert_string_equal(entry(l, "second/c.so")->shadowed_by, entry(l, "first/a.so")->path);
    assert_null(entry(l, "first/b.so")->shadowed_by); /* it would have been refused in any case */
    assert_ptr_equal(loader_find(l, "same"), entry(l, "first/a.so")->filter);
    assert_non_null(loader_find(l, "other"));
    loader_delete(l);
    l = load("second first");
    assert_ptr_equal(loader_find(l, "same"), entry(l, "second/c.so")->filter);
    loader_delete(l);
}

/* A framework of interface 1.1 that has added the last member, and plugins built for 1.0 and 1.1. */
static void older_interface(void **state)
{
    const loader_abi newer = {.major = TCF_ABI_MAJOR,
                              .minor = TCF_ABI_MINOR + 1,
                              .size = sizeof(tcf_filter),
                              .first_size = offsetof(tcf_filter, heartbeat),
                              .source_size = sizeof(tcf_source),
                              .first_source_size = sizeof(tcf_source)};
    char path[256];
    (void)state;
    build("older", "old", "-DNAME='\"old\"' -DSIZE='offsetof(tcf_filter,heartbeat)' -DGARBAGE_AT_END");
    build("older", "tooshort", "-DNAME='\"tooshort\"' -DSIZE='offsetof(tcf_filter,heartbeat)-8'");
    build("older", "toolong", "-DNAME='\"toolong\"' -DSIZE='sizeof(tcf_filter)+8'");
    build("older", "same", "-DNAME='\"same\"' -DNEWER_MINOR=1 -DGARBAGE_AT_END");
    build("older", "future", "-DNAME='\"future\"' -DNEWER_MINOR=2");
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
    assert_refused(l, "older/tooshort.so", "says that its filter struct of interface 1.0 has");
    assert_refused(l, "older/toolong.so", "says that its filter struct of interface 1.0 has");
    assert_refused(l, "older/future.so", "built for plugin interface 1.2, but this tcflow has 1.1");
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
    static const tcf_filter inside = {.head = TCF_FILTER_HEAD,
                                      .name = "good",
                                      .version = "2",
                                      .summary = "x",
                                      .slice = nothing};
    static const tcf_filter wrong = {.head = TCF_FILTER_HEAD, .name = "wrong", .version = "2", .summary = "x"};
    static const tcf_filter *const all[] = {&inside, &wrong, NULL};
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s/good", root);
    loader *l = loader_new_for(path, all, &loader_abi_current);
    assert_ptr_equal(loader_find(l, "good"), &inside);
    assert_null(loader_find(l, "wrong"));
    assert_refused(l, "good/whatever.so", "a filter 'good' was found before, in (built in)");
    loader_delete(l);
    l = loader_new_for("", NULL, &loader_abi_current);
    size_t n;
    loader_plugins(l, &n);
    assert_int_equal(n, 0);
    assert_null(loader_find(l, "good"));
    loader_delete(l);
    l = loader_new_for(NULL, all, &loader_abi_current);
    assert_non_null(loader_find(l, "good"));
    loader_delete(l);
}

static void search_order(void **state)
{
    size_t n;
    (void)state;
    setenv("TCFLOW_PLUGIN_PATH", "/b:/c::", 1);
    loader *l = loader_new("/a:", "/d", NULL);
    assert_non_null(l);
    assert_folder(l, 0, LOADER_COMMAND_LINE, "/a", "folder cannot be read: No such file or directory");
    assert_folder(l, 1, LOADER_ENVIRONMENT, "/b", "folder cannot be read: No such file or directory");
    assert_folder(l, 2, LOADER_ENVIRONMENT, "/c", "folder cannot be read: No such file or directory");
    assert_folder(l, 3, LOADER_INI, "/d", "folder cannot be read: No such file or directory");
    assert_string_equal(loader_folders(l, &n)[4].named_by, LOADER_BUILD_TREE);
    assert_int_equal(loader_check_folders(l), TCF_ERROR);
    assert_string_equal(error_text(), "--plugin-path /a: folder cannot be read: No such file or directory");
    loader_delete(l);
    l = loader_new(NULL, "/d", NULL);
    assert_folder(l, 0, LOADER_ENVIRONMENT, "/b", "folder cannot be read: No such file or directory");
    assert_int_equal(loader_check_folders(l), TCF_ERROR);
    assert_string_equal(error_text(), "plugin_path = /d: folder cannot be read: No such file or directory");
    loader_delete(l);
    l = loader_new("", "", NULL);
    assert_int_equal(loader_check_folders(l), TCF_OK); /* the environment may name what isn't everywhere */
    loader_delete(l);
    unsetenv("TCFLOW_PLUGIN_PATH");
    l = loader_new("", NULL, NULL);
    assert_string_equal(loader_folders(l, &n)[0].named_by, LOADER_BUILD_TREE);
    assert_non_null(loader_find(l, "pass"));
    loader_delete(l);
    char moved[PATHS_BYTES];
    setenv("TCFLOW_FILTERS_D", "x/y", 1);
    assert_string_equal(paths_filters_d(moved), "x/y");
    unsetenv("TCFLOW_FILTERS_D");
    assert_true(strstr(paths_filters_d(moved), "filters.d") != NULL);
}

/* The list says all of it, and the INI stanza that --describe gives can be read back. */
static void reasons(void **state)
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
    assert_true(strstr(text, "/none: folder cannot be read: No such file or directory") != NULL);
    assert_true(strstr(text, "\nShadowed:\n") != NULL);
    assert_true(strstr(text, "built for plugin interface 2.0, but this tcflow has 1.0") != NULL);
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
        cmocka_unit_test(good_plugin),     cmocka_unit_test(each_refusal),    cmocka_unit_test(no_plugins_at_all),
        cmocka_unit_test(unreadable),      cmocka_unit_test(missing_library), cmocka_unit_test(twins),
        cmocka_unit_test(older_interface), cmocka_unit_test(builtins),        cmocka_unit_test(search_order),
        cmocka_unit_test(reasons),         cmocka_unit_test(other_machines),
    };
    return cmocka_run_group_tests_name("loader", tests, set_up, tear_down);
}
