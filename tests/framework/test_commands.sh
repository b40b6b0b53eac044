#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Commands and presets: tcflow TRACE, tcflow waits TRACE OUT, -c waits, folders as input, what is refused and what is said.
# Durations and numbers of events are compared with what reading all events finds.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

trace=$top_srcdir/examples/trace
cd "$work" || exit 1

mentions()
{
    like "$1" "$(cat "$work/.fails")" "$2"
}

# ----------------------------------------------------------------------------------------------------------------- info

tcflow "$trace" >info 2>&1
is "a trace alone is told about" "$?" 0
same "as by info" info - <<EOF
$(tcflow info "$trace/traces.otf2")
EOF
like "processes" "$(cat info)" '^Processes +4 processes, 4 locations$'
# The archive states 12.66 ms; events span 39.6 ms by the clocks as they are (no offsets are recorded).
like "the duration is that of events" "$(cat info)" \
    '^Duration +39\.6 ms, from the first to the last event; the archive states 12\.7 ms$'
like "clocks nobody compared" "$(cat info)" '^Clocks .*no offsets recorded: processes may disagree'
tcflow -q -i "$trace" -o pipeline.chain=print >printed
events=$(tcflow --summary -i "$trace" -o pipeline.chain=pass 2>&1 | sed -n 's/^tcflow: \([0-9,]*\) events of .*/\1/p' | tr -d ,)
like "the number of events" "$(tr -d , <info)" "^Events +$events(;|\$)"
tcflow info "$trace" --count >counted
is "--count finds as many" "$(sed -n 's/ *\(.*\)  events that were read.*/\1/p' counted | tr -d ,)" "$events"
is "of each kind" "$(sed -nE 's/^ *([0-9,]+)  MpiSend$/\1/p' counted)" \
    "$(grep -c '^MPI_SEND ' printed)"

# Random traces: the ends of event files say what reading them all says.
for seed in $(seeds_of 8); do
    "$generate" random --seed "$seed" --out "random$seed" >/dev/null 2>&1 || continue
    tcflow info "random$seed" --count >counted 2>/dev/null
    is "seed $seed: events by file and by reading" "$(sed -nE 's/^Events +([0-9,]+).*/\1/p' counted)" \
        "$(sed -nE 's/^ *([0-9,]+)  events that were read.*/\1/p' counted)"
done

# ---------------------------------------------------------------------------------------------------- presets, commands

list=$(tcflow --list-presets)
for preset in "$top_srcdir"/presets/*.ini; do
    name=$(basename "$preset" .ini)
    like "--list-presets has $name" "$list" "^  $name +[A-Z]"
    set -- "-o" "pipeline.rows=50"
    [ "$name" != correct ] || set -- -o otf2_write.path=none
    [ "$name" != report ] || set -- -o pipeline.html_report=none.html
    ok "-c $name is found from anywhere" tcflow --check -c "$name" -i "$trace" "$@"
    # Examples are the presets for the bundled trace, with comments of their own.
    example=$top_srcdir/examples/$name.ini
    [ -e "$example" ] || continue
    for file in "$preset" "$example"; do
        sed -E 's/(^| +);.*//; /^$/d; /^input *=/d; /^overwrite *=/d' "$file" >"$(dirname "$file" | sed 's:.*/::').plain"
    done
    same "examples/$name.ini has the same pipeline" presets.plain examples.plain
done
for command in $(tcflow --help | sed -nE '/^Commands:/,/^$/ s/^  ([a-z]+) .*/\1/p'); do
    like "the man page has $command" "$(cat "$top_srcdir/doc/tcflow.1")" "^\.BI $command "
done
ok "check" tcflow check "$trace"
tcflow waits --show-ini >own.ini
like "--show-ini prints a pipeline" "$(cat own.ini)" '^\[pipeline\]$'
tcflow waits "$trace" >by_command 2>&1
tcflow -c own.ini -i "$trace" >by_ini 2>&1
same "which is the command's" by_command by_ini
printf '[pipeline]\nchain = pass\n' >waits
is "a file goes before a preset of its name" "$(tcflow -q -c waits -i "$trace")" ""
rm waits
mkdir waits
like "a folder doesn't" "$(tcflow -q -c waits -i "$trace")" '^Times and wait states'

tcflow correct "$trace" right >said 2>&1
like "correct says what it wrote" "$(cat said)" '^tcflow: wrote right$'
like "and it is in order" "$(tcflow -q check right)" '^0 violations'
if tcflow --version | grep -q '^databases: SQLite'; then
    ok "OUT may be a database" tcflow waits "$trace" run.sqlite
    like "whose name is said" "$(tcflow waits "$trace" again.sqlite 2>&1)" '^tcflow: wrote again.sqlite$'
    is "but not with -q" "$(tcflow -q waits "$trace" quiet.sqlite 2>&1 >/dev/null)" ""
    tcflow report "$trace" alone.sqlite >/dev/null 2>said
    is "a database stands for the page that nobody named" "$(grep wrote said; ls ./*.html 2>/dev/null)" "tcflow: wrote alone.sqlite"
    if [ -x "$top_builddir/tcflow-report" ]; then
        tcflow report "$trace" both.sqlite -o pipeline.html_report=both.html >/dev/null 2>said
        is "one that -o names is written, too" "$(grep -c wrote said)" 2
    fi
    is "nor with --no-written" "$(tcflow --no-written waits "$trace" unsaid.sqlite 2>&1 >/dev/null | grep -c wrote)" 0
