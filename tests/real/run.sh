#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# run.sh FOLDER [TRACE...]: the recorded traces in FOLDER (one folder a trace, with its anchor), or those named, through tcflow. Any
# traces will do; what is known of some is compared for those that expected.txt names:
#   - a copy through the chain prints like the original, definitions, events, attributes and clock offsets;
#   - check finds the numbers of messages and reversed messages that are known of the trace (expected.txt here);
#   - presync makes of the clock offsets what libotf2's own reader makes of them;
#   - clock_report counts the same before and after no correction;
#   - examples/correct.ini leaves no violation by the oracle, check and otf2-print read what it writes, a second correction
#     moves nothing, and neither does the first where nothing was violated. The Score-P recordings of one machine have true times:
#     how far the correction moves them, and how far their measured clock offsets alone do, is shown;
#   - check, profile and wait_states agree with the oracle, which reads the trace whole; filters see events in causal order;
#   - so does ppg, vertex by vertex and edge by edge;
#   - so does root_cause, whose costs are compared with another tool's, too;
#   - examples/report.ini makes a page of it that passes the tests of such pages in a browser (of several traces, one does);
#   - so do lateness, operation by operation, and iterations; of some traces it is known how often they iterate;
#   - critical_path has as much before forks of threads as other tools, of two traces;
#   - in several domains all that can run in them gives what it gives in one, reports and copies;
#   - written as Chrome's JSON and read again it has the same calls, messages and counters;
#   - the same chains in several processes, over pipes, give what they give in one, every tick and every report;
#   - wait_states agrees with the values of another tool in FOLDER/golden, where there are any: NAME.csv with the columns metric and
#     total, of times after linear interpolation.
# JOBS (default: all cores): how many traces at a time. Prints TAP; needs otf2-print.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/plugins/stream_write/pipes.sh"
. "$top_srcdir/tests/support/in_domains.sh"
. "$top_srcdir/tests/support/readers.sh"
. "$top_srcdir/tests/tools/report/in_browser.sh"
. "$top_srcdir/tests/real/side_by_side.sh"

folder=${1:?usage: run.sh FOLDER [TRACE...]}
shift
oracle=$top_builddir/tests/support/oracle/oracle
have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
[ -d "$folder" ] || skip_all "there is no folder $folder"

# anchor_of TRACE: traces.otf2, or the only anchor that it has
anchor_of()
{
    if [ -e "$folder/$1/traces.otf2" ]; then
        echo "$folder/$1/traces.otf2"
    elif [ "$(find "$folder/$1" -maxdepth 1 -name '*.otf2' 2>/dev/null | wc -l)" -eq 1 ]; then
        find "$folder/$1" -maxdepth 1 -name '*.otf2'
    fi
}

# Is something known of this trace?
is_known()
{
    awk -v trace="$1" '$1 == trace { found = 1 } END { exit !found }' "$top_srcdir/tests/real/expected.txt"
}

# What otf2-print says of an archive. Left out is what is rightly different in a copy: the version of libotf2 that wrote
# it, and its chunk sizes.
printed()
{
    otf2-print -I "$1" 2>"$work/said" | grep -vE '^(Version|Chunk size) '
    otf2-print -G -C "$1" 2>>"$work/said"
    otf2-print "$1" 2>>"$work/said"
    cat "$work/said"
}

# Some measurement systems state wrong numbers of events in their definitions of locations; the copy states the true ones.
states_counts()
{
    stated=$(otf2-print -G "$1" 2>/dev/null | sed -nE 's/^LOCATION .*#[[:space:]]*Events: ([0-9]+).*/\1/ip' | awk '{ n += $1 } END { print n + 0 }')
    [ "$stated" = "$(tcflow -q -i "$1" -o pipeline.chain=pass --summary=json 2>&1 | sed -n 's/.*"events": \([0-9]*\),.*/\1/p' | head -n 1)" ]
}
without_counts()
{
    sed -E '/^LOCATION /s/#[[:space:]]*Events: [0-9]+/# Events: N/I'
}

