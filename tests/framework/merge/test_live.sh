#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Several inputs while they flow: one that is slow, one that is cut, one that never starts; many of them; and how much memory
# they take, at two lengths.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/plugins/stream_write/pipes.sh"
. "$top_srcdir/tests/framework/merge/split.sh"
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export LSAN_OPTIONS

[ -x "$generate" ] || skip_all "the generator of traces is not built"
have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
events=100000
[ -z "${TCFLOW_WRAPPER:-}" ] || events=20000
"$generate" bench --locations 8 --events $events --out "$work/trace" >"$work/made" 2>&1
anchor=$work/trace/traces.otf2
chain_reset
parts="wait_states profile print"
in_one "$anchor" "$work/one"
split "$anchor" 2 blocks -o stream_write.matches=no -o pipeline.slice=256

fifo_a=$work/fifo.a fifo_b=$work/fifo.b
mkfifo "$fifo_a" "$fifo_b"
inputs="stream:$fifo_a stream:$fifo_b"

# begin FOLDER [INPUTS]: the merge in the background
begin()
{
    rm -rf "$1"
    mkdir "$1"
    "$TCFLOW" -q -i "${2:-$inputs}" -o pipeline.chain="$parts" $(settings "$1" $parts) >"$work/said" 2>&1 &
    merge=$!
}

# slowly FILE: its beginning, a pause, the rest
slowly()
{
    head -c "$1" "$2"
    sleep 0.4
    tail -c +$(($1 + 1)) "$2"
}

# ---------------------------------------------------------------------------------------------------------- who is slow

begin "$work/merged"
cat "$work/part.0" >"$fifo_a" &
slowly 20000 "$work/part.1" >"$fifo_b"
wait $merge
is "a slow input" "$(cat "$work/said"; differ "$work/one" "$work/merged")" ""

# The first one has not even started, and the other is taken in: all of it fits into pipe and queue.
begin "$work/merged"
[ "$(wc -c <"$work/part.1")" -gt 70000 ] || [ -n "${TCFLOW_WRAPPER:-}" ]
tap $? "a part is larger than a pipe"
ok "an input is taken in while another has not started" timeout 20 sh -c 'cat "$1" >"$2"' - "$work/part.1" "$fifo_b"
cat "$work/part.0" >"$fifo_a"
wait $merge
is "and nothing of it is lost" "$(cat "$work/said"; differ "$work/one" "$work/merged")" ""

# The first brings its definitions and nothing else.
begin "$work/merged"
{ slowly 12000 "$work/part.0" >"$fifo_a"; } &
ok "an input is taken in while another has stopped" timeout 20 sh -c 'cat "$1" >"$2"' - "$work/part.1" "$fifo_b"
wait $merge
is "and they are put together" "$(cat "$work/said"; differ "$work/one" "$work/merged")" ""

# Sockets, whose writers have to find somebody who listens, in any order.
port=$((20000 + $$ % 20000))
begin "$work/merged" "unix:$work/socket tcp:$port"
"$TCFLOW" -q -i "stream:$work/part.1" -o pipeline.chain=stream_write -o stream_write.path="tcp:$port" >"$work/second" 2>&1 &
second=$!
sleep 0.2
"$TCFLOW" -q -i "stream:$work/part.0" -o pipeline.chain=stream_write -o stream_write.path="unix:$work/socket" \
    >"$work/first" 2>&1
wait $second
wait $merge
is "sockets, the second writer first" "$(cat "$work/said" "$work/first" "$work/second"; differ "$work/one" "$work/merged")" ""
[ ! -e "$work/socket" ]
tap $? "the socket is removed"

# A machine that is gone without a word is found out: both ends of a TCP connection ask now and then whether the other one is there.
# kept: how many of them do, while nothing flows
kept()
{
    awk -v port="$(printf ':%04X' "$port")" '$4 == "01" && index($2 $3, port) && $6 ~ /^02:/ { n++ } END { print n + 0 }' /proc/net/tcp
}
if [ -r /proc/net/tcp ]; then
    port=$((port + 1))
    "$TCFLOW" -q -i "tcp:$port" -o pipeline.chain=pass >"$work/said" 2>&1 &
    reader=$!
    "$TCFLOW" -q -i "stream:$fifo_a" -o pipeline.chain=stream_write -o stream_write.path="tcp:$port" >"$work/first" 2>&1 &
    merge=$!
    exec 8>"$fifo_a"
    head -c 60000 "$work/part.0" >&8
    tries=0
    while [ "$(kept)" != 2 ] && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    is "both ends of a connection are kept alive" "$(kept)" 2
    tail -c +60001 "$work/part.0" >&8
    exec 8>&-
    wait $merge $reader
    is "and all of it comes" "$(cat "$work/said" "$work/first")" ""
