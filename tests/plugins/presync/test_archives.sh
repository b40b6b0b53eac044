#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# presync and otf2_write on archives: what comes out shows, as it is stored, the times that libotf2's own reader makes of the
# clock offsets that went in; it has no offsets any more; and presync finds nothing left to do.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"

events()
{
    otf2-print "$1" 2>/dev/null | sed -n '/^Event /,$p'
}

# synchronise IN OUT OPTION...
synchronise()
{
    in=$1
    out=$2
    shift 2
    rm -rf "$out"
    timeout 60 "$TCFLOW" -q -i "$in" -o pipeline.chain="presync otf2_write" -o presync.output="$work/report" \
        -o presync.overwrite=yes -o otf2_write.path="$out" "$@"
}

failed=
for seed in $(seeds_of 6); do
    rm -rf "$work/trace"
    timeout 60 "$generate" random --out "$work/trace" --seed $seed --ranks $((seed % 4 + 2)) --events 4000 \
        --clock-offset-ns 5000000 --clock-drift-ppm 50 --clock-offset-records $((seed % 6 + 2)) --clock-offset-error-ns 100 \
        >"$work/generate" 2>&1 || failed="$failed $seed: not generated"
    events "$work/trace/traces.otf2" >"$work/expected"
    for option in pipeline.slice=0 pipeline.slice=5 presync.method=archive; do
        synchronise "$work/trace/traces.otf2" "$work/out" -o $option >"$work/why" 2>&1 ||
            failed="$failed $seed: $(head -n 1 "$work/why")"
        events "$work/out/traces.otf2" >"$work/got"
        [ -s "$work/got" ] && cmp -s "$work/expected" "$work/got" || failed="$failed $seed/$option: other times"
    done
    synchronise "$work/out/traces.otf2" "$work/again" >"$work/why" 2>&1 || failed="$failed $seed: again"
    cmp -s "$work/out/traces/0.evt" "$work/again/traces/0.evt" && grep -q '^none ' "$work/report" ||
        failed="$failed $seed: changed again"
    ! cmp -s "$work/trace/traces/1.evt" "$work/out/traces/1.evt" || failed="$failed $seed: nothing was changed"
done
is "the times of libotf2's own reader, once and for all" "$failed" ""

said()
{
    tcflow -i "$work/trace/traces.otf2" -o pipeline.chain="$1" -o pipeline.reports=presync 2>&1 | grep -c 'put presync in front'
}
is "offsets for times that others have changed before" "$(said "clc_forward presync")" 1
is "not where presync comes first" "$(said "presync clc_forward")" 0
is "nor where nobody changes times" "$(said "select check presync")" 0

printf 'location,time,offset,error\n0,5,0,\n' >"$work/knots.csv"
fails 2 "a file without some process" synchronise "$work/trace/traces.otf2" "$work/out" -o presync.file="$work/knots.csv"
like "the remedy is named" "$(cat "$work/.fails")" "unsynchronised = keep"
ok "unsynchronised = keep" synchronise "$work/trace/traces.otf2" "$work/out" -o presync.file="$work/knots.csv" \
    -o presync.unsynchronised=keep
like "the report says so" "$(cat "$work/report")" "unconnected"

# stated ANCHOR: how far clocks may be apart, as the archive says it
stated()
{
    otf2-print -I "$1" | sed -n '/TCFLOW::CLOCK_UNCERTAINTY/{ n; s/^Property value *//; p; }'
}
printf 'location,time,offset,error\n0,5,7,3\n' >"$work/knots.csv"
synchronise "$work/trace/traces.otf2" "$work/out" -o presync.file="$work/knots.csv" -o presync.unsynchronised=keep 2>"$work/why"
is "how far from the others is what nothing ties to them: unknown" "$(stated "$work/out/traces.otf2")" unknown

# Measured clocks that turn out to be right: the offsets are gone, and what they and the messages have shown is stated instead.
timeout 60 "$top_builddir/tcflow-synth" --ranks 3 --nodes 3 --events 3k --measure both "$work/right" >"$work/why" 2>&1
for run in right again; do
    rm -rf "$work/out"
    ok "clocks that are right: $run" tcflow -q -i "$work/$run/traces.otf2" -o pipeline.survey=clock_estimate \
        -o pipeline.chain="presync otf2_write" -o otf2_write.path="$work/out" -o pipeline.reports=presync
    is "$run: how far they may be apart" "$(stated "$work/out/traces.otf2" | grep -c '^[1-9][0-9.]*e-06 s$')" 1
    rm -rf "$work/again"
    mv "$work/out" "$work/again"
done
printf '\357\273\277location,time,offset,error\r\n0,5,7,3\r\n' >"$work/spreadsheet.csv"
ok "a file that a spreadsheet has written" synchronise "$work/trace/traces.otf2" "$work/out" \
    -o presync.file="$work/spreadsheet.csv" -o presync.unsynchronised=keep
printf 'location,time,offset,error\n0,5,100,\n0,15,2,\n' >"$work/knots.csv"
fails 2 "a file that turns time back" synchronise "$work/trace/traces.otf2" "$work/out" -o presync.file="$work/knots.csv" \
    -o presync.unsynchronised=keep
like "it is named" "$(cat "$work/.fails")" "knots.csv:3: location 0 .*, from time 5 .* to time 15 "
fails 2 "no such file" synchronise "$work/trace/traces.otf2" "$work/out" -o presync.file="$work/none"
fails 2 "a file for another method" synchronise "$work/trace/traces.otf2" "$work/out" -o presync.file="$work/knots.csv" \
    -o presync.method=archive
done_testing
