#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# diagnosis: one program with each flaw, and healthy ones (tests/validation/diagnosis draws them); the sentences come first in the
# text of the commands, and are the same in JSON and in the database.
# SEEDS (default 1) programs a kind, from the seed FIRST (default 1) on.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1
synth=$top_builddir/tcflow-synth
have python3 || skip_all "python3 is missing"

first=${FIRST:-1} seeds=${SEEDS:-1}
ok "programs are drawn and judged" env OUT="$work/out" FIRST="$first" LAST=$((first + seeds - 1)) SYNTH="$synth" SCRATCH="$work" \
    TCFLOW="$TCFLOW" bash "$top_srcdir/tests/validation/diagnosis/run.sh"
is "each first sentence is right" "$(grep -E '^(flaws|healthy):' "$work/out/diagnosis.txt" | grep -v '100.0 %')" ""
ok "flaws of all kinds, and healthy programs" test "$(grep -c ' of ' "$work/out/diagnosis.txt")" -gt 22

"$synth" --ranks 6 --events 20k --pattern halo,allreduce --delay 4:compute:80us --overwrite "$work/synth" >"$work/said" 2>&1
trace=$work/synth/traces.otf2
for command in waits causes; do
    tcflow -q $command "$trace" >"$work/$command.txt"
    like "$command: the verdict comes first" "$(head -n 1 "$work/$command.txt")" '^1 finding\. Parallel efficiency is [0-9]* %: load'
    like "$command: the finding behind it" "$(sed -n 3,4p "$work/$command.txt" | tr '\n' ' ')" '^1\. Load imbalance costs .* rank 4 '
    is "$command: lines fit a terminal" "$(sed '/^$/,$d' "$work/$command.txt" | awk 'length > 79')" ""
done
is "what is for programs is no table in text" "$(grep -c 'What costs most' "$work/waits.txt")" 0

tcflow -q -c waits -i "$trace" -o diagnosis.format=json -o diagnosis.output="$work/diagnosis.json" >"$work/said"
json='import json, sys
for row in json.load(open(sys.argv[1]))["diagnosis"]["rows"]: print(row["sentence"])'
python3 -c "$json" "$work/diagnosis.json" >"$work/sentences"
is "JSON: as many sentences as findings, and the verdict" "$(wc -l <"$work/sentences" | tr -d ' ')" 2
is "text has the same sentences" "$(sed '/^$/,$d' "$work/waits.txt" | sed 's/^ *//; s/^1\. //' | tr '\n' ' ' | sed 's/ *$//')" \
    "$(tr '\n' ' ' <"$work/sentences" | sed 's/ *$//')"
if tcflow --version | grep -q '^databases: SQLite' && python3 -c 'import sqlite3' 2>/dev/null; then
    tcflow -q -c waits -i "$trace" -o pipeline.database="$work/run.sqlite" >"$work/said"
    query='import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT sentence FROM diagnosis ORDER BY rank"): print(row[0])'
    python3 -c "$query" "$work/run.sqlite" >"$work/rows"
    same "the database has the same sentences" "$work/sentences" "$work/rows"
    evidence='import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
for table, key in c.execute("SELECT evidence_table, evidence_key FROM diagnosis_diagnosis").fetchall():
    print(len(c.execute("SELECT * FROM %s WHERE %s" % (table, key)).fetchall()))'
    is "each finding leads to one row of evidence" "$(python3 -c "$evidence" "$work/run.sqlite" | sort -u)" 1
fi
fails 2 "least = 101 is refused" tcflow -i "$trace" -o pipeline.chain=diagnosis -o diagnosis.least=101
done_testing
