#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The reader of Perfetto's protocol buffers finds what another parser finds that reads the whole file, in all forms of the format, in
# little memory, too. What perfetto_trace writes comes back, from both of its formats alike. What is malformed is refused, with its
# place. TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"
. "$top_srcdir/tests/support/readers.sh"

always="--equal-timestamps 0.1" enough=1

python3 -c 'import json, zlib' 2>/dev/null || skip_all "python3 is not installed"
has_json=
! "$TCFLOW" --list-sources | grep -q '^  chrome ' || has_json=1

# --------------------------------------------------------------------------------------------------- traces, and back

for anchor in "$example" ${TRACES:-}; do
    name=$(basename "$(dirname "$anchor")")
    ok "$name comes back" comes_back protobuf "$anchor"
    [ -z "$has_json" ] || ok "$name is the same from JSON" comes_back_twice "$anchor"
done

random_ways_back protobuf
rm -rf "$work/trace"
timeout 60 "$generate" random --out "$work/trace" --seed 3 --ranks 2 --events 3000 --features "$single,openmp,locks,pthreads" >"$work/why" 2>&1
ok "roles of regions come back" roles_come_back "$work/trace/traces.otf2" protobuf
if [ -n "$has_json" ]; then
    ok "and from JSON" roles_come_back "$work/trace/traces.otf2" json protobuf
    same "the same ones" "$work/roles.json" "$work/roles.protobuf"
fi

# ------------------------------------------------------------------------------------------------------- random files

failed=
for seed in $(seeds_of 8); do
    name="random $seed" file=$work/random.pftrace
    [ $((seed % 2)) -eq 0 ] || file=$file.gz
    python3 "$top_srcdir/tests/plugins/perfetto/random_perfetto.py" "$seed" 2000 "$file"
    try "the other parser" agrees perfetto "$file"
    try "the other parser, threads" agrees perfetto "$file" -o pipeline.threads=2 -o pipeline.slice=7
done
is "random files of all kinds of events, in all forms" "$failed" ""
python3 "$top_srcdir/tests/plugins/perfetto/random_perfetto.py" 4 "$(usually 50000 300000)" "$work/large"
ok "a file larger than the memory, known by its bytes" agrees perfetto "$work/large" -o pipeline.memory=1MiB
"$TCFLOW" -i "$file" -o pipeline.chain=pass 2>"$work/said"
like "missing states are told" "$(cat "$work/said")" "1 events are left out, for packets in front of them are missing, which have their names"
like "missing names are told" "$(cat "$work/said")" "[0-9]+ names are given by numbers that nothing explains: they stand as \(unknown name\)"
like "unknown sizes are told" "$(cat "$work/said")" "[0-9]+ messages and collective operations have no size in the file: results leave their bytes open"

# ----------------------------------------------------------------------------------------------------- what it becomes

# packets NAME HEX...: a file of packets with these contents
packets()
{
    python3 - "$work/$1" "$@" <<'END'
import sys
out = b""
for packet in sys.argv[3:]:
    data = bytes.fromhex(packet)
    n, length = len(data), b""
    while n >= 0x80:
        length, n = length + bytes([n & 0x7f | 0x80]), n >> 7
    out += b"\x0a" + length + bytes([n]) + data
open(sys.argv[1], "wb").write(out)
END
}

# given HEX...: prints what the packets become
given()
{
    packets given "$@"
    "$TCFLOW" -i "$work/given" -o pipeline.source=perfetto -o pipeline.chain=print -o print.format=json -o print.order=location \
        -o print.definitions=yes >"$work/given.lines" 2>"$work/said"
}

events()
{
    sed -nE 's/.*"event":"([A-Z_]*)","location":([0-9]*),"time":([0-9]*),.*/\1 \2 \3/p' "$work/given.lines" | paste -s -d ,
}

# 40 TIME: timestamp; 58: clock; 5a: event; 48 TYPE; b201: name
given 40645a064801ba010178 40785a024802
is "a call of a track that nothing describes" "$(events)" "ENTER 0 100,LEAVE 0 120"
like "its name" "$(cat "$work/given.lines")" '"definition":"REGION".*"name":"x"'
given 320c0a04080610640a0408031000 40645a064801ba010178 4064d003035a024802
is "a clock that a snapshot relates to the trace's" "$(events)" "ENTER 0 100,LEAVE 0 200"
given 4064d003075a064801ba010178
is "a clock that nothing relates stands as it is" "$(events)" "ENTER 0 100"
like "and told" "$(cat "$work/said")" "1 events have times of clocks that nothing relates to the others: they stand as they are"

# arrow TIME TRACK f902 (of a flow) or 8103 (its end): a packet with an instant event of flow 7
arrow() { printf '40%s5a0e480358%s%s0700000000000000' "$1" "$2" "$3"; }
messages() { events | tr , '\n' | grep MPI_ | paste -s -d ,; }

