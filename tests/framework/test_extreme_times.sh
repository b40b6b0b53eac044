#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# All filters and chains over traces with times near 0, 2^63 and 2^64 - 1, and spread from one to the other, whose clock offsets
# are as large as they can be: each run ends with a result or a message, within its time, and no duration is negative. In a build
# with sanitizers no sum of times overflows, too.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

have python3 || skip_all "there is no python3"
cd "$work" || exit 1
mkdir plugins
${CC:-cc} -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o plugins/stretch.so "$top_srcdir/tests/framework/stretch.c" 2>said ||
    skip_all "no compiler"

cat >negative.py <<'END'
"""negative.py FILE: prints times and shares of the tables of profile, load_imbalance or time_profile that are negative."""
import json, sys
for name, table in json.load(open(sys.argv[1])).items():
    for row in table["rows"]:
        for column, value in row.items():
            if isinstance(value, (int, float)) and value < 0 and column not in ("from", "offset", "rank"):
                sys.exit("%s.%s = %s" % (name, column, value))
END

# run WHAT OPTION...: adds to $wrong what is not as it should be
run()
{
    run_what=$1
    shift
    rm -rf out report
    timeout 600 "$TCFLOW" --plugin-path plugins -i "$trace" "$@" >said 2>&1
    run_status=$?
    runs=$((runs + 1))
    if [ $run_status -gt 2 ] || grep -q 'runtime error' said; then
        wrong="$wrong
$run_what: status $run_status, $(grep -m 3 -E 'runtime error|ERROR|error:' said | cut -c 1-300)"
    fi
}

all_filters()
{
    for filter in $filters; do
        before=
        case $filter in
        clc_backward | stretch) continue ;;
        otf2_write | stream_write | perfetto_trace) set -- -o "$filter.path=out" ;;
        select) set -- -o select.from=1us -o select.to=1ms -o select.clock_offsets=yes ;;
        skew) set -- -o skew.offset=100000d -o skew.drift=1000ppm ;;
        profile | load_imbalance | time_profile) set -- -o "$filter.output=report" -o "$filter.format=json" ;;
        overhead) set -- -o overhead.event=1us ;;
        presync) set -- -o presync.method=linear ;;
        root_cause) set -- -o root_cause.computation=yes ;;
        *) set -- ;;
        esac
        run "$filter" -o "pipeline.chain=$filter" "$@"
        [ ! -e report ] || negative=$(python3 negative.py report 2>&1) || wrong="$wrong
$filter: $negative"
    done
    for method in offset linear measurements; do
        run "presync $method" -o "pipeline.chain=presync check" -o presync.method=$method
    done
    run "correction" -o pipeline.survey="clock_estimate | mu_estimate" -o "pipeline.chain=presync clc_forward clc_backward check clock_report" \
        -o presync.method=survey
    run "CLC alone" -o "pipeline.chain=clc_forward clc_backward check"
    run "archive" -o "pipeline.chain=presync otf2_write" -o otf2_write.path=out -o otf2_write.overwrite=yes
    run "merged" -i "$trace" -o pipeline.chain=pass
    run "calls" -o pipeline.chain=calls -o calls.path=out -o calls.overwrite=yes
    ! grep -m 1 -E ',-[0-9]' out >negative || wrong="$wrong
calls: $(cat negative)"
    run "domains" -j 2 -o pipeline.chain="profile time_profile timeline"
}

filters=$(tcflow --list-filters=plain | awk 'NF == 1 { print $1 }')
half=9223372036854775808 most=18446744073709551615
set -- random offsets
[ -z "${TCFLOW_LONG:-}" ] || set -- random offsets extremes
for kind; do
    first=0 last=0
    case $kind in
    random)
        "$generate" random --out base --events 1200 --ranks 3 --omp-threads 2 --features all,counters,io,rma,streams \
            --clock-offset-ns 30000 --clock-offset-records 3 >said 2>&1
        ;;
    offsets) "$generate" large --out base --depth 20 --messages 20 --offsets >said 2>&1 ;;
    extremes) "$generate" extremes --out base --locations 3 --events 600 --seed 7 >said 2>&1 && first=0 last=600000 ;;
    esac || { tap 1 "$kind is generated"; diag "$(cat said)"; continue; }
    for span in "0 200" "0 $half" "0 $most" "$((0x7ffffffffffffe0c)) 9223372036854776308" "$half $most" "18446744073709551015 $most" "$most $most"; do
        from=${span% *} to=${span#* } wrong= runs=0
        rm -rf made
        tcflow -q --plugin-path plugins -i base/traces.otf2 -o "pipeline.chain=stretch otf2_write" -o stretch.from="$from" \
            -o stretch.to="$to" -o stretch.first=$first -o stretch.last=$last -o otf2_write.path=made >said 2>&1 ||
            { tap 1 "$kind from $from to $to is made"; diag "$(cat said)"; continue; }
        trace=made/traces.otf2
        all_filters
        is "$kind from $from to $to: $runs runs" "$wrong" ""
    done
    rm -rf base
done
for trace in ${TRACES:-}; do
    wrong= runs=0
    all_filters
    is "$trace: $runs runs" "$wrong" ""
done

done_testing
