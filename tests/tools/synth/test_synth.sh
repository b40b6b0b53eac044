#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# tcflow-synth: with true times nothing is wrong with its traces, for every pattern and many seeds, as check and the oracle
# see them; the recorded archive has the same events in the same order; knots and measured offsets are right; equal seeds
# give equal traces, and other clocks the same program.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

here=$top_srcdir/tests/tools/synth
oracle=$top_builddir/tests/support/oracle/oracle
export LC_ALL=C

[ -x "$oracle" ] || skip_all "the oracle is not built"
[ -x "$top_builddir/tests/tools/synth/offsets" ] || skip_all "tests/tools/synth/offsets is not built"
have otf2-print || skip_all "otf2-print is not installed"

synth()
{
    ${TCFLOW_WRAPPER:-} "$top_builddir/tcflow-synth" "$@"
}

# events ARCHIVE: "location time rest" of all events, location by location, in their order
events()
{
    otf2-print "$1/traces.otf2" | awk '
        /^[A-Z][A-Z_]+ +[0-9]+ +[0-9]+( |$)/ {
            line = $2 " " $3 " " $1
            for (i = 4; i <= NF; i++)
                line = line " " $i
            print line
        }' | sort -s -n -k 1,1
}

# counts ARCHIVE: what check counts, "finding count" a line
counts()
{
    tcflow -q -i "$1/traces.otf2" -o pipeline.chain=check -o check.format=json |
        tr '{' '\n' | sed -n 's/.*"finding": "\([a-z_]*\)", "count": \([0-9]*\).*/\1 \2/p'
}

# in_order NAME ARCHIVE: neither check nor the oracle find anything wrong
in_order()
{
    counts "$2" >"$work/counts"
    is "$1: check finds nothing" "$(awk '$2 > 0; END { if (NR < 10) print "no report" }' "$work/counts")" ""
    "$oracle" violations "$2/traces.otf2" >"$work/violations"
    is "$1: nor does the oracle" \
        "$(awk -F, '$1 == "violations" { n++; if ($4 > 0 || $6 > 0) print } END { if (!n) print "no report" }' \
            "$work/violations")" ""
    "$oracle" health "$2/traces.otf2" >"$work/health"
    is "$1: everything has its partner" "$(awk -F, '
        { what = NF == 4 ? $3 : $2 }
        $NF > 0 && what ~ /unmatched|unresolved|incomplete|inconsistent|without|unwound|never|ignored|unknown|damaged|decreasing/
        $1 == "dangling"
        END { if (NR < 10) print "no report" }' "$work/health")" ""
}

# same_events NAME: $work/skewed and $work/true differ in times only
same_events()
{
    events "$work/skewed" >"$work/skewed.events"
    events "$work/true" >"$work/true.events"
    cut -d ' ' -f 1,3- "$work/skewed.events" >"$work/a"
    cut -d ' ' -f 1,3- "$work/true.events" >"$work/b"
    same "$1: same events in the same order" "$work/a" "$work/b"
    ok "$1: there are events" test "$(wc -l <"$work/a")" -gt 500
}

# knots NAME INVERSE: --truth agrees with the archives; without CLOCK_OFFSETs, which otf2-print applies
knots()
{
    cut -d ' ' -f 2 "$work/true.events" | paste -d ' ' "$work/skewed.events" - | awk '{ print $1, $2, $NF }' >"$work/pairs"
    awk -v origin="$(sed -n '2s/.*,\([0-9]*\).*/\1/p' "$work/knots")" -v inverse="$2" -f "$here/truth.awk" \
        "$work/knots" "$work/pairs" >"$work/agreement"
    is "$1: knots" "$(sed 1d "$work/agreement" | sort -u)" \
        "$(echo "clock agrees"; [ "$2" = 0 ] || echo "true time agrees")"
}

# simulate OPTIONS...: to $work/skewed, $work/true, $work/knots
simulate()
{
    synth --overwrite --true-trace "$work/true" --truth "$work/knots" "$@" "$work/skewed" >"$work/said" 2>&1 || {
        diag "$(cat "$work/said")"
        tap 1 "tcflow-synth $*"
    }
}

# --------------------------------------------------------------------------------------------------- patterns and seeds

