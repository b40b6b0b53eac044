#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The two writers of event files write the same bytes: copies by both are compared file by file, anchors included, of
# archives with all kinds of records, all their encodings, and chunks of all sizes; location by location and all of them in
# turn; in one domain and in three; and with few open files. Then failures of the direct writer's files. SEEDS (default 2) random traces a kind.
# TRACES may name folders with further archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export LSAN_OPTIONS
cd "$work" || exit 1

# trace NAME KIND OPTION...: makes one.
trace()
{
    trace_name=$1
    kind=$2
    shift 2
    rm -rf "$trace_name"
    timeout 120 "$generate" "$kind" --out "$trace_name" "$@" >generate 2>&1 ||
        { tap 1 "the archive $trace_name is generated"; diag "$(cat generate)"; }
}

# by WRITER ANCHOR FILTERS OPTION...: a copy in the folder of this name, behind these filters. WRITER `domains`: direct, in three.
by()
{
    writer=$1
    anchor=$2
    filters=$3
    shift 3
    kind=$writer
    [ "$writer" != domains ] || { kind=direct && set -- "$@" -j 3; }
    [ "$filters" != check ] || set -- "$@" -o check.output=/dev/null -o check.overwrite=yes
    rm -rf "$writer" "$writer.incomplete"
    timeout 300 env LD_PRELOAD="${preload:-}" "$TCFLOW" -q --no-progress -i "$anchor" -o pipeline.chain="$filters otf2_write" -o pipeline.salvage=yes \
        -o otf2_write.writer=$kind -o otf2_write.path="$writer" "$@"
}

both()
{
    by direct "$@" && by libotf2 "$@" && diff -r direct libotf2 2>&1
}

in_domains()
{
    by domains "$@" && diff -r direct domains 2>&1
}

# alike NAME ANCHOR OPTION...: one location after the other, and all in turn, in slices of few events.
alike()
{
    alike_name=$1
    alike_anchor=$2
    shift 2
    ok "$alike_name" both "$alike_anchor" "" "$@"
    ok "$alike_name, in domains" in_domains "$alike_anchor" "" "$@"
    ok "$alike_name, in turn" both "$alike_anchor" check -o pipeline.slice=37 "$@"
}

alike "the bundled trace" "$top_srcdir/examples/trace/traces.otf2"
trace everything everything
alike "all kinds of records" everything/traces.otf2
for seed in $(seeds_of 2); do
    trace extremes extremes --seed "$seed" --locations 8 --events 12000
    alike "extremes $seed" extremes/traces.otf2 -o otf2_write.chunk=256KiB
    trace odd odd --seed "$seed" --locations 6 --events 6000
    alike "odd $seed" odd/traces.otf2
    trace random random --seed "$seed" --ranks 4 --events 20000 --sparse-locations --empty-locations 1 --missing-locations 1 \
        --features all,counters,io,rma,streams,flushes,nested,persistent --clock-offset-ns 1000000000 --clock-offset-records 9
    alike "random $seed" random/traces.otf2
done
trace shifted extremes --shifted --locations 1 --events 10
alike "records that meet the end of a chunk" shifted/traces.otf2 -o otf2_write.chunk=256KiB
for kib in 256 1024 4096; do
    trace long bench --locations 2 --events $((kib * 400))
    alike "chunks of $kib KiB" long/traces.otf2 -o otf2_write.chunk="${kib}KiB"
done
for folder in ${TRACES:-}; do
    for anchor in "$folder"/*.otf2 "$folder"/*/*.otf2; do
        [ ! -f "$anchor" ] || alike "$anchor" "$anchor"
    done
done
ok "times that are changed" both random/traces.otf2 presync
ok "times that are changed, in domains" in_domains random/traces.otf2 presync
ok "events that are dropped" both random/traces.otf2 select -o select.from=20% -o select.to=60%
ok "events that are dropped, in domains" in_domains random/traces.otf2 select -o select.from=20% -o select.to=60%
if have otf2-print; then
    by direct odd/traces.otf2 ""
    ok "otf2-print reads it" otf2-print direct/traces.otf2
fi

