# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Turns comm_matrix's CSV into the lines of "oracle traffic" (tests/support/oracle/traffic.c), unsorted. Names are left out: those that
# hold commas are in quotation marks. Numbers stay texts: awk's have 53 bits only.
BEGIN { FS = OFS = "," }

{
    sub(/\r$/, "")
    while (match($0, /"[^"]*"/))
        $0 = substr($0, 1, RSTART - 1) "-" substr($0, RSTART + RLENGTH)
    by_location = NF == ($1 == "comm_matrix" ? 19 : $1 == "processes" ? 18 : 9)
}

# The last n fields.
function last(n,    text, i)
{
    text = $(NF - n + 1)
    for (i = NF - n + 2; i <= NF; i++)
        text = text OFS $i
    return text
}

$1 == "comm_matrix" { ids = $(NF - 1) OFS $2 OFS $NF OFS $(4 + by_location); NF -= 2; print "pair", ids, last(10) }
$1 == "processes" { id = $NF OFS $2; NF--; print "process", id, last(13) }
$1 == "collectives" { id = $NF OFS $2; NF--; print "collective", id, last(4) }
