#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Runs of the program and its tools in which one allocation fails: of them, of a plugin, or of the C library on their
# behalf. support/failing.sh says what holds. POINTS (20) of each are tried; `make check-oom` tries all.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
default_points=$(usually 5 20)
. "$top_srcdir/tests/support/failing.sh"

# tcflow-torture, which has an allocator of its own.
failing_own()
{
    failing_preload=$preload preload=$work/failing_own.so
    ${CC:-cc} -O1 -fno-optimize-sibling-calls -shared -fPIC -o "$preload" "$top_srcdir/tests/tools/torture/failing_own.c" -ldl
    failing_torture
    # The plugin is found by its name, then opened; what is missing here is its sample.
    one 0 "$top_builddir/tcflow-torture" csv
    wrong='' n=$(sed -n 1p "$counted")
    for at in $(seq $((n - 80)) "$(usually 8 2)" "$n"); do
        one "$at" "$top_builddir/tcflow-torture" csv
        grep -Eq "$reason|give it a file by --sample" said || wrong="$wrong $at: $(cat said)"
    done
    is "tcflow-torture of a name" "$wrong" ""
    preload=$failing_preload
}

cd "$work" || exit 1
preload=$work/failing.so counted=$work/count
${CC:-cc} -O1 -shared -fPIC -o "$preload" "$top_srcdir/tests/framework/failing_memory.c" -ldl 2>said || skip_all "no compiler"
! is_instrumented || skip_all "the sanitizer has allocations of its own"
how="ALLOCATIONS=$counted"
reason='memory|Cannot allocate'
failing_inputs
failing_all
failing_processes
failing_own
diag "$disturbed_runs disturbed runs"

# All allocations of the detection of waits: what it cannot keep for want of memory is not what it lets go at a cap.
how="ALLOCATIONS=$counted OF=wait_states.so"
before_all=$points points=$(usually 20 0)
each "waits, what the plugin allocates" "$TCFLOW" -q -i "$input" -o pipeline.chain=wait_states -o wait_states.output=waits -o wait_states.format=csv -j 1
# And of the diagnosis, which looks for who and what is behind waits.
how="ALLOCATIONS=$counted OF=diagnosis.so"
each "causes, what the diagnosis allocates" "$TCFLOW" -q -c causes -i "$input"
points=$before_all

# What a filter has found for another one is whole, though it is not shown itself.
how="ALLOCATIONS=$counted"
points=$(usually 30 places)
each "tables that are not shown" "$TCFLOW" -q -i "$input" -o pipeline.chain="efficiency diagnosis" -o pipeline.reports=diagnosis -j 1
points=$before_all

# A long list of attributes in which one stands twice is refused, also where there is no memory to look for it.
cp -R everything twin
python3 - twin/traces/0.evt <<'END'
import sys
with open(sys.argv[1], "r+b") as file:
    content = file.read()
    file.seek(content.index(b"\x01\x1a\x00\x00\x00\x01\x01") + 6)  # the id of the second of 26
    file.write(b"\x02")
END
one 0 "$TCFLOW" -q -i "$work/twin" -o pipeline.chain=pass
if grep -q "stands twice" said; then
    taken='' n=$(sed -n 1p "$counted")
    for at in $(seq $((n - 20)) "$n"); do
        one "$at" "$TCFLOW" -q -i "$work/twin" -o pipeline.chain=pass && taken="$taken $at"
    done
    is "an attribute that stands twice, without memory: taken" "$taken" ""
else
    tap 1 "an attribute that stands twice is refused"
fi

# Losses of one of several archives are told, also where there is no memory to collect them.
for part in 0,1 2,3; do
    tcflow -q -i "$work/whole" -o pipeline.chain="select otf2_write" -o select.ranks=$part -o otf2_write.path="$work/half.$part"
done
find half.0,1 -name 0.evt -exec truncate -s -40 {} +
set -- "$TCFLOW" -q -i "$work/half.0,1 $work/half.2,3" -o pipeline.salvage=yes -o pipeline.chain=pass
one 0 "$@"
like "what is lost of one of two archives" "$? $(cat said)" "1 .*lost what follows event"
silent='' n=$(sed -n 1p "$counted")
for at in $(seq $((n - 20)) "$n"); do
    one "$at" "$@" && silent="$silent $at"
