#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The command line: what it prints, what it refuses and with which exit status, and how it ends when it is interrupted.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

trace=$top_srcdir/examples/trace/traces.otf2
CC=${CC:-cc}
unset TCFLOW_PLUGIN_PATH TCFLOW_FILTERS_D

# mentions NAME PATTERN: the last command of `fails` said so.
mentions()
{
    like "$1" "$(cat "$work/.fails")" "$2"
}

# ---------------------------------------------------------------------------------------------------------- information

ok "--version" tcflow --version
like "--version prints the interface" "$(tcflow --version)" '^plugin interface [0-9]+\.[0-9]+$'
ok "--help" tcflow --help
like "-h prints the usage" "$(tcflow -h)" '^Usage: tcflow '
ok "--list-filters" tcflow --list-filters
like "the plugins of the build tree are found" "$(tcflow --list-filters)" '^  pass +[0-9.]+  '
fails 2 "--list-filters=xml" tcflow --list-filters=xml
mkdir "$work/plugins"
echo text >"$work/plugins/broken.so"
list=$(tcflow --plugin-path "$work/plugins:$work/none" --list-filters)
like "a refused plugin is listed" "$list" "^  $work/plugins/broken.so\$"
like "a missing folder is listed" "$list" "^  --plugin-path +$work/none: folder cannot be read: No such file or directory\$"
printf '[pipeline]\nplugin_path = %s\n' "$work/plugins" >"$work/path.ini"
like "plugin_path of the settings counts" "$(tcflow -c "$work/path.ini" --list-filters)" "/broken.so\$"
fails 2 "a folder of plugins that isn't there" tcflow --plugin-path "$work/none" -i "$trace" -o pipeline.chain=pass
like "which one it is" "$(cat "$work/.fails")" "^tcflow: error: --plugin-path $work/none: .*No such file"
fails 2 "the same in the INI" tcflow -i "$trace" -o pipeline.chain=pass -o "pipeline.plugin_path=$work/plugins:$work/none"
like "TCFLOW_PLUGIN_PATH counts" "$(TCFLOW_PLUGIN_PATH=$work/plugins tcflow --list-filters)" "/broken.so\$"
printf '[pipeline]\nplugin_path = ${NO_SUCH}/x\n' >"$work/path.ini"
fails 2 "a missing variable in the settings" tcflow -c "$work/path.ini" --list-filters
mentions "it says which" "path.ini:2: pipeline.plugin_path: \\$\\{NO_SUCH\\}: there is no environment variable"

ok "--describe" tcflow --describe pass
like "--describe has a stanza" "$(tcflow --describe pass)" '^\[pass\]$'
ok "--describe pipeline" tcflow --describe pipeline
fails 2 "--describe of nothing" tcflow --describe pas
mentions "the nearest filter" "there is no filter 'pas'; did you mean 'pass'\?"
fails 2 "--describe of a refused file" tcflow --plugin-path "$work/plugins" --describe broken
mentions "its reason" 'broken.so was refused: is no shared object: it does not begin as an ELF file does'
tcflow --describe pass --ini >"$work/pass.ini"
same "filters.d/pass.ini is what --describe says" "$top_srcdir/filters.d/pass.ini" "$work/pass.ini"

# ---------------------------------------------------------------------------------------------------------------- usage

fails 2 "no arguments" tcflow
mentions "the remedy" 'nothing to do: tcflow TRACE says what a trace is'
fails 2 "an unknown option" tcflow --foo
fails 2 "an argument without option" tcflow nothing.otf2
mentions "the remedy" "'nothing.otf2' is neither a command nor a trace; a filter runs by -i TRACE -o pipeline.chain=NAME"
fails 2 "-c twice" tcflow -c a -c b
# Where something about the chain is wrong, the message names the line that it stands in.
# misplaced NAME PATTERN LINE...: settings of these lines below [pipeline] and input.
misplaced()
{
    name=$1 pattern=$2
    shift 2
    { printf '[pipeline]\ninput = %s\n' "$trace"; printf '%s\n' "$@"; } >"$work/misplaced.ini"
    fails 2 "$name" tcflow -c "$work/misplaced.ini"
    mentions "what is wrong" "$pattern"
    like "and where" "$(cat "$work/.fails")" "^    while making the chain \\($work/misplaced.ini:$where\\)\$"
}
where='4: pipeline.chain'
misplaced "a filter that isn't there" "there is no filter 'chekc'; did you mean 'check'" "" 'chain = chekc'
misplaced "backward before forward" "requires the column 'jump', .*; put 'clc_forward' before it" "" \
    'chain = clc_backward clc_forward'
