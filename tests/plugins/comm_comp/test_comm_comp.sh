#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# comm_comp equals the oracle, which looks at a trace as a whole: on a recorded trace, on random ones with requests of all
# kinds, threads, losses and requests that are never completed, with slices of any size; what caps cost is told.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export LSAN_OPTIONS

# broken_down ANCHOR OPTIONS...: comm_comp's CSV to $work/csv, in the oracle's form to $work/got
broken_down()
{
    anchor=$1
    shift
    tcflow -i "$anchor" -o pipeline.chain=comm_comp -o comm_comp.format=csv "$@" >"$work/csv" 2>"$work/said" ||
        diag "$(cat "$work/said")"
    tr -d '\r' <"$work/csv" | awk -F, -v OFS=, '
        $1 == "comm_comp" && $2 != "title" { print "process", $22 ":" $21, $12, $13, $14, $15, $16, $17, $18, $19 }
        $1 == "locations" && $2 != "title" { print "location", $20, $12, $13, $14, $15, $16, $17, $18, $19 }' |
        grep -v '[a-z],[a-z]' | sort >"$work/got"
}

# compared NAME ANCHOR
compared()
{
    "$oracle" comm-comp "$2" 2>/dev/null | grep -v '^#' | sort >"$work/expected"
    for slice in 0 1 13; do
        broken_down "$2" -o pipeline.slice=$slice
        same "$1: slice = $slice" "$work/expected" "$work/got"
    done
}

# agree NAME ANCHOR: the same, and the sums, for which awk's numbers suffice
agree()
{
    compared "$1" "$2"
    is "$1: the totals are the sums of the processes" \
        "$(tr -d '\r' <"$work/csv" | awk -F, '$1 == "totals" && $2 + 0 > 0 { print $12, $13, $14, $19 }')" \
        "$(awk -F, '$1 == "process" { c += $3; o += $4; m += $5; i += $10 } END { if (c + o + m + i > 0) printf "%.0f %.0f %.0f %.0f\n", c, o, m, i }' "$work/got")"
}

ok "events of all kinds are made" timeout 60 "$generate" everything --out "$work/everything"
compared "events of all kinds, times far apart" "$work/everything/traces.otf2"
ok "which has five locations, each a process, of four groups" test "$(wc -l <"$work/got")" -eq 10
agree "a recorded trace" "$example"
ok "there is something" test "$(wc -l <"$work/got")" -eq 8
for anchor in ${TRACES:-}; do
    agree "$anchor" "$anchor"
done

each "requests" --features p2p,sendrecv,nonblocking,cancel,any-source,collectives,nb-collectives --max-delay 60
ok "something overlaps" awk -F, '$4 > 0 { found = 1 } END { exit !found }' "$work/got"
each "threads" --features p2p,nonblocking,openmp,locks,pthreads,mpi-threads,metrics,nb-collectives
each "idle, and tasks" --features p2p,nonblocking,openmp,locks,pthreads,nb-collectives --idle
ok "some of them idle" awk -F, '$10 > 0 { idle = 1 } END { exit !idle }' "$work/got"
for seed in 1 2 3; do
    rm -rf "$work/trace"
    timeout 60 "$generate" random --out "$work/trace" --seed "$seed" --ranks 3 --events 4000 \
        --features p2p,nonblocking,openmp,locks,pthreads,nb-collectives,flushes >"$work/why" 2>&1
    compared "threads that flush, seed $seed" "$work/trace/traces.otf2"
done
each "any thread" --features "$single,openmp,locks,mpi-threads,any-thread,team-sizes"
each "several ranks of a process" --ranks-per-process 2 --features p2p,nonblocking,openmp,nb-collectives
ok "which are processes by themselves" awk -F '[,:]' '/^process/ && $3 >= 0 { n[$2]++ } END { for (g in n) several += n[g] > 1
    exit !several }' "$work/got"
each "threads of such processes" --ranks-per-process 3 --features p2p,nonblocking,openmp,pthreads,mpi-threads
each "one-sided operations, files" --features p2p,nonblocking,rma,io,counters,mpi-threads
each "losses" --features p2p,nonblocking,collectives,nb-collectives --lose-sends 0.02 --lose-receives 0.02 \
    --never-complete 0.1 --end-early 0.3 --missing-locations 1 --empty-locations 1

like "what is never completed is told" "$(cat "$work/said")" 'of [0-9]+ non-blocking operations are never completed'
rm -rf "$work/trace"
timeout 60 "$generate" random --out "$work/trace" --seed 4 --ranks 3 --events 4000 --features p2p,nonblocking,openmp,mpi-threads >"$work/why" 2>&1
broken_down "$work/trace/traces.otf2" -o comm_comp.max_requests=2 -o comm_comp.max_pending=16 -o pipeline.slice=4096
like "forgotten operations are told" "$(cat "$work/said")" 'open operations were forgotten: .* max_requests = 2'
like "changes settled too early are told" "$(cat "$work/said")" 'changes were settled before .* max_pending = 16'
"$oracle" comm-comp "$work/trace/traces.otf2" 2>/dev/null | grep '^location' | sort |
    awk -F, '{ print $1, $2, $3 + $4 + $5 + $6 + $7 + $8 + $9 + $10 }' >"$work/whole"
grep '^location' "$work/got" | awk -F, '{ print $1, $2, $3 + $4 + $5 + $6 + $7 + $8 + $9 + $10 }' >"$work/some"
same "with caps all parts together are the same" "$work/whole" "$work/some"

# Where each process has one location they are read one after another, in the survey and in the chain; else in turn, for which
# libotf2 has all open at once.
rm -rf "$work/trace" "$work/threads"
timeout 60 "$generate" random --out "$work/trace" --seed 6 --ranks 150 --events 9000 --features p2p,nonblocking >"$work/why" 2>&1
timeout 60 "$generate" random --out "$work/threads" --seed 6 --ranks 75 --omp-threads 2 --events 9000 --features p2p,openmp >"$work/why" 2>&1
few_files()
{
    (ulimit -n 100 && tcflow -q -i "$1/traces.otf2" -o pipeline.reader="${2:-auto}" -o pipeline.survey=before -o before.filter=comm_comp -o pipeline.chain=comm_comp \
        -o comm_comp.format=csv)
}
ok "150 processes with room for 100 open files" few_files "$work/trace" libotf2
agree "150 processes" "$work/trace/traces.otf2"
fails 1 "150 threads of 75 processes are too many for libotf2" few_files "$work/threads" libotf2
ok "but not for the direct reader" few_files "$work/threads"

# Lists of regions: all of MPI is computation.
broken_down "$example" -o "comm_comp.computation=MPI_*"
is "regions are what the user says" "$(awk -F, '{ n += $4 + $5 } END { print n + 0 }' "$work/got")" 0
fails 2 "max_requests = 1 is refused" tcflow -i "$example" -o pipeline.chain=comm_comp -o comm_comp.max_requests=1
like "text has a table" "$(tcflow -q -i "$example" -o pipeline.chain=comm_comp)" '^Communication and computation by process'
done_testing
