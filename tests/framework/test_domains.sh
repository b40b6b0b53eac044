#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Chains in several domains: reports and messages are those of one domain, byte by byte, for any number of threads, also
# where domains exchange letters; what keeps a chain in one domain is said; a domain that fails ends the run with its
# reason.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/in_domains.sh"

example=$top_srcdir/examples/trace/traces.otf2
# run THREADS TRACE CHAIN FILTER [option...]: the report in $work/out.THREADS, messages in $work/said.THREADS
run()
{
    threads=$1 trace=$2 chain=$3 filter=$4
    shift 4
    "$TCFLOW" -v -i "$trace" -j "$threads" -o pipeline.chain="$chain" -o "$filter.format=csv" \
        -o "$filter.output=$work/out.$threads" -o "$filter.overwrite=yes" "$@" >/dev/null 2>"$work/said.$threads"
    echo "exit status $?" >>"$work/said.$threads"
    sed -i -e '/: in .* domain/d' -e '/took longest/d' "$work/said.$threads"
}

# equal NAME TRACE CHAIN FILTER [option...]: several threads, also more than there are processes, give what one gives
equal()
{
    name=$1
    shift
    different=
    run 1 "$@"
    for n in $(usually "3 64" "2 3 8 64"); do
        run "$n" "$@"
        cmp "$work/out.1" "$work/out.$n" >&2 && cmp "$work/said.1" "$work/said.$n" >&2 || different="$different $n"
    done 2>"$work/different"
    is "$name: one domain and several" "$different$(tail -n 1 "$work/said.1")" "exit status 0" || diag "$(cat "$work/different")"
}

# all_of NAME TRACE: all that can run in domains, and what parameters make of it
all_of()
{
    alike_in_domains "$1" "$2"
    equal "$1, by location" "$2" "pass profile" profile -o profile.by_location=yes -o profile.max_callpaths=3
    equal "$1, by process" "$2" time_profile time_profile -o time_profile.by_process=yes -o time_profile.time_bins=7
    equal "$1, matrix by location" "$2" comm_matrix comm_matrix -o comm_matrix.by=location
    equal "$1, metrics by location" "$2" metrics metrics -o metrics.by_location=yes -o metrics.time_bins=5
    equal "$1, behind select" "$2" "select profile" profile -o select.from=20% -o select.to=70% \
        -o "select.exclude_kinds=MPI_RECV" -o pipeline.slice=5
}

# causal NAME TRACE [option...]: filters that follow messages and collectives
causal()
{
    name=$1 of=$2
    shift 2
    equal "$name, check" "$of" check check "$@"
    equal "$name, efficiency" "$of" efficiency efficiency "$@"
    equal "$name, clocks" "$of" "clc_forward clc_backward" clc_backward "$@"
    equal "$name, behind corrected clocks" "$of" "clc_forward clc_backward check profile" profile "$@"
    waits "$name" "$of" "$@"
    judged_in_domains "$name" "$of" "$@"
    without_overhead "$name" "$of" "$@"
    domain_equal "$name, a corrected copy" "$of" -o pipeline.chain="presync clc_forward clc_backward otf2_write" \
        -o presync.unsynchronised=keep -o otf2_write.path="$work/in/copy" "$@"
    domain_numbers="2 3 8 64"
    domain_equal "$name, correct.ini" "$of" -c "$top_srcdir/examples/correct.ini" \
        -o presync.unsynchronised=keep -o otf2_write.path="$work/in/copy" -o pipeline.reports=clock_report \
        -o clock_report.output="$work/in/report" -o clock_report.format=json -o presync.output="$work/in/presync" \
        -o clock_estimate.output="$work/in/clocks" -o clock_estimate.format=json -o clock_estimate.knots="$work/in/knots" \
        -o mu_estimate.output="$work/in/delays" -o mu_estimate.format=csv "$@"
    unset domain_numbers
}

# waits NAME TRACE [option...]: also behind corrected clocks
waits()
{
    waits_name=$1 waits_of=$2
    shift 2
    equal "$waits_name, wait states" "$waits_of" wait_states wait_states -o wait_states.by_location=yes \
        -o wait_states.worst=50 "$@"
    equal "$waits_name, wait states behind corrected clocks" "$waits_of" "presync clc_forward clc_backward wait_states" \
        wait_states -o presync.unsynchronised=keep -o wait_states.by_location=yes -o wait_states.all=yes "$@"
    equal "$waits_name, graph" "$waits_of" ppg ppg "$@"
}

