#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Runs of the program and its tools in which one allocation fails: of them, of a plugin, or of the C library on their
# behalf. support/failing.sh says what holds. POINTS (20) of each are tried; `make check-oom` tries all.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
default_points=${TCFLOW_QUICK:+8}
default_points=${default_points:-20}
. "$top_srcdir/tests/support/failing.sh"

cd "$work" || exit 1
preload=$work/failing.so counted=$work/count
${CC:-cc} -O1 -shared -fPIC -o "$preload" "$top_srcdir/tests/framework/failing_memory.c" -ldl 2>said || skip_all "no compiler"
[ -z "${TCFLOW_WRAPPER:-}" ] && ! nm -D "$TCFLOW" 2>/dev/null | grep -q __asan_init || skip_all "the sanitizer has allocations of its own"
how="ALLOCATIONS=$counted"
reason='memory|Cannot allocate'
failing_inputs
failing_all
diag "$disturbed_runs disturbed runs"
done_testing
