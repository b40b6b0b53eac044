#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# timeline over random traces: windows, locations, calls and messages are those that a program finds that looks at the whole
# trace at once, whatever the windows, the limits and the clocks. SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

here=$top_srcdir/tests/plugins/timeline

always="--equal-timestamps 0.1" enough=3

python3 -c 'import json' 2>/dev/null || skip_all "python3 is not installed"

# look ANCHOR: what the oracle needs of it
look()
{
    "$TCFLOW" -q -i "$1" -o pipeline.chain=print -o print.format=json -o print.definitions=yes -o print.order=location \
        >"$work/events" 2>/dev/null
    "$oracle" match "$1" >"$work/matches" && "$oracle" waits "$1" --trusting >"$work/waits"
}

# found ANCHOR REPORT [option...]: what was given up is in $work/notes
found()
{
    input=$1 report=$2
    shift 2
    timeout 120 "$TCFLOW" -i "$input" -o pipeline.survey=wait_states -o wait_states.output=/dev/null \
        -o wait_states.overwrite=yes -o pipeline.chain=timeline -o timeline.format=json -o timeline.output="$report" \
        --summary=json "$@" 2>"$work/notes" >/dev/null || { head -n 5 "$work/notes"; return 1; }
}

# agrees ANCHOR WAY...: a way has parameters of timeline, worst= of wait_states, and settings of the pipeline with its name
agrees()
{
    agrees_input=$1
    shift
    look "$agrees_input" || return
    rm -f "$work"/report*
    : >"$work/ways"
    for way; do
        report=$work/report$(wc -l <"$work/ways") options= settings=
        for setting in $way; do
            case $setting in
            pipeline.*) options="$options -o $setting" ;;
            worst=*) options="$options -o wait_states.$setting" settings="$settings $setting" ;;
            *) options="$options -o timeline.$setting" settings="$settings $setting" ;;
            esac
        done
        found "$agrees_input" "$report" $options || return
        in_order || continue
        compared=$((compared + 1))
        echo "$report$settings" >>"$work/ways"
    done
    [ ! -s "$work/ways" ] || python3 "$here/oracle.py" "$work/events" "$work/waits" "$work/matches" \
        "$top_srcdir/plugins/shared/patterns/patterns.h" <"$work/ways"
}

# As it is, small slices, few intervals are kept, many windows, no padding.
check()
{
    try "as the oracle" agrees "$1" "" "pipeline.slice=1 windows=3 locations=2" \
        "pipeline.slice=$((seed * 5 % 500 + 2)) max_intervals=4 max_messages=3 locations=5" \
        "pipeline.slice=$((seed % 50 + 3)) pipeline.memory=1MiB windows=40 worst=20 padding=0.7" \
        "pipeline.slice=3 windows=10 padding=0 max_intervals=1 max_messages=1"
}

random "messages" --features p2p,sendrecv,nonblocking,cancel,any-source
random "collectives" --features collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
random "threads" --features p2p,collectives,openmp,locks,pthreads
random "threads that communicate" --features p2p,nonblocking,any-source,mpi-threads
random "teams of all sizes" --omp-threads 4 --features p2p,collectives,openmp,locks,nested,mpi-inside,team-sizes
random "any thread" --features "$single,openmp,locks,mpi-threads,any-thread,team-sizes"
random "everything, sparse ids" --features "$single,openmp,locks,pthreads,attributes,metrics" --sparse-locations --sparse-regions \
    --shuffle-definitions --empty-locations 2
random "persistent requests" --features "$single,persistent"
random "wrong clocks" --features "$single,openmp" --clock-offset-ns 30000 --clock-drift-ppm 100 --clock-jumps 2 --clock-jump-ns 4000
random "losses" --features p2p,nonblocking,collectives --lose-receives 0.01 --never-complete 0.05

for anchor in "$example" ${TRACES:-}; do
    name=$(basename "$(dirname "$anchor")")
    compared=0
    ok "$name" agrees "$anchor" "" "pipeline.slice=7 windows=30 locations=3 worst=10"
    is "$name: both were compared" "$compared" 2
done

ok "with --check what the survey is to tell is not missed" tcflow -q --check -i "$example" -o pipeline.survey=wait_states \
    -o pipeline.chain=timeline
fails 2 "without a survey it is told what to do" tcflow -q -i "$example" -o pipeline.chain=timeline
like "by name" "$(cat "$work/.fails")" 'put wait_states into .survey.'

done_testing
