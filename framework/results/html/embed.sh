#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# embed.sh D3 PAGE STYLES NOTICE SCRIPT...: the page of an HTML report as C source, on standard output.
#
# In PAGE, lines with only @styles@, @d3@ and @scripts@ are replaced by those files, @data@ by what tcflow
# writes at run time. NOTICE is D3's licence, which has to stay with it. The scripts share one scope of their own.
set -eu

d3=$1 page=$2 styles=$3 notice=$4
shift 4

if grep -il '</script\|</style\|<!--' "$d3" "$styles" "$notice" "$@" >&2; then
    echo "embed.sh: this would end the element that it stands in" >&2
    exit 1
fi

# part before|after: the page in front of its data, or behind.
part()
{
    where=before
    while IFS= read -r line; do
        if [ "$line" = @data@ ]; then
            where=after
        elif [ "$where" != "$wanted" ]; then
            :
        elif [ "$line" = @styles@ ]; then
            cat "$styles"
        elif [ "$line" = @d3@ ]; then
            printf '/*\n'
            cat "$notice"
            printf '*/\n'
            cat "$d3"
            printf '\n'
        elif [ "$line" = @scripts@ ]; then
            printf "(() => {\n'use strict';\n"
            cat "$@"
            printf '})();\n'
        else
            printf '%s\n' "$line"
        fi
    done <"$page"
}

# bytes NAME: standard input as an array and its size.
bytes()
{
    printf 'const unsigned char %s[] = {\n' "$1"
    od -A n -v -t u1 | sed 's/[0-9][0-9]*/&,/g'
    printf '};\nconst size_t %s_bytes = sizeof %s;\n' "$1" "$1"
}

printf '/* Made by framework/results/html/embed.sh. */\n#include "framework/results/html_page.h"\n\n'
wanted=before
part "$@" | bytes html_page_before
wanted=after
part "$@" | bytes html_page_after
