#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The recorder under SimGrid's SMPI: what it writes is in order for `check` and otf2-print, has each call of calls.c, is
# the same in each run, and doesn't change the simulated times.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
usual_build_only
here=$top_srcdir/tests/validation
. "$here/smpi.sh"

what=$(smpi_missing) && skip_all "$what is missing"
have otf2-print || skip_all "otf2-print is missing"
unset RECORDER_COST

ok "the recorder compiles" smpi_setup
ok "a program with all calls compiles" smpi_recorded "$here/calls.c" "$work/calls" -finstrument-functions
for run in a b; do
    RECORDER_OUT=$work/$run ok "it runs" smpi_run 4 "$work/calls"
done
is "two runs differ in the anchor file alone, which has a random id" \
    "$(cd "$work" && diff -rq a b)" "Files a/traces.otf2 and b/traces.otf2 differ"
like "check finds nothing" "$(tcflow -q -i "$work/a/traces.otf2" -o pipeline.chain=check)" '^No findings'
ok "otf2-print reads it" otf2-print "$work/a/traces.otf2"
otf2-print "$work/a/traces.otf2" >"$work/events" 2>/dev/null
otf2-print -G "$work/a/traces.otf2" >"$work/definitions" 2>/dev/null

# In each of two steps each of 4 ranks has in
#   point_to_point:          3 sends to rank 0; 4 of each exchange but the last, there 3; one from rank 0 to 1
#   non_blocking:            8 times 2 sends and 2 receives, and a receive that is cancelled
#   persistent:              3 times a send and a receive
#   communicators:           dup, split and Cart_create of 4, create and create_group of 3 (their members), Cart_sub of 4: 22 are made
#                            and freed; calls of 4: 5 that make and 4 that free one, 1 Barrier and 2 Allreduce; of 3: 2 that
#                            free one, 1 Barrier
#   collective:              16, non_blocking: 8 Barrier, non_blocking_collective: 3
expect() # KIND N
{
    is "$1: $2 events" "$(awk -v kind="$1" '$1 == kind' "$work/events" | wc -l)" "$2"
}
expect MPI_SEND $((2 * (3 + 4 + 4 + 3 + 1)))
expect MPI_RECV $((2 * (3 + 4 + 4 + 3 + 1)))
for kind in MPI_ISEND MPI_ISEND_COMPLETE MPI_IRECV; do
    expect $kind $((2 * 4 * (8 * 2 + 3)))
done
expect MPI_REQUEST_CANCELLED $((2 * 4))
expect MPI_IRECV_REQUEST $((2 * 4 * (8 * 2 + 3 + 1)))
for kind in COMM_CREATE COMM_DESTROY; do
    expect $kind $((2 * 22))
done
for kind in MPI_COLLECTIVE_BEGIN MPI_COLLECTIVE_END; do
    expect $kind $((2 * (4 * (5 + 4 + 1 + 2 + 16 + 8) + 3 * (2 + 1))))
done
for kind in NON_BLOCKING_COLLECTIVE_REQUEST NON_BLOCKING_COLLECTIVE_COMPLETE; do
    expect $kind $((2 * 4 * 3))
done

# sent NAME: what the four ranks have sent and received in the first such operation on MPI_COMM_WORLD.
sent()
{
    awk -v name="$1" '$1 == "MPI_COLLECTIVE_END" && $0 ~ "Operation: " name ", Communicator: \"\" <0>" && !seen[$2]++ {
        sub(".*Sent: ", ""); sub("Received: ", ""); print }' "$work/events" | sort -n | tr '\n' ';'
}
is "the root of Bcast sends 16 integers to each of 4" "$(sent BCAST)" "0, 64;0, 64;0, 64;256, 64;"
is "Gatherv: rank r sends r + 1 integers" "$(sent GATHERV)" "4, 40;8, 0;12, 0;16, 0;"
is "Exscan: from all before to all behind" "$(sent EXSCAN)" "0, 192;64, 128;128, 64;192, 0;"
is "Allreduce: to all from all" "$(sent ALLREDUCE)" "256, 256;256, 256;256, 256;256, 256;"

region()
{
    sed -n "s/^REGION.*Name: \"$1\".*Role: \([A-Z0-9_]*\), Paradigm: \"*\([A-Z]*\).*/\1 \2/p" "$work/definitions"
}
is "LOOP" "$(region step)" "LOOP USER"
is "REGION" "$(region messages)" "CODE USER"
is "a function" "$(region point_to_point)" "FUNCTION COMPILER"
is "a call of MPI" "$(region MPI_Allreduce)" "COLL_ALL2ALL MPI"
for name in step messages point_to_point; do
    is "$name is entered twice by each rank" "$(grep -c "^ENTER.*\"$name\"" "$work/events")" 8
done
is "each rank has its host" "$(grep -c '^SYSTEM_TREE_NODE.*"node[0-3]"' "$work/definitions")" 4

# What the recorder does takes no simulated time unless it is declared.
smpi_bare "$here/pi.c" "$work/pi.bare" && smpi_recorded "$here/pi.c" "$work/pi.full" -finstrument-functions
bare=$(smpi_run 3 "$work/pi.bare" 20 50)
like "a program says how long it takes" "$bare" '^seconds 0\.000[1-9]'
is "recorded it takes as long" "$(RECORDER_OUT=$work/c smpi_run 3 "$work/pi.full" 20 50)" "$bare"
costly=$(RECORDER_OUT=$work/d RECORDER_COST=20e-9:10e-9 smpi_run 3 "$work/pi.full" 20 50)
# The worker that computes last has 10 packets of 50 points, two events each.
ok "with a cost of 30 ns an event it takes at least 30 us longer" \
    awk -v a="${bare#seconds }" -v b="${costly#seconds }" 'BEGIN { exit !(b + 0 > a + 10 * 50 * 2 * 30e-9) }'
fails 1 "a cost that is none" env RECORDER_OUT="$work/e" RECORDER_COST=much sh -c \
    "here='$here' work='$work'; . '$here/smpi.sh'; smpi_run 2 '$work/pi.full' 20 50 || exit 1"
like "is told" "$(cat "$work/.fails")" "recorder: rank 0: RECORDER_COST 'much': expected seconds"
done_testing