lossless()
{
    trace=$1
    anchor=$2
    counts=without_counts
    ! states_counts "$anchor" || counts=cat
    ok "$trace: a copy is made" tcflow -q -i "$anchor" -o pipeline.chain=otf2_write -o otf2_write.path="$work/copy" ||
        return
    printed "$anchor" | $counts >"$work/original.txt"
    printed "$work/copy/traces.otf2" | $counts >"$work/copy.txt"
    same "$trace: the copy prints like the original" "$work/original.txt" "$work/copy.txt"
    # otf2-print shows times after the clock offsets, the oracle shows them as they are stored.
    if [ -x "$oracle" ]; then
        "$oracle" dump "$anchor" >"$work/original.txt" 2>&1
        "$oracle" dump "$work/copy/traces.otf2" >"$work/copy.txt" 2>&1
        same "$trace: the copy holds the stored times of the original" "$work/original.txt" "$work/copy.txt"
    else
        skip "$trace: stored times" "tests/support/oracle/oracle is not built"
    fi
    rm -rf "$work/copy"
}

# Classes of check's table "violations" together, as "targets violated largest"; one that isn't there has zeros.
# awk's numbers have 53 bits only, which the largest may exceed.
checked()
{
    for class in "$@"; do
        tr -d '\r' <"$work/check.csv" | grep "^violations,$class," || echo "violations,$class,0,0,0,0"
    done >"$work/classes"
    awk -F, '{ targets += $3; violated += $4 } END { printf "%d %d ", targets, violated }' "$work/classes"
    cut -d , -f 6 "$work/classes" | sort -n | tail -n 1
}

# The same of the oracle, which counts barriers as n_to_n.
foreseen()
{
    awk -F, -v class="$1" '$1 == "violations" && $2 == class { print $5, $6, $7 }' "$work/violations.txt"
}

health()
{
    trace=$1
    anchor=$2
    ok "$trace: check runs" \
        tcflow -q -i "$anchor" -o pipeline.chain=check -o check.clock_offsets=no -o check.format=csv -o check.output="$work/check.csv" || return
    known=$(awk -v trace="$trace" '$1 == trace { print $4, $5 }' "$(dirname "$0")/expected.txt")
    if [ -n "$known" ]; then
        is "$trace: messages and reversed messages as counted elsewhere" "$(checked p2p | cut -d ' ' -f 1,2)" "$known"
    else
        skip "$trace: messages and reversed messages" "not in expected.txt"
    fi
    if [ -x "$oracle" ] && "$oracle" violations "$anchor" >"$work/violations.txt"; then
        for relation in p2p one_to_n n_to_one scan exscan fork join thread_create thread_wait lock; do
            is "$trace: violations of class $relation as the oracle's" \
                "$(checked $relation)" "$(foreseen $relation)"
        done
        is "$trace: violations of class n_to_n as the oracle's" "$(checked n_to_n barrier)" "$(foreseen n_to_n)"
    else
        skip "$trace: the oracle" "tests/support/oracle/oracle is not built"
    fi
    rm -f "$work/check.csv"
}

# Flat and call-tree profile, by location, at two sizes of slices.
profiled()
{
    trace=$1
    anchor=$2
    [ -x "$oracle" ] || { skip "$trace: profile" "tests/support/oracle/oracle is not built"; return; }
    "$oracle" profile "$anchor" | grep -v '^#' | LC_ALL=C sort >"$work/expected"
    for slice in 0 7; do
        rm -f "$work/profile.csv"
        tcflow -q -i "$anchor" -o pipeline.chain=profile -o pipeline.slice=$slice -o profile.by_location=yes \
            -o profile.format=csv -o profile.output="$work/profile.csv" &&
            tr -d '\r' <"$work/profile.csv" | awk -f "$top_srcdir/tests/plugins/profile/as_oracle.awk" | LC_ALL=C sort >"$work/got"
        same "$trace: profile as the oracle's, slice = $slice" "$work/got" "$work/expected"
    done
}

