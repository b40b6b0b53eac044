# Turns comm_matrix's CSV into the lines of "oracle traffic" (tests/oracle/traffic.c), unsorted. Names may hold commas,
# so fields are counted from the end of a line. Numbers stay texts: awk's have 53 bits only.
BEGIN { FS = OFS = "," }

{ sub(/\r$/, "") }

# The last n fields.
function last(n,    text, i)
{
    text = $(NF - n + 1)
    for (i = NF - n + 2; i <= NF; i++)
        text = text OFS $i
    return text
}

$1 == "comm_matrix" { ids = $(NF - 1) OFS $NF; NF -= 2; print "pair", ids, last(10) }
$1 == "processes" { id = $NF; NF--; print "process", id, $2, last(13) }
$1 == "collectives" { id = $NF; NF--; print "collective", id, last(4) }
