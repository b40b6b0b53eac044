# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Are measured offsets as good as they say? Reads the knots of --truth, then "location time offset deviation". Half the
# round trip, sqrt(3) standard deviations, bounds the error of Cristian's method. Prints how many were measured and how
# many are off by more; -v worst=1 adds the largest error.

FNR == NR {
    if (FNR > 1) {
        split($0, f, ",")
        n = ++knots[f[1]]
        shown[f[1], n] = f[2] - origin
        true_[f[1], n] = f[3] - origin
    }
    next
}

{
    time = $2 - origin
    for (i = 1; i < knots[$1] - 1 && shown[$1, i + 1] <= time; i++)
        ;
    is = true_[$1, i] + (time - shown[$1, i]) * (true_[$1, i + 1] - true_[$1, i]) / (shown[$1, i + 1] - shown[$1, i])
    error = time + $3 - is
    error = error < 0 ? -error : error
    measured++
    wrong += error > 1.7321 * $4 + 2
    largest = error > largest ? error : largest
}

END {
    printf "%d measured, %d wrong%s\n", measured, wrong, worst ? sprintf(", %.0f", largest) : ""
}
