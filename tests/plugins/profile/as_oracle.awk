# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Turns profile's CSV, with by_location = yes, into the lines of "oracle profile" (tests/support/oracle/profile.c), unsorted:
#
#     flat,LOCATION,REGION,NAME,VISITS,INCLUSIVE,EXCLUSIVE,MIN,MAX
#     tree,LOCATION,REGION,PATH,VISITS,INCLUSIVE,EXCLUSIVE,MIN,MAX
#
# Numbers stay texts: awk's have 53 bits only.

# The fields of a line of CSV to field[1..].
function split_line(line,    n, at)
{
    n = 0
    line = line ","
    while (line != "") {
        if (substr(line, 1, 1) == "\"") {
            at = 2
            while (substr(line, at, 1) != "\"" || substr(line, at + 1, 1) == "\"")
                at += substr(line, at, 1) == "\"" ? 2 : 1
            field[++n] = substr(line, 2, at - 2)
            gsub(/""/, "\"", field[n])
            at += 2
        } else {
            at = index(line, ",")
            field[++n] = substr(line, 1, at - 1)
            at++
        }
        line = substr(line, at)
    }
    return n
}

function quoted(text)
{
    if (text !~ /[,"]/)
        return text
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}

{ sub(/\r$/, "") }
$0 ~ /^table,/ { next }
$0 ~ /^flat_profile_by_location,/ {
    split_line($0)
    print "flat," field[2] "," field[15] "," quoted(field[16]) "," field[8] "," field[12] "," field[11] "," \
        field[13] "," field[14]
}
$0 ~ /^calltree_by_location,/ {
    split_line($0)
    depth = field[16] + 0
    name[depth] = substr(field[17], depth > 65 ? 129 : 2 * depth - 1) # no more than 64 levels are moved to the right
    path = name[1]
    for (i = 2; i <= depth; i++)
        path = path "/" name[i]
    print "tree," field[2] "," field[15] "," quoted(path) "," field[8] "," field[11] "," field[12] "," \
        field[13] "," field[14]
}
