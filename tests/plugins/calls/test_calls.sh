#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The rows of calls are those that a slow program makes of the whole trace: times, parents, partners, waits, whatever the slices and
# the pool. CSV and SQLite say the same. The cap holds and is told. The README's snippet runs. SEEDS (default 2) traces a kind;
# TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

here=$top_srcdir/tests/plugins/calls
always="--equal-timestamps 0.1" enough=1

python3 -c 'import csv, json' 2>/dev/null || skip_all "python3 is not installed"

# written INPUT [OPTION...]: into $work/calls.csv
written()
{
    written_input=$1
    shift
    rm -f "$work/calls.csv"
    timeout 120 "$TCFLOW" -i "$written_input" -o pipeline.chain=calls -o calls.path="$work/calls.csv" -o calls.unit=ticks "$@" \
        2>"$work/said"
}

# foreseen INPUT
foreseen()
{
    "$TCFLOW" -q -i "$1" -o pipeline.chain=print -o print.format=json -o print.definitions=yes -o print.order=location \
        >"$work/events" && "$oracle" match "$1" --trusting >"$work/matches"
}

agrees()
{
    written "$@" && python3 "$here/calls.py" "$work/events" "$work/matches" "$work/calls.csv" | head -n 5 | diff /dev/null -
}

# check ANCHOR
check()
{
    try "foreseen" foreseen "$1"
    try "the slow program" agrees "$1"
    cp "$work/calls.csv" "$work/first.csv"
    try "slices of 7" agrees "$1" -o pipeline.slice=7 -o pipeline.memory=1MiB
    try "the same bytes" cmp "$work/first.csv" "$work/calls.csv"
    compared=$((compared + 1))
}

for anchor in "$example" ${TRACES:-}; do
    failed= name=$(basename "$(dirname "$anchor")")
    check "$anchor"
    is "$name" "$failed" ""
done
random "messages" --features p2p,sendrecv,nonblocking,cancel,any-source
random "collectives" --features collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
random "everything" --features "$single,openmp,locks,pthreads,attributes,metrics"
random "lost messages" --features p2p,nonblocking --lose-sends 0.01 --lose-receives 0.01
random "several ranks of a process" --ranks-per-process 2 --features "$single,openmp"
random "calling contexts" --features "$single,openmp" --contexts
random "sparse ids" --features "$single" --sparse-locations --sparse-regions --regions-per-rank --comms-per-rank --shuffle-definitions

# Regions left and entered in any order, undefined ones, calling contexts. Their messages fit nowhere.
failed=
for seed in $(seeds_of 2); do
    name="odd $seed"
    "$generate" odd --seed "$seed" --locations 4 --events 800 --deep 300 --out "$work/odd" >/dev/null 2>&1
    foreseen "$work/odd/traces.otf2"
    # names of what is not defined are tcflow's own
    written "$work/odd/traces.otf2"
    sed -i -E 's/"REGION [0-9]+"/"(undefined)"/' "$work/calls.csv"
    python3 "$here/calls.py" "$work/events" - "$work/calls.csv" >"$work/differs"
    try "the slow program" diff /dev/null "$work/differs"
    rm -rf "$work/odd"
done
is "unbalanced calls" "$failed" ""

# -------------------------------------------------------------------------------------------------------------- the cap

foreseen "$example"
written "$example" -o calls.max_calls=10
is "the first calls of each location have rows" \
    "$(python3 "$here/calls.py" "$work/events" "$work/matches" "$work/calls.csv" 10)" ""
left_out=$(($(grep -c '"event":"ENTER"' "$work/events") - $(($(wc -l <"$work/calls.csv") - 1))))
like "the others are told" "$(cat "$work/said")" \
    "warning: calls: $left_out calls of [0-9]+ locations have no row: those behind the first max_calls = 10 of a location"
"$generate" no-messages --out "$work/quiet" --processes 4 >/dev/null 2>&1
ok "a trace without messages" "$TCFLOW" -q -i "$work/quiet/traces.otf2" -o pipeline.chain=calls -o calls.path="$work/quiet.csv"
is "select in front" "$("$TCFLOW" -q -i "$example" -o "pipeline.chain=select calls" -o select.regions=MPI_Send \
    -o calls.path="$work/selected.csv" && tail -n +2 "$work/selected.csv" | cut -d , -f 8 | sort -u)" '"MPI_Send"'
