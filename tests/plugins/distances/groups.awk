# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Lines "key|distance" in order of key and distance to lines "key|samples|min|p5|median|p95|max|typical". -v cut=50 -v step=1
# Where `typical` depends on the last 0.1 % of the median its two values follow each other: "|least|largest".
function quantile(p,    r) {
    r = p * n
    r = r > int(r) ? int(r) + 1 : int(r)
    return d[r < 1 ? 1 : r]
}
function mean(most,    i, sum, m) {
    for (i = 1; i <= n; i++)
        if (d[i] <= most) {
            sum += d[i]
            m++
        }
    return m ? sum / m : 0
}
function finish(    median, most, least, largest) {
    if (n == 0)
        return
    median = quantile(0.5)
    most = cut * (median > step ? median : step)
    least = mean(median > 1023 ? 0.999 * most : most)
    largest = mean(median > 1023 ? 1.001 * most : most)
    printf "%s|%d|%d|%d|%d|%d|%d|%.3f", key, n, d[1], quantile(0.05), median, quantile(0.95), d[n], least
    printf (largest > least ? "|%.3f\n" : "\n"), largest
    n = 0
}
{
    at = match($0, /\|[0-9]+$/)
    this = substr($0, 1, at - 1)
    if (this != key)
        finish()
    key = this
    d[++n] = substr($0, at + 1) + 0
}
END { finish() }
