#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Wait states over random traces: instance by instance what the whole-trace oracle finds, with slices and windows of any size, caps
# that are not reached, wrong clocks, losses; behind other filters as well. And programs of which it is known how long they wait.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

synth=$top_builddir/tcflow-synth
as_oracle=$top_srcdir/tests/plugins/wait_states/as_oracle.awk

always="--equal-timestamps 0.1" enough=5

# found INPUT [option...]: all instances that the filter finds, into $work/got; what was given up, or reached a cap, is in $work/notes.
found()
{
    input=$1
    shift
    reported wait_states "$input" -o wait_states.worst=65536 -o wait_states.all=yes "$@" || return
    awk -f "$as_oracle" "$work/report" | LC_ALL=C sort >"$work/got"
}

# Everything that the trace has was looked at.
complete() { complete_but max_; }

# A part is never more than the whole; nothing is negative.
inclusive()
{
    tr -d '"\r' <"$work/report" | awk -F, '
        $1 == "patterns" { time[$8] = $11; parent[$8] = $9; if ($11 < 0) { print; bad = 1 } }
        $1 == "instances" && $6 <= 0 { print; bad = 1 }
        END { for (p in time) if (time[p] > time[parent[p]] && p !~ /^mpi_late(receiver|sender)/) { print p " is more than " parent[p]; bad = 1 }
              exit bad }'
}

# check ANCHOR: as the oracle with any window. There is no survey: every channel is trusted.
check()
{
    timeout 120 "$oracle" waits "$1" --trusting 2>"$work/why" | LC_ALL=C sort >"$work/expected"
    [ -s "$work/expected" ] || { failed="$failed
$name: $(cat "$work/why")"; return; }
    for window in slice=0 slice=1 "slice=$((seed * 5 % 500 + 2))" "slice=$((seed % 50 + 3)) memory=1MiB" "slice=4 undecided=32" "slice=0 undecided=64"; do
        set -- "$1"
        for option in $window; do
            case $option in
            undecided=*) set -- "$@" -o "wait_states.max_$option" ;;
            *) set -- "$@" -o "pipeline.$option" ;;
            esac
        done
        try "$window" found "$@"
        complete || continue
        try "as the oracle, $window" equal "$work/expected" "$work/got"
        try "a tree, $window" inclusive
        compared=$((compared + 1))
    done
}

random_programs
random "epochs of windows" --features "$single,openmp,rma,window-collectives" --epochs
random "locks of windows" --features "$single,openmp,rma,window-collectives" --epochs --passive
random "wrong clocks" --features "$single,openmp,locks,pthreads" --clock-offset-ns 30000 --clock-drift-ppm 100 --clock-jumps 2 \
    --clock-jump-ns 4000

archives

# Where calls of MPI are not recorded as regions, all of them or some, their events stand directly in regions of the user's.
failed= compared=0 kind=bare seed=${FIRST:-1}
while [ "$seed" -lt $((${FIRST:-1} + seeds)) ]; do
    for calls in "MPI_*" "MPI_Send MPI_Recv MPI_Wait* MPI_Barrier" "MPI_* *omp* pthread_*"; do
        name="without $calls, $seed"
        made "$seed" --events 1500 --features "$single,openmp,locks,pthreads,rma"
        rm -rf "$work/bare"
        try "taking calls away" timeout 60 "$TCFLOW" -q -i "$work/trace/traces.otf2" -o "pipeline.chain=select otf2_write" \
            -o "select.exclude_regions=$calls" -o otf2_write.path="$work/bare"
        check "$work/bare/traces.otf2"
        [ "$(grep -c ^wait "$work/expected")" -gt 10 ] || failed="$failed
$name: hardly any waits"
    done
    seed=$((seed + 1))
done
is "calls of MPI that are no regions: $compared comparisons" "$failed" ""
ok "there are some" test "$compared" -gt 10

# --------------------------------------------------------------------------------------------------- with other filters

