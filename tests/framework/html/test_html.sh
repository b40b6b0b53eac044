#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The HTML report of a run: that its data are those of the JSON, hostile and large ones too, and the manners of its
# file. How the page looks and works is the matter of test_page.sh.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/result_file.sh"

tcflow --version | grep -q '^HTML reports: D3' || without html_report D3 libjs-d3

# -------------------------------------------------------------------------------------------------------------- manners

manners html_report html "an HTML report" "no HTML report of tcflow" '<!DOCTYPE html><p>precious'
is "it is one page" "$(grep -c '^</html>$' there/a.html)" 1
is "it refers to nothing outside" "$(grep -Eio '(src|href)="?(https?:)?//|@import|<link' there/a.html | head -n 3)" ""
if tcflow --version | grep -q '^databases: SQLite'; then
    fails 2 "the database's name" checked -o pipeline.html_report=there/d -o pipeline.database=there/d
    mentions "it says why" "database and html_report cannot both be 'there/d'"
    ok "a database and a page" checked -o pipeline.html_report=there/e.html -o pipeline.database=there/e.sqlite
    is "both are there" "$(ls there | grep '^e')" "e.html
e.sqlite"
fi

# ------------------------------------------------------------------------------------------------------------- the data

have python3 || { skip "the data of the page" "python3 is not installed"; done_testing; }

# data PAGE EXPRESSION: of the data `d`, a table t(instance, name), and the values column(table, name) of a column.
data()
{
    python3 -c "
import json, sys
page = open(sys.argv[1], encoding='utf-8').read()
begin = page.index('>', page.index('<script type=\"application/json\" id=\"results\"')) + 1
d = json.loads(page[begin:page.index('</script>', begin)])
def t(instance, name):
    return next(x for x in d['tables'] if x['instance'] == instance and x['name'] == name)
def column(table, name):
    c = next(x for x in table['columns'] if x['name'] == name)
    return [d['texts'][v] if c['type'] == 'text' and v is not None else v for v in c['values']]
print($2)" "$1"
}

is "what the run was" "$(data there/a.html "*column(t(None, 'run'), 'status'), *column(t(None, 'run'), 'chain')")" \
    "complete check"
ok "reports that are not shown are in there" checked -o pipeline.reports=check -o pipeline.chain="check profile" \
    -o pipeline.html_report=hidden.html
is "with their rows" "$(data hidden.html "t('profile', 'flat_profile')['n_rows']")" 9
ok "the survey's too" checked -o pipeline.survey=mu_estimate -o pipeline.html_report=survey.html
is "and say so" "$(data survey.html "t('mu_estimate', 'minimum_delays')['place']")" survey

mkdir failed
if filter "$top_srcdir/tests/framework/html/hostile.c" hostile; then
    tcflow -q --plugin-path plugins -i "$trace" -o pipeline.chain=hostile -o hostile.output=hostile.json \
        -o hostile.format=json -o pipeline.html_report=hostile.html
    is "hostile texts: exit status" "$?" 0
    is "hostile texts end no element" "$(grep -c '</script>' hostile.html)" 3
    is "hostile texts are those of the JSON" "$(data hostile.html "column(t('hostile', '</script><h1>'), '</script>') \
== [r['</script>'] for r in json.load(open('hostile.json'))['</script><h1>']['rows']]")" True
    tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=hostile -o hostile.rows=300000 \
        -o hostile.output=/dev/null -o pipeline.html_report=many.html >said 2>&1
    is "many rows: exit status" "$?" 0
    like "many rows: the message" "$(cat said)" \
        'the page has the first 200000 of 300000 rows of .many. of `hostile`'
    is "many rows: what is there" \
        "$(data many.html "t('hostile', 'many')['n_rows'], len(column(t('hostile', 'many'), 'number'))")" \
        "300000 200000"
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