# Matching and causal order, as a filter sees them: every source before its targets, every event once.
causal()
{
    trace=$1
    anchor=$2
    probes=$top_builddir/tests/framework/probe/.libs
    [ -x "$oracle" ] && [ -e "$probes/probe.so" ] || { skip "$trace: causal order" "make check has not built it"; return; }
    for slice in 0 3; do
        tcflow -q --plugin-path "$probes" -i "$anchor" -o pipeline.chain=probe -o pipeline.slice=$slice \
            -o probe.order="$work/order" -o probe.given="$work/given"
        if is_known "$trace"; then
            is "$trace: nothing is given up, slice = $slice" "$(cat "$work/given")" ""
        else
            diag "$trace: given up, slice = $slice: $(wc -l <"$work/given")"
        fi
        ok "$trace: causal order, slice = $slice" "$oracle" order "$anchor" "$work/order"
    done
}

# Clock offsets applied and left out of the archive: its times, as stored, are those that libotf2's reader makes of the
# original.
synchronised()
{
    trace=$1
    anchor=$2
    ok "$trace: presync" tcflow -q -i "$anchor" -o pipeline.chain="presync otf2_write" -o presync.method=archive \
        -o presync.unsynchronised=keep -o presync.output="$work/report" -o presync.overwrite=yes -o otf2_write.path="$work/copy" || return
    otf2-print "$anchor" 2>/dev/null | sed -n '/^Event /,$p' >"$work/original.txt"
    tcflow -q -i "$work/copy/traces.otf2" -o pipeline.chain=otf2_write -o otf2_write.path="$work/second" \
        -o otf2_write.clock_offsets=no
    for copy in copy second; do
        otf2-print "$work/$copy/traces.otf2" 2>/dev/null | sed -n '/^Event /,$p' >"$work/copy.txt"
        same "$trace: times of the $copy are those of libotf2's reader" "$work/original.txt" "$work/copy.txt"
    done
    rm -rf "$work/copy" "$work/second"
}

# What clock_report counts before and after a correction is, where there is none, what check counts. The minimum delays
# that mu_estimate learns are kept by every edge of a class where no edge is violated.
clocks()
{
    trace=$1
    anchor=$2
    known=$(awk -v trace="$trace" '$1 == trace { print $4, $5 }' "$(dirname "$0")/expected.txt")
    rm -f "$work/clocks.csv"
    ok "$trace: mu_estimate and clock_report run" tcflow -q -i "$anchor" -o pipeline.survey=mu_estimate \
        -o mu_estimate.output="$work/mu" -o mu_estimate.overwrite=yes -o pipeline.chain=clock_report \
        -o clock_report.format=csv -o clock_report.output="$work/clocks.csv" || return
    p2p=$(tr -d '\r' <"$work/clocks.csv" | grep '^violations,p2p,' || echo "violations,p2p,0,0,0,0,0,0,0,0,0,0")
    if [ -n "$known" ]; then
        is "$trace: reversed messages before" "$(echo "$p2p" | awk -F, '{ print $3, $4 }')" "$known"
        is "$trace: reversed messages after" "$(echo "$p2p" | awk -F, '{ print $3 - $12, $7 }')" "$known"
    else
        skip "$trace: reversed messages" "not in expected.txt"
    fi
    set -- $(tr -d '\r' <"$work/clocks.csv" | awk -F, '$2 == "clock_violations" { print $3 } $2 == "below_minimum" { print $3 }')
    [ "$1" -gt 0 ] || is "$trace: nothing is violated, so every edge keeps its minimum delay" "$2" 0
}

# broken TRACE [OTHER]: how many edges of TRACE its own times, or those of OTHER, break
broken()
{
    "$oracle" violations "$1" --times "${2:-$1}" | awk -F, '
        $1 == "violations" { n += $4; classes++ } END { print classes ? n + 0 : "no answer of the oracle" }'
}

# distance TRACE OTHER: events moved; then rms and largest distance in us
distance()
{
    "$top_builddir/tests/bench/clock-error" "$1" "$2" |
        awk '{ for (i = 1; i < NF; i += 2) of[$i] = $(i + 1); printf "%d %.4g %.4g\n", of["moved"], of["rms"] * 1e6, of["max"] * 1e6 }'
}

