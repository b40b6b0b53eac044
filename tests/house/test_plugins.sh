#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The rooms of plugins/: no filter includes another one's folder, and the files of a filter call one way.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

have python3 && have nm || skip_all "python3 or nm is missing"
check()
{
    python3 "$top_srcdir/tests/house/plugins.py" "$@"
}

is "filters include their own folder and plugins/shared alone" "$(check includes "$top_srcdir" 2>&1)" ""
# TODO clock_estimate has two cycles of two files each.
is "files of a filter call one way" "$(check cycles "$top_srcdir" "$top_builddir" 2>&1 | grep -v '^plugins/clock_estimate: ')" ""

# The test sees what is wrong.
mkdir -p "$work/plugins/a/.libs" "$work/plugins/b" "$work/plugins/shared/waits" "$work/plugins/shared/clocks"
echo '#include "../b/b.h"' >"$work/plugins/a/a.c"
echo '#include "../shared/waits/waits.h"' >"$work/plugins/b/b.c"
echo '#include "../waits/waits.h"' >"$work/plugins/shared/clocks/c.c"
is "an include of another filter, or of another part, is found" "$(check includes "$work")" \
    "plugins/a/a.c includes ../b/b.h
plugins/shared/clocks/c.c includes ../waits/waits.h"
for pair in "x y" "y x" "z x"; do
    set -- $pair
    echo "void $2(void); void $1(void); void $1(void) { $2(); }" >"$work/plugins/a/$1.c"
    ${CC:-cc} -c -o "$work/plugins/a/.libs/a_la-$1.o" "$work/plugins/a/$1.c"
done
is "a cycle of calls is found" "$(check cycles "$work" "$work")" "plugins/a: x.o y.o"

done_testing
