# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What the shell tests share: TAP, a scratch folder, the program under test. Each test starts with
#
#     . "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
#
# and ends with done_testing. make gives top_srcdir and top_builddir; by hand they default to this tree and its
# build/. $work is an empty folder that is removed at the end; the source tree may be read-only.

# Scripts lie at different depths: the tree is where configure.ac is.
top_srcdir=$(cd "${top_srcdir:-$(dirname "$0")}" && while [ ! -e configure.ac ] && [ "$PWD" != / ]; do cd ..; done && pwd) ||
    exit 1
top_builddir=$(cd "${top_builddir:-$top_srcdir/build}" && pwd) || exit 1
TCFLOW=${TCFLOW:-$top_builddir/tcflow}
generate=$top_builddir/tests/support/generate/trace # "$generate" KIND --out DIR [option...]: makes a trace

work=$(mktemp -d "${TMPDIR:-/tmp}/tcflow-test.XXXXXX") || exit 1
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work" "$work.valgrind"' EXIT
trap 'exit 1' HUP INT TERM

# In "make check-valgrind" $TCFLOW is a script, so that whatever starts it runs it under valgrind. What valgrind says
# goes to files that done_testing looks at: the exit status of many a run is of no interest to its test.
if [ -n "${TCFLOW_WRAPPER:-}" ]; then
    mkdir "$work.valgrind" || exit 1
    printf '#!/bin/sh\nexec %s --log-file="%s/said.%%p" "%s" "$@"\n' \
        "$TCFLOW_WRAPPER" "$work.valgrind" "$TCFLOW" >"$work.valgrind/tcflow"
    chmod +x "$work.valgrind/tcflow"
    TCFLOW=$work.valgrind/tcflow
fi

tests_run=0
tests_failed=0

diag()
{
    printf '%s\n' "$*" | sed 's/^/# /'
}

# tap RESULT NAME: one line of TAP; RESULT is 0 for ok. For the tests below, and for results of one's own.
tap()
{
    tests_run=$((tests_run + 1))
    if [ "$1" -eq 0 ]; then
        printf 'ok %d - %s\n' "$tests_run" "$2"
    else
        tests_failed=$((tests_failed + 1))
        printf 'not ok %d - %s\n' "$tests_run" "$2"
    fi
    return "$1"
}

# ok NAME COMMAND...: the command succeeds. What it prints is shown when it doesn't.
ok()
{
    ok_name=$1
    shift
    if "$@" >"$work/.ok" 2>&1; then
        tap 0 "$ok_name"
    else
        ok_status=$?
        tap 1 "$ok_name"
        diag "exit status $ok_status of: $*"
        diag "$(head -c 4000 "$work/.ok")"
        return 1
    fi
}

# fails STATUS NAME COMMAND...: the command ends with just this exit status. Its output is in $work/.fails then.
fails()
{
    fails_status=$1
    fails_name=$2
    shift 2
    "$@" >"$work/.fails" 2>&1
    fails_got=$?
    if [ "$fails_got" -eq "$fails_status" ]; then
        tap 0 "$fails_name"
    else
        tap 1 "$fails_name"
        diag "exit status $fails_got, expected $fails_status, of: $*"
        diag "$(head -c 4000 "$work/.fails")"
        return 1
    fi
}

# is NAME GOT EXPECTED: two texts are equal.
is()
{
    if [ "$2" = "$3" ]; then
        tap 0 "$1"
    else
        tap 1 "$1"
        diag "got:      $2"
        diag "expected: $3"
        return 1
    fi
}

# like NAME TEXT PATTERN: the text has a line that matches the extended regular expression.
like()
{
    if printf '%s\n' "$2" | grep -Eq -e "$3"; then
        tap 0 "$1"
    else
        tap 1 "$1"
        diag "got:      $2"
        diag "expected: /$3/"
        return 1
    fi
}

# The first paragraph of the input, as one line.
first_paragraph()
{
    sed '/^$/q' | tr '\n' ' ' | sed 's/ *$//'
}

# same NAME FILE FILE: two files are equal.
same()
{
    if diff -u "$2" "$3" >"$work/.same" 2>&1; then
        tap 0 "$1"
    else
        tap 1 "$1"
        diag "$(head -n 20 "$work/.same" | cut -c 1-300)"
        return 1
    fi
}

# skip NAME REASON: one test that cannot be done here.
skip()
{
    tests_run=$((tests_run + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tests_run" "$1" "$2"
}

# skip_all REASON: nothing of this file can be done here.
skip_all()
{
    printf '1..0 # SKIP %s\n' "$*"
    exit 0
}

# plan N: optional, when the number of tests is known beforehand.
plan()
{
    planned=$1
    printf '1..%d\n' "$1"
}

done_testing()
{
    if [ -n "${TCFLOW_WRAPPER:-}" ]; then
        is "valgrind has nothing to say" "$(cat "$work.valgrind"/said.* 2>/dev/null | head -c 20000)" ""
    fi
    [ -n "${planned:-}" ] || printf '1..%d\n' "$tests_run"
    [ "$tests_failed" -eq 0 ]
    exit
}

# Is the program under test built with the sanitizers?
is_sanitized()
{
    nm -D "$TCFLOW" 2>/dev/null | grep -q __asan_init
}

# usual_build_only: for what sanitizers would see in other tests, too.
usual_build_only()
{
    ! is_sanitized || skip_all "the usual build shows it"
}

# Is it, or does it run under valgrind? Then it has memory, calls and a pace of its own.
is_instrumented()
{
    [ -n "${TCFLOW_WRAPPER:-}" ] || is_sanitized
}

# usually FEW MANY: how many rounds a test takes: FEW, and MANY where TCFLOW_LONG stands in the environment (make check-long).
usually()
{
    if [ -n "${TCFLOW_LONG:-}" ]; then echo "$2"; else echo "$1"; fi
}

# seeds_of N: the seeds of a test that takes N random traces in long runs, 1 to N, else one; where SEEDS and FIRST stand in
# the environment SEEDS of them, from FIRST (default 1) on.
seeds_of()
{
    seeds_i=${FIRST:-1}
    seeds_end=$((seeds_i + ${SEEDS:-$(usually 1 "$1")}))
    while [ "$seeds_i" -lt "$seeds_end" ]; do
        echo "$seeds_i"
        seeds_i=$((seeds_i + 1))
    done
}

# The program under test.
tcflow()
{
    "$TCFLOW" "$@"
}

# have COMMAND: is it installed?
have()
{
    command -v "$1" >/dev/null 2>&1
}
