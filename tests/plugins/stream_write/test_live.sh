#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Streams while they flow: who closes, who is killed, who is slow, who is interrupted. No archive may look complete that is not,
# messages must say who is to blame, memory stays flat, and what has passed is handed on in time.
# KILLS (default 20) moments at which a writer and a reader are killed.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export LSAN_OPTIONS

kills=${KILLS:-20}
[ -n "${TCFLOW_LONG:-}" ] || kills=2
[ -x "$generate" ] || skip_all "the generator of traces is not built"
events=400000
[ -z "${TCFLOW_WRAPPER:-}" ] || events=40000
"$generate" bench --locations 8 --events $events --out "$work/trace" >"$work/made" 2>&1
anchor=$work/trace/traces.otf2

out_options="-q -i $anchor -o pipeline.chain=stream_write -o stream_write.path=-"
into_options="-q -i - -o pipeline.chain=check,otf2_write -o check.output=/dev/null -o otf2_write.path=$work/copy"
out() { tcflow $out_options "$@"; }
into() { tcflow $into_options "$@"; }

# ----------------------------------------------------------------------------------------------------------- who closes

{
    out 2>"$work/writer"
    echo $? >"$work/status"
} | head -c 100000 >/dev/null
is "a reader that goes away fails the writer" "$(cat "$work/status")" 1
like "which says who closed" "$(cat "$work/writer")" 'whoever read the stream from standard output has closed it, after [0-9]+ events'

out | head -c 300000 >"$work/cut"
fails 1 "a stream that was cut fails the reader" into <"$work/cut"
like "which says what is missing" "$(cat "$work/.fails")" 'is not whole: .* after [0-9]+ events; 8 of 8 locations have no end; .salvage = yes'
[ ! -e "$work/copy" ] && [ -d "$work/copy.incomplete" ]
tap $? "its archive does not look complete"
rm -rf "$work/copy.incomplete"
fails 1 "with salvage what came is kept, and a loss is one" into -o pipeline.salvage=yes <"$work/cut"
ok "and the archive can be read" tcflow -q -i "$work/copy/traces.otf2" -o pipeline.chain=check -o check.output=/dev/null
rm -rf "$work/copy"

fails 1 "no stream at all" into </dev/null
like "says that its writer ended" "$(cat "$work/.fails")" 'is empty: its writer ended before it wrote anything'
fails 1 "something else" into <"$anchor"
like "is no stream" "$(cat "$work/.fails")" 'is not a stream of tcflow'
rm -rf "$work/copy.incomplete"

tcflow -q -i "$anchor" -o pipeline.chain="pass stream_write bad" -o bad.filter=otf2_write -o bad.path="$work/no/where/at/all" \
    -o stream_write.path=- 2>"$work/writer" | into >"$work/reader" 2>&1
like "a writer whose run fails says so in the stream" "$(cat "$work/reader")" 'its writer has aborted|ended before it wrote anything'

fails 2 "two streams to standard output" out -o pipeline.chain="stream_write two" -o two.filter=stream_write -o two.path=-
like "are one too many" "$(cat "$work/.fails")" 'has another stream already'

# What the first process has lost, the last one knows.
cp -R "$work/trace" "$work/damaged"
for file in "$work"/damaged/traces/*.evt; do
    head -c "$(($(wc -c <"$file") / 2))" "$file" >"$work/half"
    cp "$work/half" "$file"
    break
done
tcflow -q -i "$work/damaged/traces.otf2" -o pipeline.salvage=yes -o pipeline.chain=stream_write -o stream_write.path=- \
    2>"$work/writer" | {
    into --summary=json >"$work/reader" 2>&1
    echo $? >"$work/status"
}
is "a salvaged input is salvaged behind a pipe, too" "$(cat "$work/status")" 1
like "which names the file" "$(cat "$work/reader")" '"salvaged".*\.evt'
rm -rf "$work/copy" "$work/damaged"

fails 2 "a survey over a stream is refused" tcflow -q -i - -o pipeline.survey=mu_estimate -o pipeline.chain=pass
like "and why" "$(cat "$work/.fails")" 'this input is a stream, which can be read only once'
mkdir "$work/growing"
: >"$work/growing/traces.def"
fails 1 "an archive that is still being written" tcflow -q -i "$work/growing/traces.otf2" -o pipeline.chain=pass
like "cannot be followed" "$(cat "$work/.fails")" 'gets its anchor file at the end of its run'
fails 2 "a stream has no other names" tcflow -q -i - -o pipeline.chain=clock_report -o pipeline.flush="3 ticks"

# -------------------------------------------------------------------------------------------------------- who is killed

# The shares of a second after which the k-th kill comes; the whole run takes a few tenths.
moment() { awk -v k="$1" -v n="$kills" 'BEGIN { printf "%.3f", 0.01 + 0.4 * k / n }'; }

# passed INPUT: number of events in it
passed()
{
    tcflow -q -i "$1" -o pipeline.chain=pass -o pipeline.salvage=yes --summary=json 2>&1 |
        sed -n 's/.*"events": \([0-9]*\),.*/\1/p' | head -n 1
}

