#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# comm_matrix equals the oracle, which looks at a trace as a whole: on a recorded trace and on random ones, by process
# and by location, with slices of any size; losses show; what a cap costs is reported, and sums stay right.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

as_oracle=$top_srcdir/tests/plugins/comm_matrix/as_oracle.awk

# counted ANCHOR OPTIONS...: comm_matrix's CSV to $work/csv, in the oracle's form to $work/got
counted()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" -o pipeline.chain=comm_matrix -o comm_matrix.format=csv "$@" >"$work/csv" 2>"$work/said" &&
        awk -f "$as_oracle" "$work/csv" | sort >"$work/got"
}

# agree NAME ANCHOR
agree()
{
    for by in process location; do
        option=
        [ $by = process ] || option=--by-location
        "$oracle" traffic "$2" $option 2>/dev/null | grep -v '^#' | sort >"$work/expected"
        for slice in 0 1 13; do
            rm -f "$work/got"
            counted "$2" -o comm_matrix.by=$by -o pipeline.slice=$slice || diag "$(cat "$work/said")"
            same "$1: by $by, slice = $slice" "$work/expected" "$work/got"
        done
    done
}

agree "a recorded trace" "$example"
ok "there are messages and collectives" sh -c "grep -q ^pair '$work/got' && grep -q ^collective '$work/got'"
for anchor in ${TRACES:-}; do
    agree "$anchor" "$anchor"
done

each "everything" --features "$single,openmp,locks,pthreads,attributes,metrics"
each "threads that communicate" --features p2p,nonblocking,any-source,subcomms,mpi-threads
each "any thread" --features "$single,openmp,locks,mpi-threads,any-thread,team-sizes"
each "several ranks of a process" --ranks-per-process 2 --features "$single,rma,openmp"
each "threads of such processes" --ranks-per-process 3 --features p2p,nonblocking,collectives,self,rma,openmp,mpi-threads
each "one-sided operations" --features p2p,rma,subcomms,mpi-threads
ok "puts, gets and atomic operations are there" awk -F, '/^pair/ { p += $10; g += $12; a += $14 } END { exit !(p && g && a) }' "$work/got"
each "ids by rank" --features "$single" --comms-per-rank --regions-per-rank --sparse-locations \
    --shuffle-definitions
each "losses" --features p2p,nonblocking,collectives --lose-sends 0.02 --lose-receives 0.02 --end-early 0.3 \
    --missing-locations 1

# Losses in one direction show as a difference, and are reported.
timeout 60 "$generate" random --out "$work/lost" --seed 5 --ranks 4 --events 4000 --features p2p --lose-receives 0.05 \
    >"$work/why" 2>&1
tcflow -v -i "$work/lost/traces.otf2" -o pipeline.chain=comm_matrix -o comm_matrix.format=csv \
    >"$work/csv" 2>"$work/said"
like "lost messages are reported" "$(cat "$work/said")" 'comm_matrix: [0-9]+ messages were sent, [0-9]+ received'
ok "and are seen in the matrix" awk -F, '/^comm_matrix,/ { lost += $(NF - 11) - $(NF - 10) }
    END { exit !(lost > 0) }' "$work/csv"

# With a cap: the sums of the matrix are those of all messages.
totals()
{
    awk -F, '/^pair,/ { for (i = 6; i <= 9; i++) sum[i] += $i } END { print sum[6], sum[7], sum[8], sum[9] }' "$work/got"
}
timeout 60 "$generate" random --out "$work/many" --seed 9 --ranks 9 --events 4000 --features p2p,any-source >"$work/why" 2>&1
counted "$work/many/traces.otf2"
all=$(totals) pairs=$(grep -c ^pair "$work/got")
tcflow -i "$work/many/traces.otf2" -o pipeline.chain=comm_matrix -o comm_matrix.format=csv -o comm_matrix.max_pairs=2 \
    >"$work/csv" 2>"$work/said"
awk -f "$as_oracle" "$work/csv" >"$work/got"
is "max_pairs = 2: the sums are the same" "$(totals)" "$all"
ok "with fewer pairs" test "$(grep -c '^comm_matrix,.*beyond max_pairs' "$work/csv")" -gt 0 -a "$pairs" -gt 18
like "and it is reported" "$(cat "$work/said")" 'more than max_pairs = 2'

fails 2 "max_pairs = 0 is refused" tcflow -i "$example" -o pipeline.chain=comm_matrix -o comm_matrix.max_pairs=0
like "text has a table" "$(tcflow -q -i "$example" -o pipeline.chain=comm_matrix)" '^Messages by sender and receiver'
done_testing
