#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The fuzz targets of the readers and of settings, without libFuzzer, over what found something once and what is kept of
# earlier runs: what a target looks at holds (tests/fuzz/readers.h), and what is refused has a reason. `make fuzz` has more of it.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

for target in chrome csv events hpctoolkit merge nsight perfetto projections settings stream; do
    replay=$top_builddir/tests/fuzz/replay_$target
    [ -x "$replay" ] || { skip "$target" "its reader isn't built"; continue; }
    mkdir "$work/$target"
    gzip -dc "$top_srcdir/tests/fuzz/$target.tar.gz" | tar -x -f - -C "$work/$target"
    [ ! -d "$top_srcdir/tests/fuzz/$target" ] || cp "$top_srcdir/tests/fuzz/$target"/* "$work/$target"
    "$replay" 1 0 "$work/$target"/* >"$work/out" 2>"$work/said"
    status=$?
    is "$target: exit status" "$status" 0 || diag "$(tail -n 30 "$work/said")"
    is "$target: each kept input was tried" "$(grep -c '^file ' "$work/said")" "$(ls "$work/$target" | wc -l)"
done
done_testing
