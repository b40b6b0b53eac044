#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# embed.sh PAGE STYLES SCRIPT...: the page of tcflow-report as C source, on standard output.
#
# In PAGE, lines with only @styles@ and @scripts@ are replaced by those files, @data@ by what tcflow-report writes. The
# scripts share one scope of their own.
set -eu

page=$1 styles=$2
shift 2

if grep -il '</script\|</style\|<!--' "$styles" "$@" >&2; then
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
        elif [ "$where" != "$1" ]; then
            :
        elif [ "$line" = @styles@ ]; then
            cat "$styles"
        elif [ "$line" = @scripts@ ]; then
            printf "(() => {\n'use strict';\n"
            cat "$scripts"
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

scripts=$(mktemp)
trap 'rm -f "$scripts"' EXIT
cat "$@" >"$scripts"
printf '/* Made by tools/report/embed.sh. */\n#include "tools/report/report.h"\n\n'
part before | bytes page_before
part after | bytes page_after
