#!/bin/sh
# The controlled logical clock against doc/clock-correction.md, over random traces with random clock errors: tick for
# tick what the whole-trace oracle computes when the window covers the trace; with any window no edge violated, nothing
# earlier than after the forward pass, local order kept, nothing moved without need, and a second run changes
# nothing. SEEDS (default 3) traces a kind, from FIRST (default 1) on; TRACES: more archives to do the same with.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh"

generate=$top_builddir/tests/generate/random-trace
oracle=$top_builddir/tests/oracle/oracle
seeds=${SEEDS:-${TCFLOW_QUICK:+1}}
first=${FIRST:-1}
last=$((first + ${seeds:-3} - 1))

has_filter() { "$TCFLOW" --list-filters 2>/dev/null | grep -q "^  $1 "; }

[ -x "$oracle" ] && [ -x "$generate" ] || skip_all "the oracle or the generator of random traces is not built"
has_filter clc_forward || skip_all "there is no filter clc_forward"
has_filter clc_backward || skip_all "there is no filter clc_backward"

# parameters N: the N-th set, for both sides, in ticks: $mu $delta $gamma $slope $max.
parameters()
{
    case $(($1 % 4)) in
    0) mu=0 delta=1 gamma=0.99 slope=0.05 max=1000000000000 ;;
    1) mu=40 delta=0 gamma=1 slope=0.125 max=1000000000000 ;;
    2) mu=7 delta=3 gamma=0.5 slope=1 max=5000 ;;
    3) mu=1000 delta=1 gamma=0.9 slope=0.01 max=200000 ;;
    esac
}

# written INPUT OUTPUT CHAIN [option...]: runs a chain that ends in otf2_write. Notes are in OUTPUT.notes then.
written()
{
    input=$1 output=$2 chain=$3
    shift 3
    set -- -i "$input" -o "pipeline.chain=$chain otf2_write" -o "otf2_write.path=$output" --summary=json \
        -o "clc_forward.mu=$mu ticks" -o "clc_forward.delta=$delta ticks" -o "clc_forward.gamma=$gamma" "$@"
    case $chain in
    *clc_backward*) set -- "$@" -o "clc_backward.slope=$slope" -o "clc_backward.max_interval=$max ticks" \
        -o "clc_backward.output=$output.jumps" -o clc_backward.format=csv ;;
    esac
    rm -rf "$output" "$output.notes" "$output.jumps"
    timeout 120 "$TCFLOW" "$@" 2>"$output.notes" >/dev/null || { head -n 5 "$output.notes"; return 1; }
}

# clc INPUT [option...]: what the oracle makes of it. There is no survey: every channel is trusted.
clc()
{
    timeout 120 "$oracle" clc --trusting --mu "$mu" --delta "$delta" --gamma "$gamma" --slope "$slope" \
        --max-interval "$max" "$@" 2>/dev/null | grep -v '^#'
}

# times_in ANCHOR: `location index time` of an archive, with the stop times of flushes, as clc prints them.
times_in()
{
    "$oracle" dump "$1" 2>/dev/null | awk '/^[0-9]/ { print $4 == "BUFFER_FLUSH" ? $1 " " $2 " " $3 " " $4 " " $5 : $1 " " $2 " " $3 }'
}

# truncated JUMPS: how many jumps and sources memory was too short for, by the report of clc_backward.
truncated()
{
    awk -F, '$1 == "jumps" && ($2 == "truncated" || $2 == "guessed_sources") { n += $3; seen++ }
             END { print seen == 2 ? n : "no such rows" }' "$1"
}

# note KEY FILE: the count of a note of the summary, 0 without it.
note()
{
    number=$(tr '{' '\n' <"$2" | sed -n "s/^\"key\": \"$1\",.*\"count\": \([0-9]*\).*/\1/p" | head -n 1)
    echo "${number:-0}"
}

complete() { [ "$(note given_up "$1.notes")" = 0 ] && [ "$(note dropped_messages "$1.notes")" = 0 ]; }

