#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Root causes over random traces: what the whole-trace oracle finds, whatever the slices and windows; the same bytes with all of them;
# wrong clocks, losses; behind other filters as well. And programs of which it is known who delays whom.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

synth=$top_builddir/tcflow-synth
compare=$top_srcdir/tests/plugins/root_cause/compare.awk

always= enough=4 share=0 computation=no by_cause=yes

# found INPUT [option...]: the report, into $work/report; what was given up is in $work/notes.
found()
{
    input=$1
    shift
    reported root_cause "$input" -o root_cause.by_location=yes -o root_cause.causes=65536 -o root_cause.worst=1000 \
        -o root_cause.computation=$computation -o root_cause.compare=$by_cause "$@"
}

# Everything that the trace has was looked at, and nothing fell out of the window.
complete() { complete_but 'max_|fallen|unanswered|window|causes|cycles'; }

# What each wait is made of: own doings of others, waits of others, nothing known. Nothing is negative.
adds_up()
{
    tr -d '"\r' <"$work/report" | awk -F, '
        $1 == "patterns" && $2 != "title" {
            n = 1 + 1e-9 * $12
            if ($13 < 0 || $14 < 0 || $9 < 0 || $13 + $14 > $12 + n) { print; bad = 1 }
        }
        $1 == "chains" && $2 != "wait" && ($7 < 0 || $7 > 1e9) { print; bad = 1 }
        END { exit bad }'
}

# check ANCHOR: as the oracle with any window. There is no survey: every channel is trusted.
check()
{
    behind=
    [ "$computation" = no ] || behind=--computation
    [ "$by_cause" = yes ] || behind="$behind --handed-on"
    timeout 120 "$oracle" causes "$1" --trusting $behind 2>"$work/why" >"$work/expected"
    rm -f "$work/first"
    for window in slice=0 slice=1 "slice=$((seed * 5 % 500 + 2))" "slice=$((seed % 50 + 3)) memory=1MiB"; do
        set -- "$1"
        for option in $window; do
            set -- "$@" -o "pipeline.$option"
        done
        try "$window" found "$@"
        complete || continue
        [ ! -s "$work/expected" ] || try "as the oracle, $window" awk -v share="$share" -f "$compare" "$work/expected" "$work/report"
        try "adds up, $window" adds_up
        [ -f "$work/first" ] || cp "$work/report" "$work/first"
        try "the same, $window" equal "$work/first" "$work/report"
        compared=$((compared + 1))
    done
}

random_programs
random "epochs of windows" --features "$single,openmp,rma,window-collectives" --epochs
random "locks of windows" --features "$single,openmp,rma,window-collectives" --epochs --passive
random "equal times" --features "$single,openmp" --equal-timestamps 0.1

# kept TITLE SEED OPTIONS...: one trace that once differed
kept()
{
    title=$1 seed=$2
    shift 2
    failed= compared=0 kind=kept name="kept $seed"
    made "$seed" "$@" && check "$work/trace/traces.otf2"
    [ "$compared" -ge 4 ] || failed="$failed
$compared compared"
    is "$title" "$failed" ""
}

kept "an operation that one has ended, but not left, before the other enters" 161006 --ranks 3 --events 480 \
    --features "$single,openmp" --equal-timestamps 0.1
kept "an operation without data that two of three are in at the same time" 21 --events 1000 --features "$single" --empty-collectives

# Communication in calls that have others that communicate inside: some calls of MPI are selected away, what they did stays. Costs
# are near those of the oracle: such a call has no mark at its enter (README).
failed= compared=0 kind=around share=0.03
for seed in $(seeds_of 4); do
    name="calls around others $seed"
    made "$seed" --events 2000 --features "$single,openmp"
    rm -rf "$work/around"
    try "written" timeout 60 "$TCFLOW" -q -i "$work/trace/traces.otf2" -o pipeline.chain="select otf2_write" -o otf2_write.path="$work/around" \
        -o select.exclude_regions="MPI_R* MPI_S* MPI_B* MPI_All*"
    check "$work/around/traces.otf2"
done
[ "$compared" -ge 4 ] || failed="$failed
$compared compared"
is "calls around others that communicate" "$failed" ""
share=0

# Wrong clocks: it says so, nothing is negative, what has a cause is charged to it.
failed=
for seed in $(seeds_of 2); do
    name="wrong clocks $seed"
    made "$seed" --events 2000 --features "$single,openmp,locks,pthreads" --clock-offset-ns 30000 --clock-drift-ppm 100 --clock-jumps 2 \
        --clock-jump-ns 4000
    for slice in 0 3; do
        try "slice=$slice" found "$work/trace/traces.otf2" -o pipeline.slice=$slice
        try "adds up, slice=$slice" adds_up
        try "says so" grep -q 'clocks are not right' "$work/notes"
    done
done
is "wrong clocks" "$failed" ""

