#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make validate`: how much of what measurement costs does `overhead` take out of a trace? Programs that run unmeasured,
# with MPI recorded, and with all functions recorded; their times, and those of the compensated traces. doc/overhead.md says
# what is compared and what came out.
#
# RUNS (5) runs of each kind, in turn; of each the shortest counts. RANKS ("2 4 8"). ROWS: lines of "[VARIABLE=value...]
# program arguments", instead of those below. LAUNCH: words before mpirun, as "chrt -f 1" on a machine that others use.
# OUT: folder for table.txt, table.tsv, perturbation.tsv, and the constants, overhead.ini ("validation"). Ends with 77
# when something is missing. For root, Open MPI wants OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
runs=${RUNS:-5}
cores=$(nproc)
rows=${ROWS:-"pi 300 10000
RECORDER_CHUNKS=8 pi 300 10000
halo 500 256 512
halo 500 256 512 jacobi
nonblocking 1000 3000 128
nonblocking 1000 3000 128 wake
pi 300 10000 4"}

command -v mpicc >/dev/null || missing "mpicc (Debian: libopenmpi-dev)"
command -v mpirun >/dev/null || missing "mpirun (Debian: openmpi-bin)"
otf2=$(pkg-config --cflags --libs otf2 2>/dev/null || otf2-config --cflags --ldflags --libs 2>/dev/null) ||
    missing "OTF2 (Debian: libotf2-trace-dev)"

settings=() # of the row at hand

# ------------------------------------------------------------------------------------------------------------- programs

# The same three programs of each source: bare, with MPI recorded, with all functions recorded.
build()
{
    local name recorder=()
    for name in recorder_archive recorder_functions recorder_mpi; do
        mpicc -O2 -c "$here/$name.c" -o "$work/$name.o"
        recorder+=("$work/$name.o")
    done
    for name in pi halo nonblocking empty; do
        mpicc -O2 -c "$here/$name.c" -o "$work/$name.o"
        mpicc -O2 -finstrument-functions -c "$here/$name.c" -o "$work/$name.full.o"
        mpicc "$work/$name.o" -lm -o "$work/$name.bare"
        # shellcheck disable=SC2086 # words
        mpicc -rdynamic "$work/$name.o" "${recorder[@]}" $otf2 -ldl -lm -o "$work/$name.mpi"
        # shellcheck disable=SC2086
        mpicc -rdynamic "$work/$name.full.o" "${recorder[@]}" $otf2 -ldl -lm -o "$work/$name.full"
    done
}

# launch RANKS PROGRAM ARGUMENT...: prints the seconds that the program says. Its trace is $work/new then.
launch()
{
    local ranks=$1 options=(--bind-to core)
    shift
    [ "$ranks" -le "$cores" ] || options=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
    rm -rf "$work/new"
    # shellcheck disable=SC2086
    RECORDER_OUT=$work/new env "${settings[@]}" \
        timeout 300 ${LAUNCH:-} mpirun -n "$ranks" "${options[@]}" "$@" </dev/null >"$work/said" 2>&1 ||
        { cat "$work/said" >&2; return 1; }
    awk '$1 == "seconds" { print $2 }' "$work/said"
}

less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

# shortest VARIABLE TIME: keeps the smaller one in it; true when it is the new one.
shortest()
{
    if [ -z "${!1:-}" ] || less "$2" "${!1}"; then
        printf -v "$1" '%s' "$2"
        return 0
    fi
    return 1
}

# --------------------------------------------------------------------------------------------------------------- traces

# The most events of a process, of the report of the last compensation.
most_events()
{
    awk -F, '$1 == "locations" && $4 > n { n = $4 } END { print n }' "$work/report"
}

# ----------------------------------------------------------------------------------------------------------------- cost

# The constants: tcflow-calibrate reads the shortest of some runs of calls of an empty function.
calibrate()
{
    local time best
    for ((k = 0; k < runs; k++)); do
        time=$(launch 2 "$work/empty.full" 1000000)
        if shortest best "$time"; then
            rm -rf "$work/empty"
            mv "$work/new" "$work/empty"
        fi
    done
    "$calibrate" --tcflow "$tcflow" --archive "$work/empty/traces.otf2" --copy mpi --sizes 8:1M \
        --mpirun "${LAUNCH:-} mpirun -n 2" >"$out/overhead.ini" 2>"$work/stderr" ||
        { cat "$work/stderr" >&2; return 1; }
    use_constants "$out/overhead.ini"
    cost=$(sed -n 's/^event = \([0-9.]*\)ns.*/\1/p' "$out/overhead.ini")
}

# ----------------------------------------------------------------------------------------------------------------- rows

# run_all RANKS PROGRAM ARGUMENT...: $bare, $mpi, $full become the shortest times; the traces of the last two are in
# $work/kept_mpi and $work/kept.
run_all()
{
    local ranks=$1 name=$2 time
    shift 2
    bare="" mpi="" full=""
    for ((k = 0; k < runs; k++)); do
        time=$(launch "$ranks" "$work/$name.bare" "$@")
        shortest bare "$time" || :
        time=$(launch "$ranks" "$work/$name.mpi" "$@")
        if shortest mpi "$time"; then
            rm -rf "$work/kept_mpi"
            mv "$work/new" "$work/kept_mpi"
        fi
        time=$(launch "$ranks" "$work/$name.full" "$@")
        if shortest full "$time"; then
            rm -rf "$work/kept"
            mv "$work/new" "$work/kept"
        fi
    done
}

# own_cost RANKS PROGRAM STEPS ARGUMENT...: what an event costs in this very program: with it, runs of a third of the
# length are compensated to just the time of the unmeasured ones.
own_cost()
{
    local ranks=$1 name=$2 steps=$3
    shift 3
    run_all "$ranks" "$name" $((steps / 3)) "$@"
    "$calibrate" --tcflow "$tcflow" --copy none --own "$work/kept/traces.otf2" --unmeasured "${bare}s" \
        --between MPI_Barrier 2>/dev/null | sed -n 's/^event = \([0-9.]*\)ns.*/\1/p' | grep . || echo - # too short to tell
}

# perturbed RANKS PROGRAM ARGUMENT...: a line a process, computation and waiting in ms: with MPI recorded alone, with
# all functions recorded, and compensated.
perturbed()
{
    compensated "$work/kept_mpi" lower >/dev/null
    cp "$work/report" "$work/report.mpi"
    compensated "$work/kept" lower >/dev/null
    awk -F, -v OFS='\t' -v what="${*:2}" -v ranks="$1" '
        $1 == "table" { for (i = 2; i <= NF; i++) { split($i, name, " "); at[name[1]] = i } }
        function ms(run, share) { return sprintf("%.2f", 10 * $at[run] * $at[share]) }
        $1 != "locations" { next }
        NR == FNR { computed[$2] = ms("measured", "computation_before")
                    waited[$2] = ms("measured", "waiting_before")
                    next }
        { print what, ranks, $2, computed[$2], ms("measured", "computation_before"), ms("approximated", "computation"),
                waited[$2], ms("measured", "waiting_before"), ms("approximated", "waiting") }
    ' "$work/report.mpi" "$work/report" >>"$out/perturbation.tsv"
}

# row RANKS PROGRAM ARGUMENT...
row()
{
    local measured lower mean upper least owns=- own=-
    [ "$1" -gt "$cores" ] || own=$(own_cost "$@")
    run_all "$@"
    measured=$(interval "$work/kept" "select print")
    least=$(compensated "$work/kept" lower -o overhead.carry=0)
    [ "$own" = - ] || owns=$(compensated "$work/kept" likely -o "overhead.event=${own}ns" -o overhead.kinds=)
    mean=$(compensated "$work/kept" mean)
    upper=$(compensated "$work/kept" upper)
    perturbed "$@"
    lower=$(compensated "$work/kept" lower)
    printf '%s\t' "${settings[*]}${settings:+ }${*:2}" "$1" "$cores" "$(most_events)" "$cost" "$bare" "$mpi" \
        "$measured" "$lower" "$mean" "$upper" "$least" "$own"
    printf '%s\n' "$owns"
}

# whole COLUMN [OPTION...]: that column of the table `total` for the EZTrace trace in $work/kept: first to last event.
whole()
{
    local column=$1
    shift
    "$tcflow" -q -i "$work"/kept/*/*.otf2 -c "$work/eztrace.ini" -o pipeline.chain=overhead -o overhead.format=csv \
        -o "overhead.output=$work/report" -o overhead.overwrite=yes "$@" 2>/dev/null
    awk -F, -v name="$column" '
        $1 == "table" && !n { for (i = 2; i <= NF; i++) if (index($i, name " ") == 1) n = i }
        $1 == "total" { printf "%.6f\n", $n }' "$work/report"
}

# The same with EZTrace, a measurement system of others, and constants of its own: calls of pthreads in one process.
eztrace_row()
{
    local bare="" full="" time own_cost
    ${CC:-cc} -O2 "$here/mutex.c" -o "$work/mutex" -lpthread
    # shellcheck disable=SC2016
    "$calibrate" --tcflow "$tcflow" --copy none --estimate mean --calls 300000 \
        --run "${LAUNCH:-} eztrace -t pthread -o \$TCFLOW_DIR \$TCFLOW_LOOP" >"$work/calibrated" 2>/dev/null || return 0
    { echo '[pipeline]'; grep -v '^;' "$work/calibrated"; } >"$work/eztrace.ini"
    own_cost=$(sed -n 's/^event = \([0-9.]*\)ns.*/\1/p' "$work/calibrated")
    for ((k = 0; k < runs; k++)); do
        # shellcheck disable=SC2086
        time=$(${LAUNCH:-} "$work/mutex" 300000 30 | awk '{ print $2 }')
        shortest bare "$time" || :
        rm -rf "$work/new"
        # shellcheck disable=SC2086
        time=$(${LAUNCH:-} eztrace -t pthread -o "$work/new" "$work/mutex" 300000 30 2>&1 |
            awk '$1 == "seconds" { print $2 }')
        if shortest full "$time"; then
            rm -rf "$work/kept"
            mv "$work/new" "$work/kept"
        fi
    done
    printf '%s\t' "mutex (EZTrace)" 1 "$cores" 1200000 "$own_cost" "$bare" - "$(whole measured)" \
        "$(whole approximated)" - - "$(whole approximated -o overhead.carry=0)" -
    printf '%s\n' -
}

# The columns that follow from the others.
shares()
{
    awk -F'\t' -v OFS='\t' '
        function removed(time) { return time == "-" || $8 <= $6 ? "-" : sprintf("%.1f", 100 * ($8 - time) / ($8 - $6)) }
        NR == 1 { print $0, "dilation", "removed_lower", "removed_mean", "removed_upper", "removed_no_carry",
                        "removed_own"
                  next }
        { print $0, sprintf("%.2f", $8 / $6), removed($9), removed($10), removed($11), removed($12), removed($14) }'
}

as_text()
{
    awk -F'\t' '
        NR == 1 { printf "%-32s %5s  %11s %11s %11s %8s %11s %11s %11s   %s\n", "program", "ranks", "unmeas.", "MPI",
                  "measured", "dilation", "lower", "mean", "upper",
                         "removed [%]: lower, mean, upper; lower: no carry, own cost"
                  next }
        { printf "%-32s %4d%s  %11s %11s %11s %8s %11s %11s %11s   %6s %6s %6s; %6s %6s (%s ns)\n", $1, $2,
                 ($2 > $3 ? "*" : " "), $6, $7, $8, $15, $9, $10, $11, $16, $17, $18, $19, $20, $13 }
        END { print "times in seconds; * more processes than cores" }'
}

build
calibrate
printf '%s\t' program ranks process computation computation_measured computation_lower waiting waiting_measured \
    >"$out/perturbation.tsv"
echo waiting_lower >>"$out/perturbation.tsv"
{
    printf '%s\t' program ranks cores events event_ns unmeasured mpi measured lower mean upper no_carry own_event_ns
    printf 'own\n'
    for ranks in ${RANKS:-2 4 8}; do
        while read -r -a words; do
            settings=()
            [ ${#words[@]} -gt 0 ] || continue
            while [[ ${words[0]} == *=* ]]; do
                settings+=("${words[0]}")
                words=("${words[@]:1}")
            done
            row "$ranks" "${words[@]}"
        done <<<"$rows"
    done
    ! command -v eztrace >/dev/null || eztrace_row
} | shares >"$out/table.tsv"
{
    echo "$(date -u +%Y-%m-%d), $cores cores, load $(cut -d ' ' -f 1-3 /proc/loadavg), $runs runs, event ${cost} ns"
    as_text <"$out/table.tsv"
} | tee "$out/table.txt"
