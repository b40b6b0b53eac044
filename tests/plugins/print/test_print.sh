#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# print says what otf2-print says of every event, in the order of time or location by location, whatever the size of
# slices; JSON lines say the same; outputs appear when they are complete; when memory is short nothing gets lost.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

here=$top_srcdir/tests/plugins/print
example=$top_srcdir/examples/trace/traces.otf2
export LC_ALL=C

[ -x "$generate" ] || skip_all "the generator of traces is not built"

printed()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" -o pipeline.chain=print "$@"
}

lines()
{
    awk -f "$here/lines.awk"
}

# Events of equal time stand in any order of locations.
by_time()
{
    sort -s -k 3,3n -k 2,2
}

# otf2-print applies clock offsets: where there are some only the order within locations is compared.
without_times()
{
    if [ -n "$clocks_differ" ]; then
        sort -s -k 2,2 | sed -E 's/^([^ ]+ +[^ ]+) +[^ ]+/\1/; s/Stop Time: [0-9]+/Stop Time/'
    else
        by_time
    fi
}

# The events in $1 by location, in the order in which the archive $2 defines locations.
by_location()
{
    printed "$2" -o print.definitions=yes 2>/dev/null | sed -n '/^Event /q; s/^LOCATION  *\([0-9]*\) .*/\1/p' |
        awk '!seen[$0]++' >"$work/locations"
    while read -r location; do
        awk -v location="$location" '"x" $2 == "x" location' "$1"
    done <"$work/locations"
}

# agree NAME ANCHOR OPTIONS...
agree()
{
    name=$1
    anchor=$2
    shift 2
    printed "$anchor" "$@" >"$work/raw" 2>"$work/said"
    lines <"$work/raw" >"$work/got"
    ok "$name: there is something" test -s "$work/got"
    ok "$name: times never decrease" sort -c -s -k 3,3n "$work/got"
    if have otf2-print; then
        otf2-print "$anchor" 2>/dev/null | lines | without_times >"$work/expected"
        without_times <"$work/got" >"$work/sorted"
        same "$name: as otf2-print" "$work/expected" "$work/sorted"
    else
        skip "$name: as otf2-print" "it is not installed (Debian: otf2-tools)"
    fi
    by_location "$work/got" "$anchor" >"$work/expected"
    for slice in 0 1 37; do
        printed "$anchor" -o print.order=location -o pipeline.slice=$slice "$@" 2>>"$work/said" | lines >"$work/sorted"
        same "$name: location by location, slice = $slice" "$work/expected" "$work/sorted"
        printed "$anchor" -o pipeline.slice=$slice "$@" >"$work/again" 2>>"$work/said"
        same "$name: slice = $slice" "$work/raw" "$work/again"
    done
    json_agrees "$@"
}

# JSON lines name the same events, times and locations; numbers of fields are what they are in text.
json_agrees()
{
    printed "$anchor" -o print.format=json -o print.definitions=yes "$@" >"$work/json" 2>>"$work/said"
    if ! have python3; then
        skip "$name: JSON" "python3 is not installed"
        return
    fi
    python3 "$here/json_lines.py" "$work/got" "$work/json" >"$work/differences" 2>&1
    tap $? "$name: JSON lines say the same" || diag "$(head -n 10 "$work/differences" | cut -c 1-300)"
}

clocks_differ=
agree "a recorded trace" "$example"
"$generate" everything --out "$work/everything" >"$work/made" 2>&1 || diag "$(cat "$work/made")"
clocks_differ=yes
agree "an archive with everything" "$work/everything/traces.otf2" -o pipeline.salvage=yes
clocks_differ=

# What an archive holds besides. otf2-print has no lines for markers: those are compared with what `trace everything` writes.
anchor=$work/everything/traces.otf2
printed "$anchor" -o pipeline.salvage=yes -o print.definitions=yes -o print.snapshots=yes -o print.markers=yes \
    >"$work/extras" 2>"$work/said"
tap $? "definitions, snapshots and markers" || diag "$(cat "$work/said")"
printed "$anchor" -o pipeline.salvage=yes -o print.definitions=yes -o print.snapshots=yes -o print.markers=yes \
    -o print.format=json >"$work/extras.json" 2>"$work/said"
tap $? "the same as JSON" || diag "$(cat "$work/said")"
for byte in 85 170; do # what libotf2 leaves unset of a value is not shown
    MALLOC_PERTURB_=$byte printed "$anchor" -o pipeline.salvage=yes -o print.definitions=yes 2>/dev/null |
        grep '^IO_PARADIGM ' >"$work/values.$byte"
