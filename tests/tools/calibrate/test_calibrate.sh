#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# tcflow-calibrate finds the overheads that were put into archives, and outliers don't move them; says what it cannot know;
# what it writes loads in the filter overhead, which then removes just these overheads. Where EZTrace or mpicc are there
# they are tried, too.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

make=$top_builddir/tests/tools/calibrate/run-trace
synth=$top_builddir/tcflow-synth
export LC_ALL=C

[ -x "$make" ] || skip_all "the generator of runs is not built"

calibrate()
{
    timeout 120 ${TCFLOW_WRAPPER:-} "$top_builddir/tcflow-calibrate" --tcflow "$TCFLOW" "$@"
}

# value KEY FILE: of a parameter, or of a kind, in nanoseconds
value()
{
    sed -n '/^\[overhead\]/,$p' "$2" | grep -oE "(^|[ ])$1( = |:)[0-9.]+[nu]s" | head -n 1 | sed -E 's/.*[ :]([0-9.]+)([nu]s)$/\1 \2/' |
        awk '{ print $2 == "us" ? 1000 * $1 : $1 }'
}

# near NAME GOT EXPECTED TOLERANCE
near()
{
    ok "$1: $2, expected $3 +- $4" awk -v got="$2" -v expected="$3" -v most="$4" '
        BEGIN { d = got - expected; exit !(got != "" && d <= most && -d <= most) }'
}

# injected NAME ENTER LEAVE TOLERANCE [KEY=NUMBER...]: the overheads of an archive are found again. The section is in
# $work/section, what was said in $work/said.
injected()
{
    name=$1 enter=$2 leave=$3 tolerance=$4
    shift 4
    rm -rf "$work/trace"
    "$make" "$work/trace" enter="$enter" leave="$leave" "$@" || { tap 1 "$name: is made"; return; }
    if ! calibrate --archive "$work/trace/traces.otf2" --copy none $options >"$work/section" 2>"$work/said"; then
        tap 1 "$name"
        diag "$(cat "$work/said")"
        return
    fi
    near "$name: ENTER" "$(value ENTER "$work/section")" "$enter" "$tolerance"
    near "$name: LEAVE" "$(value LEAVE "$work/section")" "$leave" "$tolerance"
}

# loads FILE: as a section, in the filter
loads()
{
    printf '[pipeline]\ninput = %s\nchain = overhead\n\n' "$top_srcdir/examples/trace/traces.otf2" | cat - "$1" >"$work/loads.ini"
    ok "it loads" tcflow -q -c "$work/loads.ini"
}

options=

# Equal distances: exact. Spread ones of n distances: the median's standard error is sqrt(pi / 2 n) standard deviations for the
# normal distribution, sqrt(3 / n) for a uniform one; jitter 15 has 8.7, so of 20,000 the error is 0.1 and 1 tick is more than
# enough. Time stamps are whole ticks, rounded down, which adds nothing on average.
injected "equal distances" 50 40 0
like "says how many" "$(cat "$work/section")" "run of 19936 empty calls"
like "date" "$(cat "$work/section")" "^; Date: 20[0-9][0-9]-"
like "host" "$(cat "$work/section")" "^; Host: ."
like "percentiles" "$(cat "$work/section")" "^;   ENTER +19936 50 50 50 50 50 50 50 50 50 50 50\$"
is "says nothing else" "$(cat "$work/said")" ""
loads "$work/section"
injected "spread" 120 95 1 jitter=15
injected "large ones" 12345 2345 13 jitter=100

# Outliers: an interruption of 1 ms at 1 % of the events, a flush of 10 ms now and then. 1 % beyond all others shifts the median
# by half a percent of its rank: 0.005 of the width of 30.
injected "interruptions" 120 95 1 jitter=15 every=100 interruption=1000000
like "they are told of" "$(cat "$work/said")" "the mean of all distances"
injected "flushes" 120 95 1 jitter=15 flush=200
injected "interruptions and flushes" 50 40 0 every=50 interruption=5000 flush=100
options="--estimate mean"
injected "the mean without interruptions" 120 95 1 jitter=15 every=100 interruption=1000000 flush=200
options="--estimate median"
injected "the median by name" 120 95 1 jitter=15 every=100 interruption=1000
like "is told of" "$(cat "$work/said")" "mean without interruptions is .* the median"
options=