# without_overhead NAME TRACE [option...]: also where sends wait for receives, ends for all ends, messages for the leave
# of their senders
without_overhead()
{
    overhead_name=$1 overhead_of=$2
    shift 2
    for how in paper=no rendezvous=1 synchronised=common paper=yes; do
        domain_equal "$overhead_name, without overhead, $how" "$overhead_of" -o pipeline.chain="overhead otf2_write" \
            -o overhead.event=60ns -o overhead.attribute=5ns -o "overhead.$how" -o overhead.output="$work/in/overhead" \
            -o overhead.format=json -o otf2_write.path="$work/in/copy" "$@"
    done
}

causal "the example" "$example"
for seed in $(seeds_of 2); do
    while read -r kind options; do
        "$generate" random --out "$work/random" --seed "$seed" $options >/dev/null 2>&1
        causal "$kind $seed" "$work/random/traces.otf2"
        equal "$kind $seed, behind a survey" "$work/random/traces.otf2" "check clc_forward" check \
            -o pipeline.survey=mu_estimate -o mu_estimate.output="$work/survey" -o mu_estimate.overwrite=yes
        rm -rf "$work/random"
    done <<end
$(domain_kinds)
end
    "$generate" odd --out "$work/odd" --seed "$seed" --locations 9 >/dev/null 2>&1
    causal "odd events $seed" "$work/odd/traces.otf2"
    causal "odd events $seed, small slices" "$work/odd/traces.otf2" -o pipeline.slice=7
    rm -rf "$work/odd"
done
# Sends in calls that are never left: a filter of another segment asks for that leave.
"$generate" odd --out "$work/odd" --seed 90001 --locations 9 >/dev/null 2>&1
equal "calls that are never left" "$work/odd/traces.otf2" "check skew lateness" check -o pipeline.survey=clock_estimate
rm -rf "$work/odd"
"$generate" odd --out "$work/odd" --seed 91003 --locations 9 >/dev/null 2>&1
equal "longest waits, equal but for their causes" "$work/odd/traces.otf2" wait_states wait_states -o pipeline.survey=clock_estimate
rm -rf "$work/odd"
# Domains ask each other when a message may still be sent, again and again, for so few late senders may be undecided.
"$generate" random --out "$work/late" --seed 3 --ranks 8 --events 30000 --features p2p,collectives --clock-offset-ns 100000 \
    >/dev/null 2>&1
equal "undecided late senders" "$work/late/traces.otf2" wait_states wait_states -o wait_states.max_undecided=64
like "of which many were in wrong order" "$(grep mpi_lswo_different "$work/out.64")" "[1-9][0-9]"
like "and none was decided early" "$(grep -c 'late senders were taken' "$work/said.64")" "^0"
rm -rf "$work/late"
for f in $domain_filters presync; do
    equal "the example, $f alone" "$example" "$f" "$f"
done
equal "iterations of a given anchor" "$example" iterations iterations -o iterations.anchor=MPI_Send -o iterations.bins=2
all_of "the example" "$example"
for seed in $(seeds_of 2); do
    "$generate" random --out "$work/random" --seed "$seed" --ranks 9 --sparse-locations --empty-locations 1 --missing-locations 1 \
        --features all,counters,io,rma,streams,flushes,nested,persistent --clock-offset-ns 1000000 --end-early 0.2 >/dev/null 2>&1
    all_of "random program $seed" "$work/random/traces.otf2"
    rm -rf "$work/random"
    "$generate" odd --out "$work/odd" --seed "$seed" >/dev/null 2>&1
    all_of "odd events $seed" "$work/odd/traces.otf2"
    rm -rf "$work/odd"
done
"$generate" everything --out "$work/everything" >/dev/null 2>&1
all_of "all kinds of records" "$work/everything/traces.otf2"

# ------------------------------------------------------------------------------------------------------- the plan --

"$generate" bench --out "$work/t" --locations 8 --events 40000 >/dev/null 2>&1
trace=$work/t/traces.otf2

# plan CHAIN [option...]
plan_of()
{
    chain=$1
    shift
    "$TCFLOW" --check -o pipeline.input="$trace" -j 4 -o pipeline.chain="$chain" "$@" 2>&1 | grep domain
}
like "--check shows the domains" "$(plan_of profile)" "^chain: in 4 domains, .* 1\.0[0-9] times the mean"
like "no more domains than processes" "$(plan_of profile -o pipeline.threads=64)" "^chain: in 8 domains"
like "a chain that exchanges letters" "$(plan_of "clc_forward clc_backward check profile")" "^chain: in 4 domains"
like "one that judges in one place" "$(plan_of "wait_states root_cause profile critical_path")" \
    "^chain: in 4 domains.*; edges, and the time between them, are gathered in the first one for 'root_cause', 'critical_path'$"
like "which has fewer locations for that" "$(plan_of "wait_states root_cause profile critical_path")" \
    "largest has 1\.[1-9]. times the mean of the bytes, the first one, which judges for all, 0\.5. times"
like "one that follows messages otherwise" "$(plan_of "profile whole_messages")" \
    "^chain: in one domain, on one thread: 'whole_messages' follows messages and collectives"
