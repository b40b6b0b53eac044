# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What the filter distances tells, computed from the text of otf2-print by sorting all distances: a line a group,
#     kind|after|in_run|attributes|values|region|samples|min|p5|median|p95|max|typical
# in ticks. -v run=64 -v step=1; with only one distance longer than 1,023 ticks is compared roughly (see test_distances.sh).
# Lines are those of events, attributes behind their event; the region's name stands between the first and last quote.
function flush_event(    i, key, where, empty_call) {
    if (kind == "")
        return
    where = location
    pause = kind == "BUFFER_FLUSH" || kind == "MEASUREMENT_ON_OFF"
    fits = depth[where] > 0 && id == opened[where, depth[where]]
    if (!(kind == "ENTER" || kind == "LEAVE"))
        region = depth[where] > 0 ? open[where, depth[where]] : ""
    inrun = calls[where] >= run && (kind == "METRIC" || kind == "ENTER" && !empty[where] || kind == "LEAVE" && empty[where] && fits)
    if (before[where] != "" && !pause) {
        key = kind "|" before[where] "|" (inrun ? "yes" : "no") "|" attributes "|" values "|" region
        print key "|" time - last[where]
    }
    if (kind == "ENTER") {
        if (empty[where])
            calls[where] = 0
        empty[where] = 1
        open[where, ++depth[where]] = region
        opened[where, depth[where]] = id
    } else if (kind == "LEAVE") {
        calls[where] = empty[where] && fits ? calls[where] + 1 : 0
        empty[where] = 0
        for (i = depth[where]; i > 0 && opened[where, i] != id;)
            i--
        if (i > 0)
            depth[where] = i - 1
    } else if (!pause && kind != "METRIC") {
        empty[where] = calls[where] = 0
    }
    before[where] = pause ? "" : kind
    last[where] = time
    kind = ""
}
/^ +ADDITIONAL ATTRIBUTES/ {
    attributes = gsub(/; [A-Z0-9_]+; /, "")
    next
}
/^[A-Z][A-Z0-9_]* +[0-9]+ +[0-9]+/ {
    flush_event()
    kind = $1
    location = $2
    time = $3
    attributes = 0
    values = kind == "METRIC" ? gsub(/<[0-9]+>; [A-Z0-9]+; /, "") : 0
    region = ""
    if ((kind == "ENTER" || kind == "LEAVE") && match($0, /".*"/))
        region = substr($0, RSTART + 1, RLENGTH - 2)
    id = match($0, /<[0-9]+>$/) ? substr($0, RSTART) : $0
}
END { flush_event() }
