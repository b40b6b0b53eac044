#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# tcflow-mpi: processes give what one domain gives, byte by byte: reports in all formats, databases, archives, surveys,
# messages; a process that fails, is interrupted or killed ends all, with its reason, and nothing is taken for complete.
# TRACES: further traces, anchor files.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

mpi=$top_builddir/tcflow-mpi
MPIRUN=${MPIRUN:-mpirun}
[ -x "$mpi" ] || skip_all "tcflow-mpi is not built: there is no MPI"
have "$MPIRUN" || skip_all "there is no mpirun"
[ -z "${TCFLOW_WRAPPER:-}" ] || skip_all "MPI libraries have much to say under valgrind"
. "$top_srcdir/tests/support/in_domains.sh"

# MPI libraries leave memory behind.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # the last one counts
export ASAN_OPTIONS
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # in containers
# Only this machine is there, and programs of others may run on it.
OMPI_MCA_btl=self,vader OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_btl OMPI_MCA_hwloc_base_binding_policy
case $("$MPIRUN" --version 2>/dev/null) in
    *Open*) launch="$MPIRUN --oversubscribe --quiet" ;;
    *) launch=$MPIRUN ;;
esac
# shellcheck disable=SC2086 # words
together()
{
    processes=$1
    shift
    timeout 120 $launch -n "$processes" "$mpi" "$@"
}
together 2 --version >/dev/null 2>"$work/said" || skip_all "processes cannot be started: $(head -n 3 "$work/said" | tr '\n' ' ')"

# What is closed at the start is no pipe of Open MPI's helper, which would not end.
for closed in '<&-' '>&-' '2>&-'; do
    sh -c "ulimit -t 10; exec timeout 30 '$mpi' --help $closed" >/dev/null 2>"$work/said"
    is "alone, with $closed: exit status" $? "$([ "$closed" = '>&-' ] && echo 1 || echo 0)"
done

# What in_domains.sh runs: `-j N` for N processes, `-j NxT` for N processes of T threads.
plain=$TCFLOW
cat >"$work/run" <<end
#!/bin/sh
[ "\$1 \$2 \$3" != "-v -j 1" ] || exec "$plain" "\$@"
processes=\${3%x*} threads=\${3#*x}
[ "\$threads" != "\$3" ] || threads=1
shift 3
exec timeout 120 $launch -n "\$processes" "$mpi" -v -j "\$threads" "\$@"
end
chmod +x "$work/run"
TCFLOW=$work/run
all_numbers="2 3 8 2x2 2x3 3x2" domain_numbers=${domain_numbers:-$(usually 2x2 "$all_numbers")}

example=$top_srcdir/examples/trace/traces.otf2

# causal NAME TRACE [option...]: filters that follow messages and collectives, in chains, with surveys, and copies
causal()
{
    name=$1 of=$2
    shift 2
    domain_equal "$name, check" "$of" -o pipeline.chain="check profile" -o check.output="$work/in/check" \
        -o check.format=json -o profile.output="$work/in/profile" -o profile.format=csv "$@"
    domain_equal "$name, a corrected copy" "$of" -o pipeline.chain="presync clc_forward clc_backward check otf2_write" \
        -o presync.unsynchronised=keep -o otf2_write.path="$work/in/copy" -o check.output="$work/in/check" "$@"
    domain_equal "$name, correct.ini" "$of" -c "$top_srcdir/examples/correct.ini" \
        -o presync.unsynchronised=keep -o otf2_write.path="$work/in/copy" -o pipeline.reports=clock_report \
        -o clock_report.output="$work/in/report" -o clock_report.format=json -o presync.output="$work/in/presync" \
        -o clock_estimate.output="$work/in/clocks" -o clock_estimate.format=json -o clock_estimate.knots="$work/in/knots" \
        -o mu_estimate.output="$work/in/delays" -o mu_estimate.format=csv "$@"
    domain_equal "$name, behind a survey" "$of" -o pipeline.chain="check clc_forward" -o pipeline.survey=mu_estimate \
        -o mu_estimate.output="$work/in/survey" -o check.output="$work/in/check" "$@"
}

few_numbers=$domain_numbers domain_numbers=$all_numbers
causal "the example" "$example"
domain_numbers=$few_numbers
judged_in_domains "the example" "$example"
alike_in_domains "the example" "$example"
for seed in $(seeds_of 1); do
    while read -r kind options; do
        # shellcheck disable=SC2086 # words
        "$generate" random --out "$work/random" --seed "$seed" $options >/dev/null 2>&1
        causal "$kind $seed" "$work/random/traces.otf2"
        judged_in_domains "$kind $seed" "$work/random/traces.otf2"
        rm -rf "$work/random"
    done <<end
skewed     --ranks 9 --events 6000 --clock-offset-ns 200000 --clock-drift-ppm 50 --clock-jumps 2 --clock-jump-ns 50000
incomplete --ranks 5 --events 4000 --lose-sends 0.02 --lose-receives 0.02 --never-complete 0.02 --end-early 0.3
damaged    --ranks 7 --events 4000 --lose-any 0.01 --ambiguous-loss --end-early 0.4 --begin-late 0.2 --features all,rma,streams,nonsense,any-thread,mpi-inside,crossed
threads    --ranks 6 --ranks-per-process 2 --events 5000 --features all,any-thread,mpi-inside --clock-offset-ns 100000 --contexts
lengths    --ranks 6 --events 4000 --features collectives,v-collectives,nb-collectives,subcomms,intercomm,p2p --empty-collectives --end-early 0.2
end
    "$generate" odd --out "$work/odd" --seed "$seed" --locations 9 >/dev/null 2>&1
    causal "odd events $seed, small slices" "$work/odd/traces.otf2" -o pipeline.slice=7
    rm -rf "$work/odd"
done
for trace in ${TRACES:-}; do
    causal "$trace" "$trace"
    judged_in_domains "$trace" "$trace"
    alike_in_domains "$trace" "$trace"
done

# Without memory in common, as on several nodes, letters go by MPI.
case $launch in *oversubscribe*)
    OMPI_MCA_osc=^sm
    export OMPI_MCA_osc
    domain_numbers=$(usually 2x2 "2 5 2x2")
    "$generate" random --out "$work/random" --seed 1 --ranks 7 --events 3000 --clock-offset-ns 200000 --lose-any 0.002 --ambiguous-loss \
        --features all,any-thread,mpi-inside >/dev/null 2>&1
    causal "no memory in common" "$work/random/traces.otf2"
    judged_in_domains "no memory in common" "$work/random/traces.otf2"
    rm -rf "$work/random"
    domain_numbers=$few_numbers
    unset OMPI_MCA_osc
    ;;
