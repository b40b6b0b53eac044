#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# check equals the oracle, which looks at a trace as a whole: violations of every class with their sizes and the worst
# messages, unmatched messages, unbalanced regions, dangling references; on a recorded trace and on random ones, with
# slices of any size. Its report reads well in all formats.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
usual_seeds=3
. "$top_srcdir/tests/support/random.sh"

here=$top_srcdir/tests/plugins/check

# checked ANCHOR OPTIONS...: check's CSV to $work/check.csv, in the common form to $work/got
checked()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" -o pipeline.chain=check -o check.clock_offsets=no -o check.format=csv "$@" >"$work/check.csv" 2>"$work/said" || {
        diag "$(cat "$work/said")"
        return 1
    }
    tr -d '\r' <"$work/check.csv" | awk -v from=check -f "$here/as_oracle.awk" | sort >"$work/got"
}

# foreseen ANCHOR MU: the same by the oracle, to $work/expected
foreseen()
{
    { "$oracle" violations "$1" --mu "$2" && "$oracle" health "$1"; } 2>/dev/null |
        awk -v from=oracle -f "$here/as_oracle.awk" | sort >"$work/expected"
}

# agree NAME ANCHOR: with several slices and minimum delays
agree()
{
    name=$1
    anchor=$2
    for mu in 0 1000; do
        foreseen "$anchor" $mu
        for slice in 0 1 37; do
            checked "$anchor" -o "check.mu=$mu ticks" -o pipeline.slice=$slice || tap 1 "$name"
            same "$name, mu = $mu ticks, slice = $slice" "$work/expected" "$work/got"
        done
    done
}

agree "a recorded trace" "$example"

all=$single,openmp,locks,pthreads,attributes,metrics

each "right clocks" --features "$all"
each "wrong clocks" --features "$all" --clock-offset-ns 1000000 --clock-drift-ppm 100 --sparse-locations --sparse-regions
each "threads that communicate" --features p2p,nonblocking,any-source,mpi-threads --clock-offset-ns 1000000
each "teams of all sizes" --omp-threads 4 --features p2p,collectives,openmp,locks,nested,mpi-inside,team-sizes --clock-offset-ns 1000000
each "any thread" --features "$single,openmp,locks,mpi-threads,any-thread,team-sizes" --clock-offset-ns 1000000
each "calling contexts" --features "$single,openmp,nested,mpi-inside" --contexts --clock-offset-ns 1000000
each "collectives without data" --features "$single" --empty-collectives --clock-offset-ns 1000000
each "requests that never complete" --features "$all" --never-complete 0.2 --clock-offset-ns 1000000
each "locations that end early" --features "$all" --end-early 0.2 --empty-locations 2 --clock-offset-ns 1000000
each "definitions twice" --features "$single" --regions-per-rank --repeat-definitions --clock-offset-ns 100000

# What is incomplete: the size of slices doesn't matter, nor what stands before it. (Who never comes to a collective operation
# may be known only after the others have left it; who goes on alone when all wait is the same one whoever came first.)
# independent NAME SEED OPTIONS...
independent()
{
    name=$1 seed=$2
    shift 2
    rm -rf "$work/trace"
    "$generate" random --out "$work/trace" --seed "$seed" --ranks $((seed % 5 + 2)) --ranks-per-node 2 --events 2000 \
        --features p2p,nonblocking,collectives "$@" >"$work/made" 2>&1
    for slice in 0 1 7; do
        checked "$work/trace/traces.otf2" -o pipeline.slice=$slice || tap 1 "$name"
        [ $slice -gt 0 ] || cp "$work/check.csv" "$work/first.csv"
        same "$name: slice = $slice" "$work/first.csv" "$work/check.csv"
        checked "$work/trace/traces.otf2" -o pipeline.slice=$slice -o pipeline.chain="wait_states check" \
            -o wait_states.output=/dev/null -o wait_states.overwrite=yes || tap 1 "$name"
        same "$name: behind another filter, slice = $slice" "$work/first.csv" "$work/check.csv"
    done
    # Behind a correction times are others, but what is incomplete stays so.
    for slice in 0 1 7; do
        checked "$work/trace/traces.otf2" -o pipeline.chain="clc_forward clc_backward check" -o pipeline.slice=$slice \
            -o clc_forward.output=/dev/null -o clc_forward.overwrite=yes -o clc_backward.output=/dev/null \
            -o clc_backward.overwrite=yes || tap 1 "$name"
        is "$name: behind a correction, slice = $slice" "$(grep '^verdict,incomplete' "$work/check.csv")" \
            "$(grep '^verdict,incomplete' "$work/first.csv")"
    done
}
independent "ends" 1 --end-early 0.3
like "there are incomplete operations" "$(cat "$work/first.csv")" '^verdict,incomplete_collective_ends,[1-9]'
independent "more ends" 8 --end-early 0.3
independent "losses" 4 --lose-sends 0.01 --lose-receives 0.01 --never-complete 0.05

