# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# From the operations that `oracle lateness` prints to what the filter's tables must say of them, for as many bins as BINS says; and, with FILTER set, from the filter's CSV to the same lines.
BEGIN { FS = "," }
{ gsub(/["\r]/, "") }

function rest(from,    i, text) {
    text = $from
    for (i = from + 1; i <= NF; i++)
        text = text "," $i
    return text
}

FILTER && $1 == "lateness" && $2 != "process" { print "location," $(NF) "," $4 "," $9 "," $10 "," $11 "," $12; next }
FILTER && $1 == "calls" && $2 != "operations" { print "call," $2 "," $7 "," $8 "," $9 "," $10 "," rest(11); next }
FILTER && $1 == "steps" && $2 != "from_step" {
    print "steps," $2 "," $3 "," $6 "," $11 "," $12 "," $13 "," $14 "," $15 "," $16; next
}
FILTER && $1 == "over_time" && $2 != "from" { print "time," $13 "," $14 "," $4 "," $9 "," $10 "," $11 "," $12; next }
FILTER && $1 == "worst" && $2 != "differential" { print "operation," $10 "," $4 "," $9 "," $8 "," $7 "," rest(11); next }

function add(table, key, late, more) {
    key = table "," key
    n[key]++
    sum[key] += late
    dsum[key] += more
    if (late > most[key]) most[key] = late
    if (more > dmost[key]) dmost[key] = more
}

function floor(x) { return x < 0 && int(x) != x ? int(x) - 1 : int(x) }

# The smallest power of two with which so many bins hold all.
function width_for(low, high,    w) {
    for (w = 1; floor(high / w) - floor(low / w) >= BINS; w *= 2)
        ;
    return w
}

!FILTER && $1 == "origin" { ORIGIN = $2 }

!FILTER && $1 == "operation" {
    count++
    step[count] = $3; end[count] = $4 - ORIGIN; late[count] = $5; more[count] = $6
    if (count == 1) { s0 = s1 = $3; t0 = t1 = end[count] }
    if ($3 < s0) s0 = $3
    if ($3 > s1) s1 = $3
    if (end[count] < t0) t0 = end[count]
    if (end[count] > t1) t1 = end[count]
    add("location", $2, $5, $6)
    add("call", rest(7), $5, $6)
    if ($6 > 0)
        print
}

END {
    if (FILTER)
        exit
    ws = width_for(s0, s1)
    wt = width_for(t0, t1)
    for (i = 1; i <= count; i++) {
        k = "steps," floor(step[i] / ws) * ws "," ws
        add("steps", floor(step[i] / ws) * ws "," ws, late[i], more[i])
        if (!(k in first) || end[i] < first[k]) first[k] = end[i]
        if (!(k in last) || end[i] > last[k]) last[k] = end[i]
        add("time", sprintf("%.0f,%.0f", floor(end[i] / wt) * wt + ORIGIN, wt), late[i], more[i])
    }
    for (k in n) {
        split(k, part, ",")
        values = sprintf("%d,%.0f,%.0f,%.0f,%.0f", n[k], sum[k], most[k], dsum[k], dmost[k])
        if (part[1] == "call")
            print "call," values "," substr(k, 6)
        else
            print k "," values (part[1] == "steps" ? sprintf(",%.0f,%.0f", first[k] + ORIGIN, last[k] + ORIGIN) : "")
    }
}
