#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# tcflow-report, and html_report, which starts it: that the data of a page are those of the database, hostile and large
# ones too, and the manners of both. How the page looks and works is the matter of test_page.sh.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/result_file.sh"

tcflow --version | grep -q '^databases: SQLite' || without html_report SQLite libsqlite3-dev
here=$top_srcdir/tests/tools/report
report=$top_builddir/tcflow-report
export PYTHONDONTWRITEBYTECODE=1

# ---------------------------------------------------------------------------------------------------------- html_report

manners html_report html "an HTML report" "no HTML report of tcflow" '<!DOCTYPE html><p>precious'
is "it is one page" "$(grep -c '^</html>$' there/a.html)" 1
is "it refers to nothing outside" "$(grep -Eio '(src|href)="?(https?:)?//|@import|<link' there/a.html | head -n 3)" ""
fails 2 "the database's name" checked -o pipeline.html_report=there/d -o pipeline.database=there/d
mentions "it says why" "html_report and database cannot both be 'there/d'|database and html_report cannot both be 'there/d'"
ok "a database and a page" checked -o pipeline.html_report=there/e.html -o pipeline.database=there/e.sqlite
is "both are there" "$(ls there | grep '^e')" "e.html
e.sqlite"
cp "$TCFLOW" alone
fails 2 "without tcflow-report" ./alone -q -i "$trace" -o pipeline.chain=check -o pipeline.html_report=f.html --plugin-path \
    "$top_builddir/plugins/check/.libs"
mentions "it says what is missing" "html_report = f.html: tcflow-report, the program that makes pages, is not there"
printf '#!/bin/sh\necho "no page today" >&2\nexit 7\n' >tcflow-report
chmod +x tcflow-report
fails 1 "a tcflow-report that fails" ./alone -q -i "$trace" -o pipeline.chain=check -o check.output=/dev/null \
    -o pipeline.html_report=f.html --plugin-path "$top_builddir/plugins/check/.libs"
mentions "what it says" "no page today"
mentions "how it ended" "cannot write to 'f.html.incomplete': tcflow-report failed with exit status 7"
is "nothing is left of it" "$(ls | grep '^f\.')" ""
rm alone tcflow-report

# -------------------------------------------------------------------------------------------------------- tcflow-report

cp there/e.sqlite e.sqlite
ok "a page of a database" "$report" e.sqlite
same "has the database's name" e.html there/e.html
fails 2 "one that exists" "$report" e.sqlite
ok "another name" "$report" there/e.sqlite -o g.html
same "the page is that of the run" g.html there/e.html
ok "a page may be replaced" "$report" there/e.sqlite -o g.html --overwrite
echo '<!DOCTYPE html><p>precious' >text
fails 2 "anything else may not" "$report" there/e.sqlite -o text --overwrite
mentions "it says why" "text. exists and is no HTML report of tcflow"
is "it is left as it was" "$(cat text)" '<!DOCTYPE html><p>precious'
fails 2 "the database itself" "$report" there/e.sqlite -o there/e.sqlite --overwrite
ok "standard output" sh -c "'$report' there/e.sqlite -o - >h.html"
same "has the same" g.html h.html
fails 1 "what is no database" "$report" text -o i.html
mentions "it says so" "'text' is no SQLite database"
fails 1 "what is not there" "$report" nothing -o i.html
fails 2 "no database" "$report" -o i.html
is "none of these left anything" "$(ls | grep '^i')" ""
if [ -e /dev/full ]; then
    fails 1 "a full disk" sh -c "'$report' there/e.sqlite -o - >/dev/full"
fi

# ------------------------------------------------------------------------------------------------------------- the data

have python3 && python3 -c 'import sqlite3' 2>/dev/null || { skip "the data of the page" "no python3 with sqlite3"; done_testing; }

# data PAGE EXPRESSION: see data.py.
data()
{
    python3 "$here/data.py" ask "$1" "$2"
}

