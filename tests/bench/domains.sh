#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make bench-domains`: what domains save and cost (doc/parallel.md).
#
#   tests/bench/domains.sh [speed|cost]...          both by default
#
# speed: time on the clock, so nothing else may run; two cores. One domain, two by threads, by processes of MPI, and two programs at
# once, each over a trace of half of the processes: what two cores can give. EVENTS (60000000) of 64 locations.
# cost: CPU time, user + system, of 1 to 64 domains, their memory, letters, the longest chain of batches that waited for each other,
# and that of steps from domain to domain which the trace itself has. Over 2 / 5 of EVENTS of 1,024 locations, and over traces where
# domains have much to say to each other, EVENTS / 15 of 256 locations: all to all, and a long pipeline.
# The programs of a row run in turn; RUNS (3) times each, the least counts. CHAINS: only rows whose names match this regular
# expression. Traces lie in SCRATCH (a folder in /dev/shm): 2 GB by default, with the copies that are written.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/scratch.sh" bench-domains
generate=$top_builddir/tests/support/generate/trace
synth=$top_builddir/tcflow-synth
examples=$here/../../examples
events=${EVENTS:-60000000}
runs=${RUNS:-3}
launch="${MPIRUN:-mpirun} --quiet --bind-to none"
case $("${MPIRUN:-mpirun}" --version 2>/dev/null) in *Open*) ;; *) launch=${MPIRUN:-mpirun} ;; esac
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

# Sets `words`, the options of a row, by its name; what it writes goes to $work/out.$1.
statistics="profile load_imbalance comm_comp comm_matrix time_profile message_histogram io"
options()
{
    local out=$work/out.$1
    words=(-q --no-progress)
    case $2 in
        statistics) words+=(-o pipeline.chain="$statistics") ;;
        copy) words+=(-o pipeline.chain=otf2_write -o otf2_write.path="$out" -o otf2_write.overwrite=yes) ;;
        "corrected copy") words+=(-o pipeline.chain="presync clc_forward clc_backward otf2_write" -o presync.unsynchronised=keep
            -o otf2_write.path="$out" -o otf2_write.overwrite=yes) ;;
        correct.ini) words+=(-c "$examples/correct.ini" -o otf2_write.path="$out" -o otf2_write.overwrite=yes) ;;
        *) words+=(-o pipeline.chain="$2") ;;
    esac
    [ "${memory:-256MiB}" = default ] || words+=(-o pipeline.memory="${memory:-256MiB}")
}

# Seconds of a run, as its summary says: on the clock, and of the CPU; letters and more in $work/said.
run()
{
    local out=$1
    shift
    "$@" --summary -v </dev/null >"$work/printed.$out" 2>"$work/said.$out" || { cat "$work/said.$out" >&2; return 1; }
    sed -n 's/^tcflow: .* events of .* in \([0-9.]*\) s .*, \([0-9.]*\) s of CPU time.*/\1 \2/p' "$work/said.$out"
}
clock() { run "$@" | awk '{ print $1 }'; }

least() { sort -n | head -n 1; }

# ------------------------------------------------------------------------------------------------------------- speed --

one() { options 0 "$1"; clock 0 "$tcflow" -i "$work/whole/traces.otf2" -j 1 "${words[@]}"; }
two() { options 0 "$1"; clock 0 "$tcflow" -i "$work/whole/traces.otf2" -j 2 "${words[@]}"; }
mpi_one() { options 0 "$1"; clock 0 $launch -n 1 "$tcflow-mpi" -i "$work/whole/traces.otf2" "${words[@]}"; }
mpi_two() { options 0 "$1"; clock 0 $launch -n 2 "$tcflow-mpi" -i "$work/whole/traces.otf2" "${words[@]}"; }
# Two programs at once: the time of the one that takes longer.
halves()
{
    local k
    for k in 1 2; do
        options $k "$1"
        clock $k "$tcflow" -i "$work/half$k/traces.otf2" -j 1 "${words[@]}" >"$work/time.$k" &
    done
    wait
    cat "$work/time.1" "$work/time.2" | sort -n | tail -n 1
}