# Coarse clocks: the mean of n distances is known to step / sqrt(6 n), by 20,000 of them to 0.0029 steps; four times that.
injected "steps of 10 ns" 52 43 0.2 step=10 jitter=8
like "says so" "$(cat "$work/said")" "steps of 10 ns"
injected "steps of 1 us" 52 43 12 step=1000 jitter=8
injected "1 MHz" 52 43 12 resolution=1000000 jitter=8
injected "1 MHz, interrupted" 52 43 12 resolution=1000000 jitter=8 every=500 interruption=300000
injected "steps of 2/3 of the distance" 60 60 0.5 step=41.625 jitter=10
injected "10 GHz" 52 43 0.2 resolution=10000000000 jitter=8

# Locations, attributes, metrics; other calls beside them.
injected "several locations" 50 40 0 locations=4 calls=3000
injected "attributes" 50 40 0 marked=9000 attribute=17
near "attributes: each" "$(value attribute "$work/section")" 17 0
injected "metrics" 50 40 0 metrics=1 metric=33 value=12.5
near "metrics: METRIC" "$(value METRIC "$work/section")" 33 1
near "metrics: a value" "$(value metric_value "$work/section")" 12.5 0.7
injected "work" 50 40 0 work=15000
rm -rf "$work/trace"
"$make" "$work/trace" calls=2000 work=20000
calibrate --archive "$work/trace/traces.otf2" --copy none >"$work/section" 2>"$work/said"
like "work for empty calls is told of" "$(cat "$work/said")" "are calls of 'works' not empty"
calibrate --archive "$work/trace/traces.otf2" --copy none --region 'empty, "quoted"' >"$work/section"
is "unless they are named" "$(value ENTER "$work/section")" 50.00

# What is found is what the filter removes: all but the first event of a run are behind each other, and nothing is left of it.
"$make" "$work/whole" calls=5000 marked=2000 metrics=1
calibrate --archive "$work/whole/traces.otf2" --copy none >"$work/section"
printf '[pipeline]\ninput = %s\nchain = overhead\n\n' "$work/whole/traces.otf2" | cat - "$work/section" >"$work/whole.ini"
tcflow -q -c "$work/whole.ini" -o overhead.format=csv >"$work/removed"
ok "the filter removes it: $(awk -F, '$1 == "total" && $2 + 0 { print $3, "of", $5, "s" }' "$work/removed")" awk -F, '
    $1 == "total" && $2 + 0 { n++; bad = $3 < 0.999 * $5 || $3 > $5 } END { exit !(n == 1 && !bad) }' "$work/removed"

# ----------------------------------------------------------------------------------------------------------- what fails

# refuses NAME PATTERN [KEY=NUMBER...]
refuses()
{
    name=$1 pattern=$2
    shift 2
    rm -rf "$work/trace"
    "$make" "$work/trace" "$@" || { tap 1 "$name: is made"; return; }
    fails 1 "$name" calibrate --archive "$work/trace/traces.otf2" --copy none -o "$work/never"
    like "$name: says so" "$(cat "$work/.fails")" "$pattern"
}
refuses "no events" "has no events: nothing was recorded" nothing=1
refuses "few calls" "36 empty calls of .* at least 1000" calls=100
refuses "no run" "no run of empty calls" calls=60
refuses "1 Hz" "too coarse: it advances in steps of 1 s.*Record more .* at least 100 s" resolution=1
refuses "1 kHz" "too coarse" resolution=1000
refuses "times that go back" "a timestamp that goes back" back=10000
ok "nothing was written" test ! -e "$work/never"
fails 1 "no archive" calibrate --archive "$work/missing.otf2"
fails 1 "no such region" calibrate --archive "$work/whole/traces.otf2" --region nobody
like "no such region: says so" "$(cat "$work/.fails")" "no runs of empty calls of 'nobody'"
fails 1 "1 Hz, from a trace" calibrate --from "$work/trace/missing" --copy none

