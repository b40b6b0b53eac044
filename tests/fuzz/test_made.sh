#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The fuzz targets that make traces of bytes, without libFuzzer: what was found once, the kept inputs, and SEEDS (40) random
# inputs from FIRST (1) on. Results are the same whatever slices, memory and domains are; copies are the trace. Where an
# allocation fails (no_memory.c, over SEEDS (40) random inputs), a run says so, or has the same results. `make fuzz` has more.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

runs=${SEEDS:-$(usually 40 200)}
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
    mkdir "$work/$target"
    gzip -dc "$top_srcdir/tests/fuzz/$target.tar.gz" | tar -x -f - -C "$work/$target"
    for file in "$top_srcdir/tests/fuzz/$target"/* "$work/$target"/*; do
        [ ! -f "$file" ] || set -- "$@" "$file"
    done
    "$top_builddir/tests/fuzz/replay_$target" "$first" "$runs" "$@" >"$work/out" 2>"$work/said"
    tap $? "$target: $runs seeds from $first on, $# kept inputs" || diag "$(tail -n 30 "$work/said")"
    if is_instrumented; then
        skip "$target, no memory" "the sanitizer has allocations of its own"
        continue
    fi
    "$top_builddir/tests/fuzz/no_memory_$target" "$first" "$runs" "$@" >"$work/out" 2>"$work/said"
    tap $? "$target, no memory: $(tail -n 1 "$work/said")" || diag "$(tail -n 30 "$work/said")"
done
done_testing
