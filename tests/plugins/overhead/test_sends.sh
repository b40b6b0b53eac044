#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Sends that wait for their receives (rendezvous), beside other filters and behind streams: what the others find is the
# same with and without, in one causal segment or in several; streams that bring their matches are refused. With
# rendezvous = 1 all sends are taken for waiting, which in these programs most don't, so locations often wait for each other.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

# reports RENDEZVOUS CHAIN [option...]: the reports of the filters in front of overhead, and what is behind them
reports()
{
    rendezvous=$1 chain=$2
    shift 2
    rm -rf "$work/reports"
    mkdir "$work/reports"
    for filter in $chain; do
        set -- "$@" -o "$filter.output=$work/reports/$filter" -o "$filter.format=csv"
    done
    timeout 120 "$TCFLOW" -q -i "$work/trace/traces.otf2" -o "pipeline.chain=$chain overhead print" \
        -o "overhead.rendezvous=$rendezvous" -o overhead.output=/dev/null -o overhead.overwrite=yes "$@" \
        >"$work/printed" 2>"$work/said" || cat "$work/said"
    cat "$work/reports"/*
}

# unchanged CHAIN OPTIONS...: over random traces; without overhead and bounds overhead changes nothing, so print says the same, too
unchanged()
{
    chain=$1
    shift
    failed=
    seed=1
    while [ "$seed" -le $((seeds + 2)) ]; do
        name="seed $seed"
        made "$seed" --events 1500 "$@"
        reports no "$chain" -o overhead.mode=upper -o overhead.remove_off=no >"$work/expected"
        mv "$work/printed" "$work/printed.expected"
        for rendezvous in synchronous 1; do
            for slice in 0 1 50; do
                reports "$rendezvous" "$chain" -o overhead.mode=upper -o overhead.remove_off=no -o "pipeline.slice=$slice" >"$work/got"
                try "$rendezvous, slices of $slice: reports" equal "$work/expected" "$work/got"
                try "$rendezvous, slices of $slice: events" equal "$work/printed.expected" "$work/printed"
            done
        done
        seed=$((seed + 1))
    done
    is "$chain: the same with sends that wait" "$failed" ""
}

p2p=p2p,sendrecv,nonblocking,cancel,any-source,collectives,nb-collectives
unchanged "check wait_states" --features "$p2p"
unchanged "lateness" --features "$p2p"
unchanged "check lateness wait_states" --features "$p2p,mpi-threads,persistent"
unchanged "clc_forward clc_backward check" --features "$p2p" --clock-offset-ns 30000 --clock-jumps 2 --clock-jump-ns 4000

made 3 --events 1500 --features "$p2p"
trace=$work/trace/traces.otf2

# compensated INPUT [option...]: what is behind overhead
compensated()
{
    input=$1
    shift
    tcflow -i "$input" -o 'pipeline.chain=overhead print' -o overhead.event=20ns -o overhead.rendezvous=1 \
        -o overhead.output=/dev/null -o overhead.overwrite=yes "$@"
}

compensated "$trace" >"$work/expected" 2>"$work/said"
like "sends that can't have waited are told" "$(cat "$work/said")" "ended before it was posted: that is too small a size"
tcflow -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="$work/stream"
fails 2 "matches of a stream don't say who waits" compensated "stream:$work/stream"
like "so it says what to do" "$(cat "$work/.fails")" "write the stream with matches = no"
tcflow -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="$work/bare" -o stream_write.matches=no
ok "a stream without matches" compensated "stream:$work/bare"
compensated "stream:$work/bare" >"$work/got" 2>/dev/null
ok "is like the archive" equal "$work/expected" "$work/got"
tcflow -q -i "$trace" -o 'pipeline.chain=overhead stream_write' -o overhead.event=20ns -o overhead.rendezvous=1 \
    -o stream_write.path="$work/behind" -o overhead.output=/dev/null -o overhead.overwrite=yes 2>/dev/null
tcflow -q -i "stream:$work/behind" -o 'pipeline.chain=check print' -o check.output=/dev/null -o check.overwrite=yes >"$work/got"
ok "a stream written behind it" equal "$work/expected" "$work/got"
fails 2 "two that differ" tcflow -q -i "$trace" -o 'pipeline.chain=overhead more' -o more.filter=overhead \
    -o overhead.rendezvous=1 -o more.rendezvous=2
like "two that differ: says so" "$(cat "$work/.fails")" "\\[overhead\\] and \\[more\\] differ in which sends wait"
done_testing
