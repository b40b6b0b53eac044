# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Compares the CSV report of root_cause (all locations) with what `oracle causes` prints: reads that first. Sums of both by kind, pattern,
# location and call path may differ by what rounding down to fixed-point numbers takes away. Prints what differs, and fails.
# -v share=X: where comparisons begin or end inside of stretches, costs are near: all differences may be that part of all sums.
BEGIN { FS = "," }
function path(from,   i, text) {
    for (i = from; i <= NF; i++)
        text = text (i > from ? "," : "") $i
    return text
}
function note(side, what, number) { value[side, what] += number; seen[what] = 1 }
{ gsub(/["\r]/, "") }
FNR == NR && $1 == "cost" {
    note(1, "short " $2 " " $3 " " path(6), $4); note(1, "long " $2 " " $3 " " path(6), $5)
}
FNR == NR && $1 == "wait" {
    all += $4
    note(1, "time " $2 " " $3 " " path(8), $4); note(1, "indirect " $2 " " $3 " " path(8), $5)
    note(1, "passed on " $2 " " $3 " " path(8), $6); note(1, "unknown " $2 " " $3 " " path(8), $7)
}
FNR == NR { next }
$1 == "locations" && $2 != "pattern" {
    note(2, "short " $2 " " $3 " " path(8), $6); note(2, "long " $2 " " $3 " " path(8), $7)
    if ($6 < 0 || $7 < 0) { print "negative: " $0; bad++ }
}
$1 == "wait_locations" && $2 != "pattern" {
    note(2, "time " $2 " " $3 " " path(13), $9); note(2, "indirect " $2 " " $3 " " path(13), $10)
    note(2, "passed on " $2 " " $3 " " path(13), $11); note(2, "unknown " $2 " " $3 " " path(13), $12)
    if ($6 < 0 || $7 < 0 || $8 < 0 || $7 > $4 + 1e-9) { print "negative: " $0; bad++ }
}
END {
    for (what in seen) {
        a = value[1, what] + 0; b = value[2, what] + 0
        difference = a > b ? a - b : b - a
        differences += difference; sums += a > b ? a : b
        if (!share && difference > 0.02 + 1e-11 * all + 1e-9 * (a > b ? a : b)) { if (bad++ < 5) print what ": " a " expected, " b }
        n++
    }
    if (share && differences > share * sums) { print "differences of " differences " in " sums; bad++ }
    if (n == 0) { print "nothing to compare"; bad++ }
    exit bad > 0
}
