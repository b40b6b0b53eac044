# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# From `oracle match`: the smallest round trip of messages between two processes, each way taken anywhere in the trace,
# and that of two members of an n-to-n collective, of both sides of an inter-communicator. Prints CLASS TICKS. One location a
# process; times below 2^53.

function least(class, value)
{
    if (!(class in trip) || value < trip[class])
        trip[class] = value
}

$1 == "p2p" && $10 != "" && $11 != "" && $6 != $8 && $12 == 1 {
    d = $11 - $10
    if (!(($6, $8) in way) || d < way[$6, $8])
        way[$6, $8] = d
}

# Barrier, Allgather(v), Alltoall(v), Allreduce, Reduce_scatter(_block): those whose members are source and target. Members come
# in order, those of an inter-communicator's second side, with ranks from 0 on again, behind those of the first.
$1 == "coll" && $4 !~ /SCAN/ {
    instance = $2 SUBSEP $3
    if (instance in rank && $6 <= rank[instance])
        inter[instance] = 1
    rank[instance] = $6
    if ($12 == 1 && $13 == 1 && $10 != "")
        group[instance] = group[instance] " " ($11 - $10) ":" (instance in inter)
}

END {
    for (pair in way) {
        split(pair, p, SUBSEP)
        if ((p[2], p[1]) in way)
            least("p2p", way[pair] + way[p[2], p[1]])
    }
    for (instance in group) {
        n = split(group[instance], members, " ")
        for (i = 1; i <= n; i++)
            for (k = 1; k < i; k++) {
                split(members[i], a, ":")
                split(members[k], b, ":")
                if (!(instance in inter) || a[2] != b[2])
                    least("n_to_n", a[1] + b[1])
            }
    }
    for (class in trip)
        print class, trip[class]
}