correction()
{
    tcflow -q -c "$top_srcdir/examples/correct.ini" -i "$1" -o otf2_write.path="$2" -o clock_report.output="$work/report" \
        -o clock_report.overwrite=yes
}

corrected()
{
    trace=$1
    anchor=$2
    [ -x "$oracle" ] && [ -x "$top_builddir/tests/bench/clock-error" ] ||
        { skip "$trace: correction" "tests/support/oracle/oracle or tests/bench/clock-error is not built"; return; }
    ok "$trace: its clocks are corrected" correction "$anchor" "$work/copy" || return
    is "$trace: no violation is left" "$(broken "$anchor" "$work/copy/traces.otf2")" 0
    is "$trace: none when it is read anew" "$(broken "$work/copy/traces.otf2")" 0
    ok "$trace: otf2-print reads it" otf2-print "$work/copy/traces.otf2"
    ok "$trace: check reads it" tcflow -q -i "$work/copy/traces.otf2" -o pipeline.chain=check -o check.format=csv \
        -o check.output="$work/check.csv"
    is "$trace: check finds no violation" "$(checked p2p one_to_n n_to_one n_to_n barrier scan exscan fork join \
        thread_create thread_wait lock omp_barrier | cut -d ' ' -f 2)" 0
    ok "$trace: they are corrected again" correction "$work/copy/traces.otf2" "$work/second"
    is "$trace: which moves nothing" "$(distance "$work/copy/traces.otf2" "$work/second/traces.otf2")" "0 0 0"
    [ "$(broken "$anchor")" != 0 ] ||
        is "$trace: nothing was violated, so nothing moves" "$(distance "$anchor" "$work/copy/traces.otf2")" "0 0 0"
    case $trace.$(is_known "$trace" && echo known) in
        scorep_*.known)
            rm -rf "$work/second"
            tcflow -q -i "$anchor" -o pipeline.chain="presync otf2_write" -o presync.method=archive \
                -o presync.output=/dev/null -o presync.overwrite=yes -o otf2_write.path="$work/second"
            diag "$trace: away from the true times by (events moved; rms, largest in us):" \
                "correction $(distance "$anchor" "$work/copy/traces.otf2")," \
                "linear interpolation alone $(distance "$anchor" "$work/second/traces.otf2")," \
                "which breaks $(broken "$anchor" "$work/second/traces.otf2") edges"
            ;;
    esac
    rm -rf "$work/copy" "$work/second" "$work/check.csv"
}

# waits ANCHOR REPORT [option...]: all waits
waits()
{
    waits_anchor=$1
    waits_report=$2
    shift 2
    rm -f "$waits_report"
    tcflow -q -i "$waits_anchor" -o pipeline.chain=wait_states -o wait_states.worst=65536 -o wait_states.all=yes \
        -o wait_states.format=csv -o wait_states.output="$waits_report" "$@"
}

waited()
{
    trace=$1
    anchor=$2
    [ -x "$oracle" ] || { skip "$trace: wait states" "tests/support/oracle/oracle is not built"; return; }
    "$oracle" waits "$anchor" --trusting | LC_ALL=C sort >"$work/expected"
    for slice in 0 3; do
        waits "$anchor" "$work/waits.csv" -o pipeline.slice=$slice &&
            awk -f "$top_srcdir/tests/plugins/wait_states/as_oracle.awk" "$work/waits.csv" | LC_ALL=C sort >"$work/got"
        same "$trace: wait states as the oracle's, slice = $slice" "$work/got" "$work/expected"
    done
    [ ! -f "$folder/golden/$trace.csv" ] || golden "$trace" "$anchor" "$folder/golden/$trace.csv"
}