# Messages without partner are as many in the summary as in the report, in whatever order the ends come, and from a stream.
# messages: of $work/notes
messages()
{
    echo "$(note unmatched_sends) $(note unmatched_receives)"
}

# counted NAME ANCHOR OPTIONS...: of select
counted()
{
    name=$1 anchor=$2
    shift 2
    checked "$anchor" -o pipeline.chain="select check" "$@" || tap 1 "$name"
    lost=$(tr -d '\r' <"$work/check.csv" | awk -F, '$2 == "unmatched_sends" { s = $3 } $2 == "unmatched_receives" { r = $3 } END { print s, r }')
    for option in slice=0 slice=1 slice=37 memory=1MiB "quantum=1 ticks"; do
        tcflow -q -i "$anchor" -o pipeline.chain="select wait_states" -o wait_states.output=/dev/null -o wait_states.overwrite=yes \
            --summary=json "$@" -o "pipeline.$option" 2>"$work/notes"
        is "$name: $option" "$(messages)" "$lost"
        tcflow -q -i "$anchor" -o pipeline.chain="select stream_write" -o stream_write.path=- "$@" -o "pipeline.$option" |
            tcflow -q -i - -o pipeline.chain=wait_states -o wait_states.output=/dev/null -o wait_states.overwrite=yes \
                --summary=json 2>"$work/notes"
        is "$name: $option, from a stream" "$(messages)" "$lost"
    done
}
rm -rf "$work/trace"
"$generate" random --out "$work/trace" --seed 3 --ranks 5 --events 3000 --features p2p,collectives,nonblocking --lose-sends 0.02 \
    --lose-receives 0.02 >"$work/made" 2>&1
counted "losses" "$work/trace/traces.otf2"
ok "there are some" test "${lost% *}" -gt 0 -a "${lost#* }" -gt 0
counted "receives dropped" "$work/trace/traces.otf2" -o "select.exclude_kinds=MPI_RECV MPI_IRECV MPI_IRECV_REQUEST"
ok "then nearly all sends are lost" test "${lost% *}" -gt 50
counted "sends dropped" "$work/trace/traces.otf2" -o "select.exclude_kinds=MPI_SEND MPI_ISEND MPI_ISEND_COMPLETE"
counted "locations dropped" "$work/trace/traces.otf2" -o "select.groups=0-2"

# Enters, leaves and references that make no sense; its messages make none either, so they are left out.
for seed in $(seq "$seeds"); do
    rm -rf "$work/trace"
    "$generate" odd --seed "$seed" --locations 5 --events 3000 --out "$work/trace" || exit 1
    foreseen "$work/trace/traces.otf2" 0
    grep -E '^(location|dangling)' "$work/expected" >"$work/wanted"
    for slice in 0 1 37; do
        checked "$work/trace/traces.otf2" -o pipeline.slice=$slice
        grep -E '^(location|dangling)' "$work/got" >"$work/some"
        same "odd trace $seed, slice = $slice: balance and references" "$work/wanted" "$work/some"
    done