# violated TRACE [option...]: number of violated edges. Puts and gets are kept by their location's order.
violated()
{
    "$oracle" violations --trusting --mu "$mu" "$@" 2>/dev/null |
        awk -F, '$1 == "violations" && $2 != "rma_op" { n += $4 } END { print n + 0 }'
}

# unbroken TRACE WRITTEN: no edge of TRACE is violated by the times of WRITTEN.
unbroken()
{
    ! complete "$2" || none "$(violated "$1" --times "$2/traces.otf2")"
}

# never_earlier BEFORE AFTER: the same events, none earlier, local order kept.
never_earlier()
{
    "$oracle" compare "$1" "$2" >"$work/compared" 2>&1 || { head -n 3 "$work/compared"; return 1; }
    awk -F, '$1 == "compare" && ($5 > 0 || $6 > 0) { print; bad = 1 } END { exit bad }' "$work/compared"
}

# equal FILE FILE: shows where they differ.
equal()
{
    cmp -s "$1" "$2" || { diff "$1" "$2" | head -n 3; return 1; }
}

none() { [ "$1" = 0 ] || { echo "$1"; return 1; }; }

# try WHAT COMMAND...: notes a failure of the trace at hand in $failed.
try()
{
    what=$1
    shift
    "$@" >"$work/why" 2>&1 || failed="$failed
$name, $what: $(head -n 4 "$work/why")"
}

# check_forward ANCHOR: forward alone gives the oracle's times with any window.
check_forward()
{
    clc "$1" --forward-only >"$work/expected"
    for window in 'slice=0' 'slice=1' "slice=$((seed * 5 + 2))" 'memory=1MiB'; do
        try "forward, $window" written "$1" "$work/forward" clc_forward -o "pipeline.$window"
        times_in "$work/forward/traces.otf2" >"$work/got"
        complete "$work/forward" && try "forward is the oracle's, $window" equal "$work/expected" "$work/got"
        try "forward leaves no violation, $window" unbroken "$1" "$work/forward"
        try "forward moves nothing back, $window" never_earlier "$1" "$work/forward/traces.otf2"
    done
}

# check_backward ANCHOR: with a window that covers the trace the oracle's times, with any window the properties.
check_backward()
{
    clc "$1" >"$work/expected"
    for window in 'memory=1GiB' 'slice=1' "slice=$((seed * 5 + 2))" 'memory=1MiB'; do
        try "backward, $window" written "$1" "$work/backward" 'clc_forward clc_backward' -o "pipeline.$window"
        if [ "$window" = memory=1GiB ] && complete "$work/backward"; then
            times_in "$work/backward/traces.otf2" >"$work/got"
            try "backward is the oracle's" equal "$work/expected" "$work/got"
            try "a covering window truncates nothing" none "$(truncated "$work/backward.jumps")"
        fi
        try "backward leaves no violation, $window" unbroken "$1" "$work/backward"
        try "backward moves nothing back, $window" never_earlier "$1" "$work/backward/traces.otf2"
        # What goes on without its sources when a trace is incomplete depends on the window.
        complete "$work/forward" && complete "$work/backward" &&
            try "backward never before forward, $window" never_earlier "$work/forward/traces.otf2" "$work/backward/traces.otf2"
    done
}

# check_twice ANCHOR: what has been corrected stays. Threads of a process that communicate may come in another order
# then, and be matched anew: not for those.
check_twice()
{
    for chain in clc_forward 'clc_forward clc_backward'; do
        try "once, $chain" written "$1" "$work/once" "$chain"
        complete "$work/once" || continue
        try "no violation as written, $chain" none "$(violated "$work/once/traces.otf2")"
        try "twice, $chain" written "$work/once/traces.otf2" "$work/twice" "$chain"
        "$oracle" dump "$work/once/traces.otf2" >"$work/expected" 2>/dev/null
        "$oracle" dump "$work/twice/traces.otf2" >"$work/got" 2>/dev/null
        try "twice is once, $chain" equal "$work/expected" "$work/got"
    done
}

