# From `oracle match`: the smallest round trip of messages between two processes, each way taken anywhere in the trace,
# and that of two members of an n-to-n collective. Prints CLASS TICKS. One location a process; times below 2^53.

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

# Barrier, Allgather(v), Alltoall(v), Allreduce, Reduce_scatter(_block): those whose members are source and target
$1 == "coll" && $12 == 1 && $13 == 1 && $10 != "" && $4 !~ /SCAN/ {
    instance = $2 SUBSEP $3
    group[instance] = group[instance] " " ($11 - $10) ":" $5
}

END {
    for (pair in way) {
        split(pair, p, SUBSEP)
        if ((p[2], p[1]) in way)
            least("p2p", way[pair] + way[p[2], p[1]])
    }
    for (instance in group) {
        n = split(group[instance], members, " ")
        a = b = -1
        for (i = 1; i <= n; i++) {
            split(members[i], m, ":")
            d = m[1]
            if (a < 0 || d < a) {
                b = a
                a = d
            } else if (b < 0 || d < b) {
                b = d
            }
        }
        if (b >= 0)
            least("n_to_n", a + b)
    }
    for (class in trip)
        print class, trip[class]
}
