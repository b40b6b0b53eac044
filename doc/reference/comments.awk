# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
# Doxygen's input filter for `make reference`: the headers' plain comments become comments that doxygen takes. A comment at
# the start of a line belongs to what follows, one behind code to what stands before it, the first one behind the licence to
# the file.

# Text of a comment without what means something to doxygen; code, indented or in backquotes, stays as it is.
function plain(text,    prefix, part, n, i)
{
    if (text ~ /^ \*     /)
        return text
    prefix = match(text, /^ +\* ?/) ? substr(text, 1, RLENGTH) : ""
    n = split(substr(text, length(prefix) + 1), part, "`")
    text = prefix
    for (i = 1; i <= n; i++) {
        if (i % 2 == 1)
            gsub(/[\\@#%<>&*]/, "\\\\&", part[i])
        text = text (i > 1 ? "`" : "") part[i]
    }
    return text
}

# One line: code and comments in turn.
{
    line = $0
    out = ""
    code = 0
    while (line != "") {
        if (!inside) {
            at = index(line, "/*")
            if (at == 0) {
                out = out line
                break
            }
            before = substr(line, 1, at - 1)
            out = out before
            code = code || before !~ /^[ \t]*$/
            line = substr(line, at + 2)
            inside = 1
            n++
            if (n == 1 || line ~ /^ -----/)
                out = out "/*" # the licence, a heading
            else if (code)
                out = out "/**<"
            else
                out = out (n == 2 ? "/** \\file\n" : "/**")
        } else {
            at = index(line, "*/")
            if (at == 0) {
                out = out plain(line)
                break
            }
            out = out plain(substr(line, 1, at - 1)) "*/"
            line = substr(line, at + 2)
            inside = 0
        }
    }
    print out
}
