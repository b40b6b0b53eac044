#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# message_histogram equals the oracle, which looks at a trace as a whole: on a recorded trace and on random ones, with slices
# of any size, and with many, few and narrow bins.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

# The filter's CSV in the oracle's form: bins of sizes that hold something, all bins of time. Seconds are left aside here.
as_oracle()
{
    tr -d '\r' <"$work/csv" | awk -F, '
        $1 == "sizes" && $4 + $5 > 0 { print "size," $2 "," $4 "," $5 "," $6 "," $7 }
        $1 == "over_time" { print "time," $9 ",at," $8 "," $4 "," $5 "," $6 "," $7 }' | sort
}

# The same of each process.
as_oracle_by_process()
{
    tr -d '\r' <"$work/csv" | awk -F, '
        $1 == "sizes" && $4 + $5 > 0 { print "size " $9 ":" $8 "," $2 "," $4 "," $5 "," $6 "," $7 }
        $1 == "over_time" && $2 !~ /from/ { print "time " $11 ":" $10 "," $9 ",at," $8 "," $4 "," $5 "," $6 "," $7 }' | sort
}

# by_process NAME ANCHOR
by_process()
{
    "$oracle" messages "$2" --by-process --time-bins 31 2>/dev/null | grep -v '^#' | sort >"$work/expected"
    tcflow -q -i "$2" -o pipeline.chain=message_histogram -o message_histogram.by_process=yes -o pipeline.slice=13 \
        -o message_histogram.time_bins=31 -o message_histogram.format=csv >"$work/csv" 2>"$work/said" || diag "$(cat "$work/said")"
    as_oracle_by_process >"$work/got"
    same "$1: by process" "$work/expected" "$work/got"
}

# agree NAME ANCHOR
agree()
{
    by_process "$1" "$2"
    for bins in "0 1024 256" "0 1024 2" "100 7 31" "4096 1024 1000"; do
        set -- "$1" "$2" $bins
        "$oracle" messages "$2" --bin-bytes "$3" --max-bins "$4" --time-bins "$5" 2>/dev/null | grep -v '^#' |
            sort >"$work/expected"
        grep -q '^size' "$work/expected" || : >"$work/expected" # no messages, no rows over time
        for slice in 0 1 13; do
            rm -f "$work/csv"
            tcflow -q -i "$2" -o pipeline.chain=message_histogram -o pipeline.slice=$slice \
                -o message_histogram.bin_bytes="$3" -o message_histogram.max_bins="$4" \
                -o message_histogram.time_bins="$5" -o message_histogram.format=csv >"$work/csv" 2>"$work/said" ||
                diag "$(cat "$work/said")"
            as_oracle >"$work/got"
            same "$1: bins $bins, slice = $slice" "$work/expected" "$work/got"
        done
    done
}

by_process "a recorded trace" "$example"
ok "there is something by process" test "$(grep -c '^size' "$work/got")" -eq 4
agree "a recorded trace" "$example"
ok "there is something" sh -c "grep -q ^size '$work/got' && grep -q ^time '$work/got'"
for anchor in ${TRACES:-}; do
    agree "$anchor" "$anchor"
done

each "messages" --features p2p,sendrecv,nonblocking,cancel,any-source,mpi-threads,metrics
each "losses" --features p2p,nonblocking --lose-sends 0.02 --lose-receives 0.02 --end-early 0.3 \
    --missing-locations 1
each "wrong clocks" --features p2p,nonblocking,collectives --clock-offset-ns 300000 --clock-drift-ppm 100 \
    --clock-jumps 2 --clock-jump-ns 4000 --empty-locations 2
each "wrong properties of the clock" --features p2p,nonblocking,collectives --wrong-clock-properties
each "several ranks of a process" --ranks-per-process 2 --features p2p,nonblocking,openmp,mpi-threads

timeout 60 "$generate" random --out "$work/one" --seed 5 --ranks 4 --events 2000 --features p2p >"$work/why" 2>&1
like "an open last bin is reported" "$(tcflow -i "$work/one/traces.otf2" -o pipeline.chain=message_histogram \
    -o message_histogram.bin_bytes=1 -o message_histogram.max_bins=2 -o message_histogram.output=/dev/null \
    -o message_histogram.overwrite=yes 2>&1)" 'in the last of max_bins = 2 bins'
fails 2 "time_bins = 1 is refused" tcflow -i "$example" -o pipeline.chain=message_histogram \
    -o message_histogram.time_bins=1
fails 2 "bin_bytes = many is refused" tcflow -i "$example" -o pipeline.chain=message_histogram \
    -o message_histogram.bin_bytes=many
"$generate" random --out "$work/none" --seed 5 --ranks 2 --events 300 --features openmp >"$work/why" 2>&1
is "no rows without messages" "$(tcflow -q -i "$work/none/traces.otf2" -o pipeline.chain=message_histogram \
    -o message_histogram.format=json | tr -d ' \n' | grep -o '"rows":[^,}]*' | sort -u)" '"rows":[]'
like "text has a table" "$(tcflow -q -i "$example" -o pipeline.chain=message_histogram)" '^Messages by size'
done_testing
