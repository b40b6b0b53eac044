#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The fuzz targets that make traces of bytes, without libFuzzer: what was found once, and SEEDS (200) random inputs from FIRST (1)
# on. Results are the same whatever slices, memory and domains are; copies are the trace. `make fuzz` has more of it.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

runs=${SEEDS:-${TCFLOW_QUICK:+40}}
first=${FIRST:-1}
mkdir "$work/plugins"
for plugin in "$top_builddir"/plugins/*/.libs/*.so; do
    name=$(basename "$plugin" .so)
    ! grep -q '^TCF_FILTER = ' "$top_srcdir/plugins/$name/$name.c" || ln -s "$plugin" "$work/plugins/"
done
TCFLOW_FUZZ_PLUGINS=$work/plugins TMPDIR=$work
export TCFLOW_FUZZ_PLUGINS TMPDIR
for target in values copies; do
    set --
    for file in "$top_srcdir/tests/fuzz/$target"/*; do
        [ ! -f "$file" ] || set -- "$@" "$file"
    done
    "$top_builddir/tests/fuzz/replay_$target" "$first" "${runs:-200}" "$@" >"$work/out" 2>"$work/said"
    tap $? "$target: ${runs:-200} seeds from $first on, $# kept inputs" || diag "$(tail -n 30 "$work/said")"
done
done_testing
