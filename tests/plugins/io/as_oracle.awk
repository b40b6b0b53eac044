# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Turns io's CSV into the lines of "oracle io" (tests/support/oracle/io.c), unsorted. Names of files and regions may hold commas: they stand
# last. Rows of regions of one name are put together.
BEGIN { FS = OFS = "," }

{ sub(/\r$/, ""); gsub(/"/, "") }

$2 == "operations" || $2 == "opened" || $2 == "visits" || $2 == "from [bytes]" { next }

# The fields from the n-th on.
function rest(n,    text, i)
{
    text = $n
    for (i = n + 1; i <= NF; i++)
        text = text OFS $i
    return text
}

function numbers() { return $2 OFS $3 OFS $4 OFS $18 OFS $19 OFS $20 OFS $9 OFS $10 OFS $11 OFS $12 OFS $13 OFS $14 OFS $15 OFS $16 OFS $17 }

$1 == "operations" { print "operations", $21, $22, $23, rest(25), numbers() }
$1 == "totals" { print "totals", $21, $22, numbers() }
$1 == "files" { print "files", $11, $12, rest(14), $2, $3, $4, $5, $6, $7, $8, $9, $10 }
$1 == "sizes" { print "sizes", $9, $10, $11, $2, $3, $4, $5, $8 }
$1 == "regions" { key = $5 OFS rest(8); visits[key] += $2; ticks[key] += $4 }

END { for (key in visits) printf "regions,%s,%.0f,%.0f\n", key, visits[key], ticks[key] }
