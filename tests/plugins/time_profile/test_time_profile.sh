#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# time_profile equals the oracle, which looks at a trace as a whole: on a recorded trace, on random ones, and on
# those whose enters and leaves don't fit, with slices of any size and few or many bins; and all bins together are the
# exclusive time of profile.
# SEEDS (default 3) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
usual_seeds=3
. "$top_srcdir/tests/support/random.sh"

# by_name: lines "KEY|NAME|TICKS", those of one key and name put together, without those that come to nothing.
by_name()
{
    awk -F'|' '{ ticks[$1 "|" $2] += $3 } END { for (k in ticks) if (ticks[k] != 0) printf "%s|%.0f\n", k, ticks[k] }' | sort
}

# Names stand behind seven commas in the filter's CSV, behind four in the oracle's.
profiled()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" -o pipeline.chain="time_profile profile" -o profile.calltree=no -o profile.format=csv \
        -o profile.output="$work/profile.csv" -o profile.overwrite=yes -o time_profile.format=csv "$@" \
        >"$work/csv" 2>"$work/said" ||
        diag "$(cat "$work/said")"
    tr -d '\r' <"$work/csv" | sed -nE 's/^[0-9.e+-]*,[^,]*,[^,]*,([^,]*),([^,]*),([^,]*),[^,]*,(.*)$/\3,\2|\4|\1/p' |
        by_name >"$work/got"
}

foreseen()
{
    "$oracle" time-profile "$1" --time-bins "$2" 2>/dev/null | sed -nE 's/^time,([^,]*),([^,]*),([^,]*),(.*)$/\1,\2|\4|\3/p' |
        by_name >"$work/expected"
}

# The bins of each region together beside profile's exclusive ticks.
totals()
{
    sed -E 's/^[^|]*\|/|/' "$work/got" | by_name >"$work/together"
    tr -d '\r' <"$work/profile.csv" | sed -nE 's/^[0-9.e+-]*,([^,]*,){5}([^,]*),[^,]*,[^,]*,[^,]*,[^,]*,(.*)$/|\3|\2/p' |
        by_name >"$work/exclusive"
}

# by_process NAME ANCHOR: ids of processes behind what stands in front of the key; no name of a process has a comma
by_process()
{
    "$oracle" time-profile "$2" --by-process --time-bins 37 2>/dev/null |
        sed -nE 's/^time ([^,]*),([^,]*),([^,]*),([^,]*),(.*)$/\1,\2,\3|\5|\4/p' | by_name >"$work/expected"
    tcflow -q -i "$2" -o pipeline.chain=time_profile -o time_profile.by_process=yes -o time_profile.time_bins=37 -o pipeline.slice=13 \
        -o time_profile.format=csv 2>"$work/said" | tr -d '\r' |
        sed -nE 's/^[0-9.e+-]*,[^,]*,[^,]*,([^,]*),([^,]*),([^,]*),[^,]*,(.*),(-?[0-9]*),([0-9]*),[^,]*$/\6:\5,\3,\2|\4|\1/p' | by_name >"$work/got"
    same "$1: by process" "$work/expected" "$work/got"
}

# agree NAME ANCHOR
agree()
{
    by_process "$1" "$2"
    for bins in 128 2 37; do
        foreseen "$2" $bins
        for slice in 0 1 13; do
            profiled "$2" -o time_profile.time_bins=$bins -o pipeline.slice=$slice
            same "$1: $bins bins, slice = $slice" "$work/expected" "$work/got"
        done
    done
    totals
    same "$1: all bins together are the exclusive time of profile" "$work/exclusive" "$work/together"
}

by_process "a recorded trace" "$example"
ok "there is something of four processes" test "$(cut -d , -f 1 "$work/got" | sort -u | wc -l)" -eq 4
agree "a recorded trace" "$example"
ok "there is something" test -s "$work/exclusive"
for anchor in ${TRACES:-}; do
    agree "$anchor" "$anchor"
done
each_odd 4
each "random trace" --features p2p,collectives,openmp,locks,metrics --regions-per-rank --clock-offset-ns 30000 \
    --clock-drift-ppm 100 --end-early 0.2 --empty-locations 1
each "wrong properties of the clock" --features p2p,collectives,openmp --wrong-clock-properties

seed=${FIRST:-1}
while [ "$seed" -lt $((${FIRST:-1} + seeds)) ]; do
    ok "several ranks of a process, trace $seed, are made" made "$seed" --ranks $((seed % 5 + 4)) --ranks-per-process 2 \
        --events 1000 --features p2p,collectives,openmp,mpi-threads &&
        by_process "several ranks of a process, trace $seed" "$work/trace/traces.otf2"
    ok "which have rows of their own" sh -c "grep -q ':0,' '$work/got' && grep -q ':1,' '$work/got'"
    seed=$((seed + 1))
done

# Caps and top: what is left out stands in a row of its own, and the sums of the bins stay the same.
sums()
{
    tr -d '\r' <"$work/csv" | awk -F, '/^[0-9-]/ { sum[$5] += $4 }
        END { for (b in sum) printf "%s %.0f\n", b, sum[b] }' | sort
}
profiled "$work/odd/traces.otf2"
sums >"$work/all"
for limit in top max_regions; do
    profiled "$work/odd/traces.otf2" -o time_profile.$limit=2
    sums >"$work/some"
    same "$limit = 2: the same sums" "$work/all" "$work/some"
    is "$limit = 2: three names" "$(sed 's/^[^|]*|\(.*\)|[^|]*$/\1/' "$work/got" | sort -u | wc -l | tr -d ' ')" 3
done
like "a cap is reported" "$(tcflow -i "$work/odd/traces.otf2" -o pipeline.chain=time_profile -o time_profile.max_regions=2 \
    -o time_profile.output=/dev/null -o time_profile.overwrite=yes 2>&1)" 'more regions than max_regions = 2'
"$generate" odd --locations 1 --events 10 --deep 140000 --out "$work/deep" || exit 1
like "a recursion deeper than the stack is reported" "$(tcflow -i "$work/deep/traces.otf2" -o pipeline.chain=time_profile \
    -o time_profile.output=/dev/null -o time_profile.overwrite=yes 2>&1)" 'deeper than any sane stack'
profiled "$work/deep/traces.otf2"
totals
same "and its time is that of profile" "$work/exclusive" "$work/together"

fails 2 "time_bins = 1 is refused" tcflow -i "$example" -o pipeline.chain=time_profile -o time_profile.time_bins=1
like "text has a table" "$(tcflow -q -i "$example" -o pipeline.chain=time_profile)" '^Exclusive time by region over time'
done_testing
