#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# io equals the oracle, which looks at a trace as a whole: on random traces with handles and operations of all kinds, with slices of
# any size; what caps cost is told.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

here=$top_srcdir/tests/plugins/io

# counted ANCHOR OPTIONS...: io's CSV to $work/csv, in the oracle's form to $work/got
counted()
{
    anchor=$1
    shift
    tcflow -i "$anchor" -o pipeline.chain=io -o io.format=csv "$@" >"$work/csv" 2>"$work/said" || diag "$(cat "$work/said")"
    awk -f "$here/as_oracle.awk" "$work/csv" | sort >"$work/got"
}

# agree NAME ANCHOR
agree()
{
    "$oracle" io "$2" 2>/dev/null | sort >"$work/expected"
    for slice in 0 1 13; do
        counted "$2" -o pipeline.slice=$slice
        same "$1: slice = $slice" "$work/expected" "$work/got"
    done
}

agree "a recorded trace without I/O" "$example"
for anchor in ${TRACES:-}; do
    agree "$anchor" "$anchor"
done

each "threads, ids by rank" --features p2p,openmp,mpi-threads,io --regions-per-rank --sparse-locations --shuffle-definitions \
    --end-early 0.3
each "I/O" --features p2p,io --equal-timestamps 0.2
like "operations without an end are told" "$(cat "$work/said")" '[0-9]+ I/O operations are never completed'
for table in operations totals files sizes regions; do
    ok "there are $table" grep -q "^$table" "$work/got"
done
ok "handles are left open" awk -F, '/^files/ && $(NF - 5) > 0 { found = 1 } END { exit !found }' "$work/got"

# Caps: files beyond are one, and the sums stay the same.
sums() { awk -F, '/^operations/ { n += $(NF - 14); bytes += $(NF - 12); ticks += $(NF - 11) } END { printf "%.0f %.0f %.0f\n", n, bytes, ticks }' "$work/got"; }
all=$(sums)
counted "$work/trace/traces.otf2" -o io.max_rows=3
is "max_rows = 3: the same sums" "$(sums)" "$all"
like "and it is told" "$(cat "$work/said")" 'more files than fit into max_rows = 3'
counted "$work/trace/traces.otf2" -o io.max_operations=1
like "operations that aren't followed are told" "$(cat "$work/said")" 'were not followed to their end: more than max_operations = 1'

fails 2 "max_rows = 0 is refused" tcflow -i "$example" -o pipeline.chain=io -o io.max_rows=0
like "text has a table" "$(tcflow -q -i "$work/trace/traces.otf2" -o pipeline.chain=io)" '^I/O operations by process and file'
done_testing
