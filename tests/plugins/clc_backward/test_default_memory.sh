#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The default memory suffices for healthy traces, also where clocks are off by milliseconds: no filter has to release
# events early. The traces are longer than what fits into that memory, and with many locations they are dense: 10 ms of
# their events are more than all memory. In two domains the segments behind the first one go on while that one waits for
# letters. With sends that are wrongly guessed to wait for their receives, all locations of such a segment come to wait for
# each other: then the guess is given up, not the order of events.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
usual_build_only

# correct CHAIN DOMAINS [option...]
correct()
{
    chain=$1
    domains=$2
    shift 2
    ok "$of, $chain, domains: $domains" tcflow -j "$domains" --no-progress --summary=json -i "$work/trace/traces.otf2" \
        -o "pipeline.chain=$chain" "$@"
    like "the summary has notes" "$(cat "$work/.ok")" '"notes": \['
    is "nothing was released early" "$(grep -c '"released_early"' "$work/.ok")" 0
}

# made LOCATIONS EVENTS SKEW
made()
{
    of="$1 locations, clocks off by $3 ns"
    rm -rf "$work/trace"
    "$generate" bench --locations "$1" --events "$2" --skew "$3" --out "$work/trace" >"$work/generated"
}

for skew in $(usually 5000000 "200000 5000000"); do
    made 16 2000000 $skew
    for chain in "clc_forward clc_backward" "check wait_states" "clc_forward clc_backward clock_report"; do
        correct "$chain" 1
        correct "$chain" 2
    done
done

# The whole correction; with right clocks, there is nothing to correct, and events are held all the same.
for case in "256 4000000 0" "1024 5000000 5000000" ${TCFLOW_LONG:+"64 6000000 0" "256 4000000 5000000"}; do
    # shellcheck disable=SC2086
    made $case
    for domains in 1 2; do
        correct "clc_forward clc_backward" $domains
        correct "presync clc_forward clc_backward otf2_write clock_report" $domains \
            -o pipeline.survey="clock_estimate mu_estimate" -o pipeline.reports=clock_report \
            -o otf2_write.path="$work/corrected" -o otf2_write.overwrite=yes
    done
done
# guessed MEMORY DOMAINS: the results in $work/results.MEMORY.DOMAINS
guessed()
{
    results=$work/results.$1.$2
    ok "wrong guesses, $1, domains: $2" tcflow waits "$work/guessed" -j "$2" --no-progress --summary=json \
        -o pipeline.memory="$1" -o efficiency.format=csv -o efficiency.output="$results" -o wait_states.format=csv \
        -o wait_states.output="$results.waits"
    is "nothing was released early, and nothing out of order" "$(grep -cE '"(released_early|given_up)"' "$work/.ok")" 0
    same "efficiencies are those of 32 MiB in one domain" "$work/results.32MiB.1" "$results"
    same "wait states, too" "$work/results.32MiB.1.waits" "$results.waits"
}

# All events need far more than 32 MiB.
"$top_builddir/tcflow-synth" "$work/guessed" --ranks 16 --nodes 4 --events 600k --pattern ring,halo,collectives \
    --clock offset=200us,drift=5 >"$work/made"
for domains in 1 2 3; do
    guessed 32MiB $domains
done
guessed 1GiB 1

# In a segment behind clc_backward a send passes whose receiver has come further than its end: it isn't waited for until all
# locations wait for each other, for which each of them would need some slices.
made 16384 3300000 0
for domains in 1 2; do
    for last in check efficiency; do
        correct "presync clc_forward clc_backward $last" $domains
        sed -n 's/.*"peak_bytes": \([0-9]*\).*/\1/p' "$work/.ok" >"$work/peak.$last"
    done
    awk -v a="$(cat "$work/peak.check")" -v b="$(cat "$work/peak.efficiency")" 'BEGIN { exit !(a > 0 && b < 1.3 * a) }'
    tap $? "slices don't pile up, domains: $domains" || diag "peak memory: $(cat "$work/peak.check"), $(cat "$work/peak.efficiency")"
done

# A domain that has read all of its events still holds what the others wait for.
"$top_builddir/tcflow-synth" "$work/done" --ranks 16 --nodes 4 --events 1500k --pattern pairs,serial \
    --clock offset=5ms,drift=20,sine=50us:20s >"$work/made"
ok "domains of unequal length" tcflow waits "$work/done" -j 3 --no-progress --summary=json
is "nothing was released early, no jump cut short" "$(grep -cE '"(released_early|given_up|early_backward)"' "$work/.ok")" 0
done_testing
