# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What a page of the site needs beyond the converter: headings get the ids that links use, and links to pages go to .html.

# "Other formats?" -> "other-formats"
function id_of(text)
{
    gsub(/<[^>]*>/, "", text)
    gsub(/&[a-z]+;/, "", text)
    text = tolower(text)
    gsub(/[^a-z0-9 _-]/, "", text)
    gsub(/ /, "-", text)
    return text
}

/^<h[1-6]>/ {
    level = substr($0, 3, 1)
    text = $0
    sub(/^<h[1-6]>/, "", text)
    sub(/<\/h[1-6]>$/, "", text)
    id = id_of(text)
    if (seen[id]++)
        id = id "-" (seen[id] - 1)
    print "<h" level " id=\"" id "\">" text "</h" level ">"
    next
}

# Links within the project end in .md, with or without a place behind it.
{
    line = $0
    out = ""
    while (match(line, /href="[^":]*\.md[#"]/)) {
        link = substr(line, RSTART, RLENGTH)
        end = substr(link, length(link))
        sub(/\.md[#"]$/, ".html" end, link)
        sub(/README\.html/, "index.html", link)
        out = out substr(line, 1, RSTART - 1) link
        line = substr(line, RSTART + RLENGTH)
    }
    print out line
}
