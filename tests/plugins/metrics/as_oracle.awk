# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Turns metrics' CSV into the lines of "oracle metrics" (tests/support/oracle/metrics.c), unsorted. Names of regions may hold commas: they
# stand last. Numbers stay texts: awk's have 53 bits only.
BEGIN { FS = OFS = "," }

{ sub(/\r$/, ""); gsub(/"/, "") }

$2 == "samples" || $2 == "series" || $2 == "from [s]" { next }
$1 == "metrics" { print "series " $22 " " $21 " " $23, $2, $11, $15, $16, $17, $18, $19, $20, $5, $6 }
$1 == "totals" { print "total " $11, $3, $8, $9, $10 }
$1 == "callpaths" {
    path = $10
    for (i = 11; i <= NF; i++)
        path = path "," $i
    print "path " $5 " " $6 " " (path == "-" ? "" : path), $2, $4
}
$1 == "over_time" { print "time " $14 " " $15 " " $13 " " $12, $4, $9, $10, $11, $7 }
