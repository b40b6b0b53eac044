#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# source_at_leave: a filter that asks for it sees a receive only when the call of its send has been left, and knows the
# event that left it; in a call that itself contains a target behind the send (MPI_Sendrecv) the edge counts from that
# target on. Compared with what is computed from the dump of the whole trace.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

oracle=$top_builddir/tests/support/oracle/oracle

# Where each send of the dump is left: "LOCATION,SEND INDEX,t" with t = 1 when it is a target that ends it.
lefts()
{
    awk '
        function leave(least, index_, target) {
            while (n[$1] > 0 && depth_of[$1, n[$1]] >= least) {
                print $1 "," at[$1, n[$1]] "," index_ "," target
                n[$1]--
            }
        }
        $4 == "ENTER" { depth[$1]++ }
        $4 == "LEAVE" { leave(depth[$1], $2, 0); depth[$1]-- }
        $4 == "MPI_RECV" || $4 == "MPI_IRECV" || $4 == "MPI_COLLECTIVE_END" ||
        $4 == "NON_BLOCKING_COLLECTIVE_COMPLETE" { leave(depth[$1], $2, 1) }
        $4 == "MPI_SEND" || $4 == "MPI_ISEND" { n[$1]++; at[$1, n[$1]] = $2; depth_of[$1, n[$1]] = depth[$1] }'
}

compare()
{
    awk -F, '
        NR == FNR { left[$1 "," $2] = $3; target[$1 "," $2] = $4; next }
        $1 != "left" { next }
        { key = $2 "," $3; seen++ }
        $4 != left[key] && !($4 == -1 && target[key] == 1) { print "send " key " left at " $4 ", expected " left[key]; bad = 1 }
        END { if (!seen) { print "no message"; bad = 1 } exit bad }' "$1" "$2"
}

# made SEED FEATURES
made()
{
    rm -rf "$work/trace"
    timeout 60 "$generate" random --out "$work/trace" --seed "$1" --ranks $(($1 % 6 + 2)) --events 3000 --features "$2" \
        >"$work/generate" 2>&1
}

# probed SLICE: what the probe finds in $work/match
probed()
{
    printf '[pipeline]\ninput = %s\nchain = probe_leave\nslice = %s\n[probe_leave]\nmatch = %s\n' \
        "$work/trace/traces.otf2" "$1" "$work/match" >"$work/leave.ini"
    timeout 60 "$TCFLOW" --plugin-path "$top_builddir/tests/framework/probe/.libs" -q -c "$work/leave.ini"
}

for features in p2p p2p,sendrecv,nonblocking,any-source,collectives p2p,sendrecv,mpi-threads; do
    failed=
    for seed in $(seeds_of 6); do
        made "$seed" "$features" || failed="$failed $seed: not generated"
        "$oracle" dump "$work/trace/traces.otf2" | lefts >"$work/lefts"
        for slice in 0 3; do
            probed $slice >"$work/why" 2>&1 && compare "$work/lefts" "$work/match" >"$work/why" 2>&1 ||
                failed="$failed $seed/$slice: $(head -n 2 "$work/why")"
        done
    done
    is "$features: edges count when the call of the source is left" "$failed" ""
done

# MPI_Init and MPI_Finalize as instances made of their regions: once for each of seven ranks, from enter to leave.
made 5 p2p,sendrecv,mpi-threads && ok "a trace of seven ranks" probed 3
otf2-print "$work/trace/traces.otf2" 2>/dev/null |
    awk '/"MPI_(Init|Finalize)"/ { print ($0 ~ /Init/ ? 254 : 255) "," $2 "," $1 }' | sort >"$work/expected"
awk -F, '$1 == "program" { print $2 "," $4 ",ENTER"; print $2 "," $4 ",LEAVE"; if ($5 < 0 || $6 <= $5) print "bad " $0 }' \
    "$work/match" | sort >"$work/got"
is "MPI_Init and MPI_Finalize of seven ranks" "$(cat "$work/got")" "$(cat "$work/expected")"
is "that is 28 events" "$(grep -c . "$work/got")" 28

done_testing