# 51 times where each end of a send waits for its receive: all locations send to their neighbours before they receive.
rests=$("$TCFLOW" -v -j 4 -i "$trace" -o pipeline.chain="presync clc_forward clc_backward efficiency" -o presync.unsynchronised=keep 2>&1 \
    >/dev/null | sed -n 's/.*nobody had anything to run \(once\|\([0-9]*\) times\)$/\2/p')
ok "domains don't rest for sends that end before their receives are posted" [ "${rests:-1}" -lt 20 ]
like "events dropped in front of one that does" "$(plan_of "select check" -o select.to=50%)" \
    "^chain: in one domain, on one thread: 'select' stands in front of a filter that follows messages"
like "a writer" "$(plan_of "presync select skew profile otf2_write" -o otf2_write.path="$work/no")" "^chain: in 4 domains"
like "a writer that uses libotf2" "$(plan_of "otf2_write" -o otf2_write.path="$work/no" -o otf2_write.writer=libotf2)" \
    "^chain: in one domain, on one thread: 'otf2_write' needs all processes in one place"
like "libotf2" "$(plan_of profile -o pipeline.reader=libotf2)" "one domain.*libotf2"
for part in 0-3 4-7; do
    "$TCFLOW" -i "$trace" -o pipeline.chain="select otf2_write" -o select.ranks=$part -o otf2_write.path="$work/$part" 2>/dev/null
done
like "several inputs" "$(plan_of profile -i "$work/0-3/traces.otf2" -i "$work/4-7/traces.otf2")" "^chain: in 4 domains"
is "one thread: nothing is said" "$(plan_of profile -o pipeline.threads=1)" ""
like "a survey has a plan of its own" "$(plan_of check -o pipeline.survey="mu_estimate whole_messages")" \
    "^survey: in one domain, on one thread: 'whole_messages' follows messages"
like "a survey in domains" "$(plan_of "whole_messages check" -o pipeline.survey=mu_estimate)" "^survey: in 4 domains"
"$TCFLOW" -i "$trace" -j 4  -o pipeline.chain="whole_messages check" >"$work/check.4" 2>"$work/said"
like "a run in one domain says so, once" "$(grep -c domain "$work/said") $(cat "$work/said")" "^1 .*warning: threads = 4: chain: in one domain"
"$TCFLOW" -i "$trace"  -o pipeline.chain="whole_messages check" >"$work/check.1" 2>/dev/null
same "and its results are those" "$work/check.1" "$work/check.4"
"$TCFLOW" -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="$work/s" 2>/dev/null
like "a stream" "$("$TCFLOW" -i "stream:$work/s" -j 2 -o pipeline.chain=profile 2>&1 >/dev/null)" "the input is a stream"

summary=$("$TCFLOW" -i "$trace" -j 4 --summary -o pipeline.chain=profile 2>&1 >/dev/null)
like "the summary counts all events" "$summary" "$("$TCFLOW" -i "$trace" --summary -o pipeline.chain=profile 2>&1 >/dev/null |
    sed -n 's/tcflow: \([0-9,]* events of 8 locations\).*/\1/p')"
# Messages between processes, three letters of each domain but the owner for a collective, and the ends of locations.
"$TCFLOW" -v -i "$trace" -j 8 -o pipeline.chain=check >"$work/check.8" 2>"$work/said"
is "letters grow with the domains, not with their pairs" \
    "$(sed -n 's/.*in 8 domains: \([0-9]*\) letters.*/\1/p' "$work/said")" \
    "$(awk '$1 == "p2p" {n += $2} $1 == "n_to_n" {n += $2 / 8 * 3 * 7} END {print n + 8 * 7}' "$work/check.8")"
# A worker gets a task when its result has come: two steps each, and the word that there are no more.
"$top_builddir/tcflow-synth" "$work/pong" --ranks 2 --events 4000 --pattern master >/dev/null
results=$("$TCFLOW" -q -i "$work/pong/traces.otf2" -o pipeline.chain=comm_matrix -o comm_matrix.format=csv | sed -n 's/^comm_matrix,1,[^,]*,0,[^,]*,\([0-9]*\),.*/\1/p')
said=$("$TCFLOW" -v -j 1 --plugin-path "$top_builddir/tests/bench/chain/.libs" -i "$work/pong/traces.otf2" -o pipeline.chain=chain \
    -o chain.domains=2 2>&1)
like "a trace's longest chain of steps from domain to domain" "$said" "chain: $((2 * results + 1)) steps from"
said=$("$TCFLOW" -v -i "$work/pong/traces.otf2" -j 2 -o pipeline.chain=check 2>&1 >/dev/null)
chain=$(printf '%s\n' "$said" | sed -n 's/.*; \([0-9]*\) batches each had to wait.*/\1/p')
ok "so many batches wait for each other, and one that says that a location has ended" \
    test $((chain - 2 * results - 1)) -ge 0 -a $((chain - 2 * results - 1)) -le 2
