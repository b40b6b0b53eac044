#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# A trace that was split by locations into streams, and merged again, is the same trace: definitions, ticks, matches, reports. Over
# the bundled trace, one with every kind of record, and random ones, in 2 and 3 parts, split in several ways.
# SEEDS (default 1) random traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"
. "$top_srcdir/tests/plugins/stream_write/pipes.sh"
. "$top_srcdir/tests/framework/merge/split.sh"
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export LSAN_OPTIONS

have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
[ -x "$generate" ] && [ -x "$top_builddir/tests/support/oracle/oracle" ] ||
    skip_all "the oracle or the generator of random traces is not built"
seeds=${SEEDS:-$(usually 1 2)} enough=1 always=
chains="copy correct reports" run_options=
bundled=$top_srcdir/examples/trace/traces.otf2

# --------------------------------------------------------------------------------------------------- as the whole trace

is "the bundled trace in 2 parts, by turns" "$(as_whole "$bundled" 2 turns)" ""
is "in 2 blocks, without matches" "$(as_whole "$bundled" 2 blocks -o stream_write.matches=no)" ""
is "in 3 parts" "$(as_whole "$bundled" 3 blocks)" ""
is "in 3 parts, of which one is empty" "$(as_whole "$bundled" 3 rest -o stream_write.matches=no)" ""
run_options="-o pipeline.slice=7"
is "in small slices" "$(as_whole "$bundled" 2 turns)" ""
run_options=

# Parts of which one was read from a pipe, and parts of parts.
split "$bundled" 3 turns
tcflow -q -i "stream:$work/part.0 stream:$work/part.1" -o pipeline.chain=stream_write -o stream_write.path="$work/both"
chain_reset
parts="wait_states print otf2_write" all_options=
in_one "$bundled" "$work/one"
inputs="stream:$work/part.2 stream:$work/both"
merged "$work/merged" >"$work/said" 2>&1
tcflow -q -i "stream:$work/part.0" -i "stream:$work/part.1" -o pipeline.chain=stream_write -o stream_write.path="$work/given"
same "inputs given one by one" "$work/both" "$work/given"
is "a merge of a merge, in another order" "$(cat "$work/said"; differ "$work/one" "$work/merged")" ""
rm -rf "$work/merged"
mkdir "$work/merged"
tcflow -q -i "stream:$work/part.0 - stream:$work/part.1" -o pipeline.chain="$parts" $(settings "$work/merged" $parts) \
    <"$work/part.2"
is "one of them from standard input" "$(differ "$work/one" "$work/merged")" ""

for anchor in ${TRACES:-}; do
    is "$anchor: 2 parts" "$(as_whole "$anchor" 2 turns)" ""
    is "$anchor: 3 parts" "$(as_whole "$anchor" 3 blocks -o stream_write.matches=no)" ""
done

