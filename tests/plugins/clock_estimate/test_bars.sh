#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Error bars of clock_estimate over random programs whose clocks go far wrong, and how the estimate compares with linear
# interpolation of measured offsets. SEEDS programs (24), from FIRST on. Where `most_rate` states what rates there are, bars hold, but
# for what a clock of such a rate does in an interval besides the messages of that interval: a quarter of the bar at most.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

export LC_ALL=C
[ -x "$top_builddir/tests/bench/clock-error" ] || skip_all "clock-error is not built"

# pick WORD...: one of them, at random, to $picked
pick()
{
    state=$(((state ^ state << 13) & 4294967295)) # xorshift
    state=$((state ^ state >> 17))
    state=$(((state ^ state << 5) & 4294967295))
    shift $((state % $#))
    picked=$1
}

# one_of OPTION VALUE...: adds the option with one of the values to $program
one_of()
{
    option=$1
    shift
    pick "$@"
    program="$program $option $picked"
}

# random_program SEED: to $program, its measurement to $measured
random_program()
{
    state=$((($1 + 1) * 2654435761 % 4294967296))
    for skipped in 1 2 3 4; do # near seeds are alike at first
        pick "$skipped"
    done
    program="--seed $1"
    pick 2 3 4 6 8 16 28 48
    ranks=$picked
    pick 60 120 250 500 1000
    events=$((ranks * picked))
    program="$program --ranks $ranks --nodes $ranks --events $events"
    one_of --pattern ring halo sendrecv master pairs latesender imbalance collectives nonblocking,ring rma locks halo,ring \
        collectives,master latesender,latesender sendrecv,imbalance omp,pairs
    one_of --compute 100us:0.2 1ms:0.05 1ms:1 20ms:0.2 1s:0.2 10s:1
    one_of --imbalance 0 0 0.5 2
    one_of --latency 200ns,200ns 2us,500ns 20us,5us
    one_of --jitter 100ns,20ns 1us,200ns 50us,10us
    one_of --clock offset=10us,drift=100 offset=1ms,drift=300 offset=1s,drift=300 offset=1h,drift=1000
    pick none start both
    measured=$picked
    program="$program --clock-per process --measure $measured"
}

# corrected NAME SURVEY METHOD STAGES [OPTION...]: the trace, corrected, to $work/NAME; the survey's report to $work/report
corrected()
{
    name=$1 survey=$2 method=$3 stages=$4
    shift 4
    rm -rf "$work/$name" "$work/report"
    tcflow -q -i "$work/trace/traces.otf2" -o pipeline.survey="$survey" -o "pipeline.chain=presync $stages otf2_write" \
        -o presync.method="$method" -o presync.unsynchronised=keep -o presync.output=/dev/null -o presync.overwrite=yes \
        -o mu_estimate.output=/dev/null -o mu_estimate.overwrite=yes -o otf2_write.path="$work/$name" "$@" >"$work/said" 2>&1 ||
        diag "$(cat "$work/said")"
}

# error_of NAME KEY: nanoseconds, rounded
error_of()
{
    "$top_builddir/tests/bench/clock-error" "$work/true/traces.otf2" "$work/$1/traces.otf2" |
        awk -v key="$2" '{ for (i = 1; i < NF; i++) if ($i == key) printf "%.0f", $(i + 1) * 1e9 }'
}

# The largest bar of a location, nanoseconds; a location that nothing ties has none.
largest_bar()
{
    awk -F, '$1 == "clocks" && $2 ~ /^[0-9]+$/ { if ($7 == "" || $7 == "-") none = 1; most = $7 > most ? $7 : most }
        END { if (none) print "none"; else printf "%.0f", most * 1e9 + 2 }' "$work/report"
}

usual=24
compared=0
for seed in $(seeds_of $usual); do
    random_program "$seed"
    # shellcheck disable=SC2086 # words
    "$top_builddir/tcflow-synth" $program --overwrite --true-trace "$work/true" "$work/trace" >"$work/said" 2>&1 || diag "$(cat "$work/said")"
    reported="-o clock_estimate.output=$work/report -o clock_estimate.overwrite=yes -o clock_estimate.format=csv"
    # shellcheck disable=SC2086
    corrected stated "clock_estimate mu_estimate" survey "" -o clock_estimate.most_rate=5e-3 $reported
    bar=$(largest_bar)
    [ "$bar" != none ] || continue
    error=$(error_of stated max)
    ok "$program: $error ns of error, $bar stated" test "${error:-unknown}" -le $((bar + bar / 4))
    compared=$((compared + 1))
    [ "$measured" != none ] || continue
    # shellcheck disable=SC2086
    corrected estimated "clock_estimate mu_estimate" survey "clc_forward clc_backward" $reported
    bar=$(largest_bar)
    corrected linear mu_estimate archive "clc_forward clc_backward"
    error=$(error_of estimated rms)
    linear=$(error_of linear rms)
    ok "$program: $error ns rms, linear $linear, $bar stated" test "${error:-unknown}" -le $((linear + bar))
done
[ -z "${TCFLOW_LONG:-}" ] || [ -n "${SEEDS:-}" ] || ok "$compared programs compared" test "$compared" -ge $((usual * 3 / 4))
done_testing
