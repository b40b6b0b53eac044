#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Overhead is removed once: an archive that was compensated says so, and is refused unless more is asked for.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

trace=$top_srcdir/examples/trace/traces.otf2

# compensate INPUT OUTPUT [option...]
compensate()
{
    input=$1 output=$2
    shift 2
    rm -rf "$output"
    tcflow -q -i "$input" -o 'pipeline.chain=overhead otf2_write' -o otf2_write.path="$output" "$@" >/dev/null
}


ok "first" compensate "$trace" "$work/first" -o overhead.event=100ns
fails 1 "second" compensate "$work/first/traces.otf2" "$work/second" -o overhead.event=100ns
like "second: says what was removed, and what to do" "$(cat "$work/.fails")" \
    'removed from this trace already .property TCFLOW::OVERHEAD_REMOVED: 1e-07 s an event.* again = yes'
fails 1 "second: --check" tcflow --check -i "$work/first/traces.otf2" -o pipeline.chain=overhead -o overhead.kinds=ENTER:1ns
fails 1 "second, behind filters that keep it" tcflow -q -i "$work/first/traces.otf2" \
    -o 'pipeline.chain=clc_forward overhead' -o overhead.metric_value=1ns -o overhead.output=/dev/null
fails 1 "twice in a chain" tcflow -q -i "$trace" -o 'pipeline.chain=overhead more' -o overhead.event=1ns \
    -o more.filter=overhead -o more.event=1ns
like "twice in a chain: says so" "$(cat "$work/.fails")" "removed from this trace already"
tcflow -q -i "$trace" -o 'pipeline.chain=overhead stream_write' -o overhead.event=1ns -o overhead.output=/dev/null \
    -o overhead.overwrite=yes -o stream_write.path="$work/stream"
fails 1 "behind a stream" compensate "stream:$work/stream" "$work/second" -o overhead.event=1ns
ok "behind a stream, knowingly" compensate "stream:$work/stream" "$work/second" -o overhead.event=2ns -o overhead.again=yes
fails 1 "what it wrote" compensate "$work/second/traces.otf2" "$work/third" -o overhead.event=1ns
like "tells of the stream" "$(cat "$work/.fails")" "2e-09 s an event, behind 1e-09 s an event"
ok "knowingly" compensate "$work/first/traces.otf2" "$work/second" -o overhead.event=50ns -o overhead.again=yes
fails 1 "and once more" compensate "$work/second/traces.otf2" "$work/third" -o overhead.event=50ns
like "tells of both" "$(cat "$work/.fails")" "5e-08 s an event, behind 1e-07 s an event"
ok "without costs nothing is refused" compensate "$work/first/traces.otf2" "$work/third"
ok "nor stated" compensate "$trace" "$work/none"
ok "so that costs can follow" compensate "$work/none/traces.otf2" "$work/third" -o overhead.event=1ns
done_testing
