#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The page of an HTML report in a headless Chromium: no error, all numbers those of the reports, sections, sorting,
# trees, search, keys, colours, names, wait chains and counters on the timeline; the bundled trace, random ones, hostile
# names, 4,096 locations. Skips without Chromium.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/tools/report/in_browser.sh"

trace=$top_srcdir/examples/trace/traces.otf2
usual_build_only
tcflow --version | grep -q '^databases: SQLite' || skip_all "built without SQLite"
in_browser || skip_all "Chromium or python3 is not installed (./bootstrap deps chromium)"
cd "$work" || exit 1

# page NAME PAGE.html [REPORTS...]
page()
{
    page_name=$1
    shift
    in_page "$page_name" check_page.py "$@"
}

survey="clock_estimate mu_estimate"
chain="check distances comm_matrix message_histogram time_profile load_imbalance presync clc_forward clc_backward"
chain="$chain clock_report profile wait_states root_cause ppg critical_path comm_comp lateness iterations metrics io overhead"

# compared NAME TRACE OPTIONS...: all filters that report; the page against the JSON of each.
compared()
{
    compared_name=$1
    compared_trace=$2
    shift 2
    rm -f ./*.json page.html
    for instance in $survey $chain; do
        set -- "$@" -o "$instance.output=$instance.json" -o "$instance.format=json"
    done
    ok "$compared_name: a run" tcflow -q -i "$compared_trace" -o pipeline.survey="$survey" -o pipeline.chain="$chain" \
        -o profile.by_location=yes -o overhead.event=80ns -o pipeline.html_report=page.html "$@" || return
    set --
    for instance in $survey; do
        [ ! -e "$instance.json" ] || set -- "$@" "survey:$instance=$instance.json"
    done
    for instance in $chain; do
        [ ! -e "$instance.json" ] || set -- "$@" "chain:$instance=$instance.json"
    done
    page "$compared_name" page.html "$@"
}

compared "the bundled trace" "$trace"
if [ -n "${TCFLOW_LONG:-}" ]; then
    "$generate" random --out random --seed 3 --ranks 5 --events 2000 --clock-offset-ns 1000000 --sparse-locations --features \
        p2p,sendrecv,nonblocking,collectives,v-collectives,subcomms,openmp,locks,metrics >made 2>&1 ||
        diag "$(cat made)"
    compared "a random trace" random/traces.otf2
fi

rm -f ./*.json
ok "a timeline: a run" tcflow -q -i "$trace" -o pipeline.survey=longest -o longest.filter=wait_states \
    -o longest.output=longest.json -o longest.format=json -o pipeline.chain=timeline -o timeline.output=timeline.json \
    -o timeline.format=json -o pipeline.html_report=timeline.html
page "a timeline" timeline.html survey:longest=longest.json chain:timeline=timeline.json

ok "examples/report.ini" sh -c "cd '$top_srcdir' &&
    '$TCFLOW' -q -c examples/report.ini -o pipeline.html_report='$work/example.html' -o pipeline.database='$work/example.sqlite'"
page "examples/report.ini" example.html

# Wait chains and counters: a case by hand, the bundled trace; a random one with counters of each location, and one of many lanes.
python3 "$pages/check_marks.py" make hand.sqlite
ok "a page by hand" "$top_builddir/tcflow-report" -q hand.sqlite
in_page "chains and counters by hand" check_marks.py hand hand.html
in_page "chains of the bundled trace" check_marks.py same example.html example.sqlite
if [ -n "${TCFLOW_LONG:-}" ]; then
    "$generate" random --out counted --seed 3 --ranks 5 --events 2000 --features \
        p2p,sendrecv,nonblocking,collectives,subcomms,openmp,locks,metrics >made 2>&1 || diag "$(cat made)"
    "$top_builddir/tcflow-synth" --ranks 48 --events 100k --pattern ring,halo,collectives lanes >made 2>&1 || diag "$(cat made)"
    for made in counted lanes; do
        ok "$made: a run" tcflow -q -i $made/traces.otf2 -c "$top_srcdir/examples/report.ini" -o metrics.by_location=yes \
            -o pipeline.html_report="$work/$made.html" -o pipeline.database="$work/$made.sqlite"
        in_page "$made" check_marks.py same $made.html $made.sqlite
    done
fi

# More processes than the timeline has rows: these are nodes.
"$top_builddir/tcflow-synth" --ranks 12 --nodes 3 --events 10k folded >made 2>&1 || diag "$(cat made)"
ok "nodes: a run" tcflow -q -i folded/traces.otf2 -o pipeline.chain="activity activity_waits" -o activity.rows=4 -o activity_waits.rows=4 \
    -o pipeline.reports=activity_waits -o activity_waits.output=/dev/null -o pipeline.html_report=folded.html
in_page "nodes" check_marks.py folded folded.html 3

# With a diagnosis, whose table is added here.
"$top_builddir/tcflow" -q -c "$top_srcdir/examples/report.ini" -i "$trace" -o pipeline.html_report= \
    -o pipeline.database=diagnosed.sqlite >said 2>&1 || diag "$(cat said)"
python3 - <<'END'
import sqlite3
db = sqlite3.connect("diagnosed.sqlite")
columns = ["rank INTEGER", "rule TEXT", "cost_s REAL", "share REAL", "sentence TEXT", "evidence_table TEXT",
           "evidence_key TEXT", "begin_s REAL", "end_s REAL", "processes TEXT", "uncertainty TEXT"]
db.execute("CREATE TABLE diagnosis_diagnosis (%s)" % ", ".join(columns))
rows = [(2, "imbalance", 0.001, 3.5, "A second <finding>", "", "", None, None, "rank 1", ""),
        (0, "verdict", None, None, "2 findings.", "", "", None, None, "all", ""),
        (1, "late_sender", 0.012, 9.9, "Late Sender costs 9.9 %", "profile_flat_profile", "region = 'MPI_Recv' AND visits = 360",
         0.03, 0.031, "rank 0", "certain")]
db.executemany("INSERT INTO diagnosis_diagnosis VALUES (%s)" % ", ".join("?" * 11), rows)
db.execute("INSERT INTO tables VALUES ('diagnosis_diagnosis', 'chain', 'diagnosis', 'diagnosis', 'diagnosis', 'What', 3)")
for i, c in enumerate(columns):
    name, stored = c.split()
    db.execute("INSERT INTO columns VALUES ('diagnosis_diagnosis', ?, ?, ?, ?, ?, ?, '', 1)", (
        i + 1, name, name, {"INTEGER": "uint", "TEXT": "text", "REAL": "double"}[stored], stored,
        "%" if name == "share" else "s" if name.endswith("_s") else None))
db.executescript('''CREATE TABLE efficiency_efficiency (scope TEXT, parallel REAL);
INSERT INTO efficiency_efficiency VALUES ('whole', 12.5), ('program', 50.25);
INSERT INTO tables VALUES ('efficiency_efficiency', 'chain', 'efficiency', 'efficiency', 'efficiency', 'Efficiency', 2);
INSERT INTO columns VALUES ('efficiency_efficiency', 1, 'scope', 'scope', 'text', 'TEXT', NULL, '', 0);
INSERT INTO columns VALUES ('efficiency_efficiency', 2, 'parallel', 'parallel', 'double', 'REAL', '%', '', 0);''')
db.commit()
END
ok "a page with a diagnosis" "$top_builddir/tcflow-report" diagnosed.sqlite
page "a diagnosis" diagnosed.html
rm -f ./*.json

# Two databases: what tcflow-diff says of them, and both of them, side by side.
for half in first second; do
    part=to && [ "$half" = first ] || part=from
    "$TCFLOW" -q -i "$trace" -o pipeline.reports=diagnosis -o pipeline.database=$half.sqlite \
        -o pipeline.chain="select profile activity activity_waits wait_states load_imbalance efficiency diagnosis" \
        -o select.$part=50% >said 2>&1 || diag "$(cat said)"
done
ok "a page of two databases" "$top_builddir/tcflow-report" -q before=first.sqlite after=second.sqlite -o both.html
ok "tcflow-diff of the same" sh -c "'$top_builddir/tcflow-diff' --json before=first.sqlite after=second.sqlite >both.json"
in_page "two databases" check_pair.py both.html first.sqlite second.sqlite both.json
rm -f ./*.json

# A matrix of one row, which cannot be magnified.
"$generate" random --out single --seed 1 --ranks 1 --events 500 --features p2p,self >made 2>&1 || diag "$(cat made)"
ok "one process: a run" tcflow -q -i single/traces.otf2 -o pipeline.html_report=single.html \
    -o pipeline.chain="profile time_profile load_imbalance comm_matrix message_histogram" -o pipeline.reports=comm_matrix \
    -o comm_matrix.output=/dev/null
page "one process" single.html

mkdir plugins
if ${CC:-cc} -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o plugins/hostile.so "$pages/hostile.c" 2>said; then
    ok "hostile names: a run" tcflow -q --plugin-path plugins -i "$trace" -o pipeline.chain="profile hostile" \
        -o hostile.output=hostile.json -o hostile.format=json -o profile.output=profile.json -o profile.format=json \
        -o pipeline.html_report=hostile.html
    page "hostile names" hostile.html chain:hostile=hostile.json chain:profile=profile.json
    ok "many rows: a run" tcflow -q --plugin-path plugins -i "$trace" -o pipeline.chain=hostile -o hostile.rows=300000 \
        -o hostile.output=/dev/null -o pipeline.html_report=many.html
    page "many rows" many.html
    rm -f ./*.json
    ${CC:-cc} -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o plugins/windows.so "$pages/windows.c"
    ok "windows: a run" tcflow -q --plugin-path plugins -i "$trace" -o pipeline.chain=windows \
        -o windows.output=windows.json -o windows.format=json -o pipeline.html_report=windows.html
    page "windows" windows.html chain:windows=windows.json
else
    skip "hostile names, windows" "no compiler: $(head -n 1 said)"
fi

if [ -n "${TCFLOW_LONG:-}" ]; then
    "$top_builddir/tcflow-synth" --ranks 4096 --events 200k --pattern ring,halo,collectives wide >made 2>&1 ||
        diag "$(cat made)"
    ok "4,096 locations: a run" tcflow -q -i wide/traces.otf2 -o pipeline.html_report=wide.html \
        -o pipeline.chain="profile time_profile load_imbalance comm_matrix message_histogram" \
        -o profile.by_location=yes -o pipeline.reports=comm_matrix -o comm_matrix.output=/dev/null
    page "4,096 locations" wide.html
    ok "4,096 locations: less than 10 MB" test "$(wc -c <wide.html)" -lt 10000000
else
    skip "4,096 locations" "they take long (TCFLOW_LONG)"
fi
done_testing
