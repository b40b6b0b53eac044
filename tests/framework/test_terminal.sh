#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Names with bytes that a terminal obeys, in a trace, on the command line and of files: no text or JSON of the program, of any
# filter or tool has one of them (private/terminal.h says which).
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

have python3 || skip_all "there is no python3"
cd "$work" || exit 1

cat >look.py <<'END'
"""look.py: prints what of standard input must not go to a terminal."""
import sys
data = sys.stdin.buffer.read()
try:
    text = data.decode("utf-8")
except UnicodeDecodeError as e:
    sys.exit("no UTF-8: %s" % data[max(0, e.start - 40):e.start + 40])
obeyed = [*range(0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a)]
found = {c for c in text if ord(c) in obeyed} - {"\n", "\t"}
if not text:
    print("nothing at all")
for c in sorted(found):
    at = text.index(c)
    print("U+%04X in %r" % (ord(c), text[max(0, at - 40):at + 40]))
END
hostile='\302\2331m\342\200\256\377\300.\033'
python3 - "$top_srcdir/examples/trace" <<'END'
import re, shutil, sys
shutil.copytree(sys.argv[1], "trace")
data = open("trace/traces.def", "rb").read()
# Names of the same lengths: C1's CSI, a mark that turns the text around, bytes that are no UTF-8, and ESC.
mark = b"\xc2\x9b1m\xe2\x80\xae\xff\xc0.\x1b"
count = 0
def hostile(m):
    global count
    count += 1
    n = len(m.group())
    return (mark + b"%d" % count + b"x" * n)[:n]
changed = re.sub(rb"MPI_[A-Z][a-z_]{5,}|Master thread|P_rank \d|MPI Rank \d|[a-z_]{14,}", hostile, data)
assert len(changed) == len(data) and count > 2, count
open("trace/traces.def", "wb").write(changed)
END
chmod -R u+w trace
trace=$work/trace/traces.otf2

# clean NAME COMMAND...: what it prints
clean()
{
    clean_name=$1
    shift
    "$@" >said 2>&1
    is "$clean_name" "$(python3 look.py <said 2>&1)" ""
}

for filter in $(tcflow --list-filters=plain | awk 'NF == 1 { print $1 }'); do
    case $filter in
    otf2_write | stream_write | perfetto_trace) set -- -o "$filter.path=$work/out" -o "$filter.overwrite=yes" ;;
    clc_backward) continue ;; # stands behind clc_forward, which is there
    *) set -- ;;
    esac
    clean "$filter" tcflow -i "$trace" -o "pipeline.chain=$filter pass" -o pipeline.rows=0 --summary "$@"
done
clean "print, with all" tcflow -i "$trace" -o pipeline.chain=print -o print.definitions=yes -o print.markers=yes -o print.snapshots=yes
like "has such names" "$(cat said)" '\\x1b|\\u009b'
clean "print, as JSON" tcflow -i "$trace" -o pipeline.chain=print -o print.definitions=yes -o print.format=json
clean "a report as JSON" tcflow -i "$trace" -o pipeline.chain=profile -o profile.format=json
like "has such names" "$(cat said)" '\\u009b'
clean "the way to CLC and back" tcflow -i "$trace" -o pipeline.survey=clock_estimate -o "pipeline.chain=presync clc_forward clc_backward check" \
    -o presync.method=survey
clean "a name of the command line" tcflow -i "$(printf '%b' "$hostile")/traces.otf2" -o pipeline.chain=check
clean "a name of a filter" tcflow -i "$trace" -o "pipeline.chain=$(printf '%b' "$hostile")"
folder=$(printf '%b' "plugins$hostile")
mkdir "$folder"
echo nothing >"$folder/$(printf '%b' "$hostile").so"
clean "a file that is no plugin" tcflow --plugin-path "$folder" --list-filters
clean "the plan" tcflow --check -i "$trace" -o pipeline.chain=check
clean "tcflow-calibrate" "$top_builddir/tcflow-calibrate" --copy none --from "$trace"
clean "tcflow-synth" "$top_builddir/tcflow-synth" "--$(printf "%b" "$hostile")"
if tcflow -q -i "$trace" -o pipeline.chain=profile -o profile.output=/dev/null -o pipeline.database=a.sqlite 2>said &&
    tcflow -q -i "$trace" -o pipeline.chain=profile -o profile.output=/dev/null -o pipeline.database=b.sqlite; then
    clean "tcflow-diff" "$top_builddir/tcflow-diff" a.sqlite b.sqlite
    clean "tcflow-diff, as JSON" "$top_builddir/tcflow-diff" --format=json a.sqlite b.sqlite
    clean "tcflow-scaling" "$top_builddir/tcflow-scaling" "$trace" "$trace"
else
    skip "tcflow-diff and tcflow-scaling" "built without SQLite"
fi

done_testing
