#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The reader of HPCToolkit's databases finds the calls that a program of its own finds by comparing call paths. Results say that they come
# from samples, also behind an archive. Databases that are damaged, of another version or without traces are refused. OTHER_FORMATS: a
# folder with hpctoolkit_*/meta.db.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/readers.sh"

python3 -c 'import struct' 2>/dev/null || skip_all "python3 is not installed"
hpctoolkit=$top_srcdir/tests/plugins/hpctoolkit/hpctoolkit.py

failed=
for seed in $(seeds_of 6); do
    rm -rf "$work/db"
    python3 "$hpctoolkit" make "$seed" "$work/db"
    agrees hpctoolkit "$work/db" >"$work/why" 2>&1 || failed="$failed $seed: $(head -n 5 "$work/why")"
done
is "databases made here" "$failed" ""
cp "$work/printed" "$work/by-folder"
for file in meta profile trace; do
    events_of "$work/db/$file.db"
    same "$file.db instead of the folder" "$work/by-folder" "$work/printed"
done
for file in ${OTHER_FORMATS:+"$OTHER_FORMATS"/hpctoolkit_*/meta.db}; do
    ok "$(basename "$(dirname "$file")")" agrees hpctoolkit "$file"
done

# -- states of threads that stand in call paths --

is "idle and waiting threads" "$(roles_of "$work/db" | grep '<omp\|PMPI' | tr '\n' ' ')" \
    "<omp idle>|TASK_WAIT|USER <omp task wait>|TASK_WAIT|OPENMP PMPI_Send [libmpi.so]|FUNCTION|MPI "

# -- what is made of samples says so --

tcflow -i "$work/db" -o pipeline.chain=profile -o pipeline.database="$work/results.sqlite" -o pipeline.html_report="$work/page.html" \
    >"$work/text" 2>"$work/said"
like "the text" "$(head -n 1 "$work/text")" "^Flat profile, all locations \(from samples\)$"
like "the end of the run" "$(cat "$work/said")" "events that follow from samples: .*: [1-9]"
like "JSON" "$(tcflow -i "$work/db" -o pipeline.chain=profile -o profile.format=json 2>/dev/null)" '"title": "Flat profile, all locations \(from samples\)"'
if [ -s "$work/results.sqlite" ]; then
    is "the database" "$(python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(db.execute("SELECT count(*) FROM tables WHERE place = ? AND title NOT LIKE ?", ("chain", "%(from samples)")).fetchone()[0],
      db.execute("SELECT count(*) FROM notes WHERE note = ?", ("sampled",)).fetchone()[0])' "$work/results.sqlite")" "0 1"
fi
like "the page" "$(cat "$work/page.html")" "\(from samples\)"
tcflow -q -i "$work/db" -o pipeline.chain=otf2_write -o otf2_write.path="$work/archive" 2>/dev/null
like "an archive made of it" "$(tcflow -q -i "$work/archive/traces.otf2" -o pipeline.chain=profile 2>/dev/null | head -n 1)" "from samples"
is "other traces don't" "$(tcflow -i "$top_srcdir/examples/trace/traces.otf2" -o pipeline.chain=profile 2>&1 | grep -c samples)" 0

# -- damage --

# refused NAME PATTERN: what lies in $work/bad
refused()
{
    timeout 60 "$TCFLOW" -i "$work/bad" -o pipeline.chain=pass >"$work/.said" 2>&1
    is "refused: $1" $? 1
    like "$1, said" "$(cat "$work/.said")" "error: .*$2"
}

# patched NAME FILE OFFSET BYTES VALUE PATTERN
patched()
{
    rm -rf "$work/bad" && cp -r "$work/db" "$work/bad"
    python3 "$hpctoolkit" patch "$work/bad/$2.db" "$3" "$4" "$5"
    refused "$1" "$6"
}

# number FILE OFFSET FORMAT: of $work/db
number()
{
    python3 -c 'import struct, sys
print(struct.unpack_from(sys.argv[3], open(sys.argv[1], "rb").read(), int(sys.argv[2], 0))[0])' "$work/db/$1.db" "$2" "$3"
}

