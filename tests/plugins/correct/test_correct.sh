#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The correction of clocks from end to end, with the commands: examples/correct.ini over simulated programs with wrong clocks, over
# traces spoilt by skew, and over clocks at the limits of their range; test_chain has many more traces. Behind it the oracle finds no violation, neither at delay
# 0 nor at the delays that were learned; the events are the same; otf2-print reads them; a second correction
# changes nothing; a trace that was right stays as it is; order of locations, slices and memory don't matter.
# SEEDS (default 2): so many simulated programs and skewed traces, from seed FIRST (1) on.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

oracle=$top_builddir/tests/support/oracle/oracle
correct_ini=$top_srcdir/examples/correct.ini
example=$top_srcdir/examples/trace/traces.otf2
seeds=${SEEDS:-$(usually 1 2)}
first=${FIRST:-1}
export LC_ALL=C

[ -x "$oracle" ] || skip_all "the oracle is not built"

synth()
{
    ${TCFLOW_WRAPPER:-} timeout 120 "$top_builddir/tcflow-synth" --overwrite "$@"
}

# corrected IN OUT OPTION...: the main job. $work/mu.csv has the delays that were learned, OUT.jumps the report of clc_backward,
# OUT.said what was said.
corrected()
{
    in=$1
    out=$2
    shift 2
    rm -rf "$out"
    ${TCFLOW_WRAPPER:-} timeout 120 "$TCFLOW" -q -c "$correct_ini" -i "$in" -o otf2_write.path="$out" \
        -o presync.unsynchronised=keep -o clock_report.output="$work/report.txt" -o clock_report.overwrite=yes \
        -o mu_estimate.output="$work/mu.csv" -o mu_estimate.format=csv -o mu_estimate.overwrite=yes \
        -o clc_backward.output="$out.jumps" -o clc_backward.format=csv -o clc_backward.overwrite=yes "$@" 2>"$out.said"
}

# violated TRACE OTHER [OPTIONS]: how many edges of TRACE the times of OTHER break. Puts and gets are kept by the order of
# their location.
violated()
{
    # shellcheck disable=SC2086 # words
    "$oracle" violations "$1" --times "$2" ${3:-} 2>&1 | awk -F, '
        $1 == "violations" { classes++; if ($2 != "rma_op") n += $4 }
        END { print classes ? n + 0 : "no answer of the oracle" }'
}

# learned MOVED: options of the oracle that say what mu_estimate has said; where times have been changed, what of that is sure
learned()
{
    tr -d '\r' <"$work/mu.csv" | awk -F, -v moved="${1%% *}" '
        $4 ~ /^[0-9]+$/ { ticks = moved == "0" ? $4 : $NF }
        ticks > 0 { sub(/^omp_n_to_n$/, "omp_barrier", $1); printf " --mu-class %s:%s:%s", $1, $2, ticks }'
}

# apart A B: "moved earlier decreasing" of B against A; words where they have not the same events
apart()
{
    "$oracle" compare "$1" "$2" 2>&1 | awk -F, '
        $1 == "compare" && $2 == "all" { said = $4 " " $5 " " $6 }
        $1 == "different" { other = "other events: " $0 }
        END { print other != "" ? other : said != "" ? said : "no answer of the oracle" }'
}

# truncated OUT: how many jumps and sources memory was too short for
truncated()
{
    awk -F, '$1 == "jumps" && ($2 == "truncated" || $2 == "guessed_sources") { n += $3; seen++ }
        END { print seen == 2 ? n : "no report" }' "$1.jumps"
}

# wrong WHAT: notes a failure of the case at hand; expect WHAT GOT WANTED
wrong()
{
    failed="$failed
$name: $*"
}

expect()
{
    [ "$2" = "$3" ] || wrong "$1: $2 instead of $3"
}

# check_corrected RECORDED: all that holds whatever the clocks were
check_corrected()
{
    recorded=$1
    corrected "$recorded" "$work/once" || { wrong "the chain fails: $(head -n 3 "$work/once.said")"; return 1; }
    expect "edges violated" "$(violated "$recorded" "$work/once/traces.otf2")" 0
    moved=$(apart "$recorded" "$work/once/traces.otf2")
    expect "edges below the learned delays" "$(violated "$recorded" "$work/once/traces.otf2" "$(learned "$moved")")" 0
    expect "edges violated, matched anew" "$(violated "$work/once/traces.otf2" "$work/once/traces.otf2")" 0
    case $moved in
        *" 0") ;;
        *) wrong "local order: moved, earlier, decreasing are $moved" ;;
    esac
    otf2-print "$work/once/traces.otf2" >"$work/printed" 2>&1 || wrong "otf2-print: $(tail -n 1 "$work/printed")"
    corrected "$work/once/traces.otf2" "$work/twice" || wrong "a second time it fails: $(head -n 3 "$work/twice.said")"
    moved=$(apart "$work/once/traces.otf2" "$work/twice/traces.otf2")
    expect "moved by a second correction" "${moved%% *}" 0
}