# --------------------------------------------------------------------------------------------------------- from a trace

# Between the events of a call the simulated program takes 0.5 to 1.5 times --overhead, and more is not certain: with 100 ns the
# shortest distances are 550 ns, percentile 5 is 555 ns; in a region with 100 distances it is known to 5 ns.
for seed in 1 2 3; do
    "$synth" --overwrite --seed "$seed" --events 50k --pattern ring,collectives --overhead 100ns --recording 500ns "$work/synth" || exit 1
    calibrate --from "$work/synth/traces.otf2" --copy none >"$work/section"
    like "seed $seed: says that it is an estimate, and a bound" "$(tr '\n;' '  ' <"$work/section" | tr -s ' ')" \
        "ESTIMATED FROM A TRACE ALONE.* upper bounds"
    for kind in ENTER LEAVE MPI_SEND MPI_RECV MPI_COLLECTIVE_BEGIN; do
        near "seed $seed, $kind" "$(value "$kind" "$work/section")" 555 10
    done
    loads "$work/section"
done
"$synth" --overwrite --events 20k --overhead 0 --recording 700ns "$work/synth" || exit 1
calibrate --from "$work/synth/traces.otf2" --copy none >"$work/section"
near "nothing but recording" "$(value MPI_SEND "$work/section")" 700 0
"$make" "$work/works" calls=0 work=20000 jitter=5
for percentile in 1 5 25; do
    calibrate --from "$work/works/traces.otf2" --copy none --percentile "$percentile" >"$work/section" 2>"$work/said"
    # A work of 1000 to 3000, uniformly, then the overhead of 40.
    near "percentile $percentile" "$(value LEAVE "$work/section")" $((1040 + 20 * percentile)) 30
done
like "work is told of" "$(cat "$work/section")" "times the least overhead found"
"$make" "$work/slow" calls=0 work=200 resolution=1
fails 1 "from a clock of 1 Hz" calibrate --from "$work/slow/traces.otf2" --copy none
like "says so" "$(cat "$work/.fails")" "tells no overhead.* steps of 1 s"
calibrate --archive "$work/whole/traces.otf2" --from "$work/synth/traces.otf2" --copy none >"$work/section"
is "a run beside a trace: ENTER is of the run" "$(value ENTER "$work/section")" 50.00
near "a run beside a trace: MPI_SEND" "$(value MPI_SEND "$work/section")" 700 0

# -------------------------------------------------------------------------------------------------------------- copying

# table FILE N: N sizes, growing; times positive, and none less than the one before
table()
{
    sed -n '/^copy =/,$p' "$1" | tr -s ' \n' '\n\n' | grep : | sed 's/KiB:/ 1024:/; s/MiB:/ 1048576:/; s/:/ /' | awk -v n="$2" '
        { size = NF == 3 ? $1 * $2 : $1; time = $NF; t = time + 0; if (time ~ /us$/) t *= 1000
          if (size <= last || t <= 0 || t < before) bad = 1
          last = size; before = t }
        END { print NR; exit bad || NR != n }'
}
for how in warm cold; do
    ok "copying, $how" calibrate --copy "$how" --sizes 8:1MiB --force -o "$work/copying"
    ok "copying, $how: sizes grow, times are positive" table "$work/copying" 18
    loads "$work/copying"
done
# Cold data take longer by a wide margin where they fit into one line; under valgrind nothing does.
[ -n "${TCFLOW_WRAPPER:-}" ] || ok "cold is slower" awk '/^; +64 / { print; n++; bad = $4 > $6 } END { exit !(n == 1 && !bad) }' "$work/copying"
calibrate --sizes 100:5000 >"$work/copying"
ok "sizes are rounded to powers of two" table "$work/copying" 6