rm -rf "$work/db" && python3 "$hpctoolkit" make 1 "$work/db"
tree=$(number meta 0x48 "<Q")
entry=$(number meta "$tree" "<Q")
child=$(number meta $((entry + 8)) "<Q")
infos=$(number profile 0x18 "<Q")
rows=$(number profile "$infos" "<Q")
list=$(number trace 0x18 "<Q")
header=$(number trace "$list" "<Q")
patched "another file's head" meta 10 4 0x666f7270 "meta\.db does not begin with HPCTOOLKITmeta"
patched "another version" trace 14 1 5 "trace\.db is of version 5\.0; this reader knows version 4"
patched "a tree beyond the file" meta 0x48 8 0x1000000000000000 "meta\.db: the context tree: 11 bytes at byte 1152921504606846976 reach beyond"
patched "entries that are too short" meta $((tree + 10)) 1 8 "the entry points of the context tree are too short"
patched "2^60 bytes of children" meta "$entry" 8 0x1000000000000000 "the children of a context: 1152921504606846976 bytes .* reach beyond"
patched "children that wrap around" meta "$((entry + 8))" 8 0xfffffffffffffff8 "the children of a context: .* reach beyond"
rm -rf "$work/bad" && cp -r "$work/db" "$work/bad"
python3 "$hpctoolkit" patch "$work/bad/meta.db" "$child" 8 "$(number meta "$entry" "<Q")"
python3 "$hpctoolkit" patch "$work/bad/meta.db" $((child + 8)) 8 "$child"
refused "a tree in a circle" "context [0-9]+ is in the tree twice, or its pointers lead in a circle"
patched "a number twice" meta $((child + 16)) 4 2 "context 2 is in the tree twice"
patched "2^32 - 1 profiles" profile $((infos + 8)) 4 0xffffffff "profile\.db: the list of profiles: .* reach beyond"
patched "no profile" profile $((infos + 8)) 4 1 "trace\.db has a trace of profile [1-9]+, but profile\.db has 1"
patched "profiles that are too short" profile $((infos + 12)) 1 1 "the descriptions of profiles are too short"
patched "2^60 as the place of profiles" profile "$infos" 8 0x1000000000000000 "the list of profiles: .* reach beyond"
patched "a tuple beyond" profile $((rows + 48 + 32)) 8 0x1000000000000000 "a tuple of identifiers: .* reach beyond"
patched "a trace of nobody" profile $((rows + 48 + 32)) 8 0 "of which profile\.db does not say whose it is"
patched "2^32 - 1 traces" trace $((list + 8)) 4 0xffffffff "trace\.db: the list of traces: .* reach beyond"
patched "samples beyond" trace $((header + 16)) 8 $((12 << 56)) "(the samples of a trace: .* reach beyond|ends before it begins, or in the middle)"
patched "an end before the begin" trace $((header + 16)) 8 0 "a trace that ends before it begins"
rm -rf "$work/bad" && cp -r "$work/db" "$work/bad"
python3 - "$work/bad/trace.db" <<'P'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
first, n, stride = struct.unpack_from("<QIB", data, struct.unpack_from("<Q", data, 0x18)[0])
longest = max((struct.unpack_from("<QQ", data, first + i * stride + 8) for i in range(n)), key=lambda r: r[1] - r[0])
for i in range(n):
    struct.pack_into("<QQ", data, first + i * stride + 8, *longest)
open(sys.argv[1], "wb").write(data)
P
refused "one row of samples for all" "traces share samples"
# sample NUMBER FORM VALUE PATTERN NAME: of the longest trace
sample()
{
    rm -rf "$work/bad" && cp -r "$work/db" "$work/bad"
    python3 - "$work/bad/trace.db" "$1" "$2" "$3" <<'P'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
first, n, stride = struct.unpack_from("<QIB", data, struct.unpack_from("<Q", data, 0x18)[0])
at = max((struct.unpack_from("<QQ", data, first + i * stride + 8) for i in range(n)), key=lambda r: r[1] - r[0])[0]
struct.pack_into(sys.argv[3], data, at + 12 * int(sys.argv[2]) + (8 if sys.argv[3] == "<I" else 0), int(sys.argv[4], 0))
open(sys.argv[1], "wb").write(data)
P
    refused "$5" "$4"
}
sample 9 "<Q" 5 "trace\.db, byte [0-9]+: a sample is earlier than the one before" "samples that aren't sorted"
sample 9 "<Q" 0x8000000000000000 "the time of a sample is beyond 2\^63 - 1 ns" "a time of 2^63"
sample 9 "<I" 0xfffffffe "context 4294967294 is not in meta\.db" "an unknown context"
# A sample is 12 bytes, and as many events as its call path is deep.
rm -rf "$work/bad" && python3 "$hpctoolkit" make 1 "$work/bad" 300
ok "300 functions that call each other, all of them in every other sample" "$TCFLOW" -q -i "$work/bad" -o pipeline.chain=pass
rm -rf "$work/bad" && python3 "$hpctoolkit" make 1 "$work/bad" 9000
refused "9,000 of them" "[0-9]+ samples enter and leave [0-9]+ functions, more than 1024 a sample: their call paths are too deep"
for file in meta profile trace; do
    rm -rf "$work/bad" && cp -r "$work/db" "$work/bad"
    head -c -9 "$work/db/$file.db" >"$work/bad/$file.db"
    refused "$file.db that was cut" "$file\.db does not end with .*was it cut"
    : >"$work/bad/$file.db"
    refused "$file.db without a byte" "$file\.db: the head: "
done
rm "$work/bad/trace.db"
refused "no traces" "trace\.db cannot be opened: .*; was the run measured without traces"
rm -rf "$work/bad" && mkdir "$work/bad" && printf '<?xml version="1.0"?>\n<HPCToolkitExperiment version="2.2">\n' >"$work/bad/experiment.xml"
refused "an older database" "a database of version 2 or 3, which has experiment\.xml; this reader knows version 4"
fails 1 "its file" "$TCFLOW" -i "$work/bad/experiment.xml" -o pipeline.chain=pass
like "says the same" "$(cat "$work/.fails")" "a database of version 2 or 3"

# any byte: an error, or another trace; never a crash or a hang
for seed in $(seeds_of 40); do
    rm -rf "$work/bad" && cp -r "$work/db" "$work/bad"
    python3 -c 'import random, sys
rng = random.Random(sys.argv[1])
path = sys.argv[2] + "/" + rng.choice(["meta.db", "profile.db", "trace.db"])
data = bytearray(open(path, "rb").read())
for _ in range(rng.randrange(1, 9)):
    data[rng.randrange(16, len(data) - 8)] = rng.choice([0, 1, 8, 127, 255])
open(path, "wb").write(data)' "$seed" "$work/bad"
    timeout 60 "$TCFLOW" -q -i "$work/bad" -o pipeline.chain=pass >/dev/null 2>&1
    status=$?
    [ $status -le 1 ] || failed="$failed $seed: $status"
done
is "damage at random ends in an error or in a trace" "$failed" ""
done_testing
