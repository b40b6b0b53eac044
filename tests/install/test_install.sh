#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What "make install" lays down is complete, runs from there, builds a filter out of tree with nothing but
# pkg-config, and "make uninstall" leaves nothing. "make installcheck" runs it against the really installed tree,
# "make check" against one below DESTDIR, whose folders are then named by --plugin-path and TCFLOW_FILTERS_D.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
usual_build_only

make=${MAKE:-make}
CC=${CC:-cc}
unset MAKEFLAGS MFLAGS MAKELEVEL

if [ "${installed:-no}" = yes ]; then
    dest=
else
    dest=$work/dest
    $make -C "$top_builddir" install DESTDIR="$dest" >"$work/install.log" 2>&1 ||
        { diag "$(tail -n 20 "$work/install.log")"; tap 1 "make install"; done_testing; }
    bindir=$(dirname "$(find "$dest" -type f -name tcflow -path '*/bin/*')")
    pkgconfigdir=$(dirname "$(find "$dest" -name tcflow.pc)")
fi
# Where the .pc files name the prefix, instead of finding it, what they say lacks DESTDIR: of -I pkg-config puts it in front.
root=
if ! grep -q '^prefix=\${pcfiledir}' "$pkgconfigdir/tcflow.pc"; then
    root=$dest
    PKG_CONFIG_SYSROOT_DIR=$root
    export PKG_CONFIG_SYSROOT_DIR