clocks=offset=1ms,drift=10,sine=20us:20ms,walk=10us,step=100us
everything=ring,halo,sendrecv,master,pairs,latesender,imbalance,collectives,nonblocking,omp,locks,rma

# try NAME OPTIONS...: all of the above
try()
{
    name=$1
    shift
    for seed in $(seeds_of 2); do
        simulate --seed "$seed" --clock "$clocks" --events 4k "$@"
        in_order "$name, seed $seed" "$work/true"
        same_events "$name, seed $seed"
        knots "$name, seed $seed" 1
        counts "$work/skewed" >"$work/counts"
        is "$name, seed $seed: with wrong clocks, times do not decrease and all else is in order" \
            "$(awk '$2 > 0 && $1 != "clock_violations"; END { if (NR < 10) print "no report" }' "$work/counts")" ""
    done
}

for pattern in $(echo "$everything" | tr , ' '); do
    try "$pattern" --pattern "$pattern" --ranks 5 --threads 2 --nodes 3
done
try "all patterns" --pattern "$everything" --ranks 12 --threads 3 --nodes 4 --events 12k
try "a clock each" --pattern "$everything" --ranks 7 --threads 2 --nodes 2 --clock-per process --wrong-reference
try "one rank" --pattern "$everything" --ranks 1 --threads 2 --wrong-reference
try "two ranks" --pattern "$everything" --ranks 2
try "sparse and shuffled" --pattern "$everything" --ranks 9 --threads 2 --nodes 3 --sparse --shuffle
try "coarse clocks" --pattern "$everything" --ranks 6 --resolution 10000 --base 100000
try "fine clocks" --pattern "$everything" --ranks 6 --resolution 10G --base 100s
try "odd clocks" --pattern "$everything" --ranks 6 --resolution 2999999 --base 5s
try "no jitter" --pattern "$everything" --ranks 6 --jitter 0,0,0 --compute 10us:0
try "nothing takes time" --pattern "$everything" --ranks 6 --jitter 0,0,0 --latency 0,0,0 --compute 0:0 --overhead 0

# Clocks that jump back stand still.
simulate --pattern "$everything" --ranks 6 --events 8k --clock "offset=1ms,jumps=1000:200us,step=100us" --clock-per process
in_order "jumps" "$work/true"
same_events "jumps"
knots "jumps" 0
ok "some events stand still" awk '$1 == location && $2 == time { found++ } { location = $1; time = $2 }
    END { exit !(found > 20) }' "$work/skewed.events"

# ------------------------------------------------------------------------------------------------------------ the model

# No message and no collective operation is faster than the latency, and some come close.
for seed in $(seeds_of 2); do
    synth --overwrite --seed "$seed" --pattern ring,halo,sendrecv,master,pairs,latesender,collectives,nonblocking,rma \
        --ranks 8 --nodes 8 --latency 5us --jitter 1us --events 10k "$work/skewed" || exit 1
    tcflow -q -i "$work/skewed/traces.otf2" -o pipeline.chain=check -o check.mu=5us >"$work/report"
    is "seed $seed: nothing is faster than the latency" "$(sed -n 1p "$work/report")" "No findings: the trace is in order"
    "$oracle" violations "$work/skewed/traces.otf2" --mu 6500 >"$work/violations"
    ok "seed $seed: messages come close to it" awk -F, '$2 == "p2p" { exit !($4 > $3 / 10) }' "$work/violations"
done

# spread NAME CLOCK EXPECTED AWK: the standard deviation over 400 clocks of what AWK makes of the differences FIRST and LAST
# between a clock and true time, in ticks, one second apart
spread()
{
    simulate --ranks 401 --nodes 1 --clock-per process --pattern pairs --compute 100ms --duration 1s --clock "$2"
    awk -F, -v expected="$3" '
        NR > 1 && !($1 in first) { first[$1] = $2 - $3; begin[$1] = $3 }
        NR > 1 { last[$1] = $2 - $3; length_[$1] = ($3 - begin[$1]) / 1e9 }
        END {
            for (l in first)
                if (l > 0) {
                    FIRST = first[l]; LAST = last[l]; SECONDS = length_[l]
                    x = '"$4"'
                    n++; sum += x; squares += x * x
                }
            s = sqrt(squares / n)
            print n, "clocks:", s, "expected", expected, "mean", sum / n
            exit !(n == 400 && s > 0.85 * expected && s < 1.15 * expected && sum / n < expected / 4 && sum / n > -expected / 4)
        }' "$work/knots" >"$work/spread"
    tap $? "$1: $(cat "$work/spread")"
}
spread "offset" offset=1ms 1000000 FIRST
spread "drift" drift=20 20 "(LAST - FIRST) / SECONDS / 1000"
spread "walk" walk=5us 5000 "(LAST - FIRST) / sqrt(SECONDS)"
spread "jumps" jumps=20:1us 4472 "(LAST - FIRST) / sqrt(SECONDS)"
spread "sine" sine=10us:3s 7071 FIRST

