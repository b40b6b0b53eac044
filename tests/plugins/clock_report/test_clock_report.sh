#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# clock_report against the oracle on random traces and a recorded one: violations of every class, at minimum delays of 0
# and more, by raw times and, where nothing is moved, by those behind the chain; with slices of any size, instances that lack
# members included. Its report reads well in all formats.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
usual_seeds=3
. "$top_srcdir/tests/support/random.sh"

form=$top_srcdir/tests/plugins/check/as_oracle.awk

# reported ANCHOR OPTIONS...: the report as CSV to $work/report.csv
reported()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" -o pipeline.chain=clock_report -o clock_report.format=csv "$@" 2>"$work/said" |
        tr -d '\r' >"$work/report.csv"
    [ -s "$work/report.csv" ] || diag "$(cat "$work/said")"
}

# as_check COLUMN...: violations as check writes them, from the given columns of clock_report's table
as_check()
{
    awk -F, -v targets="$1" -v violated="$2" -v largest="$3" '$1 == "violations" {
        print "violations," $2 "," $3 - (targets ? $targets : 0) "," $violated ",0," (largest ? $largest : 0) }' \
        "$work/report.csv" | awk -v from=check -f "$form" | grep '^violations' | sort
}

# foreseen ANCHOR MU [without]: the same by the oracle; without the sizes
foreseen()
{
    "$oracle" violations "$1" --mu "$2" 2>/dev/null | awk -v from=oracle -f "$form" | grep '^violations' |
        if [ -n "${3:-}" ]; then awk '{ print $1, $2, $3, $4, 0 }'; else cat; fi | sort
}

unjudged()
{
    awk -F, '$1 == "violations" { n += $12 } END { print n + 0 }' "$work/report.csv"
}

agree()
{
    name=$1
    anchor=$2
    for slice in 0 1 37; do
        reported "$anchor" -o pipeline.slice=$slice -o "clock_report.mu=1000 ticks"
        foreseen "$anchor" 0 >"$work/expected"
        as_check 0 4 6 >"$work/got"
        same "$name, slice = $slice: before" "$work/expected" "$work/got"
        foreseen "$anchor" 1000 without >"$work/expected_mu"
        as_check 0 10 0 >"$work/got"
        same "$name, slice = $slice: before, minimum delay" "$work/expected_mu" "$work/got"
        is "$name, slice = $slice: all is judged" "$(unjudged)" 0
        as_check 12 7 9 >"$work/got"
        same "$name, slice = $slice: after" "$work/expected" "$work/got"
        as_check 12 11 0 >"$work/got"
        same "$name, slice = $slice: after, minimum delay" "$work/expected_mu" "$work/got"
    done
}

agree "a recorded trace" "$example"

all=$single,openmp,locks,pthreads,attributes,metrics

each "right clocks" --features "$all"
each "wrong clocks" --features "$all" --clock-offset-ns 1000000 --clock-drift-ppm 100 --sparse-locations
each "threads that communicate" --features p2p,nonblocking,any-source,mpi-threads --clock-offset-ns 1000000
each "teams of all sizes" --omp-threads 4 --features p2p,collectives,openmp,locks,nested,mpi-inside,team-sizes --clock-offset-ns 1000000
each "any thread" --features "$all,mpi-threads,any-thread,team-sizes" --clock-offset-ns 1000000
each "requests that never complete" --features "$all" --never-complete 0.2 --clock-offset-ns 1000000
each "collectives" --features collectives,v-collectives,nb-collectives,subcomms,intercomm --clock-offset-ns 1000000
each "locations that end early" --features "$all" --end-early 0.2 --empty-locations 2 --clock-offset-ns 1000000

# Instances that lack a member are judged by the others.
"$generate" random --out "$work/cut" --seed 3 --ranks 4 --events 3000 --features collectives --end-early 0.5 >"$work/made"
agree "instances that lack members" "$work/cut/traces.otf2"

# The report. Nothing was moved.
rm -rf "$work/trace"
"$generate" random --out "$work/trace" --seed 1 --ranks 4 --events 3000 --features "$all" --clock-offset-ns 1000000 >"$work/made"
trace=$work/trace/traces.otf2
like "the verdict comes first" "$(tcflow -q -i "$trace" -o pipeline.chain=clock_report | first_paragraph)" \
    '^Violations of the clock condition: [0-9]+ before \(times as stored, without the archive.s clock offsets\), [0-9]+ after; 0 of [0-9]+ events moved; residual uncertainty of the clocks: not known$'
reported "$trace"
is "no correction" "$(grep -c '^worst,' "$work/report.csv")" 0
is "no distortion" "$(grep '^distortion,' "$work/report.csv" | grep -vc ',unchanged,')" 0
events=$(tcflow -q -i "$trace" -o pipeline.chain=print | wc -l)
is "every event is in a stretch of time" \
    "$(awk -F, '$1 == "corrections" { n += $5 } END { print n }' "$work/report.csv")" \
    "$(awk -F, '$1 == "locations" { n += $8 } END { print n }' "$work/report.csv")"
ok "there are events" test "$events" -gt 0
for buckets in 1 3 16; do
    reported "$trace" -o clock_report.buckets=$buckets
    most=$(awk -F, '$1 == "corrections" { n[$2]++; if (n[$2] > most) most = n[$2] } END { print most }' "$work/report.csv")
    ok "$buckets buckets: no location has more" test "$most" -le "$buckets"
