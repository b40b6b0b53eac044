#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# A chain in several processes, over pipes, gives what it gives in one: every tick, every field, every report. Over the bundled
# trace, one with every kind of record, and random ones, with slices of several sizes; over files, FIFOs and sockets, too.
# SEEDS (default 2) random traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"
. "$top_srcdir/tests/plugins/stream_write/pipes.sh"
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export LSAN_OPTIONS

have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
enough=1
chains="correct reports select halves"
[ -n "${TCFLOW_LONG:-}" ] || chains="correct select"
bundled=$top_srcdir/examples/trace/traces.otf2

# ---------------------------------------------------------------------------------------------------------------- pipes

check()
{
    for c in $chains; do
        "chain_$c"
        # One trace goes with small slices.
        all_options="-o pipeline.slice=$((seed % 2 ? 0 : 7))"
        compared=$((compared + 1))
        try "$c" as_one "$1"
    done
}

for c in $chains; do
    "chain_$c"
    is "the bundled trace: $c" "$(as_one "$bundled")" ""
done
for anchor in ${TRACES:-}; do
    for c in $chains; do
        "chain_$c"
        is "$anchor: $c" "$(as_one "$anchor")" ""
    done
done

"$generate" everything --out "$work/everything" >"$work/said" 2>&1
chain_reset
parts="pass | otf2_write"
anchor=$(ls "$work"/everything/*.otf2)
all_options="-o pipeline.salvage=yes"
is "every kind of record, definition, marker, snapshot and thumbnail" "$(as_one "$anchor")" ""
parts="pass | print"
is "and printed" "$(as_one "$anchor")" ""
chain_reset
parts="pass | otf2_write"
stream_options="-o stream_write.matches=no"
is "without matches" "$(as_one "$bundled")" ""
parts="presync | wait_states otf2_write"
is "without matches, which the reader finds" "$(as_one "$bundled")" ""
if "$TCFLOW" -q --check -i "$bundled" -o pipeline.chain=stream_write -o stream_write.path="$work/z" \
    -o stream_write.compression=zstd >/dev/null 2>&1; then
    stream_options="-o stream_write.compression=zstd"
    is "compressed" "$(as_one "$bundled")" ""
else
    skip "compressed" "built without libzstd"
fi

random "messages" --features p2p,sendrecv,nonblocking,cancel,any-source
random "collectives" --features collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
random "threads" --features p2p,collectives,openmp,locks,pthreads
random "threads that communicate" --features p2p,nonblocking,any-source,mpi-threads
random "teams of all sizes" --omp-threads 4 --features p2p,collectives,openmp,locks,nested,mpi-inside,team-sizes
random "any thread" --features "$single,openmp,locks,mpi-threads,any-thread,team-sizes"
random "everything" --features "$single,openmp,locks,pthreads,attributes,metrics" --sparse-locations --sparse-regions
random "wrong clocks" --features "$single,openmp,locks,pthreads" --clock-offset-ns 3000000 --clock-drift-ppm 100 \
    --clock-jumps 2 --clock-jump-ns 20000 --clock-offset-records 4
random "clocks hours apart" --features "$single,openmp" --clock-offset-ns 800000000000
random "losses" --features p2p,nonblocking,collectives --lose-sends 0.01 --lose-receives 0.01 --never-complete 0.05
random "ends" --features p2p,nonblocking,collectives --end-early 0.3 --empty-locations 1

# More channels than are known at a time (each lock that is handed over is one): they are forgotten and met again, in each
# process at another time.
failed= compared=0 kind=channels name="many channels" seed=2
if made 5 --events 60000 --ranks 3 --omp-threads 3 --features openmp,locks,pthreads,p2p; then
    chains="correct reports" check "$work/trace/traces.otf2"
fi
is "more channels than are known at a time" "$failed" ""
[ $compared = 2 ]
tap $? "they were compared"

# ----------------------------------------------------------------------------------------------------- other ways to go

chain="stream_write"
tcflow -q -i "$bundled" -o pipeline.chain=print -o print.output="$work/plain"
tcflow -q -i "$bundled" -o pipeline.chain=stream_write -o stream_write.path="$work/recorded"
tcflow -q -i stream:"$work/recorded" -o pipeline.chain=print -o print.output="$work/got"
same "a file" "$work/plain" "$work/got"
fails 2 "an existing file stays" tcflow -q -i "$bundled" -o pipeline.chain=stream_write -o stream_write.path="$work/recorded"
like "and that is said" "$(cat "$work/.fails")" 'exists already; .overwrite = yes'

# over SPEC SPEC: what is written to the first is read from the second; the reader starts first, or last
over()
{
    rm -f "$work/got"
    timeout 60 "$TCFLOW" -q -i "$2" -o pipeline.chain=print -o print.output="$work/got" >"$work/reader" 2>&1 &
    reader=$!
    [ "${3:-}" = at_once ] || sleep 0.3
    timeout 60 "$TCFLOW" -q -i "$bundled" -o pipeline.chain=stream_write -o stream_write.path="$1" >"$work/writer" 2>&1 ||
        cat "$work/writer"
    wait "$reader" || cat "$work/reader"
    cmp "$work/plain" "$work/got"
}
mkfifo "$work/fifo"
is "a FIFO" "$(over "$work/fifo" stream:"$work/fifo" 2>&1)" ""
is "a socket of this machine" "$(over "unix:$work/socket" "unix:$work/socket" 2>&1)" ""
is "a socket whose writer comes first" "$(over "unix:$work/socket" "unix:$work/socket" at_once 2>&1)" ""
[ ! -e "$work/socket" ]
tap $? "the socket is removed"
port=$((20000 + $$ % 20000))
is "TCP" "$(over "tcp:$port" "tcp:$port" 2>&1)" ""
is "TCP with a host" "$(over "tcp:localhost:$((port + 1))" "tcp:127.0.0.1:$((port + 1))" 2>&1)" ""

# A tee of writers.
tcflow -q -i "$bundled" -o pipeline.chain="first second" -o first.filter=stream_write -o first.path="$work/t1" \
    -o second.filter=stream_write -o second.path=- >"$work/t2"
for stream in t1 t2; do
    tcflow -q -i stream:"$work/$stream" -o pipeline.chain=print -o print.output="$work/$stream.txt"
    same "two writers in one chain: $stream" "$work/plain" "$work/$stream.txt"
done

# Reports stay out of a stream on standard output.
rm -f "$work/got"
tcflow -q -i "$bundled" -o pipeline.chain="profile stream_write" -o stream_write.path=- -o profile.output=- --summary=json \
    2>"$work/reports" | tcflow -q -i - -o pipeline.chain=print -o print.output="$work/got"
same "the stream is whole beside a report to standard output" "$work/plain" "$work/got"
like "which goes to standard error" "$(cat "$work/reports")" 'exclusive'

# ------------------------------------------------------------------------------------------ a reader that is not tcflow

# Location, time and kind of each event, and what some of them say; by location, in order.
read_by_python()
{
    "$TCFLOW" -q -i "$1" -o pipeline.chain=stream_write -o stream_write.path=- | python3 "$top_srcdir/examples/read-stream.py" |
        awk '$3 ~ /^MPI_(SEND|RECV)$/ { print $1, $2, $3, $4, $5, $6, $7; next }
            $3 ~ /^(ENTER|LEAVE)$/ { print $1, $2, $3, $4; next }
            { print $1, $2, $3 }' | sort -s -n -k 1,1
}
read_by_otf2()
{
    otf2-print "$1" 2>/dev/null | awk 'function id(text) { gsub(/.*</, "", text); gsub(/>.*/, "", text); return text }
        function after(name) { match($0, name ": [0-9]+"); return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) }
        function comm() { match($0, /Communicator: [^,]*/); return id(substr($0, RSTART, RLENGTH)) }
        $2 !~ /^[0-9]+$/ || $3 !~ /^[0-9]+$/ { next }
        $1 == "MPI_SEND" { print $2, $3, $1, after("Receiver"), comm(), after("Tag"), after("Length"); next }
        $1 == "MPI_RECV" { print $2, $3, $1, after("Sender"), comm(), after("Tag"), after("Length"); next }
        $1 ~ /^(ENTER|LEAVE)$/ { print $2, $3, $1, id($0); next }
        { print $2, $3, $1 }' | sort -s -n -k 1,1
}
if have python3; then
    made 7 --ranks 3 --features p2p,nonblocking,collectives,openmp,subcomms,metrics --sparse-locations --sparse-regions
    for anchor in "$bundled" "$work/trace/traces.otf2"; do
        read_by_python "$anchor" >"$work/python"
        read_by_otf2 "$anchor" >"$work/otf2"
        [ "$(wc -l <"$work/otf2")" -gt 1000 ]
        tap $? "otf2-print prints events"
        same "the reader in Python prints the events that otf2-print does" "$work/python" "$work/otf2"
    done
    head -c 15000 "$work/recorded" >"$work/cut"
    fails 1 "it refuses a stream that was cut" sh -c 'python3 "$1" <"$2"' - "$top_srcdir/examples/read-stream.py" "$work/cut"

    # A writer whose memory has another order of bytes: all numbers of the stream are the same, but tables that lie in it as they
    # lay in memory cannot be read.
    cat >"$work/other_order.py" <<'EOF'
