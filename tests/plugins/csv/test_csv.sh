#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The reader of tables finds what Python's parser finds in them: events and calls, columns of any name, units, quotes. What is
# malformed is refused, with its line. OTHER_FORMATS: a folder with csv/*.csv in Pipit's form, and nsight/*.csv.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/readers.sh"

python3 -c 'import csv' 2>/dev/null || skip_all "python3 is not installed"

# table NAME TEXT [KEY=VALUE...] [-o OPTION...]: both read the same in it; the keys are for Python
table()
{
    table_name=$1
    printf "$2" >"$work/table.csv"
    shift 2
    keys=
    while [ $# -gt 0 ] && [ "$1" != -o ]; do
        keys="$keys $1"
        shift
    done
    ok "$table_name" both "$work/table.csv" "$@"
}

# both FILE [OPTION...]: with $keys
both()
{
    events_of "$@" || return
    (IFS='|' && python3 "$top_srcdir/tests/plugins/csv/table.py" $(echo "$keys" | sed 's/^ //; s/ \([a-z]*=\)/|\1/g') "$1") >"$work/expected" || return
    [ -s "$work/expected" ] && diff "$work/expected" "$work/printed" | head -n 20 | diff /dev/null -
}

table "events as Pipit has them" 'Timestamp (s), Event Type, Name, Process\n0, Enter, main(), 0\n1.25, Enter, foo(), 0\n3, Leave, foo(), 0\n4, Leave, main(), 0\n2, Instant, here, 1\n'
table "rounding" 'Timestamp (ns),Event Type,Name,Thread,Process\n30083.4999,Enter,"a, b",0,1\n40288.5,Leave,"a, b",0,1\n1e3,Instant,x,7,0\n'
table "any order" 'Timestamp (us),Event Type,Name,Process\n9,Leave,a,3\n2,Leave,b,3\n1,Enter,b,3\n0,Enter,a,3\n'
table "quotes, ends of lines, blanks" 'Name,Event Type,Timestamp\r\n"a ""quoted"", b",Enter,1\r\n\r\n  x  ,  Enter ,\t2\r\n"y",Instant,3\r\n'
table "a byte order mark, and no end of the last line" '\357\273\277Timestamp (ms),Event Type,Name\n1,Enter,x'
table "columns of other names" 'Zeit;Art;Funktion;Rang\n1;Enter;a;3\n2;Leave;a;3\n' time=Zeit event=Art name=Funktion process=Rang unit=us "separator=;" \
    -o pipeline.source=csv -o csv.time=Zeit -o csv.event=Art -o csv.name=Funktion -o csv.process=Rang -o csv.unit=us -o 'csv.separator=;'
table "calls" 'Start (ns),End (ns),Name,PID\n1,9,a,2\n2,12,b,2\n2,3,c,1\n' "begin=Start (ns)" "end=End (ns)" process=PID \
    -o pipeline.source=csv -o csv.process=PID
table "calls with durations, in tabs" 'Begin\tDuration (us)\tName\n1\t9.0005\ta\n0\t0\tb\n' begin=Begin "duration=Duration (us)" "separator=	" \
    -o pipeline.source=csv -o csv.begin=Begin -o 'csv.duration=Duration (us)' -o csv.separator=tab

failed=
for seed in $(seeds_of 4); do
    python3 - "$seed" "$work/random.csv.gz" <<'END'
import csv, gzip, random, sys
rng, names = random.Random(int(sys.argv[1])), ["a", "b, c", 'say "x"', "two\nlines", "Ärger", "x" * 999]
rows = []
for process in range(3):
    for thread in range(2):
        now, stack = rng.randrange(10**12), []
        for _ in range(600):
            now += rng.choice([0, 1, 999, 10**6])
            if stack and rng.random() < 0.5:
                rows.append([f"{now / 1000:.3f}", "Leave", stack.pop(), process, f"t{thread}"])
            elif rng.random() < 0.2:
                rows.append([f"{now / 1000:.3f}", "Mark", rng.choice(names), process, f"t{thread}"])
            else:
                stack.append(rng.choice(names))
                rows.append([f"{now / 1000:.3f}", "Enter", stack[-1], process, f"t{thread}"])
with gzip.open(sys.argv[2], "wt", newline="") as out:
    csv.writer(out).writerows([["Timestamp (us)", "Event Type", "Name", "Process", "Thread"]] + rows)
END
    keys=
    both "$work/random.csv.gz" >"$work/why" 2>&1 || failed="$failed $seed: $(head -n 3 "$work/why")"
done
is "random tables" "$failed" ""

for file in ${OTHER_FORMATS:+"$OTHER_FORMATS"/csv/*.csv}; do
    keys=
    ok "$(basename "$file")" both "$file"
done
if [ -n "${OTHER_FORMATS:-}" ]; then
    keys=" begin=Start (ns) end=End (ns) process=PID thread=TID"
    ok "nbody_nvtx_trace.csv" both "$OTHER_FORMATS/nsight/nbody_nvtx_trace.csv" -o pipeline.source=csv -o csv.process=PID -o csv.thread=TID
    keys=" thread=streamId"
    ok "cloverleaf_gpu_trace.csv" both "$OTHER_FORMATS/nsight/cloverleaf_gpu_trace.csv" -o pipeline.source=csv -o csv.thread=streamId
fi

# ----------------------------------------------------------------------------------------------------- what is refused

# refused STATUS NAME TEXT PATTERN [OPTION...]
refused()
{
    printf "$3" >"$work/refused.csv"
    refused_status=$1 refused_name=$2 refused_pattern=$4
    shift 4
    fails "$refused_status" "refused: $refused_name" "$TCFLOW" -i "$work/refused.csv" -o pipeline.source=csv -o pipeline.chain=pass "$@"
    like "$refused_name, said" "$(cat "$work/.fails")" "error: $refused_pattern"
}

head='Timestamp (ns),Event Type,Name\n'
refused 1 "a row that was cut" "${head}1,Enter,a\n2,Lea" 'line 3: 2 columns, but the first line has 3'
refused 1 "a negative time" "${head}1,Enter,a\n-2,Leave,a\n" 'line 3: the time is negative: -2'
refused 1 "a time of 2^63" "${head}9223372036854775808,Enter,a\n" 'line 2: the time is beyond 2\^63 - 1 ns: 9223372036854775808'
refused 1 "a time in words" "${head}\n\nnow,Enter,a\n" 'line 4: the time is no number: now'
refused 1 "no time" "${head},Enter,a\n" 'line 2: the time is missing'
refused 1 "a quote without an end" "${head}1,Enter,\"a\n2,Leave,a\n" 'line 2: a quote without an end'
refused 1 "a call that ends before it begins" 'Start,End,Name\n1,2,a\n"\n",2,b\n' 'line 3: the begin is no number'
refused 1 "a negative duration" 'Start,Duration,Name\n1,-2,a\n' 'line 2: the duration is negative: -2'
refused 1 "an end beyond" 'Start,Duration,Name\n9223372036854775807,1,a\n' 'line 2: begin and duration lead beyond 2\^63 - 1 ns'
refused 1 "an end before the begin" 'Start,End,Name\n3,2,a\n' 'line 2: the call ends before it begins: a'
refused 1 "nothing" '' 'the file has no first line with the names of columns'
refused 2 "no times" 'a,b,Name\n' 'no column is called Timestamp or Start'
refused 2 "no names" 'Timestamp,Event Type\n' "no column is called 'Name'"
refused 2 "no kinds" 'Timestamp,Name\n' "no column is called 'Event Type'"
refused 2 "begins alone" 'Start,Name\n' 'there is a column of begins, but none of ends or durations'
refused 2 "a column that isn't there" "$head" 'thread = Faden: the file has no such column' -o csv.thread=Faden
refused 2 "a separator of two" "$head" 'separator = ab: expected one character, or tab' -o csv.separator=ab
python3 -c 'import sys; sys.stdout.write("Timestamp,Event Type,Name\n1,Enter,\"" + "x" * (17 << 20))' >"$work/huge.csv"
fails 1 "a row without an end" "$TCFLOW" -i "$work/huge.csv" -o pipeline.chain=pass
like "is refused, too" "$(cat "$work/.fails")" "line 2: a row of more than 16 MiB"
# A table doesn't say that it was made of samples: the user does.
printf 'Timestamp (ns),Event Type,Name\n1,Enter,a\n9,Leave,a\n' >"$work/samples.csv"
like "a table of samples" "$(tcflow -q -i "$work/samples.csv" -o pipeline.chain=profile -o pipeline.source=csv -o csv.sampled=yes | head -n 1)" "\(from samples\)$"
like "another one" "$(tcflow -q -i "$work/samples.csv" -o pipeline.chain=profile | head -n 1)" "^Flat profile, all locations$"
# Nor does it say who communicates with whom: what is unknown is called so.
printf 'Timestamp (ns),Event Type,Name\n1,Enter,MPI_Send\n9,Leave,MPI_Send\n' >"$work/mpi.csv"
like "messages that nobody knows" "$(tcflow -i "$work/mpi.csv" -o pipeline.chain=comm_matrix 2>&1)" \
    "mpi.csv: no message and no collective operation between processes is known, though the program communicates: .* results leave it open"
is "where there is no MPI nothing is missing" "$(tcflow -i "$work/samples.csv" -o pipeline.chain=comm_matrix 2>&1 | grep -c 'is known')" 0
# Streams of accelerators are called so by the user.
printf 'Start,End,Name,Thread\n0,9,main,1\n1,8,cudaDeviceSynchronize,1\n2,7,kernel,stream 7\n3,5,kernel,stream 13\n' >"$work/streams.csv"
like "streams of accelerators" "$(tcflow info "$work/streams.csv" -o pipeline.source=csv -o 'csv.accelerators=str*7 *13')" "2 accelerator streams"
is "are none without that" "$(tcflow info "$work/streams.csv" -o pipeline.source=csv | grep -c accelerator)" 0
done_testing
