#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The reader of Chrome's JSON finds what another parser finds that reads the whole file, in whatever order events come, with
# little memory, too. What perfetto_trace writes comes back. What is malformed is refused, with its place. TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"
. "$top_srcdir/tests/support/readers.sh"

always="--equal-timestamps 0.1" enough=1

python3 -c 'import json' 2>/dev/null || skip_all "python3 is not installed"
"$TCFLOW" --list-sources | grep -q '^  chrome ' || skip_all "built without yajl"

# --------------------------------------------------------------------------------------------------- traces, and back

for anchor in "$example" ${TRACES:-}; do
    ok "$(basename "$(dirname "$anchor")") comes back" comes_back json "$anchor"
done

random_ways_back json
random "ticks of microseconds" --features p2p,metrics --ticks-per-second 1000000

# ------------------------------------------------------------------------------------------------------- random files

failed=
for seed in $(seeds_of 8); do
    name="random $seed" file=$work/random.json
    [ $((seed % 2)) -eq 0 ] || file=$file.gz
    python3 "$top_srcdir/tests/plugins/chrome/random_chrome.py" "$seed" 2000 "$file"
    try "the other parser" agrees chrome "$file"
    try "the other parser, threads" agrees chrome "$file" -o pipeline.threads=2 -o pipeline.slice=7
done
is "random files of all kinds of events, in any order" "$failed" ""

# More than the memory holds: sorted runs in temporary files, which are gone behind it.
python3 "$top_srcdir/tests/plugins/chrome/random_chrome.py" 5 "$(usually 60000 400000)" "$work/large.json"
mkdir "$work/tmp"
ok "a file larger than the memory" env TMPDIR="$work/tmp" sh -c '"$0" "$@" >/dev/null' \
    "$TCFLOW" -q -i "$work/large.json" -o pipeline.chain=profile -o pipeline.memory=1MiB
ok "agrees with the other parser" agrees chrome "$work/large.json" -o pipeline.memory=1MiB
is "nothing stays in TMPDIR" "$(ls "$work/tmp")" ""
fails 1 "a folder for temporary files that isn't there" env TMPDIR="$work/nowhere" \
    "$TCFLOW" -i "$work/large.json" -o pipeline.chain=pass
like "says so" "$(cat "$work/.fails")" "no temporary file can be made in $work/nowhere: No such file or directory \(TMPDIR names another folder\)"
sh -c 'ulimit -f 200; exec "$0" "$@"' "$TCFLOW" -i "$work/large.json" -o pipeline.chain=pass >"$work/said" 2>&1
is "no room for temporary files" "$?" 1
like "says how far it came" "$(cat "$work/said")" "a temporary file in .* cannot grow beyond [0-9]+ bytes: File too large"

# ----------------------------------------------------------------------------------------------------- what it becomes

# given NAME JSON: prints the events that it becomes
given()
{
    printf '%s' "$2" >"$work/given.json"
    shift
    "$TCFLOW" -i "$work/given.json" -o pipeline.chain=print -o print.format=json -o print.order=location -o print.definitions=yes \
        >"$work/given" 2>"$work/said"
}

# events: kind, location and time of each event
events()
{
    sed -nE 's/.*"event":"([A-Z_]*)","location":([0-9]*),"time":([0-9]*),.*/\1 \2 \3/p' "$work/given" | paste -s -d ,
}

given "calls that overlap" '[{"ph":"X","ts":1,"dur":10,"name":"a"},{"ph":"X","ts":2,"dur":3,"name":"b"},{"ph":"X","ts":4,"dur":9,"name":"c"}]'
is "of calls that overlap one goes to another location" "$(events)" \
    "ENTER 0 1000,ENTER 0 2000,LEAVE 0 5000,LEAVE 0 11000,ENTER 1 4000,LEAVE 1 13000"
given "calls with equal times" '[{"ph":"X","ts":1,"dur":0,"name":"z"},{"ph":"X","ts":1,"dur":4,"name":"b"},{"ph":"X","ts":1,"dur":10,"name":"a"},{"ph":"X","ts":5,"dur":6,"name":"c"},{"ph":"i","ts":5,"name":"in c"}]'
is "of calls with one begin the longest is outside" "$(events)" \
    "ENTER 0 1000,ENTER 0 1000,ENTER 0 1000,LEAVE 0 1000,LEAVE 0 5000,ENTER 0 5000,PARAMETER_STRING 0 5000,LEAVE 0 11000,LEAVE 0 11000"
