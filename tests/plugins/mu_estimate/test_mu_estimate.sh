#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# mu_estimate against the oracle on random traces. With right clocks no edge of a class is shorter than its minimum
# delay, and one is just as long. With clocks that are off by constants, the round trips are those that the whole trace
# has by the oracle's pairs, and the minimum delays are no larger than half of them.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

oracle=$top_builddir/tests/support/oracle/oracle
here=$top_srcdir/tests/plugins/mu_estimate
export LC_ALL=C

[ -x "$oracle" ] && [ -x "$generate" ] || skip_all "the oracle or the generator of traces is not built"

# learned ANCHOR OPTIONS...: the table as CSV to $work/mu.csv
learned()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" -o pipeline.survey=mu_estimate -o pipeline.chain=pass -o mu_estimate.format=csv "$@" \
        2>"$work/said" | tr -d '\r' >"$work/mu.csv" || diag "$(cat "$work/said")"
}

# Minimum of each class over its distances; the oracle counts barriers as n_to_n.
minima()
{
    awk -F, 'NR > 1 { sub(/^barrier$/, "n_to_n", $1); sub(/^omp_n_to_n$/, "omp_barrier", $1)
                      if (!($1 in least) || $4 < least[$1]) least[$1] = $4 }
             END { for (class in least) print class, least[class] }' "$work/mu.csv" | sort
}

# violated ANCHOR CLASS MU: by the oracle
violated()
{
    "$oracle" violations "$1" --mu "$3" --mu-class "$2:any:$3" 2>/dev/null | awk -F, -v class="$2" '$1 == "violations" && $2 == class { print $6 }'
}

p2p=p2p,sendrecv,nonblocking,cancel,any-source
all=$p2p,collectives,nb-collectives,subcomms,dup,self,intercomm,openmp,locks,pthreads,attributes

# made SEED OPTIONS...: a random trace in $work/trace
made()
{
    rm -rf "$work/trace"
    seed=$1
    shift
    "$generate" random --out "$work/trace" --seed "$seed" --ranks $((seed % 5 + 2)) --events 3000 "$@" >"$work/made" 2>&1 ||
        diag "$(cat "$work/made")"
    trace=$work/trace/traces.otf2
}

tight()
{
    minima >"$work/minima"
    ok "$1: something is learned" test -s "$work/minima"
    while read -r class ticks; do
        is "$1: no $class is shorter than $ticks ticks" "$(violated "$trace" "$class" "$ticks")" 0
        more=$(violated "$trace" "$class" $((ticks + 1)))
        ok "$1: a $class is as short" test "${more:-0}" -gt 0
    done <"$work/minima"
}

# events CHAIN: how many are read
events()
{
    tcflow -q --summary=json -i "$trace" -o "pipeline.chain=$1" -o mu_estimate.format=csv 2>&1 >"$work/beside.csv" |
        sed -n 's/.*"events": \([0-9]*\),.*/\1/p'
}

# Alone it has edges read only: of enters and leaves those of OpenMP barriers. Beside a filter that looks at events it gets all.
edges_only()
{
    all_events=$(events "mu_estimate pass")
    tr -d '\r' <"$work/beside.csv" >"$work/all.csv"
    same "$1: the same beside a filter that looks at all events" "$work/whole.csv" "$work/all.csv"
    others=$(tcflow -q -i "$trace" -o pipeline.chain=print | grep -E '^(CALLING_CONTEXT_)?(ENTER|LEAVE) ' | grep -c -v '!$omp .*barrier')
    ok "$1: there are other regions than barriers" test "$others" -gt 100
    ok "$1: they aren't read" test "$(events mu_estimate)" -le $((all_events - others))
}

for seed in $(seeds_of 8); do
    made "$seed" --features "$all" --ranks-per-node $((seed % 3 + 1))
    learned "$trace"
    tight "right clocks $seed"
    cp "$work/mu.csv" "$work/whole.csv"
    edges_only "right clocks $seed"
    for slice in 1 37; do
        learned "$trace" -o pipeline.slice=$slice
        same "right clocks $seed, slice = $slice" "$work/whole.csv" "$work/mu.csv"
    done
done
is "clocks are right" "$(grep -c -e round_trip, -e unknown, "$work/mu.csv")" 0

# As round_trips.awk has them: by class and distance, in ticks; with one stretch for the whole trace.
# 8000002: the two that were fastest are on one side of an inter-communicator, and don't wait for each other.
for seed in $(seeds_of 8) 8000002; do
    made "$seed" --features "$p2p,collectives,v-collectives,subcomms,intercomm" --clock-offset-ns 1000000000
    "$oracle" match "$trace" 2>/dev/null | awk -F, -f "$here/round_trips.awk" | sort >"$work/expected"
    learned "$trace" -o mu_estimate.interval=100000s -o mu_estimate.most=1s
    awk -F, 'NR > 1 && $9 > 0 { sub(/^barrier$/, "n_to_n", $1)
                                t = sprintf("%.0f", $10 * 1e9) + 0
                                if (!($1 in trip) || t < trip[$1]) trip[$1] = t }
             END { for (class in trip) print class, trip[class] }' "$work/mu.csv" | sort >"$work/got"
    same "wrong clocks $seed: smallest round trips" "$work/expected" "$work/got"
    ok "wrong clocks $seed: there are some" test -s "$work/got"
    least=$(awk 'NR == 1 || $2 + 0 < least { least = $2 + 0 } END { print least }' "$work/got")
    is "wrong clocks $seed: no minimum delay is larger than half of the smallest" \
        "$(awk -F, -v least="$least" 'NR > 1 && $2 != "same_process" && $4 > least / 2' "$work/mu.csv")" ""
done

# No edge at all, and a table that is written where it is wanted.
learned "$top_srcdir/examples/trace/traces.otf2" -o mu_estimate.output="$work/table.csv"
ok "the table goes to a file" test -s "$work/table.csv"
tcflow --describe mu_estimate --ini >"$work/mu.ini"
same "filters.d/mu_estimate.ini has the parameters" "$top_srcdir/filters.d/mu_estimate.ini" "$work/mu.ini"
tcflow -q -i "$trace" -o "pipeline.chain=mu_estimate print" -o mu_estimate.output="$work/chain.csv" >"$work/checked"
tcflow -q -i "$trace" -o pipeline.chain=print >"$work/plain"
same "in a chain, what passes is unchanged" "$work/plain" "$work/checked"
done_testing