where='3: pipeline.chain'
misplaced "a filter twice" "give the second one another name, and a section \\[NAME\\] with filter = check" 'chain = check check'
misplaced "an instance twice" "with filter = check" 'chain = mine mine' '[mine]' 'filter = check'
where='5: mine.filter'
misplaced "an instance of nothing" "there is no filter 'profil'" 'chain = mine' '[mine]' 'filter = profil'
where='4: pipeline.survey'
misplaced "a survey" "there is no filter 'mu'" 'chain = check' 'survey = mu'
fails 2 "on the command line" tcflow -i "$trace" -o pipeline.chain=chekc
mentions "that is reported, too" '^    while making the chain \(-o pipeline.chain\)$'

# with_little: tcflow passes the trace on with no more than 2 GB of address space.
with_little()
{
    (ulimit -v 2000000 && tcflow -q -i "$trace" -o pipeline.chain=pass "$@")
}
if with_little 2>/dev/null; then
    fails 1 "more memory than there is" with_little -o pipeline.memory=8GiB
    mentions "the key is named" '^    while taking the memory for events \(memory = 8192 MiB\)$'
else
    skip "more memory than there is" "address space cannot be limited"
fi

# missing NAME PATTERN ANCHOR: what is reported where an input isn't there.
missing()
{
    fails 1 "$1" tcflow -i "$3" -o pipeline.chain=pass
    mentions "which is reported" "$2"
}
mkdir "$work/empty"
missing "an input in a folder that isn't there" "there is no folder '$work/none/'\$" "$work/none/traces.otf2"
missing "one in a relative folder" "there is no folder 'no/such/' in '/.*', where relative names start" no/such/traces.otf2
missing "another name than the anchor file's" "there is no such file, but there is 'traces.otf2' in its folder" \
    "${trace%.otf2}.otf"
missing "a name that no file there is like" 'error: there is no such file$' "${trace%/*}/elsewhere.otf2"
missing "an input in an empty folder" 'error: there is no such file$' "$work/empty/traces.otf2"
missing "one here" "there is no such file; relative names start in '/" "no-such.otf2"
missing "quotes" 'quotes count as part of the name' '"traces.otf2"'
missing "a tilde" '~ is not expanded, \$\{HOME\} is the home folder' '~/traces.otf2'
missing "a variable of a shell" 'is written \$\{NAME\}' '$HOME/traces.otf2'
fails 2 "-c of nothing" tcflow -c "$work/none.ini"
mentions "the reason" 'none.ini: cannot open the settings: No such file or directory'
fails 2 "-c of a folder" tcflow -c "$work"
mentions "the reason" 'is a folder; expected a settings file'
: >"$work/empty.ini"
fails 2 "-c of an empty file" tcflow -c "$work/empty.ini"
mentions "the reason" 'there is no section \[pipeline\]'
fails 2 "-o without section" tcflow -c "$work/empty.ini" -o gamma=1
mentions "what is expected" 'expected section\.key=value'
fails 2 "--ini alone" tcflow --ini
fails 2 "--count alone" tcflow waits "$trace" --count
mentions "where it belongs" '--count belongs to tcflow info TRACE'
fails 2 "--torture behind another option" tcflow -q --torture "$work/plugins/broken.so"
mentions "where it stands" '--torture comes first: tcflow --torture PLUGIN'
fails 2 "--describe of a preset" tcflow --describe waits
mentions "how to see it" "'waits' is a preset, not a filter; tcflow -c waits --show-ini prints it"

