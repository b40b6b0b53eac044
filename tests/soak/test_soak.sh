#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make soak` for seconds: live pipelines of which one side is killed, RUNS (24) times, and clocks that are set.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

have python3 || skip_all "there is no python3"
[ -z "${TCFLOW_WRAPPER:-}" ] || skip_all "the processes are those of valgrind"
what="kills clocks"
# faketime goes in front of what the sanitizer wants to be first
! nm -D "$TCFLOW" 2>/dev/null | grep -Eq '__[at]san_init' || what=kills
TMPDIR=$work WHAT=$what RUNS=${RUNS:-24} CLOCKS=2 top_srcdir=$top_srcdir top_builddir=$top_builddir python3 "$top_srcdir/tests/soak/soak.py"
