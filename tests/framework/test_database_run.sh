#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The database of a run: its tables are those of the JSON of the same run, and the manners of its file.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/result_file.sh"

here=$top_srcdir/tests/framework

tcflow --version | grep -q '^databases: SQLite' || without database SQLite libsqlite3-dev

# ------------------------------------------------------------------------------------------------------------- equality

python=
if have python3 && python3 -c 'import sqlite3' 2>/dev/null; then
    python=python3
fi

survey="clock_estimate mu_estimate waits_survey"
chain="check distances comm_matrix message_histogram time_profile load_imbalance comm_comp activity io lateness iterations timeline presync clc_forward clc_backward clock_report profile waits_before activity_waits root_cause ppg metrics critical_path efficiency overhead waits_after CHECK diagnosis"
all="$survey $chain"

# agree NAME TRACE: all filters that report, some of them several times, one under a name that differs in case alone.
agree()
{
    if [ -z "$python" ]; then
        skip "$1" "python3 with sqlite3 is not installed"
        return
    fi
    rm -f ./*.json all.sqlite
    set -- "$1" "$2" -o pipeline.survey="$survey" -o pipeline.chain="$chain" -o waits_before.filter=wait_states \
        -o waits_survey.filter=wait_states \
        -o waits_after.filter=wait_states -o CHECK.filter=check -o profile.by_location=yes -o overhead.event=80ns \
        -o waits_before.all=yes
    for instance in $all; do
        set -- "$@" -o "$instance.output=$instance.json" -o "$instance.format=json"
    done
    agree_name=$1
    agree_trace=$2
    shift 2
    mkdir -p upper
    ok "$agree_name: a run" tcflow -q -i "$agree_trace" "$@" -o CHECK.output=upper/CHECK.json \
        -o pipeline.database=all.sqlite || return
    set --
    for instance in $survey; do
        [ ! -e "$instance.json" ] || set -- "$@" "survey:$instance=$instance.json"
    done
    for instance in $chain; do
        [ ! -e "$instance.json" ] || set -- "$@" "chain:$instance=$instance.json"
    done
    ok "$agree_name: all tables are those of the JSON" $python "$here/database_json.py" all.sqlite "$@" \
        "chain:CHECK=upper/CHECK.json"
    diag "$(cat "$work/.ok")"
    rm -f upper/CHECK.json
    $python -c 'import sqlite3, sys
for filter, name, title in sqlite3.connect(sys.argv[1]).execute("SELECT filter, name, title FROM tables"):
    print("%s.%s\t%s" % (filter, name, title))' all.sqlite >>titles
}

agree "the bundled trace" "$trace"
if [ -n "$python" ]; then
    reports=$(ls ./*.json | wc -l)
    is "all $reports filters have reported" "$reports" 30
    is "tables, columns and rows are distinct, and explained" "$($python "$here/explained.py" all.sqlite || echo "it failed")" ""
    # Every filter that can report takes part.
    for ini in "$top_srcdir"/filters.d/*.ini; do
        filter=$(basename "$ini" .ini)
        tcflow --describe "$filter" --ini | grep -q '^;\?format *=' || continue
        case $filter in
            calls | print | perfetto_trace | wait_states) continue ;; # no tables; several times, under other names
        esac
        ok "$filter is among those compared" sh -c "echo ' $all ' | grep -q ' $filter '"
    done
    for view in flat_profile call_tree violations worst_violations findings wait_states waits_by_callpath \
        corrected_violations diagnosis; do
        ok "the view $view has rows" $python -c "
import sqlite3
assert sqlite3.connect('all.sqlite').execute('SELECT * FROM $view').fetchall()"
        ok "doc/results.md has the view $view" grep -q "^| \`$view\` |" "$top_srcdir/doc/results.md"
    done
    is "views show all instances" "$($python -c "
import sqlite3
print(*sorted(r[0] for r in sqlite3.connect('all.sqlite').execute('SELECT DISTINCT instance FROM wait_states')))")" \
        "waits_after waits_before waits_survey"
    is "two names that differ in case alone" "$($python -c "
import sqlite3
print(*(r[0] for r in sqlite3.connect('all.sqlite').execute(
    'SELECT sql_table FROM tables WHERE lower(instance) = \"check\" AND name = \"verdict\" ORDER BY rowid')))")" \
        "check_verdict CHECK_verdict_2"
fi
features=p2p,sendrecv,nonblocking,collectives,v-collectives,subcomms,openmp,locks,metrics,counters,io,rma
for seed in $(seeds_of 3); do
    rm -rf random
    "$generate" random --out random --seed "$seed" --ranks $((seed % 3 + 3)) --events 2000 --clock-offset-ns 1000000 \
        --features "$features" --sparse-locations >made 2>&1 || diag "$(cat made)"
    agree "random trace $seed" random/traces.otf2
done
[ -z "$python" ] ||
    is "titles hold no data: they are the same for all traces" "$(sort -u titles | cut -f 1 | uniq -d | xargs)" ""

# -------------------------------------------------------------------------------------------------------------- the run

if [ -n "$python" ]; then
    checked -o pipeline.database=facts.sqlite
    is "what the run was" "$($python -c "
import sqlite3
db = sqlite3.connect('facts.sqlite')
print(*db.execute('SELECT status, locations, events, ticks_per_second, chain, survey FROM run').fetchone())
print(*(r[0] for r in db.execute('SELECT location FROM locations ORDER BY location')))
print(db.execute('PRAGMA user_version').fetchone()[0])")" "complete 4 2360 1000000000 check None
0 536870911 1073741822 1610612733
1"
    # Ranks of one location group are processes, streams of accelerators in groups of their own are none.
    rm -rf together apart
    "$generate" random --out together --seed 1 --ranks 6 --ranks-per-process 3 --events 200 --features p2p >made 2>&1 || diag "$(cat made)"
    "$generate" no-messages --out apart --processes 2 --streams 3
    for input in together apart; do
        tcflow -q -i $input/traces.otf2 -o pipeline.chain=check -o check.output=/dev/null -o check.overwrite=yes \
            -o pipeline.database=$input.sqlite || diag "$input: no database"
        $python -c "
import sqlite3
print(*sqlite3.connect('$input.sqlite').execute('SELECT processes, locations FROM run').fetchone())"
    done >counted
    is "processes" "$(cat counted)" "6 6
2 8"
    cat >told.ini <<END
[pipeline]
input = $trace
survey = late
chain = CHECK load_imbalance
database = told.sqlite
[late]
filter = wait_states
worst = 7
output = /dev/null
[CHECK]
filter = check
output = told
END
    tcflow -q --summary=json -c told.ini -o late.max_open=1000 -o load_imbalance.output=load -o "load_imbalance.idle=$(printf 'f,%.0s' $(seq 900))" >said 2>&1
    tap $? "a run with many settings" || diag "$(cat said)"
    is "the value of each setting, and its origin" "$($python -c "
import sqlite3
db = sqlite3.connect('told.sqlite')
for row in db.execute('SELECT place, instance, filter, key, value, origin, type FROM parameters '
                      'WHERE (instance = \"late\" AND key IN (\"worst\", \"max_open\", \"top\", \"format\")) '
                      'OR key IN (\"survey\", \"slice\") OR (instance = \"CHECK\" AND key = \"output\") ORDER BY rowid'):
    print(*row)
print(*db.execute('SELECT length(value), substr(value, -16) FROM parameters WHERE key = \"idle\"').fetchone())
print(db.execute('SELECT count(*) FROM parameters WHERE instance = \"load_imbalance\"').fetchone()[0])")" \
        "framework pipeline None survey late settings list
framework pipeline None slice 0 default whole number
survey late wait_states worst 7 settings whole number
survey late wait_states top 0 default whole number
survey late wait_states max_open 1000 command line whole number
survey late wait_states format text default choice
chain CHECK check output told settings path
1016 ... (1800 bytes)
$(tcflow --describe load_imbalance --ini | grep -cE '^;?[a-z_]+ =')"
    is "the same in the JSON summary" "$($python -c "
import json, sqlite3
said = [tuple(p.values()) for p in json.load(open('said'))['parameters']]
db = sqlite3.connect('told.sqlite')
print(len(said) > 40 and said == list(db.execute('SELECT place, instance, filter, key, value, origin, type FROM parameters ORDER BY rowid')))")" True
    (cd "$top_srcdir" && tcflow -q -c examples/database.ini -o pipeline.database="$work/example.sqlite") >said 2>&1
    tap $? "examples/database.ini" || diag "$(cat said)"
    ok "examples/query.py" $python "$top_srcdir/examples/query.py" example.sqlite
    like "it shows the flat profile" "$(cat "$work/.ok")" '^ *MPI_Recv +[0-9.]+'
    like "examples/query.py with a question" "$($python "$top_srcdir/examples/query.py" example.sqlite \
        'SELECT sum(visits) AS v FROM flat_profile WHERE region = "MPI_Send"')" '^ *360$'
    checked -o pipeline.reports=check -o pipeline.chain="check profile" -o pipeline.database=hidden.sqlite
    is "reports that are not shown are in there" "$($python -c "
import sqlite3
print(sqlite3.connect('hidden.sqlite').execute('SELECT count(*) > 0 FROM flat_profile').fetchone()[0])")" 1
else
    skip "what the run was" "python3 with sqlite3 is not installed"
fi

# -------------------------------------------------------------------------------------------------------------- manners

manners database sqlite "a database" "no SQLite database" precious
: >there/a.sqlite-wal
fails 2 "another program's journal" checked -o pipeline.database=there/a.sqlite -o pipeline.overwrite=yes
mentions "it says why" 'a.sqlite-wal.; another program is writing'
rm there/a.sqlite-wal
for odd in "it's a \"database\" ü.sqlite" "file:x?mode=ro.sqlite" ":memory:" "100%s.sqlite"; do
    ok "a file named $odd" checked -o "pipeline.database=$odd"
    ok "it is there" test -s "$odd"
done

# A report that cannot be written costs no database, nor the other way round.
if [ -c /dev/full ]; then
    tcflow -q -i "$trace" -o pipeline.chain=check -o pipeline.database=there/full.sqlite >/dev/full 2>said
    is "a report that cannot be written: exit status" "$?" 1
    ok "the database is there" test -s there/full.sqlite
else
    skip "a report that cannot be written" "no /dev/full"
fi

# A filter that fails at its end: what the others have found is there, under a name that says so.
mkdir failed
if [ -n "$python" ] && failing_filter; then
    fails 1 "a filter that fails at its end" checked --plugin-path plugins -o pipeline.chain="check fails" \
        -o pipeline.database=failed/a.sqlite
    mentions "it says why" 'as it should'
    is "only NAME.incomplete is there" "$(ls failed)" a.sqlite.incomplete
    is "with what was found" "$($python -c "
import sqlite3
db = sqlite3.connect('failed/a.sqlite.incomplete')
print(*db.execute('SELECT status, (SELECT count(*) > 0 FROM findings) FROM run').fetchone())")" "failed 1"
    rm failed/*
    fails 1 "a survey that fails" checked --plugin-path plugins -o pipeline.survey=fails -o pipeline.database=failed/a.sqlite
    is "leaves nothing" "$(ls failed)" ""
else
    skip "a filter that fails at its end" "no compiler, or no python3 with sqlite3"
fi

# A full disk, where this may be tried.
mkdir full
if unshare -m sh -c 'mount -t tmpfs -o size=24k none full' 2>/dev/null; then
    cat >full.sh <<'END'
mount -t tmpfs -o size=24k none full || exit 99
"$TCFLOW" -q -i "$trace" -o pipeline.chain=check -o check.output=/dev/null -o pipeline.database=full/a.sqlite
status=$?
ls full >listed
exit $status
END
    TCFLOW=$TCFLOW trace=$trace timeout 60 unshare -m sh full.sh >said 2>&1
    is "a full disk: exit status" "$?" 1
    like "a full disk: the message" "$(cat said)" 'tcflow: error: .*(full|space)'
    is "a full disk: nothing is left" "$(cat listed)" ""
else
    skip "a full disk" "not allowed to mount"
fi
done_testing