# kill_one READER|WRITER: says what is wrong
kill_one()
{
    k=0
    while [ $k -lt "$kills" ]; do
        rm -rf "$work/copy" "$work/copy.incomplete" "$work/fifo" "$work/w" "$work/r"
        mkfifo "$work/fifo"
        "$TCFLOW" $out_options >"$work/fifo" 2>"$work/w" &
        writer=$!
        "$TCFLOW" $into_options <"$work/fifo" 2>"$work/r" &
        reader=$!
        sleep "$(moment $k)"
        if [ "$1" = reader ]; then kill -9 $reader 2>/dev/null; else kill -9 $writer 2>/dev/null; fi
        wait $writer 2>/dev/null
        w=$?
        wait $reader 2>/dev/null
        r=$?
        k=$((k + 1))
        if [ $w = 0 ] && [ $r = 0 ]; then
            finished=$((finished + 1)) # too late
            continue
        fi
        # Both may be killed with all of their work done, and a writer have handed over everything to the pipe.
        if [ -e "$work/copy" ]; then
            [ "$(passed "$work/copy/traces.otf2")" = "$(passed "$anchor")" ] || echo "kill $k: an archive that looks complete"
            continue
        fi
        [ "$1" = reader ] || [ $r = 1 ] || echo "kill $k: the reader says $r: $(head -n 2 "$work/r")"
        [ "$1" = writer ] || [ $w = 0 ] || grep -q 'has closed it' "$work/w" || echo "kill $k: the writer says: $(cat "$work/w")"
    done
}
if [ -z "${TCFLOW_WRAPPER:-}" ]; then
    finished=0
    is "a reader that is killed, $kills times" "$(kill_one reader)" ""
    is "a writer that is killed, $kills times" "$(kill_one writer)" ""
else
    skip "killed" "the processes are those of valgrind"
fi
rm -rf "$work/copy" "$work/copy.incomplete" "$work/fifo"

# A writer that dies in front of each frame, and in the middle of each.
mkdir "$work/dying"
"$generate" random --out "$work/small" --events 200 --ranks 3 >/dev/null
tcflow -q -i "$work/small/traces.otf2" -o pipeline.chain=stream_write -o stream_write.path="$work/frames" -o pipeline.slice=16
if have python3 && [ -z "${TCFLOW_WRAPPER:-}" ]; then
    is "a writer that dies at any frame" "$(python3 "$top_srcdir/tests/plugins/stream_write/dying.py" "$work/frames" "$TCFLOW" "$work/dying")" \
        "136 readers of 33 frames"
else
    skip "a writer that dies at any frame" "there is no python3, or the processes are those of valgrind"
fi
rm -rf "$work/dying" "$work/small" "$work/frames"

# --------------------------------------------------------------------------------------------------- who is interrupted

# A writer that waits for more: the reader is interrupted in the middle.
mkfifo "$work/fifo"
"$TCFLOW" $into_options <"$work/fifo" 2>"$work/r" &
reader=$!
exec 9>"$work/fifo"
cat "$work/cut" >&9
sleep 0.5
kill -INT $reader 2>/dev/null || true
sleep 0.2
kill -TERM $reader 2>/dev/null # where a background job ignores SIGINT
wait $reader
is "a reader that waits can be interrupted" "$?" 143
exec 9>&-
like "and says so" "$(cat "$work/r")" 'ended by SIGTERM; outputs are incomplete'
[ ! -e "$work/copy" ] && [ -e "$work/copy.incomplete" ]
tap $? "its archive does not look complete"
rm -rf "$work/copy.incomplete"

