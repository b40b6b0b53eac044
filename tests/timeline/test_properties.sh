#!/bin/sh
# timeline over random traces: windows, locations, calls and messages are those that a program finds that looks at the whole
# trace at once, whatever the windows, the limits and the clocks. SEEDS (default 3) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh"

generate=$top_builddir/tests/generate/random-trace
oracle=$top_builddir/tests/oracle/oracle
here=$top_srcdir/tests/timeline
example=$top_srcdir/examples/trace/traces.otf2
seeds=${SEEDS:-${TCFLOW_QUICK:+1}}
seeds=${seeds:-3}
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

always="--equal-timestamps 0.1" enough=3
. "$top_srcdir/tests/random.sh"

[ -x "$oracle" ] && [ -x "$generate" ] || skip_all "the oracle or the generator of random traces is not built"
python3 -c 'import json' 2>/dev/null || skip_all "python3 is not installed"

# look ANCHOR: what the oracle needs of it
look()
{
    "$TCFLOW" -q -i "$1" -o pipeline.chain=print -o print.format=json -o print.definitions=yes -o print.order=location \
        >"$work/events" 2>/dev/null
    "$oracle" match "$1" >"$work/matches" && "$oracle" waits "$1" --trusting >"$work/waits"
}

# found ANCHOR [option...]: into $work/got; what was given up is in $work/notes
found()
{
    input=$1
    shift
    rm -f "$work/report"
    timeout 120 "$TCFLOW" -i "$input" -o pipeline.survey=wait_states -o wait_states.output=/dev/null \
        -o wait_states.overwrite=yes -o pipeline.chain=timeline -o timeline.format=json -o timeline.output="$work/report" \
        --summary=json "$@" 2>"$work/notes" >/dev/null || { head -n 5 "$work/notes"; return 1; }
    python3 "$here/reported.py" "$work/report" | sort >"$work/got"
}

# agrees ANCHOR SETTINGS [option...]: SETTINGS are parameters of timeline, and worst of wait_states
agrees()
{
    agrees_input=$1 settings=$2
    shift 2
    for setting in $settings; do
        case $setting in
        worst=*) set -- "$@" -o "wait_states.$setting" ;;
        *) set -- "$@" -o "timeline.$setting" ;;
        esac
    done
    found "$agrees_input" "$@" || return 1
    [ "$(note given_up)" = 0 ] || return 0
    compared=$((compared + 1))
    python3 "$here/oracle.py" "$work/events" "$work/waits" "$work/matches" "$top_srcdir/plugins/shared/waits/patterns.h" $settings |
        sort >"$work/expected"
    [ -s "$work/expected" ] && equal "$work/expected" "$work/got"
}

check()
{
    look "$1"
    try "as the oracle" agrees "$1" ""
    try "slice=1" agrees "$1" "windows=3 locations=2" -o pipeline.slice=1
    try "few are kept" agrees "$1" "max_intervals=4 max_messages=3 locations=5" -o pipeline.slice=$((seed * 5 + 2))
    try "many windows" agrees "$1" "windows=40 worst=20 padding=0.7" -o pipeline.slice=$((seed + 3)) -o pipeline.memory=1MiB
    try "no padding" agrees "$1" "windows=10 padding=0 max_intervals=1 max_messages=1" -o pipeline.slice=3
}

random "messages" --features p2p,sendrecv,nonblocking,cancel,any-source
random "collectives" --features collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
random "threads" --features p2p,collectives,openmp,locks,pthreads
random "threads that communicate" --features p2p,nonblocking,any-source,mpi-threads
random "everything, sparse ids" --features "$single,openmp,locks,pthreads,attributes,metrics" --sparse-locations --sparse-regions \
    --shuffle-definitions --empty-locations 2
random "wrong clocks" --features "$single,openmp" --clock-offset-ns 30000 --clock-drift-ppm 100 --clock-jumps 2 --clock-jump-ns 4000
random "losses" --features p2p,nonblocking,collectives --lose-receives 0.01 --never-complete 0.05

for anchor in "$example" ${TRACES:-}; do
    name=$(basename "$(dirname "$anchor")")
    look "$anchor"
    ok "$name" agrees "$anchor" ""
    ok "$name: many windows" agrees "$anchor" "windows=30 locations=3 worst=10" -o pipeline.slice=7
done

ok "with --check what the survey is to tell is not missed" tcflow -q --check -i "$example" -o pipeline.survey=wait_states \
    -o pipeline.chain=timeline
fails 1 "without a survey it is told what to do" tcflow -q -i "$example" -o pipeline.chain=timeline
like "by name" "$(cat "$work/.fails")" 'put wait_states into .survey.'

done_testing