is "the page has what the database has" "$(python3 "$here/data.py" same g.html there/e.sqlite)" "all values"
python3 "$here/data.py" make ends.sqlite
ok "values at the ends of their types" "$report" ends.sqlite
is "are those of the database" "$(python3 "$here/data.py" same ends.html ends.sqlite)" "all values"
is "hostile texts end no element" "$(grep -c '</script>' ends.html)" 2
is "large integers are texts" "$(grep -c '"9223372036854775807"' ends.html)" 1
is "integers are packed" "$(data ends.html "['packed' in c for c in t('one', 'packed')['columns']]")" "[True, True, True]"
is "but those that might be rounded" "$(data ends.html "'packed' in t('one', 'almost')['columns'][0]")" False
is "and not beside ones without a value" "$(data ends.html "'packed' in t('one', 'absent')['columns'][0]")" False
python3 - <<'END'
import sqlite3
db = sqlite3.connect("ends.sqlite")
db.executescript("DROP TABLE packed; CREATE VIEW packed AS SELECT 1 AS c0, 2 AS c1, 3 AS c2")
END
fails 1 "a view in place of a table" "$report" ends.sqlite -o view.html
mentions "is none" "lists a table .packed., but there is none"

fails 1 "two databases, one of which is of no run" "$report" there/e.sqlite ends.sqlite -o pair.html
is "two databases, one of which is of no run: nothing is left" "$(ls pair.html* 2>/dev/null)" ""
fails 2 "three databases" "$report" there/e.sqlite there/e.sqlite ends.sqlite

rows="[len(column(t('one', n), 'c')) for n in ('short', 'long', 'longer')]"
python3 "$here/data.py" many many.sqlite
ok "rows" "$report" many.sqlite --max-rows 2000
is "are cut at their limit" "$(data many.html "$rows")" "[10, 1000, 2000]"
is "the page knows how many there were" "$(data many.html "t('one', 'longer')['n_rows']")" 5000
"$report" many.sqlite --max-bytes 18000 -o bytes.html >said 2>&1
is "bytes: what is large is cut alike" "$(data bytes.html "[10, True, True]==[len(column(t('one','short'),'c')), \
*(450 < len(column(t('one', n), 'c')) < 510 for n in ('long', 'longer'))]")" True
like "and it says so" "$(cat said)" "the page has the first [0-9]+ of 5000 rows of 'longer' of .one."
is "unless it is to be quiet" "$("$report" -q many.sqlite --max-bytes 18000 -o - 2>&1 >/dev/null)" ""

is "what the run was" "$(data there/a.html "*column(t(None, 'run'), 'status'), *column(t(None, 'run'), 'chain')")" \
    "complete check"
ok "reports that are not shown are in there" checked -o pipeline.reports=check -o pipeline.chain="check profile" \
    -o pipeline.html_report=hidden.html
is "with their rows" "$(data hidden.html "t('profile', 'flat_profile')['n_rows']")" 9
ok "the survey's too" checked -o pipeline.survey=mu_estimate -o pipeline.html_report=survey.html
is "and say so" "$(data survey.html "t('mu_estimate', 'minimum_delays')['place']")" survey

mkdir failed
if filter "$here/hostile.c" hostile; then
    tcflow -q --plugin-path plugins -i "$trace" -o pipeline.chain=hostile -o hostile.output=hostile.json \
        -o hostile.format=json -o pipeline.html_report=hostile.html -o pipeline.database=hostile.sqlite
    is "hostile texts: exit status" "$?" 0
    is "hostile texts end no element" "$(grep -c '</script>' hostile.html)" 2
    is "hostile texts are those of the JSON" "$(data hostile.html "column(t('hostile', '</script><h1>'), '</script>') \
== [r['</script>'] for r in __import__('json').load(open('hostile.json'))['</script><h1>']['rows']]")" True
    is "and of the database" "$(python3 "$here/data.py" same hostile.html hostile.sqlite)" "all values"
    tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=hostile -o hostile.rows=300000 \
        -o hostile.output=/dev/null -o pipeline.html_report=many.html -o pipeline.overwrite=yes >said 2>&1
    is "many rows: exit status" "$?" 0
    like "many rows: the message" "$(cat said)" \
        'the page has the first 200000 of 300000 rows of .many. of .hostile.'
    is "many rows: what is there" \
        "$(data many.html "t('hostile', 'many')['n_rows'], len(column(t('hostile', 'many'), 'number'))")" \
        "(300000, 200000)"
    ok "many rows: less than 10 MB" test "$(wc -c <many.html)" -lt 10000000

    failing_filter
    fails 1 "a filter that fails at its end" checked --plugin-path plugins -o pipeline.chain="check fails" \
        -o pipeline.html_report=failed/a.html
    is "only NAME.incomplete is there" "$(ls failed)" a.html.incomplete
    is "with what was found" "$(data failed/a.html.incomplete \
        "*column(t(None, 'run'), 'status'), t('check', 'verdict')['n_rows'] > 0")" "failed True"
else
    skip "hostile and large results" "no compiler: $(head -n 1 said)"
fi
done_testing
