# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Do the knots of --truth say what the two archives say? Reads the knots (location,time,true_time), then lines
# "location recorded true" of all events in the order of each location. Prints the largest differences in ticks:
# of what the clock shows at the true time (running maximum, for a clock that runs backwards stands still), and, with
# -v inverse=1, of the true time at what the clock shows.

FNR == NR {
    if (FNR > 1) {
        split($0, f, ",")
        n = ++knots[f[1]]
        # Differences to the first knot keep within a double's precision.
        local[f[1], n] = f[2] - origin
        true_[f[1], n] = f[3] - origin
    }
    next
}

# Y at X between knots of location L, looking on from where the last look-up ended.
function between(L, x, from, at, x_of, y_of) {
    i = at
    while (i < knots[L] - 1 && x_of[L, i + 1] <= x)
        i++
    last = i
    if (x_of[L, i + 1] == x_of[L, i])
        return y_of[L, i + 1]
    return y_of[L, i] + (x - x_of[L, i]) * (y_of[L, i + 1] - y_of[L, i]) / (x_of[L, i + 1] - x_of[L, i])
}

{
    L = $1
    recorded = $2 - origin
    t = $3 - origin
    if (!(L in at)) {
        at[L] = inverse_at[L] = 1
        shown[L] = -1e300
    }
    # The event happened in [t, t + 1).
    low = between(L, t, 0, at[L], true_, local)
    at[L] = last
    high = between(L, t + 1, 0, at[L], true_, local)
    if (low < shown[L])
        low = shown[L]
    if (high < shown[L])
        high = shown[L]
    shown[L] = recorded > shown[L] ? recorded : shown[L]
    d = recorded < low - 1 ? low - 1 - recorded : recorded > high ? recorded - high : 0
    if (d > forward)
        forward = d
    if (inverse) {
        e = between(L, recorded, 0, inverse_at[L], local, true_) - t
        inverse_at[L] = last
        e = e < 0 ? -e : e
        if (e > backward)
            backward = e
    }
    events++
}

END {
    printf "%d events\n", events
    print "clock", forward < 0.01 ? "agrees" : "is off by " forward
    if (inverse)
        print "true time", backward <= 1.01 ? "agrees" : "is off by " backward
}
