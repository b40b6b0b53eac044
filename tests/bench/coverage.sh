#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make bench-coverage`: do error bars hold? Simulated programs of all kinds of traffic, clocks and sharing, with seeds from FIRST
# (1) on, PER_ROW (20) a row.
#
#   tests/bench/coverage.sh [CLOCK]...        lines stated waves walk jumps; all by default
#
# Each program goes through survey = clock_estimate mu_estimate, presync, clc_forward, clc_backward; each event is compared with the
# true trace, and its error with the bar and the likely error that clock_report states for its location behind CLC. A row is a kind of clocks and of
# sharing: a clock a node, a clock a process, or one clock; measured at both ends, or not at all. A clock without a bar counts as one
# with an infinite bar. All rates stay below most_rate. The rates of lines don't change, and those of `stated` change by no more than
# drift_rate says (2e-5, the same waves otherwise): there bars are a guarantee. Waves, walks and jumps change rates by more than
# drift_rate allows: there bars are an estimate. Exit status 1: an event of a guarantee lies outside. VERBOSE=1 shows programs with
# events outside of bars.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/scratch.sh" coverage
export LC_ALL=C

# hash WORD...: a number, always the same one. $RANDOM would start anew in each subshell.
hash()
{
    echo $((0x$(md5sum <<<"$*" | cut -c 1-8)))
}

# pick PURPOSE WORD...: one of the words, always the same one
pick()
{
    local n
    n=$(hash "$@")
    shift $((1 + n % ($# - 1)))
    echo "$1"
}

# The waves' largest rate is 2 pi amplitude / period: 6 10^-6, 3 10^-6, 16 10^-6.
clock()
{
    case $1 in
        lines) echo offset=1ms,drift=10 ;;
        waves | stated) pick "$2" offset=1ms,drift=10,sine=20us:20s offset=1ms,drift=5,sine=5us:10s offset=1ms,drift=5,sine=5us:2s ;;
        walk) echo offset=1ms,drift=10,walk=5us ;;
        jumps) echo offset=1ms,drift=10,jumps=0.1:20us ;;
        *) echo "coverage.sh: no such clock: $1" >&2; return 1 ;;
    esac
}

# The options of program SEED with clocks CLOCK, SHARING (node, process, one), MEASURED (both, none).
program()
{
    local nodes ranks clocks per=$3
    nodes=$(pick "nodes $*" 2 3 4 8)
    ranks=$((nodes * $(pick "ranks $*" 1 2 4 8)))
    clocks=$(clock "$2" "$*")
    [ "$3" != one ] || clocks=offset=0 per=node
    echo "--seed $1 --ranks $ranks --nodes $nodes --events $((ranks * (300 + $(hash "events $*") % 2000)))" \
        "--clock $clocks --clock-per $per --measure $4"
    echo "--pattern $(pick "traffic $*" ring halo sendrecv master pairs latesender imbalance collectives nonblocking omp rma ring,collectives)"
    echo "--compute $(pick "compute $*" 100us:0.2 1ms:0.2 5ms:0.5 20ms:0.2 50ms:1) --imbalance $(pick "imbalance $*" 0 0 0.5)"
    pick "latency $*" "--latency 2us,500ns --jitter 1us,200ns" "--latency 1us,250ns --jitter 200ns,50ns" "--latency 20us,2us --jitter 20us,2us"
}

# median_location N: column N of the median location in $work/bars, in us
median_location()
{
    cut -d' ' -f"$1" "$work/bars" | sort -g | awk '{ x[NR] = $1 } END { printf "%.6f", x[int((NR + 1) / 2)] * 1e6 }'
}

# compared_with N: the errors, beside column N of $work/bars
compared_with()
{
    cut -d' ' -f1,"$1" "$work/bars" >"$work/limits"
    "$top_builddir/tests/bench/clock-error" "$work/true/traces.otf2" "$work/corrected/traces.otf2" "$work/limits"
}

