#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# examples/scaling.ini: what programs that compare runs read of its database. The tables are those of doc/results.md, the causes of
# root_cause are vertices of ppg, and waits are the same in both.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

tcflow --version | grep -q '^databases: SQLite' || skip_all "built without SQLite"
have python3 && python3 -c 'import sqlite3' 2>/dev/null || skip_all "python3 with sqlite3 is not installed"

ok "it runs" tcflow -c "$top_srcdir/examples/scaling.ini" -i "$top_srcdir/examples/trace/traces.otf2" \
    -o pipeline.database="$work/run.sqlite"

# query SQL
query()
{
    python3 - "$work/run.sqlite" "$1" <<'EOF'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row)
EOF
}

# The names and types of doc/results.md.
sed -nE 's/^\| `ppg_([a-z]+)` \|.*\| (.*) \|$/\1 \2/p' "$top_srcdir/doc/results.md" | sed -E 's/\([^)]*\)//g; s/[`,]//g; s/  */ /g; s/ $//' |
    grep -v '^metrics' | LC_ALL=C sort >"$work/documented"
query "SELECT substr(sql_table, 5), group_concat(sql_column, ' ') FROM (SELECT * FROM columns WHERE sql_table LIKE 'ppg\_%' ESCAPE '\\'
    ORDER BY rowid) GROUP BY sql_table ORDER BY sql_table" >"$work/columns"
same "tables are those of doc/results.md" "$work/documented" "$work/columns"
is "vertices, depth first" "$(query 'SELECT count(*), sum(parent >= vertex), sum(parent IS NULL), max(vertex) + 1 FROM ppg_vertices' | awk '{ print ($1 == $4 && $1 > 10), $2, $3 }')" "1 0 1"
is "ranks" "$(query 'SELECT rank, thread FROM ppg_places')" "0 0
1 0
2 0
3 0"
is "causes are vertices" "$(query 'SELECT call_path FROM root_cause_locations WHERE call_path NOT IN (SELECT call_path FROM ppg_vertices)')" ""
ok "some of them computation" test "$(query "SELECT count(*) FROM root_cause_locations WHERE call_path LIKE '%(after MPI_Recv)'")" -gt 3
is "waits are the same" "$(query 'SELECT pattern, sum(count), round(sum(waiting_s) * 1e9) FROM ppg_edges GROUP BY pattern ORDER BY pattern')" \
    "$(query 'SELECT pattern, waits, round(time * 1e9) FROM root_cause_patterns ORDER BY pattern')"
is "waits of vertices are those of edges" "$(query 'SELECT vertex, location, round(waiting_s * 1e9) FROM ppg_values WHERE waiting_s > 0 ORDER BY 1, 2')" \
    "$(query 'SELECT vertex, location, round(sum(waiting_s) * 1e9) FROM ppg_edges GROUP BY 1, 2 ORDER BY 1, 2')"
is "all ends of edges are there" "$(query 'SELECT count(*) FROM ppg_edges e LEFT JOIN ppg_values v ON v.vertex = e.from_vertex AND v.location = e.from_location WHERE v.visits IS NULL')" 0

done_testing
