#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# filters.sh TCFLOW SOURCE: prints doc/filters.md, what the program says of its filters and readers, with links to the notes
# beside them. tests/house/test_docs.sh holds the page against it; make filters-page writes it.
set -eu
"$1" --no-pager --ignore-plugin-path --list-filters=markdown | while IFS= read -r line; do
    case $line in
    '### '*)
        name=${line#"### "}
        printf '%s\n' "$line"
        [ ! -f "$2/plugins/$name/README.md" ] || printf '\n[What it computes](../plugins/%s/README.md)\n' "$name"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done
