#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What a location takes in the framework, beside definitions and what filters declare: at most 512 bytes, whatever the
# chain. Everything that the program allocates by location counts.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

cd "$work" || exit 1
${CC:-cc} -O1 -shared -fPIC -o counting.so "$top_srcdir/tests/framework/counting_memory.c" -ldl 2>said || skip_all "no compiler"
! is_instrumented || skip_all "the sanitizer has allocations of its own"
most=512 entries=4099 # a prime number
"$generate" bench --locations $((entries - 1)) --events 200000 --out trace >/dev/null

# counted OPTION...: bytes a location
counted()
{
    env ENTRIES=$entries COUNTED="$work/count" LD_PRELOAD="$work/counting.so" "$TCFLOW" "$@" trace/traces.otf2 \
        >stdout 2>said && cat count
}

# Definitions and the reader's state, which otf2_internal.h holds at `reader` bytes.
reader=120
without=$(counted info)
like "definitions and reader are counted ($without)" "$without" '^[0-9]{3}$'
for chain in pass check "wait_states root_cause critical_path" "presync clc_forward clc_backward"; do
    declared=$(tcflow --check -i trace/traces.otf2 -o "pipeline.chain=$chain" 2>/dev/null |
        sed -n 's/.*in bytes://p' | sed 's/ + [0-9]*//g' | tr -c '0-9\n' ' ' | awk '{ for (i = 1; i <= NF; i++) n += $i } END { print n + 0 }')
    all=$(counted --no-progress -o "pipeline.chain=$chain" -i)
    state=$((${all:-99999} - without + reader - declared))
    ok "$chain: $state bytes a location" [ "$state" -gt 40 -a "$state" -le $most ]
done
done_testing
