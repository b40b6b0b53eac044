#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Runs of the program and its tools in which one call to the system goes wrong: an I/O error, a full disk, an
# interruption, a read or write of one byte (support/failing_calls.c, whoever makes the call). support/failing.sh says what
# holds. And the machine fails in front of each call that matters, with what was not synced: what stands under an output's
# name then is the old file or the complete new one. POINTS (6) of each are tried; `make check-io` tries all.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
default_points=${TCFLOW_QUICK:+2}
default_points=${default_points:-6}
. "$top_srcdir/tests/support/failing.sh"

cd "$work" || exit 1
preload=$work/failing.so counted=$work/count
${CC:-cc} -O1 -shared -fPIC -o "$preload" "$top_srcdir/tests/support/failing_calls.c" 2>said || skip_all "no compiler: $(cat said)"
[ -z "${TCFLOW_WRAPPER:-}" ] && ! nm -D "$TCFLOW" 2>/dev/null | grep -q __asan_init || skip_all "sanitizers and valgrind make calls of their own"
failing_inputs
how="CALLS=$counted HOW=EIO"
one 0 "$TCFLOW" -q -i "$input" -o pipeline.chain=pass
[ -s "$counted" ] || skip_all "no seccomp, or no x86-64"

# Each outcome has to say why, and what fails is not always the reason that people need.
for name in EIO ENOSPC EINTR short; do
    how="CALLS=$counted HOW=$name"
    case $name in
        EIO | EINTR) reason='.' ;;
        ENOSPC) reason='.' ;;
        # One byte at a time is no failure, but to libotf2, which takes it for a full disk where it writes.
        short) reason='could not be written to its end' ;;
    esac
    diag "$name"
    failing_all
done

# ------------------------------------------------------------------------------------------------------------ power loss

# Behind a run that the machine has ended, at any call: each output is the old one or the new one.
old_files()
{
    for name in ${replaced:-}; do
        echo "what was there before" >"out/$name"
    done
}
before=old_files
judge=left_behind
content()
{
    case $1 in
    *.sqlite) python3 -c 'import sqlite3, sys
for line in sqlite3.connect(sys.argv[1]).iterdump():
    if not line.startswith("INSERT INTO \"run\""):
        print(line)' "$1" 2>&1 ;;
    *) cksum <"$1" ;;
    esac
}
left_behind()
{
    [ "$1" -eq 137 ] || [ "$1" -eq 0 ] || { echo "status $1, $(head -c 300 said)"; return; }
    for name in ${watched:-}; do
        [ -e "out/$name" ] || continue
        [ "$(content "out/$name")" = "$(content "kept/$name")" ] || grep -qsx "what was there before" "out/$name" ||
            echo "$name is neither the old nor the new one ($(wc -c <"out/$name") bytes)"
    done
    [ "$1" -ne 0 ] || [ "$(outputs)" = "$expected" ] || echo "other outputs"
}
# cut NAME FILES PROGRAM OPTION...: with and without something in place of FILES. All points: most of them are no writes.
cut()
{
    cut_name=$1 watched=$2
    shift 2
    how="CALLS=$counted HOW=cut"
    for replaced in "" "$watched"; do
        one 0 "$@"
        rm -rf kept
        cp -r out kept
        each "$cut_name, the machine fails${replaced:+, something to be replaced}" "$@"
        [ -z "${only_new:-}" ] || break
    done
}
[ "$points" = places ] || points=$((points * 4))
cut "print" events "$TCFLOW" -q -i "$input" -o pipeline.chain=print -o print.output=events -o print.overwrite=yes
cut "a report" check.csv "$TCFLOW" -q -i "$input" -o pipeline.chain=check -o check.output=check.csv -o check.format=csv -o check.overwrite=yes
cut "a stream" stream "$TCFLOW" -q -i "$input" -o pipeline.chain=stream_write -o stream_write.path=stream -o stream_write.overwrite=yes \
    -o pipeline.flush=1h
cut "knots" knots "$TCFLOW" -q -i "$input" -o pipeline.chain=clock_estimate -o clock_estimate.knots=knots -o clock_estimate.overwrite_knots=yes
only_new=yes
cut "an archive" "out/traces.otf2 out/traces.def out/traces/0.evt out/traces/0.def" "$TCFLOW" -q -i "$input" -o pipeline.chain=otf2_write \
    -o otf2_write.path=out
cut "a timeline" "out" "$TCFLOW" -q -i "$input" -o pipeline.chain=perfetto_trace -o perfetto_trace.path=out
if tcflow --version | grep -q '^databases: SQLite'; then
    cut "a database" all.sqlite "$TCFLOW" -q -i "$input" -o pipeline.chain=profile -o pipeline.database=all.sqlite
    cut "a comparison" page.html "$top_builddir/tcflow-diff" --html page.html a="$work/one.sqlite" b="$work/two.sqlite"
fi
diag "$disturbed_runs disturbed runs"
done_testing
