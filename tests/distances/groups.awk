# Lines "key|distance" in order of key and distance to lines "key|samples|min|p5|median|p95|max|typical". -v cut=50 -v step=1
function quantile(p,    r) {
    r = p * n
    r = r > int(r) ? int(r) + 1 : int(r)
    return d[r < 1 ? 1 : r]
}
function finish(    i, sum, m, most) {
    if (n == 0)
        return
    most = cut * (quantile(0.5) > step ? quantile(0.5) : step)
    for (i = 1; i <= n; i++)
        if (d[i] <= most) {
            sum += d[i]
            m++
        }
    printf "%s|%d|%d|%d|%d|%d|%d|%.3f\n", key, n, d[1], quantile(0.05), quantile(0.5), quantile(0.95), d[n], m ? sum / m : 0
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
