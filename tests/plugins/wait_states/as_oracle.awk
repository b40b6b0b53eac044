# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# From the CSV report of wait_states, with all instances, to the lines that `oracle waits` prints. Call paths come last and may have
# commas.
BEGIN { FS = "," }
{ gsub(/["\r]/, "") }
$1 == "instances" && $2 != "pattern" {
    line = "wait," $2 "," $4 "," $5 "," $6 "," $7 "," $8 "," $9
    for (i = 13; i <= NF; i++)
        line = line "," $i
    print line
}
$1 == "clocks" && $2 != "relation" { print "clocks," $2 "," $3 "," $4 }
$1 == "patterns" && $8 ~ /^(time|mpi|execution)$/ { print "time," $8 "," $11 "," $5 }
$1 == "counts" { print "count," $5 "," $3 }