# --------------------------------------------------------------------------------------------------------- command line

echo precious >"$work/exists"
fails 2 "an existing output" calibrate --copy none --archive "$work/whole/traces.otf2" -o "$work/exists"
is "is left alone" "$(cat "$work/exists")" precious
ok "--force" calibrate --copy none --archive "$work/whole/traces.otf2" -o "$work/exists" --force
like "replaces it" "$(cat "$work/exists")" "^event = "
for wrong in --unknown --unmeasured=1s --between=main --calls=0 --calls=x --estimate=best --percentile=50 --copy=hot --sizes=8 --sizes=0:8 --sizes=64:8 \
    --sizes=8:64X --sizes=1:2GiB --sizes=:; do
    fails 2 "$wrong" calibrate "$wrong"
done
fails 2 "an argument" calibrate "$work/whole/traces.otf2"
fails 2 "nothing to do" calibrate --copy none
ok "--help" calibrate --help
like "--version" "$(calibrate --version)" "^tcflow-calibrate [0-9]"

# Commands: what they find in their environment, what they leave, how they fail.
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"
ok "a command that makes an archive" calibrate --copy none --force -o "$work/section" \
    --run "echo noise; cp -r '$work/whole' \"\$TCFLOW_DIR/here\""
is "its overhead" "$(value ENTER "$work/section")" 50.00
ok "elsewhere" calibrate --copy none --force -o "$work/section" --run : --archive "$work/whole/traces.otf2"
ok "the loop is built and runs" calibrate --copy none --force -o "$work/section" --calls 5 \
    --run "test \$TCFLOW_CALLS = 5 && \$TCFLOW_LOOP" --archive "$work/whole/traces.otf2"
fails 1 "a command that fails" calibrate --copy none --run "exit 7"
like "a command that fails: says so" "$(cat "$work/.fails")" "exit status 7 of: exit 7"
fails 1 "a command that leaves nothing" calibrate --copy none --run :
like "a command that leaves nothing: says so" "$(cat "$work/.fails")" "no archive .* in \\\$TCFLOW_DIR"
fails 1 "two archives" calibrate --copy none --run "cp -r '$work/whole' \$TCFLOW_DIR/a; cp -r '$work/whole' \$TCFLOW_DIR/b"
like "two archives: says so" "$(cat "$work/.fails")" "2 archives"
is "nothing temporary is left" "$(ls "$TMPDIR")" ""

# ---------------------------------------------------------------------------------------------------- what may be there

# recorded: records the loop; the overheads of an enter and a leave times the number of calls, over the time that the loop took.
recorded()
{
    rm -rf "$work/recorded"
    calibrate --copy none --force --estimate mean --calls 20000 -o "$work/section" --run \
        "LD_PRELOAD='$work/recorder.so' RECORDER_DIR='$work/recorded' \$TCFLOW_LOOP" --archive "$work/recorded/traces.otf2" \
        2>"$work/said" || return
    tcflow -q -i "$work/recorded/traces.otf2" -o pipeline.chain=profile -o profile.format=csv -o profile.calltree=no >"$work/profile"
    sed -n 's/\r$//; /,tcflow_calls$/p' "$work/profile" | awk -F, -v e="$(value ENTER "$work/section")" \
        -v l="$(value LEAVE "$work/section")" '{ print (e + l) * 20000 * 1e-9 / $3 }'
}

# A recorder of the compiler's instrumentation, and the loop as it is: as many calls as asked for, and their overhead times their
# number is how long the loop took, less what else the machine did: the best of several counts.
# The cost of the program's own, from a run without overhead and one with 500 ns an event. The cost is known to the
# thousandth; in patterns where waiting swallows overhead differences of a tick are worth more.
duration()
{
    "$TCFLOW" -q -i "$1" -o pipeline.chain=overhead -o overhead.format=csv 2>/dev/null | awk -F, '
        $1 == "table" && !n { for (i = 2; i <= NF; i++) if ($i ~ /^measured /) n = i }
        $1 == "total" { print $n "s" }'
}

