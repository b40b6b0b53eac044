#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make validate-smpi`: Fig. 1 of the paper, with 2 to 32 ranks, each on a node of its own, in simulated time, so that each run
# comes out the same again. Programs run without the recorder, and with all functions recorded; each event then costs
# what COST says, of which nothing else is told. doc/overhead.md says what is compared and what came out.
#
# RANKS ("2 4 8 16 32"). ROWS: lines of "program arguments", instead of those below. COST: what an event costs, as
# RECORDER_COST of recorder.h. RENDEZVOUS: which sends overhead takes for waiting ("64KiB", as smpi_run() has it). OUT: folder
# for smpi.txt, smpi.tsv, and the constants, smpi.ini ("validation"). Ends with 77 when something is missing.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$here/smpi.sh"
rows=${ROWS:-"pi 310 1000
pi 31 10000
halo 20 256 512
nonblocking 100 3000 128
rooted 50 4000
rooted 20 1000
late_receiver 60 2000"}
export RECORDER_COST=${COST:-18e-9:9e-9:0.5}
! what=$(smpi_missing) || missing "$what"

# run PROGRAM RANKS [ARGUMENT...]: prints the seconds that the program says.
run()
{
    local program=$1 ranks=$2
    shift 2
    smpi_run "$ranks" "$work/$program" "$@" </dev/null >"$work/said" 2>&1 || { cat "$work/said" >&2; return 1; }
    awk '$1 == "seconds" { print $2 }' "$work/said"
}

build()
{
    local name
    smpi_setup
    for name in empty $(awk 'NF > 0 && !seen[$1]++ { print $1 }' <<<"$rows"); do
        smpi_bare "$here/$name.c" "$work/$name.bare"
        smpi_recorded "$here/$name.c" "$work/$name.full" -finstrument-functions
    done
}

# The constants: from calls of an empty function in the same recorder, and from a ping-pong between two processes of one
# node, where a message is two copies, and no network.
calibrate()
{
    RECORDER_OUT=$work/empty run empty.full 2 20000 >/dev/null
    printf 'node0\nnode0\n' >"$work/one_node"
    cat >"$work/two" <<EOF
here='$here' work='$work' SMPIRUN='$SMPIRUN' SMPI_HOSTS='$work/one_node'
. "\$here/smpi.sh"
smpi_run 2 "\$@"
EOF
    MPICC=$SMPICC "$calibrate" --tcflow "$tcflow" --archive "$work/empty/traces.otf2" --copy mpi --sizes 8:64k \
        --mpirun "sh '$work/two'" >"$out/smpi.ini" 2>"$work/stderr" || { cat "$work/stderr" >&2; return 1; }
    use_constants "$out/smpi.ini"
    echo "rendezvous = ${RENDEZVOUS:-64KiB}" >>"$work/overhead.ini"
}

# row RANKS PROGRAM [ARGUMENT...]
row()
{
    local ranks=$1 name=$2 bare
    shift 2
    bare=$(run "$name.bare" "$ranks" "$@")
    rm -rf "$work/trace"
    RECORDER_OUT=$work/trace run "$name.full" "$ranks" "$@" >/dev/null
    printf '%s\t' "$name${*:+ }$*" "$ranks" "$bare" "$(interval "$work/trace" "select print")" \
        "$(compensated "$work/trace" lower)" "$(compensated "$work/trace" mean)"
    compensated "$work/trace" upper
}

# The columns that follow from the others: the share of the overhead that is removed, and by how much of it the unmeasured
# time lies outside of lower and upper, in percent.
shares()
{
    awk -F'\t' -v OFS='\t' '
        function removed(time) { return sprintf("%.1f", 100 * ($4 - time) / ($4 - $3)) }
        function outside() { return $3 < $5 ? $5 - $3 : $3 > $7 ? $3 - $7 : 0 }
        NR == 1 { print $0, "dilation", "removed_lower", "removed_mean", "removed_upper", "outside"; next }
        { print $0, sprintf("%.2f", $4 / $3), removed($5), removed($6), removed($7),
                sprintf("%.2f", 100 * outside() / ($4 - $3)) }'
}

as_text()
{
    awk -F'\t' '
        NR == 1 { printf "%-26s %5s  %9s %9s %8s %9s %9s %9s   %s\n", "program", "ranks", "unmeas.", "measured",
                         "dilation", "lower", "mean", "upper", "removed [%]: lower, mean, upper; outside"
                  next }
        { printf "%-26s %5d  %9.4f %9.4f %8s %9.4f %9.4f %9.4f   %6s %6s %6s; %5s\n", $1, $2, 1e3 * $3, 1e3 * $4, $8,
                 1e3 * $5, 1e3 * $6, 1e3 * $7, $9, $10, $11, $12 }
        END { print "simulated times in ms" }'
}

build
calibrate
{
    printf '%s\t' program ranks unmeasured measured lower mean
    printf 'upper\n'
    while read -r -a words; do
        [ ${#words[@]} -gt 0 ] || continue
        for ranks in ${RANKS:-2 4 8 16 32}; do
            row "$ranks" "${words[@]}"
        done
    done <<<"$rows"
} | shares >"$out/smpi.tsv"
as_text <"$out/smpi.tsv" | tee "$out/smpi.txt"