# A chunk that is full but for one byte: the end mark has two. libotf2 3.0 reads such files, but can't write them.
trace full extremes --full --locations 1 --events 10
ok "a chunk that is full" by direct full/traces.otf2 "" -o otf2_write.chunk=256KiB
is "its end mark stands behind it" "$(wc -c <direct/traces/1000.evt | tr -d ' ')" $((256 * 1024 + 1))
printed()
{
    tcflow -q -i "$1" -o pipeline.chain=print -o pipeline.reader="$2"
}
printed full/traces.otf2 direct >expected
for reader in direct libotf2; do
    ok "it is read by $reader" printed direct/traces.otf2 $reader
    same "with what was written, by $reader" .ok expected
done

trace large extremes --large --locations 1 --events 10
for writer in direct libotf2; do
    fails 1 "$writer: an event that is larger than a chunk" by $writer large/traces.otf2 "" -o otf2_write.chunk=256KiB
    like "$writer: which one is told" "$(cat .fails)" 'location 0 .*: event 10 cannot be written'
done
alike "a chunk that holds it" large/traces.otf2 -o otf2_write.chunk=512KiB

fails 2 "direct doesn't compress" by direct random/traces.otf2 "" -o otf2_write.compression=zlib
like "and says so" "$(cat .fails)" "writer = direct doesn't compress; use writer = auto"

# Fewer open files than locations (120: 30 ranks with threads).
trace many random --seed 2 --ranks 30 --events 20000
by libotf2 many/traces.otf2 check
few()
{
    few_writer=$1
    shift
    (ulimit -n 40 && by "$few_writer" many/traces.otf2 "$@" -o pipeline.slice=16)
}
ok "more locations than files can be open" few direct check
ok "they are the same" diff -r direct libotf2
ok "in domains, too" few domains pass
ok "they are the same in domains" diff -r domains libotf2

# ------------------------------------------------------------------------------------------------- files that fail

if ! ${CC:-cc} -O1 -shared -fPIC -o failing.so "$top_srcdir/tests/plugins/otf2_write/failing_files.c" -ldl 2>said ||
    is_instrumented; then
    skip "files that fail" "no compiler, or a sanitizer"
    done_testing
    exit
fi
trace small random --seed 3 --ranks 12 --events 3000 --features p2p,collectives

# failing WRITER NUMBER: with few handles, so that files are closed and opened again
failing()
{
    failing_filters=check
    [ "$1" = direct ] || failing_filters=
    (ulimit -n 30 && preload=$work/failing.so && export FAILING="$2" OPERATIONS="$work/count" &&
        by "$1" small/traces.otf2 "$failing_filters" -o pipeline.slice=64) >said 2>&1
}
by libotf2 small/traces.otf2 ""
for writer in direct domains; do
    SHORT=100 failing $writer 0
    is "$writer: short and interrupted writes" "$? $(diff -r $writer libotf2 2>&1)" "0 "
    failing $writer 0
    n=$(cat count) at=1 wrong= step=3
    [ -n "${TCFLOW_LONG:-}" ] || step=17
    while [ "$at" -le "$n" ]; do
        for reason in "5 Input/output error" "28 No space left on device"; do
            REASON=${reason%% *} failing $writer "$at"
            status=$?
            [ "$status" -eq 1 ] && grep -q "location [0-9]* (.*): '$writer.incomplete/traces/[0-9]*\.[a-z]*' cannot be written: ${reason#* }" said &&
                [ ! -e $writer ] && [ -e $writer.incomplete ] || wrong="$wrong $at: status $status, $(head -c 200 said);"
        done
        at=$((at + step))
    done
    is "$writer: each of $n operations fails once" "$wrong" ""
    [ "$n" -gt 40 ]
    tap $? "$writer: operations are counted"
done

# Whether a location without events had a file.
trace empty random --seed 4 --ranks 3 --events 300 --features p2p --empty-locations 1
unseen=$(find empty -name '*.evt' -size -21c | head -n 1)
for name in "$unseen" empty/traces.otf2; do
    (preload=$work/failing.so && export UNSEEN="$name" && by direct empty/traces.otf2 check) >said 2>&1
    status=$?
    is "nobody can look for ${name##*/}" "$status $(grep -o "cannot look for .*" said)" "1 cannot look for '$name': Input/output error"
done
done_testing
