#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Calls in calls, deeper than the stacks that filters keep: what is below is told, to a call, and the run ends well.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

[ -x "$generate" ] || skip_all "the generator of traces is not built"
"$generate" odd --locations 1 --events 10 --deep 140000 --out "$work/deep" || exit 1

# below DEPTH: so many enters of the trace have more calls around them than that.
tcflow -q -i "$work/deep/traces.otf2" -o pipeline.chain=print >"$work/events"
below()
{
    awk -v most="$1" '$1 == "ENTER" && ++depth > most { n++ } $1 == "LEAVE" && depth > 0 { depth-- } END { print n + 0 }' "$work/events"
}

# told DEPTH PATTERN FILTER...: each says how many it has left out.
told()
{
    n=$(below "$1")
    pattern=$2
    shift 2
    for filter; do
        ok "$filter" tcflow -i "$work/deep/traces.otf2" -o pipeline.chain="$filter" -o "$filter.output=$work/$filter"
        like "$filter tells what it has left out" "$(cat "$work/.ok")" "^tcflow: warning: $filter: ([a-z ]+: )?$n $pattern"
    done
}

told 131071 "visits deeper than any sane stack were not counted" activity comm_comp io load_imbalance profile time_profile
told 131071 "visits were nested too deeply" iterations
told 65536 "calls were nested too deeply" activity_waits wait_states

done_testing