# Delays: what was entered since then takes longer, by as much, and nothing else does.

# durations ARCHIVE REGION RANK: in ticks, of each time in the region
durations()
{
    otf2-print "$1/traces.otf2" | awk -v rank="$3" -v name="\"$2\"" '
        $2 == rank && index($0, name) { if ($1 == "ENTER") begin = $3; if ($1 == "LEAVE") print $3 - begin, begin }'
}
# longer REGION RANK TIME: how often the region takes TIME (ticks) longer than without the delays, how often as long, else
longer()
{
    durations "$work/plain" "$1" "$2" >"$work/plain.times"
    durations "$work/delayed" "$1" "$2" >"$work/delayed.times"
    paste "$work/plain.times" "$work/delayed.times" | awk -v time="$3" '
        { by = $3 - $1; if (by >= time - 1 && by <= time + 1) longer++; else if (by >= -1 && by <= 1) same++; else other++ }
        END { print longer + 0, same + 0, other + 0 }'
}
plain="--pattern ring --ranks 4 --events 2k --jitter 0,0,0 --base 0"
# shellcheck disable=SC2086 # words
synth --overwrite $plain "$work/plain" && synth --overwrite $plain --delay 2:compute:5ms --delay 1:MPI_Send:300us:10ms \
    --delay 2:compute:1ms "$work/delayed" || exit 1
n=$(durations "$work/plain" compute 2 | wc -l)
ok "there are computations" test "$n" -gt 50
is "a delayed region takes longer each time, by both of its delays" "$(longer compute 2 6000000)" "$n 0 0"
is "and no other rank's" "$(longer compute 0 6000000)" "0 $(durations "$work/plain" compute 0 | wc -l) 0"
early=$(durations "$work/delayed" MPI_Send 1 | awk '$2 < 10000000' | wc -l)
ok "some calls are before the delay begins" test "$early" -gt 2
is "those behind take longer" "$(longer MPI_Send 1 300000)" \
    "$(($(durations "$work/plain" MPI_Send 1 | wc -l) - early)) $early 0"
ok "a region's name may have colons" synth --overwrite --threads 2 --events 2k --delay '1:!$omp critical @synth.c:1:1ms' \
    --pattern locks "$work/delayed"
durations "$work/delayed" '!$omp critical @synth.c:1' 1 >"$work/delayed.times"
ok "it is that region which takes longer" awk '$1 < 1000000 { short++ } END { exit !(NR > 10 && short == 0) }' \
    "$work/delayed.times"
for wrong in 4:compute:1ms compute:1ms 1:nothing:1ms 1:compute 1:compute:fast 1:compute:1ms:late 1:compute:-1ms; do
    fails 2 "--delay $wrong" synth --overwrite --ranks 4 --delay "$wrong" "$work/delayed"
    like "says what was expected" "$(cat "$work/.fails")" "^tcflow-synth: --delay"
done

# All operations, and members without data.
simulate --pattern collectives --ranks 6 --events 20k
events "$work/true" >"$work/true.events"
is "17 collective operations" "$(sed -n 's/.*MPI_COLLECTIVE_END Operation: \([A-Z_]*\).*/\1/p' "$work/true.events" | sort -u |
    grep -vc CREATE_HANDLE)" 17
for op in GATHERV ALLGATHERV ALLTOALLV ALLTOALLW; do
    ok "$op: some send nothing" grep -q "Operation: $op.*Sent: 0," "$work/true.events"
