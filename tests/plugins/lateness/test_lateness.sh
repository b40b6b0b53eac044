#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Lateness over random traces: operation by operation what the whole-trace oracle finds, and in every table, with slices and windows
# of any size; caps that are reached are reported; a program of which it is known who is late.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

synth=$top_builddir/tcflow-synth
tables=$top_srcdir/tests/plugins/lateness/tables.awk

always="--equal-timestamps 0.1" enough=4

# found INPUT [option...]: all that the filter finds, into $work/got; what was given up is in $work/notes.
found()
{
    input=$1
    shift
    reported lateness "$input" -o lateness.worst=65536 -o lateness.bins=32 "$@" || return
    awk -v FILTER=1 -f "$tables" "$work/report" | sort >"$work/got"
}

# Everything that the trace has was looked at.
complete() { complete_but 'max_|behind|fell|forg'; }

# check ANCHOR: as the oracle with any window. There is no survey: every channel is trusted.
check()
{
    timeout 120 "$oracle" lateness "$1" --trusting 2>"$work/why" >"$work/operations"
    [ -s "$work/operations" ] || { failed="$failed
$name: $(cat "$work/why")"; return; }
    awk -v BINS=32 -f "$tables" "$work/operations" | sort >"$work/expected"
    for window in slice=0 slice=1 "slice=$((seed * 5 % 500 + 2))" "slice=$((seed % 50 + 3)) memory=1MiB" "slice=4 pending=64" "slice=0 pending=512"; do
        set -- "$1"
        for option in $window; do
            case $option in
            pending=*) set -- "$@" -o "lateness.max_$option" ;;
            *) set -- "$@" -o "pipeline.$option" ;;
            esac
        done
        try "$window" found "$@"
        complete || continue
        try "as the oracle, $window" equal "$work/expected" "$work/got"
        compared=$((compared + 1))
    done
}

random_programs
random "wrong properties of the clock" --features "$single" --wrong-clock-properties
archives

# Simulated: all compute for the same time but the last rank, which takes twice as long: it is late, nobody else, and only by that.
"$synth" --ranks 6 --events 30k --pattern imbalance --imbalance 1 --compute 100us:0 --overwrite "$work/synth"
tcflow -q -i "$work/synth/traces.otf2" -o pipeline.chain=lateness -o lateness.format=csv -o lateness.worst=50 >"$work/csv"
is "the slowest rank has the most differential lateness" \
    "$(sed -n 's/^lateness,//p' "$work/csv" | sort -t , -k 6,6nr | head -n 1 | cut -d , -f 1)" "MPI Rank 5"
like "text has a table" "$(tcflow -q -i "$work/synth/traces.otf2" -o pipeline.chain=lateness)" '^Lateness by location'
fails 2 "bins = 1 is refused" tcflow -i "$work/synth/traces.otf2" -o pipeline.chain=lateness -o lateness.bins=1

# Caps: reported, and every operation is still counted, but those that fall out of the table.
operations()
{
    tr -d '\r' <"$work/csv" | awk -F, '$1 == "calls" && $2 != "operations" { n += $2 } $1 == "limits" && $2 == "fell_out" { n += $3 } END { print n + 0 }'
}
all=$(operations)
for cap in max_steps=2 max_pending=16; do
    tcflow -i "$work/synth/traces.otf2" -o pipeline.chain=lateness -o lateness.format=csv -o lateness.$cap >"$work/csv" 2>"$work/said"
    is "$cap: all operations" "$(operations)" "$all"
done
done_testing
