#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# clock_estimate over whole traces: what its knots make of reversed messages, judged by check; right clocks stay as they
# are; results don't depend on the size of slices.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

apply=$top_builddir/tests/plugins/clock_estimate/apply/.libs
example=$top_srcdir/examples/trace/traces.otf2
export LC_ALL=C

[ -x "$generate" ] && [ -d "$apply" ] || skip_all "the generator of traces or a test filter is not built"

# estimated ANCHOR OPTIONS...: the knots to $work/knots, the report to $work/report; what check finds behind them to
# $work/check
estimated()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" --plugin-path "$apply" -o pipeline.survey=clock_estimate -o clock_estimate.format=csv \
        -o clock_estimate.output="$work/report" -o clock_estimate.overwrite=yes -o clock_estimate.knots="$work/knots" \
        -o clock_estimate.overwrite_knots=yes -o "pipeline.chain=apply_knots check" -o check.format=csv "$@" \
        >"$work/check" 2>"$work/said" || diag "$(cat "$work/said")"
}

# The sum of a column of the table of violations: 3 targets, 4 violated.
violations()
{
    tr -d '\r' <"$1" | awk -F, -v column="$2" '$1 == "violations" && $3 ~ /^[0-9]+$/ { n += $column } END { print n + 0 }'
}

# at_most NAME NUMBER LIMIT
at_most()
{
    ok "$1: $2 of at most $3" test "$2" -le "$3"
}

# The bundled trace: clocks of processes that count from their own start.
tcflow -q -i "$example" -o pipeline.chain=check -o check.format=csv >"$work/raw"
ok "the bundled trace has violations" test "$(violations "$work/raw" 4)" -gt 100
estimated "$example"
at_most "few are left" "$(violations "$work/check" 4)" 2
cp "$work/knots" "$work/knots.wanted"
fails 2 "knots that exist stay" tcflow -i "$example" -o pipeline.survey=clock_estimate -o pipeline.chain=pass \
    -o clock_estimate.knots="$work/knots"
like "what to do is said" "$(cat "$work/.fails")" "knots = .*/knots: it exists already .overwrite_knots = yes replaces it"
same "as they were" "$work/knots.wanted" "$work/knots"
fails 2 "a reference that is no number" tcflow -i "$example" -o pipeline.chain=clock_estimate -o clock_estimate.reference=x
mkfifo "$work/pipe"
cat "$work/pipe" >"$work/piped" &
estimated "$example" -o clock_estimate.knots="$work/pipe"
wait
ok "a pipe stays one" test -p "$work/pipe"
same "knots through it" "$work/knots.wanted" "$work/piped"
for slice in 1 37; do
    estimated "$example" -o pipeline.slice=$slice
    same "slice = $slice: the same knots" "$work/knots.wanted" "$work/knots"
done
is "a survey alone leaves events alone" \
    "$(tcflow -q -i "$example" -o pipeline.chain="clock_estimate check" -o clock_estimate.output=/dev/null \
        -o clock_estimate.overwrite=yes -o check.format=csv | cksum)" "$(cksum <"$work/raw")"

features=p2p,sendrecv,nonblocking,any-source,collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
for seed in $(seeds_of 3); do
    rm -rf "$work/trace"
    "$generate" random --out "$work/trace" --seed "$seed" --ranks $((seed % 3 + 4)) --events 6000 --features $features >"$work/made"
    estimated "$work/trace/traces.otf2"
    is "right clocks $seed: no knots" "$(wc -l <"$work/knots")" 1
    is "right clocks $seed: all raw" "$(grep -c '^clocks,.*,raw,' "$work/report")" "$(grep -c '^clocks,[0-9]' "$work/report")"
    rm -rf "$work/trace"
    "$generate" random --out "$work/trace" --seed "$seed" --ranks $((seed % 3 + 4)) --events 6000 --features $features \
        --clock-offset-ns 10000000 --clock-drift-ppm 20 >"$work/made"
    tcflow -q -i "$work/trace/traces.otf2" -o pipeline.chain=check -o check.clock_offsets=no -o check.format=csv >"$work/raw"
    estimated "$work/trace/traces.otf2"
    ok "wrong clocks $seed: there are violations" test "$(violations "$work/raw" 4)" -gt 20
    at_most "wrong clocks $seed: few are left" "$(violations "$work/check" 4)" \
        $(($(violations "$work/raw" 4) / 100 + 2))
done

