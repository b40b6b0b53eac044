#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The files of a filter, and of a part of plugins/shared, call one way.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

have python3 && have nm || skip_all "python3 or nm is missing"
cycles()
{
    python3 "$top_srcdir/tests/house/plugins.py" "$@" 2>&1
}

is "files of a filter call one way" "$(cycles "$top_srcdir" "$top_builddir")" ""

# The test sees what is wrong.
mkdir -p "$work/plugins/a/.libs"
for pair in "x y" "y x" "z x"; do
    set -- $pair
    echo "void $2(void); void $1(void); void $1(void) { $2(); }" >"$work/plugins/a/$1.c"
    ${CC:-cc} -c -o "$work/plugins/a/.libs/a_la-$1.o" "$work/plugins/a/$1.c"
done
is "a cycle of calls is found" "$(cycles "$work" "$work")" "plugins/a: x y"

done_testing
