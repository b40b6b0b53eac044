#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Overhead compensation over random traces: tick for tick what the whole-trace oracle computes, with slices and windows of
# any size; order and happened-before relations kept; lower <= likely, mean <= upper; nothing changes where nothing costs
# anything. And against the truth: a program run without overhead. SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

# parameters N: the N-th set, for both sides: $ours and $theirs.
parameters()
{
    ours= theirs=
    # a tick is 1 ns; eighths of it are exact on both sides
    case $(($1 % 3)) in
    0) both event "event=40 ticks" --event 40 ;;
    1) both event "event=40.375ns" --event 40.375 ;;
    2) both event "event=250ps" --event 0.25 ;;
    esac
    carry=$(($1 % 3 * $1 * 400))
    both carry "carry=$carry ticks" --carry "$carry"
    handover=$((($1 + 1) % 3 * 700))
    both handover "handover=$handover ticks" --handover "$handover"
    case $(($1 % 4)) in # MPI_Ssend waits in these traces, and no other: with a size all wait for each other sometimes
    0) waits 1 $(($1 % 3 * 900)) ;;
    1) waits 500 $(($1 % 3 * 900)) ;;
    3) waits synchronous $(($1 % 3 * 900)) ;;
    esac
    case $(($1 % 4)) in
    1) both kinds "kinds=ENTER:55ticks,MPI_RECV:90ticks,METRIC:120ticks" --kind ENTER:55 --kind MPI_RECV:90 --kind METRIC:120
       both copy "copy=8:20ticks,1000:150ticks,5000:400ticks" --copy 8:20 --copy 1000:150 --copy 5000:400 ;;
    2) both paper "paper=yes" --paper
       both copy "copy=100:30ticks,2KiB:10ticks" --copy 100:30 --copy 2048:10 ;;
    3) both common "synchronised=common" --common
       both value "metric_value=17.5ns" --metric-value 17.5
       both attribute "attribute=8.875ns" --attribute 8.875
       both off "remove_off=no" --keep-off
       both kind "kinds=LEAVE:3000ticks" --kind LEAVE:3000 ;;
    0) both kind "kinds=MPI_COLLECTIVE_END:500ticks,THREAD_TEAM_BEGIN:10ticks" \
        --kind MPI_COLLECTIVE_END:500 --kind THREAD_TEAM_BEGIN:10 ;;
    esac
}

# waits RENDEZVOUS HANDSHAKE: on both sides.
waits()
{
    both rendezvous "rendezvous=$1" --rendezvous "$1"
    both handshake "handshake=$2 ticks" --handshake "$2"
}

# both WORD OURS THEIRS...: adds an option on both sides.
both()
{
    ours="$ours${ours:+
}overhead.$2"
    shift 2
    theirs="$theirs $*"
}

# written INPUT OUTPUT MODE [option...]: runs the filter. Notes are in OUTPUT.notes, the report in OUTPUT.csv then.
written()
{
    input=$1 output=$2 mode=$3
    shift 3
    old_ifs=$IFS
    IFS='
'
    for option in $ours; do
        set -- "$@" -o "$option"
    done
    IFS=$old_ifs
    rm -rf "$output" "$output.notes" "$output.csv"
    timeout 120 "$TCFLOW" -i "$input" -o 'pipeline.chain=overhead otf2_write' -o "otf2_write.path=$output" \
        -o "overhead.mode=$mode" -o overhead.format=csv -o "overhead.output=$output.csv" --summary=json "$@" \
        2>"$output.notes" >/dev/null || { head -n 5 "$output.notes"; return 1; }
}

# expected INPUT MODE: what the oracle makes of it. There is no survey: every channel is trusted.
expected()
{
    # shellcheck disable=SC2086 # words
    timeout 120 "$oracle" overhead "$1" --trusting --mode "$2" $theirs
}

times_in()
{
    "$oracle" dump "$1" 2>/dev/null | awk '/^[0-9]/ { print $4 == "BUFFER_FLUSH" ? $1 " " $2 " " $3 " " $4 " " $5 : $1 " " $2 " " $3 }'
}

# What was given up has no partner.
complete()
{
    [ "$(note given_up "$1.notes")" -le "$(note unmatched_receives "$1.notes")" ] && [ "$(note dropped_messages "$1.notes")" = 0 ]
}

