#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Each domain writes a stream of its own, and these, read as one input, are what one domain has: definitions, ticks, matches, reports;
# with letters between the domains, too, over files, FIFOs and sockets. Who fails, is interrupted or
# has no reader any more leaves nothing that is taken for complete. SEEDS (default 1) random traces a kind.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/in_domains.sh"
. "$top_srcdir/tests/plugins/stream_write/pipes.sh"
. "$top_srcdir/tests/framework/merge/split.sh"

have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
[ -x "$generate" ] || skip_all "the generator of random traces is not built"
bundled=$top_srcdir/examples/trace/traces.otf2
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export LSAN_OPTIONS

# streams ANCHOR DOMAINS CHAIN [OPTION...]: the chain's streams, $work/part.1, ..., which $inputs names
streams()
{
    streams_anchor=$1 streams_n=$2 streams_chain=$3 inputs=
    shift 3
    rm -f "$work"/part.*
    "$TCFLOW" -q -j "$streams_n" -i "$streams_anchor" -o pipeline.chain="$streams_chain" \
        -o "stream_write.path=$work/part.{domain}" "$@" || return 1
    for k in $(seq 64); do
        [ ! -e "$work/part.$k" ] || inputs="$inputs${inputs:+ }stream:$work/part.$k"
    done
}

# alike ANCHOR DOMAINS FRONT BEHIND [OPTION...]: nothing is said when the front, in domains, and the rest behind their streams give what the
# rest gives behind the stream of one domain, or without a front of the archive
alike()
{
    alike_anchor=$1 alike_n=$2 front=$3 behind=$4
    shift 4
    chain_reset
    all_options=$* options=presync.unsynchronised=keep quiet=
    for f in $front; do
        quiet="$quiet -o $f.output=/dev/null"
    done
    parts=$behind
    for n in 1 $alike_n; do
        if [ $n = 1 ] && [ -z "$front" ]; then
            in_one "$alike_anchor" "$work/with.1" >"$work/said" 2>&1 || { echo "in one: $(head -n 3 "$work/said")"; return 1; }
            continue
        fi
        streams "$alike_anchor" $n "$front stream_write" $quiet $(options_of $front) $all_options >"$work/said" 2>&1 ||
            { echo "$n streams: $(head -n 3 "$work/said")"; return 1; }
        merged "$work/with.$n" >"$work/said" 2>&1 || { echo "behind $n streams: $(head -n 3 "$work/said")"; return 1; }
    done
    differ "$work/with.1" "$work/with.$alike_n"
    status=$?
    rm -rf "$work"/with.*
    return $status
}

# all_of NAME ANCHOR [OPTIONS]
all_of()
{
    for n in 2 3 8; do
        is "$1: a copy by the streams of $n domains" "$(alike "$2" $n "" otf2_write $3)" ""
        is "$1: reports" "$(alike "$2" $n "" "wait_states critical_path comm_matrix profile load_imbalance print" $3)" ""
    done
    is "$1: behind corrected clocks" "$(alike "$2" 3 "presync clc_forward clc_backward" \
        "wait_states profile print otf2_write" $3)" ""
}

all_of "the example" "$bundled"
"$generate" everything --out "$work/everything" >"$work/said" 2>&1
is "all kinds of records, markers, snapshots, thumbnails" \
    "$(alike "$(ls "$work"/everything/*.otf2)" 3 "" otf2_write -o pipeline.salvage=yes)" ""
for seed in $(seeds_of 1); do
    while read -r kind options; do
        "$generate" random --out "$work/random" --seed "$seed" $options >/dev/null 2>&1
        all_of "$kind $seed" "$work/random/traces.otf2" "-o pipeline.salvage=yes"
        rm -rf "$work/random"
    done <<end
$(domain_kinds)
end
done

# ------------------------------------------------------------------------------------------------------ while they are read

# live NAME PATH INPUTS WRITER READER [OPTION...]: three writers and one reader at the same time; what the reader prints is that of the archive
"$generate" bench --out "$work/long" --locations 12 --events 120000 --skew 100000 >/dev/null 2>&1
long=$work/long/traces.otf2
rm -f "$work/printed"
tcflow -q -i "$long" -o pipeline.chain="presync clc_forward stream_write" -o stream_write.path="$work/single" -o presync.output=/dev/null \
    -o clc_forward.output=/dev/null -o presync.unsynchronised=keep -o stream_write.matches=no
tcflow -q -i "stream:$work/single" -o pipeline.chain="check print" -o print.output="$work/printed" -o check.output="$work/checked"
live()
{
    name=$1 path=$2 inputs=$3
    rm -f "$work/got" "$work/got.check"
    timeout 120 "$TCFLOW" -q -i "$inputs" -o pipeline.chain="check print" -o print.output="$work/got" -o check.output="$work/got.check" \
        -o pipeline.memory=4MiB >"$work/reader" 2>&1 &
    reader=$!
    timeout 120 "$TCFLOW" -q -j 3 -i "$long" -o pipeline.chain="presync clc_forward stream_write" -o "stream_write.path=$path" \
        -o presync.output=/dev/null -o clc_forward.output=/dev/null -o presync.unsynchronised=keep >"$work/writer" 2>&1
    writer=$?
    wait $reader
    is "$name: writer and reader end well" "$writer $? $(cat "$work/writer" "$work/reader")" "0 0 "
    same "$name: the reader's events are those of one domain" "$work/printed" "$work/got"
    same "$name: and so are its results" "$work/checked" "$work/got.check"
}
cd "$work" || exit 1
live "Unix sockets" "unix:$work/socket.{domain}" "unix:$work/socket.1 unix:$work/socket.2 unix:$work/socket.3"
live "Unix sockets in another order" "unix:$work/socket.{domain}" "unix:$work/socket.3 unix:$work/socket.1 unix:$work/socket.2"
mkfifo pipe.1 pipe.2 pipe.3
live "FIFOs" "$work/pipe.{domain}" "stream:$work/pipe.2 stream:$work/pipe.3 stream:$work/pipe.1"
port=$((2000 + $$ % 4000)) # with a digit behind it
TCFLOW_TOKEN=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
export TCFLOW_TOKEN
live "sealed TCP" "tcp:$port{domain}" "tcp:${port}3 tcp:${port}2 tcp:${port}1"
unset TCFLOW_TOKEN

comes_in_time "events in front of a rest come in time" "$TCFLOW" -q -j 2

# ---------------------------------------------------------------------------------------------------------------- failures

# left PATTERN: what is there under such names
left()
{
    ls -d "$work"/$1 2>/dev/null | sed 's,.*/,,' | tr '\n' ' '
}
write="-q -j 3 -i $long -o pipeline.chain=stream_write -o stream_write.path=$work/f.{domain}"
like "--check names the streams" "$(tcflow --check -j 3 -i "$long" -o pipeline.chain=stream_write -o "stream_write.path=f.{domain}" 2>&1)" \
    '^stream_write.path, one of each domain: f\.1 f\.2 f\.3$'
