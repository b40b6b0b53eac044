#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What perfetto_trace writes is, read by a program that knows no more than the format, the trace: all tracks, calls, instant
# events with their arguments, counters, arrows and markers at their exact times, in both formats, whatever the windows, in one
# file or in many. protoc reads it by the description of the format. Outputs appear when they are complete.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

here=$top_srcdir/tests/plugins/perfetto_trace

always="--equal-timestamps 0.1" enough=1

python3 -c 'import json' 2>/dev/null || skip_all "python3 is not installed"

# written INPUT NAME WAY: into $work/NAME.trace and, cut, $work/NAME-2.trace ... A way is "FORMAT INSTANTS FLOWS [slice=N] [max_bytes=N]".
written()
{
    input=$1 to=$work/$2.trace
    set -- $3
    for option in format="$1" instants="$2" flows="$3"; do
        set -- "$@" -o "perfetto_trace.$option"
    done
    for option; do
        case $option in
        max_bytes=*) set -- "$@" -o "perfetto_trace.$option" ;;
        slice=*) set -- "$@" -o "pipeline.$option" ;;
        esac
    done
    while [ "$1" != -o ]; do
        shift
    done
    timeout 120 "$TCFLOW" -q -i "$input" -o pipeline.chain=perfetto_trace -o perfetto_trace.path="$to" "$@"
}

# parts NAME
parts()
{
    echo "$work/$1.trace"
    n=2
    while [ -e "$work/$1-$n.trace" ]; do
        echo "$work/$1-$n.trace"
        n=$((n + 1))
    done
}

# foreseen INPUT WAY...: what is expected is made of $work/events and $work/matches
foreseen()
{
    "$TCFLOW" -q -i "$1" -o pipeline.chain=print -o print.format=json -o print.definitions=yes -o print.order=location \
        -o print.markers=yes >"$work/events" 2>/dev/null
    case $* in
    *" yes"*) "$oracle" match "$1" --trusting >"$work/matches" ;;
    esac
}

# agrees INPUT WAY...: the file of the k-th way is $work/run-of-k.trace
agrees()
{
    agrees_input=$1
    foreseen "$@"
    shift
    rm -f "$work"/run*.trace*
    way_number=0
    for way; do
        way_number=$((way_number + 1))
        written "$agrees_input" "run-of-$way_number" "$way" || return
        echo "$way|$(parts "run-of-$way_number" | paste -s -d '|')"
    done >"$work/ways"
    python3 "$here/agree.py" "$work/events" "$work/matches" <"$work/ways"
}

cut_in_parts()
{
    agrees "$@" && [ "$(parts run-of-1 | wc -l)" -ge 3 ]
}

# ---------------------------------------------------------------------------------------------------------- real traces

# Everything; communication alone, in windows of 3 events; no instants and no arrows, one location after another; cut.
for anchor in "$example" ${TRACES:-}; do
    name=$(basename "$(dirname "$anchor")")
    for format in protobuf json; do
        ok "$name, $format" agrees "$anchor" "$format all yes" "$format communication yes slice=3" \
            "$format none no max_bytes=0" "$format all yes slice=16 max_bytes=40k"
    done
done

# Clocks that agree: parts are hardly larger than max_bytes.
"$top_builddir/tcflow-synth" --ranks 4 --events 20000 "$work/synth" >/dev/null
ok "many parts" cut_in_parts "$work/synth/traces.otf2" "protobuf all yes slice=64 max_bytes=64k"
largest=$(parts run-of-1 | xargs -n 1 wc -c | sort -n | tail -n 1 | cut -d ' ' -f 1)
ok "which are hardly larger than max_bytes" test "$largest" -lt 80000

# -------------------------------------------------------------------------------------------------------- random traces

# check ANCHOR: both formats, any window, in parts
check()
{
    try "a way" agrees "$1" "protobuf all yes" "json all yes" "protobuf communication no slice=1" \
        "protobuf all yes slice=$((seed % 50 + 2)) max_bytes=9k" "json all yes slice=3 max_bytes=30k" "protobuf none no max_bytes=0"
    compared=$((compared + 1))
}

random "everything" --features "$single,openmp,locks,pthreads,attributes,metrics"
random "several ranks of a process" --ranks-per-process 2 --features "$single,openmp"
random "sparse ids" --features "$single,metrics" --sparse-locations --sparse-regions --regions-per-rank --comms-per-rank \
    --shuffle-definitions
random "threads that communicate" --features p2p,nonblocking,any-source,mpi-threads
random "losses" --features p2p,nonblocking,collectives --lose-sends 0.01 --lose-receives 0.01 --never-complete 0.05
random "wrong clocks" --features "$single" --clock-offset-ns 30000 --clock-drift-ppm 100
random "ticks of 2.4 GHz" --features "$single,metrics" --ticks-per-second 2400000000
random "ticks of 30 GHz" --features p2p,metrics --ticks-per-second 30000000000
random "ticks of microseconds" --features p2p,metrics --ticks-per-second 1000000

# Streams of accelerators in location groups of their own belong to the process that created them.
"$generate" no-messages --out "$work/streams" --processes 2 --streams 2
ok "streams in groups of their own" agrees "$work/streams/traces.otf2" "protobuf all yes" "json all yes"
is "they are tracks of two processes" "$(grep -c '"process_name"' "$work/run-of-2.trace")" 3 # and the markers

