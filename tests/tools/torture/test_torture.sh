#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# tcflow --torture: a plugin that keeps the rules passes, in all ways to be called; one that breaks a rule is told which. For
# every rule there is such a plugin.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

torture=$top_builddir/tcflow-torture
mkdir "$work/tmp"
TMPDIR=$work/tmp
export TMPDIR
CC=${CC:-cc}
build()
{
    name=$1
    shift
    $CC -std=gnu11 -g -O1 -Wall -Wextra -fPIC -shared -fvisibility=hidden -I"$top_srcdir/include" -o "$work/$name.so" "$@" \
        "$top_srcdir/tests/tools/torture/broken.c" 2>"$work/cc" || diag "$(cat "$work/cc")"
}
# Sanitizers look after memory themselves, variables included, and end the process.
watched=yes
nm "$torture" 2>/dev/null | grep -q __asan_init && watched=no

for kind in slice span holds domains inserts; do
    case $kind in
    slice) build good ;;
    span) build good -DSPAN -DNEEDS=TCF_NEED_EDGES ;;
    holds) build good -DCAN=TCF_CAN_HOLD ;;
    domains) build good -DDOMAINS -DCAN=TCF_CAN_DOMAINS ;;
    inserts) build good -DINSERTS ;; # as init() says, not the filter
    esac
    out=$("$torture" "$work/good.so" 2>&1)
    is "a good filter passes: $kind" $? 0
    like "and that is said: $kind" "$out" "^broken 1.0, chain 'broken': 0 rules broken, [0-9]* runs over 2 programs from seed 1 on"
done

if [ -c /dev/full ]; then
    "$torture" --list-rules >/dev/full 2>"$work/full"
    is "rules that cannot be written" "$?" 2
    like "says so" "$(cat "$work/full")" "^tcflow-torture: cannot write to standard output: No space"
fi
rules=$("$torture" --list-rules | sed 's/ .*//')
tried=
breaks()
{
    rule=$1
    shift
    tried="$tried $rule"
    build "$rule" "-DBREAK_$(echo "${variant:-$rule}" | tr a-z A-Z)" "$@"
    out=$("$torture" "$work/$rule.so" --seeds 1 --timeout ${timeout:-20} 2>&1)
    is "who breaks the rule is not taken: ${variant:-$rule}" $? 1
    like "and told so: ${variant:-$rule}" "$out" "^broken: $rule: "
    [ $only = yes ] && is "and nothing else: ${variant:-$rule}" "$(echo "$out" | grep '^broken:' | cut -d: -f2 | tr -d ' \n')" "$rule"
    last=$out
}
only=yes
breaks load
breaks later -DWRITES='TCF_WRITES_TIME|TCF_WRITES_LATER'
breaks inserts
breaks kept -DCAN=TCF_CAN_HOLD
breaks when
breaks needs
breaks numbers -DSPAN -DNEEDS=TCF_NEED_EDGES
breaks property
breaks conf
breaks state
breaks location
breaks payload -DSPAN -DNEEDS=TCF_NEED_EDGES
breaks windows
breaks domains -DDOMAINS -DCAN=TCF_CAN_DOMAINS
variant=leak_file breaks leak
breaks written
breaks checking
breaks flush -DCAN=TCF_CAN_HOLD
breaks run
breaks ignored
if [ $watched = yes ]; then
    breaks global
    breaks leak
    breaks memory
    breaks reason
    breaks locations
fi
only=no # what follows from it may be told, too
breaks writes
breaks arrive -DSPAN -DNEEDS=TCF_NEED_EDGES
breaks drops
breaks beyond
breaks span -DSPAN -DWRITES=TCF_WRITES_REC -DNEEDS=TCF_NEED_EDGES
breaks slice -DNEEDS=TCF_NEED_EDGES
breaks order -DWRITES=TCF_WRITES_TIME
breaks kind -DWRITES=TCF_WRITES_KIND
breaks passed
breaks holds
breaks release -DCAN=TCF_CAN_HOLD
breaks edge -DSPAN -DNEEDS=TCF_NEED_EDGES
breaks status
breaks again
[ $watched = yes ] && breaks crash
timeout=5 breaks endless # a slow machine reaches location_end() well before
like "where it did not end" "$last" "location_end\(\): .*it was still running after 5 s"
like "and that this ends the run" "$last" "^No further step is run: each may take its 5 s"