# measure CLOCK SHARING MEASURED SEED: events, those outside of their bar, rms error and median bar of a location in us, events outside
# of the likely error, and its median
measure()
{
    # shellcheck disable=SC2046 # words
    "$top_builddir/tcflow-synth" $(program "$4" "$1" "$2" "$3") --overwrite --true-trace "$work/true" "$work/trace" >"$work/said" 2>&1 ||
        { cat "$work/said" >&2; return 1; }
    rm -rf "$work/corrected"
    local stated=1e-7 # the default
    [ "$1" != stated ] || stated=2e-5
    "$tcflow" -q --no-progress -i "$work/trace/traces.otf2" -o "pipeline.survey=clock_estimate mu_estimate" \
        -o clock_estimate.drift_rate=$stated -o "pipeline.chain=presync clc_forward clc_backward clock_report otf2_write" -o pipeline.reports=clock_report \
        -o presync.unsynchronised=keep -o clock_report.format=csv -o otf2_write.path="$work/corrected" >"$work/report" 2>"$work/said" ||
        { cat "$work/said" >&2; return 1; }
    awk -F, '$1 == "locations" && $2 ~ /^[0-9]+$/ { print $2, $6 == "" ? 1e9 : $6, $7 == "" ? 1e9 : $7 }' "$work/report" >"$work/bars"
    echo "$(compared_with 2) bar $(median_location 2) $(compared_with 3 | sed 's/.*outside/likely/') median $(median_location 3)" |
        awk '{ for (i = 1; i < NF; i += 2) of[$i] = $(i + 1) }
            END { printf "%d %d %.6f %.6f %d %.6f\n", of["events"], of["outside"], of["rms"] * 1e6, of["bar"], of["likely"], of["median"] }'
}

[ $# -gt 0 ] || set -- lines stated waves walk jumps
failed=0
echo "| clocks | shared by | measured | programs | all inside | inside the bar | inside the likely error | median error, rms, us |" \
    "median likely error, us | median bar, us | median of likely : rms |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
for clocks in "$@"; do
    for sharing in node process one; do
        [ "$sharing" != one ] || [ "$clocks" = lines ] || continue
        for measured in both none; do
            for ((seed = ${FIRST:-1}; seed < ${FIRST:-1} + ${PER_ROW:-20}; seed++)); do
                line=$(measure "$clocks" "$sharing" "$measured" "$seed") || exit 1
                echo "$line"
                [ -z "${VERBOSE:-}" ] || [ "$(echo "$line" | cut -d' ' -f2)" = 0 ] ||
                    echo "$line: $clocks $sharing $measured" $(program "$seed" "$clocks" "$sharing" "$measured") >&2
            done >"$work/lines"
            # a program's likely error, as a multiple of its rms error, besides
            awk '{ print $0, ($3 > 0 ? $6 / $3 : 0) }' "$work/lines" >"$work/ratios" && mv "$work/ratios" "$work/lines"
            median() { sort -g -k "$1,$1" "$work/lines" | awk -v k="$1" '{ x[NR] = $k } END { printf "%.3g", x[int((NR + 1) / 2)] }'; }
            awk -v start="| $clocks | $sharing | $measured" -v error="$(median 3)" -v bar="$(median 4)" -v likely="$(median 6)" -v times="$(median 7)" '
                function shown(x) { return x > 1e12 ? "inf" : x }
                { events += $1; outside += $2; unlikely += $5; good += $2 == 0 }
                END { printf "%s | %d | %d | %.4f %% | %.2f %% | %s | %s | %s | %s |\n", start, NR, good, 100 * (1 - outside / events),
                    100 * (1 - unlikely / events), error, shown(likely), shown(bar), (error == 0 ? "-" : times < 1e12 ? sprintf("%.1f", times) : "inf") }' \
                "$work/lines"
            case $clocks in lines | stated) awk '$2 > 0 { exit 1 }' "$work/lines" || failed=1 ;; esac
        done
    done
done
exit $failed