# The program performance graph, from the whole trace, and the same bytes at several sizes of slices.
graphed()
{
    trace=$1
    anchor=$2
    [ -x "$oracle" ] && have python3 || { skip "$trace: graph" "the oracle is not built, or there is no python3"; return; }
    "$oracle" ppg "$anchor" --trusting >"$work/expected"
    rm -f "$work/graph."*
    for slice in 0 3 37 500; do
        tcflow -q -i "$anchor" -o pipeline.chain=ppg -o pipeline.slice=$slice -o ppg.format=json -o ppg.output="$work/graph.$slice"
        [ "$slice" = 0 ] || same "$trace: the same graph, slice = $slice" "$work/graph.0" "$work/graph.$slice"
    done
    ok "$trace: graph as the oracle's" python3 "$top_srcdir/tests/plugins/ppg/compare.py" "$work/expected" "$work/graph.0"
}

# causes ANCHOR REPORT [option...]: what waits come from
causes()
{
    causes_anchor=$1
    causes_report=$2
    shift 2
    rm -f "$causes_report"
    tcflow -q -i "$causes_anchor" -o pipeline.chain=root_cause -o root_cause.by_location=yes -o root_cause.causes=65536 \
        -o root_cause.window=1000000 -o root_cause.format=csv -o root_cause.output="$causes_report" "$@"
}

caused()
{
    trace=$1
    anchor=$2
    [ -x "$oracle" ] || { skip "$trace: root causes" "tests/support/oracle/oracle is not built"; return; }
    for setting in "0 no --handed-on" "3 no --handed-on" "0 yes" "3 yes"; do
        # shellcheck disable=SC2086
        set -- $setting
        # shellcheck disable=SC2086
        "$oracle" causes "$anchor" --trusting ${3:-} >"$work/expected"
        causes "$anchor" "$work/causes.csv" -o pipeline.slice="$1" -o root_cause.compare="$2"
        if [ -s "$work/expected" ]; then
            awk -f "$top_srcdir/tests/plugins/root_cause/compare.awk" "$work/expected" "$work/causes.csv" >"$work/differences"
        else
            grep -E '^(causes|waits),' "$work/causes.csv" >"$work/differences"
        fi
        is "$trace: root causes as the oracle's, slice = $1, compare = $2" "$(cat "$work/differences")" ""
    done
    [ ! -f "$folder/golden/$trace.csv" ] || golden_causes "$trace" "$anchor" "$folder/golden/$trace.csv"
}