done
ok "there are I/O paradigms with values" grep -q 'Values: {.' "$work/values.85"
same "their values are the same in every run" "$work/values.85" "$work/values.170"
if have otf2-print; then
    otf2-print -C "$anchor" 2>/dev/null | grep '^CLOCK_OFFSET ' | sed -E 's/StdDev: .*//' | sort >"$work/expected"
    grep '^CLOCK_OFFSET ' "$work/extras" | sed -E 's/StdDev: .*//' | sort >"$work/got"
    ok "there are clock offsets" test -s "$work/got"
    same "clock offsets as otf2-print -C" "$work/expected" "$work/got"
    # `lines` stops at the title of the snapshots; without it they pass for events.
    otf2-print "$anchor" 2>/dev/null | sed -n '/^=== Snapshots/,$p' | sed 1d | lines | sort >"$work/expected"
    sed -n '/^Snapshot /,/^Marker /{/^Marker /!p}' "$work/extras" | lines | sort >"$work/got"
    ok "there are snapshots" test -s "$work/got"
    same "snapshots as otf2-print" "$work/expected" "$work/got"
else
    skip "clock offsets and snapshots" "otf2-print is not installed (Debian: otf2-tools)"
fi
is "as many markers in JSON as in text" "$(grep -c '^{"marker' "$work/extras.json")" "$(grep -c '^MARKER' "$work/extras")"
like "a marker" "$(cat "$work/extras")" '^MARKER +[0-9]+ +[0-9]+  Duration: [0-9]+, Scope: LOCATION .*, Text: "'
is "JSON: as many lines of snapshots" "$(grep -c '^{"snapshot' "$work/extras.json")" \
    "$(sed -n '/^Snapshot /,/^Marker /{/^Marker /!p}' "$work/extras" | lines | wc -l)"
if have python3; then
    ok "JSON: every line is an object" python3 -c 'import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    assert isinstance(json.loads(line), dict)' "$work/extras.json"
fi

single=p2p,sendrecv,nonblocking,cancel,any-source,collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
all=$single,openmp,locks,pthreads,attributes,metrics
for seed in $(seeds_of 3); do
    rm -rf "$work/trace"
    "$generate" random --out "$work/trace" --seed "$seed" --ranks $((seed % 3 * 3 + 3)) --events 3000 --features "$all" \
        --sparse-locations --equal-timestamps 0.3 >"$work/made" 2>&1 || diag "$(cat "$work/made")"
    agree "random trace $seed" "$work/trace/traces.otf2"
done

# Clocks a second apart, longer than the trace takes: behind a filter in causal order, little memory is not enough to hold what is late.
rm -rf "$work/trace"
"$generate" random --out "$work/trace" --seed 5 --ranks 4 --events 60000 --features p2p,collectives --clock-offset-ns 1000000000 \
    >"$work/made" 2>&1 || diag "$(cat "$work/made")"
anchor=$work/trace/traces.otf2
printed "$anchor" | lines | sort >"$work/expected"
tcflow -i "$anchor" -o "pipeline.chain=check print" -o check.output=/dev/null -o pipeline.memory=1MiB \
    -o pipeline.slice=64 -o pipeline.lookahead=64 >"$work/raw" 2>"$work/said"
tap $? "little memory, clocks far apart" || diag "$(cat "$work/said")"
like "events that go early are told" "$(cat "$work/said")" 'print: memory was short: [0-9]+ events'
lines <"$work/raw" >"$work/got"
sort "$work/got" >"$work/sorted"
same "none is lost" "$work/expected" "$work/sorted"
printed "$anchor" -o print.order=location | lines >"$work/expected"
by_location "$work/got" "$anchor" >"$work/sorted"
same "a location's own order is kept" "$work/expected" "$work/sorted"

# Outputs.
out=$work/out.txt
ok "to a file" printed "$example" -o print.output="$out"
printed "$example" >"$work/raw"
same "the file holds what standard output gets" "$work/raw" "$out"
fails 2 "an existing file is not replaced" printed "$example" -o print.output="$out" -o print.format=json
like "and the message says what would" "$(cat "$work/.fails")" 'overwrite = yes'
same "it is as it was" "$work/raw" "$out"
ok "overwrite = yes" printed "$example" -o print.output="$out" -o print.overwrite=yes -o print.order=location
ok "it was replaced" sh -c "! cmp -s '$out' '$work/raw'"
is "nothing is left beside it" "$(ls "$work" | grep -c '\.incomplete$')" 0
fails 2 "a folder is no file" printed "$example" -o print.output="$work"
fails 2 "a folder that isn't there" printed "$example" -o print.output="$work/no/where.txt"
if [ -w /dev/full ]; then
    fails 1 "a full disk" printed "$example" -o print.output=/dev/full
    like "is told" "$(cat "$work/.fails")" 'cannot write to .*/dev/full'
fi
tcflow --describe print --ini >"$work/print.ini"
same "filters.d/print.ini tells the parameters" "$top_srcdir/filters.d/print.ini" "$work/print.ini"
done_testing