done
ok "odd traces have dangling references" grep -q '^dangling' "$work/wanted"

# Deeper than check remembers regions, and left again.
"$generate" odd --locations 1 --events 0 --deep 140000 --out "$work/deep" || exit 1
checked "$work/deep/traces.otf2"
foreseen "$work/deep/traces.otf2" 0
same "140,000 levels" "$work/expected" "$work/got"

# The report.
rm -rf "$work/trace"
"$generate" random --out "$work/trace" --seed 1 --ranks 4 --events 3000 --features "$all" --clock-offset-ns 1000000 >"$work/made"
trace=$work/trace/traces.otf2
checked "$trace" -o check.worst=3
is "worst = 3: three messages" "$(grep -c '^worst,p2p,' "$work/check.csv")" 3
checked "$trace" -o check.worst=0
is "worst = 0: none" "$(grep -c '^worst,' "$work/check.csv")" 0
like "the verdict comes first" "$(tcflow -q -i "$trace" -o pipeline.chain=check | first_paragraph)" \
    '^[0-9]+ violations of the clock condition( by .*)?, [0-9]+ other findings?$'
"$top_builddir/tcflow-synth" --ranks 4 --events 3k --clock offset=1ms --measure both "$work/measured" || exit 1
measured=$work/measured/traces.otf2
like "clock offsets that nobody has applied, are" "$(tcflow -q -i "$measured" -o pipeline.chain=check | sed -n 1p)" \
    '^No findings: the trace is in order$'
like "unless they are not wanted" "$(tcflow -q -i "$measured" -o pipeline.chain=check -o check.clock_offsets=no | sed -n 1p)" \
    '^[1-9][0-9]* violations of the clock condition, 0 other findings$'
# The same numbers as by presync, which shifts and corrects the events themselves; a minimum delay leaves something to find.
for mu in 0us 5us 50us; do
    tcflow -q -i "$measured" -o pipeline.chain=check -o check.mu=$mu -o check.format=csv | grep '^violations,' >"$work/here"
    tcflow -q -i "$measured" -o pipeline.chain="presync check" -o pipeline.reports=check -o check.mu=$mu \
        -o check.format=csv | grep '^violations,' >"$work/behind"
    same "mu = $mu: as behind presync" "$work/behind" "$work/here"
done
is "not where they have been" "$(tcflow -q -i "$measured" -o pipeline.chain="presync check" -o pipeline.reports=check |
    sed -n 1p)" "No findings: the trace is in order"
like "nor those that there are not" "$(tcflow -q -i "$example" -o pipeline.chain=check | sed -n 1p)" \
    '^196 violations of the clock condition, '
rm -rf "$work/trace"
"$generate" random --out "$work/trace" --seed 1 --ranks 4 --events 3000 --features p2p,collectives >"$work/made"
is "nothing found" "$(tcflow -q -i "$trace" -o pipeline.chain=check | sed -n 1p)" "No findings: the trace is in order"
if have python3; then
    tcflow -q -i "$example" -o pipeline.chain=check -o check.format=json >"$work/check.json"
    ok "JSON is JSON" python3 -m json.tool "$work/check.json"
    ok "it has a verdict" grep -q '"finding": "clock_violations", "count"' "$work/check.json"
else
    skip "JSON is JSON" "python3 is not installed"
fi
tcflow --describe check --ini >"$work/check.ini"
same "filters.d/check.ini has the parameters" "$top_srcdir/filters.d/check.ini" "$work/check.ini"
fails 2 "a minimum delay is not negative" tcflow -i "$example" -o pipeline.chain=check -o check.mu=-1us

# Events pass unchanged.
if tcflow --describe print >/dev/null 2>&1; then
    tcflow -q -i "$example" -o pipeline.chain=print >"$work/plain"
    tcflow -q -i "$example" -o "pipeline.chain=check print" -o pipeline.verify=yes -o check.output="$work/report" \
        >"$work/checked"
    same "what passes is unchanged" "$work/plain" "$work/checked"
fi
done_testing