# What a viewer reads of perfetto_trace's files, in one and in several, is the trace.
viewed()
{
    trace=$1
    anchor=$2
    scripts=$top_srcdir/tests/plugins/perfetto_trace
    [ -x "$oracle" ] || { skip "$trace: perfetto_trace" "tests/support/oracle/oracle is not built"; return; }
    "$oracle" match "$anchor" --trusting >"$work/matches"
    tcflow -q -i "$anchor" -o pipeline.chain=print -o print.format=json -o print.definitions=yes -o print.order=location \
        -o print.markers=yes >"$work/events" 2>/dev/null
    rm -rf "$work/views" "$work/ways"
    mkdir "$work/views"
    for format in protobuf json; do
        for bytes in 0 1MiB; do
            view=$work/views/$format-$bytes
            tcflow -q -i "$anchor" -o pipeline.chain=perfetto_trace -o perfetto_trace.path="$view.trace" \
                -o perfetto_trace.format="$format" -o perfetto_trace.instants=all -o perfetto_trace.max_bytes=$bytes
            set -- "$view.trace"
            while [ -e "$view-$(($# + 1)).trace" ]; do
                set -- "$@" "$view-$(($# + 1)).trace"
            done
            { printf '%s all yes %s files' "$format" $#; printf '|%s' "$@"; echo; } >>"$work/ways"
        done
    done
    is "$trace: perfetto_trace, both formats, in one file and in several" \
        "$(python3 -B "$scripts/agree.py" "$work/events" "$work/matches" <"$work/ways" 2>&1)" ""
    rm -rf "$work/views" "$work/events"
}

# Windows around the longest waits.
shown()
{
    trace=$1
    anchor=$2
    scripts=$top_srcdir/tests/plugins/timeline
    [ -x "$oracle" ] || { skip "$trace: timeline" "tests/support/oracle/oracle is not built"; return; }
    tcflow -q -i "$anchor" -o pipeline.chain=print -o print.format=json -o print.definitions=yes -o print.order=location \
        >"$work/events" 2>/dev/null
    "$oracle" match "$anchor" >"$work/matches"
    "$oracle" waits "$anchor" --trusting >"$work/waits"
    rm -f "$work"/report-*
    for slice in 0 3; do
        report=$work/report-$slice
        tcflow -q -i "$anchor" -o pipeline.survey=wait_states -o wait_states.output=/dev/null -o wait_states.overwrite=yes \
            -o pipeline.chain=timeline -o timeline.format=json -o timeline.output="$report" -o timeline.windows=20 \
            -o timeline.locations=5 -o timeline.max_intervals=100 -o pipeline.slice=$slice
        echo "$report windows=20 locations=5 max_intervals=100"
    done >"$work/ways"
    is "$trace: timeline as the oracle's, slice = 0 and 3" "$(python3 -B "$scripts/oracle.py" "$work/events" "$work/waits" \
        "$work/matches" "$top_srcdir/plugins/shared/patterns/patterns.h" empty <"$work/ways" 2>&1)" ""
    rm -f "$work"/report-* "$work/events"
}

# Costs of another tool, with the waits that it knows: plugins/root_cause/README.md says what differs. What is charged in all is
# nearer than what is charged at once and what later.
golden_causes()
{
    causes "$2" "$work/causes.csv" -o pipeline.chain="presync root_cause" -o presync.method=archive -o presync.output="$work/report" \
        -o presync.overwrite=yes -o root_cause.ignore=mpi_earlyscan -o root_cause.compare=no
    tr -d '"\r' <"$work/causes.csv" | awk -F, -v known="$3" '
        $1 == "patterns" && $2 != "title" { got[$11] = $5; got[$11 "_longterm"] = $6 }
        END {
            while ((getline line <known) > 0) {
                split(line, field, ",")
                if (!(field[1] in got)) continue
                compared++
                base = field[1]; sub(/_longterm$/, "", base)
                mine[base] += got[field[1]]; theirs[base] += field[2]
                difference = got[field[1]] - field[2]
                if (difference < 0) difference = -difference
                if (difference > 0.04 * field[2]) print field[1] ": " got[field[1]] ", elsewhere " field[2]
            }
            for (base in mine) {
                difference = mine[base] - theirs[base]
                if (difference < 0) difference = -difference
                if (difference > 0.025 * theirs[base]) print base ", in all: " mine[base] ", elsewhere " theirs[base]
            }
            if (compared < 3) print "nothing compared"
        }' >"$work/differences"
    is "$1: costs of delays as those of another tool" "$(cat "$work/differences")" ""
}

lagging()
{
    trace=$1
    anchor=$2
    [ -x "$oracle" ] || { skip "$trace: lateness" "tests/support/oracle/oracle is not built"; return; }
    "$oracle" lateness "$anchor" --trusting | awk -v BINS=2 -f "$top_srcdir/tests/plugins/lateness/tables.awk" | grep '^operation,' |
        LC_ALL=C sort >"$work/expected"
    for slice in 0 3; do
        rm -f "$work/lateness.csv"
        tcflow -q -i "$anchor" -o pipeline.chain=lateness -o pipeline.slice=$slice -o lateness.worst=65536 \
            -o lateness.format=csv -o lateness.output="$work/lateness.csv" &&
            awk -v FILTER=1 -f "$top_srcdir/tests/plugins/lateness/tables.awk" "$work/lateness.csv" | grep '^operation,' |
            LC_ALL=C sort >"$work/got"
        same "$trace: lateness as the oracle's, slice = $slice" "$work/expected" "$work/got"
    done
}

# What the programs do, as their sources, or their calls one by one, say: "iterations, anchor" of the main loop.
iterates()
{
    case $1 in
        cloverleaf) echo "25 clover_leaf/hydro/acc_data@hydro.f90:46/timestep" ;; # steps of the hydrodynamics
        cuda_simple) echo "10 _Z13jacobi_kernelPKfPfiiS1_" ;; # of the accelerators; the processes have it in too little of their time
        eztrace_halo) echo "300 Working/MPI_Waitall" ;;       # Irecv and Isend come twice, a Reduce every tenth time
        eztrace_pi) echo "79 Working/MPI_Recv" ;;             # tasks of the workers: 79 the least
        jacobi_blame_cpu_015) echo "1000 main/jacobi/launch_jacobi_kernel_async" ;;
        scorep_app_4*) echo "2000 main/compute" ;;            # and then one of many things, at random
        scorep_omp_2) echo "400 main/compute" ;;
        scorep_rich_4) echo "120 main/step_p2p" ;;            # others come every third time and more rarely
        *) echo " " ;;                                        # at most twice, or for a small part of the run
    esac
}