done
is "what is lost, without memory to collect it: at status 0" "$silent" ""

# A plugin that the dynamic linker has no memory for, or that an I/O error hides, is missing in no run that would go on without
# it, or with another one of its name.
cat >no_plugin.c <<'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#define NEXT(name, ...) (*(void **)&next = dlsym(RTLD_NEXT, name), next(__VA_ARGS__))
static int hidden(const char *call, const char *path) /* HIDDEN=CALL:ERROR:END OF PATH */
{
    char *at = getenv("HIDDEN"), *colon = strchr(at, ':');
    size_t n = strlen(path), m;
    if (strncmp(at, call, (size_t)(colon - at)) != 0 || call[colon - at])
        return 0;
    at = strchr(colon + 1, ':') + 1;
    m = strlen(at);
    if (n < m || strcmp(path + n - m, at) != 0)
        return 0;
    errno = atoi(colon + 1);
    return 1;
}
void *dlopen(const char *file, int mode)
{
    void *(*next)(const char *, int);
    return file && hidden("dlopen", file) ? NULL : NEXT("dlopen", file, mode);
}
int stat(const char *path, struct stat *to)
{
    int (*next)(const char *, struct stat *);
    return hidden("stat", path) ? -1 : NEXT("stat", path, to);
}
int lstat(const char *path, struct stat *to)
{
    int (*next)(const char *, struct stat *);
    return hidden("lstat", path) ? -1 : NEXT("lstat", path, to);
}
void *gzopen(const char *path, const char *mode)
{
    void *(*next)(const char *, const char *);
    return hidden("gzopen", path) ? NULL : NEXT("gzopen", path, mode);
}
int scandir(const char *path, struct dirent ***to, int (*filter)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **))
{
    int (*next)(const char *, struct dirent ***, int (*)(const struct dirent *), int (*)(const struct dirent **, const struct dirent **));
    return hidden("scandir", path) ? -1 : NEXT("scandir", path, to, filter, order);
}
END
${CC:-cc} -O1 -shared -fPIC -o no_plugin.so no_plugin.c -ldl
mkdir mine
cp "$top_builddir/plugins/csv/.libs/csv.so" "$top_builddir/plugins/pass/.libs/pass.so" mine
# is_hidden NAME CALL:ERROR:PATH STATUS REASON: there are plugins in a folder of one's own, and in that of tcflow.
is_hidden()
{
    env TCFLOW_PLUGIN_PATH=mine LD_PRELOAD="$work/no_plugin.so" HIDDEN="$2" "$TCFLOW" -q -i "$work/spans.csv" -o pipeline.chain=pass >/dev/null 2>said
    is "$1: exit status" $? "$3"
    like "$1: it says so" "$(cat said)" "$4"
}
is_hidden "nothing is hidden" none:5:/ 0 '^$'
is_hidden "no memory for a reader's plugin" dlopen:12:/csv.so 1 "out of memory for the plugin '.*/csv.so'"
is_hidden "an I/O error of a plugin" dlopen:5:mine/csv.so 1 "the plugin 'mine/csv.so': cannot be opened"
is_hidden "an I/O error of a plugin's file" stat:5:mine/csv.so 1 "the plugin 'mine/csv.so': cannot be opened: Input/output error"
is_hidden "an I/O error of a folder" scandir:5:mine 1 "'mine' cannot be looked at: Input/output error"
is_hidden "an interruption at a folder" stat:4:mine 1 "'mine' cannot be looked at: Interrupted system call"
is_hidden "an I/O error of the folder of plugins" scandir:5:/plugins 1 "plugins' cannot be looked at: Input/output error"
is_hidden "a file that may not be read" gzopen:13:spans.csv 1 "spans.csv' cannot be read: Permission denied"
is_hidden "an I/O error of a folder in it" stat:5:csv/.libs 1 "csv/.libs' cannot be looked at: Input/output error"

