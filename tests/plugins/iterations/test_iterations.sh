#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# iterations equals the oracle, which looks at every visit of a trace as a whole: on a recorded trace, on random ones, on those whose
# enters and leaves don't fit, and on simulated programs, of which it is known how often they iterate; with slices of any size.
# SEEDS (default 3) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
usual_seeds=3
. "$top_srcdir/tests/support/random.sh"

synth=$top_builddir/tcflow-synth
as_oracle=$top_srcdir/tests/plugins/iterations/as_oracle.awk

# found ANCHOR OPTIONS...
found()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" -o pipeline.chain=iterations -o iterations.format=csv -o iterations.worst=65536 "$@" \
        2>"$work/said" >"$work/csv" || diag "$(cat "$work/said")"
    awk -f "$as_oracle" "$work/csv" | sort >"$work/got"
}

# agree NAME ANCHOR: as it comes, with hardly any limits, and with $region as the anchor if there is one; in few and many bins.
agree()
{
    set -- "$1" "$2" "$region"
    for how in "4 0.2 32" "3 0 2" "3 0.05 7" "REGION"; do
        set -- "$1" "$2" "$3" $how
        if [ "$how" = REGION ]; then
            [ -n "$3" ] || continue
            "$oracle" iterations "$2" --anchor "$3" --time-bins 5 >"$work/foreseen" 2>"$work/said"
            set -- "$1" "$2" "$3" -o iterations.anchor="$3" -o iterations.bins=5
        else
            "$oracle" iterations "$2" --least "$4" --share "$5" --time-bins "$6" >"$work/foreseen" 2>"$work/said"
            set -- "$1" "$2" "$3" -o iterations.min_iterations="$4" -o iterations.min_share="$5" -o iterations.bins="$6"
        fi
        grep -v '^#' "$work/foreseen" | sort >"$work/expected"
        name=$1
        input=$2
        region=$3
        shift 3
        for slice in 0 1 13; do
            found "$input" -o pipeline.slice=$slice "$@"
            same "$name: $how, slice = $slice" "$work/expected" "$work/got"
        done
        is "$name: $how: no cap was reached" "$(grep -E '^limits,(max_|cand|depth)' "$work/csv")" ""
        loops=$((loops + $(grep -c '^loop' "$work/got")))
        set -- "$name" "$input" "$region"
    done
}

loops=0
region=MPI_Send
agree "a recorded trace" "$example"
region=
for anchor in ${TRACES:-}; do
    agree "$anchor" "$anchor"
done
each_odd 3
region=MPI_Recv
each "random trace" --features p2p,nonblocking,collectives,nb-collectives,openmp,locks,metrics --regions-per-rank \
    --equal-timestamps 0.1 --end-early 0.2 --empty-locations 1
each "several ranks of a process" --ranks-per-process 2 --features p2p,collectives,openmp
ok "loops were compared" test "$loops" -gt 20

# Simulated programs: as many iterations as there are visits of a call that each of them makes once, on each rank.
# iterates PATTERN CALL ANCHOR
iterates()
{
    "$synth" --ranks 4 --events 20k --seed 3 --pattern "$1" --overwrite "$work/synth" || return
    found "$work/synth/traces.otf2" -o pipeline.chain="iterations profile" -o profile.format=csv \
        -o profile.output="$work/profile.csv" -o profile.overwrite=yes
    is "$1: the rounds of the simulation" "$(sed -n 's/^loops,//p' "$work/csv" | awk -F, '{ print $1, $2, $3, $NF }' | tr -d '\r')" \
        "$(tr -d '\r' <"$work/profile.csv" | awk -F, -v call="$2" '$1 == "flat_profile" && $NF == call { print $5 / 4, 4, 4 }') $3"
}
iterates ring compute main/compute
iterates halo MPI_Waitall main/compute
iterates sendrecv compute main/compute
iterates imbalance compute main/compute
iterates collectives compute main/compute
iterates ring,halo,collectives MPI_Waitall main/MPI_Send
iterates ring,ring,halo MPI_Waitall main/MPI_Waitall

# Without the regions of the user a step is a burst of MPI_Sendrecv, of which the first one shows what is usual.
"$synth" --ranks 6 --events 20k --seed 3 --pattern sendrecv --overwrite "$work/synth" >/dev/null 2>&1
tcflow -q -i "$work/synth/traces.otf2" -o pipeline.chain="profile select otf2_write" -o profile.format=csv \
    -o "select.exclude_regions=main compute" -o otf2_write.path="$work/calls" >"$work/profile.csv"
steps=$(tr -d '\r' <"$work/profile.csv" | awk -F, '$1 == "flat_profile" && $NF == "compute" { print $5 / 6 }')
agree "calls of MPI alone" "$work/calls/traces.otf2"
found "$work/calls/traces.otf2"
is "calls of MPI alone: bursts are the steps" "$(sed -n 's/^loops,//p' "$work/csv" | awk -F, '{ print $1, $2, $3, $(NF - 1), $NF }' | tr -d '\r')" \
    "$((steps - 1)) 6 6 1 MPI_Sendrecv"

like "what is not there is said" "$(tcflow -i "$work/calls/traces.otf2" -o pipeline.chain=iterations -o iterations.output=/dev/null \
    -o iterations.overwrite=yes -o iterations.min_iterations=100000 2>&1)" 'have nothing that repeats'
fails 2 "an anchor that isn't there" tcflow -i "$example" -o pipeline.chain=iterations -o iterations.anchor=nowhere
fails 2 "min_iterations = 2 is refused" tcflow -i "$example" -o pipeline.chain=iterations -o iterations.min_iterations=2
like "text has a table" "$(tcflow -q -i "$example" -o pipeline.chain=iterations)" '^Iterations by location'
done_testing
