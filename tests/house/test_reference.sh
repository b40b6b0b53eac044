#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# make reference: plain comments in headers become comments that doxygen takes, and pages have them.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
usual_build_only

cat >"$work/in.h" <<'END'
/* SPDX: the licence */

/* What the file
 * is for: a <b> c.
 *
 *     f(a < b); */
/* ------------ a heading -- */

/* One `x < y` and a* two. */
int f(int a); /* -1: no
               * such a */
enum { A /* first */, B };
END
cat >"$work/expected.h" <<'END'
/* SPDX: the licence */

/** \file
 What the file
 * is for: a \<b\> c.
 *
 *     f(a < b); */
/* ------------ a heading -- */

/** One `x < y` and a\* two. */
int f(int a); /**< -1: no
               * such a */
enum { A /**< first */, B };
END
awk -f "$top_srcdir/doc/reference/comments.awk" "$work/in.h" >"$work/out.h"
same "comments become doxygen's" "$work/expected.h" "$work/out.h"

unset MAKEFLAGS MFLAGS
if have doxygen && grep -q "^DOXYGEN = ." "$top_builddir/Makefile"; then
    ok "make reference" sh -c "cd '$top_builddir' && make reference"
    pages=$top_builddir/doc/reference/html
    ok "functions of the host have their comments" grep -q "Records why the callback fails" "$pages/structtcf__host.html"
    ok "functions of the harness, too" grep -q "Folders, separated by" "$pages/harness_8h.html"
    ok "there is a first page" grep -q "tcf_filter" "$pages/index.html"
else
    skip "doxygen is missing"
fi
done_testing
