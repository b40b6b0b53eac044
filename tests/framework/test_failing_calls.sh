#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Runs of the program and its tools in which one call to the system goes wrong: an I/O error, a full disk, an
# interruption, a read or write of one byte (support/failing_calls.c, whoever makes the call). support/failing.sh says what
# holds. And power is lost at any moment (support/power.py): what has an output's name then is the old one or the complete new
# one. POINTS (6) of each are tried; `make check-io` tries all.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
default_points=$(usually 2 6)
. "$top_srcdir/tests/support/failing.sh"

cd "$work" || exit 1
preload=$work/failing.so counted=$work/count
${CC:-cc} -O1 -shared -fPIC -o "$preload" "$top_srcdir/tests/support/failing_calls.c" -ldl 2>said || skip_all "no compiler: $(cat said)"
! is_instrumented || skip_all "sanitizers and valgrind make calls of their own"
failing_inputs
processes_points=1
how="CALLS=$counted HOW=EIO"
one 0 "$TCFLOW" -q -i "$input" -o pipeline.chain=pass
[ -s "$counted" ] || skip_all "no seccomp, or no x86-64"

# Each outcome has to say why, and what fails is not always the reason that people need; tcflow-torture names it.
for name in EIO ENOSPC EINTR short; do
    how="CALLS=$counted HOW=$name" reason='.'
    case $name in
        EIO) error='Input/output error' ;;
        ENOSPC) error='No space left on device' ;;
        EINTR) error='Interrupted system call' ;;
        # One byte at a time is no failure, but to libotf2, which takes it for a full disk where it writes.
        short) error='could not be written to its end' reason=$error ;;
    esac
    diag "$name"
    failing_all
    # They start programs, which takes time.
    [ $name = EIO ] || [ -n "${TCFLOW_LONG:-}${POINTS:-}" ] || continue
    failing_processes
    reason=$error
    failing_torture
done

# ------------------------------------------------------------------------------------------------------------ power loss

# lost NAME OUTPUTS PROGRAM OPTION...: power is lost at any moment of a run; with something in the place of OUTPUTS, too, where
# the folder `old` has that.
lost()
{
    lost_name="$1, power is lost" lost_outputs=$2
    shift 2
    echo "$lost_name" | grep -Eq "${ONLY:-.}" || return 0
    rm -rf nothing
    mkdir nothing
    echo "a bystander" >nothing/other
    for lost_over in nothing old; do
        is "$lost_name over $lost_over" \
            "$(POINTS=$moments python3 "$top_srcdir/tests/support/power.py" "$preload" "$lost_outputs" $lost_over "$@" 2>said)" ""
        diag "$lost_name: $(tail -n 1 said)"
    done
}
have python3 || { skip "power is lost" "there is no python3"; done_testing; }
moments=$(usually 5 30)
case $points in
    0 | places | first) moments=0 ;;
esac
# What is there before: every output's name with something else, and the names that a run takes until an output is complete.
mkdir old
for name in events check.csv stream knots out all.sqlite page.html; do
    [ $name = page.html ] || [ $name = all.sqlite ] || echo "what was there before" >old/$name
    echo "what an earlier run has left" >old/$name.incomplete
done
cp "$work/one.sqlite" old/all.sqlite
echo '<!DOCTYPE html>' >old/page.html

lost "print" events "$TCFLOW" -i "$input" -o pipeline.chain=print -o print.output=events -o print.overwrite=yes
like "a run that syncs nothing is found out" "$(NO_SYNC=yes POINTS=$moments python3 "$top_srcdir/tests/support/power.py" "$preload" events old "$TCFLOW" \
    -i "$input" -o pipeline.chain=print -o print.output=events -o print.overwrite=yes 2>&1)" "events is neither the old nor the new one"
lost "a report" check.csv "$TCFLOW" -i "$input" -o pipeline.chain=check -o check.output=check.csv -o check.format=csv -o check.overwrite=yes
lost "a stream" stream "$TCFLOW" -i "$input" -o pipeline.chain=stream_write -o stream_write.path=stream -o stream_write.overwrite=yes \
    -o pipeline.flush=1h
lost "knots" knots "$TCFLOW" -i "$input" -o pipeline.chain=clock_estimate -o clock_estimate.knots=knots -o clock_estimate.overwrite_knots=yes
lost "a timeline" out "$TCFLOW" -i "$input" -o pipeline.chain=perfetto_trace -o perfetto_trace.path=out -o perfetto_trace.overwrite=yes
lost "two outputs" "events check.csv" "$TCFLOW" -i "$input" -o pipeline.chain="print check" -o print.output=events -o print.overwrite=yes \
    -o check.output=check.csv -o check.overwrite=yes
if tcflow --version | grep -q '^databases: SQLite'; then
    lost "a database" all.sqlite "$TCFLOW" -i "$input" -o pipeline.chain=profile -o pipeline.database=all.sqlite -o pipeline.overwrite=yes
    lost "a comparison" page.html "$top_builddir/tcflow-diff" --overwrite --html page.html a="$work/one.sqlite" b="$work/two.sqlite"
fi
rm -rf old
mkdir old old/out.incomplete
cp -R "$work/whole" old/out
echo "what an earlier run has left" >old/out.incomplete/traces.def
for writer in direct libotf2; do
    lost "an archive, writer: $writer" out "$TCFLOW" -i "$input" -o pipeline.chain=otf2_write -o otf2_write.path=out -o otf2_write.overwrite=yes \
        -o otf2_write.writer=$writer
done
export VARIES=/traces.otf2 # two runs of tcflow-synth differ in the archive's identifier
lost "a simulation" "out true knots" "$top_builddir/tcflow-synth" --overwrite --ranks 3 --events 600 --true-trace true --truth knots out
diag "$disturbed_runs disturbed runs"
done_testing