fi
if [ -x "$top_builddir/tcflow-diff" ]; then
    like "diff starts tcflow-diff" "$(tcflow diff --version)" '^tcflow-diff '
    like "scaling starts tcflow-scaling" "$(tcflow scaling --version)" '^tcflow-scaling '
fi

# ---------------------------------------------------------------------------------------------------------------- usage

fails 2 "a mistyped command" tcflow wait "$trace"
mentions "the nearest one" "neither a command nor a trace; did you mean 'waits'"
fails 2 "no trace" tcflow waits
mentions "what is missing" 'no trace: tcflow waits TRACE \[OUT\]'
fails 2 "an output without a meaning" tcflow check "$trace" a.txt
mentions "what is possible" "writes a database \(NAME.sqlite\) or a page \(NAME.html\)"
fails 2 "one word too many" tcflow info "$trace" a
fails 2 "a command and -c" tcflow waits "$trace" -c own.ini
fails 2 "a preset that isn't there" tcflow -c wait_a_bit -i "$trace"
mentions "where they are" 'neither a file nor a preset'
fails 2 "--count elsewhere" tcflow waits "$trace" --count

if [ -x "$top_builddir/tcflow-synth" ]; then
    ok "a trace with clock offsets" "$top_builddir/tcflow-synth" --ranks 2 --events 1k --clock offset=1ms --measure both measured
    like "violations of times as stored are told as such" "$(tcflow -q correct measured right-clocks | head -n 3 | tr '\n' ' ')" \
        "[1-9][0-9]* before \(times as stored, without the archive's clock offsets\), 0 after"
fi

# -------------------------------------------------------------------------------------------------------------- folders

cp -r "$trace" other
mv other/traces.otf2 other/mine.otf2
mv other/traces.def other/mine.def
mv other/traces other/mine
ok "a folder with another anchor file" tcflow -i other -o pipeline.chain=pass
cp other/mine.otf2 other/yours.otf2
fails 1 "several anchor files" tcflow -i other -o pipeline.chain=pass
mentions "which is reported" 'a folder with several anchor files'
fails 1 "the folder of event files" tcflow -i "$trace/traces" -o pipeline.chain=pass
mentions "where the anchor file is" "has event files, but no anchor file; '$trace/traces.otf2' beside it is one"
fails 1 "a folder without any" tcflow -i waits -o pipeline.chain=pass
mentions "which is reported" 'a folder without an anchor file'
mkdir -p broken_off/archive/parts
for file in archive/parts/0.def archive/0.evt; do
    : >broken_off/$file
    fails 1 "a run that was broken off, with $file" tcflow info broken_off/archive
    mentions "why there is no anchor file" 'with parts of an archive; an archive gets its anchor file at the end of its run'
    rm broken_off/$file
done
fails 1 "a folder in a folder" tcflow info broken_off
is "is nothing of an archive" "$(tcflow info broken_off 2>&1 | grep -c 'parts of an archive')" 0

# ------------------------------------------------------------------------------------- what new users have stumbled over

fails 2 "a time without a unit" tcflow -i "$trace" -o pipeline.chain="select check" -o select.from=5
mentions "what it might mean" 'from = 5 lacks a unit: 5s and 5% count from the start of the trace, 5 ticks is a timestamp'
fails 1 "a range behind the end" tcflow -i "$trace" -o pipeline.chain="select check" -o select.from=10s
mentions "where events are" 'no event lies in the time range: those of the trace go from .* s to 0.0396'
fails 2 "two outputs of one name" tcflow -i "$trace" -o pipeline.chain="check profile" -o check.output=a.txt \
    -o profile.output=./a.txt
mentions "before the start" "check.output and profile.output are both './a.txt'"
fails 2 "two archives of one name" tcflow -i "$trace" -o pipeline.chain="one two" -o one.filter=otf2_write \
    -o two.filter=otf2_write -o one.path=twice -o two.path=twice
is "nothing is left" "$(ls -d twice* 2>/dev/null)" ""
fails 2 "a filter's beginning" tcflow -i "$trace" -o pipeline.chain=waits
mentions "the filter" "did you mean 'wait_states'"
fails 2 "an arrow in a chain" tcflow -i "$trace" -o pipeline.chain="check -> profile"
mentions "what separates" 'names are parted by blanks, or commas'
ok "perfetto_trace takes the format from the name" tcflow -q -i "$trace" -o pipeline.chain=perfetto_trace \
    -o perfetto_trace.path=a.json