esac

# More letters at a time than an inbox has room for.
domain_numbers="2 3"
"$generate" large --out "$work/large" --depth 20000 --senders 3 --messages 30000 --absent 4 >/dev/null 2>&1
domain_equal "many letters at a time" "$work/large/traces.otf2" -o pipeline.chain="root_cause critical_path" \
    -o root_cause.output="$work/in/causes" -o critical_path.output="$work/in/path"
domain_numbers=$few_numbers
rm -rf "$work/large"

# ------------------------------------------------------------------------------------------------------- the plan --

"$generate" bench --out "$work/t" --locations 8 --events 40000 >/dev/null 2>&1
trace=$work/t/traces.otf2
said=$(together 4 --check -i "$trace" -o pipeline.chain="clc_forward clc_backward check profile" 2>&1)
like "--check tells the domains" "$said" "^chain: in 4 domains, one a process; .* 1\.0[0-9] times the mean"
like "what runs in all" "$said" "in all domains: clc_forward clc_backward check profile$"
like "and what is gathered where" "$said" "gathered in the first process.* check profile$"
is "once" "$(printf '%s\n' "$said" | grep -c domains:)" 1
said=$(together 2 --check -j 2 -i "$trace" -o pipeline.chain=check 2>&1)
like "--check tells domains of processes with threads" "$said" "^chain: in 4 domains, in 2 processes; "
said=$(together 3 --check -i "$trace" -o pipeline.chain="profile whole_messages check" 2>&1)
like "a chain that stays in one domain" "$said" "^chain: in one domain, in the first process: 'whole_messages' follows"
together 3 -i "$trace" -o pipeline.chain="whole_messages check" >"$work/whole.3" 2>"$work/said"
is "is run by the first process, with a warning" "$(grep -c 'warning: processes = 3: chain: in one domain' "$work/said")" 1
"$plain" -q -i "$trace" -o pipeline.chain="whole_messages check" >"$work/whole.1" 2>/dev/null
same "and its results are those of one" "$work/whole.1" "$work/whole.3"
together 11 -q -i "$trace" -o pipeline.chain=check >"$work/check.11" 2>"$work/said"
"$plain" -q -i "$trace" -o pipeline.chain=check >"$work/check.1" 2>/dev/null
same "more processes than the trace has" "$work/check.1" "$work/check.11"
together 1 -q -i "$trace" -o pipeline.chain=check >"$work/check.one" 2>"$work/said"
same "one process" "$work/check.1" "$work/check.one"
together 1 -q -j 3 -i "$trace" -o pipeline.chain=check >"$work/check.one" 2>"$work/said"
same "one process with threads" "$work/check.1" "$work/check.one"
together 3 -q -j 3 -i "$trace" -o pipeline.chain=check >"$work/check.8" 2>"$work/said"
same "processes with unlike numbers of domains" "$work/check.1" "$work/check.8"
"$generate" bench --out "$work/wide" --locations 40 --events 40000 >/dev/null 2>&1
"$plain" -q -i "$work/wide/traces.otf2" -o pipeline.chain="check wait_states" >"$work/wide.1" 2>/dev/null
together 16 -q -i "$work/wide/traces.otf2" -o pipeline.chain="check wait_states" >"$work/wide.16" 2>"$work/said"
same "16 processes" "$work/wide.1" "$work/wide.16"
together 8 -q -j 4 -i "$work/wide/traces.otf2" -o pipeline.chain="check wait_states" >"$work/wide.32" 2>"$work/said"
same "8 processes of 4 threads" "$work/wide.1" "$work/wide.32"
summary=$(together 4 --summary -i "$trace" -o pipeline.chain=profile 2>&1 >/dev/null)
like "the summary is of all" "$summary" "$("$plain" -i "$trace" --summary -o pipeline.chain=profile 2>&1 >/dev/null |
    sed -n 's/tcflow: \([0-9,]* events of 8 locations\).*/\1/p')"
