#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# formats.sh FOLDER [FILE]: files of other formats below FOLDER (*.sts, *.sqlite, *.json, *.csv, folders with meta.db) through tcflow:
#   - calls, messages and counters are those that another program finds in them, one for each reader; visits and inclusive times of
#     regions, as profile reports them, are the sums of what that one finds;
#   - every filter runs on them, with every number that it reports finite;
#   - what follows from samples says so in every table;
#   - the archive that otf2_write makes of them reads with otf2-print, with as many calls, and by check;
#   - examples/report.ini makes a page of them, which passes the tests of such pages in a browser (PAGES=no leaves that out).
# JOBS (default: all cores): how many files at a time. Prints TAP; needs otf2-print and python3.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/readers.sh"
. "$top_srcdir/tests/tools/report/in_browser.sh"
. "$top_srcdir/tests/real/side_by_side.sh"

folder=$(realpath "${1:?usage: formats.sh FOLDER [FILE]}")
have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
have python3 || skip_all "python3 is not installed"
[ -d "$folder" ] || skip_all "there is no folder $folder"
cd "$work" || exit 1

# All files: a process each.
if [ $# -eq 1 ]; then
    find "$folder" -name '*.sts' -o -name '*.sqlite' -o -name '*.json' -o -name '*.csv' -o -name meta.db | sort >files
    [ -s files ] || skip_all "there is no file of another format in $folder"
    shown=$(head -n 1 files) # in a browser, with TCFLOW_LONG all of them
    export shown
    side_by_side "$top_srcdir/tests/real/formats.sh" "$folder" <files
    exit
fi
file=$2

# choose FILE: the reader in $reader, its options in $options, those of the other program in $keys
choose()
{
    options= keys=
    case $1 in
    *.sts) reader=projections ;;
    *.sqlite) reader=nsight ;;
    *.json) reader=chrome ;;
    */meta.db) reader=hpctoolkit ;;
    *)
        reader=csv
        case $(head -n 1 "$1") in
        Start*PID,TID*)
            options="-o pipeline.source=csv -o csv.process=PID -o csv.thread=TID"
            keys="begin=Start (ns)|end=End (ns)|process=PID|thread=TID"
            ;;
        *,streamId,*) options="-o pipeline.source=csv -o csv.thread=streamId" keys=thread=streamId ;;
        esac
        ;;
    esac
}

# expect FILE: what the other program finds, into expected
expect()
{
    expect_script=$top_srcdir/tests/plugins/$reader/$reader.py
    [ "$reader" != csv ] || expect_script=$top_srcdir/tests/plugins/csv/table.py
    # shellcheck disable=SC2086 # words, parted by |
    (IFS='|' && python3 "$expect_script" $keys "$1") >expected
}

# What filters write to, and what they need beside them.
with_outputs="-o otf2_write.path=out.otf2 -o perfetto_trace.path=out.json -o stream_write.path=out.stream -o calls.path=out.csv"

# reports FILE FILTER: runs it, with its report as JSON if it has one
reports()
{
    rm -rf out.* report.json
    case $2 in
    clc_backward) set -- "$1" "$2" -o pipeline.chain="clc_forward clc_backward" ;;
    timeline) set -- "$1" "$2" -o pipeline.chain=timeline -o pipeline.survey=wait_states ;;
    *) set -- "$1" "$2" -o pipeline.chain="$2" ;;
    esac
    for reports_option in $with_outputs; do
        case $reports_option in
        "$2".*) set -- "$@" -o "$reports_option" ;;
        esac
    done
    ! grep -qx "$2" reporting || set -- "$@" -o "$2.format=json" -o "$2.output=report.json"
    reports_file=$1
    shift 2
    # shellcheck disable=SC2086 # words
    timeout 120 "$TCFLOW" -q -i "$reports_file" $options "$@" >said 2>&1 || { cat said && return 1; }
    [ ! -e report.json ] || python3 -c 'import json, sys
def refuse(constant):
    raise ValueError(constant + " in a report")
d = json.load(open("report.json"), parse_constant=refuse)
bad = [t for t in d if sys.argv[1] == "hpctoolkit" and "from samples" not in (d[t]["title"] or "")]
sys.exit("no word of samples: " + ", ".join(bad) if bad else 0)' "$reader"
}

"$TCFLOW" --list-filters | sed -nE 's/^  ([a-z_0-9]+) +[0-9]+\.[0-9]+ .*/\1/p' >filters
while read -r filter; do
    ! "$TCFLOW" --describe "$filter" --ini | grep -q '^#* *format' || [ "$filter" = print ] || [ "$filter" = calls ] ||
        [ "$filter" = perfetto_trace ] || [ "$filter" = live ] || echo "$filter"
done <filters >reporting

name=${file#"$folder/"}
choose "$file"
expect "$file" || diag "$expect_script has failed"
# shellcheck disable=SC2086 # words
events_of "$file" $options
[ -s printed ] || echo "nothing is read" >printed
same "$name: the other program finds the same" expected printed
python3 "$top_srcdir/tests/real/totals.py" expected >totals
# shellcheck disable=SC2086 # words
"$TCFLOW" -q -i "$file" $options -o pipeline.chain=profile -o profile.format=json >profile.json 2>said
python3 "$top_srcdir/tests/real/totals.py" --profile profile.json >profiled
awk -F '\t' -v OFS='\t' 'NR == FNR { open[$1] = $3 == "?"; next } open[$1] { $3 = "?" } { print }' totals profiled >compared
same "$name: visits and times of $(wc -l <totals) regions" totals compared
failed=
while read -r filter; do
    reports "$file" "$filter" >why || failed="$failed $filter: $(head -n 2 why)"
done <filters
is "$name: all filters" "$failed" ""
rm -rf archive
# shellcheck disable=SC2086 # words
"$TCFLOW" -q -i "$file" $options -o pipeline.chain=otf2_write -o otf2_write.path=archive >said 2>&1
is "$name: otf2-print reads as many calls" "$(otf2-print archive/traces.otf2 | grep -c '^ENTER ')" "$(grep -c '^call' expected)"
ok "$name: check reads it" "$TCFLOW" -q -i archive/traces.otf2 -o pipeline.chain=check
if [ "${PAGES:-}" != no ] && "$TCFLOW" --version | grep -q '^databases: SQLite'; then
    # shellcheck disable=SC2086 # words
    ok "$name: a page" sh -c 'cd "$0" && shift 0 && exec "$@"' "$top_srcdir" "$TCFLOW" -q -c examples/report.ini -i "$file" $options \
        -o pipeline.html_report="$work/page.html" -o pipeline.overwrite=yes
    if [ -n "${TCFLOW_LONG:-}" ] || [ "${shown:-$file}" = "$file" ]; then
        ! in_browser || in_page "$name" check_page.py "$work/page.html"
    fi
fi
done_testing
