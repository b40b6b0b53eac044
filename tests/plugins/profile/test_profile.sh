#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# profile equals the oracle, which looks at a trace as a whole: on a recorded trace, on random ones whose enters and
# leaves don't fit, with slices of any size; what its limits cost is told, and the flat profile stays exact.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

oracle=$top_builddir/tests/support/oracle/oracle
here=$top_srcdir/tests/plugins/profile
example=$top_srcdir/examples/trace/traces.otf2
export LC_ALL=C

# profiled ANCHOR OPTIONS...: profile's CSV to $work/p.csv, in the oracle's form to $work/profile.txt
profiled()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" -o pipeline.chain=profile -o profile.format=csv "$@" >"$work/p.csv" 2>"$work/said" || {
        diag "$(cat "$work/said")"
        return 1
    }
    tr -d '\r' <"$work/p.csv" | awk -f "$here/as_oracle.awk" | sort >"$work/profile.txt"
}

foreseen()
{
    "$oracle" profile "$1" 2>/dev/null | grep -v '^#' | sort >"$work/oracle.txt"
}

flat_only()
{
    grep '^flat,' "$1" >"$1.flat"
}

# agree NAME ANCHOR OPTIONS...
agree()
{
    name=$1
    shift
    profiled "$@" -o profile.by_location=yes || tap 1 "$name"
    ok "$name: there is something" test -s "$work/profile.txt"
    same "$name" "$work/oracle.txt" "$work/profile.txt"
}

[ -x "$oracle" ] && [ -x "$generate" ] || skip_all "the oracle or the generator of traces is not built"

foreseen "$example"
agree "a recorded trace" "$example"
agree "a recorded trace in slices of 5 events" "$example" -o pipeline.slice=5

for seed in $(seeds_of 6); do
    "$generate" odd --seed "$seed" --locations 6 --events 2000 --out "$work/odd" || exit 1
    anchor=$work/odd/traces.otf2
    foreseen "$anchor"
    for slice in 0 1 100; do
        agree "odd trace $seed, slice = $slice" "$anchor" -o pipeline.slice=$slice
    done
    flat_only "$work/oracle.txt"
    for limit in "profile.calltree=no" "profile.max_callpaths=1" "profile.max_callpaths=30"; do
        profiled "$anchor" -o profile.by_location=yes -o $limit
        flat_only "$work/profile.txt"
        same "odd trace $seed: the flat profile with $limit" "$work/oracle.txt.flat" "$work/profile.txt.flat"
    done

    # Regions by name, since totals put those together that differ in their id only: visits and exclusive ticks.
    tr -d '\r' <"$work/p.csv" | awk -F, '/^flat_profile,/ { visits += $5; time += $8 } END { print visits, time }' \
        >"$work/total"
    awk -F, '{ visits += $(NF - 4); time += $(NF - 2) } END { print visits, time }' "$work/oracle.txt.flat" >"$work/sum"
    same "odd trace $seed: the total is the sum of the locations" "$work/sum" "$work/total"
    is "odd trace $seed: twins are put together" "$(grep -c '^flat_profile,.*,twin' "$work/p.csv")" 1
    rm -rf "$work/odd"
done

profiled "$example" -o profile.calltree=no
is "calltree = no: no table of call paths" "$(grep -c '^calltree' "$work/p.csv")" 0
profiled "$example"
is "by_location = no: no table of locations" "$(grep -c '_by_location,' "$work/p.csv")" 0
tcflow -q -i "$example" -o pipeline.chain=profile -o profile.format=csv -o profile.top=2 >"$work/top.csv"
is "top = 2: two regions" "$(grep -c '^flat_profile,' "$work/top.csv")" 2
is "top = 2: two call paths" "$(grep -c '^calltree_profile,' "$work/top.csv")" 2
is "those with the most time" "$(sed -n '/^flat_profile,/{p;q;}' "$work/top.csv")" \
    "$(sed -n '/^flat_profile,/{p;q;}' "$work/p.csv")"
like "text has a table" "$(tcflow -q -i "$example" -o pipeline.chain=profile)" '^Flat profile'

# 140,000 levels: deeper than the stack.
"$generate" odd --locations 1 --events 10 --deep 140000 --out "$work/deep" || exit 1
like "a recursion deeper than the stack is told" \
    "$(tcflow -i "$work/deep/traces.otf2" -o pipeline.chain=profile -o profile.output=/dev/null 2>&1)" \
    'profile: [0-9]+ visits deeper than'
like "and so are visits without a call path" \
    "$(tcflow -i "$work/deep/traces.otf2" -o pipeline.chain=profile -o profile.output=/dev/null 2>&1)" \
    'max_callpaths = 65536'

tcflow --describe profile --ini >"$work/profile.ini"
same "filters.d/profile.ini is what --describe says" "$top_srcdir/filters.d/profile.ini" "$work/profile.ini"
fails 2 "max_callpaths = 0 is refused" tcflow -i "$example" -o pipeline.chain=profile -o profile.max_callpaths=0
done_testing
