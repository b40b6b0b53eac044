#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What is refused before any event is read: words and options of the command line, values of filters' parameters, files that
# they name, streams. Each message says what is wrong, and what is expected instead.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

trace=$top_srcdir/examples/trace/traces.otf2
unset TCFLOW_PLUGIN_PATH TCFLOW_FILTERS_D
cd "$work" || exit 1

# refuses PATTERN ARGUMENT...: tcflow ends with status 2 and this message.
refuses()
{
    pattern=$1
    shift
    fails 2 "refused: $*" tcflow "$@"
    like "$pattern" "$(cat "$work/.fails")" "^tcflow: error: $pattern"
}

# ------------------------------------------------------------------------------------------------------- command line

refuses "'.*traces.otf2' stands where a command is expected: .* tcflow diff compares traces" "$trace" "$trace"
refuses "'.*traces.otf2' is one word too many: the trace for -c or -o is given by -i" -c waits "$trace"
refuses "'a' is one word too many: tcflow info TRACE\$" info "$trace" a
refuses "'b' is one word too many: tcflow waits TRACE \[OUT\]\$" waits "$trace" a.html b
refuses "'a': waits writes a database \(NAME.sqlite\) or a page \(NAME.html\)" waits "$trace" a
refuses "'a': report writes a database" report "$trace" a
refuses "'waits' has a pipeline of its own, so -c belongs elsewhere" -c waits waits "$trace"
refuses "--show-ini belongs to a command with a pipeline, or to -c" --show-ini
refuses "--ini belongs to --describe NAME" --ini
refuses "-i names a trace, and nothing says what to do with it: add -c FILE" -i "$trace"
refuses "'diff' comes first: tcflow diff OLD NEW" --no-pager diff a b
refuses "no trace: tcflow info TRACE" info
refuses "there is no file 'waits.ini'; the preset is given by its name: -c waits" -c waits.ini -i "$trace"
refuses "pipeline.input: must be given: " -o pipeline.chain=check
fails 1 "man pages in a folder that isn't there" tcflow --man-pages none/here
like "which one" "$(cat "$work/.fails")" "cannot create the man page 'none/here/.*': No such file or directory"

# ---------------------------------------------------------------------------------------------------------- parameters

# wrong PATTERN CHAIN KEY=VALUE...: a chain is refused with these settings; a setting without section is of the chain's filter.
wrong()
{
    pattern=$1 chain=$2
    shift 2
    for setting; do
        shift
        case $setting in *.*=*) ;; *) setting=$chain.$setting ;; esac
        set -- "$@" -o "$setting"
    done
    refuses "$pattern" -i "$trace" -o "pipeline.chain=$chain" "$@"
}

wrong "\[pipeline\] survey names 'clock_estimate' twice: give the second one another name" check \
    "pipeline.survey=clock_estimate clock_estimate"
wrong "\[pipeline\] flush is a time of the clock on the wall, not of ticks" check "pipeline.flush=5 ticks"
wrong "-o pipeline.memory: '1k' is out of range: expected at least 64KiB" check pipeline.memory=1k
wrong "there is no reader 'none'" check pipeline.source=none
for filter in calls perfetto_trace otf2_write stream_write; do
    wrong "-o $filter.path: needs a value" $filter path=
done
wrong "path = unix:: the name of a socket has 1 to [0-9]+ bytes" stream_write path=unix:
wrong "path = tcp:: tcp:PORT or tcp:HOST:PORT is wanted" stream_write path=tcp:
wrong "mu = abc: expected auto, or a duration of at most 24h or 10\^15 ticks" clc_forward mu=abc
wrong "gamma = 2: expected auto, or a number from 0 to 1" clc_forward gamma=2
wrong "bins = 1: there are at least two, or 0 for none" critical_path bins=1
wrong "sine_period = 0: a wave \(sine\) needs a period" skew sine=1ms sine_period=0
wrong "measurements and truth are the same file, m\$" skew measurements=m truth=m
wrong "output '/' is a folder; expected a file's name" print output=/
wrong "output 'new/' is the name of a folder; expected a file's name" print output=new/
wrong "output 'none/x' cannot be created: No such file or directory" print output=none/x

wrong "database = -: it needs a name, and cannot go to standard output" check pipeline.database=-
wrong "html_report = -: it needs a name" check pipeline.html_report=-
wrong "path = -: it needs a name" calls path=- format=sqlite
wrong "path = -: it needs a name" perfetto_trace path=-
wrong "path = -: it needs a name" otf2_write path=-
wrong "'/dev/null' is a device or a pipe, into which SQLite cannot write" calls path=/dev/null format=sqlite
wrong "profile.output and check.output are both 'one': each needs a file of its own" \
    "profile check" profile.output=one check.output=one
mkdir folder && : >folder/file
wrong "path = folder exists already; 'overwrite = yes' replaces it" otf2_write path=folder
wrong "path = folder exists and is not a folder with an archive traces.otf2" otf2_write path=folder overwrite=yes
wrong "chunk = 1000 bytes: 256KiB to 16MiB are possible" otf2_write path=new chunk=1k
wrong "compression = zlib: writer = direct doesn't compress" otf2_write path=new compression=zlib writer=direct

