#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The reader of Charm++'s logs finds what a parser of its own finds in them. Logs that are cut, malformed or missing are refused.
# OTHER_FORMATS: a folder with projections_*/*.sts.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/readers.sh"

python3 -c 'import gzip' 2>/dev/null || skip_all "python3 is not installed"
projections=$top_srcdir/tests/plugins/projections/projections.py

failed=
for seed in $(seeds_of 4); do
    rm -rf "$work/logs" && mkdir "$work/logs"
    python3 "$projections" make "$seed" "$work/logs/ring.sts"
    agrees projections "$work/logs/ring.sts" >"$work/why" 2>&1 || failed="$failed $seed: $(head -n 5 "$work/why")"
done
is "logs made here" "$failed" ""
cp "$work/printed" "$work/by-name"
events_of "$work/logs"
same "the folder instead of the file" "$work/by-name" "$work/printed"
events_of "$work/logs/" -o pipeline.source=projections
same "the folder, and its format" "$work/by-name" "$work/printed"
for name in a b s z; do # any of them may be listed first
    cp "$work/logs/ring.sts" "$work/logs/$name.sts"
done
fails 1 "a folder with several programs" "$TCFLOW" -i "$work/logs" -o pipeline.chain=pass
like "says so" "$(cat "$work/.fails")" "the folder has 5 files NAME\\.sts; expected one, or the name of the file"
rm "$work/logs"/*.log*
fails 1 "a folder without logs is none" "$TCFLOW" -i "$work/logs" -o pipeline.chain=pass
like "nobody knows it" "$(cat "$work/.fails")" "no reader of another format knows it"
for file in ${OTHER_FORMATS:+"$OTHER_FORMATS"/projections_*/*.sts}; do
    ok "$(basename "$file")" agrees projections "$file"
    cp "$work/printed" "$work/by-name"
    events_of "$(dirname "$file")"
    same "its folder" "$work/by-name" "$work/printed"
done

# Idle until 30 us, an entry method until 80, idle until 100, ten in front of it all: what is done, also behind copies.
printf 'PROJECTIONS_ID \nPROCESSORS 1\nCHARE 0 "C" -1\nENTRY CHARE 0 "f()" 0 0\n' >"$work/one.sts"
printf '6 0\n14 10 0\n15 30 0\n2 0 0 30 0 0 8 0\n3 0 0 80 0 0 8 0\n14 80 0\n15 100 0\n7 100\n' >"$work/one.0.log"
is "regions" "$(roles_of "$work/one.sts" | tr '\n' ' ')" "C::f()|TASK|USER Idle|TASK_WAIT|USER Pack|FUNCTION|USER Unpack|FUNCTION|USER "
tcflow -q -i "$work/one.sts" -o pipeline.chain="otf2_write stream_write" -o otf2_write.path="$work/copy" -o stream_write.path="$work/copy.tcs"
for input in "$work/one.sts" "$work/copy/traces.otf2" "stream:$work/copy.tcs"; do
    is "useful, idle and other time, $(basename "$input")" \
        "$(tcflow -q -i "$input" -o pipeline.chain=efficiency -o efficiency.format=json | python3 -c '
import json, sys
r = json.load(sys.stdin)["efficiency_processes"]["rows"][0]
print(*(round(1e6 * r[k]) for k in ("useful", "idle", "other")), r["idle_ticks"])')" "50 40 10 40000"
    like "the diagnosis, $(basename "$input")" "$(tcflow -q -i "$input" -o pipeline.chain="wait_states efficiency diagnosis" | tr -s '\n ' ' ')" \
        "Parallel efficiency is 50 %.* Idle time costs 40 % of the processes' time .*The runtime system, outside of the tasks that it calls, takes 10 %"
done
rm -f "$work/one.0.log"

# refused NAME LOG PATTERN [STS]
refused()
{
    printf 'PROJECTIONS_ID \nPROCESSORS 1\nCHARE 0 "C" -1\nENTRY CHARE 0 "f()" 0 0\n%b' "${4:-}" >"$work/one.sts"
    printf '%b' "$2" >"$work/one.0.log"
    fails 1 "refused: $1" "$TCFLOW" -i "$work/one.sts" -o pipeline.chain=pass
    like "$1, said" "$(cat "$work/.fails")" "error: $3"
}

