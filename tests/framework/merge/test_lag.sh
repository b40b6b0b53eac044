#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Several streams that several domains read, of which one lags: however much the others bring meanwhile, memory stays what it is, nobody
# waits for ever, and results are those of streams that come together. Where a stream stops within a frame, its domain goes on with all
# that the rest of this frame isn't needed for.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/plugins/stream_write/pipes.sh"
. "$top_srcdir/tests/framework/merge/split.sh"

[ -x "$generate" ] || skip_all "the generator of traces is not built"
have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
have python3 || skip_all "python3 is not installed"
cd "$work" || exit 1
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

done_testing