speed()
{
    local chain kind kinds="one two halves"
    "$generate" bench --locations 64 --events "$events" --skew 100000 --out "$work/whole" >/dev/null
    for k in 1 2; do
        "$generate" bench --locations 32 --events $((events / 2)) --skew 100000 --out "$work/half$k" >/dev/null
    done
    if [ -x "$tcflow-mpi" ] && $launch -n 2 "$tcflow-mpi" --version >/dev/null 2>&1; then
        kinds="one two mpi_one mpi_two halves"
    fi
    echo "Seconds on the clock, $events events of 64 locations; load $(cut -d ' ' -f 1-3 /proc/loadavg)"
    echo "| chain | \`-j 1\` | \`-j 2\` | speed-up | goal | of two programs' | \`mpirun -n 1\` | \`-n 2\` | speed-up | of two programs' | two programs |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|"
    while read -r goal chain; do
        [[ $chain =~ ${CHAINS:-} ]] || continue
        local -A times=()
        for ((k = 0; k < runs; k++)); do
            for kind in $kinds; do
                times[$kind]+="$($kind "$chain")"$'\n'
                rm -rf "$work"/out.*
            done
        done
        for kind in $kinds; do
            times[$kind]=$(printf '%s' "${times[$kind]}" | least)
        done
        awk -v chain="$chain" -v goal="$goal" -v a="${times[one]}" -v b="${times[two]}" -v m="${times[mpi_one]:-0}" \
            -v n="${times[mpi_two]:-0}" -v h="${times[halves]}" 'BEGIN {
            printf "| %s | %.3f | %.3f | %.2f | %s | %.2f ", chain, a, b, a / b, goal, h / b
            if (n > 0) printf "| %.3f | %.3f | %.2f | %.2f ", m, n, m / n, h / n
            else printf "| | | | "
            printf "| %.3f |\n", h }'
    done <<end
1.7 profile
1.7 statistics
1.7 check
1.6 copy
1.6 corrected copy
1.6 wait_states
1.6 correct.ini
end
}

# -------------------------------------------------------------------------------------------------------------- cost --

# steps TRACE N: from domain to domain one after another, whatever the machine (chain/chain.c)
steps()
{
    "$tcflow" -v --no-progress -i "$1" -j 1 --plugin-path "$top_builddir/tests/bench/chain/.libs" -o pipeline.chain=chain \
        -o chain.domains="$2" 2>&1 >/dev/null | sed -n 's/.* \([0-9]*\) steps from domain to domain.*/\1/p'
}

# costs NAME TRACE CHAIN: a row for each number of domains
costs()
{
    local name=$1 trace=$2 chain=$3 n cpu memory=default first=
    [ "$chain" != correct.ini ] || memory=1GiB
    [[ "$name $chain" =~ ${CHAINS:-} ]] || return 0
    local -A times=()
    local numbers=${DOMAINS:-1 2 4 8 16 64}
    for ((k = 0; k < runs; k++)); do
        for n in $numbers; do
            options 0 "$chain"
            times[$n]+="$(run 0 "$tcflow" -i "$trace" -j "$n" "${words[@]}" | awk '{ print $2 }')"$'\n'
            mv "$work/said.0" "$work/said.$n"
            rm -rf "$work"/out.*
        done
    done
    for n in $numbers; do
        cpu=$(printf '%s' "${times[$n]}" | least)
        first=${first:-$cpu}
        awk -v name="$name, \`$chain\`" -v n="$n" -v cpu="$cpu" -v first="$first" -v steps="$(steps "$trace" "$n")" '
            /MiB of memory at most/ { memory = $2 }
            /: in [0-9]* domains: / { # of surveys, too
                for (i = 1; i <= NF; i++) {
                    if ($i ~ /^letters/) letters += $(i - 1)
                    if ($i == "an" && $(i + 1) ~ /^event/ && $(i - 1) == "bytes") bytes += $(i - 2)
                    if ($i == "each" && $(i + 1) == "had") chain += $(i - 2)
                }
            }
            END { printf "| %s | %d | %.2f s | %+.0f %% | %d | %.3f | %d, %d | %.1f MiB |\n", name, n, cpu, (cpu / first - 1) * 100, letters,
                bytes, chain, steps, memory }' "$work/said.$n"
    done
}

cost()
{
    "$generate" bench --locations 1024 --events $((events * 2 / 5)) --skew 100000 --out "$work/halo" >/dev/null
    "$synth" "$work/alltoall" --ranks 256 --events $((events / 15)) --pattern alltoall --clock offset=50us,drift=2 >/dev/null
    "$synth" "$work/pipeline" --ranks 256 --events $((events / 15)) --pattern pairs --clock offset=50us,drift=2 >/dev/null
    echo "CPU time, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
    echo "| trace, chain | domains | CPU time | | letters | bytes an event | longest chain of batches, of steps | memory |"
    echo "|---|---|---|---|---|---|---|---|"
    for chain in check wait_states correct.ini; do
        costs halo "$work/halo/traces.otf2" $chain
    done
    for trace in alltoall pipeline; do
        for chain in check wait_states; do
            costs $trace "$work/$trace/traces.otf2" $chain
        done
    done
}

[ $# -gt 0 ] || set -- speed cost
for part; do
    $part
    rm -rf "${work:?}"/*
done
