#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# tcflow-scaling makes databases of traces by itself: they are those that tcflow makes, in a temporary folder that is gone
# afterwards, or in that of --keep; and what is wrong with a trace is said before others are read.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

export LC_ALL=C
tcflow --version | grep -q '^databases: SQLite' || skip_all "built without SQLite"
cd "$work" || exit 1
mkdir tmp
export TMPDIR="$work/tmp"

scaling()
{
    timeout 300 ${TCFLOW_WRAPPER:-} "$top_builddir/tcflow-scaling" "$@"
}
# says NAME STATUS PATTERN ARGUMENT...
says()
{
    says_name=$1 says_status=$2 says_pattern=$3
    shift 3
    fails "$says_status" "$says_name" scaling "$@" && like "$says_name: what it says" "$(cat "$work/.fails")" "$says_pattern"
}

# Each rank of n computes the n-th part of the same work, rank 1 a millisecond more.
for n in 4 8 16; do
    "$top_builddir/tcflow-synth" --ranks $n --events $((400 * n)) --pattern halo,collectives --compute $((3200 / n))us:0.01 \
        --delay 1:compute:1ms "runs/$n" || exit 1
    tcflow -q -c "$top_srcdir/examples/scaling.ini" -i "runs/$n/traces.otf2" -o "pipeline.database=$n.sqlite" >/dev/null || exit 1
done
traces='runs/4/traces.otf2 runs/8/traces.otf2 runs/16/traces.otf2'
scaling --format json 4.sqlite 8.sqlite 16.sqlite >by-hand.json || exit 1
like "the cause, from databases" "$(cat by-hand.json)" '"call_path": "main/compute", .*"kind": "load imbalance", "processes": \[1\]'

# shellcheck disable=SC2086 # words
ok "traces" eval "scaling --format json $traces >from-traces.json 2>said"
same "their answer is that of databases" from-traces.json by-hand.json
is "it tells which trace it reads" "$(grep -c "^tcflow-scaling: reading 'runs/[0-9]*/traces.otf2'" said)" 3
is "the databases are gone" "$(ls tmp)" ""
is "and not told" "$(grep -c wrote said)" 0
ok "traces beside databases" eval "scaling --format json runs/16/traces.otf2 4.sqlite runs/8/traces.otf2 >mixed.json"
same "the same answer" mixed.json by-hand.json
# shellcheck disable=SC2086
ok "one command from traces to a page" scaling --html page.html $traces
like "with the cause" "$(cat page.html)" 'main/compute'

cd tmp && mkdir here && cd here || exit 1
ok "databases are kept, in a folder that is made" scaling --keep kept ../../runs/4/traces.otf2 "$work/runs/8/traces.otf2" ../../16.sqlite
is "by the names of their traces' folders" "$(ls kept | sort)" \
    "$(printf '%s\n' runs-4.sqlite "$(echo "${work#/}" | tr / -)-runs-8.sqlite" | sort)"
cd "$work" && rm -r tmp/here
# shellcheck disable=SC2086
ok "and give" eval "scaling --keep kept $traces 2>said >/dev/null && scaling --format json kept/runs-4.sqlite kept/runs-8.sqlite kept/runs-16.sqlite >kept.json"
same "the same answer" kept.json by-hand.json
is "whose names are told" "$(grep -c '^tcflow: wrote kept/runs-[0-9]*\.sqlite$' said)" 3
touch -d '2001-01-01' kept/runs-4.sqlite
# shellcheck disable=SC2086
says "older ones stay" 2 "'kept/runs-4.sqlite' exists already; give it instead of 'runs/4/traces.otf2', or .*--overwrite" --keep kept $traces
is "nothing was read before" "$(grep -c reading .fails)" 0
# shellcheck disable=SC2086
ok "unless with --overwrite" scaling --keep kept --overwrite $traces
ok "which replaces them" test kept/runs-4.sqlite -nt "$top_srcdir/examples/scaling.ini"
mkdir -p runs-4 'a blank'
cp -r runs/4/* runs-4
cp -r runs/4/* 'a blank'
says "two names that become one" 2 "'runs/4/traces.otf2' and 'runs-4/traces.otf2' would both become 'new/runs-4.sqlite'" \
    --keep new runs/4/traces.otf2 runs-4/traces.otf2 8.sqlite
ok "a name with a blank" scaling --keep new 'a blank/traces.otf2' 8.sqlite
ok "is that of the database, too" test -f 'new/a blank.sqlite'

# -------------------------------------------------------------------------------------------------------- what is wrong

says "no such trace" 1 "cannot open 'runs/5/traces.otf2': No such file" runs/4/traces.otf2 runs/5/traces.otf2
is "none was read" "$(grep -c reading .fails)" 0
says "the same trace twice" 2 "'runs/4/traces.otf2' is there twice" runs/4/traces.otf2 runs/8/traces.otf2 runs/4/traces.otf2
ok "a folder stands for its anchor file" scaling runs/4 runs/8/
says "a folder without a trace" 1 "'tmp': no database could be made of it" runs/4 tmp
says "traces of one size" 2 "'runs-4/traces.otf2' and 'runs/4/traces.otf2' both have 4 processes; expected" runs/4/traces.otf2 runs-4/traces.otf2
: >empty.otf2
says "what is no trace" 1 "'empty.otf2': no database could be made of it: .*tcflow has ended with exit status 1" runs/4/traces.otf2 empty.otf2
like "tcflow says why" "$(cat .fails)" '^tcflow: error: the file is empty'
is "and nothing stays" "$(ls tmp)" ""
# Interrupted while it reads, it interrupts tcflow, and leaves nothing.
"$generate" bench --locations 4 --events 6000000 --out long >/dev/null || exit 1
"$top_builddir/tcflow-scaling" --keep new long/traces.otf2 8.sqlite >said 2>&1 &
pid=$!
until grep -q reading said; do sleep 0.02; done
sleep 0.1
kill "$pid"
wait "$pid"
is "a signal ends it as it ends tcflow" "$?" 143
is "no database stays" "$(ls new | grep long)" ""
rm -r long

printf '[pipeline]\nchain = ppg\n[ppg]\noutput = /dev/null\noverwrite = yes\n' >graph.ini
says "a pipeline of one's own, without what is needed" 1 "'runs/4/traces.otf2' has no table .locations. of root_cause" \
    -c graph.ini runs/4/traces.otf2 8.sqlite
says "a pipeline that is not there" 1 "cannot open 'none.ini': No such file" --config none.ini runs/4/traces.otf2 8.sqlite
says "a folder for nothing" 2 '.*--keep is for traces: files with the extension .otf2' --keep new 4.sqlite 8.sqlite
says "a folder that cannot be made" 1 "'none/new': cannot make this folder: No such file" --keep none/new runs/4/traces.otf2 8.sqlite
done_testing