rm -rf "$work/trace"
"$generate" bench --locations 8 --events 400000 --skew 3000000 --out "$work/trace" || exit 1
estimated "$work/trace/traces.otf2"
at_most "a long trace: none is left" "$(violations "$work/check" 4)" 0
ok "its targets were there" test "$(violations "$work/check" 3)" -gt 10000

# Few messages: single knots of single clocks are far off by chance, but not outside of their bars. Clocks keep their offsets.
"$top_builddir/tcflow-synth" --ranks 512 --nodes 512 --events 512000 --seed 6 --pattern ring,halo,collectives --compute 600ms \
    --clock offset=1ms,drift=10 --measure both "$work/few" >"$work/made" || diag "$(cat "$work/made")"
tcflow -q -i "$work/few/traces.otf2" -o pipeline.survey=clock_estimate -o pipeline.chain=pass -o clock_estimate.format=csv >"$work/report"
is "few messages: measured offsets stay" "$(grep -c '^clocks,.*,measured,' "$work/report")" 511
rm -rf "$work/few"

# knots_with FILE [OPTION...]: of $work/trace, and the errors that the report states
knots_with()
{
    rm -f "$1"
    knots=$1
    shift
    tcflow -q -i "$work/trace/traces.otf2" -o pipeline.survey=clock_estimate -o clock_estimate.knots="$knots" \
        -o clock_estimate.format=csv -o pipeline.chain=pass "$@" >"$work/check" 2>"$work/said" || diag "$(cat "$work/said")"
    tr -d '\r' <"$work/check" | grep '^clocks,[0-9]' | cut -d, -f2,7,8 | sort >>"$knots"
}

# What is learned is told by the trace alone: not by slices, the framework's memory or the order of locations; with room for all
# messages, and with little.
while read -r options; do
    for memory in 32MiB 64KiB; do
        differ=
        for order in "" --shuffle; do
            # shellcheck disable=SC2086 # words
            "$top_builddir/tcflow-synth" --events 6k --compute 20ms --overwrite $options $order "$work/trace"
            [ -n "$order" ] || knots_with "$work/knots.wanted" -o clock_estimate.memory=$memory
            for window in slice=0 slice=1 slice=9 slice=64 memory=1MiB; do
                knots_with "$work/knots" -o clock_estimate.memory=$memory -o pipeline.$window
                cmp -s "$work/knots" "$work/knots.wanted" || differ="$differ $order $window"
            done
        done
        ok "$options, memory = $memory: there are knots" test "$(grep -c ',.*,.*,' "$work/knots.wanted")" -gt 2
        is "$options, memory = $memory: the same knots and errors" "$differ" ""
    done
    [ -n "${TCFLOW_LONG:-}" ] || break
done <<'programs'
--seed 13 --ranks 7 --nodes 7 --pattern ring,halo,collectives --clock offset=10us --resolution 10M
--seed 1 --ranks 7 --nodes 2 --clock-per node --pattern imbalance,ring --clock offset=1ms,drift=10,walk=20us --sparse
--seed 18 --ranks 6 --nodes 2 --pattern locks,ring,collectives --measure start --clock offset=10us,drift=10,walk=20us
--seed 36 --ranks 9 --nodes 2 --pattern ring,omp,collectives --threads 3 --clock offset=3s,drift=10 --resolution 10G
--seed 1 --ranks 20 --nodes 20 --pattern collectives,master,sendrecv --measure both --clock offset=1ms,walk=20us
programs

# Straight clocks and few messages: that the members of a collective leave it together is no reason to believe that all other
# messages are as alike. What was measured is far better than what those few messages tell.
while read -r seed ranks events pattern; do
    "$top_builddir/tcflow-synth" --seed "$seed" --ranks "$ranks" --nodes "$ranks" --events "$events" --pattern "$pattern" \
        --compute $((600000000 * ranks / events))us --clock offset=1ms,drift=10 --measure both --overwrite "$work/trace"
    tcflow -q -i "$work/trace/traces.otf2" -o pipeline.survey=clock_estimate -o clock_estimate.format=csv -o pipeline.chain=pass >"$work/report"
    is "straight clocks, $ranks ranks, $events events: as measured" "$(grep -c '^clocks,.*,measured,' "$work/report")" $((ranks - 1))
done <<'straight'
2 256 100000 ring,halo,collectives
11 256 40000 ring,halo,collectives
11 512 40000 collectives
straight