is "behind select no call is around another" "$(tail -n +2 "$work/selected.csv" | cut -d , -f 6,7 | sort -u)" ",0"

# --------------------------------------------------------------------------------------------------------------- outputs

fails 2 "an existing file stays" "$TCFLOW" -i "$example" -o pipeline.chain=calls -o calls.path="$work/calls.csv"
fails 2 "a path is needed" "$TCFLOW" -i "$example" -o pipeline.chain=calls
fails 1 "no room for rows" env TMPDIR="$work/nowhere" "$TCFLOW" -i "$example" -o pipeline.chain=calls -o calls.path="$work/no.csv"
like "says so" "$(cat "$work/.fails")" "a temporary file in $work/nowhere: No such file or directory \(TMPDIR names another folder\)"
fails 1 "a full disk" "$TCFLOW" -i "$example" -o pipeline.chain=calls -o calls.path=/dev/full
like "is told" "$(cat "$work/.fails")" "cannot write to .*/dev/full.*: No space left on device"

# A row of SQLite for each row of CSV, with equal values.
if python3 -c 'import sqlite3' 2>/dev/null && "$TCFLOW" -q -i "$example" -o pipeline.chain=calls -o calls.format=sqlite \
    -o calls.unit=ticks -o calls.path="$work/calls.db" 2>"$work/said"; then
    written "$example"
    same_rows()
    {
        python3 - "$work/calls.db" "$work/calls.csv" <<'END'
import csv, sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("SELECT * FROM calls ORDER BY location, call")
names = [d[0] for d in rows.description]
a = [["" if v is None else str(v) for v in row] for row in rows]
b = list(csv.reader(open(sys.argv[2], newline="")))
assert names == b[0], (names, b[0])
body = sorted(b[1:], key=lambda r: (int(r[3]), int(r[4])))
assert a == body and len(a) > 100, [p for p in zip(a, body) if p[0] != p[1]][:3]
END
    }
    ok "SQLite says what CSV says" same_rows
    fails 2 "no database in a device" "$TCFLOW" -i "$example" -o pipeline.chain=calls -o calls.format=sqlite -o calls.path=/dev/null
else
    skip "SQLite says what CSV says" "no sqlite3: $(head -c 200 "$work/said")"
fi

# Seconds are those of all reports.
"$TCFLOW" -q -i "$example" -o pipeline.chain=calls -o calls.path="$work/seconds.csv"
in_seconds()
{
    python3 - "$work/seconds.csv" "$work/calls.csv" "$work/events" <<'END'
import csv, json, sys
clock = next(r for r in map(json.loads, open(sys.argv[3])) if r.get("definition") == "CLOCK_PROPERTIES")
a, b = (list(csv.DictReader(open(p, newline=""))) for p in sys.argv[1:3])
for x, y in zip(a, b):
    for key, start in (("begin", clock["global_offset"]), ("end", clock["global_offset"]), ("exclusive", 0), ("wait", 0)):
        assert (x[key] == "") == (y[key] == ""), (x, y)
        if x[key]:
            assert abs(float(x[key]) - (int(y[key]) - start) / clock["timer_resolution"]) < 1e-12, (key, x, y)
assert len(a) == len(b) > 100
END
}
ok "seconds since the start of the trace" in_seconds

# ------------------------------------------------------------------------------------------------------------ the README

python=
for candidate in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$candidate" -c 'import pandas' 2>/dev/null || python=$candidate
done
if [ -n "$python" ]; then
    sed -n '/^```python/,/^```/{/^```/d;p;}' "$top_srcdir/plugins/calls/README.md" >"$work/snippet.py"
    mkdir "$work/snippet" && cp "$work/seconds.csv" "$work/snippet/calls.csv"
    ok "the README's snippet runs" sh -c 'cd "$0" && "$1" ../snippet.py >shown' "$work/snippet" "$python"
    like "it shows waits by name" "$(cat "$work/snippet/shown")" "^MPI_Recv +[0-9.]+ +[0-9.]+$"
    like "and receives beside their sends" "$(cat "$work/snippet/shown")" " MPI_Recv .* MPI_Send "
else
    skip "the README's snippet runs" "python3-pandas is not installed"
fi
done_testing
