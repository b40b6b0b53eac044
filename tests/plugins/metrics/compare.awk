# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# compare.awk EXPECTED GOT: sorted lines "KEY,VALUE,..."; those of one key are added where they are paths, which may be several of
# one name; others are compared in their order (a member may be counted in two classes). Whole numbers must be equal digit by
# digit, means and others to nine digits.
BEGIN { FS = "," }

function key_of(    n) { n = /^path/ ? 2 : /^total/ ? 4 : /^time/ ? 5 : 10; return n }

function take(into, file,    n, key, i) {
    n = key_of()
    key = $1
    for (i = 2; i <= NF - n; i++)
        key = key "," $i
    if (!/^path/)
        key = key " " ++times[file, key]
    for (i = 1; i <= n; i++) {
        if (/^path/ && ((key, i) in into))
            into[key, i] += $(NF - n + i)
        else
            into[key, i] = $(NF - n + i)
    }
    return key
}

FNR == NR { if (!/^#/) { expected[take(e, 1)] = key_of() } next }
{ found[take(g, 2)] = 1 }

function is_mean(key, i) { return key ~ /^series/ ? i > 8 : key ~ /^time/ && i == 5 }

function wrong(key, i,    x, y, d, size) {
    x = e[key, i]; y = g[key, i]
    if (x == y)
        return 0
    if (x !~ /[.e]/ && y !~ /[.e]/ && !is_mean(key, i))
        return 1
    d = x - y; size = x < 0 ? -x : x
    return (d < 0 ? -d : d) > 1e-9 * (size > 1e6 ? size : 1e6)
}

END {
    for (key in expected) {
        if (!(key in found))
            print "missing: " key
        for (i = 1; i <= expected[key] && key in found; i++)
            if (wrong(key, i))
                print key ", number " i ": " g[key, i] " instead of " e[key, i]
        n++
    }
    for (key in found)
        if (!(key in expected))
            print "not expected: " key
    if (!n)
        print "nothing to compare"
}
