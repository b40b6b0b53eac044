#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# make.sh CMARK SOURCE SITE: the project's pages as a site of plain HTML in the folder SITE, which must not be there yet.
# CMARK is cmark-gfm. Pages lie as in the source tree, README.md as index.html; whatever else they link comes along.
set -eu
cmark=$1
source=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$3"
site=$(cd "$3" && pwd)
cd "$source"

# The address of a page in the site.
address()
{
    printf '%s\n' "$1" | sed -e 's#README\.md$#index.html#' -e 's#\.md$#.html#'
}

# Pages in the order of the navigation: the start, the index, the rest.
pages="README.md doc/README.md"
for page in doc/*.md plugins/*/README.md tests/*/README.md tests/*/*/README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md; do
    [ "$page" = doc/README.md ] || [ ! -f "$page" ] || pages="$pages $page"
done

for page in $pages; do
    to=$site/$(address "$page")
    mkdir -p "$(dirname "$to")"
    # From this page to the root.
    up=$(printf '%s\n' "$page" | sed -e 's#[^/]*$##' -e 's#[^/]*/#../#g')
    title=$(sed -n 's/^# *//p' "$page" | head -n 1)
    {
        printf '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        printf '<meta name="viewport" content="width=device-width">\n<title>%s</title>\n' "$title - tcflow" | sed 's/`//g'
        printf '<link rel="stylesheet" href="%ssite.css">\n</head>\n<body>\n<nav>\n<ul>\n' "$up"
        for other in $pages; do
            name=$(sed -n 's/^# *//p' "$other" | head -n 1 | sed -e 's/`//g' -e 's/&/\&amp;/g' -e 's/</\&lt;/g')
            here_now=
            [ "$other" != "$page" ] || here_now=' aria-current="page"'
            printf '<li><a href="%s%s"%s>%s</a></li>\n' "$up" "$(address "$other")" "$here_now" "$name"
        done
        printf '</ul>\n</nav>\n<main>\n'
        "$cmark" --extension table --extension strikethrough "$page" | awk -f "$here/page.awk"
        printf '</main>\n</body>\n</html>\n'
    } >"$to"

    # What it links besides pages: pictures, man pages, examples.
    grep -oE '(href|src)="[^":#?]+' "$to" | sed 's/^[^"]*"//' | sort -u | while IFS= read -r linked; do
        from=$(dirname "$page")/$linked
        case $linked in *.html | */ | *site.css) continue ;; esac
        [ -f "$from" ] || continue
        mkdir -p "$(dirname "$(dirname "$to")/$linked")"
        [ -e "$(dirname "$to")/$linked" ] || cp "$from" "$(dirname "$to")/$linked"
    done
done
cp "$here/site.css" "$site/site.css"
chmod -R u+w "$site"