# setting TEXT NAME PATTERN: such a pipeline is refused with such a message.
setting()
{
    printf "$1" >"$work/p.ini"
    fails 2 "$2" tcflow -c "$work/p.ini" -i "$trace"
    mentions "$2: the message" "$3"
}
setting '[pipeline]\nchain = nothing\n' "a chain naming nothing" "there is no filter 'nothing'"
setting '[pipeline]\nchain =\n' "an empty chain" 'p.ini:2: pipeline.chain: needs a value'
setting '[pipeline]\nchian = pass\n' "an unknown key" "p.ini:2: pipeline.chian: unknown key; did you mean 'chain'\?"
setting '[pipeline]\nchain = pass\nmemory = 3 apples\n' "a bad unit" "p.ini:3: pipeline.memory: '3 apples' has an unknown unit"
setting '[pipeline]\nchain = pass\nlookahead = -1\n' "out of range" "p.ini:3: pipeline.lookahead: '-1' is out of range"
setting '[pipeline]\nchain = pass\n[pass]\n\n[pass]\n' "two sections" 'p.ini:5: section \[pass\] is there twice; .* line 3'
setting '[pipeline]\nchain = pass\n[pas]\n' "an unknown section" "p.ini:3: section \[pas\]: .*did you mean 'pass'\?"
setting '[pipeline]\nchain = pass\n[pass]\nx = 1\n' "a key that a filter lacks" 'p.ini:4: pass.x: unknown key'
setting 'chain = pass\n' "a key without section" 'p.ini:1: expected a \[section\] before the first key'

# shellcheck disable=SC2046 # words
fails 2 "thousands of settings on the command line" tcflow $(yes -- '-o pass.k=1' | head -n 4097)
like "belong into a file" "$(cat "$work/.fails")" '-o: 4097 settings are too many .* at most 4096: write a file for -c'

# ----------------------------------------------------------------------------------------------------------------- runs

printf '[pipeline]\r\nchain = one two\r\n[one]\r\nfilter = pass\r\n[two]\r\nfilter = pass\r\n' >"$work/two.ini"
ok "two instances of one filter, CR LF" tcflow -c "$work/two.ini" -i "$trace"
ok "settings from standard input" sh -c "'$TCFLOW' -c - -i '$trace' <'$work/two.ini'"
ok "no settings file at all" tcflow -i "$trace" -o pipeline.chain=pass
ln -s "$(dirname "$trace")" "$work/a\$b\${c}"
ok "an input with dollars in its name" tcflow -i "$work/a\$b\${c}/traces.otf2" -o pipeline.chain=pass
fails 1 "an input that isn't there" tcflow -i "$work/none.otf2" -o pipeline.chain=pass
ok "--check" tcflow --check -i "$trace" -o pipeline.chain=pass
like "it says what a location takes" "$(tcflow --check -i "$trace" -o "pipeline.chain=profile pass")" \
    '^chain: 64\.0 MiB for events in flight, besides what filters keep: the least that is chosen; a location has slices of 4096 events, [0-9]{6} bytes; its state takes, in bytes: profile [0-9]+$'
like "and that memory is what it was told to be" \
    "$(tcflow --check -i "$trace" -o pipeline.chain=pass -o pipeline.memory=96KiB)" '^chain: 96\.0 KiB for events in flight, besides what filters keep: as memory says; '
is "-q --check says nothing" "$(tcflow -q --check -i "$trace" -o pipeline.chain=pass 2>&1)" ""
survey="-o pipeline.chain=presync -o pipeline.survey="
# shellcheck disable=SC2086
is "--check warns of no clocks that a survey will learn" \
    "$(tcflow --check -i "$trace" ${survey}clock_estimate 2>&1 >/dev/null | grep -c 'no clock is')$(tcflow --check -i "$trace" $survey 2>&1 >/dev/null |
        grep -c 'no clock is')" 01