# check_windows RECORDED: other slices, less memory
check_windows()
{
    for window in slice=1 slice=$((seed * 7 % 100 + 2)) memory=2MiB; do
        corrected "$1" "$work/other" -o pipeline.$window || { wrong "$window: $(head -n 3 "$work/other.said")"; continue; }
        expect "truncated with the default window" "$(truncated "$work/once")" 0
        if [ "$(truncated "$work/other")" != 0 ]; then
            truncations="$truncations $name/$window"
            expect "edges violated, $window" "$(violated "$1" "$work/other/traces.otf2")" 0
        else
            moved=$(apart "$work/once/traces.otf2" "$work/other/traces.otf2")
            expect "other times with $window" "${moved%% *}" 0
        fi
    done
}

# one_of N WORD...: the (N mod number)-th word
one_of()
{
    shift $(($1 % ($# - 1) + 1))
    echo "$1"
}

# program SEED: options of tcflow-synth. What is drawn is independent from seed to seed.
program()
{
    h=$(printf 'correct %d\n' "$1" | cksum | cut -d ' ' -f 1)
    echo --seed "$1" --ranks $((h % 8 + 2)) --nodes "$(one_of $((h / 8)) 1 2 $((h % 8 + 2)))" \
        --clock-per "$(one_of $((h / 24)) process process node)" \
        --pattern "$(one_of $((h / 72)) ring,halo,collectives pairs collectives master,sendrecv halo,nonblocking latesender \
            ring,omp,collectives rma,halo imbalance,ring locks,ring,collectives ring,halo,collectives)" \
        --threads "$(one_of $((h / 800)) 1 1 1 3)" --compute "$(one_of $((h / 3200)) 100us 10us 2ms 20ms)" \
        --measure "$(one_of $((h / 12800)) none both none start)" \
        --clock "offset=$(one_of $((h / 51200)) 1ms 10us 3s 0s),drift=$(one_of $((h / 204800)) 10 0 100 1)$(one_of \
            $((h / 819200)) "" ,sine=20us:1s ,walk=20us ,jumps=5:30us ,sine=200us:300ms,walk=5us)" \
        "$(one_of $((h / 4096000)) --events=6k --events=12k | tr '=' ' ')" \
        "$(one_of $((h / 8192000)) --sparse "" | tr '=' ' ')" --resolution "$(one_of $((h / 16384000)) 1G 1G 10M 10G)"
}

have otf2-print || skip_all "otf2-print is not installed"

truncations=
failed=
tried=0
seed=$first
while [ $seed -lt $((first + seeds)) ]; do
    options=$(program $seed)
    name="seed $seed ($options)"
    # shellcheck disable=SC2086 # words
    if synth $options --true-trace "$work/true" "$work/recorded" >"$work/made" 2>&1; then
        tried=$((tried + 1))
        if check_corrected "$work/recorded/traces.otf2"; then
            check_windows "$work/recorded/traces.otf2"
            # shellcheck disable=SC2086
            synth $options --shuffle "$work/shuffled" >"$work/made" 2>&1
            if corrected "$work/shuffled/traces.otf2" "$work/other"; then
                moved=$(apart "$work/once/traces.otf2" "$work/other/traces.otf2")
                expect "other times with locations in another order" "${moved%% *}" 0
            else
                wrong "locations in another order: $(head -n 3 "$work/other.said")"
            fi
        fi
        corrected "$work/true/traces.otf2" "$work/other" || wrong "true times: $(head -n 3 "$work/other.said")"
        moved=$(apart "$work/true/traces.otf2" "$work/other/traces.otf2")
        expect "true times moved" "$moved" "0 0 0"
    else
        wrong "not made: $(head -n 1 "$work/made")"
    fi
    seed=$((seed + 1))
done
is "$tried simulated programs" "$failed" ""

# Good traces spoilt by skew, and the bundled one, whose clocks are wrong from the start, spoilt further.
failed=
synth --ranks 6 --nodes 3 --events 15k --seed 5 "$work/good" >"$work/made" 2>&1
seed=$first
while [ $seed -lt $((first + seeds)) ]; do
    for trace in "$example" "$work/good/traces.otf2"; do
        errors=$(one_of $seed "-o skew.offset=5ms -o skew.drift=50" "-o skew.offset=50us -o skew.sine=50us -o skew.sine_period=50ms" \
            "-o skew.walk=100us" "-o skew.jumps=100 -o skew.jump=200us" "-o skew.offset=1s -o skew.drift=1000 -o skew.walk=50us")
        name="$(basename "$(dirname "$trace")") $seed $errors"
        rm -rf "$work/skewed"
        # shellcheck disable=SC2086
        if tcflow -q -i "$trace" -o pipeline.chain="skew otf2_write" -o otf2_write.path="$work/skewed" -o skew.seed=$seed \
            -o skew.per="$(one_of $((seed / 5)) process node)" $errors >"$work/said" 2>&1; then
            check_corrected "$work/skewed/traces.otf2" && check_windows "$work/skewed/traces.otf2"
        else
            wrong "not skewed: $(head -n 2 "$work/said")"
        fi
    done
    seed=$((seed + 1))
done
is "$seeds times skewed" "$failed" ""
[ -z "$truncations" ] || diag "windows that truncated, not compared:$truncations"

# Clocks at the limits: right, or an error that says what is wrong.
failed=
seed=1
while read -r name options; do
    # shellcheck disable=SC2086
    if synth --ranks 4 --events 6k $options --true-trace "$work/true" "$work/recorded" >"$work/made" 2>&1; then
        check_corrected "$work/recorded/traces.otf2" || continue
        check_windows "$work/recorded/traces.otf2"
    else
        wrong "not made: $(head -n 1 "$work/made")"
    fi
done <<'cases'
hours --clock offset=5h
measured-hours --clock offset=5h --measure both
drift --clock drift=1000
measured-drift --clock drift=1000 --measure both
hertz --resolution 1 --clock offset=3s
measured-hertz --resolution 1 --clock offset=3s --measure both
slow-hertz --resolution 1 --compute 5s --clock offset=3s,drift=1000
ten-gigahertz --resolution 10G --clock offset=1ms,drift=10
measured-ten-gigahertz --resolution 10G --clock offset=1ms,drift=10 --measure both
last-ticks --base 18446744073000000000 --clock offset=10ms
measured-last-ticks --base 18446744073000000000 --clock offset=10ms,drift=100 --measure both
standing --clock jumps=1000:1ms,drift=100
measured-standing --clock jumps=1000:1ms,drift=100 --measure both
first-ticks --base 1 --clock offset=100ms
no-reference --wrong-reference --clock offset=1ms,sine=1ms:100ms
two-ranks --ranks 2 --pattern pairs --clock offset=1s,drift=1000
cases
is "clocks at the limits" "$failed" ""

# The last events are a microsecond before the last tick that 64 bits hold: what cannot be is an error, not a wrap.
synth --ranks 4 --events 6k --compute 10us --base 18446744073690000000 --clock offset=1ms "$work/recorded" >"$work/made" 2>&1
if corrected "$work/recorded/traces.otf2" "$work/once"; then
    is "at the very end of time" "$(violated "$work/recorded/traces.otf2" "$work/once/traces.otf2")" 0
else
    like "at the very end of time: a clear error" "$(cat "$work/once.said")" 'tcflow: error: .*(ticks|time|64 bits)'
fi

# A second segment whose table of messages is full while a location waits for a collective of many lengths: what goes on
# alone is counted, and the run ends.
synth --ranks 6 --events 6k --clock-per process --clock offset=1s,drift=10,jumps=20:3ms,walk=100us --late 0.5:5ms \
    --pattern ring,halo,collectives,latesender,master,nonblocking "$work/recorded" >"$work/made" 2>&1
for most in 1 8; do
    ${TCFLOW_WRAPPER:-} timeout 60 "$TCFLOW" -q -i "$work/recorded/traces.otf2" -o pipeline.max_messages=$most \
        -o pipeline.chain="clc_forward clc_backward clock_report" >"$work/said" 2>&1
    is "no more than $most messages in flight: the run ends" $? 0
done

# Messages in one direction, to a clock that is 116 us ahead: they seem to take that long, and none comes too early. Once the measured
# offsets have been applied, that is no minimum delay.
for clock in ahead right; do
    rm -rf "$work/one-way" "$work/out"
    "$top_builddir/tcflow-synth" --ranks 2 --nodes 2 --events 5k --seed 23 --pattern pairs --measure both --true-trace "$work/true" \
        --overwrite --clock "$([ $clock = right ] && echo offset=0 || echo offset=1ms,drift=10)" "$work/one-way" >"$work/why" 2>&1
    tcflow -q -c "$correct_ini" -i "$work/one-way/traces.otf2" -o otf2_write.path="$work/out" -o pipeline.reports=clc_forward \
        -o clc_forward.format=csv >"$work/clc.csv" 2>"$work/said"
    is "one way, a clock that is $clock: nothing left for clc_forward" \
        "$(tr -d '\r' <"$work/clc.csv" | awk -F, '$1 == "classes" && $2 == "p2p" { print $4 }')" 0
    ok "$clock: times are right within 10 us" test "$("$top_builddir/tests/bench/clock-error" "$work/true/traces.otf2" \
        "$work/out/traces.otf2" | awk '{ for (i = 1; i < NF; i++) if ($i == "max") print ($(i + 1) < 1e-5) }')" = 1
done

# Processes that nothing ties to each other: nothing to correct is no mistake, whatever else they have. Streams of accelerators go
# with the process that has created them.
for apart in "1 2" "3 0" "2 3"; do
    rm -rf "$work/apart" "$work/out"
    ${TCFLOW_WRAPPER:-} "$generate" no-messages --out "$work/apart" --processes "${apart% *}" --streams "${apart#* }"
    tcflow -c "$correct_ini" -i "$work/apart/traces.otf2" -o otf2_write.path="$work/out" -o clock_report.output=/dev/null \
        -o clock_report.overwrite=yes -o pipeline.reports="clock_report clock_estimate" -o clock_estimate.format=csv \
        -o clock_estimate.output="$work/estimate.csv" -o clock_estimate.overwrite=yes >"$work/said" 2>&1
    is "processes, streams: $apart: corrected" $? 0
    is "$apart: each process is a clock" "$(tr -d '\r' <"$work/estimate.csv" | awk -F, '$2 == "components" { print $3 }')" "${apart% *}"
    is "$apart: what is not synchronised is said" "$(grep -c 'presync: nothing ties' "$work/said")" \
        "$([ "${apart% *}" = 1 ] && echo 0 || echo 1)"
    for archive in apart out; do
        otf2-print "$work/$archive/traces.otf2" >"$work/$archive.txt" 2>/dev/null
    done
    same "$apart: nothing has moved" "$work/apart.txt" "$work/out.txt"
    is "$apart: and that nobody knows the clocks" "$(tr -d '\r' <"$work/estimate.csv" | grep -c '^clocks,.*,unconnected,.*,,')" \
        $((${apart% *} * (1 + ${apart#* }) - 1 - ${apart#* }))
done

# But where their clocks were measured, that ties them, though no message does.
rm -rf "$work/apart" "$work/out"
"$generate" no-messages --out "$work/apart" --processes 3 --streams 1 --behind 7000
ok "measured clocks of processes that never communicate" tcflow -q -c "$correct_ini" -i "$work/apart/traces.otf2" \
    -o otf2_write.path="$work/out" -o clock_report.format=csv -o clock_report.output="$work/apart.csv"
is "are applied" "$(tr -d '\r' <"$work/apart.csv" | awk -F, '$1 == "locations" && $2 < 3 { print $10 * 1e9 }' | xargs)" "0 7000 14000"
rm -rf "$work/twice"
ok "and what they tie is tied when they are gone" tcflow -q -c "$correct_ini" -i "$work/out/traces.otf2" \
    -o otf2_write.path="$work/twice" -o clock_report.format=csv -o clock_report.output="$work/apart.csv" \
    -o clock_report.overwrite=yes
is "all have a clock" "$(tr -d '\r' <"$work/apart.csv" | awk -F, '$1 == "verdict" && $2 ~ /^un/ { print $4 }' | xargs)" "0 0"
for archive in out twice; do
    otf2-print "$work/$archive/traces.otf2" >"$work/$archive.txt" 2>/dev/null
done
same "nothing has moved" "$work/out.txt" "$work/twice.txt"

# Who communicates with nobody has no common clock, also where the archive states that it has no events.
rm -rf "$work/untold" "$work/out"
"$generate" quiet --out "$work/untold" --events 1000 --untold >"$work/said"
fails 1 "a process without messages, whose events the archive doesn't state" tcflow -c "$correct_ini" \
    -i "$work/untold/traces.otf2" -o otf2_write.path="$work/out"
ok "it is kept where that is wanted" tcflow -q -c "$correct_ini" -i "$work/untold/traces.otf2" -o otf2_write.path="$work/kept" \
    -o presync.unsynchronised=keep -o clock_report.format=csv -o clock_report.output="$work/untold.csv"
is "and not listed with a clock" "$(tr -d '\r' <"$work/untold.csv" | awk -F, '$1 == "locations" && $2 == 2 { print $4, $6 }
    $1 == "verdict" && $2 ~ /^un/ { print $4 }' | xargs)" "1 1 unconnected"

done_testing
