# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# From the CSV report of critical_path, with all call paths and locations, to the lines that `oracle critical` prints. Call paths come
# last and may have commas.
BEGIN { FS = "," }
{ gsub(/["\r]/, "") }
function rest(from,    i, text) {
    text = $from
    for (i = from + 1; i <= NF; i++)
        text = text "," $i
    return text
}
$1 == "path" && $2 != "length" { print "path," $3 "," $4 "," $6 }
$1 == "callpaths" && $2 != "time" {
    printf "callpath,%.0f,%.2f,%.0f,%.2f,%.2f,%.0f,%s\n", $9, $10, $11, $12, $13, $14, rest(15)
}
$1 == "locations" && $2 != "location" { print "location," $2 "," $5 "," rest(6) }
$1 == "over_time" && $2 != "from" { print "time," $6 "," $7 "," $4 "," $8 }
$1 == "clocks" && $2 != "relation" { print "clocks," $2 "," $3 "," $4 }