done
tcflow -q -i "$trace" -o pipeline.survey=mu_estimate -o pipeline.chain=clock_report -o clock_report.format=csv \
    -o mu_estimate.output="$work/mu" | tr -d '\r' >"$work/report.csv"
ok "what the survey learned is there" test \
    "$(awk -F, '$1 == "delays" && $6 > 0' "$work/report.csv" | wc -l)" -gt 0
if have python3; then
    tcflow -q -i "$trace" -o pipeline.chain=clock_report -o clock_report.format=json >"$work/report.json"
    ok "JSON is JSON" python3 -m json.tool "$work/report.json"
    ok "it has a verdict" grep -q '"finding": "clock_violations", "before"' "$work/report.json"
else
    skip "JSON is JSON" "python3 is not installed"
fi

# Messages that were brought into order fit together as if clocks had always been right; they haven't.
timeout 60 "$top_builddir/tcflow-synth" --ranks 4 --events 5k --clock offset=1s,drift=9000 --clock-per process "$work/raw" >"$work/made"
for times in once twice; do
    rm -rf "$work/$times"
    [ $times = once ] && from=raw || from=once
    tcflow -q -c "$top_srcdir/examples/correct.ini" -i "$work/$from/traces.otf2" -o otf2_write.path="$work/$times" | first_paragraph >"$work/$times.txt"
done
like "corrected once: the error bar" "$(cat "$work/once.txt")" \
    'residual uncertainty: \+-[0-9.]+ us of a single clock, [0-9.]+ us between two$'
if have otf2-print; then
    is "the archive states the one between two" \
        "$(otf2-print -I "$work/once/traces.otf2" | sed -n '/TCFLOW::CLOCK_UNCERTAINTY/{ n; s/^Property value *//; p; }' |
            awk '{ printf "%.1f us\n", $1 * 1e6 }')" \
        "$(sed 's/.* of a single clock, \(.*\) between two/\1/' "$work/once.txt")"
else
    skip "the archive states the one between two" "otf2-print is not installed"
fi
like "corrected twice: it is no smaller" "$(cat "$work/twice.txt")" \
    ' 0 of [0-9]* events moved; residual uncertainty between two clocks, as an earlier correction has stated it: [0-9.]+ us$'
# Where CLC moves events, these are off by as much, besides; the reference's, too, whose clock is right by definition.
"$top_builddir/tcflow-synth" --ranks 6 --nodes 3 --pattern sendrecv --compute 50ms --events 12k --measure both \
    --clock offset=1ms,drift=10,sine=50us:5s "$work/bent" >"$work/made"
for behind in "" "clc_forward clc_backward"; do
    tcflow -q -i "$work/bent/traces.otf2" -o "pipeline.survey=clock_estimate mu_estimate" -o clock_estimate.most_knots=1 \
        -o "pipeline.chain=presync $behind clock_report otf2_write" -o pipeline.reports=clock_report -o clock_report.format=csv \
        -o otf2_write.path="$work/straight" -o otf2_write.overwrite=yes >"$work/bars"
    is "behind ${behind:-presync}: the reference's bar is what its events were moved at least" \
        "$(awk -F, '$1 == "locations" && $2 == 0 { most = $12 + 0 > -$10 ? $12 + 0 : -$10; print ($6 >= most), ($6 > 0) }' "$work/bars")" \
        "1 $([ -z "$behind" ]; echo $?)"
    [ -n "$behind" ] || grep '^locations,[1-9]' "$work/bars" | cut -d, -f2,6 >"$work/before"
    ! have otf2-print || otf2-print -I "$work/straight/traces.otf2" |
        sed -n '/TCFLOW::CLOCK_UNCERTAINTY/{ n; s/^Property value *//; s/ s$//; p; }' >>"$work/stated"
done
if have otf2-print; then
    ok "the archive states that: $(tr '\n' ' ' <"$work/stated")" awk '{ stated[NR] = $1 } END { exit !(stated[2] > stated[1]) }' "$work/stated"
else
    skip "the archive states that" "otf2-print is not installed"
fi
is "those of others have grown, too" \
    "$(grep '^locations,[1-9]' "$work/bars" | cut -d, -f2,6 | paste -d, "$work/before" - | awk -F, '$4 <= $2' | wc -l)" 0
# What was left out can't be judged, and the verdict says so.
like "no room for channels: receives without their send are reported" \
    "$(tcflow -q -i "$top_srcdir/examples/trace/traces.otf2" -o pipeline.chain=clock_report -o pipeline.max_channels=1 2>/dev/null | first_paragraph)" \
    ' after \([1-9][0-9]* receives have no known send\); '
tcflow --describe clock_report --ini >"$work/described.ini"
same "filters.d/clock_report.ini has the parameters" "$top_srcdir/filters.d/clock_report.ini" "$work/described.ini"
fails 2 "a minimum delay is not negative" tcflow -i "$trace" -o pipeline.chain=clock_report -o clock_report.mu=-1us
tcflow -q -i "$trace" -o pipeline.chain=print >"$work/plain"
tcflow -q -i "$trace" -o "pipeline.chain=clock_report print" -o pipeline.verify=yes -o clock_report.output="$work/tables" \
    >"$work/checked"
same "what passes is unchanged" "$work/plain" "$work/checked"
done_testing