fi
PKG_CONFIG_PATH=$pkgconfigdir${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
installed_tcflow()
{
    if [ -n "$dest" ]; then
        tcflow --plugin-path "$plugindir" "$@"
    else
        tcflow "$@"
    fi
}

TCFLOW=$bindir/tcflow
installed_tcflow_torture()
{
    "$TCFLOW" --torture "$@" --plugin-path "$plugindir"
}
plugindir=$root$(PKG_CONFIG_SYSROOT_DIR= pkg-config --variable=plugindir tcflow)
filtersdir=$root$(PKG_CONFIG_SYSROOT_DIR= pkg-config --variable=filtersdir tcflow)
[ -z "$dest" ] || export TCFLOW_FILTERS_D="$filtersdir"

ok "tcflow is installed" test -x "$TCFLOW"
for tool in calibrate synth torture; do
    ok "tcflow-$tool is installed" test -x "$bindir/tcflow-$tool"
done
if "$TCFLOW" --version | grep -q '^databases: SQLite'; then
    ok "tcflow-diff is installed, and runs" "$bindir/tcflow-diff" --version
    ok "tcflow-report is installed, and runs" "$bindir/tcflow-report" --version
    ok "tcflow-scaling is installed, and runs" "$bindir/tcflow-scaling" --version
    for n in 2 4; do
        "$bindir/tcflow-synth" --ranks $n --events 1k "$work/run$n" >"$work/made" 2>&1 || diag "$(cat "$work/made")"
    done
    installed_tool()
    {
        installed_name=$1
        shift
        ${dest:+env -u TCFLOW_FILTERS_D -u TCFLOW_PLUGIN_PATH} "$bindir/$installed_name" "$@"
    }
    for tool in diff scaling; do
        ok "tcflow-$tool finds tcflow, and its preset" installed_tool tcflow-$tool "$work/run2" "$work/run4" ||
            diag "$(cat "$work/.ok")"
    done
fi
for source in loop pingpong; do
    ok "what tcflow-calibrate builds is installed: $source" test -f "$(dirname "$filtersdir")/calibrate/$source.c"
done
# Installed elsewhere than configure was told: pkg-config finds what lies there.
if [ -n "$dest" ] && [ -z "$root" ]; then
    mkdir "$work/moved" && cp -R "$(dirname "$pkgconfigdir")" "$work/moved/lib" && cp -R "$(dirname "$bindir")/include" "$work/moved"
    moved()
    {
        PKG_CONFIG_PATH=$work/moved/lib/pkgconfig pkg-config "$@"
    }
    ok "a moved tree has its headers" test -f "$(moved --variable=includedir tcflow)/tcflow/filter.h"
    ok "and its plugins" test -f "$(moved --variable=plugindir tcflow)/print.so"
    ok "and its library" test -f "$(moved --variable=libdir tcflow-harness)/libtcflow-harness.so"
fi
# Installed elsewhere than configure was told: tcflow finds its filters and presets beside itself, too.
if [ -n "$dest" ] && [ ! -e "${plugindir#"$dest"}" ]; then
    in_place()
    {
        (unset TCFLOW_FILTERS_D TCFLOW_PLUGIN_PATH && "$TCFLOW" "$@")
    }
    ok "a moved tcflow finds its filters" in_place -q -i "$top_srcdir/examples/trace" -o pipeline.chain=pass
    ok "and its presets" in_place --check -c waits -i "$top_srcdir/examples/trace"
    cp "$TCFLOW" "$work/tcflow"
    fails 2 "one that finds none" env -u TCFLOW_FILTERS_D -u TCFLOW_PLUGIN_PATH "$work/tcflow" \
        -i "$top_srcdir/examples/trace" -o pipeline.chain=check
    like "says where it has looked" "$(cat "$work/.fails")" "no filter .check., and none at all: .*folder cannot be read"
    rm "$work/tcflow"
fi
ok "pkg-config's plugindir exists" test -d "$plugindir"
is "the filters' folder holds nothing but modules" "$(find "$plugindir" -type f ! -name '*.so')" ""
for f in otf2_write select print check profile pass; do
    ok "filter $f is installed" test -f "$plugindir/$f.so"
    ok "parameters of $f are installed" test -f "$filtersdir/$f.ini"
    ok "a module exports one symbol: $f" sh -c \
        "nm -D --defined-only '$plugindir/$f.so' | awk '\$2 != \"w\" && \$3 !~ /^(_init|_fini|__.*|_edata|_end)\$/ {print \$3}' |
         grep -vx tcflow_filter && exit 1; exit 0"
done

listed=$(installed_tcflow --list-filters 2>&1)
for f in otf2_write select print check profile pass; do
    like "--list-filters knows $f" "$listed" "(^|[[:space:]])$f([[:space:]]|\$)"
done

# Every header stands on its own.
for header in $(cd "$top_srcdir/include/tcflow" && echo *.h); do
    printf '#include <tcflow/%s>\n' "$header" >"$work/h.c"
    ok "tcflow/$header compiles alone" $CC -std=c11 -Wall -Wextra -Wpedantic -Werror \
        $(pkg-config --cflags tcflow) -fsyntax-only "$work/h.c"
done

# In C++, too, as far as there is a compiler: designated initializers are an extension in C++17, part of C++20.
CXX=${CXX:-g++}
if have "$CXX" && echo 'int x;' | $CXX -x c++ -std=c++20 -fsyntax-only - 2>/dev/null; then
    for standard in 17 20; do
        for header in $(cd "$top_srcdir/include/tcflow" && echo *.h); do
            printf '#include <tcflow/%s>\n' "$header" >"$work/h.cc"
            ok "tcflow/$header compiles alone in C++$standard" $CXX -std=c++$standard -Wall -Wextra -Werror \
                $(pkg-config --cflags tcflow) -fsyntax-only "$work/h.cc"
        done
        mkdir "$work/cxx$standard"
        ok "a filter in C++$standard" $CXX -std=c++$standard -Wall -Wextra -Wno-missing-field-initializers -Werror -fPIC -shared -fvisibility=hidden \
            $(pkg-config --cflags tcflow) -o "$work/cxx$standard/cxx.so" "$top_srcdir/tests/install/filter.cc"
        is "it runs, and finds what it needs: C++$standard" "$(tcflow -q --plugin-path "$work/cxx$standard:$plugindir" \
            -i "$top_srcdir/examples/trace/traces.otf2" -o pipeline.chain=cxx -o cxx.format=csv | tr -d '\r')" "messages,whole
360,1"
    done
    printf '#include <tcflow/filter.h>\ntcf_need f() { return TCF_NEED_EDGES | TCF_CAN_DROP; }\n' >"$work/mixed.cc"
    fails 1 "bits of two families can't be mixed" $CXX -std=c++17 $(pkg-config --cflags tcflow) -fsyntax-only "$work/mixed.cc"
else
    skip "headers in C++" "no C++ compiler"
fi
printf '#include <tcflow/filter.h>\nTCF_FILTER = {.needs = TCF_CAN_DROP};\n' >"$work/mixed.c"
fails 1 "nor in C" $CC -std=c11 -Wall -Wextra -Werror $(pkg-config --cflags tcflow) -fsyntax-only "$work/mixed.c"

# An out-of-tree filter: built as a user would, dropped into a folder, used by name.
if [ -d "$top_srcdir/examples/custom-filter" ]; then
    mkdir "$work/custom" "$work/filters"
    for source in "$top_srcdir/examples/custom-filter/shift.c"; do
        name=$(basename "$source" .c)
        ok "custom filter $name builds with pkg-config --cflags tcflow" $CC -std=c11 -fPIC -shared \
            -o "$work/filters/$name.so" $(pkg-config --cflags tcflow) "$source"
        TCFLOW_PLUGIN_PATH=$work/filters
        export TCFLOW_PLUGIN_PATH
        like "custom filter $name is listed" "$(installed_tcflow --list-filters 2>&1)" "(^|[[:space:]])$name([[:space:]]|\$)"
        printf '[pipeline]\ninput = %s\nchain = %s\n' "$top_srcdir/examples/trace/traces.otf2" "$name" >"$work/custom.ini"
        ok "custom filter $name runs by name" installed_tcflow -c "$work/custom.ini"
    done
fi

# The harness: a test of that filter, with what pkg-config says. A library below DESTDIR is not where it will be looked for.
libdir=$root$(PKG_CONFIG_SYSROOT_DIR= pkg-config --variable=libdir tcflow-harness)
is "the harness exports what its header declares" \
    "$(nm -D --defined-only "$libdir/libtcflow-harness.so" | awk '$3 !~ /^(_init|_fini|__.*|_edata|_end)$/ {print $3}' | sort)" \
    "$(sed -n 's/^[a-z].*[ *]\(tcfh_[a-z_]*\)(.*/\1/p' "$top_srcdir/include/tcflow/harness.h" | sort)"
if ! nm -D "$libdir/libtcflow-harness.so" | grep -q __asan; then
    ok "a test is built with pkg-config tcflow-harness" $CC -std=c11 -Wall -Wextra -Werror -o "$work/user" \
        "$top_srcdir/tests/install/harness_user.c" $(pkg-config --cflags --libs tcflow-harness)
    ok "the torture finds nothing in it" installed_tcflow_torture "$work/filters/shift.so" --seeds 1
    in_harness()
    {
        LD_LIBRARY_PATH=$libdir TCFLOW_PLUGIN_PATH=$plugindir "$work/user" "$work/filters" "$@"
    }
    mkdir "$work/scratch"
    TMPDIR=$work/scratch
    export TMPDIR
    ok "and passes" in_harness
    is "what fails goes to the test's handler" "$(in_harness fail 2>&1; echo $?)" "event 1 of location 0: 17 instead of 18
0"
    is "or ends the program" "$(in_harness fail plainly 2>&1; echo $?)" "harness: event 1 of location 0: 17 instead of 18
1"
    is "no scratch folder is left" "$(ls "$work/scratch")" ""
    unset TMPDIR
fi

# A new user, with nothing but the installed tree: a project, its test, a run; and what is refused.
new_filter()
(
    cd "$work/new" && PATH=$bindir:/usr/local/bin:/usr/bin:/bin "$@"
)
# in_project FOLDER COMMAND...: there, with plugins and library of the installed tree.
in_project()
(
    cd "$work/new/$1" && shift && PATH=$bindir:/usr/local/bin:/usr/bin:/bin LD_LIBRARY_PATH=$libdir \
        TCFLOW_PLUGIN_PATH=$plugindir MAKEFLAGS= "$@"
)
mkdir "$work/new"
unset TCFLOW_PLUGIN_PATH
TCFLOW_PLUGIN_PATH=$plugindir
export TCFLOW_PLUGIN_PATH
ok "tcflow-new-filter moved" new_filter tcflow-new-filter moved
is "where pkg-config finds tcflow nothing is said of it" "$(grep -c PKG_CONFIG_PATH "$work/.ok")" 0
like "where it doesn't, what helps is" \
    "$(unset PKG_CONFIG_PATH; export PKG_CONFIG_LIBDIR="$work/none"; new_filter tcflow-new-filter unfound; rm -r "$work/new/unfound")" \
    "^    export PKG_CONFIG_PATH=/.*pkgconfig\$"
is "the project is complete" "$(cd "$work/new/moved" && find . -type f | sort | xargs)" \
    "./.gitignore ./Makefile ./README.md ./moved.c ./moved.ini ./pipeline.ini ./test_moved.c"
is "it has its own name everywhere" "$(grep -rl shift "$work/new/moved")" ""
ok "make" in_project moved $make CC="$CC"
ok "it is listed" sh -c "cd '$work/new/moved' && '$TCFLOW' --plugin-path . --list-filters | grep -q '^  moved  *1.0 '"
in_project moved tcflow -i "$top_srcdir/examples/trace/traces.otf2" -o pipeline.chain=print -o print.output="$work/new/before" &&
    in_project moved tcflow -c pipeline.ini -i "$top_srcdir/examples/trace/traces.otf2" -o moved.by='3 ticks' \
        -o print.output="$work/new/after"
# Kind, location and time of each event.
events()
{
    awk '$3 ~ /^[0-9]+$/ { print $1, $2, $3 + by }' by="$2" "$1"
}
events "$work/new/before" 3 >"$work/new/expected"
events "$work/new/after" 0 >"$work/new/got"
ok "the trace has events" test "$(wc -l <"$work/new/got")" -gt 2000
same "tcflow -c pipeline.ini moves all of them by as much as was asked for" "$work/new/expected" "$work/new/got"
if ! nm -D "$libdir/libtcflow-harness.so" | grep -q __asan; then
    ok "make check passes" in_project moved $make check CC="$CC"
    like "the test of the filter has run" "$(cat "$work/.ok")" "^test_moved: passed\$"
    (cd "$work/new/moved" && sed -i 's/+= by;/+= by + 1;/' moved.c)
    fails 2 "make check notices a filter that is wrong" in_project moved $make check CC="$CC"
    (cd "$work/new/moved" && sed -i -e 's/+= by + 1;/+= by;/' -e 's/How much later/By how much later/' moved.c)
    fails 2 "make check notices an old parameter set" in_project moved $make check CC="$CC"
    like "it says what to do" "$(cat "$work/.fails")" "^moved.ini is old: make params\$"
    ok "make params" in_project moved $make params CC="$CC"
    ok "make check passes again" in_project moved $make check CC="$CC"
fi
ok "make clean" in_project moved $make clean
is "make clean leaves what was written" "$(cd "$work/new/moved" && find . -type f | wc -l | tr -d ' ')" 7
if [ -x "$bindir/tcflow-torture" ] && ! nm -D "$libdir/libtcflow-harness.so" | grep -q __asan; then
    ok "make torture: the filter keeps the contract" in_project moved $make torture CC="$CC"
fi

fails 2 "an existing folder" new_filter tcflow-new-filter moved
like "nothing was written" "$(cat "$work/.fails")" "'moved' exists already; nothing was written"
ln -s nowhere "$work/new/link"
fails 2 "a dangling link" new_filter tcflow-new-filter other link
for name in Shift 1st my-filter 'a b' '' é a/b; do
    fails 2 "the name '$name'" new_filter tcflow-new-filter "$name"
    like "what is allowed" "$(cat "$work/.fails")" "'$name' cannot be the name of a filter: expected a-z, 0-9 and _, beginning with"
done
fails 2 "a long name" new_filter tcflow-new-filter abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopqrstuvwxyz
for name in print pipeline; do
    fails 2 "the name of something that is there: $name" new_filter tcflow-new-filter "$name"
    like "it is taken" "$(cat "$work/.fails")" "there is a (filter|section) '$name' already; choose another name"
done
fails 1 "a folder that cannot be made" new_filter tcflow-new-filter other none/other
fails 2 "no name" new_filter tcflow-new-filter
fails 2 "an option" new_filter tcflow-new-filter --force x
is "refused names leave nothing" "$(ls "$work/new" | xargs)" "after before expected got link moved"
ok "another folder" new_filter tcflow-new-filter other "a folder"
ok "its filter has the name" grep -q '\.name = "other"' "$work/new/a folder/other.c"

# A reader.
ok "tcflow-new-filter --source" new_filter tcflow-new-filter --source mine
is "the reader's project is complete" "$(cd "$work/new/mine" && find . -type f | sort | xargs)" \
    "./.gitignore ./Makefile ./README.md ./example.mine ./mine.c ./mine.ini ./pipeline.ini ./test_mine.sh"
is "it has its own name everywhere, too" "$(grep -rl spanlog "$work/new/mine")" ""
ok "make check of the reader" in_project mine $make check CC="$CC"
like "the test of the reader has run" "$(cat "$work/.ok")" "^test_mine: passed\$"
ok "make torture of the reader" in_project mine $make torture CC="$CC"
like "its pipeline reads the example" "$(in_project mine tcflow -q -c pipeline.ini -o profile.format=csv | tr -d '"\r')" ",outer$"
like "--list-sources lists it" "$(cd "$work/new/mine" && "$TCFLOW" --plugin-path . --list-sources)" "^  mine +1\.0 +Reads a line a call"
like "--describe describes it" "$(cd "$work/new/mine" && "$TCFLOW" --plugin-path . --describe mine)" "ticks_per_second"
(cd "$work/new/mine" && sed -i 's/end < begin/end > begin/' mine.c)
fails 2 "make check notices a reader that is wrong" in_project mine $make check CC="$CC"
fails 2 "the name of a reader that is there" new_filter tcflow-new-filter --source csv
like "it is taken, too" "$(cat "$work/.fails")" "there is a reader 'csv' already; choose another name"
fails 2 "--source behind the name" new_filter tcflow-new-filter x --source

if [ -n "$dest" ]; then
    is "bash finds its completions" "$(find "$dest" -path '*/bash-completion/completions/*' -size +0 | sed 's|.*/||' | sort | xargs)" \
        "tcflow tcflow-calibrate tcflow-diff tcflow-mpi tcflow-new-filter tcflow-report tcflow-scaling tcflow-synth tcflow-top tcflow-torture"
fi

if [ -n "$dest" ]; then
    ok "make uninstall" $make -C "$top_builddir" uninstall DESTDIR="$dest"
    is "make uninstall leaves no file" "$(find "$dest" ! -type d)" ""
fi
done_testing
