#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make bench-shared-clocks`: is the estimate ever worse than linear interpolation, where ranks share the clock of their node?
#
#   tests/bench/shared-clocks.sh [FIRST [LAST]]      lines of tests/bench/shared-clocks.txt, 200 programs; all by default
#
# Each program is corrected three times: by clock offsets measured at both ends, by clock_estimate as it comes (clocks = auto), and
# with a clock a process. Then CLC; errors of all events against the true trace, root mean square. A program counts as worse if its
# error is above that of linear interpolation by more than noise: by a fifth, and by 0.25 us, besides. Prints one line for each
# such program, then the totals. Exit status 1: a program is worse. Traces lie in SCRATCH (a folder in /dev/shm) and are removed.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/scratch.sh" shared
export LC_ALL=C

# corrected SURVEY METHOD CLOCKS: the error that is left, in nanoseconds
corrected()
{
    rm -rf "$work/corrected"
    "$tcflow" -q --no-progress -i "$work/trace/traces.otf2" -o pipeline.survey="$1" \
        -o "pipeline.chain=presync clc_forward clc_backward otf2_write" -o presync.method="$2" \
        -o presync.unsynchronised=keep ${3:+-o clock_estimate.clocks=$3} -o otf2_write.path="$work/corrected" >"$work/said" 2>&1 ||
        { cat "$work/said" >&2; return 1; }
    "$top_builddir/tests/bench/clock-error" "$work/true/traces.otf2" "$work/corrected/traces.otf2" |
        awk '{ for (i = 1; i < NF; i++) if ($i == "rms") printf "%.1f\n", $(i + 1) * 1e9 }'
}

sed '/^#/d' "$here/shared-clocks.txt" | sed -n "${1:-1},${2:-\$}p" | while read -r program; do
    # shellcheck disable=SC2086 # words
    "$top_builddir/tcflow-synth" $program --clock-per node --measure both --overwrite --true-trace "$work/true" "$work/trace" \
        >"$work/said" 2>&1 || { cat "$work/said" >&2; exit 1; }
    linear=$(corrected mu_estimate archive "")
    found=$(corrected "clock_estimate mu_estimate" survey auto)
    process=$(corrected "clock_estimate mu_estimate" survey process)
    echo "$linear $found $process $program"
done | awk '
    function logarithm(x) { return log(x > 1 ? x : 1) }
    { n++; linear += logarithm($1); found += logarithm($2); process += logarithm($3)
      if ($2 > 1.2 * $1 + 250) { worse++; print "worse:", $0 }
      by_process += $3 > 1.2 * $1 + 250
      beyond += $2 > 1.2 * $3 + 250
      most = $2 / ($1 > 1 ? $1 : 1) > most && $2 > $1 + 250 ? $2 / $1 : most }
    END {
        printf "%d programs; geometric means of errors in us: linear %.3g, shared clocks found %.3g, a clock a process %.3g\n",
            n, exp(linear / n) / 1e3, exp(found / n) / 1e3, exp(process / n) / 1e3
        printf "worse than linear interpolation: %d (largest ratio %.2f), with a clock a process %d; worse than that: %d\n",
            worse, most, by_process, beyond
        exit worse > 0
    }'
