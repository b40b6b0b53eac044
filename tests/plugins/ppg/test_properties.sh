#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The program performance graph over random traces: what the whole-trace oracle finds, whatever the slices and windows, the same bytes
# with all of them; the times of a location sum up; caps; behind other filters, and beside them.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

compare=$top_srcdir/tests/plugins/ppg/compare.py
always="--equal-timestamps 0.1" enough=4

# found INPUT [option...]: the report, into $work/report; what was given up is in $work/notes.
found()
{
    input=$1
    shift
    rm -f "$work/report"
    timeout 120 "$TCFLOW" -i "$input" -o pipeline.chain=ppg -o ppg.format=json -o ppg.output="$work/report" --summary=json "$@" \
        2>"$work/notes" >/dev/null || { head -n 5 "$work/notes"; return 1; }
}

# Everything that the trace has was looked at.
complete() { in_order && ! grep -q '"limit": "max_' "$work/report"; }

# check ANCHOR: as the oracle with any window. There is no survey: every channel is trusted.
check()
{
    timeout 120 "$oracle" ppg "$1" --trusting 2>"$work/why" >"$work/expected"
    [ -s "$work/expected" ] || { failed="$failed
$name: $(cat "$work/why")"; return; }
    rm -f "$work/first"
    for window in slice=0 slice=1 "slice=$((seed * 5 % 500 + 2))" "slice=$((seed % 50 + 3)) memory=1MiB"; do
        set -- "$1"
        for option in $window; do
            set -- "$@" -o "pipeline.$option"
        done
        try "$window" found "$@"
        complete || continue
        try "as the oracle, $window" python3 "$compare" "$work/expected" "$work/report"
        [ -f "$work/first" ] || cp "$work/report" "$work/first"
        try "the same, $window" equal "$work/first" "$work/report"
        compared=$((compared + 1))
    done
}

random_programs
random "epochs of windows" --features "$single,openmp,rma,window-collectives" --epochs
random "wrong clocks" --features "$single,openmp,locks,pthreads" --clock-offset-ns 30000 --clock-drift-ppm 100 --clock-jumps 2 \
    --clock-jump-ns 4000

archives

# Without any calls of MPI as regions there is no computation, and the time of communication is that of the user's regions.
failed= compared=0 kind=bare seed=${FIRST:-1}
while [ "$seed" -lt $((${FIRST:-1} + seeds)) ]; do
    name="without calls of MPI, $seed"
    made "$seed" --events 1500 --features "$single,openmp,locks,pthreads"
    rm -rf "$work/bare"
    try "taking calls away" timeout 60 "$TCFLOW" -q -i "$work/trace/traces.otf2" -o "pipeline.chain=select otf2_write" \
        -o "select.exclude_regions=MPI_*" -o otf2_write.path="$work/bare"
    check "$work/bare/traces.otf2"
    try "no computation" sh -c "! grep -q '\"kind\": \"computation\"' '$work/first'"
    seed=$((seed + 1))
done
is "calls of MPI that are no regions: $compared comparisons" "$failed" ""
ok "there are some" test "$compared" -ge 4

# --------------------------------------------------------------------------------------------------- caps

# sums REPORT: time and waits of all vertices, by location; and of all edges
sums()
{
    python3 - "$1" <<'EOF'
import json, sys
report = json.load(open(sys.argv[1]))
time, waiting = {}, {}
for v in report["values"]["rows"]:
    time[v["location"]] = time.get(v["location"], 0) + v["time_s"]
print({l: round(t, 9) for l, t in sorted(time.items())})
print(round(sum(e["waiting_s"] for e in report["edges"]["rows"]), 9), sum(e["count"] for e in report["edges"]["rows"]))
EOF
}

failed= name=caps
made 2 --events 4000 --features "$single,openmp,metrics"
anchor=$work/trace/traces.otf2
found "$anchor" && sums "$work/report" >"$work/whole"
vertices=$(grep -c '"call_path":' "$work/report")
for cap in 1 2 5 20; do
    try "max_vertices=$cap" found "$anchor" -o ppg.max_vertices=$cap
    sums "$work/report" >"$work/capped"
    try "the rest is one vertex, of $cap" equal "$work/whole" "$work/capped"
    try "as many vertices, of $cap" test "$(grep -c '"call_path":' "$work/report")" -eq $((cap + 1))
    try "it is told, of $cap" grep -q "\"limit\": \"max_vertices\", \"count\": $((vertices - cap))," "$work/report"
done
for cap in 1 7; do
    try "max_edges=$cap" found "$anchor" -o ppg.max_edges=$cap
    sums "$work/report" >"$work/capped"
    try "edges beyond are by pattern, of $cap" equal "$work/whole" "$work/capped"
    try "it is told, of $cap" grep -q '"limit": "max_edges"' "$work/report"
    try "of order as well, of $cap" grep -q '"limit": "max_edges (order)"' "$work/report"
done
for cap in 4 8; do
    try "max_callpaths=$cap" found "$anchor" -o pipeline.max_callpaths=$cap
    sums "$work/report" >"$work/capped"
    try "no time is lost, of $cap call paths" equal "$work/whole" "$work/capped"
done
is "caps" "$failed" ""

# --------------------------------------------------------------------------------------------------- with other filters

# Other filters see nothing of computation: the same reports beside it.
failed= name="beside ppg"
for filter in profile wait_states critical_path root_cause iterations lateness time_profile load_imbalance; do
    for chain in "$filter" "ppg $filter" "$filter ppg"; do
        rm -f "$work/report"
        case $chain in *ppg*) set -- -o ppg.output=/dev/null -o ppg.overwrite=yes ;; *) set -- ;; esac
        try "$chain" timeout 60 "$TCFLOW" -q -i "$anchor" -o pipeline.chain="$chain" -o "$filter.format=json" \
            -o "$filter.output=$work/report" "$@"
        [ "$chain" != "$filter" ] || cp "$work/report" "$work/alone"
        try "the same, $chain" equal "$work/alone" "$work/report"
    done
done
is "beside other filters" "$failed" ""

# Behind a correction of clocks and of overhead: what is found in the trace that is written.
failed= name="behind others"
made 7 --events 2000 --features "$single,openmp,locks" --clock-offset-ns 30000 --clock-drift-ppm 100
anchor=$work/trace/traces.otf2
for chain in clc_forward "clc_forward clc_backward" "clc_forward overhead"; do
    set -- -o clc_forward.mu=10ticks -o clc_forward.output=/dev/null -o clc_forward.overwrite=yes
    case $chain in *overhead) set -- "$@" -o "overhead.event=30 ticks" -o overhead.mode=upper -o overhead.output=/dev/null -o overhead.overwrite=yes ;; esac
    case $chain in *backward) set -- "$@" -o clc_backward.output=/dev/null -o clc_backward.overwrite=yes ;; esac
    rm -rf "$work/written"
    try "$chain: written" timeout 60 "$TCFLOW" -q -i "$anchor" -o "pipeline.chain=$chain otf2_write" -o otf2_write.path="$work/written" "$@"
    try "$chain: over what is written" found "$work/written/traces.otf2"
    cp "$work/report" "$work/first"
    try "$chain: in a chain" found "$anchor" -o "pipeline.chain=$chain ppg" -o pipeline.slice=50 "$@"
    try "$chain: the same" equal "$work/first" "$work/report"
done
is "behind other filters" "$failed" ""

done_testing
