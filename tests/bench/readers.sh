#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make bench-readers`: what readers of other formats cost, and the memory that they and the sink `calls` take over the length.
#
#   tests/bench/readers.sh [speed|memory]...          both by default
#
# speed: CPU time (user + system) of `tcflow` with the chain `pass`, of JSON beside yajl with callbacks that do nothing; medians of
# RUNS (5) in turn, EVENTS (2000000) of a file. memory: peak resident memory at each of LENGTHS ("100000 1000000 10000000") events.
# Files lie in SCRATCH (/dev/shm), temporary ones in TMPDIR.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/scratch.sh" bench-readers
runs=${RUNS:-5}
quiet=("$tcflow" -q --no-progress)

# make FORMAT N: the file $work/FORMAT
make_file()
{
    case $1 in
    json | perfetto)
        "$top_builddir/tests/support/generate/trace" bench --locations 16 --events "$2" --out "$work/trace" >/dev/null
        "${quiet[@]}" -i "$work/trace/traces.otf2" -o pipeline.chain=perfetto_trace -o perfetto_trace.path="$work/$1" \
            -o perfetto_trace.format="${1/perfetto/protobuf}" -o perfetto_trace.max_bytes=0 -o perfetto_trace.overwrite=yes
        rm -rf "$work/trace"
        ;;
    *) rm -f "$work/$1" && python3 "$here/readers.py" "$1" "$2" "$work/$1" ;;
    esac
}

# cpu COMMAND...: its user + system seconds
cpu()
{
    local TIMEFORMAT='%U %S' t
    t=$({ time "$@" >/dev/null 2>"$work/stderr"; } 2>&1) || { cat "$work/stderr" >&2; return 1; }
    awk '{ printf "%.3f\n", $1 + $2 }' <<<"$t"
}

median()
{
    sort -n | awk '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] }'
}

# peak OPTION...: MiB of a run
peak()
{
    "$tcflow" -q --summary=json "$@" 2>&1 >/dev/null | sed -n 's/.*"peak_bytes": \([0-9]*\).*/\1/p' | awk '{ printf "%.1f", $1 / 1048576 }'
}

speed()
{
    local n=${EVENTS:-2000000} format k a b
    printf '| file | MB | yajl s | tcflow s | yajl : tcflow |\n|---|---|---|---|---|\n'
    for format in json pytorch; do
        make_file "$format" "$n"
        a=() b=()
        for ((k = 0; k < runs; k++)); do
            a+=("$(cpu "$top_builddir/tests/bench/bare-json" "$work/$format")")
            b+=("$(cpu "${quiet[@]}" -i "$work/$format" -o pipeline.source=chrome -o pipeline.chain=pass)")
        done
        awk -v label="$format" -v bytes="$(wc -c <"$work/$format")" -v a="$(printf '%s\n' "${a[@]}" | median)" \
            -v b="$(printf '%s\n' "${b[@]}" | median)" 'BEGIN {
            printf "| %s | %.0f | %.2f | %.2f | %.2f |\n", label, bytes / 1e6, a, b, a / b }'
        rm -f "$work/$format"
    done
    printf '\n| file | MB | s | million rows a second |\n|---|---|---|---|\n'
    for format in nsight csv perfetto; do
        make_file "$format" "$n"
        a=()
        for ((k = 0; k < runs; k++)); do
            a+=("$(cpu "${quiet[@]}" -i "$work/$format" -o pipeline.source="$format" -o pipeline.chain=pass)")
        done
        awk -v label="$format" -v bytes="$(wc -c <"$work/$format")" -v n="$n" -v a="$(printf '%s\n' "${a[@]}" | median)" 'BEGIN {
            printf "| %s | %.0f | %.2f | %.2f |\n", label, bytes / 1e6, a, n / a / 1e6 }'
        rm -f "$work/$format"
    done
}

memory()
{
    local lengths=${LENGTHS:-100000 1000000 10000000} format n
    printf '\n| peak MiB | %s |\n|---|%s\n' "${lengths// / | }" "$(sed 's/[0-9]*/---|/g; s/ //g' <<<"$lengths")"
    for format in json pytorch perfetto csv nsight; do
        printf '| %s |' "$format"
        for n in $lengths; do
            make_file "$format" "$n"
            case $format in json | pytorch) reader=chrome ;; *) reader=$format ;; esac
            printf ' %s |' "$(peak -i "$work/$format" -o pipeline.source="$reader" -o pipeline.chain=pass)"
            rm -f "$work/$format"
        done
        printf '\n'
    done
    for format in csv sqlite; do
        printf '| calls, %s |' "$format"
        for n in $lengths; do
            "$top_builddir/tests/support/generate/trace" bench --locations 16 --events "$n" --out "$work/trace" >/dev/null
            printf ' %s |' "$(peak -i "$work/trace/traces.otf2" -o pipeline.chain=calls -o calls.path="$work/calls.$format" \
                -o calls.format=$format -o calls.max_calls=0)"
            rm -rf "$work/trace" "$work/calls.$format"
        done
        printf '\n'
    done
}

for part in "${@:-speed memory}"; do
    for p in $part; do "$p"; done
done