like "in one domain there is one" "$(tcflow --check -j 1 -i "$long" -o pipeline.chain=stream_write -o "stream_write.path=f.{domain}" 2>&1)" \
    '^stream_write.path, one of each domain: f\.1$'
like "without a place for its number the chain stays in one" "$(tcflow --check -j 3 -i "$long" -o pipeline.chain=stream_write \
    -o stream_write.path=f 2>&1)" "in one domain, on one thread: 'stream_write' wants all processes to advance together"
echo mine >f.2
for how in "" --check; do
    fails 2 "a file that exists$how" "$TCFLOW" $how $write
    like "is refused by its name" "$(cat .fails)" "f.2' exists already"
done
is "and nothing else is there" "$(cat f.2) $(left 'f.*')" "mine f.2 "
rm f.2
fails 2 "a folder a domain" "$TCFLOW" -q -j 3 -i "$long" -o pipeline.chain=stream_write -o "stream_write.path=no.{domain}/f"
like "is refused" "$(cat .fails)" "the folder is that of all domains"
fails 2 "two writers of the same streams" "$TCFLOW" -q -j 3 -i "$long" -o pipeline.chain="a b" -o a.filter=stream_write \
    -o b.filter=stream_write -o "a.path=f.{domain}" -o "b.path=$work/f.{domain}"
like "are refused" "$(cat .fails)" "a.path and b.path are both"
ok "streams of domains" "$TCFLOW" $write
fails 2 "an output that is read" "$TCFLOW" -q -i "stream:f.1 stream:f.2 stream:f.3" -j 3 -o pipeline.chain=stream_write \
    -o "stream_write.path=$work/f.{domain}" -o stream_write.overwrite=yes
like "is refused" "$(cat .fails)" "is the input or a part of it"
rm -f f.*

# An event file that is damaged behind its middle: no stream is complete.
cp -r "$work/long" "$work/cut"
evt=$(ls "$work"/cut/traces/*.evt | tail -n 1)
head -c 2000 /dev/zero | tr '\0' '\377' | dd of="$evt" bs=1 seek=$(($(stat -c %s "$evt") / 2)) conv=notrunc 2>/dev/null
fails 1 "a domain that fails" "$TCFLOW" -q -j 3 -i "$work/cut/traces.otf2" -o pipeline.chain=stream_write -o "stream_write.path=$work/f.{domain}"
like "gives the reason" "$(cat .fails)" "damaged"
is "and no stream has its name" "$(left 'f.*' | tr ' ' '\n' | grep -v '\.incomplete$')" ""
fails 1 "what it leaves" "$TCFLOW" -q -i "stream:f.1.incomplete stream:f.2.incomplete stream:f.3.incomplete" -o pipeline.chain=pass
like "is not taken for whole" "$(cat .fails)" "its writer has aborted"
rm -f f.*

# A reader that goes away ends the run; so does the user while nobody reads.
# Streams are longer than what a pipe holds.
"$generate" bench --out "$work/longer" --locations 12 --events 2000000 >/dev/null 2>&1
mkfifo f.1 f.2 f.3
cat f.1 >/dev/null &
cat f.3 >/dev/null &
head -c 2000 f.2 >/dev/null &
fails 1 "a reader that has gone" timeout 60 "$TCFLOW" -q -j 3 -i "$work/longer/traces.otf2" -o pipeline.chain=stream_write \
    -o "stream_write.path=$work/f.{domain}"
like "is named" "$(cat .fails)" "whoever read the stream from .*f.2 has closed it"
wait
sleep 600 <f.1 &
kept="$!"
sleep 600 <f.2 &
kept="$kept $!"
sleep 600 <f.3 &
kept="$kept $!"
timeout -k 60 60 "$TCFLOW" -q -j 3 -i "$work/longer/traces.otf2" -o pipeline.chain="check stream_write" -o "stream_write.path=$work/f.{domain}" \
    -o check.output=interrupted >said 2>&1 &
waits=$!
sleep 1
kill -INT $waits
wait $waits
is "an interrupt while nobody reads" "$? $(left interrupted)" "130 "
kill $kept
rm -f f.*

done_testing
