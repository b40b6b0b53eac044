#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What people read agrees with what the program does: the man page has every option and every key of [pipeline], every
# filter stands in README and man page, filters.d/NAME.ini is what --describe NAME says, and links lead somewhere.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
usual_build_only

man=$top_srcdir/doc/tcflow.1
# The man page writes - as \-.
sed 's/\\-/-/g' "$man" >"$work/man"

ok "--help succeeds" tcflow --help
for option in $(tcflow --help | sed -n '/^  /p' | grep -oE '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,' | sort -u); do
    ok "man page has $option" grep -q -e "[^a-z]$option\([^a-z-]\|\$\)" "$work/man"
done

for tool in calibrate diff new-filter report scaling synth torture; do
    [ -x "$top_builddir/tcflow-$tool" ] || continue # some without SQLite
    sed 's/\\-/-/g' "$top_srcdir/doc/tcflow-$tool.1" >"$work/man-tool"
    for option in $("$top_builddir/tcflow-$tool" --help | sed -n '/^  /p' | grep -oE '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,' |
        sort -u); do
        ok "man page of tcflow-$tool has $option" grep -q -e "[^a-z]$option\([^a-z-]\|\$\)" "$work/man-tool"
    done
done

tcflow --describe pipeline --ini >"$work/pipeline.ini"
keys=$(sed -nE 's/^[;# ]*([a-z_]+) *=.*/\1/p' "$work/pipeline.ini" | sort -u)
ok "[pipeline] has keys" test -n "$keys"
for key in $keys; do
    ok "man page has the key $key of [pipeline]" grep -q "^\.\(B\|BR\) .*\b$key\b" "$work/man"
done