iterating()
{
    trace=$1
    anchor=$2
    [ -x "$oracle" ] && "$oracle" iterations "$anchor" --time-bins 32 | grep -v '^#' | LC_ALL=C sort >"$work/expected" ||
        { skip "$trace: iterations" "tests/support/oracle/oracle is not built"; return; }
    for slice in 0 3; do
        rm -f "$work/iterations.csv"
        tcflow -q -i "$anchor" -o pipeline.chain=iterations -o pipeline.slice=$slice -o iterations.worst=65536 \
            -o iterations.max_children=4096 -o iterations.format=csv -o iterations.output="$work/iterations.csv" &&
            awk -f "$top_srcdir/tests/plugins/iterations/as_oracle.awk" "$work/iterations.csv" | LC_ALL=C sort >"$work/got"
        same "$trace: iterations as the oracle's, slice = $slice" "$work/expected" "$work/got"
    done
    if ! is_known "$trace"; then
        skip "$trace: the loop is what the program does" "not in expected.txt"
        return
    fi
    is "$trace: the loop is what the program does" \
        "$(tr -d '"\r' <"$work/iterations.csv" | awk -F, '$1 == "loops" && $9 == "yes" { n = $2; a = $12 } END { print n " " a }')" \
        "$(iterates "$trace")"
}

# What two other tools have on the critical path before the forks of threads: milliseconds in main/init_host.
before_forks()
{
    case $1 in
        cuda_simple) known=79.9 ;;
        jacobi_blame_cpu_015) known=23.1 ;;
        *) return ;;
    esac
    is "$1: the path before forks as those of other tools" "$(tcflow -q -i "$2" -o pipeline.chain=critical_path -o critical_path.format=csv 2>/dev/null |
        tr -d '"\r' | awk -F, '$1 == "callpaths" && $NF == "main/init_host" { printf "%.1f\n", 1000 * $2 }')" "$known"
}

# Sums and counts of another tool, within 10^-4. Its counts have names of their own.
golden()
{
    waits "$2" "$work/waits.csv" -o pipeline.chain="presync wait_states" -o presync.method=archive -o presync.output="$work/report" \
        -o presync.overwrite=yes
    tr -d '"\r' <"$work/waits.csv" | awk -F, -v known="$3" '
        $1 == "patterns" { time[$8] = $3; count[$8] = $5 }
        $1 == "counts" { time[$5] = $3 }
        END {
            count_of["mpi_cls_count"] = "mpi_latesender"; count_of["mpi_clswo_count"] = "mpi_latesender_wo"
            count_of["mpi_clr_count"] = "mpi_latereceiver"; count_of["visits"] = "time"
            while ((getline line <known) > 0) {
                split(line, field, ",")
                if (field[1] in time) got = time[field[1]]
                else if (field[1] in count_of) got = count[count_of[field[1]]]
                else continue
                compared++
                difference = got - field[2]
                if (difference < 0) difference = -difference
                if (difference > 1e-4 * field[2]) print field[1] ": " got ", elsewhere " field[2]
            }
            if (compared < 5) print "nothing compared"
        }' >"$work/differences"
    is "$1: wait states as those of another tool" "$(cat "$work/differences")" ""
}

