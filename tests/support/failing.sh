# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What the sweeps over failing allocations and failing calls share (test_failing_memory.sh, test_failing_calls.sh): the
# chains and tools, a run, and what holds behind each of them: exit status 0 means the outputs of an undisturbed run;
# else the status is 1, a message says why, and nothing crashes or hangs. (`of_torture`: tcflow-torture tells of runs that failed on standard
# output, with status 1, and has status 2 for what it cannot do.)
# A test sets `preload` (the object), `counted` (the file with the number of points, absolute) and the words of env(1)
# in `how`; POINTS are tried of each chain, evenly chosen; 0: all; places: the first and the last one of each place in the
# program (CALLERS: see places.h); first: the first one alone. `counted` has the number of points, in its second line that of those before the sandbox
# (those around it are tried, too, where `near` has the word sandbox, the first ones where it has the word begin, and the last ones for the word end),
# in its third line the first ones of places, and in its fourth line the last ones.

points=${POINTS:-${default_points:-60}}
disturbed_runs=0

# one NUMBER PROGRAM OPTION...: a run in the folder `out`, beside `said`. Returns its exit status.
one()
{
    number=$1
    shift
    rm -rf out "$counted"
    mkdir out
    [ -z "${before:-}" ] || "$before"
    { (cd out && exec timeout 60 env $how FAILING="$number" LD_PRELOAD="$preload" "$@" </dev/null >stdout 2>"$work/said"); } 2>/dev/null
}
# What is in the files, but for times of the clock on the wall, and the random number of a synthetic archive.
outputs()
(
    cd out || exit 1
    [ ! -e all.sqlite ] || python3 -c 'import sqlite3, sys
for line in sqlite3.connect("all.sqlite").iterdump():
    if not line.startswith("INSERT INTO \"run\""):
        print(line)'
    [ ! -e page.html ] || sed -E '/"name":"(run_[a-z_]*|peak_memory|started)"/d; s/[0-9-]{10}T[0-9:]{8}Z//g' page.html | cksum
    [ ! -e section ] || sed '/^; Date:/d' section
    find . -type f ! -name all.sqlite ! -name page.html ! -name section ! -path "./${varies:-none}" | LC_ALL=C sort | xargs cksum
)

# judged STATUS: what is wrong with the run; "": nothing
judged()
{
    if [ "$1" -eq 0 ]; then
        [ "$(outputs)" = "$expected" ] || { echo "$expected" >expected; echo "other outputs: $(outputs | diff expected - | head -n 6)"; }
    elif [ "$1" -eq 124 ]; then
        echo "no end"
    elif [ "$1" -gt 2 ]; then
        echo "status $1, $(head -c 300 said)"
    elif ! cat said ${of_torture:+out/stdout} | grep -Eq "${reason:-.}"; then
        echo "status $1 without a reason, $(head -c 300 said)"
    elif [ "$1" -eq 2 ] && [ -z "${of_torture:-}" ]; then
        echo "status 2, which is for mistakes, $(head -c 300 said)"
    fi
    [ -z "${old:-}" ] || [ "$1" -eq 0 ] || [ "$(of_archive out/out)" = "$old" ] || [ "$(of_archive out/out)" = "$new" ] ||
        echo "what is in place is neither the old nor the new one"
}

# What an archive holds, but for the anchor with its identifier. `old` and `new` are set where one is replaced.
of_archive()
(
    cd "$1" 2>/dev/null && find . -type f ! -name "*.otf2" | LC_ALL=C sort | xargs cksum
)
put_old_archive()
{
    cp -R "$work/whole" out/out
}

# points_of N: which of N points are tried.
points_of()
{
    few=$points
    case $points in
        places | first)
            at_places=$(sed -n "3p$([ "$points" = first ] || echo ';4p')" "$counted" | tr -s ' ' '\n' | sort -nu)
            [ -z "$at_places" ] || { echo "$at_places"; return; }
            few=200 ;; # nobody counts them
    esac
    if [ "$few" -eq 0 ] || [ "$few" -ge "$1" ]; then
        seq "$1"
    else
        seq "$few" | awk -v n="$1" -v of="$few" '{ at = 1 + int((($1 - 1) * n + int(n / 2)) / of); print at < n ? at : n }'
    fi
}