done
for op in SCATTERV ALLTOALLV ALLTOALLW; do
    ok "$op: some receive nothing" grep -q "Operation: $op.*Received: 0\$" "$work/true.events"
done
is "world, rows, columns and self" "$(sed -n 's/.*Communicator: "\([A-Za-z_]*\).*/\1/p' "$work/true.events" | sort -u |
    tr '\n' ' ')" "MPI_COMM_SELF MPI_COMM_WORLD column row "
roots=$(sed -n 's/.*Operation: BCAST.*Root: \([^,]*\),.*/\1/p' "$work/true.events" | sort -u | wc -l)
ok "roots rotate ($roots)" test "$roots" -gt 2

# The master takes what comes: not in the order of the ranks.
simulate --pattern master --ranks 6 --events 2k
events "$work/true" >"$work/true.events"
sed -n 's/^0 .* MPI_RECV Sender: \([^,]*\),.*/\1/p' "$work/true.events" | head -n 15 >"$work/a"
ok "results are received" test "$(wc -l <"$work/a")" -eq 15
fails 1 "in order of arrival" sort -c "$work/a"

# --------------------------------------------------------------------------------------------------------- measurements

# largest: the largest difference of times between the archives, in ticks, after libotf2's correction
largest()
{
    events "$work/skewed" | cut -d ' ' -f 2 >"$work/a"
    events "$work/true" | cut -d ' ' -f 2 | paste -d ' ' "$work/a" - |
        awk '{ d = $1 - $2; d = d < 0 ? -d : d; if (d > largest) largest = d } END { printf "%d\n", largest }'
}

# measured NAME N OPTIONS...: N offsets, and each within its error
measured()
{
    name=$1
    expected=$2
    shift 2
    simulate "$@"
    ${TCFLOW_WRAPPER:-} "$top_builddir/tests/tools/synth/offsets" "$work/skewed/traces.otf2" >"$work/offsets"
    is "$name: offsets" "$(awk -v origin="$(sed -n '2s/.*,\([0-9]*\).*/\1/p' "$work/knots")" -f "$here/offsets.awk" \
        "$work/knots" "$work/offsets")" "$expected measured, 0 wrong"
}

for seed in $(seeds_of 2); do
    linear="--seed $seed --ranks 6 --nodes 6 --clock offset=5ms,drift=50 --compute 1ms --jitter 1us --latency 2us"
    measured "seed $seed, none" 0 $linear --events 20k
    cp "$work/true/traces/3.evt" "$work/3.evt"
    none=$(largest)
    measured "seed $seed, at the start" 6 $linear --events 20k --measure start
    ok "seed $seed: the program is the same" cmp "$work/true/traces/3.evt" "$work/3.evt"
    measured "seed $seed, both" 12 $linear --events 20k --measure both
    ok "seed $seed: the program is the same" cmp "$work/true/traces/3.evt" "$work/3.evt"
    both=$(largest)
    ok "seed $seed: measured offsets help ($none, $both ticks)" test "$none" -gt 1000000 -a "$both" -lt 3000
    measured "seed $seed, few pings, much jitter" 48 --seed "$seed" --ranks 8 --threads 3 --nodes 4 --clock "$clocks" \
        --events 5k --measure both --pings 2 --jitter 10us
    is "seed $seed: locations of a process have the same" \
        "$(awk '{ print $1 % 4294967296, $2, $3 }' "$work/offsets" | sort -u | wc -l)" 16
done

# -------------------------------------------------------------------------------------------------------------- repeats

simulate --seed 5 --pattern "$everything" --ranks 4 --threads 2 --clock "$clocks" --events 10k
synth --seed 5 --pattern "$everything" --ranks 4 --threads 2 --clock "$clocks" --events 10k "$work/again" || exit 1
for f in "$work/skewed/traces/"*.evt "$work/skewed/traces/"*.def; do
    ok "equal seeds, equal bytes: $(basename "$f")" cmp "$f" "$work/again/traces/$(basename "$f")"
done
ok "also the definitions" cmp "$work/skewed/traces.def" "$work/again/traces.def"
synth --overwrite --seed 6 --pattern "$everything" --ranks 4 --threads 2 --clock "$clocks" --events 10k "$work/again" || exit 1
fails 1 "another seed, another trace" cmp "$work/skewed/traces/1.evt" "$work/again/traces/1.evt"