# Behind a correction of clocks: what is found is what is found in the corrected trace that is written.
failed= name="behind clc" kind=clc
made 7 --events 2000 --features "$single,openmp,locks" --clock-offset-ns 30000 --clock-drift-ppm 100
anchor=$work/trace/traces.otf2
for chain in "clc_forward wait_states" "clc_forward clc_backward wait_states" "clc_forward clc_backward overhead wait_states" \
    "wait_states clc_forward" "clc_forward wait_states clc_backward"; do
    rm -rf "$work/written"
    before=${chain%% wait_states*}
    case $chain in wait_states*) before=pass ;; esac
    set -- -o clc_forward.mu=10ticks -o clc_forward.output=/dev/null -o clc_forward.overwrite=yes
    case $chain in *overhead*) set -- "$@" -o "overhead.event=30 ticks" -o overhead.mode=upper -o overhead.output=/dev/null -o overhead.overwrite=yes ;; esac
    case $chain in *backward*) set -- "$@" -o clc_backward.output=/dev/null -o clc_backward.overwrite=yes ;; esac
    try "$chain" found "$anchor" -o "pipeline.chain=$chain" -o pipeline.slice=50 "$@"
    cp "$work/got" "$work/behind"
    case $before in *forward*) set -- -o clc_forward.mu=10ticks -o clc_forward.output=/dev/null -o clc_forward.overwrite=yes ;; *) set -- ;; esac
    case $before in *overhead*) set -- "$@" -o "overhead.event=30 ticks" -o overhead.mode=upper -o overhead.output=/dev/null -o overhead.overwrite=yes ;; esac
    case $before in *backward*) set -- "$@" -o clc_backward.output=/dev/null -o clc_backward.overwrite=yes ;; esac
    try "$chain: written" timeout 60 "$TCFLOW" -q -i "$anchor" -o "pipeline.chain=$before otf2_write" -o otf2_write.path="$work/written" "$@"
    "$oracle" waits "$work/written/traces.otf2" --trusting 2>/dev/null | LC_ALL=C sort >"$work/expected"
    try "$chain: as the oracle over what is written" equal "$work/expected" "$work/behind"
done
is "behind and in front of other filters" "$failed" ""

# Call paths are a matter of where, not of what and how long.
made 5 --events 2000 --features "$single,openmp,locks"
found "$work/trace/traces.otf2" && cut -d , -f 1-8 "$work/got" | LC_ALL=C sort >"$work/expected"
found "$work/trace/traces.otf2" -o pipeline.max_callpaths=4 && cut -d , -f 1-8 "$work/got" | LC_ALL=C sort >"$work/few"
same "the same waits with few call paths" "$work/expected" "$work/few"

# ------------------------------------------------------------------------------------------------------- known programs

# total PATTERN: ticks and instances
total()
{
    tr -d '"\r' <"$work/report" | awk -F, -v p="$1" '$1 == "patterns" && $8 == p { print $11 / 1, $5; found = 1 } END { if (!found) print "0 0" }'
}

# Nothing is late where everybody computes equally long, without jitter; with more work at one rank the others wait for it.
made_by_synth()
{
    rm -rf "$work/synth"
    "$synth" --ranks 4 --nodes 1 --overhead 0 --recording 0ns --jitter 0ns,0ns,0ns "$@" "$work/synth" >"$work/why" 2>&1 &&
        found "$work/synth/traces.otf2"
}

if made_by_synth --pattern latesender --events 4000 --seed 3; then
    timeout 60 "$oracle" waits "$work/synth/traces.otf2" --trusting 2>/dev/null | LC_ALL=C sort >"$work/expected"
    same "late senders of a program: as the oracle" "$work/expected" "$work/got"
    ok "there are late senders" test "$(total mpi_latesender | cut -d ' ' -f 2)" -gt 10
else
    tap 1 "a program with late senders"
    diag "$(head -n 3 "$work/why")"
fi
# Ranks compute for 100, 133.333, 166.666 and 200 us, and meet in a barrier that all leave at once: in each the first three wait
# for 100,000 + 66,667 + 33,334 ns.
if made_by_synth --pattern imbalance --imbalance 1 --compute 100us:0 --events 4000 --seed 3; then
    barriers=$(awk -F, '$1 == "count" && $2 == "syncs_coll" { print $3 / 4 }' "$work/got")
    ok "an imbalanced program has barriers" test "$barriers" -gt 100
    is "imbalance is what the program computes" "$(total mpi_barrier_wait)" "$((barriers * 200001)) $((barriers * 3))"
    is "and nothing else" "$(total mpi_barrier_completion) $(total mpi_latesender)" "0 0 0 0"
else
    tap 1 "an imbalanced program"
    diag "$(head -n 3 "$work/why")"
fi

# -------------------------------------------------------------------------------------------------------- documentation

undocumented=$(tr -d '"\r' <"$work/report" | awk -F, '$1 == "patterns" && $9 != $8 && $10 == "s" { print $8 }' | while read -r pattern; do
    case $pattern in
    *wait* | *completion* | *late* | *lswo* | *early* | *contention* | *idle*)
        grep -q "$pattern" "$top_srcdir/plugins/wait_states/README.md" || echo "$pattern" ;;
    esac
done)
is "README defines every pattern" "$undocumented" ""

done_testing