else
    skip "connections that are kept alive" "there is no /proc/net/tcp"
fi

# What has passed is handed on while one of them waits.
mkdir "$work/live"
"$TCFLOW" -q -i "$inputs" -o pipeline.chain=stream_write -o stream_write.path="$work/live/all" >"$work/said" 2>&1 &
merge=$!
exec 8>"$fifo_a" 9>"$fifo_b"
cat "$work/part.0" >&8
head -c 60000 "$work/part.1" >&9
passed()
{
    tcflow -q -i "$1" -o pipeline.chain=pass -o pipeline.salvage=yes --summary=json 2>&1 |
        sed -n 's/.*"events": \([0-9]*\),.*/\1/p' | head -n 1
}
tries=0
by_now=0
while [ "${by_now:-0}" -le 1000 ] && [ $tries -lt 100 ]; do
    sleep 0.3
    cp "$work/live/all.incomplete" "$work/by_now"
    by_now=$(passed "stream:$work/by_now")
    tries=$((tries + 1))
done
exec 8>&- 9>&-
wait $merge
[ "${by_now:-0}" -gt 1000 ]
tap $? "what has passed is handed on while an input waits" || diag "$by_now events"

# Where nobody asks for an order, an input that says no more than how far it has got does not hold up another one, however much
# that brings.
count="-q -o pipeline.chain=pass -o pipeline.memory=1MiB --summary=json"
events_of() { sed -n 's/.*"events": \([0-9]*\),.*/\1/p' "$1" | head -n 1; }
repeat=$top_builddir/tests/support/generate/repeat-stream
if [ -x "$repeat" ] && have python3; then
    rm -f "$work/go"
    "$TCFLOW" -i "$inputs" $count >"$work/counted" 2>&1 &
    merge=$!
    timeout 60 python3 "$top_srcdir/tests/framework/merge/hold.py" "$work/go" ready <"$work/part.0" >"$fifo_a" &
    "$repeat" 20 <"$work/part.1" >"$work/long"
    ok "an input without events holds up no other" timeout 20 sh -c 'cat "$1" >"$2"' - "$work/long" "$fifo_b"
    : >"$work/go"
    wait $merge
    tcflow -i "stream:$work/part.0" $count >"$work/count.0" 2>&1
    tcflow -i "stream:$work/part.1" $count >"$work/count.1" 2>&1
    is "and all of both comes" "$(events_of "$work/counted")" \
        $(($(events_of "$work/count.0") + 20 * $(events_of "$work/count.1")))
else
    skip "an input without events" "there is no python3, or what makes long streams is not built"
fi

# ----------------------------------------------------------------------------------------------------------- who is cut

head -c 60000 "$work/part.1" >"$work/cut"
copy="-o pipeline.chain=otf2_write -o otf2_write.path=$work/copy"
for both in "stream:$work/part.0 stream:$work/cut" "stream:$work/cut stream:$work/part.0"; do
    fails 1 "an input that was cut" tcflow -q -i "$both" $copy
    like "is named" "$(cat "$work/.fails")" 'stream:.*/cut is not whole: .* after [0-9]+ events; [0-9]+ of 8 locations have no end'
    [ ! -e "$work/copy" ] && [ -d "$work/copy.incomplete" ]
    tap $? "the archive does not look complete"
    rm -rf "$work/copy.incomplete"
    fails 1 "with salvage the rest is kept" tcflow -q -i "$both" $copy -o pipeline.salvage=yes --summary=json
    # The first half of the locations is whole.
    is "and only locations of the one that was cut are lost" "$(grep -o '"location": [0-9]*' "$work/.fails" | sort -u | wc -l)" 4
    is "all of the other is there" "$(tcflow -q -i "$work/copy/traces.otf2" -o pipeline.chain='select print' \
        -o select.locations="$(part 2 0 blocks <"$work/ids")" -o print.output=- | grep -cE '^[A-Z_]+ +[0-9]+ +[0-9]+')" \
        "$(tcflow -q -i "$anchor" -o pipeline.chain='select print' \
            -o select.locations="$(part 2 0 blocks <"$work/ids")" -o print.output=- | grep -cE '^[A-Z_]+ +[0-9]+ +[0-9]+')"
    rm -rf "$work/copy"