# ---------------------------------------------------------------------------------------------------------- who is slow

# What had passed when the input stopped comes out in time, matched and all.
"$TCFLOW" -q -i - -o pipeline.chain="check stream_write" -o check.output=/dev/null -o stream_write.path="$work/live" \
    <"$work/fifo" 2>"$work/r" &
reader=$!
exec 9>"$work/fifo"
cat "$work/cut" >&9
sleep 0.6
[ -z "${TCFLOW_WRAPPER:-}" ] || sleep 5
cp "$work/live.incomplete" "$work/by_now"
exec 9>&-
wait $reader
came=$(passed stream:"$work/cut")
went=$(passed stream:"$work/by_now")
[ "${went:-0}" -gt $((came * 9 / 10)) ]
tap $? "what has passed is handed on while the input waits" || diag "$went of $came events"

# An event whose writer waits for it to be printed, two processes on, before it goes on: nothing pushes it.
if have python3; then
    tcflow -q -i "$anchor" -o pipeline.chain=stream_write -o stream_write.path="$work/definitions"
    like "a single event comes through while its writer is silent" \
        "$(timeout 200 python3 "$top_srcdir/tests/bench/latency.py" "$TCFLOW" "$work/definitions" 5 200 2>&1)" '^[0-9]+ [0-9]+ [0-9]+$'
else
    skip "a single event" "there is no python3"
fi

# A slow reader slows the writer, which holds no more for it.
peak() { sed -n 's/.*"peak_bytes": \([0-9]*\).*/\1/p' "$1" | head -n 1; }
tcflow -q -i "$anchor" -o pipeline.chain=stream_write -o stream_write.path="$work/all" --summary=json >"$work/fast" 2>&1
{ tcflow -q -i "$anchor" -o pipeline.chain=stream_write -o stream_write.path=- --summary=json 2>"$work/slow"; } |
    { sleep 1; cat >"$work/slowly"; }
for stream in all slowly; do # where parts are handed on depends on the time that passes
    tcflow -q -i stream:"$work/$stream" -o pipeline.chain=print -o print.output="$work/$stream.txt"
done
same "a slow reader gets the same" "$work/all.txt" "$work/slowly.txt"
[ "$(peak "$work/slow")" -lt $(($(peak "$work/fast") + 8000000)) ]
tap $? "and the writer takes no more memory for it" || diag "$(peak "$work/slow") bytes, else $(peak "$work/fast")"

# Whatever the length: the same windows once and forty times, through two processes.
repeat=$top_builddir/tests/support/generate/repeat-stream
if [ -x "$repeat" ] && [ -z "${TCFLOW_WRAPPER:-}" ]; then
    tcflow -q -i "$anchor" -o pipeline.chain=stream_write -o stream_write.path="$work/once" -o stream_write.matches=no
    for times in 1 40; do
        "$repeat" $times <"$work/once" |
            { tcflow -q -i - -o pipeline.chain="pass stream_write" -o stream_write.path=- --summary=json 2>"$work/first.$times"; } |
            tcflow -q -i - -o pipeline.chain=profile -o profile.output="$work/profile.$times" --summary=json 2>"$work/second.$times"
    done
    # `trace bench` rounds the number of events up.
    is "all events of a long stream arrive" "$(sed -n 's/.*"events": \([0-9]*\),.*/\1/p' "$work/second.40" | head -n 1)" \
        $((40 * $(sed -n 's/.*"events": \([0-9]*\),.*/\1/p' "$work/second.1" | head -n 1)))
    for process in first second; do
        [ "$(peak "$work/$process.40")" -lt $(($(peak "$work/$process.1") + 8000000)) ]
        tap $? "memory does not depend on the length: $process process" ||
            diag "$(peak "$work/$process.40") bytes, else $(peak "$work/$process.1")"
    done
else
    skip "a long stream" "what makes one is not built, or this is valgrind"
fi

done_testing
