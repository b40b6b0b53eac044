#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# metrics equals the oracle, which looks at a trace as a whole: on random traces with counters of all modes and types, with slices of
# any size, few and many bins of time, of all locations and of each; what caps cost is told.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

here=$top_srcdir/tests/plugins/metrics

# counted ANCHOR OPTIONS...: the filter's CSV to $work/csv, in the oracle's form to $work/got
counted()
{
    anchor=$1
    shift
    tcflow -i "$anchor" -o pipeline.chain=metrics -o metrics.format=csv "$@" >"$work/csv" 2>"$work/said" ||
        diag "$(cat "$work/said")"
    awk -f "$here/as_oracle.awk" "$work/csv" | sort >"$work/got"
}

# agree NAME ANCHOR
agree()
{
    for whose in "128 no" "2 yes" "37 yes"; do
        set -- "$1" "$2" $whose
        option=
        [ "$4" = no ] || option=--by-location
        "$oracle" metrics "$2" --time-bins "$3" $option 2>/dev/null | sort >"$work/expected"
        for slice in 0 1 13; do
            counted "$2" -o pipeline.slice=$slice -o metrics.time_bins="$3" -o metrics.by_location="$4"
            is "$1: $3 bins, by location: $4, slice = $slice" \
                "$(awk -f "$here/compare.awk" "$work/expected" "$work/got" | head -n 5)" ""
        done
    done
}

for anchor in ${TRACES:-}; do
    "$oracle" metrics "$anchor" 2>/dev/null | grep -qv '^#' || continue
    agree "$anchor" "$anchor"
done

each "counters" --features p2p,counters,metrics --equal-timestamps 0.3
like "values that are left out are told" "$(cat "$work/said")" '[0-9]+ values are left out'
ok "a counter fell" awk -F, '/^series/ && $3 > 0 { found = 1 } END { exit !found }' "$work/got"
each "threads, regions of each rank" --features openmp,pthreads,counters,mpi-threads,p2p --regions-per-rank --sparse-locations \
    --end-early 0.3 --empty-locations 1
each "wrong properties of the clock" --features p2p,counters,metrics --wrong-clock-properties

# Caps: what is beyond is told, and the sums stay the same.
sums() { awk -F, '/^path/ { samples += $(NF - 1) } END { print samples }' "$work/got"; }
counted "$work/trace/traces.otf2"
all=$(sums)
counted "$work/trace/traces.otf2" -o metrics.max_rows=20
is "max_rows = 20: the same number of samples" "$(sums)" "$all"
like "and it is told" "$(cat "$work/said")" 'more rows by call path than max_rows = 20'
counted "$work/trace/traces.otf2" -o metrics.max_series=3
like "series without bins of time are told" "$(cat "$work/said")" 'series have no bins of time: .* max_series = 3'
counted "$work/trace/traces.otf2" -o metrics.time_bins=0 -o metrics.callpaths=no
is "without bins and call paths" "$(grep -cE '^(path|time)' "$work/got")" 0
fails 2 "time_bins = 1 is refused" tcflow -i "$example" -o pipeline.chain=metrics -o metrics.time_bins=1
like "text has a table" "$(tcflow -q -i "$work/trace/traces.otf2" -o pipeline.chain=metrics)" '^Metrics by location'
done_testing
