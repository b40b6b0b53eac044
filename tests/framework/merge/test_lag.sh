#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Several streams that several domains read, of which one lags: however much the others bring meanwhile, memory stays what it is, nobody
# waits for ever, and results are those of streams that come together, or what was cut is told. Where a stream stops within a frame, its domain goes on with all
# that the rest of this frame isn't needed for.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/plugins/stream_write/pipes.sh"
. "$top_srcdir/tests/framework/merge/split.sh"

[ -x "$generate" ] || skip_all "the generator of traces is not built"
have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
have python3 || skip_all "python3 is not installed"
cd "$work" || exit 1
# Freed memory that AddressSanitizer keeps for a while would count as memory that grows.
ASAN_OPTIONS=quarantine_size_mb=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS
mkfifo pipe.0 pipe.1

# ------------------------------------------------------------------------------------------------------- within a frame

# Neighbours send to each other in turn: 0 and 1, 2 and 3. One stream has ranks 0 and 2, rank by rank, the other one 1 and 3. The first one
# stops in the second frame with events of rank 2. Ranks 0 and 1 need nothing of that; 2,048 events of rank 0 have been read by then.
"$top_builddir/tcflow-synth" --ranks 4 --pattern latesender --events 60000 pairs >/dev/null 2>&1
split "$work/pairs/traces.otf2" 2 turns -o stream_write.matches=no -o pipeline.slice=64
mv part.0 short
split "$work/pairs/traces.otf2" 2 turns -o stream_write.matches=no -o pipeline.slice=2048
stops=$(python3 "$top_srcdir/tests/framework/merge/within.py" part.0 short 2>&1 >late)
mv late part.0
tcflow -q -i "$inputs" -o pipeline.chain="check comm_matrix" -o check.output=checked -o comm_matrix.output=matrix

# passed FILE: how many events have passed into a stream that is being written
passed()
{
    cp "$1.incomplete" by_now 2>/dev/null || cp "$1" by_now 2>/dev/null || : >by_now
    tcflow -q -i stream:by_now -o pipeline.chain=pass -o pipeline.salvage=yes --summary=json 2>&1 |
        sed -n 's/.*"events": \([0-9]*\),.*/\1/p' | head -n 1
}
"$TCFLOW" -q -j 2 -i "stream:pipe.0 stream:part.1" -o pipeline.chain="check comm_matrix stream_write" -o check.output=got.checked \
    -o comm_matrix.output=got.matrix -o "stream_write.path=got.{domain}" -o pipeline.quantum=1us >said 2>&1 &
reader=$!
exec 8>pipe.0
head -c "$stops" part.0 >&8
tries=0
by_now=0
while [ "${by_now:-0}" -lt 1000 ] && [ $tries -lt 100 ]; do
    sleep 0.2
    by_now=$(passed got.1)
    tries=$((tries + 1))
done
ok "who waits for the rest of a frame goes on with the others" [ "${by_now:-0}" -ge 1000 ] || diag "$by_now events"
tail -c +$((stops + 1)) part.0 >&8
exec 8>&-
wait $reader
is "and ends when it has come" "$? $(cat said)" "0 "
same "with the results of one domain" checked got.checked
same "all of them" matrix got.matrix

# ------------------------------------------------------------------------------------------------------- beyond `memory`

# lag EVENTS [CHAIN]: the streams of two domains, of which the first one stands still from its first window on until the second one has
# brought what it can, or all; what is said in $work/said, the peak of memory in $peak. A writer behind CHAIN waits for the other one, so
# its stream is read ahead.
quiet="-o presync.unsynchronised=keep -o presync.output=/dev/null -o clc_forward.output=/dev/null -o clc_backward.output=/dev/null"
lag()
{
    rm -rf long part.* go got.*
    "$generate" bench --out long --locations 8 --events "$1" --skew 100000 >/dev/null 2>&1
    # shellcheck disable=SC2086 # words
    tcflow -q -j 2 -i long/traces.otf2 -o pipeline.chain="${2:-} stream_write" -o "stream_write.path=part.{domain}" ${2:+$quiet}
    "$TCFLOW" -j 2 -i "stream:pipe.0 stream:pipe.1" -o pipeline.chain="check comm_matrix" -o check.output=got.checked \
        -o comm_matrix.output=got.matrix -o pipeline.memory=1MiB --summary=json >said 2>&1 &
    reader=$!
    python3 "$top_srcdir/tests/framework/merge/hold.py" go window <part.1 >pipe.0 &
    cat part.2 >pipe.1 &
    sleep 1
    : >go
    wait $reader
    ended=$?
    wait
    peak=$(sed -n 's/.*"peak_bytes": \([0-9]*\).*/\1/p' said)
    given_up=$(sed -n 's/.*"key": "given_up", "text": "[^"]*", "count": \([0-9]*\).*/\1/p' said)
}
events=400000
[ -z "${TCFLOW_WRAPPER:-}" ] || events=20000
for chain in "" "presync clc_forward clc_backward"; do
    name="a stream that lags${chain:+, and whose writer others wait for}"
    lag $events "$chain"
    is "$name: the run ends" "$ended" 0
    most=$((peak + peak / 8 + 1048576 - 512 * ${given_up:-0}))
    lag $((4 * events)) "$chain"
    is "$name: a longer one, too" "$ended" 0
    # Of each message that was given up in one domain a trace stays in the other one, until that comes there.
    ok "$name: memory is that of the shorter one${chain:+, but for what was given up}" \
        [ "$peak" -le $((most + 512 * ${given_up:-0})) ] || diag "$peak bytes, ${given_up:-0} given up; $most"
    tcflow -q -i "stream:part.1 stream:part.2" -o pipeline.chain="check comm_matrix" -o check.output=checked -o comm_matrix.output=matrix \
        -o check.overwrite=yes -o comm_matrix.overwrite=yes
    # What is read ahead beyond `memory` passes without what it depends on, which is told.
    if cmp -s checked got.checked && cmp -s matrix got.matrix; then
        tap 0 "$name: results are those of streams that come together"
    else
        is "$name: results are those of streams that come together, or it is said what was cut" \
            "${chain:-none}: $(grep -c '"given_up"' said)" "presync clc_forward clc_backward: 1"
    fi
done

done_testing
