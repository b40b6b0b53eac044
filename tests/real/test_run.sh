#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# run.sh with a folder of traces that it doesn't know: another name of the anchor, blanks, lost messages, wrong numbers of events
# stated; what is known of certain traces is not asked of them. Takes a minute: with TCFLOW_LONG.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

[ -n "${TCFLOW_LONG:-}" ] || skip_all "it takes a minute"
[ -z "${TCFLOW_WRAPPER:-}" ] || skip_all "it takes too long under valgrind"
[ -x "$generate" ] || skip_all "the generator of traces is not built"
have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"

mkdir "$work/folder" "$work/folder/no trace"
"$generate" random --out "$work/folder/eztrace of mine" --seed 5 --ranks 4 --events 800 --features p2p,collectives,nonblocking \
    --lose-receives 0.02 --clock-offset-ns 100000 >"$work/made" 2>&1 || diag "$(cat "$work/made")"
cd "$work/folder/eztrace of mine" && mv traces.otf2 mine.otf2 && mv traces.def mine.def && mv traces mine
cd "$work" || exit 1
JOBS=1 "${SHELL:-sh}" "$top_srcdir/tests/real/run.sh" "$work/folder" >"$work/said" 2>&1
is "nothing fails" "$(grep -A 5 '^not ok' "$work/said")" ""
like "the trace was looked at" "$(cat "$work/said")" '^ok [0-9]+ - eztrace of mine: the copy prints like the original'
like "what isn't known is not asked" "$(cat "$work/said")" 'the loop is what the program does # SKIP not in expected.txt'
done_testing
