#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# select leaves what expected.awk computes from the whole trace, whatever the size of slices; cuts stay balanced; what
# is written reads well; nothing selected is lossless; Score-P filter files mean what they mean there; errors name what
# is wrong.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

oracle=$top_builddir/tests/support/oracle/oracle
here=$top_srcdir/tests/plugins/select
example=$top_srcdir/examples/trace/traces.otf2
export LC_ALL=C

[ -x "$oracle" ] && [ -x "$generate" ] || skip_all "the oracle or the generator of traces is not built"
tcflow --describe otf2_write >/dev/null 2>&1 || skip_all "there is no otf2_write"

# written ANCHOR OPTIONS...: the selection to $work/out
written()
{
    anchor=$1
    shift
    rm -rf "$work/out"
    tcflow -q -i "$anchor" -o "pipeline.chain=select otf2_write" -o otf2_write.path="$work/out" -o select.clock_offsets=no "$@" \
        >"$work/said" 2>&1 && return
    diag "$(cat "$work/said")"
    return 1
}

# The events of an archive, without their numbers.
events()
{
    "$oracle" dump "$1" 2>/dev/null | sed -E '/^#/d; s/^([^ ]+) [^ ]+/\1/'
}

# leaves NAME ANCHOR "VARIABLE=VALUE;..." OPTIONS...
leaves()
{
    name=$1
    anchor=$2
    variables=$3
    shift 3
    "$oracle" dump "$anchor" 2>/dev/null >"$work/dump"
    (
        IFS=';'
        set -f
        for v in $variables; do
            printf '%s\n' "$v"
        done
    ) >"$work/variables"
    awk "$(sed -E 's/^([a-z]+)=(.*)$/BEGIN { \1 = "\2" }/' "$work/variables") $(cat "$here/expected.awk")" \
        "$work/dump" >"$work/expected.txt"
    for slice in $slices; do
        if written "$anchor" "$@" -o pipeline.slice=$slice; then
            events "$work/out/traces.otf2" >"$work/selected.txt"
            same "$name, slice = $slice" "$work/expected.txt" "$work/selected.txt"
        else
            tap 1 "$name, slice = $slice"
        fi
    done
}

slices="0 1 3 50"
[ -n "${TCFLOW_LONG:-}" ] || slices="0 3"