fails 1 "--check reads the definitions" tcflow --check -i "$work/none.otf2" -o pipeline.chain=pass

# refused WHAT PATTERN OPTION...: --check reports what a run would report, and leaves nothing behind.
refused()
{
    what=$1 pattern=$2
    shift 2
    fails 2 "--check: $what" tcflow --check -i "$trace" "$@"
    like "--check says why: $what" "$(cat "$work/.fails")" "$pattern"
    said=$(cat "$work/.fails")
    fails 2 "a run: $what" tcflow -i "$trace" "$@"
    is "a run says the same: $what" "$(grep -v warning: "$work/.fails")" "$said"
    is "nothing is written: $what" "$(ls -d "$work"/checked* 2>/dev/null)" ""
}

printf 'location,time,offset,error\n4711,0,5,1\n' >"$work/knots.csv"
refused "clocks of a location that isn't there" '4711' -o pipeline.chain=presync -o presync.method=file \
    -o "presync.file=$work/knots.csv"
refused "nothing learned without a survey" 'no survey has learned clocks' -o pipeline.chain=presync -o presync.method=survey
refused "a region that the trace doesn't have" 'anchor: the trace has no region nowhere' -o pipeline.chain=iterations \
    -o iterations.anchor=nowhere
refused "a time range that ends before it begins" 'ends .* before it begins' -o pipeline.chain="select check" -o "select.from=5000 ticks" \
    -o "select.to=10 ticks"
refused "a communicator that the trace doesn't have" "there is no 'nowhere' in this trace" -o pipeline.chain="select check" \
    -o select.communicators=nowhere
refused "windows around waits that nobody has learned" 'put wait_states into' -o pipeline.chain=timeline
refused "a single bin of time" 'time_bins must be 0, or at least 2' -o pipeline.chain=metrics -o metrics.time_bins=1
refused "chunks that OTF2 does not know" 'chunk = 1024 bytes: 256KiB to 16MiB are possible' -o pipeline.chain=otf2_write \
    -o "otf2_write.path=$work/checked" -o otf2_write.chunk=1KiB
refused "knots that are no power of two" 'most_knots = 48 is not a power of two' -o "pipeline.survey=clock_estimate" \
    -o pipeline.chain=presync -o presync.method=survey -o clock_estimate.most_knots=48
refused "causes of what has none" "ignore = nothing: no wait that has causes has that name" -o pipeline.chain=root_cause \
    -o root_cause.ignore=nothing
refused "more columns than a stream takes" 'columns: more than 16' -o pipeline.chain=stream_write -o "stream_write.path=$work/checked" \
    -o "stream_write.columns=a b c d e f g h i j k l m n o p q"
refused "a stream that waits for ticks" 'wait is a time of the clock on the wall, not of ticks' -o pipeline.chain=stream_write \
    -o "stream_write.path=$work/checked" -o "stream_write.wait=5 ticks"
refused "waves without a period" 'sine_period = 0: a wave \(sine\) needs a period' -o pipeline.chain="skew check" -o skew.sine=1ms \
    -o skew.sine_period=0
refused "clocks that would nearly stand still" 'less than half their speed at times: make sine or walk smaller' -o pipeline.chain="skew check" \
    -o skew.sine=1s -o skew.sine_period=1s
refused "a cost of copying without a duration" "copy: '64KiB': expected SIZE:DURATION, like 64KiB:6us" -o pipeline.chain=overhead \
    -o overhead.copy=64KiB
awk 'BEGIN { printf "1KiB 1us\n"; for (i = 0; i < 300; i++) printf "7"; printf "\n" }' >"$work/costs"
refused "a line of costs without end" "$work/costs, line 2: too long" -o pipeline.chain=overhead -o "overhead.copy_file=$work/costs"
refused "more memory than slices can be counted in" 'memory = [0-9]+: too much' -o pipeline.chain=pass -o pipeline.slice=1 \
    -o pipeline.memory=1000000GiB
