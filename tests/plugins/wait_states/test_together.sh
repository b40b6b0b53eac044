#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Filters that look for waits share the detection in a chain. Each reports the same then as alone: in any order, with other filters
# between them, with caps of their own, behind a filter that moves events, with slices of any size. SEEDS (default 2) traces a kind.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

# reports FOLDER INPUT CHAIN [FILTER.KEY=VALUE...]: of each filter FOLDER/FILTER.csv; options of filters that aren't in the chain are
# left out. `second` is another wait_states.
reports()
{
    rm -rf "$1"
    mkdir "$1"
    folder=$1 input=$2 filters=$3 options=
    shift 3
    for option in wait_states.worst=100 wait_states.by_location=yes root_cause.by_location=yes root_cause.worst=100 \
        second.filter=wait_states second.by_location=yes clc_forward.mu=10ticks "$@"; do
        case " pipeline $filters " in *" ${option%%.*} "*) options="$options -o $option" ;; esac
    done
    for filter in $filters; do
        options="$options -o $filter.output=$folder/$filter.csv -o $filter.overwrite=yes -o $filter.format=csv"
    done
    # shellcheck disable=SC2086 # options are words without blanks
    timeout 120 "$TCFLOW" -q -i "$input" -o pipeline.chain="$filters" $options
}

# as_alone CHAIN FRONT [option...]: what the filters report in a chain behind FRONT, and each of them alone behind it
as_alone()
{
    chain=$1 front=$2
    shift 2
    what="$chain${front:+, behind $front}${*:+, $*}"
    try "$what" reports "$work/together" "$anchor" "$front $chain" "$@"
    for alone in $chain; do
        [ "$alone" != clc_forward ] || continue
        case "$chain" in *clc_forward*"$alone"*) before="$front clc_forward" ;; *) before=$front ;; esac
        try "$alone alone" reports "$work/alone" "$anchor" "$before $alone" "$@"
        try "$what: $alone" equal "$work/alone/$alone.csv" "$work/together/$alone.csv"
        compared=$((compared + 1))
    done
}

enough=20
check()
{
    anchor=$1
    as_alone "wait_states root_cause" ""
    as_alone "root_cause wait_states" "" pipeline.slice=3
    as_alone "wait_states ppg critical_path root_cause" ""
    as_alone "root_cause critical_path wait_states" clc_forward pipeline.slice=$((seed * 5 % 50 + 2))
    as_alone "wait_states clc_forward root_cause" ""
    as_alone "wait_states root_cause" "" wait_states.max_open=16
    as_alone "root_cause wait_states" "" root_cause.max_open=16 wait_states.max_open=16
    as_alone "root_cause wait_states second" "" wait_states.max_undecided=1
    as_alone "wait_states second root_cause" "" root_cause.max_waiting=3 second.max_undecided=2
}

random "everything" --features "$single,openmp,locks,pthreads,metrics"
random "windows" --features "$single,openmp,rma,window-collectives" --epochs --passive
random "threads" --features p2p,nonblocking,any-source,mpi-threads,locks,nested,team-sizes
random "losses" --features p2p,nonblocking,cancel,any-source,collectives --lose-sends 0.01 --lose-receives 0.01 --never-complete 0.05 \
    --end-early 0.1
random "wrong clocks" --features "$single,openmp,locks" --clock-offset-ns 30000 --clock-drift-ppm 100
archives

done_testing