# Nor are files taken for missing that nobody can look at: a part of the input that would be replaced, an output that exists, markers,
# snapshots, defaults of filters, settings with the name of a preset.
# is_not_missing NAME CALL:ERROR:END OF PATH REASON OPTION...
not_missing()
{
    not_at=$1
    shift
    env LD_PRELOAD="$work/no_plugin.so" HIDDEN="$not_at" TCFLOW_FILTERS_D="$work/defaults" "$TCFLOW" -q -i "$work/everything" "$@" >shown 2>said
}
is_not_missing()
{
    not_name=$1 not_where=$2 not_reason=$3
    shift 3
    not_missing "$not_where" "$@"
    ok "$not_name: exit status" test $? -ne 0
    like "$not_name: it says so" "$(cat said)" "$not_reason"
}
mkdir defaults taken
printf '[print]\ndefinitions = yes\n' >defaults/print.ini
echo precious | tee taken/file >correct
before_all=$(find everything taken -type f | xargs cksum)
is_not_missing "a part of the input" stat:5:traces/0.evt "everything/traces/0.evt' cannot be looked at: Input/output error" -o pipeline.chain=print \
    -o print.output="$work/everything/traces/0.evt" -o print.overwrite=yes
is_not_missing "a folder that is no archive" lstat:5:/taken "taken cannot be looked at: Input/output error" -o pipeline.chain=otf2_write \
    -o otf2_write.path="$work/taken" -o otf2_write.overwrite=yes
is "and all of it is as it was" "$(find everything taken -type f | xargs cksum)" "$before_all"
is_not_missing "markers" stat:5:.marker "traces.marker': Input/output error" -o pipeline.chain=stream_write -o stream_write.path=-
is_not_missing "snapshots" stat:5:.snap "\.snap': Input/output error" -o pipeline.chain=stream_write -o stream_write.path=-
is_not_missing "settings with the name of a preset" stat:5:correct "'correct' cannot be looked at: Input/output error" -c correct -o pipeline.chain=pass
is_not_missing "defaults of a filter" stat:5:/print.ini "print.ini' cannot be looked at: Input/output error" -o pipeline.chain=print
is_not_missing "the format of a file" stat:5:everything "everything' cannot be looked at: Input/output error" -o pipeline.chain=print

# libotf2 opens some files of an archive as late as when it closes their writers, or the archive.
cat >no_file.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static FILE *open_by(const char *name, const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *);
    const char *ending = strrchr(path, '.');
    *(void **)&next = dlsym(RTLD_NEXT, name);
    if (!ending || strcmp(ending + 1, getenv("NO_MEMORY_FOR")) != 0)
        return next(path, mode);
    errno = ENOMEM;
    return NULL;
}
FILE *fopen(const char *path, const char *mode)
{
    return open_by("fopen", path, mode);
}
FILE *fopen64(const char *path, const char *mode)
{
    return open_by("fopen64", path, mode);
}
END
${CC:-cc} -O1 -shared -fPIC -o no_file.so no_file.c -ldl
for kind in none snap marker thumb; do
    rm -rf out out.incomplete
    env LD_PRELOAD="$work/no_file.so" NO_MEMORY_FOR=$kind "$TCFLOW" -q -i stream:"$work/recorded.all" -o pipeline.chain=otf2_write \
        -o otf2_write.path=out >/dev/null 2>said
    is "no memory for a file of the kind $kind: exit status, archive" "$? $(ls -d out out.incomplete 2>/dev/null)" \
        "$([ $kind = none ] && echo "0 out" || echo "1 out.incomplete")"
    [ $kind = none ] || like "it says so" "$(cat said)" "tcflow: error: .*(written|closed)"
done

# Nor does tcflow-new-filter give a name that is taken where it cannot list the readers.
mkdir listing
cp "$top_builddir/tcflow-new-filter" listing
cat >listing/tcflow <<'END'
#!/bin/sh
[ "$1" != --list-sources ] || { echo "tcflow: error: out of memory" >&2; exit 1; }
END
chmod +x listing/tcflow
fails 1 "tcflow-new-filter, readers that cannot be listed" listing/tcflow-new-filter csv
like "it says why" "$(cat .fails)" "out of memory"
ok "and writes nothing" test ! -e csv
done_testing