is "JSON" "$(head -c 1 a.json)" "{"
is "stream_write needs no path in a pipe" \
    "$(tcflow -q -i "$trace" -o pipeline.chain=stream_write | tcflow -q -i - -o pipeline.chain=print | wc -l)" "$(wc -l <printed)"
is "--describe has each parameter's help once" \
    "$(tcflow --describe wait_states | grep -c 'The longest waits of each pattern\|longest instances')" \
    "$(tcflow --describe wait_states --ini | grep -c 'The longest waits of each pattern\|longest instances')"
chain="presync clc_forward clc_backward root_cause"
causes=$(tcflow -q -i "$trace" -o pipeline.survey="clock_estimate mu_estimate" -o pipeline.chain="$chain" \
    -o pipeline.reports=root_cause)
like "what has no call path has a name" "$causes" '^mpi_latebroadcast .*  \(outside of any call\)$'
is "tables without rows are left out on the screen" "$(printf '%s' "$causes" | grep -c '^(nothing)$')" 0
progress=$(tcflow --progress -c waits -i "$trace" 2>&1 >/dev/null)
is "no ticks on the screen" "$(tcflow -q correct "$trace" no-ticks | grep -c '\[ticks\]')$(tcflow -q waits "$trace" |
    grep -c '\[ticks\]')$(tcflow -q check "$trace" | grep -c '\[ticks\]')" 000
fails 2 "two traces without a command" tcflow "$trace" "$trace"
like "it says what there is for them" "$(cat "$work/.fails")" "tcflow diff compares traces"
fails 2 "a page that is none" tcflow report "$trace" report.pdf
like "it says what it writes" "$(cat "$work/.fails")" "'report.pdf': report writes a database"
fails 2 "a preset with .ini" tcflow -c check.ini -i "$trace"
like "it says how it is called" "$(cat "$work/.fails")" "given by its name: -c check$"
fails 2 "a preset is described" tcflow --describe waits
like "it says what prints it" "$(cat "$work/.fails")" "tcflow -c waits --show-ini"
fails 2 "a port that there is none" timeout 20 "$TCFLOW" -i tcp:99999 -o pipeline.chain=pass
mentions "what a port is" 'expected tcp:PORT'
fails 2 "a mistyped preset" tcflow -c wiats -i "$trace"
mentions "the nearest one" "did you mean 'waits'"
fails 2 "a mistyped [pipeline]" tcflow -i "$trace" -o piepline.chain=check
mentions "what was meant" "piepline.chain: there is no section 'piepline' for a chain; did you mean 'pipeline'"
twice=$(tcflow -i "$trace" -o pipeline.chain=check -o pipeline.rows=1 -o pipeline.rows=2 2>&1 >/dev/null)
is "a key that is set twice" "$twice" "tcflow: warning: -o pipeline.rows is there twice: '2' counts, and '1' does not"
is "but not to the same" "$(tcflow -i "$trace" -o pipeline.chain=check -o pipeline.rows=1 -o pipeline.rows=1 2>&1 >/dev/null)" ""
fails 2 "no threads" tcflow -i "$trace" -o pipeline.chain=check -j 0
mentions "how many there may be" "-j: '0' is no number of threads: expected 1 or more; without -j the cores decide"
fails 2 "a trace with nothing to do" tcflow -i "$trace"
mentions "what there is to do" 'tcflow TRACE says what it is'
: >empty.json
fails 1 "an empty file" tcflow -i empty.json -o pipeline.chain=profile
mentions "that it is empty" 'the file is empty'
mkfifo pipe.otf2
fails 1 "a pipe" tcflow -i pipe.otf2 -o pipeline.chain=profile
mentions "how a stream is read from it" 'this is a pipe; a stream that stream_write writes to it is read as stream:pipe.otf2'
fails 1 "a device" tcflow -i /dev/zero -o pipeline.chain=profile
mentions "that it is none" 'this is no file with a trace, but a device or socket'
for key in "input = $trace # the trace" "chain = check # is it sane?"; do
    printf '[pipeline]\ninput = %s\nchain = check\n' "$trace" | sed "s|^${key%% *} = .*|$key|" >comment.ini
    fails 2 "# behind a value" tcflow -c comment.ini
    mentions "what begins a comment there" 'behind a value a comment begins with a semicolon'
done
is "every filter has its place in the list" "$(tcflow --list-filters | grep -c '^Others:')" 0
if [ -x "$top_builddir/tcflow-report" ]; then
    fails 1 "a page of a folder" "$top_builddir/tcflow-report" "$trace"
    mentions "what it wants" 'is a folder; expected a database'
fi
if have python3; then
    is "several JSON reports are one document" "$(tcflow -q -i "$trace" -o pipeline.chain="check profile" -o check.format=json \
        -o profile.format=json | python3 -c 'import json, sys; print(sorted(json.load(sys.stdin)))')" "['check', 'profile']"
fi
done_testing