# About as many events, or as long, as asked for.
for n in 1000 50000; do
    synth --overwrite --events "$n" "$work/again" || exit 1
    got=$(events "$work/again" | wc -l)
    ok "about $n events: $got" test "$got" -ge $((n * 9 / 10)) -a "$got" -le $((n * 12 / 10))
done
synth --overwrite --duration 200ms "$work/again" || exit 1
length=$(otf2-print -G "$work/again/traces.otf2" | sed -n 's/.*Length: \([0-9]*\),.*/\1/p')
ok "about 200 ms: $length" test "$length" -ge 200000000 -a "$length" -le 205000000

fails 1 "a program that takes no time never ends" timeout 20 "$top_builddir/tcflow-synth" --overwrite --duration 1s --pattern halo --jitter 0,0,0 \
    --latency 0,0,0 --compute 0 --overhead 0 --bytes 0 --bandwidth 1000000G "$work/again"
for pattern in $(echo "$everything" | tr , ' '); do
    ok "$pattern on one rank" timeout 20 "$top_builddir/tcflow-synth" --overwrite --ranks 1 --events 1k --pattern "$pattern" \
        "$work/again"
done

# Extremes.
simulate --ranks 4 --resolution 1 --events 3k --pattern "$everything"
in_order "1 Hz" "$work/true"
simulate --ranks 4 --events 3k --base 18446744070000000000
in_order "near 2^64" "$work/true"
simulate --ranks 4 --nodes 4 --events 3k --clock offset=5h,drift=1000
in_order "hours apart" "$work/true"
fails 1 "a clock below 0" synth --ranks 32 --events 3k --base 0 --clock offset=1s --clock-per process "$work/below"
like "says so" "$(cat "$work/.fails")" "choose another --base"
fails 1 "a clock beyond 2^64" synth --events 3k --base 18446744073709551000 "$work/beyond"

fails 1 "a program of years" synth --events 1k --jitter 1000h "$work/years"
like "it is not the clock" "$(cat "$work/.fails")" "more than 50 days"

# --------------------------------------------------------------------------------------------------------- command line

ok "--help" synth --help
like "--version" "$(synth --version)" "^tcflow-synth "
if [ -c /dev/full ]; then
    synth --help >/dev/full 2>"$work/full"
    is "a help that cannot be written" "$?" 1
    like "says so" "$(cat "$work/full")" "^tcflow-synth: cannot write to standard output: No space"
fi
fails 2 "no folder" synth
fails 2 "two folders" synth "$work/a" "$work/b"
fails 2 "an existing folder" synth "$work/again"
like "says what to do" "$(cat "$work/.fails")" "--overwrite"
for wrong in --unknown --ranks=0 --ranks=x --ranks=-1 --threads=5000 --nodes=9 --events=1.5.2 --duration=0 --duration=5 \
    --pattern=rink --pattern= --compute=1 --compute=1us:x --late=2 --latency=1us,2us,3us,4us --jitter=x --bandwidth=0 \
    --resolution=0 --resolution=20G --base=1.5 --clock=offset --clock=sine=1us --clock=sine=1us:0s --clock=wave=1us \
    --clock-per=core --measure=often --pings=0; do
    fails 2 "$wrong" synth "$wrong" "$work/wrong"
done
fails 2 "--events and --duration" synth --events 1k --duration 1s "$work/wrong"
ok "nothing was written" test ! -e "$work/wrong"
mkdir "$work/folder" && echo precious >"$work/folder/file"
fails 2 "a folder of something else, with --overwrite" synth --overwrite --events 1k "$work/folder"
like "says so" "$(cat "$work/.fails")" "folder exists and is not a folder with an archive"
is "leaves that alone" "$(find "$work/folder")" "$work/folder
$work/folder/file"
rm -r "$work/folder" && mkdir "$work/folder"
ok "an empty folder, with --overwrite" synth --overwrite --events 1k "$work/folder"
echo precious >"$work/folder/file"
before=$(cksum <"$work/folder/traces.def")
fails 1 "a run that fails over an archive" synth --overwrite --jitter 1000h "$work/folder"
is "leaves it" "$(cd "$work/folder" && ls | xargs) $(cksum <"$work/folder/traces.def")" "file traces traces.def traces.otf2 $before"
ok "--overwrite" synth --overwrite --events 1k --ranks 2 "$work/folder"
is "replaces the archive, and keeps what else lay there" "$(ls "$work/folder/traces" "$work/folder.old" | xargs)" \
    "$work/folder.old: file $work/folder/traces: 0.def 0.evt 1.def 1.evt"