like "and names the slowest domain" "$summary" "in 4 domains, one a process.*domain [1-4] took longest"

# ------------------------------------------------------------------------------------------------------- streams --

# Each domain writes a stream, and these are read as one.
streams()
{
    rm -f "$work"/stream.*
    together "$@" -q -i "$trace" -o pipeline.chain="presync clc_forward stream_write" -o presync.unsynchronised=keep \
        -o presync.output=/dev/null -o clc_forward.output=/dev/null -o "stream_write.path=$work/stream.{domain}" >"$work/said" 2>&1 ||
        cat "$work/said"
    # shellcheck disable=SC2046 # words
    "$plain" -q -i "$(echo $(ls "$work"/stream.* | sed 's/^/stream:/'))" -o pipeline.chain="check print"
}
streams 1 >"$work/streams.1" 2>&1
like "streams of domains" "$(cat "$work/streams.1")" "^ENTER"
for how in 2 "3 -j 2"; do
    # shellcheck disable=SC2086 # words
    streams $how >"$work/streams.several" 2>&1
    same "of $how processes: as of one" "$work/streams.1" "$work/streams.several"
done
# shellcheck disable=SC2086 # words
comes_in_time "events in front of a rest come in time" $launch -n 2 "$mpi" -q
# shellcheck disable=SC2086 # words
comes_in_time "of two threads, too" $launch -n 1 "$mpi" -q -j 2

# ------------------------------------------------------------------------------------------------------- failures --

# refused STATUS NAME PATTERN PROCESSES ARGUMENT...: ends with this status and this reason, once
refused()
{
    status=$1 name=$2 pattern=$3
    shift 3
    fails "$status" "$name" together "$@"
    is "$name: the reason, once" "$(grep -Ec "$pattern" "$work/.fails")" 1 || diag "$(cat "$work/.fails")"
}
refused 2 "an option that is unknown" "nonsense" 3 --nonsense
refused 2 "a filter that is unknown" "nonesuch" 3 -i "$trace" -o pipeline.chain=nonesuch
refused 1 "a trace that is missing" "there is no folder" 3 -i "$work/nowhere/traces.otf2" -o pipeline.chain=profile
refused 2 "settings from standard input" "standard input" 2 -c -
refused 2 "what is tcflow's" "tcflow says" 2 --list-filters
"$plain" -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="$work/stream" 2>/dev/null
refused 2 "a stream" "is a stream, which one process reads" 2 -i "stream:$work/stream" -o pipeline.chain=profile

cp -r "$work/t" "$work/bad"
printf '\377\377\377\377\377\377\377\377' | dd of="$work/bad/traces/5.evt" bs=1 seek=20000 conv=notrunc 2>/dev/null
for chain in profile check "presync clc_forward clc_backward otf2_write"; do
    rm -rf "$work/never"*
    out=
    case $chain in
        profile | check) out="$chain.output" ;;
        *) out="otf2_write.path" ;;
    esac
    refused 1 "a damaged file of one process, $chain" "location 5 .*damaged" 4 -i "$work/bad/traces.otf2" \
        -o pipeline.chain="$chain" -o "$out=$work/never" -o pipeline.reports=
    like "$chain: says which process" "$(cat "$work/.fails")" "in process 3 of 4, on "
    ok "$chain: nothing is taken for complete" test ! -e "$work/never"
    [ "$out" != otf2_write.path ] || {
        ok "an archive that says that it is incomplete" test -e "$work/never.incomplete/traces.otf2"
        ok "which can be read" "$plain" -q -i "$work/never.incomplete/traces.otf2" -o pipeline.chain=pass
    }