# Small windows and caps lose causes, not waits.
failed= name=caps
made 2 --events 4000 --features "$single,openmp"
found "$work/trace/traces.otf2" && waits=$(tr -d '"\r' <"$work/report" | awk -F, '$1 == "patterns" { n += $3; t += $12 } END { print n, t }')
for caps in "window=16" "causes=1" "max_waiting=1" "window=16 causes=2 max_waiting=3 max_costs=5 worst=1 max_open=16"; do
    set --
    for option in $caps; do
        set -- "$@" -o "root_cause.$option"
    done
    try "$caps" found "$work/trace/traces.otf2" "$@"
    try "$caps: adds up" adds_up
    case $caps in *max_open*) continue ;; esac
    try "$caps: waits" test "$(tr -d '"\r' <"$work/report" | awk -F, '$1 == "patterns" { n += $3; t += $12 } END { print n, t }')" = "$waits"
done
# The stretches of all locations together are shared out: here nothing but the shortest window is left.
try "window=16 again" found "$work/trace/traces.otf2" -o root_cause.window=16 && cp "$work/report" "$work/shortest"
try "max_stretches=1" found "$work/trace/traces.otf2" -o root_cause.max_stretches=1
try "max_stretches=1: as window=16" cmp -s "$work/report" "$work/shortest"
is "caps" "$failed" ""

# Some of 5,500 messages are never received. What follows is judged all the same while its log is there: the costs are nearly those
# that are found when all is in the window.
failed= name="lost receives"
"$generate" random --seed 3 --ranks 8 --events 100000 --lose-receives 0.0004 --out "$work/lost" >/dev/null 2>&1
costs() { tr -d '"\r' <"$work/report" | awk -F, '$1 == "patterns" { w += $12; s += $13; l += $14 } END { print w, s, l }'; }
try "all in the window" found "$work/lost/traces.otf2" -o root_cause.window=65536 && all=$(costs)
try "windows" found "$work/lost/traces.otf2"
try "near $all: $(costs)" awk -v all="$all" -v found="$(costs)" 'BEGIN {
    split(all, a, " "); split(found, f, " ")
    exit !(a[1] > 0 && f[1] == a[1] && f[2] > 0.99 * a[2] && f[2] < 1.01 * a[2] && f[3] > 0.95 * a[3] && f[3] < 1.05 * a[3]) }'
try "says so" grep -q 'unanswered: ' "$work/notes"
rm -rf "$work/lost"
is "messages that are never received" "$failed" ""

# With computation between calls as call paths of its own.
computation=yes
random "computation: collectives and threads" --features "$single,openmp,locks,pthreads,nested,mpi-inside"
random "computation: losses" --features p2p,nonblocking,cancel,any-source,collectives --lose-sends 0.01 --lose-receives 0.01
random "computation: ends" --features p2p,nonblocking,collectives --end-early 0.3
computation=no

# Counted as Scalasca does.
by_cause=no
random "handed on: messages" --features p2p,sendrecv,nonblocking,cancel,any-source
random "handed on: everything" --features "$single,openmp,locks,pthreads"
by_cause=yes

archives

# --------------------------------------------------------------------------------------------------- with other filters

# without_seconds REPORT: seconds since the start of the trace, which a written trace states anew. Ticks stay.
without_seconds()
{
    awk -F, -v OFS=, '$1 == "table" { begin = 0; for (i = 1; i <= NF; i++) if ($i == "begin [s]") begin = i }
        begin && NF >= begin { $begin = "" } { print }' "$1" >"$1.ticks"
}

# Behind a correction of clocks: what is found in the corrected trace that is written.
failed= name="behind clc" kind=clc
made 7 --events 2000 --features "$single,openmp,locks" --clock-offset-ns 30000 --clock-drift-ppm 100
anchor=$work/trace/traces.otf2
set -- -o clc_forward.mu=10ticks -o clc_forward.output=/dev/null -o clc_forward.overwrite=yes
try "in a chain" found "$anchor" -o pipeline.chain="clc_forward root_cause" -o pipeline.slice=50 "$@"
cp "$work/report" "$work/behind"
try "written" timeout 60 "$TCFLOW" -q -i "$anchor" -o pipeline.chain="clc_forward otf2_write" -o otf2_write.path="$work/written" "$@"
try "over what is written" found "$work/written/traces.otf2"
without_seconds "$work/behind" && without_seconds "$work/report"
try "as over what is written" equal "$work/behind.ticks" "$work/report.ticks"
is "behind a correction of clocks" "$failed" ""

# ------------------------------------------------------------------------------------------------------- known programs

# The last rank of a program computes twice as long as the first, without jitter: what delays the others, at once and passed on, is
# computation, most of all that of the last rank.
failed= name=imbalance
if "$synth" --ranks 4 --nodes 1 --overhead 0 --jitter 0ns,0ns,0ns --compute 100us:0 --imbalance 1 --pattern collectives --events 4000 --seed 3 \
    "$work/synth" >"$work/why" 2>&1 && found "$work/synth/traces.otf2"; then
    timeout 60 "$oracle" causes "$work/synth/traces.otf2" --trusting >"$work/expected"
    try "as the oracle" awk -f "$compare" "$work/expected" "$work/report"
    share=$(tr -d '"\r' <"$work/report" | awk -F, '$1 == "locations" { c = $6 + $7; all += c; if ($NF !~ /MPI_/ && $3 == 3) last += c }
        END { printf "%.3f\n", (all > 0 ? last / all : 0) }')
    try "$share of all costs are those of the last rank" awk -v share="$share" 'BEGIN { exit !(share > 0.75) }'
else
    failed=$(head -n 3 "$work/why")
fi
is "imbalance" "$failed" ""

done_testing
