# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What tests over random traces share, behind tests/support/lib.sh: the oracle, a recorded trace, how many seeds, and
# loops over them. SEEDS (default 1; with TCFLOW_LONG 2, or $usual_seeds, set before) traces a kind, from the seed FIRST (default 1) on. For
# random() tests say `found INPUT [option...]`: runs the filter, notes into $work/notes; `check ANCHOR`: compares what
# is found with the oracle, counts in $compared; and `enough`: how many comparisons a kind of trace must have come to.
# For each() and each_odd() they say `agree NAME ANCHOR`. `always`: options of all random traces.

oracle=$top_builddir/tests/support/oracle/oracle
example=$top_srcdir/examples/trace/traces.otf2
seeds=${SEEDS:-$(usually 1 "${usual_seeds:-2}")}
always=
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

[ -x "$oracle" ] && [ -x "$generate" ] || skip_all "the oracle or the generator of traces is not built"

# note KEY [NOTES]: how often it was noted in the last run
note()
{
    number=$(sed -n "/\"key\": \"$1\"/{s/.*\"key\": \"$1\",[^}]*\"count\": \([0-9]*\).*/\1/p;q;}" "${2:-$work/notes}")
    echo "${number:-0}"
}

equal() { cmp -s "$1" "$2" || { diff "$1" "$2" | head -n 3; return 1; }; }

# try WHAT COMMAND...: what fails is added to $failed
try()
{
    what=$1
    shift
    "$@" >"$work/why" 2>&1 || failed="$failed
$name, $what: $(head -n 4 "$work/why")"
}

# made SEED OPTIONS...: a random trace in $work/trace
made()
{
    made_seed=$1
    shift
    rm -rf "$work/trace"
    timeout 60 "$generate" random --out "$work/trace" --seed "$made_seed" --ranks $((made_seed % 5 + 2)) --ranks-per-node 2 \
        $always "$@" >"$work/generate" 2>&1
}

# reported FILTER INPUT [option...]: runs it; its report is CSV in $work/report then, notes are in $work/notes
reported()
{
    filter=$1 input=$2
    shift 2
    rm -f "$work/report"
    timeout 120 "$TCFLOW" -i "$input" -o "pipeline.chain=$filter" -o "$filter.format=csv" -o "$filter.output=$work/report" \
        --summary=json "$@" 2>"$work/notes" >/dev/null || { head -n 5 "$work/notes"; return 1; }
}

# in_order: all that was given up, or dropped, has no partner: receives whose sends are missing, what waited for processes that end
# early.
in_order()
{
    [ "$kind" = ends ] || [ "$(note given_up)" -le "$(note unmatched_receives)" ] || return 1
    [ "$(note dropped_messages)" = 0 ]
}

# complete_but LIMITS: in_order, and the report names none of these limits (an expression).
complete_but()
{
    in_order && ! grep -qE "^limits,($1)" "$work/report"
}

# random KIND OPTIONS...: as the oracle over the traces of a kind; of each trace at least one window must have been compared, and
# all windows of at least one of them.
random()
{
    kind=$1
    shift
    failed= compared=0
    seed=${FIRST:-1}
    while [ "$seed" -lt $((${FIRST:-1} + seeds)) ]; do
        name="$kind $seed" compared_before=$compared
        if made "$seed" --events 2000 "$@"; then
            check "$work/trace/traces.otf2"
            [ "$compared" -gt "$compared_before" ] || failed="$failed
$name: not compared"
        else
            failed="$failed
$name: not generated: $(head -n 1 "$work/generate")"
        fi
        seed=$((seed + 1))
    done
    [ "$compared" -ge "$enough" ] || failed="$failed
$kind: $compared compared"
    is "$kind: $seeds random traces" "$failed" ""
}

# each KIND OPTIONS...: agree over the traces of a kind
each()
{
    kind=$1
    shift
    seed=${FIRST:-1}
    while [ "$seed" -lt $((${FIRST:-1} + seeds)) ]; do
        ok "$kind $seed is made" made "$seed" --events 2000 "$@" && agree "$kind $seed" "$work/trace/traces.otf2"
        seed=$((seed + 1))
    done
}

# each_odd LOCATIONS: agree over traces whose enters and leaves don't fit; the last one stays in $work/odd
each_odd()
{
    seed=${FIRST:-1}
    while [ "$seed" -lt $((${FIRST:-1} + seeds)) ]; do
        rm -rf "$work/odd"
        ok "odd trace $seed is made" "$generate" odd --seed "$seed" --locations "$1" --events 500 --out "$work/odd" &&
            agree "odd trace $seed" "$work/odd/traces.otf2"
        seed=$((seed + 1))
    done
}

# All that processes of a single thread do.
single=p2p,sendrecv,nonblocking,cancel,any-source,collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm

# Programs of all kinds, whole and damaged.
random_programs()
{
    random "messages" --features p2p,sendrecv,nonblocking,cancel,any-source
    random "collectives" --features collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
    random "threads" --features p2p,collectives,openmp,locks,pthreads
    random "threads that communicate" --features p2p,nonblocking,any-source,mpi-threads
    random "teams of all sizes" --omp-threads 4 --features p2p,collectives,openmp,locks,nested,mpi-inside,team-sizes
    random "any thread" --features "$single,openmp,locks,mpi-threads,any-thread,team-sizes"
    random "everything" --features "$single,openmp,locks,pthreads,attributes,metrics"
    random "several ranks of a process" --ranks-per-process 2 --features "$single,openmp,locks"
    random "losses" --features p2p,nonblocking,cancel,any-source,collectives --lose-sends 0.01 --lose-receives 0.01 \
        --never-complete 0.05
    random "persistent requests" --features "$single,persistent"
    random "collectives without data" --features "$single" --empty-collectives
    random "communicators made again" --features "$single" --reuse-comms
    random "calling contexts" --features "$single,openmp,locks,pthreads,nested,mpi-inside" --contexts
    random "ends" --features p2p,nonblocking,collectives --end-early 0.3
}

# As the oracle over the archives that the environment names.
archives()
{
    for anchor in ${TRACES:-}; do
        failed= name=$anchor seed=1 kind=archive compared=0
        check "$anchor"
        is "$anchor" "$failed" ""
    done
}