fails 1 "a part of an archive instead of its anchor" tcflow waits "${trace%.otf2}.def"
like "it is told what to name" "$(cat "$work/.fails")" "part of an archive; what is named is its anchor file"
fails 2 "a stream as a URL" tcflow -i tcp://localhost:1 -o pipeline.chain=check
like "it is told how it is written" "$(cat "$work/.fails")" "expected tcp:PORT or tcp:HOST:PORT"
fails 2 "--check: an output that exists" tcflow --check -i "$trace" -o pipeline.chain=otf2_write -o "otf2_write.path=$work"
ok "--check of a survey and what depends on it" tcflow --check -c "$top_srcdir/examples/correct.ini" -i "$trace" \
    -o "otf2_write.path=$work/checked" -o presync.method=survey
is "--check writes nothing" "$(ls -d "$work"/checked* 2>/dev/null)" ""
ok "--check of a chain that prints to a file" tcflow --check -i "$trace" -o pipeline.chain=print -o "print.output=$work/checked"
is "--check prints nothing" "$(ls -d "$work"/checked* 2>/dev/null)" ""
[ -c /dev/full ] && fails 1 "a full standard output" sh -c "'$TCFLOW' --list-filters >/dev/full"
wrong=''
for tool in calibrate diff new-filter report scaling synth top torture; do
    for to in '>/dev/full' '>&-'; do
        [ -c /dev/full ] && [ -x "$top_builddir/tcflow-$tool" ] || continue
        sh -c "'$top_builddir/tcflow-$tool' --version $to" 2>"$work/full" && wrong="$wrong $tool $to: status 0"
        [ -s "$work/full" ] || wrong="$wrong $tool $to: no word"
    done
done
is "tools whose standard output is full or closed" "$wrong" ""

# -------------------------------------------------------------------------------------------- what stands on a terminal

printf '[pipeline]\ninput = %s\nchain = check mine profile\n[mine]\nfilter = profile\n' "$trace" >"$work/three.ini"
three()
{
    tcflow -q -c "$work/three.ini" "$@" 2>&1
}
is "a line above each of several reports names its filter" "$(three | grep = | tr '\n' ';')" \
    "===== check =====;===== mine (profile) =====;===== profile =====;"
is "the first one begins at once, the others behind an empty line" "$(three | grep -B1 = | grep -c '^$')" 2
is "a single one needs none" "$(three -o pipeline.reports=mine | sed 1q)" "Flat profile, all locations"
is "nor beside one in a file" "$(three -o pipeline.reports="check mine" -o "check.output=$work/other" | sed 1q)" \
    "Flat profile, all locations"
is "nor in there" "$(grep -c = "$work/other")" 0
is "reports of the survey count" "$(three -o pipeline.reports="mine mu_estimate" -o pipeline.survey=mu_estimate |
    grep = | tr '\n' ';')" "===== mu_estimate =====;===== mine (profile) =====;"
is "no lines above CSV" "$(three -o check.format=csv -o mine.format=csv -o profile.format=json | grep -c =====)" 0
like "long tables are cut" "$(three -o pipeline.rows=2)" \
    '^\(2 of [0-9]+ rows, the top ones by exclusive \[s\]; all of them: -o pipeline.rows=0, or -o mine.output=FILE\)$'
is "unless all rows are wanted" "$(three -o pipeline.rows=0 | grep -c ' rows')" 0
fails 2 "rows below 0" three -o pipeline.rows=-2

like "--summary" "$(tcflow -q --summary -i "$trace" -o pipeline.chain=pass 2>&1)" \
    '^tcflow: [0-9,]+ events of [0-9]+ locations in [0-9.]+ s '
is "--summary goes to standard error" "$(tcflow --summary -i "$trace" -o pipeline.chain=pass 2>/dev/null)" ""
like "--summary=json" "$(tcflow -q --summary=json -i "$trace" -o pipeline.chain=pass 2>&1)" \
    '^\{"status": "complete", "events": [1-9][0-9]*, "locations": [0-9]+, .*\}$'