# decisions REPORT: m.1, m.2, a.1, a.2 of the table `total`.
decisions()
{
    tr -d '\r' <"$1" | awk -F, '
        !head && /(^|,)m1,m2,a1,a2(,|$)/ && !/location/ { for (i = 1; i <= NF; i++) if ($i == "m1") head = i; next }
        head { print "#decisions " $head " " $(head + 1) " " $(head + 2) " " $(head + 3); exit }'
}

# violated TRACE [option...]: number of violated edges. Puts and gets are kept by their location's order.
violated()
{
    "$oracle" violations --trusting "$@" 2>/dev/null |
        awk -F, '$1 == "violations" && $2 != "rma_op" { n += $4 } END { print n + 0 }'
}

none() { [ "$1" = 0 ] || { echo "$1"; return 1; }; }

# ordered A B: the same events, each in B no earlier than in A, local order kept in both.
ordered()
{
    "$oracle" compare "$1" "$2" >"$work/compared" 2>&1 || { head -n 3 "$work/compared"; return 1; }
    awk -F, '$1 == "compare" && ($5 > 0 || $6 > 0) { print; bad = 1 } END { exit bad }' "$work/compared"
}

# check_oracle ANCHOR: the oracle's times and decisions with any window; no edge violated.
check_oracle()
{
    for mode in likely lower mean upper; do
        expected "$1" $mode >"$work/oracle" 2>"$work/why" || { failed="$failed
$name: $(cat "$work/why")"; return; }
        grep -v '^#' "$work/oracle" >"$work/expected"
        grep '^#decisions' "$work/oracle" >"$work/expected.decisions"
        windows="slice=$((seed * 5 % 500 + 2))"
        [ $mode != lower ] || windows="slice=0 slice=1 $windows memory=1MiB"
        for window in $windows; do
            try "$mode, $window" written "$1" "$work/$mode" $mode -o "pipeline.$window"
            complete "$work/$mode" || continue
            times_in "$work/$mode/traces.otf2" >"$work/got"
            try "$mode is the oracle's, $window" equal "$work/expected" "$work/got"
            decisions "$work/$mode.csv" >"$work/got.decisions"
            try "$mode decides as the oracle, $window" equal "$work/expected.decisions" "$work/got.decisions"
            compared=$((compared + 1))
        done
        complete "$work/$mode" && try "$mode leaves no violation" none "$(violated "$1" --times "$work/$mode/traces.otf2")"
    done
}

# check_bounds ANCHOR: lower <= likely, mean <= upper <= measured. The literal equations don't promise that, nor does overhead that
# is carried: who waits less pays less of it.
check_bounds()
{
    case $ours in *paper=yes*) return ;; esac
    if [ "$carry" -gt 0 ]; then
        carried=$ours
        ours=$(printf '%s\n' "$ours" | sed 's/^overhead.carry=.*/overhead.carry=0/')
        for mode in lower likely mean upper; do
            try "$mode, nothing carried" written "$1" "$work/$mode" $mode
        done
        ours=$carried
    fi
    complete "$work/lower" && complete "$work/mean" && complete "$work/upper" || return 0
    try "lower is before likely" ordered "$work/lower/traces.otf2" "$work/likely/traces.otf2"
    try "likely is before upper" ordered "$work/likely/traces.otf2" "$work/upper/traces.otf2"
    try "lower is before mean" ordered "$work/lower/traces.otf2" "$work/mean/traces.otf2"
    try "mean is before upper" ordered "$work/mean/traces.otf2" "$work/upper/traces.otf2"
    case $ours in *common*) return ;; esac
    try "upper is before measured" ordered "$work/upper/traces.otf2" "$1"
}

# check_nothing ANCHOR: without overhead and copying, the upper bound is what was measured; in the other modes only
# receives whose message was there before can move, and what follows them.
check_nothing()
{
    ours=
    "$oracle" dump "$1" >"$work/expected" 2>/dev/null
    for literal in no yes; do
        ours="overhead.paper=$literal"
        try "nothing, paper = $literal" written "$1" "$work/nothing" upper -o overhead.remove_off=no
        "$oracle" dump "$work/nothing/traces.otf2" >"$work/got" 2>/dev/null
        try "without overhead nothing changes, paper = $literal" equal "$work/expected" "$work/got"
    done
    ours="overhead.copy=1:1000s"
    try "copying" written "$1" "$work/nothing" upper -o overhead.remove_off=no
    "$oracle" dump "$work/nothing/traces.otf2" >"$work/got" 2>/dev/null
    try "the cost of copying alone changes nothing" equal "$work/expected" "$work/got"
    # shellcheck disable=SC2086
    for mode in lower mean; do
        ours=
        try "nothing, $mode" written "$1" "$work/nothing" $mode -o overhead.remove_off=no
        decisions "$work/nothing.csv" | awk '{ exit $3 > 0 }' || continue
        "$oracle" dump "$work/nothing/traces.otf2" >"$work/got" 2>/dev/null
        try "without m.2 nothing changes, $mode" equal "$work/expected" "$work/got"
    done
}