refused "a record that was cut" 'PROJECTIONS-RECORD 2\n14 5 0\n2 0 0 7' '.*one\.0\.log, line 3: a record with fewer numbers than its kind has'
refused "a negative time" '14 -5 0\n' '.*line 1: a record with fewer numbers'
refused "a time beyond" '14 9223372036854776 0\n' '.*line 1: the time is beyond 2\^63 - 1 ns'
refused "a record of words" 'PROJECTIONS-RECORD 1\nidle 5\n' '.*line 2: expected a record, which begins with a number'
refused "an unknown entry method" '2 0 9 7 0 0 8 0\n' ".*line 1: an entry method that the \.sts file doesn't have"
refused "an entry method of no chare" '' ".*line 5: an entry method of a chare that isn't there" 'ENTRY CHARE 1 "g()" 8 0\n'
refused "a name without an end" '' '.*line 5: a chare without a name in quotes' 'CHARE 1 "x\n'
refused "a log that isn't there" '' ".*one\.sts states 2 processing elements, but .*one\.1\.log isn't there" 'PROCESSORS 2\n'
refused "a log that isn't there, before any is read" '14 -5 0\n' ".*states 2 processing elements, but .*one\.1\.log isn't there" 'PROCESSORS 2\n'
refused "a chare far away" '' '.*line 5: a chare or entry method with a number of 2\^20 or more' 'CHARE 1048576 "x" -1\n'
refused "an entry method far away" '' '.*line 5: a chare or entry method with a number of 2\^20 or more' 'ENTRY CHARE 1048576 "x" 0 0\n'
refused "a message to more than there are" '20 0 0 5 1 0 8 1 2\n' '.*line 1: a message to more receivers than there are processing elements'
refused "a number of more bits" '' '.*line 5: a number of 2\^32 or more' 'CHARE 4294967296 "x" -1\n'
refused "a chare's number of more bits" '' ".*line 5: an entry method without a name in quotes, or its chare" 'ENTRY CHARE 1 "g()" 4294967296 0\n'
refused "a user event's number of more bits" '100 4294967297 5 0 0 1\n' '.*line 1: a user event with a number of 2\^32 or more'
gzip -c "$work/by-name" | head -c 100 >"$work/one.0.log.gz"
fails 1 "packed data that were cut" "$TCFLOW" -i "$work/one.sts" -o pipeline.chain=pass
like "says so" "$(cat "$work/.fails")" "one\.0\.log\.gz, (behind )?line [0-9]+: "
mkdir "$work/empty"
printf 'PROJECTIONS_ID \nPROCESSORS 0\n' >"$work/one.sts"
fails 1 "no processing element" "$TCFLOW" -i "$work/one.sts" -o pipeline.chain=pass
like "what is expected" "$(cat "$work/.fails")" "one\.sts has no line PROCESSORS with a number from 1 to [0-9]+"
cp "$work/one.sts" "$work/one.txt"
fails 1 "a file of another name" "$TCFLOW" -i "$work/one.txt" -o pipeline.source=projections -o pipeline.chain=pass
like "what is expected instead" "$(cat "$work/.fails")" "expected a file NAME\.sts, or the folder that holds it"
fails 1 "a folder without logs" "$TCFLOW" -i "$work/empty" -o pipeline.source=projections -o pipeline.chain=pass
like "says so, too" "$(cat "$work/.fails")" "the folder has 0 files NAME\.sts"
printf '14 5 0\n15 6 0\n77 1\n' >"$work/one.0.log" && rm "$work/one.0.log.gz"
printf 'PROJECTIONS_ID \nPROCESSORS 1\n' >"$work/one.sts"
like "records of other kinds are counted" "$(tcflow -i "$work/one.sts" -o pipeline.chain=pass 2>&1)" "doesn't know \(not passed on\): 1"
done_testing