# A segment behind another one may send no more, before others have received, than max_messages allows.
"$top_builddir/tcflow-synth" "$work/serial" --ranks 16 --events 20000 --pattern serial --imbalance 0.5 --clock offset=1ms,drift=10 >/dev/null
for domains in 1 2 4 8; do
    timeout -k 1 60 "$TCFLOW" -q -i "$work/serial/traces.otf2" -j $domains -o pipeline.chain="clc_forward clc_backward clock_report" \
        -o pipeline.max_messages=4096 >"$work/serial.$domains" 2>&1 || echo "status $?" >>"$work/serial.$domains"
    same "two segments that may send little, $domains domains" "$work/serial.1" "$work/serial.$domains"
done
# All slots are taken by messages whose receivers are elsewhere and wait for answers.
"$top_builddir/tcflow-synth" "$work/master" --ranks 32 --events 60000 --pattern master --imbalance 0.5 --clock offset=1ms,drift=10 >/dev/null
fails 1 "no slots are left" timeout -k 1 60 "$TCFLOW" -i "$work/master/traces.otf2" -j 3 -o pipeline.chain="clc_forward clc_backward" \
    -o pipeline.max_messages=1024
like "it says what to raise" "$(cat "$work/.fails")" "no room for another message in flight: raise max_messages .now 1024."
like "nobody waits in vain before the end" "$(cat "$work/said")" "nobody had anything to run once"
like "and names the slowest domain" "$summary" "in 4 domains.*domain [1-4] took longest"
like "in JSON the domains" "$("$TCFLOW" -i "$trace" -j 4 --summary=json -o pipeline.chain=profile 2>&1 >/dev/null)" \
    '"domains": \[(\{"locations": 2, "events": [0-9]+, "bytes": [0-9]+, "seconds": [0-9.e-]+\}(, )?){4}\]'

# --------------------------------------------------------------------------------------------------------- damage --

cp -r "$work/t" "$work/cut"
for location in 2 5 6; do # two of them in one domain
    file=$work/cut/traces/$location.evt
    head -c $(($(wc -c <"$file") / 2)) "$file" >"$work/half" && cp "$work/half" "$file"
done
damaged=$work/cut/traces.otf2
fails 1 "a damaged location ends the run" "$TCFLOW" -i "$damaged" -j 4 -o pipeline.chain=profile
equal_losses()
{
    for n in 1 4; do
        "$TCFLOW" -i "$damaged" -j $n -o pipeline.salvage=yes -o pipeline.chain="$1" -o "$1.output=$work/out.$n" \
            -o "$1.overwrite=yes" 2>"$work/said.$n"
    done
    same "what was lost: $1" "$work/said.1" "$work/said.4"
    same "what is left: $1" "$work/out.1" "$work/out.4"
}
equal_losses profile
equal_losses comm_comp
equal_losses check

# Damage that only reading shows: the reason is that of the domain, the others end.
cp -r "$work/t" "$work/bad"
printf '\377\377\377\377\377\377\377\377' | dd of="$work/bad/traces/5.evt" bs=1 seek=20000 conv=notrunc 2>/dev/null
fails 1 "a domain that fails ends all" "$TCFLOW" -i "$work/bad/traces.otf2" -j 4 -o pipeline.chain=profile -o profile.output="$work/never"
like "with its reason" "$(cat "$work/.fails")" "location 5 .*damaged"
like "and says which one it is" "$(cat "$work/.fails")" "in domain 3 of 4"
ok "no report" test ! -e "$work/never"
fails 1 "one that others wait for ends all" "$TCFLOW" -i "$work/bad/traces.otf2" -j 8 -o pipeline.chain=check
like "with its reason, too" "$(cat "$work/.fails")" "location 5 .*damaged"

if [ -z "${TCFLOW_WRAPPER:-}" ]; then
    "$generate" bench --out "$work/long" --locations 4 --events 6000000 >/dev/null 2>&1
    for delay in 0.05 0.1 0.02 0.2; do # while it reads: not before it listens, not behind its end
        "$TCFLOW" -i "$work/long/traces.otf2" -j 4 -o pipeline.slice=1 -o pipeline.chain="profile comm_comp" >/dev/null \
            2>"$work/said" &
        child=$!
        sleep $delay
        kill -TERM $child 2>/dev/null
        wait $child
        ended=$?
        [ ! -s "$work/said" ] || break
    done
    is "an interrupt ends all domains" "$ended $(cat "$work/said")" \
        "143 tcflow: error: ended by SIGTERM; outputs are incomplete and say so in their names"
fi
done_testing
