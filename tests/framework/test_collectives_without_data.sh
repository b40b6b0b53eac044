#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Collectives of 0 bytes bind nobody where a survey finds that the archive has sizes: what the run says, what the archive
# that it writes states, and what a later run without a survey makes of that. Where EZTrace is installed, also a program
# whose members return at once: the clocks of one machine run alike, so a correction shifts each of them as a whole.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

# warned IN: does a chain without a survey say that it cannot tell?
warned()
{
    "$TCFLOW" -i "$1" -o pipeline.chain=check -o check.output="$work/check" -o check.overwrite=yes 2>&1 | grep -c 'collectives of 0 bytes on all members, whose'
}

# stated IN: the operations that the archive names
stated()
{
    otf2-print -A "$1" | sed -n '/COLLECTIVES_WITHOUT_DATA/{n;s/Property value *//p;}'
}

"$generate" random --out "$work/empty" --features collectives --empty-collectives --events 4000 --seed 3 >/dev/null 2>&1
is "without a survey nobody can tell" "$(warned "$work/empty/traces.otf2")" 1
"$TCFLOW" --progress -j 1 -i "$work/empty/traces.otf2" -o pipeline.survey=mu_estimate -o pipeline.chain=pass 2>&1 >/dev/null |
    sed -n 's/^tcflow: \([0-9]*\/[0-9]*\) .*/\1/p' | uniq | tr '\n' ' ' >"$work/passes"
is "a survey that runs twice is a pass more" "$(cat "$work/passes")" "1/2 2/3 3/3 "
ok "a survey tells" "$TCFLOW" -q -i "$work/empty/traces.otf2" -o pipeline.survey=mu_estimate -o pipeline.chain=otf2_write \
    -o otf2_write.path="$work/told" -o mu_estimate.output="$work/mu"
like "the archive states which operations" "$(stated "$work/told/traces.otf2")" '^BCAST .*REDUCE'
is "so that a later run knows" "$(warned "$work/told/traces.otf2")" 0

OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
record()
{
    mpicc -o "$work/zero_counts" "$top_srcdir/tests/framework/zero_counts.c" &&
        (cd "$work" && timeout 60 mpirun --oversubscribe -n 4 eztrace -t openmpi ./zero_counts) &&
        [ -e "$work/zero_counts_trace/eztrace_log.otf2" ]
}
if command -v eztrace >/dev/null && command -v mpicc >/dev/null && record >"$work/said" 2>&1; then
    ok "a recording of members that return at once is corrected" "$TCFLOW" -q -c "$top_srcdir/examples/correct.ini" \
        -i "$work/zero_counts_trace/eztrace_log.otf2" -o otf2_write.path="$work/corrected" -o clock_report.output="$work/report.csv" \
        -o clock_report.format=csv
    is "its clocks are shifted as a whole, within 50 ms" \
        "$(tr -d '\r' <"$work/report.csv" | awk -F, '$1 == "locations" && $12 - $10 < 0.05 { n++ } END { print n }')" 4
else
    skip "a recording of members that return at once" "EZTrace and an MPI that starts four processes are not here"
fi
done_testing