tried="$tried probe" # of readers: test_readers.sh
is "every rule was tried" "$(for r in $rules; do case " $tried " in *" $r "*) ;; *) echo "$r" ;; esac; done | tr '\n' ' ')" \
    "$([ $watched = yes ] || echo 'crash reason locations global memory ')"

# What is said.
out=$("$torture" "$work/writes.so" --seeds 1 2>&1)
like "the rule, and where it stands" "$out" "broken: writes: a filter changes no column that it does not declare \(filter.h: tcf_filter.writes\)"
like "where it was broken" "$out" "    slice\(\): event [0-9]* of location [0-9]*: rec \(of kind [0-9]*\) has changed"
again=$(echo "$out" | sed -n 's/.*again: tcflow --torture//p' | head -n 1)
like "how to see it again" "$again" " $work/writes.so --seed 1 --seeds 1 --step settings"
is "the same seed finds the same" "$("$torture" "$work/writes.so" --seeds 1 2>&1)" "$out"
like "tcflow --torture is the same" "$($TCFLOW --torture $again 2>&1)" "^broken: writes: "
$TCFLOW --torture "$work/good.so" --seeds 1 >/dev/null 2>&1
is "and so is its status" $? 0

# Usage.
out=$("$torture" "$work/good.so" -o m=3 2>&1)
is "settings that are refused" $? 2
like "are shown" "$out" "the filter wants other settings: .*broken.m: unknown key"
like "no such file" "$("$torture" "$work/none.so" 2>&1)" "broken: load: .*there is no such file|there is no such file"
out=$("$torture" 2>&1)
is "no file" $? 2
like "no file is said" "$out" "give a plugin's file"
out=$("$torture" "$work/good.so" --seeds 0 2>&1)
is "a bad number" $? 2
like "no such step" "$("$torture" "$work/good.so" --step x 2>&1)" "--step x: there are settings reference"
out=$($TCFLOW -q --torture "$work/good.so" 2>&1)
is "--torture is the first" $? 2
printf '[pipeline]\nchain = pass broken\n[broken]\nn = 5\n' >"$work/c.ini"
like "chain and parameters of an INI" "$("$torture" "$work/good.so" -c "$work/c.ini" --seeds 1 2>&1)" "chain 'pass broken': 0 rules"
printf '[pipeline]\nchain = broken stream_write\n[stream_write]\npath = ${SCRATCH}/s\n' >"$work/s.ini"
like "an INI that names the folder of a run" "$("$torture" "$work/good.so" -c "$work/s.ini" --seeds 1 --step lost 2>&1)" \
    "chain 'broken stream_write': 0 rules"
like "a chain of the command line" "$("$torture" "$work/good.so" --chain "clc_forward broken" --seeds 1 2>&1)" \
    "chain 'clc_forward broken': 0 rules"
# A plugin whose file is gone behind the first step.
printf '#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) static void go(void)\n{\n    unlink(getenv("GOES"));\n}\n' >"$work/goes.c"
build goes "$work/goes.c"
out=$(GOES=$work/goes.so "$torture" "$work/goes.so" --seeds 1 2>&1)
is "steps that cannot load the plugin: exit status" $? 1
like "they are told" "$out" "broken: load: .*"
is "nothing is left of all this, whatever has crashed" "$(ls "$TMPDIR")" ""
"$torture" "$work/endless.so" --seeds 1 --timeout 100 >/dev/null 2>&1 &
child=$!
n=0
while [ -z "$(find "$TMPDIR" -name 'tcflow-harness.*')" ] && [ $n -lt 100 ]; do
    sleep 0.1
    n=$((n + 1))
done
kill -TERM $child
wait $child
is "it can be stopped" $? 143
is "and nothing is left of it" "$(ls "$TMPDIR")" ""
done_testing
