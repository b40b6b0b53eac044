#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# doc/writing-filters.md: every filter in it builds, every command in it prints what stands there.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
usual_build_only

have python3 && have bash && have pkg-config || skip_all "python3, bash or pkg-config is missing"
CC=${CC:-cc}
unset TCFLOW_PLUGIN_PATH TCFLOW_FILTERS_D MAKEFLAGS MFLAGS

# What pkg-config would say of an installed tcflow, of the trees.
libraries=$top_builddir/.libs
mkdir "$work/pc" "$work/bin" "$work/page"
printf 'Name: tcflow\nDescription: x\nVersion: 1\nCflags: -I%s/include\n' "$top_srcdir" >"$work/pc/tcflow.pc"
printf 'Name: tcflow-harness\nDescription: x\nVersion: 1\nRequires: tcflow\nLibs: -L%s -ltcflow-harness -Wl,-rpath,%s\n' \
    "$libraries" "$libraries" >"$work/pc/tcflow-harness.pc"
PKG_CONFIG_PATH=$work/pc
ln -s "$TCFLOW" "$work/bin/tcflow"
# `cc` of the page is the compiler of this build, with its sanitizers: a library that has them needs them in the program.
flags=
if nm -D "$libraries/libtcflow-harness.so" 2>/dev/null | grep -q __asan; then
    flags="-fsanitize=address,undefined"
    # and what is instrumented doesn't run under valgrind
    printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n' >"$work/bin/valgrind"
    chmod +x "$work/bin/valgrind"
else
    ln -s "$top_builddir/tcflow-torture" "$work/bin/tcflow-torture" # it takes memory away, which the sanitizers need
fi
printf '#!/bin/sh\nexec %s %s "$@"\n' "$CC" "$flags" >"$work/bin/cc"
chmod +x "$work/bin/cc"
PATH=$work/bin:$PATH
export PATH PKG_CONFIG_PATH
ln -s "$top_srcdir/examples/trace" "$work/page/trace"

cd "$work/page" || exit 1
python3 "$top_srcdir/tests/house/tutorial.py" "$top_srcdir/doc/writing-filters.md" cc >"$work/results" 2>"$work/said"
is "the page was read to its end" "$?$(cat "$work/said")" 0
awk '{ if (/^(not )?ok - /) { sub(/ok - /, "ok " ++n + 1 " - ") } print }' "$work/results"
tests_run=$((tests_run + $(grep -c '^\(not \)*ok - ' "$work/results")))
tests_failed=$((tests_failed + $(grep -c '^not ok - ' "$work/results")))

# The test sees what is wrong.
mkdir "$work/wrong" && cd "$work/wrong" || exit 1
cat >page.md <<'END'
```c bad.c
TCF_FILTER = {
```
```c
int unnamed;
```
```console
$ echo yes
no
$ echo a; echo b; echo c
a...c
$ false
```
END
python3 "$top_srcdir/tests/house/tutorial.py" page.md cc >"$work/results" 2>&1
is "it sees what is wrong" "$(grep -c '^not ok' "$work/results"), $(grep -c '^ok' "$work/results")" "3, 3"
done_testing