# each NAME PROGRAM OPTION...
each()
{
    each_name=$1
    shift
    echo "$each_name" | grep -Eq "${ONLY:-.}" || return 0
    one 0 "$@" || { tap 1 "$each_name: undisturbed"; diag "$(cat said)"; return; }
    expected=$(outputs) n=$(sed -n 1p "$counted" 2>/dev/null) sandbox=$(sed -n 2p "$counted" 2>/dev/null)
    one 0 "$@" && [ "$(outputs)" = "$expected" ] || { tap 1 "$each_name: undisturbed runs are alike"; return; }
    [ "${n:-0}" -gt 0 ] || { tap 1 "$each_name: points are counted"; return; }
    tried_points=$(points_of "$n") wrong=
    each_tried=$(echo $tried_points | wc -w)
    case ${near:-} in *sandbox*) [ "${sandbox:-0}" -le 30 ] || tried_points="$tried_points $(seq $((sandbox - 40)) $((sandbox + 10)))" ;; esac
    case ${near:-} in *begin*) tried_points="$tried_points $(seq 15)" ;; esac
    case ${near:-} in *end*) [ "$n" -le 15 ] || tried_points="$tried_points $(seq $((n - 15)) "$n")" ;; esac
    tried_points=$(echo $tried_points | tr ' ' '\n' | sort -nu)
    for at in $tried_points; do
        one "$at" "$@"
        verdict=$(${judge:-judged} $?)
        [ -z "$verdict" ] || wrong="$wrong $at: $verdict;"
        disturbed_runs=$((disturbed_runs + 1))
    done
    is "$each_name: $each_tried of $n" "$wrong" ""
}

# Inputs of the chains below.
failing_inputs()
{
    "$generate" random --out "$work/trace" --events 1500 --ranks 3 --clock-offset-ns 30000 --clock-drift-ppm 20 --lose-sends 0.01 \
        --end-early 0.3 >/dev/null || exit 1
    "$generate" random --out "$work/whole" --events 600 --ranks 4 --seed 2 >/dev/null || exit 1
    input=$work/trace/traces.otf2
    tcflow -q -i "$input" -o pipeline.chain=stream_write -o stream_write.path="$work/recorded"
    "$generate" everything --out "$work/everything" >/dev/null || exit 1
    tcflow -q -i "$work/everything" -o pipeline.chain=stream_write -o stream_write.path="$work/recorded.all"
    for part in 0,1 2; do
        tcflow -q -i "$input" -o pipeline.chain="select stream_write" -o select.ranks=$part -o stream_write.path="$work/part.$part"
    done
    tcflow -q -i "$input" -o pipeline.chain=perfetto_trace -o perfetto_trace.path="$work/trace.json" -o perfetto_trace.format=json
    printf 'start,end,process,name\n0,10,0,a\n2,5,0,b\n1,9,1,a\n11,12,1,c\n' >"$work/spans.csv"
    mkdir "$work/kineto" "$work/nsight"
    python3 "$top_srcdir/tests/plugins/chrome/kineto.py" make 1 "$work/kineto" 3 && python3 "$top_srcdir/tests/plugins/nsight/mpi.py" make 1 "$work/nsight" ||
        exit 1
    mkdir "$work/named" "$work/logs"
    cp -R "$work/whole/traces" "$work/named/run" && cp "$work/whole/traces.def" "$work/named/run.def" && cp "$work/whole/traces.otf2" "$work/named/run.otf2"
    ln -s "$work/whole/traces/0.evt" "$work/named/run/0.evt.link" && mv "$work/named/run/0.evt.link" "$work/named/run/0.evt"
    python3 "$top_srcdir/tests/plugins/projections/projections.py" make 1 "$work/logs/ring.sts" &&
        python3 "$top_srcdir/tests/plugins/hpctoolkit/hpctoolkit.py" make 1 "$work/db" small || exit 1
    tcflow -q -i "$input" -o pipeline.chain=perfetto_trace -o perfetto_trace.path="$work/trace.pftrace"
    [ ! -x "$top_builddir/tests/tools/calibrate/run-trace" ] || "$top_builddir/tests/tools/calibrate/run-trace" "$work/loops" calls=2000 || exit 1
    printf 'SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE work_1\n  EXCLUDE %0200d\n  EXCLUDE work_2\nSCOREP_REGION_NAMES_END\n' 0 >"$work/excluded"
    # In a terminal; rates and memory differ from run to run. Standard error is for messages alone.
    cat >"$work/top" <<end
#!/bin/sh
TERM=xterm python3 "$top_srcdir/tests/tools/top/screen.py" 24x100 "until=is_over show key=q" "$top_builddir/tcflow-top" --tcflow "$TCFLOW" \\
    --speed 0 "$input" >screen
sed -n '/^--------$/,/^--------$/p' screen | grep '^ ' | sed 's/ [0-9.]* [kMG]*B/ /' >shown
status=\$(sed -n 's/^status -/128 + /p; s/^status //p' screen)
[ "\$status" = 0 ] || cat screen >&2
! grep -q 'is unknown here (TERM)' screen || status=1 # ncurses doesn't say why it knows none
rm screen
exit \$((\$status))
end
    chmod +x "$work/top"
    mkdir "$work/runs"
    python3 "$top_srcdir/tests/tools/scaling/cases.py" "$work/runs" || exit 1
    for name in one two; do
        tcflow -q -i "$input" -o pipeline.chain=profile -o pipeline.database="$work/$name.sqlite" >/dev/null
    done
}

