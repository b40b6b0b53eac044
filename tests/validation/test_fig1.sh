#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Fig. 1 of the paper in small, by the script of `make validate-smpi`: of programs whose events cost time, of which
# tcflow-calibrate is told nothing, `overhead` finds the time that they take unmeasured. The bounds hold it within 0.5 % of
# what recording costs them.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
usual_build_only

# run NAME RANKS ROWS: the table is $work/NAME/smpi.tsv.
run()
{
    OUT=$work/$1 RANKS=$2 ROWS=$3 COST= SCRATCH=$work TCFLOW=$TCFLOW top_builddir=$top_builddir \
        bash "$top_srcdir/tests/validation/run_smpi.sh" >"$work/said" 2>&1
}

numbers=$(usually 4 "2 4")
run all "$numbers" "pi 60 500
halo 5 64 512
nonblocking 20 1000 128
rooted 20 1000
late_receiver 12 500"
status=$?
[ "$status" -ne 77 ] || skip_all "$(cat "$work/said")"
ok "make validate-smpi" test "$status" -eq 0 || diag "$(cat "$work/said")"
is "it has a row for each of 5 programs with $numbers ranks" "$(tail -n +2 "$work/all/smpi.tsv" | wc -l)" $((5 * $(echo "$numbers" | wc -w)))

# Members of a broadcast that pass the data on, and are late by their own overhead.
run many 16 "rooted 20 1000"
tail -qn +2 "$work/all/smpi.tsv" "$work/many/smpi.tsv" >"$work/rows"
while IFS='	' read -r program ranks bare measured lower mean upper dilation rest; do
    what="$program, $ranks ranks"
    ok "$what: recording makes it longer by a third at least" awk -v d="$dilation" 'BEGIN { exit !(d > 1.33) }'
    ok "$what: $lower to $upper holds $bare (measured $measured)" \
        awk -v bare="$bare" -v measured="$measured" -v lower="$lower" -v upper="$upper" 'BEGIN {
            least = 0.005 * (measured - bare)
            exit !(bare > 0 && lower <= upper && lower - least <= bare && bare <= upper + least) }'
done <"$work/rows"

RENDEZVOUS=no run eager 2 "late_receiver 12 500"
ok "without knowing that sends wait late_receiver is outside" awk -F'\t' 'NR == 2 { exit !($12 > 10) }' "$work/eager/smpi.tsv"

run again 4 "pi 60 500"
is "the same run has the same figures" "$(tail -n 1 "$work/again/smpi.tsv")" "$(grep '^pi 60 500	4' "$work/rows")"
done_testing