# correct_program CLOCKS OPTION...: of tcflow-synth; the largest error that is left, in nanoseconds, to $error, the survey's report to
# $work/report
correct_program()
{
    clocks=$1
    shift
    "$top_builddir/tcflow-synth" "$@" --overwrite --true-trace "$work/true" "$work/trace" >"$work/said"
    rm -rf "$work/corrected"
    tcflow -q -i "$work/trace/traces.otf2" -o pipeline.survey=clock_estimate -o clock_estimate.format=csv -o clock_estimate.clocks="$clocks" \
        -o clock_estimate.output="$work/report" -o clock_estimate.overwrite=yes -o "pipeline.chain=presync otf2_write" \
        -o presync.output=/dev/null -o presync.overwrite=yes -o otf2_write.path="$work/corrected" >"$work/said" 2>&1
    error=$("$top_builddir/tests/bench/clock-error" "$work/true/traces.otf2" "$work/corrected/traces.otf2" |
        awk '{ for (i = 1; i < NF; i++) if ($i == "max") printf "%.0f", $(i + 1) * 1e9 }')
}

# What error bars state holds, whatever the program; CLOCKS PROGRAM. In turn: one measured offset tells nothing of a clock's rate,
# nor do messages tell that of two that talk to nobody else, and some rates are more than usual; messages so late that a rate far
# beyond any clock's would explain them as well; measurements so uncertain that their line has such a rate, in a short run;
# clocks that are lines where the truth is waves, between the only knots; a rate that noise has made unusual after all; one
# that messages of one direction, all late, don't tell; and of rates far beyond the usual ones: messages that stay reversed, clocks
# that only others' rates tell of, short runs.
while read -r clocks program; do
    # shellcheck disable=SC2086 # words
    correct_program "$clocks" $program
    at_most "$program: nanoseconds of error" "${error:-unknown}" \
        "$(awk -F, '$1 == "clocks" && $7 > most { most = $7 } END { printf "%.0f", most * 1e9 }' "$work/report")"
done <<'programs'
process --ranks 6 --nodes 6 --events 6k --compute 5ms --pattern latesender --clock offset=1ms,drift=10 --measure start
process --ranks 6 --nodes 6 --events 6k --compute 5ms --pattern omp --clock offset=1ms,drift=10 --measure start
process --ranks 28 --nodes 28 --events 2646 --seed 1660 --pattern locks --compute 41ms:0.05 --imbalance 2 --latency 170ns,170ns --jitter 446ns,89ns --clock offset=1ms,drift=10 --clock-per process --measure start
node --ranks 16 --nodes 16 --events 9872 --seed 745943 --pattern latesender,pairs,latesender --compute 5us:3 --imbalance 2 --late 0.5:11us --latency 21645ns,5411ns --jitter 2164498ns,432900ns --bandwidth 1G --clock offset=1ms,drift=1 --measure both
process --ranks 14 --nodes 7 --events 29135 --seed 1991 --pattern nonblocking --compute 3482089ns:0.05 --latency 10277ns,10277ns --jitter 553ns,111ns --clock offset=1s,drift=10 --clock-per process --measure start
process --ranks 3 --nodes 3 --events 4044 --seed 5673 --pattern master,omp --compute 10375ns:0.2 --latency 4066ns,4066ns --jitter 67649ns,13530ns --clock offset=1s,drift=1 --measure both
process --ranks 20 --nodes 1 --events 11904 --seed 4102 --pattern pairs --compute 2121021ns:0.2 --imbalance 10 --latency 607ns,152ns --jitter 49ns,49ns --clock offset=1ms,drift=1,sine=3320ns:2.657s --clock-per process --measure both --bandwidth 1G
node --ranks 43 --nodes 21 --events 60000 --seed 5787 --pattern master --compute 22958ns:0.05 --latency 13794ns,3448ns --jitter 757367ns,151473ns --clock offset=1ms,drift=1 --measure start
process --ranks 2 --nodes 2 --events 20k --seed 71 --pattern latesender --clock jumps=5:50us,offset=1ms --measure start --resolution 1M
process --ranks 3 --nodes 1 --events 4462 --seed 8281 --pattern pairs --compute 26378594ns:0.05 --imbalance 0.5 --latency 385ns,96ns --jitter 46ns,46ns --clock offset=1ms,drift=10,walk=4935ns --clock-per process --measure start
process --ranks 32 --nodes 32 --events 3520 --seed 135 --pattern locks,locks,collectives --compute 2458981681ns:0.2 --imbalance 0.5 --latency 1353ns,338ns --jitter 46ns,9ns --clock offset=1s,drift=222 --clock-per process --measure start
node --ranks 4 --nodes 4 --events 8645 --seed 503 --pattern latesender --compute 2856751ns:0.2 --latency 220ns,220ns --jitter 609ns,122ns --late 0.1:4329384ns --clock offset=10us,drift=552 --clock-per process --measure start
process --ranks 6 --nodes 6 --events 21089 --seed 232 --pattern master --compute 53390ns:0.2 --latency 24111ns,24111ns --jitter 220546ns,44109ns --clock offset=1ms,drift=206 --clock-per process --measure both
node --ranks 8 --nodes 4 --events 3964 --seed 478 --pattern halo --compute 4607869ns:0.2 --imbalance 0.5 --latency 632ns,632ns --jitter 991ns,198ns --clock offset=1h,drift=217,walk=592ns,step=2853999ns --measure none
process --ranks 48 --nodes 1 --events 17657 --seed 10363 --pattern latesender --compute 11653356ns:0.05 --latency 696ns,174ns --jitter 23ns,5ns --late 0.1:16431709ns --clock offset=1s,drift=49.1 --clock-per process --measure start
programs