done
: >"$work/nothing"
fails 1 "an empty input" tcflow -q -i "stream:$work/part.0 stream:$work/nothing" -o pipeline.chain=pass
like "is named" "$(cat "$work/.fails")" 'stream:.*/nothing is empty: its writer ended before it wrote anything'

# ----------------------------------------------------------------------------------------------------- who never starts

# stopped NAME. Where a background job ignores SIGINT, SIGTERM comes behind it.
stopped()
{
    sleep 0.5
    [ -z "${TCFLOW_WRAPPER:-}" ] || sleep 3
    kill -INT $merge 2>/dev/null
    sleep 0.2
    kill -TERM $merge 2>/dev/null
    wait $merge
    status=$?
    [ $status = 130 ] || [ $status = 143 ]
    tap $? "$1" || diag "status $status"
}
rm -rf "$work/copy.incomplete"
for waiting in "$inputs" "stream:$work/part.0 stream:$fifo_a" "unix:$work/never stream:$work/part.0"; do
    "$TCFLOW" -q -i "$waiting" $copy >"$work/said" 2>&1 &
    merge=$!
    stopped "a merge that waits can be interrupted (${waiting%%:*})"
done
if have python3; then
    rm -f "$work/go"
    timeout 60 python3 "$top_srcdir/tests/framework/merge/hold.py" "$work/go" window <"$work/part.1" >"$fifo_a" 2>"$work/held" &
    "$TCFLOW" -q -i "stream:$fifo_b stream:$fifo_a" -o pipeline.chain=pass >"$work/said" 2>&1 &
    merge=$!
    slowly $(($(wc -c <"$work/part.0") - 20)) "$work/part.0" >"$fifo_b" # the end of its locations is not that of the stream
    sleep 3
    ticks=$(sed 's/.*) //' "/proc/$merge/stat" | cut -d ' ' -f 12,13 | tr ' ' '+')
    [ "$(($ticks))" -lt 50 ] || [ -n "${TCFLOW_WRAPPER:-}" ]
    tap $? "an input that is over takes no time while another one has stopped" || diag "$ticks ticks"
    stopped "and the merge can be interrupted"
    : >"$work/go"
else
    skip "an input that is over" "there is no python3"
fi
[ ! -e "$work/never" ] && [ ! -e "$work/copy" ]
tap $? "nothing is left behind"

# --------------------------------------------------------------------------------------------------------- many of them

"$generate" bench --locations 64 --events $events --out "$work/many" >"$work/made" 2>&1
chain_reset
parts="wait_states profile print"
in_one "$work/many/traces.otf2" "$work/one"
parts_wanted=64
[ -n "${TCFLOW_LONG:-}" ] || parts_wanted=16
split "$work/many/traces.otf2" $parts_wanted turns -o stream_write.matches=no
merged "$work/merged" >"$work/said" 2>&1
is "$parts_wanted inputs" "$(cat "$work/said"; differ "$work/one" "$work/merged")" ""

# --------------------------------------------------------------------------------------------------------------- memory

peak() { sed -n 's/.*"peak_bytes": \([0-9]*\).*/\1/p' "$1" | head -n 1; }
if [ -x "$repeat" ] && [ -z "${TCFLOW_WRAPPER:-}" ]; then
    split "$anchor" 2 blocks -o stream_write.matches=no
    for times in 20 200; do
        "$repeat" $times <"$work/part.0" >"$fifo_a" &
        "$repeat" $times <"$work/part.1" >"$fifo_b" &
        tcflow -q -i "stream:$fifo_a stream:$fifo_b" -o pipeline.chain="wait_states profile" -o wait_states.output=/dev/null \
            -o profile.output=/dev/null --summary=json >"$work/length.$times" 2>&1
        wait
    done
    is "all events of long inputs arrive" "$(events_of "$work/length.200")" $((10 * $(events_of "$work/length.20")))
    [ "$(peak "$work/length.200")" -lt $(($(peak "$work/length.20") + 8000000)) ]
    tap $? "memory does not depend on the length" || diag "$(peak "$work/length.200") bytes, else $(peak "$work/length.20")"
else
    skip "long inputs" "what makes one is not built, or this is valgrind"
fi

done_testing