check()
{
    parameters "$seed"
    check_oracle "$1"
    check_bounds "$1"
    check_nothing "$1"
}

enough=1 always="--equal-timestamps 0.1"
random "messages" --features p2p,sendrecv,nonblocking,cancel,any-source
random "collectives" --features collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
random "threads" --features p2p,collectives,openmp,locks,pthreads
random "threads that communicate" --features p2p,nonblocking,any-source,mpi-threads
random "teams of all sizes" --omp-threads 4 --features p2p,collectives,openmp,locks,nested,mpi-inside,team-sizes
random "any thread" --features "$single,openmp,locks,mpi-threads,any-thread,team-sizes"
random "persistent requests" --features "$single,persistent"
random "collectives without data" --features "$single" --empty-collectives
random "communicators made again" --features "$single" --reuse-comms
random "calling contexts" --features "$single,openmp,locks,pthreads,nested,mpi-inside" --contexts
random "locks of windows" --features "$single,openmp,rma,window-collectives" --epochs --passive
random "everything" --features "$single,openmp,locks,pthreads,attributes,metrics"
random "streams" --features p2p,nonblocking,collectives,streams
random "streams, threads, attributes" --features "$single,openmp,pthreads,attributes,metrics,streams"
random "streams alone" --features streams
random "losses" --features p2p,nonblocking,cancel,any-source,collectives --lose-sends 0.01 --never-complete 0.05
always=

# Clocks that are wrong: nothing is known then, but order holds behind the filter all the same.
failed= compared=0
for seed in 1 2 3; do
    name="wrong clocks $seed"
    parameters "$seed"
    made "$seed" --events 1500 --features "$single,openmp,locks,pthreads" --clock-offset-ns 30000 \
        --clock-drift-ppm 100 --clock-jumps 2 --clock-jump-ns 4000 && check_oracle "$work/trace/traces.otf2" &&
        try "tells of it" grep -q "the clocks are not right.*Correct" "$work/upper.notes"
done
[ "$compared" -gt 0 ] || failed="$failed nothing compared"
is "wrong clocks" "$failed" ""

# as_behind_a_file CHAIN KIND OPTIONS...: behind filters that move events, in the same causal segment or in one of its own,
# overhead computes what it does behind a file that they have written.
as_behind_a_file()
{
    chain=$1 kind=$2
    shift 2
    failed= compared=0
    for seed in 1 2 3 4; do
        name="$kind $seed"
        parameters $((seed % 2 ? 3 : 1))
        made "$seed" --events 1500 --clock-offset-ns 30000 --clock-jumps 2 --clock-jump-ns 4000 "$@" || continue
        rm -rf "$work/forward"
        timeout 60 "$TCFLOW" -q -i "$work/trace/traces.otf2" -o "pipeline.chain=$chain otf2_write" \
            -o "otf2_write.path=$work/forward" >/dev/null || failed="$failed $name: $chain"
        try "behind a file" written "$work/forward/traces.otf2" "$work/two" lower
        complete "$work/two" || continue
        times_in "$work/two/traces.otf2" >"$work/expected"
        for window in slice=0 slice=1 slice=100; do
            try "$window" written "$work/trace/traces.otf2" "$work/one" lower \
                -o "pipeline.chain=$chain overhead otf2_write" -o "pipeline.$window"
            times_in "$work/one/traces.otf2" >"$work/got"
            try "one run is as two, $window" equal "$work/expected" "$work/got"
            compared=$((compared + 1))
        done
    done
    [ "$compared" -gt 0 ] || failed="$failed nothing compared"
    is "behind $chain, $kind" "$failed" ""
}

as_behind_a_file "clc_forward" messages --features "$single"
as_behind_a_file "clc_forward" streams --features "$single,streams"
as_behind_a_file "clc_forward clc_backward" streams --features "$single,openmp,pthreads,streams"

for anchor in ${TRACES:-}; do
    failed=
    name=$anchor
    seed=1
    parameters 1
    check_oracle "$anchor"
    check_bounds "$anchor"
    is "$anchor" "$failed" ""