given "$(arrow 60 01 8103)" "$(arrow 61 01 f902)" "$(arrow 62 02 8103)" "$(arrow 63 01 f902)" "$(arrow 64 02 8103)"
is "a flow that began before the trace doesn't shift later ones with its id" "$(messages)" \
    "MPI_SEND 0 97,MPI_SEND 0 99,MPI_RECV 1 98,MPI_RECV 1 100"
given "$(arrow 60 02 8103)" "$(arrow 61 01 f902)"
is "by one clock an end comes behind its begin" "$(messages)" ""
like "and told, too" "$(cat "$work/said")" "2 ends of messages are left out, for the other end isn't there"
given "$(arrow 61 02 8103)" "$(arrow 61 01 f902)"
is "or at the same time" "$(messages)" "MPI_RECV 0 97,MPI_SEND 1 97"
# e203: a track, 22: a thread of a process
threads="e203080801220408011001 e203080802220408021002"
# shellcheck disable=SC2086
given $threads "$(arrow 60 02 8103)" "$(arrow 61 01 f902)"
is "clocks of two processes may turn an arrow" "$(messages)" "MPI_SEND 0 97,MPI_RECV 1 96"
# shellcheck disable=SC2086
given $threads "$(arrow 60 02 8103)" "$(arrow 61 01 f902)" "$(arrow 62 02 8103)"
is "but not where the id has another end" "$(messages)" "MPI_SEND 0 97,MPI_RECV 1 98"
given e20304085fb80601
is "no events at all" "$(events)" ""

# ------------------------------------------------------------------------------------------------------ what is refused

# refused NAME PATTERN HEX...
refused()
{
    refused_name=$1 refused_pattern=$2
    shift 2
    packets refused "$@"
    fails 1 "refused: $refused_name" "$TCFLOW" -i "$work/refused" -o pipeline.source=perfetto -o pipeline.chain=pass
    like "$refused_name, said" "$(cat "$work/.fails")" "error: $refused_pattern"
}

refused "a field of an unknown type" "the packet at byte 4: it is malformed" 4064 43
refused "a length beyond the packet" "the packet at byte 0: it is malformed" 5a7f00
refused "a number of more than 64 bits" "the packet at byte 0: it is malformed" 40ffffffffffffffffff7f
refused "a malformed event" "the packet at byte 0: its event is malformed" 40645a0148
refused "an event without a time" "the packet at byte 0: its event has no time" 5a024801
refused "a time of 2^63 ns" "the packet at byte 0: its time is beyond 2\^63 - 1 ns" 40808080808080808080015a024801
refused "malformed names" "the packet at byte 0: what it says for later packets is malformed" 620312ff01
refused "a malformed description of a track" "the packet at byte 0: its description of a track is malformed" e203021aff
refused "malformed packed packets" "the packet at byte 0: what it has packed cannot be unpacked by zlib" 920303010203
packets cut 40645a064801ba010178
head -c 7 "$work/cut" >"$work/cut.7"
fails 1 "refused: cut in a packet" "$TCFLOW" -i "$work/cut.7" -o pipeline.source=perfetto -o pipeline.chain=pass
like "cut in a packet, said" "$(cat "$work/.fails")" "error: the packet at byte 0: the file ends in its middle"
printf '\012\377\377\377\377\017' >"$work/long"
fails 1 "refused: a packet of 4 GiB" "$TCFLOW" -i "$work/long" -o pipeline.source=perfetto -o pipeline.chain=pass
like "a packet of 4 GiB, said" "$(cat "$work/.fails")" "error: the packet at byte 0: it is larger than 64 MiB, or this is no trace of Perfetto"
python3 - "$work" <<'END'
import sys, zlib
def block(field, data):
    n, length, key = len(data), b"", field << 3 | 2
    while n >= 0x80:
        length, n = length + bytes([n & 0x7f | 0x80]), n >> 7
    k = b""
    while key >= 0x80:
        k, key = k + bytes([key & 0x7f | 0x80]), key >> 7
    return k + bytes([key]) + length + bytes([n]) + data
open(sys.argv[1] + "/twice", "wb").write(block(1, block(50, zlib.compress(block(1, block(50, b""))))))
open(sys.argv[1] + "/bomb", "wb").write(block(1, block(50, zlib.compress(block(1, bytes(300 << 20)), 1))))
END
fails 1 "refused: packed twice" "$TCFLOW" -i "$work/twice" -o pipeline.source=perfetto -o pipeline.chain=pass
like "packed twice, said" "$(cat "$work/.fails")" "error: the packet at byte 0: a packed packet holds packed ones"
fails 1 "refused: a few bytes that unpack to very many" "$TCFLOW" -i "$work/bomb" -o pipeline.source=perfetto -o pipeline.chain=pass
like "very many, said" "$(cat "$work/.fails")" "error: the packet at byte 0: what it has packed is larger than 256 MiB"
mkfifo "$work/pipe"
cat "$work/large" >"$work/pipe" 2>/dev/null &
fails 1 "refused: a pipe" "$TCFLOW" -i "$work/pipe" -o pipeline.source=perfetto -o pipeline.chain=pass
like "a pipe, said" "$(cat "$work/.fails")" "error: is read twice, and cannot be: it has to be a file"
wait
done_testing