# check_untouched ANCHOR: without violations nothing changes.
check_untouched()
{
    mu=0
    [ "$(violated "$1")" = 0 ] || { failed="$failed
$name: the generator made violations"; return; }
    "$oracle" dump "$1" >"$work/expected" 2>/dev/null
    for chain in clc_forward 'clc_forward clc_backward'; do
        try "$chain" written "$1" "$work/untouched" "$chain"
        "$oracle" dump "$work/untouched/traces.otf2" >"$work/got" 2>/dev/null
        try "a correct trace is left alone, $chain" equal "$work/expected" "$work/got"
    done
}

# check_order ANCHOR OTHER: the same trace with its definitions in another order gives the same.
check_order()
{
    "$oracle" compare "$1" "$2" >/dev/null 2>&1 || return 0 # the generator made another one
    for anchor in "$1" "$2"; do
        try "order of locations" written "$anchor" "$work/order" 'clc_forward clc_backward' -o pipeline.memory=1GiB
        times_in "$work/order/traces.otf2" | sort >"$work/order.$(basename "$(dirname "$anchor")")"
    done
    try "in another order of locations" equal "$work/order.$(basename "$(dirname "$1")")" \
        "$work/order.$(basename "$(dirname "$2")")"
}

# made DIR SEED OPTIONS...: a random trace.
made()
{
    made_in=$1 made_seed=$2
    shift 2
    rm -rf "$made_in"
    timeout 60 "$generate" --out "$made_in" --seed "$made_seed" --ranks $((made_seed % 5 + 2)) --ranks-per-node 2 "$@" \
        >"$work/generate" 2>&1
}

clocks='--clock-offset-ns 30000 --clock-drift-ppm 100 --clock-jumps 2 --clock-jump-ns 4000 --equal-timestamps 0.2'

# random KIND REMATCHED OPTIONS...: all checks over the traces of a kind; REMATCHED: a correction may change its matching.
random()
{
    kind=$1 rematched=$2
    shift 2
    failed=
    seed=$first
    while [ "$seed" -le "$last" ]; do
        name="$kind $seed"
        parameters "$seed"
        # shellcheck disable=SC2086 # words
        if made "$work/trace" "$seed" --events 3000 $clocks "$@"; then
            check_forward "$work/trace/traces.otf2"
            check_backward "$work/trace/traces.otf2"
            [ "$rematched" = yes ] || check_twice "$work/trace/traces.otf2"
            # shellcheck disable=SC2086
            made "$work/shuffled" "$seed" --events 3000 $clocks "$@" --shuffle-definitions &&
                [ "$rematched" = no ] && check_order "$work/trace/traces.otf2" "$work/shuffled/traces.otf2"
            made "$work/trace" "$seed" --events 3000 --equal-timestamps 0.2 "$@" && check_untouched "$work/trace/traces.otf2"
        else
            failed="$failed
$name: not generated: $(head -n 1 "$work/generate")"
        fi
        seed=$((seed + 1))
    done
    is "$kind: random traces $first to $last" "$failed" ""
}

single=p2p,sendrecv,nonblocking,cancel,any-source,collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm

random "messages" no --features p2p,sendrecv,nonblocking,cancel,any-source
random "collectives" no --features collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
random "threads" no --features p2p,collectives,openmp,locks,pthreads
random "threads that communicate" yes --features p2p,nonblocking,any-source,mpi-threads
random "everything" no --features "$single,openmp,locks,pthreads,attributes,metrics"
random "losses" yes --features "$single" --lose-sends 0.05 --lose-receives 0.05 --never-complete 0.05 --end-early 0.2
random "odd archives" no --features "$single" --sparse-locations --comms-per-rank --repeat-definitions --empty-locations 1

# A trace that no small window covers.
failed=
seed=1
name="a long trace"
parameters 0
# shellcheck disable=SC2086
made "$work/trace" 3 --events 60000 --features "$single" $clocks && check_backward_of=$work/trace/traces.otf2
try "forward" written "$work/trace/traces.otf2" "$work/forward" clc_forward
[ -n "${check_backward_of:-}" ] && check_backward "$check_backward_of"
is "a long trace in small windows" "$failed" ""

for anchor in ${TRACES:-}; do
    failed=
    name=$anchor
    check_forward "$anchor"
    check_backward "$anchor"
    check_twice "$anchor"
    is "$anchor" "$failed" ""
done

done_testing
