#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The default memory suffices for healthy traces of few locations, also where clocks are off by milliseconds: no filter
# has to release events early. The traces are longer than what fits into that memory. In two domains the segments behind
# the first one go on while that one waits for letters.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

for skew in 200000 5000000; do
    rm -rf "$work/trace"
    "$generate" bench --locations 16 --events 2000000 --skew $skew --out "$work/trace" >"$work/generated"
    for chain in "clc_forward clc_backward" "check wait_states" "clc_forward clc_backward clock_report"; do
        for domains in 1 2; do
            ok "$chain, clocks off by $skew ns" tcflow -j $domains --no-progress --summary=json -i "$work/trace/traces.otf2" \
                -o "pipeline.chain=$chain"
            like "the summary has notes" "$(cat "$work/.ok")" '"notes": \['
            is "nothing was released early" "$(grep -c '"released_early"' "$work/.ok")" 0
        done
    done
done
done_testing