# Statistics, as the oracle has them: what their own tests compare, with the same scripts, at two sizes of slices.
counted()
{
    trace=$1
    anchor=$2
    [ -x "$oracle" ] || { skip "$trace: statistics" "tests/support/oracle/oracle is not built"; return; }
    ln -sfn "$(realpath "$(dirname "$anchor")")" "$work/counted" # a name without blanks, which part the words of TRACES
    anchor=$work/counted/$(basename "$anchor")
    for test in comm_matrix message_histogram time_profile load_imbalance comm_comp metrics io; do
        TRACES=$anchor SEEDS=0 "${SHELL:-sh}" "$top_srcdir/tests/plugins/$test/test_$test.sh" >"$work/test" 2>&1
        is "$trace: $test as the oracle's" "$(grep -A 8 "^not ok .*$anchor" "$work/test")" ""
        [ "$test" = metrics ] || ok "$trace: $test was compared" grep -q "^ok .*$anchor" "$work/test"
    done
}

# The page of examples/report.ini, as its reader sees it.
pictured()
{
    if ! tcflow --version | grep -q '^databases: SQLite'; then
        skip "$1: an HTML report" "built without SQLite"
        return
    fi
    ok "$1: an HTML report" sh -c "cd '$top_srcdir' && '$TCFLOW' -q -c examples/report.ini -i '$(realpath "$2")' \
        -o pipeline.html_report='$work/report.html' -o pipeline.database='$work/report.sqlite'" || return
    if [ -z "${TCFLOW_LONG:-}" ] && [ "${pictured:-$1}" != "$1" ]; then
        skip "$1: the page in a browser" "it takes a minute (TCFLOW_LONG)"
    elif in_browser; then
        in_page "$1: the page" check_page.py "$work/report.html"
        in_page "$1: chains and counters" check_marks.py same "$work/report.html" "$work/report.sqlite"
    else
        skip "$1: the page in a browser" "Chromium is not installed"
    fi
}

piped()
{
    for c in correct reports select halves; do
        "chain_$c"
        is "$1: over pipes as in one process: $c" "$(as_one "$2")" ""
    done
    chain_correct
    all_options="-o pipeline.memory=1MiB"
    is "$1: over pipes as in one process: in little memory" "$(as_one "$2")" ""
}

# By the readers of what perfetto_trace writes; that of Chrome's JSON where it is built.
read_back()
{
    ok "$1: it comes back from protocol buffers" comes_back protobuf "$2"
    ! "$TCFLOW" --list-sources | grep -q '^  chrome ' || ok "$1: it comes back from JSON" comes_back json "$2"
}

# Several traces: a process each, the largest traces first.
if [ $# -ne 1 ]; then
    traces=$(for path in "$folder"/*/; do
        trace=$(basename "$path")
        [ -n "$(anchor_of "$trace")" ] || continue
        case " $* " in
            "  " | *" $trace "*) du -s "$path" | sed "s|[^0-9].*| $trace|" ;;
        esac
    done | sort -rn | cut -d ' ' -f 2-)
    pictured=$(echo "$traces" | awk '{ name[NR] = $0 } END { print name[int((NR + 1) / 2)] }') # of medium size
    export pictured
    printf "%s" "$traces" | side_by_side "$top_srcdir/tests/real/run.sh" "$folder"
    exit
fi

anchor=$(anchor_of "$1")
[ -n "$anchor" ] || { echo "there is no anchor (traces.otf2, or one *.otf2) in $folder/$1" >&2; exit 2; }
lossless "$1" "$anchor"
health "$1" "$anchor"
profiled "$1" "$anchor"
counted "$1" "$anchor"
waited "$1" "$anchor"
caused "$1" "$anchor"
graphed "$1" "$anchor"
lagging "$1" "$anchor"
iterating "$1" "$anchor"
before_forks "$1" "$anchor"
causal "$1" "$anchor"
viewed "$1" "$anchor"
shown "$1" "$anchor"
synchronised "$1" "$anchor"
clocks "$1" "$anchor"
corrected "$1" "$anchor"
pictured "$1" "$anchor"
read_back "$1" "$anchor"
piped "$1" "$anchor"
alike_in_domains "$1" "$anchor"
judged_in_domains "$1" "$anchor"
done_testing
