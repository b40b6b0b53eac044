#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# formats.sh on a small made file of each format: every filter takes what each reader reads. Takes a minute: with TCFLOW_LONG.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

[ -n "${TCFLOW_LONG:-}" ] || skip_all "it takes a minute"
[ -z "${TCFLOW_WRAPPER:-}" ] || skip_all "it takes too long under valgrind"
have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
python3 -c 'import sqlite3, struct' 2>/dev/null || skip_all "python3 is not installed"

has()
{
    "$TCFLOW" --list-sources | grep -q "^  $1 "
}

export PYTHONDONTWRITEBYTECODE=1
makers=$top_srcdir/tests/plugins
mkdir "$work/made" "$work/made/projections" "$work/made/hpctoolkit"
python3 "$makers/projections/projections.py" make 1 "$work/made/projections/ring.sts"
python3 "$makers/hpctoolkit/hpctoolkit.py" make 1 "$work/made/hpctoolkit/db"
! has nsight || python3 "$makers/nsight/nsight.py" make 1 "$work/made/calls.sqlite"
! has chrome || python3 "$makers/chrome/random_chrome.py" 1 500 "$work/made/random.json"
printf 'Timestamp (s), Event Type, Name, Process\n0, Enter, main(), 0\n1, Enter, MPI_Send, 0\n3, Leave, MPI_Send, 0\n4, Leave, main(), 0\n' \
    >"$work/made/events.csv"
PAGES=no "${SHELL:-sh}" "$top_srcdir/tests/real/formats.sh" "$work/made" >"$work/said" 2>&1
is "nothing fails" "$(grep -A 9 '^not ok' "$work/said" | cut -c 1-400)" ""
like "all was looked at" "$(cat "$work/said")" '^ok [0-9]+ - hpctoolkit/db/meta.db: all filters'
done_testing
