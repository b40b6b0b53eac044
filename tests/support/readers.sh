# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What the tests of readers share, behind tests/support/lib.sh and a $work folder.

printed=$top_srcdir/tests/support/printed.py

# events_of FILE [OPTION...]: what tcflow reads of the file, in the lines of printed.py, into $work/printed
events_of()
{
    events_file=$1
    shift
    timeout 120 "$TCFLOW" -q -i "$events_file" -o pipeline.chain=print -o print.format=json -o print.definitions=yes \
        -o print.order=location "$@" >"$work/lines" && python3 "$printed" "$work/lines" >"$work/printed"
}

# agrees READER FILE [OPTION...]: READER.py reads the same in it
agrees()
{
    agrees_by=$1
    shift
    events_of "$@" && python3 "$top_srcdir/tests/plugins/$agrees_by/$agrees_by.py" "$1" >"$work/expected" || return
    [ -s "$work/expected" ] && diff "$work/expected" "$work/printed" | head -n 20 | diff /dev/null -
}

# comes_back ANCHOR [OPTION...]: written as JSON and read again it has the same calls; and the messages, values and notes that
# another parser finds in the JSON. OPTION: of the second run
comes_back()
{
    comes_from=$1
    shift
    rm -f "$work/trace.json"
    "$TCFLOW" -q -i "$comes_from" -o pipeline.chain=perfetto_trace -o perfetto_trace.path="$work/trace.json" \
        -o perfetto_trace.format=json -o perfetto_trace.max_bytes=0 && agrees chrome "$work/trace.json" "$@" || return
    grep "^call	" "$work/printed" >"$work/calls"
    "$TCFLOW" -q -i "$comes_from" -o pipeline.chain=print -o print.format=json -o print.definitions=yes \
        -o print.order=location >"$work/lines" 2>/dev/null &&
        python3 "$printed" --calls --resolution-to-ns "$work/lines" | grep "^call	" |
        diff - "$work/calls" | head -n 20 | diff /dev/null -
}
