#!/bin/sh
# What "make install" lays down is complete, runs from there, builds a filter out of tree with nothing but
# pkg-config, and "make uninstall" leaves nothing. "make installcheck" runs it against the really installed tree,
# "make check" against one below DESTDIR, whose folders are then named by --plugin-path and TCFLOW_FILTERS_D.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh"

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
    # pkg-config puts this before every -I that it prints.
    PKG_CONFIG_SYSROOT_DIR=$dest
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
plugindir=$dest$(PKG_CONFIG_SYSROOT_DIR= pkg-config --variable=plugindir tcflow)
filtersdir=$dest$(PKG_CONFIG_SYSROOT_DIR= pkg-config --variable=filtersdir tcflow)
[ -z "$dest" ] || export TCFLOW_FILTERS_D="$filtersdir"

ok "tcflow is installed" test -x "$TCFLOW"
for tool in calibrate synth; do
    ok "tcflow-$tool is installed" test -x "$bindir/tcflow-$tool"
done
if "$TCFLOW" --version | grep -q '^databases: SQLite'; then
    ok "tcflow-diff is installed, and runs" "$bindir/tcflow-diff" --version
fi
for source in loop pingpong; do
    ok "what tcflow-calibrate builds is installed: $source" test -f "$(dirname "$filtersdir")/calibrate/$source.c"
done
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
for header in filter events definitions harness; do
    printf '#include <tcflow/%s.h>\n' "$header" >"$work/h.c"
    ok "tcflow/$header.h compiles alone" $CC -std=c11 -Wall -Wextra -Wpedantic -Werror \
        $(pkg-config --cflags tcflow) -fsyntax-only "$work/h.c"
done

# An out-of-tree filter: built as a user would, dropped into a folder, used by name.
if [ -d "$top_srcdir/examples/custom-filter" ]; then
    mkdir "$work/custom" "$work/filters"
    for source in "$top_srcdir"/examples/custom-filter/*.c; do
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
libdir=$dest$(PKG_CONFIG_SYSROOT_DIR= pkg-config --variable=libdir tcflow-harness)
is "the harness exports what its header declares" \
    "$(nm -D --defined-only "$libdir/libtcflow-harness.so" | awk '$3 !~ /^(_init|_fini|__.*|_edata|_end)$/ {print $3}' | sort)" \
    "$(sed -n 's/^[a-z].*[ *]\(tcfh_[a-z_]*\)(.*/\1/p' "$top_srcdir/include/tcflow/harness.h" | sort)"
if ! nm -D "$libdir/libtcflow-harness.so" | grep -q __asan; then
    ok "a test is built with pkg-config tcflow-harness" $CC -std=c11 -Wall -Wextra -Werror -o "$work/user" \
        "$top_srcdir/tests/install/harness_user.c" $(pkg-config --cflags --libs tcflow-harness)
    in_harness()
    {
        LD_LIBRARY_PATH=$libdir TCFLOW_PLUGIN_PATH=$plugindir "$work/user" "$work/filters" "$@"
    }
    ok "and passes" in_harness
    is "what fails goes to the test's handler" "$(in_harness fail 2>&1; echo $?)" "event 1 of location 0: 17 instead of 18
0"
fi

if [ -n "$dest" ]; then
    ok "make uninstall" $make -C "$top_builddir" uninstall DESTDIR="$dest"
    is "make uninstall leaves no file" "$(find "$dest" ! -type d)" ""
fi
done_testing