mv "$work/folder.old/file" "$work/folder" && rmdir "$work/folder.old"
for nested in "--truth $work/folder/knots $work/folder" "--true-trace $work/folder/true $work/folder" "--true-trace $work/n $work/n/inside"; do
    # shellcheck disable=SC2086 # words
    fails 2 "an output in the folder of another: $nested" synth --overwrite --events 1k $nested
    like "says so" "$(cat "$work/.fails")" "lies in the folder of another output"
done
is "nothing of it is left" "$(ls -d "$work/n" "$work/folder.incomplete" "$work/folder/"[kt]* 2>/dev/null | xargs -n 1 basename | xargs)" \
    "traces traces.def traces.otf2"

# ------------------------------------------------------------------------------------------------------------- failures

# What has been written goes, the folders that were made for it too, and nothing else.
mkdir "$work/there"
fails 1 "a run that fails" synth --jitter 1000h --true-trace "$work/there/new/er/true" --truth "$work/there/knots" "$work/there/new/skewed"
is "leaves nothing behind" "$(find "$work/there")" "$work/there"
mkdir "$work/there/empty"
fails 1 "a run that fails in folders that were there" synth --overwrite --jitter 1000h --true-trace "$work/there/empty" "$work/folder"
is "leaves those" "$(cd "$work" && find there; ls "$work/folder" | xargs)" "there
there/empty
file traces traces.def traces.otf2"
from=$(pwd)
cd "$work/there" || exit 1
fails 1 "a run that fails, without a path" synth --jitter 1000h skewed/
cd "$from" || exit 1
is "leaves nothing behind either" "$(cd "$work" && find there | sort | xargs)" "there there/empty"
synth --events 1k "$work/folder/a" || exit 1
(cd "$work/folder" && find . -type f -exec cksum {} + | sort) >"$work/before"
fails 2 "a run that is refused" synth --events 1k --truth "$work/there/knots" --true-trace "$work/folder/a" "$work/there/b"
is "leaves nothing behind, nor" "$(find "$work/there")" "$work/there
$work/there/empty"
(cd "$work/folder" && find . -type f -exec cksum {} + | sort) >"$work/after"
same "changes what was there" "$work/before" "$work/after"
# ended SIGNAL OPTIONS...: a long run gets the signal when it has written something
ended()
{
    signal=$1
    shift
    # background jobs can inherit ignored signals (SIGINT of a shell, SIGHUP of nohup); env undoes that
    env --default-signal=INT,TERM,HUP "$top_builddir/tcflow-synth" --events 50M "$@" >"$work/said" 2>&1 &
    pid=$!
    for _ in $(seq 600); do
        [ -n "$(find "$work/there" -name '*.evt' -size +64k)" ] && break
        sleep 0.1
    done
    kill -s "$signal" $pid
    wait $pid
    is "SIG$signal: exit status" $? $((128 + $(kill -l "$signal")))
    is "SIG$signal: says so" "$(cat "$work/said")" "tcflow-synth: ended by SIG$signal; what had been written is removed"
    is "SIG$signal: leaves nothing behind" "$(find "$work/there" | sort | xargs)" "$work/there $work/there/empty"
}
if env --default-signal=INT,TERM,HUP true 2>/dev/null; then
    for signal in INT TERM HUP; do
        ended $signal --ranks 2 --truth "$work/there/knots" --true-trace "$work/there/new/true" "$work/there/new/skewed"
    done
else
    diag "signals not tried: env has no --default-signal"
fi
if [ -c /dev/full ]; then
    fails 1 "knots that cannot be written" synth --events 1k --overwrite --truth /dev/full "$work/there/b"
    ok "the device stays" test -c /dev/full
    is "the trace goes" "$(find "$work/there")" "$work/there
$work/there/empty"
fi
done_testing