done

refused 1 "a damaged file of one thread" "location 5 .*damaged" 2 -j 2 -i "$work/bad/traces.otf2" \
    -o pipeline.chain="presync clc_forward clc_backward otf2_write" -o otf2_write.path="$work/never" -o pipeline.reports=
like "says of which domain, in which process" "$(cat "$work/.fails")" "in domain 3 of 4"
like "and where that runs" "$(cat "$work/.fails")" "in process 2 of 2, on "
ok "nothing is taken for complete" test ! -e "$work/never"
ok "an archive of threads that says that it is incomplete" test -e "$work/never.incomplete/traces.otf2"
rm -rf "$work/never"*

# Each process finds its own files, as on nodes with disks of their own.
cat >"$work/apart" <<end
#!/bin/sh
case \${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-0}} in 2) at=$work/node ;; *) at=$work/t ;; esac
exec "$mpi" -q -i "\$at/traces.otf2" "\$@"
end
chmod +x "$work/apart"
# shellcheck disable=SC2086 # words
apart()
{
    timeout 120 $launch -n 4 "$work/apart" -o pipeline.chain=profile -o profile.output="$work/never"
}
apart_fails()
{
    fails 1 "$1" apart
    is "$1: the reason, once" "$(grep -Ec "$2" "$work/.fails")" 1 || diag "$(cat "$work/.fails")"
    ok "$1: no report" test ! -e "$work/never"
}
apart_fails "files that are missing on one node" "node/traces.otf2"
"$generate" bench --out "$work/node" --locations 8 --events 48000 >/dev/null 2>&1
apart_fails "another trace on one node" "process 3 reads another trace than process 1|process 3 finds other event files"
rm -rf "$work/node"
cp -r "$work/t" "$work/node"
rm "$work/node/traces/3.evt"
apart_fails "an event file that is missing on one node" "node/traces/3.evt|process 3 finds other event files"
rm -rf "$work/node"
cp -r "$work/t" "$work/node"
ok "copies of one trace" apart
rm -f "$work/never"

# A disk that is full for one process alone: the other ones write nothing there.
mkdir "$work/small"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=300k none "$work/small" 2>/dev/null; then
    refused 1 "a full disk" "No space left|could not be written" 4 -i "$trace" -o pipeline.chain=otf2_write \
        -o otf2_write.path="$work/small/copy"
    ok "a full disk: nothing is taken for complete" test ! -e "$work/small/copy"
    umount "$work/small"
else
    # Half of what the copy takes.
    limited() { (ulimit -f 60 && together 4 -i "$trace" -o pipeline.chain=otf2_write -o otf2_write.path="$work/small/copy"); }
    fails 1 "files that are too large" limited
    ok "files that are too large: nothing is taken for complete" test ! -e "$work/small/copy"
fi

# MPI makes no memory for one process alone, as where a folder is full: the others wait for it inside of MPI.
echo "int MPI_Win_allocate_shared(void) { return 16; }" >"$work/no_memory.c"
if ${CC:-cc} -shared -fPIC -o "$work/no_memory.so" "$work/no_memory.c" 2>/dev/null && ! is_instrumented; then
    cat >"$work/without" <<end
#!/bin/sh
[ "\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-0}}" -ne 0 ] || export LD_PRELOAD="$work/no_memory.so"
exec "$mpi" "\$@"
end
    chmod +x "$work/without"
    # shellcheck disable=SC2086 # words
    fails 1 "no memory for one process alone" timeout 60 $launch -n 3 "$work/without" -q -i "$trace" -o pipeline.chain=pass
    like "it says so" "$(cat "$work/.fails")" "MPI cannot make memory for the processes of a node"
fi

