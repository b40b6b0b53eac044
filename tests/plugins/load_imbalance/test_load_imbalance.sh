#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# load_imbalance: its loads are those of the oracle, which looks at a trace as a whole, with slices of any size; what the
# tables say of them follows from the oracle's loads.
# SEEDS (default 3) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
usual_seeds=3
. "$top_srcdir/tests/support/random.sh"

# loaded ANCHOR OPTIONS...: the filter's CSV to $work/csv
loaded()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" -o pipeline.chain=load_imbalance -o load_imbalance.format=csv -o load_imbalance.worst=1000000 "$@" \
        2>"$work/said" | tr -d '\r' >"$work/csv" || diag "$(cat "$work/said")"
}

# All loads as "GROUP:RANK|REGION|TICKS"; the ids of groups stand where no name can be in the way. Regions that
# differ in more than their id but not in their name are put together.
loads()
{
    sed -nE 's/^worst_processes,[0-9]+,(-?[0-9]+),.*,(-?[0-9]+),([0-9]+),[0-9]+,(.*)$/\3:\1|\4|\2/p' "$work/csv" |
        awk -F'|' '{ t[$1 "|" $2] += $3 } END { for (k in t) printf "%s|%.0f\n", k, t[k] }' | sort
}

# The oracle's loads, summed up: "REGION|PROCESSES|MAX|TOTAL|IMBALANCE|IMBALANCE INSIDE".
regions_of()
{
    awk -F'|' '
        { n[$2]++; sum[$2] += $3; if (!($2 in max) || $3 > max[$2]) max[$2] = $3; if (!seen[$1]++) all++ }
        END { for (r in n) printf "%s|%d|%.0f|%.0f|%.6g|%.6g\n", r, n[r], max[r], sum[r],
            sum[r] ? max[r] * all / sum[r] : 1, sum[r] ? max[r] * n[r] / sum[r] : 1 }' "$work/expected" | sort
}

regions()
{
    number='([^,]*),' other='[^,]*,'
    sed -nE "s/^load_imbalance,$number$number$other$other$other$number$number$number$other(.*)\$/\6|\3|\4|\5|\1|\2/p" \
        "$work/csv" | awk -F'|' '{ printf "%s|%s|%s|%s|%.6g|%.6g\n", $1, $2, $3, $4, $5, $6 }' | sort
}

idle_of()
{
    awk -F'|' 'NR == FNR { idle[$1] = $2; next } { all[$1] += $3 }
        END { for (p in all) printf "%s|%.0f|%.0f\n", p, idle[p], all[p] }' "$work/idled" "$work/expected" | sort
}

idle()
{
    sed -nE 's/^idle_time,(-?[0-9]+),.*,(-?[0-9]+),(-?[0-9]+),([0-9]+)$/\4:\1|\2|\3/p' "$work/csv" | sort
}

# agree NAME ANCHOR
agree()
{
    "$oracle" loads "$2" 2>/dev/null >"$work/said"
    sed -nE 's/^load,([^,]+),(-?[0-9]+),(.*)$/\1|\3|\2/p' "$work/said" | sort >"$work/expected"
    sed -nE 's/^idle,([^,]+),([0-9]+)$/\1|\2/p' "$work/said" >"$work/idled"
    for slice in 0 1 13; do
        loaded "$2" -o pipeline.slice=$slice
        loads >"$work/got"
        same "$1: loads, slice = $slice" "$work/expected" "$work/got"
    done
    # Where two regions have one name their rows are of each alone.
    if [ -z "$(sed -n 's/^load_imbalance,//p' "$work/csv" | sed -E 's/([^,]*,){9}//' | sort | uniq -d)" ]; then
        regions_of >"$work/foreseen"
        regions >"$work/found"
        same "$1: imbalance" "$work/foreseen" "$work/found"
        tables=$((tables + 1))
    fi
    idle_of >"$work/foreseen"
    idle >"$work/found"
    same "$1: idle time" "$work/foreseen" "$work/found"
}

tables=0
agree "a recorded trace" "$example"
ok "there is something" test -s "$work/got" -a -s "$work/found"
for anchor in ${TRACES:-}; do
    agree "$anchor" "$anchor"
done
each "idle, and tasks" --features p2p,openmp --idle
each_odd 4
"$generate" no-messages --out "$work/apart" --processes 3 --streams 2
agree "streams in groups of their own" "$work/apart/traces.otf2"
is "they belong to the processes that created them" "$(cut -d'|' -f1 "$work/expected" | sort -u | wc -l)" 3
each "random trace" --features p2p,collectives,openmp,locks,metrics --regions-per-rank --end-early 0.2 --empty-locations 1
seed=${FIRST:-1}
while [ "$seed" -lt $((${FIRST:-1} + seeds)) ]; do
    ok "several ranks of a process, trace $seed, are made" made "$seed" --ranks $((seed % 5 + 4)) --ranks-per-process $((seed % 2 + 2)) \
        --events 1500 --features p2p,collectives,openmp,mpi-threads &&
        agree "several ranks of a process, trace $seed" "$work/trace/traces.otf2"
    ok "which have loads of their own" sh -c "cut -d: -f1 '$work/expected' | sort -u >'$work/groups' &&
        test \"\$(cut -d'|' -f1 '$work/expected' | sort -u | wc -l)\" -gt \"\$(wc -l <'$work/groups')\""
    seed=$((seed + 1))
done
ok "imbalances were compared" test "$tables" -gt 1

# Caps, top and worst.
total()
{
    awk -F'|' '{ sum += $3 } END { printf "%.0f\n", sum }'
}
loaded "$work/odd/traces.otf2"
all=$(loads | total)
loaded "$work/odd/traces.otf2" -o load_imbalance.max_regions=2
is "max_regions = 2: the same time" "$(loads | total)" "$all"
ok "some of it beyond" grep -q '(beyond max_regions)' "$work/csv"
like "a cap is reported" "$(tcflow -i "$work/odd/traces.otf2" -o pipeline.chain=load_imbalance \
    -o load_imbalance.max_regions=2 -o load_imbalance.output=/dev/null -o load_imbalance.overwrite=yes 2>&1)" \
    'more regions than max_regions = 2'
loaded "$example" -o load_imbalance.worst=2 -o load_imbalance.top=3
is "top = 3: three regions" "$(grep -c '^load_imbalance,' "$work/csv")" 3
is "worst = 2: two processes of each" "$(grep -c '^worst_processes,' "$work/csv")" 6
loaded "$example" -o "load_imbalance.idle=MPI_*"
ok "globs: with all of MPI every process is idle at times" test "$(idle | cut -d '|' -f 2 | sort -n | head -n 1)" -gt 0
like "text has a table" "$(tcflow -q -i "$example" -o pipeline.chain=load_imbalance)" '^Load imbalance by region'
done_testing