import sys, zlib
data = sys.stdin.buffer.read()
header = data[:8] + bytes([3 - data[8]]) + data[9:12]
sys.stdout.buffer.write(header + zlib.crc32(header).to_bytes(4, "little") + data[16:])
EOF
    made 8 --ranks 3 --features p2p,nonblocking,collectives,openmp,metrics,attributes --clock-offset-records 3
    for anchor in "$bundled" "$work/trace/traces.otf2"; do
        tcflow -q -i "$anchor" -o pipeline.chain=stream_write -o stream_write.path=- >"$work/this"
        python3 "$work/other_order.py" <"$work/this" >"$work/other"
        for order in this other; do
            tcflow -q -i stream:"$work/$order" -o pipeline.chain="print wait_states" -o print.output="$work/$order.txt" -o print.definitions=yes \
                -o wait_states.output="$work/$order.csv" -o wait_states.format=csv
        done
        [ "$(wc -l <"$work/this.txt")" -gt 1000 ] && ! cmp -s "$work/this" "$work/other"
        tap $? "two streams that differ in their headers"
        same "events of a writer with another order of bytes" "$work/this.txt" "$work/other.txt"
        same "and their matches" "$work/this.csv" "$work/other.csv"
        rm -f "$work/this.txt" "$work/other.txt" "$work/this.csv" "$work/other.csv"
    done
    tcflow -q -i "$bundled" -o pipeline.survey=mu_estimate -o pipeline.chain=stream_write -o stream_write.path=- |
        python3 "$work/other_order.py" >"$work/other"
    fails 1 "what a survey has learned there is refused" tcflow -q -i stream:"$work/other" -o pipeline.chain=pass
    like "and why" "$(cat "$work/.fails")" 'was written on a machine with another byte order, so the results of its survey cannot be read here'
else
    skip "the reader in Python" "there is no python3"
fi

done_testing
