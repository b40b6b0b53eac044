#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# counts.sh PAGE: prints doc/testing.md with its table of how much is tested and by how much, counted in the tree.
# tests/house/test_docs.sh holds the page against it; make counts writes it. Lines are given in thousands, so that most
# changes leave them as they are.
set -eu
page=$1
cd "${top_srcdir:-$(dirname "$0")/../..}"

# thousands PATTERN: of the lines of standard input, without those of the pattern
thousands()
{
    awk -v none="$1" '$0 !~ none { n++ } END { printf "%d,000\n", n / 1000 + 0.5 }'
}
# files FOLDER PATTERN
files()
{
    find "$1" -name "$2" | wc -l
}

table=$(
    cat <<END
| counted by \`make counts\` | |
|---|---|
| lines of C: framework, plugins, kit, tools; without comments | $(find framework include kit plugins tools -name '*.[ch]' -exec cat {} + |
    thousands '^[ \t]*($|/?\*|//)') |
| lines of C, shell and Python: tests; without comments | $(find tests -name '*.[ch]' -exec cat {} + -o -name '*.sh' -exec cat {} + -o -name '*.py' -exec cat {} + |
    thousands '^[ \t]*($|#|/?\*)') |
| test programs, scripts | $(files tests 'test_*.c'), $(files tests 'test_*.sh') |
| oracles: the same results computed slowly, from the whole trace, by other code | $({ find tests -name oracle.py; find tests/support/oracle -name '*.c'; } | wc -l) files |
| rules of the plugin interface that \`tcflow --torture\` holds a plugin to | $(awk '/define TORTURE_RULES/ { on = 1 } on && /^    R\(/ { n++ } /^$/ { on = 0 } END { print n }' kit/torture/torture.h) |
| targets of fuzzers, inputs that they start from | $(files tests/fuzz 'fuzz_*.c'), $(for f in tests/fuzz/*.tar.gz; do gzip -dc "$f" | tar -t | grep -v '/$'; done | wc -l |
    sed -E 's/([0-9]{3})$/,\1/') |
END
)
TABLE=$table awk '/^\| counted by / { print ENVIRON["TABLE"]; skip = 1 } /^$/ { skip = 0 } !skip' "$page"