# part X: the time unmeasured of the longer run, less X times its dilation
part()
{
    echo "${longer%s} $(duration "$work/longer_recorded/traces.otf2")" | awk -v part="$1" '{ print $1 - part * ($2 - $1) "s" }'
}

leaving()
{
    "$TCFLOW" -q -i "$1" -o 'pipeline.chain=select print' -o select.kinds=LEAVE -o "select.regions=$2" | awk '
        $1 == "LEAVE" { before[$2] = last[$2]; last[$2] = $3 }
        END { for (l in last) { if (first == "" || before[l] < first) first = before[l]; if (last[l] > end) end = last[l] }
              print end - first "ns" }'
}

if [ -x "$synth" ]; then
    machine='--overhead 0 --latency 2us,2us,2us --ranks 6 --events 4000 --seed 5'
    for pattern in imbalance collectives ring; do
        rm -rf "$work/true" "$work/recorded"
        # shellcheck disable=SC2086 # words
        "$synth" $machine --pattern $pattern "$work/true" >/dev/null &&
            "$synth" $machine --pattern $pattern --recording 500ns "$work/recorded" >/dev/null
        own="--copy none --own $work/recorded/traces.otf2"
        # shellcheck disable=SC2086
        ok "own cost, $pattern" calibrate $own --unmeasured "$(duration "$work/true/traces.otf2")" --force -o "$work/section"
        near "own cost, $pattern" "$(value event "$work/section")" 500 10
        is "own cost, $pattern: one for all kinds" "$(grep -c '^kinds' "$work/section")" 0
        loads "$work/section"
        like "own cost, $pattern: how far it can be off" "$(tr '\n;' '  ' <"$work/section" | tr -s ' ')" \
            "from [0-9.]* to [0-9.]* ns by the bounds"
        # shellcheck disable=SC2086
        "$synth" $machine --events 8000 --overwrite --pattern $pattern "$work/longer" >/dev/null &&
            "$synth" $machine --events 8000 --overwrite --pattern $pattern --recording 500ns "$work/longer_recorded" >/dev/null
        own="$own --unmeasured $(duration "$work/true/traces.otf2") --check $work/longer_recorded/traces.otf2"
        longer=$(duration "$work/longer/traces.otf2")
        # shellcheck disable=SC2086
        ok "own cost, $pattern, on another run" calibrate $own --check-unmeasured "$longer" --force -o "$work/section" 2>"$work/said"
        is "own cost, $pattern, on another run: no warning" "$(cat "$work/said")" ""
        like "own cost, $pattern, on another run: says so" "$(tr '\n;' '  ' <"$work/section" | tr -s ' ')" "Another run, measured"
        # shellcheck disable=SC2086
        fails 1 "a cost that doesn't hold for another run" calibrate $own --check-unmeasured "$(part 0.8)"
        like "a cost that doesn't hold for another run: says so" "$(cat "$work/.fails")" "do not hold for it: they remove [0-9]* %"
        # shellcheck disable=SC2086
        calibrate $own --check-unmeasured "$(part 0.2)" >"$work/section" 2>"$work/said"
        like "a cost that hardly holds for another run" "$(cat "$work/said")" "removes [78][0-9] % of the dilation"
        # shellcheck disable=SC2086
        fails 1 "a dilation that recording cannot make" calibrate --copy none --own "$work/recorded/traces.otf2" \
            --unmeasured "$(duration "$work/true/traces.otf2" | awk '{ print $1 / 50 "s" }')"
        like "a dilation that recording cannot make: says so" "$(cat "$work/.fails")" "come faster than that|no cost of an event"
        own="--copy none --own $work/recorded/traces.otf2"
        [ $pattern = collectives ] || continue
        # shellcheck disable=SC2086
        ok "own cost between calls" calibrate $own --unmeasured "$(leaving "$work/true/traces.otf2" MPI_Allreduce)" \
            --between MPI_Allreduce --force -o "$work/section"
        near "own cost between calls" "$(value event "$work/section")" 500 10
        like "where it comes from" "$(cat "$work/section")" "between calls of MPI_Allreduce"
        # shellcheck disable=SC2086
        fails 1 "nobody calls it" calibrate $own --unmeasured 1ms --between nothing
        like "nobody calls it: says so" "$(cat "$work/.fails")" "nobody calls 'nothing'"
        # shellcheck disable=SC2086
        fails 1 "only once" calibrate $own --unmeasured 1ms --between main
        like "only once: says so" "$(cat "$work/.fails")" "only once"
        # shellcheck disable=SC2086
        fails 1 "no longer than unmeasured" calibrate $own --unmeasured 1000s
        like "no longer than unmeasured: says so" "$(cat "$work/.fails")" "no longer than --unmeasured"
    done
    # shellcheck disable=SC2086
    "$synth" $machine --overwrite --pattern ring --recording 500ns --clock offset=1ms "$work/apart" >/dev/null
    fails 1 "clocks apart" calibrate --copy none --own "$work/apart/traces.otf2" --unmeasured 1ms
    like "clocks apart: says what to do" "$(cat "$work/.fails")" "clocks are not right.*Correct them first: tcflow -c correct.ini"
    fails 2 "half of another run" calibrate --own "$work/recorded/traces.otf2" --unmeasured 1ms --check x
    like "half of another run: says so" "$(cat "$work/.fails")" "belong together"
    fails 2 "a time without unit" calibrate --own "$work/recorded/traces.otf2" --unmeasured 3
    like "a time without unit: says so" "$(cat "$work/.fails")" "expected a time"
    fails 2 "half of it" calibrate --own "$work/recorded/traces.otf2"
    like "half of it: says so" "$(cat "$work/.fails")" "belong together"
