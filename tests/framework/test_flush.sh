#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What is written for a reader that follows it does not depend on when parts of it are handed on. With a heartbeat before
# each slice that is read, print writes the lines that it writes without heartbeats, in the order of time, whatever the
# size of slices; and a stream that is read back gives the same lines.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

# run OPTION...: events go to $work/printed
run()
{
    timeout 120 "$TCFLOW" -q "$@" >"$work/printed" 2>"$work/said" || cat "$work/said"
}

# printed FLUSH SLICE CHAIN [option...]
printed()
{
    flush=$1 slice=$2 chain=$3
    shift 3
    run -i "$anchor" -o "pipeline.chain=$chain last" -o last.filter=print -o pipeline.reports=last \
        -o pipeline.memory=256MiB -o pipeline.flush="$flush" -o pipeline.slice="$slice" "$@"
}

# streamed FLUSH SLICE CHAIN [option...]: the same, written as a stream and read back
streamed()
{
    flush=$1 slice=$2 chain=$3
    shift 3
    run -i "$anchor" -o "pipeline.chain=$chain last" -o last.filter=stream_write -o pipeline.reports=last \
        -o last.path="$work/stream" -o last.overwrite=yes \
        -o pipeline.memory=256MiB -o pipeline.flush="$flush" -o pipeline.slice="$slice" "$@"
    run -i "stream:$work/stream" -o pipeline.chain=print -o pipeline.flush="$flush"
}

# Do the printed events stand in the order of time?
in_order()
{
    awk 'NR > 2 && $1 ~ /^[A-Z]/ { n++; bad += $3 + 0 < last; last = $3 + 0 } END { exit !(n > 100 && !bad) }' \
        "$work/printed"
}

# compare CHAIN [option...]
compare()
{
    printed 100s 0 "$@"
    in_order || echo "$*: not in the order of time"
    mv "$work/printed" "$work/expected"
    for size in 0 1 3 40; do
        for way in printed streamed; do
            "$way" 0 "$size" "$@"
            cmp "$work/expected" "$work/printed" || echo "$*: $way, slices of $size"
        done
    done
}

# over the archive $anchor
# shellcheck disable=SC2086 # words
all_chains()
{
    compare pass
    compare "skew clc_forward" $spoilt
    compare "skew clc_forward clc_backward" $spoilt
    compare "skew clc_forward clc_backward overhead select" $spoilt -o overhead.event=20ns -o select.from=20%
    compare "wait_states select" -o select.from=30% -o select.to=95%
    compare "select whole_messages" -o select.from=20%
}

spoilt="-o skew.offset=20us -o skew.drift=20"
anchor=$example
is "the bundled trace" "$(all_chains 2>&1 | head -n 20)" ""
failed=
for seed in $(seeds_of 2); do
    made "$seed" --events 2000 --features "$single,openmp" || failed="$failed $seed: not generated"
    anchor=$work/trace/traces.otf2
    failed=$failed$(all_chains 2>&1 | head -n 20)
done
is "random traces" "$failed" ""

done_testing