# Ranks of one node share a clock, and the clocks of nodes bend: the messages inside of nodes are alike whatever the clocks
# do, so they don't show how much those between nodes are off. Linear interpolation leaves 81 us in each of them. That ranks
# share them is found by default; where each process has its own, none is shared.
while read -r per pattern clocks most shared; do
    correct_program $clocks --ranks 8 --nodes 4 --events 12k --compute 50ms --pattern $pattern \
        --clock offset=1ms,drift=10,sine=50us:5s --clock-per $per --measure both
    at_most "$pattern, a clock a $per, clocks = $clocks: nanoseconds of error" "${error:-unknown}" "$most"
    is "$pattern, a clock a $per, clocks = $clocks: clocks that ranks share" \
        "$(grep '^shared,[0-9]' "$work/report" | cut -d, -f3-4 | paste -sd ' ' -)" "$shared"
done <<END
node sendrecv auto 2000 MPI Rank 0,2 MPI Rank 2,2 MPI Rank 4,2 MPI Rank 6,2
node ring auto 2000 MPI Rank 0,2 MPI Rank 2,2 MPI Rank 4,2 MPI Rank 6,2
node sendrecv process 5000
node ring process 5000
process sendrecv auto 5000
process ring auto 5000
END
"$top_builddir/tcflow-synth" --ranks 8 --nodes 4 --events 12k --clock offset=1ms --overwrite "$work/trace" >"$work/said"
tcflow -q -i "$work/trace/traces.otf2" -o "pipeline.survey=clock_estimate mu_estimate" -o "pipeline.chain=presync clock_report" \
    -o "pipeline.reports=clock_estimate clock_report" -o clock_estimate.output="$work/report" -o clock_estimate.format=csv \
    -o clock_estimate.overwrite=yes -o clock_report.output="$work/reported" -o clock_report.format=csv
grep '^shared,[0-9]' "$work/report" | cut -d, -f1-6 >"$work/wanted"
grep '^shared,[0-9]' "$work/reported" | cut -d, -f1-6 >"$work/got"
is "clocks that ranks share: four" "$(wc -l <"$work/wanted")" 4
same "clock_report names them, and the evidence" "$work/wanted" "$work/got"

# A short run: clocks leave the line through their measurements by less than these may be off, but by more than noise.
correct_program auto --ranks 8 --nodes 4 --events 30k --compute 1ms --pattern sendrecv --clock offset=1ms,drift=10,sine=50us:5s --measure both
at_most "small bends, which linear interpolation leaves: nanoseconds of error" "${error:-unknown}" 700

# Messages of one direction, late and few, that nobody measured, from clocks that are a millisecond off.
for seed in 1 3 4; do
    correct_program auto --ranks 6 --nodes 6 --events 8k --compute 20ms --imbalance 1 --pattern pairs --seed $seed \
        --clock offset=1ms,drift=10 --clock-per process
    at_most "one way, late and few, seed $seed: nanoseconds of error" "${error:-unknown}" 200000
done

# Few messages of both ways leave room for rates of 1 %, which no clock has.
correct_program node --ranks 16 --nodes 16 --events 3451 --seed 10549 --pattern omp,sendrecv,omp --compute 15800482235ns:0.2 \
    --latency 133ns,33ns --jitter 93ns,19ns --clock offset=1ms,drift=20.2,sine=174225ns:438132799671ns --measure none
at_most "rates that few messages leave room for: nanoseconds of error" "${error:-unknown}" 1000000

tcflow --describe clock_estimate --ini >"$work/described.ini"
same "filters.d/clock_estimate.ini tells the parameters" "$top_srcdir/filters.d/clock_estimate.ini" "$work/described.ini"
done_testing
