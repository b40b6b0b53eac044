#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Several inputs: two processes stand for two nodes and hand on the events of their ranks; a third one merges the streams and
# reports where the whole program waited. As it is, over the bundled trace: examples/merge.sh
#
# On real nodes each one reads what is there (input = its own archive, or the common one with select), and writes to
# tcp:HOST:PORT, where the merge listens with input = tcp:HOST:PORT tcp:HOST:PORT2. Give HOST only in a network that you trust.
set -e
tcflow=${TCFLOW:-tcflow}
trace=${1:-$(dirname "$0")/trace/traces.otf2}
streams=$(mktemp -d)
trap 'rm -rf "$streams"' EXIT
mkfifo "$streams/node0" "$streams/node1"

# node FIFO RANKS: matches are found behind the merge, so there is no need for any here
node()
{
    "$tcflow" -q -i "$trace" -o pipeline.chain="select stream_write" -o select.groups="$2" -o stream_write.path="$1" \
        -o stream_write.matches=no
}
node "$streams/node0" 0-1 &
node "$streams/node1" 2-3 &
"$tcflow" -q -i "stream:$streams/node0 stream:$streams/node1" -o pipeline.chain="clc_forward clc_backward wait_states" \
    -o pipeline.reports=wait_states
wait