for seed in $(seeds_of 2); do
    rm -rf "$work/odd"
    "$generate" odd --seed "$seed" --locations 6 --events 2000 --out "$work/odd" || exit 1
    t=$work/odd/traces.otf2
    leaves "$seed: nothing selected" "$t" ""
    leaves "$seed: a range" "$t" "from=5003000;to=5007000;balance=1" -o "select.from=5003000 ticks" -o "select.to=5007000 ticks"
    leaves "$seed: from" "$t" "from=5003000;balance=1" -o select.from=3ms
    leaves "$seed: to" "$t" "to=5003000;balance=1" -o select.to=0.003s
    leaves "$seed: a range, unbalanced" "$t" "from=5003000;to=5007000" -o select.from=3000us -o select.to=7ms \
        -o select.balance=no
    leaves "$seed: one tick" "$t" "from=5003000;to=5003000;balance=1" -o "select.from=5003000 ticks" -o "select.to=5003000 ticks"
    leaves "$seed: a communicator" "$t" "comms= 10 30 99 ;wins= 3 " -o select.communicators=HALF
    leaves "$seed: communicators by id and glob" "$t" "comms= 10 99 ;wins= 3 " -o "select.communicators=20 S*"
    leaves "$seed: a team" "$t" "" -o select.communicators=TEAM
    leaves "$seed: a communicator in a range" "$t" \
        "comms= 10 30 99 ;wins= 3 ;from=5002000;to=5008000;balance=1" \
        -o select.communicators=HALF -o select.from=2ms -o select.to=8ms
    leaves "$seed: kinds" "$t" "kinds= METRIC ENTER CALLING_CONTEXT_ENTER " \
        -o "select.exclude_kinds=metric Enter *ContextEnter"
    leaves "$seed: kinds as otf2-print and print name them" "$t" "kinds= PARAMETER_INT IO_CHANGE_STATUS_FLAGS " \
        -o "select.exclude_kinds=PARAMETER_INT64 io_change_flags"
    leaves "$seed: kinds and a communicator" "$t" "kinds= METRIC ENTER MPI_IRECV ;comms= 10 99 20 ;wins= 3 4 " \
        -o "select.exclude_kinds=metric ENTER MpiIrecv" -o select.communicators=SELF
    leaves "$seed: regions" "$t" "regions= 3 15 5000 4294967295 0 21 36 39 ;contexts= 0 1 5 77 " \
        -o "select.regions=MPI_Send MPI_Recv* g h io std* *er" -o "select.exclude_regions=h"
    leaves "$seed: regions in a range" "$t" "regions= 36 39 0 ;contexts= 0 ;from=5003000;to=5007000;balance=1" \
        -o "select.exclude_regions=twin main" -o "select.from=5003000 ticks" -o "select.to=5007000 ticks"
    leaves "$seed: locations" "$t" "locations= 0 8589934606 ;from=5003000;to=5007000;balance=1" \
        -o "select.locations=0 8589934606" -o "select.from=5003000 ticks" -o "select.to=5007000 ticks"
    leaves "$seed: a rank" "$t" "locations= 0 4294967303 " -o select.groups=0
    leaves "$seed: a rank as such" "$t" "locations= 0 4294967303 " -o select.ranks=0
    leaves "$seed: a rank or a group" "$t" "locations= 0 4294967303 8589934606 12884901909 " -o select.ranks=1 \
        -o "select.groups=Process?0"
    leaves "$seed: ranks by name" "$t" "locations= 0 4294967303 8589934606 12884901909 " -o "select.groups=Process?[01]"
    leaves "$seed: half messages go" "$t" "locations= 0 4294967303 ;partners= 10:1 20:1 10:2 " -o select.groups=0 \
        -o select.messages=drop

    # Where a location group has several ranks a rank is one location, and the group has more: the other ranks, and threads.
    rm -rf "$work/ranks"
    timeout 60 "$generate" random --out "$work/ranks" --seed "$seed" --ranks 6 --ranks-per-process 3 --events 600 \
        --features p2p,collectives,openmp,mpi-threads >"$work/why" 2>&1 || diag "$(cat "$work/why")"
    t=$work/ranks/traces.otf2
    "$oracle" processes "$t" 2>/dev/null | tr : , >"$work/processes"
    of_ranks=$(awk -F, '$4 == 1 || $4 == 4 { printf " %s", $2 }' "$work/processes")
    leaves "$seed: ranks of groups with several" "$t" "locations=$of_ranks " -o "select.groups=1 4"
    leaves "$seed: the same as ranks" "$t" "locations=$of_ranks " -o "select.ranks=1 4"
    is "$seed: which are two locations" "$(echo $of_ranks | wc -w)" 2
    of_group=$(awk -F, '$3 == "'"$(awk -F, '$4 == 0 { print $3 }' "$work/processes")"'" { printf " %s", $2 }' "$work/processes")
    leaves "$seed: a group with several ranks, and a rank of another" "$t" "locations=$of_group$(
        awk -F, '$4 == 5 { printf " %s", $2 }' "$work/processes") " -o "select.groups=*Rank?0 5"
done

t=$work/odd/traces.otf2

# A range in global time is one of the times that libotf2 makes of the stored ones.
shifted()
{
    "$oracle" dump --linear "$1" 2>/dev/null | sed -E '/^#/d; s/^([^ ]+) [^ ]+/\1/'
}
shifted "$t" | awk '$2 >= 5003000 && $2 <= 5007000' >"$work/expected.txt"
ok "clock_offsets" written "$t" -o "select.from=5003000 ticks" -o "select.to=5007000 ticks" -o select.clock_offsets=yes \
    -o select.balance=no
shifted "$work/out/traces.otf2" >"$work/selected.txt"
same "clock_offsets: the range is meant in global time" "$work/expected.txt" "$work/selected.txt"
ok "there is something in it" test -s "$work/expected.txt"

# Balance, and archives that others read.
for trace in "$example" "$t"; do
    ok "a range in percent" written "$trace" -o select.from=30% -o select.to=60%
    ok "the cut trace can be read" tcflow -q -i "$work/out/traces.otf2" -o pipeline.chain=pass
    if have otf2-print; then
        ok "otf2-print reads the cut trace" otf2-print "$work/out/traces.otf2"
    fi
done
written "$example" -o select.from=30% -o select.to=60%
events "$work/out/traces.otf2" | awk '$3 == "ENTER" { d[$1]++ } $3 == "LEAVE" { d[$1]-- } d[$1] < 0 { bad = 1 }
    END { for (l in d) if (d[l] != 0) bad = 1; print bad + 0 }' >"$work/balance"
is "a cut trace has a leave for every enter" "$(cat "$work/balance")" 0
ok "it isn't empty" test "$(events "$work/out/traces.otf2" | wc -l)" -gt 10