given "an end" '[{"ph":"E","ts":1},{"ph":"B","ts":2,"name":"open"}]'
is "an end of nothing is left out, a begin without end stays open" "$(events)" "ENTER 0 2000"
like "and told" "$(cat "$work/said")" "1 ends of calls are left out, for nothing is open there"
given "a call in a call that ends before it" '[{"ph":"X","ts":1,"dur":4,"name":"a"},{"ph":"B","ts":2,"name":"b"},{"ph":"E","ts":9}]'
is "a begin inside of a call ends with it" "$(events)" "ENTER 0 1000,ENTER 0 2000,LEAVE 0 5000,LEAVE 0 5000"
like "and told, too" "$(cat "$work/said")" "1 calls that reach beyond the end of a call around them were ended there"
given "overtaking" '[{"ph":"s","id":1,"ts":1,"pid":1},{"ph":"s","id":2,"ts":2,"pid":1},{"ph":"f","id":2,"ts":3,"pid":2},{"ph":"f","id":1,"ts":4,"pid":2}]'
is "a message that overtakes has another tag" "$(sed -nE 's/.*"msg_tag":([0-9]*),.*/\1/p' "$work/given" | paste -s -d ,)" "0,1073741824,1073741824,0"
given "an end from before" '[{"ph":"f","id":1,"ts":1,"tid":1},{"ph":"s","id":1,"ts":2,"tid":1},{"ph":"f","id":1,"ts":3,"tid":2},{"ph":"s","id":1,"ts":4,"tid":1},{"ph":"f","id":1,"ts":5,"tid":2}]'
is "a flow that began before the trace doesn't shift later ones with its id" "$(events)" \
    "MPI_SEND 0 2000,MPI_SEND 0 4000,MPI_RECV 1 3000,MPI_RECV 1 5000"
like "and told: a flow without its begin" "$(cat "$work/said")" "1 ends of messages are left out, for the other end isn't there"
given "clocks that differ" '[{"ph":"f","id":1,"ts":1,"pid":1},{"ph":"s","id":1,"ts":2,"pid":2}]'
is "clocks of two processes may turn an arrow" "$(events)" "MPI_RECV 0 1000,MPI_SEND 1 2000"
given "bytes" "$(printf '[{"ph":"B","ts":1,"name":"M\344rz\\u0000!"}]')"
is "names may have bytes that are no UTF-8" "$(grep -c '"event":"ENTER"' "$work/given")" 1
given "a mark of UTF-8" "$(printf '\357\273\277 {"traceEvents":[{"ph":"B","ts":1,"name":"x"},7]}')"
like "a byte order mark in front is no part of it" "$(cat "$work/said")" 'error: byte 50: a value among the events that is no object'
printf '\357\273\277[{"ph":"B","ts":1,"name":"x"}]' >"$work/marked"
is "and the format is known behind one" "$("$TCFLOW" -q -i "$work/marked" -o pipeline.chain=print | grep -c ENTER)" 1
# Many programs write a comma behind each event, the last one too: in an array, in an object, and where a buffer ends between the two.
given "a comma behind the last event of an array" '[{"ph":"B","ts":1,"name":"x,]"},
]'
is "the events are there" "$(grep -c '"event":"ENTER"' "$work/given")" 1
given "a comma behind the last event of an object" '{"traceEvents":[{"ph":"B","ts":1,"name":"x"}, ],"displayTimeUnit":"ns","other":[1,2]}'
is "the events are there" "$(grep -c '"event":"ENTER"' "$work/given")" 1
{
    printf '{"traceEvents":[{"ph":"B","ts":1,"name":"x"},'
    head -c 300000 /dev/zero | tr '\0' ' '
    printf '],"other":1}'
} >"$work/spread.json"
is "far in front of the end" "$("$TCFLOW" -q -i "$work/spread.json" -o pipeline.chain=print | grep -c ENTER)" 1
given "two commas" '[{"ph":"B","ts":1,"name":"x"},,]'
like "two commas are too many" "$(cat "$work/said")" 'error: byte 31: malformed JSON'
given "a comma in another array" '[{"ph":"B","ts":1,"name":"x","args":{"y":[1,]}}]'
like "a comma in another array is none of them" "$(cat "$work/said")" 'malformed JSON'
given "a comma, and more behind the end" '[{"ph":"B","ts":1,"name":"x"},]]'
like "more behind the end is an error as well" "$(cat "$work/said")" 'error: byte 32: malformed JSON'
given "PyTorch" '{"schemaVersion":1,"deviceProperties":[{"id":0}],"displayTimeUnit":"ms","traceEvents":[
  {"ph":"X","cat":"python_function","name":"torch/nn/a.py(17): forward","pid":9,"tid":9,"ts":100.000,"dur":50.500,"args":{"Python id":1}},
  {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":110.250,"dur":5,"args":{"correlation":7}},
  {"ph":"s","id":7,"pid":9,"tid":9,"ts":110.250,"cat":"ac2g","name":"ac2g"},
  {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":120.001,"dur":9.999,"args":{"device":0,"stream":7,"correlation":7}},
  {"ph":"f","id":7,"pid":0,"tid":7,"ts":120.001,"cat":"ac2g","name":"ac2g","bp":"e"},
  {"ph":"M","name":"process_labels","pid":0,"tid":0,"ts":1,"args":{"labels":"GPU 0"}},
  {"ph":"M","name":"thread_name","pid":0,"tid":7,"ts":1,"args":{"name":"stream 7 "}},
  {"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":90,"dur":100}]}'
