# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# From the CSV report of iterations to the lines that `oracle iterations` prints. Names may have commas, in quotes.
{ sub(/\r$/, ""); read($0) }

function read(line,    n, quoted, i, c) {
    split("", f)
    n = 1
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"")
            quoted = !quoted
        else if (c == "," && !quoted)
            n++
        else
            f[n] = f[n] c
    }
}

f[1] == "iterations" && f[2] != "process" {
    printf "loop,%s,%s,%s,%s,%s,%s,%s,%s", f[25], f[4], f[20], f[21], f[22], f[23], f[9], f[24]
    for (i = 11; i <= 15; i++)
        printf ",%.6g", f[i]
    printf ",%.6g,%.5g,%.6g,%.6g,%s,%s\n", f[5], f[6], f[18], f[19], f[26], f[27]
}
f[1] == "over_iterations" && f[2] != "from" {
    print "bin," f[2] "," f[3] "," f[8] "," f[9] "," f[10] "," f[6] "," f[11]
}
f[1] == "outliers" && f[2] != "factor" { printf "outlier,%s,%s,%s,%s,%.5g\n", f[9], f[4], f[8], f[7], f[2] }
f[1] == "candidates" && f[2] != "fewest" { print "candidate," f[2] "," f[3] "," f[4] "," f[8] "," f[9] }
