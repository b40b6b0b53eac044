#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make validate-scaling-real`: tcflow-scaling on real programs of Debian, LAMMPS and HPCC with small inputs, which are run
# under Open MPI on this machine with the recorder of this folder preloaded, so that calls of MPI are recorded. Nobody knows the
# truth here: the answers are shown beside what the program says of itself, and the run fails where no answer comes.
#
# SIZES ("2 4 8"), REPEATS (2): runs. PROGRAMS ("lammps hpcc"). OUT: folder for NAME.txt, NAME.html and what the programs said
# ("validation"). KEEP: a folder where traces and databases stay. Programs that aren't there are skipped with a word; ends with
# 77 when all are, or something else is missing. For root, Open MPI wants OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top_builddir=${top_builddir:-$here/../../../build}
scaling=$(realpath "${SCALING:-$top_builddir/tcflow-scaling}")
mkdir -p "${OUT:-validation}"
out=$(cd "${OUT:-validation}" && pwd)

missing()
{
    echo "validate-scaling-real: $* is missing: nothing to be done here" >&2
    exit 77
}
command -v mpicc >/dev/null || missing "mpicc (Debian: libopenmpi-dev)"
command -v mpirun >/dev/null || missing "mpirun (Debian: openmpi-bin)"
[ -x "$scaling" ] || missing "$scaling"
otf2=$(pkg-config --cflags --libs otf2 2>/dev/null || otf2-config --cflags --ldflags --libs 2>/dev/null) ||
    missing "OTF2 (Debian: libotf2-trace-dev)"

base=${SCRATCH:-/dev/shm}
[ -w "$base" ] || base=${TMPDIR:-/tmp}
work=$(mktemp -d "$base/tcflow-real.XXXXXX")
trap 'rm -rf "$work"' EXIT
traces=$work
if [ -n "${KEEP:-}" ]; then
    mkdir -p "$KEEP"
    traces=$(cd "$KEEP" && pwd)
fi
# shellcheck disable=SC2086 # words
mpicc -O2 -fPIC -shared "$here"/../recorder_*.c $otf2 -ldl -o "$work/librecorder.so"

# Each of the following runs a program in an empty folder: NAME RANKS. start() is mpirun with the recorder.
start()
{
    mpirun -n "$1" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -x RECORDER_OUT \
        -x LD_PRELOAD="$work/librecorder.so" -x OMP_NUM_THREADS=1 -x OPENBLAS_NUM_THREADS=1 "${@:2}"
}

lammps() # a Lennard-Jones liquid of 6,912 atoms, 100 steps
{
    cat >in.lj <<'END'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 12 0 12 0 12
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 20
run 100
END
    start "$1" lmp -in in.lj -log none
}

hpcc() # the example's input, with a matrix of order 400 on a grid of 1 or 2 rows
{
    local rows=$(($1 % 2 == 0 && $1 > 2 ? 2 : 1))
    sed -e '6s/^1000 /400 /' -e "11s/^2 /$rows /" -e "12s/^2 /$(($1 / rows)) /" /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
    start "$1" hpcc
}

run_all() # NAME
{
    local name=$1 ranks k anchors=()
    for ((k = 1; k <= ${REPEATS:-2}; k++)); do
        for ranks in ${SIZES:-2 4 8}; do
            local folder=$work/$name-$ranks-$k said=$out/$name-$ranks-$k.said
            export RECORDER_OUT=$traces/$name/$ranks-$k
            rm -rf "$RECORDER_OUT"
            mkdir -p "$folder" "$traces/$name"
            if ! (cd "$folder" && timeout 600 "$BASH" -c "$(declare -f start "$name"); work='$work'; $name $ranks") >"$said" 2>&1 </dev/null; then
                tail -n 20 "$said" >&2
                echo "$name with $ranks ranks has failed" >&2
                return 1
            fi
            anchors+=("$RECORDER_OUT/traces.otf2")
        done
    done
    "$scaling" --scaling strong --overwrite ${KEEP:+--keep "$traces/databases"} --html "$out/$name.html" "${anchors[@]}" \
        2>"$out/$name.err" | tee "$out/$name.txt" || { cat "$out/$name.err" >&2; return 1; }
}

some=0
for name in ${PROGRAMS:-lammps hpcc}; do
    case $name in
    lammps) program=lmp ;;
    hpcc) program=hpcc ;;
    *)
        echo "validate-scaling-real: PROGRAMS: '$name' is none of lammps and hpcc" >&2
        exit 2
        ;;
    esac
    if ! command -v "$program" >/dev/null; then
        echo "$name: skipped, $program is missing (Debian: $name)"
    else
        some=1
        echo "$name"
        run_all "$name"
    fi
done
[ "$some" = 1 ] || missing "each of these programs"