like "with the parameters of filters" \
    "$(tcflow -q --summary=json -i "$trace" -o pipeline.chain=check -o check.output=/dev/null -o check.overwrite=yes -o check.channels=5000 2>&1)" \
    '"parameters": \[.*\{"place": "chain", "instance": "check", "filter": "check", "key": "channels", "value": "5000", "origin": "command line", "type": "whole number"\}'
like "and of the framework" "$(tcflow -q --summary=json -i "$trace" -o pipeline.chain=pass 2>&1)" \
    '\{"place": "framework", "instance": "pipeline", "filter": null, "key": "lookahead", "value": "4096", "origin": "default", "type": "whole number"\}'
is "a definition given again is no reason to warn" "$(tcflow -i "$top_srcdir/examples/trace/traces.otf2" -o pipeline.chain=pass 2>&1)" ""
like "it is counted in the JSON summary" \
    "$(tcflow -q --summary=json -i "$top_srcdir/examples/trace/traces.otf2" -o pipeline.chain=pass 2>&1)" \
    '"key": "repeated_definitions", "text": "definitions that repeat an earlier one", "count": 1\}'
if [ -x "$generate" ]; then
    "$generate" everything --out "$work/everything" >/dev/null 2>&1
    like "one that says something else is named" "$(tcflow -i "$work/everything/traces.otf2" -o pipeline.chain=pass 2>&1)" \
        'warning: definitions that contradict an earlier one with the same id, which counts \(the first: [a-z ]+ [0-9]+\): [0-9]+'
fi
is "no progress where standard error is no terminal" \
    "$(tcflow -i "$trace" -o pipeline.chain=pass 2>&1 | grep -c 'million/s')" 0

# --------------------------------------------------------------------------------------------------------- interruption

# unread NAME STATUS OPTIONS...: nobody reads standard output any more; the exit status, and what stands in $work/said.
unread()
{
    unread_name=$1
    unread_status=$2
    shift 2
    { sleep 0.5; tcflow -i "$trace" "$@" 2>"$work/said"; echo $? >"$work/status"; } | :
    is "$unread_name, exit status" "$(cat "$work/status")" "$unread_status"
}
unread "print without a reader" 141 -o "pipeline.chain=print otf2_write" -o "otf2_write.path=$work/unread"
is "print without a reader ends without a word" "$(cat "$work/said")" ""
ok "another filter's output says that it is incomplete" test -d "$work/unread.incomplete" -a ! -e "$work/unread"
unread "a report without a reader" 141 -o pipeline.chain=check
is "a report without a reader ends without a word" "$(cat "$work/said")" ""
unread "a report without a reader beside an archive" 141 -o "pipeline.chain=check otf2_write" \
    -o "otf2_write.path=$work/beside"
ok "the archive is complete" test -d "$work/beside"
unread "-v" 141 -v -o pipeline.chain=check
like "-v says why" "$(cat "$work/said")" 'nobody reads the output any more'
unread "--summary=json" 141 --summary=json -o pipeline.chain=check
like "the summary says that it was cut" "$(cat "$work/said")" '^\{"status": "interrupted"'
unread "--list-filters without a reader" 141 --list-filters
unread "what nobody would read anyway" 0 -o pipeline.chain=pass
(
    trap '' PIPE
    unread "SIGPIPE ignored from the start" 1 -o pipeline.chain=check
    grep -c 'cannot write to .standard output.: Broken pipe' "$work/said" >"$work/told"
) >/dev/null
is "SIGPIPE ignored from the start: a failure" "$(cat "$work/status") $(cat "$work/told")" "1 1"

# ------------------------------------------------------------------------------------------------ output that is input

cp -r "$top_srcdir/examples/trace" "$work/own" && chmod -R u+w "$work/own"
cp "$work/own/traces.otf2" "$work/anchor"
for parameter in check.output pipeline.database pipeline.html_report; do
    fails 2 "what is read is not written: $parameter" tcflow -i "$work/own/traces.otf2" -o pipeline.chain=check \
        -o "$parameter=$work/own/../own/traces.otf2" -o "${parameter%.*}.overwrite=yes"
    mentions "it says so" "'$work/own/../own/traces.otf2' (is the input|exists and is no)"