# Parameters that the texts name are there.
for named in $(cat "$work/man" "$top_srcdir/README.md" "$top_srcdir/doc/using.md" "$top_srcdir"/examples/*.ini | grep -oE '(^|[^a-z])-o [a-z0-9_]+\.[a-z_]+=' |
    grep -oE '[a-z0-9_]+\.[a-z_]+' | sort -u); do
    tcflow --describe "${named%%.*}" --ini >"$work/described.ini" 2>&1
    ok "$named is a parameter" grep -qE "^;?${named#*.} *=" "$work/described.ini"
done

for ini in "$top_srcdir"/filters.d/*.ini; do
    filter=$(basename "$ini" .ini)
    ok "README has filter $filter" grep -q "\`$filter\`" "$top_srcdir/README.md"
    ok "man page has filter $filter" grep -qx "\.B $filter" "$work/man"
    if ok "--describe $filter --ini" tcflow --describe "$filter" --ini; then
        tcflow --describe "$filter" --ini >"$work/described.ini"
        same "filters.d/$filter.ini is what --describe says" "$ini" "$work/described.ini"
    fi
done

for folder in "$top_srcdir"/plugins/*/; do
    filter=$(basename "$folder")
    [ -f "$folder/$filter.c" ] || continue # source that filters share
    ! grep -q '^TCF_SOURCE' "$folder/$filter.c" || continue # a reader
    ok "filter $filter has its filters.d/$filter.ini" test -f "$top_srcdir/filters.d/$filter.ini"
done

# doc/filters.md is what the program says; and the page of those that were not built is kept.
TCFLOW_PLUGIN_PATH= sh "$top_srcdir/doc/filters.sh" "$TCFLOW" "$top_srcdir" >"$work/filters.md"
if [ "$(grep -c '^### ' "$work/filters.md")" = "$(grep -c '^### ' "$top_srcdir/doc/filters.md")" ]; then
    same "doc/filters.md is what --list-filters=markdown says (make filters-page)" "$top_srcdir/doc/filters.md" "$work/filters.md"
else
    skip "doc/filters.md" "not all filters and readers were built"
fi
# Rows of lines are left out: most changes would make them differ.
without_lines()
{
    grep -v '^| lines of ' "$1" >"$2"
}
sh "$top_srcdir/tests/house/counts.sh" "$top_srcdir/doc/testing.md" >"$work/testing.md"
without_lines "$work/testing.md" "$work/counted"
without_lines "$top_srcdir/doc/testing.md" "$work/written"
same "doc/testing.md counts what is in the tree (make counts)" "$work/written" "$work/counted"
ok "README has at most 150 lines" test "$(wc -l <"$top_srcdir/README.md")" -le 150

# Man pages: one for each filter, reader and preset, which man reads without a word.
mkdir "$work/man7"
ok "--man-pages" tcflow --man-pages "$work/man7"
for page in $(tcflow --list-filters=plain | awk 'NF == 1 { print "filter-" $1 }') \
    $(tcflow --list-presets | sed -nE 's/^  ([a-z]+) .*/preset-\1/p'); do
    [ "$page" = filter-pipeline ] || ok "there is a man page of $page" test -s "$work/man7/tcflow-$page.7"
done
ok "and of readers" ls "$work"/man7/tcflow-reader-*.7
fails 1 "existing pages stay" tcflow --man-pages "$work/man7"
if have groff; then
    for page in "$work"/man7/*.7; do
        is "groff takes $(basename "$page")" "$(groff -ww -man -Tutf8 -z "$page" 2>&1 | head -n 3)" ""
    done
else
    skip "man pages are well-formed" "there is no groff"
fi
groff_of()
{
    groff -man -Tutf8 -P-cbou "$1" | tr -s ' \n' ' '
}
! have groff || like "a page has the help of a parameter" "$(groff_of "$work/man7/tcflow-filter-select.7")" \
    "$(tcflow --describe select --ini | sed -n 's/^; //p' | sed -n 's/^\(Keep[^.]*\).*/\1/p' | head -n 1 | cut -c 1-30)"

# The site: each link leads to a page, a place on it, or a file.
if have cmark-gfm && have python3; then
    ok "make html's script" sh "$top_srcdir/doc/site/make.sh" cmark-gfm "$top_srcdir" "$work/site"
    is "links of the site lead somewhere" "$(python3 "$top_srcdir/tests/house/site.py" "$work/site" 2>&1)" ""
    is "each page is there" "$(find "$work/site" -name '*.html' | wc -l)" \
        "$(cd "$top_srcdir" && ls README.md doc/*.md plugins/*/README.md tests/*/README.md tests/*/*/README.md CHANGELOG.md \
            CONTRIBUTING.md SECURITY.md 2>/dev/null | wc -l)"
else
    skip "the site" "there is no cmark-gfm or python3"
fi

# The examples are valid as they are; they name their files as seen from the project's root.
for ini in "$top_srcdir"/examples/*.ini; do
    grep -q '^\[otf2_write\]' "$ini" && output="-o otf2_write.path='$work/example'" || output=
    for key in database html_report; do # the source tree may be read-only
        ! grep -q "^$key *=" "$ini" || output="$output -o pipeline.$key='$work/example'"
    done
    ok "examples/$(basename "$ini") is valid" sh -c "cd '$top_srcdir' && '$TCFLOW' --check -c '$ini' $output"
done
# Messages quote 'so': a backquote or a double quote inside of a text that is said, refused or returned as an error.
quoted_else()
{
    grep -rnPzo --include='*.c' --include='*.h' '\b(error_(usage|fail|while|log|say|say_at_end)|usage|fail|refuse|note|wrong|misuse|tcf_warn|log)\([^;"]*("(?:[^"\\`]|\\[^"])*"[^;"]*)*"(?:[^"\\`]|\\[^"])*(`|\\")[^;\n]*' \
        "$@" | tr '\0' '\n'
}
is "messages quote 'so'" "$(cd "$top_srcdir" && quoted_else framework plugins tools kit 2>&1)" ""
printf 'void f(void) {\n    fail("%%s: no\\n"\n         "key `%%s`", a, b);\n    usage("a \\"b\\"");\n}\n' >"$work/quotes.c"
is "else it is seen" "$(quoted_else "$work/quotes.c" | grep -c 'fail\|usage')" 2

# A program and a script of one name would share a log, and `make check` would run one of the two twice.
same_log=$(sed -nE 's#^[[:blank:]]*(tests/[a-z0-9_/]+)(\.sh)?( \\)?$#\1#p' "$top_srcdir"/tests/local.mk "$top_srcdir"/tests/*/local.mk | grep '/test_' | sort | uniq -d)
is "each test has a log of its own" "$same_log" ""

# Links lead somewhere, the index has every page, and terms of the glossary live where it says.
cd "$top_srcdir" || exit 1
for page in *.md doc/*.md plugins/*/README.md; do
    for to in $(grep -oE '\]\([^):#]+\)' "$page" | sed 's/^](//; s/)$//' | sort -u); do
        ok "$page links $to" test -e "$(dirname "$page")/$to"
    done
done
for page in doc/*.md doc/*.1; do
    [ "$page" = doc/README.md ] || ok "doc/README.md has $page" grep -qF "](${page#doc/})" doc/README.md
done
for path in $(sed -nE 's/^\|.*\|([^|]*)\|$/\1/p' doc/glossary.md | grep -oE '`[^`]+`' | tr -d '`' | sort -u); do
    ok "$path of the glossary is there" test -e "$path"
done
done_testing
