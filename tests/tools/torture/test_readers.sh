#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# tcflow --torture of readers of other formats: all readers of tcflow keep the rules, over samples of their formats; a reader
# that breaks one is told which.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

torture=$top_builddir/tcflow-torture
CC=${CC:-cc}
seeds=${SEEDS:-$(usually 1 2)}
cd "$work" || exit 1
watched=yes
nm "$torture" 2>/dev/null | grep -q __asan_init && watched=no
printf '1 9 main\n2 5 work\n6 8 work\n10 12 \\odd\n' >sample.lines

build()
{
    name=$1
    shift
    $CC -std=gnu11 -g -O1 -Wall -Wextra -fPIC -shared -fvisibility=hidden -I"$top_srcdir/include" -o "$name.so" "$@" \
        "$top_srcdir/tests/tools/torture/broken_reader.c" 2>cc || diag "$(cat cc)"
}
# breaks RULE
breaks()
{
    build "$1" "-DBREAK_$(echo "$1" | tr a-z A-Z)"
    out=$("$torture" "./$1.so" --sample sample.lines --seeds 1 --timeout 60 2>&1)
    is "who breaks the rule is not taken: $1" $? 1
    like "and told so: $1" "$out" "^broken: ${2:-$1}: .*source.h"
    like "and how to see it again: $1" "$out" "again: tcflow --torture ./$1.so .*--sample sample.lines"
}
build good
out=$("$torture" ./good.so --sample sample.lines 2>&1)
is "a good reader passes" "$? $(echo "$out" | sed 's/, [0-9]* runs.*//')" "0 lines 1.0, sample 'sample.lines': 0 rules broken"
for rule in crash reason ignored status; do
    breaks $rule
done
if [ $watched = yes ]; then
    for rule in leak global state; do
        breaks $rule
    done
    breaks probe crash # what lies behind the bytes cannot be read
fi
out=$("$torture" ./good.so 2>&1)
is "no sample" "$? $(echo "$out" | grep -c 'give it a file by --sample')" "2 1"
out=$("$torture" ./good.so --sample sample.lines -o factor=0 2>&1)
is "settings that are refused" "$? $(echo "$out" | grep -c 'the reader wants other settings')" "2 1"

# keeps NAME SAMPLE OPTION...
keeps()
{
    keeps_name=$1 keeps_sample=$2
    shift 2
    if ! tcflow --list-sources | grep -q "$keeps_name"; then
        skip "$keeps_name" "built without its library"
        return
    fi
    out=$("$torture" "$keeps_name" --sample "$keeps_sample" --seed "${FIRST:-1}" --seeds "$seeds" --timeout 300 "$@" 2>&1)
    status=$?
    is "$keeps_name keeps the rules" "$status" 0
    [ $status -eq 0 ] && diag "$(echo "$out" | tail -n 1)" || diag "$out"
}
trace=$work/trace/traces.otf2
"$generate" random --out trace --events 300 --ranks 3 >/dev/null
for format in json protobuf; do
    tcflow -q -i "$trace" -o pipeline.chain=perfetto_trace -o perfetto_trace.path="timeline.$format" -o perfetto_trace.format=$format 2>said ||
        diag "$(cat said)"
done
printf 'start,end,process,name\n0,10,0,a\n2,5,0,b\n1,9,1,a\n11,12,1,c\n' >spans.csv
keeps csv spans.csv
keeps chrome "$(ls timeline.json* | head -n 1)"
keeps perfetto "$(ls timeline.protobuf* | head -n 1)"
if have python3; then
    mkdir logs
    python3 "$top_srcdir/tests/plugins/projections/projections.py" make 1 logs/ring.sts
    keeps projections logs
    python3 "$top_srcdir/tests/plugins/nsight/nsight.py" make 1 made.sqlite
    keeps nsight made.sqlite
    mkdir ranks
    python3 "$top_srcdir/tests/plugins/nsight/mpi.py" make 1 ranks
    keeps nsight ranks/rank0.sqlite
    python3 "$top_srcdir/tests/plugins/chrome/kineto.py" make 1 ranks 2
    keeps chrome ranks/rank0.json
    python3 "$top_srcdir/tests/plugins/hpctoolkit/hpctoolkit.py" make 1 database
    keeps hpctoolkit database
else
    skip "projections, nsight and hpctoolkit" "there is no python3"
fi
done_testing