# Calls each() for all chains and tools.
failing_all()
{
    each "check" "$TCFLOW" -q -i "$input" -o pipeline.chain=check -o check.format=csv
    each "print" "$TCFLOW" -q -i "$input" -o pipeline.chain=print -o print.definitions=yes -o print.output=events
    each "a filter file" "$TCFLOW" -q -i "$input" -o pipeline.chain="select profile" -o select.filter_file="$work/excluded" -o profile.output=profile
    each "an archive" "$TCFLOW" -q -i "$input" -o pipeline.chain=otf2_write -o otf2_write.path=out
    old=$(of_archive "$work/whole") new=$(tcflow -q -i "$input" -o pipeline.chain=otf2_write -o otf2_write.path="$work/new" && of_archive "$work/new")
    before=put_old_archive near='sandbox end'
    each "an archive in place of another" "$TCFLOW" -q -i "$input" -o pipeline.chain=otf2_write -o otf2_write.path=out -o otf2_write.overwrite=yes
    before='' old='' new='' near=sandbox
    rm -rf "$work/new"
    each "a folder, and links in it" "$TCFLOW" -q -i "$work/named" -o pipeline.chain=check -o check.output=check
    near=''
    each "an archive by libotf2" "$TCFLOW" -q -i "$input" -o pipeline.chain=otf2_write -o otf2_write.path=out -o otf2_write.writer=libotf2 \
        -o pipeline.reader=libotf2
    each "a stream" "$TCFLOW" -q -i "$input" -o pipeline.chain=stream_write -o stream_write.path=out -o pipeline.flush=1h
    each "correction" "$TCFLOW" -q -i "$input" -o pipeline.survey=clock_estimate -o clock_estimate.output=clocks -o clock_estimate.knots=knots \
        -o pipeline.chain="presync clc_forward clc_backward check" -o presync.method=survey
    each "waits" "$TCFLOW" -q -i "$input" -o pipeline.chain="wait_states critical_path" -o wait_states.format=csv -o wait_states.output=waits
    each "a graph" "$TCFLOW" -q -i "$input" -o pipeline.chain="root_cause ppg" -o root_cause.computation=yes -o root_cause.output=causes \
        -o ppg.format=json -o ppg.output=graph
    each "a recorded stream" "$TCFLOW" -q -i stream:"$work/recorded" -o pipeline.chain="check print" -o check.output=check -o print.output=events
    each "all kinds of records" "$TCFLOW" -q -i "$work/everything" -o pipeline.chain="check print" -o print.definitions=yes -o print.output=events
    each "a recorded stream of all kinds" "$TCFLOW" -q -i stream:"$work/recorded.all" -o pipeline.chain="pass otf2_write" -o otf2_write.path=out
    each "two streams as one" "$TCFLOW" -q -i "stream:$work/part.0,1 stream:$work/part.2" -o pipeline.chain="check print" -o print.definitions=yes \
        -o print.output=events
    each "efficiency by iteration" "$TCFLOW" -q -i "$work/whole" -o pipeline.survey=iterations -o iterations.anchor=work_4 -o iterations.output=loop \
        -o pipeline.chain=efficiency -o efficiency.output=efficiency
    each "a view" "$TCFLOW" -q -i "$input" -o pipeline.chain=live -o live.every=1h -o live.output=view
    each "a timeline" "$TCFLOW" -q -i "$input" -o pipeline.chain=perfetto_trace -o perfetto_trace.path=out
    each "causes, diagnosed" "$TCFLOW" -q -c causes -i "$input"
    each "reports" "$TCFLOW" -q -i "$input" -o pipeline.survey=wait_states -o overhead.event=40ns -o skew.offset=1ms -o calls.path=calls -o pipeline.chain="whole_messages overhead \
skew time_profile activity comm_comp comm_matrix message_histogram load_imbalance metrics io lateness timeline distances calls iterations"
    each "two domains" "$TCFLOW" -q -i "$input" -j 2 -o pipeline.chain="check wait_states" -o check.output=check -o wait_states.output=waits
    near=begin
    each "settings, checked" "$TCFLOW" --check -c correct -i "$input"
    near=''
    each "presets" "$TCFLOW" --list-presets
    each "pages of Markdown" "$TCFLOW" --list-filters=markdown
    each "man pages" "$TCFLOW" --man-pages .
    each "print, by location" "$TCFLOW" -q -i stream:"$work/recorded" -o pipeline.chain=print -o print.output=events -o print.order=location
    each "spans of a table" "$TCFLOW" -q -i "$work/spans.csv" -o pipeline.chain=print -o print.output=events
    if tcflow --version | grep -q '^databases: SQLite'; then
        each "a database" "$TCFLOW" -q -i "$input" -o pipeline.chain="profile distances" -o pipeline.database=all.sqlite
        each "tcflow-diff" "$top_builddir/tcflow-diff" --json a="$work/one.sqlite" b="$work/two.sqlite"
        each "tcflow-diff, a page" "$top_builddir/tcflow-diff" --html page.html a="$work/one.sqlite" b="$work/two.sqlite"
        near=end # texts of the page
        each "tcflow-scaling" "$top_builddir/tcflow-scaling" --html page.html --predict 64 "$work"/runs/serial.*
        near=''
        each "tcflow-report" "$top_builddir/tcflow-report" -q -o page.html "$work/one.sqlite"
        each "tcflow-report, two databases" "$top_builddir/tcflow-report" -q -o page.html "$work/one.sqlite" "$work/two.sqlite"
    fi
    if tcflow --version | grep -q '^HTML reports: D3'; then
        each "a page" "$TCFLOW" -q -i "$input" -o pipeline.chain="profile load_imbalance" -o pipeline.html_report=page.html
    fi
    if tcflow --list-sources | grep -q chrome; then
        each "a trace in JSON" "$TCFLOW" -q -i "$work/trace.json" -o pipeline.chain=print -o print.output=events
        each "files of PyTorch" "$TCFLOW" -q -i "$(echo "$work"/kineto/rank?.json)" -o pipeline.chain=print -o print.output=events
    fi
    if tcflow --list-sources | grep -q projections; then
        near=sandbox
        each "logs of Projections" "$TCFLOW" -q -i "$work/logs" -o pipeline.chain=print -o print.output=events
        near=''
    fi
    each "a database of HPCToolkit" "$TCFLOW" -q -i "$work/db" -o pipeline.chain=print -o print.output=events
    if tcflow --list-sources | grep -q perfetto; then
        each "a trace of Perfetto" "$TCFLOW" -q -i "$work/trace.pftrace" -o pipeline.chain=print -o print.output=events
    fi
    if tcflow --list-sources | grep -q nsight; then
        near=sandbox
        each "files of Nsight Systems" "$TCFLOW" -q -i "$(echo "$work"/nsight/rank?.sqlite)" -o pipeline.chain=print -o print.output=events
        near=
    fi
    each "tcflow info" "$TCFLOW" info "$work/whole"
    [ ! -d "$work/loops" ] ||
        each "tcflow-calibrate" "$top_builddir/tcflow-calibrate" --tcflow "$TCFLOW" --archive "$work/loops/traces.otf2" --copy none -o section
    each "tcflow-new-filter" "$top_builddir/tcflow-new-filter" name
    varies=out/traces.otf2
    each "tcflow-synth" "$top_builddir/tcflow-synth" out --ranks 3 --events 600 --truth truth
    old=$(of_archive "$work/whole") new=$("$top_builddir/tcflow-synth" "$work/new" --ranks 3 --events 600 && of_archive "$work/new")
    before=put_old_archive near=end
    each "tcflow-synth, over an archive" "$top_builddir/tcflow-synth" --overwrite out --ranks 3 --events 600
    varies='' before='' old='' new='' near=''
    rm -rf "$work/new"
}