# An allocation fails in one process alone: of that which gathers, and of one that is gathered.
cat >"$work/poor" <<end
#!/bin/sh
[ "\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-0}}" -eq "\$POOR" ] || exec "$mpi" "\$@"
exec env ALLOCATIONS="$work/count" OF=/plugins/ LD_PRELOAD="$work/failing.so" "$mpi" "\$@"
end
chmod +x "$work/poor"
# poor RANK NUMBER: what is wrong with the run in which this allocation fails; "": nothing
poor()
{
    rm -rf "$work/reports"
    mkdir "$work/reports"
    # shellcheck disable=SC2086 # words
    POOR=$1 FAILING=$2 timeout 120 $launch -n 3 "$work/poor" -q -i "$trace" -o pipeline.chain="root_cause critical_path lateness" \
        -o root_cause.output="$work/reports/causes" -o critical_path.output="$work/reports/path" \
        -o lateness.output="$work/reports/late" >/dev/null 2>"$work/said"
    status=$?
    if [ $status -eq 0 ]; then
        diff -r "$work/reports" "$work/whole" >/dev/null 2>&1 || echo "rank $1, $2: other reports"
    elif [ $status -ne 1 ] || ! grep -q memory "$work/said"; then
        echo "rank $1, $2: status $status, $(head -c 300 "$work/said")"
    fi
    for report in "$work/reports"/*; do # of the filters in front of one that fails at its end, complete
        [ $status -eq 0 ] || [ ! -e "$report" ] || cmp -s "$report" "$work/whole/${report##*/}" || echo "rank $1, $2: $report"
    done
}
if nm -D "$mpi" 2>/dev/null | grep -Eq '__[at]san_init' || ! ${CC:-cc} -O1 -shared -fPIC -o "$work/failing.so" \
    "$top_srcdir/tests/framework/failing_memory.c" -ldl 2>/dev/null; then
    skip "allocations that fail" "no compiler, or a sanitizer has allocations of its own"
else
    for rank in 0 1; do
        poor $rank 0 >/dev/null
        rm -rf "$work/whole"
        mv "$work/reports" "$work/whole"
        n=$(sed -n 1p "$work/count") wrong=
        for k in 1 2 3 4 5 6 7 8; do
            wrong="$wrong$(poor $rank $((1 + (2 * k - 1) * n / 16)))"
        done
        ok "process $rank has allocations that may fail" test "$n" -gt 8
        is "process $rank, one of its $n allocations fails" "$wrong" ""
    done
fi

"$generate" bench --out "$work/long" --locations 8 --events 24000000 >/dev/null 2>&1
# Long enough for a signal to come in time on a fast machine.
# ends SIGNAL RANK [THREADS [CHAIN]]: a signal to one process while it runs; RANK all: to the launcher, which passes it on. The shell
# has processes in the background ignore SIGINT.
cat >"$work/noted" <<end
#!/bin/sh
echo \$\$ >"$work/pid.\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-0}}"
exec "$mpi" "\$@"
end
chmod +x "$work/noted"
ends()
{
    rm -rf "$work"/pid.* "$work"/copy*
    # shellcheck disable=SC2086 # words
    timeout 120 env --default-signal=INT $launch -n 4 "$work/noted" -j "${3:-1}" -i "$work/long/traces.otf2" -o pipeline.slice=16 \
        -o pipeline.chain="${4:-presync clc_forward clc_backward} otf2_write" -o presync.unsynchronised=keep \
        -o otf2_write.path="$work/copy" >/dev/null 2>"$work/said" &
    child=$!
    tries=0
    while [ ! -e "$work/copy.incomplete" ] && [ $tries -lt 600 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    sleep 0.1
    if [ "$2" = all ]; then
        kill "-$1" $child
    else
        kill "-$1" "$(cat "$work/pid.$2")"
    fi
    wait $child
    ended=$?
    [ $ended -ne 0 ] || grep -q "ended by SIG$1" "$work/said" # MPICH's launcher is content when it is interrupted
    tap $? "SIG$1 to $2: the run fails" || diag "$(cat "$work/said")"
    ok "SIG$1 to $2: nothing is taken for complete" test ! -e "$work/copy"
    ok "SIG$1 to $2: the outputs are named so" test -e "$work/copy.incomplete"
    left=0
    for k in 0 1 2 3; do
        tries=0
        while kill -0 "$(cat "$work/pid.$k")" 2>/dev/null && [ $tries -lt 200 ]; do
            sleep 0.05
            tries=$((tries + 1))
        done
        [ $tries -lt 200 ] || left=1
    done
    is "SIG$1 to $2: no process is left" $left 0
}
ends KILL 2
ends KILL 0
ends INT 1
like "SIGINT to 1: says so" "$(cat "$work/said")" "process 2 of 4.*interrupted|interrupted"
ends INT all
ends KILL 2 2
ends INT 0 2
for rank in 0 3; do # that gathers, and that is gathered
    ends KILL $rank 1 "presync root_cause critical_path lateness"
done
ends INT 2 2 "presync root_cause critical_path lateness"
done_testing