is "a trace of PyTorch" "$(events)" "ENTER 0 120001,MPI_RECV 0 120001,LEAVE 0 130000,ENTER 1 100000,ENTER 1 110250,MPI_SEND 1 110250,LEAVE 1 115250,LEAVE 1 150500,ENTER 2 90000,LEAVE 2 190000"
like "its stream is an accelerator's" "$(grep '"definition":"LOCATION"' "$work/given")" '"stream 7 ".*"location_type":"GPU|"stream 7 ".*"ACCELERATOR_STREAM"'
like "its functions have files and lines" "$(grep '"definition":"REGION"' "$work/given")" '"forward".*"torch/nn/a\.py".*"begin_line_number":17'
like "its kernels are CUDA's" "$(grep '"definition":"REGION"' "$work/given")" '"gemm".*"paradigm":"CUDA"'
like "sizes are unknown" "$(cat "$work/said")" "1 messages and collective operations have no size in the file: results leave their bytes open"
given "nothing" '{"traceEvents":[]}'
is "an empty trace" "$(events)" ""

# ------------------------------------------------------------------------------------------------------ what is refused

# refused NAME JSON PATTERN
refused()
{
    printf '%s' "$2" >"$work/refused.json"
    fails 1 "refused: $1" "$TCFLOW" -i "$work/refused.json" -o pipeline.source=chrome -o pipeline.chain=pass
    like "$1, said" "$(cat "$work/.fails")" "error: $3"
}

refused "cut in an event" '[{"ph":"B","ts":1},{"ph":' 'byte 25: the file ends in the middle of its JSON'
refused "cut in an object" '{"traceEvents":[{"ph":"B","ts":1}' 'byte 33: the file ends in the middle of its JSON'
refused "a missing comma" '[{"ph":"B" "ts":1}]' 'byte 13: malformed JSON: after key and value, inside map, I expect'
refused "something behind the end" '{"traceEvents":[]}}' 'byte 19: malformed JSON: trailing garbage'
refused "no JSON" 'Hello' 'byte 1: malformed JSON: invalid char in json text'
refused "nothing" '' 'there is no array of events'
refused "no events" '{"other":[1]}' 'there is no array of events'
refused "a number among the events" '[{"ph":"B","ts":1,"name":"x"},7]' 'byte 31: a value among the events that is no object'
refused "an array among the events" '[[]]' 'byte 2: a value among the events that is no object'
refused "a negative time" '[{"ph":"B","ts":-1,"name":"x"}]' 'the event at byte 1 \(.x.\): ts is negative \(times count from 0: add the same to each ts of the file\): -1'
refused "a negative duration" '[{"ph":"X","ts":1,"dur":-0.5}]' 'the event at byte 1 \(..\): dur is negative: -0\.5'
refused "a time of 2^63 ns" '[{"ph":"B","ts":9223372036854775.808}]' 'the event at byte 1 \(..\): ts is beyond 2\^63 - 1 ns: 9223372036854775\.808'
refused "a time far beyond" '[{"ph":"B","ts":1e300}]' 'the event at byte 1 \(..\): ts is beyond'
refused "an end of 2^63 ns" '[{"ph":"X","ts":9223372036854775.807,"dur":0.001}]' 'the event at byte 1 \(..\): ts and dur lead beyond 2\^63 - 1 ns'
refused "a time in words" '[{"ph":"B","ts":"now"}]' 'the event at byte 1 \(..\): ts is no number: now'
refused "a time that is a point" '[{"ph":"B","ts":"."}]' 'the event at byte 1 \(..\): ts is no number: \.'
given "times without digits in front or behind" '[{"ph":"B","ts":".5","name":"x"},{"ph":"E","ts":"7."}]'
is "times without digits in front or behind" "$(events)" "ENTER 0 500,LEAVE 0 7000"
refused "no time" '[{"ph":"B"}]' 'the event at byte 1 \(..\): ts is missing$'
given "the last time" '[{"ph":"X","ts":9223372036854775.806,"dur":0.001,"name":"x"}]'
is "the last time" "$(events)" "ENTER 0 9223372036854775806,LEAVE 0 9223372036854775807"
gzip -c "$work/large.json" | head -c 100000 >"$work/cut.json.gz"
fails 1 "refused: packed data that were cut" "$TCFLOW" -i "$work/cut.json.gz" -o pipeline.chain=pass
like "packed data that were cut, said" "$(cat "$work/.fails")" "behind [0-9]+ bytes: the packed data ends in its middle"
done_testing