# Calls each() for tools of several processes, of which a run takes half a second: tcflow-top; tcflow-mpi alone, and one of two
# processes, where the other one ends with it.
failing_processes()
{
    failing_points=$points points=${POINTS:-${processes_points:-5}}
    [ ! -x "$top_builddir/tcflow-top" ] || each "tcflow-top" "$work/top"
    failing_mpi
    points=$failing_points
}
failing_mpi()
{
    mpi=$top_builddir/tcflow-mpi MPIRUN=${MPIRUN:-mpirun}
    [ -x "$mpi" ] && have "$MPIRUN" || return 0
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # in containers
    OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_btl OMPI_MCA_hwloc_base_binding_policy
    case $("$MPIRUN" --version 2>/dev/null) in
        *Open*) launch="$MPIRUN --oversubscribe --quiet" ;;
        *) launch=$MPIRUN ;;
    esac
    cat >"$work/two" <<end
#!/bin/sh
# two RANK OPTION...: two processes, in that one of which something fails
rank=\$1
shift
exec $launch -n 2 sh -c '[ "\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}" = '\$rank' ] || unset LD_PRELOAD
exec "$mpi" "\$@"' sh "\$@"
end
    chmod +x "$work/two"
    "$work/two" 0 --version >said 2>&1 || { diag "processes cannot be started: $(head -n 3 said)"; return 0; }
    for of in "$mpi" "$work/two 0" "$work/two 1"; do
        # shellcheck disable=SC2086 # words
        each "tcflow-mpi: $(basename "$of")" $of -q -i "$input" -o pipeline.chain="check wait_states" -o check.output=check \
            -o wait_states.output=waits
    done
}

# Calls each() for tcflow-torture, of which a run takes half a second.
failing_torture()
{
    failing_points=$points points=${POINTS:-${processes_points:-6}} of_torture=yes
    each "tcflow-torture of a filter" "$top_builddir/tcflow-torture" pass --seeds 1
    each "tcflow-torture of a reader" "$top_builddir/tcflow-torture" csv --seeds 1 --sample "$work/spans.csv"
    points=$failing_points of_torture=
}