done
same "the input is as it was" "$work/anchor" "$work/own/traces.otf2"

# ----------------------------------------------------------------------------------------- what nobody sees, once a run

# warned NAME CHAIN FILTER: the warning names the filter; "" there is none.
warned()
{
    tcflow -i "$trace" -o "pipeline.chain=$2" 2>"$work/said" >/dev/null
    is "$1" "$(sed -nE "s/^tcflow: warning: \\[pipeline\\] chain: nobody sees what '([a-z_]+)' does to events, .*otf2_write\$/\1/p" \
        "$work/said")" "$3"
}
warned "events are changed behind all that look at them" "check presync" presync
warned "several filters change them" "check select presync" select
warned "nothing else is there" select select
warned "somebody looks at them" "presync select check" ""
tcflow -i "$trace" -o pipeline.chain=presync >/dev/null 2>"$work/said"
is "a report of what would be changed" "$(grep -c 'nobody sees' "$work/said")" 0

tcflow -i "$trace" -o pipeline.survey="mu_estimate | clock_estimate" -o pipeline.chain=check -o pipeline.memory=1MiB \
    -o pipeline.slice=65536 >/dev/null 2>"$work/said"
is "that memory is too small is said once, for surveys and chain" "$(grep -c 'memory = 1 MiB is not enough' "$work/said")" 1
tcflow -i "$trace" -o pipeline.chain=wait_states -o pipeline.slice=1 >/dev/null 2>"$work/said"
is "that slices for the look-ahead have room, of which few are used, is not" "$(grep -c 'is not enough' "$work/said")" 0

# A filter that takes its time, so that there is something to interrupt.
cat >"$work/slow.c" <<'END'
#include <tcflow/filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static tcf_status slow_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    const char *began = getenv("BEGAN");
    FILE *f = began ? fopen(began, "w") : NULL;
    if (f)
        fclose(f);
    return TCF_OK;
}
TCF_FILTER = {.head = TCF_FILTER_HEAD, .name = "slow", .version = "1", .summary = "Takes its time", .slice = slow_slice};
END
if $CC -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o "$work/plugins/slow.so" "$work/slow.c" 2>"$work/.cc"; then
    # interrupted SIGNAL STATUS: the run is interrupted in its middle. Background jobs of a shell ignore SIGINT, so
    # env resets it.
    interrupted()
    {
        rm -f "$work/began"
        env --default-signal=INT,TERM,HUP BEGAN="$work/began" "$TCFLOW" --plugin-path "$work/plugins" -i "$trace" \
            -o pipeline.chain=slow -o pipeline.slice=16 -o pipeline.sandbox=off --summary=json 2>"$work/cut" &
        pid=$!
        for _ in $(seq 600); do
            [ -e "$work/began" ] && break
            sleep 0.1
        done
        kill -s "$1" $pid
        wait $pid
        is "exit status after SIG$1" "$?" "$2"
        like "SIG$1 is reported" "$(cat "$work/cut")" "ended by SIG$1"
        like "the summary after SIG$1" "$(cat "$work/cut")" '^\{"status": "interrupted"'
    }
    interrupted INT 130
    interrupted TERM 143
    tcflow --plugin-path "$work/plugins" -i "$trace" -o pipeline.chain=slow -o pipeline.slice=64 --progress 2>"$work/slow"
    like "--progress" "$(cat "$work/slow")" \
        '^tcflow: 1/1 (\[[#.]{10}\] +[0-9]+ %, [0-9:]+ (s|min|h) left, )?[0-9,]+ events, [0-9.]+ million/s, [0-9.]+ [KMG]iB: slow$'
else
    diag "$(cat "$work/.cc")"
    skip "interruption" "no compiler"
fi
done_testing