printf 'x y\n' >costs.bad
printf '8 20ns\n4 30ns\n' >costs.down
wrong "kinds: 'ENTER': expected a kind of event and a duration, like ENTER:45ns" overhead kinds=ENTER
wrong "kinds: 'ENTER:-3': expected a kind of event and a duration" overhead kinds=ENTER:-3
wrong "kinds: there is no kind of event 'FOO'" overhead kinds=FOO:45ns
wrong "copy: '8': expected SIZE:DURATION, like 64KiB:6us" overhead copy=8
wrong "copy: the size 8 does not follow the one before: sizes have to grow" overhead 'copy=64KiB:6us 8:20ns'
wrong "copy and copy_file are both given: one of them is enough" overhead copy=8:20ns copy_file=costs.down
wrong "costs.bad, line 1: 'x' and 'y': expected a size of at least one byte and a duration" overhead copy_file=costs.bad
wrong "costs.down, line 2: the size 4 does not follow the one before" overhead copy_file=costs.down
wrong "copy_file = none: No such file or directory" overhead copy_file=none
wrong "copy_file = \.: Is a directory" overhead copy_file=.

wrong "method = file needs a file: file = PATH" presync method=file
wrong "file = costs.bad is given, but the method is another one" presync method=archive file=costs.bad
wrong "costs.bad:1: no header line: expected location,time,offset,error, or an INI section" presync file=costs.bad
wrong "file = none cannot be read: No such file or directory" presync file=none

wrong "from = abc: expected seconds from the start of the trace \(1.5s, 20ms" select from=abc
wrong "from = -5s: expected seconds from the start of the trace" select from=-5s
wrong "from = 200%: more than 100%" select from=200%
wrong "to = 99999999999999999999 ticks: more than 64 bits can hold" select 'to=99999999999999999999 ticks'
wrong "the time range ends \(to = 1s, .*\) before it begins \(from = 5s" select from=5s to=1s
wrong "messages = drop is not possible together with a time range .* put the filter whole_messages behind" select \
    from=1s messages=drop
wrong "kinds: no kind of event is named 'FOO'" select kinds=FOO
wrong "communicators: there is no 'none' in this trace" select communicators=none
wrong "locations: there is no 'nothing' in this trace" select locations=nothing
wrong "ranks: 'a' is no number, nor two with a - between them" select ranks=a
wrong "ranks: 5-2 is out of range: this trace has 4 ranks, counted from 0" select ranks=5-2

# rules PATTERN LINE...: a filter file of these lines is refused.
rules()
{
    pattern=$1
    shift
    printf "$1" >rules
    wrong "$pattern" select filter_file=rules
}
rules "rules:1: 'hello' is not expected here: SCOREP_REGION_NAMES_BEGIN or SCOREP_FILE_NAMES_BEGIN must come first" 'hello\n'
rules "rules:2: 'FOO' is not expected here: EXCLUDE or INCLUDE must come first" 'SCOREP_REGION_NAMES_BEGIN\n FOO bar\n'
rules "rules:1: 'SCOREP_REGION_NAMES_END' is not expected here: no such block is open" 'SCOREP_REGION_NAMES_END\n'
rules "rules:1: SCOREP_REGION_NAMES_BEGIN: the end of the block is missing" 'SCOREP_REGION_NAMES_BEGIN\n EXCLUDE foo\n'
rules "rules:2: a backslash at the end of a line: lines cannot be joined" 'SCOREP_REGION_NAMES_BEGIN\n EXCLUDE foo\\\n'
rules "rules:2: a NUL byte; expected a text file" 'SCOREP_REGION_NAMES_BEGIN\n EXCLUDE f\000o\n'
wrong "filter_file: cannot open 'none': No such file or directory" select filter_file=none
wrong "filter_file: cannot read '\.': Is a directory" select filter_file=.

# --------------------------------------------------------------------------------------------------------------- inputs

cp -R "$top_srcdir/examples/trace" copy && chmod -R u+w copy
refuses "profile.output: 'copy/traces.otf2' is the input or a part of it, which would be overwritten" -i copy \
    -o pipeline.chain=profile -o profile.output=copy/traces.otf2 -o profile.overwrite=yes
refuses "otf2_write.path: 'copy' is the input or a part of it" -i copy -o pipeline.chain=otf2_write -o otf2_write.path=copy \
    -o otf2_write.overwrite=yes
refuses "input: .*traces.otf2 is named twice" -i "$trace" -i "$trace" -o pipeline.chain=check
# no_input PATTERN INPUT
no_input()
{
    fails 1 "no input: $2" tcflow -i "$2" -o pipeline.chain=check
    like "$1" "$(cat "$work/.fails")" "^tcflow: error: $1"
}
no_input "this folder has event files, but no anchor file; 'copy/traces.otf2' beside it is one" copy/traces
no_input "this is a part of an archive; what is named is its anchor file, NAME.otf2, or the folder" copy/traces.def
no_input "this is a part of an archive; what is named is its anchor file" copy/traces/0.evt
no_input "Not a directory" "$trace/x"

# -------------------------------------------------------------------------------------------------------------- streams

# no_stream PATTERN FILE: it is opened, and can't be read.
no_stream()
{
    fails 1 "no stream: $2" tcflow -i "stream:$2" -o pipeline.chain=check
    like "$1" "$(cat "$work/.fails")" "^tcflow: error: $1"
}
ok "a stream" tcflow -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path=good
head -c 10 good >short
{ head -c 9 good; printf 'x'; tail -c +11 good; } >changed
: >empty
no_stream "stream:empty is empty: its writer ended before it wrote anything" empty
no_stream "stream:costs.bad is not a stream of tcflow \(stream_write writes them\)" costs.bad
no_stream "stream:short ends in its header" short
no_stream "the header of stream:changed is damaged" changed
no_stream "'none': No such file or directory" none
no_stream "'\.' is a folder; a stream is one file" .
refuses "input = unix:: the name of a socket has 1 to [0-9]+ bytes" -i unix: -o pipeline.chain=check
refuses "\[pipeline\] survey: this input is a stream, which can be read only once" -i stream:good -o pipeline.chain=presync \
    -o pipeline.survey=clock_estimate

done_testing