done

# ---- The truth: the same program without overhead, on three machines. Everything starts one overhead late, which no
# filter can know. What a program does after MPI_Finalize has been entered depends on others in no way that a trace shows:
# the last three events of a location are left out.
synth=$top_builddir/tcflow-synth

# times_of ARCHIVE: time, kind and whether it is a receive with another one behind it, in a call that waits for both
times_of()
{
    "$oracle" dump "$work/$1/traces.otf2" 2>/dev/null | awk '
        /^[0-9]/ { if ($1 != location) n = 0
                   location = $1
                   if (n > 2) print time[n % 3], kind[n % 3], kind[n % 3] == "MPI_IRECV" && kind[(n + 1) % 3] == "MPI_IRECV"
                   kind[n % 3] = $4; time[n++ % 3] = $3 }'
}

# against_truth PATTERN SEED OPTIONS...: events; of these before the lower or behind the upper bound by more than 2 ticks, but
# for receives with another one behind them in their call, and those of these; median distance of the bounds; dilation as
# measured, and left in the mode likely.
against_truth()
{
    pattern=$1 seed=$2
    shift 2
    rm -rf "$work/true" "$work/perturbed"
    "$synth" --events 4000 --pattern "$pattern" --seed "$seed" "$@" "$work/true" >/dev/null &&
        "$synth" --events 4000 --pattern "$pattern" --seed "$seed" --recording 500ns "$@" "$work/perturbed" >/dev/null || return 1
    ours="overhead.event=500ns
overhead.rendezvous=${rendezvous:-synchronous}"
    for mode in lower upper likely; do
        written "$work/perturbed/traces.otf2" "$work/$mode" $mode || return 1
        ! grep "the clocks are not right" "$work/$mode.notes" || return 1
    done
    for trace in true perturbed lower upper likely; do
        times_of $trace >"$work/$trace.times"
    done
    paste -d ' ' "$work/true.times" "$work/perturbed.times" "$work/lower.times" "$work/upper.times" "$work/likely.times" |
        awk '{ if ($2 != $5) exit 1
               t = $1 + 500; wrong = $7 - t > 2 || t - $10 > 2; print $10 - $7, wrong && !$3, wrong && $3, $4 - t, ($13 > t ? $13 - t : t - $13) }' |
        sort -n | awk '{ width[NR] = $1; outside += $2; inner += $3; measured += $4; left += $5 }
               END { print NR, outside + 0, inner + 0, width[int((NR + 1) / 2)], measured, left }'
}

# truth PATTERN REMOVED [option...]: on each machine, with each seed, no event is outside of the bounds, and the mode likely
# removes at least so many percent of the dilation.
truth()
{
    pattern=$1 removed=$2
    shift 2
    failed=
    : >"$work/truth"
    for machine in "" "--ranks 6 --overhead 0 --latency 2us,2us,2us --jitter 300ns,300ns,300ns" \
        "--ranks 7 --compute 20us:0.5 --imbalance 0.7 --overhead 300ns"; do
        seed=1
        while [ "$seed" -le $((seeds + 1)) ]; do
            name="$machine, seed $seed"
            # shellcheck disable=SC2086 # words
            against_truth "$pattern" "$seed" $machine "$@" >"$work/sums" || failed="$failed
$name: $(cat "$work/sums")"
            cat "$work/sums" >>"$work/truth"
            seed=$((seed + 1))
        done
    done
    ok "$pattern, bounds and truth" [ -z "$failed" ] || diag "$failed"
    ok "$pattern: $(awk '{ n += $1; o += $2; i += $3; w = w " " $4; r = r sprintf(" %.1f", 100 - 100 * $6 / $5) }
        END { printf "%d of %d events outside, and %d of MPI_Waitall; median width%s ns; removed%s %%", o, n, i, w, r }' "$work/truth")" \
        awk -v removed="$removed" '
            $1 < 1000 || $2 > 0 || $3 > 0.01 * $1 || 100 - 100 * $6 / $5 < removed { print; bad = 1 } END { exit bad || NR == 0 }' "$work/truth"
}

truth imbalance 99.9
truth omp 99.9 --threads 4
truth locks 97 --threads 4
truth collectives 99.9
truth rma 99.9
truth latesender 97
truth latereceiver 97
truth sendrecv 98
truth pairs 97
truth nonblocking 97
truth ring 98
truth halo 90
truth master 99 --ranks 2

done_testing
