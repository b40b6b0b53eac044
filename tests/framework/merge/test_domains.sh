#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Several inputs that several domains read give what one domain gives of them, byte by byte: reports, archives, messages. Archives, each
# shared by all domains; streams, each read by one of them, from files, FIFOs and sockets, with writers that are domains themselves; of
# random programs. A stream that is cut, damaged, or whose writer is killed, ends the run with its reason, and nothing is taken for
# complete. SEEDS (default 1) random traces a kind.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/in_domains.sh"
. "$top_srcdir/tests/framework/merge/split.sh"

have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
[ -x "$generate" ] || skip_all "the generator of random traces is not built"

# archives ANCHOR PARTS WAY: $inputs are archives of parts
archives()
{
    locations "$1" >"$work/ids"
    inputs=
    for part in $(seq 0 $(($2 - 1))); do
        rm -rf "$work/archive.$part"
        tcflow -q -i "$1" -o pipeline.chain="select otf2_write" -o "select.locations=$(part "$2" "$part" "$3" <"$work/ids")" \
            -o otf2_write.path="$work/archive.$part" -o pipeline.salvage=yes >/dev/null 2>&1
        inputs="$inputs${inputs:+ }$work/archive.$part/traces.otf2"
    done
}

# streams ANCHOR PARTS [CHAIN [option...]]: $inputs are the streams of so many domains
streams()
{
    streams_anchor=$1 streams_n=$2 streams_chain=${3:-}
    shift $(($# < 3 ? $# : 3))
    rm -f "$work"/part.*
    "$TCFLOW" -q -j "$streams_n" -i "$streams_anchor" -o pipeline.chain="$streams_chain stream_write" -o pipeline.salvage=yes \
        -o "stream_write.path=$work/part.{domain}" "$@" >/dev/null 2>&1
    inputs=
    for part in "$work"/part.*; do
        inputs="$inputs${inputs:+ }stream:$part"
    done
}
correct="presync clc_forward clc_backward"
quiet="-o presync.unsynchronised=keep -o presync.output=/dev/null -o clc_forward.output=/dev/null -o clc_backward.output=/dev/null"

# equal NAME [option...]: of $inputs
equal()
{
    name=$1
    shift
    domain_equal "$name, reports" "$inputs" -o pipeline.chain="check wait_states profile comm_matrix" -o check.output="$work/in/check" \
        -o wait_states.output="$work/in/waits" -o wait_states.format=json -o profile.output="$work/in/profile" \
        -o comm_matrix.output="$work/in/matrix" -o comm_matrix.format=csv "$@"
    like "$name: all went well" "$(tail -n 1 "$work/in.1/said")" "exit status 0"
    domain_equal "$name, a corrected copy" "$inputs" -o pipeline.chain="presync clc_forward clc_backward otf2_write" \
        -o presync.unsynchronised=keep -o presync.output="$work/in/presync" -o otf2_write.path="$work/in/copy" "$@"
}

archives "$top_srcdir/examples/trace/traces.otf2" 2 turns
equal "the example in 2 archives"
domain_equal "the example in 2 archives, correct.ini" "$inputs" -c "$top_srcdir/examples/correct.ini" \
    -o presync.unsynchronised=keep -o otf2_write.path="$work/in/copy" -o pipeline.reports=clock_report \
    -o clock_report.output="$work/in/report" -o clock_report.format=json -o presync.output="$work/in/presync" \
    -o clock_estimate.output="$work/in/clocks" -o mu_estimate.output="$work/in/delays"
streams "$top_srcdir/examples/trace/traces.otf2" 4
equal "the example in 4 streams"
archives "$top_srcdir/examples/trace/traces.otf2" 3 blocks
rm -f "$work"/part.*
tcflow -q -i "$work/archive.1/traces.otf2" -o pipeline.chain=stream_write -o stream_write.path="$work/part.1" -o stream_write.matches=no
inputs="$work/archive.0/traces.otf2 stream:$work/part.1 $work/archive.2/traces.otf2"
equal "archives and a stream"
for seed in $(seeds_of 1); do
    while read -r kind options; do
        # shellcheck disable=SC2086 # words
        "$generate" random --out "$work/random" --seed "$seed" $options >/dev/null 2>&1
        archives "$work/random/traces.otf2" 3 blocks
        equal "$kind $seed, 3 archives" -o pipeline.salvage=yes
        streams "$work/random/traces.otf2" 5
        equal "$kind $seed, 5 streams"
        judged_in_domains "$kind $seed, 5 streams" "$inputs"
        # shellcheck disable=SC2086 # words
        streams "$work/random/traces.otf2" 3 "$correct" $quiet
        equal "$kind $seed, 3 streams of domains that wait for each other"
        rm -rf "$work/random"
    done <<end
$(domain_kinds)
end
    "$generate" odd --out "$work/random" --seed "$seed" --locations 9 >/dev/null 2>&1
    archives "$work/random/traces.otf2" 3 turns
    equal "odd events $seed, 3 archives" -o pipeline.salvage=yes
    rm -rf "$work/random"
done

# ------------------------------------------------------------------------------------------------------ while they are written

# live NAME DOMAINS PATH INPUTS: three writers, which wait for each other, and readers that do, at the same time
"$generate" bench --out "$work/long" --locations 12 --events 120000 --skew 100000 >/dev/null 2>&1
long=$work/long/traces.otf2
# shellcheck disable=SC2086 # words
streams "$long" 3 "$correct" $quiet
tcflow -q -i "$inputs" -o pipeline.chain="check wait_states" -o check.output="$work/checked" -o wait_states.output="$work/waited"
live()
{
    name=$1 n=$2 path=$3 inputs=$4
    rm -f "$work"/got.*
    timeout 120 "$TCFLOW" -q -j "$n" -i "$inputs" -o pipeline.chain="check wait_states" -o pipeline.memory=6MiB \
        -o check.output="$work/got.checked" -o wait_states.output="$work/got.waited" >"$work/reader" 2>&1 &
    reader=$!
    # shellcheck disable=SC2086 # words
    timeout 120 "$TCFLOW" -q -j 3 -i "$long" -o pipeline.chain="$correct stream_write" $quiet -o "stream_write.path=$path" \
        >"$work/writer" 2>&1
    writer=$?
    wait $reader
    is "$name, $n domains: the reader" "$? $(cat "$work/writer" "$work/reader")" "0 "
    is "$name, $n domains: the writer" "$writer" 0
    same "$name, $n domains: results are those of one domain" "$work/checked" "$work/got.checked"
    same "$name, $n domains: waits, too" "$work/waited" "$work/got.waited"
}
cd "$work" || exit 1
mkfifo pipe.1 pipe.2 pipe.3
for n in 2 3; do
    live "Unix sockets" $n "unix:$work/socket.{domain}" "unix:$work/socket.3 unix:$work/socket.1 unix:$work/socket.2"
    live "FIFOs" $n "$work/pipe.{domain}" "stream:$work/pipe.2 stream:$work/pipe.3 stream:$work/pipe.1"
done

# ---------------------------------------------------------------------------------------------------------------- failures

streams "$long" 3
copy="-o pipeline.chain=check,otf2_write -o check.output=/dev/null -o otf2_write.path=$work/copy"
# refused NAME PATTERN INPUTS [option...]: with this reason, and no copy is complete
refused()
{
    name=$1 pattern=$2 inputs=$3
    shift 3
    # shellcheck disable=SC2086 # words
    fails 1 "$name" timeout 60 "$TCFLOW" -q -j 3 -i "$inputs" $copy "$@"
    like "$name: the reason" "$(cat .fails)" "$pattern"
    is "$name: nothing is complete" "$(ls -d copy 2>/dev/null)" ""
    rm -rf copy*
}
head -c $(($(stat -c %s part.2) * 2 / 3)) part.2 >cut
refused "a stream that is cut" "cut is not whole: it ends in the middle of a frame" "stream:part.1 stream:cut stream:part.3"
head -c 3000 /dev/zero | tr '\0' '\377' >noise
cp part.3 altered
dd if=noise of=altered bs=1 seek=$(($(stat -c %s altered) / 2)) conv=notrunc 2>/dev/null
refused "a stream that is damaged" "altered is not whole: " "stream:part.1 stream:part.2 stream:altered"
refused "a stream twice" "have events in|events in .* and in" "stream:part.1 stream:part.2 stream:part.3 stream:$work/part.1"
domain_equal "a cut stream that is salvaged" "stream:part.1 stream:cut stream:part.3" -o pipeline.salvage=yes -o pipeline.chain="profile otf2_write" \
    -o profile.output="$work/in/profile" -o otf2_write.path="$work/in/copy"
domain_equal "a cut stream that is salvaged, and checked" "stream:part.1 stream:cut stream:part.3" -o pipeline.salvage=yes -o pipeline.chain="check" \
    -o check.output="$work/in/check"

# The writer of one is killed while the others are whole.
rm -f said
timeout 60 "$TCFLOW" -q -j 3 -i "stream:part.1 stream:pipe.2 stream:part.3" $copy >said 2>&1 &
reader=$!
{ head -c 30000 part.2; sleep 600; } >pipe.2 &
writer=$!
sleep 1
ok "who reads a stream that stands still waits" kill -0 $reader
pkill -P $writer
kill $writer
wait $reader
is "and fails when its writer is killed" "$? $(ls -d copy 2>/dev/null)" "1 "
like "with the reason" "$(cat said)" "pipe.2 is not whole: it ends "
rm -rf copy*
timeout -k 60 60 "$TCFLOW" -q -j 3 -i "stream:part.1 stream:pipe.2 stream:part.3" $copy >said 2>&1 &
reader=$!
{ head -c 30000 part.2; sleep 600; } >pipe.2 &
writer=$!
sleep 1
kill -INT $reader
wait $reader
is "an interrupt ends it" "$? $(ls -d copy 2>/dev/null)" "130 "
pkill -P $writer
kill $writer
rm -rf copy*

like "one stream stays in one domain" "$(tcflow --check -j 2 -i stream:part.1 -o pipeline.chain=profile 2>&1)" "in one domain, .*: the input is a stream"
like "where nobody asks for threads, several do" "$(tcflow --check -i "stream:part.1 stream:part.2" -o pipeline.chain=profile 2>&1)" \
    "in one domain, .*nothing asks for threads"
like "at most one for each stream" "$(tcflow --check -j 8 -i "stream:part.1 stream:part.2 stream:part.3" -o pipeline.chain=profile 2>&1)" \
    "^chain: in 3 domains, on 3 threads"

done_testing
