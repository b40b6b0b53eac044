#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The house keeps to its list of rooms (tests/house/rooms): who may include and call whom.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
usual_build_only

have python3 && have nm || skip_all "python3 or nm is missing"

# results FOLDER: the lines of TAP of rooms.py over a tree
results()
{
    python3 "$top_srcdir/tests/house/rooms.py" "$1" "$top_builddir" 2>&1
}

results "$top_srcdir" >"$work/results"
is "rooms.py has run to its end" "$(grep -c '^\(not \)*ok' "$work/results")" 8
awk '{ if (/^(not )?ok - /) { sub(/ok - /, "ok " ++n + 1 " - ") } print }' "$work/results"
tests_run=$((tests_run + $(grep -c '^\(not \)*ok - ' "$work/results")))
tests_failed=$((tests_failed + $(grep -c '^not ok - ' "$work/results")))

# The test sees what is wrong.
mkdir "$work/tree" && (cd "$top_srcdir" && tar -cf - framework kit plugins tools tests/house) | (cd "$work/tree" && tar -xf -)
chmod -R u+w "$work/tree"
echo '#include "framework/pipeline/stages.h"' >>"$work/tree/framework/trace/slice.c"
echo '#include "framework/trace/slice.h"' >>"$work/tree/plugins/pass/pass.c"
: >"$work/tree/framework/loose.c"
is "an include of another room, one of a plugin, and a file in no room are found" \
    "$(results "$work/tree" | grep -c '^not ok')" 3

# Two files of a plugin that call each other, and a third one which calls the first.
mkdir -p "$work/tree/plugins/a" "$work/build/plugins/a/.libs"
for pair in "x y" "y x" "z x"; do
    set -- $pair
    echo "void $2(void); void $1(void); void $1(void) { $2(); }" >"$work/tree/plugins/a/$1.c"
    ${CC:-cc} -c -o "$work/build/plugins/a/.libs/a_la-$1.o" "$work/tree/plugins/a/$1.c"
done
is "a cycle of calls is found" \
    "$(python3 "$top_srcdir/tests/house/rooms.py" "$work/tree" "$work/build" 2>&1 | sed -n '/cycle of files/,$p')" \
    "not ok - there is no cycle of files
#   plugins/a/x plugins/a/y"

done_testing
