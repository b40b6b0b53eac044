#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# When something was: all filters count seconds from the start that the trace states, also behind a filter that drops the
# first events; so a moment of one table is the same in another one, and for select.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

python3 -c 'import json' 2>/dev/null || skip_all "python3 is not installed"

filters="time_profile message_histogram iterations lateness wait_states root_cause timeline"

cat >"$work/p.ini" <<EOF
[pipeline]
input = $top_srcdir/examples/trace/traces.otf2
survey = cut_first learn
chain = cut $filters

[cut]
filter = select
from = 20%

[cut_first]
filter = select
from = 20%

[learn]
filter = wait_states
output = $work/learned
EOF
for filter in $filters; do
    printf '\n[%s]\nformat = json\noutput = %s\n' "$filter" "$work/$filter" >>"$work/p.ini"
done
ok "all of them run" "$TCFLOW" -q -c "$work/p.ini"
"$TCFLOW" -q -i "$top_srcdir/examples/trace/traces.otf2" -o pipeline.chain=print -o print.definitions=yes -o print.format=json \
    >"$work/print" 2>/dev/null

# seconds FILTER TABLE SECONDS TICKS: how many rows of the table say the same in both columns; then the rows that don't
seconds()
{
    python3 - "$work/print" "$work/$1" "$2" "$3" "$4" <<'EOF'
import json, sys
start = next((r for r in map(json.loads, open(sys.argv[1])) if r.get("definition") == "CLOCK_PROPERTIES"))
origin, resolution = start["global_offset"], start["timer_resolution"]
table = json.load(open(sys.argv[2]))[sys.argv[3]]
names = [c["name"] for c in table["columns"]]
rows = [r if isinstance(r, dict) else dict(zip(names, r)) for r in table["rows"]]
rows = [(r[sys.argv[4]], r[sys.argv[5]]) for r in rows if r[sys.argv[4]] is not None]
wrong = [r for r in rows if abs(r[0] - (r[1] - origin) / resolution) > 1e-9]
print("right" if rows and not wrong else f"{len(rows)} rows, wrong: {wrong[:3]}")
EOF
}

while read -r filter table column ticks; do
    is "$filter: $column of $table" "$(seconds "$filter" "$table" "$column" "$ticks" 2>&1)" right
done <<EOF
time_profile time_profile from from_ticks
message_histogram over_time from from_ticks
iterations iterations from from_ticks
lateness worst completed completed_ticks
wait_states instances begin from
root_cause chains begin from
timeline windows from_s from
timeline intervals begin_s begin
timeline messages sent_s sent
EOF

done_testing
