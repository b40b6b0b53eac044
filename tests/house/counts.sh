#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make counts`: how much is tested and by how much, for doc/testing.md. From the tree, and from the .trs files that the last
# `make check` in this build folder has left.
top=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd)
build=${top_builddir:-$top/build}

# lines FOLDER...: of C, without blank ones and without those of comments alone
lines()
{
    (cd "$top" && find "$@" -name '*.[ch]' -exec cat {} + | grep -cvE '^[[:space:]]*($|/?\*|//)')
}
# files FOLDER PATTERN
files()
{
    (cd "$top" && find "$1" -name "$2" | wc -l)
}
row()
{
    printf '%-62s %9s\n' "$1" "$2"
}
row "lines of C of the framework, plugins, kit and tools" "$(lines framework include kit plugins tools)"
row "lines of C, shell and Python of the tests" "$(cd "$top" && find tests ! -path '*/corpus/*' \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' \) \
    -exec cat {} + | grep -cvE '^[[:space:]]*($|#|/?\*)')"
row "assert() of what cannot happen, in the code" "$(cd "$top" && grep -rhoE '\bassert\(' framework include kit plugins tools --include='*.[ch]' | wc -l)"
row "programs of tests in C" "$(files tests 'test_*.c')"
row "scripts of tests" "$(files tests 'test_*.sh')"
row "independent slow computations (oracles)" "$(cd "$top" && { find tests -name 'oracle.py'; find tests/support/oracle -name '*.c'; } | wc -l)"
row "targets of fuzzers" "$(files tests/fuzz 'fuzz_*.c')"
row "inputs that they start from" "$(for f in "$top"/tests/fuzz/*.tar.gz; do gzip -dc "$f" | tar -t | grep -v '/$'; done | wc -l)"
row "rules of the plugin interface that tcflow --torture knows" "$("$build/tcflow-torture" --list-rules 2>/dev/null | wc -l)"
trs=$(find "$build/tests" -name '*.trs' 2>/dev/null)
if [ -n "$trs" ]; then
    for result in PASS FAIL SKIP; do
        row "assertions of the last make check: $result" "$(cat $trs | grep -c "^:test-result: $result")"
    done
    row "test programs and scripts in it" "$(echo "$trs" | wc -l)"
fi
