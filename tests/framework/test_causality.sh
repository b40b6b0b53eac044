#!/bin/sh
# Causal order and matching, over random traces with random clock errors, against the whole-trace oracle: every event
# passes a span filter once and in its location's order, after everything that must precede it; what the core matched
# is what the oracle matched. Slices of any size give the same. SEEDS (default 6) traces a kind, from FIRST (1) on.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh"

generate=$top_builddir/tests/generate/random-trace
oracle=$top_builddir/tests/oracle/oracle
seeds=${SEEDS:-${TCFLOW_QUICK:+1}}
seeds=${seeds:-6}
first_seed=${FIRST:-1}
probes=$top_builddir/tests/framework/probe/.libs

# match_lines ORACLE_OUTPUT: in the probe's form; canonical communicators of MPI_COMM_SELF without their member. What is in no
# instance the probe doesn't tell.
match_lines()
{
    awk -F, '
        $1 == "p2p" { print "p2p," $6 "," $7 "," $8 "," $9 }
        $1 == "recv" { print "recv," $8 "," $9 }
        $1 == "coll" && $3 != "" { sub(/:.*/, "", $2); print "coll," $2 "," $3 "," $7 "," ($8 == "" ? -1 : $8) "," $9 "," $12 "," $13 }
        $1 == "edge" && $2 ~ /^(fork|lock|thread_)/ { print "edge," $2 "," $3 "," $4 "," $5 "," $6 }' "$1" | sort
}

# without_given_up: leaves out what ends in a target that went on without its sources ($work/given).
without_given_up()
{
    awk -F, -v given="$work/given" '
        BEGIN { while ((getline line < given) > 0) { split(line, at, " "); gone[at[1] "," at[2]] = 1 } }
        $1 == "p2p" { target = $4 "," $5 }
        $1 == "recv" { target = $2 "," $3 }
        $1 == "coll" { target = $4 "," $6 }
        $1 == "edge" { target = $5 "," $6 }
        !(target in gone)' "$1"
}

# same_as_oracle TRACE [option...]: runs the probe over the trace.
same_as_oracle()
{
    trace=$1
    shift
    printf '[pipeline]\ninput = %s\nchain = probe\n[probe]\norder = %s\nmatch = %s\ngiven = %s\n' \
        "$trace" "$work/order" "$work/match" "$work/given" >"$work/probe.ini"
    timeout 120 "$TCFLOW" --plugin-path "$probes" -q -c "$work/probe.ini" "$@" || return 1
    "$oracle" match "$trace" >"$work/oracle" || return 1
    match_lines "$work/oracle" >"$work/all"
    without_given_up "$work/all" >"$work/expected"
    sort "$work/match" >"$work/all"
    without_given_up "$work/all" >"$work/got"
    diff "$work/expected" "$work/got" >"$work/differences" || { head -n 10 "$work/differences"; return 1; }
    "$oracle" order "$trace" "$work/order" --given-up "$work/given"
}

# random KIND OPTIONS...: traces of all seeds, each with another number of ranks, with three sizes of slices.
random()
{
    kind=$1
    shift
    failed=
    seed=$first_seed
    while [ "$seed" -lt $((first_seed + seeds)) ]; do
        rm -rf "$work/trace"
        if ! timeout 60 "$generate" --out "$work/trace" --seed "$seed" --ranks $((seed % 7 + 2)) --events 3000 "$@" \
            >"$work/generate" 2>&1; then
            failed="$failed $seed (not generated: $(head -n 1 "$work/generate"))"
        else
            for slice in 0 1 $((seed * 5 % 1000 + 2)); do
                same_as_oracle "$work/trace/traces.otf2" -o "pipeline.slice=$slice" >"$work/why" 2>&1 ||
                    failed="$failed $seed/slice=$slice: $(head -n 3 "$work/why")"
            done
        fi
        seed=$((seed + 1))
    done
    is "$kind: $seeds random traces from seed $first_seed on" "$failed" ""
}

single=p2p,sendrecv,nonblocking,cancel,any-source,collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
all=$single,openmp,locks,pthreads,attributes,metrics

random "messages" --features p2p,sendrecv,nonblocking,cancel,any-source
random "collectives" --features collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
random "threads" --features p2p,collectives,openmp,locks,pthreads
random "threads that communicate" --features p2p,nonblocking,any-source,mpi-threads
random "everything" --features "$all"
random "clocks that are off, sparse ids" --features "$all" --clock-offset-ns 1000000000 --clock-drift-ppm 100 \
    --sparse-locations --sparse-regions
random "equal timestamps, shuffled definitions" --features "$all" --equal-timestamps 0.3 --shuffle-definitions
random "regions of its own for every rank" --features "$single" --regions-per-rank
random "lost messages" --features "$all" --lose-sends 0.02 --lose-receives 0.02
random "requests that never complete" --features "$all" --never-complete 0.2

random "processes of several ranks" --features "$all" --ranks-per-process 2 --clock-offset-ns 1000000
random "threads of such processes, of which nobody knows whose they are" --ranks-per-process 3 \
    --features p2p,nonblocking,any-source,collectives,nb-collectives,dup,self,openmp,mpi-threads

random "locations that end early or have no events" --features "$all" --end-early 0.2 --empty-locations 2

# Where nothing is lost, nothing is given up.
rm -rf "$work/trace"
timeout 60 "$generate" --out "$work/trace" --seed 99 --ranks 6 --events 20000 --features "$all" >"$work/generate" 2>&1
ok "a complete trace of 20,000 events" same_as_oracle "$work/trace/traces.otf2"
is "a complete trace: nothing is given up" "$(cat "$work/given")" ""

done_testing