# Regions left and entered in any order, undefined ones, calling contexts.
failed=
for seed in $(seeds_of 2); do
    name="odd $seed"
    "$generate" odd --seed "$seed" --locations 4 --events 800 --deep 300 --out "$work/odd" >/dev/null 2>&1
    try "a way" agrees "$work/odd/traces.otf2" "protobuf all no" "json all no" \
        "protobuf communication no slice=5 max_bytes=9k" "json none no slice=7 max_bytes=20k"
    rm -rf "$work/odd"
done
is "unbalanced calls: $seeds random traces" "$failed" ""

# ------------------------------------------------------------------------------------------------- every kind of record

"$generate" everything --out "$work/everything" >/dev/null 2>&1
all=$work/everything/traces.otf2
for format in protobuf json; do
    rm -f "$work"/run*
    written "$all" run "$format all yes"
    ok "every kind of record, $format: a viewer can read it" \
        python3 "$here/read_trace.py" $format "$work/run.trace"
    foreseen "$all"
    python3 "$here/expected.py" $format all "$work/events" >"$work/expected"
    python3 "$here/read_trace.py" $format "$work/run.trace" | grep '^marker ' | cut -c 1-4000 >"$work/got" # long names are cut
    grep '^marker ' "$work/expected" | cut -c 1-4000 >"$work/markers"
    ok "every kind of record, $format: there are markers" test -s "$work/markers"
    same "every kind of record, $format: its markers" "$work/got" "$work/markers"
done

if command -v protoc >/dev/null 2>&1; then
    rm -f "$work"/run*
    written "$all" run "protobuf all yes"
    protoc --decode=perfetto.protos.Trace -I "$here" "$here/trace.proto" <"$work/run.trace" >"$work/text" 2>"$work/said"
    is "protoc reads it and says nothing" "$?$(cat "$work/said")" 0
    is "all its fields are known" "$(grep -cE '^ *[0-9]+[: ]' "$work/text")" 0
    is "as many events as the test's own reader finds" "$(grep -c '^  track_event {' "$work/text")" \
        "$(python3 "$here/read_trace.py" protobuf "$work/run.trace" | grep -cE '^([0-9]+ (begin|end|instant|count)|marker) ')"
else
    skip "protoc" "protobuf-compiler is not installed"
fi

# -------------------------------------------------------------------------------------------------------------- outputs

run()
{
    "$TCFLOW" -q -i "$example" -o pipeline.chain=perfetto_trace "$@"
}
mentions()
{
    like "$1" "$(cat "$work/.fails")" "$2"
}

cd "$work" || exit 1
rm -f run*.trace
run -o perfetto_trace.path=a.pftrace
is "a file, and nothing else" "$(ls a*)" a.pftrace
fails 2 "an existing file is not replaced" run -o perfetto_trace.path=a.pftrace
mentions "and it is told why" "'a.pftrace' exists already; .overwrite = yes."
echo old >a.pftrace
ok "unless that is allowed" run -o perfetto_trace.path=a.pftrace -o perfetto_trace.overwrite=yes
ok "then it is the new one" test "$(wc -c <a.pftrace)" -gt 1000
touch b-2.pftrace
fails 2 "nor is a second part" run -o perfetto_trace.path=b.pftrace
mentions "which is named" "'b-2.pftrace' exists already"
mkdir folder
fails 2 "a folder is refused" run -o perfetto_trace.path=folder -o perfetto_trace.overwrite=yes
fails 2 "a missing folder is told" run -o perfetto_trace.path=no/such.pftrace
mentions "with its name" "'no/such.pftrace' cannot be created: No such file"
fails 2 "no path" run -o perfetto_trace.path=
ok "a device is written to directly" run -o perfetto_trace.path=/dev/null -o perfetto_trace.max_bytes=20k
if [ -c /dev/full ]; then
    fails 1 "a full disk is told" run -o perfetto_trace.path=/dev/full
    mentions "with the reason" "cannot write to '/dev/full': No space"
fi
fails 2 "two that write to one file are told" run -o pipeline.chain="one two" -o one.filter=perfetto_trace \
    -o two.filter=perfetto_trace -o one.path=c.pftrace -o two.path=c.pftrace
mentions "which one" "one.path and two.path are both 'c.pftrace': each needs a file of its own"
ok "before anything is written" test ! -e c.pftrace -a ! -e c.pftrace.incomplete
cp -R "$(dirname "$example")" input
chmod -R u+w input
fails 2 "the input is not overwritten" tcflow -q -i input/traces.otf2 -o pipeline.chain=perfetto_trace \
    -o perfetto_trace.path=input/traces.otf2 -o perfetto_trace.overwrite=yes
mentions "which is told" "is the input"
is "--check writes nothing" "$(run --check -o perfetto_trace.path=d.pftrace; ls d* 2>/dev/null)" ""
is "parts have numbers before the ending" "$(run -o pipeline.slice=16 -o perfetto_trace.max_bytes=40k \
    -o perfetto_trace.path=./e.x.pftrace; ls e*2.pftrace)" e.x-2.pftrace

done_testing