# Score-P filter files; what they leave, by region.
left()
{
    printf '%b' "$1" >"$work/filter"
    written "$t" -o select.filter_file="$work/filter" || { echo failed; return; }
    events "$work/out/traces.otf2" | awk '$3 == "ENTER" { sub(/region=/, "", $4); print $4 }' | sort -nu | tr '\n' ' '
}
all="0 3 6 9 12 15 18 21 24 27 30 33 36 39 5000 4294967295 "
is "an empty filter file" "$(left '')" "$all"
is "EXCLUDE *: what isn't instrumented by the user stays" \
    "$(left 'SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE *\nSCOREP_REGION_NAMES_END\n')" "6 9 12 5000 4294967295 "
rules='# c\nSCOREP_REGION_NAMES_BEGIN # c\n EXCLUDE * # g\n INCLUDE main\n   [gh]\n EXCLUDE h\n'
is "later rules override, words go on in the next line, comments" "$(left "${rules}SCOREP_REGION_NAMES_END")" \
    "0 6 9 12 18 5000 4294967295 "
is "blanks behind a backslash, ?, MANGLED" \
    "$(left 'SCOREP_REGION_NAMES_BEGIN EXCLUDE f(int,\\ char) MANGLED std::sort<a,?b> ?o SCOREP_REGION_NAMES_END')" \
    "0 3 6 9 12 18 21 30 33 36 39 5000 4294967295 "
rules='SCOREP_FILE_NAMES_BEGIN\nEXCLUDE */a.c\nSCOREP_FILE_NAMES_END\n'
rules=$rules'SCOREP_REGION_NAMES_BEGIN\nEXCLUDE main\nINCLUDE solve\nSCOREP_REGION_NAMES_END\n'
is "names of files; nothing in an excluded file comes back" "$(left "$rules")" \
    "6 9 12 18 24 30 36 39 5000 4294967295 "

# refused STATUS NAME PATTERN OPTIONS...
refused()
{
    status=$1
    name=$2
    pattern=$3
    shift 3
    fails "$status" "$name" tcflow -q -i "$t" -o pipeline.chain=select "$@"
    like "$name: what it says" "$(cat "$work/.fails")" "$pattern"
}
refused 2 "a time that is none" "from = 10x: expected seconds" -o select.from=10x
refused 2 "more than all" "more than 100%" -o select.to=101%
refused 2 "an end before the start" "ends .* before it begins" -o select.from=5ms -o select.to=1ms
refused 2 "an unknown kind" "did you mean 'MPI_SEND'" -o select.kinds=MPI_SND
refused 2 "an unknown location" "there is no '17'" -o select.locations=17
refused 2 "an unknown rank" "0-9 is out of range: this trace has 3 ranks" -o select.groups=0-9
refused 2 "an unknown rank of ranks" "ranks: 3 is out of range: this trace has 3 ranks" -o select.ranks="0 3"
refused 2 "a name for a rank" "ranks: 'Process' is no number.* stand in .groups." -o select.ranks=Process
refused 2 "an unknown group" "did you mean 'Process 1'" -o select.groups=Proces1
refused 2 "an unknown communicator" "did you mean 'WORLD'" -o select.communicators=WRLD
refused 2 "half messages and a time range" "not possible together with a time range" -o select.messages=drop \
    -o select.from=1ms
refused 2 "half of the kinds of messages" "together" -o select.messages=drop -o select.exclude_kinds=MPI_ISEND
printf 'SCOREP_REGION_NAMES_BEGIN\n EXCLUDE *\nSCOREP_FILE_NAMES_END\n' >"$work/filter"
refused 2 "a wrong filter file" "filter:3: 'SCOREP_FILE_NAMES_END' is not expected" -o select.filter_file="$work/filter"
printf '\nSCOREP_REGION_NAMES_BEGIN\n EXCLUDE *\n' >"$work/filter"
refused 2 "a filter file without end" "filter:2: .*the end of the block is missing" -o select.filter_file="$work/filter"
refused 2 "no filter file" "cannot open .*none" -o select.filter_file="$work/none"
like "a glob that fits nothing is told" \
    "$(tcflow -i "$t" -o pipeline.chain=select -o "select.regions=MPI_S* nix*" 2>&1)" "no region .* fits 'nix\*'"

tcflow --describe select --ini >"$work/select.ini"
same "filters.d/select.ini is what --describe says" "$top_srcdir/filters.d/select.ini" "$work/select.ini"
done_testing
