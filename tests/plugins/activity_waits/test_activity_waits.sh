#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# activity_waits against wait_states: whatever the bins, cells and rows, the time of each pattern is that of the whole run, and no
# bin of a row has more of it than its width times its locations, and the longest single waits fill the bins inside of them.
# tests/plugins/activity compares it cell by cell with an oracle.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

python3 -c 'import json' 2>/dev/null || skip_all "python3 is not installed"

# spread ANCHOR [option...]: the reports of both filters in $work/reports; warnings in $work/said
spread()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" -o pipeline.chain="wait_states activity_waits" -o wait_states.format=json -o activity_waits.format=json \
        "$@" >"$work/reports" 2>"$work/said" || diag "$(head -n 5 "$work/said")"
}

# look CODE: Python with the tables of $work/reports as lists of dictionaries
look()
{
    python3 -c "
import json, sys
reports = json.load(open('$work/reports'))
whole = {r['pattern']: r['ticks'] for r in reports['wait_states']['patterns']['rows']}
table = {name: t['rows'] for name, t in reports['activity_waits'].items()}
name = {r['pattern']: r['name'] for r in table['patterns']}
width = table['bins'][0]['width_ticks']
spread = {}
for c in table['cells']:
    spread[name[c['pattern']]] = spread.get(name[c['pattern']], 0) + c['run'] * c['ticks']
$1"
}

"$top_builddir/tcflow-synth" --ranks 6 --events 6k --seed 3 --pattern latesender,collectives,pairs,imbalance "$work/run" >/dev/null
run=$work/run/traces.otf2

for way in "4096 131072 4096" "2 131072 4096" "64 64 4096" "100 131072 1" "100 131072 3"; do
    set -- $way
    spread "$run" -o activity_waits.bins="$1" -o activity_waits.cells="$2" -o activity_waits.rows="$3"
    is "$1 bins, $2 cells, $3 rows: there are waits" "$(look 'print(len(spread) >= 3)')" True
    is "their time is that of wait_states" "$(look "
print({p: (t, whole.get(p)) for p, t in spread.items() if p != 'others' and abs(t - whole.get(p, 0)) > 1})")" "{}"
    [ "$3" -lt 4096 ] || is "the bins inside of the longest waits are full" "$(look "
row = {str(r['location']): r['row'] for r in table['rows']}
full = {(c['row'], c['bin'] + i, name[c['pattern']]) for c in table['cells'] if c['ticks'] == width for i in range(c['run'])}
start = table['bins'][0]['from_ticks']
inside = [(row[str(x['location'])], b, x['pattern']) for x in reports['wait_states']['instances']['rows'] if x['pattern'] in spread
          for b in range((x['from'] - start) // width + 1, (x['from'] + x['ticks'] - start) // width)]
print(len(inside) > 3 or $1 < 4096, [i for i in inside if i not in full])")" "True []"
    is "no bin has more than its width" "$(look "
n = {r['row']: r.get('locations', 1) for r in table['rows']}
print([c for c in table['cells'] if c['ticks'] > width * n[c['row']]])")" "[]"
done
done_testing