fi

# shellcheck disable=SC2046 # words
if ${CC:-cc} -O2 -fPIC -shared -o "$work/recorder.so" "$top_srcdir/tests/tools/calibrate/recorder.c" \
    $(pkg-config --cflags --libs otf2) -ldl >"$work/said" 2>&1; then
    part=
    for try in 1 2 3 4 5 6; do
        part=$(printf '%s\n' "$part" "$(recorded)" | sort -g | tail -n 1)
    done
    like "a recorder: the calls" "$(cat "$work/section")" "run of 19936 empty calls of 'tcflow_empty'"
    near "a recorder: share of the time of the loop" "$part" 0.85 0.25
else
    skip "a recorder" "it cannot be built: $(head -n 1 "$work/said")"
fi
if command -v eztrace >/dev/null && timeout 60 eztrace -t pthread -o "$work/tried" /bin/true >/dev/null 2>&1; then
    ok "EZTrace" calibrate --copy none --force -o "$work/section" --calls 20000 \
        --run 'eztrace -t pthread -o $TCFLOW_DIR $TCFLOW_LOOP'
    ok "EZTrace: ENTER takes 1 ns to 100 us" awk -v t="$(value ENTER "$work/section")" 'BEGIN { exit !(t > 1 && t < 100000) }'
    loads "$work/section"
else
    skip "EZTrace" "it isn't here"
fi
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
if command -v mpicc >/dev/null && timeout 60 mpirun -n 2 true >/dev/null 2>&1; then
    ok "ping-pong" calibrate --copy mpi --sizes 8:64KiB --force -o "$work/copying"
    ok "ping-pong: sizes grow, times are positive" table "$work/copying" 14
    loads "$work/copying"
else
    skip "ping-pong" "mpicc and mpirun are not here, or don't start two processes"
fi
done_testing
