#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Runs of the program in which one allocation of it or of a plugin fails: exit status 0 means the outputs of a run without
# failure, any other one comes with a message that says so, and nothing crashes. STEP: every how many-th allocation is tried (3).
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

cd "$work" || exit 1
${CC:-cc} -O1 -shared -fPIC -o failing.so "$top_srcdir/tests/framework/failing_memory.c" -ldl 2>said || skip_all "no compiler"
[ -z "${TCFLOW_WRAPPER:-}" ] && ! nm -D "$TCFLOW" 2>/dev/null | grep -q __asan_init || skip_all "the sanitizer has allocations of its own"
"$generate" random --out trace --events 1500 --ranks 3 --clock-offset-ns 30000 --clock-drift-ppm 20 --lose-sends 0.01 \
    --end-early 0.3 >/dev/null
input=$work/trace/traces.otf2
step=${STEP:-3}
[ -z "${TCFLOW_QUICK:-}" ] || step=17

# one NUMBER OPTION...: a run in the folder `out`
one()
{
    number=$1
    shift
    rm -rf out
    mkdir out
    (cd out && timeout 60 env ALLOCATIONS="$work/count" FAILING="$number" LD_PRELOAD="$work/failing.so" "$TCFLOW" -q "$@" \
        >stdout 2>"$work/said")
}
outputs()
{
    (cd out && find . -type f | sort | xargs cksum)
}

# each NAME FROM OPTION...: with each allocation from FROM on
each()
{
    each_name=$1 at=$2
    shift 2
    one 0 "$@" || { tap 1 "$each_name: without a failure"; diag "$(cat said)"; return; }
    expected=$(outputs) n=$(cat count) wrong=
    while [ "$at" -le "$n" ]; do
        one "$at" "$@"
        status=$?
        if [ "$status" -eq 0 ] && [ "$(outputs)" != "$expected" ]; then
            wrong="$wrong $at: other outputs;"
        elif [ "$status" -gt 2 ] || { [ "$status" -ne 0 ] && ! grep -q 'memory' said; }; then
            wrong="$wrong $at: status $status, $(head -c 200 said);"
        fi
        at=$((at + step))
    done
    is "$each_name: $n allocations" "$wrong" ""
    [ "$n" -gt 300 ] || tap 1 "$each_name: allocations are counted"
}

each "check" 1 -i "$input" -o pipeline.chain=check -o check.format=csv
each "print" 240 -i "$input" -o pipeline.chain=print -o print.definitions=yes
each "an archive" 240 -i "$input" -o pipeline.chain=otf2_write -o otf2_write.path=out
each "an archive by libotf2" 240 -i "$input" -o pipeline.chain=otf2_write -o otf2_write.path=out -o otf2_write.writer=libotf2
each "a stream" 240 -i "$input" -o pipeline.chain=stream_write -o stream_write.path=out
each "correction" 700 -i "$input" -o pipeline.survey=clock_estimate -o clock_estimate.output=clocks -o clock_estimate.knots=knots \
    -o pipeline.chain="presync clc_forward clc_backward check" -o presync.method=survey
each "waits" 800 -i "$input" -o pipeline.chain="wait_states critical_path" -o wait_states.format=csv -o wait_states.output=waits
each "a graph" 700 -i "$input" -o pipeline.chain="root_cause ppg" -o root_cause.computation=yes -o root_cause.output=causes -o ppg.format=json \
    -o ppg.output=graph
tcflow -q -i "$input" -o pipeline.chain=stream_write -o stream_write.path=recorded
each "two inputs" 240 -i stream:"$work/recorded" -o pipeline.chain="check print" -o check.output=check -o print.output=events

done_testing
