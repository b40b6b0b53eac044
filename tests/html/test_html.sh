#!/bin/sh
# The HTML report of a run: that its data are those of the JSON, hostile and large ones too, and the manners of its
# file. How the page looks and works is the matter of test_page.sh.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh"

trace=$top_srcdir/examples/trace/traces.otf2
cd "$work" || exit 1

if ! tcflow --version | grep -q '^HTML reports: D3'; then
    fails 2 "built without D3: an HTML report is refused" tcflow -i "$trace" -o pipeline.chain=check \
        -o pipeline.html_report=x.html
    like "it says what to do" "$(cat "$work/.fails")" 'built without D3 \(Debian: libjs-d3'
    ok "built without D3: everything else runs" tcflow -i "$trace" -o pipeline.chain=check
    skip "HTML reports" "built without D3"
    done_testing
fi

# checked OPTIONS...: a run of check alone; mentions NAME PATTERN: the last command of `fails` said so.
checked()
{
    tcflow -q -i "$trace" -o pipeline.chain=check -o check.output=/dev/null "$@"
}
mentions()
{
    like "$1" "$(cat "$work/.fails")" "$2"
}

# ------------------------------------------------------------------------------------------------------- manners --

mkdir there
ok "an HTML report" checked -o pipeline.html_report=there/a.html
is "nothing lies beside it" "$(ls there)" a.html
is "it is one page" "$(grep -c '^</html>$' there/a.html)" 1
is "it refers to nothing outside" "$(grep -Eio '(src|href)="?(https?:)?//|@import|<link' there/a.html | head -n 3)" ""
cp there/a.html before
fails 2 "an existing report" checked -o pipeline.html_report=there/a.html
mentions "it says how" 'a.html. exists already; .overwrite = yes. allows to replace it'
same "it is left as it was" there/a.html before
fails 2 "--check tells it, too" checked --check -o pipeline.html_report=there/a.html
ok "overwrite = yes" checked -o pipeline.html_report=there/a.html -o pipeline.overwrite=yes
echo '<!DOCTYPE html><p>precious' >there/text
fails 2 "overwrite = yes replaces reports alone" checked -o pipeline.html_report=there/text -o pipeline.overwrite=yes
mentions "it says why" 'text. exists and is no HTML report of tcflow'
is "it is left as it was" "$(cat there/text)" '<!DOCTYPE html><p>precious'
rm there/text
fails 2 "a report with the same output" checked -o check.output=there/c.html -o pipeline.html_report=there/c.html
mentions "it says so" "output 'there/c.html' is the html_report of \\[pipeline\\], too"
fails 2 "standard output" checked -o pipeline.html_report=-
mentions "it says why" 'an HTML report needs a file'
fails 2 "a device" checked -o pipeline.html_report=/dev/null
fails 2 "a folder" checked -o pipeline.html_report=there
fails 2 "no such folder" checked -o pipeline.html_report=none/a.html
if tcflow --version | grep -q '^databases: SQLite'; then
    fails 2 "the database's name" checked -o pipeline.html_report=there/d -o pipeline.database=there/d
    mentions "it says why" "database and html_report cannot both be 'there/d'"
    ok "a database and a page" checked -o pipeline.html_report=there/e.html -o pipeline.database=there/e.sqlite
    is "both are there" "$(ls there)" "a.html
e.html
e.sqlite"
    rm there/e.*
fi
if have flock; then
    : >there/b.html.incomplete
    fails 1 "two runs that write to one name" flock there/b.html.incomplete "$TCFLOW" -q -i "$trace" \
        -o pipeline.chain=check -o check.output=/dev/null -o pipeline.html_report=there/b.html
    mentions "it says why" 'b.html.incomplete. is being written by another tcflow'
    ok "what is left of a run that was killed is no obstacle" checked -o pipeline.html_report=there/b.html
    is "and is gone" "$(ls there)" "a.html
b.html"
else
    skip "two runs that write to one name" "flock is not installed"
fi

# A file that may not grow: as on a full disk, but for one file.
mkdir limited
(
    trap '' XFSZ 2>/dev/null
    ulimit -f 20
    checked -o pipeline.html_report=limited/a.html -o check.output=report
) >said 2>&1
is "files may not grow: exit status" "$?" 1
like "files may not grow: the message" "$(cat said)" "tcflow: error: .*cannot write to 'limited/a.html.incomplete'"
is "files may not grow: nothing is left" "$(ls limited)" ""
ok "files may not grow: the report is there" test -s report

# --------------------------------------------------------------------------------------------------- the data --

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

# filter SOURCE NAME: a filter out of tree.
filter()
{
    ${CC:-cc} -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o "plugins/$2.so" "$1" 2>said
}

mkdir plugins failed
if filter "$top_srcdir/tests/html/hostile.c" hostile; then
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
        'of the 300000 rows of .many. of `hostile` the first 200000 are in the page'
    is "many rows: what is there" \
        "$(data many.html "t('hostile', 'many')['n_rows'], len(column(t('hostile', 'many'), 'number'))")" \
        "300000 200000"
    ok "many rows: less than 10 MB" test "$(wc -c <many.html)" -lt 10000000

    cat >plugins/fails.c <<'END'
#include <tcflow/filter.h>
static tcf_status fails_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}
static tcf_status fails_end(tcf_self *self)
{
    return self->host->fail(self, "as it should");
}
TCF_FILTER = {TCF_FILTER_HEAD, .name = "fails", .version = "1", .summary = "Fails at its end", .slice = fails_slice,
              .end = fails_end};
END
    filter plugins/fails.c fails
    fails 1 "a filter that fails at its end" checked --plugin-path plugins -o pipeline.chain="check fails" \
        -o pipeline.html_report=failed/a.html
    is "only NAME.incomplete is there" "$(ls failed)" a.html.incomplete
    is "with what was found" "$(data failed/a.html.incomplete \
        "*column(t(None, 'run'), 'status'), t('check', 'verdict')['n_rows'] > 0")" "failed True"
else
    skip "hostile and large results" "no compiler: $(head -n 1 said)"
fi
done_testing