"$generate" everything --out "$work/everything" >"$work/said" 2>&1
run_options="-o pipeline.salvage=yes" all_chains=$chains chains=copy
is "every kind of record, definition, marker, snapshot and thumbnail" \
    "$(as_whole "$(ls "$work"/everything/*.otf2)" 2 turns -o pipeline.salvage=yes)" ""
run_options= chains=$all_chains

check()
{
    if [ "$kind" = ends ] || [ "$kind" = losses ]; then checks=; else checks=check; fi # as in test_pipes.sh
    run_options="-o pipeline.slice=$((seed % 2 ? 0 : 7))"
    for way in turns blocks; do
        compared=$((compared + 1))
        try "$way" as_whole "$1" $((seed % 2 + 2)) $way -o stream_write.matches=$([ $way = turns ] && echo yes || echo no)
    done
}

random "messages" --features p2p,sendrecv,nonblocking,cancel,any-source
random "collectives" --features collectives,v-collectives,nb-collectives,subcomms,dup,self,intercomm
random "threads" --features p2p,collectives,openmp,locks,pthreads
random "threads that communicate" --features p2p,nonblocking,any-source,mpi-threads
random "teams of all sizes" --omp-threads 4 --features p2p,collectives,openmp,locks,nested,mpi-inside,team-sizes
random "any thread" --features "$single,openmp,locks,mpi-threads,any-thread,team-sizes"
random "everything" --features "$single,openmp,locks,pthreads,attributes,metrics" --sparse-locations --sparse-regions
random "definitions of each rank" --features "$single,attributes,metrics" --regions-per-rank --comms-per-rank \
    --shuffle-definitions --repeat-definitions --wrong-event-counts
random "wrong clocks" --features "$single,openmp,locks,pthreads" --clock-offset-ns 3000000 --clock-drift-ppm 100 \
    --clock-jumps 2 --clock-jump-ns 20000 --clock-offset-records 4
random "losses" --features p2p,nonblocking,collectives --lose-sends 0.01 --lose-receives 0.01 --never-complete 0.05
random "ends" --features p2p,nonblocking,collectives --end-early 0.3 --empty-locations 1
checks=check

# More channels than are known at a time: their numbers are those of a process, and useless to another.
failed= compared=0 kind=channels name="many channels" seed=2
made 5 --events 30000 --ranks 3 --omp-threads 3 --features openmp,locks,pthreads,p2p && check "$work/trace/traces.otf2"
is "more channels than are known at a time" "$failed" ""

# ------------------------------------------------------------------------------------------------------------- archives

# Each part as an archive of its own; these may be surveyed, too.
archives_of()
{
    locations "$1" >"$work/ids"
    inputs=
    for k in 0 1; do
        rm -rf "$work/archive.$k"
        tcflow -q -i "$1" -o pipeline.chain="select otf2_write" -o select.locations="$(part 2 $k blocks <"$work/ids")" \
            -o otf2_write.path="$work/archive.$k" || return 1
        inputs="$inputs${inputs:+ }$work/archive.$k/traces.otf2"
    done
}
made 3 --features "$single" --ranks 4 --clock-offset-ns 300000
anchor=$work/trace/traces.otf2
archives_of "$anchor"
chain_reset
parts="presync clc_forward clc_backward wait_states profile print"
survey_option="-o pipeline.survey=mu_estimate,clock_estimate -o mu_estimate.output=/dev/null -o clock_estimate.output=/dev/null"
all_options="$survey_option -o wait_states.worst=0" # seconds count from the start that an archive states, which is that of its part
in_one "$anchor" "$work/one" >"$work/said" 2>&1
merged "$work/merged" >"$work/said" 2>&1
is "archives of parts, with a survey" "$(cat "$work/said"; differ "$work/one" "$work/merged")" ""
# A survey over the whole run in front of each part has learned the same, and that passes; of a part alone it does not.
all_options="-o wait_states.worst=0"
if split "$anchor" 2 blocks $survey_option >"$work/said" 2>&1; then
    merged "$work/merged" >"$work/said" 2>&1
fi
is "what the same survey has learned in front of each part" "$(cat "$work/said"; differ "$work/one" "$work/merged")" ""
tcflow -q -i "$work/archive.1/traces.otf2" $survey_option -o pipeline.chain=stream_write -o stream_write.path="$work/alone.1"
tcflow -i "stream:$work/part.0 stream:$work/alone.1" -o pipeline.chain=pass >"$work/said" 2>&1
like "what was learned of a part alone is left out" "$(cat "$work/said")" \
    'stream:.*/alone.1: [1-9] of [1-9] tables of its survey are of that part alone, and not used'
tcflow -i "stream:$work/part.0 $work/archive.1/traces.otf2" -o pipeline.chain=pass >"$work/said" 2>&1
like "and where others have none" "$(cat "$work/said")" \
    'stream:.*/part.0: ([1-9]) of \1 tables of its survey are of that part alone, and not used'
# A column of events passes where all have it. One of edges does not.
for part in 0 1; do
    rm -f "$work/part.$part"
    tcflow -q -i "$anchor" -o pipeline.chain="select presync clc_forward stream_write" -o presync.output=/dev/null \
        -o clc_forward.output=/dev/null -o select.locations="$(part 2 $part blocks <"$work/ids")" \
        -o stream_write.columns="time_raw jump" -o stream_write.path="$work/part.$part"
done
behind() { tcflow -q -i "stream:$work/part.0 $1" -o pipeline.chain="$2" -o "$2.output=/dev/null"; }
ok "a column that all inputs have" behind "stream:$work/part.1" clock_report
fails 2 "a column of edges" behind "stream:$work/part.1" clc_backward
like "is to be made behind the merge" "$(cat "$work/.fails")" \
    "requires the column 'jump', which belongs to edges, and edges are found anew where several inputs are read as one: put"
chain_reset
parts="wait_states profile print"
in_one "$anchor" "$work/one" >"$work/said" 2>&1
split "$anchor" 2 blocks
inputs="${inputs% *} $work/archive.1/traces.otf2"
merged "$work/merged" >"$work/said" 2>&1
is "a stream and an archive" "$(cat "$work/said"; differ "$work/one" "$work/merged")" ""
all_options=$survey_option
fails 2 "which cannot be surveyed" merged "$work/merged"
like "since one of them is a stream" "$(cat "$work/.fails")" 'this input is a stream, which can be read only once'

# ---------------------------------------------------------------------------------------------------- other definitions

# The second part calls everything by other ids: by meaning it is the same, and gets those of the first.
export top_srcdir
renumber() { python3 "$top_srcdir/tests/framework/merge/renumber.py" "$@" <"$work/part.1" >"$work/other"; }
renumbered()
{
    chain_reset
    parts="wait_states profile print otf2_write" all_options=
    in_one "$1" "$work/one" >"$work/said" 2>&1
    split "$1" 2 turns -o stream_write.matches=no
    for offset in 1 7 1000000; do
        renumber $offset
        inputs="stream:$work/part.0 stream:$work/other"
        merged "$work/merged" >"$work/said" 2>&1 || cat "$work/said"
        differ "$work/one" "$work/merged" || echo "(other ids: $offset)"
    done
    # The other way round ids are those of the second part, and reports that speak of names are the same.
    parts="wait_states comm_matrix"
    in_one "$1" "$work/one" >"$work/said" 2>&1
    inputs="stream:$work/other stream:$work/part.0"
    merged "$work/merged" >"$work/said" 2>&1 || cat "$work/said"
    differ "$work/one" "$work/merged" || echo "(the other first)"
}
if have python3; then
    is "other ids of the same" "$(renumbered "$bundled")" ""
    made 5 --features "$single,metrics,openmp" --ranks 4
    is "other ids of the same, with groups, communicators and metrics" "$(renumbered "$work/trace/traces.otf2")" ""
    # Many ids that mean something else in each, while there are none behind the last one: gaps are not searched from the start each time.
    split "$bundled" 2 turns
    for part in 0 1; do
        python3 "$top_srcdir/tests/framework/merge/strings.py" 60000 $part <"$work/part.$part" >"$work/strings.$part"
    done
    ok "many new ids in gaps" timeout -s KILL 60 "$TCFLOW" -q -i "stream:$work/strings.0 stream:$work/strings.1" -o pipeline.chain=pass
    # Ids that agree, of what is something else: both are kept.
    split "$bundled" 2 turns
    renumber 0 _other
    inputs="stream:$work/part.0 stream:$work/other"
    parts=otf2_write all_options=
    merged "$work/merged" >"$work/said" 2>&1
    regions()
    {
        tcflow -q -i "$1" -o pipeline.chain=print -o print.output=- | sed -nE 's/^ENTER +([0-9]+) .*Region: "([^"]*)".*/\1 \2/p' |
            sort | uniq -c
    }
    regions "$bundled" | awk -v second="$(part 2 1 turns <"$work/ids")" \
        'BEGIN { n = split(second, id, ","); for (i = 1; i <= n; i++) other[id[i]] = 1 } { print $1, $2, $3 $4 (($2 in other) ? "_other" : "") }' |
        sort >"$work/expected"
    regions "$work/merged/archive/traces.otf2" | awk '{ print $1, $2, $3 $4 }' | sort >"$work/regions"
    [ "$(wc -l <"$work/expected")" -gt 10 ]
    tap $? "regions are counted"
    same "ids that agree by chance" "$work/expected" "$work/regions"
else
    skip "other definitions" "there is no python3"
fi

# Markers of one content are one, whatever became of the id; else the ids are kept apart.
if have python3; then
    split "$bundled" 3 turns
    mark() { python3 "$top_srcdir/tests/framework/merge/mark.py" "$@"; }
    mark 5 first a <"$work/part.0" >"$work/marked.0"
    mark 5 other b <"$work/part.1" >"$work/marked.1"
    mark 5 other c <"$work/part.2" >"$work/marked.2"
    tcflow -q -i "stream:$work/marked.0 stream:$work/marked.1 stream:$work/marked.2" -o pipeline.chain=stream_write \
        -o stream_write.path="$work/marked"
    is "markers with an id that means two things" "$(echo $(mark <"$work/marked"))" \
        "definition 5 first marker 5 a definition 0 other marker 0 b marker 0 c"
else
    skip "markers" "there is no python3"
fi

# ---------------------------------------------------------------------------------------- what does not belong together

both() { tcflow -q -i "$1" -o pipeline.chain="$2"; }
split "$bundled" 2 blocks
mv "$work/part.0" "$work/first"
split "$bundled" 2 turns
fails 1 "parts that overlap" both "stream:$work/first stream:$work/part.0" pass
like "are named, with the location" "$(cat "$work/.fails")" \
    "location [0-9]+ \('P#[0-3]T#0'\) has events in stream:.*/(first|part.0) and in stream:.*/(first|part.0): inputs"
fails 2 "one input twice" both "stream:$work/first stream:$work/first" pass
like "is said" "$(cat "$work/.fails")" 'input: stream:.*first is named twice'
fails 2 "each in a line" both "stream:$work/first
stream:$work/first" pass
like "each in a line: is said" "$(cat "$work/.fails")" 'input: stream:.*first is named twice'
cp -R "$top_srcdir/examples/trace" "$work/twin"
fails 1 "archives that overlap" both "$bundled $work/twin/traces.otf2" pass
like "are named before anything is read" "$(cat "$work/.fails")" \
    "location 0 \('P#0T#0'\) has events in .*examples/trace/traces.otf2 and in .*/twin/traces.otf2: inputs"
fails 1 "a stream and an archive that overlap" both "stream:$work/part.1 $work/twin/traces.otf2" pass
like "are named, too" "$(cat "$work/.fails")" "has events in .*/twin/traces.otf2 and in stream:.*/part.1: inputs"

# What stands behind the end of an input is found, although it was taken in while another one was waited for.
split "$bundled" 2 blocks
mkfifo "$work/fifo"
{ cat "$work/part.1"; echo more; } >"$work/longer"
{
    sleep 1
    cat "$work/part.0"
} >"$work/fifo" 2>/dev/null &
fails 1 "something behind the end of an input" both "stream:$work/fifo stream:$work/longer" pass
like "is an error" "$(cat "$work/.fails")" 'stream:.*/longer is not whole: there is something behind its end'
fails 1 "streams one behind another in a pipe" sh -c "cat '$work/part.0' '$work/part.1' | '$TCFLOW' -q -i - -o pipeline.chain=pass"
like "is an error" "$(cat "$work/.fails")" 'standard input is not whole: there is something behind its end'
wait

made 1 --features p2p --ranks 2 --ticks-per-second 1000000
split "$work/trace/traces.otf2" 2 turns
mv "$work/part.1" "$work/slow"
made 1 --features p2p --ranks 2 --ticks-per-second 1000000000
split "$work/trace/traces.otf2" 2 turns
fails 1 "different clocks" both "stream:$work/part.0 stream:$work/slow" pass
like "are named" "$(cat "$work/.fails")" \
    'the clocks of stream:.*part.0 and stream:.*slow differ: 1000000000 and 1000000 ticks a second'

made 2 --features p2p,collectives --ranks 5
split "$work/trace/traces.otf2" 2 turns
fails 1 "parts of different runs" both "stream:$work/first stream:$work/part.1" pass
like "are no parts" "$(cat "$work/.fails")" 'are not parts of one run: they list different locations for MPI'

split "$bundled" 2 turns
mv "$work/part.1" "$work/raw"
split "$bundled" 2 turns
rm "$work/part.0"
ids=$(locations "$bundled" | part 2 0 turns)
tcflow -q -i "$bundled" -o pipeline.chain="presync select stream_write" -o presync.output=/dev/null -o select.locations="$ids" \
    -o stream_write.path="$work/part.0"
fails 1 "one corrected, the other not" both "stream:$work/part.0 stream:$work/raw" pass
like "is said" "$(cat "$work/.fails")" 'timestamps were corrected to one clock in front of stream:.*part.0, but not in front of stream:.*raw'

# What was dropped in front of an input cannot be matched behind it; where nobody matches, or nothing depends on it, all is well.
for matches in yes no; do
    for drop in exclude_kinds=MPI_RECV exclude_kinds=MPI_COLLECTIVE_BEGIN to=50%; do
        rm -f "$work/part.0"
        tcflow -q -i "$bundled" -o pipeline.chain="select stream_write" -o select.locations="$ids" -o select.$drop \
            -o stream_write.path="$work/part.0" -o stream_write.matches=$matches
        fails 1 "$drop in front, matches = $matches" both "stream:$work/part.0 stream:$work/raw" wait_states
        like "is refused where edges are wanted" "$(cat "$work/.fails")" \
            "records of location [0-9]+ \('P#[0-3]T#0'\) for messages, .* were dropped in front of stream:.*part.0"
        ok "and no matter where they are not" both "stream:$work/part.0 stream:$work/raw" pass
    done
done
made 4 --features p2p,collectives,nonblocking --ranks 3
anchor=$work/trace/traces.otf2
split "$anchor" 2 turns -o select.exclude_regions='region?*,user*,main*,compute*' -o stream_write.matches=no
ok "regions that were dropped are no matter" both "$inputs" check,wait_states

# ------------------------------------------------------------------------------------------------------ several outputs

# A tee: two streams and an archive in one chain are each what the chain gives alone.
chain_reset
tcflow -q -i "$anchor" -o pipeline.chain="a otf2_write b" -o a.filter=stream_write -o b.filter=stream_write \
    -o a.path="$work/tee.a" -o b.path="$work/tee.b" -o otf2_write.path="$work/tee.archive"
tcflow -q -i "$anchor" -o pipeline.chain=otf2_write -o otf2_write.path="$work/alone.archive"
tcflow -q -i "$anchor" -o pipeline.chain=stream_write -o stream_write.path="$work/alone"
is "an archive beside two streams" "$(diff -r "$work/tee.archive" "$work/alone.archive" 2>&1 | grep -v '^Binary files .*/traces.otf2' | head -n 3)" ""
parts="wait_states print otf2_write"
for stream in alone tee.a tee.b; do
    inputs=stream:$work/$stream
    merged "$work/from.$stream"
done
is "the first of two streams" "$(differ "$work/from.alone" "$work/from.tee.a")" ""
is "the second" "$(differ "$work/from.alone" "$work/from.tee.b")" ""

# -------------------------------------------------------------------------------------------------------------- example

TCFLOW=$TCFLOW sh "$top_srcdir/examples/merge.sh" >"$work/example" 2>&1
tcflow -q -i "$bundled" -o pipeline.chain="clc_forward clc_backward wait_states" -o pipeline.reports=wait_states >"$work/report" 2>&1
same "the example reports what one process does" "$work/report" "$work/example"

# ---------------------------------------------------------------------------------------------------------------- names

cp -R "$top_srcdir/examples/trace" "$work/a trace"
ok "a name with a blank is one name" both "$work/a trace/traces.otf2" pass
fails 1 "no such stream" both "stream:$work/part.0 stream:$work/nowhere" pass
like "is named" "$(cat "$work/.fails")" "'.*/nowhere': No such file"

done_testing
